//! The types of the model: what a value is, in bits.
//!
//! These are not the types of C: ranks, qualifiers, enumerations and typedefs are gone, `long` and
//! `long long` of the same size are the same type, and the layout of every record is written down
//! (offsets in bytes and bits), so that nobody after the front end needs the rules of an ABI.

use hashbrown::HashTable;
use std::hash::BuildHasher;

use crate::arena::Arena;
use crate::ids;

ids! {
    /// A type in [`Types`]. Equal types have equal ids.
    TypeId "type";
    /// A struct or union in [`Types`].
    RecordId "record";
}

/// What the machine is like. All targets are little-endian with two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Target {
    /// `int`, `long` and pointers of 32 bits (`-m32`).
    Ilp32,
    /// `int` of 32, `long` and pointers of 64 bits (`-m64`).
    #[default]
    Lp64,
}

impl Target {
    /// The width of a pointer and of `size_t`.
    pub fn pointer_bits(self) -> u16 {
        match self {
            Target::Ilp32 => 32,
            Target::Lp64 => 64,
        }
    }

    /// The size of a pointer in bytes.
    pub fn pointer_size(self) -> u64 {
        u64::from(self.pointer_bits() / 8)
    }
}

/// The floating-point formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatKind {
    /// IEEE 754 binary16, `_Float16`.
    F16,
    /// IEEE 754 binary32, `float`.
    F32,
    /// IEEE 754 binary64, `double`.
    F64,
    /// x87 extended with 64 bits of mantissa, `long double`; ten bytes in 12 (ILP32) or 16 (LP64).
    X87,
    /// IEEE 754 binary128, `_Float128`.
    F128,
}

/// A type. Compare by [`TypeId`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value; also what `void *` points to.
    Void,
    /// `_Bool`: one byte that is 0 or 1; conversion to it asks "is it not zero".
    Bool,
    /// An integer of 8, 16, 32, 64 or 128 bits.
    Int {
        /// The width.
        bits: u16,
        /// Two's complement if signed.
        signed: bool,
    },
    /// A floating-point number.
    Float(FloatKind),
    /// A pointer to something of the type (which decides the stride of [`PtrAdd`], nothing else).
    ///
    /// [`PtrAdd`]: crate::expr::ExprKind::PtrAdd
    Pointer(TypeId),
    /// Elements one behind the other.
    Array {
        /// What the elements are.
        elem: TypeId,
        /// How many; 0 for flexible array members.
        len: u64,
    },
    /// A struct or union.
    Record(RecordId),
    /// A function; only behind a pointer or as the type of a function.
    Function(Signature),
}

/// Parameters and result of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// [`Type::Void`] if nothing is returned.
    pub result: TypeId,
    /// Types of the parameters, arrays and functions already decayed.
    pub params: Box<[TypeId]>,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// False for `f()` in the style of K&R: the parameters are not known.
    pub prototyped: bool,
}

/// Struct or union.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// Fields one behind the other.
    Struct,
    /// Fields in the same place.
    Union,
}

/// A struct or union with its layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Unique in the program. The user's tag is the part before the first `.`; nothing before
    /// it means that the record had no tag.
    pub name: String,
    /// Struct or union.
    pub kind: RecordKind,
    /// In the order of declaration; members of anonymous records are reached through the field of
    /// the anonymous record, whose name is empty. Bit-fields without a name are left out.
    pub fields: Vec<Field>,
    /// In bytes, with padding.
    pub size: u64,
    /// In bytes.
    pub align: u64,
    /// False if it was only declared: it has no objects, only pointers to it.
    pub complete: bool,
}

/// A member of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Empty for an anonymous record.
    pub name: String,
    /// The declared type, for a bit-field too.
    pub ty: TypeId,
    /// In bytes from the start of the record; for a bit-field the byte in which it begins.
    pub offset: u64,
    /// Set if this is a bit-field.
    pub bits: Option<BitField>,
}

/// The bits of a bit-field: `width` bits from bit `shift` of the byte at the field's offset on,
/// in little-endian order of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitField {
    /// 0 to 7.
    pub shift: u8,
    /// 1 to 128.
    pub width: u8,
}

/// All types of a program, each once.
#[derive(Clone, Debug)]
pub struct Types {
    target: Target,
    types: Arena<TypeId, Type>,
    records: Arena<RecordId, Record>,
    index: HashTable<TypeId>,
}

impl Types {
    /// The types that every program has, under fixed ids ([`Types::VOID`] and so on).
    pub fn new(target: Target) -> Self {
        let mut types =
            Self { target, types: Arena::new(), records: Arena::new(), index: HashTable::new() };
        let int = |bits, signed| Type::Int { bits, signed };
        for ty in [
            Type::Void,
            Type::Bool,
            int(8, true),
            int(8, false),
            int(16, true),
            int(16, false),
            int(32, true),
            int(32, false),
            int(64, true),
            int(64, false),
            int(128, true),
            int(128, false),
        ] {
            types.intern(ty);
        }
        types
    }

    /// No value.
    pub const VOID: TypeId = TypeId(0);
    /// `_Bool`.
    pub const BOOL: TypeId = TypeId(1);
    /// `signed char`, and `char`.
    pub const I8: TypeId = TypeId(2);
    /// `unsigned char`.
    pub const U8: TypeId = TypeId(3);
    /// `short`.
    pub const I16: TypeId = TypeId(4);
    /// `unsigned short`.
    pub const U16: TypeId = TypeId(5);
    /// `int`; the type of comparisons.
    pub const I32: TypeId = TypeId(6);
    /// `unsigned`.
    pub const U32: TypeId = TypeId(7);
    /// `long long`.
    pub const I64: TypeId = TypeId(8);
    /// `unsigned long long`.
    pub const U64: TypeId = TypeId(9);
    /// `__int128`.
    pub const I128: TypeId = TypeId(10);
    /// `unsigned __int128`.
    pub const U128: TypeId = TypeId(11);

