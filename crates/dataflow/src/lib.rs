//! Data-flow analyses of C programs on weighted pushdown systems (LAL 3.5, 4.3, 1.3.1).
//!
//! A program becomes a pushdown system once ([`Supergraph`]): stack symbols are locations, calls push.
//! An analysis says what the edges mean ([`Meaning`]): which weight a step has, how parameters are
//! bound, what remains of a callee when it returns.
//!
//! * [`affine`]: affine relations between integer variables, exact in machine arithmetic.
//! * [`alias`]: alias pairs with single-level pointers.
//! * [`btrace`]: the best path that explains a crash.
//! * [`typestate`]: which errors of a property automaton no run reaches; by tabulation, without weights.
//!
//! Every analysis can be asked about a point in any calling context, or in given ones
//! ([`contexts`], LAL 2.4: stack-qualified queries).
//!
//! Solutions can be kept between runs ([`kept`]): after an edit, only procedures that changed, and
//! callers for which that makes a difference, are solved again.
//!
//! The crate prints nothing, does no I/O and reads no clock. It depends on the program model
//! (`gnomon-ir`), on `gnomon-wpds`, and on `gnomon-flow` for who is called through pointers; it knows
//! nothing of the checker, which uses [`typestate`] alone.

pub mod affine;
pub mod alias;
pub mod btrace;
pub mod contexts;
pub mod kept;
pub mod points;
pub mod supergraph;
pub mod typestate;

pub use supergraph::{Meaning, Origin, Supergraph};
