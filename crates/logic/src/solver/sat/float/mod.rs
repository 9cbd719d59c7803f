//! Floating-point numbers of IEEE 754 as circuits, for every format.
//!
//! A number is the word of its interchange format: fraction, exponent, sign, lowest bit first; what
//! is not a number has one word only ([`canonical`]), so that equality of terms is equality of
//! words. The operations follow symfpu (Brain, Schanda and Sun, Building Better Bit-Blasting for
//! Floating-Point Problems, TACAS 2019): operands are unpacked with a leading one ([`unpacked`]),
//! the operation is exact as far as rounding can see (one guard bit, the rest in a sticky bit), and
//! one rounder ([`rounder`]) makes the result. Where it departs: words are packed again after each
//! operation, which costs little since equal gates are one gate; sums are not unpacked, since their
//! small results need no rounding ([`add`]).

mod add;
mod compare;
mod convert;
mod divide;
mod fused;
mod integral;
mod multiply;
mod remainder;
mod rounder;
#[cfg(test)]
mod tests;
mod unpacked;

use super::gates::{Gates, Lit};
use super::words::Word;
use crate::term::{FloatSort, Op, Rounding, Sort};
use unpacked::Fields;

/// The word of what may not be a number, with one pattern for all that are none.
pub fn canonical(gates: &mut Gates, sort: FloatSort, word: &[Lit]) -> Word {
    let nan = Fields::of(sort, word).classify(gates).nan;
    gates.word_choose(nan, &not_a_number(sort), word)
}

/// The word of an operator on words of these sorts; `None` if it is none of floating point.
pub fn operator(gates: &mut Gates, op: Op, words: &[&[Lit]], sorts: &[Sort]) -> Option<Word> {
    let float = |at: usize| match sorts.get(at) {
        Some(&Sort::Float(sort)) => Some(sort),
        _ => None,
    };
    let nearest = Rounding::NearestEven;
    let word = match (op, words) {
        (Op::FloatFromBits(sort), [a]) => canonical(gates, sort, a),
        (Op::FloatFromSigned(sort), [a]) => convert::from_integer(gates, sort, nearest, a, true),
        (Op::FloatFromUnsigned(sort), [a]) => convert::from_integer(gates, sort, nearest, a, false),
        (Op::FloatAdd, [a, b]) => add::add(gates, float(0)?, nearest, a, b),
        (Op::FloatSub, [a, b]) => {
            // The sign of what is not a number is not looked at.
            let minus = flipped(b);
            add::add(gates, float(0)?, nearest, a, &minus)
        }
        (Op::FloatMul, [a, b]) => multiply::multiply(gates, float(0)?, nearest, a, b),
        (Op::FloatDiv, [a, b]) => divide::divide(gates, float(0)?, nearest, a, b),
        (Op::FloatRem, [a, b]) => remainder::remainder(gates, float(0)?, a, b),
        (Op::FloatFma, [a, b, c]) => fused::multiply_add(gates, float(0)?, nearest, [a, b, c]),
        (Op::FloatSqrt, [a]) => divide::square_root(gates, float(0)?, nearest, a),
        (Op::FloatRound(rounding), [a]) => integral::round(gates, float(0)?, rounding, a),
        (Op::FloatNeg, [a]) => {
            let nan = Fields::of(float(0)?, a).classify(gates).nan;
            with_sign(gates, a, |gates, sign| gates.and(!sign, !nan))
        }
        (Op::FloatAbs, [a]) => with_sign(gates, a, |_, _| Lit::FALSE),
        (Op::FloatEq, [a, b]) => vec![compare::equal(gates, float(0)?, a, b)],
        (Op::FloatLt, [a, b]) => vec![compare::less(gates, float(0)?, a, b, false)],
        (Op::FloatLe, [a, b]) => vec![compare::less(gates, float(0)?, a, b, true)],
        (Op::FloatIsNan, [a]) => vec![Fields::of(float(0)?, a).classify(gates).nan],
        (Op::FloatIsInfinite, [a]) => vec![Fields::of(float(0)?, a).classify(gates).infinite],
        (Op::FloatConvert(to), [a]) => convert::convert(gates, float(0)?, to, nearest, a),
        (Op::FloatToSigned(width), [a]) => convert::to_integer(gates, float(0)?, width, a),
        (Op::FloatToUnsigned(width), [a]) => convert::to_integer(gates, float(0)?, width, a),
        _ => return None,
    };
    Some(word)
}

/// The word with another sign.
fn flipped(word: &[Lit]) -> Word {
    let mut word = word.to_vec();
    if let Some(sign) = word.last_mut() {
        *sign = !*sign;
    }
    word
}

fn with_sign(gates: &mut Gates, word: &[Lit], new: impl Fn(&mut Gates, Lit) -> Lit) -> Word {
    let mut word = word.to_vec();
    if let Some(sign) = word.last_mut() {
        *sign = new(gates, *sign);
    }
    word
}

/// The word of what is not a number: positive, with the highest bit of the fraction alone.
fn not_a_number(sort: FloatSort) -> Word {
    let fraction = sort.significand as usize - 1;
    let mut word = vec![Lit::FALSE; fraction];
    word[fraction - 1] = Lit::TRUE;
    word.extend(vec![Lit::TRUE; sort.exponent as usize]);
    word.push(Lit::FALSE);
    word
}

/// The word of an infinity.
fn infinity(sort: FloatSort, sign: Lit) -> Word {
    let mut word = vec![Lit::FALSE; sort.significand as usize - 1];
    word.extend(vec![Lit::TRUE; sort.exponent as usize]);
    word.push(sign);
    word
}

/// The word of a zero.
fn zero(sort: FloatSort, sign: Lit) -> Word {
    let mut word = vec![Lit::FALSE; sort.width() as usize - 1];
    word.push(sign);
    word
}
