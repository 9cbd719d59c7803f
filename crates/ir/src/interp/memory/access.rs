//! Reading and writing objects: scalars, bits, and bytes with all that is known about them.

use crate::interp::ub::UbKind;
use crate::interp::value::{ObjectRef, Value};

use super::{Access, Blob, LoadFault, Memory, Object, ObjectKind, Region, Spot};

impl Memory {
    #[inline(always)]
    fn spot_fast(&self, pointer: Value, offset: i64, bytes: usize) -> Option<Spot> {
        let slot = (pointer.hi as u32).wrapping_sub(1);
        let object = self.objects.get(slot as usize)?;
        if object.generation != (pointer.hi >> 32) as u32 {
            return None;
        }
        let offset = pointer.lo.wrapping_add(offset as u64).wrapping_sub(object.base) as usize;
        let fits = offset <= object.data.len() && object.data.len() - offset >= bytes;
        fits.then_some(Spot { slot, offset })
    }

    /// Where `bytes` bytes at a pointer are.
    #[inline(always)]
    pub(crate) fn spot(&self, pointer: Value, offset: i64, bytes: usize) -> Result<Spot, UbKind> {
        match self.spot_fast(pointer, offset, bytes) {
            Some(spot) => Ok(spot),
            None => self.spot_slow(pointer, offset, bytes),
        }
    }

    #[cold]
    fn spot_slow(&self, pointer: Value, offset: i64, bytes: usize) -> Result<Spot, UbKind> {
        let address = pointer.lo.wrapping_add(offset as u64) & self.address_mask;
        match ObjectRef::unpack(pointer.hi) {
            None => {
                const NULL_PAGE: u64 = 4096;
                let found = self.find(address).or_else(|| self.find(pointer.lo));
                let Some(reference) = found else {
                    let null = pointer.lo == 0 || address < NULL_PAGE;
                    return Err(if null { UbKind::NullPointer } else { UbKind::InvalidPointer });
                };
                self.spot_fast(Value { lo: address, hi: reference.pack() }, 0, bytes)
                    .ok_or(UbKind::OutOfBounds)
            }
            Some(reference) => Err(match self.object(reference) {
                Some(Object { kind: ObjectKind::Function(_), .. }) => UbKind::InvalidPointer,
                Some(_) => UbKind::OutOfBounds,
                None if self.region_of(pointer.lo) == Some(Region::Heap) => UbKind::UseAfterFree,
                None => UbKind::UseAfterReturn,
            }),
        }
    }

    #[inline(always)]
    fn spot_to_write(&mut self, p: Value, offset: i64, bytes: usize) -> Result<Spot, UbKind> {
        let spot = self.spot(p, offset, bytes)?;
        if self.objects[spot.slot as usize].read_only {
            return Err(UbKind::WriteToReadOnly);
        }
        Ok(spot)
    }

    #[inline(always)]
    fn load_array<const N: usize>(&self, spot: Spot) -> Option<[u8; N]> {
        let object = &self.objects[spot.slot as usize];
        if !object.mask.is_empty() && object.mask[spot.offset..spot.offset + N] != [0xff; N] {
            return None;
        }
        object.data[spot.offset..spot.offset + N].first_chunk().copied()
    }

    /// The value at a pointer.
    #[inline(always)]
    pub(crate) fn load(&self, access: Access, p: Value, offset: i64) -> Result<Value, LoadFault> {
        let spot = self.spot(p, offset, access.bytes())?;
        let value = match access {
            Access::B1 => self.load_array::<1>(spot).map(|b| Value::word(u64::from(b[0]))),
            Access::B2 => {
                self.load_array(spot).map(|b| Value::word(u64::from(u16::from_le_bytes(b))))
            }
            Access::B4 => {
                self.load_array(spot).map(|b| Value::word(u64::from(u32::from_le_bytes(b))))
            }
            Access::B8 => self.load_array(spot).map(|b| Value::word(u64::from_le_bytes(b))),
            Access::P4 => self
                .load_array(spot)
                .map(|b| self.loaded_pointer(spot, u64::from(u32::from_le_bytes(b)))),
            Access::P8 => {
                self.load_array(spot).map(|b| self.loaded_pointer(spot, u64::from_le_bytes(b)))
            }
            Access::B10 => self.load_array::<10>(spot).map(|b| {
                let mut wide = [0; 16];
                wide[..10].copy_from_slice(&b);
                Value::bits(u128::from_le_bytes(wide))
            }),
            Access::B16 => self.load_array(spot).map(|b| Value::bits(u128::from_le_bytes(b))),
        };
        value.ok_or(LoadFault::Indeterminate)
    }

