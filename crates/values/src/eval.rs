//! Expressions and conditions over an abstract state, as far as they are known.
//!
//! Values are computed by [`gnomon_ir::ops`] alone. Of symbols, sums with numbers and extensions
//! to wider types are followed; everything else is not known. A condition that is not decided
//! says what it can of the symbols in it.

use std::ops::Range;

use gnomon_budget::{Budget, Exhausted};
use gnomon_engine::facts::Facts;
use gnomon_ir::expr::{BinaryOp, Bits, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::ops::{self, Scalar, truncate};
use gnomon_ir::program::{FuncId, Program};

use crate::allocated::Allocations;
use crate::effects::Effects;
use crate::orders::Order;
use crate::ranges::Ranges;
use crate::slots::{Location, Root, Slot, SlotId, Slots, index_of};
use crate::state::{State, Value};

/// What is tracked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tracked {
    /// Every slot.
    All,
    /// These, by number.
    Some(Vec<bool>),
}

impl Tracked {
    /// Tracks a slot; whether that is new.
    pub fn add(&mut self, slot: SlotId) -> bool {
        let Self::Some(which) = self else { return false };
        let number = slot.0 as usize;
        if which.len() <= number {
            which.resize(number + 1, false);
        }
        !std::mem::replace(&mut which[number], true)
    }

    /// Whether a slot is tracked.
    pub fn contains(&self, slot: SlotId) -> bool {
        match self {
            Self::All => true,
            Self::Some(which) => which.get(slot.0 as usize).copied().unwrap_or(false),
        }
    }
}

/// What a step read and wrote, for slices of paths.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    /// Whether it is kept.
    pub is_kept: bool,
    /// Slots that were looked at.
    pub read: Vec<SlotId>,
    /// Slots that hold something else now, whatever they held before, each with what of `read` it
    /// was computed from.
    pub written: Vec<(SlotId, Range<usize>)>,
    /// Slots of which more is known than before.
    pub narrowed: Vec<SlotId>,
}

/// Why a step has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The run ends there.
    Ends,
    /// A limit was reached.
    Exhausted(Exhausted),
}

impl From<Exhausted> for Stop {
    fn from(limit: Exhausted) -> Self {
        Self::Exhausted(limit)
    }
}

/// What executes steps on abstract states.
pub struct Machine<'a> {
    pub(crate) program: &'a Program,
    /// The slots that were met.
    pub slots: Slots<'a>,
    pub(crate) effects: Effects<'a>,
    pub(crate) allocations: Allocations<'a>,
    pub(crate) budget: Budget,
    /// What is tracked.
    pub tracked: Tracked,
    /// What the last steps did.
    pub journal: Journal,
}

const fn known(bits: Bits) -> Value {
    Value::Known(bits)
}

impl<'a> Machine<'a> {
    /// For a program, by the facts about it.
    pub fn new(facts: &'a Facts<'a>, budget: Budget) -> Self {
        Self {
            program: facts.program(),
            slots: Slots::new(facts.program()),
            effects: Effects::new(facts),
            allocations: Allocations::new(facts),
            budget,
            tracked: Tracked::Some(Vec::new()),
            journal: Journal::default(),
        }
    }

    /// The values that a slot can hold.
    pub(crate) fn possible(slot: &Slot) -> Ranges {
        match slot {
            Slot { is_bool: true, .. } => Ranges::between(0, 1),
            slot if slot.is_bit_field() => {
                let length = slot.length as u16;
                Ranges::full(length).widened(length, slot.width, slot.signed)
            }
            slot => Ranges::full(slot.width),
        }
    }

    /// What a slot holds. If that is not known, a symbol stands for it from now on.
    pub(crate) fn load(&mut self, state: &mut State, slot: SlotId) -> Option<Value> {
        if self.journal.is_kept {
            self.journal.read.push(slot);
        }
        if !self.tracked.contains(slot) {
            return None;
        }
        if let Some(value) = state.get(slot) {
            return Some(value);
        }
        let info = self.slots.get(slot);
        let value = state.fresh(info.width, Self::possible(&info));
        state.set(slot, Some(value));
        Some(value)
    }

