//! Expressions of remopla as Boolean expressions of the model.
//!
//! An index out of range, a division by zero, or a shift too far makes a statement impossible to
//! execute; such conditions are collected while an expression is translated
//! ([`Evaluator::take_defined`]) and become part of the guard.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{BinaryOp, Expr, ExprKind, Quantifier, Reference};
use super::bits::{self, Bits};
use super::storage::{Dimension, Scalar, Stored, Types};
use crate::diagnostic::Diagnostics;
use crate::model::{ExprArena, ExprId, FALSE, TRUE, VarId};
use crate::source::{Ident, Span};

/// A translated expression.
#[derive(Clone, Debug)]
pub enum Value {
    /// A truth value.
    Bool(ExprId),
    /// A number.
    Int(Bits),
}

/// The cells that a reference may mean, each with its condition.
pub struct Place {
    /// The scalar they hold.
    pub scalar: Scalar,
    /// Condition and cell.
    pub cells: Vec<(ExprId, usize)>,
}

/// Everything needed to translate expressions of one module.
pub struct Evaluator<'t> {
    /// Types and constants.
    pub types: &'t Types,
    /// Variables in scope.
    pub variables: BTreeMap<String, Stored>,
    /// Values of bound indices.
    indices: Vec<(String, u64)>,
    defined: ExprId,
    /// Bits of variables that were read after the step.
    pub primed: BTreeSet<VarId>,
}

/// Ranges of quantifiers larger than this are refused.
const MAX_RANGE: u64 = 1 << 12;

impl<'t> Evaluator<'t> {
    /// An evaluator for some variables.
    pub fn new(types: &'t Types, variables: BTreeMap<String, Stored>) -> Self {
        Self { types, variables, indices: Vec::new(), defined: TRUE, primed: BTreeSet::new() }
    }

    /// The condition under which everything translated since the last call is defined.
    pub fn take_defined(&mut self) -> ExprId {
        std::mem::replace(&mut self.defined, TRUE)
    }

    fn require(&mut self, exprs: &mut ExprArena, condition: ExprId) {
        self.defined = exprs.and(self.defined, condition);
    }

    /// A truth value.
    pub fn condition(
        &mut self,
        exprs: &mut ExprArena,
        e: &Expr,
        messages: &mut Diagnostics,
    ) -> ExprId {
        match self.expression(exprs, e, messages) {
            Some(Value::Bool(value)) => value,
            Some(Value::Int(_)) => {
                messages.error(e.span, "expected a truth value, found a number");
                FALSE
            }
            None => FALSE,
        }
    }

    /// A number.
    pub fn number(
        &mut self,
        exprs: &mut ExprArena,
        e: &Expr,
        messages: &mut Diagnostics,
    ) -> Option<Bits> {
        match self.expression(exprs, e, messages)? {
            Value::Int(value) => Some(value),
            Value::Bool(_) => {
                messages.error(e.span, "expected a number, found a truth value");
                None
            }
        }
    }

    /// Any expression.
    pub fn expression(
        &mut self,
        exprs: &mut ExprArena,
        e: &Expr,
        messages: &mut Diagnostics,
    ) -> Option<Value> {
        match &e.kind {
            ExprKind::Number(n) => Some(Value::Int(bits::number(exprs, u64::from(*n)))),
            ExprKind::Bool(b) => Some(Value::Bool(exprs.constant(*b))),
            ExprKind::Undef => {
                messages.error(e.span, "`undef` can only be a whole value or argument");
                None
            }
            ExprKind::Reference(r) => self.read(exprs, r, messages),
            ExprKind::Not(inner) => {
                let inner = self.condition(exprs, inner, messages);
                Some(Value::Bool(exprs.not(inner)))
            }
            ExprKind::Quantified(q, inner) => {
                let mut total = exprs.constant(q.all);
                for i in self.range(q, messages)? {
                    self.indices.push((q.variable.text.clone(), i));
                    let one = self.condition(exprs, inner, messages);
                    self.indices.pop();
                    total = if q.all { exprs.and(total, one) } else { exprs.or(total, one) };
                }
                Some(Value::Bool(total))
            }
            ExprKind::Binary(op, a, b) => self.binary(exprs, *op, a, b, messages),
        }
    }

