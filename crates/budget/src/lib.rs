//! What a computation may use, and whom it tells how far it is.
//!
//! The analysis crates read no clock and print nothing. They are given a [`Budget`] and call
//! [`Budget::check`] in every loop that can run long; running out is a value ([`Exhausted`]),
//! never a crash, and the caller turns it into a partial result. Progress goes through the same
//! object to a [`Progress`] sink that the command line chooses.
//!
//! ```
//! use gnomon_budget::{Budget, Exhausted};
//!
//! let budget = Budget::unlimited().with_steps(2);
//! assert_eq!(budget.check(), Ok(()));
//! assert_eq!(budget.check(), Ok(()));
//! assert_eq!(budget.check(), Err(Exhausted::Steps));
//! ```
//!
//! Cheap by design: a check is one atomic increment; the clocks are read on every 256th check and
//! the memory gauge on every 16,384th. Before something that takes long by itself, such as a query
//! to a solver, [`Budget::check_now`] reads them all. May depend on nothing else of the workspace.

pub mod turn;

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Why a computation had to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Exhausted {
    /// The time limit was reached.
    #[error("time limit reached")]
    Time,
    /// The memory limit was reached.
    #[error("memory limit reached")]
    Memory,
    /// The limit on the number of steps was reached.
    #[error("step limit reached")]
    Steps,
    /// The limit on the work was reached.
    #[error("work limit reached")]
    Work,
    /// Somebody asked to stop (Ctrl-C, or another engine was faster).
    #[error("cancelled")]
    Cancelled,
}

impl Exhausted {
    fn from_code(code: u8) -> Option<Self> {
        let all = [Self::Time, Self::Memory, Self::Steps, Self::Cancelled, Self::Work];
        all.into_iter().find(|reason| reason.code() == code)
    }

    fn code(self) -> u8 {
        match self {
            Self::Time => 1,
            Self::Memory => 2,
            Self::Steps => 3,
            Self::Cancelled => 4,
            Self::Work => 5,
        }
    }
}

/// Receives progress. Called rarely enough that formatting in it does not matter.
pub trait Progress: Send + Sync {
    /// `phase` is a short stable name ("parse", "saturate"); `detail` is for people.
    fn report(&self, phase: &str, detail: fmt::Arguments<'_>);

    /// Of several checks, so many are done.
    fn part(&self, _done: usize, _all: usize) {}
}

/// A handle that cancels every [`Budget`] it was taken from.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    set: AtomicBool,
    /// Who cancels this one too.
    above: Option<Cancel>,
}

impl Cancel {
    /// Makes the next check of the budget fail.
    pub fn cancel(&self) {
        self.0.set.store(true, Ordering::Relaxed);
    }

    /// Whether [`Cancel::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.set.load(Ordering::Relaxed) || self.0.above.as_ref().is_some_and(Self::is_cancelled)
    }
}

/// How much work was done: what solvers count, and steps. Unlike time, it is the same in every run.
#[derive(Debug, Default)]
struct Meter {
    work: AtomicU64,
    limit: Option<u64>,
    /// Whose work this is a part of.
    whole: Option<Arc<Meter>>,
}

impl Meter {
    fn add(&self, units: u64) {
        let mut meter = Some(self);
        while let Some(one) = meter {
            one.work.fetch_add(units, Ordering::Relaxed);
            meter = one.whole.as_deref();
        }
    }

    fn is_full(&self) -> bool {
        let is_over = |limit| self.work.load(Ordering::Relaxed) >= limit;
        self.limit.is_some_and(is_over) || self.whole.as_ref().is_some_and(|whole| whole.is_full())
    }
}

struct Shared {
    deadline: Option<Instant>,
    /// By [`cpu_time`].
    cpu_deadline: Option<Duration>,
    memory_bytes: Option<u64>,
    max_steps: Option<u64>,
    cancel: Cancel,
    progress: Option<Arc<dyn Progress>>,
    steps: AtomicU64,
    meter: Arc<Meter>,
    /// The first reason is kept, so that every later check gives the same one.
    exhausted: AtomicU8,
    memory_gauge: fn() -> Option<u64>,
    counts: Arc<Counts>,
}

/// Analyses of the whole program, which nobody wants to do twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Analysis {
    /// Where pointers point.
    PointsTo,
}

