//! The edges of the program over the copies of a context, and the moves between contexts.
//!
//! Edges are kept as relations over *now* and the *next* copies of what they assign; everything
//! else is untouched and costs nothing, however many contexts there are. See
//! [`copies`](super::copies) for the copies.

use gnomon_bdd::{Bdd, BddError, BddSpace, Renaming, Var, VarSet};
use gnomon_budget::Budget;

use super::copies::{Arrangement, Copies, pairs, pick};
use super::system::ThreadSystem;
use crate::model::{Action, Edge, ExprId, ProcId, Step, TRUE, VarId};
use crate::symbolic::order::{Entity, VariableOrder, entity};
use crate::symbolic::values::Values;

/// Replaces the values of some positions: forget `old`, then rename the new ones.
#[derive(Clone, Debug)]
pub(super) struct Replacement {
    old: VarSet,
    rename: Option<Renaming>,
}

/// An edge over the copies of one context.
#[derive(Debug)]
pub(super) enum EdgeRelation {
    /// Stays in the procedure.
    Step { relation: Bdd, replaced: Replacement },
    /// Calls.
    Call(CallRelation),
    /// Returns.
    Return { results: Bdd },
}

/// A call.
#[derive(Debug)]
pub(super) struct CallRelation {
    /// From *now* to *passed*.
    arguments: Bdd,
    passed_to_now: Option<Renaming>,
    same_as_entry: Bdd,
    /// What becomes of the results.
    taken: Replacement,
}

/// What all edges of one context share.
#[derive(Debug)]
struct ContextSets {
    /// Values that a callee does not see: what its caller was entered with, and its locals.
    unseen_by_callee: VarSet,
    locals_now: VarSet,
    globals_now: VarSet,
    /// The globals now are those at the start of the context.
    arrive: Bdd,
    /// The locals come from the context before.
    locals_from_before: Option<Renaming>,
    not_atomic: Bdd,
    /// The state of a caller that waits, with *next* for its globals.
    waits: Renaming,
    /// The same for what the callee was entered with.
    entered: Renaming,
    /// What caller and callee have in common.
    shared: VarSet,
}

/// A system over BDD variables for up to a number of contexts.
#[derive(Debug)]
pub struct ContextEncoding<'s> {
    /// The system.
    pub system: &'s ThreadSystem,
    arrangement: Arrangement,
    copies: Copies,
    /// By context, by edge.
    edges: Vec<Vec<EdgeRelation>>,
    sets: Vec<ContextSets>,
    entry_set: VarSet,
    /// Of all contexts.
    locals_now: VarSet,
    locals_next: VarSet,
    initial_now: Bdd,
}

/// Up to this many globals a relation between all of them in one context and all of them in the
/// next is affordable, whatever it is (BENCH.md compares the arrangements).
const FEW_GLOBALS: usize = 11;

impl<'s> ContextEncoding<'s> {
    /// Encodes a system for contexts `0` to `contexts - 1`.
    pub fn new(
        system: &'s ThreadSystem,
        contexts: usize,
        choice: VariableOrder,
        capacity: usize,
        budget: &Budget,
    ) -> Result<Self, BddError> {
        let few = system.model.globals as usize <= FEW_GLOBALS;
        let arrangement = if few { Arrangement::ByContext } else { Arrangement::ByPosition };
        Self::arranged(system, contexts, (choice, arrangement), capacity, budget)
    }

    /// The same with a given order of the copies.
    pub fn arranged(
        system: &'s ThreadSystem,
        contexts: usize,
        (choice, arrangement): (VariableOrder, Arrangement),
        capacity: usize,
        budget: &Budget,
    ) -> Result<Self, BddError> {
        let model = &system.model;
        let space = BddSpace::new(capacity)?;
        space.set_budget(budget.clone());
        let copies = Copies::new(space.clone(), model, choice, arrangement, contexts)?;
        let slots = copies.slots();
        let all = |copy: &dyn Fn(usize) -> Vec<Var>| -> Result<VarSet, BddError> {
            space.variable_set(&(0..contexts).flat_map(copy).collect::<Vec<_>>())
        };
        let initial: Vec<_> =
            model.initial.iter().map(|&(v, value)| (copies.now(0, model, v), value)).collect();
        let mut encoding = Self {
            system,
            arrangement,
            sets: Vec::new(),
            entry_set: all(&|c| copies.of(c).entry.clone())?,
            locals_now: all(&|c| pick(&copies.of(c).now, &slots))?,
            locals_next: all(&|c| pick(&copies.of(c).next, &slots))?,
            initial_now: space.cube(&initial)?,
            edges: Vec::new(),
            copies,
        };
        for context in 0..contexts {
            let sets = encoding.context_sets(context)?;
            encoding.sets.push(sets);
            let edges: Result<_, _> =
                model.edges.iter().map(|e| encoding.edge_relation(context, e)).collect();
            encoding.edges.push(edges?);
        }
        Ok(encoding)
    }

