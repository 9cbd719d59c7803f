//! The refinement loop.
//!
//! Each iteration abstracts what changed, asks the pushdown system for a path to a target, and looks
//! at that path: it can be executed, or it is infeasible, and then [`crate::refine`] gives predicates.
//! Targets are the errors, and the places of what is unsupported. When no target is reached, the
//! program is proved, whatever its recursion: the weights at the ends of functions are their
//! summaries.
//!
//! Work is done in slices ([`Pushdown::run_until`]); an iteration that was not finished is made again.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_bdd::BddError;
use gnomon_budget::{Budget, Exhausted};
use gnomon_flow::slice::Start;
use gnomon_ir::program::{FuncId, VarId};
use gnomon_logic::encode::{Encoder, Execution, NotEncoded};
use gnomon_logic::{Answer, Limits, Purpose, Solver, Sort, Term, Terms};
use gnomon_predabs::Precision;
use gnomon_wpds::domains::BddRelations;
use gnomon_wpds::{WeightError, WpdsError};

use super::abstraction::{Abstract, Abstraction, AbstractionError, Tracked};
use super::graph::{Graph, GraphSource, NodeId, Place, Refused, StepId};
use super::path::RulePath;
use super::projection::Analysed;
use super::relation::RelationOptions;
use super::system::{Grain, Relevant, System, control_flow_slice, matters};
use super::trail::{Rule, Trail};
use super::transfer::Transfers;
use crate::equations::Equation;
use crate::horn::{ChcQueries, ChcStatistics, Schedule, Tools, Wrapping};
use crate::limited::PATH_QUERY;
use crate::outcome::{Step, Stopped};
use crate::refine::{Learned, RefineStatistics, Refinement, Refiner, Tracking};
use crate::sliced::Relevance;
use crate::unsupported::Unsupported;

/// How to work.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PushdownOptions {
    /// Relations between valuations.
    pub relation: RelationOptions,
    /// Whether each iteration drops what lies on no abstract error path, and abstracts the rest only for
    /// the valuations with which it does (AEP 7.1).
    pub projections: bool,
}

/// Counts of what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PushdownStatistics {
    /// How often the pushdown system was solved.
    pub iterations: u64,
    /// Infeasible paths.
    pub refinements: u64,
    /// Rules of the last pushdown system.
    pub rules: u64,
    /// Iterations in which steps were abstracted with more effort instead of more predicates.
    pub focused: u64,
    /// Nodes that were dropped because they lie on no abstract error path.
    pub dropped: u64,
}

/// Why the loop ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PushdownError {
    /// The budget ran out.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// Of the diagrams.
    #[error(transparent)]
    Bdd(BddError),
    /// Of the pushdown system.
    #[error(transparent)]
    System(WpdsError),
    /// The initial values cannot be encoded.
    #[error(transparent)]
    NotEncoded(NotEncoded),
}

impl From<BddError> for PushdownError {
    fn from(error: BddError) -> Self {
        match error {
            BddError::Exhausted(limit) => Self::Exhausted(limit),
            other => Self::Bdd(other),
        }
    }
}

impl From<AbstractionError> for PushdownError {
    fn from(error: AbstractionError) -> Self {
        match error {
            AbstractionError::Bdd(error) => error.into(),
            AbstractionError::Exhausted(limit) => Self::Exhausted(limit),
        }
    }
}

impl From<WpdsError> for PushdownError {
    fn from(error: WpdsError) -> Self {
        match error {
            WpdsError::Weight(WeightError::Bdd(error)) => error.into(),
            WpdsError::Weight(WeightError::Exhausted(limit)) | WpdsError::Exhausted(limit) => {
                Self::Exhausted(limit)
            }
            other => Self::System(other),
        }
    }
}

impl From<NotEncoded> for PushdownError {
    fn from(error: NotEncoded) -> Self {
        match error {
            NotEncoded::Exhausted(limit) => Self::Exhausted(limit),
            other => Self::NotEncoded(other),
        }
    }
}

