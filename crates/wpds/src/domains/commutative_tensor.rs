//! Tensor products of domains whose extend is commutative (LAL 6.5.2): the tensor is the product, and
//! it already is in sequence.

use crate::domains::{Boolean, MinPath};
use crate::semiring::{Semiring, Weighing};
use crate::transducer::{TensorOf, TensorProduct};

/// The tensors of one arity over a commutative domain: its own weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommutativePower<S> {
    domain: S,
    arity: usize,
}

impl<S: Semiring> Semiring for CommutativePower<S> {
    type Weight = S::Weight;

    fn zero(&self) -> S::Weight {
        self.domain.zero()
    }

    fn one(&self) -> S::Weight {
        self.domain.one()
    }

    fn combine(&self, a: &S::Weight, b: &S::Weight) -> Weighing<S::Weight> {
        self.domain.combine(a, b)
    }

    fn extend(&self, a: &S::Weight, b: &S::Weight) -> Weighing<S::Weight> {
        self.domain.extend(a, b)
    }

    fn diff(&self, a: &S::Weight, b: &S::Weight) -> Option<Weighing<S::Weight>> {
        self.domain.diff(a, b)
    }

    fn star(&self, w: &S::Weight) -> Option<Weighing<S::Weight>> {
        self.domain.star(w)
    }
}

macro_rules! commutative_tensors {
    ($domain:ty) => {
        impl TensorProduct for $domain {
            type Power = CommutativePower<$domain>;

            fn power(&self, arity: usize) -> Weighing<Self::Power> {
                Ok(CommutativePower { domain: *self, arity: arity.max(1) })
            }

            fn tensor(
                &self,
                _power: &Self::Power,
                factors: &[Self::Weight],
            ) -> Weighing<TensorOf<Self>> {
                factors.iter().try_fold(self.one(), |product, factor| self.extend(&product, factor))
            }

            fn detensor(
                &self,
                _power: &Self::Power,
                tensor: &TensorOf<Self>,
            ) -> Weighing<Self::Weight> {
                Ok(*tensor)
            }

            fn transposed(&self, weight: &Self::Weight) -> Weighing<Self::Weight> {
                Ok(*weight)
            }

            fn transposed_detensor(
                &self,
                _power: &Self::Power,
                tensor: &TensorOf<Self>,
            ) -> Weighing<Self::Weight> {
                Ok(*tensor)
            }

            fn arity(&self, power: &Self::Power) -> usize {
                power.arity
            }
        }
    };
}

commutative_tensors!(Boolean);
commutative_tensors!(MinPath);
