//! Which predicates are tracked where (AFP: few, and local to each location).

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::LocId;
use gnomon_ir::program::FuncId;

use crate::predicates::PredicateId;

/// The predicates of each location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Precision {
    at: BTreeMap<(FuncId, LocId), BTreeSet<PredicateId>>,
    /// Tracked at a location only under some open calls; who explores numbers these places.
    at_place: BTreeMap<u32, BTreeSet<PredicateId>>,
    /// Tracked in all locations of a function.
    in_function: BTreeMap<FuncId, BTreeSet<PredicateId>>,
    /// Tracked wherever they are in scope.
    everywhere: BTreeSet<PredicateId>,
}

impl Precision {
    /// The predicates of a location, in order.
    pub fn at(&self, func: FuncId, loc: LocId) -> Vec<PredicateId> {
        let mut found = self.everywhere.clone();
        for more in [self.at.get(&(func, loc)), self.in_function.get(&func)].into_iter().flatten() {
            found.extend(more);
        }
        found.into_iter().collect()
    }

    /// Tracks a predicate at a location; says whether that is new.
    pub fn add(&mut self, func: FuncId, loc: LocId, predicate: PredicateId) -> bool {
        !self.everywhere.contains(&predicate)
            && !self.in_function.get(&func).is_some_and(|set| set.contains(&predicate))
            && self.at.entry((func, loc)).or_default().insert(predicate)
    }

    /// The predicates of a place, in order: those of its location, and its own.
    pub fn at_place(&self, func: FuncId, loc: LocId, place: u32) -> Vec<PredicateId> {
        let mut found = self.at(func, loc);
        if let Some(own) = self.at_place.get(&place) {
            found.extend(own);
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    /// Tracks a predicate at a place; says whether that is new.
    pub fn add_at_place(
        &mut self,
        func: FuncId,
        loc: LocId,
        place: u32,
        predicate: PredicateId,
    ) -> bool {
        !self.at(func, loc).contains(&predicate)
            && self.at_place.entry(place).or_default().insert(predicate)
    }

    /// Tracks a predicate in all of a function; says whether that is new.
    pub fn add_to_function(&mut self, func: FuncId, predicate: PredicateId) -> bool {
        !self.everywhere.contains(&predicate)
            && self.in_function.entry(func).or_default().insert(predicate)
    }

    /// Tracks a predicate wherever it is in scope; says whether that is new.
    pub fn add_everywhere(&mut self, predicate: PredicateId) -> bool {
        self.everywhere.insert(predicate)
    }
}
