//! Classes of characters in the C locale, with the values that glibc gives.

use crate::interp::library::{Native, NativeCall};
use crate::interp::machine::Machine;
use crate::interp::memory::ObjectKind;
use crate::interp::outcome::Stop;
use crate::interp::value::{Shape, Value};

type Done = Result<Option<Value>, Stop>;

/// Name of the function, bit, and who belongs to the class.
type Class = (&'static str, u16, fn(u8) -> bool);

/// The bit of each class in the table of `__ctype_b_loc`, on little-endian machines.
const CLASSES: [Class; 12] = [
    ("isupper", 0x100, |c| c.is_ascii_uppercase()),
    ("islower", 0x200, |c| c.is_ascii_lowercase()),
    ("isalpha", 0x400, |c| c.is_ascii_alphabetic()),
    ("isdigit", 0x800, |c| c.is_ascii_digit()),
    ("isxdigit", 0x1000, |c| c.is_ascii_hexdigit()),
    ("isspace", 0x2000, |c| c == b' ' || (9..=13).contains(&c)),
    ("isprint", 0x4000, |c| (32..127).contains(&c)),
    ("isgraph", 0x8000, |c| c.is_ascii_graphic()),
    ("isblank", 0x1, |c| c == b' ' || c == b'\t'),
    ("iscntrl", 0x2, |c| c.is_ascii_control()),
    ("ispunct", 0x4, |c| c.is_ascii_punctuation()),
    ("isalnum", 0x8, |c| c.is_ascii_alphanumeric()),
];

/// Characters -128 to 255.
const FIRST: i32 = -128;
const LAST: i32 = 255;

pub(super) fn find(name: &str) -> Option<Native> {
    if CLASSES.iter().any(|class| class.0 == name) {
        return Some(classify);
    }
    Some(match name {
        "toupper" => |m, call| change(m, call, u8::to_ascii_uppercase),
        "tolower" => |m, call| change(m, call, u8::to_ascii_lowercase),
        "isascii" => isascii,
        "toascii" => toascii,
        "__ctype_b_loc" => class_table,
        "__ctype_tolower_loc" => |m, _| case_table(m, "tolower", u8::to_ascii_lowercase),
        "__ctype_toupper_loc" => |m, _| case_table(m, "toupper", u8::to_ascii_uppercase),
        _ => return None,
    })
}

pub(super) fn is_pure(name: &str) -> bool {
    find(name).is_some() && !name.starts_with("__ctype")
}

fn bits(character: i32) -> u16 {
    let Ok(byte) = u8::try_from(character) else { return 0 };
    CLASSES.iter().filter(|class| class.2(byte)).map(|class| class.1).sum()
}

fn classify(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let character = call.int(m, 0)? as i32;
    let name = crate::library::plain_name(call.name);
    let mask = CLASSES.iter().find(|class| class.0 == name).map_or(0, |class| class.1);
    Ok(Some(Value::word(u64::from(bits(character) & mask))))
}

fn change(m: &mut Machine<'_>, call: &NativeCall<'_>, to: fn(&u8) -> u8) -> Done {
    let character = call.int(m, 0)? as i32;
    Ok(Some(Value::int(changed(character, to))))
}

fn changed(character: i32, to: fn(&u8) -> u8) -> i32 {
    u8::try_from(character).map_or(character, |byte| i32::from(to(&byte)))
}

fn isascii(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let character = call.int(m, 0)? as i32;
    Ok(Some(Value::int(i32::from((0..128).contains(&character)))))
}

fn toascii(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    Ok(Some(Value::int(call.int(m, 0)? as i32 & 0x7f)))
}

/// A pointer to a pointer to the entry of character 0 of a table.
fn location(
    m: &mut Machine<'_>,
    names: (&'static str, &'static str),
    bytes: &[u8],
    entry: i64,
) -> Done {
    let table = m.library_object(names.0, ObjectKind::Library, bytes)?;
    let shape = Shape::pointer(m.program.types.target());
    let holder = m.library_object(names.1, ObjectKind::Library, &[0; 8])?;
    let zero = m.moved(table, i64::from(-FIRST) * entry);
    m.store(shape, holder, 0, zero)?;
    Ok(Some(holder))
}

fn class_table(m: &mut Machine<'_>, _call: &NativeCall<'_>) -> Done {
    let bytes: Vec<u8> = (FIRST..=LAST).flat_map(|c| bits(c).to_le_bytes()).collect();
    location(m, ("ctype classes", "ctype location"), &bytes, 2)
}

fn case_table(m: &mut Machine<'_>, name: &'static str, to: fn(&u8) -> u8) -> Done {
    let bytes: Vec<u8> = (FIRST..=LAST).flat_map(|c| changed(c, to).to_le_bytes()).collect();
    let names = if name == "tolower" {
        ("tolower table", "tolower location")
    } else {
        ("toupper table", "toupper location")
    };
    location(m, names, &bytes, 4)
}
