//! A run of threads as people read it: one column for each thread, in the order of execution.
//!
//! A row is what one thread does on a line of the source, with the values of static variables that
//! change. Where another thread goes on, there is a mark. Lines that the slice of the path leaves out
//! are not shown.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::replay::Counterexample;
use gnomon_engine::steps::{Step, steps};
use gnomon_ir::cfa::{EdgeId, Op};
use gnomon_ir::program::{FuncId, Program, Storage, source_name};
use gnomon_report::model::{Action, Answer, Report, Run};
use gnomon_threads::sequential::RACE_WRITES;
use gnomon_threads::{Sequential, waits};

/// What repeating a run may take.
const TIME: Duration = Duration::from_secs(20);
/// The widest column.
const WIDEST: usize = 46;
/// The name of the file that models come from.
const MODELS: &str = gnomon_cfront::models::SOURCE;

/// What a thread does on a line.
struct Row {
    thread: usize,
    file: String,
    line: u32,
    changes: Vec<String>,
    matters: bool,
    is_last: bool,
}

/// The outcome with the run in columns.
pub fn text(sequential: &Sequential, run: &Counterexample, report: &Report) -> String {
    let mut text = format!("FALSE: {}", run.message);
    let end = report.findings.first().and_then(|finding| finding.location.as_ref());
    if let Some(at) = end.filter(|at| at.file != MODELS) {
        let _ = write!(text, ", at {}:{}", at.file, at.line);
    }
    text.push('\n');
    let rows = rows(sequential, run, report);
    text + &table(sequential, &rows)
}

/// The two accesses of a data race at the end of a run; what the second one does is known.
pub fn racing(sequential: &Sequential, run: &Counterexample, second: &str) -> String {
    let program = &sequential.program;
    let shown = |taken: (FuncId, EdgeId), does: &str| {
        let span = program.funcs[taken.0].body.as_ref().map(|body| body.edge(taken.1).span);
        let thread = sequential.threads.iter().position(|thread| thread.func == taken.0);
        let who = thread.map_or(String::new(), |thread| title(sequential, thread));
        let place = span.map_or(String::new(), |span| program.files.show(span));
        format!("{who} {does} at {place}")
    };
    let mut first = None;
    for taken in &run.edges {
        let Some(body) = &program.funcs[taken.func].body else { continue };
        let Op::Assign { dst, src } = body.edge(taken.edge).op else { continue };
        let Some(var) = program.exprs.root_var(dst) else { continue };
        if program.vars[var].name == RACE_WRITES {
            let does = if program.as_int(src) == Some(0) { "reads" } else { "writes" };
            first = Some(((taken.func, taken.edge), does));
        }
    }
    let second = shown((run.site.func, run.site.edge), second);
    match first {
        Some((taken, does)) => format!("{second} while {}", shown(taken, does)),
        None => second,
    }
}

/// Where every thread stands that has not ended at the end of a run.
pub fn waiting(sequential: &Sequential, run: &Counterexample) -> String {
    let edges: Vec<_> = run.edges.iter().map(|taken| (taken.func, taken.edge)).collect();
    let files = &sequential.program.files;
    let waits = waits::waiting(sequential, &edges).into_iter().map(|waiting| {
        let (who, place) = (title(sequential, waiting.thread), files.show(waiting.span));
        match waiting.holder {
            Some(holder) => {
                format!("{who} waits at {place} for {}", title(sequential, holder))
            }
            None => format!("{who} waits at {place}"),
        }
    });
    waits.collect::<Vec<_>>().join(", ")
}

/// Says of every step of the report which thread does it, and leaves out what the reduction added.
pub fn name_threads(sequential: &Sequential, found: &Counterexample, run: &mut Run) {
    let program = &sequential.program;
    let threads: BTreeMap<FuncId, usize> =
        sequential.threads.iter().enumerate().map(|(i, thread)| (thread.func, i)).collect();
    let budget = Budget::unlimited().with_time(TIME);
    let taken = steps(program, &sequential.entry, found, &budget);
    let mut described = run.steps.iter_mut();
    let mut current = 0;
    for step in &taken {
        let Some(body) = &program.funcs[step.func].body else { continue };
        current = threads.get(&step.func).copied().unwrap_or(current);
        if body.edge(step.edge).span.is_none() {
            continue;
        }
        let Some(told) = described.next() else { break };
        told.thread = u32::try_from(current).ok();
        // Conditions of the reduction, and on temporaries, say nothing to people.
        if matches!(&told.action, Action::Condition(text) if text == "1" || text.contains("...")) {
            told.action = Action::Statement;
        }
    }
    let last = run.steps.len().saturating_sub(1);
    let mut at = 0..;
    run.steps.retain(|step| at.next() == Some(last) || step.location.file != MODELS);
    run.threads = (0..sequential.threads.len()).map(|thread| title(sequential, thread)).collect();
}

