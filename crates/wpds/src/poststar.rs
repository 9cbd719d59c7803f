//! Forward reachability: the saturation rules of LAL Figure 3.4, which are those of 2.4.1 where a
//! push rule has no merge function.
//!
//! Departures. The paper keeps a pair of weights on every transition; only return sites need one,
//! and the second component is the weight of the push rule, so a return site carries its rule
//! ([`Link::call`](crate::Link)) and the caller's weight before the call. That also lifts the
//! paper's restriction to one push rule for each right-hand side: two such rules give two parallel
//! transitions. Works without the path-extension property (LAL 3.2.3).

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Label};
use crate::error::WpdsError;
use crate::ids::{Control, State, Symbol, TransitionId};
use crate::rule_index::{RuleTable, by_head};
use crate::saturation::{Growing, Reason, Saturated, SaturationOptions, expand, initial_shape};
use crate::semiring::Semiring;
use crate::shape::{Direction, Link, StateKind};
use crate::system::{Rhs, Wpds};

/// The automaton of everything that `start` reaches: it gives `c` the combine of
/// `start(c') ⊗ v(σ)` over all rule sequences `σ` from `c'` to `c`.
pub fn poststar<'a, S: Semiring>(
    system: &'a Wpds<S>,
    start: &Automaton<S::Weight>,
    options: &SaturationOptions<'a>,
) -> Result<Saturated<'a, S>, WpdsError> {
    let mut run = Poststar::new(system, start, options)?;
    while run.step()? {}
    Ok(run.growing.finish())
}

fn plain(from: State, label: Label, to: State) -> Link {
    Link { from, label, to, call: None }
}

/// A forward saturation that is under way.
pub(crate) struct Poststar<'a, S: Semiring> {
    pub(crate) growing: Growing<'a, S>,
    rules: RuleTable,
    /// The state below a callee, by the configuration it is entered at.
    entered: FxHashMap<(Control, Symbol), State>,
    /// For each state, the empty-word transitions into it.
    returns_into: Vec<Vec<TransitionId>>,
}

impl<'a, S: Semiring> Poststar<'a, S> {
    /// The automaton of the start, nothing propagated yet.
    pub(crate) fn new(
        system: &'a Wpds<S>,
        start: &Automaton<S::Weight>,
        options: &SaturationOptions<'a>,
    ) -> Result<Self, WpdsError> {
        start.check_input(system.control_count())?;
        let shape = initial_shape(system, start, Direction::Forward);
        let mut run = Self {
            growing: Growing::new(system, shape, options)?,
            rules: by_head(system),
            entered: FxHashMap::default(),
            returns_into: Vec::new(),
        };
        for t in start.transitions() {
            if t.from.0 < system.control_count() {
                for symbol in expand(t.label, system.symbol_count()) {
                    let link = plain(t.from, Label::Symbol(symbol), t.to);
                    run.growing.update(link, t.weight.clone(), Some(symbol), &Reason::Given)?;
                }
            } else {
                // Nothing is ever added to these: they wait for returns into their source.
                let link = plain(t.from, t.label, t.to);
                run.growing.update(link, t.weight.clone(), None, &Reason::Given)?;
            }
        }
        Ok(run)
    }

    /// Propagates one transition; false when there is none left or the target is reached.
    pub(crate) fn step(&mut self) -> Result<bool, WpdsError> {
        let Some((id, fresh)) = self.growing.next()? else { return Ok(false) };
        self.propagate(id, &fresh)?;
        Ok(true)
    }

    fn propagate(&mut self, id: TransitionId, fresh: &S::Weight) -> Result<(), WpdsError> {
        let link = self.growing.shape.link(id);
        match (link.label, self.growing.shape.states()[link.from.index()]) {
            (Label::Epsilon, _) => self.return_into(id, link, fresh),
            (Label::Symbol(symbol), StateKind::Control(control)) => {
                self.fire(id, (control, symbol), link.to, fresh)
            }
            _ => self.change_return_site(id, link, fresh),
        }
    }

