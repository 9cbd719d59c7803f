//! A check from beginning to end: plain runs, then bounded search and lazy abstraction in turns.
//!
//! Both work in integers first. A path that integers allow and bits forbid shows that integers are
//! too coarse for the program: then everything is done again in bits.

mod by_elements;
mod by_paths;
mod by_pushdown;
mod executed;
mod ways;

pub use executed::{all_executed, executed, run_options};

pub use by_pushdown::{ProjectionReport, project};
pub use ways::{NotExecuted, execute_ways};

use by_elements::ByElements;
use by_paths::{FIRST_STEPS, add_walk};

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::cfa::Op;
use gnomon_ir::interp::UndefinedBehaviour;
use gnomon_ir::program::{FuncId, Note, Program, StmtKind};
use gnomon_logic::encode::{Encoder, Execution, MemoryOptions, Move, PartitionError, Theory};
use gnomon_logic::solver::{for_arrays, for_bits, for_integers};
use gnomon_logic::{Limits, Solver, Terms};

use crate::blocks::{BlockError, Blocks};
use crate::bounded::{Bounded, Progress, TOO_HARD};
use crate::control::{ControlId, ControlSpace};
use crate::explore::{Cut, ExploreError, Explorer, MAX_PLACES, Strand};
use crate::facts::Facts;
use crate::lazy::{Lazy, LazyError, LazyOptions, Step};
use crate::limited::Limited;
use crate::outline::OutlineNode;
use crate::outside;
use crate::proof::MemoryFacts;
use crate::property::{ErrorSites, NoSuchSite, Property, Site};
use crate::pushdown::PushdownOptions;
use crate::refine::Refiner;
use crate::replay::{self, Counterexample, NotConfirmed, Subject};
use crate::runs::{self, Shown};
use crate::sliced::Relevance;
use crate::supposed::Equation;
use crate::verdict::{Proof, Reason, Statistics, Verdict};

/// Who proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Engine {
    /// The pushdown engine for recursive programs, the lazy one for others; the other one where the
    /// first gets stuck.
    #[default]
    Auto,
    /// Lazy abstraction, with a bounded search beside it.
    Lazy,
    /// The pushdown engine.
    Pushdown,
}

/// What to check, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function that runs first; its arguments can be anything.
    pub entry: String,
    /// What must not be reached.
    pub property: Property,
    /// Where blocks end.
    pub cut: Cut,
    /// How many places a block may have before it ends anyway.
    pub block_places: usize,
    /// Who proves.
    pub engine: Engine,
    /// Lazy abstraction.
    pub lazy: LazyOptions,
    /// The pushdown engine.
    pub pushdown: PushdownOptions,
    /// Memory.
    pub memory: MemoryOptions,
    /// Whether infeasible paths are sliced before they are refined.
    pub slicing: bool,
    /// Functions without a body are not covered, where they otherwise return and write anything.
    pub strict: bool,
    /// Whether plain runs are tried first.
    pub runs: bool,
    /// Whether to search for bugs beside proving.
    pub search: bool,
    /// The theories to work in, in this order.
    pub theories: Vec<Theory>,
    /// What is supposed to hold at locations; it is tracked, and not relied on.
    pub supposed: Vec<Equation>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            entry: "main".into(),
            property: Property::default(),
            cut: Cut::default(),
            block_places: MAX_PLACES,
            engine: Engine::default(),
            lazy: LazyOptions::default(),
            pushdown: PushdownOptions::default(),
            memory: MemoryOptions::default(),
            slicing: true,
            strict: false,
            runs: true,
            search: true,
            theories: vec![Theory::Int, Theory::Bits],
            supposed: Vec::new(),
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
    /// What is known, and what is left to do, if there is no answer; for people.
    pub partial: Vec<String>,
    /// What a proof takes of memory, for its certificate.
    pub memory: MemoryFacts,
    /// The reachability tree of the last attempt by lazy abstraction, if
    /// [`LazyOptions::outlined`] asks for it.
    pub tree: Vec<OutlineNode>,
}

impl Report {
    fn unknown(reason: Reason) -> Self {
        Self::of(Verdict::Unknown(reason))
    }

    /// With what a certificate of its proof takes of memory.
    fn with_memory(self, facts: &Facts<'_>) -> Self {
        match self.verdict {
            Verdict::True(_) => Self { memory: facts.memory_facts(), ..self },
            _ => self,
        }
    }

