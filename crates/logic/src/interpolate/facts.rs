//! Step formulas as facts that the refutation search works with.
//!
//! A fact is a linear constraint, a difference, or a choice between formulas. Terms that are not
//! linear are opaque variables of the linear constraints; so are terms of other sorts, of which only
//! equations are formed (any sort embeds into the rationals as far as equality is concerned), and
//! Booleans, which are 0 or 1. Quotients and remainders by constants bring their definition along.

use crate::Integer;
use crate::number::{div_mod, floor_div};
use crate::term::{Linear, Op, Relation, Sort, Term, Terms};
use rustc_hash::FxHashMap;

/// A consequence of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// The linear combination is at most, or equal to, zero.
    Linear(Linear, Relation),
    /// The linear combination is not zero.
    Differs(Linear),
    /// One of the formulas holds.
    Choice(Vec<Term>),
}

/// The facts that are together equivalent to a formula.
pub(super) fn facts_of(terms: &mut Terms, formula: Term) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut pending = vec![(formula, true)];
    while let Some((term, positive)) = pending.pop() {
        let args = terms.args(term).to_vec();
        match (terms.op(term), positive) {
            (Op::Not, _) => pending.push((args[0], !positive)),
            (Op::True, true) | (Op::False, false) => {}
            (Op::True, false) | (Op::False, true) => {
                facts.push(Fact::Linear(Linear::constant(1), Relation::LeZero));
            }
            (Op::And, true) | (Op::Or, false) => {
                pending.extend(args.iter().rev().map(|&a| (a, positive)));
            }
            (Op::Or, true) => facts.push(Fact::Choice(args)),
            (Op::And, false) => {
                facts.push(Fact::Choice(args.iter().map(|&a| terms.not(a)).collect()));
            }
            (Op::Ite, _) => {
                let cases = by_condition(terms, args[0], args[1], args[2], positive);
                facts.push(Fact::Choice(cases));
            }
            (Op::Eq, _) if terms.sort(args[0]) == Sort::Bool => {
                let opposite = terms.not(args[1]);
                let cases = by_condition(terms, args[0], args[1], opposite, positive);
                facts.push(Fact::Choice(cases));
            }
            _ => atom_facts(terms, term, positive, &mut facts),
        }
    }
    facts
}

/// The two cases of `condition ? then : other`, or of its negation.
pub(super) fn by_condition(
    terms: &mut Terms,
    condition: Term,
    then: Term,
    other: Term,
    positive: bool,
) -> Vec<Term> {
    let not = terms.not(condition);
    let (then, other) = if positive { (then, other) } else { (terms.not(then), terms.not(other)) };
    vec![terms.and2(condition, then), terms.and2(not, other)]
}

/// The two cases of an atom, or of its negation, that contains a conditional.
pub(super) fn by_conditional(terms: &mut Terms, atom: Term, positive: bool) -> Option<Vec<Term>> {
    let conditional = terms
        .subterms(&[atom])
        .into_iter()
        .find(|&t| terms.op(t) == Op::Ite && terms.sort(t) != Sort::Bool)?;
    let &[condition, then, other] = terms.args(conditional) else { return None };
    let with = |terms: &mut Terms, branch: Term| {
        terms.substitute(atom, &FxHashMap::from_iter([(conditional, branch)]))
    };
    let (then, other) = (with(terms, then), with(terms, other));
    Some(by_condition(terms, condition, then, other, positive))
}

