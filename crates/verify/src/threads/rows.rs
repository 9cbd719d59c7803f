//! A run of threads line by line, in the order of execution: what each thread does on a line of the
//! source, with the values of static variables that change. Lines that the slice of the path leaves
//! out are not told.

use std::collections::BTreeMap;

use gnomon_budget::Budget;
use gnomon_engine::replay::Counterexample;
use gnomon_engine::steps::{Step, steps};
use gnomon_ir::cfa::Op;
use gnomon_ir::program::{FuncId, Program, Storage, source_name};
use gnomon_report::model::{Answer, Report};
use gnomon_threads::Sequential;

use super::messages::MODELS;

/// What a thread does on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number.
    pub thread: usize,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// Static variables that change, with their values.
    pub changes: Vec<String>,
    matters: bool,
    is_last: bool,
}

pub(crate) fn rows(
    sequential: &Sequential,
    run: &Counterexample,
    report: &Report,
    budget: &Budget,
) -> Vec<Row> {
    let program = &sequential.program;
    let taken = steps(program, &sequential.entry, run, budget);
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
