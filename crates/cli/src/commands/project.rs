//! `gnomon project`: which lines lie on an error path?

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use gnomon_engine::pushdown::projection::{Feasibility, ProjectedStep, Projection, line_of};
use gnomon_engine::verdict::{Reason, Verdict};
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::span::FileId;
use gnomon_logic::encode::Move;
use gnomon_report::names::Names;
use gnomon_threads::{Switched, two_switches};
use gnomon_verify::decide::ProjectionReport;
use gnomon_verify::projection::project;
use gnomon_verify::task::Task;

use super::check::statistics;
use crate::args::ProjectArgs;
use crate::exit::{Failure, Status};
use crate::listener::Told;
use crate::output;
use crate::request::request;

/// Shows a projection.
pub fn run(args: &ProjectArgs) -> Result<Status, Failure> {
    let request = request(&args.check)?;
    let mut threads = None;
    let apart = |task: &mut Task| {
        let Some((first, second)) = &args.threads else { return Ok(()) };
        let switched = two_switches(&task.program, args.before.as_deref(), first, second);
        let switched = switched.map_err(|error| error.to_string())?;
        task.options.entry = switched.entry.clone();
        task.program = switched.program.clone();
        threads = Some(switched);
        Ok(())
    };
    let (task, report) = project(&request, &Told::new(&args.check), apart)?;
    let report = match report {
        Ok(report) => report,
        Err(reason) => {
            output::result(&format!("VERDICT: UNKNOWN ({reason})\n"));
            return Ok(Status::Unknown);
        }
    };
    let mut text = match &threads {
        Some(switched) => switches(switched, &report.projection),
        None => shown(&task.program, &report.projection, args.paths),
    };
    if args.check.stats {
        text += &statistics(&report.statistics);
    }
    let (verdict, status) = match &report.verdict {
        Verdict::True(_) => ("VERDICT: TRUE".to_owned(), Status::True),
        Verdict::False(_) => ("VERDICT: FALSE".to_owned(), Status::False),
        Verdict::Unknown(reason) => (format!("VERDICT: UNKNOWN ({reason})"), Status::Unknown),
    };
    output::result(&format!("{text}{verdict}\n"));
    Ok(status)
}

/// The projection of a program that was checked, for people.
pub fn text_of(program: &Program, projected: &Result<ProjectionReport, Reason>) -> String {
    match projected {
        Ok(report) => shown(program, &report.projection, false),
        Err(reason) => format!("no projection: {reason}\n"),
    }
}

/// The lines at which the first thread can switch, with what comes of it.
fn switches(switched: &Switched, projection: &Projection) -> String {
    let program = &switched.program;
    let mut lines: BTreeMap<(FileId, u32), Vec<Feasibility>> = BTreeMap::new();
    for (func, edge) in switched.switch_points() {
        let Some(line) = line_of(program, func, edge) else { continue };
        let found = lines.entry(line).or_default();
        let here = |step: &&ProjectedStep| step.func == func && step.edges.contains(&edge);
        found.extend(projection.steps.iter().filter(here).map(|step| step.feasibility));
    }
    let mut text = String::new();
    for ((file, line), found) in &lines {
        let what = match found.iter().min() {
            None => "no switch here leads to an error",
            Some(Feasibility::Feasible) => "a switch here leads to an error",
            Some(Feasibility::Infeasible | Feasibility::Unknown) => {
                "a switch here may lead to an error (not confirmed)"
            }
        };
        let _ = writeln!(text, "{}:{line}: {what}", program.files.name(*file));
    }
    for note in &program.notes {
        let _ = writeln!(text, "assumed: {}: {}", note.kind, note.message);
    }
    text
}

fn shown(program: &Program, projection: &Projection, paths: bool) -> String {
    let mut text = String::new();
    let lines = projection.lines(program);
    let names = Names::of(program);
    for (&(file, line), steps) in &lines {
        let _ = write!(text, "{}:{line}: {}", program.files.name(file), label(steps));
        let conditions = conditions(&names, steps);
        if !conditions.is_empty() {
            let _ = write!(text, ", if {conditions}");
        }
        text.push('\n');
        if let Some(step) = steps.iter().min_by_key(|s| s.feasibility).filter(|_| paths) {
            let lines: Vec<String> =
                path_lines(program, &step.path).iter().map(|(_, line)| line.to_string()).collect();
            let _ = writeln!(text, "    by lines {}", lines.join(" "));
        }
    }
    let count = |edges: &BTreeSet<(FuncId, EdgeId)>| {
        let lines: BTreeSet<_> =
            edges.iter().filter_map(|&(func, edge)| line_of(program, func, edge)).collect();
        lines.len()
    };
    let _ = writeln!(
        text,
        "{} of {} lines lie on an abstract error path; by control flow alone {}",
        lines.len(),
        count(&projection.all_edges),
        count(&projection.control_flow_edges),
    );
    text
}

/// The best that is known of the steps of a line.
fn label(steps: &[&ProjectedStep]) -> &'static str {
    match steps.iter().map(|s| s.feasibility).min() {
        Some(Feasibility::Feasible) => "feasible",
        Some(Feasibility::Infeasible) => "infeasible",
        Some(Feasibility::Unknown) | None => "unknown",
    }
}

/// The valuations of all steps of a line, with the names of the user.
fn conditions(names: &Names<'_>, steps: &[&ProjectedStep]) -> String {
    if steps.iter().any(|step| step.conditions.is_empty()) {
        return String::new();
    }
    let readable =
        |step: &ProjectedStep, all: &[String]| names.readable(Some(step.func), &all.join(" && "));
    let all: BTreeSet<String> =
        steps.iter().flat_map(|s| s.conditions.iter().map(|c| readable(s, c))).collect();
    let all: Vec<String> = all.into_iter().collect();
    all.join(" or ")
}

/// The lines of a path, without repetitions in a row.
fn path_lines(program: &Program, path: &[Move]) -> Vec<(FileId, u32)> {
    let mut lines = Vec::new();
    for step in path {
        let (Move::Edge(func, edge) | Move::Enter { caller: func, edge, .. }) = *step else {
            continue;
        };
        let line = line_of(program, func, edge);
        if let Some(line) = line.filter(|line| lines.last() != Some(line)) {
            lines.push(line);
        }
    }
    lines
}
