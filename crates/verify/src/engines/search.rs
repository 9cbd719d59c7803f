//! The bounded search: all executions at once, one block deeper with each layer.

use gnomon_engine::bounded::{Bounded, Progress as Layer};
use gnomon_engine::check::Task;
use gnomon_engine::explore::{ExploreError, Explorer, Strand};
use gnomon_engine::reason::NoProgress;
use gnomon_engine::unsupported::Construct;
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_logic::encode::{Execution, Move, Theory};
use gnomon_logic::{Solver, Terms};

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;

struct Search<'a> {
    task: &'a Task<'a>,
    explorer: Explorer<'a>,
    terms: Terms,
    solver: Box<dyn Solver>,
    layers: Bounded,
}

/// The bounded search in a theory.
pub fn bounded_search<'a>(
    task: &'a Task<'a>,
    theory: Theory,
) -> Result<Box<dyn Engine + 'a>, Reason> {
    let (mut explorer, start) = task.explorer(theory)?;
    let mut terms = Terms::new();
    let execution = explorer
        .encoder
        .advance(&mut terms, Execution::default(), Move::Start)
        .map_err(|reason| Reason::unsupported(Construct::NotEncoded(reason.to_string())))?;
    let strand = Strand { execution, origin: explorer.origins.beginning() };
    let (solver, layers) = (task.solver(theory), Bounded::new(start, strand));
    Ok(Box::new(Search { task, explorer, terms, solver, layers }))
}

impl Engine for Search<'_> {
    fn step(&mut self, slice: Slice, exchange: &Exchange) -> Progress {
        let Self { task, explorer, terms, solver, layers } = self;
        loop {
            match layers.advance(explorer, terms, solver.as_mut(), task.budget) {
                Ok(Layer::More) => exchange.prove_safe_depth(layers.safe_depth()),
                Ok(Layer::Finished) => {
                    let depth = layers.depth();
                    return match layers.unsupported.first() {
                        Some(what) => Progress::stuck(self.task, what),
                        // Another theory may do better.
                        None if layers.is_undecided => {
                            Progress::GivenUp(Reason::NoProgress(NoProgress::SolverUnknown))
                        }
                        None => Progress::Proved(Proof::AllExecutions { depth }),
                    };
                }
                Ok(Layer::Error(_, path)) => return Progress::ErrorPath(path),
                Err(ExploreError::Exhausted(limit)) => return Progress::limit(limit),
            }
            if slice.is_over(task.budget) {
                return Progress::More;
            }
        }
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        statistics.add_solver(self.solver.as_ref());
        statistics.numbers.insert("blocks deep", self.layers.depth() as f64);
        statistics
    }

    fn open_work(&self) -> Vec<String> {
        let depth = self.layers.safe_depth();
        vec![format!("no error is reached within {depth} blocks from the start")]
    }
}
