//! One element of every array, instead of all of them.
//!
//! Invariants about arrays, and about objects that a loop allocates, speak about all elements.
//! Formulas without quantifiers cannot say that; but a proof for *one* element that nobody knows is
//! a proof for all (cell abstraction, Monniaux and Gonnord, SAS 2016). So each array variable of a
//! formula becomes two numbers: the *position* of the element that is looked at, which can be any
//! and never changes, and the *value* there. A read at another position gives any value, a write
//! to another position changes nothing. Whatever a run does, it also does in the abstraction, for
//! every position.
//!
//! That holds for every position, so one may be chosen for each error: the position at which the
//! block before the error reads. The choice is added to the formula of that block.
//!
//! Nothing but numbers is left, so interpolants, Horn clauses and simple invariants work as always.
//! What is proved is proved; what is reached may not be reachable.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_logic::term::Op;
use gnomon_logic::{Integer, Scope, Sort, Symbol, Term, Terms, Variable};
use rustc_hash::FxHashMap;

use crate::blocks::Block;
use crate::explore::End;

/// Which of the elements that the block before an error reads is the tracked one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The one whose read was met last.
    Last,
    /// The one whose read was met first.
    First,
}

/// What stands for an array in a proof: whatever the positions are, the value is what the array has
/// there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackedElement {
    /// The array variable.
    pub array: Variable,
    /// One for each dimension.
    pub positions: Vec<Term>,
    /// The value.
    pub value: Variable,
}

/// The tracked element of one array variable.
#[derive(Clone, Debug)]
struct Element {
    /// One for each dimension.
    positions: Vec<Variable>,
    value: Variable,
}

/// The tracked elements of all array variables met so far.
#[derive(Clone, Debug)]
pub struct TrackedElements {
    choice: Choice,
    elements: BTreeMap<Variable, Element>,
    /// Whether a block behind the first one reads an array.
    are_read: bool,
    /// How many elements the blocks of errors read, at most.
    alternatives: usize,
    /// The positions that were chosen in each block that ends in an error.
    choices: Vec<Vec<(Variable, Term)>>,
    /// Positions that others stand for.
    shared: FxHashMap<Term, Term>,
}

impl TrackedElements {
    /// None yet.
    pub fn new(choice: Choice) -> Self {
        Self {
            choice,
            elements: BTreeMap::new(),
            are_read: false,
            alternatives: 0,
            choices: Vec::new(),
            shared: FxHashMap::default(),
        }
    }

    /// Whether arrays matter at all: what only the first block reads, it has just initialised.
    pub fn are_read(&self) -> bool {
        self.are_read
    }

    /// Whether another choice could matter.
    pub fn has_alternatives(&self) -> bool {
        self.alternatives > 1
    }

    /// What positions can be in terms of others, so that fewer are left to reason about: those that
    /// lie at the same distance in all choices. To be asked when all blocks are known, and then to
    /// be put in place of the positions everywhere.
    pub fn share_positions(&mut self, terms: &mut Terms) -> &FxHashMap<Term, Term> {
        let mut shared: BTreeMap<Variable, (Variable, Integer)> = BTreeMap::new();
        let mut roots: Vec<Variable> = Vec::new();
        let positions: BTreeSet<Variable> =
            self.choices.iter().flatten().map(|(position, _)| *position).collect();
        for position in positions {
            let fitting = roots.iter().find_map(|&root| {
                let distance = self.distance(terms, root, position)?;
                shared.insert(position, (root, distance));
                let fits = self.is_consistent(terms, &shared);
                if !fits {
                    shared.remove(&position);
                }
                fits.then_some(())
            });
            if fitting.is_none() {
                roots.push(position);
            }
        }
        for (position, (root, distance)) in shared {
            let (old, root) = (terms.var_at(position, 0), terms.var_at(root, 0));
            self.shared.insert(old, terms.add_constant(root, distance));
        }
        &self.shared
    }

    /// What stands for every array, in terms without indices.
    pub fn list(&self, terms: &mut Terms) -> Vec<TrackedElement> {
        let mut list = Vec::with_capacity(self.elements.len());
        for (&array, Element { positions, value }) in &self.elements {
            let mut found = Vec::with_capacity(positions.len());
            for &position in positions {
                let own = terms.var_at(position, 0);
                let position = self.shared.get(&own).copied().unwrap_or(own);
                found.push(terms.without_indices(position));
            }
            list.push(TrackedElement { array, positions: found, value: *value });
        }
        list
    }

