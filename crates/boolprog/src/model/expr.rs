//! Boolean expressions of the model, in an arena with sharing.
//!
//! Equal expressions get equal ids, except [`Expr::Star`]: each star is one choice and has its own
//! number. **Invariant:** a star is reachable from the root of an expression along one path only.
//! Then the set of values an expression can take in a state is computed bottom-up, node by node
//! ([`ValueSet`]), without enumerating choices: the choices below the two operands of a node are
//! different ones. The lowerings keep the invariant because they translate each operand of the
//! source once; [`ExprArena`]'s constructors use each operand once.

use rustc_hash::FxHashMap;

use super::VarId;

/// An expression of an [`ExprArena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Constant(bool),
    /// The value of a variable before the step.
    Var(VarId),
    /// The value of a variable after the step; only in constraints.
    Post(VarId),
    /// A choice of its own.
    Star(u32),
    /// Negation.
    Not(ExprId),
    /// Conjunction.
    And(ExprId, ExprId),
    /// Disjunction.
    Or(ExprId, ExprId),
    /// Exclusive or.
    Xor(ExprId, ExprId),
    /// `if a then b else c`, which evaluates `a` once.
    Ite(ExprId, ExprId, ExprId),
}

/// Which of the two values an expression can take in a given state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueSet {
    /// Some choice of its stars makes it true.
    pub can_be_true: bool,
    /// Some choice of its stars makes it false.
    pub can_be_false: bool,
}

impl ValueSet {
    /// Exactly this value.
    pub fn exactly(value: bool) -> Self {
        Self { can_be_true: value, can_be_false: !value }
    }

    /// Either value.
    pub const ANY: Self = Self { can_be_true: true, can_be_false: true };

    /// Whether `value` is among them.
    pub fn contains(self, value: bool) -> bool {
        if value { self.can_be_true } else { self.can_be_false }
    }
}

/// All expressions of a model.
#[derive(Clone, Debug)]
pub struct ExprArena {
    nodes: Vec<Expr>,
    index: FxHashMap<Expr, ExprId>,
    stars: u32,
}

impl Default for ExprArena {
    fn default() -> Self {
        let mut arena = Self { nodes: Vec::new(), index: FxHashMap::default(), stars: 0 };
        arena.intern(Expr::Constant(false));
        arena.intern(Expr::Constant(true));
        arena
    }
}

/// The constant false of every arena.
pub const FALSE: ExprId = ExprId(0);
/// The constant true of every arena.
pub const TRUE: ExprId = ExprId(1);

impl ExprArena {
    fn intern(&mut self, node: Expr) -> ExprId {
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        let id = ExprId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 expressions"));
        self.nodes.push(node);
        self.index.insert(node, id);
        id
    }

    /// The node behind an id.
    pub fn get(&self, id: ExprId) -> Expr {
        self.nodes[id.0 as usize]
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing but the constants.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 2
    }

    /// A constant.
    pub fn constant(&self, value: bool) -> ExprId {
        if value { TRUE } else { FALSE }
    }

    /// A variable before the step.
    pub fn var(&mut self, variable: VarId) -> ExprId {
        self.intern(Expr::Var(variable))
    }

    /// A variable after the step.
    pub fn post(&mut self, variable: VarId) -> ExprId {
        self.intern(Expr::Post(variable))
    }

    /// A new choice.
    pub fn star(&mut self) -> ExprId {
        self.stars += 1;
        self.intern(Expr::Star(self.stars))
    }

