//! The format strings of `printf`.

use crate::interp::calls::{ArgValue, Passed};
use crate::interp::library::decimal::{Class, Style, show, unpack};
use crate::interp::machine::Machine;
use crate::interp::memory::ObjectKind;
use crate::interp::outcome::Stop;
use crate::interp::ub::UbKind;
use crate::interp::value::{ObjectRef, Shape, Value};
use crate::ops;

/// The arguments that are left for a format.
pub(super) enum Arguments<'a> {
    Given(std::slice::Iter<'a, ArgValue>),
    /// The position of a `va_list`.
    List(Value),
}

/// What stands between `%` and the conversion.
#[derive(Clone, Copy, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    length: Length,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Length {
    #[default]
    None,
    Char,
    Short,
    Long,
    LongLong,
    Size,
    LongDouble,
}

/// Longest field, to keep a mistake from filling the memory.
const MAX_FIELD: usize = 1 << 24;

impl Machine<'_> {
    fn next_argument(&mut self, arguments: &mut Arguments<'_>) -> Result<(Shape, Value), Stop> {
        let types = &self.program.types;
        match arguments {
            Arguments::Given(iter) => {
                if let Some(ArgValue { ty, value: Passed::Scalar(value) }) = iter.next()
                    && let Some(shape) = Shape::of(types, *ty)
                {
                    return Ok((shape, *value));
                }
                Err(self.fatal(UbKind::InvalidArgument))
            }
            Arguments::List(list) => {
                let object = ObjectRef::unpack(list.hi).and_then(|r| self.memory.object(r));
                let found = object.and_then(|object| match &object.kind {
                    ObjectKind::VarArgs(places) => {
                        let offset = list.lo.wrapping_sub(object.base);
                        places.iter().find(|place| place.0 == offset).map(|place| place.1)
                    }
                    _ => None,
                });
                let Some(ty) = found else { return Err(self.fatal(UbKind::VaArgMisuse)) };
                let Some(shape) = Shape::of(types, ty) else {
                    return Err(self.fatal(UbKind::InvalidArgument));
                };
                let (value, next) = self.va_fetch(*list, ty)?;
                *list = next;
                Ok((shape, value))
            }
        }
    }

    fn next_int(&mut self, arguments: &mut Arguments<'_>) -> Result<i128, Stop> {
        let (shape, value) = self.next_argument(arguments)?;
        if shape.is_float() {
            return Err(self.fatal(UbKind::InvalidArgument));
        }
        Ok(ops::extend(shape.scalar(), shape.bits(value)))
    }

    /// What a format and its arguments print.
    pub(super) fn format(
        &mut self,
        format: &[u8],
        arguments: &mut Arguments<'_>,
    ) -> Result<Vec<u8>, Stop> {
        let mut out = Vec::new();
        let mut rest = format;
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            if byte != b'%' {
                out.push(byte);
                continue;
            }
            let spec = self.spec(&mut rest, arguments)?;
            let Some((&conversion, tail)) = rest.split_first() else { break };
            rest = tail;
            self.convert(spec, conversion, arguments, &mut out)?;
        }
        Ok(out)
    }

    fn spec(&mut self, rest: &mut &[u8], arguments: &mut Arguments<'_>) -> Result<Spec, Stop> {
        let mut spec = Spec::default();
        while let Some((&flag, tail)) = rest.split_first() {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                b'\'' => {}
                _ => break,
            }
            *rest = tail;
        }
        if let Some(width) = self.number(rest, arguments)? {
            spec.left |= width < 0;
            spec.width = (width.unsigned_abs() as usize).min(MAX_FIELD);
        }
        if let Some((b'.', tail)) = rest.split_first() {
            *rest = tail;
            let precision = self.number(rest, arguments)?.unwrap_or(0);
            spec.precision = usize::try_from(precision).ok().map(|p| p.min(MAX_FIELD));
        }
        spec.length = length(rest);
        Ok(spec)
    }

    fn number(
        &mut self,
        rest: &mut &[u8],
        arguments: &mut Arguments<'_>,
    ) -> Result<Option<i64>, Stop> {
        if let Some((b'*', tail)) = rest.split_first() {
            *rest = tail;
            return Ok(Some(self.next_int(arguments)? as i64));
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return Ok(None);
        }
        let (number, tail) = rest.split_at(digits);
        *rest = tail;
        let value = number.iter().fold(0i64, |value, digit| {
            value.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
        });
        Ok(Some(value))
    }

    fn convert(
        &mut self,
        spec: Spec,
        conversion: u8,
        arguments: &mut Arguments<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        match conversion {
            b'%' => out.push(b'%'),
            b'd' | b'i' => {
                let value = self.next_int(arguments)?;
                let width = self.width(spec.length);
                let value = ops::sign_extend(value as u128, width);
                let digits = value.unsigned_abs().to_string();
                number_field(out, spec, sign(spec, value < 0), &digits);
            }
            b'u' | b'x' | b'X' | b'o' => {
                let value = self.next_int(arguments)?;
                let value = ops::truncate(value as u128, self.width(spec.length));
                let (prefix, digits) = match conversion {
                    b'u' => ("", format!("{value}")),
                    b'x' => ("0x", format!("{value:x}")),
                    b'X' => ("0X", format!("{value:X}")),
                    _ => ("", format!("{value:o}")),
                };
                let prefix = if spec.alternate && value != 0 { prefix } else { "" };
                let octal_zero = spec.alternate
                    && conversion == b'o'
                    && !digits.starts_with('0')
                    && spec.precision.is_none_or(|p| p <= digits.len());
                let digits = if octal_zero { format!("0{digits}") } else { digits };
                number_field(out, spec, prefix, &digits);
            }
            b'c' => {
                let value = self.next_int(arguments)? as u8;
                field(out, spec, &[value]);
            }
            b's' => {
                let (_, pointer) = self.next_argument(arguments)?;
                let text = if pointer.lo == 0 {
                    let enough = spec.precision.is_none_or(|p| p >= 6);
                    if enough { b"(null)".to_vec() } else { Vec::new() }
                } else if spec.length == Length::Long {
                    return Err(self.unsupported("wide strings in a format"));
                } else {
                    let limit = spec.precision.map_or(u64::MAX, |p| p as u64);
                    self.string_up_to(pointer, limit)?
                };
                field(out, spec, &text);
            }
            b'p' => {
                let (_, pointer) = self.next_argument(arguments)?;
                if pointer.lo == 0 {
                    field(out, spec, b"(nil)");
                } else {
                    number_field(out, spec, "0x", &format!("{:x}", pointer.lo));
                }
            }
            b'n' => {
                let (_, pointer) = self.next_argument(arguments)?;
                let shape = Shape::int(self.width(spec.length), true);
                let count = shape.value(out.len() as u128);
                self.store(shape, pointer, 0, count)?;
            }
            b'm' => field(out, spec, b"Success"),
            _ if b"feagFEAG".contains(&conversion) => {
                let (shape, value) = self.next_argument(arguments)?;
                if !shape.is_float() {
                    return Err(self.fatal(UbKind::InvalidArgument));
                }
                float_field(out, spec, conversion, shape, value);
            }
            other => {
                let what = format!("the conversion %{} of printf", char::from(other));
                return Err(self.unsupported(what));
            }
        }
        Ok(())
    }

    fn width(&self, length: Length) -> u16 {
        match length {
            Length::None => 32,
            Length::Char => 8,
            Length::Short => 16,
            Length::Long | Length::Size => self.program.types.target().pointer_bits(),
            Length::LongLong | Length::LongDouble => 64,
        }
    }
}

