//! Blocks: sequences of edges, and graphs of edges without loops.
//!
//! The formula of a block relates the values before it (at the SSA indices it starts with) to those
//! after it. Where branches meet, what all of them know is kept once and the rest becomes a
//! disjunction; formulas are graphs, so what branches share is shared (Beyer et al., large-block
//! encoding). Intervals are learned inside a block only: the formula of a block holds by itself,
//! whatever stands before it on a path.

use super::draft::{Draft, State};
use super::execution::Execution;
use super::memory::MemoryModel;
use super::ssa::Ssa;
use super::{Auxiliary, Encoder, NotEncoded};
use crate::term::{Term, Terms};
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Cfa, EdgeId, LocId};
use gnomon_ir::program::FuncId;
use std::collections::BTreeMap;

/// The formula of a block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Relates the values before to those after.
    pub formula: Term,
    /// The indices of the values before.
    pub before: Ssa,
    /// The indices of the values after.
    pub after: Ssa,
    /// Variables of the formula that are no variables of the program.
    pub auxiliaries: Vec<Auxiliary>,
    /// What was encoded less exactly than the theory could, for people.
    pub approximated: Vec<String>,
}

impl<'p> Encoder<'p> {
    /// Encodes whatever `run` does on a draft.
    pub(super) fn draft(
        &mut self,
        terms: &mut Terms,
        ssa: &Ssa,
        run: impl FnOnce(&mut Draft<'_>, &mut dyn MemoryModel) -> Result<(), NotEncoded>,
    ) -> Result<Block, NotEncoded> {
        let after = self.work_on(terms, Execution::new(ssa.clone()), run)?;
        let formula = after.formula(terms);
        Ok(Block {
            formula,
            before: ssa.clone(),
            after: after.state.ssa,
            auxiliaries: after.auxiliaries,
            approximated: after.approximated,
        })
    }

    /// The edges of a function one after the other.
    pub fn sequence(
        &mut self,
        terms: &mut Terms,
        ssa: &Ssa,
        func: FuncId,
        edges: &[EdgeId],
    ) -> Result<Block, NotEncoded> {
        let cfa = self.body(func)?;
        self.draft(terms, ssa, |draft, memory| {
            for &edge in edges {
                draft.edge(memory, func, cfa, edge)?;
            }
            Ok(())
        })
    }

    /// All paths from `start` to `end` along the given edges of a function, which must have no loop
    /// (but `start` and `end` may be the same location: once round a loop).
    pub fn graph(
        &mut self,
        terms: &mut Terms,
        ssa: &Ssa,
        func: FuncId,
        (start, end): (LocId, LocId),
        edges: &[EdgeId],
    ) -> Result<Block, NotEncoded> {
        let cfa = self.body(func)?;
        let order = topological(cfa, start, end, edges)?;
        self.draft(terms, ssa, |draft, memory| {
            // States that wait at a location for the other paths to it; `None` is the end.
            let mut waiting: BTreeMap<Option<LocId>, Vec<State>> = BTreeMap::new();
            let at_start = std::mem::take(&mut draft.state);
            waiting.insert(Some(start), vec![at_start]);
            for loc in order {
                let Some(states) = waiting.remove(&Some(loc)) else { continue };
                let here = State::join(draft.terms, states);
                let leaving: Vec<EdgeId> =
                    edges.iter().copied().filter(|&e| cfa.edge(e).from == loc).collect();
                for id in leaving {
                    let edge = cfa.edge(id);
                    draft.state = here.clone();
                    draft.edge(memory, func, cfa, id)?;
                    let to = (edge.to != end).then_some(edge.to);
                    waiting.entry(to).or_default().push(std::mem::take(&mut draft.state));
                }
            }
            match waiting.remove(&None) {
                Some(states) => draft.state = State::join(draft.terms, states),
                // No way leads to the end.
                None => {
                    draft.state = State::new(ssa.clone());
                    let never = draft.terms.ff();
                    draft.add(never);
                }
            }
            Ok(())
        })
    }

    /// The automaton of a function.
    pub(super) fn body(&self, func: FuncId) -> Result<&'p Cfa, NotEncoded> {
        let function = &self.program.funcs[func];
        function
            .body
            .as_ref()
            .ok_or_else(|| NotEncoded::Call(format!("`{}`, which has no body", function.name)))
    }
}

/// The locations reached from `start` along the edges, each after all that lead to it. What leaves
/// `end` is not followed.
fn topological(
    cfa: &Cfa,
    start: LocId,
    end: LocId,
    edges: &[EdgeId],
) -> Result<Vec<LocId>, NotEncoded> {
    let mut incoming: BTreeMap<LocId, usize> = BTreeMap::new();
    let mut outgoing: BTreeMap<LocId, Vec<LocId>> = BTreeMap::new();
    for &edge in edges {
        let edge = cfa.edge(edge);
        outgoing.entry(edge.from).or_default().push(edge.to);
    }
    // Only what can be reached counts.
    let mut reached = vec![start];
    let mut seen: std::collections::BTreeSet<LocId> = [start].into();
    let mut next = 0;
    while let Some(&loc) = reached.get(next) {
        next += 1;
        for &to in outgoing.get(&loc).into_iter().flatten() {
            if to == end {
                continue;
            }
            *incoming.entry(to).or_default() += 1;
            if seen.insert(to) {
                reached.push(to);
            }
        }
    }
    let mut order = Vec::with_capacity(reached.len());
    let mut ready = vec![start];
    if incoming.contains_key(&start) {
        return Err(NotEncoded::Loop(start.index()));
    }
    while let Some(loc) = ready.pop() {
        order.push(loc);
        for &to in outgoing.get(&loc).into_iter().flatten() {
            if to == end {
                continue;
            }
            if let Some(count) = incoming.get_mut(&to) {
                *count -= 1;
                if *count == 0 {
                    ready.push(to);
                }
            }
        }
    }
    if order.len() < reached.len() {
        let stuck = reached.iter().find(|l| !order.contains(l)).copied().unwrap_or(start);
        return Err(NotEncoded::Loop(stuck.index()));
    }
    Ok(order)
}
