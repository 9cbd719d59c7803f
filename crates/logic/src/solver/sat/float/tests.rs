//! The circuits against the operations themselves: on all numbers of small formats against exact
//! fractions, on many numbers of the formats of C against [`gnomon_ir::ops`] and the machine.

use super::*;
use gnomon_ir::expr::BinaryOp;
use gnomon_ir::ops::{self, Scalar};
use gnomon_ir::types::FloatKind;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// An operator as a circuit of its arguments.
struct Circuit {
    gates: Gates,
    places: FxHashMap<Lit, (usize, usize)>,
    result: Word,
}

fn width(sort: Sort) -> u32 {
    match sort {
        Sort::BitVec(width) => width,
        Sort::Float(sort) => sort.width(),
        _ => 1,
    }
}

fn circuit(sorts: &[Sort], make: impl Fn(&mut Gates, &[&[Lit]]) -> Word) -> Circuit {
    let mut gates = Gates::default();
    let raw: Vec<Word> = sorts.iter().map(|&sort| gates.word_input(width(sort))).collect();
    let mut places = FxHashMap::default();
    for (which, word) in raw.iter().enumerate() {
        places.extend(word.iter().enumerate().map(|(bit, &lit)| (lit, (which, bit))));
    }
    let words: Vec<Word> = raw
        .into_iter()
        .zip(sorts)
        .map(|(word, &sort)| match sort {
            Sort::Float(sort) => canonical(&mut gates, sort, &word),
            _ => word,
        })
        .collect();
    let words: Vec<&[Lit]> = words.iter().map(Vec::as_slice).collect();
    let result = make(&mut gates, &words);
    Circuit { gates, places, result }
}

fn of(op: Op, sorts: &[Sort]) -> Circuit {
    circuit(sorts, |gates, words| operator(gates, op, words, sorts).expect("floating point"))
}

impl Circuit {
    fn run(&self, values: &[u128]) -> u128 {
        let bits = self.gates.evaluate(|lit| {
            let (which, bit) = self.places[&lit];
            values[which] >> bit & 1 == 1
        });
        self.result.iter().rev().fold(0, |value, &lit| value << 1 | u128::from(bits.of(lit)))
    }
}

/// A small format whose numbers are known: magnitudes in order, in units of the smallest.
struct Small {
    sort: FloatSort,
    magnitudes: Vec<i128>,
    /// One is 2 to this many units.
    unit: u32,
}

const ALL: [Rounding; 5] = [
    Rounding::NearestEven,
    Rounding::NearestAway,
    Rounding::TowardZero,
    Rounding::Up,
    Rounding::Down,
];

/// A number in fractions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Real {
    Nan,
    Infinite(bool),
    /// With its sign, for zeros.
    Finite(bool, i128),
}

impl Small {
    fn new(exponent: u32, significand: u32) -> Self {
        let sort = FloatSort { exponent, significand };
        let fraction = 1i128 << (significand - 1);
        let infinity = ((1i128 << exponent) - 1) * fraction;
        let magnitude = |pattern: i128| {
            let (e, f) = (pattern / fraction, pattern % fraction);
            if e == 0 { f } else { (fraction + f) << (e - 1) }
        };
        // With one more, where infinity is.
        let magnitudes = (0..=infinity).map(magnitude).collect();
        let unit = (1 << (exponent - 1)) - 2 + significand - 1;
        Self { sort, magnitudes, unit }
    }

    fn patterns(&self) -> u128 {
        1 << self.sort.width()
    }

    fn nan(&self) -> u128 {
        let fraction = self.sort.significand - 1;
        ((1 << (self.sort.exponent + 1)) - 1) << (fraction - 1)
    }

    fn sign_bit(&self, negative: bool) -> u128 {
        u128::from(negative) << (self.sort.width() - 1)
    }

    fn infinity(&self, negative: bool) -> u128 {
        (self.magnitudes.len() as u128 - 1) | self.sign_bit(negative)
    }

