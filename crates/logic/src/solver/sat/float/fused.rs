//! `a * b + c` with one rounding.

use super::super::gates::{Gates, Lit};
use super::super::words::Word;
use super::multiply::{exceptions, product};
use super::rounder::round;
use super::unpacked::{
    Number, add_constant, normalised, shifted_right_sticky, signed, signed_width, unpack, unsigned,
};
use super::{infinity, not_a_number, zero};
use crate::term::{FloatSort, Rounding};

pub(super) fn multiply_add(
    gates: &mut Gates,
    sort: FloatSort,
    rounding: Rounding,
    [a, b, c]: [&[Lit]; 3],
) -> Word {
    let ((of_a, a), (of_b, b)) = (unpack(gates, sort, a), unpack(gates, sort, b));
    let (of_c, c_number) = unpack(gates, sort, c);
    let (invalid, infinite) = exceptions(gates, of_a, of_b);
    let no_product = gates.or(of_a.zero, of_b.zero);
    let whole = product(gates, &a, &b);
    let differ = gates.xor(whole.sign, c_number.sign);

    let (sum, cancelled) = sum(gates, &whole, &c_number);
    let word = round(gates, sort, rounding, &sum);
    let of_zero = Lit::constant(rounding == Rounding::Down);
    let word = gates.word_choose(cancelled, &zero(sort, of_zero), &word);
    // Without one of the two, the other alone.
    let alone = round(gates, sort, rounding, &whole);
    let word = gates.word_choose(of_c.zero, &alone, &word);
    let word = gates.word_choose(no_product, c, &word);
    let zeros = gates.and(no_product, of_c.zero);
    let sign = gates.choose(differ, of_zero, whole.sign);
    let word = gates.word_choose(zeros, &zero(sort, sign), &word);
    let word = gates.word_choose(of_c.infinite, &infinity(sort, c_number.sign), &word);
    let word = gates.word_choose(infinite, &infinity(sort, whole.sign), &word);
    let both = gates.and(infinite, of_c.infinite);
    let opposite = gates.and(both, differ);
    let nan = gates.any(&[invalid, of_c.nan, opposite]);
    gates.word_choose(nan, &not_a_number(sort), &word)
}

/// The sum of two numbers, exact but for the sticky bit, and whether it is zero.
fn sum(gates: &mut Gates, a: &Number, b: &Number) -> (Number, Lit) {
    let precision = a.significand.len();
    let range = (a.range.0.min(b.range.0) - precision as i64 - 4, a.range.1.max(b.range.1) + 1);
    let bits = signed_width(range).max(a.exponent.len()).max(b.exponent.len()) + 1;
    let wide = |word: &[Lit]| {
        let mut wide = vec![Lit::FALSE; precision + 3 - word.len()];
        wide.extend_from_slice(word);
        wide
    };
    let ordered = |number: &Number| {
        let mut word = wide(&number.significand);
        word.extend(signed(&number.exponent, bits));
        word.push(number.sign);
        word
    };
    let (a, b) = (ordered(a), ordered(b));
    let at = precision + 3;
    let is_less = gates.word_less_signed(&a[..at + bits], &b[..at + bits], false);
    let large = gates.word_choose(is_less, &b, &a);
    let small = gates.word_choose(is_less, &a, &b);
    let sign = large[at + bits];
    let distance = gates.word_sub(&large[at..at + bits], &small[at..at + bits]);
    let lesser = shifted_right_sticky(gates, &small[..at], &distance);
    let differ = gates.xor(sign, small[at + bits]);
    let lesser: Word =
        unsigned(&lesser, at + 1).iter().map(|&bit| gates.xor(bit, differ)).collect();
    let sum = gates.word_add(&unsigned(&large[..at], at + 1), &lesser, differ);
    let is_zero = !gates.any(&sum);
    let (significand, shifted) = normalised(gates, &sum);
    let exponent = add_constant(gates, &large[at..at + bits], 1);
    let exponent = gates.word_sub(&exponent, &unsigned(&shifted, bits));
    (Number { sign, exponent, range, significand }, is_zero)
}
