//! The transition dependence graph (LAL Definition 4.1.1): which transitions of the result come
//! from which.
//!
//! Built by saturation without weights. A production with two sources becomes a *summary edge* from
//! the caller's transition, labelled with the callee's, which is then an *out-node* (LAL 4.1.2). What
//! comes from a transition of the input that never changes is an edge from the root instead, so that
//! such a transition does not glue procedures together.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, Label};
use crate::ids::{Control, RuleId, State, Symbol, TransitionId};
use crate::rule_index::{by_head, by_return_site, by_written_top};
use crate::saturation::{expand, initial_shape};
use crate::semiring::Semiring;
use crate::shape::{Direction, Link, Shape, StateKind};
use crate::system::{Rhs, Rule, Wpds};

/// What an out-node contributes to a summary edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Summary {
    /// Its weight.
    Plain,
    /// The weight of the push rule, then its weight.
    After(RuleId),
    /// The rule's merge function of `1` and its weight.
    Merge(RuleId),
}

/// The label of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EdgeLabel {
    /// Nothing happens.
    One,
    /// The weight of this transition of the input.
    Given(u32),
    /// The weight of this rule.
    Rule(RuleId),
    /// A callee's summary; joined with the weight of a transition of the input, if one is named.
    Summary { summary: Summary, out: TransitionId, given: Option<u32> },
}

/// An edge; without a source it comes from the root of the target's intragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) source: Option<TransitionId>,
    pub(crate) target: TransitionId,
    pub(crate) label: EdgeLabel,
}

/// The graph: vertices are the transitions of the shape. The input must not have two transitions with
/// the same states and label.
#[derive(Debug)]
pub(crate) struct Tdg {
    pub(crate) shape: Shape,
    pub(crate) edges: Vec<Edge>,
    /// For transitions of the input that never change: their number in the input.
    pub(crate) given: Vec<Option<u32>>,
}

impl Tdg {
    pub(crate) fn new<S: Semiring>(
        system: &Wpds<S>,
        input: &Automaton<S::Weight>,
        direction: Direction,
    ) -> Self {
        let mut builder = Builder {
            system,
            tdg: Self {
                shape: initial_shape(system, input, direction),
                edges: Vec::new(),
                given: Vec::new(),
            },
            queue: VecDeque::new(),
        };
        builder.read_input(input);
        match direction {
            Direction::Forward => builder.forward(),
            Direction::Backward => builder.backward(),
        }
        builder.tdg
    }
}

struct Builder<'a, S: Semiring> {
    system: &'a Wpds<S>,
    tdg: Tdg,
    queue: VecDeque<TransitionId>,
}

fn plain(from: State, label: Label, to: State) -> Link {
    Link { from, label, to, call: None }
}

