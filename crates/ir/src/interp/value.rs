//! Values as the machine holds them: two machine words.
//!
//! A number is its bits, zero-extended, as in [`ops`](crate::ops): `lo` holds the low 64 and `hi`
//! the high ones, which are zero but for the wide types. A pointer is its address in `lo` and its
//! provenance, a packed [`ObjectRef`], in `hi`; the offset is the address minus the object's base.

use crate::expr::Bits;
use crate::ops::Scalar;
use crate::types::{FloatKind, Target, Type, TypeId, Types};

/// A number or a pointer. What it is, the [`Shape`] beside it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The low 64 bits of a number, the address of a pointer.
    pub lo: u64,
    /// The high 64 bits of a number, the provenance of a pointer.
    pub hi: u64,
}

impl Value {
    /// The number 0 and the null pointer.
    pub const ZERO: Value = Value { lo: 0, hi: 0 };

    /// A number of at most 64 bits.
    #[inline(always)]
    pub fn word(lo: u64) -> Self {
        Value { lo, hi: 0 }
    }

    /// A number of any width.
    pub fn bits(bits: Bits) -> Self {
        Value { lo: bits as u64, hi: (bits >> 64) as u64 }
    }

    /// The bits of a number. Not for pointers, whose high word is no part of their bits.
    pub fn to_bits(self) -> Bits {
        u128::from(self.hi) << 64 | u128::from(self.lo)
    }

    /// An `int` from its value.
    pub fn int(value: i32) -> Self {
        Value::word(u64::from(value as u32))
    }

    /// The value as an `int`.
    pub fn as_i32(self) -> i32 {
        self.lo as i32
    }

    /// A `double`.
    pub fn double(value: f64) -> Self {
        Value::word(value.to_bits())
    }
}

/// An object of one moment: which slot of the memory, and which of the objects that lived there
/// one after the other. Packed into a word; no object packs to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectRef {
    /// The slot.
    pub slot: u32,
    /// Counts the objects in the slot.
    pub generation: u32,
}

impl ObjectRef {
    /// As the high word of a pointer.
    #[inline(always)]
    pub fn pack(self) -> u64 {
        u64::from(self.generation) << 32 | (u64::from(self.slot) + 1)
    }

    /// The object of a pointer's high word; `None` if it is not known.
    #[inline(always)]
    pub fn unpack(word: u64) -> Option<Self> {
        let slot = (word as u32).checked_sub(1)?;
        Some(Self { slot, generation: (word >> 32) as u32 })
    }
}

/// The scalar types as the machine sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Shape {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    I128,
    U128,
    F16,
    F32,
    F64,
    X87,
    F128,
    /// A pointer of 32 bits.
    Ptr32,
    /// A pointer of 64 bits.
    Ptr64,
}

impl Shape {
    /// The shape of a scalar type.
    pub fn of(types: &Types, ty: TypeId) -> Option<Self> {
        Some(match *types.get(ty) {
            Type::Bool => Shape::Bool,
            Type::Int { bits, signed } => Shape::int(bits, signed),
            Type::Float(FloatKind::F16) => Shape::F16,
            Type::Float(FloatKind::F32) => Shape::F32,
            Type::Float(FloatKind::F64) => Shape::F64,
            Type::Float(FloatKind::X87) => Shape::X87,
            Type::Float(FloatKind::F128) => Shape::F128,
            Type::Pointer(_) => Shape::pointer(types.target()),
            Type::Void | Type::Array { .. } | Type::Record(_) | Type::Function(_) => return None,
        })
    }

    /// The pointers of a machine.
    pub fn pointer(target: Target) -> Self {
        match target {
            Target::Ilp32 => Shape::Ptr32,
            Target::Lp64 => Shape::Ptr64,
        }
    }

    /// The integers of a width.
    pub fn int(bits: u16, signed: bool) -> Self {
        match (bits, signed) {
            (8, true) => Shape::I8,
            (8, false) => Shape::U8,
            (16, true) => Shape::I16,
            (16, false) => Shape::U16,
            (32, true) => Shape::I32,
            (32, false) => Shape::U32,
            (64, true) => Shape::I64,
            (64, false) => Shape::U64,
            (_, true) => Shape::I128,
            (_, false) => Shape::U128,
        }
    }

    /// As operators see it.
    pub fn scalar(self) -> Scalar {
        let int = |bits, signed| Scalar::Int { bits, signed };
        match self {
            Shape::Bool => Scalar::Bool,
            Shape::I8 => int(8, true),
            Shape::U8 => int(8, false),
            Shape::I16 => int(16, true),
            Shape::U16 => int(16, false),
            Shape::I32 => int(32, true),
            Shape::U32 | Shape::Ptr32 => int(32, false),
            Shape::I64 => int(64, true),
            Shape::U64 | Shape::Ptr64 => int(64, false),
            Shape::I128 => int(128, true),
            Shape::U128 => int(128, false),
            Shape::F16 => Scalar::Float(FloatKind::F16),
            Shape::F32 => Scalar::Float(FloatKind::F32),
            Shape::F64 => Scalar::Float(FloatKind::F64),
            Shape::X87 => Scalar::Float(FloatKind::X87),
            Shape::F128 => Scalar::Float(FloatKind::F128),
        }
    }

    /// The number of bits that a value has.
    pub fn width(self) -> u16 {
        self.scalar().width()
    }

    /// The number of bytes that hold those bits; an x87 number has ten, whatever its padding.
    pub fn value_bytes(self) -> usize {
        usize::from(self.width() / 8)
    }

    /// Whether it is a pointer.
    pub fn is_pointer(self) -> bool {
        matches!(self, Shape::Ptr32 | Shape::Ptr64)
    }

    /// Whether it is a floating-point number.
    pub fn is_float(self) -> bool {
        matches!(self.scalar(), Scalar::Float(_))
    }

    /// Whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self.scalar(), Scalar::Int { signed: true, .. })
    }

    /// Whether a value may need more than 64 bits.
    pub fn is_wide(self) -> bool {
        matches!(self, Shape::I128 | Shape::U128 | Shape::X87 | Shape::F128)
    }

    /// The bits of a value: for a pointer those of its address.
    pub fn bits(self, value: Value) -> Bits {
        if self.is_wide() { value.to_bits() } else { u128::from(value.lo) }
    }

    /// The value with these bits; a pointer made so has no provenance.
    pub fn value(self, bits: Bits) -> Value {
        Value::bits(crate::ops::truncate(bits, self.width()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_survive_packing() {
        let reference = ObjectRef { slot: 7, generation: u32::MAX };
        assert_eq!(ObjectRef::unpack(reference.pack()), Some(reference));
        assert_eq!(ObjectRef::unpack(0), None);
    }
}
