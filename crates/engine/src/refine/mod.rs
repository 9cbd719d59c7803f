//! From an infeasible path to predicates: one refinement for all engines (LA 4, AFP 5, PS).
//!
//! An engine gives an [`InfeasiblePath`]: formulas with a cut between them, and its cut points. Then
//! attempts are made in a fixed order until something new is tracked:
//!
//! 1. one of the paths through its formulas ([`single`]) where those have many choices: interpolants
//!    of disjunctions are hard to find, and all that is wanted is progress;
//! 2. the steps that matter (PS), stopped early if there are many, at their locations, and the whole
//!    path: as far as a refutation is found at once;
//! 3. one of the paths through its formulas where those have few choices;
//! 4. the end of the path from the latest abstract state that refutes it ([`suffix::pivot_of_state`],
//!    LA's pivot);
//! 5. single paths, the steps that matter and the whole path again, with all routes to interpolants: only
//!    now a solver for Horn clauses is asked, which may work in vain for longer than all of the
//!    above takes;
//! 6. the same predicates with more exact abstraction, where the engine has such;
//! 7. the end of the path again, and the last of the steps that matter ([`suffix::stop_early`],
//!    PS 4.2): shorter where whole paths have no interpolants, or none that are new;
//! 8. the path without its call structure;
//! 9. all of it again, tracked in the whole function and then wherever it is in scope.
//!
//! Each time several sequences of interpolants are offered, best first by the score of
//! [`gnomon_logic::interpolate::score`], which avoids loop counters and long formulas. What is learned
//! is counted ([`crate::divergence`]), so that whoever diverges is told.

mod modes;
pub mod single;
mod suffix;
#[cfg(test)]
mod tests;
pub mod tracking;
pub mod view;

pub use tracking::{CutPoints, Learned, Spread, Tracking};
pub use view::{Cut, Extent, InfeasiblePath, Kept, PathView, ViewOf};

use gnomon_flow::slice::Slicer;
use gnomon_logic::interpolate::{
    Failure, Interpolator, Options, Path, Route, Sequence, Step as CutStep, UnmatchedReturn,
};
use gnomon_logic::{Op, Term, Terms};

use crate::horn::Tools;
use crate::outcome::Stopped;
use crate::sliced::Relevance;
use modes::Tests;

/// What refining took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefineStatistics {
    /// Paths that were sliced.
    pub sliced: u64,
    /// Of them, those that are infeasible for what was kept.
    pub enough: u64,
    /// Slices whose begin was left out because their end is infeasible.
    pub stopped_early: u64,
    /// Steps of all paths that were sliced.
    pub steps: u64,
    /// How many of the steps were kept.
    pub kept: u64,
    /// Refinements that an abstract state in the middle of the path gave.
    pub from_state: u64,
    /// Refinements by one of the paths through blocks.
    pub single: u64,
}

/// What a refinement gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refinement {
    /// New predicates.
    Learned {
        /// The first position of the path that has some.
        pivot: usize,
        /// Set if there are too many of one kind now.
        diverges: Option<Stopped>,
    },
    /// The abstraction is more exact along the path.
    Focused,
    /// Nothing.
    Nothing(Stopped),
}

/// One thing to try.
#[derive(Clone, Copy, Debug)]
enum Attempt {
    /// What is plain, at its locations.
    Glance(Extent),
    /// What is found without Horn clauses, at its locations.
    Look(Extent),
    /// What all routes find.
    Learn(Extent, Spread),
    Focus,
}

/// How hard interpolants are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Effort {
    /// By refutations that are found at once.
    Little,
    /// Without a solver for Horn clauses.
    Some,
    /// By all routes.
    Full,
}

