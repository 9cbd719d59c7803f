//! What the solver does not know is left open: the successor is an over-approximation.

use gnomon_logic::solver::{Model, Statistics, UnknownReason};
use gnomon_logic::{Answer, Limits, Purpose, Solver, Term, Terms};

use crate::{Setting, or};

/// A solver that gives up after some answers.
struct Tired {
    solver: Box<dyn Solver>,
    answers: usize,
}

impl Solver for Tired {
    fn push(&mut self) {
        self.solver.push();
    }

    fn pop(&mut self) {
        self.solver.pop();
    }

    fn depth(&self) -> usize {
        self.solver.depth()
    }

    fn assert(&mut self, terms: &Terms, formula: Term) {
        self.solver.assert(terms, formula);
    }

    fn check(&mut self, terms: &Terms, of: &[Term], purpose: Purpose, limits: Limits) -> Answer {
        if self.answers == 0 {
            return Answer::Unknown(UnknownReason::ResourceLimit);
        }
        self.answers -= 1;
        self.solver.check(terms, of, purpose, limits)
    }

    fn model(&mut self, terms: &Terms, of: &[Term]) -> Model {
        self.solver.model(terms, of)
    }

    fn core(&mut self, terms: &Terms) -> Vec<Term> {
        self.solver.core(terms)
    }

    fn statistics(&self) -> &Statistics {
        self.solver.statistics()
    }
}

#[test]
fn whoever_gives_up_earlier_knows_less() {
    let mut regions = Vec::new();
    for answers in 0..8 {
        let mut s = Setting::new();
        let (x, y) = (s.x, s.y);
        let wanted = [s.at_least(x, 0), s.at_least(y, 0), s.at_least(y, 5)];
        let solver =
            std::mem::replace(&mut s.solver, Box::new(gnomon_logic::solver::for_integers()));
        s.solver = Box::new(Tired { solver, answers });
        let block = s.assignment(y, x, 0);
        let after = s.successor(0, &s.top(), &block, &wanted);
        assert_eq!(s.solver.depth(), 0, "every scope is closed");
        regions.push((answers, after.sat_count(3)));
    }
    // Nothing at all at first; in the end, y >= 5, y in 0..5 and y < 0 with x the same.
    assert_eq!(regions[0], (0, 8.0));
    assert_eq!(regions[7], (7, 3.0), "{regions:?}");
    assert!(regions.is_sorted_by(|a, b| a.1 >= b.1), "{regions:?}");
}

#[test]
fn an_answer_that_was_given_up_is_still_a_superset() {
    let mut s = Setting::new();
    let (x, y) = (s.x, s.y);
    let wanted = [s.at_least(x, 0), s.at_least(y, 0)];
    let exact = {
        let block = s.assignment(y, x, 0);
        s.successor(0, &s.top(), &block, &wanted)
    };
    for answers in 0..6 {
        let solver = Box::new(gnomon_logic::solver::for_integers());
        s.solver = Box::new(Tired { solver, answers });
        let block = s.assignment(y, x, 0);
        let after = s.successor(1 + answers as u32, &s.top(), &block, &wanted);
        assert!(exact.is_subset_of(&after).expect("room"), "{answers} answers");
        assert_eq!(or(&exact, &after), after);
    }
}
