//! A model as relations on BDDs (LAL 3.5.1).
//!
//! The state is a vector of positions (see [`order`](super::order)). An edge is a relation between
//! the values before and after it; `*` is no variable of its own (see [`values`](super::values)).
//!
//! Calls go through three relations, in the words of the paper: `enter` is the weight of the call
//! rule (globals kept, parameters set, the callee's other locals open); the callee's weight is
//! projected to globals and results with the caller's locals put back; `receive` copies the
//! results into the caller's variables. Results are false except between a return and its
//! `receive`, so they cost nothing elsewhere.

use gnomon_bdd::{Bdd, BddError, BddSpace, Var, VarSet, Vocabulary};

use super::order::{Entity, VariableOrder, entity, order};
use super::values::Values;
use crate::interpret::PartialValues;
use crate::model::{Action, Edge, EdgeId, ExprId, Model, ProcId, Step, TRUE, ThreadAction, VarId};

/// The relation of an edge.
#[derive(Clone, Debug)]
pub enum EdgeRelation {
    /// Stays in the procedure.
    Step(Bdd),
    /// Calls.
    Call {
        /// From the caller's state to the callee's first state.
        enter: Bdd,
        /// From the state at the return (globals and results of the callee, locals of the caller)
        /// to the caller's next state.
        receive: Bdd,
    },
    /// Returns: sets the results and forgets the locals.
    Return(Bdd),
    /// Cannot be taken.
    Never,
}

/// A model as relations.
#[derive(Debug)]
pub struct Encoding<'m> {
    /// The model.
    pub model: &'m Model,
    vocabulary: Vocabulary,
    entities: Vec<Entity>,
    relations: Vec<EdgeRelation>,
    slots_after: VarSet,
    slots_kept: Bdd,
    initial: Bdd,
}

impl<'m> Encoding<'m> {
    /// Encodes a model in a new space of `capacity` nodes.
    pub fn new(
        model: &'m Model,
        choice: VariableOrder,
        capacity: usize,
        budget: &gnomon_budget::Budget,
    ) -> Result<Self, BddError> {
        let mut encoding = Self::without_edges(model, choice, capacity, budget)?;
        let relations: Result<_, _> = model.edges.iter().map(|e| encoding.relation(e)).collect();
        encoding.relations = relations?;
        Ok(encoding)
    }

    /// Only the variables, for questions about single steps.
    pub(crate) fn without_edges(
        model: &'m Model,
        choice: VariableOrder,
        capacity: usize,
        budget: &gnomon_budget::Budget,
    ) -> Result<Self, BddError> {
        let space = BddSpace::new(capacity)?;
        space.set_budget(budget.clone());
        let entities = order(model, choice);
        let vocabulary = Vocabulary::new(&space, entities.len() as u32)?;
        let slots = positions(&entities, |e| matches!(e, Entity::Slot(_)));
        let after: Vec<_> = slots.iter().map(|&i| vocabulary.after()[i]).collect();
        let mut encoding = Self {
            model,
            slots_after: space.variable_set(&after)?,
            slots_kept: vocabulary.identity_on(&slots)?,
            initial: space.top(),
            relations: Vec::new(),
            vocabulary,
            entities,
        };
        encoding.initial = encoding.initial_states()?;
        Ok(encoding)
    }

    /// The variables and the operations on relations.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The table of nodes.
    pub fn space(&self) -> &BddSpace {
        self.vocabulary.space()
    }

    /// The relation of an edge.
    pub fn of(&self, edge: EdgeId) -> &EdgeRelation {
        &self.relations[edge.index()]
    }

    /// The positions of the locals.
    pub fn slots(&self) -> Vec<usize> {
        positions(&self.entities, |e| matches!(e, Entity::Slot(_)))
    }

    /// The states in which `main` can start, over the copies before.
    pub fn initial(&self) -> &Bdd {
        &self.initial
    }

    /// What a call does to its caller, given what its callee does from entry to return.
    pub fn call_effect(&self, enter: &Bdd, receive: &Bdd, callee: &Bdd) -> Result<Bdd, BddError> {
        let returned = self.vocabulary.compose(enter, callee)?;
        let projected = returned.exists(&self.slots_after)?.and(&self.slots_kept)?;
        self.vocabulary.compose(&projected, receive)
    }

    /// The pairs of a relation that keep the locals, with the locals afterwards forgotten: from the
    /// caller's state at a call to globals and results at the return.
    pub fn with_locals_kept(&self, relation: &Bdd) -> Result<Bdd, BddError> {
        relation.and_exists(&self.slots_kept, &self.slots_after)
    }

    fn position(&self, e: Entity) -> usize {
        // Every entity of the model is in the list by construction.
        self.entities.iter().position(|x| *x == e).unwrap_or(0)
    }

    /// The variable's copy before a step.
    pub fn before(&self, variable: VarId) -> Var {
        self.vocabulary.before()[self.position(entity(self.model, variable))]
    }

    /// The variable's copy after a step.
    pub fn after(&self, variable: VarId) -> Var {
        self.vocabulary.after()[self.position(entity(self.model, variable))]
    }

    fn initial_states(&self) -> Result<Bdd, BddError> {
        let mut literals: Vec<_> =
            self.model.initial.iter().map(|&(v, value)| (self.before(v), value)).collect();
        let registers = positions(&self.entities, |e| matches!(e, Entity::Register(_)));
        literals.extend(registers.iter().map(|&i| (self.vocabulary.before()[i], false)));
        self.space().cube(&literals)
    }

