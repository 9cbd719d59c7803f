//! Functions of `<math.h>` as terms: those whose result is exact or correctly rounded.
//!
//! What C and IEEE 754 leave open (which of two zeros `fmin` gives, the sign of what is not a number)
//! is left open here: the caller gives a truth value of which nothing is known. Rounding is to the
//! nearest; programs that change it are told apart elsewhere. The independent checker of proofs uses
//! the same definitions.

use crate::Integer;
use crate::encode::scalar::float_sort;
use crate::number::power_of_two;
use crate::term::{FloatSort, Op, Rounding, Sort, Term, Terms, Value};
use gnomon_ir::library::plain_name;
use gnomon_ir::types::FloatKind;

/// A function of `<math.h>`, for one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MathFunction {
    /// The format of its arguments; functions that classify take any.
    pub kind: FloatKind,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Unary(Op),
    CutRemainder,
    Remainder,
    Least,
    Greatest,
    CopySign,
    Difference,
    Fused,
    ToInteger(Rounding),
    Class(Class),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Nan,
    Infinite,
    Finite,
    Normal,
    SignBit,
    Classify,
}

/// What a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MathResult {
    /// A number of the function's format.
    Number(Term),
    /// An integer of 32 bits.
    Integer(Term),
    /// A whole number that is to be converted to an integer type.
    Whole(Term),
}

/// The functions without the suffix of a type.
const FUNCTIONS: [(&str, What); 32] = [
    ("sqrt", What::Unary(Op::FloatSqrt)),
    ("fabs", What::Unary(Op::FloatAbs)),
    ("floor", What::Unary(Op::FloatRound(Rounding::Down))),
    ("ceil", What::Unary(Op::FloatRound(Rounding::Up))),
    ("trunc", What::Unary(Op::FloatRound(Rounding::TowardZero))),
    ("round", What::Unary(Op::FloatRound(Rounding::NearestAway))),
    ("rint", What::Unary(Op::FloatRound(Rounding::NearestEven))),
    ("nearbyint", What::Unary(Op::FloatRound(Rounding::NearestEven))),
    ("roundeven", What::Unary(Op::FloatRound(Rounding::NearestEven))),
    ("fmod", What::CutRemainder),
    ("remainder", What::Remainder),
    ("drem", What::Remainder),
    ("fmin", What::Least),
    ("fmax", What::Greatest),
    ("copysign", What::CopySign),
    ("fdim", What::Difference),
    ("fma", What::Fused),
    ("lround", What::ToInteger(Rounding::NearestAway)),
    ("llround", What::ToInteger(Rounding::NearestAway)),
    ("lrint", What::ToInteger(Rounding::NearestEven)),
    ("llrint", What::ToInteger(Rounding::NearestEven)),
    ("isnan", What::Class(Class::Nan)),
    ("__isnan", What::Class(Class::Nan)),
    ("isinf", What::Class(Class::Infinite)),
    ("__isinf", What::Class(Class::Infinite)),
    ("finite", What::Class(Class::Finite)),
    ("__finite", What::Class(Class::Finite)),
    ("isnormal", What::Class(Class::Normal)),
    ("signbit", What::Class(Class::SignBit)),
    ("__signbit", What::Class(Class::SignBit)),
    ("fpclassify", What::Class(Class::Classify)),
    ("__fpclassify", What::Class(Class::Classify)),
];

/// The function with a name, if it is one of these.
pub fn find(name: &str) -> Option<MathFunction> {
    let plain = plain_name(name);
    let known = |base: &str| FUNCTIONS.iter().find(|(name, _)| *name == base).map(|f| f.1);
    if let Some(what) = known(plain) {
        return Some(MathFunction { kind: FloatKind::F64, what });
    }
    let suffixed = [('f', FloatKind::F32), ('l', FloatKind::X87)];
    suffixed.into_iter().find_map(|(suffix, kind)| {
        let what = known(plain.strip_suffix(suffix)?)?;
        Some(MathFunction { kind, what })
    })
}

impl MathFunction {
    /// How many arguments it has.
    pub fn arity(self) -> usize {
        match self.what {
            What::Unary(_) | What::ToInteger(_) | What::Class(_) => 1,
            What::Fused => 3,
            _ => 2,
        }
    }

    /// Whether it classifies a number of any format.
    pub fn is_generic(self) -> bool {
        matches!(self.what, What::Class(_))
    }

    /// Whether something about the result is open.
    pub fn is_open(self) -> bool {
        matches!(
            self.what,
            What::Least | What::Greatest | What::CopySign | What::Class(Class::SignBit)
        )
    }

