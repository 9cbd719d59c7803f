//! Expressions and places as C.

use crate::c_text::{CText, Fidelity};
use crate::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, UnaryOp};
use crate::ops;
use crate::precedence::{Binding, binding, with_stack};
use crate::types::{FloatKind, Type, TypeId};

impl CText<'_> {
    fn exact(&self) -> bool {
        self.fidelity == Fidelity::Exact
    }

    /// Writes an expression, in parentheses if it holds together less than needed.
    pub(super) fn write_expr(&self, out: &mut String, e: ExprId, needed: Binding) {
        with_stack(|| {
            let (text, holds) = self.expr_text(e);
            write_grouped(out, &text, holds, needed);
        });
    }

    fn operand(&self, e: ExprId, needed: Binding) -> String {
        let mut out = String::new();
        self.write_expr(&mut out, e, needed);
        out
    }

    fn expr_text(&self, e: ExprId) -> (String, Binding) {
        let expr = self.program.exprs.expr(e);
        match expr.kind {
            ExprKind::Const(bits) => self.literal(expr.ty, self.program.exprs.bits(bits)),
            ExprKind::Zero => self.zero(expr.ty),
            ExprKind::Load(place) => {
                let (text, holds) = self.place_text(place);
                // C promotes a bit-field by its width, whatever its declared type.
                if self.exact() && self.is_bit_field(place) {
                    (self.cast(expr.ty, &text, holds), Binding::Prefix)
                } else {
                    (text, holds)
                }
            }
            ExprKind::AddrOf(place) => {
                if !self.exact()
                    && let PlaceKind::Index(base, index) = self.program.exprs.place(place).kind
                    && self.program.exprs.const_bits(index) == Some(0)
                {
                    return self.place_text(base);
                }
                (self.address(place), Binding::Prefix)
            }
            ExprKind::FuncAddr(func) => (format!("&{}", self.names.func(func)), Binding::Prefix),
            ExprKind::Unary(op, operand) => {
                let inner = self.operand(operand, Binding::Prefix);
                let gap = if op == UnaryOp::Neg && inner.starts_with('-') { " " } else { "" };
                let text = format!("{}{gap}{inner}", op.symbol());
                self.narrowed(expr.ty, text, Binding::Prefix)
            }
            ExprKind::Binary(op, a, b) => self.binary(expr.ty, op, a, b),
            ExprKind::PtrAdd(pointer, index) => {
                let pointer = self.operand(pointer, Binding::Sum);
                let index = self.operand(index, Binding::Product);
                (format!("{pointer} + {index}"), Binding::Sum)
            }
            ExprKind::PtrDiff(a, b) => {
                let (a, b) = (self.operand(a, Binding::Sum), self.operand(b, Binding::Product));
                (format!("{a} - {b}"), Binding::Sum)
            }
            ExprKind::Cast(operand) => {
                let (inner, holds) = with_stack(|| self.expr_text(operand));
                (self.cast(expr.ty, &inner, holds), Binding::Prefix)
            }
        }
    }

    fn cast(&self, ty: TypeId, text: &str, holds: Binding) -> String {
        let mut out = format!("({})", self.type_name(ty));
        write_grouped(&mut out, text, holds, Binding::Prefix);
        out
    }

    /// C computes with `int` at least (and with `float` for `_Float16`): back to the model's type.
    fn narrowed(&self, ty: TypeId, text: String, holds: Binding) -> (String, Binding) {
        let narrow = match *self.program.types.get(ty) {
            Type::Bool | Type::Float(FloatKind::F16) => true,
            Type::Int { bits, .. } => bits < 32,
            _ => false,
        };
        if narrow && self.exact() {
            (self.cast(ty, &text, holds), Binding::Prefix)
        } else {
            (text, holds)
        }
    }

    fn binary(&self, ty: TypeId, op: BinaryOp, a: ExprId, b: ExprId) -> (String, Binding) {
        let holds = binding(op);
        // C's table puts comparisons between shifts and bit operations; people do not read it so.
        let side = |tight: Binding| if op.is_comparison() { Binding::Sum } else { tight };
        let left = self.operand(a, side(holds));
        let right = if op.is_shift() && self.exact() {
            self.shift_count(ty, b)
        } else {
            self.operand(b, side(holds.tighter()))
        };
        let text = format!("{left} {} {right}", op.symbol());
        if op.is_comparison() { (text, holds) } else { self.narrowed(ty, text, holds) }
    }

    /// The count modulo the width, as [`ops`] has it; C leaves larger counts undefined.
    fn shift_count(&self, ty: TypeId, count: ExprId) -> String {
        let width = self.program.types.int_shape(ty).map_or(32, |(bits, _)| bits);
        match self.program.exprs.const_bits(count) {
            Some(bits) => ops::truncate(bits, width.ilog2() as u16).to_string(),
            None => format!("({} & {})", self.operand(count, Binding::And), width - 1),
        }
    }

    fn zero(&self, ty: TypeId) -> (String, Binding) {
        match self.program.types.get(ty) {
            Type::Pointer(_) if self.exact() => {
                (format!("({})0", self.type_name(ty)), Binding::Prefix)
            }
            Type::Pointer(_) => ("NULL".to_owned(), Binding::Postfix),
            Type::Array { .. } | Type::Record(_) if self.exact() => {
                (format!("({}){{}}", self.type_name(ty)), Binding::Postfix)
            }
            Type::Array { .. } | Type::Record(_) => ("{0}".to_owned(), Binding::Postfix),
            _ => self.literal(ty, 0),
        }
    }

    pub(crate) fn is_bit_field(&self, place: PlaceId) -> bool {
        let exprs = &self.program.exprs;
        match exprs.place(place).kind {
            PlaceKind::Field(base, field) => self
                .program
                .types
                .as_record(exprs.place(base).ty)
                .and_then(|(_, record)| record.fields.get(field as usize))
                .is_some_and(|field| field.bits.is_some()),
            _ => false,
        }
    }

    /// Writes a place, in parentheses if it holds together less than needed.
    pub(super) fn write_place(&self, out: &mut String, p: PlaceId, needed: Binding) {
        with_stack(|| {
            let (text, holds) = self.place_text(p);
            write_grouped(out, &text, holds, needed);
        });
    }

    fn place_text(&self, p: PlaceId) -> (String, Binding) {
        let exprs = &self.program.exprs;
        match exprs.place(p).kind {
            PlaceKind::Var(var) => (self.names.var(var).to_owned(), Binding::Postfix),
            PlaceKind::Deref(pointer) => {
                (format!("*{}", self.operand(pointer, Binding::Prefix)), Binding::Prefix)
            }
            PlaceKind::Field(base, field) => {
                let at = exprs.place(base);
                let mut out = String::new();
                if let PlaceKind::Deref(pointer) = at.kind {
                    self.write_expr(&mut out, pointer, Binding::Postfix);
                    out.push_str("->");
                } else {
                    self.write_place(&mut out, base, Binding::Postfix);
                    out.push('.');
                }
                match self.program.types.as_record(at.ty) {
                    Some((record, _)) => out.push_str(self.names.field(record, field)),
                    None => out.push('?'),
                }
                (out, Binding::Postfix)
            }
            PlaceKind::Index(base, index) => {
                let mut out = String::new();
                self.write_place(&mut out, base, Binding::Postfix);
                out.push('[');
                self.write_expr(&mut out, index, Binding::Any);
                out.push(']');
                (out, Binding::Postfix)
            }
        }
    }
}

fn write_grouped(out: &mut String, text: &str, holds: Binding, needed: Binding) {
    if holds < needed {
        out.push('(');
        out.push_str(text);
        out.push(')');
    } else {
        out.push_str(text);
    }
}
