//! The operators in the theory Int.
//!
//! Sums, differences and products with a constant are linear and wrap ([`Draft::wrap`]). Division,
//! remainder, shifts and masks by constants are exact through integer division and remainder:
//!
//! - C cuts quotients towards zero, SMT-LIB rounds so that the remainder is not negative: the
//!   absolute value of the dividend is divided and the sign put back, unless it has no sign;
//! - a right shift by `s` is the division by 2^s, rounded down, of signed numbers too;
//! - a mask is a sum over its runs of ones, each run one division and one remainder; the run that
//!   reaches the sign bit needs no remainder. `a | b` is `a + b - (a & b)` and `a ^ b` is
//!   `a + b - 2 * (a & b)`, also of two's complement numbers.
//!
//! The rest is an uninterpreted function with axioms ([`super::uninterpreted`]).

use super::draft::{Draft, Operand};
use super::interval::Interval;
use super::scalar::{is_signed, range_of};
use super::uninterpreted::{Argument, Meaning, axioms};
use crate::Integer;
use crate::number::{abs, floor_div, modulo_power_of_two, power_of_two, truncating_div_rem};
use crate::term::Term;
use gnomon_ir::expr::{BinaryOp, UnaryOp};
use gnomon_ir::ops::Scalar;

/// Masks with more runs of ones than this are left uninterpreted.
const RUN_LIMIT: usize = 8;

