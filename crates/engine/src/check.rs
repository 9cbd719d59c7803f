//! A check from beginning to end: plain runs, bounded search, proof.

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::encode::{Encoder, Execution, Move, Theory};
use gnomon_logic::solver::{for_bits, for_integers};
use gnomon_logic::{Limits, Solver, Terms};

use crate::bounded::{Bounded, Progress};
use crate::control::{ControlSpace, NoIndirectCalls};
use crate::explore::{Cut, ExploreError, Explorer, Strand};
use crate::property::{ErrorSites, NoSuchSite, Property};
use crate::replay::{self, Counterexample, NotConfirmed};
use crate::runs::{self, Shown};
use crate::verdict::{Proof, Reason, Statistics, Verdict};

/// What to check, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function that runs first; its arguments can be anything.
    pub entry: String,
    /// What must not be reached.
    pub property: Property,
    /// Where blocks end.
    pub cut: Cut,
}

impl Default for Options {
    fn default() -> Self {
        Self { entry: "main".into(), property: Property::default(), cut: Cut::default() }
    }
}

/// Why a check could not begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRequest {
    /// There is no such function with a body.
    #[error("there is no function `{0}` to start from")]
    NoEntry(String),
    /// The property says nothing about the program.
    #[error(transparent)]
    NoSuchSite(#[from] NoSuchSite),
}

/// The answer, and what was done for it.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// What was done.
    pub statistics: Statistics,
}

/// Checks a program.
pub fn check(program: &Program, options: &Options, budget: &Budget) -> Result<Report, BadRequest> {
    let entry = program
        .find_function(&options.entry)
        .filter(|f| program.funcs[*f].body.is_some())
        .ok_or_else(|| BadRequest::NoEntry(options.entry.clone()))?;
    let sites = ErrorSites::of(program, &options.property)?;
    let mut statistics = Statistics::default();
    let verdict = decide(program, entry, &sites, options, budget, &mut statistics);
    Ok(Report { verdict, statistics })
}

fn decide(
    program: &Program,
    entry: FuncId,
    sites: &ErrorSites,
    options: &Options,
    budget: &Budget,
    statistics: &mut Statistics,
) -> Verdict {
    if sites.is_empty() {
        return Verdict::True(Proof::NoErrorSite);
    }
    match runs::try_runs(program, sites, entry, budget) {
        Shown::Error(counterexample) => return Verdict::False(counterexample),
        Shown::OnlyRun => return Verdict::True(Proof::OnlyRun),
        Shown::Nothing => {}
    }
    let mut last = None;
    for theory in [Theory::Int, Theory::Bits] {
        match search(program, entry, sites, options, theory, budget, statistics) {
            Ok(Verdict::Unknown(reason)) => last = Some(reason),
            Ok(verdict) => return verdict,
            Err(ExploreError::Exhausted(limit)) => return Verdict::Unknown(Reason::Limit(limit)),
            Err(error) => last = Some(Reason::NoProgress(error.to_string())),
        }
    }
    Verdict::Unknown(last.unwrap_or(Reason::Limit(Exhausted::Steps)))
}

fn search(
    program: &Program,
    entry: FuncId,
    sites: &ErrorSites,
    options: &Options,
    theory: Theory,
    budget: &Budget,
    statistics: &mut Statistics,
) -> Result<Verdict, ExploreError> {
    let mut terms = Terms::new();
    let space = ControlSpace::new(program, sites, &NoIndirectCalls);
    let encoder = Encoder::new(program, theory);
    let mut explorer = Explorer::new(space, encoder, options.cut, budget.clone());
    let mut solver: Box<dyn Solver> = match theory {
        Theory::Int => Box::new(for_integers()),
        Theory::Bits => for_bits(),
    };
    let Some(start) = explorer.space.start(entry) else {
        return Ok(Verdict::Unknown(Reason::NotCovered("the entry function has no body".into())));
    };
    let initial = match explorer.encoder.advance(&mut terms, Execution::default(), Move::Start) {
        Ok(initial) => initial,
        Err(reason) => return Ok(Verdict::Unknown(Reason::NotCovered(reason.to_string()))),
    };
    let strand = Strand { execution: initial, origin: explorer.origins.beginning() };
    let mut bounded = Bounded::new(start, strand);
    loop {
        match bounded.advance(&mut explorer, &mut terms, solver.as_mut(), budget)? {
            Progress::More => {}
            Progress::Finished => {
                statistics.numbers.insert("depth", bounded.depth() as u64);
                return Ok(match bounded.gaps.keys().next() {
                    None => Verdict::True(Proof::AllExecutions { depth: bounded.depth() }),
                    Some(reason) => Verdict::Unknown(Reason::NotCovered(reason.clone())),
                });
            }
            Progress::Error(_, path) => {
                statistics.numbers.insert("depth", bounded.depth() as u64);
                return Ok(match confirm(program, entry, sites, &path, budget) {
                    Ok(counterexample) => Verdict::False(Box::new(counterexample)),
                    Err(reason) => Verdict::Unknown(Reason::NotConfirmed(reason.to_string())),
                });
            }
        }
    }
}

fn confirm(
    program: &Program,
    entry: FuncId,
    sites: &ErrorSites,
    path: &[Move],
    budget: &Budget,
) -> Result<Counterexample, NotConfirmed> {
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(program, Theory::Bits);
    let mut solver = for_bits();
    let limits = Limits::default().with_resources(50_000_000);
    let solver = solver.as_mut();
    replay::confirm(program, sites, entry, path, &mut encoder, &mut terms, solver, (limits, budget))
}
