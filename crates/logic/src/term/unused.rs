//! Definitions that nobody uses.
//!
//! The initial values of a program are thousands of equations, of which a path reads a few. An
//! equation `x = t` can be left out if `x` occurs nowhere else: whatever `t` is, there is a value for
//! `x`. So satisfiability stays as it is, and with it what follows for all other symbols.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Op, Symbol, Term, Terms};

impl Terms {
    /// The formulas without equations that define a symbol which occurs nowhere else in them, and
    /// is not wanted.
    pub fn without_unused(&mut self, formulas: &[Term], wanted: &FxHashSet<Symbol>) -> Vec<Term> {
        let mut parts: Vec<Vec<Option<Term>>> = Vec::with_capacity(formulas.len());
        let mut uses: FxHashMap<Symbol, u32> = FxHashMap::default();
        let mut defined: FxHashMap<Symbol, Vec<(usize, usize)>> = FxHashMap::default();
        for (number, &formula) in formulas.iter().enumerate() {
            let conjuncts = self.conjuncts(formula);
            for (at, &conjunct) in conjuncts.iter().enumerate() {
                for &symbol in self.free_symbols(conjunct).iter() {
                    *uses.entry(symbol).or_default() += 1;
                }
                for symbol in self.defined_by(conjunct) {
                    defined.entry(symbol).or_default().push((number, at));
                }
            }
            parts.push(conjuncts.into_iter().map(Some).collect());
        }
        let is_unused = |symbol: &Symbol, uses: &FxHashMap<Symbol, u32>| {
            uses.get(symbol) == Some(&1) && !wanted.contains(symbol)
        };
        let mut work: Vec<Symbol> =
            defined.keys().filter(|s| is_unused(s, &uses)).copied().collect();
        while let Some(symbol) = work.pop() {
            for &(number, at) in defined.get(&symbol).into_iter().flatten() {
                // Another equation with it may be gone already.
                let Some(conjunct) = parts[number][at].take() else { continue };
                for &freed in self.free_symbols(conjunct).iter() {
                    if let Some(count) = uses.get_mut(&freed) {
                        *count -= 1;
                    }
                    if defined.contains_key(&freed) && is_unused(&freed, &uses) {
                        work.push(freed);
                    }
                }
            }
        }
        let kept = parts.into_iter().map(|parts| parts.into_iter().flatten().collect());
        let kept: Vec<Vec<Term>> = kept.collect();
        kept.iter().map(|conjuncts| self.and(conjuncts)).collect()
    }

    /// The symbols that an equation defines: one of its sides, which is not in the other.
    fn defined_by(&mut self, conjunct: Term) -> Vec<Symbol> {
        if self.op(conjunct) != Op::Eq {
            return Vec::new();
        }
        let sides = [self.arg(conjunct, 0), self.arg(conjunct, 1)];
        let mut found = Vec::new();
        for (side, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
            if let Some(symbol) = self.as_symbol(side)
                && !self.free_symbols(other).contains(&symbol)
            {
                found.push(symbol);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Scope, Sort};

    #[test]
    fn what_is_used_stays() {
        let mut terms = Terms::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| {
            let variable = terms.variable(name, Scope::Global, Sort::Int);
            terms.var_at(variable, 0)
        });
        let (one, two) = (terms.int(1), terms.int(2));
        // a = 1, b from a, c = max(a, b), d = 2; then c <= 2 in another formula.
        let is_small = terms.make(Op::Le, &[a, one]);
        let after_a = terms.ite(is_small, two, one);
        let is_more = terms.make(Op::Le, &[a, b]);
        let most = terms.ite(is_more, b, a);
        let equations =
            [terms.eq(a, one), terms.eq(b, after_a), terms.eq(c, most), terms.eq(d, two)];
        let first = terms.and(&equations);
        let second = terms.make(Op::Le, &[c, two]);
        let nobody = FxHashSet::default();
        let kept = terms.without_unused(&[first, second], &nobody);
        assert_eq!(kept, [terms.and(&equations[..3]), second]);
        // Without the second formula nothing is used, unless it is wanted.
        assert_eq!(terms.without_unused(&[first], &nobody), [terms.tt()]);
        let wanted = terms.free_symbols(b).iter().copied().collect();
        assert_eq!(terms.without_unused(&[first], &wanted), [terms.and(&equations[..2])]);
        // x = 1 and x = 2 say something of x.
        let (is_one, is_two) = (terms.eq(a, one), terms.eq(a, two));
        let both = terms.and(&[is_one, is_two]);
        assert_eq!(terms.without_unused(&[both], &nobody), [both]);
    }
}
