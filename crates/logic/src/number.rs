//! Exact integers, and the few operations on them that terms and encodings share.
//!
//! [`Integer`] keeps values of up to two machine words inline, which is every value of C's types
//! and nearly every coefficient, so that big numbers cost only when they occur.

use dashu_int::ops::{DivRemEuclid, Gcd, RemEuclid};

/// An exact integer.
pub type Integer = dashu_int::IBig;

/// 2^`exponent`.
pub fn power_of_two(exponent: u32) -> Integer {
    Integer::ONE << exponent as usize
}

/// The representative of `value` modulo 2^`width` between 0 and 2^`width` - 1.
pub fn modulo_power_of_two(value: &Integer, width: u32) -> Integer {
    let mask = power_of_two(width) - Integer::ONE;
    value & mask
}

/// Reads the unsigned value of a bit-vector as two's complement.
pub fn to_signed(value: &Integer, width: u32) -> Integer {
    if width > 0 && *value >= power_of_two(width - 1) {
        value - power_of_two(width)
    } else {
        value.clone()
    }
}

/// Quotient rounded to minus infinity; `divisor` must be positive.
pub fn floor_div(value: &Integer, divisor: &Integer) -> Integer {
    value.clone().div_rem_euclid(divisor.clone()).0
}

/// SMT-LIB's `div` and `mod`: the remainder is never negative. `divisor` must not be zero.
pub fn div_mod(value: &Integer, divisor: &Integer) -> (Integer, Integer) {
    let (quotient, remainder) = value.clone().div_rem_euclid(divisor.clone());
    (quotient, Integer::from(remainder))
}

/// Greatest common divisor, never negative.
pub fn gcd(a: &Integer, b: &Integer) -> Integer {
    if *a == Integer::ZERO {
        return abs(b);
    }
    if *b == Integer::ZERO {
        return abs(a);
    }
    Integer::from(a.gcd(b))
}

/// Absolute value.
pub fn abs(value: &Integer) -> Integer {
    if *value < Integer::ZERO { -value } else { value.clone() }
}

/// Whether `divisor` (not zero) divides `value`.
pub fn divides(divisor: &Integer, value: &Integer) -> bool {
    value.clone().rem_euclid(abs(divisor)) == dashu_int::UBig::ZERO
}

/// C's `/` and `%` on exact integers: the quotient is truncated. `divisor` must not be zero.
pub fn truncating_div_rem(value: &Integer, divisor: &Integer) -> (Integer, Integer) {
    (value / divisor, value % divisor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_conventions() {
        let n = |v: i64| Integer::from(v);
        assert_eq!(div_mod(&n(-7), &n(2)), (n(-4), n(1)));
        assert_eq!(div_mod(&n(-7), &n(-2)), (n(4), n(1)));
        assert_eq!(div_mod(&n(7), &n(-2)), (n(-3), n(1)));
        assert_eq!(truncating_div_rem(&n(-7), &n(2)), (n(-3), n(-1)));
        assert_eq!(floor_div(&n(-7), &n(2)), n(-4));
        assert_eq!(gcd(&n(-6), &n(4)), n(2));
        assert_eq!(gcd(&n(0), &n(-4)), n(4));
        assert!(divides(&n(-3), &n(6)) && !divides(&n(3), &n(7)));
    }

    #[test]
    fn twos_complement() {
        let n = |v: i64| Integer::from(v);
        assert_eq!(modulo_power_of_two(&n(-1), 8), n(255));
        assert_eq!(modulo_power_of_two(&n(256), 8), n(0));
        assert_eq!(to_signed(&n(255), 8), n(-1));
        assert_eq!(to_signed(&n(127), 8), n(127));
        assert_eq!(to_signed(&n(128), 8), n(-128));
    }
}
