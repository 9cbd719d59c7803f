//! What an invariant says outright is put in at the start of a block.
//!
//! Where an invariant demands `p == 1000`, the block begins with 1000 in `p`, and not with a symbol that is
//! equal to it: so addresses are numbers, what is stored there is found again without the theory of arrays, and
//! the paths of a block meet element by element. Nothing is lost, since the invariant is assumed
//! there anyway. An element of memory is fixed by storing its value where it is already.
//!
//! What is left of arrays is then asked about only if the bits around them do not decide.

use gnomon_logic::{Integer, Op, Sort, Term};
use std::collections::BTreeMap;

use crate::certificate::Formulas;
use crate::machine::{Followed, Machine};
use crate::state::State;

/// Values that are put in may fix others: so often that is tried.
const ROUNDS: usize = 8;

impl Machine<'_> {
    /// The state at the start of a block in which an invariant is assumed.
    pub fn beginning_with(&mut self, formulas: &Formulas, root: u32) -> Followed<State> {
        let mut state = State::new(&self.terms);
        let mut formula = self.formula(&state, formulas, root)?;
        for _ in 0..ROUNDS {
            if !self.fix(formula) {
                break;
            }
            self.noted.clear();
            formula = self.formula(&state, formulas, root)?;
        }
        state.assume(&mut self.terms, formula);
        Ok(state)
    }

    /// Puts in what a formula says outright; whether there was something.
    fn fix(&mut self, formula: Term) -> bool {
        let mut open = vec![formula];
        let mut is_new = false;
        while let Some(term) = open.pop() {
            match (self.terms.op(term), self.terms.args(term)) {
                (Op::And, all) => open.extend_from_slice(all),
                (Op::Eq, &[a, b]) => {
                    let (what, value) = if self.terms.value(a).is_some() { (b, a) } else { (a, b) };
                    if let Some(value) = self.terms.value(value).cloned() {
                        is_new |= self.fix_value(what, &value);
                    }
                }
                _ => {}
            }
        }
        is_new
    }

    fn fix_value(&mut self, what: Term, value: &Integer) -> bool {
        let Sort::BitVec(width) = self.terms.sort(what) else { return false };
        match (self.terms.op(what), self.terms.args(what)) {
            (Op::Concat, &[high, low]) => {
                let split = Integer::from(1) << self.terms.width(low) as usize;
                let (of_high, of_low) = (value / &split, value % &split);
                // Both, whatever the first one gives.
                let is_new = self.fix_value(high, &of_high);
                self.fix_value(low, &of_low) || is_new
            }
            (Op::Select, &[array, index]) if self.terms.value(index).is_some() => {
                let Some(slot) =
                    self.beginning.slot_with(|known| base(&self.terms, known) == array)
                else {
                    return false;
                };
                let Some(known) = self.beginning.known(slot) else { return false };
                let value = self.terms.bv(value.clone(), width);
                let fixed = self.terms.store(known, index, value);
                self.beginning.set(slot, fixed);
                fixed != known
            }
            _ => {
                let Some(slot) = self.beginning.slot_with(|known| known == what) else {
                    return false;
                };
                let value = self.terms.bv(value.clone(), width);
                self.beginning.set(slot, value);
                true
            }
        }
    }
}

impl Machine<'_> {
    /// A formula with any value in place of each element that is read, and so weaker: what it
    /// excludes, the formula excludes. `None` if nothing is read, or if arrays are compared.
    pub fn with_any_elements(&mut self, formula: Term) -> Option<Term> {
        let mut any: BTreeMap<Term, Term> = BTreeMap::new();
        let weaker = self.terms.rebuild(formula, |terms, term| {
            if terms.op(term) != Op::Select {
                return None;
            }
            let sort = terms.sort(term);
            let free = any.entry(term).or_insert_with(|| {
                let variable = terms.fresh_variable("element", sort);
                terms.var(variable)
            });
            Some(*free)
        });
        let is_array = |term: &Term| matches!(self.terms.sort(*term), Sort::Array(_));
        let is_left = self.terms.subterms(&[weaker]).iter().any(is_array);
        (weaker != formula && !is_left).then_some(weaker)
    }
}

/// The array below stores at known places.
fn base(terms: &gnomon_logic::Terms, mut array: Term) -> Term {
    while terms.op(array) == Op::Store && terms.value(terms.arg(array, 1)).is_some() {
        array = terms.arg(array, 0);
    }
    array
}
