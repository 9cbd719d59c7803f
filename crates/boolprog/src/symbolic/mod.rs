//! Symbolic analysis of a [model](crate::model) with BDDs.

pub mod encoding;
pub mod explore;
pub mod layers;
pub mod order;
pub mod pushdown;
pub mod shortest;
