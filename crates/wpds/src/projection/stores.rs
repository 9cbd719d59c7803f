//! Annotated projections: the stores with which a node lies on a path to the target (AEP 5.2; LAL
//! 5.3.2).
//!
//! For a node `γ`, `V_γ` is the set of stores `v` such that some path passes `γ` with `v`. Membership
//! of a store, or of some store of a set, is asked by a bottleneck weight. The whole set comes from
//! the goals of [`adjoint`](super::adjoint); an upper bound by triples of weights (AEP 5.2) needs no
//! adjoints; a lower bound comes from any witness path.

use crate::error::WpdsError;
use crate::ids::{Control, Symbol};
use crate::projection::adjoint::Goals;
use crate::projection::functional::{FunctionalAutomaton, Pair};
use crate::semiring::{RelationalSemiring, Semiring};
use crate::shape::Solution;
use crate::system::{Configuration, Rhs, Wpds};
use crate::witness_path::WitnessPath;

impl<S, F, B> FunctionalAutomaton<'_, S, F, B>
where
    S: RelationalSemiring,
    F: Solution<S>,
    B: Solution<S>,
{
    /// Whether some store of the set is in `V_γ`.
    pub fn may_hold(
        &self,
        control: Control,
        symbol: Symbol,
        stores: &S::Stores,
    ) -> Result<bool, WpdsError> {
        let keep = self.domain().identity_on(stores)?;
        Ok(!self.domain().is_zero(&self.bottleneck(control, symbol, &keep)?))
    }

    /// `V_γ` exactly, from the goals.
    pub fn stores_at(
        &self,
        goals: &Goals<S::Weight>,
        control: Control,
        symbol: Symbol,
    ) -> Result<S::Stores, WpdsError> {
        let domain = self.domain();
        let mut stores = domain.no_stores();
        for &(pair, to) in self.tops_of(control, symbol) {
            let before = domain.transpose(&self.forward.weight(pair.forward)?)?;
            let needed = domain.extend(&before, &goals.of_state[to as usize])?;
            let both = domain.intersect(&needed, &self.backward.weight(pair.backward)?)?;
            stores = domain.union(&stores, &domain.sources(&both)?)?;
        }
        Ok(stores)
    }

    /// A superset of `V_γ`: weights from the source and to the target are joined along each path, and
    /// dropped where the path has become infeasible (AEP 5.2, the operator `SP`).
    pub fn stores_above(&self, control: Control, symbol: Symbol) -> Result<S::Stores, WpdsError> {
        let domain = self.domain();
        let count = self.edges.len();
        let mut values: Vec<Option<Triple<S::Weight>>> = vec![None; count];
        let mut waiting = std::collections::BTreeSet::new();
        for &(pair, to) in self.tops_of(control, symbol) {
            let one = domain.one();
            let first =
                Triple { before: one.clone(), after: one.clone(), whole: one, settled: false };
            if let Some(next) = self.step(pair, &first)?
                && Triple::add(domain, &mut values[to as usize], next)?
            {
                waiting.insert(to);
            }
        }
        while let Some(v) = waiting.pop_first() {
            for &(pair, to) in &self.edges[v as usize] {
                let Some(value) = values[v as usize].clone() else { continue };
                if let Some(next) = self.step(pair, &value)?
                    && Triple::add(domain, &mut values[to as usize], next)?
                {
                    waiting.insert(to);
                }
            }
        }
        let mut stores = domain.no_stores();
        for (value, _) in values.iter().zip(&self.accepting).filter(|(_, accepts)| **accepts) {
            let Some(value) = value else { continue };
            let common =
                domain.common(&domain.targets(&value.before)?, &domain.sources(&value.after)?)?;
            stores = domain.union(&stores, &common)?;
        }
        Ok(stores)
    }

    /// The transformer `g(w₁, w₂)` of AEP 5.2; nothing where the path is infeasible. A merge function
    /// may relate stores in any way, so once one was applied the first two components stay as they
    /// are: the bound is not refined further.
    fn step(
        &self,
        pair: Pair,
        value: &Triple<S::Weight>,
    ) -> Result<Option<Triple<S::Weight>>, WpdsError> {
        let domain = self.domain();
        let whole = self.apply(pair, &value.whole)?;
        if domain.is_zero(&whole) {
            return Ok(None);
        }
        let merges = pair.returns && self.forward.shape().link(pair.forward).call.is_some();
        if merges || value.settled {
            return Ok(Some(Triple { whole, settled: true, ..value.clone() }));
        }
        let before = domain.extend(&self.forward.weight(pair.forward)?, &value.before)?;
        let after = domain.extend(&value.after, &self.backward.weight(pair.backward)?)?;
        Ok(Some(Triple { before, after, whole, settled: false }))
    }
}

