//! Floating-point numbers as text, exactly: the conversions `%f %e %g %a` of `printf`.
//!
//! A binary number has a finite decimal expansion. It is computed in full with simple arithmetic
//! on long numbers and then rounded to nearest, ties to even, as glibc does; so every format that
//! the model has, `long double` too, goes the same way.

use crate::interp::value::Shape;

/// A floating-point number taken apart: the value is `mantissa * 2^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unpacked {
    pub negative: bool,
    pub class: Class,
    pub mantissa: u128,
    pub exponent: i32,
    /// Bits of the mantissa behind the first, and whether the first bit is stored.
    fraction_bits: u32,
    explicit_bit: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Finite,
    Infinite,
    Nan,
}

/// Takes a number of a floating-point shape apart.
pub(super) fn unpack(shape: Shape, bits: u128) -> Unpacked {
    let (exponent_bits, fraction_bits, explicit_bit) = match shape {
        Shape::F16 => (5, 10, false),
        Shape::F32 => (8, 23, false),
        Shape::X87 => (15, 63, true),
        Shape::F128 => (15, 112, false),
        _ => (11, 52, false),
    };
    let stored = fraction_bits + u32::from(explicit_bit);
    let mantissa = bits & ((1 << stored) - 1);
    let biased = (bits >> stored) as u32 & ((1 << exponent_bits) - 1);
    let negative = bits >> (stored + exponent_bits) & 1 == 1;
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let subnormal = biased == 0;
    let class = if biased == (1 << exponent_bits) - 1 {
        let fraction = mantissa & ((1 << fraction_bits) - 1);
        if fraction == 0 { Class::Infinite } else { Class::Nan }
    } else {
        Class::Finite
    };
    let mantissa = if subnormal || explicit_bit { mantissa } else { mantissa | 1 << fraction_bits };
    let exponent = biased.max(1) as i32 - bias - fraction_bits as i32;
    Unpacked { negative, class, mantissa, exponent, fraction_bits, explicit_bit }
}

/// A long number, lowest digits first, in base 2^32.
struct Long(Vec<u32>);

