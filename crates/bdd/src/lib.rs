//! Binary decision diagrams behind one small type.
//!
//! A [`BddSpace`] owns the variables and the shared node table; a [`Bdd`] is a handle on a Boolean
//! function in it. Handles are cheap to clone, equal exactly when the functions are equal (compared
//! in constant time), and may be sent between threads. [`Vocabulary`] adds what transition relations
//! need: copies of variables before and after a step, interleaved, and the relational product.
//!
//! The table has a fixed number of nodes. Running out is [`BddError::OutOfNodes`], never a crash:
//! garbage is collected and the operation is tried once more before the error is given. Every
//! operation counts one step of the [`Budget`] that the space was given.
//!
//! ```
//! use gnomon_bdd::BddSpace;
//!
//! # fn main() -> Result<(), gnomon_bdd::BddError> {
//! let space = BddSpace::new(10_000)?;
//! let vars = space.add_variables(2)?;
//! let (x, y) = (space.variable(vars[0])?, space.variable(vars[1])?);
//! let both = x.and(&y)?;
//! assert_eq!(both.exists(&space.variable_set(&[vars[1]])?)?, x);
//! assert_eq!(x.or(&x.not()?)?, space.top());
//! # Ok(())
//! # }
//! ```
//!
//! The library underneath is OxiDD; `examples/compare.rs` is the benchmark by which it was chosen
//! over biodivine-lib-bdd, and BENCH.md has the figures. May depend on `gnomon-budget` only.

mod error;
mod function;
mod relation;
mod space;

pub use error::BddError;
pub use function::{Bdd, Cube};
pub use relation::Vocabulary;
pub use space::{BddSpace, Renaming, Var, VarSet};

pub use gnomon_budget::Budget;
