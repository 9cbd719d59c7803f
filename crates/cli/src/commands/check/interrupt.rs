//! Ctrl-C: the first ends the work, and what is known by then is reported; the second ends the
//! program.

use std::process::exit;

use gnomon_budget::Budget;

use crate::output;

/// What a shell says of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Interrupts cancel the budget.
pub fn cancels(budget: &Budget) {
    let cancel = budget.cancel_handle();
    let handled = ctrlc::set_handler(move || {
        if cancel.is_cancelled() {
            exit(INTERRUPTED);
        }
        output::message("interrupted: ending with what is known; once more to end at once");
        cancel.cancel();
    });
    if let Err(error) = handled {
        output::message(&format!("Ctrl-C ends the program at once: {error}"));
    }
}
