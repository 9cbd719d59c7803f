//! Rules for bit-vectors: constants, units, and the cuts and extensions that C's conversions make.

use super::fold::{Folded, fold_bitvec};
use crate::Integer;
use crate::number::{modulo_power_of_two, power_of_two, to_signed};
use crate::term::op::Op;
use crate::term::polynomial::Difference;
use crate::term::rewrite::Rule;
use crate::term::{Term, Terms};

/// Equal terms are looked for so deep below the same operations.
const DEEPEST_CONGRUENCE: usize = 3;

impl Terms {
    pub(in crate::term) fn simplify_bv(&mut self, op: Op, args: &[Term]) -> Option<(Rule, Term)> {
        if let Some(result) = self.fold_constants(op, args) {
            return Some((Rule::BvConstants, result));
        }
        match (op, args) {
            (Op::BvNot | Op::BvNeg, &[a]) if self.op(a) == op => {
                Some((Rule::BvInvolution, self.arg(a, 0)))
            }
            (Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul, &[a, b]) => {
                self.simplify_commutative(op, a, b)
            }
            (Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem, &[a, b]) => {
                self.simplify_bv_division(op, a, b)
            }
            (Op::BvShl | Op::BvLshr | Op::BvAshr, &[a, b]) => self.simplify_shift(op, a, b),
            (Op::BvUle | Op::BvUlt | Op::BvSle | Op::BvSlt, &[a, b]) => {
                self.simplify_bv_compare(op, a, b)
            }
            (Op::Extract { high, low }, &[a]) => self.simplify_extract(high, low, a),
            (Op::ZeroExtend(by) | Op::SignExtend(by), &[a]) => self.simplify_extend(op, by, a),
            (Op::Concat, &[a, b]) => self.simplify_concat(a, b),
            _ => None,
        }
    }

    fn fold_constants(&mut self, op: Op, args: &[Term]) -> Option<Term> {
        let values: Option<Vec<(&Integer, u32)>> =
            args.iter().map(|&a| Some((self.value(a)?, self.width(a)))).collect();
        let width = match self.result_sort(op, args) {
            crate::Sort::BitVec(width) => width,
            _ => 0,
        };
        Some(match fold_bitvec(op, &values?)? {
            Folded::Bits(value) => self.bv(value, width),
            Folded::Truth(value) => self.bool(value),
        })
    }

    fn is_zero(&self, term: Term) -> bool {
        self.value(term).is_some_and(|v| *v == Integer::ZERO)
    }

    fn is_all_ones(&self, term: Term) -> bool {
        self.value(term).is_some_and(|v| *v == power_of_two(self.width(term)) - Integer::ONE)
    }

    fn simplify_commutative(&mut self, op: Op, a: Term, b: Term) -> Option<(Rule, Term)> {
        let key = |t: Term| (self.value(t).is_some(), t);
        if key(a) > key(b) {
            return Some((Rule::BvOrder, self.make(op, &[b, a])));
        }
        let width = self.width(a);
        if a == b {
            match op {
                Op::BvAnd | Op::BvOr => return Some((Rule::BvSame, a)),
                Op::BvXor => return Some((Rule::BvSame, self.bv(0, width))),
                _ => {}
            }
        }
        let value = self.value(b)?.clone();
        let (zero, ones, one) = (self.is_zero(b), self.is_all_ones(b), value == Integer::ONE);
        match op {
            Op::BvAdd | Op::BvOr | Op::BvXor if zero => return Some((Rule::BvUnit, a)),
            Op::BvAnd if ones => return Some((Rule::BvUnit, a)),
            Op::BvMul if one => return Some((Rule::BvUnit, a)),
            Op::BvAnd | Op::BvMul if zero => return Some((Rule::BvZero, b)),
            Op::BvOr if ones => return Some((Rule::BvZero, b)),
            _ => {}
        }
        if self.op(a) == op && self.value(self.arg(a, 1)).is_some() {
            let (inner, constant) = (self.arg(a, 0), self.arg(a, 1));
            let joined = self.make(op, &[constant, b]);
            return Some((Rule::BvAssociate, self.make(op, &[inner, joined])));
        }
        None
    }

