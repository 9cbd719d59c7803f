//! Values as bit patterns: the same bits as another type, as bytes, and in parts.
//!
//! In the theory Int a pattern is the unsigned integer with those bits; parts of it are quotients
//! and remainders by powers of two, which is exact. In Bits it is a bit-vector.

use crate::encode::draft::{Draft, Operand};
use crate::encode::interval::Interval;
use crate::encode::scalar::float_sort;
use crate::encode::{Auxiliary, NotEncoded, Theory};
use crate::number::power_of_two;
use crate::term::{Op, Sort, Symbol, Term};
use gnomon_ir::ops::Scalar;
use gnomon_ir::types::FloatKind;
use rustc_hash::FxHashMap;

/// Which part of which value a byte is: bytes that are put together again give the value.
#[derive(Debug, Default)]
pub(super) struct SplitBytes {
    origin: FxHashMap<Term, (Term, u64)>,
}

/// The pattern of all bits of a type.
pub(super) fn pattern_of(scalar: Scalar) -> Scalar {
    Scalar::Int { bits: scalar.width(), signed: false }
}

impl Draft<'_> {
    /// The value of type `to` that has the bits of a value of type `from`, which is as wide.
    pub(super) fn same_bits(
        &mut self,
        value: Operand,
        from: Scalar,
        to: Scalar,
    ) -> Result<Operand, NotEncoded> {
        if from == to {
            return Ok(value);
        }
        match (self.theory, from, to) {
            (Theory::Int, _, _) => {
                let interval = value.interval(from);
                // A byte that is no truth value stays what it is.
                let signed = crate::encode::scalar::is_signed(to);
                Ok(self.wrap(value.term, &interval, u32::from(to.width()), signed))
            }
            (Theory::Bits, Scalar::Float(FloatKind::X87), _)
            | (Theory::Bits, _, Scalar::Float(FloatKind::X87)) => {
                Err(NotEncoded::Memory("the bytes of a `long double`".into()))
            }
            (Theory::Bits, Scalar::Float(kind), Scalar::Float(_)) => {
                let bits = self.same_bits(value, Scalar::Float(kind), pattern_of(from))?;
                self.same_bits(bits, pattern_of(from), to)
            }
            (Theory::Bits, Scalar::Float(kind), _) => {
                let sort = float_sort(kind);
                let variable = self.terms.fresh_variable("pattern", Sort::BitVec(sort.width()));
                let symbol = Symbol { variable, index: None };
                self.auxiliaries.push(Auxiliary { symbol, witness: None });
                let pattern = self.terms.var(variable);
                let number = self.terms.make(Op::FloatFromBits(sort), &[pattern]);
                let same = self.terms.eq(number, value.term);
                self.add(same);
                Ok(Operand::bits(pattern))
            }
            (Theory::Bits, _, Scalar::Float(kind)) => {
                let sort = float_sort(kind);
                Ok(Operand::bits(self.terms.make(Op::FloatFromBits(sort), &[value.term])))
            }
            (Theory::Bits, _, _) => Ok(value),
        }
    }

    /// The `width` bits of an unsigned pattern from bit `low` on.
    pub(super) fn bits_of_pattern(&mut self, pattern: &Operand, low: u32, width: u32) -> Operand {
        match self.theory {
            Theory::Int => {
                let whole = pattern.interval.clone();
                let (shift, modulus) = (power_of_two(low), power_of_two(width));
                let by = self.terms.int(shift.clone());
                let shifted = self.terms.div(pattern.term, by);
                let values = Interval::of_int(width, false);
                let left = whole.map(|w| w.map(|bound| bound / &shift));
                if let Some(left) = left.filter(|left| values.contains(left)) {
                    return Operand::int(shifted, left);
                }
                let modulus = self.terms.int(modulus);
                Operand::int(self.terms.modulo(shifted, modulus), values)
            }
            Theory::Bits => Operand::bits(self.terms.extract(low + width - 1, low, pattern.term)),
        }
    }

    /// The pattern of `total` bits with the `width` bits from bit `low` on replaced.
    pub(super) fn with_bits(
        &mut self,
        pattern: &Operand,
        total: u32,
        low: u32,
        part: &Operand,
        width: u32,
    ) -> Operand {
        let high = low + width;
        match self.theory {
            Theory::Int => {
                let old = self.bits_of_pattern(pattern, low, width);
                let difference = self.terms.sub(part.term, old.term);
                let shifted = self.terms.mul_by(power_of_two(low), difference);
                let new = self.terms.add(pattern.term, shifted);
                Operand::int(new, Interval::of_int(total, false))
            }
            Theory::Bits => {
                let mut new = part.term;
                if low > 0 {
                    let below = self.terms.extract(low - 1, 0, pattern.term);
                    new = self.terms.concat(new, below);
                }
                if high < total {
                    let above = self.terms.extract(total - 1, high, pattern.term);
                    new = self.terms.concat(above, new);
                }
                Operand::bits(new)
            }
        }
    }

    /// The bytes of an unsigned pattern, lowest first.
    pub(super) fn split_bytes(
        &mut self,
        split: &mut SplitBytes,
        pattern: &Operand,
        count: u64,
    ) -> Vec<Operand> {
        if count == 1 {
            return vec![pattern.clone()];
        }
        (0..count)
            .map(|position| {
                let byte = self.bits_of_pattern(pattern, 8 * position as u32, 8);
                if self.terms.value(byte.term).is_none() {
                    split.origin.insert(byte.term, (pattern.term, position));
                }
                byte
            })
            .collect()
    }

    /// The unsigned pattern of bytes, lowest first.
    pub(super) fn join_bytes(&mut self, split: &SplitBytes, bytes: &[Operand]) -> Operand {
        if let [only] = bytes {
            return only.clone();
        }
        let width = 8 * bytes.len() as u32;
        if let Some(&(whole, 0)) = bytes.first().and_then(|b| split.origin.get(&b.term)) {
            let mut positions = bytes.iter().zip(0..);
            let again = positions
                .all(|(byte, position)| split.origin.get(&byte.term) == Some(&(whole, position)));
            let fits = match self.theory {
                Theory::Int => true,
                Theory::Bits => self.terms.sort(whole) == Sort::BitVec(width),
            };
            if again && fits && self.theory == Theory::Bits {
                return Operand::bits(whole);
            }
            // The last byte of a pattern is a quotient and no remainder, so nothing is cut off.
            let last = bytes.last().map(|byte| byte.term);
            let high = last.map(|last| matches!(self.terms.op(last), Op::Div));
            if again && high == Some(true) {
                return Operand::int(whole, Interval::of_int(width, false));
            }
        }
        let mut sum = bytes[0].clone();
        for (position, byte) in bytes.iter().enumerate().skip(1) {
            sum = match self.theory {
                Theory::Int => {
                    let weight = power_of_two(8 * position as u32);
                    let shifted = self.terms.mul_by(weight, byte.term);
                    let interval = Interval::of_int(8 * (position as u32 + 1), false);
                    Operand::int(self.terms.add(sum.term, shifted), interval)
                }
                Theory::Bits => Operand::bits(self.terms.concat(byte.term, sum.term)),
            };
        }
        sum
    }
}
