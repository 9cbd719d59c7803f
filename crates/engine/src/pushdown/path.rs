//! A path of the pushdown system, for refinement.

use gnomon_flow::slice::{Slicer, Start};
use gnomon_ir::program::FuncId;
use gnomon_logic::encode::Encoder;
use gnomon_logic::{Term, Terms};

use super::abstraction::Abstraction;
use super::engine::PushdownError;
use super::graph::{Graph, NodeId};
use super::trail::{Rule, Trail};
use crate::horn::Tools;
use crate::refine::{Cut, InfeasiblePath, Kept, PathView, Tracking};
use crate::sliced::kept_moves;

/// Rules from the start to a target.
pub(super) struct RulePath<'a, 'p> {
    pub(super) start: Start,
    pub(super) encoder: &'a mut Encoder<'p>,
    pub(super) graph: &'a Graph,
    pub(super) abstraction: &'a mut Abstraction,
    pub(super) entry: FuncId,
    pub(super) rules: &'a [Rule],
    /// Its formulas.
    pub(super) trail: &'a Trail,
}

fn view(trail: &Trail) -> PathView<NodeId> {
    let cut = |(position, cut): (usize, &super::trail::CutPoint)| {
        Some(Cut { point: cut.node, position, reading: Some(cut.reading.clone()) })
    };
    let cuts = trail.cuts.iter().enumerate().map(cut).collect();
    PathView { steps: trail.steps.clone(), cuts }
}

impl InfeasiblePath for RulePath<'_, '_> {
    type Points = Graph;
    type Error = PushdownError;

    fn points(&self) -> &Graph {
        self.graph
    }

    fn whole(&mut self) -> PathView<NodeId> {
        view(self.trail)
    }

    /// Calls and returns stay, since they keep the frames apart.
    fn sliced(
        &mut self,
        slicer: &mut Slicer<'_>,
        tools: &mut Tools<'_>,
    ) -> Result<Option<(PathView<NodeId>, Kept)>, PushdownError> {
        let found = kept_moves(slicer, self.start.clone(), &self.trail.moves, tools.budget)?;
        let Some(kept) = found else { return Ok(None) };
        let is_kept = |number: usize| kept[number];
        let (encoder, terms) = (&mut *self.encoder, &mut *tools.terms);
        let sliced =
            Trail::with_moves(encoder, terms, self.graph, self.entry, self.rules, is_kept)?;
        let count = kept.iter().filter(|is_kept| **is_kept).count() as u64;
        Ok(Some((view(&sliced), Kept { steps: kept.len() as u64, kept: count })))
    }

    /// The weights of the system relate whole calls, and no single state belongs to a path.
    fn state(
        &mut self,
        _: &Tracking,
        _: &mut Terms,
        _: usize,
    ) -> Result<Option<Term>, PushdownError> {
        Ok(None)
    }

    /// Abstracts the steps of the path with more effort from now on.
    fn focus(&mut self) -> bool {
        let mut new = false;
        for rule in self.rules {
            if let Rule::Step(step) | Rule::Enter(step) = rule {
                new |= self.abstraction.exact.insert(*step);
            }
        }
        new
    }
}
