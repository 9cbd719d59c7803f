//! Allocation, and functions on bytes: `malloc`, `free`, `memcpy`, `memset`.

use crate::interp::library::{Native, NativeCall};
use crate::interp::machine::Machine;
use crate::interp::memory::{Contents, ObjectKind, Region};
use crate::interp::outcome::{Outcome, Stop};
use crate::interp::ub::UbKind;
use crate::interp::value::{Shape, Value};
use crate::trace::Input;

type Done = Result<Option<Value>, Stop>;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "malloc" | "valloc" | "xmalloc" => malloc,
        "calloc" => calloc,
        "realloc" => realloc,
        "reallocarray" => realloc_array,
        "free" => free,
        "aligned_alloc" | "memalign" => aligned_alloc,
        "posix_memalign" => posix_memalign,
        "alloca" | "alloca_with_align" => alloca,
        "memcpy" => memcpy,
        "memmove" => memmove,
        "mempcpy" => mempcpy,
        "bcopy" => bcopy,
        "memset" => memset,
        "bzero" => bzero,
        "memcmp" | "bcmp" => memcmp,
        "memchr" => memchr,
        "memrchr" => memrchr,
        "rawmemchr" => rawmemchr,
        "object_size" | "dynamic_object_size" => object_size,
        "malloc_usable_size" => usable_size,
        _ => return None,
    })
}

impl Machine<'_> {
    /// A heap object, or null if the source says that the allocation fails or it is absurdly large.
    pub(super) fn allocate(
        &mut self,
        bytes: u64,
        align: u64,
        contents: Contents,
    ) -> Result<Value, Stop> {
        let Some(succeeds) = self.inputs.allocation(bytes) else {
            return Err(self.exhausted(format!("whether {bytes} bytes can be allocated")));
        };
        self.trace.inputs.push(Input::Allocation { succeeds });
        if !succeeds {
            return Ok(Value::ZERO);
        }
        let object = self.memory.allocate(Region::Heap, ObjectKind::Heap, bytes, align, contents);
        match object {
            Some(object) => {
                self.observe_allocation(object);
                Ok(object)
            }
            // No machine would have that much.
            None if bytes > self.options.max_memory / 2 => Ok(Value::ZERO),
            // The interpreter's own limit: the program must not see it as a failed allocation.
            None => Err(Box::new(Outcome::OutOfBudget(gnomon_budget::Exhausted::Memory))),
        }
    }

    fn free(&mut self, pointer: Value) -> Result<(), Stop> {
        if pointer.lo == 0 {
            return Ok(());
        }
        let freed = self.memory.free(pointer);
        self.check(freed)
    }
}

fn malloc(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let bytes = call.size(m, 0)?;
    m.allocate(bytes, 16, Contents::Indeterminate).map(Some)
}

fn calloc(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (count, size) = (call.size(m, 0)?, call.size(m, 1)?);
    match count.checked_mul(size).filter(|&bytes| bytes <= m.memory.address_mask()) {
        Some(bytes) => m.allocate(bytes, 16, Contents::Zero).map(Some),
        None => Ok(Some(Value::ZERO)),
    }
}

fn realloc(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (old, bytes) = (call.pointer(m, 0)?, call.size(m, 1)?);
    resize(m, old, bytes)
}

fn realloc_array(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (old, count, size) = (call.pointer(m, 0)?, call.size(m, 1)?, call.size(m, 2)?);
    match count.checked_mul(size) {
        Some(bytes) => resize(m, old, bytes),
        None => Ok(Some(Value::ZERO)),
    }
}

fn resize(m: &mut Machine<'_>, old: Value, bytes: u64) -> Done {
    if old.lo == 0 {
        return m.allocate(bytes, 16, Contents::Indeterminate).map(Some);
    }
    if bytes == 0 {
        m.free(old)?;
        return Ok(Some(Value::ZERO));
    }
    let reference = m.memory.reference(old).and_then(|r| m.memory.object(r));
    let usable = reference.filter(|o| o.kind == ObjectKind::Heap && o.base == old.lo);
    let Some(size) = usable.map(|object| object.size) else {
        m.free(old)?;
        return Err(m.fatal(UbKind::InvalidFree));
    };
    let new = m.allocate(bytes, 16, Contents::Indeterminate)?;
    if new.lo != 0 {
        let copied = m.memory.copy(new, old, size.min(bytes));
        m.check(copied)?;
        m.free(old)?;
    }
    Ok(Some(new))
}

fn free(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let pointer = call.pointer(m, 0)?;
    m.free(pointer)?;
    Ok(None)
}

fn aligned_alloc(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (align, bytes) = (call.size(m, 0)?, call.size(m, 1)?);
    if !align.is_power_of_two() {
        return Ok(Some(Value::ZERO));
    }
    m.allocate(bytes, align, Contents::Indeterminate).map(Some)
}

fn posix_memalign(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (to, align, bytes) = (call.pointer(m, 0)?, call.size(m, 1)?, call.size(m, 2)?);
    const EINVAL: i32 = 22;
    const ENOMEM: i32 = 12;
    if !align.is_power_of_two() {
        return Ok(Some(Value::int(EINVAL)));
    }
    let object = m.allocate(bytes, align, Contents::Indeterminate)?;
    if object.lo == 0 {
        return Ok(Some(Value::int(ENOMEM)));
    }
    m.store(Shape::pointer(m.program.types.target()), to, 0, object)?;
    Ok(Some(Value::ZERO))
}

