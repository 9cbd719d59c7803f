//! The index of a project as one page: findings by file and severity, what is proved, what is open and why,
//! what changed since the last run, and a search over all of it.
//!
//! The page has its data in it and asks nobody for anything; runs to errors lie beside it, one small file
//! each, and are loaded when a finding is opened. Only the rows that are looked at are made, so ten thousand
//! findings open as fast as ten.

use gnomon_report::model::{Report, Run};
use serde_json::{Value, json};

use crate::forms::sarif::run_of;
use crate::results::{Finding, Results};

const TEMPLATE: &str = include_str!("index.html");
/// So many steps of a run are shown, the last ones.
const STEPS: usize = 400;

/// The page; `title` is the name of the project.
pub fn html(results: &Results, title: &str) -> serde_json::Result<String> {
    let data = embedded(&serde_json::to_string(results)?);
    let name = title.replace('&', "&amp;").replace('<', "&lt;");
    Ok(TEMPLATE.replace("__TITLE__", &name).replace("__DATA__", &data))
}

/// JSON as it stands inside of a script, where `</script` ends it and `<!--` changes how the rest is read.
fn embedded(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// The name of the file with the run to a finding, from the page.
pub fn run_file(finding: &Finding) -> String {
    format!("runs/{}.js", finding.fingerprint)
}

/// The file with the run to a finding.
pub fn run_script(report: &Report, finding: &Finding) -> Option<String> {
    let run = run_of(report, finding)?;
    let data = json!({
        "fingerprint": finding.fingerprint,
        "message": run.message,
        "length": run.length,
        "steps": steps(run),
    });
    Some(format!("showRun({data});\n"))
}

fn steps(run: &Run) -> Vec<Value> {
    let told = run.steps.iter().filter(|step| step.essential || !step.events().is_empty());
    let told: Vec<_> = told.collect();
    let from = told.len().saturating_sub(STEPS);
    let step = |step: &&gnomon_report::model::Step| {
        let at = &step.location;
        json!([at.file, at.line, at.function, step.events().join(", "), step.essential])
    };
    told[from..].iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_embedded_is_json_and_nothing_of_html() {
        let text = "a <!-- b <script> c </script> d --> \\ \"";
        let data = embedded(&json!([text]).to_string());
        assert!(!data.contains('<'), "{data}");
        assert_eq!(serde_json::from_str::<Value>(&data).expect("JSON"), json!([text]));
    }
}
