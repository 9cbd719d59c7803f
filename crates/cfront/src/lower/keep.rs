//! Values that later effects must not change, and that must not become too deep.
//!
//! An expression of the model is evaluated where it is used, so a value that is computed before an
//! effect and used behind it goes into a temporary. Which parts of the tree have effects and which
//! expressions read memory is found once for each of them.

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::Op;
use gnomon_ir::expr::{ExprId as IrExpr, ExprKind as IrExprKind, PlaceId, PlaceKind};

use super::conv::Val;
use super::expr::with_stack;
use super::unsequenced::{Before, OpenOrder, Operand};
use super::{Lower, Res, TEMPORARY};
use crate::ast::{ExprId, ExprKind, UnaryOp};
use crate::span::Span;

/// How deep an expression of the model may become.
const MAX_HEIGHT: u16 = 256;

impl Lower<'_> {
    /// The value, from a temporary if the expression has become very deep: what works on the
    /// model's expressions is recursive and relies on it.
    pub(super) fn limit_height(&mut self, v: Val, e: ExprId) -> Res<Val> {
        if self.height(v.e) < MAX_HEIGHT {
            return Ok(v);
        }
        let span = self.ast[e].span;
        if !self.func.inside {
            return Err(self.unsupported(span, "constants of this depth are not supported"));
        }
        Ok(self.spill(v, span))
    }

    fn height(&mut self, e: IrExpr) -> u16 {
        if let Some(&known) = self.heights.get(e.index())
            && known > 0
        {
            return known;
        }
        let below = match self.program.exprs.expr(e).kind {
            IrExprKind::Const(_) | IrExprKind::Zero | IrExprKind::FuncAddr(_) => 0,
            IrExprKind::Load(place) | IrExprKind::AddrOf(place) => self.place_height(place),
            IrExprKind::Unary(_, a) | IrExprKind::Cast(a) => self.height(a),
            IrExprKind::Binary(_, a, b) | IrExprKind::PtrAdd(a, b) | IrExprKind::PtrDiff(a, b) => {
                self.height(a).max(self.height(b))
            }
        };
        if self.heights.len() <= e.index() {
            self.heights.resize(self.program.exprs.expr_count(), 0);
        }
        self.heights[e.index()] = below.saturating_add(1);
        below.saturating_add(1)
    }

    fn place_height(&mut self, place: PlaceId) -> u16 {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => 0,
            PlaceKind::Deref(e) => self.height(e).saturating_add(1),
            PlaceKind::Field(base, _) => self.place_height(base).saturating_add(1),
            PlaceKind::Index(base, e) => {
                self.place_height(base).max(self.height(e)).saturating_add(1)
            }
        }
    }

    /// Two values, the left one safe from what the right one does.
    pub(super) fn rvalue_pair(&mut self, lhs: ExprId, rhs: ExprId) -> Res<(Val, Val)> {
        let before = self.effects_before();
        let mut a = self.rvalue(lhs)?;
        let first = self.operand_since(before, Some(a.e));
        if self.has_effects(rhs) {
            a.e = self.keep(a.e);
        }
        let before = self.effects_before();
        let b = self.rvalue(rhs)?;
        let second = self.operand_since(before, Some(b.e));
        self.open_order(vec![first, second], self.ast[rhs].span);
        Ok((a, b))
    }

    /// What the function has done before an operand.
    pub(super) fn effects_before(&self) -> Before {
        Before {
            calls: self.func.calls.len(),
            stores: self.func.stores.len(),
            reads: self.func.reads.len(),
            inner_blocks: self.func.inner_blocks,
        }
    }

    /// The operand whose effects are those since then.
    pub(super) fn operand_since(&self, before: Before, value: Option<IrExpr>) -> Operand {
        let mut calls = self.func.calls[before.calls..].to_vec();
        calls.sort_unstable();
        calls.dedup();
        let stores = self.func.stores[before.stores..].to_vec();
        let reads = self.func.reads[before.reads..].to_vec();
        let has_block = self.func.inner_blocks > before.inner_blocks;
        Operand { calls, stores, reads, value, place: None, has_block }
    }

    /// Remembers operands in no order, if one of them calls something or stores behind a pointer;
    /// stores to named variables are looked at before anything is lowered, but for those in blocks.
    pub(super) fn open_order(&mut self, operands: Vec<Operand>, span: Span) {
        let has_effects = |operand: &Operand| {
            let mut roots = operand.stores.iter().map(|&p| self.program.exprs.root_var(p));
            !operand.calls.is_empty() || operand.has_block || roots.any(|root| root.is_none())
        };
        if operands.len() > 1 && operands.iter().any(has_effects) {
            let span = self.ir_span(span);
            self.linker.open_orders.push(OpenOrder { span, operands });
        }
    }

    /// The same value, read from a temporary if it depends on memory at all.
    pub(super) fn keep(&mut self, e: IrExpr) -> IrExpr {
        if !self.reads_memory(e) {
            return e;
        }
        let stmt_span = self.func.last_span;
        self.in_temporary(e, stmt_span)
    }

    /// Whether the value depends on memory that others may change. Known of each expression once
    /// it was asked: long sums of calls ask again and again.
    fn reads_memory(&mut self, e: IrExpr) -> bool {
        if let Some(Some(known)) = self.reads.get(e.index()) {
            return *known;
        }
        let reads = with_stack(|| self.find_reads(e));
        if self.reads.len() <= e.index() {
            self.reads.resize(self.program.exprs.expr_count(), None);
        }
        self.reads[e.index()] = Some(reads);
        reads
    }

    fn find_reads(&mut self, e: IrExpr) -> bool {
        match self.program.exprs.expr(e).kind {
            IrExprKind::Const(_) | IrExprKind::Zero | IrExprKind::FuncAddr(_) => false,
            IrExprKind::Load(place) => !self.is_temporary(place),
            IrExprKind::AddrOf(place) => self.place_reads_memory(place),
            IrExprKind::Unary(_, a) | IrExprKind::Cast(a) => self.reads_memory(a),
            IrExprKind::Binary(_, a, b) | IrExprKind::PtrAdd(a, b) | IrExprKind::PtrDiff(a, b) => {
                self.reads_memory(a) || self.reads_memory(b)
            }
        }
    }

    /// Temporaries are written before they are read, and by nobody else.
    fn is_temporary(&self, place: PlaceId) -> bool {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(var) => self.program.vars[var].name.starts_with(TEMPORARY),
            _ => false,
        }
    }

    fn place_reads_memory(&mut self, mut place: PlaceId) -> bool {
        loop {
            match self.program.exprs.place(place).kind {
                PlaceKind::Var(_) => return false,
                PlaceKind::Deref(e) => return self.reads_memory(e),
                PlaceKind::Field(base, _) => place = base,
                PlaceKind::Index(_, e) if self.reads_memory(e) => return true,
                PlaceKind::Index(base, _) => place = base,
            }
        }
    }

    /// The value in a temporary.
    pub(super) fn spill(&mut self, v: Val, span: Span) -> Val {
        Val { e: self.in_temporary(v.e, span), ty: v.ty }
    }

    pub(super) fn in_temporary(&mut self, e: IrExpr, span: Span) -> IrExpr {
        let ty = self.program.expr_ty(e);
        let dst = self.temp(ty);
        self.emit(Op::Assign { dst, src: e }, span);
        self.program.load(dst)
    }

    /// Whether evaluating the expression changes memory or jumps.
    pub(super) fn has_effects(&mut self, e: ExprId) -> bool {
        if let Some(known) = self.effects[e.index()] {
            return known;
        }
        let effects = with_stack(|| self.find_effects(e));
        self.effects[e.index()] = Some(effects);
        effects
    }

    fn find_effects(&mut self, e: ExprId) -> bool {
        match self.ast[e].kind {
            ExprKind::Assign { .. }
            | ExprKind::Call { .. }
            | ExprKind::StmtExpr(_)
            | ExprKind::VaArg { .. }
            | ExprKind::CompoundLiteral { .. } => true,
            ExprKind::Unary { op, operand } => {
                matches!(
                    op,
                    UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec
                ) || self.has_effects(operand)
            }
            ExprKind::Binary { lhs, rhs, .. } | ExprKind::Comma { lhs, rhs } => {
                self.has_effects(lhs) || self.has_effects(rhs)
            }
            ExprKind::Conditional { cond, then, els } => {
                self.has_effects(cond)
                    || then.is_some_and(|then| self.has_effects(then))
                    || self.has_effects(els)
            }
            ExprKind::Cast { operand, .. } => self.has_effects(operand),
            ExprKind::Index { base, index } => self.has_effects(base) || self.has_effects(index),
            ExprKind::Member { base, .. } | ExprKind::Arrow { base, .. } => self.has_effects(base),
            ExprKind::Generic { associations, .. } => {
                self.ast[associations].iter().any(|a| self.has_effects(a.expr))
            }
            ExprKind::ChooseExpr { then, els, .. } => {
                self.has_effects(then) || self.has_effects(els)
            }
            _ => false,
        }
    }
}
