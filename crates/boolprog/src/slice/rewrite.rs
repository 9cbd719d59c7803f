//! Rewriting of expressions and the model without the variables that were dropped.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Action, Edge, Expr, ExprArena, ExprId, FALSE, Model, Step, TRUE, VarId};

/// Replaces reads of variables (before the step) by expressions.
pub(super) fn substitute(
    exprs: &mut ExprArena,
    root: ExprId,
    by: &BTreeMap<VarId, ExprId>,
) -> ExprId {
    if by.is_empty() || root == TRUE || root == FALSE {
        return root;
    }
    let mut order = Vec::new();
    exprs.visit(&[root], |id, node| order.push((id, node)));
    if !order.iter().any(|(_, n)| matches!(n, Expr::Var(v) if by.contains_key(v))) {
        return root;
    }
    let mut new: BTreeMap<ExprId, ExprId> = BTreeMap::new();
    for (id, node) in order {
        let value = match node {
            Expr::Var(v) => by.get(&v).copied().unwrap_or(id),
            other => rebuild(exprs, other, id, &new),
        };
        new.insert(id, value);
    }
    new[&root]
}

/// A node over translated operands; leaves stay as they are.
fn rebuild(
    exprs: &mut ExprArena,
    node: Expr,
    id: ExprId,
    new: &BTreeMap<ExprId, ExprId>,
) -> ExprId {
    match node {
        Expr::Constant(_) | Expr::Var(_) | Expr::Post(_) | Expr::Star(_) => id,
        Expr::Not(a) => exprs.not(new[&a]),
        Expr::And(a, b) => exprs.and(new[&a], new[&b]),
        Expr::Or(a, b) => exprs.or(new[&a], new[&b]),
        Expr::Xor(a, b) => exprs.xor(new[&a], new[&b]),
        Expr::Ite(a, b, c) => exprs.ite(new[&a], new[&b], new[&c]),
    }
}

/// Translates all expressions of a model into a new arena with renumbered variables.
struct Translation<'m> {
    old: &'m ExprArena,
    new: ExprArena,
    known: BTreeMap<ExprId, ExprId>,
    number: BTreeMap<VarId, VarId>,
}

impl Translation<'_> {
    fn expr(&mut self, root: ExprId) -> ExprId {
        let mut order = Vec::new();
        self.old.visit(&[root], |id, node| order.push((id, node)));
        for (id, node) in order {
            if self.known.contains_key(&id) {
                continue;
            }
            // Variables that were dropped occur only in values that were dropped with them.
            let number = |v: VarId| self.number.get(&v).copied();
            let value = match node {
                Expr::Constant(value) => self.new.constant(value),
                Expr::Var(v) => number(v).map_or(FALSE, |v| self.new.var(v)),
                Expr::Post(v) => number(v).map_or(FALSE, |v| self.new.post(v)),
                Expr::Star(_) => self.new.star(),
                other => rebuild(&mut self.new, other, id, &self.known),
            };
            self.known.insert(id, value);
        }
        self.known[&root]
    }

    fn step(&mut self, step: &Step) -> Step {
        let assignments = step
            .assignments
            .iter()
            .filter_map(|&(v, e)| Some((*self.number.get(&v)?, e)))
            .collect::<Vec<_>>();
        let assignments = assignments.into_iter().map(|(v, e)| (v, self.expr(e))).collect();
        Step {
            guard: self.expr(step.guard),
            constraint: self.expr(step.constraint),
            ..Step::assign(assignments)
        }
    }
}

/// The model with only the variables of `kept`, and for each of them its old number.
pub(super) fn restrict(model: &Model, kept: &BTreeSet<VarId>) -> (Model, Vec<VarId>) {
    let original: Vec<VarId> = kept.iter().copied().collect();
    let number: BTreeMap<VarId, VarId> =
        original.iter().enumerate().map(|(i, &v)| (v, VarId(i as u32))).collect();
    let mut translation = Translation {
        old: &model.exprs,
        new: ExprArena::default(),
        known: BTreeMap::new(),
        number,
    };
    let renumber = |list: &[VarId], t: &Translation<'_>| -> Vec<VarId> {
        list.iter().filter_map(|v| t.number.get(v).copied()).collect()
    };
    let mut edges = Vec::with_capacity(model.edges.len());
    for edge in &model.edges {
        let action = match &edge.action {
            Action::Step(step) => Action::Step(translation.step(step)),
            Action::Call { callee, arguments, results } => {
                let parameters = &model.procedure(*callee).parameters;
                let arguments = parameters
                    .iter()
                    .zip(arguments)
                    .filter(|(p, _)| kept.contains(p))
                    .map(|(_, &e)| translation.expr(e))
                    .collect();
                let results = results
                    .iter()
                    .map(|r| r.and_then(|v| translation.number.get(&v).copied()))
                    .collect();
                Action::Call { callee: *callee, arguments, results }
            }
            Action::Return { values } => {
                Action::Return { values: values.iter().map(|&e| translation.expr(e)).collect() }
            }
            Action::Thread(action) => Action::Thread(action.clone()),
        };
        edges.push(Edge { from: edge.from, to: edge.to, action });
    }
    let mut sliced = model.clone();
    sliced.edges = edges;
    sliced.variables = original.iter().map(|&v| model.variable(v).clone()).collect();
    sliced.globals = original.iter().filter(|v| v.0 < model.globals).count() as u32;
    sliced.initial = model
        .initial
        .iter()
        .filter_map(|&(v, value)| Some((*translation.number.get(&v)?, value)))
        .collect();
    for procedure in &mut sliced.procedures {
        procedure.parameters = renumber(&procedure.parameters, &translation);
        procedure.locals = renumber(&procedure.locals, &translation);
    }
    sliced.exprs = translation.new;
    (sliced, original)
}
