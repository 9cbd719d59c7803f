//! Clauses of small programs, made by hand.

use std::collections::BTreeMap;

use gnomon_budget::{Budget, Exhausted};
use gnomon_logic::solver::for_integers;
use gnomon_logic::{Scope, Sort, Symbol, Term, Terms, Variable};

use super::{Applied, Body, ChcQueries, Clause, Clauses, Invariants, Learned, Tools, Wrapping};
use crate::candidates;
use crate::wrapping::Counters;

/// `x = 0; while (*) x = x + 2; if (x == target) error;` with the cut point 7 at the loop.
struct Loop {
    terms: Terms,
    x: Variable,
    clauses: Clauses<u32>,
}

fn plain(formula: Term) -> Body {
    Body { formula, counters: Counters::default() }
}

fn at(variable: Variable, index: u32) -> Applied<u32> {
    Applied { point: 7, arguments: vec![Symbol { variable, index: Some(index) }] }
}

fn counting_by_two(target: i64) -> Loop {
    let mut terms = Terms::new();
    let x = terms.variable("x", Scope::Global, Sort::Int);
    let mut clauses = Clauses::new(BTreeMap::from([(7, vec![x])]));
    let (x0, x1) = (terms.var_at(x, 0), terms.var_at(x, 1));
    let zero = terms.int(0);
    let start = terms.eq(x1, zero);
    let next = terms.add_constant(x0, 2);
    let step = terms.eq(x1, next);
    let bad = terms.int(target);
    let error = terms.eq(x0, bad);
    let clause =
        |premises, formula, conclusion| Clause { premises, body: plain(formula), conclusion };
    clauses.all = vec![
        clause(vec![], start, Some(at(x, 1))),
        clause(vec![at(x, 0)], step, Some(at(x, 1))),
        clause(vec![at(x, 0)], error, None),
    ];
    Loop { terms, x, clauses }
}

