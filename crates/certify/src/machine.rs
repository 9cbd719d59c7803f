//! Expressions: every operator of the model, bit by bit.
//!
//! A value is a bit-vector of the width of its type (`_Bool` has eight bits, a pointer those of the
//! target). Where the model ends a run (division without a result, an access outside of all
//! objects), the condition of the state says that it does not happen.

use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, UnaryOp};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::types::{Type, TypeId};
use gnomon_logic::{Sort, Term, Terms};

use crate::certificate::{AliasTarget, Held};
use crate::float::format;
use crate::layout::Layout;
use crate::parts::Parts;
use crate::state::{Beginning, Slot, State};

/// What the checker does not follow, for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(pub String);

pub(crate) type Followed<T> = Result<T, Unsupported>;

pub(crate) fn not_followed<T>(what: impl Into<String>) -> Followed<T> {
    Err(Unsupported(what.into()))
}

/// What is in a range of an array now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Zeros.
    Zero,
    /// Anything.
    Any,
}

/// A range of an array that was written as a whole: everything else is as before.
#[derive(Clone, Copy, Debug)]
pub struct Overwritten {
    /// What is there now.
    pub contents: Contents,
    /// The array.
    pub slot: Slot,
    /// It before and after.
    pub before: Term,
    /// The array behind it.
    pub after: Term,
    /// The first position.
    pub from: Term,
    /// The position behind the last one.
    pub to: Term,
}

/// Makes terms of one program.
pub struct Machine<'p> {
    /// The program.
    pub program: &'p Program,
    /// Where objects lie.
    pub layout: Layout,
    /// The terms.
    pub terms: Terms,
    /// The values at the start of the present block.
    pub beginning: Beginning,
    /// What holds of the symbols of the present block.
    pub background: Vec<Term>,
    /// Static variables that nothing assigns to, which keep their first values.
    pub constants: std::collections::BTreeMap<Slot, Term>,
    /// Elements of memory that nothing can change, by address.
    pub fixed_elements: Vec<(Slot, u64, Term)>,
    /// The parts of memory.
    pub parts: Parts,
    /// What names of formulas hold of memory.
    pub held: std::collections::BTreeMap<String, Held>,
    /// The functions that are open at the present place.
    pub open: Vec<FuncId>,
    /// The values at the entry of the present function, for formulas about them.
    pub at_entry: Option<State>,
    /// What must not be possible besides errors: calls that break what a summary demands.
    pub obligations: Vec<(String, Term)>,
    /// Where pointers point, by facts that are believed.
    pub trusted: std::collections::BTreeMap<gnomon_ir::expr::PlaceId, Vec<AliasTarget>>,
    /// Whether it is known where allocated objects begin.
    pub remembers: bool,
    /// The positions of formulas: any, but the same in all formulas of a block.
    pub positions: std::collections::BTreeMap<String, Term>,
    /// Positions of arrays at which the present block reads, as 64 bits; `None` if it may be any array.
    pub noted: Vec<(Option<Slot>, Term)>,
    /// Ranges that were written as a whole in the present block.
    pub overwritten: Vec<Overwritten>,
    /// What functions without a body may write, by facts that are believed; `None` for all memory.
    pub escaped: Option<std::collections::BTreeSet<crate::certificate::AliasObject>>,
    /// A function without a body that was taken to do more than it does.
    pub approximated: Option<String>,
    /// What was asked for its value: nothing else can matter. Where a part of a slot is written, the
    /// rest of it is not.
    pub read: std::collections::BTreeSet<Slot>,
}

