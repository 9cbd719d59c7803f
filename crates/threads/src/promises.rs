//! Arguments of `main` that nobody reads.
//!
//! A hosted `main` begins with what the system promises of its arguments. Where nothing else in the program reads
//! an argument, the promise says nothing about the program, and its arguments need not be known to execute it.

use std::collections::BTreeSet;

use gnomon_ir::cfa::{Edge, Op};
use gnomon_ir::expr::{BinaryOp, ExprKind, PlaceKind};
use gnomon_ir::program::{FuncId, Program, VarId};

use crate::operands::for_each_place;

/// Leaves out promises about arguments that are not used.
pub(crate) fn leave_out(program: &mut Program, entry: FuncId) {
    let Some(body) = program.funcs[entry].body.clone() else { return };
    let mut unused: BTreeSet<VarId> = program.funcs[entry].params.iter().copied().collect();
    unused.retain(|&param| !program.vars[param].address_taken);
    for edge in body.edges().iter() {
        let promised = promise(program, edge);
        for_each_place(program, &edge.op, &mut |place, _| {
            let root = program.exprs.root_var(place);
            unused.retain(|param| Some(*param) != root || promised == root);
        });
    }
    if unused.is_empty() {
        return;
    }
    let holds = program.int(gnomon_ir::types::Types::I32, 1);
    let is_idle = |edge: &Edge| promise(program, edge).is_some_and(|param| unused.contains(&param));
    let mut body = body.clone();
    body.rewrite_ops(|edge| is_idle(edge).then_some(Op::Assume(holds)));
    program.funcs[entry].body = Some(body);
}

/// The argument of which an assumption of nobody compares the value with a constant.
fn promise(program: &Program, edge: &Edge) -> Option<VarId> {
    let Op::Assume(condition) = edge.op else { return None };
    if edge.stmt != Program::NO_STMT || !edge.span.is_none() {
        return None;
    }
    let ExprKind::Binary(op, a, b) = program.exprs.expr(condition).kind else { return None };
    if !matches!(op, BinaryOp::Ge | BinaryOp::Lt | BinaryOp::Ne) {
        return None;
    }
    let constant = program.as_int(b).is_some() || program.as_truth(b) == Some(false);
    let ExprKind::Load(place) = program.exprs.expr(a).kind else { return None };
    match program.exprs.place(place).kind {
        PlaceKind::Var(var) if constant => Some(var),
        _ => None,
    }
}
