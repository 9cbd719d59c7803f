//! Expressions as values.

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::Op;
use gnomon_ir::expr::{
    BinaryOp as IrBinary, ExprId as IrExpr, ExprKind as IrExprKind, PlaceId, PlaceKind,
    UnaryOp as IrUnary,
};
use gnomon_ir::ops;
use gnomon_ir::types as ir;

use super::assign::Used;
use super::conv::{LVal, Val};
use super::ctype::{ArrayLen, CType, CTypes, FloatType, IntKind, QType};
use super::lvalue::Operand;
use super::{Lower, Res, TEMPORARY, sequence};
use crate::ast::{
    BinaryOp, CharLit, Encoding, ExprId, ExprKind, FloatLit, FloatSuffix, GenericAssociation,
    IntBase, IntLength, IntLit, List, OffsetofPart, TypeNameId, UnaryOp,
};
use crate::span::Span;

/// Expressions nest as deep as the user likes: the stack grows on the heap.
const RED_ZONE: usize = 128 * 1024;
const STACK_PIECE: usize = 4 * 1024 * 1024;

/// How deep an expression of the model may become.
const MAX_HEIGHT: u16 = 256;

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

    /// The value, from a temporary if the expression has become very deep: what works on the
    /// model's expressions is recursive and relies on it.
    fn limit_height(&mut self, v: Val, e: ExprId) -> Res<Val> {
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

    /// Two values, the left one safe from what the right one does.
    pub(super) fn rvalue_pair(&mut self, lhs: ExprId, rhs: ExprId) -> Res<(Val, Val)> {
        let mut a = self.rvalue(lhs)?;
        if self.has_effects(rhs) {
            a.e = self.keep(a.e);
        }
        let b = self.rvalue(rhs)?;
        Ok((a, b))
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

    fn in_temporary(&mut self, e: IrExpr, span: Span) -> IrExpr {
        let ty = self.program.expr_ty(e);
        let dst = self.temp(ty);
        self.emit(Op::Assign { dst, src: e }, span);
        self.program.load(dst)
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
            _ => self.operand(e).map(|_| ()),
        })
    }

    fn is_void_cast(&mut self, ty: TypeNameId) -> bool {
        use crate::ast::{BasicType, TypeSpec};
        let name = self.ast[ty];
        matches!(self.ast[name.specs].ty, TypeSpec::Basic(BasicType::Void))
            && self.ast[name.declarator].parts.is_empty()
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

    fn int_literal(&mut self, literal: IntLit, span: Span) -> Res<Val> {
        if literal.imaginary {
            return Err(self.unsupported(span, "complex arithmetic is not supported"));
        }
        let decimal = literal.base == IntBase::Decimal;
        let unsigned = literal.suffix.unsigned;
        let first = match literal.suffix.length {
            IntLength::None => IntKind::Int,
            IntLength::Long => IntKind::Long,
            IntLength::LongLong => IntKind::LongLong,
            IntLength::BitInt => {
                return Err(self.unsupported(span, "`_BitInt` is not supported"));
            }
        };
        let ladder = [IntKind::Int, IntKind::Long, IntKind::LongLong, IntKind::Int128];
        let target = self.types.target();
        let fits = |kind: IntKind| {
            let bits = kind.bits(target) - u16::from(kind.signed());
            bits >= 128 || literal.value >> bits == 0
        };
        let candidates = ladder.iter().copied().filter(|kind| *kind >= first).flat_map(|kind| {
            let signed = (!unsigned).then_some(kind);
            let unsigned = (unsigned || !decimal).then_some(kind.to_unsigned());
            [signed, unsigned].into_iter().flatten()
        });
        // A decimal constant that fits no signed type becomes unsigned as a last resort (gcc).
        let kind = candidates.into_iter().find(|&kind| fits(kind)).unwrap_or(IntKind::UInt128);
        let ty = self.types.int(kind);
        Ok(self.int_val(ty, literal.value as i128))
    }

    fn float_literal(&mut self, literal: FloatLit, span: Span) -> Res<Val> {
        if literal.imaginary {
            return Err(self.unsupported(span, "complex arithmetic is not supported"));
        }
        let ty = match literal.suffix {
            FloatSuffix::None => FloatType::Double,
            FloatSuffix::F => FloatType::Float,
            FloatSuffix::L | FloatSuffix::W => FloatType::LongDouble,
            FloatSuffix::Q | FloatSuffix::F128 => FloatType::Float128,
            FloatSuffix::F16 => FloatType::Float16,
            FloatSuffix::F32 => FloatType::Float32,
            FloatSuffix::F64 => FloatType::Float64,
            FloatSuffix::F32x => FloatType::Float32x,
            FloatSuffix::F64x => FloatType::Float64x,
            FloatSuffix::D32 | FloatSuffix::D64 | FloatSuffix::D128 => {
                return Err(self.unsupported(span, "decimal floating point is not supported"));
            }
        };
        let Some(bits) = ops::parse_float(ty.kind(), self.name(literal.text)) else {
            return Err(self.error(span, "this is not a floating constant"));
        };
        let ty = self.types.plain(CType::Float(ty));
        let ir = self.ir_type(ty);
        Ok(Val { e: self.program.constant(ir, bits), ty })
    }

    fn char_literal(&mut self, literal: CharLit) -> Val {
        let ty = match literal.encoding {
            Encoding::Plain => CTypes::INT,
            Encoding::Wide => self.types.wchar_t(),
            Encoding::Utf8 => CTypes::UCHAR,
            Encoding::Utf16 => CTypes::USHORT,
            Encoding::Utf32 => CTypes::UINT,
        };
        self.int_val(ty, i128::from(literal.value))
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
        let v = Val { e: self.program.binary(op, a.e, b.e), ty: a.ty };
        Ok(self.wrap(v))
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

    fn cast(&mut self, ty: TypeNameId, operand: ExprId, span: Span) -> Res<Val> {
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
    fn cast_to_union(
        &mut self,
        to: QType,
        id: super::ctype::CRecordId,
        operand: ExprId,
        span: Span,
    ) -> Res<Val> {
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
        id: super::ctype::CRecordId,
        v: Val,
        span: Span,
    ) -> Option<Val> {
        let fields = self.types.records[id].fields.clone();
        let exact = fields.iter().position(|f| self.compatible(f.ty.unqualified(), v.ty));
        let pointer = || {
            let is_pointer = self.types.is_pointer(v.ty);
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

    /// What an expression of type `void` gives: nobody looks at it.
    pub(super) fn void_value(&mut self) -> Val {
        Val { e: self.program.int(ir::Types::I32, 0), ty: CTypes::VOID }
    }

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
    fn align_of(&mut self, ty: QType, gnu: bool) -> Val {
        let size_t = self.types.size_t();
        let align = self.types.align(ty, !gnu);
        self.int_val(size_t, i128::from(align))
    }

    fn offset_of(&mut self, ty: TypeNameId, path: List<OffsetofPart>, span: Span) -> Res<Val> {
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

    pub(super) fn require_integer(&mut self, v: Val, span: Span) -> Res<Val> {
        if self.types.is_integer(v.ty) {
            return Ok(v);
        }
        let message = format!("an integer is needed here, not `{}`", self.show_type(v.ty));
        Err(self.error(span, message))
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
