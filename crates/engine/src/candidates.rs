//! Candidate invariants by elimination (Houdini): intervals, orders and congruences.
//!
//! At every cut point there are many candidates, simple facts about the integers that matter there:
//! bounds by constants of the program, orders between two variables, and remainders by the steps in
//! which variables grow. A clause whose premises satisfy all candidates, and whose conclusion fails
//! one, eliminates that one; what is left when nothing is eliminated any more is an inductive
//! invariant. It works on the clauses of [`crate::horn`], so it serves blocks and summaries alike:
//! where a relation has values at the entry of a function as parameters, the candidates relate them
//! to the present ones. Predicates that interpolants of paths never show, such as parity, come from
//! here; as all predicates they are only tracked, and proved again by the engine.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::{Budget, Exhausted};
use gnomon_logic::Integer;
use gnomon_logic::term::linear::Relation;
use gnomon_logic::value::Value;
use gnomon_logic::{Answer, Limits, Purpose, Sort, Term, Terms, Variable};

use crate::horn::{Clause, Clauses, CutPoint, Invariants, Tools};

/// At most so many constants, variables of a cut point, and moduli are looked at, the smallest first.
const MAX_CONSTANTS: usize = 16;
const MAX_VARIABLES: usize = 12;
const MAX_MODULI: usize = 3;
/// Greatest modulus.
const MAX_MODULUS: i64 = 16;
/// The limit of a query, and how many there may be.
const QUERY: u32 = 300_000;
const MAX_QUERIES: usize = 400;
/// What all of it may take, in solver resources.
const WORK: u64 = 3_000_000;

/// The candidates of each cut point, without indices.
type Candidates<P> = BTreeMap<P, Vec<Term>>;

/// What holds at each cut point whenever it is reached; `None` if the solver could not tell within
/// the limits.
pub fn surviving<P: CutPoint>(
    clauses: &Clauses<P>,
    tools: &mut Tools<'_>,
) -> Result<Option<Invariants<P>>, Exhausted> {
    let until = tools.budget.work() + WORK;
    let left = candidates(clauses, tools.terms, tools.budget)?;
    let mut elimination = Elimination { clauses, left, queries: 0, until };
    if !elimination.run(tools)? {
        return Ok(None);
    }
    let terms = &mut *tools.terms;
    let conjunction = |(point, all): (P, Vec<Term>)| {
        let strongest = without_implied(terms, all);
        (!strongest.is_empty()).then(|| (point, terms.and(&strongest)))
    };
    Ok(Some(elimination.left.into_iter().filter_map(conjunction).collect()))
}

/// All candidates.
fn candidates<P: CutPoint>(
    clauses: &Clauses<P>,
    terms: &mut Terms,
    budget: &Budget,
) -> Result<Candidates<P>, Exhausted> {
    let constants = constants(clauses, terms, budget)?;
    // An equation may have come to have its step on the other side: signs say nothing.
    let steps: BTreeSet<i64> = constants.iter().map(|c| c.saturating_abs()).collect();
    let moduli: Vec<i64> = steps.range(2..=MAX_MODULUS).copied().take(MAX_MODULI).collect();
    let mut bounds: BTreeSet<i64> = BTreeSet::from([0]);
    for &c in constants.iter().take(MAX_CONSTANTS) {
        bounds.extend([c.saturating_sub(1), c, c.saturating_add(1), c.saturating_neg()]);
    }
    let mut all = Candidates::new();
    for (&point, variables) in &clauses.parameters {
        let own = all.entry(point).or_default();
        let mut numbers: Vec<(Variable, Sort)> = variables
            .iter()
            .map(|&v| (v, terms.variable_info(v).sort))
            .filter(|(_, sort)| matches!(sort, Sort::Int | Sort::BitVec(_)))
            .collect();
        numbers.truncate(MAX_VARIABLES);
        for (position, &(variable, sort)) in numbers.iter().enumerate() {
            let value = terms.var(variable);
            for &bound in &bounds {
                let bound = constant(terms, sort, bound);
                own.extend(at_most(terms, sort, value, bound));
                own.extend(at_most(terms, sort, bound, value));
            }
            for &modulus in &moduli {
                for remainder in 0..modulus {
                    own.push(congruent(terms, sort, value, modulus, remainder));
                }
            }
            for &(other, other_sort) in &numbers[..position] {
                if sort == other_sort {
                    let other = terms.var(other);
                    own.extend(at_most(terms, sort, value, other));
                    own.extend(at_most(terms, sort, other, value));
                }
            }
        }
        own.retain(|&c| c != terms.tt() && c != terms.ff());
        own.sort_unstable();
        own.dedup();
    }
    Ok(all)
}