    /// With nothing but a verdict.
    fn of(verdict: Verdict) -> Self {
        let statistics = Statistics::default();
        let (assumptions, partial, memory, tree) = Default::default();
        Self { verdict, statistics, assumptions, partial, memory, tree }
    }
}

/// Checks a program.
pub fn check(program: &Program, options: &Options, budget: &Budget) -> Result<Report, BadRequest> {
    let entry = entry(program, options)?;
    let sites = ErrorSites::of(program, &options.property)?;
    Ok(match Facts::new(program, entry, options.memory, budget) {
        Ok(facts) => check_sites(&facts, entry, &sites, options, budget).with_memory(&facts),
        Err(limit) => Report::unknown(Reason::Limit(limit)),
    })
}

/// Checks every error site of a program for itself; at the others, runs end or go on as they would
/// if nobody had asked. What is left of the time is divided equally.
pub fn check_each(
    program: &Program,
    options: &Options,
    budget: &Budget,
) -> Result<Vec<SiteReport>, BadRequest> {
    let entry = entry(program, options)?;
    let sites = ErrorSites::of(program, &options.property)?;
    let groups = sites.each();
    let facts = Facts::new(program, entry, options.memory, budget);
    let mut reports = Vec::with_capacity(groups.len());
    let mut left = groups.len() as u32;
    let all = groups.len();
    for (site, what, only) in groups {
        budget.report_part(reports.len(), all);
        budget.report("check", format_args!("{what}, {left} to go"));
        let budget = match budget.time_left() {
            Some(time) => budget.with_cpu_time(time / left),
            None => budget.clone(),
        };
        let report = match &facts {
            Ok(facts) => check_sites(facts, entry, &only, options, &budget).with_memory(facts),
            Err(limit) => Report::unknown(Reason::Limit(*limit)),
        };
        reports.push(SiteReport { site, what, report });
        left -= 1;
    }
    Ok(reports)
}

/// The answer for one error site.
#[derive(Clone, Debug)]
pub struct SiteReport {
    /// The site; `None` for calls of forbidden functions through pointers.
    pub site: Option<Site>,
    /// What must not happen there, for people.
    pub what: String,
    /// The answer.
    pub report: Report,
}

pub(crate) fn entry(program: &Program, options: &Options) -> Result<FuncId, BadRequest> {
    program
        .find_function(&options.entry)
        .filter(|f| program.funcs[*f].body.is_some())
        .ok_or_else(|| BadRequest::NoEntry(options.entry.clone()))
}

/// Checks some sites, with facts that are known already.
pub(crate) fn check_sites(
    facts: &Facts<'_>,
    entry: FuncId,
    sites: &ErrorSites,
    options: &Options,
    budget: &Budget,
) -> Report {
    let relevance = Relevance::new(facts);
    let program = facts.program();
    let statistics = Statistics::default();
    let relevance = &relevance;
    let explored = Explored::default();
    let mut task =
        Task { program, entry, sites, facts, relevance, options, budget, statistics, explored };
    let verdict = task.decide();
    let Task { statistics, explored: Explored { partial, tree }, .. } = task;
    let assumptions = match &verdict {
        Verdict::True(Proof::NoErrorSite) | Verdict::Unknown(_) => Vec::new(),
        Verdict::False(run) => outside::assumptions_of_run(program, run),
        Verdict::True(_) => assumptions_of_proof(facts),
    };
    let partial = if matches!(verdict, Verdict::Unknown(_)) { partial } else { Vec::new() };
    Report { verdict, statistics, assumptions, partial, memory: MemoryFacts::default(), tree }
}

/// What a proof relies on.
pub(crate) fn assumptions_of_proof(facts: &Facts<'_>) -> Vec<String> {
    let mut all = facts.assumptions(&Budget::unlimited());
    all.extend(outside::assumptions(facts.program()));
    all
}

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
    explored: Explored,
}

/// How far exploration came.
#[derive(Default)]
struct Explored {
    /// What is known without a verdict.
    partial: Vec<String>,
    /// The tree, if it is wanted.
    tree: Vec<OutlineNode>,
}

