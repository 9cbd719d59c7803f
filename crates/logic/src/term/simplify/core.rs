//! Rules for the Boolean operators, conditionals and equality.

use crate::term::op::Op;
use crate::term::rewrite::{FLATTEN_LIMIT, Rule};
use crate::term::sort::Sort;
use crate::term::{Relation, Term, Terms};

impl Terms {
    pub(in crate::term) fn simplify_core(&mut self, op: Op, args: &[Term]) -> Option<(Rule, Term)> {
        match (op, args) {
            (Op::Not, &[a]) => self.simplify_not(a),
            (Op::And | Op::Or, _) => self.simplify_junction(op, args),
            (Op::Ite, &[condition, then, other]) => self.simplify_ite(condition, then, other),
            (Op::Eq, &[a, b]) => self.simplify_eq(a, b),
            _ => None,
        }
    }

    fn simplify_not(&mut self, a: Term) -> Option<(Rule, Term)> {
        let flipped = |op| match op {
            Op::BvUle => Some(Op::BvUlt),
            Op::BvUlt => Some(Op::BvUle),
            Op::BvSle => Some(Op::BvSlt),
            Op::BvSlt => Some(Op::BvSle),
            _ => None,
        };
        match self.op(a) {
            Op::True => Some((Rule::NotConstant, self.ff())),
            Op::False => Some((Rule::NotConstant, self.tt())),
            Op::Not => Some((Rule::NotNot, self.arg(a, 0))),
            Op::Le => {
                let (mut linear, _) = self.linear_atom(a)?;
                // !(p <= 0) is p >= 1, that is 1 - p <= 0.
                linear = linear.scaled(&-crate::Integer::ONE);
                linear.constant += 1;
                Some((Rule::NotLe, self.from_linear_atom(&linear, Relation::LeZero)))
            }
            op => {
                let flipped = flipped(op)?;
                let (l, r) = (self.arg(a, 0), self.arg(a, 1));
                Some((Rule::NotBvCompare, self.make(flipped, &[r, l])))
            }
        }
    }

    /// Conjunction and disjunction are dual: `decides` ends the search, `neutral` is dropped.
    fn simplify_junction(&mut self, op: Op, args: &[Term]) -> Option<(Rule, Term)> {
        let (decides, neutral) =
            if op == Op::And { (self.ff(), self.tt()) } else { (self.tt(), self.ff()) };
        let (decided, normal_form, complement) = if op == Op::And {
            (Rule::AndFalse, Rule::AndNormalForm, Rule::AndComplement)
        } else {
            (Rule::OrTrue, Rule::OrNormalForm, Rule::OrComplement)
        };
        if args.contains(&decides) {
            return Some((decided, decides));
        }
        let mut members = Vec::with_capacity(args.len());
        for (position, &arg) in args.iter().enumerate() {
            let nested = self.args(arg).len();
            let rest = args.len() - position;
            if self.op(arg) == op && members.len() + nested + rest <= FLATTEN_LIMIT {
                members.extend_from_slice(self.args(arg));
            } else if arg != neutral {
                members.push(arg);
            }
        }
        members.sort_unstable();
        members.dedup();
        if self.has_complement(&members) {
            return Some((complement, decides));
        }
        match members[..] {
            [] => Some((normal_form, neutral)),
            [one] => Some((normal_form, one)),
            _ if members == args => None,
            _ => Some((normal_form, self.raw(op, &members, Sort::Bool))),
        }
    }

    /// Whether a member is the negation of another; `members` is sorted. The complement of an
    /// arithmetic atom is an atom, which is not looked for here.
    fn has_complement(&self, members: &[Term]) -> bool {
        members
            .iter()
            .filter(|&&m| self.op(m) == Op::Not)
            .any(|&m| members.binary_search(&self.arg(m, 0)).is_ok())
    }

