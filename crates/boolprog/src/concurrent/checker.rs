//! The *Checker* (LAL 7.1 and rule Checker of 7.7): whether a target that threads reach by themselves,
//! with guessed globals at their switches, is reached by all of them together.
//!
//! The threads are a ring: what one leaves in a context the next one starts with, and what the last
//! one leaves the first one starts its next context with. The relations `E_before` and `E_after` of LAL
//! Figure 7.6 describe everything that the threads on one side can do, which is much: with a
//! counter, they grow with the square of the number of threads. The question here is only about the few executions that
//! reach a target. So the check starts with these and goes through the threads once, from the last
//! to the first, with two relations from the starts of a thread to the ends of the last thread in the
//! rounds that are over: all of it, and what comes with a target, reached by that thread or behind it in
//! the round of the question. `E_before` is never built, all threads are checked
//! together, and the guesses are renamed in the small relations of single threads, never in the composed
//! ones: the starts of a thread are in the copies *start* and *third* by turns.

use gnomon_bdd::{Bdd, BddError, Var, VarSet};

use super::effects::Effects;
use super::schedule::Passing;
use crate::symbolic::layers::TraceError;

impl Effects<'_, '_> {
    /// An execution in which some thread reaches a target in `context`; `failing` are, by thread, the
    /// starts and ends of its contexts with which it reaches one by itself.
    pub fn first_failure(
        &mut self,
        context: usize,
        failing: &[Bdd],
    ) -> Result<Option<Passing>, TraceError> {
        // A single thread is its own neighbour.
        let together = self.threads > 1;
        if together && !self.some_fails(context, failing)? {
            return Ok(None);
        }
        for (thread, failing) in failing.iter().enumerate().filter(|(_, f)| !f.is_false()) {
            if let Some(passing) = self.passing(thread, context, failing)? {
                return Ok(Some(passing));
            }
        }
        if !together {
            return Ok(None);
        }
        let root = self.encoding.system.threads[0].root;
        Err(TraceError::Inconsistent(self.encoding.system.model.procedure(root).entry.0))
    }

    /// Whether there is one.
    fn some_fails(&self, context: usize, failing: &[Bdd]) -> Result<bool, BddError> {
        if failing.iter().all(Bdd::is_false) {
            return Ok(false);
        }
        let space = self.encoding.space();
        let mut rest: Option<Bdd> = None;
        let mut fails = space.bottom();
        for thread in (1..self.threads).rev() {
            let ends = self.moving(thread + 1, context + 1)?;
            let own = self.moved(thread, &failing[thread], context, rest.is_none())?;
            let mut found = match &rest {
                Some(rest) => own.and_exists(rest, &ends)?,
                None => own,
            };
            if !fails.is_false() {
                let effect = self.moved(thread, &self.effect[thread][context], context, false)?;
                found = found.or(&effect.and_exists(&fails, &ends)?)?;
            }
            fails = found;
            if let Some(round) = context.checked_sub(1) {
                let effect = &self.effect[thread][round];
                let effect = self.moved(thread, effect, context, rest.is_none())?;
                rest = Some(match &rest {
                    Some(rest) => effect.and_exists(rest, &ends)?,
                    None => effect,
                });
            }
        }
        // The first thread starts a round with what the last one left.
        let everything = self.everything(context)?;
        let own = self.first_moved(&failing[0], context)?;
        let found = match &rest {
            Some(rest) => own.and_exists(rest, &everything)?,
            None => own,
        };
        if !found.is_false() {
            return Ok(true);
        }
        if fails.is_false() {
            return Ok(false);
        }
        let effect = self.first_moved(&self.effect[0][context], context)?;
        Ok(!effect.and_exists(&fails, &everything)?.is_false())
    }

    /// The copy that holds the starts of a thread on the way through all threads.
    fn moving_copy(&self, thread: usize, context: usize) -> &[Var] {
        let copies = self.encoding.copies();
        if thread.is_multiple_of(2) { copies.start(context) } else { copies.third(context) }
    }

    fn moving(&self, thread: usize, contexts: usize) -> Result<VarSet, BddError> {
        let vars: Vec<Var> =
            (0..contexts).flat_map(|c| self.moving_copy(thread, c).to_vec()).collect();
        self.encoding.space().variable_set(&vars)
    }

    /// A relation of a thread with its starts, and its ends unless it is the last thread, in the copies
    /// for the way through all threads.
    fn moved(
        &self,
        thread: usize,
        relation: &Bdd,
        context: usize,
        last: bool,
    ) -> Result<Bdd, BddError> {
        let copies = self.encoding.copies();
        let mut groups = Vec::new();
        for c in 0..=context {
            if !thread.is_multiple_of(2) {
                groups.push((copies.start(c), self.moving_copy(thread, c)));
            }
            if !last {
                groups.push((copies.end(c), self.moving_copy(thread + 1, c)));
            }
        }
        self.renamed(relation, &groups)
    }

    /// The same for the first thread: its starts are the ends of the last one.
    fn first_moved(&self, relation: &Bdd, context: usize) -> Result<Bdd, BddError> {
        let copies = self.encoding.copies();
        let mut groups = Vec::new();
        for c in 0..=context {
            groups.push((copies.end(c), copies.third(c)));
            if c < context {
                groups.push((copies.start(c + 1), copies.end(c)));
            }
        }
        let start = self.encoding.space().variable_set(copies.start(0))?;
        self.renamed(&relation.and_exists(&self.first, &start)?, &groups)
    }

    fn everything(&self, context: usize) -> Result<VarSet, BddError> {
        let copies = self.encoding.copies();
        let vars: Vec<Var> = (0..=context)
            .flat_map(|c| [copies.start(c), copies.end(c), copies.third(c)].concat())
            .collect();
        self.encoding.space().variable_set(&vars)
    }
}
