//! The pushdown engine looks at the whole program: CHC queries and candidate invariants over all
//! steps, calls with their summaries.

use super::engine::{Pushdown, PushdownError};
use super::graph::NodeId;
use super::summaries;
use crate::candidates;
use crate::horn::{Clauses, Learned, Tools};

/// With more clauses, candidate invariants are not tried.
const MAX_CANDIDATE_CLAUSES: usize = 200;

impl Pushdown<'_> {
    /// Asks for invariants and summaries of the whole program with so many solver resources, and
    /// tracks their atoms.
    pub fn ask_horn(&mut self, resources: u32) -> Result<Learned, PushdownError> {
        let clauses = self.clauses();
        self.budget.report("refine", format_args!("CHC query with {resources} resources"));
        let mut tools =
            Tools { terms: &mut self.terms, solver: self.solver.as_mut(), budget: &self.budget };
        let (tracking, graph) = (&mut self.tracking, &self.graph);
        let (learned, solution) =
            self.chc.ask(&clauses, resources, &mut tools, &mut |terms, invariants| {
                Ok::<_, PushdownError>(tracking.track_invariants(terms, graph, invariants)?)
            })?;
        self.solution = solution.or(self.solution.take());
        if learned.is_something() {
            self.stopped = None;
        }
        Ok(learned)
    }

    /// Tries candidate invariants and summaries, once, and tracks those that hold.
    pub fn try_candidates(&mut self) -> Result<Learned, PushdownError> {
        if self.tried_candidates {
            return Ok(Learned::NotAsked);
        }
        self.tried_candidates = true;
        let clauses = self.clauses();
        if clauses.all.len() > MAX_CANDIDATE_CLAUSES {
            return Ok(Learned::NotAsked);
        }
        self.budget.report("refine", format_args!("candidate invariants"));
        let mut tools =
            Tools { terms: &mut self.terms, solver: self.solver.as_mut(), budget: &self.budget };
        let Some(invariants) = candidates::surviving(&clauses, &mut tools)? else {
            return Ok(Learned::Nothing);
        };
        if !self.tracking.track_invariants(&mut self.terms, &self.graph, &invariants)? {
            return Ok(Learned::Nothing);
        }
        self.chc.statistics.candidates = true;
        self.stopped = None;
        Ok(Learned::Predicates)
    }

    /// What the schedule has next: a CHC query, and candidates if refinement is stopped.
    pub(super) fn look_at_whole_program(&mut self) -> Result<Learned, PushdownError> {
        let mut learned = Learned::NotAsked;
        if let Some(effort) = self.schedule.effort() {
            learned = self.ask_horn(effort)?;
            self.schedule.asked(self.statistics.refinements, learned);
        }
        // Many predicates make relations large, so that is left for when nothing else helps.
        if !learned.is_something() && self.stopped.is_some() {
            let candidates = self.try_candidates()?;
            if candidates.is_something() {
                self.schedule.renew();
                return Ok(candidates);
            }
        }
        Ok(learned)
    }

    fn clauses(&mut self) -> Clauses<NodeId> {
        summaries::Program {
            graph: &self.graph,
            transfers: &self.transfers,
            relevant: &self.relevant,
            targets: &self.targets,
        }
        .clauses(&mut self.terms, &mut self.tracking.ghosts)
    }
}
