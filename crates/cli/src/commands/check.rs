//! `gnomon check`: can the program reach an error?

mod property;

use std::fmt::Write;
use std::sync::Arc;

use gnomon_budget::{Budget, Progress};
use gnomon_engine::check::{Options, Report, check};
use gnomon_engine::explore::Cut;
use gnomon_engine::replay::Counterexample;
use gnomon_engine::verdict::{Proof, Verdict};
use gnomon_ir::program::Program;

use crate::args::{BlockSize, CheckArgs};
use crate::exit::{Failure, Status};
use crate::{load, output};

/// Checks a program.
pub fn run(args: &CheckArgs) -> Result<Status, Failure> {
    let (property, entry) = property::requested(args)?;
    let program = load::program(&args.input)?;
    let cut = match args.block {
        BlockSize::Loop => Cut::Loops,
        BlockSize::Function => Cut::Functions,
        BlockSize::Edge => Cut::Edges,
    };
    let options = Options { entry, property, cut, ..Options::default() };
    let budget = Budget::unlimited().with_time(args.time).with_memory(args.memory << 20);
    let budget = if args.verbose { budget.with_progress(Arc::new(Told)) } else { budget };
    let report = check(&program, &options, &budget).map_err(Failure::error)?;
    output::result(&text(&program, &report, args.stats));
    Ok(match report.verdict {
        Verdict::True(_) => Status::True,
        Verdict::False(_) => Status::False,
        Verdict::Unknown(_) => Status::Unknown,
    })
}

/// Tells what is being done on standard error.
struct Told;

impl Progress for Told {
    fn report(&self, phase: &str, detail: std::fmt::Arguments<'_>) {
        output::message(&format!("{phase}: {detail}"));
    }
}

fn text(program: &Program, report: &Report, stats: bool) -> String {
    let mut text = String::new();
    for note in &program.notes {
        let place = if note.span.is_none() {
            String::new()
        } else {
            format!(" ({})", program.files.show(note.span))
        };
        let _ = writeln!(text, "assumed: {}: {}{place}", note.kind, note.message);
    }
    for assumption in &report.assumptions {
        let _ = writeln!(text, "assumed: {assumption}");
    }
    if stats {
        for (name, number) in &report.statistics.numbers {
            let _ = writeln!(text, "{name}: {number}");
        }
    }
    match &report.verdict {
        Verdict::True(proof) => {
            let how = match proof {
                Proof::NoErrorSite => "the program has no error that could be reached".to_owned(),
                Proof::OnlyRun => "the program takes no input, and its only run is safe".to_owned(),
                Proof::Invariants => "invariants exclude every error".to_owned(),
                Proof::AllExecutions { depth } => {
                    format!("all executions were looked at, {depth} blocks deep")
                }
            };
            let _ = writeln!(text, "{how}\nVERDICT: TRUE");
        }
        Verdict::False(counterexample) => {
            show_counterexample(program, counterexample, &mut text);
            text.push_str("VERDICT: FALSE\n");
        }
        Verdict::Unknown(reason) => {
            let _ = writeln!(text, "VERDICT: UNKNOWN ({reason})");
        }
    }
    text
}

fn show_counterexample(program: &Program, counterexample: &Counterexample, text: &mut String) {
    let mut last = None;
    for taken in &counterexample.edges {
        let Some(body) = &program.funcs[taken.func].body else { continue };
        let span = body.edge(taken.edge).span;
        if span.is_none() || last == Some((span.file, span.line)) {
            continue;
        }
        last = Some((span.file, span.line));
        let _ = writeln!(
            text,
            "{:indent$}{}:{}",
            "",
            program.files.name(span.file),
            span.line,
            indent = 2 * taken.depth as usize
        );
    }
}
