//! Explicit-state enumeration of a system: the oracle of the tests, and for small systems the last
//! resort to show a result for every number of contexts.
//!
//! Breadth-first over whole configurations (round, thread, globals, the stacks of all threads). No
//! code is shared with the symbolic side beyond the system and the meaning of single steps.
//! Recursion makes configurations unbounded; a search that would leave its limits without having
//! found a target gives no answer.

use std::collections::{HashSet, VecDeque};

use gnomon_budget::Budget;

use super::system::ThreadSystem;
use crate::explicit::{Configuration, Layout, Limits, State, TooLarge, successors};
use crate::model::{PointId, PointKind, ProcId};

/// Configurations with deeper stacks are not enumerated: recursion would fill the memory before it
/// fills the limit on their number.
const DEEPEST: usize = 50;

/// Everything that is remembered: round, thread, globals, and each thread's stack without globals.
type Global = (usize, usize, State, Vec<Configuration>);

/// Whether a target can be reached within `contexts` contexts per thread.
pub fn reaches(
    system: &ThreadSystem,
    targets: &[PointId],
    contexts: usize,
    limits: Limits,
) -> Result<bool, TooLarge> {
    enumerate(system, targets, Some(contexts), limits, &Budget::unlimited())
}

/// Whether a target can be reached in any number of contexts.
pub fn reaches_at_all(
    system: &ThreadSystem,
    targets: &[PointId],
    limits: Limits,
    budget: &Budget,
) -> Result<bool, TooLarge> {
    enumerate(system, targets, None, limits, budget)
}

fn enumerate(
    system: &ThreadSystem,
    targets: &[PointId],
    contexts: Option<usize>,
    limits: Limits,
    budget: &Budget,
) -> Result<bool, TooLarge> {
    let layout = Layout::new(&system.model).ok_or(TooLarge)?;
    let budget = budget.clone();
    let mut search = Search { system, layout, targets, limits, budget, seen: HashSet::new() };
    let mut starts: HashSet<State> = layout.first_globals().into_iter().collect();
    if let Some(root) = system.prologue {
        match search.prologue(root, &starts)? {
            Some(after) => starts = after,
            None => return Ok(true),
        }
    }
    search.rounds(&starts, contexts)
}

struct Search<'s> {
    system: &'s ThreadSystem,
    layout: Layout<'s>,
    targets: &'s [PointId],
    limits: Limits,
    budget: Budget,
    seen: HashSet<Global>,
}

impl Search<'_> {
    /// The globals after the prologue, or `None` if a target was reached.
    fn prologue(
        &self,
        root: ProcId,
        starts: &HashSet<State>,
    ) -> Result<Option<HashSet<State>>, TooLarge> {
        let model = &self.system.model;
        let entry = model.procedure(root).entry;
        let first = starts.iter().flat_map(|&g| self.layout.fill_locals(root, g));
        let mut work: Vec<Configuration> = first.map(|s| (Vec::new(), entry, s)).collect();
        let mut seen: HashSet<Configuration> = work.iter().cloned().collect();
        let mut after = HashSet::new();
        while let Some(configuration) = work.pop() {
            let point = configuration.1;
            if self.targets.contains(&point) {
                return Ok(None);
            }
            if model.point(point).kind == PointKind::End && model.outgoing(point).next().is_none() {
                after.insert(self.layout.globals(configuration.2));
            }
            for next in successors(model, self.layout, &configuration) {
                if next.0.len() > DEEPEST {
                    return Err(TooLarge);
                }
                if seen.insert(next.clone()) {
                    work.push(next);
                }
            }
            if seen.len() > self.limits.states {
                return Err(TooLarge);
            }
        }
        Ok(Some(after))
    }

    fn rounds(
        &mut self,
        starts: &HashSet<State>,
        contexts: Option<usize>,
    ) -> Result<bool, TooLarge> {
        let model = &self.system.model;
        let mut work: VecDeque<Global> = VecDeque::new();
        let mut stacks: Vec<Vec<Configuration>> = vec![Vec::new()];
        for thread in &self.system.threads {
            let entry = model.procedure(thread.root).entry;
            let locals = self.layout.fill_locals(thread.root, 0);
            stacks = stacks
                .iter()
                .flat_map(|list| {
                    locals.iter().map(move |&s| {
                        let mut list = list.clone();
                        list.push((Vec::new(), entry, s));
                        list
                    })
                })
                .collect();
            if stacks.len() > self.limits.states {
                return Err(TooLarge);
            }
        }
        let mut sorted: Vec<State> = starts.iter().copied().collect();
        sorted.sort_unstable();
        for globals in sorted {
            for list in &stacks {
                self.add((0, 0, globals, list.clone()), &mut work);
            }
        }
        while let Some((round, thread, globals, list)) = work.pop_front() {
            let (stack, point, locals) = &list[thread];
            if self.targets.contains(point) {
                return Ok(true);
            }
            if self.seen.len() > self.limits.states || self.budget.check().is_err() {
                return Err(TooLarge);
            }
            let here = (stack.clone(), *point, locals | globals);
            for (stack, point, state) in successors(model, self.layout, &here) {
                if stack.len() > DEEPEST {
                    return Err(TooLarge);
                }
                let globals = self.layout.globals(state);
                let mut list = list.clone();
                list[thread] = (stack, point, state & !self.layout.globals(State::MAX));
                self.add((round, thread, globals, list), &mut work);
            }
            let inside = self.system.atomic.is_some_and(|f| self.layout.get(globals, f));
            if self.system.is_switchable(*point) && !inside {
                let (round, thread) = match thread + 1 < self.system.threads.len() {
                    true => (round, thread + 1),
                    // Without a bound there is nothing to count.
                    false => (contexts.map_or(0, |_| round + 1), 0),
                };
                if contexts.is_none_or(|bound| round < bound) {
                    self.add((round, thread, globals, list), &mut work);
                }
            }
        }
        Ok(false)
    }

    fn add(&mut self, state: Global, work: &mut VecDeque<Global>) {
        if self.seen.insert(state.clone()) {
            work.push_back(state);
        }
    }
}
