//! The C front end: preprocessed text to syntax tree to program model.

pub mod ast;
pub mod diag;
pub mod dump;
mod lexer;
pub mod lower;
mod numeral;
pub mod parser;
mod pragma;
pub mod preprocess;
pub mod source;
pub mod span;
mod string_literal;
pub mod symbol;
pub mod token;
pub mod translate;
