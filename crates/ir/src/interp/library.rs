//! Functions of the C library, of compilers and of verifiers, built into the interpreter.
//!
//! Each does what glibc does, as far as the result can be seen by a program; [`native`] finds it
//! by the user's name of the function. What comes from outside (time, environment, input) is
//! asked from the input source first, so that a trace can say what it was.

mod atomics;
mod builtins;
mod control;
mod ctype;
mod decimal;
mod format;
mod math;
mod numbers;
mod objects;
mod sort;
mod stdio;
mod strings;

use rustc_hash::FxHashMap;

use crate::interp::calls::{ArgValue, Passed};
use crate::interp::machine::{Machine, Returned};
use crate::interp::memory::{Contents, ObjectKind, Region};
use crate::interp::outcome::Stop;
use crate::interp::ub::UbKind;
use crate::interp::value::{Shape, Value};
use crate::library::plain_name;
use crate::ops;
use crate::program::FuncId;
use crate::types::TypeId;

pub(crate) use control::report_error;

/// A function of the library: its result, if it has one.
pub(crate) type Native = fn(&mut Machine<'_>, &NativeCall<'_>) -> Result<Option<Value>, Stop>;

/// What functions of the library remember.
#[derive(Clone, Debug, Default)]
pub(crate) struct LibraryState {
    /// Registered by `atexit`.
    pub at_exit: Vec<FuncId>,
    /// Where `strtok` goes on.
    pub token: Value,
    /// The generator of `rand`.
    pub random: Option<numbers::Random>,
    /// Objects of the library by name: `errno`, tables, streams.
    objects: FxHashMap<&'static str, Value>,
}

impl LibraryState {
    /// Whether something is remembered that is not in an object.
    pub(crate) fn remembers(&self) -> bool {
        !self.at_exit.is_empty() || self.random.is_some() || self.token != Value::ZERO
    }
}

/// A call of a library function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NativeCall<'a> {
    /// The name under which it was called.
    pub name: &'a str,
    pub args: &'a [ArgValue],
    /// The type of the result.
    pub result: TypeId,
}

impl NativeCall<'_> {
    fn scalar(&self, machine: &mut Machine<'_>, index: usize) -> Result<(Shape, Value), Stop> {
        match self.args.get(index) {
            Some(ArgValue { ty, value: Passed::Scalar(value) }) => {
                let shape = Shape::of(&machine.program.types, *ty);
                shape
                    .map(|shape| (shape, *value))
                    .ok_or_else(|| machine.fatal(UbKind::WrongSignature))
            }
            _ => Err(machine.fatal(UbKind::WrongSignature)),
        }
    }

    /// An integer, extended by its signedness; the address of a pointer.
    pub(crate) fn int(&self, machine: &mut Machine<'_>, index: usize) -> Result<i128, Stop> {
        let (shape, value) = self.scalar(machine, index)?;
        Ok(ops::extend(shape.scalar(), shape.bits(value)))
    }

    /// A size: an integer as `size_t`.
    pub(crate) fn size(&self, machine: &mut Machine<'_>, index: usize) -> Result<u64, Stop> {
        Ok(self.int(machine, index)? as u64 & machine.memory.address_mask())
    }

    /// A pointer.
    pub(crate) fn pointer(&self, machine: &mut Machine<'_>, index: usize) -> Result<Value, Stop> {
        let (shape, value) = self.scalar(machine, index)?;
        if shape.is_pointer() {
            return Ok(value);
        }
        let address = Value::word(value.lo & machine.memory.address_mask());
        Ok(machine.memory.with_provenance(address))
    }
}

/// The function of that name.
pub(crate) fn native(name: &str) -> Option<Native> {
    let exact: Option<Native> = control::find_exact(name);
    if exact.is_some() {
        return exact;
    }
    if name.starts_with("__sync_")
        || name.starts_with("__atomic_")
        || name.starts_with("__c11_atomic_")
    {
        return atomics::find(name);
    }
    let checked = name.ends_with("_chk");
    let plain = plain_name(name);
    if checked && let Some(found) = stdio::find_checked(plain) {
        return Some(found);
    }
    [
        control::find,
        objects::find,
        strings::find,
        stdio::find,
        numbers::find,
        ctype::find,
        sort::find,
        builtins::find,
        math::find,
    ]
    .iter()
    .find_map(|find| find(plain))
}

