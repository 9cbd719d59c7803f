//! The laws of bounded idempotent semirings and of merge functions, for use with any domain.

#![allow(dead_code)]

use gnomon_wpds::semiring::{star, star_by_differences, star_by_squaring};
use gnomon_wpds::{MergeFunction, Semiring};

pub fn laws<S: Semiring>(d: &S, a: &S::Weight, b: &S::Weight, c: &S::Weight) {
    let plus = |x: &S::Weight, y: &S::Weight| d.combine(x, y).unwrap();
    let times = |x: &S::Weight, y: &S::Weight| d.extend(x, y).unwrap();
    let (zero, one) = (d.zero(), d.one());
    assert_eq!(plus(a, &plus(b, c)), plus(&plus(a, b), c), "combine is associative");
    assert_eq!(plus(a, b), plus(b, a), "combine is commutative");
    assert_eq!(&plus(a, a), a, "combine is idempotent");
    assert_eq!(&plus(a, &zero), a, "zero is neutral");
    assert_eq!(times(a, &times(b, c)), times(&times(a, b), c), "extend is associative");
    assert_eq!((&times(a, &one), &times(&one, a)), (a, a), "one is neutral");
    assert!(d.is_zero(&times(a, &zero)) && d.is_zero(&times(&zero, a)), "zero annihilates");
    assert!(d.is_zero(&zero) && d.is_one(&one) && !d.is_zero(&one));
    assert_eq!(times(a, &plus(b, c)), plus(&times(a, b), &times(a, c)), "left distributive");
    assert_eq!(times(&plus(a, b), c), plus(&times(a, c), &times(b, c)), "right distributive");
    assert!(d.admit(a).is_ok());
    let closed = star(d, a).unwrap();
    assert_eq!(closed, star_by_squaring(d, a).unwrap(), "stars agree");
    assert_eq!(closed, star_by_differences(d, a).unwrap(), "stars agree");
    assert_eq!(plus(&one, &times(a, &closed)), closed, "the star is a fixed point");
    let minus = |x: &S::Weight, y: &S::Weight| d.diff(x, y).map(Result::unwrap);
    if let Some(difference) = minus(b, a) {
        assert_eq!(plus(a, &difference), plus(a, b), "(4.1)");
        let left = minus(&minus(a, b).unwrap(), c).unwrap();
        assert_eq!(left, minus(a, &plus(b, c)).unwrap(), "(4.2)");
        assert_eq!(plus(a, b) == *a, d.is_zero(&difference), "(4.3)");
    }
}

pub fn merge_laws<S: Semiring>(d: &S, merge: &dyn MergeFunction<S>, w: [&S::Weight; 3]) {
    let [a, b, c] = w;
    let g = |x: &S::Weight, y: &S::Weight| merge.merge(d, x, y).unwrap();
    let plus = |x: &S::Weight, y: &S::Weight| d.combine(x, y).unwrap();
    assert!(d.is_zero(&g(&d.zero(), a)) && d.is_zero(&g(a, &d.zero())), "strict");
    assert_eq!(g(&plus(a, b), c), plus(&g(a, c), &g(b, c)), "distributive in the caller");
    assert_eq!(g(a, &plus(b, c)), plus(&g(a, b), &g(a, c)), "distributive in the callee");
    let extended = d.extend(a, &g(b, c)).unwrap();
    assert_eq!(g(&d.extend(a, b).unwrap(), c), extended, "path extension");
}
