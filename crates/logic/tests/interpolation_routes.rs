//! Nothing a route says is believed, and what fails the check is noted.

mod interpolation_paths;

use gnomon_budget::Budget;
use gnomon_logic::interpolate::{
    Checker, Failure, HornSolver, Interpolator, Options, Refusal, Route,
};
use gnomon_logic::{Limits, Z3Solver};
use interpolation_paths::random_paths::are_interpolants;
use interpolation_paths::{array_fill, count_up};
use std::time::Duration;

/// Answers every problem with the same text.
struct Always(String);

impl HornSolver for Always {
    fn run(&mut self, _: &str, _: Duration) -> Result<String, String> {
        Ok(self.0.clone())
    }
}

fn horn_only() -> Options {
    Options { routes: vec![Route::Horn], ..Options::default() }
}

#[test]
fn a_wrong_answer_is_refused_and_counted() {
    let (mut terms, path) = count_up(1);
    // The core is `i < n; i := i + 1; i != n; i >= n`: three relations over i and n.
    let relation = |number: u32| {
        format!("(define-fun cut{number} ((a Int) (b Int)) Bool (<= a (+ b {number})))\n")
    };
    let model: String = (0..3).map(relation).collect();
    let mut interpolator =
        Interpolator::new(horn_only()).with_horn_solver(Box::new(Always(format!("sat\n{model}"))));
    let mut solver = Z3Solver::all();
    let offered = interpolator.interpolate(&mut terms, &mut solver, &path, &Budget::unlimited());
    assert_eq!(offered, Err(Failure::NoRoute));
    let statistics = interpolator.statistics();
    assert_eq!(statistics.route(Route::Horn).refused, 1);
    assert!(matches!(statistics.refusals[..], [(Route::Horn, _)]), "{:?}", statistics.refusals);
}

#[test]
fn no_answer_is_no_sequence() {
    let (mut terms, path) = count_up(1);
    for answer in ["unknown\n", "sat\n(", "sat\n()", ""] {
        let mut interpolator =
            Interpolator::new(horn_only()).with_horn_solver(Box::new(Always(answer.into())));
        let mut solver = Z3Solver::all();
        let offered =
            interpolator.interpolate(&mut terms, &mut solver, &path, &Budget::unlimited());
        assert_eq!(offered, Err(Failure::NoRoute), "{answer:?}");
    }
}

#[test]
fn horn_clauses_handle_arrays() {
    let (mut terms, path) = array_fill(3);
    let mut solver = Z3Solver::all();
    let offered = Interpolator::new(horn_only())
        .interpolate(&mut terms, &mut solver, &path, &Budget::unlimited())
        .expect("Spacer finds a sequence");
    assert_eq!(are_interpolants(&mut terms, &path, &offered[0]), Ok(()));
}

#[test]
fn the_check_refuses_each_kind_of_mistake() {
    let (mut terms, path) = count_up(2);
    let mut solver = Z3Solver::all();
    let offered = Interpolator::default()
        .interpolate(&mut terms, &mut solver, &path, &Budget::unlimited())
        .expect("the path is infeasible");
    let good = offered[0].formulas.clone();
    let last = good.len() - 1;
    let mut verdict = |terms: &mut _, formulas: &[_]| {
        Checker::default().check(terms, &mut solver, &path, formulas, Limits::default())
    };
    assert_eq!(verdict(&mut terms, &good), Ok(()));

    let short = verdict(&mut terms, &good[1..]);
    assert_eq!(short, Err(Refusal::Length { expected: last + 1, found: last }));

    let mut wrong = good.clone();
    wrong[0] = terms.ff();
    assert_eq!(verdict(&mut terms, &wrong), Err(Refusal::NotTrue { cut: 0 }));

    let mut wrong = good.clone();
    wrong[last] = terms.tt();
    assert_eq!(verdict(&mut terms, &wrong), Err(Refusal::NotFalse));

    let mut wrong = good.clone();
    wrong[1] = terms.ff();
    assert_eq!(verdict(&mut terms, &wrong), Err(Refusal::NotInductive { step: 0 }));

    // The last test mentions the last `i`, which is not there at the first cut.
    let mut wrong = good.clone();
    wrong[1] = path.steps()[last - 1].formula;
    let refused = verdict(&mut terms, &wrong);
    assert!(matches!(refused, Err(Refusal::OutOfScope { cut: 1, .. })), "{refused:?}");
}
