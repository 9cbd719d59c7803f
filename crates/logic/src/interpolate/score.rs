//! How promising a sequence is for predicate discovery.
//!
//! What matters to a refinement loop is not the formulas at single cuts but the predicates the
//! sequence adds: few, small, and the same in every iteration of a loop. For a sequence let its
//! *predicates* be the atoms of its formulas with the SSA indices taken off, each counted once.
//!
//! - **Unrolled predicates**: those with a number that is not *natural* (0, 1, a number of the
//!   path's formulas, up to sign and up to one) and that occur at one cut only although the path
//!   passes that place three times or more. `i == 17` on a path that counts to 100 is one, `i <= n`
//!   is none, and neither is `5*x == 3*y - 11` if it occurs in every iteration. Two cuts are at the same
//!   place when the steps before them and after them have the same shape.
//! - **Counters**: predicates that mention a variable which the path changes by a constant three
//!   times or more by steps of the same shape.
//! - **Size**: subterms of all predicates together.
//!
//! The cost is `64 * unrolled + 4 * predicates + 2 * counters + size`; less is better. The weights
//! say: an unrolled predicate is worse than anything else a sequence of moderate size can have, since
//! the loop will ask for the next one in the next iteration; apart from that, the number of predicates
//! decides what the abstraction costs.

use super::check::canonical;
use super::path::Path;
use crate::Integer;
use crate::number::abs;
use crate::term::{Relation, Term, Terms, Variable};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// How often a place must be passed to count as a loop.
const ITERATIONS: usize = 3;

/// What a sequence costs; see the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score {
    /// Predicates that will be different in the next iteration of a loop.
    pub unrolled: u32,
    /// Distinct predicates.
    pub predicates: u32,
    /// Predicates that mention a loop counter.
    pub counters: u32,
    /// Subterms of all predicates.
    pub size: u32,
}

impl Score {
    /// Less is better.
    pub fn cost(&self) -> u64 {
        64 * u64::from(self.unrolled)
            + 4 * u64::from(self.predicates)
            + 2 * u64::from(self.counters)
            + u64::from(self.size)
    }
}

/// What the score needs to know about a path.
#[derive(Debug)]
pub struct PathFacts {
    /// The shape of each step: its formula up to the choice of SSA indices.
    shapes: Vec<Term>,
    /// The place of each cut.
    places: Vec<u32>,
    /// How often each place is passed.
    passes: Vec<u32>,
    natural: BTreeSet<Integer>,
    counters: BTreeSet<Variable>,
}

impl PathFacts {
    /// Looks at a path.
    pub fn new(terms: &mut Terms, path: &Path) -> Self {
        let shapes: Vec<Term> = path.steps().iter().map(|s| canonical(terms, s.formula)).collect();
        let mut numbers: FxHashMap<(Option<Term>, Option<Term>), u32> = FxHashMap::default();
        let mut passes = Vec::new();
        let mut places = Vec::with_capacity(path.len() + 1);
        for cut in 0..=path.len() {
            let before = cut.checked_sub(1).map(|at| shapes[at]);
            let key = (before, shapes.get(cut).copied());
            let place = *numbers.entry(key).or_insert(passes.len() as u32);
            if place as usize == passes.len() {
                passes.push(0);
            }
            passes[place as usize] += 1;
            places.push(place);
        }
        let mut natural = BTreeSet::from([Integer::ZERO, Integer::ONE]);
        let mut iterations: BTreeMap<Term, usize> = BTreeMap::new();
        for &shape in &shapes {
            *iterations.entry(shape).or_default() += 1;
        }
        let mut counters = BTreeSet::new();
        for (&shape, &iterations) in &iterations {
            for &atom in &*terms.atoms(shape) {
                natural_numbers(terms, atom, &mut natural);
                if iterations >= ITERATIONS {
                    counters.extend(counter_of(terms, atom));
                }
            }
        }
        Self { shapes, places, passes, natural, counters }
    }

    /// The shape of each step.
    pub fn shapes(&self) -> &[Term] {
        &self.shapes
    }

    /// Whether a number is one a person would expect.
    fn is_natural(&self, number: &Integer) -> bool {
        let size = abs(number);
        [-1, 0, 1].iter().any(|&d| self.natural.contains(&(&size + Integer::from(d))))
    }

    /// Whether all numbers of an atom are natural.
    pub fn has_natural_numbers(&self, terms: &Terms, atom: Term) -> bool {
        let mut numbers = BTreeSet::new();
        natural_numbers(terms, atom, &mut numbers);
        numbers.iter().all(|n| self.is_natural(n))
    }

    /// The score of a sequence for the path.
    pub fn score(&self, terms: &mut Terms, formulas: &[Term]) -> Score {
        let mut predicates: BTreeSet<Term> = BTreeSet::new();
        let mut at_places: BTreeMap<(u32, Term), u32> = BTreeMap::new();
        let mut atoms_of: FxHashMap<Term, BTreeSet<Term>> = FxHashMap::default();
        for (cut, &formula) in formulas.iter().enumerate() {
            let atoms = atoms_of.entry(formula).or_insert_with(|| {
                let atoms = terms.atoms(formula);
                atoms.iter().map(|&a| terms.without_indices(a)).collect()
            });
            for &atom in atoms.iter() {
                predicates.insert(atom);
                *at_places.entry((self.places[cut], atom)).or_default() += 1;
            }
        }
        let mut unrolled = BTreeSet::new();
        for (&(place, atom), &count) in &at_places {
            let looping = self.passes[place as usize] as usize >= ITERATIONS;
            if looping && count == 1 && !self.has_natural_numbers(terms, atom) {
                unrolled.insert(atom);
            }
        }
        let mut score = Score {
            unrolled: unrolled.len() as u32,
            predicates: predicates.len() as u32,
            ..Score::default()
        };
        for &predicate in &predicates {
            score.size += terms.size(predicate) as u32;
            let symbols = terms.free_symbols(predicate);
            if symbols.iter().any(|s| self.counters.contains(&s.variable)) {
                score.counters += 1;
            }
        }
        score
    }
}

/// The sizes of the numbers that occur in an atom.
fn natural_numbers(terms: &Terms, atom: Term, found: &mut BTreeSet<Integer>) {
    for term in terms.subterms(&[atom]) {
        if let Some(value) = terms.value(term) {
            found.insert(abs(value));
        }
    }
}

/// The variable that an atom `v' = v + constant` changes.
fn counter_of(terms: &Terms, atom: Term) -> Option<Variable> {
    let (linear, Relation::EqZero) = terms.linear_atom(atom)? else { return None };
    let [(a, _), (b, _)] = &linear.monomials[..] else { return None };
    let (a, b) = (terms.as_symbol(*a)?, terms.as_symbol(*b)?);
    (a.variable == b.variable && linear.constant != Integer::ZERO).then_some(a.variable)
}
