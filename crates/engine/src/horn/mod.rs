//! Constrained Horn clauses (CHC) over the cut points of a program, for every engine that has some.
//!
//! When paths give predicates that do not generalise, the whole program is looked at: each cut
//! point is an unknown relation, each piece of program between cut points a clause. Lazy abstraction
//! makes linear clauses of its blocks ([`blocks`]); the pushdown engine makes clauses with two
//! premises of calls that return ([`crate::pushdown::summaries`]). What follows is the same for both:
//!
//! - [`clauses`]: the clauses, and whether formulas solve them;
//! - [`query`]: asking a CHC solver, with more effort each time and never the same question twice;
//! - [`crate::candidates`]: candidate invariants by elimination over the same clauses;
//! - [`schedule`]: when an engine does which of these by itself.
//!
//! Nothing depends on the CHC solver being right: a solution is checked clause by clause, and
//! otherwise its atoms are predicates like any others.

pub mod blocks;
pub mod clauses;
pub mod query;
pub mod schedule;
#[cfg(test)]
mod tests;

pub use clauses::{Applied, Body, Clause, Clauses, CutPoint, Invariants};
pub use query::{ChcQueries, ChcStatistics, Learned, NoSolution, Wrapping};
pub use schedule::{FIRST_EFFORT, Initiative, MAX_EFFORT, Schedule};

use gnomon_budget::Budget;
use gnomon_logic::{Solver, Terms};

/// What a query works with.
pub struct Tools<'a> {
    /// The arena.
    pub terms: &'a mut Terms,
    /// A solver for formulas.
    pub solver: &'a mut dyn Solver,
    /// The last guard.
    pub budget: &'a Budget,
}
