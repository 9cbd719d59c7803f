//! Lazy abstraction (LA Algorithm 2) over blocks.
//!
//! A tree of nodes: a place, and the region over the predicates of its location in which the
//! program can be there. A node is expanded block by block; it is covered if an older node of the
//! same place has a region that contains its own. When a block leads to an error, the blocks from
//! the root to it are one formula. If it has a model, there is a path to execute; if not,
//! interpolants give predicates ([`crate::refine`]), each for the location of its cut (AFP), and
//! everything below the first node whose location learned something (the pivot) is thrown away and
//! explored again. When nothing is left to expand, the program is proved.
//!
//! Work is done in slices ([`Lazy::run_until`]). After an error path, a limit or a stop the tree is as
//! if the node at hand had not been looked at, so going on is always sound.

mod conditions;
mod needed;
mod path;
mod result;
mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use gnomon_bdd::{Bdd, BddError};
use gnomon_budget::{Budget, Exhausted};
use gnomon_logic::{Answer, Limits, Purpose, Solver, Term, Terms};
use gnomon_predabs::{AbstractPost, BlockFormula, PostOptions, PredicateId};

use crate::blocks::{Block, BlockError, Blocks, PathFormula};
use crate::control::ControlId;
use crate::equations::Equation;
use crate::explore::{End, Explorer};
use crate::horn::{ChcQueries, Schedule, Tools, Wrapping};
use crate::limited::PATH_QUERY;
pub use crate::outcome::{Step, Stopped};
use crate::outline::OutlineNode;
use crate::refine::{Learned, Refinement, Refiner, Tracking};
use crate::tree::{Node, NodeId, Order, ROOT, Status, Tree};
use crate::unsupported::Unsupported;
use path::BlockPath;

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
}

/// The exploration of one program.
pub struct Lazy<'p> {
    explorer: Explorer<'p>,
    terms: Terms,
    solver: Box<dyn Solver>,
    refiner: Refiner<'p>,
    blocks: Blocks,
    tracking: Tracking,
    post: AbstractPost,
    tree: Tree,
    options: LazyOptions,
    budget: Budget,
    chc: ChcQueries<ControlId>,
    /// The work of CHC queries.
    chc_work: u64,
    /// When the whole program is looked at.
    pub schedule: Schedule,
    tried_candidates: bool,
    /// Why refinement by paths cannot go on.
    stopped: Option<Stopped>,
    /// The outline of the tree, if it was made already.
    outlined: Option<Vec<OutlineNode>>,
    /// Invariants of the whole program that exclude all errors, if they were found at once.
    solution: Option<BTreeMap<ControlId, Term>>,
    /// No error is reached within so many blocks: such paths need not be asked about.
    pub no_error_within: usize,
    /// What is unsupported and can be reached.
    pub unsupported: BTreeSet<Unsupported>,
    /// How long each successor took, where there is a limit on time.
    successor_times: Vec<Duration>,
    /// The work of each successor.
    successor_work: Vec<u64>,
    /// What was done.
    pub statistics: LazyStatistics,
}

