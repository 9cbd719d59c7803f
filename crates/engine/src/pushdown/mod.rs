//! The pushdown engine: the predicate abstraction of the whole program as an extended weighted
//! pushdown system (LAL 3.5.1, 5; AEP 7.1; AFP 5.2).
//!
//! The lazy engine explores paths with their open calls; this one computes, for all paths at once, the
//! relation between the valuation of predicates at the entry of a function and the one at each of its
//! nodes. So recursion is no limit, and all error paths are known together.
//!
//! - [`graph`]: the program as nodes and steps without stacks;
//! - [`transfer`]: the formula of each step; [`ghosts`]: values at entries of functions;
//! - [`relation`]: from a formula to a relation over predicates; [`abstraction`]: all of them;
//! - [`merge`]: what a finished call does; [`system`]: the pushdown system;
//! - [`trail`]: paths as formulas; [`summaries`]: the clauses of the whole program; [`engine`]: the
//!   refinement loop;
//! - [`contracts`]: what a proof leaves behind;
//! - [`projection`]: which lines lie on a path to an error, and when.
//!
//! Departures from LAL 3.5.1: predicates are tracked where they were needed and open elsewhere, so
//! there is one state variable for each predicate and no slots for locals; a finished call has a
//! relation between three valuations instead of a projection.

pub mod abstraction;
pub mod contracts;
pub mod engine;
pub mod ghosts;
pub mod graph;
pub mod merge;
mod path;
pub mod projection;
pub mod relation;
pub mod summaries;
pub mod system;
pub mod trail;
pub mod transfer;
mod whole;

pub use engine::{Pushdown, PushdownError, PushdownOptions, PushdownStatistics};
pub use graph::GraphSource;
pub use relation::RelationOptions;
