//! What lies behind pointers, for the encoding.
//!
//! The encoding itself knows only variables whose address is never taken. Everything else, a
//! dereference, an address, a variable that pointers may reach, is asked of a [`MemoryModel`].
//! [`PlainVariables`] is the model that has no memory: what it is asked for is not encoded, which
//! is an error and never a wrong formula. [`Partitioned`] is the real one: it partitions memory
//! with facts from an alias analysis ([`Aliases`](super::Aliases)).

mod access;
mod atomics;
mod collect;
mod layout;
mod leaves;
mod library;
mod model;
mod names;
mod partition;
mod partitioned;
mod patterns;
mod pointees;
mod recursion;
mod start;
mod strings;

pub use access::allocated_size;
pub use layout::Layout;
pub use partitioned::{HeldMemory, MemoryOptions, PartitionError, Partitioned};

pub(super) use leaves::{Leaf, UnionMembers, leaves};

use super::NotEncoded;
use super::draft::{Draft, Operand};
use crate::term::{Term, Variable};
use gnomon_ir::cfa::{Call, EdgeId};
use gnomon_ir::expr::{ExprId, PlaceId};
use gnomon_ir::library::Library;
use gnomon_ir::program::{FuncId, Program, VarId};
use gnomon_ir::types::TypeId;

/// The scalars of a record or array: a value that is copied.
#[derive(Clone, Debug)]
pub struct Record {
    pub(super) leaves: Vec<Leaf>,
    /// One for each leaf.
    pub(super) values: Vec<Operand>,
    /// Bytes between the leaves that somebody may look at, by offset.
    pub(super) padding: Vec<(u64, Operand)>,
}

/// A value that is passed to a parameter.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A number or pointer.
    Scalar(Operand),
    /// A record.
    Record(Record),
}

/// The call of a function without a body.
#[derive(Clone, Copy, Debug)]
pub struct LibraryCall<'a> {
    /// The function that calls.
    pub caller: FuncId,
    /// The edge of the call.
    pub edge: EdgeId,
    /// The call.
    pub call: &'a Call,
    /// The name of what is called.
    pub name: &'a str,
    /// What it is.
    pub library: Library,
}

/// What a function of the library returns.
#[derive(Clone, Debug)]
pub enum Returned {
    /// Nothing, or any value.
    Any,
    /// A value of the type of the result.
    Value(Operand),
}

/// Encodes what is not a plain variable. Every method may say that it does not.
pub trait MemoryModel {
    /// Whether a variable is this model's: the others are plain variables.
    fn owns(&self, program: &Program, var: VarId) -> bool {
        program.vars[var].address_taken
    }

    /// Reads a scalar in a place that is behind a pointer or in a variable of this model.
    fn read(&mut self, draft: &mut Draft<'_>, place: PlaceId) -> Result<Operand, NotEncoded> {
        let _ = draft;
        Err(NotEncoded::Memory(format!("a read of {place:?}")))
    }

    /// Reads a scalar of a type at an address, in an object of the environment.
    fn read_outside(
        &mut self,
        draft: &mut Draft<'_>,
        address: Term,
        ty: TypeId,
    ) -> Result<Operand, NotEncoded> {
        let _ = (draft, address, ty);
        Err(NotEncoded::Memory("a read of the environment".into()))
    }

    /// Writes a scalar to such a place.
    fn write(
        &mut self,
        draft: &mut Draft<'_>,
        place: PlaceId,
        value: Operand,
    ) -> Result<(), NotEncoded> {
        let _ = (draft, value);
        Err(NotEncoded::Memory(format!("a write to {place:?}")))
    }

    /// The scalars of a type as this model copies it, without values.
    fn shape(&self, program: &Program, ty: TypeId) -> Result<Record, NotEncoded> {
        let leaves = leaves(program, &UnionMembers::default(), ty)?;
        Ok(Record { leaves, values: Vec::new(), padding: Vec::new() })
    }

