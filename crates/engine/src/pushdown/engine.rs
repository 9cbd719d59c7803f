//! The refinement loop.
//!
//! Each round abstracts what changed, asks the pushdown system for a path to a target, and looks at
//! that path: it can be executed, or it cannot, and then interpolants give predicates. Targets are the
//! errors, and the places that cannot be followed: if one of these is reached, the answer has a gap.
//! When no target is reached, the program is proved, whatever its recursion: the weights at the ends
//! of functions are their summaries.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_bdd::BddError;
use gnomon_budget::{Budget, Exhausted};
use gnomon_flow::slice::{Slicer, Start};
use gnomon_ir::program::{FuncId, VarId};
use gnomon_logic::encode::{Encoder, Execution, NotEncoded};
use gnomon_logic::interpolate::{Failure, Interpolator, Path, Sequence};
use gnomon_logic::{Answer, Limits, Purpose, Solver, Sort, Term, Terms};
use gnomon_predabs::{Precision, PredicateId, Predicates};
use gnomon_wpds::domains::BddRelations;
use gnomon_wpds::{WeightError, WpdsError};

use super::abstraction::{Abstract, Abstraction, AbstractionError, Tracked};
use super::ghosts::Ghosts;
use super::graph::{Graph, GraphSource, NodeId, Place, Refused, StepId};
use super::projection::Analysed;
use super::relation::RelationOptions;
use super::summaries::{self, Wrapping};
use super::system::{Grain, Relevant, System, control_flow_slice, matters};
use super::trail::{Rule, Trail};
use super::transfer::Transfers;
use crate::lazy::Step;
use crate::limited::{FIRST_SYSTEM, MAX_SYSTEM, PATH_QUERY, system_limits};
use crate::refine::{RefineStatistics, SLICE_QUERY};
use crate::sliced::{Relevance, kept_moves};
use crate::supposed::Equation;

/// How to work.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PushdownOptions {
    /// Relations between valuations.
    pub relation: RelationOptions,
    /// Whether each round drops what lies on no abstract error path, and abstracts the rest only for
    /// the valuations with which it does (AEP 7.1).
    pub projections: bool,
}

/// Counts of what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PushdownStatistics {
    /// How often the pushdown system was solved.
    pub rounds: u64,
    /// Paths that could not be executed.
    pub refinements: u64,
    /// Rules of the last pushdown system.
    pub rules: u64,
    /// Rounds in which steps were abstracted with more effort instead of more predicates.
    pub focused: u64,
    /// How often the whole program was made a system of Horn clauses.
    pub systems: u64,
    /// How often that gave new predicates.
    pub solved_systems: u64,
    /// Nodes that were dropped because they lie on no abstract error path.
    pub dropped: u64,
    /// What slicing did.
    pub slices: RefineStatistics,
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
    interpolator: Interpolator,
    pub(super) slicing: Option<Slicing<'p>>,
    pub(super) graph: Graph,
    pub(super) transfers: Transfers,
    pub(super) targets: BTreeSet<NodeId>,
    pub(super) relevant: Relevant,
    pub(super) predicates: Predicates,
    pub(super) precision: Precision,
    pub(super) ghosts: Ghosts,
    pub(super) abstraction: Abstraction,
    pub(super) projections: bool,
    pub(super) budget: Budget,
    /// What the next system of the whole program may take, in solver resources, and after which
    /// refinement it comes.
    next_system_limit: u32,
    next_system: u64,
    /// Feasible ways to what cannot be followed.
    pub gaps: BTreeSet<String>,
    /// What was done.
    pub statistics: PushdownStatistics,
}

/// What slicing paths needs.
pub(super) struct Slicing<'p> {
    start: Start,
    slicer: Slicer<'p>,
}