/// Work of the bounded search before proving begins, in facts given to the solver; it grows by the
/// factor with each turn.
const FIRST_SEARCH: u64 = 3_000;
const SEARCH_GROWTH: u64 = 2;
/// Systems of the whole program that bring nothing must not starve the search: for so many solver
/// resources of theirs it may have a fact more.
const FRUITLESS_PER_FACT: u64 = 100;
/// Formulas with arrays are harder, and single elements may be enough.
const FIRST_SEARCH_IN_ARRAYS: u64 = 500;
/// Refinements of a turn of lazy abstraction.
const REFINEMENTS: u64 = 8;
/// Refinements of its first turn, if something else is to be tried soon.
const FEW_REFINEMENTS: u64 = 2;

impl<'a> Task<'a> {
    fn decide(&mut self) -> Verdict {
        if self.sites.is_empty() {
            return Verdict::True(Proof::NoErrorSite);
        }
        if let (true, Some(name)) =
            (self.options.strict, outside::unknown_functions(self.program).first())
        {
            return Verdict::Unknown(Reason::NotCovered(format!("`{name}` has no body")));
        }
        let mut undefined = None;
        if self.options.runs {
            let runs = runs::try_runs(self.program, self.sites, self.entry, self.budget);
            undefined = runs.undefined;
            match runs.shown {
                Shown::Error(counterexample) => return self.real(counterexample),
                Shown::OnlyRun => return self.proved(Proof::OnlyRun, None),
                Shown::Nothing => {}
            }
        }
        let verdict = match self.engines() {
            (engines, true) => self.recursive(&engines),
            (engines, false) => self.with_engines(&engines),
        };
        match verdict {
            Verdict::True(proof) => self.proved(proof, undefined),
            verdict => verdict,
        }
    }

    /// Paths one by one before and behind the engines, which get half of the time.
    fn recursive(&mut self, engines: &[Engine]) -> Verdict {
        let mut walk = self.walk();
        if let Some(verdict) = self.walk_on(&mut walk, FIRST_STEPS) {
            walk.iter().for_each(|walk| add_walk(&mut self.statistics, walk));
            return verdict;
        }
        let half = self.budget.time_left().filter(|_| walk.is_some()).map(|left| left / 2);
        let budget = match half {
            Some(half) => self.budget.with_cpu_time(half),
            None => self.budget.clone(),
        };
        let (verdict, statistics, explored) = self.with_budget(&budget, engines);
        (self.statistics, self.explored) = (statistics, explored);
        if !matches!(verdict, Verdict::Unknown(_)) {
            return verdict;
        }
        let found = self.walk_to_the_end(&mut walk);
        walk.iter().for_each(|walk| add_walk(&mut self.statistics, walk));
        found.unwrap_or(verdict)
    }

    /// The engines one after the other, with another budget.
    fn with_budget(&self, budget: &Budget, engines: &[Engine]) -> (Verdict, Statistics, Explored) {
        let &Task { program, entry, sites, facts, options, .. } = self;
        let relevance = &Relevance::new(facts);
        let (statistics, explored) = Default::default();
        let mut limited =
            Task { program, entry, sites, facts, relevance, options, budget, statistics, explored };
        let verdict = limited.with_engines(engines);
        (verdict, limited.statistics, limited.explored)
    }

    /// The engines one after the other.
    fn with_engines(&mut self, engines: &[Engine]) -> Verdict {
        let mut first = None;
        for &engine in engines {
            match self.with_engine(engine) {
                Verdict::Unknown(reason) => {
                    let limit = matches!(reason, Reason::Limit(_));
                    first.get_or_insert(reason);
                    if limit {
                        break;
                    }
                }
                verdict => return verdict,
            }
        }
        Verdict::Unknown(first.unwrap_or(Reason::Limit(Exhausted::Steps)))
    }

    /// One engine, in all theories.
    fn with_engine(&mut self, engine: Engine) -> Verdict {
        let mut last = Reason::Limit(Exhausted::Steps);
        for &theory in &self.options.theories {
            match self.in_theory(engine, theory) {
                Verdict::Unknown(reason) => {
                    let final_word = matches!(reason, Reason::Limit(_) | Reason::NotCovered(_));
                    last = reason;
                    if final_word {
                        break;
                    }
                }
                verdict => return verdict,
            }
        }
        Verdict::Unknown(last)
    }

