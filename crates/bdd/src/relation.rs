//! Relations between a state before and a state after, as diagrams.
//!
//! A [`Vocabulary`] gives every state variable three copies side by side in the order: before,
//! between and after. A relation is a [`Bdd`] over before and after; the middle copy exists only
//! inside [`Vocabulary::compose`]. Neighbouring copies keep the identity at three nodes for each
//! variable, and let the renamings inside a composition keep the order of the levels.

use std::sync::Arc;

use crate::{Bdd, BddError, BddSpace, Renaming, Var, VarSet};

/// The copies of the state variables, and the operations on relations over them.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    space: BddSpace,
    before: Vec<Var>,
    between: Vec<Var>,
    after: Vec<Var>,
    before_set: VarSet,
    between_set: VarSet,
    after_set: VarSet,
    after_to_between: Renaming,
    before_to_between: Renaming,
    after_to_before: Renaming,
    before_to_after: Renaming,
    swap: Renaming,
    identity: Bdd,
}

impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Vocabulary {}

impl Vocabulary {
    /// Adds three copies of `count` state variables to the space.
    pub fn new(space: &BddSpace, count: u32) -> Result<Self, BddError> {
        let vars = space.add_variables(3 * count)?;
        let copy = |k: usize| vars.iter().copied().skip(k).step_by(3).collect::<Vec<_>>();
        let (before, between, after) = (copy(0), copy(1), copy(2));
        let pairs = |from: &[Var], to: &[Var]| {
            from.iter().copied().zip(to.iter().copied()).collect::<Vec<_>>()
        };
        let mut swap = pairs(&before, &after);
        swap.extend(pairs(&after, &before));
        let mut identity = space.top();
        for (&old, &new) in before.iter().zip(&after).rev() {
            identity = space.variable(old)?.iff(&space.variable(new)?)?.and(&identity)?;
        }
        Ok(Self {
            inner: Arc::new(Inner {
                before_set: space.variable_set(&before)?,
                between_set: space.variable_set(&between)?,
                after_set: space.variable_set(&after)?,
                after_to_between: space.renaming(&pairs(&after, &between))?,
                before_to_between: space.renaming(&pairs(&before, &between))?,
                after_to_before: space.renaming(&pairs(&after, &before))?,
                before_to_after: space.renaming(&pairs(&before, &after))?,
                swap: space.renaming(&swap)?,
                space: space.clone(),
                before,
                between,
                after,
                identity,
            }),
        })
    }

    /// The space of the relations.
    pub fn space(&self) -> &BddSpace {
        &self.inner.space
    }

    /// How many state variables there are.
    pub fn len(&self) -> usize {
        self.inner.before.len()
    }

    /// Whether there is no state variable.
    pub fn is_empty(&self) -> bool {
        self.inner.before.is_empty()
    }

    /// The copies of the state variables before a step.
    pub fn before(&self) -> &[Var] {
        &self.inner.before
    }

    /// The copies of the state variables in the middle of a composition, for products of one's own. No
    /// relation depends on them.
    pub fn between(&self) -> &[Var] {
        &self.inner.between
    }

    /// The copies of the state variables after a step.
    pub fn after(&self) -> &[Var] {
        &self.inner.after
    }

    /// The relation that changes nothing.
    pub fn identity(&self) -> &Bdd {
        &self.inner.identity
    }

    /// The relation that keeps exactly the state variables with the given numbers and says nothing
    /// about the others.
    pub fn identity_on(&self, kept: &[usize]) -> Result<Bdd, BddError> {
        let mut sorted = kept.to_vec();
        sorted.sort_unstable();
        let mut relation = self.inner.space.top();
        for &i in sorted.iter().rev() {
            let (Some(&old), Some(&new)) = (self.inner.before.get(i), self.inner.after.get(i))
            else {
                let variables = self.inner.before.len() as u32;
                return Err(BddError::UnknownVariable { var: Var(i as u32), variables });
            };
            let space = &self.inner.space;
            relation = space.variable(old)?.iff(&space.variable(new)?)?.and(&relation)?;
        }
        Ok(relation)
    }

    /// First `first`, then `second`: the pairs `(a, c)` with `(a, b)` in the first relation and
    /// `(b, c)` in the second for some `b`.
    pub fn compose(&self, first: &Bdd, second: &Bdd) -> Result<Bdd, BddError> {
        let inner = &*self.inner;
        if *first == inner.identity {
            return Ok(second.clone());
        }
        if *second == inner.identity {
            return Ok(first.clone());
        }
        let first = first.rename(&inner.after_to_between)?;
        let second = second.rename(&inner.before_to_between)?;
        first.and_exists(&second, &inner.between_set)
    }

    /// The pairs the other way round.
    pub fn transpose(&self, relation: &Bdd) -> Result<Bdd, BddError> {
        relation.rename(&self.inner.swap)
    }

    /// The states from which the relation has a step, over the copies before.
    pub fn domain(&self, relation: &Bdd) -> Result<Bdd, BddError> {
        relation.exists(&self.inner.after_set)
    }

    /// The states to which the relation has a step, over the copies before.
    pub fn range(&self, relation: &Bdd) -> Result<Bdd, BddError> {
        relation.exists(&self.inner.before_set)?.rename(&self.inner.after_to_before)
    }

    /// The relation that keeps every state of `states` (over the copies before) and has no other
    /// step.
    pub fn identity_within(&self, states: &Bdd) -> Result<Bdd, BddError> {
        states.and(&self.inner.identity)
    }

    /// The states that one step leads to from a state of `states` (both over the copies before).
    pub fn image(&self, states: &Bdd, relation: &Bdd) -> Result<Bdd, BddError> {
        let after = relation.and_exists(states, &self.inner.before_set)?;
        after.rename(&self.inner.after_to_before)
    }

    /// The states from which one step leads into `states` (both over the copies before).
    pub fn preimage(&self, states: &Bdd, relation: &Bdd) -> Result<Bdd, BddError> {
        let after = states.rename(&self.inner.before_to_after)?;
        relation.and_exists(&after, &self.inner.after_set)
    }
}
