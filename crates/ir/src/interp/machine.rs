//! The machine: open calls, and what instructions need from it.
//!
//! The calls of the program are frames on a stack of the machine's own, so deep recursion of the
//! program costs memory and not the host's stack. Only functions that are called back by library
//! functions (`qsort`) run in a nested loop of the host.

use std::rc::Rc;

use gnomon_budget::Budget;
use rustc_hash::FxHashSet;

use crate::cfa::EdgeId;
use crate::interp::code::{FunctionCode, ResultUse};
use crate::interp::compile::{Layout, Purpose, compile};
use crate::interp::input::{Asked, CallEffect, InputSource};
use crate::interp::library::{LibraryState, Native};
use crate::interp::memory::{Blob, LoadFault, Memory, StackMark};
use crate::interp::observe::{Needs, Observer, OutputSink, PointerEvent, State, StoreEvent};
use crate::interp::outcome::{Outcome, Stop};
use crate::interp::ub::{Site, UbKind, UndefinedBehaviour};
use crate::interp::value::{ObjectRef, Shape, Value};
use crate::interp::{EdgeEvent, RunOptions};
use crate::library::depends_on_environment;
use crate::ops::{self, Scalar};
use crate::program::{FuncId, Program, VarId};
use crate::span::Span;
use crate::trace::{Input, InputTrace};
use crate::types::{Type, TypeId};

/// Copying or filling so many bytes takes about as long as what is done between two looks at the budget.
const BYTES_OF_A_STEP: u64 = 1 << 14;

/// What a function returned.
#[derive(Clone, Debug)]
pub(crate) enum Returned {
    Nothing,
    Scalar(Value),
    Record(Blob),
}

/// An open call.
pub(crate) struct Frame {
    pub code: Rc<FunctionCode>,
    /// Behind the instruction that runs.
    pub pc: usize,
    /// The first register.
    pub base: usize,
    /// The stack objects of the call are those from here on.
    pub stack_mark: StackMark,
    /// The arguments behind the declared ones.
    pub var_args: Value,
    /// Where in the caller the result goes.
    pub result: ResultUse,
}

/// What is known of a function that may be called.
#[derive(Clone)]
pub(crate) enum Known {
    NotYet,
    Body(Rc<FunctionCode>),
    Native(Native),
    /// Shows one of several things that can happen.
    Environment(Native),
    Nothing,
}

