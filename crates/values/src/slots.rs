//! The scalars that can be tracked: some bits of a variable or of an allocated object, or what a
//! function returns.
//!
//! A slot is named by where it is, not by the way to it, so members of unions and casts of pointers
//! need no care: slots that overlap are told apart by their bits, and a store to one of them
//! forgets the others.

use gnomon_flow::points_to::ObjectId;
use gnomon_ir::expr::{Bits, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::ops::{self, Scalar};
use gnomon_ir::program::{FuncId, InitItem, Program, Storage, VarId};
use gnomon_ir::types::{BitField, Type, TypeId};
use rustc_hash::FxHashMap;

gnomon_ir::ids! {
    /// A scalar that can be tracked.
    SlotId "slot";
}

/// Where a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Root {
    /// In a variable.
    Var(VarId),
    /// In the value that a function returns.
    Result(FuncId),
    /// In the object that was allocated last of all that this object of the analysis of pointers
    /// stands for ([`crate::allocated`]).
    Allocated(ObjectId),
}

/// A slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// Where it is.
    pub root: Root,
    /// Its first bit.
    pub start: u64,
    /// How many bits it has in memory.
    pub length: u64,
    /// How wide its value is: more than its bits only for bit-fields.
    pub width: u16,
    /// Whether the value is extended by its sign; matters for bit-fields only.
    pub signed: bool,
    /// Whether it is a `_Bool`, whose values are 0 and 1.
    pub is_bool: bool,
}

impl Slot {
    /// Whether it is a bit-field.
    pub fn is_bit_field(&self) -> bool {
        self.length != u64::from(self.width)
    }

    fn overlaps(&self, start: u64, length: u64) -> bool {
        self.start < start.saturating_add(length) && start < self.start.saturating_add(self.length)
    }
}

/// Something in an object: a variable or an allocated object, and the byte at which it begins.
pub type Location = (Root, u64);

/// More slots of one variable than this are not told apart.
const MAX_OF_ROOT: usize = 2048;

/// All slots that were met.
pub struct Slots<'p> {
    program: &'p Program,
    slots: Vec<Slot>,
    ids: FxHashMap<Slot, SlotId>,
    of_root: FxHashMap<Root, Vec<SlotId>>,
    /// Slots of places with constant indices and without pointers.
    fixed: FxHashMap<PlaceId, Option<Location>>,
}

impl<'p> Slots<'p> {
    /// Of a program.
    pub fn new(program: &'p Program) -> Self {
        let (ids, of_root, fixed) = Default::default();
        Self { program, slots: Vec::new(), ids, of_root, fixed }
    }

    /// The slot.
    pub fn get(&self, id: SlotId) -> Slot {
        self.slots[id.0 as usize]
    }

    /// How many there are; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The slots of a root.
    pub fn of_root(&self, root: Root) -> &[SlotId] {
        self.of_root.get(&root).map_or(&[], Vec::as_slice)
    }

    fn intern(&mut self, slot: Slot) -> Option<SlotId> {
        if let Some(&known) = self.ids.get(&slot) {
            return Some(known);
        }
        let of_root = self.of_root.entry(slot.root).or_default();
        if of_root.len() >= MAX_OF_ROOT {
            return None;
        }
        let id = SlotId(self.slots.len() as u32);
        of_root.push(id);
        self.slots.push(slot);
        self.ids.insert(slot, id);
        Some(id)
    }

    /// The slot of a scalar that begins at a byte; `None` for floating point, which is not tracked.
    pub fn scalar(&mut self, root: Root, at: u64, ty: TypeId) -> Option<SlotId> {
        let (width, signed, is_bool) = match self.program.types.scalar(ty)? {
            Scalar::Bool => (8, false, true),
            Scalar::Int { bits, .. } => (bits, false, false),
            Scalar::Float(_) => return None,
        };
        let (start, length) = (at.checked_mul(8)?, u64::from(width));
        self.intern(Slot { root, start, length, width, signed, is_bool })
    }

    /// The slot of a bit-field.
    fn bit_field(&mut self, (root, at): Location, ty: TypeId, field: BitField) -> Option<SlotId> {
        let scalar = self.program.types.scalar(ty)?;
        let start = at.checked_mul(8)?.checked_add(u64::from(field.shift))?;
        let signed = matches!(scalar, Scalar::Int { signed: true, .. });
        let (length, width) = (u64::from(field.width), scalar.width());
        let is_bool = scalar == Scalar::Bool;
        self.intern(Slot { root, start, length, width, signed, is_bool })
    }

    /// The slot of a place that is at a location.
    pub fn of_place(&mut self, place: PlaceId, at: Location) -> Option<SlotId> {
        let found = self.program.exprs.place(place);
        match self.bits_of(place) {
            Some(field) => self.bit_field(at, found.ty, field),
            None => self.scalar(at.0, at.1, found.ty),
        }
    }

    /// The bits of a place, if it is a bit-field.
    pub fn bits_of(&self, place: PlaceId) -> Option<BitField> {
        match self.program.exprs.place(place).kind {
            PlaceKind::Field(base, field) => {
                let (_, record) = self.program.types.as_record(self.program.place_ty(base))?;
                record.fields.get(field as usize)?.bits
            }
            _ => None,
        }
    }

