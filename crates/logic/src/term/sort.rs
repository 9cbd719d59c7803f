//! Sorts: what a term ranges over.
//!
//! A [`Sort`] is `Copy`; the index and element sorts of an array live in the arena behind an
//! [`ArraySort`], so that arrays of arrays stay one word.

/// Format of a binary floating-point number in the sense of IEEE 754 and SMT-LIB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FloatSort {
    /// Number of bits of the exponent.
    pub exponent: u32,
    /// Number of bits of the significand, the hidden one included.
    pub significand: u32,
}

impl FloatSort {
    /// C's `float`.
    pub const SINGLE: Self = Self { exponent: 8, significand: 24 };
    /// C's `double`.
    pub const DOUBLE: Self = Self { exponent: 11, significand: 53 };
    /// The value range of x86's 80-bit `long double` (the stored integer bit is not a value bit).
    pub const EXTENDED: Self = Self { exponent: 15, significand: 64 };
    /// 128-bit `long double`.
    pub const QUADRUPLE: Self = Self { exponent: 15, significand: 113 };

    /// Bits of the interchange format.
    pub fn width(self) -> u32 {
        self.exponent + self.significand
    }
}

/// Names an array sort in the arena that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArraySort(pub(super) u32);

/// What a term ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Mathematical integers.
    Int,
    /// Bit-vectors of a positive width.
    BitVec(u32),
    /// Floating-point numbers.
    Float(FloatSort),
    /// Arrays; see [`Terms::array_sort`](super::Terms::array_sort).
    Array(ArraySort),
}
