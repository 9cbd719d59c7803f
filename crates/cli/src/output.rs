//! Writing results and messages.
//!
//! `println!` panics when the reader of a pipe is gone (`gnomon cfa x.c | head`); here that is not
//! an error, because nobody is left to whom it matters. Where the output is no terminal, or the user wants
//! no colours (`NO_COLOR`), `anstream` takes them out. Bars and messages share the terminal: a message
//! is written above the bars.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use gnomon_budget::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tracing::debug;

use crate::exit::Failure;

/// Writes a result to standard output.
pub fn result(text: &str) {
    let mut stdout = anstream::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Writes a message to standard error, with a line end.
pub fn message(text: &str) {
    BARS.suspend(|| {
        let _ = writeln!(anstream::stderr(), "{text}");
    });
}

/// Writes a result with texts from sources in it, and no colours of our own.
pub fn result_with_sources(text: &str) {
    result(&plain(text));
}

/// Writes a message with texts from sources in it, and no colours of our own.
pub fn message_with_sources(text: &str) {
    message(&plain(text));
}

/// Without control characters, which a terminal would obey, but for ends of lines and tabs.
pub fn plain(text: &str) -> String {
    let is_safe = |c: char| matches!(c, '\n' | '\t') || !c.is_control();
    text.chars().map(|c| if is_safe(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// All bars on the terminal. They are drawn on standard error, and only if that is one.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// A new line on the terminal that shows what is being done.
pub fn line() -> ProgressBar {
    BARS.add(ProgressBar::new_spinner().with_style(style("{elapsed} {wide_msg}")))
}

/// A new bar that shows how many parts are done.
pub fn bar(of_what: &str) -> ProgressBar {
    let shown = format!("[{{bar:20}}] {{pos}}/{{len}} {of_what}  {{elapsed}} {{wide_msg}}");
    BARS.add(ProgressBar::new(0).with_style(style(&shown)))
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("## ")
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

/// Who is told what is being done: everybody who asks for it, the one line of a terminal, the log.
pub fn progress(verbose: bool, quiet: bool) -> Option<Arc<dyn Progress>> {
    match (verbose, quiet) {
        (true, _) => Some(Arc::new(Told::default())),
        (false, false) if io::stderr().is_terminal() => Some(Arc::new(Live::new())),
        _ => logged(),
    }
}

/// The log, if there is one.
pub fn logged() -> Option<Arc<dyn Progress>> {
    tracing::enabled!(tracing::Level::DEBUG).then(|| Arc::new(Logged) as Arc<dyn Progress>)
}

/// Progress that only the log has.
struct Logged;

impl Progress for Logged {
    fn report(&self, phase: &str, detail: std::fmt::Arguments<'_>) {
        debug!(phase, "{detail}");
    }
}

/// One line on a terminal that always shows what is being done now.
struct Live {
    line: ProgressBar,
    shown: Mutex<Option<Instant>>,
    /// Of several checks, how many are done.
    parts: Mutex<Option<ProgressBar>>,
}

/// How long a line stays at least.
const LINE_TIME: Duration = Duration::from_millis(100);

impl Live {
    fn new() -> Self {
        Self { line: line(), shown: Mutex::new(None), parts: Mutex::new(None) }
    }
}

impl Progress for Live {
    fn report(&self, phase: &str, detail: std::fmt::Arguments<'_>) {
        debug!(phase, "{detail}");
        let Ok(mut shown) = self.shown.lock() else { return };
        if shown.is_some_and(|shown| shown.elapsed() < LINE_TIME) {
            return;
        }
        *shown = Some(Instant::now());
        self.line.set_message(format!("{phase}: {detail}").replace('\n', " "));
    }

    fn part(&self, done: usize, all: usize) {
        if let Ok(mut parts) = self.parts.lock() {
            let parts = parts.get_or_insert_with(|| bar("checks"));
            parts.set_length(all as u64);
            parts.set_position(done as u64);
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.line.finish_and_clear();
        if let Ok(Some(parts)) = self.parts.get_mut() {
            parts.finish_and_clear();
        }
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
        debug!(phase, "{detail}");
        let Ok(mut last) = self.last.lock() else { return };
        if last.as_ref().is_some_and(|(told, when)| told == phase && when.elapsed() < LINE_TIME) {
            return;
        }
        *last = Some((phase.to_owned(), Instant::now()));
        message(&format!("{phase}: {detail}"));
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn what_a_terminal_would_obey_is_replaced() {
        assert_eq!(plain("a\u{1b}[2J\tb\r\u{9b}1m\n"), "a\u{fffd}[2J\tb\u{fffd}\u{fffd}1m\n");
    }
}
