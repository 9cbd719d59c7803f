//! Inputs by chance, guided by what runs cover: shallow and middling bugs without a solver.

use gnomon_engine::chance::{Chance, Chanced};
use gnomon_engine::check::Task;
use gnomon_engine::verdict::{Reason, Statistics};
use gnomon_logic::encode::Theory;

use crate::engine::{Engine, Progress, SECOND, Slice};
use crate::exchange::Exchange;

/// The work of what happens between two looks of a run that is watched, and of beginning a run.
const LOOK_WORK: u64 = 15;
const RUN_WORK: u64 = 60;
/// The work after which nothing is expected any more.
const PATIENCE: u64 = 3 * SECOND;

struct ByChance<'a> {
    task: &'a Task<'a>,
    chance: Chance<'a>,
}

/// Guided runs with inputs by chance.
pub fn by_chance<'a>(task: &'a Task<'a>, _: Theory) -> Result<Box<dyn Engine + 'a>, Reason> {
    let Task { program, sites, entry, budget, .. } = *task;
    Ok(Box::new(ByChance { task, chance: Chance::new(program, sites, entry, budget.clone()) }))
}

impl Engine for ByChance<'_> {
    fn step(&mut self, slice: Slice, _: &Exchange) -> Progress {
        let budget = self.task.budget;
        while !slice.is_over(budget) {
            if let Err(limit) = budget.check_now() {
                return Progress::limit(limit);
            }
            let before = budget.work();
            match self.chance.advance() {
                Chanced::More => {}
                Chanced::Error(counterexample) => return Progress::Executed(counterexample),
                Chanced::NoInputs => {
                    return Progress::GivenUp(Reason::not_enough("there are no inputs"));
                }
            }
            let looks = budget.work().saturating_sub(before);
            budget.charge(looks * LOOK_WORK + RUN_WORK);
            if budget.work() > PATIENCE {
                let why = format!("{} runs with inputs by chance show nothing", self.chance.runs);
                return Progress::GivenUp(Reason::not_enough(why));
            }
        }
        Progress::More
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        statistics.numbers.insert("runs by chance", self.chance.runs as f64);
        statistics.numbers.insert("runs by chance, new edges", self.chance.kept() as f64);
        statistics
    }
}
