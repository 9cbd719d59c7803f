//! Strongest postconditions along the path, with dead symbols projected away.
//!
//! The last resort: it generalises nothing, but needs nothing either. The formula at a cut is a
//! disjunction of cubes; a step adds its literals to each cube, contradictory cubes are dropped, and
//! every symbol that does not occur beyond the cut is eliminated: by an equation that defines it
//! (for any sort; a coefficient other than one leaves a remainder condition), else by
//! Fourier-Motzkin. Where neither applies, the literals that mention the symbol are dropped, which
//! weakens the formula; the check at the end tells whether it became too weak.

use super::check::Checker;
use super::facts::{by_condition, by_conditional};
use super::path::Path;
use crate::Integer;
use crate::number::abs;
use crate::solver::{Limits, Solver};
use crate::term::{Linear, Op, Relation, Sort, Symbol, Term, Terms};
use gnomon_budget::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// More cubes are not followed.
const MOST_CUBES: usize = 32;
/// More literals of a cube are not kept by one elimination.
const MOST_LITERALS: usize = 64;

type Cube = BTreeSet<Term>;

/// Postconditions of a path.
pub(super) struct Postconditions<'a> {
    pub(super) terms: &'a mut Terms,
    pub(super) solver: &'a mut dyn Solver,
    pub(super) checker: &'a mut Checker,
    pub(super) path: &'a Path,
    pub(super) limits: Limits,
    pub(super) budget: &'a Budget,
}

impl Postconditions<'_> {
    /// One formula per cut, if the last is false.
    pub(super) fn formulas(&mut self) -> Result<Option<Vec<Term>>, Exhausted> {
        let mut at_cut: Vec<Vec<Cube>> = vec![vec![Cube::new()]];
        let shared = self.path.shared_symbols();
        for (step, shared) in shared.iter().skip(1).enumerate() {
            self.budget.check()?;
            if self.path.is_returning_call(step) {
                at_cut.push(vec![Cube::new()]);
                continue;
            }
            let steps = self.path.steps();
            let mut factors = vec![at_cut[step].clone()];
            let mut formulas = vec![steps[step].formula];
            if let Some(call) = self.path.call_of(step) {
                factors.push(at_cut[call].clone());
                formulas.push(steps[call].formula);
            }
            for formula in formulas {
                match cubes_of(self.terms, formula) {
                    Some(cubes) => factors.push(cubes),
                    None => return Ok(None),
                }
            }
            let Some(cubes) = product(&factors) else { return Ok(None) };
            let mut after: BTreeSet<Cube> = BTreeSet::new();
            for cube in cubes {
                self.budget.check()?;
                let literals: Vec<Term> = cube.iter().copied().collect();
                let formula = self.terms.and(&literals);
                let (checker, limits) = (&mut *self.checker, self.limits);
                let empty = checker.is_unsatisfiable(self.terms, self.solver, formula, limits);
                if empty != Some(true) {
                    after.insert(project(self.terms, cube, shared));
                }
            }
            at_cut.push(after.into_iter().collect());
        }
        if !at_cut.last().is_some_and(Vec::is_empty) {
            return Ok(None);
        }
        let mut formulas = Vec::with_capacity(at_cut.len());
        for cubes in &at_cut {
            let mut any = Vec::with_capacity(cubes.len());
            for cube in cubes {
                let literals: Vec<Term> = cube.iter().copied().collect();
                any.push(self.terms.and(&literals));
            }
            let formula = self.terms.or(&any);
            formulas.push(super::tidy::tidy(self.terms, formula));
        }
        Ok(Some(formulas))
    }
}

/// All ways to take one cube of each factor, together.
fn product(factors: &[Vec<Cube>]) -> Option<Vec<Cube>> {
    let mut result = vec![Cube::new()];
    for factor in factors {
        let mut next = Vec::with_capacity(result.len() * factor.len());
        for left in &result {
            next.extend(factor.iter().map(|right| left.union(right).copied().collect()));
        }
        if next.len() > MOST_CUBES {
            return None;
        }
        result = next;
    }
    Some(result)
}

