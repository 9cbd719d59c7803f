//! What people see of a run over a project: a line that changes on a terminal, plain lines elsewhere, and a
//! summary at the end.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use gnomon_project::driver::{Fate, Progress, Watcher};
use gnomon_project::plan::Plan;
use gnomon_project::results::{Results, Severity};
use indicatif::ProgressBar;
use tracing::info;

use crate::output;

/// How often there is a line where there is no terminal.
const LOG: Duration = Duration::from_secs(10);
/// So many findings are printed.
const FINDINGS: usize = 50;

/// Tells how a run goes.
pub struct Shown {
    quiet: bool,
    verbose: bool,
    bar: Option<ProgressBar>,
    /// What is shown before there are units.
    line: Option<ProgressBar>,
    told: Option<Instant>,
}

impl Shown {
    /// As the arguments say.
    pub fn new(quiet: bool, verbose: bool) -> Self {
        let is_shown = !quiet && io::stderr().is_terminal();
        let line = is_shown.then(output::line);
        Self { quiet, verbose, bar: None, line, told: None }
    }

    /// How far the units are made.
    pub fn planning(&mut self, what: &str, done: usize, all: usize) {
        let text = output::plain(&format!("{what}: {done} of {all}"));
        if let Some(line) = &self.line {
            line.set_message(text);
            line.tick();
            return;
        }
        if !self.quiet && self.told.get_or_insert_with(Instant::now).elapsed() >= LOG {
            self.told = Some(Instant::now());
            output::message(&text);
        }
    }

    /// What there is to do.
    pub fn planned(&mut self, plan: &Plan) {
        self.told = None;
        if let Some(line) = self.line.take() {
            line.finish_and_clear();
            self.bar = Some(output::bar("units"));
        }
        for file in &plan.unreadable {
            let first = file.problem.lines().next().unwrap_or_default();
            output::message_with_sources(&format!("not read: {}: {first}", file.file));
        }
        if self.quiet {
            return;
        }
        let programs = plan.targets.iter().filter(|target| target.is_program).count();
        output::message(&format!(
            "{} files, {programs} programs, {} libraries, {} entries: {} units",
            plan.sources,
            plan.targets.len() - programs,
            plan.entries,
            plan.units.len()
        ));
    }

    /// Takes back the bar on a terminal.
    pub fn over(&mut self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What is known, beside how many units are done.
fn line(progress: &Progress) -> String {
    let [proved, violated, open, failed] = progress.verdicts;
    let (round, rounds) = progress.round;
    let known = progress.known;
    let mut line = format!("({known} known): {proved} proved, {violated} violated, {open} open");
    if failed > 0 {
        line += &format!(", {failed} failed");
    }
    if progress.done < progress.units {
        line += &format!("; round {round} of {rounds}");
        if let Some(left) = progress.left {
            line += &format!(", {left} s left in it");
        }
        let slow = progress.slowest.iter().filter(|(_, seconds)| *seconds >= 1);
        let slow: Vec<String> = slow.map(|(name, seconds)| format!("{name} {seconds} s")).collect();
        if !slow.is_empty() {
            line += &format!("; slowest: {}", slow.join(", "));
        }
    }
    line
}

impl Watcher for Shown {
    fn progress(&mut self, progress: &Progress) {
        let line = output::plain(&line(progress));
        if let Some(bar) = &self.bar {
            bar.set_length(progress.units as u64);
            bar.set_position(progress.done as u64);
            bar.set_message(line);
            return;
        }
        let is_over = progress.done == progress.units;
        if self.quiet || (!is_over && self.told.is_some_and(|told| told.elapsed() < LOG)) {
            return;
        }
        let is_first = self.told.is_none();
        self.told = Some(Instant::now());
        if !is_first || is_over {
            output::message(&format!("{}/{} units {line}", progress.done, progress.units));
        }
    }

    fn done(&mut self, unit: &str, fate: &Fate) {
        let text = match fate {
            Fate::Known(record, _) => match &record.reason {
                Some(reason) => format!("{unit}: {} ({reason})", record.verdict.as_str()),
                None => format!("{unit}: {}", record.verdict.as_str()),
            },
            Fate::Failed(why) => format!("{unit}: failed ({why})"),
            Fate::NotTried => format!("{unit}: not tried"),
        };
        info!("{text}");
        if self.verbose {
            output::message_with_sources(&text);
        }
    }

    fn trouble(&mut self, what: &str) {
        info!("{what}");
        output::message_with_sources(what);
    }
}

/// What was found, for people; findings of the baseline are counted only.
pub fn summary(results: &Results, quiet: bool) -> String {
    let mut text = String::new();
    let new: Vec<_> = results.findings.iter().filter(|finding| !finding.known).collect();
    for finding in new.iter().take(FINDINGS) {
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        text += &format!("{severity}: {}\n", finding.shown());
    }
    if new.len() > FINDINGS {
        text += &format!("and {} more\n", new.len() - FINDINGS);
    }
    let counts = &results.counts;
    let known = results.findings.len() - new.len();
    if !quiet {
        text += &format!(
            "{} units: {} proved, {} violated, {} open",
            counts.units, counts.proved, counts.violated, counts.open
        );
        for (number, what) in [
            (counts.failed, "failed"),
            (counts.not_tried, "not tried"),
            (counts.known_before, "known before"),
        ] {
            if number > 0 {
                text += &format!(", {number} {what}");
            }
        }
        text.push('\n');
    }
    text += &format!("{} findings", new.len());
    if known > 0 {
        text += &format!(", and {known} of the baseline");
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_units_are_named() {
        let slowest = [("a", 12), ("b", 3), ("c", 0)].map(|(name, s)| (name.to_owned(), s));
        let progress =
            Progress { units: 9, round: (1, 4), slowest: slowest.into(), ..Progress::default() };
        let shown = line(&progress);
        assert!(shown.ends_with("round 1 of 4; slowest: a 12 s, b 3 s"), "{shown}");
    }
}
