//! Decodes integer and floating constants (C17 6.4.4.1, 6.4.4.2, C23 separators and `0b`, GNU
//! suffixes) from the preprocessing numbers that the lexer delivers.

use crate::ast::{FloatSuffix, IntBase, IntLength, IntLit, IntSuffix};

/// A decoded number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Numeral {
    Int(IntLit),
    Float {
        /// Digits and exponent without suffix and separators.
        text: String,
        suffix: FloatSuffix,
        imaginary: bool,
    },
}

/// Decodes a preprocessing number; the error is a message for the user.
pub(crate) fn decode(text: &[u8]) -> Result<Numeral, String> {
    // The most frequent constants by far: a few decimal digits.
    if text.len() <= 9 && text[0] != b'0' && text.iter().all(u8::is_ascii_digit) {
        let value = text.iter().fold(0u128, |v, b| v * 10 + u128::from(b - b'0'));
        return Ok(Numeral::Int(IntLit {
            value,
            base: IntBase::Decimal,
            suffix: IntSuffix { unsigned: false, length: IntLength::None },
            imaginary: false,
        }));
    }
    let spelled: String =
        text.iter().filter(|&&b| b != b'\'').map(|&b| char::from(b).to_ascii_lowercase()).collect();
    let is_hex = spelled.starts_with("0x");
    let is_binary = spelled.starts_with("0b");
    let is_float = if is_hex {
        spelled.contains(['.', 'p'])
    } else {
        !is_binary && spelled.contains(['.', 'e'])
    };
    if is_float { float(&spelled, is_hex) } else { integer(&spelled, text) }
}

fn integer(spelled: &str, original: &[u8]) -> Result<Numeral, String> {
    let (base, radix, digits) = if let Some(rest) = spelled.strip_prefix("0x") {
        (IntBase::Hexadecimal, 16, rest)
    } else if let Some(rest) = spelled.strip_prefix("0b") {
        (IntBase::Binary, 2, rest)
    } else if spelled.starts_with('0') {
        (IntBase::Octal, 8, spelled)
    } else {
        (IntBase::Decimal, 10, spelled)
    };
    // Decimal digits that are too large for the base are errors, not the start of a suffix.
    let len = digits.find(|c: char| !c.is_digit(radix.max(10))).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(len);
    if digits.is_empty() {
        return Err("integer constant without digits".to_owned());
    }
    let mut value: u128 = 0;
    for c in digits.chars() {
        let Some(digit) = c.to_digit(radix) else {
            let kind = if radix == 8 { "octal" } else { "binary" };
            return Err(format!("invalid digit `{c}` in {kind} constant"));
        };
        value = value
            .checked_mul(u128::from(radix))
            .and_then(|v| v.checked_add(u128::from(digit)))
            .ok_or("integer constant is too large for any type")?;
    }
    let (suffix, imaginary) = int_suffix(suffix).ok_or_else(|| {
        let shown = String::from_utf8_lossy(&original[original.len() - suffix.chars().count()..]);
        format!("invalid suffix `{shown}` of an integer constant")
    })?;
    Ok(Numeral::Int(IntLit { value, base, suffix, imaginary }))
}

/// Lower-case suffix to its meaning.
fn int_suffix(suffix: &str) -> Option<(IntSuffix, bool)> {
    let imaginary = suffix.contains(['i', 'j']);
    let rest = suffix.replacen(['i', 'j'], "", 1);
    let unsigned = rest.contains('u');
    let rest = rest.strip_prefix('u').or(rest.strip_suffix('u')).unwrap_or(&rest);
    let length = match rest {
        "" => IntLength::None,
        "l" => IntLength::Long,
        "ll" => IntLength::LongLong,
        "wb" => IntLength::BitInt,
        _ => return None,
    };
    Some((IntSuffix { unsigned, length }, imaginary))
}

