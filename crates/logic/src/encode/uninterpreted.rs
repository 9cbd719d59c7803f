//! What is not linear becomes a function symbol with axioms, in the theory Int.
//!
//! Each symbol stands for one operation of the model on one type, and [`Uninterpreted::meaning`]
//! says which: the true operation satisfies every axiom, which a test checks by evaluating them
//! with the true operation in place of the symbol. The axioms are instances for the arguments at
//! hand (no quantifiers): bounds, neutral and absorbing operands, signs.

use super::interval::Interval;
use super::scalar::{integer_of, range_of};
use crate::Integer;
use crate::term::{Function, Sort, Term, Terms};
use gnomon_ir::expr::{BinaryOp, UnaryOp};
use gnomon_ir::ops::{self, Scalar};
use gnomon_ir::types::FloatKind;
use rustc_hash::FxHashMap;

/// What a function symbol stands for. Integers represent values as in the theory Int.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Meaning {
    /// An operation on numbers; comparisons give 0 or 1. For shifts, the count comes reduced
    /// modulo the width.
    Binary(BinaryOp, Scalar),
    /// An operation on one number.
    Unary(UnaryOp, Scalar),
    /// A conversion.
    Cast(Scalar, Scalar),
    /// Whether a floating-point number is zero (1) or not (0).
    IsZero(FloatKind),
}

impl Meaning {
    fn name(self) -> String {
        let scalar = |s: Scalar| match s {
            Scalar::Bool => "bool".to_owned(),
            Scalar::Int { bits, signed: true } => format!("i{bits}"),
            Scalar::Int { bits, signed: false } => format!("u{bits}"),
            Scalar::Float(kind) => format!("{kind:?}").to_lowercase(),
        };
        match self {
            Self::Binary(op, s) => format!("{}_{}", format!("{op:?}").to_lowercase(), scalar(s)),
            Self::Unary(op, s) => format!("{}_{}", format!("{op:?}").to_lowercase(), scalar(s)),
            Self::Cast(from, to) => format!("{}_of_{}", scalar(to), scalar(from)),
            Self::IsZero(kind) => format!("is_zero_{}", scalar(Scalar::Float(kind))),
        }
    }

    fn arity(self) -> usize {
        if matches!(self, Self::Binary(..)) { 2 } else { 1 }
    }

    /// The type of the result.
    pub fn result(self) -> Scalar {
        match self {
            Self::Binary(op, _) if op.is_comparison() => Scalar::Bool,
            Self::IsZero(_) => Scalar::Bool,
            Self::Binary(_, scalar) | Self::Unary(_, scalar) | Self::Cast(_, scalar) => scalar,
        }
    }

    /// The true value; `None` where the run ends.
    pub fn evaluate(self, args: &[Integer]) -> Option<Integer> {
        let bits = |scalar: Scalar, value: &Integer| -> Option<u128> {
            let width = u32::from(scalar.width());
            u128::try_from(&crate::number::modulo_power_of_two(value, width)).ok()
        };
        let result = match (self, args) {
            (Self::Binary(op, scalar), [a, b]) => {
                let count = Scalar::Int { bits: 32, signed: false };
                let right = if op.is_shift() { count } else { scalar };
                ops::binary(op, scalar, bits(scalar, a)?, right, bits(right, b)?).ok()?
            }
            (Self::Unary(op, scalar), [a]) => ops::unary(op, scalar, bits(scalar, a)?),
            (Self::Cast(from, to), [a]) => ops::cast(from, to, bits(from, a)?),
            (Self::IsZero(kind), [a]) => {
                let scalar = Scalar::Float(kind);
                u128::from(!ops::is_true(scalar, bits(scalar, a)?))
            }
            _ => return None,
        };
        Some(integer_of(self.result(), result))
    }
}

/// The function symbols of an encoder.
#[derive(Debug, Default)]
pub struct Uninterpreted {
    meanings: FxHashMap<Function, Meaning>,
}

impl Uninterpreted {
    /// The symbol for an operation.
    fn function(&mut self, terms: &mut Terms, meaning: Meaning) -> Function {
        let arguments = vec![Sort::Int; meaning.arity()];
        let function = terms.function(&meaning.name(), &arguments, Sort::Int);
        self.meanings.insert(function, meaning);
        function
    }

    /// What a symbol stands for, if it is one of ours.
    pub fn meaning(&self, function: Function) -> Option<Meaning> {
        self.meanings.get(&function).copied()
    }

    /// The application of the symbol to arguments.
    pub fn apply(&mut self, terms: &mut Terms, meaning: Meaning, args: &[Term]) -> Term {
        let function = self.function(terms, meaning);
        terms.apply(function, args)
    }
}

/// An operand with what is known of it.
pub struct Argument<'a> {
    /// The term.
    pub term: Term,
    /// Its interval.
    pub interval: &'a Interval,
}

/// `low <= value <= high`.
fn between(terms: &mut Terms, low: Term, value: Term, high: Term) -> Term {
    let (above, below) = (terms.le(low, value), terms.le(value, high));
    terms.and2(above, below)
}

/// What is true of `result`, the application of an operation to `a` and `b`.
pub fn axioms(
    terms: &mut Terms,
    op: BinaryOp,
    scalar: Scalar,
    a: &Argument<'_>,
    b: &Argument<'_>,
    result: Term,
) -> Vec<Term> {
    let mut facts = vec![super::scalar::within(terms, result, &range_of(scalar))];
    match op {
        BinaryOp::Mul => product(terms, scalar, a, b, result, &mut facts),
        BinaryOp::Div => quotient(terms, a, b, result, &mut facts),
        BinaryOp::Rem => remainder(terms, a, b, result, &mut facts),
        BinaryOp::BitAnd => conjunction(terms, a, b, result, &mut facts),
        BinaryOp::Shl | BinaryOp::Shr => shift(terms, op, a, b, result, &mut facts),
        _ => {}
    }
    facts
}