    fn context_sets(&self, context: usize) -> Result<ContextSets, BddError> {
        let (copies, space) = (&self.copies, self.space());
        let (own, slots) = (copies.of(context), copies.slots());
        let locals = pick(&own.now, &slots);
        let mut unseen: Vec<Var> =
            (0..copies.contexts()).flat_map(|c| copies.of(c).entry.iter().copied()).collect();
        unseen.extend(&locals);
        let entered = self.copies.entered(context, &self.system.model);
        let mut callers = pairs(&entered, &own.third);
        callers.extend(pairs(&pick(&own.entry, &slots), &pick(&own.passed, &slots)));
        let shared: Vec<Var> = callers.iter().map(|p| p.1).collect();
        Ok(ContextSets {
            unseen_by_callee: space.variable_set(&unseen)?,
            locals_now: space.variable_set(&locals)?,
            globals_now: space.variable_set(&own.end)?,
            arrive: copies.equal(&pairs(&own.end, &own.start))?,
            locals_from_before: match context.checked_sub(1) {
                Some(before) => {
                    let old = pick(&copies.of(before).now, &slots);
                    Some(space.renaming(&pairs(&old, &locals))?)
                }
                None => None,
            },
            not_atomic: match self.system.atomic {
                Some(flag) => {
                    space.literal(copies.now(context, &self.system.model, flag), false)?
                }
                None => space.top(),
            },
            waits: space.renaming(&pairs(&own.end, &own.third))?,
            entered: space.renaming(&callers)?,
            shared: space.variable_set(&shared)?,
        })
    }

    /// The table of nodes.
    pub fn space(&self) -> &BddSpace {
        self.copies.space()
    }

    /// The order of the copies.
    pub fn arrangement(&self) -> Arrangement {
        self.arrangement
    }

    /// The copies of the variables.
    pub fn copies(&self) -> &Copies {
        &self.copies
    }

    /// How many contexts there is room for.
    pub fn contexts(&self) -> usize {
        self.copies.contexts()
    }

    pub(super) fn edge(&self, context: usize, index: usize) -> &EdgeRelation {
        &self.edges[context][index]
    }

    /// The first values of the globals, over *now* of the first context.
    pub fn initial_now(&self) -> &Bdd {
        &self.initial_now
    }

    /// The start of the first context, to be forgotten.
    pub(super) fn first_start_set(&self) -> Result<VarSet, BddError> {
        self.space().variable_set(self.copies.start(0))
    }

    /// A set over *now* as one over the start of the first context.
    pub fn now_to_first_start(&self, states: &Bdd) -> Result<Bdd, BddError> {
        let renaming = self.space().renaming(&pairs(self.copies.end(0), self.copies.start(0)))?;
        states.exists(&self.locals_now)?.rename(&renaming)
    }

    /// States in which the thread can be switched; *now* is then the end of `context`.
    pub fn leave(&self, context: usize, reached: &Bdd) -> Result<Bdd, BddError> {
        reached.and(&self.sets[context].not_atomic)
    }

    /// A relation between the globals *now* and *next* of the first context, restricted to states in
    /// which threads can be switched.
    pub(super) fn between_switches(&self, relation: &Bdd) -> Result<Bdd, BddError> {
        let relation = relation.and(&self.sets[0].not_atomic)?;
        match self.system.atomic {
            Some(flag) => {
                let next = self.copies.third(0)[flag.index()];
                relation.and(&self.space().literal(next, false)?)
            }
            None => Ok(relation),
        }
    }

    /// The others change the globals.
    pub(super) fn interfere(&self, states: &Bdd, interference: &Bdd) -> Result<Bdd, BddError> {
        let back = self.space().renaming(&pairs(self.copies.third(0), self.copies.end(0)))?;
        states.and_exists(interference, &self.sets[0].globals_now)?.rename(&back)
    }

    /// The changes of globals that a step of the first context makes, from *now* to *next*, or
    /// nothing if it makes none.
    pub(super) fn changes_of_step(
        &self,
        states: &Bdd,
        step: &Step,
        relation: &Bdd,
    ) -> Result<Option<Bdd>, BddError> {
        let globals = self.system.model.globals;
        let assigned = |g: VarId| step.assignments.iter().any(|a| a.0 == g);
        if !step.assignments.iter().any(|a| a.0.0 < globals) {
            return Ok(None);
        }
        let pairs = states.and_exists(relation, &self.locals_now)?.exists(&self.entry_set)?;
        Ok(Some(pairs.exists(&self.locals_next)?.and(&self.kept(assigned)?)?))
    }

