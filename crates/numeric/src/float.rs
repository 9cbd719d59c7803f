//! Floating-point numbers: a range of numbers with infinities, and whether NaN is possible.
//!
//! Operations of IEEE 754 are rounded correctly, and rounding is monotone: the result of an operation
//! on the bounds, rounded as the operation is, bounds the results for all numbers between them. So no
//! outward rounding is needed, and the bounds are as exact as the format. Both zeros are one number
//! here; what depends on the sign of a zero (a quotient) is anything.

use gnomon_ir::expr::{BinaryOp, Bits};
use gnomon_ir::ops::{self, Scalar};
use gnomon_ir::types::FloatKind;

use crate::int::{Compared, Int, Shape};

/// A set of floating-point numbers of one format.
#[derive(Clone, Copy, Debug)]
pub struct Float {
    /// The smallest; above [`Float::high`] if there is none but NaN.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// Whether NaN is possible.
    pub nan: bool,
}

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.nan == other.nan
            && (self.low == other.low && self.high == other.high
                || self.is_empty() && other.is_empty())
    }
}

/// Whether the numbers of a format are followed: those that are doubles.
pub fn is_followed(kind: FloatKind) -> bool {
    matches!(kind, FloatKind::F32 | FloatKind::F64)
}

/// The number of some bits.
pub fn number(kind: FloatKind, bits: Bits) -> f64 {
    let double = ops::cast(Scalar::Float(kind), Scalar::Float(FloatKind::F64), bits);
    f64::from_bits(double as u64)
}

/// The bits of a number of the format.
pub fn bits(kind: FloatKind, number: f64) -> Bits {
    let double = u128::from(number.to_bits());
    ops::cast(Scalar::Float(FloatKind::F64), Scalar::Float(kind), double)
}

