//! The copies of the state that context-bounded analysis speaks about, and their order.
//!
//! A position of the state (a global, a local, a result: see [`order`](crate::symbolic::order)) has
//! in each context the copies *entry* (when the procedure was entered in that context), *now*,
//! *next* (only inside an operation) and *passed* (arguments on their way to a callee). A global
//! also has its value at the *start* of the context; its value at the *end* is what *now* is when
//! the thread leaves, so a thread that goes on to its next context has its ends (LAL Figure 7.5: ḡ₂)
//! without moving anything. Composing effects needs a *third* copy, for which *next* is free.
//!
//! Two orders make sense. [`Arrangement::ByPosition`] keeps all copies of one position together, so
//! that values which are handed on unchanged cost nothing. [`Arrangement::ByContext`] keeps all
//! positions of one context together: what a thread does in one context and in another is related
//! only by where it stands, so its effects are chains of small relations, and the effects of
//! counters do not multiply.

use gnomon_bdd::{Bdd, BddError, BddSpace, Var};

use crate::model::{Model, VarId};
use crate::symbolic::order::{Entity, VariableOrder, entity, order};

/// What comes first in the order of the copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// All copies of one position are neighbours.
    ByPosition,
    /// All copies that belong to one context are neighbours, within it those of one position.
    ByContext,
}

/// The copies of one context.
#[derive(Debug)]
pub(super) struct ContextCopies {
    /// By global.
    pub(super) start: Vec<Var>,
    pub(super) end: Vec<Var>,
    pub(super) third: Vec<Var>,
    /// By position.
    pub(super) entry: Vec<Var>,
    pub(super) now: Vec<Var>,
    pub(super) next: Vec<Var>,
    pub(super) passed: Vec<Var>,
}

/// The copies of all positions.
#[derive(Debug)]
pub struct Copies {
    space: BddSpace,
    entities: Vec<Entity>,
    contexts: Vec<ContextCopies>,
}

impl Copies {
    pub(super) fn new(
        space: BddSpace,
        model: &Model,
        choice: VariableOrder,
        arrangement: Arrangement,
        contexts: usize,
    ) -> Result<Self, BddError> {
        let entities = order(model, choice);
        let globals = model.globals as usize;
        let unset = |_| ContextCopies {
            start: vec![Var(0); globals],
            end: vec![Var(0); globals],
            third: vec![Var(0); globals],
            entry: vec![Var(0); entities.len()],
            now: vec![Var(0); entities.len()],
            next: vec![Var(0); entities.len()],
            passed: vec![Var(0); entities.len()],
        };
        let places: Vec<(usize, usize)> = match arrangement {
            Arrangement::ByPosition => {
                (0..entities.len()).flat_map(|p| (0..contexts).map(move |c| (c, p))).collect()
            }
            Arrangement::ByContext => {
                (0..contexts).flat_map(|c| (0..entities.len()).map(move |p| (c, p))).collect()
            }
        };
        let mut copies = Self { contexts: (0..contexts).map(unset).collect(), space, entities };
        for (context, position) in places {
            let own = &mut copies.contexts[context];
            let global = match copies.entities[position] {
                Entity::Global(g) => Some(g.index()),
                Entity::Slot(_) | Entity::Register(_) => None,
            };
            if let Some(g) = global {
                own.start[g] = copies.space.add_variables(1)?[0];
            }
            let new = copies.space.add_variables(4)?;
            own.entry[position] = new[0];
            own.now[position] = new[1];
            own.next[position] = new[2];
            own.passed[position] = new[3];
            if let Some(g) = global {
                own.end[g] = new[1];
                own.third[g] = new[2];
            }
        }
        Ok(copies)
    }

    pub(super) fn space(&self) -> &BddSpace {
        &self.space
    }

    pub(super) fn of(&self, context: usize) -> &ContextCopies {
        &self.contexts[context]
    }

    /// How many contexts there are copies for.
    pub(super) fn contexts(&self) -> usize {
        self.contexts.len()
    }

    pub(super) fn position(&self, e: Entity) -> usize {
        // Every entity of the model is in the list by construction.
        self.entities.iter().position(|x| *x == e).unwrap_or(0)
    }

    /// The positions of all locals.
    pub(super) fn slots(&self) -> Vec<usize> {
        (0..self.entities.len()).filter(|&i| matches!(self.entities[i], Entity::Slot(_))).collect()
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

    /// The value of a program variable now, in a context.
    pub(super) fn now(&self, context: usize, model: &Model, variable: VarId) -> Var {
        self.contexts[context].now[self.position(entity(model, variable))]
    }

    /// The values of all globals when a procedure was entered in a context.
    pub(super) fn entered(&self, context: usize, model: &Model) -> Vec<Var> {
        let own = &self.contexts[context].entry;
        model.global_ids().map(|g| own[self.position(Entity::Global(g))]).collect()
    }

    /// The globals at the start of a context.
    pub fn start(&self, context: usize) -> &[Var] {
        &self.contexts[context].start
    }

    /// The globals at the end of a context, and while it lasts.
    pub fn end(&self, context: usize) -> &[Var] {
        &self.contexts[context].end
    }

    /// The third copy of the globals in a context.
    pub fn third(&self, context: usize) -> &[Var] {
        &self.contexts[context].third
    }
}

/// Variables of two copies in pairs.
pub(super) fn pairs(from: &[Var], to: &[Var]) -> Vec<(Var, Var)> {
    from.iter().copied().zip(to.iter().copied()).collect()
}

/// Some positions of a copy.
pub(super) fn pick(copy: &[Var], positions: &[usize]) -> Vec<Var> {
    positions.iter().map(|&i| copy[i]).collect()
}
