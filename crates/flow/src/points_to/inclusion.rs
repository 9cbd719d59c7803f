//! The inclusion-based solver (Andersen): `to = from` makes the set of `to` include that of `from`.
//!
//! Sets travel along copy edges as differences. Nodes are taken in waves, in topological order of
//! the copy edges, after cycles have been merged into single nodes (wave propagation, Pereira and
//! Berlin, CGO 2009; a wave here also applies loads, stores and moves at once, and merges cycles
//! only when enough edges are new). Loads and stores add copy edges when a pointer arrives, calls
//! through pointers bind when a function arrives, so the call graph is found on the way.
//!
//! All that escaped holds the same: what the outside knows. A pointer to the outside stands for a
//! pointer to anywhere in anything that escaped, so the outside holds just that one pointer, and
//! cells of objects that escaped are merged with its contents.
//!
//! Accesses anywhere in an object of several cells go through two more nodes of the object: one
//! that flows into all its cells, one that all cells flow into.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use rustc_hash::FxHashMap;

use super::binding::Model;
use super::objects::{ObjectId, ObjectKind, Objects};
use super::sink::{CallInfo, NodeId, Sink};
use super::solution::Solution;
use super::spot::{Spot, Step};
use crate::sparse_set::SparseSet;

/// More pointers into one object than this from arithmetic, and further ones point anywhere in it:
/// a pointer that is moved in a loop would make one for every byte.
const MAX_MOVED: u32 = 16;

/// What happens with the pointers that a node holds.
#[derive(Clone, Debug)]
enum Use {
    Load { bytes: u64, to: u32 },
    Store { bytes: u64, from: u32 },
    Step { step: Step, to: u32 },
    Call(Rc<CallInfo>),
}

#[derive(Clone, Debug, Default)]
struct Node {
    set: SparseSet,
    /// The part of the set that was not handed on yet.
    new: SparseSet,
    /// Copy edges; may name nodes that were merged.
    next: SparseSet,
    uses: Vec<Use>,
}

/// Why a solver gave up.
pub(crate) enum Stopped {
    /// The budget is used up.
    Exhausted(Exhausted),
    /// It took more work than it was allowed.
    TooMuchWork,
}

impl From<Exhausted> for Stopped {
    fn from(exhausted: Exhausted) -> Self {
        Stopped::Exhausted(exhausted)
    }
}

/// The solver.
pub(crate) struct Inclusion<'a> {
    objects: &'a Objects,
    nodes: Vec<Node>,
    /// Union-find over nodes that are merged.
    parent: Vec<u32>,
    pointers: Vec<(ObjectId, Spot)>,
    pointer_ids: FxHashMap<(ObjectId, Spot), u32>,
    /// By object, how many exact pointers arithmetic made.
    moved: Vec<u32>,
    /// By object: the node that flows into all its cells, and the one that they flow into.
    spread: Vec<Option<u32>>,
    gather: Vec<Option<u32>>,
    escaped: Vec<bool>,
    /// Position in the current wave, and the nodes that wait for this wave and the next.
    order: Vec<u32>,
    position: u32,
    waiting: BinaryHeap<Reverse<(u32, u32)>>,
    next_wave: Vec<u32>,
    is_waiting: Vec<bool>,
    new_edges: usize,
    /// The node that the contents of the outside are merged into.
    outside: u32,
    /// Calls whose callee was found and that are not bound yet.
    to_bind: Vec<(Rc<CallInfo>, ObjectId)>,
    to_escape: Vec<ObjectId>,
    work: u64,
}

impl<'a> Inclusion<'a> {
    /// With a node for each cell.
    pub(crate) fn new(objects: &'a Objects) -> Self {
        let count = objects.cell_count();
        let mut solver = Self {
            objects,
            nodes: Vec::new(),
            parent: Vec::new(),
            pointers: Vec::new(),
            pointer_ids: FxHashMap::default(),
            moved: vec![0; objects.len()],
            spread: vec![None; objects.len()],
            gather: vec![None; objects.len()],
            escaped: vec![false; objects.len()],
            order: Vec::new(),
            position: 0,
            waiting: BinaryHeap::new(),
            next_wave: Vec::new(),
            is_waiting: Vec::new(),
            new_edges: 0,
            outside: NodeId::OUTSIDE.0,
            to_bind: Vec::new(),
            to_escape: Vec::new(),
            work: 0,
        };
        for _ in 0..count {
            solver.fresh();
        }
        solver
    }

