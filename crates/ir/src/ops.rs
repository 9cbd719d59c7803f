//! The meaning of every operator on numbers: the one place that owns it.
//!
//! The interpreter computes with these functions, the front end folds constants with them, and the
//! encodings and the C printer are tested against them. In short (SOUNDNESS.md has it for users):
//!
//! - integers wrap in two's complement, signed ones too;
//! - a shift count is taken modulo the width of the left operand, as the machine does;
//! - division by zero and the division of the smallest number by -1 end the run ([`Trap`]), as on
//!   the machine; the quotient is cut towards zero and the remainder has the dividend's sign;
//! - floating point is IEEE 754, rounding to nearest even, in the format of the type (no excess
//!   precision); comparisons with NaN are false but for `!=`;
//! - floating point to integer is cut towards zero; where the result does not fit, it is what the
//!   machine's conversion instruction gives, see [`cast`];
//! - conversion to `_Bool` asks whether the value is not zero.
//!
//! Values are [`Bits`]: zero-extended patterns whose type is told beside them as a [`Scalar`].

use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::expr::{BinaryOp, Bits, UnaryOp};
use crate::types::{FloatKind, Type, TypeId, Types};

/// A type of numbers as operators see it. A pointer counts as an unsigned integer: its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `_Bool`.
    Bool,
    /// An integer.
    Int {
        /// The width.
        bits: u16,
        /// Two's complement if signed.
        signed: bool,
    },
    /// A floating-point number.
    Float(FloatKind),
}

/// Why an operation has no result: the run ends there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Trap {
    /// The divisor is zero.
    #[error("division by zero")]
    DivisionByZero,
    /// The smallest signed number is divided by -1.
    #[error("division of the smallest number by -1")]
    DivisionOverflow,
}

impl Types {
    /// How operators see a type; `None` for records, arrays, functions and `void`.
    pub fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        Some(match *self.get(ty) {
            Type::Bool => Scalar::Bool,
            Type::Int { bits, signed } => Scalar::Int { bits, signed },
            Type::Float(kind) => Scalar::Float(kind),
            Type::Pointer(_) => Scalar::Int { bits: self.target().pointer_bits(), signed: false },
            Type::Void | Type::Array { .. } | Type::Record(_) | Type::Function(_) => return None,
        })
    }
}

impl Scalar {
    /// The number of bits of a value.
    pub fn width(self) -> u16 {
        match self {
            Scalar::Bool => 8,
            Scalar::Int { bits, .. } => bits,
            Scalar::Float(kind) => match kind {
                FloatKind::F16 => 16,
                FloatKind::F32 => 32,
                FloatKind::F64 => 64,
                FloatKind::X87 => 80,
                FloatKind::F128 => 128,
            },
        }
    }

    fn is_signed(self) -> bool {
        matches!(self, Scalar::Int { signed: true, .. })
    }
}

/// The `width` lowest bits.
pub fn truncate(bits: Bits, width: u16) -> Bits {
    if width >= 128 { bits } else { bits & ((1u128 << width) - 1) }
}

/// The number that the `width` lowest bits are in two's complement.
pub fn sign_extend(bits: Bits, width: u16) -> i128 {
    let unused = 128 - u32::from(width.min(128));
    ((bits << unused) as i128) >> unused
}

/// The value of an integer, extended to 128 bits by its signedness. Beware of unsigned 128.
pub fn extend(scalar: Scalar, bits: Bits) -> i128 {
    if scalar.is_signed() { sign_extend(bits, scalar.width()) } else { bits as i128 }
}

/// Runs a block with `$F` as the arithmetic of a floating-point format.
macro_rules! with_format {
    ($kind:expr, $F:ident => $body:expr) => {
        match $kind {
            FloatKind::F16 => {
                type $F = Half;
                $body
            }
            FloatKind::F32 => {
                type $F = Single;
                $body
            }
            FloatKind::F64 => {
                type $F = Double;
                $body
            }
            FloatKind::X87 => {
                type $F = X87DoubleExtended;
                $body
            }
            FloatKind::F128 => {
                type $F = Quad;
                $body
            }
        }
    };
}

