//! Rules for integers: sums and atoms are brought into linear normal form.

use crate::Integer;
use crate::number::{div_mod, divides};
use crate::term::linear::Linear;
use crate::term::op::Op;
use crate::term::rewrite::{FLATTEN_LIMIT, Rule};
use crate::term::{Relation, Term, Terms};

impl Terms {
    pub(in crate::term) fn simplify_int(&mut self, op: Op, args: &[Term]) -> Option<(Rule, Term)> {
        match (op, args) {
            (Op::Add, _) => {
                let normal = self.sum(args);
                let same = self.op(normal) == Op::Add && self.args(normal) == args;
                (!same).then_some((Rule::AddLinear, normal))
            }
            (Op::Mul, &[a, b]) => self.simplify_mul(a, b),
            (Op::Le, &[a, b]) => {
                if let Some(result) = self.compare_ite(Op::Le, a, b) {
                    return Some((Rule::CompareIte, result));
                }
                let linear = self.linear(a).add_scaled(&self.linear(b), &-Integer::ONE);
                let normal = self.from_linear_atom(&linear, Relation::LeZero);
                let same = self.op(normal) == Op::Le && *self.args(normal) == [a, b];
                (!same).then_some((Rule::LeLinear, normal))
            }
            (Op::Div | Op::Mod, &[a, b]) => self.simplify_division(op, a, b),
            _ => None,
        }
    }

    /// The sum in normal form; sums inside are joined unless they are very long.
    fn sum(&mut self, args: &[Term]) -> Term {
        let mut total = Linear::default();
        let mut size = 0;
        for &arg in args {
            size += self.args(arg).len().max(1);
            let part = if size <= FLATTEN_LIMIT || self.op(arg) != Op::Add {
                self.linear(arg)
            } else {
                Linear::of(arg)
            };
            total = total.add_scaled(&part, &Integer::ONE);
        }
        self.from_linear(&total)
    }

    fn simplify_mul(&mut self, a: Term, b: Term) -> Option<(Rule, Term)> {
        let (factor, rest) = match (self.value(a), self.value(b)) {
            (Some(value), _) => (value.clone(), b),
            (None, Some(value)) => (value.clone(), a),
            (None, None) if a > b => {
                return Some((Rule::MulOrder, self.make(Op::Mul, &[b, a])));
            }
            (None, None) => return None,
        };
        let product = self.linear(rest).scaled(&factor);
        let normal = self.from_linear(&product);
        let same = self.op(normal) == Op::Mul && *self.args(normal) == [a, b];
        (!same).then_some((Rule::MulLinear, normal))
    }

    fn simplify_division(&mut self, op: Op, a: Term, b: Term) -> Option<(Rule, Term)> {
        let divisor = self.value(b).filter(|d| **d != Integer::ZERO)?.clone();
        let is_div = op == Op::Div;
        if let Some(value) = self.value(a) {
            let (quotient, remainder) = div_mod(value, &divisor);
            return Some(if is_div {
                (Rule::DivConstants, self.int(quotient))
            } else {
                (Rule::ModConstants, self.int(remainder))
            });
        }
        if divisor == Integer::ONE {
            return Some(if is_div { (Rule::DivOne, a) } else { (Rule::ModOne, self.int(0)) });
        }
        if is_div {
            return None;
        }
        // Summands that the modulus divides change nothing; the constant is reduced.
        let linear = self.linear(a);
        let kept = Linear {
            monomials: linear
                .monomials
                .iter()
                .filter(|(_, c)| !divides(&divisor, c))
                .cloned()
                .collect(),
            constant: div_mod(&linear.constant, &divisor).1,
        };
        if kept == linear {
            return None;
        }
        let kept = self.from_linear(&kept);
        Some((Rule::ModMultiples, self.make(Op::Mod, &[kept, b])))
    }
}
