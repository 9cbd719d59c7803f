//! FWPDS: reachability by path expressions instead of a worklist (LAL chapter 4).
//!
//! The dependences between the transitions of the result fall into *intragraphs*, roughly one for
//! each procedure, that use each other's *out-nodes* (the callees' summaries). For each intragraph
//! the path expressions to all transitions are found once; the equations of the out-nodes are solved
//! by strongly connected components in topological order, re-evaluating only what changed; all other
//! weights are computed when somebody asks. Only procedures that a question needs are ever looked at.
//!
//! Departures from the paper: forward analysis summarises a call by the callee's returned weight
//! (`SameLevelSeq`), which needs merge functions with the path-extension property; an intragraph is
//! never glued to another one by a transition of the input.

mod components;
mod expression;
mod incremental;

mod intragraph;
mod path_expression;
mod recall;
mod schedule;
mod solver;
mod tdg;
mod trace;

pub use incremental::{Change, UpdateReport};
pub use recall::WeightStore;
pub use solver::{Fwpds, FwpdsOptions, FwpdsStatistics};
pub use trace::FwpdsTracer;