const ATTEMPTS: [Attempt; 17] = [
    Attempt::Look(Extent::ManyChoices),
    Attempt::Glance(Extent::Sliced),
    Attempt::Glance(Extent::Whole),
    Attempt::Look(Extent::SinglePath),
    Attempt::Look(Extent::FromState),
    Attempt::Learn(Extent::ManyChoices, Spread::Location),
    Attempt::Learn(Extent::SinglePath, Spread::Location),
    Attempt::Learn(Extent::Sliced, Spread::Location),
    Attempt::Learn(Extent::Whole, Spread::Location),
    Attempt::Focus,
    Attempt::Learn(Extent::FromState, Spread::Location),
    Attempt::Learn(Extent::SlicedEnd, Spread::Location),
    Attempt::Learn(Extent::WithoutCalls, Spread::Location),
    Attempt::Learn(Extent::Sliced, Spread::Function),
    Attempt::Learn(Extent::Whole, Spread::Function),
    Attempt::Learn(Extent::Sliced, Spread::Everywhere),
    Attempt::Learn(Extent::Whole, Spread::Everywhere),
];

/// Paths with more disjunctions and conditional values are refuted one single path at a time.
const MANY_CHOICES: usize = 64;

/// Slices with more formulas are stopped early at once.
const LONG: usize = 64;

/// The sequences that were offered for a part of a path.
struct Offered<I: InfeasiblePath + ?Sized> {
    extent: Extent,
    view: ViewOf<I>,
    sequences: Vec<Sequence>,
    /// What its formulas compare with constants.
    tests: Tests,
}

/// The steps of a path that matter.
struct Slices<V> {
    /// As they were asked about.
    asked: Option<V>,
    /// All of them, to be stopped early.
    whole: Option<V>,
}

/// Why a part of a path has no sequences.
enum NoOffer<E> {
    /// There is no such part, or it is not known to be infeasible.
    NoView,
    Unmatched(UnmatchedReturn),
    Failure(Failure),
    Error(E),
}

/// Refines.
pub struct Refiner<'a> {
    /// With all routes.
    interpolator: Interpolator,
    /// Without a solver for Horn clauses.
    without_horn: Interpolator,
    /// Without those that ask a solver for Horn clauses, or for long.
    plain: Interpolator,
    relevance: Option<&'a Relevance<'a>>,
    /// Made when it is first needed.
    slicer: Option<Slicer<'a>>,
    /// What was done.
    pub statistics: RefineStatistics,
}

impl<'a> Refiner<'a> {
    /// With slicing, if it is told what that needs.
    pub fn new(relevance: Option<&'a Relevance<'a>>) -> Self {
        let without = |left_out: &[Route]| {
            let mut routes = Route::ALL.to_vec();
            routes.retain(|route| !left_out.contains(route));
            Interpolator::new(Options { routes, ..Options::default() })
        };
        Self {
            interpolator: Interpolator::default(),
            without_horn: without(&[Route::Horn]),
            plain: without(&[Route::Horn, Route::Postcondition]),
            relevance,
            slicer: None,
            statistics: RefineStatistics::default(),
        }
    }

    /// Slices no more.
    pub fn stop_slicing(&mut self) {
        self.relevance = None;
    }

