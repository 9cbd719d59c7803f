//! Candidates about all positions, from the shape of loops.
//!
//! 1. *Properties*: what excludes an error that reads arrays, with positions in place of the counters
//!    in its indices. Where a counter begins (`lo`) bounds its position.
//! 2. What makes a property true in a loop before: behind a write to the element at hand it is a property
//!    of what was written (weakest preconditions, with the position in place of that loop's counter).
//! 3. *Borders* at each cut point: a position is before or behind a counter, or an index at which is
//!    written; with two positions, in the order of nested loops.
//! 4. *Tests* of the scalars on which the way out of a loop depends.
//!
//! A candidate is: border, and perhaps a test, imply a property.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_logic::number::power_of_two;
use gnomon_logic::term::Op;
use gnomon_logic::{Scope, Sort, Term, Terms, Variable};
use rustc_hash::FxHashMap;

use super::{Forbidden, Instance, Passage, Solved};
use crate::control::ControlId;
use crate::unwinding::Unwinder;

/// Larger conditions of errors, and larger properties, are not looked at.
const LARGEST_ERROR: usize = 500;
const LARGEST_PROPERTY: usize = 120;
/// At most so many properties, borders for one position at a cut point, tests at a cut point,
/// positions of a property, and instances.
const MOST_PROPERTIES: usize = 14;
const MOST_BORDERS: usize = 7;
const MOST_TESTS: usize = 4;
const MOST_POSITIONS: usize = 3;
const MOST_INSTANCES: usize = 14;
/// How many loops lie between a write and the assertion about it, at most.
const MOST_ROUNDS: usize = 4;

/// What was guessed, without indices.
pub struct Guesses {
    pub candidates: BTreeMap<ControlId, Vec<Term>>,
    pub positions: Vec<Variable>,
    pub instances: Vec<Instance>,
}

/// A property of the elements at some positions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Property {
    formula: Term,
    positions: Vec<Variable>,
}

/// Whether a formula reads arrays.
pub fn reads(terms: &Terms, formula: Term) -> bool {
    terms.subterms(&[formula]).iter().any(|&t| terms.op(t) == Op::Select)
}

/// Candidates of a kind; `None` if there are no more kinds.
pub fn candidates(
    unwinder: &mut Unwinder<'_>,
    passages: &[Passage],
    forbidden: &[Forbidden],
    places: &[ControlId],
    solved: &[Solved],
    kind: usize,
) -> Option<Guesses> {
    if kind > 1 {
        return None;
    }
    let shape = Shape::new(unwinder, passages, places);
    let mut guess = Guess { unwinder, passages, shape, positions: BTreeMap::new() };
    let mut properties = guess.properties(forbidden, solved);
    guess.go_back(&mut properties);
    if properties.is_empty() {
        return None;
    }
    let instances = guess.instances(forbidden);
    let mut candidates: BTreeMap<ControlId, Vec<Term>> = BTreeMap::new();
    for &place in places {
        let tests = if kind == 0 { Vec::new() } else { guess.tests(place) };
        for property in &properties {
            let own = guess.of_property(place, property, &tests);
            candidates.entry(place).or_default().extend(own);
        }
    }
    let positions = guess.positions.into_values().collect();
    Some(Guesses { candidates, positions, instances })
}

/// What is known of loops.
struct Shape {
    /// The cut points that lie on a loop with each, itself only if there is a way back.
    together: BTreeMap<ControlId, BTreeSet<ControlId>>,
    /// The variables that are assigned in the loops through a cut point.
    changed: BTreeMap<ControlId, BTreeSet<Variable>>,
}

