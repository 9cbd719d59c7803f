//! Sets of bit patterns as ranges: which values a symbol may have.
//!
//! Patterns are compared as unsigned numbers, so a signed comparison is two ranges. A set with too
//! many ranges is made larger, never smaller.

use gnomon_ir::expr::{BinaryOp, Bits};
use gnomon_ir::ops::{Scalar, truncate};

/// More ranges than this are not kept apart.
const MAX_PARTS: usize = 16;

/// A set of bit patterns: ranges with both ends, sorted, with gaps between them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ranges {
    parts: Vec<(Bits, Bits)>,
}

impl Ranges {
    /// All patterns of a width.
    pub fn full(width: u16) -> Self {
        Self { parts: vec![(0, truncate(Bits::MAX, width))] }
    }

    /// One pattern.
    pub fn single(bits: Bits) -> Self {
        Self { parts: vec![(bits, bits)] }
    }

    /// From the first to the last, both included.
    pub fn between(first: Bits, last: Bits) -> Self {
        Self { parts: if first <= last { vec![(first, last)] } else { Vec::new() } }
    }

    /// The ranges.
    pub fn parts(&self) -> &[(Bits, Bits)] {
        &self.parts
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether these are all patterns of a width.
    pub fn is_full(&self, width: u16) -> bool {
        self.parts == [(0, truncate(Bits::MAX, width))]
    }

    /// The pattern, if there is one only.
    pub fn as_single(&self) -> Option<Bits> {
        match self.parts[..] {
            [(first, last)] if first == last => Some(first),
            _ => None,
        }
    }

    /// What is in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut parts = Vec::new();
        let (mut i, mut j) = (0, 0);
        while let (Some(&(a, b)), Some(&(c, d))) = (self.parts.get(i), other.parts.get(j)) {
            if a.max(c) <= b.min(d) {
                parts.push((a.max(c), b.min(d)));
            }
            if b < d {
                i += 1;
            } else {
                j += 1;
            }
        }
        Self::of(parts)
    }

    /// Whether all of it is in the other.
    pub fn is_within(&self, other: &Self) -> bool {
        let inside = |&(a, b): &(Bits, Bits)| other.parts.iter().any(|&(c, d)| c <= a && b <= d);
        self.parts.iter().all(inside)
    }

    /// Every pattern with a number added, modulo the width.
    #[must_use]
    pub fn plus(&self, number: Bits, width: u16) -> Self {
        let greatest = truncate(Bits::MAX, width);
        let mut parts = Vec::new();
        for &(a, b) in &self.parts {
            if (a, b) == (0, greatest) {
                return Self::full(width);
            }
            let from = truncate(a.wrapping_add(number), width);
            let to = truncate(b.wrapping_add(number), width);
            if from <= to {
                parts.push((from, to));
            } else {
                parts.push((from, greatest));
                parts.push((0, to));
            }
        }
        parts.sort_unstable();
        Self::of(parts)
    }

    /// The patterns `x` of a type with `x op constant`; `None` for what is no comparison of integers.
    pub fn compared(op: BinaryOp, scalar: Scalar, constant: Bits) -> Option<Self> {
        let width = scalar.width();
        let greatest = truncate(Bits::MAX, width);
        // Half of all, added, turns the order of signed numbers into that of patterns and back.
        let half = match scalar {
            Scalar::Int { signed: true, .. } => 1 << (width - 1),
            Scalar::Int { .. } | Scalar::Bool => 0,
            Scalar::Float(_) => return None,
        };
        let at = truncate(constant.wrapping_add(half), width);
        let below = || Self::between(0, at.wrapping_sub(1));
        let above = || Self::between(at.wrapping_add(1), greatest);
        let ordered = match op {
            BinaryOp::Eq => Self::single(at),
            BinaryOp::Ne => {
                let mut parts = Vec::new();
                if at > 0 {
                    parts.push((0, at - 1));
                }
                if at < greatest {
                    parts.push((at + 1, greatest));
                }
                Self { parts }
            }
            BinaryOp::Lt if at == 0 => Self { parts: Vec::new() },
            BinaryOp::Lt => below(),
            BinaryOp::Le => Self::between(0, at),
            BinaryOp::Gt if at == greatest => Self { parts: Vec::new() },
            BinaryOp::Gt => above(),
            BinaryOp::Ge => Self::between(at, greatest),
            _ => return None,
        };
        Some(ordered.plus(half, width))
    }

