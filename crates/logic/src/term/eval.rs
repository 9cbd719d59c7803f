//! The value of a term under an assignment.
//!
//! Written apart from the simplifier and the solvers, so that tests can hold the three against each
//! other. Partial: division by zero of integers, conversions of floating-point numbers outside the
//! target's range, formats other than single and double, and applications of functions without an
//! assigned value have none.

use super::arena::{Term, Terms};
use super::op::{Op, Rounding};
use super::simplify::{Folded, fold_bitvec};
use super::sort::{FloatSort, Sort};
use super::value::Value;
use crate::Integer;
use crate::number::{div_mod, to_signed};
use rustc_hash::FxHashMap;

impl Terms {
    /// The value of `root` where `assigned` gives the values of symbols and of applications of
    /// functions; it is given the term and the values of its arguments.
    pub fn evaluate(
        &self,
        root: Term,
        mut assigned: impl FnMut(Term, &[Option<&Value>]) -> Option<Value>,
    ) -> Option<Value> {
        let mut values: FxHashMap<Term, Value> = FxHashMap::default();
        for term in self.subterms(&[root]) {
            // An undefined argument is fatal only where it is looked at.
            let args: Vec<Option<&Value>> = self.args(term).iter().map(|a| values.get(a)).collect();
            let value = match self.op(term) {
                Op::Symbol(_) | Op::Apply(_) => assigned(term, &args),
                _ => self.evaluate_node(term, &args),
            };
            if let Some(value) = value {
                values.insert(term, value);
            }
        }
        values.remove(&root)
    }

    fn evaluate_node(&self, term: Term, args: &[Option<&Value>]) -> Option<Value> {
        match (self.op(term), args) {
            (Op::Ite, &[condition, then, other]) => {
                return if condition?.as_bool()? { then.cloned() } else { other.cloned() };
            }
            (Op::And, _) if args.iter().any(|a| a.is_some_and(|v| *v == Value::Bool(false))) => {
                return Some(Value::Bool(false));
            }
            (Op::Or, _) if args.iter().any(|a| a.is_some_and(|v| *v == Value::Bool(true))) => {
                return Some(Value::Bool(true));
            }
            _ => {}
        }
        let args: Option<Vec<&Value>> = args.iter().copied().collect();
        self.evaluate_strict(term, &args?)
    }

    fn evaluate_strict(&self, term: Term, args: &[&Value]) -> Option<Value> {
        let integers =
            || -> Option<Vec<&Integer>> { args.iter().map(|v| v.as_integer()).collect() };
        let truth = |value: bool| Some(Value::Bool(value));
        match self.op(term) {
            Op::True => truth(true),
            Op::False => truth(false),
            Op::Int(id) => Some(Value::Int(self.number(id).clone())),
            Op::BitVec(id) => {
                Some(Value::BitVec { width: self.width(term), bits: self.number(id).clone() })
            }
            Op::Symbol(_) | Op::Apply(_) | Op::Ite => None,
            Op::Not => truth(!args.first()?.as_bool()?),
            // The members that decide were looked at before.
            Op::And => truth(true),
            Op::Or => truth(false),
            Op::Eq => truth(args.first()? == args.get(1)?),
            Op::Add => Some(Value::Int(integers()?.into_iter().sum())),
            Op::Mul => Some(Value::Int(integers()?.into_iter().product())),
            Op::Le => {
                let values = integers()?;
                truth(values.first()? <= values.get(1)?)
            }
            Op::Div | Op::Mod => {
                let values = integers()?;
                let (&value, &divisor) = (values.first()?, values.get(1)?);
                if *divisor == Integer::ZERO {
                    return None;
                }
                let (quotient, remainder) = div_mod(value, divisor);
                Some(Value::Int(if self.op(term) == Op::Div { quotient } else { remainder }))
            }
            Op::Select => match args {
                [Value::Array { default, entries }, index] => {
                    Some(entries.get(*index).unwrap_or(default).clone())
                }
                _ => None,
            },
            Op::Store => match args {
                [Value::Array { default, entries }, index, value] => {
                    let mut entries = entries.clone();
                    if **value == **default {
                        entries.remove(*index);
                    } else {
                        entries.insert((*index).clone(), (*value).clone());
                    }
                    Some(Value::Array { default: default.clone(), entries })
                }
                _ => None,
            },
            Op::ConstArray(_) => Some(Value::Array {
                default: Box::new((*args.first()?).clone()),
                entries: Default::default(),
            }),
            op => self.evaluate_bits(term, op, args),
        }
    }

    fn evaluate_bits(&self, term: Term, op: Op, args: &[&Value]) -> Option<Value> {
        if let Some(value) = evaluate_float(op, args) {
            return Some(value);
        }
        let bits: Option<Vec<(&Integer, u32)>> = args
            .iter()
            .map(|v| match v {
                Value::BitVec { width, bits } => Some((bits, *width)),
                _ => None,
            })
            .collect();
        match (fold_bitvec(op, &bits?)?, self.sort(term)) {
            (Folded::Bits(bits), Sort::BitVec(width)) => Some(Value::BitVec { width, bits }),
            (Folded::Truth(value), _) => Some(Value::Bool(value)),
            _ => None,
        }
    }
}

/// A number of one of the formats the machine has.
#[derive(Clone, Copy)]
enum Native {
    Single(f32),
    Double(f64),
}

fn native(value: &Value) -> Option<Native> {
    let Value::Float { sort, bits } = value else { return None };
    match *sort {
        FloatSort::SINGLE => Some(Native::Single(f32::from_bits(u32::try_from(bits).ok()?))),
        FloatSort::DOUBLE => Some(Native::Double(f64::from_bits(u64::try_from(bits).ok()?))),
        _ => None,
    }
}

