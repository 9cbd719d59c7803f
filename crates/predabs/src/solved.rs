//! Conjunctions of literals, solved for as many symbols as possible.
//!
//! On a single path almost everything is an assignment: `x@1 == x@0 + 1`, `state@3 == 8496`. Each is
//! solved for a symbol, and what is left speaks about the values before the path, inputs, and what
//! could not be solved. Most predicates behind a path are then true, false or a predicate before it
//! by mere rewriting, without a solver.

use gnomon_logic::{Integer, Linear, Op, Relation, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// A conjunction, as values of symbols and literals over the others.
#[derive(Clone, Debug, Default)]
pub struct Solved {
    /// The values; no symbol that has one occurs in any.
    values: FxHashMap<Term, Term>,
    /// What is left, in increasing order, over symbols without a value.
    pub rest: Vec<Term>,
}

impl Solved {
    /// Solves a conjunction of literals. What is defined is best defined by an earlier literal than
    /// the one that uses it.
    pub fn new(terms: &mut Terms, literals: &[Term]) -> Self {
        let mut solved = Self::default();
        let mut left = Vec::new();
        for &literal in literals {
            let literal = solved.apply(terms, literal);
            match solution(terms, literal) {
                Some((symbol, value)) => solved.define(terms, symbol, value),
                None => left.push(literal),
            }
        }
        // Once more, since what was left first may be decided by what came behind it.
        for literal in left {
            let literal = solved.apply(terms, literal);
            match solution(terms, literal) {
                Some((symbol, value)) => solved.define(terms, symbol, value),
                None if literal == terms.tt() => {}
                None => solved.rest.push(literal),
            }
        }
        for at in 0..solved.rest.len() {
            solved.rest[at] = solved.apply(terms, solved.rest[at]);
        }
        solved.rest.retain(|&literal| literal != terms.tt());
        solved.rest.sort_unstable();
        solved.rest.dedup();
        solved
    }

    /// A term with values in place of symbols.
    pub fn apply(&self, terms: &mut Terms, term: Term) -> Term {
        if self.values.is_empty() { term } else { terms.substitute(term, &self.values) }
    }

    /// Whether a term that values were put into is true or false by what is left, as far as that is
    /// plain.
    pub fn truth(&self, terms: &mut Terms, atom: Term) -> Option<bool> {
        if atom == terms.tt() || atom == terms.ff() {
            return Some(atom == terms.tt());
        }
        let not = terms.not(atom);
        if self.rest.binary_search(&atom).is_ok() {
            Some(true)
        } else if self.rest.binary_search(&not).is_ok() {
            Some(false)
        } else {
            None
        }
    }

    fn define(&mut self, terms: &mut Terms, symbol: Symbol, value: Term) {
        let defined = terms.symbol(symbol);
        let alone: FxHashMap<Term, Term> = [(defined, value)].into_iter().collect();
        for known in self.values.values_mut() {
            if terms.free_symbols(*known).binary_search(&symbol).is_ok() {
                *known = terms.substitute(*known, &alone);
            }
        }
        self.values.insert(defined, value);
    }
}

/// A symbol that a literal defines, with its value. Of several the latest: values before a path stay
/// as they are where possible.
fn solution(terms: &mut Terms, literal: Term) -> Option<(Symbol, Term)> {
    let is_bool = |terms: &Terms, term: Term| terms.sort(term) == Sort::Bool;
    match terms.op(literal) {
        Op::Symbol(symbol) if is_bool(terms, literal) => Some((symbol, terms.tt())),
        Op::Not => {
            let symbol = terms.as_symbol(terms.arg(literal, 0))?;
            Some((symbol, terms.ff()))
        }
        Op::Eq => match terms.linear_atom(literal) {
            Some((linear, Relation::EqZero)) => {
                let is_unit = |c: &Integer| *c == Integer::ONE || *c == -Integer::ONE;
                let mut best: Option<(Symbol, Term, Integer)> = None;
                for (term, coefficient) in &linear.monomials {
                    let Some(symbol) = terms.as_symbol(*term).filter(|_| is_unit(coefficient))
                    else {
                        continue;
                    };
                    if best.as_ref().is_none_or(|(known, ..)| is_later(symbol, *known)) {
                        best = Some((symbol, *term, coefficient.clone()));
                    }
                }
                let (symbol, term, coefficient) = best?;
                // symbol = -rest / coefficient, and the coefficient is 1 or -1.
                let mut rest = linear.add_scaled(&Linear::of(term), &-coefficient.clone());
                rest = rest.scaled(&-coefficient);
                let value = terms.from_linear(&rest);
                let occurs = terms.free_symbols(value).binary_search(&symbol).is_ok();
                (!occurs).then_some((symbol, value))
            }
            _ => {
                let sides = [terms.arg(literal, 0), terms.arg(literal, 1)];
                let mut best: Option<(Symbol, Term)> = None;
                for (side, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
                    let Some(symbol) = terms.as_symbol(side) else { continue };
                    let occurs = terms.free_symbols(other).binary_search(&symbol).is_ok();
                    if !occurs && best.is_none_or(|(known, _)| is_later(symbol, known)) {
                        best = Some((symbol, other));
                    }
                }
                best
            }
        },
        _ => None,
    }
}

fn is_later(a: Symbol, b: Symbol) -> bool {
    // What has no index is private to the path: later than everything.
    let order = |symbol: Symbol| (symbol.index.unwrap_or(u32::MAX), symbol.variable);
    order(a) > order(b)
}
