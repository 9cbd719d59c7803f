//! Weights that are kept between runs, keyed by content (LAL 4.2.3).
//!
//! What a procedure does to weights depends on its own steps and on what its callees do. The solver
//! writes exactly that down ([`WeightStore`]), and the solution is kept under the SHA-256 of it. So an
//! entry never becomes wrong, whatever is edited: it is found again by the same equations only. Where
//! the entries lie is for the caller to say ([`Shelf`]).

use std::sync::atomic::{AtomicU64, Ordering};

use gnomon_budget::Budget;
use gnomon_wpds::domains::affine::{AffineRelations, Module, Scalars};
use gnomon_wpds::{Semiring, WeightStore};
use sha2::{Digest, Sha256};

/// A place for entries, by name. Losing entries is no error.
pub trait Shelf: Send + Sync {
    /// The entry of a name.
    fn get(&self, name: &str) -> Option<Vec<u8>>;

    /// Puts an entry there.
    fn put(&self, name: &str, content: &[u8]);
}

/// Weights that can be written down and read again.
pub trait WrittenWeights: Semiring {
    /// Writes a weight: different weights differ, and none is the beginning of another.
    fn write(&self, weight: &Self::Weight, out: &mut Vec<u8>);

    /// Takes a weight from the front; nothing if it is none.
    fn read(&self, from: &mut &[u8]) -> Option<Self::Weight>;
}

/// Changes when weights, or what the analyses mean by them, change.
const FORMAT: u32 = 1;

/// The weights of one analysis on a shelf.
pub struct Kept<'s, S> {
    shelf: &'s dyn Shelf,
    /// Everything that weights depend on besides the equations.
    analysis: String,
    domain: S,
    recalled: AtomicU64,
    solved: AtomicU64,
}

impl<'s, S: WrittenWeights> Kept<'s, S> {
    /// The weights of an analysis: `analysis` names it, with all parameters that matter.
    pub fn new(shelf: &'s dyn Shelf, analysis: &str, domain: S) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let analysis = format!("gnomon {version} {FORMAT} {analysis}");
        let (recalled, solved) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { shelf, analysis, domain, recalled, solved }
    }

    /// How many solutions were found on the shelf, and how many had to be computed.
    pub fn counts(&self) -> (u64, u64) {
        (self.recalled.load(Ordering::Relaxed), self.solved.load(Ordering::Relaxed))
    }

    /// Tells how many solutions were found.
    pub fn report(&self, budget: &Budget) {
        let (recalled, solved) = self.counts();
        budget.report(
            "cache",
            format_args!("{recalled} groups of procedures recalled, {solved} solved"),
        );
    }

    fn name(&self, key: &[u8]) -> String {
        let mut hasher = Sha256::new();
        hasher.update((self.analysis.len() as u64).to_le_bytes());
        hasher.update(self.analysis.as_bytes());
        hasher.update(key);
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn entry(&self, content: &[u8]) -> Option<Vec<S::Weight>> {
        // A checksum in front: entries can be cut short or damaged.
        let (checksum, mut rest) = content.split_first_chunk::<32>()?;
        if Sha256::digest(rest).as_slice() != checksum {
            return None;
        }
        let count = take_number(&mut rest)?;
        let weights = (0..count).map(|_| self.domain.read(&mut rest)).collect::<Option<Vec<_>>>();
        weights.filter(|_| rest.is_empty())
    }
}

impl<S: WrittenWeights> WeightStore<S::Weight> for Kept<'_, S> {
    fn describe(&self, weight: &S::Weight, out: &mut Vec<u8>) {
        self.domain.write(weight, out);
    }

    fn recall(&self, key: &[u8]) -> Option<Vec<S::Weight>> {
        let found = self.shelf.get(&self.name(key)).and_then(|content| self.entry(&content));
        let count = if found.is_some() { &self.recalled } else { &self.solved };
        count.fetch_add(1, Ordering::Relaxed);
        found
    }

    fn keep(&self, key: &[u8], weights: &[S::Weight]) {
        let mut content = Vec::new();
        put_number(weights.len(), &mut content);
        weights.iter().for_each(|weight| self.domain.write(weight, &mut content));
        let mut whole = Sha256::digest(&content).to_vec();
        whole.append(&mut content);
        self.shelf.put(&self.name(key), &whole);
    }
}

/// Writes a count or an index.
pub(crate) fn put_number(number: usize, out: &mut Vec<u8>) {
    out.extend((number as u32).to_le_bytes());
}

/// Takes a count or an index from the front.
pub(crate) fn take_number(from: &mut &[u8]) -> Option<usize> {
    let (first, rest) = from.split_first_chunk()?;
    *from = rest;
    Some(u32::from_le_bytes(*first) as usize)
}

impl<R: Scalars> WrittenWeights for AffineRelations<R> {
    /// The generators without their zeros.
    fn write(&self, weight: &Self::Weight, out: &mut Vec<u8>) {
        let generators: Vec<_> = weight.generators().collect();
        put_number(generators.len(), out);
        for entries in generators {
            let numbers = || entries.iter().enumerate().filter(|(_, n)| !self.numbers().is_zero(n));
            put_number(entries.len(), out);
            put_number(numbers().count(), out);
            for (place, number) in numbers() {
                put_number(place, out);
                self.numbers().write(number, out);
            }
        }
    }

    fn read(&self, from: &mut &[u8]) -> Option<Self::Weight> {
        let ring = self.numbers();
        let length = (self.variable_count() + 1) * (self.variable_count() + 1);
        let count = take_number(from)?;
        let mut generators = Vec::new();
        for _ in 0..count {
            if take_number(from)? != length {
                return None;
            }
            let mut entries = vec![ring.zero(); length];
            for _ in 0..take_number(from)? {
                let entry = entries.get_mut(take_number(from)?)?;
                *entry = ring.read(from)?;
            }
            generators.push(entries);
        }
        Some(Module::generated(ring, generators))
    }
}
