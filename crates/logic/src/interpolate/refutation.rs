//! The search for a refutation: elimination, congruence, linear programming, and case splits.
//!
//! The facts of the steps are asserted one step after the other, from the front or from the back of
//! the path. Assertion stops at the first contradiction, so going backwards finds the shortest
//! infeasible suffix as far as linear reasoning does. If no contradiction arises, equal arguments
//! give equal values (congruence), differences and choices are split into cases, and terms with a
//! fractional value into the halves around it. Choices that leave at most one case open are taken
//! first; a case whose refutation does not need it replaces the whole split.
//!
//! The result is a [`Proof`]: a tree of splits, each on a formula of one step (AFP's resolution on a
//! literal of that step), whose leaves are linear combinations (AFP's COMB and CONTRA).

use super::equations::{Combination, Equations, RowId, Uses};
use super::facts::{Fact, facts_of};
use super::path::Path;
use super::simplex::{Outcome, Simplex, integral};
use crate::Integer;
use crate::number::abs;
use crate::term::{Linear, Op, Relation, Sort, Term, Terms};
use gnomon_budget::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Which end of the path is asserted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// The first step first.
    Forward,
    /// The last step first.
    Backward,
}

/// Where a row comes from.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// A step of the path.
    Step(usize),
    /// Two applications with equal arguments: for each argument, rows whose sum with the
    /// difference of the arguments is zero.
    Congruence { left: Term, right: Term, arguments: Vec<Combination> },
}

/// A linear constraint of the refutation.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) linear: Linear,
    pub(super) relation: Relation,
    pub(super) origin: Origin,
    /// The splits it depends on.
    levels: Vec<u32>,
    uses: Uses,
}

/// Something that differs from zero at a step.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    pub(super) linear: Linear,
    pub(super) step: usize,
    levels: Vec<u32>,
}

/// Why nothing satisfies the facts.
#[derive(Clone, Debug)]
pub(super) enum Proof {
    /// The weighted sum of the rows is a positive constant, or, with a difference, the difference
    /// plus the weighted sum is zero.
    Leaf { combination: Combination, difference: Option<Difference> },
    /// One of the cases must hold because of a formula of the step; each is refuted.
    Split { step: usize, cases: Vec<Proof> },
}

/// Why there is no refutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoProof {
    /// Linear reasoning does not suffice, or the limits were reached.
    NotFound,
    /// The budget ran out.
    Exhausted(Exhausted),
}

impl From<Exhausted> for NoProof {
    fn from(reason: Exhausted) -> Self {
        Self::Exhausted(reason)
    }
}

/// Limits of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimits {
    /// Leaves of the proof that may be tried.
    pub leaves: u32,
    /// Pivots of the linear programming between two splits.
    pub pivots: u32,
    /// Choices that are looked at before one is split on.
    pub lookahead: usize,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self { leaves: 256, pivots: 2_000, lookahead: 48 }
    }
}

#[derive(Clone)]
enum Case {
    Formula(Term),
    AtMostZero(Linear),
}

#[derive(Clone)]
struct Choice {
    step: usize,
    cases: Vec<Case>,
    levels: Vec<u32>,
}

/// What was asserted.
#[derive(Clone)]
struct State {
    equations: Equations,
    simplex: Simplex,
    /// The order in which terms were seen: the newest is defined.
    seen: FxHashMap<Term, u32>,
    applications: Vec<Term>,
    differences: Vec<Difference>,
    choices: Vec<Choice>,
}

/// The search.
pub(super) struct Search<'a> {
    terms: &'a mut Terms,
    budget: &'a Budget,
    limits: SearchLimits,
    leaves_left: u32,
    pub(super) rows: Vec<Row>,
}

type Found = (Proof, Vec<u32>);

impl<'a> Search<'a> {
    /// A search with limits.
    pub(super) fn new(terms: &'a mut Terms, limits: SearchLimits, budget: &'a Budget) -> Self {
        Self { terms, budget, limits, leaves_left: limits.leaves, rows: Vec::new() }
    }

    /// Refutes the conjunction of the steps of a path.
    pub(super) fn refute(&mut self, path: &Path, direction: Direction) -> Result<Proof, NoProof> {
        let mut state = State {
            equations: Equations::default(),
            simplex: Simplex::new(self.limits.pivots),
            seen: FxHashMap::default(),
            applications: Vec::new(),
            differences: Vec::new(),
            choices: Vec::new(),
        };
        for number in 0..path.len() {
            let step = match direction {
                Direction::Forward => number,
                Direction::Backward => path.len() - 1 - number,
            };
            self.budget.check()?;
            let formula = path.steps()[step].formula;
            if let Some((proof, _)) = self.assert_formula(&mut state, formula, step, &[])? {
                return Ok(proof);
            }
        }
        self.solve(state, 1).map(|(proof, _)| proof)
    }

