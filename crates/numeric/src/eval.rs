//! What an expression can be in a state.
//!
//! `None` says that no run goes on: a division by zero. Comparisons and differences of two cells with
//! constants also ask the differences of the state.

use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, UnaryOp};
use gnomon_ir::ops::Scalar;
use gnomon_ir::types::Type;

use crate::float::{self, Float};
use crate::int::{Compared, Int, Shape, compare};
use crate::model::{Access, Cell, Model};
use crate::state::State;
use crate::value::{Value, constant};

impl Model<'_> {
    fn scalar(&self, e: ExprId) -> Option<(Scalar, bool)> {
        let types = &self.program.types;
        let ty = self.program.exprs.ty(e);
        Some((types.scalar(ty)?, types.is_pointer(ty)))
    }

    /// The type of an expression that is an integer, and no pointer.
    pub(crate) fn int_shape(&self, e: ExprId) -> Option<Shape> {
        let (scalar, is_pointer) = self.scalar(e)?;
        Shape::of(scalar).filter(|_| !is_pointer)
    }

    /// What an expression of scalar type can be.
    pub fn eval(&self, state: &State, e: ExprId) -> Option<Value> {
        let expr = self.program.exprs.expr(e);
        let Some((scalar, is_pointer)) = self.scalar(e) else { return Some(Value::Any) };
        Some(match expr.kind {
            ExprKind::Const(_) | ExprKind::Zero => {
                constant(scalar, is_pointer, self.program.exprs.const_bits(e).unwrap_or(0))
            }
            ExprKind::Load(place) => self.load(state, place).read_as(scalar, is_pointer),
            ExprKind::AddrOf(place) => match self.is_inside(state, place) {
                true => Value::NonNull,
                false => Value::Any,
            },
            ExprKind::FuncAddr(_) => Value::NonNull,
            ExprKind::PtrAdd(..) => Value::Any,
            ExprKind::PtrDiff(..) => Value::Any,
            ExprKind::Unary(op, a) => self.unary(op, scalar, &self.eval(state, a)?)?,
            ExprKind::Binary(op, a, b) => self.binary(state, op, scalar, a, b)?,
            ExprKind::Cast(a) => self.cast(a, scalar, is_pointer, &self.eval(state, a)?)?,
        })
    }

    fn load(&self, state: &State, place: PlaceId) -> Value {
        match self.access(place) {
            Access::Whole(cell) => state.value(cell),
            Access::Bits(width, _) => {
                let ty = self.program.place_ty(place);
                match self.program.types.scalar(ty).and_then(Shape::of) {
                    Some(shape) if u16::from(width) < shape.bits => {
                        let field = Shape { bits: u16::from(width), ..shape };
                        let range = Int::range(shape, field.min(), field.max());
                        range.map_or(Value::Any, |range| Value::int(shape, range))
                    }
                    _ => Value::Any,
                }
            }
            Access::Some(_) => Value::Any,
        }
    }

    /// Whether a place lies in a variable for sure, so that its address is not null.
    fn is_inside(&self, state: &State, place: PlaceId) -> bool {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => true,
            PlaceKind::Deref(_) => false,
            PlaceKind::Field(base, _) => self.is_inside(state, base),
            PlaceKind::Index(base, index) => {
                let len = match *self.program.types.get(self.program.place_ty(base)) {
                    Type::Array { len, .. } => i128::from(len),
                    _ => return false,
                };
                let Some(shape) = self.int_shape(index) else { return false };
                let Some(value) = self.eval(state, index) else { return false };
                let int = value.as_int(shape);
                int.low >= 0 && int.high <= len && self.is_inside(state, base)
            }
        }
    }

    fn unary(&self, op: UnaryOp, scalar: Scalar, a: &Value) -> Option<Value> {
        if let Scalar::Float(kind) = scalar {
            return Some(match op {
                UnaryOp::Neg => Value::float(kind, a.as_float(kind).negated()),
                UnaryOp::BitNot => Value::Any,
            });
        }
        let Some(shape) = Shape::of(scalar) else { return Some(Value::Any) };
        let int = a.as_int(shape);
        let result = match op {
            UnaryOp::Neg => Int::negated(shape, &int)?,
            UnaryOp::BitNot => Int::complemented(shape, &int)?,
        };
        Some(Value::int(shape, result))
    }

    fn binary(
        &self,
        state: &State,
        op: BinaryOp,
        scalar: Scalar,
        a: ExprId,
        b: ExprId,
    ) -> Option<Value> {
        let (x, y) = (self.eval(state, a)?, self.eval(state, b)?);
        if op.is_comparison() {
            return Some(match self.compared(state, op, (a, &x), (b, &y)) {
                Compared::Always => Value::truth(true),
                Compared::Never => Value::truth(false),
                Compared::Sometimes => {
                    const INT: Shape = Shape { bits: 32, signed: true };
                    Int::range(INT, 0, 1).map_or(Value::Any, |int| Value::int(INT, int))
                }
            });
        }
        if let Scalar::Float(kind) = scalar {
            return Some(match float::is_followed(kind) {
                true => {
                    let result = Float::binary(op, kind, &x.as_float(kind), &y.as_float(kind));
                    Value::float(kind, result)
                }
                false => Value::Any,
            });
        }
        let Some(shape) = Shape::of(scalar) else { return Some(Value::Any) };
        let right = self.int_shape(b).unwrap_or(shape);
        let result = Int::binary(op, shape, &x.as_int(shape), right, &y.as_int(right))?;
        let result = match op {
            BinaryOp::Sub => self.subtracted(state, shape, a, b, result)?,
            _ => result,
        };
        Some(Value::int(shape, result))
    }

    /// A difference of two cells, where the state bounds it and it does not wrap around.
    fn subtracted(
        &self,
        state: &State,
        shape: Shape,
        a: ExprId,
        b: ExprId,
        result: Int,
    ) -> Option<Int> {
        let (Some((x, c)), Some((y, d))) = (self.linear(state, a), self.linear(state, b)) else {
            return Some(result);
        };
        let above = state.difference(self, x, y).map(|bound| bound + c - d);
        let below = state.difference(self, y, x).map(|bound| c - d - bound);
        match (below, above) {
            (Some(low), Some(high)) if low >= shape.min() && high <= shape.max() => {
                Int { low: result.low.max(low), high: result.high.min(high), ..result }
                    .reduced(shape)
            }
            _ => Some(result),
        }
    }

    /// What a comparison gives.
    pub(crate) fn compared(
        &self,
        state: &State,
        op: BinaryOp,
        (a, x): (ExprId, &Value),
        (b, y): (ExprId, &Value),
    ) -> Compared {
        let Some((scalar, is_pointer)) = self.scalar(a) else { return Compared::Sometimes };
        if is_pointer {
            return match (op, x, y) {
                (BinaryOp::Eq, Value::Null, Value::Null) => Compared::Always,
                (BinaryOp::Ne, Value::Null, Value::Null) => Compared::Never,
                (BinaryOp::Eq, Value::Null, Value::NonNull)
                | (BinaryOp::Eq, Value::NonNull, Value::Null) => Compared::Never,
                (BinaryOp::Ne, Value::Null, Value::NonNull)
                | (BinaryOp::Ne, Value::NonNull, Value::Null) => Compared::Always,
                _ => Compared::Sometimes,
            };
        }
        if let Scalar::Float(kind) = scalar {
            return match float::is_followed(kind) {
                true => Float::compare(op, &x.as_float(kind), &y.as_float(kind)),
                false => Compared::Sometimes,
            };
        }
        let Some(shape) = Shape::of(scalar) else { return Compared::Sometimes };
        match compare(op, shape, &x.as_int(shape), &y.as_int(shape)) {
            Compared::Sometimes => self.compared_by_difference(state, op, a, b),
            decided => decided,
        }
    }

    fn compared_by_difference(
        &self,
        state: &State,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Compared {
        let (Some((x, c)), Some((y, d))) = (self.linear(state, a), self.linear(state, b)) else {
            return Compared::Sometimes;
        };
        // The least and the greatest value of a - b.
        let high = state.difference(self, x, y).map(|bound| bound + c - d);
        let low = state.difference(self, y, x).map(|bound| c - d - bound);
        let (Some(low), Some(high)) = (low, high) else { return Compared::Sometimes };
        let (always, never) = match op {
            BinaryOp::Lt => (high < 0, low >= 0),
            BinaryOp::Le => (high <= 0, low > 0),
            BinaryOp::Gt => (low > 0, high <= 0),
            BinaryOp::Ge => (low >= 0, high < 0),
            BinaryOp::Eq => (low == 0 && high == 0, high < 0 || low > 0),
            BinaryOp::Ne => (high < 0 || low > 0, low == 0 && high == 0),
            _ => (false, false),
        };
        match (always, never) {
            (true, _) => Compared::Always,
            (_, true) => Compared::Never,
            _ => Compared::Sometimes,
        }
    }

    fn cast(&self, from: ExprId, to: Scalar, to_pointer: bool, value: &Value) -> Option<Value> {
        let Some((source, from_pointer)) = self.scalar(from) else { return Some(Value::Any) };
        Some(match (source, to) {
            _ if to_pointer && from_pointer => *value,
            _ if to_pointer => match value {
                Value::Int(_, int) if int.single() == Some(0) => Value::Null,
                _ => Value::Any,
            },
            (_, Scalar::Bool) => match self.truth(source, from_pointer, value) {
                Compared::Always => constant(Scalar::Bool, false, 1),
                Compared::Never => constant(Scalar::Bool, false, 0),
                Compared::Sometimes => {
                    let shape = Shape { bits: 8, signed: false };
                    Value::int(shape, Int::range(shape, 0, 1)?)
                }
            },
            _ if from_pointer => match (value, Shape::of(to)) {
                (Value::Null, Some(shape)) => Value::Int(shape, Int::constant(shape, 0)),
                _ => Value::Any,
            },
            (Scalar::Float(kind), _) if !float::is_followed(kind) => Value::Any,
            (_, Scalar::Float(kind)) if !float::is_followed(kind) => Value::Any,
            (Scalar::Float(kind), Scalar::Float(target)) => {
                Value::float(target, value.as_float(kind).cast(kind, target))
            }
            (Scalar::Float(kind), _) => {
                let shape = Shape::of(to);
                let int = shape.and_then(|shape| value.as_float(kind).to_int(shape));
                match (shape, int) {
                    (Some(shape), Some(int)) => Value::int(shape, int),
                    _ => Value::Any,
                }
            }
            (_, Scalar::Float(kind)) => match Shape::of(source) {
                Some(shape) => {
                    let float = Float::of_int(&value.as_int(shape), source, shape, kind);
                    Value::float(kind, float)
                }
                None => Value::Any,
            },
            _ => match (Shape::of(source), Shape::of(to)) {
                (Some(shape), Some(target)) => {
                    Value::int(target, value.as_int(shape).cast(shape, target)?)
                }
                _ => Value::Any,
            },
        })
    }

    /// Whether a value is not zero.
    pub(crate) fn truth(&self, scalar: Scalar, is_pointer: bool, value: &Value) -> Compared {
        match (value, scalar) {
            (Value::Null, _) => Compared::Never,
            (Value::NonNull, _) => Compared::Always,
            _ if is_pointer => Compared::Sometimes,
            (_, Scalar::Float(kind)) if float::is_followed(kind) => value.as_float(kind).truth(),
            _ => match Shape::of(scalar) {
                Some(shape) => {
                    let zero = Int::constant(shape, 0);
                    compare(BinaryOp::Ne, shape, &value.as_int(shape), &zero)
                }
                None => Compared::Sometimes,
            },
        }
    }

    /// The cell that an expression is a constant away from in this state, without wrapping around.
    pub(crate) fn linear(&self, state: &State, e: ExprId) -> Option<(Cell, i128)> {
        let exprs = &self.program.exprs;
        let shape = self.int_shape(e)?;
        match exprs.expr(e).kind {
            ExprKind::Load(place) => match self.access(place) {
                Access::Whole(cell) => (self.shape(cell)? == shape).then_some((cell, 0)),
                _ => None,
            },
            ExprKind::Cast(a) => {
                let from = self.int_shape(a)?;
                if self.program.types.scalar(exprs.ty(e)) == Some(Scalar::Bool) {
                    return None;
                }
                let int = self.eval(state, a)?.as_int(from);
                let fits = shape.min() <= int.low && int.high <= shape.max();
                fits.then(|| self.linear(state, a)).flatten()
            }
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let number = |e: ExprId| {
                    let value = self.eval(state, e)?;
                    value.as_int(shape).single()
                };
                let (base, by) = match (op, number(a), number(b)) {
                    (BinaryOp::Add, _, Some(c)) => (a, c),
                    (BinaryOp::Sub, _, Some(c)) => (a, -c),
                    (BinaryOp::Add, Some(c), _) => (b, c),
                    _ => return None,
                };
                let int = self.eval(state, base)?.as_int(shape);
                let (low, high) = (int.low + by, int.high + by);
                // Adding the pattern of a negative number to an unsigned one wraps for all of them.
                let by = match (low >= shape.min(), high <= shape.max()) {
                    (true, true) => by,
                    _ if low - shape.count() >= shape.min()
                        && high - shape.count() <= shape.max() =>
                    {
                        by - shape.count()
                    }
                    _ => return None,
                };
                let (cell, offset) = self.linear(state, base)?;
                Some((cell, offset + by))
            }
            _ => None,
        }
    }
}
