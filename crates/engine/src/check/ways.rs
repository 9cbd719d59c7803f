//! Executing ways to errors that others have found: each with the inputs of a model of its own.
//!
//! A projection shows a way over every line in it, and says of most of them only that their formula has
//! a model, in integers. Here the way is encoded bit by bit, and the program runs with the inputs of a
//! model of that; what comes out is a run like every other that is reported.

use gnomon_budget::Budget;
use gnomon_ir::program::Program;
use gnomon_logic::encode::{Move, Theory};
use gnomon_logic::solver::for_bits;
use gnomon_logic::{Limits, Terms};

use super::{BadRequest, Options, entry, no_memory, real};
use crate::facts::Facts;
use crate::limited::Limited;
use crate::property::ErrorSites;
use crate::replay::{self, Counterexample, NotConfirmed, Subject};
use crate::verdict::{Reason, Verdict};

/// The limit of the query about one way, in solver resources.
const WAY_QUERY: u32 = 10_000_000;

/// Why a way was not executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotExecuted {
    /// The way itself does not allow it, as far as is known.
    #[error(transparent)]
    Way(#[from] NotConfirmed),
    /// There was no time left, or what it would show is not certain.
    #[error("{0}")]
    Stopped(Reason),
}

/// Executes ways to errors one after the other, as far as the budget goes: for each a run that reaches
/// an error, or why there is none.
pub fn execute_ways(
    program: &Program,
    options: &Options,
    ways: &[&[Move]],
    budget: &Budget,
) -> Result<Vec<Result<Box<Counterexample>, NotExecuted>>, BadRequest> {
    let entry = entry(program, options)?;
    let sites = ErrorSites::of(program, &options.property)?;
    let none =
        |reason: Reason| ways.iter().map(|_| Err(NotExecuted::Stopped(reason.clone()))).collect();
    let facts = match Facts::new(program, entry, options.memory, budget) {
        Ok(facts) => facts,
        Err(limit) => return Ok(none(Reason::Limit(limit))),
    };
    let mut encoder = match facts.encoder(Theory::Bits, budget).map_err(no_memory) {
        Ok(encoder) => encoder,
        Err(reason) => return Ok(none(reason)),
    };
    let mut solver = Limited::new(for_bits(), budget.clone());
    // One encoder works with one arena.
    let mut terms = Terms::new();
    let limits = Limits::default().with_resources(WAY_QUERY);
    let subject = Subject { program, sites: &sites, entry };
    let mut execute = |way: &[Move]| {
        budget.check_now().map_err(|limit| NotExecuted::Stopped(Reason::Limit(limit)))?;
        let (encoder, terms, solver) = (&mut encoder, &mut terms, &mut solver);
        let run = replay::confirm(&subject, way, encoder, terms, solver, limits, budget)?;
        match real(program, Box::new(run)) {
            Verdict::False(run) => Ok(run),
            Verdict::Unknown(reason) => Err(NotExecuted::Stopped(reason)),
            Verdict::True(_) => Err(NotConfirmed::Infeasible.into()),
        }
    };
    Ok(ways.iter().map(|way| execute(way)).collect())
}
