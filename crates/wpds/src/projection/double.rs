//! Weighted chopping by two saturations (AEP 4; LAL 5.2): the oracle and the yardstick of the
//! functional automaton.
//!
//! Only for systems without merge functions: a call before the chop may return after it, and its
//! merge function would have to be applied across the two halves.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, ConfigSet, Label};
use crate::error::WpdsError;
use crate::ids::State;
use crate::poststar::poststar;
use crate::prestar::prestar;
use crate::saturation::SaturationOptions;
use crate::semiring::Semiring;
use crate::shape::Solution;
use crate::summary::weight_of_set;
use crate::system::{Kind, Wpds};

/// `WC(S, C, T)` from the result of `prestar(T)`: intersect with `C`, saturate again, read at `S`.
pub fn chop_by_double_prestar<'a, S: Semiring>(
    reaching: &impl Solution<S>,
    system: &'a Wpds<S>,
    source: &ConfigSet,
    chop: &ConfigSet,
    options: &SaturationOptions<'a>,
) -> Result<S::Weight, WpdsError> {
    plain_calls(system, "double prestar")?;
    let between = restrict(reaching, chop)?;
    let second = prestar(system, &between, options)?;
    weight_of_set(&second, source)
}

/// `WC(S, C, T)` from the result of `poststar(S)`: intersect with `C`, saturate again, read at `T`.
pub fn chop_by_double_poststar<'a, S: Semiring>(
    reached: &impl Solution<S>,
    system: &'a Wpds<S>,
    target: &ConfigSet,
    chop: &ConfigSet,
    options: &SaturationOptions<'a>,
) -> Result<S::Weight, WpdsError> {
    plain_calls(system, "double poststar")?;
    let between = restrict(reached, chop)?;
    let second = poststar(system, &between, options)?;
    weight_of_set(&second, target)
}

fn plain_calls<S: Semiring>(system: &Wpds<S>, analysis: &'static str) -> Result<(), WpdsError> {
    match system.kind() {
        Kind::Weighted => Ok(()),
        Kind::Extended => Err(WpdsError::NeedsPlainCalls { analysis }),
    }
}

/// The intersection of a result with a set of configurations, as an automaton that can be given to a
/// solver: control locations are only the beginnings, their other visits become states of their own.
pub fn restrict<S: Semiring>(
    solution: &impl Solution<S>,
    set: &ConfigSet,
) -> Result<Automaton<S::Weight>, WpdsError> {
    let system = solution.system();
    let shape = solution.shape();
    let domain = system.domain();
    let mut out = Automaton::new(system.control_count());
    let mut index: FxHashMap<(State, State), State> = FxHashMap::default();
    let mut queue: Vec<(State, State, State)> =
        (0..system.control_count()).map(State).map(|p| (p, p, p)).collect();
    while let Some((q, c, at)) = queue.pop() {
        if shape.is_final(q) && set.is_final(c) {
            out.set_final(at);
        }
        for &id in shape.outgoing(q) {
            let link = shape.link(id);
            if link.label == Label::Epsilon {
                // An empty stack: the weight cannot be put on a transition.
                if set.is_final(c) && shape.is_final(link.to) {
                    return Err(WpdsError::EpsilonInInput { state: q.0 });
                }
                continue;
            }
            for t in set.outgoing(c).filter(|t| t.label.overlaps(link.label)) {
                let weight = solution.weight(id)?;
                if domain.is_zero(&weight) {
                    continue;
                }
                let key = (link.to, t.to);
                let to = match index.get(&key) {
                    Some(&to) => to,
                    None => {
                        let to = out.add_state();
                        index.insert(key, to);
                        queue.push((key.0, key.1, to));
                        to
                    }
                };
                let label = if link.label == Label::Any { t.label } else { link.label };
                out.add(at, label, to, weight)?;
            }
        }
    }
    Ok(out)
}
