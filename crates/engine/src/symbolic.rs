//! Symbolic executions: every value as a function of the inputs, under a condition.
//!
//! Other explorations keep a formula with a name for each value that was assigned; here the names
//! are replaced by what they stand for as they come (King, Symbolic Execution and Program Testing,
//! 1976). Where executions meet, a value is a choice between those of the branches, as in bounded
//! model checking (Clarke, Kroening, Lerda, A Tool for Checking ANSI-C Programs, 2004). So what
//! is known is folded as it comes: a loop over constants costs no solver, an element of an array
//! that was written at a known index is that value, and a formula is about inputs only.
//!
//! # Invariant
//! Executions that are at different places after the same number of blocks, or that meet in a
//! place of a block, exclude one another: each assignment of the inputs is one execution. Where the
//! conditions of two steps do not plainly exclude each other, a new input chooses. Only then is a
//! choice between values the same as all executions together.

use std::collections::BTreeMap;

use gnomon_logic::encode::{Encoder, Execution, Move, NotEncoded, Ssa};
use gnomon_logic::term::Op;
use gnomon_logic::{Model, Sort, Symbol, Term, Terms, Value, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

/// A list of conditions: a node, and those that it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GuardId(u32);

#[derive(Clone, Copy, Debug)]
struct Guard {
    parent: GuardId,
    condition: Term,
    /// All conditions up to here.
    whole: Term,
    depth: u32,
}

/// Where executions came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OriginId(u32);

/// One way to a point: from where, by which step, and under which condition.
#[derive(Clone, Copy, Debug)]
struct Incoming {
    from: OriginId,
    step: Option<Move>,
    whole: Term,
}

/// Executions at a place.
#[derive(Clone, Debug)]
pub struct Symbolic {
    /// Indices of values and what the encoding knows; no facts.
    execution: Execution,
    /// The present values of variables that were assigned.
    values: BTreeMap<Variable, Term>,
    guard: GuardId,
    origin: OriginId,
}

impl Symbolic {
    /// Under which conditions there are such executions.
    pub fn guard(&self) -> GuardId {
        self.guard
    }

    /// How they came there.
    pub fn origin(&self) -> OriginId {
        self.origin
    }

    /// The variables that were assigned, with their present values.
    pub fn assigned(&self) -> impl Iterator<Item = (Variable, Term)> + '_ {
        self.values.iter().map(|(&variable, &value)| (variable, value))
    }
}

/// Executions on their way to a place: from where, and by which step.
#[derive(Clone, Debug)]
pub struct Arrival {
    state: Symbolic,
    step: Option<Move>,
}

/// What one step would do.
struct Stepped {
    execution: Execution,
    values: BTreeMap<Variable, Term>,
    conditions: Vec<Term>,
}

/// Chains of writes that are longer are not taken apart where arrays meet, nor are so many elements.
const LONGEST_CHAIN: usize = 4_000;
const MOST_ELEMENTS: usize = 200;

/// Makes symbolic executions.
pub struct Executor {
    /// The first is the empty list.
    guards: Vec<Guard>,
    points: Vec<Vec<Incoming>>,
    reads: FxHashMap<(Term, Term), Term>,
}

impl Executor {
    /// Nothing was executed yet.
    pub fn new(terms: &Terms) -> Self {
        let tt = terms.tt();
        let empty = Guard { parent: GuardId(0), condition: tt, whole: tt, depth: 0 };
        Self { guards: vec![empty], points: Vec::new(), reads: FxHashMap::default() }
    }

    /// Executions of which nothing is known: every variable has any value.
    pub fn anything(&mut self) -> Symbolic {
        let origin = self.point(Vec::new());
        let (execution, values) = (Execution::default(), BTreeMap::new());
        Symbolic { execution, values, guard: GuardId(0), origin }
    }

    fn point(&mut self, incoming: Vec<Incoming>) -> OriginId {
        self.points.push(incoming);
        OriginId(self.points.len() as u32 - 1)
    }

    /// All conditions of executions as one formula.
    pub fn whole(&self, guard: GuardId) -> Term {
        self.guards[guard.0 as usize].whole
    }

