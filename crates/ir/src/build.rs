//! Constructors of expressions and places: they find the type and fold constants.
//!
//! A constructor that is given operands of the wrong type does not panic: it builds the expression,
//! and the checks of the model name it. The front end gives the right ones.

use crate::expr::{BinaryOp, Bits, Expr, ExprId, ExprKind, Place, PlaceId, PlaceKind, UnaryOp};
use crate::ops::{self, Scalar};
use crate::program::{FuncId, Program, VarId};
use crate::types::{Type, TypeId, Types};

impl Program {
    /// The type of an expression.
    pub fn expr_ty(&self, e: ExprId) -> TypeId {
        self.exprs.ty(e)
    }

    /// The type of a place.
    pub fn place_ty(&self, p: PlaceId) -> TypeId {
        self.exprs.place(p).ty
    }

    fn expr(&mut self, ty: TypeId, kind: ExprKind) -> ExprId {
        self.exprs.intern_expr(Expr { ty, kind })
    }

    fn place(&mut self, ty: TypeId, kind: PlaceKind) -> PlaceId {
        self.exprs.intern_place(Place { ty, kind })
    }

    /// A number of integer or floating-point type, from its bits; more bits than the type has are
    /// cut off. For a pointer type the null pointer, if the bits are zero.
    pub fn constant(&mut self, ty: TypeId, bits: Bits) -> ExprId {
        let width = self.types.scalar(ty).map_or(128, Scalar::width);
        let bits = ops::truncate(bits, width);
        if bits == 0 && self.types.is_pointer(ty) {
            return self.zero(ty);
        }
        let id = self.exprs.intern_const(bits);
        self.expr(ty, ExprKind::Const(id))
    }

    /// A number of integer type, from its value.
    pub fn int(&mut self, ty: TypeId, value: i128) -> ExprId {
        self.constant(ty, value as u128)
    }

    /// All bytes zero. For numbers this is the constant 0.
    pub fn zero(&mut self, ty: TypeId) -> ExprId {
        match self.types.get(ty) {
            Type::Bool | Type::Int { .. } | Type::Float(_) => self.constant(ty, 0),
            _ => self.expr(ty, ExprKind::Zero),
        }
    }

    /// The place of a variable.
    pub fn var_place(&mut self, var: VarId) -> PlaceId {
        self.place(self.vars[var].ty, PlaceKind::Var(var))
    }

    /// What a pointer points to; `*&p` is `p`.
    pub fn deref(&mut self, pointer: ExprId) -> PlaceId {
        let Expr { ty, kind } = self.exprs.expr(pointer);
        let pointee = self.types.pointee(ty).unwrap_or(Types::VOID);
        match kind {
            ExprKind::AddrOf(place) if self.exprs.place(place).ty == pointee => place,
            _ => self.place(pointee, PlaceKind::Deref(pointer)),
        }
    }

    /// A member of the record in a place.
    pub fn field(&mut self, base: PlaceId, field: u32) -> PlaceId {
        let record = self.types.as_record(self.place_ty(base));
        let ty = record.and_then(|(_, r)| r.fields.get(field as usize)).map(|f| f.ty);
        self.place(ty.unwrap_or(Types::VOID), PlaceKind::Field(base, field))
    }

    /// An element of the array in a place.
    pub fn index(&mut self, base: PlaceId, index: ExprId) -> PlaceId {
        let ty = match *self.types.get(self.place_ty(base)) {
            Type::Array { elem, .. } => elem,
            _ => Types::VOID,
        };
        self.place(ty, PlaceKind::Index(base, index))
    }

    /// The value in a place.
    pub fn load(&mut self, place: PlaceId) -> ExprId {
        self.expr(self.place_ty(place), ExprKind::Load(place))
    }

    /// The value of a variable.
    pub fn load_var(&mut self, var: VarId) -> ExprId {
        let place = self.var_place(var);
        self.load(place)
    }

