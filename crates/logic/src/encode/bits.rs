//! The operators in the theory Bits: exact for every one of them.
//!
//! Floating point to integer follows [`gnomon_ir::ops::cast`] also where the number does not fit:
//! the solver's conversion is used only where it is specified, and the machine's answer elsewhere.

use super::Theory;
use super::draft::{Draft, Operand};
use super::scalar::{constant, float_sort, is_signed};
use crate::Integer;
use crate::number::power_of_two;
use crate::term::{FloatSort, Op, Sort, Term, Value};
use gnomon_ir::expr::{BinaryOp, UnaryOp};
use gnomon_ir::ops::Scalar;
use gnomon_ir::types::FloatKind;

impl Draft<'_> {
    pub(super) fn bits_unary(&mut self, op: UnaryOp, scalar: Scalar, a: Term) -> Term {
        match (op, scalar) {
            (UnaryOp::Neg, Scalar::Float(_)) => self.terms.make(Op::FloatNeg, &[a]),
            (UnaryOp::Neg, _) => self.terms.bv_neg(a),
            (UnaryOp::BitNot, _) => self.terms.bv_not(a),
        }
    }

    pub(super) fn bits_binary(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        a: Term,
        right: Scalar,
        b: Term,
    ) -> Term {
        if op.is_comparison() {
            let truth = self.bits_compare(op, scalar, a, b);
            // Comparisons give `int`.
            let int = Scalar::Int { bits: 32, signed: true };
            return self.bits_truth_value(truth, int);
        }
        if let Scalar::Float(_) = scalar {
            let op = match op {
                BinaryOp::Add => Op::FloatAdd,
                BinaryOp::Sub => Op::FloatSub,
                BinaryOp::Mul => Op::FloatMul,
                _ => Op::FloatDiv,
            };
            return self.terms.make(op, &[a, b]);
        }
        let signed = is_signed(scalar);
        match op {
            BinaryOp::Add => self.terms.bv_add(a, b),
            BinaryOp::Sub => self.terms.bv_sub(a, b),
            BinaryOp::Mul => self.terms.bv_mul(a, b),
            BinaryOp::Div if signed => self.terms.bv_sdiv(a, b),
            BinaryOp::Div => self.terms.bv_udiv(a, b),
            BinaryOp::Rem if signed => self.terms.bv_srem(a, b),
            BinaryOp::Rem => self.terms.bv_urem(a, b),
            BinaryOp::BitAnd => self.terms.bv_and(a, b),
            BinaryOp::BitOr => self.terms.bv_or(a, b),
            BinaryOp::BitXor => self.terms.bv_xor(a, b),
            _ => {
                let count = self.shift_count(scalar, right, b);
                match op {
                    BinaryOp::Shl => self.terms.bv_shl(a, count),
                    _ if signed => self.terms.bv_ashr(a, count),
                    _ => self.terms.bv_lshr(a, count),
                }
            }
        }
    }

    /// The count modulo the width, as wide as the left operand. Widths are powers of two.
    fn shift_count(&mut self, scalar: Scalar, right: Scalar, b: Term) -> Term {
        let (width, have) = (u32::from(scalar.width()), u32::from(right.width()));
        let count = if have > width {
            self.terms.extract(width - 1, 0, b)
        } else {
            self.terms.zero_extend(width - have, b)
        };
        let mask = self.terms.bv(width - 1, width);
        self.terms.bv_and(count, mask)
    }

    pub(super) fn bits_compare(&mut self, op: BinaryOp, scalar: Scalar, a: Term, b: Term) -> Term {
        if let Scalar::Float(_) = scalar {
            let (op, x, y) = match op {
                BinaryOp::Eq => (Op::FloatEq, a, b),
                BinaryOp::Lt => (Op::FloatLt, a, b),
                BinaryOp::Le => (Op::FloatLe, a, b),
                BinaryOp::Gt => (Op::FloatLt, b, a),
                BinaryOp::Ge => (Op::FloatLe, b, a),
                _ => {
                    let equal = self.terms.make(Op::FloatEq, &[a, b]);
                    return self.terms.not(equal);
                }
            };
            return self.terms.make(op, &[x, y]);
        }
        let (le, lt) =
            if is_signed(scalar) { (Op::BvSle, Op::BvSlt) } else { (Op::BvUle, Op::BvUlt) };
        match op {
            BinaryOp::Eq => self.terms.eq(a, b),
            BinaryOp::Ne => self.terms.ne(a, b),
            BinaryOp::Lt => self.terms.make(lt, &[a, b]),
            BinaryOp::Le => self.terms.make(le, &[a, b]),
            BinaryOp::Gt => self.terms.make(lt, &[b, a]),
            _ => self.terms.make(le, &[b, a]),
        }
    }

    /// 1 if the formula holds, else 0, of a type.
    pub(super) fn bits_truth_value(&mut self, truth: Term, scalar: Scalar) -> Term {
        let width = u32::from(scalar.width());
        let (one, zero) = (self.terms.bv(1, width), self.terms.bv(0, width));
        self.terms.ite(truth, one, zero)
    }

    /// Whether a value is not zero.
    pub(super) fn bits_truth(&mut self, scalar: Scalar, a: Term) -> Term {
        let zero = constant(self.terms, Theory::Bits, scalar, 0);
        match scalar {
            // -0.0 is zero, NaN is not.
            Scalar::Float(_) => {
                let equal = self.terms.make(Op::FloatEq, &[a, zero]);
                self.terms.not(equal)
            }
            _ => self.terms.ne(a, zero),
        }
    }

    pub(super) fn bits_cast(&mut self, from: Scalar, to: Scalar, a: Term) -> Operand {
        Operand::bits(match (from, to) {
            (_, Scalar::Bool) => {
                let truth = self.bits_truth(from, a);
                self.bits_truth_value(truth, Scalar::Bool)
            }
            (Scalar::Float(_), Scalar::Float(kind)) => {
                self.terms.make(Op::FloatConvert(float_sort(kind)), &[a])
            }
            (Scalar::Float(kind), Scalar::Int { bits, signed }) => {
                self.float_to_int(kind, u32::from(bits), signed, a)
            }
            (_, Scalar::Float(kind)) => {
                let sort = float_sort(kind);
                let op = if is_signed(from) {
                    Op::FloatFromSigned(sort)
                } else {
                    Op::FloatFromUnsigned(sort)
                };
                self.terms.make(op, &[a])
            }
            (_, Scalar::Int { .. }) => self.resize(from, u32::from(to.width()), a),
        })
    }

    /// Cut, or extended by the sign of the source.
    pub(super) fn resize(&mut self, from: Scalar, width: u32, a: Term) -> Term {
        let have = u32::from(from.width());
        if width <= have {
            self.terms.extract(width - 1, 0, a)
        } else if is_signed(from) {
            self.terms.sign_extend(width - have, a)
        } else {
            self.terms.zero_extend(width - have, a)
        }
    }

    /// A number cut towards zero, with the machine's answer where that does not fit.
    fn float_to_int(&mut self, kind: FloatKind, width: u32, signed: bool, a: Term) -> Term {
        let smallest =
            |draft: &mut Self, width: u32| draft.terms.bv(power_of_two(width - 1), width);
        let fits = self.fits_int(kind, width, signed, a);
        let exact = self.truncated(width, signed, a);
        let otherwise = match (width, signed) {
            (8 | 16, _) => self.through_signed(kind, 32, width, a),
            (32, false) => self.through_signed(kind, 64, width, a),
            (_, true) => smallest(self, width),
            (_, false) => {
                let fits = self.fits_int(kind, width, true, a);
                let exact = self.truncated(width, true, a);
                let smallest = smallest(self, width);
                self.terms.ite(fits, exact, smallest)
            }
        };
        self.terms.ite(fits, exact, otherwise)
    }

    /// The low bits of the machine's conversion to a wider signed type.
    fn through_signed(&mut self, kind: FloatKind, machine: u32, width: u32, a: Term) -> Term {
        let fits = self.fits_int(kind, machine, true, a);
        let exact = self.truncated(machine, true, a);
        let smallest = self.terms.bv(power_of_two(machine - 1), machine);
        let converted = self.terms.ite(fits, exact, smallest);
        self.terms.extract(width - 1, 0, converted)
    }

    fn truncated(&mut self, width: u32, signed: bool, a: Term) -> Term {
        let op = if signed { Op::FloatToSigned(width) } else { Op::FloatToUnsigned(width) };
        self.terms.make(op, &[a])
    }

    /// Whether a number, cut towards zero, fits into an integer type.
    fn fits_int(&mut self, kind: FloatKind, width: u32, signed: bool, a: Term) -> Term {
        let sort = float_sort(kind);
        let upper = if signed { width - 1 } else { width };
        let below = match power(sort, upper) {
            Some(bound) => {
                let bound = self.float_constant(sort, bound);
                self.terms.make(Op::FloatLt, &[a, bound])
            }
            // Every finite number of the format is smaller.
            None => self.is_finite(a),
        };
        let above = if !signed {
            let minus_one = self.float_constant(sort, negative(sort, one(sort)));
            self.terms.make(Op::FloatLt, &[minus_one, a])
        } else if let Some(bound) = power(sort, width - 1) {
            if sort.significand >= width {
                // -2^(width-1) - 1 is a number of the format: everything above it is cut to fit.
                let fraction = power_of_two(sort.significand - 1);
                let unit = fraction >> (width - 1) as usize;
                let bound = self.float_constant(sort, negative(sort, bound + unit));
                self.terms.make(Op::FloatLt, &[bound, a])
            } else {
                let bound = self.float_constant(sort, negative(sort, bound));
                self.terms.make(Op::FloatLe, &[bound, a])
            }
        } else {
            self.is_finite(a)
        };
        self.terms.and2(below, above)
    }

    fn is_finite(&mut self, a: Term) -> Term {
        let (nan, infinite) =
            (self.terms.make(Op::FloatIsNan, &[a]), self.terms.make(Op::FloatIsInfinite, &[a]));
        let either = self.terms.or2(nan, infinite);
        self.terms.not(either)
    }

    fn float_constant(&mut self, sort: FloatSort, bits: Integer) -> Term {
        self.terms.value_term(&Value::float(sort, bits), Sort::Float(sort))
    }
}

/// The pattern of 2^`exponent`, if the format has it.
fn power(sort: FloatSort, exponent: u32) -> Option<Integer> {
    let bias = (1u32 << (sort.exponent - 1)) - 1;
    let biased = bias + exponent;
    // All ones is infinity.
    (biased < (1 << sort.exponent) - 1)
        .then(|| Integer::from(biased) << (sort.significand - 1) as usize)
}

/// The pattern of 1.
fn one(sort: FloatSort) -> Integer {
    let bias = (1u32 << (sort.exponent - 1)) - 1;
    Integer::from(bias) << (sort.significand - 1) as usize
}

fn negative(sort: FloatSort, bits: Integer) -> Integer {
    bits + power_of_two(sort.width() - 1)
}
