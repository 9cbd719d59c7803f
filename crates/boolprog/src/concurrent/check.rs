//! The question "can a target be reached?" for programs with threads, from model to verdict.
//!
//! With a number of contexts, the chosen [`Method`] looks for a target within it; without one, the
//! number grows until a target is found, the budget ends, or more contexts are shown to change
//! nothing: no thread can take a step, the threads are closed under interference
//! ([`closure`]), or all states of the system could be enumerated. TRUE is answered only for every
//! number of contexts; an analysis that found nothing within a bound says UNKNOWN and the bound.
//! FALSE comes with an executed schedule.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gnomon_bdd::BddError;
use gnomon_budget::Budget;
use gnomon_wpds::{WeightError, WpdsError};

use super::closure::{self, Attempt};
use super::eager;
use super::explicit::reaches_at_all;
use super::lazy::{LazySearch, Prologue, Round, first_globals};
use super::reduce;
use super::schedule::{Passing, Schedule, ScheduleError, find, find_in_prologue};
use super::system::{SystemOptions, ThreadSystem};
use super::transducer::{self, Answer, TransducerError};
use super::vocabulary::ContextEncoding;
use crate::check::{CheckError, CheckOptions};
use crate::explicit::Limits;
use crate::model::{Model, PointId};
use crate::symbolic::layers::TraceError;

/// Who looks for a target within a number of contexts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// LAL 7.6.
    #[default]
    Lazy,
    /// LAL 7.7, eager version.
    Eager,
    /// LAL 6.3 to 6.5.
    Transducer,
    /// The sequential program of LAL 7.1 and 7.2, checked like any other.
    Reduce,
}

/// Contexts per thread in which no target is reachable, as far as an analysis under way has come. Who
/// holds a copy can tell what is known without waiting for the end.
#[derive(Clone, Debug, Default)]
pub struct CheckedContexts(Arc<AtomicUsize>);

impl CheckedContexts {
    /// The number so far.
    pub fn so_far(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn at_least(&self, contexts: usize) {
        self.0.fetch_max(contexts, Ordering::Relaxed);
    }
}

/// How to check.
#[derive(Clone, Debug, Default)]
pub struct ConcurrentOptions {
    /// Who looks for a target.
    pub method: Method,
    /// Contexts per thread; without it the number grows.
    pub contexts: Option<usize>,
    /// How threads come into being.
    pub system: SystemOptions,
    /// Variable order, nodes, and the engine of sequential questions.
    pub sequential: CheckOptions,
    /// Whether to try to show the result for every number of contexts.
    pub prove: bool,
    /// Told about every number of contexts without a target.
    pub checked: CheckedContexts,
}

/// Why an answer holds for every number of contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is nothing to reach.
    NoTargets,
    /// After this many contexts no thread can take a step.
    Still(usize),
    /// The changes of all threads are closed under interference.
    Closed,
    /// All states of the system were enumerated.
    Enumerated,
}

/// The answer.
#[derive(Clone, Debug)]
pub enum ConcurrentVerdict {
    /// No target is reachable, in any number of contexts.
    True(Reason),
    /// A target is reachable.
    False(Box<Schedule>),
    /// No target within this many contexts per thread; why no more is known.
    Unknown {
        /// Contexts per thread that were checked.
        contexts: usize,
        /// Why the search ended.
        why: String,
    },
}

/// Answer and statistics.
#[derive(Clone, Debug)]
pub struct ConcurrentOutcome {
    /// The answer.
    pub verdict: ConcurrentVerdict,
    /// How many threads there are.
    pub threads: usize,
    /// Contexts per thread that were looked at.
    pub contexts: usize,
    /// BDD nodes in the table at the end, where one table was used.
    pub nodes: usize,
}

