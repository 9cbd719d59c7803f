//! A solver that ends with the budget: no query waits longer than there is time.

use gnomon_budget::Budget;
use gnomon_logic::{
    Answer, Limits, Model, Purpose, Solver, Statistics, Term, Terms, UnknownReason,
};

/// The limit of a query about a whole path.
pub(crate) const PATH_QUERY: u32 = 20_000_000;

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
