//! What a check says.

use std::collections::BTreeMap;

use crate::replay::Counterexample;

/// The answer, with what stands behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No run reaches an error.
    True(Proof),
    /// This run does.
    False(Box<Counterexample>),
    /// Not known.
    Unknown(Reason),
}

/// Why the program is safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// There is nothing to reach: no error site in the program.
    NoErrorSite,
    /// The program takes nothing from outside, and its only run was done.
    OnlyRun,
    /// All executions were looked at; the deepest passed so many blocks.
    AllExecutions {
        /// In blocks.
        depth: usize,
    },
    /// Inductive invariants at all cut points exclude it.
    Invariants,
}

/// Why nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// A limit was reached.
    #[error("{0}")]
    Limit(gnomon_budget::Exhausted),
    /// The program has something that we cannot follow, and it may be reached.
    #[error("{0}")]
    NotCovered(String),
    /// An error may be reached, but no run that does was found.
    #[error("an error may be reached, but it was not confirmed: {0}")]
    NotConfirmed(String),
    /// A run has undefined behaviour; without it no error is reached.
    #[error("undefined behaviour: {0}")]
    Undefined(String),
    /// The engine found nothing new to try.
    #[error("{0}")]
    NoProgress(String),
}

/// What was done, for `--stats`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Numbers by name, in the order in which they are shown.
    pub numbers: BTreeMap<&'static str, u64>,
}
