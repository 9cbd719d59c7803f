//! The wall-clock guard of checks in this process.
//!
//! Z3's own `timeout` starts a timer for each check, which small queries notice. Here one thread
//! per context looks every few milliseconds which check is running; a check that it sees for longer
//! than its guard allows is interrupted. A check costs two atomic stores and reads no clock.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use gnomon_budget::Budget;

use crate::solver::client;

/// How often the thread looks.
const TICK: Duration = Duration::from_millis(20);
/// Bits of the word that hold the number of ticks a check may take.
const TICK_BITS: u32 = 24;

struct Shared {
    /// Number of the running check above [`TICK_BITS`], the ticks it may take below; 0 when
    /// nothing runs.
    running: AtomicU64,
    struck: AtomicBool,
    stop: Mutex<bool>,
    wake: Condvar,
}

/// Watches the checks of one context.
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    number: AtomicU64,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// A check being watched, until it is dropped.
pub(crate) struct Watched<'a>(&'a Shared);

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.0.running.store(0, Ordering::Release);
    }
}

impl Watchdog {
    /// A guard that calls `interrupt` from another thread when a check takes too long. Without
    /// threads, there is no guard.
    ///
    /// A check is interrupted too when the one for whom this thread works now is cancelled.
    pub(crate) fn new(interrupt: impl Fn() + Send + 'static) -> Self {
        let client = client::current();
        let shared = Arc::new(Shared {
            running: AtomicU64::new(0),
            struck: AtomicBool::new(false),
            stop: Mutex::new(false),
            wake: Condvar::new(),
        });
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("solver watchdog".into())
            .stack_size(64 * 1024)
            .spawn(move || guard(&theirs, client.as_ref(), &interrupt))
            .ok();
        Self { shared, number: AtomicU64::new(0), thread: Mutex::new(thread) }
    }

    /// Watches until the result is dropped.
    pub(crate) fn watch(&self, limit: Option<Duration>) -> Watched<'_> {
        self.shared.struck.store(false, Ordering::Relaxed);
        if let Some(limit) = limit {
            let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
            let most = (1 << TICK_BITS) - 1;
            let ticks = (limit.as_millis() / TICK.as_millis() + 1).min(most) as u64;
            self.shared.running.store((number << TICK_BITS) | ticks, Ordering::Release);
        }
        Watched(&self.shared)
    }

    /// Whether the last watched check was interrupted.
    pub(crate) fn struck(&self) -> bool {
        self.shared.struck.load(Ordering::Relaxed)
    }

    /// Ends the thread; afterwards `interrupt` is never called.
    pub(crate) fn stop(&self) {
        if let Ok(mut stop) = self.shared.stop.lock() {
            *stop = true;
        }
        self.shared.wake.notify_all();
        if let Ok(mut thread) = self.thread.lock()
            && let Some(thread) = thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn guard(shared: &Shared, client: Option<&Budget>, interrupt: &impl Fn()) {
    let mut seen = (0, 0);
    let Ok(mut stop) = shared.stop.lock() else { return };
    while !*stop {
        match shared.wake.wait_timeout(stop, TICK) {
            Ok((guard, _)) => stop = guard,
            Err(_) => return,
        }
        let running = shared.running.load(Ordering::Acquire);
        seen = if running == seen.0 { (running, seen.1 + 1) } else { (running, 0) };
        let allowed = running & ((1 << TICK_BITS) - 1);
        let is_unwanted = || client.is_some_and(Budget::is_cancelled);
        if running != 0 && (seen.1 >= allowed || is_unwanted()) {
            shared.struck.store(true, Ordering::Relaxed);
            interrupt();
        }
    }
}
