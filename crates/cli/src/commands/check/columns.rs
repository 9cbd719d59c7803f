//! A run of threads as people read it: one column for each thread, in the order of execution.
//!
//! A row is what one thread does on a line of the source, with the values of static variables that
//! change. Where another thread goes on, there is a mark. Lines that the slice of the path leaves out
//! are not shown, and long runs are folded like those of one thread.

use std::collections::BTreeMap;
use std::fmt::Write;

use gnomon_report::fold::{self, Part};
use gnomon_report::model::Run;
use gnomon_report::terminal::Length;
use gnomon_threads::Sequential;
use gnomon_verify::threads::messages::title;
use gnomon_verify::threads::rows::Row;

/// Of more changes on one line, the first and the last ones are shown.
const CHANGES: usize = 6;
/// The widest column.
const WIDEST: usize = 46;
/// The name of the file that models come from.
const MODELS: &str = gnomon_cfront::models::SOURCE;

/// The outcome with the run in columns.
pub fn text(sequential: &Sequential, run: &Run, rows: &[Row], length: Length) -> String {
    let mut text = format!("FALSE: {}", run.message);
    let end = run.location.as_ref();
    if let Some(at) = end.filter(|at| at.file != MODELS) {
        let _ = write!(text, ", at {}:{}", at.file, at.line);
    }
    text.push('\n');
    text + &table(sequential, rows, length)
}

fn table(sequential: &Sequential, rows: &[Row], length: Length) -> String {
    let used: Vec<usize> = (0..sequential.threads.len())
        .filter(|&thread| rows.iter().any(|row| row.thread == thread))
        .collect();
    let mut sources: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in rows {
        sources.entry(&row.file).or_insert_with(|| {
            let text = std::fs::read_to_string(&row.file).unwrap_or_default();
            text.lines().map(|line| line.trim().to_owned()).collect()
        });
    }
    let cells: Vec<String> = rows.iter().map(|row| cell(row, &sources)).collect();
    let width = |thread: usize| {
        let own = rows.iter().zip(&cells).filter(|(row, _)| row.thread == thread);
        let title = title(sequential, thread).chars().count();
        own.map(|(_, cell)| cell.chars().count()).max().unwrap_or(0).max(title).min(WIDEST)
    };
    let widths: Vec<usize> = used.iter().map(|&thread| width(thread)).collect();
    let mut text = String::from("  ");
    for (&thread, width) in used.iter().zip(&widths) {
        let _ = write!(text, "{:width$}  ", title(sequential, thread));
    }
    text = text.trim_end().to_owned() + "\n";
    let mut before = None;
    let keys: Vec<_> = rows.iter().map(|row| (row.thread, &row.file, row.line)).collect();
    let mut parts = fold::collapsed(&keys);
    if length == Length::Folded {
        parts = fold::cut(parts);
    }
    for part in parts {
        let at = match part {
            Part::Line(at) => at,
            Part::Repeated { iterations, .. } => {
                let _ = writeln!(text, "  ... {iterations} more iterations");
                continue;
            }
            Part::Left(lines) => {
                let _ = writeln!(text, "  ... {lines} more lines (--full shows them)");
                // Whose turn it is now has to be said.
                before = None;
                continue;
            }
        };
        let (row, cell) = (&rows[at], &cells[at]);
        let column = used.iter().position(|&thread| thread == row.thread).unwrap_or(0);
        if before.is_some_and(|before| before != row.thread) {
            let line: usize = widths.iter().map(|width| width + 2).sum();
            let _ = writeln!(text, "  {}", "-".repeat(line.saturating_sub(2)));
        }
        before = Some(row.thread);
        let indent: usize = widths[..column].iter().map(|width| width + 2).sum();
        let _ = writeln!(text, "  {}{}", " ".repeat(indent), clipped(cell, WIDEST));
        if cell.chars().count() <= WIDEST || row.changes.is_empty() {
            continue;
        }
        let _ = writeln!(text, "  {}     {}", " ".repeat(indent), changes(row));
    }
    text
}

fn cell(row: &Row, sources: &BTreeMap<&str, Vec<String>>) -> String {
    let lines = sources.get(row.file.as_str());
    let code = lines.and_then(|lines| lines.get(row.line.saturating_sub(1) as usize));
    let code = code.map_or("", String::as_str);
    match row.changes.is_empty() {
        true => format!("{:3}: {code}", row.line),
        false => format!("{:3}: {code}  [{}]", row.line, changes(row)),
    }
}

fn changes(row: &Row) -> String {
    let all = &row.changes;
    if all.len() <= CHANGES {
        return all.join(", ");
    }
    let (first, last) = (&all[..CHANGES / 2], &all[all.len() - CHANGES / 2..]);
    format!("{}, ..., {}", first.join(", "), last.join(", "))
}

fn clipped(text: &str, width: usize) -> String {
    match text.chars().count() > width {
        true => text.chars().take(width.saturating_sub(3)).chain("...".chars()).collect(),
        false => text.to_owned(),
    }
}
