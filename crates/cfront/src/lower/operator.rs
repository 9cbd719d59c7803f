//! Operators on two values: numbers and pointers (C17 6.5.5 to 6.5.14).

use gnomon_ir::expr::{
    BinaryOp as IrBinary, ExprId as IrExpr, ExprKind as IrExprKind, UnaryOp as IrUnary,
};
use gnomon_ir::ops;
use gnomon_ir::types as ir;

use super::conv::Val;
use super::ctype::{CTypes, QType};
use super::{Lower, Res};
use crate::ast::BinaryOp;
use crate::span::Span;

impl Lower<'_> {
    /// `a op b` for the operators that evaluate both sides.
    pub(super) fn binary(&mut self, op: BinaryOp, a: Val, b: Val, span: Span) -> Res<Val> {
        match op {
            BinaryOp::Add => self.add(a, b, span),
            BinaryOp::Sub => self.subtract(a, b, span),
            BinaryOp::Mul => self.arithmetic(IrBinary::Mul, a, b, span),
            BinaryOp::Div => self.arithmetic(IrBinary::Div, a, b, span),
            BinaryOp::Rem => self.integer_arithmetic(IrBinary::Rem, a, b, span),
            BinaryOp::BitAnd => self.integer_arithmetic(IrBinary::BitAnd, a, b, span),
            BinaryOp::BitOr => self.integer_arithmetic(IrBinary::BitOr, a, b, span),
            BinaryOp::BitXor => self.integer_arithmetic(IrBinary::BitXor, a, b, span),
            BinaryOp::Shl => self.shift(IrBinary::Shl, a, b, span),
            BinaryOp::Shr => self.shift(IrBinary::Shr, a, b, span),
            BinaryOp::Lt => self.comparison(IrBinary::Lt, a, b, span),
            BinaryOp::Le => self.comparison(IrBinary::Le, a, b, span),
            BinaryOp::Gt => self.comparison(IrBinary::Gt, a, b, span),
            BinaryOp::Ge => self.comparison(IrBinary::Ge, a, b, span),
            BinaryOp::Eq => self.comparison(IrBinary::Eq, a, b, span),
            BinaryOp::Ne => self.comparison(IrBinary::Ne, a, b, span),
            // Both sides are there already: only their truth counts.
            BinaryOp::And | BinaryOp::Or => {
                let (a, b) = (self.program.truth(a.e), self.program.truth(b.e));
                let op = if op == BinaryOp::And { IrBinary::BitAnd } else { IrBinary::BitOr };
                Ok(Val { e: self.program.binary(op, a, b), ty: CTypes::INT })
            }
        }
    }

    fn no_operator(&mut self, op: IrBinary, a: Val, b: Val, span: Span) -> super::Reported {
        let message = format!(
            "`{}` cannot be applied to `{}` and `{}`",
            op.symbol(),
            self.show_type(a.ty),
            self.show_type(b.ty)
        );
        self.error(span, message)
    }

    fn arithmetic(&mut self, op: IrBinary, a: Val, b: Val, span: Span) -> Res<Val> {
        if !self.types.is_arithmetic(a.ty) || !self.types.is_arithmetic(b.ty) {
            return Err(self.no_operator(op, a, b, span));
        }
        let (a, b) = self.balance(a, b);
        let a = self.keep_undefined(op, a, b);
        let v = Val { e: self.program.binary(op, a.e, b.e), ty: a.ty };
        Ok(self.wrap(v))
    }

    fn integer_arithmetic(&mut self, op: IrBinary, a: Val, b: Val, span: Span) -> Res<Val> {
        if !self.types.is_integer(a.ty) || !self.types.is_integer(b.ty) {
            return Err(self.no_operator(op, a, b, span));
        }
        self.arithmetic(op, a, b, span)
    }

    fn shift(&mut self, op: IrBinary, a: Val, b: Val, span: Span) -> Res<Val> {
        if !self.types.is_integer(a.ty) || !self.types.is_integer(b.ty) {
            return Err(self.no_operator(op, a, b, span));
        }
        let (a, b) = (self.promote(a), self.promote(b));
        let a = self.keep_undefined(op, a, b);
        let v = Val { e: self.program.binary(op, a.e, b.e), ty: a.ty };
        Ok(self.wrap(v))
    }

    /// An operation on constants that is undefined is not folded where the program evaluates it,
    /// so that checks find it: the left constant is then read from a temporary.
    pub(super) fn keep_undefined(&mut self, op: IrBinary, a: Val, b: Val) -> Val {
        let exprs = &self.program.exprs;
        let is_undefined = || {
            let scalar = self.program.types.scalar(self.program.expr_ty(a.e))?;
            let (x, y) = (exprs.const_bits(a.e)?, exprs.const_bits(b.e)?);
            let shifted_out = op.is_shift() && y >= u128::from(scalar.width());
            Some(shifted_out || ops::overflows(op, scalar, x, y))
        };
        if self.is_evaluated() && is_undefined() == Some(true) {
            let e = self.in_temporary(a.e, self.func.last_span);
            return Val { e, ty: a.ty };
        }
        a
    }

    /// `a + b`, of numbers or a pointer and a number in either order.
    pub(super) fn add(&mut self, a: Val, b: Val, span: Span) -> Res<Val> {
        match (self.types.is_pointer(a.ty), self.types.is_pointer(b.ty)) {
            (false, false) => self.arithmetic(IrBinary::Add, a, b, span),
            (true, false) if self.types.is_integer(b.ty) => self.move_pointer(a, b, span),
            (false, true) if self.types.is_integer(a.ty) => self.move_pointer(b, a, span),
            _ => Err(self.no_operator(IrBinary::Add, a, b, span)),
        }
    }

    pub(super) fn subtract(&mut self, a: Val, b: Val, span: Span) -> Res<Val> {
        match (self.types.is_pointer(a.ty), self.types.is_pointer(b.ty)) {
            (false, false) => self.arithmetic(IrBinary::Sub, a, b, span),
            (true, false) if self.types.is_integer(b.ty) => {
                let ptrdiff = self.types.ptrdiff_t();
                let index = self.convert(b, ptrdiff);
                let index = Val { e: self.program.unary(IrUnary::Neg, index.e), ty: ptrdiff };
                self.move_pointer(a, index, span)
            }
            (true, true) => self.pointer_difference(a, b, span),
            _ => Err(self.no_operator(IrBinary::Sub, a, b, span)),
        }
    }

    /// A pointer moved by a number of elements.
    pub(super) fn move_pointer(&mut self, pointer: Val, index: Val, span: Span) -> Res<Val> {
        let Some(to) = self.types.pointee(pointer.ty) else {
            return Err(self.error(span, "a pointer is needed here"));
        };
        let steps_are_known =
            self.types.is_complete(to) || self.types.is_void(to) || self.types.is_function(to);
        if !steps_are_known {
            let message = format!("the pointer is to the incomplete type `{}`", self.show_type(to));
            return Err(self.error(span, message));
        }
        if self.types.is_vla(to) {
            return self.move_by_bytes(pointer, to, index, span);
        }
        let index = self.promote(index);
        Ok(Val { e: self.program.ptr_add(pointer.e, index.e), ty: pointer.ty })
    }

    fn move_by_bytes(&mut self, pointer: Val, to: QType, index: Val, span: Span) -> Res<Val> {
        let size = self.size_of(to, span)?;
        let ptrdiff = self.types.ptrdiff_t();
        let (size, index) = (self.convert(size, ptrdiff), self.convert(index, ptrdiff));
        let offset = self.program.binary(IrBinary::Mul, index.e, size.e);
        let bytes = self.program.types.pointer(ir::Types::U8);
        let start = self.program.cast(bytes, pointer.e);
        let moved = self.program.ptr_add(start, offset);
        let ty = self.ir_type(pointer.ty);
        Ok(Val { e: self.program.cast(ty, moved), ty: pointer.ty })
    }

    fn pointer_difference(&mut self, a: Val, b: Val, span: Span) -> Res<Val> {
        let Some(to) = self.types.pointee(a.ty) else {
            return Err(self.error(span, "a pointer is needed here"));
        };
        let ty = self.types.ptrdiff_t();
        if self.types.is_vla(to) {
            let size = self.size_of(to, span)?;
            let size = self.convert(size, ty);
            let bytes = self.program.types.pointer(ir::Types::U8);
            let (a, b) = (self.program.cast(bytes, a.e), self.program.cast(bytes, b.e));
            let distance = self.program.ptr_diff(a, b);
            return Ok(Val { e: self.program.binary(IrBinary::Div, distance, size.e), ty });
        }
        let target = self.ir_type(a.ty);
        let b = self.program.cast(target, b.e);
        Ok(Val { e: self.program.ptr_diff(a.e, b), ty })
    }

    fn comparison(&mut self, op: IrBinary, a: Val, b: Val, span: Span) -> Res<Val> {
        let (pointer_a, pointer_b) = (self.types.is_pointer(a.ty), self.types.is_pointer(b.ty));
        let (a, b) = match (pointer_a, pointer_b) {
            (false, false) => {
                if !self.types.is_arithmetic(a.ty) || !self.types.is_arithmetic(b.ty) {
                    return Err(self.no_operator(op, a, b, span));
                }
                self.balance(a, b)
            }
            (true, true) => {
                let ty = a.ty;
                (a, self.convert(b, ty))
            }
            (true, false) if self.types.is_integer(b.ty) => {
                let ty = a.ty;
                (a, self.convert(b, ty))
            }
            (false, true) if self.types.is_integer(a.ty) => {
                let ty = b.ty;
                (self.convert(a, ty), b)
            }
            _ => return Err(self.no_operator(op, a, b, span)),
        };
        if let Some(known) = self.compare_addresses(op, a.e, b.e) {
            return Ok(self.int_val(CTypes::INT, i128::from(known)));
        }
        Ok(Val { e: self.program.binary(op, a.e, b.e), ty: CTypes::INT })
    }

    /// `&x == 0` and the like are known: needed in constant expressions.
    fn compare_addresses(&self, op: IrBinary, a: IrExpr, b: IrExpr) -> Option<bool> {
        let is_null = |e| self.program.exprs.const_bits(e) == Some(0);
        let address = if is_null(b) {
            a
        } else if is_null(a) {
            b
        } else {
            return None;
        };
        let is_address = matches!(
            self.program.exprs.expr(address).kind,
            IrExprKind::AddrOf(_) | IrExprKind::FuncAddr(_)
        );
        match (op, is_address.then(|| self.program.as_truth(address)).flatten()?) {
            (IrBinary::Eq, truth) => Some(!truth),
            (IrBinary::Ne, truth) => Some(truth),
            _ => None,
        }
    }
}
