//! Values and assignments of remopla: which bits change, to what, and when that is possible.

use std::collections::BTreeMap;

use super::ast::{Assignment, BinaryOp, Expr, ExprKind, Reference};
use super::bits;
use super::evaluate::Value;
use super::lower::Body;
use super::storage::{Scalar, Shape, Stored};
use crate::model::{ExprId, FALSE, PointId, Step, TRUE, VarId};

/// New values of bits, and the condition under which they can be assigned.
pub(super) struct Update {
    pub(super) guard: ExprId,
    constraint: ExprId,
    pub(super) values: BTreeMap<VarId, ExprId>,
}

impl Update {
    pub(super) fn new() -> Self {
        Self { guard: TRUE, constraint: TRUE, values: BTreeMap::new() }
    }

    pub(super) fn step(self) -> Step {
        let assignments = self.values.into_iter().collect();
        Step { guard: self.guard, constraint: self.constraint, ..Step::assign(assignments) }
    }
}

impl Body<'_, '_, '_> {
    /// The bits of a value for cells of a shape, and whether it fits.
    pub(super) fn value_for(&mut self, e: &Expr, shape: &Shape) -> Option<(Vec<ExprId>, ExprId)> {
        let cells = shape.cells();
        if matches!(e.kind, ExprKind::Undef) {
            return Some(self.any_value(&cells));
        }
        if let ExprKind::Reference(r) = &e.kind
            && cells.len() > 1
        {
            let stored = self.evaluator.whole(r);
            let same = stored.filter(|s| s.cells.iter().map(|c| c.0).eq(cells.iter().map(|c| c.1)));
            let Some(stored) = same else {
                self.outer.messages.error(e.span, "expected an array or structure of this type");
                return None;
            };
            let exprs = &mut self.outer.builder.exprs;
            let bits = stored.cells.iter().flat_map(|c| &c.1).map(|&v| exprs.var(v)).collect();
            return Some((bits, TRUE));
        }
        let [(_, scalar)] = cells.as_slice() else {
            self.outer.messages.error(e.span, "expected an array or structure");
            return None;
        };
        self.scalar_value(e, *scalar)
    }

    fn any_value(&mut self, cells: &[(String, Scalar)]) -> (Vec<ExprId>, ExprId) {
        let exprs = &mut self.outer.builder.exprs;
        let width: usize = cells.iter().map(|c| c.1.width()).sum();
        ((0..width).map(|_| exprs.star()).collect(), TRUE)
    }

    fn scalar_value(&mut self, e: &Expr, scalar: Scalar) -> Option<(Vec<ExprId>, ExprId)> {
        let exprs = &mut self.outer.builder.exprs;
        match (self.evaluator.expression(exprs, e, self.outer.messages)?, scalar) {
            (Value::Bool(value), Scalar::Bool) => Some((vec![value], TRUE)),
            (Value::Int(value), Scalar::Int(_) | Scalar::Enum(_)) => {
                let width = scalar.width();
                let exprs = &mut self.outer.builder.exprs;
                let mut fits = bits::fits(exprs, &value, width);
                if let Scalar::Enum(size) = scalar {
                    let limit = bits::number(exprs, u64::from(size));
                    let below = bits::less(exprs, &value, &limit);
                    fits = exprs.and(fits, below);
                }
                let padded = value.iter().copied().chain(std::iter::repeat(FALSE));
                Some((padded.take(width).collect(), fits))
            }
            (Value::Bool(_), _) => {
                self.outer.messages.error(e.span, "expected a number, found a truth value");
                None
            }
            (Value::Int(_), _) => {
                self.outer.messages.error(e.span, "expected a truth value, found a number");
                None
            }
        }
    }

    fn require(&mut self, update: &mut Update, condition: ExprId) {
        let defined = self.evaluator.take_defined();
        let exprs = &mut self.outer.builder.exprs;
        let both = exprs.and(condition, defined);
        update.guard = exprs.and(update.guard, both);
    }

    /// Writes bits to the cells of a target.
    pub(super) fn write(
        &mut self,
        update: &mut Update,
        target: &Reference,
        e: &Expr,
    ) -> Option<()> {
        if let Some(stored) = self.evaluator.whole(target) {
            let (values, fits) = self.value_for(e, &stored.shape)?;
            self.require(update, fits);
            let variables = stored.cells.iter().flat_map(|c| c.1.clone());
            let undef = matches!(e.kind, ExprKind::Undef);
            update.values.extend(variables.zip(values));
            if undef {
                self.stay_in_range(update, &stored);
            }
            return Some(());
        }
        let exprs = &mut self.outer.builder.exprs;
        let place = self.evaluator.place(exprs, target, self.outer.messages)?;
        let shape = Shape::scalar(place.scalar);
        let stored = self.evaluator.variables[&target.name.text].clone();
        // A star may be used once only, so each cell gets its own arbitrary value.
        let undef = matches!(e.kind, ExprKind::Undef);
        let mut values = self.value_for(e, &shape)?;
        self.require(update, values.1);
        for (condition, cell) in place.cells {
            if undef {
                values = self.value_for(e, &shape)?;
            }
            for (&variable, &value) in stored.cells[cell].1.iter().zip(&values.0) {
                let exprs = &mut self.outer.builder.exprs;
                let old = match update.values.get(&variable) {
                    Some(&old) => old,
                    None => exprs.var(variable),
                };
                let new = exprs.ite(condition, value, old);
                update.values.insert(variable, new);
            }
        }
        if undef {
            self.stay_in_range(update, &stored);
        }
        Some(())
    }

    /// After `undef`, enumerations still hold one of their values.
    fn stay_in_range(&mut self, update: &mut Update, stored: &Stored) {
        for (scalar, cell) in &stored.cells {
            if let Scalar::Enum(size) = scalar {
                let exprs = &mut self.outer.builder.exprs;
                let mut value: bits::Bits = cell.iter().map(|&v| exprs.post(v)).collect();
                value.push(FALSE);
                let limit = bits::number(exprs, u64::from(*size));
                let below = bits::less(exprs, &value, &limit);
                update.constraint = exprs.and(update.constraint, below);
            }
        }
    }

    /// All ways to execute a list of assignments: `E` makes alternatives.
    pub(super) fn updates(&mut self, list: &[Assignment]) -> Vec<Update> {
        let mut ways = vec![Update::new()];
        for assignment in list {
            ways = ways.into_iter().flat_map(|w| self.extend(w, assignment)).collect();
        }
        ways
    }

    fn extend(&mut self, mut update: Update, assignment: &Assignment) -> Vec<Update> {
        match assignment {
            Assignment::Equal(target, value) => {
                self.write(&mut update, target, value);
                vec![update]
            }
            Assignment::NotEqual(target, value) => {
                let undef = Expr { kind: ExprKind::Undef, span: value.span };
                self.write(&mut update, target, &undef);
                let primed = Reference { primed: true, ..target.clone() };
                let afterwards = Expr { kind: ExprKind::Reference(primed), span: value.span };
                let kind = ExprKind::Binary(
                    BinaryOp::NotEqual,
                    Box::new(afterwards),
                    Box::new(value.clone()),
                );
                let different = Expr { kind, span: value.span };
                let exprs = &mut self.outer.builder.exprs;
                let holds = self.evaluator.condition(exprs, &different, self.outer.messages);
                update.constraint = self.outer.builder.exprs.and(update.constraint, holds);
                self.require(&mut update, TRUE);
                vec![update]
            }
            Assignment::Quantified(q, inner) => {
                let Some(range) = self.evaluator.range(q, self.outer.messages) else {
                    return vec![update];
                };
                let mut ways = vec![update];
                let mut alternatives = Vec::new();
                for i in range {
                    // The index is bound by hand, because lowering needs the whole body.
                    let substituted = substitute(inner, &q.variable.text, i);
                    if q.all {
                        ways =
                            ways.into_iter().flat_map(|w| self.extend(w, &substituted)).collect();
                    } else {
                        for way in &ways {
                            let copy = Update {
                                guard: way.guard,
                                constraint: way.constraint,
                                values: way.values.clone(),
                            };
                            alternatives.extend(self.extend(copy, &substituted));
                        }
                    }
                }
                if q.all { ways } else { alternatives }
            }
        }
    }

    pub(super) fn assign(&mut self, list: &[Assignment], here: PointId, next: PointId) {
        for update in self.updates(list) {
            self.outer.builder.step(here, next, update.step());
        }
    }
}

