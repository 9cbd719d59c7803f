//! Random infeasible paths: every interpolant is one by the definition, whatever route it came by.
//!
//! The number of paths is small for daily use; `GNOMON_INTERPOLATION_CASES` sets another, and the
//! example `interpolate_campaign` runs ten thousand.

mod interpolation_paths;

use gnomon_budget::Budget;
use gnomon_logic::Z3Solver;
use gnomon_logic::interpolate::{Interpolator, Options, Route};
use interpolation_paths::random_paths::{are_interpolants, infeasible_path};

fn cases() -> u64 {
    std::env::var("GNOMON_INTERPOLATION_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

#[test]
fn all_offered_sequences_are_interpolants() {
    for seed in 0..cases() {
        let (mut terms, path) = infeasible_path(seed);
        let mut solver = Z3Solver::all();
        let offered = Interpolator::default()
            .interpolate(&mut terms, &mut solver, &path, &Budget::unlimited())
            .unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
        for sequence in &offered {
            if let Err(reason) = are_interpolants(&mut terms, &path, sequence) {
                panic!("seed {seed}, {}: {reason}", sequence.route);
            }
        }
    }
}

#[test]
fn every_route_alone_gives_interpolants() {
    let mut solved = [0; Route::ALL.len()];
    let count = cases() / 5;
    for (at, &route) in Route::ALL.iter().enumerate() {
        let options = Options { routes: vec![route], ..Options::default() };
        for seed in 0..count {
            let (mut terms, path) = infeasible_path(seed);
            let mut solver = Z3Solver::all();
            let mut interpolator = Interpolator::new(options.clone());
            let offered =
                interpolator.interpolate(&mut terms, &mut solver, &path, &Budget::unlimited());
            for sequence in offered.iter().flatten() {
                assert_eq!(sequence.route, route);
                if let Err(reason) = are_interpolants(&mut terms, &path, sequence) {
                    panic!("seed {seed}, {route}: {reason}");
                }
            }
            solved[at] += u64::from(offered.is_ok());
        }
    }
    for (at, route) in Route::ALL.iter().enumerate() {
        let least = if *route == Route::Generalised { count / 3 } else { count / 2 };
        assert!(solved[at] >= least, "{route}: {} of {count}", solved[at]);
    }
}
