//! Lazy context-bounded analysis (LAL 7.6, Figures 7.5 and 7.6): only globals that some execution
//! really has at a switch are considered.
//!
//! Contexts are added one after the other, and within one round thread after thread, in the order
//! of LAL 7.7: saturate `H` for the context, compute `E`, hand over. So the search can go on with
//! one more context where it stopped, and it stops at the first target.
//!
//! **Knowledge.** By rule R18 a thread goes on with the globals that fit everything it saw so far, so
//! its relations hold what all the other threads can do, and grow with their number. With many
//! threads and contexts it is cheaper to know less: [`Knowledge::Globals`] lets a thread begin a
//! context with any globals that the thread before it can leave, whatever it saw before. Then the
//! relations of a thread are as small as those of the eager analysis, threads alike do alike, and still
//! only globals that occur are considered; a target counts only if the [`checker`](super::checker)
//! finds it reached by all threads together. Where the effects of single threads get large
//! all the same, what the history would forbid is too much: the search starts again with all of it.

use gnomon_bdd::{Bdd, BddError};
use gnomon_budget::Budget;

use super::contexts::{SwitchFilter, ThreadContexts};
use super::copies::Arrangement;
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

/// What a thread knows of the others when it begins a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// How the globals depend on all it saw: what is reached is reachable.
    History,
    /// The globals alone.
    Globals,
}

/// With so many contexts of all threads together, knowing the history costs more than it saves.
const MANY_CONTEXTS: usize = 16;

/// An effect of one thread with more nodes than this says that knowing the globals is not enough.
const LARGE_EFFECT: usize = 1_000;

/// A lazy search.
#[derive(Debug)]
pub struct LazySearch<'e, 's> {
    knowledge: Knowledge,
    /// A larger effect of a single thread makes the search start again with all knowledge.
    largest_effect: Option<usize>,
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
        let many = encoding.system.threads.len() * encoding.contexts() >= MANY_CONTEXTS;
        let small = encoding.arrangement() == Arrangement::ByContext;
        if many && small {
            let search = Self::knowing(Knowledge::Globals, encoding, first, targets);
            return Self { largest_effect: Some(LARGE_EFFECT), ..search };
        }
        Self::knowing(Knowledge::History, encoding, first, targets)
    }

    /// The same with a choice of what threads know.
    pub fn knowing(
        knowledge: Knowledge,
        encoding: &'e ContextEncoding<'s>,
        first: Bdd,
        targets: &[PointId],
    ) -> Self {
        let threads = encoding.system.threads.iter();
        Self {
            knowledge,
            largest_effect: None,
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

    /// What threads know of each other now.
    pub fn knowledge(&self) -> Knowledge {
        self.knowledge
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
        let mut all_failing = Vec::new();
        let last = self.threads.len().saturating_sub(1);
        if let Some(before) = context.checked_sub(1) {
            // What the last thread did matters only if there is a next context.
            let own = |c: usize, p: PointId| (restriction.switch)(last, c, p);
            let effect = self.threads[last].effect(before, &own)?;
            self.effects.add(last, effect);
        }
        for i in 0..self.threads.len() {
            let own = |c: usize, p: PointId| (restriction.switch)(i, c, p);
            let own: SwitchFilter<'_> = &own;
            let targets = if (restriction.counts)(i, context) { &self.targets[..] } else { &[] };
            // Where targets may be unreachable after all, they end nothing.
            let (handover, ends_at) = match self.knowledge {
                Knowledge::History => (self.effects.handover(i, context)?, targets),
                Knowledge::Globals => (self.effects.arrivals(i, context)?, &[][..]),
            };
            let thread = &mut self.threads[i];
            if context == 0 {
                thread.begin(&handover, ends_at, budget)?;
            } else {
                thread.resume(&handover, ends_at, own, budget)?;
            }
            moved |= thread.moved();
            let failing = thread.failing(context, targets)?;
            if self.knowledge == Knowledge::History && !failing.is_false() {
                let passing = self.effects.passing(i, context, &failing)?;
                return passing.map(Round::Found).ok_or_else(|| self.lost(i));
            }
            all_failing.push(failing);
            if i < last {
                let effect = thread.effect(context, own)?;
                if self.largest_effect.is_some_and(|most| effect.node_count() > most) {
                    return self.start_again(restriction, budget);
                }
                self.effects.add(i, effect);
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
        if let Some(passing) = self.effects.first_failure(context, &all_failing)? {
            return Ok(Round::Found(passing));
        }
        self.contexts += 1;
        Ok(if moved { Round::Moved } else { Round::Still })
    }

    /// The contexts so far and the one under way, with all knowledge.
    fn start_again(
        &mut self,
        restriction: &Restriction<'_>,
        budget: &Budget,
    ) -> Result<Round, TraceError> {
        let contexts = self.contexts;
        let first = self.effects.first.clone();
        *self = Self::knowing(Knowledge::History, self.encoding, first, &self.targets);
        loop {
            let round = self.advance_within(restriction, budget)?;
            if self.contexts > contexts || matches!(round, Round::Found(_)) {
                return Ok(round);
            }
        }
    }

    /// A target is reachable but nobody can say how: a bug of ours.
    fn lost(&self, thread: usize) -> TraceError {
        let root = self.encoding.system.threads[thread].root;
        TraceError::Inconsistent(self.encoding.system.model.procedure(root).entry.0)
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
