//! Conditional alias pairs as weights (LAL 3.5.3).
//!
//! A weight says which pairs hold behind a path if one pair, or none, is assumed in front of it. With
//! single-level pointers one assumption at a time is enough. Most pairs come through most paths
//! unchanged, so a weight keeps what it does *not* let through: the expressions whose pairs it
//! loses, and what it makes of single pairs besides.

use std::collections::BTreeSet;

use gnomon_wpds::Semiring;
use gnomon_wpds::semiring::Weighing;

use crate::kept::{WrittenWeights, put_number, take_number};

/// An access expression: a variable, or what a pointer variable points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Access(pub u32);

/// Something that a function cannot name: the paper's dot.
pub const INVISIBLE: Access = Access(u32::MAX);

/// Two access expressions that may mean the same object; the smaller first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair(Access, Access);

impl Pair {
    /// The pair of two expressions, in order.
    pub fn new(a: Access, b: Access) -> Self {
        if a <= b { Self(a, b) } else { Self(b, a) }
    }

    /// Both expressions.
    pub fn both(self) -> [Access; 2] {
        [self.0, self.1]
    }
}

/// What a path makes of alias pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AliasWeight {
    /// There is no path.
    None,
    /// There is one.
    Some {
        /// Pairs that hold behind it, whatever held before: the paper's `w(⊥)`.
        generated: BTreeSet<Pair>,
        /// What becomes of a single pair: `(before, after)`.
        moved: BTreeSet<(Pair, Pair)>,
    },
}

/// The domain: pairs of `count` access expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AliasPairs {
    count: u32,
}

impl AliasPairs {
    /// Pairs of the first `count` access expressions and the invisible one.
    pub fn new(count: u32) -> Self {
        Self { count }
    }

    /// All pairs of different expressions.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> + use<> {
        let count = self.count;
        let second = move |a: u32| (a + 1..count).map(Access).chain([INVISIBLE]);
        (0..count).flat_map(move |a| second(a).map(move |b| Pair::new(Access(a), b)))
    }

    /// A weight by what it makes of each pair, and what it generates.
    pub fn weight(
        &self,
        generated: impl IntoIterator<Item = Pair>,
        image: impl Fn(Pair) -> Vec<Pair>,
    ) -> AliasWeight {
        let moved = self.pairs().flat_map(|p| image(p).into_iter().map(move |q| (p, q)));
        AliasWeight::Some { generated: generated.into_iter().collect(), moved: moved.collect() }
    }
}

impl AliasWeight {
    /// The pairs that hold if none is assumed.
    pub fn generated(&self) -> BTreeSet<Pair> {
        match self {
            AliasWeight::None => BTreeSet::new(),
            AliasWeight::Some { generated, .. } => generated.clone(),
        }
    }

    /// The pairs that follow from one pair, besides those that always hold.
    pub fn image(&self, pair: Pair) -> impl Iterator<Item = Pair> {
        let moved = match self {
            AliasWeight::None => None,
            AliasWeight::Some { moved, .. } => Some(moved),
        };
        let least = Pair(Access(0), Access(0));
        let greatest = Pair(INVISIBLE, INVISIBLE);
        moved.into_iter().flat_map(move |m| m.range((pair, least)..=(pair, greatest))).map(|m| m.1)
    }
}

impl Semiring for AliasPairs {
    type Weight = AliasWeight;

    fn zero(&self) -> AliasWeight {
        AliasWeight::None
    }

    fn one(&self) -> AliasWeight {
        self.weight([], |pair| vec![pair])
    }

    fn combine(&self, a: &AliasWeight, b: &AliasWeight) -> Weighing<AliasWeight> {
        Ok(match (a, b) {
            (AliasWeight::None, other) | (other, AliasWeight::None) => other.clone(),
            (
                AliasWeight::Some { generated: g, moved: m },
                AliasWeight::Some { generated: h, moved: n },
            ) => AliasWeight::Some { generated: g | h, moved: m | n },
        })
    }

    fn extend(&self, a: &AliasWeight, b: &AliasWeight) -> Weighing<AliasWeight> {
        let (AliasWeight::Some { generated: first, moved }, AliasWeight::Some { generated, .. }) =
            (a, b)
        else {
            return Ok(AliasWeight::None);
        };
        let mut all = generated.clone();
        all.extend(first.iter().flat_map(|&pair| b.image(pair)));
        let both = moved.iter().flat_map(|&(from, pair)| b.image(pair).map(move |to| (from, to)));
        Ok(AliasWeight::Some { generated: all, moved: both.collect() })
    }
}

fn write_pair(pair: Pair, out: &mut Vec<u8>) {
    pair.both().iter().for_each(|access| out.extend(access.0.to_le_bytes()));
}

fn read_pair(from: &mut &[u8]) -> Option<Pair> {
    let mut access = || Some(Access(take_number(from)? as u32));
    Some(Pair::new(access()?, access()?))
}

impl WrittenWeights for AliasPairs {
    fn write(&self, weight: &AliasWeight, out: &mut Vec<u8>) {
        match weight {
            AliasWeight::None => out.push(0),
            AliasWeight::Some { generated, moved } => {
                out.push(1);
                put_number(generated.len(), out);
                generated.iter().for_each(|pair| write_pair(*pair, out));
                put_number(moved.len(), out);
                for (before, after) in moved {
                    write_pair(*before, out);
                    write_pair(*after, out);
                }
            }
        }
    }

    fn read(&self, from: &mut &[u8]) -> Option<AliasWeight> {
        let (kind, rest) = from.split_first()?;
        *from = rest;
        match kind {
            0 => Some(AliasWeight::None),
            1 => {
                let count = take_number(from)?;
                let generated = (0..count).map(|_| read_pair(from)).collect::<Option<_>>()?;
                let count = take_number(from)?;
                let mut both = || Some((read_pair(from)?, read_pair(from)?));
                let moved = (0..count).map(|_| both()).collect::<Option<_>>()?;
                Some(AliasWeight::Some { generated, moved })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws() {
        let domain = AliasPairs::new(3);
        let [ab, ac, bc] = [(0, 1), (0, 2), (1, 2)].map(|(a, b)| Pair::new(Access(a), Access(b)));
        let weights = [
            domain.zero(),
            domain.one(),
            domain.weight([ab], |_| Vec::new()),
            domain.weight([], |p| if p == ab { vec![ac, bc] } else { vec![p] }),
            domain.weight([bc], |p| if p == bc { vec![] } else { vec![p, ab] }),
        ];
        for a in &weights {
            assert_eq!(domain.extend(a, &domain.one()).unwrap(), *a);
            assert_eq!(domain.extend(&domain.one(), a).unwrap(), *a);
            for b in &weights {
                let sum = domain.combine(a, b).unwrap();
                for c in &weights {
                    let (ac, bc) = (domain.extend(a, c).unwrap(), domain.extend(b, c).unwrap());
                    assert_eq!(domain.extend(&sum, c).unwrap(), domain.combine(&ac, &bc).unwrap());
                    let (ca, cb) = (domain.extend(c, a).unwrap(), domain.extend(c, b).unwrap());
                    assert_eq!(domain.extend(c, &sum).unwrap(), domain.combine(&ca, &cb).unwrap());
                    let left = domain.extend(&domain.extend(a, b).unwrap(), c).unwrap();
                    let right = domain.extend(a, &domain.extend(b, c).unwrap()).unwrap();
                    assert_eq!(left, right);
                }
            }
        }
    }
}
