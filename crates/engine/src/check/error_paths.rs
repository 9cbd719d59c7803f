//! Executing error paths that others have found: each with the inputs of a model of its own.
//!
//! A projection shows a path over every line in it, and says of most of them only that their formula has
//! a model. Here the program runs with the inputs of a model: first of one in integers, which is found
//! soon, and if the run does not follow the path, of one in bits. What comes out is a run like every other
//! that is reported.

use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_logic::encode::{Encoder, Move, Theory};
use gnomon_logic::{Limits, Terms};

use super::{BadRequest, Options, entry, no_memory, real, solver_for};
use crate::facts::Facts;
use crate::limited::Limited;
use crate::property::ErrorSites;
use crate::replay::{self, Counterexample, NotConfirmed, Subject};
use crate::verdict::{Reason, Verdict};

/// The limits of a query about one path, in solver resources and in time: there are many paths.
const PATH_QUERY: u32 = 5_000_000;
const PATH_TIME: Duration = Duration::from_secs(3);

/// Why a path was not executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotExecuted {
    /// The path itself does not allow it, as far as is known.
    #[error(transparent)]
    Path(#[from] NotConfirmed),
    /// There was no time left, or what it would show is not certain.
    #[error("{0}")]
    Stopped(Reason),
}

/// Executes error paths one after the other, as far as the budget goes: for each a run that reaches
/// an error, or why there is none.
pub fn execute_error_paths(
    facts: &Facts<'_>,
    options: &Options,
    paths: &[&[Move]],
    budget: &Budget,
) -> Result<Vec<Result<Box<Counterexample>, NotExecuted>>, BadRequest> {
    let program = facts.program();
    let entry = entry(program, options)?;
    let sites = ErrorSites::of(program, &options.property)?;
    let subject = Subject { program, sites: &sites, entry };
    let mut executors = Vec::new();
    for theory in [Theory::Int, Theory::Bits] {
        match Executor::new(facts, theory, budget) {
            Ok(executor) => executors.push(executor),
            Err(reason) => return Ok(vec![Err(NotExecuted::Stopped(reason)); paths.len()]),
        }
    }
    Ok(paths.iter().map(|path| by_any(&mut executors, &subject, path, budget)).collect())
}

/// Tries one theory after the other; what the last one says counts.
fn by_any(
    executors: &mut [Executor<'_>],
    subject: &Subject<'_>,
    path: &[Move],
    budget: &Budget,
) -> Result<Box<Counterexample>, NotExecuted> {
    let mut answer = Err(NotConfirmed::Infeasible.into());
    for executor in executors {
        budget.check_now().map_err(|limit| NotExecuted::Stopped(Reason::Limit(limit)))?;
        answer = executor.execute(subject, path, budget);
        if answer.is_ok() {
            break;
        }
    }
    answer
}

/// What a path is encoded with.
struct Executor<'a> {
    encoder: Encoder<'a>,
    /// One encoder works with one arena.
    terms: Terms,
    solver: Limited,
}

impl<'a> Executor<'a> {
    fn new(facts: &Facts<'a>, theory: Theory, budget: &Budget) -> Result<Self, Reason> {
        let encoder = facts.encoder(theory, budget).map_err(no_memory)?;
        let solver = Limited::new(solver_for(theory), budget.clone());
        Ok(Self { encoder, terms: Terms::new(), solver })
    }

    fn execute(
        &mut self,
        subject: &Subject<'_>,
        path: &[Move],
        budget: &Budget,
    ) -> Result<Box<Counterexample>, NotExecuted> {
        let limits = Limits::default().with_resources(PATH_QUERY).with_time(PATH_TIME);
        let Self { encoder, terms, solver } = self;
        let run = replay::confirm(subject, path, encoder, terms, solver, limits, budget)?;
        match real(subject.program, Box::new(run)) {
            Verdict::False(run) => Ok(run),
            Verdict::Unknown(reason) => Err(NotExecuted::Stopped(reason)),
            Verdict::True(_) => Err(NotConfirmed::Infeasible.into()),
        }
    }
}
