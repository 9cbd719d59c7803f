//! The BDD variables of context-bounded analysis, and the edges of the program over them.
//!
//! A position of the state (a global, a local, a result: see [`order`](crate::symbolic::order)) has
//! the copies *entry* (when the procedure was entered), *now*, *next* (only inside an operation) and
//! *passed* (arguments on their way to a callee). Of each global there are also the copies that LAL
//! Figure 7.5 calls ḡ₀ and ḡ₂: its value at the *start* and at the *end* of each context, and a
//! third one for compositions. All copies of one position are neighbours in the order.
//!
//! Edges are kept as relations over *now* and the *next* copies of what they assign; everything
//! else is untouched and costs nothing, however many contexts there are.

use gnomon_bdd::{Bdd, BddError, BddSpace, Renaming, Var, VarSet};
use gnomon_budget::Budget;

use super::system::ThreadSystem;
use crate::model::{Action, Edge, ExprId, Model, ProcId, Step, TRUE, VarId};
use crate::symbolic::order::{Entity, VariableOrder, entity, order};
use crate::symbolic::values::Values;

/// Replaces the values of some positions: forget `old`, then `new` becomes `old`.
#[derive(Clone, Debug)]
struct Replacement {
    old: VarSet,
    rename: Option<Renaming>,
}

/// An edge over the copies *now* and *next*.
#[derive(Debug)]
pub(super) enum EdgeRelation {
    /// Stays in the procedure.
    Step { relation: Bdd, replaced: StepReplacement },
    /// Calls.
    Call { arguments: Bdd, enter: CallEntry, receive: CallReturn },
    /// Returns.
    Return { results: Bdd, forgotten: VarSet },
}

/// What a step assigns.
#[derive(Debug)]
pub(super) struct StepReplacement(Replacement);

/// From the caller's states to the callee's first ones.
#[derive(Debug)]
pub(super) struct CallEntry {
    forgotten: VarSet,
    passed_to_now: Option<Renaming>,
    same_as_entry: Bdd,
}

/// From a summary of the callee back to the caller.
#[derive(Debug)]
pub(super) struct CallReturn {
    /// Summary as a relation from *now* and *passed* to *next*.
    as_relation: Renaming,
    /// The caller's globals before, and the arguments.
    before: VarSet,
    /// What the results replace, and results that nobody takes.
    replaced: VarSet,
    rename: Renaming,
}

/// The copies of all positions.
#[derive(Debug)]
pub struct Copies {
    space: BddSpace,
    entities: Vec<Entity>,
    entry: Vec<Var>,
    passed: Vec<Var>,
    now: Vec<Var>,
    next: Vec<Var>,
    /// By context, by global.
    start: Vec<Vec<Var>>,
    end: Vec<Vec<Var>>,
    third: Vec<Vec<Var>>,
}

/// A system over BDD variables for up to a number of contexts.
#[derive(Debug)]
pub struct ContextEncoding<'s> {
    /// The system.
    pub system: &'s ThreadSystem,
    copies: Copies,
    edges: Vec<EdgeRelation>,
    entry_set: VarSet,
    locals_now: VarSet,
    locals_next: VarSet,
    globals_now: VarSet,
    globals_next_to_now: Renaming,
    globals_now_to_next: Renaming,
    /// By context: *now* becomes the end of the context.
    leave: Vec<Renaming>,
    /// By context: the globals now are those at the start of the context.
    arrive: Vec<Bdd>,
    not_atomic: Bdd,
    initial_now: Bdd,
}

