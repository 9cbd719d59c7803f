//! Error projections of relational domains, all nodes of a procedure at once.
//!
//! For a state `v` of the functional automaton let `goal(v)` be the pairs `(a, b)` such that a callee
//! that turns store `a` into store `b` below `v` is on a path to the target. Functional weights have
//! adjoints (`z ↦ w_b ⊗ z ⊗ w_f` meets `g` exactly when `z` meets `w_bᵗ ⊗ g ⊗ w_fᵗ`), so all goals are
//! one join over paths against the transitions. A node is in the projection exactly when what happens
//! above it, `w_b ⊗ w_f`, meets a goal; there is no path summary for each node as in AEP 4. The same
//! goals give the exact set of stores at a node (LAL 5.3.2.2 gets it with a third copy of the
//! variables).

use crate::error::WpdsError;
use crate::ids::{Control, Symbol};
use crate::projection::functional::{FunctionalAutomaton, Pair};
use crate::semiring::RelationalSemiring;
use crate::shape::Solution;
use crate::summary::{join_over_paths, renumber};

/// The goals of all states of a functional automaton.
#[derive(Clone, Debug)]
pub struct Goals<W> {
    pub(crate) of_state: Vec<W>,
}

impl<S, F, B> FunctionalAutomaton<'_, S, F, B>
where
    S: RelationalSemiring,
    F: Solution<S>,
    B: Solution<S>,
{
    /// The goals, or nothing if a merge function has no adjoint.
    pub fn goals(&self) -> Result<Option<Goals<S::Weight>>, WpdsError> {
        let domain = self.domain();
        let mut against: Vec<Vec<(Pair, u32)>> = vec![Vec::new(); self.edges.len()];
        for (v, out) in self.edges.iter().enumerate() {
            for &(pair, to) in out {
                against[to as usize].push((pair, v as u32));
            }
        }
        let ends = (0..self.edges.len()).filter(|&v| self.accepting[v]);
        let (place, against) = renumber(&against, ends.clone());
        let start = ends.map(|v| (place[v], domain.full())).collect();
        let mut missing = false;
        let values = join_over_paths(domain, &against, start, |goal, _, pair: Pair| {
            match self.adjoint(pair, goal)? {
                Some(goal) => Ok(goal),
                None => {
                    missing = true;
                    Ok(domain.zero())
                }
            }
        })?;
        if missing {
            return Ok(None);
        }
        let of = |&p: &u32| values.get(p as usize).cloned().unwrap_or_else(|| domain.zero());
        Ok(Some(Goals { of_state: place.iter().map(of).collect() }))
    }

    /// The pairs `z` whose image under a functional weight meets the goal.
    fn adjoint(&self, pair: Pair, goal: &S::Weight) -> Result<Option<S::Weight>, WpdsError> {
        let domain = self.domain();
        let after = domain.transpose(&self.backward.weight(pair.backward)?)?;
        let goal = domain.extend(goal, &after)?;
        let call = self.forward.shape().link(pair.forward).call.filter(|_| pair.returns);
        let merge = call.and_then(|call| self.system().rule(call)?.merge.as_ref());
        match merge {
            Some(merge) => {
                let caller = self.forward.weight_before_call(pair.forward)?;
                Ok(merge.adjoint(domain, &caller, &goal).transpose()?)
            }
            None => {
                let before = domain.transpose(&self.forward.weight(pair.forward)?)?;
                Ok(Some(domain.extend(&before, &goal)?))
            }
        }
    }

    /// The error projection: the heads through which a path of weight other than zero leads, in order.
    pub fn projection(&self) -> Result<Vec<(Control, Symbol)>, WpdsError> {
        self.projection_with(&self.domain().one())
    }

    /// The heads `γ` with `BW(w, γ)` other than zero.
    pub fn projection_with(&self, w: &S::Weight) -> Result<Vec<(Control, Symbol)>, WpdsError> {
        let goals = self.goals()?;
        let mut nodes = Vec::new();
        for (control, symbol) in self.heads() {
            let inside = match &goals {
                Some(goals) => self.meets_goal(goals, control, symbol, w)?,
                None => !self.domain().is_zero(&self.bottleneck(control, symbol, w)?),
            };
            if inside {
                nodes.push((control, symbol));
            }
        }
        Ok(nodes)
    }

    /// Whether a path with the bottleneck `w` at a node reaches a goal.
    pub(crate) fn meets_goal(
        &self,
        goals: &Goals<S::Weight>,
        control: Control,
        symbol: Symbol,
        w: &S::Weight,
    ) -> Result<bool, WpdsError> {
        let domain = self.domain();
        for &(pair, to) in self.tops_of(control, symbol) {
            let goal = &goals.of_state[to as usize];
            if domain.is_zero(goal) {
                continue;
            }
            let before = domain.extend(&self.forward.weight(pair.forward)?, w)?;
            let after = self.backward.weight(pair.backward)?;
            if domain.chain_meets(&before, &after, goal)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