/// A run.
pub(crate) struct Machine<'a> {
    pub program: &'a Program,
    pub options: &'a RunOptions,
    pub budget: &'a Budget,
    pub inputs: &'a mut dyn InputSource,
    pub output: &'a mut dyn OutputSink,
    pub observer: Option<&'a mut dyn Observer>,
    pub memory: Memory,
    pub layout: Layout,
    pub known: Vec<Known>,
    pub frames: Vec<Frame>,
    pub regs: Vec<Value>,
    pub returned: Returned,
    pub library: LibraryState,
    pub trace: InputTrace,
    pub steps: u64,
    /// Loops of the host that are open one in the other.
    pub nesting: u32,
    /// Loops that were asked about.
    pub patience: crate::interp::leap::Loops,
    noted: Vec<UndefinedBehaviour>,
    noted_at: FxHashSet<(Option<(FuncId, EdgeId)>, UbKind)>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(
        program: &'a Program,
        options: &'a RunOptions,
        budget: &'a Budget,
        inputs: &'a mut dyn InputSource,
        output: &'a mut dyn OutputSink,
        observer: Option<&'a mut dyn Observer>,
    ) -> Self {
        Self {
            program,
            options,
            budget,
            inputs,
            output,
            observer,
            memory: Memory::new(program.types.target(), options.max_memory),
            layout: Layout::default(),
            known: vec![Known::NotYet; program.funcs.len()],
            frames: Vec::new(),
            regs: Vec::new(),
            returned: Returned::Nothing,
            library: LibraryState::default(),
            trace: InputTrace::default(),
            steps: 0,
            nesting: 0,
            patience: crate::interp::leap::Loops::default(),
            noted: Vec::new(),
            noted_at: FxHashSet::default(),
        }
    }

    pub(crate) fn take_noted(&mut self) -> Vec<UndefinedBehaviour> {
        std::mem::take(&mut self.noted)
    }

    /// Where the run is.
    pub(crate) fn site(&self) -> Option<Site> {
        let frame = self.frames.last()?;
        let edge = *frame.code.edges.get(frame.pc.saturating_sub(1))?;
        let func = frame.code.func;
        let body = self.program.funcs.get(func)?.body.as_ref()?;
        let span = body.edges().get(edge)?.span;
        Some(Site { func, edge, span })
    }

    /// Undefined behaviour: ends the run, or is written down.
    #[cold]
    pub(crate) fn undefined(&mut self, kind: UbKind) -> Result<(), Stop> {
        let site = self.site();
        let ub = UndefinedBehaviour { kind, site };
        if kind.is_fatal() {
            return Err(Box::new(Outcome::Undefined(ub)));
        }
        if self.noted_at.insert((site.map(|s| (s.func, s.edge)), kind)) {
            self.noted.push(ub);
        }
        Ok(())
    }

    /// Fails with undefined behaviour of a fatal kind.
    #[cold]
    pub(crate) fn fatal(&mut self, kind: UbKind) -> Stop {
        Box::new(Outcome::Undefined(UndefinedBehaviour { kind, site: self.site() }))
    }

    /// The result, or the end of the run.
    pub(crate) fn check<T>(&mut self, result: Result<T, UbKind>) -> Result<T, Stop> {
        result.map_err(|kind| self.fatal(kind))
    }

    #[cold]
    pub(crate) fn unsupported(&self, what: impl Into<String>) -> Stop {
        Box::new(Outcome::Unsupported { what: what.into(), site: self.site() })
    }

    pub(crate) fn step(&mut self, count: u32) -> Result<(), Stop> {
        self.steps += u64::from(count);
        self.budget.check().map_err(|reason| Box::new(Outcome::OutOfBudget(reason)))
    }

    /// What is done with many bytes at once counts as many steps: a run that fills gigabytes is limited too.
    pub(crate) fn bulk(&self, bytes: u64) -> Result<(), Stop> {
        for _ in 0..bytes / BYTES_OF_A_STEP {
            self.budget.check().map_err(|reason| Box::new(Outcome::OutOfBudget(reason)))?;
        }
        Ok(())
    }

    /// Any value from outside.
    pub(crate) fn nondet(&mut self, scalar: Scalar) -> Result<u128, Stop> {
        let site = self.site();
        let (span, at) = match site {
            Some(site) => (site.span, Some((site.func, site.edge))),
            None => (Span::NONE, None),
        };
        let asked = Asked { scalar, files: &self.program.files, span, at };
        let line = asked.line();
        match self.inputs.nondet(&asked) {
            Some(value) => {
                let value = crate::ops::truncate(value, scalar.width());
                self.trace.inputs.push(Input::Nondet { value, line });
                Ok(value)
            }
            None => Err(self.exhausted(format!("a value of {} bits", scalar.width()))),
        }
    }

    #[cold]
    pub(crate) fn exhausted(&self, asked: String) -> Stop {
        Box::new(Outcome::InputsExhausted { asked, site: self.site() })
    }

    /// Any value of a shape; an address finds its object.
    pub(crate) fn nondet_value(&mut self, shape: Shape) -> Result<Value, Stop> {
        let bits = self.nondet(shape.scalar())?;
        let bits = if shape == Shape::Bool { u128::from(bits != 0) } else { bits };
        let value = shape.value(bits);
        Ok(if shape.is_pointer() { self.memory.with_provenance(value) } else { value })
    }

    /// What the source says that a function without a body does.
    pub(crate) fn outside_call(&mut self, name: &str, ty: TypeId) -> Option<CallEffect> {
        let effect = self.inputs.call(name, self.program.types.scalar(ty))?;
        self.trace.inputs.push(Input::Call {
            function: name.to_owned(),
            result: effect.result,
            writes: effect.writes.clone(),
        });
        Some(effect)
    }

    /// The result of a function of the library that depends on more than the program, if the
    /// source has one.
    pub(crate) fn environment_answer(&mut self, name: &str, ty: TypeId) -> Option<u128> {
        let scalar = self.program.types.scalar(ty)?;
        let result = Some(ops::truncate(self.inputs.environment(name, scalar)?, scalar.width()));
        let (function, writes) = (name.to_owned(), Vec::new());
        self.trace.inputs.push(Input::Call { function, result, writes });
        result
    }

    /// The value at an address that was not all written: what is missing comes from outside and
    /// stays.
    #[cold]
    pub(crate) fn complete(
        &mut self,
        shape: Shape,
        pointer: Value,
        offset: i64,
        fault: LoadFault,
    ) -> Result<(), Stop> {
        if let LoadFault::Undefined(kind) = fault {
            return Err(self.fatal(kind));
        }
        if !self.memory.is_unknown(pointer, offset) {
            self.undefined(UbKind::UninitializedRead)?;
        }
        let value = shape.bits(self.nondet_value(shape)?);
        let bytes = shape.value_bytes();
        let (_, mask) =
            self.memory.read_masked(pointer, offset, bytes).map_err(|k| self.fatal(k))?;
        let read_only = self.memory.object_mut(pointer).map(|o| std::mem::take(&mut o.read_only));
        let written = self.memory.write_masked(pointer, offset, bytes, value, !mask);
        if let (Some(flag), Some(object)) = (read_only, self.memory.object_mut(pointer)) {
            object.read_only = flag;
        }
        self.check(written)
    }

    /// Any value for everything in an array, a record or a static variable.
    pub(crate) fn havoc_bytes(&mut self, pointer: Value, ty: TypeId) -> Result<(), Stop> {
        self.havoc(pointer, ty)?;
        let at = self.site().map(|site| (site.func, site.edge));
        if self.inputs.leaves_open(at) {
            self.memory.forget(pointer);
        }
        Ok(())
    }

    /// Any value for everything in a place.
    fn havoc(&mut self, pointer: Value, ty: TypeId) -> Result<(), Stop> {
        let types = &self.program.types;
        if let Some(shape) = Shape::of(types, ty) {
            let value = self.nondet_value(shape)?;
            return self.store(shape, pointer, 0, value);
        }
        let at = |offset: u64| Value { lo: pointer.lo.wrapping_add(offset), hi: pointer.hi };
        match *types.get(ty) {
            Type::Array { elem, len } => {
                let size = types.size(elem);
                for i in 0..len {
                    self.havoc(at(i * size), elem)?;
                }
            }
            Type::Record(record)
                if types.record(record).kind == crate::types::RecordKind::Struct =>
            {
                for field in &types.record(record).fields {
                    match field.bits {
                        None => self.havoc(at(field.offset), field.ty)?,
                        Some(bits) => {
                            let width = u16::from(bits.width);
                            let value = self.nondet(Scalar::Int { bits: width, signed: false })?;
                            let bytes = usize::from(bits.shift) + usize::from(bits.width);
                            let which = (u128::MAX >> (128 - width)) << bits.shift;
                            let written = self.memory.write_masked(
                                at(field.offset),
                                0,
                                bytes.div_ceil(8),
                                value << bits.shift,
                                which,
                            );
                            self.check(written)?;
                        }
                    }
                }
            }
            Type::Record(record) => {
                for offset in 0..types.record(record).size {
                    self.havoc(at(offset), crate::types::Types::U8)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Stores a scalar and tells the observer.
    pub(crate) fn store(
        &mut self,
        shape: Shape,
        pointer: Value,
        offset: i64,
        value: Value,
    ) -> Result<(), Stop> {
        let access = crate::interp::memory::Access::of(shape);
        let stored = self.memory.store(access, pointer, offset, value);
        self.check(stored)?;
        self.observe_store(pointer, offset, access.bytes() as u64);
        Ok(())
    }

    /// Loads a scalar.
    pub(crate) fn load(
        &mut self,
        shape: Shape,
        pointer: Value,
        offset: i64,
    ) -> Result<Value, Stop> {
        let access = crate::interp::memory::Access::of(shape);
        match self.memory.load(access, pointer, offset) {
            Ok(value) => Ok(value),
            Err(fault) => {
                self.complete(shape, pointer, offset, fault)?;
                self.memory
                    .load(access, pointer, offset)
                    .map_err(|_| self.fatal(UbKind::InvalidPointer))
            }
        }
    }

    pub(crate) fn observe_store(&mut self, pointer: Value, offset: i64, bytes: u64) {
        self.observe_access(pointer, offset, bytes, |observer, event| observer.store(event));
    }

    pub(crate) fn observe_load(&mut self, pointer: Value, offset: i64, bytes: u64) {
        self.observe_access(pointer, offset, bytes, |observer, event| observer.load(event));
    }

    fn observe_access(
        &mut self,
        pointer: Value,
        offset: i64,
        bytes: u64,
        tell: impl Fn(&mut dyn Observer, &StoreEvent),
    ) {
        let Some(observer) = &mut self.observer else { return };
        let Some(object) = self.memory.reference(pointer) else { return };
        let Some(found) = self.memory.object(object) else { return };
        let offset = pointer.lo.wrapping_add(offset as u64).wrapping_sub(found.base);
        tell(*observer, &StoreEvent { object, kind: found.kind.clone(), offset, bytes });
        for (at, target, address) in self.memory.pointers_in(object, offset, bytes) {
            if let Some(pointee) = self.memory.object(target) {
                observer.pointer(&PointerEvent {
                    holder: object,
                    holder_kind: found.kind.clone(),
                    holder_offset: at,
                    target,
                    target_kind: pointee.kind.clone(),
                    target_offset: address.wrapping_sub(pointee.base) as i64,
                });
            }
        }
    }

    /// Tells the observer of a new object.
    pub(crate) fn observe_allocation(&mut self, pointer: Value) {
        let Some(observer) = &mut self.observer else { return };
        let Some(object) = self.memory.reference(pointer) else { return };
        if let Some(found) = self.memory.object(object) {
            observer.allocated(object, &found.kind);
        }
    }

    pub(crate) fn observe_edge(&mut self, regs: &[Value], edge: EdgeId) {
        let depth = self.frames.len();
        let (Some(observer), Some(frame)) = (&mut self.observer, self.frames.last()) else {
            return;
        };
        let locals: Vec<(VarId, Value)> = frame
            .code
            .locals
            .iter()
            .map(|local| (local.var, regs[frame.base + usize::from(local.reg)]))
            .collect();
        let state = State { memory: &self.memory, statics: &self.layout.vars, locals: &locals };
        observer.edge(EdgeEvent { func: frame.code.func, edge, depth }, &state);
    }

    /// The address of a variable of another function, in its latest call that is open. A null
    /// pointer where none is.
    pub(crate) fn outer_variable(&self, regs: &[Value], var: VarId) -> Value {
        let address = |frame: &Frame| {
            let local = frame.code.locals.iter().find(|local| local.var == var)?;
            Some(regs[frame.base + usize::from(local.reg)])
        };
        self.frames.iter().rev().find_map(address).unwrap_or(Value::ZERO)
    }

    /// What is known of a function, compiled if need be.
    pub(crate) fn known(&mut self, func: FuncId) -> Result<Known, Stop> {
        if let Known::NotYet = self.known[func.0 as usize] {
            let function = &self.program.funcs[func];
            let name = crate::program::source_name(&function.name);
            let is_error = self.options.error_functions.iter().any(|error| error == name);
            let known = if is_error {
                Known::Native(crate::interp::library::report_error)
            } else if function.body.is_some() {
                let purpose = match self.observer.as_ref().map(|observer| observer.needs()) {
                    Some(Needs::Everything) => Purpose::Observation,
                    Some(Needs::Edges) => Purpose::Edges,
                    None => Purpose::Speed,
                };
                let code = compile(self.program, &self.layout, func, purpose)
                    .map_err(|error| self.unsupported(error.0))?;
                Known::Body(Rc::new(code))
            } else {
                let target = self.program.types.target();
                match crate::interp::library::native(name) {
                    Some(native) if depends_on_environment(name, target, true) => {
                        Known::Environment(native)
                    }
                    Some(native) => Known::Native(native),
                    None => Known::Nothing,
                }
            };
            self.known[func.0 as usize] = known;
        }
        Ok(self.known[func.0 as usize].clone())
    }

    /// The object and offset of a pointer, for comparisons.
    pub(crate) fn object_of(&self, pointer: Value) -> Option<ObjectRef> {
        self.memory.reference(pointer)
    }
}
