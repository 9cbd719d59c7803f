//! Expressions and places.

use crate::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use crate::interp::code::{BitAccess, Inst, Reg};
use crate::interp::memory::Access;
use crate::interp::value::{Shape, Value};
use crate::program::VarId;
use crate::types::{BitField, TypeId};

use super::{CompileError, Compiler, VarHome};

/// Room on the host's stack that one level of an expression may need, and by how much it grows.
const RED_ZONE: usize = 64 * 1024;
const STACK_GROWTH: usize = 2 * 1024 * 1024;

/// Makes a branch on a comparison.
type MakeBranch = fn(BinaryOp, Reg, Reg, u32, u32) -> Inst;

/// Where a place turned out to be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spot {
    Register {
        reg: Reg,
        shadow: Option<Reg>,
    },
    Memory {
        base: Reg,
        offset: i64,
        /// Whether the address must be a multiple of the alignment of the type.
        aligned: bool,
    },
    Bits {
        base: Reg,
        offset: i64,
        field: BitField,
    },
}

impl Compiler<'_> {
    pub(super) fn shape(&self, ty: TypeId) -> Result<Shape, CompileError> {
        match Shape::of(self.types(), ty) {
            Some(shape) => Ok(shape),
            None => self.error("a number or pointer is expected but the type is neither"),
        }
    }

    /// The register with the value of an expression of scalar type: that of a variable or
    /// constant, or a temporary that the caller releases.
    pub(super) fn expr(&mut self, e: ExprId) -> Result<Reg, CompileError> {
        self.expr_to(e, None)
    }

    /// The same; an expression that needs a register for its result takes `into`, if given.
    pub(super) fn expr_to(&mut self, e: ExprId, into: Option<Reg>) -> Result<Reg, CompileError> {
        stacker::maybe_grow(RED_ZONE, STACK_GROWTH, || self.expr_inner(e, into))
    }

    fn result(&mut self, into: Option<Reg>) -> Result<Reg, CompileError> {
        match into {
            Some(reg) => Ok(reg),
            None => self.temporary(),
        }
    }

    fn expr_inner(&mut self, e: ExprId, into: Option<Reg>) -> Result<Reg, CompileError> {
        let expr = self.exprs().expr(e);
        match expr.kind {
            ExprKind::Const(c) => self.constant(Value::bits(self.exprs().bits(c))),
            ExprKind::Zero => self.constant(Value::ZERO),
            ExprKind::FuncAddr(f) => self.constant(self.layout.funcs[f.0 as usize]),
            ExprKind::Load(place) => self.load(place, into),
            ExprKind::AddrOf(place) => self.address(place, into),
            ExprKind::Unary(op, a) => {
                let shape = self.shape(expr.ty)?;
                let a = self.expr(a)?;
                self.release(a);
                let d = self.result(into)?;
                self.emit(Inst::Unary { op, shape, d, a });
                Ok(d)
            }
            ExprKind::Binary(op, a, b) => self.binary(op, a, b, into),
            ExprKind::PtrAdd(pointer, index) => self.pointer_add(pointer, index, into),
            ExprKind::PtrDiff(a, b) => {
                let size = self.pointee_size(self.exprs().ty(a));
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.release(a);
                self.release(b);
                let d = self.result(into)?;
                self.emit(Inst::Difference { d, a, b, size });
                Ok(d)
            }
            ExprKind::Cast(inner) => self.cast(inner, expr.ty, into),
        }
    }

    fn pointee_size(&self, pointer: TypeId) -> i64 {
        self.types().pointee(pointer).map_or(1, |to| self.types().size(to) as i64)
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        into: Option<Reg>,
    ) -> Result<Reg, CompileError> {
        let shape = self.shape(self.exprs().ty(a))?;
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        self.release(a);
        self.release(b);
        let d = self.result(into)?;
        self.emit(match shape {
            Shape::I32 => Inst::I32 { op, d, a, b },
            Shape::U32 => Inst::U32 { op, d, a, b },
            Shape::I64 => Inst::I64 { op, d, a, b },
            Shape::U64 => Inst::U64 { op, d, a, b },
            Shape::F32 => Inst::F32 { op, d, a, b },
            Shape::F64 => Inst::F64 { op, d, a, b },
            Shape::Ptr32 | Shape::Ptr64 => match op {
                BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                    Inst::ComparePointers { op, d, a, b }
                }
                _ => Inst::U64 { op, d, a, b },
            },
            _ => Inst::Binary { op, shape, d, a, b },
        });
        Ok(d)
    }

    fn pointer_add(
        &mut self,
        pointer: ExprId,
        index: ExprId,
        into: Option<Reg>,
    ) -> Result<Reg, CompileError> {
        let size = self.pointee_size(self.exprs().ty(pointer));
        if let Some(index) = self.program.as_int(index) {
            let a = self.expr(pointer)?;
            self.release(a);
            let d = self.result(into)?;
            self.emit(Inst::Offset { d, a, bytes: (index as i64).wrapping_mul(size) });
            return Ok(d);
        }
        let a = self.expr(pointer)?;
        self.indexed(a, index, size, into)
    }

    /// The pointer in `a`, which is released, moved by `index` elements.
    fn indexed(
        &mut self,
        a: Reg,
        index: ExprId,
        size: i64,
        into: Option<Reg>,
    ) -> Result<Reg, CompileError> {
        let shape = self.shape(self.exprs().ty(index))?;
        let mut b = self.expr(index)?;
        if matches!(shape, Shape::I8 | Shape::I16) {
            self.release(b);
            let d = self.temporary()?;
            self.emit(Inst::SignExtend { d, a: b, from: shape.width() as u8, to: 64 });
            b = d;
        }
        self.release(a);
        self.release(b);
        let d = self.result(into)?;
        self.emit(match shape {
            Shape::I32 => Inst::MoveI32 { d, a, b, size },
            _ => Inst::Move { d, a, b, size },
        });
        Ok(d)
    }

    fn cast(&mut self, inner: ExprId, ty: TypeId, into: Option<Reg>) -> Result<Reg, CompileError> {
        if Shape::of(self.types(), ty).is_none() {
            // A value that is thrown away, or a record cast to its own type.
            return self.error("conversion to a type that is neither a number nor a pointer");
        }
        let (from, to) = (self.shape(self.exprs().ty(inner))?, self.shape(ty)?);
        let a = self.expr(inner)?;
        let word = |shape: Shape| !shape.is_float() && !shape.is_wide();
        let inst: fn(Reg, Reg, Shape, Shape) -> Inst = match (from, to) {
            _ if from == to => return Ok(a),
            (_, Shape::Bool) => |d, a, from, _| Inst::Truth { d, a, shape: from },
            _ if to.is_pointer() && word(from) => {
                let address = if from.is_signed() && from.width() < to.width() {
                    self.release(a);
                    let d = self.temporary()?;
                    let (from, to) = (from.width() as u8, to.width() as u8);
                    self.emit(Inst::SignExtend { d, a, from, to });
                    d
                } else if from.width() > to.width() {
                    self.release(a);
                    let d = self.temporary()?;
                    self.emit(Inst::Truncate { d, a, to: to.width() as u8 });
                    d
                } else {
                    a
                };
                self.release(address);
                let d = self.result(into)?;
                self.emit(Inst::Pointer { d, a: address });
                return Ok(d);
            }
            _ if word(from) && word(to) => {
                if from.is_signed() && to.width() > from.width() {
                    |d, a, from, to| Inst::SignExtend {
                        d,
                        a,
                        from: from.width() as u8,
                        to: to.width() as u8,
                    }
                } else if to.width() < from.width() || from.is_pointer() {
                    |d, a, _, to| Inst::Truncate { d, a, to: to.width() as u8 }
                } else {
                    return Ok(a);
                }
            }
            _ => |d, a, from, to| Inst::Cast { d, a, from, to },
        };
        self.release(a);
        let d = self.result(into)?;
        self.emit(inst(d, a, from, to));
        Ok(d)
    }

    /// A register whose low word is not zero exactly if the expression is true.
    pub(super) fn truth(&mut self, e: ExprId) -> Result<Reg, CompileError> {
        let shape = self.shape(self.exprs().ty(e))?;
        let a = self.expr(e)?;
        if !shape.is_float() && !shape.is_wide() {
            return Ok(a);
        }
        self.release(a);
        let d = self.temporary()?;
        self.emit(Inst::Truth { d, a, shape });
        Ok(d)
    }

    /// Goes to `then` if the expression is true, else to `other`.
    pub(super) fn branch(&mut self, e: ExprId, then: u32, other: u32) -> Result<(), CompileError> {
        if let ExprKind::Binary(op, x, y) = self.exprs().expr(e).kind
            && op.is_comparison()
        {
            let shape = self.shape(self.exprs().ty(x))?;
            let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
            let inst: Option<MakeBranch> = match shape {
                Shape::I32 => {
                    Some(|op, a, b, then, other| Inst::BranchI32 { op, a, b, then, other })
                }
                Shape::U32 => {
                    Some(|op, a, b, then, other| Inst::BranchU32 { op, a, b, then, other })
                }
                Shape::I64 => {
                    Some(|op, a, b, then, other| Inst::BranchI64 { op, a, b, then, other })
                }
                Shape::U64 => {
                    Some(|op, a, b, then, other| Inst::BranchU64 { op, a, b, then, other })
                }
                Shape::Ptr32 | Shape::Ptr64 if equality => {
                    Some(|op, a, b, then, other| Inst::BranchU64 { op, a, b, then, other })
                }
                _ => None,
            };
            if let Some(inst) = inst {
                let (a, b) = (self.expr(x)?, self.expr(y)?);
                self.release(a);
                self.release(b);
                self.emit(inst(op, a, b, then, other));
                return Ok(());
            }
        }
        let a = self.truth(e)?;
        self.release(a);
        self.emit(Inst::Branch { a, then, other });
        Ok(())
    }

    fn variable(&mut self, var: VarId) -> Result<Spot, CompileError> {
        match self.homes.get(&var) {
            Some(&VarHome::Register { reg, shadow }) => Ok(Spot::Register { reg, shadow }),
            Some(&VarHome::Memory(base)) => Ok(Spot::Memory { base, offset: 0, aligned: false }),
            None => {
                let address = self.layout.vars[var.0 as usize];
                if address == Value::ZERO {
                    let base = self.temporary()?;
                    self.emit(Inst::Outer { d: base, var });
                    return Ok(Spot::Memory { base, offset: 0, aligned: false });
                }
                let base = self.constant(address)?;
                Ok(Spot::Memory { base, offset: 0, aligned: false })
            }
        }
    }

    /// Where a place is. The caller releases the base.
    pub(super) fn place(&mut self, p: PlaceId) -> Result<Spot, CompileError> {
        let place = self.exprs().place(p);
        match place.kind {
            PlaceKind::Var(var) => self.variable(var),
            PlaceKind::Deref(pointer) => self.deref(pointer, place.ty),
            PlaceKind::Field(inner, number) => {
                let record = self.types().as_record(self.exprs().place(inner).ty);
                let Some(field) = record.and_then(|(_, r)| r.fields.get(number as usize)) else {
                    return self.error("a field that the record does not have");
                };
                let Spot::Memory { base, offset, .. } = self.place(inner)? else {
                    return self.error("a field of what is not a record in memory");
                };
                let offset = offset.wrapping_add(field.offset as i64);
                match field.bits {
                    Some(bits) if u32::from(bits.shift) + u32::from(bits.width) > 128 => {
                        self.error("a bit-field that reaches into a 17th byte")
                    }
                    Some(field) => Ok(Spot::Bits { base, offset, field }),
                    None => Ok(Spot::Memory { base, offset, aligned: false }),
                }
            }
            PlaceKind::Index(inner, index) => {
                let Spot::Memory { base, offset, .. } = self.place(inner)? else {
                    return self.error("an element of what is not an array in memory");
                };
                let size = self.types().size(place.ty) as i64;
                if let Some(index) = self.program.as_int(index) {
                    let offset = offset.wrapping_add((index as i64).wrapping_mul(size));
                    return Ok(Spot::Memory { base, offset, aligned: false });
                }
                let base = self.indexed(base, index, size, None)?;
                Ok(Spot::Memory { base, offset, aligned: false })
            }
        }
    }

    fn deref(&mut self, pointer: ExprId, ty: TypeId) -> Result<Spot, CompileError> {
        let aligned = self.types().is_scalar(ty);
        if let ExprKind::PtrAdd(base, index) = self.exprs().expr(pointer).kind
            && let Some(index) = self.program.as_int(index)
        {
            let size = self.pointee_size(self.exprs().ty(base));
            let base = self.expr(base)?;
            let offset = (index as i64).wrapping_mul(size);
            return Ok(Spot::Memory { base, offset, aligned });
        }
        let base = self.expr(pointer)?;
        Ok(Spot::Memory { base, offset: 0, aligned })
    }

    /// The base and an offset that fits into an instruction.
    fn near(&mut self, base: Reg, offset: i64) -> Result<(Reg, i32), CompileError> {
        if let Ok(offset) = i32::try_from(offset) {
            return Ok((base, offset));
        }
        self.release(base);
        let d = self.temporary()?;
        self.emit(Inst::Offset { d, a: base, bytes: offset });
        Ok((d, 0))
    }

    /// The address that is asked for, if the place is an element of the program's extents.
    pub(super) fn extent_at(&self, p: PlaceId) -> Option<ExprId> {
        let extents = self.program.extents?;
        match self.exprs().place(p).kind {
            PlaceKind::Index(inner, address) => {
                let is_extents = self.exprs().place(inner).kind == PlaceKind::Var(extents);
                is_extents.then_some(address)
            }
            _ => None,
        }
    }

    fn load(&mut self, p: PlaceId, into: Option<Reg>) -> Result<Reg, CompileError> {
        if let Some(address) = self.extent_at(p) {
            let a = self.expr(address)?;
            self.release(a);
            let d = self.result(into)?;
            self.emit(Inst::Extent { d, a });
            return Ok(d);
        }
        let shape = self.shape(self.exprs().place(p).ty)?;
        match self.place(p)? {
            Spot::Register { reg, shadow } => {
                if let Some(shadow) = shadow {
                    self.emit(Inst::Require { d: reg, shadow, shape });
                }
                Ok(reg)
            }
            Spot::Memory { base, offset, aligned } => {
                let (a, offset) = self.near(base, offset)?;
                self.release(a);
                let d = self.result(into)?;
                let access = Access::of(shape);
                self.observe_load(a, offset, access.bytes() as u32);
                self.emit(Inst::Load { access, shape, aligned, d, a, offset });
                Ok(d)
            }
            Spot::Bits { base, offset, field } => {
                self.release(base);
                let d = self.result(into)?;
                let bytes = (u32::from(field.shift) + u32::from(field.width)).div_ceil(8);
                self.observe_load(base, offset as i32, bytes);
                let field = self.bit_field(offset, field, shape);
                self.emit(Inst::LoadBits { d, a: base, field });
                Ok(d)
            }
        }
    }

    fn bit_field(&mut self, offset: i64, field: BitField, shape: Shape) -> u32 {
        let BitField { shift, width } = field;
        self.code.bit_fields.push(BitAccess { offset, shift, width, shape });
        (self.code.bit_fields.len() - 1) as u32
    }

    /// Stores a scalar, which is not released; the base of the place is.
    pub(super) fn store(
        &mut self,
        spot: Spot,
        shape: Shape,
        value: Reg,
    ) -> Result<(), CompileError> {
        match spot {
            Spot::Register { reg, shadow } => {
                if reg != value {
                    self.emit(Inst::Copy { d: reg, a: value });
                }
                self.define(shadow);
            }
            Spot::Memory { base, offset, aligned } => {
                let (a, offset) = self.near(base, offset)?;
                self.release(a);
                let access = Access::of(shape);
                self.emit(Inst::Store { access, aligned, a, b: value, offset });
                self.observe_store(a, offset, access.bytes() as u32);
            }
            Spot::Bits { base, offset, field } => {
                self.release(base);
                let bytes = (u32::from(field.shift) + u32::from(field.width)).div_ceil(8);
                let number = self.bit_field(offset, field, shape);
                self.emit(Inst::StoreBits { a: base, b: value, field: number });
                self.observe_store(base, offset as i32, bytes);
            }
        }
        Ok(())
    }

    pub(super) fn define(&mut self, shadow: Option<Reg>) {
        if let Some(shadow) = shadow {
            self.emit(Inst::Define { shadow });
        }
    }

    pub(super) fn observe_load(&mut self, a: Reg, offset: i32, bytes: u32) {
        if self.purpose == super::Purpose::Observation {
            self.emit(Inst::ObserveLoad { a, offset, bytes });
        }
    }

    pub(super) fn observe_store(&mut self, a: Reg, offset: i32, bytes: u32) {
        if self.purpose == super::Purpose::Observation {
            self.emit(Inst::ObserveStore { a, offset, bytes });
        }
    }

    /// The address of a place.
    pub(super) fn address(&mut self, p: PlaceId, into: Option<Reg>) -> Result<Reg, CompileError> {
        match self.place(p)? {
            Spot::Memory { base, offset: 0, .. } => Ok(base),
            Spot::Memory { base, offset, .. } => {
                self.release(base);
                let d = self.result(into)?;
                self.emit(Inst::Offset { d, a: base, bytes: offset });
                Ok(d)
            }
            Spot::Register { .. } | Spot::Bits { .. } => {
                self.error("the address of what is not in memory")
            }
        }
    }
}
