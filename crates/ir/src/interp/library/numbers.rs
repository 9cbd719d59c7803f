//! Numbers from text, random numbers, absolute values, and what comes from outside.

use crate::interp::library::{Native, NativeCall};
use crate::interp::machine::{Machine, Returned};
use crate::interp::memory::ObjectKind;
use crate::interp::outcome::Stop;
use crate::interp::ub::UbKind;
use crate::interp::value::{Shape, Value};
use crate::library::plain_name;
use crate::ops;
use crate::types::FloatKind;

type Done = Result<Option<Value>, Stop>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "atoi" | "atol" | "atoll" => atoi,
        "strtol" | "strtoll" | "strtoul" | "strtoull" | "strtoq" | "strtouq" => strtol,
        "atof" | "strtod" | "strtof" | "strtold" => strtod,
        "abs" | "labs" | "llabs" | "imaxabs" => abs,
        "rand" | "random" => rand,
        "srand" | "srandom" => srand,
        "time" => time,
        "clock" | "getpid" | "getppid" | "getuid" | "geteuid" | "lrand48" | "drand48"
        | "mrand48" | "isatty" => outside,
        "getenv" | "secure_getenv" => getenv,
        "__errno_location" | "__error" => errno,
        _ => return None,
    })
}

pub(super) fn is_pure(name: &str) -> bool {
    matches!(name, "abs" | "labs" | "llabs" | "imaxabs")
}

const ERANGE: u64 = 34;

/// The generator of glibc's `rand`: additive feedback, `r[i] = r[i-3] + r[i-31]`.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: Vec<u32>,
}

impl Random {
    pub(crate) fn new(seed: u32) -> Self {
        let seed = if seed == 0 { 1 } else { seed };
        let mut state = vec![seed as i32];
        for i in 1..31 {
            let previous = i64::from(state[i - 1]);
            let value = 16_807 * previous % 2_147_483_647;
            state.push((if value < 0 { value + 2_147_483_647 } else { value }) as i32);
        }
        let mut random = Self { state: state.into_iter().map(|value| value as u32).collect() };
        for i in 31..34 {
            random.state.push(random.state[i - 31]);
        }
        for _ in 34..344 {
            random.advance();
        }
        random
    }

    fn advance(&mut self) -> u32 {
        let n = self.state.len();
        let value = self.state[n - 31].wrapping_add(self.state[n - 3]);
        self.state.push(value);
        if self.state.len() > 4096 {
            self.state.drain(..4096 - 34);
        }
        value
    }

    pub(crate) fn next(&mut self) -> u32 {
        self.advance() >> 1
    }
}

impl Machine<'_> {
    /// What the source says a function does, or else the default.
    pub(super) fn environment(
        &mut self,
        call: &NativeCall<'_>,
        default: impl FnOnce(&mut Self) -> Result<Value, Stop>,
    ) -> Done {
        match self.outside_call(call.name, call.result) {
            Some(effect) => match self.apply(call, effect)? {
                Returned::Scalar(value) => Ok(Some(value)),
                Returned::Nothing | Returned::Record(_) => Ok(None),
            },
            None => default(self).map(Some),
        }
    }

    fn set_errno(&mut self, code: u64) -> Result<(), Stop> {
        let object = self.library_object("errno", ObjectKind::Library, &[0; 4])?;
        self.store(Shape::I32, object, 0, Value::word(code))
    }
}

fn errno(m: &mut Machine<'_>, _call: &NativeCall<'_>) -> Done {
    m.library_object("errno", ObjectKind::Library, &[0; 4]).map(Some)
}

fn rand(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    m.environment(call, |m| {
        let random = m.library.random.get_or_insert_with(|| Random::new(1));
        Ok(Value::word(u64::from(random.next())))
    })
}

fn srand(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let seed = call.int(m, 0)? as u32;
    m.library.random = Some(Random::new(seed));
    Ok(None)
}

fn outside(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    m.environment(call, |m| {
        let shape = Shape::of(&m.program.types, call.result).unwrap_or(Shape::I32);
        m.nondet_value(shape)
    })
}

fn time(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let now = outside(m, call)?;
    let to = call.pointer(m, 0)?;
    if let (Some(now), true) = (now, to.lo != 0) {
        let shape = Shape::of(&m.program.types, call.result).unwrap_or(Shape::I64);
        m.store(shape, to, 0, now)?;
    }
    Ok(now)
}

fn getenv(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    m.environment(call, |_| Ok(Value::ZERO))
}

fn abs(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (shape, value) = call.scalar(m, 0)?;
    let number = ops::extend(shape.scalar(), shape.bits(value));
    if number == ops::sign_extend(1 << (shape.width() - 1), shape.width()) {
        m.undefined(UbKind::SignedOverflow)?;
    }
    Ok(Some(shape.value(number.unsigned_abs())))
}

/// An integer at the start of a text: its value, cut off at the limits of 128 bits, and how many
/// bytes it takes (0 if there is none).
fn integer(text: &[u8], base: u32) -> (i128, usize) {
    let mut at = text.iter().take_while(|b| b.is_ascii_whitespace() || **b == 0x0b).count();
    let negative = text.get(at) == Some(&b'-');
    if matches!(text.get(at), Some(b'+' | b'-')) {
        at += 1;
    }
    let mut base = base;
    let hex = |at: usize| {
        text.get(at) == Some(&b'0')
            && matches!(text.get(at + 1), Some(b'x' | b'X'))
            && text.get(at + 2).is_some_and(u8::is_ascii_hexdigit)
    };
    if (base == 0 || base == 16) && hex(at) {
        at += 2;
        base = 16;
    } else if base == 0 {
        base = if text.get(at) == Some(&b'0') { 8 } else { 10 };
    }
    let digits: Vec<u32> =
        text[at..].iter().map_while(|&byte| char::from(byte).to_digit(base)).collect();
    if digits.is_empty() {
        return (0, 0);
    }
    let value = digits.iter().fold(0i128, |value, &digit| {
        value.saturating_mul(i128::from(base)).saturating_add(i128::from(digit))
    });
    (if negative { -value } else { value }, at + digits.len())
}

