//! Decodes character constants and string literals (C17 6.4.4.4, 6.4.5, GNU `\e` and raw strings).
//!
//! As in gcc, the execution character set is UTF-8 and source bytes go into narrow literals
//! unchanged, whether or not they are UTF-8; wide literals need valid UTF-8.

use crate::ast::{CharLit, Encoding};

/// The code units decoded so far; which of the two is used depends on the encoding.
#[derive(Clone, Default, Debug)]
pub(crate) struct Units {
    pub(crate) narrow: Vec<u8>,
    pub(crate) wide: Vec<u32>,
}

impl Units {
    pub(crate) fn clear(&mut self) {
        self.narrow.clear();
        self.wide.clear();
    }

    /// A unit given by number (an escape sequence), cut to the width of the encoding.
    fn push_number(&mut self, value: u32, encoding: Encoding) {
        match encoding {
            Encoding::Plain | Encoding::Utf8 => self.narrow.push(value as u8),
            Encoding::Utf16 => self.wide.push(value & 0xffff),
            Encoding::Wide | Encoding::Utf32 => self.wide.push(value),
        }
    }

    fn push_char(&mut self, c: char, encoding: Encoding) {
        match encoding {
            Encoding::Plain | Encoding::Utf8 => {
                self.narrow.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Encoding::Utf16 => {
                self.wide.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&u| u32::from(u)));
            }
            Encoding::Wide | Encoding::Utf32 => self.wide.push(c as u32),
        }
    }
}

/// The encoding prefix of a literal token.
pub(crate) fn prefix(token: &[u8]) -> Encoding {
    match token {
        [b'L', ..] => Encoding::Wide,
        [b'U', ..] => Encoding::Utf32,
        [b'u', b'8', ..] => Encoding::Utf8,
        [b'u', ..] => Encoding::Utf16,
        _ => Encoding::Plain,
    }
}

/// The encoding of adjacent literals, or `None` if they cannot be joined.
pub(crate) fn join(left: Encoding, right: Encoding) -> Option<Encoding> {
    match (left, right) {
        (Encoding::Plain, other) | (other, Encoding::Plain) => Some(other),
        (a, b) if a == b => Some(a),
        _ => None,
    }
}

/// Appends the units of one string token, taken as part of a literal in `encoding`.
pub(crate) fn decode_string(
    token: &[u8],
    encoding: Encoding,
    units: &mut Units,
) -> Result<(), String> {
    let Some(quote) = token.iter().position(|&b| b == b'"') else { return Ok(()) };
    let body = &token[quote + 1..token.len() - 1];
    if token[..quote].ends_with(b"R") {
        let (Some(open), Some(close)) =
            (body.iter().position(|&b| b == b'('), body.iter().rposition(|&b| b == b')'))
        else {
            return Ok(());
        };
        return decode_plain(&body[open + 1..close], encoding, units);
    }
    decode_body(body, encoding, units)
}

/// Decodes a character constant.
pub(crate) fn decode_char(token: &[u8], units: &mut Units) -> Result<CharLit, String> {
    let encoding = prefix(token);
    units.clear();
    if let Some(quote) = token.iter().position(|&b| b == b'\'') {
        decode_body(&token[quote + 1..token.len() - 1], encoding, units)?;
    }
    let value = match encoding {
        Encoding::Plain => match units.narrow.as_slice() {
            [] => return Err("empty character constant".to_owned()),
            [single] => i32::from(*single as i8),
            several => several.iter().fold(0, |v: i32, &b| v.wrapping_shl(8) | i32::from(b)),
        },
        Encoding::Utf8 => match units.narrow.as_slice() {
            [single] => i32::from(*single),
            _ => return Err("character constant does not fit one `char8_t`".to_owned()),
        },
        // gcc takes the last of several wide characters, with a warning.
        _ => match units.wide.last() {
            Some(&unit) => unit as i32,
            None => return Err("empty character constant".to_owned()),
        },
    };
    Ok(CharLit { value, encoding })
}

/// Text without escapes.
fn decode_plain(text: &[u8], encoding: Encoding, units: &mut Units) -> Result<(), String> {
    if matches!(encoding, Encoding::Plain | Encoding::Utf8) {
        units.narrow.extend_from_slice(text);
        return Ok(());
    }
    match std::str::from_utf8(text) {
        Ok(text) => {
            text.chars().for_each(|c| units.push_char(c, encoding));
            Ok(())
        }
        Err(_) => Err("bytes that are not UTF-8 in a wide literal".to_owned()),
    }
}

fn decode_body(mut body: &[u8], encoding: Encoding, units: &mut Units) -> Result<(), String> {
    while let Some(backslash) = memchr::memchr(b'\\', body) {
        decode_plain(&body[..backslash], encoding, units)?;
        body = decode_escape(&body[backslash + 1..], encoding, units)?;
    }
    decode_plain(body, encoding, units)
}

