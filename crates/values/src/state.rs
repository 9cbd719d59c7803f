//! Abstract states: what is known of the tracked scalars.
//!
//! A slot that is not in a state can hold anything. A *symbol* stands for a number that is not known;
//! slots that hold the same symbol differ by constants. A symbol has a set of possible values.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::expr::{BinaryOp, Bits};
use gnomon_ir::ops::{self, Scalar, truncate};
use gnomon_ir::program::FuncId;

use crate::orders::{Order, Orders};
use crate::ranges::Ranges;
use crate::slots::{Root, SlotId};

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
    /// A symbol with a number added, extended to a wider type.
    Wide {
        /// The number of the symbol in its state.
        symbol: u32,
        /// What is added before it is extended.
        add: Bits,
        /// Whether it is extended by its sign.
        signed: bool,
        /// To so many bits.
        width: u16,
    },
    /// The address of a byte of a variable or of an allocated object.
    Address(Root, u64),
    /// The address of a function.
    Function(FuncId),
}

impl Value {
    /// The symbol in it, and what is added to that.
    pub fn symbol(self) -> Option<(u32, Bits)> {
        match self {
            Self::Symbol { symbol, add } | Self::Wide { symbol, add, .. } => Some((symbol, add)),
            Self::Known(_) | Self::Address(..) | Self::Function(_) => None,
        }
    }

    /// With another symbol in place of its own.
    #[must_use]
    fn over(self, symbol: u32, add: Bits) -> Self {
        match self {
            Self::Symbol { .. } => Self::Symbol { symbol, add },
            Self::Wide { signed, width, .. } => Self::Wide { symbol, add, signed, width },
            other => other,
        }
    }
}

/// Bits of some width, extended to more.
fn extended(bits: Bits, from: u16, signed: bool, to: u16) -> Bits {
    let integer = |bits, signed| Scalar::Int { bits, signed };
    ops::cast(integer(from, signed), integer(to, signed), bits)
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
    orders: Orders,
}

impl State {
    /// What a slot holds, if something is known.
    pub fn get(&self, slot: SlotId) -> Option<Value> {
        let at = self.values.binary_search_by_key(&slot, |(slot, _)| *slot).ok()?;
        Some(self.values[at].1)
    }

    /// How much is known: what a copy costs.
    pub fn size(&self) -> usize {
        self.values.len() + self.symbols.len()
    }

    /// All that is known, by slot.
    pub fn values(&self) -> &[(SlotId, Value)] {
        &self.values
    }

    /// A symbol.
    pub fn symbol(&self, symbol: u32) -> &Symbol {
        &self.symbols[symbol as usize]
    }

    /// Which of two symbols is smaller, as far as that is known.
    pub fn orders(&self) -> &Orders {
        &self.orders
    }

