//! Products.

use super::super::gates::{Gates, Lit};
use super::super::words::Word;
use super::rounder::round;
use super::unpacked::{Class, Number, shifted_left, signed, signed_width, unpack, unsigned};
use super::{infinity, not_a_number, zero};
use crate::term::{FloatSort, Rounding};

/// The exact product of two numbers.
pub(super) fn product(gates: &mut Gates, a: &Number, b: &Number) -> Number {
    let width = a.significand.len() + b.significand.len();
    let whole = gates.word_mul(&unsigned(&a.significand, width), &unsigned(&b.significand, width));
    // From 1 up to 4.
    let top = whole[width - 1];
    let significand = gates.word_choose(top, &whole, &shifted_left(&whole, 1));
    let range = (a.range.0 + b.range.0, a.range.1 + b.range.1 + 1);
    let bits = signed_width(range).max(a.exponent.len() + 1).max(b.exponent.len() + 1);
    let exponent = gates.word_add(&signed(&a.exponent, bits), &signed(&b.exponent, bits), top);
    Number { sign: gates.xor(a.sign, b.sign), exponent, range, significand }
}

/// Whether a product is not a number, and whether it is infinite.
pub(super) fn exceptions(gates: &mut Gates, a: Class, b: Class) -> (Lit, Lit) {
    let (first, second) = (gates.and(a.infinite, b.zero), gates.and(a.zero, b.infinite));
    let nan = gates.any(&[a.nan, b.nan, first, second]);
    (nan, gates.or(a.infinite, b.infinite))
}

pub(super) fn multiply(
    gates: &mut Gates,
    sort: FloatSort,
    rounding: Rounding,
    a: &[Lit],
    b: &[Lit],
) -> Word {
    let ((of_a, a), (of_b, b)) = (unpack(gates, sort, a), unpack(gates, sort, b));
    let product = product(gates, &a, &b);
    let word = round(gates, sort, rounding, &product);
    let is_zero = gates.or(of_a.zero, of_b.zero);
    let (nan, infinite) = exceptions(gates, of_a, of_b);
    let word = gates.word_choose(is_zero, &zero(sort, product.sign), &word);
    let word = gates.word_choose(infinite, &infinity(sort, product.sign), &word);
    gates.word_choose(nan, &not_a_number(sort), &word)
}
