//! Constants and string literals, decoded.

use crate::span::Span;
use crate::symbol::Symbol;

/// An integer constant. The type follows from value, base and suffix (C17 6.4.4.1) and is decided
/// by the lowering, which knows the widths.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntLit {
    /// The value; constants of more than 128 bits are an error of the parser.
    pub value: u128,
    /// Spelled in this base: decimal constants never become unsigned by themselves.
    pub base: IntBase,
    /// The suffix.
    pub suffix: IntSuffix,
    /// GNU imaginary constant (`1i`), which has a complex type.
    pub imaginary: bool,
}

/// The base in which an integer constant is spelled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntBase {
    /// `0b1010`.
    Binary,
    /// `017` or `0`.
    Octal,
    /// `42`.
    Decimal,
    /// `0x2a`.
    Hexadecimal,
}

/// The suffix of an integer constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntSuffix {
    /// `u` or `U` is present.
    pub unsigned: bool,
    /// The length part.
    pub length: IntLength,
}

/// The length part of an integer suffix.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntLength {
    /// No length suffix.
    None,
    /// `l`.
    Long,
    /// `ll`.
    LongLong,
    /// C23 `wb`, for `_BitInt`.
    BitInt,
}

/// A floating constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatLit {
    /// Digits and exponent as spelled, without suffix and digit separators: `1.5e3`, `0x1.8p1`.
    pub text: Symbol,
    /// The suffix, which decides the type.
    pub suffix: FloatSuffix,
    /// GNU imaginary constant (`1.0i`), which has a complex type.
    pub imaginary: bool,
}

/// The suffix of a floating constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatSuffix {
    /// No suffix: `double`.
    None,
    /// `f`: `float`.
    F,
    /// `l`: `long double`.
    L,
    /// `q`: `__float128`.
    Q,
    /// `w`: `__float80`.
    W,
    /// `f16`: `_Float16`.
    F16,
    /// `f32`: `_Float32`.
    F32,
    /// `f64`: `_Float64`.
    F64,
    /// `f128`: `_Float128`.
    F128,
    /// `f32x`: `_Float32x`.
    F32x,
    /// `f64x`: `_Float64x`.
    F64x,
    /// `df`: `_Decimal32`.
    D32,
    /// `dd`: `_Decimal64`.
    D64,
    /// `dl`: `_Decimal128`.
    D128,
}

/// The prefix of a character constant or string literal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Encoding {
    /// No prefix: units of type `char`; characters are constants of type `int`.
    Plain,
    /// `u8`: units of type `char` (strings), constants of type `unsigned char` (characters).
    Utf8,
    /// `L`: units of type `wchar_t` (`int` on our targets).
    Wide,
    /// `u`: units of type `char16_t` (`unsigned short`).
    Utf16,
    /// `U`: units of type `char32_t` (`unsigned int`).
    Utf32,
}

/// A character constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CharLit {
    /// The value as gcc computes it. Plain: an `int`, with a single `char` sign-extended and
    /// several packed big-endian (`'ab'` is `0x6162`). Others: the code unit, where a `char32_t`
    /// above `0x7fffffff` has wrapped to a negative number.
    pub value: i32,
    /// The prefix.
    pub encoding: Encoding,
}

/// A string literal after joining adjacent ones; its units are read with
/// [`super::Ast::string_units`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StringLit {
    pub(super) start: u32,
    pub(super) len: u32,
    /// From the first quote or prefix to the last quote.
    pub span: Span,
    /// The prefix of the joined literal.
    pub encoding: Encoding,
}

/// The code units of a string literal, without a terminating zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StringUnits<'a> {
    /// Bytes of a plain or `u8` string.
    Narrow(&'a [u8]),
    /// Units of an `L`, `u` or `U` string; those of a `u` string are below `0x10000`.
    Wide(&'a [u32]),
}

impl StringUnits<'_> {
    /// Number of units, without the terminating zero.
    pub fn len(&self) -> usize {
        match self {
            StringUnits::Narrow(units) => units.len(),
            StringUnits::Wide(units) => units.len(),
        }
    }

    /// Whether there are no units.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl super::Ast {
    /// Stores the bytes of a plain or `u8` string.
    pub(crate) fn push_narrow_string(
        &mut self,
        encoding: Encoding,
        units: &[u8],
        span: Span,
    ) -> super::StringId {
        let start = self.narrow_units.len() as u32;
        self.narrow_units.extend_from_slice(units);
        self.push(StringLit { start, len: units.len() as u32, span, encoding })
    }

    /// Stores the units of an `L`, `u` or `U` string.
    pub(crate) fn push_wide_string(
        &mut self,
        encoding: Encoding,
        units: &[u32],
        span: Span,
    ) -> super::StringId {
        let start = self.wide_units.len() as u32;
        self.wide_units.extend_from_slice(units);
        self.push(StringLit { start, len: units.len() as u32, span, encoding })
    }
}
