//! Calls that became part of a thread, and what the caller's and the callee's names mean there.
//!
//! Every call has its own copies of the variables of the function. A parameter that nothing ever
//! writes and whose argument is a constant or an address is replaced by it: so a lock that is
//! passed by address is the variable that it is, not memory behind a pointer.

use std::collections::BTreeMap;

use gnomon_ir::cfa::LocId;
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::ids;
use gnomon_ir::program::{FuncId, Program, VarId};
use gnomon_ir::types::{Type, TypeId};

use crate::counters::Known;
use crate::graph::Point;

ids! {
    /// A call that became part of a thread.
    FrameId "frame";
}

/// What a location is passed with: the same location of a function is another one in another mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mode {
    /// Where the atomic section begins in which the thread is.
    pub section: Option<Point>,
    /// How many sections are open.
    pub depth: u8,
    /// Whether no other thread was made yet.
    pub alone: bool,
    /// Whether nothing has been done since the thread went on.
    pub fresh: bool,
    /// What variables that count have as values.
    pub known: Known,
    /// How many threads it waits for (see [`crate::owing`]).
    pub owes: u8,
}

impl Mode {
    /// Whether no other thread can run.
    pub fn is_quiet(self) -> bool {
        self.depth > 0 || self.alone
    }

    /// Behind the end of a section.
    pub fn left(self) -> Self {
        let depth = self.depth.saturating_sub(1);
        match depth {
            0 => Self { section: None, depth, fresh: false, ..self },
            _ => Self { depth, ..self },
        }
    }
}

/// Where a call returns to.
#[derive(Clone, Copy, Debug)]
pub struct Return {
    /// The caller.
    pub frame: FrameId,
    /// The location there.
    pub to: LocId,
    /// Where the result goes.
    pub dst: Option<PlaceId>,
    /// Whether the whole call was a section.
    pub leaves_section: bool,
}

/// A call.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Of which function.
    pub func: FuncId,
    /// `None` for the function that the thread starts with.
    pub returns: Option<Return>,
    /// The variable for its result.
    pub result: Option<VarId>,
    /// Parameters that are constants.
    pub constants: BTreeMap<VarId, ExprId>,
    /// Copies of its variables.
    pub copies: BTreeMap<VarId, VarId>,
}

/// Whether the value of an expression never changes while the program runs.
pub fn is_constant(program: &Program, e: ExprId) -> bool {
    match program.exprs.expr(e).kind {
        ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => true,
        ExprKind::Load(_) => false,
        ExprKind::AddrOf(place) => is_fixed(program, place),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => is_constant(program, a),
        ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
            is_constant(program, a) && is_constant(program, b)
        }
    }
}

fn is_fixed(program: &Program, place: PlaceId) -> bool {
    match program.exprs.place(place).kind {
        PlaceKind::Var(_) => true,
        PlaceKind::Deref(pointer) => is_constant(program, pointer),
        PlaceKind::Field(base, _) => is_fixed(program, base),
        PlaceKind::Index(base, index) => is_fixed(program, base) && is_constant(program, index),
    }
}

/// What a pointer points to, as a place inside the variable that it is the address of, if that is
/// written in the pointer itself.
pub fn known_target(program: &mut Program, pointer: ExprId) -> Option<PlaceId> {
    let ty = program.types.pointee(program.expr_ty(pointer))?;
    let (base, offset) = base_and_offset(program, pointer)?;
    part_at(program, base, u64::try_from(offset).ok()?, ty)
}

fn base_and_offset(program: &Program, pointer: ExprId) -> Option<(PlaceId, i64)> {
    match program.exprs.expr(pointer).kind {
        ExprKind::AddrOf(place) => Some((place, 0)),
        ExprKind::Cast(inner) if program.types.is_pointer(program.expr_ty(inner)) => {
            base_and_offset(program, inner)
        }
        ExprKind::PtrAdd(inner, index) => {
            let (base, offset) = base_and_offset(program, inner)?;
            let index = i64::try_from(program.as_int(index)?).ok()?;
            let to = program.types.pointee(program.expr_ty(inner))?;
            let size = i64::try_from(program.types.size(to)).ok()?;
            Some((base, offset.checked_add(index.checked_mul(size)?)?))
        }
        _ => None,
    }
}

/// The part of a place that has the type and begins at the byte.
fn part_at(program: &mut Program, place: PlaceId, offset: u64, ty: TypeId) -> Option<PlaceId> {
    let own = program.place_ty(place);
    if offset == 0 && own == ty {
        return Some(place);
    }
    match program.types.get(own).clone() {
        Type::Array { elem, len } => {
            let size = program.types.size(elem);
            let number = offset.checked_div(size).filter(|&number| number < len)?;
            let index = program.int(program.types.size_type(), i128::from(number));
            let element = program.index(place, index);
            part_at(program, element, offset % size, ty)
        }
        Type::Record(record) => {
            let fields: Vec<(u32, u64, u64)> = program
                .types
                .record(record)
                .fields
                .iter()
                .enumerate()
                .filter(|(_, field)| field.bits.is_none())
                .map(|(number, field)| (number as u32, field.offset, program.types.size(field.ty)))
                .collect();
            fields.into_iter().find_map(|(number, at, size)| {
                if offset < at || offset >= at + size {
                    return None;
                }
                let field = program.field(place, number);
                part_at(program, field, offset - at, ty)
            })
        }
        _ => None,
    }
}
