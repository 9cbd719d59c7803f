//! What a run says of a project, as data: the JSON form, and what all other forms are made of.
//!
//! A *finding* is a place where something goes wrong, whichever units found it. It has a fingerprint that
//! survives changes elsewhere in the file: the kind of error, the file, the function, what is wrong, and
//! which one of several that are alike it is. Findings of `main` are errors; those of functions that were
//! given anything as arguments are warnings, since no caller may ever do so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gnomon_report::model::{Location, VerdictName};
use gnomon_report::sha256;
use serde::{Deserialize, Serialize};

use crate::ProjectError;
use crate::baseline::Baseline;
use crate::config::{Config, FailOn};
use crate::driver::{Driven, Fate};
use crate::plan::{Plan, Planned};

/// The name of the schema, the first field of every document.
pub const SCHEMA: &str = "gnomon-project";
/// The version of the schema.
pub const VERSION: u32 = 1;

/// What a run says of a project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Results {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// [`VERSION`] of the writer.
    pub version: u32,
    /// The version of Gnomon.
    pub tool: String,
    /// Whether the run was stopped before its end.
    pub stopped: bool,
    /// Numbers.
    pub counts: Counts,
    /// Programs and libraries.
    pub targets: Vec<TargetResult>,
    /// Findings, by file and line.
    pub findings: Vec<Finding>,
    /// Units, in order.
    pub units: Vec<UnitResult>,
    /// Files that could not be read, and why.
    pub unreadable: Vec<UnreadableFile>,
    /// What verdicts rely on, and of how many units.
    pub assumptions: BTreeMap<String, usize>,
    /// Against the last run, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trend: Option<Trend>,
}

/// Numbers of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Counts {
    /// Translation units that were read.
    pub files: usize,
    /// Functions where checks begin.
    pub entries: usize,
    /// Units of work.
    pub units: usize,
    /// Questions about parts in which there is nothing that could go wrong.
    pub nothing_to_check: usize,
    /// Units with an answer from before this run.
    pub known_before: usize,
    /// Proved.
    pub proved: usize,
    /// Violated.
    pub violated: usize,
    /// Not decided.
    pub open: usize,
    /// Units whose workers failed.
    pub failed: usize,
    /// Units that were not tried, since the run was stopped.
    pub not_tried: usize,
    /// Attempts that were made.
    pub attempts: usize,
    /// Processor seconds of the attempts that gave the answers.
    pub processor_seconds: f64,
    /// Seconds from begin to end.
    pub seconds: f64,
    /// The most memory of a unit, in MB.
    pub most_memory: u64,
}

/// A program or library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TargetResult {
    /// Its name.
    pub name: String,
    /// Whether it has a `main`.
    pub is_program: bool,
    /// Translation units.
    pub files: usize,
    /// Units of work.
    pub units: usize,
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct UnreadableFile {
    /// The file.
    pub file: String,
    /// Why.
    pub problem: String,
}

/// Something that goes wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// Stable across changes elsewhere.
    pub fingerprint: String,
    /// The kind of error.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// What goes wrong.
    pub what: String,
    /// Where.
    pub location: Option<Location>,
    /// The names of the units that found it.
    pub units: Vec<String>,
    /// The key of the unit whose report has the run.
    pub key: String,
    /// Whether the baseline has it.
    pub known: bool,
    /// Whether the last run had it.
    pub is_new: bool,
}

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// A run of the program does it.
    Error,
    /// A call with some arguments does it.
    Warning,
}

/// What is known of a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct UnitResult {
    /// What it is called across changes.
    pub name: String,
    /// The program or library.
    pub target: String,
    /// Where runs begin.
    pub entry: String,
    /// The file of the entry.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The group of what must not happen.
    pub group: String,
    /// The key.
    pub key: String,
    /// The verdict.
    pub verdict: VerdictName,
    /// Why nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Places that were decided one by one: proved, violated, open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sites: Option<[usize; 3]>,
    /// Whether it was known before this run.
    pub known_before: bool,
    /// What happened, if it has no result.
    pub state: State,
    /// Processor seconds.
    pub seconds: f64,
    /// MB.
    pub memory: u64,
}

