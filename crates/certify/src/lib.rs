//! A small checker of proofs, written apart from the engines.
//!
//! A [`Certificate`] says why no run of a program reaches an error: inductive invariants at cut
//! points or summaries of functions, or that all executions end soon, or that there is only one. [`check()`] believes nothing
//! of it: it makes its own verification conditions from the program model, bit by bit, with a
//! memory of bytes and its own reading of every operation ([`machine`], [`operation`]), and asks a
//! solver of its own. It shares with the engines the program model, the terms and the solver
//! binding of `gnomon-logic`, and nothing else: not the encodings, not the alias analysis.
//!
//! # What is proved
//! - **Initiation**: from the start of the program, every cut point is reached with its invariant.
//! - **Consecution**: from every cut point that is reached, with nothing known but its invariant,
//!   every next cut point is reached with its invariant.
//! - **Safety**: between cut points, no forbidden edge is taken.
//!
//! # What is trusted
//! That the model is the program; that accesses to memory are inside of some object, or the run
//! ends there; that allocations succeed and fit into the address space; that objects lie where
//! [`layout`] says; what [`gnomon_ir::library`] says of functions without a body. No alias fact is
//! trusted at first: memory behind pointers is one array of bytes, and every pointer may point to any
//! object. A proof that needs to know more is looked at once more with the alias facts of its
//! certificate, which are trusted then ([`Outcome::AcceptedTrusting`]) and keep [`parts`] of memory
//! apart; what is not proved even so is [`Outcome::NotDecided`], and so is what relies on a function
//! of the library, which is taken to do more here.
//!
//! Formulas may speak of *positions* that can be any and stay the same ([`Node::Position`]): they are
//! invariants for all elements of an array. They are assumed for a position that nobody knows and
//! for those at which the block reads.
//!
//! What the checker cannot follow (`long double`, large objects) is no refusal: its
//! answer then is [`Outcome::NotDecided`].
//!
//! Invariants: no I/O but that of the solver, nothing printed, no clock but the budget's.

mod atomics;
pub mod blocks;
pub mod certificate;
pub mod check;
pub mod effects;
mod elements;
pub mod fixed;
mod float;
pub mod formula;
pub mod layout;
pub mod machine;
pub mod operation;
pub mod parts;
mod paths;
pub mod place;
pub mod rest;
pub mod start;
pub mod state;
pub mod summaries;
pub mod write;

pub use certificate::{
    Alias, AliasObject, AliasTarget, CallTargets, Certificate, Claim, CutPoint, Formulas, Held,
    LeftOut, Mismatch, Node, Offset, Omission, Theory, Unreadable,
};
pub use check::{Forbidden, Outcome, check};
