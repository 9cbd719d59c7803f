//! Walks over terms as graphs: substitution, free symbols, atoms.
//!
//! All are loops with an explicit stack and visit a shared subterm once, so that formulas of
//! hundreds of thousands of nodes and any depth are fine. The sets of free symbols and of atoms are
//! kept for every term they were asked for, and reused when it occurs in a larger one.

use super::arena::{Term, Terms};
use super::op::Op;
use super::sort::Sort;
use super::symbol::Symbol;
use gnomon_budget::{Budget, Exhausted};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

/// So many arguments are put together in about the time of a step.
const ARGUMENTS_OF_A_STEP: usize = 64;

impl Terms {
    /// The subterms of `roots`, each once, arguments before what uses them.
    pub fn subterms(&self, roots: &[Term]) -> Vec<Term> {
        self.subterms_until(roots, |_| false)
    }

    /// As [`Terms::subterms`], without what is below a term where `stop` holds.
    pub fn subterms_until(&self, roots: &[Term], stop: impl Fn(Term) -> bool) -> Vec<Term> {
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        let mut pending: Vec<Term> = roots.to_vec();
        while let Some(term) = pending.pop() {
            if seen.insert(term) {
                found.push(term);
                if !stop(term) {
                    pending.extend_from_slice(self.args(term));
                }
            }
        }
        // Arguments precede their users in the arena, so its order is a bottom-up order.
        found.sort_unstable();
        found
    }

    /// The number of distinct subterms.
    pub fn size(&self, root: Term) -> usize {
        self.subterms(&[root]).len()
    }

    /// The symbols that occur in a term, in increasing order.
    pub fn free_symbols(&mut self, root: Term) -> Arc<[Symbol]> {
        if let Some(set) = self.free_symbol_sets.get(&root) {
            return Arc::clone(set);
        }
        let mut symbols = BTreeSet::new();
        let known = |t: Term| self.is_ground(t) || self.free_symbol_sets.contains_key(&t);
        for term in self.subterms_until(&[root], known) {
            if let Some(set) = self.free_symbol_sets.get(&term) {
                symbols.extend(set.iter().copied());
            } else if let Op::Symbol(symbol) = self.op(term) {
                symbols.insert(symbol);
            }
        }
        let set: Arc<[Symbol]> = symbols.into_iter().collect();
        self.free_symbol_sets.insert(root, Arc::clone(&set));
        set
    }

    /// The atoms of a formula, in increasing order: Boolean subterms that are neither constants
    /// nor made of Boolean operators, not looking inside atoms.
    pub fn atoms(&mut self, root: Term) -> Arc<[Term]> {
        if let Some(set) = self.atom_sets.get(&root) {
            return Arc::clone(set);
        }
        let stop = |t: Term| self.is_atom(t) || self.atom_sets.contains_key(&t);
        let mut atoms = BTreeSet::new();
        for term in self.subterms_until(&[root], stop) {
            if self.is_atom(term) {
                atoms.insert(term);
            } else if let Some(set) = self.atom_sets.get(&term) {
                atoms.extend(set.iter().copied());
            }
        }
        let set: Arc<[Term]> = atoms.into_iter().collect();
        self.atom_sets.insert(root, Arc::clone(&set));
        set
    }

    /// Whether a Boolean term has no Boolean structure of its own.
    pub fn is_atom(&self, term: Term) -> bool {
        if self.sort(term) != Sort::Bool {
            return false;
        }
        match self.op(term) {
            Op::True | Op::False | Op::Not | Op::And | Op::Or | Op::Ite => false,
            Op::Eq => self.sort(self.arg(term, 0)) != Sort::Bool,
            _ => true,
        }
    }

    /// Whether a term is an atom or the negation of one.
    pub fn is_literal(&self, term: Term) -> bool {
        match self.op(term) {
            Op::Not => self.is_atom(self.arg(term, 0)),
            _ => self.is_atom(term),
        }
    }

