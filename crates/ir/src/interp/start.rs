//! The start and the end of a run: static variables, the arguments of the entry function, exit.

use std::rc::Rc;

use crate::expr::{Exprs, PlaceId, PlaceKind};
use crate::interp::Arguments;
use crate::interp::calls::ArgValue;
use crate::interp::code::ResultUse;
use crate::interp::compile::{align_of, compile_initializer};
use crate::interp::hosted;
use crate::interp::machine::{Frame, Machine, Returned};
use crate::interp::memory::{Access, Contents, ObjectKind, Region, StackMark};
use crate::interp::outcome::{Left, Outcome, Run, Stop};
use crate::interp::value::{Shape, Value};
use crate::program::{FuncId, InitItem, Program, Storage, source_name};
use crate::trace::{ArgumentValue, Input};
use crate::types::{Type, TypeId, Types};

/// Runs from the beginning to the end.
pub(crate) fn run(mut machine: Machine<'_>) -> Run {
    let mut has_returned = false;
    let outcome = match machine.start() {
        Ok(status) => {
            has_returned = true;
            machine.exit(status)
        }
        Err(stop) => match *stop {
            Outcome::Exit(status) => machine.exit(status),
            outcome => outcome,
        },
    };
    let left = match outcome {
        Outcome::Exit(_) => {
            let (living, lost) = machine.memory.heap_at_end();
            Left { living, lost: if has_returned { lost } else { 0 } }
        }
        _ => Left::default(),
    };
    Run {
        outcome,
        left,
        noted: machine.take_noted(),
        trace: std::mem::take(&mut machine.trace),
        steps: machine.steps,
    }
}

