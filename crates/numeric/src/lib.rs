//! An abstract interpreter of the program model, without a solver.
//!
//! For every scalar of a variable it finds a range, a congruence and known bits (or a range of
//! floating-point numbers, or whether a pointer is null), and for pairs that the program relates a
//! bound of their difference ([`state`]). Functions are followed from their calls, loops until nothing
//! changes any more, with widening and narrowing ([`analysis`]). If no error is reached, what holds at
//! the loops is a proof ([`facts`]); if one is, it still is a source of invariants.
//!
//! It is sound for what `ir` says a program means; functions that call themselves and calls into
//! the unknown are not followed, and then nothing is proved. It depends on `gnomon-ir`, `gnomon-flow` and
//! `gnomon-budget`, prints nothing and reads no clock.

pub mod analysis;
mod counters;
pub mod eval;
pub mod facts;
pub mod float;
pub mod int;
pub mod map;
pub mod model;
pub mod order;
pub mod refine;
pub mod state;
pub mod transfer;
pub mod value;
