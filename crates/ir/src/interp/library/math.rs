//! `<math.h>`.
//!
//! `float` and `double` are computed by the host, whose library is that of the programs' machine.
//! For `long double` there are the functions whose result is exact or a rounding of the exact
//! one; the others are refused.

use rustc_apfloat::ieee::X87DoubleExtended;
use rustc_apfloat::{Float, Round};

use crate::interp::library::{Native, NativeCall};
use crate::interp::machine::Machine;
use crate::interp::outcome::Stop;
use crate::interp::value::{Shape, Value};
use crate::library::plain_name;
use crate::ops;
use crate::types::FloatKind;

type Done = Result<Option<Value>, Stop>;

/// Name, and the function on `double` and on `float`.
type UnaryFunction = (&'static str, fn(f64) -> f64, fn(f32) -> f32);
type BinaryFunction = (&'static str, fn(f64, f64) -> f64, fn(f32, f32) -> f32);

/// Functions of one number.
const ONE: [UnaryFunction; 28] = [
    ("sqrt", f64::sqrt, f32::sqrt),
    ("fabs", f64::abs, f32::abs),
    ("floor", f64::floor, f32::floor),
    ("ceil", f64::ceil, f32::ceil),
    ("trunc", f64::trunc, f32::trunc),
    ("round", f64::round, f32::round),
    ("rint", f64::round_ties_even, f32::round_ties_even),
    ("nearbyint", f64::round_ties_even, f32::round_ties_even),
    ("roundeven", f64::round_ties_even, f32::round_ties_even),
    ("sin", f64::sin, f32::sin),
    ("cos", f64::cos, f32::cos),
    ("tan", f64::tan, f32::tan),
    ("asin", f64::asin, f32::asin),
    ("acos", f64::acos, f32::acos),
    ("atan", f64::atan, f32::atan),
    ("sinh", f64::sinh, f32::sinh),
    ("cosh", f64::cosh, f32::cosh),
    ("tanh", f64::tanh, f32::tanh),
    ("exp", f64::exp, f32::exp),
    ("exp2", f64::exp2, f32::exp2),
    ("expm1", f64::exp_m1, f32::exp_m1),
    ("log", f64::ln, f32::ln),
    ("log2", f64::log2, f32::log2),
    ("log10", f64::log10, f32::log10),
    ("log1p", f64::ln_1p, f32::ln_1p),
    ("cbrt", f64::cbrt, f32::cbrt),
    ("logb", logb, |x| logb(f64::from(x)) as f32),
    ("significand", significand, |x| significand(f64::from(x)) as f32),
];

/// Functions of two numbers.
const TWO: [BinaryFunction; 11] = [
    ("pow", f64::powf, f32::powf),
    ("atan2", f64::atan2, f32::atan2),
    ("hypot", f64::hypot, f32::hypot),
    ("fmod", |a, b| a % b, |a, b| a % b),
    ("fmax", f64::max, f32::max),
    ("fmin", f64::min, f32::min),
    ("copysign", f64::copysign, f32::copysign),
    (
        "fdim",
        |a, b| if a > b { a - b } else { nan_or_zero(a, b) },
        |a, b| {
            if a > b { a - b } else { nan_or_zero(f64::from(a), f64::from(b)) as f32 }
        },
    ),
    ("remainder", remainder, |a, b| remainder(f64::from(a), f64::from(b)) as f32),
    ("drem", remainder, |a, b| remainder(f64::from(a), f64::from(b)) as f32),
    ("nextafter", nextafter, nextafterf),
];

/// Functions with other results or arguments, without suffix.
const OTHERS: [&str; 36] = [
    "fma",
    "ldexp",
    "scalbn",
    "scalbln",
    "frexp",
    "modf",
    "ilogb",
    "lround",
    "llround",
    "lrint",
    "llrint",
    "isnan",
    "isinf",
    "isfinite",
    "isnormal",
    "signbit",
    "fpclassify",
    "finite",
    "__isnan",
    "__isinf",
    "__finite",
    "__signbit",
    "__fpclassify",
    "isinf_sign",
    "isgreater",
    "isgreaterequal",
    "isless",
    "islessequal",
    "islessgreater",
    "isunordered",
    "inf",
    "huge_val",
    "nan",
    "nans",
    "__isfinite",
    "issignaling",
];

fn nan_or_zero(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { 0.0 }
}

fn logb(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x.is_infinite() {
        f64::INFINITY
    } else if x.is_nan() {
        x
    } else {
        f64::from(split(x).1 - 1)
    }
}

fn significand(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() { x } else { split(x).0 * 2.0 }
}

/// A fraction from 0.5 up to 1 and an exponent.
fn split(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    const TWO_64: f64 = 18_446_744_073_709_551_616.0;
    let (x, bias) = if x.is_subnormal() { (x * TWO_64, 64) } else { (x, 0) };
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    let fraction = x.to_bits() & !(0x7ff << 52) | 1022 << 52;
    (f64::from_bits(fraction), exponent - bias)
}

fn remainder(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() || a.is_infinite() || b == 0.0 {
        return f64::NAN;
    }
    type Double = rustc_apfloat::ieee::Double;
    let (x, y) =
        (Double::from_bits(u128::from(a.to_bits())), Double::from_bits(u128::from(b.to_bits())));
    f64::from_bits(x.ieee_rem(y).value.to_bits() as u64)
}

fn nextafter(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b {
        return b;
    }
    if a < b { a.next_up() } else { a.next_down() }
}

fn nextafterf(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        return f32::NAN;
    }
    if a == b {
        return b;
    }
    if a < b { a.next_up() } else { a.next_down() }
}

/// The name without the suffix for the type, and the type.
fn parse(plain: &str) -> Option<(&str, Shape)> {
    let known = |base: &str| {
        ONE.iter().any(|f| f.0 == base) || TWO.iter().any(|f| f.0 == base) || OTHERS.contains(&base)
    };
    if known(plain) {
        return Some((plain, Shape::F64));
    }
    let suffixed = [('f', Shape::F32), ('l', Shape::X87)];
    suffixed.into_iter().find_map(|(suffix, shape)| {
        let base = plain.strip_suffix(suffix)?;
        known(base).then_some((base, shape))
    })
}

pub(super) fn find(plain: &str) -> Option<Native> {
    let (base, _) = parse(plain)?;
    Some(match base {
        "frexp" => frexp,
        "modf" => modf,
        "ldexp" | "scalbn" | "scalbln" => ldexp,
        "ilogb" => ilogb,
        "lround" | "llround" | "lrint" | "llrint" => to_integer,
        "fma" => fma,
        "inf" | "huge_val" | "nan" | "nans" => constant,
        _ if OTHERS.contains(&base) => {
            if base.starts_with("isgr") || base.starts_with("isle") || base == "isunordered" {
                compare
            } else {
                classify
            }
        }
        _ if TWO.iter().any(|f| f.0 == base) => two,
        _ => one,
    })
}

fn parsed<'a>(call: &NativeCall<'a>) -> (&'a str, Shape) {
    parse(plain_name(call.name)).unwrap_or(("", Shape::F64))
}

