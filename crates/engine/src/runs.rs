//! Plain runs, before anything is proved: a program that takes nothing from outside has one run
//! only, and shallow bugs often show with the first inputs that one tries.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::interp::{
    Asked, Discarded, InputSource, Outcome, Run, SeedSource, UbKind, UndefinedBehaviour,
    ZeroSource, interpret,
};
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::trace::{ArgumentValue, Input};
use gnomon_ir::types::{TypeId, Types};

use crate::outside;
use crate::property::ErrorSites;
use crate::replay::{self, Counterexample, Follower, observe};

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
    /// The program takes nothing from outside so far, and its only run is longer.
    Unfinished,
    /// Nothing so far, but the runs with these inputs by chance are longer. If these are the
    /// [first](FIRST_SEEDS), the others were not tried.
    Longer(Vec<u64>),
    /// Nothing.
    Nothing,
}

/// How many looks at the budget a short run may make; between two looks are up to 64 iterations of
/// loops and calls.
pub const SHORT: u64 = 5_000;
/// A run that is watched makes up to so many times more looks than one that is not.
const LOOKS_WATCHED: u64 = 16;
/// The seeds of runs with inputs by chance.
pub const SEEDS: Range<u64> = 0..12;
/// If all of the first few are long, the others are left for later.
pub const FIRST_SEEDS: Range<u64> = 0..3;

/// Runs the program with zeros. If it takes nothing from outside, that is all there is, and it may
/// take as many looks at the budget as `longest` says; else it is run with inputs by chance (always
/// the same).
pub fn try_runs(
    program: &Program,
    sites: &ErrorSites,
    entry: FuncId,
    longest: u64,
    budget: &Budget,
) -> Runs {
    let mut runner = Runner { program, sites, entry, longest, budget, undefined: None };
    let shown = runner.try_all();
    Runs { shown, undefined: runner.undefined }
}

/// Goes on to look at runs that were longer than those before: with the inputs by chance of these seeds, and so
/// many looks at the budget for each.
pub fn try_longer(
    program: &Program,
    sites: &ErrorSites,
    entry: FuncId,
    seeds: &[u64],
    longest: u64,
    budget: &Budget,
) -> Runs {
    let mut runner = Runner { program, sites, entry, longest, budget, undefined: None };
    let shown = runner.try_seeds(seeds, longest);
    Runs { shown, undefined: runner.undefined }
}

/// The counterexample of a run with these inputs, if it reaches an error and that depends on no value
/// that was never written.
pub(crate) fn run_again(
    program: &Program,
    sites: &ErrorSites,
    entry: FuncId,
    source: &mut dyn InputSource,
    budget: &Budget,
) -> Option<Counterexample> {
    let mut runner = Runner { program, sites, entry, longest: 0, budget, undefined: None };
    let mut follower = Follower::new(sites, Rc::new(Cell::new(0)), Vec::new());
    let run = observe(program, entry, source, &mut follower, budget);
    runner.ended(run, Some(follower)).error
}

struct Runner<'a> {
    program: &'a Program,
    sites: &'a ErrorSites,
    entry: FuncId,
    longest: u64,
    budget: &'a Budget,
    undefined: Option<UndefinedBehaviour>,
}

/// How a run ended.
struct Ended {
    error: Option<Counterexample>,
    takes_inputs: bool,
    outcome: Outcome,
}

impl Ended {
    fn is_complete(&self) -> bool {
        matches!(
            self.outcome,
            Outcome::Exit(_) | Outcome::Abort { .. } | Outcome::AssumptionFailed { .. }
        )
    }
}

