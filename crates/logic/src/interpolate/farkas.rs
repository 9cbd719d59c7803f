//! Interpolants from a refutation (AFP 3).
//!
//! One refutation serves all cuts. At a leaf, the interpolant of a cut is the weighted sum of the
//! rows of its own part (AFP's COMB: rows of the other side count as `0 <= 0`); if only equations
//! contribute, the sum is an equation, which is stronger and the predicate one wants. At a split on a
//! formula of a step, the interpolants of the cases are joined by `||` where the step is in the own
//! part (RES-A), by `&&` elsewhere (RES-B). Because the steps enter the own part one by one, the
//! formulas of successive cuts follow from each other, nested calls included. Integers: each sum is
//! tightened by the normal form of atoms, which the own part implies too.
//!
//! **Equality of applications** (AFP omits the rules for want of space): an equation `f(a) = f(b)`
//! by congruence, with `f(a)` in the own part and `f(b)` in the other, is cut in two at `f(e)`, where
//! `e` is `a` minus the own part of the proof of `a = b`: an expression over shared symbols that both
//! sides know to be equal to their argument. If both applications are on one side and the other
//! side's rows are needed to equate the arguments, these become a premise or a further conjunct.

use super::equations::{Combination, RowId};
use super::facts::formula_of;
use super::path::Path;
use super::refutation::{Difference, Origin, Proof, Row};
use super::tidy::tidy;
use crate::Integer;
use crate::term::{Linear, Relation, Term, Terms};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;

/// The sums of a combination over the first steps of the path.
struct Sums {
    /// Entry `c` sums over the steps before `c`.
    prefix: Vec<Rc<Linear>>,
    /// How many inequalities are among them.
    inequalities: Vec<u32>,
    /// Multiples of equations by congruence.
    derived: Vec<(RowId, Integer)>,
}

/// What an equation contributes to the own part of a cut.
#[derive(Default)]
struct Share {
    linear: Linear,
    inequality: bool,
    /// Further facts of the own part.
    facts: Vec<Term>,
    /// If one of these holds, the own part owes nothing.
    excuses: Vec<Term>,
}

/// Reads interpolants off a refutation.
pub(super) struct Interpolation<'a> {
    terms: &'a mut Terms,
    path: &'a Path,
    rows: &'a [Row],
    /// The steps in which an application occurs.
    occurrences: FxHashMap<Term, Vec<usize>>,
    argument_sums: FxHashMap<(RowId, usize), Rc<Sums>>,
}

impl<'a> Interpolation<'a> {
    /// For the rows of a refutation of a path.
    pub(super) fn new(terms: &'a mut Terms, path: &'a Path, rows: &'a [Row]) -> Self {
        let mut occurrences: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
        if rows.iter().any(|r| matches!(r.origin, Origin::Congruence { .. })) {
            for (at, step) in path.steps().iter().enumerate() {
                for term in terms.subterms(&[step.formula]) {
                    if !terms.args(term).is_empty() {
                        occurrences.entry(term).or_default().push(at);
                    }
                }
            }
        }
        Self { terms, path, rows, occurrences, argument_sums: FxHashMap::default() }
    }

    /// One formula per cut; `None` where the refutation cannot be expressed.
    pub(super) fn formulas(&mut self, proof: &Proof) -> Option<Vec<Term>> {
        let formulas = self.of_proof(proof)?;
        let mut known: FxHashMap<Term, Term> = FxHashMap::default();
        let mut tidied = Vec::with_capacity(formulas.len());
        for formula in formulas {
            let done = match known.get(&formula) {
                Some(&done) => done,
                None => tidy(self.terms, formula),
            };
            known.insert(formula, done);
            tidied.push(done);
        }
        Some(tidied)
    }

    fn of_proof(&mut self, proof: &Proof) -> Option<Vec<Term>> {
        match proof {
            Proof::Leaf { combination, difference } => {
                self.of_leaf(combination, difference.as_ref())
            }
            Proof::Split { step, cases } => {
                let cases: Option<Vec<Vec<Term>>> =
                    cases.iter().map(|case| self.of_proof(case)).collect();
                let cases = cases?;
                let mut joined = Vec::with_capacity(self.path.len() + 1);
                for cut in 0..=self.path.len() {
                    let members: Vec<Term> = cases.iter().map(|case| case[cut]).collect();
                    let own = self.path.own_part(cut).contains(step);
                    let formula =
                        if own { self.terms.or(&members) } else { self.terms.and(&members) };
                    joined.push(formula);
                }
                Some(joined)
            }
        }
    }