    /// A transition from a control location: every rule with that head fires.
    fn fire(
        &mut self,
        id: TransitionId,
        (control, symbol): (Control, Symbol),
        to: State,
        fresh: &S::Weight,
    ) -> Result<(), WpdsError> {
        let system = self.growing.system;
        let domain = system.domain();
        let count = self.rules.get(symbol, control).len();
        for k in 0..count {
            let rule_id = self.rules.get(symbol, control)[k];
            let Some(rule) = system.rule(rule_id) else { continue };
            let target = State::from(rule.to);
            match rule.rhs {
                Rhs::Step(top) => {
                    let weight = domain.extend(fresh, &rule.weight)?;
                    let link = plain(target, Label::Symbol(top), to);
                    self.growing.update(link, weight, Some(top), &Reason::Then(id, rule_id))?;
                }
                Rhs::Pop => {
                    let weight = domain.extend(fresh, &rule.weight)?;
                    let link = plain(target, Label::Epsilon, to);
                    self.growing.update(link, weight, Some(symbol), &Reason::Then(id, rule_id))?;
                    if let Some(eps) = self.growing.shape.find(link) {
                        self.note_return(eps, to);
                    }
                }
                Rhs::Push(top, below) => {
                    let entered = self.entered_state(rule.to, top);
                    let body = plain(target, Label::Symbol(top), entered);
                    if self.growing.shape.find(body).is_none() {
                        self.growing.update(body, domain.one(), Some(top), &Reason::Given)?;
                    }
                    let site = Link { from: entered, label: Label::Symbol(below), to, call: None };
                    if rule.merge.is_some() {
                        let site = Link { call: Some(rule_id), ..site };
                        let reason = Reason::Same(id);
                        self.growing.update(site, fresh.clone(), Some(below), &reason)?;
                    } else {
                        let weight = domain.extend(fresh, &rule.weight)?;
                        let reason = Reason::Then(id, rule_id);
                        self.growing.update(site, weight, Some(below), &reason)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn entered_state(&mut self, control: Control, symbol: Symbol) -> State {
        let shape = &mut self.growing.shape;
        *self
            .entered
            .entry((control, symbol))
            .or_insert_with(|| shape.add_state(StateKind::Entered(control, symbol)))
    }

    fn note_return(&mut self, eps: TransitionId, into: State) {
        if into.index() >= self.returns_into.len() {
            self.returns_into.resize(into.index() + 1, Vec::new());
        }
        let list = &mut self.returns_into[into.index()];
        if !list.contains(&eps) {
            list.push(eps);
        }
    }

    /// More was returned: the return sites below the callee get it.
    fn return_into(
        &mut self,
        id: TransitionId,
        link: Link,
        fresh: &S::Weight,
    ) -> Result<(), WpdsError> {
        for k in 0..self.growing.shape.outgoing(link.to).len() {
            let site = self.growing.shape.outgoing(link.to)[k];
            let below = self.growing.weight(site).clone();
            self.join(link.from, (site, &below), (id, fresh))?;
        }
        Ok(())
    }

    /// A return site changed: everything that was returned to it is joined with the change.
    fn change_return_site(
        &mut self,
        id: TransitionId,
        link: Link,
        fresh: &S::Weight,
    ) -> Result<(), WpdsError> {
        let count = self.returns_into.get(link.from.index()).map_or(0, Vec::len);
        for k in 0..count {
            let eps = self.returns_into[link.from.index()][k];
            let returned = self.growing.weight(eps).clone();
            let control = self.growing.shape.link(eps).from;
            self.join(control, (id, fresh), (eps, &returned))?;
        }
        Ok(())
    }

    /// The return site, seen from the control location that was returned to.
    fn join(
        &mut self,
        control: State,
        (site, below): (TransitionId, &S::Weight),
        (eps, returned): (TransitionId, &S::Weight),
    ) -> Result<(), WpdsError> {
        let system = self.growing.system;
        let link = self.growing.shape.link(site);
        let (weight, reason) = match link.call {
            Some(call) => {
                (system.return_from(call, below, returned)?, Reason::Called(site, call, eps))
            }
            None => (system.domain().extend(below, returned)?, Reason::Both(site, eps)),
        };
        for symbol in expand(link.label, system.symbol_count()) {
            let link = plain(control, Label::Symbol(symbol), link.to);
            self.growing.update(link, weight.clone(), Some(symbol), &reason)?;
        }
        Ok(())
    }
}
