//! Lazy abstraction looks at the whole program: CHC queries and candidate invariants over all blocks.

use std::rc::Rc;

use super::{Lazy, LazyError};
use crate::blocks::Block;
use crate::candidates;
use crate::control::ControlId;
use crate::explore::End;
use crate::horn::blocks::BlockGraph;
use crate::horn::{Clauses, Learned, Tools};
use crate::tracked::TrackedElements;
use crate::tree::ROOT;

/// Cut points of a program that is looked at as a whole.
const MAX_CUT_POINTS: usize = 400;
/// The part of the work that CHC queries may take as long as refinement goes on: one of so many.
const CHC_PART: u64 = 4;
/// With so few cut points, candidate invariants are tried before CHC queries: many predicates at
/// each do no harm then.
const FEW_CUT_POINTS: usize = 10;

impl Lazy<'_> {
    /// Asks for invariants of the whole program before any path was looked at.
    pub fn learn_first(&mut self) -> Result<(), LazyError> {
        if self.block_graph()?.is_some() {
            self.blocks.share_positions(&mut self.terms);
            self.schedule.ask_first();
        }
        Ok(())
    }

    /// Whether single elements stand for arrays, all blocks are known, and none reads an array: then
    /// nothing is to be won by them.
    pub fn is_without_arrays(&mut self) -> bool {
        let are_read = self.blocks.tracked_elements().is_none_or(TrackedElements::are_read);
        !are_read && self.block_graph().is_ok_and(|graph| graph.is_some())
    }

    /// Asks for invariants of the whole program with so many solver resources, and begins again with
    /// their atoms as predicates.
    pub fn ask_horn(&mut self, resources: u32) -> Result<Learned, LazyError> {
        let Some(clauses) = self.clauses()? else { return Ok(Learned::NotAsked) };
        self.budget.report("refine", format_args!("CHC query with {resources} resources"));
        let mut tools =
            Tools { terms: &mut self.terms, solver: self.solver.as_mut(), budget: &self.budget };
        let (tracking, space) = (&mut self.tracking, &self.explorer.space);
        let (learned, solution) =
            self.chc.ask(&clauses, resources, &mut tools, &mut |terms, invariants| {
                Ok::<_, LazyError>(tracking.track_invariants(terms, space, invariants)?)
            })?;
        self.solution = solution.or(self.solution.take());
        self.begin_again(learned);
        Ok(learned)
    }

    /// Tries candidate invariants, once, and begins again with those that hold as predicates.
    pub fn try_candidates(&mut self) -> Result<Learned, LazyError> {
        if self.tried_candidates {
            return Ok(Learned::NotAsked);
        }
        let Some(clauses) = self.clauses()? else { return Ok(Learned::NotAsked) };
        self.tried_candidates = true;
        self.budget.report("refine", format_args!("candidate invariants"));
        let mut tools =
            Tools { terms: &mut self.terms, solver: self.solver.as_mut(), budget: &self.budget };
        let Some(invariants) = candidates::surviving(&clauses, &mut tools)? else {
            return Ok(Learned::Nothing);
        };
        let space = &self.explorer.space;
        if !self.tracking.track_invariants(&mut self.terms, space, &invariants)? {
            return Ok(Learned::Nothing);
        }
        self.chc.statistics.candidates = true;
        self.begin_again(Learned::Predicates);
        Ok(Learned::Predicates)
    }

    /// What the schedule has next: candidates, a CHC query, or both.
    pub(super) fn look_at_whole_program(&mut self) -> Result<Learned, LazyError> {
        if self.has_few_cut_points()? {
            let learned = self.try_candidates()?;
            if learned.is_something() {
                self.schedule.postpone(self.statistics.refinements);
                return Ok(learned);
            }
        }
        let mut learned = Learned::NotAsked;
        if let Some(effort) = self.schedule.effort() {
            let before = self.budget.work();
            let answer = self.ask_horn(effort);
            self.chc_work += self.budget.work() - before;
            learned = answer?;
            self.schedule.asked(self.statistics.refinements, learned);
        }
        if !learned.is_something() {
            let candidates = self.try_candidates()?;
            if candidates.is_something() {
                self.schedule.renew();
                return Ok(candidates);
            }
        }
        Ok(learned)
    }

    /// Whether CHC queries have had their part of the work and no more: they may not starve refinement.
    pub(super) fn has_caught_up(&self) -> bool {
        self.budget.work() >= CHC_PART * self.chc_work
    }

    /// Goes on from the root with new predicates.
    fn begin_again(&mut self, learned: Learned) {
        if learned.is_something() {
            self.tree.begin_again();
            self.stopped = None;
        }
    }

    fn has_few_cut_points(&mut self) -> Result<bool, LazyError> {
        let few = self.block_graph()?.is_some_and(|graph| graph.from.len() <= FEW_CUT_POINTS);
        Ok(few && self.blocks.tracked_elements().is_none())
    }

    /// The clauses of all blocks. What is unsupported and known to be reached may be reached.
    fn clauses(&mut self) -> Result<Option<Clauses<ControlId>>, LazyError> {
        let Some(graph) = self.block_graph()? else { return Ok(None) };
        let unsupported = &self.unsupported;
        let is_forbidden = |end: &End| match end {
            End::Error(_) => true,
            End::Stuck(what) => !unsupported.iter().any(|known| known.what == what.what),
            End::Control(_) => false,
        };
        Ok(Some(graph.clauses(&mut self.terms, is_forbidden)))
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
            if graph.from.len() == MAX_CUT_POINTS {
                return Ok(None);
            }
            let blocks = self.blocks_from(place, false)?.to_vec();
            work.extend(ends(&blocks));
            graph.from.insert(place, blocks);
        }
        Ok(Some(graph))
    }
}
