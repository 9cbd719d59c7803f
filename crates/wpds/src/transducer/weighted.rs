//! The weighted transducer of a pushdown system (LAL 6.4).
//!
//! Every run takes some symbols off the stack for good (the *pop phase*) and then replaces the next
//! one by one or more (the *growth phase*); what is below stays. The weights of the first kind come
//! from one backward saturation, those of the second from one forward saturation that starts at every
//! head at once. The transducer reads the stack before in the pop phase, guesses and writes what has
//! grown, checks the symbol from which it grew, and copies the rest.
//!
//! Departure from the paper: the states of Definition 6.4.3 are not written out. A state is what
//! [`Phase`] says, and the control location in which the context ends is part of it, so that
//! compositions can tell contexts apart by where they begin and end.

use std::collections::BTreeMap;

use gnomon_budget::Budget;
use rustc_hash::FxHashSet;

use crate::automaton::{Automaton, ConfigSet, Label};
use crate::error::WpdsError;
use crate::ids::{Control, State, Symbol, TransitionId};
use crate::order::Order;
use crate::poststar::poststar;
use crate::prestar::prestar;
use crate::saturation::{Saturated, SaturationOptions, expand};
use crate::semiring::Semiring;
use crate::shape::{Shape, Solution, StateKind};
use crate::system::{Configuration, Kind, Rhs, Wpds};

/// How transducers are built and composed.
#[derive(Clone, Debug)]
pub struct TransducerOptions {
    /// The order of the saturations.
    pub order: Order,
    /// The budget; one step for each transition of a saturation and each state of a composition.
    pub budget: Budget,
}

impl Default for TransducerOptions {
    fn default() -> Self {
        Self { order: Order::CalleesFirst, budget: Budget::unlimited() }
    }
}

/// A state of the transducer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Phase {
    /// Symbols are taken off for good; the control location reached so far.
    Pop(Control),
    /// What has grown is written.
    Grow {
        /// The state of the growth automaton at which all is written: it says from which head.
        target: State,
        /// The state of the growth automaton.
        state: State,
        /// Where the context ends.
        end: Control,
    },
    /// What was not touched is copied.
    Copy {
        /// Where the context ends.
        end: Control,
    },
}

/// The weighted transducer of a pushdown system: the weight of `(c, c')` is that of all runs from `c`
/// to `c'`.
#[derive(Debug)]
pub struct WeightedTransducer<'a, S: Semiring> {
    system: &'a Wpds<S>,
    /// The results of [`pops`](Self::pops), by control location and symbol.
    pops: Vec<Vec<(Control, S::Weight)>>,
    growth: Saturated<'a, S>,
    /// The state `q_{p,γ}` of the growth automaton, by control location and symbol.
    heads: Vec<Option<State>>,
    /// The transitions of the growth automaton, by both ends.
    between: Vec<BTreeMap<State, Vec<TransitionId>>>,
    /// The first state below a callee.
    first_below: State,
    /// The heads that a state below a callee leads to.
    leads_to: FxHashSet<(State, State)>,
}

impl<'a, S: Semiring> WeightedTransducer<'a, S> {
    /// Builds the transducer of a system without merge functions.
    pub fn new(system: &'a Wpds<S>, options: &TransducerOptions) -> Result<Self, WpdsError> {
        Self::with_heads(system, &vec![true; system.symbol_count() as usize], options)
    }

    /// Builds as much of the transducer as compositions with itself need when the first context starts
    /// in `start`.
    ///
    /// A step of weight one commutes with whatever other threads do. So a context need not begin at a
    /// symbol all of whose rules have weight one: such steps could have been taken at the end of the
    /// context before. Growth begins only at the other symbols, at those of `start` and at return
    /// sites. With several control locations nothing commutes, and only symbols that are never on the
    /// stack are left out.
    pub fn starting_at(
        system: &'a Wpds<S>,
        start: &ConfigSet,
        options: &TransducerOptions,
    ) -> Result<Self, WpdsError> {
        start.check_input(system.control_count())?;
        Self::with_heads(system, &growing_symbols(system, start), options)
    }

