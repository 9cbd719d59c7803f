//! `gnomon bp check` and `gnomon bp sequentialize` on programs with threads.

use std::fmt;
use std::io::Write;
use std::num::NonZeroU32;

use clap::{Args, ValueEnum};
use gnomon_boolprog::bp;
use gnomon_boolprog::concurrent::check::{
    CheckedContexts, ConcurrentOptions, ConcurrentOutcome, ConcurrentVerdict, Method, Reason, check,
};
use gnomon_boolprog::concurrent::reduce;
use gnomon_boolprog::concurrent::report::{schedule, schedule_text, switches_text};
use gnomon_boolprog::concurrent::switches::fatal_switches;
use gnomon_boolprog::concurrent::system::{SystemOptions, ThreadSystem};
use gnomon_boolprog::model::{Model, PointId};
use gnomon_boolprog::source::Source;
use gnomon_budget::Budget;

use super::{BAD_INPUT, CheckArgs, FALSE, Input, TRUE, internal, unknown, wanted, write_json};

/// How programs with threads are checked.
#[derive(Debug, Args)]
pub(super) struct ThreadArgs {
    /// For programs with threads: the most execution contexts of each thread, round-robin. Without
    /// it the number grows until the answer is known.
    #[arg(long)]
    contexts: Option<NonZeroU32>,
    /// For programs with threads: who looks for an error within a number of contexts.
    #[arg(long, value_enum, default_value_t = MethodName::Lazy)]
    method: MethodName,
    /// For programs with threads: how many threads a `start_thread` that is executed repeatedly may
    /// start.
    #[arg(long, default_value_t = NonZeroU32::MIN.saturating_add(1))]
    instances: NonZeroU32,
    /// For programs with threads: do not try to show the answer for every number of contexts.
    #[arg(long)]
    no_proof: bool,
    /// For programs with threads: list all statements at which one of two switches leads to an error.
    #[arg(long)]
    switches: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MethodName {
    Lazy,
    Eager,
    Transducer,
    Reduce,
}

/// What to reduce.
#[derive(Debug, Args)]
pub(super) struct SequentializeArgs {
    #[command(flatten)]
    input: Input,
    /// Execution contexts of each thread.
    #[arg(long)]
    contexts: NonZeroU32,
    /// How many threads a `start_thread` that is executed repeatedly may start.
    #[arg(long, default_value_t = NonZeroU32::MIN.saturating_add(1))]
    instances: NonZeroU32,
    /// The error label (`L` or `f.L`); may be given several times. Default: SLIC_ERROR or ERROR.
    #[arg(long)]
    label: Vec<String>,
    /// Do not look at assertions.
    #[arg(long)]
    no_assertions: bool,
}

fn system_of(model: &Model, instances: NonZeroU32) -> Result<ThreadSystem, u8> {
    let options = SystemOptions { instances: instances.get() };
    ThreadSystem::new(model, options).map_err(|reason| unknown(&reason))
}

/// Decides and prints the verdict.
pub(super) fn run(
    args: &CheckArgs,
    source: &Source,
    model: &Model,
    (checked, budget): (&CheckedContexts, &Budget),
) -> Result<u8, u8> {
    if args.invariants || !args.values.is_empty() {
        warn!("note: no values: these are computed for programs with one thread only");
    }
    let system = system_of(model, args.threads.instances)?;
    let targets = wanted(&system.model, &args.label, !args.no_assertions)?;
    if args.threads.switches {
        print_switches(args, source, &system, &targets, budget)?;
    }
    let options = ConcurrentOptions {
        method: match args.threads.method {
            MethodName::Lazy => Method::Lazy,
            MethodName::Eager => Method::Eager,
            MethodName::Transducer => Method::Transducer,
            MethodName::Reduce => Method::Reduce,
        },
        contexts: args.threads.contexts.map(|k| k.get() as usize),
        system: SystemOptions { instances: args.threads.instances.get() },
        sequential: args.sequential_options(),
        prove: !args.threads.no_proof,
        checked: checked.clone(),
    };
    let outcome =
        check(&system, &targets, &options, budget).map_err(|error| internal(&error.to_string()))?;
    print_outcome(args, source, &system, &outcome)
}

fn print_outcome(
    args: &CheckArgs,
    source: &Source,
    system: &ThreadSystem,
    outcome: &ConcurrentOutcome,
) -> Result<u8, u8> {
    let (threads, globals) = (outcome.threads, system.model.globals);
    match outcome.nodes {
        // Several tables were used.
        0 => say!("{threads} threads, {globals} shared variables"),
        nodes => say!("{threads} threads, {globals} shared variables, {nodes} BDD nodes"),
    }
    match &outcome.verdict {
        ConcurrentVerdict::True(reason) => {
            match reason {
                Reason::NoTargets => {}
                Reason::Still(contexts) => {
                    say!("no thread can take a step after {contexts} contexts per thread");
                }
                Reason::Closed => {
                    say!(
                        "holds for any number of contexts: the threads are closed under interference"
                    );
                }
                Reason::Enumerated => {
                    say!("holds for any number of contexts: all states were enumerated");
                }
            }
            say!("VERDICT: TRUE");
            Ok(TRUE)
        }
        ConcurrentVerdict::False(found) => {
            let trace = schedule(source, system, found);
            let switches = trace.switches;
            let plural = if switches == 1 { "switch" } else { "switches" };
            say!("counterexample with {switches} context {plural}, executed by the interpreter:");
            say_on!("{}", schedule_text(&trace));
            if let Some(path) = &args.json {
                write_json(path, &trace)?;
            }
            say!("VERDICT: FALSE");
            Ok(FALSE)
        }
        ConcurrentVerdict::Unknown { contexts, why } => Ok(unknown(&within(*contexts, why))),
    }
}

/// What is known without an answer.
pub(super) fn within(contexts: usize, why: &dyn fmt::Display) -> String {
    let plural = if contexts == 1 { "context" } else { "contexts" };
    format!("no error within {contexts} {plural} per thread; {why}")
}

fn print_switches(
    args: &CheckArgs,
    source: &Source,
    system: &ThreadSystem,
    targets: &[PointId],
    budget: &Budget,
) -> Result<(), u8> {
    let list = fatal_switches(system, targets, &args.sequential_options(), budget)
        .map_err(|error| unknown(&error))?;
    say!("switches that lead to an error, of at most two: {}", list.len());
    say_on!("{}", switches_text(source, system, &list));
    Ok(())
}

/// Prints the sequential program.
pub(super) fn sequentialize(args: &SequentializeArgs) -> Result<u8, u8> {
    let (_, model) = args.input.model(None)?;
    let system = ThreadSystem::new(&model, SystemOptions { instances: args.instances.get() })
        .map_err(|reason| {
            warn!("error: {reason}");
            BAD_INPUT
        })?;
    let targets = wanted(&system.model, &args.label, !args.no_assertions)?;
    let program = reduce::sequentialize(&system, args.contexts.get() as usize, &targets);
    say_on!("{}", bp::print::program(&program));
    Ok(TRUE)
}
