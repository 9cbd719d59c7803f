//! Programs with threads, taken apart: one sequential program after the other, with more and more
//! contexts, until there is an error, a proof for all schedules, or no budget.

mod executing;
pub(crate) mod following;
pub mod messages;
pub mod rows;

use std::collections::BTreeMap;

use gnomon_budget::Budget;
use gnomon_engine::facts::Facts;
use gnomon_engine::property::{ErrorSites, Property as Forbidden, Site};
use gnomon_engine::verdict::{Reason, Statistics, Verdict};
use gnomon_ir::program::Program;
use gnomon_ir::property::{Property, Specification};
use gnomon_report::model::{self, Answer};
use gnomon_threads::intrinsics::reports::{self, Kind};
use gnomon_threads::{Refused, Reported, Rounds, Sequential, sequentialize};

use self::messages::{message, reported_at};
use crate::decide::{self, Options, Report};
use crate::error::VerifyError;
use crate::request::Threads;
use crate::subject::called_at;

/// How threads are checked, and what is an error of theirs.
#[derive(Clone, Copy)]
pub(crate) struct How {
    pub threads: Threads,
    pub reported: Reported,
}

impl How {
    /// Of a specification.
    pub fn new(threads: Threads, asked: &Specification) -> Self {
        let reported = Reported {
            deadlock: asked.forbids(&Property::Deadlock),
            misuse: asked.forbids(&Property::Misuse),
            race: asked.forbids(&Property::DataRace),
        };
        Self { threads, reported }
    }
}

/// What the engines and executions say about a program with threads.
pub(crate) fn decided(
    program: &Program,
    options: &Options,
    how: How,
    budget: &Budget,
) -> Result<Decided, VerifyError> {
    match executing::decided(program, options, how, budget)? {
        Some(decided) => Ok(decided),
        None => deepened(program, options, how, budget),
    }
}

/// Which property a site of the sequential program is about: an error of threads, an edge of the
/// user's program, or a call.
pub(crate) fn property_of(
    sequential: Option<&Sequential>,
    properties: &BTreeMap<Site, Property>,
    site: Site,
) -> Option<Property> {
    let sequential = sequential?;
    match reported_at(sequential, site) {
        Some((Kind::Deadlock, _)) => return Some(Property::Deadlock),
        Some((Kind::Misuse, _)) => return Some(Property::Misuse),
        Some((Kind::Race, _)) => return Some(Property::DataRace),
        Some((Kind::MoreContexts | Kind::NotModelled | Kind::TooManyThreads, _)) => return None,
        None => {}
    }
    let is_copy =
        |of: &Site| sequential.edges_of(of.func, of.edge).contains(&(site.func, site.edge));
    let of_edge = properties.iter().find(|(of, _)| is_copy(of));
    of_edge.map(|(_, property)| property.clone()).or_else(|| called_at(&sequential.program, site))
}

/// What came out, of which program.
pub(crate) struct Decided {
    pub sequential: Option<Sequential>,
    pub engine: Report,
    /// For how many contexts of each thread it holds; for all if `None`.
    pub contexts: Option<usize>,
    /// What is proved of the sequential program.
    pub proved: Option<Options>,
}

impl Decided {
    /// Nothing is known.
    pub fn unknown(reason: String) -> Self {
        let engine = Report::of(Verdict::Unknown(Reason::NotCovered(reason)));
        Self { sequential: None, engine, contexts: None, proved: None }
    }

    fn too_many_threads(how: How) -> Self {
        let limit = how.threads.threads_per_call;
        Self::unknown(format!(
            "a call in a loop makes more than {limit} threads (--threads-per-call)"
        ))
    }

    fn not_modelled(what: &str) -> Self {
        Self::unknown(format!("threads: {what}: not modelled"))
    }

    fn refused(program: &Program, refused: &Refused) -> Self {
        let place = match refused.span.is_none() {
            true => String::new(),
            false => format!("{}: ", program.files.show(refused.span)),
        };
        Self::unknown(format!("threads: {place}{refused}"))
    }
}

/// A proof says for which schedules it holds.
pub(crate) fn say_contexts(report: &mut model::Report, contexts: Option<usize>) {
    for finding in &mut report.findings {
        if let (Answer::Proved(proof), Some(contexts)) = (&mut finding.answer, contexts) {
            let most = if contexts == 1 { "one context" } else { "contexts" };
            let count = if contexts == 1 { String::new() } else { format!("{contexts} ") };
            proof.text =
                format!("no schedule has more than {count}{most} of each thread; {}", proof.text);
        }
    }
}

/// What one more look showed.
enum Found {
    /// An error, or nothing that can be known.
    Answer,
    /// A call makes more threads than were there for it.
    MoreThreads,
    /// Something is reached that is not modelled.
    NotModelled(String),
    /// Threads can go on.
    MoreContexts,
    /// No error, and nothing can go on.
    Proved,
}

