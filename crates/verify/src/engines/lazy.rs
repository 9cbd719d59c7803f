//! Lazy abstraction: predicates where infeasible error paths show that they are needed.

use std::sync::Arc;

use gnomon_engine::blocks::Blocks;
use gnomon_engine::check::{Engine as Chosen, Task, add_lazy, count_candidates, stopped};
use gnomon_engine::lazy::{Lazy, Step};
use gnomon_engine::outline::OutlineNode;
use gnomon_engine::reason::NoProgress;
use gnomon_engine::refine::Refiner;
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_logic::Terms;
use gnomon_logic::encode::Theory;

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;

/// So many refinements it makes with predicates of its own, where it was asked for alone.
const PATIENCE: u64 = 3;

struct LazyAbstraction<'a> {
    task: &'a Task<'a>,
    lazy: Lazy<'a>,
    theory: Theory,
    /// Whether the predicates of others were taken over.
    took_over: bool,
    /// Equations of the exchange that are tracked.
    equations: usize,
    /// Predicates that the others were told of.
    told: usize,
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
    Ok(Box::new(LazyAbstraction {
        task,
        lazy,
        theory,
        took_over: false,
        equations: 0,
        told: 0,
        candidates: 0,
    }))
}

impl LazyAbstraction<'_> {
    /// Tracks what others propose: predicates when it begins, or, where it was asked for alone, when
    /// its own were not enough; equations whenever there are new ones.
    fn take_over(&mut self, exchange: &Exchange) -> Result<(), Reason> {
        let is_alone = self.task.options.engine == Chosen::Lazy;
        if !self.took_over && (!is_alone || self.lazy.statistics.refinements >= PATIENCE) {
            self.took_over = true;
            let take_over = |terms: &Terms, learned: &[_]| self.lazy.take_over(terms, learned);
            let taken = exchange.with_predicates(self.theory, take_over).map_err(stopped)?;
            self.candidates += taken;
        }
        let proposed = exchange.equations_from(self.equations);
        self.equations += proposed.len();
        self.candidates += self.lazy.add_candidates(&proposed).map_err(stopped)?;
        Ok(())
    }

    /// Tells the others what was learned.
    fn tell(&mut self, exchange: &Exchange) {
        let (terms, learned) = self.lazy.learned();
        if let Some(new) = learned.get(self.told..).filter(|new| !new.is_empty()) {
            exchange.propose_predicates(self.theory, terms, new);
            self.told = learned.len();
        }
    }

    fn try_step(&mut self, slice: Slice, exchange: &Exchange) -> Result<Progress, Reason> {
        self.take_over(exchange)?;
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
                        Some(what) => Ok(Progress::stuck(self.task, what)),
                    };
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

impl Engine for LazyAbstraction<'_> {
    fn step(&mut self, slice: Slice, exchange: &Exchange) -> Progress {
        let progress = self.try_step(slice, exchange).unwrap_or_else(Progress::GivenUp);
        if !matches!(progress, Progress::Proved(_)) {
            self.tell(exchange);
        }
        progress
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        add_lazy(&mut statistics, &self.lazy);
        count_candidates(&mut statistics, self.candidates);
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
