//! Functions of which several calls may be open at once.
//!
//! Their local variables exist several times, so they have no fixed addresses. These are the
//! functions on cycles of the call graph, in which a call through a pointer leads to all that it
//! may point to, and a function that is handed to the library may be called by it.

use crate::encode::aliases::{Aliases, Object, Targets};
use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::expr::ExprId;
use gnomon_ir::program::{FuncId, Program};

/// Whether each function may be called while it is open.
pub(super) fn recursive_functions(
    program: &Program,
    aliases: &dyn Aliases,
    budget: &Budget,
) -> Result<Vec<bool>, Exhausted> {
    let mut callees: Vec<Vec<usize>> = Vec::with_capacity(program.funcs.len());
    for function in program.funcs.iter() {
        let mut called = Vec::new();
        for edge in function.body.iter().flat_map(|body| body.edges().iter()) {
            budget.check()?;
            if let Op::Call(call) = &edge.op {
                add_callees(program, aliases, call, &mut called);
            }
        }
        called.sort_unstable();
        called.dedup();
        callees.push(called);
    }
    on_cycles(&callees, budget)
}

fn add_callees(program: &Program, aliases: &dyn Aliases, call: &Call, called: &mut Vec<usize>) {
    let mut pointed = |pointer: ExprId| match aliases.targets(pointer) {
        Targets::Known(targets) => called.extend(targets.iter().filter_map(|t| match t.object {
            Object::Function(func) => Some(func.index()),
            _ => None,
        })),
        Targets::Anything => called.extend(program.funcs.ids().map(FuncId::index)),
    };
    match call.callee {
        Callee::Direct(func) if program.funcs[func].body.is_some() => called.push(func.index()),
        Callee::Direct(_) => {
            for &arg in &call.args {
                let pointee = program.types.pointee(program.expr_ty(arg));
                if pointee.is_some_and(|to| program.types.signature(to).is_some()) {
                    pointed(arg);
                }
            }
        }
        Callee::Indirect(pointer) => pointed(pointer),
    }
}

/// The nodes on cycles of a graph (Tarjan's strong components, without recursion).
fn on_cycles(edges: &[Vec<usize>], budget: &Budget) -> Result<Vec<bool>, Exhausted> {
    const UNSEEN: usize = usize::MAX;
    let count = edges.len();
    let (mut number, mut low) = (vec![UNSEEN; count], vec![0; count]);
    let (mut open, mut stack) = (vec![false; count], Vec::new());
    let mut cyclic = vec![false; count];
    let mut next = 0;
    for start in 0..count {
        if number[start] != UNSEEN {
            continue;
        }
        let mut work = vec![(start, 0)];
        while let Some((node, position)) = work.pop() {
            budget.check()?;
            if position == 0 {
                (number[node], low[node]) = (next, next);
                next += 1;
                open[node] = true;
                stack.push(node);
            }
            match edges[node].get(position) {
                Some(&to) => {
                    work.push((node, position + 1));
                    cyclic[node] |= to == node;
                    if number[to] == UNSEEN {
                        work.push((to, 0));
                    } else if open[to] {
                        low[node] = low[node].min(number[to]);
                    }
                }
                None => {
                    if low[node] == number[node] {
                        let from = stack.iter().rposition(|&n| n == node).unwrap_or(0);
                        let component = stack.split_off(from);
                        for &member in &component {
                            open[member] = false;
                            cyclic[member] |= component.len() > 1;
                        }
                    }
                    if let Some(&(parent, _)) = work.last() {
                        low[parent] = low[parent].min(low[node]);
                    }
                }
            }
        }
    }
    Ok(cyclic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles() {
        let edges = vec![vec![1, 2], vec![2], vec![1, 3], vec![], vec![4], vec![0]];
        let found = on_cycles(&edges, &Budget::unlimited());
        assert_eq!(found, Ok(vec![false, true, true, false, true, false]));
    }
}