fn float(spelled: &str, is_hex: bool) -> Result<Numeral, String> {
    let bytes = spelled.as_bytes();
    let start = if is_hex { 2 } else { 0 };
    let is_digit = |b: u8| if is_hex { b.is_ascii_hexdigit() } else { b.is_ascii_digit() };
    let skip_digits = |mut i: usize| {
        while i < bytes.len() && is_digit(bytes[i]) {
            i += 1;
        }
        i
    };
    let mut i = skip_digits(start);
    let mut digits = i - start;
    if bytes.get(i) == Some(&b'.') {
        let end = skip_digits(i + 1);
        digits += end - i - 1;
        i = end;
    }
    if digits == 0 {
        return Err("floating constant without digits".to_owned());
    }
    let marker = if is_hex { b'p' } else { b'e' };
    if bytes.get(i) == Some(&marker) {
        let sign = usize::from(matches!(bytes.get(i + 1), Some(b'+' | b'-')));
        let first = i + 1 + sign;
        let len = bytes[first.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        if len == 0 {
            return Err("exponent without digits".to_owned());
        }
        i = first + len;
    } else if is_hex {
        return Err("hexadecimal floating constant without exponent".to_owned());
    }
    let (suffix, imaginary) = float_suffix(&spelled[i..])
        .ok_or_else(|| format!("invalid suffix `{}` of a floating constant", &spelled[i..]))?;
    Ok(Numeral::Float { text: spelled[..i].to_owned(), suffix, imaginary })
}

/// Lower-case suffix to its meaning.
fn float_suffix(suffix: &str) -> Option<(FloatSuffix, bool)> {
    let imaginary = suffix.contains(['i', 'j']);
    let rest = suffix.replacen(['i', 'j'], "", 1);
    let suffix = match rest.as_str() {
        // `d` for double is a GNU extension.
        "" | "d" => FloatSuffix::None,
        "f" => FloatSuffix::F,
        "l" => FloatSuffix::L,
        "q" => FloatSuffix::Q,
        "w" => FloatSuffix::W,
        "f16" => FloatSuffix::F16,
        "f32" => FloatSuffix::F32,
        "f64" => FloatSuffix::F64,
        "f128" => FloatSuffix::F128,
        "f32x" => FloatSuffix::F32x,
        "f64x" => FloatSuffix::F64x,
        "df" => FloatSuffix::D32,
        "dd" => FloatSuffix::D64,
        "dl" => FloatSuffix::D128,
        _ => return None,
    };
    Some((suffix, imaginary))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> (u128, IntBase, bool, IntLength) {
        match decode(text.as_bytes()) {
            Ok(Numeral::Int(i)) => (i.value, i.base, i.suffix.unsigned, i.suffix.length),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integers() {
        use IntBase::*;
        use IntLength::{BitInt, Long, LongLong, None};
        assert_eq!(int("0"), (0, Octal, false, None));
        assert_eq!(int("42"), (42, Decimal, false, None));
        assert_eq!(int("1'000'000"), (1_000_000, Decimal, false, None));
        assert_eq!(int("0x1FuL"), (31, Hexadecimal, true, Long));
        assert_eq!(int("017llu"), (15, Octal, true, LongLong));
        assert_eq!(int("0b101"), (5, Binary, false, None));
        assert_eq!(int("0xdeULL"), (0xde, Hexadecimal, true, LongLong));
        assert_eq!(int("7uwb"), (7, Decimal, true, BitInt));
        assert_eq!(int("0xffffffffffffffffffffffffffffffff").0, u128::MAX);
        assert!(matches!(decode(b"3i"), Ok(Numeral::Int(IntLit { imaginary: true, .. }))));
    }

    #[test]
    fn floats() {
        let decoded = |text: &str| match decode(text.as_bytes()) {
            Ok(Numeral::Float { text, suffix, imaginary }) => (text, suffix, imaginary),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(decoded("1.5"), ("1.5".into(), FloatSuffix::None, false));
        assert_eq!(decoded("1E5F"), ("1e5".into(), FloatSuffix::F, false));
        assert_eq!(decoded(".5e-3L"), (".5e-3".into(), FloatSuffix::L, false));
        assert_eq!(decoded("0x1.8p+3"), ("0x1.8p+3".into(), FloatSuffix::None, false));
        assert_eq!(decoded("1.f128"), ("1.".into(), FloatSuffix::F128, false));
        assert_eq!(decoded("09.5"), ("09.5".into(), FloatSuffix::None, false));
        assert_eq!(decoded("2.0fi"), ("2.0".into(), FloatSuffix::F, true));
        assert_eq!(decoded("1.0DD"), ("1.0".into(), FloatSuffix::D64, false));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let message = |text: &str| decode(text.as_bytes()).unwrap_err();
        assert_eq!(message("08"), "invalid digit `8` in octal constant");
        assert_eq!(message("0b12"), "invalid digit `2` in binary constant");
        assert_eq!(message("0x"), "integer constant without digits");
        assert_eq!(message("12Qx"), "invalid suffix `Qx` of an integer constant");
        assert_eq!(message("1lul"), "invalid suffix `lul` of an integer constant");
        assert_eq!(message("0xe+1"), "invalid suffix `+1` of an integer constant");
        assert_eq!(message("1e"), "exponent without digits");
        assert_eq!(message("0x1.0"), "hexadecimal floating constant without exponent");
        assert_eq!(message("1.5z"), "invalid suffix `z` of a floating constant");
        assert_eq!(
            message("0x100000000000000000000000000000000"),
            "integer constant is too large for any type"
        );
    }
}