    /// Learns predicates from an infeasible path.
    pub fn refine<I: InfeasiblePath>(
        &mut self,
        path: &mut I,
        tracking: &mut Tracking,
        tools: &mut Tools<'_>,
    ) -> Result<Refinement, I::Error> {
        let mut offers: Vec<Offered<I>> = Vec::new();
        let mut slices = Slices { asked: None, whole: None };
        let mut tried: Vec<(Extent, Effort)> = Vec::new();
        let mut why_not = None;
        for attempt in ATTEMPTS {
            let (extent, spread, effort) = match attempt {
                Attempt::Glance(extent) => (extent, Spread::Location, Effort::Little),
                Attempt::Look(extent) => (extent, Spread::Location, Effort::Some),
                Attempt::Learn(extent, spread) => (extent, spread, Effort::Full),
                Attempt::Focus if path.focus() => return Ok(Refinement::Focused),
                Attempt::Focus => continue,
            };
            // What was found at once, all routes would find again.
            let is_offered = offers.iter().any(|offered| offered.extent == extent);
            if !is_offered && !tried.contains(&(extent, effort)) {
                tried.push((extent, effort));
                match self.offer(path, tracking, extent, effort, &mut slices, tools) {
                    Ok(offered) => offers.push(offered),
                    Err(NoOffer::NoView) => {}
                    Err(NoOffer::Error(error)) => return Err(error),
                    Err(NoOffer::Failure(Failure::Exhausted(limit))) => return Err(limit.into()),
                    // What a slice or an end of a path does not give, the whole may.
                    Err(NoOffer::Failure(why))
                        if extent == Extent::Whole && effort == Effort::Full =>
                    {
                        why_not = Some(Stopped::NoInterpolants(why));
                    }
                    Err(NoOffer::Failure(_)) => {}
                    Err(NoOffer::Unmatched(why)) => why_not = Some(Stopped::Unmatched(why)),
                }
            }
            let Some(offered) = offers.iter().find(|offered| offered.extent == extent) else {
                continue;
            };
            let (points, cuts) = (path.points(), &offered.view.cuts);
            for sequence in &offered.sequences {
                let tests = &offered.tests;
                let learned = tracking.learn(tools.terms, points, cuts, sequence, spread, tests)?;
                if let Some(pivot) = learned {
                    self.statistics.from_state += u64::from(extent == Extent::FromState);
                    self.statistics.single +=
                        u64::from(matches!(extent, Extent::SinglePath | Extent::ManyChoices));
                    let diverges = tracking.divergence.take().map(|atom| Stopped::Diverges {
                        example: tools.terms.display(atom).to_string(),
                    });
                    tools.budget.report(
                        "refine",
                        format_args!("learned: {extent:?}, {spread:?}, from position {pivot} on"),
                    );
                    return Ok(Refinement::Learned { pivot, diverges });
                }
            }
        }
        Ok(Refinement::Nothing(why_not.unwrap_or(Stopped::NothingNew)))
    }

    /// Asks for sequences of a part of a path.
    fn offer<I: InfeasiblePath>(
        &mut self,
        path: &mut I,
        tracking: &Tracking,
        extent: Extent,
        effort: Effort,
        slices: &mut Slices<ViewOf<I>>,
        tools: &mut Tools<'_>,
    ) -> Result<Offered<I>, NoOffer<I::Error>> {
        let view = match extent {
            Extent::Whole => path.whole(),
            Extent::WithoutCalls => without_calls(path.whole())?,
            Extent::Sliced => match &slices.asked {
                Some(view) => view.clone(),
                None => self.slice(path, slices, tools)?,
            },
            Extent::SlicedEnd => {
                match self.end_of(slices.whole.take().ok_or(NoOffer::NoView)?, tools)? {
                    // All of it was asked already.
                    (_, 0) => return Err(NoOffer::NoView),
                    (view, _) => view,
                }
            }
            Extent::FromState => from_state(path, tracking, tools)?,
            Extent::ManyChoices
                if choices(&path.whole().formulas(), tools.terms) <= MANY_CHOICES =>
            {
                return Err(NoOffer::NoView);
            }
            // It was asked before all others.
            Extent::SinglePath if choices(&path.whole().formulas(), tools.terms) > MANY_CHOICES => {
                return Err(NoOffer::NoView);
            }
            Extent::ManyChoices | Extent::SinglePath => single(path, tracking, tools)?,
        };
        tools.budget.report(
            "refine",
            format_args!("interpolants: {extent:?}, {} formulas, {effort:?}", view.steps.len()),
        );
        let asked = Path::new(tools.terms, view.steps.clone()).map_err(NoOffer::Unmatched)?;
        let interpolator = match effort {
            Effort::Little => &mut self.plain,
            Effort::Some => &mut self.without_horn,
            Effort::Full => &mut self.interpolator,
        };
        let sequences = interpolator
            .interpolate(tools.terms, tools.solver, &asked, tools.budget)
            .map_err(NoOffer::Failure)?;
        let tests = Tests::of(&path.whole().formulas(), tools.terms);
        Ok(Offered { extent, view, sequences, tests })
    }

