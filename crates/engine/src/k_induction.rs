//! k-induction over the blocks of a program (Sheeran, Singh, Stålmarck, Checking Safety Properties
//! Using Induction and a SAT-Solver, FMCAD 2000; with auxiliary invariants: Beyer, Dangl, Wendler,
//! Boosting k-Induction with Continuously-Refined Invariants, CAV 2015).
//!
//! - **Base**: no error is reached within k blocks from the start. A search proves that.
//! - **Step**: whoever passes k - 1 blocks from a cut point, in any state that the auxiliary
//!   invariants allow, reaches no error in the next one.
//!
//! An error in block n > k would have a cut point k blocks before it, and the step excludes it. All that
//! is unsupported is excluded in the same way. Auxiliary invariants are candidates that others
//! propose, and simple ones from the conditions of functions ([`crate::templates`]); those that are
//! not inductive together are dropped (Houdini).
//!
//! Blocks are unwound as in a search ([`crate::unwinding`]): with values as functions of the state
//! at the cut point, in bits.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::{Budget, Exhausted};
use gnomon_logic::{Answer, Term, Terms};

use crate::control::{Control, ControlId, Target};
use crate::equations::Equation;
use crate::explore::ExploreError;
use crate::proof::{Invariant, Invariants};
use crate::refine::Learned;
use crate::symbolic::Symbolic;
use crate::templates;
use crate::unwinding::{Unwinder, Unwinding};

/// Programs with more cut points are left to others.
const MOST_CUT_POINTS: usize = 100;
/// With more cut points there are no candidates but those of others.
const MOST_WITH_TEMPLATES: usize = 16;
/// More candidates at a cut point are not looked at.
const MOST_CANDIDATES: usize = 120;
/// The greatest k.
const GREATEST_K: usize = 24;
/// The limits of queries: for a candidate, and for a step.
const CANDIDATE_QUERY: u32 = 300_000;
const STEP_QUERY: u32 = 6_000_000;

/// How far it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Induction {
    /// There is more to try.
    More,
    /// The step holds for k.
    Step(usize),
    /// There is nothing more to try.
    Over(String),
}

/// A proof in the making.
pub struct KInduction<'p> {
    unwinder: Unwinder<'p>,
    start: ControlId,
    budget: Budget,
    /// Where blocks end, once that was looked at.
    cut_points: Option<Vec<ControlId>>,
    candidates: BTreeMap<ControlId, Vec<Term>>,
    /// Whether the candidates are inductive.
    is_filtered: bool,
    /// From each cut point, as far as they go for the present k.
    unwindings: Vec<Unwinding>,
    /// How many of them were looked at for the present k.
    next: usize,
    k: usize,
    /// Whether the step holds for all that were looked at for the present k.
    holds: bool,
}

impl<'p> KInduction<'p> {
    /// Of the program that begins at `start`.
    pub fn new(unwinder: Unwinder<'p>, start: ControlId, budget: Budget) -> Self {
        Self {
            unwinder,
            start,
            budget,
            cut_points: None,
            candidates: BTreeMap::new(),
            is_filtered: false,
            unwindings: Vec::new(),
            next: 0,
            k: 1,
            holds: true,
        }
    }

