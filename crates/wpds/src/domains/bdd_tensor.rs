//! Tensor products of BDD relations: the conjunction over copies of the variables (LAL 6.6, "taking
//! their tensor product reduces to concatenating BDDs").
//!
//! One copy of all variables lies behind the other in the order: what the factors do depends little
//! on each other, so that a diagram of a tensor is about the sum of those of its factors and not the
//! product. (With the copies of each variable side by side, four contexts of threads with four
//! variables took twenty times as long.) To put factors in sequence, each one is moved into the copy of
//! the first, variable by variable: linked, hidden, and its end moved beside the beginning, before the
//! next variable is linked. All variables at once would first make relations between distant copies,
//! which are large.
//!
//! All tensors of an arity share one set of copies, made when it is first asked for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use gnomon_bdd::{Bdd, BddError, Renaming, Var, VarSet, Vocabulary};

use crate::domains::bdd_relation::BddRelations;
use crate::semiring::{Semiring, Weighing};
use crate::transducer::{TensorOf, TensorProduct};

/// The tensor domains that were made for a relational domain, by arity.
pub(crate) type Powers = Arc<Mutex<BTreeMap<usize, BddPower>>>;

/// The relations on tuples of valuations of one length.
#[derive(Clone, Debug)]
pub struct BddPower {
    inner: Arc<Inner>,
}

/// The renamings and quantifications for one factor.
#[derive(Debug)]
struct Factor {
    /// A weight moved to this factor.
    place: Renaming,
    /// A weight moved in front of this factor, which begins in the middle then, and behind it.
    place_left: Renaming,
    place_right: Renaming,
    open_left: Renaming,
    open_right: Renaming,
    between: VarSet,
    /// The factor read backwards.
    turn: Renaming,
    /// For all but the first: how it is put behind the sequence so far, which is in the first copy.
    follow: Vec<Follow>,
}

/// Puts one variable of a factor behind the sequence so far.
#[derive(Debug)]
struct Follow {
    /// The sequence ends with the value with which the factor begins; both are hidden.
    link: Bdd,
    hidden: VarSet,
    /// The value at the end of the factor, and what it becomes: that at the end of the sequence.
    end: Var,
    sequence_end: Bdd,
}

#[derive(Debug)]
struct Inner {
    tuples: BddRelations,
    factors: Vec<Factor>,
    /// From the ends of the whole sequence to the variables of the base domain.
    ends: Renaming,
}

impl BddPower {
    fn new(base: &BddRelations, arity: usize) -> Result<Self, BddError> {
        let vocabulary = base.vocabulary();
        let space = vocabulary.space();
        let count = vocabulary.len();
        let copies = u32::try_from(count * arity).unwrap_or(u32::MAX / 3);
        let tuples = Vocabulary::new(space, copies)?;
        // Copy `c` of variable `i` is state variable `c * count + i` of the tuples.
        let copy = |vars: &[Var], c: usize| vars[c * count..(c + 1) * count].to_vec();
        let sequence_end = copy(tuples.after(), 0);
        let rename = |parts: &[(&[Var], &[Var])]| {
            let pairs: Vec<(Var, Var)> = parts
                .iter()
                .flat_map(|(from, to)| from.iter().copied().zip(to.iter().copied()))
                .collect();
            space.renaming(&pairs)
        };
        let (old, new) = (vocabulary.before(), vocabulary.after());
        let mut factors = Vec::with_capacity(arity);
        for c in 0..arity {
            let begin = copy(tuples.before(), c);
            let middle = copy(tuples.between(), c);
            let end = copy(tuples.after(), c);
            let mut follow = Vec::new();
            for i in (0..count).filter(|_| c > 0) {
                let last = space.variable(sequence_end[i])?;
                follow.push(Follow {
                    link: last.iff(&space.variable(begin[i])?)?,
                    hidden: space.variable_set(&[sequence_end[i], begin[i]])?,
                    end: end[i],
                    sequence_end: last,
                });
            }
            factors.push(Factor {
                place: rename(&[(old, &begin), (new, &end)])?,
                place_left: rename(&[(old, &begin), (new, &middle)])?,
                place_right: rename(&[(old, &middle), (new, &end)])?,
                open_left: rename(&[(&begin, &middle)])?,
                open_right: rename(&[(&end, &middle)])?,
                between: space.variable_set(&middle)?,
                turn: rename(&[(&begin, &end), (&end, &begin)])?,
                follow,
            });
        }
        let ends = rename(&[(&copy(tuples.before(), 0), old), (&sequence_end, new)])?;
        Ok(Self { inner: Arc::new(Inner { tuples: BddRelations::over(tuples), factors, ends }) })
    }

