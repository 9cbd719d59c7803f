//! Numbers and strings as C literals that have exactly the model's bits.

use std::fmt::Write;

use crate::c_text::{CText, Fidelity};
use crate::ops::{self, Scalar};
use crate::precedence::Binding;
use crate::types::{FloatKind, Target, TypeId};

impl CText<'_> {
    /// A number of the type.
    pub(super) fn literal(&self, ty: TypeId, bits: u128) -> (String, Binding) {
        let types = &self.program.types;
        let exact = self.fidelity == Fidelity::Exact;
        match types.scalar(ty) {
            Some(scalar @ (Scalar::Bool | Scalar::Int { .. })) if types.is_integer(ty) => {
                let Scalar::Int { bits: width @ 32.., signed } = scalar else {
                    return signed_number(ops::extend(scalar, bits));
                };
                match (exact, signed) {
                    (false, true) => signed_number(ops::extend(scalar, bits)),
                    (false, false) => (bits.to_string(), Binding::Postfix),
                    (true, _) => self.exact_integer(width, signed, bits),
                }
            }
            Some(Scalar::Float(kind)) if exact => exact_float(kind, bits),
            Some(Scalar::Float(kind)) => with_sign(ops::show_float(kind, bits)),
            // A pointer made of a number.
            _ => (format!("({}){bits:#x}", self.type_name(ty)), Binding::Prefix),
        }
    }

    fn exact_integer(&self, width: u16, signed: bool, bits: u128) -> (String, Binding) {
        let long = match self.program.types.target() {
            Target::Lp64 => "L",
            Target::Ilp32 => "LL",
        };
        if width == 128 {
            let (high, low) = (bits >> 64, bits as u64);
            let whole = format!("(unsigned __int128){high:#x}U{long} << 64 | {low:#x}U{long}");
            let text = if signed { format!("((__int128)({whole}))") } else { format!("({whole})") };
            return (text, Binding::Postfix);
        }
        let suffix = if width == 64 { long } else { "" };
        if !signed {
            return (format!("{bits}U{suffix}"), Binding::Postfix);
        }
        let value = ops::sign_extend(bits, width);
        if bits == 1 << (width - 1) {
            // The digits of the smallest number alone are too large for the type.
            return (format!("({}{suffix} - 1)", value + 1), Binding::Postfix);
        }
        with_sign(format!("{value}{suffix}"))
    }
}

fn signed_number(value: i128) -> (String, Binding) {
    with_sign(value.to_string())
}

fn with_sign(text: String) -> (String, Binding) {
    let holds = if text.starts_with('-') { Binding::Prefix } else { Binding::Postfix };
    (text, holds)
}

/// Fraction bits, and the suffixes of literals and of builtin functions.
fn format_of(kind: FloatKind) -> (u32, &'static str, &'static str) {
    match kind {
        FloatKind::F16 => (10, "F16", "f16"),
        FloatKind::F32 => (23, "F", "f"),
        FloatKind::F64 => (52, "", ""),
        FloatKind::X87 => (63, "L", "l"),
        FloatKind::F128 => (112, "F128", "f128"),
    }
}

fn exact_float(kind: FloatKind, bits: u128) -> (String, Binding) {
    let (fraction_bits, suffix, builtin) = format_of(kind);
    let width = u32::from(Scalar::Float(kind).width());
    let explicit_one = kind == FloatKind::X87;
    let exponent_bits = width - 1 - fraction_bits - u32::from(explicit_one);
    let sign = if bits >> (width - 1) & 1 == 1 { "-" } else { "" };
    let fraction = ops::truncate(bits, fraction_bits as u16);
    let exponent = ops::truncate(bits >> (width - 1 - exponent_bits), exponent_bits as u16) as i32;
    let largest = (1i32 << exponent_bits) - 1;
    if exponent == largest {
        let quiet = 1u128 << (fraction_bits - 1);
        return with_sign(match fraction {
            0 => format!("{sign}__builtin_inf{builtin}()"),
            _ if fraction & quiet != 0 => {
                let payload = fraction & !quiet;
                format!("{sign}__builtin_nan{builtin}(\"{payload:#x}\")")
            }
            _ => format!("{sign}__builtin_nans{builtin}(\"{fraction:#x}\")"),
        });
    }
    let one = if explicit_one { bits >> fraction_bits & 1 } else { u128::from(exponent != 0) };
    let significand = one << fraction_bits | fraction;
    if significand == 0 {
        return with_sign(format!("{sign}0.0{suffix}"));
    }
    let zeros = significand.trailing_zeros();
    let significand = significand >> zeros;
    let exponent = exponent.max(1) - largest / 2 - fraction_bits as i32 + zeros as i32;
    with_sign(if significand < 1 << 16 && (-8..=8).contains(&exponent) {
        // So few digits that the decimal form is exact.
        let value = significand as f64 * f64::powi(2.0, exponent);
        format!("{sign}{value:?}{suffix}")
    } else {
        format!("{sign}{significand:#x}p{exponent}{suffix}")
    })
}

/// A string literal of the bytes, without the zero that C puts behind it.
pub(crate) fn string_literal(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            // `??=` and its like would be trigraphs in strict modes.
            b' '..=b'~' if byte != b'?' => out.push(char::from(byte)),
            _ => {
                // Three digits, so that a digit behind it is not taken for part of it.
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}
