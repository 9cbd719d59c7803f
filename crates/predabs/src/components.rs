//! Which formulas have to do with each other: those that share a symbol or a function, directly or
//! through others. A conjunction of formulas that share nothing has exactly the models that its
//! parts have, put together; so each part can be asked about alone.

use gnomon_logic::{Function, Op, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// What formulas can share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Name {
    Symbol(Symbol),
    Function(Function),
}

/// Formulas in groups.
#[derive(Clone, Debug, Default)]
pub struct Components {
    numbers: FxHashMap<Name, usize>,
    parents: Vec<usize>,
}

impl Components {
    /// Adds a formula: all that occurs in it is one group now.
    pub fn add(&mut self, terms: &mut Terms, formula: Term) {
        let mut group = None;
        for name in names(terms, formula) {
            let next = self.parents.len();
            let number = *self.numbers.entry(name).or_insert(next);
            if number == next {
                self.parents.push(next);
            }
            let root = self.root(number);
            match group {
                None => group = Some(root),
                Some(known) => {
                    let (low, high) = (root.min(known), root.max(known));
                    self.parents[high] = low;
                    group = Some(low);
                }
            }
        }
    }

    /// The group of a formula all of whose names were added in one; `None` if it has none.
    pub fn of(&self, terms: &mut Terms, formula: Term) -> Option<usize> {
        let name = names(terms, formula).into_iter().next()?;
        self.numbers.get(&name).map(|&number| self.root(number))
    }

    fn root(&self, mut number: usize) -> usize {
        while self.parents[number] != number {
            number = self.parents[number];
        }
        number
    }
}

fn names(terms: &mut Terms, formula: Term) -> Vec<Name> {
    let mut names: Vec<Name> =
        terms.free_symbols(formula).iter().map(|&symbol| Name::Symbol(symbol)).collect();
    for term in terms.subterms(&[formula]) {
        if let Op::Apply(function) = terms.op(term) {
            names.push(Name::Function(function));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_logic::{Scope, Sort};

    #[test]
    fn formulas_that_share_a_symbol_or_a_function_are_together() {
        let mut t = Terms::new();
        let [x, y, z, u, v] = ["x", "y", "z", "u", "v"].map(|name| {
            let variable = t.variable(name, Scope::Global, Sort::Int);
            t.var_at(variable, 0)
        });
        let zero = t.int(0);
        let (first, second, third) = (t.le(x, y), t.le(z, zero), t.le(y, z));
        let f = t.function("f", &[Sort::Int], Sort::Int);
        let (fu, fv) = (t.apply(f, &[u]), t.apply(f, &[v]));
        let (fourth, fifth) = (t.le(fu, zero), t.le(fv, zero));
        let mut groups = Components::default();
        groups.add(&mut t, first);
        groups.add(&mut t, second);
        assert_ne!(groups.of(&mut t, first), groups.of(&mut t, second));
        groups.add(&mut t, third);
        assert_eq!(groups.of(&mut t, first), groups.of(&mut t, second));
        groups.add(&mut t, fourth);
        groups.add(&mut t, fifth);
        assert_eq!(groups.of(&mut t, fourth), groups.of(&mut t, fifth), "u == v says f(u) == f(v)");
        assert_ne!(groups.of(&mut t, first), groups.of(&mut t, fourth));
    }
}