    /// Where a place is, as far as that is known.
    pub(crate) fn locate(
        &mut self,
        state: &mut State,
        place: PlaceId,
    ) -> Result<Option<Location>, Stop> {
        if let Some(at) = self.slots.fixed(place) {
            return Ok(Some(at));
        }
        let found = self.program.exprs.place(place);
        Ok(match found.kind {
            PlaceKind::Var(var) => Some((Root::Var(var), 0)),
            PlaceKind::Deref(pointer) => match self.eval(state, pointer)? {
                Some(Value::Address(root, at)) => {
                    let end = at.saturating_add(self.program.types.size(found.ty));
                    (end <= self.extent(root)).then_some((root, at))
                }
                _ => None,
            },
            PlaceKind::Field(base, field) => match self.locate(state, base)? {
                Some(at) => self.slots.member(base, at, field),
                None => None,
            },
            PlaceKind::Index(base, index) => {
                let number = self.eval(state, index)?;
                match (self.locate(state, base)?, number) {
                    (Some(at), Some(Value::Known(bits))) => {
                        let index = index_of(self.program, index, bits);
                        index.and_then(|index| self.slots.element(base, at, index))
                    }
                    _ => None,
                }
            }
        })
    }

    /// The bytes of an object whose address can be known.
    fn extent(&self, root: Root) -> u64 {
        match root {
            Root::Var(var) => self.program.types.size(self.program.vars[var].ty),
            Root::Allocated(object) => self.allocations.size(object),
            Root::Result(_) => 0,
        }
    }

    fn scalar(&self, expr: ExprId) -> Option<Scalar> {
        self.program.types.scalar(self.program.expr_ty(expr))
    }

    /// The value of an expression, as far as it is known.
    pub(crate) fn eval(&mut self, state: &mut State, expr: ExprId) -> Result<Option<Value>, Stop> {
        let program = self.program;
        let Some(scalar) = self.scalar(expr) else { return Ok(None) };
        Ok(match program.exprs.expr(expr).kind {
            ExprKind::Const(bits) => Some(known(program.exprs.bits(bits))),
            ExprKind::Zero => Some(known(0)),
            ExprKind::Load(place) => match self.locate(state, place)? {
                Some(at) => match self.slots.of_place(place, at) {
                    Some(slot) => self.load(state, slot),
                    None => None,
                },
                None => None,
            },
            ExprKind::AddrOf(place) => {
                let at = self.locate(state, place)?;
                at.map(|(root, at)| Value::Address(root, at))
            }
            ExprKind::FuncAddr(func) => Some(Value::Function(func)),
            ExprKind::Unary(op, a) => match self.eval(state, a)? {
                Some(Value::Known(bits)) => Some(known(ops::unary(op, scalar, bits))),
                _ => None,
            },
            ExprKind::Binary(op, a, b) => {
                let (Some(left), Some(right)) = (self.scalar(a), self.scalar(b)) else {
                    return Ok(None);
                };
                let (x, y) = (self.eval(state, a)?, self.eval(state, b)?);
                self.binary(state, op, (left, x), (right, y))?
            }
            ExprKind::PtrAdd(pointer, index) => {
                let (p, i) = (self.eval(state, pointer)?, self.eval(state, index)?);
                let size = program.types.pointee(program.expr_ty(pointer));
                let size = size.map_or(1, |ty| program.types.size(ty));
                match (p, i) {
                    (Some(Value::Address(root, at)), Some(Value::Known(bits))) => {
                        let moved = index_of(program, index, bits)
                            .and_then(|index| index.checked_mul(i128::from(size)))
                            .and_then(|by| by.checked_add(i128::from(at)))
                            .and_then(|at| u64::try_from(at).ok());
                        let end = self.extent(root);
                        let moved = moved.filter(|at| *at <= end);
                        moved.map(|at| Value::Address(root, at))
                    }
                    _ => None,
                }
            }
            ExprKind::PtrDiff(a, b) => {
                self.eval(state, a)?;
                self.eval(state, b)?;
                None
            }
            ExprKind::Cast(inner) => {
                let value = self.eval(state, inner)?;
                match (value, self.scalar(inner)) {
                    (Some(value), Some(from)) => cast(state, value, from, scalar),
                    _ => None,
                }
            }
        })
    }

