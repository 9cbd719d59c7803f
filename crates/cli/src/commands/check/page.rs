//! `gnomon check --html DIR`: the page of an outcome.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_report::html::data::Scopes;
use gnomon_report::html::graphs::graphs;
use gnomon_report::html::{Page, Tree};
use gnomon_report::model::Answer;
use gnomon_verify::Outcome;
use gnomon_verify::outcome::Page as Shown;

use crate::exit::Failure;
use crate::output;

/// What laying out graphs may take: those of functions without a step of a run come last.
const LAYOUT: Duration = Duration::from_secs(1);

/// Writes the page into a directory, which is made if it is not there.
pub fn write(
    outcome: &Outcome,
    shown: &Shown,
    timeline: BTreeMap<String, Vec<f64>>,
    directory: &Path,
) -> Result<(), Failure> {
    let problem =
        |error: std::io::Error| Failure::error(format!("{}: {error}", directory.display()));
    fs::create_dir_all(directory).map_err(problem)?;
    let (projection, no_projection) = match shown.projection.clone() {
        Ok(lines) => (Some(lines), None),
        Err(reason) => (None, Some(reason)),
    };
    let program = outcome.decided();
    let budget = Budget::unlimited().with_time(LAYOUT);
    let page = Page {
        report: &outcome.report,
        sources: sources(outcome),
        scopes: Scopes::of(program),
        projection,
        no_projection,
        graphs: graphs(program, &passed_functions(outcome), &budget),
        tree: Tree::of(program, &shown.tree, outcome.verdict()),
        timeline,
    };
    let html = page.html().map_err(Failure::error)?;
    output::to_file_or_stdout(Some(&directory.join("index.html")), &html)
}

/// The functions that runs pass.
fn passed_functions(outcome: &Outcome) -> Vec<&str> {
    let runs = outcome.report.findings.iter().filter_map(|finding| match &finding.answer {
        Answer::Violated(run) => Some(run),
        _ => None,
    });
    let functions = runs.flat_map(|run| &run.steps).map(|step| &step.location.function[..]);
    functions.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The texts of the files that the program is made of, without those of the system.
fn sources(outcome: &Outcome) -> BTreeMap<String, String> {
    let files = outcome.decided().files.iter();
    let own = files.filter(|(_, name)| !name.starts_with("/usr/") && !name.starts_with('<'));
    own.filter_map(|(_, name)| Some((name.to_owned(), fs::read_to_string(name).ok()?))).collect()
}
