//! The algorithm of Qadeer and Rehof for context-bounded model checking (LAL 6.2), on pushdown systems
//! whose control locations are the shared states.
//!
//! After every context the shared state is fixed and the sets of stacks are automata; the next context
//! fans out over the shared states that a thread can leave. It enumerates what transducers keep
//! symbolic, so it serves as an oracle for small systems.

use gnomon_budget::Budget;
use rustc_hash::FxHashMap;

use crate::automaton::{ConfigSet, Label};
use crate::domains::Boolean;
use crate::error::WpdsError;
use crate::ids::{Control, State};
use crate::poststar::poststar;
use crate::saturation::SaturationOptions;
use crate::shape::Solution;
use crate::system::{Configuration, Wpds};

/// A set of states of all threads: one shared state, and for each thread a set of stacks, given as the
/// configurations with that control location.
#[derive(Clone, Debug)]
pub struct GlobalStates {
    /// The shared state.
    pub control: Control,
    /// The stacks of the threads.
    pub stacks: Vec<ConfigSet>,
}

impl GlobalStates {
    /// Whether a state is in the set.
    pub fn contains(&self, control: Control, stacks: &[Configuration]) -> bool {
        let inside = |(set, stack): (&ConfigSet, &Configuration)| {
            set.contains(&Configuration { control, stack: stack.stack.clone() })
        };
        self.control == control && self.stacks.iter().zip(stacks).all(inside)
    }
}

/// What can be reached with the contexts of the given threads, one after the other, each of any
/// length; a context may be empty. The first element of the result is what the start was.
pub fn qadeer_rehof(
    threads: &[&Wpds<Boolean>],
    start: &GlobalStates,
    contexts: &[usize],
    budget: &Budget,
) -> Result<Vec<GlobalStates>, WpdsError> {
    let mut all = vec![start.clone()];
    let mut level = vec![start.clone()];
    for &thread in contexts {
        let Some(system) = threads.get(thread) else {
            let index = u32::try_from(thread).unwrap_or(u32::MAX);
            return Err(WpdsError::OutOfRange { what: "thread", index });
        };
        let mut next = Vec::new();
        for states in &level {
            budget.check()?;
            next.extend(run(system, thread, states, budget)?);
        }
        // An empty context leaves everything as it was: `next` contains `level`.
        all.extend(next.iter().cloned());
        level = next;
    }
    Ok(all)
}

/// One context of one thread, fanned out over the shared states at its end.
fn run(
    system: &Wpds<Boolean>,
    thread: usize,
    states: &GlobalStates,
    budget: &Budget,
) -> Result<Vec<GlobalStates>, WpdsError> {
    let Some(stacks) = states.stacks.get(thread) else {
        let index = u32::try_from(thread).unwrap_or(u32::MAX);
        return Err(WpdsError::OutOfRange { what: "thread", index });
    };
    let only = part(stacks, states.control, states.control);
    let options = SaturationOptions { budget: budget.clone(), ..SaturationOptions::default() };
    let reached = poststar(system, &only.weighted(&true), &options)?;
    let mut automaton = ConfigSet::new(system.control_count());
    let shape = reached.shape();
    while automaton.state_count() < shape.states().len() {
        automaton.add_state();
    }
    for state in (0..shape.states().len()).map(State::of) {
        if shape.is_final(state) {
            automaton.set_final(state);
        }
    }
    for link in shape.links() {
        match link.label {
            // Only the empty stack needs it: other returns have transitions of their own.
            Label::Epsilon if shape.is_final(link.to) => automaton.set_final(link.from),
            Label::Epsilon => {}
            label => automaton.add(link.from, label, link.to, ())?,
        }
    }
    let mut next = Vec::new();
    for control in (0..system.control_count()).map(Control) {
        let left = part(&automaton, control, control);
        let nothing = !left.is_final(control.into()) && left.transitions().is_empty();
        if nothing {
            continue;
        }
        // The stacks of the others are read under the new shared state from now on.
        let mut stacks: Vec<ConfigSet> =
            states.stacks.iter().map(|set| part(set, states.control, control)).collect();
        stacks[thread] = left;
        next.push(GlobalStates { control, stacks });
    }
    Ok(next)
}

/// The stacks of one control location, as configurations of another one; other control locations have
/// none.
fn part(set: &ConfigSet, from: Control, to: Control) -> ConfigSet {
    let controls = set.control_count();
    let mut out = ConfigSet::new(controls);
    let mut index: FxHashMap<State, State> = FxHashMap::default();
    let mut queue = vec![(State::from(from), State::from(to))];
    if set.is_final(from.into()) {
        out.set_final(to.into());
    }
    while let Some((old, new)) = queue.pop() {
        for t in set.outgoing(old) {
            let target = match index.get(&t.to) {
                Some(&known) => known,
                None => {
                    let fresh = out.add_state();
                    if set.is_final(t.to) {
                        out.set_final(fresh);
                    }
                    index.insert(t.to, fresh);
                    queue.push((t.to, fresh));
                    fresh
                }
            };
            // Both states were made here.
            _ = out.add(new, t.label, target, ());
        }
    }
    out
}