/// An argument converted to a floating-point shape.
fn argument(
    m: &mut Machine<'_>,
    call: &NativeCall<'_>,
    index: usize,
    shape: Shape,
) -> Result<u128, Stop> {
    let (from, value) = call.scalar(m, index)?;
    Ok(ops::cast(from.scalar(), shape.scalar(), from.bits(value)))
}

fn from_f64(value: f64) -> Value {
    if value.is_nan() { Value::word(0x7ff8 << 48) } else { Value::double(value) }
}

fn from_f32(value: f32) -> Value {
    Value::word(u64::from(if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() }))
}

fn one(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (base, shape) = parsed(call);
    let bits = argument(m, call, 0, shape)?;
    let Some((_, double, single)) = ONE.iter().find(|f| f.0 == base) else {
        return Err(m.unsupported(call.name));
    };
    Ok(Some(match shape {
        Shape::F64 => from_f64(double(f64::from_bits(bits as u64))),
        Shape::F32 => from_f32(single(f32::from_bits(bits as u32))),
        _ => match extended_one(base, bits) {
            Some(result) => Value::bits(result),
            None => return Err(m.unsupported(call.name)),
        },
    }))
}

fn extended_one(base: &str, bits: u128) -> Option<u128> {
    let value = X87DoubleExtended::from_bits(bits);
    let rounding = match base {
        "fabs" => return Some(bits & !(1 << 79)),
        "sqrt" => return Some(extended_sqrt(value)),
        "floor" => Round::TowardNegative,
        "ceil" => Round::TowardPositive,
        "trunc" => Round::TowardZero,
        "round" => Round::NearestTiesToAway,
        "rint" | "nearbyint" | "roundeven" => Round::NearestTiesToEven,
        _ => return None,
    };
    Some(value.round_to_integral(rounding).value.to_bits())
}

