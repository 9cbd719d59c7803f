//! Where a run takes from what the program does not determine: [`InputSource`] and the sources
//! that need no embedder.
//!
//! Whatever a source answers, the machine writes into the run's
//! [`InputTrace`]; a [`TraceSource`] made of that trace repeats the run exactly.

use std::rc::Rc;

use super::constants::Constants;
use crate::cfa::EdgeId;
use crate::ops::{Scalar, truncate};
use crate::program::FuncId;
use crate::span::{Files, Span};
use crate::trace::{ArgumentValue, Input, InputTrace, Write};
use crate::types::{Type, TypeId, Types};

/// A question for a value.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The type of the value.
    pub scalar: Scalar,
    /// The user's files.
    pub files: &'a Files,
    /// The operation that asks.
    pub span: Span,
    /// The edge that it is on.
    pub at: Option<(FuncId, EdgeId)>,
}

impl Asked<'_> {
    /// `file:line` of the operation that asks.
    pub fn line(&self) -> Option<String> {
        (!self.span.is_none())
            .then(|| format!("{}:{}", self.files.name(self.span.file), self.span.line))
    }
}

/// What a function without a body did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallEffect {
    /// The bits of the result, if it has one.
    pub result: Option<u128>,
    /// Bytes that it wrote.
    pub writes: Vec<Write>,
}

/// Answers a run's questions. `None` ends the run as out of inputs, but for calls.
pub trait InputSource {
    /// Any value of the type.
    fn nondet(&mut self, asked: &Asked<'_>) -> Option<u128>;

    /// One of `open` edges, counted from 0.
    fn choice(&mut self, open: u32) -> Option<u32>;

    /// Whether an array, a record or a static variable that an edge fills with anything counts as
    /// never written, so that reading it is noted as undefined behaviour.
    fn leaves_open(&mut self, at: Option<(FuncId, EdgeId)>) -> bool {
        let _ = at;
        false
    }

    /// Whether an allocation of `bytes` bytes succeeds.
    fn allocation(&mut self, bytes: u64) -> Option<bool> {
        let _ = bytes;
        Some(true)
    }

    /// What a function without a body does; `None` leaves it to the interpreter, which knows the
    /// functions of the C library and refuses the others.
    fn call(&mut self, function: &str, result: Option<Scalar>) -> Option<CallEffect> {
        let _ = (function, result);
        None
    }

    /// The result of a function of the C library that the program does not determine, such as
    /// `getchar`; `None` leaves it to the interpreter.
    fn environment(&mut self, function: &str, result: Scalar) -> Option<u128> {
        let _ = (function, result);
        None
    }

    /// An argument of the entry function.
    fn argument(&mut self, name: &str, types: &Types, ty: TypeId) -> Option<ArgumentValue>;
}

/// Answers from a trace, in order.
#[derive(Clone, Debug)]
pub struct TraceSource {
    inputs: std::vec::IntoIter<Input>,
}

impl TraceSource {
    /// The answers of the trace.
    pub fn new(trace: InputTrace) -> Self {
        Self { inputs: trace.inputs.into_iter() }
    }

    /// How many answers are left.
    pub fn remaining(&self) -> usize {
        self.inputs.len()
    }

    fn take<T>(&mut self, pick: impl FnOnce(&Input) -> Option<T>) -> Option<T> {
        let answer = self.inputs.as_slice().first().and_then(pick)?;
        self.inputs.next();
        Some(answer)
    }
}

impl InputSource for TraceSource {
    fn nondet(&mut self, asked: &Asked<'_>) -> Option<u128> {
        self.take(|input| match *input {
            Input::Nondet { value, .. } => Some(truncate(value, asked.scalar.width())),
            _ => None,
        })
    }

    fn choice(&mut self, open: u32) -> Option<u32> {
        self.take(|input| match *input {
            Input::Choice { edge } if edge < open => Some(edge),
            _ => None,
        })
    }

    /// Allocations that the trace does not mention succeed.
    fn allocation(&mut self, _bytes: u64) -> Option<bool> {
        let answer = self.take(|input| match *input {
            Input::Allocation { succeeds } => Some(succeeds),
            _ => None,
        });
        Some(answer.unwrap_or(true))
    }

    fn call(&mut self, name: &str, _result: Option<Scalar>) -> Option<CallEffect> {
        self.take(|input| match input {
            Input::Call { function, result, writes } if function == name => {
                Some(CallEffect { result: *result, writes: writes.clone() })
            }
            _ => None,
        })
    }

    fn environment(&mut self, name: &str, result: Scalar) -> Option<u128> {
        self.call(name, Some(result))?.result
    }

    fn argument(&mut self, name: &str, _types: &Types, _ty: TypeId) -> Option<ArgumentValue> {
        self.take(|input| match input {
            Input::Argument { name: given, value } if given == name => Some(value.clone()),
            _ => None,
        })
    }
}

/// Answers zero, the first edge, success, null.
#[derive(Clone, Copy, Debug, Default)]
pub struct ZeroSource;

impl InputSource for ZeroSource {
    fn nondet(&mut self, _asked: &Asked<'_>) -> Option<u128> {
        Some(0)
    }

