//! Rules for arrays: reads are moved past writes whose index is known to be the same or different.

use crate::Integer;
use crate::term::op::Op;
use crate::term::rewrite::Rule;
use crate::term::sort::Sort;
use crate::term::{Term, Terms};

impl Terms {
    pub(in crate::term) fn simplify_array(
        &mut self,
        op: Op,
        args: &[Term],
    ) -> Option<(Rule, Term)> {
        match (op, args) {
            (Op::Select, &[array, index]) => self.simplify_select(array, index),
            (Op::Store, &[array, index, value]) => {
                if self.op(array) == Op::Store && self.arg(array, 1) == index {
                    let inner = self.arg(array, 0);
                    return Some((Rule::StoreStore, self.make(Op::Store, &[inner, index, value])));
                }
                let reads_back =
                    self.op(value) == Op::Select && *self.args(value) == [array, index];
                reads_back.then_some((Rule::StoreSelect, array))
            }
            _ => None,
        }
    }

    fn simplify_select(&mut self, array: Term, index: Term) -> Option<(Rule, Term)> {
        // A loop and not a recursion: the writes to one array of a long path form a long chain.
        let mut base = array;
        while self.op(base) == Op::Store && self.differ(self.arg(base, 1), index) {
            base = self.arg(base, 0);
        }
        if base != array {
            return Some((Rule::SelectStoreOther, self.make(Op::Select, &[base, index])));
        }
        match self.op(base) {
            Op::Store if self.arg(base, 1) == index => {
                Some((Rule::SelectStoreSame, self.arg(base, 2)))
            }
            Op::ConstArray(_) => Some((Rule::SelectConstArray, self.arg(base, 0))),
            _ => None,
        }
    }

    /// Whether two terms differ by a known amount other than zero.
    pub fn differ(&self, a: Term, b: Term) -> bool {
        match self.sort(a) {
            Sort::BitVec(_) => self.value(a).is_some() && self.value(b).is_some() && a != b,
            Sort::Int => {
                let difference = self.linear(a).add_scaled(&self.linear(b), &-Integer::ONE);
                difference.is_constant() && difference.constant != Integer::ZERO
            }
            _ => false,
        }
    }
}
