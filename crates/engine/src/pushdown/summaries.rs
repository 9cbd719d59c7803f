//! Predicates from the whole program at once: invariants and summaries by Horn clauses.
//!
//! Paths through recursive functions give predicates for one depth of the recursion at a time. So
//! when refinement by paths does not end soon, all steps are handed to a solver for Horn clauses as
//! one system: for each node one unknown relation between present values and values at the entry of
//! its function. A call that returns has two premises, the caller's relation before it and the
//! callee's at its end. The atoms of a solution become predicates; nothing depends on the solution
//! being right.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use gnomon_ir::program::FuncId;
use gnomon_logic::interpolate::system::{Applied, HornSystem, RelationId};
use gnomon_logic::{Symbol, Term, Terms, Variable};

use super::ghosts::{Ghosts, Reading};
use super::graph::{Action, Graph, NodeId, Place, StepId};
use super::system::{Relevant, matters};
use super::trail::function_of;
use super::transfer::{Meaning, Transfer, Transfers};

/// What a system says about arithmetic that wraps around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapping {
    /// It is an error too. Most programs never wrap around, and if that can be shown, what shows it
    /// is true of the program as it is.
    Forbidden,
    /// It never happens: the solution is a candidate only.
    Ignored,
    /// It happens.
    Exact,
}

/// The steps of which a system is made.
pub struct Program<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The formulas of its steps.
    pub transfers: &'a Transfers,
    /// The nodes that matter.
    pub relevant: &'a Relevant,
    /// What must not be reached.
    pub targets: &'a BTreeSet<NodeId>,
}

type Live = BTreeMap<NodeId, BTreeSet<Variable>>;

impl Program<'_> {
    /// A formula for each node, over present values and ghosts, such that no target is reached; or why
    /// there is none.
    pub fn invariants(
        &self,
        terms: &mut Terms,
        ghosts: &mut Ghosts,
        wrapping: Wrapping,
        resources: u32,
        limit: Duration,
    ) -> Result<BTreeMap<NodeId, Term>, String> {
        let live = self.live(terms);
        let mut clauses = Clauses {
            program: self,
            terms,
            ghosts,
            live: &live,
            wrapping,
            system: HornSystem::new(),
            relations: BTreeMap::new(),
        };
        for (node, _) in self.places() {
            let (present, at_entry) = clauses.parameters(node);
            let parameters = [present, at_entry].concat();
            let relation = clauses.system.relation(parameters);
            clauses.relations.insert(node, relation);
        }
        for step in self.steps() {
            clauses.add(step);
        }
        let Clauses { system, relations, terms, .. } = clauses;
        let formulas = system.solve(terms, resources, limit)?;
        let mut invariants = BTreeMap::new();
        for (node, formula) in relations.keys().zip(formulas) {
            invariants.insert(*node, terms.without_indices(formula));
        }
        Ok(invariants)
    }

    /// The nodes at locations, with their functions.
    fn places(&self) -> impl Iterator<Item = (NodeId, FuncId)> {
        self.relevant.iter().filter_map(|&node| Some((node, function_of(self.graph, node)?)))
    }

    fn steps(&self) -> impl Iterator<Item = StepId> {
        self.graph
            .steps()
            .filter(|(_, step)| matters(self.graph, self.relevant, step))
            .map(|(id, _)| id)
    }

    /// The variables whose values matter at each node.
    fn live(&self, terms: &mut Terms) -> Live {
        let mut live: Live = self.places().map(|(node, _)| (node, BTreeSet::new())).collect();
        loop {
            let mut grown = false;
            for id in self.steps() {
                let step = self.graph.step(id);
                let after = live.get(&step.to).cloned().unwrap_or_default();
                let mut needed = BTreeSet::new();
                match (self.transfers.of(id), &step.action) {
                    (Meaning::Plain(transfer), _) => used(terms, transfer, &after, &mut needed),
                    (Meaning::Call { enter, finished }, Action::Call { callee, .. }) => {
                        let Some((entry, exit)) = self.graph.ends(*callee) else { continue };
                        let first = live.get(&entry).cloned().unwrap_or_default();
                        used(terms, enter, &first, &mut needed);
                        used(terms, finished, &after, &mut needed);
                        let Some(end) = &finished.callee_end else { continue };
                        let last = live.get(&exit).cloned().unwrap_or_default();
                        needed.extend(last.iter().filter(|v| end.present.index(**v) == 0));
                        if let Some(at_end) = live.get_mut(&exit) {
                            let before = at_end.len();
                            at_end.extend(wanted_of_callee(terms, finished, end, &after));
                            grown |= at_end.len() > before;
                        }
                    }
                    _ => {}
                }
                if let Some(own) = live.get_mut(&step.from) {
                    let before = own.len();
                    own.extend(needed);
                    grown |= own.len() > before;
                }
            }
            if !grown {
                return live;
            }
        }
    }
}

