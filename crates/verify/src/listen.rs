//! Who is told what a verification does while it does it.

use std::fmt;
use std::sync::Arc;

use gnomon_budget::{Cancel, Progress};

/// Something that a user should know and that is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Warnings about the sources, with places.
    Warnings(String),
    /// A certificate is wanted, and there is none.
    NoCertificate(NoCertificate),
    /// A C file that fails is wanted, and there is none.
    NoHarness(String),
    /// The program has nothing that could go wrong.
    NothingToCheck,
    /// The program states its property by a call of this function: errors of memory do not violate it.
    StatedProperty(String),
    /// A part of a witness is not looked at.
    LeftOut(String),
}

/// Why there is no certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCertificate {
    /// The proof leaves nothing that could be checked.
    NoneLeft,
    /// Every site would have one.
    EachSite,
    /// It would be about the sequential program.
    Sequential,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Warnings(text) => f.write_str(text.trim_end()),
            Self::NoCertificate(why) => {
                let why = match why {
                    NoCertificate::NoneLeft => "the proof leaves none",
                    NoCertificate::EachSite => "there would be one for each site",
                    NoCertificate::Sequential => "it would be one of the sequential program",
                };
                write!(f, "no certificate is written: {why}")
            }
            Self::NoHarness(why) => write!(f, "no harness is written: {why}"),
            Self::NothingToCheck => write!(
                f,
                "warning: there is nothing to check: no assertion, no error function, and no access \
                 to memory that could be wrong"
            ),
            Self::StatedProperty(function) => write!(
                f,
                "the program says by calling `{function}` what must not happen: errors of memory are no \
                 violation of that (--check memory makes them one)"
            ),
            Self::LeftOut(what) => write!(f, "left out: {what}"),
        }
    }
}

/// Is told what happens. Everything has a default that ignores it.
pub trait Listener: Sync {
    /// Something that a user should know.
    fn note(&self, _note: &Note) {}

    /// Who is told of progress; asked for when the program is read.
    fn progress(&self) -> Option<Arc<dyn Progress>> {
        None
    }

    /// Work begins, and can be ended with this.
    fn begins(&self, _cancel: Cancel) {}

    /// Of the groups of sites, so many are done.
    fn groups_done(&self, _done: usize, _all: usize) {}
}

/// Nobody listens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Listener for Silent {}
