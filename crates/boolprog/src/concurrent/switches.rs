//! Two context switches: all statements at which a switch leads to an error (LAL 5.5).
//!
//! The paper extends KISS: thread 1 runs, is switched at a statement, thread 2 runs, is switched,
//! and thread 1 goes on to an error; then with the roles exchanged. Here for any threads `a` and
//! `b`: executions `a; b; a` and `a; b; c`, with an error in the last or in the second part. A
//! statement is in the list if some execution to an error is switched in front of it. Each candidate is
//! decided by the lazy search with switches of that thread allowed only there, so the answer is
//! exact.

use gnomon_budget::Budget;

use super::lazy::{LazySearch, Prologue, Restriction, Round, first_globals};
use super::system::ThreadSystem;
use super::vocabulary::ContextEncoding;
use crate::check::CheckOptions;
use crate::model::PointId;
use crate::symbolic::layers::TraceError;

/// A statement at which a switch leads to an error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FatalSwitch {
    /// The thread that is switched.
    pub thread: usize,
    /// In front of this point.
    pub point: PointId,
    /// Whether it is the first switch of the execution, or the second.
    pub first: bool,
}

/// All statements at which one of at most two switches leads to a target.
pub fn fatal_switches(
    system: &ThreadSystem,
    targets: &[PointId],
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Vec<FatalSwitch>, TraceError> {
    let count = system.threads.len();
    let mut found = Vec::new();
    for a in 0..count {
        for b in (0..count).filter(|&b| b != a) {
            let last = (0..count).filter(|&c| c != b);
            for c in last {
                let order: Vec<usize> = if c == a { vec![a, b] } else { vec![a, b, c] };
                let part =
                    Part { system: system.with_threads(&order), order, targets, options, budget };
                part.collect(&mut found)?;
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

struct Part<'a> {
    system: ThreadSystem,
    /// The numbers of its threads in the whole system.
    order: Vec<usize>,
    targets: &'a [PointId],
    options: &'a CheckOptions,
    budget: &'a Budget,
}

impl Part<'_> {
    fn collect(&self, found: &mut Vec<FatalSwitch>) -> Result<(), TraceError> {
        // One table for all questions about these threads.
        let encoding = ContextEncoding::new(
            &self.system,
            2,
            self.options.order,
            self.options.nodes,
            self.budget,
        )?;
        if !self.fails(&encoding, None)? {
            return Ok(());
        }
        for (place, first) in [(0, true), (1, false)] {
            for point in self.candidates(place) {
                let switch = FatalSwitch { thread: self.order[place], point, first };
                if !found.contains(&switch) && self.fails(&encoding, Some((place, point)))? {
                    found.push(switch);
                }
            }
        }
        Ok(())
    }

    /// The points at which a thread could be switched.
    fn candidates(&self, place: usize) -> Vec<PointId> {
        let model = &self.system.model;
        let root = self.system.threads[place].root;
        let mut procedures = vec![root];
        let mut next = 0;
        while let Some(&procedure) = procedures.get(next) {
            next += 1;
            for &point in &model.procedure(procedure).points {
                for (_, edge) in model.outgoing(point) {
                    if let crate::model::Action::Call { callee, .. } = &edge.action
                        && !procedures.contains(callee)
                    {
                        procedures.push(*callee);
                    }
                }
            }
        }
        let points = procedures.iter().flat_map(|&p| model.procedure(p).points.clone());
        points.filter(|&p| self.system.is_switchable(p)).collect()
    }

    /// Whether a target is reached with exactly the switches of this part, that of the thread at a
    /// place only in front of a point.
    fn fails(
        &self,
        encoding: &ContextEncoding<'_>,
        only: Option<(usize, PointId)>,
    ) -> Result<bool, TraceError> {
        let Prologue::Globals(first) = first_globals(encoding, self.targets, self.budget)? else {
            return Ok(false);
        };
        let threads = self.system.threads.len();
        // How many switches there are when a thread runs in a context.
        let switches = |thread: usize, context: usize| context * threads + thread;
        let needed = only.map_or(1, |(place, _)| place + 1);
        let restriction = Restriction {
            switch: &|thread, _, point| {
                let allowed = only.is_none_or(|(place, p)| place != thread || p == point);
                allowed && !self.targets.contains(&point)
            },
            counts: &|thread, context| (needed..=2).contains(&switches(thread, context)),
        };
        let mut search = LazySearch::new(encoding, first, self.targets);
        let rounds = if threads == 2 { 2 } else { 1 };
        for _ in 0..rounds {
            if let Round::Found(_) = search.advance_within(&restriction, self.budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