fn product(
    terms: &mut Terms,
    scalar: Scalar,
    a: &Argument<'_>,
    b: &Argument<'_>,
    result: Term,
    facts: &mut Vec<Term>,
) {
    let (zero, one) = (terms.int(0), terms.int(1));
    for (x, y) in [(a.term, b.term), (b.term, a.term)] {
        let (is_zero, is_one) = (terms.eq(x, zero), terms.eq(x, one));
        let (gives_zero, gives_other) = (terms.eq(result, zero), terms.eq(result, y));
        facts.push(terms.implies(is_zero, gives_zero));
        facts.push(terms.implies(is_one, gives_other));
    }
    let exact = a.interval.mul(b.interval);
    if !range_of(scalar).contains(&exact) {
        return;
    }
    // No wrap-around: bounds, signs, and growth by positive factors.
    facts.push(super::scalar::within(terms, result, &exact));
    if a.interval.is_nonnegative() && b.interval.is_nonnegative() {
        for (x, y) in [(a.term, b.term), (b.term, a.term)] {
            let (positive, grows) = (terms.le(one, x), terms.le(y, result));
            facts.push(terms.implies(positive, grows));
        }
    }
}

fn quotient(
    terms: &mut Terms,
    a: &Argument<'_>,
    b: &Argument<'_>,
    result: Term,
    facts: &mut Vec<Term>,
) {
    let (zero, one) = (terms.int(0), terms.int(1));
    let (by_one, unchanged) = (terms.eq(b.term, one), terms.eq(result, a.term));
    facts.push(terms.implies(by_one, unchanged));
    let (positive_a, positive_b) = (terms.le(zero, a.term), terms.le(one, b.term));
    let both = terms.and2(positive_a, positive_b);
    let bounded = between(terms, zero, result, a.term);
    facts.push(terms.implies(both, bounded));
    // A divisor greater than the dividend gives zero, a smaller one at least one.
    let smaller = terms.lt(a.term, b.term);
    let nothing = terms.eq(result, zero);
    let case = terms.and2(both, smaller);
    facts.push(terms.implies(case, nothing));
    let (not_smaller, something) = (terms.le(b.term, a.term), terms.le(one, result));
    let case = terms.and2(both, not_smaller);
    facts.push(terms.implies(case, something));
}

fn remainder(
    terms: &mut Terms,
    a: &Argument<'_>,
    b: &Argument<'_>,
    result: Term,
    facts: &mut Vec<Term>,
) {
    let zero = terms.int(0);
    let (a_up, a_down) = (terms.le(zero, a.term), terms.le(a.term, zero));
    // The sign of the dividend, and no further from zero than it.
    let up = between(terms, zero, result, a.term);
    facts.push(terms.implies(a_up, up));
    let down = between(terms, a.term, result, zero);
    facts.push(terms.implies(a_down, down));
    // Closer to zero than the divisor.
    let negated = terms.neg(b.term);
    for (sign, bound) in [(terms.lt(zero, b.term), b.term), (terms.lt(b.term, zero), negated)] {
        let minus = terms.neg(bound);
        let (above, below) = (terms.lt(minus, result), terms.lt(result, bound));
        let closer = terms.and2(above, below);
        facts.push(terms.implies(sign, closer));
    }
}

fn conjunction(
    terms: &mut Terms,
    a: &Argument<'_>,
    b: &Argument<'_>,
    result: Term,
    facts: &mut Vec<Term>,
) {
    let zero = terms.int(0);
    for x in [a.term, b.term] {
        let positive = terms.le(zero, x);
        let bounded = between(terms, zero, result, x);
        facts.push(terms.implies(positive, bounded));
        let is_zero = terms.eq(x, zero);
        let gives_zero = terms.eq(result, zero);
        facts.push(terms.implies(is_zero, gives_zero));
    }
    // Two negative numbers give one that is no greater than either.
    let (a_negative, b_negative) = (terms.lt(a.term, zero), terms.lt(b.term, zero));
    let both = terms.and2(a_negative, b_negative);
    let (under_a, under_b) = (terms.le(result, a.term), terms.le(result, b.term));
    let under = terms.and2(under_a, under_b);
    facts.push(terms.implies(both, under));
    let same = terms.eq(a.term, b.term);
    let unchanged = terms.eq(result, a.term);
    facts.push(terms.implies(same, unchanged));
}

fn shift(
    terms: &mut Terms,
    op: BinaryOp,
    a: &Argument<'_>,
    count: &Argument<'_>,
    result: Term,
    facts: &mut Vec<Term>,
) {
    let zero = terms.int(0);
    let (none, unchanged) = (terms.eq(count.term, zero), terms.eq(result, a.term));
    facts.push(terms.implies(none, unchanged));
    let (of_zero, gives_zero) = (terms.eq(a.term, zero), terms.eq(result, zero));
    facts.push(terms.implies(of_zero, gives_zero));
    if op == BinaryOp::Shr {
        // Towards zero from above, towards -1 from below.
        let positive = terms.le(zero, a.term);
        let towards_zero = between(terms, zero, result, a.term);
        facts.push(terms.implies(positive, towards_zero));
        let negative = terms.lt(a.term, zero);
        let (above, below) = (terms.le(a.term, result), terms.lt(result, zero));
        let towards_minus_one = terms.and2(above, below);
        facts.push(terms.implies(negative, towards_minus_one));
    }
}
