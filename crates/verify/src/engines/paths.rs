//! Paths one by one, with inputs that can be anything: for programs whose functions call themselves.

use gnomon_engine::check::Task;
use gnomon_engine::unsupported::Construct;
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_engine::walk::{Subject, Walk, Walked};
use gnomon_logic::encode::Theory;

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;

/// Steps between two looks at the slice.
const STEPS: u64 = 2_000;
/// The work of a step of a path, beside what the solver counts.
const STEP_WORK: u64 = 24;

struct Paths<'a> {
    task: &'a Task<'a>,
    walk: Walk<'a>,
}

/// The search along single paths.
pub fn path_by_path<'a>(
    task: &'a Task<'a>,
    theory: Theory,
) -> Result<Box<dyn Engine + 'a>, Reason> {
    let Task { program, sites, facts, entry, .. } = *task;
    let subject = Subject { program, sites, calls: facts, entry };
    let (encoder, solver) = (task.encoder(theory)?, task.solver(theory));
    match Walk::new(subject, encoder, solver, task.budget.clone()) {
        Some(walk) => Ok(Box::new(Paths { task, walk })),
        None => Err(Reason::unsupported(Construct::EntryWithoutBody)),
    }
}

impl Engine for Paths<'_> {
    fn step(&mut self, slice: Slice, _: &Exchange) -> Progress {
        loop {
            let before = self.walk.steps;
            let walked = self.walk.advance(STEPS);
            self.task.budget.charge((self.walk.steps - before) * STEP_WORK);
            match walked {
                Ok(Walked::More) => {}
                Ok(Walked::TooMany) => {
                    return Progress::GivenUp(Reason::not_enough("there are too many paths"));
                }
                Ok(Walked::Finished) => {
                    let paths = self.walk.paths;
                    return match self.walk.unsupported.first() {
                        None => Progress::Proved(Proof::AllPaths { paths }),
                        Some(what) => Progress::stuck(self.task, what),
                    };
                }
                Ok(Walked::Error(_, path)) => return Progress::ErrorPath(path),
                Err(limit) => return Progress::limit(limit),
            }
            if slice.is_over(self.task.budget) {
                return Progress::More;
            }
        }
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        statistics.add_solver(self.walk.solver());
        statistics.numbers.insert("paths, steps", self.walk.steps as f64);
        statistics.numbers.insert("paths to their ends", self.walk.paths as f64);
        statistics
    }
}