/// Decodes the escape sequence at the start of `rest` and returns what follows it.
fn decode_escape<'a>(
    rest: &'a [u8],
    encoding: Encoding,
    units: &mut Units,
) -> Result<&'a [u8], String> {
    let Some((&first, after)) = rest.split_first() else { return Ok(rest) };
    let simple = match first {
        b'a' => 0x07,
        b'b' => 0x08,
        b'e' | b'E' => 0x1b,
        b'f' => 0x0c,
        b'n' => 0x0a,
        b'r' => 0x0d,
        b't' => 0x09,
        b'v' => 0x0b,
        b'0'..=b'7' => {
            let len = rest.iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            let value = rest[..len].iter().fold(0, |v, b| v * 8 + u32::from(b - b'0'));
            units.push_number(value, encoding);
            return Ok(&rest[len..]);
        }
        b'x' => {
            let (value, len) = hex(after, usize::MAX);
            if len == 0 {
                return Err("`\\x` without hexadecimal digits".to_owned());
            }
            units.push_number(value, encoding);
            return Ok(&after[len..]);
        }
        b'u' | b'U' => {
            let digits = if first == b'u' { 4 } else { 8 };
            let (value, len) = hex(after, digits);
            let c = char::from_u32(value).filter(|_| len == digits);
            let Some(c) = c else {
                return Err(format!("`\\{}` does not name a character", first as char));
            };
            units.push_char(c, encoding);
            return Ok(&after[len..]);
        }
        // An escaped line end is nothing at all.
        b'\n' => return Ok(after),
        b'\r' if after.first() == Some(&b'\n') => return Ok(&after[1..]),
        // A quote, a question mark, or an unknown escape, which stands for its character.
        _ if first < 0x80 => u32::from(first),
        _ => return Ok(rest),
    };
    units.push_number(simple, encoding);
    Ok(after)
}

/// The value of the leading hexadecimal digits (its low 32 bits) and their number.
fn hex(text: &[u8], limit: usize) -> (u32, usize) {
    let len = text.iter().take(limit).take_while(|b| b.is_ascii_hexdigit()).count();
    let value = text[..len]
        .iter()
        .fold(0u32, |v, &b| v.wrapping_shl(4) | char::from(b).to_digit(16).unwrap_or_default());
    (value, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrow(token: &str) -> Vec<u8> {
        let mut units = Units::default();
        decode_string(token.as_bytes(), prefix(token.as_bytes()), &mut units).unwrap();
        units.narrow
    }

    fn wide(token: &str) -> Vec<u32> {
        let mut units = Units::default();
        decode_string(token.as_bytes(), prefix(token.as_bytes()), &mut units).unwrap();
        units.wide
    }

    fn char_of(token: &str) -> Result<i32, String> {
        decode_char(token.as_bytes(), &mut Units::default()).map(|c| c.value)
    }

    #[test]
    fn escapes() {
        assert_eq!(narrow(r#""a\n\t\\\"\?\e\0\12\1234\x41\q""#), b"a\n\t\\\"?\x1b\0\x0aS4Aq");
        assert_eq!(narrow("\"a\\\nb\""), b"ab");
        assert_eq!(narrow(r#""\u00e9""#), "é".as_bytes());
        assert_eq!(narrow(r#"R"x(a\n"b)x""#), b"a\\n\"b");
    }

    #[test]
    fn wide_units() {
        assert_eq!(wide("L\"é\\x1234567\""), [0xe9, 0x0123_4567]);
        assert_eq!(wide("u\"\u{1f600}\""), [0xd83d, 0xde00]);
        assert_eq!(wide("U\"\u{1f600}\""), [0x1f600]);
    }

    #[test]
    fn characters_have_the_values_of_gcc() {
        assert_eq!(char_of("'a'"), Ok(97));
        assert_eq!(char_of(r"'\xff'"), Ok(-1));
        assert_eq!(char_of("'ab'"), Ok(0x6162));
        assert_eq!(char_of("'abcde'"), Ok(0x6263_6465));
        assert_eq!(char_of("u8'a'"), Ok(97));
        assert_eq!(char_of("L'é'"), Ok(0xe9));
        assert_eq!(char_of(r"U'\xffffffff'"), Ok(-1));
        assert!(char_of("''").is_err());
        assert!(char_of("u8'é'").is_err());
        assert!(char_of(r"'\x'").is_err());
        assert!(char_of(r"'\ud800'").is_err());
    }

    #[test]
    fn plain_joins_with_anything() {
        assert_eq!(join(Encoding::Plain, Encoding::Wide), Some(Encoding::Wide));
        assert_eq!(join(Encoding::Utf8, Encoding::Plain), Some(Encoding::Utf8));
        assert_eq!(join(Encoding::Wide, Encoding::Utf16), None);
    }
}
