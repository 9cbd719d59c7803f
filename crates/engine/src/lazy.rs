//! Lazy abstraction (LA Algorithm 2) over blocks.
//!
//! A tree of nodes: a place, and the region over the predicates of its location in which the
//! program can be there. A node is expanded block by block; it is covered if an older node of the
//! same place has a region that contains its own. When a block leads to an error, the blocks from
//! the root to it are one formula. If it has a model, there is a path to execute; if not,
//! interpolants give predicates, each for the location of its cut (AFP), and everything below the
//! first node whose location learned something (the pivot) is thrown away and explored again. When
//! nothing is left to expand, the program is proved.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gnomon_bdd::{Bdd, BddError};
use gnomon_budget::{Budget, Exhausted};
use gnomon_logic::encode::{Move, Ssa};
use gnomon_logic::interpolate::{Failure, Sequence};
use gnomon_logic::{Answer, Limits, Purpose, Solver, Term, Terms};
use gnomon_predabs::{
    AbstractPost, BlockFormula, PostOptions, PostStatistics, Precision, PredicateId, Predicates,
};

use crate::blocks::{Block, BlockError, Blocks, PathFormula};
use crate::candidates;
use crate::control::{Control, ControlId};
use crate::divergence::Divergence;
use crate::explore::{End, Explorer};
use crate::invariants::{BlockGraph, Wrapping};
use crate::limited::{FIRST_SYSTEM, MAX_SYSTEM, PATH_QUERY, system_limits};
use crate::outline::{Fate, OutlineNode};
use crate::proof::{Invariant, Invariants};
use crate::property::Site;
use crate::refine::{Extent, Infeasible, RefineStatistics, Refiner};
use crate::supposed::Equation;
use crate::tracked::TrackedElements;
use crate::tree::{Node, NodeId, Order, ROOT, Status, Tree};

/// How to explore.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LazyOptions {
    /// The order.
    pub order: Order,
    /// Whether a refinement keeps what is below the pivot, but for the branch that it refines
    /// (LA's `keep_subtree`).
    pub keep_subtree: bool,
    /// Abstract successors.
    pub post: PostOptions,
    /// How many nodes of the tree are outlined at the end.
    pub outlined: usize,
}

/// How far the exploration came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is more to do.
    More,
    /// Nothing is left: no error can be reached, except behind the [`Lazy::gaps`].
    Proved,
    /// An error can be reached by this path; if single elements stand for arrays, there is none.
    Error(Site, Vec<Move>),
    /// It cannot go on.
    Stopped(String),
}

/// Why the exploration ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LazyError {
    /// Of the blocks.
    #[error(transparent)]
    Block(#[from] BlockError),
    /// Of the regions.
    #[error(transparent)]
    Region(#[from] BddError),
    /// The budget ran out.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

/// Counts of what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LazyStatistics {
    /// Nodes that were covered when it ended.
    pub covered: u64,
    /// Refinements.
    pub refinements: u64,
    /// Whether simple invariants were found.
    pub simple_invariants: bool,
    /// How often the whole program was made a system of Horn clauses.
    pub systems: u64,
    /// How often that gave new predicates.
    pub solved_systems: u64,
    /// The solver resources that those had which gave none.
    pub fruitless: u64,
}

/// The exploration of one program.
pub struct Lazy<'p> {
    explorer: Explorer<'p>,
    terms: Terms,
    solver: Box<dyn Solver>,
    refiner: Refiner<'p>,
    blocks: Blocks,
    predicates: Predicates,
    precision: Precision,
    post: AbstractPost,
    tree: Tree,
    options: LazyOptions,
    budget: Budget,
    /// What the next system of the whole program may take, in solver resources.
    next_system_limit: u32,
    /// What the last system had, and how many gaps there were then.
    asked_system: Option<(u32, usize)>,
    /// The refinements that were made when the whole program was last asked.
    learned_at: u64,
    tried_candidates: bool,
    divergence: Divergence,
    /// The outline of the tree, if it was made already.
    outlined: Option<Vec<OutlineNode>>,
    /// Invariants of the whole program that exclude all errors, if they were found at once.
    solution: Option<BTreeMap<ControlId, Term>>,
    /// No error is reached within so many blocks: such ways need not be asked about.
    pub no_error_within: usize,
    /// Feasible ways to what cannot be followed.
    pub gaps: BTreeSet<String>,
    /// What was done.
    pub statistics: LazyStatistics,
}