impl<'s> ContextEncoding<'s> {
    /// Encodes a system for contexts `0` to `contexts - 1`.
    pub fn new(
        system: &'s ThreadSystem,
        contexts: usize,
        choice: VariableOrder,
        capacity: usize,
        budget: &Budget,
    ) -> Result<Self, BddError> {
        let model = &system.model;
        let space = BddSpace::new(capacity)?;
        space.set_budget(budget.clone());
        let copies = Copies::new(space.clone(), model, choice, contexts)?;
        let globals: Vec<_> = model.global_ids().map(|g| copies.now(model, g)).collect();
        let mut leave = Vec::new();
        let mut arrive = Vec::new();
        for context in 0..contexts {
            let pairs: Vec<_> =
                globals.iter().copied().zip(copies.end[context].iter().copied()).collect();
            leave.push(space.renaming(&pairs)?);
            let pairs: Vec<_> =
                globals.iter().copied().zip(copies.start[context].iter().copied()).collect();
            arrive.push(copies.equal(&pairs)?);
        }
        let next_pairs = |back: bool| -> Vec<(Var, Var)> {
            let pair = |g| (copies.next(model, g), copies.now(model, g));
            let turn = |(a, b)| if back { (a, b) } else { (b, a) };
            model.global_ids().map(|g| turn(pair(g))).collect()
        };
        let slots = copies.positions(|e| matches!(e, Entity::Slot(_)));
        let mut literals = Vec::new();
        for &(variable, value) in &model.initial {
            literals.push((copies.now(model, variable), value));
        }
        let not_atomic = match system.atomic {
            Some(flag) => space.literal(copies.now(model, flag), false)?,
            None => space.top(),
        };
        let mut encoding = Self {
            system,
            entry_set: space.variable_set(&copies.entry)?,
            locals_now: space.variable_set(&copies.pick(&copies.now, &slots))?,
            locals_next: space.variable_set(&copies.pick(&copies.next, &slots))?,
            globals_now: space.variable_set(&globals)?,
            globals_next_to_now: space.renaming(&next_pairs(true))?,
            globals_now_to_next: space.renaming(&next_pairs(false))?,
            leave,
            arrive,
            not_atomic,
            initial_now: space.cube(&literals)?,
            edges: Vec::new(),
            copies,
        };
        let edges: Result<_, _> = model.edges.iter().map(|e| encoding.edge_relation(e)).collect();
        encoding.edges = edges?;
        Ok(encoding)
    }

    /// The table of nodes.
    pub fn space(&self) -> &BddSpace {
        &self.copies.space
    }

    /// The copies of the variables.
    pub fn copies(&self) -> &Copies {
        &self.copies
    }

    /// How many contexts there is room for.
    pub fn contexts(&self) -> usize {
        self.leave.len()
    }

    pub(super) fn edge(&self, index: usize) -> &EdgeRelation {
        &self.edges[index]
    }

    /// The first values of the globals, over *now*.
    pub fn initial_now(&self) -> &Bdd {
        &self.initial_now
    }

    /// The start of the first context, to be forgotten.
    pub(super) fn first_start_set(&self) -> Result<VarSet, BddError> {
        self.space().variable_set(&self.copies.start[0])
    }

    /// A set over *now* as one over the start of the first context.
    pub fn now_to_first_start(&self, states: &Bdd) -> Result<Bdd, BddError> {
        let model = &self.system.model;
        let pairs: Vec<_> = model
            .global_ids()
            .map(|g| (self.copies.now(model, g), self.copies.start[0][g.index()]))
            .collect();
        states.exists(&self.locals_now)?.rename(&self.space().renaming(&pairs)?)
    }

    /// States in which the thread can be switched: *now* becomes the end of `context`.
    pub fn leave(&self, context: usize, reached: &Bdd) -> Result<Bdd, BddError> {
        reached.and(&self.not_atomic)?.rename(&self.leave[context])
    }

    /// A relation between the globals *now* and *next*, restricted to states in which threads can be
    /// switched.
    pub(super) fn between_switches(&self, relation: &Bdd) -> Result<Bdd, BddError> {
        let relation = relation.and(&self.not_atomic)?;
        match self.system.atomic {
            Some(flag) => {
                let next = self.copies.next(&self.system.model, flag);
                relation.and(&self.space().literal(next, false)?)
            }
            None => Ok(relation),
        }
    }

    /// The others change the globals.
    pub(super) fn interfere(&self, states: &Bdd, interference: &Bdd) -> Result<Bdd, BddError> {
        states.and_exists(interference, &self.globals_now)?.rename(&self.globals_next_to_now)
    }

    /// The changes of globals that a step makes, from *now* to *next*, or nothing if it makes none.
    pub(super) fn changes_of_step(
        &self,
        states: &Bdd,
        step: &Step,
        relation: &Bdd,
    ) -> Result<Option<Bdd>, BddError> {
        let (model, copies) = (&self.system.model, &self.copies);
        let assigned: Vec<VarId> =
            step.assignments.iter().map(|a| a.0).filter(|v| v.0 < model.globals).collect();
        if assigned.is_empty() {
            return Ok(None);
        }
        let kept: Vec<_> = model
            .global_ids()
            .filter(|g| !assigned.contains(g))
            .map(|g| (copies.now(model, g), copies.next(model, g)))
            .collect();
        let pairs = states.and_exists(relation, &self.locals_now)?.exists(&self.entry_set)?;
        Ok(Some(pairs.exists(&self.locals_next)?.and(&copies.equal(&kept)?)?))
    }

