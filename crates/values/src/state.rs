//! Abstract states: what is known of the tracked scalars.
//!
//! A slot that is not in a state can hold anything. A *symbol* stands for a number that is not known;
//! slots that hold the same symbol differ by constants. A symbol has a set of possible values.

use gnomon_ir::expr::Bits;
use gnomon_ir::ops::truncate;
use gnomon_ir::program::{FuncId, VarId};

use crate::ranges::Ranges;
use crate::slots::SlotId;

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// These bits.
    Known(Bits),
    /// A symbol and a number, modulo the width.
    Symbol {
        /// The number of the symbol in its state.
        symbol: u32,
        /// What is added to it.
        add: Bits,
    },
    /// The address of a byte of a variable.
    Address(VarId, u64),
    /// The address of a function.
    Function(FuncId),
}

/// What is known of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symbol {
    /// How wide it is.
    pub width: u16,
    /// Which values it may have.
    pub ranges: Ranges,
}

/// An abstract state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct State {
    /// By slot.
    values: Vec<(SlotId, Value)>,
    symbols: Vec<Symbol>,
}

impl State {
    /// What a slot holds, if something is known.
    pub fn get(&self, slot: SlotId) -> Option<Value> {
        let at = self.values.binary_search_by_key(&slot, |(slot, _)| *slot).ok()?;
        Some(self.values[at].1)
    }

    /// All that is known, by slot.
    pub fn values(&self) -> &[(SlotId, Value)] {
        &self.values
    }

    /// A symbol.
    pub fn symbol(&self, symbol: u32) -> &Symbol {
        &self.symbols[symbol as usize]
    }

    /// A new symbol that may have these values.
    pub fn fresh(&mut self, width: u16, ranges: Ranges) -> Value {
        self.symbols.push(Symbol { width, ranges });
        Value::Symbol { symbol: self.symbols.len() as u32 - 1, add: 0 }
    }

    /// Stores a value, or forgets what was there.
    pub fn set(&mut self, slot: SlotId, value: Option<Value>) {
        match (self.values.binary_search_by_key(&slot, |(slot, _)| *slot), value) {
            (Ok(at), Some(value)) => self.values[at].1 = value,
            (Ok(at), None) => {
                self.values.remove(at);
            }
            (Err(at), Some(value)) => self.values.insert(at, (slot, value)),
            (Err(_), None) => {}
        }
    }

    /// Forgets all slots that are not kept.
    pub fn retain(&mut self, mut keep: impl FnMut(SlotId) -> bool) {
        self.values.retain(|(slot, _)| keep(*slot));
    }

    /// The slots that hold a symbol.
    pub fn holders(&self, of: u32) -> impl Iterator<Item = SlotId> {
        let holds =
            move |value: &Value| matches!(value, Value::Symbol { symbol, .. } if *symbol == of);
        self.values.iter().filter(move |(_, value)| holds(value)).map(|(slot, _)| *slot)
    }

    /// A symbol has one of these values too; whether that is possible.
    pub fn restrict(&mut self, symbol: u32, ranges: &Ranges) -> bool {
        let info = &mut self.symbols[symbol as usize];
        info.ranges = info.ranges.intersection(ranges);
        match info.ranges.as_single() {
            Some(bits) => {
                self.bind(symbol, bits);
                true
            }
            None => !self.symbols[symbol as usize].ranges.is_empty(),
        }
    }

    fn bind(&mut self, of: u32, bits: Bits) {
        let width = self.symbols[of as usize].width;
        for (_, value) in &mut self.values {
            if let Value::Symbol { symbol, add } = *value
                && symbol == of
            {
                *value = Value::Known(truncate(bits.wrapping_add(add), width));
            }
        }
    }

    /// Symbol `a` is symbol `b` plus a number; whether that is possible. They have the same width.
    pub fn unify(&mut self, a: u32, b: u32, plus: Bits) -> bool {
        let width = self.symbols[a as usize].width;
        for (_, value) in &mut self.values {
            if let Value::Symbol { symbol, add } = *value
                && symbol == a
            {
                let add = truncate(add.wrapping_add(plus), width);
                *value = Value::Symbol { symbol: b, add };
            }
        }
        let ranges = self.symbols[a as usize].ranges.plus(plus.wrapping_neg(), width);
        self.restrict(b, &ranges)
    }

