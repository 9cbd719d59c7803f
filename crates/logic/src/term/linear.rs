//! Linear integer terms and constraints as coefficient vectors.
//!
//! Every integer term is a linear combination of *opaque* integer terms (symbols, applications,
//! products, quotients, conditionals) plus a constant. The arena keeps sums in the normal form made
//! here: opaque terms in the order of the arena, each once, the constant last. Atoms are kept with
//! positive coefficients on both sides, divided by their greatest common divisor and tightened
//! (`2x <= 2y + 1` is `x <= y`), so that one constraint is one term.

use super::arena::{Term, Terms};
use super::op::Op;
use super::sort::Sort;
use crate::Integer;
use crate::number::{divides, floor_div, gcd};

/// `coefficients . terms + constant`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Linear {
    /// Opaque terms, increasing, with coefficients other than zero.
    pub monomials: Vec<(Term, Integer)>,
    /// What is added to them.
    pub constant: Integer,
}

/// How a linear combination compares to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// `combination <= 0`.
    LeZero,
    /// `combination = 0`.
    EqZero,
}

impl Linear {
    /// The combination that is this constant.
    pub fn constant(value: impl Into<Integer>) -> Self {
        Self { monomials: Vec::new(), constant: value.into() }
    }

    /// The combination that is this opaque term.
    pub fn of(term: Term) -> Self {
        Self { monomials: vec![(term, Integer::ONE)], constant: Integer::ZERO }
    }

    /// Whether no term occurs.
    pub fn is_constant(&self) -> bool {
        self.monomials.is_empty()
    }

    /// The coefficient of an opaque term.
    pub fn coefficient(&self, term: Term) -> Integer {
        self.monomials
            .binary_search_by_key(&term, |m| m.0)
            .map_or(Integer::ZERO, |at| self.monomials[at].1.clone())
    }

    /// `self + factor * other`.
    pub fn add_scaled(&self, other: &Self, factor: &Integer) -> Self {
        let mut monomials = Vec::with_capacity(self.monomials.len() + other.monomials.len());
        let (mut left, mut right) =
            (self.monomials.iter().peekable(), other.monomials.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(l), Some(r)) => l.0.cmp(&r.0),
            };
            let from_left =
                if order.is_le() { left.next() } else { None }.map(|(t, c)| (*t, c.clone()));
            let from_right =
                if order.is_ge() { right.next() } else { None }.map(|(t, c)| (*t, c * factor));
            let (term, coefficient) = match (from_left, from_right) {
                (Some((t, l)), Some((_, r))) => (t, l + r),
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => break,
            };
            if coefficient != Integer::ZERO {
                monomials.push((term, coefficient));
            }
        }
        Self { monomials, constant: &self.constant + &other.constant * factor }
    }

    /// `factor * self`.
    pub fn scaled(&self, factor: &Integer) -> Self {
        Self::default().add_scaled(self, factor)
    }

    /// Greatest common divisor of the coefficients (zero without terms).
    pub fn content(&self) -> Integer {
        self.monomials.iter().fold(Integer::ZERO, |g, (_, c)| gcd(&g, c))
    }
}

impl Terms {
    /// The linear combination an integer term is; opaque terms stay as they are.
    pub fn linear(&self, term: Term) -> Linear {
        let mut result = Linear::default();
        let summands = if self.op(term) == Op::Add { self.args(term) } else { &[term][..] };
        for &summand in summands {
            self.add_monomial(&mut result, summand);
        }
        sort_monomials(&mut result.monomials);
        result
    }

    /// Adds a term that is no sum; the monomials may then be unsorted.
    fn add_monomial(&self, to: &mut Linear, summand: Term) {
        if let Some(value) = self.value(summand) {
            to.constant += value;
            return;
        }
        if self.op(summand) == Op::Mul
            && let [factor, rest] = *self.args(summand)
            && let Some(value) = self.value(factor)
        {
            to.monomials.push((rest, value.clone()));
            return;
        }
        to.monomials.push((summand, Integer::ONE));
    }

