//! Printing, walks, and depth.

use super::*;
use crate::Integer;
use rustc_hash::FxHashMap;

fn var(terms: &mut Terms, name: &str, sort: Sort) -> Term {
    let variable = terms.variable(name, Scope::Global, sort);
    terms.var(variable)
}

fn shown(terms: &Terms, term: Term) -> String {
    terms.display(term).to_string()
}

#[test]
fn predicates_look_like_c() {
    let mut t = Terms::new();
    let (x, y, z) =
        (var(&mut t, "x", Sort::Int), var(&mut t, "y", Sort::Int), var(&mut t, "z", Sort::Int));
    let (one, five, minus_seven) = (t.int(1), t.int(5), t.int(-7));
    let y_less = t.sub(y, one);
    let sum = t.add(x, y);
    let twice = t.mul_by(2, sum);
    let cases = [
        (t.eq(x, y_less), "x == y - 1"),
        (t.eq(y_less, x), "x == y - 1"),
        (t.ne(x, y), "x != y"),
        (t.lt(x, y), "x < y"),
        (t.le(x, y), "x <= y"),
        (t.ge(x, five), "x >= 5"),
        (t.gt(x, five), "x >= 6"),
        (t.le(x, minus_seven), "x <= -7"),
        (t.eq(z, sum), "z == x + y"),
        (t.le(twice, five), "x + y <= 2"),
        (t.eq(x, minus_seven), "x == -7"),
        (t.mul(x, y), "x * y"),
        (t.neg(x), "-x"),
        (t.sub(one, x), "1 - x"),
        (t.sub(x, twice), "-x - 2 * y"),
    ];
    for (term, text) in cases {
        assert_eq!(shown(&t, term), text);
    }
    let (p, q) = (t.lt(x, y), t.lt(y, z));
    let r = t.eq(x, z);
    let both = t.and2(p, q);
    let either = t.or2(both, r);
    assert_eq!(shown(&t, either), "x == z || (x < y && y < z)");
    let none = t.not(either);
    assert_eq!(shown(&t, none), "!(x == z || (x < y && y < z))");
    let choice = t.ite(r, x, y);
    let more = t.add(choice, five);
    assert_eq!(shown(&t, more), "(x == z ? x : y) + 5");
    let quotient = t.div(sum, five);
    assert_eq!(shown(&t, quotient), "(x + y) / 5");
    let function = t.function("f", &[Sort::Int, Sort::Int], Sort::Int);
    let applied = t.apply(function, &[sum, x]);
    assert_eq!(shown(&t, applied), "f(x + y, x)");
    let array = t.array_sort(Sort::Int, Sort::Int);
    let a = var(&mut t, "a", array);
    let element = t.select(a, y_less);
    assert_eq!(shown(&t, element), "a[y - 1]");
    let x_again = t.variable("x", Scope::Global, Sort::Int);
    let at = t.var_at(x_again, 4);
    assert_eq!(shown(&t, at), "x@4");
}

#[test]
fn bit_vectors_look_like_c() {
    let mut t = Terms::new();
    let (a, b) = (var(&mut t, "a", Sort::BitVec(32)), var(&mut t, "b", Sort::BitVec(32)));
    let (mask, minus_one, three) = (t.bv(0xffff, 32), t.bv(-1, 32), t.bv(3, 32));
    let masked = t.bv_and(a, mask);
    assert_eq!(shown(&t, masked), "a & 0xffff");
    let less = t.bv_add(a, minus_one);
    assert_eq!(shown(&t, less), "a - 1");
    let difference = t.bv_sub(a, b);
    assert_eq!(shown(&t, difference), "a - b");
    let shifted = t.bv_shl(masked, three);
    assert_eq!(shown(&t, shifted), "(a & 0xffff) << 3");
    let equal = t.eq(masked, three);
    assert_eq!(shown(&t, equal), "(a & 0xffff) == 3");
    let product = t.bv_mul(difference, b);
    let shown_product = shown(&t, product);
    assert!(["(a - b) * b", "b * (a - b)"].contains(&&*shown_product), "{shown_product}");
    let byte = t.extract(7, 0, a);
    let wide = t.sign_extend(24, byte);
    assert_eq!(shown(&t, wide), "(i32)(u8)a");
}

