//! `gnomon check`: can the program reach an error?

mod interrupt;
mod property;

use std::fmt::Write;
use std::sync::Arc;

use gnomon_budget::{Budget, Progress};
use gnomon_engine::check::{Options, Report, check};
use gnomon_engine::explore::Cut;
use gnomon_engine::lazy::LazyOptions;
use gnomon_engine::property::Property;
use gnomon_engine::replay::Counterexample;
use gnomon_engine::tree::Order;
use gnomon_engine::verdict::{Proof, Verdict};
use gnomon_ir::program::Program;
use gnomon_predabs::PostOptions;

use crate::args::{BlockSize, CheckArgs, PostPrecision, SearchOrder};
use crate::exit::{Failure, Status};
use crate::{load, output};

/// Checks a program.
pub fn run(args: &CheckArgs) -> Result<Status, Failure> {
    let (property, entry) = property::requested(args)?;
    let program = load::program(&args.input)?;
    let options = options(args, entry, property);
    gnomon_logic::solver::memory::limit(args.memory);
    // A quarter is left to the solvers that work in processes of their own.
    let memory = (args.memory << 20) / 4 * 3;
    let budget = Budget::unlimited().with_cpu_time(args.time).with_memory(memory);
    interrupt::cancels(&budget);
    let budget = if args.verbose { budget.with_progress(Arc::new(Told)) } else { budget };
    let report = check(&program, &options, &budget).map_err(Failure::error)?;
    output::result(&text(&program, &report, args.stats));
    Ok(match report.verdict {
        Verdict::True(_) => Status::True,
        Verdict::False(_) => Status::False,
        Verdict::Unknown(_) => Status::Unknown,
    })
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
