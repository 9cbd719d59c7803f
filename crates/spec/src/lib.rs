//! Property automata: what a program must not do, said apart from the program.
//!
//! A spec (LA 6.2, SLAM's rules) is an automaton over events of a program: calls and returns of
//! functions, assignments, accesses to memory. [`fn@parse`] reads it; [`fn@weave`] puts it into the
//! program model before anything is checked: its state becomes a variable that the program does
//! not have, every event becomes branches on that variable, and an error transition becomes an
//! edge that no run may take. So engines, interpreter and reports need no notion of a spec; the
//! checks of `gnomon-instrument` are of the same shape.
//!
//! **Per value.** An automaton with `track $f` has one instance for every value of `$f`, and all
//! are checked at once: at an event that may begin an instance the woven program chooses, by
//! chance, whether this is the value to watch. One value is watched in a run; that no choice leads
//! to an error means that no value does.
//!
//! - [`mod@syntax`]: what a spec says.
//! - [`mod@lex`] and [`mod@parser`]: from text to that, with errors at line and column.
//! - [`mod@events`]: where in a program events happen, and what their variables are there.
//! - `ghosts`: the variables of an automaton; [`mod@candidates`]: what can be watched from its
//!   beginning.
//! - [`mod@guard`]: conditions as expressions of the model.
//! - [`mod@weave`](mod@crate::weave): the branches.
//! - [`Automaton`]: what the variables and edges of an automaton are in a woven program.
//! - `order`: calls with events whose order C leaves open.
//! - [`mod@history`]: what happened to the watched value in a run.
//! - [`mod@library`]: the specs that come with gnomon.
//!
//! ```
//! use gnomon_spec::parse;
//!
//! let spec = parse("spec once \"init is called once\" {
//!     states fresh, done;
//!     on init() { fresh -> done; done -> error \"init is called again\"; }
//! }").expect("a spec");
//! assert_eq!(spec.name, "once");
//! let error = parse("spec s \"\" { states a; on f() { b -> a; } }").expect_err("no state b");
//! assert_eq!(error.to_string(), "1:32: there is no state `b`");
//! ```
//!
//! Invariants: this crate does no I/O and reads no clock; it changes nothing of what a program
//! does, only adds variables of its own. It depends on `gnomon-ir` only.

mod automaton;
pub mod candidates;
pub mod events;
mod ghosts;
pub mod guard;
pub mod history;
pub mod lex;
pub mod library;
mod order;
pub mod parser;
pub mod syntax;
pub mod weave;

pub use automaton::Automaton;
pub use history::{HistoryEntry, history};
pub use library::{READY, ReadySpec};
pub use parser::parse;
pub use syntax::{Position, Spec, SpecError};
pub use weave::{IGNORED, Transition, Variables, Violation, WeaveError, Woven, weave};