    fn simplify_bv_division(&mut self, op: Op, a: Term, b: Term) -> Option<(Rule, Term)> {
        // At width 1 the constant 1 is -1 when read as signed, and still a unit of sdiv: 1 / -1 wraps.
        if self.value(b).is_none_or(|v| *v != Integer::ONE) {
            return None;
        }
        let width = self.width(a);
        match op {
            Op::BvUdiv | Op::BvSdiv => Some((Rule::BvUnit, a)),
            _ => Some((Rule::BvZero, self.bv(0, width))),
        }
    }

    fn simplify_shift(&mut self, op: Op, a: Term, b: Term) -> Option<(Rule, Term)> {
        let width = self.width(a);
        if self.is_zero(b) {
            return Some((Rule::BvUnit, a));
        }
        if self.is_zero(a) {
            return Some((Rule::BvZero, a));
        }
        let out = self.value(b).is_some_and(|v| *v >= Integer::from(width));
        if !out {
            return None;
        }
        match op {
            Op::BvAshr => {
                let last = Integer::from(width - 1);
                // A shift by width - 1 already repeats the sign everywhere.
                let last = self.bv(last, width);
                Some((Rule::BvShiftOut, self.make(Op::BvAshr, &[a, last])))
            }
            _ => Some((Rule::BvShiftOut, self.bv(0, width))),
        }
    }

    fn simplify_bv_compare(&mut self, op: Op, a: Term, b: Term) -> Option<(Rule, Term)> {
        let strict = matches!(op, Op::BvUlt | Op::BvSlt);
        if a == b {
            return Some((Rule::BvSame, self.bool(!strict)));
        }
        if let Some(result) = self.compare_ite(op, a, b) {
            return Some((Rule::CompareIte, result));
        }
        if self.is_polynomial(a)
            && self.is_polynomial(b)
            && self.difference(a, b) == Difference::Is(true)
        {
            return Some((Rule::ComparePolynomials, self.bool(!strict)));
        }
        let width = self.width(a);
        let signed = matches!(op, Op::BvSle | Op::BvSlt);
        let (least, greatest) = if signed {
            (-power_of_two(width - 1), power_of_two(width - 1) - Integer::ONE)
        } else {
            (Integer::ZERO, power_of_two(width) - Integer::ONE)
        };
        let read =
            |t: Term| self.value(t).map(|v| if signed { to_signed(v, width) } else { v.clone() });
        let (a_value, b_value) = (read(a), read(b));
        let (a_least, a_greatest) =
            (a_value.as_ref() == Some(&least), a_value.as_ref() == Some(&greatest));
        let (b_least, b_greatest) =
            (b_value.as_ref() == Some(&least), b_value.as_ref() == Some(&greatest));
        let result = if strict {
            if a_greatest || b_least {
                self.ff()
            } else if a_least || b_greatest {
                let equal = self.make(Op::Eq, &[a, b]);
                self.make(Op::Not, &[equal])
            } else {
                return None;
            }
        } else if a_least || b_greatest {
            self.tt()
        } else if a_greatest || b_least {
            self.make(Op::Eq, &[a, b])
        } else {
            return None;
        };
        Some((Rule::BvCompareBound, result))
    }

    fn simplify_extract(&mut self, high: u32, low: u32, a: Term) -> Option<(Rule, Term)> {
        if low == 0 && high + 1 == self.width(a) {
            return Some((Rule::BvWhole, a));
        }
        match self.op(a) {
            Op::Extract { low: inner_low, .. } => {
                let shifted = Op::Extract { high: high + inner_low, low: low + inner_low };
                let inner = self.arg(a, 0);
                Some((Rule::ExtractExtract, self.make(shifted, &[inner])))
            }
            Op::Concat => {
                let (upper, lower) = (self.arg(a, 0), self.arg(a, 1));
                let split = self.width(lower);
                if high < split {
                    let cut = Op::Extract { high, low };
                    Some((Rule::ExtractConcat, self.make(cut, &[lower])))
                } else if low >= split {
                    let cut = Op::Extract { high: high - split, low: low - split };
                    Some((Rule::ExtractConcat, self.make(cut, &[upper])))
                } else {
                    None
                }
            }
            Op::ZeroExtend(_) | Op::SignExtend(_) => {
                let inner = self.arg(a, 0);
                let width = self.width(inner);
                if high < width {
                    let cut = Op::Extract { high, low };
                    return Some((Rule::ExtractExtend, self.make(cut, &[inner])));
                }
                if matches!(self.op(a), Op::ZeroExtend(_)) && low >= width {
                    return Some((Rule::ExtractExtend, self.bv(0, high - low + 1)));
                }
                if low == 0 {
                    let extend = match self.op(a) {
                        Op::ZeroExtend(_) => Op::ZeroExtend(high + 1 - width),
                        _ => Op::SignExtend(high + 1 - width),
                    };
                    return Some((Rule::ExtractExtend, self.make(extend, &[inner])));
                }
                None
            }
            _ => None,
        }
    }