    /// How far a position lies behind another one in the first choice of both.
    fn distance(&self, terms: &mut Terms, from: Variable, to: Variable) -> Option<Integer> {
        let chosen = |all: &[(Variable, Term)], wanted: Variable| {
            all.iter().find(|(position, _)| *position == wanted).map(|(_, index)| *index)
        };
        let (a, b) = self.choices.iter().find_map(|c| Some((chosen(c, from)?, chosen(c, to)?)))?;
        if terms.sort(a) != Sort::Int || terms.sort(b) != Sort::Int {
            return None;
        }
        let difference = terms.sub(b, a);
        terms.value(difference).cloned()
    }

    /// Whether every choice can still be made.
    fn is_consistent(
        &self,
        terms: &mut Terms,
        shared: &BTreeMap<Variable, (Variable, Integer)>,
    ) -> bool {
        self.choices.iter().all(|choice| {
            let mut roots: BTreeMap<Variable, Term> = BTreeMap::new();
            choice.iter().all(|&(position, index)| {
                let (root, index) = match shared.get(&position) {
                    Some((root, distance)) => (*root, terms.add_constant(index, -distance.clone())),
                    None => (position, index),
                };
                *roots.entry(root).or_insert(index) == index
            })
        })
    }

    /// A block without arrays; `first` if executions begin with it.
    pub fn abstracted(&mut self, terms: &mut Terms, mut block: Block, first: bool) -> Block {
        let mut rewriting = Rewriting {
            tracked: self,
            done: FxHashMap::default(),
            any: FxHashMap::default(),
            only_positive: positive_equalities(terms, &[block.formula]),
            reads: BTreeMap::new(),
        };
        let formula = rewriting.scalar(terms, block.formula);
        rewriting.tracked.are_read |= !first && !rewriting.reads.is_empty();
        let chosen = match block.end {
            End::Error(_) => rewriting.chosen(terms),
            End::Control(_) | End::Stuck(_) => terms.tt(),
        };
        let after = block.after.renamed(|variable| self.value(terms, variable));
        block.formula = terms.and2(formula, chosen);
        block.after = after;
        block
    }

    /// What stands for a variable.
    fn value(&mut self, terms: &mut Terms, variable: Variable) -> Variable {
        match terms.variable_info(variable).sort {
            Sort::Array(_) => self.element(terms, variable).value,
            _ => variable,
        }
    }

    fn element(&mut self, terms: &mut Terms, variable: Variable) -> &Element {
        self.elements.entry(variable).or_insert_with(|| {
            let info = terms.variable_info(variable).clone();
            let (dimensions, scalar) = dimensions(terms, info.sort);
            let mut positions = Vec::with_capacity(dimensions.len());
            for (number, sort) in dimensions.into_iter().enumerate() {
                let name = format!("{}!at{number}", info.name);
                positions.push(terms.variable(&name, Scope::Global, sort));
            }
            let value = terms.variable(&format!("{}!value", info.name), info.scope, scalar);
            Element { positions, value }
        })
    }
}

/// The sorts of all indices of an array, and that of its elements.
fn dimensions(terms: &Terms, mut sort: Sort) -> (Vec<Sort>, Sort) {
    let mut indices = Vec::new();
    while let Sort::Array(array) = sort {
        let (index, element) = terms.array_parts(array);
        indices.push(index);
        sort = element;
    }
    (indices, sort)
}

fn is_array(terms: &Terms, term: Term) -> bool {
    matches!(terms.sort(term), Sort::Array(_))
}

/// The equations of arrays that stand under conjunctions and disjunctions only: what is weaker may
/// take their place.
fn positive_equalities(terms: &Terms, formulas: &[Term]) -> BTreeSet<Term> {
    let is_connective = |t: Term| matches!(terms.op(t), Op::And | Op::Or);
    let is_equation = |t: Term| terms.op(t) == Op::Eq && is_array(terms, terms.arg(t, 0));
    let mut positive = BTreeSet::new();
    let mut others = Vec::new();
    for term in terms.subterms_until(formulas, |t| !is_connective(t)) {
        if is_equation(term) {
            positive.insert(term);
        } else if !is_connective(term) {
            others.push(term);
        }
    }
    for term in terms.subterms(&others) {
        positive.remove(&term);
    }
    positive
}