    /// The verdict of a proof: it says nothing about behaviour that the model does not have.
    fn proved(&self, proof: Proof, undefined: Option<UndefinedBehaviour>) -> Verdict {
        match (undefined, covered(self.program)) {
            (_, Err(reason @ Reason::NotCovered(_))) => Verdict::Unknown(reason),
            (Some(found), _) => Verdict::Unknown(self.undefined(&found)),
            (None, Err(reason)) => Verdict::Unknown(reason),
            (None, Ok(())) => Verdict::True(proof),
        }
    }

    fn undefined(&self, found: &UndefinedBehaviour) -> Reason {
        let place = match found.site {
            Some(site) if !site.span.is_none() => self.program.files.show(site.span),
            _ => "a place that nobody wrote".to_owned(),
        };
        Reason::Undefined(format!("{} at {place}", found.kind.message()))
    }

    fn solver(&self, theory: Theory) -> Box<dyn Solver> {
        Box::new(Limited::new(solver_for(self.facts, theory), self.budget.clone()))
    }

    fn encoder(&self, theory: Theory) -> Result<Encoder<'a>, Reason> {
        self.facts.encoder(theory, self.budget).map_err(no_memory)
    }

    fn explorer(&self, theory: Theory) -> Result<(Explorer<'a>, ControlId), Reason> {
        self.explorer_with(self.encoder(theory)?)
    }

    fn explorer_with(&self, encoder: Encoder<'a>) -> Result<(Explorer<'a>, ControlId), Reason> {
        let space = ControlSpace::new(self.program, self.sites, self.facts);
        let mut explorer = Explorer::new(space, encoder, self.options.cut, self.budget.clone());
        explorer.max_places = self.options.block_places;
        match explorer.space.start(self.entry) {
            Some(start) => Ok((explorer, start)),
            None => Err(Reason::NotCovered("the entry function has no body".into())),
        }
    }

    fn in_theory(&mut self, engine: Engine, theory: Theory) -> Verdict {
        let mut statistics = Statistics::default();
        let mut explored = Explored::default();
        let verdict = match engine {
            Engine::Pushdown => self.by_pushdown(theory, &mut statistics),
            Engine::Lazy | Engine::Auto => {
                statistics.engine = Some("lazy");
                self.prove_and_search(theory, &mut statistics, &mut explored)
            }
        };
        self.explored = explored;
        self.statistics.add(statistics);
        verdict.unwrap_or_else(Verdict::Unknown)
    }

    fn prove_and_search(
        &self,
        theory: Theory,
        statistics: &mut Statistics,
        explored: &mut Explored,
    ) -> Result<Verdict, Reason> {
        let (mut explorer, start) = self.explorer(theory)?;
        let mut terms = Terms::new();
        let initial = explorer
            .encoder
            .advance(&mut terms, Execution::default(), Move::Start)
            .map_err(|reason| Reason::NotCovered(reason.to_string()))?;
        let strand = Strand { execution: initial, origin: explorer.origins.beginning() };
        let mut search = Search {
            explorer,
            terms,
            solver: self.solver(theory),
            bounded: self.options.search.then(|| Bounded::new(start, strand)),
            allowance: FIRST_SEARCH,
        };
        let mut elements = ByElements::new(self, theory);
        if !elements.is_over() {
            search.allowance = FIRST_SEARCH_IN_ARRAYS;
        }
        let (lazy_explorer, start) = self.explorer(theory)?;
        let refiner = Refiner::new(self.options.slicing.then_some(self.relevance));
        let mut lazy = Lazy::new(
            lazy_explorer,
            self.solver(theory),
            refiner,
            Blocks::default(),
            start,
            self.options.lazy.clone(),
            self.budget.clone(),
        )
        .map_err(stopped)?;
        count_supposed(statistics, lazy.suppose(&self.options.supposed).map_err(stopped)?);
        let verdict = self.in_turns(theory, &mut search, &mut lazy, &mut elements, statistics);
        elements.add_to(statistics);
        if !matches!(verdict, Ok(Verdict::True(_) | Verdict::False(_))) {
            explored.partial = lazy.open_work();
            if let Some(depth) = search.bounded.as_ref().map(Bounded::safe_depth) {
                let within = format!("no error is reached within {depth} blocks from the start");
                explored.partial.insert(0, within);
            }
        }
        statistics.add_solver(search.solver.as_ref());
        if let Some(bounded) = &search.bounded {
            statistics.numbers.insert("blocks deep", bounded.depth() as f64);
        }
        add_lazy(statistics, &lazy);
        if self.options.lazy.outlined > 0 {
            explored.tree = lazy.outline().map_err(stopped)?;
        }
        verdict
    }

    /// Searches and proves in turns, each time a little more.
    fn in_turns(
        &self,
        theory: Theory,
        search: &mut Search<'_>,
        lazy: &mut Lazy<'_>,
        elements: &mut ByElements<'a>,
        statistics: &mut Statistics,
    ) -> Result<Verdict, Reason> {
        let mut lazy_stopped: Option<Reason> = None;
        // Where there are arrays, refinement is slow, and single elements may be enough.
        let mut refinements = if elements.is_over() { REFINEMENTS } else { FEW_REFINEMENTS };
        loop {
            match self.search(search) {
                Ok(None) => {}
                Ok(Some(verdict)) => return Ok(verdict),
                Err(Reason::Limit(limit)) => {
                    return Err(lazy_stopped.map_or(Reason::Limit(limit), |why| {
                        Reason::NoProgress(format!("{why}; searching for errors: {limit}"))
                    }));
                }
                Err(reason) => return Err(reason),
            }
            lazy.no_error_within = search.bounded.as_ref().map_or(0, Bounded::safe_depth);
            match &lazy_stopped {
                None => match lazy.run(refinements).map_err(stopped)? {
                    Step::More => {}
                    Step::Proved => {
                        return match lazy.gaps.first() {
                            None => {
                                let invariants = lazy.invariants().map_err(stopped)?;
                                Ok(Verdict::True(Proof::Invariants(std::sync::Arc::new(
                                    invariants,
                                ))))
                            }
                            Some(gap) => Err(Reason::NotCovered(gap.clone())),
                        };
                    }
                    Step::Error(_, path) => return self.confirm(&path),
                    Step::Stopped(reason) => lazy_stopped = Some(Reason::NoProgress(reason)),
                },
                Some(reason) if search.bounded.is_none() => return Err(reason.clone()),
                Some(_) => {}
            }
            if let Some(verdict) = elements.turn(self, statistics)? {
                return Ok(verdict);
            }
            if let (Some(reason), true) = (&lazy_stopped, theory == Theory::Int) {
                while !elements.is_over() {
                    if let Some(verdict) = elements.turn(self, statistics)? {
                        return Ok(verdict);
                    }
                }
                // Bits may do better; the search there begins again anyway.
                return Err(reason.clone());
            }
            refinements = REFINEMENTS;
            search.allowance *= SEARCH_GROWTH;
            let fruitless = lazy.statistics.fruitless + elements.fruitless();
            search.allowance = search.allowance.max(fruitless / FRUITLESS_PER_FACT);
        }
    }

    /// Searches as far as it is allowed to.
    fn search(&self, search: &mut Search<'_>) -> Result<Option<Verdict>, Reason> {
        let Search { explorer, terms, solver, bounded, allowance } = search;
        while let Some(layers) = bounded.as_mut().filter(|b| b.work < *allowance) {
            match layers.advance(explorer, terms, solver.as_mut(), self.budget) {
                Ok(Progress::More) => {}
                Ok(Progress::Finished) => {
                    let depth = layers.depth();
                    return match layers.gaps.keys().next() {
                        None => Ok(Some(Verdict::True(Proof::AllExecutions { depth }))),
                        // Another theory may do better.
                        Some(gap) if gap == TOO_HARD => Err(Reason::NoProgress(gap.clone())),
                        Some(gap) => Err(Reason::NotCovered(gap.clone())),
                    };
                }
                Ok(Progress::Error(_, path)) => return self.confirm(&path).map(Some),
                Err(ExploreError::Exhausted(limit)) => return Err(Reason::Limit(limit)),
            }
        }
        Ok(None)
    }

    fn real(&self, counterexample: Box<Counterexample>) -> Verdict {
        real(self.program, counterexample)
    }

    /// Executes a path to an error.
    fn confirm(&self, path: &[Move]) -> Result<Verdict, Reason> {
        let mut encoder = self.encoder(Theory::Bits)?;
        match self.replay(path, &mut encoder) {
            Ok(counterexample) => Ok(self.real(Box::new(counterexample))),
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

/// The solver for formulas of a program in a theory.
fn solver_for(facts: &Facts<'_>, theory: Theory) -> Box<dyn Solver> {
    match theory {
        Theory::Int if facts.may_need_arrays() => Box::new(for_arrays()),
        Theory::Int => Box::new(for_integers()),
        Theory::Bits => for_bits(),
    }
}

/// The verdict of a run that was executed: it is no proof of an error if it needs assembler to
/// store what it perhaps never stores.
fn real(program: &Program, counterexample: Box<Counterexample>) -> Verdict {
    let assembler = counterexample.edges.iter().find_map(|taken| {
        let edge = program.funcs[taken.func].body.as_ref()?.edge(taken.edge);
        let stores = matches!(edge.op, Op::Havoc(_) | Op::HavocMemory);
        (stores && program.stmts[edge.stmt].kind == StmtKind::Asm).then_some(edge.span)
    });
    match assembler {
        None => Verdict::False(counterexample),
        Some(span) => Verdict::Unknown(Reason::NotConfirmed(format!(
            "it may depend on what the assembler at {} stores",
            program.files.show(span)
        ))),
    }
}

/// Whether a proof for the model is one for the program.
fn covered(program: &Program) -> Result<(), Reason> {
    if let Some(name) = outside::changes_rounding(program) {
        let what = format!("`{name}` may change how floating-point numbers are rounded");
        return Err(Reason::NotCovered(what));
    }
    match program.notes.iter().find(|n| n.kind == Note::EVALUATION_ORDER) {
        None => Ok(()),
        Some(note) => Err(Reason::OneOrderOnly(format!(
            "{} ({})",
            note.message,
            program.files.show(note.span)
        ))),
    }
}

/// The bounded search, and what it works with.
struct Search<'a> {
    explorer: Explorer<'a>,
    terms: Terms,
    solver: Box<dyn Solver>,
    /// `None` if it is not wanted, or has come to its end.
    bounded: Option<Bounded>,
    /// The work that it may have done by the end of its turn.
    allowance: u64,
}

/// Predicates that were supposed at locations, if any were.
fn count_supposed(statistics: &mut Statistics, count: u64) {
    if count > 0 {
        *statistics.numbers.entry("predicates supposed").or_default() += count as f64;
    }
}

/// The columns of LA Table 1 and AFP Table 1, and more.
fn add_lazy(statistics: &mut Statistics, lazy: &Lazy<'_>) {
    statistics.add_solver(lazy.solver());
    let (post, slices, done) = (lazy.post_statistics(), lazy.refine_statistics(), lazy.statistics);
    let sizes = lazy.predicates_of_places();
    let most = sizes.iter().copied().max().unwrap_or(0);
    let sum: usize = sizes.iter().sum();
    let average = sum as f64 / sizes.len().max(1) as f64;
    let counts = [
        ("tree nodes", lazy.node_count() as u64),
        ("tree nodes covered", done.covered),
        ("refinements", done.refinements),
        ("refinements, sliced paths", slices.sliced),
        ("refinements, sliced paths infeasible", slices.enough),
        ("refinements, steps of sliced paths", slices.steps),
        ("refinements, steps kept by slices", slices.kept),
        ("invariants, simple ones found", done.simple_invariants.into()),
        ("invariants, systems of the whole program", done.systems),
        ("invariants, systems with new predicates", done.solved_systems),
        ("predicates", lazy.predicate_count() as u64),
        ("predicates per location, maximum", most as u64),
        ("successors", post.asked),
        ("successors from the cache", post.cached),
        ("successors, solver calls", post.queries),
        ("successors that became Cartesian", post.cartesian),
    ];
    for (name, count) in counts {
        *statistics.numbers.entry(name).or_default() += count as f64;
    }
    *statistics.numbers.entry("predicates per location, average").or_default() += average;
}

fn no_memory(error: PartitionError) -> Reason {
    match error {
        PartitionError::Exhausted(limit) => Reason::Limit(limit),
        error => Reason::NotCovered(error.to_string()),
    }
}

fn stopped(error: LazyError) -> Reason {
    match error {
        LazyError::Exhausted(limit)
        | LazyError::Block(BlockError::Explore(ExploreError::Exhausted(limit)))
        | LazyError::Region(gnomon_bdd::BddError::Exhausted(limit)) => Reason::Limit(limit),
        other => Reason::NoProgress(other.to_string()),
    }
}
