//! Programs with threads as programs without.
//!
//! [`mod@two_switches`] makes a sequential program of two functions that run as threads, with one
//! switch from the first to the second and one back (LAL 5.5): where in the first thread can a
//! switch lead to an error?
//!
//! Invariants: this crate does no I/O and reads no clock. It depends on `gnomon-ir` only.

pub mod two_switches;

pub use two_switches::{NoThread, Switched, two_switches};
