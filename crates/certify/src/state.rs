//! What is known at a place: a condition and the values of everything, as terms over the values at
//! the start of the block.
//!
//! Where paths meet, values that differ become conditionals of the conditions under which they are
//! reached, so that a block without loops is one state at each of its places, however many paths it
//! has.

use std::collections::BTreeMap;

use gnomon_ir::program::{FuncId, VarId};
use gnomon_logic::{Term, Terms};

use crate::parts::PartId;

/// Something that holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// A scalar variable whose address is never taken.
    Plain(VarId),
    /// The bytes of a record or array whose address is never taken, by offset.
    Bytes(VarId),
    /// A part of what pointers reach, by address.
    Memory(PartId),
    /// The next address that is handed out.
    HeapEnd,
    /// 1 at the addresses where allocated objects begin, for proofs that speak of them.
    Begins,
    /// What a function is returning: a scalar.
    Result(FuncId),
    /// What a function is returning: the bytes of a record.
    ResultBytes(FuncId),
}

/// A state.
#[derive(Clone, Debug)]
pub struct State {
    /// The condition under which this is reached, a Boolean term.
    pub condition: Term,
    /// The values that are not those of the start of the block.
    pub values: BTreeMap<Slot, Term>,
}

impl State {
    /// Of all states at the start of a block.
    pub fn new(terms: &Terms) -> Self {
        Self { condition: terms.tt(), values: BTreeMap::new() }
    }

    /// Goes on only if a condition holds.
    pub fn assume(&mut self, terms: &mut Terms, condition: Term) {
        self.condition = terms.and2(self.condition, condition);
    }
}

/// The values at the start of a block, made when they are first asked for.
#[derive(Debug, Default)]
pub struct Beginning {
    values: BTreeMap<Slot, Term>,
}

impl Beginning {
    /// The value of a slot; `make` makes a new one.
    pub fn get(&mut self, slot: Slot, make: impl FnOnce() -> Term) -> Term {
        *self.values.entry(slot).or_insert_with(make)
    }

    /// Fixes the value of a slot at the start.
    pub fn set(&mut self, slot: Slot, value: Term) {
        self.values.insert(slot, value);
    }

    /// The value, if it was asked for.
    pub fn known(&self, slot: Slot) -> Option<Term> {
        self.values.get(&slot).copied()
    }
}

/// The states of two paths as one. `of` gives the value at the start of the block.
pub fn merge(
    terms: &mut Terms,
    one: State,
    other: State,
    mut of: impl FnMut(&mut Terms, Slot) -> Term,
) -> State {
    let mut values = BTreeMap::new();
    let slots: Vec<Slot> = one.values.keys().chain(other.values.keys()).copied().collect();
    for slot in slots {
        if values.contains_key(&slot) {
            continue;
        }
        let a = one.values.get(&slot).copied().unwrap_or_else(|| of(terms, slot));
        let b = other.values.get(&slot).copied().unwrap_or_else(|| of(terms, slot));
        let value = if a == b { a } else { terms.ite(one.condition, a, b) };
        values.insert(slot, value);
    }
    State { condition: terms.or2(one.condition, other.condition), values }
}
