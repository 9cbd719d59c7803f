//! SMT-LIB: the text solvers exchange.
//!
//! [`write`] makes text of terms, [`parse`] terms of text, [`value`] reads the values of models and
//! [`definitions`] the relations Spacer finds; all on the S-expressions of [`sexpr`].

pub mod definitions;
pub mod parse;
pub mod sexpr;
pub mod value;
pub mod write;

pub use definitions::Definitions;
pub use parse::{ParseError, parse_term, read_term};
pub use value::parse_value;
pub use write::{declarations, function_name, symbol_name, write_sort, write_term, write_term_to};

#[cfg(test)]
mod tests;
