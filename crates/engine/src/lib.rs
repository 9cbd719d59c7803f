//! The engines: they decide whether a program can reach an error.

pub mod bounded;
pub mod check;
pub mod control;
pub mod explore;
pub mod property;
pub mod replay;
pub mod runs;
pub mod verdict;
