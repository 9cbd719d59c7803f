//! Reads and checks every program in the given directories and counts what happened.
//!
//! ```text
//! cargo run --release -p gnomon-boolprog --example survey -- SECONDS DIRECTORY...
//! ```
//!
//! Files with the extensions `bp`, `nbp`, `rem` and `pds` are taken; a file `x.init` beside `x.pds`
//! gives its first configuration. For each directory: files, how many are read (and print back to
//! a text that reads the same), how many are decided true or false within the limit, how many have
//! threads, how many ran out. Every file that is refused is listed with its first message.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gnomon_boolprog::check::{CheckOptions, DEFAULT_LABELS, Verdict, check, refuses, targets};
use gnomon_boolprog::read::{Dialect, ReadOptions, canonical, read};
use gnomon_boolprog::source::Source;
use gnomon_budget::Budget;

fn files(directory: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if path.is_dir() {
            files(&path, into);
        } else if ["bp", "nbp", "rem", "pds"].contains(&extension) && path.is_file() {
            into.push(path);
        }
    }
}

/// What happened to a file, and a line about it.
fn survey(path: &Path, limit: Duration) -> (&'static str, String) {
    let Ok(bytes) = std::fs::read(path) else { return ("unreadable", String::new()) };
    let name = path.display().to_string();
    let dialect = Dialect::of_file_name(&name);
    let source = Source::new(name, String::from_utf8_lossy(&bytes).into_owned());
    let initial = std::fs::read_to_string(path.with_extension("init")).ok();
    let initial = initial.filter(|_| dialect == Dialect::Pushdown).map(|t| t.trim().to_owned());
    let result = read(&source, dialect, &ReadOptions { entry: None, initial });
    let Some(model) = result.model else {
        let shown = result.messages.render(&source);
        let first = shown.lines().find(|l| l.contains("error:")).unwrap_or_default();
        return ("refused", first.to_owned());
    };
    let printed = canonical(&source, dialect).unwrap_or_default();
    let again = canonical(&Source::new("printed", printed.clone()), dialect);
    if again.ok().as_deref() != Some(printed.as_str()) {
        return ("prints wrongly", String::new());
    }
    if refuses(&model).is_some() {
        return ("threads", String::new());
    }
    let budget = Budget::unlimited().with_time(limit);
    let targets = targets(&model, true, &DEFAULT_LABELS);
    match check(&model, &targets, &CheckOptions::default(), &budget).map(|o| o.verdict) {
        Ok(Verdict::True) => ("true", String::new()),
        Ok(Verdict::False(_)) => ("false", String::new()),
        Ok(Verdict::Unknown(reason)) => ("ran out", reason),
        Err(error) => ("internal error", error.to_string()),
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(60);
    for directory in arguments {
        let mut list = Vec::new();
        files(Path::new(&directory), &mut list);
        list.sort();
        let start = Instant::now();
        let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
        for path in &list {
            let (kind, line) = survey(path, Duration::from_secs(seconds));
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            *counts.entry((extension.to_owned(), kind)).or_default() += 1;
            match kind {
                "threads" => {}
                _ => println!("{kind:>12}  {} {line}", path.display()),
            }
        }
        let took = start.elapsed().as_millis();
        println!("{directory}: {} files, {took} ms: {counts:?}", list.len());
    }
}
