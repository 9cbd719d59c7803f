//! `gnomon check`: can the program reach an error?

mod each;
mod interrupt;
mod property;

use std::fmt::Write;
use std::sync::Arc;

use gnomon_budget::Budget;
use gnomon_cfront::translate::Models;
use gnomon_engine::check::{Options, Report, check, check_each};
use gnomon_engine::explore::Cut;
use gnomon_engine::lazy::LazyOptions;
use gnomon_engine::property::Property;
use gnomon_engine::replay::Counterexample;
use gnomon_engine::tree::Order;
use gnomon_engine::verdict::{Proof, Statistics, Verdict};
use gnomon_ir::program::Program;
use gnomon_predabs::PostOptions;

use crate::args::{BlockSize, CheckArgs, PostPrecision, SearchOrder};
use crate::exit::{Failure, Status};
use crate::{load, output};

/// Checks a program.
pub fn run(args: &CheckArgs) -> Result<Status, Failure> {
    let (property, entry) = property::requested(args)?;
    let program = load::program_with(&args.input, Models::BuiltIn)?;
    let options = options(args, entry, property);
    gnomon_logic::solver::memory::limit(args.memory);
    // A quarter is left to the solvers that work in processes of their own.
    let memory = (args.memory << 20) / 4 * 3;
    let budget = Budget::unlimited().with_cpu_time(args.time).with_memory(memory);
    interrupt::cancels(&budget);
    let budget = if args.verbose { budget.with_progress(Arc::new(output::Told)) } else { budget };
    if args.each {
        let reports = check_each(&program, &options, &budget).map_err(Failure::error)?;
        output::result(&each::text(&program, &reports, args));
        return Ok(each::status(&reports));
    }
    let report = check(&program, &options, &budget).map_err(Failure::error)?;
    output::result(&text(&program, &report, args));
    Ok(status(&report.verdict))
}

fn status(verdict: &Verdict) -> Status {
    match verdict {
        Verdict::True(_) => Status::True,
        Verdict::False(_) => Status::False,
        Verdict::Unknown(_) => Status::Unknown,
    }
}

fn options(args: &CheckArgs, entry: String, property: Property) -> Options {
    let cut = match args.block {
        BlockSize::Loop => Cut::Loops,
        BlockSize::Function => Cut::Functions,
        BlockSize::Edge => Cut::Edges,
    };
    let order = match args.order {
        SearchOrder::Depth => Order::Depth,
        SearchOrder::Breadth => Order::Breadth,
        SearchOrder::Shortest => Order::Shortest,
    };
    let post = match args.post {
        PostPrecision::Exact => PostOptions::default(),
        PostPrecision::Cartesian => PostOptions { exact_predicates: 0, ..PostOptions::default() },
    };
    let lazy = LazyOptions { order, keep_subtree: args.keep_subtree, post };
    let slicing = !args.no_slice;
    Options { entry, property, cut, lazy, slicing, ..Options::default() }
}

fn text(program: &Program, report: &Report, args: &CheckArgs) -> String {
    let mut text = notes(program);
    for assumption in &report.assumptions {
        let _ = writeln!(text, "assumed: {assumption}");
    }
    if args.stats {
        text += &statistics(&report.statistics);
    }
    text += &explanation(program, &report.verdict, args);
    text += &verdict_line(&report.verdict);
    text
}

/// What the model of the program assumes.
fn notes(program: &Program) -> String {
    let mut text = String::new();
    for note in &program.notes {
        let place = if note.span.is_none() {
            String::new()
        } else {
            format!(" ({})", program.files.show(note.span))
        };
        let _ = writeln!(text, "assumed: {}: {}{place}", note.kind, note.message);
    }
    text
}

fn statistics(statistics: &Statistics) -> String {
    let mut text = String::new();
    for (name, number) in &statistics.numbers {
        let digits = if number.fract() == 0.0 { 0 } else { 2 };
        let _ = writeln!(text, "{name}: {number:.digits$}");
    }
    for (name, seconds) in &statistics.seconds {
        let _ = writeln!(text, "seconds, {name}: {seconds:.3}");
    }
    text
}

/// What stands behind a verdict.
fn explanation(program: &Program, verdict: &Verdict, args: &CheckArgs) -> String {
    let mut text = String::new();
    match verdict {
        Verdict::True(proof) => {
            let how = match proof {
                Proof::NoErrorSite => "the program has no error that could be reached".to_owned(),
                Proof::OnlyRun => "the program takes no input, and its only run is safe".to_owned(),
                Proof::Invariants(_) => "invariants exclude every error".to_owned(),
                Proof::AllExecutions { depth } => {
                    format!("all executions were looked at, {depth} blocks deep")
                }
            };
            let _ = writeln!(text, "{how}");
            if let (Proof::Invariants(invariants), true) = (proof, args.invariants) {
                for line in invariants.describe(program) {
                    let _ = writeln!(text, "  {line}");
                }
            }
        }
        Verdict::False(counterexample) => show_counterexample(program, counterexample, &mut text),
        Verdict::Unknown(_) => {}
    }
    text
}

/// The last line.
fn verdict_line(verdict: &Verdict) -> String {
    match verdict {
        Verdict::True(_) => "VERDICT: TRUE\n".to_owned(),
        Verdict::False(_) => "VERDICT: FALSE\n".to_owned(),
        Verdict::Unknown(reason) => format!("VERDICT: UNKNOWN ({reason})\n"),
    }
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
