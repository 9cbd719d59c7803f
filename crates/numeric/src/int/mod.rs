//! Integers: a reduced product of a range, a congruence and known bits.
//!
//! A value is the mathematical number that its type gives to its bits ([`Shape`]), so a range never
//! wraps around by itself; operations that may leave the type's range say so in one place
//! ([`Int::wrapped`]). The parts tell each other what they know ([`Int::reduced`]): bounds move to
//! the next number of the congruence, known bits bound the range, a common prefix of the bounds is
//! known bits, and known low bits are a congruence modulo a power of two.
//!
//! Ranges: Cousot and Cousot (1976); congruences: Granger, *Static Analysis of Arithmetical
//! Congruences* (1989), with modulus 0 for a single number; known bits as in compilers.

mod arithmetic;
mod bitwise;
mod compare;

pub use compare::{Compared, compare, refined};

use gnomon_ir::ops::Scalar;

/// The type of an integer of at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The width.
    pub bits: u16,
    /// Two's complement if signed.
    pub signed: bool,
}

impl Shape {
    /// Of a type that operators see as an integer; wider ones are not followed.
    pub fn of(scalar: Scalar) -> Option<Self> {
        match scalar {
            Scalar::Bool => Some(Self { bits: 8, signed: false }),
            Scalar::Int { bits, signed } if bits <= 64 => Some(Self { bits, signed }),
            Scalar::Int { .. } | Scalar::Float(_) => None,
        }
    }

    /// The smallest number.
    pub fn min(self) -> i128 {
        if self.signed { -(1i128 << (self.bits - 1)) } else { 0 }
    }

    /// The greatest number.
    pub fn max(self) -> i128 {
        if self.signed { (1i128 << (self.bits - 1)) - 1 } else { (1i128 << self.bits) - 1 }
    }

    /// How many numbers there are.
    pub fn count(self) -> i128 {
        1i128 << self.bits
    }

    fn mask(self) -> u64 {
        (self.count() - 1) as u64
    }

    /// The bits of a number of the type.
    pub fn pattern(self, value: i128) -> u64 {
        value as u64 & self.mask()
    }

    /// The number of the type that has these bits.
    pub fn number(self, pattern: u64) -> i128 {
        let value = i128::from(pattern & self.mask());
        if self.signed && value > self.max() { value - self.count() } else { value }
    }
}

/// A set of numbers of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int {
    /// The smallest.
    pub low: i128,
    /// The greatest.
    pub high: i128,
    /// All of them are congruent to `residue` modulo this; 0 if there is one only.
    pub modulus: i128,
    /// From 0 to below the modulus, or the only number.
    pub residue: i128,
    /// Which bits are the same in all of them.
    pub known: u64,
    /// What these bits are; 0 elsewhere.
    pub ones: u64,
}

impl Int {
    /// All numbers of a type.
    pub fn any(shape: Shape) -> Self {
        let (low, high) = (shape.min(), shape.max());
        Self { low, high, modulus: 1, residue: 0, known: 0, ones: 0 }
    }

    /// One number, which is of the type.
    pub fn constant(shape: Shape, value: i128) -> Self {
        Self {
            low: value,
            high: value,
            modulus: 0,
            residue: value,
            known: shape.mask(),
            ones: shape.pattern(value),
        }
    }

    /// The numbers of the type in a range, if there are some.
    pub fn range(shape: Shape, low: i128, high: i128) -> Option<Self> {
        Self { low: low.max(shape.min()), high: high.min(shape.max()), ..Self::any(shape) }
            .reduced(shape)
    }

