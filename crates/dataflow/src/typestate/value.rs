//! What is known of the value of an expression: whether it is the watched value, and its bounds.

use super::fresh::FIRST_DESCRIPTOR;

/// Bounds that say nothing: no number of the model reaches them.
const LOWEST: i128 = i128::MIN;
const HIGHEST: i128 = i128::MAX;

/// What is known of a value. Pointers count as their address; null is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Value {
    /// Whether it is the watched value.
    pub same: Option<bool>,
    /// Not below this.
    pub low: i128,
    /// Not above this.
    pub high: i128,
    /// Known not to be 0.
    pub nonzero: bool,
    /// Known to be no standard stream's number: negative, or from [`FIRST_DESCRIPTOR`] on.
    pub not_standard: bool,
}

impl Value {
    /// Nothing is known.
    pub const UNKNOWN: Value =
        Value { same: None, low: LOWEST, high: HIGHEST, nonzero: false, not_standard: false };
    /// 0 or 1.
    pub const TRUTH: Value = Value { low: 0, high: 1, ..Self::UNKNOWN };

    pub fn constant(number: i128) -> Self {
        Self { low: number, high: number, nonzero: number != 0, ..Self::UNKNOWN }
    }

    pub fn nonzero() -> Self {
        Self { nonzero: true, ..Self::UNKNOWN }
    }

    pub fn between(low: i128, high: i128) -> Self {
        Self { low, high, ..Self::UNKNOWN }
    }

    pub fn is_known(&self) -> bool {
        *self != Self::UNKNOWN
    }

    pub fn as_constant(&self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether it is not zero.
    pub fn truth(&self) -> Option<bool> {
        if self.nonzero || self.low > 0 || self.high < 0 {
            return Some(true);
        }
        (self.as_constant() == Some(0)).then_some(false)
    }

    /// What holds of a value of which either is known.
    pub fn join(&self, other: &Self) -> Self {
        Self {
            same: if self.same == other.same { self.same } else { None },
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            nonzero: self.truth() == Some(true) && other.truth() == Some(true),
            not_standard: self.is_not_standard() && other.is_not_standard(),
        }
    }

    /// What holds of a value of which both are known; `None` if there is no such value.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        let same = match (self.same, other.same) {
            (Some(a), Some(b)) if a != b => return None,
            (a, b) => a.or(b),
        };
        let nonzero = self.nonzero || other.nonzero;
        let (mut low, mut high) = (self.low.max(other.low), self.high.min(other.high));
        if nonzero {
            low += i128::from(low == 0);
            high -= i128::from(high == 0);
        }
        let not_standard = self.not_standard || other.not_standard;
        if not_standard {
            low = if (0..FIRST_DESCRIPTOR).contains(&low) { FIRST_DESCRIPTOR } else { low };
            high = if (0..FIRST_DESCRIPTOR).contains(&high) { -1 } else { high };
        }
        (low <= high).then_some(Self { same, low, high, nonzero, not_standard })
    }

    /// Whether it is no standard stream's number.
    fn is_not_standard(&self) -> bool {
        self.not_standard || self.low >= FIRST_DESCRIPTOR || self.high < 0
    }

    /// The number alone.
    pub fn number(&self) -> Self {
        Self { same: None, ..*self }
    }

    /// Whether the numbers can be equal.
    pub fn may_equal(&self, other: &Self) -> bool {
        self.number().meet(&other.number()).is_some()
    }

    /// Whether all that is said here follows from the other.
    pub fn is_implied_by(&self, other: &Self) -> bool {
        (self.same.is_none() || self.same == other.same)
            && self.low <= other.low
            && self.high >= other.high
            && (!self.nonzero || other.truth() == Some(true))
            && (!self.not_standard || other.is_not_standard())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_cut_off_at_the_ends() {
        let natural = Value::between(0, 10);
        let positive = natural.meet(&Value::nonzero()).expect("some value");
        assert_eq!((positive.low, positive.high), (1, 10));
        assert_eq!(Value::constant(0).meet(&Value::nonzero()), None);
    }

    #[test]
    fn a_join_is_implied_by_both() {
        let watched = Value { same: Some(true), ..Value::nonzero() };
        let values = [Value::constant(3), Value::constant(0), Value::TRUTH, watched];
        for a in values {
            for b in values {
                let both = a.join(&b);
                assert!(both.is_implied_by(&a) && both.is_implied_by(&b), "{a:?} {b:?}");
            }
        }
        assert!(!Value::constant(3).join(&Value::constant(0)).nonzero);
    }
}
