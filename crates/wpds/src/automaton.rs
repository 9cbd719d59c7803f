//! Automata that accept configurations (LAL Definition 2.3.2), plain and weighted (2.4.5).
//!
//! The states `0..controls` are the control locations: a configuration `⟨p, u⟩` is accepted when
//! `u` leads from state `p` to a final state. [`Label::Any`] stands for every stack symbol, so that
//! sets such as `γΓ*` stay small whatever the alphabet. Weighted automata are read in the direction
//! of the analysis they are given to: forwards for `prestar`, backwards for `poststar`.

use crate::error::WpdsError;
use crate::ids::{Control, State, Symbol};
use crate::system::Configuration;

/// What a transition reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Nothing; only in results of `poststar`.
    Epsilon,
    /// One stack symbol.
    Symbol(Symbol),
    /// Any one stack symbol.
    Any,
}

impl Label {
    /// Whether some symbol is read by both.
    pub fn overlaps(self, other: Self) -> bool {
        match (self, other) {
            (Self::Epsilon, _) | (_, Self::Epsilon) => false,
            (Self::Any, _) | (_, Self::Any) => true,
            (Self::Symbol(a), Self::Symbol(b)) => a == b,
        }
    }
}

/// A transition of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition<W> {
    /// Where it leaves.
    pub from: State,
    /// What it reads.
    pub label: Label,
    /// Where it leads.
    pub to: State,
    /// Its weight.
    pub weight: W,
}

/// An automaton over stack symbols whose first states are control locations.
#[derive(Clone, Debug)]
pub struct Automaton<W> {
    controls: u32,
    finals: Vec<bool>,
    transitions: Vec<Transition<W>>,
    outgoing: Vec<Vec<u32>>,
}

/// A regular set of configurations.
pub type ConfigSet = Automaton<()>;

impl<W> Automaton<W> {
    /// The automaton that accepts nothing, for a system with this many control locations.
    pub fn new(controls: u32) -> Self {
        Self {
            controls,
            finals: vec![false; controls as usize],
            transitions: Vec::new(),
            outgoing: vec![Vec::new(); controls as usize],
        }
    }

    /// Adds a state.
    pub fn add_state(&mut self) -> State {
        self.finals.push(false);
        self.outgoing.push(Vec::new());
        State::of(self.finals.len() - 1)
    }

    /// Makes a state accept. A control location that accepts stands for the empty stack.
    pub fn set_final(&mut self, state: State) {
        if let Some(accepts) = self.finals.get_mut(state.index()) {
            *accepts = true;
        }
    }

    /// Adds a transition between existing states.
    pub fn add(
        &mut self,
        from: State,
        label: Label,
        to: State,
        weight: W,
    ) -> Result<(), WpdsError> {
        for state in [from, to] {
            if state.index() >= self.finals.len() {
                return Err(WpdsError::OutOfRange { what: "state", index: state.0 });
            }
        }
        self.outgoing[from.index()].push(u32::try_from(self.transitions.len()).unwrap_or(u32::MAX));
        self.transitions.push(Transition { from, label, to, weight });
        Ok(())
    }

    /// How many control locations it is for.
    pub fn control_count(&self) -> u32 {
        self.controls
    }

    /// How many states there are, control locations included.
    pub fn state_count(&self) -> usize {
        self.finals.len()
    }

    /// Whether a state accepts.
    pub fn is_final(&self, state: State) -> bool {
        self.finals.get(state.index()).copied().unwrap_or(false)
    }

    /// All transitions.
    pub fn transitions(&self) -> &[Transition<W>] {
        &self.transitions
    }

    /// The transitions that leave a state.
    pub fn outgoing(&self, state: State) -> impl Iterator<Item = &Transition<W>> {
        let list = self.outgoing.get(state.index()).map_or(&[][..], Vec::as_slice);
        list.iter().map(|&i| &self.transitions[i as usize])
    }

    /// Checks that the automaton is for systems with this many control locations.
    pub(crate) fn check_controls(&self, controls: u32) -> Result<(), WpdsError> {
        if self.controls == controls {
            Ok(())
        } else {
            Err(WpdsError::ControlCount { expected: controls, found: self.controls })
        }
    }