    /// A set of states as a list of cubes over the variables in scope of a procedure.
    pub fn values(&self, variables: &[VarId], cube: &[(Var, bool)]) -> PartialValues {
        variables
            .iter()
            .filter_map(|&v| {
                let var = self.before(v);
                cube.iter().find(|l| l.0 == var).map(|l| (v, l.1))
            })
            .collect()
    }

    /// Removes from a set of states (over the copies before) all but the variables in scope.
    pub fn in_scope(&self, procedure: ProcId, states: &Bdd) -> Result<Bdd, BddError> {
        let kept: Vec<_> = self.model.scope(procedure).iter().map(|&v| self.before(v)).collect();
        let others: Vec<_> =
            self.vocabulary.before().iter().copied().filter(|v| !kept.contains(v)).collect();
        states.exists(&self.space().variable_set(&others)?)
    }

    fn relation(&self, edge: &Edge) -> Result<EdgeRelation, BddError> {
        Ok(match &edge.action {
            Action::Step(step) => EdgeRelation::Step(self.step(step)?),
            Action::Call { callee, arguments, results } => EdgeRelation::Call {
                enter: self.enter(*callee, arguments)?,
                receive: self.receive(results)?,
            },
            Action::Return { values } => EdgeRelation::Return(self.return_relation(values)?),
            Action::Thread(ThreadAction::AtomicBegin | ThreadAction::AtomicEnd) => {
                EdgeRelation::Step(self.vocabulary.identity().clone())
            }
            Action::Thread(_) => EdgeRelation::Never,
        })
    }

    fn literal(&self, position: usize, after: bool) -> Result<Bdd, BddError> {
        let copies = if after { self.vocabulary.after() } else { self.vocabulary.before() };
        self.space().variable(copies[position])
    }

    /// `x' can be e`: the new value of a position is one of the values of an expression.
    fn takes_value(&self, position: usize, e: ExprId) -> Result<Bdd, BddError> {
        let (can_be_true, can_be_false) = self.expression(e)?;
        self.literal(position, true)?.ite(&can_be_true, &can_be_false)
    }

    /// A relation that sets some positions and keeps, or forgets, the others.
    fn update(
        &self,
        assigned: &[(usize, ExprId)],
        open: impl Fn(&Entity) -> bool,
    ) -> Result<Bdd, BddError> {
        let kept: Vec<_> = (0..self.entities.len())
            .filter(|i| assigned.iter().all(|a| a.0 != *i) && !open(&self.entities[*i]))
            .collect();
        let mut relation = self.vocabulary.identity_on(&kept)?;
        for &(position, value) in assigned {
            relation = relation.and(&self.takes_value(position, value)?)?;
        }
        Ok(relation)
    }

    fn step(&self, step: &Step) -> Result<Bdd, BddError> {
        let assigned: Vec<_> = step
            .assignments
            .iter()
            .map(|&(v, e)| (self.position(entity(self.model, v)), e))
            .collect();
        let mut relation = self.update(&assigned, |_| false)?;
        for condition in [step.guard, step.constraint] {
            if condition != TRUE {
                relation = relation.and(&self.expression(condition)?.0)?;
            }
        }
        Ok(relation)
    }

    /// Whether some values meet the constraint of a step, its guard aside.
    pub(crate) fn can_meet_constraint(&self, step: &Step) -> Result<bool, BddError> {
        Ok(!self.step(&Step { guard: TRUE, ..step.clone() })?.is_false())
    }

    fn enter(&self, callee: ProcId, arguments: &[ExprId]) -> Result<Bdd, BddError> {
        let parameters = &self.model.procedure(callee).parameters;
        let assigned: Vec<_> = parameters
            .iter()
            .zip(arguments)
            .map(|(&p, &e)| (self.position(entity(self.model, p)), e))
            .collect();
        self.update(&assigned, |e| matches!(e, Entity::Slot(_)))
    }

    fn receive(&self, results: &[Option<VarId>]) -> Result<Bdd, BddError> {
        let targets: Vec<_> =
            results.iter().map(|r| r.map(|v| self.position(entity(self.model, v)))).collect();
        let is_target = |e: &Entity| targets.contains(&Some(self.position(*e)));
        let register = |e: &Entity| matches!(e, Entity::Register(_));
        let mut relation = self.update(&[], |e| register(e) || is_target(e))?;
        for (i, target) in targets.iter().enumerate() {
            // If a variable receives two results, the last one counts.
            if let Some(target) = *target
                && !targets[i + 1..].contains(&Some(target))
            {
                let result = self.literal(self.position(Entity::Register(i as u32)), false)?;
                relation = relation.and(&self.literal(target, true)?.iff(&result)?)?;
            }
        }
        for position in positions(&self.entities, register) {
            relation = relation.and(&self.literal(position, true)?.not()?)?;
        }
        Ok(relation)
    }

    fn return_relation(&self, values: &[ExprId]) -> Result<Bdd, BddError> {
        let assigned: Vec<_> = values
            .iter()
            .enumerate()
            .map(|(i, &e)| (self.position(Entity::Register(i as u32)), e))
            .collect();
        self.update(&assigned, |e| matches!(e, Entity::Slot(_)))
    }

    /// The functions *can be true* and *can be false* of an expression.
    pub fn expression(&self, root: ExprId) -> Result<(Bdd, Bdd), BddError> {
        let (before, after) = (|v| self.before(v), |v| self.after(v));
        Values { space: self.space(), exprs: &self.model.exprs, before: &before, after: &after }
            .of(root)
    }
}

fn positions(entities: &[Entity], wanted: impl Fn(&Entity) -> bool) -> Vec<usize> {
    (0..entities.len()).filter(|&i| wanted(&entities[i])).collect()
}