    #[inline(always)]
    fn loaded_pointer(&self, spot: Spot, address: u64) -> Value {
        let provenance = &self.objects[spot.slot as usize].provenance;
        if !provenance.is_empty() && spot.offset.is_multiple_of(self.word) {
            let hi = provenance[spot.offset / self.word];
            if hi != 0 {
                return Value { lo: address, hi };
            }
        }
        self.with_provenance(Value::word(address))
    }

    #[inline(always)]
    fn store_array<const N: usize>(&mut self, spot: Spot, bytes: [u8; N]) {
        let word = self.word;
        let object = &mut self.objects[spot.slot as usize];
        let range = spot.offset..spot.offset + N;
        object.data[range.clone()].copy_from_slice(&bytes);
        if !object.mask.is_empty() {
            object.mask[range].copy_from_slice(&[0xff; N]);
        }
        if !object.provenance.is_empty() {
            forget_pointers(&mut object.provenance, word, spot.offset, N);
        }
    }

    /// Stores a value at a pointer.
    #[inline(always)]
    pub(crate) fn store(
        &mut self,
        access: Access,
        p: Value,
        offset: i64,
        value: Value,
    ) -> Result<(), UbKind> {
        let spot = self.spot_to_write(p, offset, access.bytes())?;
        match access {
            Access::B1 => self.store_array(spot, [value.lo as u8]),
            Access::B2 => self.store_array(spot, (value.lo as u16).to_le_bytes()),
            Access::B4 => self.store_array(spot, (value.lo as u32).to_le_bytes()),
            Access::B8 => self.store_array(spot, value.lo.to_le_bytes()),
            Access::P4 => {
                self.store_array(spot, (value.lo as u32).to_le_bytes());
                self.remember_pointer(spot, value.hi);
            }
            Access::P8 => {
                self.store_array(spot, value.lo.to_le_bytes());
                self.remember_pointer(spot, value.hi);
            }
            Access::B10 => {
                let wide = value.to_bits().to_le_bytes();
                let mut bytes = [0; 10];
                bytes.copy_from_slice(&wide[..10]);
                self.store_array(spot, bytes);
            }
            Access::B16 => self.store_array(spot, value.to_bits().to_le_bytes()),
        }
        Ok(())
    }

    #[inline(always)]
    fn remember_pointer(&mut self, spot: Spot, hi: u64) {
        let word = self.word;
        let object = &mut self.objects[spot.slot as usize];
        if hi != 0 && spot.offset.is_multiple_of(word) {
            if object.provenance.is_empty() {
                object.provenance.resize(object.data.len().div_ceil(word), 0);
            }
            object.provenance[spot.offset / word] = hi;
        }
    }

    /// The pointers in some bytes of an object: offset, what it points into, address.
    pub(crate) fn pointers_in(
        &self,
        object: ObjectRef,
        offset: u64,
        bytes: u64,
    ) -> Vec<(u64, ObjectRef, u64)> {
        let Some(found) = self.object(object).filter(|o| !o.provenance.is_empty()) else {
            return Vec::new();
        };
        let word = self.word as u64;
        let words = offset.div_ceil(word)..offset.saturating_add(bytes) / word;
        let pointer = |index: u64| {
            let target = ObjectRef::unpack(*found.provenance.get(index as usize)?)?;
            let at = (index * word) as usize;
            let mut address = [0; 8];
            address[..self.word].copy_from_slice(found.data.get(at..at + self.word)?);
            Some((index * word, target, u64::from_le_bytes(address)))
        };
        words.filter_map(pointer).collect()
    }

    /// Whether the contents of the object come from outside.
    pub(crate) fn is_unknown(&self, p: Value, offset: i64) -> bool {
        let spot = self.spot(p, offset, 0);
        spot.is_ok_and(|spot| self.objects[spot.slot as usize].unknown)
    }

