//! A solver that ends with the budget: no query waits longer than there is time.

use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_logic::{
    Answer, Limits, Model, Purpose, Solver, Statistics, Term, Terms, UnknownReason,
};

/// What a system of the whole program may take: time at first and at most, and solver resources.
pub(crate) const FIRST_SYSTEM_TIME: Duration = Duration::from_secs(3);
pub(crate) const MAX_SYSTEM_TIME: Duration = Duration::from_secs(20);
pub(crate) const SYSTEM_RESOURCES: u32 = 100_000_000;
/// A system gets at most this share of the time that is left, so that the search is not starved by
/// systems that end without an answer.
const SYSTEM_SHARE: u32 = 6;
/// The limit of a query about a whole path.
pub(crate) const PATH_QUERY: u32 = 20_000_000;

/// The time that a system of the whole program gets when it asks for `wanted`.
pub(crate) fn system_time(budget: &Budget, wanted: Duration) -> Duration {
    let Some(left) = budget.time_left() else { return wanted };
    wanted.min((left / SYSTEM_SHARE).max(FIRST_SYSTEM_TIME)).min(left)
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