/// The square root, correctly rounded: an integer root of the mantissa with two more bits than
/// the result has, the last of which says whether anything was cut off.
fn extended_sqrt(value: X87DoubleExtended) -> u128 {
    if value.is_nan() || value.is_zero() {
        return value.to_bits();
    }
    if value.is_negative() {
        return X87DoubleExtended::NAN.to_bits();
    }
    if value.is_infinite() {
        return value.to_bits();
    }
    let mut exponent = value.ilogb() - 63;
    let mut mantissa = value.scalbn(-exponent).to_u128(128).value;
    if exponent % 2 != 0 {
        mantissa <<= 1;
        exponent -= 1;
    }
    // 62 or 63 more bits give a root of 63 or 64 bits; the rest decides the rounding.
    let shifted = mantissa << 62;
    let mut root = 0u128;
    for bit in (0..64).rev() {
        let candidate = root | 1 << bit;
        if candidate * candidate <= shifted {
            root = candidate;
        }
    }
    let rest = shifted - root * root;
    // Two more digits: (2 root + 1)^2 <= 4 shifted decides the next bit.
    let next = 4 * rest > 4 * root;
    let sticky = rest != 0;
    let with_tail = root << 2 | u128::from(next) << 1 | u128::from(sticky);
    X87DoubleExtended::from_u128(with_tail).value.scalbn((exponent - 62) / 2 - 2).to_bits()
}

fn two(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (base, shape) = parsed(call);
    let (a, b) = (argument(m, call, 0, shape)?, argument(m, call, 1, shape)?);
    let Some((_, double, single)) = TWO.iter().find(|f| f.0 == base) else {
        return Err(m.unsupported(call.name));
    };
    Ok(Some(match shape {
        Shape::F64 => from_f64(double(f64::from_bits(a as u64), f64::from_bits(b as u64))),
        Shape::F32 => from_f32(single(f32::from_bits(a as u32), f32::from_bits(b as u32))),
        _ => match extended_two(base, a, b) {
            Some(result) => Value::bits(result),
            None => return Err(m.unsupported(call.name)),
        },
    }))
}

fn extended_two(base: &str, a: u128, b: u128) -> Option<u128> {
    let (x, y) = (X87DoubleExtended::from_bits(a), X87DoubleExtended::from_bits(b));
    Some(match base {
        "fmod" => x.c_fmod(y).value.to_bits(),
        "remainder" | "drem" => x.ieee_rem(y).value.to_bits(),
        "fmax" => x.max(y).to_bits(),
        "fmin" => x.min(y).to_bits(),
        "copysign" => a & !(1 << 79) | b & 1 << 79,
        "fdim" => {
            let positive = x.partial_cmp(&y) != Some(std::cmp::Ordering::Less);
            if positive { (x - y).value.to_bits() } else { 0 }
        }
        _ => return None,
    })
}

fn fma(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (_, shape) = parsed(call);
    let (a, b, c) =
        (argument(m, call, 0, shape)?, argument(m, call, 1, shape)?, argument(m, call, 2, shape)?);
    Ok(Some(match shape {
        Shape::F64 => {
            let double = |bits: u128| f64::from_bits(bits as u64);
            from_f64(double(a).mul_add(double(b), double(c)))
        }
        Shape::F32 => {
            let single = |bits: u128| f32::from_bits(bits as u32);
            from_f32(single(a).mul_add(single(b), single(c)))
        }
        _ => {
            let extended = X87DoubleExtended::from_bits;
            Value::bits(extended(a).mul_add(extended(b), extended(c)).value.to_bits())
        }
    }))
}

/// Numbers are exact as `_Float128`, so the functions on exponents go through that.
fn quad(shape: Shape, bits: u128) -> rustc_apfloat::ieee::Quad {
    let wide = ops::cast(shape.scalar(), ops::Scalar::Float(FloatKind::F128), bits);
    rustc_apfloat::ieee::Quad::from_bits(wide)
}

fn from_quad(shape: Shape, value: rustc_apfloat::ieee::Quad) -> Value {
    let wide = ops::Scalar::Float(FloatKind::F128);
    Value::bits(ops::cast(wide, shape.scalar(), value.to_bits()))
}

fn ldexp(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (_, shape) = parsed(call);
    let bits = argument(m, call, 0, shape)?;
    let exponent = call.int(m, 1)?.clamp(-40_000, 40_000) as i32;
    Ok(Some(from_quad(shape, quad(shape, bits).scalbn(exponent))))
}

fn frexp(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (_, shape) = parsed(call);
    let bits = argument(m, call, 0, shape)?;
    let to = call.pointer(m, 1)?;
    let number = quad(shape, bits);
    let ordinary = number.is_finite() && !number.is_zero();
    let exponent = if ordinary { number.ilogb() + 1 } else { 0 };
    m.store(Shape::I32, to, 0, Value::int(exponent))?;
    Ok(Some(if ordinary { from_quad(shape, number.scalbn(-exponent)) } else { Value::bits(bits) }))
}

