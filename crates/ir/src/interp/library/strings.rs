//! Functions on strings: `strlen`, `strcpy`, `strtok` and the like.

use crate::interp::library::{Native, NativeCall};
use crate::interp::machine::Machine;
use crate::interp::memory::Contents;
use crate::interp::outcome::Stop;
use crate::interp::ub::UbKind;
use crate::interp::value::Value;

type Done = Result<Option<Value>, Stop>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "strlen" => strlen,
        "strnlen" => strnlen,
        "strcpy" | "stpcpy" => strcpy,
        "strncpy" | "stpncpy" => strncpy,
        "strcat" => strcat,
        "strncat" => strncat,
        "strcmp" | "strcoll" => strcmp,
        "strncmp" => strncmp,
        "strcasecmp" => strcasecmp,
        "strncasecmp" => strncasecmp,
        "strchr" | "strrchr" | "strchrnul" => strchr,
        "strstr" => strstr,
        "strspn" | "strcspn" => strspn,
        "strpbrk" => strpbrk,
        "strtok" => strtok,
        "strtok_r" | "__strtok_r" => strtok_r,
        "strdup" | "xstrdup" => strdup,
        "strndup" => strndup,
        "strerror" => strerror,
        _ => return None,
    })
}

fn strlen(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let at = call.pointer(m, 0)?;
    Ok(Some(Value::word(m.string(at)?.len() as u64)))
}

fn strnlen(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, limit) = (call.pointer(m, 0)?, call.size(m, 1)?);
    Ok(Some(Value::word(m.string_up_to(at, limit)?.len() as u64)))
}

fn with_end(mut text: Vec<u8>) -> Vec<u8> {
    text.push(0);
    text
}

fn overlaps(m: &mut Machine<'_>, to: Value, from: Value, bytes: usize) -> Result<(), Stop> {
    if to.lo.abs_diff(from.lo) < bytes as u64 {
        m.undefined(UbKind::OverlappingCopy)?;
    }
    Ok(())
}

fn strcpy(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (to, from) = (call.pointer(m, 0)?, call.pointer(m, 1)?);
    let text = m.string(from)?;
    overlaps(m, to, from, text.len() + 1)?;
    let end = text.len() as i64;
    m.write(to, &with_end(text))?;
    let ends = crate::library::plain_name(call.name).starts_with("stp");
    Ok(Some(if ends { m.moved(to, end) } else { to }))
}

fn strncpy(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (to, from, limit) = (call.pointer(m, 0)?, call.pointer(m, 1)?, call.size(m, 2)?);
    let mut text = m.string_up_to(from, limit)?;
    overlaps(m, to, from, text.len())?;
    let end = text.len() as i64;
    if limit > 0 {
        let room = m.memory.spot(to, 0, usize::try_from(limit).unwrap_or(usize::MAX));
        m.check(room)?;
        text.resize(limit as usize, 0);
        m.write(to, &text)?;
    }
    let ends = crate::library::plain_name(call.name).starts_with("stp");
    Ok(Some(if ends { m.moved(to, end) } else { to }))
}

fn append(m: &mut Machine<'_>, to: Value, text: Vec<u8>) -> Result<(), Stop> {
    let end = m.string(to)?.len();
    let at = m.moved(to, end as i64);
    m.write(at, &with_end(text))
}

fn strcat(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (to, from) = (call.pointer(m, 0)?, call.pointer(m, 1)?);
    let text = m.string(from)?;
    append(m, to, text)?;
    Ok(Some(to))
}

fn strncat(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (to, from, limit) = (call.pointer(m, 0)?, call.pointer(m, 1)?, call.size(m, 2)?);
    let text = m.string_up_to(from, limit)?;
    append(m, to, text)?;
    Ok(Some(to))
}

/// The difference of the first bytes that differ, as glibc returns it.
pub(super) fn order(a: &[u8], b: &[u8]) -> Option<Value> {
    let byte = |text: &[u8], i: usize| i32::from(text.get(i).copied().unwrap_or(0));
    let end = a.len().max(b.len());
    let differs = (0..end).find(|&i| byte(a, i) != byte(b, i));
    Some(Value::int(differs.map_or(0, |i| byte(a, i) - byte(b, i))))
}

fn strcmp(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (a, b) = (call.pointer(m, 0)?, call.pointer(m, 1)?);
    let (a, b) = (m.string(a)?, m.string(b)?);
    Ok(order(&a, &b))
}

fn strncmp(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (a, b, limit) = (call.pointer(m, 0)?, call.pointer(m, 1)?, call.size(m, 2)?);
    let (a, b) = (prefix(m, a, limit)?, prefix(m, b, limit)?);
    Ok(order(&a, &b))
}

/// A string of which only the bytes up to the first difference need to exist.
fn prefix(m: &mut Machine<'_>, at: Value, limit: u64) -> Result<Vec<u8>, Stop> {
    let room = m.memory.bytes_to_end(at).map_or(0, |bytes| bytes.len() as u64);
    m.string_up_to(at, if room == 0 { limit } else { limit.min(room) })
}

