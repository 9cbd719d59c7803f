//! Sequences of formulas, one per cut, and where they come from.

use super::refutation::Direction;
use super::score::Score;
use crate::term::Term;
use std::fmt;

/// How a sequence was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Route {
    /// From a refutation by linear programming (AFP 3).
    Farkas(Direction),
    /// From the predicates of a shortened path, or of the path itself, wherever they hold.
    Generalised,
    /// From Horn clauses.
    Horn,
    /// By strongest postconditions.
    Postcondition,
}

impl Route {
    /// All routes, in the order in which they are tried.
    pub const ALL: [Self; 5] = [
        Self::Farkas(Direction::Backward),
        Self::Farkas(Direction::Forward),
        Self::Generalised,
        Self::Horn,
        Self::Postcondition,
    ];

    /// Position in [`Route::ALL`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::Farkas(Direction::Backward) => 0,
            Self::Farkas(Direction::Forward) => 1,
            Self::Generalised => 2,
            Self::Horn => 3,
            Self::Postcondition => 4,
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Farkas(Direction::Backward) => "farkas backward",
            Self::Farkas(Direction::Forward) => "farkas forward",
            Self::Generalised => "generalised",
            Self::Horn => "horn",
            Self::Postcondition => "postcondition",
        })
    }
}

/// A checked sequence: one formula per cut, the first true, the last false, each over symbols that
/// occur on both sides of its cut, each following from the one before it by the step between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// How it was found.
    pub route: Route,
    /// The formula at each cut.
    pub formulas: Vec<Term>,
    /// How promising it is.
    pub score: Score,
}
