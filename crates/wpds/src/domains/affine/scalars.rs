//! The numbers that affine relations are made of: integers modulo a power of two, or rationals.
//!
//! Both are rings in which every element is a unit times a power of one prime `π`: 2 modulo 2ⁿ, and
//! nothing but units among the rationals. That is all that the canonical form of modules needs.

use std::fmt::Debug;

use dashu_ratio::RBig;

use crate::semiring::WeightError;

/// A ring in which every element other than zero is a unit times a power of one element `π`.
pub trait Scalars: Clone + Debug + PartialEq + Send + Sync {
    /// The numbers.
    type Number: Clone + PartialEq + Debug + Send + Sync;

    /// Zero.
    fn zero(&self) -> Self::Number;

    /// One.
    fn one(&self) -> Self::Number;

    /// The number that an integer stands for.
    fn integer(&self, value: i64) -> Self::Number;

    /// Whether a number is zero.
    fn is_zero(&self, a: &Self::Number) -> bool;

    /// The sum.
    fn add(&self, a: &Self::Number, b: &Self::Number) -> Self::Number;

    /// The difference.
    fn subtract(&self, a: &Self::Number, b: &Self::Number) -> Self::Number;

    /// The product.
    fn multiply(&self, a: &Self::Number, b: &Self::Number) -> Self::Number;

    /// For a number `u·πᵏ` other than zero: `1/u` and `k`.
    fn normaliser(&self, a: &Self::Number) -> (Self::Number, u32);

    /// Some `q` such that `a - q·πᵏ` depends only on `a` modulo `πᵏ`, and is zero if `πᵏ` divides `a`.
    fn quotient(&self, a: &Self::Number, k: u32) -> Self::Number;

    /// The generator of the numbers `b` with `b·πᵏ = 0`, unless only zero is one.
    fn annihilator(&self, k: u32) -> Option<Self::Number>;

    /// Writes a number down.
    fn write(&self, a: &Self::Number, out: &mut Vec<u8>);

    /// Takes a number that was written from the front; nothing if it is none.
    fn read(&self, from: &mut &[u8]) -> Option<Self::Number>;
}

/// Integers modulo `2ⁿ`, for `n` from 1 to 64: machine arithmetic, wrap-around included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modular {
    bits: u32,
}

impl Modular {
    /// The integers modulo `2^bits`.
    pub fn new(bits: u32) -> Result<Self, WeightError> {
        match bits {
            1..=64 => Ok(Self { bits }),
            _ => {
                Err(WeightError::TooLarge(format!("numbers of {bits} bits (1 to 64 are possible)")))
            }
        }
    }

    /// How many bits a number has.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    fn wrap(&self, value: u64) -> u64 {
        value & (u64::MAX >> (64 - self.bits))
    }
}

impl Scalars for Modular {
    type Number = u64;

    fn zero(&self) -> u64 {
        0
    }

    fn one(&self) -> u64 {
        1
    }

    fn integer(&self, value: i64) -> u64 {
        self.wrap(value.cast_unsigned())
    }

    fn is_zero(&self, a: &u64) -> bool {
        *a == 0
    }

    fn add(&self, a: &u64, b: &u64) -> u64 {
        self.wrap(a.wrapping_add(*b))
    }

    fn subtract(&self, a: &u64, b: &u64) -> u64 {
        self.wrap(a.wrapping_sub(*b))
    }

    fn multiply(&self, a: &u64, b: &u64) -> u64 {
        self.wrap(a.wrapping_mul(*b))
    }

    fn normaliser(&self, a: &u64) -> (u64, u32) {
        let k = a.trailing_zeros().min(63);
        let odd = a >> k;
        // Newton's iteration: every round doubles the number of correct bits.
        let mut inverse = odd;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        (self.wrap(inverse), k)
    }

    fn quotient(&self, a: &u64, k: u32) -> u64 {
        a.checked_shr(k).unwrap_or(0)
    }

    fn annihilator(&self, k: u32) -> Option<u64> {
        (k > 0 && k < self.bits).then(|| 1 << (self.bits - k))
    }

    fn write(&self, a: &u64, out: &mut Vec<u8>) {
        out.extend(a.to_le_bytes());
    }

    fn read(&self, from: &mut &[u8]) -> Option<u64> {
        let (first, rest) = from.split_first_chunk()?;
        *from = rest;
        Some(u64::from_le_bytes(*first)).filter(|number| self.wrap(*number) == *number)
    }
}

/// The rational numbers, exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rationals;

impl Scalars for Rationals {
    type Number = RBig;

    fn zero(&self) -> RBig {
        RBig::ZERO
    }

    fn one(&self) -> RBig {
        RBig::ONE
    }

    fn integer(&self, value: i64) -> RBig {
        RBig::from(value)
    }

    fn is_zero(&self, a: &RBig) -> bool {
        *a == RBig::ZERO
    }

    fn add(&self, a: &RBig, b: &RBig) -> RBig {
        a + b
    }

    fn subtract(&self, a: &RBig, b: &RBig) -> RBig {
        a - b
    }

    fn multiply(&self, a: &RBig, b: &RBig) -> RBig {
        a * b
    }

    fn normaliser(&self, a: &RBig) -> (RBig, u32) {
        (RBig::ONE / a, 0)
    }

    fn quotient(&self, a: &RBig, _k: u32) -> RBig {
        a.clone()
    }

    fn annihilator(&self, _k: u32) -> Option<RBig> {
        None
    }

    fn write(&self, a: &RBig, out: &mut Vec<u8>) {
        let text = a.to_string();
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text.as_bytes());
    }

    fn read(&self, from: &mut &[u8]) -> Option<RBig> {
        let (length, rest) = from.split_first_chunk()?;
        let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        *from = rest;
        std::str::from_utf8(text).ok()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let bytes = Modular::new(8).unwrap();
        let mut out = Vec::new();
        let third = RBig::ONE / RBig::from(-3);
        bytes.write(&255, &mut out);
        Rationals.write(&third, &mut out);
        let mut from = out.as_slice();
        assert_eq!(bytes.read(&mut from), Some(255));
        assert_eq!(Rationals.read(&mut from), Some(third));
        assert!(from.is_empty());
        assert_eq!(bytes.read(&mut from), None);
        // Not a number of eight bits.
        assert_eq!(bytes.read(&mut 256u64.to_le_bytes().as_slice()), None);
    }
}