    /// Bytes and what is written of them, for bit-fields and for filling what is not written.
    pub(crate) fn read_masked(
        &self,
        p: Value,
        offset: i64,
        bytes: usize,
    ) -> Result<(u128, u128), UbKind> {
        let spot = self.spot(p, offset, bytes)?;
        let object = &self.objects[spot.slot as usize];
        let take = |from: &[u8]| {
            let mut wide = [0; 16];
            wide[..bytes].copy_from_slice(&from[spot.offset..spot.offset + bytes]);
            u128::from_le_bytes(wide)
        };
        let mask = if object.mask.is_empty() { u128::MAX } else { take(&object.mask) };
        Ok((take(&object.data), mask))
    }

    /// Writes the bits that are set in `which` of at most 16 bytes.
    pub(crate) fn write_masked(
        &mut self,
        p: Value,
        offset: i64,
        bytes: usize,
        value: u128,
        which: u128,
    ) -> Result<(), UbKind> {
        let spot = self.spot_to_write(p, offset, bytes)?;
        let word = self.word;
        let object = &mut self.objects[spot.slot as usize];
        for i in 0..bytes {
            let (bits, set) = ((value >> (8 * i)) as u8, (which >> (8 * i)) as u8);
            let byte = &mut object.data[spot.offset + i];
            *byte = *byte & !set | bits & set;
            if let Some(mask) = object.mask.get_mut(spot.offset + i) {
                *mask |= set;
            }
        }
        forget_pointers(&mut object.provenance, word, spot.offset, bytes);
        Ok(())
    }

    /// Makes the contents of the object behind a pointer indeterminate.
    pub(crate) fn forget(&mut self, pointer: Value) {
        if let Some(object) = self.object_mut(pointer) {
            let bytes = object.data.len();
            object.mask.clear();
            object.mask.resize(bytes, 0);
            object.provenance.clear();
        }
    }

    /// Copies bytes and all that is known about them; the two parts may overlap.
    pub(crate) fn copy(&mut self, to: Value, from: Value, bytes: u64) -> Result<(), UbKind> {
        let len = usize::try_from(bytes).map_err(|_| UbKind::OutOfBounds)?;
        let source = self.spot(from, 0, len)?;
        let target = self.spot_to_write(to, 0, len)?;
        let word = self.word;
        let slots = [source.slot as usize, target.slot as usize];
        // A pointer that is no longer at the start of a word is found again by its address.
        let same_phase = source.offset % word == target.offset % word;
        let Ok([src, dst]) = self.objects.get_disjoint_mut(slots) else {
            // Within one object.
            let blob = self.take_blob(from, bytes)?;
            return self.put_blob(to, 0, &blob);
        };
        let (read, write) =
            (source.offset..source.offset + len, target.offset..target.offset + len);
        dst.data[write.clone()].copy_from_slice(&src.data[read.clone()]);
        match (src.mask.get(read.clone()), dst.mask.is_empty()) {
            (None, true) => {}
            (None, false) => dst.mask[write].fill(0xff),
            (Some(mask), empty) => {
                if empty && mask.iter().any(|&m| m != 0xff) {
                    dst.mask.resize(dst.data.len(), 0xff);
                }
                if !dst.mask.is_empty() {
                    dst.mask[write].copy_from_slice(mask);
                }
            }
        }
        forget_pointers(&mut dst.provenance, word, target.offset, len);
        if same_phase && !src.provenance.is_empty() {
            for index in read.start.div_ceil(word)..read.end / word {
                let hi = src.provenance[index];
                if hi != 0 {
                    let offset = index * word - source.offset + target.offset;
                    if dst.provenance.is_empty() {
                        dst.provenance.resize(dst.data.len().div_ceil(word), 0);
                    }
                    dst.provenance[offset / word] = hi;
                }
            }
        }
        Ok(())
    }

    /// The bytes at a pointer with all that is known about them.
    pub(crate) fn take_blob(&self, from: Value, bytes: u64) -> Result<Blob, UbKind> {
        let bytes = usize::try_from(bytes).map_err(|_| UbKind::OutOfBounds)?;
        let spot = self.spot(from, 0, bytes)?;
        let object = &self.objects[spot.slot as usize];
        let range = spot.offset..spot.offset + bytes;
        let mut provenance = Vec::new();
        if !object.provenance.is_empty() {
            let first = spot.offset.div_ceil(self.word);
            let last = (spot.offset + bytes) / self.word;
            for word in first..last {
                if object.provenance[word] != 0 {
                    provenance.push((word * self.word - spot.offset, object.provenance[word]));
                }
            }
        }
        let mask = object.mask.get(range.clone()).map_or_else(Vec::new, <[u8]>::to_vec);
        Ok(Blob { bytes: object.data[range].to_vec(), mask, provenance })
    }