/// A formula as a disjunction of conjunctions of literals.
fn cubes_of(terms: &mut Terms, formula: Term) -> Option<Vec<Cube>> {
    let mut open: Vec<(Cube, Vec<Term>)> = vec![(Cube::new(), vec![formula])];
    let mut done = Vec::new();
    while let Some((mut cube, mut pending)) = open.pop() {
        if open.len() + done.len() > MOST_CUBES {
            return None;
        }
        let Some(term) = pending.pop() else {
            done.push(cube);
            continue;
        };
        match alternatives(terms, term) {
            Alternatives::All(all) => {
                pending.extend(all);
                open.push((cube, pending));
            }
            Alternatives::Any(any) => {
                for one in any {
                    let mut pending = pending.clone();
                    pending.push(one);
                    open.push((cube.clone(), pending));
                }
            }
            Alternatives::Literal => {
                cube.insert(term);
                open.push((cube, pending));
            }
        }
    }
    done.reverse();
    Some(done)
}

enum Alternatives {
    All(Vec<Term>),
    Any(Vec<Term>),
    Literal,
}

/// The outermost Boolean structure of a formula.
fn alternatives(terms: &mut Terms, term: Term) -> Alternatives {
    let (inner, positive) = match terms.op(term) {
        Op::Not => (terms.arg(term, 0), false),
        _ => (term, true),
    };
    let args = terms.args(inner).to_vec();
    let signed = |terms: &mut Terms, t: Term| if positive { t } else { terms.not(t) };
    match (terms.op(inner), positive) {
        (Op::True, true) | (Op::False, false) => Alternatives::All(Vec::new()),
        (Op::True, false) | (Op::False, true) => Alternatives::Any(Vec::new()),
        (Op::And, true) | (Op::Or, false) => {
            Alternatives::All(args.iter().map(|&a| signed(terms, a)).collect())
        }
        (Op::Or, true) | (Op::And, false) => {
            Alternatives::Any(args.iter().map(|&a| signed(terms, a)).collect())
        }
        (Op::Ite, _) => Alternatives::Any(by_condition(terms, args[0], args[1], args[2], positive)),
        (Op::Eq, _) if terms.sort(args[0]) == Sort::Bool => {
            let opposite = terms.not(args[1]);
            Alternatives::Any(by_condition(terms, args[0], args[1], opposite, positive))
        }
        _ => match by_conditional(terms, inner, positive) {
            Some(cases) => Alternatives::Any(cases),
            None => Alternatives::Literal,
        },
    }
}

/// The cube without the symbols that are not shared.
fn project(terms: &mut Terms, mut cube: Cube, shared: &[Symbol]) -> Cube {
    loop {
        let mut dead: BTreeMap<Symbol, usize> = BTreeMap::new();
        for &literal in &cube {
            for &symbol in terms.free_symbols(literal).iter() {
                if shared.binary_search(&symbol).is_err() {
                    *dead.entry(symbol).or_default() += 1;
                }
            }
        }
        // What an equation defines goes first and loses nothing; then what occurs least.
        let defined = dead.keys().find_map(|&s| Some((s, defining(terms, &cube, s)?)));
        if let Some((symbol, literal)) = defined {
            cube = eliminate_by(terms, &cube, symbol, literal);
            continue;
        }
        let Some((&symbol, _)) = dead.iter().min_by_key(|(s, count)| (**count, **s)) else {
            return cube;
        };
        cube = combine(terms, &cube, symbol);
    }
}

/// A literal of the cube that is an equation from which the symbol can be eliminated.
fn defining(terms: &mut Terms, cube: &Cube, symbol: Symbol) -> Option<Term> {
    let x = terms.symbol(symbol);
    let mut fallback = None;
    for &literal in cube {
        if let Some((linear, Relation::EqZero)) = terms.linear_atom(literal) {
            let coefficient = linear.coefficient(x);
            let mut rest = linear.clone();
            rest.monomials.retain(|(t, _)| *t != x);
            if coefficient == Integer::ZERO || mentions(terms, &rest, symbol) {
                continue;
            }
            if abs(&coefficient) == Integer::ONE {
                return Some(literal);
            }
            let linear_only = cube.iter().all(|&l| is_linear_in(terms, l, x, symbol));
            if linear_only {
                fallback = Some(literal);
            }
        } else if let (Op::Eq, &[a, b]) = (terms.op(literal), terms.args(literal)) {
            let other = if a == x { b } else { a };
            if (a == x || b == x) && !terms.free_symbols(other).contains(&symbol) {
                return Some(literal);
            }
        }
    }
    fallback
}

