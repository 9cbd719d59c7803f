//! Error projections: all nodes on some path from a source to a target, and what holds there (AEP;
//! LAL chapter 5).
//!
//! A forward result and a backward one are intersected into a *functional automaton*
//! ([`FunctionalAutomaton`]), from which the weight of all paths through any set of configurations is
//! read. [`projection`](FunctionalAutomaton::projection) gives the nodes,
//! [`stores_at`](FunctionalAutomaton::stores_at) the stores with which a node is on such a path,
//! [`witness_through`](FunctionalAutomaton::witness_through) a path, and
//! [`two_context_switches`] the places where a thread can be interrupted by another one.

mod adjoint;
mod context_switch;
mod double;
mod functional;
mod stores;

pub use adjoint::Goals;
pub use context_switch::two_context_switches;
pub use double::{chop_by_double_poststar, chop_by_double_prestar};
pub use functional::FunctionalAutomaton;
pub use stores::stores_on_path;
