//! What the process returns.

use std::process::ExitCode;

use gnomon_budget::Exhausted;
use gnomon_project::ProjectError;
use gnomon_verify::VerifyError;
use gnomon_wpds::{WeightError, WpdsError};

/// The exit codes of `gnomon`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// 0: the property holds; the command did what was asked.
    True,
    /// 1: the property does not hold; the run showed an error.
    False,
    /// 2: bad input or usage.
    BadInput,
    /// 3: not known; the run could not be finished.
    Unknown,
    /// 4: a bug in `gnomon`.
    InternalError,
    /// A code that someone else chose: an interpreted program, where the user wants just that.
    PassedThrough(u8),
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(match status {
            Status::True => 0,
            Status::False => 1,
            Status::BadInput => 2,
            Status::Unknown => 3,
            Status::InternalError => 4,
            Status::PassedThrough(code) => code,
        })
    }
}

/// Why a command could not do its work: the input is bad, or a limit was reached; this says how.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Failure {
    text: String,
    status: Status,
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Self {
        match error.is_rendered() {
            true => Self::rendered(error.to_string()),
            false => Self::error(error),
        }
    }
}

impl From<ProjectError> for Failure {
    fn from(error: ProjectError) -> Self {
        match error {
            ProjectError::Spec(error) => error.into(),
            error => Self::error(error),
        }
    }
}

impl Failure {
    /// A failure with a message that has its own form (several lines with source excerpts).
    pub fn rendered(text: impl Into<String>) -> Self {
        Self { text: text.into().trim_end().to_owned(), status: Status::BadInput }
    }

    /// `error: message`.
    pub fn error(message: impl std::fmt::Display) -> Self {
        Self { text: format!("error: {message}"), status: Status::BadInput }
    }

    /// An analysis was given up.
    pub fn limit(limit: Exhausted) -> Self {
        let text = format!("given up: {limit} (see --time and --memory)");
        Self { text, status: Status::Unknown }
    }

    /// A failure of a pushdown system: mostly a limit.
    pub fn of_system(error: WpdsError) -> Self {
        match error {
            WpdsError::Exhausted(limit) | WpdsError::Weight(WeightError::Exhausted(limit)) => {
                Self::limit(limit)
            }
            error => Self::error(error),
        }
    }

    /// What the process returns.
    pub fn status(&self) -> Status {
        self.status
    }
}
