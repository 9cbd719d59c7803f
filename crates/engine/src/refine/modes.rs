//! Variables that say in which mode a program is: state machines, flags, kinds.
//!
//! A program compares such a variable with constants of its own, and assigns them. One refinement
//! after the other learns one of them: `state == 3`, `state == 5`, ... Since there are only so many,
//! that is no divergence, and once a few were learned for a location the others are tracked with them:
//! on a single path each of them is true or false by mere rewriting, so many cost hardly more than few
//! ([`gnomon_predabs::post`]).

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::LocId;
use gnomon_ir::program::FuncId;
use gnomon_logic::{Op, Term, Terms, Variable};
use rustc_hash::FxHashMap;

/// So many tests of a variable at a location make all of them tracked there.
const SOME: u32 = 3;
/// Unless there are more than so many.
const TOO_MANY: usize = 80;

/// Which variables formulas compare with which constants.
#[derive(Clone, Debug, Default)]
pub struct Tests {
    of: BTreeMap<Variable, BTreeSet<Term>>,
}

impl Tests {
    /// All equations between a symbol and a constant.
    pub fn of(formulas: &[Term], terms: &Terms) -> Self {
        let mut tests = Self::default();
        for term in terms.subterms(formulas) {
            if let Some((variable, constant)) = test(terms, term) {
                tests.of.entry(variable).or_default().insert(constant);
            }
        }
        tests
    }

    /// Whether an atom is such a comparison, with one of the constants.
    pub fn has(&self, terms: &Terms, atom: Term) -> bool {
        test(terms, atom).is_some_and(|(variable, constant)| {
            self.of.get(&variable).is_some_and(|constants| constants.contains(&constant))
        })
    }
}

/// The variable and the constant that an equation compares.
fn test(terms: &Terms, atom: Term) -> Option<(Variable, Term)> {
    if terms.op(atom) != Op::Eq {
        return None;
    }
    let (a, b) = (terms.arg(atom, 0), terms.arg(atom, 1));
    let (symbol, constant) = if terms.value(a).is_some() { (b, a) } else { (a, b) };
    terms.value(constant)?;
    Some((terms.as_symbol(symbol)?.variable, constant))
}

/// Counts how often modes are learned.
#[derive(Clone, Debug, Default)]
pub struct Modes {
    learned: FxHashMap<(FuncId, LocId, Variable), u32>,
}

impl Modes {
    /// Takes note of a new predicate at a location; gives all tests of its variable, without indices,
    /// when enough of them were learned.
    pub fn learned(
        &mut self,
        terms: &mut Terms,
        (func, loc): (FuncId, LocId),
        atom: Term,
        tests: &Tests,
    ) -> Vec<Term> {
        let Some((variable, _)) = test(terms, atom) else { return Vec::new() };
        let count = self.learned.entry((func, loc, variable)).or_default();
        *count += 1;
        let Some(constants) = tests.of.get(&variable) else { return Vec::new() };
        if *count < SOME || constants.len() > TOO_MANY {
            return Vec::new();
        }
        let value = terms.var(variable);
        constants.iter().map(|&constant| terms.eq(value, constant)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_logic::{Scope, Sort};

    #[test]
    fn the_third_mode_brings_the_others() {
        let mut t = Terms::new();
        let state = t.variable("state", Scope::Global, Sort::Int);
        let at = |t: &mut Terms, index: u32, value: i64| {
            let (symbol, value) = (t.var_at(state, index), t.int(value));
            t.eq(symbol, value)
        };
        let path: Vec<Term> = (1..6).map(|k| at(&mut t, k, i64::from(k) * 10)).collect();
        let tests = Tests::of(&path, &t);
        let without: Vec<Term> = path.iter().map(|&f| t.without_indices(f)).collect();
        assert!(tests.has(&t, without[0]));
        let other = at(&mut t, 0, 7);
        assert!(!tests.has(&t, other), "the program has no 7");
        let mut modes = Modes::default();
        let here = (FuncId(0), LocId(1));
        assert_eq!(modes.learned(&mut t, here, without[0], &tests), []);
        assert_eq!(modes.learned(&mut t, here, without[1], &tests), []);
        assert_eq!(modes.learned(&mut t, (FuncId(0), LocId(2)), without[2], &tests), []);
        let all = modes.learned(&mut t, here, without[2], &tests);
        assert_eq!(all.len(), 5);
        assert!(without.iter().all(|atom| all.contains(atom)));
    }
}
