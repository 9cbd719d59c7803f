//! SARIF 2.1.0: results for editors and code review, with the run to each error as a code flow.
//!
//! Only the properties that are used are declared, each under the name of the standard. A proved
//! site is a result of kind `pass`, an open one of kind `open`; a violated one is an error with one
//! thread flow, whose locations carry the depth of calls, the values that were stored, and whether
//! the step matters (SARIF 3.38.13 `importance`).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::{Answer, Finding, Location, Report, Run, Step};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const RULE: &str = "error-reached";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Analysis<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Analysis<'a> {
    tool: ToolSection<'a>,
    invocations: [Invocation; 1],
    artifacts: Vec<Artifact<'a>>,
    column_kind: &'static str,
    results: Vec<ResultEntry<'a>>,
}

#[derive(Serialize)]
struct ToolSection<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'a str,
    version: &'a str,
    rules: [Rule; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Message<'static>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
}

#[derive(Serialize)]
struct Artifact<'a> {
    location: ArtifactLocation,
    hashes: BTreeMap<&'static str, &'a str>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
struct Message<'a> {
    text: std::borrow::Cow<'a, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultEntry<'a> {
    rule_id: &'static str,
    rule_index: u32,
    kind: &'static str,
    level: &'static str,
    message: Message<'a>,
    locations: Vec<LocationEntry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<CodeFlow<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LocationEntry<'a> {
    physical_location: PhysicalLocation,
    logical_locations: [LogicalLocation<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
struct LogicalLocation<'a> {
    name: &'a str,
    kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow<'a> {
    message: Message<'a>,
    thread_flows: [ThreadFlow<'a>; 1],
}

#[derive(Serialize)]
struct ThreadFlow<'a> {
    locations: Vec<ThreadFlowLocation<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThreadFlowLocation<'a> {
    location: LocationEntry<'a>,
    nesting_level: u32,
    execution_order: usize,
    importance: &'static str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    state: BTreeMap<&'a str, Message<'a>>,
}

/// The report as a SARIF log, with a line end.
pub fn log(report: &Report) -> serde_json::Result<String> {
    let artifacts = report.task.files.iter().map(|file| Artifact {
        location: ArtifactLocation { uri: uri(&file.name) },
        hashes: BTreeMap::from([("sha-256", file.sha256.as_str())]),
    });
    let rule =
        Rule { id: RULE, short_description: message("A run of the program reaches an error.") };
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Analysis {
            tool: ToolSection {
                driver: Driver {
                    name: &report.tool.name,
                    version: &report.tool.version,
                    rules: [rule],
                },
            },
            invocations: [Invocation { execution_successful: true }],
            artifacts: artifacts.collect(),
            // Columns of the model count bytes, which are what this says for ASCII text.
            column_kind: "unicodeCodePoints",
            results: report.findings.iter().map(result).collect(),
        }],
    };
    Ok(serde_json::to_string_pretty(&log)? + "\n")
}

fn message<'a>(text: impl Into<std::borrow::Cow<'a, str>>) -> Message<'a> {
    Message { text: text.into() }
}

/// A path as a URI reference: relative ones stay relative.
fn uri(path: &str) -> String {
    let mut text = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(byte.into());
            }
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}

fn result(finding: &Finding) -> ResultEntry<'_> {
    let (kind, level, text) = match &finding.answer {
        Answer::Proved(proof) => (
            "pass",
            "none",
            format!("Proved that this cannot happen: {} ({}).", finding.what, proof.text),
        ),
        Answer::Violated(run) => ("fail", "error", format!("{}.", run.message)),
        Answer::Unknown(unknown) => {
            ("open", "none", format!("Not decided: {} ({}).", finding.what, unknown.reason))
        }
    };
    let code_flows = match &finding.answer {
        Answer::Violated(run) if !run.steps.is_empty() => vec![code_flow(run)],
        _ => Vec::new(),
    };
    ResultEntry {
        rule_id: RULE,
        rule_index: 0,
        kind,
        level,
        message: message(text),
        locations: finding.location.iter().map(|at| location(at, None)).collect(),
        code_flows,
    }
}

fn location<'a>(at: &'a Location, text: Option<String>) -> LocationEntry<'a> {
    LocationEntry {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation { uri: uri(&at.file) },
            region: Region {
                start_line: at.line.max(1),
                start_column: at.column.max(1),
                end_line: at.end_line.max(at.line).max(1),
                end_column: at.end_column.max(1),
            },
        },
        logical_locations: [LogicalLocation { name: &at.function, kind: "function" }],
        message: text.map(message),
    }
}

fn code_flow(run: &Run) -> CodeFlow<'_> {
    let text = match &run.slice {
        Some(slice) => format!("A run with {} steps, of which {} matter.", run.length, slice.kept),
        None => format!("A run with {} steps.", run.length),
    };
    let locations = run.steps.iter().enumerate().map(|(order, step)| ThreadFlowLocation {
        location: location(&step.location, Some(step_text(step))),
        nesting_level: step.depth.saturating_sub(1),
        execution_order: order + 1,
        importance: match (order + 1 == run.steps.len(), step.essential) {
            (true, _) => "essential",
            (false, true) => "important",
            (false, false) => "unimportant",
        },
        state: step.stored.iter().map(|s| (s.place.as_str(), message(s.value.as_str()))).collect(),
    });
    CodeFlow {
        message: message(text),
        thread_flows: [ThreadFlow { locations: locations.collect() }],
    }
}

/// What happens in a step, in one line.
fn step_text(step: &Step) -> String {
    let events = step.events();
    if events.is_empty() { "goes on".to_owned() } else { events.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("/x/ä.c"), "file:///x/%C3%A4.c");
    }
}