    fn binary(
        &self,
        state: &State,
        op: BinaryOp,
        (left, x): (Scalar, Option<Value>),
        (right, y): (Scalar, Option<Value>),
    ) -> Result<Option<Value>, Stop> {
        if let (Some(Value::Known(a)), Some(Value::Known(b))) = (x, y) {
            return match ops::binary(op, left, a, right, b) {
                Ok(bits) => Ok(Some(known(bits))),
                Err(_) => Err(Stop::Ends),
            };
        }
        let is_int = !matches!(left, Scalar::Float(_));
        if op.is_comparison() {
            let decided = match (x, y) {
                (Some(x), Some(y)) if is_int => self.decide(state, op, left, x, y),
                _ => None,
            };
            return Ok(decided.map(|holds| known(holds.into())));
        }
        let width = left.width();
        Ok(match (op, x, y) {
            (BinaryOp::Div | BinaryOp::Rem, _, Some(Value::Known(0))) if is_int => {
                return Err(Stop::Ends);
            }
            (BinaryOp::Mul | BinaryOp::BitAnd, Some(Value::Known(0)), _)
            | (BinaryOp::Mul | BinaryOp::BitAnd, _, Some(Value::Known(0)))
                if is_int =>
            {
                Some(known(0))
            }
            (BinaryOp::Add, Some(Value::Symbol { symbol, add }), Some(Value::Known(bits)))
            | (BinaryOp::Add, Some(Value::Known(bits)), Some(Value::Symbol { symbol, add })) => {
                let add = truncate(add.wrapping_add(bits), width);
                Some(Value::Symbol { symbol, add })
            }
            (BinaryOp::Sub, Some(Value::Symbol { symbol, add }), Some(Value::Known(bits))) => {
                let add = truncate(add.wrapping_sub(bits), width);
                Some(Value::Symbol { symbol, add })
            }
            (
                BinaryOp::Sub,
                Some(Value::Symbol { symbol: a, add: x }),
                Some(Value::Symbol { symbol: b, add: y }),
            ) if a == b => Some(known(truncate(x.wrapping_sub(y), width))),
            _ => None,
        })
    }

