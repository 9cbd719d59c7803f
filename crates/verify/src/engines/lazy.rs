//! Lazy abstraction: predicates where infeasible error paths show that they are needed.

use std::sync::Arc;

use gnomon_engine::blocks::Blocks;
use gnomon_engine::check::{Task, add_lazy, count_candidates, stopped};
use gnomon_engine::lazy::{Lazy, Step};
use gnomon_engine::outline::OutlineNode;
use gnomon_engine::refine::Refiner;
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_logic::Terms;
use gnomon_logic::encode::Theory;

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;

struct LazyAbstraction<'a> {
    task: &'a Task<'a>,
    lazy: Lazy<'a>,
    theory: Theory,
    /// Equations of the exchange that are tracked; nothing was taken over yet if `None`.
    equations: Option<usize>,
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
    Ok(Box::new(LazyAbstraction { task, lazy, theory, equations: None, told: 0, candidates: 0 }))
}

impl LazyAbstraction<'_> {
    /// Tracks what others propose: predicates when it begins, equations whenever there are new ones.
    fn take_over(&mut self, exchange: &Exchange) -> Result<(), Reason> {
        if self.equations.is_none() {
            let take_over = |terms: &Terms, learned: &[_]| self.lazy.take_over(terms, learned);
            let taken = exchange.with_predicates(self.theory, take_over).map_err(stopped)?;
            self.candidates += taken;
        }
        let known = self.equations.unwrap_or(0);
        let proposed = exchange.equations_from(known);
        self.equations = Some(known + proposed.len());
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
