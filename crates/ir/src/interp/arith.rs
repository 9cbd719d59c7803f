//! Fast forms of the operators of [`ops`](crate::ops) for the types that programs compute with
//! most. Their meaning is that of `ops`, which the tests at the end check on random values; what
//! they add is to say when the operation was undefined behaviour in C.

use crate::expr::BinaryOp;
use crate::interp::ub::UbKind;

/// The result of an operation and what was wrong with it.
pub(crate) type Checked = (u64, Option<UbKind>);

macro_rules! int_op {
    ($name:ident, $compare:ident, $int:ty, $unsigned:ty, signed: $signed:expr) => {
        /// The operation on zero-extended bits. A fatal kind comes with a meaningless result.
        #[inline(always)]
        pub(crate) fn $name(op: BinaryOp, a: u64, b: u64) -> Checked {
            let (x, y) = (a as $int, b as $int);
            let wrapped = |(value, overflow): ($int, bool)| {
                let note = ($signed && overflow).then_some(UbKind::SignedOverflow);
                (value as $unsigned as u64, note)
            };
            let plain = |value: $int| (value as $unsigned as u64, None);
            let shift_note = || (b >= u64::from(<$int>::BITS)).then_some(UbKind::ShiftOutOfRange);
            match op {
                BinaryOp::Add => wrapped(x.overflowing_add(y)),
                BinaryOp::Sub => wrapped(x.overflowing_sub(y)),
                BinaryOp::Mul => wrapped(x.overflowing_mul(y)),
                BinaryOp::Div | BinaryOp::Rem => {
                    if y == 0 {
                        return (0, Some(UbKind::DivisionByZero));
                    }
                    let (value, overflow) = if op == BinaryOp::Div {
                        x.overflowing_div(y)
                    } else {
                        x.overflowing_rem(y)
                    };
                    (value as $unsigned as u64, overflow.then_some(UbKind::DivisionOverflow))
                }
                BinaryOp::Shl => {
                    let fits = || x <= <$int>::MAX >> b;
                    let overflow = || ($signed && !fits()).then_some(UbKind::SignedOverflow);
                    let note = shift_note().or_else(overflow);
                    (x.wrapping_shl(b as u32) as $unsigned as u64, note)
                }
                BinaryOp::Shr => (x.wrapping_shr(b as u32) as $unsigned as u64, shift_note()),
                BinaryOp::BitAnd => plain(x & y),
                BinaryOp::BitOr => plain(x | y),
                BinaryOp::BitXor => plain(x ^ y),
                _ => (u64::from($compare(op, a, b)), None),
            }
        }

        /// The comparison; false for operations that are none.
        #[inline(always)]
        pub(crate) fn $compare(op: BinaryOp, a: u64, b: u64) -> bool {
            let (x, y) = (a as $int, b as $int);
            match op {
                BinaryOp::Eq => x == y,
                BinaryOp::Ne => x != y,
                BinaryOp::Lt => x < y,
                BinaryOp::Le => x <= y,
                BinaryOp::Gt => x > y,
                BinaryOp::Ge => x >= y,
                _ => false,
            }
        }
    };
}

int_op!(i32_op, i32_compare, i32, u32, signed: true);
int_op!(u32_op, u32_compare, u32, u32, signed: false);
int_op!(i64_op, i64_compare, i64, u64, signed: true);
int_op!(u64_op, u64_compare, u64, u64, signed: false);

macro_rules! float_op {
    ($name:ident, $float:ty, $bits:ty, $nan:expr) => {
        /// The operation on the bits of two numbers.
        #[inline(always)]
        pub(crate) fn $name(op: BinaryOp, a: u64, b: u64) -> u64 {
            let (x, y) = (<$float>::from_bits(a as $bits), <$float>::from_bits(b as $bits));
            let value = match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                BinaryOp::Div => x / y,
                BinaryOp::Eq => return u64::from(x == y),
                BinaryOp::Ne => return u64::from(x != y),
                BinaryOp::Lt => return u64::from(x < y),
                BinaryOp::Le => return u64::from(x <= y),
                BinaryOp::Gt => return u64::from(x > y),
                BinaryOp::Ge => return u64::from(x >= y),
                _ => return 0,
            };
            if value.is_nan() { $nan } else { u64::from(value.to_bits()) }
        }
    };
}

// One NaN for all, as in `ops`.
float_op!(f32_op, f32, u32, 0x7fc0_0000);
float_op!(f64_op, f64, u64, 0x7ff8_0000_0000_0000);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{self, Scalar};
    use crate::types::FloatKind;
    use proptest::prelude::*;

    fn int(bits: u16, signed: bool) -> Scalar {
        Scalar::Int { bits, signed }
    }

    /// Random bits with the interesting ones more often.
    fn word() -> impl Strategy<Value = u64> {
        prop_oneof![
            any::<u64>(),
            (0u64..70),
            (0u64..70).prop_map(u64::wrapping_neg),
            Just(1 << 31),
            Just(1 << 63),
            any::<f64>().prop_map(f64::to_bits),
            any::<f32>().prop_map(|v| u64::from(v.to_bits())),
        ]
    }

    fn agrees(
        fast: fn(BinaryOp, u64, u64) -> Checked,
        scalar: Scalar,
        a: u64,
        b: u64,
    ) -> Result<(), TestCaseError> {
        let mask = u64::MAX >> (64 - scalar.width());
        let (a, b) = (a & mask, b & mask);
        for op in BinaryOp::ALL {
            let expected = ops::binary(op, scalar, u128::from(a), scalar, u128::from(b));
            match (fast(op, a, b), expected) {
                ((_, Some(kind)), Err(trap)) => prop_assert_eq!(kind, UbKind::from(trap)),
                ((value, note), Ok(expected)) => {
                    prop_assert!(note.is_none_or(|kind| !kind.is_fatal()));
                    prop_assert_eq!(u128::from(value), expected, "{} {:?}", op.symbol(), scalar);
                    let overflow = ops::overflows(op, scalar, a.into(), b.into());
                    prop_assert_eq!(note == Some(UbKind::SignedOverflow), overflow);
                }
                (fast, expected) => prop_assert!(false, "{:?} but {:?}", fast, expected),
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn integers_agree_with_ops(a in word(), b in word()) {
            agrees(i32_op, int(32, true), a, b)?;
            agrees(u32_op, int(32, false), a, b)?;
            agrees(i64_op, int(64, true), a, b)?;
            agrees(u64_op, int(64, false), a, b)?;
        }

        #[test]
        fn floats_agree_with_ops(a in word(), b in word()) {
            for op in BinaryOp::ALL {
                if op.is_shift() || matches!(op, BinaryOp::Rem | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor) {
                    continue;
                }
                let double = Scalar::Float(FloatKind::F64);
                let expected = ops::binary(op, double, a.into(), double, b.into());
                prop_assert_eq!(Ok(u128::from(f64_op(op, a, b))), expected);
                let (a, b) = (a & 0xffff_ffff, b & 0xffff_ffff);
                let single = Scalar::Float(FloatKind::F32);
                let expected = ops::binary(op, single, a.into(), single, b.into());
                prop_assert_eq!(Ok(u128::from(f32_op(op, a, b))), expected);
            }
        }
    }
}