    fn real(&self, pattern: u128) -> Real {
        let negative = pattern >> (self.sort.width() - 1) & 1 == 1;
        let magnitude = pattern & (self.sign_bit(true) - 1);
        match (magnitude as usize).cmp(&(self.magnitudes.len() - 1)) {
            Ordering::Greater => Real::Nan,
            Ordering::Equal => Real::Infinite(negative),
            Ordering::Less => {
                let value = self.magnitudes[magnitude as usize];
                Real::Finite(negative, if negative { -value } else { value })
            }
        }
    }

    /// The pattern of a positive number, rounded, from how it compares with a half of so many units.
    fn rounded(
        &self,
        rounding: Rounding,
        negative: bool,
        compare: impl Fn(i128) -> Ordering,
    ) -> u128 {
        let at_least = |&value: &i128| compare(2 * value) != Ordering::Less;
        let below = self.magnitudes.iter().rposition(at_least).expect("at least zero");
        let last = self.magnitudes.len() - 1;
        let exact = compare(2 * self.magnitudes[below]) == Ordering::Equal && below < last;
        let below = below.min(last - 1);
        let middle = compare(self.magnitudes[below] + self.magnitudes[below + 1]);
        let up = match rounding {
            _ if exact => false,
            Rounding::NearestEven => {
                middle == Ordering::Greater || middle == Ordering::Equal && below % 2 == 1
            }
            Rounding::NearestAway => middle != Ordering::Less,
            Rounding::TowardZero => false,
            Rounding::Up => !negative,
            Rounding::Down => negative,
        };
        (below + usize::from(up)) as u128 | self.sign_bit(negative)
    }

    /// A fraction, in units, rounded; zero is as told.
    fn fraction(&self, rounding: Rounding, zero: bool, above: i128, below: i128) -> u128 {
        if above == 0 {
            return self.sign_bit(zero);
        }
        let negative = (above < 0) != (below < 0);
        let (above, below) = (above.abs(), below.abs());
        self.rounded(rounding, negative, |halves| (2 * above).cmp(&(halves * below)))
    }

    fn sum(&self, rounding: Rounding, a: Real, b: Real) -> u128 {
        match (a, b) {
            (Real::Nan, _) | (_, Real::Nan) => self.nan(),
            (Real::Infinite(x), Real::Infinite(y)) if x != y => self.nan(),
            (Real::Infinite(x), _) | (_, Real::Infinite(x)) => self.infinity(x),
            (Real::Finite(x, a), Real::Finite(y, b)) => {
                let zero = if x == y { x } else { rounding == Rounding::Down };
                self.fraction(rounding, zero, a + b, 1)
            }
        }
    }

    fn product(&self, rounding: Rounding, a: Real, b: Real) -> u128 {
        match (a, b) {
            (Real::Nan, _) | (_, Real::Nan) => self.nan(),
            (Real::Infinite(x), Real::Infinite(y)) => self.infinity(x != y),
            (Real::Infinite(x), Real::Finite(y, other))
            | (Real::Finite(y, other), Real::Infinite(x)) => {
                if other == 0 {
                    self.nan()
                } else {
                    self.infinity(x != y)
                }
            }
            (Real::Finite(x, a), Real::Finite(y, b)) => {
                self.fraction(rounding, x != y, a * b, 1 << self.unit)
            }
        }
    }

    fn quotient(&self, rounding: Rounding, a: Real, b: Real) -> u128 {
        match (a, b) {
            (Real::Nan, _) | (_, Real::Nan) => self.nan(),
            (Real::Infinite(_), Real::Infinite(_)) => self.nan(),
            (Real::Infinite(x), Real::Finite(y, _)) => self.infinity(x != y),
            (Real::Finite(x, _), Real::Infinite(y)) => self.sign_bit(x != y),
            (Real::Finite(_, 0), Real::Finite(_, 0)) => self.nan(),
            (Real::Finite(x, _), Real::Finite(y, 0)) => self.infinity(x != y),
            (Real::Finite(x, a), Real::Finite(y, b)) => {
                self.fraction(rounding, x != y, a << self.unit, b)
            }
        }
    }

