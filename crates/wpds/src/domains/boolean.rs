//! The Boolean domain (LAL Definition 2.4.12): plain reachability.

use crate::semiring::{RelationalSemiring, Semiring, Weighing};

/// `({false, true}, or, and, false, true)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Boolean;

impl Semiring for Boolean {
    type Weight = bool;

    fn zero(&self) -> bool {
        false
    }

    fn one(&self) -> bool {
        true
    }

    fn combine(&self, a: &bool, b: &bool) -> Weighing<bool> {
        Ok(*a || *b)
    }

    fn extend(&self, a: &bool, b: &bool) -> Weighing<bool> {
        Ok(*a && *b)
    }

    fn diff(&self, a: &bool, b: &bool) -> Option<Weighing<bool>> {
        Some(Ok(*a && !*b))
    }

    fn star(&self, _w: &bool) -> Option<Weighing<bool>> {
        Some(Ok(true))
    }
}

/// A relation over a single store: it is there or not.
impl RelationalSemiring for Boolean {
    type Stores = bool;

    fn transpose(&self, w: &bool) -> Weighing<bool> {
        Ok(*w)
    }

    fn intersect(&self, a: &bool, b: &bool) -> Weighing<bool> {
        Ok(*a && *b)
    }

    fn full(&self) -> bool {
        true
    }

    fn sources(&self, w: &bool) -> Weighing<bool> {
        Ok(*w)
    }

    fn targets(&self, w: &bool) -> Weighing<bool> {
        Ok(*w)
    }

    fn common(&self, a: &bool, b: &bool) -> Weighing<bool> {
        Ok(*a && *b)
    }

    fn union(&self, a: &bool, b: &bool) -> Weighing<bool> {
        Ok(*a || *b)
    }

    fn no_stores(&self) -> bool {
        false
    }

    fn identity_on(&self, stores: &bool) -> Weighing<bool> {
        Ok(*stores)
    }
}