fn atom_facts(terms: &mut Terms, atom: Term, positive: bool, facts: &mut Vec<Fact>) {
    if let Some(cases) = by_conditional(terms, atom, positive) {
        facts.push(Fact::Choice(cases));
        return;
    }
    define_quotients(terms, atom, facts);
    match (terms.linear_atom(atom), positive) {
        (Some((linear, relation)), true) => facts.push(Fact::Linear(linear, relation)),
        (Some((linear, Relation::EqZero)), false) => facts.push(Fact::Differs(linear)),
        (Some((linear, Relation::LeZero)), false) => {
            // Not p <= 0 is 1 - p <= 0 on integers.
            let negated = Linear::constant(1).add_scaled(&linear, &-Integer::ONE);
            facts.push(Fact::Linear(negated, Relation::LeZero));
        }
        (None, _) => {
            if let (Op::Eq, &[a, b]) = (terms.op(atom), terms.args(atom)) {
                let difference = Linear::of(a).add_scaled(&Linear::of(b), &-Integer::ONE);
                facts.push(if positive {
                    Fact::Linear(difference, Relation::EqZero)
                } else {
                    Fact::Differs(difference)
                });
            } else {
                // A Boolean b is b >= 1, its negation b <= 0.
                let b = Linear::of(atom);
                let constraint =
                    if positive { Linear::constant(1).add_scaled(&b, &-Integer::ONE) } else { b };
                facts.push(Fact::Linear(constraint, Relation::LeZero));
            }
        }
    }
}

/// What quotients and remainders by positive constants in an atom are.
fn define_quotients(terms: &mut Terms, atom: Term, facts: &mut Vec<Fact>) {
    for term in terms.subterms(&[atom]) {
        let (Op::Div | Op::Mod, &[dividend, divisor]) = (terms.op(term), terms.args(term)) else {
            continue;
        };
        let Some(value) = terms.value(divisor).filter(|d| **d > Integer::ZERO).cloned() else {
            continue;
        };
        let remainder = if terms.op(term) == Op::Mod {
            let quotient = terms.div(dividend, divisor);
            let whole =
                Linear::of(quotient).scaled(&value).add_scaled(&Linear::of(term), &Integer::ONE);
            let equation = terms.linear(dividend).add_scaled(&whole, &-Integer::ONE);
            facts.push(Fact::Linear(equation, Relation::EqZero));
            Linear::of(term)
        } else {
            terms.linear(dividend).add_scaled(&Linear::of(term), &-value.clone())
        };
        // 0 <= remainder < divisor.
        facts.push(Fact::Linear(remainder.scaled(&-Integer::ONE), Relation::LeZero));
        let most = Linear::constant(Integer::ONE - value);
        facts.push(Fact::Linear(most.add_scaled(&remainder, &Integer::ONE), Relation::LeZero));
    }
}

/// The formula that says how a linear combination of opaque terms compares to zero; `None` when
/// terms of other sorts occur in a way that no formula expresses.
pub(super) fn formula_of(terms: &mut Terms, linear: &Linear, relation: Relation) -> Option<Term> {
    if linear.monomials.iter().all(|(t, _)| terms.sort(*t) == Sort::Int) {
        return Some(terms.from_linear_atom(linear, relation));
    }
    match (&linear.monomials[..], relation) {
        ([(a, ca), (b, cb)], Relation::EqZero)
            if *ca == -cb
                && linear.constant == Integer::ZERO
                && terms.sort(*a) == terms.sort(*b) =>
        {
            Some(terms.eq(*a, *b))
        }
        ([(b, c)], _) if terms.sort(*b) == Sort::Bool => {
            let not = terms.not(*b);
            let (value, rest) = div_mod(&-&linear.constant, c);
            Some(match relation {
                Relation::EqZero if rest != Integer::ZERO => terms.ff(),
                Relation::EqZero if value == Integer::ZERO => not,
                Relation::EqZero if value == Integer::ONE => *b,
                Relation::EqZero => terms.ff(),
                Relation::LeZero if *c > Integer::ZERO => {
                    let most = floor_div(&-&linear.constant, c);
                    if most >= Integer::ONE {
                        terms.tt()
                    } else if most == Integer::ZERO {
                        not
                    } else {
                        terms.ff()
                    }
                }
                Relation::LeZero => {
                    // -c*b + k <= 0 is b >= k/c, rounded up.
                    let least = -floor_div(&-&linear.constant, &-c);
                    if least <= Integer::ZERO {
                        terms.tt()
                    } else if least == Integer::ONE {
                        *b
                    } else {
                        terms.ff()
                    }
                }
            })
        }
        _ => None,
    }
}