    /// The state with the kept slots only, in a form that is the same for all equal states.
    #[must_use]
    pub fn canonical(&self, mut keep: impl FnMut(SlotId) -> bool) -> Self {
        let mut values: Vec<(SlotId, Value)> =
            self.values.iter().filter(|(slot, _)| keep(*slot)).copied().collect();
        let mut count = vec![0u32; self.symbols.len()];
        for (_, value) in &values {
            if let Value::Symbol { symbol, .. } = value {
                count[*symbol as usize] += 1;
            }
        }
        let says_something = |symbol: u32| {
            let info = &self.symbols[symbol as usize];
            count[symbol as usize] > 1 || !info.ranges.is_full(info.width)
        };
        values.retain(|(_, value)| match value {
            Value::Symbol { symbol, .. } => says_something(*symbol),
            _ => true,
        });
        let mut numbers: Vec<Option<(u32, Bits)>> = vec![None; self.symbols.len()];
        let mut symbols = Vec::new();
        for (_, value) in &mut values {
            let Value::Symbol { symbol, add } = *value else { continue };
            let info = &self.symbols[symbol as usize];
            let (number, base) = *numbers[symbol as usize].get_or_insert_with(|| {
                let ranges = info.ranges.plus(add, info.width);
                symbols.push(Symbol { width: info.width, ranges });
                (symbols.len() as u32 - 1, add)
            });
            let add = truncate(add.wrapping_sub(base), info.width);
            *value = Value::Symbol { symbol: number, add };
        }
        Self { values, symbols }
    }

    /// Whether it allows all that the other one does.
    pub fn covers(&self, other: &Self) -> bool {
        if self.values.len() > other.values.len() {
            return false;
        }
        let mut meant: Vec<Option<Value>> = vec![None; self.symbols.len()];
        let mut rest = other.values.iter();
        for (slot, value) in &self.values {
            let Some((_, theirs)) =
                rest.by_ref().find(|(other, _)| other >= slot).filter(|(o, _)| o == slot)
            else {
                return false;
            };
            let Value::Symbol { symbol, add } = *value else {
                if value != theirs {
                    return false;
                }
                continue;
            };
            let info = &self.symbols[symbol as usize];
            let base = match *theirs {
                Value::Known(bits) => Value::Known(truncate(bits.wrapping_sub(add), info.width)),
                Value::Symbol { symbol, add: theirs } => {
                    let add = truncate(theirs.wrapping_sub(add), info.width);
                    Value::Symbol { symbol, add }
                }
                Value::Address(..) | Value::Function(_) => return false,
            };
            match meant[symbol as usize] {
                Some(known) if known != base => return false,
                Some(_) => {}
                None => {
                    let within = match base {
                        Value::Known(bits) => Ranges::single(bits).is_within(&info.ranges),
                        Value::Symbol { symbol, add } => {
                            let theirs = &other.symbols[symbol as usize];
                            theirs.width == info.width
                                && theirs.ranges.plus(add, info.width).is_within(&info.ranges)
                        }
                        _ => false,
                    };
                    if !within {
                        return false;
                    }
                    meant[symbol as usize] = Some(base);
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep_all(_: SlotId) -> bool {
        true
    }

    #[test]
    fn equal_states_are_equal_whatever_their_symbols_are_called() {
        let [a, b, c] = [SlotId(0), SlotId(1), SlotId(2)];
        let full = Ranges::full(32);
        let mut first = State::default();
        let x = first.fresh(32, full.clone());
        first.set(a, Some(x));
        first.set(b, Some(Value::Symbol { symbol: 0, add: 2 }));
        let mut second = State::default();
        second.fresh(32, full.clone());
        second.fresh(32, full.clone());
        second.set(a, Some(Value::Symbol { symbol: 1, add: 7 }));
        second.set(b, Some(Value::Symbol { symbol: 1, add: 9 }));
        let lonely = second.fresh(32, full);
        second.set(c, Some(lonely));
        assert_eq!(first.canonical(keep_all), second.canonical(keep_all));
    }

    #[test]
    fn a_relation_covers_numbers_that_have_it() {
        let [a, b] = [SlotId(0), SlotId(1)];
        let mut relation = State::default();
        let x = relation.fresh(32, Ranges::full(32));
        relation.set(a, Some(x));
        relation.set(b, Some(Value::Symbol { symbol: 0, add: 1 }));
        let numbers = |x: Bits, y: Bits| {
            let mut state = State::default();
            state.set(a, Some(Value::Known(x)));
            state.set(b, Some(Value::Known(y)));
            state
        };
        assert!(relation.covers(&numbers(4, 5)));
        assert!(relation.covers(&numbers(0xffff_ffff, 0)));
        assert!(!relation.covers(&numbers(4, 6)));
        assert!(!numbers(4, 5).covers(&relation));
        assert!(State::default().covers(&relation));
    }

    #[test]
    fn what_becomes_known_is_known_of_all_that_share_it() {
        let [a, b] = [SlotId(0), SlotId(1)];
        let mut state = State::default();
        let x = state.fresh(8, Ranges::full(8));
        state.set(a, Some(x));
        state.set(b, Some(Value::Symbol { symbol: 0, add: 255 }));
        assert!(state.restrict(0, &Ranges::single(0)));
        assert_eq!((state.get(a), state.get(b)), (Some(Value::Known(0)), Some(Value::Known(255))));
    }
}
