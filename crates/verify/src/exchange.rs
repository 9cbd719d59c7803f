//! What engines tell each other: the only way in which one influences another.
//!
//! What is *proved* holds in every run of the program; what is *proposed* may be wrong, and whoever
//! uses it finds out for itself. Nothing that is taken from here can make a verdict wrong: a proof that
//! relies on it is checked again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use gnomon_engine::equations::Equation;
use gnomon_engine::property::Site;
use gnomon_engine::refine::Learned;
use gnomon_ir::interp::UndefinedBehaviour;
use gnomon_logic::Terms;
use gnomon_logic::encode::Theory;

/// What is known to all engines of a check.
#[derive(Debug, Default)]
pub struct Exchange {
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    safe_depth: usize,
    is_only_one_left: bool,
    unreached: BTreeSet<Site>,
    undefined: Option<UndefinedBehaviour>,
    equations: Vec<Equation>,
    /// By theory, with an arena for the formulas of all.
    predicates: BTreeMap<Theory, Vec<Learned>>,
    terms: Terms,
}

impl Default for Known {
    fn default() -> Self {
        Self {
            safe_depth: 0,
            is_only_one_left: false,
            unreached: BTreeSet::new(),
            undefined: None,
            equations: Vec::new(),
            predicates: BTreeMap::new(),
            terms: Terms::new(),
        }
    }
}

impl Exchange {
    fn with<T>(&self, look: impl FnOnce(&mut Known) -> T) -> T {
        look(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Proved: no error is reached within so many blocks from the start.
    pub fn prove_safe_depth(&self, blocks: usize) {
        self.with(|known| known.safe_depth = known.safe_depth.max(blocks));
    }

    /// No error is reached within so many blocks.
    pub fn safe_depth(&self) -> usize {
        self.with(|known| known.safe_depth)
    }

    /// All engines but one have come to their end: who waits for others waits in vain.
    pub fn only_one_is_left(&self) {
        self.with(|known| known.is_only_one_left = true);
    }

    /// Whether all other engines have come to their end.
    pub fn is_only_one_left(&self) -> bool {
        self.with(|known| known.is_only_one_left)
    }

    /// Proved: no run reaches these sites.
    pub fn prove_unreached(&self, sites: impl IntoIterator<Item = Site>) {
        self.with(|known| known.unreached.extend(sites));
    }

    /// Sites that no run reaches.
    pub fn unreached(&self) -> BTreeSet<Site> {
        self.with(|known| known.unreached.clone())
    }

    /// Seen: a run has undefined behaviour, so that nothing is proved about what follows.
    pub fn saw_undefined(&self, found: UndefinedBehaviour) {
        self.with(|known| {
            known.undefined.get_or_insert(found);
        });
    }

    /// The first undefined behaviour that was seen.
    pub fn undefined(&self) -> Option<UndefinedBehaviour> {
        self.with(|known| known.undefined)
    }

    /// Proposed: these equations may hold at their locations.
    pub fn propose_equations(&self, equations: impl IntoIterator<Item = Equation>) {
        self.with(|known| known.equations.extend(equations));
    }

    /// Proposed: these predicates, in a theory, were of use at their locations.
    pub fn propose_predicates(&self, theory: Theory, terms: &Terms, learned: &[Learned]) {
        self.with(|known| {
            let all = known.predicates.entry(theory).or_default();
            for &(func, loc, atom) in learned {
                if let Some(atom) = known.terms.import(terms, atom) {
                    all.push((func, loc, atom));
                }
            }
        });
    }

    /// Lets somebody look at the predicates that were proposed in a theory.
    pub fn with_predicates<T>(
        &self,
        theory: Theory,
        look: impl FnOnce(&Terms, &[Learned]) -> T,
    ) -> T {
        self.with(|known| {
            let all = known.predicates.get(&theory).map_or(&[][..], Vec::as_slice);
            look(&known.terms, all)
        })
    }

    /// What was proposed since a number of equations were known.
    pub fn equations_from(&self, known_already: usize) -> Vec<Equation> {
        self.with(|known| known.equations.get(known_already..).unwrap_or_default().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_safe_depth_counts() {
        let exchange = Exchange::default();
        exchange.prove_safe_depth(7);
        exchange.prove_safe_depth(3);
        assert_eq!(exchange.safe_depth(), 7);
    }
}