    /// Where a place is that has no pointers and constant indices only.
    pub fn fixed(&mut self, place: PlaceId) -> Option<Location> {
        if let Some(&known) = self.fixed.get(&place) {
            return known;
        }
        let found = self.find_fixed(place);
        self.fixed.insert(place, found);
        found
    }

    fn find_fixed(&mut self, place: PlaceId) -> Option<Location> {
        let exprs = &self.program.exprs;
        match exprs.place(place).kind {
            PlaceKind::Var(var) => Some((Root::Var(var), 0)),
            PlaceKind::Deref(_) => None,
            PlaceKind::Field(base, field) => {
                let at = self.fixed(base)?;
                self.member(base, at, field)
            }
            PlaceKind::Index(base, index) => {
                let at = self.fixed(base)?;
                let bits = self.program.exprs.const_bits(index)?;
                self.element(base, at, index_of(self.program, index, bits)?)
            }
        }
    }

    /// Where a member of a record at a location is.
    pub fn member(&self, record: PlaceId, at: Location, field: u32) -> Option<Location> {
        let (_, record) = self.program.types.as_record(self.program.place_ty(record))?;
        Some((at.0, at.1.checked_add(record.fields.get(field as usize)?.offset)?))
    }

    /// Where an element of an array at a location is; `None` if it has no such element.
    pub fn element(&self, array: PlaceId, at: Location, index: i128) -> Option<Location> {
        let Type::Array { elem, len } = *self.program.types.get(self.program.place_ty(array))
        else {
            return None;
        };
        let index = u64::try_from(index).ok().filter(|index| *index < len)?;
        let bytes = index.checked_mul(self.program.types.size(elem))?;
        Some((at.0, at.1.checked_add(bytes)?))
    }

    /// The slots that some bits of an object touch.
    pub fn touched(&self, root: Root, start: u64, length: u64) -> impl Iterator<Item = SlotId> {
        let slots = &self.slots;
        let of_root = self.of_root(root).iter().copied();
        of_root.filter(move |id| slots[id.0 as usize].overlaps(start, length))
    }

    /// The slot at the same bits of another object, moved by some bytes.
    pub fn moved(&mut self, id: SlotId, to: Root, from_byte: u64, to_byte: u64) -> Option<SlotId> {
        let slot = self.get(id);
        let start = slot.start.checked_sub(from_byte * 8)?.checked_add(to_byte * 8)?;
        self.intern(Slot { root: to, start, ..slot })
    }

    /// What a slot of a static variable holds when the program starts, if that is a number.
    pub fn initial(&mut self, id: SlotId) -> Option<Bits> {
        let slot = self.get(id);
        let Root::Var(var) = slot.root else { return None };
        let program = self.program;
        let Storage::Static { init: Some(init), .. } = &program.vars[var].storage else {
            return None;
        };
        let mut value = Some(0);
        for item in &init.items {
            match item {
                InitItem::Value { place, value: expr } => {
                    let (_, at) = self.fixed(*place)?;
                    let field = self.bits_of(*place);
                    let start = at * 8 + field.map_or(0, |bits| u64::from(bits.shift));
                    let size = program.types.size(program.place_ty(*place)) * 8;
                    let length = field.map_or(size, |bits| u64::from(bits.width));
                    if !slot.overlaps(start, length) {
                        continue;
                    }
                    let bits = program.exprs.const_bits(*expr);
                    let is_zero = matches!(program.exprs.expr(*expr).kind, ExprKind::Zero);
                    value = match bits {
                        Some(_) if is_zero && start <= slot.start => {
                            // A zero of anything larger is zero in every part.
                            (slot.start + slot.length <= start + length).then_some(0)
                        }
                        Some(bits) if start == slot.start && length == slot.length => {
                            Some(slot.stored(bits))
                        }
                        _ => None,
                    };
                }
                InitItem::Bytes { place, bytes } => {
                    let (_, at) = self.fixed(*place)?;
                    if !slot.overlaps(at * 8, bytes.len() as u64 * 8) {
                        continue;
                    }
                    let is_byte =
                        slot.length == 8 && slot.width == 8 && slot.start.is_multiple_of(8);
                    let byte = (slot.start / 8).checked_sub(at).and_then(|i| bytes.get(i as usize));
                    value = byte.filter(|_| is_byte).map(|byte| Bits::from(*byte));
                }
            }
        }
        value
    }
}

impl Slot {
    /// The value that is read after these bits were stored.
    pub fn stored(&self, bits: Bits) -> Bits {
        let kept = ops::truncate(bits, self.length as u16);
        match self.signed && self.is_bit_field() {
            true => ops::truncate(ops::sign_extend(kept, self.length as u16) as Bits, self.width),
            false => kept,
        }
    }
}

/// An index as a number.
pub fn index_of(program: &Program, index: gnomon_ir::expr::ExprId, bits: Bits) -> Option<i128> {
    match program.types.scalar(program.expr_ty(index))? {
        Scalar::Float(_) => None,
        scalar => Some(ops::extend(scalar, bits)),
    }
}
