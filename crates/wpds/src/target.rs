//! Stopping a saturation as soon as a target configuration has a weight other than zero.
//!
//! The product of the growing automaton with the target is kept without weights, transition by
//! transition. Once it accepts, the weight of the target is computed; it may still be zero (a
//! callee reaches the target only from states that no caller gives it), so the question is asked
//! again after growing intervals.

use rustc_hash::FxHashSet;

use crate::automaton::{ConfigSet, Label};
use crate::error::WpdsError;
use crate::ids::{State, TransitionId};
use crate::semiring::Semiring;
use crate::shape::{Shape, Solution};
use crate::summary::weight_of_set;
use crate::system::Wpds;

#[derive(Debug)]
pub(crate) struct TargetWatch<'a> {
    target: &'a ConfigSet,
    /// Pairs of states that a common stack prefix leads to.
    reached: FxHashSet<(State, State)>,
    /// The second components, by the first.
    at: Vec<Vec<State>>,
    accepted: bool,
    next_check: u64,
}

impl<'a> TargetWatch<'a> {
    pub(crate) fn new<S: Semiring>(
        system: &Wpds<S>,
        target: &'a ConfigSet,
        shape: &Shape,
    ) -> Result<Self, WpdsError> {
        target.check_input(system.control_count())?;
        let mut watch = Self {
            target,
            reached: FxHashSet::default(),
            at: Vec::new(),
            accepted: false,
            next_check: 0,
        };
        for control in (0..system.control_count()).map(State) {
            watch.reach(shape, control, control);
        }
        Ok(watch)
    }

    /// A transition was added to the automaton.
    pub(crate) fn add(&mut self, shape: &Shape, id: TransitionId) {
        let link = shape.link(id);
        if link.label == Label::Epsilon {
            self.accepted |= shape.is_final(link.to) && self.target.is_final(link.from);
            return;
        }
        for other in self.at.get(link.from.index()).cloned().unwrap_or_default() {
            for t in self.target.outgoing(other).filter(|t| t.label.overlaps(link.label)) {
                self.reach(shape, link.to, t.to);
            }
        }
    }

    fn reach(&mut self, shape: &Shape, state: State, other: State) {
        let mut stack = vec![(state, other)];
        while let Some((state, other)) = stack.pop() {
            if !self.reached.insert((state, other)) {
                continue;
            }
            if state.index() >= self.at.len() {
                self.at.resize(state.index() + 1, Vec::new());
            }
            self.at[state.index()].push(other);
            self.accepted |= shape.is_final(state) && self.target.is_final(other);
            for &id in shape.outgoing(state) {
                let link = shape.link(id);
                for t in self.target.outgoing(other).filter(|t| t.label.overlaps(link.label)) {
                    stack.push((link.to, t.to));
                }
            }
        }
    }

    /// Whether the weight of the target should be computed now.
    pub(crate) fn due(&self, updates: u64) -> bool {
        self.accepted && updates >= self.next_check
    }

    /// Whether the target has a weight other than zero.
    pub(crate) fn reached<S: Semiring>(
        &mut self,
        solution: &impl Solution<S>,
    ) -> Result<bool, WpdsError> {
        let weight = weight_of_set(solution, self.target)?;
        // A quarter more updates until the next question keeps the questions a small part.
        let links = solution.shape().links().len() as u64;
        self.next_check = self.next_check.max(links) * 5 / 4 + 1;
        Ok(!solution.system().domain().is_zero(&weight))
    }
}
