//! What can go wrong when a diagram is built.

use gnomon_budget::Exhausted;

use crate::Var;

/// Why an operation gave no diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BddError {
    /// The node table is full, even after collecting garbage.
    #[error("the diagram needs more than the {capacity} nodes that were allowed")]
    OutOfNodes {
        /// The size of the table.
        capacity: usize,
    },
    /// The table itself could not be made that large.
    #[error("a table of {capacity} nodes is too large (at most {max})")]
    CapacityTooLarge {
        /// The size that was asked for.
        capacity: usize,
        /// The largest possible size.
        max: usize,
    },
    /// A variable that the space does not have.
    #[error("variable {} does not exist: the space has {variables}", var.0)]
    UnknownVariable {
        /// The variable.
        var: Var,
        /// How many there are.
        variables: u32,
    },
    /// Two diagrams of different spaces were used together.
    #[error("the diagrams belong to different spaces")]
    DifferentSpaces,
    /// A renaming maps two variables to one, or one variable twice.
    #[error("the renaming is not injective at variable {}", var.0)]
    NotInjective {
        /// The variable that occurs twice.
        var: Var,
    },
    /// The budget ran out.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}
