//! Which variables of a thread must survive while others run.
//!
//! A thread is a function that returns when it stops and is called again when it goes on. A variable
//! whose value may still be read where the thread goes on becomes a static variable; the others stay
//! local, and engines forget them at the end of each context.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{LocId, Op};
use gnomon_ir::expr::PlaceKind;
use gnomon_ir::program::{Program, VarId};

use crate::operands::{Access, for_each_place};

/// An edge with an operation of the model.
pub struct Flow<'a> {
    /// Where it starts.
    pub from: LocId,
    /// Where it leads.
    pub to: LocId,
    /// What happens.
    pub op: &'a Op,
}

/// Which variables are live where.
pub struct Live {
    index: BTreeMap<VarId, usize>,
    /// By location, the live variables as bits.
    live: Vec<Vec<u64>>,
}

impl Live {
    /// Whether the variable may be read behind the location before it is written.
    pub fn contains(&self, loc: LocId, var: VarId) -> bool {
        self.index.get(&var).is_some_and(|&n| self.live[loc.index()][n / 64] & (1 << (n % 64)) != 0)
    }

    /// The variables that are live at one of the locations, or whose address is taken.
    pub fn at(&self, program: &Program, locs: &[LocId]) -> BTreeSet<VarId> {
        let vars = self.index.keys().copied();
        let needed = vars.filter(|&var| {
            program.vars[var].address_taken || locs.iter().any(|&loc| self.contains(loc, var))
        });
        needed.collect()
    }
}

/// Finds out which of the variables are live where.
pub fn live(program: &Program, edges: &[Flow<'_>], loc_count: usize, candidates: &[VarId]) -> Live {
    let index: BTreeMap<VarId, usize> =
        candidates.iter().enumerate().map(|(number, &var)| (var, number)).collect();
    let words = candidates.len().div_ceil(64);
    let mut live = vec![vec![0u64; words]; loc_count];
    let effects: Vec<(Vec<usize>, Option<usize>)> =
        edges.iter().map(|edge| effect(program, edge.op, &index)).collect();
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); loc_count];
    for (number, edge) in edges.iter().enumerate() {
        into[edge.to.index()].push(number);
    }
    let mut work: Vec<usize> = (0..edges.len()).rev().collect();
    while let Some(number) = work.pop() {
        let Flow { from, to, .. } = edges[number];
        let (reads, kills) = &effects[number];
        let mut before = live[to.index()].clone();
        if let Some(killed) = kills {
            before[killed / 64] &= !(1 << (killed % 64));
        }
        for read in reads {
            before[read / 64] |= 1 << (read % 64);
        }
        let mut changed = false;
        for (old, new) in live[from.index()].iter_mut().zip(before) {
            changed |= new & !*old != 0;
            *old |= new;
        }
        if changed {
            work.extend(&into[from.index()]);
        }
    }
    Live { index, live }
}

/// What an operation reads, and what it overwrites as a whole.
fn effect(
    program: &Program,
    op: &Op,
    index: &BTreeMap<VarId, usize>,
) -> (Vec<usize>, Option<usize>) {
    let mut reads = Vec::new();
    let mut kills = None;
    for_each_place(program, op, &mut |place, access| {
        let root = program.exprs.root_var(place).and_then(|var| index.get(&var).copied());
        let Some(number) = root else { return };
        let whole = matches!(program.exprs.place(place).kind, PlaceKind::Var(_));
        match access {
            Access::Read => reads.push(number),
            Access::Write if whole => kills = Some(number),
            Access::Write => {}
        }
    });
    if let Op::Declare(var) = op {
        kills = index.get(var).copied();
    }
    (reads, kills)
}
