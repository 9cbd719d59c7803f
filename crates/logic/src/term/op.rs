//! The operators of terms.
//!
//! The set is small on purpose: what SMT-LIB offers twice is offered once here (`>=`, `distinct`,
//! `=>`, integer subtraction, strict integer comparison are constructors that build the others), so
//! that equal meanings have fewer different terms. Floating-point operators round to nearest, ties
//! to even, as C does by default; conversions to integers truncate; only rounding to an integer says
//! how ([`Rounding`]).

use super::sort::{ArraySort, FloatSort};
use super::symbol::{Function, Symbol};

/// Names an interned number in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstantId(pub(super) u32);

/// How a number that lies between two others is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rounding {
    /// To the nearest, of two to the even one.
    NearestEven,
    /// To the nearest, of two to that of larger magnitude.
    NearestAway,
    /// To that of smaller magnitude.
    TowardZero,
    /// To the larger one.
    Up,
    /// To the smaller one.
    Down,
}

/// The operator of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// Truth.
    True,
    /// Falsity.
    False,
    /// An integer constant.
    Int(ConstantId),
    /// A bit-vector constant, between 0 and 2^width - 1.
    BitVec(ConstantId),
    /// A variable, perhaps at a place of a path.
    Symbol(Symbol),
    /// Application of an uninterpreted function.
    Apply(Function),

    /// Negation.
    Not,
    /// Conjunction of two or more.
    And,
    /// Disjunction of two or more.
    Or,
    /// If, then, else; of any sort.
    Ite,
    /// Equality of two terms of one sort (on Booleans: equivalence).
    Eq,

    /// Integer sum of two or more.
    Add,
    /// Integer product of two.
    Mul,
    /// Integer comparison `<=`.
    Le,
    /// Integer division of SMT-LIB (remainder never negative).
    Div,
    /// Integer remainder of SMT-LIB (never negative).
    Mod,

    /// Bitwise complement.
    BvNot,
    /// Two's complement negation.
    BvNeg,
    /// Bitwise and.
    BvAnd,
    /// Bitwise or.
    BvOr,
    /// Bitwise exclusive or.
    BvXor,
    /// Sum modulo 2^n.
    BvAdd,
    /// Product modulo 2^n.
    BvMul,
    /// Unsigned division (by zero: all ones).
    BvUdiv,
    /// Unsigned remainder (by zero: the dividend).
    BvUrem,
    /// Signed division, truncating.
    BvSdiv,
    /// Signed remainder, sign of the dividend.
    BvSrem,
    /// Left shift.
    BvShl,
    /// Logical right shift.
    BvLshr,
    /// Arithmetic right shift.
    BvAshr,
    /// Unsigned `<=`.
    BvUle,
    /// Unsigned `<`.
    BvUlt,
    /// Signed `<=`.
    BvSle,
    /// Signed `<`.
    BvSlt,
    /// Concatenation; the first argument holds the high bits.
    Concat,
    /// The bits from `high` down to `low`, both included.
    Extract {
        /// Highest bit taken.
        high: u32,
        /// Lowest bit taken.
        low: u32,
    },
    /// So many zero bits in front.
    ZeroExtend(u32),
    /// So many copies of the sign bit in front.
    SignExtend(u32),

    /// Array read.
    Select,
    /// Array write.
    Store,
    /// The array that holds its argument everywhere.
    ConstArray(ArraySort),

    /// The number with this bit pattern.
    FloatFromBits(FloatSort),
    /// Sum.
    FloatAdd,
    /// Difference.
    FloatSub,
    /// Product.
    FloatMul,
    /// Quotient.
    FloatDiv,
    /// Change of sign.
    FloatNeg,
    /// Absolute value.
    FloatAbs,
    /// Square root.
    FloatSqrt,
    /// The product of the first two and the third, rounded once.
    FloatFma,
    /// The remainder of IEEE 754: of the nearest whole multiple of the divisor.
    FloatRem,
    /// The nearest integer in a direction, as a number of the format.
    FloatRound(Rounding),
    /// IEEE equality (`NaN` is equal to nothing, the zeros are equal).
    FloatEq,
    /// IEEE `<`.
    FloatLt,
    /// IEEE `<=`.
    FloatLe,
    /// Whether it is not a number.
    FloatIsNan,
    /// Whether it is an infinity.
    FloatIsInfinite,
    /// Conversion between formats.
    FloatConvert(FloatSort),
    /// From a signed bit-vector.
    FloatFromSigned(FloatSort),
    /// From an unsigned bit-vector.
    FloatFromUnsigned(FloatSort),
    /// To a signed bit-vector of this width, truncating; unspecified outside its range.
    FloatToSigned(u32),
    /// To an unsigned bit-vector of this width, truncating; unspecified outside its range.
    FloatToUnsigned(u32),
}
