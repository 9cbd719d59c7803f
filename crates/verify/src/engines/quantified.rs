//! Invariants about all elements of arrays, guessed from the shape of loops.

use std::sync::Arc;

use gnomon_engine::check::Task;
use gnomon_engine::explore::ExploreError;
use gnomon_engine::k_induction::limit;
use gnomon_engine::quantified::{Guessed, Quantified};
use gnomon_engine::unwinding::Unwinder;
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_logic::Terms;
use gnomon_logic::encode::Theory;

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;

struct ForAllPositions<'a> {
    task: &'a Task<'a>,
    quantified: Quantified<'a>,
    theory: Theory,
    /// What was taken over: equations and predicates.
    known: (usize, usize),
}

/// Invariants for all positions.
pub fn quantified<'a>(task: &'a Task<'a>, theory: Theory) -> Result<Box<dyn Engine + 'a>, Reason> {
    let (explorer, start) = task.explorer(theory)?;
    let unwinder = Unwinder::new(explorer, task.search_solver());
    let quantified = Quantified::new(unwinder, start, task.budget.clone());
    Ok(Box::new(ForAllPositions { task, quantified, theory, known: (0, 0) }))
}

impl ForAllPositions<'_> {
    /// Takes over what others propose, whenever there is more.
    fn take_over(&mut self, exchange: &Exchange) {
        let (equations, predicates) = self.known;
        let new = exchange.equations_from(equations);
        exchange.with_predicates(self.theory, |others, all| {
            let more = all.get(predicates..).unwrap_or_default();
            self.known = (equations + new.len(), predicates + more.len());
            self.quantified.propose(&new, |terms: &mut Terms| {
                let import = |&(func, loc, atom)| Some((func, loc, terms.import(others, atom)?));
                more.iter().filter_map(import).collect()
            });
        });
    }

    fn try_step(&mut self, slice: Slice, exchange: &Exchange) -> Result<Progress, ExploreError> {
        self.take_over(exchange);
        loop {
            match self.quantified.advance()? {
                Guessed::More => {}
                Guessed::Proved(proof) => {
                    return Ok(Progress::Proved(Proof::ForAll(Arc::new(*proof))));
                }
                Guessed::Over(why) => return Ok(Progress::GivenUp(Reason::not_enough(why))),
            }
            if slice.is_over(self.task.budget) {
                return Ok(Progress::More);
            }
        }
    }
}

impl Engine for ForAllPositions<'_> {
    fn step(&mut self, slice: Slice, exchange: &Exchange) -> Progress {
        match self.try_step(slice, exchange) {
            Ok(progress) => progress,
            Err(error) => Progress::limit(limit(error)),
        }
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        statistics.add_solver(self.quantified.unwinder().solver.as_ref());
        statistics.numbers.insert("candidates about all positions", self.quantified.guessed as f64);
        statistics
    }
}