    /// Whether a comparison holds, if that is certain.
    fn decide(
        &self,
        state: &State,
        op: BinaryOp,
        scalar: Scalar,
        x: Value,
        y: Value,
    ) -> Option<bool> {
        use Value::Wide;
        let equal_or_not = |equal: bool| match op {
            BinaryOp::Eq => Some(equal),
            BinaryOp::Ne => Some(!equal),
            _ => None,
        };
        let reflexive = matches!(op, BinaryOp::Eq | BinaryOp::Le | BinaryOp::Ge);
        match (x, y) {
            (Value::Address(a, i), Value::Address(b, j)) => {
                let inside = |root: Root, at: u64| at < self.extent(root);
                // As numbers with a sign, addresses may have another order than offsets.
                let unsigned = Scalar::Int { bits: scalar.width(), signed: false };
                let is_ordered = scalar == unsigned || matches!(op, BinaryOp::Eq | BinaryOp::Ne);
                match a == b {
                    true if is_ordered => {
                        let compared = ops::binary(op, unsigned, i.into(), unsigned, j.into());
                        compared.ok().map(|b| b != 0)
                    }
                    true => None,
                    false if inside(a, i) && inside(b, j) => equal_or_not(false),
                    false => None,
                }
            }
            (Value::Function(a), Value::Function(b)) => equal_or_not(a == b),
            (Value::Address(..) | Value::Function(_), Value::Known(0))
            | (Value::Known(0), Value::Address(..) | Value::Function(_)) => equal_or_not(false),
            (Value::Address(..) | Value::Function(_), _)
            | (_, Value::Address(..) | Value::Function(_)) => None,
            (Value::Symbol { symbol: a, add: i }, Value::Symbol { symbol: b, add: j })
                if a == b =>
            {
                if i == j {
                    Some(reflexive)
                } else {
                    equal_or_not(false)
                }
            }
            (
                Wide { symbol: a, add: i, signed: s, .. },
                Wide { symbol: b, add: j, signed: t, .. },
            ) if a == b && s == t => {
                if i == j {
                    Some(reflexive)
                } else {
                    equal_or_not(false)
                }
            }
            _ => {
                if let Some((a, b, true)) = related(state, scalar, x, y) {
                    let (known, asked) = (state.orders().between(a, b), Order::of(op)?);
                    if known.is_within(asked) || known.and(asked).is_empty() {
                        return Some(known.is_within(asked));
                    }
                }
                let (left, right) = (possible(state, x)?, possible(state, y)?);
                let allowed = allowed(op, scalar, &right)?;
                if left.intersection(&allowed).is_empty() {
                    return Some(false);
                }
                let refuted = self::allowed(op.negated()?, scalar, &right)?;
                left.intersection(&refuted).is_empty().then_some(true)
            }
        }
    }

    /// Goes on only if a condition is true, or is not; whether that is possible.
    pub(crate) fn assume(
        &mut self,
        state: &mut State,
        condition: ExprId,
        wanted: bool,
    ) -> Result<bool, Stop> {
        let program = self.program;
        let found = program.exprs.expr(condition).kind;
        if let ExprKind::Binary(op, a, b) = found
            && op.is_comparison()
        {
            // `(a < b) == 0`, as negations are written.
            if let (BinaryOp::Eq | BinaryOp::Ne, Some(0)) = (op, program.exprs.const_bits(b))
                && is_truth(program, a)
            {
                return self.assume(state, a, wanted == (op == BinaryOp::Ne));
            }
            let Some(scalar) = self.scalar(a) else { return Ok(true) };
            let (x, y) = (self.eval(state, a)?, self.eval(state, b)?);
            if let Scalar::Float(_) = scalar {
                return Ok(match self.binary(state, op, (scalar, x), (scalar, y))? {
                    Some(Value::Known(bits)) => (bits != 0) == wanted,
                    _ => true,
                });
            }
            let op = match (wanted, op.negated()) {
                (true, _) => op,
                (false, Some(negated)) => negated,
                (false, None) => return Ok(true),
            };
            return Ok(match (x, y) {
                (Some(x), Some(y)) => self.compare(state, op, scalar, x, y),
                _ => true,
            });
        }
        if let ExprKind::Cast(inner) = found
            && is_truth(program, inner)
        {
            return self.assume(state, inner, wanted);
        }
        let Some(scalar) = self.scalar(condition) else { return Ok(true) };
        let Some(value) = self.eval(state, condition)? else { return Ok(true) };
        if let Scalar::Float(_) = scalar {
            return Ok(match value {
                Value::Known(bits) => ops::is_true(scalar, bits) == wanted,
                _ => true,
            });
        }
        let op = if wanted { BinaryOp::Ne } else { BinaryOp::Eq };
        Ok(self.compare(state, op, scalar, value, known(0)))
    }

