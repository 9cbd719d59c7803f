//! Reachability between two regular sets, from both ends: a forward and a backward saturation take
//! turns until some configuration is in both.
//!
//! The idea is PDAAAL's dual search. What the forward side has found so far is reached, what the
//! backward side has found so far reaches the goal, so a configuration that both accept ends the
//! search early; and when either side is finished, the answer is known without the other. That pays
//! when one of the two sets has a small cone, and it is not known in advance which.
//!
//! The product of the two growing automata is kept without weights, transition by transition. Once it
//! accepts, the weight of the paths that meet is computed with a functional automaton (LAL 5.2, which
//! also applies merge functions across the meeting point); it may still be zero, so the question is
//! asked again after growing intervals. Every weight so far belongs to real paths and combine never
//! makes zero out of another weight, so a weight other than zero is final.

use rustc_hash::FxHashSet;

use crate::automaton::{Automaton, ConfigSet, Label};
use crate::error::WpdsError;
use crate::ids::{Control, State, Symbol, TransitionId};
use crate::poststar::Poststar;
use crate::prestar::Prestar;
use crate::projection::FunctionalAutomaton;
use crate::saturation::{Saturated, SaturationOptions};
use crate::semiring::Semiring;
use crate::shape::{Shape, Solution};
use crate::system::Wpds;

/// What a search from both ends found: the two results as far as they were needed.
#[derive(Debug)]
pub struct BidirectionalSearch<'a, S: Semiring> {
    /// Whether a path of weight other than zero leads from the one set into the other.
    pub reached: bool,
    /// What the first set reaches, as far as it was computed.
    pub forward: Saturated<'a, S>,
    /// What reaches the second set, as far as it was computed.
    pub backward: Saturated<'a, S>,
}

impl<'a, S: Semiring> BidirectionalSearch<'a, S> {
    /// The heads at which the two halves meet. If the options said to record witnesses, a path through
    /// one of them is in
    /// [`FunctionalAutomaton::witness_through`](crate::FunctionalAutomaton::witness_through).
    pub fn meeting_points(&self) -> Result<Vec<(Control, Symbol)>, WpdsError> {
        FunctionalAutomaton::new(&self.forward, &self.backward)?.projection_by_summaries()
    }
}

/// Whether some configuration of `from` reaches one of `to` with a weight other than zero. The target
/// of the options is not used; their budget is shared by both sides.
///
/// ```
/// use gnomon_wpds::domains::Boolean;
/// use gnomon_wpds::text::{read_automaton, read_system};
/// use gnomon_wpds::{SaturationOptions, reaches};
///
/// # fn main() -> Result<(), gnomon_wpds::WpdsError> {
/// let text = "control p\nsymbol a b c\n\
///             rule <p, a> -> <p, b c> : true\nrule <p, b> -> <p,> : true";
/// let system = read_system(text, Boolean, &|_| None)?;
/// let from = read_automaton("state q\nfinal q\np -a-> q : true", &system)?;
/// let to = read_automaton("state q\nfinal q\np -c-> q : true", &system)?;
/// let options = SaturationOptions::default();
/// assert!(reaches(&system, &from, &to, &options)?.reached);
/// assert!(!reaches(&system, &to, &from, &options)?.reached);
/// # Ok(())
/// # }
/// ```
pub fn reaches<'a, S: Semiring>(
    system: &'a Wpds<S>,
    from: &Automaton<S::Weight>,
    to: &Automaton<S::Weight>,
    options: &SaturationOptions<'_>,
) -> Result<BidirectionalSearch<'a, S>, WpdsError> {
    let options = SaturationOptions {
        order: options.order.clone(),
        differential: options.differential,
        trace: options.trace,
        target: None,
        budget: options.budget.clone(),
    };
    let mut forward = Poststar::new(system, from, &options)?;
    let mut backward = Prestar::new(system, to, &options)?;
    let mut meeting = Meeting::new(system, &forward.growing.shape, &backward.growing.shape);
    let reached = loop {
        meeting.grow(&forward.growing.shape, &backward.growing.shape);
        let updates = forward.growing.updates() + backward.growing.updates();
        if meeting.due(updates) {
            let (before, after) = (forward.growing.view(), backward.growing.view());
            if meeting.has_weight(&before, &after, updates)? {
                break true;
            }
        }
        if !forward.step()? || !backward.step()? {
            meeting.grow(&forward.growing.shape, &backward.growing.shape);
            let (before, after) = (forward.growing.view(), backward.growing.view());
            break meeting.accepted && meeting.has_weight(&before, &after, updates)?;
        }
    };
    let (forward, backward) = (forward.growing.finish(), backward.growing.finish());
    Ok(BidirectionalSearch { reached, forward, backward })
}

