//! For whom the solvers of a thread work.
//!
//! An engine has a thread, and all that solvers do on that thread is done for it: it is charged for
//! the work, in the solvers' own count, and when it is cancelled the query that runs is given up. That
//! is noted here once for a thread, at the only place that no query can pass by, instead of being
//! handed through every function that asks something.

use std::cell::RefCell;
use std::time::Duration;

use gnomon_budget::{Budget, Exhausted};

thread_local! {
    static CLIENT: RefCell<Option<Budget>> = const { RefCell::new(None) };
}

/// From now on the solvers of this thread work for the owner of the budget; gives the one before.
pub fn work_for(budget: Option<Budget>) -> Option<Budget> {
    CLIENT.replace(budget)
}

/// For whom this thread works.
pub(crate) fn current() -> Option<Budget> {
    CLIENT.with_borrow(Clone::clone)
}

/// Charges for work, in solver resources.
pub(crate) fn charge(resources: u64) {
    CLIENT.with_borrow(|client| {
        if let Some(budget) = client {
            budget.charge(resources);
        }
    });
}

/// Charges for work, and says whether there may be more.
pub(crate) fn spend(resources: u64) -> Result<(), Exhausted> {
    // The budget is not borrowed while the thread waits for its turn.
    let Some(budget) = current() else { return Ok(()) };
    budget.charge(resources);
    budget.check_now()
}

/// Charges for work that nobody counted.
pub(crate) fn charge_time(time: Duration) {
    charge(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
}
