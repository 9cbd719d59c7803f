//! Who may use how much. The engines have the whole limit but for a small fixed reserve, and what
//! comes behind them, the independent checker, has what they leave. Descriptions and confirmations
//! have small limits of their own. Nothing is a fraction of the limit, unless that is tiny.

use std::time::Duration;

use gnomon_budget::Budget;

use crate::listen::Listener;
use crate::request::{Certify, Request};

/// What is kept for the checker of proofs, beside what the engines leave.
const RESERVE: Duration = Duration::from_secs(3);
/// What describing the outcome may take at most, and what it may take in any case.
const DESCRIPTION: Duration = Duration::from_secs(20);
const LEAST_DESCRIPTION: Duration = Duration::from_secs(5);

/// The budgets of a run.
#[derive(Clone)]
pub(crate) struct Clock {
    /// For everything that decides.
    pub whole: Budget,
    /// For the engines.
    pub engines: Budget,
}

impl Clock {
    /// Begins to count.
    pub fn start(request: &Request, listener: &dyn Listener) -> Self {
        gnomon_logic::solver::memory::limit(request.limits.memory);
        let time = request.limits.time;
        let unlimited = Budget::unlimited();
        let whole = unlimited.with_cpu_time(time).with_memory(process_memory(request));
        listener.begins(whole.cancel_handle());
        let whole = match listener.progress() {
            Some(progress) => whole.with_progress(progress),
            None => whole,
        };
        let reserve = match request.certify {
            Certify::Never => Duration::ZERO,
            Certify::WherePossible | Certify::Always => RESERVE.min(time / 2),
        };
        let engines = whole.with_cpu_time(time.saturating_sub(reserve));
        Self { whole, engines }
    }

    /// For describing the outcome: it tells nobody, and counts work with the others.
    pub fn description(&self) -> Budget {
        let left = self.whole.time_left().unwrap_or(DESCRIPTION);
        let time = left.clamp(LEAST_DESCRIPTION, DESCRIPTION);
        Budget::unlimited().with_time(time).counting_with(&self.whole)
    }
}

/// What this process may use: a quarter is left to the solvers that work in processes of their own.
pub(crate) fn process_memory(request: &Request) -> u64 {
    (request.limits.memory << 20) / 4 * 3
}

/// What repeating and slicing a run may take where nothing else is limited.
pub(crate) fn description() -> Budget {
    Budget::unlimited().with_time(DESCRIPTION)
}
