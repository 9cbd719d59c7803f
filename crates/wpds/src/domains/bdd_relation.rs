//! Relations between valuations of Boolean variables, as BDDs (LAL 2.4.2, 3.5.1).
//!
//! The variables have copies before and after a step side by side; `extend` is a relational product
//! that never builds the conjunction. Running out of nodes is an error of the operation. The
//! domain and its weights may be used by several threads; they share one table of nodes.

use gnomon_bdd::{Bdd, BddError, BddSpace, VarSet, Vocabulary};

use crate::domains::bdd_tensor::Powers;
use crate::semiring::{MergeFunction, RelationalSemiring, Semiring, Weighing, WeightError};

/// The relational domain over the state variables of a [`Vocabulary`].
#[derive(Clone, Debug)]
pub struct BddRelations {
    vocabulary: Vocabulary,
    zero: Bdd,
    powers: Powers,
}

impl BddRelations {
    /// The domain of all relations over `variables` Boolean variables, in a new space with room for
    /// `capacity` nodes.
    pub fn new(variables: u32, capacity: usize) -> Result<Self, BddError> {
        Ok(Self::over(Vocabulary::new(&BddSpace::new(capacity)?, variables)?))
    }

    /// The domain of all relations over a vocabulary.
    pub fn over(vocabulary: Vocabulary) -> Self {
        let zero = vocabulary.space().bottom();
        Self { vocabulary, zero, powers: Powers::default() }
    }

    /// The tensor domains that were made so far.
    pub(crate) fn powers(&self) -> &Powers {
        &self.powers
    }

    /// The variables and the operations on relations over them.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }
}

impl Semiring for BddRelations {
    type Weight = Bdd;

    fn zero(&self) -> Bdd {
        self.zero.clone()
    }

    fn one(&self) -> Bdd {
        self.vocabulary.identity().clone()
    }

    fn combine(&self, a: &Bdd, b: &Bdd) -> Weighing<Bdd> {
        Ok(a.or(b)?)
    }

    fn extend(&self, a: &Bdd, b: &Bdd) -> Weighing<Bdd> {
        Ok(self.vocabulary.compose(a, b)?)
    }

    fn is_zero(&self, a: &Bdd) -> bool {
        *a == self.zero
    }

    fn is_one(&self, a: &Bdd) -> bool {
        a == self.vocabulary.identity()
    }

    fn diff(&self, a: &Bdd, b: &Bdd) -> Option<Weighing<Bdd>> {
        Some(a.minus(b).map_err(WeightError::from))
    }

    fn admit(&self, w: &Bdd) -> Weighing<()> {
        if w.space() == self.vocabulary.space() {
            Ok(())
        } else {
            Err(WeightError::Foreign("a diagram of another space".to_owned()))
        }
    }
}

impl RelationalSemiring for BddRelations {
    /// A set of valuations, over the copies before a step.
    type Stores = Bdd;

    fn transpose(&self, w: &Bdd) -> Weighing<Bdd> {
        Ok(self.vocabulary.transpose(w)?)
    }

    fn intersect(&self, a: &Bdd, b: &Bdd) -> Weighing<Bdd> {
        Ok(a.and(b)?)
    }

    /// Sets of stores tell most cases apart before relations have to be composed.
    fn chain_meets(&self, first: &Bdd, second: &Bdd, goal: &Bdd) -> Weighing<bool> {
        let v = &self.vocabulary;
        let passes = |from: &Bdd, to: &Bdd| -> Weighing<bool> {
            Ok(v.image(from, first)?.intersects(&v.preimage(to, second)?)?)
        };
        if !passes(&v.domain(goal)?, &v.range(goal)?)? {
            return Ok(false);
        }
        if goal.is_true() {
            return Ok(true);
        }
        // A cube of the goal is a product of a set before and a set after: meeting it is exact.
        let possible = goal.and(&v.domain(first)?)?;
        if let Some(cube) = possible.pick_cube() {
            let cube = v.space().cube(&cube)?;
            if passes(&v.domain(&cube)?, &v.range(&cube)?)? {
                return Ok(true);
            }
        }
        self.meets(&self.extend(first, second)?, goal)
    }

    fn full(&self) -> Bdd {
        self.vocabulary.space().top()
    }

    fn sources(&self, w: &Bdd) -> Weighing<Bdd> {
        Ok(self.vocabulary.domain(w)?)
    }

    fn targets(&self, w: &Bdd) -> Weighing<Bdd> {
        Ok(self.vocabulary.range(w)?)
    }

    fn common(&self, a: &Bdd, b: &Bdd) -> Weighing<Bdd> {
        Ok(a.and(b)?)
    }

    fn union(&self, a: &Bdd, b: &Bdd) -> Weighing<Bdd> {
        Ok(a.or(b)?)
    }

    fn no_stores(&self) -> Bdd {
        self.zero.clone()
    }

    fn identity_on(&self, stores: &Bdd) -> Weighing<Bdd> {
        Ok(self.vocabulary.identity_within(stores)?)
    }
}

/// The merge function of Boolean programs (LAL 3.5.1): `w₁ ⊗ project(call ⊗ w₂)`, where `project`
/// keeps what the callee did to the globals and gives the locals back the values that they had
/// before the call.
///
/// The callee's weight `w₂` does not contain the push rule. Departure from the paper, whose call
/// rules bind nothing: the weight of the rule (parameters bound, locals of the callee open) is put
/// in front of the callee here, so that the callee sees exactly what the caller passes.
#[derive(Clone, Debug)]
pub struct LocalsMerge {
    call: Bdd,
    locals_after: VarSet,
    kept_locals: Bdd,
}

impl LocalsMerge {
    /// The merge function of a call with the weight `call`; `locals` are the numbers of the state
    /// variables that a callee must not change.
    pub fn new(domain: &BddRelations, call: Bdd, locals: &[usize]) -> Weighing<Self> {
        let vocabulary = domain.vocabulary();
        let kept_locals = vocabulary.identity_on(locals)?;
        let after: Vec<_> = locals.iter().map(|&i| vocabulary.after()[i]).collect();
        let locals_after = vocabulary.space().variable_set(&after)?;
        Ok(Self { call, locals_after, kept_locals })
    }

    /// The pairs `x` such that `caller ⊗ project(call ⊗ {x})` meets the goal.
    fn pull_back(&self, domain: &BddRelations, caller: &Bdd, goal: &Bdd) -> Weighing<Bdd> {
        let projected = domain.extend(&domain.transpose(caller)?, goal)?;
        let through = projected.and_exists(&self.kept_locals, &self.locals_after)?;
        domain.extend(&domain.transpose(&self.call)?, &through)
    }
}

impl MergeFunction<BddRelations> for LocalsMerge {
    fn merge(&self, domain: &BddRelations, caller: &Bdd, callee: &Bdd) -> Weighing<Bdd> {
        let through = domain.extend(&self.call, callee)?;
        let projected = through.exists(&self.locals_after)?.and(&self.kept_locals)?;
        domain.extend(caller, &projected)
    }

    fn adjoint(&self, domain: &BddRelations, caller: &Bdd, goal: &Bdd) -> Option<Weighing<Bdd>> {
        Some(self.pull_back(domain, caller, goal))
    }

    fn name(&self) -> &str {
        "locals"
    }
}
