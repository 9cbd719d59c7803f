//! Undefined behaviour as errors that can be reached: before every operation that can go wrong
//! comes a branch, and its violated side is an error site.
//!
//! [`instrument`] rewrites a program. Where `a + b` can overflow, the location before it gets two
//! edges: one assumes that the sum does not fit and leads to a location without exit, the other
//! assumes that it does and goes on. So engines, interpreter and reports need no notion of
//! overflow: they are asked whether an edge can be taken, as for every other property.
//!
//! - [`mod@conditions`] finds what an operation evaluates, in order, and says when it goes wrong.
//!   The front end has made branches of `&&`, `||` and `?:`, so everything that stands in an
//!   operation is evaluated whenever the operation is.
//! - [`mod@range`] knows what values an expression can have by its form alone: where nothing can go
//!   wrong (`char` plus `char`), nothing is inserted.
//! - [`mod@rewrite`] puts the branches into the automata.
//! - [`mod@silent`] is apart from this: bodies for functions of which nothing is known.
//!
//! Accesses through pointers need to know where pointers point and which objects live:
//! [`instrument_memory`] puts the checks of [`mod@memory`] in, with variables that remember objects
//! ([`mod@objects`]). Without, what is not checked is written into the program's notes, so that every
//! verdict lists it: accesses through pointers are not checked against the bounds of objects, and
//! neither is what functions of the library access.
//!
//! ```
//! use gnomon_instrument::{CheckKind, Checks, instrument};
//! use gnomon_ir::program::Program;
//! use gnomon_ir::types::Target;
//!
//! let checks: Checks = "overflow,div".parse().expect("kinds");
//! assert!(checks.contains(CheckKind::Overflow) && !checks.contains(CheckKind::Bounds));
//! let empty = instrument(&Program::new(Target::Lp64), checks);
//! assert!(empty.violations.is_empty());
//! ```
//!
//! Invariants: this crate does no I/O and reads no clock. It depends on `gnomon-ir` only.

pub mod conditions;
pub mod contracts;
pub mod describe;
mod handed;
pub mod located;
pub mod memory;
pub mod objects;
pub mod pointers;
pub mod range;
pub mod rewrite;
pub mod silent;

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::span::Span;

pub use gnomon_ir::property::CheckKind;

use crate::pointers::Pointers;

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks(u16);

/// There is no such kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no check `{0}`: choose from overflow, div, bounds, null, shift, memory, access, free, leak, all"
)]
pub struct NoSuchCheck(String);

impl Checks {
    /// Nothing is checked.
    pub const NONE: Checks = Checks(0);

    /// The set with one kind more.
    pub fn with(self, kind: CheckKind) -> Self {
        Self(self.0 | 1 << kind as u8)
    }

    /// The kinds of both sets.
    pub fn union(self, other: Checks) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the kind is among them.
    pub fn contains(self, kind: CheckKind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<CheckKind> for Checks {
    fn from_iter<I: IntoIterator<Item = CheckKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Checks::NONE, Checks::with)
    }
}

impl FromStr for Checks {
    type Err = NoSuchCheck;

    /// Names with commas between them; `all` is all of them.
    fn from_str(text: &str) -> Result<Self, NoSuchCheck> {
        let mut checks = Checks::NONE;
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let found = match name {
                "all" => CheckKind::ALL
                    .into_iter()
                    .filter(|kind| !matches!(kind, CheckKind::Leak | CheckKind::Cleanup))
                    .collect(),
                "memory" => Checks::from_iter(CheckKind::MEMORY),
                _ => CheckKind::ALL.into_iter().filter(|kind| kind.name() == name).collect(),
            };
            if found.is_empty() {
                return Err(NoSuchCheck(name.to_owned()));
            }
            checks = checks.union(found);
        }
        Ok(checks)
    }
}

/// An edge that is taken when something goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The function.
    pub func: FuncId,
    /// The edge of the instrumented program.
    pub edge: EdgeId,
    /// What goes wrong.
    pub kind: CheckKind,
    /// Where in the user's source.
    pub span: Span,
    /// For people: ``signed overflow in `a + b` ``.
    pub message: String,
    /// Whether an execution shows that something went wrong; else it is only not proved that nothing
    /// does.
    pub certain: bool,
}

/// An access for which no check could be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproved {
    /// Where in the user's source.
    pub span: Span,
    /// What is accessed, and why it is not checked.
    pub why: String,
}

/// A program with checks.
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// The program. Functions and variables keep their numbers, locations and edges do not.
    pub program: Program,
    /// The edges that must not be taken, by function and edge.
    pub violations: Vec<Violation>,
    /// All edges that were inserted, those of violations among them.
    pub inserted: BTreeSet<(FuncId, EdgeId)>,
    /// Accesses that are not checked, though checks of memory are asked for.
    pub unproved: Vec<Unproved>,
    /// Where calls and allocations are now, by function and the edge that they had.
    pub moved: BTreeMap<(FuncId, EdgeId), EdgeId>,
}

/// Inserts the checks into all functions.
pub fn instrument(program: &Program, checks: Checks) -> Instrumented {
    rewrite::instrument(program, checks, None)
}

/// Inserts checks of memory, and others, into all functions of a program that begins in `entry`: an
/// access that is inside of no living object ([`mod@memory`]), `free` of something else, and objects
/// that were not freed at the end.
pub fn instrument_memory(
    program: &Program,
    checks: Checks,
    pointers: &dyn Pointers,
    entry: FuncId,
) -> Instrumented {
    rewrite::instrument(program, checks, Some((pointers, entry)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names() {
        for kind in CheckKind::ALL {
            let checks: Checks = kind.name().parse().expect("a kind");
            assert!(CheckKind::ALL.iter().all(|&k| checks.contains(k) == (k == kind)));
        }
        let memory: Checks = "memory".parse().expect("kinds");
        assert!(CheckKind::MEMORY.iter().all(|&kind| memory.contains(kind)));
        let all: Checks = "all".parse().expect("kinds");
        assert!(
            CheckKind::ALL
                .iter()
                .all(|&k| all.contains(k) != matches!(k, CheckKind::Leak | CheckKind::Cleanup))
        );
        assert_eq!("div, null".parse::<Checks>().map(|c| c.contains(CheckKind::Null)), Ok(true));
        assert!("overflow,frobnicate".parse::<Checks>().is_err());
    }
}
