//! Gnomon as a library: one trait for engines, one scheduler, one way from a program to an answer.
//!
//! - [`engine`]: what an engine is;
//! - [`engines`]: all of them, one in each file;
//! - [`scheduler`]: the table of engines, and who works when;
//! - [`exchange`]: what engines tell each other;
//! - [`decide`]: the answer for a program, or for each of its error sites.

pub mod decide;
pub mod engine;
pub mod engines;
pub mod exchange;
mod excluded;
pub mod groups;
pub mod scheduler;
