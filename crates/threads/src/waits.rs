//! Who waits for whom at the end of a run.
//!
//! A thread that waits stands before a section that begins with a condition. If that asks for
//! something which another thread has stored its number into and nobody has cleared since, a lock
//! as a rule, it waits for that thread.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::{Cfa, EdgeId, LocId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Program, VarId};
use gnomon_ir::span::Span;

use crate::graph::ENDED;
use crate::local::counter_value;
use crate::operands::{Access, for_each_place};
use crate::sequential::Sequential;
use crate::sites::{ThreadId, Threads};

/// A thread that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Which.
    pub thread: usize,
    /// What it is about to do.
    pub span: Span,
    /// The thread that holds what it waits for, if that is known.
    pub holder: Option<usize>,
}

/// The threads that wait when these edges of the sequential program have been taken.
pub fn waiting(sequential: &Sequential, edges: &[(FuncId, EdgeId)]) -> Vec<Waiting> {
    let program = &sequential.program;
    let mut stands: BTreeMap<usize, i128> = BTreeMap::new();
    let mut stored: BTreeMap<PlaceId, i128> = BTreeMap::new();
    for &(func, edge) in edges {
        let Some(body) = &program.funcs[func].body else { continue };
        let Op::Assign { dst, src } = body.edge(edge).op else { continue };
        let Some(value) = value_of(program, &stored, src) else {
            stored.remove(&dst);
            continue;
        };
        let root = program.exprs.root_var(dst);
        match sequential.threads.iter().position(|thread| Some(thread.counter) == root) {
            Some(thread) => {
                stands.insert(thread, value);
            }
            None => {
                stored.insert(dst, value);
            }
        }
    }
    let mut found = Vec::new();
    for (thread, value) in stands.into_iter().filter(|(_, value)| *value != ENDED) {
        let info = &sequential.threads[thread];
        let point = info.points.iter().find(|(point, _)| i128::from(*point) == value);
        let Some(&(_, span)) = point else { continue };
        let own = |number: usize| Threads::number(ThreadId(number as u32));
        let holder = program.funcs[info.func].body.as_ref().and_then(|body| {
            let asked = asked_first(program, body, info.counter, value);
            let numbers: Vec<i128> =
                asked.iter().filter_map(|place| stored.get(place).copied()).collect();
            (0..sequential.threads.len()).find(|&other| numbers.contains(&own(other)))
        });
        found.push(Waiting { thread, span, holder });
    }
    found
}

/// The value of an expression that is a constant or was stored before.
fn value_of(program: &Program, stored: &BTreeMap<PlaceId, i128>, e: ExprId) -> Option<i128> {
    match program.exprs.expr(e).kind {
        ExprKind::Load(place) => stored.get(&place).copied(),
        ExprKind::Cast(a) => value_of(program, stored, a),
        _ => program.as_int(e),
    }
}

/// The places that conditions ask for behind the point where a thread goes on, before anything is
/// stored.
fn asked_first(program: &Program, body: &Cfa, counter: VarId, point: i128) -> BTreeSet<PlaceId> {
    let mut asked = BTreeSet::new();
    let here = |op: &Op| counter_value(program, op, counter) == Some(point);
    let mut work: Vec<LocId> =
        body.edges().iter().filter(|edge| here(&edge.op)).map(|edge| edge.to).collect();
    let mut seen: BTreeSet<LocId> = work.iter().copied().collect();
    while let Some(at) = work.pop() {
        for &edge in body.out_edges(at) {
            let edge = body.edge(edge);
            if !matches!(edge.op, Op::Assume(_)) {
                continue;
            }
            for_each_place(program, &edge.op, &mut |place, access| {
                // Locks are parts of objects; variables of models and of the reduction are not.
                let is_part = !matches!(program.exprs.place(place).kind, PlaceKind::Var(_));
                if access == Access::Read && is_part {
                    asked.insert(place);
                }
            });
            if seen.insert(edge.to) {
                work.push(edge.to);
            }
        }
    }
    asked
}
