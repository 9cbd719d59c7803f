//! Turns: several threads work for one processor, and each waits for its turn.
//!
//! Whoever lets threads take turns gives each of them something to do whenever it looks at its limits:
//! to go on, or to wait until it is its turn again. So a computation can be interrupted wherever it
//! calls [`Budget::check`](crate::Budget::check), inside a query of a solver too, and goes on later
//! as if nothing had happened.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

thread_local! {
    static LOOK: RefCell<Option<Rc<dyn Fn()>>> = const { RefCell::new(None) };
    static UNDISTURBED: Cell<bool> = const { Cell::new(false) };
}

/// From now on this thread does this whenever it looks at its limits.
pub fn at_every_look(what: Rc<dyn Fn()>) {
    LOOK.set(Some(what));
}

/// Waits until it is the turn of this thread, if it is not.
pub(crate) fn look() {
    if UNDISTURBED.get() {
        return;
    }
    // Not borrowed while it waits.
    if let Some(look) = LOOK.with_borrow(Clone::clone) {
        look();
    }
}

/// Does something to its end, whoever waits.
pub fn undisturbed<T>(what: impl FnOnce() -> T) -> T {
    let before = UNDISTURBED.replace(true);
    let done = what();
    UNDISTURBED.set(before);
    done
}
