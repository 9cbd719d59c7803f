//! The clauses of all steps: invariants, and summaries of calls (LAL 2.4, AFP 5.2).
//!
//! Paths through recursive functions give predicates for one depth of the recursion at a time. So
//! when refinement by paths does not end soon, all steps become clauses ([`crate::horn`]): for each
//! node one unknown relation between present values and values at the entry of its function. A call
//! that returns has two premises, the caller's relation before it and the callee's at its end.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::program::FuncId;
use gnomon_logic::{Symbol, Terms, Variable};

use super::ghosts::{Ghosts, Reading};
use super::graph::{Action, Graph, NodeId, Place, StepId};
use super::system::{Relevant, matters};
use super::trail::function_of;
use super::transfer::{Meaning, Transfer, Transfers};
use crate::horn::{Applied, Body, Clause, Clauses};

/// The steps of which clauses are made.
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
    /// The clauses: parameters of a node are its present values, and values at the entry of its
    /// function as ghosts.
    pub fn clauses(&self, terms: &mut Terms, ghosts: &mut Ghosts) -> Clauses<NodeId> {
        let live = self.live(terms);
        let mut parameters: BTreeMap<NodeId, Vec<Variable>> = BTreeMap::new();
        for (node, func) in self.places() {
            let mut own: Vec<Variable> = live.get(&node).into_iter().flatten().copied().collect();
            let at_entry = self.graph.ends(func).and_then(|(entry, _)| live.get(&entry));
            for &variable in at_entry.into_iter().flatten() {
                own.push(ghosts.of(terms, func, variable));
            }
            parameters.insert(node, own);
        }
        let mut made = Making { program: self, ghosts, clauses: Clauses::new(parameters) };
        for step in self.steps() {
            made.add(step);
        }
        made.clauses
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
struct Making<'a, 'b> {
    program: &'a Program<'b>,
    ghosts: &'a Ghosts,
    clauses: Clauses<NodeId>,
}

impl Making<'_, '_> {
    /// The relation of a node, read at one point.
    fn applied(&self, node: NodeId, reading: &Reading) -> Option<Applied<NodeId>> {
        let parameters = self.clauses.parameters.get(&node)?;
        let arguments = parameters.iter().map(|&v| reading.symbol(self.ghosts, v)).collect();
        Some(Applied { point: node, arguments })
    }

    fn clause(
        &mut self,
        premises: impl IntoIterator<Item = Applied<NodeId>>,
        Transfer { formula, counters, .. }: &Transfer,
        conclusion: Option<Applied<NodeId>>,
    ) {
        let premises = premises.into_iter().collect();
        let body = Body { formula: *formula, counters: counters.clone() };
        self.clauses.all.push(Clause { premises, body, conclusion });
    }

    fn add(&mut self, id: StepId) {
        let program = self.program;
        let step = program.graph.step(id);
        let is_target = program.targets.contains(&step.to);
        match (program.transfers.of(id), &step.action) {
            (Meaning::Plain(transfer), _) => {
                let before = self.applied(step.from, &transfer.before);
                let after = self.applied(step.to, &transfer.after);
                // Behind the start everything may be; elsewhere a place without a relation is dead.
                let known = before.is_some() || *program.graph.place(step.from) == Place::Start;
                if known && (is_target || after.is_some()) {
                    self.clause(before, transfer, after);
                }
            }
            (Meaning::Call { enter, finished }, Action::Call { callee, .. }) => {
                let Some((entry, exit)) = program.graph.ends(*callee) else { return };
                let Some(before) = self.applied(step.from, &enter.before) else { return };
                if let Some(first) = self.applied(entry, &enter.after) {
                    self.clause([before.clone()], enter, Some(first));
                }
                let Some(end) = &finished.callee_end else { return };
                if let (Some(last), Some(after)) =
                    (self.applied(exit, end), self.applied(step.to, &finished.after))
                {
                    self.clause([before, last], finished, Some(after));
                }
            }
            _ => {}
        }
    }
}
