//! What a formula says if nothing wraps around.
//!
//! Encodings in integers count how often a number wraps around, in auxiliary symbols. With all of
//! these at zero, formulas are simpler, and most programs do nothing else. Only queries for the whole
//! program ask for that ([`crate::horn`]), so it is computed when they do, and formulas may be as
//! large as the program: it ends with the budget.

use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_logic::encode::Auxiliary;
use gnomon_logic::{Sort, Term, Terms};
use rustc_hash::FxHashMap;

/// The symbols of a formula that say how often numbers wrap around.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters(Rc<[Term]>);

impl Counters {
    /// These symbols.
    pub fn new(counters: impl IntoIterator<Item = Term>) -> Self {
        Self(counters.into_iter().collect())
    }

    /// Of all auxiliary symbols.
    pub fn of(terms: &mut Terms, auxiliaries: &[Auxiliary]) -> Self {
        let known = auxiliaries.iter().filter(|auxiliary| auxiliary.witness.is_some());
        let counters = known.map(|auxiliary| terms.symbol(auxiliary.symbol));
        let counters: Vec<Term> = counters.collect();
        Self::new(counters.into_iter().filter(|&counter| terms.sort(counter) == Sort::Int))
    }

    /// Whether it matters for a formula that numbers wrap around.
    pub fn occur_in(&self, terms: &mut Terms, formula: Term) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let symbols = terms.free_symbols(formula);
        let occurs = |&counter: &Term| {
            terms.as_symbol(counter).is_some_and(|symbol| symbols.binary_search(&symbol).is_ok())
        };
        self.0.iter().any(occurs)
    }

    /// The formula if nothing wraps around: not sound, but simpler.
    pub fn left_out(
        &self,
        terms: &mut Terms,
        formula: Term,
        budget: &Budget,
    ) -> Result<Term, Exhausted> {
        if self.0.is_empty() {
            return Ok(formula);
        }
        let zero = terms.int(0);
        let zeros: FxHashMap<Term, Term> = self.0.iter().map(|&counter| (counter, zero)).collect();
        terms.substitute_within(formula, &zeros, budget)
    }

    /// Something wraps around.
    pub fn some_counts(&self, terms: &mut Terms) -> Term {
        let zero = terms.int(0);
        let not_zero: Vec<Term> = self.0.iter().map(|&counter| terms.ne(counter, zero)).collect();
        terms.or(&not_zero)
    }
}

#[cfg(test)]
mod tests {
    use gnomon_budget::{Budget, Exhausted};
    use gnomon_logic::{Scope, Sort, Term, Terms};

    use super::Counters;

    /// `y_i == x_0 + ... + x_i - 256 * w_i` for all i.
    fn sums_that_wrap(terms: &mut Terms, count: usize) -> (Term, Counters) {
        let mut symbol = |name: String| {
            let variable = terms.variable(&name, Scope::Global, Sort::Int);
            terms.var(variable)
        };
        let named: Vec<[Term; 3]> =
            (0..count).map(|i| ["x", "y", "w"].map(|name| symbol(format!("{name}{i}")))).collect();
        let (mut sum, mut equations) = (terms.int(0), Vec::new());
        for &[x, y, w] in &named {
            sum = terms.add(sum, x);
            let wrapped = terms.mul_by(-256, w);
            let value = terms.add(sum, wrapped);
            equations.push(terms.eq(y, value));
        }
        (terms.and(&equations), Counters::new(named.into_iter().map(|[_, _, w]| w)))
    }

    #[test]
    fn nothing_wraps_when_all_counters_are_zero() {
        let mut terms = Terms::new();
        let (formula, counters) = sums_that_wrap(&mut terms, 2);
        assert!(counters.occur_in(&mut terms, formula));
        let budget = Budget::unlimited();
        let unwrapped = counters.left_out(&mut terms, formula, &budget).expect("no limit");
        assert!(!counters.occur_in(&mut terms, unwrapped));
        assert_eq!(terms.display(unwrapped).to_string(), "y1 == x0 + x1 && x0 == y0");
    }

    /// Each equation compares a sum that is as long as there are equations: what that takes grows
    /// with the square, and is counted.
    #[test]
    fn leaving_counters_out_ends_with_the_budget() {
        let mut terms = Terms::new();
        let (formula, counters) = sums_that_wrap(&mut terms, 400);
        let budget = Budget::unlimited().with_steps(1_000);
        let stopped = counters.left_out(&mut terms, formula, &budget);
        assert_eq!(stopped, Err(Exhausted::Steps));
        let budget = Budget::unlimited();
        assert!(counters.left_out(&mut terms, formula, &budget).is_ok());
        assert!(budget.steps() > 400 * 400 / 2 / 64, "{} steps", budget.steps());
    }
}
