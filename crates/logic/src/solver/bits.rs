//! Bits by a SAT solver first, by another solver where that does not suffice.
//!
//! What cannot be bit-blasted here (equations between arrays), or would be too
//! large, is asked of a second solver, which is started when it is needed for the first time and
//! is told then what is asserted.

use super::sat::SatSolver;
use super::{Answer, Limits, Model, Purpose, Solver, Statistics, UnknownReason, client, for_bits};
use crate::term::{Term, Terms};

/// Who gave the last answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answered {
    First,
    Second,
}

/// A SAT-based solver with another one behind it.
pub struct BitSolver {
    first: SatSolver,
    second: Option<Box<dyn Solver>>,
    /// What is asserted, by scope; the first is the base.
    frames: Vec<Vec<Term>>,
    answered: Answered,
    statistics: Statistics,
}

impl Default for BitSolver {
    fn default() -> Self {
        Self {
            first: SatSolver::new(),
            second: None,
            frames: vec![Vec::new()],
            answered: Answered::First,
            statistics: Statistics::default(),
        }
    }
}

impl BitSolver {
    /// Without formulas.
    pub fn new() -> Self {
        Self::default()
    }

    /// The second solver, with all that is asserted.
    fn second(&mut self, terms: &Terms) -> &mut dyn Solver {
        let frames = &self.frames;
        self.second
            .get_or_insert_with(|| {
                let mut solver = for_bits();
                for (depth, frame) in frames.iter().enumerate() {
                    if depth > 0 {
                        solver.push();
                    }
                    for &formula in frame {
                        solver.assert(terms, formula);
                    }
                }
                solver
            })
            .as_mut()
    }
}

impl Solver for BitSolver {
    fn push(&mut self) {
        self.frames.push(Vec::new());
        self.first.push();
        if let Some(second) = &mut self.second {
            second.push();
        }
    }

    fn pop(&mut self) {
        if self.frames.len() == 1 {
            return;
        }
        self.frames.pop();
        self.first.pop();
        if let Some(second) = &mut self.second {
            second.pop();
        }
    }

    fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    fn assert(&mut self, terms: &Terms, formula: Term) {
        if let Some(frame) = self.frames.last_mut() {
            frame.push(formula);
        }
        self.first.assert(terms, formula);
        if let Some(second) = &mut self.second {
            second.assert(terms, formula);
        }
    }

    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        purpose: Purpose,
        limits: Limits,
    ) -> Answer {
        self.answered = Answered::First;
        let start = std::time::Instant::now();
        let mut answer = self.first.check(terms, assumptions, purpose, limits);
        if let Answer::Unknown(UnknownReason::Incomplete(_)) = answer
            && client::spend(0).is_ok()
        {
            self.answered = Answered::Second;
            answer = self.second(terms).check(terms, assumptions, purpose, limits);
        }
        self.statistics.count(purpose, &answer, start.elapsed());
        answer
    }

    fn model(&mut self, terms: &Terms, of: &[Term]) -> Model {
        match (self.answered, &mut self.second) {
            (Answered::Second, Some(second)) => second.model(terms, of),
            _ => self.first.model(terms, of),
        }
    }

    fn core(&mut self, terms: &Terms) -> Vec<Term> {
        match (self.answered, &mut self.second) {
            (Answered::Second, Some(second)) => second.core(terms),
            _ => self.first.core(terms),
        }
    }

    fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}