fn modf(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (_, shape) = parsed(call);
    let bits = argument(m, call, 0, shape)?;
    let to = call.pointer(m, 1)?;
    let number = quad(shape, bits);
    let whole = number.round_to_integral(Round::TowardZero).value;
    m.store(shape, to, 0, from_quad(shape, whole))?;
    let sign = bits & 1 << (shape.width() - 1);
    if number.is_infinite() || number == whole {
        return Ok(Some(Value::bits(sign)));
    }
    Ok(Some(from_quad(shape, (number - whole).value)))
}

fn ilogb(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (_, shape) = parsed(call);
    let bits = argument(m, call, 0, shape)?;
    let number = quad(shape, bits);
    Ok(Some(Value::int(if number.is_zero() || number.is_nan() {
        i32::MIN
    } else if number.is_infinite() {
        i32::MAX
    } else {
        number.ilogb()
    })))
}

fn to_integer(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (base, shape) = parsed(call);
    let bits = argument(m, call, 0, shape)?;
    let rounding =
        if base.ends_with("round") { Round::NearestTiesToAway } else { Round::NearestTiesToEven };
    let rounded = quad(shape, bits).round_to_integral(rounding).value;
    let result = Shape::of(&m.program.types, call.result).unwrap_or(Shape::I64);
    let quad = ops::Scalar::Float(FloatKind::F128);
    Ok(Some(Value::bits(ops::cast(quad, result.scalar(), rounded.to_bits()))))
}

fn constant(_m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (base, shape) = parsed(call);
    let text = if base.starts_with("nan") { "nan" } else { "inf" };
    let ops::Scalar::Float(kind) = shape.scalar() else { return Ok(None) };
    Ok(ops::parse_float(kind, text).map(Value::bits))
}

fn classify(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (base, _) = parsed(call);
    // `__builtin_fpclassify` has the five answers in front of the number.
    let answers_first = base == "fpclassify" && call.args.len() == 6;
    let (shape, value) = call.scalar(m, if answers_first { 5 } else { 0 })?;
    let shape = if shape.is_float() { shape } else { Shape::F64 };
    let bits = shape.bits(value);
    let number = quad(shape, bits);
    let negative = bits >> (shape.width() - 1) & 1 == 1;
    let subnormal = super::decimal::unpack(shape, bits);
    let smallest_normal =
        subnormal.mantissa.checked_ilog2().is_some_and(|top| top + 1 == precision(shape));
    let class = if number.is_nan() {
        0
    } else if number.is_infinite() {
        1
    } else if number.is_zero() {
        2
    } else if !smallest_normal {
        3
    } else {
        4
    };
    Ok(Some(Value::int(match base.trim_start_matches('_') {
        "isnan" => i32::from(class == 0),
        "isinf" | "isinf_sign" if class == 1 => {
            if negative {
                -1
            } else {
                1
            }
        }
        "isinf" | "isinf_sign" => 0,
        "isfinite" | "finite" => i32::from(class > 1),
        "isnormal" => i32::from(class == 4),
        "signbit" => i32::from(negative),
        "issignaling" => 0,
        _ if answers_first => {
            // Order of the answers: nan, infinite, normal, subnormal, zero.
            let answer = [0, 1, 4, 3, 2][class as usize];
            call.int(m, answer)? as i32
        }
        _ => class,
    })))
}

/// Bits of a full mantissa.
fn precision(shape: Shape) -> u32 {
    match shape {
        Shape::F16 => 11,
        Shape::F32 => 24,
        Shape::X87 => 64,
        Shape::F128 => 113,
        _ => 53,
    }
}

fn compare(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (base, _) = parsed(call);
    let (shape, value) = call.scalar(m, 0)?;
    let (other, right) = call.scalar(m, 1)?;
    let order = quad(shape, shape.bits(value)).partial_cmp(&quad(other, other.bits(right)));
    let result = match base {
        "isgreater" => order.is_some_and(|o| o.is_gt()),
        "isgreaterequal" => order.is_some_and(|o| o.is_ge()),
        "isless" => order.is_some_and(|o| o.is_lt()),
        "islessequal" => order.is_some_and(|o| o.is_le()),
        "islessgreater" => order.is_some_and(|o| o.is_ne()),
        _ => order.is_none(),
    };
    Ok(Some(Value::int(i32::from(result))))
}
