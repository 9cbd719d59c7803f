//! Values of terms, and assignments of values to terms.

use super::arena::{Term, Terms};
use super::op::Op;
use super::sort::{FloatSort, Sort};
use crate::Integer;
use std::collections::BTreeMap;

/// What a term can be equal to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Integer),
    /// A bit-vector, read unsigned.
    BitVec {
        /// Its width.
        width: u32,
        /// Between 0 and 2^width - 1.
        bits: Integer,
    },
    /// A floating-point number as its bit pattern; all that are not numbers are the pattern
    /// [`Value::nan`] gives.
    Float {
        /// Its format.
        sort: FloatSort,
        /// The bit pattern.
        bits: Integer,
    },
    /// An array: a default and the indices where it holds something else.
    Array {
        /// What it holds elsewhere.
        default: Box<Value>,
        /// Indices with other values.
        entries: BTreeMap<Value, Value>,
    },
}

impl Value {
    /// The one value that is not a number.
    pub fn nan(sort: FloatSort) -> Self {
        let fraction = sort.significand - 1;
        let bits = (crate::number::power_of_two(sort.exponent + 1) - Integer::ONE)
            << (fraction - 1) as usize;
        Self::Float { sort, bits }
    }

    /// The floating-point number with this bit pattern.
    pub fn float(sort: FloatSort, bits: Integer) -> Self {
        let fraction = sort.significand - 1;
        let magnitude = crate::number::modulo_power_of_two(&bits, sort.width() - 1);
        let infinity =
            (crate::number::power_of_two(sort.exponent) - Integer::ONE) << fraction as usize;
        if magnitude > infinity { Self::nan(sort) } else { Self::Float { sort, bits } }
    }

    /// The integer or the unsigned value of a bit-vector.
    pub fn as_integer(&self) -> Option<&Integer> {
        match self {
            Self::Int(value) => Some(value),
            Self::BitVec { bits, .. } => Some(bits),
            _ => None,
        }
    }

    /// The truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Zero, `false`, or everywhere that.
    pub fn zero(terms: &Terms, sort: Sort) -> Self {
        match sort {
            Sort::Bool => Self::Bool(false),
            Sort::Int => Self::Int(Integer::ZERO),
            Sort::BitVec(width) => Self::BitVec { width, bits: Integer::ZERO },
            Sort::Float(sort) => Self::Float { sort, bits: Integer::ZERO },
            Sort::Array(array) => Self::Array {
                default: Box::new(Self::zero(terms, terms.array_parts(array).1)),
                entries: BTreeMap::new(),
            },
        }
    }
}

impl Terms {
    /// The term that is this value; `sort` must be its sort.
    pub fn value_term(&mut self, value: &Value, sort: Sort) -> Term {
        match value {
            Value::Bool(value) => self.bool(*value),
            Value::Int(value) => self.int(value.clone()),
            Value::BitVec { width, bits } => self.bv(bits.clone(), *width),
            Value::Float { sort, bits } => {
                let bits = self.bv(bits.clone(), sort.width());
                self.make(Op::FloatFromBits(*sort), &[bits])
            }
            Value::Array { default, entries } => {
                let (index_sort, element_sort) = match sort {
                    Sort::Array(array) => self.array_parts(array),
                    other => (other, other),
                };
                let default = self.value_term(default, element_sort);
                let mut array = self.const_array(sort, default);
                for (index, element) in entries {
                    let index = self.value_term(index, index_sort);
                    let element = self.value_term(element, element_sort);
                    array = self.store(array, index, element);
                }
                array
            }
        }
    }
}
