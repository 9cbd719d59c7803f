//! SARIF 2.1.0: results for editors and code review, with the run to each error as a code flow.
//!
//! Only the properties that are used are declared, each under the name of the standard. A proved
//! site is a result of kind `pass`, an open one of kind `open`; a violated one is an error with a code
//! flow, of programs with threads also with a thread flow for each thread, whose locations carry the
//! depth of calls, the values that were stored, and whether the step matters (SARIF 3.38.13
//! `importance`). Steps on one line are one location, and those that do not matter and of which there
//! is nothing to say are left out. What viewers need beyond the schema is there too: a rule for
//! each kind of error, since they group by it; a place in every result, a whole file if nothing else
//! is known; and fingerprints that survive changes elsewhere in the file.

use std::collections::BTreeMap;

use gnomon_ir::property::Property;
use serde::Serialize;

use crate::model::{Answer, Finding, Location, Report, Run, Step};
use crate::sha256;

/// The schema of the standard.
pub const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The rule of errors that are a place that must not be reached.
const REACHED: (&str, &str) = ("error-reached", "An error is reached");

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
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    name: String,
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
    rule_id: String,
    rule_index: usize,
    kind: &'static str,
    level: &'static str,
    message: Message<'a>,
    locations: Vec<LocationEntry<'a>>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<CodeFlow<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LocationEntry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
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
    thread_flows: Vec<ThreadFlow<'a>>,
}

#[derive(Serialize)]
struct ThreadFlow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message<'a>>,
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
    let mut rules: Vec<(String, String)> = Vec::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let result = |finding| result(report, finding, &mut rules, &mut seen);
    let results: Vec<ResultEntry<'_>> = report.findings.iter().map(result).collect();
    let rule = |(id, text): (String, String)| Rule {
        name: id.split('-').map(capitalised).collect(),
        id,
        short_description: message(text + "."),
    };
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Analysis {
            tool: ToolSection {
                driver: Driver {
                    name: &report.tool.name,
                    version: &report.tool.version,
                    rules: rules.into_iter().map(rule).collect(),
                },
            },
            invocations: [Invocation { execution_successful: true }],
            artifacts: artifacts.collect(),
            // Columns of the model count bytes, which are what this says for ASCII text.
            column_kind: "unicodeCodePoints",
            results,
        }],
    };
    Ok(serde_json::to_string_pretty(&log)? + "\n")
}

fn message<'a>(text: impl Into<std::borrow::Cow<'a, str>>) -> Message<'a> {
    Message { text: text.into() }
}

/// A path as a URI reference: relative ones stay relative.
pub fn uri(path: &str) -> String {
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

/// The name of the kind of error that a finding is about, and what it is.
pub fn rule(finding: &Finding) -> (String, String) {
    let kind = match finding.property {
        Some(Property::Undefined(kind)) => kind.message(),
        Some(Property::DataRace) => "data race",
        Some(Property::Deadlock) => "deadlock",
        _ => return (REACHED.0.to_owned(), REACHED.1.to_owned()),
    };
    (kind.replace(' ', "-"), capitalised(kind))
}

fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

/// A result; its rule is added to the rules, and `seen` counts results that are alike.
fn result<'a>(
    report: &'a Report,
    finding: &'a Finding,
    rules: &mut Vec<(String, String)>,
    seen: &mut BTreeMap<String, usize>,
) -> ResultEntry<'a> {
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
        Answer::Violated(run) if !run.steps.is_empty() => code_flows(run),
        _ => Vec::new(),
    };
    let rule = rule(finding);
    let rule_index = rules.iter().position(|known| *known == rule).unwrap_or_else(|| {
        rules.push(rule.clone());
        rules.len() - 1
    });
    let locations = match &finding.location {
        Some(at) => vec![location(at, None)],
        None => report.task.files.first().map(|file| whole_file(&file.name)).into_iter().collect(),
    };
    let place = finding.location.as_ref().map(|at| (at.file.as_str(), at.function.as_str()));
    let alike = format!("{} {place:?} {}", rule.0, finding.what);
    let number = seen.entry(alike.clone()).or_default();
    *number += 1;
    let fingerprint = sha256(format!("{alike} {number}").as_bytes());
    ResultEntry {
        rule_id: rule.0,
        rule_index,
        kind,
        level,
        message: message(text),
        locations,
        partial_fingerprints: BTreeMap::from([("gnomonFinding/v1", fingerprint)]),
        code_flows,
    }
}

