//! Assignments, `++` and `--`.

use gnomon_ir::cfa::Op;
use gnomon_ir::expr::BinaryOp as IrBinary;

use super::conv::{LVal, Val};
use super::ctype::CTypes;
use super::{Lower, Res};
use crate::ast::{BinaryOp, ExprId, ExprKind, Quals};
use crate::span::Span;

/// Whether the value of an assignment is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Used {
    Yes,
    No,
}

impl Lower<'_> {
    /// `lhs = rhs` or `lhs op= rhs`; gives the place. If its value is `used` afterwards, the place
    /// is safe from what was stored: `a[a[0]] = 1` may change the index that led there.
    pub(super) fn assign(
        &mut self,
        op: Option<BinaryOp>,
        lhs: ExprId,
        rhs: ExprId,
        used: Used,
        span: Span,
    ) -> Res<LVal> {
        let before = self.effects_before();
        let mut lv = self.modifiable(lhs)?;
        let effects = self.has_effects(rhs);
        // The old value is read in no order with the right side, and so is what leads to the place.
        let old = op.filter(|_| effects).map(|_| self.program.load(lv.place));
        let mut left = self.operand_since(before, old);
        left.place = Some(lv.place);
        if effects || used == Used::Yes {
            lv.place = self.stabilize(lv.place);
        }
        let before = self.effects_before();
        let assigned = self.assign_to(op, lv, rhs, effects, used, span)?;
        if effects || !left.calls.is_empty() {
            let mut right = self.operand_since(before, None);
            // The store of the assignment comes after both.
            let dst = self.as_declared(lv);
            if right.stores.last() == Some(&dst) {
                right.stores.pop();
            }
            self.open_order(vec![left, right], span);
        }
        Ok(assigned)
    }

    fn assign_to(
        &mut self,
        op: Option<BinaryOp>,
        lv: LVal,
        rhs: ExprId,
        effects: bool,
        used: Used,
        span: Span,
    ) -> Res<LVal> {
        // What was stored is the value, also where the next read gives another one.
        if used == Used::Yes && (lv.ty.quals.contains(Quals::ATOMIC) || self.is_open(lv)) {
            return self.assign_atomic(op, lv, rhs, effects, span);
        }
        match op {
            Some(op) => self.assign_computed(op, lv, rhs, effects, span)?,
            None => self.assign_value(lv, rhs, span)?,
        }
        Ok(lv)
    }

    fn assign_value(&mut self, lv: LVal, rhs: ExprId, span: Span) -> Res<()> {
        if lv.bits.is_none()
            && !self.is_register(lv)
            && let ExprKind::Call { callee, args } = self.ast[rhs].kind
            && self.call_into(lv, callee, args, span)?
        {
            return Ok(());
        }
        let v = self.rvalue(rhs)?;
        self.store(lv, v, span)
    }

    /// Stores a value, converted to the type of the place.
    pub(super) fn store(&mut self, lv: LVal, v: Val, span: Span) -> Res<()> {
        if lv.ty.quals.contains(Quals::ATOMIC) {
            self.note_atomic_access(span);
        }
        let v = self.assign_convert(v, lv.ty, span)?;
        if self.is_register(lv) {
            self.note_register(span);
            // The value is computed, and goes to the device.
            self.in_temporary(v.e, span);
            return Ok(());
        }
        let dst = self.as_declared(lv);
        self.emit(Op::Assign { dst, src: v.e }, span);
        Ok(())
    }

    /// The value of `lhs op rhs` goes to the left side.
    fn assign_computed(
        &mut self,
        op: BinaryOp,
        lv: LVal,
        rhs: ExprId,
        effects: bool,
        span: Span,
    ) -> Res<()> {
        let new = self.computed(op, lv, rhs, effects, span)?;
        self.store(lv, new, span)
    }

    fn computed(
        &mut self,
        op: BinaryOp,
        lv: LVal,
        rhs: ExprId,
        effects: bool,
        span: Span,
    ) -> Res<Val> {
        self.note_atomic(lv, span);
        let mut old = self.read(lv);
        if effects {
            old.e = self.keep(old.e);
        }
        let right = self.rvalue(rhs)?;
        self.binary(op, old, right, span)
    }

    /// The value of an assignment to an `_Atomic` variable is what was stored, not what is there
    /// afterwards: another thread may have changed it. Gives a place with that value.
    fn assign_atomic(
        &mut self,
        op: Option<BinaryOp>,
        lv: LVal,
        rhs: ExprId,
        effects: bool,
        span: Span,
    ) -> Res<LVal> {
        let new = match op {
            Some(op) => self.computed(op, lv, rhs, effects, span)?,
            None => self.rvalue(rhs)?,
        };
        self.store_keeping_new(lv, new, span)
    }

    fn store_keeping_new(&mut self, lv: LVal, new: Val, span: Span) -> Res<LVal> {
        let new = self.assign_convert(new, lv.ty, span)?;
        let ty = self.program.expr_ty(new.e);
        let place = self.temp(ty);
        self.emit(Op::Assign { dst: place, src: new.e }, span);
        let kept = Val { e: self.program.load(place), ty: new.ty };
        self.store(lv, kept, span)?;
        Ok(LVal { place, ty: lv.ty.unqualified(), bits: None })
    }

    /// Adds or subtracts one in place; gives the place.
    pub(super) fn step(
        &mut self,
        operand: ExprId,
        op: IrBinary,
        used: Used,
        span: Span,
    ) -> Res<LVal> {
        let mut lv = self.modifiable(operand)?;
        if used == Used::Yes {
            lv.place = self.stabilize(lv.place);
        }
        self.note_atomic(lv, span);
        let old = self.read(lv);
        let new = self.stepped(old, op, span)?;
        if used == Used::Yes && (lv.ty.quals.contains(Quals::ATOMIC) || self.is_open(lv)) {
            return self.store_keeping_new(lv, new, span);
        }
        self.store(lv, new, span)?;
        Ok(lv)
    }

    /// The same, with the old value as the result.
    pub(super) fn step_keeping_old(
        &mut self,
        operand: ExprId,
        op: IrBinary,
        span: Span,
    ) -> Res<Val> {
        let lv = self.modifiable(operand)?;
        self.note_atomic(lv, span);
        let old = self.read(lv);
        let old = self.spill(old, span);
        let new = self.stepped(old, op, span)?;
        self.store(lv, new, span)?;
        Ok(old)
    }

    /// An `_Atomic` variable is read or written as any other.
    pub(super) fn note_atomic_access(&mut self, span: Span) {
        let message = "accesses to `_Atomic` variables are sequentially consistent";
        self.note("atomic-access", message, span);
    }

    /// What changes an `_Atomic` variable in one step is two operations of the model. Every place
    /// has a note of its own.
    fn note_atomic(&mut self, lv: LVal, span: Span) {
        if lv.ty.quals.contains(Quals::ATOMIC) {
            let place = self.ir_span(span);
            let place = self.program.files.show(place);
            let message = format!("the operator at {place} changes an `_Atomic` variable");
            self.note("atomic-update", message, span);
        }
    }

    fn stepped(&mut self, old: Val, op: IrBinary, span: Span) -> Res<Val> {
        let old = self.require_scalar(old, span)?;
        let one = self.int_val(CTypes::INT, 1);
        if op == IrBinary::Add { self.add(old, one, span) } else { self.subtract(old, one, span) }
    }
}
