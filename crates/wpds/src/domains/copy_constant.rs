//! Copy-constant propagation (LAL 2.1.2): transformers of environments that only copy variables and
//! assign constants.
//!
//! A transformer gives every variable the join of a constant (or "not a constant") and of the old
//! values of some variables. Transformers of that form are closed under join and composition and
//! distribute over joins of environments, so the analysis is exact.

use std::collections::BTreeSet;

use crate::semiring::{Semiring, Weighing, WeightError};

/// A value of the constant-propagation lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Always this constant.
    Constant(i64),
    /// Not a constant (`⊤`).
    Varying,
}

/// A value for every variable, or nothing where control does not reach.
pub type Environment = Option<Vec<Value>>;

/// Where a variable gets its value from: the join of all that is named here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableSource {
    value: Option<Value>,
    copies: BTreeSet<u32>,
}

impl VariableSource {
    /// A constant.
    pub fn constant(value: i64) -> Self {
        Self { value: Some(Value::Constant(value)), copies: BTreeSet::new() }
    }

    /// An unknown value.
    pub fn varying() -> Self {
        Self { value: Some(Value::Varying), copies: BTreeSet::new() }
    }

    /// The old value of a variable.
    pub fn copy(variable: u32) -> Self {
        Self { value: None, copies: BTreeSet::from([variable]) }
    }

    fn join(&mut self, other: &Self) {
        self.value = match (self.value, other.value) {
            (Some(a), Some(b)) if a != b => Some(Value::Varying),
            (a, b) => a.or(b),
        };
        self.copies.extend(&other.copies);
        if self.value == Some(Value::Varying) {
            self.copies.clear();
        }
    }
}

/// A transformer of environments; `None` is the transformer of an infeasible path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transformer(Option<Vec<VariableSource>>);

impl Transformer {
    /// The environment after the transformer.
    pub fn apply(&self, environment: &Environment) -> Environment {
        let (sources, old) = (self.0.as_ref()?, environment.as_ref()?);
        let value = |source: &VariableSource| {
            let copied = source.copies.iter().filter_map(|&y| old.get(y as usize).copied());
            let mut all = source.value.into_iter().chain(copied);
            let first = all.next().unwrap_or(Value::Varying);
            if all.all(|v| v == first) { first } else { Value::Varying }
        };
        Some(sources.iter().map(value).collect())
    }

    /// Where a variable gets its value from; nothing on an infeasible path.
    pub fn source(&self, variable: u32) -> Option<&VariableSource> {
        self.0.as_ref()?.get(variable as usize)
    }
}

/// The domain of copy-constant transformers over a number of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyConstants {
    variables: u32,
}

impl CopyConstants {
    /// Transformers of environments of `variables` variables.
    pub fn new(variables: u32) -> Self {
        Self { variables }
    }

    /// The transformer that assigns to some variables and leaves the others as they are.
    pub fn assign(&self, assignments: &[(u32, VariableSource)]) -> Transformer {
        let mut sources: Vec<_> = (0..self.variables).map(VariableSource::copy).collect();
        for (variable, source) in assignments {
            if let Some(slot) = sources.get_mut(*variable as usize) {
                *slot = source.clone();
            }
        }
        Transformer(Some(sources))
    }

    /// The transformer that gives each variable the value it gets from one of several transformers:
    /// what merge functions for local variables are made of (LAL 3.1). Infeasible if one of them is.
    pub fn pick<'t>(&self, from: impl Fn(u32) -> &'t Transformer) -> Transformer {
        let source = |variable| from(variable).source(variable).cloned();
        Transformer((0..self.variables).map(source).collect())
    }
}

impl Semiring for CopyConstants {
    type Weight = Transformer;

    fn zero(&self) -> Transformer {
        Transformer(None)
    }

    fn one(&self) -> Transformer {
        self.assign(&[])
    }

    fn combine(&self, a: &Transformer, b: &Transformer) -> Weighing<Transformer> {
        let (Some(x), Some(y)) = (&a.0, &b.0) else {
            return Ok(if a.0.is_some() { a.clone() } else { b.clone() });
        };
        let mut sources = x.clone();
        for (source, other) in sources.iter_mut().zip(y) {
            source.join(other);
        }
        Ok(Transformer(Some(sources)))
    }

    fn extend(&self, a: &Transformer, b: &Transformer) -> Weighing<Transformer> {
        let (Some(first), Some(second)) = (&a.0, &b.0) else { return Ok(self.zero()) };
        let after = |source: &VariableSource| {
            let mut through = VariableSource { value: source.value, copies: BTreeSet::new() };
            for &y in &source.copies {
                through.join(&first[y as usize]);
            }
            through
        };
        Ok(Transformer(Some(second.iter().map(after).collect())))
    }

    fn admit(&self, w: &Transformer) -> Weighing<()> {
        match &w.0 {
            Some(sources) if sources.len() != self.variables as usize => {
                let what = format!("{} variables in a domain of {}", sources.len(), self.variables);
                Err(WeightError::Foreign(what))
            }
            _ => Ok(()),
        }
    }
}