    /// The patterns of `narrow` bits whose extension to `wide` bits is in the set.
    #[must_use]
    pub fn narrowed(&self, narrow: u16, wide: u16, signed: bool) -> Self {
        if !signed {
            return self.intersection(&Self::full(narrow));
        }
        let half = 1 << (narrow - 1);
        let low = self.intersection(&Self::between(0, half - 1));
        let (all, first) = (truncate(Bits::MAX, wide), truncate(Bits::MAX, narrow));
        let high = self.intersection(&Self::between(all - (half - 1), all));
        let mut parts = low.parts;
        parts.extend(high.parts.iter().map(|&(a, b)| (a - (all - first), b - (all - first))));
        Self::of(parts)
    }

    /// The extension of all patterns of `narrow` bits to `wide` bits.
    #[must_use]
    pub fn widened(&self, narrow: u16, wide: u16, signed: bool) -> Self {
        if !signed {
            return self.clone();
        }
        let half: Bits = 1 << (narrow - 1);
        let (all, first) = (truncate(Bits::MAX, wide), truncate(Bits::MAX, narrow));
        let mut parts = self.intersection(&Self::between(0, half - 1)).parts;
        let high = self.intersection(&Self::between(half, first));
        parts.extend(high.parts.iter().map(|&(a, b)| (a + (all - first), b + (all - first))));
        Self::of(parts)
    }

    /// Ranges that are sorted, with neighbours joined, and not too many.
    fn of(parts: Vec<(Bits, Bits)>) -> Self {
        let mut joined: Vec<(Bits, Bits)> = Vec::with_capacity(parts.len());
        for (a, b) in parts {
            match joined.last_mut() {
                Some((_, end)) if end.checked_add(1).is_none_or(|next| a <= next) => {
                    *end = (*end).max(b);
                }
                _ => joined.push((a, b)),
            }
        }
        while joined.len() > MAX_PARTS {
            let gap = |at: &usize| joined[*at + 1].0 - joined[*at].1;
            let Some(at) = (0..joined.len() - 1).min_by_key(gap) else { break };
            joined[at].1 = joined[at + 1].1;
            joined.remove(at + 1);
        }
        Self { parts: joined }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_ir::ops;

    /// All comparisons with all constants of a small type, as the one owner of operators has them.
    #[test]
    fn comparisons_are_those_of_the_operators() {
        let comparisons = BinaryOp::ALL.into_iter().filter(|op| op.is_comparison());
        for op in comparisons {
            for signed in [false, true] {
                let scalar = Scalar::Int { bits: 8, signed };
                for constant in 0..256u128 {
                    let found = Ranges::compared(op, scalar, constant).expect("a comparison");
                    for x in 0..256u128 {
                        let holds = ops::binary(op, scalar, x, scalar, constant) == Ok(1);
                        assert_eq!(
                            Ranges::single(x).is_within(&found),
                            holds,
                            "{x} {op:?} {constant}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn extensions_and_sums_wrap_as_bits_do() {
        for signed in [false, true] {
            let set =
                Ranges::compared(BinaryOp::Lt, Scalar::Int { bits: 16, signed }, 300).expect("");
            let narrow = set.narrowed(8, 16, signed);
            for x in 0..256u128 {
                let wide =
                    ops::cast(Scalar::Int { bits: 8, signed }, Scalar::Int { bits: 16, signed }, x);
                let is_in = Ranges::single(wide).is_within(&set);
                assert_eq!(Ranges::single(x).is_within(&narrow), is_in);
                let back = Ranges::single(x).widened(8, 16, signed);
                assert_eq!(back.as_single(), Some(wide));
            }
        }
        let moved = Ranges::between(250, 255).plus(3, 8);
        assert_eq!(moved.parts(), [(0, 2), (253, 255)]);
    }

    #[test]
    fn too_many_ranges_become_larger() {
        let mut set = Ranges::full(32);
        for at in 0..40u128 {
            let scalar = Scalar::Int { bits: 32, signed: false };
            let other = Ranges::compared(BinaryOp::Ne, scalar, at * at * 7 + 3).expect("");
            set = set.intersection(&other);
        }
        assert!(set.parts().len() <= MAX_PARTS);
        assert!(Ranges::single(5000).is_within(&set));
    }
}