impl Float {
    /// All numbers, and NaN.
    pub const ANY: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true };

    /// One number, or NaN.
    pub fn constant(value: f64) -> Self {
        if value.is_nan() {
            return Self { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true };
        }
        Self { low: value, high: value, nan: false }
    }

    /// Whether there is nothing but NaN, if that.
    pub fn is_empty(&self) -> bool {
        self.low > self.high
    }

    fn possible(self) -> Option<Self> {
        (self.nan || !self.is_empty()).then_some(self)
    }

    /// Whether a number is among them.
    pub fn contains(&self, value: f64) -> bool {
        if value.is_nan() { self.nan } else { self.low <= value && value <= self.high }
    }

    fn has_zero(&self) -> bool {
        self.contains(0.0)
    }

    fn has_infinity(&self) -> bool {
        self.contains(f64::INFINITY) || self.contains(f64::NEG_INFINITY)
    }

    /// The numbers of both.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            nan: self.nan || other.nan,
        }
    }

    /// Whether all numbers are among those of another set.
    pub fn is_in(&self, other: &Self) -> bool {
        (self.is_empty() || other.low <= self.low && self.high <= other.high)
            && (other.nan || !self.nan)
    }

    /// A superset of both such that chains end.
    #[must_use]
    pub fn widen(&self, next: &Self, thresholds: &[f64]) -> Self {
        let mut wide = self.join(next);
        if next.low < self.low {
            let below = thresholds.iter().rev().find(|t| **t <= next.low);
            wide.low = below.copied().unwrap_or(f64::NEG_INFINITY);
        }
        if next.high > self.high {
            let above = thresholds.iter().find(|t| **t >= next.high);
            wide.high = above.copied().unwrap_or(f64::INFINITY);
        }
        wide
    }

    /// `a op b`, for arithmetic.
    pub fn binary(op: BinaryOp, kind: FloatKind, a: &Self, b: &Self) -> Self {
        let scalar = Scalar::Float(kind);
        let nan = a.nan || b.nan;
        if a.is_empty() || b.is_empty() {
            return Self { nan, ..Self::constant(f64::NAN) };
        }
        if op == BinaryOp::Div && b.has_zero() {
            return Self::ANY;
        }
        let may_be_nan = match op {
            // Infinities that cancel are both at the ends.
            BinaryOp::Add | BinaryOp::Sub => false,
            BinaryOp::Mul => a.has_zero() && b.has_infinity() || a.has_infinity() && b.has_zero(),
            _ => a.has_infinity() && b.has_infinity(),
        };
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for x in [a.low, a.high] {
            for y in [b.low, b.high] {
                let result = ops::binary(op, scalar, bits(kind, x), scalar, bits(kind, y));
                let result = result.map_or(f64::NAN, |bits| number(kind, bits));
                if result.is_nan() {
                    // What is between the ends is not bounded by them.
                    return Self::ANY;
                }
                low = low.min(result);
                high = high.max(result);
            }
        }
        if may_be_nan {
            return Self::ANY;
        }
        Self { low, high, nan }
    }

    /// `-a`.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self { low: -self.high, high: -self.low, nan: self.nan }
    }

    /// Compares all numbers of two sets.
    pub fn compare(op: BinaryOp, a: &Self, b: &Self) -> Compared {
        let ordered = !a.nan && !b.nan;
        let empty = a.is_empty() || b.is_empty();
        let (always, never) = match op {
            BinaryOp::Lt => (a.high < b.low, a.low >= b.high),
            BinaryOp::Le => (a.high <= b.low, a.low > b.high),
            BinaryOp::Gt => return Self::compare(BinaryOp::Lt, b, a),
            BinaryOp::Ge => return Self::compare(BinaryOp::Le, b, a),
            BinaryOp::Eq => (
                a.low == a.high && b.low == b.high && a.low == b.low,
                a.high < b.low || b.high < a.low,
            ),
            BinaryOp::Ne => return Self::compare(BinaryOp::Eq, a, b).negated(),
            _ => (false, false),
        };
        // NaN makes all of them false.
        match (always, never) {
            _ if empty => Compared::Never,
            (true, _) if ordered => Compared::Always,
            (_, true) => Compared::Never,
            _ => Compared::Sometimes,
        }
    }

    /// What is left of both where a comparison is true, or is false; `None` if it never is.
    pub fn refined(
        op: BinaryOp,
        kind: FloatKind,
        truth: bool,
        a: &Self,
        b: &Self,
    ) -> Option<(Self, Self)> {
        match (op, truth) {
            (BinaryOp::Gt | BinaryOp::Ge, _) => {
                let mirrored = if op == BinaryOp::Gt { BinaryOp::Lt } else { BinaryOp::Le };
                Self::refined(mirrored, kind, truth, b, a).map(|(b, a)| (a, b))
            }
            (BinaryOp::Ne, _) => Self::refined(BinaryOp::Eq, kind, !truth, a, b),
            (BinaryOp::Eq, true) => {
                let both = Self { low: a.low.max(b.low), high: a.high.min(b.high), nan: false };
                both.possible().map(|both| (both, both))
            }
            (BinaryOp::Lt, true) => ordered(
                Self { high: a.high.min(below(kind, b.high)), nan: false, ..*a },
                Self { low: b.low.max(above(kind, a.low)), nan: false, ..*b },
            ),
            (BinaryOp::Le, true) => ordered(
                Self { high: a.high.min(b.high), nan: false, ..*a },
                Self { low: b.low.max(a.low), nan: false, ..*b },
            ),
            // False also where one of them is NaN, whatever the other is.
            (BinaryOp::Lt | BinaryOp::Le, false) if !a.nan && !b.nan => {
                let opposite = if op == BinaryOp::Lt { BinaryOp::Le } else { BinaryOp::Lt };
                Self::refined(opposite, kind, true, b, a).map(|(b, a)| (a, b))
            }
            _ => Some((*a, *b)),
        }
    }

    /// Converted to another format.
    #[must_use]
    pub fn cast(&self, from: FloatKind, to: FloatKind) -> Self {
        if self.is_empty() {
            return *self;
        }
        let (source, target) = (Scalar::Float(from), Scalar::Float(to));
        let end = |value: f64| number(to, ops::cast(source, target, bits(from, value)));
        Self { low: end(self.low), high: end(self.high), nan: self.nan }
    }

    /// Integers as floating-point numbers; rounding is monotone.
    pub fn of_int(value: &Int, from: Scalar, shape: Shape, kind: FloatKind) -> Self {
        let end = |value: i128| {
            let pattern = u128::from(shape.pattern(value));
            number(kind, ops::cast(from, Scalar::Float(kind), pattern))
        };
        Self { low: end(value.low), high: end(value.high), nan: false }
    }

    /// Cut towards zero, if all of it fits into the type.
    pub fn to_int(&self, shape: Shape) -> Option<Int> {
        if self.nan || self.is_empty() {
            return None;
        }
        let (low, high) = (self.low.trunc(), self.high.trunc());
        let exact = |value: f64| value.abs() < 1.8e19;
        if !exact(low) || !exact(high) {
            return None;
        }
        let (low, high) = (low as i128, high as i128);
        let fits = shape.min() <= low && high <= shape.max();
        fits.then(|| Int::range(shape, low, high)).flatten()
    }

    /// Whether it is not zero, as `if` asks: NaN is not.
    pub fn truth(&self) -> Compared {
        let zero = Self::constant(0.0);
        Self::compare(BinaryOp::Ne, self, &zero)
    }
}