/// Room for the nodes of all regions.
const REGION_NODES: usize = 1 << 20;
/// Cut points of a system of the whole program.
const MAX_GRAPH: usize = 400;
/// With so few cut points, simple invariants are tried before such systems: many predicates at
/// each do no harm then.
const FEW_CUT_POINTS: usize = 10;
/// How many open places are shown.
const SHOWN_OPEN: usize = 8;

impl<'p> Lazy<'p> {
    /// Explores from a place on.
    pub fn new(
        explorer: Explorer<'p>,
        solver: Box<dyn Solver>,
        refiner: Refiner<'p>,
        blocks: Blocks,
        start: ControlId,
        options: LazyOptions,
        budget: Budget,
    ) -> Result<Self, LazyError> {
        let predicates = Predicates::new(REGION_NODES)?;
        predicates.space().set_budget(budget.clone());
        let tree = Tree::new(options.order, start, predicates.space().top());
        Ok(Self {
            explorer,
            terms: Terms::new(),
            solver,
            refiner,
            blocks,
            post: AbstractPost::new(options.post),
            predicates,
            precision: Precision::default(),
            tree,
            options,
            budget,
            next_system_limit: FIRST_SYSTEM,
            asked_system: None,
            learned_at: 0,
            tried_candidates: false,
            divergence: Divergence::default(),
            outlined: None,
            solution: None,
            no_error_within: 0,
            gaps: BTreeSet::new(),
            statistics: LazyStatistics::default(),
        })
    }

    /// Tracks what is supposed at locations. Says how many predicates that gives.
    pub fn suppose(&mut self, equations: &[Equation]) -> Result<u64, LazyError> {
        let mut new = 0;
        for equation in equations {
            let encoder = &mut self.explorer.encoder;
            let Some(atom) = equation.atom(encoder, &mut self.terms) else { continue };
            let Some(id) = self.predicates.intern(&mut self.terms, atom)? else { continue };
            new += u64::from(self.precision.add(equation.func, equation.loc, id));
        }
        Ok(new)
    }

    /// What the abstract successors took.
    pub fn post_statistics(&self) -> PostStatistics {
        self.post.statistics
    }

    /// What refining took.
    pub fn refine_statistics(&self) -> RefineStatistics {
        self.refiner.statistics
    }

    /// The elements that stand for arrays, if they do.
    pub fn tracked_elements(&self) -> Option<&TrackedElements> {
        self.blocks.tracked_elements()
    }

    /// How many nodes were made, removed ones included.
    pub fn node_count(&self) -> usize {
        self.tree.len()
    }

    /// How many predicates there are.
    pub fn predicate_count(&self) -> usize {
        self.predicates.len()
    }

    /// The number of predicates of every place that was reached and has some.
    pub fn predicates_of_places(&self) -> Vec<usize> {
        let places: BTreeSet<ControlId> = self.tree.present().map(|n| n.place).collect();
        places.into_iter().map(|p| self.tracked_at(p).len()).filter(|&n| n > 0).collect()
    }

    /// Asks for invariants of the whole program before any path was looked at.
    pub fn learn_first(&mut self) -> Result<(), LazyError> {
        if self.block_graph()?.is_some() {
            self.blocks.share_positions(&mut self.terms);
            self.learn_from_program(MAX_SYSTEM)?;
        }
        Ok(())
    }

    /// Explores until a number of refinements were made, or the end.
    pub fn run(&mut self, refinements: u64) -> Result<Step, LazyError> {
        let until = self.statistics.refinements + refinements;
        while let Some(node) = self.tree.next_waiting() {
            if self.solution.is_some() {
                return Ok(Step::Proved);
            }
            self.budget.check()?;
            if self.tree.cover(node)? {
                continue;
            }
            match self.expand(node)? {
                Step::More => {}
                Step::Stopped(reason) => {
                    if !self.learn_from_program(MAX_SYSTEM)? {
                        return Ok(Step::Stopped(reason));
                    }
                }
                other => return Ok(other),
            }
            if self.statistics.refinements >= until {
                // One refinement for every cut point is what a program may need by itself.
                let since = self.statistics.refinements - self.learned_at;
                if self.tree.has_waiting() && since >= self.tree.places() as u64 {
                    self.learn_from_program(self.next_system_limit)?;
                    self.next_system_limit = (self.next_system_limit * 2).min(MAX_SYSTEM);
                    self.learned_at = self.statistics.refinements;
                }
                return Ok(Step::More);
            }
        }
        let covered = |n: &&Node| matches!(n.status, Status::CoveredBy(_));
        self.statistics.covered = self.tree.present().filter(covered).count() as u64;
        Ok(Step::Proved)
    }

