//! From a way that cannot be taken to interpolants.
//!
//! A way is first reduced to the steps that matter ([`crate::sliced`]): if those cannot be taken
//! already, the interpolants come from them. Only when they bring nothing new is the whole way
//! asked. Each time several sequences of interpolants are offered, best first by the score of
//! [`gnomon_logic::interpolate::score`], which avoids loop counters and long formulas.

use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_flow::slice::Slicer;
use gnomon_logic::interpolate::{Failure, Interpolator, Path, Sequence};
use gnomon_logic::{Answer, Limits, Purpose, Solver, Terms};

use crate::blocks::{Block, PathFormula};
use crate::control::ControlId;
use crate::explore::Explorer;
use crate::sliced::{Relevance, sliced};

/// What refining took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefineStatistics {
    /// Ways that were sliced.
    pub sliced: u64,
    /// Of them, those that cannot be taken for what was kept.
    pub enough: u64,
    /// Steps of all ways that were sliced, and how many of them were kept.
    pub steps: u64,
    /// How many of the steps were kept.
    pub kept: u64,
}

/// Which steps of a way are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Those that matter.
    Sliced,
    /// All.
    Whole,
}

/// A way through blocks that cannot be taken.
pub struct Infeasible<'w> {
    /// Where it begins.
    pub start: ControlId,
    /// Its blocks.
    pub blocks: &'w [Rc<Block>],
    /// Its formulas.
    pub path: &'w PathFormula,
}

/// Asks for interpolants.
pub struct Refiner<'a> {
    interpolator: Interpolator,
    relevance: Option<&'a Relevance<'a>>,
    slicer: Option<Slicer<'a>>,
    /// What was done.
    pub statistics: RefineStatistics,
}

/// The limit of a query about the steps that matter.
pub(crate) const SLICE_QUERY: u32 = 5_000_000;

impl<'a> Refiner<'a> {
    /// With slicing, if it is told what that needs.
    pub fn new(relevance: Option<&'a Relevance<'a>>) -> Self {
        Self {
            interpolator: Interpolator::default(),
            relevance,
            slicer: None,
            statistics: RefineStatistics::default(),
        }
    }

    /// Sequences for a way, one formula for each cut between its blocks, best first. None for an
    /// extent that does not show that the way cannot be taken.
    pub fn sequences(
        &mut self,
        explorer: &mut Explorer<'_>,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        way: &Infeasible<'_>,
        extent: Extent,
        budget: &Budget,
    ) -> Result<Vec<Sequence>, Failure> {
        match extent {
            Extent::Whole => self.interpolate(terms, solver, way.path, budget),
            Extent::Sliced => {
                let Some(path) = self.slice(explorer, terms, solver, way, budget)? else {
                    return Ok(Vec::new());
                };
                match self.interpolate(terms, solver, &path, budget) {
                    Err(Failure::Exhausted(limit)) => Err(limit.into()),
                    Err(_) => Ok(Vec::new()),
                    offered => offered,
                }
            }
        }
    }

    fn interpolate(
        &mut self,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        path: &PathFormula,
        budget: &Budget,
    ) -> Result<Vec<Sequence>, Failure> {
        let flat = Path::flat(terms, &path.formulas);
        self.interpolator.interpolate(terms, solver, &flat, budget)
    }

    /// The steps that matter, if they cannot be taken already.
    fn slice(
        &mut self,
        explorer: &mut Explorer<'_>,
        terms: &mut Terms,
        solver: &mut dyn Solver,
        way: &Infeasible<'_>,
        budget: &Budget,
    ) -> Result<Option<PathFormula>, Exhausted> {
        let Some(relevance) = self.relevance else { return Ok(None) };
        let slicer = match &mut self.slicer {
            Some(slicer) => slicer,
            none => none.insert(relevance.slicer(budget)?),
        };
        let found = sliced(explorer, terms, slicer, way.start, way.blocks, budget)?;
        let Some((path, kept)) = found else { return Ok(None) };
        self.statistics.sliced += 1;
        self.statistics.steps += kept.steps;
        self.statistics.kept += kept.kept;
        let limits = Limits::default().with_resources(SLICE_QUERY);
        let answer = solver.check(terms, &path.formulas, Purpose::FEASIBILITY, limits);
        if answer != Answer::Unsat {
            return Ok(None);
        }
        self.statistics.enough += 1;
        Ok(Some(path))
    }
}