/// Whether an opaque term of the combination mentions the symbol.
fn mentions(terms: &mut Terms, linear: &Linear, symbol: Symbol) -> bool {
    linear.monomials.iter().any(|(t, _)| terms.free_symbols(*t).contains(&symbol))
}

/// Whether a literal is a linear constraint in which the symbol occurs linearly, or not at all.
fn is_linear_in(terms: &mut Terms, literal: Term, x: Term, symbol: Symbol) -> bool {
    if !terms.free_symbols(literal).contains(&symbol) {
        return true;
    }
    let Some((mut linear, _)) = terms.linear_atom(literal) else { return false };
    linear.monomials.retain(|(t, _)| *t != x);
    !mentions(terms, &linear, symbol)
}

/// The cube with a symbol eliminated by an equation of it.
fn eliminate_by(terms: &mut Terms, cube: &Cube, symbol: Symbol, equation: Term) -> Cube {
    let x = terms.symbol(symbol);
    let mut result = Cube::new();
    let Some((linear, _)) = terms.linear_atom(equation) else {
        let (a, b) = (terms.arg(equation, 0), terms.arg(equation, 1));
        let map = FxHashMap::from_iter([(x, if a == x { b } else { a })]);
        for &literal in cube.iter().filter(|&&l| l != equation) {
            result.insert(terms.substitute(literal, &map));
        }
        return without_truth(terms, result);
    };
    let coefficient = linear.coefficient(x);
    let mut rest = linear;
    rest.monomials.retain(|(t, _)| *t != x);
    if abs(&coefficient) == Integer::ONE {
        let value = rest.scaled(&-coefficient);
        let value = terms.from_linear(&value);
        let map = FxHashMap::from_iter([(x, value)]);
        for &literal in cube.iter().filter(|&&l| l != equation) {
            result.insert(terms.substitute(literal, &map));
        }
        return without_truth(terms, result);
    }
    // c*x + rest = 0: what is linear in x is multiplied by |c|, and rest is a multiple of c.
    let size = abs(&coefficient);
    for &literal in cube.iter().filter(|&&l| l != equation) {
        match terms.linear_atom(literal) {
            Some((other, relation)) if other.coefficient(x) != Integer::ZERO => {
                let factor = other.coefficient(x);
                let sign = if coefficient > Integer::ZERO { -factor } else { factor };
                let mut scaled = other.scaled(&size);
                scaled.monomials.retain(|(t, _)| *t != x);
                let joined = scaled.add_scaled(&rest, &sign);
                result.insert(terms.from_linear_atom(&joined, relation));
            }
            _ => {
                result.insert(literal);
            }
        }
    }
    let (rest, size, zero) = (terms.from_linear(&rest), terms.int(size), terms.int(0));
    let remainder = terms.modulo(rest, size);
    result.insert(terms.eq(remainder, zero));
    without_truth(terms, result)
}

/// The cube with a symbol eliminated by combining its bounds; what else mentions it is dropped.
fn combine(terms: &mut Terms, cube: &Cube, symbol: Symbol) -> Cube {
    let x = terms.symbol(symbol);
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    let mut result = Cube::new();
    for &literal in cube {
        if !terms.free_symbols(literal).contains(&symbol) {
            result.insert(literal);
            continue;
        }
        if !is_linear_in(terms, literal, x, symbol) {
            continue;
        }
        let Some((linear, relation)) = terms.linear_atom(literal) else { continue };
        let opposite = linear.scaled(&-Integer::ONE);
        let sides: &[&Linear] = match relation {
            Relation::LeZero => &[&linear],
            Relation::EqZero => &[&linear, &opposite],
        };
        for side in sides {
            if side.coefficient(x) > Integer::ZERO {
                upper.push((*side).clone());
            } else {
                lower.push((*side).clone());
            }
        }
    }
    for low in &lower {
        for high in &upper {
            if result.len() >= MOST_LITERALS {
                break;
            }
            let (a, b) = (-low.coefficient(x), high.coefficient(x));
            let sum = low.scaled(&b).add_scaled(high, &a);
            result.insert(terms.from_linear_atom(&sum, Relation::LeZero));
        }
    }
    without_truth(terms, result)
}

fn without_truth(terms: &Terms, mut cube: Cube) -> Cube {
    cube.remove(&terms.tt());
    cube
}
