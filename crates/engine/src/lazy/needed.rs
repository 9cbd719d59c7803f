//! What of a proof is needed.
//!
//! The invariants of a proof say all that is known at a place. The errors are excluded by little of
//! that, which holds because of little of what is known before. So we go backwards: a block that must
//! not be passed needs what is in an unsatisfiable core of the facts before it, and a fact that is
//! needed needs, on every block that leads to it, those in a core that imply it. What nobody needs is
//! left out; the rest excludes the same errors and is still inductive. Whoever reads or checks the
//! proof has less to do: bounds and remainders that were tracked in vain are hard to follow bit by bit.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gnomon_bdd::Bdd;
use gnomon_logic::encode::Ssa;
use gnomon_logic::{Answer, Limits, Op, Purpose, Term};

use super::{Lazy, LazyError};
use crate::blocks::Block;
use crate::control::ControlId;
use crate::explore::End;
use crate::tree::ROOT;

/// The limit of a query, in solver resources, and how much all of them may take.
const QUERY: u32 = 500_000;
const WORK: u64 = 3_000_000;

/// What is known at places: the conjuncts of each, without indices.
pub(super) type Facts = BTreeMap<ControlId, Vec<Term>>;

/// A block, and where it begins; nothing is known before the first one of an execution.
type From = (Option<ControlId>, Rc<Block>);

impl Lazy<'_> {
    /// The conjuncts of a region: what it determines, and what is left.
    pub(super) fn conjuncts(&mut self, region: &Bdd) -> Result<Vec<Term>, LazyError> {
        let predicates = &self.tracking.predicates;
        let space = predicates.space();
        let (mut found, mut determined) = (Vec::new(), Vec::new());
        for id in predicates.in_region(region) {
            let predicate = predicates.get(id);
            let bit = space.variable(predicate.bit)?;
            if region.is_subset_of(&bit)? {
                found.push(predicate.atom);
            } else if region.is_subset_of(&bit.not()?)? {
                found.push(self.terms.not(predicate.atom));
            } else {
                continue;
            }
            determined.push(predicate.bit);
        }
        let rest = region.exists(&space.variable_set(&determined)?)?;
        let rest = predicates.formula(&mut self.terms, &rest, &Ssa::new())?;
        let rest = self.terms.without_indices(rest);
        if rest != self.terms.tt() {
            found.push(rest);
        }
        Ok(found)
    }

    /// The conjuncts of a formula.
    pub(super) fn conjuncts_of(&self, formula: Term) -> Vec<Term> {
        match self.terms.op(formula) {
            Op::And => self.terms.args(formula).to_vec(),
            Op::True => Vec::new(),
            _ => vec![formula],
        }
    }

    /// The facts without which errors are not excluded; all of them if that is not found out.
    pub(super) fn needed(&mut self, facts: Facts) -> Result<Facts, LazyError> {
        let begun = self.budget.work();
        // Cores are made smaller for so long, and then taken as they are for as long again.
        let until = begun + WORK;
        let (mut into, mut forbidden) = (BTreeMap::<ControlId, Vec<From>>::new(), Vec::new());
        let root = self.tree.get(ROOT).place;
        let places = facts.keys().map(|&place| (place, false));
        for (place, first) in [(root, true)].into_iter().chain(places) {
            for block in self.blocks_from(place, first)?.iter() {
                let from = ((!first).then_some(place), block.clone());
                match &block.end {
                    End::Control(to) if facts.contains_key(to) => {
                        into.entry(*to).or_default().push(from);
                    }
                    End::Stuck(what) if self.is_reached(what) => {}
                    _ => forbidden.push(from),
                }
            }
        }
        let mut needed: BTreeSet<(ControlId, usize)> = BTreeSet::new();
        let mut goals: Vec<(From, Option<Term>)> =
            forbidden.into_iter().map(|from| (from, None)).collect();
        while let Some((from, goal)) = goals.pop() {
            self.budget.check()?;
            if self.budget.work() > 2 * until - begun {
                return Ok(facts);
            }
            let Some(because) = self.because(&facts, &needed, &from, goal, until) else {
                return Ok(facts);
            };
            let Some(place) = from.0 else { continue };
            for fact in because {
                if needed.insert((place, fact)) {
                    let goal = facts[&place][fact];
                    let all = into.get(&place).into_iter().flatten();
                    goals.extend(all.map(|from| (from.clone(), Some(goal))));
                }
            }
        }
        let keep = |(place, all): (ControlId, Vec<Term>)| {
            let kept = all.into_iter().enumerate();
            let kept = kept.filter(|(fact, _)| needed.contains(&(place, *fact)));
            (place, kept.map(|(_, fact)| fact).collect())
        };
        Ok(facts.into_iter().map(keep).collect())
    }

    /// Which facts before a block imply the goal behind it, or that it is not passed; `None` if none do.
    /// Facts that are needed already are preferred, and short ones.
    fn because(
        &mut self,
        facts: &Facts,
        needed: &BTreeSet<(ControlId, usize)>,
        (place, block): &From,
        goal: Option<Term>,
        until: u64,
    ) -> Option<Vec<usize>> {
        let known = place.map_or(&[][..], |place| &facts[&place]);
        let fresh = Ssa::new();
        let before: Vec<Term> = known
            .iter()
            .map(|&fact| self.terms.instantiate(fact, |variable| fresh.index(variable)))
            .collect();
        self.solver.push();
        self.solver.assert(&self.terms, block.formula);
        if let Some(goal) = goal {
            let behind = self.terms.instantiate(goal, |variable| block.after.index(variable));
            let fails = self.terms.not(behind);
            self.solver.assert(&self.terms, fails);
        }
        let mut core = self.core(&before, (0..before.len()).collect());
        if let Some(found) = &core {
            let is_needed =
                |fact: usize| place.is_some_and(|place| needed.contains(&(place, fact)));
            let mut tried: Vec<usize> =
                found.iter().copied().filter(|&fact| !is_needed(fact)).collect();
            tried.sort_by_key(|&fact| Reverse(self.terms.free_symbols(before[fact]).len()));
            for fact in tried {
                let Some(found) = core.as_ref().filter(|found| found.contains(&fact)) else {
                    continue;
                };
                if self.budget.work() > until {
                    break;
                }
                let others: Vec<usize> =
                    found.iter().copied().filter(|&other| other != fact).collect();
                if let Some(smaller) = self.core(&before, others) {
                    core = Some(smaller);
                }
            }
        }
        self.solver.pop();
        core
    }

    /// Those of some facts that contradict what is asserted; `None` if they do not.
    fn core(&mut self, before: &[Term], some: Vec<usize>) -> Option<Vec<usize>> {
        let asked: Vec<Term> = some.iter().map(|&fact| before[fact]).collect();
        let limits = Limits::default().with_resources(QUERY);
        let answer = self.solver.check(&self.terms, &asked, Purpose::CHECK, limits);
        if answer != Answer::Unsat {
            return None;
        }
        let core = self.solver.core(&self.terms);
        Some(some.into_iter().filter(|&fact| core.contains(&before[fact])).collect())
    }
}