fn atoi(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let at = call.pointer(m, 0)?;
    let text = m.string(at)?;
    let long = m.program.types.target().pointer_bits();
    // `atoi` is `(int) strtol`.
    let (low, high) = limits(if call.name.ends_with("atoll") { 64 } else { long }, true);
    Ok(Some(Value::bits(integer(&text, 10).0.clamp(low, high) as u128)))
}

fn limits(bits: u16, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn strtol(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, end, base) = (call.pointer(m, 0)?, call.pointer(m, 1)?, call.int(m, 2)?);
    let name = plain_name(call.name);
    let signed = !name.starts_with("strtou");
    let is_long = matches!(name, "strtol" | "strtoul");
    let bits = if is_long { m.program.types.target().pointer_bits() } else { 64 };
    let text = m.string(at)?;
    let base = u32::try_from(base).ok().filter(|base| *base == 0 || (2..=36).contains(base));
    let (value, length) = base.map_or((0, 0), |base| integer(&text, base));
    if end.lo != 0 {
        let stopped = m.moved(at, length as i64);
        m.store(Shape::pointer(m.program.types.target()), end, 0, stopped)?;
    }
    let (low, high) = limits(bits, signed);
    let clamped = if signed {
        value.clamp(low, high)
    } else if value.unsigned_abs() > high as u128 {
        high
    } else {
        value
    };
    if clamped != value {
        m.set_errno(ERANGE)?;
    }
    Ok(Some(Value::bits(clamped as u128)))
}

/// How many bytes of a text are a floating-point number, after so many blanks.
fn float_length(text: &[u8]) -> (usize, usize) {
    let blanks = text.iter().take_while(|b| b.is_ascii_whitespace() || **b == 0x0b).count();
    let rest = &text[blanks..];
    let mut at = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
    let lower = rest[at..].to_ascii_lowercase();
    for word in [&b"infinity"[..], b"inf", b"nan"] {
        if lower.starts_with(word) {
            return (blanks, at + word.len());
        }
    }
    let is_hex = lower.starts_with(b"0x");
    let mut digits = 0;
    let mut seen_point = false;
    if is_hex {
        at += 2;
    }
    while let Some(&byte) = rest.get(at) {
        let digit = if is_hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
        if digit {
            digits += 1;
        } else if byte == b'.' && !seen_point {
            seen_point = true;
        } else {
            break;
        }
        at += 1;
    }
    if digits == 0 {
        return (blanks, 0);
    }
    let marker = if is_hex { b'p' } else { b'e' };
    if rest.get(at).is_some_and(|byte| byte.to_ascii_lowercase() == marker) {
        let sign = usize::from(matches!(rest.get(at + 1), Some(b'+' | b'-')));
        let start = at + 1 + sign;
        let count = rest[start.min(rest.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        if count > 0 {
            at = start + count;
        }
    }
    (blanks, at)
}

fn strtod(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let at = call.pointer(m, 0)?;
    let text = m.string(at)?;
    let (kind, shape) = match plain_name(call.name) {
        "strtof" => (FloatKind::F32, Shape::F32),
        "strtold" => (FloatKind::X87, Shape::X87),
        _ => (FloatKind::F64, Shape::F64),
    };
    let (blanks, length) = float_length(&text);
    let number = String::from_utf8_lossy(&text[blanks..blanks + length]).to_ascii_lowercase();
    let negative = number.starts_with('-');
    let digits = number.trim_start_matches(['+', '-']);
    let mut bits = match digits {
        "inf" | "infinity" => ops::parse_float(kind, "inf"),
        "nan" => ops::parse_float(kind, "nan"),
        hex if hex.starts_with("0x") && !hex.contains('p') => {
            ops::parse_float(kind, &format!("{hex}p0"))
        }
        other => ops::parse_float(kind, other),
    }
    .unwrap_or(0);
    if negative {
        bits ^= 1 << (shape.width() - 1);
    }
    if call.args.len() > 1 {
        let end = call.pointer(m, 1)?;
        if end.lo != 0 {
            let used = if length == 0 { 0 } else { blanks + length };
            let stopped = m.moved(at, used as i64);
            m.store(Shape::pointer(m.program.types.target()), end, 0, stopped)?;
        }
    }
    Ok(Some(Value::bits(bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_those_of_glibc() {
        let mut random = Random::new(1);
        assert_eq!(
            [random.next(), random.next(), random.next()],
            [1_804_289_383, 846_930_886, 1_681_692_777]
        );
        let mut random = Random::new(42);
        assert_eq!(random.next(), 71_876_166);
    }

    #[test]
    fn integers_from_text() {
        assert_eq!(integer(b"  -42abc", 10), (-42, 5));
        assert_eq!(integer(b"0x1fz", 0), (31, 4));
        assert_eq!(integer(b"0x", 16), (0, 1));
        assert_eq!(integer(b"077", 0), (63, 3));
        assert_eq!(integer(b"z", 10), (0, 0));
    }

    #[test]
    fn floats_in_text() {
        assert_eq!(float_length(b" 1.5e3x"), (1, 5));
        assert_eq!(float_length(b"1e"), (0, 1));
        assert_eq!(float_length(b"."), (0, 0));
        assert_eq!(float_length(b"-inf"), (0, 4));
    }
}
