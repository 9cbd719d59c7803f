//! Numbers in parts: the fields of the interchange format, and significands with a leading one.

use super::super::gates::{Gates, Lit};
use super::super::words::Word;
use crate::term::FloatSort;

/// The fields of a word.
pub(super) struct Fields {
    pub sign: Lit,
    /// With the bias.
    pub exponent: Word,
    /// Without the hidden bit.
    pub fraction: Word,
}

/// What kind of number a word is.
#[derive(Clone, Copy)]
pub(super) struct Class {
    pub nan: Lit,
    pub infinite: Lit,
    pub zero: Lit,
    /// Whether the exponent is not zero: the hidden bit.
    pub hidden: Lit,
}

impl Fields {
    pub fn of(sort: FloatSort, word: &[Lit]) -> Self {
        let (fraction, rest) = word.split_at(sort.significand as usize - 1);
        let (exponent, sign) = rest.split_at(sort.exponent as usize);
        Self {
            sign: sign.first().copied().unwrap_or(Lit::FALSE),
            exponent: exponent.to_vec(),
            fraction: fraction.to_vec(),
        }
    }

    pub fn classify(&self, gates: &mut Gates) -> Class {
        let ones = gates.all(&self.exponent);
        let hidden = gates.any(&self.exponent);
        let something = gates.any(&self.fraction);
        Class {
            nan: gates.and(ones, something),
            infinite: gates.and(ones, !something),
            zero: gates.and(!hidden, !something),
            hidden,
        }
    }

    /// The significand with its hidden bit, and the exponent of what has none there.
    pub fn opened(&self, hidden: Lit, gates: &mut Gates) -> (Word, Word) {
        let mut significand = self.fraction.clone();
        significand.push(hidden);
        let mut exponent = self.exponent.clone();
        exponent[0] = gates.or(exponent[0], !hidden);
        (significand, exponent)
    }
}

/// A number, not zero, as a sign, a significand from 1 up to 2 with its leading one, and an
/// exponent: what an operation gives before it is rounded, the lowest bit of the significand
/// standing for all below it.
pub(super) struct Number {
    pub sign: Lit,
    /// With a sign, without bias.
    pub exponent: Word,
    /// Between which numbers the exponent is.
    pub range: (i64, i64),
    pub significand: Word,
}

/// The bias of a format.
pub(super) fn bias(sort: FloatSort) -> i64 {
    (1 << (sort.exponent - 1)) - 1
}

/// The exponents of all numbers of a format that are finite and not zero, with a leading one.
pub(super) fn exponents(sort: FloatSort) -> (i64, i64) {
    (1 - bias(sort) - (i64::from(sort.significand) - 1), bias(sort))
}

/// A word in parts; the number means something where it is finite and not zero.
pub(super) fn unpack(gates: &mut Gates, sort: FloatSort, word: &[Lit]) -> (Class, Number) {
    let fields = Fields::of(sort, word);
    let class = fields.classify(gates);
    let (significand, exponent) = fields.opened(class.hidden, gates);
    let (significand, shifted) = normalised(gates, &significand);
    let range = exponents(sort);
    // Zero has the largest shift of all.
    let least = range.0.min(1 - bias(sort) - (1 << shifted.len()));
    let width = signed_width((least, bias(sort) + 1));
    let unbiased = add_constant(gates, &unsigned(&exponent, width), -bias(sort));
    let exponent = gates.word_sub(&unbiased, &unsigned(&shifted, width));
    (class, Number { sign: fields.sign, exponent, range, significand })
}

/// Shifted to the left until the highest bit is set, and by how much; of zero nothing is said.
pub(super) fn normalised(gates: &mut Gates, word: &[Lit]) -> (Word, Word) {
    let mut word = word.to_vec();
    let width = word.len();
    let stages = (width - 1).checked_ilog2().map_or(0, |log| log + 1);
    let mut count = vec![Lit::FALSE; stages as usize];
    for stage in (0..stages as usize).rev() {
        let distance = 1 << stage;
        let empty = !gates.any(&word[width - distance..]);
        count[stage] = empty;
        word = gates.word_choose(empty, &shifted_left(&word, distance), &word);
    }
    (word, count)
}

/// Shifted to the left by a known distance.
pub(super) fn shifted_left(word: &[Lit], by: usize) -> Word {
    let kept = word.len() - by.min(word.len());
    let mut shifted = vec![Lit::FALSE; word.len() - kept];
    shifted.extend_from_slice(&word[..kept]);
    shifted
}

/// Shifted to the right by a word; what falls out stays as the lowest bit.
pub(super) fn shifted_right_sticky(gates: &mut Gates, word: &[Lit], by: &[Lit]) -> Word {
    let mut word = word.to_vec();
    let width = word.len();
    let mut beyond = Vec::new();
    for (stage, &bit) in by.iter().enumerate() {
        let distance = 1usize.checked_shl(stage as u32).filter(|&d| d < width && stage < 32);
        let Some(distance) = distance else {
            beyond.push(bit);
            continue;
        };
        let lost = gates.any(&word[..=distance]);
        let mut moved: Word = word[distance..].to_vec();
        moved[0] = lost;
        moved.resize(width, Lit::FALSE);
        word = gates.word_choose(bit, &moved, &word);
    }
    let beyond = gates.any(&beyond);
    let mut nothing = vec![Lit::FALSE; width];
    nothing[0] = gates.any(&word);
    gates.word_choose(beyond, &nothing, &word)
}

/// So many bits of the highest ones; what is below them stays in the lowest.
pub(super) fn with_sticky(gates: &mut Gates, word: &[Lit], width: usize) -> Word {
    match word.len().checked_sub(width) {
        Some(cut) => {
            let mut kept = word[cut..].to_vec();
            kept[0] = gates.any(&word[..=cut]);
            kept
        }
        None => {
            let mut longer = vec![Lit::FALSE; width - word.len()];
            longer.extend_from_slice(word);
            longer
        }
    }
}

/// How many bits hold all numbers of a range, with their sign.
pub(super) fn signed_width((least, most): (i64, i64)) -> usize {
    let bits = |magnitude: i64| (64 - magnitude.leading_zeros()) as usize;
    bits(most.max(0)).max(bits(!least.min(-1))) + 1
}

/// The bits of a known number.
pub(super) fn known(value: i64, width: usize) -> Word {
    (0..width).map(|at| Lit::constant(value >> at.min(63) & 1 == 1)).collect()
}

pub(super) fn add_constant(gates: &mut Gates, word: &[Lit], value: i64) -> Word {
    gates.word_add(word, &known(value, word.len()), Lit::FALSE)
}

/// As wide, filled with zeros.
pub(super) fn unsigned(word: &[Lit], width: usize) -> Word {
    let mut word = word.to_vec();
    word.resize(width, Lit::FALSE);
    word
}

/// As wide, filled with the sign.
pub(super) fn signed(word: &[Lit], width: usize) -> Word {
    let sign = word.last().copied().unwrap_or(Lit::FALSE);
    let mut word = word.to_vec();
    word.resize(width, sign);
    word
}
