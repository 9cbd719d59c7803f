//! Sets of small numbers as sorted vectors of 64-bit words: what points-to sets and the summaries
//! of functions are made of. Numbers that belong together (the cells of an object) are neighbours
//! and share words, so that most sets take a few words, and union, difference and intersection
//! are merges.

/// A set of `u32`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SparseSet {
    /// `(number / 64, bits)`, sorted by the first, no word empty.
    words: Vec<(u32, u64)>,
}

impl SparseSet {
    /// The empty set.
    pub const fn new() -> Self {
        Self { words: Vec::new() }
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many numbers are in it.
    pub fn len(&self) -> usize {
        self.words.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    /// The number of words that it takes: what an operation on it costs.
    pub fn word_count(&self) -> usize {
        self.words.len()
    }

    /// Whether the number is in it.
    pub fn contains(&self, number: u32) -> bool {
        let found = self.words.binary_search_by_key(&(number / 64), |word| word.0);
        found.is_ok_and(|at| self.words[at].1 >> (number % 64) & 1 == 1)
    }

    /// Adds a number; whether it is new.
    pub fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = (number / 64, 1 << (number % 64));
        match self.words.last() {
            Some(last) if last.0 < word => {
                self.words.push((word, bit));
                return true;
            }
            None => {
                self.words.push((word, bit));
                return true;
            }
            _ => {}
        }
        match self.words.binary_search_by_key(&word, |word| word.0) {
            Ok(at) => {
                let old = self.words[at].1;
                self.words[at].1 = old | bit;
                old & bit == 0
            }
            Err(at) => {
                self.words.insert(at, (word, bit));
                true
            }
        }
    }

    /// Adds all of another set; whether anything is new.
    pub fn union_with(&mut self, other: &SparseSet) -> bool {
        if other.is_subset(self) {
            return false;
        }
        self.words = merge(&self.words, &other.words);
        true
    }

    /// Adds all of another set and gives what is new.
    pub fn union_difference(&mut self, other: &SparseSet) -> SparseSet {
        let new = other.without(self);
        if !new.is_empty() {
            self.words = merge(&self.words, &new.words);
        }
        new
    }

    /// What is in this set and not in the other.
    pub fn without(&self, other: &SparseSet) -> SparseSet {
        let mut rest = Vec::new();
        let mut others = other.words.iter().peekable();
        for &(word, bits) in &self.words {
            while others.next_if(|o| o.0 < word).is_some() {}
            let removed = others.peek().filter(|o| o.0 == word).map_or(0, |o| o.1);
            if bits & !removed != 0 {
                rest.push((word, bits & !removed));
            }
        }
        SparseSet { words: rest }
    }

    /// Whether all of it is in the other.
    pub fn is_subset(&self, other: &SparseSet) -> bool {
        if self.words.len() > other.words.len() {
            return false;
        }
        let mut others = other.words.iter().peekable();
        self.words.iter().all(|&(word, bits)| {
            while others.next_if(|o| o.0 < word).is_some() {}
            others.peek().is_some_and(|o| o.0 == word && bits & !o.1 == 0)
        })
    }

    /// Whether something is in both.
    pub fn intersects(&self, other: &SparseSet) -> bool {
        let mut others = other.words.iter().peekable();
        self.words.iter().any(|&(word, bits)| {
            while others.next_if(|o| o.0 < word).is_some() {}
            others.peek().is_some_and(|o| o.0 == word && bits & o.1 != 0)
        })
    }

    /// Removes the numbers for which `keep` is false.
    pub fn retain(&mut self, mut keep: impl FnMut(u32) -> bool) {
        self.words.retain_mut(|(word, bits)| {
            for bit in ones(*bits) {
                if !keep(*word * 64 + bit) {
                    *bits &= !(1 << bit);
                }
            }
            *bits != 0
        });
    }

    /// The numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().flat_map(|&(word, bits)| ones(bits).map(move |bit| word * 64 + bit))
    }

    /// The number, if there is exactly one.
    pub fn single(&self) -> Option<u32> {
        match self.words[..] {
            [(word, bits)] if bits.is_power_of_two() => Some(word * 64 + bits.trailing_zeros()),
            _ => None,
        }
    }
}

fn ones(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let bit = bits.trailing_zeros();
            bits &= bits - 1;
            bit
        })
    })
}

fn merge(a: &[(u32, u64)], b: &[(u32, u64)]) -> Vec<(u32, u64)> {
    let mut merged = Vec::with_capacity(a.len().max(b.len()));
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].0.cmp(&b[j].0) {
            std::cmp::Ordering::Less => {
                merged.push(a[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                merged.push(b[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                merged.push((a[i].0, a[i].1 | b[j].1));
                i += 1;
                j += 1;
            }
        }
    }
    merged.extend_from_slice(&a[i..]);
    merged.extend_from_slice(&b[j..]);
    merged
}

impl FromIterator<u32> for SparseSet {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut set = SparseSet::new();
        set.extend(numbers);
        set
    }
}

impl Extend<u32> for SparseSet {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, numbers: I) {
        for number in numbers {
            self.insert(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A small deterministic generator: numbers that cluster as cells of objects do.
    fn numbers(seed: u64, count: usize) -> Vec<u32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as u32 % 700
            })
            .collect()
    }

    #[test]
    fn agrees_with_ordered_sets() {
        for seed in 0..200 {
            let (a, b) = (numbers(seed, 1 + seed as usize % 40), numbers(seed + 1000, 30));
            let (x, y): (SparseSet, SparseSet) =
                (a.iter().copied().collect(), b.iter().copied().collect());
            let (p, q): (BTreeSet<u32>, BTreeSet<u32>) =
                (a.into_iter().collect(), b.into_iter().collect());
            assert_eq!(x.len(), p.len());
            assert!(x.iter().eq(p.iter().copied()));
            assert!(x.without(&y).iter().eq(p.difference(&q).copied()));
            assert_eq!(x.intersects(&y), !p.is_disjoint(&q));
            assert_eq!(x.is_subset(&y), p.is_subset(&q));
            let mut union = x.clone();
            let new = union.union_difference(&y);
            assert!(union.iter().eq(p.union(&q).copied()));
            assert!(new.iter().eq(q.difference(&p).copied()));
            assert!(!union.union_with(&x) && !union.union_with(&y));
            let mut odd = x.clone();
            odd.retain(|n| n % 2 == 1);
            assert!(odd.iter().eq(p.iter().copied().filter(|n| n % 2 == 1)));
        }
    }
}