impl Shape {
    fn new(unwinder: &mut Unwinder<'_>, passages: &[Passage], places: &[ControlId]) -> Self {
        let mut reach: BTreeMap<ControlId, BTreeSet<ControlId>> = BTreeMap::new();
        for &place in places {
            let mut seen = BTreeSet::new();
            let mut work = vec![place];
            while let Some(at) = work.pop() {
                for passage in passages.iter().filter(|p| p.from == Some(at)) {
                    if seen.insert(passage.to) {
                        work.push(passage.to);
                    }
                }
            }
            reach.insert(place, seen);
        }
        let mut together = BTreeMap::new();
        for &place in places {
            let back = |other: &&ControlId| reach[*other].contains(&place);
            let own: BTreeSet<ControlId> = reach[&place].iter().filter(back).copied().collect();
            together.insert(place, own);
        }
        let mut changed: BTreeMap<ControlId, BTreeSet<Variable>> = BTreeMap::new();
        for &place in places {
            let own = changed.entry(place).or_default();
            let inside = |p: &&Passage| {
                p.from.is_some_and(|f| together[&place].contains(&f))
                    && together[&place].contains(&p.to)
            };
            for passage in passages.iter().filter(inside) {
                for (variable, value) in passage.state.assigned() {
                    if value != unwinder.terms.var_at(variable, 0) {
                        own.insert(variable);
                    }
                }
            }
        }
        Self { together, changed }
    }
}

struct Guess<'a, 'p> {
    unwinder: &'a mut Unwinder<'p>,
    passages: &'a [Passage],
    shape: Shape,
    /// By width and number.
    positions: BTreeMap<(u32, usize), Variable>,
}

fn width(terms: &Terms, variable: Variable) -> Option<u32> {
    match terms.variable_info(variable).sort {
        Sort::BitVec(width) => Some(width),
        _ => None,
    }
}

/// Whether all symbols are those of the program.
fn is_of_program(terms: &mut Terms, formula: Term) -> bool {
    let symbols = terms.free_symbols(formula);
    symbols.iter().all(|s| terms.variable_info(s.variable).scope != Scope::Auxiliary)
}

fn has(terms: &Terms, formula: Term, wanted: impl Fn(Op) -> bool) -> bool {
    terms.subterms(&[formula]).iter().any(|&t| wanted(terms.op(t)))
}