impl Long {
    fn new(value: u128) -> Self {
        Self((0..4).map(|i| (value >> (32 * i)) as u32).collect())
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0u64;
        for digit in &mut self.0 {
            let product = u64::from(*digit) * u64::from(factor) + carry;
            *digit = product as u32;
            carry = product >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn shift_left(&mut self, by: u32) {
        for _ in 0..by / 31 {
            self.multiply(1 << 31);
        }
        self.multiply(1 << (by % 31));
    }

    fn divide(&mut self, divisor: u32) -> u32 {
        let mut rest = 0u64;
        for digit in self.0.iter_mut().rev() {
            let value = rest << 32 | u64::from(*digit);
            *digit = (value / u64::from(divisor)) as u32;
            rest = value % u64::from(divisor);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        rest as u32
    }

    /// Decimal digits, highest first; none for zero.
    fn digits(mut self) -> Vec<u8> {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        let mut digits = Vec::new();
        while !self.0.is_empty() {
            let mut group = self.divide(1_000_000_000);
            for _ in 0..9 {
                digits.push((group % 10) as u8);
                group /= 10;
            }
        }
        while digits.last() == Some(&0) {
            digits.pop();
        }
        digits.reverse();
        digits
    }
}

/// The exact decimal expansion: digits, and how many of them stand before the point (negative if
/// zeros follow it). No digits for zero.
fn expand(number: &Unpacked) -> (Vec<u8>, i64) {
    if number.exponent >= 0 {
        let mut long = Long::new(number.mantissa);
        long.shift_left(number.exponent as u32);
        let digits = long.digits();
        let point = digits.len() as i64;
        return (digits, point);
    }
    // m / 2^n = m * 5^n / 10^n.
    let places = number.exponent.unsigned_abs();
    let mut long = Long::new(number.mantissa);
    for _ in 0..places / 13 {
        long.multiply(5u32.pow(13));
    }
    long.multiply(5u32.pow(places % 13));
    let digits = long.digits();
    let point = digits.len() as i64 - i64::from(places);
    (digits, point)
}

/// Cuts the expansion to so many digits, rounding; may add one digit in front.
fn round(digits: &mut Vec<u8>, point: &mut i64, keep: i64) {
    if keep >= digits.len() as i64 {
        return;
    }
    if keep < 0 {
        digits.clear();
        return;
    }
    let keep = keep as usize;
    let rest = &digits[keep..];
    let tie = rest[0] == 5 && rest[1..].iter().all(|&d| d == 0);
    let odd = keep > 0 && digits[keep - 1] % 2 == 1;
    let up = if tie { odd } else { rest[0] >= 5 };
    digits.truncate(keep);
    if up {
        for digit in digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        digits.insert(0, 1);
        *point += 1;
    }
}

/// How to write a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// `f`, `e`, `g` or `a`.
    pub conversion: u8,
    pub precision: Option<usize>,
    /// `#`: keep the point and zeros.
    pub alternate: bool,
}

/// The absolute value as text in lower case, without sign and padding.
pub(super) fn show(number: &Unpacked, style: Style) -> String {
    match number.class {
        Class::Infinite => return "inf".to_owned(),
        Class::Nan => return "nan".to_owned(),
        Class::Finite => {}
    }
    let precision = style.precision.unwrap_or(6);
    match style.conversion {
        b'f' => fixed(number, precision, style.alternate),
        b'e' => scientific(number, precision, style.alternate).0,
        b'g' => general(number, precision.max(1), style.alternate),
        _ => hexadecimal(number, style),
    }
}

fn fixed(number: &Unpacked, precision: usize, alternate: bool) -> String {
    let (mut digits, mut point) = expand(number);
    let keep = point + precision as i64;
    round(&mut digits, &mut point, keep);
    let digit = |position: i64| {
        let value = usize::try_from(position).ok().and_then(|i| digits.get(i));
        char::from(b'0' + value.copied().unwrap_or(0))
    };
    let mut text: String = (0..point.max(0)).map(digit).collect();
    if text.is_empty() {
        text.push('0');
    }
    if precision > 0 || alternate {
        text.push('.');
    }
    text.extend((point..point + precision as i64).map(digit));
    text
}

/// Also the decimal exponent.
fn scientific(number: &Unpacked, precision: usize, alternate: bool) -> (String, i64) {
    let (mut digits, mut point) = expand(number);
    if digits.is_empty() {
        point = 1;
    }
    round(&mut digits, &mut point, precision as i64 + 1);
    let exponent = point - 1;
    let digit = |i: usize| char::from(b'0' + digits.get(i).copied().unwrap_or(0));
    let mut text = String::from(digit(0));
    if precision > 0 || alternate {
        text.push('.');
    }
    text.extend((1..=precision).map(digit));
    let sign = if exponent < 0 { '-' } else { '+' };
    text.push_str(&format!("e{sign}{:02}", exponent.abs()));
    (text, exponent)
}

fn general(number: &Unpacked, precision: usize, alternate: bool) -> String {
    let (text, exponent) = scientific(number, precision - 1, alternate);
    let is_fixed = (-4..precision as i64).contains(&exponent);
    let text = if is_fixed {
        fixed(number, (precision as i64 - 1 - exponent) as usize, alternate)
    } else {
        text
    };
    if alternate {
        return text;
    }
    let (mantissa, tail) = match text.find('e') {
        Some(e) => text.split_at(e),
        None => (text.as_str(), ""),
    };
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    format!("{mantissa}{tail}")
}

fn hexadecimal(number: &Unpacked, style: Style) -> String {
    // The first digit has one bit, but for x87, where glibc prints four.
    let lead_bits = if number.explicit_bit { 4 } else { 1 };
    let total = number.fraction_bits + 1;
    let mut behind = total - lead_bits;
    let mut mantissa = number.mantissa;
    let padding = (4 - behind % 4) % 4;
    mantissa <<= padding;
    behind += padding;
    let mut places = (behind / 4) as usize;
    let mut exponent = number.exponent + behind as i32 - padding as i32;
    if mantissa == 0 {
        exponent = 0;
    }
    if let Some(precision) = style.precision.filter(|&p| p < places) {
        let cut = 4 * (places - precision) as u32;
        let (half, rest) = (1u128 << (cut - 1), mantissa & ((1 << cut) - 1));
        mantissa >>= cut;
        if rest > half || rest == half && mantissa & 1 == 1 {
            mantissa += 1;
        }
        places = precision;
        if number.explicit_bit && mantissa >> (4 * places) == 16 {
            mantissa >>= 4;
            exponent += 4;
        }
    }
    let lead = mantissa >> (4 * places);
    let mut digits: String = (0..places)
        .rev()
        .map(|i| {
            let digit = (mantissa >> (4 * i)) as u32 & 15;
            char::from_digit(digit, 16).unwrap_or('0')
        })
        .collect();
    match style.precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(precision) => digits.extend(std::iter::repeat_n('0', precision - places)),
    }
    let point = if digits.is_empty() && !style.alternate { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x{lead:x}{point}{digits}p{sign}{}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn double(value: f64, conversion: u8, precision: Option<usize>) -> String {
        let number = unpack(Shape::F64, u128::from(value.to_bits()));
        show(&number, Style { conversion, precision, alternate: false })
    }

    #[test]
    fn as_glibc_prints() {
        assert_eq!(double(0.1, b'f', Some(20)), "0.10000000000000000555");
        assert_eq!(double(2.5, b'f', Some(0)), "2");
        assert_eq!(double(3.5, b'f', Some(0)), "4");
        assert_eq!(double(0.5, b'f', Some(0)), "0");
        assert_eq!(double(9.5, b'f', Some(0)), "10");
        assert_eq!(double(0.0, b'f', None), "0.000000");
        assert_eq!(double(0.0, b'e', None), "0.000000e+00");
        assert_eq!(double(123456.0, b'g', None), "123456");
        assert_eq!(double(1234567.0, b'g', None), "1.23457e+06");
        assert_eq!(double(0.0001, b'g', None), "0.0001");
        assert_eq!(double(0.00001, b'g', None), "1e-05");
        assert_eq!(double(0.0, b'g', None), "0");
        assert_eq!(double(1e300, b'e', Some(2)), "1.00e+300");
        assert_eq!(double(1.0, b'a', None), "0x1p+0");
        assert_eq!(double(0.1, b'a', None), "0x1.999999999999ap-4");
        assert_eq!(double(1.999, b'a', Some(1)), "0x2.0p+0");
        assert_eq!(double(5e-324, b'a', None), "0x0.0000000000001p-1022");
        let one = unpack(Shape::X87, 0x3fff_8000_0000_0000_0000);
        let style = Style { conversion: b'a', precision: None, alternate: false };
        assert_eq!(show(&one, style), "0x8p-3");
    }

    proptest! {
        #[test]
        fn doubles_agree_with_the_host(value in any::<f64>(), precision in 0usize..30) {
            prop_assume!(value.is_finite());
            let value = value.abs();
            prop_assert_eq!(double(value, b'f', Some(precision)), format!("{value:.precision$}"));
            let host = format!("{value:.precision$e}");
            let (mantissa, exponent) = host.split_once('e').unwrap();
            let exponent: i32 = exponent.parse().unwrap();
            let sign = if exponent < 0 { '-' } else { '+' };
            let expected = format!("{mantissa}e{sign}{:02}", exponent.abs());
            prop_assert_eq!(double(value, b'e', Some(precision)), expected);
        }
    }
}