    /// Solves the constraints.
    pub(crate) fn solve(
        mut self,
        model: &Model<'_>,
        max_work: u64,
        budget: &Budget,
    ) -> Result<Solution, Stopped> {
        loop {
            self.bind_found(model);
            if self.next_wave.is_empty() {
                break;
            }
            if self.new_edges * 50 > self.nodes.len() || self.order.is_empty() {
                self.merge_cycles(budget)?;
                self.new_edges = 0;
            }
            self.position = 0;
            for node in std::mem::take(&mut self.next_wave) {
                self.is_waiting[node as usize] = false;
                let node = self.find(node);
                self.is_waiting[node as usize] = true;
                let at = self.order_of(node);
                self.waiting.push(Reverse((at, node)));
            }
            budget.report("points-to", format_args!("{} pointers wait", self.waiting.len()));
            while let Some(Reverse((at, node))) = self.waiting.pop() {
                budget.check()?;
                if self.work > max_work {
                    return Err(Stopped::TooMuchWork);
                }
                self.position = at;
                if std::mem::replace(&mut self.is_waiting[node as usize], false) {
                    let node = self.find(node);
                    self.process(node);
                }
            }
            // What is found between waves waits for the next one.
            self.position = u32::MAX;
        }
        Ok(self.finish())
    }

    fn finish(mut self) -> Solution {
        let count = self.nodes.len();
        let mut number = vec![u32::MAX; count];
        let (mut sets, mut set_of) = (vec![SparseSet::new()], Vec::with_capacity(count));
        for node in 0..count as u32 {
            let root = self.find(node) as usize;
            if number[root] == u32::MAX {
                let set = std::mem::take(&mut self.nodes[root].set);
                number[root] = if set.is_empty() { 0 } else { sets.len() as u32 };
                if !set.is_empty() {
                    sets.push(set);
                }
            }
            set_of.push(number[root]);
        }
        let Self { pointers, escaped, work, .. } = self;
        Solution { pointers, sets, set_of, escaped, work }
    }

    fn find(&mut self, mut node: u32) -> u32 {
        while self.parent[node as usize] != node {
            let next = self.parent[node as usize];
            self.parent[node as usize] = self.parent[next as usize];
            node = next;
        }
        node
    }

    fn order_of(&self, node: u32) -> u32 {
        self.order.get(node as usize).copied().unwrap_or(u32::MAX)
    }

    fn wait(&mut self, node: u32) {
        if std::mem::replace(&mut self.is_waiting[node as usize], true) {
            return;
        }
        let at = self.order_of(node);
        if at > self.position && !self.order.is_empty() {
            self.waiting.push(Reverse((at, node)));
        } else {
            self.next_wave.push(node);
        }
    }

    fn pointer(&mut self, object: ObjectId, spot: Spot) -> u32 {
        let key = (object, if object == Objects::OUTSIDE { Spot::Any } else { spot });
        if let Some(&known) = self.pointer_ids.get(&key) {
            return known;
        }
        let id = self.pointers.len() as u32;
        self.pointers.push(key);
        self.pointer_ids.insert(key, id);
        id
    }

    /// The pointer after a step.
    fn moved(&mut self, pointer: u32, step: Step) -> u32 {
        let (object, spot) = self.pointers[pointer as usize];
        let mut moved = spot.step(self.objects.layout_of(object), step);
        if moved == spot {
            return pointer;
        }
        if let (Step::Move(_), Spot::Exact(_)) = (step, moved)
            && !self.pointer_ids.contains_key(&(object, moved))
        {
            self.moved[object.0 as usize] += 1;
            if self.moved[object.0 as usize] > MAX_MOVED {
                moved = Spot::Any;
            }
        }
        self.pointer(object, moved)
    }

