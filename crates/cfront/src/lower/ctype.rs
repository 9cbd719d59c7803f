//! The types of C, with what the model's types no longer have: ranks, qualifiers, enumerations,
//! arrays of unknown or variable length.
//!
//! A [`QType`] is an interned [`CType`] with qualifiers and, where an attribute asked for it, an
//! alignment of its own. Records and enumerations are nominal: they live in arenas and are compared
//! by id.

use std::hash::BuildHasher;

use gnomon_ir::arena::Arena;
use gnomon_ir::expr::ExprId;
use gnomon_ir::ids;
use gnomon_ir::types as ir;
use hashbrown::HashTable;

use crate::ast::Quals;
use crate::symbol::Symbol;

ids! {
    /// An interned [`CType`].
    CTypeId "ctype";
    /// A struct or union.
    CRecordId "crecord";
    /// An enumeration.
    CEnumId "cenum";
    /// The number of elements of an array of variable length, see [`CTypes::vla_lengths`].
    VlaId "vla";
}

/// A type with qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct QType {
    /// The type.
    pub id: CTypeId,
    /// The qualifiers.
    pub quals: Quals,
    /// Binary logarithm of the alignment that an attribute gave it, plus one; 0 if none did.
    align: u8,
}

impl QType {
    /// Without qualifiers.
    pub const fn plain(id: CTypeId) -> Self {
        Self { id, quals: Quals::NONE, align: 0 }
    }

    /// With more qualifiers.
    pub fn with(mut self, quals: Quals) -> Self {
        self.quals.insert(quals);
        self
    }

    /// Without qualifiers and alignment: the type of a value.
    pub fn unqualified(self) -> Self {
        Self::plain(self.id)
    }

    /// With an alignment in bytes, a power of two.
    pub fn aligned(mut self, bytes: u64) -> Self {
        self.align = bytes.trailing_zeros() as u8 + 1;
        self
    }

    /// The alignment that an attribute asked for.
    pub fn user_align(self) -> Option<u64> {
        self.align.checked_sub(1).map(|log| 1 << log)
    }
}

/// The integer types, in the order of their ranks, signed before unsigned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum IntKind {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
}

impl IntKind {
    /// Width in bits.
    pub fn bits(self, target: ir::Target) -> u16 {
        match self {
            Self::Char | Self::SChar | Self::UChar => 8,
            Self::Short | Self::UShort => 16,
            Self::Int | Self::UInt => 32,
            Self::Long | Self::ULong => target.pointer_bits(),
            Self::LongLong | Self::ULongLong => 64,
            Self::Int128 | Self::UInt128 => 128,
        }
    }

    /// `char` is signed on our targets.
    pub fn signed(self) -> bool {
        matches!(
            self,
            Self::Char
                | Self::SChar
                | Self::Short
                | Self::Int
                | Self::Long
                | Self::LongLong
                | Self::Int128
        )
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> Self {
        match self {
            Self::Char | Self::SChar => Self::UChar,
            Self::Short => Self::UShort,
            Self::Int => Self::UInt,
            Self::Long => Self::ULong,
            Self::LongLong => Self::ULongLong,
            Self::Int128 => Self::UInt128,
            unsigned => unsigned,
        }
    }

    /// Conversion rank (C17 6.3.1.1).
    pub fn rank(self) -> u8 {
        match self {
            Self::Char | Self::SChar | Self::UChar => 1,
            Self::Short | Self::UShort => 2,
            Self::Int | Self::UInt => 3,
            Self::Long | Self::ULong => 4,
            Self::LongLong | Self::ULongLong => 5,
            Self::Int128 | Self::UInt128 => 6,
        }
    }

    /// As the user writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Char => "char",
            Self::SChar => "signed char",
            Self::UChar => "unsigned char",
            Self::Short => "short",
            Self::UShort => "unsigned short",
            Self::Int => "int",
            Self::UInt => "unsigned int",
            Self::Long => "long",
            Self::ULong => "unsigned long",
            Self::LongLong => "long long",
            Self::ULongLong => "unsigned long long",
            Self::Int128 => "__int128",
            Self::UInt128 => "unsigned __int128",
        }
    }
}

