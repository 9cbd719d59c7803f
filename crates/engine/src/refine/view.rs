//! An infeasible path as refinement sees it: formulas with a cut before and behind each.

use gnomon_bdd::BddError;
use gnomon_budget::Exhausted;
use gnomon_flow::slice::Slicer;
use gnomon_ir::program::FuncId;
use gnomon_logic::interpolate::Step as CutStep;
use gnomon_logic::{Term, Terms};

use super::tracking::{CutPoints, Tracking};
use crate::horn::{CutPoint, Tools};
use crate::pushdown::ghosts::{Ghosts, Reading};

/// Which part of an infeasible path is asked for interpolants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The steps that matter for its end (PS).
    Sliced,
    /// The last of them that are infeasible (PS 4.2).
    SlicedEnd,
    /// All steps.
    Whole,
    /// The shortest end of the path that is infeasible from the abstract state at its begin (LA 4).
    FromState,
    /// One of the paths through its formulas that the abstract states allow (AFP).
    SinglePath,
    /// The same, at once, because the formulas have many choices.
    ManyChoices,
    /// All steps, as if calls were no calls: interpolants tell callees what their callers know.
    WithoutCalls,
}

/// A point between two formulas of a path.
#[derive(Clone, Debug)]
pub struct Cut<P> {
    /// Where it is.
    pub point: P,
    /// Its number on the path, for the pivot.
    pub position: usize,
    /// How values are read there; `None` if every value in its interpolant is a present one.
    pub reading: Option<Reading>,
}

impl<P: CutPoint> Cut<P> {
    /// An atom of an interpolant as a predicate without indices, if it is one.
    pub(super) fn generalise(
        &self,
        terms: &mut Terms,
        ghosts: &mut Ghosts,
        func: FuncId,
        atom: Term,
    ) -> Option<Term> {
        match &self.reading {
            None => Some(terms.without_indices(atom)),
            Some(reading) => reading.generalise(terms, ghosts, func, atom),
        }
    }
}

/// A part of a path.
#[derive(Clone, Debug)]
pub struct PathView<P> {
    /// The formulas, with their call structure.
    pub steps: Vec<CutStep>,
    /// One more than formulas; `None` where nothing is learned.
    pub cuts: Vec<Option<Cut<P>>>,
}

impl<P> PathView<P> {
    /// The formulas alone.
    pub fn formulas(&self) -> Vec<Term> {
        self.steps.iter().map(|step| step.formula).collect()
    }
}

/// How much slicing left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Steps of the path.
    pub steps: u64,
    /// Of them, those that matter.
    pub kept: u64,
}

/// An infeasible path of an engine.
pub trait InfeasiblePath {
    /// The engine's cut points.
    type Points: CutPoints;
    /// The engine's errors.
    type Error: From<Exhausted> + From<BddError>;

    /// The cut points.
    fn points(&self) -> &Self::Points;

    /// All of it.
    fn whole(&mut self) -> ViewOf<Self>;

    /// The steps that matter, feasible or not; `None` if it cannot be sliced, or nothing would be
    /// left out.
    fn sliced(
        &mut self,
        slicer: &mut Slicer<'_>,
        tools: &mut Tools<'_>,
    ) -> Result<Option<(ViewOf<Self>, Kept)>, Self::Error>;

    /// The formula of the abstract state at a position of the path, over the values there; `None` if
    /// there is no abstract state.
    fn state(
        &mut self,
        tracking: &Tracking,
        terms: &mut Terms,
        position: usize,
    ) -> Result<Option<Term>, Self::Error>;

    /// The predicates that are tracked at a position of the path, over the values there.
    fn predicates(
        &mut self,
        tracking: &Tracking,
        terms: &mut Terms,
        position: usize,
    ) -> Result<Vec<Term>, Self::Error> {
        let state = self.state(tracking, terms, position)?;
        Ok(state.map_or_else(Vec::new, |state| terms.atoms(state).to_vec()))
    }

    /// Makes the abstraction along the path more exact without new predicates. Says whether that was
    /// possible.
    fn focus(&mut self) -> bool;
}

/// The view of a path.
pub type ViewOf<I> = PathView<<<I as InfeasiblePath>::Points as CutPoints>::Point>;
