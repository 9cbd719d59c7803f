//! Weighted pushdown systems.

pub mod automaton;
pub mod domains;
mod error;
pub mod fwpds;
mod ids;
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
pub mod witness;
mod witness_path;

pub use automaton::{Automaton, ConfigSet, Label};
pub use error::WpdsError;
pub use fwpds::{Change, Fwpds, FwpdsOptions, FwpdsStatistics, UpdateReport};
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
