//! Programs with threads that share globals: context-bounded analysis (LAL 6 and 7).
//!
//! An *execution context* is what one thread does between two switches. All analyses here answer
//! the same question: can a target be reached if the threads run round-robin and each has at most
//! `K` contexts (LAL 7.1.2)? A thread may do nothing in a context, so this covers every schedule
//! with at most `K - 1` switches, and many with more.
//!
//! * [`system`]: any program with threads as a fixed list of threads, with a prologue for those that
//!   initialise first; what `start_thread` means here.
//! * [`lazy`] and [`eager`]: the rules of LAL Figures 7.5 to 7.7 on BDDs. [`contexts`] saturates one
//!   thread, [`effects`] passes the globals from thread to thread, [`checker`] says whether they fit together,
//!   [`vocabulary`] has the edges of the program over the [`copies`] of the state.
//! * [`reduce`]: the reduction to a sequential program that can be printed (LAL 7.1, 7.2).
//! * [`transducer`]: composition of weighted transducers (LAL 6.3 to 6.5).
//! * [`closure`]: when a result holds for every number of contexts.
//! * [`schedule`]: counterexamples, executed step by step before they are shown.
//! * [`report`]: schedules for people and tools.
//! * [`switches`]: where a switch leads to an error (LAL 5.5).
//! * [`explicit`]: enumeration of single states, the oracle of the tests.
//! * [`generate`]: random programs with threads.
//! * [`check`]: the question from model to verdict.
//!
//! **Where threads are switched.** In front of a statement, at the end of a thread, and before its
//! first step, unless the thread is inside an atomic section. Points that only the lowering made
//! ([`PointKind::Internal`](crate::model::PointKind)) belong to the statement before them.

pub mod check;
pub mod checker;
pub mod closure;
pub mod contexts;
pub mod copies;
mod copy;
pub mod eager;
pub mod effects;
pub mod explicit;
pub mod generate;
pub mod lazy;
pub mod reduce;
pub mod report;
pub mod schedule;
pub mod switches;
pub mod system;
pub mod transducer;
pub mod vocabulary;
