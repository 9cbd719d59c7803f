//! A solver that ends with the budget: no query waits longer than there is time.

use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_logic::{
    Answer, Limits, Model, Purpose, Solver, Statistics, Term, Terms, UnknownReason,
};

/// What a system of the whole program may take at first and at most, in solver resources. A limit in
/// time would make statistics depend on what else the machine does.
pub(crate) const FIRST_SYSTEM: u32 = 3_000_000;
pub(crate) const MAX_SYSTEM: u32 = 20_000_000;
/// How much of them the solver uses in a second, roughly.
const SYSTEM_PER_SECOND: u64 = 1_000_000;
/// A system gets at most this share of the time that is allotted, so that everything else is not
/// starved by systems that end without an answer.
const SYSTEM_SHARE: u64 = 6;
/// After this time a system is ended if there is no limit on time.
const SYSTEM_GUARD: Duration = Duration::from_secs(600);
/// The limit of a query about a whole path.
pub(crate) const PATH_QUERY: u32 = 20_000_000;

/// The resources that a system of the whole program gets when it asks for `wanted`, and the time
/// after which it is ended even if it has not used them.
pub(crate) fn system_limits(budget: &Budget, wanted: u32) -> (u32, Duration) {
    let share = budget.allotted_time().map_or(u64::MAX, |time| time.as_secs() / SYSTEM_SHARE);
    let share = u32::try_from(share.saturating_mul(SYSTEM_PER_SECOND)).unwrap_or(u32::MAX);
    let guard = budget.time_left().unwrap_or(SYSTEM_GUARD);
    (wanted.min(share.max(FIRST_SYSTEM)), guard)
}

/// A solver with a budget.
pub struct Limited {
    inner: Box<dyn Solver>,
    budget: Budget,
}

impl Limited {
    /// The solver, ending with the budget.
    pub fn new(inner: Box<dyn Solver>, budget: Budget) -> Self {
        Self { inner, budget }
    }
}

impl Solver for Limited {
    fn push(&mut self) {
        self.inner.push();
    }

    fn pop(&mut self) {
        self.inner.pop();
    }

    fn depth(&self) -> usize {
        self.inner.depth()
    }

    fn assert(&mut self, terms: &Terms, formula: Term) {
        self.inner.assert(terms, formula);
    }

    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        purpose: Purpose,
        limits: Limits,
    ) -> Answer {
        if self.budget.check_now().is_err() {
            return Answer::Unknown(UnknownReason::Time);
        }
        let limits = match (self.budget.time_left(), limits.time) {
            (Some(left), Some(guard)) => limits.with_time(left.min(guard)),
            (Some(left), None) => limits.with_time(left),
            (None, _) => limits,
        };
        self.inner.check(terms, assumptions, purpose, limits)
    }

    fn model(&mut self, terms: &Terms, of: &[Term]) -> Model {
        self.inner.model(terms, of)
    }

    fn core(&mut self, terms: &Terms) -> Vec<Term> {
        self.inner.core(terms)
    }

    fn statistics(&self) -> &Statistics {
        self.inner.statistics()
    }
}