    /// Adds the successors of a node.
    fn expand(&mut self, id: NodeId) -> Result<Step, LazyError> {
        let Node { place, region, .. } = self.tree.get(id).clone();
        let known = self.tree.blocks_behind(id);
        let blocks = self.blocks_from(place, id == ROOT)?;
        for block in blocks.iter() {
            if known.contains(&block.id) {
                continue;
            }
            let wanted = match &block.end {
                End::Control(to) => self.tracked_at(*to),
                _ => Vec::new(),
            };
            let successor = self.successor(&region, block, &wanted)?;
            if successor.is_false() {
                continue;
            }
            match &block.end {
                End::Control(to) => self.tree.add(*to, successor, Some((id, block.clone()))),
                End::Error(_) | End::Stuck(_) => {
                    let step = self.examine(id, block)?;
                    if step != Step::More {
                        return Ok(step);
                    }
                    if self.tree.get(id).status != Status::Expanded {
                        return Ok(Step::More);
                    }
                }
            }
        }
        Ok(Step::More)
    }

    /// The abstract successor of a region.
    fn successor(
        &mut self,
        region: &Bdd,
        block: &Block,
        wanted: &[PredicateId],
    ) -> Result<Bdd, BddError> {
        let formula = BlockFormula { id: block.id, formula: block.formula, after: &block.after };
        let (terms, solver) = (&mut self.terms, self.solver.as_mut());
        self.post.successor(&self.predicates, terms, solver, region, formula, wanted)
    }

    /// All blocks of the program, if there are not too many.
    fn block_graph(&mut self) -> Result<Option<BlockGraph>, LazyError> {
        let mut graph = BlockGraph::default();
        let mut work = Vec::new();
        let root = self.tree.get(ROOT).place;
        graph.first = self.blocks_from(root, true)?.to_vec();
        let ends = |blocks: &[Rc<Block>]| -> Vec<ControlId> {
            let to = |b: &Rc<Block>| match b.end {
                End::Control(to) => Some(to),
                _ => None,
            };
            blocks.iter().filter_map(to).collect()
        };
        work.extend(ends(&graph.first));
        while let Some(place) = work.pop() {
            if graph.from.contains_key(&place) {
                continue;
            }
            if graph.from.len() == MAX_GRAPH {
                return Ok(None);
            }
            let blocks = self.blocks_from(place, false)?.to_vec();
            work.extend(ends(&blocks));
            graph.from.insert(place, blocks);
        }
        Ok(Some(graph))
    }

    /// Asks for invariants of the whole program, and begins again with their atoms as predicates.
    /// Says whether there was anything new.
    fn learn_from_program(&mut self, wanted: u32) -> Result<bool, LazyError> {
        let Some(graph) = self.block_graph()? else { return Ok(false) };
        let few = graph.from.len() <= FEW_CUT_POINTS && self.blocks.tracked_elements().is_none();
        if few && self.learn_simple_invariants(&graph)? {
            return Ok(true);
        }
        let (resources, guard) = system_limits(&self.budget, wanted);
        let asked = (resources, self.gaps.len());
        if self.asked_system.is_some_and(|(most, gaps)| resources <= most && gaps == asked.1) {
            // The same question with no more effort has the same answer.
            return self.learn_simple_invariants(&graph);
        }
        self.asked_system = Some(asked);
        self.budget.report("refine", format_args!("invariants of the whole program"));
        self.statistics.systems += 1;
        let gaps = self.gaps.clone();
        let forbidden = |end: &End| match end {
            End::Error(_) => true,
            End::Stuck(reason) => !gaps.contains(&**reason),
            End::Control(_) => false,
        };
        for wrapping in [Wrapping::Ignored, Wrapping::Exact] {
            self.budget.check_now()?;
            match graph.invariants(&mut self.terms, wrapping, forbidden, resources, guard) {
                Ok(invariants) => {
                    let (terms, solver) = (&mut self.terms, self.solver.as_mut());
                    if graph.is_solution(&invariants, terms, solver, forbidden) {
                        self.statistics.solved_systems += 1;
                        self.solution = Some(invariants);
                        return Ok(true);
                    }
                    if self.track_invariants(invariants)? {
                        self.statistics.solved_systems += 1;
                        self.tree.begin_again();
                        return Ok(true);
                    }
                }
                Err(reason) => {
                    self.statistics.fruitless += u64::from(resources);
                    self.budget.report("refine", format_args!("no invariants: {reason}"));
                }
            }
            if !graph.may_wrap() {
                break;
            }
        }
        self.learn_simple_invariants(&graph)
    }

