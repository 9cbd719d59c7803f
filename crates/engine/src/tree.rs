//! The reachability tree of lazy abstraction (LA 4): nodes, what waits, what covers what.
//!
//! A node is a place with the region over predicates in which the program can be there. It waits
//! to be expanded, is expanded, is covered by an older node of the same place whose region contains
//! its own, or by several together, or was removed. Nodes are numbered in the order in which they were made, which is LA's
//! time stamp.

use std::collections::BTreeSet;
use std::rc::Rc;

use gnomon_bdd::{Bdd, BddError};
use rustc_hash::FxHashMap;

use crate::blocks::Block;
use crate::control::ControlId;

gnomon_ir::ids! {
    /// A node of the tree.
    NodeId "n";
}

/// In which order nodes are expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// The youngest first.
    Depth,
    /// Those that are the fewest blocks away from the root first.
    #[default]
    Breadth,
    /// Those that are the fewest steps of the program away from the root first.
    Shortest,
}

/// What a node is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is to be expanded.
    Waiting,
    /// Its successors are there.
    Expanded,
    /// Another node has all of its states, or several that this is the first of.
    CoveredBy(NodeId),
    /// It was thrown away.
    Removed,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where the program is.
    pub place: ControlId,
    /// In which states.
    pub region: Bdd,
    /// The node before it, and the block between them.
    pub parent: Option<(NodeId, Rc<Block>)>,
    /// What it is doing.
    pub status: Status,
    children: Vec<NodeId>,
    covers: Vec<NodeId>,
    /// By the order of the tree: what is expanded first.
    distance: u64,
}

/// The tree.
#[derive(Debug)]
pub struct Tree {
    order: Order,
    nodes: Vec<Node>,
    waiting: BTreeSet<(u64, NodeId)>,
    at_place: FxHashMap<ControlId, Vec<NodeId>>,
}

/// The root of every tree.
pub const ROOT: NodeId = NodeId(0);

impl Tree {
    /// A tree that is only its root.
    pub fn new(order: Order, place: ControlId, region: Bdd) -> Self {
        let mut tree = Self {
            order,
            nodes: Vec::new(),
            waiting: BTreeSet::new(),
            at_place: FxHashMap::default(),
        };
        tree.add(place, region, None);
        tree
    }

    /// A node.
    pub fn get(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    fn get_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// How many nodes were made, removed ones included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many places nodes have had.
    pub fn places(&self) -> usize {
        self.at_place.len()
    }

    /// Whether there is no node: never.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes that were not removed.
    pub fn present(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|n| n.status != Status::Removed)
    }

    /// All nodes that were not removed, in the order in which they were made.
    pub fn present_ids(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        let nodes = (0..).map(NodeId).zip(&self.nodes);
        nodes.filter(|(_, n)| n.status != Status::Removed)
    }

    /// The blocks by which a node has successors.
    pub fn blocks_behind(&self, id: NodeId) -> Vec<u32> {
        let of = |child: &NodeId| self.get(*child).parent.as_ref().map(|(_, block)| block.id);
        self.get(id).children.iter().filter_map(of).collect()
    }

    /// Adds a node that waits.
    pub fn add(&mut self, place: ControlId, region: Bdd, parent: Option<(NodeId, Rc<Block>)>) {
        let id = NodeId(self.nodes.len() as u32);
        let distance = match (self.order, &parent) {
            (Order::Depth, _) => u64::MAX - u64::from(id.0),
            (_, None) => 0,
            (Order::Breadth, Some((parent, _))) => self.get(*parent).distance + 1,
            (Order::Shortest, Some((parent, block))) => {
                self.get(*parent).distance + u64::from(block.steps)
            }
        };
        if let Some((parent, _)) = &parent {
            self.get_mut(*parent).children.push(id);
        }
        let status = Status::Waiting;
        let (children, covers) = (Vec::new(), Vec::new());
        self.nodes.push(Node { place, region, parent, status, children, covers, distance });
        self.at_place.entry(place).or_default().push(id);
        self.wait(id);
    }

    /// Makes a node wait.
    pub fn wait(&mut self, id: NodeId) {
        let node = self.get_mut(id);
        node.status = Status::Waiting;
        let distance = node.distance;
        self.waiting.insert((distance, id));
    }

    /// The next node that waits; from now on it counts as expanded.
    pub fn next_waiting(&mut self) -> Option<NodeId> {
        while let Some((_, id)) = self.waiting.pop_first() {
            if self.get(id).status == Status::Waiting {
                self.get_mut(id).status = Status::Expanded;
                return Some(id);
            }
        }
        None
    }

