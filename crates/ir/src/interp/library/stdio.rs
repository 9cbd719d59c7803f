//! Printing, and the little of reading that needs no files.

use crate::interp::calls::ArgValue;
use crate::interp::library::format::Arguments;
use crate::interp::library::{Native, NativeCall};
use crate::interp::machine::Machine;
use crate::interp::memory::ObjectKind;
use crate::interp::observe::Stream;
use crate::interp::outcome::Stop;
use crate::interp::value::{Shape, Value};
use crate::types::Type;

type Done = Result<Option<Value>, Stop>;

const EOF: i32 = -1;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "printf" | "vprintf" => |m, call| printf(m, call, 0),
        "fprintf" | "vfprintf" => |m, call| fprintf(m, call, 1),
        "sprintf" | "vsprintf" => |m, call| sprintf(m, call, 1),
        "snprintf" | "vsnprintf" => |m, call| snprintf(m, call, 2),
        "puts" => puts,
        "putchar" => putchar,
        "putc" | "fputc" => putc,
        "fputs" => fputs,
        "fwrite" => fwrite,
        "fflush" | "fclose" | "ferror" => succeed,
        "perror" => perror,
        "getchar" | "getc" | "fgetc" | "feof" => end_of_file,
        "fgets" | "gets" | "fopen" | "fdopen" => null,
        _ => return None,
    })
}

/// The fortified forms, with more arguments in front of the format.
pub(super) fn find_checked(name: &str) -> Option<Native> {
    Some(match name {
        "printf" | "vprintf" => |m, call| printf(m, call, 1),
        "fprintf" | "vfprintf" => |m, call| fprintf(m, call, 2),
        "sprintf" | "vsprintf" => |m, call| sprintf(m, call, 3),
        "snprintf" | "vsnprintf" => |m, call| snprintf(m, call, 4),
        _ => return None,
    })
}

/// The text of a format at argument `format` and what follows it.
fn formatted(m: &mut Machine<'_>, call: &NativeCall<'_>, format: usize) -> Result<Vec<u8>, Stop> {
    let text = call.pointer(m, format)?;
    let text = m.string(text)?;
    let takes_list = crate::library::plain_name(call.name).starts_with('v');
    let mut arguments = if takes_list {
        Arguments::List(list(m, call, format + 1)?)
    } else {
        Arguments::Given(call.args.get(format + 1..).unwrap_or_default().iter())
    };
    m.format(&text, &mut arguments)
}

/// The position of a `va_list` argument: an array decays to a pointer to it.
fn list(m: &mut Machine<'_>, call: &NativeCall<'_>, index: usize) -> Result<Value, Stop> {
    let pointer = call.pointer(m, index)?;
    let types = &m.program.types;
    let to = call.args.get(index).and_then(|arg: &ArgValue| types.pointee(arg.ty));
    let is_list =
        to.is_some_and(|to| matches!(types.get(to), Type::Record(_) | Type::Array { .. }));
    if is_list { m.load(Shape::pointer(types.target()), pointer, 0) } else { Ok(pointer) }
}

fn count(bytes: usize) -> Option<Value> {
    Some(Value::int(bytes as i32))
}

fn printf(m: &mut Machine<'_>, call: &NativeCall<'_>, format: usize) -> Done {
    let text = formatted(m, call, format)?;
    m.output.write(Stream::Stdout, &text);
    Ok(count(text.len()))
}

fn stream(m: &mut Machine<'_>, call: &NativeCall<'_>, index: usize) -> Result<Stream, Stop> {
    let pointer = call.pointer(m, index)?;
    let object = m.memory.reference(pointer).and_then(|r| m.memory.object(r));
    match object.map(|object| &object.kind) {
        Some(ObjectKind::Stream(1)) => Ok(Stream::Stdout),
        Some(ObjectKind::Stream(2)) => Ok(Stream::Stderr),
        _ => Err(m.unsupported(format!("{} to a file", call.name))),
    }
}

fn fprintf(m: &mut Machine<'_>, call: &NativeCall<'_>, format: usize) -> Done {
    let stream = stream(m, call, 0)?;
    let text = formatted(m, call, format)?;
    m.output.write(stream, &text);
    Ok(count(text.len()))
}

fn sprintf(m: &mut Machine<'_>, call: &NativeCall<'_>, format: usize) -> Done {
    let to = call.pointer(m, 0)?;
    let mut text = formatted(m, call, format)?;
    let length = text.len();
    text.push(0);
    m.write(to, &text)?;
    Ok(count(length))
}

fn snprintf(m: &mut Machine<'_>, call: &NativeCall<'_>, format: usize) -> Done {
    let (to, room) = (call.pointer(m, 0)?, call.size(m, 1)?);
    let mut text = formatted(m, call, format)?;
    let length = text.len();
    if room > 0 {
        text.truncate(usize::try_from(room - 1).unwrap_or(usize::MAX));
        text.push(0);
        m.write(to, &text)?;
    }
    Ok(count(length))
}

fn puts(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let at = call.pointer(m, 0)?;
    let mut text = m.string(at)?;
    text.push(b'\n');
    m.output.write(Stream::Stdout, &text);
    Ok(count(text.len()))
}

fn putchar(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let byte = call.int(m, 0)? as u8;
    m.output.write(Stream::Stdout, &[byte]);
    Ok(count(usize::from(byte)))
}

fn putc(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (byte, stream) = (call.int(m, 0)? as u8, stream(m, call, 1)?);
    m.output.write(stream, &[byte]);
    Ok(count(usize::from(byte)))
}

fn fputs(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let at = call.pointer(m, 0)?;
    let stream = stream(m, call, 1)?;
    let text = m.string(at)?;
    m.output.write(stream, &text);
    Ok(count(1))
}

fn fwrite(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, size, items) = (call.pointer(m, 0)?, call.size(m, 1)?, call.size(m, 2)?);
    let stream = stream(m, call, 3)?;
    let bytes = m.memory.bytes(at, size.saturating_mul(items)).map(<[u8]>::to_vec);
    let bytes = m.check(bytes)?;
    m.output.write(stream, &bytes);
    Ok(Some(Value::word(items)))
}

fn succeed(_m: &mut Machine<'_>, _call: &NativeCall<'_>) -> Done {
    Ok(Some(Value::ZERO))
}

fn perror(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let at = call.pointer(m, 0)?;
    let mut text = m.string(at)?;
    text.extend_from_slice(b": error\n");
    m.output.write(Stream::Stderr, &text);
    Ok(None)
}

/// Standard input is empty unless the source says otherwise.
fn end_of_file(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    m.environment(call, |_| Ok(Value::int(EOF)))
}

fn null(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    m.environment(call, |_| Ok(Value::ZERO))
}