    fn remainder(&self, a: Real, b: Real, pattern: u128) -> u128 {
        match (a, b) {
            (Real::Nan | Real::Infinite(_), _) | (_, Real::Nan | Real::Finite(_, 0)) => self.nan(),
            (_, Real::Infinite(_)) => pattern,
            (Real::Finite(x, a), Real::Finite(_, b)) => {
                let (rest, size) = (a.abs() % b.abs(), b.abs());
                let is_odd = a.abs() / size % 2 == 1;
                let up = 2 * rest > size || 2 * rest == size && is_odd;
                let rest = if up { rest - size } else { rest };
                self.fraction(Rounding::NearestEven, x, if x { -rest } else { rest }, 1)
            }
        }
    }

    fn root(&self, rounding: Rounding, a: Real) -> u128 {
        match a {
            Real::Nan => self.nan(),
            Real::Finite(negative, 0) => self.sign_bit(negative),
            Real::Infinite(true) | Real::Finite(true, _) => self.nan(),
            Real::Infinite(false) => self.infinity(false),
            // sqrt(a units) in units is the root of a / unit.
            Real::Finite(false, a) => self
                .rounded(rounding, false, |halves| (4 * (a << self.unit)).cmp(&(halves * halves))),
        }
    }

    fn integral(&self, rounding: Rounding, a: Real, pattern: u128) -> u128 {
        let Real::Finite(negative, a) = a else {
            return if a == Real::Nan { self.nan() } else { pattern };
        };
        let one = 1i128 << self.unit;
        let (whole, rest) = (a.abs() / one, a.abs() % one);
        let up = match rounding {
            Rounding::NearestEven => 2 * rest > one || 2 * rest == one && whole % 2 == 1,
            Rounding::NearestAway => 2 * rest >= one,
            Rounding::TowardZero => false,
            Rounding::Up => !negative && rest > 0,
            Rounding::Down => negative && rest > 0,
        };
        let whole = (whole + i128::from(up)) * one;
        let signed = if negative { -whole } else { whole };
        self.fraction(Rounding::NearestEven, negative, signed, 1)
    }
}

fn small_formats() -> Vec<Small> {
    [(3, 3), (2, 4), (4, 3), (3, 2)].into_iter().map(|(e, s)| Small::new(e, s)).collect()
}

#[test]
fn all_sums_products_quotients_and_remainders_of_small_formats_are_exact() {
    type Exact = fn(&Small, Rounding, Real, Real) -> u128;
    type Made = fn(&mut Gates, FloatSort, Rounding, &[Lit], &[Lit]) -> Word;
    let operations: [(Made, Exact); 3] = [
        (add::add, Small::sum),
        (multiply::multiply, Small::product),
        (divide::divide, Small::quotient),
    ];
    for small in small_formats() {
        let sort = Sort::Float(small.sort);
        for rounding in ALL {
            for (which, (made, exact)) in operations.into_iter().enumerate() {
                let circuit =
                    circuit(&[sort; 2], |gates, w| made(gates, small.sort, rounding, w[0], w[1]));
                for a in 0..small.patterns() {
                    for b in 0..small.patterns() {
                        let expected = exact(&small, rounding, small.real(a), small.real(b));
                        let found = circuit.run(&[a, b]);
                        let place = (small.sort, rounding, which, a, b);
                        assert_eq!(found, expected, "{place:?}");
                    }
                }
            }
        }
        let circuit = of(Op::FloatRem, &[sort; 2]);
        for a in 0..small.patterns() {
            for b in 0..small.patterns() {
                let expected = small.remainder(small.real(a), small.real(b), a);
                assert_eq!(circuit.run(&[a, b]), expected, "{:?} {a} % {b}", small.sort);
            }
        }
    }
}

