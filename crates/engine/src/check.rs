//! One check: what is asked, what engines are made of for it, and what is answered.
//!
//! Which engines work on a check, and in which order, is not decided here but in the crate
//! `verify`. This is what all of them share: encoders, solvers and explorers for the program of the
//! check, the confirmation of error paths, and when a proof about the model is one of the program.

mod error_paths;
mod executed;
mod project;

pub use error_paths::{NotExecuted, execute_error_paths};
pub use executed::{AllRuns, executed, run_options};
pub use project::{ProjectionReport, add_pushdown, project};

use gnomon_budget::Budget;
use gnomon_ir::cfa::Op;
use gnomon_ir::interp::UndefinedBehaviour;
use gnomon_ir::program::{FuncId, Note, Program, StmtKind};
use gnomon_logic::encode::{Encoder, MemoryOptions, Move, PartitionError, Theory};
use gnomon_logic::solver::{for_bits, for_integers, for_search};
use gnomon_logic::{Limits, Solver, Terms};

use crate::assumption::Assumption;
use crate::blocks::BlockError;
use crate::control::{ControlId, ControlSpace};
use crate::equations::Equation;
use crate::explore::{Cut, ExploreError, Explorer, MAX_PLACES};
use crate::facts::Facts;
use crate::lazy::{Lazy, LazyError, LazyOptions};
use crate::limited::Limited;
use crate::outline::OutlineNode;
use crate::outside;
use crate::proof::MemoryFacts;
use crate::property::{ErrorSites, NoSuchSite, Property, Site};
use crate::pushdown::PushdownOptions;
use crate::reason::{NoProgress, NotConfirmed as Unconfirmed};
use crate::replay::{self, Counterexample, NotConfirmed, Subject};
use crate::sliced::Relevance;
use crate::unsupported::{Construct, Located};
use crate::verdict::{Proof, Reason, Statistics, Verdict};

/// The proof engine.
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
    /// Explicit values.
    Values,
    /// The abstract interpreter alone.
    Numeric,
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
    /// The proof engine.
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
    /// Engines that do not take part, by their names in the table.
    pub without: Vec<String>,
    /// How many engines may work at once.
    pub jobs: usize,
    /// Candidate invariants of locations; they are tracked, and not relied on.
    pub candidate_invariants: Vec<Equation>,
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
            without: Vec::new(),
            jobs: 1,
            candidate_invariants: Vec::new(),
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
    /// What the answer relies on.
    pub assumptions: Vec<Assumption>,
    /// What is known, and what is left to do, if there is no answer; for people.
    pub partial: Vec<String>,
    /// What a proof takes of memory, for its certificate.
    pub memory: MemoryFacts,
    /// The reachability tree of the last attempt by lazy abstraction, if
    /// [`LazyOptions::outlined`] asks for it.
    pub tree: Vec<OutlineNode>,
}

impl Report {
    /// With nothing but a verdict.
    pub fn of(verdict: Verdict) -> Self {
        let statistics = Statistics::default();
        let (assumptions, partial, memory, tree) = Default::default();
        Self { verdict, statistics, assumptions, partial, memory, tree }
    }
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

/// The function that runs first.
pub fn entry(program: &Program, options: &Options) -> Result<FuncId, BadRequest> {
    program
        .find_function(&options.entry)
        .filter(|f| program.funcs[*f].body.is_some())
        .ok_or_else(|| BadRequest::NoEntry(options.entry.clone()))
}

/// What a proof relies on.
pub fn assumptions_of_proof(facts: &Facts<'_>) -> Vec<Assumption> {
    let mut all = facts.assumptions(&Budget::unlimited());
    all.extend(outside::assumptions(facts.program()));
    all
}

/// Whether what is shown of the model holds for the program: the model has all that it does, and it decides
/// nothing by where objects lie.
fn holds_everywhere(facts: &Facts<'_>) -> Result<(), Reason> {
    covered(facts.program())?;
    match facts.address_decision() {
        None => Ok(()),
        Some(span) => Err(Reason::OneLayoutOnly { at: facts.program().files.position(span) }),
    }
}

/// One check, for one engine.
pub struct Task<'a> {
    /// The program.
    pub program: &'a Program,
    /// Where runs begin.
    pub entry: FuncId,
    /// What must not be reached.
    pub sites: &'a ErrorSites,
    /// What is known of the program.
    pub facts: &'a Facts<'a>,
    /// What slicing needs.
    pub relevance: &'a Relevance<'a>,
    /// What is asked for.
    pub options: &'a Options,
    /// The limits of the engine.
    pub budget: &'a Budget,
}

