//! Where the predicates to try on a path come from.
//!
//! Candidates are, without SSA indices: what is to be shown at the end of the path and its weakest
//! preconditions over the last assignments (what it is in the middle of a iteration); the conjuncts of
//! known sequences; and the atoms of the path's own formulas. An equation also gives its two halves
//! (an initial value is a bound that a loop may keep), and an inequality the next weaker one (what a
//! guard is after the counter has moved). What is claimed of an array element is also tried for the
//! elements on one side of each index that the path writes (what a loop over an array has done).

use super::path::Path;
use super::score::PathFacts;
use crate::Integer;
use crate::number::abs;
use crate::term::{Linear, Op, Relation, Sort, Term, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Predicates to try, without repetitions, in the order of addition.
#[derive(Debug, Default)]
pub(super) struct Pool {
    predicates: Vec<Term>,
    known: BTreeSet<Term>,
}

/// More are not tried.
const LARGEST: usize = 48;
/// Weakest preconditions are taken over so many steps.
const PRECONDITION_STEPS: usize = 16;
/// Indices written that are compared with an index read.
const WRITTEN_INDICES: usize = 4;

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
        self.add_preconditions(terms, path);
        self.add_array_claims(terms, path);
        let mut seen = BTreeSet::new();
        for step in path.steps() {
            for &atom in &*terms.atoms(step.formula) {
                if let Some(predicate) = Self::generic(terms, atom)
                    && seen.insert(predicate)
                {
                    self.add_with_weaker(terms, predicate);
                }
            }
            if seen.len() > LARGEST {
                break;
            }
        }
    }

    /// Adds the weakest preconditions of what is to be shown over the last assignments.
    fn add_preconditions(&mut self, terms: &mut Terms, path: &Path) {
        let Some((last, before)) = path.steps().split_last() else { return };
        let mut goal = terms.not(last.formula);
        for step in before.iter().rev().take(PRECONDITION_STEPS) {
            let (Op::Eq, &[a, b]) = (terms.op(step.formula), terms.args(step.formula)) else {
                continue;
            };
            let Some((symbol, value)) = assignment(terms, a, b) else { continue };
            let changed = terms.substitute(goal, &FxHashMap::from_iter([(symbol, value)]));
            if changed != goal
                && let Some(predicate) = Self::generic(terms, changed)
            {
                self.add(terms, predicate);
            }
            goal = changed;
        }
    }

    /// Adds, for what is to be shown of an element of an array, that it holds of the elements on
    /// one side of an index that is written.
    fn add_array_claims(&mut self, terms: &mut Terms, path: &Path) {
        let Some(last) = path.steps().last() else { return };
        let opposite = terms.not(last.formula);
        let Some(claim) = Self::generic(terms, opposite) else { return };
        let read = terms.subterms(&[claim]).into_iter().find(|&t| terms.op(t) == Op::Select);
        let Some(read) = read else { return };
        let at = terms.arg(read, 1);
        let mut written = BTreeSet::new();
        for step in path.steps() {
            for term in terms.subterms(&[step.formula]) {
                if terms.op(term) == Op::Store
                    && written.len() < WRITTEN_INDICES
                    && let Some(index) = Self::generic(terms, terms.arg(term, 1))
                {
                    written.insert(index);
                }
            }
        }
        for index in written {
            if terms.sort(index) != Sort::Int || terms.sort(at) != Sort::Int {
                continue;
            }
            let excuses = [
                terms.le(index, at),
                terms.lt(index, at),
                terms.le(at, index),
                terms.lt(at, index),
            ];
            for excuse in excuses {
                let clause = terms.or2(excuse, claim);
                self.add(terms, clause);
            }
        }
    }
}

/// The symbol with the greatest index in an equation, if the equation says what its value is.
fn assignment(terms: &mut Terms, a: Term, b: Term) -> Option<(Term, Term)> {
    if terms.sort(a) == Sort::Int {
        let difference = terms.linear(a).add_scaled(&terms.linear(b), &-Integer::ONE);
        let newest = difference
            .monomials
            .iter()
            .filter(|(_, c)| abs(c) == Integer::ONE)
            .filter_map(|(t, c)| Some((terms.as_symbol(*t)?.index, *t, c.clone())))
            .max()?;
        let (_, symbol, coefficient) = newest;
        let mut rest = difference;
        rest.monomials.retain(|(t, _)| *t != symbol);
        let value = rest.scaled(&-coefficient);
        return Some((symbol, terms.from_linear(&value)));
    }
    match (terms.as_symbol(a), terms.as_symbol(b)) {
        (Some(left), Some(right)) if right.index > left.index => Some((b, a)),
        (Some(_), _) => Some((a, b)),
        (None, Some(_)) => Some((b, a)),
        (None, None) => None,
    }
}
