//! Measures interpolation: `cargo run --release -p gnomon-logic --example bench_interpolate`.
//!
//! Prints the tables of the section "Interpolation" of `BENCH.md`.

#[path = "../tests/interpolation_paths/mod.rs"]
mod interpolation_paths;

use gnomon_budget::Budget;
use gnomon_logic::interpolate::{Interpolator, Options, Route};
use gnomon_logic::{Solver, Terms, Z3Solver};
use interpolation_paths::FAMILIES;
use std::time::Instant;

fn main() {
    gnomon_logic::solver::worker::run_if_requested();
    for family in &FAMILIES {
        for rounds in [5, 20, 100, 500] {
            let (mut terms, path) = (family.path)(rounds);
            let mut solver = Z3Solver::all();
            solver.check_sat(&terms);
            let start = Instant::now();
            let offered = Interpolator::new(Options::default()).interpolate(
                &mut terms,
                &mut solver,
                &path,
                &Budget::unlimited(),
            );
            let time = start.elapsed();
            match offered {
                Ok(sequences) => {
                    let best = &sequences[0];
                    let middle = best.formulas[best.formulas.len() / 2];
                    println!(
                        "{:24} {rounds:4} {:8.2} ms {:18} unrolled {} predicates {} | {}",
                        family.name,
                        time.as_secs_f64() * 1e3,
                        best.route.to_string(),
                        best.score.unrolled,
                        best.score.predicates,
                        shown(&mut terms, middle)
                    );
                }
                Err(failure) => println!("{:24} {rounds:4} {failure}", family.name),
            }
        }
    }
    let _ = Route::ALL;
}

fn shown(terms: &mut Terms, formula: gnomon_logic::Term) -> String {
    let predicate = terms.without_indices(formula);
    terms.display(predicate).to_string()
}
