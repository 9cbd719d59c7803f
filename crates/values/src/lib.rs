//! Explicit values with refinement: state machines, event systems and schedulers without a solver.
//!
//! An abstract state gives concrete values to some scalars of the program and knows nothing of the
//! others ([`state`]). Where a value is not known, it may still be known that two scalars differ by
//! a constant, which values are possible, and which of two is smaller: a *symbol* stands for it. All executions are explored
//! from the start ([`explore`]), with calls followed by their call tree; states that were met before
//! are not explored again. Operators mean what [`gnomon_ir::ops`] says ([`eval`]); stores through
//! pointers that are not known forget all that they may write ([`effects`]). Of the objects that a
//! place allocates the youngest is tracked like a variable ([`allocated`]).
//!
//! Which scalars are tracked (the *precision*) is found by refinement ([`refine`]), after Beyer and
//! Löwe, *Explicit-State Software Model Checking Based on CEGAR and Interpolation* (FASE 2013):
//! nothing at first; an error path that all values together refute says what must be tracked. Of
//! several conditions that fail on a path, the one is taken that needs least (their *Sliced Path
//! Prefixes*, FORTE 2015). Other than there, what a failing condition needs is found by a backward slice
//! over the values of the path and not by trying which assignments can be left out, and the
//! precision is one for all locations; what is dead at a location is dropped there ([`live`]).
//!
//! When nothing is left to explore, the states at the loop heads are invariants ([`invariants`]).
//!
//! No solver is asked here, nothing is printed and no clock is read.

mod addresses;
pub mod allocated;
pub mod effects;
pub mod eval;
pub mod explore;
pub mod invariants;
pub mod live;
pub mod orders;
pub mod ranges;
pub mod refine;
pub mod slots;
pub mod state;
mod transfer;

pub use explore::{Step, Values};