impl Machine<'_> {
    fn start(&mut self) -> Result<i32, Stop> {
        self.lay_out()?;
        self.initialize()?;
        let Some(entry) = self.program.find_function(&self.options.entry) else {
            return Err(self.unsupported(format!("no function {}", self.options.entry)));
        };
        if self.program.funcs[entry].body.is_none() {
            return Err(self.unsupported(format!("{} has no body", self.options.entry)));
        }
        let args = self.entry_arguments(entry)?;
        match self.call_and_wait(entry, args)? {
            Returned::Scalar(value) => Ok(value.as_i32()),
            Returned::Nothing | Returned::Record(_) => Ok(0),
        }
    }

    /// What `atexit` registered, last first; it may call `exit` again.
    fn exit(&mut self, mut status: i32) -> Outcome {
        while let Some(func) = self.library.at_exit.pop() {
            self.frames.clear();
            self.memory.unwind(StackMark::default());
            self.nesting = 0;
            if let Err(stop) = self.call_and_wait(func, Vec::new()) {
                match *stop {
                    Outcome::Exit(again) => status = again,
                    outcome => return outcome,
                }
            }
        }
        Outcome::Exit(status)
    }

    /// Gives every function and static variable its address.
    pub(crate) fn lay_out(&mut self) -> Result<(), Stop> {
        let program = self.program;
        for func in program.funcs.ids() {
            let kind = ObjectKind::Function(func);
            let object = self.memory.allocate(Region::Code, kind, 1, 16, Contents::Zero);
            self.layout.funcs.push(self.room(object)?);
        }
        for (id, var) in program.vars.iter_ids() {
            let Storage::Static { init, .. } = &var.storage else {
                self.layout.vars.push(Value::ZERO);
                continue;
            };
            let contents = if init.is_some() { Contents::Zero } else { Contents::Unknown };
            let size = match program.extents == Some(id) {
                true => 0,
                false => program.types.size(var.ty),
            };
            let align = align_of(&program.types, var.ty);
            let kind = ObjectKind::Static(id);
            let object = self.memory.allocate(Region::Static, kind, size, align, contents);
            let object = self.room(object)?;
            self.layout.vars.push(object);
            if init.is_none() && program.types.is_pointer(var.ty) {
                let stream = ["stdin", "stdout", "stderr"]
                    .iter()
                    .position(|&name| name == source_name(&var.name));
                if let Some(stream) = stream {
                    let pointer = self.stream(stream as u8)?;
                    let shape = Shape::pointer(program.types.target());
                    self.set(shape, object, 0, pointer)?;
                }
            }
        }
        Ok(())
    }

    /// Stores a scalar before the run begins: no observer is told.
    fn set(&mut self, shape: Shape, to: Value, offset: i64, value: Value) -> Result<(), Stop> {
        let stored = self.memory.store(Access::of(shape), to, offset, value);
        self.check(stored)
    }

    fn room(&self, object: Option<Value>) -> Result<Value, Stop> {
        let full = || Box::new(Outcome::OutOfBudget(gnomon_budget::Exhausted::Memory));
        object.ok_or_else(full)
    }

    pub(crate) fn initialize(&mut self) -> Result<(), Stop> {
        let program = self.program;
        for (id, var) in program.vars.iter_ids() {
            let Storage::Static { init: Some(init), read_only, .. } = &var.storage else {
                continue;
            };
            for item in &init.items {
                self.initialize_item(item)?;
            }
            let address = self.layout.vars[id.0 as usize];
            if let Some(object) = self.memory.object_mut(address) {
                object.read_only = *read_only;
            }
        }
        Ok(())
    }

    fn initialize_item(&mut self, item: &InitItem) -> Result<(), Stop> {
        let program = self.program;
        match item {
            InitItem::Bytes { place, bytes } => {
                if let Some(to) = self.static_address(*place) {
                    let written = self.memory.write(to, bytes);
                    self.check(written)?;
                }
                Ok(())
            }
            InitItem::Value { place, value } => {
                let shape = Shape::of(&program.types, program.place_ty(*place));
                if let (Some(shape), Some(bits), Some(to)) =
                    (shape, program.exprs.const_bits(*value), self.static_address(*place))
                {
                    let stored = self.memory.store(Access::of(shape), to, 0, shape.value(bits));
                    return self.check(stored);
                }
                let items = std::slice::from_ref(item);
                let code = compile_initializer(program, &self.layout, items)
                    .map_err(|error| self.unsupported(error.0))?;
                self.regs.resize(code.template.len().max(self.regs.len()), Value::ZERO);
                self.regs[..code.template.len()].copy_from_slice(&code.template);
                self.frames.push(Frame {
                    code: Rc::new(code),
                    pc: 0,
                    base: 0,
                    stack_mark: self.memory.stack_mark(),
                    var_args: Value::ZERO,
                    result: ResultUse::Unused,
                });
                self.run(0)
            }
        }
    }

    /// The address of a place in a static variable with constant indices that is no bit-field.
    fn static_address(&self, place: PlaceId) -> Option<Value> {
        let (var, offset) = constant_offset(self.program, &self.program.exprs, place)?;
        let base = *self.layout.vars.get(var)?;
        Some(Value { lo: base.lo + offset, hi: base.hi })
    }

    fn entry_arguments(&mut self, entry: FuncId) -> Result<Vec<ArgValue>, Stop> {
        let program = self.program;
        let params = &program.funcs[entry].params;
        if let (Arguments::CommandLine(given), "main") =
            (&self.options.arguments, self.options.entry.as_str())
        {
            let given = given.clone();
            return self.command_line(&given, params.len()).map(|values| {
                let typed = params.iter().zip(values);
                typed.map(|(&p, value)| ArgValue::scalar(program.vars[p].ty, value)).collect()
            });
        }
        let mut given = Vec::new();
        let mut missing = None;
        for &param in params {
            let var = &program.vars[param];
            let name = source_name(&var.name);
            match self.inputs.argument(name, &program.types, var.ty) {
                Some(value) => given.push(value),
                None => {
                    missing = Some(format!("the argument {name}"));
                    break;
                }
            }
        }
        if self.options.entry == "main" && missing.is_none() {
            let types: Vec<TypeId> = params.iter().map(|&param| program.vars[param].ty).collect();
            hosted::as_promised(&program.types, &types, &mut given);
        }
        // All that was asked for is in the trace, whatever comes of it.
        for (&param, value) in params.iter().zip(&given) {
            let name = source_name(&program.vars[param].name).to_owned();
            self.trace.inputs.push(Input::Argument { name, value: value.clone() });
        }
        if let Some(missing) = missing {
            return Err(self.exhausted(missing));
        }
        let mut args = Vec::new();
        for (&param, value) in params.iter().zip(&given) {
            args.push(self.argument(program.vars[param].ty, value)?);
        }
        Ok(args)
    }

    /// `argc`, `argv` and an empty environment; as many as are wanted.
    fn command_line(&mut self, given: &[Vec<u8>], wanted: usize) -> Result<Vec<Value>, Stop> {
        let shape = Shape::pointer(self.program.types.target());
        let word = shape.value_bytes() as u64;
        let argc = Value::int(given.len() as i32);
        let argv = self.argument_object((given.len() as u64 + 1) * word)?;
        for (i, text) in given.iter().enumerate() {
            let object = self.argument_object(text.len() as u64 + 1)?;
            let written = self.memory.write(object, text);
            self.check(written)?;
            self.set(shape, argv, i as i64 * word as i64, object)?;
        }
        let environment = self.argument_object(word)?;
        Ok([argc, argv, environment].into_iter().take(wanted).collect())
    }

    fn argument_object(&mut self, bytes: u64) -> Result<Value, Stop> {
        let kind = ObjectKind::Argument;
        let object = self.memory.allocate(Region::Static, kind, bytes, 16, Contents::Zero);
        self.room(object)
    }

    fn argument(&mut self, ty: TypeId, value: &ArgumentValue) -> Result<ArgValue, Stop> {
        if let Some(shape) = Shape::of(&self.program.types, ty) {
            return Ok(ArgValue::scalar(ty, self.argument_value(shape, value)?));
        }
        // A record: the bytes of the object are its value.
        let ArgumentValue::Object { .. } = value else {
            return Err(self.unsupported("an argument of record type is given by its bytes"));
        };
        let at = self.argument_value(Shape::pointer(self.program.types.target()), value)?;
        let blob = self.memory.take_blob(at, self.program.types.size(ty));
        let blob = self.check(blob)?;
        Ok(ArgValue { ty, value: crate::interp::calls::Passed::Record(blob) })
    }

    fn argument_value(&mut self, shape: Shape, value: &ArgumentValue) -> Result<Value, Stop> {
        match value {
            ArgumentValue::Bits(bits) => {
                let value = shape.value(*bits);
                Ok(if shape.is_pointer() { self.memory.with_provenance(value) } else { value })
            }
            ArgumentValue::Null => Ok(Value::ZERO),
            ArgumentValue::Object { bytes, pointers } => {
                let object = self.argument_object(bytes.len() as u64)?;
                let written = self.memory.write(object, bytes);
                self.check(written)?;
                let pointer = Shape::pointer(self.program.types.target());
                for (offset, target) in pointers {
                    let target = self.argument_value(pointer, target)?;
                    self.set(pointer, object, *offset as i64, target)?;
                }
                Ok(object)
            }
        }
    }
}

/// Variable and offset of a place with constant indices.
fn constant_offset(program: &Program, exprs: &Exprs, mut place: PlaceId) -> Option<(usize, u64)> {
    let types: &Types = &program.types;
    let mut offset = 0u64;
    loop {
        match exprs.place(place).kind {
            PlaceKind::Var(var) => return Some((var.0 as usize, offset)),
            PlaceKind::Deref(_) => return None,
            PlaceKind::Field(base, number) => {
                let Type::Record(record) = *types.get(exprs.place(base).ty) else { return None };
                let field = types.record(record).fields.get(number as usize)?;
                if field.bits.is_some() {
                    return None;
                }
                offset = offset.wrapping_add(field.offset);
                place = base;
            }
            PlaceKind::Index(base, index) => {
                let size = types.size(exprs.place(place).ty);
                let index = program.as_int(index)? as u64;
                offset = offset.wrapping_add(index.wrapping_mul(size));
                place = base;
            }
        }
    }
}
