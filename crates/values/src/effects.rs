//! What an operation may write that is not named: through pointers, and by functions without a body.
//!
//! Asked of [`gnomon_flow::mod_ref`], once for each edge.

use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_engine::facts::Facts;
use gnomon_flow::points_to::{CellId, ObjectKind};
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::FuncId;
use rustc_hash::FxHashMap;

use crate::slots::{Root, SlotId, Slots};

/// A part of a variable or of an allocated object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The object.
    pub root: Root,
    /// Which bytes of it.
    pub bytes: Bytes,
}

/// Some bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bytes {
    /// From one on, up to another one.
    Between(u64, u64),
    /// Those of a cell of the analysis of pointers that stands for several places, in the elements of an
    /// array.
    Cell(CellId),
}

/// What edges may write.
pub struct Effects<'a> {
    facts: &'a Facts<'a>,
    known: FxHashMap<(FuncId, EdgeId), Rc<[Written]>>,
    /// By cell: how many slots were looked at, and those that may be in it.
    in_cell: FxHashMap<CellId, (usize, Vec<SlotId>)>,
}

impl<'a> Effects<'a> {
    /// By the facts about a program.
    pub fn new(facts: &'a Facts<'a>) -> Self {
        Self { facts, known: FxHashMap::default(), in_cell: FxHashMap::default() }
    }

    /// The bytes that an edge may write, with all that it calls.
    pub fn of(
        &mut self,
        func: FuncId,
        edge: EdgeId,
        budget: &Budget,
    ) -> Result<Rc<[Written]>, Exhausted> {
        if let Some(known) = self.known.get(&(func, edge)) {
            return Ok(known.clone());
        }
        let (program, points_to) = (self.facts.program(), self.facts.points_to());
        let objects = points_to.objects();
        let effects = self.facts.mod_ref(budget)?.edge_effects(program, points_to, func, edge);
        let written = effects.writes.iter().filter_map(|cell| {
            let cell = CellId(cell);
            let owner = objects.owner(cell);
            let root = match objects.get(owner).kind {
                ObjectKind::Variable(var) => Root::Var(var),
                ObjectKind::Allocated { .. } => Root::Allocated(owner),
                _ => return None,
            };
            let bytes = objects.cell_bytes(cell);
            let bytes = match bytes.repeated {
                true => Bytes::Cell(cell),
                false => Bytes::Between(bytes.start, bytes.end),
            };
            Some(Written { root, bytes })
        });
        let written: Rc<[Written]> = written.collect();
        self.known.insert((func, edge), written.clone());
        Ok(written)
    }

    /// The slots that may be in a cell, of those that were met of its object. What was found is kept:
    /// slots are never fewer.
    pub fn slots_in(&mut self, slots: &Slots<'_>, root: Root, cell: CellId) -> &[SlotId] {
        let objects = self.facts.points_to().objects();
        let owner = objects.owner(cell);
        let of_root = slots.of_root(root);
        let (seen, found) = self.in_cell.entry(cell).or_default();
        for &id in &of_root[*seen..] {
            let slot = slots.get(id);
            let (first, behind) = (slot.start / 8, (slot.start + slot.length).div_ceil(8));
            if objects.cells_of_bytes(owner, first, behind - first).contains(&cell) {
                found.push(id);
            }
        }
        *seen = of_root.len();
        found
    }
}
