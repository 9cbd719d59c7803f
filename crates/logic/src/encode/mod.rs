//! The program model as formulas.
//!
//! One source, two theories ([`Theory`]), chosen per check and never mixed:
//!
//! - **Int**: values are mathematical integers in the range of their type, results wrap exactly
//!   ([`draft::Draft::wrap`]) where intervals cannot prove that they do not; masks, shifts, division and
//!   remainder by constants are exact; what is not linear, and all floating point, is uninterpreted
//!   with the axioms that matter. Every run of the program satisfies the formula; the formula may
//!   allow more only where something is uninterpreted.
//! - **Bits**: bit-vectors and the floating-point theory, exact for every operator.
//!
//! An [`Encoder`] turns edges into [`Block`]s: [`Encoder::sequence`] for edges in a row,
//! [`Encoder::graph`] for a piece of the automaton with joins, [`PathEncoder`] for paths through
//! calls. The meaning of operators is that of [`gnomon_ir::ops`]; a test compares the three.
//!
//! Variables whose address is never taken are logical variables ([`cells`]); what lies behind
//! pointers is a [`MemoryModel`]'s: [`Partitioned`] cuts memory into parts with the facts of an alias
//! analysis ([`Aliases`]). Whatever is not encoded is a [`NotEncoded`] error: a formula is never
//! silently wrong.
//!
//! Runs end where the interpreter ends them: at divisions without a result and at accesses outside
//! of objects. So the formula of an edge says that neither happens.

pub mod aliases;
pub mod block;
pub mod cells;
pub mod draft;
pub mod execution;
pub mod interval;
pub mod memory;
pub mod path;
pub mod scalar;
pub mod ssa;
pub mod uninterpreted;

mod bits;
mod edge;
mod expr;
mod int;

pub use aliases::{Aliases, Everything, Object, Offset, Target, Targets};
pub use block::Block;
pub use execution::{Execution, Move};
pub use interval::Interval;
pub use memory::{
    HeldMemory, Layout, MemoryModel, MemoryOptions, PartitionError, Partitioned, PlainVariables,
    allocated_size,
};
pub use path::{Frame, PathEncoder, PathStep, in_scope};
pub use ssa::Ssa;
pub use uninterpreted::{Meaning, Uninterpreted};

use crate::term::{Symbol, Term};
use cells::Cells;
use draft::Wraps;
use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::program::Program;

/// What terms range over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Theory {
    /// Mathematical integers with wrap-around.
    Int,
    /// Bit-vectors and floating-point numbers.
    Bits,
}

/// Something that the encoding does not have.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NotEncoded {
    /// Of memory behind pointers.
    #[error("not encoded: {0}")]
    Memory(String),
    /// Members in the same place.
    #[error("not encoded: the union `{0}`")]
    Union(String),
    /// A call.
    #[error("not encoded: {0}")]
    Call(String),
    /// Another operation.
    #[error("not encoded: {0}")]
    Operation(String),
    /// A use of a type.
    #[error("not encoded: {0}")]
    Type(String),
    /// A graph with a loop in it, at this location.
    #[error("not encoded: a loop through location {0} inside a block")]
    Loop(usize),
    /// The budget was used up.
    #[error("not encoded: {0}")]
    Exhausted(#[from] Exhausted),
}

/// A variable of a formula that is no variable of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Auxiliary {
    /// Its symbol.
    pub symbol: Symbol,
    /// The term that has its one possible value; `None` if it can have any.
    pub witness: Option<Term>,
}

/// Encodes one program in one theory.
pub struct Encoder<'p> {
    program: &'p Program,
    theory: Theory,
    memory: Box<dyn MemoryModel + 'p>,
    cells: Cells,
    functions: Uninterpreted,
    wraps: Wraps,
    budget: Budget,
}

impl<'p> Encoder<'p> {
    /// An encoder without memory behind pointers. One encoder works with one arena.
    pub fn new(program: &'p Program, theory: Theory) -> Self {
        Self::with_memory(program, theory, Box::new(PlainVariables))
    }

    /// An encoder with a model of memory.
    pub fn with_memory(
        program: &'p Program,
        theory: Theory,
        memory: Box<dyn MemoryModel + 'p>,
    ) -> Self {
        Self {
            program,
            theory,
            memory,
            cells: Cells::default(),
            functions: Uninterpreted::default(),
            wraps: Wraps::default(),
            budget: Budget::unlimited(),
        }
    }

    /// Makes what is encoded from here on use a budget.
    pub fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// What is assumed about memory, for people. More may come while formulas are made.
    pub fn assumptions(&self) -> Vec<String> {
        self.memory.assumptions()
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The theory.
    pub fn theory(&self) -> Theory {
        self.theory
    }

    /// What the function symbols of formulas stand for.
    pub fn functions(&self) -> &Uninterpreted {
        &self.functions
    }
}
