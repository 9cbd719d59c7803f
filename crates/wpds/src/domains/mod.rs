//! Weight domains.

mod bdd_relation;
mod boolean;
mod min_path;

pub use bdd_relation::{BddRelations, LocalsMerge};
pub use boolean::Boolean;
pub use min_path::MinPath;
