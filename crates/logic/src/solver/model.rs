//! Models: values of the terms that were asked about.

use crate::term::value::Value;
use crate::term::{Term, Terms};
use std::collections::BTreeMap;

/// Values of terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: BTreeMap<Term, Value>,
}

impl Model {
    /// A model without values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the value of a term.
    pub fn set(&mut self, term: Term, value: Value) {
        self.values.insert(term, value);
    }

    /// The value of a term that was asked about.
    pub fn get(&self, term: Term) -> Option<&Value> {
        self.values.get(&term)
    }

    /// The terms with their values, in the order of the arena.
    pub fn iter(&self) -> impl Iterator<Item = (Term, &Value)> {
        self.values.iter().map(|(&t, v)| (t, v))
    }

    /// The terms for all symbols of `formulas`: what to ask a solver for so that the formulas can
    /// be evaluated under its model.
    pub fn symbols_of(terms: &mut Terms, formulas: &[Term]) -> Vec<Term> {
        let mut symbols: Vec<Term> = Vec::new();
        for &formula in formulas {
            for &symbol in &*terms.free_symbols(formula) {
                symbols.push(terms.symbol(symbol));
            }
        }
        symbols.sort_unstable();
        symbols.dedup();
        symbols
    }
}