#[test]
fn all_roots_and_integers_of_small_formats_are_exact() {
    for small in small_formats() {
        let sort = [Sort::Float(small.sort)];
        for rounding in ALL {
            let root =
                circuit(&sort, |gates, w| divide::square_root(gates, small.sort, rounding, w[0]));
            let whole = of(Op::FloatRound(rounding), &sort);
            for a in 0..small.patterns() {
                let real = small.real(a);
                assert_eq!(root.run(&[a]), small.root(rounding, real), "{rounding:?} root {a}");
                let expected = small.integral(rounding, real, a);
                assert_eq!(whole.run(&[a]), expected, "{:?} {rounding:?} {a}", small.sort);
            }
        }
    }
}

#[test]
fn all_conversions_of_small_formats_are_exact() {
    for from in small_formats() {
        for to in small_formats() {
            for rounding in ALL {
                let circuit = circuit(&[Sort::Float(from.sort)], |gates, w| {
                    convert::convert(gates, from.sort, to.sort, rounding, w[0])
                });
                for a in 0..from.patterns() {
                    let expected = match from.real(a) {
                        Real::Nan => to.nan(),
                        Real::Infinite(negative) => to.infinity(negative),
                        Real::Finite(negative, value) => {
                            let scaled = value << to.unit;
                            to.fraction(rounding, negative, scaled, 1 << from.unit)
                        }
                    };
                    assert_eq!(circuit.run(&[a]), expected, "{rounding:?} {a}");
                }
            }
        }
        for (width, signed) in [(1, true), (3, true), (3, false), (7, true), (7, false)] {
            for rounding in ALL {
                let made = circuit(&[Sort::BitVec(width)], |gates, w| {
                    convert::from_integer(gates, from.sort, rounding, w[0], signed)
                });
                for value in 0..1i128 << width {
                    let negative = signed && value >> (width - 1) & 1 == 1;
                    let number = if negative { value - (1 << width) } else { value };
                    let expected = from.fraction(rounding, false, number << from.unit, 1);
                    assert_eq!(made.run(&[value as u128]), expected, "{width} {number}");
                }
            }
            let op = if signed { Op::FloatToSigned(width) } else { Op::FloatToUnsigned(width) };
            let cut = of(op, &[Sort::Float(from.sort)]);
            for a in 0..from.patterns() {
                let Real::Finite(_, value) = from.real(a) else { continue };
                let whole = value / (1 << from.unit);
                let limit = 1i128 << if signed { width - 1 } else { width };
                let least = if signed { -limit } else { 0 };
                if whole >= least && whole < limit {
                    let expected = (whole & ((1 << width) - 1)) as u128;
                    assert_eq!(cut.run(&[a]), expected, "{width} {whole}");
                }
            }
        }
    }
}