#[test]
fn equal_terms_are_the_same() {
    let mut t = Terms::new();
    let (x, y) = (var(&mut t, "x", Sort::Int), var(&mut t, "y", Sort::Int));
    let (p, q) = (t.lt(x, y), t.le(y, x));
    assert_eq!(t.not(p), q);
    let (left, right) = (t.add(x, y), t.add(y, x));
    assert_eq!(left, right);
    let difference = t.sub(left, y);
    assert_eq!(difference, x);
    let big: Integer = Integer::ONE << 200;
    let (one, other) = (t.int(big.clone()), t.int(big.clone() - Integer::ONE));
    assert_eq!(t.add_constant(other, 1), one);
    assert_eq!(t.value(one), Some(&big));
}

#[test]
fn walks_find_symbols_and_atoms() {
    let mut t = Terms::new();
    let (x, y) = (var(&mut t, "x", Sort::Int), var(&mut t, "y", Sort::Int));
    let p = var(&mut t, "p", Sort::Bool);
    let (less, equal) = (t.lt(x, y), t.eq(x, y));
    let either = t.or2(less, p);
    let not = t.not(equal);
    let all = t.and2(either, not);
    assert_eq!(t.free_symbols(all).len(), 3);
    let mut atoms = [less, equal, p];
    atoms.sort_unstable();
    assert_eq!(*t.atoms(all), atoms[..]);
    assert_eq!(t.conjuncts(all).len(), 2);
    assert!(t.is_literal(not) && !t.is_literal(either));
}

#[test]
fn predicates_move_along_a_path_and_back() {
    let mut t = Terms::new();
    let x = t.variable("x", Scope::Function(1), Sort::Int);
    let y = t.variable("y", Scope::Global, Sort::Int);
    let (x_term, y_term) = (t.var(x), t.var(y));
    let predicate = t.le(x_term, y_term);
    let placed = t.instantiate(predicate, |v| if v == x { 3 } else { 7 });
    assert_eq!(shown(&t, placed), "x@3 <= y@7");
    assert_eq!(t.without_indices(placed), predicate);
    let mut map = FxHashMap::default();
    let five = t.int(5);
    map.insert(y_term, x_term);
    map.insert(x_term, five);
    let swapped = t.substitute(predicate, &map);
    assert_eq!(shown(&t, swapped), "x >= 5");
}

#[test]
fn nothing_recurses_on_depth() {
    const DEPTH: usize = 100_000;
    let mut t = Terms::new();
    let step = t.function("s", &[Sort::Int], Sort::Int);
    let (x, y) = (var(&mut t, "x", Sort::Int), var(&mut t, "y", Sort::Int));
    let mut deep = x;
    for _ in 0..DEPTH {
        deep = t.apply(step, &[deep]);
    }
    let zero = t.int(0);
    let atom = t.le(deep, zero);
    assert_eq!(t.free_symbols(atom).len(), 1);
    assert_eq!(t.size(deep), DEPTH + 1);
    let map = FxHashMap::from_iter([(x, y)]);
    let moved = t.substitute(atom, &map);
    assert_eq!(t.free_symbols(moved).len(), 1);
    assert!(shown(&t, moved).len() > 3 * DEPTH);
    // Long chains of conjunctions and sums, built one by one.
    let (mut all, mut sum) = (t.tt(), t.int(0));
    for i in 0..20_000 {
        let v = t.variable(&format!("v{i}"), Scope::Global, Sort::Int);
        let v = t.var(v);
        let positive = t.le(zero, v);
        all = t.and2(all, positive);
        sum = t.add(sum, v);
    }
    assert_eq!(t.conjuncts(all).len(), 20_000);
    assert_eq!(t.free_symbols(sum).len(), 20_000);
}