    fn choice(&mut self, _open: u32) -> Option<u32> {
        Some(0)
    }

    fn argument(&mut self, _name: &str, types: &Types, ty: TypeId) -> Option<ArgumentValue> {
        Some(if types.is_pointer(ty) { ArgumentValue::Null } else { ArgumentValue::Bits(0) })
    }
}

/// Answers by chance, the same for the same seed.
#[derive(Clone, Debug)]
pub struct SeedSource {
    state: u64,
    calls: bool,
    constants: Option<Rc<Constants>>,
}

/// How deep the objects behind pointer arguments nest.
const ARGUMENT_DEPTH: u32 = 3;
/// Elements of the objects behind pointer arguments.
const ARGUMENT_ELEMENTS: u64 = 8;
/// Largest object that is made up for a pointer argument.
const MAX_ARGUMENT_BYTES: u64 = 1 << 16;

impl SeedSource {
    /// With that seed. Calls of unknown functions are refused.
    pub fn new(seed: u64) -> Self {
        Self { state: seed, calls: false, constants: None }
    }

    /// Draws from the constants of a program, and from between them, too.
    pub fn with_constants(mut self, constants: Rc<Constants>) -> Self {
        self.constants = Some(constants);
        self
    }

    /// A number below a limit, which is not zero.
    pub fn next_below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    /// Also gives results to calls of functions without a body.
    pub fn answering_calls(mut self) -> Self {
        self.calls = true;
        self
    }

    /// SplitMix64: every seed is good, and it is three lines.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Small numbers, both signs, as often as large ones: branches of programs look at those.
    fn bits(&mut self, scalar: Scalar) -> u128 {
        if let Some(constants) = self.constants.clone()
            && let Some(drawn) = constants.draw(scalar, &mut || self.next())
        {
            return truncate(drawn, scalar.width());
        }
        let width = scalar.width();
        let word = u128::from(self.next()) << 64 | u128::from(self.next());
        let small = (word >> 8) % 16;
        let value = match (scalar, self.next() % 4) {
            (Scalar::Bool, _) => word & 1,
            (Scalar::Float(_), 0 | 1) => {
                let int = Scalar::Int { bits: 32, signed: true };
                crate::ops::cast(int, scalar, small)
            }
            (Scalar::Int { .. }, 0) => small,
            (Scalar::Int { .. }, 1) => small.wrapping_neg(),
            _ => word,
        };
        truncate(value, width)
    }

    fn value(&mut self, types: &Types, ty: TypeId, depth: u32) -> ArgumentValue {
        let Some(to) = types.pointee(ty) else {
            let scalar = types.scalar(ty).unwrap_or(Scalar::Int { bits: 8, signed: false });
            return ArgumentValue::Bits(self.bits(scalar));
        };
        let is_function = matches!(types.get(to), Type::Function(_));
        if depth == 0 || is_function || self.next().is_multiple_of(8) {
            return ArgumentValue::Null;
        }
        let size = types.size(to).max(1);
        let bytes = size.saturating_mul(ARGUMENT_ELEMENTS).min(MAX_ARGUMENT_BYTES).max(size);
        if bytes > MAX_ARGUMENT_BYTES {
            return ArgumentValue::Null;
        }
        let mut contents: Vec<u8> = (0..bytes).map(|_| self.next() as u8).collect();
        let mut pointers = Vec::new();
        for element in 0..bytes / size {
            pointers_in(types, to, element * size, &mut |offset, ty| {
                let width = types.target().pointer_size() as usize;
                contents[offset as usize..offset as usize + width].fill(0);
                pointers.push((offset, self.value(types, ty, depth - 1)));
            });
        }
        pointers.retain(|(_, value)| *value != ArgumentValue::Null);
        ArgumentValue::Object { bytes: contents, pointers }
    }
}

/// Calls `found` with place and type of each pointer in a value of a type.
fn pointers_in(types: &Types, ty: TypeId, at: u64, found: &mut dyn FnMut(u64, TypeId)) {
    match *types.get(ty) {
        Type::Pointer(_) => found(at, ty),
        Type::Array { elem, len } => {
            let size = types.size(elem);
            for i in 0..len {
                pointers_in(types, elem, at + i * size, found);
            }
        }
        Type::Record(record) => {
            for field in &types.record(record).fields {
                pointers_in(types, field.ty, at + field.offset, found);
            }
        }
        _ => {}
    }
}

impl InputSource for SeedSource {
    fn nondet(&mut self, asked: &Asked<'_>) -> Option<u128> {
        Some(self.bits(asked.scalar))
    }

    fn choice(&mut self, open: u32) -> Option<u32> {
        Some((self.next() % u64::from(open.max(1))) as u32)
    }

    fn call(&mut self, _function: &str, result: Option<Scalar>) -> Option<CallEffect> {
        let effect = CallEffect { result: result.map(|s| self.bits(s)), writes: Vec::new() };
        self.calls.then_some(effect)
    }

    fn argument(&mut self, _name: &str, types: &Types, ty: TypeId) -> Option<ArgumentValue> {
        Some(self.value(types, ty, ARGUMENT_DEPTH))
    }
}
