//! `__builtin_` functions of compilers that are no functions of the library.

use crate::interp::library::{Native, NativeCall};
use crate::interp::machine::Machine;
use crate::interp::outcome::Stop;
use crate::interp::ub::UbKind;
use crate::interp::value::{Shape, Value};
use crate::library::plain_name;
use crate::ops;

type Done = Result<Option<Value>, Stop>;

pub(super) fn find(name: &str) -> Option<Native> {
    if bits_function(name).is_some() {
        return Some(bits);
    }
    if name.contains("_overflow") {
        return Some(overflow);
    }
    Some(match name {
        "bswap16" | "bswap32" | "bswap64" | "bswap128" => swap_bytes,
        "expect"
        | "expect_with_probability"
        | "assume_aligned"
        | "launder"
        | "extract_return_addr" => first,
        "constant_p" | "is_constant_evaluated" | "classify_type" => zero,
        "frame_address" | "return_address" => zero,
        "__clear_cache" | "clear_cache" | "ia32_pause" | "ia32_mfence" => nothing,
        _ => return None,
    })
}

pub(super) fn is_pure(name: &str) -> bool {
    bits_function(name).is_some()
        || name.starts_with("bswap")
        || matches!(name, "expect" | "expect_with_probability" | "assume_aligned" | "constant_p")
}

fn nothing(_m: &mut Machine<'_>, _call: &NativeCall<'_>) -> Done {
    Ok(None)
}

fn zero(_m: &mut Machine<'_>, _call: &NativeCall<'_>) -> Done {
    Ok(Some(Value::ZERO))
}

fn first(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    Ok(Some(call.scalar(m, 0)?.1))
}

/// A function that looks at the bits of a number, without the suffix for its width.
fn bits_function(name: &str) -> Option<&str> {
    let known = |base: &&str| {
        matches!(
            *base,
            "clz" | "ctz" | "ffs" | "popcount" | "parity" | "clrsb" | "clzg" | "ctzg" | "popcountg"
        )
    };
    [name, name.strip_suffix("ll").unwrap_or(""), name.strip_suffix('l').unwrap_or("")]
        .into_iter()
        .find(known)
}

fn bits(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (shape, value) = call.scalar(m, 0)?;
    let width = u32::from(shape.width());
    let bits = shape.bits(value);
    let function = bits_function(plain_name(call.name)).unwrap_or_default();
    let result = match function.trim_end_matches('g') {
        "clz" | "ctz" if bits == 0 => {
            if call.args.len() > 1 {
                return Ok(Some(call.scalar(m, 1)?.1));
            }
            return Err(m.fatal(UbKind::InvalidArgument));
        }
        "clz" => bits.leading_zeros() - (128 - width),
        "ctz" => bits.trailing_zeros(),
        "ffs" if bits == 0 => 0,
        "ffs" => bits.trailing_zeros() + 1,
        "popcount" => bits.count_ones(),
        "parity" => bits.count_ones() % 2,
        _ => {
            let number = ops::sign_extend(bits, shape.width());
            let folded = (number ^ (number >> 127)) as u128;
            folded.leading_zeros() - (128 - width) - 1
        }
    };
    Ok(Some(Value::word(u64::from(result))))
}

fn swap_bytes(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (_, value) = call.scalar(m, 0)?;
    Ok(Some(match plain_name(call.name) {
        "bswap16" => Value::word(u64::from((value.lo as u16).swap_bytes())),
        "bswap32" => Value::word(u64::from((value.lo as u32).swap_bytes())),
        "bswap64" => Value::word(value.lo.swap_bytes()),
        _ => Value::bits(value.to_bits().swap_bytes()),
    }))
}

/// `__builtin_add_overflow` and its kin: computes exactly, stores what fits, says whether it did.
fn overflow(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let name = plain_name(call.name);
    let (a_shape, a) = call.scalar(m, 0)?;
    let (b_shape, b) = call.scalar(m, 1)?;
    let only_asks = name.ends_with("_p");
    let result_type = call.args.get(2).map(|arg| arg.ty);
    let result_type = match (only_asks, result_type) {
        (true, ty) => ty,
        (false, ty) => ty.and_then(|ty| m.program.types.pointee(ty)),
    };
    let Some(shape) = result_type.and_then(|ty| Shape::of(&m.program.types, ty)) else {
        return Err(m.fatal(UbKind::WrongSignature));
    };
    let a = Exact::new(a_shape, a);
    let b = Exact::new(b_shape, b);
    let exact = if name.contains("add") {
        a.add(b)
    } else if name.contains("sub") {
        a.add(Exact { negative: !b.negative, ..b })
    } else {
        a.multiply(b)
    };
    let (bits, overflows) = exact.wrap(shape);
    if !only_asks {
        let to = call.pointer(m, 2)?;
        m.store(shape, to, 0, shape.value(bits))?;
    }
    Ok(Some(Value::int(i32::from(overflows))))
}

/// A number as sign and magnitude; `None` if the magnitude needs more than 128 bits, beside what
/// its lowest 128 bits are.
#[derive(Clone, Copy)]
struct Exact {
    negative: bool,
    magnitude: u128,
    too_large: bool,
}

impl Exact {
    fn new(shape: Shape, value: Value) -> Self {
        let bits = shape.bits(value);
        if shape.is_signed() {
            let number = ops::sign_extend(bits, shape.width());
            let magnitude = number.unsigned_abs();
            return Self { negative: number < 0, magnitude, too_large: false };
        }
        Self { negative: false, magnitude: bits, too_large: false }
    }

    fn add(self, other: Self) -> Self {
        if self.negative == other.negative {
            let (magnitude, too_large) = self.magnitude.overflowing_add(other.magnitude);
            return Self { magnitude, too_large, ..self };
        }
        let negative =
            if self.magnitude >= other.magnitude { self.negative } else { other.negative };
        let magnitude = self.magnitude.abs_diff(other.magnitude);
        Self { negative: negative && magnitude != 0, magnitude, too_large: false }
    }

    fn multiply(self, other: Self) -> Self {
        let (magnitude, too_large) = self.magnitude.overflowing_mul(other.magnitude);
        Self { negative: self.negative != other.negative && magnitude != 0, magnitude, too_large }
    }

    /// The lowest bits, and whether more would be needed.
    fn wrap(self, shape: Shape) -> (u128, bool) {
        let bits = if self.negative { self.magnitude.wrapping_neg() } else { self.magnitude };
        let bits = ops::truncate(bits, shape.width());
        let back = Self::new(shape, shape.value(bits));
        let fits = !self.too_large
            && back.magnitude == self.magnitude
            && (back.negative == self.negative || self.magnitude == 0);
        (bits, !fits)
    }
}
