//! Writing results and messages.
//!
//! `println!` panics when the reader of a pipe is gone (`gnomon cfa x.c | head`); here that is not
//! an error, because nobody is left to whom it matters.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gnomon_budget::Progress;

use crate::exit::Failure;

/// Writes a result to standard output.
pub fn result(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Writes a message to standard error, with a line end.
pub fn message(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes a result to a file, or to standard output if there is none.
pub fn to_file_or_stdout(file: Option<&Path>, text: &str) -> Result<(), Failure> {
    match file {
        Some(path) => fs::write(path, text)
            .map_err(|error| Failure::error(format!("cannot write {}: {error}", path.display()))),
        None => {
            result(text);
            Ok(())
        }
    }
}

/// Who is told what is being done: everybody who asks for it, and the one line of a terminal.
pub fn progress(verbose: bool, quiet: bool) -> Option<Arc<dyn Progress>> {
    match (verbose, quiet) {
        (true, _) => Some(Arc::new(Told::default())),
        (false, false) if io::stderr().is_terminal() => Some(Arc::new(Live::new())),
        _ => None,
    }
}

/// One line on a terminal that always shows what is being done now.
struct Live {
    started: Instant,
    shown: Mutex<Option<Instant>>,
    /// Of several checks, how many are done, and how many there are.
    part: Mutex<Option<(usize, usize)>>,
}

/// How long a line stays at least.
const LINE_TIME: Duration = Duration::from_millis(100);
/// Longer lines are cut: a line that wraps cannot be taken back.
const LINE_LENGTH: usize = 78;

impl Live {
    fn new() -> Self {
        Self { started: Instant::now(), shown: Mutex::new(None), part: Mutex::new(None) }
    }
}

impl Progress for Live {
    fn report(&self, phase: &str, detail: std::fmt::Arguments<'_>) {
        let Ok(mut shown) = self.shown.lock() else { return };
        if shown.is_some_and(|shown| shown.elapsed() < LINE_TIME) {
            return;
        }
        *shown = Some(Instant::now());
        let seconds = self.started.elapsed().as_secs_f64();
        let part = self.part.lock().ok().and_then(|part| *part);
        let bar =
            part.map_or(String::new(), |(done, all)| format!("{}  ", bar(done, all, "checks")));
        let line = format!("{bar}{seconds:.1} s  {phase}: {detail}").replace('\n', " ");
        let line: String = line.chars().take(LINE_LENGTH).collect();
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
    }

    fn part(&self, done: usize, all: usize) {
        if let Ok(mut part) = self.part.lock() {
            *part = Some((done, all));
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

/// Notes when progress is reported, and passes it on.
pub struct Recorded {
    next: Mutex<Option<Arc<dyn Progress>>>,
    started: Instant,
    times: Mutex<BTreeMap<String, Vec<f64>>>,
}

impl Recorded {
    /// Nothing was reported yet, and nobody else is told.
    pub fn new() -> Self {
        let (next, times) = (Mutex::new(None), Mutex::new(BTreeMap::new()));
        Self { next, started: Instant::now(), times }
    }

    /// Passes on to another from now on.
    pub fn pass_on_to(&self, next: Option<Arc<dyn Progress>>) {
        if let Ok(mut told) = self.next.lock() {
            *told = next;
        }
    }

    /// By phase, the seconds at which something was reported.
    pub fn times(&self) -> BTreeMap<String, Vec<f64>> {
        self.times.lock().map(|times| times.clone()).unwrap_or_default()
    }

    fn next(&self) -> Option<Arc<dyn Progress>> {
        self.next.lock().ok()?.clone()
    }
}

impl Progress for Recorded {
    fn report(&self, phase: &str, detail: std::fmt::Arguments<'_>) {
        if let Ok(mut times) = self.times.lock() {
            let seconds = self.started.elapsed().as_secs_f64();
            times.entry(phase.to_owned()).or_default().push(seconds);
        }
        if let Some(next) = self.next() {
            next.report(phase, detail);
        }
    }

    fn part(&self, done: usize, all: usize) {
        if let Some(next) = self.next() {
            next.part(done, all);
        }
    }
}

/// Tells what is being done on standard error; of many steps of one phase, some of them.
#[derive(Default)]
pub struct Told {
    last: Mutex<Option<(String, Instant)>>,
}

impl Progress for Told {
    fn report(&self, phase: &str, detail: std::fmt::Arguments<'_>) {
        let Ok(mut last) = self.last.lock() else { return };
        if last.as_ref().is_some_and(|(told, when)| told == phase && when.elapsed() < LINE_TIME) {
            return;
        }
        *last = Some((phase.to_owned(), Instant::now()));
        message(&format!("{phase}: {detail}"));
    }
}

/// How wide a progress bar is.
const BAR_WIDTH: usize = 20;

/// How much is done, as a bar and as numbers.
fn bar(done: usize, all: usize, of_what: &str) -> String {
    let filled = (done * BAR_WIDTH).checked_div(all).unwrap_or(BAR_WIDTH);
    format!("[{:<BAR_WIDTH$}] {done}/{all} {of_what}", "#".repeat(filled))
}

/// Draws how much is done, over what was drawn before; all done wipes it away.
pub fn progress_bar(done: usize, all: usize) {
    let line =
        if done < all { format!("\r{}", bar(done, all, "groups")) } else { "\r\x1b[K".into() };
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(line.as_bytes()).and_then(|()| stderr.flush());
}
