//! GCC's `__sync_*` and `__atomic_*` functions in their sequential meaning.

use crate::expr::BinaryOp;
use crate::interp::library::{Native, NativeCall};
use crate::interp::machine::Machine;
use crate::interp::outcome::Stop;
use crate::interp::ub::UbKind;
use crate::interp::value::{Shape, Value};
use crate::ops;

type Done = Result<Option<Value>, Stop>;

pub(super) fn find(name: &str) -> Option<Native> {
    let name = base(name);
    if update(name).is_some() {
        return Some(fetch_and_update);
    }
    Some(match name {
        "load_n" => load,
        "load" => load_to,
        "store_n" | "store" | "lock_release" | "clear" => store,
        "exchange_n" | "exchange" | "lock_test_and_set" => exchange,
        "test_and_set" => test_and_set,
        "bool_compare_and_swap" | "val_compare_and_swap" => compare_and_swap,
        "compare_exchange_n" | "compare_exchange" => compare_exchange,
        "synchronize" | "thread_fence" | "signal_fence" => fence,
        "always_lock_free" | "is_lock_free" => lock_free,
        _ => return None,
    })
}

/// The name without prefix and without the suffix for a size.
fn base(name: &str) -> &str {
    let name = ["__sync_", "__atomic_", "__c11_atomic_"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name);
    ["_16", "_8", "_4", "_2", "_1"].iter().find_map(|size| name.strip_suffix(size)).unwrap_or(name)
}

/// The operation of an update, and whether the old value is the result.
fn update(name: &str) -> Option<(&str, bool)> {
    let forms = [
        ("fetch_and_", "", true),
        ("fetch_", "", true),
        ("", "_and_fetch", false),
        ("", "_fetch", false),
    ];
    forms.iter().find_map(|(prefix, suffix, old)| {
        let operation = name.strip_prefix(prefix)?.strip_suffix(suffix)?;
        matches!(operation, "add" | "sub" | "and" | "or" | "xor" | "nand")
            .then_some((operation, *old))
    })
}

/// Where the value is, and of which shape.
fn target(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Result<(Value, Shape), Stop> {
    let pointer = call.pointer(m, 0)?;
    let to = call.args.first().and_then(|arg| m.program.types.pointee(arg.ty));
    let shape = to.and_then(|to| Shape::of(&m.program.types, to));
    let sized = || match call.name.rsplit('_').next() {
        Some("1") => Some(Shape::U8),
        Some("2") => Some(Shape::U16),
        Some("4") => Some(Shape::U32),
        Some("8") => Some(Shape::U64),
        Some("16") => Some(Shape::U128),
        _ => Some(Shape::U8),
    };
    match shape.or_else(sized) {
        Some(shape) => Ok((pointer, shape)),
        None => Err(m.fatal(UbKind::WrongSignature)),
    }
}

/// An operand, converted to the shape of the value.
fn operand(
    m: &mut Machine<'_>,
    call: &NativeCall<'_>,
    index: usize,
    shape: Shape,
) -> Result<Value, Stop> {
    if shape.is_pointer() {
        return call.pointer(m, index);
    }
    let (from, value) = call.scalar(m, index)?;
    let bits = ops::cast(from.scalar(), shape.scalar(), from.bits(value));
    Ok(shape.value(bits))
}

fn fetch_and_update(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, shape) = target(m, call)?;
    let old = m.load(shape, at, 0)?;
    let (operation, returns_old) = update(base(call.name)).unwrap_or(("add", true));
    let (_, by) = call.scalar(m, 1)?;
    let integer = if shape.is_pointer() { Shape::U64 } else { shape };
    let by = if shape.is_pointer() {
        u128::from(by.lo)
    } else {
        shape.bits(operand(m, call, 1, shape)?)
    };
    let op = match operation {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "or" => BinaryOp::BitOr,
        "xor" => BinaryOp::BitXor,
        _ => BinaryOp::BitAnd,
    };
    let scalar = integer.scalar();
    let mut bits = ops::binary(op, scalar, shape.bits(old), scalar, by).unwrap_or(0);
    if operation == "nand" {
        bits = ops::truncate(!bits, shape.width());
    }
    let new = if shape.is_pointer() {
        Value { lo: bits as u64 & m.memory.address_mask(), hi: old.hi }
    } else {
        shape.value(bits)
    };
    m.store(shape, at, 0, new)?;
    Ok(Some(if returns_old { old } else { new }))
}