/// The abstraction of one program as a pushdown system, and its refinement.
pub struct Pushdown<'p> {
    pub(super) entry: FuncId,
    pub(super) encoder: Encoder<'p>,
    pub(super) terms: Terms,
    pub(super) solver: Box<dyn Solver>,
    pub(super) refiner: Refiner<'p>,
    pub(super) graph: Graph,
    pub(super) transfers: Transfers,
    pub(super) targets: BTreeSet<NodeId>,
    pub(super) relevant: Relevant,
    pub(super) tracking: Tracking,
    pub(super) abstraction: Abstraction,
    pub(super) projections: bool,
    pub(super) budget: Budget,
    pub(super) chc: ChcQueries<NodeId>,
    /// When the whole program is looked at.
    pub schedule: Schedule,
    pub(super) tried_candidates: bool,
    /// Why refinement by paths cannot go on.
    pub(super) stopped: Option<Stopped>,
    /// Invariants and summaries that exclude all errors, if they were found at once.
    pub(super) solution: Option<BTreeMap<NodeId, Term>>,
    /// What is unsupported and can be reached.
    pub unsupported: BTreeSet<Unsupported>,
    /// What was done.
    pub statistics: PushdownStatistics,
}

/// Room for the nodes of all relations.
const RELATION_NODES: usize = 1 << 22;
/// Room for the nodes of regions, which this engine does not use.
const REGION_NODES: usize = 1 << 10;
/// Paths through recursion grow fast, so the whole program is looked at soon.
const FIRST_QUERY_AFTER: u64 = 3;
/// What CHC queries say about wrapping.
const WRAPPINGS: &[Wrapping] = &[Wrapping::Forbidden, Wrapping::Ignored, Wrapping::Exact];

impl<'p> Pushdown<'p> {
    /// The graph of a program, without predicates.
    pub fn new(
        source: &GraphSource<'p>,
        mut encoder: Encoder<'p>,
        solver: Box<dyn Solver>,
        options: &PushdownOptions,
        budget: Budget,
    ) -> Result<Self, PushdownError> {
        let mut terms = Terms::new();
        let mut refused = Refused::new();
        let (graph, transfers) = loop {
            budget.check()?;
            let graph = Graph::new(source, &refused);
            if let Some(transfers) = Transfers::new(&mut encoder, &mut terms, &graph, &mut refused)?
            {
                break (graph, transfers);
            }
        };
        let is_target = |place: &Place| matches!(place, Place::Error(_) | Place::Stuck(..));
        let targets: BTreeSet<NodeId> =
            graph.nodes().filter(|(_, place)| is_target(place)).map(|(node, _)| node).collect();
        let relevant = control_flow_slice(&graph, &targets, &budget)?;
        Ok(Self {
            entry: source.entry,
            encoder,
            terms,
            solver,
            refiner: Refiner::new(None),
            graph,
            transfers,
            targets,
            relevant,
            tracking: Tracking::new(REGION_NODES)?,
            abstraction: Abstraction::new(RELATION_NODES, options.relation, &budget)?,
            projections: options.projections,
            budget,
            chc: ChcQueries::proposing(WRAPPINGS),
            schedule: Schedule::after(FIRST_QUERY_AFTER),
            tried_candidates: false,
            stopped: None,
            solution: None,
            unsupported: BTreeSet::new(),
            statistics: PushdownStatistics::default(),
        })
    }

    /// From now on, infeasible paths are first reduced to the steps that matter.
    pub fn slice_with(&mut self, relevance: &'p Relevance<'p>) -> Result<(), Exhausted> {
        self.refiner = Refiner::new(Some(relevance));
        Ok(())
    }

    /// The errors, and what is unsupported.
    pub fn all_targets(&self) -> BTreeSet<NodeId> {
        let is_target = |place: &Place| matches!(place, Place::Error(_) | Place::Stuck(..));
        self.graph.nodes().filter(|(_, place)| is_target(place)).map(|(node, _)| node).collect()
    }

    /// How many predicates there are.
    pub fn predicate_count(&self) -> usize {
        self.tracking.predicates.len()
    }

    /// Which predicates are tracked where.
    pub fn precision(&self) -> &Precision {
        &self.tracking.precision
    }

    /// Tracks, wherever it is in scope, whether a variable has a value. Says whether that is possible:
    /// the variable is a number whose address is never taken.
    pub fn track_value(&mut self, var: VarId, value: i64) -> Result<bool, PushdownError> {
        let at_start = Execution::default();
        let Some(present) = self.encoder.read_variable(&mut self.terms, &at_start, var) else {
            return Ok(false);
        };
        let value = match self.terms.sort(present) {
            Sort::Int => self.terms.int(value),
            Sort::BitVec(width) => self.terms.bv(value, width),
            _ => return Ok(false),
        };
        let atom = self.terms.eq(present, value);
        let atom = self.terms.without_indices(atom);
        let Some(id) = self.tracking.predicates.intern(&mut self.terms, atom)? else {
            return Ok(false);
        };
        self.tracking.precision.add_everywhere(id);
        Ok(true)
    }

