//! Verification witnesses in the YAML format of SV-COMP, versions 2.0 and 2.1.
//!
//! A violation witness is a sequence of waypoints that some failing run passes: here the values
//! from outside, each as an assumption where the next statement begins, and the target. A
//! correctness witness is a set of invariants: here those of loop heads that can be said in C
//! ([`crate::c_expression`]). The types are read as well as written, so that witnesses of other
//! tools can be validated.

use serde::{Deserialize, Serialize};

use crate::model::{Answer, Report, Run, Step, Stored};

/// The version that is written.
pub const FORMAT_VERSION: &str = "2.0";

/// A witness file: a list of entries.
pub type Witness = Vec<Entry>;

/// An entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// `violation_sequence` or `invariant_set`.
    pub entry_type: String,
    /// Where it comes from.
    pub metadata: Metadata,
    /// What it says.
    pub content: Vec<Item>,
}

/// Where an entry comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// `2.0` or `2.1`.
    pub format_version: String,
    /// Unique.
    pub uuid: String,
    /// ISO 8601.
    pub creation_time: String,
    /// The tool.
    pub producer: Producer,
    /// What was verified.
    pub task: TaskSection,
}

/// The tool that wrote an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Producer {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSection {
    /// The files.
    pub input_files: Vec<String>,
    /// SHA-256 of each.
    pub input_file_hashes: std::collections::BTreeMap<String, String>,
    /// The property.
    pub specification: String,
    /// `LP64` or `ILP32`.
    pub data_model: String,
    /// `C`.
    pub language: String,
}

/// A part of the content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Item {
    /// Of a violation witness.
    Segment {
        /// Waypoints to avoid, and one to follow.
        segment: Vec<WaypointItem>,
    },
    /// Of a correctness witness.
    Invariant {
        /// The invariant.
        invariant: InvariantItem,
    },
}

/// A waypoint in a segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaypointItem {
    /// The waypoint.
    pub waypoint: Waypoint,
}

/// A point that a run passes, or avoids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waypoint {
    /// `assumption`, `target`, `branching`, `function_enter` or `function_return`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `follow` or `avoid`.
    pub action: String,
    /// What holds there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraint: Option<Constraint>,
    /// Where.
    pub location: Place,
}

/// What holds at a waypoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    /// The expression.
    pub value: ConstraintValue,
    /// Its language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// The value of a constraint: branches are `true` or `false`, switches numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ConstraintValue {
    /// A branch.
    Truth(bool),
    /// A case of a switch.
    Number(i64),
    /// An expression.
    Text(String),
}

/// An invariant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvariantItem {
    /// `loop_invariant` or `location_invariant`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where.
    pub location: Place,
    /// The expression.
    pub value: String,
    /// Its language.
    pub format: String,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub file_name: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