/// `-a` or `~a`.
pub fn unary(op: UnaryOp, scalar: Scalar, a: Bits) -> Bits {
    let width = scalar.width();
    match (op, scalar) {
        (UnaryOp::Neg, Scalar::Float(_)) => a ^ (1u128 << (width - 1)),
        (UnaryOp::Neg, _) => truncate(a.wrapping_neg(), width),
        (UnaryOp::BitNot, _) => truncate(!a, width),
    }
}

/// `a op b` where `a` has type `scalar`; so has `b`, but for shifts, where it has type `right`.
pub fn binary(op: BinaryOp, scalar: Scalar, a: Bits, right: Scalar, b: Bits) -> Result<Bits, Trap> {
    match scalar {
        Scalar::Float(kind) => Ok(float_binary(op, kind, a, b)),
        _ => int_binary(op, scalar, a, right, b),
    }
}

/// Whether signed arithmetic has a result that does not fit its type: undefined in C, although it
/// has a meaning here. A shift count that is out of range is another matter, and so is the shift
/// of a negative number.
pub fn overflows(op: BinaryOp, scalar: Scalar, a: Bits, b: Bits) -> bool {
    let width = scalar.width();
    if !scalar.is_signed() {
        return false;
    }
    let (sa, sb) = (sign_extend(a, width), sign_extend(b, width));
    let result = match op {
        BinaryOp::Add => sa.checked_add(sb),
        BinaryOp::Sub => sa.checked_sub(sb),
        BinaryOp::Mul => sa.checked_mul(sb),
        BinaryOp::Shl => {
            let largest = i128::MAX >> (128 - width);
            return b < Bits::from(width) && sa > largest >> b;
        }
        _ => return false,
    };
    result.is_none_or(|r| sign_extend(r as u128, width) != r)
}

fn int_binary(op: BinaryOp, scalar: Scalar, a: Bits, right: Scalar, b: Bits) -> Result<Bits, Trap> {
    let width = scalar.width();
    let signed = scalar.is_signed();
    let (sa, sb) = (sign_extend(a, width), sign_extend(b, width));
    let less = || if signed { sa < sb } else { a < b };
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div | BinaryOp::Rem if b == 0 => return Err(Trap::DivisionByZero),
        BinaryOp::Div | BinaryOp::Rem if signed => {
            if sb == -1 && sa == sign_extend(1u128 << (width - 1), width) {
                return Err(Trap::DivisionOverflow);
            }
            (if op == BinaryOp::Div { sa / sb } else { sa % sb }) as u128
        }
        BinaryOp::Div => a / b,
        BinaryOp::Rem => a % b,
        BinaryOp::Shl => a << shift_count(width, right, b),
        BinaryOp::Shr if signed => (sa >> shift_count(width, right, b)) as u128,
        BinaryOp::Shr => a >> shift_count(width, right, b),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Eq => return Ok(u128::from(a == b)),
        BinaryOp::Ne => return Ok(u128::from(a != b)),
        BinaryOp::Lt => return Ok(u128::from(less())),
        BinaryOp::Ge => return Ok(u128::from(!less())),
        BinaryOp::Gt => return Ok(u128::from(a != b && !less())),
        BinaryOp::Le => return Ok(u128::from(a == b || less())),
    };
    Ok(truncate(value, width))
}

/// Widths are powers of two, so the lowest bits of a negative count are its value modulo the width.
fn shift_count(width: u16, right: Scalar, b: Bits) -> u32 {
    (truncate(b, right.width()) % u128::from(width)) as u32
}

