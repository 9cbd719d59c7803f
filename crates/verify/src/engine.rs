//! What an engine is: something that is stepped, never run to the end.
//!
//! A step goes on for a [`Slice`] of work and says how far it came ([`Progress`]). What an engine
//! knows that helps others goes through the [`Exchange`](crate::exchange::Exchange), and only there.
//! Engines are deterministic: what they do depends on the program, their options and the exchange,
//! not on how their work is sliced.

use std::time::Duration;

use gnomon_budget::{Budget, Exhausted, thread_time};
use gnomon_engine::check::Task;
use gnomon_engine::outline::OutlineNode;
use gnomon_engine::replay::Counterexample;
use gnomon_engine::unsupported::Unsupported;
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_logic::encode::Move;

use crate::exchange::Exchange;

/// A second's worth of work, roughly.
pub const SECOND: u64 = 3_000_000;

/// How many times less than its processor time is worth an engine may count as work: within that,
/// counts decide who is next, and they are the same in every run.
pub const TOLERANCE: u32 = 2;

/// How long a step may go on: until the engine's budget has counted so much work, or its thread has
/// used far more time than that stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    until: u64,
    deadline: Duration,
}

impl Slice {
    /// So much work from now on, by this thread.
    pub fn of(work: u64, budget: &Budget) -> Self {
        let worth = Duration::from_micros(work / (SECOND / 1_000_000));
        let deadline = thread_time().saturating_add(worth * TOLERANCE);
        Self { until: budget.work().saturating_add(work), deadline }
    }

    /// Whether the work is done.
    pub fn is_over(self, budget: &Budget) -> bool {
        budget.work() >= self.until || thread_time() >= self.deadline
    }

    /// What is left of the work.
    pub fn left(self, budget: &Budget) -> u64 {
        self.until.saturating_sub(budget.work())
    }
}

/// How far an engine came.
#[derive(Debug)]
pub enum Progress {
    /// There is more to do.
    More,
    /// No run reaches an error.
    Proved(Proof),
    /// An error may be reached by this path; it is yet to be executed.
    ErrorPath(Vec<Move>),
    /// This run reaches an error.
    Executed(Box<Counterexample>),
    /// No error is reached, but for what is behind something that formulas do not have.
    Unsupported(Reason),
    /// The engine has nothing more to try.
    GivenUp(Reason),
}

impl Progress {
    /// The end of an engine that ran into a limit.
    pub fn limit(limit: Exhausted) -> Self {
        Self::GivenUp(Reason::Limit(limit))
    }

    /// The end of an engine that came to something that formulas do not have.
    pub fn stuck(task: &Task<'_>, what: &Unsupported) -> Self {
        Self::Unsupported(Reason::Unsupported(what.located(task.program)))
    }
}

/// Something that finds proofs, or errors, or both.
pub trait Engine {
    /// Goes on for a slice of work. After anything but [`Progress::More`] it is not asked again.
    fn step(&mut self, slice: Slice, exchange: &Exchange) -> Progress;

    /// What was done so far.
    fn statistics(&self) -> Statistics;

    /// What is known, and what is left to do, for people.
    fn open_work(&self) -> Vec<String> {
        Vec::new()
    }

    /// The reachability tree, for engines that have one.
    fn outline(&mut self) -> Vec<OutlineNode> {
        Vec::new()
    }
}
