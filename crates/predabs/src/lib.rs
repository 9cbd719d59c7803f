//! Predicate abstraction: predicates, the regions over them, and abstract successors (LA 2 and 5).
//!
//! - [`predicates`]: each atom once, as a variable of one shared space of regions (BDDs);
//! - [`precision`]: which predicates are tracked at which location;
//! - [`post`]: the region behind a block;
//! - [`implicant`]: one of the paths that a formula stands for.
//!
//! A region says nothing about predicates that its location does not track: it leaves them open.

mod components;
pub mod implicant;
mod path;
pub mod post;
pub mod precision;
pub mod predicates;
mod solved;
mod valuations;

pub use post::{AbstractPost, BlockFormula, PostOptions, PostStatistics};
pub use precision::Precision;
pub use predicates::{Predicate, PredicateId, Predicates};
