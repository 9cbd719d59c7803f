//! `va_arg`, the place of a `va_list`, and `alloca`: what has an operation of its own in the model.

use gnomon_ir::cfa::Op;
use gnomon_ir::expr::PlaceId;
use gnomon_ir::types as ir;

use super::conv::Val;
use super::ctype::CTypes;
use super::{Lower, Res};
use crate::ast::{ExprId, TypeNameId};
use crate::span::Span;

impl Lower<'_> {
    pub(super) fn alloca(&mut self, size: ExprId, span: Span) -> Res<Val> {
        let size_t = self.types.size_t();
        let size = self.rvalue(size)?;
        let size = self.convert(size, size_t);
        let ty = self.types.pointer(CTypes::VOID);
        let ir = self.ir_type(ty);
        let dst = self.temp(ir);
        self.emit(Op::Alloca { dst, size: size.e }, span);
        Ok(Val { e: self.program.load(dst), ty })
    }

    /// The place of a `va_list`: its record on LP64, the pointer on ILP32.
    pub(super) fn va_list_place(&mut self, e: ExprId, span: Span) -> Res<PlaceId> {
        self.va_list_type();
        let lv = match self.operand(e)? {
            super::lvalue::Operand::Place(lv) => lv,
            operand => {
                let v = self.value_of(operand)?;
                match self.points_to(v, span)? {
                    super::lvalue::Operand::Place(lv) => lv,
                    _ => return Err(self.error(span, "a `va_list` is needed here")),
                }
            }
        };
        if self.types.is_array(lv.ty) {
            let zero = self.program.int(ir::Types::I32, 0);
            return Ok(self.program.index(lv.place, zero));
        }
        let points_to_record = self.types.pointee(lv.ty).is_some_and(|to| self.types.is_record(to));
        if points_to_record {
            let pointer = self.read(lv);
            return Ok(self.program.deref(pointer.e));
        }
        Ok(lv.place)
    }

    pub(super) fn va_arg(&mut self, list: ExprId, ty: TypeNameId, span: Span) -> Res<Val> {
        let list = self.va_list_place(list, span)?;
        let ty = self.type_name(ty)?.unqualified();
        if !self.types.is_complete(ty) || self.types.is_array(ty) {
            let message = format!("`va_arg` cannot give a `{}`", self.show_type(ty));
            return Err(self.unsupported(span, message));
        }
        let ir = self.ir_type(ty);
        let dst = self.temp(ir);
        self.emit(Op::VaArg { dst, list }, span);
        Ok(Val { e: self.program.load(dst), ty })
    }
}
