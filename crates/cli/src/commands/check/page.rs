//! `gnomon check --html DIR`: what the page needs beside the report.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::outline::OutlineNode;
use gnomon_report::html::ways::{ProjectedLines, Ways};
use gnomon_report::html::{Page, graphs, tree};
use gnomon_report::model::{Report, VerdictName};
use gnomon_verify::decide::{execute_ways, project};

use super::outputs::{Subject, description_budget};
use crate::exit::Failure;
use crate::output;

/// What refining a projection may take, the projection after it, and executing the ways in it, in
/// processor time.
const REFINE_TIME: Duration = Duration::from_secs(20);
const PROJECTION_TIME: Duration = Duration::from_secs(40);
const EXECUTION_TIME: Duration = Duration::from_secs(20);

/// How many nodes of the reachability tree are shown.
pub const OUTLINED: usize = 2_000;

/// How a check went.
pub struct Course {
    /// By phase, the seconds at which progress was reported.
    pub times: BTreeMap<String, Vec<f64>>,
    /// The reachability tree.
    pub tree: Vec<OutlineNode>,
}

/// Writes the page into a directory, which is made if it is not there.
pub fn write(
    subject: &Subject<'_>,
    report: &Report,
    course: Course,
    directory: &Path,
) -> Result<(), Failure> {
    let problem =
        |error: std::io::Error| Failure::error(format!("{}: {error}", directory.display()));
    fs::create_dir_all(directory).map_err(problem)?;
    let (projection, no_projection) = match projection(subject, report)? {
        Ok(lines) => (Some(lines), None),
        Err(reason) => (None, Some(reason)),
    };
    let page = Page {
        report,
        sources: sources(subject),
        projection,
        no_projection,
        graphs: graphs(subject.program),
        tree: tree(subject.program, &course.tree),
        timeline: course.times,
    };
    let html = page.html().map_err(Failure::error)?;
    output::to_file_or_stdout(Some(&directory.join("index.html")), &html)
}

/// The lines that can lie on a way to the error, or why they are not known.
fn projection(
    subject: &Subject<'_>,
    report: &Report,
) -> Result<Result<ProjectedLines, String>, Failure> {
    if report.verdict == VerdictName::True {
        return Ok(Err("No line lies on a way to an error: that is proved.".to_owned()));
    }
    let memory = (subject.args.memory << 20) / 4 * 3;
    let time = subject.args.time.min(REFINE_TIME);
    let budget = Budget::unlimited().with_cpu_time(time).with_memory(memory);
    // It begins to count now.
    let later = Budget::unlimited().with_cpu_time(time + PROJECTION_TIME).with_memory(memory);
    let found = project(subject.program, subject.options, &budget, &later);
    let found = match found.map_err(Failure::error)? {
        Ok(found) => found,
        Err(reason) => return Ok(Err(format!("The error projection is not known: {reason}."))),
    };
    let ways = Ways::of(subject.program, &found.projection);
    let (numbers, paths): (Vec<_>, Vec<_>) = ways.to_execute().into_iter().unzip();
    let budget = Budget::unlimited().with_cpu_time(EXECUTION_TIME).with_memory(memory);
    let executed = execute_ways(subject.program, subject.options, &paths, &budget);
    let executed = numbers.into_iter().zip(executed.map_err(Failure::error)?).collect();
    Ok(Ok(ways.shown(&subject.checked()?, executed, &description_budget())))
}

/// The texts of the files that the program is made of, without those of the system.
fn sources(subject: &Subject<'_>) -> BTreeMap<String, String> {
    let files = subject.program.files.iter();
    let own = files.filter(|(_, name)| !name.starts_with("/usr/") && !name.starts_with('<'));
    own.filter_map(|(_, name)| Some((name.to_owned(), fs::read_to_string(name).ok()?))).collect()
}
