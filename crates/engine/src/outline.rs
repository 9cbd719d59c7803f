//! The reachability tree for people: what was explored when exploration ended.

use gnomon_ir::cfa::LocId;
use gnomon_ir::program::FuncId;

/// A node of a tree. Nodes are numbered in the order in which they are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineNode {
    /// The node before it; none for the root.
    pub parent: Option<usize>,
    /// The function it is in.
    pub func: FuncId,
    /// Where in it.
    pub loc: LocId,
    /// The states in which the program can be there, over the predicates of the place.
    pub region: String,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// What follows it is in the tree.
    Expanded,
    /// It was still to be expanded.
    Waiting,
    /// This node has all of its states.
    CoveredBy(usize),
}
