//! Refinement of small paths, made by hand.

use gnomon_bdd::BddError;
use gnomon_budget::{Budget, Exhausted};
use gnomon_flow::slice::Slicer;
use gnomon_ir::cfa::LocId;
use gnomon_ir::program::FuncId;
use gnomon_logic::interpolate::Step as CutStep;
use gnomon_logic::solver::for_integers;
use gnomon_logic::{Scope, Sort, Term, Terms};

use super::suffix::stop_early;
use super::{Cut, CutPoints, InfeasiblePath, Kept, PathView, Refinement, Refiner, Tracking};
use crate::horn::Tools;
use crate::outcome::Stopped;

/// Cut points are the locations of one function.
struct Locations;

impl CutPoints for Locations {
    type Point = u32;

    fn location(&self, point: u32) -> Option<(FuncId, LocId)> {
        Some((FuncId(0), LocId(point)))
    }

    fn is_in_scope(&self, _: u32, func: FuncId) -> bool {
        func == FuncId(0)
    }

    fn context(&self, _: u32) -> Option<u32> {
        None
    }
}

#[derive(Debug, PartialEq)]
struct Broken;

impl From<Exhausted> for Broken {
    fn from(_: Exhausted) -> Self {
        Self
    }
}

impl From<BddError> for Broken {
    fn from(_: BddError) -> Self {
        Self
    }
}

/// Formulas in a row, with the states before each.
struct Straight {
    formulas: Vec<Term>,
    states: Vec<Option<Term>>,
    focus: bool,
}

impl InfeasiblePath for Straight {
    type Points = Locations;
    type Error = Broken;

    fn points(&self) -> &Locations {
        &Locations
    }

    fn whole(&mut self) -> PathView<u32> {
        let steps = self.formulas.iter().map(|&f| CutStep::inner(f)).collect();
        let cut = |n: usize| Some(Cut { point: n as u32, position: n, reading: None });
        let cuts = (0..=self.formulas.len()).map(cut).collect();
        PathView { steps, cuts }
    }

    fn sliced(
        &mut self,
        _: &mut Slicer<'_>,
        _: &mut Tools<'_>,
    ) -> Result<Option<(PathView<u32>, Kept)>, Broken> {
        Ok(None)
    }

    fn state(
        &mut self,
        _: &Tracking,
        _: &mut Terms,
        position: usize,
    ) -> Result<Option<Term>, Broken> {
        Ok(self.states.get(position).copied().flatten())
    }

    fn focus(&mut self) -> bool {
        std::mem::take(&mut self.focus)
    }
}

/// `x = k; y = 1; y = y + 1; x == other` with the values of `x` unchanged.
fn constant_path(terms: &mut Terms, k: i64, other: i64) -> Vec<Term> {
    let [x, y] = ["x", "y"].map(|name| terms.variable(name, Scope::Function(0), Sort::Int));
    let (x1, y1, y2) = (terms.var_at(x, 1), terms.var_at(y, 1), terms.var_at(y, 2));
    let (k, other, one) = (terms.int(k), terms.int(other), terms.int(1));
    let next = terms.add(y1, one);
    vec![terms.eq(x1, k), terms.eq(y1, one), terms.eq(y2, next), terms.eq(x1, other)]
}

fn refine(
    terms: &mut Terms,
    tracking: &mut Tracking,
    path: &mut Straight,
) -> Result<Refinement, Broken> {
    let (mut solver, budget) = (for_integers(), Budget::unlimited());
    let mut tools = Tools { terms, solver: &mut solver, budget: &budget };
    Refiner::new(None).refine(path, tracking, &mut tools)
}

fn straight(formulas: Vec<Term>) -> Straight {
    Straight { formulas, states: Vec::new(), focus: false }
}

#[test]
fn predicates_are_learned_where_the_path_was_cut() {
    let mut terms = Terms::new();
    let mut tracking = Tracking::new(1 << 10).expect("room");
    let formulas = constant_path(&mut terms, 3, 4);
    let refined = refine(&mut terms, &mut tracking, &mut straight(formulas)).expect("no limit");
    assert_eq!(refined, Refinement::Learned { pivot: 1, diverges: None });
    let count = |point| tracking.at(&Locations, point).len();
    assert_eq!([0, 1, 2, 3, 4].map(count), [0, 1, 1, 1, 0]);
    let atom = tracking.predicates.get(tracking.at(&Locations, 2)[0]).atom;
    assert!(!terms.display(atom).to_string().contains('y'), "y does not matter");
}

