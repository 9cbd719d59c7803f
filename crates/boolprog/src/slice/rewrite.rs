//! Rewriting of expressions and the model without the variables that were dropped.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{
    Action, Edge, Expr, ExprArena, ExprId, FALSE, Model, Step, TRUE, VarId, Variable,
};
use crate::source::Span;

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

    fn action(&mut self, model: &Model, action: &Action) -> Action {
        match action {
            Action::Step(step) => Action::Step(self.step(step)),
            Action::Call { callee, arguments, results } => {
                let parameters = &model.procedure(*callee).parameters;
                let kept: Vec<_> = parameters
                    .iter()
                    .zip(arguments)
                    .filter(|(p, _)| self.number.contains_key(p))
                    .map(|(_, &e)| e)
                    .collect();
                let target = |r: &Option<VarId>| r.and_then(|v| self.number.get(&v).copied());
                let results = results.iter().map(target).collect();
                let arguments = kept.into_iter().map(|e| self.expr(e)).collect();
                Action::Call { callee: *callee, arguments, results }
            }
            Action::Return { values } => {
                Action::Return { values: values.iter().map(|&e| self.expr(e)).collect() }
            }
            Action::Thread(action) => Action::Thread(action.clone()),
        }
    }
}

/// The model with only the variables of `kept`, and for each of them its old number.
pub(super) fn restrict(model: &Model, kept: &BTreeSet<VarId>) -> (Model, Vec<VarId>) {
    let original: Vec<VarId> = kept.iter().copied().collect();
    let number: BTreeMap<VarId, VarId> =
        original.iter().enumerate().map(|(i, &v)| (v, VarId(i as u32))).collect();
    let mut sliced = renumber(model, number);
    sliced.variables = original.iter().map(|&v| model.variable(v).clone()).collect();
    sliced.globals = original.iter().filter(|v| v.0 < model.globals).count() as u32;
    (sliced, original)
}

/// The model with all variables renumbered by an injective map that leaves `fresh` free, and a new
/// global with that number.
pub(crate) fn renumbered(model: &Model, to: impl Fn(VarId) -> VarId, fresh: VarId) -> Model {
    let all = (0..model.variables.len() as u32).map(VarId);
    let mut result = renumber(model, all.map(|v| (v, to(v))).collect());
    let flag = Variable { name: "passed".to_owned(), owner: None, span: Span::default() };
    result.variables.insert(fresh.index(), flag);
    result.globals += 1;
    result
}

/// The model with the variables of `number` renumbered and all others dropped; the list of
/// variables itself is left to the caller.
fn renumber(model: &Model, number: BTreeMap<VarId, VarId>) -> Model {
    let mut translation = Translation {
        old: &model.exprs,
        new: ExprArena::default(),
        known: BTreeMap::new(),
        number,
    };
    let mut edges = Vec::with_capacity(model.edges.len());
    for edge in &model.edges {
        let action = translation.action(model, &edge.action);
        edges.push(Edge { from: edge.from, to: edge.to, action });
    }
    let Translation { new, number, .. } = translation;
    let list = |list: &[VarId]| list.iter().filter_map(|v| number.get(v).copied()).collect();
    let mut result = model.clone();
    result.edges = edges;
    result.initial =
        model.initial.iter().filter_map(|&(v, value)| Some((*number.get(&v)?, value))).collect();
    for procedure in &mut result.procedures {
        procedure.parameters = list(&procedure.parameters);
        procedure.locals = list(&procedure.locals);
    }
    result.exprs = new;
    result
}
