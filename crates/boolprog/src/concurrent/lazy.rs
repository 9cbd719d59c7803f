//! Lazy context-bounded analysis (LAL 7.6, Figures 7.5 and 7.6): only globals that some execution
//! really has at a switch are considered.
//!
//! Contexts are added one after the other, and within one round thread after thread, in the order
//! of LAL 7.7: saturate `H` for the context, compute `E`, hand over. So the search can go on with
//! one more context where it stopped, and it stops at the first target.

use gnomon_bdd::{Bdd, BddError};
use gnomon_budget::Budget;

use super::contexts::{SwitchFilter, ThreadContexts};
use super::effects::Effects;
use super::schedule::Passing;
use super::vocabulary::ContextEncoding;
use crate::model::PointId;
use crate::symbolic::layers::TraceError;

/// What one more context per thread gave.
#[derive(Clone, Debug)]
pub enum Round {
    /// A target is reachable.
    Found(Passing),
    /// Nothing; but some thread took a step.
    Moved,
    /// Nothing, and no thread took a step: nor will any in later contexts.
    Still,
}

/// Looks at some executions only.
pub struct Restriction<'f> {
    /// Whether a thread may be switched in a context in front of a point.
    pub switch: &'f dyn Fn(usize, usize, PointId) -> bool,
    /// Whether targets of a thread in a context count.
    pub counts: &'f dyn Fn(usize, usize) -> bool,
}

/// A lazy search.
#[derive(Debug)]
pub struct LazySearch<'e, 's> {
    encoding: &'e ContextEncoding<'s>,
    threads: Vec<ThreadContexts<'e, 's>>,
    effects: Effects<'e, 's>,
    targets: Vec<PointId>,
    contexts: usize,
}

impl<'e, 's> LazySearch<'e, 's> {
    /// A search before the first context; `first` are the globals to start with, over the start of
    /// the first context (see [`first_globals`]).
    pub fn new(encoding: &'e ContextEncoding<'s>, first: Bdd, targets: &[PointId]) -> Self {
        let threads = encoding.system.threads.iter();
        Self {
            encoding,
            threads: threads.map(|t| ThreadContexts::new(encoding, t.root)).collect(),
            effects: Effects::new(encoding, first),
            targets: targets.to_vec(),
            contexts: 0,
        }
    }

    /// How many contexts per thread were analysed.
    pub fn contexts(&self) -> usize {
        self.contexts
    }

    /// One more context for each thread.
    pub fn advance(&mut self, budget: &Budget) -> Result<Round, TraceError> {
        let all = Restriction { switch: &|_, _, _| true, counts: &|_, _| true };
        self.advance_within(&all, budget)
    }

    /// One more context for each thread, for some executions only.
    pub fn advance_within(
        &mut self,
        restriction: &Restriction<'_>,
        budget: &Budget,
    ) -> Result<Round, TraceError> {
        let context = self.contexts;
        let mut moved = false;
        let last = self.threads.len().saturating_sub(1);
        if let Some(before) = context.checked_sub(1) {
            // What the last thread did matters only if there is a next context.
            let own = |c: usize, p: PointId| (restriction.switch)(last, c, p);
            let effect = self.threads[last].effect(before, &own)?;
            self.effects.add(last, before, effect)?;
            self.effects.finish(before)?;
        }
        for i in 0..self.threads.len() {
            let own = |c: usize, p: PointId| (restriction.switch)(i, c, p);
            let own: SwitchFilter<'_> = &own;
            let handover = self.effects.handover(i, context)?;
            let thread = &mut self.threads[i];
            let targets = if (restriction.counts)(i, context) { &self.targets[..] } else { &[] };
            let hit = if context == 0 {
                thread.begin(&handover, targets, budget)?
            } else {
                thread.resume(&handover, targets, own, budget)?
            };
            moved |= thread.moved();
            if hit {
                let failing = thread.failing(context, &self.targets)?;
                let passing = self.effects.passing(i, context, &failing)?;
                // What is reached lazily is reachable.
                let entry =
                    self.encoding.system.model.procedure(self.encoding.system.threads[i].root);
                return Ok(Round::Found(passing.ok_or(TraceError::Inconsistent(entry.entry.0))?));
            }
            if i < last {
                let effect = thread.effect(context, own)?;
                self.effects.add(i, context, effect)?;
            }
            budget.report(
                "contexts",
                format_args!(
                    "context {} of thread {} done, {} BDD nodes",
                    context + 1,
                    i + 1,
                    self.encoding.space().nodes_in_table()
                ),
            );
        }
        self.contexts += 1;
        Ok(if moved { Round::Moved } else { Round::Still })
    }
}

/// What comes before the first thread.
#[derive(Clone, Debug)]
pub enum Prologue {
    /// A target is reachable in it.
    Fails,
    /// The globals afterwards, over the start of the first context.
    Globals(Bdd),
}

/// Runs the prologue, if there is one.
pub fn first_globals(
    encoding: &ContextEncoding<'_>,
    targets: &[PointId],
    budget: &Budget,
) -> Result<Prologue, BddError> {
    let start = encoding.initial_now();
    let Some(root) = encoding.system.prologue else {
        return Ok(Prologue::Globals(encoding.now_to_first_start(start)?));
    };
    let mut run = ThreadContexts::new(encoding, root);
    if run.run_alone(start, targets, budget)? {
        return Ok(Prologue::Fails);
    }
    let model = &encoding.system.model;
    let mut after = encoding.space().bottom();
    for &point in &model.procedure(root).points {
        if model.outgoing(point).next().is_none()
            && model.point(point).kind == crate::model::PointKind::End
        {
            after = after.or(&run.states_at(0, point)?)?;
        }
    }
    Ok(Prologue::Globals(encoding.now_to_first_start(&after)?))
}
