//! Programs with threads: one sequential program after the other, with more and more contexts,
//! until there is an error, a proof for all schedules, or no budget.

mod columns;
mod enforcing;
mod executing;

use gnomon_budget::Budget;
use gnomon_cfront::translate::Models;
use gnomon_engine::proof::MemoryFacts;
use gnomon_engine::property::{Property, Site};
use gnomon_engine::replay::Counterexample;
use gnomon_engine::verdict::{Reason, Statistics, Verdict};
use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::program::Program;
use gnomon_report::model::{Answer, CertificateState, Report};
use gnomon_threads::intrinsics::reports;
use gnomon_threads::{Refused, Reported, Rounds, Sequential, primitives, sequentialize};
use gnomon_verify::decide::{Options, Report as EngineReport, check};

use self::enforcing::Enforcing;
use super::outputs::{Certified, Subject};
use super::page::Course;
use super::{Task, limits, outside, requested_with, reserved, status_of, text};
use crate::args::CheckArgs;
use crate::exit::{Failure, Status};
use crate::output;
use crate::output_args::OutputArgs;
use crate::thread_args::{ThreadArgs, ThreadError};

/// Checks a program with threads.
pub fn run(args: &CheckArgs, wanted: &OutputArgs, threads: &ThreadArgs) -> Result<Status, Failure> {
    if args.each || args.projection {
        return Err(Failure::error("--each and --projection do not follow threads yet"));
    }
    let threads = &match super::property::asks_for_races(args)? {
        true => threads.with(ThreadError::Race),
        false => threads.clone(),
    };
    let own = match outside::models(&args.outside)? {
        Models::Replaced(own) => own,
        Models::None | Models::BuiltIn => String::new(),
    };
    let models = Models::Replaced(format!("{}\n{own}", primitives::MODELS));
    let Task { program, options, inserted: _, automata } = requested_with(args, models)?;
    let whole = match output::progress(args.verbose, args.quiet) {
        Some(progress) => limits(args).with_progress(progress),
        None => limits(args),
    };
    let budget = whole.with_cpu_time(args.time - reserved(args, wanted));
    let outcome = if automata.is_some() {
        Outcome::unknown("property automata do not follow threads".to_owned())
    } else {
        match executing::decided(&program, &options, threads, &budget)? {
            Some(outcome) => outcome,
            None => deepen(&program, &options, threads, &budget)?,
        }
    };
    let Outcome { sequential, mut engine, contexts, proved } = outcome;
    if wanted.certificate.is_some() {
        output::message("no certificate is written: it would be one of the sequential program");
    }
    // The checker looks at the proof about the sequential program; the reduction is trusted.
    let mut state = CertificateState::NotChecked;
    if let (Some(sequential), Some(proved)) = (&sequential, &proved) {
        let nothing = std::collections::BTreeSet::new();
        let subject =
            Subject { program: &sequential.program, inserted: &nothing, options: proved, args };
        let only_checked = OutputArgs { certificate: None, ..wanted.clone() };
        match subject.certify(&mut engine, &only_checked, &whole)? {
            Certified::As(known) => state = known,
            Certified::Refused => return Ok(Status::InternalError),
        }
    } else if matches!(engine.verdict, Verdict::True(_)) && !wanted.no_certify {
        let reason = "a proof by executing all schedules leaves no certificate".to_owned();
        if wanted.certify {
            engine.verdict = Verdict::Unknown(Reason::Uncertified(reason));
        } else {
            state = CertificateState::NotDecided(reason);
        }
    }
    drop((budget, whole));
    let nothing = std::collections::BTreeSet::new();
    let entry = sequential.as_ref().map_or(options.entry.clone(), |s| s.entry.clone());
    let subject_options = Options { entry, ..options.clone() };
    let checked = sequential.as_ref().map_or(&program, |s| &s.program);
    let subject = Subject { program: checked, inserted: &nothing, options: &subject_options, args };
    let mut report = subject.whole(&engine)?;
    // The user's program starts elsewhere than the sequential one.
    let asked = Subject { program: &program, inserted: &nothing, options: &options, args };
    (report.task.entry, report.task.property) = (options.entry.clone(), asked.property());
    for finding in &mut report.findings {
        finding.what = report.task.property.clone();
    }
    say_contexts(&mut report, contexts);
    if let Some(Answer::Proved(proof)) = report.findings.first_mut().map(|f| &mut f.answer) {
        proof.certificate = state;
    }
    let program_of_run = Enforcing { program: &program, options: &options, threads };
    if let (Verdict::False(run), Some(sequential)) = (&engine.verdict, &sequential) {
        let execution = program_of_run.execute(sequential, run, wanted)?;
        if let Some(Answer::Violated(run)) =
            report.findings.first_mut().map(|finding| &mut finding.answer)
        {
            run.execution = execution;
        }
    }
    let shown = match (&engine.verdict, &sequential) {
        (Verdict::False(run), Some(sequential)) if !args.quiet => {
            Some(columns::text(sequential, run, &report))
        }
        _ => None,
    };
    if let (Verdict::False(found), Some(sequential)) = (&engine.verdict, &sequential)
        && let Some(Answer::Violated(run)) = report.findings.first_mut().map(|f| &mut f.answer)
    {
        columns::name_threads(sequential, found, run);
    }
    let others = OutputArgs { harness: None, replay: false, ..wanted.clone() };
    let course = Course { times: Default::default(), tree: Vec::new() };
    subject.write(&mut report, &others, course)?;
    let shown = match shown {
        Some(shown) => shown + &text::behind(&engine, &report, args),
        None => text::whole(checked, &engine, &report, args),
    };
    output::result(&shown);
    Ok(status_of(report.verdict))
}