/// The product of two growing automata, without weights.
#[derive(Debug)]
struct Meeting {
    /// Pairs of states that a common prefix of stacks leads to.
    reached: FxHashSet<(State, State)>,
    /// The backward states of those pairs, by the forward state, and the other way round.
    of_forward: Vec<Vec<State>>,
    of_backward: Vec<Vec<State>>,
    /// How many transitions of each side have been looked at.
    seen: (usize, usize),
    accepted: bool,
    next_check: u64,
}

fn push_at(lists: &mut Vec<Vec<State>>, at: State, value: State) {
    if at.index() >= lists.len() {
        lists.resize(at.index() + 1, Vec::new());
    }
    lists[at.index()].push(value);
}

fn list_at(lists: &[Vec<State>], at: State) -> Vec<State> {
    lists.get(at.index()).cloned().unwrap_or_default()
}

impl Meeting {
    fn new<S: Semiring>(system: &Wpds<S>, forward: &Shape, backward: &Shape) -> Self {
        let mut meeting = Self {
            reached: FxHashSet::default(),
            of_forward: Vec::new(),
            of_backward: Vec::new(),
            seen: (0, 0),
            accepted: false,
            next_check: 0,
        };
        for control in (0..system.control_count()).map(State) {
            meeting.reach(forward, backward, control, control);
        }
        meeting
    }

    /// Takes in the transitions that were added since the last time.
    fn grow(&mut self, forward: &Shape, backward: &Shape) {
        for i in self.seen.0..forward.links().len() {
            let link = forward.link(TransitionId::of(i));
            if link.label == Label::Epsilon {
                self.accepted |= forward.is_final(link.to) && backward.is_final(link.from);
                continue;
            }
            for other in list_at(&self.of_forward, link.from) {
                for next in readers(backward, other, link.label) {
                    self.reach(forward, backward, link.to, next);
                }
            }
        }
        for i in self.seen.1..backward.links().len() {
            let link = backward.link(TransitionId::of(i));
            for other in list_at(&self.of_backward, link.from) {
                for next in readers(forward, other, link.label) {
                    self.reach(forward, backward, next, link.to);
                }
            }
        }
        self.seen = (forward.links().len(), backward.links().len());
    }

    fn reach(&mut self, forward: &Shape, backward: &Shape, first: State, second: State) {
        let mut stack = vec![(first, second)];
        while let Some((f, b)) = stack.pop() {
            if !self.reached.insert((f, b)) {
                continue;
            }
            push_at(&mut self.of_forward, f, b);
            push_at(&mut self.of_backward, b, f);
            self.accepted |= forward.is_final(f) && backward.is_final(b);
            for &id in forward.outgoing(f) {
                let link = forward.link(id);
                if link.label != Label::Epsilon {
                    let next = readers(backward, b, link.label);
                    stack.extend(next.into_iter().map(|to| (link.to, to)));
                }
            }
        }
    }

    /// Whether the weight of what meets should be computed now.
    fn due(&self, updates: u64) -> bool {
        self.accepted && updates >= self.next_check
    }

    /// Whether what meets has a weight other than zero.
    fn has_weight<S: Semiring>(
        &mut self,
        forward: &impl Solution<S>,
        backward: &impl Solution<S>,
        updates: u64,
    ) -> Result<bool, WpdsError> {
        let system = forward.system();
        let everywhere = ConfigSet::all(system.control_count());
        let weight = FunctionalAutomaton::new(forward, backward)?.chop(&everywhere)?;
        // Half as many updates again until the next question keeps the questions a small part.
        self.next_check = updates * 3 / 2 + 1;
        Ok(!system.domain().is_zero(&weight))
    }
}

/// Where the transitions lead that leave a state and read a symbol of `label`.
fn readers(shape: &Shape, from: State, label: Label) -> Vec<State> {
    let lead = |list: &[TransitionId]| list.iter().map(|&t| shape.link(t).to).collect::<Vec<_>>();
    match label {
        Label::Epsilon => Vec::new(),
        Label::Symbol(_) => {
            let mut all = lead(shape.labelled(from, label));
            all.extend(lead(shape.labelled(from, Label::Any)));
            all
        }
        Label::Any => {
            let reads = |&&t: &&TransitionId| shape.link(t).label != Label::Epsilon;
            shape.outgoing(from).iter().filter(reads).map(|&t| shape.link(t).to).collect()
        }
    }
}
