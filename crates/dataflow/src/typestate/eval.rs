//! Values of expressions in a fact, and what a branch says about them.

use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::VarId;
use gnomon_ir::types::Type;

use super::fact::{Fact, Holders, RESULT};
use super::fresh::FIRST_DESCRIPTOR;
use super::value::Value;
use super::world::World;

/// Counters of automata are followed up to here.
const MOST_COUNTED: i128 = 64;

impl World<'_> {
    /// The expression without conversions that keep its value.
    pub fn stripped(&self, mut e: ExprId) -> ExprId {
        while let ExprKind::Cast(inner) = self.program.exprs.expr(e).kind {
            let (from, to) = (self.ty(inner), self.ty(e));
            let types = &self.program.types;
            let keeps = match (types.get(from), types.get(to)) {
                (Type::Pointer(_), Type::Pointer(_)) | (Type::Bool, Type::Int { .. }) => true,
                (&Type::Int { bits: a, signed: s }, &Type::Int { bits: b, signed: t }) => {
                    s == t && a <= b || !s && t && a < b
                }
                _ => false,
            };
            if !keeps {
                break;
            }
            e = inner;
        }
        e
    }

    /// The number of the automaton's variable that is read.
    fn ghost(&self, e: ExprId) -> Option<usize> {
        let var = self.read_var(e)?;
        self.ghosts.iter().position(|&ghost| ghost == var)
    }

    fn read_var(&self, e: ExprId) -> Option<VarId> {
        if e == RESULT {
            return None;
        }
        let ExprKind::Load(place) = self.program.exprs.expr(e).kind else { return None };
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(var) => Some(var),
            _ => None,
        }
    }

    pub fn is_tracked_variable(&self, e: ExprId) -> bool {
        self.automaton.tracked.is_some() && self.read_var(e) == self.automaton.tracked
    }

    /// What the type says.
    fn bounds(&self, e: ExprId) -> Value {
        match *self.program.types.get(self.ty(e)) {
            Type::Bool => Value::TRUTH,
            Type::Int { bits, signed: false } if bits < 64 => Value::between(0, (1 << bits) - 1),
            Type::Int { signed: false, .. } | Type::Pointer(_) => Value::between(0, i128::MAX),
            Type::Int { bits, signed: true } if bits <= 64 => {
                Value::between(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
            }
            _ => Value::UNKNOWN,
        }
    }

    /// What is known of the value of an expression.
    pub fn eval(&self, fact: &Fact, e: ExprId) -> Value {
        let e = self.stripped(e);
        let bounds = self.bounds(e);
        if let Some(ghost) = self.ghost(e) {
            return fact.ghosts[ghost].map_or(bounds, Value::constant);
        }
        if let Some(known) = fact.get(e) {
            let watched = if known.same == Some(true) && !self.is_tracked_variable(e) {
                self.watched_number(fact)
            } else {
                Value::UNKNOWN
            };
            let met = known.meet(&watched).and_then(|v| v.meet(&bounds));
            return met.unwrap_or(known);
        }
        let value = match self.program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero => match self.program.as_int(e) {
                Some(number) => Value::constant(number),
                None => Value::UNKNOWN,
            },
            ExprKind::FuncAddr(_) => Value::nonzero(),
            ExprKind::AddrOf(place) => self.address_value(fact, e, place),
            ExprKind::Load(_) | ExprKind::Unary(..) => Value::UNKNOWN,
            ExprKind::PtrAdd(..) | ExprKind::PtrDiff(..) => Value::UNKNOWN,
            ExprKind::Cast(inner) => {
                let value = self.eval(fact, inner).number();
                // What does not fit becomes something else.
                if value.is_implied_by(&bounds) || bounds.is_implied_by(&value) && value.is_known()
                {
                    value
                } else if matches!(self.program.types.get(self.ty(e)), Type::Bool) {
                    match value.truth() {
                        Some(truth) => Value::constant(truth.into()),
                        None => Value::TRUTH,
                    }
                } else {
                    Value::UNKNOWN
                }
            }
            ExprKind::Binary(op, a, b) => return self.eval_binary(fact, op, a, b),
        };
        value.meet(&bounds).unwrap_or(value)
    }

    fn address_value(&self, fact: &Fact, e: ExprId, place: PlaceId) -> Value {
        let mut value = Value::UNKNOWN;
        value.nonzero = self.program.exprs.root_var(place).is_some();
        if fact.origin != 0
            && let (Some(at), Some(watched)) =
                (self.static_address(e), self.origins.exact(fact.origin))
        {
            value.same = Some(at == watched);
        }
        value
    }

    fn eval_binary(&self, fact: &Fact, op: BinaryOp, a: ExprId, b: ExprId) -> Value {
        if op.is_comparison() || matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr) {
            let truth = self.binary_truth(fact, op, a, b);
            return match (truth, op.is_comparison()) {
                (Some(truth), true) => Value::constant(truth.into()),
                (None, true) => Value::TRUTH,
                (Some(false), false) => Value::constant(0),
                (Some(true), false) => Value::nonzero(),
                (None, false) => Value::UNKNOWN,
            };
        }
        // Counters of the automaton only: others would be followed without end.
        let counts = |e: ExprId| self.ghost(e).is_some() || self.program.as_int(e).is_some();
        if !(counts(self.stripped(a)) && counts(self.stripped(b))) {
            return Value::UNKNOWN;
        }
        let numbers = (self.eval(fact, a).as_constant(), self.eval(fact, b).as_constant());
        let (Some(a), Some(b)) = numbers else { return Value::UNKNOWN };
        let result = match op {
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Sub => a.checked_sub(b),
            _ => None,
        };
        match result {
            Some(number) if number.abs() <= MOST_COUNTED => Value::constant(number),
            _ => Value::UNKNOWN,
        }
    }

    /// Whether so little is known of who has the watched value that details do not help.
    pub fn is_vague(&self, fact: &Fact) -> bool {
        fact.origin != 0
            && fact.holders == Holders::Any
            && self.origins.exact(fact.origin).is_none()
    }

    /// What is known of the watched number.
    pub fn watched_number(&self, fact: &Fact) -> Value {
        let known = fact.values.iter().find(|(e, _)| self.is_tracked_variable(*e));
        known.map_or(Value::UNKNOWN, |(_, value)| value.number())
    }

    /// Whether an expression is the watched value.
    fn is_watched(&self, fact: &Fact, e: ExprId) -> Option<bool> {
        let value = self.eval(fact, e);
        if value.same.is_some() {
            return value.same;
        }
        let number = self.watched_number(fact);
        if !value.may_equal(&number) {
            return Some(false);
        }
        if self.origins.is_new_descriptor(fact.origin) && value.high < FIRST_DESCRIPTOR {
            return Some(false);
        }
        if self.may_hold(fact, e) { None } else { Some(false) }
    }

    /// Whether the watched value, or something computed from it, may be in the value.
    pub fn may_hold(&self, fact: &Fact, e: ExprId) -> bool {
        let e = self.stripped(e);
        // What is not the watched value may still point into the middle of the watched object.
        if fact.get(e).and_then(|value| value.same) == Some(true) {
            return true;
        }
        if fact.origin != 0
            && self.origins.is_in_object(fact.origin)
            && self.program.types.is_pointer(self.ty(e))
            && self.pointees(e).is_disjoint(self.origins.objects(fact.origin))
        {
            return false;
        }
        self.derives(fact, e)
    }

    fn derives(&self, fact: &Fact, e: ExprId) -> bool {
        match self.program.exprs.expr(e).kind {
            // Without a new value, addresses and numbers may be the watched ones by themselves.
            ExprKind::Const(_) | ExprKind::Zero => {
                let number = self.program.as_int(e);
                fact.holders == Holders::Any
                    || self.origins.of_numbers && number.is_none_or(|n| n >= FIRST_DESCRIPTOR)
            }
            ExprKind::FuncAddr(_) => fact.holders == Holders::Any,
            ExprKind::Load(place) => {
                let cells = self.cells(place);
                let numbers = &self.numbers.any;
                let is_clean = |cell: u32| fact.cleaned.binary_search(&cell).is_ok();
                fact.holders.any(|cell| cells.contains(cell))
                    || !numbers.is_empty()
                        && cells.intersects(numbers)
                        && cells.iter().any(|cell| numbers.contains(cell) && !is_clean(cell))
            }
            ExprKind::AddrOf(place) => self.address_derives(fact, place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => {
                self.is_computed(e) || self.may_hold(fact, a)
            }
            ExprKind::Binary(op, a, b) => {
                !op.is_comparison()
                    && (self.is_computed(e) || self.may_hold(fact, a) || self.may_hold(fact, b))
            }
            ExprKind::PtrAdd(a, b) => self.may_hold(fact, a) || self.may_hold(fact, b),
            ExprKind::PtrDiff(a, b) => {
                self.is_computed(e) || self.may_hold(fact, a) || self.may_hold(fact, b)
            }
        }
    }

    /// A computed number may be any, the watched one too.
    fn is_computed(&self, e: ExprId) -> bool {
        let tracked = self.automaton.tracked.map(|var| self.program.vars[var].ty);
        let watches_numbers = tracked.is_some_and(|ty| !self.program.types.is_pointer(ty));
        watches_numbers && self.program.types.is_integer(self.ty(e))
    }

    fn address_derives(&self, fact: &Fact, place: PlaceId) -> bool {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => fact.holders == Holders::Any,
            PlaceKind::Deref(e) => self.may_hold(fact, e),
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => {
                self.address_derives(fact, base)
            }
        }
    }

    /// Whether a condition holds.
    pub fn truth(&self, fact: &Fact, e: ExprId) -> Option<bool> {
        self.eval(fact, e).truth()
    }

    fn binary_truth(&self, fact: &Fact, op: BinaryOp, a: ExprId, b: ExprId) -> Option<bool> {
        match op {
            BinaryOp::BitOr => match (self.truth(fact, a), self.truth(fact, b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            BinaryOp::BitAnd => match (self.eval(fact, a), self.eval(fact, b)) {
                (a, b) if a.truth() == Some(false) || b.truth() == Some(false) => Some(false),
                (a, b) if a.as_constant() == Some(1) && b.as_constant() == Some(1) => Some(true),
                _ => None,
            },
            BinaryOp::Eq => self.equal(fact, a, b),
            BinaryOp::Ne => self.equal(fact, a, b).map(|same| !same),
            _ if self.program.types.is_float(self.ty(a)) => None,
            _ => {
                let (x, y) = (self.eval(fact, a), self.eval(fact, b));
                match op {
                    BinaryOp::Lt => ordered(x, y),
                    BinaryOp::Ge => ordered(x, y).map(|less| !less),
                    BinaryOp::Gt => ordered(y, x),
                    BinaryOp::Le => ordered(y, x).map(|less| !less),
                    _ => None,
                }
            }
        }
    }

    fn equal(&self, fact: &Fact, a: ExprId, b: ExprId) -> Option<bool> {
        if self.program.types.is_float(self.ty(a)) {
            return None;
        }
        let (a, b) = (self.stripped(a), self.stripped(b));
        if a == b {
            return Some(true);
        }
        if fact.origin != 0 {
            if self.is_tracked_variable(a) || fact.get(a).and_then(|v| v.same) == Some(true) {
                return self.is_watched(fact, b);
            }
            if self.is_tracked_variable(b) || fact.get(b).and_then(|v| v.same) == Some(true) {
                return self.is_watched(fact, a);
            }
        }
        let (x, y) = (self.eval(fact, a), self.eval(fact, b));
        match (x.as_constant(), y.as_constant()) {
            (Some(x), Some(y)) => Some(x == y),
            _ if !x.may_equal(&y) => Some(false),
            _ => None,
        }
    }

    /// The fact in those runs in which a condition holds, or does not; `None` if there are none.
    pub fn refined(&self, mut fact: Fact, condition: ExprId, wanted: bool) -> Option<Fact> {
        match self.truth(&fact, condition) {
            Some(truth) if truth != wanted => return None,
            Some(_) => return Some(fact),
            None => {}
        }
        let e = self.stripped(condition);
        match self.program.exprs.expr(e).kind {
            ExprKind::Binary(BinaryOp::Eq, a, b) => self.refined_equal(fact, a, b, wanted),
            ExprKind::Binary(BinaryOp::Ne, a, b) => self.refined_equal(fact, a, b, !wanted),
            ExprKind::Binary(BinaryOp::BitOr, a, b) if !wanted => {
                let fact = self.refined(fact, a, false)?;
                self.refined(fact, b, false)
            }
            ExprKind::Binary(BinaryOp::BitAnd, a, b) if wanted => {
                let fact = self.refined(fact, a, true)?;
                self.refined(fact, b, true)
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                self.refined_order(fact, op, a, b, wanted)
            }
            ExprKind::Cast(inner) if matches!(self.program.types.get(self.ty(e)), Type::Bool) => {
                self.refined(fact, inner, wanted)
            }
            ExprKind::Load(_) => {
                let known = if wanted { Value::nonzero() } else { Value::constant(0) };
                self.narrow(&mut fact, e, known)?;
                Some(fact)
            }
            _ => Some(fact),
        }
    }

    fn refined_equal(&self, mut fact: Fact, a: ExprId, b: ExprId, equal: bool) -> Option<Fact> {
        if self.program.types.is_float(self.ty(a)) {
            return Some(fact);
        }
        let (a, b) = (self.stripped(a), self.stripped(b));
        let (x, y) = (self.eval(&fact, a), self.eval(&fact, b));
        // `(a | b) == 0`, `(a == b) == 0`.
        for (e, other) in [(a, y), (b, x)] {
            let is_binary = matches!(self.program.exprs.expr(e).kind, ExprKind::Binary(..));
            if is_binary && other.as_constant() == Some(0) {
                return self.refined(fact, e, !equal);
            }
        }
        for (e, other, value) in [(a, b, y), (b, a, x)] {
            let watched =
                fact.origin != 0 && (self.is_tracked_variable(other) || value.same == Some(true));
            let same = if watched { Some(equal) } else { None };
            let known = if equal {
                Value { same, ..value }
            } else {
                let zero = value.as_constant() == Some(0);
                let mut known = Value { same, nonzero: zero, ..Value::UNKNOWN };
                // The ends of a range can be cut off.
                let own = self.eval(&fact, e);
                if let Some(number) = value.as_constant() {
                    known.low = if own.low == number { number + 1 } else { known.low };
                    known.high = if own.high == number { number - 1 } else { known.high };
                }
                known
            };
            if !self.is_tracked_variable(e) {
                self.narrow(&mut fact, e, known)?;
            } else {
                self.narrow(&mut fact, e, known.number())?;
            }
        }
        Some(fact)
    }

    fn refined_order(
        &self,
        mut fact: Fact,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        wanted: bool,
    ) -> Option<Fact> {
        let op = if wanted { Some(op) } else { op.negated() };
        if self.program.types.is_float(self.ty(a)) {
            return Some(fact);
        }
        let (a, b) = (self.stripped(a), self.stripped(b));
        let (x, y) = (self.eval(&fact, a), self.eval(&fact, b));
        let below = |limit: Value, strict: bool| {
            let high = limit.high.saturating_sub(i128::from(strict && limit.high != i128::MAX));
            Value::between(i128::MIN, high)
        };
        let above = |limit: Value, strict: bool| {
            let low = limit.low.saturating_add(i128::from(strict && limit.low != i128::MIN));
            Value::between(low, i128::MAX)
        };
        let (for_a, for_b) = match op {
            Some(BinaryOp::Lt) => (below(y, true), above(x, true)),
            Some(BinaryOp::Le) => (below(y, false), above(x, false)),
            Some(BinaryOp::Gt) => (above(y, true), below(x, true)),
            Some(BinaryOp::Ge) => (above(y, false), below(x, false)),
            _ => return Some(fact),
        };
        self.narrow(&mut fact, a, for_a)?;
        self.narrow(&mut fact, b, for_b)?;
        Some(fact)
    }

    /// More is known of an expression; `None` if that cannot be.
    fn narrow(&self, fact: &mut Fact, e: ExprId, known: Value) -> Option<()> {
        let old = self.eval(fact, e);
        let new = old.meet(&known)?;
        if let Some(ghost) = self.ghost(e) {
            if let Some(number) = new.as_constant() {
                let mut ghosts = fact.ghosts.to_vec();
                ghosts[ghost] = Some(number);
                fact.ghosts = ghosts.into();
            }
            return Some(());
        }
        if old == new {
            return Some(());
        }
        if new.same == Some(true)
            && let Some(tracked) = fact.values.iter().find(|(t, _)| self.is_tracked_variable(*t))
        {
            let (tracked, value) = *tracked;
            let both = value.meet(&new.number())?;
            fact.set(tracked, both);
        }
        let lasting = matches!(
            self.program.exprs.expr(e).kind,
            ExprKind::Load(_) | ExprKind::AddrOf(_) | ExprKind::PtrAdd(..)
        );
        if lasting && self.is_stable(e) && self.is_remembered_expr(e) {
            fact.set(e, new);
        }
        Some(())
    }

    fn is_remembered_expr(&self, e: ExprId) -> bool {
        match self.program.exprs.expr(e).kind {
            ExprKind::Load(place) => self.is_remembered(place),
            _ => true,
        }
    }
}

/// Whether the first is less.
fn ordered(a: Value, b: Value) -> Option<bool> {
    if a.high < b.low {
        Some(true)
    } else if a.low >= b.high {
        Some(false)
    } else {
        None
    }
}
