//! Error projections on C source (AEP 2, 5; LAL 5.2, 5.3).
//!
//! Under the present predicates a step is in the projection if some path of the pushdown system leads
//! from the start over it to a target; every other step is proved irrelevant. Each step in it has the
//! set of valuations with which it lies on such a path, and a path over it. That path is looked at: if
//! it can be executed, so can all its steps on the path to the error; if not, the step is suspect only
//! because predicates are missing. A few iterations of refinement by such paths make the projection
//! smaller (the error itself needed no more predicates, its surroundings may).
//!
//! A step is a chain without branches, so what is found for it holds for its lines.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_bdd::Bdd;
use gnomon_budget::Budget;
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::FuncId;
use gnomon_ir::span::FileId;
use gnomon_logic::encode::Move;
use gnomon_logic::{Answer, Limits, Purpose, Solver};
use gnomon_predabs::PredicateId;
use gnomon_wpds::domains::BddRelations;
use gnomon_wpds::{FunctionalAutomaton, Fwpds, FwpdsOptions, Semiring, Symbol, WpdsError};

use super::engine::{Pushdown, PushdownError};
use super::graph::{NodeId, Place, StepId};
use super::system::{Grain, System, control_flow_slice, matters};
use super::trail::{Rule, Trail};

type Solved<'a> = Fwpds<'a, BddRelations>;

/// A system with what its start reaches and what reaches its targets.
pub struct Analysed<'a> {
    system: &'a System,
    forward: Solved<'a>,
    backward: Solved<'a>,
}

/// The two put together.
pub struct Projected<'a> {
    system: &'a System,
    automaton: FunctionalAutomaton<'a, BddRelations, Solved<'a>, Solved<'a>>,
}

impl<'a> Analysed<'a> {
    /// Solves a system in both directions.
    pub fn new(
        system: &'a System,
        targets: &BTreeSet<NodeId>,
        budget: &Budget,
    ) -> Result<Self, WpdsError> {
        let options =
            || FwpdsOptions { trace: true, budget: budget.clone(), ..FwpdsOptions::default() };
        let forward = Fwpds::poststar(system.wpds(), &system.start(), options())?;
        let one = system.wpds().domain().one();
        let goal = system.goal(targets)?.weighted(&one);
        let backward = Fwpds::prestar(system.wpds(), &goal, options())?;
        Ok(Self { system, forward, backward })
    }

    /// The projection.
    pub fn projection(&self) -> Result<Projected<'_>, WpdsError> {
        let automaton = FunctionalAutomaton::new(&self.forward, &self.backward)?;
        Ok(Projected { system: self.system, automaton })
    }
}

impl Projected<'_> {
    /// The symbols on paths to a target, each with its stores.
    pub fn stores(&self) -> Result<Vec<(Symbol, Bdd)>, WpdsError> {
        let goals = self.automaton.goals()?;
        let mut found = Vec::new();
        for (control, symbol) in self.automaton.heads() {
            let stores = match &goals {
                Some(goals) => self.automaton.stores_at(goals, control, symbol)?,
                None => self.automaton.stores_above(control, symbol)?,
            };
            if !stores.is_false() {
                found.push((symbol, stores));
            }
        }
        Ok(found)
    }

    /// A shortest path over a symbol to a target.
    fn path_over(&self, symbol: Symbol, budget: &Budget) -> Result<Option<Vec<Rule>>, WpdsError> {
        let witness = self.automaton.witness_through(self.system.control(), symbol)?;
        let path = witness.shortest_path(budget)?;
        Ok(path.map(|path| self.system.meaning(&path.rules)))
    }
}

/// Whether the path that is shown for a step can be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feasibility {
    /// It can: the step lies on a feasible error path.
    Feasible,
    /// It was not found out.
    Unknown,
    /// It cannot; another path over the step may.
    Infeasible,
}

/// A step in a projection.
#[derive(Clone, Debug)]
pub struct ProjectedStep {
    /// The function.
    pub func: FuncId,
    /// Its edges, with the one that is the error or unsupported.
    pub edges: Vec<EdgeId>,
    /// The valuations with which it lies on a path to a target, for people: of each, the predicates
    /// that hold or do not. Empty if any valuation will do.
    pub conditions: Vec<Vec<String>>,
    /// A path over it to a target.
    pub path: Vec<Move>,
    /// Whether that target is an error, or else something unsupported.
    pub ends_in_error: bool,
    /// Whether that can be executed.
    pub feasibility: Feasibility,
}

/// The error projection of a program.
#[derive(Clone, Debug, Default)]
pub struct Projection {
    /// The steps in it.
    pub steps: Vec<ProjectedStep>,
    /// How many steps the program has, as far as they can be reached by its control flow.
    pub all_steps: usize,
    /// How many of them a slice of the control flow keeps.
    pub control_flow_steps: usize,
    /// The edges of all steps.
    pub all_edges: BTreeSet<(FuncId, EdgeId)>,
    /// The edges that a slice of the control flow keeps.
    pub control_flow_edges: BTreeSet<(FuncId, EdgeId)>,
}

