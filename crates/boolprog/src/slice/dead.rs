//! Dead variables: what will not be read again before it is written is set to false.
//!
//! Liveness is computed backwards over calls and returns without matching them. A step sets to
//! false the variables that die with it (live in front of it, or assigned by it, and dead behind
//! it), unless its constraint speaks of them.

use std::collections::BTreeSet;

use crate::model::{Action, ExprId, FALSE, Model, PointId, VarId};

/// Adds the assignments; only variables of `kept` are looked at.
pub(super) fn forget(model: &mut Model, kept: &BTreeSet<VarId>) {
    let live = liveness(model, kept);
    let scopes: Vec<Vec<VarId>> = model
        .procedure_ids()
        .map(|p| model.scope(p).into_iter().filter(|v| kept.contains(v)).collect())
        .collect();
    let mut edges = std::mem::take(&mut model.edges);
    for edge in &mut edges {
        let Action::Step(step) = &mut edge.action else { continue };
        if step.guard == FALSE {
            continue;
        }
        let constrained = model.exprs.variables(&[step.constraint]).1;
        for &variable in &scopes[model.points[edge.from.index()].procedure.index()] {
            let place = step.assignments.binary_search_by_key(&variable, |a| a.0);
            let dies = live[edge.from.index()].contains(&variable) || place.is_ok();
            let lives = live[edge.to.index()].contains(&variable);
            if lives || !dies || constrained.contains(&variable) {
                continue;
            }
            match place {
                Ok(i) => step.assignments[i].1 = FALSE,
                Err(i) => step.assignments.insert(i, (variable, FALSE)),
            }
        }
    }
    model.edges = edges;
}

/// Where a call returns to, and where its results go.
type ReturnSite = (PointId, Vec<Option<VarId>>);

/// For each point the variables that may be read from there on.
fn liveness(model: &Model, kept: &BTreeSet<VarId>) -> Vec<BTreeSet<VarId>> {
    let mut live: Vec<BTreeSet<VarId>> = vec![BTreeSet::new(); model.points.len()];
    let mut callers: Vec<Vec<ReturnSite>> = vec![Vec::new(); model.procedures.len()];
    let mut into: Vec<Vec<PointId>> = vec![Vec::new(); model.points.len()];
    let mut returns = vec![Vec::new(); model.procedures.len()];
    for edge in &model.edges {
        match &edge.action {
            Action::Call { callee, results, .. } => {
                callers[callee.index()].push((edge.to, results.clone()));
                into[model.procedure(*callee).entry.index()].push(edge.from);
                into[edge.to.index()].push(edge.from);
            }
            Action::Return { .. } => {
                returns[model.point(edge.from).procedure.index()].push(edge.from);
            }
            Action::Step(_) | Action::Thread(_) => into[edge.to.index()].push(edge.from),
        }
    }
    for (procedure, sites) in callers.iter().enumerate() {
        for (site, _) in sites {
            into[site.index()].extend(&returns[procedure]);
        }
    }
    let mut queue: BTreeSet<PointId> = model.point_ids().collect();
    while let Some(point) = queue.pop_last() {
        let mut now = BTreeSet::new();
        for (_, edge) in model.outgoing(point) {
            live_before(model, edge, &live, &callers, &mut now);
        }
        now.retain(|v| kept.contains(v));
        if now.len() > live[point.index()].len() {
            live[point.index()] = now;
            queue.extend(&into[point.index()]);
        }
    }
    live
}

fn live_before(
    model: &Model,
    edge: &crate::model::Edge,
    live: &[BTreeSet<VarId>],
    callers: &[Vec<ReturnSite>],
    now: &mut BTreeSet<VarId>,
) {
    let reads = |list: &[ExprId]| model.exprs.variables(list).0;
    let is_global = |v: &VarId| v.0 < model.globals;
    let after = &live[edge.to.index()];
    match &edge.action {
        Action::Step(step) if step.guard == FALSE => {}
        Action::Step(step) => {
            now.extend(reads(&[step.guard, step.constraint]));
            // A variable that the constraint wants to see afterwards is read even if not assigned.
            let seen_after = model.exprs.variables(&[step.constraint]).1;
            for &variable in after.iter().chain(&seen_after) {
                match step.value_of(variable) {
                    Some(value) => now.extend(reads(&[value])),
                    None => drop(now.insert(variable)),
                }
            }
        }
        Action::Call { callee, arguments, results } => {
            let entry = &live[model.procedure(*callee).entry.index()];
            now.extend(entry.iter().filter(|v| is_global(v)));
            let parameters = &model.procedure(*callee).parameters;
            for (parameter, &argument) in parameters.iter().zip(arguments) {
                if entry.contains(parameter) {
                    now.extend(reads(&[argument]));
                }
            }
            let kept_over = |v: &&VarId| !is_global(v) && !results.contains(&Some(**v));
            now.extend(after.iter().filter(kept_over));
        }
        Action::Return { values } => {
            let procedure = model.point(edge.from).procedure;
            for (site, results) in &callers[procedure.index()] {
                let behind = &live[site.index()];
                let received = |v: &VarId| results.contains(&Some(*v));
                now.extend(behind.iter().filter(|v| is_global(v) && !received(v)));
                for (target, &value) in results.iter().zip(values) {
                    if target.is_some_and(|t| behind.contains(&t)) {
                        now.extend(reads(&[value]));
                    }
                }
            }
        }
        Action::Thread(_) => now.extend(model.scope(model.point(edge.from).procedure)),
    }
}
