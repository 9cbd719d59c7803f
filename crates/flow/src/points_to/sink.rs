//! What the constraints of a program are given to: the inclusion-based solver or the unifying one.

use std::rc::Rc;

use gnomon_ir::expr::ExprId;
use gnomon_ir::ids;
use gnomon_ir::types::TypeId;

use super::objects::{ObjectId, Site};
use super::spot::{Spot, Step};

ids! {
    /// Something that holds a value: the contents of a cell (with the cell's number), or a value
    /// that is computed.
    NodeId "n";
}

impl NodeId {
    /// The contents of what is outside the program.
    pub(crate) const OUTSIDE: NodeId = NodeId(0);
}

/// A call, for whoever turns out to be called.
#[derive(Clone, Debug)]
pub(crate) struct CallInfo {
    /// The edge; callbacks have the edge of the function that calls back.
    pub site: Site,
    /// For each argument its parts: one of a scalar that can hold a pointer, those of its layout
    /// of a record.
    pub args: Vec<Vec<NodeId>>,
    /// The arguments as they stand in the program; empty for callbacks.
    pub exprs: Box<[ExprId]>,
    /// The parts of the result.
    pub result: Vec<NodeId>,
    /// Its type where the call stands.
    pub result_ty: TypeId,
}

/// Takes constraints, before and while it solves them.
pub(crate) trait Sink {
    /// A new node.
    fn fresh(&mut self) -> NodeId;
    /// `to` holds all that `from` holds.
    fn copy(&mut self, from: NodeId, to: NodeId);
    /// `to` holds an address.
    fn address(&mut self, object: ObjectId, spot: Spot, to: NodeId);
    /// `to` holds what is in the `bytes` bytes behind the pointer.
    fn load(&mut self, pointer: NodeId, bytes: u64, to: NodeId);
    /// The `bytes` bytes behind the pointer hold what `from` holds.
    fn store(&mut self, from: NodeId, pointer: NodeId, bytes: u64);
    /// `to` holds the pointers of `from`, moved.
    fn step(&mut self, from: NodeId, step: Step, to: NodeId);
    /// The functions that the pointer points to are called.
    fn call(&mut self, pointer: NodeId, call: Rc<CallInfo>);

    /// A new node with the pointers of another one, moved.
    fn stepped(&mut self, from: NodeId, step: Step) -> NodeId {
        let to = self.fresh();
        self.step(from, step, to);
        to
    }
}
