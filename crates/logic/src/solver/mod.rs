//! The solver behind a small trait.
//!
//! A [`Solver`] is a stack of asserted formulas that can be asked whether they, together with a
//! list of assumptions, are satisfiable. Terms hold no solver handles; every method that needs to
//! look at terms is given the arena.
//!
//! - [`sat::SatSolver`]: bit-vectors, arrays and functions by bit-blasting to a SAT solver, and
//!   [`bits::BitSolver`], which asks Z3 for what that does not know;
//! - [`z3::Z3Solver`]: Z3 in this process, for the many small integer queries;
//! - [`smtlib::SmtLibSolver`]: any solver that speaks SMT-LIB over pipes: Z3 in a worker process
//!   that can be killed ([`worker`]), or an external program for cross-checks.
//!
//! Whatever goes wrong inside a solver is an [`Answer::Unknown`] with its reason: a time-out, a
//! memory-out or a crashed worker is a value. Limits are counted in solver resources, so that an
//! answer does not depend on the speed of the machine; a wall-clock limit stands behind them as the
//! last guard only. Time is read here, at the solver boundary, for that guard and for statistics;
//! nothing else depends on it.

pub mod bits;
pub mod client;
pub mod memory;
pub mod model;
pub mod sat;
pub mod smtlib;
pub mod statistics;
pub mod worker;
pub mod z3;

pub use model::Model;
pub use statistics::{PurposeStatistics, Statistics};

use crate::term::{Term, Terms};
use std::time::Duration;

/// Why a solver gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum UnknownReason {
    /// The limit in solver resources was reached.
    #[error("the resource limit of the query was reached")]
    ResourceLimit,
    /// The wall-clock guard struck.
    #[error("the time limit of the query was reached")]
    Time,
    /// The solver's memory limit was reached.
    #[error("the memory limit of the solver was reached")]
    Memory,
    /// The solver gave up.
    #[error("the solver gave up: {0}")]
    Incomplete(String),
    /// The solver failed.
    #[error("the solver failed: {0}")]
    Failed(String),
}

/// What a solver says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// It was not found out.
    Unknown(UnknownReason),
}

impl Answer {
    /// Whether the answer is [`Answer::Unsat`].
    pub fn is_unsat(&self) -> bool {
        *self == Self::Unsat
    }

    /// Whether the answer is [`Answer::Sat`].
    pub fn is_sat(&self) -> bool {
        *self == Self::Sat
    }
}

/// What a query is asked for; statistics are kept for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Purpose(pub &'static str);

impl Purpose {
    /// No particular purpose.
    pub const OTHER: Self = Self("other");
    /// Whether a path can be executed.
    pub const FEASIBILITY: Self = Self("feasibility");
    /// Abstract post and covering.
    pub const ABSTRACTION: Self = Self("abstraction");
    /// Finding interpolants.
    pub const INTERPOLATION: Self = Self("interpolation");
    /// Checking interpolants, proofs and other results.
    pub const CHECK: Self = Self("check");
}

/// Limits of one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// In solver resources; `None` for no limit.
    pub resources: Option<u32>,
    /// Wall-clock guard; `None` for none.
    pub time: Option<Duration>,
}

impl Default for Limits {
    /// Ten million resource units (some seconds), a minute as the last guard.
    fn default() -> Self {
        Self { resources: Some(10_000_000), time: Some(Duration::from_secs(60)) }
    }
}

impl Limits {
    /// The same guard with another limit in solver resources.
    pub fn with_resources(self, resources: u32) -> Self {
        Self { resources: Some(resources), ..self }
    }

    /// The wall-clock guard that goes with the resources: what takes much longer than they explain is
    /// stuck somewhere that does not count them.
    pub fn guard(self) -> Option<Duration> {
        let Some(resources) = self.resources else { return self.time };
        let allowed = time_of(resources.into()).max(LEAST_GUARD);
        Some(self.time.map_or(allowed, |time| time.min(allowed)))
    }

    /// The same resources with another guard.
    pub fn with_time(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }
}

/// No guard strikes earlier.
const LEAST_GUARD: Duration = Duration::from_secs(5);

/// The time that resources take at most, on a slow and busy machine: ten microseconds a unit, some
/// thirty times what is usual.
fn time_of(resources: u64) -> Duration {
    Duration::from_micros(resources.saturating_mul(10))
}

/// The solver for many small queries over integers and functions.
pub fn for_integers() -> z3::Z3Solver {
    z3::Z3Solver::integers()
}

/// The solver for many small queries over integers, functions and arrays.
pub fn for_arrays() -> z3::Z3Solver {
    z3::Z3Solver::arrays()
}

/// The solver for bit-vectors and floating-point numbers: in a worker process that can be killed,
/// where one can be found ([`worker::locate`]), else in this process.
pub fn for_bits() -> Box<dyn Solver> {
    match worker::locate() {
        Some(program) => Box::new(worker::solver(program)),
        None => Box::new(z3::Z3Solver::all()),
    }
}

/// The solver for bit-vectors of a search, which asks about one large formula again and again with
/// something added: a SAT solver that keeps what it learned, with [`for_bits`] behind it.
pub fn for_search() -> bits::BitSolver {
    bits::BitSolver::new()
}

/// The terms in order, without repetitions.
fn each_once(terms: impl Iterator<Item = Term>) -> Vec<Term> {
    let mut kept = Vec::new();
    for term in terms {
        if !kept.contains(&term) {
            kept.push(term);
        }
    }
    kept
}

/// A stack of formulas that can be checked.
///
/// One solver works with one arena: terms of another give [`UnknownReason::Failed`].
pub trait Solver {
    /// Opens a scope.
    fn push(&mut self);

    /// Closes the innermost scope and forgets what was asserted in it; without one, nothing.
    fn pop(&mut self);

    /// How many scopes are open.
    fn depth(&self) -> usize;

    /// Adds a Boolean term to the innermost scope.
    fn assert(&mut self, terms: &Terms, formula: Term);

    /// Whether the asserted formulas and the assumptions (any Boolean terms) have a model.
    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        purpose: Purpose,
        limits: Limits,
    ) -> Answer;

    /// Values of `of` in the model of the last check, which must have said [`Answer::Sat`]. Terms
    /// the formulas do not determine get some value; terms whose value cannot be expressed are left
    /// out.
    fn model(&mut self, terms: &Terms, of: &[Term]) -> Model;

    /// After [`Answer::Unsat`]: assumptions of the last check that suffice, in their order. Not
    /// necessarily minimal.
    fn core(&mut self, terms: &Terms) -> Vec<Term>;

    /// What was asked so far.
    fn statistics(&self) -> &Statistics;

    /// Whether the formulas have a model, with default limits and for no particular purpose.
    fn check_sat(&mut self, terms: &Terms) -> Answer {
        self.check(terms, &[], Purpose::OTHER, Limits::default())
    }

    /// Whether the asserted formulas and `premises` imply `conclusion`:
    /// [`Answer::Unsat`] says yes.
    fn implies(
        &mut self,
        terms: &mut Terms,
        premises: &[Term],
        conclusion: Term,
        purpose: Purpose,
        limits: Limits,
    ) -> Answer {
        let mut assumptions = Vec::with_capacity(premises.len() + 1);
        assumptions.extend_from_slice(premises);
        assumptions.push(terms.not(conclusion));
        self.check(terms, &assumptions, purpose, limits)
    }
}
