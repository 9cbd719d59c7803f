//! Truth values: conditions as jumps, `&&`, `||`, `?:`.

use gnomon_ir::cfa::{LocId, Op};
use gnomon_ir::types as ir;

use super::conv::Val;
use super::ctype::{CTypes, QType};
use super::expr::with_stack;
use super::{Lower, Res};
use crate::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::span::Span;

impl Lower<'_> {
    /// Goes to `yes` if the expression is true and to `no` if not. The current location is used up.
    pub(super) fn branch(&mut self, e: ExprId, yes: LocId, no: LocId) -> Res<()> {
        with_stack(|| match self.ast[e].kind {
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.branch(operand, no, yes),
            ExprKind::Binary { op: BinaryOp::And, lhs, rhs } => {
                let middle = self.new_loc();
                self.branch(lhs, middle, no)?;
                self.func.cur = middle;
                self.branch(rhs, yes, no)
            }
            ExprKind::Binary { op: BinaryOp::Or, lhs, rhs } => {
                let middle = self.new_loc();
                self.branch(lhs, yes, middle)?;
                self.func.cur = middle;
                self.branch(rhs, yes, no)
            }
            ExprKind::Comma { lhs, rhs } => {
                self.discard(lhs)?;
                self.branch(rhs, yes, no)
            }
            _ => {
                let span = self.ast[e].span;
                let v = self.rvalue(e)?;
                let v = self.require_scalar(v, span)?;
                self.branch_on(v, span, yes, no);
                Ok(())
            }
        })
    }

    fn branch_on(&mut self, v: Val, span: Span, yes: LocId, no: LocId) {
        match self.program.as_truth(v.e) {
            Some(true) => self.jump(yes),
            Some(false) => self.jump(no),
            None => {
                let (truth, falsity) = (self.program.truth(v.e), self.program.not(v.e));
                self.emit_to(Op::Assume(truth), span, yes);
                self.emit_to(Op::Assume(falsity), span, no);
            }
        }
    }

    /// The value of `a && b` or `a || b`.
    pub(super) fn truth_value(&mut self, e: ExprId) -> Res<Val> {
        with_stack(|| {
            let span = self.ast[e].span;
            let ExprKind::Binary { op, lhs, rhs } = self.ast[e].kind else { return self.rvalue(e) };
            let left = self.rvalue(lhs)?;
            let left = self.require_scalar(left, self.ast[lhs].span)?;
            let deciding = op == BinaryOp::Or;
            match self.program.as_truth(left.e) {
                Some(truth) if truth == deciding => {
                    self.unevaluated(|lower| lower.rvalue(rhs))?;
                    Ok(self.int_val(CTypes::INT, i128::from(deciding)))
                }
                Some(_) => {
                    let right = self.rvalue(rhs)?;
                    let right = self.require_scalar(right, self.ast[rhs].span)?;
                    Ok(self.truth_of(right))
                }
                None => self.short_circuit(left, rhs, deciding, span),
            }
        })
    }

    fn truth_of(&mut self, v: Val) -> Val {
        match self.program.as_truth(v.e) {
            Some(truth) => self.int_val(CTypes::INT, i128::from(truth)),
            None => Val { e: self.program.truth(v.e), ty: CTypes::INT },
        }
    }

    fn short_circuit(&mut self, left: Val, rhs: ExprId, deciding: bool, span: Span) -> Res<Val> {
        let result = self.temp(ir::Types::I32);
        let [evaluate, decided, end] = std::array::from_fn(|_| self.new_loc());
        let (yes, no) = if deciding { (decided, evaluate) } else { (evaluate, decided) };
        self.branch_on(left, span, yes, no);
        self.func.cur = evaluate;
        let right = self.rvalue(rhs)?;
        let right = self.require_scalar(right, self.ast[rhs].span)?;
        let right = self.truth_of(right);
        self.emit(Op::Assign { dst: result, src: right.e }, span);
        self.jump(end);
        self.func.cur = decided;
        let known = self.int_val(CTypes::INT, i128::from(deciding));
        self.emit(Op::Assign { dst: result, src: known.e }, span);
        self.continue_at(end);
        Ok(Val { e: self.program.load(result), ty: CTypes::INT })
    }

    /// `cond ? then : els`.
    pub(super) fn conditional(
        &mut self,
        cond: ExprId,
        then: Option<ExprId>,
        els: ExprId,
        span: Span,
    ) -> Res<Val> {
        let Some(then) = then else { return self.elvis(cond, els, span) };
        let [yes, no] = std::array::from_fn(|_| self.new_loc());
        // At file scope everything is a constant, or wrong.
        if !self.func.inside || self.looks_constant(cond) {
            let c = self.rvalue(cond)?;
            let c = self.require_scalar(c, self.ast[cond].span)?;
            if let Some(truth) = self.program.as_truth(c.e) {
                let (chosen, other) = if truth { (then, els) } else { (els, then) };
                let v = self.rvalue(chosen)?;
                let w = self.unevaluated(|lower| lower.rvalue(other))?;
                // The order matters: errors name the types as they stand.
                let ty = if truth {
                    self.conditional_type(v, w, span)?
                } else {
                    self.conditional_type(w, v, span)?
                };
                return Ok(self.in_conditional_type(v, ty));
            }
            self.branch_on(c, span, yes, no);
        } else {
            self.branch(cond, yes, no)?;
        }
        self.func.cur = yes;
        let v = self.rvalue(then)?;
        let after_then = self.func.cur;
        self.func.cur = no;
        let w = self.rvalue(els)?;
        let after_els = self.func.cur;
        self.func.cur = after_then;
        self.join_values(v, w, after_els, span)
    }

    /// `cond ?: els`: the condition is evaluated once.
    fn elvis(&mut self, cond: ExprId, els: ExprId, span: Span) -> Res<Val> {
        let v = self.rvalue(cond)?;
        let v = self.require_scalar(v, span)?;
        match self.program.as_truth(v.e) {
            Some(truth) => {
                let w = if truth {
                    self.unevaluated(|lower| lower.rvalue(els))?
                } else {
                    self.rvalue(els)?
                };
                let ty = self.conditional_type(v, w, span)?;
                Ok(self.in_conditional_type(if truth { v } else { w }, ty))
            }
            None => {
                let v = Val { e: self.keep(v.e), ty: v.ty };
                let [yes, no] = std::array::from_fn(|_| self.new_loc());
                self.branch_on(v, span, yes, no);
                self.func.cur = no;
                let w = self.rvalue(els)?;
                let after_els = self.func.cur;
                self.func.cur = yes;
                self.join_values(v, w, after_els, span)
            }
        }
    }

    /// Joins the value `v` of the current location with `w` of another one.
    fn join_values(&mut self, v: Val, w: Val, other: LocId, span: Span) -> Res<Val> {
        let ty = self.conditional_type(v, w, span)?;
        let end = self.new_loc();
        if self.types.is_void(ty) {
            self.jump(end);
            self.func.cur = other;
            self.continue_at(end);
            return Ok(self.void_value());
        }
        let ir = self.ir_type(ty);
        let dst = self.temp(ir);
        let v = self.in_conditional_type(v, ty);
        self.emit(Op::Assign { dst, src: v.e }, span);
        self.jump(end);
        self.func.cur = other;
        let w = self.in_conditional_type(w, ty);
        self.emit(Op::Assign { dst, src: w.e }, span);
        self.continue_at(end);
        Ok(Val { e: self.program.load(dst), ty })
    }

    fn in_conditional_type(&mut self, v: Val, ty: QType) -> Val {
        if self.types.is_scalar(ty) { self.convert(v, ty) } else { v }
    }

    /// The type of `c ? v : w` (C17 6.5.15).
    fn conditional_type(&mut self, v: Val, w: Val, span: Span) -> Res<QType> {
        let types = &self.types;
        if types.is_arithmetic(v.ty) && types.is_arithmetic(w.ty) {
            return Ok(self.common_type(v.ty, w.ty));
        }
        if types.is_void(v.ty) || types.is_void(w.ty) {
            return Ok(CTypes::VOID);
        }
        if v.ty.id == w.ty.id {
            return Ok(v.ty);
        }
        let is_null = |lower: &Self, v: Val| {
            let to_void = lower.types.pointee(v.ty).is_none_or(|to| lower.types.is_void(to));
            to_void && lower.program.exprs.const_bits(v.e) == Some(0)
        };
        match (types.pointee(v.ty), types.pointee(w.ty)) {
            (Some(_), _) if is_null(self, w) => Ok(v.ty),
            (_, Some(_)) if is_null(self, v) => Ok(w.ty),
            (Some(a), Some(b)) => {
                let quals = a.with(b.quals).quals;
                let to = if types.is_void(a) || types.is_void(b) {
                    CTypes::VOID
                } else if self.compatible(a, b) {
                    self.composite(a, b)
                } else {
                    // gcc warns and takes `void *`.
                    CTypes::VOID
                };
                Ok(self.types.pointer(to.with(quals)))
            }
            (Some(_), None) if types.is_integer(w.ty) => Ok(v.ty),
            (None, Some(_)) if types.is_integer(v.ty) => Ok(w.ty),
            _ => {
                let message = format!(
                    "the branches have the types `{}` and `{}`",
                    self.show_type(v.ty),
                    self.show_type(w.ty)
                );
                Err(self.error(span, message))
            }
        }
    }

    /// Whether an expression mentions nothing but constants, so that it is worth folding.
    pub(super) fn looks_constant(&self, e: ExprId) -> bool {
        with_stack(|| match self.ast[e].kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Char(_) | ExprKind::Bool(_) => true,
            ExprKind::SizeofExpr(_)
            | ExprKind::SizeofType(_)
            | ExprKind::AlignofExpr { .. }
            | ExprKind::AlignofType { .. }
            | ExprKind::Offsetof { .. }
            | ExprKind::TypesCompatible { .. } => true,
            ExprKind::Ident(name) => {
                matches!(self.entities.get(name), Some(super::Entity::Enumerator { .. }))
            }
            ExprKind::Unary { op, operand } => {
                matches!(op, UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot | UnaryOp::Not)
                    && self.looks_constant(operand)
            }
            ExprKind::Binary { lhs, rhs, .. } => {
                self.looks_constant(lhs) && self.looks_constant(rhs)
            }
            ExprKind::Cast { operand, .. } => self.looks_constant(operand),
            ExprKind::Conditional { cond, then, els } => {
                self.looks_constant(cond)
                    && then.is_none_or(|then| self.looks_constant(then))
                    && self.looks_constant(els)
            }
            ExprKind::Call { callee, .. } => match self.ast[callee].kind {
                ExprKind::Ident(name) => self.name(name) == "__builtin_constant_p",
                _ => false,
            },
            ExprKind::Generic { .. } | ExprKind::ChooseExpr { .. } => true,
            _ => false,
        })
    }

    pub(super) fn conditional_for_effect(
        &mut self,
        cond: ExprId,
        then: ExprId,
        els: ExprId,
    ) -> Res<()> {
        let [yes, no, end] = std::array::from_fn(|_| self.new_loc());
        self.branch(cond, yes, no)?;
        self.func.cur = yes;
        self.discard(then)?;
        self.jump(end);
        self.func.cur = no;
        self.discard(els)?;
        self.continue_at(end);
        Ok(())
    }
}