fn float_binary(op: BinaryOp, kind: FloatKind, a: Bits, b: Bits) -> Bits {
    if kind == FloatKind::F64 {
        return native_f64(op, f64::from_bits(a as u64), f64::from_bits(b as u64));
    }
    with_format!(kind, F => {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        match op {
            BinaryOp::Add => canonical(a.add_r(b, Round::NearestTiesToEven).value),
            BinaryOp::Sub => canonical(a.sub_r(b, Round::NearestTiesToEven).value),
            BinaryOp::Mul => canonical(a.mul_r(b, Round::NearestTiesToEven).value),
            BinaryOp::Div => canonical(a.div_r(b, Round::NearestTiesToEven).value),
            _ => u128::from(compare(op, a.partial_cmp(&b))),
        }
    })
}

fn native_f64(op: BinaryOp, a: f64, b: f64) -> Bits {
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        _ => return u128::from(compare(op, a.partial_cmp(&b))),
    };
    if value.is_nan() { canonical(Double::NAN) } else { u128::from(value.to_bits()) }
}

/// One NaN for all: its bits are nobody's business, but they must be the same everywhere.
fn canonical<F: Float>(value: F) -> Bits {
    if value.is_nan() { F::NAN.to_bits() } else { value.to_bits() }
}

/// A comparison from the order of its operands; `None` if one is NaN. Operations that floating
/// point does not have never get here from a program that was checked; they give 0.
fn compare(op: BinaryOp, order: Option<std::cmp::Ordering>) -> bool {
    match (op, order) {
        (BinaryOp::Ne, order) => order.is_none_or(|o| o.is_ne()),
        (_, None) => false,
        (BinaryOp::Eq, Some(o)) => o.is_eq(),
        (BinaryOp::Lt, Some(o)) => o.is_lt(),
        (BinaryOp::Le, Some(o)) => o.is_le(),
        (BinaryOp::Gt, Some(o)) => o.is_gt(),
        (BinaryOp::Ge, Some(o)) => o.is_ge(),
        _ => false,
    }
}

/// Whether a value is not zero: what `if`, `!` and `_Bool` ask. NaN is not zero, -0.0 is.
pub fn is_true(scalar: Scalar, bits: Bits) -> bool {
    match scalar {
        Scalar::Float(_) => truncate(bits, scalar.width() - 1) != 0,
        _ => bits != 0,
    }
}

/// The value converted from one type to another.
///
/// Floating point to integer, where the result does not fit or the number is NaN, follows the x86
/// instructions that compilers use: the result of a conversion to a signed type of 32 bits or more
/// is its smallest number; smaller types take the low bits of the conversion to 32 signed bits,
/// and unsigned 32 bits those of the conversion to 64 signed bits; unsigned 64 and 128 bits wrap
/// below zero and are the number with only the highest bit set otherwise.
pub fn cast(from: Scalar, to: Scalar, bits: Bits) -> Bits {
    match (from, to) {
        (_, Scalar::Bool) => u128::from(is_true(from, bits)),
        (Scalar::Float(kind), Scalar::Float(target)) => float_to_float(kind, target, bits),
        (Scalar::Float(kind), Scalar::Int { bits: width, signed }) => {
            float_to_int(kind, width, signed, bits)
        }
        (_, Scalar::Int { bits: width, .. }) => truncate(extend(from, bits) as u128, width),
        (_, Scalar::Float(kind)) => with_format!(kind, F => {
            let rounding = Round::NearestTiesToEven;
            if from.is_signed() {
                F::from_i128_r(extend(from, bits), rounding).value.to_bits()
            } else {
                F::from_u128_r(bits, rounding).value.to_bits()
            }
        }),
    }
}

fn float_to_float(from: FloatKind, to: FloatKind, bits: Bits) -> Bits {
    if from == to {
        return bits;
    }
    with_format!(from, F => convert(F::from_bits(bits), to))
}

fn convert<F>(value: F, to: FloatKind) -> Bits
where
    F: Float
        + FloatConvert<Half>
        + FloatConvert<Single>
        + FloatConvert<Double>
        + FloatConvert<X87DoubleExtended>
        + FloatConvert<Quad>,
{
    with_format!(to, T => {
        let converted: T =
            FloatConvert::<T>::convert_r(value, Round::NearestTiesToEven, &mut false).value;
        canonical(converted)
    })
}

