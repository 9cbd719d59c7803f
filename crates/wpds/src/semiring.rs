//! Weights: bounded idempotent semirings (LAL Definition 2.4.1), merge functions (Definition
//! 3.1.2) and what relational domains can do besides.
//!
//! The domain is a value ([`Semiring`] methods take `&self`), so that it can own what its weights
//! live in, such as a table of BDD nodes. Operations may fail, because such a table may be full.

use std::fmt::Debug;

use gnomon_bdd::BddError;
use gnomon_budget::Exhausted;

/// Why an operation on weights gave no weight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightError {
    /// The BDDs behind the weights could not be built.
    #[error(transparent)]
    Bdd(#[from] BddError),
    /// A weight does not belong to the domain it is used in.
    #[error("a weight of another domain: {0}")]
    Foreign(String),
    /// A domain would need weights that are too large to be kept.
    #[error("too large: {0}")]
    TooLarge(String),
    /// The budget ran out.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

/// The result of an operation on weights.
pub type Weighing<W> = Result<W, WeightError>;

/// A bounded idempotent semiring: `combine` is the join of alternatives, `extend` the composition
/// of successive steps.
///
/// `combine` is associative, commutative and idempotent with `zero` as neutral element; `extend`
/// is associative with `one` as neutral and `zero` as annihilating element, and distributes over
/// `combine`; there are no infinite ascending chains. Where `extend` is only monotone, results are
/// safe but not precise.
pub trait Semiring: Clone + Send + Sync {
    /// The elements of the semiring.
    type Weight: Clone + PartialEq + Debug + Send + Sync;

    /// The weight of no path at all.
    fn zero(&self) -> Self::Weight;

    /// The weight of the empty path.
    fn one(&self) -> Self::Weight;

    /// Either the one or the other.
    fn combine(&self, a: &Self::Weight, b: &Self::Weight) -> Weighing<Self::Weight>;

    /// First `a`, then `b`.
    fn extend(&self, a: &Self::Weight, b: &Self::Weight) -> Weighing<Self::Weight>;

    /// Whether two weights are the same.
    fn equal(&self, a: &Self::Weight, b: &Self::Weight) -> bool {
        a == b
    }

    /// Whether the weight is zero.
    fn is_zero(&self, a: &Self::Weight) -> bool {
        self.equal(a, &self.zero())
    }

    /// Whether the weight is one.
    fn is_one(&self, a: &Self::Weight) -> bool {
        self.equal(a, &self.one())
    }

    /// The difference `a ∸ b` of LAL 4.2.2, for domains that have one: `b ⊕ (a ∸ b) = b ⊕ a`,
    /// `(a ∸ b) ∸ c = a ∸ (b ⊕ c)`, and `a ∸ b` is zero exactly when `b ⊕ a = b`.
    fn diff(&self, _a: &Self::Weight, _b: &Self::Weight) -> Option<Weighing<Self::Weight>> {
        None
    }

    /// `1 ⊕ w ⊕ w⊗w ⊕ …`, for domains that know a better way than [`star`].
    fn star(&self, _w: &Self::Weight) -> Option<Weighing<Self::Weight>> {
        None
    }

    /// Whether the weight belongs to this domain; checked when a rule is added.
    fn admit(&self, _w: &Self::Weight) -> Weighing<()> {
        Ok(())
    }
}

/// The Kleene star of a weight: the domain's own, or Figure 4.5 where the domain has differences,
/// or else by squaring `1 ⊕ w` until it stays the same.
pub fn star<S: Semiring>(domain: &S, w: &S::Weight) -> Weighing<S::Weight> {
    if let Some(own) = domain.star(w) {
        return own;
    }
    star_by_squaring(domain, w)
}

/// The star by squaring: logarithmic in the number of rounds of the loop.
pub fn star_by_squaring<S: Semiring>(domain: &S, w: &S::Weight) -> Weighing<S::Weight> {
    let mut power = domain.combine(&domain.one(), w)?;
    loop {
        let square = domain.extend(&power, &power)?;
        if domain.equal(&square, &power) {
            return Ok(power);
        }
        power = square;
    }
}

/// The star by differences (LAL Figure 4.5): every round extends only what the last one added.
pub fn star_by_differences<S: Semiring>(domain: &S, w: &S::Weight) -> Weighing<S::Weight> {
    let mut sum = domain.one();
    let mut added = domain.one();
    while !domain.is_zero(&added) {
        let next = domain.extend(&added, w)?;
        let Some(fresh) = domain.diff(&next, &sum) else {
            return star_by_squaring(domain, w);
        };
        added = fresh?;
        sum = domain.combine(&sum, &next)?;
    }
    Ok(sum)
}

/// A function that joins what a caller did before a call with what the callee did (LAL Definition
/// 3.1.2): strict, distributive in both arguments, and usually with the path-extension property
/// `merge(a ⊗ b, c) = a ⊗ merge(b, c)`.
pub trait MergeFunction<S: Semiring>: Send + Sync {
    /// The weight from the caller's start to the return site.
    fn merge(&self, domain: &S, caller: &S::Weight, callee: &S::Weight) -> Weighing<S::Weight>;

    /// Whether `merge(a ⊗ b, c) = a ⊗ merge(b, c)` always holds. Backward analysis, FWPDS and
    /// projections need it.
    fn has_path_extension(&self) -> bool {
        true
    }

    /// For relational domains: the pairs `x` for which `merge(caller, {x})` meets `goal`. With it a
    /// projection treats all nodes of a procedure at once; without it, node by node.
    fn adjoint(
        &self,
        _domain: &S,
        _caller: &S::Weight,
        _goal: &S::Weight,
    ) -> Option<Weighing<S::Weight>> {
        None
    }

    /// A name for messages and the text form.
    fn name(&self) -> &str {
        "merge"
    }
}

/// Domains whose weights are binary relations on a set of stores (LAL Definition 2.4.13).
pub trait RelationalSemiring: Semiring {
    /// A set of stores.
    type Stores: Clone + PartialEq + Debug;

    /// The pairs the other way round.
    fn transpose(&self, w: &Self::Weight) -> Weighing<Self::Weight>;

    /// The pairs that are in both.
    fn intersect(&self, a: &Self::Weight, b: &Self::Weight) -> Weighing<Self::Weight>;

    /// Whether the two have a pair in common.
    fn meets(&self, a: &Self::Weight, b: &Self::Weight) -> Weighing<bool> {
        Ok(!self.is_zero(&self.intersect(a, b)?))
    }

    /// Whether `first ⊗ second` has a pair in common with `goal`. A domain may know how to tell
    /// without composing.
    fn chain_meets(
        &self,
        first: &Self::Weight,
        second: &Self::Weight,
        goal: &Self::Weight,
    ) -> Weighing<bool> {
        self.meets(&self.extend(first, second)?, goal)
    }

    /// All pairs.
    fn full(&self) -> Self::Weight;

    /// The stores with a successor.
    fn sources(&self, w: &Self::Weight) -> Weighing<Self::Stores>;

    /// The stores with a predecessor.
    fn targets(&self, w: &Self::Weight) -> Weighing<Self::Stores>;

    /// The stores in both sets.
    fn common(&self, a: &Self::Stores, b: &Self::Stores) -> Weighing<Self::Stores>;

    /// The stores in either set.
    fn union(&self, a: &Self::Stores, b: &Self::Stores) -> Weighing<Self::Stores>;

    /// No store.
    fn no_stores(&self) -> Self::Stores;

    /// The relation that keeps exactly these stores: a bottleneck (AEP 5.2).
    fn identity_on(&self, stores: &Self::Stores) -> Weighing<Self::Weight>;
}
