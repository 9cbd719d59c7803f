//! Refinement: what must be tracked so that an error path is not met again.
//!
//! The path is executed once more with every scalar tracked. Where a condition on it cannot hold, the
//! scalars that it reads are needed, and, going back, those from which they were computed: a slice
//! over data. The condition is then left out and the path followed further, for others that
//! fail: each is an infeasible sliced prefix (Beyer, Löwe, Wendler, FORTE 2015). That one is taken which
//! needs fewest new scalars, and no counters if there is a choice.

use std::collections::BTreeSet;

use gnomon_budget::Exhausted;
use gnomon_logic::encode::Move;

use crate::eval::{Journal, Stop, Tracked};
use crate::explore::Values;
use crate::slots::{Root, SlotId};
use crate::state::State;
use crate::transfer::Stepped;

/// So many ways to refute a path are compared.
const MAX_REFUTATIONS: usize = 40;
/// So many states are followed along a path, where assignments have two outcomes.
const MAX_STATES: usize = 64;
/// A path is executed so often until no scalar on it is new.
const MAX_ATTEMPTS: usize = 4;
/// After so many refinements, everything is tracked that refutes a path in one way or another, and
/// is no counter: where many variables matter, the search begins anew less often.
const ONE_BY_ONE: u64 = 6;
/// The work of a step with all scalars.
const STEP_WORK: u64 = 12;
/// So many scalars of a state cost one unit more, since states are copied.
const SCALARS_PER_UNIT: u64 = 16;
/// What one look at a path may take: longer ones are not looked at to their end.
const MOST_WORK: u64 = 6_000_000;

/// What is known of the steps of a path.
struct Executed {
    /// What each step read and wrote.
    journals: Vec<Journal>,
    /// For each condition that fails: the steps at which executions end, that one last.
    refutations: Vec<Vec<usize>>,
}

impl Values<'_> {
    /// Tracks what refutes a path; whether there is something new to track.
    pub(crate) fn refine(&mut self, path: &[Move]) -> Result<bool, Exhausted> {
        let precision = std::mem::replace(&mut self.machine.tracked, Tracked::All);
        let executed = self.execute(path);
        self.machine.journal = Journal::default();
        self.machine.tracked = precision;
        let Executed { journals, refutations } = executed?;
        let mut best: Option<((usize, usize, usize), BTreeSet<SlotId>)> = None;
        let mut without_counters: BTreeSet<SlotId> = BTreeSet::new();
        for ends in refutations {
            let needed = needed(&journals, &ends);
            let is_new = |slot: &&SlotId| !self.machine.tracked.contains(**slot);
            let new = needed.iter().filter(is_new).count();
            if new == 0 {
                continue;
            }
            let counts = |slot: &&SlotId| match self.machine.slots.get(**slot).root {
                Root::Var(var) => self.counters.contains(&var),
                Root::Result(_) | Root::Allocated(_) => false,
            };
            let counters = needed.iter().filter(is_new).filter(counts).count();
            let score = (counters, new, ends.last().copied().unwrap_or(0));
            if counters == 0 {
                without_counters.extend(&needed);
            }
            if best.as_ref().is_none_or(|(known, _)| score < *known) {
                best = Some((score, needed));
            }
        }
        let Some((_, mut needed)) = best else { return Ok(false) };
        if self.statistics.refinements >= ONE_BY_ONE && !without_counters.is_empty() {
            needed = without_counters;
        }
        Ok(self.track(needed))
    }

    /// Executes a path with all values, again until all scalars on it are known from the start.
    fn execute(&mut self, path: &[Move]) -> Result<Executed, Exhausted> {
        let mut attempt = 0;
        loop {
            let before = self.machine.slots.len();
            let executed = self.execute_once(path)?;
            attempt += 1;
            if self.machine.slots.len() == before || attempt >= MAX_ATTEMPTS {
                return Ok(executed);
            }
        }
    }

    fn execute_once(&mut self, path: &[Move]) -> Result<Executed, Exhausted> {
        let mut states = vec![self.machine.start()];
        self.machine.allocations.open.clear();
        let mut journals: Vec<Journal> = Vec::with_capacity(path.len());
        let mut refutations = Vec::new();
        // Where some of the states came to their end.
        let mut ended: Vec<usize> = Vec::new();
        let mut spent = 0;
        for (at, &step) in path.iter().enumerate() {
            self.budget.check()?;
            let scalars: usize = states.iter().map(State::size).sum();
            let work = STEP_WORK * states.len() as u64 + scalars as u64 / SCALARS_PER_UNIT;
            self.budget.charge(work);
            spent += work;
            if spent > MOST_WORK {
                break;
            }
            self.machine.journal = Journal { is_kept: true, ..Journal::default() };
            let mut after: Vec<State> = Vec::with_capacity(states.len());
            for state in &states {
                let mut state = state.clone();
                match self.machine.step(&mut state, step) {
                    Ok(Stepped::Dead) | Err(Stop::Ends) => {}
                    Ok(Stepped::On) => after.push(state),
                    Ok(Stepped::Both(other)) => after.extend([state, other]),
                    Err(Stop::Exhausted(limit)) => return Err(limit),
                }
            }
            journals.push(std::mem::take(&mut self.machine.journal));
            self.machine.allocations.follow(step);
            if after.is_empty() {
                let mut ends = ended.clone();
                ends.push(at);
                refutations.push(ends);
                if refutations.len() >= MAX_REFUTATIONS || !matches!(step, Move::Edge(..)) {
                    break;
                }
                continue;
            }
            if after.len() < states.len() {
                ended.push(at);
            }
            after.truncate(MAX_STATES);
            states = after;
        }
        Ok(Executed { journals, refutations })
    }
}

/// The scalars that decide that executions end at these steps.
fn needed(journals: &[Journal], ends: &[usize]) -> BTreeSet<SlotId> {
    let mut all: BTreeSet<SlotId> = BTreeSet::new();
    let mut now: BTreeSet<SlotId> = BTreeSet::new();
    let Some(&last) = ends.last() else { return all };
    for at in (0..=last).rev() {
        let journal = &journals[at];
        if journal.narrowed.iter().any(|slot| now.contains(slot)) {
            now.extend(&journal.narrowed);
            now.extend(&journal.read);
        }
        let mut from: BTreeSet<SlotId> = BTreeSet::new();
        for (slot, read) in &journal.written {
            if now.contains(slot) {
                from.extend(&journal.read[read.clone()]);
            }
        }
        for (slot, _) in &journal.written {
            now.remove(slot);
        }
        now.extend(from);
        if ends.contains(&at) {
            now.extend(&journal.read);
            now.extend(&journal.narrowed);
        }
        all.extend(&now);
    }
    all
}
