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
use std::time::Duration;

use gnomon_bdd::{Bdd, BddError};
use gnomon_budget::{Budget, Exhausted};
use gnomon_logic::encode::Move;
use gnomon_logic::interpolate::{Failure, Interpolator, Path, Sequence};
use gnomon_logic::{Answer, Limits, Purpose, Solver, Term, Terms};
use gnomon_predabs::{
    AbstractPost, BlockFormula, PostOptions, PostStatistics, Precision, PredicateId, Predicates,
};
use rustc_hash::FxHashMap;

use crate::blocks::{Block, BlockError, Blocks, PathFormula};
use crate::control::ControlId;
use crate::explore::{End, Explorer};
use crate::invariants::{BlockGraph, Wrapping};
use crate::property::Site;

gnomon_ir::ids! {
    /// A node of the tree.
    NodeId "n";
}

/// In which order nodes are expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Order {
    /// The youngest first.
    Depth,
    /// Those that are the fewest blocks away from the root first.
    #[default]
    Breadth,
}

/// How to explore.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LazyOptions {
    /// The order.
    pub order: Order,
    /// Abstract successors.
    pub post: PostOptions,
}

/// What a node is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Waiting,
    Expanded,
    CoveredBy(NodeId),
    Removed,
}

#[derive(Clone, Debug)]
struct Node {
    place: ControlId,
    region: Bdd,
    parent: Option<(NodeId, Rc<Block>)>,
    children: Vec<NodeId>,
    covers: Vec<NodeId>,
    status: Status,
    depth: u32,
}

/// How far the exploration came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is more to do.
    More,
    /// Nothing is left: no error can be reached, except behind the [`Lazy::gaps`].
    Proved,
    /// An error can be reached by this path.
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
    /// Nodes made, removed ones included.
    pub nodes: u64,
    /// Nodes that were covered when it ended.
    pub covered: u64,
    /// Refinements.
    pub refinements: u64,
    /// How often the whole program was made a system of Horn clauses.
    pub systems: u64,
    /// How often that gave new predicates.
    pub solved_systems: u64,
}

/// The exploration of one program.
pub struct Lazy<'p> {
    explorer: Explorer<'p>,
    terms: Terms,
    solver: Box<dyn Solver>,
    interpolator: Interpolator,
    blocks: Blocks,
    predicates: Predicates,
    precision: Precision,
    post: AbstractPost,
    nodes: Vec<Node>,
    waiting: BTreeSet<(u32, NodeId)>,
    at_place: FxHashMap<ControlId, Vec<NodeId>>,
    options: LazyOptions,
    budget: Budget,
    /// How long the next system of the whole program may take.
    system_time: Duration,
    /// Feasible ways to what cannot be followed.
    pub gaps: BTreeSet<String>,
    /// What was done.
    pub statistics: LazyStatistics,
}

/// Room for the nodes of all regions.
const REGION_NODES: usize = 1 << 22;
/// Systems of the whole program: cut points, time, and solver resources.
const MAX_GRAPH: usize = 400;
const FIRST_SYSTEM_TIME: Duration = Duration::from_secs(3);
const MAX_SYSTEM_TIME: Duration = Duration::from_secs(20);
const SYSTEM_RESOURCES: u32 = 100_000_000;
/// The limit of a query about a whole path.
const PATH_QUERY: u32 = 20_000_000;

impl<'p> Lazy<'p> {
    /// Explores from a place on.
    pub fn new(
        explorer: Explorer<'p>,
        solver: Box<dyn Solver>,
        start: ControlId,
        options: LazyOptions,
        budget: Budget,
    ) -> Result<Self, LazyError> {
        let predicates = Predicates::new(REGION_NODES)?;
        predicates.space().set_budget(budget.clone());
        let mut lazy = Self {
            explorer,
            terms: Terms::new(),
            solver,
            interpolator: Interpolator::default(),
            blocks: Blocks::default(),
            post: AbstractPost::new(options.post),
            predicates,
            precision: Precision::default(),
            nodes: Vec::new(),
            waiting: BTreeSet::new(),
            at_place: FxHashMap::default(),
            options,
            budget,
            system_time: FIRST_SYSTEM_TIME,
            gaps: BTreeSet::new(),
            statistics: LazyStatistics::default(),
        };
        let region = lazy.predicates.space().top();
        lazy.add_node(start, region, None);
        Ok(lazy)
    }