fn load(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, shape) = target(m, call)?;
    m.load(shape, at, 0).map(Some)
}

fn load_to(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    if base(call.name) == "load" && call.name.ends_with(|c: char| c.is_ascii_digit()) {
        return load(m, call);
    }
    let (at, shape) = target(m, call)?;
    let value = m.load(shape, at, 0)?;
    let to = call.pointer(m, 1)?;
    m.store(shape, to, 0, value)?;
    Ok(None)
}

/// Whether the operands are pointers to values: the generic forms without `_n`.
fn by_pointer(call: &NativeCall<'_>) -> bool {
    call.name.starts_with("__atomic_")
        && !call.name.ends_with("_n")
        && !call.name.ends_with(|c: char| c.is_ascii_digit())
}

fn operand_value(
    m: &mut Machine<'_>,
    call: &NativeCall<'_>,
    index: usize,
    shape: Shape,
) -> Result<Value, Stop> {
    if by_pointer(call) {
        let from = call.pointer(m, index)?;
        return m.load(shape, from, 0);
    }
    operand(m, call, index, shape)
}

fn store(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, shape) = target(m, call)?;
    let releases = matches!(base(call.name), "lock_release" | "clear");
    let value = if releases { Value::ZERO } else { operand_value(m, call, 1, shape)? };
    m.store(shape, at, 0, value)?;
    Ok(None)
}

fn exchange(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, shape) = target(m, call)?;
    let old = m.load(shape, at, 0)?;
    let new = operand_value(m, call, 1, shape)?;
    m.store(shape, at, 0, new)?;
    if by_pointer(call) {
        let to = call.pointer(m, 2)?;
        m.store(shape, to, 0, old)?;
        return Ok(None);
    }
    Ok(Some(old))
}

fn test_and_set(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let at = call.pointer(m, 0)?;
    let old = m.load(Shape::U8, at, 0)?;
    m.store(Shape::U8, at, 0, Value::word(1))?;
    Ok(Some(Value::word(u64::from(old.lo != 0))))
}

fn compare_and_swap(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, shape) = target(m, call)?;
    let old = m.load(shape, at, 0)?;
    let (expected, new) = (operand(m, call, 1, shape)?, operand(m, call, 2, shape)?);
    let equal = shape.bits(old) == shape.bits(expected);
    if equal {
        m.store(shape, at, 0, new)?;
    }
    let bool_form = base(call.name).starts_with("bool");
    Ok(Some(if bool_form { Value::int(i32::from(equal)) } else { old }))
}

fn compare_exchange(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, shape) = target(m, call)?;
    let old = m.load(shape, at, 0)?;
    let expected_at = call.pointer(m, 1)?;
    let expected = m.load(shape, expected_at, 0)?;
    let equal = shape.bits(old) == shape.bits(expected);
    if equal {
        let new = operand_value(m, call, 2, shape)?;
        m.store(shape, at, 0, new)?;
    } else {
        m.store(shape, expected_at, 0, old)?;
    }
    Ok(Some(Value::int(i32::from(equal))))
}

fn fence(_m: &mut Machine<'_>, _call: &NativeCall<'_>) -> Done {
    Ok(None)
}

fn lock_free(_m: &mut Machine<'_>, _call: &NativeCall<'_>) -> Done {
    Ok(Some(Value::int(1)))
}
