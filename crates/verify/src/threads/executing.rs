//! Schedules executed before anything is proved: they decide small programs for any number of
//! contexts, and find errors that need many threads.

use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::verdict::Verdict;
use gnomon_ir::program::Program;
use gnomon_threads::schedules::{Schedules, explore};
use gnomon_threads::{Rounds, sequentialize};

use super::{Decided, Found, How, asked, found, wanted_reports};
use crate::clock::at_most;
use crate::decide::{Options, all_executed, executed, run_options};
use crate::error::VerifyError;

/// What executing may take of the engines' time.
const TIME: Duration = Duration::from_secs(60);

/// The outcome, if executing schedules is enough for one.
pub fn decided(
    program: &Program,
    options: &Options,
    how: How,
    budget: &Budget,
) -> Result<Option<Decided>, VerifyError> {
    let threads = how.threads;
    let property = &options.property;
    let only_calls =
        property.labels.is_empty() && property.lines.is_empty() && property.edges.is_empty();
    if threads.only_contexts || !only_calls {
        return Ok(None);
    }
    let budget = &at_most(budget, TIME);
    let mut threads_per_call = 2.min(threads.threads_per_call.max(1));
    loop {
        let reduction = gnomon_threads::Options {
            entry: options.entry.clone(),
            rounds: Rounds::Unbounded,
            threads_per_call,
            errors: property.functions.clone(),
            reported: how.reported,
            ..gnomon_threads::Options::default()
        };
        // What cannot be taken apart is said by those who come after.
        let Ok(sequential) = sequentialize(program, &reduction, budget) else { return Ok(None) };
        let options = asked(&sequential, options, &wanted_reports(how.reported));
        let running = run_options(&sequential.program, &options)?;
        let mut engine = match explore(&sequential, &running, budget) {
            Schedules::Open { states, why } => {
                budget.report("schedules", format_args!("{states} states: {why}"));
                return Ok(None);
            }
            Schedules::All { states } => all_executed(&sequential.program, states),
            Schedules::Error(inputs) => {
                let run = executed(&sequential.program, &options, inputs, budget);
                match run? {
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
                return Ok(Some(Decided::too_many_threads(how)));
            }
            Found::MoreThreads => {
                threads_per_call = (threads_per_call * 2).min(threads.threads_per_call);
            }
            Found::NotModelled(what) => return Ok(Some(Decided::not_modelled(&what))),
            Found::Answer | Found::Proved | Found::MoreContexts => {
                let (contexts, proved) = (None, None);
                let sequential = Some(sequential);
                return Ok(Some(Decided { sequential, engine, contexts, proved }));
            }
        }
    }
}
