//! Definite assignment: which variables may be read before they are written.
//!
//! Reading a register costs nothing; asking first whether it was ever written would. A forward
//! must-analysis finds the variables for which the question is needed, which are few.

use rustc_hash::FxHashSet;

use crate::arena::Id;
use crate::cfa::{Callee, Cfa, Op};
use crate::expr::{ExprId, ExprKind, Exprs, PlaceId, PlaceKind};
use crate::program::VarId;

/// Calls `found` for each variable whose value is used by an expression, some perhaps repeatedly.
pub(crate) fn for_each_read(exprs: &Exprs, expr: ExprId, found: &mut dyn FnMut(VarId)) {
    let mut seen = FxHashSet::default();
    let mut work = vec![Node::Expr(expr)];
    while let Some(node) = work.pop() {
        match node {
            Node::Expr(e) => {
                if !seen.insert(e) {
                    continue;
                }
                match exprs.expr(e).kind {
                    ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
                    ExprKind::Load(p) => {
                        if let PlaceKind::Var(v) = exprs.place(p).kind {
                            found(v);
                        } else {
                            work.push(Node::Place(p));
                        }
                    }
                    ExprKind::AddrOf(p) => work.push(Node::Place(p)),
                    ExprKind::Unary(_, a) | ExprKind::Cast(a) => work.push(Node::Expr(a)),
                    ExprKind::Binary(_, a, b)
                    | ExprKind::PtrAdd(a, b)
                    | ExprKind::PtrDiff(a, b) => {
                        work.push(Node::Expr(a));
                        work.push(Node::Expr(b));
                    }
                }
            }
            Node::Place(p) => match exprs.place(p).kind {
                PlaceKind::Var(_) => {}
                PlaceKind::Deref(e) => work.push(Node::Expr(e)),
                PlaceKind::Field(base, _) => work.push(Node::Place(base)),
                PlaceKind::Index(base, e) => {
                    work.push(Node::Place(base));
                    work.push(Node::Expr(e));
                }
            },
        }
    }
}

enum Node {
    Expr(ExprId),
    Place(PlaceId),
}

/// What an edge does to whole variables.
struct Effect {
    reads: Vec<usize>,
    writes: Option<usize>,
    forgets: Option<usize>,
}

/// For each of `vars` whether some path from the entry reads it before it is written.
pub(crate) fn maybe_unassigned(exprs: &Exprs, cfa: &Cfa, vars: &[VarId]) -> Vec<bool> {
    let index: rustc_hash::FxHashMap<VarId, usize> =
        vars.iter().enumerate().map(|(i, &v)| (v, i)).collect();
    let effects: Vec<Effect> =
        cfa.edges().iter().map(|edge| effect(exprs, &edge.op, &index)).collect();
    let words = vars.len().div_ceil(64);
    let mut unassigned = vec![false; vars.len()];
    // `None` until the location is reached.
    let mut assigned: Vec<Option<Vec<u64>>> = vec![None; cfa.loc_count()];
    assigned[cfa.entry().index()] = Some(vec![0; words]);
    let mut work = vec![cfa.entry()];
    while let Some(loc) = work.pop() {
        for &edge in cfa.out_edges(loc) {
            let Some(mut state) = assigned[loc.index()].clone() else { continue };
            let effect = &effects[edge.index()];
            for &read in &effect.reads {
                if state[read / 64] >> (read % 64) & 1 == 0 {
                    unassigned[read] = true;
                }
            }
            if let Some(var) = effect.writes {
                state[var / 64] |= 1 << (var % 64);
            }
            if let Some(var) = effect.forgets {
                state[var / 64] &= !(1 << (var % 64));
            }
            let to = cfa.edge(edge).to;
            let changed = match &mut assigned[to.index()] {
                Some(old) => old.iter_mut().zip(&state).fold(false, |changed, (old, new)| {
                    let met = *old & new;
                    let differs = met != *old;
                    *old = met;
                    changed | differs
                }),
                slot => {
                    *slot = Some(state);
                    true
                }
            };
            if changed {
                work.push(to);
            }
        }
    }
    unassigned
}

fn effect(exprs: &Exprs, op: &Op, index: &rustc_hash::FxHashMap<VarId, usize>) -> Effect {
    let mut effect = Effect { reads: Vec::new(), writes: None, forgets: None };
    let reads = |effect: &mut Effect, e: ExprId| {
        for_each_read(exprs, e, &mut |var| effect.reads.extend(index.get(&var)));
    };
    let place_reads = |effect: &mut Effect, mut p: PlaceId| {
        loop {
            match exprs.place(p).kind {
                PlaceKind::Var(_) => break,
                PlaceKind::Deref(e) => {
                    reads(effect, e);
                    break;
                }
                PlaceKind::Field(base, _) => p = base,
                PlaceKind::Index(base, e) => {
                    reads(effect, e);
                    p = base;
                }
            }
        }
    };
    let whole = |p: PlaceId| match exprs.place(p).kind {
        PlaceKind::Var(v) => index.get(&v).copied(),
        _ => None,
    };
    let writes = |effect: &mut Effect, p: PlaceId| {
        place_reads(effect, p);
        effect.writes = whole(p);
    };
    match op {
        Op::Skip | Op::HavocMemory | Op::VaEnd(_) | Op::Return(None) => {}
        Op::Assume(e) | Op::Return(Some(e)) => reads(&mut effect, *e),
        Op::Assign { dst, src } => {
            reads(&mut effect, *src);
            writes(&mut effect, *dst);
        }
        Op::Call(call) => {
            if let Callee::Indirect(e) = call.callee {
                reads(&mut effect, e);
            }
            for &arg in &call.args {
                reads(&mut effect, arg);
            }
            if let Some(dst) = call.dst {
                writes(&mut effect, dst);
            }
        }
        Op::Havoc(p) | Op::VaStart(p) => writes(&mut effect, *p),
        Op::Declare(v) => effect.forgets = index.get(v).copied(),
        Op::Alloca { dst, size } => {
            reads(&mut effect, *size);
            writes(&mut effect, *dst);
        }
        Op::VaArg { dst, list } => {
            place_reads(&mut effect, *list);
            effect.reads.extend(whole(*list));
            writes(&mut effect, *dst);
        }
        Op::VaCopy { dst, src } => {
            place_reads(&mut effect, *src);
            effect.reads.extend(whole(*src));
            writes(&mut effect, *dst);
        }
    }
    effect
}
