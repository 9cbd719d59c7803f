//! What a proof by summaries leaves behind: what holds in every function, whoever called it.
//!
//! For each function there is the set of valuations at its entry, over all calls that can happen,
//! and for each of its nodes the relation between the valuation at the entry and the one at the
//! node, under these entries. All steps are followed here, also those that lead to no error: what is
//! written down must hold at every call. A relation becomes a formula over present values and over
//! ghosts, the values at the entry.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_bdd::{Bdd, Var};
use gnomon_ir::cfa::LocId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::Term;
use gnomon_predabs::predicates::formula_of;
use gnomon_wpds::domains::BddRelations;
use gnomon_wpds::{MergeFunction, Semiring, WpdsError};
use rustc_hash::FxHashMap;

use super::abstraction::Abstract;
use super::engine::{Pushdown, PushdownError};
use super::graph::{Action, NodeId, StepId};
use super::merge::CallMerge;
use crate::control::loop_heads;
use crate::proof::{Invariant, Invariants, Summaries};

/// The relation at each node between the valuation at the entry of its function and the present one.
type Reached = BTreeMap<NodeId, Bdd>;

impl Pushdown<'_> {
    /// The summaries under the present predicates, which exclude every error; the engine has no
    /// terms left then. `None` if the abstraction follows only what leads to errors.
    pub fn summaries(&mut self, program: &Program) -> Result<Option<Summaries>, PushdownError> {
        if self.projections {
            return Ok(None);
        }
        let reached = self.reached()?;
        let mut places = Vec::new();
        let functions: Vec<FuncId> = self.graph.functions().map(|(func, ..)| func).collect();
        for func in functions {
            let Some(body) = &program.funcs[func].body else { continue };
            let mut cuts: BTreeSet<LocId> = loop_heads(body).into_iter().collect();
            cuts.extend([body.entry(), body.exit()]);
            for loc in cuts {
                let relation = self.graph.at(func, loc).and_then(|node| reached.get(&node));
                let formula = match relation {
                    Some(relation) => self.relation_formula(func, relation, loc == body.entry())?,
                    None => self.terms.ff(),
                };
                places.push(Invariant { calls: Vec::new(), func, loc, formula });
            }
        }
        let theory = self.encoder.theory();
        let terms = std::mem::take(&mut self.terms);
        let elements = Vec::new();
        let invariants = Invariants { theory, terms, places, elements, held: Vec::new() };
        Ok(Some(Summaries { invariants, at_entry: self.tracking.ghosts.originals() }))
    }

    /// All that can be reached, from entry to entry.
    fn reached(&mut self) -> Result<Reached, PushdownError> {
        self.abstraction.make_room(self.tracking.predicates.len())?;
        let vocabulary = self.abstraction.vocabulary().clone();
        let domain = BddRelations::over(vocabulary.clone());
        let copies = self.abstraction.copies().clone();
        let mut callers: BTreeMap<NodeId, BTreeSet<StepId>> = BTreeMap::new();
        for (id, step) in self.graph.steps() {
            if let Action::Call { callee, .. } = step.action
                && let Some((_, exit)) = self.graph.ends(callee)
            {
                callers.entry(exit).or_default().insert(id);
            }
        }
        let start = NodeId(0);
        let mut reached: Reached = BTreeMap::from([(start, domain.one())]);
        let mut work: BTreeSet<NodeId> = BTreeSet::from([start]);
        while let Some(node) = work.pop_first() {
            self.budget.check()?;
            let mut steps: Vec<StepId> = self.graph.out(node).to_vec();
            steps.extend(callers.get(&node).into_iter().flatten());
            for id in steps {
                let step = self.graph.step(id).clone();
                let Some(before) = reached.get(&step.from).cloned() else { continue };
                let relations = self.relations_of(id)?;
                let mut found: Vec<(NodeId, Bdd)> = Vec::new();
                match (relations, &step.action) {
                    (Abstract::Call { enter, receive }, Action::Call { callee, .. }) => {
                        let Some((entry, exit)) = self.graph.ends(*callee) else { continue };
                        let into = vocabulary.compose(&before, &enter)?;
                        let states = vocabulary.range(&into)?;
                        found.push((entry, vocabulary.identity_within(&states)?));
                        if let Some(last) = reached.get(&exit) {
                            let merge = CallMerge::new(enter, receive, copies.clone());
                            let behind =
                                merge.merge(&domain, &before, last).map_err(WpdsError::Weight)?;
                            found.push((step.to, behind));
                        }
                    }
                    (Abstract::Plain(relation), Action::Start) => {
                        let states = vocabulary.range(&relation)?;
                        found.push((step.to, vocabulary.identity_within(&states)?));
                    }
                    (Abstract::Plain(relation), _) => {
                        found.push((step.to, vocabulary.compose(&before, &relation)?));
                    }
                    (Abstract::Call { .. }, _) => {}
                }
                for (to, more) in found {
                    let grown = match reached.get(&to) {
                        Some(known) if more.is_subset_of(known)? => continue,
                        Some(known) => known.or(&more)?,
                        None if more.is_false() => continue,
                        None => more,
                    };
                    reached.insert(to, grown);
                    work.insert(to);
                }
            }
        }
        Ok(reached)
    }

    /// A relation as a formula. At an entry, the present values are those of the entry.
    fn relation_formula(
        &mut self,
        func: FuncId,
        relation: &Bdd,
        is_entry: bool,
    ) -> Result<Term, PushdownError> {
        let vocabulary = self.abstraction.vocabulary().clone();
        // Relations over the copies before, so that predicates are named once.
        let relation = if is_entry { vocabulary.range(relation)? } else { relation.clone() };
        let mut meaning: FxHashMap<Var, Term> = FxHashMap::default();
        for (number, predicate) in self.tracking.predicates.iter().enumerate() {
            // The others are open in this function.
            if predicate.functions.iter().any(|owner| *owner != func) {
                continue;
            }
            let present = predicate.atom;
            let ghosts = &mut self.tracking.ghosts;
            let at_entry = self.terms.rebuild(present, |terms, term| {
                let symbol = terms.as_symbol(term)?;
                let ghost = match ghosts.original(symbol.variable) {
                    Some(_) => symbol.variable,
                    None => ghosts.of(terms, func, symbol.variable),
                };
                Some(terms.var(ghost))
            });
            let before = if is_entry { present } else { at_entry };
            meaning.insert(vocabulary.before()[number], before);
            meaning.insert(vocabulary.after()[number], present);
        }
        let atom = &mut |terms: &mut gnomon_logic::Terms, var: Var| match meaning.get(&var) {
            Some(term) => *term,
            None => terms.tt(),
        };
        Ok(formula_of(&mut self.terms, &relation, atom)?)
    }
}
