//! Gnomon as a library: C files or text in, a verdict with everything that stands behind it out.
//!
//! A [`Request`] says what is asked, [`verify()`] passes it through one pipeline, and an [`Outcome`]
//! has the verdict, the counterexample or the proof with its certificate, what the verdict relies on,
//! what was done, and on request the error projection; its [`report`](Outcome::report) is what JSON,
//! SARIF, witnesses and pages are made of. A [`Listener`] is told what happens meanwhile.
//!
//! ```text
//! read -> instrument, weave -> take threads apart -> facts -> decide -> minimise -> certify -> report -> confirm
//!  task    task     specs       threads             engine    decide    minimise  certification subject  confirm
//! ```
//!
//! [`decide`] asks the engines: [`engine`] is what an engine is, [`engines`] are all of them, one in each
//! file; the [`table`] says which of them there are for which program, the [`scheduler`] who works when;
//! [`exchange`] is what they tell each other.
//!
//! Checks of the whole program, of each site, of property automata and of threads are configurations
//! of it ([`mod@pipeline`]). Facts about the program are found once and handed on; how often something
//! was read or analysed is counted ([`Outcome::work`]).
//!
//! ```
//! use gnomon_verify::{Request, Silent, VerdictName, verify};
//!
//! let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
//!     int main(void) {
//!         int n = __VERIFIER_nondet_int(), i = 0;
//!         while (i < n) i++;
//!         if (n > 0 && i != n) reach_error();
//!         return 0;
//!     }";
//! let outcome = verify(&Request::of_text(text), &Silent)?;
//! assert_eq!(outcome.verdict(), VerdictName::True);
//! # Ok::<(), gnomon_verify::VerifyError>(())
//! ```
//!
//! Invariants: nothing is printed, the process is never ended, and errors are values
//! ([`VerifyError`]). Engines are called in [`decide`] only. Files are read that a request names, and
//! programs are executed only if it asks for that.

mod bounds;
mod certificate;
pub mod certification;
mod clock;
pub mod confirm;
pub mod decide;
pub mod earlier;
pub mod engine;
pub mod engines;
pub mod error;
pub mod exchange;
mod execution;
pub mod groups;
pub mod listen;
mod memory;
mod minimise;
pub mod outcome;
mod outside;
pub mod pipeline;
pub mod projection;
pub mod request;
pub mod scheduler;
pub mod sequential;
pub mod specs;
mod subject;
pub mod table;
pub mod task;
pub mod threads;
pub mod witness;

pub use error::VerifyError;
pub use gnomon_cfront::load::Input;
pub use gnomon_ir::property::{CheckKind, Property, Specification};
pub use gnomon_report::model::VerdictName;
pub use listen::{Listener, Note, Silent};
pub use outcome::{Answers, Outcome};
pub use pipeline::verify;
pub use request::Request;