/// An assignment with an index replaced by its value.
fn substitute(assignment: &Assignment, name: &str, value: u64) -> Assignment {
    let exprs = |list: &[Expr]| list.iter().map(|e| substitute_expr(e, name, value)).collect();
    let reference = |r: &Reference| Reference {
        indices: exprs(&r.indices),
        field: r.field.as_ref().map(|(f, i)| (f.clone(), exprs(i))),
        ..r.clone()
    };
    match assignment {
        Assignment::Equal(r, e) => Assignment::Equal(reference(r), substitute_expr(e, name, value)),
        Assignment::NotEqual(r, e) => {
            Assignment::NotEqual(reference(r), substitute_expr(e, name, value))
        }
        Assignment::Quantified(q, inner) if q.variable.text == name => {
            Assignment::Quantified(q.clone(), inner.clone())
        }
        Assignment::Quantified(q, inner) => {
            Assignment::Quantified(q.clone(), Box::new(substitute(inner, name, value)))
        }
    }
}

fn substitute_expr(e: &Expr, name: &str, value: u64) -> Expr {
    let again = |e: &Expr| Box::new(substitute_expr(e, name, value));
    let list = |l: &[Expr]| l.iter().map(|e| substitute_expr(e, name, value)).collect();
    let kind = match &e.kind {
        ExprKind::Reference(r) if r.name.text == name && r.indices.is_empty() => {
            ExprKind::Number(u32::try_from(value).unwrap_or(u32::MAX))
        }
        ExprKind::Reference(r) => ExprKind::Reference(Reference {
            indices: list(&r.indices),
            field: r.field.as_ref().map(|(f, i)| (f.clone(), list(i))),
            ..r.clone()
        }),
        ExprKind::Not(inner) => ExprKind::Not(again(inner)),
        ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, again(a), again(b)),
        ExprKind::Quantified(q, inner) if q.variable.text != name => {
            ExprKind::Quantified(q.clone(), again(inner))
        }
        other => other.clone(),
    };
    Expr { kind, span: e.span }
}
