//! A check from beginning to end: plain runs, then bounded search and lazy abstraction in turns.
//!
//! Both work in integers first. A path that integers allow and bits forbid shows that integers are
//! too coarse for the program: then everything is done again in bits.

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::interp::UndefinedBehaviour;
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::encode::{Encoder, Execution, MemoryOptions, Move, PartitionError, Theory};
use gnomon_logic::solver::{for_arrays, for_bits, for_integers};
use gnomon_logic::{Limits, Solver, Terms};

use crate::blocks::BlockError;
use crate::bounded::{Bounded, Progress};
use crate::control::{ControlId, ControlSpace};
use crate::explore::{Cut, ExploreError, Explorer, Strand};
use crate::facts::Facts;
use crate::lazy::{Lazy, LazyError, LazyOptions, Step};
use crate::limited::Limited;
use crate::property::{ErrorSites, NoSuchSite, Property};
use crate::refine::Refiner;
use crate::replay::{self, Counterexample, NotConfirmed, Subject};
use crate::runs::{self, Shown};
use crate::sliced::Relevance;
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
    /// Lazy abstraction.
    pub lazy: LazyOptions,
    /// Memory.
    pub memory: MemoryOptions,
    /// Whether infeasible paths are sliced before they are refined.
    pub slicing: bool,
    /// Whether plain runs are tried first.
    pub runs: bool,
    /// Whether to search for bugs beside proving.
    pub search: bool,
    /// The theories to work in, in this order.
    pub theories: Vec<Theory>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            entry: "main".into(),
            property: Property::default(),
            cut: Cut::default(),
            lazy: LazyOptions::default(),
            memory: MemoryOptions::default(),
            slicing: true,
            runs: true,
            search: true,
            theories: vec![Theory::Int, Theory::Bits],
        }
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
    /// What the answer relies on, for people.
    pub assumptions: Vec<String>,
}

impl Report {
    fn unknown(reason: Reason) -> Self {
        let verdict = Verdict::Unknown(reason);
        Self { verdict, statistics: Statistics::default(), assumptions: Vec::new() }
    }
}

/// Checks a program.
pub fn check(program: &Program, options: &Options, budget: &Budget) -> Result<Report, BadRequest> {
    let entry = program
        .find_function(&options.entry)
        .filter(|f| program.funcs[*f].body.is_some())
        .ok_or_else(|| BadRequest::NoEntry(options.entry.clone()))?;
    let sites = ErrorSites::of(program, &options.property)?;
    let facts = match Facts::new(program, entry, options.memory, budget) {
        Ok(facts) => facts,
        Err(limit) => return Ok(Report::unknown(Reason::Limit(limit))),
    };
    let relevance = Relevance::new(&facts);
    let mut task = Task {
        program,
        entry,
        sites: &sites,
        facts: &facts,
        relevance: &relevance,
        options,
        budget,
        statistics: Statistics::default(),
    };
    let verdict = task.decide();
    let statistics = task.statistics;
    let assumptions = match &verdict {
        Verdict::True(Proof::NoErrorSite) | Verdict::False(_) | Verdict::Unknown(_) => Vec::new(),
        Verdict::True(_) => facts.assumptions(&Budget::unlimited()),
    };
    Ok(Report { verdict, statistics, assumptions })
}

/// What was done, by name.
type Numbers = Vec<(&'static str, u64)>;

/// One check.
struct Task<'a> {
    program: &'a Program,
    entry: FuncId,
    sites: &'a ErrorSites,
    facts: &'a Facts<'a>,
    relevance: &'a Relevance<'a>,
    options: &'a Options,
    budget: &'a Budget,
    statistics: Statistics,
}

/// Work of the bounded search before proving begins, in facts given to the solver; it grows by the
/// factor with each turn.
const FIRST_SEARCH: u64 = 3_000;
const SEARCH_GROWTH: u64 = 2;
/// Refinements of a turn of lazy abstraction.
const REFINEMENTS: u64 = 8;

