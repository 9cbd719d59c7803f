//! Interpolants of unrolled loops speak about the loop, not about its iterations.

mod interpolation_paths;

use gnomon_budget::Budget;
use gnomon_logic::interpolate::{Failure, Interpolator, Sequence};
use gnomon_logic::{Solver, Terms, Z3Solver};
use interpolation_paths::{FAMILIES, affine_loop, count_up, difference, noise};

fn best(terms: &mut Terms, path: &gnomon_logic::interpolate::Path) -> Sequence {
    let mut solver = Z3Solver::all();
    let offered =
        Interpolator::default().interpolate(terms, &mut solver, path, &Budget::unlimited());
    offered.expect("the path is infeasible").swap_remove(0)
}

fn texts(terms: &mut Terms, sequence: &Sequence) -> Vec<String> {
    let show = |&f| {
        let predicate = terms.without_indices(f);
        terms.display(predicate).to_string()
    };
    sequence.formulas.iter().map(show).collect()
}

#[test]
fn families_have_no_unrolled_constants() {
    for family in &FAMILIES {
        for iterations in [5, 20, 100, 500] {
            let (mut terms, path) = (family.path)(iterations);
            let sequence = best(&mut terms, &path);
            assert_eq!(sequence.score.unrolled, 0, "{} {iterations}", family.name);
            let atoms = sequence.score.predicates;
            assert!(atoms <= 12, "{} {iterations}: {atoms} predicates", family.name);
        }
    }
}

#[test]
fn the_difference_of_two_differences_is_found() {
    let (mut terms, path) = difference(20);
    let sequence = best(&mut terms, &path);
    assert_eq!(texts(&mut terms, &sequence)[32], "i + y == j + x");
}

#[test]
fn random_affine_loops_keep_their_invariant() {
    let mut stable = 0;
    for seed in 0..100 {
        let (mut terms, path) = affine_loop(seed);
        stable += u32::from(best(&mut terms, &path).score.unrolled == 0);
    }
    assert!(stable >= 80, "{stable} of 100");
}

#[test]
fn noise_does_not_enter_the_formulas() {
    let (mut terms, path) = noise(1000);
    let sequence = best(&mut terms, &path);
    assert!(sequence.score.predicates <= 10, "{:?}", sequence.score);
    for text in texts(&mut terms, &sequence) {
        assert!(!text.contains("noise") && !text.contains("total"), "{text}");
    }
}

#[test]
fn the_same_path_gives_the_same_formulas() {
    for family in &FAMILIES {
        let run = || {
            let (mut terms, path) = (family.path)(7);
            let sequence = best(&mut terms, &path);
            texts(&mut terms, &sequence)
        };
        assert_eq!(run(), run(), "{}", family.name);
    }
}

#[test]
fn a_feasible_path_is_told_apart() {
    let (mut terms, path) = count_up(3);
    let mut formulas: Vec<_> = path.steps().iter().map(|s| s.formula).collect();
    formulas.pop();
    let path = gnomon_logic::interpolate::Path::flat(&mut terms, &formulas);
    let mut solver = Z3Solver::all();
    let offered =
        Interpolator::default().interpolate(&mut terms, &mut solver, &path, &Budget::unlimited());
    assert_eq!(offered, Err(Failure::Feasible));
    assert_eq!(solver.depth(), 0);
}

#[test]
fn running_out_of_budget_is_a_value() {
    let (mut terms, path) = count_up(50);
    let mut solver = Z3Solver::all();
    let budget = Budget::unlimited().with_steps(20);
    let offered = Interpolator::default().interpolate(&mut terms, &mut solver, &path, &budget);
    assert!(matches!(offered, Err(Failure::Exhausted(_))), "{offered:?}");
}