    /// The changes of globals that take a result, given the states afterwards; the value before is
    /// taken to be anything.
    pub(super) fn changes_of_results(
        &self,
        after: &Bdd,
        results: &[Option<VarId>],
    ) -> Result<Option<Bdd>, BddError> {
        let (model, copies) = (&self.system.model, &self.copies);
        let is_target = |g: &VarId| results.contains(&Some(*g));
        if !model.global_ids().any(|g| is_target(&g)) {
            return Ok(None);
        }
        let kept: Vec<_> = model
            .global_ids()
            .filter(|g| !is_target(g))
            .map(|g| (copies.now(model, g), copies.next(model, g)))
            .collect();
        let states = self.project_effect(after)?.rename(&self.globals_now_to_next)?;
        Ok(Some(states.and(&copies.equal(&kept)?)?))
    }

    /// What a thread did to the globals, from the starts of its contexts to their ends.
    pub fn project_effect(&self, left: &Bdd) -> Result<Bdd, BddError> {
        left.exists(&self.entry_set)?.exists(&self.locals_now)
    }

    /// Only the starts and ends of the contexts that are over.
    pub fn project_history(&self, states: &Bdd) -> Result<Bdd, BddError> {
        self.project_effect(states)?.exists(&self.globals_now)
    }

    /// The thread goes on: the globals now are those at the start of `context`.
    pub fn arrive(&self, context: usize, waiting: &Bdd) -> Result<Bdd, BddError> {
        waiting.and(&self.arrive[context])
    }

    /// Applies a step to states.
    pub(super) fn step(
        &self,
        states: &Bdd,
        relation: &Bdd,
        replaced: &StepReplacement,
    ) -> Result<Bdd, BddError> {
        let after = states.and_exists(relation, &replaced.0.old)?;
        match &replaced.0.rename {
            Some(renaming) => after.rename(renaming),
            None => Ok(after),
        }
    }

    /// The first states of a callee.
    pub(super) fn enter(
        &self,
        states: &Bdd,
        arguments: &Bdd,
        entry: &CallEntry,
    ) -> Result<Bdd, BddError> {
        let states = states.and_exists(arguments, &entry.forgotten)?;
        let states = match &entry.passed_to_now {
            Some(renaming) => states.rename(renaming)?,
            None => states,
        };
        states.and(&entry.same_as_entry)
    }

    /// A summary: entry, globals now, and the results in *next*.
    pub(super) fn summary(
        &self,
        states: &Bdd,
        results: &Bdd,
        forgotten: &VarSet,
    ) -> Result<Bdd, BddError> {
        states.and_exists(results, forgotten)
    }

    /// The caller's states after its callee returned.
    pub(super) fn receive(
        &self,
        at_call: &Bdd,
        arguments: &Bdd,
        receive: &CallReturn,
        summary: &Bdd,
    ) -> Result<Bdd, BddError> {
        let relation = summary.rename(&receive.as_relation)?;
        let passed = at_call.and(arguments)?;
        let after = passed.and_exists(&relation, &receive.before)?;
        after.exists(&receive.replaced)?.rename(&receive.rename)
    }

    fn edge_relation(&self, edge: &Edge) -> Result<EdgeRelation, BddError> {
        match &edge.action {
            Action::Step(step) => self.step_relation(step),
            Action::Call { callee, arguments, results } => Ok(EdgeRelation::Call {
                arguments: self.arguments(*callee, arguments)?,
                enter: self.call_entry(*callee)?,
                receive: self.call_return(*callee, results)?,
            }),
            Action::Return { values } => {
                let mut relation = self.space().top();
                for (i, &value) in values.iter().enumerate() {
                    let register = self.copies.position(Entity::Register(i as u32));
                    relation = relation.and(&self.takes(self.copies.next[register], value)?)?;
                }
                Ok(EdgeRelation::Return { results: relation, forgotten: self.locals_now.clone() })
            }
            // A system has no operations on threads.
            Action::Thread(_) => self.step_relation(&Step::assume(crate::model::FALSE)),
        }
    }

