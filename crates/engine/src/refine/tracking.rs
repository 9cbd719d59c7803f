//! What refinement learns: predicates, and where they are tracked (AFP: few, and local).

use gnomon_bdd::BddError;
use gnomon_ir::cfa::LocId;
use gnomon_ir::program::FuncId;
use gnomon_logic::interpolate::Sequence;
use gnomon_logic::{Term, Terms};
use gnomon_predabs::{Precision, PredicateId, Predicates};

use super::modes::{Modes, Tests};
use super::view::Cut;
use crate::divergence::Divergence;
use crate::horn::{CutPoint, Invariants};
use crate::pushdown::ghosts::Ghosts;

/// The cut points of an engine: where they are, and whose variables can be spoken about there.
pub trait CutPoints {
    /// A cut point.
    type Point: CutPoint;

    /// Its location; `None` if it has none, and so no predicates.
    fn location(&self, point: Self::Point) -> Option<(FuncId, LocId)>;

    /// Whether variables of a function are in scope there.
    fn is_in_scope(&self, point: Self::Point, func: FuncId) -> bool;

    /// Numbers the cut points of one location that differ in their open calls; `None` if there is
    /// only one.
    fn context(&self, point: Self::Point) -> Option<u32>;
}

/// How far a predicate is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// To the location of its cut.
    Location,
    /// To the whole function.
    Function,
    /// To wherever it is in scope.
    Everywhere,
}

/// A predicate that was learned for a location.
pub type Learned = (FuncId, LocId, Term);

/// The predicates of an engine, and where they are tracked.
#[derive(Debug)]
pub struct Tracking {
    /// All predicates.
    pub predicates: Predicates,
    /// Where they are tracked.
    pub precision: Precision,
    /// The values at entries of functions that predicates speak about.
    pub ghosts: Ghosts,
    /// Whether they come without end.
    pub divergence: Divergence,
    /// Whether they say in which mode a program is.
    modes: Modes,
    /// What was learned for a location, in the order in which it was, for other engines.
    pub learned: Vec<Learned>,
}

impl Tracking {
    /// Nothing is tracked; regions have room for so many nodes.
    pub fn new(region_nodes: usize) -> Result<Self, BddError> {
        Ok(Self {
            predicates: Predicates::new(region_nodes)?,
            precision: Precision::default(),
            ghosts: Ghosts::default(),
            divergence: Divergence::default(),
            modes: Modes::default(),
            learned: Vec::new(),
        })
    }

    /// The predicates that are tracked at a cut point and in scope there.
    pub fn at<C: CutPoints>(&self, points: &C, point: C::Point) -> Vec<PredicateId> {
        let Some((func, loc)) = points.location(point) else { return Vec::new() };
        let mut tracked = match points.context(point) {
            Some(context) => self.precision.at_place(func, loc, context),
            None => self.precision.at(func, loc),
        };
        tracked.retain(|&id| self.is_in_scope(points, point, id));
        tracked
    }

    fn is_in_scope<C: CutPoints>(&self, points: &C, point: C::Point, id: PredicateId) -> bool {
        self.predicates.get(id).functions.iter().all(|&f| points.is_in_scope(point, f))
    }

    /// Tracks an atom without indices at a cut point, or further. Gives the predicate if that is
    /// new. A predicate about variables of callers is tracked at its location only under the calls
    /// that are open there.
    pub fn track<C: CutPoints>(
        &mut self,
        terms: &mut Terms,
        points: &C,
        point: C::Point,
        atom: Term,
        spread: Spread,
    ) -> Result<Option<PredicateId>, BddError> {
        let Some((func, loc)) = points.location(point) else { return Ok(None) };
        let Some(id) = self.predicates.intern(terms, atom)? else { return Ok(None) };
        if !self.is_in_scope(points, point, id) {
            return Ok(None);
        }
        let is_own = self.predicates.get(id).functions.iter().all(|f| *f == func);
        let new = match (spread, points.context(point)) {
            (Spread::Location, Some(context)) if !is_own => {
                self.precision.add_at_place(func, loc, context, id)
            }
            (Spread::Location, _) => self.precision.add(func, loc, id),
            (Spread::Function, _) => self.precision.add_to_function(func, id),
            (Spread::Everywhere, _) => self.precision.add_everywhere(id),
        };
        if new {
            self.learned.push((func, loc, atom));
        }
        Ok(new.then_some(id))
    }

    /// Tracks what another engine learned, as far as it can be said in this arena. Says how many
    /// predicates that gives.
    pub fn take_over(
        &mut self,
        terms: &mut Terms,
        other: &Terms,
        learned: &[Learned],
    ) -> Result<u64, BddError> {
        let mut new = 0;
        for &(func, loc, atom) in learned {
            let Some(atom) = terms.import(other, atom) else { continue };
            let Some(id) = self.predicates.intern(terms, atom)? else { continue };
            let is_own = self.predicates.get(id).functions.iter().all(|f| *f == func);
            new += u64::from(is_own && self.precision.add(func, loc, id));
        }
        Ok(new)
    }

    /// Tracks the atoms of formulas without indices, each at its cut point. Says whether any is new.
    pub fn track_invariants<C: CutPoints>(
        &mut self,
        terms: &mut Terms,
        points: &C,
        invariants: &Invariants<C::Point>,
    ) -> Result<bool, BddError> {
        let mut new = false;
        for (&point, &formula) in invariants {
            for atom in terms.atoms(formula).to_vec() {
                new |= self.track(terms, points, point, atom, Spread::Location)?.is_some();
            }
        }
        Ok(new)
    }

    /// Tracks the atoms of interpolants, each where its path was cut. Gives the first position on
    /// the path that learned something: the pivot (LA 4). `tests` are
    /// those of the path.
    pub fn learn<C: CutPoints>(
        &mut self,
        terms: &mut Terms,
        points: &C,
        cuts: &[Option<Cut<C::Point>>],
        sequence: &Sequence,
        spread: Spread,
        tests: &Tests,
    ) -> Result<Option<usize>, BddError> {
        let mut pivot = None;
        for (cut, &formula) in cuts.iter().zip(&sequence.formulas) {
            let Some(cut) = cut else { continue };
            let Some((func, loc)) = points.location(cut.point) else { continue };
            for atom in terms.atoms(formula).to_vec() {
                let Some(atom) = cut.generalise(terms, &mut self.ghosts, func, atom) else {
                    continue;
                };
                if self.track(terms, points, cut.point, atom, spread)?.is_some() {
                    if !tests.has(terms, atom) {
                        self.divergence.count(terms, func, loc, atom);
                    }
                    for mode in self.modes.learned(terms, (func, loc), atom, tests) {
                        self.track(terms, points, cut.point, mode, spread)?;
                    }
                    pivot = pivot.or(Some(cut.position));
                }
            }
        }
        Ok(pivot)
    }
}
