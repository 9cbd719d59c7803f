//! A domain that counts what is done with it, for comparing algorithms by work instead of time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::semiring::{RelationalSemiring, Semiring, Weighing};

/// How often each operation was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationCounts {
    /// Extensions.
    pub extend: u64,
    /// Combinations.
    pub combine: u64,
}

/// The operations of another domain, counted. Clones share the counters.
#[derive(Clone, Debug)]
pub struct Counted<S> {
    inner: S,
    extends: Arc<AtomicU64>,
    combines: Arc<AtomicU64>,
}

impl<S> Counted<S> {
    /// Counts the operations of `inner`.
    pub fn new(inner: S) -> Self {
        Self { inner, extends: Arc::default(), combines: Arc::default() }
    }

    /// The domain that is counted.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// The counts since the last call.
    pub fn take(&self) -> OperationCounts {
        OperationCounts {
            extend: self.extends.swap(0, Ordering::Relaxed),
            combine: self.combines.swap(0, Ordering::Relaxed),
        }
    }
}

impl<S: Semiring> Semiring for Counted<S> {
    type Weight = S::Weight;

    fn zero(&self) -> S::Weight {
        self.inner.zero()
    }

    fn one(&self) -> S::Weight {
        self.inner.one()
    }

    fn combine(&self, a: &S::Weight, b: &S::Weight) -> Weighing<S::Weight> {
        self.combines.fetch_add(1, Ordering::Relaxed);
        self.inner.combine(a, b)
    }

    fn extend(&self, a: &S::Weight, b: &S::Weight) -> Weighing<S::Weight> {
        self.extends.fetch_add(1, Ordering::Relaxed);
        self.inner.extend(a, b)
    }

    fn equal(&self, a: &S::Weight, b: &S::Weight) -> bool {
        self.inner.equal(a, b)
    }

    fn is_zero(&self, a: &S::Weight) -> bool {
        self.inner.is_zero(a)
    }

    fn is_one(&self, a: &S::Weight) -> bool {
        self.inner.is_one(a)
    }

    fn diff(&self, a: &S::Weight, b: &S::Weight) -> Option<Weighing<S::Weight>> {
        self.inner.diff(a, b)
    }

    /// Counted as the operations that it stands for only where the domain has no star of its own.
    fn star(&self, w: &S::Weight) -> Option<Weighing<S::Weight>> {
        self.inner.star(w)
    }

    fn admit(&self, w: &S::Weight) -> Weighing<()> {
        self.inner.admit(w)
    }
}

/// Relational operations are passed on; the compositions inside them are not counted.
impl<S: RelationalSemiring> RelationalSemiring for Counted<S> {
    type Stores = S::Stores;

    fn transpose(&self, w: &S::Weight) -> Weighing<S::Weight> {
        self.inner.transpose(w)
    }

    fn intersect(&self, a: &S::Weight, b: &S::Weight) -> Weighing<S::Weight> {
        self.inner.intersect(a, b)
    }

    fn meets(&self, a: &S::Weight, b: &S::Weight) -> Weighing<bool> {
        self.inner.meets(a, b)
    }

    fn chain_meets(&self, a: &S::Weight, b: &S::Weight, goal: &S::Weight) -> Weighing<bool> {
        self.inner.chain_meets(a, b, goal)
    }

    fn full(&self) -> S::Weight {
        self.inner.full()
    }

    fn sources(&self, w: &S::Weight) -> Weighing<S::Stores> {
        self.inner.sources(w)
    }

    fn targets(&self, w: &S::Weight) -> Weighing<S::Stores> {
        self.inner.targets(w)
    }

    fn common(&self, a: &S::Stores, b: &S::Stores) -> Weighing<S::Stores> {
        self.inner.common(a, b)
    }

    fn union(&self, a: &S::Stores, b: &S::Stores) -> Weighing<S::Stores> {
        self.inner.union(a, b)
    }

    fn no_stores(&self) -> S::Stores {
        self.inner.no_stores()
    }

    fn identity_on(&self, stores: &S::Stores) -> Weighing<S::Weight> {
        self.inner.identity_on(stores)
    }
}
