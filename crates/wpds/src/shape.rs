//! The automaton that a solver made, without its weights, and the interface to the weights.
//!
//! Both solvers give a [`Shape`]: which states and transitions there are. The weights come through
//! [`Solution`]: a saturated automaton has them all, FWPDS computes the ones that are asked for.

use rustc_hash::FxHashMap;

use crate::automaton::Label;
use crate::error::WpdsError;
use crate::ids::{Control, RuleId, State, Symbol, TransitionId};
use crate::semiring::Semiring;
use crate::system::Wpds;

/// The direction of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `prestar`: what can reach the given set. Weights are read forwards along a stack.
    Backward,
    /// `poststar`: what the given set can reach. Weights are read backwards along a stack.
    Forward,
}

/// What a state of a result stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// A control location.
    Control(Control),
    /// A state of the automaton that was given.
    Input,
    /// The state `p_γ` of LAL 2.3.2: the stack below a callee that was entered at `⟨p, γ⟩`.
    Entered(Control, Symbol),
}

/// A transition of a result, without its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Link {
    /// Where it leaves.
    pub from: State,
    /// What it reads.
    pub label: Label,
    /// Where it leads.
    pub to: State,
    /// For a return site below an unfinished call with a merge function: that call's rule.
    pub call: Option<RuleId>,
}

/// States and transitions of a result.
#[derive(Clone, Debug)]
pub struct Shape {
    direction: Direction,
    states: Vec<StateKind>,
    finals: Vec<bool>,
    links: Vec<Link>,
    outgoing: Vec<Vec<TransitionId>>,
    by_label: FxHashMap<(State, Label), Vec<TransitionId>>,
    index: FxHashMap<Link, TransitionId>,
}

impl Shape {
    pub(crate) fn new(direction: Direction, states: Vec<StateKind>, finals: Vec<bool>) -> Self {
        let outgoing = vec![Vec::new(); states.len()];
        Self {
            direction,
            states,
            finals,
            links: Vec::new(),
            outgoing,
            by_label: FxHashMap::default(),
            index: FxHashMap::default(),
        }
    }

    pub(crate) fn add_state(&mut self, kind: StateKind) -> State {
        self.states.push(kind);
        self.finals.push(false);
        self.outgoing.push(Vec::new());
        State::of(self.states.len() - 1)
    }

    /// The transition, and whether it is new.
    pub(crate) fn insert(&mut self, link: Link) -> (TransitionId, bool) {
        if let Some(&known) = self.index.get(&link) {
            return (known, false);
        }
        let id = TransitionId::of(self.links.len());
        self.links.push(link);
        self.index.insert(link, id);
        self.outgoing[link.from.index()].push(id);
        self.by_label.entry((link.from, link.label)).or_default().push(id);
        (id, true)
    }

    /// The direction of the analysis.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// What the states stand for.
    pub fn states(&self) -> &[StateKind] {
        &self.states
    }

    /// Whether a state accepts.
    pub fn is_final(&self, state: State) -> bool {
        self.finals[state.index()]
    }

    /// Whether a state is a control location.
    pub fn is_control(&self, state: State) -> bool {
        matches!(self.states[state.index()], StateKind::Control(_))
    }

    /// All transitions; their numbers are their positions.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// One transition.
    pub fn link(&self, id: TransitionId) -> Link {
        self.links[id.index()]
    }

    /// The transitions that leave a state.
    pub fn outgoing(&self, state: State) -> &[TransitionId] {
        &self.outgoing[state.index()]
    }

    /// The transitions that leave a state with exactly this label.
    pub fn labelled(&self, state: State, label: Label) -> &[TransitionId] {
        self.by_label.get(&(state, label)).map_or(&[], Vec::as_slice)
    }

    /// The transition with these parts.
    pub fn find(&self, link: Link) -> Option<TransitionId> {
        self.index.get(&link).copied()
    }
}

/// The result of an analysis: an automaton whose weights can be asked for.
pub trait Solution<S: Semiring> {
    /// The system that was analysed.
    fn system(&self) -> &Wpds<S>;

    /// States and transitions.
    fn shape(&self) -> &Shape;

    /// The weight of a transition as the solver keeps it: at a return site below a call with a
    /// merge function it is the caller's weight just before the call.
    fn weight_before_call(&self, transition: TransitionId) -> Result<S::Weight, WpdsError>;

    /// The weight of a transition for reading configurations: calls count as entered (LAL 3.2.2,
    /// `flatten`).
    fn weight(&self, transition: TransitionId) -> Result<S::Weight, WpdsError> {
        let weight = self.weight_before_call(transition)?;
        match self.shape().link(transition).call {
            Some(call) => self.system().enter(call, &weight),
            None => Ok(weight),
        }
    }

    /// Tells a lazy solver which weights will be asked for, so that it can find them in one go.
    fn prepare(&self, _transitions: &[TransitionId]) -> Result<(), WpdsError> {
        Ok(())
    }
}
