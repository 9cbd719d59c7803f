//! Interpolation: from an infeasible path to one formula per cut (AFP 3, 5, 6).
//!
//! A [`Path`] is a list of step formulas over SSA symbols with its call structure. An
//! [`Interpolator`] offers [`Sequence`]s for it, best first: one formula per cut, over the symbols
//! alive at that cut and in scope there. Every sequence was checked by the solver ([`check`]) before
//! it is offered; one that fails is counted, noted in the [`InterpolationStatistics`], and the next
//! route is taken.
//!
//! # Routes
//! - **Farkas** ([`Route::Farkas`], modules `facts`, `equations`, `simplex`, `refutation`,
//!   `farkas`, `tidy`): elimination of equations, congruence, linear programming over exact
//!   rationals, and case splits give a refutation, and the refutation all interpolants at once. No
//!   solver is asked. From the back of the path it stops at the shortest infeasible suffix, from the
//!   front it finds the earliest contradiction: two sequences. If the path has too many choices, the
//!   solver's core of the path is tried (`relevance`).
//! - **Generalised** (`shape`, `generalise`): a path through an unrolled loop is shortened to a
//!   few rounds; the predicates of the short path, and those in the formulas of the path, are then
//!   kept wherever they hold on the whole path, and among them those that are needed. Time does not
//!   grow with the number of rounds, except for reading the path.
//! - **Horn** (`horn`): one unknown relation per cut, solved by Spacer in a worker process; for
//!   disjunctive blocks, arrays and bit-vectors.
//! - **Postcondition** (`postcondition`): strongest postconditions along the core with dead
//!   symbols projected away.
//!
//! Later routes are taken when no earlier one gave a sequence without unrolled predicates
//! ([`score`]), or always with [`Options::exhaustive`].
//!
//! # Departures from AFP
//! AFP's rules work on one proof; here the linear part of the proof is a Farkas combination and the
//! Boolean part a tree of case splits on formulas of single steps, so every literal resolved upon
//! belongs to one step and RES-A or RES-B applies by position. The rules for equality and functions,
//! which AFP leaves out, are in `farkas`. Calls that do not return on the path are allowed ([`path`]).
//!
//! ```
//! use gnomon_budget::Budget;
//! use gnomon_logic::interpolate::{Interpolator, Path};
//! use gnomon_logic::{Scope, Sort, Terms, Z3Solver};
//!
//! // AFP, Figure 2: x := ctr; ctr := ctr + 1; y := ctr; assume x = m; assume y != m + 1.
//! let mut t = Terms::new();
//! let [x, y, ctr, m] =
//!     ["x", "y", "ctr", "m"].map(|name| t.variable(name, Scope::Global, Sort::Int));
//! let (x1, y2) = (t.var_at(x, 1), t.var_at(y, 2));
//! let (ctr0, ctr1, m0) = (t.var_at(ctr, 0), t.var_at(ctr, 1), t.var_at(m, 0));
//! let (ctr_next, m_next) = (t.add_constant(ctr0, 1), t.add_constant(m0, 1));
//! let same = t.eq(y2, m_next);
//! let steps =
//!     [t.eq(x1, ctr0), t.eq(ctr1, ctr_next), t.eq(y2, ctr1), t.eq(x1, m0), t.not(same)];
//! let path = Path::flat(&mut t, &steps);
//! let mut solver = Z3Solver::integers();
//! let offered = Interpolator::default()
//!     .interpolate(&mut t, &mut solver, &path, &Budget::unlimited())
//!     .expect("the path is infeasible");
//! let shown: Vec<String> = offered[0]
//!     .formulas
//!     .iter()
//!     .map(|&f| {
//!         let predicate = t.without_indices(f);
//!         t.display(predicate).to_string()
//!     })
//!     .collect();
//! assert_eq!(shown[1..5], ["ctr == x", "ctr == x + 1", "x == y - 1", "y == m + 1"]);
//! ```

pub mod check;
mod equations;
mod facts;
mod farkas;
pub mod path;
mod refutation;
mod relevance;
pub mod score;
mod sequence;
mod simplex;
mod tidy;

pub use check::{Checker, Refusal};
pub use path::{Path, Step, StepKind, UnmatchedReturn};
pub use refutation::{Direction, SearchLimits};
pub use score::{PathFacts, Score};
pub use sequence::{Route, Sequence};

use crate::solver::{Limits, Solver, UnknownReason};
use crate::term::{Term, Terms};
use gnomon_budget::{Budget, Exhausted};
use refutation::{NoProof, Search};

/// Why no sequence is offered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The path is feasible.
    #[error("the path is feasible")]
    Feasible,
    /// The solver could not decide whether the path is feasible.
    #[error("the solver could not decide whether the path is feasible: {0}")]
    Undecided(UnknownReason),
    /// No route gave a sequence that passed the check.
    #[error("no route gave interpolants")]
    NoRoute,
    /// The budget ran out.
    #[error("interpolation stopped: {0}")]
    Exhausted(#[from] Exhausted),
}

/// How to look for sequences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The routes that may be taken.
    pub routes: Vec<Route>,
    /// Take all routes, even when a good sequence is known.
    pub exhaustive: bool,
    /// How many sequences are offered at most.
    pub offers: usize,
    /// Limits of the refutation search.
    pub search: SearchLimits,
    /// Limits of each query to the solver.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            routes: Route::ALL.to_vec(),
            exhaustive: false,
            offers: 4,
            search: SearchLimits::default(),
            limits: Limits::default().with_resources(2_000_000),
        }
    }
}

