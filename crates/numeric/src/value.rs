//! What is known of one scalar: an integer, a floating-point number, a pointer.
//!
//! A value knows the type that it was stored with. Whoever reads it as another type gets what the
//! bits say, or anything.

use gnomon_ir::ops::Scalar;
use gnomon_ir::types::FloatKind;

use crate::float::{self, Float};
use crate::int::{Int, Shape};

/// What is known of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Any,
    /// One of these numbers.
    Int(Shape, Int),
    /// One of these numbers, or NaN.
    Float(FloatKind, Float),
    /// The null pointer.
    Null,
    /// A pointer that is not null.
    NonNull,
}

impl Value {
    /// An integer; nothing if it can be any.
    pub fn int(shape: Shape, int: Int) -> Self {
        if int.is_any(shape) { Self::Any } else { Self::Int(shape, int) }
    }

    /// A floating-point number; nothing if it can be any.
    pub fn float(kind: FloatKind, float: Float) -> Self {
        if float == Float::ANY { Self::Any } else { Self::Float(kind, float) }
    }

    /// A truth value of type `int`.
    pub fn truth(value: bool) -> Self {
        const INT: Shape = Shape { bits: 32, signed: true };
        Self::Int(INT, Int::constant(INT, i128::from(value)))
    }

    /// As an integer of a type of the same width.
    pub fn as_int(&self, shape: Shape) -> Int {
        match self {
            Self::Int(own, int) if *own == shape => *int,
            Self::Int(own, int) if own.bits == shape.bits => {
                int.cast(*own, shape).unwrap_or(Int::any(shape))
            }
            Self::Null => Int::constant(shape, 0),
            Self::NonNull if !shape.signed => {
                Int::range(shape, 1, shape.max()).unwrap_or(Int::any(shape))
            }
            _ => Int::any(shape),
        }
    }

    /// As a floating-point number of a format.
    pub fn as_float(&self, kind: FloatKind) -> Float {
        match self {
            Self::Float(own, float) if *own == kind => *float,
            _ => Float::ANY,
        }
    }

    /// The value read as a type.
    #[must_use]
    pub fn read_as(&self, scalar: Scalar, is_pointer: bool) -> Self {
        match (self, scalar) {
            (Self::Any, _) => Self::Any,
            (Self::Null | Self::NonNull, _) if is_pointer => *self,
            (Self::Int(_, int), _) if is_pointer => match int.single() {
                Some(0) => Self::Null,
                _ => Self::Any,
            },
            (Self::Float(own, _), Scalar::Float(kind)) if *own == kind => *self,
            (_, Scalar::Float(_)) => Self::Any,
            (Self::Int(own, _), _) => match Shape::of(scalar) {
                Some(shape) if shape == *own => *self,
                Some(shape) if shape.bits == own.bits => Self::int(shape, self.as_int(shape)),
                _ => Self::Any,
            },
            _ => Self::Any,
        }
    }

    /// What is known of either.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Int(shape, a), Self::Int(other, b)) if shape == other => {
                Self::int(*shape, a.join(b, *shape))
            }
            (Self::Float(kind, a), Self::Float(other, b)) if kind == other => {
                Self::float(*kind, a.join(b))
            }
            (a, b) if a == b => *a,
            _ => Self::Any,
        }
    }

    /// The same, such that chains end.
    #[must_use]
    pub fn widen(&self, next: &Self, thresholds: &[i128], floats: &[f64]) -> Self {
        match (self, next) {
            (Self::Int(shape, a), Self::Int(other, b)) if shape == other => {
                Self::int(*shape, a.widen(b, *shape, thresholds))
            }
            (Self::Float(kind, a), Self::Float(other, b)) if kind == other => {
                Self::float(*kind, a.widen(b, floats))
            }
            _ => self.join(next),
        }
    }

    /// Whether everything that is known of the other one is known of this one.
    pub fn is_in(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Any) => true,
            (Self::Int(shape, a), Self::Int(of, b)) => shape == of && a.is_in(b),
            (Self::Float(kind, a), Self::Float(of, b)) => kind == of && a.is_in(b),
            (a, b) => a == b,
        }
    }
}

/// A constant of a type.
pub fn constant(scalar: Scalar, is_pointer: bool, bits: u128) -> Value {
    match scalar {
        _ if is_pointer => {
            if bits == 0 {
                Value::Null
            } else {
                Value::NonNull
            }
        }
        Scalar::Float(kind) if float::is_followed(kind) => {
            Value::float(kind, Float::constant(float::number(kind, bits)))
        }
        Scalar::Float(_) => Value::Any,
        _ => match Shape::of(scalar) {
            Some(shape) => Value::Int(shape, Int::constant(shape, shape.number(bits as u64))),
            None => Value::Any,
        },
    }
}
