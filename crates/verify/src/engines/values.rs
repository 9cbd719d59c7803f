//! Explicit values: which scalars matter is found by refinement, and no solver is asked but to confirm
//! errors.

use std::sync::Arc;

use gnomon_engine::check::Task;
use gnomon_engine::unsupported::Construct;
use gnomon_engine::verdict::{Proof, Reason, Statistics, Verdict};
use gnomon_logic::encode::Theory;
use gnomon_values::invariants::NoInvariants;
use gnomon_values::{Step, Values};

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;

/// So many error paths that values do not refute may turn out to be none.
const MAX_SPURIOUS: u64 = 3;

struct ExplicitValues<'a> {
    task: &'a Task<'a>,
    values: Values<'a>,
    spurious: u64,
}

/// Explicit values; there are no formulas, so the theory does not matter.
pub fn explicit_values<'a>(task: &'a Task<'a>, _: Theory) -> Result<Box<dyn Engine + 'a>, Reason> {
    match Values::new(task.facts, task.sites, task.entry, task.budget.clone()) {
        Some(values) => Ok(Box::new(ExplicitValues { task, values, spurious: 0 })),
        None => Err(Reason::unsupported(Construct::EntryWithoutBody)),
    }
}

impl ExplicitValues<'_> {
    fn proof(&mut self) -> Progress {
        match self.values.invariants() {
            Ok(invariants) => Progress::Proved(Proof::Invariants(Arc::new(invariants))),
            Err(NoInvariants::Exhausted(limit)) => Progress::limit(limit),
            Err(NoInvariants::Inexpressible(what)) => {
                Progress::GivenUp(Reason::not_enough(format!("no formula for the proof: {what}")))
            }
        }
    }
}

impl Engine for ExplicitValues<'_> {
    fn step(&mut self, slice: Slice, _: &Exchange) -> Progress {
        let budget = self.task.budget;
        while !slice.is_over(budget) {
            match self.values.run_until(&|| slice.is_over(budget)) {
                Ok(Step::More) => {}
                Ok(Step::Proved) => return self.proof(),
                Ok(Step::NotRefuted) => {
                    let why = "values do not refute an error that no run was found for";
                    return Progress::GivenUp(Reason::not_enough(why));
                }
                Ok(Step::Error(path)) => match self.task.confirm(&path) {
                    Ok(Verdict::False(run)) => return Progress::Executed(run),
                    Ok(Verdict::Unknown(reason)) | Err(reason) => {
                        let steps = path.len();
                        budget.report("values", format_args!("{steps} steps: {reason}"));
                        if self.spurious >= MAX_SPURIOUS {
                            return Progress::GivenUp(reason);
                        }
                        self.spurious += 1;
                    }
                    Ok(Verdict::True(_)) => self.spurious += 1,
                },
                Ok(Step::GivenUp(why)) => return Progress::GivenUp(Reason::not_enough(why)),
                Err(limit) => return Progress::limit(limit),
            }
        }
        Progress::More
    }

    fn statistics(&self) -> Statistics {
        let done = self.values.statistics;
        let mut statistics = Statistics::default();
        for (name, count) in [
            ("values, states", done.states),
            ("values, states covered", done.covered),
            ("values, steps", done.steps),
            ("values, refinements", done.refinements),
            ("values, tracked variables", self.values.tracked().len() as u64),
            ("values, errors not refuted", self.spurious),
        ] {
            statistics.numbers.insert(name, count as f64);
        }
        statistics
    }
}