    /// Learns what follows from a comparison; whether it can hold.
    fn compare(
        &mut self,
        state: &mut State,
        op: BinaryOp,
        scalar: Scalar,
        x: Value,
        y: Value,
    ) -> bool {
        if let (Value::Known(a), Value::Known(b)) = (x, y) {
            return ops::binary(op, scalar, a, scalar, b) == Ok(1);
        }
        if let Some(decided) = self.decide(state, op, scalar, x, y) {
            return decided;
        }
        let equal = match (op, x, y) {
            (
                BinaryOp::Eq,
                Value::Symbol { symbol: a, add: i },
                Value::Symbol { symbol: b, add: j },
            ) => Some((a, i, b, j)),
            (
                BinaryOp::Eq,
                Value::Wide { symbol: a, add: i, signed: s, .. },
                Value::Wide { symbol: b, add: j, signed: t, .. },
            ) if s == t && state.symbol(a).width == state.symbol(b).width => Some((a, i, b, j)),
            _ => None,
        };
        if let Some((a, i, b, j)) = equal.filter(|(a, _, b, _)| a != b) {
            self.note_narrowed(state, a);
            self.note_narrowed(state, b);
            // a + i == b + j
            let width = state.symbol(a).width;
            return state.unify(a, b, truncate(j.wrapping_sub(i), width));
        }
        if let Some((a, b, is_signed)) = related(state, scalar, x, y)
            && let Some(order) = Order::of(op).filter(|_| is_signed || op == BinaryOp::Ne)
        {
            self.note_narrowed(state, a);
            self.note_narrowed(state, b);
            if !state.relate(a, b, order) {
                return false;
            }
        }
        let (Some(left), Some(right)) = (possible(state, x), possible(state, y)) else {
            return true;
        };
        let mirrored = mirrored(op);
        for (number, op, other) in [(x, op, &right), (y, mirrored, &left)] {
            if let Some(allowed) = allowed(op, scalar, other)
                && !self.restrict(state, number, &allowed)
            {
                return false;
            }
        }
        true
    }

    fn restrict(&mut self, state: &mut State, number: Value, allowed: &Ranges) -> bool {
        let (symbol, add, allowed) = match number {
            Value::Symbol { symbol, add } => (symbol, add, allowed.clone()),
            Value::Wide { symbol, add, signed, width } => {
                let narrow = state.symbol(symbol).width;
                (symbol, add, allowed.narrowed(narrow, width, signed))
            }
            _ => return true,
        };
        self.note_narrowed(state, symbol);
        let width = state.symbol(symbol).width;
        state.restrict(symbol, &allowed.plus(add.wrapping_neg(), width))
    }

    fn note_narrowed(&mut self, state: &State, symbol: u32) {
        if self.journal.is_kept {
            self.journal.narrowed.extend(state.holders(symbol));
        }
    }

    /// The slot of what a function returns.
    pub(crate) fn result(&mut self, func: FuncId) -> Option<SlotId> {
        let signature = self.program.types.signature(self.program.funcs[func].ty)?;
        let ty = signature.result;
        self.slots.scalar(Root::Result(func), 0, ty)
    }
}

/// Whether an expression is a truth value: a comparison, or one converted to another type.
pub(crate) fn is_truth(program: &Program, expr: ExprId) -> bool {
    match program.exprs.expr(expr).kind {
        ExprKind::Binary(op, ..) => op.is_comparison(),
        ExprKind::Cast(inner) => {
            let is_int = matches!(
                program.types.scalar(program.expr_ty(expr)),
                Some(Scalar::Int { .. } | Scalar::Bool)
            );
            is_int && is_truth(program, inner)
        }
        _ => false,
    }
}

