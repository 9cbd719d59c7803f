//! Expressions as values.

use gnomon_ir::expr::{
    BinaryOp as IrBinary, ExprId as IrExpr, ExprKind as IrExprKind, PlaceKind, UnaryOp as IrUnary,
};
use gnomon_ir::program::Note;
use gnomon_ir::types as ir;

use super::assign::Used;
use super::conv::{LVal, Val};
use super::ctype::CTypes;
use super::lvalue::Operand;
use super::{Lower, Res, sequence};
use crate::ast::{BasicType, BinaryOp, ExprId, ExprKind, TypeNameId, TypeSpec, UnaryOp};
use crate::span::Span;

/// Expressions nest as deep as the user likes: the stack grows on the heap.
const RED_ZONE: usize = 128 * 1024;
const STACK_PIECE: usize = 4 * 1024 * 1024;

/// Runs `f` with enough stack for one more level.
pub(super) fn with_stack<T>(f: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, STACK_PIECE, f)
}

impl Lower<'_> {
    /// The value of an expression.
    pub(super) fn rvalue(&mut self, e: ExprId) -> Res<Val> {
        let operand = self.operand(e)?;
        let v = self.value_of(operand)?;
        self.limit_height(v, e)
    }

    /// An operand as a value: places are read, arrays and functions decay.
    pub(super) fn value_of(&mut self, operand: Operand) -> Res<Val> {
        match operand {
            Operand::Place(place) => Ok(self.read(place)),
            Operand::Value(v) => Ok(v),
            Operand::Function(index, ty) => {
                let func = self.global_function(index)?;
                let ty = self.types.pointer(ty);
                let ir = self.ir_type(ty);
                let e = self.program.func_addr(func);
                Ok(Val { e: self.program.cast(ir, e), ty })
            }
            Operand::CodeAt(pointer, _) => Ok(pointer),
        }
    }

    /// The value of an expression that does not name a place.
    pub(super) fn rvalue_here(&mut self, e: ExprId) -> Res<Val> {
        let span = self.ast[e].span;
        match self.ast[e].kind {
            ExprKind::Int(literal) => self.int_literal(self.ast[literal], span),
            ExprKind::Float(literal) => self.float_literal(literal, span),
            ExprKind::Char(literal) => Ok(self.char_literal(literal)),
            ExprKind::Bool(value) => Ok(self.int_val(CTypes::BOOL, i128::from(value))),
            ExprKind::Nullptr => {
                let ty = self.types.pointer(CTypes::VOID);
                let ir = self.ir_type(ty);
                Ok(Val { e: self.program.zero(ir), ty })
            }
            ExprKind::Unary { op, operand } => self.unary(op, operand, span),
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, .. } => self.truth_value(e),
            ExprKind::Binary { op, lhs, rhs } => {
                let (a, b) = self.rvalue_pair(lhs, rhs)?;
                self.binary(op, a, b, span)
            }
            ExprKind::Assign { op, lhs, rhs } => {
                let lv = self.assign(op, lhs, rhs, Used::Yes, span)?;
                Ok(self.read(lv))
            }
            ExprKind::Conditional { cond, then, els } => self.conditional(cond, then, els, span),
            ExprKind::Comma { lhs, rhs } => {
                self.discard(lhs)?;
                self.rvalue(rhs)
            }
            ExprKind::Cast { ty, operand } => self.cast(ty, operand, span),
            ExprKind::Call { callee, args } => self.call(callee, args, span),
            ExprKind::SizeofExpr(operand) => {
                let ty = self.evaluated_type_of(operand)?;
                self.size_of(ty, span)
            }
            ExprKind::SizeofType(ty) => {
                let ty = self.type_name(ty)?;
                self.size_of(ty, span)
            }
            ExprKind::AlignofExpr { operand, gnu } => {
                let ty = self.type_of(operand)?;
                Ok(self.align_of(ty, gnu))
            }
            ExprKind::AlignofType { ty, gnu } => {
                let ty = self.type_name(ty)?;
                Ok(self.align_of(ty, gnu))
            }
            ExprKind::StmtExpr(body) => self.statement_expression(body, span),
            ExprKind::LabelAddress(name) => self.label_address(name, span),
            ExprKind::VaArg { list, ty } => self.va_arg(list, ty, span),
            ExprKind::Offsetof { ty, path } => self.offset_of(ty, path, span),
            ExprKind::TypesCompatible { left, right } => {
                let (left, right) = (self.type_name(left)?, self.type_name(right)?);
                let same = self.compatible(left.unqualified(), right.unqualified());
                Ok(self.int_val(CTypes::INT, i128::from(same)))
            }
            ExprKind::ConvertVector { .. } => {
                Err(self.unsupported(span, "vector types are not supported"))
            }
            ExprKind::Error => Err(self.already_reported()),
            ExprKind::Ident(_)
            | ExprKind::Str(_)
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::Arrow { .. }
            | ExprKind::Generic { .. }
            | ExprKind::ChooseExpr { .. } => self.rvalue(e),
        }
    }

    /// Warns of effects in a full expression whose order is open.
    pub(super) fn check_sequence(&mut self, e: ExprId) {
        if self.func.unevaluated > 0 || !self.has_effects(e) {
            return;
        }
        for conflict in sequence::conflicts(self.ast, e) {
            let message = format!(
                "C does not define the order of the effects on `{}` here; \
                 it is taken from left to right",
                self.name(conflict.variable)
            );
            self.note(Note::EVALUATION_ORDER, message.clone(), conflict.span);
            self.warn(conflict.span, message);
        }
    }

    /// Evaluates for the effects only.
    pub(super) fn discard(&mut self, e: ExprId) -> Res<()> {
        with_stack(|| match self.ast[e].kind {
            ExprKind::Comma { lhs, rhs } => {
                self.discard(lhs)?;
                self.discard(rhs)
            }
            ExprKind::Unary { op: UnaryOp::PostInc | UnaryOp::PreInc, operand } => {
                self.step(operand, IrBinary::Add, Used::No, self.ast[e].span).map(|_| ())
            }
            ExprKind::Unary { op: UnaryOp::PostDec | UnaryOp::PreDec, operand } => {
                self.step(operand, IrBinary::Sub, Used::No, self.ast[e].span).map(|_| ())
            }
            ExprKind::Assign { op, lhs, rhs } => {
                self.assign(op, lhs, rhs, Used::No, self.ast[e].span).map(|_| ())
            }
            ExprKind::Cast { ty, operand } if self.is_void_cast(ty) => self.discard(operand),
            ExprKind::Call { callee, args } => self.call_for_effect(callee, args, self.ast[e].span),
            ExprKind::Conditional { cond, then: Some(then), els } => {
                self.conditional_for_effect(cond, then, els)
            }
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, .. } => {
                let end = self.new_loc();
                self.branch(e, end, end)?;
                self.func.cur = end;
                Ok(())
            }
            _ => {
                let operand = self.operand(e)?;
                self.evaluate_for_nothing(operand, self.ast[e].span);
                Ok(())
            }
        })
    }

    /// `1 / x;` and `*p;` can go wrong although nobody uses the value.
    fn evaluate_for_nothing(&mut self, operand: Operand, span: Span) {
        let v = match operand {
            Operand::Value(v) => v,
            Operand::Place(lv) if self.is_open(lv) => self.read(lv),
            Operand::Place(LVal { place, ty, .. }) if self.types.is_scalar(ty) => {
                Val { e: self.program.load(place), ty }
            }
            _ => return,
        };
        if self.is_evaluated() && self.types.is_scalar(v.ty) && self.can_go_wrong(v.e) {
            self.in_temporary(v.e, span);
        }
    }

    /// Whether evaluating the expression can be undefined: not variables, constants and truth
    /// values of them.
    fn can_go_wrong(&self, e: IrExpr) -> bool {
        let exprs = &self.program.exprs;
        match exprs.expr(e).kind {
            IrExprKind::Const(_)
            | IrExprKind::Zero
            | IrExprKind::FuncAddr(_)
            | IrExprKind::AddrOf(_) => false,
            IrExprKind::Load(place) => !matches!(exprs.place(place).kind, PlaceKind::Var(_)),
            IrExprKind::Cast(a) => self.can_go_wrong(a),
            IrExprKind::Binary(op, a, b) if op.is_comparison() => {
                self.can_go_wrong(a) || self.can_go_wrong(b)
            }
            _ => true,
        }
    }

    fn is_void_cast(&mut self, ty: TypeNameId) -> bool {
        let name = self.ast[ty];
        matches!(self.ast[name.specs].ty, TypeSpec::Basic(BasicType::Void))
            && self.ast[name.declarator].parts.is_empty()
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, span: Span) -> Res<Val> {
        match op {
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => {
                let v = self.rvalue(operand)?;
                let ok = self.types.is_integer(v.ty)
                    || (op != UnaryOp::BitNot && self.types.is_float(v.ty));
                if !ok {
                    let message = format!("`{}` has no such operator", self.show_type(v.ty));
                    return Err(self.error(span, message));
                }
                let v = self.promote(v);
                let v = if op == UnaryOp::Minus && self.types.is_integer(v.ty) {
                    // `-x` overflows where `x * -1` does.
                    let minus_one = self.int_val(v.ty, -1);
                    self.keep_undefined(IrBinary::Mul, v, minus_one)
                } else {
                    v
                };
                let e = match op {
                    UnaryOp::Minus => self.program.unary(IrUnary::Neg, v.e),
                    UnaryOp::BitNot => self.program.unary(IrUnary::BitNot, v.e),
                    _ => v.e,
                };
                Ok(self.wrap(Val { e, ty: v.ty }))
            }
            UnaryOp::Not => {
                if matches!(
                    self.ast[operand].kind,
                    ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, .. }
                ) {
                    let v = self.truth_value(operand)?;
                    return Ok(Val { e: self.program.not(v.e), ty: CTypes::INT });
                }
                let v = self.rvalue(operand)?;
                let v = self.require_scalar(v, span)?;
                Ok(self.negation(v))
            }
            UnaryOp::AddressOf => self.address_of_operand(operand, span),
            UnaryOp::PreInc | UnaryOp::PreDec => {
                let op = if op == UnaryOp::PreInc { IrBinary::Add } else { IrBinary::Sub };
                let lv = self.step(operand, op, Used::Yes, span)?;
                Ok(self.read(lv))
            }
            UnaryOp::PostInc | UnaryOp::PostDec => {
                let op = if op == UnaryOp::PostInc { IrBinary::Add } else { IrBinary::Sub };
                self.step_keeping_old(operand, op, span)
            }
            UnaryOp::Real | UnaryOp::Imag => {
                Err(self.unsupported(span, "complex arithmetic is not supported"))
            }
            UnaryOp::Deref => self.rvalue_of_deref(operand, span),
        }
    }

    fn rvalue_of_deref(&mut self, operand: ExprId, span: Span) -> Res<Val> {
        let pointer = self.rvalue(operand)?;
        let place = self.points_to(pointer, span)?;
        self.value_of(place)
    }

    /// `!v`, folded where the truth of the value is known.
    pub(super) fn negation(&mut self, v: Val) -> Val {
        match self.program.as_truth(v.e) {
            Some(truth) => self.int_val(CTypes::INT, i128::from(!truth)),
            None => Val { e: self.program.not(v.e), ty: CTypes::INT },
        }
    }

    fn address_of_operand(&mut self, operand: ExprId, span: Span) -> Res<Val> {
        match self.operand(operand)? {
            Operand::Place(lv) if lv.bits.is_some() => {
                Err(self.error(span, "a bit-field has no address"))
            }
            Operand::Place(lv) => Ok(self.address(lv)),
            function @ (Operand::Function(..) | Operand::CodeAt(..)) => self.value_of(function),
            Operand::Value(_) => Err(self.error(span, "this has no address")),
        }
    }

    /// What an expression of type `void` gives: nobody looks at it.
    pub(super) fn void_value(&mut self) -> Val {
        Val { e: self.program.int(ir::Types::I32, 0), ty: CTypes::VOID }
    }

    pub(super) fn require_integer(&mut self, v: Val, span: Span) -> Res<Val> {
        if self.types.is_integer(v.ty) {
            return Ok(v);
        }
        let message = format!("an integer is needed here, not `{}`", self.show_type(v.ty));
        Err(self.error(span, message))
    }
}