    /// The values of the index of a quantifier.
    pub fn range(
        &self,
        q: &Quantifier,
        messages: &mut Diagnostics,
    ) -> Option<std::ops::RangeInclusive<u64>> {
        let low = self.types.evaluate(&q.low, messages)?;
        let high = self.types.evaluate(&q.high, messages)?;
        if low > high || high - low > MAX_RANGE {
            messages.error(q.variable.span, "expected a range of 1 to 4096 values");
            return None;
        }
        Some(low..=high)
    }

    fn binary(
        &mut self,
        exprs: &mut ExprArena,
        op: BinaryOp,
        a: &Expr,
        b: &Expr,
        messages: &mut Diagnostics,
    ) -> Option<Value> {
        use BinaryOp as Op;
        if matches!(op, Op::Or | Op::And | Op::Xor | Op::Equivalent) {
            let a = self.condition(exprs, a, messages);
            let b = self.condition(exprs, b, messages);
            return Some(Value::Bool(match op {
                Op::Or => exprs.or(a, b),
                Op::And => exprs.and(a, b),
                Op::Xor => exprs.xor(a, b),
                _ => exprs.equal(a, b),
            }));
        }
        let span = a.span.to(b.span);
        let a = self.expression(exprs, a, messages);
        let b = self.expression(exprs, b, messages);
        let (x, y) = match (a?, b?) {
            (Value::Int(x), Value::Int(y)) => (x, y),
            (Value::Bool(x), Value::Bool(y)) => {
                return match op {
                    Op::Equal => Some(Value::Bool(exprs.equal(x, y))),
                    Op::NotEqual | Op::BitXor => Some(Value::Bool(exprs.xor(x, y))),
                    Op::BitAnd => Some(Value::Bool(exprs.and(x, y))),
                    Op::BitOr => Some(Value::Bool(exprs.or(x, y))),
                    _ => {
                        let text = format!("`{}` needs numbers, found truth values", op.text());
                        messages.error(span, text);
                        None
                    }
                };
            }
            _ => {
                let text = format!("`{}` between a number and a truth value", op.text());
                messages.error(span, text);
                return None;
            }
        };
        Some(match op {
            Op::Equal => Value::Bool(bits::equal(exprs, &x, &y)),
            Op::NotEqual => {
                let same = bits::equal(exprs, &x, &y);
                Value::Bool(exprs.not(same))
            }
            Op::Less => Value::Bool(bits::less(exprs, &x, &y)),
            Op::Greater => Value::Bool(bits::less(exprs, &y, &x)),
            Op::LessEqual => {
                let greater = bits::less(exprs, &y, &x);
                Value::Bool(exprs.not(greater))
            }
            Op::GreaterEqual => {
                let smaller = bits::less(exprs, &x, &y);
                Value::Bool(exprs.not(smaller))
            }
            Op::Add => Value::Int(bits::add(exprs, &x, &y)),
            Op::Subtract => Value::Int(bits::subtract(exprs, &x, &y)),
            Op::Multiply => Value::Int(bits::multiply(exprs, &x, &y)),
            Op::Divide => {
                let (quotient, defined) = bits::divide(exprs, &x, &y);
                self.require(exprs, defined);
                Value::Int(quotient)
            }
            Op::ShiftLeft | Op::ShiftRight => {
                let (shifted, defined) = bits::shift(exprs, &x, &y, op == Op::ShiftLeft);
                self.require(exprs, defined);
                Value::Int(shifted)
            }
            Op::BitAnd => Value::Int(bits::bitwise(exprs, &x, &y, ExprArena::and)),
            Op::BitOr => Value::Int(bits::bitwise(exprs, &x, &y, ExprArena::or)),
            Op::BitXor => Value::Int(bits::bitwise(exprs, &x, &y, ExprArena::xor)),
            Op::Or | Op::And | Op::Xor | Op::Equivalent => return None,
        })
    }

