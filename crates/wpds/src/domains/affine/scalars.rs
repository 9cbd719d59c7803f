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
}