fn float_to_int(kind: FloatKind, width: u16, signed: bool, bits: Bits) -> Bits {
    if let Some(value) = exact_int(kind, width, signed, bits) {
        return value;
    }
    let smallest = |width: u16| 1u128 << (width - 1);
    let signed_machine = |machine: u16| {
        let value = exact_int(kind, machine, true, bits).unwrap_or(smallest(machine));
        truncate(sign_extend(value, machine) as u128, width)
    };
    match (width, signed) {
        (8 | 16, _) => signed_machine(32),
        (32, false) => signed_machine(64),
        (_, true) => smallest(width),
        (_, false) => exact_int(kind, width, true, bits).unwrap_or(smallest(width)),
    }
}

/// The number cut towards zero, if that fits into the integer type.
fn exact_int(kind: FloatKind, width: u16, signed: bool, bits: Bits) -> Option<Bits> {
    with_format!(kind, F => {
        let value = F::from_bits(bits);
        if value.is_nan() {
            return None;
        }
        let width = usize::from(width);
        let (status, result) = if signed {
            let r = value.to_i128_r(width, Round::TowardZero, &mut false);
            (r.status, r.value as u128)
        } else {
            let r = value.to_u128_r(width, Round::TowardZero, &mut false);
            (r.status, r.value)
        };
        let fits = !status.intersects(rustc_apfloat::Status::INVALID_OP);
        fits.then(|| truncate(result, width as u16))
    })
}

/// The number closest to a decimal or hexadecimal floating-point literal without suffix.
pub fn parse_float(kind: FloatKind, literal: &str) -> Option<Bits> {
    with_format!(kind, F => {
        Some(F::from_str_r(literal, Round::NearestTiesToEven).ok()?.value.to_bits())
    })
}