/// The two different symbols of the same width that are compared, if nothing is added to them, and
/// whether as signed numbers.
fn related(state: &State, scalar: Scalar, x: Value, y: Value) -> Option<(u32, u32, bool)> {
    let is_signed = matches!(scalar, Scalar::Int { signed: true, .. });
    let (a, b, is_signed) = match (x, y) {
        (Value::Symbol { symbol: a, add: 0 }, Value::Symbol { symbol: b, add: 0 }) => {
            (a, b, is_signed)
        }
        (
            Value::Wide { symbol: a, add: 0, signed: s, .. },
            Value::Wide { symbol: b, add: 0, signed: t, .. },
        ) if s == t => (a, b, is_signed && s),
        _ => return None,
    };
    (a != b && state.symbol(a).width == state.symbol(b).width).then_some((a, b, is_signed))
}

/// The comparison with its sides exchanged.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}

/// The values that a number may have.
fn possible(state: &State, number: Value) -> Option<Ranges> {
    Some(match number {
        Value::Known(bits) => Ranges::single(bits),
        Value::Symbol { symbol, add } => {
            let info = state.symbol(symbol);
            info.ranges.plus(add, info.width)
        }
        Value::Wide { symbol, add, signed, width } => {
            let info = state.symbol(symbol);
            info.ranges.plus(add, info.width).widened(info.width, width, signed)
        }
        _ => return None,
    })
}

/// The values that compare so with some value of a set.
fn allowed(op: BinaryOp, scalar: Scalar, others: &Ranges) -> Option<Ranges> {
    if let Some(bits) = others.as_single() {
        return Ranges::compared(op, scalar, bits);
    }
    let width = scalar.width();
    let half = match scalar {
        Scalar::Int { signed: true, .. } => 1 << (width - 1),
        _ => 0,
    };
    let ordered = others.plus(half, width);
    let (first, last) = (ordered.parts().first()?.0, ordered.parts().last()?.1);
    let back = |bits: Bits| truncate(bits.wrapping_add(half), width);
    match op {
        BinaryOp::Eq => Some(others.clone()),
        BinaryOp::Ne => Some(Ranges::full(width)),
        BinaryOp::Lt | BinaryOp::Le => Ranges::compared(op, scalar, back(last)),
        BinaryOp::Gt | BinaryOp::Ge => Ranges::compared(op, scalar, back(first)),
        _ => None,
    }
}

/// A value in another type.
fn cast(state: &State, value: Value, from: Scalar, to: Scalar) -> Option<Value> {
    if let Value::Known(bits) = value {
        return Some(known(ops::cast(from, to, bits)));
    }
    if matches!(value, Value::Address(..) | Value::Function(_)) {
        // A number that is as wide is the same bits; of others, that it is not null is what matters.
        return match (from, to) {
            (Scalar::Int { bits: a, .. }, Scalar::Int { bits: b, .. }) if a == b => Some(value),
            (Scalar::Int { .. }, Scalar::Bool) => Some(known(1)),
            _ => None,
        };
    }
    if matches!(from, Scalar::Float(_)) || matches!(to, Scalar::Float(_)) {
        return None;
    }
    if to == Scalar::Bool && from != Scalar::Bool {
        let zero = Ranges::single(0);
        let is_zero = possible(state, value)?.intersection(&zero);
        return is_zero.is_empty().then_some(known(1));
    }
    let signed = matches!(from, Scalar::Int { signed: true, .. });
    let width = to.width();
    match value {
        Value::Symbol { .. } if width == from.width() => Some(value),
        Value::Symbol { symbol, add } if width > from.width() => {
            Some(Value::Wide { symbol, add, signed, width })
        }
        Value::Wide { symbol, add, signed: first, width: old } => {
            let narrow = state.symbol(symbol).width;
            if width == narrow {
                Some(Value::Symbol { symbol, add })
            } else if width > narrow && width <= old {
                Some(Value::Wide { symbol, add, signed: first, width })
            } else if width > old && (!first || signed) {
                // Zeros above make a number that is positive in every type; a sign goes on.
                Some(Value::Wide { symbol, add, signed: first, width })
            } else {
                None
            }
        }
        _ => None,
    }
}
