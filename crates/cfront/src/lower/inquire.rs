//! Questions about expressions and types that are answered without evaluating anything: `sizeof`,
//! `_Alignof`, `offsetof`, `_Generic`, `typeof`, constant expressions.

use gnomon_ir::expr::BinaryOp as IrBinary;

use super::conv::Val;
use super::ctype::{ArrayLen, CType, QType};
use super::lvalue::Operand;
use super::{Lower, Res};
use crate::ast::{ExprId, GenericAssociation, List, OffsetofPart, TypeNameId};
use crate::span::Span;

impl Lower<'_> {
    /// The type of an expression, which is not evaluated; arrays stay arrays.
    pub(super) fn type_of(&mut self, e: ExprId) -> Res<QType> {
        if let Some(&known) = self.types_of.get(&e) {
            return Ok(known);
        }
        let operand = self.unevaluated(|lower| lower.operand(e))?;
        let ty = match operand {
            Operand::Place(lv) if lv.bits.is_some() => self.read(lv).ty,
            Operand::Place(lv) => lv.ty,
            Operand::Value(v) => v.ty,
            Operand::Function(_, ty) | Operand::CodeAt(_, ty) => ty,
        };
        // Kept, or nests of `__auto_type` and the like take exponential time; but the lengths of
        // an array are those of one evaluation.
        if !self.types.is_variably_modified(ty) {
            self.types_of.insert(e, ty);
        }
        Ok(ty)
    }

    /// The same for `sizeof` and `typeof`, whose operand is evaluated if its type has a variable
    /// length (C17 6.5.3.4p2).
    pub(super) fn evaluated_type_of(&mut self, e: ExprId) -> Res<QType> {
        let ty = self.type_of(e)?;
        if !self.types.is_vla(ty) || !self.func.inside {
            return Ok(ty);
        }
        match self.operand(e)? {
            Operand::Place(lv) => Ok(lv.ty),
            _ => Ok(ty),
        }
    }

    /// The type of the value of an expression, which is not evaluated.
    pub(super) fn type_of_value(&mut self, e: ExprId) -> Res<QType> {
        let ty = self.type_of(e)?;
        Ok(match *self.types.get(ty) {
            CType::Array(..) | CType::Function(_) => self.adjust_parameter(ty),
            _ => ty.unqualified(),
        })
    }

    /// `sizeof`, which is computed for arrays of variable length.
    pub(super) fn size_of(&mut self, ty: QType, span: Span) -> Res<Val> {
        let size_t = self.types.size_t();
        if let Some(size) = self.types.size(ty) {
            return Ok(self.int_val(size_t, i128::from(size)));
        }
        match *self.types.get(ty) {
            CType::Array(elem, len) => {
                let elem = self.size_of(elem, span)?;
                let len = match len {
                    ArrayLen::Fixed(len) => self.int_val(size_t, i128::from(len)).e,
                    ArrayLen::Variable(id) => self.types.vla_lengths[id],
                    ArrayLen::Unknown | ArrayLen::Star => {
                        return Err(self.error(span, "the size of this array is not known"));
                    }
                };
                Ok(Val { e: self.program.binary(IrBinary::Mul, len, elem.e), ty: size_t })
            }
            _ => {
                let message = format!("the size of `{}` is not known", self.show_type(ty));
                Err(self.error(span, message))
            }
        }
    }

    /// `_Alignof` is the alignment as a member, `__alignof__` that of a variable.
    pub(super) fn align_of(&mut self, ty: QType, gnu: bool) -> Val {
        let size_t = self.types.size_t();
        let align = self.types.align(ty, !gnu);
        self.int_val(size_t, i128::from(align))
    }

    pub(super) fn offset_of(
        &mut self,
        ty: TypeNameId,
        path: List<OffsetofPart>,
        span: Span,
    ) -> Res<Val> {
        let size_t = self.types.size_t();
        let mut ty = self.type_name(ty)?;
        let mut offset = self.int_val(size_t, 0);
        for part in &self.ast[path] {
            match *part {
                OffsetofPart::Field(name) => {
                    let Some((id, _)) = self.types.record(ty) else {
                        let message = format!("`{}` has no members", self.show_type(ty));
                        return Err(self.error(span, message));
                    };
                    let Some(steps) = self.find_field(id, name) else {
                        let message =
                            format!("`{}` has no member `{}`", self.show_type(ty), self.name(name));
                        return Err(self.error(span, message));
                    };
                    for step in steps {
                        let Some((_, record)) = self.types.record(ty) else { break };
                        let field = record.fields[step as usize].clone();
                        let by = self.int_val(size_t, i128::from(field.offset));
                        offset.e = self.program.binary(IrBinary::Add, offset.e, by.e);
                        ty = field.ty;
                    }
                }
                OffsetofPart::Index(index) => {
                    let Some((elem, _)) = self.types.element(ty) else {
                        let message = format!("`{}` is not an array", self.show_type(ty));
                        return Err(self.error(span, message));
                    };
                    let index = self.rvalue(index)?;
                    let index = self.convert(index, size_t);
                    let size = self.size_of(elem, span)?;
                    let by = self.program.binary(IrBinary::Mul, index.e, size.e);
                    offset.e = self.program.binary(IrBinary::Add, offset.e, by);
                    ty = elem;
                }
                OffsetofPart::Arrow => {
                    let Some((elem, _)) = self.types.element(ty) else {
                        let message = format!("`{}` is not an array", self.show_type(ty));
                        return Err(self.error(span, message));
                    };
                    ty = elem;
                }
            }
        }
        Ok(offset)
    }

    pub(super) fn generic_selection(
        &mut self,
        control: ExprId,
        associations: List<GenericAssociation>,
        span: Span,
    ) -> Res<ExprId> {
        let control = self.type_of_value(control)?;
        let control = self.object_type(control);
        let mut default = None;
        for association in &self.ast[associations] {
            match association.ty {
                None => default = Some(association.expr),
                Some(ty) => {
                    let ty = self.type_name(ty)?;
                    if ty.quals.is_empty() && self.compatible(ty, control) {
                        return Ok(association.expr);
                    }
                }
            }
        }
        match default {
            Some(e) => Ok(e),
            None => {
                let message = format!("no association fits the type `{}`", self.show_type(control));
                Err(self.error(span, message))
            }
        }
    }

    /// The value of an expression that must be an integer constant.
    pub(super) fn constant_int(&mut self, e: ExprId) -> Res<i128> {
        let v = self.unevaluated(|lower| lower.rvalue(e))?;
        match self.program.as_int(v.e) {
            Some(value) if self.types.is_integer(v.ty) => Ok(value),
            _ => Err(self.error(self.ast[e].span, "this must be an integer constant")),
        }
    }

    /// Whether a constant is not zero.
    pub(super) fn constant_truth(&mut self, e: ExprId) -> Res<bool> {
        let v = self.unevaluated(|lower| lower.rvalue(e))?;
        match self.program.as_truth(v.e) {
            Some(truth) => Ok(truth),
            None => Err(self.error(self.ast[e].span, "this must be a constant")),
        }
    }
}
