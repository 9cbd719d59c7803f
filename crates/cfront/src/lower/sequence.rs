//! Effects on one object whose order C leaves open: `i = i++ + 1`, `a[i] = i++`, `f(i, i++)`.
//!
//! The lowering has a fixed order, so such an expression has one meaning here, but the user's
//! compiler may choose another one: a warning says so. One walk over a full expression computes for
//! each part three sets of objects (C17 5.1.2.3, 6.5p2): those that are read, those that are
//! changed, and those whose change may still be pending when the value is there. Operands between
//! which there is no sequence point conflict where one changes what the other reads or changes; a
//! store conflicts with a pending change of its own object. Only objects that are changed somewhere
//! in the expression are of interest, and these are few: sets are the bits of a word.
//!
//! Objects are named variables and their members. What is behind pointers and in arrays is not
//! followed, nor what functions do that are called.

use super::expr::with_stack;
use crate::ast::{Ast, BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::span::Span;
use crate::symbol::Symbol;

/// A variable and the members that lead to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Object {
    root: Symbol,
    members: Vec<Symbol>,
}

impl Object {
    /// Whether one is the other or a part of it.
    fn overlaps(&self, other: &Self) -> bool {
        let common = self.members.len().min(other.members.len());
        self.root == other.root && self.members[..common] == other.members[..common]
    }
}

/// Sets of objects that are changed in the expression, by their numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Effects {
    read: u64,
    changed: u64,
    /// A part of `changed`: not complete yet when the value is computed.
    pending: u64,
}

impl Effects {
    fn union(self, other: Self) -> Self {
        Self {
            read: self.read | other.read,
            changed: self.changed | other.changed,
            pending: self.pending | other.pending,
        }
    }

    /// After a sequence point.
    fn complete(self) -> Self {
        Self { pending: 0, ..self }
    }
}

/// Two effects whose order is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    /// The variable.
    pub variable: Symbol,
    /// The smallest expression that has both.
    pub span: Span,
}

/// The conflicts in a full expression, one for each object.
pub(super) fn conflicts(ast: &Ast, e: ExprId) -> Vec<Conflict> {
    let mut walk = Walk { ast, objects: Vec::new(), collecting: true, found: Vec::new() };
    walk.effects(e);
    if walk.objects.is_empty() {
        return Vec::new();
    }
    walk.collecting = false;
    walk.effects(e);
    walk.found
}

/// More objects than a word has bits are not followed.
const MAX_OBJECTS: usize = 64;

struct Walk<'a> {
    ast: &'a Ast,
    /// What is changed; all of it once it is collected.
    objects: Vec<Object>,
    collecting: bool,
    found: Vec<Conflict>,
}

impl Walk<'_> {
    /// What evaluating the expression as a value does.
    fn effects(&mut self, e: ExprId) -> Effects {
        with_stack(|| self.effects_here(e))
    }

    fn effects_here(&mut self, e: ExprId) -> Effects {
        let span = self.ast[e].span;
        match self.ast[e].kind {
            ExprKind::Ident(_)
            | ExprKind::Member { .. }
            | ExprKind::Arrow { .. }
            | ExprKind::Index { .. }
            | ExprKind::Unary { op: UnaryOp::Deref, .. } => {
                let place = self.place(e);
                Effects { read: place.read | self.numbers(e), ..place }
            }
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => self.place(operand),
            ExprKind::Unary {
                op: UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec,
                operand,
            } => {
                let place = self.place(operand);
                let read = self.numbers(operand);
                self.store(operand, Effects { read: place.read | read, ..place }, span)
            }
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => {
                self.effects(operand)
            }
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, lhs, rhs }
            | ExprKind::Comma { lhs, rhs } => {
                let first = self.effects(lhs).complete();
                first.union(self.effects(rhs))
            }
            ExprKind::Binary { lhs, rhs, .. } => {
                let (a, b) = (self.effects(lhs), self.effects(rhs));
                self.unsequenced(a, b, span)
            }
            ExprKind::Conditional { cond, then, els } => {
                let first = self.effects(cond).complete();
                let then = then.map_or_else(Effects::default, |then| self.effects(then));
                first.union(then).union(self.effects(els))
            }
            ExprKind::Assign { op, lhs, rhs } => {
                let mut place = self.place(lhs);
                if op.is_some() {
                    place.read |= self.numbers(lhs);
                }
                // The value that `lhs op= rhs` reads is read before the store, but in no order
                // with the effects of the right side.
                let value = self.effects(rhs);
                let both = self.unsequenced(place, value, span);
                self.store(lhs, both, span)
            }
            ExprKind::Call { callee, args } => {
                let mut all = self.effects(callee);
                for &arg in &self.ast[args] {
                    let arg = self.effects(arg);
                    all = self.unsequenced(all, arg, span);
                }
                // The arguments are complete when the function is entered.
                all.complete()
            }
            _ => Effects::default(),
        }
    }

    /// What finding a place does, without reading it.
    fn place(&mut self, e: ExprId) -> Effects {
        with_stack(|| match self.ast[e].kind {
            ExprKind::Ident(_) => Effects::default(),
            ExprKind::Member { base, .. } => self.place(base),
            ExprKind::Arrow { base, .. } => self.effects(base),
            ExprKind::Unary { op: UnaryOp::Deref, operand } => self.effects(operand),
            ExprKind::Index { base, index } => {
                let (a, b) = (self.effects(base), self.effects(index));
                self.unsequenced(a, b, self.ast[e].span)
            }
            _ => self.effects(e),
        })
    }

    /// The effects of operands between which there is no sequence point.
    fn unsequenced(&mut self, a: Effects, b: Effects, span: Span) -> Effects {
        let conflict = a.changed & (b.read | b.changed) | b.changed & a.read;
        self.report(conflict, span);
        a.union(b)
    }

    /// A store into the place of `e` behind the effects `before`.
    fn store(&mut self, e: ExprId, before: Effects, span: Span) -> Effects {
        if self.collecting
            && self.objects.len() < MAX_OBJECTS
            && let Some(object) = self.object(e)
            && !self.objects.contains(&object)
        {
            self.objects.push(object);
        }
        let own = self.numbers(e);
        self.report(before.pending & own, span);
        Effects { changed: before.changed | own, pending: before.pending | own, read: before.read }
    }

    /// The numbers of the changed objects that overlap with what an expression names.
    fn numbers(&self, e: ExprId) -> u64 {
        if self.collecting {
            return 0;
        }
        let Some(object) = self.object(e) else { return 0 };
        let overlapping = self.objects.iter().enumerate().filter(|(_, o)| o.overlaps(&object));
        overlapping.fold(0, |bits, (number, _)| bits | 1 << number)
    }

    /// The variable or member that an expression names.
    fn object(&self, e: ExprId) -> Option<Object> {
        let mut members = Vec::new();
        let mut e = e;
        loop {
            match self.ast[e].kind {
                ExprKind::Ident(root) => {
                    members.reverse();
                    return Some(Object { root, members });
                }
                ExprKind::Member { base, field } => {
                    members.push(field);
                    e = base;
                }
                _ => return None,
            }
        }
    }

    fn report(&mut self, conflict: u64, span: Span) {
        for number in 0..self.objects.len() {
            let variable = self.objects[number].root;
            let known = self.found.iter().any(|c| c.variable == variable);
            if conflict & (1 << number) != 0 && !known {
                self.found.push(Conflict { variable, span });
            }
        }
    }
}
