//! Z3 answers at all, and the life of a context.

use super::*;
use crate::Scope;

fn int(terms: &mut Terms, name: &str) -> Term {
    let variable = terms.variable(name, Scope::Global, Sort::Int);
    terms.var(variable)
}

#[test]
fn the_library_is_the_one_we_want() {
    assert!(version().contains("5.4"), "{}", version());
}

#[test]
fn positive_and_negative_is_unsatisfiable() {
    let mut t = Terms::new();
    let x = int(&mut t, "x");
    let zero = t.int(0);
    let (positive, negative) = (t.gt(x, zero), t.lt(x, zero));
    let mut solver = Z3Solver::integers();
    solver.assert(&t, positive);
    assert_eq!(solver.check_sat(&t), Answer::Sat);
    solver.assert(&t, negative);
    assert_eq!(solver.check_sat(&t), Answer::Unsat);
}

#[test]
fn a_model_has_the_value() {
    let mut t = Terms::new();
    let x = int(&mut t, "x");
    let answer = t.int(42);
    let equal = t.eq(x, answer);
    let mut solver = Z3Solver::integers();
    solver.assert(&t, equal);
    assert_eq!(solver.check_sat(&t), Answer::Sat);
    let model = solver.model(&t, &[x]);
    assert_eq!(model.get(x), Some(&crate::Value::Int(42.into())));
}

#[test]
fn cores_name_the_assumptions_that_matter() {
    let mut t = Terms::new();
    let (x, y, zero) = (int(&mut t, "x"), int(&mut t, "y"), t.int(0));
    let assumptions = [t.gt(x, zero), t.gt(y, zero), t.lt(x, zero)];
    let mut solver = Z3Solver::integers();
    let answer = solver.check(&t, &assumptions, Purpose::OTHER, Limits::default());
    assert_eq!(answer, Answer::Unsat);
    assert_eq!(solver.core(&t), [assumptions[0], assumptions[2]]);
}

#[test]
fn a_new_context_knows_what_was_asserted() {
    let mut t = Terms::new();
    let (x, zero, ten) = (int(&mut t, "x"), t.int(0), t.int(10));
    let (low, high, middle) = (t.le(zero, x), t.le(x, ten), t.le(ten, x));
    let configuration = Configuration { queries_per_context: 2, ..Configuration::integers() };
    let mut solver = Z3Solver::new(configuration);
    solver.assert(&t, low);
    solver.push();
    solver.assert(&t, high);
    for _ in 0..10 {
        let not_low = t.not(low);
        let answer = solver.check(&t, &[not_low], Purpose::OTHER, Limits::default());
        assert_eq!(answer, Answer::Unsat);
        let answer = solver.check(&t, &[middle], Purpose::OTHER, Limits::default());
        assert_eq!(answer, Answer::Sat);
        assert_eq!(solver.model(&t, &[x]).get(x), Some(&crate::Value::Int(10.into())));
    }
    solver.pop();
    let above = t.gt(x, ten);
    assert_eq!(solver.check(&t, &[above], Purpose::OTHER, Limits::default()), Answer::Sat);
    assert!(solver.statistics().restarts >= 9);
}

#[test]
fn a_tiny_resource_limit_gives_unknown_and_the_solver_lives_on() {
    let mut t = Terms::new();
    // A pigeonhole problem: hard enough to exceed any small limit.
    let (zero, holes) = (t.int(0), t.int(8));
    let pigeons: Vec<Term> = (0..10).map(|i| int(&mut t, &format!("p{i}"))).collect();
    let mut solver = Z3Solver::integers();
    for (at, &p) in pigeons.iter().enumerate() {
        let (low, high) = (t.le(zero, p), t.lt(p, holes));
        solver.assert(&t, low);
        solver.assert(&t, high);
        for &q in &pigeons[..at] {
            let differ = t.ne(p, q);
            solver.assert(&t, differ);
        }
    }
    let limits = Limits::default().with_resources(2_000);
    let answer = solver.check(&t, &[], Purpose::OTHER, limits);
    assert_eq!(answer, Answer::Unknown(UnknownReason::ResourceLimit));
    let guard = Limits { resources: None, time: Some(std::time::Duration::from_millis(50)) };
    let answer = solver.check(&t, &[], Purpose::OTHER, guard);
    assert!(matches!(answer, Answer::Unknown(UnknownReason::Time) | Answer::Unsat), "{answer:?}");
    let falsity = t.ff();
    assert_eq!(solver.check(&t, &[falsity], Purpose::OTHER, limits), Answer::Unsat);
    assert_eq!(solver.statistics().total().queries(), 3);
}

#[test]
fn terms_of_two_arenas_are_refused() {
    let (mut one, mut other) = (Terms::new(), Terms::new());
    let mut solver = Z3Solver::integers();
    let x = int(&mut one, "x");
    let (zero, y) = (one.int(0), int(&mut other, "y"));
    let positive = one.le(zero, x);
    solver.assert(&one, positive);
    let equal = other.eq(y, y);
    let answer = solver.check(&other, &[equal], Purpose::OTHER, Limits::default());
    assert!(matches!(answer, Answer::Unknown(UnknownReason::Failed(_))), "{answer:?}");
}