    /// The only number.
    pub fn single(&self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether nothing is known.
    pub fn is_any(&self, shape: Shape) -> bool {
        *self == Self::any(shape)
    }

    /// Whether a number is among them.
    pub fn contains(&self, shape: Shape, value: i128) -> bool {
        self.low <= value
            && value <= self.high
            && congruent(value, self.modulus, self.residue)
            && shape.pattern(value) & self.known == self.ones
    }

    /// The same numbers, with all parts as exact as the others allow; `None` if there are none.
    #[must_use]
    pub fn reduced(mut self, shape: Shape) -> Option<Self> {
        // Twice, since what the second half finds helps the first one.
        for _ in 0..2 {
            if self.low > self.high {
                return None;
            }
            self = self.bounds_from_congruence()?.bits_from_bounds(shape)?;
            self = self.congruence_from_bits(shape)?.bounds_from_bits(shape)?;
        }
        if self.low == self.high {
            let value = self.low;
            return self.contains(shape, value).then(|| Self::constant(shape, value));
        }
        Some(self)
    }

    fn bounds_from_congruence(mut self) -> Option<Self> {
        if self.modulus == 0 {
            let value = self.residue;
            if value < self.low || value > self.high {
                return None;
            }
            (self.low, self.high) = (value, value);
        } else if self.modulus > 1 {
            self.low += (self.residue - self.low).rem_euclid(self.modulus);
            self.high -= (self.high - self.residue).rem_euclid(self.modulus);
            if self.low > self.high {
                return None;
            }
        }
        Some(self)
    }

    /// Numbers with the same sign between the bounds have their common prefix.
    fn bits_from_bounds(mut self, shape: Shape) -> Option<Self> {
        if (self.low < 0) == (self.high < 0) {
            let (low, high) = (shape.pattern(self.low), shape.pattern(self.high));
            let differing = 64 - (low ^ high).leading_zeros();
            let prefix = if differing == 64 { 0 } else { !0u64 << differing } & shape.mask();
            if (low ^ self.ones) & self.known & prefix != 0 {
                return None;
            }
            self.known |= prefix;
            self.ones |= low & prefix;
        }
        Some(self)
    }

    /// Low bits are a congruence modulo a power of two, and the other way round.
    fn congruence_from_bits(mut self, shape: Shape) -> Option<Self> {
        if self.modulus > 0 {
            let even = self.modulus.trailing_zeros().min(u32::from(shape.bits));
            let low = ((1i128 << even) - 1) as u64;
            let residue = self.residue as u64;
            if (residue ^ self.ones) & self.known & low != 0 {
                return None;
            }
            self.known |= low & shape.mask();
            self.ones |= residue & low & shape.mask();
        }
        let known_low = self.known.trailing_ones().min(u32::from(shape.bits));
        if known_low > 0 && self.modulus != 0 {
            let modulus = 1i128 << known_low;
            let residue = i128::from(self.ones) & (modulus - 1);
            let both = meet_congruences((self.modulus, self.residue), (modulus, residue))?;
            (self.modulus, self.residue) = both;
        }
        Some(self)
    }

    fn bounds_from_bits(mut self, shape: Shape) -> Option<Self> {
        let unknown = shape.mask() & !self.known;
        let sign = 1u64 << (shape.bits - 1);
        let (least, most) = if shape.signed && unknown & sign != 0 {
            (self.ones | sign, (self.ones | unknown) & !sign)
        } else {
            (self.ones, self.ones | unknown)
        };
        self.low = self.low.max(shape.number(least));
        self.high = self.high.min(shape.number(most));
        (self.low <= self.high).then_some(self)
    }

    /// The numbers of both.
    #[must_use]
    pub fn join(&self, other: &Self, shape: Shape) -> Self {
        let known = self.known & other.known & !(self.ones ^ other.ones);
        let (modulus, residue) =
            join_congruences((self.modulus, self.residue), (other.modulus, other.residue));
        let joined = Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            modulus,
            residue,
            known,
            ones: self.ones & known,
        };
        joined.reduced(shape).unwrap_or(joined)
    }

    /// The numbers that are in both.
    #[must_use]
    pub fn meet(&self, other: &Self, shape: Shape) -> Option<Self> {
        if (self.ones ^ other.ones) & self.known & other.known != 0 {
            return None;
        }
        let (modulus, residue) =
            meet_congruences((self.modulus, self.residue), (other.modulus, other.residue))?;
        Self {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            modulus,
            residue,
            known: self.known | other.known,
            ones: self.ones | other.ones,
        }
        .reduced(shape)
    }

    /// Whether each part of this one says at least as much as that of the other.
    pub fn is_in(&self, other: &Self) -> bool {
        let congruence = match other.modulus {
            0 => self.modulus == 0 && self.residue == other.residue,
            m => self.modulus % m == 0 && congruent(self.residue, m, other.residue),
        };
        other.low <= self.low
            && self.high <= other.high
            && congruence
            && other.known & !self.known == 0
            && self.ones & other.known == other.ones
    }

    /// A superset of both, such that every chain of them ends: bounds that move jump to the next
    /// threshold; congruences and bits have no endless chains.
    #[must_use]
    pub fn widen(&self, next: &Self, shape: Shape, thresholds: &[i128]) -> Self {
        let mut wide = self.join(next, shape);
        if next.low < self.low {
            let below = thresholds.partition_point(|t| *t <= next.low);
            let threshold = below.checked_sub(1).map(|i| thresholds[i]);
            wide.low = threshold.unwrap_or(shape.min()).max(shape.min());
        }
        if next.high > self.high {
            let above = thresholds.partition_point(|t| *t < next.high);
            let threshold = thresholds.get(above).copied();
            wide.high = threshold.unwrap_or(shape.max()).min(shape.max());
        }
        // Bits are what bounds say unless they are known for another reason.
        wide.known = self.known & next.known & !(self.ones ^ next.ones);
        wide.ones = self.ones & wide.known;
        if wide.low != self.low || wide.high != self.high {
            let low = (1u64 << self.known.trailing_ones().min(63)) - 1;
            let high_unknown = wide.known & !low;
            let fits = Self { known: high_unknown, ones: wide.ones & high_unknown, ..wide };
            if fits.bounds_from_bits(shape).is_none_or(|f| f.low != wide.low || f.high != wide.high)
            {
                wide.known &= low;
                wide.ones &= low;
            }
        }
        wide.reduced(shape).unwrap_or(Self::any(shape))
    }