    /// Adds a condition; `None` if it is plainly false.
    fn guarded(&mut self, terms: &mut Terms, parent: GuardId, condition: Term) -> Option<GuardId> {
        if condition == terms.tt() {
            return Some(parent);
        }
        let before = self.guards[parent.0 as usize];
        let whole = terms.and2(before.whole, condition);
        if whole == terms.ff() {
            return None;
        }
        self.guards.push(Guard { parent, condition, whole, depth: before.depth + 1 });
        Some(GuardId(self.guards.len() as u32 - 1))
    }

    /// With what holds of the present values; `None` if it plainly does not. The formula is over
    /// variables without indices.
    pub fn assume(
        &mut self,
        terms: &mut Terms,
        mut state: Symbolic,
        formula: Term,
    ) -> Option<Symbolic> {
        let condition = self.value_of(terms, &state, formula);
        state.guard = self.guarded(terms, state.guard, condition)?;
        Some(state)
    }

    /// A formula over variables without indices, for the present values.
    pub fn value_of(&mut self, terms: &mut Terms, state: &Symbolic, formula: Term) -> Term {
        self.rebuilt(terms, formula, &mut |terms, symbol| match symbol.index {
            None => match state.values.get(&symbol.variable) {
                Some(&value) => value,
                None => terms.var_at(symbol.variable, 0),
            },
            Some(_) => terms.symbol(symbol),
        })
    }

    /// Takes executions over all steps of a place; gives what arrives behind each step that is not
    /// plainly impossible, by its number. A step that is not `made` ends before it does anything.
    pub fn steps(
        &mut self,
        terms: &mut Terms,
        encoder: &mut Encoder<'_>,
        state: Symbolic,
        steps: &[(Move, bool)],
    ) -> Vec<(usize, Result<Arrival, NotEncoded>)> {
        let mut outcomes = Vec::with_capacity(steps.len());
        let mut conditions: Vec<Vec<Term>> = Vec::with_capacity(steps.len());
        for (number, &(step, made)) in steps.iter().enumerate() {
            let stepped = match made {
                true => self.stepped(terms, encoder, &state, step),
                false => Ok(Stepped {
                    execution: state.execution.clone(),
                    values: state.values.clone(),
                    conditions: Vec::new(),
                }),
            };
            match stepped {
                Ok(stepped) if stepped.conditions.contains(&terms.ff()) => {}
                Ok(stepped) => {
                    conditions.push(stepped.conditions.clone());
                    outcomes.push((number, made.then_some(step), Ok(stepped)));
                }
                Err(reason) => {
                    conditions.push(Vec::new());
                    outcomes.push((number, None, Err(reason)));
                }
            }
        }
        exclude_one_another(terms, &mut conditions);
        let mut arrivals = Vec::with_capacity(outcomes.len());
        for ((number, step, stepped), conditions) in outcomes.into_iter().zip(conditions) {
            let stepped = match stepped {
                Ok(stepped) => stepped,
                Err(reason) => {
                    arrivals.push((number, Err(reason)));
                    continue;
                }
            };
            let mut guard = Some(state.guard);
            for condition in conditions {
                guard = guard.and_then(|guard| self.guarded(terms, guard, condition));
            }
            if let Some(guard) = guard {
                let Stepped { execution, values, .. } = stepped;
                let state = Symbolic { execution, values, guard, origin: state.origin };
                arrivals.push((number, Ok(Arrival { state, step })));
            }
        }
        arrivals
    }

