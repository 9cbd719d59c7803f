//! What is known at a place: a condition and the values of everything, as terms over the values at
//! the start of the block.
//!
//! Where paths meet, values that differ become conditionals of the conditions under which they are
//! reached, so that a block without loops is one state at each of its places, however many paths it
//! has.

use std::collections::BTreeMap;

use gnomon_ir::program::{FuncId, VarId};
use gnomon_logic::{Integer, Op, Term, Terms};

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

    /// The first slot with such a value.
    pub fn slot_with(&self, is_it: impl Fn(Term) -> bool) -> Option<Slot> {
        self.values.iter().find(|(_, value)| is_it(**value)).map(|(slot, _)| *slot)
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
        let value = match a == b {
            true => a,
            false => match element_by_element(terms, one.condition, a, b) {
                Some(array) => array,
                None => terms.ite(one.condition, a, b),
            },
        };
        values.insert(slot, value);
    }
    State { condition: terms.or2(one.condition, other.condition), values }
}

/// With more elements, arrays meet as a whole.
const MAX_ELEMENTS: usize = 512;

/// What was stored at places: the index and the value, by the number of the index.
type Elements = BTreeMap<Integer, (Term, Term)>;

/// Two arrays that differ from a third at known places only, as one that differs from it there: no
/// conditional of arrays, which solvers find hard. `None` for others.
fn element_by_element(terms: &mut Terms, condition: Term, a: Term, b: Term) -> Option<Term> {
    let (base, of_a) = elements(terms, a)?;
    let (other, of_b) = elements(terms, b)?;
    if base != other || of_a.len() + of_b.len() == 0 {
        return None;
    }
    let indices: BTreeMap<Integer, Term> =
        of_a.iter().chain(&of_b).map(|(at, (index, _))| (at.clone(), *index)).collect();
    let mut merged = base;
    for (at, index) in indices {
        let mut of = |elements: &Elements| match elements.get(&at) {
            Some((_, value)) => *value,
            None => terms.select(base, index),
        };
        let (x, y) = (of(&of_a), of(&of_b));
        let value = if x == y { x } else { terms.ite(condition, x, y) };
        merged = terms.store(merged, index, value);
    }
    Some(merged)
}

/// What was stored last at known places of an array, by place, and the array below.
fn elements(terms: &Terms, mut array: Term) -> Option<(Term, Elements)> {
    let mut found = Elements::new();
    while terms.op(array) == Op::Store {
        let &[below, index, value] = terms.args(array) else { return None };
        // What is below a store at an unknown place is no element any more.
        let Some(at) = terms.value(index) else { break };
        found.entry(at.clone()).or_insert((index, value));
        array = below;
        if found.len() > MAX_ELEMENTS {
            return None;
        }
    }
    Some((array, found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_logic::Sort;

    #[test]
    fn arrays_that_differ_at_known_places_meet_element_by_element() {
        let mut terms = Terms::new();
        let sort = terms.array_sort(Sort::BitVec(64), Sort::BitVec(8));
        let [memory, other] = ["m", "n"].map(|name| {
            let variable = terms.fresh_variable(name, sort);
            terms.var(variable)
        });
        let condition = terms.fresh_variable("c", Sort::Bool);
        let condition = terms.var(condition);
        let [one, two, three] = [1, 2, 3].map(|at| terms.bv(at, 64));
        let [x, y] = [10, 20].map(|value| terms.bv(value, 8));
        let a = terms.store(memory, one, x);
        let a = terms.store(a, two, x);
        let b = terms.store(memory, two, y);
        let merged = element_by_element(&mut terms, condition, a, b).expect("the same base");
        let at_two = terms.select(merged, two);
        let chosen = terms.ite(condition, x, y);
        assert_eq!(at_two, chosen);
        let (at_one, before) = (terms.select(merged, one), terms.select(memory, one));
        assert_eq!(at_one, terms.ite(condition, x, before));
        assert_eq!(terms.select(merged, three), terms.select(memory, three));
        let elsewhere = terms.store(other, two, y);
        assert_eq!(element_by_element(&mut terms, condition, a, elsewhere), None);
    }
}