/// The floating-point types, in the order of the usual arithmetic conversions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum FloatType {
    Float16,
    Float,
    Float32,
    Double,
    Float64,
    Float32x,
    LongDouble,
    Float64x,
    Float128,
}

impl FloatType {
    /// The format.
    pub fn kind(self) -> ir::FloatKind {
        match self {
            Self::Float16 => ir::FloatKind::F16,
            Self::Float | Self::Float32 => ir::FloatKind::F32,
            Self::Double | Self::Float64 | Self::Float32x => ir::FloatKind::F64,
            Self::LongDouble | Self::Float64x => ir::FloatKind::X87,
            Self::Float128 => ir::FloatKind::F128,
        }
    }

    /// As the user writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float16 => "_Float16",
            Self::Float => "float",
            Self::Float32 => "_Float32",
            Self::Double => "double",
            Self::Float64 => "_Float64",
            Self::Float32x => "_Float32x",
            Self::LongDouble => "long double",
            Self::Float64x => "_Float64x",
            Self::Float128 => "_Float128",
        }
    }
}

/// The number of elements of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArrayLen {
    /// Not known (yet): `[]`.
    Unknown,
    /// Known.
    Fixed(u64),
    /// Computed when the declaration is reached.
    Variable(VlaId),
    /// `[*]` in a prototype, or a variable length where nothing is evaluated.
    Star,
}

/// A function type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FuncType {
    /// The type of the result.
    pub result: QType,
    /// Types of the parameters after decay.
    pub params: Box<[QType]>,
    /// Ends in `...`.
    pub variadic: bool,
    /// False for `()` and old-style definitions.
    pub prototyped: bool,
}

/// A type of C without qualifiers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum CType {
    Void,
    Bool,
    Int(IntKind),
    Float(FloatType),
    /// A bit-field as an expression: the type it was declared with, and its width. No object has
    /// this type; gcc computes in it if it is wider than `int`.
    Bits(IntKind, u8),
    Enum(CEnumId),
    Pointer(QType),
    Array(QType, ArrayLen),
    Function(FuncType),
    Record(CRecordId),
}

