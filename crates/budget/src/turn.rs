//! Turns: several threads work for one processor, and each waits for its turn.
//!
//! Whoever lets threads take turns gives each of them something to do whenever it looks at its limits:
//! to go on, or to wait until it is its turn again. So a computation can be interrupted wherever it
//! calls [`Budget::check`](crate::Budget::check), inside a query of a solver too, and goes on later
//! as if nothing had happened.

use std::cell::RefCell;
use std::rc::Rc;

thread_local! {
    static TURNS: RefCell<Option<Rc<dyn Turns>>> = const { RefCell::new(None) };
}

/// The turns of a thread.
pub trait Turns {
    /// Whether it is the turn of others.
    fn is_over(&self) -> bool;

    /// Waits until it is the turn of this thread, if it is not.
    fn look(&self);
}

/// From now on this thread takes turns, whenever it looks at its limits.
pub fn take(turns: Rc<dyn Turns>) {
    TURNS.set(Some(turns));
}

/// Whether this thread would wait if it looked at its limits now: so it can stop what works for it.
pub fn is_over() -> bool {
    TURNS.with_borrow(Clone::clone).is_some_and(|turns| turns.is_over())
}

/// Waits until it is the turn of this thread, if it is not.
pub fn look() {
    // Not borrowed while it waits.
    if let Some(turns) = TURNS.with_borrow(Clone::clone) {
        turns.look();
    }
}