fn length(rest: &mut &[u8]) -> Length {
    let (length, bytes) = match rest {
        [b'h', b'h', ..] => (Length::Char, 2),
        [b'l', b'l', ..] => (Length::LongLong, 2),
        [b'h', ..] => (Length::Short, 1),
        [b'l', ..] => (Length::Long, 1),
        [b'z' | b't' | b'Z', ..] => (Length::Size, 1),
        [b'j' | b'q', ..] => (Length::LongLong, 1),
        [b'L', ..] => (Length::LongDouble, 1),
        _ => (Length::None, 0),
    };
    *rest = &rest[bytes..];
    length
}

fn sign(spec: Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    }
}

/// Text, padded with blanks; a precision cuts it.
fn field(out: &mut Vec<u8>, spec: Spec, text: &[u8]) {
    let padding = spec.width.saturating_sub(text.len());
    if !spec.left {
        out.extend(std::iter::repeat_n(b' ', padding));
    }
    out.extend_from_slice(text);
    if spec.left {
        out.extend(std::iter::repeat_n(b' ', padding));
    }
}

/// An integer: the precision is the least number of digits and switches the flag `0` off.
fn number_field(out: &mut Vec<u8>, spec: Spec, prefix: &str, digits: &str) {
    let digits = if spec.precision == Some(0) && digits == "0" { "" } else { digits };
    let mut zeros = spec.precision.unwrap_or(0).saturating_sub(digits.len());
    if spec.zero && !spec.left && spec.precision.is_none() {
        zeros = spec.width.saturating_sub(prefix.len() + digits.len());
    }
    let text = format!("{prefix}{}{digits}", "0".repeat(zeros));
    field(out, spec, text.as_bytes());
}

fn float_field(out: &mut Vec<u8>, spec: Spec, conversion: u8, shape: Shape, value: Value) {
    let number = unpack(shape, shape.bits(value));
    let style = Style {
        conversion: conversion.to_ascii_lowercase(),
        precision: spec.precision,
        alternate: spec.alternate,
    };
    let mut text = show(&number, style);
    let mut prefix = sign(spec, number.negative).to_owned();
    if let Some(digits) = text.strip_prefix("0x") {
        prefix.push_str("0x");
        text = digits.to_owned();
    }
    if conversion.is_ascii_uppercase() {
        prefix.make_ascii_uppercase();
        text.make_ascii_uppercase();
    }
    if spec.zero && !spec.left && number.class == Class::Finite {
        let zeros = spec.width.saturating_sub(prefix.len() + text.len());
        prefix.push_str(&"0".repeat(zeros));
    }
    field(out, spec, format!("{prefix}{text}").as_bytes());
}