    /// The result; `open` is a truth value of which nothing is known. `None` if these are not its
    /// arguments.
    pub fn result(self, t: &mut Terms, args: &[Term], open: Term) -> Option<MathResult> {
        let number = match (self.what, args) {
            (What::Unary(op), &[a]) => t.make(op, &[a]),
            (What::CutRemainder, &[a, b]) => cut_remainder(t, a, b),
            (What::Remainder, &[a, b]) => t.make(Op::FloatRem, &[a, b]),
            (What::Least, &[a, b]) => chosen(t, a, b, open, false),
            (What::Greatest, &[a, b]) => chosen(t, a, b, open, true),
            (What::CopySign, &[a, b]) => {
                let sign = sign(t, b, open);
                with_sign(t, a, sign)
            }
            (What::Difference, &[a, b]) => {
                let (difference, is_more) =
                    (t.make(Op::FloatSub, &[a, b]), t.make(Op::FloatLt, &[b, a]));
                let is_less = t.make(Op::FloatLe, &[a, b]);
                let zero = constant(t, a, Integer::ZERO);
                let not_more = t.ite(is_less, zero, difference);
                t.ite(is_more, difference, not_more)
            }
            (What::Fused, &[a, b, c]) => t.make(Op::FloatFma, &[a, b, c]),
            (What::ToInteger(rounding), &[a]) => {
                return Some(MathResult::Whole(t.make(Op::FloatRound(rounding), &[a])));
            }
            (What::Class(class), &[a]) => {
                return Some(MathResult::Integer(classified(t, class, a, open)));
            }
            _ => return None,
        };
        Some(MathResult::Number(number))
    }
}

fn format(t: &Terms, number: Term) -> FloatSort {
    t.float_sort(number).unwrap_or(float_sort(FloatKind::F64))
}

fn constant(t: &mut Terms, like: Term, bits: Integer) -> Term {
    let sort = format(t, like);
    t.value_term(&Value::float(sort, bits), Sort::Float(sort))
}

/// Whether the sign is set; of what is not a number it is open.
fn sign(t: &mut Terms, a: Term, open: Term) -> Term {
    let zero = constant(t, a, Integer::ZERO);
    let minus = constant(t, a, power_of_two(format(t, a).width() - 1));
    let (is_less, is_minus) = (t.make(Op::FloatLt, &[a, zero]), t.eq(a, minus));
    let negative = t.or2(is_less, is_minus);
    let nan = t.make(Op::FloatIsNan, &[a]);
    t.ite(nan, open, negative)
}

fn with_sign(t: &mut Terms, a: Term, sign: Term) -> Term {
    let positive = t.make(Op::FloatAbs, &[a]);
    let negative = t.make(Op::FloatNeg, &[positive]);
    t.ite(sign, negative, positive)
}

/// `fmin` or `fmax`: a number wins over what is none; of two zeros it is open which.
fn chosen(t: &mut Terms, a: Term, b: Term, open: Term, greatest: bool) -> Term {
    let (less, more) = (t.make(Op::FloatLt, &[a, b]), t.make(Op::FloatLt, &[b, a]));
    let (first, second) = if greatest { (more, less) } else { (less, more) };
    let either = t.ite(open, a, b);
    let unless = t.ite(second, b, either);
    let ordered = t.ite(first, a, unless);
    let (nan_a, nan_b) = (t.make(Op::FloatIsNan, &[a]), t.make(Op::FloatIsNan, &[b]));
    let with_b = t.ite(nan_b, a, ordered);
    t.ite(nan_a, b, with_b)
}

/// `fmod`: the remainder at the multiple below, from that at the nearest. The correction is exact.
fn cut_remainder(t: &mut Terms, a: Term, b: Term) -> Term {
    let (x, y) = (t.make(Op::FloatAbs, &[a]), t.make(Op::FloatAbs, &[b]));
    let nearest = t.make(Op::FloatRem, &[x, y]);
    let zero = constant(t, a, Integer::ZERO);
    let is_above = t.make(Op::FloatLt, &[nearest, zero]);
    let raised = t.make(Op::FloatAdd, &[nearest, y]);
    let rest = t.ite(is_above, raised, nearest);
    // What is not a number has no sign that matters.
    let no = t.ff();
    let negative = sign(t, a, no);
    with_sign(t, rest, negative)
}

