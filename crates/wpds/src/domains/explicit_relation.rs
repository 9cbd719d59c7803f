//! Relations on a small explicit set (LAL Definition 2.4.13), as bit matrices.

use std::fmt;

use crate::semiring::{RelationalSemiring, Semiring, Weighing, WeightError};

const WORD: usize = 64;

/// A relation on `0..size`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Relation {
    size: u32,
    /// Row after row, each of whole words.
    bits: Box<[u64]>,
}

/// A subset of `0..size`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoreSet {
    size: u32,
    bits: Box<[u64]>,
}

fn words(size: u32) -> usize {
    (size as usize).div_ceil(WORD)
}

impl Relation {
    /// The relation with these pairs; pairs outside the set are left out.
    pub fn new(size: u32, pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut relation =
            Self { size, bits: vec![0; words(size) * size as usize].into_boxed_slice() };
        for (a, b) in pairs {
            if a < size && b < size {
                relation.bits[a as usize * words(size) + b as usize / WORD] |=
                    1 << (b as usize % WORD);
            }
        }
        relation
    }

    /// Whether `(a, b)` is in the relation.
    pub fn contains(&self, a: u32, b: u32) -> bool {
        a < self.size
            && b < self.size
            && self.row(a)[b as usize / WORD] >> (b as usize % WORD) & 1 == 1
    }

    /// All pairs, in order.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        let all = (0..self.size).flat_map(|a| (0..self.size).map(move |b| (a, b)));
        all.filter(|&(a, b)| self.contains(a, b)).collect()
    }

    fn row(&self, a: u32) -> &[u64] {
        let width = words(self.size);
        &self.bits[a as usize * width..][..width]
    }

    fn zip(&self, other: &Self, op: impl Fn(u64, u64) -> u64) -> Self {
        let bits = self.bits.iter().zip(&other.bits).map(|(&a, &b)| op(a, b)).collect();
        Self { size: self.size, bits }
    }
}

impl fmt::Debug for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.pairs()).finish()
    }
}

impl StoreSet {
    /// The set with these elements; those outside `0..size` are left out.
    pub fn new(size: u32, elements: impl IntoIterator<Item = u32>) -> Self {
        let mut bits = vec![0; words(size)].into_boxed_slice();
        for e in elements.into_iter().filter(|&e| e < size) {
            bits[e as usize / WORD] |= 1 << (e as usize % WORD);
        }
        Self { size, bits }
    }

    /// Whether `e` is in the set.
    pub fn contains(&self, e: u32) -> bool {
        e < self.size && self.bits[e as usize / WORD] >> (e as usize % WORD) & 1 == 1
    }

    /// All elements, in order.
    pub fn elements(&self) -> Vec<u32> {
        (0..self.size).filter(|&e| self.contains(e)).collect()
    }
}

impl fmt::Debug for StoreSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.elements()).finish()
    }
}

/// The domain of all relations on `0..size`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplicitRelations {
    size: u32,
}

impl ExplicitRelations {
    /// The relations on `0..size`.
    pub fn new(size: u32) -> Self {
        Self { size }
    }

    /// The number of elements of the set.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The relation with these pairs.
    pub fn relation(&self, pairs: impl IntoIterator<Item = (u32, u32)>) -> Relation {
        Relation::new(self.size, pairs)
    }

    /// The set with these elements.
    pub fn stores(&self, elements: impl IntoIterator<Item = u32>) -> StoreSet {
        StoreSet::new(self.size, elements)
    }
}

impl Semiring for ExplicitRelations {
    type Weight = Relation;

    fn zero(&self) -> Relation {
        self.relation([])
    }

    fn one(&self) -> Relation {
        self.relation((0..self.size).map(|v| (v, v)))
    }

    fn combine(&self, a: &Relation, b: &Relation) -> Weighing<Relation> {
        Ok(a.zip(b, |x, y| x | y))
    }

    fn extend(&self, a: &Relation, b: &Relation) -> Weighing<Relation> {
        let width = words(self.size);
        let mut out = self.zero();
        for row in 0..self.size {
            for (k, &word) in a.row(row).iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    let middle = (k * WORD) as u32 + rest.trailing_zeros();
                    rest &= rest - 1;
                    let target = &mut out.bits[row as usize * width..][..width];
                    for (t, &s) in target.iter_mut().zip(b.row(middle)) {
                        *t |= s;
                    }
                }
            }
        }
        Ok(out)
    }

    fn is_zero(&self, a: &Relation) -> bool {
        a.bits.iter().all(|&w| w == 0)
    }

    fn diff(&self, a: &Relation, b: &Relation) -> Option<Weighing<Relation>> {
        Some(Ok(a.zip(b, |x, y| x & !y)))
    }

    fn admit(&self, w: &Relation) -> Weighing<()> {
        if w.size == self.size {
            return Ok(());
        }
        let what = format!("a relation on {} values in a domain of {}", w.size, self.size);
        Err(WeightError::Foreign(what))
    }
}

impl RelationalSemiring for ExplicitRelations {
    type Stores = StoreSet;

    fn transpose(&self, w: &Relation) -> Weighing<Relation> {
        Ok(self.relation(w.pairs().into_iter().map(|(a, b)| (b, a))))
    }

    fn intersect(&self, a: &Relation, b: &Relation) -> Weighing<Relation> {
        Ok(a.zip(b, |x, y| x & y))
    }

    fn full(&self) -> Relation {
        self.relation((0..self.size).flat_map(|a| (0..self.size).map(move |b| (a, b))))
    }

    fn sources(&self, w: &Relation) -> Weighing<StoreSet> {
        Ok(self.stores((0..self.size).filter(|&a| w.row(a).iter().any(|&word| word != 0))))
    }

    fn targets(&self, w: &Relation) -> Weighing<StoreSet> {
        Ok(self.stores(w.pairs().into_iter().map(|(_, b)| b)))
    }

    fn common(&self, a: &StoreSet, b: &StoreSet) -> Weighing<StoreSet> {
        Ok(self.stores(a.elements().into_iter().filter(|&e| b.contains(e))))
    }

    fn union(&self, a: &StoreSet, b: &StoreSet) -> Weighing<StoreSet> {
        Ok(self.stores(a.elements().into_iter().chain(b.elements())))
    }

    fn no_stores(&self) -> StoreSet {
        self.stores([])
    }

    fn identity_on(&self, stores: &StoreSet) -> Weighing<Relation> {
        Ok(self.relation(stores.elements().into_iter().map(|e| (e, e))))
    }
}
