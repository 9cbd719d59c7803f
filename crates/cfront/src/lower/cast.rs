//! Casts, GNU's casts to unions among them.

use gnomon_ir::cfa::Op;
use gnomon_ir::types as ir;

use super::conv::{LVal, Val};
use super::ctype::{CRecordId, QType};
use super::{Lower, Res};
use crate::ast::{ExprId, TypeNameId};
use crate::span::Span;

impl Lower<'_> {
    pub(super) fn cast(&mut self, ty: TypeNameId, operand: ExprId, span: Span) -> Res<Val> {
        let to = self.type_name(ty)?.unqualified();
        if self.types.is_void(to) {
            self.discard(operand)?;
            return Ok(self.void_value());
        }
        if let Some((id, record)) = self.types.record(to)
            && record.kind == ir::RecordKind::Union
        {
            return self.cast_to_union(to, id, operand, span);
        }
        let v = self.rvalue(operand)?;
        if v.ty == to && self.types.is_record(to) {
            return Ok(v);
        }
        let pointer_float = self.types.is_pointer(v.ty) && self.types.is_float(to)
            || self.types.is_float(v.ty) && self.types.is_pointer(to);
        if !self.types.is_scalar(to) || !self.types.is_scalar(v.ty) || pointer_float {
            let message = format!(
                "a value of type `{}` cannot be cast to `{}`",
                self.show_type(v.ty),
                self.show_type(to)
            );
            return Err(self.error(span, message));
        }
        Ok(self.convert(v, to))
    }

    /// GNU: a cast to a union makes one with that member.
    fn cast_to_union(&mut self, to: QType, id: CRecordId, operand: ExprId, span: Span) -> Res<Val> {
        let v = self.rvalue(operand)?;
        if self.types.record(v.ty).is_some_and(|(other, _)| other == id) {
            return Ok(v);
        }
        match self.union_of_member(to, id, v, span) {
            Some(value) => Ok(value),
            None => Err(self.error(span, "the union has no member of this type")),
        }
    }

    /// A union whose member of the value's type has that value.
    pub(super) fn union_of_member(
        &mut self,
        to: QType,
        id: CRecordId,
        v: Val,
        span: Span,
    ) -> Option<Val> {
        let fields = self.types.records[id].fields.clone();
        let exact = fields.iter().position(|f| self.compatible(f.ty.unqualified(), v.ty));
        let pointer = || {
            let is_null =
                self.types.is_integer(v.ty) && self.program.exprs.const_bits(v.e) == Some(0);
            let is_pointer = is_null || self.types.is_pointer(v.ty);
            let fits = |ty: QType| is_pointer && self.types.is_pointer(ty);
            fields.iter().position(|f| fits(f.ty))
        };
        let index = exact.or_else(pointer)?;
        let ir = self.ir_type(to);
        let place = self.temp(ir);
        let zero = self.program.zero(ir);
        self.emit(Op::Assign { dst: place, src: zero }, span);
        let member = self.select_index(LVal { place, ty: to, bits: None }, index as u32);
        let value = self.convert(v, member.ty);
        self.emit(Op::Assign { dst: member.place, src: value.e }, span);
        Some(Val { e: self.program.load(place), ty: to })
    }
}