/// What one route did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RouteStatistics {
    /// Times it was taken.
    pub attempts: u64,
    /// Sequences it gave.
    pub found: u64,
    /// Sequences that failed the check.
    pub refused: u64,
}

/// What was done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterpolationStatistics {
    /// Paths asked about.
    pub paths: u64,
    /// Paths for which a sequence was offered.
    pub solved: u64,
    routes: [RouteStatistics; Route::ALL.len()],
    /// The last sequences that failed the check, at most [`KEPT_REFUSALS`].
    pub refusals: Vec<(Route, Refusal)>,
}

/// How many refusals are remembered.
pub const KEPT_REFUSALS: usize = 32;

impl InterpolationStatistics {
    /// What a route did.
    pub fn route(&self, route: Route) -> RouteStatistics {
        self.routes[route.index()]
    }

    fn of(&mut self, route: Route) -> &mut RouteStatistics {
        &mut self.routes[route.index()]
    }
}

/// Offers sequences of interpolants for infeasible paths.
#[derive(Debug, Default)]
pub struct Interpolator {
    options: Options,
    statistics: InterpolationStatistics,
    checker: Checker,
}

/// What is known about the path that is being worked on.
struct Task<'a> {
    terms: &'a mut Terms,
    solver: &'a mut dyn Solver,
    path: &'a Path,
    budget: &'a Budget,
    facts: PathFacts,
    /// The path restricted to the solver's core, once it was asked for.
    core: Option<Path>,
    sequences: Vec<Sequence>,
}

impl Interpolator {
    /// An interpolator with options.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// What was done so far.
    pub fn statistics(&self) -> &InterpolationStatistics {
        &self.statistics
    }

    /// Sequences for an infeasible path, best first, at least one. Nothing may be asserted in the
    /// solver; it is left as it was.
    pub fn interpolate(
        &mut self,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        path: &Path,
        budget: &Budget,
    ) -> Result<Vec<Sequence>, Failure> {
        self.statistics.paths += 1;
        let facts = PathFacts::new(terms, path);
        let mut task =
            Task { terms, solver, path, budget, facts, core: None, sequences: Vec::new() };
        let mut failure = Failure::NoRoute;
        for route in self.options.routes.clone() {
            let good = task.sequences.iter().any(|s| s.score.unrolled == 0);
            if good && !self.options.exhaustive && !matches!(route, Route::Farkas(_)) {
                break;
            }
            self.statistics.of(route).attempts += 1;
            match self.take(route, &mut task) {
                Ok(()) => {}
                Err(Failure::NoRoute) => {}
                Err(reason) => {
                    failure = reason;
                    break;
                }
            }
        }
        let mut sequences = task.sequences;
        if sequences.is_empty() {
            return Err(failure);
        }
        self.statistics.solved += 1;
        // Stable: of equally good ones, the earlier route's comes first.
        sequences.sort_by_key(|s| s.score.cost());
        sequences.truncate(self.options.offers);
        Ok(sequences)
    }

    fn take(&mut self, route: Route, task: &mut Task<'_>) -> Result<(), Failure> {
        match route {
            Route::Farkas(direction) => self.farkas(direction, task),
            _ => Err(Failure::NoRoute),
        }
    }

    /// Checks a sequence and adds it to the offers.
    fn offer(&mut self, route: Route, formulas: Vec<Term>, task: &mut Task<'_>) -> bool {
        self.statistics.of(route).found += 1;
        if task.sequences.iter().any(|s| s.formulas == formulas) {
            return true;
        }
        let limits = self.options.limits;
        match self.checker.check(task.terms, task.solver, task.path, &formulas, limits) {
            Ok(()) => {
                let score = task.facts.score(task.terms, &formulas);
                task.sequences.push(Sequence { route, formulas, score });
                true
            }
            Err(refusal) => {
                task.budget.report("interpolate", format_args!("{route}: {refusal}"));
                self.statistics.of(route).refused += 1;
                if self.statistics.refusals.len() == KEPT_REFUSALS {
                    self.statistics.refusals.remove(0);
                }
                self.statistics.refusals.push((route, refusal));
                false
            }
        }
    }

    fn farkas(&mut self, direction: Direction, task: &mut Task<'_>) -> Result<(), Failure> {
        let route = Route::Farkas(direction);
        if let Some(formulas) = self.refute(direction, task.path, task)?
            && self.offer(route, formulas, task)
        {
            return Ok(());
        }
        // What matters may be easier to refute alone.
        let core = self.core(task)?;
        match self.refute(direction, &core, task)? {
            Some(formulas) => {
                self.offer(route, formulas, task);
                Ok(())
            }
            None => Err(Failure::NoRoute),
        }
    }

    fn refute(
        &self,
        direction: Direction,
        path: &Path,
        task: &mut Task<'_>,
    ) -> Result<Option<Vec<Term>>, Failure> {
        let mut search = Search::new(task.terms, self.options.search, task.budget);
        let proof = match search.refute(path, direction) {
            Ok(proof) => proof,
            Err(NoProof::NotFound) => return Ok(None),
            Err(NoProof::Exhausted(reason)) => return Err(reason.into()),
        };
        let rows = search.rows;
        Ok(farkas::Interpolation::new(task.terms, path, &rows).formulas(&proof))
    }

    /// The path restricted to the solver's core.
    fn core(&self, task: &mut Task<'_>) -> Result<Path, Failure> {
        if let Some(core) = &task.core {
            return Ok(core.clone());
        }
        let limits = self.options.limits;
        let keep =
            relevance::relevant_steps(task.terms, task.solver, task.path, limits, task.budget)?;
        let core = task.path.restricted(task.terms, &keep);
        task.core = Some(core.clone());
        Ok(core)
    }
}
