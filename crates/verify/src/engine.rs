//! What an engine is: something that is stepped, never run to the end.
//!
//! A step goes on for a [`Slice`] of work and says how far it came ([`Progress`]). What an engine
//! knows that helps others goes through the [`Exchange`](crate::exchange::Exchange), and only there.
//! Engines are deterministic: what they do depends on the program, their options and the exchange,
//! not on how their work is sliced.

use gnomon_budget::{Budget, Exhausted};
use gnomon_engine::outline::OutlineNode;
use gnomon_engine::replay::Counterexample;
use gnomon_engine::verdict::{Proof, Reason, Statistics};
use gnomon_logic::encode::Move;

use crate::exchange::Exchange;

/// How long a step may go on: until the engine's budget has counted so much work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    until: u64,
}

impl Slice {
    /// So much work from now on.
    pub fn of(work: u64, budget: &Budget) -> Self {
        Self { until: budget.work().saturating_add(work) }
    }

    /// Whether the work is done.
    pub fn is_over(self, budget: &Budget) -> bool {
        budget.work() >= self.until
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
