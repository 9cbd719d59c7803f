//! `gnomon check --html DIR`: the page of an outcome.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gnomon_report::html::{Page, graphs, tree};
use gnomon_verify::Outcome;
use gnomon_verify::outcome::Page as Shown;

use crate::exit::Failure;
use crate::output;

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
    let page = Page {
        report: &outcome.report,
        sources: sources(outcome),
        projection,
        no_projection,
        graphs: graphs(outcome.decided()),
        tree: tree(outcome.decided(), &shown.tree),
        timeline,
    };
    let html = page.html().map_err(Failure::error)?;
    output::to_file_or_stdout(Some(&directory.join("index.html")), &html)
}

/// The texts of the files that the program is made of, without those of the system.
fn sources(outcome: &Outcome) -> BTreeMap<String, String> {
    let files = outcome.decided().files.iter();
    let own = files.filter(|(_, name)| !name.starts_with("/usr/") && !name.starts_with('<'));
    own.filter_map(|(_, name)| Some((name.to_owned(), fs::read_to_string(name).ok()?))).collect()
}