/// A bug of ours: a result that contradicts itself.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConcurrentError {
    /// The schedule found is no execution.
    #[error(transparent)]
    Schedule(ScheduleError),
    /// The search contradicts itself.
    #[error("internal error: {0}")]
    Trace(TraceError),
    /// A BDD operation was used wrongly.
    #[error("internal error: {0}")]
    Bdd(BddError),
    /// A sequential question went wrong.
    #[error(transparent)]
    Check(CheckError),
    /// The pushdown library was used wrongly.
    #[error("internal error: {0}")]
    Pushdown(String),
    /// Two methods give different answers.
    #[error("internal error: transducers reach a target that the lazy analysis does not reach")]
    Disagreement,
    /// The reduction made a program that our own reader refuses.
    #[error("internal error: the sequential program is not readable: {0}")]
    Reduction(String),
}

enum Stop {
    Unknown(String),
    Bug(ConcurrentError),
}

impl From<BddError> for Stop {
    fn from(error: BddError) -> Self {
        match error {
            BddError::Exhausted(_)
            | BddError::OutOfNodes { .. }
            | BddError::CapacityTooLarge { .. } => Self::Unknown(error.to_string()),
            other => Self::Bug(ConcurrentError::Bdd(other)),
        }
    }
}

impl From<TraceError> for Stop {
    fn from(error: TraceError) -> Self {
        match error {
            TraceError::Bdd(error) => error.into(),
            other => Self::Bug(ConcurrentError::Trace(other)),
        }
    }
}

impl From<ScheduleError> for Stop {
    fn from(error: ScheduleError) -> Self {
        match error {
            ScheduleError::Exhausted(why) => {
                Self::Unknown(format!("a target is reachable, but no schedule was found: {why}"))
            }
            other => Self::Bug(ConcurrentError::Schedule(other)),
        }
    }
}

impl From<TransducerError> for Stop {
    fn from(error: TransducerError) -> Self {
        match error {
            TransducerError::Wpds(WpdsError::Weight(WeightError::Bdd(error))) => error.into(),
            TransducerError::Wpds(
                WpdsError::Exhausted(_) | WpdsError::Weight(WeightError::Exhausted(_)),
            )
            | TransducerError::TooManyLocals { .. } => Self::Unknown(error.to_string()),
            other => Self::Bug(ConcurrentError::Pushdown(other.to_string())),
        }
    }
}

impl From<reduce::ReduceError> for Stop {
    fn from(error: reduce::ReduceError) -> Self {
        match error {
            reduce::ReduceError::Unreadable(text) => Self::Bug(ConcurrentError::Reduction(text)),
            reduce::ReduceError::Check(error) => Self::Bug(ConcurrentError::Check(error)),
            reduce::ReduceError::Unknown(why) => Self::Unknown(why),
            reduce::ReduceError::Lost => {
                Self::Bug(ConcurrentError::Reduction("the counterexample has no switches".into()))
            }
        }
    }
}

/// Decides whether one of `targets` (points of the system) is reachable.
pub fn check(
    system: &ThreadSystem,
    targets: &[PointId],
    options: &ConcurrentOptions,
    budget: &Budget,
) -> Result<ConcurrentOutcome, ConcurrentError> {
    let mut progress = Progress {
        system,
        targets,
        options,
        budget,
        contexts: 0,
        nodes: 0,
        provable: true,
        next_proof: 0,
        enumerated: false,
    };
    let verdict = match progress.decide() {
        Ok(verdict) => verdict,
        Err(Stop::Unknown(why)) => ConcurrentVerdict::Unknown { contexts: progress.contexts, why },
        Err(Stop::Bug(error)) => return Err(error),
    };
    Ok(ConcurrentOutcome {
        verdict,
        threads: system.threads.len(),
        contexts: progress.contexts,
        nodes: progress.nodes,
    })
}

/// Whether a program needs the analyses of this module.
pub fn is_concurrent(model: &Model) -> bool {
    model.concurrency != crate::model::Concurrency::Sequential
}

struct Progress<'a> {
    system: &'a ThreadSystem,
    targets: &'a [PointId],
    options: &'a ConcurrentOptions,
    budget: &'a Budget,
    /// Contexts per thread without a target.
    contexts: usize,
    nodes: usize,
    /// Whether closure under interference could still be shown with more room.
    provable: bool,
    /// The least room that is worth another attempt.
    next_proof: usize,
    /// Whether it was tried to enumerate all states.
    enumerated: bool,
}