    /// Notes what escaped by arriving at the outside, which stands for it from then on.
    fn escape(&mut self, pointers: &SparseSet) {
        for pointer in pointers.iter() {
            let (object, _) = self.pointers[pointer as usize];
            if !std::mem::replace(&mut self.escaped[object.0 as usize], true) {
                self.to_escape.push(object);
            }
        }
    }

    fn add_pointer(&mut self, pointer: u32, to: u32) {
        let to = self.find(to);
        if to == self.outside && self.pointers[pointer as usize].0 != Objects::OUTSIDE {
            self.escape(&SparseSet::from_iter([pointer]));
            return;
        }
        let node = &mut self.nodes[to as usize];
        if node.set.insert(pointer) {
            node.new.insert(pointer);
            self.wait(to);
        }
    }

    fn add_set(&mut self, set: &SparseSet, to: u32) {
        self.work += 1 + set.word_count() as u64;
        if to == self.outside {
            self.escape(set);
            return;
        }
        let node = &mut self.nodes[to as usize];
        let new = node.set.union_difference(set);
        if !new.is_empty() {
            if node.new.is_empty() {
                node.new = new;
            } else {
                node.new.union_with(&new);
            }
            self.wait(to);
        }
    }

    fn add_edge(&mut self, from: u32, to: u32) {
        let (from, to) = (self.find(from), self.find(to));
        self.work += 1;
        if from == to || !self.nodes[from as usize].next.insert(to) {
            return;
        }
        self.new_edges += 1;
        let set = std::mem::take(&mut self.nodes[from as usize].set);
        self.add_set(&set, to);
        self.nodes[from as usize].set = set;
    }

    fn add_use(&mut self, node: u32, wanted: Use) {
        let node = self.find(node);
        let known: Vec<u32> = self.nodes[node as usize].set.iter().collect();
        for pointer in known {
            self.apply(pointer, &wanted);
        }
        // The pointers came before the use, or another use of the node was found on the way.
        let node = self.find(node);
        self.nodes[node as usize].uses.push(wanted);
    }

    /// Hands on what is new at a node.
    fn process(&mut self, node: u32) {
        let new = std::mem::take(&mut self.nodes[node as usize].new);
        if new.is_empty() {
            return;
        }
        let uses = std::mem::take(&mut self.nodes[node as usize].uses);
        for wanted in &uses {
            for pointer in new.iter() {
                self.apply(pointer, wanted);
            }
        }
        let kept = &mut self.nodes[node as usize].uses;
        let added = std::mem::replace(kept, uses);
        kept.extend(added);
        let next = std::mem::take(&mut self.nodes[node as usize].next);
        for to in next.iter() {
            let to = self.find(to);
            if to != node {
                self.add_set(&new, to);
            }
        }
        let kept = &mut self.nodes[node as usize].next;
        let added = std::mem::replace(kept, next);
        kept.union_with(&added);
    }

    fn apply(&mut self, pointer: u32, wanted: &Use) {
        self.work += 1;
        let (object, spot) = self.pointers[pointer as usize];
        match wanted {
            &Use::Step { step, to } => {
                let moved = self.moved(pointer, step);
                self.add_pointer(moved, to);
            }
            &Use::Load { bytes, to } => {
                for from in self.touched(object, spot, bytes, Self::gather_of) {
                    self.add_edge(from, to);
                }
            }
            &Use::Store { bytes, from } => {
                for to in self.touched(object, spot, bytes, Self::spread_of) {
                    self.add_edge(from, to);
                }
            }
            Use::Call(call) => self.to_bind.push((Rc::clone(call), object)),
        }
    }

    /// The nodes that an access through a pointer touches.
    fn touched(
        &mut self,
        object: ObjectId,
        spot: Spot,
        bytes: u64,
        everywhere: fn(&mut Self, ObjectId) -> Option<u32>,
    ) -> Vec<u32> {
        let mut cells = Vec::new();
        match spot.cells(self.objects.layout_of(object), bytes, &mut cells) {
            Some(()) => {
                for cell in &mut cells {
                    *cell = self.objects.cell(object, *cell).0;
                }
                cells
            }
            None => everywhere(self, object).into_iter().collect(),
        }
    }

