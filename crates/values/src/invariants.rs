//! The states at loop heads as formulas, for the checker of proofs.
//!
//! At each loop head, with the calls that are open there, one of the states holds that were met. States
//! are grouped by what they know of which scalars; the numbers of a group are written as a decision
//! diagram, one scalar after the other: values with the same rest are one branch. Loop heads that no
//! state was met at have the invariant `false`.
//!
//! Addresses of variables are numbers, as the checker has them ([`Layout`]), and so are those of allocated objects
//! where they are always the same ([`crate::addresses`]). Other objects begin where one of the scalars
//! points that hold their address; what an object holds is read there. What has no formula is left out; the
//! checker sees whether that matters. What all states of a place agree on is said once, for the checker
//! to put in.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::Exhausted;
use gnomon_engine::control::{Control, ControlId, Target};
use gnomon_engine::proof::{Invariant, Invariants};
use gnomon_ir::expr::{BinaryOp, Bits};
use gnomon_ir::program::{Program, Storage, VarId};
use gnomon_ir::types::{RecordKind, Type, TypeId};
use gnomon_logic::encode::{HeldMemory, Layout, Offset, Target as Held, Theory};
use gnomon_logic::symbol::Scope;
use gnomon_logic::{Integer, Sort, Term, Terms};

use crate::addresses::Addresses;
use crate::explore::Values;
use crate::slots::{Root, Slot, SlotId};
use crate::state::{State, Value};

/// The next address that is handed out, as the checker calls it, and its width.
const HEAP_END: &str = "heap::end";
const HEAP_BITS: u32 = 64;
/// A program with more places than this is not certified.
const MAX_PLACES: usize = 200_000;

/// Why there are no invariants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoInvariants {
    /// A limit was reached.
    Exhausted(Exhausted),
    /// Something has no formula.
    Inexpressible(String),
}

impl From<Exhausted> for NoInvariants {
    fn from(limit: Exhausted) -> Self {
        Self::Exhausted(limit)
    }
}

/// What states that are written together have in common: for each slot either a number, or a symbol.
type Shape = (Vec<SlotId>, State);

/// States by which slots they know something of, and whether that is a number.
type Groups = BTreeMap<Vec<(SlotId, bool)>, Vec<(Shape, Vec<Bits>)>>;

/// Formulas that are being written.
struct Writer {
    terms: Terms,
    /// Where variables lie, if they have room.
    layout: Option<Layout>,
    /// The variables for memory, by name.
    held: BTreeMap<String, HeldMemory>,
}

/// Where allocated objects begin.
type Beginnings = BTreeMap<Root, Term>;