fn rows(sequential: &Sequential, run: &Counterexample, report: &Report) -> Vec<Row> {
    let program = &sequential.program;
    let budget = Budget::unlimited().with_time(TIME);
    let taken = steps(program, &sequential.entry, run, &budget);
    let threads: BTreeMap<FuncId, usize> =
        sequential.threads.iter().enumerate().map(|(i, thread)| (thread.func, i)).collect();
    let described = match report.findings.first().map(|finding| &finding.answer) {
        Some(Answer::Violated(run)) => run.steps.iter().map(|s| s.essential).collect(),
        _ => Vec::new(),
    };
    let mut essential = described.into_iter();
    let mut rows: Vec<Row> = Vec::new();
    let mut current = 0;
    let last = taken.len().saturating_sub(1);
    for (number, step) in taken.iter().enumerate() {
        let Some(body) = &program.funcs[step.func].body else { continue };
        let edge = body.edge(step.edge);
        if let Some(&thread) = threads.get(&step.func) {
            current = thread;
        }
        if edge.span.is_none() {
            continue;
        }
        let matters = essential.next().unwrap_or(true);
        let statement = program.stmts[edge.stmt].span;
        let span = if statement.is_none() { edge.span } else { statement };
        let file = program.files.name(span.file);
        let changes = changes(program, step, &edge.op);
        let is_last = number == last;
        let same = |row: &Row| row.thread == current && row.file == file && row.line == span.line;
        match rows.last_mut() {
            Some(row) if file == MODELS && row.thread == current => {
                row.matters |= matters;
                row.is_last |= is_last;
            }
            Some(row) if same(row) => {
                row.changes.extend(changes);
                row.matters |= matters;
                row.is_last |= is_last;
            }
            _ if file == MODELS => {}
            _ => rows.push(Row {
                thread: current,
                file: file.to_owned(),
                line: span.line,
                changes,
                matters,
                is_last,
            }),
        }
    }
    rows.retain(|row| row.matters || !row.changes.is_empty() || row.is_last);
    rows
}

/// Static variables of the user that a step changes.
fn changes(program: &Program, step: &Step, op: &Op) -> Vec<String> {
    let dst = match op {
        Op::Assign { dst, .. } | Op::Havoc(dst) => Some(*dst),
        Op::Call(call) => call.dst,
        _ => None,
    };
    let is_static = dst.and_then(|dst| program.exprs.root_var(dst)).is_some_and(|var| {
        let var = &program.vars[var];
        matches!(var.storage, Storage::Static { .. }) && source_name(&var.name) == var.name
    });
    if !is_static {
        return Vec::new();
    }
    step.stored.iter().map(|stored| format!("{} = {}", stored.place, stored.value)).collect()
}

fn table(sequential: &Sequential, rows: &[Row]) -> String {
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
    for (row, cell) in rows.iter().zip(&cells) {
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
        let _ = writeln!(text, "  {}     {}", " ".repeat(indent), row.changes.join(", "));
    }
    text
}

/// The name of a thread.
fn title(sequential: &Sequential, thread: usize) -> String {
    let start = sequential.threads[thread].starts.first();
    let name = start.map_or("", |&func| source_name(&sequential.program.funcs[func].name));
    format!("thread {thread}: {name}")
}

fn cell(row: &Row, sources: &BTreeMap<&str, Vec<String>>) -> String {
    let lines = sources.get(row.file.as_str());
    let code = lines.and_then(|lines| lines.get(row.line.saturating_sub(1) as usize));
    let code = code.map_or("", String::as_str);
    match row.changes.is_empty() {
        true => format!("{:3}: {code}", row.line),
        false => format!("{:3}: {code}  [{}]", row.line, row.changes.join(", ")),
    }
}

fn clipped(text: &str, width: usize) -> String {
    match text.chars().count() > width {
        true => text.chars().take(width.saturating_sub(3)).chain("...".chars()).collect(),
        false => text.to_owned(),
    }
}