    fn step_relation(&self, step: &Step) -> Result<EdgeRelation, BddError> {
        let (copies, model, space) = (&self.copies, &self.system.model, self.space());
        let assigned: Vec<_> =
            step.assignments.iter().map(|&(v, e)| (copies.position(entity(model, v)), e)).collect();
        let mut relation = space.top();
        for &(position, value) in &assigned {
            relation = relation.and(&self.takes(copies.next[position], value)?)?;
        }
        let before = |v: VarId| copies.now(model, v);
        let after = |v: VarId| {
            let position = copies.position(entity(model, v));
            let is_assigned = assigned.iter().any(|a| a.0 == position);
            if is_assigned { copies.next[position] } else { copies.now[position] }
        };
        let values = Values { space, exprs: &model.exprs, before: &before, after: &after };
        for condition in [step.guard, step.constraint] {
            if condition != TRUE {
                relation = relation.and(&values.of(condition)?.0)?;
            }
        }
        let places: Vec<_> = assigned.iter().map(|a| a.0).collect();
        let old = copies.pick(&copies.now, &places);
        let pairs: Vec<_> =
            copies.pick(&copies.next, &places).into_iter().zip(old.iter().copied()).collect();
        let rename = if pairs.is_empty() { None } else { Some(space.renaming(&pairs)?) };
        let replaced = Replacement { old: space.variable_set(&old)?, rename };
        Ok(EdgeRelation::Step { relation, replaced: StepReplacement(replaced) })
    }

    /// `target` is one of the values of an expression over *now*.
    fn takes(&self, target: Var, value: ExprId) -> Result<Bdd, BddError> {
        let model = &self.system.model;
        let now = |v: VarId| self.copies.now(model, v);
        let values = Values { space: self.space(), exprs: &model.exprs, before: &now, after: &now };
        let (can_be_true, can_be_false) = values.of(value)?;
        self.space().variable(target)?.ite(&can_be_true, &can_be_false)
    }

    fn parameter_places(&self, callee: ProcId) -> Vec<usize> {
        let model = &self.system.model;
        let parameters = &model.procedure(callee).parameters;
        parameters.iter().map(|&p| self.copies.position(entity(model, p))).collect()
    }

    fn arguments(&self, callee: ProcId, arguments: &[ExprId]) -> Result<Bdd, BddError> {
        let mut relation = self.space().top();
        for (place, &argument) in self.parameter_places(callee).into_iter().zip(arguments) {
            relation = relation.and(&self.takes(self.copies.passed[place], argument)?)?;
        }
        Ok(relation)
    }

    fn call_entry(&self, callee: ProcId) -> Result<CallEntry, BddError> {
        let (copies, space) = (&self.copies, self.space());
        let parameters = self.parameter_places(callee);
        let slots = copies.positions(|e| matches!(e, Entity::Slot(_)));
        let mut forgotten = copies.entry.clone();
        forgotten.extend(copies.pick(&copies.now, &slots));
        let pairs: Vec<_> = copies
            .pick(&copies.passed, &parameters)
            .into_iter()
            .zip(copies.pick(&copies.now, &parameters))
            .collect();
        let mut known = copies.positions(|e| matches!(e, Entity::Global(_)));
        known.extend(&parameters);
        let same: Vec<_> = copies
            .pick(&copies.entry, &known)
            .into_iter()
            .zip(copies.pick(&copies.now, &known))
            .collect();
        Ok(CallEntry {
            forgotten: space.variable_set(&forgotten)?,
            passed_to_now: if pairs.is_empty() { None } else { Some(space.renaming(&pairs)?) },
            same_as_entry: copies.equal(&same)?,
        })
    }

