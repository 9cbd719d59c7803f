//! Calls: of functions with a body, of functions of the library, through pointers, back from the
//! library; and the arguments behind the declared ones.
//!
//! Variable arguments are an object with one argument every 16 bytes or more; a `va_list` holds,
//! at its start, a pointer to the next one. So lists are passed, copied and stored as bytes, and
//! the types that the object remembers tell when `va_arg` asks for something else.

use std::rc::Rc;

use crate::interp::code::{Arg, CallSite, CallTarget, FunctionCode, Home, ResultUse};
use crate::interp::input::CallEffect;
use crate::interp::library::NativeCall;
use crate::interp::machine::{Frame, Known, Machine, Returned};
use crate::interp::memory::{Access, Blob, Contents, ObjectKind, Region};
use crate::interp::outcome::Stop;
use crate::interp::ub::UbKind;
use crate::interp::value::{ObjectRef, Shape, Value};
use crate::program::{FuncId, source_name};
use crate::types::{Type, TypeId, Types};

/// Loops of the host that may be open one in the other.
const MAX_NESTING: u32 = 64;
/// Distance between arguments in an object of variable arguments.
const VAR_ARG_GRAIN: u64 = 16;

/// The value of an argument.
#[derive(Clone, Debug)]
pub(crate) enum Passed {
    Scalar(Value),
    Record(Blob),
}

/// An argument that was evaluated.
#[derive(Clone, Debug)]
pub(crate) struct ArgValue {
    pub ty: TypeId,
    pub value: Passed,
}

impl ArgValue {
    pub(crate) fn scalar(ty: TypeId, value: Value) -> Self {
        Self { ty, value: Passed::Scalar(value) }
    }
}

/// How an argument fits a parameter.
enum Fit {
    Same,
    /// Same size and class, but another type.
    Similar,
    Not,
}

fn fit(types: &Types, arg: TypeId, param: TypeId) -> Fit {
    if arg == param {
        return Fit::Same;
    }
    match (Shape::of(types, arg), Shape::of(types, param)) {
        (Some(a), Some(p)) => {
            if a.is_pointer() && p.is_pointer() {
                Fit::Same
            } else if a.width() == p.width() && a.is_float() == p.is_float() {
                // Signed and unsigned types may stand for each other.
                if a.is_pointer() == p.is_pointer() { Fit::Same } else { Fit::Similar }
            } else if !a.is_float() && !p.is_float() && !a.is_wide() && !p.is_wide() {
                Fit::Similar
            } else {
                Fit::Not
            }
        }
        (None, None) if types.size(arg) == types.size(param) => Fit::Similar,
        _ => Fit::Not,
    }
}