    fn simplify_ite(&mut self, condition: Term, then: Term, other: Term) -> Option<(Rule, Term)> {
        match self.op(condition) {
            Op::True => return Some((Rule::IteConstant, then)),
            Op::False => return Some((Rule::IteConstant, other)),
            _ => {}
        }
        if then == other {
            return Some((Rule::IteSame, then));
        }
        if self.op(condition) == Op::Not {
            let positive = self.arg(condition, 0);
            return Some((Rule::IteNot, self.make(Op::Ite, &[positive, other, then])));
        }
        if self.sort(then) != Sort::Bool {
            return None;
        }
        let result = match (self.op(then), self.op(other)) {
            (Op::True, _) => self.make(Op::Or, &[condition, other]),
            (Op::False, _) => {
                let not = self.make(Op::Not, &[condition]);
                self.make(Op::And, &[not, other])
            }
            (_, Op::False) => self.make(Op::And, &[condition, then]),
            (_, Op::True) => {
                let not = self.make(Op::Not, &[condition]);
                self.make(Op::Or, &[not, then])
            }
            _ => return None,
        };
        Some((Rule::IteBoolean, result))
    }

    fn simplify_eq(&mut self, a: Term, b: Term) -> Option<(Rule, Term)> {
        if a == b {
            return Some((Rule::EqSame, self.tt()));
        }
        if self.value(a).is_some() && self.value(b).is_some() {
            return Some((Rule::EqConstants, self.ff()));
        }
        if let Some(result) = self.compare_ite(Op::Eq, a, b) {
            return Some((Rule::CompareIte, result));
        }
        if self.sort(a) == Sort::Bool {
            return self.simplify_iff(a, b);
        }
        if self.sort(a) == Sort::Int {
            let linear = self.linear(a).add_scaled(&self.linear(b), &-crate::Integer::ONE);
            let normal = self.from_linear_atom(&linear, Relation::EqZero);
            let same = self.op(normal) == Op::Eq && *self.args(normal) == [a, b];
            return (!same).then_some((Rule::EqLinear, normal));
        }
        if let Some(result) = self.simplify_eq_polynomials(a, b) {
            return Some((Rule::EqPolynomial, result));
        }
        let key = |t: Term| (self.value(t).is_some(), t);
        if key(a) > key(b) {
            return Some((Rule::EqOrder, self.make(Op::Eq, &[b, a])));
        }
        self.simplify_eq_extend(a, b)
    }

    fn simplify_iff(&mut self, a: Term, b: Term) -> Option<(Rule, Term)> {
        for (one, other) in [(a, b), (b, a)] {
            match self.op(one) {
                Op::True => return Some((Rule::EqBoolean, other)),
                Op::False => return Some((Rule::EqBoolean, self.make(Op::Not, &[other]))),
                Op::Not if self.arg(one, 0) == other => {
                    return Some((Rule::EqComplement, self.ff()));
                }
                _ => {}
            }
        }
        // The order of the arena, as for the other sorts (Booleans have no constants left here).
        if a > b { Some((Rule::EqOrder, self.make(Op::Eq, &[b, a]))) } else { None }
    }

    /// `c ? k : l` compared with `m`, all constants: the comparison is `c`, `!c` or known.
    pub(in crate::term) fn compare_ite(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let between_constants = |t: Term| {
            self.op(t) == Op::Ite && self.args(t)[1..].iter().all(|&x| self.value(x).is_some())
        };
        let (conditional, position) = match (self.value(a).is_some(), self.value(b).is_some()) {
            (false, true) if between_constants(a) => (a, 0),
            (true, false) if between_constants(b) => (b, 1),
            _ => return None,
        };
        let (condition, then, other) =
            (self.arg(conditional, 0), self.arg(conditional, 1), self.arg(conditional, 2));
        let mut compare = |branch| {
            let mut args = [a, b];
            args[position] = branch;
            self.make(op, &args)
        };
        let (then, other) = (compare(then), compare(other));
        Some(self.make(Op::Ite, &[condition, then, other]))
    }
}