    fn with_heads(
        system: &'a Wpds<S>,
        grows: &[bool],
        options: &TransducerOptions,
    ) -> Result<Self, WpdsError> {
        if system.kind() == Kind::Extended {
            return Err(WpdsError::NeedsPlainCalls { analysis: "a weighted transducer" });
        }
        let saturation = SaturationOptions {
            order: options.order.clone(),
            budget: options.budget.clone(),
            ..SaturationOptions::default()
        };
        let (controls, symbols) = (system.control_count(), system.symbol_count());
        let place = |control: u32, symbol: u32| (control * symbols + symbol) as usize;

        // Lemma 6.4.1: what reaches an empty stack.
        let mut empty = Automaton::new(controls);
        for control in (0..controls).map(State) {
            empty.set_final(control);
        }
        let popping = prestar(system, &empty, &saturation)?;
        let mut pops = vec![Vec::new(); place(controls, 0)];
        for (i, link) in popping.shape().links().iter().enumerate() {
            if let Label::Symbol(symbol) = link.label {
                let weight = popping.weight(TransitionId::of(i))?;
                pops[place(link.from.0, symbol.0)].push((Control(link.to.0), weight));
            }
        }

        // Lemma 6.4.2: what every head reaches.
        let mut everything = Automaton::new(controls);
        let mut heads = vec![None; place(controls, 0)];
        for control in (0..controls).map(Control) {
            for symbol in (0..symbols).map(Symbol).filter(|symbol| grows[symbol.index()]) {
                let state = everything.add_state();
                heads[place(control.0, symbol.0)] = Some(state);
                let one = system.domain().one();
                everything.add(control.into(), Label::Symbol(symbol), state, one)?;
            }
        }
        let growth = poststar(system, &everything, &saturation)?;
        let shape = growth.shape();
        let mut between = vec![BTreeMap::<State, Vec<TransitionId>>::new(); shape.states().len()];
        for (i, link) in shape.links().iter().enumerate() {
            if link.label != Label::Epsilon {
                let list = between[link.from.index()].entry(link.to).or_default();
                list.push(TransitionId::of(i));
            }
        }
        let leads_to = heads_below(shape, &between);
        let first_below = State::of(everything.state_count());
        Ok(Self { system, pops, growth, heads, between, first_below, leads_to })
    }

    /// The system.
    pub fn system(&self) -> &'a Wpds<S> {
        self.system
    }

    /// `pop(p, γ, ·)`: the control locations in which `γ` can be gone, with the weights.
    pub fn pops(&self, control: Control, symbol: Symbol) -> &[(Control, S::Weight)] {
        let place = control.index() * self.system.symbol_count() as usize + symbol.index();
        self.pops.get(place).map_or(&[], Vec::as_slice)
    }

    /// Checks that a first context can start in these configurations.
    pub(crate) fn check_start(&self, start: &ConfigSet) -> Result<(), WpdsError> {
        let missing = |symbol: &Symbol| self.growth_of(Control(0), *symbol).is_none();
        match read_symbols(self.system, start).find(missing) {
            Some(symbol) => Err(WpdsError::OutOfRange {
                what: "a start of the transducer at symbol",
                index: symbol.0,
            }),
            None => Ok(()),
        }
    }

    /// The automaton of what each head grows into.
    pub(crate) fn growth(&self) -> &Shape {
        self.growth.shape()
    }

    /// The weight of a transition of the growth automaton.
    pub(crate) fn growth_weight(&self, transition: TransitionId) -> Result<S::Weight, WpdsError> {
        self.growth.weight(transition)
    }

    /// The state of the growth automaton for what grows from a head, if growth can begin there.
    pub(crate) fn growth_of(&self, control: Control, symbol: Symbol) -> Option<State> {
        let place = control.index() * self.system.symbol_count() as usize + symbol.index();
        self.heads.get(place).copied().flatten()
    }

    /// The transitions of the growth automaton that lead on from a state to a head, by where they lead.
    pub(crate) fn growth_towards(
        &self,
        state: State,
        head: State,
    ) -> impl Iterator<Item = (State, &[TransitionId])> {
        // States below callees have larger numbers than heads.
        let all = self.between.get(state.index());
        let last = all.and_then(|all| all.get_key_value(&head));
        let below = all.into_iter().flat_map(move |all| all.range(self.first_below..));
        let leading = below.filter(move |(to, _)| self.leads_to.contains(&(**to, head)));
        last.into_iter().chain(leading).map(|(&to, list)| (to, list.as_slice()))
    }

    /// The combined weight of some transitions of the growth automaton.
    pub(crate) fn combined_growth(
        &self,
        transitions: &[TransitionId],
    ) -> Result<S::Weight, WpdsError> {
        let domain = self.system.domain();
        let mut sum = domain.zero();
        for &id in transitions {
            sum = domain.combine(&sum, &self.growth_weight(id)?)?;
        }
        Ok(sum)
    }

    /// The weight of all runs from one configuration to another: what the transducer says of a pair
    /// (Theorem 6.4.4). Only a transducer that was built with [`new`](Self::new) knows all pairs.
    pub fn weight(&self, from: &Configuration, to: &Configuration) -> Result<S::Weight, WpdsError> {
        let domain = self.system.domain();
        let mut total = domain.zero();
        // After each pop phase: grow from the next symbol, or stop here.
        let mut phases = vec![(from.control, domain.one())];
        for k in 0..=from.stack.len() {
            let mut next: Vec<(Control, S::Weight)> = Vec::new();
            for (control, before) in &phases {
                if *control == to.control && from.stack[k..] == to.stack[..] {
                    total = domain.combine(&total, before)?;
                }
                let Some(&symbol) = from.stack.get(k) else { continue };
                let below = &from.stack[k + 1..];
                if let Some(grown) = to.stack.strip_suffix(below).filter(|u| !u.is_empty()) {
                    let after = self.grown_weight((*control, symbol), to.control, grown)?;
                    total = domain.combine(&total, &domain.extend(before, &after)?)?;
                }
                for (gone, weight) in self.pops(*control, symbol) {
                    next.push((*gone, domain.extend(before, weight)?));
                }
            }
            phases = next;
        }
        Ok(total)
    }

    /// `grow(p, γ)(p', u)`.
    fn grown_weight(
        &self,
        head: (Control, Symbol),
        end: Control,
        stack: &[Symbol],
    ) -> Result<S::Weight, WpdsError> {
        let domain = self.system.domain();
        let mut states = vec![(State::from(end), domain.one())];
        for &symbol in stack {
            let mut next = Vec::new();
            for (state, above) in &states {
                for &id in self.growth().labelled(*state, Label::Symbol(symbol)) {
                    let weight = domain.extend(&self.growth_weight(id)?, above)?;
                    next.push((self.growth().link(id).to, weight));
                }
            }
            states = next;
        }
        let mut total = domain.zero();
        let target = self.growth_of(head.0, head.1);
        for (state, weight) in &states {
            if Some(*state) == target {
                total = domain.combine(&total, weight)?;
            }
        }
        Ok(total)
    }
}

