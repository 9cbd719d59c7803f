//! The abstract successor of a region (LA 5.2).
//!
//! The region before a block and the formula of the block are asserted once. Then:
//!
//! 1. a first model gives a candidate value for each predicate; as long as some candidate can be
//!    different, the solver says which: those that stay are the same in all successors (one query
//!    more than there are groups of predicates that vary together, not two for each predicate);
//! 2. the predicates that vary are enumerated with blocking clauses: the exact successor. Above a
//!    number of predicates or of valuations, what was found in step 1 is the answer (the Cartesian
//!    successor, LA 5.2.2).
//!
//! A predicate that the block does not touch and whose value the region determines is not asked
//! about. What the solver does not know is left open, so the result is always an over-approximation.

use gnomon_bdd::{Bdd, BddError};
use gnomon_logic::encode::Ssa;
use gnomon_logic::value::Value;
use gnomon_logic::{Answer, Limits, Purpose, Solver, Term, Terms};
use rustc_hash::FxHashMap;

use crate::predicates::{PredicateId, Predicates};

/// How successors are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostOptions {
    /// So many predicates may vary before the successor becomes Cartesian; 0 is always Cartesian.
    pub exact_predicates: usize,
    /// So many valuations are enumerated at most.
    pub valuations: usize,
    /// The limits of each query.
    pub limits: Limits,
}

impl Default for PostOptions {
    fn default() -> Self {
        Self {
            exact_predicates: 24,
            valuations: 400,
            limits: Limits::default().with_resources(2_000_000),
        }
    }
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PostStatistics {
    /// Successors asked for.
    pub asked: u64,
    /// Of them, answered from the cache.
    pub cached: u64,
    /// Queries to the solver.
    pub queries: u64,
    /// Successors that became Cartesian because there were too many predicates or valuations.
    pub cartesian: u64,
}

/// A block, for the abstract successor.
#[derive(Clone, Copy, Debug)]
pub struct BlockFormula<'a> {
    /// Identifies the block in the cache.
    pub id: u32,
    /// What the block does, from the indices of [`Ssa::new`] on.
    pub formula: Term,
    /// The indices behind it.
    pub after: &'a Ssa,
}

type CacheKey = (Bdd, u32, Vec<PredicateId>);

/// Computes abstract successors.
#[derive(Debug, Default)]
pub struct AbstractPost {
    options: PostOptions,
    cache: FxHashMap<CacheKey, Bdd>,
    /// What was done so far.
    pub statistics: PostStatistics,
}

