//! The conditions of a program as predicates, where refinement begins to diverge.
//!
//! A loop that is unrolled turn by turn brings `x == 1`, `x == 2`, ... Interpolants of single paths
//! say nothing of other turns then, but the program does: what a loop needs is most often said by what
//! is compared behind its head, in the condition of the loop, in branches of its body and in the
//! assertion behind it; by the same with a bound that is one off, since a bound is passed in the last
//! turn; and by equations between what is compared. As all predicates they are only tracked.

use std::collections::BTreeSet;

use gnomon_ir::cfa::LocId;
use gnomon_ir::program::FuncId;
use gnomon_logic::encode::Ssa;
use gnomon_logic::term::linear::Relation;
use gnomon_logic::{Integer, Op, Scope, Sort, Term};

use super::{Lazy, LazyError};
use crate::control::ControlId;
use crate::refine::Spread;

/// So many conditions of a place are looked at, and so many variables compared with each other.
const MAX_CONDITIONS: usize = 12;
const MAX_VARIABLES: usize = 5;
/// Greater bounds are those of types.
const MAX_BOUND: i64 = (1 << 31) - 2;

impl Lazy<'_> {
    /// Tracks what is compared behind a location. Says whether any of that is new.
    pub(super) fn track_conditions(&mut self, func: FuncId, loc: LocId) -> Result<bool, LazyError> {
        let is_there = |place: ControlId| {
            let control = self.explorer.space.get(place);
            control.func == func && control.loc == loc
        };
        let places: BTreeSet<ControlId> =
            self.tree.present().map(|node| node.place).filter(|&place| is_there(place)).collect();
        let mut new = false;
        for place in places {
            for atom in self.conditions(place)? {
                let (terms, space) = (&mut self.terms, &self.explorer.space);
                let tracked = self.tracking.track(terms, space, place, atom, Spread::Location)?;
                new |= tracked.is_some();
            }
        }
        Ok(new)
    }

    /// What is compared behind a place, without indices.
    fn conditions(&mut self, place: ControlId) -> Result<Vec<Term>, LazyError> {
        let formulas: Vec<Term> =
            self.blocks_from(place, false)?.iter().map(|block| block.formula).collect();
        let mut conditions: BTreeSet<Term> = BTreeSet::new();
        for term in self.terms.subterms(&formulas) {
            if self.is_comparison(term) && self.is_of_present_values(term) {
                conditions.insert(term);
            }
        }
        let mut found = BTreeSet::new();
        let mut variables = BTreeSet::new();
        for condition in conditions.into_iter().take(MAX_CONDITIONS) {
            let symbols = self.terms.free_symbols(condition);
            variables.extend(symbols.iter().map(|symbol| symbol.variable));
            let condition = self.terms.without_indices(condition);
            found.insert(condition);
            let Some((linear, Relation::LeZero)) = self.terms.linear_atom(condition) else {
                continue;
            };
            for step in [Integer::ONE, -Integer::ONE] {
                let mut moved = linear.clone();
                moved.constant += step;
                let (left, zero) = (self.terms.from_linear(&moved), self.terms.int(0));
                found.insert(self.terms.le(left, zero));
            }
        }
        let is_number = |variable: &_| self.terms.variable_info(*variable).sort == Sort::Int;
        let numbers: Vec<_> = variables.into_iter().filter(is_number).take(MAX_VARIABLES).collect();
        for (position, &a) in numbers.iter().enumerate() {
            for &b in &numbers[..position] {
                let (a, b) = (self.terms.var(a), self.terms.var(b));
                found.insert(self.terms.eq(a, b));
            }
        }
        Ok(found.into_iter().collect())
    }

    /// Whether a term compares numbers, other than with the bounds of their types.
    fn is_comparison(&self, term: Term) -> bool {
        let terms = &self.terms;
        if terms.sort(term) != Sort::Bool || !matches!(terms.op(term), Op::Eq | Op::Le) {
            return false;
        }
        let is_number = |&arg: &Term| matches!(terms.sort(arg), Sort::Int);
        let is_small = |constant: &Integer| {
            (Integer::from(-MAX_BOUND)..=Integer::from(MAX_BOUND)).contains(constant)
        };
        terms.args(term).iter().all(is_number)
            && terms.linear_atom(term).is_none_or(|(linear, _)| is_small(&linear.constant))
    }

    /// Whether a term is over values of the program where a block begins.
    fn is_of_present_values(&mut self, term: Term) -> bool {
        let fresh = Ssa::new();
        let symbols = self.terms.free_symbols(term);
        let terms = &self.terms;
        !symbols.is_empty()
            && symbols.iter().all(|symbol| {
                symbol.index == Some(fresh.index(symbol.variable))
                    && terms.variable_info(symbol.variable).scope != Scope::Auxiliary
            })
    }
}
