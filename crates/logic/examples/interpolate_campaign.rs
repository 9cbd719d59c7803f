//! Interpolates random infeasible paths and checks every formula by the definition:
//! `cargo run --release -p gnomon-logic --example interpolate_campaign [CASES [FIRST SEED]]`.

#[path = "../tests/interpolation_paths/mod.rs"]
mod interpolation_paths;

use gnomon_budget::Budget;
use gnomon_logic::Z3Solver;
use gnomon_logic::interpolate::Interpolator;
use interpolation_paths::random_paths::{are_interpolants, infeasible_path};
use std::collections::BTreeMap;

fn main() -> std::process::ExitCode {
    gnomon_logic::solver::worker::run_if_requested();
    let mut numbers = std::env::args().skip(1).map(|a| a.parse::<u64>().unwrap_or(0));
    let (cases, first) = (numbers.next().unwrap_or(10_000), numbers.next().unwrap_or(0));
    let mut interpolator = Interpolator::default();
    let mut best_by_route: BTreeMap<String, u64> = BTreeMap::new();
    let (mut sequences, mut unsolved, mut wrong) = (0, 0, 0);
    for seed in first..first + cases {
        let (mut terms, path) = infeasible_path(seed);
        let mut solver = Z3Solver::all();
        let offered =
            interpolator.interpolate(&mut terms, &mut solver, &path, &Budget::unlimited());
        match offered {
            Ok(offered) => {
                *best_by_route.entry(offered[0].route.to_string()).or_default() += 1;
                for sequence in &offered {
                    sequences += 1;
                    if let Err(reason) = are_interpolants(&mut terms, &path, sequence) {
                        wrong += 1;
                        println!("seed {seed}, {}: {reason}", sequence.route);
                    }
                }
            }
            Err(failure) => {
                unsolved += 1;
                println!("seed {seed}: {failure}");
            }
        }
    }
    println!("{cases} paths, {sequences} sequences, {wrong} wrong, {unsolved} paths unsolved");
    println!("best sequence by route: {best_by_route:?}");
    let statistics = interpolator.statistics();
    for route in gnomon_logic::interpolate::Route::ALL {
        let s = statistics.route(route);
        println!("{route}: {} attempts, {} found, {} refused", s.attempts, s.found, s.refused);
    }
    std::process::ExitCode::from(u8::from(wrong + unsolved > 0))
}
