//! What lies behind pointers, for the encoding.
//!
//! The encoding itself knows only variables whose address is never taken. Everything else, a
//! dereference, an address, a variable that pointers may reach, is asked of a [`MemoryModel`], which
//! partitions memory with facts from an alias analysis. [`PlainVariables`] is the model that has no
//! memory: what it is asked for is not encoded, which is an error and never a wrong formula.

use super::NotEncoded;
use super::draft::{Draft, Operand};
use crate::term::Term;
use gnomon_ir::expr::{ExprId, PlaceId};
use gnomon_ir::program::VarId;
use gnomon_ir::types::TypeId;

/// Encodes what is not a plain variable. Every method may say that it does not.
pub trait MemoryModel {
    /// Reads a scalar in a place that is behind a pointer or in a variable whose address is taken.
    fn read(&mut self, draft: &mut Draft<'_>, place: PlaceId) -> Result<Operand, NotEncoded> {
        let _ = draft;
        Err(NotEncoded::Memory(format!("a read of {place:?}")))
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

    /// Copies a record or array between places, at least one of which is such a place.
    fn copy(&mut self, draft: &mut Draft<'_>, to: PlaceId, from: ExprId) -> Result<(), NotEncoded> {
        let _ = (draft, from);
        Err(NotEncoded::Memory(format!("a copy to {to:?}")))
    }

    /// Any value for such a place.
    fn havoc(&mut self, draft: &mut Draft<'_>, place: PlaceId) -> Result<(), NotEncoded> {
        let _ = draft;
        Err(NotEncoded::Memory(format!("any value in {place:?}")))
    }

    /// The address of a place.
    fn address(&mut self, draft: &mut Draft<'_>, place: PlaceId) -> Result<Term, NotEncoded> {
        let _ = draft;
        Err(NotEncoded::Memory(format!("the address of {place:?}")))
    }

    /// A pointer expression that is no address: moved pointers, differences, functions.
    fn pointer(&mut self, draft: &mut Draft<'_>, expr: ExprId) -> Result<Operand, NotEncoded> {
        let _ = draft;
        Err(NotEncoded::Memory(format!("the pointer expression {expr:?}")))
    }

    /// The lifetime of a variable whose address is taken begins.
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
    fn allocate(
        &mut self,
        draft: &mut Draft<'_>,
        pointer_type: TypeId,
        size: ExprId,
    ) -> Result<Operand, NotEncoded> {
        let _ = (draft, pointer_type, size);
        Err(NotEncoded::Memory("an allocation".into()))
    }
}

/// No memory but plain variables.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainVariables;

impl MemoryModel for PlainVariables {}
