//! Expressions and places as terms.

use super::cells::{Cell, INDEX_BITS, Part, Root, Step};
use super::draft::{Draft, Operand};
use super::interval::Interval;
use super::memory::MemoryModel;
use super::scalar::constant;
use super::{NotEncoded, Theory};
use crate::Integer;
use crate::term::Term;
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::VarId;
use gnomon_ir::types::{Type, TypeId};

/// A place in a variable whose address is never taken.
#[derive(Clone, Debug)]
pub(super) struct PlainPlace {
    pub(super) part: Part,
    /// One for each step into elements.
    pub(super) indices: Vec<Term>,
}

/// Deep expressions need deep recursion: more stack is taken when little is left.
fn with_stack<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, run)
}

impl Draft<'_> {
    /// How operators see the type of an expression.
    pub(super) fn scalar_of(&self, ty: TypeId) -> Result<Scalar, NotEncoded> {
        self.program
            .types
            .scalar(ty)
            .ok_or_else(|| NotEncoded::Type(format!("{:?}", self.program.types.get(ty))))
    }

    /// The value of an expression of scalar type.
    pub fn value(
        &mut self,
        memory: &mut dyn MemoryModel,
        e: ExprId,
    ) -> Result<Operand, NotEncoded> {
        if let Some(known) = self.memo.get(&e) {
            return Ok(known.clone());
        }
        let value = with_stack(|| self.fresh_value(memory, e))?;
        self.memo.insert(e, value.clone());
        Ok(value)
    }

    fn fresh_value(
        &mut self,
        memory: &mut dyn MemoryModel,
        e: ExprId,
    ) -> Result<Operand, NotEncoded> {
        let expr = self.program.exprs.expr(e);
        let scalar = self.scalar_of(expr.ty)?;
        if let Some(bits) = self.program.exprs.const_bits(e) {
            let term = constant(self.terms, self.theory, scalar, bits);
            return Ok(match (self.theory, self.terms.value(term)) {
                (Theory::Int, Some(value)) => Operand::int(term, Interval::point(value.clone())),
                _ => Operand::bits(term),
            });
        }
        match expr.kind {
            ExprKind::Const(_) | ExprKind::Zero => Err(NotEncoded::Type("a constant".into())),
            ExprKind::Load(place) => self.load(memory, place),
            ExprKind::AddrOf(place) => memory.address(self, place),
            ExprKind::FuncAddr(_) | ExprKind::PtrAdd(..) | ExprKind::PtrDiff(..) => {
                memory.pointer(self, e)
            }
            ExprKind::Unary(op, a) => {
                let a = self.value(memory, a)?;
                Ok(match self.theory {
                    Theory::Int => self.int_unary(op, scalar, &a),
                    Theory::Bits => Operand::bits(self.bits_unary(op, scalar, a.term)),
                })
            }
            ExprKind::Binary(op, a, b) => self.binary_value(memory, op, a, b),
            ExprKind::Cast(a) => {
                let from = self.scalar_of(self.program.expr_ty(a))?;
                let a = self.value(memory, a)?;
                Ok(match self.theory {
                    Theory::Int => self.int_cast(from, scalar, &a),
                    Theory::Bits => self.bits_cast(from, scalar, a.term),
                })
            }
        }
    }

    fn binary_value(
        &mut self,
        memory: &mut dyn MemoryModel,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> Result<Operand, NotEncoded> {
        let scalar = self.scalar_of(self.program.expr_ty(a))?;
        let right = self.scalar_of(self.program.expr_ty(b))?;
        let (x, y) = (self.value(memory, a)?, self.value(memory, b)?);
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) && !matches!(scalar, Scalar::Float(_)) {
            self.division_goes_on(scalar, &x, &y);
        }
        Ok(match self.theory {
            Theory::Int => self.int_binary(op, scalar, &x, right, &y),
            Theory::Bits => Operand::bits(self.bits_binary(op, scalar, x.term, right, y.term)),
        })
    }

    /// The run ends on a division that has no result: beyond it, there is one.
    fn division_goes_on(&mut self, scalar: Scalar, a: &Operand, b: &Operand) {
        let constant_term = |draft: &mut Self, value: i128| {
            constant(draft.terms, draft.theory, scalar, value as u128)
        };
        let zero = constant_term(self, 0);
        let not_zero = self.terms.ne(b.term, zero);
        self.add(not_zero);
        if let Scalar::Int { bits, signed: true } = scalar {
            let least = constant_term(self, i128::MIN >> (128 - u32::from(bits)));
            let minus_one = constant_term(self, -1);
            let (is_least, is_minus_one) =
                (self.terms.eq(a.term, least), self.terms.eq(b.term, minus_one));
            let overflow = self.terms.and2(is_least, is_minus_one);
            let none = self.terms.not(overflow);
            self.add(none);
        }
    }

    /// Whether the value of an expression is not zero, as a formula.
    pub fn truth(&mut self, memory: &mut dyn MemoryModel, e: ExprId) -> Result<Term, NotEncoded> {
        let expr = self.program.exprs.expr(e);
        if let ExprKind::Binary(op, a, b) = expr.kind
            && op.is_comparison()
        {
            let scalar = self.scalar_of(self.program.expr_ty(a))?;
            let (x, y) = (self.value(memory, a)?, self.value(memory, b)?);
            return Ok(match self.theory {
                Theory::Int => self.int_compare(op, scalar, &x, &y),
                Theory::Bits => self.bits_compare(op, scalar, x.term, y.term),
            });
        }
        let scalar = self.scalar_of(expr.ty)?;
        let value = self.value(memory, e)?;
        Ok(match self.theory {
            Theory::Int => self.int_truth(scalar, &value),
            Theory::Bits => self.bits_truth(scalar, value.term),
        })
    }

    pub(super) fn load(
        &mut self,
        memory: &mut dyn MemoryModel,
        place: PlaceId,
    ) -> Result<Operand, NotEncoded> {
        let Some(plain) = self.plain_place(memory, place)? else {
            return memory.read(self, place);
        };
        let cells = self.cells(&plain.part)?;
        match &cells[..] {
            [(_, cell)] => Ok(self.read_cell(cell, &plain.indices)),
            _ => Err(NotEncoded::Type("a record as a number".into())),
        }
    }

    /// The place as one in a variable whose address is never taken; `None` if it is none.
    pub(super) fn plain_place(
        &mut self,
        memory: &mut dyn MemoryModel,
        place: PlaceId,
    ) -> Result<Option<PlainPlace>, NotEncoded> {
        // The steps from the root are found from the other end.
        let mut steps = Vec::new();
        let mut at = place;
        let root: VarId = loop {
            match self.program.exprs.place(at).kind {
                PlaceKind::Var(var) => break var,
                PlaceKind::Deref(_) => return Ok(None),
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => {
                    steps.push(at);
                    at = base;
                }
            }
        };
        if memory.owns(self.program, root) {
            return Ok(None);
        }
        let ty = self.program.vars[root].ty;
        let mut plain = PlainPlace { part: Part::whole(Root::Var(root), ty), indices: Vec::new() };
        for step in steps.into_iter().rev() {
            let place = self.program.exprs.place(step);
            match place.kind {
                PlaceKind::Field(_, number) => {
                    plain.part.bit_field = self
                        .program
                        .types
                        .as_record(plain.part.ty)
                        .and_then(|(_, r)| r.fields.get(number as usize))
                        .and_then(|f| f.bits);
                    plain.part.way.push(Step::Field(number));
                }
                PlaceKind::Index(_, index) => {
                    let length = match *self.program.types.get(plain.part.ty) {
                        Type::Array { len, .. } => len,
                        _ => 0,
                    };
                    let index = self.index(memory, index, length)?;
                    plain.indices.push(index);
                    plain.part.way.push(Step::Element);
                    plain.part.bit_field = None;
                }
                PlaceKind::Var(_) | PlaceKind::Deref(_) => {}
            }
            plain.part.ty = place.ty;
        }
        Ok(Some(plain))
    }

    /// An array index. A run that leaves the bounds of a variable ends there (it has undefined
    /// behaviour): beyond, the index is inside.
    fn index(
        &mut self,
        memory: &mut dyn MemoryModel,
        e: ExprId,
        length: u64,
    ) -> Result<Term, NotEncoded> {
        let scalar = self.scalar_of(self.program.expr_ty(e))?;
        let value = self.value(memory, e)?;
        match self.theory {
            Theory::Int => {
                let bounds = Interval::new(0, Integer::from(length) - Integer::ONE);
                let inside = super::scalar::within(self.terms, value.term, &bounds);
                self.add(inside);
                Ok(value.term)
            }
            Theory::Bits => {
                if u32::from(scalar.width()) > INDEX_BITS {
                    return Err(NotEncoded::Type("an index of 128 bits".into()));
                }
                let index = self.resize(scalar, INDEX_BITS, value.term);
                let length = self.terms.bv(Integer::from(length), INDEX_BITS);
                let inside = self.terms.bv_ult(index, length);
                self.add(inside);
                Ok(index)
            }
        }
    }

    /// The cell of a plain place of scalar type, if the place is nothing but a variable.
    pub(super) fn plain_variable(&mut self, memory: &dyn MemoryModel, e: ExprId) -> Option<Cell> {
        let ExprKind::Load(place) = self.program.exprs.expr(e).kind else { return None };
        let PlaceKind::Var(var) = self.program.exprs.place(place).kind else { return None };
        if memory.owns(self.program, var) {
            return None;
        }
        let info = &self.program.vars[var];
        let cells = self.cells(&Part::whole(Root::Var(var), info.ty)).ok()?;
        match &cells[..] {
            [(way, cell)] if way.is_empty() => Some(cell.clone()),
            _ => None,
        }
    }
}