    /// The steps that matter, if they are infeasible. They are kept to be stopped early, unless
    /// there are so many that they are at once.
    fn slice<I: InfeasiblePath>(
        &mut self,
        path: &mut I,
        slices: &mut Slices<ViewOf<I>>,
        tools: &mut Tools<'_>,
    ) -> Result<ViewOf<I>, NoOffer<I::Error>> {
        let relevance = self.relevance.ok_or(NoOffer::NoView)?;
        let slicer = match &mut self.slicer {
            Some(slicer) => slicer,
            none => {
                let slicer = relevance.slicer(tools.budget);
                none.insert(slicer.map_err(|limit| NoOffer::Error(limit.into()))?)
            }
        };
        let found = path.sliced(slicer, tools).map_err(NoOffer::Error)?;
        let (view, kept) = found.ok_or(NoOffer::NoView)?;
        self.statistics.sliced += 1;
        self.statistics.steps += kept.steps;
        self.statistics.kept += kept.kept;
        let constrains = |step: &&CutStep| step.formula != tools.terms.tt();
        let view = if view.steps.iter().filter(constrains).count() > LONG {
            self.end_of(view, tools)?.0
        } else if suffix::is_infeasible(&view.formulas(), tools) {
            slices.whole.insert(view).clone()
        } else {
            return Err(NoOffer::NoView);
        };
        self.statistics.enough += 1;
        slices.asked = Some(view.clone());
        Ok(view)
    }

    /// The shortest infeasible end of a slice, and where it begins.
    fn end_of<P, E>(
        &mut self,
        mut slice: PathView<P>,
        tools: &mut Tools<'_>,
    ) -> Result<(PathView<P>, usize), NoOffer<E>> {
        let begin = suffix::stop_early(&mut slice.steps, tools).ok_or(NoOffer::NoView)?;
        self.statistics.stopped_early += u64::from(begin > 0);
        Ok((slice, begin))
    }
}

/// The path as if it had no calls, if it has some.
fn without_calls<P, E>(mut view: PathView<P>) -> Result<PathView<P>, NoOffer<E>> {
    let flat: Vec<CutStep> = view.steps.iter().map(|step| CutStep::inner(step.formula)).collect();
    if flat == view.steps {
        return Err(NoOffer::NoView);
    }
    view.steps = flat;
    Ok(view)
}

/// How many disjunctions and conditional values formulas have.
fn choices(formulas: &[Term], terms: &Terms) -> usize {
    let is_choice = |&term: &Term| matches!(terms.op(term), Op::Or | Op::Ite);
    terms.subterms(formulas).into_iter().filter(is_choice).count()
}

/// One of the paths through its blocks that the abstract states allow.
fn single<I: InfeasiblePath>(
    path: &mut I,
    tracking: &Tracking,
    tools: &mut Tools<'_>,
) -> Result<ViewOf<I>, NoOffer<I::Error>> {
    let mut view = path.whole();
    let found = single::single_path(path, &view.formulas(), tracking, tools);
    let restricted = found.map_err(NoOffer::Error)?.ok_or(NoOffer::NoView)?;
    for (step, formula) in view.steps.iter_mut().zip(restricted) {
        step.formula = formula;
    }
    Ok(view)
}

/// The end of the path from the latest abstract state that refutes it, with that state before it.
fn from_state<I: InfeasiblePath>(
    path: &mut I,
    tracking: &Tracking,
    tools: &mut Tools<'_>,
) -> Result<ViewOf<I>, NoOffer<I::Error>> {
    let mut view = path.whole();
    let formulas = view.formulas();
    let found = suffix::pivot_of_state(&formulas, tools, |terms, position| {
        path.state(tracking, terms, position)
    });
    let (begin, state) = found.map_err(NoOffer::Error)?.ok_or(NoOffer::NoView)?;
    let mut steps = vec![CutStep::inner(state)];
    steps.extend(view.steps.drain(begin..));
    let mut cuts = vec![None];
    cuts.extend(view.cuts.drain(begin..));
    Ok(PathView { steps, cuts })
}