/// Room for the nodes of all regions.
const REGION_NODES: usize = 1 << 20;
/// What CHC queries say about wrapping.
const WRAPPINGS: &[Wrapping] = &[Wrapping::Ignored, Wrapping::Exact];

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
        let tracking = Tracking::new(REGION_NODES)?;
        tracking.predicates.space().set_budget(budget.clone());
        let tree = Tree::new(options.order, start, tracking.predicates.space().top());
        Ok(Self {
            explorer,
            terms: Terms::new(),
            solver,
            refiner,
            blocks,
            post: AbstractPost::new(options.post),
            tracking,
            tree,
            options,
            budget,
            chc: ChcQueries::new(WRAPPINGS),
            chc_work: 0,
            schedule: Schedule::default(),
            tried_candidates: false,
            stopped: None,
            outlined: None,
            solution: None,
            no_error_within: 0,
            unsupported: BTreeSet::new(),
            successor_times: Vec::new(),
            successor_work: Vec::new(),
            statistics: LazyStatistics::default(),
        })
    }

    /// What was learned for locations, with the arena of the formulas.
    pub fn learned(&self) -> (&Terms, &[Learned]) {
        (&self.terms, &self.tracking.learned)
    }

    /// Tracks what another engine learned, from the start on. Says how many predicates that gives.
    pub fn take_over(&mut self, other: &Terms, learned: &[Learned]) -> Result<u64, LazyError> {
        let new = self.tracking.take_over(&mut self.terms, other, learned)?;
        if new > 0 && self.tree.len() > 1 {
            self.tree.begin_again();
        }
        Ok(new)
    }

    /// Tracks candidate equations at their locations. Says how many predicates that gives.
    pub fn add_candidates(&mut self, equations: &[Equation]) -> Result<u64, LazyError> {
        let mut new = 0;
        for equation in equations {
            let encoder = &mut self.explorer.encoder;
            let Some(atom) = equation.atom(encoder, &mut self.terms) else { continue };
            let Tracking { predicates, precision, .. } = &mut self.tracking;
            let Some(id) = predicates.intern(&mut self.terms, atom)? else { continue };
            new += u64::from(precision.add(equation.func, equation.loc, id));
        }
        Ok(new)
    }

    /// Explores until somebody wants a pause, or the end. That is asked for after each node, each
    /// refinement and each look at the whole program; behind a CHC query in vain there always is one.
    pub fn run_until(&mut self, pause: &dyn Fn() -> bool) -> Result<Step, LazyError> {
        loop {
            if self.solution.is_some() {
                return Ok(Step::Proved);
            }
            self.budget.check()?;
            let is_due = self.tree.has_waiting()
                && self.schedule.is_due(self.statistics.refinements)
                && self.has_caught_up();
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
            let Some(node) = self.tree.next_waiting() else {
                let covered = |n: &&Node| matches!(n.status, Status::CoveredBy(_));
                self.statistics.covered = self.tree.present().filter(covered).count() as u64;
                return Ok(Step::Proved);
            };
            match self.visit(node) {
                Ok(Step::More) => {}
                Ok(Step::Stopped(reason)) => {
                    self.look_again_at(node);
                    self.budget.report("refine", format_args!("stopped: {reason}"));
                    self.stopped = Some(reason);
                }
                Ok(other) => {
                    self.look_again_at(node);
                    return Ok(other);
                }
                Err(error) => {
                    self.look_again_at(node);
                    return Err(error);
                }
            }
            if pause() {
                return Ok(Step::More);
            }
        }
    }

    /// A node was not looked at to the end.
    fn look_again_at(&mut self, node: NodeId) {
        if self.tree.get(node).status == Status::Expanded {
            self.tree.wait(node);
        }
    }

    /// Covers or expands a node.
    fn visit(&mut self, node: NodeId) -> Result<Step, LazyError> {
        if self.tree.cover(node)? { Ok(Step::More) } else { self.expand(node) }
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
                End::Stuck(what) if self.is_reached(what) => continue,
                _ => Vec::new(),
            };
            let successor = self.successor(&region, block, &wanted)?;
            if successor.is_false() {
                continue;
            }
            match &block.end {
                End::Control(to) => self.tree.add(*to, successor, Some((id, block.clone()))),
                End::Error(_) | End::Stuck(_) => {
                    // In a scope of its own: what is asked about a path burdens no later query.
                    self.solver.push();
                    let step = self.examine(id, block);
                    self.solver.pop();
                    let step = step?;
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
        let (before, work_before) = (self.budget.time_left(), self.budget.work());
        let predicates = &self.tracking.predicates;
        let found = self.post.successor(predicates, terms, solver, region, formula, wanted);
        self.successor_work.push(self.budget.work() - work_before);
        if let (Some(before), Some(after)) = (before, self.budget.time_left()) {
            self.successor_times.push(before.saturating_sub(after));
        }
        found
    }

    /// Whether something unsupported of this kind is known to be reached.
    fn is_reached(&self, unsupported: &Unsupported) -> bool {
        self.unsupported.iter().any(|known| known.what == unsupported.what)
    }

    /// Looks at a path to an error, or to something unsupported.
    fn examine(&mut self, id: NodeId, last: &Rc<Block>) -> Result<Step, LazyError> {
        let (nodes, mut blocks) = self.tree.branch(id);
        blocks.push(last.clone());
        let path = PathFormula::new(&mut self.terms, blocks.clone());
        self.budget.report(
            "refine",
            format_args!(
                "{} refinements, {} predicates, {} nodes, path of {} blocks",
                self.statistics.refinements,
                self.tracking.predicates.len(),
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
            Answer::Unknown(reason) => Ok(Step::Stopped(Stopped::PathUnknown(reason))),
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
                        None => Step::Stopped(Stopped::ModelWithoutPath),
                    })
                }
                End::Stuck(what) => {
                    self.unsupported.insert((**what).clone());
                    self.schedule.renew();
                    Ok(Step::More)
                }
                End::Control(_) => Ok(Step::More),
            },
        }
    }

    /// Learns predicates from an infeasible path, and throws away what they change.
    fn refine(
        &mut self,
        nodes: &[NodeId],
        blocks: &[Rc<Block>],
        path: &PathFormula,
    ) -> Result<Step, LazyError> {
        self.statistics.refinements += 1;
        let state = |&id: &NodeId| {
            let node = self.tree.get(id);
            (node.place, node.region.clone())
        };
        let states = nodes.iter().map(state).collect();
        let mut infeasible =
            BlockPath { explorer: &mut self.explorer, nodes: states, blocks, path };
        let mut tools =
            Tools { terms: &mut self.terms, solver: self.solver.as_mut(), budget: &self.budget };
        let refined = self.refiner.refine(&mut infeasible, &mut self.tracking, &mut tools)?;
        match refined {
            Refinement::Learned { pivot, diverges } => {
                let mut has_conditions = false;
                for (func, loc) in self.tracking.divergence.take_begun() {
                    has_conditions |= self.track_conditions(func, loc)?;
                }
                if has_conditions {
                    self.budget.report("refine", format_args!("conditions are tracked"));
                    self.tree.begin_again();
                } else {
                    self.refine_from(nodes, pivot)?;
                }
                Ok(diverges.map_or(Step::More, Step::Stopped))
            }
            Refinement::Focused => Ok(Step::More),
            Refinement::Nothing(why) => Ok(Step::Stopped(why)),
        }
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

    fn blocks_from(&mut self, place: ControlId, first: bool) -> Result<Rc<[Rc<Block>]>, LazyError> {
        Ok(self.blocks.from(&mut self.explorer, &mut self.terms, place, first)?)
    }

    /// The predicates of a place that speak only about functions that are open there.
    fn tracked_at(&self, place: ControlId) -> Vec<PredicateId> {
        self.tracking.at(&self.explorer.space, place)
    }
}
