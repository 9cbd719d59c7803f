//! Integer arithmetic on vectors of Boolean expressions.
//!
//! A number is a two's-complement vector whose last bit is the sign; results grow as needed, so
//! nothing ever overflows here. Whether a value fits the variable it is assigned to is a condition
//! of its own ([`fits`]): as in Moped, an assignment of a value out of range cannot be executed.

use crate::model::{ExprArena, ExprId, FALSE, TRUE};

/// A number.
pub type Bits = Vec<ExprId>;

/// A constant.
pub fn number(exprs: &ExprArena, value: u64) -> Bits {
    let width = 64 - value.leading_zeros();
    let mut bits: Bits = (0..width).map(|i| exprs.constant(value >> i & 1 == 1)).collect();
    bits.push(FALSE);
    bits
}

/// The value of a constant vector, if it is one and not negative.
pub fn constant(bits: &Bits) -> Option<u64> {
    let mut value = 0;
    for (i, &bit) in bits.iter().enumerate() {
        match bit {
            FALSE => {}
            TRUE if i + 1 < bits.len() && i < 63 => value |= 1 << i,
            _ => return None,
        }
    }
    Some(value)
}

fn extended(bits: &Bits, width: usize) -> Bits {
    let sign = bits.last().copied().unwrap_or(FALSE);
    bits.iter().copied().chain(std::iter::repeat(sign)).take(width.max(bits.len())).collect()
}

fn ripple(exprs: &mut ExprArena, a: &Bits, b: &Bits, carry: ExprId) -> Bits {
    let width = a.len().max(b.len()) + 1;
    let (a, b) = (extended(a, width), extended(b, width));
    let mut carry = carry;
    let mut sum = Vec::with_capacity(width);
    for (&x, &y) in a.iter().zip(&b) {
        let half = exprs.xor(x, y);
        sum.push(exprs.xor(half, carry));
        let both = exprs.and(x, y);
        let through = exprs.and(half, carry);
        carry = exprs.or(both, through);
    }
    sum
}

/// Sum.
pub fn add(exprs: &mut ExprArena, a: &Bits, b: &Bits) -> Bits {
    ripple(exprs, a, b, FALSE)
}

/// Difference.
pub fn subtract(exprs: &mut ExprArena, a: &Bits, b: &Bits) -> Bits {
    let width = a.len().max(b.len());
    let negated = extended(b, width).iter().map(|&x| exprs.not(x)).collect();
    ripple(exprs, a, &negated, TRUE)
}

/// Product.
pub fn multiply(exprs: &mut ExprArena, a: &Bits, b: &Bits) -> Bits {
    let width = a.len() + b.len();
    let (a, b) = (extended(a, width), extended(b, width));
    let mut product = vec![FALSE; width];
    for (shift, &digit) in b.iter().enumerate() {
        let row: Bits = (0..width)
            .map(|i| if i < shift { FALSE } else { exprs.and(a[i - shift], digit) })
            .collect();
        product = ripple(exprs, &product, &row, FALSE);
        product.truncate(width);
    }
    product
}

/// Quotient of two numbers that are not negative, by long division; the second result says when it
/// is defined.
pub fn divide(exprs: &mut ExprArena, a: &Bits, b: &Bits) -> (Bits, ExprId) {
    let mut quotient = vec![FALSE; a.len()];
    let mut rest: Bits = vec![FALSE];
    for i in (0..a.len().saturating_sub(1)).rev() {
        rest.insert(0, a[i]);
        let smaller = less(exprs, &rest, b);
        quotient[i] = exprs.not(smaller);
        let reduced = subtract(exprs, &rest, b);
        let width = rest.len().max(b.len());
        let (kept, reduced) = (extended(&rest, width), extended(&reduced, width));
        rest = (0..width).map(|k| exprs.ite(smaller, kept[k], reduced[k])).collect();
    }
    let zero = number(exprs, 0);
    let positive = less(exprs, &zero, b);
    let sign = a.last().copied().unwrap_or(FALSE);
    let not_negative = exprs.not(sign);
    (quotient, exprs.and(positive, not_negative))
}

/// Widest shift that is computed.
const MAX_SHIFT: usize = 32;

