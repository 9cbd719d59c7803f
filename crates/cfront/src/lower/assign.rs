//! Assignments, `++` and `--`.

use gnomon_ir::cfa::Op;
use gnomon_ir::expr::BinaryOp as IrBinary;

use super::conv::{LVal, Val};
use super::ctype::CTypes;
use super::{Lower, Res};
use crate::ast::{BinaryOp, ExprId, ExprKind};
use crate::span::Span;

impl Lower<'_> {
    /// `lhs = rhs`; the value is what the left side holds afterwards.
    pub(super) fn assignment(&mut self, lhs: ExprId, rhs: ExprId, span: Span) -> Res<Val> {
        let mut lv = self.modifiable(lhs)?;
        if self.has_effects(rhs) {
            lv.place = self.stabilize(lv.place);
        }
        if lv.bits.is_none()
            && let ExprKind::Call { callee, args } = self.ast[rhs].kind
            && self.call_into(lv, callee, args, span)?
        {
            return Ok(self.read(lv));
        }
        let v = self.rvalue(rhs)?;
        self.store(lv, v, span)?;
        Ok(self.read(lv))
    }

    /// Stores a value, converted to the type of the place.
    pub(super) fn store(&mut self, lv: LVal, v: Val, span: Span) -> Res<()> {
        let v = self.assign_convert(v, lv.ty, span)?;
        self.emit(Op::Assign { dst: lv.place, src: v.e }, span);
        Ok(())
    }

    /// `lhs op= rhs`.
    pub(super) fn compound_assignment(
        &mut self,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        span: Span,
    ) -> Res<Val> {
        let mut lv = self.modifiable(lhs)?;
        let effects = self.has_effects(rhs);
        if effects {
            lv.place = self.stabilize(lv.place);
        }
        let mut old = self.read(lv);
        if effects {
            old.e = self.keep(old.e);
        }
        let right = self.rvalue(rhs)?;
        let new = self.binary(op, old, right, span)?;
        self.store(lv, new, span)?;
        Ok(self.read(lv))
    }

    /// Adds or subtracts one in place; gives the place and what it held before.
    pub(super) fn step(&mut self, operand: ExprId, op: IrBinary, span: Span) -> Res<(LVal, Val)> {
        let lv = self.modifiable(operand)?;
        let old = self.read(lv);
        let new = self.stepped(old, op, span)?;
        self.store(lv, new, span)?;
        Ok((lv, old))
    }

    /// The same, with the old value as the result.
    pub(super) fn step_keeping_old(
        &mut self,
        operand: ExprId,
        op: IrBinary,
        span: Span,
    ) -> Res<Val> {
        let lv = self.modifiable(operand)?;
        let old = self.read(lv);
        let old = self.spill(old, span);
        let new = self.stepped(old, op, span)?;
        self.store(lv, new, span)?;
        Ok(old)
    }

    fn stepped(&mut self, old: Val, op: IrBinary, span: Span) -> Res<Val> {
        let old = self.require_scalar(old, span)?;
        let one = self.int_val(CTypes::INT, 1);
        if op == IrBinary::Add { self.add(old, one, span) } else { self.subtract(old, one, span) }
    }
}
