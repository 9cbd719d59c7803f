//! The pushdown engine: predicate abstraction as a weighted pushdown system, for any recursion.

use std::sync::Arc;

use gnomon_engine::check::{Task, add_pushdown, count_candidates};
use gnomon_engine::lazy::Step;
use gnomon_engine::pushdown::{Pushdown, PushdownError};
use gnomon_engine::reason::NoProgress;
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_logic::Terms;
use gnomon_logic::encode::Theory;

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;

struct ByPushdown<'a> {
    task: &'a Task<'a>,
    pushdown: Pushdown<'a>,
    theory: Theory,
    /// Equations of the exchange that are tracked; nothing was taken over yet if `None`.
    equations: Option<usize>,
    /// Predicates that the others were told of.
    told: usize,
    candidates: u64,
}

/// The pushdown engine in a theory.
pub fn pushdown<'a>(task: &'a Task<'a>, theory: Theory) -> Result<Box<dyn Engine + 'a>, Reason> {
    let pushdown = task.pushdown(theory)?;
    Ok(Box::new(ByPushdown { task, pushdown, theory, equations: None, told: 0, candidates: 0 }))
}

impl ByPushdown<'_> {
    /// Tracks what others propose: predicates when it begins, equations whenever there are new ones.
    fn take_over(&mut self, exchange: &Exchange) -> Result<(), Reason> {
        if self.equations.is_none() {
            let take_over = |terms: &Terms, learned: &[_]| self.pushdown.take_over(terms, learned);
            let taken = exchange.with_predicates(self.theory, take_over).map_err(stopped)?;
            self.candidates += taken;
        }
        let known = self.equations.unwrap_or(0);
        let proposed = exchange.equations_from(known);
        self.equations = Some(known + proposed.len());
        self.candidates += self.pushdown.add_candidates(&proposed).map_err(stopped)?;
        Ok(())
    }

    /// Tells the others what was learned.
    fn tell(&mut self, exchange: &Exchange) {
        let (terms, learned) = self.pushdown.learned();
        if let Some(new) = learned.get(self.told..).filter(|new| !new.is_empty()) {
            exchange.propose_predicates(self.theory, terms, new);
            self.told = learned.len();
        }
    }

    fn try_step(&mut self, slice: Slice, exchange: &Exchange) -> Result<Progress, Reason> {
        self.take_over(exchange)?;
        let budget = self.task.budget;
        while !slice.is_over(budget) {
            match self.pushdown.run_until(&|| slice.is_over(budget)).map_err(stopped)? {
                Step::More => {}
                Step::Proved => {
                    if let Some(what) = self.pushdown.unsupported.first() {
                        return Ok(Progress::stuck(self.task, what));
                    }
                    // A proof is one, whether or not it can be written down.
                    let summaries = self.pushdown.summaries(self.task.program).ok().flatten();
                    return Ok(Progress::Proved(Proof::Summaries(summaries.map(Arc::new))));
                }
                Step::Error(_, path) => return Ok(Progress::ErrorPath(path)),
                Step::Stopped(why) => {
                    return Ok(Progress::GivenUp(Reason::NoProgress(NoProgress::Refinement(
                        why.to_string(),
                    ))));
                }
            }
        }
        Ok(Progress::More)
    }
}

impl Engine for ByPushdown<'_> {
    fn step(&mut self, slice: Slice, exchange: &Exchange) -> Progress {
        let progress = self.try_step(slice, exchange).unwrap_or_else(Progress::GivenUp);
        if !matches!(progress, Progress::Proved(_)) {
            self.tell(exchange);
        }
        progress
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        add_pushdown(&mut statistics, &self.pushdown);
        count_candidates(&mut statistics, self.candidates);
        statistics
    }
}

fn stopped(error: PushdownError) -> Reason {
    match error {
        PushdownError::Exhausted(limit) => Reason::Limit(limit),
        other => Reason::NoProgress(NoProgress::Failed(other.to_string())),
    }
}
