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
//!   few iterations; the predicates of the short path, and those in the formulas of the path, are then
//!   kept wherever they hold on the whole path, and among them those that are needed. Time does not
//!   grow with the number of iterations, except for reading the path.
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
mod generalise;
mod horn;
pub mod path;
mod pool;
mod postcondition;
mod refutation;
mod relevance;
pub mod score;
mod sequence;
mod shape;
mod simplex;
pub mod system;
mod tidy;

pub use check::{Checker, Refusal};
pub use horn::HornSolver;
pub use path::{Path, Step, StepKind, UnmatchedReturn};
pub use refutation::{Direction, SearchLimits};
pub use score::{PathFacts, Score};
pub use sequence::{Route, Sequence};

use crate::solver::{Limits, Solver, UnknownReason};
use crate::term::{Term, Terms};
use generalise::Generalisation;
use gnomon_budget::{Budget, Exhausted};
use horn::HornProblem;
use pool::Pool;
use postcondition::Postconditions;
use refutation::{NoProof, Search};
use std::time::Duration;

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
    /// Limit of a Horn problem, in solver resources.
    pub horn_resources: u32,
    /// The last guard of a Horn problem, in processor time.
    pub horn_time: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            routes: Route::ALL.to_vec(),
            exhaustive: false,
            offers: 4,
            search: SearchLimits::default(),
            limits: Limits::default().with_resources(2_000_000),
            horn_resources: 3_000_000,
            horn_time: Duration::from_secs(3),
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
    horn: Option<Box<dyn HornSolver>>,
}

/// One thing to try.
#[derive(Clone, Copy)]
enum Attempt {
    Refute(Direction),
    RefuteCore(Direction),
    Generalise,
    Horn,
    Postcondition,
}

impl Attempt {
    fn route(self) -> Route {
        match self {
            Self::Refute(direction) | Self::RefuteCore(direction) => Route::Farkas(direction),
            Self::Generalise => Route::Generalised,
            Self::Horn => Route::Horn,
            Self::Postcondition => Route::Postcondition,
        }
    }
}

/// What is tried, in this order. A path with loops is generalised before its core is asked for,
/// which can be long; other paths after.
fn attempts(loops: bool) -> Vec<Attempt> {
    let mut attempts = vec![
        Attempt::Refute(Direction::Backward),
        Attempt::Refute(Direction::Forward),
        Attempt::RefuteCore(Direction::Backward),
        Attempt::RefuteCore(Direction::Forward),
        Attempt::Horn,
        Attempt::Postcondition,
    ];
    attempts.insert(if loops { 2 } else { 4 }, Attempt::Generalise);
    attempts
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
    /// Sequences with unrolled predicates, not checked yet.
    deferred: Vec<Sequence>,
}

