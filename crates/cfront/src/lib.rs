//! The C front end: preprocessed text to syntax tree to program model.

pub mod ast;
pub mod span;
pub mod symbol;
