//! What the system promises to `main`: there is at least one argument, the name of the program, and as many
//! pointers to them, with a null pointer behind them, have room in memory (C17 5.1.2.2.1; that the number is not
//! zero is Linux's promise since 5.18). The pointers to arguments and environment are not null.
//!
//! A `main` that nobody calls begins with that assumption. One that the program itself calls is left
//! alone: such a call may pass anything.

use gnomon_ir::cfa::{Callee, Cfa, CfaBuilder, Edge, LocId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind};
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::span::Span;
use gnomon_ir::types::Target;

use super::other_names::mentions;

/// Makes `main` assume what it is promised.
pub(super) fn assume(program: &mut Program) {
    let Some(main) = program.find_function("main") else { return };
    let Some(&count) = program.funcs[main].params.first() else { return };
    let ty = program.vars[count].ty;
    if !program.types.is_integer(ty) || is_called(program, main) {
        return;
    }
    let Some(body) = program.funcs[main].body.take() else { return };
    let count = program.load_var(count);
    let one = program.int(ty, 1);
    let mut promised = vec![program.binary(BinaryOp::Ge, count, one)];
    for param in program.funcs[main].params.clone().into_iter().skip(1) {
        let ty = program.vars[param].ty;
        // What nobody looks at needs no promise.
        if program.types.is_pointer(ty) && mentions(program, param) {
            let (pointer, null) = (program.load_var(param), program.zero(ty));
            promised.push(program.binary(BinaryOp::Ne, pointer, null));
        }
    }
    if program.types.target() == Target::Ilp32 {
        // Of four bytes each, and the null pointer behind them.
        let room = program.int(ty, 1 << 30);
        promised.push(program.binary(BinaryOp::Lt, count, room));
    }
    program.funcs[main].body = Some(with_assumptions(&body, &promised));
}

/// Whether the program calls the function, or may do so through a pointer.
pub(super) fn is_called(program: &Program, func: FuncId) -> bool {
    let exprs = (0..program.exprs.expr_count()).map(|i| program.exprs.expr(ExprId(i as u32)).kind);
    let mut bodies = program.funcs.iter().filter_map(|f| f.body.as_ref());
    let is_call = |edge: &Edge| match &edge.op {
        Op::Call(call) => call.callee == Callee::Direct(func),
        _ => false,
    };
    let mut exprs = exprs;
    exprs.any(|kind| kind == ExprKind::FuncAddr(func))
        || bodies.any(|body| body.edges().iter().any(is_call))
}

/// The same automaton behind assumptions.
fn with_assumptions(body: &Cfa, assumptions: &[ExprId]) -> Cfa {
    let mut builder = CfaBuilder::new();
    // Entry and exit are there already.
    for _ in 2..body.loc_count() {
        builder.add_loc();
    }
    let start = builder.add_loc();
    let moved = |loc: LocId| if loc == body.entry() { start } else { loc };
    for edge in body.edges().iter() {
        builder.add_edge(Edge { from: moved(edge.from), to: moved(edge.to), ..edge.clone() });
    }
    for label in body.labels() {
        let mut label = label.clone();
        label.loc = moved(label.loc);
        builder.add_label(label);
    }
    let mut from = builder.entry();
    for (position, &assumption) in assumptions.iter().enumerate() {
        let is_last = position + 1 == assumptions.len();
        let to = if is_last { start } else { builder.add_loc() };
        let (op, span, stmt) = (Op::Assume(assumption), Span::NONE, Program::NO_STMT);
        builder.add_edge(Edge { from, to, op, span, stmt });
        from = to;
    }
    builder.finish()
}
