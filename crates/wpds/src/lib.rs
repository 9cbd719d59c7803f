//! Weighted pushdown systems: the algorithms of Lal's dissertation (LAL) and of *Abstract Error
//! Projection* (AEP), for any program analysis that can be put into weights.
//!
//! A *pushdown system* is a program with procedures: a control location, a stack of program points,
//! and rules that replace the top of the stack by nothing (a return), one symbol (a step) or two (a
//! call and its return site). A *weight* says what a rule does to the data: a relation between stores,
//! a length, a set of facts. Weights come from a [`Semiring`]: [`extend`](Semiring::extend) is one
//! after the other, [`combine`](Semiring::combine) is either of two. The library answers: what is the
//! combined weight of all paths between two sets of configurations, on which paths, and through which
//! nodes?
//!
//! | question | answer |
//! |---|---|
//! | what is reached, with which weight | [`poststar`], [`prestar`], [`Fwpds`], then [`weight_of`], [`weight_of_set`], [`TopWeights`] |
//! | whether one set reaches another, searched from both ends | [`reaches`] |
//! | by which rules | [`Witness`] |
//! | which nodes lie on a path to an error, with which stores | [`FunctionalAutomaton`] |
//! | the same again after a change | [`Fwpds::update`] |
//! | what several threads do together in a bounded number of contexts | [`transducer::ConcurrentSystem`] |
//!
//! Procedures with local variables need [`Kind::Extended`] systems, whose calls have a
//! [merge function](MergeFunction) that restores the caller's locals. Ready-made domains are in
//! [`domains`], a text form in [`text`], instances as JSON in [`json`].
//!
//! # An example
//!
//! A procedure that may call itself; how long is the shortest way back to its caller, and which way?
//!
//! ```
//! use gnomon_budget::Budget;
//! use gnomon_wpds::domains::MinPath;
//! use gnomon_wpds::{
//!     ConfigSet, Configuration, Fwpds, FwpdsOptions, Kind, Semiring, Witness, Wpds, weight_of,
//! };
//!
//! # fn main() -> Result<(), gnomon_wpds::WpdsError> {
//! let mut program = Wpds::new(MinPath, Kind::Weighted);
//! let p = program.add_control("p");
//! let [main, back, f, test, exit] =
//!     ["main", "back", "f", "test", "exit"].map(|name| program.add_symbol(name));
//! program.add_push((p, main), (p, f, back), Some(1), None)?; // main: call f
//! program.add_step((p, f), (p, test), Some(1))?;
//! program.add_push((p, test), (p, f, exit), Some(1), None)?; // f: call f again
//! program.add_step((p, test), (p, exit), Some(5))?; //          or not
//! program.add_pop((p, exit), p, Some(1))?; //                   f: return
//!
//! let start = Configuration { control: p, stack: vec![main] };
//! let from = ConfigSet::single(program.control_count(), &start)?;
//! let options = FwpdsOptions { trace: true, ..FwpdsOptions::default() };
//! let reached = Fwpds::poststar(&program, &from.weighted(&MinPath.one()), options)?;
//!
//! let returned = Configuration { control: p, stack: vec![back] };
//! assert_eq!(weight_of(&reached, &returned)?, Some(1 + 1 + 5 + 1));
//!
//! let goal = ConfigSet::single(program.control_count(), &returned)?;
//! let witness = Witness::of_set(&reached, &goal)?;
//! let path = witness.shortest_path(&Budget::unlimited())?.expect("it is reached");
//! let (end, length) = program.run(&start, &path.rules)?;
//! assert_eq!((end, length), (returned, Some(8)));
//! # Ok(())
//! # }
//! ```
//!
//! # Two solvers
//!
//! [`poststar`] and [`prestar`] saturate: they compute every weight, can stop at the first sign of a
//! target, and work with every merge function. [`Fwpds`] (LAL 4) finds path expressions first, solves
//! only the procedures that a question needs, and is faster when loops matter. Both give a
//! [`Solution`], from which everything else is read.
//!
//! # What it does not do
//!
//! The library knows nothing of C, of solvers or of files; it prints nothing and reads no clock. Long
//! loops count steps of a budget. It depends on `gnomon-bdd` and `gnomon-budget` only. Errors are
//! values ([`WpdsError`]) that name the rule they are about.

pub mod automaton;
mod bidirectional;
pub mod domains;
mod error;
pub mod fwpds;
mod ids;
pub mod json;
pub mod order;
mod poststar;
mod prestar;
pub mod projection;
mod rule_index;
pub mod saturation;
pub mod semiring;
pub mod shape;
pub mod summary;
mod system;
mod target;
pub mod text;
pub mod transducer;
pub mod witness;
mod witness_path;

pub use automaton::{Automaton, ConfigSet, Label};
pub use bidirectional::{BidirectionalSearch, reaches};
pub use error::WpdsError;
pub use fwpds::{Change, Fwpds, FwpdsOptions, FwpdsStatistics, UpdateReport, WeightStore};
pub use ids::{Control, Names, RuleId, State, Symbol, TransitionId};
pub use order::Order;
pub use poststar::poststar;
pub use prestar::prestar;
pub use projection::FunctionalAutomaton;
pub use saturation::{Saturated, SaturationOptions};
pub use semiring::{MergeFunction, RelationalSemiring, Semiring, WeightError};
pub use shape::{Direction, Link, Shape, Solution, StateKind};
pub use summary::{TopWeights, weight_of, weight_of_set};
pub use system::{Configuration, Kind, Merge, Rhs, Rule, Wpds};
pub use witness::{Traced, Witness};
pub use witness_path::{WitnessPath, WitnessPaths};
