//! Memory: objects of bytes, each with an address of its own.
//!
//! An object knows for each bit whether it was ever written, and for each aligned word whether it
//! holds a pointer and to which object. A pointer that is copied byte by byte, or that went
//! through an integer, finds its object again by its address: objects never overlap, and at least
//! 16 bytes lie between two of them, so that a pointer just behind an object is not one to the
//! start of the next. Addresses are handed out in order, so the same run has the same addresses.
//!
//! A slot of the object table is used again when its object is dead; the generation in
//! [`ObjectRef`] tells the old object from the new one, so dangling pointers are recognised.
//! Addresses are not used again, but for those of the stack on ILP32, which would not last.

mod access;

use crate::interp::ub::UbKind;
use crate::interp::value::{ObjectRef, Shape, Value};
use crate::program::{FuncId, VarId};
use crate::types::{Target, TypeId};

/// What an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A function; it has no bytes.
    Function(FuncId),
    /// A static variable.
    Static(VarId),
    /// A local variable or parameter of a call.
    Local(VarId),
    /// Made by [`Op::Alloca`](crate::cfa::Op::Alloca) or `alloca`.
    Alloca,
    /// Allocated by `malloc` and the like.
    Heap,
    /// Behind a pointer argument of the entry function.
    Argument,
    /// The arguments behind the declared ones, one every 16 bytes or more, with their types.
    VarArgs(Box<[(u64, TypeId)]>),
    /// A stream: 0 for stdin, 1 for stdout, 2 for stderr.
    Stream(u8),
    /// A table of the C library (`errno`, character classes).
    Library,
}

/// Where in the address space an object goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    Code,
    Static,
    Heap,
    Stack,
}

/// What an object holds at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Bytes that are zero.
    Zero,
    /// Nothing: reading it is undefined behaviour.
    Indeterminate,
    /// Nothing that is known: reading it is not undefined.
    Unknown,
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub base: u64,
    pub size: u64,
    /// Empty for functions.
    data: Vec<u8>,
    /// For each bit whether it was written; empty if all were.
    mask: Vec<u8>,
    /// For each aligned word the packed reference of the pointer in it; empty if there is none.
    provenance: Vec<u64>,
    generation: u32,
    alive: bool,
    pub read_only: bool,
    /// Its contents come from outside, so reading them first is not undefined.
    pub unknown: bool,
    pub kind: ObjectKind,
}

impl Object {
    fn lives_at(&self, base: u64) -> bool {
        self.alive && self.base == base
    }
}

/// How many bytes are accessed, and whether they are a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the number of bytes")]
pub(crate) enum Access {
    B1,
    B2,
    B4,
    B8,
    B10,
    B16,
    /// A pointer of 4 bytes.
    P4,
    /// A pointer of 8 bytes.
    P8,
}

impl Access {
    pub(crate) fn of(shape: Shape) -> Self {
        match shape {
            Shape::Ptr32 => Access::P4,
            Shape::Ptr64 => Access::P8,
            _ => match shape.value_bytes() {
                1 => Access::B1,
                2 => Access::B2,
                4 => Access::B4,
                8 => Access::B8,
                10 => Access::B10,
                _ => Access::B16,
            },
        }
    }

    pub(crate) fn bytes(self) -> usize {
        match self {
            Access::B1 => 1,
            Access::B2 => 2,
            Access::B4 | Access::P4 => 4,
            Access::B8 | Access::P8 => 8,
            Access::B10 => 10,
            Access::B16 => 16,
        }
    }
}

/// Why a load gave no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoadFault {
    Undefined(UbKind),
    /// Some bits were never written.
    Indeterminate,
}

impl From<UbKind> for LoadFault {
    fn from(kind: UbKind) -> Self {
        LoadFault::Undefined(kind)
    }
}

/// A part of an object that an access may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub slot: u32,
    pub offset: usize,
}

/// Bytes with everything that is known about them: what a record is while it is passed around.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blob {
    bytes: Vec<u8>,
    mask: Vec<u8>,
    /// By offset in bytes.
    provenance: Vec<(usize, u64)>,
}

impl Blob {
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn zero(len: usize) -> Self {
        Self { bytes: vec![0; len], mask: Vec::new(), provenance: Vec::new() }
    }
}

/// A moment of the stack, see [`Memory::unwind`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StackMark {
    objects: usize,
    next: u64,
}

/// The addresses that an object of that size takes, with the distance to the next.
pub(crate) fn room_for(size: u64) -> u64 {
    size.max(1).saturating_add(2 * GRAIN - 1) & !(GRAIN - 1)
}