/// Whether a unit has a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It has one.
    Done,
    /// Its workers failed.
    Failed,
    /// It was not tried.
    NotTried,
}

/// What has changed since the last run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Trend {
    /// Findings of now that were not there.
    pub new_findings: usize,
    /// Findings that are gone, by fingerprint.
    pub gone: Vec<Finding>,
    /// Before: proved, violated, open.
    pub before: [usize; 3],
}

/// What a run is compared with.
pub struct Compared<'a> {
    /// What is known.
    pub baseline: &'a Baseline,
    /// The last run.
    pub last: Option<&'a Results>,
}

impl Results {
    /// Makes results of what a run brought.
    pub fn of(plan: &Plan, driven: &Driven, config: &Config, with: &Compared<'_>) -> Self {
        let mut counts = Counts {
            files: plan.sources,
            entries: plan.entries,
            units: plan.units.len(),
            nothing_to_check: plan.nothing_to_check,
            attempts: driven.attempts,
            ..Counts::default()
        };
        let mut assumptions: BTreeMap<String, usize> = BTreeMap::new();
        let mut found = Found::default();
        let mut units = Vec::with_capacity(plan.units.len());
        for (planned, fate) in plan.units.iter().zip(&driven.fates) {
            units.push(unit_result(planned, fate));
            let unit = &units[units.len() - 1];
            counts.processor_seconds += unit.seconds;
            counts.most_memory = counts.most_memory.max(unit.memory);
            counts.known_before += usize::from(unit.known_before);
            match (unit.state, unit.verdict) {
                (State::Failed, _) => counts.failed += 1,
                (State::NotTried, _) => counts.not_tried += 1,
                (State::Done, VerdictName::True) => counts.proved += 1,
                (State::Done, VerdictName::False) => counts.violated += 1,
                (State::Done, VerdictName::Unknown) => counts.open += 1,
            }
            if let Fate::Known(record, _) = fate {
                for text in &record.assumptions {
                    *assumptions.entry(text.clone()).or_default() += 1;
                }
                found.add(planned, record, config);
            }
        }
        let mut findings = found.findings();
        for finding in &mut findings {
            finding.known = with.baseline.has(&finding.fingerprint);
            let before = |last: &&Results| {
                !last.findings.iter().any(|known| known.fingerprint == finding.fingerprint)
            };
            finding.is_new = with.last.as_ref().is_none_or(before);
        }
        let trend = with.last.map(|last| trend(last, &findings));
        let targets = plan.targets.iter().map(|target| TargetResult {
            name: target.name.clone(),
            is_program: target.is_program,
            files: target.files,
            units: target.units,
        });
        let unreadable = plan
            .unreadable
            .iter()
            .map(|file| UnreadableFile { file: file.file.clone(), problem: file.problem.clone() });
        Self {
            schema: SCHEMA.to_owned(),
            version: VERSION,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            stopped: driven.stopped,
            counts,
            targets: targets.collect(),
            findings,
            units,
            unreadable: unreadable.collect(),
            assumptions,
            trend,
        }
    }

    /// Reads results; what another tool wrote is refused.
    pub fn read(path: &Path) -> Result<Self, ProjectError> {
        let text = std::fs::read_to_string(path).map_err(|e| ProjectError::file(path, e))?;
        let problem = |problem: String| ProjectError::Config { path: path.to_owned(), problem };
        let results: Self = serde_json::from_str(&text).map_err(|e| problem(e.to_string()))?;
        match results.schema == SCHEMA && results.version == VERSION {
            true => Ok(results),
            false => Err(problem("these are no results of this version of gnomon verify".into())),
        }
    }

