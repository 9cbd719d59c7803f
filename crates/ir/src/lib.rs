//! The program model of Gnomon: a set of control flow automata over a memory of objects.
//!
//! Memory consists of objects of bytes: one for each static variable, for each local variable of
//! each call, for each allocation. A pointer is an object and an offset into it. What is computed
//! is typed bit-precisely ([`types`]), expressions have no side effects ([`expr`]) and one meaning
//! each ([`ops`]), and everything that happens does so on the edges of the automata ([`cfa`]).
//! Every edge knows where in the user's source it comes from ([`span`]).
//!
//! ```
//! use gnomon_ir::expr::BinaryOp;
//! use gnomon_ir::program::Program;
//! use gnomon_ir::types::{Target, Types};
//!
//! let mut program = Program::new(Target::Lp64);
//! let (two, three) = (program.int(Types::I32, 2), program.int(Types::I32, 3));
//! let six = program.binary(BinaryOp::Mul, two, three);
//! assert_eq!(program.as_int(six), Some(6));
//! ```
//!
//! Invariants: this crate does no I/O, prints nothing, and reads no clock but through a budget; it
//! knows nothing of C's syntax. It depends on `gnomon-budget` only.

pub mod arena;
pub mod build;
pub mod c_text;
pub mod cfa;
pub mod dot;
pub mod emit_c;
pub mod expr;
pub mod interp;
pub mod library;
pub mod ops;
pub mod part;
mod precedence;
pub mod program;
pub mod property;
pub mod span;
pub mod text;
pub mod trace;
pub mod types;
pub mod validate;