/// Distance between objects, and the alignment that every object has.
const GRAIN: u64 = 16;
/// Buffers of dead objects that are kept for the next object of the slot.
const KEPT_CAPACITY: usize = 4096;

/// All objects.
#[derive(Clone)]
pub(crate) struct Memory {
    objects: Vec<Object>,
    free_slots: Vec<u32>,
    word: usize,
    address_mask: u64,
    reuse_stack: bool,
    /// Next free address, limit and the objects in order of address, for each region.
    next: [u64; 4],
    limit: [u64; 4],
    by_address: [Vec<(u64, u32)>; 4],
    dead_heap: usize,
    live_bytes: u64,
    max_bytes: u64,
}

/// How much of the limit a byte of a record takes: lists of them grow by doubling, and beside them
/// stands what is recorded of the run.
const RECORD_WEIGHT: u64 = 4;

impl Memory {
    pub(crate) fn new(target: Target, max_bytes: u64) -> Self {
        let (next, limit) = match target {
            Target::Ilp32 => (
                [0x0804_8000, 0x1000_0000, 0x4000_0000, 0xc000_0000],
                [0x1000_0000, 0x4000_0000, 0xc000_0000, 0xffff_0000],
            ),
            Target::Lp64 => (
                [0x40_0000, 0x1_0000_0000, 0x1000_0000_0000, 0x4000_0000_0000],
                [0x1_0000_0000, 0x1000_0000_0000, 0x4000_0000_0000, 0x7fff_ffff_0000],
            ),
        };
        Self {
            objects: Vec::new(),
            free_slots: Vec::new(),
            word: target.pointer_size() as usize,
            address_mask: u64::MAX >> (64 - target.pointer_bits()),
            reuse_stack: target == Target::Ilp32,
            next,
            limit,
            by_address: Default::default(),
            dead_heap: 0,
            live_bytes: 0,
            max_bytes,
        }
    }

    /// Everything in live objects that can still change what a program does, as one string of
    /// bytes: two memories with the same are alike.
    pub(crate) fn contents(&self) -> Box<[u8]> {
        let mut bytes = Vec::new();
        bytes.extend(self.next[Region::Heap as usize].to_le_bytes());
        for (slot, object) in self.objects.iter().enumerate() {
            if !object.alive || object.read_only || object.data.is_empty() {
                continue;
            }
            bytes.extend((slot as u32).to_le_bytes());
            bytes.extend(object.base.to_le_bytes());
            bytes.extend((object.data.len() as u32).to_le_bytes());
            let parts = (object.mask.len() as u32, object.provenance.len() as u32);
            bytes.extend(parts.0.to_le_bytes());
            bytes.extend(parts.1.to_le_bytes());
            match object.mask.is_empty() {
                true => bytes.extend(&object.data),
                // What was never written is not looked at.
                false => bytes.extend(object.data.iter().zip(&object.mask).map(|(d, m)| d & m)),
            }
            bytes.extend(&object.mask);
            bytes.extend(object.provenance.iter().flat_map(|word| word.to_le_bytes()));
        }
        bytes.into()
    }

    /// Exchanges the contents of the objects behind two pointers, if they have the same size.
    pub(crate) fn exchange(&mut self, one: Value, other: Value) {
        let slot = |pointer: Value| self.reference(pointer).map(|found| found.slot as usize);
        let (Some(one), Some(other)) = (slot(one), slot(other)) else { return };
        let (low, high) = (one.min(other), one.max(other));
        if low == high || high >= self.objects.len() {
            return;
        }
        let (before, behind) = self.objects.split_at_mut(high);
        let (one, other) = (&mut before[low], &mut behind[0]);
        if one.data.len() == other.data.len() {
            std::mem::swap(&mut one.data, &mut other.data);
            std::mem::swap(&mut one.mask, &mut other.mask);
            std::mem::swap(&mut one.provenance, &mut other.provenance);
        }
    }

    /// The contents of the object behind a pointer, as bytes.
    pub(crate) fn contents_of(&self, pointer: Value) -> Option<Vec<u8>> {
        let object = self.object(self.reference(pointer)?)?;
        let mut bytes = object.data.clone();
        for (byte, mask) in bytes.iter_mut().zip(&object.mask) {
            *byte &= mask;
        }
        bytes.extend(&object.mask);
        bytes.extend(object.provenance.iter().flat_map(|word| word.to_le_bytes()));
        Some(bytes)
    }

