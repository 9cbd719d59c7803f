//! The remainder of IEEE 754: exact, what is left of the dividend at the nearest whole multiple of the
//! divisor, of two the even one.
//!
//! Long division of the significands, a step for every possible difference of exponents: many for
//! wide formats, so that large circuits come of it.

use super::super::gates::{Gates, Lit};
use super::super::words::Word;
use super::rounder::round;
use super::unpacked::{
    Number, add_constant, known, normalised, shifted_left, signed, signed_width, unpack, unsigned,
};
use super::{not_a_number, zero};
use crate::term::{FloatSort, Rounding};

pub(super) fn remainder(gates: &mut Gates, sort: FloatSort, a: &[Lit], b: &[Lit]) -> Word {
    let dividend = a;
    let ((of_a, a), (of_b, b)) = (unpack(gates, sort, a), unpack(gates, sort, b));
    let precision = sort.significand as usize;
    let range = (a.range.0 - b.range.1, a.range.1 - b.range.0);
    let bits = signed_width(range).max(a.exponent.len() + 1).max(b.exponent.len() + 1);
    let difference = gates.word_sub(&signed(&a.exponent, bits), &signed(&b.exponent, bits));
    let is_less = difference[bits - 1];
    // A step takes the divisor away if it fits, and goes to the next position if there is one.
    let mut rest = unsigned(&a.significand, precision + 1);
    let divisor = unsigned(&b.significand, precision + 1);
    let mut is_odd = Lit::FALSE;
    for step in (0..=range.1).rev() {
        let begun = gates.word_less_signed(&known(step, bits), &difference, true);
        let fits = gates.word_less(&divisor, &rest, true);
        let reduced = gates.word_sub(&rest, &divisor);
        let reduced = gates.word_choose(fits, &reduced, &rest);
        let next = if step > 0 { shifted_left(&reduced, 1) } else { reduced };
        rest = gates.word_choose(begun, &next, &rest);
        is_odd = gates.and(begun, fits);
    }
    // In halves of the divisor's last bit: a dividend with the exponent below has one more.
    let halves = shifted_left(&unsigned(&rest, precision + 2), 1);
    let halves = gates.word_choose(is_less, &unsigned(&rest, precision + 2), &halves);
    let divisor = unsigned(&divisor, precision + 2);
    let is_more = gates.word_less(&divisor, &halves, false);
    let is_half = gates.word_eq(&divisor, &halves);
    let is_tie = gates.and(is_half, is_odd);
    let up = gates.or(is_more, is_tie);
    let other = gates.word_sub(&shifted_left(&divisor, 1), &halves);
    let halves = gates.word_choose(up, &other, &halves);
    let sign = gates.xor(a.sign, up);
    let is_zero = !gates.any(&halves);
    let (significand, shifted) = normalised(gates, &halves);
    // Its highest bit has the weight 2 if that of the divisor has 1.
    let width = bits.max(shifted.len() + 1) + 1;
    let exponent = add_constant(gates, &signed(&b.exponent, width), 1);
    let exponent = gates.word_sub(&exponent, &unsigned(&shifted, width));
    let range = (b.range.0 - 1, b.range.1 + 1);
    let number = Number { sign, exponent, range, significand };
    let word = round(gates, sort, Rounding::TowardZero, &number);
    let word = gates.word_choose(is_zero, &zero(sort, a.sign), &word);
    // The dividend where it is smaller than a half, and where the divisor is infinite.
    let at_least = gates.word_less_signed(&known(-1, bits), &difference, true);
    let kept = gates.any(&[!at_least, of_b.infinite, of_a.zero]);
    let word = gates.word_choose(kept, dividend, &word);
    let nan = gates.any(&[of_a.nan, of_b.nan, of_a.infinite, of_b.zero]);
    gates.word_choose(nan, &not_a_number(sort), &word)
}