    /// The changes of globals that take a result, given the states afterwards; the value before is
    /// taken to be anything.
    pub(super) fn changes_of_results(
        &self,
        after: &Bdd,
        results: &[Option<VarId>],
    ) -> Result<Option<Bdd>, BddError> {
        let is_target = |g: VarId| results.contains(&Some(g));
        if !self.system.model.global_ids().any(is_target) {
            return Ok(None);
        }
        let states = self.project_effect(after)?.rename(&self.sets[0].waits)?;
        Ok(Some(states.and(&self.kept(is_target)?)?))
    }

    /// All globals but some are the same *now* and *next*, in the first context.
    fn kept(&self, changed: impl Fn(VarId) -> bool) -> Result<Bdd, BddError> {
        let kept: Vec<_> = (self.system.model.global_ids())
            .filter(|g| !changed(*g))
            .map(|g| (self.copies.end(0)[g.index()], self.copies.third(0)[g.index()]))
            .collect();
        self.copies.equal(&kept)
    }

    /// What a thread did to the globals, from the starts of its contexts to their ends.
    pub fn project_effect(&self, left: &Bdd) -> Result<Bdd, BddError> {
        left.exists(&self.entry_set)?.exists(&self.locals_now)
    }

    /// Only the starts and ends of the contexts that are over.
    pub fn project_history(&self, context: usize, states: &Bdd) -> Result<Bdd, BddError> {
        self.project_effect(states)?.exists(&self.sets[context].globals_now)
    }

    /// The thread goes on: the globals now are those at the start of `context`.
    pub fn arrive(&self, context: usize, waiting: &Bdd) -> Result<Bdd, BddError> {
        let sets = &self.sets[context];
        match &sets.locals_from_before {
            Some(renaming) => waiting.rename(renaming)?.and(&sets.arrive),
            None => waiting.and(&sets.arrive),
        }
    }

    /// Applies a step to states.
    pub(super) fn step(
        &self,
        states: &Bdd,
        relation: &Bdd,
        replaced: &Replacement,
    ) -> Result<Bdd, BddError> {
        let after = states.and_exists(relation, &replaced.old)?;
        match &replaced.rename {
            Some(renaming) => after.rename(renaming),
            None => Ok(after),
        }
    }

    /// The first states of a callee.
    pub(super) fn enter(
        &self,
        context: usize,
        states: &Bdd,
        call: &CallRelation,
    ) -> Result<Bdd, BddError> {
        let states = states.and_exists(&call.arguments, &self.sets[context].unseen_by_callee)?;
        let states = match &call.passed_to_now {
            Some(renaming) => states.rename(renaming)?,
            None => states,
        };
        states.and(&call.same_as_entry)
    }

    /// A summary: entry, globals now, and the results in *next*.
    pub(super) fn summary(
        &self,
        context: usize,
        states: &Bdd,
        results: &Bdd,
    ) -> Result<Bdd, BddError> {
        states.and_exists(results, &self.sets[context].locals_now)
    }

    /// The caller's states after its callee, which was called in the context `called`, returned in
    /// the context `context`; `call` is the edge in `called`, `back` the same edge in `context`.
    pub(super) fn receive(
        &self,
        (called, context): (usize, usize),
        at_call: &Bdd,
        (call, back): (&CallRelation, &CallRelation),
        summary: &Bdd,
    ) -> Result<Bdd, BddError> {
        let sets = &self.sets[called];
        let waiting = at_call.and(&call.arguments)?.rename(&sets.waits)?;
        let mut after = waiting.and_exists(&summary.rename(&sets.entered)?, &sets.shared)?;
        for later in &self.sets[called + 1..=context] {
            if let Some(renaming) = &later.locals_from_before {
                after = after.rename(renaming)?;
            }
        }
        let after = after.exists(&back.taken.old)?;
        match &back.taken.rename {
            Some(renaming) => after.rename(renaming),
            None => Ok(after),
        }
    }

