//! Copying procedures of one model into another that is being built.
//!
//! Each copy has its own locals and points; expressions are translated node by node, each choice
//! (`*`) once for each copy, which keeps the invariant of [`ExprArena`](crate::model::ExprArena).

use std::collections::BTreeMap;

use crate::model::{
    Action, Edge, Expr, ExprId, Model, ModelBuilder, PointId, PointKind, ProcId, Step, VarId,
};

/// What a copy is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It is called.
    Called,
    /// A thread starts in it: its parameters are locals like the others, and nothing returns.
    Root,
}

/// One copy: where the old locals, points and expressions went.
pub(super) struct Copy<'m> {
    old: &'m Model,
    /// The procedure that was copied.
    pub(super) from: ProcId,
    /// The new procedure.
    pub(super) to: ProcId,
    locals: BTreeMap<VarId, VarId>,
    points: BTreeMap<PointId, PointId>,
    exprs: BTreeMap<ExprId, ExprId>,
}

impl<'m> Copy<'m> {
    /// Declares a copy: its locals and points, but no edges yet.
    pub(super) fn declare(
        old: &'m Model,
        builder: &mut ModelBuilder,
        from: ProcId,
        role: Role,
    ) -> Self {
        let procedure = old.procedure(from);
        let results = if role == Role::Root { 0 } else { procedure.results };
        let to = builder.procedure(&procedure.name, results, procedure.span);
        let mut locals = BTreeMap::new();
        for &local in &procedure.locals {
            let variable = old.variable(local);
            let new = if role == Role::Called && procedure.parameters.contains(&local) {
                builder.parameter(to, &variable.name, variable.span)
            } else {
                builder.local(to, &variable.name, variable.span)
            };
            locals.insert(local, new);
        }
        let mut points = BTreeMap::new();
        for &point in &procedure.points {
            let at = old.point(point);
            let new = builder.point(to, at.kind, &at.text, at.span);
            for label in &at.labels {
                builder.label(new, label);
            }
            points.insert(point, new);
        }
        builder.set_entry(to, points[&procedure.entry]);
        Self { old, from, to, locals, points, exprs: BTreeMap::new() }
    }

    /// The copy of a point.
    pub(super) fn point(&self, point: PointId) -> PointId {
        self.points[&point]
    }

    /// The copy of a local; globals keep their numbers.
    pub(super) fn variable(&self, variable: VarId) -> VarId {
        self.locals.get(&variable).copied().unwrap_or(variable)
    }

    /// The copy of an expression.
    pub(super) fn expr(&mut self, builder: &mut ModelBuilder, root: ExprId) -> ExprId {
        let mut order = Vec::new();
        self.old.exprs.visit(&[root], |id, node| order.push((id, node)));
        for (id, node) in order {
            if self.exprs.contains_key(&id) {
                continue;
            }
            let new = &mut builder.exprs;
            let value = match node {
                Expr::Constant(value) => new.constant(value),
                Expr::Var(v) => new.var(self.variable(v)),
                Expr::Post(v) => new.post(self.variable(v)),
                Expr::Star(_) => new.star(),
                Expr::Not(a) => new.not(self.exprs[&a]),
                Expr::And(a, b) => new.and(self.exprs[&a], self.exprs[&b]),
                Expr::Or(a, b) => new.or(self.exprs[&a], self.exprs[&b]),
                Expr::Xor(a, b) => new.xor(self.exprs[&a], self.exprs[&b]),
                Expr::Ite(a, b, c) => new.ite(self.exprs[&a], self.exprs[&b], self.exprs[&c]),
            };
            self.exprs.insert(id, value);
        }
        self.exprs[&root]
    }

    /// The copy of a step.
    pub(super) fn step(&mut self, builder: &mut ModelBuilder, step: &Step) -> Step {
        let assignments: Vec<_> = step
            .assignments
            .iter()
            .map(|&(v, e)| (self.variable(v), self.expr(builder, e)))
            .collect();
        Step {
            guard: self.expr(builder, step.guard),
            constraint: self.expr(builder, step.constraint),
            ..Step::assign(assignments)
        }
    }

    /// The edges of the old procedure.
    pub(super) fn edges(&self) -> Vec<&'m Edge> {
        let old = self.old;
        let points = &old.procedure(self.from).points;
        points.iter().flat_map(|&p| old.outgoing(p).map(|(_, e)| e)).collect()
    }

    /// Copies calls, `callees` giving the new procedures.
    pub(super) fn call(
        &mut self,
        builder: &mut ModelBuilder,
        action: &Action,
        callees: &BTreeMap<ProcId, ProcId>,
    ) -> Option<Action> {
        let Action::Call { callee, arguments, results } = action else { return None };
        let arguments = arguments.iter().map(|&e| self.expr(builder, e)).collect();
        let results = results.iter().map(|r| r.map(|v| self.variable(v))).collect();
        Some(Action::Call { callee: *callees.get(callee)?, arguments, results })
    }

    /// A further point of the copy.
    pub(super) fn extra_point(
        &self,
        builder: &mut ModelBuilder,
        kind: PointKind,
        text: &str,
    ) -> PointId {
        builder.point(self.to, kind, text, self.old.procedure(self.from).span)
    }
}