    fn spread_of(&mut self, object: ObjectId) -> Option<u32> {
        let cells = self.objects.cells(object);
        if cells.len() <= 1 {
            return cells.map(|cell| cell.0).next();
        }
        if self.spread[object.0 as usize].is_none() {
            let node = self.fresh().0;
            self.spread[object.0 as usize] = Some(node);
            for cell in cells {
                self.add_edge(node, cell.0);
            }
        }
        self.spread[object.0 as usize]
    }

    fn gather_of(&mut self, object: ObjectId) -> Option<u32> {
        let cells = self.objects.cells(object);
        if cells.len() <= 1 {
            return cells.map(|cell| cell.0).next();
        }
        if self.gather[object.0 as usize].is_none() {
            let node = self.fresh().0;
            self.gather[object.0 as usize] = Some(node);
            for cell in cells {
                self.add_edge(cell.0, node);
            }
        }
        self.gather[object.0 as usize]
    }

    /// Binds the calls whose callees were found, and opens what escaped to the outside.
    fn bind_found(&mut self, model: &Model<'_>) {
        loop {
            for (call, object) in std::mem::take(&mut self.to_bind) {
                match self.objects.get(object).kind {
                    ObjectKind::Function(func) => model.bind(self, &call, func),
                    ObjectKind::Outside => model.bind_outside(self, &call),
                    _ => {}
                }
            }
            let mut members = Vec::new();
            for object in std::mem::take(&mut self.to_escape) {
                if let ObjectKind::Function(func) = self.objects.get(object).kind {
                    model.bind_from_outside(self, func);
                }
                members.extend(self.objects.cells(object).map(|cell| cell.0));
            }
            if !members.is_empty() {
                members.push(self.outside);
                for member in &mut members {
                    *member = self.find(*member);
                }
                members.sort_unstable();
                members.dedup();
                self.merge(&members);
            }
            if self.to_bind.is_empty() && self.to_escape.is_empty() {
                return;
            }
        }
    }

    /// Removes from a node that was merged into the outside what the outside stands for.
    fn only_outside(&mut self, node: &mut Node) {
        self.escape(&node.set);
        let pointers = &self.pointers;
        let kept = |pointer: u32| pointers[pointer as usize].0 == Objects::OUTSIDE;
        node.set.retain(kept);
        // The uses that came with the other nodes have not seen it.
        node.new = node.set.clone();
    }

    /// Merges the cycles of copy edges and sorts the nodes topologically (Tarjan's algorithm).
    fn merge_cycles(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        const UNSEEN: u32 = u32::MAX;
        let count = self.nodes.len();
        for node in 0..count as u32 {
            if self.find(node) == node {
                let next = std::mem::take(&mut self.nodes[node as usize].next);
                let roots: Vec<u32> = next.iter().map(|to| self.find(to)).collect();
                let unchanged = next.iter().eq(roots.iter().copied());
                let mut fresh = if unchanged { next } else { sorted_set(roots) };
                if fresh.contains(node) {
                    fresh.retain(|to| to != node);
                }
                self.nodes[node as usize].next = fresh;
            }
        }
        let (mut index, mut low) = (vec![UNSEEN; count], vec![0u32; count]);
        let mut open = vec![false; count];
        let mut finished: Vec<u32> = Vec::new();
        let mut cycles: Vec<Vec<u32>> = Vec::new();
        let mut stack: Vec<u32> = Vec::new();
        let mut path: Vec<(u32, Vec<u32>, usize)> = Vec::new();
        let mut next_index = 0;
        for root in 0..count as u32 {
            if self.parent[root as usize] != root || index[root as usize] != UNSEEN {
                continue;
            }
            let edges = self.nodes[root as usize].next.iter().collect();
            path.push((root, edges, 0));
            while let Some((node, edges, at)) = path.last_mut() {
                let here = *node as usize;
                if index[here] == UNSEEN {
                    budget.check()?;
                    (index[here], low[here]) = (next_index, next_index);
                    next_index += 1;
                    stack.push(*node);
                    open[here] = true;
                }
                if let Some(&to) = edges.get(*at) {
                    *at += 1;
                    if index[to as usize] == UNSEEN {
                        let edges = self.nodes[to as usize].next.iter().collect();
                        path.push((to, edges, 0));
                    } else if open[to as usize] {
                        low[here] = low[here].min(index[to as usize]);
                    }
                    continue;
                }
                path.pop();
                if let Some((parent, ..)) = path.last() {
                    let parent = *parent as usize;
                    low[parent] = low[parent].min(low[here]);
                }
                if low[here] == index[here] {
                    let start = stack.iter().rposition(|&n| n as usize == here).unwrap_or(0);
                    let members = stack.split_off(start);
                    for &member in &members {
                        open[member as usize] = false;
                    }
                    finished.push(here as u32);
                    if members.len() > 1 {
                        cycles.push(members);
                    }
                }
            }
        }
        self.order = vec![UNSEEN; count];
        for (at, &node) in finished.iter().rev().enumerate() {
            // Position 0 is where a wave begins.
            self.order[node as usize] = at as u32 + 1;
        }
        for cycle in cycles {
            self.merge(&cycle);
        }
        Ok(())
    }