impl<S: Semiring> Builder<'_, S> {
    fn insert(&mut self, link: Link) -> TransitionId {
        let (id, new) = self.tdg.shape.insert(link);
        if new {
            self.tdg.given.push(None);
            self.queue.push_back(id);
        }
        id
    }

    fn edge(&mut self, source: Option<TransitionId>, target: Link, label: EdgeLabel) {
        let target = self.insert(target);
        self.tdg.edges.push(Edge { source, target, label });
    }

    fn read_input(&mut self, input: &Automaton<S::Weight>) {
        let controls = self.system.control_count();
        for (i, t) in input.transitions().iter().enumerate() {
            if t.from.0 < controls {
                for symbol in expand(t.label, self.system.symbol_count()) {
                    let link = plain(t.from, Label::Symbol(symbol), t.to);
                    self.edge(None, link, EdgeLabel::Given(i as u32));
                }
            } else {
                let (id, new) = self.tdg.shape.insert(plain(t.from, t.label, t.to));
                if new {
                    self.tdg.given.push(Some(i as u32));
                    self.queue.push_back(id);
                }
            }
        }
    }

    /// The source and label of an edge that continues from `from` with a callee's summary.
    fn continued(
        &self,
        from: TransitionId,
        summary: Summary,
        out: TransitionId,
    ) -> (Option<TransitionId>, EdgeLabel) {
        match self.tdg.given[from.index()] {
            Some(given) => (None, EdgeLabel::Summary { summary, out, given: Some(given) }),
            None => (Some(from), EdgeLabel::Summary { summary, out, given: None }),
        }
    }

    /// The productions of LAL Figure 2.14, with merge functions as in 3.4.
    fn forward(&mut self) {
        let rules = by_head(self.system);
        let mut entered: FxHashMap<(Control, Symbol), State> = FxHashMap::default();
        let mut sites: FxHashMap<State, Vec<TransitionId>> = FxHashMap::default();
        let mut returns: FxHashMap<State, Vec<TransitionId>> = FxHashMap::default();
        while let Some(id) = self.queue.pop_front() {
            let link = self.tdg.shape.link(id);
            match (link.label, self.tdg.shape.states()[link.from.index()]) {
                (Label::Epsilon, _) => {
                    returns.entry(link.to).or_default().push(id);
                    for &site in sites.get(&link.to).map_or(&[][..], Vec::as_slice) {
                        self.join(site, id);
                    }
                }
                (Label::Symbol(symbol), StateKind::Control(control)) => {
                    for &rule_id in rules.get(symbol, control) {
                        let Some(rule) = self.system.rule(rule_id) else { continue };
                        self.fire(id, link.to, rule_id, rule, &mut entered);
                    }
                }
                _ => {
                    sites.entry(link.from).or_default().push(id);
                    for &eps in returns.get(&link.from).map_or(&[][..], Vec::as_slice) {
                        self.join(id, eps);
                    }
                }
            }
        }
    }

    fn fire(
        &mut self,
        id: TransitionId,
        to: State,
        rule_id: RuleId,
        rule: &Rule<S>,
        entered: &mut FxHashMap<(Control, Symbol), State>,
    ) {
        let target = State::from(rule.to);
        let by_rule = EdgeLabel::Rule(rule_id);
        match rule.rhs {
            Rhs::Step(top) => self.edge(Some(id), plain(target, Label::Symbol(top), to), by_rule),
            Rhs::Pop => self.edge(Some(id), plain(target, Label::Epsilon, to), by_rule),
            Rhs::Push(top, below) => {
                let state = *entered
                    .entry((rule.to, top))
                    .or_insert_with(|| self.tdg.shape.add_state(StateKind::Entered(rule.to, top)));
                let body = plain(target, Label::Symbol(top), state);
                if self.tdg.shape.find(body).is_none() {
                    self.edge(None, body, EdgeLabel::One);
                }
                let site = plain(state, Label::Symbol(below), to);
                if rule.merge.is_some() {
                    let site = Link { call: Some(rule_id), ..site };
                    self.edge(Some(id), site, EdgeLabel::One);
                } else {
                    self.edge(Some(id), site, by_rule);
                }
            }
        }
    }

    fn join(&mut self, site: TransitionId, eps: TransitionId) {
        let below = self.tdg.shape.link(site);
        let control = self.tdg.shape.link(eps).from;
        let summary = below.call.map_or(Summary::Plain, Summary::Merge);
        let (source, label) = self.continued(site, summary, eps);
        for symbol in expand(below.label, self.system.symbol_count()) {
            self.edge(source, plain(control, Label::Symbol(symbol), below.to), label);
        }
    }

    /// The productions of LAL Figure 2.13, with merge functions as in 3.3.
    fn backward(&mut self) {
        let writers = by_written_top(self.system);
        let callers = by_return_site(self.system);
        for (id, rule) in self.system.rules() {
            if rule.rhs == Rhs::Pop {
                let link = plain(rule.from.into(), Label::Symbol(rule.top), rule.to.into());
                self.edge(None, link, EdgeLabel::Rule(id));
            }
        }
        let mut done: Vec<bool> = Vec::new();
        while let Some(id) = self.queue.pop_front() {
            done.resize(self.tdg.shape.links().len().max(done.len()), false);
            done[id.index()] = true;
            let link = self.tdg.shape.link(id);
            let (Label::Symbol(symbol), StateKind::Control(control)) =
                (link.label, self.tdg.shape.states()[link.from.index()])
            else {
                continue;
            };
            for &rule_id in writers.get(symbol, control) {
                let Some(rule) = self.system.rule(rule_id) else { continue };
                match rule.rhs {
                    Rhs::Pop => {}
                    Rhs::Step(_) => {
                        let target = plain(rule.from.into(), Label::Symbol(rule.top), link.to);
                        self.edge(Some(id), target, EdgeLabel::Rule(rule_id));
                    }
                    Rhs::Push(_, below) => {
                        for label in [Label::Symbol(below), Label::Any] {
                            for rest in self.tdg.shape.labelled(link.to, label).to_vec() {
                                let fixed = self.tdg.given[rest.index()].is_some();
                                if fixed || done.get(rest.index()).copied().unwrap_or(false) {
                                    self.call(rule_id, rule, id, rest);
                                }
                            }
                        }
                    }
                }
            }
            for &rule_id in callers.with_symbol(symbol) {
                let Some(rule) = self.system.rule(rule_id) else { continue };
                let Rhs::Push(top, _) = rule.rhs else { continue };
                let callee = plain(rule.to.into(), Label::Symbol(top), link.from);
                if let Some(callee) = self.tdg.shape.find(callee)
                    && callee != id
                    && done.get(callee.index()).copied().unwrap_or(false)
                {
                    self.call(rule_id, rule, callee, id);
                }
            }
        }
    }

    fn call(&mut self, rule_id: RuleId, rule: &Rule<S>, callee: TransitionId, rest: TransitionId) {
        let returns = self.tdg.shape.is_control(self.tdg.shape.link(callee).to);
        let merges = rule.merge.is_some() && returns;
        let summary = if merges { Summary::Merge(rule_id) } else { Summary::After(rule_id) };
        let (source, label) = self.continued(rest, summary, callee);
        let to = self.tdg.shape.link(rest).to;
        let target = plain(rule.from.into(), Label::Symbol(rule.top), to);
        self.edge(source, target, label);
    }
}
