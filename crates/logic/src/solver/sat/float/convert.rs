//! Conversions between formats, and from and to integers.

use super::super::gates::{Gates, Lit};
use super::super::words::Word;
use super::rounder::round;
use super::unpacked::{Number, add_constant, normalised, signed_width, unpack, unsigned};
use super::{infinity, not_a_number, zero};
use crate::term::{FloatSort, Rounding};

/// From one format to another.
pub(super) fn convert(
    gates: &mut Gates,
    from: FloatSort,
    to: FloatSort,
    rounding: Rounding,
    a: &[Lit],
) -> Word {
    let (class, number) = unpack(gates, from, a);
    let word = round(gates, to, rounding, &number);
    let word = gates.word_choose(class.zero, &zero(to, number.sign), &word);
    let word = gates.word_choose(class.infinite, &infinity(to, number.sign), &word);
    gates.word_choose(class.nan, &not_a_number(to), &word)
}

/// From an integer, with or without a sign.
pub(super) fn from_integer(
    gates: &mut Gates,
    sort: FloatSort,
    rounding: Rounding,
    a: &[Lit],
    is_signed: bool,
) -> Word {
    let sign = if is_signed { a[a.len() - 1] } else { Lit::FALSE };
    let negated = gates.word_neg(a);
    let magnitude = gates.word_choose(sign, &negated, a);
    from_magnitude(gates, sort, rounding, sign, &magnitude)
}

/// From a sign and a magnitude; zero keeps the sign.
pub(super) fn from_magnitude(
    gates: &mut Gates,
    sort: FloatSort,
    rounding: Rounding,
    sign: Lit,
    magnitude: &[Lit],
) -> Word {
    let is_zero = !gates.any(magnitude);
    let (significand, shifted) = normalised(gates, magnitude);
    let most = magnitude.len() as i64 - 1;
    let width = signed_width((most - (1 << shifted.len()), most));
    let minus = Gates::word_not(&unsigned(&shifted, width));
    let exponent = add_constant(gates, &minus, most + 1);
    let number = Number { sign, exponent, range: (0, most), significand };
    let word = round(gates, sort, rounding, &number);
    gates.word_choose(is_zero, &zero(sort, sign), &word)
}

/// To an integer of a width, with or without a sign, cut towards zero; it means something where it
/// fits.
pub(super) fn to_integer(gates: &mut Gates, sort: FloatSort, width: u32, a: &[Lit]) -> Word {
    let (class, number) = unpack(gates, sort, a);
    let (precision, width) = (sort.significand as usize, width as usize);
    // The significand below the point, shifted to the left by the exponent.
    let stages = (usize::BITS - width.leading_zeros()) as usize;
    let bits = number.exponent.len();
    let distance = &number.exponent[..stages.min(bits - 1)];
    let word = unsigned(&number.significand, width + precision - 1);
    let word = gates.word_shift_left(&word, distance);
    let is_fraction = number.exponent[bits - 1];
    let nothing = gates.or(is_fraction, class.zero);
    let whole: Word = word[precision - 1..].iter().map(|&bit| gates.and(bit, !nothing)).collect();
    let negated = gates.word_neg(&whole);
    gates.word_choose(number.sign, &negated, &whole)
}
