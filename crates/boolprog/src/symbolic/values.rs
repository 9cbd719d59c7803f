//! Expressions as functions on BDDs.
//!
//! An expression with choices is a pair of functions, *can be true* and *can be false*, which is
//! exact because each choice occurs once (see [`ExprArena`]).

use std::collections::BTreeMap;

use gnomon_bdd::{Bdd, BddError, BddSpace, Var};

use crate::model::{Expr, ExprArena, ExprId, VarId};

/// Which BDD variables stand for the variables of a program.
pub struct Values<'a> {
    /// The table of nodes.
    pub space: &'a BddSpace,
    /// Where the expressions are.
    pub exprs: &'a ExprArena,
    /// The copy of a variable before the step.
    pub before: &'a dyn Fn(VarId) -> Var,
    /// The copy of a variable after the step.
    pub after: &'a dyn Fn(VarId) -> Var,
}

impl Values<'_> {
    /// The functions *can be true* and *can be false* of an expression.
    pub fn of(&self, root: ExprId) -> Result<(Bdd, Bdd), BddError> {
        let mut values: BTreeMap<ExprId, (Bdd, Bdd)> = BTreeMap::new();
        let mut failure = None;
        self.exprs.visit(&[root], |id, node| {
            if failure.is_none() {
                match self.node(node, &values) {
                    Ok(value) => drop(values.insert(id, value)),
                    Err(error) => failure = Some(error),
                }
            }
        });
        match (failure, values.remove(&root)) {
            (None, Some(value)) => Ok(value),
            (Some(error), _) => Err(error),
            (None, None) => Ok((self.space.bottom(), self.space.bottom())),
        }
    }

    fn node(
        &self,
        node: Expr,
        known: &BTreeMap<ExprId, (Bdd, Bdd)>,
    ) -> Result<(Bdd, Bdd), BddError> {
        let exactly = |b: Bdd| Ok((b.clone(), b.not()?));
        match node {
            Expr::Constant(value) => exactly(self.space.constant(value)),
            Expr::Var(v) => exactly(self.space.variable((self.before)(v))?),
            Expr::Post(v) => exactly(self.space.variable((self.after)(v))?),
            Expr::Star(_) => Ok((self.space.top(), self.space.top())),
            Expr::Not(a) => {
                let (t, f) = &known[&a];
                Ok((f.clone(), t.clone()))
            }
            Expr::And(a, b) => {
                let ((at, af), (bt, bf)) = (&known[&a], &known[&b]);
                Ok((at.and(bt)?, af.or(bf)?))
            }
            Expr::Or(a, b) => {
                let ((at, af), (bt, bf)) = (&known[&a], &known[&b]);
                Ok((at.or(bt)?, af.and(bf)?))
            }
            Expr::Xor(a, b) => {
                let ((at, af), (bt, bf)) = (&known[&a], &known[&b]);
                let different = at.and(bf)?.or(&af.and(bt)?)?;
                let equal = at.and(bt)?.or(&af.and(bf)?)?;
                Ok((different, equal))
            }
            Expr::Ite(c, yes, no) => {
                let ((ct, cf), (yt, yf), (nt, nf)) = (&known[&c], &known[&yes], &known[&no]);
                let can_be_true = ct.and(yt)?.or(&cf.and(nt)?)?;
                let can_be_false = ct.and(yf)?.or(&cf.and(nf)?)?;
                Ok((can_be_true, can_be_false))
            }
        }
    }
}
