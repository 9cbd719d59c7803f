//! Plain runs: shallow bugs show with the first inputs that one tries, and a program that takes
//! nothing from outside has one run only.

use gnomon_budget::Budget;
use gnomon_engine::check::Task;
use gnomon_engine::runs::{FIRST_SEEDS, SEEDS, SHORT, Shown, try_longer, try_runs};
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_logic::encode::Theory;

use crate::engine::{Engine, Progress, Slice};
use crate::exchange::Exchange;

/// How long the only run of a program may be at first, in looks at the budget, and by how much that
/// grows: it begins anew each time.
const FIRST: u64 = 50_000;
const GROWTH: u64 = 4;
/// How many runs with inputs by chance are looked at again if they are long, and how long they may be then.
const LONG_RUNS: usize = 2;
const LONGEST: u64 = 16 * SHORT;
/// The work of what happens between two looks, beside the look.
const LOOK_WORK: u64 = 40;

struct Runs<'a> {
    task: &'a Task<'a>,
    longest: u64,
    /// Runs with inputs by chance that were too long so far, and how long they may be next.
    longer: Option<(Vec<u64>, u64)>,
    /// Inputs by chance that are left for the end, since the first runs are long.
    left: Vec<u64>,
    /// Whether the end has begun: nothing grows any more.
    is_ending: bool,
}

/// Runs of the program.
pub fn plain_runs<'a>(task: &'a Task<'a>, _: Theory) -> Result<Box<dyn Engine + 'a>, Reason> {
    Ok(Box::new(Runs { task, longest: FIRST, longer: None, left: Vec::new(), is_ending: false }))
}

impl Runs<'_> {
    /// How long runs with inputs by chance were so far.
    fn longest_run(&self) -> u64 {
        self.longer.as_ref().map_or(SHORT, |(_, longest)| *longest)
    }
}

impl Engine for Runs<'_> {
    fn step(&mut self, _: Slice, exchange: &Exchange) -> Progress {
        let Task { program, sites, entry, budget, .. } = *self.task;
        let before = budget.work();
        let runs = match &self.longer {
            None => try_runs(program, sites, entry, self.longest, budget),
            Some((seeds, longest)) => try_longer(program, sites, entry, seeds, *longest, budget),
        };
        budget.charge(budget.work().saturating_sub(before) * LOOK_WORK);
        if let Some(found) = runs.undefined {
            exchange.saw_undefined(found);
        }
        match runs.shown {
            Shown::Error(counterexample) => Progress::Executed(counterexample),
            Shown::OnlyRun => Progress::Proved(Proof::OnlyRun),
            Shown::Unfinished => {
                self.longest = self.longest.saturating_mul(GROWTH);
                go_on(budget)
            }
            Shown::Longer(mut seeds) if self.longest_run() < LONGEST && !self.is_ending => {
                if self.longer.is_none() && seeds.iter().copied().eq(FIRST_SEEDS) {
                    self.left = (FIRST_SEEDS.end..SEEDS.end).collect();
                }
                seeds.truncate(LONG_RUNS);
                self.longer = Some((seeds, self.longest_run() * GROWTH));
                go_on(budget)
            }
            Shown::Nothing | Shown::Longer(_) if !self.left.is_empty() => {
                self.is_ending = true;
                let next = self.left.remove(0);
                self.longer = Some((vec![next], SHORT * GROWTH));
                go_on(budget)
            }
            Shown::Nothing | Shown::Longer(_) => {
                Progress::GivenUp(Reason::not_enough("the runs that were tried show nothing"))
            }
        }
    }

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}

fn go_on(budget: &Budget) -> Progress {
    match budget.check_now() {
        Ok(()) => Progress::More,
        Err(limit) => Progress::limit(limit),
    }
}
