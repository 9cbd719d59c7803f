//! Memory orders that are weaker than sequential consistency.
//!
//! All threads see writes in one order here, also those of atomic operations that ask for less:
//! such programs have more behaviours than are looked at, which a verdict must say.

use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::program::{Program, source_name};
use gnomon_ir::span::Span;

/// `__ATOMIC_SEQ_CST`.
const SEQUENTIAL: i128 = 5;

/// Where the first atomic operation stands that asks for a weaker order, or for one that is not
/// known.
pub fn weaker(program: &Program) -> Option<Span> {
    let bodies = program.funcs.iter().flat_map(|function| function.body.iter());
    let mut edges = bodies.flat_map(|body| body.edges().iter());
    edges
        .find(|edge| matches!(&edge.op, Op::Call(call) if is_weaker(program, call)))
        .map(|e| e.span)
}

/// Whether an atomic operation orders nothing: `memory_order_relaxed`.
pub fn is_relaxed(program: &Program, call: &Call) -> bool {
    let Callee::Direct(func) = call.callee else { return false };
    let is_atomic = source_name(&program.funcs[func].name).starts_with("__atomic_");
    let order = call.args.last().and_then(|&order| program.as_int(order));
    is_atomic && matches!(order, Some(0) | None)
}

fn is_weaker(program: &Program, call: &Call) -> bool {
    let Callee::Direct(func) = call.callee else { return false };
    let name = source_name(&program.funcs[func].name);
    // They are an acquire and a release barrier by definition.
    if matches!(name, "__sync_lock_test_and_set" | "__sync_lock_release") {
        return true;
    }
    let Some(operation) = name.strip_prefix("__atomic_") else { return false };
    let orders = match operation {
        "compare_exchange" | "compare_exchange_n" => 2,
        _ => 1,
    };
    let orders = call.args.iter().rev().take(orders);
    orders.into_iter().any(|&order| program.as_int(order) != Some(SEQUENTIAL))
}