    fn of_leaf(
        &mut self,
        combination: &Combination,
        difference: Option<&Difference>,
    ) -> Option<Vec<Term>> {
        let sums = self.sums(combination, difference);
        let mut formulas: Vec<Term> = Vec::with_capacity(self.path.len() + 1);
        let mut last: Option<(Range<usize>, Term)> = None;
        for cut in 0..=self.path.len() {
            let own = self.path.own_part(cut);
            // Steps that contribute nothing leave the formula as it is.
            if let Some((known, formula)) = &last
                && sums.derived.is_empty()
                && known.start == own.start
                && Rc::ptr_eq(&sums.prefix[known.end], &sums.prefix[own.end])
            {
                formulas.push(*formula);
                continue;
            }
            let share = self.share(&sums, cut)?;
            let differs = difference.is_some_and(|d| own.contains(&d.step));
            let relation = if share.inequality { Relation::LeZero } else { Relation::EqZero };
            let mut formula = formula_of(self.terms, &share.linear, relation)?;
            if differs {
                formula = self.terms.not(formula);
            }
            let mut all = share.facts;
            all.push(formula);
            let mut any = share.excuses;
            any.push(self.terms.and(&all));
            let formula = self.terms.or(&any);
            last = Some((own, formula));
            formulas.push(formula);
        }
        Some(formulas)
    }

    /// The sums of a combination, with what differs from zero among its rows.
    fn sums(&self, combination: &Combination, difference: Option<&Difference>) -> Sums {
        let mut by_step: Vec<(usize, RowId, &Integer)> = Vec::new();
        let mut derived = Vec::new();
        for (row, factor) in combination {
            match self.rows[*row as usize].origin {
                Origin::Step(step) => by_step.push((step, *row, factor)),
                Origin::Congruence { .. } => derived.push((*row, factor.clone())),
            }
        }
        by_step.sort_unstable_by_key(|&(step, row, _)| (step, row));
        let mut prefix = Vec::with_capacity(self.path.len() + 1);
        let mut inequalities = Vec::with_capacity(self.path.len() + 1);
        let (mut sum, mut count) = (Rc::new(Linear::default()), 0);
        prefix.push(Rc::clone(&sum));
        inequalities.push(count);
        let mut rest = by_step.into_iter().peekable();
        for step in 0..self.path.len() {
            if let Some(difference) = difference.filter(|d| d.step == step) {
                sum = Rc::new(sum.add_scaled(&difference.linear, &Integer::ONE));
            }
            while let Some((_, row, factor)) = rest.next_if(|(at, ..)| *at == step) {
                let row = &self.rows[row as usize];
                sum = Rc::new(sum.add_scaled(&row.linear, factor));
                count += u32::from(row.relation == Relation::LeZero);
            }
            prefix.push(Rc::clone(&sum));
            inequalities.push(count);
        }
        Sums { prefix, inequalities, derived }
    }

    /// What the own part of a cut contributes to a combination.
    fn share(&mut self, sums: &Sums, cut: usize) -> Option<Share> {
        let own = self.path.own_part(cut);
        let after = &sums.prefix[own.end];
        let before = &sums.prefix[own.start];
        let mut share = Share {
            linear: after.add_scaled(before, &-Integer::ONE),
            inequality: sums.inequalities[own.end] > sums.inequalities[own.start],
            ..Share::default()
        };
        for (row, factor) in &sums.derived {
            let inner = self.congruence_share(*row, cut)?;
            share.linear = share.linear.add_scaled(&inner.linear, factor);
            share.facts.extend(inner.facts);
            share.excuses.extend(inner.excuses);
        }
        Some(share)
    }

    fn sides(&self, application: Term, own: &Range<usize>) -> (bool, bool) {
        let steps = self.occurrences.get(&application).map_or(&[][..], |v| v);
        (steps.iter().any(|s| own.contains(s)), steps.iter().any(|s| !own.contains(s)))
    }

