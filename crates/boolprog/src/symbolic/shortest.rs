//! The shortest execution that reaches a target: breadth-first search by length.
//!
//! LAL 3.5.1 suggests weights over the minpath semiring; here the lengths are kept as layers
//! instead, one BDD for each length, so that no BDD carries numbers. The layer of rank `k` at a
//! point holds the pairs of entry state and state whose shortest path inside the activation
//! (completed calls included, a call and a return count one edge each) has `k` edges. All
//! procedures advance in lockstep from every entry state that the program can reach; a completed
//! call of length `j` entered after `i` edges lands in layer `i + 1 + j`. Along with them the
//! sets `k` of entry states from which a target is reached by `k` edges without returning are
//! computed; the first `k` that holds a start of the program is the answer.

use gnomon_bdd::{Bdd, BddError};
use gnomon_budget::Budget;

use super::encoding::{EdgeRelation, Encoding};
use super::layers::{FullState, Layered, Layers, Ranking, TraceError};
use crate::interpret::{PartialValues, TracePlan};
use crate::model::{Action, EdgeId, PointId, ProcId};

struct Search<'e, 'm> {
    layers: Layers<'e, 'm>,
    targets: Vec<PointId>,
    /// By procedure: entry states from which a target is reached, by length.
    failing: Vec<Layered>,
    /// By edge: what a completed call does, by the length of the callee.
    effects: Vec<Vec<(u32, Bdd)>>,
    budget: Budget,
}

/// A shortest execution to one of `targets`, one of which must be reachable; `entries` are the
/// states with which each procedure is entered.
pub fn shortest_trace(
    encoding: &Encoding<'_>,
    entries: &[Layered],
    targets: &[PointId],
    budget: &Budget,
) -> Result<TracePlan, TraceError> {
    let model = encoding.model;
    let mut search = Search {
        layers: Layers::new(encoding, Ranking::Lengths),
        targets: targets.to_vec(),
        failing: model.procedures.iter().map(|_| Layered::empty(encoding)).collect(),
        effects: vec![Vec::new(); model.edges.len()],
        budget: budget.clone(),
    };
    for procedure in model.procedure_ids() {
        let relation =
            search.layers.entry_relation(procedure, &entries[procedure.index()].total)?;
        let entry = model.procedure(procedure).entry;
        search.layers.points[entry.index()].add(0, &relation)?;
    }
    let main = model.main;
    for length in 0_u32.. {
        search.budget.check().map_err(BddError::from)?;
        if length > 0 {
            search.advance(length)?;
        }
        search.mark_failing(length)?;
        search.budget.report("shorten", format_args!("no counterexample below {length} steps"));
        let start = search.failing[main.index()].at(length).map(|f| f.and(encoding.initial()));
        if let Some(start) = start.transpose()?
            && let Some(state) = search.layers.pick(&start)
        {
            let (first, steps) = search.read_off(main, &state, length)?;
            let start = search.layers.wishes(main, &first);
            return Ok(TracePlan { start, steps });
        }
    }
    Err(TraceError::Inconsistent(model.procedure(main).entry.0))
}

impl Search<'_, '_> {
    /// Computes the layers of rank `length` from the lower ones.
    fn advance(&mut self, length: u32) -> Result<(), BddError> {
        let encoding = self.layers.encoding;
        let vocabulary = encoding.vocabulary();
        let mut returned: Vec<(ProcId, Bdd)> = Vec::new();
        for (id, edge) in encoding.model.edges() {
            let last = self.layers.points[edge.from.index()].at(length - 1).cloned();
            match encoding.of(id) {
                EdgeRelation::Step(relation) => {
                    if let Some(last) = last {
                        let after = vocabulary.compose(&last, relation)?;
                        self.layers.points[edge.to.index()].add(length, &after)?;
                    }
                }
                EdgeRelation::Return(relation) => {
                    if let Some(last) = last {
                        let procedure = encoding.model.point(edge.from).procedure;
                        returned.push((procedure, vocabulary.compose(&last, relation)?));
                    }
                }
                EdgeRelation::Call { .. } => {
                    for (callee_length, effect) in self.effects[id.index()].clone() {
                        let Some(from) = length.checked_sub(callee_length + 1) else { continue };
                        let Some(at_call) = self.layers.points[edge.from.index()].at(from) else {
                            continue;
                        };
                        self.budget.check()?;
                        let after = vocabulary.compose(at_call, &effect)?;
                        self.layers.points[edge.to.index()].add(length, &after)?;
                    }
                }
                EdgeRelation::Never => {}
            }
        }
        for (procedure, pairs) in returned {
            self.layers.summaries[procedure.index()].add(length, &pairs)?;
        }
        for (id, edge) in encoding.model.edges() {
            if let (Action::Call { callee, .. }, EdgeRelation::Call { enter, receive }) =
                (&edge.action, encoding.of(id))
                && let Some(new) = self.layers.summaries[callee.index()].at(length)
            {
                let effect = encoding.call_effect(enter, receive, new)?;
                self.effects[id.index()].push((length, effect));
            }
        }
        Ok(())
    }

