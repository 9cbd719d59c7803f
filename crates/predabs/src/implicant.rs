//! One of the ways to satisfy a formula: literals that hold in a model and make it true.
//!
//! The formula of a block is a disjunction over the paths through it, and a model of it takes one of
//! them. What it takes is written down as a conjunction without `or` and `ite`: the branch of each
//! disjunction and of each conditional value that the model chooses. AFP interpolates single paths,
//! and abstract successors are found path by path ([`crate::post`]).

use std::collections::BTreeSet;

use gnomon_logic::value::Value;
use gnomon_logic::{Model, Op, Sort, Term, Terms};

/// Literals that hold in a model and make a formula true, in increasing order; `None` if the model
/// does not tell. It must have the values of all Boolean subterms ([`decided_by`]).
pub fn implicant(terms: &mut Terms, model: &Model, formula: Term) -> Option<Vec<Term>> {
    let mut literals = BTreeSet::new();
    let mut pending = vec![(formula, true)];
    let mut seen = BTreeSet::new();
    while let Some((term, value)) = pending.pop() {
        if !seen.insert((term, value)) {
            continue;
        }
        let args = terms.args(term).to_vec();
        match (terms.op(term), value) {
            (Op::True, true) | (Op::False, false) => {}
            (Op::Not, _) => pending.push((args[0], !value)),
            (Op::And, true) | (Op::Or, false) => {
                pending.extend(args.into_iter().map(|arg| (arg, value)));
            }
            (Op::Or, true) | (Op::And, false) => {
                let chosen = args.into_iter().find(|&arg| is(model, arg) == Some(value))?;
                pending.push((chosen, value));
            }
            (Op::Ite, _) => {
                let condition = is(model, args[0])?;
                pending.push((args[0], condition));
                pending.push((args[if condition { 1 } else { 2 }], value));
            }
            (Op::Eq, _) if terms.sort(args[0]) == Sort::Bool => {
                for arg in args {
                    pending.push((arg, is(model, arg)?));
                }
            }
            _ => {
                let atom = without_choices(terms, model, term, &mut pending)?;
                literals.insert(if value { atom } else { terms.not(atom) });
            }
        }
    }
    Some(literals.into_iter().collect())
}

/// The Boolean subterms of a formula: what a model must tell.
pub fn decided_by(terms: &Terms, formula: Term) -> Vec<Term> {
    let subterms = terms.subterms(&[formula]).into_iter();
    subterms.filter(|&term| terms.sort(term) == Sort::Bool).collect()
}

fn is(model: &Model, term: Term) -> Option<bool> {
    match model.get(term) {
        Some(Value::Bool(value)) => Some(*value),
        _ => None,
    }
}

/// An atom with the branch that a model takes in place of each conditional value; conditions are
/// to be made true too.
fn without_choices(
    terms: &mut Terms,
    model: &Model,
    atom: Term,
    pending: &mut Vec<(Term, bool)>,
) -> Option<Term> {
    let is_choice =
        |terms: &Terms, term: Term| terms.op(term) == Op::Ite && terms.sort(term) != Sort::Bool;
    let mut atom = atom;
    // A branch may have choices of its own.
    while let Some(choice) =
        terms.subterms(&[atom]).into_iter().rev().find(|&term| is_choice(terms, term))
    {
        let args = terms.args(choice).to_vec();
        let condition = is(model, args[0])?;
        pending.push((args[0], condition));
        let branch = args[if condition { 1 } else { 2 }];
        atom = terms.rebuild(atom, |_, term| (term == choice).then_some(branch));
    }
    Some(atom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_logic::{Answer, Limits, Purpose, Scope, Solver, Z3Solver};

    #[test]
    fn an_implicant_is_a_conjunction_that_implies_the_formula() {
        let mut t = Terms::new();
        let mut integer = |name: &str| {
            let variable = t.variable(name, Scope::Global, Sort::Int);
            t.var_at(variable, 0)
        };
        let (x, y) = (integer("x"), integer("y"));
        let (zero, one, two) = (t.int(0), t.int(1), t.int(2));
        let (is_zero, is_one) = (t.eq(x, zero), t.eq(x, one));
        let value = t.ite(is_zero, two, one);
        let chosen = t.eq(y, value);
        let either = t.or(&[is_zero, is_one]);
        let formula = t.and(&[either, chosen]);
        let mut solver = Z3Solver::integers();
        solver.assert(&t, formula);
        assert_eq!(solver.check_sat(&t), Answer::Sat);
        let model = solver.model(&t, &decided_by(&t, formula));
        let literals = implicant(&mut t, &model, formula).expect("the model tells");
        let all = t.and(&literals);
        assert!(t.subterms(&[all]).iter().all(|&s| !matches!(t.op(s), Op::Or | Op::Ite)));
        let mut fresh = Z3Solver::integers();
        let limits = Limits::default();
        assert_eq!(fresh.implies(&mut t, &[all], formula, Purpose::OTHER, limits), Answer::Unsat);
    }
}