/// How often each was done.
#[derive(Debug, Default)]
struct Counts {
    points_to: AtomicU64,
}

impl Counts {
    fn of(&self, analysis: Analysis) -> &AtomicU64 {
        match analysis {
            Analysis::PointsTo => &self.points_to,
        }
    }
}

/// Limits on time, memory and steps, shared by all clones.
#[derive(Clone)]
pub struct Budget {
    shared: Arc<Shared>,
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("deadline", &self.shared.deadline)
            .field("memory_bytes", &self.shared.memory_bytes)
            .field("max_steps", &self.shared.max_steps)
            .field("steps", &self.steps())
            .finish_non_exhaustive()
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::unlimited()
    }
}

const TIME_EVERY: u64 = 256;
const MEMORY_EVERY: u64 = 16_384;
/// The work of a step: between two looks at the budget lies about a microsecond, mostly.
const STEP_WORK: u64 = 1;

impl Budget {
    /// No limits and nobody listening.
    pub fn unlimited() -> Self {
        Self {
            shared: Arc::new(Shared {
                deadline: None,
                cpu_deadline: None,
                memory_bytes: None,
                max_steps: None,
                cancel: Cancel::default(),
                progress: None,
                steps: AtomicU64::new(0),
                meter: Arc::default(),
                exhausted: AtomicU8::new(0),
                memory_gauge: resident_bytes,
                counts: Arc::default(),
            }),
        }
    }

    fn rebuild(&self, change: impl FnOnce(&mut Shared)) -> Self {
        let old = &self.shared;
        let mut shared = Shared {
            deadline: old.deadline,
            cpu_deadline: old.cpu_deadline,
            memory_bytes: old.memory_bytes,
            max_steps: old.max_steps,
            cancel: old.cancel.clone(),
            progress: old.progress.clone(),
            steps: AtomicU64::new(0),
            meter: old.meter.clone(),
            exhausted: AtomicU8::new(0),
            memory_gauge: old.memory_gauge,
            counts: old.counts.clone(),
        };
        change(&mut shared);
        Self { shared: Arc::new(shared) }
    }

    /// The same limits, but ending no later than `limit` from now. Steps start again at zero, so
    /// this also gives a sub-task its own allowance.
    pub fn with_time(&self, limit: Duration) -> Self {
        let deadline = Instant::now() + limit;
        self.rebuild(|s| {
            s.deadline = Some(s.deadline.map_or(deadline, |d| d.min(deadline)));
        })
    }

    /// The same limits, but ending when this process, and the solvers that work for it, have used
    /// so much processor time from now on.
    pub fn with_cpu_time(&self, limit: Duration) -> Self {
        let deadline = cpu_time().saturating_add(limit);
        self.rebuild(|s| {
            s.cpu_deadline = Some(s.cpu_deadline.map_or(deadline, |d| d.min(deadline)));
        })
    }

    /// The same limits, with a bound on the resident memory of the process.
    pub fn with_memory(&self, bytes: u64) -> Self {
        self.rebuild(|s| s.memory_bytes = Some(bytes))
    }

    /// The same limits, with a bound on the number of checks.
    pub fn with_steps(&self, steps: u64) -> Self {
        self.rebuild(|s| s.max_steps = Some(steps))
    }

    /// The same limits, with a meter of its own for [`Budget::work`]; what it counts is counted by
    /// the budget that it comes from too.
    pub fn metered(&self) -> Self {
        self.with_meter(None)
    }

    /// The same limits, with a bound on the work that is done from now on. Unlike a bound on time,
    /// it strikes at the same place in every run.
    pub fn with_work(&self, units: u64) -> Self {
        self.with_meter(Some(units))
    }

    fn with_meter(&self, limit: Option<u64>) -> Self {
        self.rebuild(|s| {
            let whole = Some(s.meter.clone());
            s.meter = Arc::new(Meter { work: AtomicU64::new(0), limit, whole });
        })
    }

    /// The same limits, cancelled by a handle of its own too.
    pub fn cancellable(&self) -> Self {
        self.rebuild(|s| {
            s.cancel = Cancel(Arc::new(Flag {
                set: AtomicBool::new(false),
                above: Some(s.cancel.clone()),
            }))
        })
    }