impl Projection {
    /// The edges in it.
    pub fn edges(&self) -> BTreeSet<(FuncId, EdgeId)> {
        let edges = self.steps.iter().flat_map(|s| s.edges.iter().map(|&e| (s.func, e)));
        edges.collect()
    }

    /// The steps by source line.
    pub fn lines(
        &self,
        program: &gnomon_ir::program::Program,
    ) -> BTreeMap<(FileId, u32), Vec<&ProjectedStep>> {
        let mut lines: BTreeMap<(FileId, u32), Vec<&ProjectedStep>> = BTreeMap::new();
        for step in &self.steps {
            let of_step: BTreeSet<_> =
                step.edges.iter().filter_map(|&e| line_of(program, step.func, e)).collect();
            for line in of_step {
                lines.entry(line).or_default().push(step);
            }
        }
        lines
    }
}

/// The source line of an edge.
pub fn line_of(
    program: &gnomon_ir::program::Program,
    func: FuncId,
    edge: EdgeId,
) -> Option<(FileId, u32)> {
    let span = program.funcs[func].body.as_ref()?.edge(edge).span;
    (!span.is_none()).then_some((span.file, span.line))
}

/// A path that cannot be executed.
type Suspect = (Vec<Rule>, Trail);

/// So often a projection is refined by paths in it that cannot be executed.
pub const ITERATIONS: usize = 12;
/// By so many at a time.
const SUSPECTS: usize = 4;
/// So many valuations are shown of one step.
const SHOWN_CONDITIONS: usize = 8;
/// The limit of a query about a path over a step.
const PATH_QUERY: u32 = 5_000_000;

