//! Which locations of a function can be passed more than once in a call of it.

use std::collections::BTreeSet;

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Cfa, LocId};
use gnomon_ir::program::{FuncId, Program};

/// The locations on cycles, by function.
pub struct Cycles {
    on_cycle: Vec<BTreeSet<LocId>>,
}

impl Cycles {
    /// Of all functions.
    pub fn of(program: &Program) -> Self {
        let on_cycle =
            program.funcs.iter().map(|f| f.body.as_ref().map_or_else(BTreeSet::new, cycles));
        Self { on_cycle: on_cycle.collect() }
    }

    /// Whether a location of the function lies on a cycle.
    pub fn contains(&self, func: FuncId, loc: LocId) -> bool {
        self.on_cycle.get(func.index()).is_some_and(|locs| locs.contains(&loc))
    }
}

/// Leaves out what no cycle passes: locations without an edge in, then without an edge out, until only
/// cycles and what lies between them is left. What lies between counts as on a cycle, which is
/// never wrong.
fn cycles(body: &Cfa) -> BTreeSet<LocId> {
    let mut left: BTreeSet<LocId> = body.locs().collect();
    loop {
        let before = left.len();
        let kept: BTreeSet<LocId> = left
            .iter()
            .copied()
            .filter(|&loc| {
                let has_in = body.in_edges(loc).iter().any(|&e| left.contains(&body.edge(e).from));
                let has_out = body.out_edges(loc).iter().any(|&e| left.contains(&body.edge(e).to));
                has_in && has_out
            })
            .collect();
        left = kept;
        if left.len() == before {
            return left;
        }
    }
}