    /// Counts work: a unit is what a solver counts as one, about a microsecond.
    pub fn charge(&self, units: u64) {
        self.shared.meter.add(units);
    }

    /// The work so far, since the budget got its meter.
    pub fn work(&self) -> u64 {
        self.shared.meter.work.load(Ordering::Relaxed)
    }

    /// The same limits, reporting to `progress`.
    pub fn with_progress(&self, progress: Arc<dyn Progress>) -> Self {
        self.rebuild(|s| s.progress = Some(progress))
    }

    /// The same limits, counting analyses together with another budget.
    pub fn counting_with(&self, other: &Self) -> Self {
        self.rebuild(|s| s.counts = other.shared.counts.clone())
    }

    /// Counts an analysis that begins.
    pub fn count(&self, analysis: Analysis) {
        self.shared.counts.of(analysis).fetch_add(1, Ordering::Relaxed);
    }

    /// How often an analysis was done under this budget, those it was made from and those made from
    /// it.
    pub fn counted(&self, analysis: Analysis) -> u64 {
        self.shared.counts.of(analysis).load(Ordering::Relaxed)
    }

    /// The handle that cancels this budget and all made from it.
    pub fn cancel_handle(&self) -> Cancel {
        self.shared.cancel.clone()
    }

    /// Whether somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancel.is_cancelled()
    }

    /// How many checks were made.
    pub fn steps(&self) -> u64 {
        self.shared.steps.load(Ordering::Relaxed)
    }

    /// The time that is left, or `None` without a limit.
    pub fn time_left(&self) -> Option<Duration> {
        let wall = self.shared.deadline.map(|d| d.saturating_duration_since(Instant::now()));
        let cpu = self.shared.cpu_deadline.map(|d| d.saturating_sub(cpu_time()));
        wall.into_iter().chain(cpu).min()
    }

    /// Tells the listener, if there is one, how many of several checks are done.
    pub fn report_part(&self, done: usize, all: usize) {
        if let Some(progress) = &self.shared.progress {
            progress.part(done, all);
        }
    }

    /// Tells the listener, if there is one. The arguments are formatted only then.
    pub fn report(&self, phase: &str, detail: fmt::Arguments<'_>) {
        if let Some(progress) = &self.shared.progress {
            progress.report(phase, detail);
        }
    }

    /// Counts a step; fails once a limit is passed and from then on always.
    #[inline]
    pub fn check(&self) -> Result<(), Exhausted> {
        let step = self.shared.steps.fetch_add(1, Ordering::Relaxed);
        if self.shared.max_steps.is_some_and(|max| step >= max) {
            return Err(self.exhaust(Exhausted::Steps));
        }
        if step.is_multiple_of(TIME_EVERY) {
            self.charge(TIME_EVERY * STEP_WORK);
            self.check_slow(step.is_multiple_of(MEMORY_EVERY))
        } else {
            Ok(())
        }
    }

    /// Looks at every limit, whatever was looked at when; counts no step.
    pub fn check_now(&self) -> Result<(), Exhausted> {
        self.check_slow(true)
    }

    #[cold]
    fn check_slow(&self, with_memory: bool) -> Result<(), Exhausted> {
        turn::look();
        let shared = &*self.shared;
        if let Some(reason) = Exhausted::from_code(shared.exhausted.load(Ordering::Relaxed)) {
            return Err(reason);
        }
        if shared.cancel.is_cancelled() {
            return Err(self.exhaust(Exhausted::Cancelled));
        }
        if shared.deadline.is_some_and(|d| Instant::now() >= d) {
            return Err(self.exhaust(Exhausted::Time));
        }
        if shared.cpu_deadline.is_some_and(|d| cpu_time() >= d) {
            return Err(self.exhaust(Exhausted::Time));
        }
        if shared.meter.is_full() {
            return Err(self.exhaust(Exhausted::Work));
        }
        if with_memory
            && let Some(max) = shared.memory_bytes
            && (shared.memory_gauge)().is_some_and(|used| used > max)
        {
            return Err(self.exhaust(Exhausted::Memory));
        }
        Ok(())
    }

    fn exhaust(&self, reason: Exhausted) -> Exhausted {
        let _ = self.shared.exhausted.compare_exchange(
            0,
            reason.code(),
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
        reason
    }
}