fn alloca(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let bytes = call.size(m, 0)?;
    m.alloca(bytes).map(Some)
}

fn copy(
    m: &mut Machine<'_>,
    to: Value,
    from: Value,
    bytes: u64,
    may_overlap: bool,
) -> Result<(), Stop> {
    if bytes == 0 {
        return Ok(());
    }
    if !may_overlap && to.lo.abs_diff(from.lo) < bytes {
        m.undefined(UbKind::OverlappingCopy)?;
    }
    m.bulk(bytes)?;
    let copied = m.memory.copy(to, from, bytes);
    m.check(copied)?;
    m.observe_store(to, 0, bytes);
    Ok(())
}

fn memcpy(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (to, from, bytes) = (call.pointer(m, 0)?, call.pointer(m, 1)?, call.size(m, 2)?);
    copy(m, to, from, bytes, false)?;
    Ok(Some(to))
}

fn memmove(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (to, from, bytes) = (call.pointer(m, 0)?, call.pointer(m, 1)?, call.size(m, 2)?);
    copy(m, to, from, bytes, true)?;
    Ok(Some(to))
}

fn mempcpy(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (to, from, bytes) = (call.pointer(m, 0)?, call.pointer(m, 1)?, call.size(m, 2)?);
    copy(m, to, from, bytes, false)?;
    Ok(Some(m.moved(to, bytes as i64)))
}

fn bcopy(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (from, to, bytes) = (call.pointer(m, 0)?, call.pointer(m, 1)?, call.size(m, 2)?);
    copy(m, to, from, bytes, true)?;
    Ok(None)
}

fn fill(m: &mut Machine<'_>, to: Value, byte: u8, bytes: u64) -> Result<(), Stop> {
    if bytes == 0 {
        return Ok(());
    }
    m.bulk(bytes)?;
    let filled = m.memory.fill(to, byte, bytes);
    m.check(filled)?;
    m.observe_store(to, 0, bytes);
    Ok(())
}

fn memset(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (to, byte, bytes) = (call.pointer(m, 0)?, call.int(m, 1)?, call.size(m, 2)?);
    fill(m, to, byte as u8, bytes)?;
    Ok(Some(to))
}

fn bzero(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (to, bytes) = (call.pointer(m, 0)?, call.size(m, 1)?);
    fill(m, to, 0, bytes)?;
    Ok(None)
}

/// Bytes that are read to compare them.
fn bytes(m: &mut Machine<'_>, at: Value, bytes: u64) -> Result<Vec<u8>, Stop> {
    if bytes == 0 {
        return Ok(Vec::new());
    }
    m.bulk(bytes)?;
    let read = m.memory.bytes(at, bytes).map(<[u8]>::to_vec);
    let read = m.check(read)?;
    m.require_written(at, bytes)?;
    Ok(read)
}

fn memcmp(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (a, b, count) = (call.pointer(m, 0)?, call.pointer(m, 1)?, call.size(m, 2)?);
    let (x, y) = (bytes(m, a, count)?, bytes(m, b, count)?);
    Ok(super::strings::order(&x, &y))
}

/// The first byte within `limit` bytes; the bytes behind it need not exist.
fn search(m: &mut Machine<'_>, at: Value, byte: u8, limit: u64) -> Result<Option<u64>, Stop> {
    if limit == 0 {
        return Ok(None);
    }
    let rest = m.memory.bytes_to_end(at);
    let rest = match rest {
        Ok(rest) => rest,
        Err(kind) => return Err(m.fatal(kind)),
    };
    let len = rest.len() as u64;
    let window = &rest[..len.min(limit) as usize];
    match window.iter().position(|&b| b == byte) {
        Some(position) => Ok(Some(position as u64)),
        None if limit > len => Err(m.fatal(UbKind::OutOfBounds)),
        None => Ok(None),
    }
}

fn memchr(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, byte, limit) = (call.pointer(m, 0)?, call.int(m, 1)? as u8, call.size(m, 2)?);
    let found = search(m, at, byte, limit)?;
    Ok(Some(found.map_or(Value::ZERO, |position| m.moved(at, position as i64))))
}

fn rawmemchr(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, byte) = (call.pointer(m, 0)?, call.int(m, 1)? as u8);
    let found = search(m, at, byte, u64::MAX)?;
    Ok(Some(found.map_or(Value::ZERO, |position| m.moved(at, position as i64))))
}

fn memrchr(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let (at, byte, limit) = (call.pointer(m, 0)?, call.int(m, 1)? as u8, call.size(m, 2)?);
    let read = bytes(m, at, limit)?;
    let found = read.iter().rposition(|&b| b == byte);
    Ok(Some(found.map_or(Value::ZERO, |position| m.moved(at, position as i64))))
}

/// What the compiler says when it does not know: as if the object had no end.
fn object_size(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let kind = if call.args.len() > 1 { call.int(m, 1)? } else { 0 };
    let unknown = if kind & 2 == 0 { m.memory.address_mask() } else { 0 };
    Ok(Some(Value::word(unknown)))
}

fn usable_size(m: &mut Machine<'_>, call: &NativeCall<'_>) -> Done {
    let pointer = call.pointer(m, 0)?;
    let object = m.memory.reference(pointer).and_then(|r| m.memory.object(r));
    Ok(Some(Value::word(object.map_or(0, |object| object.size))))
}
