//! Looking at all runs one by one, before and after the engines had their turn.

use gnomon_logic::encode::Theory;

use super::{Reason, Task, Verdict};
use crate::verdict::{Proof, Statistics};
use crate::walk::{Subject, Walk, Walked};

/// Steps before anything else is tried.
pub(super) const FIRST_STEPS: u64 = 30_000;
/// Steps between two looks at what was found.
const MORE_STEPS: u64 = 1_000_000;

impl<'a> Task<'a> {
    /// A walk through all runs, in integers; `None` if it cannot begin.
    pub(super) fn walk(&self) -> Option<Walk<'a>> {
        let encoder = self.encoder(Theory::Int).ok()?;
        let subject = Subject {
            program: self.program,
            sites: self.sites,
            calls: self.facts,
            entry: self.entry,
        };
        Walk::new(subject, encoder, self.solver(Theory::Int), self.budget.clone())
    }

    /// Walks so many steps. Nothing is left of a walk that cannot decide any more.
    pub(super) fn walk_on(&self, walk: &mut Option<Walk<'a>>, steps: u64) -> Option<Verdict> {
        let found = match walk.as_mut()?.advance(steps) {
            Ok(Walked::More) => return None,
            Ok(Walked::TooMany) => None,
            Ok(Walked::Finished) => {
                let Walk { gaps, paths, .. } = walk.as_ref()?;
                gaps.is_empty().then_some(Verdict::True(Proof::AllPaths { paths: *paths }))
            }
            Ok(Walked::Error(_, steps)) => match self.confirm(&steps) {
                Ok(verdict) => Some(verdict),
                Err(reason) => {
                    self.budget.report("replay", format_args!("{reason}"));
                    None
                }
            },
            Err(limit) => Some(Verdict::Unknown(Reason::Limit(limit))),
        };
        if found.is_none() {
            *walk = None;
        }
        found
    }

    /// Walks until there is an answer, or nothing more to find.
    pub(super) fn walk_to_the_end(&self, walk: &mut Option<Walk<'a>>) -> Option<Verdict> {
        while walk.is_some() {
            if let Some(verdict) = self.walk_on(walk, MORE_STEPS) {
                return Some(verdict);
            }
        }
        None
    }
}

/// Counts what was done.
pub(super) fn add_walk(statistics: &mut Statistics, walk: &Walk<'_>) {
    statistics.add_solver(walk.solver());
    statistics.numbers.insert("paths, steps", walk.steps as f64);
    statistics.numbers.insert("paths to their ends", walk.paths as f64);
}
