//! When an engine looks at the whole program by itself.
//!
//! Refinement by paths comes first: many programs need nothing else. A CHC query comes after two
//! refinements, with little effort, and then each time after twice as many as before; or when
//! refinement is stopped. Its effort grows by the same
//! factor, so that a wrong guess costs a constant factor at most. Candidate invariants are tried
//! once: before the first query where there are few cut points, else behind it.

use super::query::Learned;

/// The solver resources of the first query.
pub const FIRST_EFFORT: u32 = 1_000_000;
/// The most that a query gets.
pub const MAX_EFFORT: u32 = 20_000_000;
/// No query before so many refinements.
const FIRST_PERIOD: u64 = 2;

/// Who decides when to look at the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Initiative {
    /// The engine, by its schedule.
    #[default]
    Engine,
    /// Its caller, by asking for it.
    Caller,
}

/// The schedule of one engine.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Who decides.
    pub initiative: Initiative,
    effort: u32,
    /// Refinements between two queries; 0 if there was none yet.
    period: u64,
    due: u64,
    spent: bool,
}

impl Default for Schedule {
    fn default() -> Self {
        let (initiative, effort) = (Initiative::default(), FIRST_EFFORT);
        Self { initiative, effort, period: 0, due: FIRST_PERIOD, spent: false }
    }
}

impl Schedule {
    /// Asks after so many refinements at first.
    pub fn after(refinements: u64) -> Self {
        Self { period: refinements, due: refinements, ..Self::default() }
    }

    /// Asks before the first refinement.
    pub fn ask_first(&mut self) {
        (self.period, self.due) = (1, 0);
    }

    /// Whether the engine decides.
    pub fn is_by_engine(&self) -> bool {
        self.initiative == Initiative::Engine
    }

    /// Whether a query is due after so many refinements.
    pub fn is_due(&self, refinements: u64) -> bool {
        self.is_by_engine() && !self.spent && refinements >= self.due
    }

    /// The effort of the next query; `None` if more of it is in vain.
    pub fn effort(&self) -> Option<u32> {
        (!self.spent).then_some(self.effort)
    }

    /// A query was made after so many refinements.
    pub fn asked(&mut self, refinements: u64, learned: Learned) {
        self.spent = match learned {
            Learned::Solution | Learned::Predicates => false,
            Learned::Refuted => true,
            Learned::Nothing | Learned::NotAsked => self.effort >= MAX_EFFORT,
        };
        self.effort = self.effort.saturating_mul(2).min(MAX_EFFORT);
        self.period = self.period.max(1).max(refinements.min(self.due));
        self.due = refinements + self.period;
    }

    /// Something else was learned after so many refinements: it is tried before the next query.
    pub fn postpone(&mut self, refinements: u64) {
        self.due = refinements + self.period.max(FIRST_PERIOD);
    }

    /// Something else was learned: what was asked in vain may succeed now.
    pub fn renew(&mut self) {
        self.spent = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_come_more_rarely_and_with_more_effort() {
        let mut schedule = Schedule::default();
        assert!(!schedule.is_due(1) && schedule.is_due(2));
        let mut efforts = Vec::new();
        let mut refinements = Vec::new();
        for n in 0..1000 {
            if schedule.is_due(n) {
                efforts.extend(schedule.effort());
                refinements.push(n);
                schedule.asked(n, Learned::Nothing);
            }
        }
        assert_eq!(refinements, [2, 4, 8, 16, 32, 64]);
        let million = 1_000_000;
        assert_eq!(efforts, [1, 2, 4, 8, 16, 20].map(|n| n * million));
        assert_eq!(schedule.effort(), None);
    }

    #[test]
    fn nothing_is_asked_without_the_callers_word() {
        let schedule = Schedule { initiative: Initiative::Caller, ..Schedule::default() };
        assert!(!schedule.is_due(1000));
        assert_eq!(schedule.effort(), Some(FIRST_EFFORT));
    }
}
