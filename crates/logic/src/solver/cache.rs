//! Answers that are remembered.
//!
//! A query is the set of asserted formulas and assumptions: their order, repetitions and the scopes
//! they stand in do not matter, and terms are normal forms, so that the sorted list of their
//! numbers is a normal form of the query. Only [`Answer::Sat`] and [`Answer::Unsat`] are remembered:
//! an unknown may become known with other limits. Models and cores are not remembered; when one is
//! wanted for a remembered answer, the query is asked again.

use super::{Answer, Limits, Model, Purpose, Solver, Statistics};
use crate::term::{Term, Terms};
use rustc_hash::FxHashMap;

/// Remembers the answers of another solver.
pub struct CachedSolver<S> {
    inner: S,
    /// Sorted and without repetitions, by scope: each includes those below.
    frames: Vec<Vec<Term>>,
    answers: FxHashMap<Box<[Term]>, Answer>,
    capacity: usize,
    /// The last query, if its answer was remembered and the solver does not know of it.
    unasked: Option<(Vec<Term>, Limits)>,
    statistics: Statistics,
}

impl<S: Solver> CachedSolver<S> {
    /// Remembers up to `capacity` answers; when there are more, all are forgotten.
    pub fn new(inner: S, capacity: usize) -> Self {
        Self {
            inner,
            frames: vec![Vec::new()],
            answers: FxHashMap::default(),
            capacity,
            unasked: None,
            statistics: Statistics::default(),
        }
    }

    /// The solver behind it.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    fn key(&self, assumptions: &[Term]) -> Box<[Term]> {
        let base = self.frames.last().map_or(&[][..], Vec::as_slice);
        let mut key = Vec::with_capacity(base.len() + assumptions.len());
        key.extend_from_slice(base);
        key.extend_from_slice(assumptions);
        key.sort_unstable();
        key.dedup();
        key.into_boxed_slice()
    }

    /// Puts the last query to the solver, if it was answered without it.
    fn ask_again(&mut self, terms: &Terms) {
        if let Some((assumptions, limits)) = self.unasked.take() {
            self.inner.check(terms, &assumptions, Purpose::OTHER, limits);
        }
    }
}

impl<S: Solver> Solver for CachedSolver<S> {
    fn push(&mut self) {
        self.frames.push(self.frames.last().cloned().unwrap_or_default());
        self.inner.push();
    }

    fn pop(&mut self) {
        if self.frames.len() > 1 {
            self.frames.pop();
            self.inner.pop();
        }
    }

    fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    fn assert(&mut self, terms: &Terms, formula: Term) {
        if let Some(frame) = self.frames.last_mut()
            && let Err(at) = frame.binary_search(&formula)
        {
            frame.insert(at, formula);
        }
        self.inner.assert(terms, formula);
    }

    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        purpose: Purpose,
        limits: Limits,
    ) -> Answer {
        let key = self.key(assumptions);
        if let Some(answer) = self.answers.get(&key) {
            self.statistics.count_cached(purpose, answer);
            self.unasked = Some((assumptions.to_vec(), limits));
            return answer.clone();
        }
        self.unasked = None;
        let before = self.inner.statistics().total().time;
        let answer = self.inner.check(terms, assumptions, purpose, limits);
        let time = self.inner.statistics().total().time.saturating_sub(before);
        self.statistics.count(purpose, &answer, time);
        if !matches!(answer, Answer::Unknown(_)) {
            if self.answers.len() >= self.capacity {
                self.answers.clear();
            }
            self.answers.insert(key, answer.clone());
        }
        answer
    }

    fn model(&mut self, terms: &Terms, of: &[Term]) -> Model {
        self.ask_again(terms);
        self.inner.model(terms, of)
    }

    fn core(&mut self, terms: &Terms) -> Vec<Term> {
        self.ask_again(terms);
        self.inner.core(terms)
    }

    fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}
