//! Equations by elimination, with the memory of how each consequence was obtained.
//!
//! An assignment of a path defines its newest symbol. A [`Definition`] keeps the equation with
//! everything defined before it eliminated, and which definitions that took; a linear combination
//! is *reduced* by eliminating all defined terms. Multipliers of the original equations are found
//! afterwards by running through the definitions once, backwards, so nothing but two short lists
//! is kept per equation, and an unrolled loop of any length costs linear time.
//!
//! Only terms with coefficient 1 or -1 are defined: everything stays integral.

use crate::Integer;
use crate::number::abs;
use crate::term::{Linear, Term};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Names a row of the refutation.
pub(super) type RowId = u32;

/// Multiples of definitions.
pub(super) type Uses = Vec<(u32, Integer)>;

/// Multiples of rows.
pub(super) type Combination = Vec<(RowId, Integer)>;

struct Definition {
    row: RowId,
    /// The row with earlier definitions eliminated: `row + uses`.
    reduced: Linear,
    /// Whether the coefficient of the defined term in it is 1 (else -1).
    positive: bool,
    uses: Uses,
}

/// The definitions made so far. Cloned to try a case and come back.
#[derive(Clone, Default)]
pub(super) struct Equations {
    definitions: Vec<Rc<Definition>>,
    definition_of: FxHashMap<Term, u32>,
}

impl Equations {
    /// The combination without defined terms, and what was added to it to get there.
    pub(super) fn reduce(&self, linear: &Linear) -> (Linear, Uses) {
        if linear.monomials.iter().all(|(t, _)| !self.definition_of.contains_key(t)) {
            return (linear.clone(), Vec::new());
        }
        let mut sum: BTreeMap<Term, Integer> = linear.monomials.iter().cloned().collect();
        let mut constant = linear.constant.clone();
        let mut uses = Vec::new();
        let mut pending: BTreeSet<(u32, Term)> =
            sum.keys().filter_map(|&t| Some((*self.definition_of.get(&t)?, t))).collect();
        // Definition j mentions no term defined before it, so going upwards ends.
        while let Some((at, term)) = pending.pop_first() {
            let coefficient = sum.get(&term).cloned().unwrap_or_default();
            if coefficient == Integer::ZERO {
                continue;
            }
            let definition = &self.definitions[at as usize];
            let factor = if definition.positive { -coefficient } else { coefficient };
            constant += &definition.reduced.constant * &factor;
            for (inner, c) in &definition.reduced.monomials {
                let entry = sum.entry(*inner).or_default();
                *entry += c * &factor;
                if let Some(&definition) = self.definition_of.get(inner) {
                    pending.insert((definition, *inner));
                }
            }
            uses.push((at, factor));
        }
        let monomials = sum.into_iter().filter(|(_, c)| *c != Integer::ZERO).collect();
        (Linear { monomials, constant }, uses)
    }

    /// Lets the row, whose reduced form and uses are given, define a term that occurs in it with
    /// coefficient 1 or -1.
    pub(super) fn define(&mut self, term: Term, row: RowId, reduced: Linear, uses: Uses) {
        let coefficient = reduced.coefficient(term);
        debug_assert_eq!(abs(&coefficient), Integer::ONE);
        let positive = coefficient > Integer::ZERO;
        self.definition_of.insert(term, self.definitions.len() as u32);
        self.definitions.push(Rc::new(Definition { row, reduced, positive, uses }));
    }

    /// Multiples of rows that amount to multiples of definitions, added to `total`.
    pub(super) fn expand(&self, uses: &Uses, total: &mut BTreeMap<RowId, Integer>) {
        let mut pending: BTreeMap<u32, Integer> = BTreeMap::new();
        for (at, factor) in uses {
            *pending.entry(*at).or_default() += factor;
        }
        while let Some((at, factor)) = pending.pop_last() {
            if factor == Integer::ZERO {
                continue;
            }
            let definition = &self.definitions[at as usize];
            *total.entry(definition.row).or_default() += &factor;
            for (inner, c) in &definition.uses {
                *pending.entry(*inner).or_default() += c * &factor;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Scope, Sort, Terms};

    #[test]
    fn what_is_eliminated_is_accounted_for() {
        // x1 = x0 + 1, x2 = x1 + 1, y = 2*x2 - x0: y reduces to x0 + 4.
        let mut t = Terms::new();
        let [x0, x1, x2, y] = ["x0", "x1", "x2", "y"].map(|name| {
            let variable = t.variable(name, Scope::Global, Sort::Int);
            t.var(variable)
        });
        let linear = |monomials: &[(Term, i64)], constant: i64| {
            let mut monomials: Vec<(Term, Integer)> =
                monomials.iter().map(|&(t, c)| (t, c.into())).collect();
            monomials.sort();
            Linear { monomials, constant: constant.into() }
        };
        let rows = [
            linear(&[(x1, 1), (x0, -1)], -1),
            linear(&[(x2, 1), (x1, -1)], -1),
            linear(&[(y, -1), (x2, 2), (x0, -1)], 0),
        ];
        let mut equations = Equations::default();
        for (at, (row, defined)) in rows.iter().zip([x1, x2, y]).enumerate() {
            let (reduced, uses) = equations.reduce(row);
            equations.define(defined, at as u32, reduced, uses);
        }
        let start = linear(&[(y, 1)], 0);
        let (reduced, uses) = equations.reduce(&start);
        assert_eq!(reduced, linear(&[(x0, 1)], 4));
        let mut total = BTreeMap::new();
        equations.expand(&uses, &mut total);
        let sum = total.iter().fold(start, |sum, (row, c)| sum.add_scaled(&rows[*row as usize], c));
        assert_eq!(sum, reduced);
    }
}
