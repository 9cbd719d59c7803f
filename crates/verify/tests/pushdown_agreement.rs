//! Both engines on the programs of `tests/programs`: where both decide, they say the same, and what the
//! header says.
//!
//! Every twenty-fifth program is taken, with one second for each engine; `GNOMON_PROGRAMS=all`, as in
//! `.ci/run`, takes all, `GNOMON_EVERY` another share, and `GNOMON_SECONDS` gives another limit. Plain runs are off, so
//! that the engines work.

mod corpus;

use std::path::Path;
use std::time::Duration;

use corpus::{load, programs};
use gnomon_budget::Budget;
use gnomon_engine::verdict::Verdict;
use gnomon_verify::decide::{Engine, Options, check};

const AREAS: [&str; 19] = [
    "arithmetic",
    "arrays",
    "bits",
    "branches",
    "drivers",
    "enums",
    "floats",
    "function_pointers",
    "functions",
    "goto",
    "heap",
    "loops",
    "papers",
    "pointers",
    "recursion",
    "strings",
    "structs",
    "switch",
    "unions",
];

fn from_environment(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

/// Whether an engine says true or false, if it says anything.
fn decided(file: &Path, engine: Engine, seconds: u64) -> Option<bool> {
    let options = Options { engine, runs: false, ..Options::default() };
    let budget = Budget::unlimited().with_cpu_time(Duration::from_secs(seconds));
    match check(&load(file), &options, &budget).expect("a good request").verdict {
        Verdict::True(_) => Some(true),
        Verdict::False(_) => Some(false),
        Verdict::Unknown(reason) => {
            println!("{engine:?} on {}: {reason}", file.display());
            None
        }
    }
}

#[test]
fn the_engines_agree() {
    let all = std::env::var("GNOMON_PROGRAMS").is_ok_and(|v| v == "all");
    let every = if all { 1 } else { from_environment("GNOMON_EVERY", 25) };
    let seconds = from_environment("GNOMON_SECONDS", 1);
    let files = AREAS.iter().flat_map(|area| programs(area));
    let (mut tried, mut lazy_decided, mut pushdown_decided, mut both) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for (file, expected) in files.step_by(every as usize) {
        tried += 1;
        let lazy = decided(&file, Engine::Lazy, seconds);
        let pushdown = decided(&file, Engine::Pushdown, seconds);
        println!("{} lazy {lazy:?} pushdown {pushdown:?}", file.display());
        lazy_decided += usize::from(lazy.is_some());
        pushdown_decided += usize::from(pushdown.is_some());
        both += usize::from(lazy.is_some() && pushdown.is_some());
        if [lazy, pushdown].into_iter().flatten().any(|said| said != expected) {
            wrong.push((file, lazy, pushdown));
        }
    }
    println!("{tried} programs: lazy {lazy_decided}, pushdown {pushdown_decided}, both {both}");
    assert!(wrong.is_empty(), "wrong verdicts or disagreement: {wrong:?}");
    assert!(both * 100 >= lazy_decided * 50, "pushdown decides {both} of {lazy_decided}");
}