impl Runner<'_> {
    fn try_all(&mut self) -> Shown {
        let mut first = self.run(&mut ZeroSource, SHORT);
        if !first.takes_inputs && matches!(first.outcome, Outcome::OutOfBudget(Exhausted::Steps)) {
            first = self.run_long();
        }
        if let Some(error) = first.error {
            return Shown::Error(Box::new(error));
        }
        if !first.takes_inputs {
            if matches!(first.outcome, Outcome::OutOfBudget(Exhausted::Steps)) {
                return Shown::Unfinished;
            }
            let only = first.is_complete()
                && !outside::may_answer(self.program)
                && !outside::assembler_changes_memory(self.program);
            return if only { Shown::OnlyRun } else { Shown::Nothing };
        }
        let (few, more) = (FIRST_SEEDS.collect::<Vec<_>>(), FIRST_SEEDS.end..SEEDS.end);
        let mut longer = match self.try_seeds(&few, SHORT) {
            Shown::Longer(seeds) if seeds == few => return Shown::Longer(seeds),
            Shown::Longer(seeds) => seeds,
            Shown::Nothing => Vec::new(),
            shown => return shown,
        };
        match self.try_seeds(&more.collect::<Vec<_>>(), SHORT) {
            Shown::Longer(seeds) => longer.extend(seeds),
            Shown::Nothing => {}
            shown => return shown,
        }
        if longer.is_empty() { Shown::Nothing } else { Shown::Longer(longer) }
    }

    fn try_seeds(&mut self, seeds: &[u64], steps: u64) -> Shown {
        let mut longer = Vec::new();
        for &seed in seeds {
            let ended = self.run_seed(seed, steps);
            if let Some(error) = ended.error {
                return Shown::Error(Box::new(error));
            }
            if matches!(ended.outcome, Outcome::OutOfBudget(Exhausted::Steps)) {
                longer.push(seed);
            }
        }
        if longer.is_empty() { Shown::Nothing } else { Shown::Longer(longer) }
    }

    /// A run with inputs by chance. It is watched only if it reaches an error: watching is slow.
    fn run_seed(&mut self, seed: u64, steps: u64) -> Ended {
        let mut watched = steps;
        if self.sites.are_calls() {
            watched = steps.saturating_mul(LOOKS_WATCHED);
            let budget = self.budget.with_steps(steps);
            let options = replay::run_options(self.program, self.entry, self.sites);
            let mut source = SeedSource::new(seed);
            let run = interpret(self.program, &options, &mut source, &mut Discarded, &budget);
            let is_wrong = matches!(run.outcome, Outcome::Error { .. })
                || self.sites.faults().of(&run).is_some();
            if !is_wrong {
                return self.ended(run, None);
            }
        }
        self.run(&mut SeedSource::new(seed), watched)
    }

    /// A long run that ends when it would take something from outside. It is watched only if it
    /// matters which edges it takes, which is slow.
    fn run_long(&mut self) -> Ended {
        let mut watched = self.longest;
        if self.sites.are_calls() {
            watched = watched.saturating_mul(LOOKS_WATCHED);
            let budget = self.budget.with_steps(self.longest);
            let options = replay::run_options(self.program, self.entry, self.sites);
            let run = interpret(self.program, &options, &mut Nothing, &mut Discarded, &budget);
            let is_wrong = matches!(run.outcome, Outcome::Error { .. })
                || self.sites.faults().of(&run).is_some();
            if !is_wrong {
                return self.ended(run, None);
            }
        }
        self.run(&mut Nothing, watched)
    }

    fn run(&mut self, source: &mut dyn InputSource, steps: u64) -> Ended {
        let mut follower = Follower::new(self.sites, Rc::new(Cell::new(0)), Vec::new());
        let limited = self.budget.with_steps(steps);
        let run = observe(self.program, self.entry, source, &mut follower, &limited);
        self.ended(run, Some(follower))
    }

    fn ended(&mut self, run: Run, follower: Option<Follower<'_>>) -> Ended {
        // Values that were never written are chosen at each read, so that copies of one may
        // differ: an error that needs them is left to those who look closer.
        let reads_unwritten = run.noted.iter().any(|u| u.kind == UbKind::UninitializedRead);
        let takes_inputs =
            run.trace.inputs.iter().any(|i| *i != Input::Allocation { succeeds: true })
                || matches!(run.outcome, Outcome::InputsExhausted { .. });
        if let Outcome::Undefined(found) = &run.outcome
            && continues_on_machines(found.kind)
        {
            self.undefined.get_or_insert(*found);
        }
        let outcome = run.outcome.clone();
        let error =
            follower.and_then(|f| f.counterexample(self.program, run)).filter(|_| !reads_unwritten);
        Ended { error, takes_inputs, outcome }
    }
}

/// Answers nothing.
struct Nothing;

impl InputSource for Nothing {
    fn nondet(&mut self, _asked: &Asked<'_>) -> Option<u128> {
        None
    }

    fn choice(&mut self, _open: u32) -> Option<u32> {
        None
    }

    fn argument(&mut self, _name: &str, _types: &Types, _ty: TypeId) -> Option<ArgumentValue> {
        None
    }
}

/// Whether machines go on after such behaviour, in ways that nobody can tell. A division by zero
/// ends a process, and so does a stack that is too small, of which a verdict assumes that there is none.
fn continues_on_machines(kind: UbKind) -> bool {
    !matches!(kind, UbKind::DivisionByZero | UbKind::DivisionOverflow | UbKind::StackOverflow)
}
