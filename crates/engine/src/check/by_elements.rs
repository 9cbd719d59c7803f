//! Proving with single elements in place of arrays, in turns with everything else.

use gnomon_logic::encode::Theory;
use gnomon_logic::solver::for_integers;

use super::{Limited, Proof, REFINEMENTS, Reason, Task, Verdict, add_lazy, stopped};
use crate::blocks::Blocks;
use crate::lazy::{Lazy, Step};
use crate::refine::Refiner;
use crate::tracked::{Choice, TrackedElements};
use crate::verdict::Statistics;

/// An attempt.
pub(super) enum ByElements<'a> {
    /// Not begun.
    Waiting(Choice),
    /// Under way.
    Running(Choice, Box<Lazy<'a>>),
    /// It brought nothing.
    Over,
}

impl<'a> ByElements<'a> {
    /// For programs with arrays or memory, in integers.
    pub(super) fn new(task: &Task<'_>, theory: Theory) -> Self {
        if theory == Theory::Int && task.facts.may_need_arrays() {
            Self::Waiting(Choice::Last)
        } else {
            Self::Over
        }
    }

    /// Whether there is nothing left to try.
    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Over)
    }

    /// The solver resources of systems of the whole program that brought nothing.
    pub(super) fn fruitless(&self) -> u64 {
        match self {
            Self::Running(_, lazy) => lazy.statistics.fruitless,
            Self::Waiting(_) | Self::Over => 0,
        }
    }

    /// Counts what was done.
    pub(super) fn add_to(&self, statistics: &mut Statistics) {
        if let Self::Running(_, lazy) = self {
            add_lazy(statistics, lazy);
        }
    }

    /// Goes on for a turn. Says if the program is proved. What goes wrong, other than a limit, ends
    /// this attempt only.
    pub(super) fn turn(
        &mut self,
        task: &Task<'a>,
        statistics: &mut Statistics,
    ) -> Result<Option<Verdict>, Reason> {
        match self.try_turn(task, statistics) {
            Err(Reason::Limit(limit)) => Err(Reason::Limit(limit)),
            Err(_) => {
                *self = Self::Over;
                Ok(None)
            }
            found => found,
        }
    }

    fn try_turn(
        &mut self,
        task: &Task<'a>,
        statistics: &mut Statistics,
    ) -> Result<Option<Verdict>, Reason> {
        if let Self::Waiting(choice) = *self {
            let mut lazy = task.lazy_by_elements(choice)?;
            lazy.learn_first().map_err(stopped)?;
            *self = Self::Running(choice, Box::new(lazy));
        }
        let Self::Running(choice, lazy) = self else { return Ok(None) };
        let choice = *choice;
        match lazy.run(REFINEMENTS).map_err(stopped)? {
            Step::More => return Ok(None),
            Step::Proved if lazy.gaps.is_empty() => {
                add_lazy(statistics, lazy);
                let invariants = lazy.invariants().map_err(stopped)?;
                *self = Self::Over;
                return Ok(Some(Verdict::True(Proof::Invariants(std::sync::Arc::new(invariants)))));
            }
            Step::Proved | Step::Error(..) | Step::Stopped(_) => {}
        }
        add_lazy(statistics, lazy);
        let again = lazy.tracked_elements().is_some_and(TrackedElements::has_alternatives);
        *self = match choice {
            Choice::Last if again => Self::Waiting(Choice::First),
            _ => Self::Over,
        };
        Ok(None)
    }
}

impl<'a> Task<'a> {
    fn lazy_by_elements(&self, choice: Choice) -> Result<Lazy<'a>, Reason> {
        let encoder =
            self.facts.encoder_for_elements(Theory::Int, self.budget).map_err(super::no_memory)?;
        let (explorer, start) = self.explorer_with(encoder)?;
        Lazy::new(
            explorer,
            Box::new(Limited::new(Box::new(for_integers()), self.budget.clone())),
            // A slice speaks about the whole arrays.
            Refiner::new(None),
            Blocks::with_tracked_elements(TrackedElements::new(choice)),
            start,
            self.options.lazy.clone(),
            self.budget.clone(),
        )
        .map_err(stopped)
    }
}
