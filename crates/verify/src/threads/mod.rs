//! Programs with threads: a contest of three engines, one that executes schedules
//! ([`engines::schedules`]), one that takes threads apart, with more and more contexts
//! ([`engines::contexts`]), and one that proves for any number of threads ([`engines::views`]).

pub(crate) mod following;
pub mod messages;
pub mod rows;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gnomon_budget::Budget;
use gnomon_engine::facts::Facts;
use gnomon_engine::property::{Property as Forbidden, Site};
use gnomon_engine::reason::NoProgress;
use gnomon_engine::unsupported::Construct;
use gnomon_engine::verdict::{Reason, Verdict};
use gnomon_ir::program::Program;
use gnomon_ir::property::{Property, Specification};
use gnomon_report::model::{self, Answer};
use gnomon_threads::intrinsics::reports::{self, Kind};
use gnomon_threads::{Refused, Reported, Sequential};

use self::messages::{message, reported_at};
use crate::decide::{self, AllRuns, BadRequest, Options, Report};
use crate::engine::Progress;
use crate::engines;
use crate::error::VerifyError;
use crate::exchange::Exchange;
use crate::minimise::minimise;
use crate::outcome::Answers;
use crate::request::Threads;
use crate::scheduler::{AsTold, Contest, Decision};
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

/// A program with threads, for the engines.
pub(crate) struct Threaded<'a> {
    pub program: &'a Program,
    pub options: &'a Options,
    pub how: How,
    /// What came out, by engine.
    found: Mutex<BTreeMap<&'static str, Result<Decided, BadRequest>>>,
}