    /// What the abstract successors took.
    pub fn post_statistics(&self) -> PostStatistics {
        self.post.statistics
    }

    /// How many predicates there are.
    pub fn predicate_count(&self) -> usize {
        self.predicates.len()
    }

    /// Which predicates are tracked where.
    pub fn precision(&self) -> &Precision {
        &self.precision
    }

    /// Explores until a number of refinements were made, or the end.
    pub fn run(&mut self, refinements: u64) -> Result<Step, LazyError> {
        let until = self.statistics.refinements + refinements;
        while let Some((_, node)) = self.waiting.pop_first() {
            self.budget.check()?;
            if self.nodes[node.0 as usize].status != Status::Waiting {
                continue;
            }
            if self.is_covered(node)? {
                continue;
            }
            match self.expand(node)? {
                Step::More => {}
                Step::Stopped(reason) => {
                    if !self.learn_from_program(MAX_SYSTEM_TIME)? {
                        return Ok(Step::Stopped(reason));
                    }
                }
                other => return Ok(other),
            }
            if self.statistics.refinements >= until {
                if !self.waiting.is_empty() {
                    self.learn_from_program(self.system_time)?;
                    self.system_time = (self.system_time * 2).min(MAX_SYSTEM_TIME);
                }
                return Ok(Step::More);
            }
        }
        self.statistics.covered =
            self.nodes.iter().filter(|n| matches!(n.status, Status::CoveredBy(_))).count() as u64;
        Ok(Step::Proved)
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    fn add_node(&mut self, place: ControlId, region: Bdd, parent: Option<(NodeId, Rc<Block>)>) {
        let id = NodeId(self.nodes.len() as u32);
        let depth = parent.as_ref().map_or(0, |(p, _)| self.node(*p).depth + 1);
        if let Some((parent, _)) = &parent {
            self.nodes[parent.0 as usize].children.push(id);
        }
        self.nodes.push(Node {
            place,
            region,
            parent,
            children: Vec::new(),
            covers: Vec::new(),
            status: Status::Waiting,
            depth,
        });
        self.statistics.nodes += 1;
        self.at_place.entry(place).or_default().push(id);
        self.wait(id);
    }

    fn wait(&mut self, id: NodeId) {
        let node = &mut self.nodes[id.0 as usize];
        node.status = Status::Waiting;
        let priority = match self.options.order {
            Order::Breadth => node.depth,
            Order::Depth => u32::MAX - id.0,
        };
        self.waiting.insert((priority, id));
    }

    /// Covers a node by an older one, if there is one that contains it.
    fn is_covered(&mut self, id: NodeId) -> Result<bool, LazyError> {
        let (place, region) = (self.node(id).place, self.node(id).region.clone());
        let Some(others) = self.at_place.get(&place) else { return Ok(false) };
        for &other in others {
            if other.0 >= id.0 {
                break;
            }
            let candidate = self.node(other);
            if candidate.status != Status::Expanded && candidate.status != Status::Waiting {
                continue;
            }
            if region.is_subset_of(&candidate.region)? {
                self.nodes[id.0 as usize].status = Status::CoveredBy(other);
                self.nodes[other.0 as usize].covers.push(id);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds the successors of a node.
    fn expand(&mut self, id: NodeId) -> Result<Step, LazyError> {
        let (place, region) = (self.node(id).place, self.node(id).region.clone());
        let first = self.node(id).parent.is_none();
        let known: Vec<u32> = self
            .node(id)
            .children
            .iter()
            .filter(|c| self.node(**c).status != Status::Removed)
            .filter_map(|c| self.node(*c).parent.as_ref().map(|(_, block)| block.id))
            .collect();
        let blocks = self.blocks_from(place, first)?;
        self.nodes[id.0 as usize].status = Status::Expanded;
        for block in blocks.iter() {
            if known.contains(&block.id) {
                continue;
            }
            let wanted = match &block.end {
                End::Control(to) => self.tracked_at(*to),
                _ => Vec::new(),
            };
            let formula =
                BlockFormula { id: block.id, formula: block.formula, after: &block.after };
            let successor = self.post.successor(
                &self.predicates,
                &mut self.terms,
                self.solver.as_mut(),
                &region,
                formula,
                &wanted,
            )?;
            if successor.is_false() {
                continue;
            }
            match &block.end {
                End::Control(to) => self.add_node(*to, successor, Some((id, block.clone()))),
                End::Error(_) | End::Stuck(_) => {
                    let step = self.examine(id, block)?;
                    if step != Step::More {
                        return Ok(step);
                    }
                    if self.node(id).status == Status::Removed {
                        return Ok(Step::More);
                    }
                }
            }
        }
        Ok(Step::More)
    }

    /// All blocks of the program, if there are not too many.
    fn block_graph(&mut self) -> Result<Option<BlockGraph>, LazyError> {
        let mut graph = BlockGraph::default();
        let mut work = Vec::new();
        let root = self.nodes[0].place;
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
    fn learn_from_program(&mut self, limit: Duration) -> Result<bool, LazyError> {
        let Some(graph) = self.block_graph()? else { return Ok(false) };
        self.budget.report("refine", format_args!("invariants of the whole program"));
        self.statistics.systems += 1;
        let limit = self.budget.time_left().map_or(limit, |left| left.min(limit));
        let gaps = self.gaps.clone();
        let forbidden = |end: &End| match end {
            End::Error(_) => true,
            End::Stuck(reason) => !gaps.contains(&**reason),
            End::Control(_) => false,
        };
        for wrapping in [Wrapping::Ignored, Wrapping::Exact] {
            let resources = SYSTEM_RESOURCES;
            match graph.invariants(&mut self.terms, wrapping, forbidden, resources, limit) {
                Ok(invariants) => {
                    if self.track_invariants(invariants)? {
                        self.statistics.solved_systems += 1;
                        self.begin_again();
                        return Ok(true);
                    }
                }
                Err(reason) => {
                    self.budget.report("refine", format_args!("no invariants: {reason}"));
                }
            }
        }
        Ok(false)
    }

    /// Tracks the atoms of invariants. Says whether there was anything new.
    fn track_invariants(
        &mut self,
        invariants: BTreeMap<ControlId, Term>,
    ) -> Result<bool, LazyError> {
        let mut new = false;
        for (place, formula) in invariants {
            let control = self.explorer.space.get(place);
            for atom in self.atoms(formula) {
                let Some(id) = self.predicates.intern(&mut self.terms, atom)? else { continue };
                if self.is_in_scope(id, place) {
                    new |= self.precision.add(control.func, control.loc, id);
                }
            }
        }
        Ok(new)
    }

    /// Throws the tree away but for its root.
    fn begin_again(&mut self) {
        let children = std::mem::take(&mut self.nodes[0].children);
        for child in children {
            self.cut_off(&[NodeId(0), child], 1);
        }
        self.wait(NodeId(0));
    }

    fn blocks_from(&mut self, place: ControlId, first: bool) -> Result<Rc<[Rc<Block>]>, LazyError> {
        Ok(self.blocks.from(&mut self.explorer, &mut self.terms, place, first)?)
    }

    /// The predicates of a place that speak only about functions that are open there.
    fn tracked_at(&self, place: ControlId) -> Vec<PredicateId> {
        let control = self.explorer.space.get(place);
        let mut tracked = self.precision.at(control.func, control.loc);
        tracked.retain(|&id| self.is_in_scope(id, place));
        tracked
    }

    fn is_in_scope(&self, id: PredicateId, place: ControlId) -> bool {
        self.predicates.get(id).functions.iter().all(|f| self.explorer.space.is_open(place, *f))
    }

    /// The nodes from the root to one, and the blocks between them.
    fn branch(&self, end: NodeId) -> (Vec<NodeId>, Vec<Rc<Block>>) {
        let (mut nodes, mut blocks) = (vec![end], Vec::new());
        let mut at = end;
        while let Some((parent, block)) = &self.node(at).parent {
            blocks.push(block.clone());
            nodes.push(*parent);
            at = *parent;
        }
        nodes.reverse();
        blocks.reverse();
        (nodes, blocks)
    }

    /// Looks at a way to an error, or to what cannot be followed.
    fn examine(&mut self, id: NodeId, last: &Rc<Block>) -> Result<Step, LazyError> {
        let (nodes, mut blocks) = self.branch(id);
        blocks.push(last.clone());
        let path = PathFormula::new(&mut self.terms, blocks);
        self.budget.report(
            "refine",
            format_args!(
                "{} refinements, {} predicates, {} nodes, path of {} blocks",
                self.statistics.refinements,
                self.predicates.len(),
                self.statistics.nodes,
                nodes.len()
            ),
        );
        let limits = Limits::default().with_resources(PATH_QUERY);
        let answer = self.solver.check(&self.terms, &path.formulas, Purpose::FEASIBILITY, limits);
        match answer {
            Answer::Unsat => self.refine(&nodes, &path),
            Answer::Unknown(reason) => Ok(Step::Stopped(format!("a path is too hard: {reason}"))),
            Answer::Sat => match &last.end {
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
    fn refine(&mut self, nodes: &[NodeId], path: &PathFormula) -> Result<Step, LazyError> {
        self.statistics.refinements += 1;
        let flat = Path::flat(&mut self.terms, &path.formulas);
        let offered = self.interpolator.interpolate(
            &mut self.terms,
            self.solver.as_mut(),
            &flat,
            &self.budget,
        );
        let sequences = match offered {
            Ok(sequences) => sequences,
            Err(Failure::Exhausted(reason)) => return Err(reason.into()),
            Err(failure) => {
                return Ok(Step::Stopped(format!("no interpolants for a path: {failure}")));
            }
        };
        for scope in [Spread::Location, Spread::Function, Spread::Everywhere] {
            for sequence in &sequences {
                if let Some(pivot) = self.learn(nodes, sequence, scope)? {
                    self.cut_off(nodes, pivot);
                    return Ok(Step::More);
                }
            }
        }
        Ok(Step::Stopped("the interpolants of a path bring nothing new".into()))
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
            let place = self.node(node).place;
            let control = self.explorer.space.get(place);
            for atom in self.atoms(formula) {
                let Some(id) = self.predicates.intern(&mut self.terms, atom)? else { continue };
                if !self.is_in_scope(id, place) {
                    continue;
                }
                let new = match spread {
                    Spread::Location => self.precision.add(control.func, control.loc, id),
                    Spread::Function => self.precision.add_to_function(control.func, id),
                    Spread::Everywhere => self.precision.add_everywhere(id),
                };
                if new && pivot.is_none() {
                    pivot = Some(position);
                }
            }
        }
        Ok(pivot)
    }

    fn atoms(&mut self, formula: Term) -> Vec<Term> {
        self.terms.atoms(formula).to_vec()
    }

    /// Removes a node of a branch with everything below it; its parent is expanded again.
    fn cut_off(&mut self, nodes: &[NodeId], pivot: usize) {
        let mut removed = vec![nodes[pivot]];
        let mut uncovered = Vec::new();
        while let Some(id) = removed.pop() {
            let node = &mut self.nodes[id.0 as usize];
            if let Status::CoveredBy(by) = node.status {
                self.nodes[by.0 as usize].covers.retain(|c| *c != id);
            }
            let node = &mut self.nodes[id.0 as usize];
            node.status = Status::Removed;
            removed.append(&mut node.children);
            uncovered.append(&mut node.covers);
            let place = node.place;
            if let Some(list) = self.at_place.get_mut(&place) {
                list.retain(|n| *n != id);
            }
        }
        let parent = nodes[pivot - 1];
        self.nodes[parent.0 as usize].children.retain(|c| *c != nodes[pivot]);
        self.wait(parent);
        for id in uncovered {
            if self.node(id).status != Status::Removed {
                self.wait(id);
            }
        }
    }

    /// The invariant of every place that was reached, as one formula over its predicates.
    pub fn invariants(&mut self) -> Result<BTreeMap<ControlId, Term>, LazyError> {
        let mut regions: BTreeMap<ControlId, Bdd> = BTreeMap::new();
        for node in self.nodes.iter().filter(|n| n.status != Status::Removed) {
            let region = match regions.get(&node.place) {
                Some(known) => known.or(&node.region)?,
                None => node.region.clone(),
            };
            regions.insert(node.place, region);
        }
        let mut invariants = BTreeMap::new();
        for (place, region) in regions {
            let formula = self.predicates.formula(
                &mut self.terms,
                &region,
                &gnomon_logic::encode::Ssa::new(),
            )?;
            invariants.insert(place, self.terms.without_indices(formula));
        }
        Ok(invariants)
    }
}

/// How far a predicate is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    Location,
    Function,
    Everywhere,
}
