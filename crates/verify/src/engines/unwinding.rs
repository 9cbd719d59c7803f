//! The search by unwinding: symbolic executions in bits, block by block, with a SAT solver.

use std::collections::BTreeSet;

use gnomon_engine::check::Task;
use gnomon_engine::explore::ExploreError;
use gnomon_engine::property::Site;
use gnomon_engine::reason::NoProgress;
use gnomon_engine::symbolic::Symbolic;
use gnomon_engine::unsupported::{Construct, Unsupported};
use gnomon_engine::unwinding::{Found, Pace, Unwinder, Unwinding};
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_logic::encode::Theory;

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;

struct Search<'a> {
    task: &'a Task<'a>,
    unwinder: Unwinder<'a>,
    unwinding: Unwinding,
    /// Errors that the solver was not asked about yet.
    open: Vec<(Site, Symbolic)>,
    /// When to ask.
    pace: Pace,
    /// No error is reached within so many blocks, as far as the solver decided.
    excluded: usize,
    /// Whether there are errors that the solver did not decide.
    is_undecided: bool,
    /// Why executions were not followed to their end, and how often.
    unsupported: BTreeSet<Unsupported>,
}

/// The search by unwinding.
pub fn unwinding<'a>(task: &'a Task<'a>, theory: Theory) -> Result<Box<dyn Engine + 'a>, Reason> {
    let (explorer, place) = task.explorer(theory)?;
    let mut unwinder = Unwinder::new(explorer, task.search_solver());
    let state = unwinder.start().map_err(|why| Reason::unsupported(Construct::NotEncoded(why)))?;
    let unwinding = Unwinding::new(place, state);
    Ok(Box::new(Search {
        task,
        unwinder,
        unwinding,
        open: Vec::new(),
        pace: Pace::default(),
        excluded: 0,
        is_undecided: false,
        unsupported: BTreeSet::new(),
    }))
}

impl Search<'_> {
    fn layer(&mut self) -> Result<Progress, ExploreError> {
        let depth = self.unwinding.depth + 1;
        self.task.budget.report("unwinding", format_args!("{depth} blocks deep"));
        let reached = self.unwinder.advance(&mut self.unwinding)?;
        self.open.extend(reached.errors);
        let budget = self.task.budget;
        if self.open.is_empty() {
            self.excluded = depth;
        } else if self.unwinding.is_finished() || self.pace.is_due(budget) {
            let (beginning, open) = (budget.work(), std::mem::take(&mut self.open));
            match self.unwinder.find(&open) {
                Found::Nothing => self.excluded = depth,
                Found::Error(_, path) => return Ok(Progress::ErrorPath(path)),
                Found::Unknown => self.is_undecided = true,
            }
            self.pace.asked(beginning, budget);
        }
        for (reason, state) in reached.stuck {
            if self.unwinder.is_possible(&state) {
                self.unsupported.insert(reason.as_ref().clone());
            }
        }
        Ok(if self.unwinding.is_finished() { self.end() } else { Progress::More })
    }

    /// Every execution was followed to its end, or to something unsupported.
    fn end(&mut self) -> Progress {
        match (self.unsupported.first(), self.is_undecided) {
            (None, false) => Progress::Proved(Proof::AllExecutions { depth: self.unwinding.depth }),
            (Some(what), false) => Progress::stuck(self.task, what),
            (_, true) => Progress::GivenUp(Reason::NoProgress(NoProgress::SolverUnknown)),
        }
    }

    fn safe_depth(&self) -> usize {
        let is_safe = self.unsupported.is_empty() && !self.is_undecided;
        if is_safe { self.excluded } else { 0 }
    }
}

impl Engine for Search<'_> {
    fn step(&mut self, slice: Slice, exchange: &Exchange) -> Progress {
        loop {
            match self.layer() {
                Ok(Progress::More) => exchange.prove_safe_depth(self.safe_depth()),
                Ok(end) => return end,
                Err(ExploreError::Exhausted(limit)) => return Progress::limit(limit),
            }
            if slice.is_over(self.task.budget) {
                return Progress::More;
            }
        }
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        statistics.add_solver(self.unwinder.solver.as_ref());
        statistics.numbers.insert("blocks deep, bits", self.unwinding.depth as f64);
        statistics
    }

    fn open_work(&self) -> Vec<String> {
        let depth = self.safe_depth();
        vec![format!("no error is reached within {depth} blocks from the start")]
    }
}