/// Room for the nodes of all relations.
const RELATION_NODES: usize = 1 << 22;
/// Room for the nodes of regions, which this engine does not use.
const REGION_NODES: usize = 1 << 10;
/// Systems of the whole program: after so many refinements each.
const FIRST_SYSTEM_AFTER: u64 = 3;
const SYSTEM_AFTER: u64 = 6;

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
            interpolator: Interpolator::default(),
            slicing: None,
            graph,
            transfers,
            targets,
            relevant,
            predicates: Predicates::new(REGION_NODES)?,
            precision: Precision::default(),
            ghosts: Ghosts::default(),
            abstraction: Abstraction::new(RELATION_NODES, options.relation, &budget)?,
            projections: options.projections,
            budget,
            next_system_limit: FIRST_SYSTEM,
            next_system: FIRST_SYSTEM_AFTER,
            gaps: BTreeSet::new(),
            statistics: PushdownStatistics::default(),
        })
    }

    /// From now on, paths that cannot be executed are first reduced to the steps that matter.
    pub fn slice_with(&mut self, relevance: &'p Relevance<'p>) -> Result<(), Exhausted> {
        let slicer = relevance.slicer(&self.budget)?;
        let start = Start::at_entry(relevance.program(), self.entry);
        self.slicing = Some(Slicing { start, slicer });
        Ok(())
    }

    /// The errors, and what cannot be followed.
    pub fn all_targets(&self) -> BTreeSet<NodeId> {
        let is_target = |place: &Place| matches!(place, Place::Error(_) | Place::Stuck(..));
        self.graph.nodes().filter(|(_, place)| is_target(place)).map(|(node, _)| node).collect()
    }

    /// How many predicates there are.
    pub fn predicate_count(&self) -> usize {
        self.predicates.len()
    }

    /// Which predicates are tracked where.
    pub fn precision(&self) -> &Precision {
        &self.precision
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
        let Some(id) = self.predicates.intern(&mut self.terms, atom)? else { return Ok(false) };
        self.precision.add_everywhere(id);
        Ok(true)
    }

    /// Tracks what is supposed at locations. Says how many predicates that gives.
    pub fn suppose(&mut self, equations: &[Equation]) -> Result<u64, PushdownError> {
        let mut new = 0;
        for equation in equations {
            let Some(atom) = equation.atom(&mut self.encoder, &mut self.terms) else { continue };
            let Some(id) = self.predicates.intern(&mut self.terms, atom)? else { continue };
            let in_scope = self.predicates.get(id).functions.iter().all(|f| *f == equation.func);
            new += u64::from(in_scope && self.precision.add(equation.func, equation.loc, id));
        }
        Ok(new)
    }

    /// The most predicates that are tracked at one node.
    pub fn most_tracked(&self) -> usize {
        let counts = self.graph.nodes().map(|(_, place)| match *place {
            Place::At(func, loc) => self.precision.at(func, loc).len(),
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

    /// Works until a number of refinements were made, or the end.
    pub fn run(&mut self, refinements: u64) -> Result<Step, PushdownError> {
        let until = self.statistics.refinements + refinements;
        while self.statistics.refinements < until {
            self.budget.check()?;
            if self.targets.is_empty() {
                return Ok(Step::Proved);
            }
            let Some(rules) = self.find_path()? else { return Ok(Step::Proved) };
            match self.examine(&rules)? {
                Step::More => {}
                Step::Stopped(reason) => {
                    if !self.learn_from_program(MAX_SYSTEM)? {
                        return Ok(Step::Stopped(reason));
                    }
                }
                other => return Ok(other),
            }
            if self.statistics.refinements >= self.next_system {
                self.learn_from_program(self.next_system_limit)?;
                self.next_system_limit = (self.next_system_limit * 2).min(MAX_SYSTEM);
                self.next_system = self.statistics.refinements + SYSTEM_AFTER;
            }
        }
        Ok(Step::More)
    }

    /// Asks for invariants and summaries of the whole program. Says whether their atoms are new.
    fn learn_from_program(&mut self, wanted: u32) -> Result<bool, PushdownError> {
        self.budget.report("refine", format_args!("summaries of the whole program"));
        self.statistics.systems += 1;
        for wrapping in [Wrapping::Forbidden, Wrapping::Ignored, Wrapping::Exact] {
            self.budget.check_now()?;
            let (resources, guard) = system_limits(&self.budget, wanted);
            let program = summaries::Program {
                graph: &self.graph,
                transfers: &self.transfers,
                relevant: &self.relevant,
                targets: &self.targets,
            };
            let (terms, ghosts) = (&mut self.terms, &mut self.ghosts);
            match program.invariants(terms, ghosts, wrapping, resources, guard) {
                Ok(invariants) => {
                    if self.track(invariants)? {
                        self.statistics.solved_systems += 1;
                        return Ok(true);
                    }
                }
                Err(reason) => {
                    self.budget.report("refine", format_args!("no summaries: {reason}"));
                }
            }
        }
        Ok(false)
    }

    /// Tracks the atoms of invariants. Says whether something is new.
    fn track(&mut self, invariants: BTreeMap<NodeId, Term>) -> Result<bool, PushdownError> {
        let mut new = false;
        for (node, formula) in invariants {
            let Place::At(func, loc) = *self.graph.place(node) else { continue };
            for &atom in self.terms.atoms(formula).iter() {
                let Some(id) = self.predicates.intern(&mut self.terms, atom)? else { continue };
                if self.predicates.get(id).functions.iter().all(|f| *f == func)
                    && self.precision.add(func, loc, id)
                {
                    new = true;
                    self.tell(node, id);
                }
            }
        }
        Ok(new)
    }

    /// A path to a target under the present predicates.
    fn find_path(&mut self) -> Result<Option<Vec<Rule>>, PushdownError> {
        self.statistics.rounds += 1;
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
        self.abstraction.make_room(self.predicates.len())?;
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
            predicates: &self.predicates,
            precision: &self.precision,
            ghosts: &self.ghosts,
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
                self.predicates.len(),
                self.abstraction.abstracted,
                rules.len()
            ),
        );
        let limits = Limits::default().with_resources(PATH_QUERY);
        let formulas = trail.formulas();
        match self.solver.check(&self.terms, &formulas, Purpose::FEASIBILITY, limits) {
            Answer::Unsat => self.refine(rules, &trail),
            Answer::Unknown(reason) => Ok(Step::Stopped(format!("a path is too hard: {reason}"))),
            Answer::Sat => {
                let Some(last) = trail.cuts.last() else { return Ok(Step::More) };
                Ok(match self.graph.place(last.node).clone() {
                    Place::Error(site) => Step::Error(site, trail.moves),
                    Place::Stuck(_, _, reason) => {
                        self.leave_gap(&reason)?;
                        Step::More
                    }
                    Place::Start | Place::At(..) => Step::Stopped("a path without an end".into()),
                })
            }
        }
    }

    /// The program can reach something that cannot be followed; there is no need to know it again.
    fn leave_gap(&mut self, reason: &str) -> Result<(), PushdownError> {
        self.gaps.insert(reason.to_owned());
        let graph = &self.graph;
        self.targets
            .retain(|t| !matches!(graph.place(*t), Place::Stuck(_, _, r) if **r == *reason));
        let slice = control_flow_slice(&self.graph, &self.targets, &self.budget)?;
        self.relevant.retain(|node| slice.contains(node));
        Ok(())
    }

    /// Learns predicates from a path that cannot be executed: from the steps that matter, if they
    /// cannot be executed already, and else from all.
    pub(super) fn refine(&mut self, rules: &[Rule], trail: &Trail) -> Result<Step, PushdownError> {
        self.statistics.refinements += 1;
        if let Some(sliced) = self.slice(rules, trail)?
            && self.learn_from(&sliced)?
        {
            return Ok(Step::More);
        }
        let path = match Path::new(&mut self.terms, trail.steps.clone()) {
            Ok(path) => path,
            Err(error) => return Ok(Step::Stopped(error.to_string())),
        };
        let solver = self.solver.as_mut();
        let offered = self.interpolator.interpolate(&mut self.terms, solver, &path, &self.budget);
        let sequences = match offered {
            Ok(sequences) => sequences,
            Err(Failure::Exhausted(limit)) => return Err(limit.into()),
            Err(failure) => {
                return Ok(Step::Stopped(format!("no interpolants for a path: {failure}")));
            }
        };
        for sequence in &sequences {
            if self.learn(trail, sequence, Spread::Location)? {
                return Ok(Step::More);
            }
        }
        if self.focus(rules) || self.learn_context(trail)? {
            return Ok(Step::More);
        }
        for sequence in &sequences {
            if self.learn(trail, sequence, Spread::Function)? {
                return Ok(Step::More);
            }
        }
        Ok(Step::Stopped("the interpolants of a path bring nothing new".into()))
    }

    /// The path with only the steps that matter, if it cannot be executed already.
    fn slice(&mut self, rules: &[Rule], trail: &Trail) -> Result<Option<Trail>, PushdownError> {
        let Some(Slicing { start, slicer }) = &mut self.slicing else { return Ok(None) };
        let kept = kept_moves(slicer, start.clone(), &trail.moves, &self.budget)?;
        let Some(kept) = kept else { return Ok(None) };
        let (encoder, terms) = (&mut self.encoder, &mut self.terms);
        let is_kept = |number: usize| kept[number];
        let sliced = Trail::with_moves(encoder, terms, &self.graph, self.entry, rules, is_kept)?;
        let slices = &mut self.statistics.slices;
        slices.sliced += 1;
        slices.steps += kept.len() as u64;
        slices.kept += kept.iter().filter(|is_kept| **is_kept).count() as u64;
        let limits = Limits::default().with_resources(SLICE_QUERY);
        let formulas = sliced.formulas();
        let answer = self.solver.check(&self.terms, &formulas, Purpose::FEASIBILITY, limits);
        self.statistics.slices.enough += u64::from(answer == Answer::Unsat);
        Ok((answer == Answer::Unsat).then_some(sliced))
    }

    /// Learns from the interpolants of a trail, where they belong. Says whether something is new.
    fn learn_from(&mut self, trail: &Trail) -> Result<bool, PushdownError> {
        let Ok(path) = Path::new(&mut self.terms, trail.steps.clone()) else { return Ok(false) };
        self.learn_along(trail, &path)
    }

    /// Learns what callers know when they call: interpolants that ignore the call structure. Those
    /// that speak about several functions at once are of no use.
    fn learn_context(&mut self, trail: &Trail) -> Result<bool, PushdownError> {
        let path = Path::flat(&mut self.terms, &trail.formulas());
        self.learn_along(trail, &path)
    }

    /// Learns from the interpolants of a path, each where it was cut.
    fn learn_along(&mut self, trail: &Trail, path: &Path) -> Result<bool, PushdownError> {
        let solver = self.solver.as_mut();
        let offered = self.interpolator.interpolate(&mut self.terms, solver, path, &self.budget);
        let sequences = match offered {
            Ok(sequences) => sequences,
            Err(Failure::Exhausted(limit)) => return Err(limit.into()),
            Err(_) => return Ok(false),
        };
        for sequence in &sequences {
            if self.learn(trail, sequence, Spread::Location)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Abstracts the steps of a path with more effort from now on. Says whether that is new.
    fn focus(&mut self, rules: &[Rule]) -> bool {
        let mut new = false;
        for rule in rules {
            if let Rule::Step(step) | Rule::Enter(step) = rule {
                new |= self.abstraction.exact.insert(*step);
            }
        }
        self.statistics.focused += u64::from(new);
        new
    }

    /// Adds the predicates of a sequence. Says whether something is new.
    fn learn(
        &mut self,
        trail: &Trail,
        sequence: &Sequence,
        spread: Spread,
    ) -> Result<bool, PushdownError> {
        let mut new = false;
        for (cut, &formula) in trail.cuts.iter().zip(&sequence.formulas) {
            let Place::At(func, loc) = *self.graph.place(cut.node) else { continue };
            for &atom in self.terms.atoms(formula).iter() {
                let Some(atom) =
                    cut.reading.generalise(&mut self.terms, &mut self.ghosts, func, atom)
                else {
                    continue;
                };
                let Some(id) = self.predicates.intern(&mut self.terms, atom)? else { continue };
                if self.predicates.get(id).functions.iter().any(|f| *f != func) {
                    continue;
                }
                let added = match spread {
                    Spread::Location => self.precision.add(func, loc, id),
                    Spread::Function => self.precision.add_to_function(func, id),
                };
                if added {
                    new = true;
                    self.tell(cut.node, id);
                }
            }
        }
        Ok(new)
    }

    /// Tells who watches about a new predicate.
    fn tell(&self, node: NodeId, id: PredicateId) {
        let atom = self.terms.display(self.predicates.get(id).atom);
        self.budget.report("predicate", format_args!("{atom} at {:?}", self.graph.place(node)));
    }
}

/// How far a predicate is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    Location,
    Function,
}