impl Draft<'_> {
    pub(super) fn int_unary(&mut self, op: UnaryOp, scalar: Scalar, a: &Operand) -> Operand {
        if let Scalar::Float(_) = scalar {
            return self.uninterpreted(Meaning::Unary(op, scalar), &[a.term]);
        }
        let interval = a.interval(scalar);
        let negated = self.terms.neg(a.term);
        match op {
            UnaryOp::Neg => self.wrap_to(negated, &interval.neg(), scalar),
            UnaryOp::BitNot => {
                // ~a is -a - 1 in two's complement.
                let flipped = self.terms.add_constant(negated, -1);
                let interval = interval.neg().sub(&Interval::point(1));
                self.wrap_to(flipped, &interval, scalar)
            }
        }
    }

    /// An operation whose result has the type of its left operand.
    pub(super) fn int_binary(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        a: &Operand,
        right: Scalar,
        b: &Operand,
    ) -> Operand {
        if let Scalar::Float(_) = scalar {
            return self.uninterpreted(Meaning::Binary(op, scalar), &[a.term, b.term]);
        }
        let (ia, ib) = (a.interval(scalar), b.interval(right));
        match op {
            BinaryOp::Add => {
                let sum = self.terms.add(a.term, b.term);
                self.wrap_to(sum, &ia.add(&ib), scalar)
            }
            BinaryOp::Sub => {
                let difference = self.terms.sub(a.term, b.term);
                self.wrap_to(difference, &ia.sub(&ib), scalar)
            }
            BinaryOp::Mul => self.int_mul(scalar, a, &ia, b, &ib),
            BinaryOp::Div | BinaryOp::Rem => self.int_division(op, scalar, a, &ia, b, &ib),
            BinaryOp::Shl | BinaryOp::Shr => self.int_shift(op, scalar, a, &ia, b, &ib),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                self.int_bitwise(op, scalar, a, &ia, b, &ib)
            }
            _ => {
                let truth = self.int_compare(op, scalar, a, b);
                self.truth_value(truth)
            }
        }
    }

    /// A comparison as a formula.
    pub(super) fn int_compare(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        a: &Operand,
        b: &Operand,
    ) -> Term {
        let (x, y) = (a.term, b.term);
        if let Scalar::Float(_) = scalar {
            let (op, x, y) = match op {
                BinaryOp::Gt => (BinaryOp::Lt, y, x),
                BinaryOp::Ge => (BinaryOp::Le, y, x),
                BinaryOp::Ne => (BinaryOp::Eq, x, y),
                other => (other, x, y),
            };
            let holds = self.uninterpreted(Meaning::Binary(op, scalar), &[x, y]);
            let one = self.terms.int(1);
            return self.terms.eq(holds.term, one);
        }
        match op {
            BinaryOp::Eq => self.terms.eq(x, y),
            BinaryOp::Ne => self.terms.ne(x, y),
            BinaryOp::Lt => self.terms.lt(x, y),
            BinaryOp::Le => self.terms.le(x, y),
            BinaryOp::Gt => self.terms.lt(y, x),
            _ => self.terms.le(y, x),
        }
    }

    /// 1 if the formula holds, else 0.
    pub(super) fn truth_value(&mut self, truth: Term) -> Operand {
        let (one, zero) = (self.terms.int(1), self.terms.int(0));
        let term = self.terms.ite(truth, one, zero);
        let interval = match self.terms.value(term) {
            Some(value) => Interval::point(value.clone()),
            None => Interval::new(0, 1),
        };
        Operand::int(term, interval)
    }

    /// The application of a function symbol, in the range of its result.
    pub(super) fn uninterpreted(&mut self, meaning: Meaning, args: &[Term]) -> Operand {
        let term = self.functions.apply(self.terms, meaning, args);
        self.add_range(meaning.result(), term);
        Operand::int(term, range_of(meaning.result()))
    }

    fn with_axioms(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        a: (Term, &Interval),
        b: (Term, &Interval),
    ) -> Operand {
        let term = self.functions.apply(self.terms, Meaning::Binary(op, scalar), &[a.0, b.0]);
        let (left, right) =
            (Argument { term: a.0, interval: a.1 }, Argument { term: b.0, interval: b.1 });
        for fact in axioms(self.terms, op, scalar, &left, &right, term) {
            self.add(fact);
        }
        Operand::int(term, range_of(scalar))
    }

    /// An operation whose result does not depend on the order of its operands.
    fn symmetric(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        a: (Term, &Interval),
        b: (Term, &Interval),
    ) -> Operand {
        let (first, second) = if a.0 <= b.0 { (a, b) } else { (b, a) };
        self.with_axioms(op, scalar, first, second)
    }

    fn int_mul(
        &mut self,
        scalar: Scalar,
        a: &Operand,
        ia: &Interval,
        b: &Operand,
        ib: &Interval,
    ) -> Operand {
        let exact = ia.mul(ib);
        if self.terms.value(a.term).is_some() || self.terms.value(b.term).is_some() {
            let product = self.terms.mul(a.term, b.term);
            return self.wrap_to(product, &exact, scalar);
        }
        // A factor that is 0 or 1 chooses.
        for (choice, interval, other) in [(a, ia, b), (b, ib, a)] {
            if interval.is_boolean() {
                let (zero, one) = (self.terms.int(0), self.terms.int(1));
                let chosen = self.terms.eq(choice.term, one);
                let product = self.terms.ite(chosen, other.term, zero);
                return Operand::int(product, exact);
            }
        }
        self.symmetric(BinaryOp::Mul, scalar, (a.term, ia), (b.term, ib))
    }

    /// The run ends on a division by zero and on the one quotient that does not fit: the caller
    /// has added that neither happens.
    fn int_division(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        a: &Operand,
        ia: &Interval,
        b: &Operand,
        ib: &Interval,
    ) -> Operand {
        let divisor = self.terms.value(b.term).filter(|d| **d != Integer::ZERO).cloned();
        let Some(divisor) = divisor else {
            return self.with_axioms(op, scalar, (a.term, ia), (b.term, ib));
        };
        let magnitude = abs(&divisor);
        let by = self.terms.int(magnitude.clone());
        let is_div = op == BinaryOp::Div;
        let divide = |draft: &mut Self, dividend: Term| {
            if is_div { draft.terms.div(dividend, by) } else { draft.terms.modulo(dividend, by) }
        };
        let up = divide(self, a.term);
        let cut = if ia.is_nonnegative() {
            up
        } else {
            let negated = self.terms.neg(a.term);
            let down = divide(self, negated);
            let down = self.terms.neg(down);
            let zero = self.terms.int(0);
            let positive = self.terms.le(zero, a.term);
            self.terms.ite(positive, up, down)
        };
        if !is_div {
            // The sign of the divisor does not matter to the remainder.
            let bound = &magnitude - Integer::ONE;
            let least = if ia.is_nonnegative() { Integer::ZERO } else { -bound.clone() };
            let interval = Interval { low: least, high: bound };
            return Operand::int(cut, interval.meet(&range_of(scalar)).unwrap_or(interval));
        }
        let interval = ia.map(|bound| truncating_div_rem(bound, &magnitude).0);
        if divisor > Integer::ZERO {
            return Operand::int(cut, interval);
        }
        let negated = self.terms.neg(cut);
        // The smallest number by -1 ends the run; elsewhere the quotient fits.
        let interval = interval.neg();
        let interval = interval.meet(&range_of(scalar)).unwrap_or(interval);
        Operand::int(negated, interval)
    }

    fn int_shift(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        a: &Operand,
        ia: &Interval,
        b: &Operand,
        ib: &Interval,
    ) -> Operand {
        let width = u32::from(scalar.width());
        if let Some(count) = self.terms.value(b.term) {
            // Widths are powers of two: the count modulo the width.
            let count = modulo_power_of_two(count, width.ilog2());
            let factor = u32::try_from(&count).map_or(Integer::ONE, power_of_two);
            if op == BinaryOp::Shl {
                let shifted = self.terms.mul_by(factor.clone(), a.term);
                let interval = ia.mul(&Interval::point(factor));
                return self.wrap_to(shifted, &interval, scalar);
            }
            let by = self.terms.int(factor.clone());
            let shifted = self.terms.div(a.term, by);
            return Operand::int(shifted, ia.map(|bound| floor_div(bound, &factor)));
        }
        let whole = self.terms.int(width);
        let counts = Interval::new(0, width - 1);
        let (count, counts) = if counts.contains(ib) {
            (b.term, ib.clone())
        } else {
            (self.terms.modulo(b.term, whole), counts)
        };
        self.with_axioms(op, scalar, (a.term, ia), (count, &counts))
    }

    fn int_bitwise(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        a: &Operand,
        ia: &Interval,
        b: &Operand,
        ib: &Interval,
    ) -> Operand {
        let common = self.int_and(scalar, a, ia, b, ib);
        let range = range_of(scalar);
        let common_interval = common.interval(scalar);
        if op == BinaryOp::BitAnd {
            return common;
        }
        let sum = self.terms.add(a.term, b.term);
        let times = if op == BinaryOp::BitOr { 1 } else { 2 };
        let taken = self.terms.mul_by(-times, common.term);
        let result = self.terms.add(sum, taken);
        // Exact integers, in range whatever the intervals say: nothing wraps.
        let wide = ia.add(ib).sub(&common_interval.mul(&Interval::point(times)));
        let interval = wide.meet(&range).unwrap_or_else(|| range.clone());
        if !range.contains(&wide) {
            let in_range = super::scalar::within(self.terms, result, &interval);
            self.add(in_range);
        }
        Operand::int(result, interval)
    }

    /// `a & b`.
    fn int_and(
        &mut self,
        scalar: Scalar,
        a: &Operand,
        ia: &Interval,
        b: &Operand,
        ib: &Interval,
    ) -> Operand {
        if a.term == b.term {
            return a.clone();
        }
        for (value, interval, mask) in [(a, ia, b), (b, ib, a)] {
            if let Some(mask) = self.terms.value(mask.term).cloned()
                && let Some(masked) = self.int_mask(scalar, value, interval, &mask)
            {
                return masked;
            }
        }
        if ia.is_boolean() && ib.is_boolean() {
            let one = self.terms.int(1);
            let (x, y) = (self.terms.eq(a.term, one), self.terms.eq(b.term, one));
            let both = self.terms.and2(x, y);
            return self.truth_value(both);
        }
        let mut result = self.symmetric(BinaryOp::BitAnd, scalar, (a.term, ia), (b.term, ib));
        // One operand without sign bounds the result.
        for interval in [ia, ib] {
            if interval.is_nonnegative() {
                let bound = Interval { low: Integer::ZERO, high: interval.high.clone() };
                let known = result.interval(scalar);
                result.interval = known.meet(&bound).or(Some(known));
            }
        }
        result
    }

    /// `a & mask`, unless the mask has too many runs of ones.
    fn int_mask(
        &mut self,
        scalar: Scalar,
        a: &Operand,
        ia: &Interval,
        mask: &Integer,
    ) -> Option<Operand> {
        let width = u32::from(scalar.width());
        let runs = runs_of_ones(&modulo_power_of_two(mask, width), width);
        if runs.len() > RUN_LIMIT {
            return None;
        }
        let range = Interval::of_int(width, is_signed(scalar));
        let mut total = self.terms.int(0);
        let mut interval = Interval::point(0);
        for (low, high) in runs {
            let weight = power_of_two(low);
            let by = self.terms.int(weight.clone());
            let shifted = self.terms.div(a.term, by);
            let mut part = shifted;
            let mut kept = ia.map(|bound| floor_div(bound, &weight));
            // Up to the sign bit: what is above is kept anyway, sign included.
            if high < width {
                let values = power_of_two(high - low);
                let fits = Interval { low: Integer::ZERO, high: &values - Integer::ONE };
                if !fits.contains(&kept) {
                    let modulus = self.terms.int(values);
                    part = self.terms.modulo(shifted, modulus);
                    kept = fits;
                }
            }
            let part = self.terms.mul_by(weight.clone(), part);
            total = self.terms.add(total, part);
            interval = interval.add(&kept.mul(&Interval::point(weight)));
        }
        let interval = interval.meet(&range).unwrap_or(range);
        Some(Operand::int(total, interval))
    }

    /// A conversion between scalar types.
    pub(super) fn int_cast(&mut self, from: Scalar, to: Scalar, a: &Operand) -> Operand {
        match (from, to) {
            (_, Scalar::Bool) => {
                let truth = self.int_truth(from, a);
                self.truth_value(truth)
            }
            (Scalar::Float(_), _) | (_, Scalar::Float(_)) if from != to => {
                self.uninterpreted(Meaning::Cast(from, to), &[a.term])
            }
            (_, Scalar::Int { .. }) => self.wrap_to(a.term, &a.interval(from), to),
            _ => a.clone(),
        }
    }

    /// Whether a value is not zero.
    pub(super) fn int_truth(&mut self, scalar: Scalar, a: &Operand) -> Term {
        let zero = self.terms.int(0);
        match scalar {
            Scalar::Float(kind) => {
                let is_zero = self.uninterpreted(Meaning::IsZero(kind), &[a.term]);
                self.terms.eq(is_zero.term, zero)
            }
            _ => self.terms.ne(a.term, zero),
        }
    }
}

/// The runs of ones of a pattern: from the first bit to the one behind the last.
fn runs_of_ones(pattern: &Integer, width: u32) -> Vec<(u32, u32)> {
    let is_set = |bit: u32| (pattern >> bit as usize) & Integer::ONE == Integer::ONE;
    let mut runs = Vec::new();
    let mut start = None;
    for bit in 0..=width {
        match (bit < width && is_set(bit), start) {
            (true, None) => start = Some(bit),
            (false, Some(low)) => {
                runs.push((low, bit));
                start = None;
            }
            _ => {}
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs() {
        let runs = |p: i64, w| runs_of_ones(&Integer::from(p), w);
        assert_eq!(runs(0, 8), []);
        assert_eq!(runs(0xff, 8), [(0, 8)]);
        assert_eq!(runs(0b1011_0001, 8), [(0, 1), (4, 6), (7, 8)]);
    }
}
