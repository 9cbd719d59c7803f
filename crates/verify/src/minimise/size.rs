//! How small inputs are: zero, then numbers by how far they are from it, positive ones before negative
//! ones, whole ones before others.

use gnomon_ir::ops::{self, Scalar};
use gnomon_ir::trace::ArgumentValue;
use gnomon_ir::types::FloatKind;

/// Whole numbers that floating-point numbers are compared with.
const WHOLE: Scalar = Scalar::Int { bits: 64, signed: true };
/// Numbers that are not whole are larger than all others.
const NOT_WHOLE: u128 = 1 << 120;

/// A number of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The type.
    pub scalar: Scalar,
    /// Its bits.
    pub bits: u128,
}

impl Number {
    /// A whole number of a type, if it has it.
    pub fn of(scalar: Scalar, value: i128) -> Option<Self> {
        let bits = match scalar {
            Scalar::Float(_) => {
                i64::try_from(value).ok()?;
                ops::cast(WHOLE, scalar, ops::truncate(value as u128, 64))
            }
            Scalar::Bool if !(0..=1).contains(&value) => return None,
            Scalar::Bool | Scalar::Int { .. } => ops::truncate(value as u128, scalar.width()),
        };
        let number = Self { scalar, bits };
        (number.whole() == Some(value)).then_some(number)
    }

    /// Its value, if it is whole and no larger than what is computed with here.
    pub fn whole(self) -> Option<i128> {
        let Self { scalar, bits } = self;
        match scalar {
            Scalar::Int { bits: 128, signed: false } => i128::try_from(bits).ok(),
            Scalar::Bool | Scalar::Int { .. } => Some(ops::extend(scalar, bits)),
            Scalar::Float(_) => {
                let whole = ops::cast(scalar, WHOLE, bits);
                (ops::cast(WHOLE, scalar, whole) == bits).then(|| ops::extend(WHOLE, whole))
            }
        }
    }

    /// Without what is behind the point, if there is something.
    pub fn truncated(self) -> Option<i128> {
        match self.scalar {
            Scalar::Float(FloatKind::F32 | FloatKind::F64) if self.whole().is_none() => {
                Some(ops::extend(WHOLE, ops::cast(self.scalar, WHOLE, self.bits)))
            }
            _ => None,
        }
    }

    /// A whole number as its type has it, which goes on at the other end behind the last one.
    pub fn wrapping(self, value: i128) -> Option<i128> {
        match self.scalar {
            Scalar::Int { bits, .. } if bits < 128 => {
                Self { bits: ops::truncate(value as u128, bits), ..self }.whole()
            }
            _ => Some(value),
        }
    }

    /// The largest and the smallest integer of its type.
    pub fn extremes(self) -> impl Iterator<Item = i128> {
        let ends = match self.scalar {
            Scalar::Int { bits, signed: true } if bits < 128 => {
                [i128::MAX >> (128 - bits), i128::MIN >> (128 - bits)].to_vec()
            }
            Scalar::Int { bits, signed: false } if bits < 128 => vec![(1 << bits) - 1],
            _ => Vec::new(),
        };
        ends.into_iter()
    }

    /// How small it is.
    pub fn size(self) -> u128 {
        match (self.whole(), self.scalar) {
            (Some(value), _) => {
                value.unsigned_abs().saturating_mul(2).saturating_add(u128::from(value < 0))
            }
            (None, Scalar::Float(kind)) => {
                NOT_WHOLE + ops::show_float(kind, self.bits).len() as u128
            }
            (None, _) => self.bits,
        }
    }
}

/// How small an argument is that is no number.
pub fn size_of_argument(value: &ArgumentValue) -> u128 {
    match value {
        ArgumentValue::Bits(bits) => *bits,
        ArgumentValue::Null => 0,
        ArgumentValue::Object { bytes, pointers } => {
            let nonzero = bytes.iter().filter(|byte| **byte != 0).count() as u128;
            1 + nonzero + pointers.iter().map(|(_, to)| 1 + size_of_argument(to)).sum::<u128>()
        }
    }
}

/// Simpler arguments than one that leads to an object, the simplest first.
pub fn simpler_objects(value: &ArgumentValue) -> Box<dyn Iterator<Item = ArgumentValue> + '_> {
    let ArgumentValue::Object { bytes, pointers } = value else {
        return Box::new(std::iter::empty());
    };
    let with_bytes = move |bytes| ArgumentValue::Object { bytes, pointers: pointers.clone() };
    let zeros = ArgumentValue::Object { bytes: vec![0; bytes.len()], pointers: Vec::new() };
    let without_pointer = (0..pointers.len()).map(move |at| {
        let mut pointers = pointers.clone();
        pointers.remove(at);
        ArgumentValue::Object { bytes: bytes.clone(), pointers }
    });
    let simpler_pointer = pointers.iter().enumerate().flat_map(move |(at, (_, to))| {
        simpler_objects(to).map(move |simpler| {
            let mut pointers = pointers.clone();
            pointers[at].1 = simpler;
            ArgumentValue::Object { bytes: bytes.clone(), pointers }
        })
    });
    let chunks = std::iter::successors(Some(bytes.len()), |chunk| Some(chunk / 2));
    let with_zeros = chunks.take_while(|chunk| *chunk > 0).flat_map(move |chunk| {
        let begins = (0..bytes.len()).step_by(chunk);
        begins.filter_map(move |begin| {
            let mut simpler = bytes.clone();
            let end = (begin + chunk).min(simpler.len());
            simpler[begin..end].fill(0);
            (simpler != *bytes).then(|| with_bytes(simpler))
        })
    });
    let first = [ArgumentValue::Null, zeros].into_iter().filter(move |simpler| simpler != value);
    Box::new(first.chain(without_pointer).chain(with_zeros).chain(simpler_pointer))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Scalar = Scalar::Int { bits: 32, signed: true };

    #[test]
    fn numbers_near_zero_are_small() {
        let sizes = [0, 1, -1, 2, -2, 1000].map(|value| Number::of(INT, value).map(Number::size));
        assert!(sizes.is_sorted(), "{sizes:?}");
        assert_eq!(Number::of(INT, 1 << 40), None);
        assert_eq!(Number::of(Scalar::Bool, 2), None);
    }

    #[test]
    fn whole_numbers_are_smaller_than_others() {
        let half = Number { scalar: Scalar::Float(FloatKind::F64), bits: 0.5f64.to_bits().into() };
        let three = Number::of(half.scalar, 3);
        assert_eq!(three.and_then(Number::whole), Some(3));
        assert_eq!((half.whole(), half.truncated()), (None, Some(0)));
        assert!(three.is_some_and(|three| three.size() < half.size()));
    }

    #[test]
    fn objects_become_simpler() {
        let inner = ArgumentValue::Object { bytes: vec![1, 0], pointers: Vec::new() };
        let outer = ArgumentValue::Object { bytes: vec![0, 7, 9], pointers: vec![(8, inner)] };
        let simpler: Vec<ArgumentValue> = simpler_objects(&outer).collect();
        assert_eq!(simpler.first(), Some(&ArgumentValue::Null));
        for simpler in &simpler {
            assert!(size_of_argument(simpler) < size_of_argument(&outer), "{simpler:?}");
        }
    }
}
