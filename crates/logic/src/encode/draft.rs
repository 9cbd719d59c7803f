//! A formula in the making: the state of the encoding at one place of a block.

use super::cells::{Cell, Cells, Part, Step};
use super::interval::Interval;
use super::scalar::{range_fact, range_of, within};
use super::ssa::Ssa;
use super::uninterpreted::Uninterpreted;
use super::{Auxiliary, NotEncoded, Theory};
use crate::number::{floor_div, power_of_two};
use crate::term::{Op, Sort, Symbol, Term, Terms, Variable};
use gnomon_budget::Budget;
use gnomon_ir::expr::ExprId;
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::Program;
use gnomon_ir::types::BitField;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The value of an expression as a term; in the theory Int with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The term.
    pub term: Term,
    /// Where its value lies (theory Int only; `None` in Bits).
    pub interval: Option<Interval>,
}

impl Operand {
    /// A term in the theory Bits.
    pub fn bits(term: Term) -> Self {
        Self { term, interval: None }
    }

    /// A term in the theory Int.
    pub fn int(term: Term, interval: Interval) -> Self {
        Self { term, interval: Some(interval) }
    }

    /// The interval, that of the type if nothing better is known.
    pub fn interval(&self, scalar: Scalar) -> Interval {
        self.interval.clone().unwrap_or_else(|| range_of(scalar))
    }
}

/// What is known at one place of a block.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The present values.
    pub ssa: Ssa,
    /// What holds, in the order in which it was found, each once.
    pub facts: Vec<Term>,
    known: FxHashSet<Term>,
    /// Better intervals of present values than their types give.
    pub intervals: BTreeMap<Variable, Interval>,
    /// Present values that are known numbers.
    constants: BTreeMap<Variable, Term>,
    /// Symbols whose values are known to be in the range of their type.
    ranged: FxHashSet<Symbol>,
}

impl State {
    /// Nothing but the present values.
    pub fn new(ssa: Ssa) -> Self {
        Self { ssa, ..Self::default() }
    }

    /// Adds what holds.
    pub fn add(&mut self, terms: &Terms, fact: Term) {
        for conjunct in terms.conjuncts(fact) {
            if self.known.insert(conjunct) {
                self.facts.push(conjunct);
            }
        }
    }

    /// Takes out what holds.
    pub(super) fn take_facts(&mut self) -> Vec<Term> {
        self.known.clear();
        self.ranged.clear();
        std::mem::take(&mut self.facts)
    }

    /// Where branches meet: what all know stays, the rest becomes a disjunction.
    pub fn join(terms: &mut Terms, mut branches: Vec<State>) -> State {
        if branches.len() == 1 {
            return branches.swap_remove(0);
        }
        let ssa = Ssa::join(branches.iter().map(|b| &b.ssa));
        for branch in &mut branches {
            branch.catch_up(terms, &ssa);
        }
        let (first, others) = match branches.split_first() {
            Some(split) => split,
            None => return State::new(ssa),
        };
        let mut joined = State::new(ssa);
        for &fact in &first.facts {
            if others.iter().all(|b| b.known.contains(&fact)) {
                joined.known.insert(fact);
                joined.facts.push(fact);
            }
        }
        let mut alternatives = Vec::with_capacity(branches.len());
        for branch in &branches {
            let own: Vec<Term> =
                branch.facts.iter().copied().filter(|f| !joined.known.contains(f)).collect();
            alternatives.push(terms.and(&own));
        }
        let either = terms.or(&alternatives);
        joined.add(terms, either);
        joined.ranged = first
            .ranged
            .iter()
            .copied()
            .filter(|s| others.iter().all(|b| b.ranged.contains(s)))
            .collect();
        joined.constants = first.constants.clone();
        joined.constants.retain(|v, c| others.iter().all(|b| b.constants.get(v) == Some(c)));
        for (variable, interval) in &first.intervals {
            let met = others.iter().try_fold(interval.clone(), |sum, b| {
                b.intervals.get(variable).map(|i| sum.join(i))
            });
            if let Some(interval) = met {
                joined.intervals.insert(*variable, interval);
            }
        }
        joined
    }

    /// Makes the indices those of the place where branches meet.
    fn catch_up(&mut self, terms: &mut Terms, ssa: &Ssa) {
        for (variable, index) in ssa.iter() {
            let mine = self.ssa.index(variable);
            if mine != index {
                let (old, new) = (terms.var_at(variable, mine), terms.var_at(variable, index));
                let equal = terms.eq(new, old);
                self.add(terms, equal);
                let old = Symbol { variable, index: Some(mine) };
                if self.ranged.contains(&old) {
                    self.ranged.insert(Symbol { variable, index: Some(index) });
                }
            }
        }
    }
}

/// The wrap-around counters of all blocks: one for each sum and type.
#[derive(Debug, Default)]
pub struct Wraps {
    counters: FxHashMap<(Term, u32, bool), Variable>,
}

