//! Schedules executed before anything is proved: they decide small programs for any number of
//! contexts, and find errors that need many threads.

use gnomon_budget::Budget;
use gnomon_engine::verdict::Verdict;
use gnomon_ir::program::Program;
use gnomon_threads::schedules::{Schedules, explore};
use gnomon_threads::{Rounds, sequentialize};
use gnomon_verify::decide::{Options, all_executed, executed, run_options};

use super::{Found, Outcome, asked, found, reported, wanted_reports};
use crate::exit::Failure;
use crate::thread_args::ThreadArgs;

/// The part of the time that it may take.
const SHARE: u32 = 3;

/// The outcome, if executing schedules is enough for one.
pub fn decided(
    program: &Program,
    options: &Options,
    threads: &ThreadArgs,
    budget: &Budget,
) -> Result<Option<Outcome>, Failure> {
    let property = &options.property;
    let only_calls =
        property.labels.is_empty() && property.lines.is_empty() && property.edges.is_empty();
    if threads.only_contexts || !only_calls {
        return Ok(None);
    }
    let budget = &match budget.time_left() {
        Some(left) => budget.with_cpu_time(left / SHARE),
        None => budget.clone(),
    };
    let mut threads_per_call = 2.min(threads.threads_per_call.max(1));
    loop {
        let reduction = gnomon_threads::Options {
            entry: options.entry.clone(),
            rounds: Rounds::Unbounded,
            threads_per_call,
            errors: property.functions.clone(),
            reported: reported(threads),
            ..gnomon_threads::Options::default()
        };
        // What cannot be taken apart is said by those who come after.
        let Ok(sequential) = sequentialize(program, &reduction, budget) else { return Ok(None) };
        let options = asked(&sequential, options, &wanted_reports(threads));
        let running = run_options(&sequential.program, &options).map_err(Failure::error)?;
        let mut engine = match explore(&sequential, &running, budget) {
            Schedules::Open { states, why } => {
                budget.report("schedules", format_args!("{states} states: {why}"));
                return Ok(None);
            }
            Schedules::All { states } => all_executed(&sequential.program, states),
            Schedules::Error(inputs) => {
                let run = executed(&sequential.program, &options, inputs, budget);
                match run.map_err(Failure::error)? {
                    Some(report) => report,
                    None => return Ok(None),
                }
            }
        };
        if matches!(engine.verdict, Verdict::Unknown(_)) {
            return Ok(None);
        }
        match found(&sequential, &mut engine) {
            Found::MoreThreads if threads_per_call >= threads.threads_per_call => {
                return Ok(Some(Outcome::too_many_threads(threads)));
            }
            Found::MoreThreads => {
                threads_per_call = (threads_per_call * 2).min(threads.threads_per_call);
            }
            Found::NotModelled(what) => return Ok(Some(Outcome::not_modelled(&what))),
            Found::Answer | Found::Proved | Found::MoreContexts => {
                let (contexts, proved) = (None, None);
                let sequential = Some(sequential);
                return Ok(Some(Outcome { sequential, engine, contexts, proved }));
            }
        }
    }
}
