//! Terms of one arena in another.
//!
//! Engines have arenas of their own; what one tells another is taken over by name. Variables of the
//! program have the same name, scope and sort wherever the program is encoded in the same theory.

use super::arena::{Term, Terms};
use super::op::Op;
use super::sort::Sort;
use super::symbol::{Scope, Symbol};
use rustc_hash::FxHashMap;

impl Terms {
    /// A formula of another arena, over variables of the program. `None` if it speaks about
    /// something that only the other arena knows: auxiliary variables, arrays, functions.
    pub fn import(&mut self, other: &Terms, root: Term) -> Option<Term> {
        let mut taken: FxHashMap<Term, Term> = FxHashMap::default();
        for term in other.subterms(&[root]) {
            if !matches!(other.sort(term), Sort::Bool | Sort::Int | Sort::BitVec(_)) {
                return None;
            }
            let own = match other.op(term) {
                Op::Symbol(symbol) => {
                    let info = other.variable_info(symbol.variable);
                    if info.scope == Scope::Auxiliary {
                        return None;
                    }
                    let variable = self.variable(&info.name, info.scope, info.sort);
                    self.symbol(Symbol { variable, index: symbol.index })
                }
                Op::Int(number) => self.int(other.number(number).clone()),
                Op::BitVec(number) => self.bv(other.number(number).clone(), other.width(term)),
                Op::Apply(_) => return None,
                op => {
                    let args: Vec<Term> = other.args(term).iter().map(|arg| taken[arg]).collect();
                    self.make(op, &args)
                }
            };
            taken.insert(term, own);
        }
        taken.get(&root).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_taken_over_by_name() {
        let mut there = Terms::new();
        let x = there.variable("x", Scope::Function(3), Sort::Int);
        let (x, two) = (there.var(x), there.int(2));
        let sum = there.add(x, two);
        let atom = there.le(sum, x);
        let other = there.variable("y", Scope::Global, Sort::Int);
        let (other, ten) = (there.var(other), there.int(10));
        let equal = there.eq(other, ten);
        let both = there.or(&[atom, equal]);
        let mut here = Terms::new();
        // Numbers of variables differ.
        here.variable("y", Scope::Global, Sort::Int);
        let taken = here.import(&there, both).expect("all of it is known by name");
        assert_eq!(here.display(taken).to_string(), there.display(both).to_string());
        assert_eq!(here.import(&there, both), Some(taken));
    }

    #[test]
    fn what_one_arena_alone_knows_stays_there() {
        let mut there = Terms::new();
        let auxiliary = there.fresh_variable("wrap", Sort::Int);
        let (auxiliary, zero) = (there.var(auxiliary), there.int(0));
        let atom = there.eq(auxiliary, zero);
        assert_eq!(Terms::new().import(&there, atom), None);
    }
}