    /// Writes bytes of the object behind a pointer.
    pub(crate) fn overwrite(&mut self, pointer: Value, offset: usize, bytes: &[u8]) {
        let object = self.object_mut(pointer);
        let place = object.and_then(|o| o.data.get_mut(offset..offset + bytes.len()));
        if let Some(place) = place {
            place.copy_from_slice(bytes);
        }
    }

    /// Makes the contents of the object behind a pointer zero.
    pub(crate) fn clear(&mut self, pointer: Value) {
        if let Some(object) = self.object_mut(pointer) {
            object.data.fill(0);
            object.mask.clear();
            object.provenance.clear();
        }
    }

    /// The bits that an address has.
    pub(crate) fn address_mask(&self) -> u64 {
        self.address_mask
    }

    /// What is kept about objects, dead ones too.
    fn record_bytes(&self) -> u64 {
        let addresses: usize = self.by_address.iter().map(Vec::len).sum();
        let bytes = self.objects.len() * size_of::<Object>() + addresses * size_of::<(u64, u32)>();
        bytes as u64
    }

    /// A new object; `None` if there is no room for it.
    pub(crate) fn allocate(
        &mut self,
        region: Region,
        kind: ObjectKind,
        size: u64,
        align: u64,
        contents: Contents,
    ) -> Option<Value> {
        let records = self.record_bytes().saturating_mul(RECORD_WEIGHT);
        if self.live_bytes.checked_add(size)?.checked_add(records)? > self.max_bytes {
            return None;
        }
        let align = align.max(GRAIN);
        let r = region as usize;
        let base = self.next[r].checked_next_multiple_of(align)?;
        let end = base.checked_add(room_for(size))?;
        if end > self.limit[r] {
            return None;
        }
        self.next[r] = end;
        self.live_bytes += size;
        let slot = match self.free_slots.pop() {
            Some(slot) => slot,
            None => {
                self.objects.push(Object {
                    base: 0,
                    size: 0,
                    data: Vec::new(),
                    mask: Vec::new(),
                    provenance: Vec::new(),
                    generation: 0,
                    alive: false,
                    read_only: false,
                    unknown: false,
                    kind: ObjectKind::Library,
                });
                (self.objects.len() - 1) as u32
            }
        };
        let object = &mut self.objects[slot as usize];
        object.alive = true;
        object.base = base;
        object.size = size;
        object.read_only = false;
        object.unknown = contents == Contents::Unknown;
        let bytes = if matches!(kind, ObjectKind::Function(_)) { 0 } else { size as usize };
        object.kind = kind;
        resize_zeroed(&mut object.data, bytes);
        let masked = if contents == Contents::Zero { 0 } else { bytes };
        resize_zeroed(&mut object.mask, masked);
        object.provenance.clear();
        self.by_address[r].push((base, slot));
        let reference = ObjectRef { slot, generation: object.generation };
        Some(Value { lo: base, hi: reference.pack() })
    }

    fn kill(&mut self, slot: u32) {
        let object = &mut self.objects[slot as usize];
        object.generation = object.generation.wrapping_add(1);
        object.alive = false;
        self.live_bytes -= object.size;
        if object.data.capacity() > KEPT_CAPACITY {
            object.data = Vec::new();
            object.mask = Vec::new();
            object.provenance = Vec::new();
        }
        self.free_slots.push(slot);
    }

    /// Frees a heap object through a pointer to its start.
    pub(crate) fn free(&mut self, pointer: Value) -> Result<(), UbKind> {
        let reference =
            self.reference(pointer).ok_or_else(|| match self.region_of(pointer.lo) {
                Some(Region::Heap) => UbKind::DoubleFree,
                _ => UbKind::InvalidFree,
            })?;
        let object = &self.objects[reference.slot as usize];
        if object.generation != reference.generation {
            return Err(match self.region_of(pointer.lo) {
                Some(Region::Heap) => UbKind::DoubleFree,
                _ => UbKind::InvalidFree,
            });
        }
        if object.kind != ObjectKind::Heap || object.base != pointer.lo {
            return Err(UbKind::InvalidFree);
        }
        self.kill(reference.slot);
        self.dead_heap += 1;
        let heap = &mut self.by_address[Region::Heap as usize];
        if self.dead_heap > 1024 && self.dead_heap > heap.len() / 2 {
            let objects = &self.objects;
            heap.retain(|&(base, slot)| objects[slot as usize].lives_at(base));
            self.dead_heap = 0;
        }
        Ok(())
    }

    /// What to give to [`Memory::unwind`] to end all stack objects that are made from here on.
    pub(crate) fn stack_mark(&self) -> StackMark {
        let objects = self.by_address[Region::Stack as usize].len();
        StackMark { objects, next: self.next[Region::Stack as usize] }
    }

