//! Measures interpolation: `cargo run --release -p gnomon-logic --example bench_interpolate`.
//!
//! Prints the tables of the section "Interpolation" of `BENCH.md`. Each time is the least of three
//! runs, in milliseconds: first the processor time of the asking thread (which does not see other
//! load on the machine), then wall-clock time, which includes the worker process of Spacer. Every
//! run has a new arena and a new solver, whose context was made before the clock started.

#[path = "../tests/interpolation_paths/mod.rs"]
mod interpolation_paths;

use gnomon_budget::Budget;
use gnomon_logic::interpolate::{Direction, Failure, Interpolator, Options, Path, Route, Sequence};
use gnomon_logic::{Solver, Terms, Z3Solver};
use interpolation_paths::{FAMILIES, affine_loop, noise};
use std::time::{Duration, Instant};

const ITERATIONS: [usize; 4] = [5, 20, 100, 500];
const RUNS: usize = 3;
/// A route alone may take so long.
const PATIENCE: Duration = Duration::from_secs(10);

struct Measured {
    processor: f64,
    wall: f64,
    best: Result<Sequence, Failure>,
    shown: String,
}

/// Time this thread was running, in milliseconds (Linux; elsewhere zero).
fn processor_time() -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(0.0, |nanoseconds| nanoseconds / 1e6)
}

fn measure(
    interpolator: &mut Interpolator,
    runs: usize,
    make: &dyn Fn() -> (Terms, Path),
) -> Option<Measured> {
    let mut least: Option<Measured> = None;
    for _ in 0..runs {
        let (mut terms, path) = make();
        let mut solver = Z3Solver::all();
        solver.check_sat(&terms);
        let budget = Budget::unlimited().with_time(PATIENCE);
        let (start, used) = (Instant::now(), processor_time());
        let offered = interpolator.interpolate(&mut terms, &mut solver, &path, &budget);
        let processor = processor_time() - used;
        let wall = start.elapsed().as_secs_f64() * 1e3;
        let best = offered.map(|mut sequences| sequences.swap_remove(0));
        let shown = best.as_ref().map_or(String::new(), |sequence| {
            let formulas = &sequence.formulas;
            let predicate = terms.without_indices(formulas[formulas.len() * 3 / 4]);
            terms.display(predicate).to_string()
        });
        let known = least.as_ref().map_or((f64::MAX, f64::MAX), |l| (l.processor, l.wall));
        least = Some(Measured {
            processor: processor.min(known.0),
            wall: wall.min(known.1),
            best,
            shown,
        });
    }
    least
}

fn with_routes(routes: &[Route]) -> Interpolator {
    let options = Options { routes: routes.to_vec(), horn_time: PATIENCE, ..Options::default() };
    Interpolator::new(options)
}

fn combination() {
    println!("\n### All routes together\n");
    println!(
        "| family | iterations | ms (processor) | ms (wall) | route | unrolled | predicates | at three quarters |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut sums = [(0.0, 0.0); ITERATIONS.len()];
    for family in &FAMILIES {
        let mut interpolator = with_routes(&Route::ALL);
        for (at, iterations) in ITERATIONS.into_iter().enumerate() {
            let Some(m) = measure(&mut interpolator, RUNS, &|| (family.path)(iterations)) else {
                continue;
            };
            sums[at].0 += m.processor;
            sums[at].1 += m.wall;
            match &m.best {
                Ok(s) => println!(
                    "| {} | {iterations} | {:.1} | {:.1} | {} | {} | {} | `{}` |",
                    family.name,
                    m.processor,
                    m.wall,
                    s.route,
                    s.score.unrolled,
                    s.score.predicates,
                    m.shown.replace('|', "\\|")
                ),
                Err(failure) => println!(
                    "| {} | {iterations} | {:.1} | {:.1} | {failure} | | | |",
                    family.name, m.processor, m.wall
                ),
            }
        }
    }
    let families = FAMILIES.len() as f64;
    for (at, iterations) in ITERATIONS.into_iter().enumerate() {
        let (processor, wall) = (sums[at].0 / families, sums[at].1 / families);
        println!("| **mean** | {iterations} | {processor:.1} | {wall:.1} | | | | |");
    }
}

const SINGLE: [(&str, &[Route]); 5] = [
    ("farkas backward", &[Route::Farkas(Direction::Backward)]),
    ("farkas forward", &[Route::Farkas(Direction::Forward)]),
    ("generalised", &[Route::Generalised]),
    ("horn", &[Route::Horn]),
    ("postcondition", &[Route::Postcondition]),
];

fn routes_alone() {
    println!("\n### Each route alone (mean over the families that it solves)\n");
    println!(
        "| route | iterations | solved | without unrolled predicates | ms (processor) | ms (wall) |"
    );
    println!("|---|---|---|---|---|---|");
    for (name, routes) in SINGLE {
        for iterations in ITERATIONS {
            let (mut solved, mut stable) = (0, 0);
            let (mut processor, mut wall) = (0.0, 0.0);
            for family in &FAMILIES {
                let mut interpolator = with_routes(routes);
                let Some(m) = measure(&mut interpolator, 1, &|| (family.path)(iterations)) else {
                    continue;
                };
                if let Ok(sequence) = &m.best {
                    solved += 1;
                    stable += usize::from(sequence.score.unrolled == 0);
                    processor += m.processor;
                    wall += m.wall;
                }
            }
            let count = f64::from(solved.max(1));
            println!(
                "| {name} | {iterations} | {solved}/{} | {stable} | {:.1} | {:.1} |",
                FAMILIES.len(),
                processor / count,
                wall / count
            );
        }
    }
}

fn affine_loops(count: u64) {
    println!("\n### {count} random affine loops\n");
    println!("| routes | solved | without unrolled predicates | ms (processor) per loop |");
    println!("|---|---|---|---|");
    let mut all: Vec<(&str, &[Route])> = SINGLE[..4].to_vec();
    all.push(("all", &Route::ALL));
    for (name, routes) in all {
        let mut interpolator = with_routes(routes);
        let (mut solved, mut stable, mut processor) = (0, 0, 0.0);
        for seed in 0..count {
            let Some(m) = measure(&mut interpolator, 1, &|| affine_loop(seed)) else { continue };
            processor += m.processor;
            if let Ok(sequence) = &m.best {
                solved += 1;
                stable += u64::from(sequence.score.unrolled == 0);
            }
        }
        println!("| {name} | {solved} | {stable} | {:.1} |", processor / count as f64);
    }
}

fn noisy_path() {
    println!("\n### 1,000 steps of which 10 matter\n");
    let mut interpolator = with_routes(&Route::ALL);
    if let Some(m) = measure(&mut interpolator, 5, &|| noise(1000))
        && let Ok(sequence) = &m.best
    {
        println!(
            "{:.1} ms (processor), {:.1} ms (wall), {} predicates, {}",
            m.processor, m.wall, sequence.score.predicates, sequence.route
        );
    }
}

fn main() {
    gnomon_logic::solver::worker::run_if_requested();
    combination();
    noisy_path();
    affine_loops(200);
    routes_alone();
}
