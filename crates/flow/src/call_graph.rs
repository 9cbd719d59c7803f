//! The call graph with its strongly connected components, callees before callers.
//!
//! An edge leads to every function that a call may open, directly, through a pointer, or from
//! inside the library or the environment (comparison functions of `qsort`, functions whose address
//! escaped).

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::Op;
use gnomon_ir::program::{FuncId, Program};

use crate::points_to::PointsTo;

/// Functions that call each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Sorted.
    pub functions: Vec<FuncId>,
    /// Whether a function of it may be called while it has an open call.
    pub recursive: bool,
}

/// Who may call whom.
#[derive(Clone, Debug)]
pub struct CallGraph {
    callees: Vec<Vec<FuncId>>,
    callers: Vec<Vec<FuncId>>,
    components: Vec<Component>,
    component_of: Vec<u32>,
}

impl CallGraph {
    /// Of a program, with calls through pointers resolved.
    pub fn new(
        program: &Program,
        points_to: &PointsTo,
        budget: &Budget,
    ) -> Result<Self, Exhausted> {
        let mut callees: Vec<Vec<FuncId>> = Vec::with_capacity(program.funcs.len());
        for (id, function) in program.funcs.iter_ids() {
            let mut called = Vec::new();
            for (edge, found) in function.body.iter().flat_map(|body| body.edges().iter_ids()) {
                budget.check()?;
                if matches!(found.op, Op::Call(_)) {
                    let resolved = points_to.callees(program, id, edge);
                    called.extend(resolved.functions);
                    called.extend(resolved.callbacks);
                }
            }
            called.sort_unstable();
            called.dedup();
            callees.push(called);
        }
        Ok(Self::from_callees(callees))
    }

    fn from_callees(callees: Vec<Vec<FuncId>>) -> Self {
        let mut callers = vec![Vec::new(); callees.len()];
        for (caller, called) in callees.iter().enumerate() {
            for callee in called {
                callers[callee.index()].push(FuncId::from_index(caller));
            }
        }
        let sorted = components(&callees);
        let mut component_of = vec![0; callees.len()];
        let components = sorted
            .into_iter()
            .enumerate()
            .map(|(number, functions)| {
                for function in &functions {
                    component_of[function.index()] = number as u32;
                }
                let first = functions[0];
                let recursive = functions.len() > 1 || callees[first.index()].contains(&first);
                Component { functions, recursive }
            })
            .collect();
        Self { callees, callers, components, component_of }
    }

    /// The functions that a function may call, sorted.
    pub fn callees(&self, func: FuncId) -> &[FuncId] {
        &self.callees[func.index()]
    }

    /// The functions that may call a function, sorted.
    pub fn callers(&self, func: FuncId) -> &[FuncId] {
        &self.callers[func.index()]
    }

    /// The strongly connected components, callees first.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The component of a function.
    pub fn component(&self, func: FuncId) -> &Component {
        &self.components[self.component_of[func.index()] as usize]
    }

    /// Whether the function may be called while it has an open call.
    pub fn is_recursive(&self, func: FuncId) -> bool {
        self.component(func).recursive
    }
}

/// Tarjan's algorithm with an explicit stack.
fn components(callees: &[Vec<FuncId>]) -> Vec<Vec<FuncId>> {
    const UNSEEN: u32 = u32::MAX;
    let count = callees.len();
    let mut index = vec![UNSEEN; count];
    let mut low = vec![0u32; count];
    let mut open = vec![false; count];
    let (mut stack, mut path, mut found) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = 0;
    for root in 0..count {
        if index[root] != UNSEEN {
            continue;
        }
        path.push((root, 0));
        while let Some(&mut (node, ref mut position)) = path.last_mut() {
            if *position == 0 && index[node] == UNSEEN {
                (index[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
                open[node] = true;
            }
            if let Some(callee) = callees[node].get(*position) {
                *position += 1;
                let callee = callee.index();
                if index[callee] == UNSEEN {
                    path.push((callee, 0));
                } else if open[callee] {
                    low[node] = low[node].min(index[callee]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                let start = stack.iter().rposition(|&n| n == node).unwrap_or(0);
                let mut members: Vec<FuncId> =
                    stack.drain(start..).map(FuncId::from_index).collect();
                for member in &members {
                    open[member.index()] = false;
                }
                members.sort_unstable();
                found.push(members);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[&[u32]]) -> CallGraph {
        CallGraph::from_callees(
            edges.iter().map(|to| to.iter().map(|&f| FuncId(f)).collect()).collect(),
        )
    }

    #[test]
    fn components_come_callees_first_and_know_recursion() {
        // 0 calls 1; 1 and 2 call each other; 3 calls itself and 0; 4 is called by 2.
        let graph = graph(&[&[1], &[2], &[1, 4], &[0, 3], &[]]);
        let order: Vec<Vec<u32>> =
            graph.components().iter().map(|c| c.functions.iter().map(|f| f.0).collect()).collect();
        assert_eq!(order, [vec![4], vec![1, 2], vec![0], vec![3]]);
        let recursive: Vec<bool> = (0..5).map(|f| graph.is_recursive(FuncId(f))).collect();
        assert_eq!(recursive, [false, true, true, true, false]);
        assert_eq!(graph.callers(FuncId(1)), [FuncId(0), FuncId(2)]);
    }
}
