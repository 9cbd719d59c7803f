//! Simple invariants by elimination: intervals, orders and congruences.
//!
//! At every cut point, many simple facts about the integers that matter there are supposed: bounds
//! by constants of the program, orders between two variables, and remainders by the steps in which
//! variables grow. A block that starts where all suppositions hold, and ends where one fails, refutes
//! that one; what cannot be refuted any more is an inductive invariant (Houdini). Predicates that
//! interpolants of paths never show, such as parity, come from here; as all predicates they are only
//! tracked, and proved again by the exploration.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::{Budget, Exhausted};
use gnomon_logic::Integer;
use gnomon_logic::term::linear::Relation;
use gnomon_logic::value::Value;
use gnomon_logic::{Answer, Limits, Purpose, Solver, Sort, Term, Terms, Variable};

use crate::blocks::Block;
use crate::control::ControlId;
use crate::explore::End;
use crate::invariants::BlockGraph;

/// At most so many constants, variables of a place, and moduli are looked at, the smallest first.
const MAX_CONSTANTS: usize = 16;
const MAX_VARIABLES: usize = 12;
const MAX_MODULI: usize = 3;
/// Greatest modulus.
const MAX_MODULUS: i64 = 16;
/// The limit of a query, and how many there may be.
const QUERY: u32 = 1_000_000;
const MAX_QUERIES: usize = 400;

/// Suppositions at each cut point, without indices.
type Suppositions = BTreeMap<ControlId, Vec<Term>>;

/// What holds at each cut point whenever it is reached; `None` if that was too hard to find out.
pub fn surviving(
    graph: &BlockGraph,
    terms: &mut Terms,
    solver: &mut dyn Solver,
    budget: &Budget,
) -> Result<Option<BTreeMap<ControlId, Term>>, Exhausted> {
    let mut supposed = suppositions(graph, terms);
    if !eliminate(graph, terms, solver, &mut supposed, budget)? {
        return Ok(None);
    }
    let conjunction = |(place, all): (ControlId, Vec<Term>)| {
        let strongest = without_implied(terms, all);
        (!strongest.is_empty()).then(|| (place, terms.and(&strongest)))
    };
    Ok(Some(supposed.into_iter().filter_map(conjunction).collect()))
}

/// Everything that is supposed at first.
fn suppositions(graph: &BlockGraph, terms: &mut Terms) -> Suppositions {
    let constants = constants(graph, terms);
    let moduli: Vec<i64> = constants
        .iter()
        .copied()
        .filter(|c| (2..=MAX_MODULUS).contains(c))
        .take(MAX_MODULI)
        .collect();
    let mut bounds: BTreeSet<i64> = BTreeSet::from([0]);
    for &c in constants.iter().take(MAX_CONSTANTS) {
        bounds.extend([c.saturating_sub(1), c, c.saturating_add(1), c.saturating_neg()]);
    }
    let mut supposed = Suppositions::new();
    for (place, variables) in graph.live(terms) {
        let of_place = supposed.entry(place).or_default();
        let mut numbers: Vec<(Variable, Sort)> = variables
            .into_iter()
            .map(|v| (v, terms.variable_info(v).sort))
            .filter(|(_, sort)| matches!(sort, Sort::Int | Sort::BitVec(_)))
            .collect();
        numbers.truncate(MAX_VARIABLES);
        for (position, &(variable, sort)) in numbers.iter().enumerate() {
            let value = terms.var(variable);
            for &bound in &bounds {
                let bound = constant(terms, sort, bound);
                of_place.extend(at_most(terms, sort, value, bound));
                of_place.extend(at_most(terms, sort, bound, value));
            }
            for &modulus in &moduli {
                for remainder in 0..modulus {
                    of_place.push(congruent(terms, sort, value, modulus, remainder));
                }
            }
            for &(other, other_sort) in &numbers[..position] {
                if sort == other_sort {
                    let other = terms.var(other);
                    of_place.extend(at_most(terms, sort, value, other));
                    of_place.extend(at_most(terms, sort, other, value));
                }
            }
        }
        of_place.retain(|&c| c != terms.tt() && c != terms.ff());
        of_place.sort_unstable();
        of_place.dedup();
    }
    supposed
}

/// The constants of all blocks, by size.
fn constants(graph: &BlockGraph, terms: &Terms) -> Vec<i64> {
    let blocks = graph.first.iter().chain(graph.from.values().flatten());
    let roots: Vec<Term> = blocks.map(|b| b.unwrapped).collect();
    let mut found: BTreeSet<(u64, i64)> = BTreeSet::new();
    for term in terms.subterms(&roots) {
        if let Some(value) = terms.value(term)
            && let Ok(small) = i64::try_from(value)
        {
            found.insert((small.unsigned_abs(), small));
        }
    }
    found.into_iter().map(|(_, value)| value).collect()
}

