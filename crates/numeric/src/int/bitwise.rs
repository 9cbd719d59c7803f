//! `&`, `|` and `^` of sets of integers: bit by bit, and bounds for numbers that are not negative.

use super::{Int, Shape};

impl Int {
    pub(super) fn and(shape: Shape, a: &Self, b: &Self) -> Option<Self> {
        let zeros = (a.known & !a.ones) | (b.known & !b.ones);
        let ones = a.ones & b.ones;
        let mut result = Self { known: zeros | ones, ones, ..Self::any(shape) };
        if a.low >= 0 || b.low >= 0 {
            result.low = 0;
            let bound = |x: &Self| if x.low >= 0 { x.high } else { shape.max() };
            result.high = bound(a).min(bound(b));
        } else {
            // It has no bits that the greater one has not.
            result.high = a.high.max(b.high);
        }
        result.reduced(shape)
    }

    pub(super) fn or(shape: Shape, a: &Self, b: &Self) -> Option<Self> {
        let ones = a.ones | b.ones;
        let zeros = a.known & !a.ones & b.known & !b.ones;
        let mut result = Self { known: zeros | ones, ones, ..Self::any(shape) };
        if a.low >= 0 && b.low >= 0 {
            result.low = a.low.max(b.low);
            result.high = below_power_of_two(a.high.max(b.high));
        }
        result.reduced(shape)
    }

    pub(super) fn xor(shape: Shape, a: &Self, b: &Self) -> Option<Self> {
        let known = a.known & b.known;
        let mut result = Self { known, ones: (a.ones ^ b.ones) & known, ..Self::any(shape) };
        if a.low >= 0 && b.low >= 0 {
            result.low = 0;
            result.high = below_power_of_two(a.high.max(b.high));
        }
        result.reduced(shape)
    }
}

/// The greatest number with as many bits.
fn below_power_of_two(value: i128) -> i128 {
    (1i128 << (128 - value.leading_zeros())) - 1
}
