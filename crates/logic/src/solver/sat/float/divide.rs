//! Quotients and square roots, digit by digit, with what is left over as the sticky bit.

use super::super::gates::{Gates, Lit};
use super::super::words::Word;
use super::rounder::round;
use super::unpacked::{Number, shifted_left, signed, signed_width, unpack, unsigned};
use super::{infinity, not_a_number, zero};
use crate::term::{FloatSort, Rounding};

pub(super) fn divide(
    gates: &mut Gates,
    sort: FloatSort,
    rounding: Rounding,
    a: &[Lit],
    b: &[Lit],
) -> Word {
    let ((of_a, a), (of_b, b)) = (unpack(gates, sort, a), unpack(gates, sort, b));
    let sign = gates.xor(a.sign, b.sign);
    let quotient = quotient(gates, sign, &a, &b);
    let word = round(gates, sort, rounding, &quotient);
    let is_zero = gates.or(of_a.zero, of_b.infinite);
    let infinite = gates.or(of_a.infinite, of_b.zero);
    let word = gates.word_choose(is_zero, &zero(sort, sign), &word);
    let word = gates.word_choose(infinite, &infinity(sort, sign), &word);
    let zeros = gates.and(of_a.zero, of_b.zero);
    let infinities = gates.and(of_a.infinite, of_b.infinite);
    let nan = gates.any(&[of_a.nan, of_b.nan, zeros, infinities]);
    gates.word_choose(nan, &not_a_number(sort), &word)
}

fn quotient(gates: &mut Gates, sign: Lit, a: &Number, b: &Number) -> Number {
    let precision = a.significand.len();
    let mut rest = unsigned(&a.significand, precision + 1);
    let divisor = unsigned(&b.significand, precision + 1);
    let mut digits = Vec::new();
    // From a half up to 2: two bits more than the precision are a guard bit in either case.
    for _ in 0..precision + 2 {
        let fits = gates.word_less(&divisor, &rest, true);
        let reduced = gates.word_sub(&rest, &divisor);
        rest = shifted_left(&gates.word_choose(fits, &reduced, &rest), 1);
        digits.push(fits);
    }
    let top = digits[0];
    let mut significand = vec![gates.any(&rest)];
    significand.extend(digits.into_iter().rev());
    let significand = gates.word_choose(top, &significand, &shifted_left(&significand, 1));
    let range = (a.range.0 - b.range.1 - 1, a.range.1 - b.range.0);
    let bits = signed_width(range).max(a.exponent.len() + 1).max(b.exponent.len() + 1);
    let minus = Gates::word_not(&signed(&b.exponent, bits));
    // -b - 1, and the one again where the quotient is at least 1.
    let exponent = gates.word_add(&signed(&a.exponent, bits), &minus, top);
    Number { sign, exponent, range, significand }
}

pub(super) fn square_root(
    gates: &mut Gates,
    sort: FloatSort,
    rounding: Rounding,
    a: &[Lit],
) -> Word {
    let (class, number) = unpack(gates, sort, a);
    let root = root(gates, &number);
    let word = round(gates, sort, rounding, &root);
    let word = gates.word_choose(class.infinite, &infinity(sort, Lit::FALSE), &word);
    let negative = gates.or(class.nan, number.sign);
    let word = gates.word_choose(negative, &not_a_number(sort), &word);
    // The root of -0 is -0.
    gates.word_choose(class.zero, &zero(sort, number.sign), &word)
}

fn root(gates: &mut Gates, number: &Number) -> Number {
    let precision = number.significand.len();
    let odd = number.exponent[0];
    // From 1 up to 4, with two bits for each of the root's, of which one is a guard bit.
    let digits = precision + 1;
    let even = unsigned(&number.significand, precision + 1);
    let scaled = gates.word_choose(odd, &shifted_left(&even, 1), &even);
    let mut radicand = vec![Lit::FALSE; precision + 1];
    radicand.extend(scaled);
    let width = digits + 2;
    let mut rest = vec![Lit::FALSE; width];
    let mut root: Word = Vec::new();
    for at in (0..digits).rev() {
        let mut wide = vec![radicand[2 * at], radicand[2 * at + 1]];
        wide.extend_from_slice(&rest[..width - 2]);
        let mut trial = vec![Lit::TRUE, Lit::FALSE];
        trial.extend_from_slice(&root);
        let trial = unsigned(&trial, width);
        let fits = gates.word_less(&trial, &wide, true);
        let reduced = gates.word_sub(&wide, &trial);
        rest = gates.word_choose(fits, &reduced, &wide);
        root.insert(0, fits);
    }
    let mut significand = vec![gates.any(&rest)];
    significand.extend(root);
    let exponent = number.exponent[1..].to_vec();
    let range = (number.range.0.div_euclid(2), number.range.1.div_euclid(2));
    Number { sign: Lit::FALSE, exponent, range, significand }
}
