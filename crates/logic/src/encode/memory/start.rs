//! What memory holds when the program starts.
//!
//! Initial values are numbers, addresses too, so the initial contents of each static variable are
//! bytes that are known. An array that holds nothing but what starts as zero (static variables, and
//! what `calloc` gives) is zero everywhere; then only what is not zero is written to it.

use super::leaves::access_size;
use super::partition::{ClassId, Form, raw};
use super::partitioned::Partitioned;
use super::pointees::bit_field;
use crate::encode::aliases::{Object, Offset, Targets};
use crate::encode::draft::{Draft, Operand};
use crate::encode::interval::Interval;
use crate::encode::scalar::constant;
use crate::encode::{NotEncoded, Theory};
use crate::number::modulo_power_of_two;
use gnomon_ir::cfa::{Callee, Op};
use gnomon_ir::expr::{Bits, ExprId, PlaceId};
use gnomon_ir::library::{AllocKind, Library, classify};
use gnomon_ir::ops::{Scalar, truncate};
use gnomon_ir::program::{InitItem, Storage, VarId, source_name};
use std::collections::BTreeMap;

/// The bytes of a variable that are given; the others are zero.
type Image = BTreeMap<u64, u8>;

impl Partitioned<'_> {
    /// Gives memory its initial contents.
    pub(super) fn initial_values(&mut self, draft: &mut Draft<'_>) -> Result<(), NotEncoded> {
        self.name_addresses(draft);
        let heap = self.heap_cell(draft);
        let start = self.fixed_address(draft, self.layout.heap_start);
        draft.write_cell(&heap, &[], start);
        if let Some(cell) = self.beginnings(draft) {
            let sort = draft.terms.variable_info(cell.variable).sort;
            let zero = constant(draft.terms, draft.theory, cell.scalar, 0);
            let none = draft.terms.const_array(sort, zero);
            draft.write_cell(&cell, &[], Operand::bits(none));
        }
        self.first_frames(draft)?;
        let mut elements: BTreeMap<ClassId, Vec<(u64, Bits)>> = BTreeMap::new();
        for class in self.partition.ids() {
            if self.partition.class(class).form != Form::Cell && self.starts_as_zero(class) {
                elements.insert(class, Vec::new());
            }
        }
        for var in self.program.globals() {
            draft.check_budget()?;
            if !self.pointees.owns(var) {
                continue;
            }
            let Storage::Static { init: Some(init), .. } = &self.program.vars[var].storage else {
                continue;
            };
            let image = self.image(draft, &init.items)?;
            self.place_image(draft, var, &image, &mut elements);
        }
        for (class, written) in elements {
            draft.check_budget()?;
            let cell = self.cell(draft, class);
            let sort = draft.terms.variable_info(cell.variable).sort;
            let mut array = if self.starts_as_zero(class) {
                let zero = constant(draft.terms, draft.theory, cell.scalar, 0);
                draft.terms.const_array(sort, zero)
            } else {
                let symbol = draft.state.ssa.symbol(cell.variable);
                draft.terms.symbol(symbol)
            };
            for (address, bits) in written {
                let address = self.fixed_address(draft, address);
                let value = constant(draft.terms, draft.theory, cell.scalar, bits);
                array = draft.terms.store(array, address.term, value);
            }
            draft.write_cell(&cell, &[], Operand::bits(array));
        }
        Ok(())
    }

    /// The function that runs first is not entered by a call: if it is recursive, its variables
    /// have addresses from the start on. Which one it is does not matter.
    fn first_frames(&mut self, draft: &mut Draft<'_>) -> Result<(), NotEncoded> {
        for (func, function) in self.program.funcs.iter_ids() {
            if !self.is_recursive(func) {
                continue;
            }
            for &var in function.params.iter().chain(&function.locals) {
                if self.pointees.owns(var) {
                    let size = self.program.types.size(self.program.vars[var].ty);
                    let address = self.hand_out(draft, size)?;
                    let cell = self.address_cell(draft, var);
                    draft.write_cell(&cell, &[], address);
                }
            }
        }
        Ok(())
    }

    /// Whether everything in a class is zero at first.
    fn starts_as_zero(&self, class: ClassId) -> bool {
        self.partition.class(class).spots.iter().all(|spot| match spot.object {
            Object::Variable(var) => {
                matches!(self.program.vars[var].storage, Storage::Static { init: Some(_), .. })
            }
            Object::Allocated { function, edge, .. } => {
                let body = self.program.funcs[function].body.as_ref();
                body.is_some_and(|body| self.gives_zeros(&body.edge(edge).op))
            }
            Object::Function(_) | Object::Outside => false,
        })
    }

    fn gives_zeros(&self, op: &Op) -> bool {
        let Op::Call(call) = op else { return false };
        let Callee::Direct(func) = call.callee else { return false };
        let name = source_name(&self.program.funcs[func].name);
        let library = classify(name, self.program.types.target());
        library == Library::Alloc(AllocKind::Calloc)
    }

    /// The bytes that an initialiser gives.
    fn image(&mut self, draft: &mut Draft<'_>, items: &[InitItem]) -> Result<Image, NotEncoded> {
        let mut image = Image::new();
        for item in items {
            draft.check_budget()?;
            match item {
                InitItem::Bytes { place, bytes } => {
                    let at = self.constant_offset(*place)?;
                    image.extend(bytes.iter().zip(at..).map(|(&byte, at)| (at, byte)));
                }
                InitItem::Value { place, value } => {
                    self.add_value(draft, &mut image, *place, *value)?;
                }
            }
        }
        Ok(image)
    }

    fn constant_offset(&self, place: PlaceId) -> Result<u64, NotEncoded> {
        if let Some(Targets::Known(targets)) = self.pointees.of_place(self.program, place)
            && let [target] = targets[..]
            && let Offset::Exact(at) = target.offset
        {
            return Ok(at);
        }
        Err(NotEncoded::Memory("an initialiser with an index that is no constant".into()))
    }

    fn add_value(
        &mut self,
        draft: &mut Draft<'_>,
        image: &mut Image,
        place: PlaceId,
        value: ExprId,
    ) -> Result<(), NotEncoded> {
        let at = self.constant_offset(place)?;
        let ty = self.program.place_ty(place);
        let Some(scalar) = self.program.types.scalar(ty) else {
            if self.program.exprs.const_bits(value) == Some(0) {
                let end = at + self.program.types.size(ty);
                image.retain(|&offset, _| offset < at || offset >= end);
                return Ok(());
            }
            return Err(NotEncoded::Memory("a record as the initial value of another".into()));
        };
        let bits = self.constant_value(draft, value, scalar)?;
        let field = bit_field(self.program, place);
        let (mask, bits) = match field {
            None => (u128::MAX, bits),
            Some(field) => (
                truncate(u128::MAX, u16::from(field.width)) << field.shift,
                truncate(bits, u16::from(field.width)) << field.shift,
            ),
        };
        for position in 0..access_size(scalar, field) {
            let (mask, bits) = ((mask >> (8 * position)) as u8, (bits >> (8 * position)) as u8);
            let byte = image.entry(at + position).or_insert(0);
            *byte = *byte & !mask | bits & mask;
        }
        Ok(())
    }

    fn constant_value(
        &mut self,
        draft: &mut Draft<'_>,
        value: ExprId,
        scalar: Scalar,
    ) -> Result<Bits, NotEncoded> {
        if let Some(bits) = self.program.exprs.const_bits(value) {
            return Ok(bits);
        }
        let term = draft.value(self, value)?.term;
        let number = draft.terms.value(term).cloned();
        let pattern = number.map(|n| modulo_power_of_two(&n, u32::from(scalar.width())));
        pattern
            .and_then(|n| Bits::try_from(&n).ok())
            .ok_or_else(|| NotEncoded::Memory("an initial value that is no constant".into()))
    }

    /// Spreads the bytes of a variable over its classes.
    fn place_image(
        &mut self,
        draft: &mut Draft<'_>,
        var: VarId,
        image: &Image,
        elements: &mut BTreeMap<ClassId, Vec<(u64, Bits)>>,
    ) {
        let object = Object::Variable(var);
        let size = self.program.types.size(self.program.vars[var].ty);
        let base = self.layout.variable(var);
        let bits_at = |at: u64, size: u64| {
            (0..size).rev().fold(0, |bits: Bits, position| {
                bits << 8 | Bits::from(image.get(&(at + position)).copied().unwrap_or(0))
            })
        };
        for class in self.partition.of_object(object).to_vec() {
            let cell = self.cell(draft, class);
            let held = self.partition.class(class);
            let width = if held.form == Form::Bytes { 1 } else { held.spots[0].size };
            if held.form == Form::Cell {
                let Offset::Exact(at) = held.spots[0].offset else { continue };
                let bits = bits_at(at, width);
                let value = constant(draft.terms, draft.theory, cell.scalar, bits);
                let value = match (draft.theory, draft.terms.value(value)) {
                    (Theory::Int, Some(number)) => {
                        Operand::int(value, Interval::point(number.clone()))
                    }
                    _ => Operand::bits(value),
                };
                draft.write_cell(&cell, &[], value);
            } else if self.starts_as_zero(class) {
                let offsets = self.given_offsets(class, object, image);
                let given = offsets.into_iter().map(|at| (base + at, bits_at(at, width)));
                elements.entry(class).or_default().extend(given.filter(|&(_, bits)| bits != 0));
            } else if let Some(offsets) = self.element_offsets(class, object, size) {
                let all = offsets.into_iter().map(|at| (base + at, bits_at(at, width)));
                elements.entry(class).or_default().extend(all);
            } else {
                let name = &self.program.vars[var].name;
                draft.approximated.push(format!("the initial contents of `{name}`"));
            }
        }
    }

    /// The offsets of the elements of a class with bytes that are given.
    fn given_offsets(&self, class: ClassId, object: Object, image: &Image) -> Vec<u64> {
        let class = self.partition.class(class);
        let mut offsets = std::collections::BTreeSet::new();
        for spot in class.spots.iter().filter(|spot| spot.object == object) {
            for &at in image.keys() {
                let begin = match spot.offset {
                    Offset::Exact(exact) => exact,
                    Offset::Modulo { remainder, modulus } => {
                        let into = (at % modulus + modulus - remainder % modulus) % modulus;
                        match at.checked_sub(into) {
                            Some(begin) => begin,
                            None => continue,
                        }
                    }
                };
                let inside = begin <= at && at - begin < spot.size;
                if class.form == Form::Bytes {
                    // Every byte is an element of its own; one more does no harm.
                    offsets.insert(at);
                } else if inside {
                    offsets.insert(begin);
                }
            }
        }
        offsets.into_iter().collect()
    }

    /// The unsigned pattern of a byte that is repeated over a number of bytes.
    pub(super) fn repeated_byte(
        &self,
        draft: &mut Draft<'_>,
        byte: &Operand,
        size: u64,
    ) -> Operand {
        match draft.theory {
            Theory::Int => {
                let ones = (0..size).fold(0u128, |ones, _| ones << 8 | 1);
                let factor = crate::Integer::from(ones);
                let interval = byte.interval(raw(1)).mul(&Interval::point(factor.clone()));
                Operand::int(draft.terms.mul_by(factor, byte.term), interval)
            }
            Theory::Bits => {
                let mut all = byte.term;
                for _ in 1..size {
                    all = draft.terms.concat(byte.term, all);
                }
                Operand::bits(all)
            }
        }
    }
}
