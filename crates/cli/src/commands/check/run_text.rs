//! A run that reaches an error, as text: the lines that it passes, with the values that it stores
//! and the conditions that it finds true.
//!
//! ```text
//!   bug.c:6: x = 12 (input)
//!   bug.c:7: [3 * x + 4 == 40]
//!   bug.c:8
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use gnomon_budget::Budget;
use gnomon_engine::replay::Counterexample;
use gnomon_engine::steps::{Step, Stored, steps};
use gnomon_instrument::describe::{self, Temporaries};
use gnomon_ir::cfa::{EdgeId, Op};
use gnomon_ir::program::{FuncId, Program, StmtKind};
use gnomon_ir::span::FileId;

/// What the text of a run needs to know.
pub struct View<'a> {
    /// The program, with checks.
    pub program: &'a Program,
    /// Where runs begin.
    pub entry: &'a str,
    /// Edges of checks, which nobody wrote.
    pub inserted: &'a BTreeSet<(FuncId, EdgeId)>,
}

/// A line of the source that the run passes.
struct Passed {
    file: FileId,
    line: u32,
    depth: u32,
    events: Vec<String>,
}

/// More events of one line are not shown.
const EVENTS: usize = 6;

impl View<'_> {
    /// The run, line by line, and what is wrong at its end.
    pub fn counterexample(&self, run: &Counterexample) -> String {
        let mut text = String::new();
        for Passed { file, line, depth, events } in self.passed(run) {
            let indent = 2 * depth as usize;
            let _ = write!(text, "{:indent$}{}:{line}", "", self.program.files.name(file));
            if !events.is_empty() {
                let more = if events.len() > EVENTS { ", ..." } else { "" };
                let shown = &events[..events.len().min(EVENTS)];
                let _ = write!(text, ": {}{more}", shown.join(", "));
            }
            text.push('\n');
        }
        let span = self.program.funcs[run.site.func].body.as_ref();
        let span = span.map(|body| body.edge(run.site.edge).span).filter(|span| !span.is_none());
        if let Some(span) = span {
            let _ = write!(text, "{}:{}: ", self.program.files.name(span.file), span.line);
        }
        let _ = writeln!(text, "{}", run.message);
        text
    }

    fn passed(&self, run: &Counterexample) -> Vec<Passed> {
        let mut taken = steps(self.program, self.entry, run, &Budget::unlimited());
        // A run that is too long, or that could not be repeated, is shown without values.
        let length = taken.iter().filter(|step| !step.is_return).count();
        if u64::try_from(length) != Ok(run.length) {
            let plain = run.edges.iter().map(|e| Step {
                func: e.func,
                edge: e.edge,
                depth: e.depth,
                stored: Vec::new(),
                is_return: false,
            });
            taken = plain.collect();
        }
        let mut temporaries: BTreeMap<FuncId, Temporaries> = BTreeMap::new();
        let mut lines: Vec<Passed> = Vec::new();
        for step in &taken {
            let Some(body) = &self.program.funcs[step.func].body else { continue };
            let edge = body.edge(step.edge);
            let mut events: Vec<String> = step.stored.iter().map(stored).collect();
            let kind = self.program.stmts[edge.stmt].kind;
            if let Op::Assume(condition) = edge.op
                && kind != StmtKind::Synthetic
                && !self.inserted.contains(&(step.func, step.edge))
            {
                let known = temporaries
                    .entry(step.func)
                    .or_insert_with(|| Temporaries::of(self.program, body));
                events.push(format!("[{}]", describe::expr(self.program, known, condition)));
            }
            let (file, line, depth) = (edge.span.file, edge.span.line, step.depth);
            if edge.span.is_none() {
                continue;
            }
            match lines.last_mut() {
                Some(last) if (last.file, last.line, last.depth) == (file, line, depth) => {
                    last.events.extend(events);
                }
                _ => lines.push(Passed { file, line, depth, events }),
            }
        }
        lines
    }
}

fn stored(Stored { place, value, is_input }: &Stored) -> String {
    let input = if *is_input { " (input)" } else { "" };
    format!("{place} = {value}{input}")
}