/// A floating-point number as a literal that reads back to the same bits: C's hexadecimal form for
/// the formats that have one, else `inf` and `nan` with sign.
pub fn show_float(kind: FloatKind, bits: Bits) -> String {
    with_format!(kind, F => {
        let value = F::from_bits(bits);
        let sign = if value.is_negative() { "-" } else { "" };
        if value.is_nan() {
            return format!("{sign}nan");
        }
        if value.is_infinite() {
            return format!("{sign}inf");
        }
        format!("{value}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use FloatKind::{F32, F64, X87};

    const I8: Scalar = Scalar::Int { bits: 8, signed: true };
    const I32: Scalar = Scalar::Int { bits: 32, signed: true };
    const U32: Scalar = Scalar::Int { bits: 32, signed: false };
    const U64: Scalar = Scalar::Int { bits: 64, signed: false };
    const I64: Scalar = Scalar::Int { bits: 64, signed: true };
    const DOUBLE: Scalar = Scalar::Float(F64);

    fn i32_op(op: BinaryOp, a: i32, b: i32) -> Result<i32, Trap> {
        let value = binary(op, I32, u128::from(a as u32), I32, u128::from(b as u32))?;
        Ok(value as u32 as i32)
    }

    fn double(value: f64) -> Bits {
        u128::from(value.to_bits())
    }

    #[test]
    fn signed_arithmetic_wraps_and_division_truncates() {
        assert_eq!(i32_op(BinaryOp::Add, i32::MAX, 1), Ok(i32::MIN));
        assert_eq!(i32_op(BinaryOp::Mul, i32::MIN, -1), Ok(i32::MIN));
        assert_eq!(i32_op(BinaryOp::Div, -7, 2), Ok(-3));
        assert_eq!(i32_op(BinaryOp::Rem, -7, 2), Ok(-1));
        assert_eq!(i32_op(BinaryOp::Div, 1, 0), Err(Trap::DivisionByZero));
        assert_eq!(i32_op(BinaryOp::Rem, i32::MIN, -1), Err(Trap::DivisionOverflow));
        assert_eq!(binary(BinaryOp::Div, U32, 0xffff_fffe, U32, 2), Ok(0x7fff_ffff));
    }

    #[test]
    fn shifts_take_the_count_modulo_the_width() {
        assert_eq!(i32_op(BinaryOp::Shl, 1, 33), Ok(2));
        assert_eq!(i32_op(BinaryOp::Shr, -8, 1), Ok(-4));
        assert_eq!(i32_op(BinaryOp::Shl, 1, -1), Ok(i32::MIN));
        assert_eq!(binary(BinaryOp::Shr, U32, 0x8000_0000, I64, 31), Ok(1));
    }

    #[test]
    fn comparisons_follow_signedness() {
        assert_eq!(i32_op(BinaryOp::Lt, -1, 0), Ok(1));
        assert_eq!(binary(BinaryOp::Lt, U32, 0xffff_ffff, U32, 0), Ok(0));
        assert_eq!(i32_op(BinaryOp::Ge, 3, 3), Ok(1));
        assert_eq!(i32_op(BinaryOp::Gt, 3, 3), Ok(0));
    }

    #[test]
    fn floating_point_is_ieee() {
        let nan = double(f64::NAN);
        assert_eq!(binary(BinaryOp::Ne, DOUBLE, nan, DOUBLE, nan), Ok(1));
        assert_eq!(binary(BinaryOp::Le, DOUBLE, nan, DOUBLE, nan), Ok(0));
        assert_eq!(
            binary(BinaryOp::Add, DOUBLE, double(0.1), DOUBLE, double(0.2)),
            Ok(double(0.1 + 0.2))
        );
        let single = |v: f32| u128::from(v.to_bits());
        let float = Scalar::Float(F32);
        assert_eq!(
            binary(BinaryOp::Div, float, single(1.0), float, single(3.0)),
            Ok(single(1.0 / 3.0))
        );
        assert!(!is_true(DOUBLE, double(-0.0)));
        assert!(is_true(DOUBLE, nan));
    }

    #[test]
    fn conversions() {
        assert_eq!(cast(I32, I8, 0x1ff), 0xff);
        assert_eq!(cast(I8, I32, 0xff), 0xffff_ffff);
        assert_eq!(cast(I8, U64, 0x80), 0xffff_ffff_ffff_ff80);
        assert_eq!(cast(I32, Scalar::Bool, 256), 1);
        assert_eq!(cast(DOUBLE, Scalar::Bool, double(0.25)), 1);
        assert_eq!(cast(DOUBLE, I32, double(-3.9)), 0xffff_fffd);
        assert_eq!(cast(DOUBLE, I32, double(3e9)), 0x8000_0000);
        assert_eq!(cast(DOUBLE, U32, double(3e9)), 3_000_000_000);
        assert_eq!(cast(DOUBLE, U32, double(-1.0)), 0xffff_ffff);
        assert_eq!(cast(DOUBLE, I8, double(300.0)), 300 & 0xff);
        assert_eq!(cast(DOUBLE, U64, double(1.8e19)), 18_000_000_000_000_000_000);
        assert_eq!(cast(DOUBLE, U64, double(f64::NAN)), 1 << 63);
        assert_eq!(cast(I32, DOUBLE, 0xffff_ffff), double(-1.0));
        assert_eq!(
            cast(DOUBLE, Scalar::Float(F32), double(1e300)),
            u128::from(f32::INFINITY.to_bits())
        );
        let extended = cast(DOUBLE, Scalar::Float(X87), double(1.5));
        assert_eq!(cast(Scalar::Float(X87), DOUBLE, extended), double(1.5));
    }

    #[test]
    fn literals_read_back() {
        for value in [0.0, -0.0, 1.0, 0.1, 1e-310, f64::MAX, -2.5] {
            let shown = show_float(F64, double(value));
            let read = parse_float(F64, &shown);
            assert_eq!(read, Some(double(value)), "{shown}");
        }
        assert_eq!(parse_float(F64, "0x1.8p3"), Some(double(12.0)));
    }
}
