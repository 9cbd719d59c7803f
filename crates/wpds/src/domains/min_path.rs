//! The min-path domain (LAL Definition 2.4.14): lengths of shortest paths.

use crate::semiring::{Semiring, Weighing};

/// `(ℕ ∪ {∞}, min, +, ∞, 0)`; `None` is infinity. Sums saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MinPath;

impl Semiring for MinPath {
    type Weight = Option<u64>;

    fn zero(&self) -> Option<u64> {
        None
    }

    fn one(&self) -> Option<u64> {
        Some(0)
    }

    fn combine(&self, a: &Option<u64>, b: &Option<u64>) -> Weighing<Option<u64>> {
        Ok(match (*a, *b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (one, other) => one.or(other),
        })
    }

    fn extend(&self, a: &Option<u64>, b: &Option<u64>) -> Weighing<Option<u64>> {
        Ok((*a).zip(*b).map(|(a, b)| a.saturating_add(b)))
    }

    fn diff(&self, a: &Option<u64>, b: &Option<u64>) -> Option<Weighing<Option<u64>>> {
        Some(Ok(match (*a, *b) {
            (Some(a), Some(b)) if a >= b => None,
            _ => *a,
        }))
    }

    /// Going round a loop never makes a path shorter.
    fn star(&self, _w: &Option<u64>) -> Option<Weighing<Option<u64>>> {
        Some(Ok(Some(0)))
    }
}
