//! `volatile` objects, which others than the program may change.
//!
//! A register of a device lies at an address that the program names as a number
//! (`*(volatile unsigned *)0x40001000`). It is no object of the program: each read gives any value,
//! and what is written is not seen again. With [`Volatile::Any`] the same holds for reads of all
//! `volatile` objects; the access to the object itself stays, so that checks of memory see it.
//!
//! Only accesses that name the number themselves are registers. A pointer that was stored first is
//! followed as any other.

use gnomon_ir::cfa::Op;
use gnomon_ir::expr::{ExprId, ExprKind, PlaceKind};
use gnomon_ir::program::Note;

use super::Lower;
use super::conv::{LVal, Val};
use super::ctype::QType;
use crate::ast::Quals;
use crate::span::Span;

/// Who changes `volatile` objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Volatile {
    /// The program only; but registers of devices are any value.
    #[default]
    Program,
    /// Anybody: each read gives any value.
    Any,
}

impl Lower<'_> {
    /// The value that is read from a `volatile` place that others may change.
    pub(super) fn read_volatile(&mut self, lv: LVal) -> Option<Val> {
        if !self.is_open(lv) {
            if self.volatile == Volatile::Any && self.has_volatile_parts(lv) {
                let why = "a copy of a structure with `volatile` members";
                self.note(Note::NOT_COVERED, why, self.last_span);
            }
            return None;
        }
        let span = self.last_span;
        let place = self.temp(self.program.place_ty(lv.place));
        if self.is_register(lv) {
            self.note_register(span);
        } else {
            let src = self.program.load(lv.place);
            self.emit(Op::Assign { dst: place, src }, span);
        }
        self.emit(Op::Havoc(place), span);
        Some(Val { e: self.program.load(place), ty: lv.ty.unqualified() })
    }

    /// Whether a record, or a member of it, is `volatile`.
    fn has_volatile_parts(&self, lv: LVal) -> bool {
        let is_volatile = |ty: QType| ty.quals.contains(Quals::VOLATILE);
        self.types.record(lv.ty).is_some_and(|(_, record)| {
            is_volatile(lv.ty) || record.fields.iter().any(|field| is_volatile(field.ty))
        })
    }

    /// Whether a scalar may be another one at each read.
    pub(super) fn is_open(&self, lv: LVal) -> bool {
        lv.ty.quals.contains(Quals::VOLATILE)
            && self.types.is_scalar(lv.ty)
            && (self.volatile == Volatile::Any || self.is_register(lv))
    }

    /// Whether a scalar is a register of a device.
    pub(super) fn is_register(&self, lv: LVal) -> bool {
        if !lv.ty.quals.contains(Quals::VOLATILE) || !self.types.is_scalar(lv.ty) {
            return false;
        }
        let mut place = lv.place;
        loop {
            match self.program.exprs.place(place).kind {
                PlaceKind::Var(_) => return false,
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => place = base,
                PlaceKind::Deref(pointer) => return self.is_named_address(pointer),
            }
        }
    }

    /// A number, perhaps moved by an index, that is not null.
    fn is_named_address(&self, mut pointer: ExprId) -> bool {
        loop {
            if let Some(bits) = self.program.exprs.const_bits(pointer) {
                return bits != 0;
            }
            match self.program.exprs.expr(pointer).kind {
                ExprKind::Cast(inner) | ExprKind::PtrAdd(inner, _) => pointer = inner,
                ExprKind::AddrOf(place) => match self.program.exprs.place(place).kind {
                    PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => {
                        match self.program.exprs.place(base).kind {
                            PlaceKind::Deref(inner) => pointer = inner,
                            _ => return false,
                        }
                    }
                    _ => return false,
                },
                _ => return false,
            }
        }
    }

    /// Registers are an assumption.
    pub(super) fn note_register(&mut self, span: Span) {
        let message = "`volatile` objects at addresses that are numbers are registers of devices: \
                       any value at each read";
        self.note("volatile", message, span);
    }
}
