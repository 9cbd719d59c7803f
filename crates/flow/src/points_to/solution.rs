//! What a solver found: for each node a set of pointers.

use super::objects::ObjectId;
use super::sink::NodeId;
use super::spot::Spot;
use crate::sparse_set::SparseSet;

/// What nodes hold.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    /// What the numbers in the sets stand for.
    pub pointers: Vec<(ObjectId, Spot)>,
    /// Sets of pointers; several nodes share one.
    pub sets: Vec<SparseSet>,
    /// By node.
    pub set_of: Vec<u32>,
    /// By object, whether code outside knows its address.
    pub escaped: Vec<bool>,
    /// How much the solver did: words of sets merged and constraints applied.
    pub work: u64,
}

impl Solution {
    /// The pointers that a node holds.
    pub(crate) fn of(&self, node: NodeId) -> &SparseSet {
        &self.sets[self.set_of[node.0 as usize] as usize]
    }
}