#[test]
fn what_is_known_is_spread_and_then_nothing_is_new() {
    let mut terms = Terms::new();
    let mut tracking = Tracking::new(1 << 10).expect("room");
    let formulas = constant_path(&mut terms, 3, 4);
    let mut path = straight(formulas);
    path.focus = true;
    refine(&mut terms, &mut tracking, &mut path).expect("no limit");
    assert!(path.focus, "the first attempt was enough");
    assert_eq!(refine(&mut terms, &mut tracking, &mut path), Ok(Refinement::Focused));
    // Then in all of the function, then everywhere, and then there is nothing left.
    let mut learned = 0;
    let end = loop {
        match refine(&mut terms, &mut tracking, &mut path).expect("no limit") {
            Refinement::Learned { .. } => learned += 1,
            end => break end,
        }
    };
    assert_eq!(end, Refinement::Nothing(Stopped::NothingNew));
    assert!(learned >= 2, "{learned}");
    assert_eq!(tracking.at(&Locations, 9).len(), tracking.predicates.len());
}

#[test]
fn a_feasible_path_gives_nothing() {
    let mut terms = Terms::new();
    let mut tracking = Tracking::new(1 << 10).expect("room");
    let formulas = constant_path(&mut terms, 3, 3);
    let refined = refine(&mut terms, &mut tracking, &mut straight(formulas)).expect("no limit");
    assert!(matches!(refined, Refinement::Nothing(Stopped::NoInterpolants(_))), "{refined:?}");
    assert!(tracking.predicates.is_empty());
}

#[test]
fn predicates_without_end_are_noticed() {
    let mut terms = Terms::new();
    let mut tracking = Tracking::new(1 << 10).expect("room");
    let diverged = (0..100).find(|&k| {
        let formulas = constant_path(&mut terms, 2 * k, 2 * k + 1);
        let refined = refine(&mut terms, &mut tracking, &mut straight(formulas));
        matches!(refined, Ok(Refinement::Learned { diverges: Some(Stopped::Diverges { .. }), .. }))
    });
    assert!(diverged.is_some_and(|k| k > 10), "{diverged:?}");
}

/// The path by itself is feasible, so only the state refutes it.
#[test]
fn the_latest_state_that_refutes_the_rest_is_the_pivot() {
    let mut terms = Terms::new();
    let mut tracking = Tracking::new(1 << 10).expect("room");
    let formulas = constant_path(&mut terms, 4, 4);
    let x = terms.variable("x", Scope::Function(0), Sort::Int);
    let (x1, five) = (terms.var_at(x, 1), terms.int(5));
    let state = terms.eq(x1, five);
    let nothing = terms.tt();
    let mut path = straight(formulas);
    path.states = vec![None, Some(state), Some(state), Some(nothing)];
    let mut refiner = Refiner::new(None);
    let (mut solver, budget) = (for_integers(), Budget::unlimited());
    let mut tools = Tools { terms: &mut terms, solver: &mut solver, budget: &budget };
    let refined = refiner.refine(&mut path, &mut tracking, &mut tools).expect("no limit");
    assert_eq!(refined, Refinement::Learned { pivot: 2, diverges: None });
    assert_eq!(refiner.statistics.from_state, 1);
    let count = |point| tracking.at(&Locations, point).len();
    assert_eq!(count(1), 0, "before the pivot nothing is learned");
    assert!(count(2) > 0 && count(3) > 0);
}

#[test]
fn a_slice_is_stopped_as_soon_as_its_end_is_infeasible() {
    let mut terms = Terms::new();
    let mut formulas = constant_path(&mut terms, 1, 1);
    // The end: z == 1, z == 2.
    let z = terms.variable("z", Scope::Function(0), Sort::Int);
    let (z, one, two) = (terms.var_at(z, 0), terms.int(1), terms.int(2));
    formulas.extend([terms.eq(z, one), terms.eq(z, two)]);
    let mut steps: Vec<CutStep> = formulas.iter().map(|&f| CutStep::inner(f)).collect();
    let (mut solver, budget) = (for_integers(), Budget::unlimited());
    let mut tools = Tools { terms: &mut terms, solver: &mut solver, budget: &budget };
    assert_eq!(stop_early(&mut steps, &mut tools), Some(4));
    let kept: Vec<bool> = steps.iter().map(|s| s.formula != terms.tt()).collect();
    assert_eq!(kept, [false, false, false, false, true, true]);
    let mut feasible: Vec<CutStep> = formulas[..5].iter().map(|&f| CutStep::inner(f)).collect();
    let mut tools = Tools { terms: &mut terms, solver: &mut solver, budget: &budget };
    assert_eq!(stop_early(&mut feasible, &mut tools), None);
}
