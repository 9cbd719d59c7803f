//! What a solver was asked, by purpose.

use super::{Answer, Purpose};
use std::time::Duration;

/// Counts for one purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PurposeStatistics {
    /// Answered [`Answer::Sat`].
    pub sat: u64,
    /// Answered [`Answer::Unsat`].
    pub unsat: u64,
    /// Answered [`Answer::Unknown`].
    pub unknown: u64,
    /// Time spent (for people only; never decides anything).
    pub time: Duration,
}

impl PurposeStatistics {
    /// All queries.
    pub fn queries(&self) -> u64 {
        self.sat + self.unsat + self.unknown
    }
}

/// Counts by purpose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    // A handful of purposes: a scan by address-independent comparison beats a map.
    by_purpose: Vec<(Purpose, PurposeStatistics)>,
    /// How often the solver's context or process was replaced by a new one.
    pub restarts: u64,
}

impl Statistics {
    fn of(&mut self, purpose: Purpose) -> &mut PurposeStatistics {
        let at = match self.by_purpose.binary_search_by_key(&purpose, |p| p.0) {
            Ok(at) => at,
            Err(at) => {
                self.by_purpose.insert(at, (purpose, PurposeStatistics::default()));
                at
            }
        };
        &mut self.by_purpose[at].1
    }

    /// Counts an answer.
    pub fn count(&mut self, purpose: Purpose, answer: &Answer, time: Duration) {
        let counts = self.of(purpose);
        match answer {
            Answer::Sat => counts.sat += 1,
            Answer::Unsat => counts.unsat += 1,
            Answer::Unknown(_) => counts.unknown += 1,
        }
        counts.time += time;
    }

    /// The counts for each purpose, sorted by its name.
    pub fn iter(&self) -> impl Iterator<Item = (Purpose, PurposeStatistics)> {
        self.by_purpose.iter().copied()
    }

    /// The counts of all purposes together.
    pub fn total(&self) -> PurposeStatistics {
        self.by_purpose.iter().fold(PurposeStatistics::default(), |sum, (_, s)| PurposeStatistics {
            sat: sum.sat + s.sat,
            unsat: sum.unsat + s.unsat,
            unknown: sum.unknown + s.unknown,
            time: sum.time + s.time,
        })
    }
}