fn classified(t: &mut Terms, class: Class, a: Term, open: Term) -> Term {
    let fraction = format(t, a).significand - 1;
    let smallest = constant(t, a, power_of_two(fraction));
    let zero = constant(t, a, Integer::ZERO);
    let size = t.make(Op::FloatAbs, &[a]);
    let (nan, infinite) = (t.make(Op::FloatIsNan, &[a]), t.make(Op::FloatIsInfinite, &[a]));
    let neither = t.or2(nan, infinite);
    let finite = t.not(neither);
    let large = t.make(Op::FloatLe, &[smallest, size]);
    let int = |t: &mut Terms, value: i64| {
        let bits = crate::number::modulo_power_of_two(&Integer::from(value), 32);
        t.bv(bits, 32)
    };
    let (none, one) = (int(t, 0), int(t, 1));
    match class {
        Class::Nan => t.ite(nan, one, none),
        Class::Infinite => {
            let is_less = t.make(Op::FloatLt, &[a, zero]);
            let minus = int(t, -1);
            let signed = t.ite(is_less, minus, one);
            t.ite(infinite, signed, none)
        }
        Class::Finite => t.ite(finite, one, none),
        Class::Normal => {
            let normal = t.and2(finite, large);
            t.ite(normal, one, none)
        }
        Class::SignBit => {
            let sign = sign(t, a, open);
            t.ite(sign, one, none)
        }
        Class::Classify => {
            let is_zero = t.make(Op::FloatEq, &[a, zero]);
            let [of_zero, subnormal, normal] = [2, 3, 4].map(|value| int(t, value));
            let other = t.ite(large, normal, subnormal);
            let other = t.ite(is_zero, of_zero, other);
            let other = t.ite(infinite, one, other);
            t.ite(nan, none, other)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The functions on `double` against the machine's, by evaluation.
    #[test]
    fn functions_are_those_of_the_machine() {
        let numbers = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            2.5,
            0.5,
            -0.5,
            3.5,
            1e-310,
            -5e-324,
            1e308,
            -1e308,
            7.25,
            -3.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            4503599627370497.5,
            -2.2250738585072014e-308,
        ];
        let mut t = Terms::new();
        let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
        let mut check = |name: &str, args: &[f64], expected: MathResultOf| {
            let function = find(name).expect("one of these");
            let sort = FloatSort::DOUBLE;
            let terms: Vec<Term> = args
                .iter()
                .map(|x| t.value_term(&Value::float(sort, x.to_bits().into()), Sort::Float(sort)))
                .collect();
            let open = t.tt();
            let result = function.result(&mut t, &terms, open).expect("its arguments");
            let (term, wanted) = match (result, expected) {
                (MathResult::Number(term) | MathResult::Whole(term), MathResultOf::Number(x)) => {
                    (term, Value::float(sort, bits(x).into()))
                }
                (MathResult::Integer(term), MathResultOf::Integer(x)) => {
                    let bits = Integer::from(x as u32);
                    (term, Value::BitVec { width: 32, bits })
                }
                other => panic!("{other:?}"),
            };
            let found = t.evaluate(term, |_, _| None);
            assert_eq!(found, Some(wanted), "{name} of {args:?}");
        };
        use MathResultOf::{Integer as I, Number as N};
        for a in numbers {
            for (name, function) in [
                ("sqrt", f64::sqrt as fn(f64) -> f64),
                ("__builtin_fabs", f64::abs),
                ("floor", f64::floor),
                ("ceil", f64::ceil),
                ("trunc", f64::trunc),
                ("round", f64::round),
                ("rint", f64::round_ties_even),
                ("llround", f64::round),
            ] {
                check(name, &[a], N(function(a)));
            }
            check("__isnan", &[a], I(a.is_nan().into()));
            let sign = if a < 0.0 { -1 } else { 1 };
            check("isinf", &[a], I(if a.is_infinite() { sign } else { 0 }));
            check("__finite", &[a], I(a.is_finite().into()));
            let class = match a.classify() {
                std::num::FpCategory::Nan => 0,
                std::num::FpCategory::Infinite => 1,
                std::num::FpCategory::Zero => 2,
                std::num::FpCategory::Subnormal => 3,
                std::num::FpCategory::Normal => 4,
            };
            check("__fpclassify", &[a], I(class));
            if !a.is_nan() {
                check("__signbit", &[a], I(a.is_sign_negative().into()));
            }
            for b in numbers {
                check("fmod", &[a, b], N(a % b));
                if !b.is_nan() {
                    check("copysign", &[a, b], N(if a.is_nan() { a } else { a.copysign(b) }));
                }
                if a != 0.0 || b != 0.0 {
                    check("fmin", &[a, b], N(a.min(b)));
                    check("fmax", &[a, b], N(a.max(b)));
                }
                let difference = if a <= b { 0.0 } else { a - b };
                check("fdim", &[a, b], N(difference));
                for c in [0.0, -1.0, 1e308] {
                    check("fma", &[a, b, c], N(a.mul_add(b, c)));
                }
            }
        }
    }

    #[derive(Clone, Copy, Debug)]
    enum MathResultOf {
        Number(f64),
        Integer(i32),
    }
}