    /// The conjuncts of a term (itself, if it is no conjunction; none of truth).
    pub fn conjuncts(&self, term: Term) -> Vec<Term> {
        let inner = |t: Term| self.op(t) == Op::And;
        let mut found = self.subterms_until(&[term], |t| !inner(t));
        found.retain(|&t| !inner(t) && t != self.tt());
        found
    }

    /// Replaces terms by terms of the same sort, everywhere and at once.
    pub fn substitute(&mut self, root: Term, map: &FxHashMap<Term, Term>) -> Term {
        self.rebuild(root, |_, term| map.get(&term).copied())
    }

    /// As [`Terms::substitute`], for formulas that may be as large as a program: steps are counted for
    /// what is put together anew, and it ends when there are no more.
    pub fn substitute_within(
        &mut self,
        root: Term,
        map: &FxHashMap<Term, Term>,
        budget: &Budget,
    ) -> Result<Term, Exhausted> {
        let replace = |_: &mut Self, term: Term| map.get(&term).copied();
        self.try_rebuild(root, replace, |terms, args| {
            // A sum that is compared with another one is read to its end.
            let below: usize = args.iter().map(|&arg| terms.args(arg).len()).sum();
            (0..=(args.len() + below) / ARGUMENTS_OF_A_STEP).try_for_each(|_| budget.check())
        })
    }

    /// Gives symbols new SSA indices: `index_of` says which index a symbol gets (`None` for the
    /// variable itself).
    pub fn reindex(&mut self, root: Term, index_of: impl Fn(Symbol) -> Option<u32>) -> Term {
        self.rebuild(root, |terms, term| {
            let symbol = terms.as_symbol(term)?;
            let index = index_of(symbol);
            Some(terms.symbol(Symbol { index, ..symbol }))
        })
    }

    /// A predicate over variables as a formula at a place of a path: `index_of` gives the SSA
    /// index each variable has there. Symbols that have an index already keep it.
    pub fn instantiate(
        &mut self,
        predicate: Term,
        index_of: impl Fn(super::Variable) -> u32,
    ) -> Term {
        self.reindex(predicate, |symbol| symbol.index.or_else(|| Some(index_of(symbol.variable))))
    }

    /// A formula at a place of a path as a predicate over variables. Two indices of one variable
    /// would become one: the caller makes sure that each variable occurs with one index only.
    pub fn without_indices(&mut self, formula: Term) -> Term {
        self.reindex(formula, |_| None)
    }

    /// Rebuilds a term bottom-up: where `replace` gives a term, it is taken (and not looked into),
    /// elsewhere the operator is applied to the rebuilt arguments.
    pub fn rebuild(
        &mut self,
        root: Term,
        replace: impl FnMut(&mut Self, Term) -> Option<Term>,
    ) -> Term {
        let Ok(rebuilt) = self.try_rebuild(root, replace, |_, _| Ok::<(), Infallible>(()));
        rebuilt
    }

    /// As [`Terms::rebuild`]; `may_apply` is asked before an operator is applied to new arguments.
    fn try_rebuild<E>(
        &mut self,
        root: Term,
        mut replace: impl FnMut(&mut Self, Term) -> Option<Term>,
        mut may_apply: impl FnMut(&Self, &[Term]) -> Result<(), E>,
    ) -> Result<Term, E> {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        let mut pending = vec![root];
        let mut rebuilt_args = Vec::new();
        while let Some(&term) = pending.last() {
            if done.contains_key(&term) {
                pending.pop();
                continue;
            }
            if let Some(replacement) = replace(self, term) {
                done.insert(term, replacement);
                pending.pop();
                continue;
            }
            let waiting = pending.len();
            rebuilt_args.clear();
            for &arg in self.args(term) {
                match done.get(&arg) {
                    Some(&rebuilt) => rebuilt_args.push(rebuilt),
                    None => pending.push(arg),
                }
            }
            if pending.len() > waiting {
                continue;
            }
            let op = self.op(term);
            let result = if rebuilt_args == self.args(term) {
                term
            } else {
                may_apply(self, &rebuilt_args)?;
                self.make(op, &rebuilt_args)
            };
            done.insert(term, result);
            pending.pop();
        }
        Ok(done.get(&root).copied().unwrap_or(root))
    }
}