    /// What was learned for locations, with the arena of the formulas.
    pub fn learned(&self) -> (&Terms, &[Learned]) {
        (&self.terms, &self.tracking.learned)
    }

    /// Tracks what another engine learned. Says how many predicates that gives.
    pub fn take_over(&mut self, other: &Terms, learned: &[Learned]) -> Result<u64, PushdownError> {
        Ok(self.tracking.take_over(&mut self.terms, other, learned)?)
    }

    /// Tracks candidate equations at their locations. Says how many predicates that gives.
    pub fn add_candidates(&mut self, equations: &[Equation]) -> Result<u64, PushdownError> {
        let mut new = 0;
        for equation in equations {
            let Some(atom) = equation.atom(&mut self.encoder, &mut self.terms) else { continue };
            let Some(id) = self.tracking.predicates.intern(&mut self.terms, atom)? else {
                continue;
            };
            let in_scope =
                self.tracking.predicates.get(id).functions.iter().all(|f| *f == equation.func);
            new +=
                u64::from(in_scope && self.tracking.precision.add(equation.func, equation.loc, id));
        }
        Ok(new)
    }

    /// The most predicates that are tracked at one node.
    pub fn most_tracked(&self) -> usize {
        let counts = self.graph.nodes().map(|(_, place)| match *place {
            Place::At(func, loc) => self.tracking.precision.at(func, loc).len(),
            _ => 0,
        });
        counts.max().unwrap_or(0)
    }

    /// The solver.
    pub fn solver(&self) -> &dyn Solver {
        self.solver.as_ref()
    }

    /// The abstraction of the steps.
    pub fn abstraction(&self) -> &Abstraction {
        &self.abstraction
    }

    /// What refining took.
    pub fn refine_statistics(&self) -> RefineStatistics {
        self.refiner.statistics
    }

    /// What CHC queries and candidate invariants did.
    pub fn chc_statistics(&self) -> ChcStatistics {
        self.chc.statistics
    }

    /// Works to the end.
    pub fn run(&mut self) -> Result<Step, PushdownError> {
        loop {
            match self.run_until(&|| false)? {
                Step::More => {}
                end => return Ok(end),
            }
        }
    }

    /// Works until somebody wants a pause, or the end. That is asked for after each iteration;
    /// behind a CHC query in vain there always is one.
    pub fn run_until(&mut self, pause: &dyn Fn() -> bool) -> Result<Step, PushdownError> {
        loop {
            self.budget.check()?;
            if self.solution.is_some() || self.targets.is_empty() {
                return Ok(Step::Proved);
            }
            let is_due = self.schedule.is_due(self.statistics.refinements);
            if self.stopped.is_some() || is_due {
                let has_more = self.schedule.is_by_engine() && self.schedule.effort().is_some();
                if let (Some(reason), false) = (&self.stopped, has_more) {
                    return Ok(Step::Stopped(reason.clone()));
                }
                // A query that brought nothing was a slice of work by itself.
                if !self.look_at_whole_program()?.is_something() || pause() {
                    return Ok(Step::More);
                }
                continue;
            }
            let Some(rules) = self.find_path()? else { return Ok(Step::Proved) };
            // In a scope of its own: what is asked about a path burdens no later query.
            self.solver.push();
            let examined = self.examine(&rules);
            self.solver.pop();
            match examined? {
                Step::More => {}
                Step::Stopped(reason) => self.stopped = Some(reason),
                other => return Ok(other),
            }
            if pause() {
                return Ok(Step::More);
            }
        }
    }

    /// A path to a target under the present predicates.
    fn find_path(&mut self) -> Result<Option<Vec<Rule>>, PushdownError> {
        self.statistics.iterations += 1;
        let system = self.system(Grain::Nodes)?;
        self.statistics.rules = system.rule_count() as u64;
        let path = system.path_to(&self.targets, &self.budget)?;
        if self.projections && path.is_some() {
            self.keep_projection(&system)?;
        }
        Ok(path)
    }

    /// Drops what lies on no abstract error path, and keeps the stores with which the rest does.
    fn keep_projection(&mut self, system: &System) -> Result<(), PushdownError> {
        let analysed = Analysed::new(system, &self.targets, &self.budget)?;
        let mut kept = Relevant::new();
        for (symbol, stores) in analysed.projection()?.stores()? {
            let node = NodeId(symbol.0);
            kept.insert(node);
            self.abstraction.restrict(node, stores);
        }
        self.statistics.dropped += (self.relevant.len() - kept.len()) as u64;
        self.relevant = kept;
        Ok(())
    }

