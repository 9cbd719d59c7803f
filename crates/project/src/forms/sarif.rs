//! One SARIF 2.1.0 log for a project: findings with stable fingerprints and baseline states.
//!
//! States are against the baseline of the project (`new`, `unchanged`, and `absent` for what it knows and
//! this run did not find). Results are findings only: what is proved or open is counted in the properties
//! of the run. Runs to errors are code flows, as in the log of a single check.

use gnomon_report::model::{Answer, Location, Report};
use gnomon_report::sarif::{SCHEMA, code_flows_of, uri};
use serde_json::{Value, json};

use crate::baseline::Baseline;
use crate::results::{Finding, Results, Severity};

/// The results as a SARIF log, with a line end; `run` gives the full report of a unit, with its places as
/// they are now.
pub fn log(
    results: &Results,
    baseline: &Baseline,
    run: impl Fn(&str) -> Option<Report>,
) -> serde_json::Result<String> {
    let mut rules: Vec<&str> = results.findings.iter().map(|f| f.rule.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    let number = |rule: &str| rules.iter().position(|known| *known == rule);
    let mut entries: Vec<Value> = Vec::new();
    for finding in &results.findings {
        let mut entry = json!({
            "ruleId": finding.rule,
            "ruleIndex": number(&finding.rule),
            "kind": "fail",
            "level": match finding.severity { Severity::Error => "error", Severity::Warning => "warning" },
            "message": { "text": format!("{}.", finding.what) },
            "locations": finding.location.iter().map(place).collect::<Vec<_>>(),
            "partialFingerprints": { "gnomonFinding/v1": finding.fingerprint },
            "baselineState": if finding.known { "unchanged" } else { "new" },
            "properties": { "units": finding.units },
        });
        let flows = run(&finding.key).and_then(|report| flows(&report, finding));
        if let Some(flows) = flows {
            entry["codeFlows"] = flows;
        }
        entries.push(entry);
    }
    for (fingerprint, what) in &baseline.findings {
        if !results.findings.iter().any(|finding| finding.fingerprint == *fingerprint) {
            entries.push(json!({
                "ruleId": what.split(':').next().unwrap_or_default(),
                "kind": "fail",
                "level": "none",
                "message": { "text": format!("{what}.") },
                "partialFingerprints": { "gnomonFinding/v1": fingerprint },
                "baselineState": "absent",
            }));
        }
    }
    let rule = |id: &&str| json!({ "id": id, "shortDescription": { "text": format!("{}.", id.replace('-', " ")) } });
    let told = results.unreadable.iter().map(|file| {
        json!({
            "level": "warning",
            "message": { "text": format!("{} was not read: {}", file.file, file.problem) },
        })
    });
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "gnomon",
                "version": results.tool,
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": !results.stopped,
                "toolExecutionNotifications": told.collect::<Vec<_>>(),
            }],
            "columnKind": "unicodeCodePoints",
            "results": entries,
            "properties": { "counts": results.counts },
        }],
    });
    Ok(serde_json::to_string_pretty(&log)? + "\n")
}

/// The run to a finding, if the report has it.
fn flows(report: &Report, finding: &Finding) -> Option<Value> {
    let run = run_of(report, finding)?;
    serde_json::to_value(code_flows_of(run)).ok()
}

/// The run of a report that leads to a finding.
pub fn run_of<'r>(report: &'r Report, finding: &Finding) -> Option<&'r gnomon_report::model::Run> {
    let runs = report.findings.iter().filter_map(|found| match &found.answer {
        Answer::Violated(run) => Some((found.location.as_ref().or(run.location.as_ref()), &**run)),
        _ => None,
    });
    let mut runs: Vec<_> = runs.collect();
    let same = runs.iter().position(|(at, _)| *at == finding.location.as_ref());
    match same {
        Some(number) => Some(runs.swap_remove(number).1),
        None if runs.len() == 1 => runs.pop().map(|(_, run)| run),
        None => None,
    }
}

fn place(at: &Location) -> Value {
    let mut entry = json!({ "logicalLocations": [{ "name": at.function, "kind": "function" }] });
    if !at.file.starts_with('<') {
        entry["physicalLocation"] = json!({
            "artifactLocation": { "uri": uri(&at.file) },
            "region": {
                "startLine": at.line.max(1),
                "startColumn": at.column.max(1),
                "endLine": at.end_line.max(at.line).max(1),
                "endColumn": at.end_column.max(1),
            },
        });
    }
    entry
}
