//! SMT-LIB: the text solvers exchange.

pub mod sexpr;
pub mod value;

pub use value::parse_value;
