//! The parts of which a value of a type consists, as the steps from the start of the value to
//! each: how records and arrays are copied.

use std::rc::Rc;

use gnomon_ir::program::Program;
use gnomon_ir::types::TypeId;
use rustc_hash::FxHashMap;

use super::layout::{Layout, Leaf};

/// The parts of values by type, in the order of the cells of a variable of the type.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeavesOfTypes {
    of: FxHashMap<TypeId, Rc<[Leaf]>>,
}

impl LeavesOfTypes {
    /// Of all types of a program.
    pub(crate) fn new(program: &Program) -> Self {
        let mut of = FxHashMap::default();
        for number in 0..program.types.len() {
            let ty = TypeId(number as u32);
            of.insert(ty, Layout::of_variable(&program.types, ty).leaves().into());
        }
        Self { of }
    }

    /// The parts of a value of the type.
    pub(crate) fn of(&self, ty: TypeId) -> Rc<[Leaf]> {
        self.of.get(&ty).cloned().unwrap_or_else(|| Rc::new([]))
    }
}
