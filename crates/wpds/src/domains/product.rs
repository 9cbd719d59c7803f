//! The product of two domains: both analyses in one run.

use crate::semiring::{Semiring, Weighing, star};

/// Pairs of weights, with operations component by component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Product<A, B>(pub A, pub B);

impl<A: Semiring, B: Semiring> Semiring for Product<A, B> {
    type Weight = (A::Weight, B::Weight);

    fn zero(&self) -> Self::Weight {
        (self.0.zero(), self.1.zero())
    }

    fn one(&self) -> Self::Weight {
        (self.0.one(), self.1.one())
    }

    fn combine(&self, a: &Self::Weight, b: &Self::Weight) -> Weighing<Self::Weight> {
        Ok((self.0.combine(&a.0, &b.0)?, self.1.combine(&a.1, &b.1)?))
    }

    fn extend(&self, a: &Self::Weight, b: &Self::Weight) -> Weighing<Self::Weight> {
        Ok((self.0.extend(&a.0, &b.0)?, self.1.extend(&a.1, &b.1)?))
    }

    fn equal(&self, a: &Self::Weight, b: &Self::Weight) -> bool {
        self.0.equal(&a.0, &b.0) && self.1.equal(&a.1, &b.1)
    }

    fn is_zero(&self, a: &Self::Weight) -> bool {
        self.0.is_zero(&a.0) && self.1.is_zero(&a.1)
    }

    /// Only where both domains have differences.
    fn diff(&self, a: &Self::Weight, b: &Self::Weight) -> Option<Weighing<Self::Weight>> {
        let (first, second) = (self.0.diff(&a.0, &b.0)?, self.1.diff(&a.1, &b.1)?);
        Some(first.and_then(|first| Ok((first, second?))))
    }

    fn star(&self, w: &Self::Weight) -> Option<Weighing<Self::Weight>> {
        Some(star(&self.0, &w.0).and_then(|first| Ok((first, star(&self.1, &w.1)?))))
    }

    fn admit(&self, w: &Self::Weight) -> Weighing<()> {
        self.0.admit(&w.0)?;
        self.1.admit(&w.1)
    }
}
