//! A path through blocks, for refinement.

use std::rc::Rc;

use gnomon_bdd::Bdd;
use gnomon_flow::slice::Slicer;
use gnomon_ir::cfa::LocId;
use gnomon_ir::program::FuncId;
use gnomon_logic::interpolate::Step as CutStep;
use gnomon_logic::{Term, Terms};

use super::LazyError;
use crate::blocks::{Block, PathFormula};
use crate::control::{Control, ControlId, ControlSpace};
use crate::explore::Explorer;
use crate::horn::Tools;
use crate::refine::{Cut, CutPoints, InfeasiblePath, Kept, PathView, Tracking};
use crate::sliced::sliced;

impl CutPoints for ControlSpace<'_> {
    type Point = ControlId;

    fn location(&self, place: ControlId) -> Option<(FuncId, LocId)> {
        let Control { func, loc, .. } = self.get(place);
        Some((func, loc))
    }

    fn is_in_scope(&self, place: ControlId, func: FuncId) -> bool {
        self.is_open(place, func)
    }

    fn context(&self, place: ControlId) -> Option<u32> {
        Some(place.0)
    }
}

/// Blocks from the root of the tree to an error.
pub(super) struct BlockPath<'a, 'p> {
    pub(super) explorer: &'a mut Explorer<'p>,
    /// The place and the region of each node.
    pub(super) nodes: Vec<(ControlId, Bdd)>,
    /// One behind each node.
    pub(super) blocks: &'a [Rc<Block>],
    /// Their formulas.
    pub(super) path: &'a PathFormula,
}

impl BlockPath<'_, '_> {
    fn view(&self, formulas: &[Term]) -> PathView<ControlId> {
        let steps = formulas.iter().map(|&formula| CutStep::inner(formula)).collect();
        let cut = |(position, &(point, _)): (usize, &(ControlId, Bdd))| {
            (position > 0).then_some(Cut { point, position, reading: None })
        };
        let mut cuts: Vec<_> = self.nodes.iter().enumerate().map(cut).collect();
        cuts.push(None);
        PathView { steps, cuts }
    }
}

impl<'p> InfeasiblePath for BlockPath<'_, 'p> {
    type Points = ControlSpace<'p>;
    type Error = LazyError;

    fn points(&self) -> &ControlSpace<'p> {
        &self.explorer.space
    }

    fn whole(&mut self) -> PathView<ControlId> {
        self.view(&self.path.formulas)
    }

    fn sliced(
        &mut self,
        slicer: &mut Slicer<'_>,
        tools: &mut Tools<'_>,
    ) -> Result<Option<(PathView<ControlId>, Kept)>, LazyError> {
        let start = self.nodes[0].0;
        let found = sliced(self.explorer, tools.terms, slicer, start, self.blocks, tools.budget)?;
        Ok(found.map(|(path, kept)| (self.view(&path.formulas), kept)))
    }

    fn state(
        &mut self,
        tracking: &Tracking,
        terms: &mut Terms,
        position: usize,
    ) -> Result<Option<Term>, LazyError> {
        let Some((_, region)) = self.nodes.get(position) else { return Ok(None) };
        Ok(Some(tracking.predicates.formula(terms, region, self.path.before(position))?))
    }

    fn predicates(
        &mut self,
        tracking: &Tracking,
        terms: &mut Terms,
        position: usize,
    ) -> Result<Vec<Term>, LazyError> {
        let Some(&(place, _)) = self.nodes.get(position) else { return Ok(Vec::new()) };
        let tracked = tracking.at(&self.explorer.space, place);
        let at = self.path.before(position);
        Ok(tracked.into_iter().map(|id| tracking.predicates.at(terms, id, at)).collect())
    }

    fn focus(&mut self) -> bool {
        false
    }
}
