//! Small simplifications of interpolants: what several cases of a proof give is put together.
//!
//! Conjunctions of bounds of the same linear combination keep the strongest ones, and a lower and an
//! upper bound that meet are an equation; dually in disjunctions. `x <= y && y <= x` is `x == y`,
//! which is the predicate people (and AFP) want to see. Works up to a few dozen members.

use crate::Integer;
use crate::number::floor_div;
use crate::term::{Linear, Op, Relation, Term, Terms};
use std::collections::BTreeMap;

/// Bounds of one linear combination without constant.
#[derive(Default)]
struct Bounds {
    lower: Option<Integer>,
    upper: Option<Integer>,
}

/// The formula with its conjunctions and disjunctions put in order.
pub(super) fn tidy(terms: &mut Terms, formula: Term) -> Term {
    match terms.op(formula) {
        Op::And | Op::Or => {}
        _ => return formula,
    }
    let mut done: BTreeMap<Term, Term> = BTreeMap::new();
    let structure = |t: &Terms, term: Term| matches!(t.op(term), Op::And | Op::Or);
    for term in terms.subterms_until(&[formula], |t| !structure(terms, t)) {
        if !structure(terms, term) {
            continue;
        }
        let args: Vec<Term> =
            terms.args(term).iter().map(|a| done.get(a).copied().unwrap_or(*a)).collect();
        let rebuilt = if terms.op(term) == Op::And {
            conjunction(terms, &args)
        } else {
            let negated: Vec<Term> = args.iter().map(|&a| terms.not(a)).collect();
            let literals = negated.iter().all(|&a| terms.is_literal(a));
            if literals {
                let joined = conjunction(terms, &negated);
                terms.not(joined)
            } else {
                disjunction(terms, &args)
            }
        };
        done.insert(term, rebuilt);
    }
    done.get(&formula).copied().unwrap_or(formula)
}

/// A disjunction of conjunctions, with what all members share taken out.
fn disjunction(terms: &mut Terms, args: &[Term]) -> Term {
    let members: Vec<Vec<Term>> = args.iter().map(|&a| terms.conjuncts(a)).collect();
    let mut shared = members.first().cloned().unwrap_or_default();
    shared.retain(|c| members.iter().all(|m| m.contains(c)));
    if shared.is_empty() {
        return terms.or(args);
    }
    let mut rest = Vec::with_capacity(members.len());
    for member in &members {
        let kept: Vec<Term> = member.iter().copied().filter(|c| !shared.contains(c)).collect();
        rest.push(terms.and(&kept));
    }
    shared.push(terms.or(&rest));
    terms.and(&shared)
}

fn conjunction(terms: &mut Terms, args: &[Term]) -> Term {
    let mut bounds: BTreeMap<Vec<(Term, Integer)>, Bounds> = BTreeMap::new();
    let mut rest = Vec::new();
    let flat: Vec<Term> = args.iter().flat_map(|&a| terms.conjuncts(a)).collect();
    for member in flat {
        match terms.linear_atom(member) {
            Some((linear, relation)) if !linear.is_constant() => {
                add_bound(&mut bounds, linear, relation);
            }
            _ => rest.push(member),
        }
    }
    for (monomials, bound) in bounds {
        let with = |constant: Integer, sign: i32| {
            let linear = Linear { monomials: monomials.clone(), constant };
            if sign < 0 { linear.scaled(&-Integer::ONE) } else { linear }
        };
        match (bound.lower, bound.upper) {
            (Some(lower), Some(upper)) if lower == upper => {
                rest.push(terms.from_linear_atom(&with(-lower, 1), Relation::EqZero));
            }
            (lower, upper) => {
                if let Some(upper) = upper {
                    rest.push(terms.from_linear_atom(&with(-upper, 1), Relation::LeZero));
                }
                if let Some(lower) = lower {
                    rest.push(terms.from_linear_atom(&with(-lower, -1), Relation::LeZero));
                }
            }
        }
    }
    terms.and(&rest)
}

/// Records `linear <= 0` or `linear = 0` as bounds of the primitive combination.
fn add_bound(
    bounds: &mut BTreeMap<Vec<(Term, Integer)>, Bounds>,
    linear: Linear,
    relation: Relation,
) {
    let content = linear.content();
    let flip = linear.monomials[0].1 < Integer::ZERO;
    let scale = if flip { -&content } else { content.clone() };
    let monomials: Vec<(Term, Integer)> =
        linear.monomials.iter().map(|(t, c)| (*t, c / &scale)).collect();
    // content * p + constant <= 0, or the same with -p.
    let most = floor_div(&-&linear.constant, &content);
    let bound = bounds.entry(monomials).or_default();
    let upper = if flip { -&most } else { most.clone() };
    let (sets_upper, sets_lower) = match relation {
        Relation::EqZero => (true, true),
        Relation::LeZero => (!flip, flip),
    };
    if sets_upper && bound.upper.as_ref().is_none_or(|u| upper < *u) {
        bound.upper = Some(upper.clone());
    }
    if sets_lower && bound.lower.as_ref().is_none_or(|l| upper > *l) {
        bound.lower = Some(upper);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Scope, Sort};

    #[test]
    fn bounds_that_meet_are_an_equation() {
        let mut t = Terms::new();
        let [x, y] = ["x", "y"].map(|name| {
            let variable = t.variable(name, Scope::Global, Sort::Int);
            t.var(variable)
        });
        let (low, high) = (t.le(x, y), t.le(y, x));
        let both = t.and2(low, high);
        let equal = t.eq(x, y);
        assert_eq!(tidy(&mut t, both), equal);
        let (less, greater) = (t.lt(x, y), t.lt(y, x));
        let either = t.or2(less, greater);
        let differ = t.not(equal);
        assert_eq!(tidy(&mut t, either), differ);
        let next = t.add_constant(y, 1);
        let weaker = t.le(x, next);
        let both = t.and2(low, weaker);
        assert_eq!(tidy(&mut t, both), low);
    }
}