    /// What the own part of a cut contributes to `left - right = 0` by congruence.
    fn congruence_share(&mut self, row: RowId, cut: usize) -> Option<Share> {
        let rows = self.rows;
        let Origin::Congruence { left, right, arguments } = &rows[row as usize].origin else {
            return None;
        };
        let (left, right) = (*left, *right);
        let own = self.path.own_part(cut);
        let (left_own, left_rest) = self.sides(left, &own);
        let (right_own, right_rest) = self.sides(right, &own);
        let mut share = Share::default();
        // For each argument, a - b = ours + theirs.
        let mut ours = Vec::with_capacity(arguments.len());
        let mut theirs = Vec::with_capacity(arguments.len());
        for (at, combination) in arguments.iter().enumerate() {
            let sums = match self.argument_sums.get(&(row, at)) {
                Some(known) => Rc::clone(known),
                None => {
                    let sums = Rc::new(self.sums(combination, None));
                    self.argument_sums.insert((row, at), Rc::clone(&sums));
                    sums
                }
            };
            let inner = self.share(&sums, cut)?;
            share.facts.extend(inner.facts);
            share.excuses.extend(inner.excuses);
            let ours_here = inner.linear.scaled(&-Integer::ONE);
            let (a, b) = (self.argument(left, at), self.argument(right, at));
            let difference = a.add_scaled(&b, &-Integer::ONE);
            theirs.push(difference.add_scaled(&ours_here, &-Integer::ONE));
            ours.push(ours_here);
        }
        let nothing = |l: &Linear| l.is_constant() && l.constant == Integer::ZERO;
        let equation = Linear::of(left).add_scaled(&Linear::of(right), &-Integer::ONE);
        if left_own && right_own && theirs.iter().all(nothing) {
            share.linear = equation;
        } else if left_rest && right_rest && ours.iter().all(nothing) {
            share.linear = Linear::default();
        } else if left_own && right_rest {
            let middle = self.at_arguments(left, &ours, &-Integer::ONE)?;
            share.linear = Linear::of(left).add_scaled(&middle, &-Integer::ONE);
        } else if left_rest && right_own {
            let middle = self.at_arguments(right, &ours, &Integer::ONE)?;
            share.linear = middle.add_scaled(&Linear::of(right), &-Integer::ONE);
        } else if left_own && right_own {
            for premise in theirs.iter().filter(|l| !nothing(l)) {
                let equal = formula_of(self.terms, premise, Relation::EqZero)?;
                share.excuses.push(self.terms.not(equal));
            }
            share.linear = equation;
        } else if left_rest && right_rest {
            for fact in ours.iter().filter(|l| !nothing(l)) {
                share.facts.push(formula_of(self.terms, fact, Relation::EqZero)?);
            }
        } else {
            return None;
        }
        Some(share)
    }

    fn argument(&self, application: Term, at: usize) -> Linear {
        let arg = self.terms.arg(application, at);
        match self.terms.sort(arg) {
            crate::term::Sort::Int => self.terms.linear(arg),
            _ => Linear::of(arg),
        }
    }

    /// The application with `changes` times `factor` added to its arguments.
    fn at_arguments(
        &mut self,
        application: Term,
        changes: &[Linear],
        factor: &Integer,
    ) -> Option<Linear> {
        let mut args = Vec::with_capacity(changes.len());
        for (at, change) in changes.iter().enumerate() {
            let shifted = self.argument(application, at).add_scaled(change, factor);
            let arg = self.terms.arg(application, at);
            if self.terms.sort(arg) == crate::term::Sort::Int {
                args.push(self.terms.from_linear(&shifted));
            } else {
                match &shifted.monomials[..] {
                    [(other, c)]
                        if *c == Integer::ONE
                            && self.terms.sort(*other) == self.terms.sort(arg) =>
                    {
                        args.push(*other);
                    }
                    _ => return None,
                }
            }
        }
        let op = self.terms.op(application);
        Some(match self.terms.sort(application) {
            crate::term::Sort::Int => {
                let made = self.terms.make(op, &args);
                self.terms.linear(made)
            }
            _ => Linear::of(self.terms.make(op, &args)),
        })
    }
}
