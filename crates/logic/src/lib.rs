//! Logic: formulas, the solver, the encoding of programs, and interpolants.
//!
//! # What is here
//! - [`term`]: hash-consed terms. [`Terms`] is the arena, [`Term`] a `Copy` index into it; every
//!   constructor simplifies ([`term::build`]: `terms.and(&[..])`, `terms.le(a, b)`, ..., or
//!   [`Terms::make`] for an [`Op`]). Ask a term with [`Terms::op`], [`Terms::args`],
//!   [`Terms::sort`], [`Terms::value`]; take it apart with [`Terms::conjuncts`],
//!   [`Terms::atoms`], [`Terms::free_symbols`], [`Terms::linear_atom`] (a `<=` or `=` of
//!   integers as a coefficient vector, and back with [`Terms::from_linear_atom`]); change it with
//!   [`Terms::substitute`], [`Terms::instantiate`], [`Terms::without_indices`],
//!   [`Terms::rebuild`]; show it as C with [`Terms::display`].
//! - A [`Variable`] is a program variable with its [`Scope`]; a [`Symbol`] is a variable at an SSA
//!   index ([`Terms::var_at`]) or the variable itself ([`Terms::var`]).
//! - [`Integer`]: exact integers with small values inline; [`number`] has gcd and the divisions.
//! - [`solver`]: the [`Solver`] trait (push, pop, assert, check under assumptions with [`Limits`],
//!   model, core, statistics by [`Purpose`]). [`Z3Solver::integers`] is the in-process solver for
//!   small integer queries; [`solver::for_bits`] and [`solver::worker`] run Z3 in a process that
//!   can be killed ([`solver::worker::Worker`] runs whole scripts, for Spacer);
//!   [`solver::smtlib::SmtLibSolver::external`] talks to any SMT-LIB program.
//! - [`smtlib`]: SMT-LIB text out and in.
//! - [`encode`]: edges, blocks and paths of the program model as formulas, in the theories Int and
//!   Bits. An [`encode::Encoder`] makes [`encode::Block`]s from edges ([`encode::Encoder::sequence`],
//!   [`encode::Encoder::graph`]), from the start of the program ([`encode::Encoder::initial`]) and
//!   from the steps of a path ([`encode::PathEncoder`]); [`encode::execution`] grows them step by
//!   step. What lies behind pointers is an [`encode::MemoryModel`]'s: [`encode::Partitioned`] with
//!   what an alias analysis knows ([`encode::Aliases`]).
//! - [`interpolate`]: interpolants of infeasible paths, by several routes, each one checked.
//!
//! ```
//! use gnomon_logic::{Answer, Limits, Purpose, Scope, Solver, Sort, Terms, Z3Solver};
//!
//! let mut t = Terms::new();
//! let x = t.variable("x", Scope::Global, Sort::Int);
//! let (x0, x1) = (t.var_at(x, 0), t.var_at(x, 1));
//! let next = t.add_constant(x0, 1);
//! let step = t.eq(x1, next); // x@1 == x@0 + 1
//! let smaller = t.le(x1, x0);
//!
//! let mut solver = Z3Solver::integers();
//! solver.assert(&t, step);
//! let answer = solver.check(&t, &[smaller], Purpose::FEASIBILITY, Limits::default());
//! assert_eq!(answer, Answer::Unsat);
//! assert_eq!(solver.core(&t), [smaller]);
//! ```
//!
//! # What it may depend on
//! `gnomon-budget` and `gnomon-ir`; libz3 through its C interface in [`solver::z3`] only, the one
//! place with `unsafe`. Apart from talking to solver processes it does no I/O, and it prints
//! nothing. Everything is deterministic: terms are numbered in the order they are made, all sets
//! are ordered, and limits are counted in solver resources.

pub mod encode;
pub mod interpolate;
pub mod math;
pub mod number;
pub mod smtlib;
pub mod solver;
pub mod term;

pub use number::Integer;
pub use solver::z3::Z3Solver;
pub use solver::{Answer, Limits, Model, Purpose, Solver, Statistics, UnknownReason};
pub use term::*;