    fn edge_relation(&self, context: usize, edge: &Edge) -> Result<EdgeRelation, BddError> {
        match &edge.action {
            Action::Step(step) => self.step_relation(context, step),
            Action::Call { callee, arguments, results } => {
                Ok(EdgeRelation::Call(self.call_relation(context, *callee, arguments, results)?))
            }
            Action::Return { values } => {
                let mut relation = self.space().top();
                for (i, &value) in values.iter().enumerate() {
                    let register = self.register(context, i);
                    relation = relation.and(&self.takes(context, register, value)?)?;
                }
                Ok(EdgeRelation::Return { results: relation })
            }
            // A system has no operations on threads.
            Action::Thread(_) => self.step_relation(context, &Step::assume(crate::model::FALSE)),
        }
    }

    fn register(&self, context: usize, result: usize) -> Var {
        let position = self.copies.position(Entity::Register(result as u32));
        self.copies.of(context).next[position]
    }

    fn step_relation(&self, context: usize, step: &Step) -> Result<EdgeRelation, BddError> {
        let (copies, model, space) = (&self.copies, &self.system.model, self.space());
        let own = copies.of(context);
        let assigned: Vec<_> =
            step.assignments.iter().map(|&(v, e)| (copies.position(entity(model, v)), e)).collect();
        let mut relation = space.top();
        for &(position, value) in &assigned {
            relation = relation.and(&self.takes(context, own.next[position], value)?)?;
        }
        let before = |v: VarId| copies.now(context, model, v);
        let after = |v: VarId| {
            let position = copies.position(entity(model, v));
            let is_assigned = assigned.iter().any(|a| a.0 == position);
            if is_assigned { own.next[position] } else { own.now[position] }
        };
        let values = Values { space, exprs: &model.exprs, before: &before, after: &after };
        for condition in [step.guard, step.constraint] {
            if condition != TRUE {
                relation = relation.and(&values.of(condition)?.0)?;
            }
        }
        let places: Vec<_> = assigned.iter().map(|a| a.0).collect();
        let old = pick(&own.now, &places);
        let rename = pairs(&pick(&own.next, &places), &old);
        Ok(EdgeRelation::Step { relation, replaced: self.replacement(&old, &rename)? })
    }

    fn replacement(&self, old: &[Var], rename: &[(Var, Var)]) -> Result<Replacement, BddError> {
        let space = self.space();
        let renaming = if rename.is_empty() { None } else { Some(space.renaming(rename)?) };
        Ok(Replacement { old: space.variable_set(old)?, rename: renaming })
    }

    /// `target` is one of the values of an expression over *now*.
    fn takes(&self, context: usize, target: Var, value: ExprId) -> Result<Bdd, BddError> {
        let model = &self.system.model;
        let now = |v: VarId| self.copies.now(context, model, v);
        let values = Values { space: self.space(), exprs: &model.exprs, before: &now, after: &now };
        let (can_be_true, can_be_false) = values.of(value)?;
        self.space().variable(target)?.ite(&can_be_true, &can_be_false)
    }

    fn call_relation(
        &self,
        context: usize,
        callee: ProcId,
        arguments: &[ExprId],
        results: &[Option<VarId>],
    ) -> Result<CallRelation, BddError> {
        let (copies, space, model) = (&self.copies, self.space(), &self.system.model);
        let own = copies.of(context);
        let parameters: Vec<usize> = (model.procedure(callee).parameters.iter())
            .map(|&p| copies.position(entity(model, p)))
            .collect();
        let mut relation = space.top();
        for (&place, &argument) in parameters.iter().zip(arguments) {
            relation = relation.and(&self.takes(context, own.passed[place], argument)?)?;
        }
        let passed = pairs(&pick(&own.passed, &parameters), &pick(&own.now, &parameters));
        let mut same = pairs(&copies.entered(context, model), &own.end);
        same.extend(pairs(&pick(&own.entry, &parameters), &pick(&own.now, &parameters)));
        Ok(CallRelation {
            arguments: relation,
            passed_to_now: if passed.is_empty() { None } else { Some(space.renaming(&passed)?) },
            same_as_entry: copies.equal(&same)?,
            taken: self.taken(context, results)?,
        })
    }

    /// Results go to the variables that take them.
    fn taken(&self, context: usize, results: &[Option<VarId>]) -> Result<Replacement, BddError> {
        let mut replaced = Vec::new();
        let mut rename = Vec::new();
        for (i, target) in results.iter().enumerate() {
            let register = self.register(context, i);
            // If a variable receives two results, the last one counts.
            match target.filter(|v| !results[i + 1..].contains(&Some(*v))) {
                Some(variable) => {
                    let place = self.copies.now(context, &self.system.model, variable);
                    replaced.push(place);
                    rename.push((register, place));
                }
                None => replaced.push(register),
            }
        }
        self.replacement(&replaced, &rename)
    }
}