    fn call_return(
        &self,
        callee: ProcId,
        results: &[Option<VarId>],
    ) -> Result<CallReturn, BddError> {
        let (copies, space, model) = (&self.copies, self.space(), &self.system.model);
        let parameters = self.parameter_places(callee);
        let globals = copies.positions(|e| matches!(e, Entity::Global(_)));
        let mut as_relation = Vec::new();
        let mut before = Vec::new();
        for &g in &globals {
            as_relation.push((copies.entry[g], copies.now[g]));
            as_relation.push((copies.now[g], copies.next[g]));
            before.push(copies.now[g]);
        }
        for &p in &parameters {
            as_relation.push((copies.entry[p], copies.passed[p]));
            before.push(copies.passed[p]);
        }
        let mut replaced = Vec::new();
        let mut rename = Vec::new();
        let mut taken: Vec<usize> = Vec::new();
        for (i, target) in results.iter().enumerate() {
            let register = copies.next[copies.position(Entity::Register(i as u32))];
            // If a variable receives two results, the last one counts.
            let target = target.filter(|v| !results[i + 1..].contains(&Some(*v)));
            let Some(variable) = target else {
                replaced.push(register);
                continue;
            };
            let place = copies.position(entity(model, variable));
            taken.push(place);
            let is_global = globals.contains(&place);
            replaced.push(if is_global { copies.next[place] } else { copies.now[place] });
            rename.push((register, copies.now[place]));
        }
        for &g in globals.iter().filter(|g| !taken.contains(g)) {
            rename.push((copies.next[g], copies.now[g]));
        }
        Ok(CallReturn {
            as_relation: space.renaming(&as_relation)?,
            before: space.variable_set(&before)?,
            replaced: space.variable_set(&replaced)?,
            rename: space.renaming(&rename)?,
        })
    }
}

impl Copies {
    fn new(
        space: BddSpace,
        model: &Model,
        choice: VariableOrder,
        contexts: usize,
    ) -> Result<Self, BddError> {
        let entities = order(model, choice);
        let globals = model.globals as usize;
        let unset = || vec![vec![Var(0); globals]; contexts];
        let mut copies = Self {
            start: unset(),
            end: unset(),
            third: unset(),
            entry: Vec::new(),
            passed: Vec::new(),
            now: Vec::new(),
            next: Vec::new(),
            space,
            entities,
        };
        for i in 0..copies.entities.len() {
            if let Entity::Global(g) = copies.entities[i] {
                for context in 0..contexts {
                    let new = copies.space.add_variables(3)?;
                    copies.start[context][g.index()] = new[0];
                    copies.end[context][g.index()] = new[1];
                    copies.third[context][g.index()] = new[2];
                }
            }
            let new = copies.space.add_variables(4)?;
            copies.entry.push(new[0]);
            copies.now.push(new[1]);
            copies.next.push(new[2]);
            copies.passed.push(new[3]);
        }
        Ok(copies)
    }

    fn position(&self, e: Entity) -> usize {
        // Every entity of the model is in the list by construction.
        self.entities.iter().position(|x| *x == e).unwrap_or(0)
    }

    fn positions(&self, wanted: impl Fn(&Entity) -> bool) -> Vec<usize> {
        (0..self.entities.len()).filter(|&i| wanted(&self.entities[i])).collect()
    }

    fn pick(&self, copy: &[Var], positions: &[usize]) -> Vec<Var> {
        positions.iter().map(|&i| copy[i]).collect()
    }

    /// The variables of each pair are equal.
    pub(super) fn equal(&self, pairs: &[(Var, Var)]) -> Result<Bdd, BddError> {
        let mut sorted = pairs.to_vec();
        sorted.sort_unstable();
        let mut relation = self.space.top();
        for &(a, b) in sorted.iter().rev() {
            relation = self.space.variable(a)?.iff(&self.space.variable(b)?)?.and(&relation)?;
        }
        Ok(relation)
    }

    /// The value of a program variable now.
    pub fn now(&self, model: &Model, variable: VarId) -> Var {
        self.now[self.position(entity(model, variable))]
    }

    /// The value of a program variable when its procedure was entered.
    pub(super) fn entry(&self, model: &Model, variable: VarId) -> Var {
        self.entry[self.position(entity(model, variable))]
    }

    /// The value of a program variable in the middle of an operation.
    pub(super) fn next(&self, model: &Model, variable: VarId) -> Var {
        self.next[self.position(entity(model, variable))]
    }

    /// The globals at the start of a context.
    pub fn start(&self, context: usize) -> &[Var] {
        &self.start[context]
    }

    /// The globals at the end of a context.
    pub fn end(&self, context: usize) -> &[Var] {
        &self.end[context]
    }

    /// The third copy of a context.
    pub fn third(&self, context: usize) -> &[Var] {
        &self.third[context]
    }
}