fn with_tools<R>(terms: &mut Terms, work: impl FnOnce(&mut Tools<'_>) -> R) -> R {
    let (mut solver, budget) = (for_integers(), Budget::unlimited());
    work(&mut Tools { terms, solver: &mut solver, budget: &budget })
}

#[test]
fn a_solution_must_hold_at_the_start_be_kept_and_exclude_the_error() {
    let Loop { mut terms, x, clauses } = counting_by_two(5);
    let value = terms.var(x);
    let (two, zero, four) = (terms.int(2), terms.int(0), terms.int(4));
    let rest = terms.modulo(value, two);
    let even = terms.eq(rest, zero);
    let positive = terms.le(zero, value);
    let odd = terms.not(even);
    let small = terms.le(value, four);
    with_tools(&mut terms, |tools| {
        let mut is_solution = |formula| clauses.is_solution(&BTreeMap::from([(7, formula)]), tools);
        assert!(is_solution(even));
        assert!(!is_solution(positive), "does not exclude the error");
        assert!(!is_solution(odd), "does not hold at the start");
        assert!(!is_solution(small), "is not kept");
        assert!(!clauses.is_solution(&BTreeMap::new(), tools), "every cut point needs a formula");
    });
}

#[test]
fn a_formula_about_other_variables_is_no_solution() {
    let Loop { mut terms, clauses, .. } = counting_by_two(5);
    // Read as if it were a parameter, it would exclude everything.
    let other = terms.variable("y", Scope::Global, Sort::Int);
    let (other, zero) = (terms.var(other), terms.int(0));
    let formula = terms.lt(other, zero);
    with_tools(&mut terms, |tools| {
        assert!(!clauses.is_solution(&BTreeMap::from([(7, formula)]), tools));
    });
}

fn ask(queries: &mut ChcQueries<u32>, looped: &mut Loop, resources: u32) -> Learned {
    let clauses = &looped.clauses;
    let track = &mut |_: &mut Terms, _: &Invariants<u32>| Ok::<_, Exhausted>(false);
    with_tools(&mut looped.terms, |tools| queries.ask(clauses, resources, tools, track))
        .expect("no limit")
        .0
}

#[test]
fn a_query_finds_a_solution_or_an_error() {
    let mut queries = ChcQueries::new(&[Wrapping::Exact]);
    assert_eq!(ask(&mut queries, &mut counting_by_two(5), 5_000_000), Learned::Solution);
    let mut queries = ChcQueries::new(&[Wrapping::Exact]);
    assert_eq!(ask(&mut queries, &mut counting_by_two(6), 5_000_000), Learned::Refuted);
}

#[test]
fn the_same_query_is_asked_again_only_with_more_effort() {
    let mut looped = counting_by_two(5);
    let mut queries = ChcQueries::proposing(&[Wrapping::Exact]);
    assert_eq!(ask(&mut queries, &mut looped, 2_000_000), Learned::Nothing);
    assert_eq!(ask(&mut queries, &mut looped, 2_000_000), Learned::NotAsked);
    assert_eq!(ask(&mut queries, &mut looped, 1_000_000), Learned::NotAsked);
    assert_eq!(ask(&mut queries, &mut looped, 4_000_000), Learned::Nothing);
    // Other clauses are another question.
    looped.clauses.all.pop();
    assert_eq!(ask(&mut queries, &mut looped, 1_000_000), Learned::Nothing);
    assert_eq!(queries.statistics.queries, 3);
    // What was refuted stays so, whatever the effort.
    let mut looped = counting_by_two(6);
    let mut queries = ChcQueries::proposing(&[Wrapping::Exact]);
    assert_eq!(ask(&mut queries, &mut looped, 1_000_000), Learned::Refuted);
    assert_eq!(ask(&mut queries, &mut looped, 4_000_000), Learned::NotAsked);
}

/// `x1 = x0 + 2`, or less if a counter says that it wrapped around.
fn may_wrap(looped: &mut Loop) {
    let Loop { terms, x, clauses } = looped;
    let wraps = terms.variable("w", Scope::Auxiliary, Sort::Int);
    let (x0, x1, wraps) = (terms.var_at(*x, 0), terms.var_at(*x, 1), terms.var(wraps));
    let next = terms.add_constant(x0, 2);
    let less = terms.mul_by(-3, wraps);
    let sum = terms.add(next, less);
    let formula = terms.eq(x1, sum);
    clauses.all[1].body = Body { formula, counters: Counters::new([wraps]) };
}

#[test]
fn kinds_of_wrapping_are_asked_in_order_and_only_where_something_wraps() {
    let all: &[Wrapping] = &[Wrapping::Forbidden, Wrapping::Ignored, Wrapping::Exact];
    let mut queries = ChcQueries::proposing(all);
    ask(&mut queries, &mut counting_by_two(5), 1_000_000);
    assert_eq!(queries.statistics.queries, 1);
    // With wrapping every number is reached: only without it there are invariants.
    let mut looped = counting_by_two(5);
    may_wrap(&mut looped);
    let mut queries = ChcQueries::new(all);
    assert_eq!(ask(&mut queries, &mut looped, 2_000_000), Learned::Refuted);
    assert_eq!((queries.statistics.queries, queries.statistics.solved), (3, 0));
    // What is reached without wrapping is reached: the exact question is not asked.
    let mut looped = counting_by_two(6);
    may_wrap(&mut looped);
    let mut queries = ChcQueries::new(all);
    assert_eq!(ask(&mut queries, &mut looped, 2_000_000), Learned::Refuted);
    assert_eq!(queries.statistics.queries, 2);
}

#[test]
fn candidates_that_survive_are_inductive() {
    let Loop { mut terms, x, clauses } = counting_by_two(5);
    let found = with_tools(&mut terms, |tools| candidates::surviving(&clauses, tools));
    let found = found.expect("no limit").expect("an answer");
    let shown = terms.display(found[&7]).to_string();
    let value = terms.var(x);
    let (two, zero) = (terms.int(2), terms.int(0));
    let rest = terms.modulo(value, two);
    let wanted = [terms.eq(rest, zero), terms.le(zero, value)];
    let atoms = terms.atoms(found[&7]).to_vec();
    assert!(wanted.iter().all(|atom| atoms.contains(atom)), "{shown}");
    assert!(atoms.len() < 8, "what the loop refutes is gone: {shown}");
}

/// A call that returns has two premises: `f` adds one, and the caller calls it with `x`.
#[test]
fn candidates_of_a_callee_serve_its_callers() {
    let mut terms = Terms::new();
    let n = terms.variable("n", Scope::Global, Sort::Int);
    let old = terms.variable("old(n)", Scope::Function(1), Sort::Int);
    let symbol = |variable, index| Symbol { variable, index: Some(index) };
    // Point 1: the caller before the call; 2: the end of the callee; 3: behind the call.
    let parameters = BTreeMap::from([(1, vec![n]), (2, vec![n, old]), (3, vec![n])]);
    let mut clauses: Clauses<u32> = Clauses::new(parameters);
    let (n0, n1) = (terms.var_at(n, 0), terms.var_at(n, 1));
    let (zero, next) = (terms.int(0), terms.add_constant(n0, 1));
    let (start, inside, nothing) = (terms.eq(n1, zero), terms.eq(n1, next), terms.tt());
    let applied = |point, arguments: &[Symbol]| Applied { point, arguments: arguments.to_vec() };
    let body = |formula| plain(formula);
    let before = applied(1, &[symbol(n, 0)]);
    clauses.all = vec![
        Clause {
            premises: vec![],
            body: body(start),
            conclusion: Some(applied(1, &[symbol(n, 1)])),
        },
        Clause {
            premises: vec![before.clone()],
            body: body(inside),
            conclusion: Some(applied(2, &[symbol(n, 1), symbol(n, 0)])),
        },
        Clause {
            premises: vec![before, applied(2, &[symbol(n, 1), symbol(n, 0)])],
            body: body(nothing),
            conclusion: Some(applied(3, &[symbol(n, 1)])),
        },
    ];
    let found = with_tools(&mut terms, |tools| candidates::surviving(&clauses, tools));
    let found = found.expect("no limit").expect("an answer");
    let (value, one) = (terms.var(n), terms.int(1));
    let at_least_one = terms.le(one, value);
    let ghost = terms.var(old);
    let order = terms.le(ghost, value);
    assert!(terms.atoms(found[&2]).contains(&order), "{}", terms.display(found[&2]));
    assert!(terms.atoms(found[&3]).contains(&at_least_one), "{}", terms.display(found[&3]));
}