impl Machine<'_> {
    /// A new symbol.
    pub fn fresh(&mut self, prefix: &str, sort: Sort) -> Term {
        let variable = self.terms.fresh_variable(prefix, sort);
        self.terms.var(variable)
    }

    /// The sort of bytes by address.
    pub fn bytes_sort(&mut self) -> Sort {
        self.terms.array_sort(Sort::BitVec(64), Sort::BitVec(8))
    }

    /// The sort of a slot.
    fn slot_sort(&mut self, slot: Slot) -> Sort {
        let scalar = |ty| self.program.types.scalar(ty).map_or(8, |s| u32::from(s.width()));
        match slot {
            Slot::Plain(var) => Sort::BitVec(scalar(self.program.vars[var].ty)),
            Slot::Result(func) => {
                let signature = self.program.types.signature(self.program.funcs[func].ty);
                Sort::BitVec(signature.map_or(8, |s| scalar(s.result)))
            }
            Slot::HeapEnd => Sort::BitVec(64),
            Slot::Begins | Slot::ResultBytes(_) => self.bytes_sort(),
            Slot::Bytes(_) | Slot::Memory(_) => {
                let width = self.element_width(slot);
                self.terms.array_sort(Sort::BitVec(64), Sort::BitVec(width))
            }
        }
    }

    /// Any value of a slot.
    pub fn any(&mut self, slot: Slot) -> Term {
        let sort = self.slot_sort(slot);
        let value = self.fresh("any", sort);
        if let Slot::Plain(var) = slot
            && *self.program.types.get(self.program.vars[var].ty) == Type::Bool
        {
            let one = self.terms.bv(1, 8);
            let is_truth = self.terms.bv_ule(value, one);
            self.background.push(is_truth);
        }
        value
    }

    /// The value of a slot at the start of the block.
    pub fn at_beginning(&mut self, slot: Slot) -> Term {
        if let Some(constant) = self.constants.get(&slot) {
            return *constant;
        }
        if let Some(known) = self.beginning.known(slot) {
            return known;
        }
        let value = self.any(slot);
        self.beginning.set(slot, value);
        if slot == Slot::HeapEnd {
            let (low, high) = (self.layout.heap_start, self.layout.heap_end);
            let (low, high) = (self.terms.bv(low, 64), self.terms.bv(high, 64));
            let (above, below) = (self.terms.bv_ule(low, value), self.terms.bv_ule(value, high));
            self.background.extend([above, below]);
        }
        for (_, address, element) in
            self.fixed_elements.clone().iter().filter(|(of, ..)| *of == slot)
        {
            let at = self.terms.bv(*address, 64);
            let held = self.terms.select(value, at);
            let fact = self.terms.eq(held, *element);
            self.background.push(fact);
        }
        value
    }

    /// The present value of a slot.
    pub fn value(&mut self, state: &State, slot: Slot) -> Term {
        self.read.insert(slot);
        self.old_value(state, slot)
    }

    /// The present value of a slot of which a part is about to be written, and which is not looked
    /// at.
    pub fn old_value(&mut self, state: &State, slot: Slot) -> Term {
        match state.values.get(&slot) {
            Some(value) => *value,
            None => self.at_beginning(slot),
        }
    }

    /// The type of a number, as operators see it.
    pub fn scalar(&self, ty: TypeId) -> Followed<Scalar> {
        match self.program.types.scalar(ty) {
            Some(scalar) => Ok(scalar),
            None => not_followed("a value that is no number"),
        }
    }

    fn number(&self, ty: TypeId) -> Followed<(u32, bool)> {
        match self.scalar(ty)? {
            Scalar::Float(_) => not_followed("floating-point arithmetic"),
            Scalar::Bool => Ok((8, false)),
            Scalar::Int { bits, signed } => Ok((bits.into(), signed)),
        }
    }

    /// The value of an expression of scalar type.
    pub fn expr(&mut self, state: &mut State, e: ExprId) -> Followed<Term> {
        let expr = self.program.exprs.expr(e);
        match expr.kind {
            ExprKind::Const(c) => {
                let width = self.scalar(expr.ty)?.width();
                Ok(self.terms.bv(self.program.exprs.bits(c), width.into()))
            }
            ExprKind::Zero => {
                let width = self.scalar(expr.ty)?.width();
                Ok(self.terms.bv(0, width.into()))
            }
            ExprKind::Load(place) => self.load(state, place),
            ExprKind::AddrOf(place) => {
                let address = self.address(state, place)?;
                Ok(self.to_pointer(address))
            }
            ExprKind::FuncAddr(func) => {
                let address = self.layout.function(func);
                Ok(self.pointer(address))
            }
            ExprKind::Unary(op, a) => {
                let scalar = self.scalar(expr.ty)?;
                let a = self.expr(state, a)?;
                Ok(match op {
                    UnaryOp::Neg if matches!(scalar, Scalar::Float(_)) => self.float_negated(a),
                    UnaryOp::Neg => self.terms.bv_neg(a),
                    UnaryOp::BitNot => self.terms.bv_not(a),
                })
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let truth = self.comparison(state, op, a, b)?;
                let (width, _) = self.number(expr.ty)?;
                let (one, zero) = (self.terms.bv(1, width), self.terms.bv(0, width));
                Ok(self.terms.ite(truth, one, zero))
            }
            ExprKind::Binary(op, a, b) => self.arithmetic(state, op, a, b),
            ExprKind::PtrAdd(pointer, index) => {
                let Some(to) = self.program.types.pointee(expr.ty) else {
                    return not_followed("a moved pointer to nothing");
                };
                let base = self.expr(state, pointer)?;
                let distance = self.scaled(state, index, self.program.types.size(to))?;
                let base = self.widened(base, 64, false);
                let moved = self.terms.bv_add(base, distance);
                Ok(self.to_pointer(moved))
            }
            ExprKind::PtrDiff(a, b) => {
                let to = self.program.types.pointee(self.program.expr_ty(a));
                let size = to.map_or(1, |to| self.program.types.size(to)).max(1);
                let (a, b) = (self.expr(state, a)?, self.expr(state, b)?);
                let width = self.terms.width(a);
                let distance = self.terms.bv_sub(a, b);
                let size = self.terms.bv(size, width);
                Ok(self.terms.bv_sdiv(distance, size))
            }
            ExprKind::Cast(a) => self.cast(state, a, expr.ty),
        }
    }

    /// Whether an expression is not zero.
    pub fn truth(&mut self, state: &mut State, e: ExprId) -> Followed<Term> {
        let expr = self.program.exprs.expr(e);
        if let ExprKind::Binary(op, a, b) = expr.kind
            && op.is_comparison()
        {
            return self.comparison(state, op, a, b);
        }
        let scalar = self.scalar(expr.ty)?;
        let value = self.expr(state, e)?;
        if let Scalar::Float(kind) = scalar {
            format(kind)?;
            return Ok(self.float_truth(value));
        }
        let zero = self.terms.bv(0, self.terms.width(value));
        Ok(self.terms.ne(value, zero))
    }

    fn comparison(
        &mut self,
        state: &mut State,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Followed<Term> {
        if let Scalar::Float(kind) = self.scalar(self.program.expr_ty(a))? {
            let (a, b) = (self.expr(state, a)?, self.expr(state, b)?);
            return self.float_comparison(op, kind, a, b);
        }
        let (_, signed) = self.number(self.program.expr_ty(a))?;
        let (a, b) = (self.expr(state, a)?, self.expr(state, b)?);
        let t = &mut self.terms;
        Ok(match (op, signed) {
            (BinaryOp::Eq, _) => t.eq(a, b),
            (BinaryOp::Ne, _) => t.ne(a, b),
            (BinaryOp::Lt, true) => t.bv_slt(a, b),
            (BinaryOp::Lt, false) => t.bv_ult(a, b),
            (BinaryOp::Gt, true) => t.bv_slt(b, a),
            (BinaryOp::Gt, false) => t.bv_ult(b, a),
            (BinaryOp::Le, true) => t.bv_sle(a, b),
            (BinaryOp::Le, false) => t.bv_ule(a, b),
            (_, true) => t.bv_sle(b, a),
            (_, false) => t.bv_ule(b, a),
        })
    }

    fn arithmetic(
        &mut self,
        state: &mut State,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Followed<Term> {
        if let Scalar::Float(kind) = self.scalar(self.program.expr_ty(a))? {
            let (a, b) = (self.expr(state, a)?, self.expr(state, b)?);
            return self.float_arithmetic(op, kind, a, b);
        }
        let (width, signed) = self.number(self.program.expr_ty(a))?;
        let (a, mut b) = (self.expr(state, a)?, self.expr(state, b)?);
        if op.is_shift() {
            b = self.shift_count(b, width);
        }
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            self.assume_quotient(state, a, b, width, signed);
        }
        let t = &mut self.terms;
        Ok(match (op, signed) {
            (BinaryOp::Add, _) => t.bv_add(a, b),
            (BinaryOp::Sub, _) => t.bv_sub(a, b),
            (BinaryOp::Mul, _) => t.bv_mul(a, b),
            (BinaryOp::Div, true) => t.bv_sdiv(a, b),
            (BinaryOp::Div, false) => t.bv_udiv(a, b),
            (BinaryOp::Rem, true) => t.bv_srem(a, b),
            (BinaryOp::Rem, false) => t.bv_urem(a, b),
            (BinaryOp::Shl, _) => t.bv_shl(a, b),
            (BinaryOp::Shr, true) => t.bv_ashr(a, b),
            (BinaryOp::Shr, false) => t.bv_lshr(a, b),
            (BinaryOp::BitAnd, _) => t.bv_and(a, b),
            (BinaryOp::BitOr, _) => t.bv_or(a, b),
            (BinaryOp::BitXor, _) => t.bv_xor(a, b),
            _ => return not_followed("a comparison as arithmetic"),
        })
    }

    /// The count modulo the width of what is shifted, in that width. Widths are powers of two.
    fn shift_count(&mut self, count: Term, width: u32) -> Term {
        let bits = width.trailing_zeros().max(1);
        let low = if self.terms.width(count) > bits {
            self.terms.extract(bits - 1, 0, count)
        } else {
            count
        };
        self.widened(low, width, false)
    }

    /// The run ends at a division that has no result.
    fn assume_quotient(&mut self, state: &mut State, a: Term, b: Term, width: u32, signed: bool) {
        let zero = self.terms.bv(0, width);
        let defined = self.terms.ne(b, zero);
        state.assume(&mut self.terms, defined);
        if signed {
            let all = self.terms.bv_not(zero);
            let smallest = self.terms.bv(1u128 << (width - 1), width);
            let (by, of) = (self.terms.ne(b, all), self.terms.ne(a, smallest));
            let fits = self.terms.or2(by, of);
            state.assume(&mut self.terms, fits);
        }
    }

    fn cast(&mut self, state: &mut State, a: ExprId, to: TypeId) -> Followed<Term> {
        let from = self.program.expr_ty(a);
        if self.scalar(from)? == self.scalar(to)? {
            return self.expr(state, a);
        }
        if *self.program.types.get(to) == Type::Bool {
            let truth = self.truth(state, a)?;
            let (one, zero) = (self.terms.bv(1, 8), self.terms.bv(0, 8));
            return Ok(self.terms.ite(truth, one, zero));
        }
        let (source, target) = (self.scalar(from)?, self.scalar(to)?);
        if matches!(source, Scalar::Float(_)) || matches!(target, Scalar::Float(_)) {
            let value = self.expr(state, a)?;
            return self.float_cast(source, target, value);
        }
        let ((_, signed), (width, _)) = (self.number(from)?, self.number(to)?);
        let value = self.expr(state, a)?;
        Ok(self.widened(value, width, signed))
    }

    /// A value in another width: cut, or extended by its sign or by zero.
    pub fn widened(&mut self, value: Term, width: u32, signed: bool) -> Term {
        let present = self.terms.width(value);
        match (present.cmp(&width), signed) {
            (std::cmp::Ordering::Equal, _) => value,
            (std::cmp::Ordering::Greater, _) => self.terms.extract(width - 1, 0, value),
            (_, true) => self.terms.sign_extend(width - present, value),
            (_, false) => self.terms.zero_extend(width - present, value),
        }
    }

    /// An index, with its sign, times a size, in 64 bits.
    pub fn scaled(&mut self, state: &mut State, index: ExprId, size: u64) -> Followed<Term> {
        let (_, signed) = self.number(self.program.expr_ty(index))?;
        let index = self.expr(state, index)?;
        let index = self.widened(index, 64, signed);
        let size = self.terms.bv(size, 64);
        Ok(self.terms.bv_mul(index, size))
    }

    /// An address as a pointer.
    pub fn pointer(&mut self, address: u64) -> Term {
        let width = self.program.types.target().pointer_bits();
        self.terms.bv(address, width.into())
    }

    /// An address of 64 bits as a pointer.
    pub fn to_pointer(&mut self, address: Term) -> Term {
        let width = self.program.types.target().pointer_bits();
        self.widened(address, width.into(), false)
    }
}
