//! Floating-point numbers: bits in every state, numbers only inside of an operation.
//!
//! The result of an operation is any bit pattern that is this number. There is one for each number
//! and many for NaN, of which a program sees no more here than that it is one. Numbers that do not
//! fit into an integer become any integer. Both are more than really happens.

use gnomon_ir::cfa::Call;
use gnomon_ir::expr::BinaryOp;
use gnomon_ir::ops::Scalar;
use gnomon_ir::types::FloatKind;
use gnomon_logic::math::{self, MathResult};
use gnomon_logic::{FloatSort, Integer, Op, Sort, Term, Value};

use crate::machine::{Followed, Machine, not_followed};
use crate::state::State;

/// The format of a type. The bits of the x87 format are no interchange format.
pub(crate) fn format(kind: FloatKind) -> Followed<FloatSort> {
    match kind {
        FloatKind::F16 => Ok(FloatSort { exponent: 5, significand: 11 }),
        FloatKind::F32 => Ok(FloatSort::SINGLE),
        FloatKind::F64 => Ok(FloatSort::DOUBLE),
        FloatKind::F128 => Ok(FloatSort::QUADRUPLE),
        FloatKind::X87 => not_followed("arithmetic with `long double`"),
    }
}

impl Machine<'_> {
    /// The number of a bit pattern.
    pub(crate) fn number_of(&mut self, format: FloatSort, bits: Term) -> Term {
        self.terms.make(Op::FloatFromBits(format), &[bits])
    }

    /// Some bit pattern of a number.
    fn pattern_of(&mut self, format: FloatSort, number: Term) -> Term {
        let bits = self.fresh("float", Sort::BitVec(format.width()));
        let meant = self.number_of(format, bits);
        let same = self.terms.eq(meant, number);
        self.background.push(same);
        bits
    }

    /// Whether a number is not zero: only the sign may be set in zero.
    pub(crate) fn float_truth(&mut self, bits: Term) -> Term {
        let width = self.terms.width(bits);
        let magnitude = self.terms.extract(width - 2, 0, bits);
        let zero = self.terms.bv(0, width - 1);
        self.terms.ne(magnitude, zero)
    }

    /// The number with the other sign.
    pub(crate) fn float_negated(&mut self, bits: Term) -> Term {
        let width = self.terms.width(bits);
        let sign = self.terms.bv(power_of_two(width - 1), width);
        self.terms.bv_xor(bits, sign)
    }

    /// A comparison of two bit patterns.
    pub(crate) fn float_comparison(
        &mut self,
        op: BinaryOp,
        kind: FloatKind,
        a: Term,
        b: Term,
    ) -> Followed<Term> {
        let format = format(kind)?;
        let (a, b) = (self.number_of(format, a), self.number_of(format, b));
        let t = &mut self.terms;
        Ok(match op {
            BinaryOp::Eq => t.make(Op::FloatEq, &[a, b]),
            BinaryOp::Ne => {
                let equal = t.make(Op::FloatEq, &[a, b]);
                t.not(equal)
            }
            BinaryOp::Lt => t.make(Op::FloatLt, &[a, b]),
            BinaryOp::Le => t.make(Op::FloatLe, &[a, b]),
            BinaryOp::Gt => t.make(Op::FloatLt, &[b, a]),
            _ => t.make(Op::FloatLe, &[b, a]),
        })
    }

    /// An operation on two bit patterns, rounded to nearest.
    pub(crate) fn float_arithmetic(
        &mut self,
        op: BinaryOp,
        kind: FloatKind,
        a: Term,
        b: Term,
    ) -> Followed<Term> {
        let op = match op {
            BinaryOp::Add => Op::FloatAdd,
            BinaryOp::Sub => Op::FloatSub,
            BinaryOp::Mul => Op::FloatMul,
            BinaryOp::Div => Op::FloatDiv,
            _ => return not_followed("an operator that floating point does not have"),
        };
        let format = format(kind)?;
        let (a, b) = (self.number_of(format, a), self.number_of(format, b));
        let result = self.terms.make(op, &[a, b]);
        Ok(self.pattern_of(format, result))
    }

    /// A conversion from or to floating point; the value is a bit pattern.
    pub(crate) fn float_cast(&mut self, from: Scalar, to: Scalar, value: Term) -> Followed<Term> {
        match (from, to) {
            (Scalar::Float(from), Scalar::Float(to)) => {
                let (from, to) = (format(from)?, format(to)?);
                let number = self.number_of(from, value);
                let converted = self.terms.make(Op::FloatConvert(to), &[number]);
                Ok(self.pattern_of(to, converted))
            }
            (Scalar::Float(from), Scalar::Int { bits, signed }) => {
                let number = self.number_of(format(from)?, value);
                self.float_to_integer(format(from)?, number, bits.into(), signed)
            }
            (from, Scalar::Float(to)) => {
                let to = format(to)?;
                let signed = matches!(from, Scalar::Int { signed: true, .. });
                let op = if signed { Op::FloatFromSigned(to) } else { Op::FloatFromUnsigned(to) };
                let number = self.terms.make(op, &[value]);
                Ok(self.pattern_of(to, number))
            }
            _ => not_followed("a conversion of floating-point numbers"),
        }
    }

    /// The result of a function of `<math.h>` whose meaning is known.
    pub(crate) fn math(
        &mut self,
        state: &mut State,
        name: &str,
        call: &Call,
    ) -> Followed<Option<Term>> {
        let (Some(dst), Some(function)) = (call.dst, math::find(name)) else { return Ok(None) };
        let result = self.scalar(self.program.place_ty(dst))?;
        let mut kind = function.kind;
        let mut args = Vec::new();
        for &arg in &call.args {
            let scalar = self.scalar(self.program.expr_ty(arg))?;
            if let (true, Scalar::Float(own)) = (function.is_generic(), scalar) {
                kind = own;
            }
            // Arguments have the type of the parameters.
            if scalar != Scalar::Float(kind) {
                return Ok(None);
            }
            let Ok(format) = format(kind) else { return Ok(None) };
            let bits = self.expr(state, arg)?;
            args.push(self.number_of(format, bits));
        }
        let Ok(format) = format(kind) else { return Ok(None) };
        let open = self.fresh("open", Sort::Bool);
        Ok(match (function.result(&mut self.terms, &args, open), result) {
            (Some(MathResult::Number(number)), _) if result == Scalar::Float(kind) => {
                Some(self.pattern_of(format, number))
            }
            (Some(MathResult::Integer(value)), Scalar::Int { bits, .. }) => {
                Some(self.widened(value, bits.into(), true))
            }
            (Some(MathResult::Whole(number)), Scalar::Int { bits, signed }) => {
                Some(self.float_to_integer(format, number, bits.into(), signed)?)
            }
            _ => None,
        })
    }

    /// A number cut towards zero, if it certainly fits; any integer otherwise.
    fn float_to_integer(
        &mut self,
        format: FloatSort,
        number: Term,
        width: u32,
        signed: bool,
    ) -> Followed<Term> {
        let bound = if signed { width - 1 } else { width };
        let Some(bound) = power(format, bound) else {
            return not_followed("a conversion of small floating-point numbers to large integers");
        };
        let constant = |machine: &mut Self, bits: Integer| {
            machine.terms.value_term(&Value::float(format, bits), Sort::Float(format))
        };
        let sign = power_of_two(format.width() - 1);
        let high = constant(self, bound.clone());
        let below = self.terms.make(Op::FloatLt, &[number, high]);
        let (above, op) = if signed {
            let low = constant(self, bound + sign);
            (self.terms.make(Op::FloatLe, &[low, number]), Op::FloatToSigned(width))
        } else {
            let one = power(format, 0).unwrap_or_default();
            let low = constant(self, one + sign);
            (self.terms.make(Op::FloatLt, &[low, number]), Op::FloatToUnsigned(width))
        };
        let fits = self.terms.and2(below, above);
        let cut = self.terms.make(op, &[number]);
        let any = self.fresh("converted", Sort::BitVec(width));
        self.approximated.get_or_insert_with(|| "a conversion to an integer".to_owned());
        Ok(self.terms.ite(fits, cut, any))
    }
}

fn power_of_two(exponent: u32) -> Integer {
    Integer::from(1) << exponent as usize
}

/// The pattern of 2^`exponent`, if the format has it.
fn power(format: FloatSort, exponent: u32) -> Option<Integer> {
    let bias = (1u32 << (format.exponent - 1)) - 1;
    let biased = bias + exponent;
    // All ones is infinity.
    (biased < (1 << format.exponent) - 1)
        .then(|| Integer::from(biased) << (format.significand - 1) as usize)
}