    /// The unwinder, for its statistics.
    pub fn unwinder(&self) -> &Unwinder<'p> {
        &self.unwinder
    }

    /// The present k.
    pub fn k(&self) -> usize {
        self.k
    }

    /// How many invariants it uses.
    pub fn invariant_count(&self) -> usize {
        self.candidates.values().map(Vec::len).sum()
    }

    /// All places where blocks begin, but for the start.
    fn find_cut_points(&mut self) -> Result<Option<Vec<ControlId>>, ExploreError> {
        let mut found: BTreeSet<ControlId> = BTreeSet::new();
        let mut work = vec![self.start];
        while let Some(from) = work.pop() {
            let explorer = &mut self.unwinder.explorer;
            for place in explorer.places(from)? {
                for (_, target) in explorer.steps_from(place).iter() {
                    if let Target::Control(to) = target
                        && explorer.is_cut(*to)
                        && found.insert(*to)
                    {
                        work.push(*to);
                    }
                }
            }
            if found.len() > MOST_CUT_POINTS {
                return Ok(None);
            }
        }
        Ok(Some(found.into_iter().collect()))
    }

    /// Takes over candidates: equations and predicates at locations. Whatever is new begins anew.
    pub fn propose(
        &mut self,
        equations: &[Equation],
        predicates: impl FnOnce(&mut Terms) -> Vec<Learned>,
    ) -> Result<(), ExploreError> {
        if self.cut_points.is_none() {
            self.cut_points = self.find_cut_points()?;
        }
        let Some(cut_points) = self.cut_points.clone() else { return Ok(()) };
        let Unwinder { explorer, terms, .. } = &mut self.unwinder;
        let mut proposed: Vec<Learned> = Vec::new();
        for equation in equations {
            if let Some(atom) = equation.atom(&mut explorer.encoder, terms) {
                proposed.push((equation.func, equation.loc, atom));
            }
        }
        proposed.extend(predicates(terms));
        let is_first = self.candidates.is_empty();
        let program = explorer.space.program();
        for place in cut_points {
            let Control { func, loc, .. } = explorer.space.get(place);
            let here = self.candidates.entry(place).or_default();
            for &(_, _, atom) in proposed.iter().filter(|(f, l, _)| (*f, *l) == (func, loc)) {
                if here.len() < MOST_CANDIDATES && !here.contains(&atom) {
                    here.push(atom);
                    self.is_filtered = false;
                }
            }
            if is_first && self.cut_points.as_ref().is_some_and(|c| c.len() <= MOST_WITH_TEMPLATES)
            {
                let own = templates::candidates(program, func, &mut explorer.encoder, terms);
                here.extend(own.into_iter().take(MOST_CANDIDATES));
            }
        }
        if !self.is_filtered {
            self.unwindings.clear();
            (self.next, self.k, self.holds) = (0, 1, true);
        }
        Ok(())
    }

    /// Goes on a little.
    pub fn advance(&mut self) -> Result<Induction, ExploreError> {
        self.budget.check_now()?;
        let Some(cut_points) = self.cut_points.clone() else {
            return Ok(Induction::Over("there are too many cut points".into()));
        };
        if !self.is_filtered {
            self.filter(&cut_points)?;
            self.is_filtered = true;
            return Ok(Induction::More);
        }
        if self.unwindings.is_empty() {
            for &place in &cut_points {
                let state = self.beginning(place);
                let mut unwinding = Unwinding { layer: BTreeMap::new(), depth: 0 };
                unwinding.layer.extend(state.map(|state| (place, state)));
                self.unwindings.push(unwinding);
            }
        }
        if let Some(unwinding) = self.unwindings.get_mut(self.next) {
            self.next += 1;
            let reached = self.unwinder.advance(unwinding)?;
            if self.holds {
                let errors = reached.errors.iter().map(|(_, state)| state);
                let all = errors.chain(reached.stuck.iter().map(|(_, state)| state));
                let wholes: Vec<Term> =
                    all.map(|state| self.unwinder.executor.whole(state.guard())).collect();
                let any = self.unwinder.terms.or(&wholes);
                self.holds = self.unwinder.ask(any, STEP_QUERY).is_unsat();
            }
            return Ok(Induction::More);
        }
        let (k, holds) = (self.k, self.holds);
        if holds {
            return Ok(Induction::Step(k));
        }
        if k >= GREATEST_K {
            return Ok(Induction::Over(format!("no step holds for k up to {k}")));
        }
        (self.k, self.next, self.holds) = (k + 1, 0, true);
        Ok(Induction::More)
    }

    /// Any state at a cut point that the candidates allow.
    fn beginning(&mut self, place: ControlId) -> Option<Symbolic> {
        let Unwinder { executor, terms, .. } = &mut self.unwinder;
        let mut state = executor.anything();
        for &candidate in self.candidates.get(&place).into_iter().flatten() {
            state = executor.assume(terms, state, candidate)?;
        }
        Some(state)
    }

    /// Drops candidates until the rest is inductive.
    fn filter(&mut self, cut_points: &[ControlId]) -> Result<(), ExploreError> {
        if self.candidates.values().all(Vec::is_empty) {
            return Ok(());
        }
        // A start that cannot be followed is not proved by anybody.
        if let Ok(state) = self.unwinder.start() {
            self.keep_what_holds_behind(self.start, state)?;
        }
        loop {
            let mut dropped = false;
            for &place in cut_points {
                self.budget.check_now()?;
                if let Some(state) = self.beginning(place) {
                    dropped |= self.keep_what_holds_behind(place, state)?;
                }
            }
            if !dropped {
                return Ok(());
            }
        }
    }

    /// Drops the candidates that do not hold behind a block; says whether some were.
    fn keep_what_holds_behind(
        &mut self,
        place: ControlId,
        state: Symbolic,
    ) -> Result<bool, ExploreError> {
        let mut unwinding = Unwinding::new(place, state);
        self.unwinder.advance(&mut unwinding)?;
        let mut dropped = false;
        for (to, state) in unwinding.layer {
            let candidates = self.candidates.remove(&to).unwrap_or_default();
            let whole = self.unwinder.executor.whole(state.guard());
            let mut kept = Vec::new();
            for &candidate in &candidates {
                let Unwinder { executor, terms, .. } = &mut self.unwinder;
                let holds = executor.value_of(terms, &state, candidate);
                let fails = terms.not(holds);
                let fails = terms.and2(whole, fails);
                if self.unwinder.ask(fails, CANDIDATE_QUERY) == Answer::Unsat {
                    kept.push(candidate);
                }
            }
            dropped |= kept.len() < candidates.len();
            self.candidates.insert(to, kept);
        }
        Ok(dropped)
    }

    /// What a proof leaves behind: the auxiliary invariants at all cut points.
    pub fn invariants(&mut self) -> Invariants {
        let Unwinder { explorer, terms, .. } = &mut self.unwinder;
        let mut places = Vec::new();
        for &place in self.cut_points.iter().flatten() {
            let Control { func, loc, .. } = explorer.space.get(place);
            let candidates = self.candidates.get(&place).map_or(&[][..], Vec::as_slice);
            let formula = terms.and(candidates);
            places.push(Invariant { calls: explorer.space.open_calls(place), func, loc, formula });
        }
        let theory = explorer.encoder.theory();
        Invariants {
            theory,
            terms: std::mem::take(terms),
            places,
            elements: Vec::new(),
            held: Vec::new(),
        }
    }
}

/// Why it ended early.
pub fn limit(error: ExploreError) -> Exhausted {
    let ExploreError::Exhausted(limit) = error;
    limit
}