    /// Leaves addresses of the stack free.
    pub(crate) fn skip_stack(&mut self, bytes: u64) {
        let next = &mut self.next[Region::Stack as usize];
        *next = next.saturating_add(bytes);
    }

    /// The next stack object lies where it does behind calls, all ended, that passed over so many bytes.
    pub(crate) fn skip_calls(&mut self, bytes: u64) {
        if !self.reuse_stack {
            self.skip_stack(bytes);
        }
    }

    /// Ends the stack objects made since the mark.
    pub(crate) fn unwind(&mut self, mark: StackMark) {
        while self.by_address[Region::Stack as usize].len() > mark.objects {
            if let Some((_, slot)) = self.by_address[Region::Stack as usize].pop() {
                self.kill(slot);
            }
        }
        if self.reuse_stack {
            self.next[Region::Stack as usize] = mark.next;
        }
    }

    /// The object that a pointer belongs to: by its provenance, or else by its address.
    pub(crate) fn reference(&self, pointer: Value) -> Option<ObjectRef> {
        ObjectRef::unpack(pointer.hi).or_else(|| self.find(pointer.lo))
    }

    /// The pointer with its object, if that can be found by the address.
    pub(crate) fn with_provenance(&self, pointer: Value) -> Value {
        match (pointer.hi, self.find(pointer.lo)) {
            (0, Some(reference)) => Value { lo: pointer.lo, hi: reference.pack() },
            _ => pointer,
        }
    }

    fn region_of(&self, address: u64) -> Option<Region> {
        [Region::Code, Region::Static, Region::Heap, Region::Stack]
            .into_iter()
            .find(|&region| address < self.limit[region as usize])
    }

    /// The live object at an address, or that it is just behind.
    pub(crate) fn find(&self, address: u64) -> Option<ObjectRef> {
        if address == 0 {
            return None;
        }
        let list = &self.by_address[self.region_of(address)? as usize];
        let position = list.partition_point(|&(base, _)| base <= address).checked_sub(1)?;
        let (base, slot) = list[position];
        let object = self.objects.get(slot as usize)?;
        let found = object.lives_at(base) && address - base <= object.size;
        found.then_some(ObjectRef { slot, generation: object.generation })
    }

    /// The size of the living object from an allocation that begins at an address, and one more;
    /// zero if there is none.
    pub(crate) fn extent(&self, address: u64) -> u64 {
        let found = self.find(address).and_then(|reference| self.object(reference));
        let begins = |object: &&Object| {
            object.base == address && matches!(object.kind, ObjectKind::Heap | ObjectKind::Alloca)
        };
        found.filter(begins).map_or(0, |object| object.size + 1)
    }

    /// How many objects from the heap live, and how many of them nothing leads to from objects that
    /// are not from the heap.
    pub(crate) fn heap_at_end(&self) -> (usize, usize) {
        let is_heap = |object: &Object| object.alive && object.kind == ObjectKind::Heap;
        let mut reached: Vec<bool> = self.objects.iter().map(|object| !is_heap(object)).collect();
        let mut pending: Vec<usize> = (0..self.objects.len())
            .filter(|&slot| reached[slot] && self.objects[slot].alive)
            .collect();
        while let Some(slot) = pending.pop() {
            for &word in &self.objects[slot].provenance {
                let Some(to) = ObjectRef::unpack(word) else { continue };
                let next = to.slot as usize;
                if self.object(to).is_some() && !reached[next] {
                    reached[next] = true;
                    pending.push(next);
                }
            }
        }
        let living = self.objects.iter().filter(|object| is_heap(object)).count();
        (living, reached.iter().filter(|&&reached| !reached).count())
    }

    /// The object, if it lives.
    pub(crate) fn object(&self, reference: ObjectRef) -> Option<&Object> {
        self.objects.get(reference.slot as usize).filter(|o| o.generation == reference.generation)
    }

    /// The object behind a pointer, to set its flags.
    pub(crate) fn object_mut(&mut self, pointer: Value) -> Option<&mut Object> {
        let reference = self.reference(pointer)?;
        let object = self.objects.get_mut(reference.slot as usize)?;
        (object.generation == reference.generation).then_some(object)
    }
}

fn resize_zeroed(buffer: &mut Vec<u8>, len: usize) {
    if len > KEPT_CAPACITY {
        // Asks the system for zeroed pages, which costs nothing until they are used.
        *buffer = vec![0; len];
    } else {
        buffer.clear();
        buffer.resize(len, 0);
    }
}