#[test]
fn ill_sorted_terms_are_refused() {
    let mut t = Terms::new();
    let (x, p) = (var(&mut t, "x", Sort::Int), var(&mut t, "p", Sort::Bool));
    assert!(t.checked(Op::And, &[x, p]).is_err());
    assert!(t.checked(Op::Le, &[x]).is_err());
    assert!(t.checked(Op::Extract { high: 1, low: 2 }, &[x]).is_err());
    assert!(t.checked(Op::Eq, &[x, x]).is_ok());
}

#[test]
fn sums_are_equal_in_whatever_order() {
    let mut t = Terms::new();
    let sort = Sort::BitVec(32);
    let (zero, one, two) = (t.bv(0, 32), t.bv(1, 32), t.bv(2, 32));
    let minus = t.make(Op::BvNeg, &[one]);
    let symbols: Vec<Term> = (0..80).map(|i| var(&mut t, &format!("x{i}"), sort)).collect();
    // What a program computes that goes over an array: `if (x % 2 == 0) r += x + 1; else r -= 1;`
    let mut total = |order: &[Term]| {
        order.iter().fold(zero, |sum, &x| {
            let remainder = t.make(Op::BvSrem, &[x, two]);
            let even = t.eq(remainder, zero);
            let next = t.make(Op::BvAdd, &[x, one]);
            let (more, less) = (t.make(Op::BvAdd, &[sum, next]), t.make(Op::BvAdd, &[sum, minus]));
            t.ite(even, more, less)
        })
    };
    let there = total(&symbols);
    let back: Vec<Term> = symbols.iter().rev().copied().collect();
    let other = total(&back);
    let fewer = total(&back[1..]);
    assert_ne!(there, other);
    assert_eq!(t.eq(there, other), t.tt());
    assert_eq!(t.make(Op::BvSle, &[there, other]), t.tt());
    assert_eq!(t.make(Op::BvUlt, &[there, other]), t.ff());
    // Their averages are equal, too.
    let count = t.bv(80, 32);
    let average = |t: &mut Terms, sum| t.make(Op::BvSdiv, &[sum, count]);
    let (one, another) = (average(&mut t, there), average(&mut t, other));
    assert_eq!(t.eq(one, another), t.tt());
    let differ = t.eq(there, fewer);
    assert!(differ != t.tt() && differ != t.ff());
}

#[test]
fn equations_of_products_are_compared_as_polynomials() {
    let mut t = Terms::new();
    let (x, y) = (var(&mut t, "x", Sort::BitVec(64)), var(&mut t, "y", Sort::BitVec(64)));
    let one = t.bv(1, 64);
    let sum = t.make(Op::BvAdd, &[x, y]);
    let next = t.make(Op::BvAdd, &[sum, one]);
    let (square, product) = (t.make(Op::BvMul, &[sum, sum]), t.make(Op::BvMul, &[next, sum]));
    let expected = t.make(Op::BvAdd, &[square, sum]);
    assert_eq!(t.eq(product, expected), t.tt());
    let shifted = t.make(Op::BvAdd, &[expected, one]);
    assert_eq!(t.eq(product, shifted), t.ff());
    // 3x + 5 = 11 is x = 2.
    let (three, five, eleven, two) = (t.bv(3, 64), t.bv(5, 64), t.bv(11, 64), t.bv(2, 64));
    let tripled = t.make(Op::BvMul, &[x, three]);
    let more = t.make(Op::BvAdd, &[tripled, five]);
    let simpler = t.eq(x, two);
    assert_eq!(t.eq(more, eleven), simpler);
    // 2x = 2y + 1 never holds.
    let (twice, other) = (t.make(Op::BvMul, &[x, two]), t.make(Op::BvMul, &[y, two]));
    let odd = t.make(Op::BvAdd, &[other, one]);
    assert_eq!(t.eq(twice, odd), t.ff());
}