    /// What a step does to executions.
    fn stepped(
        &mut self,
        terms: &mut Terms,
        encoder: &mut Encoder<'_>,
        state: &Symbolic,
        step: Move,
    ) -> Result<Stepped, NotEncoded> {
        let before = state.execution.ssa();
        let mut execution = encoder.advance(terms, state.execution.clone(), step)?;
        let (facts, _) = execution.take();
        let mut values = state.values.clone();
        let mut assigned: FxHashMap<Symbol, Term> = FxHashMap::default();
        let mut conditions = Vec::new();
        for fact in facts {
            if let Some((symbol, value)) = definition(terms, before, fact, &assigned) {
                let value = self.present(terms, before, &state.values, &mut assigned, value);
                assigned.entry(symbol).or_insert(value);
                continue;
            }
            let condition = self.present(terms, before, &state.values, &mut assigned, fact);
            if condition == terms.ff() {
                conditions = vec![condition];
                break;
            }
            if condition != terms.tt() && !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        for (variable, index) in execution.ssa().iter() {
            if index != before.index(variable) {
                let symbol = Symbol { variable, index: Some(index) };
                let value = match assigned.get(&symbol) {
                    Some(&value) => value,
                    None => any_value(terms, variable),
                };
                values.insert(variable, value);
            }
        }
        Ok(Stepped { execution, values, conditions })
    }

    /// A fact of a step over inputs.
    fn present(
        &mut self,
        terms: &mut Terms,
        before: &Ssa,
        values: &BTreeMap<Variable, Term>,
        assigned: &mut FxHashMap<Symbol, Term>,
        fact: Term,
    ) -> Term {
        self.rebuilt(terms, fact, &mut |terms, symbol| {
            let Some(index) = symbol.index else { return terms.symbol(symbol) };
            if let Some(&value) = assigned.get(&symbol) {
                return value;
            }
            if index == before.index(symbol.variable) {
                return match values.get(&symbol.variable) {
                    Some(&value) => value,
                    // Never assigned: what it held at the beginning.
                    None => terms.symbol(symbol),
                };
            }
            let value = any_value(terms, symbol.variable);
            assigned.insert(symbol, value);
            value
        })
    }

    /// A term with something else in place of its symbols; reads at known indices find what was
    /// written.
    fn rebuilt(
        &mut self,
        terms: &mut Terms,
        root: Term,
        replace: &mut dyn FnMut(&mut Terms, Symbol) -> Term,
    ) -> Term {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        let mut pending = vec![root];
        while let Some(&term) = pending.last() {
            if done.contains_key(&term) {
                pending.pop();
                continue;
            }
            if let Op::Symbol(symbol) = terms.op(term) {
                done.insert(term, replace(terms, symbol));
                pending.pop();
                continue;
            }
            let waiting = pending.len();
            pending.extend(terms.args(term).iter().filter(|arg| !done.contains_key(arg)));
            if pending.len() > waiting {
                continue;
            }
            let args: Vec<Term> = terms.args(term).iter().map(|arg| done[arg]).collect();
            let result = match (terms.op(term), &args[..]) {
                (Op::Select, &[array, index]) => self.read(terms, array, index),
                _ if args == terms.args(term) => term,
                (op, _) => terms.make(op, &args),
            };
            done.insert(term, result);
            pending.pop();
        }
        done[&root]
    }

    /// What is in an array: at a known index, each branch of a choice between arrays is read.
    fn read(&mut self, terms: &mut Terms, array: Term, index: Term) -> Term {
        if terms.value(index).is_none() {
            return terms.select(array, index);
        }
        // Choices are as deep as branches are nested since the last write to a known index.
        let mut pending = vec![array];
        while let Some(&at) = pending.last() {
            if self.reads.contains_key(&(at, index)) {
                pending.pop();
                continue;
            }
            let read = terms.select(at, index);
            let base = match terms.op(read) {
                Op::Select if terms.arg(read, 1) == index => terms.arg(read, 0),
                _ => {
                    self.reads.insert((at, index), read);
                    continue;
                }
            };
            let found = match (terms.op(base), terms.args(base)) {
                (Op::Ite, &[test, then, other]) => {
                    let known = |a: Term| self.reads.get(&(a, index)).copied();
                    match (known(then), known(other)) {
                        (Some(then), Some(other)) => self.choose(terms, test, then, other),
                        (None, _) => {
                            pending.push(then);
                            continue;
                        }
                        (_, None) => {
                            pending.push(other);
                            continue;
                        }
                    }
                }
                _ => read,
            };
            self.reads.insert((at, index), found);
        }
        self.reads[&(array, index)]
    }

    /// If, then, else; arrays that differ in few known elements are one array with choices there.
    fn choose(&mut self, terms: &mut Terms, test: Term, then: Term, other: Term) -> Term {
        if then == other || test == terms.tt() {
            return then;
        }
        if !matches!(terms.sort(then), Sort::Array(_)) {
            return terms.ite(test, then, other);
        }
        match shared_writes(terms, then, other) {
            Some((base, indices)) => {
                let mut array = base;
                for index in indices {
                    let (a, b) = (self.read(terms, then, index), self.read(terms, other, index));
                    let value = self.choose(terms, test, a, b);
                    array = terms.store(array, index, value);
                }
                array
            }
            None => terms.ite(test, then, other),
        }
    }

    /// Puts together what arrives at a place.
    pub fn meet(
        &mut self,
        terms: &mut Terms,
        encoder: &mut Encoder<'_>,
        mut arrivals: Vec<Arrival>,
    ) -> Symbolic {
        let incoming = arrivals.iter().map(|arrival| Incoming {
            from: arrival.state.origin,
            step: arrival.step,
            whole: self.whole(arrival.state.guard),
        });
        let incoming: Vec<Incoming> = incoming.collect();
        let origin = self.point(incoming);
        if let [_] = arrivals[..]
            && let Some(only) = arrivals.pop()
        {
            return Symbolic { origin, ..only.state };
        }
        let guards: Vec<GuardId> = arrivals.iter().map(|a| a.state.guard).collect();
        let (common, tests) = self.since_common(terms, &guards);
        let either = terms.or(&tests);
        let guard = self.guarded(terms, common, either).unwrap_or(common);
        let executions: Vec<Execution> =
            arrivals.iter().map(|a| a.state.execution.clone()).collect();
        let mut execution = encoder.merge(terms, executions);
        execution.take();
        let variables: Vec<Variable> = {
            let mut all: Vec<Variable> =
                arrivals.iter().flat_map(|a| a.state.values.keys().copied()).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let mut values = BTreeMap::new();
        for variable in variables {
            let mine =
                |terms: &mut Terms, arrival: &Arrival| match arrival.state.values.get(&variable) {
                    Some(&value) => value,
                    None => terms.var_at(variable, 0),
                };
            let mut value = None;
            for (arrival, &test) in arrivals.iter().zip(&tests).rev() {
                let own = mine(terms, arrival);
                value = Some(match value {
                    None => own,
                    Some(rest) => self.choose(terms, test, own, rest),
                });
            }
            if let Some(value) = value {
                values.insert(variable, value);
            }
        }
        Symbolic { execution, values, guard, origin }
    }

    /// Puts together executions that are at one place.
    pub fn meet_states(
        &mut self,
        terms: &mut Terms,
        encoder: &mut Encoder<'_>,
        states: Vec<Symbolic>,
    ) -> Symbolic {
        let arrivals = states.into_iter().map(|state| Arrival { state, step: None });
        self.meet(terms, encoder, arrivals.collect())
    }

    /// What all lists of conditions begin with, and the rest of each.
    fn since_common(&self, terms: &mut Terms, guards: &[GuardId]) -> (GuardId, Vec<Term>) {
        let at = |guard: GuardId| self.guards[guard.0 as usize];
        let mut common = guards[0];
        for &guard in &guards[1..] {
            let mut other = guard;
            while common != other {
                // What was made later is never a beginning of what was made before.
                if at(common).depth >= at(other).depth {
                    common = at(common).parent;
                } else {
                    other = at(other).parent;
                }
            }
        }
        let rest = guards.iter().map(|&guard| {
            let mut conditions = Vec::new();
            let mut from = guard;
            while from != common {
                conditions.push(at(from).condition);
                from = at(from).parent;
            }
            conditions.reverse();
            terms.and(&conditions)
        });
        let rest = rest.collect();
        (common, rest)
    }

    /// The conditions whose truth values decide the path to a point.
    pub fn conditions_before(&self, end: OriginId) -> Vec<Term> {
        let mut seen = FxHashSet::from_iter([end]);
        let mut work = vec![end];
        let mut conditions = Vec::new();
        while let Some(point) = work.pop() {
            for incoming in &self.points[point.0 as usize] {
                conditions.push(incoming.whole);
                if seen.insert(incoming.from) {
                    work.push(incoming.from);
                }
            }
        }
        conditions.sort_unstable();
        conditions.dedup();
        conditions
    }

    /// The path to a point under a model of the conditions before it.
    pub fn path(&self, end: OriginId, model: &Model) -> Option<Vec<Move>> {
        let mut steps = Vec::new();
        let mut point = end;
        while !self.points[point.0 as usize].is_empty() {
            // Of several that hold, values are those of the first.
            let taken = self.points[point.0 as usize]
                .iter()
                .find(|incoming| model.get(incoming.whole) == Some(&Value::Bool(true)))?;
            steps.extend(taken.step);
            point = taken.from;
        }
        steps.reverse();
        Some(steps)
    }
}

/// Any value of a variable.
fn any_value(terms: &mut Terms, variable: Variable) -> Term {
    let info = terms.variable_info(variable);
    let (name, sort) = (info.name.clone(), info.sort);
    let fresh = terms.fresh_variable(&name, sort);
    terms.var(fresh)
}

/// The name and the value of a fact that says what a step assigned.
fn definition(
    terms: &Terms,
    before: &Ssa,
    fact: Term,
    assigned: &FxHashMap<Symbol, Term>,
) -> Option<(Symbol, Term)> {
    if terms.op(fact) != Op::Eq {
        return None;
    }
    let (left, right) = (terms.arg(fact, 0), terms.arg(fact, 1));
    [(left, right), (right, left)].into_iter().find_map(|(name, value)| {
        let symbol = terms.as_symbol(name)?;
        let is_new = symbol.index.is_some_and(|index| index > before.index(symbol.variable));
        let mentions = || terms.subterms(&[value]).contains(&name);
        (is_new && !assigned.contains_key(&symbol) && !mentions()).then_some((symbol, value))
    })
}

/// Makes the conditions of several steps exclude one another: where they do not plainly do so, new
/// inputs choose.
fn exclude_one_another(terms: &mut Terms, conditions: &mut [Vec<Term>]) {
    let mut complements: Vec<Vec<Term>> = Vec::with_capacity(conditions.len());
    for all in conditions.iter() {
        complements.push(all.iter().map(|&condition| terms.not(condition)).collect());
    }
    let excludes = |i: usize, j: usize| {
        complements[i].iter().any(|not| conditions[j].contains(not))
            || complements[j].iter().any(|not| conditions[i].contains(not))
    };
    let count = conditions.len();
    if (0..count).all(|j| (0..j).all(|i| excludes(i, j))) {
        return;
    }
    let mut not_before = Vec::new();
    for (number, all) in conditions.iter_mut().enumerate() {
        all.extend_from_slice(&not_before);
        if number + 1 < count {
            let variable = terms.fresh_variable("chosen", Sort::Bool);
            let chosen = terms.var(variable);
            all.push(chosen);
            not_before.push(terms.not(chosen));
        }
    }
}

/// What two arrays have in common, and the known indices at which one of them was written since; if
/// they were written at few known indices only.
fn shared_writes(terms: &Terms, one: Term, other: Term) -> Option<(Term, Vec<Term>)> {
    let chain = |from: Term| {
        let mut at = from;
        let mut chain = vec![(at, None)];
        while let (Op::Store, &[inner, index, _]) = (terms.op(at), terms.args(at)) {
            if terms.value(index).is_none() || chain.len() > LONGEST_CHAIN {
                break;
            }
            at = inner;
            chain.push((at, Some(index)));
        }
        chain
    };
    let (mine, theirs) = (chain(one), chain(other));
    let positions: FxHashMap<Term, usize> =
        mine.iter().enumerate().map(|(position, (array, _))| (*array, position)).collect();
    let (there, here) = theirs
        .iter()
        .enumerate()
        .find_map(|(there, (array, _))| positions.get(array).map(|&here| (there, here)))?;
    let written = mine[1..=here].iter().chain(&theirs[1..=there]);
    let mut indices: Vec<Term> = written.filter_map(|(_, index)| *index).collect();
    indices.sort_unstable();
    indices.dedup();
    (indices.len() <= MOST_ELEMENTS).then_some((mine[here].0, indices))
}
