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

use crate::slots::Root;

/// Bytes of a variable or of an allocated object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The object.
    pub root: Root,
    /// The first byte.
    pub start: u64,
    /// The first byte behind.
    pub end: u64,
}

/// What edges may write.
pub struct Effects<'a> {
    facts: &'a Facts<'a>,
    known: FxHashMap<(FuncId, EdgeId), Rc<[Written]>>,
}

impl<'a> Effects<'a> {
    /// By the facts about a program.
    pub fn new(facts: &'a Facts<'a>) -> Self {
        Self { facts, known: FxHashMap::default() }
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
            Some(match bytes.repeated {
                true => Written { root, start: 0, end: u64::MAX / 8 },
                false => Written { root, start: bytes.start, end: bytes.end },
            })
        });
        let written: Rc<[Written]> = written.collect();
        self.known.insert((func, edge), written.clone());
        Ok(written)
    }
}