    fn simplify_extend(&mut self, op: Op, by: u32, a: Term) -> Option<(Rule, Term)> {
        if by == 0 {
            return Some((Rule::BvWhole, a));
        }
        let joined = match (op, self.op(a)) {
            // A proper zero extension has sign bit zero, so extending its sign adds zeros too.
            (_, Op::ZeroExtend(inner)) if inner > 0 => Op::ZeroExtend(inner + by),
            (Op::SignExtend(_), Op::SignExtend(inner)) => Op::SignExtend(inner + by),
            _ => return None,
        };
        let inner = self.arg(a, 0);
        Some((Rule::ExtendExtend, self.make(joined, &[inner])))
    }

    fn simplify_concat(&mut self, a: Term, b: Term) -> Option<(Rule, Term)> {
        let (Op::Extract { high, low }, Op::Extract { high: next, low: last }) =
            (self.op(a), self.op(b))
        else {
            return None;
        };
        let (from, also) = (self.arg(a, 0), self.arg(b, 0));
        if from != also || low != next + 1 {
            return None;
        }
        Some((Rule::ConcatExtract, self.make(Op::Extract { high, low: last }, &[from])))
    }

    /// An equation of polynomials that is decided, or one of simpler terms.
    pub(in crate::term) fn simplify_eq_polynomials(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        let (left, right) = match self.difference(a, b) {
            Difference::Other => {
                return self.is_congruent(a, b, DEEPEST_CONGRUENCE).then(|| self.tt());
            }
            Difference::Is(truth) => return Some(self.bool(truth)),
            Difference::Condition(condition, true) => return Some(condition),
            Difference::Condition(condition, false) => {
                return Some(self.make(Op::Not, &[condition]));
            }
            Difference::Constant(term, value) => {
                (self.low_bits(term, width), self.bv(value, width))
            }
            Difference::Terms(left, right) => {
                (self.low_bits(left, width), self.low_bits(right, width))
            }
        };
        let is_same = (left, right) == (a, b) || (left, right) == (b, a);
        (!is_same).then(|| self.make(Op::Eq, &[left, right]))
    }

    /// Whether the same operation is applied to what is equal: quotients of equal sums. Looks so deep.
    fn is_congruent(&self, a: Term, b: Term, depth: usize) -> bool {
        let is_same = |(&a, &b): (&Term, &Term)| {
            let is_bits = depth > 0 && self.width(a) > 0 && self.sort(a) == self.sort(b);
            a == b
                || is_bits
                    && (self.difference(a, b) == Difference::Is(true)
                        || self.is_congruent(a, b, depth - 1))
        };
        let (left, right) = (self.args(a), self.args(b));
        self.op(a) == self.op(b)
            && !left.is_empty()
            && left.len() == right.len()
            && left.iter().zip(right).all(is_same)
    }

    fn low_bits(&mut self, term: Term, width: u32) -> Term {
        self.make(Op::Extract { high: width - 1, low: 0 }, &[term])
    }

    /// `extend(x) = k`: either `k` is such an extension and `x` is its low part, or never.
    pub(in crate::term) fn simplify_eq_extend(&mut self, a: Term, b: Term) -> Option<(Rule, Term)> {
        let signed = match self.op(a) {
            Op::ZeroExtend(_) => false,
            Op::SignExtend(_) => true,
            _ => return None,
        };
        let value = self.value(b)?.clone();
        let inner = self.arg(a, 0);
        let (width, outer_width) = (self.width(inner), self.width(a));
        let low = modulo_power_of_two(&value, width);
        let extended = if signed {
            modulo_power_of_two(&to_signed(&low, width), outer_width)
        } else {
            low.clone()
        };
        if extended != value {
            return Some((Rule::EqExtend, self.ff()));
        }
        let low = self.bv(low, width);
        Some((Rule::EqExtend, self.make(Op::Eq, &[inner, low])))
    }
}