impl<'a> Task<'a> {
    fn decide(&mut self) -> Verdict {
        if self.sites.is_empty() {
            return Verdict::True(Proof::NoErrorSite);
        }
        let mut undefined = None;
        if self.options.runs {
            let runs = runs::try_runs(self.program, self.sites, self.entry, self.budget);
            undefined = runs.undefined;
            match runs.shown {
                Shown::Error(counterexample) => return Verdict::False(counterexample),
                Shown::OnlyRun => return Verdict::True(Proof::OnlyRun),
                Shown::Nothing => {}
            }
        }
        let mut last = Reason::Limit(Exhausted::Steps);
        for &theory in &self.options.theories {
            match self.in_theory(theory) {
                Verdict::Unknown(reason) => {
                    let final_word = matches!(reason, Reason::Limit(_) | Reason::NotCovered(_));
                    last = reason;
                    if final_word {
                        break;
                    }
                }
                Verdict::True(proof) => {
                    return match undefined {
                        None => Verdict::True(proof),
                        Some(found) => Verdict::Unknown(self.undefined(&found)),
                    };
                }
                verdict => return verdict,
            }
        }
        Verdict::Unknown(last)
    }

    fn undefined(&self, found: &UndefinedBehaviour) -> Reason {
        let place = match found.site {
            Some(site) if !site.span.is_none() => self.program.files.show(site.span),
            _ => "a place that nobody wrote".to_owned(),
        };
        Reason::Undefined(format!("{} at {place}", found.kind.message()))
    }

    fn solver(&self, theory: Theory) -> Box<dyn Solver> {
        let solver: Box<dyn Solver> = match theory {
            Theory::Int if self.facts.may_need_arrays() => Box::new(for_arrays()),
            Theory::Int => Box::new(for_integers()),
            Theory::Bits => for_bits(),
        };
        Box::new(Limited::new(solver, self.budget.clone()))
    }

