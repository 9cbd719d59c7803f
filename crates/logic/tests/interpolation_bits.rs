//! Interpolants of paths over bit-vectors: through Horn clauses, or strongest postconditions.

mod interpolation_paths;

use gnomon_budget::Budget;
use gnomon_logic::interpolate::{Interpolator, Path};
use gnomon_logic::{Scope, Sort, Term, Terms, Z3Solver};
use interpolation_paths::random_paths::are_interpolants;

/// The best sequence for the path must pass an independent check.
fn interpolated(terms: &mut Terms, steps: &[Term]) -> Vec<Term> {
    let path = Path::flat(terms, steps);
    let mut solver = Z3Solver::all();
    let offered = Interpolator::default()
        .interpolate(terms, &mut solver, &path, &Budget::unlimited())
        .expect("a sequence");
    assert_eq!(are_interpolants(terms, &path, &offered[0]), Ok(()));
    offered[0].formulas.clone()
}

/// A variable at each of `count` points of a path.
fn versions(terms: &mut Terms, name: &str, width: u32, count: u32) -> Vec<Term> {
    let variable = terms.variable(name, Scope::Global, Sort::BitVec(width));
    (0..count).map(|index| terms.var_at(variable, index)).collect()
}

#[test]
fn counting_by_twos_stays_even() {
    for iterations in [1, 3, 6] {
        let mut t = Terms::new();
        let x = versions(&mut t, "x", 8, iterations + 1);
        let (zero, one, two) = (t.bv(0, 8), t.bv(1, 8), t.bv(2, 8));
        let mut steps = vec![t.eq(x[0], zero)];
        for iteration in 0..iterations as usize {
            let next = t.bv_add(x[iteration], two);
            steps.push(t.eq(x[iteration + 1], next));
        }
        let low = t.bv_and(x[iterations as usize], one);
        steps.push(t.eq(low, one));
        let formulas = interpolated(&mut t, &steps);
        assert_eq!(formulas.len(), steps.len() + 1);
    }
}

#[test]
fn sums_wrap_around() {
    // x > 200; y = x + 100 in eight bits; y > 100.
    let mut t = Terms::new();
    let x = versions(&mut t, "x", 8, 1)[0];
    let y = versions(&mut t, "y", 8, 2)[1];
    let (hundred, two_hundred) = (t.bv(100, 8), t.bv(200, 8));
    let sum = t.bv_add(x, hundred);
    let steps = [t.bv_ult(two_hundred, x), t.eq(y, sum), t.bv_ult(hundred, y)];
    // 201 + 100 = 45, 255 + 100 = 99.
    interpolated(&mut t, &steps);
}

#[test]
fn exchanging_by_exclusive_or() {
    let mut t = Terms::new();
    let x = versions(&mut t, "x", 16, 3);
    let y = versions(&mut t, "y", 16, 2);
    let old = versions(&mut t, "old", 16, 1)[0];
    let first = t.bv_xor(x[0], y[0]);
    let second = t.bv_xor(x[1], y[0]);
    let third = t.bv_xor(x[1], y[1]);
    let different = t.ne(x[2], old);
    let steps =
        [t.eq(old, y[0]), t.eq(x[1], first), t.eq(y[1], second), t.eq(x[2], third), different];
    interpolated(&mut t, &steps);
}

#[test]
fn branches_and_arrays_of_bytes() {
    let mut t = Terms::new();
    let array = t.array_sort(Sort::BitVec(16), Sort::BitVec(8));
    let memory = t.variable("memory", Scope::Global, array);
    let (before, after) = (t.var_at(memory, 0), t.var_at(memory, 1));
    let p = versions(&mut t, "p", 16, 1)[0];
    let c = versions(&mut t, "c", 8, 1)[0];
    let (seven, nine) = (t.bv(7, 8), t.bv(9, 8));
    let written = t.store(before, p, c);
    let small = t.eq(c, seven);
    let large = t.eq(c, nine);
    let read = t.select(after, p);
    let (not_seven, not_nine) = (t.ne(read, seven), t.ne(read, nine));
    let steps = [t.or2(small, large), t.eq(after, written), t.and2(not_seven, not_nine)];
    interpolated(&mut t, &steps);
}
