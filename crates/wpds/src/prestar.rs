//! Backward reachability: the saturation rules of LAL Figure 3.3, which are those of 2.4.1 where a
//! push rule has no merge function.
//!
//! Refuses merge functions without the path-extension property: LAL 3.2.3 gives rule sequences
//! another value then, which this parsing does not compute.

use crate::automaton::{Automaton, Label};
use crate::error::WpdsError;
use crate::ids::{Control, RuleId, State, Symbol, TransitionId};
use crate::rule_index::{RuleTable, by_return_site, by_written_top};
use crate::saturation::{Growing, Reason, Saturated, SaturationOptions, expand, initial_shape};
use crate::semiring::Semiring;
use crate::shape::{Direction, Link, StateKind};
use crate::system::{Rhs, Rule, Wpds};

/// The automaton of everything that reaches `goal`: it gives `c` the combine of
/// `v(σ) ⊗ goal(c')` over all rule sequences `σ` from `c` to `c'`.
pub fn prestar<'a, S: Semiring>(
    system: &'a Wpds<S>,
    goal: &Automaton<S::Weight>,
    options: &SaturationOptions<'a>,
) -> Result<Saturated<'a, S>, WpdsError> {
    let mut run = Prestar::new(system, goal, options)?;
    while run.step()? {}
    Ok(run.growing.finish())
}

/// A backward saturation that is under way.
pub(crate) struct Prestar<'a, S: Semiring> {
    pub(crate) growing: Growing<'a, S>,
    writers: RuleTable,
    callers: RuleTable,
}

impl<'a, S: Semiring> Prestar<'a, S> {
    /// The automaton of the goal and of the rules that pop, nothing propagated yet.
    pub(crate) fn new(
        system: &'a Wpds<S>,
        goal: &Automaton<S::Weight>,
        options: &SaturationOptions<'a>,
    ) -> Result<Self, WpdsError> {
        goal.check_input(system.control_count())?;
        system.require_path_extension("prestar")?;
        let shape = initial_shape(system, goal, Direction::Backward);
        let mut run = Self {
            growing: Growing::new(system, shape, options)?,
            writers: by_written_top(system),
            callers: by_return_site(system),
        };
        for t in goal.transitions() {
            if t.from.0 < system.control_count() {
                for symbol in expand(t.label, system.symbol_count()) {
                    run.add(t.from, symbol, t.to, t.weight.clone(), &Reason::Given)?;
                }
            } else {
                let link = Link { from: t.from, label: t.label, to: t.to, call: None };
                run.growing.update(link, t.weight.clone(), None, &Reason::Given)?;
            }
        }
        for (id, rule) in system.rules() {
            if rule.rhs == Rhs::Pop {
                let weight = rule.weight.clone();
                run.add(rule.from.into(), rule.top, rule.to.into(), weight, &Reason::Fired(id))?;
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

    fn add(
        &mut self,
        from: State,
        symbol: Symbol,
        to: State,
        weight: S::Weight,
        reason: &Reason,
    ) -> Result<(), WpdsError> {
        let link = Link { from, label: Label::Symbol(symbol), to, call: None };
        self.growing.update(link, weight, Some(symbol), reason)
    }

    /// Only transitions from control locations are propagated; the others are those of the input
    /// and are looked up from here.
    fn propagate(&mut self, id: TransitionId, fresh: &S::Weight) -> Result<(), WpdsError> {
        let link = self.growing.shape.link(id);
        let (Label::Symbol(symbol), StateKind::Control(control)) =
            (link.label, self.growing.shape.states()[link.from.index()])
        else {
            return Ok(());
        };
        self.as_top(id, (control, symbol), link.to, fresh)?;
        self.as_return_site(id, symbol, link, fresh)
    }

    /// The transition reads the top symbol that a rule wrote.
    fn as_top(
        &mut self,
        id: TransitionId,
        (control, symbol): (Control, Symbol),
        to: State,
        fresh: &S::Weight,
    ) -> Result<(), WpdsError> {
        let system = self.growing.system;
        for k in 0..self.writers.get(symbol, control).len() {
            let rule_id = self.writers.get(symbol, control)[k];
            let Some(rule) = system.rule(rule_id) else { continue };
            match rule.rhs {
                Rhs::Pop => {}
                Rhs::Step(_) => {
                    let weight = system.domain().extend(&rule.weight, fresh)?;
                    let reason = Reason::Before(rule_id, id);
                    self.add(rule.from.into(), rule.top, to, weight, &reason)?;
                }
                Rhs::Push(_, below) => {
                    for label in [Label::Symbol(below), Label::Any] {
                        for j in 0..self.growing.shape.labelled(to, label).len() {
                            let rest = self.growing.shape.labelled(to, label)[j];
                            let after = self.growing.weight(rest).clone();
                            self.call(rule_id, rule, (id, fresh), (rest, &after))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The transition reads the return site that a push rule wrote.
    fn as_return_site(
        &mut self,
        id: TransitionId,
        symbol: Symbol,
        link: Link,
        fresh: &S::Weight,
    ) -> Result<(), WpdsError> {
        let system = self.growing.system;
        for k in 0..self.callers.with_symbol(symbol).len() {
            let rule_id = self.callers.with_symbol(symbol)[k];
            let Some(rule) = system.rule(rule_id) else { continue };
            let Rhs::Push(top, _) = rule.rhs else { continue };
            let callee =
                Link { from: rule.to.into(), label: Label::Symbol(top), to: link.from, call: None };
            if let Some(callee) = self.growing.shape.find(callee) {
                let body = self.growing.weight(callee).clone();
                self.call(rule_id, rule, (callee, &body), (id, fresh))?;
            }
        }
        Ok(())
    }

    /// A call of which the callee's part and the rest of the stack are known.
    fn call(
        &mut self,
        rule_id: RuleId,
        rule: &Rule<S>,
        (callee, body): (TransitionId, &S::Weight),
        (rest, after): (TransitionId, &S::Weight),
    ) -> Result<(), WpdsError> {
        let system = self.growing.system;
        let domain = system.domain();
        let to = self.growing.shape.link(rest).to;
        let returns = self.growing.shape.is_control(self.growing.shape.link(callee).to);
        let (called, reason) = match (&rule.merge, returns) {
            (Some(merge), true) => {
                (merge.merge(domain, &domain.one(), body)?, Reason::CallThen(rule_id, callee, rest))
            }
            _ => (domain.extend(&rule.weight, body)?, Reason::BeforeBoth(rule_id, callee, rest)),
        };
        let weight = domain.extend(&called, after)?;
        self.add(rule.from.into(), rule.top, to, weight, &reason)
    }
}