    fn encoder(&self, theory: Theory) -> Result<Encoder<'a>, Reason> {
        self.facts.encoder(theory, self.budget).map_err(|error| match error {
            PartitionError::Exhausted(limit) => Reason::Limit(limit),
            error => Reason::NotCovered(error.to_string()),
        })
    }

    fn explorer(&self, theory: Theory) -> Result<(Explorer<'a>, ControlId), Reason> {
        let space = ControlSpace::new(self.program, self.sites, self.facts);
        let encoder = self.encoder(theory)?;
        let mut explorer = Explorer::new(space, encoder, self.options.cut, self.budget.clone());
        match explorer.space.start(self.entry) {
            Some(start) => Ok((explorer, start)),
            None => Err(Reason::NotCovered("the entry function has no body".into())),
        }
    }

    fn in_theory(&mut self, theory: Theory) -> Verdict {
        match self.prove_and_search(theory) {
            Ok((verdict, numbers)) => {
                self.statistics.numbers.extend(numbers);
                verdict
            }
            Err(reason) => Verdict::Unknown(reason),
        }
    }

    fn prove_and_search(&self, theory: Theory) -> Result<(Verdict, Numbers), Reason> {
        let mut numbers = Vec::new();
        let (mut explorer, start) = self.explorer(theory)?;
        let mut terms = Terms::new();
        let initial = explorer
            .encoder
            .advance(&mut terms, Execution::default(), Move::Start)
            .map_err(|reason| Reason::NotCovered(reason.to_string()))?;
        let strand = Strand { execution: initial, origin: explorer.origins.beginning() };
        let mut bounded = self.options.search.then(|| Bounded::new(start, strand));
        let mut search_solver = self.solver(theory);
        let (lazy_explorer, start) = self.explorer(theory)?;
        let refiner = Refiner::new(self.options.slicing.then_some(self.relevance));
        let mut lazy = Lazy::new(
            lazy_explorer,
            self.solver(theory),
            refiner,
            start,
            self.options.lazy.clone(),
            self.budget.clone(),
        )
        .map_err(stopped)?;
        let mut allowance = FIRST_SEARCH;
        let mut lazy_stopped: Option<Reason> = None;
        loop {
            while let Some(search) = bounded.as_mut().filter(|b| b.work < allowance) {
                let solver = search_solver.as_mut();
                match search.advance(&mut explorer, &mut terms, solver, self.budget) {
                    Ok(Progress::More) => {}
                    Ok(Progress::Finished) => {
                        let depth = search.depth();
                        numbers.push(("blocks deep", depth as u64));
                        if search.gaps.is_empty() {
                            return Ok((Verdict::True(Proof::AllExecutions { depth }), numbers));
                        }
                        let gap = search.gaps.keys().next().cloned().unwrap_or_default();
                        return Ok((Verdict::Unknown(Reason::NotCovered(gap)), numbers));
                    }
                    Ok(Progress::Error(_, path)) => {
                        numbers.push(("blocks deep", search.depth() as u64));
                        return Ok((self.confirm(&path)?, numbers));
                    }
                    Err(ExploreError::Exhausted(limit)) => return Err(Reason::Limit(limit)),
                    Err(ExploreError::TooLarge(_)) => bounded = None,
                }
            }
            if lazy_stopped.is_none() {
                let step = lazy.run(REFINEMENTS);
                numbers.retain(|(name, _)| *name == "blocks deep");
                numbers.extend(lazy_numbers(&lazy));
                match step.map_err(stopped)? {
                    Step::More => {}
                    Step::Proved => {
                        return Ok((
                            match lazy.gaps.first() {
                                None => Verdict::True(Proof::Invariants),
                                Some(gap) => Verdict::Unknown(Reason::NotCovered(gap.clone())),
                            },
                            numbers,
                        ));
                    }
                    Step::Error(_, path) => return Ok((self.confirm(&path)?, numbers)),
                    Step::Stopped(reason) => lazy_stopped = Some(Reason::NoProgress(reason)),
                }
            } else if bounded.is_none() {
                return Err(lazy_stopped.unwrap_or(Reason::Limit(Exhausted::Steps)));
            }
            if let (Some(reason), true) = (&lazy_stopped, theory == Theory::Int) {
                // Bits may do better; the search there begins again anyway.
                return Err(reason.clone());
            }
            allowance *= SEARCH_GROWTH;
        }
    }

    /// Executes a path to an error.
    fn confirm(&self, path: &[Move]) -> Result<Verdict, Reason> {
        let mut encoder = self.encoder(Theory::Bits)?;
        match self.replay(path, &mut encoder) {
            Ok(counterexample) => Ok(Verdict::False(Box::new(counterexample))),
            Err(reason) => Err(Reason::NotConfirmed(reason.to_string())),
        }
    }

    fn replay(
        &self,
        path: &[Move],
        encoder: &mut Encoder<'_>,
    ) -> Result<Counterexample, NotConfirmed> {
        let mut terms = Terms::new();
        let mut solver = self.solver(Theory::Bits);
        let limits = Limits::default().with_resources(50_000_000);
        let subject = Subject { program: self.program, sites: self.sites, entry: self.entry };
        let solver = solver.as_mut();
        replay::confirm(&subject, path, encoder, &mut terms, solver, limits, self.budget)
    }
}

fn lazy_numbers(lazy: &Lazy<'_>) -> Numbers {
    let post = lazy.post_statistics();
    let slices = lazy.refine_statistics();
    let sizes: Vec<usize> = lazy.precision().sizes().collect();
    vec![
        ("nodes", lazy.node_count() as u64),
        ("covered", lazy.statistics.covered),
        ("refinements", lazy.statistics.refinements),
        ("sliced paths", slices.sliced),
        ("of them infeasible", slices.enough),
        ("steps of sliced paths", slices.steps),
        ("of them kept", slices.kept),
        ("systems of the whole program", lazy.statistics.systems),
        ("of them with new predicates", lazy.statistics.solved_systems),
        ("predicates", lazy.predicate_count() as u64),
        ("predicates per location, maximum", sizes.iter().copied().max().unwrap_or(0) as u64),
        ("successors", post.asked),
        ("successors from the cache", post.cached),
        ("queries for successors", post.queries),
        ("Cartesian successors", post.cartesian),
    ]
}

fn stopped(error: LazyError) -> Reason {
    match error {
        LazyError::Exhausted(limit)
        | LazyError::Block(BlockError::Explore(ExploreError::Exhausted(limit)))
        | LazyError::Region(gnomon_bdd::BddError::Exhausted(limit)) => Reason::Limit(limit),
        other => Reason::NoProgress(other.to_string()),
    }
}