    /// Checks what every analysis needs of its input: no transition into a control location and no
    /// empty-word transition.
    pub(crate) fn check_input(&self, controls: u32) -> Result<(), WpdsError> {
        self.check_controls(controls)?;
        for t in &self.transitions {
            if t.to.0 < self.controls {
                return Err(WpdsError::TransitionIntoControl { control: t.to.0 });
            }
            if t.label == Label::Epsilon {
                return Err(WpdsError::EpsilonInInput { state: t.from.0 });
            }
        }
        Ok(())
    }

    /// The same automaton with other weights.
    pub fn map<V>(&self, weight: impl Fn(&Transition<W>) -> V) -> Automaton<V> {
        Automaton {
            controls: self.controls,
            finals: self.finals.clone(),
            outgoing: self.outgoing.clone(),
            transitions: self
                .transitions
                .iter()
                .map(|t| Transition { from: t.from, label: t.label, to: t.to, weight: weight(t) })
                .collect(),
        }
    }

    /// The accepted configurations, without their weights.
    pub fn support(&self) -> ConfigSet {
        self.map(|_| ())
    }
}

impl ConfigSet {
    /// One configuration.
    pub fn single(controls: u32, configuration: &Configuration) -> Result<Self, WpdsError> {
        let mut set = Self::new(controls);
        set.add_stack(configuration, false)?;
        Ok(set)
    }

    /// All configurations that start with the given one and have anything below: `uΓ*`.
    pub fn prefix(controls: u32, configuration: &Configuration) -> Result<Self, WpdsError> {
        let mut set = Self::new(controls);
        set.add_stack(configuration, true)?;
        Ok(set)
    }

    /// All configurations of one control location with `symbol` on top: `γΓ*`.
    pub fn top(controls: u32, control: Control, symbol: Symbol) -> Result<Self, WpdsError> {
        Self::prefix(controls, &Configuration { control, stack: vec![symbol] })
    }

    /// All configurations, the empty stacks included.
    pub fn all(controls: u32) -> Self {
        let mut set = Self::new(controls);
        let rest = set.add_state();
        set.set_final(rest);
        for control in 0..controls {
            set.set_final(State(control));
            set.outgoing[control as usize].push(control);
            let t = Transition { from: State(control), label: Label::Any, to: rest, weight: () };
            set.transitions.push(t);
        }
        set.outgoing[rest.index()].push(controls);
        set.transitions.push(Transition { from: rest, label: Label::Any, to: rest, weight: () });
        set
    }

    /// Adds one configuration, or all that have it on top.
    pub fn add_stack(
        &mut self,
        configuration: &Configuration,
        anything_below: bool,
    ) -> Result<(), WpdsError> {
        let mut state = State::from(configuration.control);
        for &symbol in &configuration.stack {
            let next = self.add_state();
            self.add(state, Label::Symbol(symbol), next, ())?;
            state = next;
        }
        if anything_below {
            if state.0 < self.controls {
                let rest = self.add_state();
                self.set_final(state);
                self.add(state, Label::Any, rest, ())?;
                state = rest;
            }
            self.add(state, Label::Any, state, ())?;
        }
        self.set_final(state);
        Ok(())
    }

    /// The set with the same weight on every configuration of one stack symbol or more: the weight
    /// is put on the transitions that leave control locations, `one` on the others.
    pub fn weighted<W: Clone>(&self, one: &W) -> Automaton<W> {
        self.map(|_| one.clone())
    }

    /// Whether a configuration is in the set.
    pub fn contains(&self, configuration: &Configuration) -> bool {
        let mut states = vec![State::from(configuration.control)];
        for &symbol in &configuration.stack {
            let mut next: Vec<State> = states
                .iter()
                .flat_map(|&q| self.outgoing(q))
                .filter(|t| t.label.overlaps(Label::Symbol(symbol)))
                .map(|t| t.to)
                .collect();
            next.sort_unstable();
            next.dedup();
            states = next;
        }
        states.into_iter().any(|q| self.is_final(q))
    }
}