    /// The term in normal form of a linear combination.
    pub fn from_linear(&mut self, linear: &Linear) -> Term {
        let mut summands = Vec::with_capacity(linear.monomials.len() + 1);
        for (term, coefficient) in &linear.monomials {
            summands.push(self.monomial(*term, coefficient));
        }
        if linear.constant != Integer::ZERO || summands.is_empty() {
            summands.push(self.int(linear.constant.clone()));
        }
        match summands[..] {
            [one] => one,
            _ => self.raw(Op::Add, &summands, Sort::Int),
        }
    }

    fn monomial(&mut self, term: Term, coefficient: &Integer) -> Term {
        if *coefficient == Integer::ONE {
            return term;
        }
        let coefficient = self.int(coefficient.clone());
        self.raw(Op::Mul, &[coefficient, term], Sort::Int)
    }

    /// The linear combination and relation of an integer atom (`<=`, `=`).
    pub fn linear_atom(&self, atom: Term) -> Option<(Linear, Relation)> {
        let relation = match self.op(atom) {
            Op::Le => Relation::LeZero,
            Op::Eq if self.sort(self.arg(atom, 0)) == Sort::Int => Relation::EqZero,
            _ => return None,
        };
        let (left, right) = (self.linear(self.arg(atom, 0)), self.linear(self.arg(atom, 1)));
        Some((left.add_scaled(&right, &-Integer::ONE), relation))
    }

    /// The atom `linear <= 0` or `linear = 0` in normal form (or truth, or falsity).
    pub fn from_linear_atom(&mut self, linear: &Linear, relation: Relation) -> Term {
        if linear.is_constant() {
            return self.bool(match relation {
                Relation::LeZero => linear.constant <= Integer::ZERO,
                Relation::EqZero => linear.constant == Integer::ZERO,
            });
        }
        let content = linear.content();
        let leading_negative = linear.monomials[0].1 < Integer::ZERO;
        // p + c <= 0 with p divisible by g is p/g <= floor(-c/g).
        let bound = match relation {
            Relation::LeZero => floor_div(&-&linear.constant, &content),
            Relation::EqZero if divides(&content, &linear.constant) => {
                -(&linear.constant / &content)
            }
            Relation::EqZero => return self.ff(),
        };
        let flip = relation == Relation::EqZero && leading_negative;
        let (mut left, mut right) = (Linear::default(), Linear::default());
        for (term, coefficient) in &linear.monomials {
            let coefficient = coefficient / &content;
            let coefficient = if flip { -coefficient } else { coefficient };
            if coefficient > Integer::ZERO {
                left.monomials.push((*term, coefficient));
            } else {
                right.monomials.push((*term, -coefficient));
            }
        }
        let bound = if flip { -bound } else { bound };
        // left <= right + bound; alone on its side, the constant stands there.
        if left.is_constant() {
            left.constant = -bound
        } else {
            right.constant = bound
        }
        let (left, right) = (self.from_linear(&left), self.from_linear(&right));
        let op = match relation {
            Relation::LeZero => Op::Le,
            Relation::EqZero => Op::Eq,
        };
        match self.compare_ite(op, left, right) {
            Some(decided) => decided,
            None => self.raw(op, &[left, right], Sort::Bool),
        }
    }
}

/// Sorts by term and joins equal ones.
pub(super) fn sort_monomials(monomials: &mut Vec<(Term, Integer)>) {
    monomials.sort_by_key(|m| m.0);
    let mut kept: Vec<(Term, Integer)> = Vec::with_capacity(monomials.len());
    for (term, coefficient) in monomials.drain(..) {
        match kept.last_mut() {
            Some(last) if last.0 == term => last.1 += coefficient,
            _ => kept.push((term, coefficient)),
        }
    }
    kept.retain(|m| m.1 != Integer::ZERO);
    *monomials = kept;
}
