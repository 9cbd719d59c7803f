//! Cutting edges that lie on no path from the start to a target, by control flow alone.
//!
//! Calls and returns are followed without matching them, so what is kept is an
//! over-approximation. An edge is cut by making its guard false; calls and returns are never cut
//! themselves, their surroundings are.

use crate::model::{Action, FALSE, Model, PointId, Step};

/// Cuts, and says how many edges.
pub(super) fn cut(model: &mut Model, targets: &[PointId]) -> usize {
    let count = model.points.len();
    let successors = flow(model);
    let mut predecessors = vec![Vec::new(); count];
    for (from, list) in successors.iter().enumerate() {
        for &to in list {
            predecessors[to].push(from);
        }
    }
    let entry = model.procedure(model.main).entry.index();
    let reached = closure(count, [entry], &successors);
    let useful = closure(count, targets.iter().map(|t| t.index()), &predecessors);
    let mut cut = 0;
    for edge in &mut model.edges {
        let inside = |p: PointId| reached[p.index()] && useful[p.index()];
        if let Action::Step(step) = &edge.action
            && step.guard != FALSE
            && !(inside(edge.from) && inside(edge.to))
        {
            edge.action = Action::Step(Step::assume(FALSE));
            cut += 1;
        }
    }
    cut
}

fn closure(
    count: usize,
    start: impl IntoIterator<Item = usize>,
    edges: &[Vec<usize>],
) -> Vec<bool> {
    let mut seen = vec![false; count];
    let mut stack: Vec<usize> = start.into_iter().collect();
    while let Some(point) = stack.pop() {
        if !std::mem::replace(&mut seen[point], true) {
            stack.extend(&edges[point]);
        }
    }
    seen
}

/// Successors over steps, from calls to entries, and from returns to return points.
pub(super) fn flow(model: &Model) -> Vec<Vec<usize>> {
    let mut return_points = vec![Vec::new(); model.procedures.len()];
    for edge in &model.edges {
        if let Action::Call { callee, .. } = &edge.action {
            return_points[callee.index()].push(edge.to.index());
        }
    }
    let mut successors = vec![Vec::new(); model.points.len()];
    for edge in &model.edges {
        let list = &mut successors[edge.from.index()];
        match &edge.action {
            Action::Step(step) if step.guard == FALSE => {}
            Action::Step(_) | Action::Thread(_) => list.push(edge.to.index()),
            Action::Call { callee, .. } => list.push(model.procedure(*callee).entry.index()),
            Action::Return { .. } => {
                let procedure = model.point(edge.from).procedure;
                list.extend(&return_points[procedure.index()]);
            }
        }
    }
    successors
}