/// The heads that the states below callees lead to.
fn heads_below(
    shape: &Shape,
    between: &[BTreeMap<State, Vec<TransitionId>>],
) -> FxHashSet<(State, State)> {
    let mut leads_to = FxHashSet::default();
    for (i, kind) in shape.states().iter().enumerate() {
        if !matches!(kind, StateKind::Entered(..)) {
            continue;
        }
        let below = State::of(i);
        let mut waiting = vec![below];
        while let Some(state) = waiting.pop() {
            for &to in between[state.index()].keys() {
                if leads_to.insert((below, to)) {
                    waiting.push(to);
                }
            }
        }
    }
    leads_to
}

/// The symbols that an automaton reads.
fn read_symbols<S: Semiring>(system: &Wpds<S>, set: &ConfigSet) -> impl Iterator<Item = Symbol> {
    let all = system.symbol_count();
    set.transitions().iter().flat_map(move |t| expand(t.label, all))
}

/// The symbols at which the growth phase of a context can begin.
fn growing_symbols<S: Semiring>(system: &Wpds<S>, start: &ConfigSet) -> Vec<bool> {
    let count = system.symbol_count() as usize;
    let (mut successors, mut visible) = (vec![Vec::new(); count], vec![false; count]);
    let mut sites = vec![false; count];
    let one_control = system.control_count() == 1;
    for (_, rule) in system.rules() {
        visible[rule.top.index()] |= !one_control || !system.domain().is_one(&rule.weight);
        match rule.rhs {
            Rhs::Pop => {}
            Rhs::Step(top) => successors[rule.top.index()].push(top),
            Rhs::Push(top, below) => {
                successors[rule.top.index()].extend([top, below]);
                sites[below.index()] = true;
            }
        }
    }
    let mut grows = vec![false; count];
    let mut reached = vec![false; count];
    let mut waiting: Vec<Symbol> = read_symbols(system, start).collect();
    for symbol in waiting.iter().filter(|symbol| symbol.index() < count) {
        grows[symbol.index()] = true;
    }
    while let Some(symbol) = waiting.pop() {
        let i = symbol.index();
        if i < count && !std::mem::replace(&mut reached[i], true) {
            grows[i] |= visible[i] || sites[i];
            waiting.extend(&successors[i]);
        }
    }
    grows
}