/// What came out, of which program.
struct Outcome {
    sequential: Option<Sequential>,
    engine: EngineReport,
    /// For how many contexts of each thread it holds; for all if `None`.
    contexts: Option<usize>,
    /// What is proved of the sequential program.
    proved: Option<Options>,
}

impl Outcome {
    fn unknown(reason: String) -> Self {
        let engine = EngineReport {
            verdict: Verdict::Unknown(Reason::NotCovered(reason)),
            statistics: Statistics::default(),
            assumptions: Vec::new(),
            partial: Vec::new(),
            memory: MemoryFacts::default(),
            tree: Vec::new(),
        };
        Self { sequential: None, engine, contexts: None, proved: None }
    }

    fn too_many_threads(threads: &ThreadArgs) -> Self {
        let limit = threads.threads_per_call;
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
fn say_contexts(report: &mut Report, contexts: Option<usize>) {
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

fn deepen(
    program: &Program,
    options: &Options,
    threads: &ThreadArgs,
    budget: &Budget,
) -> Result<Outcome, Failure> {
    let mut threads_per_call = 2.min(threads.threads_per_call.max(1));
    let mut statistics = Statistics::default();
    let refused = |contexts: usize, refused: &Refused| {
        let mut outcome = Outcome::refused(program, refused);
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
                reported: reported(threads),
                ..gnomon_threads::Options::default()
            };
            sequentialize(program, &reduction, budget)
        };
        let mut sequential = match reduced(true) {
            Ok(sequential) => sequential,
            Err(why) => return Ok(refused(contexts, &why)),
        };
        let wanted_reports = wanted_reports(threads);
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
                return Ok(Outcome { sequential: Some(sequential), engine, contexts, proved });
            }
            Found::Proved => {
                let (contexts, proved) = (Some(contexts), Some(asked(&sequential, options, &more)));
                return Ok(Outcome { sequential: Some(sequential), engine, contexts, proved });
            }
            Found::MoreThreads if threads_per_call >= threads.threads_per_call => {
                return Ok(Outcome::too_many_threads(threads));
            }
            Found::MoreThreads => {
                threads_per_call = (threads_per_call * 2).min(threads.threads_per_call);
            }
            Found::NotModelled(what) => {
                return Ok(Outcome::not_modelled(&what));
            }
            Found::MoreContexts => contexts += 1,
        }
    }
    let reason = format!("bounded: TRUE up to {} contexts per thread", threads.contexts);
    let mut outcome = Outcome::unknown(reason.clone());
    outcome.engine.verdict = Verdict::Unknown(Reason::NoProgress(reason));
    outcome.engine.statistics = statistics;
    Ok(outcome)
}

/// What the reduction itself reports and is looked for.
fn wanted_reports(threads: &ThreadArgs) -> Vec<&'static str> {
    let mut wanted = vec![reports::TOO_MANY_THREADS, reports::NOT_MODELLED];
    wanted.extend(threads.thread_errors.iter().map(|error| match error {
        ThreadError::Deadlock => reports::DEADLOCK,
        ThreadError::Misuse => reports::MISUSE,
        ThreadError::Race => reports::RACE,
    }));
    wanted
}

fn reported(threads: &ThreadArgs) -> Reported {
    let has = |error| threads.thread_errors.contains(&error);
    Reported {
        deadlock: has(ThreadError::Deadlock),
        misuse: has(ThreadError::Misuse),
        race: has(ThreadError::Race),
    }
}

/// What happens at the end of a run, where the reduction itself reports it.
fn message(sequential: &Sequential, run: &Counterexample) -> Option<String> {
    let body = sequential.program.funcs[run.site.func].body.as_ref()?;
    let Op::Call(Call { callee: Callee::Direct(func), .. }) = &body.edge(run.site.edge).op else {
        return None;
    };
    let name = &sequential.program.funcs[*func].name;
    match name.split_once('.') {
        Some((reports::MISUSE | reports::NOT_MODELLED, text)) => Some(text.to_owned()),
        Some((reports::RACE, text)) => {
            Some(format!("data race: {}", columns::racing(sequential, run, text)))
        }
        _ if name == reports::DEADLOCK => {
            Some(format!("deadlock: {}", columns::waiting(sequential, run)))
        }
        _ => None,
    }
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
) -> Result<(Found, EngineReport), Failure> {
    let options = asked(sequential, options, also);
    let mut engine = check(&sequential.program, &options, budget).map_err(Failure::error)?;
    let found = found(sequential, &mut engine);
    Ok((found, engine))
}

/// What a verdict on a sequential program means.
fn found(sequential: &Sequential, engine: &mut EngineReport) -> Found {
    match &mut engine.verdict {
        Verdict::True(_) => Found::Proved,
        Verdict::Unknown(_) => Found::Answer,
        Verdict::False(run) => {
            let is = |name: &str| run.message.starts_with(name);
            if is(reports::TOO_MANY_THREADS) {
                Found::MoreThreads
            } else if is(reports::MORE_CONTEXTS) {
                Found::MoreContexts
            } else if is(reports::NOT_MODELLED) {
                Found::NotModelled(message(sequential, run).unwrap_or_default())
            } else {
                if let Some(message) = message(sequential, run) {
                    run.message = message;
                }
                Found::Answer
            }
        }
    }
}

/// The property in the sequential program.
fn moved(property: &Property, sequential: &Sequential) -> Property {
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
