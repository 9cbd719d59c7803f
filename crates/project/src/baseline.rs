//! The baseline: findings that are known, by fingerprint, in a file of the project.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::ProjectError;
use crate::results::{Finding, Results};

/// Findings that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Baseline {
    /// By fingerprint, what it is, for people.
    pub findings: BTreeMap<String, String>,
}

impl Baseline {
    /// Reads a file; without one nothing is known.
    pub fn read(path: &Path) -> Result<Self, ProjectError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => return Err(ProjectError::file(path, error)),
        };
        serde_json::from_str(&text).map_err(|error| ProjectError::Config {
            path: path.to_owned(),
            problem: error.to_string(),
        })
    }

    /// What a run found.
    pub fn of(results: &Results) -> Self {
        let shown = |finding: &Finding| {
            let place = finding.location.as_ref();
            let place =
                place.map_or(String::new(), |at| format!(" in {}, {}", at.file, at.function));
            (finding.fingerprint.clone(), format!("{}: {}{place}", finding.rule, finding.what))
        };
        Self { findings: results.findings.iter().map(shown).collect() }
    }

    /// With all that another one has: where units have no result, what was known of them stays.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        for (fingerprint, what) in other.findings {
            self.findings.entry(fingerprint).or_insert(what);
        }
        self
    }

    /// Whether a finding is known.
    pub fn has(&self, fingerprint: &str) -> bool {
        self.findings.contains_key(fingerprint)
    }

    /// The text of the file.
    pub fn to_json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}