    fn read(
        &mut self,
        exprs: &mut ExprArena,
        r: &Reference,
        messages: &mut Diagnostics,
    ) -> Option<Value> {
        if r.indices.is_empty() && r.field.is_none() && !r.primed {
            if let Some((_, value)) = self.indices.iter().rev().find(|i| i.0 == r.name.text) {
                return Some(Value::Int(bits::number(exprs, *value)));
            }
            if !self.variables.contains_key(&r.name.text)
                && let Some(&value) = self.types.constants.get(&r.name.text)
            {
                return Some(Value::Int(bits::number(exprs, value)));
            }
        }
        let place = self.place(exprs, r, messages)?;
        let stored = self.variables[&r.name.text].clone();
        let width = place.scalar.width();
        let mut value = vec![FALSE; width];
        for &(condition, cell) in &place.cells {
            for (bit, &variable) in value.iter_mut().zip(&stored.cells[cell].1) {
                let old = if r.primed {
                    self.primed.insert(variable);
                    exprs.post(variable)
                } else {
                    exprs.var(variable)
                };
                *bit = exprs.ite(condition, old, *bit);
            }
        }
        Some(match place.scalar {
            Scalar::Bool => Value::Bool(value[0]),
            Scalar::Int(_) | Scalar::Enum(_) => {
                value.push(FALSE);
                Value::Int(value)
            }
        })
    }

    fn stored(&self, name: &Ident, messages: &mut Diagnostics) -> Option<Stored> {
        let stored = self.variables.get(&name.text).cloned();
        if stored.is_none() {
            messages.error(name.span, format!("unknown variable `{}`", name.text));
        }
        stored
    }

    /// All cells of a variable that is named as a whole, if it has more than one.
    pub fn whole(&self, r: &Reference) -> Option<Stored> {
        let stored = self.variables.get(&r.name.text)?;
        let whole = r.indices.is_empty() && r.field.is_none() && stored.cells.len() > 1;
        whole.then(|| stored.clone())
    }

    /// The cells that a reference to one element may mean.
    pub fn place(
        &mut self,
        exprs: &mut ExprArena,
        r: &Reference,
        messages: &mut Diagnostics,
    ) -> Option<Place> {
        let stored = self.stored(&r.name, messages)?;
        let shape = &stored.shape;
        let field = match &r.field {
            None => 0,
            Some((name, _)) => {
                let found = shape.fields.iter().position(|f| f.name == name.text);
                if found.is_none() {
                    let text = format!("`{}` has no field `{}`", r.name.text, name.text);
                    messages.error(name.span, text);
                }
                found?
            }
        };
        if r.field.is_none() && shape.fields.len() > 1 {
            messages.error(r.name.span, format!("`{}` is a structure", r.name.text));
            return None;
        }
        let span = r.name.span;
        let outer = self.index(exprs, &r.indices, &shape.dimensions, span, messages)?;
        let none = Vec::new();
        let inner_indices = r.field.as_ref().map_or(&none, |f| &f.1);
        let dimensions = &shape.fields[field].dimensions;
        let inner = self.index(exprs, inner_indices, dimensions, span, messages)?;
        let (offset, each) = shape.field_offset(field);
        let mut cells = Vec::new();
        for &(outer_condition, i) in &outer {
            for &(inner_condition, j) in &inner {
                let condition = exprs.and(outer_condition, inner_condition);
                if condition != FALSE {
                    cells.push((condition, i * each + offset + j));
                }
            }
        }
        Some(Place { scalar: shape.fields[field].scalar, cells })
    }

    /// The elements that indices may mean, with their conditions.
    fn index(
        &mut self,
        exprs: &mut ExprArena,
        indices: &[Expr],
        dimensions: &[Dimension],
        span: Span,
        messages: &mut Diagnostics,
    ) -> Option<Vec<(ExprId, usize)>> {
        if indices.len() != dimensions.len() {
            let text = format!("expected {} indices, found {}", dimensions.len(), indices.len());
            messages.error(span, text);
            return None;
        }
        let mut elements = vec![(TRUE, 0)];
        for (index, &(low, size)) in indices.iter().zip(dimensions) {
            let value = self.number(exprs, index, messages)?;
            let mut next = Vec::new();
            let mut in_range = FALSE;
            for k in 0..size {
                let wanted = bits::number(exprs, u64::from(low + k));
                let here = bits::equal(exprs, &value, &wanted);
                in_range = exprs.or(in_range, here);
                for &(condition, element) in &elements {
                    let both = exprs.and(condition, here);
                    if both != FALSE {
                        next.push((both, element * size as usize + k as usize));
                    }
                }
            }
            self.require(exprs, in_range);
            elements = next;
        }
        Some(elements)
    }
}