impl Machine<'_> {
    /// Opens a call: registers, objects, frame.
    fn open(
        &mut self,
        regs: &mut Vec<Value>,
        code: Rc<FunctionCode>,
        result: ResultUse,
    ) -> Result<usize, Stop> {
        let base = self.frames.last().map_or(0, |frame| frame.base + frame.code.template.len());
        if self.frames.len() >= self.options.max_depth {
            return Err(self.fatal(UbKind::StackOverflow));
        }
        let end = base + code.template.len();
        if regs.len() < end {
            regs.resize(end.next_power_of_two(), Value::ZERO);
        }
        regs[base..end].copy_from_slice(&code.template);
        let stack_mark = self.memory.stack_mark();
        for local in &code.locals {
            let kind = ObjectKind::Local(local.var);
            self.memory.skip_stack(local.gap);
            let object = self.memory.allocate(
                Region::Stack,
                kind,
                local.bytes,
                local.align,
                Contents::Indeterminate,
            );
            match object {
                Some(pointer) => {
                    regs[base + usize::from(local.reg)] = pointer;
                    self.observe_allocation(pointer);
                }
                None => return Err(self.fatal(UbKind::StackOverflow)),
            }
        }
        self.memory.skip_stack(code.last_gap);
        self.frames.push(Frame { code, pc: 0, base, stack_mark, var_args: Value::ZERO, result });
        Ok(base)
    }

    /// A call whose arguments are known to fit.
    pub(crate) fn call_exact(
        &mut self,
        regs: &mut Vec<Value>,
        caller: usize,
        func: FuncId,
        site: &CallSite,
    ) -> Result<(), Stop> {
        let code = match &self.known[func.0 as usize] {
            Known::Body(code) => Rc::clone(code),
            _ => match self.known(func)? {
                Known::Body(code) => code,
                _ => return self.call_any(regs, caller, site),
            },
        };
        // A record that cannot be read is the caller's fault: before the call is open.
        for arg in &site.args {
            if let Arg::Record { address, bytes, .. } = *arg {
                let from = regs[caller + usize::from(address)];
                let spot = self.memory.spot(from, 0, bytes as usize);
                self.check(spot)?;
            }
        }
        let base = self.open(regs, Rc::clone(&code), site.result)?;
        for (arg, param) in site.args.iter().zip(&code.params) {
            match (*arg, param.home) {
                (Arg::Scalar { reg, .. }, Home::Register(home)) => {
                    regs[base + usize::from(home)] = regs[caller + usize::from(reg)];
                }
                (Arg::Scalar { reg, ty }, Home::Memory(home)) => {
                    let shape = Shape::of(&self.program.types, ty).unwrap_or(Shape::I32);
                    let value = regs[caller + usize::from(reg)];
                    let pointer = regs[base + usize::from(home)];
                    let stored = self.memory.store(Access::of(shape), pointer, 0, value);
                    self.check(stored)?;
                }
                (Arg::Record { address, bytes, .. }, Home::Memory(home)) => {
                    let from = regs[caller + usize::from(address)];
                    let to = regs[base + usize::from(home)];
                    let copied = self.memory.copy(to, from, bytes);
                    self.check(copied)?;
                }
                (Arg::ZeroRecord { bytes, .. }, Home::Memory(home)) => {
                    let filled = self.memory.fill(regs[base + usize::from(home)], 0, bytes);
                    self.check(filled)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn evaluate(
        &mut self,
        regs: &[Value],
        caller: usize,
        args: &[Arg],
    ) -> Result<Vec<ArgValue>, Stop> {
        args.iter()
            .map(|arg| {
                Ok(match *arg {
                    Arg::Scalar { reg, ty } => {
                        ArgValue::scalar(ty, regs[caller + usize::from(reg)])
                    }
                    Arg::Record { address, ty, bytes } => {
                        let from = regs[caller + usize::from(address)];
                        let blob = self.memory.take_blob(from, bytes);
                        ArgValue { ty, value: Passed::Record(self.check(blob)?) }
                    }
                    Arg::ZeroRecord { ty, bytes } => {
                        ArgValue { ty, value: Passed::Record(Blob::zero(bytes as usize)) }
                    }
                })
            })
            .collect()
    }

    /// Any call.
    pub(crate) fn call_any(
        &mut self,
        regs: &mut Vec<Value>,
        caller: usize,
        site: &CallSite,
    ) -> Result<(), Stop> {
        let func = match site.target {
            CallTarget::Exact(func) | CallTarget::Function(func) => func,
            CallTarget::Indirect(reg) => self.callee(regs[caller + usize::from(reg)])?,
        };
        let args = self.evaluate(regs, caller, &site.args)?;
        match self.known(func)? {
            Known::Body(code) => self.call_body(regs, code, args, site.result),
            _ => {
                // The library may call back, and needs the registers for that.
                std::mem::swap(regs, &mut self.regs);
                let result = self.call_native(func, &args);
                std::mem::swap(regs, &mut self.regs);
                self.returned = result?;
                self.deliver(regs, caller, site.result)
            }
        }
    }

    /// The function that a pointer points to.
    pub(crate) fn callee(&mut self, pointer: Value) -> Result<FuncId, Stop> {
        let object = self.memory.reference(pointer).and_then(|r| self.memory.object(r));
        match object {
            Some(object) if object.base == pointer.lo => {
                if let ObjectKind::Function(func) = object.kind {
                    return Ok(func);
                }
                Err(self.fatal(UbKind::InvalidCall))
            }
            _ => Err(self.fatal(UbKind::InvalidCall)),
        }
    }

    fn call_body(
        &mut self,
        regs: &mut Vec<Value>,
        code: Rc<FunctionCode>,
        mut args: Vec<ArgValue>,
        result: ResultUse,
    ) -> Result<(), Stop> {
        if args.len() < code.params.len() {
            return Err(self.fatal(UbKind::WrongSignature));
        }
        for (arg, param) in args.iter_mut().zip(&code.params) {
            match fit(&self.program.types, arg.ty, param.ty) {
                Fit::Same => {}
                Fit::Similar => {
                    self.undefined(UbKind::DifferentSignature)?;
                    if let Passed::Scalar(value) = &mut arg.value {
                        *value = self.adapt(*value, arg.ty, param.ty);
                    }
                }
                Fit::Not => return Err(self.fatal(UbKind::WrongSignature)),
            }
        }
        let extra = args.split_off(code.params.len());
        if !extra.is_empty() && !code.variadic {
            self.undefined(UbKind::DifferentSignature)?;
        }
        let base = self.open(regs, Rc::clone(&code), result)?;
        for (arg, param) in args.into_iter().zip(&code.params) {
            match (arg.value, param.home) {
                (Passed::Scalar(value), Home::Register(reg)) => {
                    regs[base + usize::from(reg)] = value;
                }
                (Passed::Scalar(value), Home::Memory(reg)) => {
                    let shape = Shape::of(&self.program.types, param.ty).unwrap_or(Shape::I32);
                    let pointer = regs[base + usize::from(reg)];
                    let stored = self.memory.store(Access::of(shape), pointer, 0, value);
                    self.check(stored)?;
                }
                (Passed::Record(blob), Home::Memory(reg)) => {
                    let put = self.memory.put_blob(regs[base + usize::from(reg)], 0, &blob);
                    self.check(put)?;
                }
                (Passed::Record(_), Home::Register(_)) => {
                    return Err(self.fatal(UbKind::WrongSignature));
                }
            }
        }
        if code.variadic {
            let list = self.var_args(extra)?;
            if let Some(frame) = self.frames.last_mut() {
                frame.var_args = list;
            }
        }
        Ok(())
    }

    /// The same bits as another type of scalar.
    fn adapt(&self, value: Value, from: TypeId, to: TypeId) -> Value {
        let types = &self.program.types;
        let (Some(from), Some(to)) = (Shape::of(types, from), Shape::of(types, to)) else {
            return value;
        };
        if from.is_pointer() && to.is_pointer() {
            return value;
        }
        let bits = crate::ops::extend(from.scalar(), from.bits(value)) as u128;
        let value = to.value(bits);
        if to.is_pointer() { self.memory.with_provenance(value) } else { value }
    }

    /// The object of the arguments behind the declared ones.
    fn var_args(&mut self, args: Vec<ArgValue>) -> Result<Value, Stop> {
        let mut places = Vec::new();
        let mut end = 0;
        for arg in &args {
            places.push((end, arg.ty));
            end += self.program.types.size(arg.ty).max(1).next_multiple_of(VAR_ARG_GRAIN);
        }
        let kind = ObjectKind::VarArgs(places.clone().into());
        let list = self.memory.allocate(Region::Stack, kind, end, 16, Contents::Indeterminate);
        let list = list.ok_or_else(|| self.fatal(UbKind::StackOverflow))?;
        self.observe_allocation(list);
        for (arg, (offset, ty)) in args.into_iter().zip(places) {
            let stored = match arg.value {
                Passed::Scalar(value) => {
                    let shape = Shape::of(&self.program.types, ty).unwrap_or(Shape::I32);
                    self.memory.store(Access::of(shape), list, offset as i64, value)
                }
                Passed::Record(blob) => self.memory.put_blob(list, offset as i64, &blob),
            };
            self.check(stored)?;
        }
        Ok(list)
    }

    /// Checks that the next argument of a list has a type, and gives where it is and the list
    /// behind it.
    pub(crate) fn va_position(&mut self, list: Value, ty: TypeId) -> Result<(Value, Value), Stop> {
        let object = ObjectRef::unpack(list.hi).and_then(|r| self.memory.object(r));
        let found = object.and_then(|object| match &object.kind {
            ObjectKind::VarArgs(places) => {
                let offset = list.lo.wrapping_sub(object.base);
                let position = places.binary_search_by_key(&offset, |place| place.0).ok()?;
                Some(places[position].1)
            }
            _ => None,
        });
        let fits = found.is_some_and(|passed| {
            matches!(fit(&self.program.types, passed, ty), Fit::Same)
                || self.program.types.size(passed) == self.program.types.size(ty)
        });
        if !fits {
            return Err(self.fatal(UbKind::VaArgMisuse));
        }
        let bytes = self.program.types.size(ty).max(1).next_multiple_of(VAR_ARG_GRAIN);
        Ok((list, Value { lo: list.lo + bytes, hi: list.hi }))
    }

    /// The next argument of a list, of scalar type, and the list behind it.
    pub(crate) fn va_fetch(&mut self, list: Value, ty: TypeId) -> Result<(Value, Value), Stop> {
        let (at, next) = self.va_position(list, ty)?;
        let shape = Shape::of(&self.program.types, ty).unwrap_or(Shape::I32);
        Ok((self.load(shape, at, 0)?, next))
    }

    /// Calls a function from inside the machine and waits for its result.
    pub(crate) fn call_and_wait(
        &mut self,
        func: FuncId,
        args: Vec<ArgValue>,
    ) -> Result<Returned, Stop> {
        match self.known(func)? {
            Known::Body(code) => {
                if self.nesting >= MAX_NESTING {
                    return Err(self.fatal(UbKind::StackOverflow));
                }
                self.nesting += 1;
                let depth = self.frames.len();
                let mut regs = std::mem::take(&mut self.regs);
                let opened = self.call_body(&mut regs, code, args, ResultUse::Unused);
                self.regs = regs;
                opened?;
                self.run(depth)?;
                self.nesting -= 1;
                Ok(std::mem::replace(&mut self.returned, Returned::Nothing))
            }
            _ => self.call_native(func, &args),
        }
    }

    /// Calls a function without a body.
    fn call_native(&mut self, func: FuncId, args: &[ArgValue]) -> Result<Returned, Stop> {
        let program = self.program;
        let function = &program.funcs[func];
        let name = source_name(&function.name);
        let result = match program.types.get(function.ty) {
            Type::Function(signature) => signature.result,
            _ => Types::VOID,
        };
        let call = NativeCall { name, args, result };
        match self.known(func)? {
            Known::Environment(native) => match self.environment_answer(name, result) {
                Some(bits) => {
                    self.apply(&call, CallEffect { result: Some(bits), writes: Vec::new() })
                }
                None => {
                    let value = native(self, &call)?;
                    Ok(self.native_result(value, result))
                }
            },
            Known::Native(native) => {
                let value = native(self, &call)?;
                Ok(self.native_result(value, result))
            }
            _ => match self.outside_call(name, result) {
                Some(effect) => self.apply(&call, effect),
                None => Err(self.unsupported(name)),
            },
        }
    }

    fn native_result(&self, value: Option<Value>, ty: TypeId) -> Returned {
        match (value, Shape::of(&self.program.types, ty)) {
            (Some(value), Some(shape)) if shape.is_pointer() => Returned::Scalar(value),
            (Some(value), Some(shape)) => {
                let bits = if shape.is_wide() { value.to_bits() } else { u128::from(value.lo) };
                Returned::Scalar(shape.value(bits))
            }
            _ => Returned::Nothing,
        }
    }

    /// What a function without a body did, as the source says.
    pub(crate) fn apply(
        &mut self,
        call: &NativeCall<'_>,
        effect: CallEffect,
    ) -> Result<Returned, Stop> {
        for write in &effect.writes {
            let Some(ArgValue { value: Passed::Scalar(pointer), .. }) =
                call.args.get(write.argument as usize)
            else {
                continue;
            };
            let to = Value { lo: pointer.lo.wrapping_add(write.offset as u64), hi: pointer.hi };
            let written = self.memory.write(to, &write.bytes);
            self.check(written)?;
            self.observe_store(to, 0, write.bytes.len() as u64);
        }
        let shape = Shape::of(&self.program.types, call.result);
        Ok(match (effect.result, shape) {
            (Some(bits), Some(shape)) => {
                let value = shape.value(bits);
                let pointer = shape.is_pointer();
                Returned::Scalar(if pointer { self.memory.with_provenance(value) } else { value })
            }
            _ => Returned::Nothing,
        })
    }
}
