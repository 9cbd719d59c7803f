//! k-induction, with invariants that others propose and a base that the search proves.

use std::sync::Arc;

use gnomon_engine::check::Task;
use gnomon_engine::explore::ExploreError;
use gnomon_engine::k_induction::{Induction, KInduction, limit};
use gnomon_engine::unwinding::Unwinder;
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_logic::Terms;
use gnomon_logic::encode::Theory;

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;

struct ByInduction<'a> {
    task: &'a Task<'a>,
    induction: KInduction<'a>,
    theory: Theory,
    /// What was taken over: equations and predicates; nothing yet if `None`.
    known: Option<(usize, usize)>,
    /// A k for which the step holds and the base is not known yet.
    step: Option<usize>,
}

/// k-induction.
pub fn k_induction<'a>(task: &'a Task<'a>, theory: Theory) -> Result<Box<dyn Engine + 'a>, Reason> {
    let (explorer, start) = task.explorer(theory)?;
    let unwinder = Unwinder::new(explorer, task.search_solver());
    let induction = KInduction::new(unwinder, start, task.budget.clone());
    Ok(Box::new(ByInduction { task, induction, theory, known: None, step: None }))
}

impl ByInduction<'_> {
    /// Takes over what others propose, whenever there is more.
    fn take_over(&mut self, exchange: &Exchange) -> Result<(), ExploreError> {
        let (equations, predicates) = self.known.unwrap_or_default();
        let new = exchange.equations_from(equations);
        exchange.with_predicates(self.theory, |others, all| {
            let more = all.get(predicates..).unwrap_or_default();
            if self.known.is_some() && new.is_empty() && more.is_empty() {
                return Ok(());
            }
            self.known = Some((equations + new.len(), predicates + more.len()));
            self.step = None;
            self.induction.propose(&new, |terms: &mut Terms| {
                let import = |&(func, loc, atom)| Some((func, loc, terms.import(others, atom)?));
                more.iter().filter_map(import).collect()
            })
        })
    }

    fn try_step(&mut self, slice: Slice, exchange: &Exchange) -> Result<Progress, ExploreError> {
        self.take_over(exchange)?;
        loop {
            if let Some(k) = self.step {
                // The base is somebody else's work: looking at it again costs a little.
                self.task.budget.charge(slice.left(self.task.budget) + 1);
                if exchange.safe_depth() < k {
                    if exchange.is_only_one_left() {
                        let why = "nobody shows that the first blocks reach no error";
                        return Ok(Progress::GivenUp(Reason::not_enough(why)));
                    }
                    return Ok(Progress::More);
                }
                let invariants = Arc::new(self.induction.invariants());
                return Ok(Progress::Proved(Proof::KInduction { k, invariants }));
            }
            match self.induction.advance()? {
                Induction::More => {}
                Induction::Step(k) => self.step = Some(k),
                Induction::Over(why) => return Ok(Progress::GivenUp(Reason::not_enough(why))),
            }
            if self.step.is_none() && slice.is_over(self.task.budget) {
                return Ok(Progress::More);
            }
        }
    }
}

impl Engine for ByInduction<'_> {
    fn step(&mut self, slice: Slice, exchange: &Exchange) -> Progress {
        match self.try_step(slice, exchange) {
            Ok(progress) => progress,
            Err(error) => Progress::limit(limit(error)),
        }
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        statistics.add_solver(self.induction.unwinder().solver.as_ref());
        statistics.numbers.insert("k-induction, k", self.induction.k() as f64);
        let invariants = self.induction.invariant_count();
        statistics.numbers.insert("k-induction, auxiliary invariants", invariants as f64);
        statistics
    }
}