    /// The numbers of a type that a range of mathematical numbers with a congruence wraps to.
    pub(crate) fn wrapped(
        shape: Shape,
        low: i128,
        high: i128,
        (modulus, residue): (i128, i128),
    ) -> Option<Self> {
        if low > high {
            return None;
        }
        let any = Self::any(shape);
        if let (Some(below), Some(width)) = (low.checked_sub(shape.min()), high.checked_sub(low)) {
            // All on one page of numbers: they move together.
            let page = below.div_euclid(shape.count());
            let moved = page.checked_mul(shape.count());
            if let Some(by) = moved
                && width < shape.count()
                && let Some(high) = high.checked_sub(by)
                && high <= shape.max()
            {
                let residue = if modulus == 0 {
                    residue.checked_sub(by)?
                } else {
                    (residue.rem_euclid(modulus) - by.rem_euclid(modulus)).rem_euclid(modulus)
                };
                return Self { low: low - by, high, modulus, residue, ..any }.reduced(shape);
            }
        }
        // What survives wrapping around is a congruence modulo a power of two.
        let even = if modulus == 0 { shape.count() } else { gcd(modulus, shape.count()) };
        Self { modulus: even, residue: residue.rem_euclid(even), ..any }.reduced(shape)
    }
}

pub(crate) fn congruent(value: i128, modulus: i128, residue: i128) -> bool {
    match modulus {
        0 => value == residue,
        m => (value.rem_euclid(m) - residue.rem_euclid(m)) == 0,
    }
}

pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

/// A congruence with a residue in its range. Moduli that are too large say little.
pub(crate) fn congruence(modulus: i128, residue: i128) -> (i128, i128) {
    match modulus {
        0 => (0, residue),
        m if m.unsigned_abs() > 1u128 << 70 => (1, 0),
        m => (m.abs(), residue.rem_euclid(m.abs())),
    }
}

fn join_congruences((m, r): (i128, i128), (n, s): (i128, i128)) -> (i128, i128) {
    congruence(gcd(gcd(m, n), r - s), r)
}

/// Numbers in both; a superset where the least common multiple is too large.
fn meet_congruences((m, r): (i128, i128), (n, s): (i128, i128)) -> Option<(i128, i128)> {
    if m == 0 || n == 0 {
        let (value, other) = if m == 0 { (r, (n, s)) } else { (s, (m, r)) };
        return congruent(value, other.0, other.1).then_some((0, value));
    }
    let common = gcd(m, n);
    if (r - s) % common != 0 {
        return None;
    }
    // The chinese remainder by trial, for what is small; else the finer of the two.
    if m % n == 0 {
        return Some((m, r));
    }
    if n % m == 0 {
        return Some((n, s));
    }
    let step = n / common;
    if step <= 1 << 12
        && let Some(both) = m.checked_mul(step).filter(|both| *both < 1 << 70)
    {
        let found = (0..step).map(|k| r + k * m).find(|value| congruent(*value, n, s))?;
        return Some((both, found.rem_euclid(both)));
    }
    Some(if m > n { (m, r) } else { (n, s) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const I32: Shape = Shape { bits: 32, signed: true };
    const U8: Shape = Shape { bits: 8, signed: false };

    #[test]
    fn parts_tell_each_other() {
        let joined = Int::constant(I32, 4).join(&Int::constant(I32, 12), I32);
        assert_eq!((joined.low, joined.high), (4, 12));
        assert_eq!((joined.modulus, joined.residue), (8, 4));
        let odd = Int { low: 0, modulus: 2, residue: 1, ..Int::any(U8) }.reduced(U8).unwrap();
        assert_eq!((odd.low, odd.high, odd.known, odd.ones), (1, 255, 1, 1));
    }

    #[test]
    fn an_impossible_product_is_empty() {
        let even = Int { modulus: 2, residue: 0, ..Int::any(U8) };
        let odd = Int { modulus: 2, residue: 1, ..Int::any(U8) };
        assert_eq!(even.meet(&odd, U8), None);
        assert_eq!(Int::range(U8, 5, 4), None);
    }

    #[test]
    fn widening_stops_at_thresholds() {
        let (old, new) = (Int::range(I32, 0, 3).unwrap(), Int::range(I32, 0, 4).unwrap());
        assert_eq!(old.widen(&new, I32, &[-1, 0, 10, 99]).high, 10);
        assert_eq!(old.widen(&new, I32, &[]).high, I32.max());
        assert_eq!(old.widen(&new, I32, &[]).low, 0);
    }

    #[test]
    fn what_wraps_keeps_powers_of_two() {
        let wrapped = Int::wrapped(U8, 200, 300, (6, 2)).unwrap();
        assert_eq!((wrapped.modulus, wrapped.residue), (2, 0));
        let moved = Int::wrapped(U8, 256, 260, (1, 0)).unwrap();
        assert_eq!((moved.low, moved.high), (0, 4));
    }
}