    /// Supposes simple invariants and keeps those that hold, once. Says whether there was anything
    /// new.
    fn learn_simple_invariants(&mut self, graph: &BlockGraph) -> Result<bool, LazyError> {
        if self.tried_candidates {
            return Ok(false);
        }
        self.tried_candidates = true;
        self.budget.report("refine", format_args!("simple invariants"));
        let (terms, solver) = (&mut self.terms, self.solver.as_mut());
        let found = candidates::surviving(graph, terms, solver, &self.budget)?;
        let Some(invariants) = found else { return Ok(false) };
        let new = self.track_invariants(invariants)?;
        if new {
            self.statistics.simple_invariants = true;
            self.tree.begin_again();
        }
        Ok(new)
    }

    /// Tracks the atoms of invariants. Says whether there was anything new.
    fn track_invariants(
        &mut self,
        invariants: BTreeMap<ControlId, Term>,
    ) -> Result<bool, LazyError> {
        let mut new = false;
        for (place, formula) in invariants {
            for atom in self.atoms(formula) {
                let Some(id) = self.predicates.intern(&mut self.terms, atom)? else { continue };
                if self.is_in_scope(id, place) {
                    new |= self.add_predicate(place, id);
                }
            }
        }
        Ok(new)
    }

    fn blocks_from(&mut self, place: ControlId, first: bool) -> Result<Rc<[Rc<Block>]>, LazyError> {
        Ok(self.blocks.from(&mut self.explorer, &mut self.terms, place, first)?)
    }

    /// The predicates of a place that speak only about functions that are open there.
    fn tracked_at(&self, place: ControlId) -> Vec<PredicateId> {
        let control = self.explorer.space.get(place);
        let mut tracked = self.precision.at_place(control.func, control.loc, place.0);
        tracked.retain(|&id| self.is_in_scope(id, place));
        tracked
    }

    fn is_in_scope(&self, id: PredicateId, place: ControlId) -> bool {
        self.predicates.get(id).functions.iter().all(|f| self.explorer.space.is_open(place, *f))
    }

    /// Looks at a way to an error, or to what cannot be followed.
    fn examine(&mut self, id: NodeId, last: &Rc<Block>) -> Result<Step, LazyError> {
        let (nodes, mut blocks) = self.tree.branch(id);
        blocks.push(last.clone());
        let path = PathFormula::new(&mut self.terms, blocks.clone());
        self.budget.report(
            "refine",
            format_args!(
                "{} refinements, {} predicates, {} nodes, path of {} blocks",
                self.statistics.refinements,
                self.predicates.len(),
                self.tree.len(),
                nodes.len()
            ),
        );
        let limits = Limits::default().with_resources(PATH_QUERY);
        let is_known = matches!(last.end, End::Error(_)) && nodes.len() <= self.no_error_within;
        let answer = if is_known {
            Answer::Unsat
        } else {
            self.solver.check(&self.terms, &path.formulas, Purpose::FEASIBILITY, limits)
        };
        match answer {
            Answer::Unsat => self.refine(&nodes, &blocks, &path),
            Answer::Unknown(reason) => Ok(Step::Stopped(format!("a path is too hard: {reason}"))),
            Answer::Sat => match &last.end {
                // With single elements in place of arrays that is no path of the program.
                End::Error(site) if self.blocks.tracked_elements().is_some() => {
                    Ok(Step::Error(*site, Vec::new()))
                }
                End::Error(site) => {
                    let facts = path.facts(&self.explorer, &mut self.terms);
                    let model = self.solver.model(&self.terms, &facts);
                    let steps = path.steps(&self.explorer, &mut self.terms, &model);
                    Ok(match steps {
                        Some(steps) => Step::Error(*site, steps),
                        None => Step::Stopped("a model without a path".into()),
                    })
                }
                End::Stuck(reason) => {
                    self.gaps.insert(reason.to_string());
                    Ok(Step::More)
                }
                End::Control(_) => Ok(Step::More),
            },
        }
    }

