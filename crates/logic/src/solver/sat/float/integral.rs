//! Rounding to an integer of the same format: `floor`, `ceil`, `trunc`, `round`, `rint`.

use super::super::gates::{Gates, Lit};
use super::super::words::Word;
use super::convert::from_magnitude;
use super::rounder::increments;
use super::unpacked::{known, shifted_right_sticky, signed, signed_width, unpack};
use super::{infinity, not_a_number, zero};
use crate::term::{FloatSort, Rounding};

pub(super) fn round(gates: &mut Gates, sort: FloatSort, rounding: Rounding, a: &[Lit]) -> Word {
    let (class, number) = unpack(gates, sort, a);
    let precision = sort.significand as usize;
    // So far to the right that the last bit of the significand is a whole one.
    let last = precision as i64 - 1;
    let bits = number.exponent.len().max(signed_width((-last, last))) + 1;
    let distance = gates.word_sub(&known(last, bits), &signed(&number.exponent, bits));
    let mut wide = vec![Lit::FALSE; 2];
    wide.extend_from_slice(&number.significand);
    let is_whole = gates.or(distance[bits - 1], class.infinite);
    let shifted = shifted_right_sticky(gates, &wide, &distance[..bits - 1]);
    let seen = [shifted[2], shifted[1], shifted[0]];
    let up = increments(gates, rounding, number.sign, seen);
    let mut kept = shifted[2..].to_vec();
    kept.push(Lit::FALSE);
    let none = vec![Lit::FALSE; kept.len()];
    let magnitude = gates.word_add(&kept, &none, up);
    let word = from_magnitude(gates, sort, Rounding::NearestEven, number.sign, &magnitude);
    let word = gates.word_choose(is_whole, a, &word);
    let word = gates.word_choose(class.infinite, &infinity(sort, number.sign), &word);
    let word = gates.word_choose(class.zero, &zero(sort, number.sign), &word);
    gates.word_choose(class.nan, &not_a_number(sort), &word)
}
