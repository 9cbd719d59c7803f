//! How much memory solvers may use.
//!
//! Solvers live in this process and in worker processes, so one limit is divided: half of it is for
//! Z3 in this process, a quarter for each worker, and the rest for everything else. A query that
//! would need more is answered with [`UnknownReason::Memory`](super::UnknownReason::Memory).

use std::sync::atomic::{AtomicU32, Ordering};

static IN_PROCESS: AtomicU32 = AtomicU32::new(4096);
static WORKER: AtomicU32 = AtomicU32::new(2048);

/// Megabytes for this process and each of its workers; for solvers that are made later.
pub fn limit(megabytes: u64) {
    let part = |divisor: u64| u32::try_from((megabytes / divisor).max(64)).unwrap_or(u32::MAX);
    IN_PROCESS.store(part(2), Ordering::Relaxed);
    WORKER.store(part(4), Ordering::Relaxed);
}

/// Megabytes that all Z3 contexts of this process may use together.
pub(crate) fn in_process() -> u32 {
    IN_PROCESS.load(Ordering::Relaxed)
}

/// Megabytes that a worker may use.
pub(crate) fn of_a_worker() -> u32 {
    WORKER.load(Ordering::Relaxed)
}
