//! Where pointers point, as far as checks of memory ask: this crate depends on no analysis, somebody
//! who has one implements [`Pointers`].

use gnomon_ir::cfa::EdgeId;
use gnomon_ir::expr::ExprId;
use gnomon_ir::program::{FuncId, Program, VarId};

/// Something that a pointer can point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    /// A variable.
    Variable(VarId),
    /// The objects that an edge of the program allocates.
    Allocated(FuncId, EdgeId),
    /// A function: nothing can be read or written there.
    Function(FuncId),
}

/// An object, and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pointee {
    /// The object.
    pub object: Object,
    /// The bytes from its beginning, if these are the only ones.
    pub offset: Option<u64>,
}

/// An analysis of pointers.
pub trait Pointers {
    /// Where an expression of pointer type may point. Null, and pointers to nothing, are always
    /// possible. `None` if it may point to objects that the program does not name.
    fn pointees(&self, program: &Program, pointer: ExprId) -> Option<Vec<Pointee>>;

    /// Whether a pointer to a local variable, or to what was allocated on the stack, can be there when
    /// its function has returned, or its function can be open twice.
    fn may_outlive(&self, object: Object) -> bool;

    /// Whether an edge is taken at most once in every run.
    fn at_most_once(&self, func: FuncId, edge: EdgeId) -> bool;
}