    fn mark_failing(&mut self, length: u32) -> Result<(), BddError> {
        let encoding = self.layers.encoding;
        let model = encoding.model;
        let vocabulary = encoding.vocabulary();
        for &target in &self.targets {
            if let Some(pairs) = self.layers.points[target.index()].at(length) {
                let procedure = model.point(target).procedure;
                self.failing[procedure.index()].add(length, &vocabulary.domain(pairs)?)?;
            }
        }
        for (id, edge) in model.edges() {
            let (Action::Call { callee, .. }, EdgeRelation::Call { enter, .. }) =
                (&edge.action, encoding.of(id))
            else {
                continue;
            };
            for inner in 0..self.failing[callee.index()].layers.len() {
                let inner = &self.failing[callee.index()].layers[inner];
                let Some(from) = length.checked_sub(inner.rank + 1) else { continue };
                let Some(at_call) = self.layers.points[edge.from.index()].at(from) else {
                    continue;
                };
                let calling = vocabulary.preimage(&inner.new, enter)?;
                let outer = vocabulary.preimage(&calling, at_call)?;
                let procedure = model.point(edge.from).procedure;
                self.failing[procedure.index()].add(length, &outer)?;
            }
        }
        Ok(())
    }

    /// The execution from an entry state to a target by exactly `length` edges: the first state of
    /// the activation, and the edges.
    fn read_off(
        &self,
        procedure: ProcId,
        entry: &FullState,
        length: u32,
    ) -> Result<(FullState, Vec<(EdgeId, PartialValues)>), TraceError> {
        let layers = &self.layers;
        let encoding = layers.encoding;
        let model = encoding.model;
        let vocabulary = encoding.vocabulary();
        for &target in &self.targets {
            let here = model.point(target).procedure == procedure;
            if let Some(pairs) = layers.points[target.index()].at(length).filter(|_| here)
                && let Some(state) = layers.pick(&layers.successors(entry, pairs)?)
            {
                let path = layers.local_path(entry, target, &state, length)?;
                return Ok((path.first, path.steps));
            }
        }
        for (id, edge) in model.edges() {
            let (Action::Call { callee, .. }, EdgeRelation::Call { enter, .. }) =
                (&edge.action, encoding.of(id))
            else {
                continue;
            };
            if model.point(edge.from).procedure != procedure {
                continue;
            }
            for inner in &self.failing[callee.index()].layers {
                let Some(from) = length.checked_sub(inner.rank + 1) else { continue };
                let Some(at_call) = layers.points[edge.from.index()].at(from) else { continue };
                let calling = vocabulary.preimage(&inner.new, enter)?;
                let states = layers.successors(entry, at_call)?.and(&calling)?;
                let Some(state) = layers.pick(&states) else { continue };
                let entries = layers.successors(&state, enter)?.and(&inner.new)?;
                let Some(inner_entry) = layers.pick(&entries) else { continue };
                let path = layers.local_path(entry, edge.from, &state, from)?;
                let (first, rest) = self.read_off(*callee, &inner_entry, inner.rank)?;
                let mut steps = path.steps;
                steps.push((id, layers.wishes(*callee, &first)));
                steps.extend(rest);
                return Ok((path.first, steps));
            }
        }
        Err(TraceError::Inconsistent(model.procedure(procedure).entry.0))
    }
}