    /// Negation.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        match self.get(a) {
            Expr::Constant(value) => self.constant(!value),
            Expr::Not(inner) => inner,
            _ => self.intern(Expr::Not(a)),
        }
    }

    /// Conjunction.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (a, b) {
            (FALSE, _) | (_, FALSE) => FALSE,
            (TRUE, other) | (other, TRUE) => other,
            _ if a == b => a,
            _ => self.intern(Expr::And(a.min(b), a.max(b))),
        }
    }

    /// Disjunction.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (a, b) {
            (TRUE, _) | (_, TRUE) => TRUE,
            (FALSE, other) | (other, FALSE) => other,
            _ if a == b => a,
            _ => self.intern(Expr::Or(a.min(b), a.max(b))),
        }
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (a, b) {
            (FALSE, other) | (other, FALSE) => other,
            (TRUE, other) | (other, TRUE) => self.not(other),
            _ if a == b => FALSE,
            _ => self.intern(Expr::Xor(a.min(b), a.max(b))),
        }
    }

    /// Equality.
    pub fn equal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let different = self.xor(a, b);
        self.not(different)
    }

    /// `if condition then yes else no`.
    pub fn ite(&mut self, condition: ExprId, yes: ExprId, no: ExprId) -> ExprId {
        match (condition, yes, no) {
            (TRUE, _, _) => yes,
            (FALSE, _, _) => no,
            (_, TRUE, FALSE) => condition,
            (_, FALSE, TRUE) => self.not(condition),
            _ if yes == no => yes,
            _ => self.intern(Expr::Ite(condition, yes, no)),
        }
    }

    /// The operands of a node.
    pub fn children(&self, id: ExprId) -> impl Iterator<Item = ExprId> + use<> {
        let list = match self.get(id) {
            Expr::Constant(_) | Expr::Var(_) | Expr::Post(_) | Expr::Star(_) => [None, None, None],
            Expr::Not(a) => [Some(a), None, None],
            Expr::And(a, b) | Expr::Or(a, b) | Expr::Xor(a, b) => [Some(a), Some(b), None],
            Expr::Ite(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        list.into_iter().flatten()
    }

    /// Calls `visit` once for each node reachable from `roots`, operands before their users.
    pub fn visit(&self, roots: &[ExprId], mut visit: impl FnMut(ExprId, Expr)) {
        // Operands have smaller ids than their users, so a sweep in the order of ids is bottom-up.
        let Some(&highest) = roots.iter().max() else { return };
        let mut needed = vec![false; highest.0 as usize + 1];
        for root in roots {
            needed[root.0 as usize] = true;
        }
        let mut lowest = highest.0 as usize;
        for id in (0..needed.len()).rev() {
            if needed[id] {
                lowest = id;
                for child in self.children(ExprId(id as u32)) {
                    needed[child.0 as usize] = true;
                }
            }
        }
        for (id, needed) in needed.iter().enumerate().skip(lowest) {
            if *needed {
                let id = ExprId(id as u32);
                visit(id, self.get(id));
            }
        }
    }

    /// The variables read before the step, and those mentioned after it.
    pub fn variables(&self, roots: &[ExprId]) -> (Vec<VarId>, Vec<VarId>) {
        let (mut pre, mut post) = (Vec::new(), Vec::new());
        self.visit(roots, |_, node| match node {
            Expr::Var(v) => pre.push(v),
            Expr::Post(v) => post.push(v),
            _ => {}
        });
        pre.sort_unstable();
        post.sort_unstable();
        (pre, post)
    }

    /// Whether a star occurs in it.
    pub fn has_star(&self, root: ExprId) -> bool {
        let mut found = false;
        self.visit(&[root], |_, node| found |= matches!(node, Expr::Star(_)));
        found
    }

    /// The values `root` can take when `pre` and `post` give the variables.
    pub fn values(
        &self,
        root: ExprId,
        pre: &dyn Fn(VarId) -> bool,
        post: &dyn Fn(VarId) -> bool,
    ) -> ValueSet {
        let (t, f) = (ValueSet::exactly(true), ValueSet::exactly(false));
        match self.get(root) {
            Expr::Constant(value) => ValueSet::exactly(value),
            Expr::Var(v) => ValueSet::exactly(pre(v)),
            Expr::Post(v) => ValueSet::exactly(post(v)),
            Expr::Star(_) => ValueSet::ANY,
            Expr::Not(a) => {
                let a = self.values(a, pre, post);
                ValueSet { can_be_true: a.can_be_false, can_be_false: a.can_be_true }
            }
            Expr::And(a, b) => {
                let a = self.values(a, pre, post);
                if a == f {
                    return f;
                }
                let b = self.values(b, pre, post);
                ValueSet {
                    can_be_true: a.can_be_true && b.can_be_true,
                    can_be_false: a.can_be_false || b.can_be_false,
                }
            }
            Expr::Or(a, b) => {
                let a = self.values(a, pre, post);
                if a == t {
                    return t;
                }
                let b = self.values(b, pre, post);
                ValueSet {
                    can_be_true: a.can_be_true || b.can_be_true,
                    can_be_false: a.can_be_false && b.can_be_false,
                }
            }
            Expr::Xor(a, b) => {
                let (a, b) = (self.values(a, pre, post), self.values(b, pre, post));
                ValueSet {
                    can_be_true: a.can_be_true && b.can_be_false || a.can_be_false && b.can_be_true,
                    can_be_false: a.can_be_true && b.can_be_true
                        || a.can_be_false && b.can_be_false,
                }
            }
            Expr::Ite(c, yes, no) => {
                let c = self.values(c, pre, post);
                let mut result = ValueSet { can_be_true: false, can_be_false: false };
                for (taken, branch) in [(c.can_be_true, yes), (c.can_be_false, no)] {
                    if taken {
                        let v = self.values(branch, pre, post);
                        result.can_be_true |= v.can_be_true;
                        result.can_be_false |= v.can_be_false;
                    }
                }
                result
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_expressions_share_and_stars_do_not() {
        let mut arena = ExprArena::default();
        let (x, y) = (arena.var(VarId(0)), arena.var(VarId(1)));
        assert_eq!(arena.and(x, y), arena.and(y, x));
        assert_ne!(arena.star(), arena.star());
        let double = arena.not(x);
        assert_eq!(arena.not(double), x);
        assert_eq!(arena.xor(x, x), FALSE);
    }

    #[test]
    fn schoose_can_only_be_free_when_both_conditions_fail() {
        let mut arena = ExprArena::default();
        let (a, b, star) = (arena.var(VarId(0)), arena.var(VarId(1)), arena.star());
        let inner = arena.ite(b, FALSE, star);
        let schoose = arena.ite(a, TRUE, inner);
        let at = |va: bool, vb: bool| {
            arena.values(schoose, &|v| if v.0 == 0 { va } else { vb }, &|_| false)
        };
        assert_eq!(at(true, true), ValueSet::exactly(true));
        assert_eq!(at(true, false), ValueSet::exactly(true));
        assert_eq!(at(false, true), ValueSet::exactly(false));
        assert_eq!(at(false, false), ValueSet::ANY);
    }
}
