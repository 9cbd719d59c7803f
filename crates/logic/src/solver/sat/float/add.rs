//! Sums.
//!
//! The operand of smaller magnitude is shifted to the other's exponent and added or subtracted, with
//! three bits more than a significand has. The sum is shifted to the left as far as the exponent
//! allows, and rounded there: a sum that is subnormal is exact, so it needs none of the rounder's
//! shifts.

use super::super::gates::{Gates, Lit};
use super::super::words::Word;
use super::rounder::{increments, overflowed};
use super::unpacked::{Fields, shifted_left, shifted_right_sticky};
use super::{infinity, not_a_number};
use crate::term::{FloatSort, Rounding};

pub(super) fn add(
    gates: &mut Gates,
    sort: FloatSort,
    rounding: Rounding,
    a: &[Lit],
    b: &[Lit],
) -> Word {
    let precision = sort.significand as usize;
    let sign_at = sort.width() as usize - 1;
    // Magnitudes compare as integers do.
    let is_less = gates.word_less(&a[..sign_at], &b[..sign_at], false);
    let (large, small) = (gates.word_choose(is_less, b, a), gates.word_choose(is_less, a, b));
    let (large, small) = (Fields::of(sort, &large), Fields::of(sort, &small));
    let (of_large, of_small) = (large.classify(gates), small.classify(gates));
    let (significand, exponent) = large.opened(of_large.hidden, gates);
    let (lesser, low) = small.opened(of_small.hidden, gates);
    let distance = gates.word_sub(&exponent, &low);
    let wide = |word: Word| {
        let mut wide = vec![Lit::FALSE; 3];
        wide.extend(word);
        wide
    };
    let mut first = wide(significand);
    first.push(Lit::FALSE);
    let mut second = shifted_right_sticky(gates, &wide(lesser), &distance);
    second.push(Lit::FALSE);
    let differ = gates.xor(large.sign, small.sign);
    let second: Word = second.iter().map(|&bit| gates.xor(bit, differ)).collect();
    let sum = gates.word_add(&first, &second, differ);
    let is_zero = !gates.any(&sum);
    let (sum, exponent) = raised(gates, sum, exponent);

    // The highest bit has the weight of the exponent's lowest bit, so it makes the exponent larger
    // by one, which is where it belongs, or is not set, and the number is subnormal.
    let top = sum[precision + 3];
    let sticky = gates.any(&sum[..3]);
    let up = increments(gates, rounding, large.sign, [sum[4], sum[3], sticky]);
    let mut magnitude = sum[4..precision + 3].to_vec();
    magnitude.extend_from_slice(&exponent);
    let mut hidden = vec![Lit::FALSE; magnitude.len()];
    hidden[precision - 1] = top;
    let magnitude = gates.word_add(&magnitude, &hidden, up);
    let mut word: Word = magnitude.iter().map(|&bit| gates.and(bit, !is_zero)).collect();
    let cancelled = gates.and(is_zero, differ);
    let of_zero = Lit::constant(rounding == Rounding::Down);
    word.push(gates.choose(cancelled, of_zero, large.sign));

    let nearly = gates.all(&exponent[1..]);
    let nearly = gates.and(nearly, !exponent[0]);
    let is_large = gates.and(nearly, top);
    let word = gates.word_choose(is_large, &overflowed(sort, rounding, large.sign), &word);
    let word = gates.word_choose(of_large.infinite, &infinity(sort, large.sign), &word);
    let both = gates.and(of_large.infinite, of_small.infinite);
    let opposite = gates.and(both, differ);
    // What is not a number is larger than all numbers.
    let nan = gates.or(of_large.nan, opposite);
    gates.word_choose(nan, &not_a_number(sort), &word)
}

/// Shifted to the left until the highest bit is set or the exponent, which becomes smaller by as
/// much, is zero.
fn raised(gates: &mut Gates, mut word: Word, mut exponent: Word) -> (Word, Word) {
    let width = word.len();
    let stages = (width - 1).ilog2() as usize + 1;
    for stage in (0..stages.min(exponent.len())).rev() {
        let distance = 1 << stage;
        let empty = !gates.any(&word[width - distance..]);
        let enough = gates.any(&exponent[stage..]);
        let shift = gates.and(empty, enough);
        word = gates.word_choose(shift, &shifted_left(&word, distance), &word);
        let ones = vec![shift; exponent.len() - stage];
        let rest = gates.word_add(&exponent[stage..], &ones, Lit::FALSE);
        exponent.truncate(stage);
        exponent.extend(rest);
    }
    (word, exponent)
}
