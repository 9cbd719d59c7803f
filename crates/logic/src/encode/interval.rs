//! Intervals of exact integers: what is known of an operand, to leave out wrap-around where none
//! can happen.

use crate::Integer;

/// All integers from `low` to `high`, both included; `low <= high`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least.
    pub low: Integer,
    /// The greatest.
    pub high: Integer,
}

impl Interval {
    /// From `low` to `high`.
    pub fn new(low: impl Into<Integer>, high: impl Into<Integer>) -> Self {
        Self { low: low.into(), high: high.into() }
    }

    /// One integer.
    pub fn point(value: impl Into<Integer>) -> Self {
        let value = value.into();
        Self { low: value.clone(), high: value }
    }

    /// The values of an integer type.
    pub fn of_int(bits: u32, signed: bool) -> Self {
        if signed {
            let bound = crate::number::power_of_two(bits - 1);
            Self { low: -bound.clone(), high: bound - Integer::ONE }
        } else {
            Self { low: Integer::ZERO, high: crate::number::power_of_two(bits) - Integer::ONE }
        }
    }

    /// Whether all of `other` is inside.
    pub fn contains(&self, other: &Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// Whether it is one integer.
    pub fn as_point(&self) -> Option<&Integer> {
        (self.low == self.high).then_some(&self.low)
    }

    /// What is in both; `None` if nothing is.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        let low = (&self.low).max(&other.low).clone();
        let high = (&self.high).min(&other.high).clone();
        (low <= high).then_some(Self { low, high })
    }

    /// The least interval around both.
    pub fn join(&self, other: &Self) -> Self {
        Self {
            low: (&self.low).min(&other.low).clone(),
            high: (&self.high).max(&other.high).clone(),
        }
    }

    /// Sums.
    pub fn add(&self, other: &Self) -> Self {
        Self { low: &self.low + &other.low, high: &self.high + &other.high }
    }

    /// Negations.
    pub fn neg(&self) -> Self {
        Self { low: -&self.high, high: -&self.low }
    }

    /// Differences.
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    /// Products.
    pub fn mul(&self, other: &Self) -> Self {
        let products = [
            &self.low * &other.low,
            &self.low * &other.high,
            &self.high * &other.low,
            &self.high * &other.high,
        ];
        let [mut low, mut high] = [products[0].clone(), products[0].clone()];
        for product in products {
            if product < low {
                low = product;
            } else if product > high {
                high = product;
            }
        }
        Self { low, high }
    }

    /// Values of a function that never decreases.
    pub fn map(&self, function: impl Fn(&Integer) -> Integer) -> Self {
        Self { low: function(&self.low), high: function(&self.high) }
    }

    /// Whether no negative integer is inside.
    pub fn is_nonnegative(&self) -> bool {
        self.low >= Integer::ZERO
    }

    /// Whether only 0 and 1 can be inside.
    pub fn is_boolean(&self) -> bool {
        self.is_nonnegative() && self.high <= Integer::ONE
    }
}
