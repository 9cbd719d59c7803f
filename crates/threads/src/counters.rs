//! Loops that count, unrolled while a thread is taken apart.
//!
//! Threads are made, joined and given their numbers in loops with constant bounds. A variable that
//! only ever gets constants or itself plus a constant, and that a loop asks for, is followed: a
//! location is another one for another value of it. So such loops are written out, each call in them
//! makes a thread of its own, and arrays of threads have constant indices. Where there are too many
//! values, they are forgotten, and the loop stays a loop.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::{LocId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceKind};
use gnomon_ir::program::{Program, Storage, VarId};

use crate::frames::FrameId;
use crate::loops::Cycles;
use crate::operands::{Access, for_each_place};
use crate::sharing::for_each_load;

/// How many values are followed at one location.
const MOST: usize = 64;

/// Known values, by number in [`Values`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Known(u32);

/// All sets of known values that were met.
#[derive(Clone, Debug)]
pub struct Values {
    sets: Vec<BTreeMap<(FrameId, VarId), ExprId>>,
    numbers: BTreeMap<BTreeMap<(FrameId, VarId), ExprId>, Known>,
    seen: BTreeMap<(FrameId, LocId), BTreeSet<Known>>,
}

impl Default for Values {
    fn default() -> Self {
        let numbers = BTreeMap::from([(BTreeMap::new(), Known(0))]);
        Self { sets: vec![BTreeMap::new()], numbers, seen: BTreeMap::new() }
    }
}

impl Values {
    /// The value of a variable of a call.
    pub fn get(&self, known: Known, frame: FrameId, var: VarId) -> Option<ExprId> {
        self.sets[known.0 as usize].get(&(frame, var)).copied()
    }

    /// With another value, or none.
    pub fn with(
        &mut self,
        known: Known,
        frame: FrameId,
        var: VarId,
        value: Option<ExprId>,
    ) -> Known {
        let mut set = self.sets[known.0 as usize].clone();
        match value {
            Some(value) => set.insert((frame, var), value),
            None => set.remove(&(frame, var)),
        };
        self.number(set)
    }

    /// Without the variables of a call.
    pub fn without(&mut self, known: Known, frame: FrameId) -> Known {
        let mut set = self.sets[known.0 as usize].clone();
        set.retain(|(own, _), _| *own != frame);
        self.number(set)
    }

    /// What is followed at a location: nothing of the call if there were too many values.
    pub fn at(&mut self, frame: FrameId, loc: LocId, known: Known) -> Known {
        let seen = self.seen.entry((frame, loc)).or_default();
        if seen.contains(&known) {
            return known;
        }
        if seen.len() >= MOST {
            return self.without(known, frame);
        }
        seen.insert(known);
        known
    }

    fn number(&mut self, set: BTreeMap<(FrameId, VarId), ExprId>) -> Known {
        if let Some(&known) = self.numbers.get(&set) {
            return known;
        }
        let known = Known(self.sets.len() as u32);
        self.sets.push(set.clone());
        self.numbers.insert(set, known);
        known
    }
}

/// The variables that are followed.
pub fn counters(program: &Program, cycles: &Cycles) -> BTreeSet<VarId> {
    let mut asked = BTreeSet::new();
    let mut other = BTreeSet::new();
    for (func, function) in program.funcs.iter_ids() {
        for edge in function.body.iter().flat_map(|body| body.edges().iter()) {
            if let Op::Assume(condition) = edge.op
                && cycles.contains(func, edge.from)
            {
                for_each_load(program, condition, &mut |place| {
                    if let PlaceKind::Var(var) = program.exprs.place(place).kind {
                        asked.insert(var);
                    }
                });
            }
            for_each_place(program, &edge.op, &mut |place, access| {
                let Some(var) = program.exprs.root_var(place) else { return };
                if access == Access::Write && !counts(program, &edge.op, var) {
                    other.insert(var);
                }
            });
        }
    }
    let is_counter = |var: &VarId| {
        let info = &program.vars[*var];
        let local = matches!(info.storage, Storage::Local(_) | Storage::Param(_));
        let plain = program.types.is_integer(info.ty) && !info.address_taken;
        local && plain && !other.contains(var)
    };
    asked.into_iter().filter(is_counter).collect()
}

/// Whether an operation stores a constant into the variable, or adds one to it.
fn counts(program: &Program, op: &Op, var: VarId) -> bool {
    let Op::Assign { dst, src } = *op else { return false };
    if !matches!(program.exprs.place(dst).kind, PlaceKind::Var(_)) {
        return false;
    }
    steps_by_constant(program, src, var)
}

fn steps_by_constant(program: &Program, e: ExprId, var: VarId) -> bool {
    match program.exprs.expr(e).kind {
        ExprKind::Const(_) | ExprKind::Zero => true,
        ExprKind::Load(place) => program.exprs.place(place).kind == PlaceKind::Var(var),
        ExprKind::Cast(a) => steps_by_constant(program, a, var),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
            steps_by_constant(program, a, var) && steps_by_constant(program, b, var)
        }
        _ => false,
    }
}
