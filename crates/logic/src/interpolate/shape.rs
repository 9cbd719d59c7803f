//! Shapes of steps, and paths with fewer iterations of their loops.
//!
//! Two steps have the same shape when they differ in SSA indices only. A run of equal groups of
//! steps is a loop that was unrolled; all but a few of its iterations are cut out and the indices of what
//! follows moved down. The short path is a path of the same program, infeasible for the same reason
//! more often than not, and what holds along it is worth trying along the long one
//! ([`super::generalise`]). Nothing depends on this being right.

use super::path::{Path, Step, StepKind};
use crate::term::{Symbol, Term, Terms, Variable};
use std::collections::BTreeMap;

/// Iterations that are kept of a loop.
const KEPT_ITERATIONS: usize = 3;
/// The longest group of steps that is taken for a iteration.
const LONGEST_ITERATION: usize = 96;

/// The same path with at most [`KEPT_ITERATIONS`] iterations of each loop; `None` if it has no more.
/// `shapes` are the shapes of its steps.
pub(super) fn shortened(terms: &mut Terms, path: &Path, shapes: &[Term]) -> Option<Path> {
    let mut kept: Vec<usize> = (0..path.len()).collect();
    let mut left: Vec<(StepKind, Term)> =
        path.steps().iter().zip(shapes).map(|(s, &shape)| (s.kind, shape)).collect();
    // Inner loops first: their iterations are the shorter ones; then outer loops repeat too.
    while let Some((start, iteration, iterations)) = first_run(&left) {
        let removed = start + iteration..start + iteration * (iterations + 1 - KEPT_ITERATIONS);
        kept.drain(removed.clone());
        left.drain(removed);
    }
    if kept.len() == path.len() {
        return None;
    }
    let steps = joined(terms, path.steps(), &kept)?;
    Path::new(terms, steps).ok()
}

/// The first run of more than [`KEPT_ITERATIONS`] iterations of the shortest length: start, length of a
/// iteration, number of iterations.
fn first_run(shapes: &[(StepKind, Term)]) -> Option<(usize, usize, usize)> {
    for iteration in 1..=LONGEST_ITERATION.min(shapes.len() / 2) {
        let mut equal = 0;
        for at in 0..=shapes.len() - iteration {
            if at + iteration < shapes.len() && shapes[at] == shapes[at + iteration] {
                equal += 1;
                continue;
            }
            let iterations = equal / iteration + 1;
            if iterations > KEPT_ITERATIONS {
                return Some((at - equal, iteration, iterations));
            }
            equal = 0;
        }
    }
    None
}

/// The indices of a variable that were cut out: those between the members of each pair, which
/// become one.
type Gaps = BTreeMap<Variable, Vec<(u32, u32)>>;

/// The kept steps, their indices moved down over what was cut out; `None` when one mentions a value
/// that was cut out.
fn joined(terms: &mut Terms, steps: &[Step], kept: &[usize]) -> Option<Vec<Step>> {
    let mut latest: BTreeMap<Variable, u32> = BTreeMap::new();
    let mut gaps = Gaps::new();
    let mut result = Vec::with_capacity(kept.len());
    let mut wanted = kept.iter().copied().peekable();
    let mut before_gap: Option<BTreeMap<Variable, u32>> = None;
    for (at, step) in steps.iter().enumerate() {
        let keep = wanted.next_if_eq(&at).is_some();
        if !keep && before_gap.is_none() {
            before_gap = Some(latest.clone());
        } else if keep && let Some(before) = before_gap.take() {
            for (&variable, &high) in &latest {
                if let Some(&low) = before.get(&variable).filter(|&&low| low < high) {
                    gaps.entry(variable).or_default().push((low, high));
                }
            }
        }
        let symbols = terms.free_symbols(step.formula);
        for symbol in symbols.iter() {
            if let Some(index) = symbol.index {
                let known = latest.entry(symbol.variable).or_insert(index);
                *known = index.max(*known);
            }
        }
        if keep {
            if symbols.iter().any(|&s| moved(&gaps, s).is_none()) {
                return None;
            }
            let formula = terms.reindex(step.formula, |s| moved(&gaps, s).unwrap_or(s.index));
            result.push(Step { kind: step.kind, formula });
        }
    }
    Some(result)
}

/// The new index of a symbol.
fn moved(gaps: &Gaps, symbol: Symbol) -> Option<Option<u32>> {
    let Some(index) = symbol.index else { return Some(None) };
    let mut down = 0;
    for &(low, high) in gaps.get(&symbol.variable).map_or(&[][..], |g| g) {
        if index >= high {
            down += high - low;
        } else if index > low {
            return None;
        }
    }
    Some(Some(index - down))
}

#[cfg(test)]
mod tests {
    use super::super::check::canonical;
    use super::*;
    use crate::term::{Scope, Sort};

    #[test]
    fn rounds_are_cut_out() {
        let mut t = Terms::new();
        let x = t.variable("x", Scope::Global, Sort::Int);
        let n = t.variable("n", Scope::Global, Sort::Int);
        let mut formulas = Vec::new();
        let (n, zero) = (t.var_at(n, 0), t.int(0));
        let start = t.var_at(x, 0);
        formulas.push(t.eq(start, zero));
        for at in 0..10 {
            let (now, next) = (t.var_at(x, at), t.var_at(x, at + 1));
            let sum = t.add_constant(now, 1);
            formulas.push(t.lt(now, n));
            formulas.push(t.eq(next, sum));
        }
        let end = t.var_at(x, 10);
        formulas.push(t.gt(end, n));
        let path = Path::flat(&mut t, &formulas);
        let shapes: Vec<Term> = formulas.iter().map(|&f| canonical(&mut t, f)).collect();
        let short = shortened(&mut t, &path, &shapes).expect("there are ten iterations");
        assert_eq!(short.len(), 1 + 2 * KEPT_ITERATIONS + 1);
        let end = t.var_at(x, KEPT_ITERATIONS as u32);
        let expected = t.gt(end, n);
        assert_eq!(short.steps().last().map(|s| s.formula), Some(expected));
    }
}
