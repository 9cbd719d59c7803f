//! The question "can a target be reached?", from model to verdict.
//!
//! [`check`] slices the model for its targets, encodes the slice, lets the chosen [`Engine`] decide,
//! and if a target is reachable looks for a shortest execution, which is replayed on the whole
//! program by the [interpreter](crate::interpret) before anyone sees it. Running out of time,
//! memory or BDD nodes gives [`Verdict::Unknown`] with the reason.

use gnomon_bdd::BddError;
use gnomon_budget::{Budget, Exhausted};
use gnomon_wpds::{WeightError, WpdsError};

use crate::interpret::{ReplayError, Run, TracePlan, replay};
use crate::model::{Concurrency, Model, PointId};
use crate::slice::slice;
use crate::symbolic::encoding::Encoding;
use crate::symbolic::explore::Exploration;
use crate::symbolic::layers::TraceError;
use crate::symbolic::order::VariableOrder;
use crate::symbolic::pushdown::{Pushdown, Solver};
use crate::symbolic::shortest::shortest_trace;

/// Labels that mean failure if nothing else is asked.
pub const DEFAULT_LABELS: [&str; 3] = ["SLIC_ERROR", "ERROR", "error"];

/// Who decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Forward search that stops at the first target.
    #[default]
    OnTheFly,
    /// Saturation of the pushdown system.
    Saturation,
    /// FWPDS on the pushdown system.
    Fwpds,
}

/// How to check.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Who decides.
    pub engine: Engine,
    /// Whether what cannot matter is dropped first.
    pub slice: bool,
    /// The order of the BDD variables.
    pub order: VariableOrder,
    /// Room for this many BDD nodes.
    pub nodes: usize,
    /// How many BDD operations may be spent on making the counterexample a shortest one.
    pub shorten_steps: u64,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            engine: Engine::default(),
            slice: true,
            order: VariableOrder::default(),
            nodes: 1 << 24,
            shorten_steps: 400_000,
        }
    }
}

/// An execution that reaches a target, already replayed.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The execution on the whole program.
    pub run: Run,
    /// Whether no execution with fewer edges reaches a target.
    pub shortest: bool,
}

/// The answer.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No target is reachable.
    True,
    /// A target is reachable.
    False(Box<Counterexample>),
    /// Nobody knows, and why.
    Unknown(String),
}

/// What was built on the way.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckStatistics {
    /// Variables of the program.
    pub variables: usize,
    /// Of these, how many the slice dropped.
    pub variables_dropped: usize,
    /// Edges that the slice cut.
    pub edges_cut: usize,
    /// BDD nodes in the table at the end.
    pub nodes: usize,
}

/// Answer and statistics.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// What was built on the way.
    pub statistics: CheckStatistics,
}

/// A bug of ours: a result that contradicts itself.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CheckError {
    /// The trace found is no execution of the program.
    #[error("internal error: the counterexample does not execute: {0}")]
    Replay(#[from] ReplayError),
    /// No trace could be read off the search.
    #[error("internal error: {0}")]
    Trace(TraceError),
    /// The pushdown system was refused.
    #[error("internal error: {0}")]
    Pushdown(WpdsError),
    /// A BDD operation was used wrongly.
    #[error("internal error: {0}")]
    Bdd(BddError),
}

/// Running out is an answer, everything else is a bug.
enum Stop {
    Unknown(String),
    Bug(CheckError),
}

impl From<BddError> for Stop {
    fn from(error: BddError) -> Self {
        match error {
            BddError::Exhausted(_) | BddError::OutOfNodes { .. } => {
                Self::Unknown(error.to_string())
            }
            BddError::CapacityTooLarge { .. } => Self::Unknown(error.to_string()),
            other => Self::Bug(CheckError::Bdd(other)),
        }
    }
}

impl From<Exhausted> for Stop {
    fn from(error: Exhausted) -> Self {
        Self::Unknown(error.to_string())
    }
}

impl From<TraceError> for Stop {
    fn from(error: TraceError) -> Self {
        match error {
            TraceError::Bdd(error) => error.into(),
            other => Self::Bug(CheckError::Trace(other)),
        }
    }
}

impl From<WpdsError> for Stop {
    fn from(error: WpdsError) -> Self {
        match error {
            WpdsError::Weight(WeightError::Bdd(error)) => error.into(),
            WpdsError::Weight(WeightError::Exhausted(error)) => error.into(),
            WpdsError::Exhausted(error) => error.into(),
            other => Self::Bug(CheckError::Pushdown(other)),
        }
    }
}