/// A read: the index of every dimension.
type Indices = Vec<Term>;

/// One block on its way.
struct Rewriting<'a> {
    tracked: &'a mut TrackedElements,
    /// What became of reads and equations.
    done: FxHashMap<Term, Term>,
    /// What nobody knows, by what would have to be known: a scalar, or the element of an array at
    /// the position of a variable, from a dimension on.
    any: FxHashMap<(Term, Option<(Variable, usize)>), Term>,
    only_positive: BTreeSet<Term>,
    /// The reads of every array variable, by the order in which their terms were met.
    reads: BTreeMap<Variable, BTreeMap<Term, Indices>>,
}

impl Rewriting<'_> {
    /// A term without arrays in place of one that is no array.
    fn scalar(&mut self, terms: &mut Terms, root: Term) -> Term {
        terms.rebuild(root, |terms, term| {
            if let Some(&known) = self.done.get(&term) {
                return Some(known);
            }
            let replaced = match terms.op(term) {
                Op::Select => self.read(terms, term),
                Op::Eq if is_array(terms, terms.arg(term, 0)) => self.equation(terms, term),
                _ if terms.args(term).iter().any(|&arg| is_array(terms, arg)) => {
                    self.any(terms, term)
                }
                _ => return None,
            };
            self.done.insert(term, replaced);
            Some(replaced)
        })
    }

    /// Any value, always the same for one term.
    fn any(&mut self, terms: &mut Terms, term: Term) -> Term {
        self.any_of(terms, term, None)
    }

    /// Any value for an element of an array at a position of a variable, from a dimension on.
    fn any_of(
        &mut self,
        terms: &mut Terms,
        term: Term,
        position: Option<(Variable, usize)>,
    ) -> Term {
        *self.any.entry((term, position)).or_insert_with(|| {
            let (_, scalar) = dimensions(terms, terms.sort(term));
            let variable = terms.fresh_variable("any", scalar);
            terms.var(variable)
        })
    }

    fn position(&mut self, terms: &mut Terms, variable: Variable, level: usize) -> Term {
        let position = self.tracked.element(terms, variable).positions[level];
        terms.var_at(position, 0)
    }

    /// A read of a scalar.
    fn read(&mut self, terms: &mut Terms, select: Term) -> Term {
        let (array, index) = (terms.arg(select, 0), terms.arg(select, 1));
        let Some((variable, level)) = base(terms, array) else { return self.any(terms, select) };
        let index = self.scalar(terms, index);
        let mut indices = vec![index];
        let mut outer = array;
        for _ in 0..level {
            while terms.op(outer) == Op::Store {
                outer = terms.arg(outer, 0);
            }
            if terms.op(outer) != Op::Select {
                break;
            }
            let (next, index) = (terms.arg(outer, 0), terms.arg(outer, 1));
            indices.push(self.scalar(terms, index));
            outer = next;
        }
        indices.reverse();
        if indices.len() == level + 1 {
            self.reads.entry(variable).or_default().insert(select, indices);
        }
        let here = self.position(terms, variable, level);
        let is_tracked = terms.eq(index, here);
        let value = self.tracked_value(terms, array, variable, level);
        let other = self.any(terms, select);
        terms.ite(is_tracked, value, other)
    }

    /// The element of an array at the tracked position of a variable, from a dimension on.
    fn tracked_value(
        &mut self,
        terms: &mut Terms,
        mut array: Term,
        variable: Variable,
        level: usize,
    ) -> Term {
        let mut stores = Vec::new();
        while terms.op(array) == Op::Store {
            stores.push((terms.arg(array, 1), terms.arg(array, 2)));
            array = terms.arg(array, 0);
        }
        let mut value = match terms.op(array) {
            Op::Symbol(symbol) => self.symbol_value(terms, array, symbol, variable, level),
            Op::ConstArray(_) => {
                let element = terms.arg(array, 0);
                self.inner_value(terms, element, variable, level)
            }
            Op::Ite => {
                let [condition, then, other] = [0, 1, 2].map(|n| terms.arg(array, n));
                let condition = self.scalar(terms, condition);
                let then = self.tracked_value(terms, then, variable, level);
                let other = self.tracked_value(terms, other, variable, level);
                terms.ite(condition, then, other)
            }
            Op::Select if level > 0 && base(terms, array) == Some((variable, level)) => {
                let (outer, index) = (terms.arg(array, 0), terms.arg(array, 1));
                let index = self.scalar(terms, index);
                let here = self.position(terms, variable, level - 1);
                let is_tracked = terms.eq(index, here);
                let value = self.tracked_value(terms, outer, variable, level - 1);
                let other = self.any_of(terms, array, Some((variable, level)));
                terms.ite(is_tracked, value, other)
            }
            _ => self.any_of(terms, array, Some((variable, level))),
        };
        for (index, element) in stores.into_iter().rev() {
            let index = self.scalar(terms, index);
            let here = self.position(terms, variable, level);
            let is_tracked = terms.eq(index, here);
            let written = self.inner_value(terms, element, variable, level);
            value = terms.ite(is_tracked, written, value);
        }
        value
    }

    /// An element of an array: a scalar, or an array of fewer dimensions.
    fn inner_value(
        &mut self,
        terms: &mut Terms,
        element: Term,
        variable: Variable,
        level: usize,
    ) -> Term {
        if is_array(terms, element) {
            self.tracked_value(terms, element, variable, level + 1)
        } else {
            self.scalar(terms, element)
        }
    }

    fn symbol_value(
        &mut self,
        terms: &mut Terms,
        array: Term,
        symbol: Symbol,
        variable: Variable,
        level: usize,
    ) -> Term {
        if terms.variable_info(symbol.variable).scope == Scope::Auxiliary || level > 0 {
            return self.any_of(terms, array, Some((variable, level)));
        }
        let Element { positions, value } = self.tracked.element(terms, symbol.variable).clone();
        let value = terms.symbol(Symbol { variable: value, index: symbol.index });
        if symbol.variable == variable {
            return value;
        }
        // The element of another array is known if it is at the same position.
        let mut same = Vec::with_capacity(positions.len());
        for (level, position) in positions.into_iter().enumerate() {
            let (there, here) = (terms.var_at(position, 0), self.position(terms, variable, level));
            same.push(terms.eq(there, here));
        }
        let same = terms.and(&same);
        let other = self.any_of(terms, array, Some((variable, level)));
        terms.ite(same, value, other)
    }

    /// Equal arrays have equal elements.
    fn equation(&mut self, terms: &mut Terms, equation: Term) -> Term {
        let (left, right) = (terms.arg(equation, 0), terms.arg(equation, 1));
        let known = [left, right].into_iter().find_map(|side| base(terms, side));
        let (true, Some((variable, level))) = (self.only_positive.contains(&equation), known)
        else {
            return self.any(terms, equation);
        };
        let left = self.tracked_value(terms, left, variable, level);
        let right = self.tracked_value(terms, right, variable, level);
        terms.eq(left, right)
    }

    /// The tracked elements are some that were read.
    fn chosen(&mut self, terms: &mut Terms) -> Term {
        let mut conjuncts = Vec::new();
        let mut choice = Vec::new();
        for (variable, reads) in std::mem::take(&mut self.reads) {
            let different: BTreeSet<&Indices> = reads.values().collect();
            self.tracked.alternatives = self.tracked.alternatives.max(different.len());
            let indices = match self.tracked.choice {
                Choice::Last => reads.values().next_back(),
                Choice::First => reads.values().next(),
            };
            for (level, &index) in indices.into_iter().flatten().enumerate() {
                let position = self.tracked.element(terms, variable).positions[level];
                let here = terms.var_at(position, 0);
                conjuncts.push(terms.eq(index, here));
                choice.push((position, index));
            }
        }
        self.tracked.choices.push(choice);
        terms.and(&conjuncts)
    }
}

/// The variable that an array comes from, and the number of dimensions that were chosen already.
fn base(terms: &Terms, mut array: Term) -> Option<(Variable, usize)> {
    let mut level = 0;
    loop {
        match terms.op(array) {
            Op::Symbol(symbol) => {
                let scope = terms.variable_info(symbol.variable).scope;
                return (scope != Scope::Auxiliary).then_some((symbol.variable, level));
            }
            Op::Store => array = terms.arg(array, 0),
            Op::Select => {
                level += 1;
                array = terms.arg(array, 0);
            }
            Op::Ite => array = terms.arg(array, 1),
            _ => return None,
        }
    }
}
