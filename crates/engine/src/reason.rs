//! Why a check has no answer: kinds that programs can tell apart, with the place in the user's source.
//!
//! Texts inside are for people; nobody compares them.

use gnomon_budget::Exhausted;
use gnomon_ir::span::Position;

use crate::replay::NotConfirmed as NotReplayed;
use crate::unsupported::{Construct, Located};

/// Why nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// A limit was reached.
    #[error("{0}")]
    Limit(Exhausted),
    /// The program has something that we cannot follow, and it may be reached.
    #[error("{0}")]
    Unsupported(Located),
    /// An error may be reached, but no run that does was found.
    #[error("an error may be reached, but it was not confirmed: {0}")]
    NotConfirmed(NotConfirmed),
    /// There is a proof, but the independent checker does not follow it.
    #[error("uncertified: {0}")]
    Uncertified(Uncertified),
    /// A run has undefined behaviour; without it no error is reached.
    #[error("undefined behaviour: {what} at {}", place(.at))]
    Undefined {
        /// What happens.
        what: String,
        /// Where.
        at: Option<Position>,
    },
    /// No error is reached in one order of evaluation, but another one is allowed.
    #[error("no error is reached, but {what} ({})", place(.at))]
    OneOrderOnly {
        /// What has two orders.
        what: String,
        /// Where.
        at: Option<Position>,
    },
    /// No error is reached by runs whose accesses to memory are right, but that all are is not
    /// proved.
    #[error("no other error is reached if no access is out of bounds, which is not proved at {}", shown(.0))]
    Memory(Vec<OpenAccess>),
    /// No error is reached where objects lie at the addresses that the tool chose, but the program
    /// decides by them.
    #[error("no error is reached, but {} depends on where objects lie in memory", place(.at))]
    OneLayoutOnly {
        /// Where it decides.
        at: Option<Position>,
    },
    /// The engine found nothing new to try.
    #[error("{0}")]
    NoProgress(NoProgress),
}

/// What a reason is, without its details: what reports call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonKind {
    /// [`Reason::Limit`].
    Limit,
    /// [`Reason::Unsupported`].
    Unsupported,
    /// [`Reason::NotConfirmed`].
    NotConfirmed,
    /// [`Reason::Uncertified`].
    Uncertified,
    /// [`Reason::Undefined`].
    Undefined,
    /// [`Reason::OneOrderOnly`].
    EvaluationOrder,
    /// [`Reason::Memory`].
    Memory,
    /// [`Reason::OneLayoutOnly`].
    AddressLayout,
    /// [`Reason::NoProgress`].
    NoProgress,
}

/// Why an error path was not executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotConfirmed {
    /// The interpreter does not reach the error with the inputs of the path.
    #[error(transparent)]
    Replay(#[from] NotReplayed),
    /// Whether the run exists depends on what assembler does.
    #[error("it may depend on what the assembler at {} does", place(.at))]
    Assembler {
        /// Where that is.
        at: Option<Position>,
    },
    /// The run depends on how floating-point numbers are rounded, which this function may change.
    #[error("`{0}` may change how floating-point numbers are rounded")]
    Rounding(String),
    /// Numbers are drawn behind more than one seed.
    #[error(
        "it draws random numbers behind more than one seed, and equal seeds give equal numbers"
    )]
    RandomNumbers,
    /// Nobody executes paths in such a contest.
    #[error("nobody executes it")]
    NoExecution,
}

/// Why the independent checker does not accept a proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Uncertified {
    /// Such a proof leaves no certificate.
    #[error("the proof leaves no certificate")]
    NoCertificate,
    /// A site that has no certificate of its own.
    #[error("calls through pointers have no site of their own")]
    NoSite,
    /// The checker has no answer, in its own words.
    #[error("{0}")]
    Undecided(String),
    /// The checker says that the proof is wrong, which is a bug of ours.
    #[error("the checker refuses the proof, a bug: {0}")]
    Refused(String),
    /// The checker could not be asked.
    #[error("{0}")]
    NotAsked(String),
}

/// A check of an access to memory that is not proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenAccess {
    /// Where.
    pub at: Option<Position>,
    /// Why not.
    pub why: String,
}

