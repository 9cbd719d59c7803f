//! Why there is no outcome.

use std::path::PathBuf;

use gnomon_certify::Certificate;
use gnomon_cfront::load::LoadError;
use gnomon_cfront::preprocess::PreprocessError;
use gnomon_engine::property::NoSuchSite;

use crate::decide;

/// Why a request gave no outcome.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The program was not read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A file that the request names cannot be used.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no automaton of that name.
    #[error("there is no spec `{name}`: choose from {}, or name a .spec file", known.join(", "))]
    NoSuchSpec {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// An automaton is not written right; this is what the user reads, with the place.
    #[error("{0}")]
    SpecText(String),
    /// An automaton has no such option.
    #[error("`{option}` is no option of spec `{spec}`: see gnomon specs")]
    NoSuchOption {
        /// What was given.
        option: String,
        /// The name of the automaton.
        spec: String,
    },
    /// An automaton does not fit the program.
    #[error(transparent)]
    Weave(#[from] gnomon_spec::WeaveError),
    /// Automata and error functions are asked for together.
    #[error("property automata and error functions are asked for together: ask for each alone")]
    Mixed,
    /// There is nothing to start from, or the property says nothing about the program.
    #[error(transparent)]
    Bad(#[from] decide::BadRequest),
    /// What is asked for is not done for programs with threads.
    #[error("{0} do not follow threads yet")]
    NotForThreads(&'static str),
    /// The independent checker refuses a proof: a bug.
    #[error("the checker refuses the proof: {reason}")]
    ProofRefused {
        /// What it says.
        reason: String,
        /// The certificate.
        certificate: Box<Certificate>,
    },
    /// A tool that executions need cannot be used.
    #[error("{0}")]
    Execution(String),
    /// An analysis that was asked for cannot be done.
    #[error("{0}")]
    Analysis(String),
    /// A file of our own could not be written or read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A witness cannot be validated so.
    #[error("a witness is validated for one file")]
    OneFile,
}

impl From<NoSuchSite> for VerifyError {
    fn from(error: NoSuchSite) -> Self {
        Self::Bad(error.into())
    }
}

impl From<PreprocessError> for VerifyError {
    fn from(error: PreprocessError) -> Self {
        Self::Load(error.into())
    }
}

impl VerifyError {
    /// Whether the machine is to blame, and not what was asked: another attempt may go better.
    pub fn is_of_machine(&self) -> bool {
        match self {
            Self::File { .. } | Self::Io(_) | Self::Execution(_) => true,
            Self::Load(error) => matches!(error, LoadError::Preprocess(_)),
            _ => false,
        }
    }

    /// Whether the message has a form of its own: several lines with places in the source.
    pub fn is_rendered(&self) -> bool {
        matches!(self, Self::Load(LoadError::Rejected(_)) | Self::SpecText(_))
    }
}