    /// Reads a record or array in such a place.
    fn read_record(&mut self, draft: &mut Draft<'_>, place: PlaceId) -> Result<Record, NotEncoded> {
        let _ = draft;
        Err(NotEncoded::Memory(format!("a copy of {place:?}")))
    }

    /// Writes a record or array to such a place.
    fn write_record(
        &mut self,
        draft: &mut Draft<'_>,
        place: PlaceId,
        record: &Record,
    ) -> Result<(), NotEncoded> {
        let _ = (draft, record);
        Err(NotEncoded::Memory(format!("a copy to {place:?}")))
    }

    /// Any value for such a place.
    fn havoc(&mut self, draft: &mut Draft<'_>, place: PlaceId) -> Result<(), NotEncoded> {
        let _ = draft;
        Err(NotEncoded::Memory(format!("any value in {place:?}")))
    }

    /// The address of a place.
    fn address(&mut self, draft: &mut Draft<'_>, place: PlaceId) -> Result<Operand, NotEncoded> {
        let _ = draft;
        Err(NotEncoded::Memory(format!("the address of {place:?}")))
    }

    /// A pointer expression that is no address: moved pointers, differences, functions.
    fn pointer(&mut self, draft: &mut Draft<'_>, expr: ExprId) -> Result<Operand, NotEncoded> {
        let _ = draft;
        Err(NotEncoded::Memory(format!("the pointer expression {expr:?}")))
    }

    /// The address of a function.
    fn function(&mut self, draft: &mut Draft<'_>, func: FuncId) -> Result<Operand, NotEncoded> {
        let name = &draft.program.funcs[func].name;
        Err(NotEncoded::Memory(format!("the address of `{name}`")))
    }

    /// The program starts: variables of this model have their initial values.
    fn start(&mut self, draft: &mut Draft<'_>) -> Result<(), NotEncoded> {
        let _ = draft;
        Ok(())
    }

    /// A function is entered: its variables of this model begin to live. Gives what is to be
    /// restored when it is left.
    fn enter(
        &mut self,
        draft: &mut Draft<'_>,
        func: FuncId,
    ) -> Result<Vec<(Variable, u32)>, NotEncoded> {
        let _ = (draft, func);
        Ok(Vec::new())
    }

    /// Passes an argument to a parameter of this model.
    fn pass(
        &mut self,
        draft: &mut Draft<'_>,
        param: VarId,
        argument: &Argument,
    ) -> Result<(), NotEncoded> {
        let _ = argument;
        let name = &draft.program.vars[param].name;
        Err(NotEncoded::Memory(format!("the parameter `{name}`, whose address is taken")))
    }

    /// The lifetime of a variable of this model begins.
    fn declare(&mut self, draft: &mut Draft<'_>, var: VarId) -> Result<(), NotEncoded> {
        let name = &draft.program.vars[var].name;
        Err(NotEncoded::Memory(format!("`{name}`, whose address is taken")))
    }

    /// Any value in everything that can be reached from outside.
    fn havoc_all(&mut self, draft: &mut Draft<'_>) -> Result<(), NotEncoded> {
        let _ = draft;
        Err(NotEncoded::Memory("any value in all of memory".into()))
    }

    /// A new object that lives until the function returns.
    fn allocate(&mut self, draft: &mut Draft<'_>, size: ExprId) -> Result<Operand, NotEncoded> {
        let _ = (draft, size);
        Err(NotEncoded::Memory("an allocation".into()))
    }

    /// A function of the library that does something to memory.
    fn call(
        &mut self,
        draft: &mut Draft<'_>,
        call: &LibraryCall<'_>,
    ) -> Result<Returned, NotEncoded> {
        let _ = draft;
        Err(NotEncoded::Call(format!("the call of `{}`", call.name)))
    }

    /// What is assumed about memory, for people.
    fn assumptions(&self) -> Vec<String> {
        Vec::new()
    }
}

/// No memory but plain variables.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainVariables;

impl MemoryModel for PlainVariables {}