impl Values<'_> {
    /// The invariants of the proof that was found.
    pub fn invariants(&mut self) -> Result<Invariants, NoInvariants> {
        let heads = self.loop_heads()?;
        let layout = Layout::new(self.space.program());
        let addresses = match &layout {
            Some(layout) if self.machine.allocations.is_any => self.addresses(layout)?,
            _ => BTreeMap::new(),
        };
        let mut met: BTreeMap<ControlId, Vec<&State>> = BTreeMap::new();
        for node in &self.nodes {
            if let Some(state) = &node.state
                && heads.contains(&node.place)
            {
                met.entry(node.place).or_default().push(state);
            }
        }
        let mut writer = Writer { terms: Terms::new(), layout, held: BTreeMap::new() };
        let mut places = Vec::with_capacity(heads.len());
        for place in heads {
            self.budget.check()?;
            let states = met.get(&place).map_or(&[][..], Vec::as_slice);
            let formula = self.formula(&mut writer, states, addresses.get(&place));
            let Control { func, loc, .. } = self.space.get(place);
            places.push(Invariant { calls: self.space.open_calls(place), func, loc, formula });
        }
        let Writer { terms, held, .. } = writer;
        let held = held.into_values().collect();
        Ok(Invariants { theory: Theory::Bits, terms, places, elements: Vec::new(), held })
    }

    /// All loop heads that some path leads to, possible or not.
    fn loop_heads(&mut self) -> Result<BTreeSet<ControlId>, NoInvariants> {
        let mut heads = BTreeSet::new();
        let mut seen = BTreeSet::from([self.start]);
        let mut work = vec![self.start];
        while let Some(place) = work.pop() {
            self.budget.check()?;
            if self.space.is_loop_head(place) {
                heads.insert(place);
            }
            for (_, target) in self.space.steps(place) {
                if let Target::Control(next) = target
                    && seen.insert(next)
                {
                    work.push(next);
                }
            }
            if seen.len() > MAX_PLACES {
                return Err(NoInvariants::Inexpressible("the program has too many places".into()));
            }
        }
        Ok(heads)
    }

    fn formula(
        &self,
        writer: &mut Writer,
        states: &[&State],
        addresses: Option<&Addresses>,
    ) -> Term {
        let Some((first, others)) = states.split_first() else { return writer.terms.ff() };
        let number = |value: Value| number_of(writer.layout.as_ref(), addresses, value);
        let mut common: Vec<(SlotId, Bits)> = Vec::new();
        for &(slot, value) in first.values() {
            let same = |state: &&State| state.get(slot).and_then(number) == number(value);
            if let Some(bits) = number(value)
                && others.iter().all(same)
            {
                common.push((slot, bits));
            }
        }
        let mut groups = Groups::new();
        for state in states {
            let mut numbers = Vec::new();
            let mut shape = Vec::new();
            let mut slots = Vec::new();
            for &(slot, value) in state.values() {
                if common.binary_search_by_key(&slot, |(slot, _)| *slot).is_ok() {
                    continue;
                }
                let known = number(value);
                shape.push((slot, known.is_some()));
                if let Some(bits) = known {
                    slots.push(slot);
                    numbers.push(bits);
                }
            }
            let symbols = state
                .canonical(|slot| state.get(slot).is_some_and(|value| number(value).is_none()));
            groups.entry(shape).or_default().push(((slots, symbols), numbers));
        }
        let fixed = self.fixed(writer, addresses);
        let mut all = Vec::new();
        if let Some(next) = addresses.and_then(|known| known.next) {
            let end = writer.terms.variable(HEAP_END, Scope::Global, Sort::BitVec(HEAP_BITS));
            let (end, next) =
                (writer.terms.var(end), self::number(&mut writer.terms, next.into(), HEAP_BITS));
            all.push(writer.terms.eq(end, next));
        }
        let (slots, row): (Vec<SlotId>, Vec<Bits>) = common.into_iter().unzip();
        all.push(self.diagram(writer, &slots, vec![row], &fixed));
        let mut any = Vec::new();
        for (_, group) in groups {
            // States with the same symbols, by what is known of these.
            let mut alike: Vec<(Shape, Vec<Vec<Bits>>)> = Vec::new();
            for (shape, numbers) in group {
                match alike.iter_mut().find(|(known, _)| *known == shape) {
                    Some((_, rows)) => rows.push(numbers),
                    None => alike.push((shape, vec![numbers])),
                }
            }
            for ((slots, symbols), rows) in alike {
                let beginnings = self.beginnings(writer, &symbols, &fixed);
                let numbers = self.diagram(writer, &slots, rows, &beginnings);
                let related = self.symbols(writer, &symbols, &beginnings);
                any.push(writer.terms.and2(numbers, related));
            }
        }
        all.push(writer.terms.or(&any));
        writer.terms.and(&all)
    }

    /// Where the allocated objects begin that have known addresses.
    fn fixed(&self, writer: &mut Writer, addresses: Option<&Addresses>) -> Beginnings {
        let pointer = u32::from(self.space.program().types.target().pointer_bits());
        let known = addresses.into_iter().flat_map(|known| &known.begin);
        let begin = known.filter_map(|(&object, &at)| {
            Some((Root::Allocated(object), number(&mut writer.terms, at?.into(), pointer)))
        });
        begin.collect()
    }

    /// Where the allocated objects begin that a state has pointers to, pointers in such objects
    /// included.
    fn beginnings(&self, writer: &mut Writer, state: &State, fixed: &Beginnings) -> Beginnings {
        let mut found = fixed.clone();
        loop {
            let before = found.len();
            for &(slot, value) in state.values() {
                let Value::Address(root @ Root::Allocated(_), at) = value else { continue };
                if found.contains_key(&root) {
                    continue;
                }
                if let Some((variable, width)) = self.variable(writer, slot, &found) {
                    let at = number(&mut writer.terms, at.into(), width);
                    found.insert(root, writer.terms.bv_sub(variable, at));
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// Rows of numbers as a decision diagram: first the scalar with the fewest values.
    fn diagram(
        &self,
        writer: &mut Writer,
        slots: &[SlotId],
        rows: Vec<Vec<Bits>>,
        beginnings: &Beginnings,
    ) -> Term {
        let distinct = |column: usize| {
            let values: BTreeSet<Bits> = rows.iter().map(|row| row[column]).collect();
            values.len()
        };
        let mut order: Vec<usize> = (0..slots.len()).collect();
        order.sort_by_key(|&column| (distinct(column), column));
        let mut variables = Vec::with_capacity(order.len());
        order.retain(|&column| match self.variable(writer, slots[column], beginnings) {
            Some(variable) => {
                variables.push(variable);
                true
            }
            None => false,
        });
        let reorder = |row: Vec<Bits>| order.iter().map(|&column| row[column]).collect();
        let mut rows: Vec<Vec<Bits>> = rows.into_iter().map(reorder).collect();
        rows.sort_unstable();
        rows.dedup();
        branches(&mut writer.terms, &variables, &rows, 0)
    }

    /// What is known of symbols and addresses: the scalars that share one, and which values are
    /// possible.
    fn symbols(&self, writer: &mut Writer, state: &State, beginnings: &Beginnings) -> Term {
        let mut first: BTreeMap<u32, Term> = BTreeMap::new();
        let mut all = Vec::new();
        for &(slot, value) in state.values() {
            let Some((mut variable, mut width)) = self.variable(writer, slot, beginnings) else {
                continue;
            };
            let Some((symbol, add)) = value.symbol() else {
                if let Some(address) = address(writer, value, beginnings, width) {
                    all.push(writer.terms.eq(variable, address));
                }
                continue;
            };
            let terms = &mut writer.terms;
            if let Value::Wide { signed, .. } = value {
                let narrow = u32::from(state.symbol(symbol).width);
                let part = terms.extract(narrow - 1, 0, variable);
                let whole = match signed {
                    true => terms.sign_extend(width - narrow, part),
                    false => terms.zero_extend(width - narrow, part),
                };
                all.push(terms.eq(variable, whole));
                (variable, width) = (part, narrow);
            }
            match first.get(&symbol) {
                Some(&base) => {
                    let add = number(terms, add, width);
                    let sum = terms.bv_add(base, add);
                    all.push(terms.eq(variable, sum));
                }
                None => {
                    let add = number(terms, add, width);
                    let base = terms.bv_sub(variable, add);
                    first.insert(symbol, base);
                    let info = state.symbol(symbol);
                    if !info.ranges.is_full(info.width) {
                        let parts = info.ranges.parts().to_vec();
                        all.push(within(terms, base, width, &parts));
                    }
                }
            }
        }
        let terms = &mut writer.terms;
        for (a, b, order) in state.orders().iter() {
            let (Some(&a), Some(&b)) = (first.get(&a), first.get(&b)) else { continue };
            let Some(op) = order.comparison() else { continue };
            all.push(match op {
                BinaryOp::Lt => terms.bv_slt(a, b),
                BinaryOp::Le => terms.bv_sle(a, b),
                BinaryOp::Gt => terms.bv_slt(b, a),
                BinaryOp::Ge => terms.bv_sle(b, a),
                BinaryOp::Eq => terms.eq(a, b),
                _ => terms.ne(a, b),
            });
        }
        terms.and(&all)
    }

    /// What a slot holds, in formulas, and how wide that is; `None` if there is no name for it.
    fn variable(
        &self,
        writer: &mut Writer,
        slot: SlotId,
        beginnings: &Beginnings,
    ) -> Option<(Term, u32)> {
        let slot = self.machine.slots.get(slot);
        let width = u32::from(slot.width);
        let Root::Allocated(object) = slot.root else {
            let (name, scope) = name_of(self.space.program(), &slot)?;
            let variable = writer.terms.variable(&name, scope, Sort::BitVec(width));
            return Some((writer.terms.var(variable), width));
        };
        if slot.is_bit_field() || !slot.start.is_multiple_of(8) {
            return None;
        }
        let &begin = beginnings.get(&slot.root)?;
        let at = slot.start / 8;
        // By object, place and width, with the mark of memory by address.
        let name = format!("allocated{}.{at}:{width}[]#", object.0);
        let pointer = u32::from(self.space.program().types.target().pointer_bits());
        let terms = &mut writer.terms;
        let sort = terms.array_sort(Sort::BitVec(pointer), Sort::BitVec(width));
        let memory = terms.variable(&name, Scope::Global, sort);
        let memory = terms.var(memory);
        let distance = number(terms, at.into(), pointer);
        let address = terms.bv_add(begin, distance);
        let value = terms.select(memory, address);
        let object = self.machine.allocations.named(object);
        let held = |name: &String| HeldMemory {
            name: name.clone(),
            target: Held { object, offset: Offset::Exact(at) },
            holds: format!("u{width}"),
        };
        writer.held.entry(name).or_insert_with_key(held);
        Some((value, width))
    }

    /// The name of a slot, for people.
    pub fn describe(&self, slot: SlotId) -> String {
        let slot = self.machine.slots.get(slot);
        name_of(self.space.program(), &slot).map_or_else(|| "?".to_owned(), |(name, _)| name)
    }
}

/// The number that a value is.
fn number_of(layout: Option<&Layout>, addresses: Option<&Addresses>, value: Value) -> Option<Bits> {
    let address = match value {
        Value::Known(bits) => return Some(bits),
        Value::Function(func) => layout?.function(func),
        Value::Address(Root::Var(var), at) => layout?.variable(var).checked_add(at)?,
        Value::Address(Root::Allocated(object), at) => {
            let begin = addresses?.begin.get(&object).copied().flatten()?;
            begin.checked_add(at)?
        }
        Value::Address(Root::Result(_), _) | Value::Symbol { .. } | Value::Wide { .. } => {
            return None;
        }
    };
    Some(address.into())
}

/// An address of so many bits that is no number.
fn address(writer: &mut Writer, value: Value, beginnings: &Beginnings, width: u32) -> Option<Term> {
    match value {
        Value::Address(root, at) => {
            let &begin = beginnings.get(&root)?;
            let at = number(&mut writer.terms, at.into(), width);
            Some(writer.terms.bv_add(begin, at))
        }
        _ => None,
    }
}

fn number(terms: &mut Terms, bits: Bits, width: u32) -> Term {
    terms.bv(Integer::from(bits), width)
}

/// Whether a variable is in one of the ranges.
fn within(terms: &mut Terms, variable: Term, width: u32, parts: &[(Bits, Bits)]) -> Term {
    let greatest = gnomon_ir::ops::truncate(Bits::MAX, width as u16);
    let mut any = Vec::with_capacity(parts.len());
    for &(low, high) in parts {
        let (from, to) = (number(terms, low, width), number(terms, high, width));
        let mut both = Vec::new();
        if low == high {
            both.push(terms.eq(variable, from));
        } else {
            if low > 0 {
                both.push(terms.bv_ule(from, variable));
            }
            if high < greatest {
                both.push(terms.bv_ule(variable, to));
            }
        }
        any.push(terms.and(&both));
    }
    terms.or(&any)
}

/// The formula of sorted rows, from a column on.
fn branches(
    terms: &mut Terms,
    variables: &[(Term, u32)],
    rows: &[Vec<Bits>],
    column: usize,
) -> Term {
    let Some(&(variable, width)) = variables.get(column) else { return terms.tt() };
    // By the rest: the values that have it.
    let mut rests: Vec<(Term, Vec<Bits>)> = Vec::new();
    let mut known: BTreeMap<Term, usize> = BTreeMap::new();
    let mut begin = 0;
    while begin < rows.len() {
        let value = rows[begin][column];
        let length = rows[begin..].partition_point(|row| row[column] == value);
        let rest = branches(terms, variables, &rows[begin..begin + length], column + 1);
        match known.get(&rest) {
            Some(&at) => rests[at].1.push(value),
            None => {
                known.insert(rest, rests.len());
                rests.push((rest, vec![value]));
            }
        }
        begin += length;
    }
    let mut any = Vec::with_capacity(rests.len());
    for (rest, values) in rests {
        let mut parts: Vec<(Bits, Bits)> = Vec::new();
        for value in values {
            match parts.last_mut() {
                Some((_, end)) if *end + 1 == value => *end = value,
                _ => parts.push((value, value)),
            }
        }
        let here = within(terms, variable, width, &parts);
        any.push(terms.and2(here, rest));
    }
    terms.or(&any)
}

/// The name that the checker knows a slot by.
fn name_of(program: &Program, slot: &Slot) -> Option<(String, Scope)> {
    let Root::Var(var) = slot.root else { return None };
    if slot.is_bit_field() || !slot.start.is_multiple_of(8) {
        return None;
    }
    let info = &program.vars[var];
    let scope = match info.storage {
        Storage::Static { .. } => Scope::Global,
        Storage::Param(func) | Storage::Local(func) => Scope::Function(func.0),
    };
    Some((info.name.clone() + &way(program, var, slot)?, scope))
}

/// The fields and indices from a variable to a slot.
fn way(program: &Program, var: VarId, slot: &Slot) -> Option<String> {
    let types = &program.types;
    let (mut ty, mut at): (TypeId, u64) = (program.vars[var].ty, slot.start / 8);
    let mut name = String::new();
    loop {
        match *types.get(ty) {
            Type::Array { elem, len } => {
                let size = types.size(elem).max(1);
                let index = at / size;
                if index >= len {
                    return None;
                }
                name += &format!("[{index}]");
                (ty, at) = (elem, at % size);
            }
            Type::Record(record) => {
                let record = types.record(record);
                let fits = |offset: u64, ty: TypeId| offset <= at && at < offset + types.size(ty);
                let mut fields = record.fields.iter();
                let field = match record.kind {
                    RecordKind::Struct => fields.find(|f| f.bits.is_none() && fits(f.offset, f.ty)),
                    RecordKind::Union => {
                        fields.find(|f| f.bits.is_none() && types.size(f.ty) * 8 == slot.length)
                    }
                }?;
                if field.name.is_empty() {
                    return None;
                }
                name += ".";
                name += &field.name;
                (ty, at) = (field.ty, at - field.offset);
            }
            _ => {
                let fits = at == 0 && types.scalar(ty).is_some_and(|s| s.width() == slot.width);
                return fits.then_some(name);
            }
        }
    }
}