impl Pushdown<'_> {
    /// The error projection under the present predicates, refined so often by paths in it that cannot
    /// be executed, with a budget and a solver of its own: those of the loop may be used up.
    pub fn project(
        mut self,
        solver: Box<dyn Solver>,
        budget: &Budget,
        iterations: usize,
    ) -> Result<Projection, PushdownError> {
        self.solver = solver;
        self.budget = budget.clone();
        // A projection speaks about every line: what holds along the whole of a path counts.
        self.refiner.stop_slicing();
        self.encoder.set_budget(budget.clone());
        self.abstraction.set_budget(budget);
        let errors: BTreeSet<NodeId> = self.all_targets();
        if !self.projections {
            self.relevant = control_flow_slice(&self.graph, &errors, &self.budget)?;
        }
        let (mut projection, mut suspects) = self.iterate(&errors)?;
        for _ in 0..iterations {
            let mut learned = false;
            for (rules, trail) in suspects.into_iter().take(SUSPECTS) {
                let before = (self.tracking.predicates.len(), self.statistics.focused);
                self.refine(&rules, &trail)?;
                learned |= before != (self.tracking.predicates.len(), self.statistics.focused);
            }
            if !learned || self.budget.check().is_err() {
                break;
            }
            (projection, suspects) = match self.iterate(&errors) {
                Ok(found) => found,
                // What was found before is a projection too.
                Err(PushdownError::Exhausted(_)) => break,
                Err(error) => return Err(error),
            };
        }
        Ok(projection)
    }

    /// The projection under the present predicates, and the paths in it that cannot be executed.
    fn iterate(
        &mut self,
        errors: &BTreeSet<NodeId>,
    ) -> Result<(Projection, Vec<Suspect>), PushdownError> {
        let system = self.system(Grain::Steps)?;
        let analysed = Analysed::new(&system, errors, &self.budget)?;
        let projected = analysed.projection()?;
        let nodes = self.graph.nodes().count() as u32;
        let mut stores: BTreeMap<StepId, Bdd> = BTreeMap::new();
        for (symbol, states) in projected.stores()? {
            if symbol.0 >= nodes {
                stores.insert(StepId(symbol.0 - nodes), states);
            }
        }
        let mut paths = Paths::default();
        let mut projection = self.surroundings(errors)?;
        let mut suspects = Vec::new();
        // Paths to errors are shown rather than paths to what is unsupported.
        let real: BTreeSet<NodeId> = errors.iter().copied().filter(|n| self.is_error(*n)).collect();
        if !real.is_empty() && real.len() < errors.len() {
            let analysed = Analysed::new(&system, &real, &self.budget)?;
            let projected = analysed.projection()?;
            self.look_over(&system, &projected, stores.keys(), &mut paths, &mut suspects)?;
        }
        self.look_over(&system, &projected, stores.keys(), &mut paths, &mut suspects)?;
        for (&id, states) in &stores {
            let Some((func, edges)) = self.edges_of(id) else { continue };
            let Looked { path, feasibility, ends_in_error } = paths.of(id);
            let conditions = self.conditions(states);
            let step = ProjectedStep { func, edges, conditions, path, ends_in_error, feasibility };
            projection.steps.push(step);
        }
        Ok((projection, suspects))
    }

    fn is_error(&self, node: NodeId) -> bool {
        matches!(self.graph.place(node), Place::Error(_))
    }

    /// Looks at a path over each step of which none is known that can be executed.
    fn look_over<'s>(
        &mut self,
        system: &System,
        projected: &Projected<'_>,
        steps: impl Iterator<Item = &'s StepId>,
        paths: &mut Paths,
        suspects: &mut Vec<Suspect>,
    ) -> Result<(), PushdownError> {
        for &id in steps {
            if paths.feasible.contains_key(&id) {
                continue;
            }
            if let Some(rules) = projected.path_over(system.step_symbol(id), &self.budget)? {
                suspects.extend(self.look_at(id, rules, paths)?);
            }
        }
        Ok(())
    }

    /// The counts beside which a projection is shown.
    fn surroundings(&self, targets: &BTreeSet<NodeId>) -> Result<Projection, PushdownError> {
        let slice = control_flow_slice(&self.graph, targets, &self.budget)?;
        let mut projection = Projection::default();
        for (id, step) in self.graph.steps() {
            let Some((func, edges)) = self.edges_of(id) else { continue };
            let edges = edges.into_iter().map(|e| (func, e));
            projection.all_steps += 1;
            projection.all_edges.extend(edges.clone());
            if matters(&self.graph, &slice, step) {
                projection.control_flow_steps += 1;
                projection.control_flow_edges.extend(edges);
            }
        }
        Ok(projection)
    }

    /// The edges of a step, with the one that is not taken at its end.
    fn edges_of(&self, id: StepId) -> Option<(FuncId, Vec<EdgeId>)> {
        let step = self.graph.step(id);
        let (func, edges) = step.edges()?;
        let mut edges = edges.to_vec();
        let last = match self.graph.place(step.to) {
            Place::Error(site) => Some(site.edge),
            Place::Stuck(what) => what.place.map(|(_, edge)| edge),
            Place::Start | Place::At(..) => None,
        };
        edges.extend(last.filter(|edge| !step.edges().is_some_and(|(_, e)| e.contains(edge))));
        Some((func, edges))
    }

    /// Looks at a path over a step; gives it back if it cannot be executed.
    fn look_at(
        &mut self,
        id: StepId,
        rules: Vec<Rule>,
        paths: &mut Paths,
    ) -> Result<Option<Suspect>, PushdownError> {
        let trail =
            Trail::new(&mut self.encoder, &mut self.terms, &self.graph, self.entry, &rules)?;
        let limits = Limits::default().with_resources(PATH_QUERY);
        let formulas = trail.formulas();
        let ends_in_error = trail.cuts.last().is_some_and(|cut| self.is_error(cut.node));
        let looked = |feasibility: Feasibility| {
            let path = trail.moves.clone();
            Looked { path, feasibility, ends_in_error }
        };
        match self.solver.check(&self.terms, &formulas, Purpose::FEASIBILITY, limits) {
            Answer::Sat => {
                for rule in &rules {
                    if let Rule::Step(step) | Rule::Enter(step) = rule {
                        let looked = || looked(Feasibility::Feasible);
                        paths.feasible.entry(*step).or_insert_with(looked);
                    }
                }
            }
            Answer::Unsat => {
                paths.others.insert(id, looked(Feasibility::Infeasible));
                return Ok(Some((rules, trail)));
            }
            Answer::Unknown(_) => {
                paths.others.insert(id, looked(Feasibility::Unknown));
            }
        }
        Ok(None)
    }

    /// Valuations for people.
    fn conditions(&self, stores: &Bdd) -> Vec<Vec<String>> {
        let vocabulary = self.abstraction.vocabulary();
        let numbers: BTreeMap<_, _> =
            vocabulary.before().iter().enumerate().map(|(i, var)| (*var, i)).collect();
        let mut shown = Vec::new();
        for cube in stores.cubes().into_iter().take(SHOWN_CONDITIONS) {
            let mut literals = Vec::new();
            for (var, value) in cube {
                let Some(&number) = numbers.get(&var) else { continue };
                if number < self.tracking.predicates.len() {
                    let atom = self.tracking.predicates.get(PredicateId(number as u32)).atom;
                    let text = self.terms.display(atom).to_string();
                    literals.push(if value { text } else { format!("!({text})") });
                }
            }
            shown.push(literals);
        }
        shown.retain(|literals| !literals.is_empty());
        shown
    }
}

/// Paths that were looked at.
#[derive(Default)]
struct Paths {
    feasible: BTreeMap<StepId, Looked>,
    others: BTreeMap<StepId, Looked>,
}

/// A path that was looked at.
#[derive(Clone)]
struct Looked {
    path: Vec<Move>,
    feasibility: Feasibility,
    ends_in_error: bool,
}

impl Paths {
    fn of(&self, step: StepId) -> Looked {
        let known = self.feasible.get(&step).or_else(|| self.others.get(&step));
        let unknown = || {
            let feasibility = Feasibility::Unknown;
            Looked { path: Vec::new(), feasibility, ends_in_error: false }
        };
        known.cloned().unwrap_or_else(unknown)
    }
}
