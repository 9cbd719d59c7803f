//! Remopla, the input language of Moped 2: tree, parser, printer, and the lowering of its numbers,
//! enumerations, structures and arrays to the bits of the [model](crate::model).

mod assign;
pub mod ast;
mod bits;
mod evaluate;
mod lower;
pub mod parse;
pub mod print;
mod raw;
mod storage;

pub use lower::lower;