    /// Whether something waits.
    pub fn has_waiting(&self) -> bool {
        self.waiting.iter().any(|(_, id)| self.get(*id).status == Status::Waiting)
    }

    /// Covers a node by an older one, if there is one that contains it, or by several that contain it
    /// together.
    pub fn cover(&mut self, id: NodeId) -> Result<bool, BddError> {
        let (place, region) = (self.get(id).place, self.get(id).region.clone());
        let Some(others) = self.at_place.get(&place) else { return Ok(false) };
        let mut together: Option<(Bdd, Vec<NodeId>)> = None;
        for &other in others.iter().take_while(|other| other.0 < id.0) {
            let candidate = self.get(other);
            if !matches!(candidate.status, Status::Expanded | Status::Waiting) {
                continue;
            }
            let shared = region.and(&candidate.region)?;
            if shared.is_false() {
                continue;
            }
            let (states, all) = match together.take() {
                _ if shared == region => (shared, vec![other]),
                None => (shared, vec![other]),
                Some((states, mut all)) => {
                    all.push(other);
                    (states.or(&shared)?, all)
                }
            };
            if states == region {
                self.get_mut(id).status = Status::CoveredBy(all[0]);
                for other in all {
                    self.get_mut(other).covers.push(id);
                }
                return Ok(true);
            }
            together = Some((states, all));
        }
        Ok(false)
    }

    /// The nodes from the root to one, and the blocks between them.
    pub fn branch(&self, end: NodeId) -> (Vec<NodeId>, Vec<Rc<Block>>) {
        let (mut nodes, mut blocks) = (vec![end], Vec::new());
        let mut at = end;
        while let Some((parent, block)) = &self.get(at).parent {
            blocks.push(block.clone());
            nodes.push(*parent);
            at = *parent;
        }
        nodes.reverse();
        blocks.reverse();
        (nodes, blocks)
    }

    /// Gives a node a smaller region. What it covered is covered no more.
    pub fn shrink(&mut self, id: NodeId, region: Bdd) {
        self.get_mut(id).region = region;
        let uncovered = std::mem::take(&mut self.get_mut(id).covers);
        self.uncover(uncovered);
    }

    /// Makes nodes wait that are covered no more.
    fn uncover(&mut self, nodes: Vec<NodeId>) {
        for id in nodes {
            // It may have been removed since, or uncovered by another node.
            if matches!(self.get(id).status, Status::CoveredBy(_)) {
                self.wait(id);
            }
        }
    }

    /// Removes a node with everything below it.
    pub fn remove(&mut self, id: NodeId) {
        if let Some((parent, _)) = self.get(id).parent.clone() {
            self.get_mut(parent).children.retain(|child| *child != id);
        }
        let (mut removed, mut uncovered) = (vec![id], Vec::new());
        while let Some(id) = removed.pop() {
            if let Status::CoveredBy(by) = self.get(id).status {
                self.get_mut(by).covers.retain(|covered| *covered != id);
            }
            let node = self.get_mut(id);
            node.status = Status::Removed;
            removed.append(&mut node.children);
            uncovered.append(&mut node.covers);
            let place = node.place;
            if let Some(list) = self.at_place.get_mut(&place) {
                list.retain(|other| *other != id);
            }
        }
        self.uncover(uncovered);
    }

    /// Throws everything away but the root.
    pub fn begin_again(&mut self) {
        for child in self.get(ROOT).children.clone() {
            self.remove(child);
        }
        self.wait(ROOT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_bdd::BddSpace;

    #[test]
    fn several_nodes_cover_together_until_one_is_gone() {
        let space = BddSpace::new(1 << 10).expect("room");
        let bits = space.add_variables(2).expect("room");
        let [a, b] = [bits[0], bits[1]].map(|bit| space.variable(bit).expect("a variable"));
        let place = ControlId(1);
        let mut tree = Tree::new(Order::Breadth, ControlId(0), space.top());
        let regions = [&a, &a.not().expect("room"), &b];
        for region in regions {
            tree.add(place, region.clone(), None);
        }
        let (first, second, third) = (NodeId(1), NodeId(2), NodeId(3));
        assert!(!tree.cover(first).expect("room") && !tree.cover(second).expect("room"));
        assert!(tree.cover(third).expect("room"), "b is in a or not a");
        assert_eq!(tree.get(third).status, Status::CoveredBy(first));
        tree.remove(second);
        assert_eq!(tree.get(third).status, Status::Waiting, "b and not a is nowhere else");
        assert!(!tree.cover(third).expect("room"));
        tree.remove(third);
        tree.shrink(first, a.and(&b).expect("room"));
        assert_eq!(tree.get(third).status, Status::Removed, "what is gone stays away");
    }
}