/// Why there is no witness.
#[derive(Debug, thiserror::Error)]
pub enum NoWitness {
    /// Without a verdict there is nothing to witness.
    #[error("there is no verdict to witness")]
    NoVerdict,
    /// The text is no witness.
    #[error("this is no witness: {0}")]
    Malformed(#[from] serde_norway::Error),
}

/// The witness of a report, made at a time given as ISO 8601.
pub fn of(report: &Report, creation_time: &str) -> Result<String, NoWitness> {
    let violated = report.findings.iter().find_map(|finding| match &finding.answer {
        Answer::Violated(run) => Some(run),
        _ => None,
    });
    let (entry_type, content) = match (violated, report.verdict) {
        (Some(run), _) => ("violation_sequence", violation(run)),
        (None, crate::model::VerdictName::True) => ("invariant_set", correctness(report)),
        (None, _) => return Err(NoWitness::NoVerdict),
    };
    let files = &report.task.files;
    let task = TaskSection {
        input_files: files.iter().map(|file| file.name.clone()).collect(),
        input_file_hashes: files.iter().map(|f| (f.name.clone(), f.sha256.clone())).collect(),
        specification: report.task.property.clone(),
        data_model: report.task.data_model.clone(),
        language: "C".to_owned(),
    };
    let text = serde_norway::to_string(&content)?;
    let entry = Entry {
        entry_type: entry_type.to_owned(),
        metadata: Metadata {
            format_version: FORMAT_VERSION.to_owned(),
            uuid: uuid(&format!("{creation_time}\n{task:?}\n{text}")),
            creation_time: creation_time.to_owned(),
            producer: Producer {
                name: report.tool.name.clone(),
                version: report.tool.version.clone(),
            },
            task,
        },
        content,
    };
    Ok(serde_norway::to_string(&vec![entry])?)
}

/// Reads a witness.
pub fn read(text: &str) -> Result<Witness, NoWitness> {
    Ok(serde_norway::from_str(text)?)
}

/// A name of its own for a content: RFC 9562, version 8.
fn uuid(content: &str) -> String {
    let hash = crate::sha256(content.as_bytes());
    format!(
        "{}-{}-8{}-a{}-{}",
        &hash[..8],
        &hash[8..12],
        &hash[12..15],
        &hash[15..18],
        &hash[18..30]
    )
}

/// A waypoint where the statement of a step begins, or the step itself.
fn waypoint(kind: &str, constraint: Option<String>, step: &Step) -> Item {
    let constraint = constraint.map(|text| Constraint {
        value: ConstraintValue::Text(text),
        format: Some("c_expression".to_owned()),
    });
    let (line, column) = step.statement.unwrap_or((step.location.line, step.location.column));
    let location = Place {
        file_name: step.location.file.clone(),
        line,
        column: Some(column),
        function: Some(step.location.function.clone()),
    };
    let waypoint =
        Waypoint { kind: kind.to_owned(), action: "follow".to_owned(), constraint, location };
    Item::Segment { segment: vec![WaypointItem { waypoint }] }
}

/// What came from outside, where it is first known, and the target.
fn violation(run: &Run) -> Vec<Item> {
    let mut content = Vec::new();
    for (at, step) in run.steps.iter().enumerate() {
        for input in step.stored.iter().filter(|stored| stored.is_input && is_plain(stored)) {
            if let Some(next) = next_statement(&run.steps, at, input) {
                content.push(waypoint(
                    "assumption",
                    Some(format!("{} == ({})", input.place, input.value)),
                    next,
                ));
            }
        }
    }
    content.extend(run.steps.last().map(|step| waypoint("target", None, step)));
    content
}

/// Whether a value can be written in C.
fn is_plain(stored: &Stored) -> bool {
    stored.value.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && stored.value.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '.'))
}

/// The step that begins the next statement of the same call, if the value is still there then.
fn next_statement<'a>(steps: &'a [Step], at: usize, input: &Stored) -> Option<&'a Step> {
    let step = &steps[at];
    for next in &steps[at + 1..] {
        if next.depth < step.depth {
            return None;
        }
        let begins = next.statement.is_some() && next.statement != step.statement;
        if next.depth == step.depth && begins {
            return Some(next);
        }
        if next.stored.iter().any(|stored| stored.place == input.place) {
            return None;
        }
    }
    None
}

/// The invariants of loop heads that can be said in C.
fn correctness(report: &Report) -> Vec<Item> {
    let mut found = std::collections::BTreeMap::new();
    for finding in &report.findings {
        let Answer::Proved(proof) = &finding.answer else { continue };
        for invariant in proof.invariants.iter().filter(|invariant| invariant.is_loop) {
            let (Some(at), Some(value)) = (&invariant.location, &invariant.c_expression) else {
                continue;
            };
            let place = Place {
                file_name: at.file.clone(),
                line: at.line,
                column: Some(at.column),
                function: Some(at.function.clone()),
            };
            let values: &mut Vec<&str> = found.entry(place).or_default();
            if !values.contains(&value.as_str()) {
                values.push(value);
            }
        }
    }
    let item = |(location, values): (Place, Vec<&str>)| {
        let value = match &values[..] {
            [one] => (*one).to_owned(),
            several => {
                let all: Vec<String> = several.iter().map(|v| format!("({v})")).collect();
                all.join(" && ")
            }
        };
        let (kind, format) = ("loop_invariant".to_owned(), "c_expression".to_owned());
        Item::Invariant { invariant: InvariantItem { kind, location, value, format } }
    };
    found.into_iter().map(item).collect()
}
