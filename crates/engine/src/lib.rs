//! The engines: they decide whether a program can reach an error.

pub mod blocks;
pub mod bounded;
pub mod candidates;
pub mod check;
pub mod control;
pub mod divergence;
pub mod explore;
pub mod facts;
pub mod invariants;
pub mod lazy;
pub mod limited;
pub mod outline;
pub mod outside;
pub mod proof;
pub mod property;
pub mod pushdown;
pub mod refine;
pub mod replay;
pub mod runs;
mod scanned;
pub mod sliced;
pub mod steps;
pub mod supposed;
pub mod tracked;
pub mod tree;
pub mod verdict;
pub mod walk;