fn deepened(
    program: &Program,
    options: &Options,
    how: How,
    budget: &Budget,
) -> Result<Decided, VerifyError> {
    let threads = how.threads;
    let mut threads_per_call = 2.min(threads.threads_per_call.max(1));
    let mut statistics = Statistics::default();
    let refused = |contexts: usize, refused: &Refused| {
        let mut outcome = Decided::refused(program, refused);
        if contexts > 1 {
            outcome.engine.partial.push(known_so_far(contexts - 1));
        }
        outcome
    };
    let mut contexts = 1;
    while contexts <= threads.contexts {
        budget.report("threads", format_args!("{contexts} contexts of each thread"));
        let reduced = |tries_more: bool| {
            let reduction = gnomon_threads::Options {
                entry: options.entry.clone(),
                rounds: Rounds::Bounded(contexts),
                tries_more,
                threads_per_call,
                errors: options.property.functions.clone(),
                reported: how.reported,
                ..gnomon_threads::Options::default()
            };
            sequentialize(program, &reduction, budget)
        };
        let mut sequential = match reduced(true) {
            Ok(sequential) => sequential,
            Err(why) => return Ok(refused(contexts, &why)),
        };
        let wanted_reports = wanted_reports(how.reported);
        let mut more = wanted_reports.clone();
        more.push(reports::MORE_CONTEXTS);
        // Whether threads can go on is mostly easy to see, and a proof that they cannot says all.
        let mut found = look(&sequential, options, &more, budget)?;
        statistics.add(found.1.statistics.clone());
        let is_open = matches!(found.1.verdict, Verdict::Unknown(_));
        if is_open || matches!(found.0, Found::MoreContexts) {
            sequential = match reduced(false) {
                Ok(sequential) => sequential,
                Err(why) => return Ok(refused(contexts, &why)),
            };
            let alone = look(&sequential, options, &wanted_reports, budget)?;
            statistics.add(alone.1.statistics.clone());
            found = match alone.0 {
                Found::Proved => (Found::MoreContexts, alone.1),
                _ => alone,
            };
        }
        let (found, mut engine) = found;
        engine.statistics = statistics.clone();
        match found {
            Found::Answer => {
                if let Verdict::Unknown(_) = engine.verdict {
                    engine.partial.insert(0, known_so_far(contexts - 1));
                }
                let (contexts, proved) = (None, None);
                return Ok(Decided { sequential: Some(sequential), engine, contexts, proved });
            }
            Found::Proved => {
                let (contexts, proved) = (Some(contexts), Some(asked(&sequential, options, &more)));
                return Ok(Decided { sequential: Some(sequential), engine, contexts, proved });
            }
            Found::MoreThreads if threads_per_call >= threads.threads_per_call => {
                return Ok(Decided::too_many_threads(how));
            }
            Found::MoreThreads => {
                threads_per_call = (threads_per_call * 2).min(threads.threads_per_call);
            }
            Found::NotModelled(what) => {
                return Ok(Decided::not_modelled(&what));
            }
            Found::MoreContexts => contexts += 1,
        }
    }
    let reason = format!("bounded: TRUE up to {} contexts per thread", threads.contexts);
    let mut outcome = Decided::unknown(reason.clone());
    outcome.engine.verdict = Verdict::Unknown(Reason::NoProgress(reason));
    outcome.engine.statistics = statistics;
    Ok(outcome)
}

/// What the reduction itself reports and is looked for.
fn wanted_reports(reported: Reported) -> Vec<&'static str> {
    let mut wanted = vec![reports::TOO_MANY_THREADS, reports::NOT_MODELLED];
    let errors = [
        (reported.deadlock, reports::DEADLOCK),
        (reported.misuse, reports::MISUSE),
        (reported.race, reports::RACE),
    ];
    wanted.extend(errors.iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, name)| name));
    wanted
}

fn known_so_far(contexts: usize) -> String {
    match contexts {
        0 => "no number of contexts per thread was looked at to the end".to_owned(),
        1 => "no error is reached with one context per thread".to_owned(),
        _ => format!("no error is reached with up to {contexts} contexts per thread"),
    }
}

/// The check of a sequential program for the user's errors and some of the reduction's own reports.
fn asked(sequential: &Sequential, options: &Options, also: &[&str]) -> Options {
    let mut property = moved(&options.property, sequential);
    property.functions.extend(also.iter().map(|&name| name.to_owned()));
    Options { entry: sequential.entry.clone(), property, ..options.clone() }
}

/// Checks the sequential program for the user's errors and some of the reduction's own reports.
fn look(
    sequential: &Sequential,
    options: &Options,
    also: &[&str],
    budget: &Budget,
) -> Result<(Found, Report), VerifyError> {
    let options = asked(sequential, options, also);
    let program = &sequential.program;
    let entry = decide::entry(program, &options)?;
    let sites = ErrorSites::of(program, &options.property)?;
    let facts = Facts::new(program, entry, options.memory, budget);
    let mut engine = decide::check_known(&facts, entry, &sites, &options, budget);
    let found = found(sequential, &mut engine);
    Ok((found, engine))
}

/// What a verdict on a sequential program means.
fn found(sequential: &Sequential, engine: &mut Report) -> Found {
    let run = match &mut engine.verdict {
        Verdict::True(_) => return Found::Proved,
        Verdict::Unknown(_) => return Found::Answer,
        Verdict::False(run) => run,
    };
    match reported_at(sequential, run.site) {
        Some((Kind::TooManyThreads, _)) => Found::MoreThreads,
        Some((Kind::MoreContexts, _)) => Found::MoreContexts,
        Some((Kind::NotModelled, text)) => Found::NotModelled(text.unwrap_or_default().to_owned()),
        Some((Kind::Deadlock | Kind::Misuse | Kind::Race, _)) | None => {
            if let Some(message) = message(sequential, run) {
                run.message = message;
            }
            Found::Answer
        }
    }
}

/// The property in the sequential program.
fn moved(property: &Forbidden, sequential: &Sequential) -> Forbidden {
    let mut moved = property.clone();
    moved.edges = property
        .edges
        .iter()
        .flat_map(|(site, what)| {
            let edges = sequential.edges_of(site.func, site.edge);
            edges.into_iter().map(|(func, edge)| (Site { func, edge }, what.clone()))
        })
        .collect();
    moved
}