/// Without a bound, an attempt to prove may use so many times the nodes of the search so far ...
const PROOF_TO_SEARCH: usize = 2;

/// ... and at least these; the next attempt has at least ...
const LEAST_PROOF_NODES: usize = 1 << 18;

/// ... so many times the room of the last one.
const PROOF_ROOM_GROWS: usize = 4;

/// Systems with more states are not enumerated.
const MOST_ENUMERATED: usize = 200_000;

/// Room for this many contexts is made at first; more when they are used up.
const FIRST_ROOM: usize = 4;

impl Progress<'_> {
    fn decide(&mut self) -> Result<ConcurrentVerdict, Stop> {
        if self.targets.is_empty() {
            return Ok(ConcurrentVerdict::True(Reason::NoTargets));
        }
        let found = match self.options.method {
            Method::Lazy => self.lazy()?,
            Method::Eager | Method::Transducer | Method::Reduce => {
                self.one_bound_after_the_other()?
            }
        };
        match found {
            Search::Found(passing) => Ok(ConcurrentVerdict::False(Box::new(find(
                self.system,
                &passing,
                self.targets,
                &self.options.sequential,
                self.budget,
            )?))),
            Search::InPrologue => Ok(ConcurrentVerdict::False(Box::new(find_in_prologue(
                self.system,
                self.targets,
                &self.options.sequential,
                self.budget,
            )?))),
            Search::Proved(reason) => Ok(ConcurrentVerdict::True(reason)),
            Search::Bound => Ok(ConcurrentVerdict::Unknown {
                contexts: self.contexts,
                why: "more contexts could reach it".to_owned(),
            }),
        }
    }

    /// Why more contexts change nothing, if that can be shown now. With a bound there is one attempt;
    /// without one, an attempt may use some times the room of the search so far, so that a proof that
    /// cannot be had does not keep the search from an error, and there is another one later.
    fn proof(&mut self) -> Result<Option<Reason>, Stop> {
        let turn = self.options.contexts.unwrap_or(2);
        if !self.options.prove || !self.provable || self.contexts < turn {
            return Ok(None);
        }
        let (targets, budget) = (self.targets, self.budget);
        let options = &self.options.sequential;
        let most_nodes = match self.options.contexts {
            Some(_) => options.nodes,
            // Not every method counts.
            None if self.nodes == 0 => options.nodes,
            None => self.nodes.saturating_mul(PROOF_TO_SEARCH).max(LEAST_PROOF_NODES),
        };
        if most_nodes < self.next_proof {
            return Ok(None);
        }
        self.next_proof = most_nodes.saturating_mul(PROOF_ROOM_GROWS);
        let room = options.nodes.min(most_nodes.saturating_mul(2));
        let closed = || -> Result<Attempt, BddError> {
            let encoding = ContextEncoding::new(self.system, 1, options.order, room, budget)?;
            match first_globals(&encoding, targets, budget)? {
                Prologue::Globals(first) => {
                    closure::attempt(&encoding, &first, targets, most_nodes, budget)
                }
                Prologue::Fails => Ok(Attempt::NotShown),
            }
        };
        match closed() {
            Ok(Attempt::Shown) => return Ok(Some(Reason::Closed)),
            Ok(Attempt::NotShown) => self.provable = false,
            Ok(Attempt::GaveUp) | Err(BddError::OutOfNodes { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        if self.system.bounded_starts || self.enumerated {
            return Ok(None);
        }
        self.enumerated = true;
        let limits = Limits { states: MOST_ENUMERATED };
        let reached = reaches_at_all(self.system, targets, limits, budget);
        Ok((reached == Ok(false)).then_some(Reason::Enumerated))
    }

    fn lazy(&mut self) -> Result<Search, Stop> {
        let mut room = self.options.contexts.unwrap_or(FIRST_ROOM);
        loop {
            match self.lazy_within(room)? {
                Some(search) => return Ok(search),
                None => room *= 2,
            }
        }
    }

    /// Searches within a number of contexts; `None` asks for more of them.
    fn lazy_within(&mut self, room: usize) -> Result<Option<Search>, Stop> {
        let (targets, budget) = (self.targets, self.budget);
        let options = &self.options.sequential;
        let encoding =
            ContextEncoding::new(self.system, room, options.order, options.nodes, budget)?;
        let first = match first_globals(&encoding, targets, budget)? {
            Prologue::Fails => return Ok(Some(Search::InPrologue)),
            Prologue::Globals(first) => first,
        };
        let mut search = LazySearch::new(&encoding, first, targets);
        while search.contexts() < room {
            let round = search.advance(budget);
            self.nodes = encoding.space().nodes_in_table();
            match round? {
                Round::Found(passing) => return Ok(Some(Search::Found(passing))),
                Round::Still if !self.system.bounded_starts => {
                    let reason = Reason::Still(search.contexts() - 1);
                    return Ok(Some(Search::Proved(reason)));
                }
                Round::Still | Round::Moved => {}
            }
            let again = search.contexts() <= self.contexts;
            self.contexts = self.contexts.max(search.contexts());
            self.options.checked.at_least(self.contexts);
            if !again && let Some(reason) = self.proof()? {
                return Ok(Some(Search::Proved(reason)));
            }
        }
        Ok(self.options.contexts.map(|_| Search::Bound))
    }

    /// The switches of an execution that is known to exist.
    fn lazy_passing(&self, contexts: usize) -> Result<Search, Stop> {
        let (targets, budget) = (self.targets, self.budget);
        let options = &self.options.sequential;
        let encoding =
            ContextEncoding::new(self.system, contexts, options.order, options.nodes, budget)?;
        if let Prologue::Globals(first) = first_globals(&encoding, targets, budget)? {
            let mut search = LazySearch::new(&encoding, first, targets);
            while search.contexts() < contexts {
                if let Round::Found(passing) = search.advance(budget)? {
                    return Ok(Search::Found(passing));
                }
            }
        }
        Err(Stop::Bug(ConcurrentError::Disagreement))
    }

    fn one_bound_after_the_other(&mut self) -> Result<Search, Stop> {
        let first = self.options.contexts.unwrap_or(1);
        for contexts in first.. {
            if let Some(found) = self.bounded(contexts)? {
                return Ok(found);
            }
            self.contexts = contexts;
            self.options.checked.at_least(contexts);
            if let Some(reason) = self.proof()? {
                return Ok(Search::Proved(reason));
            }
            if self.options.contexts.is_some() {
                break;
            }
        }
        Ok(Search::Bound)
    }

    fn bounded(&mut self, contexts: usize) -> Result<Option<Search>, Stop> {
        let (targets, budget) = (self.targets, self.budget);
        let options = &self.options.sequential;
        if self.options.method == Method::Transducer {
            return match transducer::search(self.system, contexts, targets, options, budget)? {
                Answer::InPrologue => Ok(Some(Search::InPrologue)),
                Answer::Unreachable => Ok(None),
                Answer::Reachable => self.lazy_passing(contexts).map(Some),
            };
        }
        if self.options.method == Method::Reduce {
            let found = reduce::search(self.system, contexts, targets, options, budget)?;
            return Ok(found.map(|f| match f {
                reduce::Found::InPrologue => Search::InPrologue,
                reduce::Found::Passing(passing) => Search::Found(passing),
            }));
        }
        let encoding =
            ContextEncoding::new(self.system, contexts, options.order, options.nodes, budget)?;
        let first = match first_globals(&encoding, targets, budget)? {
            Prologue::Fails => return Ok(Some(Search::InPrologue)),
            Prologue::Globals(first) => first,
        };
        let found = eager::search(&encoding, first, contexts, targets, budget);
        self.nodes = encoding.space().nodes_in_table();
        Ok(found?.map(Search::Found))
    }
}

enum Search {
    Found(Passing),
    InPrologue,
    Proved(Reason),
    Bound,
}
