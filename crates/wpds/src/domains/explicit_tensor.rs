//! Tensor products of relations on a small set: relations on tuples (LAL Theorem 6.5.3 for Boolean
//! matrices).
//!
//! A tuple is a number whose digits, the first factor in front, are the elements.

use crate::domains::explicit_relation::{ExplicitRelations, Relation};
use crate::semiring::{RelationalSemiring, Semiring, Weighing, WeightError};
use crate::transducer::{TensorOf, TensorProduct};

/// Relations on tuples are kept as tables; larger ones would be a mistake.
const MOST_TUPLES: u32 = 1 << 14;

/// The relations on the tuples of one length over `0..size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplicitPower {
    tuples: ExplicitRelations,
    size: u32,
    arity: usize,
}

impl ExplicitPower {
    fn digits(&self, mut tuple: u32) -> Vec<u32> {
        let mut digits = vec![0; self.arity];
        for digit in digits.iter_mut().rev() {
            *digit = tuple % self.size;
            tuple /= self.size;
        }
        digits
    }

    fn number(&self, digits: &[u32]) -> u32 {
        digits.iter().fold(0, |number, digit| number * self.size + digit)
    }
}

impl Semiring for ExplicitPower {
    type Weight = Relation;

    fn zero(&self) -> Relation {
        self.tuples.zero()
    }

    fn one(&self) -> Relation {
        self.tuples.one()
    }

    fn combine(&self, a: &Relation, b: &Relation) -> Weighing<Relation> {
        self.tuples.combine(a, b)
    }

    fn extend(&self, a: &Relation, b: &Relation) -> Weighing<Relation> {
        self.tuples.extend(a, b)
    }

    fn is_zero(&self, a: &Relation) -> bool {
        self.tuples.is_zero(a)
    }

    fn diff(&self, a: &Relation, b: &Relation) -> Option<Weighing<Relation>> {
        self.tuples.diff(a, b)
    }

    fn admit(&self, w: &Relation) -> Weighing<()> {
        self.tuples.admit(w)
    }
}

impl TensorProduct for ExplicitRelations {
    type Power = ExplicitPower;

    fn power(&self, arity: usize) -> Weighing<ExplicitPower> {
        let (size, arity) = (self.size().max(1), arity.max(1));
        let tuples = u32::try_from(arity).ok().and_then(|arity| size.checked_pow(arity));
        match tuples.filter(|&tuples| tuples <= MOST_TUPLES) {
            Some(tuples) => {
                Ok(ExplicitPower { tuples: ExplicitRelations::new(tuples), size, arity })
            }
            None => Err(WeightError::TooLarge(format!("{arity}-tuples of {size} values"))),
        }
    }

    fn tensor(&self, power: &ExplicitPower, factors: &[Relation]) -> Weighing<TensorOf<Self>> {
        let mut pairs = vec![(0, 0)];
        for factor in factors {
            let step = factor.pairs();
            let longer = |&(a, b): &(u32, u32)| {
                step.iter().map(move |&(c, d)| (a * power.size + c, b * power.size + d))
            };
            pairs = pairs.iter().flat_map(longer).collect();
        }
        Ok(power.tuples.relation(pairs))
    }

    fn detensor(&self, power: &ExplicitPower, tensor: &Relation) -> Weighing<Relation> {
        let in_sequence = tensor.pairs().into_iter().filter_map(|(a, b)| {
            let (from, to) = (power.digits(a), power.digits(b));
            let linked = to.iter().zip(from.iter().skip(1)).all(|(end, begin)| end == begin);
            linked.then(|| (from[0], to[power.arity - 1]))
        });
        Ok(self.relation(in_sequence))
    }

    fn transposed(&self, weight: &Relation) -> Weighing<Relation> {
        self.transpose(weight)
    }

    fn transposed_detensor(&self, power: &ExplicitPower, tensor: &Relation) -> Weighing<Relation> {
        let turned = tensor.pairs().into_iter().map(|(a, b)| {
            let (mut from, mut to) = (power.digits(a), power.digits(b));
            for odd in (1..power.arity).step_by(2) {
                std::mem::swap(&mut from[odd], &mut to[odd]);
            }
            (power.number(&from), power.number(&to))
        });
        self.detensor(power, &power.tuples.relation(turned))
    }

    fn arity(&self, power: &ExplicitPower) -> usize {
        power.arity
    }
}
