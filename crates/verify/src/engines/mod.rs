//! The engines, one in each file. A new one is a file here and a line in
//! [`TABLE`](crate::table::TABLE).

mod affine;
mod elements;
mod k_induction;
mod lazy;
mod paths;
mod pushdown;
mod runs;
mod search;
mod unwinding;

pub use affine::affine_relations;
pub use elements::by_elements;
pub use k_induction::k_induction;
pub use lazy::lazy_abstraction;
pub use paths::path_by_path;
pub use pushdown::pushdown;
pub use runs::plain_runs;
pub use search::bounded_search;
pub use unwinding::unwinding;