    /// Stores what [`Memory::take_blob`] took.
    pub(crate) fn put_blob(&mut self, to: Value, offset: i64, blob: &Blob) -> Result<(), UbKind> {
        let len = blob.len();
        let spot = self.spot_to_write(to, offset, len)?;
        let word = self.word;
        let object = &mut self.objects[spot.slot as usize];
        let range = spot.offset..spot.offset + len;
        object.data[range.clone()].copy_from_slice(&blob.bytes);
        if blob.mask.is_empty() {
            if !object.mask.is_empty() {
                object.mask[range].fill(0xff);
            }
        } else {
            if object.mask.is_empty() && blob.mask.iter().any(|&m| m != 0xff) {
                object.mask.resize(object.data.len(), 0xff);
            }
            if !object.mask.is_empty() {
                object.mask[range].copy_from_slice(&blob.mask);
            }
        }
        forget_pointers(&mut object.provenance, word, spot.offset, len);
        for &(offset, hi) in &blob.provenance {
            self.remember_pointer(Spot { slot: spot.slot, offset: spot.offset + offset }, hi);
        }
        Ok(())
    }

    /// Bytes that are read as they are; those never written count as what they are by chance.
    pub(crate) fn bytes(&self, from: Value, bytes: u64) -> Result<&[u8], UbKind> {
        let bytes = usize::try_from(bytes).map_err(|_| UbKind::OutOfBounds)?;
        let spot = self.spot(from, 0, bytes)?;
        Ok(&self.objects[spot.slot as usize].data[spot.offset..spot.offset + bytes])
    }

    /// All bytes from a pointer to the end of its object.
    pub(crate) fn bytes_to_end(&self, from: Value) -> Result<&[u8], UbKind> {
        let spot = self.spot(from, 0, 0)?;
        Ok(&self.objects[spot.slot as usize].data[spot.offset..])
    }

    /// Whether every bit of the bytes was written (or comes from outside).
    pub(crate) fn is_written(&self, from: Value, bytes: u64) -> bool {
        let Ok(spot) = self.spot(from, 0, bytes as usize) else { return true };
        let object = &self.objects[spot.slot as usize];
        object.unknown
            || object.mask.is_empty()
            || object.mask[spot.offset..spot.offset + bytes as usize].iter().all(|&m| m == 0xff)
    }

    /// Writes bytes.
    pub(crate) fn write(&mut self, to: Value, bytes: &[u8]) -> Result<(), UbKind> {
        let spot = self.spot_to_write(to, 0, bytes.len())?;
        let word = self.word;
        let object = &mut self.objects[spot.slot as usize];
        let range = spot.offset..spot.offset + bytes.len();
        object.data[range.clone()].copy_from_slice(bytes);
        if !object.mask.is_empty() {
            object.mask[range].fill(0xff);
        }
        forget_pointers(&mut object.provenance, word, spot.offset, bytes.len());
        Ok(())
    }

    /// Fills bytes.
    pub(crate) fn fill(&mut self, to: Value, byte: u8, bytes: u64) -> Result<(), UbKind> {
        let bytes = usize::try_from(bytes).map_err(|_| UbKind::OutOfBounds)?;
        let spot = self.spot_to_write(to, 0, bytes)?;
        let word = self.word;
        let object = &mut self.objects[spot.slot as usize];
        let range = spot.offset..spot.offset + bytes;
        object.data[range.clone()].fill(byte);
        if !object.mask.is_empty() {
            object.mask[range].fill(0xff);
        }
        forget_pointers(&mut object.provenance, word, spot.offset, bytes);
        Ok(())
    }
}

fn forget_pointers(provenance: &mut [u64], word: usize, offset: usize, bytes: usize) {
    if provenance.is_empty() || bytes == 0 {
        return;
    }
    provenance[offset / word..=(offset + bytes - 1) / word].fill(0);
}
