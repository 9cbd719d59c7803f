//! Boolean programs of the SLAM family: tree, parser, printer, and the lowering to the
//! [model](crate::model).

pub mod ast;
mod expression;
mod lower;
pub mod parse;
pub mod print;

pub use lower::lower;