    fn factor(&self, position: usize) -> Result<&Factor, BddError> {
        let unknown = || BddError::UnknownVariable {
            var: Var(u32::try_from(position).unwrap_or(u32::MAX)),
            variables: u32::try_from(self.inner.factors.len()).unwrap_or(u32::MAX),
        };
        self.inner.factors.get(position).ok_or_else(unknown)
    }
}

impl Semiring for BddPower {
    type Weight = Bdd;

    fn zero(&self) -> Bdd {
        self.inner.tuples.zero()
    }

    fn one(&self) -> Bdd {
        self.inner.tuples.one()
    }

    fn combine(&self, a: &Bdd, b: &Bdd) -> Weighing<Bdd> {
        self.inner.tuples.combine(a, b)
    }

    fn extend(&self, a: &Bdd, b: &Bdd) -> Weighing<Bdd> {
        self.inner.tuples.extend(a, b)
    }

    fn is_zero(&self, a: &Bdd) -> bool {
        self.inner.tuples.is_zero(a)
    }

    fn is_one(&self, a: &Bdd) -> bool {
        self.inner.tuples.is_one(a)
    }

    fn diff(&self, a: &Bdd, b: &Bdd) -> Option<Weighing<Bdd>> {
        self.inner.tuples.diff(a, b)
    }

    fn admit(&self, w: &Bdd) -> Weighing<()> {
        self.inner.tuples.admit(w)
    }
}

impl TensorProduct for BddRelations {
    type Power = BddPower;

    fn power(&self, arity: usize) -> Weighing<BddPower> {
        let arity = arity.max(1);
        let mut made = self.powers().lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(power) = made.get(&arity) {
            return Ok(power.clone());
        }
        let power = BddPower::new(self, arity)?;
        made.insert(arity, power.clone());
        Ok(power)
    }

    fn tensor(&self, power: &BddPower, factors: &[Bdd]) -> Weighing<TensorOf<Self>> {
        let mut product = self.vocabulary().space().top();
        for (position, weight) in factors.iter().enumerate().rev() {
            let placed = weight.rename(&power.factor(position)?.place)?;
            product = placed.and(&product)?;
        }
        Ok(product)
    }

    fn detensor(&self, power: &BddPower, tensor: &Bdd) -> Weighing<Bdd> {
        let mut sequence = tensor.clone();
        for step in power.inner.factors.iter().flat_map(|factor| &factor.follow) {
            let linked = sequence.and_exists(&step.link, &step.hidden)?;
            let set = linked.restrict(&[(step.end, true)])?;
            let clear = linked.restrict(&[(step.end, false)])?;
            sequence = step.sequence_end.ite(&set, &clear)?;
        }
        Ok(sequence.rename(&power.inner.ends)?)
    }

    fn transposed(&self, weight: &Bdd) -> Weighing<Bdd> {
        Ok(self.vocabulary().transpose(weight)?)
    }

    fn transposed_detensor(&self, power: &BddPower, tensor: &Bdd) -> Weighing<Bdd> {
        let mut turned = tensor.clone();
        for factor in power.inner.factors.iter().skip(1).step_by(2) {
            turned = turned.rename(&factor.turn)?;
        }
        self.detensor(power, &turned)
    }

    fn arity(&self, power: &BddPower) -> usize {
        power.inner.factors.len()
    }

    fn extend_left(
        &self,
        power: &BddPower,
        position: usize,
        weight: &Bdd,
        tensor: &Bdd,
    ) -> Weighing<Bdd> {
        if self.is_one(weight) {
            return Ok(tensor.clone());
        }
        let factor = power.factor(position)?;
        let opened = tensor.rename(&factor.open_left)?;
        Ok(opened.and_exists(&weight.rename(&factor.place_left)?, &factor.between)?)
    }

    fn extend_right(
        &self,
        power: &BddPower,
        position: usize,
        weight: &Bdd,
        tensor: &Bdd,
    ) -> Weighing<Bdd> {
        if self.is_one(weight) {
            return Ok(tensor.clone());
        }
        let factor = power.factor(position)?;
        let opened = tensor.rename(&factor.open_right)?;
        Ok(opened.and_exists(&weight.rename(&factor.place_right)?, &factor.between)?)
    }
}
