//! Boolean programs: reading, running, and model checking them, in the place of Bebop and Moped
//! (LAL 2.2, 3.5.1, 4, 5).
//!
//! * [`read`]: Boolean programs of the SLAM family ([`bp`]), remopla ([`remopla`]) and plain
//!   pushdown systems ([`pds`]), each with a printer whose text reads back as the same program;
//!   messages with place, caret and advice ([`diagnostic`]).
//! * [`model`]: what all of them are lowered to, procedures over Boolean variables.
//! * [`check`]: is an assertion violated or a label reachable? Slices ([`mod@slice`]), encodes
//!   ([`symbolic::encoding`]), searches ([`symbolic::explore`], or saturation and FWPDS through
//!   [`symbolic::pushdown`]), finds a shortest counterexample ([`symbolic::shortest`]) and replays it
//!   in the concrete interpreter ([`interpret`]) before it is shown.
//! * [`project`]: error projection and annotated error projection.
//! * [`explicit`] and [`generate`]: the oracle and the random programs of the tests.
//!
//! ```
//! use gnomon_boolprog::check::{CheckOptions, DEFAULT_LABELS, Verdict, check, targets};
//! use gnomon_boolprog::read::{Dialect, ReadOptions, read};
//! use gnomon_boolprog::source::Source;
//! use gnomon_budget::Budget;
//!
//! let source = Source::new("flip.bp", "decl x; void main() begin x := !x; assert(x); end");
//! let model = read(&source, Dialect::BooleanProgram, &ReadOptions::default()).model.unwrap();
//! let targets = targets(&model, true, &DEFAULT_LABELS);
//! let options = CheckOptions { nodes: 1 << 16, ..CheckOptions::default() };
//! let outcome = check(&model, &targets, &options, &Budget::unlimited()).unwrap();
//! assert!(matches!(outcome.verdict, Verdict::False(_)));
//! ```
//!
//! Programs with threads have analyses of their own ([`concurrent`]); [`check::refuses`] says that the
//! sequential ones do not apply. No I/O, no output, no clock. May depend on `gnomon-budget`, `gnomon-bdd`
//! and `gnomon-wpds`; knows nothing of C or SMT.

pub mod bp;
pub mod check;
pub mod concurrent;
pub mod diagnostic;
pub mod explicit;
pub mod generate;
pub mod interpret;
pub mod lex;
pub mod model;
mod names;
pub mod pds;
pub mod project;
pub mod random;
pub mod read;
pub mod remopla;
pub mod report;
pub mod slice;
pub mod source;
pub mod symbolic;
pub mod validate;

pub use gnomon_bdd::BddError;
