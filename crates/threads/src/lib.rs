//! Programs with threads as programs without.
//!
//! [`sequential`] makes one sequential program of a program with threads and a number of rounds in
//! which threads take turns (LAL 7.1): it has an error if and only if the threads have one within
//! that many contexts each. What the functions of thread libraries do is written in C over a few
//! [`intrinsics`]; [`sharing`] finds out which accesses other threads can notice.
//!
//! [`mod@two_switches`] makes a sequential program of two functions that run as threads, with one
//! switch from the first to the second and one back (LAL 5.5): where in the first thread can a
//! switch lead to an error?
//!
//! Invariants: this crate does no I/O and reads no clock. It depends on `gnomon-ir` and
//! `gnomon-flow`.

mod calls;
mod chance;
mod counters;
mod driver;
pub mod enforced;
mod finish;
mod frames;
mod frozen;
mod graph;
mod inputs;
mod instance;
pub mod intrinsics;
mod live;
mod local;
mod loops;
mod operands;
mod orders;
mod owing;
pub mod primitives;
mod promises;
mod races;
mod reachable;
mod refused;
pub mod schedules;
pub mod sequential;
pub mod sharing;
mod sites;
mod stand_ins;
mod steps;
mod symmetric;
mod symmetry;
mod torn;
mod translate;
pub mod two_switches;
mod updates;
pub mod views;
pub mod waits;

pub use refused::Refused;
pub use sequential::{Options, Reported, Rounds, Sequential, ThreadInfo, sequentialize};
pub use two_switches::{NoThread, Switched, two_switches};

#[cfg(test)]
mod tests;
