//! How far an engine that proves came, and why it does not come further.

use std::fmt;

use gnomon_logic::UnknownReason;
use gnomon_logic::encode::Move;
use gnomon_logic::interpolate::{Failure, UnmatchedReturn};

use crate::property::Site;

/// How far an engine came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is more to do.
    More,
    /// Nothing is left: no error can be reached, except behind what the engine lists as unsupported.
    Proved,
    /// An error can be reached by this path; if single elements stand for arrays, there is none.
    Error(Site, Vec<Move>),
    /// It cannot go on.
    Stopped(Stopped),
}

/// Why an engine cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Refinement diverges: too many predicates of one location differ in constants only.
    Diverges {
        /// One of them.
        example: String,
    },
    /// There are no interpolants of an infeasible path.
    NoInterpolants(Failure),
    /// The interpolants of a path are tracked already wherever they could be.
    NothingNew,
    /// The solver returned unknown for the formula of a path.
    PathUnknown(UnknownReason),
    /// The formula of a path has a model from which no path can be read.
    ModelWithoutPath,
    /// An abstract path ends neither at an error nor at something unsupported.
    PathWithoutEnd,
    /// The calls and returns of an abstract path do not match.
    Unmatched(UnmatchedReturn),
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Diverges { example } => write!(
                f,
                "refinement diverges: predicates like `{example}` differ in constants only"
            ),
            Self::NoInterpolants(why) => write!(f, "no interpolants for a path: {why}"),
            Self::NothingNew => f.write_str("the interpolants of a path bring nothing new"),
            Self::PathUnknown(why) => write!(f, "the solver returned unknown for a path: {why}"),
            Self::ModelWithoutPath => f.write_str("a model without a path"),
            Self::PathWithoutEnd => f.write_str("a path without an end"),
            Self::Unmatched(why) => write!(f, "{why}"),
        }
    }
}