    /// The machine that the layouts are for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        let hasher = rustc_hash::FxBuildHasher;
        let hash = hasher.hash_one(&ty);
        if let Some(id) = self.index.find(hash, |&id| self.types[id] == ty) {
            return *id;
        }
        let id = self.types.push(ty);
        self.index.insert_unique(hash, id, |&id| hasher.hash_one(&self.types[id]));
        id
    }

    /// The integer type of that width and signedness.
    pub fn int(&mut self, bits: u16, signed: bool) -> TypeId {
        self.intern(Type::Int { bits, signed })
    }

    /// The floating-point type.
    pub fn float(&mut self, kind: FloatKind) -> TypeId {
        self.intern(Type::Float(kind))
    }

    /// A pointer to `to`.
    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.intern(Type::Pointer(to))
    }

    /// An array of `len` elements.
    pub fn array(&mut self, elem: TypeId, len: u64) -> TypeId {
        self.intern(Type::Array { elem, len })
    }

    /// The unsigned integer type as wide as a pointer.
    pub fn size_type(&self) -> TypeId {
        match self.target {
            Target::Ilp32 => Self::U32,
            Target::Lp64 => Self::U64,
        }
    }

    /// The signed integer type as wide as a pointer: of differences of pointers.
    pub fn ptrdiff_type(&self) -> TypeId {
        match self.target {
            Target::Ilp32 => Self::I32,
            Target::Lp64 => Self::I64,
        }
    }

    /// Adds a record, complete or not, and its type.
    pub fn add_record(&mut self, record: Record) -> (RecordId, TypeId) {
        let id = self.records.push(record);
        (id, self.intern(Type::Record(id)))
    }

    /// The type.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// The record.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id]
    }

    /// The record, to complete it.
    pub fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id]
    }

    /// All records in order.
    pub fn records(&self) -> impl ExactSizeIterator<Item = (RecordId, &Record)> {
        self.records.iter_ids()
    }

    /// How many types there are; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Never: the basic types are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The record behind a type.
    pub fn as_record(&self, id: TypeId) -> Option<(RecordId, &Record)> {
        match *self.get(id) {
            Type::Record(r) => Some((r, self.record(r))),
            _ => None,
        }
    }

    /// What a pointer points to.
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match *self.get(id) {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }

    /// The signature of a function type.
    pub fn signature(&self, id: TypeId) -> Option<&Signature> {
        match self.get(id) {
            Type::Function(signature) => Some(signature),
            _ => None,
        }
    }

    /// The size in bytes; 1 for `void` and functions, as GNU C has it for pointer arithmetic.
    /// Sizes that do not fit are cut off at `u64::MAX`.
    pub fn size(&self, id: TypeId) -> u64 {
        match *self.get(id) {
            Type::Void | Type::Function(_) | Type::Bool => 1,
            Type::Int { bits, .. } => u64::from(bits / 8),
            Type::Float(kind) => self.float_size(kind),
            Type::Pointer(_) => self.target.pointer_size(),
            Type::Array { elem, len } => self.size(elem).saturating_mul(len),
            Type::Record(r) => self.record(r).size,
        }
    }

    /// The size in memory of a floating-point number.
    pub fn float_size(&self, kind: FloatKind) -> u64 {
        match (kind, self.target) {
            (FloatKind::F16, _) => 2,
            (FloatKind::F32, _) => 4,
            (FloatKind::F64, _) => 8,
            (FloatKind::X87, Target::Ilp32) => 12,
            (FloatKind::X87, Target::Lp64) | (FloatKind::F128, _) => 16,
        }
    }

    /// `(width, signed)` of what is computed with as an integer; `_Bool` counts as 8 bits unsigned.
    pub fn int_shape(&self, id: TypeId) -> Option<(u16, bool)> {
        match *self.get(id) {
            Type::Bool => Some((8, false)),
            Type::Int { bits, signed } => Some((bits, signed)),
            _ => None,
        }
    }

    /// Whether values of the type are numbers or pointers.
    pub fn is_scalar(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Pointer(_))
    }

    /// Whether it is a pointer.
    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Pointer(_))
    }

    /// Whether it is an integer or `_Bool`.
    pub fn is_integer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Bool | Type::Int { .. })
    }

    /// Whether it is a floating-point number.
    pub fn is_float(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Float(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_types_have_their_fixed_ids() {
        let mut types = Types::new(Target::Lp64);
        assert_eq!(types.int(32, true), Types::I32);
        assert_eq!(types.int(128, false), Types::U128);
        assert_eq!(types.intern(Type::Bool), Types::BOOL);
        assert_eq!(types.intern(Type::Void), Types::VOID);
    }

    #[test]
    fn equal_types_have_equal_ids() {
        let mut types = Types::new(Target::Ilp32);
        let a = types.pointer(Types::I32);
        let b = types.pointer(Types::I32);
        assert_eq!(a, b);
        assert_eq!(types.size(a), 4);
        let array = types.array(a, 10);
        assert_eq!(types.size(array), 40);
    }
}
