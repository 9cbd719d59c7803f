//! Where places lie: the objects and offsets of everything that is accessed.
//!
//! A place is rooted in a variable, which is its object, or behind a pointer, whose targets the
//! alias analysis knows. From there fields and constant indices move the offset, and other indices
//! repeat it.

use crate::encode::aliases::{Aliases, Object, Offset, Target, Targets};
use gnomon_ir::arena::Id;
use gnomon_ir::expr::{ExprId, PlaceId, PlaceKind};
use gnomon_ir::program::{Program, VarId};
use gnomon_ir::types::{BitField, Type};
use std::collections::BTreeMap;

/// Targets that were asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Pointees {
    known: BTreeMap<ExprId, Targets>,
    owned: Vec<bool>,
}

/// Where a place begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    Variable(VarId),
    Pointer(ExprId),
}

impl Pointees {
    /// For the variables that are memory and not plain variables.
    pub(super) fn new(owned: Vec<bool>) -> Self {
        Self { known: BTreeMap::new(), owned }
    }

    /// Whether a variable is memory.
    pub(super) fn owns(&self, var: VarId) -> bool {
        self.owned.get(var.index()).copied().unwrap_or(false)
    }

    /// The root of a place and the steps from it, outermost first.
    pub(super) fn path(program: &Program, place: PlaceId) -> (Root, Vec<PlaceId>) {
        let mut steps = Vec::new();
        let mut at = place;
        let root = loop {
            match program.exprs.place(at).kind {
                PlaceKind::Var(var) => break Root::Variable(var),
                PlaceKind::Deref(pointer) => break Root::Pointer(pointer),
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => {
                    steps.push(at);
                    at = base;
                }
            }
        };
        steps.reverse();
        (root, steps)
    }

    /// Asks for the targets of a pointer and remembers them.
    pub(super) fn ask(&mut self, aliases: &dyn Aliases, pointer: ExprId) -> Targets {
        self.known.entry(pointer).or_insert_with(|| aliases.targets(pointer)).clone()
    }

    /// The targets of a pointer that was asked for.
    pub(super) fn of_pointer(&self, pointer: ExprId) -> Targets {
        self.known.get(&pointer).cloned().unwrap_or(Targets::Anything)
    }

    /// The targets of a place in memory; `None` if it is in a plain variable. Pointers in it were
    /// asked for.
    pub(super) fn of_place(&self, program: &Program, place: PlaceId) -> Option<Targets> {
        let (root, steps) = Self::path(program, place);
        let start = match root {
            Root::Variable(var) if !self.owns(var) => return None,
            Root::Variable(var) => Targets::Known(vec![Target {
                object: Object::Variable(var),
                offset: Offset::Exact(0),
            }]),
            Root::Pointer(pointer) => self.of_pointer(pointer),
        };
        let Targets::Known(mut targets) = start else { return Some(Targets::Anything) };
        for step in steps {
            for target in &mut targets {
                target.offset = moved(program, target.offset, step);
            }
        }
        targets.sort_unstable();
        targets.dedup();
        Some(Targets::Known(targets))
    }
}

/// The offsets behind one more step.
fn moved(program: &Program, offset: Offset, step: PlaceId) -> Offset {
    let place = program.exprs.place(step);
    match place.kind {
        PlaceKind::Field(base, number) => {
            let record = program.types.as_record(program.place_ty(base));
            let field = record.and_then(|(_, r)| r.fields.get(number as usize));
            field.map_or(Offset::ANY, |field| offset.moved(field.offset as i64))
        }
        PlaceKind::Index(_, index) => {
            let size = program.types.size(place.ty);
            let bytes = program
                .as_int(index)
                .and_then(|i| i64::try_from(i).ok())
                .and_then(|i| i.checked_mul(i64::try_from(size).ok()?));
            match bytes {
                Some(bytes) => offset.moved(bytes),
                None => offset.repeated(size),
            }
        }
        PlaceKind::Var(_) | PlaceKind::Deref(_) => offset,
    }
}

/// The bit-field that a place is, if it is one.
pub(super) fn bit_field(program: &Program, place: PlaceId) -> Option<BitField> {
    let PlaceKind::Field(base, number) = program.exprs.place(place).kind else { return None };
    let (_, record) = program.types.as_record(program.place_ty(base))?;
    record.fields.get(number as usize)?.bits
}

/// Whether objects of the type have members in the same place.
pub(super) fn has_union(program: &Program, ty: gnomon_ir::types::TypeId) -> bool {
    match *program.types.get(ty) {
        Type::Array { elem, .. } => has_union(program, elem),
        Type::Record(record) => {
            let record = program.types.record(record);
            record.kind == gnomon_ir::types::RecordKind::Union
                || record.fields.iter().any(|field| has_union(program, field.ty))
        }
        _ => false,
    }
}
