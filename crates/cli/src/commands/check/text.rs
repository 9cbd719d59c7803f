//! What `gnomon check` says: the verdict first, what stands behind it, and the verdict again in the
//! last line, for programs.

use std::collections::BTreeMap;
use std::fmt::Write;

use gnomon_engine::verdict::{Proof, Statistics, Verdict};
use gnomon_ir::program::Program;
use gnomon_report::model::{Answer, CertificateState, Execution, Finding, Report, VerdictName};
use gnomon_report::names::Names;
use gnomon_report::terminal::{self, Sources, Style};
use gnomon_verify::Outcome;
use gnomon_verify::decide::{Report as EngineReport, SiteReport};

use super::columns;
use crate::args::CheckArgs;
use crate::commands::replay;

/// The outcome of a check of the whole program.
pub fn whole(outcome: &Outcome, engine: &EngineReport, args: &CheckArgs) -> String {
    let report = &outcome.report;
    let last = terminal::verdict_line(report);
    if args.quiet {
        return last;
    }
    let Some(finding) = report.findings.first() else { return last };
    let mut text = match (&finding.answer, &outcome.sequential) {
        (Answer::Violated(run), Some(sequential)) => {
            columns::text(sequential, run, &outcome.rows, args.length())
        }
        _ => shown(finding, report, args) + &invariants(outcome.decided(), &engine.verdict, args),
    };
    text += &confirmations(finding);
    text += &terminal::assumptions(report);
    if args.stats {
        text += &statistics(&engine.statistics);
        text += &work(outcome);
    }
    text + &last
}

/// The outcome of a check of every site for itself: one line for each, with what stands behind it.
pub fn each(outcome: &Outcome, engine: &[SiteReport], args: &CheckArgs) -> String {
    let report = &outcome.report;
    let last = terminal::verdict_line(report);
    if args.quiet {
        return last;
    }
    let mut text = String::new();
    let mut in_models = 0;
    for (finding, site) in report.findings.iter().zip(engine) {
        let verdict = finding.answer.verdict();
        if verdict == VerdictName::True && is_in_model(finding) {
            in_models += 1;
            continue;
        }
        if args.failures_only && verdict != VerdictName::False {
            continue;
        }
        let place = finding
            .location
            .as_ref()
            .map(|at| format!("{}:{}:{} in {}: ", at.file, at.line, at.column, at.function));
        let _ = writeln!(text, "{}{}", place.unwrap_or_default(), finding.what);
        for line in shown(finding, report, args).lines() {
            let _ = writeln!(text, "  {line}");
        }
        text += &invariants(outcome.decided(), &site.report.verdict, args);
        text += &confirmations(finding);
        if args.stats {
            text += &statistics(&site.report.statistics);
        }
    }
    if args.stats {
        text += &work(outcome);
    }
    text += &terminal::assumptions(report);
    if in_models > 0 {
        let _ = writeln!(text, "proved too, in models of library functions: {in_models}");
    }
    let count = |name| report.findings.iter().filter(|f| f.answer.verdict() == name).count();
    let _ = writeln!(
        text,
        "{} proved, {} violated, {} unknown",
        count(VerdictName::True),
        count(VerdictName::False),
        count(VerdictName::Unknown)
    );
    text + &last
}

/// What was read and analysed, and how often.
pub fn work(outcome: &Outcome) -> String {
    outcome.work.iter().map(|(name, number)| format!("{name}: {number}\n")).collect()
}

/// With colours where they can be seen and are wanted.
pub fn style() -> Style {
    match anstream::AutoStream::choice(&std::io::stdout()) {
        anstream::ColorChoice::Never => Style::Plain,
        _ => Style::Coloured,
    }
}

/// Whether it is about a place in a model of a library function, which no user wrote.
fn is_in_model(finding: &Finding) -> bool {
    finding.location.as_ref().is_some_and(|at| at.file == gnomon_cfront::models::SOURCE)
}