    /// The JSON form, with a line end.
    pub fn to_json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Whether the run is to fail.
    pub fn fails(&self, on: FailOn) -> bool {
        match on {
            FailOn::Never => false,
            FailOn::Any => !self.findings.is_empty(),
            FailOn::New => self.findings.iter().any(|finding| !finding.known),
        }
    }
}

fn unit_result(planned: &Planned, fate: &Fate) -> UnitResult {
    let unit = &planned.unit;
    let mut result = UnitResult {
        name: unit.name(),
        target: unit.target.clone(),
        entry: unit.entry.clone(),
        file: unit.file.clone(),
        line: unit.line,
        group: unit.group.clone(),
        key: unit.key.clone(),
        verdict: VerdictName::Unknown,
        reason: None,
        sites: None,
        known_before: false,
        state: State::NotTried,
        seconds: 0.0,
        memory: 0,
    };
    match fate {
        Fate::NotTried => result.reason = Some("the run was stopped".into()),
        Fate::Failed(why) => {
            result.state = State::Failed;
            result.reason = Some(why.clone());
        }
        Fate::Known(record, before) => {
            result.state = State::Done;
            result.verdict = record.verdict;
            result.reason.clone_from(&record.reason);
            result.known_before = *before;
            (result.seconds, result.memory) = (record.seconds, record.memory);
            let count = |verdict| record.findings.iter().filter(|s| s.verdict == verdict).count();
            result.sites = (record.findings.len() > 1)
                .then(|| [VerdictName::True, VerdictName::False, VerdictName::Unknown].map(count));
        }
    }
    result
}

/// Sites that go wrong, by place.
#[derive(Default)]
struct Found {
    by_place: BTreeMap<(String, Option<Location>, String), Finding>,
}

impl Found {
    fn add(&mut self, planned: &Planned, record: &crate::record::Record, config: &Config) {
        for site in record.findings.iter().filter(|site| site.verdict == VerdictName::False) {
            let file = site.location.as_ref().map_or("", |at| at.file.as_str());
            if config.is_excluded(file) {
                continue;
            }
            let severity = if planned.is_main { Severity::Error } else { Severity::Warning };
            let place = (site.rule.clone(), site.location.clone(), site.what.clone());
            let finding = self.by_place.entry(place).or_insert_with(|| Finding {
                fingerprint: String::new(),
                rule: site.rule.clone(),
                severity,
                what: site.what.clone(),
                location: site.location.clone(),
                units: Vec::new(),
                key: record.key.clone(),
                known: false,
                is_new: false,
            });
            if severity < finding.severity {
                finding.severity = severity;
                finding.key.clone_from(&record.key);
            }
            let name = planned.unit.name();
            if !finding.units.contains(&name) {
                finding.units.push(name);
            }
        }
    }

    fn findings(self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.by_place.into_values().collect();
        findings.sort_by(|a, b| (&a.location, &a.rule).cmp(&(&b.location, &b.rule)));
        let mut alike: BTreeMap<String, usize> = BTreeMap::new();
        for finding in &mut findings {
            let place = finding.location.as_ref().map(|at| (&at.file, &at.function));
            let kind = format!("{} {place:?} {}", finding.rule, finding.what);
            let number = alike.entry(kind.clone()).or_default();
            *number += 1;
            finding.fingerprint = sha256(format!("{kind} {number}").as_bytes());
        }
        findings
    }
}

fn trend(last: &Results, findings: &[Finding]) -> Trend {
    let now: BTreeSet<&str> = findings.iter().map(|f| f.fingerprint.as_str()).collect();
    let gone = last.findings.iter().filter(|f| !now.contains(f.fingerprint.as_str())).cloned();
    Trend {
        new_findings: findings.iter().filter(|finding| finding.is_new).count(),
        gone: gone.collect(),
        before: [last.counts.proved, last.counts.violated, last.counts.open],
    }
}
