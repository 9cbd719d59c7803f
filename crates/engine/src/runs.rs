//! Plain runs, before anything is proved: a program that takes nothing from outside has one run
//! only, and shallow bugs often show with the first inputs that one tries.

use std::cell::Cell;
use std::rc::Rc;

use gnomon_budget::Budget;
use gnomon_ir::interp::{InputSource, Outcome, SeedSource, ZeroSource};
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::trace::Input;

use crate::property::ErrorSites;
use crate::replay::{Counterexample, Follower, observe};

/// What the runs showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// One of them reaches an error.
    Error(Box<Counterexample>),
    /// The program takes nothing from outside, and its only run reaches none.
    OnlyRun,
    /// Nothing.
    Nothing,
}

/// How many turns of loops and calls the first run may make, and every other one.
const FIRST_STEPS: u64 = 2_000_000;
const OTHER_STEPS: u64 = 20_000;
/// How many runs with inputs by chance there are.
const SEEDS: u64 = 12;

/// Runs the program with zeros, and then with inputs by chance (always the same).
pub fn try_runs(program: &Program, sites: &ErrorSites, entry: FuncId, budget: &Budget) -> Shown {
    let run = |source: &mut dyn InputSource, steps: u64| {
        let mut follower = Follower::new(sites, Rc::new(Cell::new(0)), Vec::new());
        let limited = budget.with_steps(steps);
        let ended = observe(program, entry, source, &mut follower, &limited);
        let takes_inputs =
            ended.trace.inputs.iter().any(|i| *i != Input::Allocation { succeeds: true });
        let outcome = ended.outcome.clone();
        (follower.counterexample(ended), takes_inputs, outcome)
    };
    let (error, takes_inputs, outcome) = run(&mut ZeroSource, FIRST_STEPS);
    if let Some(error) = error {
        return Shown::Error(Box::new(error));
    }
    if !takes_inputs {
        return match outcome {
            Outcome::Exit(_) | Outcome::Abort { .. } | Outcome::AssumptionFailed { .. } => {
                Shown::OnlyRun
            }
            _ => Shown::Nothing,
        };
    }
    for seed in 0..SEEDS {
        if let (Some(error), ..) = run(&mut SeedSource::new(seed), OTHER_STEPS) {
            return Shown::Error(Box::new(error));
        }
    }
    Shown::Nothing
}