impl Interpolator {
    /// An interpolator with options.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Runs Horn clauses in `solver` instead of a worker process.
    pub fn with_horn_solver(mut self, solver: Box<dyn HornSolver>) -> Self {
        self.horn = Some(solver);
        self
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
        let mut task = Task {
            terms,
            solver,
            path,
            budget,
            facts,
            core: None,
            sequences: Vec::new(),
            deferred: Vec::new(),
        };
        let mut failure = Failure::NoRoute;
        let loops = shape::shortened(task.terms, path, task.facts.shapes());
        for attempt in attempts(loops.is_some()) {
            let route = attempt.route();
            let enough = !task.sequences.is_empty() && !matches!(attempt, Attempt::Refute(_));
            if !self.options.routes.contains(&route) || (enough && !self.options.exhaustive) {
                continue;
            }
            self.statistics.of(route).attempts += 1;
            let taken = match attempt {
                Attempt::Refute(direction) => self.farkas(direction, path, &mut task),
                Attempt::RefuteCore(direction) => self.farkas_on_core(direction, &mut task),
                Attempt::Generalise => self.generalised(loops.as_ref(), &mut task),
                Attempt::Horn => self.horn(&mut task),
                Attempt::Postcondition => self.postcondition(&mut task),
            };
            match taken {
                Ok(()) | Err(Failure::NoRoute) => {}
                // Another route may do without the question that was not decided.
                Err(reason @ Failure::Undecided(_)) => failure = reason,
                Err(reason) => {
                    failure = reason;
                    break;
                }
            }
        }
        task.deferred.sort_by_key(|s| s.score.cost());
        for sequence in std::mem::take(&mut task.deferred) {
            if task.sequences.is_empty() || self.options.exhaustive {
                self.accept(sequence, &mut task);
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

    /// Checks a sequence and adds it to the offers, or keeps it for later if it has unrolled
    /// predicates: checking those takes a query per step, and another route may give better ones.
    fn offer(&mut self, route: Route, formulas: Vec<Term>, task: &mut Task<'_>) -> bool {
        self.statistics.of(route).found += 1;
        if task.sequences.iter().chain(&task.deferred).any(|s| s.formulas == formulas) {
            return true;
        }
        let score = task.facts.score(task.terms, &formulas);
        let sequence = Sequence { route, formulas, score };
        if score.unrolled > 0 {
            task.deferred.push(sequence);
            return true;
        }
        self.accept(sequence, task)
    }

    /// Checks a sequence and adds it to the offers.
    fn accept(&mut self, sequence: Sequence, task: &mut Task<'_>) -> bool {
        let limits = self.options.limits;
        let Sequence { route, formulas, .. } = &sequence;
        match self.checker.check(task.terms, task.solver, task.path, formulas, limits) {
            Ok(()) => {
                task.sequences.push(sequence);
                true
            }
            Err(refusal) => {
                task.budget.report("interpolate", format_args!("{route}: {refusal}"));
                self.statistics.of(*route).refused += 1;
                if self.statistics.refusals.len() == KEPT_REFUSALS {
                    self.statistics.refusals.remove(0);
                }
                self.statistics.refusals.push((*route, refusal));
                false
            }
        }
    }

    fn farkas(
        &mut self,
        direction: Direction,
        path: &Path,
        task: &mut Task<'_>,
    ) -> Result<(), Failure> {
        let formulas = self.refute(direction, path, task)?.ok_or(Failure::NoRoute)?;
        self.offer(Route::Farkas(direction), formulas, task);
        Ok(())
    }

    /// What matters may be easier to refute alone.
    fn farkas_on_core(&mut self, direction: Direction, task: &mut Task<'_>) -> Result<(), Failure> {
        if task.deferred.iter().any(|s| s.route == Route::Farkas(direction)) {
            return Err(Failure::NoRoute);
        }
        let core = self.core(task)?;
        self.farkas(direction, &core, task)
    }

    fn generalised(&mut self, short: Option<&Path>, task: &mut Task<'_>) -> Result<(), Failure> {
        let mut pool = Pool::default();
        pool.add_path(task.terms, task.path);
        for direction in [Direction::Backward, Direction::Forward] {
            if let Some(short) = short
                && let Some(formulas) = self.refute(direction, short, task)?
            {
                pool.add_sequence(task.terms, &formulas, &task.facts);
            }
        }
        if self.try_pool(&pool, task)? {
            return Ok(());
        }
        let short = short.filter(|_| self.options.routes.contains(&Route::Horn));
        let short = short.ok_or(Failure::NoRoute)?;
        let formulas = self.horn_formulas(short, task).ok_or(Failure::NoRoute)?;
        let mut pool = Pool::default();
        pool.add_sequence(task.terms, &formulas, &task.facts);
        if self.try_pool(&pool, task)? { Ok(()) } else { Err(Failure::NoRoute) }
    }

    fn horn(&mut self, task: &mut Task<'_>) -> Result<(), Failure> {
        let core = self.core(task)?;
        let formulas = self.horn_formulas(&core, task).ok_or(Failure::NoRoute)?;
        self.offer(Route::Horn, formulas, task);
        Ok(())
    }

    /// What Spacer finds for a path.
    fn horn_formulas(&mut self, path: &Path, task: &mut Task<'_>) -> Option<Vec<Term>> {
        let problem = HornProblem::new(task.terms, path, self.options.horn_resources);
        let most = self.options.horn_time;
        let limit = task.budget.time_left().map_or(most, |left| left.min(most));
        let solver = self.horn.get_or_insert_with(horn::default_solver);
        match problem.solve(task.terms, solver.as_mut(), limit) {
            Ok(formulas) => Some(formulas),
            Err(reason) => {
                task.budget.report("interpolate", format_args!("horn: {reason}"));
                None
            }
        }
    }

    fn postcondition(&mut self, task: &mut Task<'_>) -> Result<(), Failure> {
        let core = self.core(task)?;
        let formulas = Postconditions {
            terms: task.terms,
            solver: task.solver,
            checker: &mut self.checker,
            path: &core,
            limits: self.options.limits,
            budget: task.budget,
        }
        .formulas()?
        .ok_or(Failure::NoRoute)?;
        self.offer(Route::Postcondition, formulas, task);
        Ok(())
    }

    /// Offers what the pool gives.
    fn try_pool(&mut self, pool: &Pool, task: &mut Task<'_>) -> Result<bool, Failure> {
        let formulas = Generalisation {
            terms: task.terms,
            solver: task.solver,
            checker: &mut self.checker,
            path: task.path,
            shapes: task.facts.shapes(),
            limits: self.options.limits,
            budget: task.budget,
        }
        .formulas(pool.predicates())?;
        Ok(match formulas {
            Some(formulas) => self.offer(Route::Generalised, formulas, task),
            None => false,
        })
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