/// A formula in the making, with everything needed to go on.
pub struct Draft<'a> {
    /// The program.
    pub program: &'a Program,
    /// The arena.
    pub terms: &'a mut Terms,
    /// The theory.
    pub theory: Theory,
    /// What is known at the present place.
    pub state: State,
    /// Auxiliary variables of the block.
    pub auxiliaries: Vec<Auxiliary>,
    /// What was encoded less exactly than the theory could, for people.
    pub approximated: Vec<String>,
    pub(super) cells: &'a mut Cells,
    pub(super) functions: &'a mut Uninterpreted,
    pub(super) wraps: &'a mut Wraps,
    pub(super) memo: FxHashMap<ExprId, Operand>,
    pub(super) budget: &'a Budget,
}

impl Draft<'_> {
    /// Whether there is something left of the budget.
    pub fn check_budget(&self) -> Result<(), NotEncoded> {
        Ok(self.budget.check()?)
    }

    /// Adds what holds.
    pub fn add(&mut self, fact: Term) {
        self.state.add(self.terms, fact);
    }

    /// The type's range as a fact about a term.
    pub fn add_range(&mut self, scalar: Scalar, term: Term) {
        let fact = range_fact(self.terms, self.theory, scalar, term);
        self.add(fact);
    }

    /// Any value of a type.
    pub fn unknown(&mut self, name: &str, scalar: Scalar) -> Operand {
        let sort = super::scalar::sort_of(self.theory, scalar);
        let variable = self.terms.fresh_variable(name, sort);
        let term = self.terms.var(variable);
        self.auxiliaries
            .push(Auxiliary { symbol: Symbol { variable, index: None }, witness: None });
        self.add_range(scalar, term);
        self.operand(term, scalar)
    }

    /// A term of a scalar type with the interval of the type.
    pub fn operand(&self, term: Term, scalar: Scalar) -> Operand {
        match self.theory {
            Theory::Int => Operand::int(term, range_of(scalar)),
            Theory::Bits => Operand::bits(term),
        }
    }

    // --- wrap-around ---------------------------------------------------------------------------

    /// The exact integer `exact`, which lies in `interval`, brought into the range of a type of
    /// `bits` bits: `exact - 2^bits * k`. The counter `k` is left out where it can only be 0, and
    /// known where it can have one value only.
    pub fn wrap(&mut self, exact: Term, interval: &Interval, bits: u32, signed: bool) -> Operand {
        let range = Interval::of_int(bits, signed);
        if range.contains(interval) {
            return Operand::int(exact, interval.clone());
        }
        let modulus = power_of_two(bits);
        let turns = interval.map(|bound| floor_div(&(bound - &range.low), &modulus));
        if let Some(turns) = turns.as_point() {
            let shift = -(&modulus * turns);
            let value = self.terms.add_constant(exact, shift.clone());
            let interval = interval.map(|bound| bound + &shift);
            return Operand::int(value, interval);
        }
        let key = (exact, bits, signed);
        let counter = match self.wraps.counters.get(&key) {
            Some(&counter) => counter,
            None => {
                let counter = self.terms.fresh_variable("k", Sort::Int);
                self.wraps.counters.insert(key, counter);
                counter
            }
        };
        let symbol = Symbol { variable: counter, index: None };
        let k = self.terms.var(counter);
        if !self.auxiliaries.iter().any(|a| a.symbol == symbol) {
            let above = self.terms.add_constant(exact, -range.low.clone());
            let divisor = self.terms.int(modulus.clone());
            let witness = self.terms.div(above, divisor);
            self.auxiliaries.push(Auxiliary { symbol, witness: Some(witness) });
        }
        let bounded = within(self.terms, k, &turns);
        self.add(bounded);
        let taken_off = self.terms.mul_by(-modulus, k);
        let value = self.terms.add(exact, taken_off);
        let in_range = within(self.terms, value, &range);
        self.add(in_range);
        Operand::int(value, range)
    }

    /// [`Draft::wrap`] to a scalar type.
    pub fn wrap_to(&mut self, exact: Term, interval: &Interval, scalar: Scalar) -> Operand {
        let signed = super::scalar::is_signed(scalar);
        self.wrap(exact, interval, u32::from(scalar.width()), signed)
    }

    // --- cells ---------------------------------------------------------------------------------

    /// The present value of a cell, read at `indices` (fewer than it has dimensions for an array).
    pub fn read_cell(&mut self, cell: &Cell, indices: &[Term]) -> Operand {
        if let Some(&constant) = self.state.constants.get(&cell.variable) {
            return match self.terms.value(constant) {
                Some(value) if self.theory == Theory::Int => {
                    Operand::int(constant, Interval::point(value.clone()))
                }
                _ => Operand::bits(constant),
            };
        }
        let symbol = self.state.ssa.symbol(cell.variable);
        let mut term = self.terms.symbol(symbol);
        for &index in indices {
            term = self.terms.select(term, index);
        }
        if matches!(self.terms.sort(term), Sort::Array(_)) {
            return Operand::bits(term);
        }
        // An element is in range because every element always is.
        if !indices.is_empty() || self.state.ranged.insert(symbol) {
            self.add_cell_range(cell, term);
        }
        match self.theory {
            Theory::Bits => Operand::bits(term),
            Theory::Int => {
                let better = if indices.is_empty() {
                    self.state.intervals.get(&cell.variable).cloned()
                } else {
                    None
                };
                Operand::int(term, better.unwrap_or_else(|| cell_range(cell)))
            }
        }
    }

    /// Writes a value (already of the cell's type) at `indices`.
    pub fn write_cell(&mut self, cell: &Cell, indices: &[Term], value: Operand) {
        let old = self.state.ssa.symbol(cell.variable);
        let old = self.terms.symbol(old);
        let stored = self.stored(old, indices, value.term);
        let new = self.state.ssa.assign(cell.variable);
        let symbol = self.terms.symbol(new);
        let equal = self.terms.eq(symbol, stored);
        self.add(equal);
        self.forget(cell.variable);
        if indices.is_empty() {
            self.state.ranged.insert(new);
            if self.terms.value(value.term).is_some() {
                self.state.constants.insert(cell.variable, value.term);
            }
            if let Some(interval) = value.interval {
                self.state.intervals.insert(cell.variable, interval);
            }
        }
    }

    /// The nested arrays with one element replaced.
    fn stored(&mut self, array: Term, indices: &[Term], value: Term) -> Term {
        let mut inner = vec![array];
        for &index in indices {
            let outer = inner[inner.len() - 1];
            inner.push(self.terms.select(outer, index));
        }
        let mut result = value;
        for (position, &index) in indices.iter().enumerate().rev() {
            result = self.terms.store(inner[position], index, result);
        }
        result
    }

    /// What was known of the former value of a variable is known no longer.
    pub fn forget(&mut self, variable: Variable) {
        self.state.intervals.remove(&variable);
        self.state.constants.remove(&variable);
    }

    /// Any value in a cell.
    pub fn havoc_cell(&mut self, cell: &Cell, indices: &[Term]) {
        if indices.is_empty() {
            self.state.ssa.assign(cell.variable);
            self.forget(cell.variable);
            return;
        }
        let old = self.state.ssa.symbol(cell.variable);
        let mut element = self.terms.symbol(old);
        for &index in indices {
            element = self.terms.select(element, index);
        }
        let sort = self.terms.sort(element);
        let variable = self.terms.fresh_variable("any", sort);
        let any = self.terms.var(variable);
        self.auxiliaries
            .push(Auxiliary { symbol: Symbol { variable, index: None }, witness: None });
        if !matches!(sort, Sort::Array(_)) {
            self.add_cell_range(cell, any);
        }
        self.write_cell(cell, indices, Operand::bits(any));
    }

    fn add_cell_range(&mut self, cell: &Cell, term: Term) {
        let Some(field) = cell.bit_field else {
            self.add_range(cell.scalar, term);
            return;
        };
        let fact = match self.theory {
            Theory::Int => within(self.terms, term, &cell_range(cell)),
            Theory::Bits => {
                let fitted = self.cut_to_field(cell.scalar, field, term);
                self.terms.eq(term, fitted)
            }
        };
        self.add(fact);
    }

    /// A value as a bit-field keeps it: cut to its bits and extended again.
    pub fn fit_field(&mut self, cell: &Cell, value: Operand) -> Operand {
        let Some(field) = cell.bit_field else { return value };
        if cell.scalar == Scalar::Bool {
            return value;
        }
        match self.theory {
            Theory::Int => {
                let interval = value.interval(cell.scalar);
                let signed = super::scalar::is_signed(cell.scalar);
                self.wrap(value.term, &interval, u32::from(field.width), signed)
            }
            Theory::Bits => Operand::bits(self.cut_to_field(cell.scalar, field, value.term)),
        }
    }

    fn cut_to_field(&mut self, scalar: Scalar, field: BitField, term: Term) -> Term {
        let (width, kept) = (u32::from(scalar.width()), u32::from(field.width));
        let low = self.terms.extract(kept - 1, 0, term);
        let extend = if super::scalar::is_signed(scalar) {
            Op::SignExtend(width - kept)
        } else {
            Op::ZeroExtend(width - kept)
        };
        self.terms.make(extend, &[low])
    }

    /// The cells in a part of a variable.
    pub fn cells(&mut self, part: &Part) -> Result<Vec<(Vec<Step>, Cell)>, NotEncoded> {
        self.cells.of(self.terms, self.program, self.theory, part)
    }
}

/// The integers a cell can hold.
fn cell_range(cell: &Cell) -> Interval {
    match cell.bit_field {
        Some(field) => {
            let signed = super::scalar::is_signed(cell.scalar);
            Interval::of_int(u32::from(field.width), signed)
        }
        None => range_of(cell.scalar),
    }
}