/// The indices at which arrays are read in formulas, or written.
fn indices(terms: &Terms, roots: &[Term], op: Op) -> Vec<Term> {
    let found = terms.subterms(roots).into_iter().filter(|&t| terms.op(t) == op);
    let mut indices: Vec<Term> = found.map(|t| terms.arg(t, 1)).collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

impl Guess<'_, '_> {
    fn position(&mut self, width: u32, number: usize) -> Variable {
        let terms = &mut self.unwinder.terms;
        *self.positions.entry((width, number)).or_insert_with(|| {
            terms.variable(&format!("k{number}!{width}"), Scope::Global, Sort::BitVec(width))
        })
    }

    /// What excludes errors, of all positions.
    fn properties(&mut self, forbidden: &[Forbidden], solved: &[Solved]) -> Vec<Property> {
        let mut properties: Vec<Property> = Vec::new();
        for &Forbidden { from, whole } in forbidden {
            let Some(place) = from else { continue };
            if self.unwinder.terms.size(whole) > LARGEST_ERROR {
                continue;
            }
            let whole = self.without_followers(place, whole, solved);
            for property in self.of_error(place, whole) {
                if !properties.contains(&property) {
                    properties.push(property);
                }
            }
        }
        properties.truncate(MOST_PROPERTIES);
        properties
    }

    /// The condition of an error with counters that others determine replaced by these.
    fn without_followers(&mut self, place: ControlId, whole: Term, solved: &[Solved]) -> Term {
        let control = self.unwinder.explorer.space.get(place);
        let terms = &mut self.unwinder.terms;
        let in_indices = indices(terms, &[whole], Op::Select);
        let mut used: BTreeSet<Variable> = BTreeSet::new();
        for index in in_indices {
            used.extend(terms.free_symbols(index).iter().map(|s| s.variable));
        }
        let mut map: FxHashMap<Term, Term> = FxHashMap::default();
        let changed = &self.shape.changed[&place];
        for known in solved.iter().filter(|s| (s.func, s.loc) == (control.func, control.loc)) {
            let symbols = terms.free_symbols(known.value);
            let by_counters = symbols.iter().any(|s| used.contains(&s.variable));
            if changed.contains(&known.variable) && !used.contains(&known.variable) && by_counters {
                let value = terms.reindex(known.value, |s| s.index.or(Some(0)));
                let at = terms.var_at(known.variable, 0);
                map.entry(at).or_insert(value);
            }
        }
        if map.is_empty() { whole } else { terms.substitute(whole, &map) }
    }

    /// What excludes an error, with positions in place of counters.
    fn of_error(&mut self, place: ControlId, whole: Term) -> Vec<Property> {
        let terms = &mut self.unwinder.terms;
        let changed = self.shape.changed[&place].clone();
        let mut counters: Vec<Variable> = Vec::new();
        for index in indices(terms, &[whole], Op::Select) {
            for symbol in terms.free_symbols(index).iter() {
                let variable = symbol.variable;
                let is_number = width(terms, variable).is_some();
                if is_number && changed.contains(&variable) && !counters.contains(&variable) {
                    counters.push(variable);
                }
            }
        }
        if counters.len() > MOST_POSITIONS {
            return Vec::new();
        }
        // Those of outer loops first: they are assigned at fewer places.
        let assigned = |variable: &Variable| {
            let same = |p: &&Passage| {
                self.shape.together[&place].contains(&p.to)
                    && p.state.assigned().any(|(v, _)| v == *variable)
            };
            self.passages.iter().filter(same).count()
        };
        counters.sort_by_key(|v| (assigned(v), *v));
        let mut map: FxHashMap<Term, Term> = FxHashMap::default();
        let mut positions = Vec::new();
        let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
        for &counter in &counters {
            let Some(width) = width(&self.unwinder.terms, counter) else { continue };
            let number = numbers.entry(width).or_default();
            let position = self.position(width, *number);
            *number += 1;
            positions.push(position);
            let terms = &mut self.unwinder.terms;
            let (at, value) = (terms.var_at(counter, 0), terms.var(position));
            map.insert(at, value);
        }
        let mut domain = Vec::new();
        for (&counter, &position) in counters.iter().zip(&positions) {
            domain.push(self.domain(place, counter, position, &map));
        }
        let terms = &mut self.unwinder.terms;
        // As it is, and without what says something about other counters.
        let mut wholes = vec![whole];
        let conjuncts = terms.conjuncts(whole);
        let kept: Vec<Term> = conjuncts
            .iter()
            .copied()
            .filter(|&c| {
                let symbols = terms.free_symbols(c);
                let other = |v: Variable| changed.contains(&v) && !counters.contains(&v);
                !symbols.iter().any(|s| other(s.variable) && width(terms, s.variable).is_some())
            })
            .collect();
        if kept.len() < conjuncts.len() {
            wholes.push(terms.and(&kept));
        }
        let mut properties = Vec::new();
        for whole in wholes {
            if !is_of_program(terms, whole) || has(terms, whole, |op| op == Op::Store) {
                continue;
            }
            let error = terms.substitute(whole, &map);
            let mut parts: Vec<Term> = domain.iter().map(|&inside| terms.not(inside)).collect();
            parts.push(terms.not(error));
            let formula = terms.or(&parts);
            let formula = terms.without_indices(formula);
            if formula != terms.tt() && terms.size(formula) <= LARGEST_PROPERTY {
                properties.push(Property { formula, positions: positions.clone() });
            }
        }
        properties
    }

    /// Where a counter's position begins.
    fn domain(
        &mut self,
        place: ControlId,
        counter: Variable,
        position: Variable,
        map: &FxHashMap<Term, Term>,
    ) -> Term {
        let terms = &mut self.unwinder.terms;
        let own = terms.var_at(counter, 0);
        let at = terms.var(position);
        let mut starts: Vec<Term> = Vec::new();
        let mut goes_down = false;
        for passage in self.passages {
            if !self.shape.together[&place].contains(&passage.to) {
                continue;
            }
            let assigned = passage.state.assigned().find(|(v, _)| *v == counter);
            let Some((_, value)) = assigned else { continue };
            if terms.free_symbols(value).iter().any(|s| s.variable == counter) {
                let difference = terms.bv_sub(value, own);
                let half = power_of_two(terms.width(own) - 1);
                goes_down |= terms.value(difference).is_some_and(|d| *d >= half);
            } else if !starts.contains(&value) {
                starts.push(value);
            }
        }
        let width = terms.width(own);
        let zero = terms.bv(0, width);
        let start = match starts[..] {
            [start] if is_of_program(terms, start) && !reads(terms, start) => start,
            _ => zero,
        };
        let start = terms.substitute(start, map);
        match goes_down && start != zero {
            true => terms.bv_sle(at, start),
            false => terms.bv_sle(start, at),
        }
    }

    /// Adds what makes properties true in loops before.
    fn go_back(&mut self, properties: &mut Vec<Property>) {
        let mut next = 0;
        for _ in 0..MOST_ROUNDS {
            let end = properties.len();
            for number in next..end {
                let property = properties[number].clone();
                for at in 0..self.passages.len() {
                    for formula in self.before(at, &property) {
                        let found = Property { formula, positions: property.positions.clone() };
                        if properties.len() < MOST_PROPERTIES && !properties.contains(&found) {
                            properties.push(found);
                        }
                    }
                }
            }
            next = end;
        }
    }

    /// What makes a property true behind a passage that writes the elements at hand.
    fn before(&mut self, at: usize, property: &Property) -> Vec<Term> {
        let passage = &self.passages[at];
        let Unwinder { executor, terms, .. } = &mut *self.unwinder;
        let behind = executor.value_of(terms, &passage.state, property.formula);
        let written = indices(terms, &[behind], Op::Store);
        if written.is_empty() || terms.size(behind) > LARGEST_ERROR {
            return Vec::new();
        }
        let mut counters: Vec<Variable> = Vec::new();
        for index in written {
            for symbol in terms.free_symbols(index).iter() {
                let is_new = !counters.contains(&symbol.variable);
                if is_new && !property.positions.contains(&symbol.variable) {
                    counters.push(symbol.variable);
                }
            }
        }
        counters.retain(|&v| width(terms, v).is_some());
        let mut found = Vec::new();
        for assignment in assignments(terms, &counters, &property.positions) {
            let mut map: FxHashMap<Term, Term> = FxHashMap::default();
            for (counter, position, distance) in assignment {
                let own = terms.var_at(counter, 0);
                let position = terms.var_at(position, 0);
                let distance = terms.bv(distance, terms.width(own));
                map.insert(own, terms.bv_add(position, distance));
            }
            let before = terms.substitute(behind, &map);
            if has(terms, before, |op| op == Op::Store) || !is_of_program(terms, before) {
                continue;
            }
            let before = terms.without_indices(before);
            let is_new = before != terms.tt() && before != terms.ff() && before != property.formula;
            if is_new && terms.size(before) <= LARGEST_PROPERTY && !found.contains(&before) {
                found.push(before);
            }
        }
        found
    }

    /// The indices at which the ways from a cut point write, as numbers of a width.
    fn written_from(&mut self, place: ControlId, wanted: u32) -> Vec<Term> {
        let terms = &mut self.unwinder.terms;
        let from_here = self.passages.iter().filter(|p| p.from == Some(place));
        let values: Vec<Term> =
            from_here.flat_map(|p| p.state.assigned().map(|(_, value)| value)).collect();
        let mut written: Vec<Term> = Vec::new();
        for index in indices(terms, &values, Op::Store) {
            for term in numbers_in(terms, index, wanted) {
                let term = terms.without_indices(term);
                if !written.contains(&term) {
                    written.push(term);
                }
            }
        }
        written
    }

    /// Terms that positions of a width can be before or behind, at a cut point: counters, and where
    /// is written next, there or in the loop that is entered next.
    fn borders(&mut self, place: ControlId, wanted: u32) -> Vec<Term> {
        let mut borders: Vec<Term> = Vec::new();
        for &variable in &self.shape.changed[&place] {
            let terms = &mut self.unwinder.terms;
            if width(terms, variable) == Some(wanted) {
                borders.push(terms.var(variable));
            }
        }
        borders.truncate(MOST_BORDERS / 2 + 1);
        borders.extend(self.written_from(place, wanted));
        for at in 0..self.passages.len() {
            let to = self.passages[at].to;
            let is_inner = self.passages[at].from == Some(place)
                && to != place
                && self.shape.together[&place].contains(&to);
            if !is_inner {
                continue;
            }
            for term in self.written_from(to, wanted) {
                let Unwinder { executor, terms, .. } = &mut *self.unwinder;
                let next = executor.value_of(terms, &self.passages[at].state, term);
                if is_of_program(terms, next) && !reads(terms, next) {
                    borders.push(terms.without_indices(next));
                }
            }
        }
        let mut known = BTreeSet::new();
        borders.retain(|&term| known.insert(term) && !self.unwinder.terms.is_ground(term));
        borders.truncate(MOST_BORDERS);
        borders
    }

    /// What the ways out of the loops through a cut point depend on.
    fn tests(&mut self, place: ControlId) -> Vec<Term> {
        let terms = &mut self.unwinder.terms;
        let mut tests: Vec<Term> = Vec::new();
        let from_here = self.passages.iter().filter(|p| p.from == Some(place));
        for passage in from_here {
            for conjunct in terms.conjuncts(passage.whole) {
                let is_simple = terms.size(conjunct) <= 12
                    && !reads(terms, conjunct)
                    && is_of_program(terms, conjunct);
                let conjunct = terms.without_indices(conjunct);
                if is_simple && !tests.contains(&conjunct) {
                    tests.push(conjunct);
                }
            }
        }
        tests.truncate(MOST_TESTS);
        tests
    }

    /// The candidates of one property at a cut point.
    fn of_property(&mut self, place: ControlId, property: &Property, tests: &[Term]) -> Vec<Term> {
        let mut guards: Vec<Term> = vec![self.unwinder.terms.tt()];
        for &position in &property.positions {
            let Some(width) = width(&self.unwinder.terms, position) else { continue };
            for border in self.borders(place, width) {
                let terms = &mut self.unwinder.terms;
                let at = terms.var(position);
                let sides = [terms.bv_slt(at, border), terms.bv_sle(at, border)];
                for side in sides {
                    guards.extend([side, terms.not(side)]);
                }
            }
        }
        guards.extend(self.nested(place, property));
        let terms = &mut self.unwinder.terms;
        let mut found = Vec::new();
        for guard in guards {
            let other = terms.not(guard);
            found.push(terms.or2(other, property.formula));
            for &test in tests {
                let fails = terms.not(test);
                found.push(terms.or(&[other, fails, property.formula]));
            }
        }
        found
    }

    /// Positions in the order of nested loops.
    fn nested(&mut self, place: ControlId, property: &Property) -> Vec<Term> {
        let mut guards = Vec::new();
        for (first, &outer) in property.positions.iter().enumerate() {
            for &inner in &property.positions[first + 1..] {
                let widths = [outer, inner].map(|p| width(&self.unwinder.terms, p));
                let [Some(wide), Some(narrow)] = widths else { continue };
                let (rows, columns) = (self.borders(place, wide), self.borders(place, narrow));
                let terms = &mut self.unwinder.terms;
                let (row, column) = (terms.var(outer), terms.var(inner));
                for &r in rows.iter().take(3) {
                    for &c in columns.iter().take(3).filter(|&&c| c != r) {
                        let (above, same) = (terms.bv_slt(row, r), terms.eq(row, r));
                        let left = terms.bv_slt(column, c);
                        let left = terms.and2(same, left);
                        let passed = terms.or2(above, left);
                        guards.extend([passed, terms.not(passed)]);
                    }
                }
            }
        }
        guards
    }

    /// What positions can be: numbers in the indices at which is read.
    fn instances(&mut self, forbidden: &[Forbidden]) -> Vec<Instance> {
        let positions: Vec<(u32, Variable)> =
            self.positions.iter().map(|(&(width, _), &variable)| (width, variable)).collect();
        let mut roots: Vec<Term> = forbidden.iter().map(|f| f.whole).collect();
        for passage in self.passages.iter().filter(|p| p.from.is_some()) {
            roots.push(passage.whole);
            roots.extend(passage.state.assigned().map(|(_, value)| value));
        }
        let terms = &mut self.unwinder.terms;
        let mut values: BTreeMap<u32, Vec<Term>> = BTreeMap::new();
        for index in indices(terms, &roots, Op::Select) {
            for &(width, _) in &positions {
                for term in numbers_in(terms, index, width) {
                    let term = terms.without_indices(term);
                    let known = values.entry(width).or_default();
                    if !known.contains(&term) {
                        known.push(term);
                    }
                }
            }
        }
        let mut instances: Vec<Instance> = vec![Vec::new()];
        for (width, position) in positions {
            let values = values.get(&width).map_or(&[][..], Vec::as_slice);
            let mut next = Vec::new();
            for instance in &instances {
                for &value in values {
                    let mut instance = instance.clone();
                    instance.push((position, value));
                    next.push(instance);
                }
            }
            if !next.is_empty() {
                instances = next;
            }
        }
        instances.retain(|instance| !instance.is_empty());
        instances.truncate(MOST_INSTANCES);
        instances
    }
}

/// The largest parts of an index that are numbers of a width and not constant, over variables of
/// the program.
fn numbers_in(terms: &mut Terms, index: Term, wanted: u32) -> Vec<Term> {
    let is_number = |t: Term| {
        terms.sort(t) == Sort::BitVec(wanted)
            && !matches!(terms.op(t), Op::BitVec(_) | Op::SignExtend(_) | Op::ZeroExtend(_))
    };
    let mut found: Vec<Term> =
        terms.subterms_until(&[index], is_number).into_iter().filter(|&t| is_number(t)).collect();
    found.retain(|&t| {
        !terms.free_symbols(t).is_empty()
            && is_of_program(terms, t)
            && !has(terms, t, |op| op == Op::Store)
    });
    found
}

/// Ways to put positions in place of counters: each counter some position, perhaps one further or
/// one before.
fn assignments(
    terms: &Terms,
    counters: &[Variable],
    positions: &[Variable],
) -> Vec<Vec<(Variable, Variable, i64)>> {
    let mut all: Vec<Vec<(Variable, Variable, i64)>> = Vec::new();
    let fits = |c: Variable, p: Variable| width(terms, c) == width(terms, p);
    for &counter in counters {
        for &position in positions.iter().filter(|&&p| fits(counter, p)) {
            all.extend([0, 1, -1].map(|distance| vec![(counter, position, distance)]));
        }
    }
    for (first, &one) in counters.iter().enumerate() {
        for (second, &other) in counters.iter().enumerate() {
            if first == second {
                continue;
            }
            for (number, &outer) in positions.iter().enumerate().filter(|(_, p)| fits(one, **p)) {
                for &inner in positions[number + 1..].iter().filter(|p| fits(other, **p)) {
                    all.push(vec![(one, outer, 0), (other, inner, 0)]);
                }
            }
        }
    }
    all
}