/// Whether the result depends on the arguments alone.
pub(crate) fn is_pure(plain: &str) -> bool {
    math::find(plain).is_some()
        || builtins::is_pure(plain)
        || ctype::is_pure(plain)
        || numbers::is_pure(plain)
}

impl Machine<'_> {
    /// A pointer moved by bytes.
    pub(crate) fn moved(&self, pointer: Value, bytes: i64) -> Value {
        let lo = pointer.lo.wrapping_add(bytes as u64) & self.memory.address_mask();
        Value { lo, hi: pointer.hi }
    }

    /// The bytes of a string, without the zero at its end.
    pub(crate) fn string(&mut self, at: Value) -> Result<Vec<u8>, Stop> {
        self.string_up_to(at, u64::MAX)
    }

    /// The bytes of a string, at most so many.
    pub(crate) fn string_up_to(&mut self, at: Value, limit: u64) -> Result<Vec<u8>, Stop> {
        let rest = self.memory.bytes_to_end(at);
        let rest = match rest {
            Ok(rest) => rest,
            Err(_) if limit == 0 => return Ok(Vec::new()),
            Err(kind) => return Err(self.fatal(kind)),
        };
        let window = &rest[..rest.len().min(usize::try_from(limit).unwrap_or(usize::MAX))];
        let text = match window.iter().position(|&byte| byte == 0) {
            Some(end) => window[..end].to_vec(),
            None if window.len() as u64 == limit => window.to_vec(),
            None => {
                let at_end = self.moved(at, window.len() as i64);
                let found = self.memory.spot(at_end, 0, 1);
                self.check(found)?;
                Vec::new()
            }
        };
        self.require_written(at, text.len() as u64)?;
        Ok(text)
    }

    /// Notes a read of what was never written.
    pub(crate) fn require_written(&mut self, at: Value, bytes: u64) -> Result<(), Stop> {
        if bytes > 0 && !self.memory.is_written(at, bytes) {
            self.undefined(UbKind::UninitializedRead)?;
        }
        Ok(())
    }

    /// Writes bytes and tells the observer.
    pub(crate) fn write(&mut self, to: Value, bytes: &[u8]) -> Result<(), Stop> {
        let written = self.memory.write(to, bytes);
        self.check(written)?;
        self.observe_store(to, 0, bytes.len() as u64);
        Ok(())
    }

    /// An object of the library, made when it is first needed.
    fn library_object(
        &mut self,
        name: &'static str,
        kind: ObjectKind,
        bytes: &[u8],
    ) -> Result<Value, Stop> {
        if let Some(&object) = self.library.objects.get(name) {
            return Ok(object);
        }
        let size = bytes.len() as u64;
        let object = self.memory.allocate(Region::Static, kind, size, 16, Contents::Zero);
        let Some(object) = object else { return Err(self.unsupported("memory of the library")) };
        let written = self.memory.write(object, bytes);
        self.check(written)?;
        self.library.objects.insert(name, object);
        Ok(object)
    }

    /// The object that stands for a stream.
    pub(crate) fn stream(&mut self, number: u8) -> Result<Value, Stop> {
        let name = ["stdin", "stdout", "stderr"][usize::from(number.min(2))];
        self.library_object(name, ObjectKind::Stream(number), &[0; 8])
    }

    /// Calls a function that the program gave, for its result as an `int`.
    pub(crate) fn call_back(&mut self, func: FuncId, args: Vec<ArgValue>) -> Result<i32, Stop> {
        match self.call_and_wait(func, args)? {
            Returned::Scalar(value) => Ok(value.as_i32()),
            Returned::Nothing | Returned::Record(_) => {
                self.undefined(UbKind::MissingReturn)?;
                Ok(0)
            }
        }
    }
}