/// Nanoseconds that other processes worked for this one.
static ELSEWHERE: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The same for this thread.
    static ELSEWHERE_FOR_THREAD: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Counts time during which another process worked for this thread, as processor time.
pub fn count_elsewhere(time: Duration) {
    let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    ELSEWHERE.fetch_add(nanoseconds, Ordering::Relaxed);
    ELSEWHERE_FOR_THREAD.set(ELSEWHERE_FOR_THREAD.get().saturating_add(time));
}

/// Processor time of this thread and what it counted by [`count_elsewhere`].
pub fn thread_time() -> Duration {
    let own = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let own = Duration::try_from(own).unwrap_or_default();
    own.saturating_add(ELSEWHERE_FOR_THREAD.get())
}

/// Processor time of this process and what was counted by [`count_elsewhere`].
pub fn cpu_time() -> Duration {
    let own = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let own = Duration::try_from(own).unwrap_or_default();
    own + Duration::from_nanos(ELSEWHERE.load(Ordering::Relaxed))
}

/// Resident memory of this process, where the system tells (Linux).
pub fn resident_bytes() -> Option<u64> {
    const PAGE: u64 = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn analyses_are_counted_wherever_they_are_done() {
        let budget = Budget::unlimited();
        budget.with_steps(3).count(Analysis::PointsTo);
        let other = Budget::unlimited().counting_with(&budget);
        other.count(Analysis::PointsTo);
        assert_eq!(budget.counted(Analysis::PointsTo), 2);
        assert_eq!(Budget::unlimited().counted(Analysis::PointsTo), 0);
    }

    #[test]
    fn a_passed_deadline_is_noticed_and_remembered() {
        let budget = Budget::unlimited().with_time(Duration::ZERO);
        let first = (0..=TIME_EVERY).find_map(|_| budget.check().err());
        assert_eq!(first, Some(Exhausted::Time));
    }

    #[test]
    fn cancelling_reaches_derived_budgets() {
        let parent = Budget::unlimited();
        let child = parent.with_steps(1_000_000);
        parent.cancel_handle().cancel();
        let first = (0..=TIME_EVERY).find_map(|_| child.check().err());
        assert_eq!(first, Some(Exhausted::Cancelled));
    }

    #[test]
    fn a_child_never_outlives_its_parent() {
        let parent = Budget::unlimited().with_time(Duration::from_secs(1));
        let child = parent.with_time(Duration::from_secs(3600));
        assert!(child.time_left().unwrap() <= Duration::from_secs(1));
    }

    #[test]
    fn processor_time_of_others_counts() {
        let budget = Budget::unlimited().with_cpu_time(Duration::from_secs(3600));
        assert_eq!(budget.check_now(), Ok(()));
        count_elsewhere(Duration::from_secs(3600));
        assert_eq!(budget.check_now(), Err(Exhausted::Time));
        assert_eq!(budget.time_left(), Some(Duration::ZERO));
    }

    #[test]
    fn work_counts_for_the_whole_and_is_limited() {
        let whole = Budget::unlimited().with_work(1_000);
        let (one, other) = (whole.metered(), whole.metered());
        one.charge(600);
        assert_eq!((one.work(), other.work(), whole.work()), (600, 0, 600));
        assert_eq!(other.check_now(), Ok(()));
        other.charge(400);
        assert_eq!(one.check_now(), Err(Exhausted::Work));
    }

    #[test]
    fn steps_are_work() {
        let budget = Budget::unlimited().with_work(10 * TIME_EVERY * STEP_WORK);
        let done = (0..).find(|_| budget.check().is_err());
        assert_eq!(done, Some(9 * TIME_EVERY));
    }

    #[test]
    fn a_part_is_cancelled_alone() {
        let whole = Budget::unlimited();
        let (one, other) = (whole.cancellable(), whole.cancellable());
        one.cancel_handle().cancel();
        assert_eq!(one.check_now(), Err(Exhausted::Cancelled));
        assert_eq!(other.check_now(), Ok(()));
        whole.cancel_handle().cancel();
        assert_eq!(other.check_now(), Err(Exhausted::Cancelled));
    }

    #[test]
    fn memory_is_measured() {
        let budget = Budget::unlimited().with_memory(1);
        assert_eq!(budget.check(), Err(Exhausted::Memory));
    }
}
