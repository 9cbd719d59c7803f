//! Terms: hash-consed formulas and expressions, their simplifier and what is asked of them.
//!
//! - [`arena`]: [`Terms`], the arena, and [`Term`], an index into it;
//! - [`op`], [`sort`], [`symbol`]: what terms are made of;
//! - [`build`]: the constructors; [`rewrite`] and `simplify`: the rules they apply;
//! - [`linear`]: integer terms as coefficient vectors; `polynomial`: bit-vector terms as polynomials;
//! - [`walk`]: substitution, free symbols, atoms;
//! - [`value`], [`eval`]: values and the evaluation of terms under an assignment;
//! - [`print_c`]: terms as C for people.

pub mod arena;
pub mod build;
pub mod eval;
mod import;
pub mod linear;
pub mod op;
mod polynomial;
pub mod print_c;
pub mod rewrite;
mod simplify;
pub mod sort;
pub mod sorting;
pub mod symbol;
mod unused;
pub mod value;
pub mod walk;

pub use arena::{Term, Terms};
pub use linear::{Linear, Relation};
pub use op::{ConstantId, Op, Rounding};
pub use rewrite::{Rewrite, Rule};
pub use sort::{ArraySort, FloatSort, Sort};
pub use sorting::IllSorted;
pub use symbol::{Function, FunctionInfo, Scope, Symbol, Variable, VariableInfo};
pub use value::Value;

#[cfg(test)]
mod tests;