/// Why the sequential analyses do not apply, if they do not.
pub fn refuses(model: &Model) -> Option<String> {
    let reason = match &model.concurrency {
        Concurrency::Sequential => return None,
        Concurrency::Started => "the program starts threads".to_owned(),
        Concurrency::InitThenThreads(threads) => {
            let n = threads.len();
            let plural = if n == 1 { "thread" } else { "threads" };
            format!("the program has {n} {plural} after `init` (Getafix convention)")
        }
        Concurrency::Parallel(threads) => {
            format!("{} pushdown systems run at the same time", threads.len())
        }
    };
    Some(format!("{reason}; this needs the concurrent analyses"))
}

/// The points to check: assertion failures (if asked for) and the points with one of the labels.
pub fn targets(model: &Model, assertions: bool, labels: &[&str]) -> Vec<PointId> {
    let mut list = if assertions { model.assertion_failures() } else { Vec::new() };
    list.extend(labels.iter().flat_map(|l| model.labelled(l)));
    list.sort_unstable();
    list.dedup();
    list
}

/// Decides whether one of `targets` is reachable.
pub fn check(
    model: &Model,
    targets: &[PointId],
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Outcome, CheckError> {
    let mut statistics =
        CheckStatistics { variables: model.variables.len(), ..CheckStatistics::default() };
    let verdict = match refuses(model) {
        Some(reason) => Verdict::Unknown(reason),
        None => match decide(model, targets, options, budget, &mut statistics) {
            Ok(verdict) => verdict,
            Err(Stop::Unknown(reason)) => Verdict::Unknown(reason),
            Err(Stop::Bug(error)) => return Err(error),
        },
    };
    Ok(Outcome { verdict, statistics })
}

fn decide(
    model: &Model,
    targets: &[PointId],
    options: &CheckOptions,
    budget: &Budget,
    statistics: &mut CheckStatistics,
) -> Result<Verdict, Stop> {
    if targets.is_empty() {
        return Ok(Verdict::True);
    }
    let sliced = options.slice.then(|| slice(model, targets));
    if let Some(slice) = &sliced {
        statistics.variables_dropped = slice.variables_dropped;
        statistics.edges_cut = slice.edges_cut;
        let kept = slice.model.variables.len();
        budget.report("slice", format_args!("{kept} of {} variables kept", statistics.variables));
    }
    let small = sliced.as_ref().map_or(model, |s| &s.model);
    let encoding = Encoding::new(small, options.order, options.nodes, budget)?;
    let found = find(&encoding, targets, options.engine, budget);
    statistics.nodes = encoding.space().nodes_in_table();
    let Some(mut search) = found? else { return Ok(Verdict::True) };
    let (plan, shortest) = trace(&encoding, &mut search, targets, options, budget)?;
    let plan = sliced.as_ref().map_or_else(|| plan.clone(), |s| s.lift(&plan));
    let run = replay(model, &plan).map_err(|e| Stop::Bug(e.into()))?;
    Ok(Verdict::False(Box::new(Counterexample { run, shortest })))
}

/// Decides; if a target is reachable, gives a search that has reached one.
fn find<'e, 'm>(
    encoding: &'e Encoding<'m>,
    targets: &[PointId],
    engine: Engine,
    budget: &Budget,
) -> Result<Option<Exploration<'e, 'm>>, Stop> {
    let solver = match engine {
        Engine::OnTheFly => None,
        Engine::Saturation => Some(Solver::Saturation),
        Engine::Fwpds => Some(Solver::Fwpds),
    };
    if let Some(solver) = solver {
        let values = Pushdown::new(encoding)?.values(solver, targets, budget)?;
        if values.iter().all(gnomon_bdd::Bdd::is_false) {
            return Ok(None);
        }
    }
    let mut search = Exploration::new(encoding, budget)?;
    let reached = search.run(targets)?;
    Ok(reached.map(|_| search))
}

/// A trace, and whether it is a shortest one.
fn trace(
    encoding: &Encoding<'_>,
    search: &mut Exploration<'_, '_>,
    targets: &[PointId],
    options: &CheckOptions,
    budget: &Budget,
) -> Result<(TracePlan, bool), Stop> {
    let allowance = budget.with_steps(options.shorten_steps);
    encoding.space().set_budget(allowance.clone());
    let shortest = search
        .complete(&allowance)
        .map_err(TraceError::from)
        .and_then(|()| shortest_trace(encoding, &search.entries, targets, &allowance));
    encoding.space().set_budget(budget.clone());
    match shortest {
        Ok(plan) => Ok((plan, true)),
        // The allowance ran out: any trace will do.
        Err(TraceError::Bdd(error)) => {
            let target = targets.iter().find(|t| search.is_reached(**t)).copied();
            let target = target.ok_or(error)?;
            Ok((search.trace(target)?, false))
        }
        Err(error) => Err(error.into()),
    }
}