fn shown(finding: &Finding, report: &Report, args: &CheckArgs) -> String {
    let asked =
        matches!(&finding.answer, Answer::Violated(run) if run.execution == Execution::NotTried);
    let replay = if asked { replay_command() } else { String::new() };
    let text = terminal::finding(finding, &sources(report), style(), args.length(), &replay);
    let condition = match finding.answer {
        Answer::Proved(_) => terminal::condition(report),
        _ => "",
    };
    // The condition belongs to the word, not to what stands behind it.
    match text.split_once(": ") {
        Some((verdict, rest)) if !condition.is_empty() => format!("{verdict}{condition}: {rest}"),
        _ => text,
    }
}

/// The lines of the files that runs pass, as far as they can be read.
pub fn sources(report: &Report) -> Sources {
    let mut sources = BTreeMap::new();
    for finding in &report.findings {
        let Answer::Violated(run) = &finding.answer else { continue };
        for step in &run.steps {
            let file = &step.location.file;
            if !sources.contains_key(file) {
                let text = std::fs::read_to_string(file).unwrap_or_default();
                sources.insert(file.clone(), text.lines().map(str::to_owned).collect());
            }
        }
    }
    sources
}

/// The command line of this check, with `--replay`.
fn replay_command() -> String {
    let quoted = |arg: String| {
        let is_plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
        if !arg.is_empty() && arg.chars().all(is_plain) {
            arg
        } else {
            format!("'{}'", arg.replace('\'', "'\\''"))
        }
    };
    let given = std::env::args_os().skip(2).map(|arg| quoted(arg.to_string_lossy().into_owned()));
    let all: Vec<String> = given.collect();
    format!("gnomon check --replay {}", all.join(" "))
}

fn invariants(program: &Program, verdict: &Verdict, args: &CheckArgs) -> String {
    let Verdict::True(proof) = verdict else { return String::new() };
    let proof = match proof {
        Proof::OfRest(rest) => &rest.proof,
        proof => proof,
    };
    let found = match proof {
        _ if !args.invariants => return String::new(),
        Proof::Invariants(invariants) => invariants,
        Proof::ForAll(proof) => &proof.invariants,
        _ => return String::new(),
    };
    let names = Names::of(program);
    let lines = found.describe(program);
    // Those about elements of arrays come first, and belong to no function.
    let elements = lines.len().saturating_sub(found.places.len());
    let functions = found.places.iter().map(|place| Some(place.func));
    let functions = std::iter::repeat_n(None, elements).chain(functions);
    let readable = |(func, line): (_, &String)| match line.split_once("): ") {
        Some((place, formula)) => format!("  {place}): {}\n", names.readable(func, formula)),
        None => format!("  {}\n", names.readable(func, line)),
    };
    functions.zip(&lines).map(readable).collect()
}

/// What executions of the compiled program and the checker of proofs showed, where asked for.
fn confirmations(finding: &Finding) -> String {
    match &finding.answer {
        Answer::Violated(run) if run.execution != Execution::NotTried => {
            format!("  {}\n", replay::text(&run.execution))
        }
        Answer::Proved(proof) => {
            let checked = match proof.certificate {
                CertificateState::Accepted => {
                    "  the independent checker accepts the proof\n".to_owned()
                }
                CertificateState::AcceptedTrusting(facts) => format!(
                    "  the independent checker accepts the proof\n  trusted: {facts} facts of the \
                     certificate about where pointers point\n"
                ),
                CertificateState::NotDecided(ref reason) => format!("  not certified: {reason}\n"),
                CertificateState::NotChecked => String::new(),
            };
            let file = proof.certificate_file.as_ref();
            checked + &file.map_or_else(String::new, |file| format!("  certificate: {file}\n"))
        }
        _ => String::new(),
    }
}

/// What was done.
pub fn statistics(statistics: &Statistics) -> String {
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