    /// The pushdown system under the present predicates.
    pub fn system(&mut self, grain: Grain) -> Result<System, PushdownError> {
        self.abstraction.make_room(self.tracking.predicates.len())?;
        let domain = BddRelations::over(self.abstraction.vocabulary().clone());
        let mut system = System::new(domain, &self.graph, grain);
        let copies = self.abstraction.copies().clone();
        let steps = self.graph.steps();
        let steps = steps.filter(|(_, step)| matters(&self.graph, &self.relevant, step));
        for id in steps.map(|(id, _)| id).collect::<Vec<_>>() {
            let relations = self.relations_of(id)?;
            system.add(&self.graph, id, &relations, &copies)?;
        }
        system.add_returns(&self.graph, &self.relevant)?;
        Ok(system)
    }

    /// The relations of a step under the present predicates.
    pub(super) fn relations_of(&mut self, id: StepId) -> Result<Abstract, PushdownError> {
        let mut tracked = Tracked {
            terms: &mut self.terms,
            solver: self.solver.as_mut(),
            graph: &self.graph,
            transfers: &self.transfers,
            tracking: &self.tracking,
        };
        Ok(self.abstraction.of(&mut tracked, id, &self.budget)?)
    }

    /// Looks at a path to a target.
    fn examine(&mut self, rules: &[Rule]) -> Result<Step, PushdownError> {
        let trail = Trail::new(&mut self.encoder, &mut self.terms, &self.graph, self.entry, rules)?;
        self.budget.report(
            "refine",
            format_args!(
                "{} refinements, {} predicates, {} steps abstracted, path of {} steps",
                self.statistics.refinements,
                self.tracking.predicates.len(),
                self.abstraction.abstracted,
                rules.len()
            ),
        );
        let limits = Limits::default().with_resources(PATH_QUERY);
        let formulas = trail.formulas();
        match self.solver.check(&self.terms, &formulas, Purpose::FEASIBILITY, limits) {
            Answer::Unsat => self.refine(rules, &trail),
            Answer::Unknown(reason) => Ok(Step::Stopped(Stopped::PathUnknown(reason))),
            Answer::Sat => {
                let Some(last) = trail.cuts.last() else { return Ok(Step::More) };
                Ok(match self.graph.place(last.node).clone() {
                    Place::Error(site) => Step::Error(site, trail.moves),
                    Place::Stuck(what) => {
                        self.leave_out(&what)?;
                        Step::More
                    }
                    Place::Start | Place::At(..) => Step::Stopped(Stopped::PathWithoutEnd),
                })
            }
        }
    }

    /// Something unsupported can be reached; there is no need to know it of its kind again.
    fn leave_out(&mut self, unsupported: &Unsupported) -> Result<(), PushdownError> {
        self.unsupported.insert(unsupported.clone());
        self.schedule.renew();
        let graph = &self.graph;
        self.targets.retain(
            |t| !matches!(graph.place(*t), Place::Stuck(other) if other.what == unsupported.what),
        );
        let slice = control_flow_slice(&self.graph, &self.targets, &self.budget)?;
        self.relevant.retain(|node| slice.contains(node));
        Ok(())
    }

    /// Learns predicates from an infeasible path.
    pub(super) fn refine(&mut self, rules: &[Rule], trail: &Trail) -> Result<Step, PushdownError> {
        self.statistics.refinements += 1;
        let mut infeasible = RulePath {
            start: Start::at_entry(self.encoder.program(), self.entry),
            encoder: &mut self.encoder,
            graph: &self.graph,
            abstraction: &mut self.abstraction,
            entry: self.entry,
            rules,
            trail,
        };
        let mut tools =
            Tools { terms: &mut self.terms, solver: self.solver.as_mut(), budget: &self.budget };
        let known = self.tracking.predicates.len();
        let refined = self.refiner.refine(&mut infeasible, &mut self.tracking, &mut tools)?;
        for predicate in self.tracking.predicates.iter().skip(known) {
            let atom = self.terms.display(predicate.atom);
            self.budget.report("predicate", format_args!("{atom}"));
        }
        Ok(match refined {
            Refinement::Learned { diverges, .. } => diverges.map_or(Step::More, Step::Stopped),
            Refinement::Focused => {
                self.statistics.focused += 1;
                Step::More
            }
            Refinement::Nothing(why) => Step::Stopped(why),
        })
    }
}