/// What must be known before a transfer so that it can be taken and the wanted values are known
/// behind it.
fn used(
    terms: &mut Terms,
    transfer: &Transfer,
    wanted: &BTreeSet<Variable>,
    needed: &mut BTreeSet<Variable>,
) {
    let symbols = terms.free_symbols(transfer.formula);
    needed.extend(symbols.iter().filter(|s| s.index == Some(0)).map(|s| s.variable));
    needed.extend(wanted.iter().filter(|v| transfer.after.present.index(**v) == 0));
}

/// The values at the end of a callee that its caller reads or goes on with.
fn wanted_of_callee(
    terms: &mut Terms,
    finished: &Transfer,
    end: &Reading,
    wanted: &BTreeSet<Variable>,
) -> Vec<Variable> {
    let symbols = terms.free_symbols(finished.formula);
    let last = |s: &Symbol| s.index.is_some_and(|i| i != 0 && i == end.present.index(s.variable));
    let mut found: Vec<Variable> = symbols.iter().filter(|s| last(s)).map(|s| s.variable).collect();
    found.extend(wanted.iter().filter(|v| last(&finished.after.present.symbol(**v))));
    found
}

/// The clauses in the making.
struct Clauses<'a, 'b> {
    program: &'a Program<'b>,
    terms: &'a mut Terms,
    ghosts: &'a mut Ghosts,
    live: &'a Live,
    wrapping: Wrapping,
    system: HornSystem,
    relations: BTreeMap<NodeId, RelationId>,
}

impl Clauses<'_, '_> {
    /// The variables whose values at the entry of the node's function are kept.
    fn kept(&self, node: NodeId) -> Option<(FuncId, Vec<Variable>)> {
        let func = function_of(self.program.graph, node)?;
        let (entry, _) = self.program.graph.ends(func)?;
        Some((func, self.live.get(&entry)?.iter().copied().collect()))
    }

    /// The relation of a node, read at one point. Ghosts are `None` if the point is the entry, where
    /// the values are those of `entry`.
    fn applied(&mut self, node: NodeId, reading: &Reading) -> Option<Applied> {
        let relation = *self.relations.get(&node)?;
        let (func, kept) = self.kept(node)?;
        let mut arguments: Vec<Term> = Vec::new();
        for &variable in self.live.get(&node)? {
            arguments.push(self.terms.symbol(reading.present.symbol(variable)));
        }
        for variable in kept {
            let symbol = match &reading.entry {
                Some(entry) => entry.symbol(variable),
                None => {
                    let variable = self.ghosts.of(self.terms, func, variable);
                    Symbol { variable, index: Some(0) }
                }
            };
            arguments.push(self.terms.symbol(symbol));
        }
        Some(Applied { relation, arguments })
    }

    fn parameters(&mut self, node: NodeId) -> (Vec<Term>, Vec<Term>) {
        let present = self.live.get(&node).into_iter().flatten();
        let present = present.map(|&v| self.terms.var_at(v, 0)).collect();
        let mut at_entry = Vec::new();
        if let Some((func, kept)) = self.kept(node) {
            for variable in kept {
                let ghost = self.ghosts.of(self.terms, func, variable);
                at_entry.push(self.terms.var_at(ghost, 0));
            }
        }
        (present, at_entry)
    }

    fn body(&self, transfer: &Transfer) -> Term {
        match self.wrapping {
            Wrapping::Exact => transfer.formula,
            Wrapping::Ignored | Wrapping::Forbidden => transfer.unwrapped,
        }
    }

    /// Forbids that a transfer wraps around, where that is asked for.
    fn forbid(&mut self, premises: &[Applied], transfer: &Transfer) {
        if self.wrapping == Wrapping::Forbidden && transfer.wraps != self.terms.ff() {
            let body = self.terms.and2(transfer.formula, transfer.wraps);
            self.system.clause(premises.to_vec(), body, None);
        }
    }

    fn add(&mut self, id: StepId) {
        let step = self.program.graph.step(id).clone();
        let is_target = self.program.targets.contains(&step.to);
        match (self.program.transfers.of(id), &step.action) {
            (Meaning::Plain(transfer), _) => {
                let before = self.applied(step.from, &transfer.before);
                let after = self.applied(step.to, &transfer.after);
                // Behind the start everything may be; elsewhere a place without a relation is dead.
                let known =
                    before.is_some() || *self.program.graph.place(step.from) == Place::Start;
                if known && (is_target || after.is_some()) {
                    self.forbid(before.as_slice(), transfer);
                    self.system.clause(before, self.body(transfer), after);
                }
            }
            (Meaning::Call { enter, finished }, Action::Call { callee, .. }) => {
                let Some((entry, exit)) = self.program.graph.ends(*callee) else { return };
                let Some(before) = self.applied(step.from, &enter.before) else { return };
                self.forbid(std::slice::from_ref(&before), enter);
                if let Some(first) = self.applied(entry, &enter.after) {
                    self.system.clause([before.clone()], self.body(enter), Some(first));
                }
                let Some(end) = &finished.callee_end else { return };
                if let (Some(last), Some(after)) =
                    (self.applied(exit, end), self.applied(step.to, &finished.after))
                {
                    self.system.clause([before, last], self.body(finished), Some(after));
                }
            }
            _ => {}
        }
    }
}