    /// Learns predicates from a path that cannot be executed, and throws away what they change.
    fn refine(
        &mut self,
        nodes: &[NodeId],
        blocks: &[Rc<Block>],
        path: &PathFormula,
    ) -> Result<Step, LazyError> {
        self.statistics.refinements += 1;
        let start = self.tree.get(ROOT).place;
        let way = Infeasible { start, blocks, path };
        let mut known: Vec<(Extent, Vec<Sequence>)> = Vec::new();
        for spread in [Spread::Location, Spread::Function, Spread::Everywhere] {
            for extent in [Extent::Sliced, Extent::Whole] {
                if !known.iter().any(|(e, _)| *e == extent) {
                    let (explorer, terms) = (&mut self.explorer, &mut self.terms);
                    let solver = self.solver.as_mut();
                    let offered =
                        self.refiner.sequences(explorer, terms, solver, &way, extent, &self.budget);
                    match offered {
                        Ok(sequences) => known.push((extent, sequences)),
                        Err(Failure::Exhausted(reason)) => return Err(reason.into()),
                        Err(failure) => {
                            let why = format!("no interpolants for a path: {failure}");
                            return Ok(Step::Stopped(why));
                        }
                    }
                }
                let offered = known.iter().filter(|(e, _)| *e == extent).flat_map(|(_, s)| s);
                for sequence in offered.cloned().collect::<Vec<_>>() {
                    if let Some(pivot) = self.learn(nodes, &sequence, spread)? {
                        self.refine_from(nodes, pivot)?;
                        return Ok(match self.divergence.take() {
                            None => Step::More,
                            Some(atom) => Step::Stopped(format!(
                                "refinement diverges: predicates like `{}` differ in constants only",
                                self.terms.display(atom)
                            )),
                        });
                    }
                }
            }
        }
        Ok(Step::Stopped("the interpolants of a path bring nothing new".into()))
    }

    /// Explores again from the pivot on: all that is below it, or its branch only.
    fn refine_from(&mut self, nodes: &[NodeId], pivot: usize) -> Result<(), LazyError> {
        if !self.options.keep_subtree {
            self.tree.remove(nodes[pivot]);
            self.tree.wait(nodes[pivot - 1]);
            return Ok(());
        }
        for &id in &nodes[pivot..] {
            let Some((parent, block)) = self.tree.get(id).parent.clone() else { continue };
            let (before, place) = (self.tree.get(parent).region.clone(), self.tree.get(id).place);
            let wanted = self.tracked_at(place);
            let region = self.successor(&before, &block, &wanted)?;
            if region.is_false() {
                self.tree.remove(id);
                return Ok(());
            }
            self.tree.shrink(id, region);
        }
        if let Some(&last) = nodes.last() {
            self.tree.wait(last);
        }
        Ok(())
    }

    /// Adds the predicates of a sequence. Gives the position of the first node that learned
    /// something.
    fn learn(
        &mut self,
        nodes: &[NodeId],
        sequence: &Sequence,
        spread: Spread,
    ) -> Result<Option<usize>, LazyError> {
        let mut pivot = None;
        for (position, &node) in nodes.iter().enumerate().skip(1) {
            let formula = self.terms.without_indices(sequence.formulas[position]);
            let place = self.tree.get(node).place;
            let control = self.explorer.space.get(place);
            for atom in self.atoms(formula) {
                let Some(id) = self.predicates.intern(&mut self.terms, atom)? else { continue };
                if !self.is_in_scope(id, place) {
                    continue;
                }
                let new = match spread {
                    Spread::Location => self.add_predicate(place, id),
                    Spread::Function => self.precision.add_to_function(control.func, id),
                    Spread::Everywhere => self.precision.add_everywhere(id),
                };
                if new {
                    self.divergence.count(&mut self.terms, control.func, control.loc, atom);
                }
                if new && pivot.is_none() {
                    pivot = Some(position);
                }
            }
        }
        Ok(pivot)
    }

