//! How far an access is from where something is known: the root of a place, and the distance to it
//! as a sum of indices.
//!
//! Bounds that are said of indices (`i < 10`) are what proofs speak about anyway; said of addresses,
//! they would have to be found first. So the distance is kept as it is written.

use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{Program, VarId};
use gnomon_ir::types::{Type, TypeId, Types};

use crate::range::Range;

/// Where a distance begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// At the beginning of a variable.
    Variable(VarId),
    /// Where this pointer points to.
    Pointer(ExprId),
}

/// A distance in bytes: a constant, and indices with what one step of each means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distance {
    /// The constant part.
    pub bytes: i128,
    /// Indices, and the bytes of one step.
    pub steps: Vec<(ExprId, i128)>,
}

/// A place as a distance from its root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The root.
    pub root: Root,
    /// The distance to it.
    pub distance: Distance,
}

impl Located {
    /// Where a place is.
    pub fn place(program: &mut Program, place: PlaceId) -> Self {
        let mut distance = Distance::default();
        let root = distance.add_place(program, place);
        Self { root, distance }
    }

    /// Where a pointer points to.
    pub fn pointer(program: &mut Program, pointer: ExprId) -> Self {
        let mut distance = Distance::default();
        let root = distance.add_pointer(program, pointer);
        Self { root, distance }
    }
}

impl Distance {
    fn add_place(&mut self, program: &mut Program, mut place: PlaceId) -> Root {
        loop {
            match program.exprs.place(place).kind {
                PlaceKind::Var(var) => return Root::Variable(var),
                PlaceKind::Deref(pointer) => return self.add_pointer(program, pointer),
                PlaceKind::Field(base, number) => {
                    let record = program.types.as_record(program.place_ty(base));
                    let field = record.and_then(|(_, r)| r.fields.get(number as usize));
                    self.bytes += field.map_or(0, |field| i128::from(field.offset));
                    place = base;
                }
                PlaceKind::Index(base, index) => {
                    let size = i128::from(program.types.size(program.place_ty(place)));
                    self.step(program, index, size);
                    place = base;
                }
            }
        }
    }

    fn add_pointer(&mut self, program: &mut Program, mut pointer: ExprId) -> Root {
        loop {
            match program.exprs.expr(pointer).kind {
                ExprKind::PtrAdd(inner, index) => {
                    let to = program.types.pointee(program.expr_ty(inner));
                    let size = to.map_or(1, |to| program.types.size(to));
                    self.step(program, index, i128::from(size));
                    pointer = inner;
                }
                ExprKind::Cast(inner) if program.types.is_pointer(program.expr_ty(inner)) => {
                    pointer = inner;
                }
                ExprKind::AddrOf(place) => return self.add_place(program, place),
                _ => return Root::Pointer(pointer),
            }
        }
    }

    /// Adds steps; an index as wide as an address may mean a step back.
    fn step(&mut self, program: &mut Program, index: ExprId, size: i128) {
        let offset = program.types.ptrdiff_type();
        let width = |ty| program.types.int_shape(ty).map(|shape| shape.0);
        let is_wide = width(program.expr_ty(index)) == width(offset);
        let index = if is_wide { program.cast(offset, index) } else { index };
        match program.as_int(index) {
            Some(index) => self.bytes += index * size,
            None if size == 0 => {}
            None => self.steps.push((index, size)),
        }
    }

    /// Adds a number of bytes without sign.
    pub fn add_bytes(&mut self, program: &Program, bytes: ExprId) {
        match program.as_int(bytes) {
            Some(bytes) => self.bytes += bytes,
            None => self.steps.push((bytes, 1)),
        }
    }

    /// Expressions of which one is true if the distance is below `least`; `None` if never.
    pub fn below(&self, program: &mut Program, least: i128) -> Option<ExprId> {
        self.compared(program, BinaryOp::Lt, least)
    }

    /// The same for above `most`.
    pub fn above(&self, program: &mut Program, most: i128) -> Option<ExprId> {
        self.compared(program, BinaryOp::Gt, most)
    }

    fn compared(&self, program: &mut Program, op: BinaryOp, limit: i128) -> Option<ExprId> {
        let limit = limit - self.bytes;
        let one = |program: &mut Program| program.int(Types::I32, 1);
        match self.steps[..] {
            [] => {
                let is_true = if op == BinaryOp::Lt { 0 < limit } else { 0 > limit };
                is_true.then(|| one(program))
            }
            [(index, size)] => {
                // i * size < limit exactly if i < ceil(limit / size); the same with > and floor.
                let up = i128::from(op == BinaryOp::Lt && limit.rem_euclid(size) != 0);
                let limit = limit.div_euclid(size) + up;
                let range = Range::of(program, index);
                let always = range.is_some_and(|r| match op {
                    BinaryOp::Lt => r.high < limit,
                    _ => r.low > limit,
                });
                let never = range.is_some_and(|r| match op {
                    BinaryOp::Lt => r.low >= limit,
                    _ => r.high <= limit,
                });
                match (never, always) {
                    (true, _) => None,
                    (_, true) => Some(one(program)),
                    _ => {
                        let ty = program.expr_ty(index);
                        let limit = program.int(ty, limit);
                        Some(program.binary(op, index, limit))
                    }
                }
            }
            _ => {
                let (sum, ty) = self.sum(program);
                let limit = program.int(ty, limit);
                Some(program.binary(op, sum, limit))
            }
        }
    }

    /// The part that is not constant, in a type where it does not overflow.
    pub fn sum(&self, program: &mut Program) -> (ExprId, TypeId) {
        let extent = |&(index, size): &(ExprId, i128)| {
            let range = Range::of(program, index)?;
            let (low, high) = (range.low.checked_mul(size)?, range.high.checked_mul(size)?);
            Some(low.unsigned_abs().max(high.unsigned_abs()))
        };
        let whole: Option<u128> = self.steps.iter().map(extent).sum();
        let fits = whole.is_some_and(|whole| whole < 1 << 62) && self.bytes.abs() < 1 << 61;
        let ty = if fits { program.types.int(64, true) } else { Types::I128 };
        let mut sum = program.int(ty, 0);
        for &(index, size) in &self.steps {
            let size = program.int(ty, size);
            let index = program.cast(ty, index);
            let step = program.binary(BinaryOp::Mul, index, size);
            sum = program.binary(BinaryOp::Add, sum, step);
        }
        (sum, ty)
    }

    /// `distance + more > limit` for a limit without sign that is no constant.
    pub fn above_size(&self, program: &mut Program, more: i128, limit: ExprId) -> ExprId {
        let (sum, ty) = self.sum(program);
        // A size is never so large that it has a sign in a type of this width.
        let limit = program.cast(ty, limit);
        let bytes = program.int(ty, self.bytes + more);
        let sum = program.binary(BinaryOp::Add, sum, bytes);
        program.binary(BinaryOp::Gt, sum, limit)
    }

    /// Whether no index is in it.
    pub fn is_constant(&self) -> bool {
        self.steps.is_empty()
    }
}

/// The length of an array type.
pub fn array_length(program: &Program, ty: TypeId) -> Option<u64> {
    match *program.types.get(ty) {
        Type::Array { len, .. } => Some(len),
        _ => None,
    }
}