    /// Makes one node of several; the first found root of the component keeps its place in the
    /// order.
    fn merge(&mut self, members: &[u32]) {
        let placed = |node: &&u32| self.order_of(**node) != u32::MAX;
        let keep = members.iter().find(placed).copied().unwrap_or(members[0]);
        let mut all = std::mem::take(&mut self.nodes[keep as usize]);
        let mut common = all.set.clone();
        for &member in members.iter().filter(|&&member| member != keep) {
            let node = std::mem::take(&mut self.nodes[member as usize]);
            self.parent[member as usize] = keep;
            self.work += (node.set.word_count() + all.set.word_count()) as u64;
            // What not all of them have handed on is new to the merged node.
            let missing = common.without(&node.set);
            common = common.without(&missing);
            all.set.union_with(&node.set);
            all.new.union_with(&node.new);
            all.next.union_with(&node.next);
            all.uses.extend(node.uses);
        }
        let unhanded = all.set.without(&common);
        all.new.union_with(&unhanded);
        if members.contains(&self.outside) {
            self.outside = keep;
            self.only_outside(&mut all);
        }
        let waits = !all.new.is_empty();
        self.nodes[keep as usize] = all;
        if waits && !std::mem::replace(&mut self.is_waiting[keep as usize], true) {
            self.next_wave.push(keep);
        }
    }
}

fn sorted_set(mut numbers: Vec<u32>) -> SparseSet {
    numbers.sort_unstable();
    numbers.into_iter().collect()
}

impl Sink for Inclusion<'_> {
    fn fresh(&mut self) -> NodeId {
        let id = self.nodes.len() as u32;
        self.nodes.push(Node::default());
        self.parent.push(id);
        self.is_waiting.push(false);
        NodeId(id)
    }

    fn copy(&mut self, from: NodeId, to: NodeId) {
        self.add_edge(from.0, to.0);
    }

    fn address(&mut self, object: ObjectId, spot: Spot, to: NodeId) {
        let pointer = self.pointer(object, spot);
        self.add_pointer(pointer, to.0);
    }

    fn load(&mut self, pointer: NodeId, bytes: u64, to: NodeId) {
        self.add_use(pointer.0, Use::Load { bytes, to: to.0 });
    }

    fn store(&mut self, from: NodeId, pointer: NodeId, bytes: u64) {
        self.add_use(pointer.0, Use::Store { bytes, from: from.0 });
    }

    fn step(&mut self, from: NodeId, step: Step, to: NodeId) {
        self.add_use(from.0, Use::Step { step, to: to.0 });
    }

    fn call(&mut self, pointer: NodeId, call: Rc<CallInfo>) {
        self.add_use(pointer.0, Use::Call(call));
    }
}
