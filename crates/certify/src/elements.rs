//! Arrays of elements: bytes, or scalars that are always accessed in whole ([`parts`](crate::parts)).

use gnomon_ir::program::VarId;
use gnomon_logic::{Sort, Term};

use crate::certificate::AliasObject;
use crate::machine::{Contents, Followed, Machine, not_followed};
use crate::state::{Slot, State};

impl Machine<'_> {
    /// The parts of memory in which a variable lies, and where its elements are.
    pub fn elements_of(&self, var: VarId) -> Vec<(Slot, u64)> {
        let (object, base) = (AliasObject::Variable(var.0), self.layout.variable(var));
        let size = self.program.types.size(self.program.vars[var].ty);
        let mut all = Vec::new();
        for part in self.parts.ids() {
            let offsets = self.parts.offsets(part, object, size);
            all.extend(offsets.into_iter().map(|offset| (Slot::Memory(part), base + offset)));
        }
        all
    }

    /// The bytes of an element of an array.
    fn element_size(&self, array: Term) -> u64 {
        match self.terms.sort(array) {
            Sort::Array(array) => match self.terms.array_parts(array).1 {
                Sort::BitVec(width) => u64::from(width) / 8,
                _ => 1,
            },
            _ => 1,
        }
    }

    /// Bytes of an array as one value.
    pub fn read(&mut self, array: Term, at: Term, count: u64) -> Followed<Term> {
        let size = self.element_size(array);
        let mut value = self.terms.select(array, at);
        if size == count {
            return Ok(value);
        }
        if size != 1 {
            return not_followed("a part of an element of memory");
        }
        for offset in 1..count {
            let offset = self.terms.bv(offset, 64);
            let next = self.terms.bv_add(at, offset);
            let byte = self.terms.select(array, next);
            value = self.terms.concat(byte, value);
        }
        Ok(value)
    }

    /// An array with a value in some of its bytes.
    pub fn written(&mut self, mut array: Term, at: Term, value: Term) -> Followed<Term> {
        let (size, width) = (self.element_size(array), self.terms.width(value));
        if size * 8 == u64::from(width) {
            return Ok(self.terms.store(array, at, value));
        }
        if size != 1 {
            return not_followed("a part of an element of memory");
        }
        for low in (0..width).step_by(8) {
            let offset = self.terms.bv(low / 8, 64);
            let next = self.terms.bv_add(at, offset);
            let byte = self.terms.extract(low + 7, low, value);
            array = self.terms.store(array, next, byte);
        }
        Ok(array)
    }

    /// Bytes of an array, one by one.
    pub fn read_bytes(&mut self, array: Term, at: Term, count: u64) -> Followed<Vec<Term>> {
        if self.element_size(array) != 1 {
            let whole = self.read(array, at, count)?;
            let bits = (0..count as u32).map(|byte| 8 * byte);
            return Ok(bits.map(|low| self.terms.extract(low + 7, low, whole)).collect());
        }
        let mut bytes = Vec::new();
        for offset in 0..count {
            let offset = self.terms.bv(offset, 64);
            let at = self.terms.bv_add(at, offset);
            bytes.push(self.terms.select(array, at));
        }
        Ok(bytes)
    }

    /// An array with bytes in it.
    pub fn with_bytes(&mut self, mut array: Term, at: Term, bytes: &[Term]) -> Followed<Term> {
        if self.element_size(array) != 1
            && let Some((&first, rest)) = bytes.split_first()
        {
            let whole = rest.iter().fold(first, |low, high| self.terms.concat(*high, low));
            return self.written(array, at, whole);
        }
        for (offset, byte) in bytes.iter().enumerate() {
            let offset = self.terms.bv(offset as u64, 64);
            let at = self.terms.bv_add(at, offset);
            array = self.terms.store(array, at, *byte);
        }
        Ok(array)
    }

    /// Zero in all elements of a range of a variable.
    pub(crate) fn clear_variable(
        &mut self,
        state: &mut State,
        (var, first, size): (VarId, u64, u64),
    ) -> Followed<()> {
        let whole = self.program.types.size(self.program.vars[var].ty);
        let elements: Vec<(Slot, u64, u64)> = match self.own_slot(var) {
            Some(slot) => {
                if size == whole {
                    let zeros = self.zeros(slot);
                    state.values.insert(slot, zeros);
                    return Ok(());
                }
                let offsets = self.parts.own_offsets(var, whole);
                offsets.into_iter().map(|offset| (slot, offset, offset)).collect()
            }
            None => {
                let base = self.layout.variable(var);
                let elements = self.elements_of(var).into_iter();
                elements.map(|(slot, address)| (slot, address, address - base)).collect()
            }
        };
        for (slot, at, offset) in elements {
            let bytes = u64::from(self.element_width(slot) / 8);
            match (first <= offset && offset + bytes <= first + size, offset < first + size) {
                (true, _) => {
                    let zero = self.terms.bv(0, self.element_width(slot));
                    self.set_element(state, slot, at, zero);
                }
                (false, true) if offset + bytes > first => {
                    return not_followed("a part of an element that is cleared");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Zero everywhere.
    pub fn zeros(&mut self, slot: Slot) -> Term {
        let width = self.element_width(slot);
        let sort = self.terms.array_sort(Sort::BitVec(64), Sort::BitVec(width));
        let zero = self.terms.bv(0, width);
        self.terms.const_array(sort, zero)
    }

    /// Any value in a variable.
    pub fn forget(&mut self, state: &mut State, var: VarId) -> Followed<()> {
        if let Some(slot) = self.own_slot(var) {
            let any = self.any(slot);
            state.values.insert(slot, any);
            return Ok(());
        }
        if self.copy_size(self.program.vars[var].ty).is_err() {
            self.forget_large(state, var);
            return Ok(());
        }
        for (slot, address) in self.elements_of(var) {
            let any = self.any_element(slot);
            self.set_element(state, slot, address, any);
        }
        Ok(())
    }

    /// Any value in a variable with too many elements to name each.
    fn forget_large(&mut self, state: &mut State, var: VarId) {
        let base = self.layout.variable(var);
        let size = self.program.types.size(self.program.vars[var].ty);
        let (from, to) = (self.terms.bv(base, 64), self.terms.bv(base.wrapping_add(size), 64));
        let object = AliasObject::Variable(var.0);
        self.approximated.get_or_insert_with(|| format!("{size} bytes that hold anything"));
        for part in self.parts.ids() {
            if !self.parts.offsets(part, object, size).is_empty() {
                self.overwrite(state, Slot::Memory(part), (from, to), Contents::Any);
            }
        }
    }

    fn any_element(&mut self, slot: Slot) -> Term {
        let width = self.element_width(slot);
        self.fresh("byte", Sort::BitVec(width))
    }

    /// The bits of an element of a slot that holds many.
    pub fn element_width(&self, slot: Slot) -> u32 {
        match slot {
            Slot::Memory(part) => 8 * self.parts.width(part) as u32,
            Slot::Bytes(var) => 8 * self.parts.own_width(var) as u32,
            _ => 8,
        }
    }

    /// Stores a whole element at an address.
    pub fn set_element(&mut self, state: &mut State, slot: Slot, address: u64, value: Term) {
        let (array, at) = (self.old_value(state, slot), self.terms.bv(address, 64));
        let array = self.terms.store(array, at, value);
        state.values.insert(slot, array);
    }
}
