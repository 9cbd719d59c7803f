//! What is known where a condition is true, or false: expressions evaluated backwards.

use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, UnaryOp};
use gnomon_ir::ops::Scalar;

use crate::float::{self, Float};
use crate::int::{Compared, Int, Shape, refined};
use crate::model::{Access, Model};
use crate::state::State;
use crate::value::Value;

/// Comparisons that cells stand for are followed so deep.
const MAX_DEPTH: u32 = 4;

impl Model<'_> {
    /// The runs in which a condition is true or false; `None` if there are none.
    pub fn assume(&self, state: &State, e: ExprId, truth: bool) -> Option<State> {
        let mut after = state.clone();
        self.assume_in(&mut after, e, truth, MAX_DEPTH)?;
        Some(after)
    }

    fn assume_in(&self, state: &mut State, e: ExprId, truth: bool, depth: u32) -> Option<()> {
        let types = &self.program.types;
        let ty = self.program.exprs.ty(e);
        let Some(scalar) = types.scalar(ty) else { return Some(()) };
        let value = self.eval(state, e)?;
        match (self.truth(scalar, types.is_pointer(ty), &value), truth) {
            (Compared::Always, false) | (Compared::Never, true) => return None,
            _ => {}
        }
        match self.program.exprs.expr(e).kind {
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                self.assume_comparison(state, op, a, b, truth, depth)
            }
            ExprKind::Cast(a) if self.keeps_truth(e, a) => self.assume_in(state, a, truth, depth),
            ExprKind::Load(place) => {
                if let (Access::Whole(cell), true) = (self.access(place), depth > 0)
                    && let Some(comparison) = state.comparison(cell)
                {
                    self.assume_in(state, comparison, truth, depth - 1)?;
                }
                self.assume_zero(state, e, scalar, types.is_pointer(ty), !truth)
            }
            _ => self.assume_zero(state, e, scalar, types.is_pointer(ty), !truth),
        }
    }

    /// Whether a conversion is zero exactly where what is converted is.
    fn keeps_truth(&self, e: ExprId, a: ExprId) -> bool {
        let types = &self.program.types;
        let (to, from) = (types.scalar(self.program.exprs.ty(e)), self.program.exprs.ty(a));
        match (to, types.scalar(from)) {
            (Some(Scalar::Bool), Some(_)) => true,
            (Some(Scalar::Int { bits, .. }), Some(from)) => {
                !matches!(from, Scalar::Float(_)) && bits >= from.width()
            }
            _ => false,
        }
    }

    fn assume_zero(
        &self,
        state: &mut State,
        e: ExprId,
        scalar: Scalar,
        is_pointer: bool,
        is_zero: bool,
    ) -> Option<()> {
        if is_pointer {
            let wanted = if is_zero { Value::Null } else { Value::NonNull };
            return self.push(state, e, wanted);
        }
        if let Scalar::Float(kind) = scalar {
            if !float::is_followed(kind) {
                return Some(());
            }
            let (value, zero) = (self.eval(state, e)?.as_float(kind), Float::constant(0.0));
            let (left, _) = Float::refined(BinaryOp::Eq, kind, is_zero, &value, &zero)?;
            return self.push(state, e, Value::float(kind, left));
        }
        let Some(shape) = Shape::of(scalar) else { return Some(()) };
        let op = if is_zero { BinaryOp::Eq } else { BinaryOp::Ne };
        let value = self.eval(state, e)?.as_int(shape);
        let (left, _) = refined(op, shape, &value, &Int::constant(shape, 0))?;
        self.push(state, e, Value::int(shape, left))
    }

    fn assume_comparison(
        &self,
        state: &mut State,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        truth: bool,
        depth: u32,
    ) -> Option<()> {
        let types = &self.program.types;
        let ty = self.program.exprs.ty(a);
        let Some(scalar) = types.scalar(ty) else { return Some(()) };
        if types.is_pointer(ty) {
            return self.assume_pointers(state, op, a, b, truth);
        }
        if let Scalar::Float(kind) = scalar {
            if !float::is_followed(kind) {
                return Some(());
            }
            let (x, y) = (self.eval(state, a)?.as_float(kind), self.eval(state, b)?.as_float(kind));
            let (x, y) = Float::refined(op, kind, truth, &x, &y)?;
            self.push(state, a, Value::float(kind, x))?;
            return self.push(state, b, Value::float(kind, y));
        }
        let Some(shape) = Shape::of(scalar) else { return Some(()) };
        let Some(op) = (if truth { Some(op) } else { op.negated() }) else { return Some(()) };
        let (x, y) = (self.eval(state, a)?.as_int(shape), self.eval(state, b)?.as_int(shape));
        // `c != 0` where `c` is the result of a comparison.
        if let (BinaryOp::Eq | BinaryOp::Ne, Some(0), true) = (op, y.single(), depth > 0) {
            self.assume_in(state, a, op == BinaryOp::Ne, depth - 1)?;
        }
        let (x, y) = {
            let narrower = refined(op, shape, &x, &y)?;
            self.push(state, a, Value::int(shape, narrower.0))?;
            self.push(state, b, Value::int(shape, narrower.1))?;
            narrower
        };
        let _ = (x, y);
        let (Some((x, c)), Some((y, d))) = (self.linear(state, a), self.linear(state, b)) else {
            return Some(());
        };
        // x + c op y + d
        let by = d - c;
        match op {
            BinaryOp::Lt => state.assume_difference(self, x, y, by - 1),
            BinaryOp::Le => state.assume_difference(self, x, y, by),
            BinaryOp::Gt => state.assume_difference(self, y, x, -by - 1),
            BinaryOp::Ge => state.assume_difference(self, y, x, -by),
            BinaryOp::Eq => {
                state.assume_difference(self, x, y, by)?;
                state.assume_difference(self, y, x, -by)
            }
            BinaryOp::Ne => {
                // At an end of the possible differences, one less is possible.
                if state.difference(self, x, y) == Some(by) {
                    state.assume_difference(self, x, y, by - 1)?;
                }
                if state.difference(self, y, x) == Some(-by) {
                    state.assume_difference(self, y, x, -by - 1)?;
                }
                Some(())
            }
            _ => Some(()),
        }
    }

    fn assume_pointers(
        &self,
        state: &mut State,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        truth: bool,
    ) -> Option<()> {
        let are_equal = match op {
            BinaryOp::Eq => truth,
            BinaryOp::Ne => !truth,
            _ => return Some(()),
        };
        let (x, y) = (self.eval(state, a)?, self.eval(state, b)?);
        match (x, y, are_equal) {
            (Value::Null, _, true) => self.push(state, b, Value::Null),
            (_, Value::Null, true) => self.push(state, a, Value::Null),
            (Value::NonNull, _, true) => self.push(state, b, Value::NonNull),
            (_, Value::NonNull, true) => self.push(state, a, Value::NonNull),
            (Value::Null, _, false) => self.push(state, b, Value::NonNull),
            (_, Value::Null, false) => self.push(state, a, Value::NonNull),
            _ => Some(()),
        }
    }

    /// An expression is one of these: what that says of the cells in it. What is pushed is contained
    /// in what the expression can be.
    fn push(&self, state: &mut State, e: ExprId, wanted: Value) -> Option<()> {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        let is_pointer = types.is_pointer(exprs.ty(e));
        match exprs.expr(e).kind {
            ExprKind::Load(place) => {
                let Access::Whole(cell) = self.access(place) else { return Some(()) };
                let old = state.value(cell);
                let Some(scalar) = types.scalar(exprs.ty(e)) else { return Some(()) };
                let readable = old == Value::Any || old.read_as(scalar, is_pointer) == old;
                match (old, wanted) {
                    (Value::Null, Value::NonNull) | (Value::NonNull, Value::Null) => None,
                    _ if wanted == Value::Any || !readable => Some(()),
                    _ => state.refine(self, cell, wanted),
                }
            }
            ExprKind::Cast(a) if is_pointer && types.is_pointer(exprs.ty(a)) => {
                self.push(state, a, wanted)
            }
            ExprKind::Cast(a) => {
                let (Some(from), Some(to)) = (self.int_shape(a), self.int_shape(e)) else {
                    return Some(());
                };
                if types.scalar(exprs.ty(e)) == Some(Scalar::Bool) {
                    return Some(());
                }
                let (int, wanted) = (self.eval(state, a)?.as_int(from), wanted.as_int(to));
                // Where nothing is lost, both are the same number.
                if int.low < to.min() || int.high > to.max() {
                    return Some(());
                }
                let narrower =
                    Int { low: int.low.max(wanted.low), high: int.high.min(wanted.high), ..int };
                self.push(state, a, Value::int(from, narrower.reduced(from)?))
            }
            ExprKind::Unary(UnaryOp::Neg, a) => {
                let Some(shape) = self.int_shape(e) else { return Some(()) };
                let int = self.eval(state, a)?.as_int(shape);
                if -int.high < shape.min() || -int.low > shape.max() {
                    return Some(());
                }
                let wanted = wanted.as_int(shape);
                let narrower =
                    Int { low: int.low.max(-wanted.high), high: int.high.min(-wanted.low), ..int };
                self.push(state, a, Value::int(shape, narrower.reduced(shape)?))
            }
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let Some(shape) = self.int_shape(e) else { return Some(()) };
                self.push_sum(state, op, shape, a, b, &wanted.as_int(shape))
            }
            _ => Some(()),
        }
    }

    fn push_sum(
        &self,
        state: &mut State,
        op: BinaryOp,
        shape: Shape,
        a: ExprId,
        b: ExprId,
        wanted: &Int,
    ) -> Option<()> {
        let (x, y) = (self.eval(state, a)?.as_int(shape), self.eval(state, b)?.as_int(shape));
        let (low, high) = match op {
            BinaryOp::Add => (x.low + y.low, x.high + y.high),
            _ => (x.low - y.high, x.high - y.low),
        };
        if low < shape.min() || high > shape.max() {
            return Some(());
        }
        let clip = |int: &Int, low: i128, high: i128| {
            Int { low: int.low.max(low), high: int.high.min(high), ..*int }.reduced(shape)
        };
        let (left, right) = match op {
            BinaryOp::Add => (
                clip(&x, wanted.low - y.high, wanted.high - y.low)?,
                clip(&y, wanted.low - x.high, wanted.high - x.low)?,
            ),
            _ => (
                clip(&x, wanted.low + y.low, wanted.high + y.high)?,
                clip(&y, x.low - wanted.high, x.high - wanted.low)?,
            ),
        };
        self.push(state, a, Value::int(shape, left))?;
        self.push(state, b, Value::int(shape, right))
    }
}
