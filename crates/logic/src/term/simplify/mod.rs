//! The rewrite rules, by theory. See [`super::rewrite`] for how they are applied and proved.

mod array;
mod bitvec;
mod core;
mod float;
mod fold;
mod int;

pub(crate) use fold::{Folded, fold_bitvec};
