//! Objects behind the pointers that the entry function is called with, as a counterexample has them.
//!
//! Formulas know one object of the environment in which all such pointers lie. The run gets an
//! object of its own for each pointer, of the type that the pointer is to, filled with what the
//! model of the formulas has there at the start; pointers in it lead to further objects. Where
//! the model needs two pointers into one object, the run will do something else, and is then no
//! counterexample.

use gnomon_ir::program::Program;
use gnomon_ir::trace::ArgumentValue;
use gnomon_ir::types::{RecordKind, Type, TypeId};
use gnomon_logic::{Term, Terms};

/// So many scalars are read for one argument.
pub(crate) const MOST_SCALARS: usize = 200;

/// Larger objects are not filled to their end.
const MOST_BYTES: u64 = 1 << 16;

/// Elements of an array that are read.
const MOST_ELEMENTS: u64 = 16;

/// An object of the environment, or null.
#[derive(Clone, Debug)]
pub(crate) struct OutsideObject {
    /// Where it is.
    address: Term,
    size: u64,
    /// Numbers in it: where, how many bytes, and which.
    scalars: Vec<(u64, u64, Term)>,
    /// Pointers in it, by where they are.
    pointers: Vec<(u64, OutsideObject)>,
}

impl OutsideObject {
    /// What formulas have at an address for an object of a type. `read` gives a scalar.
    pub(crate) fn read(
        program: &Program,
        terms: &mut Terms,
        read: &mut dyn FnMut(&mut Terms, Term, TypeId) -> Option<Term>,
        address: Term,
        ty: TypeId,
        left: &mut usize,
    ) -> Self {
        let mut places = Vec::new();
        scalars_of(program, ty, 0, &mut places);
        let mut size = program.types.size(ty).min(MOST_BYTES);
        if program.types.is_scalar(ty) && program.types.pointee(ty).is_none() {
            // Perhaps it is the first of an array.
            places = (0..MOST_ELEMENTS).map(|index| (index * size, ty)).collect();
            size *= MOST_ELEMENTS;
        }
        let mut object = Self { address, size, scalars: Vec::new(), pointers: Vec::new() };
        for (offset, ty) in places {
            if *left == 0 {
                break;
            }
            *left -= 1;
            let bits = terms.width(address);
            let distance = terms.bv(offset, bits);
            let at = terms.bv_add(address, distance);
            let Some(value) = read(terms, at, ty) else { continue };
            match program.types.pointee(ty) {
                Some(to) => {
                    let inner = Self::read(program, terms, read, value, to, left);
                    object.pointers.push((offset, inner));
                }
                None => object.scalars.push((offset, program.types.size(ty), value)),
            }
        }
        object
    }

    /// All terms whose values are needed.
    pub(crate) fn terms(&self, all: &mut Vec<Term>) {
        all.push(self.address);
        all.extend(self.scalars.iter().map(|(_, _, term)| *term));
        for (_, inner) in &self.pointers {
            inner.terms(all);
        }
    }

    /// The object with the values of a model.
    pub(crate) fn value(&self, bits: &dyn Fn(&Term) -> Option<u128>) -> ArgumentValue {
        if bits(&self.address).unwrap_or(0) == 0 {
            return ArgumentValue::Null;
        }
        let mut bytes = vec![0; self.size as usize];
        for &(offset, size, ref term) in &self.scalars {
            let value = bits(term).unwrap_or(0).to_le_bytes();
            for (position, byte) in value.iter().enumerate().take(size.min(16) as usize) {
                if let Some(there) = bytes.get_mut(offset as usize + position) {
                    *there = *byte;
                }
            }
        }
        let pointers = self.pointers.iter().map(|(offset, inner)| (*offset, inner.value(bits)));
        ArgumentValue::Object { bytes, pointers: pointers.collect() }
    }
}

/// The scalars of a type that are whole bytes, with their offsets; of a union its first member.
fn scalars_of(program: &Program, ty: TypeId, at: u64, found: &mut Vec<(u64, TypeId)>) {
    match *program.types.get(ty) {
        Type::Array { elem, len } => {
            let size = program.types.size(elem);
            for index in 0..len.min(MOST_ELEMENTS) {
                scalars_of(program, elem, at + index * size, found);
            }
        }
        Type::Record(record) => {
            let record = program.types.record(record);
            let members = match record.kind {
                RecordKind::Struct => record.fields.len(),
                RecordKind::Union => 1,
            };
            for field in record.fields.iter().take(members).filter(|f| f.bits.is_none()) {
                scalars_of(program, field.ty, at + field.offset, found);
            }
        }
        _ if program.types.is_scalar(ty) => found.push((at, ty)),
        _ => {}
    }
}
