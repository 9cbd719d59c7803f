//! Which arguments an operator takes and what the result ranges over.

use super::arena::{Term, Terms};
use super::op::Op;
use super::sort::Sort;

/// An operator applied to arguments it does not take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{op:?} cannot be applied to arguments of the sorts {sorts:?}")]
pub struct IllSorted {
    /// The operator.
    pub op: Op,
    /// The sorts of the arguments.
    pub sorts: Vec<Sort>,
}

impl Terms {
    /// [`Terms::make`] for arguments of unknown origin.
    pub fn checked(&mut self, op: Op, args: &[Term]) -> Result<Term, IllSorted> {
        self.check_sorts(op, args)?;
        Ok(self.make(op, args))
    }

    /// The sort of a node whose arguments fit.
    pub(super) fn result_sort(&self, op: Op, args: &[Term]) -> Sort {
        let first = || args.first().map_or(Sort::Bool, |&a| self.sort(a));
        let first_width = || args.first().map_or(0, |&a| self.width(a));
        match op {
            Op::True
            | Op::False
            | Op::Not
            | Op::And
            | Op::Or
            | Op::Eq
            | Op::Le
            | Op::BvUle
            | Op::BvUlt
            | Op::BvSle
            | Op::BvSlt
            | Op::FloatEq
            | Op::FloatLt
            | Op::FloatLe
            | Op::FloatIsNan
            | Op::FloatIsInfinite => Sort::Bool,
            Op::Int(_) | Op::Add | Op::Mul | Op::Div | Op::Mod => Sort::Int,
            // The width of a constant is not in its operator: `Terms::bv` makes them.
            Op::BitVec(_) => Sort::BitVec(0),
            Op::Symbol(symbol) => self.variable_info(symbol.variable).sort,
            Op::Apply(function) => self.function_info(function).result,
            Op::Ite => args.get(1).map_or(Sort::Bool, |&a| self.sort(a)),
            Op::BvNot
            | Op::BvNeg
            | Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvAdd
            | Op::BvMul
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr
            | Op::Store
            | Op::FloatAdd
            | Op::FloatSub
            | Op::FloatMul
            | Op::FloatDiv
            | Op::FloatNeg
            | Op::FloatAbs
            | Op::FloatSqrt
            | Op::FloatFma
            | Op::FloatRem
            | Op::FloatRound(_) => first(),
            Op::Concat => Sort::BitVec(args.iter().map(|&a| self.width(a)).sum()),
            Op::Extract { high, low } => Sort::BitVec(high - low + 1),
            Op::ZeroExtend(by) | Op::SignExtend(by) => Sort::BitVec(first_width() + by),
            Op::Select => match first() {
                Sort::Array(array) => self.array_parts(array).1,
                other => other,
            },
            Op::ConstArray(array) => Sort::Array(array),
            Op::FloatFromBits(sort)
            | Op::FloatConvert(sort)
            | Op::FloatFromSigned(sort)
            | Op::FloatFromUnsigned(sort) => Sort::Float(sort),
            Op::FloatToSigned(width) | Op::FloatToUnsigned(width) => Sort::BitVec(width),
        }
    }

    /// Whether the operator takes these arguments.
    pub fn check_sorts(&self, op: Op, args: &[Term]) -> Result<(), IllSorted> {
        let sorts: Vec<Sort> = args.iter().map(|&a| self.sort(a)).collect();
        let fits = match op {
            Op::True | Op::False | Op::Int(_) | Op::BitVec(_) | Op::Symbol(_) => sorts.is_empty(),
            Op::Apply(function) => *self.function_info(function).arguments == sorts[..],
            Op::Not => sorts == [Sort::Bool],
            Op::And | Op::Or => sorts.iter().all(|&s| s == Sort::Bool),
            Op::Ite => matches!(sorts[..], [Sort::Bool, a, b] if a == b),
            Op::Eq => matches!(sorts[..], [a, b] if a == b),
            Op::Add => sorts.iter().all(|&s| s == Sort::Int),
            Op::Mul | Op::Le | Op::Div | Op::Mod => sorts == [Sort::Int, Sort::Int],
            Op::BvNot | Op::BvNeg => matches!(sorts[..], [Sort::BitVec(_)]),
            Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvAdd
            | Op::BvMul
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr
            | Op::BvUle
            | Op::BvUlt
            | Op::BvSle
            | Op::BvSlt => {
                matches!(sorts[..], [Sort::BitVec(a), Sort::BitVec(b)] if a == b)
            }
            Op::Concat => matches!(sorts[..], [Sort::BitVec(_), Sort::BitVec(_)]),
            Op::Extract { high, low } => {
                matches!(sorts[..], [Sort::BitVec(w)] if low <= high && high < w)
            }
            Op::ZeroExtend(_) | Op::SignExtend(_) => matches!(sorts[..], [Sort::BitVec(_)]),
            Op::Select => match sorts[..] {
                [Sort::Array(array), index] => self.array_parts(array).0 == index,
                _ => false,
            },
            Op::Store => match sorts[..] {
                [Sort::Array(array), index, value] => self.array_parts(array) == (index, value),
                _ => false,
            },
            Op::ConstArray(array) => sorts == [self.array_parts(array).1],
            Op::FloatFromBits(sort) => sorts == [Sort::BitVec(sort.width())],
            Op::FloatAdd
            | Op::FloatSub
            | Op::FloatMul
            | Op::FloatDiv
            | Op::FloatRem
            | Op::FloatEq
            | Op::FloatLt
            | Op::FloatLe => matches!(sorts[..], [Sort::Float(a), Sort::Float(b)] if a == b),
            Op::FloatNeg
            | Op::FloatAbs
            | Op::FloatSqrt
            | Op::FloatRound(_)
            | Op::FloatIsNan
            | Op::FloatIsInfinite
            | Op::FloatConvert(_)
            | Op::FloatToSigned(_)
            | Op::FloatToUnsigned(_) => matches!(sorts[..], [Sort::Float(_)]),
            Op::FloatFma => {
                matches!(sorts[..], [Sort::Float(a), b, c] if b == sorts[0] && c == Sort::Float(a))
            }
            Op::FloatFromSigned(_) | Op::FloatFromUnsigned(_) => {
                matches!(sorts[..], [Sort::BitVec(_)])
            }
        };
        if fits { Ok(()) } else { Err(IllSorted { op, sorts }) }
    }
}