fn single(value: f32) -> Value {
    Value::float(FloatSort::SINGLE, value.to_bits().into())
}

fn double(value: f64) -> Value {
    Value::float(FloatSort::DOUBLE, value.to_bits().into())
}

fn evaluate_float(op: Op, args: &[&Value]) -> Option<Value> {
    match (op, args) {
        (Op::FloatFromBits(sort), [Value::BitVec { bits, .. }]) => {
            return Some(Value::float(sort, bits.clone()));
        }
        (Op::FloatFromSigned(sort), [Value::BitVec { width, bits }]) => {
            return from_integer(&to_signed(bits, *width), sort);
        }
        (Op::FloatFromUnsigned(sort), [Value::BitVec { bits, .. }]) => {
            return from_integer(bits, sort);
        }
        _ => {}
    }
    if let (Op::FloatFma, &[a, b, c]) = (op, args) {
        return match (native(a)?, native(b)?, native(c)?) {
            (Native::Single(a), Native::Single(b), Native::Single(c)) => {
                Some(single(a.mul_add(b, c)))
            }
            (Native::Double(a), Native::Double(b), Native::Double(c)) => {
                Some(double(a.mul_add(b, c)))
            }
            _ => None,
        };
    }
    match (native(args.first()?)?, args.get(1).map(|v| native(v))) {
        (Native::Single(a), None) => unary_single(op, a),
        (Native::Double(a), None) => unary_double(op, a),
        (Native::Single(a), Some(Some(Native::Single(b)))) => match op {
            Op::FloatAdd => Some(single(a + b)),
            Op::FloatSub => Some(single(a - b)),
            Op::FloatMul => Some(single(a * b)),
            Op::FloatDiv => Some(single(a / b)),
            // Exact in `double`, and what is left is a number of the narrow format.
            Op::FloatRem => Some(single(remainder(a.into(), b.into()) as f32)),
            _ => compare(op, f64::from(a), f64::from(b)),
        },
        (Native::Double(a), Some(Some(Native::Double(b)))) => match op {
            Op::FloatAdd => Some(double(a + b)),
            Op::FloatSub => Some(double(a - b)),
            Op::FloatMul => Some(double(a * b)),
            Op::FloatDiv => Some(double(a / b)),
            Op::FloatRem => Some(double(remainder(a, b))),
            _ => compare(op, a, b),
        },
        _ => None,
    }
}

fn unary_single(op: Op, a: f32) -> Option<Value> {
    match op {
        Op::FloatNeg => Some(single(-a)),
        Op::FloatAbs => Some(single(a.abs())),
        Op::FloatSqrt => Some(single(a.sqrt())),
        Op::FloatRound(rounding) => Some(single(match rounding {
            Rounding::NearestEven => a.round_ties_even(),
            Rounding::NearestAway => a.round(),
            Rounding::TowardZero => a.trunc(),
            Rounding::Up => a.ceil(),
            Rounding::Down => a.floor(),
        })),
        Op::FloatConvert(FloatSort::SINGLE) => Some(single(a)),
        _ => unary_double(op, f64::from(a)),
    }
}

fn unary_double(op: Op, a: f64) -> Option<Value> {
    match op {
        Op::FloatNeg => Some(double(-a)),
        Op::FloatAbs => Some(double(a.abs())),
        Op::FloatSqrt => Some(double(a.sqrt())),
        Op::FloatRound(rounding) => Some(double(match rounding {
            Rounding::NearestEven => a.round_ties_even(),
            Rounding::NearestAway => a.round(),
            Rounding::TowardZero => a.trunc(),
            Rounding::Up => a.ceil(),
            Rounding::Down => a.floor(),
        })),
        Op::FloatIsNan => Some(Value::Bool(a.is_nan())),
        Op::FloatIsInfinite => Some(Value::Bool(a.is_infinite())),
        Op::FloatConvert(FloatSort::SINGLE) => Some(single(a as f32)),
        Op::FloatConvert(FloatSort::DOUBLE) => Some(double(a)),
        Op::FloatToSigned(width) | Op::FloatToUnsigned(width) => {
            let signed = matches!(op, Op::FloatToSigned(_));
            let truncated = a.trunc();
            // Exact for every width of C: the bounds are powers of two.
            let (least, bound) = if signed {
                (-(2f64.powi(width as i32 - 1)), 2f64.powi(width as i32 - 1))
            } else {
                (0.0, 2f64.powi(width as i32))
            };
            if !(truncated >= least && truncated < bound) || width > 64 {
                return None;
            }
            let integer = Integer::from(truncated as i128);
            let bits = crate::number::modulo_power_of_two(&integer, width);
            Some(Value::BitVec { width, bits })
        }
        _ => None,
    }
}

/// The remainder at the nearest whole multiple, of two at the even one.
fn remainder(a: f64, b: f64) -> f64 {
    let size = b.abs();
    let (rest, is_odd) = (a.abs() % size, a.abs() % (2.0 * size) >= size);
    let up = 2.0 * rest > size || 2.0 * rest == size && is_odd;
    let rest = if up { rest - size } else { rest };
    if a.is_sign_negative() { -rest } else { rest }
}

fn compare(op: Op, a: f64, b: f64) -> Option<Value> {
    Some(Value::Bool(match op {
        Op::FloatEq => a == b,
        Op::FloatLt => a < b,
        Op::FloatLe => a <= b,
        _ => return None,
    }))
}

fn from_integer(value: &Integer, sort: FloatSort) -> Option<Value> {
    let value = i128::try_from(value).ok()?;
    match sort {
        FloatSort::SINGLE => Some(single(value as f32)),
        FloatSort::DOUBLE => Some(double(value as f64)),
        _ => None,
    }
}
