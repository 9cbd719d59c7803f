//! What a finished call does to its caller (LAL 3.1, 3.5.1).
//!
//! A call has two relations. `enter` leads from the caller's valuation to the callee's first one. At
//! the return three valuations meet: the caller's before the call, the callee's last one and the
//! caller's behind the call; `receive` relates them. Predicates that the callee cannot change are
//! kept by `receive` from the caller's first valuation; the others follow from all that is known, or
//! are left open. With `e` and `r` the merge function is
//! `w₁ ⊗ {(v, v') : ∃u, w. e(v, u) ∧ w₂(u, w) ∧ r(v, w, v')}`.
//!
//! The callee's last valuation uses the middle copies of the vocabulary, so three copies suffice.

use std::sync::Arc;

use gnomon_bdd::{Bdd, BddError, Renaming, VarSet, Vocabulary};
use gnomon_wpds::RelationalSemiring;
use gnomon_wpds::domains::BddRelations;
use gnomon_wpds::semiring::Weighing;
use gnomon_wpds::{MergeFunction, Semiring};

/// The variables of the callee's last valuation.
#[derive(Debug)]
pub struct MiddleCopies {
    after_to_middle: Renaming,
    middle_to_after: Renaming,
    middle: VarSet,
    after: VarSet,
}

impl MiddleCopies {
    /// Of a vocabulary.
    pub fn new(vocabulary: &Vocabulary) -> Result<Arc<Self>, BddError> {
        let space = vocabulary.space();
        let (after, middle) = (vocabulary.after(), vocabulary.between());
        let pairs = |from: &[_], to: &[_]| from.iter().copied().zip(to.iter().copied()).collect();
        let (there, back): (Vec<_>, Vec<_>) = (pairs(after, middle), pairs(middle, after));
        Ok(Arc::new(Self {
            after_to_middle: space.renaming(&there)?,
            middle_to_after: space.renaming(&back)?,
            middle: space.variable_set(middle)?,
            after: space.variable_set(after)?,
        }))
    }
}

/// The merge function of one call.
#[derive(Clone, Debug)]
pub struct CallMerge {
    enter: Bdd,
    receive: Bdd,
    copies: Arc<MiddleCopies>,
}

impl CallMerge {
    /// Of a call with these relations; `receive` has the callee's last valuation in the middle copies.
    pub fn new(enter: Bdd, receive: Bdd, copies: Arc<MiddleCopies>) -> Self {
        Self { enter, receive, copies }
    }

    fn pull_back(&self, domain: &BddRelations, caller: &Bdd, goal: &Bdd) -> Weighing<Bdd> {
        let around = domain.extend(&domain.transpose(caller)?, goal)?;
        let last = around.and_exists(&self.receive, &self.copies.after)?;
        let last = last.rename(&self.copies.middle_to_after)?;
        domain.extend(&domain.transpose(&self.enter)?, &last)
    }
}

impl MergeFunction<BddRelations> for CallMerge {
    fn merge(&self, domain: &BddRelations, caller: &Bdd, callee: &Bdd) -> Weighing<Bdd> {
        let ended = domain.extend(&self.enter, callee)?.rename(&self.copies.after_to_middle)?;
        let call = ended.and_exists(&self.receive, &self.copies.middle)?;
        domain.extend(caller, &call)
    }

    fn adjoint(&self, domain: &BddRelations, caller: &Bdd, goal: &Bdd) -> Option<Weighing<Bdd>> {
        Some(self.pull_back(domain, caller, goal))
    }

    fn name(&self) -> &str {
        "call"
    }
}