#[test]
fn fused_sums_of_a_small_format_are_exact() {
    let small = Small::new(3, 3);
    let sort = Sort::Float(small.sort);
    for rounding in ALL {
        let circuit = circuit(&[sort; 3], |gates, w| {
            fused::multiply_add(gates, small.sort, rounding, [w[0], w[1], w[2]])
        });
        let mut random = Random(7);
        for _ in 0..12_000 {
            let [a, b, c] = [(); 3].map(|()| u128::from(random.next()) % small.patterns());
            let reals = [small.real(a), small.real(b), small.real(c)];
            let expected = match reals {
                [Real::Finite(x, p), Real::Finite(y, q), Real::Finite(z, r)] => {
                    let zero = if (x != y) == z { z } else { rounding == Rounding::Down };
                    let above = p * q + (r << small.unit);
                    small.fraction(rounding, zero, above, 1 << small.unit)
                }
                [p, q, r] => {
                    let first = small.product(rounding, p, q);
                    // Infinite or nothing, or a number beside what is not.
                    small.sum(rounding, small.real(first), r)
                }
            };
            // A finite product that overflows when rounded is no infinity.
            let skipped = matches!(reals, [Real::Finite(..), Real::Finite(..), Real::Infinite(_)]);
            if !skipped {
                assert_eq!(circuit.run(&[a, b, c]), expected, "{rounding:?} {a} {b} {c}");
            }
        }
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A pattern of a format: mostly near borders.
    fn pattern(&mut self, sort: FloatSort, near: u128) -> u128 {
        let wide = u128::from(self.next()) << 64 | u128::from(self.next());
        let fraction = sort.significand - 1;
        let whole = (1u128 << fraction) - 1;
        let ones = (1u128 << sort.exponent) - 1;
        let sign = wide >> 127 << (sort.width() - 1);
        let bits = wide & whole;
        let few = self.next() % 8;
        let bias = ones >> 1;
        let exponent = match self.next() % 10 {
            0 => 0,
            1 => ones,
            2 => 1,
            3 => ones - 1,
            4 => bias + u128::from(self.next() % 130),
            5 => (bias + u128::from(self.next() % 8)).saturating_sub(4),
            6 => return near ^ sign ^ u128::from(few),
            7 => {
                let all = u128::MAX >> (128 - sort.width());
                return near.wrapping_add(u128::from(few) << fraction) & all;
            }
            _ => wide >> 64 & ones,
        }
        .min(ones);
        let bits = match self.next() % 6 {
            0 => 0,
            1 => whole,
            2 => 1 << (self.next() % u64::from(fraction)),
            3 => bits & whole << (self.next() % u64::from(fraction)) & whole,
            _ => bits,
        };
        sign | exponent << fraction | bits
    }
}

const KINDS: [(FloatKind, FloatSort); 5] = [
    (FloatKind::F16, FloatSort { exponent: 5, significand: 11 }),
    (FloatKind::F32, FloatSort::SINGLE),
    (FloatKind::F64, FloatSort::DOUBLE),
    (FloatKind::X87, FloatSort::EXTENDED),
    (FloatKind::F128, FloatSort::QUADRUPLE),
];

/// In memory the leading bit of x87's format is there.
fn in_memory(kind: FloatKind, bits: u128) -> u128 {
    if kind != FloatKind::X87 {
        return bits;
    }
    let leading = u128::from(bits >> 63 & 0x7fff != 0);
    bits >> 63 << 64 | leading << 63 | bits & ((1 << 63) - 1)
}

fn scalar_width(kind: FloatKind) -> u16 {
    Scalar::Float(kind).width()
}

/// Without it, and with one pattern for all that are no numbers.
fn interchanged(kind: FloatKind, sort: FloatSort, bits: u128) -> u128 {
    let bits = crate::encode::scalar::interchange_bits(kind, bits);
    let fraction = sort.significand - 1;
    let infinity = ((1u128 << sort.exponent) - 1) << fraction;
    let magnitude = bits & ((1 << (sort.width() - 1)) - 1);
    if magnitude > infinity { infinity | 1 << (fraction - 1) } else { bits }
}

#[test]
fn arithmetic_and_comparisons_of_the_formats_of_c_are_those_of_the_model() {
    let operators = [
        (BinaryOp::Add, Op::FloatAdd),
        (BinaryOp::Sub, Op::FloatSub),
        (BinaryOp::Mul, Op::FloatMul),
        (BinaryOp::Div, Op::FloatDiv),
        (BinaryOp::Eq, Op::FloatEq),
        (BinaryOp::Lt, Op::FloatLt),
        (BinaryOp::Le, Op::FloatLe),
    ];
    for (kind, sort) in KINDS {
        let cases = if sort.significand > 60 { 150 } else { 1200 };
        for (operation, op) in operators {
            let circuit = of(op, &[Sort::Float(sort); 2]);
            let scalar = Scalar::Float(kind);
            let mut random = Random(11);
            let mut a = 0;
            for _ in 0..cases {
                a = random.pattern(sort, a);
                let b = random.pattern(sort, a);
                let (x, y) = (in_memory(kind, a), in_memory(kind, b));
                let result = ops::binary(operation, scalar, x, scalar, y).expect("never traps");
                let expected = match operation.is_comparison() {
                    true => result,
                    false => interchanged(kind, sort, result),
                };
                assert_eq!(circuit.run(&[a, b]), expected, "{kind:?} {a:x} {operation:?} {b:x}");
            }
        }
    }
}

#[test]
fn conversions_of_the_formats_of_c_are_those_of_the_model() {
    let mut random = Random(5);
    for (kind, sort) in KINDS {
        for (to_kind, to) in KINDS {
            if kind == to_kind {
                continue;
            }
            let circuit = of(Op::FloatConvert(to), &[Sort::Float(sort)]);
            let mut a = 0;
            for _ in 0..400 {
                a = random.pattern(sort, a);
                // Near the borders of the other format too.
                let moved = random.pattern(to, 0);
                let moved = ops::cast(
                    Scalar::Float(to_kind),
                    Scalar::Float(kind),
                    in_memory(to_kind, moved),
                );
                for a in [a, interchanged(kind, sort, moved) ^ u128::from(random.next() % 4)] {
                    let (from_scalar, to_scalar) = (Scalar::Float(kind), Scalar::Float(to_kind));
                    let converted = ops::cast(from_scalar, to_scalar, in_memory(kind, a));
                    let expected = interchanged(to_kind, to, converted);
                    assert_eq!(circuit.run(&[a]), expected, "{kind:?} {a:x} to {to_kind:?}");
                }
            }
        }
        for bits in [8u16, 16, 32, 64, 128] {
            for signed in [true, false] {
                let integer = Scalar::Int { bits, signed };
                let op =
                    if signed { Op::FloatFromSigned(sort) } else { Op::FloatFromUnsigned(sort) };
                let circuit = of(op, &[Sort::BitVec(u32::from(bits))]);
                for _ in 0..200 {
                    let wide = u128::from(random.next()) << 64 | u128::from(random.next());
                    let cut = wide >> (random.next() % 128) ^ u128::from(random.next() % 3);
                    let cut =
                        if random.next().is_multiple_of(3) { cut.wrapping_neg() } else { cut };
                    let value = ops::truncate(cut, bits);
                    let converted = ops::cast(integer, Scalar::Float(kind), value);
                    let expected = interchanged(kind, sort, converted);
                    assert_eq!(circuit.run(&[value]), expected, "{kind:?} of {value:x} {signed}");
                }
                let op = if signed {
                    Op::FloatToSigned(bits.into())
                } else {
                    Op::FloatToUnsigned(bits.into())
                };
                let circuit = of(op, &[Sort::Float(sort)]);
                for _ in 0..200 {
                    // Numbers that fit: made of integers, and a little less.
                    let wide = u128::from(random.next()) << 64 | u128::from(random.next());
                    let value = ops::truncate(wide >> (random.next() % 128), bits);
                    let number = ops::cast(integer, Scalar::Float(kind), value);
                    let number =
                        if random.next().is_multiple_of(2) { number } else { number.max(1) - 1 };
                    let pattern = interchanged(kind, sort, number);
                    let cut = ops::cast(Scalar::Float(kind), integer, in_memory(kind, pattern));
                    let again = ops::cast(integer, Scalar::Float(kind), cut);
                    // Where it does not fit, nothing is said.
                    let distance = again.abs_diff(number);
                    let one = ops::parse_float(kind, "1").expect("a number");
                    let infinite = ops::parse_float(kind, "inf").expect("a number");
                    let is_finite = number & !(1 << (scalar_width(kind) - 1)) != infinite;
                    let fits = is_finite && distance == 0
                        || number & !(1 << (scalar_width(kind) - 1)) < one;
                    if fits && (signed || pattern >> (sort.width() - 1) & 1 == 0) {
                        assert_eq!(circuit.run(&[pattern]), cut, "{kind:?} {pattern:x} {op:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn functions_of_float_and_double_are_those_of_the_machine() {
    type Machine = (Rounding, fn(f64) -> f64, fn(f32) -> f32);
    let roundings: [Machine; 5] = [
        (Rounding::NearestEven, f64::round_ties_even, f32::round_ties_even),
        (Rounding::NearestAway, f64::round, f32::round),
        (Rounding::TowardZero, f64::trunc, f32::trunc),
        (Rounding::Up, f64::ceil, f32::ceil),
        (Rounding::Down, f64::floor, f32::floor),
    ];
    let (single, double) = (FloatSort::SINGLE, FloatSort::DOUBLE);
    let narrow = |value: f32| interchanged(FloatKind::F32, single, value.to_bits().into());
    let broad = |value: f64| interchanged(FloatKind::F64, double, value.to_bits().into());
    let f32_of = |bits: u128| f32::from_bits(bits as u32);
    let f64_of = |bits: u128| f64::from_bits(bits as u64);
    let mut unary = vec![(Op::FloatSqrt, f64::sqrt as fn(f64) -> f64, f32::sqrt as fn(f32) -> f32)];
    unary.push((Op::FloatNeg, |x| -x, |x| -x));
    unary.push((Op::FloatAbs, f64::abs, f32::abs));
    unary.extend(roundings.map(|(rounding, d, s)| (Op::FloatRound(rounding), d, s)));
    let mut random = Random(3);
    for (op, of_double, of_single) in unary {
        let (s, d) = (of(op, &[Sort::Float(single)]), of(op, &[Sort::Float(double)]));
        let (mut a, mut b) = (0, 0);
        for _ in 0..1500 {
            (a, b) = (random.pattern(single, a), random.pattern(double, b));
            assert_eq!(s.run(&[a]), narrow(of_single(f32_of(a))), "{op:?} {a:x}");
            assert_eq!(d.run(&[b]), broad(of_double(f64_of(b))), "{op:?} {b:x}");
        }
    }
    let (s, d) =
        (of(Op::FloatFma, &[Sort::Float(single); 3]), of(Op::FloatFma, &[Sort::Float(double); 3]));
    for _ in 0..1500 {
        let [mut a, mut b, mut c] = [0; 3];
        a = random.pattern(single, a);
        b = random.pattern(single, b);
        c = random.pattern(single, narrow(-f32_of(a) * f32_of(b)) ^ c);
        let expected = narrow(f32_of(a).mul_add(f32_of(b), f32_of(c)));
        assert_eq!(s.run(&[a, b, c]), expected, "fma {a:x} {b:x} {c:x}");
        let [a, b] = [(); 2].map(|()| random.pattern(double, 0x3ff0 << 48));
        let c = random.pattern(double, broad(-f64_of(a) * f64_of(b)));
        let expected = broad(f64_of(a).mul_add(f64_of(b), f64_of(c)));
        assert_eq!(d.run(&[a, b, c]), expected, "fma {a:x} {b:x} {c:x}");
    }
    let circuit = of(Op::FloatRem, &[Sort::Float(single); 2]);
    let mut a = 0;
    for _ in 0..300 {
        a = random.pattern(single, a);
        let b = random.pattern(single, a);
        let (x, y) = (f64::from(f32_of(a)), f64::from(f32_of(b)));
        // Exact in `double`.
        let size = y.abs();
        let (rest, is_odd) = (x.abs() % size, x.abs() % (2.0 * size) >= size);
        let up = 2.0 * rest > size || 2.0 * rest == size && is_odd;
        let rest = if up { rest - size } else { rest };
        let expected = narrow(if x.is_sign_negative() { -rest } else { rest } as f32);
        assert_eq!(circuit.run(&[a, b]), expected, "{a:x} % {b:x}");
    }
}
