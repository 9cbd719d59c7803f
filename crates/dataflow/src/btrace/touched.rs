//! The weights of BTRACE: which of some marked points paths touch, and how long the shortest such
//! path is (LAL 1.3.1 and 4.3).
//!
//! A weight is a set of pairs of touched points and length. A pair is left out if another one touches
//! at least the same points and is not longer: whatever path follows, the other one is better.

use gnomon_wpds::Semiring;
use gnomon_wpds::semiring::Weighing;

use crate::kept::{WrittenWeights, put_number, take_number};

/// How many points can be marked.
pub const MOST_MARKS: usize = 32;

/// Points as bits.
pub type Marks = u32;

/// The domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touched;

/// Pairs of touched points and length, none better than another, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TouchedWeight(Vec<(Marks, u32)>);

impl TouchedWeight {
    /// One path.
    pub fn path(marks: Marks, length: u32) -> Self {
        Self(vec![(marks, length)])
    }

    /// The pairs.
    pub fn pairs(&self) -> &[(Marks, u32)] {
        &self.0
    }

    /// The pair that touches the most points on top of `already`, the shortest of these.
    pub fn best(&self, already: Marks) -> Option<(Marks, u32)> {
        let order = |&(marks, length): &(Marks, u32)| {
            (std::cmp::Reverse((already | marks).count_ones()), length, marks)
        };
        self.0.iter().copied().min_by_key(order)
    }

    fn of(mut pairs: Vec<(Marks, u32)>) -> Self {
        // By length: what comes later can only be kept if it touches more.
        pairs.sort_unstable_by_key(|&(marks, length)| {
            (length, std::cmp::Reverse(marks.count_ones()), marks)
        });
        pairs.dedup();
        let mut kept: Vec<(Marks, u32)> = Vec::new();
        for (marks, length) in pairs {
            if !kept.iter().any(|(known, _)| known & marks == marks) {
                kept.push((marks, length));
            }
        }
        kept.sort_unstable();
        Self(kept)
    }
}

impl Semiring for Touched {
    type Weight = TouchedWeight;

    fn zero(&self) -> TouchedWeight {
        TouchedWeight::default()
    }

    fn one(&self) -> TouchedWeight {
        TouchedWeight::path(0, 0)
    }

    fn combine(&self, a: &TouchedWeight, b: &TouchedWeight) -> Weighing<TouchedWeight> {
        if a == b {
            return Ok(a.clone());
        }
        Ok(TouchedWeight::of(a.0.iter().chain(&b.0).copied().collect()))
    }

    fn extend(&self, a: &TouchedWeight, b: &TouchedWeight) -> Weighing<TouchedWeight> {
        let pairs =
            a.0.iter().flat_map(|x| b.0.iter().map(move |y| (x.0 | y.0, x.1.saturating_add(y.1))));
        Ok(TouchedWeight::of(pairs.collect()))
    }
}

impl WrittenWeights for Touched {
    fn write(&self, weight: &TouchedWeight, out: &mut Vec<u8>) {
        put_number(weight.0.len(), out);
        for (marks, length) in &weight.0 {
            out.extend(marks.to_le_bytes());
            out.extend(length.to_le_bytes());
        }
    }

    fn read(&self, from: &mut &[u8]) -> Option<TouchedWeight> {
        let count = take_number(from)?;
        let mut pair = || Some((take_number(from)? as Marks, take_number(from)? as u32));
        Some(TouchedWeight::of((0..count).map(|_| pair()).collect::<Option<_>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_on_all_small_weights() {
        let domain = Touched;
        let pairs = [(0, 1), (1, 1), (1, 2), (2, 1), (3, 2), (3, 4)];
        let mut weights = vec![domain.zero(), domain.one()];
        for i in 0..pairs.len() {
            for j in i..pairs.len() {
                weights.push(TouchedWeight::of(vec![pairs[i], pairs[j]]));
            }
        }
        for a in &weights {
            assert_eq!(domain.extend(a, &domain.one()).unwrap(), *a);
            assert_eq!(domain.extend(&domain.zero(), a).unwrap(), domain.zero());
            assert_eq!(domain.combine(a, a).unwrap(), *a);
            for b in &weights {
                let ab = domain.combine(a, b).unwrap();
                assert_eq!(ab, domain.combine(b, a).unwrap());
                for c in &weights {
                    let left = domain.extend(&ab, c).unwrap();
                    let (ac, bc) = (domain.extend(a, c).unwrap(), domain.extend(b, c).unwrap());
                    assert_eq!(left, domain.combine(&ac, &bc).unwrap());
                    let right = domain.extend(c, &ab).unwrap();
                    let (ca, cb) = (domain.extend(c, a).unwrap(), domain.extend(c, b).unwrap());
                    assert_eq!(right, domain.combine(&ca, &cb).unwrap());
                }
            }
        }
    }
}
