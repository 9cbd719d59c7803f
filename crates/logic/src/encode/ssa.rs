//! Which value of each variable is the present one.
//!
//! An SSA index counts the assignments to a variable on a path. Where branches meet, the greatest
//! index of the branches is the present one, and the others are set equal to it. An index is never
//! used for two values of a variable on one path: after a return, the caller's variables get their
//! old indices back, and later assignments go on counting above those of the callee.

use crate::term::{Symbol, Variable};
use std::collections::BTreeMap;

/// The present index of every variable; 0 where nothing was assigned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ssa {
    present: BTreeMap<Variable, u32>,
    /// The greatest index used so far.
    greatest: BTreeMap<Variable, u32>,
}

impl Ssa {
    /// No assignments yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The present index.
    pub fn index(&self, variable: Variable) -> u32 {
        self.present.get(&variable).copied().unwrap_or(0)
    }

    /// The symbol of the present value.
    pub fn symbol(&self, variable: Variable) -> Symbol {
        Symbol { variable, index: Some(self.index(variable)) }
    }

    /// A new value; gives its symbol.
    pub fn assign(&mut self, variable: Variable) -> Symbol {
        let index = self.greatest.get(&variable).copied().unwrap_or(0) + 1;
        self.greatest.insert(variable, index);
        self.present.insert(variable, index);
        Symbol { variable, index: Some(index) }
    }

    /// Makes an earlier value the present one again.
    pub fn restore(&mut self, variable: Variable, index: u32) {
        self.present.insert(variable, index);
    }

    /// The variables that were assigned, with their present indices.
    pub fn iter(&self) -> impl Iterator<Item = (Variable, u32)> {
        self.present.iter().map(|(&v, &i)| (v, i))
    }

    /// The variables that were assigned, with the greatest indices used.
    pub fn greatest(&self) -> impl Iterator<Item = (Variable, u32)> {
        self.greatest.iter().map(|(&v, &i)| (v, i))
    }

    /// With other variables in place of some, one for one.
    #[must_use]
    pub fn renamed(&self, mut name: impl FnMut(Variable) -> Variable) -> Ssa {
        let present = self.present.iter().map(|(&v, &i)| (name(v), i)).collect();
        let greatest = self.greatest.iter().map(|(&v, &i)| (name(v), i)).collect();
        Ssa { present, greatest }
    }

    /// Where several branches meet: every variable at the greatest of its indices.
    pub fn join<'a>(branches: impl IntoIterator<Item = &'a Ssa>) -> Ssa {
        let mut joined = Ssa::new();
        for branch in branches {
            for (map, theirs) in
                [(&mut joined.present, &branch.present), (&mut joined.greatest, &branch.greatest)]
            {
                for (&variable, &index) in theirs {
                    let slot = map.entry(variable).or_insert(index);
                    *slot = (*slot).max(index);
                }
            }
        }
        joined
    }
}
