//! The rounder: from a number with more bits than the format has to one of the format.
//!
//! A significand below the smallest exponent is shifted to the right first. Exponent and fraction
//! are one integer then, to which rounding adds one or nothing: a carry out of the fraction makes
//! the exponent larger, at the border of subnormal numbers and at that of infinity as well.

use super::super::gates::{Gates, Lit};
use super::super::words::Word;
use super::infinity;
use super::unpacked::{
    Number, add_constant, bias, known, shifted_right_sticky, signed, signed_width, with_sticky,
};
use crate::term::{FloatSort, Rounding};

/// Whether the magnitude becomes larger: from the sign, the last bit that is kept, the next one and
/// whether there is anything behind.
pub(super) fn increments(
    gates: &mut Gates,
    rounding: Rounding,
    sign: Lit,
    [last, guard, sticky]: [Lit; 3],
) -> Lit {
    let inexact = gates.or(guard, sticky);
    match rounding {
        Rounding::NearestEven => {
            let up = gates.or(sticky, last);
            gates.and(guard, up)
        }
        Rounding::NearestAway => guard,
        Rounding::TowardZero => Lit::FALSE,
        Rounding::Up => gates.and(!sign, inexact),
        Rounding::Down => gates.and(sign, inexact),
    }
}

/// What is larger than all numbers of the format: an infinity or the largest number.
pub(super) fn overflowed(sort: FloatSort, rounding: Rounding, sign: Lit) -> Word {
    let infinite = match rounding {
        Rounding::NearestEven | Rounding::NearestAway => Lit::TRUE,
        Rounding::TowardZero => Lit::FALSE,
        Rounding::Up => !sign,
        Rounding::Down => sign,
    };
    let mut word = infinity(sort, sign);
    let fraction = sort.significand as usize - 1;
    word[..fraction].fill(!infinite);
    word[fraction] = infinite;
    word
}

/// The number of the format, which may be zero or infinite.
pub(super) fn round(
    gates: &mut Gates,
    sort: FloatSort,
    rounding: Rounding,
    number: &Number,
) -> Word {
    let (precision, exponent_bits) = (sort.significand as usize, sort.exponent as usize);
    let (least, most) = (number.range.0 + bias(sort), number.range.1 + bias(sort));
    let mut significand = with_sticky(gates, &number.significand, precision + 2);
    let all_ones = (1i64 << exponent_bits) - 1;
    let bound = least.abs().max(most.abs()).max(all_ones) + 2;
    let width = signed_width((-bound, bound));
    let biased = add_constant(gates, &signed(&number.exponent, width), bias(sort));
    let mut field = biased[..exponent_bits].to_vec();
    if least < 1 {
        let distance = gates.word_sub(&known(1, width), &biased);
        let below = add_constant(gates, &biased, -1);
        let is_small = below[width - 1];
        let distance: Word =
            distance[..width - 1].iter().map(|&bit| gates.and(bit, is_small)).collect();
        significand = shifted_right_sticky(gates, &significand, &distance);
        field = field.iter().map(|&bit| gates.and(bit, !is_small)).collect();
    }
    let seen = [significand[2], significand[1], significand[0]];
    let up = increments(gates, rounding, number.sign, seen);
    let mut magnitude = significand[2..precision + 1].to_vec();
    magnitude.extend(field);
    let none = vec![Lit::FALSE; magnitude.len()];
    let mut word = gates.word_add(&magnitude, &none, up);
    word.push(number.sign);
    if most >= all_ones {
        let is_large = gates.word_less_signed(&known(all_ones, width), &biased, true);
        word = gates.word_choose(is_large, &overflowed(sort, rounding, number.sign), &word);
    }
    word
}