/// `a << b`; shifts by more than 32 are undefined (second result).
pub fn shift(exprs: &mut ExprArena, a: &Bits, b: &Bits, left: bool) -> (Bits, ExprId) {
    let limit = constant(b).map_or(MAX_SHIFT, |n| (n as usize).min(MAX_SHIFT));
    let reach = 1_usize.checked_shl(b.len() as u32 - 1).map_or(limit, |r| (r - 1).min(limit));
    let width = if left { a.len() + reach } else { a.len() };
    let sign = a.last().copied().unwrap_or(FALSE);
    let mut result = vec![FALSE; width];
    let mut defined = FALSE;
    for amount in 0..=reach {
        let by = number(exprs, amount as u64);
        let here = equal(exprs, b, &by);
        defined = exprs.or(defined, here);
        for (i, bit) in result.iter_mut().enumerate() {
            let from = if left { i.checked_sub(amount) } else { Some(i + amount) };
            let value = from.map_or(FALSE, |f| a.get(f).copied().unwrap_or(sign));
            *bit = exprs.ite(here, value, *bit);
        }
    }
    (result, defined)
}

/// A bitwise operation.
pub fn bitwise(
    exprs: &mut ExprArena,
    a: &Bits,
    b: &Bits,
    op: impl Fn(&mut ExprArena, ExprId, ExprId) -> ExprId,
) -> Bits {
    let width = a.len().max(b.len());
    let (a, b) = (extended(a, width), extended(b, width));
    a.iter().zip(&b).map(|(&x, &y)| op(exprs, x, y)).collect()
}

/// Equality.
pub fn equal(exprs: &mut ExprArena, a: &Bits, b: &Bits) -> ExprId {
    let width = a.len().max(b.len());
    let (a, b) = (extended(a, width), extended(b, width));
    let mut all = TRUE;
    for (&x, &y) in a.iter().zip(&b) {
        let same = exprs.equal(x, y);
        all = exprs.and(all, same);
    }
    all
}

/// `a < b`.
pub fn less(exprs: &mut ExprArena, a: &Bits, b: &Bits) -> ExprId {
    subtract(exprs, a, b).last().copied().unwrap_or(FALSE)
}

/// Whether the number is one of `0 .. 2^width`.
pub fn fits(exprs: &mut ExprArena, a: &Bits, width: usize) -> ExprId {
    let mut fits = TRUE;
    for &bit in a.iter().skip(width) {
        let zero = exprs.not(bit);
        fits = exprs.and(fits, zero);
    }
    if a.len() <= width {
        // The sign is among the bits that are kept.
        let sign = a.last().copied().unwrap_or(FALSE);
        let positive = exprs.not(sign);
        fits = exprs.and(fits, positive);
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bits: &Bits) -> i64 {
        bits.iter().enumerate().fold(0_i64, |v, (i, &b)| {
            let sign = if i + 1 == bits.len() { -1 } else { 1 };
            assert!(b == TRUE || b == FALSE);
            v + sign * (i64::from(b == TRUE) << i)
        })
    }

    #[test]
    fn arithmetic_on_constants_is_arithmetic() {
        let mut exprs = ExprArena::default();
        for a in 0..12_u64 {
            for b in 0..9_u64 {
                let (x, y) = (number(&exprs, a), number(&exprs, b));
                let (ia, ib) = (a as i64, b as i64);
                assert_eq!(value(&add(&mut exprs, &x, &y)), ia + ib);
                let difference = subtract(&mut exprs, &x, &y);
                assert_eq!(value(&difference), ia - ib);
                assert_eq!(value(&multiply(&mut exprs, &x, &y)), ia * ib);
                assert_eq!(value(&multiply(&mut exprs, &difference, &y)), (ia - ib) * ib);
                assert_eq!(less(&mut exprs, &x, &y) == TRUE, a < b);
                assert_eq!(equal(&mut exprs, &x, &y) == TRUE, a == b);
                let (quotient, defined) = divide(&mut exprs, &x, &y);
                assert_eq!(defined == TRUE, b != 0);
                if let Some(expected) = ia.checked_div(ib) {
                    assert_eq!(value(&quotient), expected);
                }
                let (shifted, _) = shift(&mut exprs, &x, &y, true);
                assert_eq!(value(&shifted), ia << ib);
                let (shifted, _) = shift(&mut exprs, &x, &y, false);
                assert_eq!(value(&shifted), ia >> ib);
                assert_eq!(fits(&mut exprs, &difference, 3) == TRUE, (0..8).contains(&(ia - ib)));
            }
        }
    }
}
