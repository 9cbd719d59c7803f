//! Counters of one loop: variables that the same loop changes by constants. How far they are from each
//! other often decides what holds behind it, also where no expression compares them.

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Cfa, LocId, Op};

use crate::model::{Access, Cell, Model};
use crate::order::{Order, Part};

/// Loops with more counters are left alone.
const MOST: usize = 6;

impl Model<'_> {
    /// The counters of each loop of a function, sorted; nothing of loops with one, or with many.
    pub(crate) fn counters(&self, body: &Cfa) -> Vec<Vec<Cell>> {
        let mut found = Vec::new();
        self.counters_of(body, &Order::of(body).parts, &mut found);
        found.retain(|cells| (2..=MOST).contains(&cells.len()));
        found
    }

    /// Adds the counters of all loops among parts; gives the locations of the parts.
    fn counters_of(&self, body: &Cfa, parts: &[Part], found: &mut Vec<Vec<Cell>>) -> Vec<LocId> {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Part::Vertex(loc) => all.push(*loc),
                Part::Loop(inner) => {
                    let mut inside = self.counters_of(body, &inner.body, found);
                    inside.push(inner.head);
                    found.push(self.counted_in(body, &inside));
                    all.extend(inside);
                }
            }
        }
        all
    }

    /// What edges between locations change by constants.
    fn counted_in(&self, body: &Cfa, locs: &[LocId]) -> Vec<Cell> {
        let mut is_inside = vec![false; body.loc_count()];
        for loc in locs {
            is_inside[loc.index()] = true;
        }
        let edges = locs.iter().flat_map(|loc| body.out_edges(*loc)).map(|edge| body.edge(*edge));
        let counted = edges.filter(|edge| is_inside[edge.to.index()]).filter_map(|edge| {
            let Op::Assign { dst, src } = &edge.op else { return None };
            let Access::Whole(cell) = self.access(*dst) else { return None };
            (self.linear_cell(*src) == Some(cell)).then_some(cell)
        });
        let mut cells: Vec<Cell> = counted.collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}
