//! Where one interruption by another thread lets an error happen (LAL 5.5; AEP 7.2).
//!
//! Two context switches: the first thread runs, the second runs for a while, the first runs on to an
//! error. What the second thread does while it has control is one weight on the shared store, used as
//! the bottleneck at every node of the first.

use crate::automaton::ConfigSet;
use crate::error::WpdsError;
use crate::ids::{Control, Symbol};
use crate::projection::functional::FunctionalAutomaton;
use crate::semiring::RelationalSemiring;
use crate::shape::Solution;
use crate::summary::weight_of_set;

/// The heads of the first thread at which a switch to the second thread, and later back, can lead to
/// the target. `second` is a forward result for the second thread from its start, over the same
/// domain.
pub fn two_context_switches<S, F, B>(
    first: &FunctionalAutomaton<'_, S, F, B>,
    second: &impl Solution<S>,
) -> Result<Vec<(Control, Symbol)>, WpdsError>
where
    S: RelationalSemiring,
    F: Solution<S>,
    B: Solution<S>,
{
    let everywhere = ConfigSet::all(second.system().control_count());
    let meanwhile = weight_of_set(second, &everywhere)?;
    first.projection_with(&meanwhile)
}