impl<'a> Task<'a> {
    /// The verdict of a proof: it says nothing about behaviour that the model does not have.
    pub fn proved(&self, proof: Proof, undefined: Option<UndefinedBehaviour>) -> Verdict {
        match (undefined, holds_everywhere(self.facts)) {
            (_, Err(reason @ Reason::Unsupported(_))) => Verdict::Unknown(reason),
            (Some(found), _) => Verdict::Unknown(self.undefined(&found)),
            (None, Err(reason)) => Verdict::Unknown(reason),
            (None, Ok(())) => Verdict::True(proof),
        }
    }

    fn undefined(&self, found: &UndefinedBehaviour) -> Reason {
        let at = found.site.and_then(|site| self.program.files.position(site.span));
        Reason::Undefined { what: found.kind.message().to_owned(), at }
    }

    /// A solver for formulas in a theory.
    pub fn solver(&self, theory: Theory) -> Box<dyn Solver> {
        Box::new(Limited::new(solver_for(theory), self.budget.clone()))
    }

    /// A solver for the formulas of a search, which are in bits.
    pub fn search_solver(&self) -> Box<dyn Solver> {
        Box::new(Limited::new(Box::new(for_search()), self.budget.clone()))
    }

    /// An encoder of the program.
    pub fn encoder(&self, theory: Theory) -> Result<Encoder<'a>, Reason> {
        self.facts.encoder(theory, self.budget).map_err(no_memory)
    }

    /// An explorer, and where the program starts.
    pub fn explorer(&self, theory: Theory) -> Result<(Explorer<'a>, ControlId), Reason> {
        self.explorer_with(self.encoder(theory)?)
    }

    /// The same with another encoder.
    pub fn explorer_with(&self, encoder: Encoder<'a>) -> Result<(Explorer<'a>, ControlId), Reason> {
        let space = ControlSpace::new(self.program, self.sites, self.facts);
        let mut explorer = Explorer::new(space, encoder, self.options.cut, self.budget.clone());
        explorer.max_places = self.options.block_places;
        match explorer.space.start(self.entry) {
            Some(start) => Ok((explorer, start)),
            None => Err(Reason::unsupported(Construct::EntryWithoutBody)),
        }
    }

    /// The verdict of a run that reaches an error.
    pub fn real(&self, counterexample: Box<Counterexample>) -> Verdict {
        real(self.program, counterexample)
    }

    /// Executes an error path.
    pub fn confirm(&self, path: &[Move]) -> Result<Verdict, Reason> {
        let mut encoder = self.encoder(Theory::Bits)?;
        match self.replay(path, &mut encoder) {
            Ok(counterexample) => Ok(self.real(Box::new(counterexample))),
            Err(reason) => Err(Reason::NotConfirmed(reason.into())),
        }
    }

    fn replay(
        &self,
        path: &[Move],
        encoder: &mut Encoder<'_>,
    ) -> Result<Counterexample, NotConfirmed> {
        let mut terms = Terms::new();
        let mut solver = self.search_solver();
        let limits = Limits::default().with_resources(50_000_000);
        let subject = Subject { program: self.program, sites: self.sites, entry: self.entry };
        let solver = solver.as_mut();
        replay::confirm(&subject, path, encoder, &mut terms, solver, limits, self.budget)
    }
}

/// The solver for formulas in a theory.
fn solver_for(theory: Theory) -> Box<dyn Solver> {
    match theory {
        Theory::Int => Box::new(for_integers()),
        Theory::Bits => for_bits(),
    }
}

/// The verdict of a run that was executed: it is no proof of an error if it needs assembler to
/// store what it perhaps never stores.
fn real(program: &Program, counterexample: Box<Counterexample>) -> Verdict {
    let passed = counterexample.passed(program);
    let ops = passed.iter().filter_map(|(func, edge)| {
        let body = program.funcs[*func].body.as_ref()?;
        Some(&body.edge(*edge).op)
    });
    if let Some(name) = outside::rounds_differently(program, ops) {
        let why = Unconfirmed::Rounding(name.to_owned());
        return Verdict::Unknown(Reason::NotConfirmed(why));
    }
    let assembler = passed.iter().find_map(|&(func, edge)| {
        let body = program.funcs[func].body.as_ref()?;
        let edge = body.edge(edge);
        // `asm goto` has several edges, and nobody knows which of them are ever taken.
        let jumps = matches!(edge.op, Op::Skip) && body.out_edges(edge.from).len() > 1;
        let stores = matches!(edge.op, Op::Havoc(_) | Op::HavocMemory) || jumps;
        (stores && program.stmts[edge.stmt].kind == StmtKind::Asm).then_some(edge.span)
    });
    if outside::draws_again(program, &counterexample) {
        return Verdict::Unknown(Reason::NotConfirmed(Unconfirmed::RandomNumbers));
    }
    match assembler {
        None => Verdict::False(counterexample),
        Some(span) => {
            let at = program.files.position(span);
            Verdict::Unknown(Reason::NotConfirmed(Unconfirmed::Assembler { at }))
        }
    }
}

