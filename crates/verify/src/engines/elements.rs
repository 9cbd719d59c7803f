//! Lazy abstraction with single elements in place of arrays. It only ever proves.

use std::sync::Arc;

use gnomon_engine::blocks::Blocks;
use gnomon_engine::check::{Task, add_lazy, no_memory, stopped};
use gnomon_engine::horn::{FIRST_EFFORT, Initiative, Learned, MAX_EFFORT};
use gnomon_engine::lazy::{Lazy, Step};
use gnomon_engine::limited::Limited;
use gnomon_engine::refine::Refiner;
use gnomon_engine::tracked::{Choice, TrackedElements};
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_logic::encode::Theory;
use gnomon_logic::solver::for_integers;

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;

struct ByElements<'a> {
    task: &'a Task<'a>,
    /// Which element of an array is chosen.
    choice: Choice,
    lazy: Lazy<'a>,
    /// The effort of the next CHC query: those come before all refinements.
    effort: Option<u32>,
    /// Of the choices before.
    before: Statistics,
}

/// Lazy abstraction with elements in place of arrays.
pub fn by_elements<'a>(task: &'a Task<'a>, theory: Theory) -> Result<Box<dyn Engine + 'a>, Reason> {
    let choice = Choice::Last;
    let lazy = lazy(task, theory, choice)?;
    let before = Statistics::default();
    Ok(Box::new(ByElements { task, choice, lazy, effort: Some(FIRST_EFFORT), before }))
}

fn lazy<'a>(task: &'a Task<'a>, theory: Theory, choice: Choice) -> Result<Lazy<'a>, Reason> {
    let encoder = task.facts.encoder_for_elements(theory, task.budget).map_err(no_memory)?;
    let (explorer, start) = task.explorer_with(encoder)?;
    Lazy::new(
        explorer,
        Box::new(Limited::new(Box::new(for_integers()), task.budget.clone())),
        // A slice speaks about the whole arrays.
        Refiner::new(None),
        Blocks::with_tracked_elements(TrackedElements::new(choice)),
        start,
        task.options.lazy.clone(),
        task.budget.clone(),
    )
    .map_err(stopped)
}

impl ByElements<'_> {
    /// Asks for invariants of the whole program; gives the effort of the next query.
    fn ask(&mut self, effort: u32) -> Result<Option<u32>, Reason> {
        if effort == FIRST_EFFORT {
            self.lazy.learn_first().map_err(stopped)?;
            self.lazy.schedule.initiative = Initiative::Caller;
            if self.lazy.is_without_arrays() {
                return Ok(None);
            }
        }
        Ok(match self.lazy.ask_horn(effort).map_err(stopped)? {
            Learned::Nothing if effort < MAX_EFFORT => {
                Some(effort.saturating_mul(2).min(MAX_EFFORT))
            }
            _ => None,
        })
    }

    fn try_step(&mut self, slice: Slice) -> Result<Progress, Reason> {
        loop {
            if let Some(effort) = self.effort {
                self.effort = self.ask(effort)?;
                if effort == FIRST_EFFORT && self.lazy.is_without_arrays() {
                    return Ok(Progress::GivenUp(Reason::not_enough("there are no arrays")));
                }
                if slice.is_over(self.task.budget) {
                    return Ok(Progress::More);
                }
                continue;
            }
            match self.lazy.run_until(&|| slice.is_over(self.task.budget)).map_err(stopped)? {
                Step::More => {}
                Step::Proved if self.lazy.unsupported.is_empty() => {
                    let invariants = self.lazy.invariants().map_err(stopped)?;
                    return Ok(Progress::Proved(Proof::Invariants(Arc::new(invariants))));
                }
                Step::Proved | Step::Error(..) | Step::Stopped(_) => {
                    let has_others =
                        self.lazy.tracked_elements().is_some_and(|t| t.has_alternatives());
                    if self.choice == Choice::First || !has_others {
                        let why = Reason::not_enough("single elements are not enough");
                        return Ok(Progress::GivenUp(why));
                    }
                    self.before = self.statistics();
                    self.choice = Choice::First;
                    self.lazy = lazy(self.task, Theory::Int, self.choice)?;
                    self.effort = Some(FIRST_EFFORT);
                }
            }
            if slice.is_over(self.task.budget) {
                return Ok(Progress::More);
            }
        }
    }
}

impl Engine for ByElements<'_> {
    fn step(&mut self, slice: Slice, _: &Exchange) -> Progress {
        self.try_step(slice).unwrap_or_else(Progress::GivenUp)
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = self.before.clone();
        add_lazy(&mut statistics, &self.lazy);
        statistics
    }
}
