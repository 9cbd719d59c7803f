//! Boolean programs: reading, running, and model checking them (LAL 2.2, 3.5.1, 4, 5).

pub mod bp;
pub mod check;
pub mod diagnostic;
pub mod explicit;
pub mod generate;
pub mod interpret;
pub mod lex;
pub mod model;
mod names;
pub mod pds;
pub mod project;
pub mod random;
pub mod read;
pub mod remopla;
pub mod report;
pub mod slice;
pub mod source;
pub mod symbolic;
pub mod validate;

pub use gnomon_bdd::BddError;