    /// Two symbols of the same width have one of these orders, as signed numbers; whether that is
    /// possible.
    pub fn relate(&mut self, a: u32, b: u32, order: Order) -> bool {
        if !self.orders.add(a, b, order) {
            return false;
        }
        match self.orders.between(a, b).comparison() {
            Some(BinaryOp::Eq) => self.unify(a, b, 0),
            _ => true,
        }
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

    /// The slots that hold an address in an object.
    pub fn pointing_to(&self, root: Root) -> Vec<SlotId> {
        let points = |value: &Value| matches!(value, Value::Address(to, _) if *to == root);
        self.values.iter().filter(|(_, value)| points(value)).map(|(slot, _)| *slot).collect()
    }

    /// Forgets all slots that are not kept.
    pub fn retain(&mut self, mut keep: impl FnMut(SlotId) -> bool) {
        self.values.retain(|(slot, _)| keep(*slot));
    }

    /// The slots that hold a symbol.
    pub fn holders(&self, of: u32) -> impl Iterator<Item = SlotId> {
        let holds = move |value: &Value| value.symbol().is_some_and(|(symbol, _)| symbol == of);
        self.values.iter().filter(move |(_, value)| holds(value)).map(|(slot, _)| *slot)
    }

    /// A symbol has one of these values too; whether that is possible.
    pub fn restrict(&mut self, symbol: u32, ranges: &Ranges) -> bool {
        let info = &mut self.symbols[symbol as usize];
        info.ranges = info.ranges.intersection(ranges);
        match info.ranges.as_single() {
            Some(bits) => self.bind(symbol, bits),
            None => !self.symbols[symbol as usize].ranges.is_empty(),
        }
    }

    fn bind(&mut self, of: u32, bits: Bits) -> bool {
        let width = self.symbols[of as usize].width;
        for (_, value) in &mut self.values {
            if let Some((symbol, add)) = value.symbol()
                && symbol == of
            {
                let sum = truncate(bits.wrapping_add(add), width);
                *value = Value::Known(match *value {
                    Value::Wide { signed, width: to, .. } => extended(sum, width, signed, to),
                    _ => sum,
                });
            }
        }
        let signed = Scalar::Int { bits: width, signed: true };
        self.orders.take(of).into_iter().all(|(other, order)| {
            let allowed = order.mirrored().comparison();
            match allowed.and_then(|op| Ranges::compared(op, signed, bits)) {
                Some(allowed) => self.restrict(other, &allowed),
                None => true,
            }
        })
    }

    /// Symbol `a` is symbol `b` plus a number; whether that is possible. They have the same width.
    pub fn unify(&mut self, a: u32, b: u32, plus: Bits) -> bool {
        let width = self.symbols[a as usize].width;
        for (other, order) in self.orders.take(a) {
            // Of numbers that are moved, the order is not known any more.
            let is_possible = match (other == b, plus) {
                (true, 0) => !order.and(Order::EQUAL).is_empty(),
                (false, 0) => self.orders.add(b, other, order),
                _ => true,
            };
            if !is_possible {
                return false;
            }
        }
        for (_, value) in &mut self.values {
            if let Some((symbol, add)) = value.symbol()
                && symbol == a
            {
                *value = value.over(b, truncate(add.wrapping_add(plus), width));
            }
        }
        let ranges = self.symbols[a as usize].ranges.plus(plus.wrapping_neg(), width);
        self.restrict(b, &ranges)
    }

    /// Forgets the numbers in some slots, but not how far they are apart.
    pub fn keep_differences(&mut self, of: &BTreeSet<SlotId>, width: impl Fn(SlotId) -> u16) {
        let mut bases: BTreeMap<u16, (u32, Bits)> = BTreeMap::new();
        for &slot in of {
            let Some(Value::Known(bits)) = self.get(slot) else { continue };
            let width = width(slot);
            let (symbol, base) = match bases.get(&width) {
                Some(known) => *known,
                None => {
                    self.symbols.push(Symbol { width, ranges: Ranges::full(width) });
                    let new = (self.symbols.len() as u32 - 1, bits);
                    bases.insert(width, new);
                    new
                }
            };
            let add = truncate(bits.wrapping_sub(base), width);
            self.set(slot, Some(Value::Symbol { symbol, add }));
        }
    }

    /// The state with the kept slots only, in a form that is the same for all equal states.
    #[must_use]
    pub fn canonical(&self, mut keep: impl FnMut(SlotId) -> bool) -> Self {
        let mut values: Vec<(SlotId, Value)> =
            self.values.iter().filter(|(slot, _)| keep(*slot)).copied().collect();
        let mut count = vec![0u32; self.symbols.len()];
        for (_, value) in &values {
            match value {
                Value::Symbol { symbol, .. } => count[*symbol as usize] += 1,
                // Even alone, it is not any number of its type.
                Value::Wide { symbol, .. } => count[*symbol as usize] += 2,
                _ => {}
            }
        }
        // Orders are about symbols as they are, so that these are not moved.
        let mut related = vec![false; self.symbols.len()];
        for (a, b, _) in self.orders.iter() {
            if count[a as usize] > 0 && count[b as usize] > 0 {
                related[a as usize] = true;
                related[b as usize] = true;
            }
        }
        let says_something = |symbol: u32| {
            let info = &self.symbols[symbol as usize];
            count[symbol as usize] > 1
                || !info.ranges.is_full(info.width)
                || related[symbol as usize]
        };
        values.retain(|(_, value)| value.symbol().is_none_or(|(symbol, _)| says_something(symbol)));
        let mut numbers: Vec<Option<(u32, Bits)>> = vec![None; self.symbols.len()];
        let mut symbols = Vec::new();
        for (_, value) in &mut values {
            let Some((symbol, add)) = value.symbol() else { continue };
            let info = &self.symbols[symbol as usize];
            let (number, base) = *numbers[symbol as usize].get_or_insert_with(|| {
                let base = if related[symbol as usize] { 0 } else { add };
                let ranges = info.ranges.plus(base, info.width);
                symbols.push(Symbol { width: info.width, ranges });
                (symbols.len() as u32 - 1, base)
            });
            let add = truncate(add.wrapping_sub(base), info.width);
            *value = value.over(number, add);
        }
        let number = |symbol: u32| numbers[symbol as usize].map(|(number, _)| number);
        let orders = self.orders.renumbered(number);
        Self { values, symbols, orders }
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
            let Some((symbol, add)) = value.symbol() else {
                if value != theirs {
                    return false;
                }
                continue;
            };
            let info = &self.symbols[symbol as usize];
            let base = match (*value, *theirs) {
                (Value::Wide { signed, width, .. }, Value::Known(bits)) => {
                    let narrow = truncate(bits, info.width);
                    if extended(narrow, info.width, signed, width) != bits {
                        return false;
                    }
                    Value::Known(truncate(narrow.wrapping_sub(add), info.width))
                }
                (_, Value::Known(bits)) => {
                    Value::Known(truncate(bits.wrapping_sub(add), info.width))
                }
                (Value::Symbol { .. }, Value::Symbol { symbol, add: theirs }) => {
                    let add = truncate(theirs.wrapping_sub(add), info.width);
                    Value::Symbol { symbol, add }
                }
                (
                    Value::Wide { signed, width, .. },
                    Value::Wide { symbol, add: theirs, signed: also, width: wide },
                ) if (signed, width) == (also, wide) => {
                    let add = truncate(theirs.wrapping_sub(add), info.width);
                    Value::Symbol { symbol, add }
                }
                _ => return false,
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
        self.orders.iter().all(|(a, b, order)| match (meant[a as usize], meant[b as usize]) {
            (Some(Value::Known(x)), Some(Value::Known(y))) => {
                let signed = Scalar::Int { bits: self.symbols[a as usize].width, signed: true };
                let op = order.comparison();
                op.is_none_or(|op| ops::binary(op, signed, x, signed, y) == Ok(1))
            }
            (
                Some(Value::Symbol { symbol: x, add: 0 }),
                Some(Value::Symbol { symbol: y, add: 0 }),
            ) if x != y => other.orders.between(x, y).is_within(order),
            _ => false,
        })
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