impl AbstractPost {
    /// With options.
    pub fn new(options: PostOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// The region over `wanted` behind a block that begins in `region`; the empty region if the
    /// block cannot be passed.
    pub fn successor(
        &mut self,
        predicates: &Predicates,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        region: &Bdd,
        block: BlockFormula<'_>,
        wanted: &[PredicateId],
    ) -> Result<Bdd, BddError> {
        self.statistics.asked += 1;
        let key = (region.clone(), block.id, wanted.to_vec());
        if let Some(known) = self.cache.get(&key) {
            self.statistics.cached += 1;
            return Ok(known.clone());
        }
        let before = predicates.formula(terms, region, &Ssa::new())?;
        solver.push();
        solver.assert(terms, before);
        solver.assert(terms, block.formula);
        let result = self.enumerate(predicates, terms, solver, region, block, wanted);
        solver.pop();
        let result = result?;
        self.cache.insert(key, result.clone());
        Ok(result)
    }

    fn check(&mut self, terms: &Terms, solver: &mut dyn Solver) -> Answer {
        self.statistics.queries += 1;
        solver.check(terms, &[], Purpose::ABSTRACTION, self.options.limits)
    }

    fn enumerate(
        &mut self,
        predicates: &Predicates,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        region: &Bdd,
        block: BlockFormula<'_>,
        wanted: &[PredicateId],
    ) -> Result<Bdd, BddError> {
        let space = predicates.space();
        match self.check(terms, solver) {
            Answer::Unsat => return Ok(space.bottom()),
            Answer::Unknown(_) => return Ok(space.top()),
            Answer::Sat => {}
        }
        let mut known = space.top();
        let mut open: Vec<(PredicateId, Term)> = Vec::new();
        let fresh = Ssa::new();
        for &id in wanted {
            let bit = space.variable(predicates.get(id).bit)?;
            if predicates.is_untouched(id, &fresh, block.after) {
                if region.is_subset_of(&bit)? {
                    known = known.and(&bit)?;
                    continue;
                }
                let not = bit.not()?;
                if region.is_subset_of(&not)? {
                    known = known.and(&not)?;
                    continue;
                }
            }
            let atom = predicates.at(terms, id, block.after);
            if atom == terms.tt() {
                known = known.and(&bit)?;
            } else if atom == terms.ff() {
                known = known.and(&bit.not()?)?;
            } else {
                open.push((id, atom));
            }
        }
        if open.is_empty() {
            return Ok(known);
        }
        let atoms: Vec<Term> = open.iter().map(|(_, atom)| *atom).collect();
        let Some(first) = truth_values(solver, terms, &atoms) else { return Ok(known) };
        let varying = self.varying(terms, solver, &atoms, &first);
        for (position, (id, _)) in open.iter().enumerate() {
            if varying[position] == Variation::Same {
                let bit = space.variable(predicates.get(*id).bit)?;
                known = known.and(&if first[position] { bit } else { bit.not()? })?;
            }
        }
        let rest: Vec<(PredicateId, Term)> = open
            .iter()
            .zip(&varying)
            .filter(|(_, variation)| **variation == Variation::Varies)
            .map(|(entry, _)| *entry)
            .collect();
        if rest.is_empty() {
            return Ok(known);
        }
        if rest.len() > self.options.exact_predicates {
            self.statistics.cartesian += 1;
            return Ok(known);
        }
        match self.valuations(predicates, terms, solver, &rest)? {
            Some(exact) => known.and(&exact),
            None => {
                self.statistics.cartesian += 1;
                Ok(known)
            }
        }
    }

    /// Which atoms can have another value than the first one.
    fn varying(
        &mut self,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        atoms: &[Term],
        first: &[bool],
    ) -> Vec<Variation> {
        let mut variation = vec![Variation::Same; atoms.len()];
        loop {
            let mut same: Vec<usize> =
                (0..atoms.len()).filter(|&i| variation[i] == Variation::Same).collect();
            if same.is_empty() {
                return variation;
            }
            let flipped: Vec<Term> =
                same.iter().map(|&i| literal(terms, atoms[i], !first[i])).collect();
            let some = terms.or(&flipped);
            solver.push();
            solver.assert(terms, some);
            let answer = self.check(terms, solver);
            let values = match answer {
                Answer::Sat => truth_values(solver, terms, atoms),
                _ => None,
            };
            solver.pop();
            match (answer, values) {
                (Answer::Unsat, _) => return variation,
                (Answer::Sat, Some(values)) => {
                    let before = same.len();
                    same.retain(|&i| values[i] == first[i]);
                    if same.len() == before {
                        // A model that does not show what it should: nothing is known.
                        return vec![Variation::Unknown; atoms.len()];
                    }
                    for i in 0..atoms.len() {
                        if values[i] != first[i] {
                            variation[i] = Variation::Varies;
                        }
                    }
                }
                _ => {
                    // One by one, so that one hard predicate does not hide the others.
                    for i in same {
                        let flipped = literal(terms, atoms[i], !first[i]);
                        solver.push();
                        solver.assert(terms, flipped);
                        let answer = self.check(terms, solver);
                        solver.pop();
                        variation[i] = match answer {
                            Answer::Unsat => continue,
                            Answer::Sat => Variation::Varies,
                            Answer::Unknown(_) => Variation::Unknown,
                        };
                    }
                    return variation;
                }
            }
        }
    }

    /// All valuations of the atoms; `None` if they are too many, or the solver gives up.
    fn valuations(
        &mut self,
        predicates: &Predicates,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        atoms: &[(PredicateId, Term)],
    ) -> Result<Option<Bdd>, BddError> {
        let space = predicates.space();
        let only: Vec<Term> = atoms.iter().map(|(_, atom)| *atom).collect();
        let mut found = space.bottom();
        for _ in 0..self.options.valuations {
            match self.check(terms, solver) {
                Answer::Unsat => return Ok(Some(found)),
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat => {}
            }
            let Some(values) = truth_values(solver, terms, &only) else { return Ok(None) };
            let mut cube = space.top();
            let mut different = Vec::with_capacity(atoms.len());
            for ((id, atom), &value) in atoms.iter().zip(&values) {
                let bit = space.variable(predicates.get(*id).bit)?;
                cube = cube.and(&if value { bit } else { bit.not()? })?;
                different.push(literal(terms, *atom, !value));
            }
            found = found.or(&cube)?;
            let other = terms.or(&different);
            solver.assert(terms, other);
        }
        Ok(None)
    }
}

/// What is known of an atom in the successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variation {
    /// It has one value.
    Same,
    /// It has both.
    Varies,
    /// Not known.
    Unknown,
}

fn literal(terms: &mut Terms, atom: Term, value: bool) -> Term {
    if value { atom } else { terms.not(atom) }
}

/// The values of all atoms in the last model.
fn truth_values(solver: &mut dyn Solver, terms: &Terms, atoms: &[Term]) -> Option<Vec<bool>> {
    let model = solver.model(terms, atoms);
    atoms
        .iter()
        .map(|atom| match model.get(*atom) {
            Some(Value::Bool(value)) => Some(*value),
            _ => None,
        })
        .collect()
}
