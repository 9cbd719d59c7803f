//! Eager context-bounded analysis (LAL 7.2, and the version of 7.7 that uses the rules of Figure
//! 7.5): each thread by itself, from any globals at the start of each of its contexts; the guesses
//! are checked at the end.
//!
//! Threads that run the same procedure have the same effect, which is computed once. That is what
//! the paper means when it says that the eager analysis can exploit symmetry.

use std::collections::BTreeMap;

use gnomon_bdd::{Bdd, BddError};
use gnomon_budget::Budget;

use super::contexts::ThreadContexts;
use super::effects::Effects;
use super::schedule::Passing;
use super::vocabulary::ContextEncoding;
use crate::model::{PointId, ProcId};
use crate::symbolic::layers::TraceError;

/// Looks for a target within a number of contexts per thread; `first` as for the lazy search.
pub fn search(
    encoding: &ContextEncoding<'_>,
    first: Bdd,
    contexts: usize,
    targets: &[PointId],
    budget: &Budget,
) -> Result<Option<Passing>, TraceError> {
    let everywhere = |_: usize, _: PointId| true;
    let anything = encoding.space().top();
    let mut known: BTreeMap<ProcId, ThreadContexts<'_, '_>> = BTreeMap::new();
    for thread in &encoding.system.threads {
        if known.contains_key(&thread.root) {
            continue;
        }
        let mut run = ThreadContexts::new(encoding, thread.root);
        // A target ends nothing here: whether it counts is known only after the check.
        run.begin(&anything, &[], budget)?;
        for _ in 1..contexts {
            run.resume(&anything, &[], &everywhere, budget)?;
        }
        known.insert(thread.root, run);
    }
    let mut effects = Effects::new(encoding, first);
    for context in 0..contexts {
        let mut failing = Vec::new();
        for (i, thread) in encoding.system.threads.iter().enumerate() {
            budget.check().map_err(BddError::from)?;
            let run = &known[&thread.root];
            failing.push(run.failing(context, targets)?);
            // What comes behind the last context of all matters to nobody.
            if context + 1 < contexts || i + 1 < encoding.system.threads.len() {
                effects.add(i, run.effect(context, &everywhere)?);
            }
        }
        if let Some(passing) = effects.first_failure(context, &failing)? {
            return Ok(Some(passing));
        }
    }
    Ok(None)
}