/// The constants of all clauses, by size.
fn constants<P: CutPoint>(
    clauses: &Clauses<P>,
    terms: &mut Terms,
    budget: &Budget,
) -> Result<Vec<i64>, Exhausted> {
    let bodies = clauses.all.iter().map(|clause| clause.body.unwrapped(terms, budget));
    let roots = bodies.collect::<Result<Vec<Term>, Exhausted>>()?;
    let mut found: BTreeSet<(u64, i64)> = BTreeSet::new();
    for term in terms.subterms(&roots) {
        if let Some(value) = terms.value(term)
            && let Ok(small) = i64::try_from(value)
        {
            found.insert((small.unsigned_abs(), small));
        }
    }
    Ok(found.into_iter().map(|(_, value)| value).collect())
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

/// Elimination in progress.
struct Elimination<'a, P> {
    clauses: &'a Clauses<P>,
    /// What was not eliminated.
    left: Candidates<P>,
    queries: usize,
    /// No query begins when so much work was done.
    until: u64,
}

/// Whether a clause could be dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    /// What it refutes is gone.
    Yes,
    /// The solver could not tell what that is.
    Unknown,
}

impl<P: CutPoint> Elimination<'_, P> {
    /// Drops what clauses refute until nothing more is refuted; whether that succeeded.
    fn run(&mut self, tools: &mut Tools<'_>) -> Result<bool, Exhausted> {
        let clauses = self.clauses;
        // Which clauses to look at again when a cut point loses a candidate.
        let mut behind: BTreeMap<P, BTreeSet<usize>> = BTreeMap::new();
        let mut work: BTreeSet<usize> = BTreeSet::new();
        for (number, clause) in clauses.all.iter().enumerate() {
            if clause.conclusion.is_some() {
                work.insert(number);
            }
            for premise in &clause.premises {
                behind.entry(premise.point).or_default().insert(number);
            }
        }
        while let Some(number) = work.pop_first() {
            tools.budget.check()?;
            let clause = &clauses.all[number];
            let Some(to) = clause.conclusion.as_ref().map(|c| c.point) else { continue };
            let before = self.left.get(&to).map_or(0, Vec::len);
            if self.pass(clause, tools) == Passed::Unknown {
                return Ok(false);
            }
            if self.left.get(&to).map_or(0, Vec::len) < before {
                let again = behind.get(&to).into_iter().flatten().copied();
                work.extend(again.filter(|&n| clauses.all[n].conclusion.is_some()));
            }
        }
        Ok(true)
    }

    /// Drops what one clause refutes.
    fn pass(&mut self, clause: &Clause<P>, tools: &mut Tools<'_>) -> Passed {
        let Tools { terms, solver, budget } = tools;
        let Some(conclusion) = &clause.conclusion else { return Passed::Yes };
        let mut left = self.left.get(&conclusion.point).cloned().unwrap_or_default();
        if left.is_empty() {
            return Passed::Yes;
        }
        solver.push();
        solver.assert(terms, clause.body.formula);
        for premise in &clause.premises {
            for &candidate in self.left.get(&premise.point).into_iter().flatten() {
                if let Some(here) = self.clauses.read(terms, premise, candidate) {
                    solver.assert(terms, here);
                }
            }
        }
        let mut passed = Passed::Yes;
        while !left.is_empty() {
            self.queries += 1;
            // Candidates are over parameters, so each can be read.
            let read = |&c: &Term| Some((c, self.clauses.read(terms, conclusion, c)?));
            let pairs: Vec<(Term, Term)> = left.iter().filter_map(read).collect();
            let there: Vec<Term> = pairs.iter().map(|(_, there)| *there).collect();
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
                    let kept: Vec<Term> =
                        pairs.iter().filter(|(_, there)| holds(there)).map(|(c, _)| *c).collect();
                    let is_over = self.queries > MAX_QUERIES || budget.work() > self.until;
                    if kept.len() == left.len() || is_over {
                        passed = Passed::Unknown;
                        break;
                    }
                    left = kept;
                }
                _ => {
                    passed = Passed::Unknown;
                    break;
                }
            }
        }
        solver.pop();
        self.left.insert(conclusion.point, left);
        passed
    }
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
