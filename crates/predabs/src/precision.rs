//! Which predicates are tracked where (AFP: few, and local to each location).

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::LocId;
use gnomon_ir::program::FuncId;

use crate::predicates::PredicateId;

/// The predicates of each location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Precision {
    at: BTreeMap<(FuncId, LocId), BTreeSet<PredicateId>>,
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

    /// Tracks a predicate in all of a function; says whether that is new.
    pub fn add_to_function(&mut self, func: FuncId, predicate: PredicateId) -> bool {
        !self.everywhere.contains(&predicate)
            && self.in_function.entry(func).or_default().insert(predicate)
    }

    /// Tracks a predicate wherever it is in scope; says whether that is new.
    pub fn add_everywhere(&mut self, predicate: PredicateId) -> bool {
        self.everywhere.insert(predicate)
    }

    /// The number of predicates of every location that has some.
    pub fn sizes(&self) -> impl Iterator<Item = usize> {
        self.at.iter().map(|(&(func, loc), _)| self.at(func, loc).len())
    }
}