/// Whether a proof for the model is one for the program.
pub fn covered(program: &Program) -> Result<(), Reason> {
    if let Some(name) = outside::changes_rounding(program) {
        return Err(Reason::unsupported(Construct::Rounding(name.to_owned())));
    }
    if outside::says_not_modelled(program) {
        let what = "a function of threads is not modelled here".to_owned();
        return Err(Reason::unsupported(Construct::Threads(what)));
    }
    if let Some(name) = outside::calls_back_later(program) {
        return Err(Reason::unsupported(Construct::CallsBackLater(name.to_owned())));
    }
    if let Some(span) = outside::allocates_too_much(program) {
        let what = "an allocation of more than 1 GiB".to_owned();
        let at = program.files.position(span);
        return Err(Reason::Unsupported(Located { what: Construct::NotModelled(what), at }));
    }
    if let Some(note) = program.notes.iter().find(|n| n.kind == Note::NOT_COVERED) {
        let place = program.files.show(note.span);
        let what = Construct::NotModelled(format!("{} ({place})", note.message));
        let at = program.files.position(note.span);
        return Err(Reason::Unsupported(Located { what, at }));
    }
    match program.notes.iter().find(|n| n.kind == Note::EVALUATION_ORDER) {
        None => Ok(()),
        Some(note) => {
            let (what, at) = (note.message.clone(), program.files.position(note.span));
            Err(Reason::OneOrderOnly { what, at })
        }
    }
}

/// Candidate invariants at locations, if any were.
pub fn count_candidates(statistics: &mut Statistics, count: u64) {
    if count > 0 {
        *statistics.numbers.entry("candidate invariants").or_default() += count as f64;
    }
}

/// The columns of LA Table 1 and AFP Table 1, and more.
pub fn add_lazy(statistics: &mut Statistics, lazy: &Lazy<'_>) {
    statistics.add_solver(lazy.solver());
    let (post, slices, done) = (lazy.post_statistics(), lazy.refine_statistics(), lazy.statistics);
    let chc = lazy.chc_statistics();
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
        ("refinements, slices stopped early", slices.stopped_early),
        ("refinements from abstract states", slices.from_state),
        ("refinements by single paths", slices.single),
        ("invariants, candidates found", chc.candidates.into()),
        ("invariants, CHC queries", chc.queries),
        ("invariants, CHC queries with new predicates", chc.solved),
        ("predicates", lazy.predicate_count() as u64),
        ("predicates per location, maximum", most as u64),
        ("successors", post.asked),
        ("successors from the cache", post.cached),
        ("successors, solver calls", post.queries),
        ("successors that became Cartesian", post.cartesian),
        ("successors, paths through blocks", post.paths),
    ];
    for (name, count) in counts {
        *statistics.numbers.entry(name).or_default() += count as f64;
    }
    *statistics.numbers.entry("predicates per location, average").or_default() += average;
    if let Some(median) = lazy.median_successor() {
        let name = "successors, milliseconds, median";
        let slowest = statistics.numbers.entry(name).or_default();
        *slowest = slowest.max(median.as_secs_f64() * 1000.0);
    }
    if let Some(median) = lazy.median_successor_work() {
        let most = statistics.numbers.entry("successors, work, median").or_default();
        *most = most.max(median as f64);
    }
}

/// Why there is no encoder.
pub fn no_memory(error: PartitionError) -> Reason {
    match error {
        PartitionError::Exhausted(limit) => Reason::Limit(limit),
        error => Reason::unsupported(Construct::NotEncoded(error.to_string())),
    }
}

/// Why lazy abstraction ended early.
pub fn stopped(error: LazyError) -> Reason {
    match error {
        LazyError::Exhausted(limit)
        | LazyError::Block(BlockError::Explore(ExploreError::Exhausted(limit)))
        | LazyError::Region(gnomon_bdd::BddError::Exhausted(limit)) => Reason::Limit(limit),
        other => Reason::NoProgress(NoProgress::Failed(other.to_string())),
    }
}
