//! `gnomon diff OLD NEW`: which verdicts changed between two runs, and which findings came and went.

use std::collections::BTreeMap;
use std::fmt;

use gnomon_report::model::VerdictName;

use crate::results::{Finding, Results, State, UnitResult};

/// What is different between two runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Names of units with the verdict before and now; none where there is no such unit.
    pub verdicts: Vec<(String, Option<&'static str>, Option<&'static str>)>,
    /// Findings that were not there.
    pub came: Vec<Finding>,
    /// Findings that are gone.
    pub went: Vec<Finding>,
}

impl Difference {
    /// Compares two runs.
    pub fn of(old: &Results, new: &Results) -> Self {
        let (before, now) = (by_name(old), by_name(new));
        let mut verdicts = Vec::new();
        for (name, verdict) in &before {
            if now.get(name) != Some(verdict) {
                verdicts.push(((*name).to_owned(), Some(*verdict), now.get(name).copied()));
            }
        }
        let added = now.iter().filter(|(name, _)| !before.contains_key(*name));
        verdicts.extend(added.map(|(name, verdict)| ((*name).to_owned(), None, Some(*verdict))));
        verdicts.sort();
        Self { verdicts, came: only_in(new, old), went: only_in(old, new) }
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty() && self.came.is_empty() && self.went.is_empty()
    }
}

fn shown(unit: &UnitResult) -> &'static str {
    match (unit.state, unit.verdict) {
        (State::Failed, _) => "failed",
        (State::NotTried, _) => "not tried",
        (State::Done, VerdictName::True) => "TRUE",
        (State::Done, VerdictName::False) => "FALSE",
        (State::Done, VerdictName::Unknown) => "UNKNOWN",
    }
}

fn by_name(results: &Results) -> BTreeMap<&str, &'static str> {
    results.units.iter().map(|unit| (unit.name.as_str(), shown(unit))).collect()
}

fn only_in(one: &Results, other: &Results) -> Vec<Finding> {
    let is_there = |f: &Finding| other.findings.iter().any(|g| g.fingerprint == f.fingerprint);
    one.findings.iter().filter(|finding| !is_there(finding)).cloned().collect()
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return writeln!(f, "no verdict changed");
        }
        for (name, before, now) in &self.verdicts {
            writeln!(f, "{name}: {} -> {}", before.unwrap_or("-"), now.unwrap_or("-"))?;
        }
        for (sign, findings) in [('+', &self.came), ('-', &self.went)] {
            for finding in findings {
                writeln!(f, "{sign} {}", finding.shown())?;
            }
        }
        let (came, went) = (self.came.len(), self.went.len());
        writeln!(f, "{} verdicts changed, {came} findings came, {went} went", self.verdicts.len())
    }
}

impl Finding {
    /// In one line, as compilers show it.
    pub fn shown(&self) -> String {
        match &self.location {
            Some(at) => format!(
                "{}:{}:{}: {} [{}] in {}",
                at.file, at.line, at.column, self.what, self.rule, at.function
            ),
            None => format!("{} [{}] in {}", self.what, self.rule, self.units.join(", ")),
        }
    }
}