/// A member of a record.
#[derive(Clone, Debug)]
pub struct CField {
    /// None for an anonymous record.
    pub name: Option<Symbol>,
    /// The declared type.
    pub ty: QType,
    /// In bytes; for a bit-field of the byte in which it begins.
    pub offset: u64,
    /// First bit in that byte and width.
    pub bits: Option<ir::BitField>,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct CRecord {
    /// The tag.
    pub tag: Option<Symbol>,
    /// Struct or union.
    pub kind: ir::RecordKind,
    /// Members with a name and anonymous records; parallel to the fields of the model's record.
    pub fields: Vec<CField>,
    /// In bytes.
    pub size: u64,
    /// In bytes.
    pub align: u64,
    /// Its members are known.
    pub complete: bool,
    /// Arguments of any member's type may be passed for a parameter of this type.
    pub transparent: bool,
    /// Some member is, or contains, something `const`.
    pub has_const: bool,
    /// The model's record.
    pub ir: ir::RecordId,
    /// The model's type.
    pub ir_type: ir::TypeId,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct CEnum {
    /// The tag.
    pub tag: Option<Symbol>,
    /// The integer type of its values.
    pub underlying: CTypeId,
    /// Its enumerators are known.
    pub complete: bool,
}

/// All C types of a translation unit.
#[derive(Debug)]
pub struct CTypes {
    target: ir::Target,
    types: Arena<CTypeId, CType>,
    index: HashTable<CTypeId>,
    /// Of how many pointers, arrays and functions each type is made.
    heights: Vec<u16>,
    /// The model's type of each type, once it was asked for.
    pub(super) ir_types: Vec<Option<ir::TypeId>>,
    /// Structs and unions.
    pub records: Arena<CRecordId, CRecord>,
    /// Enumerations.
    pub enums: Arena<CEnumId, CEnum>,
    /// For each array type of variable length the number of elements, of type `size_t`.
    pub vla_lengths: Arena<VlaId, ExprId>,
    /// What `va_list` is.
    pub va_list: QType,
}

macro_rules! basic {
    ($($name:ident = $index:literal, $ty:expr;)*) => {
        impl CTypes {
            $(#[allow(missing_docs, reason = "the names say it")]
            pub const $name: QType = QType::plain(CTypeId($index));)*
            const BASIC: &'static [CType] = &[$($ty),*];
        }
    };
}

basic! {
    VOID = 0, CType::Void;
    BOOL = 1, CType::Bool;
    CHAR = 2, CType::Int(IntKind::Char);
    UCHAR = 3, CType::Int(IntKind::UChar);
    USHORT = 4, CType::Int(IntKind::UShort);
    INT = 5, CType::Int(IntKind::Int);
    UINT = 6, CType::Int(IntKind::UInt);
    LONG = 7, CType::Int(IntKind::Long);
    ULONG = 8, CType::Int(IntKind::ULong);
    FLOAT = 9, CType::Float(FloatType::Float);
    DOUBLE = 10, CType::Float(FloatType::Double);
    LONG_DOUBLE = 11, CType::Float(FloatType::LongDouble);
}

impl CTypes {
    /// The basic types.
    pub fn new(target: ir::Target) -> Self {
        let mut types = Self {
            target,
            types: Arena::new(),
            index: HashTable::new(),
            heights: Vec::new(),
            ir_types: Vec::new(),
            records: Arena::new(),
            enums: Arena::new(),
            vla_lengths: Arena::new(),
            va_list: Self::VOID,
        };
        for ty in Self::BASIC {
            types.intern(ty.clone());
        }
        types
    }

    /// The machine.
    pub fn target(&self) -> ir::Target {
        self.target
    }

    /// The id of a type.
    pub fn intern(&mut self, ty: CType) -> CTypeId {
        let hasher = rustc_hash::FxBuildHasher;
        let hash = hasher.hash_one(&ty);
        if let Some(id) = self.index.find(hash, |&id| self.types[id] == ty) {
            return *id;
        }
        let height = self.height_of(&ty);
        let id = self.types.push(ty);
        self.heights.push(height);
        self.ir_types.push(None);
        self.index.insert_unique(hash, id, |&id| hasher.hash_one(&self.types[id]));
        id
    }

    fn height_of(&self, ty: &CType) -> u16 {
        let below = match ty {
            CType::Pointer(to) | CType::Array(to, _) => self.height(*to),
            CType::Function(f) => {
                let params = f.params.iter().map(|&p| self.height(p)).max();
                self.height(f.result).max(params.unwrap_or(0))
            }
            _ => return 0,
        };
        below.saturating_add(1)
    }

    /// Of how many pointers, arrays and functions the type is made.
    pub fn height(&self, ty: QType) -> u16 {
        self.heights[ty.id.0 as usize]
    }

    /// The type without its qualifiers.
    pub fn get(&self, ty: QType) -> &CType {
        &self.types[ty.id]
    }

    /// A type without qualifiers.
    pub fn plain(&mut self, ty: CType) -> QType {
        QType::plain(self.intern(ty))
    }

    /// An integer type.
    pub fn int(&mut self, kind: IntKind) -> QType {
        self.plain(CType::Int(kind))
    }

    /// A pointer to `to`.
    pub fn pointer(&mut self, to: QType) -> QType {
        self.plain(CType::Pointer(to))
    }

    /// `size_t`.
    pub fn size_t(&mut self) -> QType {
        match self.target {
            ir::Target::Ilp32 => Self::UINT,
            ir::Target::Lp64 => Self::ULONG,
        }
    }

    /// `wchar_t`.
    pub fn wchar_t(&self) -> QType {
        match self.target {
            ir::Target::Ilp32 => Self::LONG,
            ir::Target::Lp64 => Self::INT,
        }
    }

    /// `ptrdiff_t`.
    pub fn ptrdiff_t(&mut self) -> QType {
        match self.target {
            ir::Target::Ilp32 => Self::INT,
            ir::Target::Lp64 => Self::LONG,
        }
    }

    /// What the pointer points to.
    pub fn pointee(&self, ty: QType) -> Option<QType> {
        match *self.get(ty) {
            CType::Pointer(to) => Some(to),
            _ => None,
        }
    }

    /// The elements of the array; with the array's own qualifiers.
    pub fn element(&self, ty: QType) -> Option<(QType, ArrayLen)> {
        match *self.get(ty) {
            CType::Array(elem, len) => Some((elem.with(ty.quals), len)),
            _ => None,
        }
    }

    /// The record.
    pub fn record(&self, ty: QType) -> Option<(CRecordId, &CRecord)> {
        match *self.get(ty) {
            CType::Record(id) => Some((id, &self.records[id])),
            _ => None,
        }
    }

    /// The function type.
    pub fn function(&self, ty: QType) -> Option<&FuncType> {
        match self.get(ty) {
            CType::Function(f) => Some(f),
            _ => None,
        }
    }

    /// The integer type of an integer, `_Bool` or enumeration; `_Bool` counts as `unsigned char`.
    pub fn int_kind(&self, ty: QType) -> Option<IntKind> {
        match *self.get(ty) {
            CType::Int(kind) | CType::Bits(kind, _) => Some(kind),
            CType::Bool => Some(IntKind::UChar),
            CType::Enum(id) => match self.types[self.enums[id].underlying] {
                CType::Int(kind) => Some(kind),
                _ => Some(IntKind::UChar),
            },
            _ => None,
        }
    }

    /// Integers, `_Bool`, enumerations.
    pub fn is_integer(&self, ty: QType) -> bool {
        matches!(self.get(ty), CType::Int(_) | CType::Bits(..) | CType::Bool | CType::Enum(_))
    }

    /// Integers and floating point.
    pub fn is_arithmetic(&self, ty: QType) -> bool {
        self.is_integer(ty) || self.is_float(ty)
    }

    /// Floating point.
    pub fn is_float(&self, ty: QType) -> bool {
        matches!(self.get(ty), CType::Float(_))
    }

    /// Pointers.
    pub fn is_pointer(&self, ty: QType) -> bool {
        matches!(self.get(ty), CType::Pointer(_))
    }

    /// Arithmetic types and pointers.
    pub fn is_scalar(&self, ty: QType) -> bool {
        self.is_arithmetic(ty) || self.is_pointer(ty)
    }

    /// `void`.
    pub fn is_void(&self, ty: QType) -> bool {
        matches!(self.get(ty), CType::Void)
    }

    /// Structs and unions.
    pub fn is_record(&self, ty: QType) -> bool {
        matches!(self.get(ty), CType::Record(_))
    }

    /// Functions.
    pub fn is_function(&self, ty: QType) -> bool {
        matches!(self.get(ty), CType::Function(_))
    }

    /// Arrays.
    pub fn is_array(&self, ty: QType) -> bool {
        matches!(self.get(ty), CType::Array(..))
    }

    /// An array whose size is computed when the program runs.
    pub fn is_vla(&self, ty: QType) -> bool {
        match *self.get(ty) {
            CType::Array(_, ArrayLen::Variable(_) | ArrayLen::Star) => true,
            CType::Array(elem, _) => self.is_vla(elem),
            _ => false,
        }
    }

    /// Contains an array of variable length anywhere: `int (*)[n]` too.
    pub fn is_variably_modified(&self, ty: QType) -> bool {
        match self.get(ty) {
            CType::Array(elem, len) => {
                matches!(len, ArrayLen::Variable(_) | ArrayLen::Star)
                    || self.is_variably_modified(*elem)
            }
            CType::Pointer(to) => self.is_variably_modified(*to),
            CType::Function(f) => self.is_variably_modified(f.result),
            _ => false,
        }
    }

    /// Its size is known when it is needed: not `void`, a function, or something incomplete.
    pub fn is_complete(&self, ty: QType) -> bool {
        match *self.get(ty) {
            CType::Void | CType::Function(_) => false,
            CType::Array(elem, len) => len != ArrayLen::Unknown && self.is_complete(elem),
            CType::Record(id) => self.records[id].complete,
            CType::Enum(id) => self.enums[id].complete,
            _ => true,
        }
    }

    /// The size in bytes, if it is a constant; 1 for `void` and functions as GNU C has it.
    pub fn size(&self, ty: QType) -> Option<u64> {
        let target = self.target;
        Some(match *self.get(ty) {
            CType::Void | CType::Function(_) | CType::Bool => 1,
            CType::Int(kind) => u64::from(kind.bits(target) / 8),
            CType::Bits(_, width) => u64::from(width).div_ceil(8).next_power_of_two(),
            CType::Float(float) => match (float.kind(), target) {
                (ir::FloatKind::F16, _) => 2,
                (ir::FloatKind::F32, _) => 4,
                (ir::FloatKind::F64, _) => 8,
                (ir::FloatKind::X87, ir::Target::Ilp32) => 12,
                (ir::FloatKind::X87, ir::Target::Lp64) | (ir::FloatKind::F128, _) => 16,
            },
            CType::Enum(id) => return self.size(QType::plain(self.enums[id].underlying)),
            CType::Pointer(_) => target.pointer_size(),
            CType::Array(elem, ArrayLen::Fixed(len)) => self.size(elem)?.checked_mul(len)?,
            CType::Array(..) => return None,
            CType::Record(id) => self.records[id].complete.then_some(self.records[id].size)?,
        })
    }

    /// The alignment in bytes of an object of the type. On ILP32 `double` and `long long` are
    /// aligned to 4 as members and to 8 elsewhere; `member` says which is meant.
    pub fn align(&self, ty: QType, member: bool) -> u64 {
        if let Some(align) = ty.user_align() {
            return align;
        }
        let ilp32 = self.target == ir::Target::Ilp32;
        match *self.get(ty) {
            CType::Void | CType::Function(_) | CType::Bool => 1,
            CType::Int(kind) | CType::Bits(kind, _) => {
                let size = u64::from(kind.bits(self.target) / 8);
                if ilp32 && member { size.min(4) } else { size }
            }
            CType::Float(float) => match float.kind() {
                ir::FloatKind::F16 => 2,
                ir::FloatKind::F32 => 4,
                ir::FloatKind::F64 if ilp32 && member => 4,
                ir::FloatKind::F64 => 8,
                ir::FloatKind::X87 if ilp32 => 4,
                ir::FloatKind::X87 | ir::FloatKind::F128 => 16,
            },
            CType::Enum(id) => self.align(QType::plain(self.enums[id].underlying), member),
            CType::Pointer(_) => self.target.pointer_size(),
            CType::Array(elem, _) => self.align(elem, member),
            CType::Record(id) => self.records[id].align,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_types_have_their_ids() {
        let mut types = CTypes::new(ir::Target::Lp64);
        assert_eq!(types.int(IntKind::Int), CTypes::INT);
        assert_eq!(types.plain(CType::Float(FloatType::LongDouble)), CTypes::LONG_DOUBLE);
    }

    #[test]
    fn double_in_a_record_is_less_aligned_on_ilp32() {
        let types = CTypes::new(ir::Target::Ilp32);
        assert_eq!(types.align(CTypes::DOUBLE, true), 4);
        assert_eq!(types.align(CTypes::DOUBLE, false), 8);
        assert_eq!(types.size(CTypes::LONG_DOUBLE), Some(12));
    }
}