    /// Asserts the facts of a formula; gives the refutation if they are contradictory.
    fn assert_formula(
        &mut self,
        state: &mut State,
        formula: Term,
        step: usize,
        levels: &[u32],
    ) -> Result<Option<Found>, NoProof> {
        for fact in facts_of(self.terms, formula) {
            let found = match fact {
                Fact::Linear(linear, relation) => {
                    self.assert_row(state, linear, relation, Origin::Step(step), levels)?
                }
                Fact::Differs(linear) => {
                    self.notice(state, &linear);
                    let difference = Difference { linear, step, levels: levels.to_vec() };
                    let found = self.refute_difference(state, &difference);
                    state.differences.push(difference);
                    found
                }
                Fact::Choice(formulas) => {
                    let cases = formulas.into_iter().map(Case::Formula).collect();
                    state.choices.push(Choice { step, cases, levels: levels.to_vec() });
                    None
                }
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Registers the terms of a combination.
    fn notice(&mut self, state: &mut State, linear: &Linear) {
        let mut pending: Vec<Term> = linear.monomials.iter().rev().map(|m| m.0).collect();
        while let Some(term) = pending.pop() {
            let next = state.seen.len() as u32;
            if state.seen.contains_key(&term) {
                continue;
            }
            state.seen.insert(term, next);
            if self.terms.args(term).is_empty() {
                continue;
            }
            state.applications.push(term);
            for &arg in self.terms.args(term) {
                if self.terms.sort(arg) == Sort::Int {
                    pending.extend(self.terms.linear(arg).monomials.iter().map(|m| m.0));
                } else {
                    pending.push(arg);
                }
            }
        }
    }

    fn assert_row(
        &mut self,
        state: &mut State,
        linear: Linear,
        relation: Relation,
        origin: Origin,
        levels: &[u32],
    ) -> Result<Option<Found>, NoProof> {
        self.notice(state, &linear);
        let (reduced, uses) = state.equations.reduce(&linear);
        let id = self.rows.len() as RowId;
        let row = Row { linear, relation, origin, levels: levels.to_vec(), uses: uses.clone() };
        self.rows.push(row);
        if reduced.is_constant() {
            let contradiction = match relation {
                Relation::LeZero => reduced.constant > Integer::ZERO,
                Relation::EqZero => reduced.constant != Integer::ZERO,
            };
            if !contradiction {
                return Ok(None);
            }
            let factor =
                if reduced.constant > Integer::ZERO { Integer::ONE } else { -Integer::ONE };
            return Ok(Some(self.leaf(state, vec![(id, factor)], None)));
        }
        if relation == Relation::EqZero {
            let defined = reduced
                .monomials
                .iter()
                .filter(|(t, c)| abs(c) == Integer::ONE && !state.simplex.mentions(*t))
                .max_by_key(|(t, _)| state.seen.get(t))
                .map(|(t, _)| *t);
            if let Some(defined) = defined {
                state.equations.define(defined, id, reduced, uses);
                return Ok(None);
            }
        }
        let equal = relation == Relation::EqZero;
        match state.simplex.assert(&reduced, equal, id, self.budget)? {
            Outcome::Consistent => Ok(None),
            Outcome::TooHard => Err(NoProof::NotFound),
            Outcome::Conflict(multipliers) => {
                Ok(Some(self.leaf(state, integral(&multipliers), None)))
            }
        }
    }

    /// The leaf for multiples of reduced rows.
    fn leaf(
        &self,
        state: &State,
        reduced_rows: Combination,
        difference: Option<(&Difference, &Uses)>,
    ) -> Found {
        let mut total: BTreeMap<RowId, Integer> = BTreeMap::new();
        let mut uses: Uses = difference.map(|(_, uses)| uses.clone()).unwrap_or_default();
        for (row, factor) in reduced_rows {
            *total.entry(row).or_default() += &factor;
            let inner = &self.rows[row as usize].uses;
            uses.extend(inner.iter().map(|(at, c)| (*at, c * &factor)));
        }
        state.equations.expand(&uses, &mut total);
        total.retain(|_, c| *c != Integer::ZERO);
        let mut levels = difference.map(|(d, _)| d.levels.clone()).unwrap_or_default();
        for &row in total.keys() {
            join(&mut levels, &self.rows[row as usize].levels);
        }
        let difference = difference.map(|(d, _)| d.clone());
        (Proof::Leaf { combination: total.into_iter().collect(), difference }, levels)
    }

    /// The refutation of a difference that the equations make zero.
    fn refute_difference(&self, state: &State, difference: &Difference) -> Option<Found> {
        let (reduced, uses) = state.equations.reduce(&difference.linear);
        let zero = reduced.is_constant() && reduced.constant == Integer::ZERO;
        zero.then(|| self.leaf(state, Vec::new(), Some((difference, &uses))))
    }

    /// Adds equations between applications with equal arguments until nothing changes, then looks
    /// at the differences.
    fn close(&mut self, state: &mut State) -> Result<Option<Found>, NoProof> {
        while !state.applications.is_empty() {
            self.budget.check()?;
            let Some((left, right, levels, arguments)) = self.congruent(state) else { break };
            let linear = Linear::of(left).add_scaled(&Linear::of(right), &-Integer::ONE);
            let origin = Origin::Congruence { left, right, arguments };
            let found = self.assert_row(state, linear, Relation::EqZero, origin, &levels)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        let differences = std::mem::take(&mut state.differences);
        let found = differences.iter().find_map(|d| self.refute_difference(state, d));
        state.differences = differences;
        Ok(found)
    }

    /// Two applications that are equal by congruence and not yet known to be.
    fn congruent(&self, state: &State) -> Option<(Term, Term, Vec<u32>, Vec<Combination>)> {
        let mut by_signature: FxHashMap<(Op, Vec<Linear>), Term> = FxHashMap::default();
        for &application in &state.applications {
            let arguments = self.terms.args(application);
            let signature: Vec<Linear> = arguments
                .iter()
                .map(|&arg| state.equations.reduce(&self.argument(arg)).0)
                .collect();
            let known =
                *by_signature.entry((self.terms.op(application), signature)).or_insert(application);
            if known == application {
                continue;
            }
            let equation = Linear::of(application).add_scaled(&Linear::of(known), &-Integer::ONE);
            let (reduced, _) = state.equations.reduce(&equation);
            if reduced.is_constant() && reduced.constant == Integer::ZERO {
                continue;
            }
            let mut levels = Vec::new();
            let mut proofs = Vec::new();
            for (&a, &b) in arguments.iter().zip(self.terms.args(known)) {
                let difference = self.argument(a).add_scaled(&self.argument(b), &-Integer::ONE);
                let (_, uses) = state.equations.reduce(&difference);
                let mut total = BTreeMap::new();
                state.equations.expand(&uses, &mut total);
                total.retain(|_, c| *c != Integer::ZERO);
                for &row in total.keys() {
                    join(&mut levels, &self.rows[row as usize].levels);
                }
                proofs.push(total.into_iter().collect());
            }
            // The equation is asserted once: if it is not eliminated it stays in the simplex.
            let asserted = self.rows.iter().any(|r| {
                matches!(&r.origin, Origin::Congruence { left, right, .. }
                    if *left == application && *right == known)
            });
            if !asserted {
                return Some((application, known, levels, proofs));
            }
        }
        None
    }

    /// An argument of an application as a linear combination.
    fn argument(&self, arg: Term) -> Linear {
        match self.terms.op(arg) {
            Op::True => Linear::constant(1),
            Op::False => Linear::default(),
            _ if self.terms.sort(arg) == Sort::Int => self.terms.linear(arg),
            _ => Linear::of(arg),
        }
    }

    fn solve(&mut self, mut state: State, depth: u32) -> Result<Found, NoProof> {
        if let Some(found) = self.close(&mut state)? {
            return Ok(found);
        }
        if depth > 64 {
            return Err(NoProof::NotFound);
        }
        let Some(choice) = self.choose(&mut state)? else { return Err(NoProof::NotFound) };
        let mut cases = Vec::with_capacity(choice.cases.len());
        let mut needed = choice.levels.clone();
        for case in &choice.cases {
            self.leaves_left = self.leaves_left.checked_sub(1).ok_or(NoProof::NotFound)?;
            let mut inner = state.clone();
            let found = match case {
                Case::Formula(formula) => {
                    self.assert_formula(&mut inner, *formula, choice.step, &[depth])?
                }
                Case::AtMostZero(linear) => {
                    let origin = Origin::Step(choice.step);
                    let relation = Relation::LeZero;
                    self.assert_row(&mut inner, linear.clone(), relation, origin, &[depth])?
                }
            };
            let (proof, mut levels) = match found {
                Some(found) => found,
                None => self.solve(inner, depth + 1)?,
            };
            if !levels.contains(&depth) {
                return Ok((proof, levels));
            }
            levels.retain(|&l| l != depth);
            join(&mut needed, &levels);
            cases.push(proof);
        }
        Ok((Proof::Split { step: choice.step, cases }, needed))
    }

    /// Takes out the choice to split on: the first with at most one open case, or the one with
    /// the fewest; without choices, the halves around a fractional value.
    fn choose(&mut self, state: &mut State) -> Result<Option<Choice>, NoProof> {
        let mut places: Vec<Place> = Vec::new();
        places.extend((0..state.choices.len()).map(Place::Choice));
        places.extend((0..state.differences.len()).map(Place::Difference));
        // From the end of the path: what contradicts its last steps is near them.
        places.sort_by_key(|place| std::cmp::Reverse(place.step(state)));
        let mut best: Option<(usize, Place, Choice)> = None;
        let mut looked = 0;
        for place in places {
            if looked == self.limits.lookahead {
                break;
            }
            let choice = match place {
                Place::Choice(at) => Some(state.choices[at].clone()),
                Place::Difference(at) => self.halves(&state.differences[at]),
            };
            let Some(choice) = choice else { continue };
            looked += 1;
            let mut open = 0;
            for case in &choice.cases {
                open += usize::from(self.is_open(state, case)?);
            }
            if best.as_ref().is_none_or(|(fewest, ..)| open < *fewest) {
                best = Some((open, place, choice));
                if open <= 1 {
                    break;
                }
            }
        }
        let Some((_, place, choice)) = best else { return Ok(self.halves_of_fraction(state)) };
        match place {
            Place::Choice(at) => drop(state.choices.remove(at)),
            Place::Difference(at) => drop(state.differences.remove(at)),
        }
        Ok(Some(choice))
    }

    /// An integer that is not zero is negative or positive.
    fn halves(&self, difference: &Difference) -> Option<Choice> {
        let linear = &difference.linear;
        if linear.monomials.iter().any(|(t, _)| self.terms.sort(*t) != Sort::Int) {
            return None;
        }
        let below = linear.add_scaled(&Linear::constant(1), &Integer::ONE);
        let above = Linear::constant(1).add_scaled(linear, &-Integer::ONE);
        let cases = vec![Case::AtMostZero(below), Case::AtMostZero(above)];
        Some(Choice { step: difference.step, cases, levels: difference.levels.clone() })
    }

    /// An integer with a fractional value is below or above it. The split belongs to a step that
    /// mentions the term.
    fn halves_of_fraction(&self, state: &State) -> Option<Choice> {
        let (term, value) = state.simplex.fractional()?;
        if self.terms.sort(term) != Sort::Int {
            return None;
        }
        let step = self.rows.iter().find_map(|row| match row.origin {
            Origin::Step(step) if row.linear.monomials.iter().any(|m| m.0 == term) => Some(step),
            _ => None,
        })?;
        let floor = value.floor();
        let below = Linear::of(term).add_scaled(&Linear::constant(1), &-&floor);
        let above =
            Linear::constant(floor + Integer::ONE).add_scaled(&Linear::of(term), &-Integer::ONE);
        let cases = vec![Case::AtMostZero(below), Case::AtMostZero(above)];
        Some(Choice { step, cases, levels: Vec::new() })
    }

    /// Whether the linear facts of a case agree with what was asserted.
    fn is_open(&mut self, state: &State, case: &Case) -> Result<bool, NoProof> {
        let facts = match case {
            Case::AtMostZero(linear) => vec![Fact::Linear(linear.clone(), Relation::LeZero)],
            Case::Formula(formula) => facts_of(self.terms, *formula),
        };
        let mut simplex: Option<Simplex> = None;
        for fact in facts {
            match fact {
                Fact::Linear(linear, relation) => {
                    let (reduced, _) = state.equations.reduce(&linear);
                    let equal = relation == Relation::EqZero;
                    if reduced.is_constant() {
                        let zero = reduced.constant == Integer::ZERO;
                        if !zero && (equal || reduced.constant > Integer::ZERO) {
                            return Ok(false);
                        }
                        continue;
                    }
                    let simplex = simplex.get_or_insert_with(|| state.simplex.clone());
                    let outcome = simplex.assert(&reduced, equal, RowId::MAX, self.budget)?;
                    if matches!(outcome, Outcome::Conflict(_)) {
                        return Ok(false);
                    }
                }
                Fact::Differs(linear) => {
                    let (reduced, _) = state.equations.reduce(&linear);
                    if reduced.is_constant() && reduced.constant == Integer::ZERO {
                        return Ok(false);
                    }
                }
                Fact::Choice(_) => {}
            }
        }
        Ok(true)
    }
}

/// Where a choice waits.
#[derive(Clone, Copy)]
enum Place {
    Choice(usize),
    Difference(usize),
}

impl Place {
    fn step(self, state: &State) -> usize {
        match self {
            Self::Choice(at) => state.choices[at].step,
            Self::Difference(at) => state.differences[at].step,
        }
    }
}

/// Adds the members of one small set to another.
fn join(levels: &mut Vec<u32>, more: &[u32]) {
    for &level in more {
        if !levels.contains(&level) {
            levels.push(level);
        }
    }
}
