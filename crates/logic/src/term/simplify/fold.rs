//! The operators of bit-vectors on constants, as SMT-LIB defines them.

use crate::Integer;
use crate::number::{modulo_power_of_two, power_of_two, to_signed, truncating_div_rem};
use crate::term::op::Op;

/// A bit-vector or a truth value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Folded {
    /// Bits, read unsigned; the width is that of the term.
    Bits(Integer),
    /// The outcome of a comparison.
    Truth(bool),
}

/// The result of `op` on constants with the widths they have; `None` for other operators.
pub(crate) fn fold_bitvec(op: Op, args: &[(&Integer, u32)]) -> Option<Folded> {
    let (&(a, width), rest) = args.split_first()?;
    let bits = |value: Integer| Some(Folded::Bits(modulo_power_of_two(&value, width)));
    match op {
        Op::BvNot => return bits(-a - Integer::ONE),
        Op::BvNeg => return bits(-a),
        Op::Extract { high, low } => {
            return Some(Folded::Bits(modulo_power_of_two(&(a >> low as usize), high - low + 1)));
        }
        Op::ZeroExtend(_) => return Some(Folded::Bits(a.clone())),
        Op::SignExtend(by) => {
            return Some(Folded::Bits(modulo_power_of_two(&to_signed(a, width), width + by)));
        }
        _ => {}
    }
    let &[(b, b_width)] = rest else { return None };
    let (signed_a, signed_b) = (to_signed(a, width), to_signed(b, b_width));
    let zero = *b == Integer::ZERO;
    // Shifts by the width or more give the same as shifting bit by bit.
    let distance = || usize::try_from(b).unwrap_or(usize::MAX).min(width as usize);
    match op {
        Op::BvAnd => bits(a & b),
        Op::BvOr => bits(a | b),
        Op::BvXor => bits(a ^ b),
        Op::BvAdd => bits(a + b),
        Op::BvMul => bits(a * b),
        Op::BvUdiv if zero => bits(power_of_two(width) - Integer::ONE),
        Op::BvUdiv => bits(a / b),
        Op::BvUrem if zero => bits(a.clone()),
        Op::BvUrem => bits(a % b),
        Op::BvSdiv if zero => {
            bits(if signed_a < Integer::ZERO { Integer::ONE } else { -Integer::ONE })
        }
        Op::BvSdiv => bits(truncating_div_rem(&signed_a, &signed_b).0),
        Op::BvSrem if zero => bits(a.clone()),
        Op::BvSrem => bits(truncating_div_rem(&signed_a, &signed_b).1),
        Op::BvShl => bits(a << distance()),
        Op::BvLshr => bits(a >> distance()),
        Op::BvAshr => bits(signed_a >> distance()),
        Op::Concat => Some(Folded::Bits((a << b_width as usize) + b)),
        Op::BvUle => Some(Folded::Truth(a <= b)),
        Op::BvUlt => Some(Folded::Truth(a < b)),
        Op::BvSle => Some(Folded::Truth(signed_a <= signed_b)),
        Op::BvSlt => Some(Folded::Truth(signed_a < signed_b)),
        _ => None,
    }
}
