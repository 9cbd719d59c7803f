//! The unifying solver (Steensgaard): `to = from` makes what both point to the same class, so each
//! class of values points to one class of objects and the whole takes almost linear time.
//!
//! Objects are not divided: all cells of an object are one value, and every pointer points
//! anywhere in its object. A class stands for its contents; an object is in the class that its
//! cells are in.

use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::program::FuncId;

use super::binding::Model;
use super::objects::{ObjectId, ObjectKind, Objects};
use super::sink::{CallInfo, NodeId, Sink};
use super::solution::Solution;
use super::spot::{Spot, Step};
use crate::sparse_set::SparseSet;

#[derive(Clone, Debug, Default)]
struct Class {
    /// The class of what the values of this one point to.
    pointee: Option<u32>,
    /// The functions in the class, and the calls of what is in the class.
    functions: Vec<FuncId>,
    calls: Vec<Rc<CallInfo>>,
}

/// The solver.
pub(crate) struct Unification<'a> {
    objects: &'a Objects,
    parent: Vec<u32>,
    classes: Vec<Class>,
    /// Functions have no cells: nodes that stand for them, by object.
    content: Vec<u32>,
    to_bind: Vec<(Rc<CallInfo>, FuncId)>,
    work: u64,
}

impl<'a> Unification<'a> {
    /// With a node for each cell.
    pub(crate) fn new(objects: &'a Objects) -> Self {
        let mut solver = Self {
            objects,
            parent: Vec::new(),
            classes: Vec::new(),
            content: Vec::with_capacity(objects.len()),
            to_bind: Vec::new(),
            work: 0,
        };
        for _ in 0..objects.cell_count() {
            solver.fresh();
        }
        for (id, object) in objects.iter() {
            let mut cells = objects.cells(id).map(|cell| cell.0);
            let content = match cells.next() {
                Some(first) => first,
                None => solver.fresh().0,
            };
            for cell in cells {
                solver.join(content, cell);
            }
            if let ObjectKind::Function(func) = object.kind {
                solver.classes[content as usize].functions.push(func);
            }
            solver.content.push(content);
        }
        solver
    }

    /// Solves the constraints.
    pub(crate) fn solve(
        mut self,
        model: &Model<'_>,
        budget: &Budget,
    ) -> Result<Solution, Exhausted> {
        let mut called_from_outside = vec![false; model.program.funcs.len()];
        let mut outside_calls = 0;
        loop {
            let before = (self.work, outside_calls);
            while let Some((call, func)) = self.to_bind.pop() {
                budget.check()?;
                model.bind(&mut self, &call, func);
            }
            let outside = self.find(NodeId::OUTSIDE.0) as usize;
            for func in self.classes[outside].functions.clone() {
                if !std::mem::replace(&mut called_from_outside[func.0 as usize], true) {
                    model.bind_from_outside(&mut self, func);
                }
            }
            let outside = self.find(NodeId::OUTSIDE.0) as usize;
            let calls = self.classes[outside].calls.clone();
            outside_calls = calls.len();
            for call in calls {
                budget.check()?;
                model.bind_outside(&mut self, &call);
            }
            if self.to_bind.is_empty() && before == (self.work, outside_calls) {
                break;
            }
        }
        Ok(self.finish())
    }

    fn finish(mut self) -> Solution {
        let count = self.parent.len();
        let mut members: Vec<SparseSet> = vec![SparseSet::new(); count];
        for (id, _) in self.objects.iter() {
            let class = self.find(self.content[id.0 as usize]) as usize;
            members[class].insert(id.0);
        }
        let outside = self.find(NodeId::OUTSIDE.0) as usize;
        let escaped = self.objects.iter().map(|(id, _)| members[outside].contains(id.0)).collect();
        let (mut sets, mut number) = (vec![SparseSet::new()], vec![u32::MAX; count]);
        let mut set_of = Vec::with_capacity(count);
        for node in 0..count as u32 {
            let class = self.find(node) as usize;
            let pointee = self.classes[class].pointee.map(|pointee| self.find(pointee) as usize);
            set_of.push(match pointee {
                None => 0,
                Some(pointee) => {
                    if number[pointee] == u32::MAX {
                        number[pointee] = sets.len() as u32;
                        sets.push(members[pointee].clone());
                    }
                    number[pointee]
                }
            });
        }
        let pointers = self.objects.iter().map(|(id, _)| (id, Spot::Any)).collect();
        Solution { pointers, sets, set_of, escaped, work: self.work }
    }

    fn find(&mut self, mut node: u32) -> u32 {
        while self.parent[node as usize] != node {
            let next = self.parent[node as usize];
            self.parent[node as usize] = self.parent[next as usize];
            node = next;
        }
        node
    }

    fn pointee(&mut self, node: u32) -> u32 {
        let node = self.find(node);
        if let Some(pointee) = self.classes[node as usize].pointee {
            return self.find(pointee);
        }
        let pointee = self.fresh().0;
        self.classes[node as usize].pointee = Some(pointee);
        pointee
    }

    /// Makes one class of two, and of what they point to.
    fn join(&mut self, a: u32, b: u32) {
        let mut pending = vec![(a, b)];
        while let Some((a, b)) = pending.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            self.work += 1;
            // The smaller number stays, so that the result does not depend on the order.
            let (keep, gone) = (a.min(b), a.max(b));
            let merged = std::mem::take(&mut self.classes[gone as usize]);
            self.parent[gone as usize] = keep;
            let class = &mut self.classes[keep as usize];
            match (class.pointee, merged.pointee) {
                (Some(x), Some(y)) => pending.push((x, y)),
                (None, Some(_)) => class.pointee = merged.pointee,
                _ => {}
            }
            for call in &merged.calls {
                self.to_bind.extend(class.functions.iter().map(|&f| (Rc::clone(call), f)));
            }
            for call in &class.calls {
                self.to_bind.extend(merged.functions.iter().map(|&f| (Rc::clone(call), f)));
            }
            class.functions.extend(merged.functions);
            class.calls.extend(merged.calls);
        }
    }
}

impl Sink for Unification<'_> {
    fn fresh(&mut self) -> NodeId {
        let id = self.parent.len() as u32;
        self.parent.push(id);
        self.classes.push(Class::default());
        NodeId(id)
    }

    fn copy(&mut self, from: NodeId, to: NodeId) {
        let (from, to) = (self.pointee(from.0), self.pointee(to.0));
        self.join(from, to);
    }

    fn address(&mut self, object: ObjectId, _spot: Spot, to: NodeId) {
        let pointee = self.pointee(to.0);
        self.join(pointee, self.content[object.0 as usize]);
    }

    fn load(&mut self, pointer: NodeId, _bytes: u64, to: NodeId) {
        let content = self.pointee(pointer.0);
        self.copy(NodeId(content), to);
    }

    fn store(&mut self, from: NodeId, pointer: NodeId, _bytes: u64) {
        let content = self.pointee(pointer.0);
        self.copy(from, NodeId(content));
    }

    fn step(&mut self, from: NodeId, _step: Step, to: NodeId) {
        self.copy(from, to);
    }

    fn call(&mut self, pointer: NodeId, call: Rc<CallInfo>) {
        let class = self.pointee(pointer.0);
        let found = &mut self.classes[class as usize];
        self.to_bind.extend(found.functions.iter().map(|&f| (Rc::clone(&call), f)));
        found.calls.push(call);
    }
}