/// Why an engine has nothing new to try.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoProgress {
    /// A solver returned unknown, and nothing can be done without the answer.
    #[error("the solver returned unknown for a query")]
    SolverUnknown,
    /// Refinement ended, in the engine's own words.
    #[error("{0}")]
    Refinement(String),
    /// An engine that only proves, or only tries, did not succeed.
    #[error("{0}")]
    NotEnough(String),
    /// It has done what it is there for.
    #[error("{0}")]
    Done(String),
    /// All schedules up to so many contexts of each thread were looked at.
    #[error("bounded: TRUE up to {0} contexts per thread")]
    Contexts(usize),
    /// The request does not fit the program, in the words for its author.
    #[error("{0}")]
    BadRequest(String),
    /// A bug of ours or a failure of the machine.
    #[error("{0}")]
    Failed(String),
}

impl Reason {
    /// Something unsupported, where no place is to blame.
    pub fn unsupported(what: Construct) -> Self {
        Self::Unsupported(Located { what, at: None })
    }

    /// An engine that tries did not succeed.
    pub fn not_enough(why: impl Into<String>) -> Self {
        Self::NoProgress(NoProgress::NotEnough(why.into()))
    }

    /// What it is, without its details.
    pub fn kind(&self) -> ReasonKind {
        match self {
            Self::Limit(_) => ReasonKind::Limit,
            Self::Unsupported(_) => ReasonKind::Unsupported,
            Self::NotConfirmed(_) => ReasonKind::NotConfirmed,
            Self::Uncertified(_) => ReasonKind::Uncertified,
            Self::Undefined { .. } => ReasonKind::Undefined,
            Self::OneOrderOnly { .. } => ReasonKind::EvaluationOrder,
            Self::Memory(_) => ReasonKind::Memory,
            Self::OneLayoutOnly { .. } => ReasonKind::AddressLayout,
            Self::NoProgress(_) => ReasonKind::NoProgress,
        }
    }

    /// Where in the user's source, if one place is to blame.
    pub fn position(&self) -> Option<&Position> {
        match self {
            Self::Unsupported(Located { at, .. })
            | Self::Undefined { at, .. }
            | Self::OneOrderOnly { at, .. }
            | Self::OneLayoutOnly { at } => at.as_ref(),
            Self::NotConfirmed(NotConfirmed::Assembler { at }) => at.as_ref(),
            Self::Memory(open) => open.iter().find_map(|access| access.at.as_ref()),
            Self::Limit(_) | Self::NotConfirmed(_) | Self::Uncertified(_) | Self::NoProgress(_) => {
                None
            }
        }
    }
}

fn place(at: &Option<Position>) -> String {
    match at {
        Some(at) => at.to_string(),
        None => "a place that nobody wrote".to_owned(),
    }
}

/// The first places, and how many more there are.
fn shown(open: &[OpenAccess]) -> String {
    const SHOWN: usize = 2;
    let mut places: Vec<String> = Vec::new();
    for access in open {
        let place = match &access.at {
            None => access.why.clone(),
            Some(at) => format!("{at} ({})", access.why),
        };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let more = places.len().saturating_sub(SHOWN);
    places.truncate(SHOWN);
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{rest}", places.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32) -> Option<Position> {
        Some(Position { file: "a.c".to_owned(), line, column: 3 })
    }

    #[test]
    fn reasons_say_where() {
        let reason = Reason::Undefined { what: "division by zero".to_owned(), at: at(7) };
        assert_eq!(reason.to_string(), "undefined behaviour: division by zero at a.c:7:3");
        assert_eq!(reason.position().map(|at| at.line), Some(7));
        assert_eq!(reason.kind(), ReasonKind::Undefined);
    }

    #[test]
    fn of_many_open_accesses_two_are_shown_once_each() {
        let open = |line| OpenAccess { at: at(line), why: "no size".to_owned() };
        let reason = Reason::Memory(vec![open(1), open(1), open(2), open(3), open(4)]);
        let text = reason.to_string();
        assert!(text.ends_with("at a.c:1:3 (no size), a.c:2:3 (no size), and 2 more"), "{text}");
        assert_eq!(reason.position().map(|at| at.line), Some(1));
    }
}