fn ordered(a: Float, b: Float) -> Option<(Float, Float)> {
    Some((a.possible()?, b.possible()?))
}

/// The next number of the format below, so that `x < bound` is `x <= below(bound)`.
fn below(kind: FloatKind, bound: f64) -> f64 {
    -above(kind, -bound)
}

fn above(kind: FloatKind, bound: f64) -> f64 {
    match kind {
        FloatKind::F32 => f64::from((bound as f32).next_up()),
        _ => bound.next_up(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOUBLE: FloatKind = FloatKind::F64;

    fn range(low: f64, high: f64) -> Float {
        Float { low, high, nan: false }
    }

    #[test]
    fn bounds_are_those_of_the_machine() {
        let sum = Float::binary(BinaryOp::Add, DOUBLE, &range(0.1, 0.5), &range(0.2, 0.25));
        assert_eq!((sum.low, sum.high, sum.nan), (0.1 + 0.2, 0.75, false));
        let single = Float::binary(
            BinaryOp::Mul,
            FloatKind::F32,
            &range(f64::from(0.1f32), 1.0),
            &range(f64::from(0.1f32), 3.0),
        );
        assert_eq!(single.low, f64::from(0.1f32 * 0.1f32));
    }

    #[test]
    fn infinities_and_zeros_make_nan() {
        let all = range(f64::NEG_INFINITY, f64::INFINITY);
        assert!(Float::binary(BinaryOp::Add, DOUBLE, &all, &all).nan);
        assert!(Float::binary(BinaryOp::Mul, DOUBLE, &all, &range(0.0, 0.0)).nan);
        assert_eq!(
            Float::binary(BinaryOp::Div, DOUBLE, &range(1.0, 1.0), &range(-1.0, 1.0)),
            Float::ANY
        );
    }

    #[test]
    fn comparisons_know_nan() {
        let maybe = Float { nan: true, ..range(1.0, 2.0) };
        assert_eq!(Float::compare(BinaryOp::Lt, &maybe, &range(3.0, 4.0)), Compared::Sometimes);
        assert_eq!(Float::compare(BinaryOp::Gt, &maybe, &range(3.0, 4.0)), Compared::Never);
        assert_eq!(Float::compare(BinaryOp::Ne, &maybe, &range(3.0, 4.0)), Compared::Always);
        let (left, _) =
            Float::refined(BinaryOp::Lt, DOUBLE, true, &Float::ANY, &range(0.0, 1.0)).unwrap();
        assert_eq!((left.high, left.nan), (1.0f64.next_down(), false));
        let (same, _) =
            Float::refined(BinaryOp::Lt, DOUBLE, false, &Float::ANY, &range(0.0, 1.0)).unwrap();
        assert_eq!(same, Float::ANY);
    }

    #[test]
    fn conversions_to_integers_that_fit() {
        let shape = Shape { bits: 32, signed: true };
        assert_eq!(range(-3.9, 2.5).to_int(shape).map(|i| (i.low, i.high)), Some((-3, 2)));
        assert_eq!(range(0.0, 3e9).to_int(shape), None);
        assert_eq!(Float::ANY.to_int(shape), None);
    }
}
