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

/// The best length for each set of a few marks: where there are many pairs, most of them say the same.
struct Table {
    /// The marks in use.
    marks: Vec<Marks>,
    best: Vec<u32>,
}

/// Tables have at most two to the power of so many entries.
const MOST_IN_TABLE: u32 = 12;
/// With fewer pairs, a table does not pay.
const FEW_PAIRS: usize = 64;

impl Table {
    /// A table for the marks of some weights, if they are few.
    fn new(weights: [&TouchedWeight; 2]) -> Option<Self> {
        let pairs = weights.iter().flat_map(|w| &w.0);
        let used = pairs.fold(0, |used, (marks, _)| used | marks);
        if used.count_ones() > MOST_IN_TABLE {
            return None;
        }
        let marks: Vec<Marks> =
            (0..Marks::BITS).map(|i| 1 << i).filter(|m| used & m != 0).collect();
        Some(Self { best: vec![u32::MAX; 1 << marks.len()], marks })
    }

    fn index(&self, marks: Marks) -> usize {
        let bits = self.marks.iter().enumerate();
        bits.fold(0, |index, (i, m)| index | usize::from(marks & m != 0) << i)
    }

    fn indexed(&self, weight: &TouchedWeight) -> Vec<(usize, u32)> {
        weight.0.iter().map(|&(marks, length)| (self.index(marks), length)).collect()
    }

    fn add(&mut self, index: usize, length: u32) {
        self.best[index] = self.best[index].min(length);
    }

    /// The pairs that are not worse than others.
    fn weight(self) -> TouchedWeight {
        // The best length for each set or a larger one.
        let mut at_least = self.best.clone();
        for i in 0..self.marks.len() {
            for index in (0..at_least.len()).filter(|index| index >> i & 1 == 0) {
                at_least[index] = at_least[index].min(at_least[index | 1 << i]);
            }
        }
        let kept = |index: &usize| {
            let mut larger = (0..self.marks.len()).filter(|i| index >> i & 1 == 0);
            self.best[*index] != u32::MAX
                && larger.all(|i| at_least[index | 1 << i] > self.best[*index])
        };
        let marks = |index: usize| {
            let set = self.marks.iter().enumerate().filter(|(i, _)| index >> i & 1 == 1);
            set.fold(0, |all, (_, m)| all | m)
        };
        let kept = (0..self.best.len()).filter(kept);
        TouchedWeight(kept.map(|index| (marks(index), self.best[index])).collect())
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
        let table = if a.0.len() + b.0.len() > FEW_PAIRS { Table::new([a, b]) } else { None };
        if let Some(mut table) = table {
            for (index, length) in table.indexed(a).into_iter().chain(table.indexed(b)) {
                table.add(index, length);
            }
            return Ok(table.weight());
        }
        Ok(TouchedWeight::of(a.0.iter().chain(&b.0).copied().collect()))
    }

    fn extend(&self, a: &TouchedWeight, b: &TouchedWeight) -> Weighing<TouchedWeight> {
        let table = if a.0.len() * b.0.len() > FEW_PAIRS { Table::new([a, b]) } else { None };
        if let Some(mut table) = table {
            let (first, second) = (table.indexed(a), table.indexed(b));
            for &(x, length) in &first {
                for &(y, more) in &second {
                    table.add(x | y, length.saturating_add(more));
                }
            }
            return Ok(table.weight());
        }
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

    /// Tables against the plain way, on weights with many pairs.
    #[test]
    fn tables_say_the_same() {
        let mut seed = 7u32;
        let mut random = move |bound: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % bound
        };
        for round in 0..60 {
            // Six marks that are not neighbours.
            let spread = |bits: u32| (0..6).map(|i| (bits >> i & 1) << (5 * i + round % 5)).sum();
            let mut weight = |count: u32| {
                let pairs = (0..count).map(|_| {
                    let bits: u32 = random(64);
                    (spread(bits), random(40) + 3 * bits.count_ones())
                });
                TouchedWeight::of(pairs.collect())
            };
            let (a, b) = (weight(150), weight(150));
            let sums = a.0.iter().flat_map(|x| b.0.iter().map(move |y| (x.0 | y.0, x.1 + y.1)));
            assert_eq!(Touched.extend(&a, &b).unwrap(), TouchedWeight::of(sums.collect()));
            let all = a.0.iter().chain(&b.0).copied().collect();
            let mut table = Table::new([&a, &b]).unwrap();
            for (index, length) in table.indexed(&a).into_iter().chain(table.indexed(&b)) {
                table.add(index, length);
            }
            assert_eq!(table.weight(), TouchedWeight::of(all));
        }
    }

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
