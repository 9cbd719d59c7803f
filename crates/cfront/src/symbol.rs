//! Interned names.
//!
//! Identifiers, attribute names and the spelling of floating constants are stored once and named by
//! a [`Symbol`]. Symbols are numbered in the order of first use, so the numbering depends on the
//! text alone. The table is our own open-addressing one over a single text buffer: the lexer looks
//! up every identifier of the file, and one probe without allocation is what that costs.

use std::fmt;
use std::hash::Hasher;
use std::num::NonZeroU32;

use rustc_hash::FxHasher;

/// An interned name; compare symbols instead of strings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(NonZeroU32);

impl Symbol {
    /// Position in the order of first use, for tables indexed by symbol.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    fn from_index(index: usize) -> Symbol {
        // There are fewer names than bytes of text, of which there are less than 2^32 - 1.
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        Symbol(NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN))
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sym{}", self.index())
    }
}

/// The names of one translation unit.
#[derive(Clone, Debug)]
pub struct Interner {
    text: String,
    /// `ends[i]` is where name `i` ends in `text`; it starts where name `i - 1` ends.
    ends: Vec<u32>,
    hashes: Vec<u32>,
    /// Symbol number + 1, or 0 for a free slot; the length is a power of two.
    slots: Vec<u32>,
}

impl Default for Interner {
    fn default() -> Self {
        Interner { text: String::new(), ends: Vec::new(), hashes: Vec::new(), slots: vec![0; 1024] }
    }
}

fn hash_of(name: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(name);
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as u32
}

impl Interner {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbol of `name`, made on first use.
    pub fn intern(&mut self, name: &str) -> Symbol {
        let hash = hash_of(name.as_bytes());
        match self.probe(name.as_bytes(), hash) {
            Ok(found) => found,
            Err(slot) => self.insert(name, hash, slot),
        }
    }

    /// The symbol of a name that is given as bytes; `None` if they are not UTF-8.
    pub(crate) fn intern_bytes(&mut self, name: &[u8]) -> Option<Symbol> {
        let hash = hash_of(name);
        match self.probe(name, hash) {
            Ok(found) => Some(found),
            // Only new names need the check for UTF-8.
            Err(slot) => Some(self.insert(std::str::from_utf8(name).ok()?, hash, slot)),
        }
    }

    fn insert(&mut self, name: &str, hash: u32, slot: usize) -> Symbol {
        let symbol = Symbol::from_index(self.ends.len());
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
        self.hashes.push(hash);
        self.slots[slot] = symbol.0.get();
        if self.ends.len() * 2 > self.slots.len() {
            self.grow();
        }
        symbol
    }

    /// The symbol of `name` if it has been interned.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.probe(name.as_bytes(), hash_of(name.as_bytes())).ok()
    }

    /// The text of `symbol`. A symbol of another interner gives an arbitrary name or "".
    pub fn name(&self, symbol: Symbol) -> &str {
        let index = symbol.index();
        let Some(&end) = self.ends.get(index) else { return "" };
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start as usize..end as usize]
    }

    /// Number of different names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing has been interned.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The symbol, or the free slot where it belongs.
    fn probe(&self, name: &[u8], hash: u32) -> Result<Symbol, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                entry => {
                    let symbol = Symbol::from_index(entry as usize - 1);
                    if self.hashes[symbol.index()] == hash && self.name(symbol).as_bytes() == name {
                        return Ok(symbol);
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![0; mask + 1];
        for (index, &hash) in self.hashes.iter().enumerate() {
            let mut slot = hash as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = index as u32 + 1;
        }
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_growth_and_are_numbered_in_order() {
        let mut interner = Interner::new();
        let symbols: Vec<Symbol> =
            (0..5000).map(|i| interner.intern(&format!("name{i}"))).collect();
        for (i, &symbol) in symbols.iter().enumerate() {
            assert_eq!(symbol.index(), i);
            assert_eq!(interner.name(symbol), format!("name{i}"));
            assert_eq!(interner.intern(&format!("name{i}")), symbol);
        }
        assert_eq!(interner.len(), 5000);
        assert_eq!(interner.get("absent"), None);
    }
}
