//! What the command line tells while it works: notes and progress on standard error. Ctrl-C ends the
//! work, and what is known by then is reported; the second ends the program.

use std::process::exit;
use std::sync::{Arc, OnceLock};

use gnomon_budget::{Cancel, Progress};
use gnomon_verify::{Listener, Note};
use indicatif::ProgressBar;
use tracing::info;

use crate::args::CheckArgs;
use crate::output::{self, Recorded};

/// What a shell says of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Tells the user.
pub struct Told {
    verbose: bool,
    quiet: bool,
    /// Whether Ctrl-C ends the work only.
    interruptible: bool,
    /// Notes when progress is reported, if somebody wants to know.
    recorded: Option<Arc<Recorded>>,
    /// How many groups are done.
    groups: OnceLock<ProgressBar>,
}

impl Told {
    /// As the arguments say.
    pub fn new(args: &CheckArgs) -> Self {
        let (verbose, quiet) = (args.verbose, args.quiet);
        Self { verbose, quiet, interruptible: false, recorded: None, groups: OnceLock::new() }
    }

    /// For a check, whose progress may be recorded.
    pub fn of_check(args: &CheckArgs, recorded: Option<Arc<Recorded>>) -> Self {
        Self { interruptible: true, recorded, ..Self::new(args) }
    }
}

impl Listener for Told {
    fn note(&self, note: &Note) {
        info!("{note}");
        output::message(&note.to_string());
    }

    fn progress(&self) -> Option<Arc<dyn Progress>> {
        // Only a check has a line of its own on a terminal.
        let shown = match self.interruptible || self.verbose {
            true => output::progress(self.verbose, self.quiet),
            false => output::logged(),
        };
        match &self.recorded {
            Some(recorded) => {
                recorded.pass_on_to(shown);
                Some(recorded.clone())
            }
            None => shown,
        }
    }

    fn begins(&self, cancel: Cancel) {
        if !self.interruptible {
            return;
        }
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

    fn groups_done(&self, done: usize, all: usize) {
        if self.verbose || self.quiet {
            return;
        }
        let bar = self.groups.get_or_init(|| output::bar("groups"));
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        if done == all {
            bar.finish_and_clear();
        }
    }
}
