//! How the values of a scalar type are represented in each theory.
//!
//! | type | Int | Bits |
//! |---|---|---|
//! | integer of n bits | an integer in the type's range | n bits |
//! | `_Bool` | 0 or 1 | eight bits, 0 or 1 |
//! | pointer | an integer in the range of addresses | as many bits as an address has |
//! | floating point | an integer that names the bit pattern | a floating-point number |

use super::Theory;
use super::interval::Interval;
use crate::Integer;
use crate::term::{FloatSort, Op, Sort, Term, Terms};
use gnomon_ir::expr::Bits;
use gnomon_ir::ops::{Scalar, sign_extend, truncate};
use gnomon_ir::types::FloatKind;

/// The format of a floating-point type. The explicit leading bit of the x87 format is no part of
/// the value.
pub fn float_sort(kind: FloatKind) -> FloatSort {
    match kind {
        FloatKind::F16 => FloatSort { exponent: 5, significand: 11 },
        FloatKind::F32 => FloatSort::SINGLE,
        FloatKind::F64 => FloatSort::DOUBLE,
        FloatKind::X87 => FloatSort::EXTENDED,
        FloatKind::F128 => FloatSort::QUADRUPLE,
    }
}

/// The sort of a scalar type's values.
pub fn sort_of(theory: Theory, scalar: Scalar) -> Sort {
    match (theory, scalar) {
        (Theory::Int, _) => Sort::Int,
        (Theory::Bits, Scalar::Float(kind)) => Sort::Float(float_sort(kind)),
        (Theory::Bits, _) => Sort::BitVec(u32::from(scalar.width())),
    }
}

/// The integers that represent values of the type in the theory Int.
pub fn range_of(scalar: Scalar) -> Interval {
    match scalar {
        Scalar::Bool => Interval::new(0, 1),
        Scalar::Int { bits, signed } => Interval::of_int(u32::from(bits), signed),
        Scalar::Float(_) => Interval::of_int(u32::from(scalar.width()), false),
    }
}

/// Whether values have a sign bit that counts.
pub fn is_signed(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Int { signed: true, .. })
}

/// The integer that represents a bit pattern in the theory Int.
pub fn integer_of(scalar: Scalar, bits: Bits) -> Integer {
    if is_signed(scalar) {
        Integer::from(sign_extend(bits, scalar.width()))
    } else {
        Integer::from(truncate(bits, scalar.width()))
    }
}

/// The term of a constant.
pub fn constant(terms: &mut Terms, theory: Theory, scalar: Scalar, bits: Bits) -> Term {
    match (theory, scalar) {
        (Theory::Int, _) => terms.int(integer_of(scalar, bits)),
        (Theory::Bits, Scalar::Float(kind)) => {
            let sort = float_sort(kind);
            let pattern = interchange_bits(kind, bits);
            let pattern = terms.bv(Integer::from(pattern), sort.width());
            terms.make(Op::FloatFromBits(sort), &[pattern])
        }
        (Theory::Bits, _) => terms.bv(Integer::from(bits), u32::from(scalar.width())),
    }
}

/// The pattern of the IEEE interchange format for the pattern in memory.
pub fn interchange_bits(kind: FloatKind, bits: Bits) -> Bits {
    match kind {
        // Sign and exponent, then the explicit leading bit, then 63 bits of fraction.
        FloatKind::X87 => {
            let fraction = bits & ((1 << 63) - 1);
            let sign_and_exponent = (bits >> 64) & 0xffff;
            (sign_and_exponent << 63) | fraction
        }
        _ => bits,
    }
}

/// What is true of every value of the type; truth where the sort says it all.
pub fn range_fact(terms: &mut Terms, theory: Theory, scalar: Scalar, value: Term) -> Term {
    match (theory, scalar) {
        (Theory::Int, _) => within(terms, value, &range_of(scalar)),
        (Theory::Bits, Scalar::Bool) => {
            let one = terms.bv(1, 8);
            terms.bv_ule(value, one)
        }
        (Theory::Bits, _) => terms.tt(),
    }
}

/// `low <= value <= high`.
pub fn within(terms: &mut Terms, value: Term, interval: &Interval) -> Term {
    let (low, high) = (terms.int(interval.low.clone()), terms.int(interval.high.clone()));
    let (above, below) = (terms.le(low, value), terms.le(value, high));
    terms.and2(above, below)
}
