//! The engines, one in each file. A new one is a file here and a line in
//! [`TABLE`](crate::table::TABLE), or among the entrants of another contest: of threads
//! ([`threads`](crate::threads)), or of all sites of automata ([`groups`](crate::groups)).

mod affine;
mod chance;
mod contexts;
mod elements;
mod k_induction;
mod lazy;
mod numeric;
mod paths;
mod pushdown;
mod quantified;
mod rest;
mod runs;
mod schedules;
mod search;
mod typestate;
mod unwinding;
mod values;
mod views;

pub use affine::affine_relations;
pub use chance::by_chance;
pub(crate) use contexts::{CONTEXTS, contexts};
pub use elements::by_elements;
pub use k_induction::k_induction;
pub use lazy::lazy_abstraction;
pub use numeric::{numeric, numeric_proposals};
pub use paths::path_by_path;
pub use pushdown::pushdown;
pub use quantified::quantified;
pub(crate) use rest::of_rest;
pub use runs::plain_runs;
pub(crate) use schedules::{SCHEDULES, schedules};
pub use search::bounded_search;
pub(crate) use typestate::typestate;
pub use unwinding::unwinding;
pub use values::explicit_values;
pub(crate) use views::views;
