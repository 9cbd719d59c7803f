//! Regular expressions over the edges of an intragraph, as a shared DAG (LAL 4.1.1).

use rustc_hash::FxHashMap;

/// An expression; children have smaller numbers than their parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ExprId(pub(crate) u32);

/// The empty set of paths.
pub(crate) const ZERO: ExprId = ExprId(0);
/// The empty path.
pub(crate) const ONE: ExprId = ExprId(1);

/// What an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Expr {
    Zero,
    One,
    /// An edge label, by its number in the intragraph.
    Leaf(u32),
    /// Either of two.
    Union(ExprId, ExprId),
    /// First the one, then the other.
    Concat(ExprId, ExprId),
    /// Any number of times.
    Star(ExprId),
}

/// The expressions of one intragraph; equal ones are shared.
#[derive(Debug)]
pub(crate) struct Expressions {
    nodes: Vec<Expr>,
    known: FxHashMap<Expr, ExprId>,
}

impl Expressions {
    pub(crate) fn new() -> Self {
        let known = FxHashMap::from_iter([(Expr::Zero, ZERO), (Expr::One, ONE)]);
        Self { nodes: vec![Expr::Zero, Expr::One], known }
    }

    fn add(&mut self, expr: Expr) -> ExprId {
        if let Some(&id) = self.known.get(&expr) {
            return id;
        }
        let id = ExprId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(expr);
        self.known.insert(expr, id);
        id
    }

    pub(crate) fn leaf(&mut self, label: u32) -> ExprId {
        self.add(Expr::Leaf(label))
    }

    pub(crate) fn union(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (a, b) {
            (ZERO, other) | (other, ZERO) => other,
            _ if a == b => a,
            _ => self.add(Expr::Union(a.min(b), a.max(b))),
        }
    }

    pub(crate) fn concat(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (a, b) {
            (ZERO, _) | (_, ZERO) => ZERO,
            (ONE, other) | (other, ONE) => other,
            _ => self.add(Expr::Concat(a, b)),
        }
    }

    pub(crate) fn star(&mut self, a: ExprId) -> ExprId {
        match a {
            ZERO | ONE => ONE,
            _ => self.add(Expr::Star(a)),
        }
    }

    pub(crate) fn get(&self, id: ExprId) -> Expr {
        self.nodes[id.0 as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The hash table is not needed once all expressions are made.
    pub(crate) fn freeze(&mut self) {
        self.known = FxHashMap::default();
    }
}
