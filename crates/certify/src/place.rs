//! Places: where they are, and loads and stores of bytes, little end first.

use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{Storage, VarId};
use gnomon_ir::types::{BitField, TypeId};
use gnomon_logic::Term;

use crate::certificate::{AliasObject, AliasTarget, Offset};
use crate::machine::{Followed, Machine, not_followed};
use crate::parts::{PartId, cleared};
use crate::state::{Slot, State};

/// Larger objects are not copied byte by byte.
pub const MAX_COPY: u64 = 1024;

/// Memory, whatever part of it.
const SOME_MEMORY: Slot = Slot::Memory(PartId(0));

/// Where a place is.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    slot: Slot,
    /// The offset in the object, or the address; of 64 bits.
    at: Term,
    /// Where the object begins and its size, if it is a variable that is not behind a pointer.
    object: Option<(u64, u64)>,
    /// The place behind a pointer that it is in, and the pointer.
    behind: Option<(PlaceId, Term)>,
    bits: Option<BitField>,
}

/// Why bytes are accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Load,
    Store,
}

impl Machine<'_> {
    /// The slot of a variable; `None` if it lies in memory.
    pub fn own_slot(&self, var: VarId) -> Option<Slot> {
        let info = &self.program.vars[var];
        match (info.address_taken, self.program.types.is_scalar(info.ty)) {
            (true, _) => None,
            (false, true) => Some(Slot::Plain(var)),
            (false, false) => Some(Slot::Bytes(var)),
        }
    }

    /// Where an access to a place goes.
    fn accessed(&mut self, state: &mut State, place: PlaceId) -> Followed<Found> {
        let found = self.find(state, place)?;
        let Slot::Memory(_) = found.slot else { return Ok(found) };
        match self.parts.of_place(place) {
            Some(part) => Ok(Found { slot: Slot::Memory(part), ..found }),
            None => not_followed("an access that was not expected"),
        }
    }

    /// Where a place is, in some part of memory.
    fn find(&mut self, state: &mut State, place: PlaceId) -> Followed<Found> {
        let program = self.program;
        match program.exprs.place(place).kind {
            PlaceKind::Var(var) => {
                let slot = self.own_slot(var);
                let address = if slot.is_none() { self.layout.variable(var) } else { 0 };
                let slot = slot.unwrap_or(SOME_MEMORY);
                let object = Some((address, program.types.size(program.vars[var].ty)));
                let at = self.terms.bv(address, 64);
                Ok(Found { slot, at, object, behind: None, bits: None })
            }
            PlaceKind::Deref(pointer) => {
                let pointer = self.expr(state, pointer)?;
                let at = self.widened(pointer, 64, false);
                self.note_position(None, at);
                let behind = Some((place, at));
                Ok(Found { slot: SOME_MEMORY, at, object: None, behind, bits: None })
            }
            PlaceKind::Field(base, number) => {
                let found = self.find(state, base)?;
                let record = program.types.as_record(program.place_ty(base));
                let field = record.and_then(|(_, record)| record.fields.get(number as usize));
                let Some(field) = field else { return not_followed("a member of no record") };
                let distance = self.terms.bv(field.offset, 64);
                let at = self.terms.bv_add(found.at, distance);
                Ok(Found { at, bits: field.bits, ..found })
            }
            PlaceKind::Index(base, index) => {
                let found = self.find(state, base)?;
                let size = program.types.size(program.place_ty(place));
                let position = self.scaled(state, index, 1)?;
                self.note_position(None, position);
                let distance = self.scaled(state, index, size)?;
                let at = self.terms.bv_add(found.at, distance);
                Ok(Found { at, bits: None, ..found })
            }
        }
    }

    /// Notes a position that may matter for what is known of all positions of an array, or of any.
    pub fn note_position(&mut self, of: Option<Slot>, position: Term) {
        if !self.noted.contains(&(of, position)) {
            self.noted.push((of, position));
        }
    }

    /// The address of a place.
    pub fn address(&mut self, state: &mut State, place: PlaceId) -> Followed<Term> {
        let found = self.find(state, place)?;
        match found.slot {
            Slot::Memory(_) if found.bits.is_none() => Ok(found.at),
            _ => not_followed("the address of what has none"),
        }
    }

    /// The scalar in a place.
    pub fn load(&mut self, state: &mut State, place: PlaceId) -> Followed<Term> {
        let width = self.scalar(self.program.place_ty(place))?.width();
        let found = self.accessed(state, place)?;
        if let Slot::Plain(_) = found.slot {
            return Ok(self.value(state, found.slot));
        }
        self.load_found(state, found, self.program.place_ty(place), width.into())
    }

    fn load_found(
        &mut self,
        state: &mut State,
        found: Found,
        ty: TypeId,
        width: u32,
    ) -> Followed<Term> {
        let covered = found.bits.map_or(width, |b| u32::from(b.shift) + u32::from(b.width));
        let count = u64::from(covered.div_ceil(8));
        self.assume_inside(state, &found, count, Access::Load);
        if matches!(found.slot, Slot::Memory(_)) {
            self.note_position(Some(found.slot), found.at);
        }
        let array = self.value(state, found.slot);
        let all = self.read(array, found.at, count)?;
        Ok(match found.bits {
            None => self.widened(all, width, false),
            Some(BitField { shift, width: own }) => {
                let (shift, own) = (u32::from(shift), u32::from(own));
                let bits = self.terms.extract(shift + own - 1, shift, all);
                let signed = self.program.types.int_shape(ty).is_some_and(|(_, signed)| signed);
                self.widened(bits, width, signed)
            }
        })
    }

    /// Stores a scalar.
    pub fn store(&mut self, state: &mut State, place: PlaceId, value: Term) -> Followed<()> {
        let found = self.accessed(state, place)?;
        if let Slot::Plain(_) = found.slot {
            state.values.insert(found.slot, value);
            return Ok(());
        }
        let mut value = value;
        if let Some(BitField { shift, width }) = found.bits {
            value = self.with_bits(state, &found, value, shift.into(), width.into())?;
        }
        let count = self.terms.width(value).div_ceil(8);
        value = self.widened(value, count * 8, false);
        self.assume_inside(state, &found, count.into(), Access::Store);
        let array = self.old_value(state, found.slot);
        let array = self.written(array, found.at, value)?;
        state.values.insert(found.slot, array);
        Ok(())
    }

    /// The bytes of a bit-field with a new value in its bits.
    fn with_bits(
        &mut self,
        state: &mut State,
        found: &Found,
        value: Term,
        shift: u32,
        own: u32,
    ) -> Followed<Term> {
        let count = (shift + own).div_ceil(8);
        self.assume_inside(state, found, count.into(), Access::Load);
        let array = self.old_value(state, found.slot);
        let old = self.read(array, found.at, count.into())?;
        let mut whole = self.terms.extract(own - 1, 0, value);
        if shift > 0 {
            let below = self.terms.extract(shift - 1, 0, old);
            whole = self.terms.concat(whole, below);
        }
        if shift + own < count * 8 {
            let above = self.terms.extract(count * 8 - 1, shift + own, old);
            whole = self.terms.concat(above, whole);
        }
        Ok(whole)
    }

    /// The run ends at an access outside of all objects.
    fn assume_inside(&mut self, state: &mut State, found: &Found, count: u64, access: Access) {
        let condition = match found.object {
            // Not behind a pointer: in this object, or nowhere.
            Some((base, size)) => self.within(found.at, base, size, count),
            None => match found.behind.and_then(|(place, _)| self.trusted.get(&place).cloned()) {
                Some(targets) => self.inside_trusted(state, found, &targets, count),
                None => self.inside_some_object(state, found.at, count, access),
            },
        };
        state.assume(&mut self.terms, condition);
    }

    fn within(&mut self, at: Term, base: u64, size: u64, count: u64) -> Term {
        let Some(room) = size.checked_sub(count) else { return self.terms.ff() };
        let (low, high) = (self.terms.bv(base, 64), self.terms.bv(base + room, 64));
        let (above, below) = (self.terms.bv_ule(low, at), self.terms.bv_ule(at, high));
        self.terms.and2(above, below)
    }

    fn inside_some_object(
        &mut self,
        state: &mut State,
        at: Term,
        count: u64,
        access: Access,
    ) -> Term {
        let mut somewhere = Vec::new();
        for (var, info) in self.program.vars.iter_ids() {
            let lives = match &info.storage {
                Storage::Static { read_only, .. } => !(*read_only && access == Access::Store),
                Storage::Param(func) | Storage::Local(func) => self.open.contains(func),
            };
            if info.address_taken && lives {
                let size = self.program.types.size(info.ty);
                let inside = self.within(at, self.layout.variable(var), size, count);
                somewhere.push(inside);
            }
        }
        let in_heap = self.in_heap(state, at, count);
        somewhere.push(in_heap);
        let outside = self.outside(at, count);
        somewhere.push(outside);
        self.terms.or(&somewhere)
    }

    /// Whether the bytes are of the environment.
    fn outside(&mut self, at: Term, count: u64) -> Term {
        let (first, end) = self.layout.outside;
        self.within(at, first, end - first, count)
    }

    fn in_heap(&mut self, state: &mut State, at: Term, count: u64) -> Term {
        let end = self.value(state, Slot::HeapEnd);
        let start = self.terms.bv(self.layout.heap_start, 64);
        let count = self.terms.bv(count, 64);
        let last = self.terms.bv_sub(end, count);
        let (above, below) = (self.terms.bv_ule(start, at), self.terms.bv_ule(at, last));
        self.terms.and2(above, below)
    }

    /// The access is where a trusted fact says that the pointer points.
    fn inside_trusted(
        &mut self,
        state: &mut State,
        found: &Found,
        targets: &[AliasTarget],
        count: u64,
    ) -> Term {
        let pointer = found.behind.map_or(found.at, |(_, pointer)| pointer);
        let mut somewhere = Vec::new();
        for target in targets {
            let inside = match target.object {
                AliasObject::Variable(var) => {
                    let var = VarId(var);
                    let Some(info) = self.program.vars.get(var) else { continue };
                    let (base, size) =
                        (self.layout.variable(var), self.program.types.size(info.ty));
                    let inside = self.within(found.at, base, size, count);
                    match target.offset {
                        Offset { at, every: 0 } => {
                            let there = self.terms.bv(base.wrapping_add(at), 64);
                            let is_there = self.terms.eq(pointer, there);
                            self.terms.and2(inside, is_there)
                        }
                        _ => inside,
                    }
                }
                AliasObject::Outside => self.outside(found.at, count),
                AliasObject::Allocated(_) => {
                    let inside = self.in_heap(state, found.at, count);
                    match target.offset {
                        Offset { at, every: 0 } => {
                            let offset = self.terms.bv(at, 64);
                            let begin = self.terms.bv_sub(pointer, offset);
                            let begins = self.begins_at(state, begin);
                            self.terms.and2(inside, begins)
                        }
                        _ => inside,
                    }
                }
            };
            somewhere.push(inside);
        }
        self.terms.or(&somewhere)
    }

    /// Whether an allocated object begins at an address. All do at multiples of 16.
    fn begins_at(&mut self, state: &State, begin: Term) -> Term {
        let low = self.terms.extract(3, 0, begin);
        let zero = self.terms.bv(0, 4);
        let aligned = self.terms.eq(low, zero);
        if !self.remembers {
            return aligned;
        }
        self.note_position(Some(Slot::Begins), begin);
        let begins = self.value(state, Slot::Begins);
        let (held, one) = (self.terms.select(begins, begin), self.terms.bv(1, 8));
        let is_one = self.terms.eq(held, one);
        self.terms.and2(aligned, is_one)
    }

    /// Copies an expression of record or array type to a place.
    pub fn copy(&mut self, state: &mut State, dst: PlaceId, src: ExprId) -> Followed<()> {
        if let Some(range) = cleared(self.program, dst, src) {
            return self.clear_variable(state, range);
        }
        let size = self.copy_size(self.program.place_ty(dst))?;
        let bytes = match self.program.exprs.expr(src).kind {
            ExprKind::Zero => {
                let zero = self.terms.bv(0, 8);
                vec![zero; size as usize]
            }
            ExprKind::Load(place) => self.load_bytes(state, place, size)?,
            _ => return not_followed("a record that is computed"),
        };
        self.store_bytes(state, dst, &bytes)
    }

    /// The size of what is copied.
    pub fn copy_size(&self, ty: TypeId) -> Followed<u64> {
        match self.program.types.size(ty) {
            size if size <= MAX_COPY => Ok(size),
            size => not_followed(format!("a copy of {size} bytes")),
        }
    }

    /// The bytes of a place.
    pub fn load_bytes(
        &mut self,
        state: &mut State,
        place: PlaceId,
        size: u64,
    ) -> Followed<Vec<Term>> {
        let found = self.accessed(state, place)?;
        if let Slot::Plain(_) = found.slot {
            return not_followed("the bytes of a number");
        }
        if size > 0 {
            self.assume_inside(state, &found, size, Access::Load);
        }
        let array = self.value(state, found.slot);
        self.read_bytes(array, found.at, size)
    }

    /// Stores bytes in a place.
    pub fn store_bytes(
        &mut self,
        state: &mut State,
        place: PlaceId,
        bytes: &[Term],
    ) -> Followed<()> {
        let found = self.accessed(state, place)?;
        if let Slot::Plain(_) = found.slot {
            return not_followed("the bytes of a number");
        }
        if !bytes.is_empty() {
            self.assume_inside(state, &found, bytes.len() as u64, Access::Store);
        }
        let array = self.old_value(state, found.slot);
        let array = self.with_bytes(array, found.at, bytes)?;
        state.values.insert(found.slot, array);
        Ok(())
    }
}
