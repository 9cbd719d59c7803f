//! Noticing that refinement goes nowhere.
//!
//! A loop that is unrolled turn by turn shows in the predicates: `i == 1`, `i == 2`, `i == 3`, ...
//! at one location differ in their constants only. When too many of one shape have come together,
//! more of them will not help, and something else must be tried.

use std::collections::BTreeSet;

use gnomon_ir::cfa::LocId;
use gnomon_ir::program::FuncId;
use gnomon_logic::{Integer, Sort, Term, Terms};
use rustc_hash::FxHashMap;

/// So many predicates of one shape at one location are too many.
const TOO_MANY: u32 = 24;
/// So many are a sign that they may become too many.
const SOME: u32 = 5;

/// Counts the shapes of predicates at each location.
#[derive(Clone, Debug, Default)]
pub struct Divergence {
    shapes: FxHashMap<(FuncId, LocId, Term), u32>,
    /// The first predicate of a shape that became too many.
    worst: Option<Term>,
    /// Locations at which a shape came some times, and those that were told of already.
    begun: BTreeSet<(FuncId, LocId)>,
    told: BTreeSet<(FuncId, LocId)>,
}

impl Divergence {
    /// Counts a new predicate.
    pub fn count(&mut self, terms: &mut Terms, func: FuncId, loc: LocId, atom: Term) {
        let shape = shape(terms, atom);
        let seen = self.shapes.entry((func, loc, shape)).or_default();
        *seen += 1;
        if *seen == SOME {
            self.begun.insert((func, loc));
        }
        if *seen > TOO_MANY && self.worst.is_none() {
            self.worst = Some(atom);
        }
    }

    /// A predicate whose shape came too often; counting begins again.
    pub fn take(&mut self) -> Option<Term> {
        let found = self.worst.take();
        if found.is_some() {
            self.shapes.clear();
        }
        found
    }
}

impl Divergence {
    /// The locations at which predicates began to come without end, each once.
    pub fn take_begun(&mut self) -> Vec<(FuncId, LocId)> {
        let mut begun: Vec<_> = std::mem::take(&mut self.begun).into_iter().collect();
        begun.retain(|&place| self.told.insert(place));
        begun
    }
}

/// The atom with all numbers the same.
fn shape(terms: &mut Terms, atom: Term) -> Term {
    terms.rebuild(atom, |terms, term| {
        terms.value(term)?;
        Some(match terms.sort(term) {
            Sort::BitVec(width) => terms.bv(Integer::from(7), width),
            _ => terms.int(7),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_logic::Scope;

    #[test]
    fn predicates_that_differ_in_constants_are_noticed() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| terms.variable(name, Scope::Global, Sort::Int));
        let (x, y) = (terms.var(x), terms.var(y));
        let mut divergence = Divergence::default();
        for k in 0..i64::from(TOO_MANY) {
            let bound = terms.int(k);
            let atom = terms.le(x, bound);
            divergence.count(&mut terms, FuncId(0), LocId(0), atom);
            divergence.count(&mut terms, FuncId(0), LocId(k as u32 + 1), atom);
        }
        let other = terms.le(x, y);
        divergence.count(&mut terms, FuncId(0), LocId(0), other);
        let last = terms.int(1000);
        let last = terms.le(x, last);
        divergence.count(&mut terms, FuncId(0), LocId(0), last);
        assert_eq!(divergence.take_begun(), [(FuncId(0), LocId(0))], "all other shapes came once");
        assert_eq!(divergence.take_begun(), []);
        assert_eq!(divergence.take(), Some(last));
        assert_eq!(divergence.take(), None);
    }
}