fn constant(terms: &mut Terms, sort: Sort, value: i64) -> Term {
    match sort {
        Sort::BitVec(width) => terms.bv(Integer::from(value), width),
        _ => terms.int(value),
    }
}

/// `a <= b`, in every sense that the sort has.
fn at_most(terms: &mut Terms, sort: Sort, a: Term, b: Term) -> Vec<Term> {
    match sort {
        Sort::BitVec(_) => vec![terms.bv_ule(a, b), terms.bv_sle(a, b)],
        _ => vec![terms.le(a, b)],
    }
}

fn congruent(terms: &mut Terms, sort: Sort, value: Term, modulus: i64, remainder: i64) -> Term {
    let (m, r) = (constant(terms, sort, modulus), constant(terms, sort, remainder));
    let rest = match sort {
        Sort::BitVec(_) => terms.bv_urem(value, m),
        _ => terms.modulo(value, m),
    };
    terms.eq(rest, r)
}

/// Drops what blocks refute until nothing more is refuted; whether that succeeded.
fn eliminate(
    graph: &BlockGraph,
    terms: &mut Terms,
    solver: &mut dyn Solver,
    supposed: &mut Suppositions,
    budget: &Budget,
) -> Result<bool, Exhausted> {
    let mut queries = 0;
    for block in &graph.first {
        budget.check()?;
        let Some(ok) = pass(terms, solver, None, block, supposed, &mut queries) else { continue };
        if !ok {
            return Ok(false);
        }
    }
    let mut work: BTreeSet<ControlId> = graph.from.keys().copied().collect();
    while let Some(place) = work.pop_first() {
        budget.check()?;
        for block in &graph.from[&place] {
            let End::Control(to) = block.end else { continue };
            let before = supposed.get(&to).map_or(0, Vec::len);
            if pass(terms, solver, Some(place), block, supposed, &mut queries) == Some(false) {
                return Ok(false);
            }
            if supposed.get(&to).map_or(0, Vec::len) < before {
                work.insert(to);
            }
        }
    }
    Ok(true)
}

/// Drops what one block refutes: `None` if it leads nowhere where something is supposed, else
/// whether that succeeded.
fn pass(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    from: Option<ControlId>,
    block: &Block,
    supposed: &mut Suppositions,
    queries: &mut usize,
) -> Option<bool> {
    let End::Control(to) = block.end else { return None };
    let premises = from.and_then(|place| supposed.get(&place)).cloned().unwrap_or_default();
    solver.push();
    solver.assert(terms, block.formula);
    for premise in premises {
        let here = terms.instantiate(premise, |_| 0);
        solver.assert(terms, here);
    }
    let mut left = supposed.get(&to).cloned().unwrap_or_default();
    let mut succeeded = true;
    while !left.is_empty() {
        *queries += 1;
        let there: Vec<Term> =
            left.iter().map(|&c| terms.instantiate(c, |v| block.after.index(v))).collect();
        let fails: Vec<Term> = there.iter().map(|&c| terms.not(c)).collect();
        let some_fails = terms.or(&fails);
        solver.push();
        solver.assert(terms, some_fails);
        let limits = Limits::default().with_resources(QUERY);
        let answer = solver.check(terms, &[], Purpose::ABSTRACTION, limits);
        let model = answer.is_sat().then(|| solver.model(terms, &there));
        solver.pop();
        match (answer, model) {
            (Answer::Unsat, _) => break,
            (Answer::Sat, Some(model)) => {
                let holds = |c: &Term| model.get(*c) != Some(&Value::Bool(false));
                let kept: Vec<Term> = left
                    .iter()
                    .zip(&there)
                    .filter(|(_, there)| holds(there))
                    .map(|(c, _)| *c)
                    .collect();
                if kept.len() == left.len() || *queries > MAX_QUERIES {
                    succeeded = false;
                    break;
                }
                left = kept;
            }
            _ => {
                succeeded = false;
                break;
            }
        }
    }
    solver.pop();
    supposed.insert(to, left);
    Some(succeeded)
}

/// Without bounds of integers that are weaker than another bound of the same terms.
fn without_implied(terms: &Terms, all: Vec<Term>) -> Vec<Term> {
    let mut strongest: BTreeMap<Vec<(Term, Integer)>, (Integer, Term)> = BTreeMap::new();
    let mut kept = Vec::new();
    for candidate in all {
        match terms.linear_atom(candidate) {
            // The greater the constant in `terms + constant <= 0`, the less is allowed.
            Some((linear, Relation::LeZero)) => {
                let bound = (linear.constant, candidate);
                let best = strongest.entry(linear.monomials).or_insert_with(|| bound.clone());
                if bound.0 > best.0 {
                    *best = bound;
                }
            }
            _ => kept.push(candidate),
        }
    }
    kept.extend(strongest.into_values().map(|(_, candidate)| candidate));
    kept.sort_unstable();
    kept
}