impl Threaded<'_> {
    /// What is said of all runs of a sequential program, which stands for this one.
    pub fn all_runs(
        &self,
        sequential: &Sequential,
        options: &Options,
        budget: &Budget,
        report: impl FnOnce(AllRuns<'_>) -> Report,
    ) -> Result<Report, Progress> {
        let facts = |program, options: &Options| {
            let entry = decide::entry(program, options).map_err(|bad| self.bad(bad))?;
            Facts::new(program, entry, options.memory, budget).map_err(Progress::limit)
        };
        let model = facts(&sequential.program, options)?;
        let original = facts(self.program, self.options)?;
        Ok(report(AllRuns { model: &model, original: Some(&original), budget }))
    }

    /// Notes what an engine has found, and gives its end.
    pub fn tell(&self, engine: &'static str, decided: Decided) -> Progress {
        let progress = match &decided.engine.verdict {
            Verdict::True(proof) => Progress::Proved(proof.clone()),
            Verdict::False(run) => Progress::Executed(run.clone()),
            Verdict::Unknown(reason) => Progress::GivenUp(reason.clone()),
        };
        self.found().insert(engine, Ok(decided));
        progress
    }

    /// Notes that nothing can be asked, and gives the end of the engine.
    pub fn bad(&self, bad: BadRequest) -> Progress {
        let reason = Reason::NoProgress(NoProgress::BadRequest(bad.to_string()));
        self.found().insert(engines::CONTEXTS, Err(bad));
        Progress::GivenUp(reason)
    }

    fn found(&self) -> MutexGuard<'_, BTreeMap<&'static str, Result<Decided, BadRequest>>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the engines and executions say about a program with threads.
pub(crate) fn decided(
    program: &Program,
    options: &Options,
    how: How,
    budget: &Budget,
) -> Result<Decided, VerifyError> {
    let subject = Threaded { program, options, how, found: Mutex::default() };
    let exchange = Exchange::default();
    let mut entrants: Vec<_> = engines::schedules(&subject).into_iter().collect();
    entrants.push(engines::contexts(&subject));
    entrants.extend(engines::views(&subject));
    let contest = Contest {
        entrants,
        judge: &AsTold,
        exchange: &exchange,
        budget,
        jobs: options.jobs,
        differs_in_support: true,
    };
    let Decision { verdict, statistics, .. } = contest.decide();
    drop(contest);
    let mut found = std::mem::take(&mut *subject.found());
    // Without an answer, what the deepening says is said.
    let best = [statistics.engine.unwrap_or(engines::CONTEXTS), engines::SCHEDULES];
    let mut decided = match best.iter().find_map(|name| found.remove(name)) {
        Some(decided) => decided?,
        None => Decided::of(Report::of(verdict)),
    };
    decided.engine.statistics = statistics;
    Ok(decided)
}

/// Makes the run of an error shorter, as a run of the sequential program: its inputs include the schedule.
pub(crate) fn minimised(
    sequential: &Sequential,
    options: &Options,
    how: How,
    answers: &mut Answers,
    budget: &Budget,
) {
    let options = asked(sequential, options, &wanted_reports(how.reported));
    minimise(&sequential.program, &options, answers, budget);
    if let Answers::Whole(report) = answers
        && let Verdict::False(run) = &mut report.verdict
        && let Some(message) = message(sequential, run)
    {
        run.message = message;
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
        Some((
            Kind::MoreContexts | Kind::NotModelled | Kind::TooManyThreads | Kind::TooDeep,
            _,
        )) => {
            return None;
        }
        None => {}
    }
    let is_copy =
        |of: &Site| sequential.edges_of(of.func, of.edge).contains(&(site.func, site.edge));
    let of_edge = properties.iter().find(|(of, _)| is_copy(of));
    of_edge.map(|(_, property)| property.clone()).or_else(|| called_at(&sequential.program, site))
}

/// How many calls of a function that calls itself while it shares data are followed at first, and at most.
pub(crate) const CALLS_DEEP: usize = 4;
pub(crate) const MOST_CALLS_DEEP: usize = 64;

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
        Self::of(Report::of(Verdict::Unknown(Reason::unsupported(Construct::Threads(reason)))))
    }

    fn of(engine: Report) -> Self {
        Self { sequential: None, engine, contexts: None, proved: None }
    }

    /// No error within the contexts that the user wants to have looked at.
    pub fn bounded(contexts: usize) -> Self {
        let reason = Reason::NoProgress(NoProgress::Contexts(contexts));
        Self::of(Report::of(Verdict::Unknown(reason)))
    }

    pub fn too_many_threads(how: How) -> Self {
        let limit = how.threads.threads_per_call;
        Self::unknown(format!(
            "a call in a loop makes more than {limit} threads (--threads-per-call)"
        ))
    }

    pub fn too_deep() -> Self {
        Self::unknown(format!(
            "a function that shares data with other threads calls itself more than {MOST_CALLS_DEEP} deep"
        ))
    }

    pub fn not_modelled(what: &str) -> Self {
        Self::unknown(format!("threads: {what}: not modelled"))
    }

    pub fn refused(program: &Program, refused: &Refused) -> Self {
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
pub(crate) enum Found {
    /// An error, or nothing that can be known.
    Answer,
    /// A call makes more threads than were there for it.
    MoreThreads,
    /// A function calls itself deeper than it is followed.
    Deeper,
    /// Something is reached that is not modelled.
    NotModelled(String),
    /// Threads can go on.
    MoreContexts,
    /// No error, and nothing can go on.
    Proved,
}

/// What the reduction itself reports and is looked for.
pub(crate) fn wanted_reports(reported: Reported) -> Vec<&'static str> {
    let mut wanted = vec![reports::TOO_MANY_THREADS, reports::TOO_DEEP, reports::NOT_MODELLED];
    let errors = [
        (reported.deadlock, reports::DEADLOCK),
        (reported.misuse, reports::MISUSE),
        (reported.race, reports::RACE),
    ];
    wanted.extend(errors.iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, name)| name));
    wanted
}

/// The check of a sequential program for the user's errors and some of the reduction's own reports.
pub(crate) fn asked(sequential: &Sequential, options: &Options, also: &[&str]) -> Options {
    let mut property = moved(&options.property, sequential);
    property.functions.extend(also.iter().map(|&name| name.to_owned()));
    Options { entry: sequential.entry.clone(), property, ..options.clone() }
}

/// Why nothing comes of an engine: the others say what cannot be taken apart.
pub(crate) fn open(why: impl Into<String>) -> Progress {
    Progress::GivenUp(Reason::not_enough(why))
}

/// What a verdict on a sequential program means.
pub(crate) fn found(sequential: &Sequential, engine: &mut Report) -> Found {
    let run = match &mut engine.verdict {
        Verdict::True(_) => return Found::Proved,
        Verdict::Unknown(_) => return Found::Answer,
        Verdict::False(run) => run,
    };
    match reported_at(sequential, run.site) {
        Some((Kind::TooManyThreads, _)) => Found::MoreThreads,
        Some((Kind::TooDeep, _)) => Found::Deeper,
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
