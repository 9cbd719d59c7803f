//! Comparisons.

use super::super::gates::{Gates, Lit};
use super::unpacked::Fields;
use crate::term::FloatSort;

/// Whether both are numbers, and whether both are zero.
fn known(gates: &mut Gates, sort: FloatSort, a: &[Lit], b: &[Lit]) -> (Lit, Lit) {
    let (a, b) = (Fields::of(sort, a).classify(gates), Fields::of(sort, b).classify(gates));
    (gates.and(!a.nan, !b.nan), gates.and(a.zero, b.zero))
}

/// `a == b` of IEEE 754.
pub(super) fn equal(gates: &mut Gates, sort: FloatSort, a: &[Lit], b: &[Lit]) -> Lit {
    let (numbers, zeros) = known(gates, sort, a, b);
    let same = gates.word_eq(a, b);
    let equal = gates.or(same, zeros);
    gates.and(numbers, equal)
}

/// `a < b`, or `a <= b`.
pub(super) fn less(
    gates: &mut Gates,
    sort: FloatSort,
    a: &[Lit],
    b: &[Lit],
    or_equal: bool,
) -> Lit {
    let (numbers, zeros) = known(gates, sort, a, b);
    let sign_at = sort.width() as usize - 1;
    let (sign_a, sign_b) = (a[sign_at], b[sign_at]);
    let (a, b) = (&a[..sign_at], &b[..sign_at]);
    // With two negative numbers the other way round.
    let below = gates.word_less(a, b, or_equal);
    let above = gates.word_less(b, a, or_equal);
    let of_same_sign = gates.choose(sign_a, above, below);
    let differ = gates.xor(sign_a, sign_b);
    let less = gates.choose(differ, sign_a, of_same_sign);
    let less = gates.choose(zeros, Lit::constant(or_equal), less);
    gates.and(numbers, less)
}
