//! The interpreter: executes a [`Program`] with a byte-precise memory of objects.
//!
//! It is the oracle of everything else: what it computes is the meaning of the model. Operators
//! mean what [`ops`](crate::ops) says; undefined behaviour is found and named
//! ([`UbKind`]); what the program does not determine comes from an
//! [`InputSource`] and is written into the run's [`InputTrace`](crate::trace::InputTrace), with
//! which the run can be repeated. Functions of the C library are built in; `crate::library` says
//! for everybody what they are.
//!
//! Choices where the model leaves some: the place that a call's result goes to is evaluated after
//! the call; [`Op::HavocMemory`](crate::cfa::Op::HavocMemory) changes nothing, which is one of the
//! things that it may do; a pointer comparison with `<` compares addresses.
//!
//! For speed, functions are compiled when they are first called to code on registers (`code`,
//! `compile`), which `execute` runs; variables whose address is never taken are registers.
//!
//! ```
//! use gnomon_budget::Budget;
//! use gnomon_ir::cfa::{CfaBuilder, Edge, Op};
//! use gnomon_ir::interp::{Captured, Outcome, RunOptions, ZeroSource, interpret};
//! use gnomon_ir::program::{Function, Program};
//! use gnomon_ir::span::Span;
//! use gnomon_ir::types::{Signature, Target, Type, Types};
//!
//! let mut program = Program::new(Target::Lp64);
//! let three = program.int(Types::I32, 3);
//! let mut cfa = CfaBuilder::new();
//! let (from, to) = (cfa.entry(), cfa.exit());
//! let op = Op::Return(Some(three));
//! cfa.add_edge(Edge { from, to, op, span: Span::NONE, stmt: Program::NO_STMT });
//! let ty = program.types.intern(Type::Function(Signature {
//!     result: Types::I32,
//!     params: [].into(),
//!     variadic: false,
//!     prototyped: true,
//! }));
//! program.funcs.push(Function {
//!     name: "main".into(),
//!     ty,
//!     params: vec![],
//!     locals: vec![],
//!     body: Some(cfa.finish()),
//!     no_return: false,
//!     span: Span::NONE,
//! });
//! let (mut inputs, mut output) = (ZeroSource, Captured::default());
//! let run = interpret(
//!     &program,
//!     &RunOptions::default(),
//!     &mut inputs,
//!     &mut output,
//!     &Budget::unlimited(),
//! );
//! assert_eq!(run.outcome, Outcome::Exit(3));
//! ```

mod arith;
mod assigned;
mod calls;
mod code;
mod compile;
mod constants;
mod execute;
mod hosted;
mod input;
mod leap;
mod library;
mod machine;
mod memory;
mod observe;
mod outcome;
mod rest;
mod start;
mod ub;
mod value;

use gnomon_budget::Budget;

use crate::program::Program;

pub use constants::Constants;
pub use input::{Asked, CallEffect, InputSource, SeedSource, TraceSource, ZeroSource};
pub use memory::ObjectKind;
pub use observe::{
    Captured, Discarded, EdgeEvent, Needs, Observer, OutputSink, PointerEvent, State, StoreEvent,
    Stream,
};
pub use outcome::{Left, Outcome, Run};
pub use rest::{Called, Calls, Rest};
pub use ub::{Site, UbKind, UndefinedBehaviour};
pub use value::ObjectRef;

/// Where the arguments of the entry function come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// Those of a process, the name of the program first, for an entry function that takes them
    /// as `main` does.
    CommandLine(Vec<Vec<u8>>),
    /// From the input source.
    FromInput,
}

/// How to run a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// The function that is run.
    pub entry: String,
    /// Its arguments; for any other function than `main` they always come from the input source.
    pub arguments: Arguments,
    /// Functions whose call is an error that was reached, with a body or without.
    pub error_functions: Vec<String>,
    /// Whether iterations of counting loops are leapt over: the run is the same, and ends earlier.
    pub leaps: bool,
    /// How many calls may be open at once.
    pub max_depth: usize,
    /// How many bytes all live objects may have together.
    pub max_memory: u64,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            entry: "main".to_owned(),
            arguments: Arguments::CommandLine(vec![b"program".to_vec()]),
            error_functions: crate::library::ERROR_FUNCTIONS.map(str::to_owned).to_vec(),
            leaps: true,
            max_depth: 100_000,
            max_memory: 1 << 30,
        }
    }
}

/// Whether a function of the library (by its plain name, see [`crate::library::plain_name`]) has
/// a result that depends on its arguments alone.
pub(crate) fn is_pure_native(plain: &str) -> bool {
    library::is_pure(plain)
}

/// Runs a program.
pub fn interpret(
    program: &Program,
    options: &RunOptions,
    inputs: &mut dyn InputSource,
    output: &mut dyn OutputSink,
    budget: &Budget,
) -> Run {
    start::run(machine::Machine::new(program, options, budget, inputs, output, None))
}

/// Runs a program and tells an observer of every edge and store. Much slower.
pub fn interpret_observed(
    program: &Program,
    options: &RunOptions,
    inputs: &mut dyn InputSource,
    output: &mut dyn OutputSink,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Run {
    start::run(machine::Machine::new(program, options, budget, inputs, output, Some(observer)))
}
