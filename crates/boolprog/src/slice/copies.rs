//! Constants and copies: a variable that on all ways to a point is known to be a constant, or equal
//! to another variable, is replaced where it is read. A copy that is no longer read then falls to
//! the cone of influence.
//!
//! A forward analysis of each procedure by itself: nothing is known at the entry (in `main`, the
//! first values of globals, unless `main` is called), a call forgets the globals and the
//! variables that receive results.

use std::collections::BTreeMap;

use super::rewrite::substitute;
use crate::model::{
    Action, Expr, ExprArena, ExprId, FALSE, Model, PointId, ProcId, Step, TRUE, VarId,
};

/// What a variable is known to be: an expression that is a constant or a variable.
type Known = BTreeMap<VarId, ExprId>;

/// Replaces reads of known variables.
pub(super) fn propagate(model: &mut Model) {
    let facts = analyse(model);
    let mut edges = std::mem::take(&mut model.edges);
    for edge in &mut edges {
        let Some(known) = &facts[edge.from.index()] else { continue };
        let mut replace = |e: &mut ExprId| *e = substitute(&mut model.exprs, *e, known);
        match &mut edge.action {
            Action::Step(step) => {
                replace(&mut step.guard);
                replace(&mut step.constraint);
                step.assignments.iter_mut().for_each(|a| replace(&mut a.1));
            }
            Action::Call { arguments, .. } => arguments.iter_mut().for_each(replace),
            Action::Return { values } => values.iter_mut().for_each(replace),
            Action::Thread(_) => {}
        }
    }
    model.edges = edges;
}

/// What is known at each point; `None` for points that are not reached.
fn analyse(model: &mut Model) -> Vec<Option<Known>> {
    let mut facts: Vec<Option<Known>> = vec![None; model.points.len()];
    let is_called = |p: ProcId| {
        let calls = |a: &Action| matches!(a, Action::Call { callee, .. } if *callee == p);
        model.edges.iter().any(|e| calls(&e.action))
    };
    let mut work: Vec<PointId> = Vec::new();
    for procedure in model.procedure_ids() {
        let mut known = Known::new();
        if procedure == model.main && !is_called(procedure) {
            known = model.initial.iter().map(|&(v, b)| (v, model.exprs.constant(b))).collect();
        }
        let entry = model.procedure(procedure).entry;
        facts[entry.index()] = Some(known);
        work.push(entry);
    }
    let mut exprs = std::mem::take(&mut model.exprs);
    while let Some(point) = work.pop() {
        let Some(known) = facts[point.index()].clone() else { continue };
        for (_, edge) in model.outgoing(point) {
            let after = match &edge.action {
                Action::Step(step) => match transfer(&mut exprs, step, &known) {
                    Some(after) => after,
                    None => continue,
                },
                Action::Call { results, .. } => {
                    let mut after = known.clone();
                    let changed = |v: VarId| v.0 < model.globals || results.contains(&Some(v));
                    forget(&exprs, &mut after, changed);
                    after
                }
                Action::Return { .. } => continue,
                Action::Thread(_) => Known::new(),
            };
            let place = &mut facts[edge.to.index()];
            let changed = match place {
                None => {
                    *place = Some(after);
                    true
                }
                Some(old) => {
                    let size = old.len();
                    old.retain(|v, e| after.get(v) == Some(e));
                    old.len() != size
                }
            };
            if changed {
                work.push(edge.to);
            }
        }
    }
    model.exprs = exprs;
    facts
}

fn forget(exprs: &ExprArena, known: &mut Known, changed: impl Fn(VarId) -> bool) {
    known.retain(|&v, e| {
        let source_changed = matches!(exprs.get(*e), Expr::Var(source) if changed(source));
        !changed(v) && !source_changed
    });
}

/// What is known after a step, or `None` if it cannot be taken.
fn transfer(exprs: &mut ExprArena, step: &Step, known: &Known) -> Option<Known> {
    let guard = substitute(exprs, step.guard, known);
    if guard == FALSE {
        return None;
    }
    let mut after = known.clone();
    learn(exprs, guard, &mut after);
    let values: Vec<(VarId, ExprId)> =
        step.assignments.iter().map(|&(v, e)| (v, substitute(exprs, e, &after))).collect();
    let assigned = |v: VarId| step.value_of(v).is_some();
    forget(exprs, &mut after, assigned);
    for (variable, value) in values {
        let usable = match exprs.get(value) {
            Expr::Constant(_) => true,
            Expr::Var(source) => !assigned(source),
            _ => false,
        };
        if usable {
            after.insert(variable, value);
        }
    }
    Some(after)
}

/// What a condition that holds says about single variables.
fn learn(exprs: &ExprArena, guard: ExprId, known: &mut Known) {
    match exprs.get(guard) {
        Expr::Var(v) => drop(known.insert(v, TRUE)),
        Expr::Not(inner) => {
            if let Expr::Var(v) = exprs.get(inner) {
                known.insert(v, FALSE);
            }
        }
        Expr::And(a, b) => {
            learn(exprs, a, known);
            learn(exprs, b, known);
        }
        _ => {}
    }
}
