//! Values at the entry of a function, as variables (AFP 5.2: symbolic constants of formals).
//!
//! What a function does is said by its values at the end *and* at its entry. For each variable that
//! a predicate needs at its entry value there is a ghost: a variable of the function that is never
//! written. Formulas need none: there, the value at the entry is a symbol of its own. So a ghost is
//! put in place of that symbol when a formula becomes a predicate, and taken out again by a
//! [`Reading`] when the predicate becomes a formula.

use gnomon_ir::program::FuncId;
use gnomon_logic::encode::Ssa;
use gnomon_logic::{Scope, Symbol, Term, Terms, Variable};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The ghosts that were needed so far.
#[derive(Clone, Debug, Default)]
pub struct Ghosts {
    ghost_of: FxHashMap<(FuncId, Variable), Variable>,
    original_of: FxHashMap<Variable, Variable>,
}

impl Ghosts {
    /// The ghost of a variable in a function.
    pub fn of(&mut self, terms: &mut Terms, func: FuncId, variable: Variable) -> Variable {
        if let Some(&known) = self.ghost_of.get(&(func, variable)) {
            return known;
        }
        let info = terms.variable_info(variable).clone();
        // A variable may have the name of a global one, or of one of another function.
        let name = match info.scope {
            Scope::Function(owner) if owner == func.0 => format!("old({})", info.name),
            Scope::Function(owner) => format!("old({owner}::{})", info.name),
            _ => format!("old(::{})", info.name),
        };
        let ghost = terms.variable(&name, Scope::Function(func.0), info.sort);
        self.ghost_of.insert((func, variable), ghost);
        self.original_of.insert(ghost, variable);
        ghost
    }

    /// All ghosts, with the variables that they belong to.
    pub fn originals(&self) -> BTreeMap<Variable, Variable> {
        self.original_of.iter().map(|(&ghost, &original)| (ghost, original)).collect()
    }

    /// The variable that a ghost belongs to.
    pub fn original(&self, ghost: Variable) -> Option<Variable> {
        self.original_of.get(&ghost).copied()
    }
}

/// How the variables of a predicate are read at one point of a formula.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The present values.
    pub present: Ssa,
    /// The values at the entry of the function, if the formula has them.
    pub entry: Option<Rc<Ssa>>,
}

impl Reading {
    /// In the middle of a function.
    pub fn inside(present: Ssa) -> Self {
        Self { present, entry: None }
    }

    /// In a function that was entered with known values.
    pub fn entered(present: Ssa, entry: Rc<Ssa>) -> Self {
        Self { present, entry: Some(entry) }
    }

    /// The symbol of a variable or ghost.
    pub fn symbol(&self, ghosts: &Ghosts, variable: Variable) -> Symbol {
        match (&self.entry, ghosts.original(variable)) {
            (Some(entry), Some(original)) => entry.symbol(original),
            (None, Some(_)) => Symbol { variable, index: Some(0) },
            (_, None) => self.present.symbol(variable),
        }
    }

    /// The predicate as a formula.
    pub fn instantiate(&self, terms: &mut Terms, ghosts: &Ghosts, predicate: Term) -> Term {
        terms.rebuild(predicate, |terms, term| {
            let symbol = terms.as_symbol(term)?;
            Some(terms.symbol(self.symbol(ghosts, symbol.variable)))
        })
    }

    /// A formula as a predicate of a function. `None` if it has values that are neither present nor
    /// those at the entry.
    pub fn generalise(
        &self,
        terms: &mut Terms,
        ghosts: &mut Ghosts,
        func: FuncId,
        formula: Term,
    ) -> Option<Term> {
        let mut map: FxHashMap<Symbol, Variable> = FxHashMap::default();
        for &symbol in terms.free_symbols(formula).iter() {
            let index = symbol.index?;
            let variable = if index == self.present.index(symbol.variable) {
                symbol.variable
            } else if self.entry.as_ref().is_some_and(|e| e.index(symbol.variable) == index) {
                ghosts.of(terms, func, symbol.variable)
            } else {
                return None;
            };
            map.insert(symbol, variable);
        }
        Some(terms.rebuild(formula, |terms, term| {
            let symbol = terms.as_symbol(term)?;
            map.get(&symbol).map(|&variable| terms.var(variable))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_logic::Sort;

    #[test]
    fn variables_of_the_same_name_have_ghosts_of_their_own() {
        let (mut terms, mut ghosts) = (Terms::new(), Ghosts::default());
        let scopes = [Scope::Function(0), Scope::Function(1), Scope::Global];
        let all = scopes.map(|scope| terms.variable("n", scope, Sort::Int));
        let made = all.map(|variable| ghosts.of(&mut terms, FuncId(0), variable));
        assert_eq!(made.map(|ghost| ghosts.original(ghost)), all.map(Some));
    }
}