/// The weight to a node, from it, and of the whole path.
#[derive(Clone, Debug)]
struct Triple<W> {
    before: W,
    after: W,
    whole: W,
    settled: bool,
}

impl<W: Clone> Triple<W> {
    /// Combines into a slot; says whether it changed.
    fn add<S: Semiring<Weight = W>>(
        domain: &S,
        slot: &mut Option<Self>,
        other: Self,
    ) -> Result<bool, WpdsError> {
        let Some(old) = slot else {
            *slot = Some(other);
            return Ok(true);
        };
        let combined = Self {
            before: domain.combine(&old.before, &other.before)?,
            after: domain.combine(&old.after, &other.after)?,
            whole: domain.combine(&old.whole, &other.whole)?,
            settled: old.settled || other.settled,
        };
        let same = combined.settled == old.settled
            && domain.equal(&combined.before, &old.before)
            && domain.equal(&combined.after, &old.after)
            && domain.equal(&combined.whole, &old.whole);
        *slot = Some(combined);
        Ok(!same)
    }
}

/// A subset of `V_γ`: the stores with which one path passes the place where it has its mark. The path
/// starts at `start`. Nothing if a merge function on the way has no adjoint.
pub fn stores_on_path<S: RelationalSemiring>(
    system: &Wpds<S>,
    start: &Configuration,
    path: &WitnessPath,
) -> Result<Option<S::Stores>, WpdsError> {
    let domain = system.domain();
    let mark = path.mark.unwrap_or(0).min(path.rules.len());
    let (at, _) = system.run(start, &path.rules[..mark])?;
    let mut frames = Vec::new();
    let mut before = domain.one();
    for &id in &path.rules[..mark] {
        let Some(rule) = system.rule(id) else { continue };
        match rule.rhs {
            Rhs::Step(_) => before = domain.extend(&before, &rule.weight)?,
            Rhs::Push(..) => {
                frames.push((std::mem::replace(&mut before, domain.one()), id));
            }
            Rhs::Pop => {
                before = domain.extend(&before, &rule.weight)?;
                if let Some((caller, call)) = frames.pop() {
                    before = system.return_from(call, &caller, &before)?;
                }
            }
        }
    }
    // The rest of the path falls into parts: up to the return of the node's procedure, up to the
    // return of its caller, and so on.
    let mut parts = Vec::new();
    let mut height = at.stack.len();
    let mut lowest = height;
    let mut part_start = mark;
    for (i, &id) in path.rules.iter().enumerate().skip(mark) {
        match system.rule(id).map(|rule| rule.rhs) {
            Some(Rhs::Pop) => height -= 1,
            Some(Rhs::Push(..)) => height += 1,
            _ => {}
        }
        if height < lowest {
            lowest = height;
            parts.push(part_start..i + 1);
            part_start = i + 1;
        }
    }
    parts.push(part_start..path.rules.len());
    let mut weights = Vec::new();
    let mut from = at;
    for part in parts {
        let (to, weight) = system.run(&from, &path.rules[part])?;
        weights.push(weight);
        from = to;
    }
    // The goal of what happens in the node's procedure, from the outermost level inwards.
    let mut goal = domain.full();
    let returned = weights.len() - 1;
    for level in (1..=returned.max(frames.len())).rev() {
        if level <= returned {
            goal = domain.extend(&goal, &domain.transpose(&weights[level])?)?;
        }
        // Below the frames are the symbols of the start configuration: no call to merge with.
        let Some((caller, call)) = frames.len().checked_sub(level).map(|i| &frames[i]) else {
            continue;
        };
        let merge = system.rule(*call).and_then(|rule| rule.merge.as_ref());
        goal = match merge.filter(|_| level <= returned) {
            Some(merge) => match merge.adjoint(domain, caller, &goal) {
                Some(pulled) => pulled?,
                None => return Ok(None),
            },
            None => domain.extend(&domain.transpose(&system.enter(*call, caller)?)?, &goal)?,
        };
    }
    let needed = domain.extend(&domain.transpose(&before)?, &goal)?;
    Ok(Some(domain.sources(&domain.intersect(&needed, &weights[0])?)?))
}
