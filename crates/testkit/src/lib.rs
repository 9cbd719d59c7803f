//! What the tests of all crates share.
//!
//! - [`reader`]: C text or a file as a program, in one line;
//! - [`header`]: what the first lines of a test program say of it;
//! - [`corpus`]: the programs of `tests/programs`, `tests/specs` and `tests/threads`;
//! - [`table`]: programs against their headers, with everything that is not as told in one table;
//! - [`limits`]: what a test may use: in the daily run, and in a campaign;
//! - [`random`]: numbers from a seed.
//!
//! Who decides programs is a closure, so this crate knows no engine and every crate can use it for its
//! tests. May depend on `ir`, `cfront` and `budget`; only tests may depend on it.
//!
//! ```
//! use gnomon_testkit::header::Header;
//! use gnomon_testkit::reader::verifier_program;
//! use gnomon_testkit::table::{Judgement, Outcome, judge};
//!
//! let program = verifier_program("int main(void) { if (__VERIFIER_nondet_int()) reach_error(); }");
//! assert!(program.find_function("main").is_some());
//! let header = Header::parse("// gnomon: false\n").unwrap();
//! assert_eq!(judge(&header, &Outcome::False), Judgement::AsTold);
//! assert_eq!(judge(&header, &Outcome::True), Judgement::Wrong);
//! ```

pub mod corpus;
pub mod header;
pub mod limits;
pub mod random;
pub mod reader;
pub mod table;

pub use reader::{Reader, program, verifier_program};