    /// Tracks a predicate at a location; if it speaks about variables of callers, only under the
    /// calls that are open there. Says whether that is new.
    fn add_predicate(&mut self, place: ControlId, id: PredicateId) -> bool {
        let Control { func, loc, .. } = self.explorer.space.get(place);
        if self.predicates.get(id).functions.iter().all(|f| *f == func) {
            self.precision.add(func, loc, id)
        } else {
            self.precision.add_at_place(func, loc, place.0, id)
        }
    }

    fn atoms(&mut self, formula: Term) -> Vec<Term> {
        self.terms.atoms(formula).to_vec()
    }

    /// The invariant of every place that was reached, with the alias facts that they rely on;
    /// nothing can be explored after that.
    pub fn invariants(&mut self) -> Result<Invariants, LazyError> {
        // The invariants take the terms with them.
        self.outlined = Some(self.new_outline()?);
        let formulas = match self.solution.take() {
            Some(solution) => solution,
            None => self.formulas_of_regions()?,
        };
        let mut places = Vec::with_capacity(formulas.len());
        for (place, formula) in formulas {
            let Control { func, loc, .. } = self.explorer.space.get(place);
            places.push(Invariant {
                calls: self.explorer.space.open_calls(place),
                func,
                loc,
                formula: self.terms.without_indices(formula),
            });
        }
        let theory = self.explorer.encoder.theory();
        let elements = match self.blocks.tracked_elements() {
            Some(tracked) => tracked.list(&mut self.terms),
            None => Vec::new(),
        };
        let terms = std::mem::take(&mut self.terms);
        Ok(Invariants { theory, terms, places, elements })
    }

    /// What is known of every place that was reached.
    fn formulas_of_regions(&mut self) -> Result<BTreeMap<ControlId, Term>, LazyError> {
        let mut regions: BTreeMap<ControlId, Bdd> = BTreeMap::new();
        for node in self.tree.present() {
            let region = match regions.get(&node.place) {
                Some(known) => known.or(&node.region)?,
                None => node.region.clone(),
            };
            regions.insert(node.place, region);
        }
        let mut formulas = BTreeMap::new();
        for (place, region) in regions {
            let formula = self.predicates.formula(&mut self.terms, &region, &Ssa::new())?;
            formulas.insert(place, formula);
        }
        Ok(formulas)
    }

    /// The tree for people: its oldest nodes.
    pub fn outline(&mut self) -> Result<Vec<OutlineNode>, LazyError> {
        match self.outlined.take() {
            Some(outlined) => Ok(outlined),
            None => self.new_outline(),
        }
    }

    fn new_outline(&mut self) -> Result<Vec<OutlineNode>, LazyError> {
        let mut outline = Vec::new();
        let mut numbers: BTreeMap<NodeId, usize> = BTreeMap::new();
        for (id, node) in self.tree.present_ids().take(self.options.outlined) {
            let parent = node.parent.as_ref().and_then(|(parent, _)| numbers.get(parent).copied());
            let fate = match node.status {
                Status::CoveredBy(other) => {
                    numbers.get(&other).map_or(Fate::Expanded, |&number| Fate::CoveredBy(number))
                }
                Status::Waiting => Fate::Waiting,
                Status::Expanded | Status::Removed => Fate::Expanded,
            };
            numbers.insert(id, outline.len());
            let Control { func, loc, .. } = self.explorer.space.get(node.place);
            let formula = self.predicates.formula(&mut self.terms, &node.region, &Ssa::new())?;
            let formula = self.terms.without_indices(formula);
            let region = self.terms.display(formula).to_string();
            outline.push(OutlineNode { parent, func, loc, region, fate });
        }
        Ok(outline)
    }

    /// Where exploration would go on, for people.
    pub fn open_work(&self) -> Vec<String> {
        let mut open: BTreeMap<String, usize> = BTreeMap::new();
        for node in self.tree.present().filter(|n| n.status == Status::Waiting) {
            *open.entry(self.explorer.space.describe(node.place)).or_default() += 1;
        }
        let mut lines: Vec<String> = open
            .iter()
            .take(SHOWN_OPEN)
            .map(|(place, count)| format!("still open: {place} ({count} states)"))
            .collect();
        if open.len() > SHOWN_OPEN {
            lines.push(format!("still open: {} more places", open.len() - SHOWN_OPEN));
        }
        lines
    }

    /// The solver.
    pub fn solver(&self) -> &dyn Solver {
        self.solver.as_ref()
    }
}

/// How far a predicate is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    Location,
    Function,
    Everywhere,
}
