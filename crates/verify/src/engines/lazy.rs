//! Lazy abstraction: predicates where infeasible error paths show that they are needed.

use std::sync::Arc;

use gnomon_engine::blocks::Blocks;
use gnomon_engine::check::{Task, add_lazy, count_supposed, stopped};
use gnomon_engine::lazy::{Lazy, Step};
use gnomon_engine::outline::OutlineNode;
use gnomon_engine::refine::Refiner;
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_logic::encode::Theory;

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;

struct LazyAbstraction<'a> {
    task: &'a Task<'a>,
    lazy: Lazy<'a>,
    /// Equations of the exchange that are tracked.
    equations: usize,
    candidates: u64,
}

/// Lazy abstraction in a theory.
pub fn lazy_abstraction<'a>(
    task: &'a Task<'a>,
    theory: Theory,
) -> Result<Box<dyn Engine + 'a>, Reason> {
    let (explorer, start) = task.explorer(theory)?;
    let refiner = Refiner::new(task.options.slicing.then_some(task.relevance));
    let (solver, options) = (task.solver(theory), task.options.lazy.clone());
    let budget = task.budget.clone();
    let lazy = Lazy::new(explorer, solver, refiner, Blocks::default(), start, options, budget)
        .map_err(stopped)?;
    Ok(Box::new(LazyAbstraction { task, lazy, equations: 0, candidates: 0 }))
}

impl LazyAbstraction<'_> {
    fn try_step(&mut self, slice: Slice, exchange: &Exchange) -> Result<Progress, Reason> {
        let proposed = exchange.equations_from(self.equations);
        self.equations += proposed.len();
        self.candidates += self.lazy.suppose(&proposed).map_err(stopped)?;
        self.lazy.no_error_within = exchange.safe_depth();
        let budget = self.task.budget;
        while !slice.is_over(budget) {
            match self.lazy.run_until(&|| slice.is_over(budget)).map_err(stopped)? {
                Step::More => {}
                Step::Proved => {
                    return match self.lazy.unsupported.first() {
                        None => {
                            let invariants = self.lazy.invariants().map_err(stopped)?;
                            Ok(Progress::Proved(Proof::Invariants(Arc::new(invariants))))
                        }
                        Some(what) => {
                            Ok(Progress::Unsupported(Reason::NotCovered(what.to_string())))
                        }
                    };
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

impl Engine for LazyAbstraction<'_> {
    fn step(&mut self, slice: Slice, exchange: &Exchange) -> Progress {
        self.try_step(slice, exchange).unwrap_or_else(Progress::GivenUp)
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        add_lazy(&mut statistics, &self.lazy);
        count_supposed(&mut statistics, self.candidates);
        statistics
    }

    fn open_work(&self) -> Vec<String> {
        self.lazy.open_work()
    }

    fn outline(&mut self) -> Vec<OutlineNode> {
        match self.task.options.lazy.outlined {
            0 => Vec::new(),
            _ => self.lazy.outline().unwrap_or_default(),
        }
    }
}
