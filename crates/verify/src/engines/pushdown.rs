//! The pushdown engine: predicate abstraction as a weighted pushdown system, for any recursion.

use std::sync::Arc;

use gnomon_engine::check::{Task, add_pushdown, count_supposed};
use gnomon_engine::lazy::Step;
use gnomon_engine::pushdown::{Pushdown, PushdownError};
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_logic::encode::Theory;

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;

struct ByPushdown<'a> {
    task: &'a Task<'a>,
    pushdown: Pushdown<'a>,
    /// Equations of the exchange that are tracked.
    equations: usize,
    candidates: u64,
}

/// The pushdown engine in a theory.
pub fn pushdown<'a>(task: &'a Task<'a>, theory: Theory) -> Result<Box<dyn Engine + 'a>, Reason> {
    let pushdown = task.pushdown(theory)?;
    Ok(Box::new(ByPushdown { task, pushdown, equations: 0, candidates: 0 }))
}

impl ByPushdown<'_> {
    fn try_step(&mut self, slice: Slice, exchange: &Exchange) -> Result<Progress, Reason> {
        let proposed = exchange.equations_from(self.equations);
        self.equations += proposed.len();
        self.candidates += self.pushdown.suppose(&proposed).map_err(stopped)?;
        let budget = self.task.budget;
        while !slice.is_over(budget) {
            match self.pushdown.run_until(&|| slice.is_over(budget)).map_err(stopped)? {
                Step::More => {}
                Step::Proved => {
                    if let Some(what) = self.pushdown.unsupported.first() {
                        return Ok(Progress::Unsupported(Reason::NotCovered(what.to_string())));
                    }
                    // A proof is one, whether or not it can be written down.
                    let summaries = self.pushdown.summaries(self.task.program).ok().flatten();
                    return Ok(Progress::Proved(Proof::Summaries(summaries.map(Arc::new))));
                }
                Step::Error(_, path) => return Ok(Progress::ErrorPath(path)),
                Step::Stopped(why) => {
                    return Ok(Progress::GivenUp(Reason::NoProgress(why.to_string())));
                }
            }
        }
        Ok(Progress::More)
    }
}

impl Engine for ByPushdown<'_> {
    fn step(&mut self, slice: Slice, exchange: &Exchange) -> Progress {
        self.try_step(slice, exchange).unwrap_or_else(Progress::GivenUp)
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        add_pushdown(&mut statistics, &self.pushdown);
        count_supposed(&mut statistics, self.candidates);
        statistics
    }
}

fn stopped(error: PushdownError) -> Reason {
    match error {
        PushdownError::Exhausted(limit) => Reason::Limit(limit),
        other => Reason::NoProgress(other.to_string()),
    }
}
