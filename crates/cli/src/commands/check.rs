//! `gnomon check`: can the program reach an error?

mod each;
mod interrupt;
pub mod outputs;
mod property;
mod run_text;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use gnomon_budget::Budget;
use gnomon_cfront::translate::Models;
use gnomon_engine::check::{Engine, Options, Report, check, check_each};
use gnomon_engine::explore::Cut;
use gnomon_engine::lazy::LazyOptions;
use gnomon_engine::property::{Property, Site};
use gnomon_engine::pushdown::{PushdownOptions, RelationOptions};
use gnomon_engine::tree::Order;
use gnomon_engine::verdict::{Proof, Statistics, Verdict};
use gnomon_instrument::instrument;
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_predabs::PostOptions;
use gnomon_report::model::{Answer, Execution, Report as Written};

use self::outputs::Subject;
use self::property::Requested;
use self::run_text::View;
use super::replay;
use crate::args::{BlockSize, CheckArgs, EngineChoice, PostPrecision, SearchOrder};
use crate::exit::{Failure, Status};
use crate::output_args::OutputArgs;
use crate::{load, output};

/// Checks a program.
pub fn run(args: &CheckArgs, wanted: &OutputArgs) -> Result<Status, Failure> {
    let Task { program, options, inserted } = requested(args)?;
    gnomon_logic::solver::memory::limit(args.memory);
    // A quarter is left to the solvers that work in processes of their own.
    let memory = (args.memory << 20) / 4 * 3;
    let budget = Budget::unlimited().with_cpu_time(args.time).with_memory(memory);
    interrupt::cancels(&budget);
    let budget = if args.verbose { budget.with_progress(Arc::new(output::Told)) } else { budget };
    let subject = Subject { program: &program, inserted: &inserted, options: &options, args };
    let view = View { program: &program, entry: &options.entry, inserted: &inserted };
    if args.each {
        let reports = check_each(&program, &options, &budget).map_err(Failure::error)?;
        let mut report = subject.each(&reports)?;
        subject.write(&mut report, wanted)?;
        output::result(&each::text(&view, &reports, args));
        return Ok(each::status(&reports));
    }
    let report = check(&program, &options, &budget).map_err(Failure::error)?;
    if args.projection {
        output::result(&super::project::text_for(&program, &options, args)?);
    }
    let mut written = subject.whole(&report)?;
    subject.write(&mut written, wanted)?;
    output::result(&text(&view, &report, &written, args));
    Ok(status(&report.verdict))
}

/// What is asked for.
pub(super) struct Task {
    /// The program, with checks.
    pub program: Program,
    /// The options of the check.
    pub options: Options,
    /// Edges of checks, which nobody wrote.
    pub inserted: BTreeSet<(FuncId, EdgeId)>,
}

/// The program with the checks in it that are asked for, and the options of the check.
pub(super) fn requested(args: &CheckArgs) -> Result<Task, Failure> {
    let Requested { mut property, entry, checks } = property::requested(args)?;
    let mut program = load::program_with(&args.input, Models::BuiltIn)?;
    let mut inserted = BTreeSet::new();
    if !checks.is_empty() {
        let instrumented = instrument(&program, checks);
        program = instrumented.program;
        inserted = instrumented.inserted;
        property.edges = instrumented
            .violations
            .into_iter()
            .map(|v| (Site { func: v.func, edge: v.edge }, v.message))
            .collect();
    }
    let options = options(args, entry, property);
    Ok(Task { program, options, inserted })
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
    let engine = match args.engine {
        EngineChoice::Auto => Engine::Auto,
        EngineChoice::Lazy => Engine::Lazy,
        EngineChoice::Pushdown => Engine::Pushdown,
    };
    let slicing = !args.no_slice;
    let relation = match args.post {
        PostPrecision::Exact => RelationOptions::default(),
        PostPrecision::Cartesian => RelationOptions::cartesian(),
    };
    let pushdown = PushdownOptions { relation, projections: args.use_projections };
    let (block_places, strict) = (args.block_places, args.strict);
    Options {
        entry,
        property,
        cut,
        block_places,
        engine,
        lazy,
        pushdown,
        slicing,
        strict,
        ..Options::default()
    }
}

fn text(view: &View<'_>, report: &Report, written: &Written, args: &CheckArgs) -> String {
    let mut text = notes(view.program);
    for assumption in &report.assumptions {
        let _ = writeln!(text, "assumed: {assumption}");
    }
    if args.stats {
        text += &statistics(&report.statistics);
    }
    text += &explanation(view, &report.verdict, args);
    for line in &report.partial {
        let _ = writeln!(text, "{line}");
    }
    text += &executions(written);
    text += &verdict_line(&report.verdict);
    text
}

/// What executions of the compiled program showed, where they were asked for.
fn executions(written: &Written) -> String {
    let mut text = String::new();
    for finding in &written.findings {
        if let Answer::Violated(run) = &finding.answer
            && run.execution != Execution::NotTried
        {
            let _ = writeln!(text, "{}", replay::text(&run.execution));
        }
    }
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

/// What was done.
pub(super) fn statistics(statistics: &Statistics) -> String {
    let mut text = String::new();
    if let Some(engine) = statistics.engine {
        let _ = writeln!(text, "engine: {engine}");
    }
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
fn explanation(view: &View<'_>, verdict: &Verdict, args: &CheckArgs) -> String {
    let mut text = String::new();
    match verdict {
        Verdict::True(proof) => {
            let how = match proof {
                Proof::NoErrorSite => "the program has no error that could be reached".to_owned(),
                Proof::OnlyRun => "the program takes no input, and its only run is safe".to_owned(),
                Proof::Invariants(_) => "invariants exclude every error".to_owned(),
                Proof::Summaries => "summaries of all functions exclude every error".to_owned(),
                Proof::AllExecutions { depth } => {
                    format!("all executions were looked at, {depth} blocks deep")
                }
            };
            let _ = writeln!(text, "{how}");
            if let (Proof::Invariants(invariants), true) = (proof, args.invariants) {
                for line in invariants.describe(view.program) {
                    let _ = writeln!(text, "  {line}");
                }
            }
        }
        Verdict::False(run) => text += &view.counterexample(run),
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