fn strcasecmp(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (a, b) = (call.pointer(m, 0)?, call.pointer(m, 1)?);
    let (a, b) = (m.string(a)?.to_ascii_lowercase(), m.string(b)?.to_ascii_lowercase());
    Ok(order(&a, &b))
}

fn strncasecmp(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (a, b, limit) = (call.pointer(m, 0)?, call.pointer(m, 1)?, call.size(m, 2)?);
    let a = prefix(m, a, limit)?.to_ascii_lowercase();
    let b = prefix(m, b, limit)?.to_ascii_lowercase();
    Ok(order(&a, &b))
}

fn strchr(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, byte) = (call.pointer(m, 0)?, call.int(m, 1)? as u8);
    let text = with_end(m.string(at)?);
    let name = crate::library::plain_name(call.name);
    let found = match name {
        "strrchr" => text.iter().rposition(|&b| b == byte),
        _ => text.iter().position(|&b| b == byte),
    };
    let found = if name == "strchrnul" { found.or(Some(text.len() - 1)) } else { found };
    Ok(Some(found.map_or(Value::ZERO, |position| m.moved(at, position as i64))))
}

fn strstr(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, wanted) = (call.pointer(m, 0)?, call.pointer(m, 1)?);
    let (text, wanted) = (m.string(at)?, m.string(wanted)?);
    let found = if wanted.is_empty() {
        Some(0)
    } else {
        text.windows(wanted.len()).position(|window| window == wanted)
    };
    Ok(Some(found.map_or(Value::ZERO, |position| m.moved(at, position as i64))))
}

fn strspn(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, set) = (call.pointer(m, 0)?, call.pointer(m, 1)?);
    let (text, set) = (m.string(at)?, m.string(set)?);
    let inside = crate::library::plain_name(call.name) == "strspn";
    let count = text.iter().take_while(|byte| set.contains(byte) == inside).count();
    Ok(Some(Value::word(count as u64)))
}

fn strpbrk(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, set) = (call.pointer(m, 0)?, call.pointer(m, 1)?);
    let (text, set) = (m.string(at)?, m.string(set)?);
    let found = text.iter().position(|byte| set.contains(byte));
    Ok(Some(found.map_or(Value::ZERO, |position| m.moved(at, position as i64))))
}

/// The next token from `at` on, and where the search goes on after it.
fn token(m: &mut Machine<'_>, at: Value, set: &[u8]) -> Result<(Value, Value), Stop> {
    if at.lo == 0 {
        return Ok((Value::ZERO, Value::ZERO));
    }
    let text = m.string(at)?;
    let Some(start) = text.iter().position(|byte| !set.contains(byte)) else {
        return Ok((Value::ZERO, m.moved(at, text.len() as i64)));
    };
    let begin = m.moved(at, start as i64);
    match text[start..].iter().position(|byte| set.contains(byte)) {
        Some(length) => {
            let end = m.moved(begin, length as i64);
            m.write(end, &[0])?;
            Ok((begin, m.moved(end, 1)))
        }
        None => Ok((begin, m.moved(at, text.len() as i64))),
    }
}

fn strtok(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, set) = (call.pointer(m, 0)?, call.pointer(m, 1)?);
    let set = m.string(set)?;
    let at = if at.lo == 0 { m.library.token } else { at };
    let (found, next) = token(m, at, &set)?;
    m.library.token = next;
    Ok(Some(found))
}

fn strtok_r(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, set, saved) = (call.pointer(m, 0)?, call.pointer(m, 1)?, call.pointer(m, 2)?);
    let shape = crate::interp::value::Shape::pointer(m.program.types.target());
    let set = m.string(set)?;
    let at = if at.lo == 0 { m.load(shape, saved, 0)? } else { at };
    let (found, next) = token(m, at, &set)?;
    m.store(shape, saved, 0, next)?;
    Ok(Some(found))
}

fn duplicate(m: &mut Machine<'_>, text: Vec<u8>) -> Done {
    let object = m.allocate(text.len() as u64 + 1, 16, Contents::Indeterminate)?;
    if object.lo != 0 {
        m.write(object, &with_end(text))?;
    }
    Ok(Some(object))
}

fn strdup(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let at = call.pointer(m, 0)?;
    let text = m.string(at)?;
    duplicate(m, text)
}

fn strndup(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, limit) = (call.pointer(m, 0)?, call.size(m, 1)?);
    let text = m.string_up_to(at, limit)?;
    duplicate(m, text)
}

fn strerror(m: &mut Machine<'_>, _call: &NativeCall<'_>) -> Done {
    let kind = crate::interp::memory::ObjectKind::Library;
    m.library_object("strerror", kind, b"Unknown error\0").map(Some)
}
