//! Constructors with the names people use; all simplify (see [`super::rewrite`]).

use super::arena::{Term, Terms};
use super::op::Op;
use super::sort::Sort;
use super::symbol::Function;
use crate::Integer;

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $op:expr;)*) => {
        impl Terms {
            $($(#[$doc])* pub fn $name(&mut self, a: Term, b: Term) -> Term {
                self.make($op, &[a, b])
            })*
        }
    };
}

binary! {
    /// Equality of terms of one sort; on Booleans, equivalence.
    eq = Op::Eq;
    /// Integer product.
    mul = Op::Mul;
    /// Integer `a <= b`.
    le = Op::Le;
    /// SMT-LIB's integer division.
    div = Op::Div;
    /// SMT-LIB's integer remainder, never negative.
    modulo = Op::Mod;
    /// Bitwise and.
    bv_and = Op::BvAnd;
    /// Bitwise or.
    bv_or = Op::BvOr;
    /// Bitwise exclusive or.
    bv_xor = Op::BvXor;
    /// Sum modulo 2^n.
    bv_add = Op::BvAdd;
    /// Product modulo 2^n.
    bv_mul = Op::BvMul;
    /// Unsigned division.
    bv_udiv = Op::BvUdiv;
    /// Unsigned remainder.
    bv_urem = Op::BvUrem;
    /// Signed division.
    bv_sdiv = Op::BvSdiv;
    /// Signed remainder.
    bv_srem = Op::BvSrem;
    /// Left shift.
    bv_shl = Op::BvShl;
    /// Logical right shift.
    bv_lshr = Op::BvLshr;
    /// Arithmetic right shift.
    bv_ashr = Op::BvAshr;
    /// Unsigned `<=`.
    bv_ule = Op::BvUle;
    /// Unsigned `<`.
    bv_ult = Op::BvUlt;
    /// Signed `<=`.
    bv_sle = Op::BvSle;
    /// Signed `<`.
    bv_slt = Op::BvSlt;
    /// Concatenation, the first argument in the high bits.
    concat = Op::Concat;
    /// Array read.
    select = Op::Select;
}

impl Terms {
    /// Negation.
    pub fn not(&mut self, a: Term) -> Term {
        self.make(Op::Not, &[a])
    }

    /// Conjunction of any number.
    pub fn and(&mut self, all: &[Term]) -> Term {
        self.make(Op::And, all)
    }

    /// Conjunction of two.
    pub fn and2(&mut self, a: Term, b: Term) -> Term {
        self.make(Op::And, &[a, b])
    }

    /// Disjunction of any number.
    pub fn or(&mut self, any: &[Term]) -> Term {
        self.make(Op::Or, any)
    }

    /// Disjunction of two.
    pub fn or2(&mut self, a: Term, b: Term) -> Term {
        self.make(Op::Or, &[a, b])
    }

    /// `a` implies `b`.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not = self.not(a);
        self.or2(not, b)
    }

    /// If `condition` then `then` else `other`.
    pub fn ite(&mut self, condition: Term, then: Term, other: Term) -> Term {
        self.make(Op::Ite, &[condition, then, other])
    }

    /// Difference of terms of one sort.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// Integer sum.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.make(Op::Add, &[a, b])
    }

    /// Integer sum of any number.
    pub fn sum_of(&mut self, all: &[Term]) -> Term {
        self.make(Op::Add, all)
    }

    /// Integer `-a`.
    pub fn neg(&mut self, a: Term) -> Term {
        self.mul_by(-1, a)
    }

    /// Integer difference.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let negated = self.neg(b);
        self.add(a, negated)
    }

    /// Integer product with a constant.
    pub fn mul_by(&mut self, factor: impl Into<Integer>, a: Term) -> Term {
        let factor = self.int(factor);
        self.mul(factor, a)
    }

    /// Integer sum with a constant.
    pub fn add_constant(&mut self, a: Term, constant: impl Into<Integer>) -> Term {
        let constant = self.int(constant);
        self.add(a, constant)
    }

    /// Integer `a < b`.
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        let successor = self.add_constant(a, 1);
        self.le(successor, b)
    }

    /// Integer `a >= b`.
    pub fn ge(&mut self, a: Term, b: Term) -> Term {
        self.le(b, a)
    }

    /// Integer `a > b`.
    pub fn gt(&mut self, a: Term, b: Term) -> Term {
        self.lt(b, a)
    }

    /// Bitwise complement.
    pub fn bv_not(&mut self, a: Term) -> Term {
        self.make(Op::BvNot, &[a])
    }

    /// Two's complement negation.
    pub fn bv_neg(&mut self, a: Term) -> Term {
        self.make(Op::BvNeg, &[a])
    }

    /// Difference modulo 2^n.
    pub fn bv_sub(&mut self, a: Term, b: Term) -> Term {
        let negated = self.bv_neg(b);
        self.bv_add(a, negated)
    }

    /// The bits from `high` down to `low`.
    pub fn extract(&mut self, high: u32, low: u32, a: Term) -> Term {
        self.make(Op::Extract { high, low }, &[a])
    }

    /// `by` zero bits in front.
    pub fn zero_extend(&mut self, by: u32, a: Term) -> Term {
        self.make(Op::ZeroExtend(by), &[a])
    }

    /// `by` copies of the sign bit in front.
    pub fn sign_extend(&mut self, by: u32, a: Term) -> Term {
        self.make(Op::SignExtend(by), &[a])
    }

    /// Array write.
    pub fn store(&mut self, array: Term, index: Term, value: Term) -> Term {
        self.make(Op::Store, &[array, index, value])
    }

    /// The array of the given sort that holds `value` everywhere; `sort` must be an array sort.
    pub fn const_array(&mut self, sort: Sort, value: Term) -> Term {
        match sort {
            Sort::Array(array) => self.make(Op::ConstArray(array), &[value]),
            _ => value,
        }
    }

    /// Application of an uninterpreted function.
    pub fn apply(&mut self, function: Function, args: &[Term]) -> Term {
        self.make(Op::Apply(function), args)
    }
}
