//! Who may use how much. The engines have the whole limit but for a small fixed reserve, and what
//! comes behind them, the independent checker, has what they leave. Descriptions and confirmations
//! have small limits of their own. Nothing is a fraction of the limit, unless that is tiny, but for what a page
//! shows beside the verdict: who wants one waits no longer than who wants none.

use std::time::Duration;

use gnomon_budget::Budget;

use crate::listen::Listener;
use crate::request::{Certify, Request};

/// What is kept for the checker of proofs, beside what the engines leave.
const RESERVE: Duration = Duration::from_secs(2);
/// What describing the outcome may take at most, and what it may take in any case.
const DESCRIPTION: Duration = Duration::from_secs(20);
const LEAST_DESCRIPTION: Duration = Duration::from_secs(5);

/// What a page may take: a part of the limit, but so much at most.
const PAGE_PART: u32 = 5;
const MOST_PAGE_TIME: Duration = Duration::from_secs(10);

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
        let time = request.limits.time.saturating_sub(page_time(request));
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

/// What all projections for the page of a request may take together, of the limit on time.
pub(crate) fn page_time(request: &Request) -> Duration {
    match request.wanted.page {
        true => (request.limits.time / PAGE_PART).min(MOST_PAGE_TIME),
        false => Duration::ZERO,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listen::Silent;
    use crate::request::Wanted;

    #[test]
    fn a_page_takes_no_time_beside_the_limit() {
        for seconds in [1, 10, 100, 900] {
            let time = Duration::from_secs(seconds);
            let wanted = Wanted { page: true, ..Wanted::default() };
            let request =
                Request::of_text("int main(void) { return 0; }").time(time).wanted(wanted);
            let page = page_time(&request);
            let whole = Clock::start(&request, &Silent).whole.time_left().expect("a limit");
            assert!(whole + page <= time, "{whole:?} and {page:?} of {time:?}");
            assert!(page >= time / 100 && whole >= time / 2, "{whole:?} and {page:?} of {time:?}");
        }
    }
}
