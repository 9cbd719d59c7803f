//! Names that occur in terms: variables of the program at points of a path, and functions.
//!
//! A predicate speaks about *variables* (`x == y - 1`), a formula of a path about *symbols*: a
//! variable together with the number of the assignment on the path that gave it its value (its SSA
//! index). A symbol without an index is the variable itself. Because the variable is part of the
//! symbol, a predicate is instantiated at a place of a path and brought back by changing indices
//! only ([`Terms::instantiate`](super::Terms::instantiate),
//! [`Terms::without_indices`](super::Terms::without_indices)).

use super::sort::Sort;
use std::sync::Arc;

/// Names a variable in the arena that declared it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(pub(super) u32);

impl Variable {
    /// Position in the order of declaration.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a variable may be mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Everywhere.
    Global,
    /// In the function with this number (numbers are the caller's).
    Function(u32),
    /// Only inside the formula of the block that introduced it: wrap-around counters, values of
    /// joins, proxies. Never part of a predicate.
    Auxiliary,
}

/// A declared variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VariableInfo {
    /// The name shown to people.
    pub name: Arc<str>,
    /// Where it may be mentioned.
    pub scope: Scope,
    /// What it ranges over.
    pub sort: Sort,
}

/// A variable, at a place of a path if it carries an SSA index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol {
    /// The variable.
    pub variable: Variable,
    /// The SSA index.
    pub index: Option<u32>,
}

/// Names an uninterpreted function in the arena that declared it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Function(pub(super) u32);

impl Function {
    /// Position in the order of declaration.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A declared uninterpreted function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionInfo {
    /// The name shown to people.
    pub name: Arc<str>,
    /// The sorts of its arguments.
    pub arguments: Arc<[Sort]>,
    /// The sort of its value.
    pub result: Sort,
}
