//! Gen/kill transformers of sets of facts: `f(X) = (X \ kill) ∪ gen`, for "may" analyses.

use crate::semiring::{Semiring, Weighing, WeightError};

/// A transformer of sets of facts, or the transformer of an infeasible path.
///
/// Kept canonical: what is generated counts as killed too, so equal functions are equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GenKillWeight(Option<Parts>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Parts {
    generated: Box<[u64]>,
    killed: Box<[u64]>,
}

impl GenKillWeight {
    /// Whether the transformer makes the fact hold whatever held before.
    pub fn generates(&self, fact: u32) -> bool {
        self.0.as_ref().is_some_and(|p| bit(&p.generated, fact))
    }

    /// Whether the fact survives the transformer if it held before (and is not generated).
    pub fn preserves(&self, fact: u32) -> bool {
        self.0.as_ref().is_some_and(|p| !bit(&p.killed, fact))
    }
}

fn bit(bits: &[u64], fact: u32) -> bool {
    bits.get(fact as usize / 64).is_some_and(|word| word >> (fact % 64) & 1 == 1)
}

fn zip(a: &[u64], b: &[u64], op: impl Fn(u64, u64) -> u64) -> Box<[u64]> {
    a.iter().zip(b).map(|(&x, &y)| op(x, y)).collect()
}

/// The domain of gen/kill transformers over a number of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenKill {
    facts: u32,
}

impl GenKill {
    /// Transformers of subsets of `0..facts`.
    pub fn new(facts: u32) -> Self {
        Self { facts }
    }

    /// The transformer that takes away `kill` and then adds `generate`.
    pub fn transformer(&self, generate: &[u32], kill: &[u32]) -> GenKillWeight {
        let mut parts = self.empty();
        for &fact in generate.iter().filter(|&&fact| fact < self.facts) {
            parts.generated[fact as usize / 64] |= 1 << (fact % 64);
        }
        for &fact in kill.iter().chain(generate).filter(|&&fact| fact < self.facts) {
            parts.killed[fact as usize / 64] |= 1 << (fact % 64);
        }
        GenKillWeight(Some(parts))
    }

    fn empty(&self) -> Parts {
        let none = vec![0u64; (self.facts as usize).div_ceil(64)].into_boxed_slice();
        Parts { generated: none.clone(), killed: none }
    }
}

impl Semiring for GenKill {
    type Weight = GenKillWeight;

    fn zero(&self) -> GenKillWeight {
        GenKillWeight(None)
    }

    fn one(&self) -> GenKillWeight {
        GenKillWeight(Some(self.empty()))
    }

    fn combine(&self, a: &GenKillWeight, b: &GenKillWeight) -> Weighing<GenKillWeight> {
        let (Some(x), Some(y)) = (&a.0, &b.0) else {
            return Ok(if a.0.is_some() { a.clone() } else { b.clone() });
        };
        let generated = zip(&x.generated, &y.generated, |p, q| p | q);
        let both = zip(&x.killed, &y.killed, |p, q| p & q);
        let killed = zip(&both, &generated, |p, q| p | q);
        Ok(GenKillWeight(Some(Parts { generated, killed })))
    }

    fn extend(&self, a: &GenKillWeight, b: &GenKillWeight) -> Weighing<GenKillWeight> {
        let (Some(x), Some(y)) = (&a.0, &b.0) else { return Ok(self.zero()) };
        let surviving = zip(&x.generated, &y.killed, |p, q| p & !q);
        let generated = zip(&surviving, &y.generated, |p, q| p | q);
        let killed = zip(&x.killed, &y.killed, |p, q| p | q);
        Ok(GenKillWeight(Some(Parts { generated, killed })))
    }

    /// Twice is as good as once.
    fn star(&self, w: &GenKillWeight) -> Option<Weighing<GenKillWeight>> {
        Some(self.combine(&self.one(), w))
    }

    fn admit(&self, w: &GenKillWeight) -> Weighing<()> {
        let expected = (self.facts as usize).div_ceil(64);
        match &w.0 {
            Some(parts) if parts.generated.len() != expected => {
                Err(WeightError::Foreign("a transformer of another number of facts".to_owned()))
            }
            _ => Ok(()),
        }
    }
}
