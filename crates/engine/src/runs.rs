//! Plain runs, before anything is proved: a program that takes nothing from outside has one run
//! only, and shallow bugs often show with the first inputs that one tries.

use std::cell::Cell;
use std::rc::Rc;

use gnomon_budget::Budget;
use gnomon_ir::interp::{InputSource, Outcome, SeedSource, UbKind, UndefinedBehaviour, ZeroSource};
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::trace::Input;

use crate::property::ErrorSites;
use crate::replay::{Counterexample, Follower, observe};

/// What the runs showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runs {
    /// About errors.
    pub shown: Shown,
    /// Undefined behaviour that ended one of them: what a program does after it, nobody knows.
    pub undefined: Option<UndefinedBehaviour>,
}

/// What the runs showed about errors.
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
pub fn try_runs(program: &Program, sites: &ErrorSites, entry: FuncId, budget: &Budget) -> Runs {
    let mut undefined = None;
    let mut run = |source: &mut dyn InputSource, steps: u64| {
        let mut follower = Follower::new(sites, Rc::new(Cell::new(0)), Vec::new());
        let limited = budget.with_steps(steps);
        let ended = observe(program, entry, source, &mut follower, &limited);
        // Values that were never written are chosen at each read, so that copies of one may
        // differ: an error that needs them is left to those who look closer.
        let reads_unwritten = ended.noted.iter().any(|u| u.kind == UbKind::UninitializedRead);
        let takes_inputs =
            ended.trace.inputs.iter().any(|i| *i != Input::Allocation { succeeds: true });
        if let Outcome::Undefined(found) = &ended.outcome
            && continues_on_machines(found.kind)
        {
            undefined.get_or_insert(*found);
        }
        let outcome = ended.outcome.clone();
        let error = follower.counterexample(ended).filter(|_| !reads_unwritten);
        (error, takes_inputs, outcome)
    };
    let (error, takes_inputs, outcome) = run(&mut ZeroSource, FIRST_STEPS);
    let mut shown = match (error, outcome) {
        (Some(error), _) => Shown::Error(Box::new(error)),
        (None, Outcome::Exit(_) | Outcome::Abort { .. } | Outcome::AssumptionFailed { .. })
            if !takes_inputs =>
        {
            Shown::OnlyRun
        }
        _ => Shown::Nothing,
    };
    if takes_inputs {
        for seed in 0..SEEDS {
            if shown != Shown::Nothing {
                break;
            }
            if let (Some(error), ..) = run(&mut SeedSource::new(seed), OTHER_STEPS) {
                shown = Shown::Error(Box::new(error));
            }
        }
    }
    Runs { shown, undefined }
}

/// Whether machines go on after such behaviour, in ways that nobody can tell. A division by zero
/// ends a process.
fn continues_on_machines(kind: UbKind) -> bool {
    !matches!(kind, UbKind::DivisionByZero | UbKind::DivisionOverflow)
}