    /// The address of a place; `&*p` is `p`. The root variable counts as address-taken.
    pub fn address_of(&mut self, place: PlaceId) -> ExprId {
        let Place { ty, kind } = self.exprs.place(place);
        let pointer = self.types.pointer(ty);
        if let PlaceKind::Deref(inner) = kind
            && self.expr_ty(inner) == pointer
        {
            return inner;
        }
        if let Some(var) = self.exprs.root_var(place) {
            self.vars[var].address_taken = true;
        }
        self.expr(pointer, ExprKind::AddrOf(place))
    }

    /// The address of the first element of an array in a place: what an array decays to.
    pub fn decay(&mut self, array: PlaceId) -> ExprId {
        let zero = self.int(Types::I32, 0);
        let first = self.index(array, zero);
        self.address_of(first)
    }

    /// The address of a function.
    pub fn func_addr(&mut self, func: FuncId) -> ExprId {
        let ty = self.types.pointer(self.funcs[func].ty);
        self.expr(ty, ExprKind::FuncAddr(func))
    }

    /// `-a` or `~a`.
    pub fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        let ty = self.expr_ty(a);
        match (self.exprs.const_bits(a), self.types.scalar(ty)) {
            (Some(bits), Some(scalar)) => self.constant(ty, ops::unary(op, scalar, bits)),
            _ => self.expr(ty, ExprKind::Unary(op, a)),
        }
    }

    /// `a op b`. A division that would trap is not folded.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let operand = self.expr_ty(a);
        let ty = if op.is_comparison() { Types::I32 } else { operand };
        let folded = (|| {
            let (left, right) = (self.exprs.const_bits(a)?, self.exprs.const_bits(b)?);
            let scalar = self.types.scalar(operand)?;
            let right_scalar = self.types.scalar(self.expr_ty(b))?;
            ops::binary(op, scalar, left, right_scalar, right).ok()
        })();
        match folded {
            Some(bits) => self.constant(ty, bits),
            None => self.expr(ty, ExprKind::Binary(op, a, b)),
        }
    }

    /// A pointer moved by a number of elements.
    pub fn ptr_add(&mut self, pointer: ExprId, index: ExprId) -> ExprId {
        if self.exprs.const_bits(index) == Some(0) {
            return pointer;
        }
        self.expr(self.expr_ty(pointer), ExprKind::PtrAdd(pointer, index))
    }

    /// The number of elements between two pointers.
    pub fn ptr_diff(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let ty = self.types.ptrdiff_type();
        if a == b {
            return self.int(ty, 0);
        }
        self.expr(ty, ExprKind::PtrDiff(a, b))
    }

    /// The value converted to a type; nothing if it has that type.
    pub fn cast(&mut self, to: TypeId, e: ExprId) -> ExprId {
        let from = self.expr_ty(e);
        if from == to {
            return e;
        }
        if let (Some(bits), Some(source), Some(target)) =
            (self.exprs.const_bits(e), self.types.scalar(from), self.types.scalar(to))
        {
            let value = ops::cast(source, target, bits);
            // Only the null pointer is a constant of pointer type.
            if value == 0 || !self.types.is_pointer(to) {
                return self.constant(to, value);
            }
        }
        // `(size_t)&((struct s *)0)->m`: an offset in old clothes.
        if self.types.is_integer(to)
            && self.types.is_pointer(from)
            && let Some(address) = self.constant_address(e)
        {
            let address = self.constant(self.types.size_type(), u128::from(address));
            return self.cast(to, address);
        }
        self.expr(to, ExprKind::Cast(e))
    }

    /// The address that a pointer made from a constant has: no variable is in it.
    fn constant_address(&self, e: ExprId) -> Option<u64> {
        match self.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero => u64::try_from(self.exprs.const_bits(e)?).ok(),
            ExprKind::Cast(inner) => self.constant_address(inner),
            ExprKind::AddrOf(place) => self.constant_place(place),
            _ => None,
        }
    }

    fn constant_place(&self, place: PlaceId) -> Option<u64> {
        match self.exprs.place(place).kind {
            PlaceKind::Var(_) => None,
            PlaceKind::Deref(e) => self.constant_address(e),
            PlaceKind::Field(base, field) => {
                let (_, record) = self.types.as_record(self.place_ty(base))?;
                let offset = record.fields.get(field as usize)?.offset;
                self.constant_place(base)?.checked_add(offset)
            }
            PlaceKind::Index(base, index) => {
                let index = u64::try_from(self.as_int(index)?).ok()?;
                let size = self.types.size(self.exprs.place(place).ty);
                self.constant_place(base)?.checked_add(index.checked_mul(size)?)
            }
        }
    }

    /// `e != 0` as `int`; a comparison is its own truth value.
    pub fn truth(&mut self, e: ExprId) -> ExprId {
        if let ExprKind::Binary(op, ..) = self.exprs.expr(e).kind
            && op.is_comparison()
        {
            return e;
        }
        let zero = self.zero(self.expr_ty(e));
        self.binary(BinaryOp::Ne, e, zero)
    }

    /// `e == 0` as `int`: `!e`. A comparison of integers or pointers is turned round.
    pub fn not(&mut self, e: ExprId) -> ExprId {
        if let ExprKind::Binary(op, a, b) = self.exprs.expr(e).kind
            && let Some(negated) = op.negated()
            && (matches!(op, BinaryOp::Eq | BinaryOp::Ne) || !self.types.is_float(self.expr_ty(a)))
        {
            return self.binary(negated, a, b);
        }
        let zero = self.zero(self.expr_ty(e));
        self.binary(BinaryOp::Eq, e, zero)
    }

    /// The value of a constant of integer type.
    pub fn as_int(&self, e: ExprId) -> Option<i128> {
        let scalar = self.types.scalar(self.expr_ty(e))?;
        match scalar {
            Scalar::Float(_) => None,
            _ => Some(ops::extend(scalar, self.exprs.const_bits(e)?)),
        }
    }

    /// Whether a constant of scalar type is not zero; `None` if it is not a constant. The address
    /// of a variable or function is never zero.
    pub fn as_truth(&self, e: ExprId) -> Option<bool> {
        let Expr { ty, kind } = self.exprs.expr(e);
        match kind {
            ExprKind::FuncAddr(_) => Some(true),
            ExprKind::AddrOf(place) => self.exprs.root_var(place).map(|_| true),
            _ => Some(ops::is_true(self.types.scalar(ty)?, self.exprs.const_bits(e)?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Storage, Var};
    use crate::span::Span;
    use crate::types::Target;

    fn program_with_int() -> (Program, VarId) {
        let mut p = Program::new(Target::Lp64);
        let storage = Storage::Static { init: None, thread_local: false, read_only: false };
        let x = p.vars.push(Var {
            name: "x".into(),
            ty: Types::I32,
            storage,
            address_taken: false,
            span: Span::NONE,
        });
        (p, x)
    }

    #[test]
    fn constants_fold_and_traps_do_not() {
        let (mut p, _) = program_with_int();
        let (a, b) = (p.int(Types::I32, i128::from(i32::MAX)), p.int(Types::I32, 1));
        let sum = p.binary(BinaryOp::Add, a, b);
        assert_eq!(p.as_int(sum), Some(i128::from(i32::MIN)));
        let zero = p.int(Types::I32, 0);
        let quotient = p.binary(BinaryOp::Div, a, zero);
        assert_eq!(p.as_int(quotient), None);
    }

    #[test]
    fn address_and_deref_cancel() {
        let (mut p, x) = program_with_int();
        let place = p.var_place(x);
        let address = p.address_of(place);
        assert!(p.vars[x].address_taken);
        assert_eq!(p.deref(address), place);
        assert_eq!(p.as_truth(address), Some(true));
    }

    #[test]
    fn negation_of_comparisons_respects_nan() {
        let (mut p, x) = program_with_int();
        let value = p.load_var(x);
        let zero = p.int(Types::I32, 0);
        let less = p.binary(BinaryOp::Lt, value, zero);
        let expected = p.binary(BinaryOp::Ge, value, zero);
        assert_eq!(p.not(less), expected);
        let double = p.types.float(crate::types::FloatKind::F64);
        let real = p.cast(double, value);
        let float_zero = p.zero(double);
        let less = p.binary(BinaryOp::Lt, real, float_zero);
        let negated = p.not(less);
        let int_zero = p.int(Types::I32, 0);
        assert_eq!(p.exprs.expr(negated).kind, ExprKind::Binary(BinaryOp::Eq, less, int_zero));
    }
}
