//! Which steps matter: the shortest infeasible suffix, then an unsatisfiable core by step.
//!
//! The suffix is found by binary search, each answer's core making it shorter still; the core is
//! then minimised by leaving out one step after the other from the front, as long as the allowance
//! of queries lasts. Steps outside demand nothing, and formulas for the path without them are
//! formulas for the path.

use super::Failure;
use super::path::Path;
use crate::solver::{Answer, Limits, Purpose, Solver};
use crate::term::{Term, Terms};
use gnomon_budget::Budget;
use std::collections::BTreeSet;

/// Queries that minimising a core may take.
const MINIMISATION_QUERIES: usize = 48;

struct Query<'a> {
    solver: &'a mut dyn Solver,
    path: &'a Path,
    limits: Limits,
}

impl Query<'_> {
    /// The steps of a core of some steps, or `None` if these are satisfiable.
    fn core(&mut self, terms: &Terms, steps: &[usize]) -> Result<Option<BTreeSet<usize>>, Failure> {
        let formulas: Vec<Term> = steps
            .iter()
            .map(|&s| self.path.steps()[s].formula)
            .filter(|&f| f != terms.tt())
            .collect();
        let answer = self.solver.check(terms, &formulas, Purpose::INTERPOLATION, self.limits);
        match answer {
            Answer::Sat => Ok(None),
            Answer::Unknown(reason) => Err(Failure::Undecided(reason)),
            Answer::Unsat => {
                let core: BTreeSet<Term> = self.solver.core(terms).into_iter().collect();
                // Of equal steps, the last suffices.
                let mut found = BTreeSet::new();
                let mut seen = BTreeSet::new();
                for &step in steps.iter().rev() {
                    let formula = self.path.steps()[step].formula;
                    if core.contains(&formula) && seen.insert(formula) {
                        found.insert(step);
                    }
                }
                Ok(Some(found))
            }
        }
    }
}

/// For each step, whether it belongs to the core.
pub(super) fn relevant_steps(
    terms: &Terms,
    solver: &mut dyn Solver,
    path: &Path,
    limits: Limits,
    budget: &Budget,
) -> Result<Vec<bool>, Failure> {
    solver.push();
    let core = search(&mut Query { solver: &mut *solver, path, limits }, terms, budget);
    solver.pop();
    let core = core?;
    Ok((0..path.len()).map(|step| core.contains(&step)).collect())
}

fn search(
    query: &mut Query<'_>,
    terms: &Terms,
    budget: &Budget,
) -> Result<BTreeSet<usize>, Failure> {
    let all: Vec<usize> = (0..query.path.len()).collect();
    let mut core = query.core(terms, &all)?.ok_or(Failure::Feasible)?;
    // The suffix from `low` is infeasible, the one from `high` is not.
    let mut low = core.first().copied().unwrap_or(0);
    let mut high = core.last().map_or(query.path.len(), |&s| s + 1);
    while low + 1 < high {
        budget.check()?;
        let middle = low + (high - low) / 2;
        match query.core(terms, &all[middle..]) {
            Ok(Some(smaller)) => {
                low = smaller.first().copied().unwrap_or(middle).max(middle);
                core = smaller;
            }
            Ok(None) => high = middle,
            // What cannot be decided is left as it is.
            Err(Failure::Undecided(_)) => high = middle,
            Err(failure) => return Err(failure),
        }
    }
    let mut needed: BTreeSet<usize> = BTreeSet::new();
    for _ in 0..MINIMISATION_QUERIES {
        budget.check()?;
        let Some(&tried) = core.iter().find(|&s| !needed.contains(s)) else { break };
        let rest: Vec<usize> = core.iter().copied().filter(|&s| s != tried).collect();
        match query.core(terms, &rest) {
            Ok(Some(smaller)) => core = smaller,
            Ok(None) | Err(Failure::Undecided(_)) => {
                needed.insert(tried);
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(core)
}
