//! Where the predicates to try on a path come from.
//!
//! Candidates are the conjuncts of known sequences and the atoms of the path's own formulas, without
//! SSA indices. An equation also gives its two halves (an initial value is a bound that a loop may
//! keep), and an inequality the next weaker one (what a guard is after the counter has moved).

use super::path::Path;
use super::score::PathFacts;
use crate::Integer;
use crate::term::{Linear, Relation, Sort, Term, Terms};
use std::collections::BTreeSet;

/// Predicates to try, without repetitions, in the order of addition.
#[derive(Debug, Default)]
pub(super) struct Pool {
    predicates: Vec<Term>,
    known: BTreeSet<Term>,
}

/// More are not tried.
const LARGEST: usize = 40;

impl Pool {
    /// The predicates.
    pub(super) fn predicates(&self) -> &[Term] {
        &self.predicates
    }

    fn add(&mut self, terms: &Terms, predicate: Term) {
        let trivial = predicate == terms.tt() || predicate == terms.ff();
        if !trivial && self.predicates.len() < LARGEST && self.known.insert(predicate) {
            self.predicates.push(predicate);
        }
    }

    /// The formula over variables, if each variable occurs with one index.
    fn generic(terms: &mut Terms, formula: Term) -> Option<Term> {
        let symbols = terms.free_symbols(formula);
        let single = symbols.windows(2).all(|pair| pair[0].variable != pair[1].variable);
        single.then(|| terms.without_indices(formula))
    }

    /// Adds a predicate and what is weaker and still simple.
    fn add_with_weaker(&mut self, terms: &mut Terms, predicate: Term) {
        match terms.linear_atom(predicate) {
            Some((linear, Relation::EqZero)) => {
                self.add(terms, predicate);
                for sign in [Integer::ONE, -Integer::ONE] {
                    let half = terms.from_linear_atom(&linear.scaled(&sign), Relation::LeZero);
                    self.add(terms, half);
                }
            }
            Some((linear, Relation::LeZero)) => {
                self.add(terms, predicate);
                let weaker = linear.add_scaled(&Linear::constant(1), &-Integer::ONE);
                let weaker = terms.from_linear_atom(&weaker, Relation::LeZero);
                self.add(terms, weaker);
            }
            None => self.add(terms, predicate),
        }
    }

    /// Adds the conjuncts of the formulas of a sequence, without those whose numbers look
    /// unrolled.
    pub(super) fn add_sequence(&mut self, terms: &mut Terms, formulas: &[Term], facts: &PathFacts) {
        let mut seen = BTreeSet::new();
        for &formula in formulas {
            for conjunct in terms.conjuncts(formula) {
                if seen.insert(conjunct)
                    && facts.has_natural_numbers(terms, conjunct)
                    && let Some(predicate) = Self::generic(terms, conjunct)
                {
                    self.add(terms, predicate);
                }
            }
        }
    }

    /// Adds what the path itself says: first the opposite of its last formulas (what is to be
    /// shown), then the atoms of its formulas.
    pub(super) fn add_path(&mut self, terms: &mut Terms, path: &Path) {
        for step in path.steps().iter().rev().take(2) {
            let opposite = terms.not(step.formula);
            if let Some(predicate) = Self::generic(terms, opposite) {
                self.add_with_weaker(terms, predicate);
            }
        }
        let mut seen = BTreeSet::new();
        for step in path.steps() {
            for &atom in &*terms.atoms(step.formula) {
                if let Some(predicate) = Self::generic(terms, atom)
                    && seen.insert(predicate)
                {
                    self.add_with_weaker(terms, predicate);
                }
            }
            // Other sorts do not help without the formulas they occur in.
            if seen.len() > LARGEST || terms.sort(step.formula) != Sort::Bool {
                break;
            }
        }
    }
}