fn whole_file(name: &str) -> LocationEntry<'_> {
    let artifact_location = ArtifactLocation { uri: uri(name) };
    LocationEntry {
        physical_location: Some(PhysicalLocation { artifact_location, region: None }),
        logical_locations: Vec::new(),
        message: None,
    }
}

fn location<'a>(at: &'a Location, text: Option<String>) -> LocationEntry<'a> {
    // Models of library functions and the like are in no file that a viewer could open.
    let is_file = !at.file.starts_with('<');
    LocationEntry {
        physical_location: is_file.then(|| PhysicalLocation {
            artifact_location: ArtifactLocation { uri: uri(&at.file) },
            region: Some(Region {
                start_line: at.line.max(1),
                start_column: at.column.max(1),
                end_line: at.end_line.max(at.line).max(1),
                end_column: at.end_column.max(1),
            }),
        }),
        logical_locations: vec![LogicalLocation { name: &at.function, kind: "function" }],
        message: text.map(message),
    }
}

/// The run to an error as what `codeFlows` of a result is.
pub fn code_flows_of(run: &Run) -> impl Serialize + '_ {
    code_flows(run)
}

/// The run as one flow; of several threads also as one flow for each. Many viewers show only the first
/// flow, which therefore has all steps.
fn code_flows(run: &Run) -> Vec<CodeFlow<'_>> {
    let text = match &run.slice {
        Some(slice) => format!("A run with {} steps, of which {} matter.", run.length, slice.kept),
        None => format!("A run with {} steps.", run.length),
    };
    let passages = passages(run);
    let all = passages.iter().map(|passage| passage.shown(run)).collect();
    let all = ThreadFlow { id: None, message: None, locations: all };
    let mut flows = vec![CodeFlow { message: message(text), thread_flows: vec![all] }];
    if !run.threads.is_empty() {
        let mut threads: BTreeMap<u32, Vec<ThreadFlowLocation<'_>>> = BTreeMap::new();
        for passage in &passages {
            let thread = passage.first.thread.unwrap_or(0);
            threads.entry(thread).or_default().push(passage.shown(run));
        }
        let flow = |(thread, locations): (u32, Vec<_>)| {
            let id = run.threads.get(thread as usize).map(String::as_str);
            ThreadFlow { id, message: id.map(message), locations }
        };
        let thread_flows = threads.into_iter().map(flow).collect();
        flows.push(CodeFlow { message: message("The same run, thread by thread."), thread_flows });
    }
    flows
}

/// Steps in a row on one line.
struct Passage<'a> {
    first: &'a Step,
    events: Vec<String>,
    state: BTreeMap<&'a str, &'a str>,
    order: usize,
    importance: &'static str,
}

/// What is told of a run: not the lines on which nothing matters and nothing happens.
fn passages(run: &Run) -> Vec<Passage<'_>> {
    let mut passages: Vec<Passage<'_>> = Vec::new();
    let last = run.steps.len().saturating_sub(1);
    for (at, step) in run.steps.iter().enumerate() {
        let events = step.events();
        if at != last && !step.essential && events.is_empty() {
            continue;
        }
        let stored = step.stored.iter().map(|s| (s.place.as_str(), s.value.as_str()));
        let importance = match (at == last, step.essential) {
            (true, _) => "essential",
            (false, true) => "important",
            (false, false) => "unimportant",
        };
        let line = |step: &Step| (step.thread, step.depth, step.location.line);
        match passages.last_mut() {
            Some(before)
                if line(before.first) == line(step)
                    && before.first.location.file == step.location.file =>
            {
                before.events.extend(events);
                before.state.extend(stored);
                if importance == "essential" || before.importance == "unimportant" {
                    before.importance = importance;
                }
            }
            _ => passages.push(Passage {
                first: step,
                events,
                state: stored.collect(),
                order: passages.len() + 1,
                importance,
            }),
        }
    }
    passages
}

impl<'a> Passage<'a> {
    fn shown(&self, run: &'a Run) -> ThreadFlowLocation<'a> {
        let thread = self.first.thread.filter(|_| !run.threads.is_empty());
        let mut text = thread.map_or(String::new(), |thread| format!("T{thread}: "));
        text += &match self.events.is_empty() {
            true => "passes here".to_owned(),
            false => self.events.join(", "),
        };
        ThreadFlowLocation {
            location: location(&self.first.location, Some(text)),
            // Viewers indent by one less.
            nesting_level: self.first.depth,
            execution_order: self.order,
            importance: self.importance,
            state: self.state.iter().map(|(place, value)| (*place, message(*value))).collect(),
        }
    }
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
