//! What `prestar` and `poststar` share: options, the growing weighted automaton, statistics.
//!
//! The worklist algorithm of Reps, Schwoon, Jha and Melski with three refinements: transitions are
//! taken in a given order ([`Order`]); where the domain has differences, only what is new is
//! propagated (LAL 4.2.2); and a target set can stop the analysis early.

use gnomon_budget::Budget;

use crate::automaton::{Automaton, ConfigSet, Label};
use crate::error::WpdsError;
use crate::ids::{Control, State, Symbol, TransitionId};
use crate::order::{Order, Worklist};
use crate::semiring::Semiring;
use crate::shape::{Direction, Link, Shape, Solution, StateKind};
use crate::system::Wpds;
use crate::target::TargetWatch;
use crate::witness::{WitnessDag, WitnessId, WitnessNode};

/// How to saturate.
#[derive(Clone, Debug, Default)]
pub struct SaturationOptions<'a> {
    /// The order of the worklist.
    pub order: Order,
    /// Propagate only differences, if the domain has them.
    pub differential: bool,
    /// Record how every weight came about, for [`Saturated::witness`].
    pub trace: bool,
    /// Stop as soon as a configuration of this set has a weight other than zero.
    pub target: Option<&'a ConfigSet>,
    /// The budget; one step for each transition that is taken from the worklist.
    pub budget: Budget,
}

/// What saturation did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaturationStatistics {
    /// Transitions of the automaton at the end.
    pub transitions: usize,
    /// Transitions taken from the worklist.
    pub propagations: u64,
    /// Changes of weights.
    pub updates: u64,
    /// Whether the target was reached and saturation stopped there.
    pub stopped_early: bool,
}

/// A saturated automaton: the result of [`prestar`](crate::prestar) or
/// [`poststar`](crate::poststar).
#[derive(Debug)]
pub struct Saturated<'a, S: Semiring> {
    system: &'a Wpds<S>,
    shape: Shape,
    weights: Vec<S::Weight>,
    witnesses: Option<(WitnessDag<S::Weight>, Vec<WitnessId>)>,
    statistics: SaturationStatistics,
}

impl<'a, S: Semiring> Saturated<'a, S> {
    /// What the solver did.
    pub fn statistics(&self) -> SaturationStatistics {
        self.statistics
    }

    /// The automaton with its weights, calls counted as entered.
    pub fn automaton(&self) -> Result<Automaton<S::Weight>, WpdsError> {
        weighted_automaton(self)
    }

    /// How the weights came about, if that was recorded: the DAG, and the node of each transition.
    pub fn witness_parts(&self) -> Result<(&WitnessDag<S::Weight>, &[WitnessId]), WpdsError> {
        self.witnesses.as_ref().map(|(dag, ids)| (dag, ids.as_slice())).ok_or(WpdsError::NotTraced)
    }
}

/// The automaton of any solution with its weights, calls counted as entered.
pub fn weighted_automaton<S: Semiring>(
    solution: &impl Solution<S>,
) -> Result<Automaton<S::Weight>, WpdsError> {
    let shape = solution.shape();
    let mut automaton = Automaton::new(solution.system().control_count());
    while automaton.state_count() < shape.states().len() {
        automaton.add_state();
    }
    for state in (0..shape.states().len()).map(State::of) {
        if shape.is_final(state) {
            automaton.set_final(state);
        }
    }
    for (i, link) in shape.links().iter().enumerate() {
        automaton.add(link.from, link.label, link.to, solution.weight(TransitionId::of(i))?)?;
    }
    Ok(automaton)
}

impl<S: Semiring> Solution<S> for Saturated<'_, S> {
    fn system(&self) -> &Wpds<S> {
        self.system
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn weight_before_call(&self, transition: TransitionId) -> Result<S::Weight, WpdsError> {
        self.weights
            .get(transition.index())
            .cloned()
            .ok_or(WpdsError::OutOfRange { what: "transition", index: transition.0 })
    }
}

/// The states of a result before saturation: control locations and states of the input.
pub(crate) fn initial_shape<S: Semiring, W>(
    system: &Wpds<S>,
    input: &Automaton<W>,
    direction: Direction,
) -> Shape {
    let controls = system.control_count();
    let states: Vec<State> = (0..input.state_count()).map(State::of).collect();
    let kinds = states
        .iter()
        .map(|&q| if q.0 < controls { StateKind::Control(Control(q.0)) } else { StateKind::Input });
    let finals = states.iter().map(|&q| input.is_final(q)).collect();
    Shape::new(direction, kinds.collect(), finals)
}

/// The symbols that a label of the input stands for when it leaves a control location.
pub(crate) fn expand(label: Label, symbols: u32) -> Vec<Symbol> {
    match label {
        Label::Symbol(symbol) => vec![symbol],
        Label::Any => (0..symbols).map(Symbol).collect(),
        Label::Epsilon => Vec::new(),
    }
}

/// The automaton while it grows.
pub(crate) struct Growing<'a, S: Semiring> {
    pub(crate) system: &'a Wpds<S>,
    pub(crate) shape: Shape,
    weights: Vec<S::Weight>,
    /// What was added to a weight since the transition was last propagated.
    fresh: Vec<Option<S::Weight>>,
    worklist: Worklist,
    differential: bool,
    trace: Option<(WitnessDag<S::Weight>, Vec<WitnessId>)>,
    watch: Option<TargetWatch<'a>>,
    budget: Budget,
    statistics: SaturationStatistics,
}

/// Where a new weight comes from, in terms of transitions that already have a witness.
pub(crate) enum Reason {
    /// A transition of the input, or an entry of a callee: no rule.
    Given,
    /// A rule after what justifies the source.
    Then(TransitionId, crate::RuleId),
    /// What justifies the source, as it is.
    Same(TransitionId),
    /// The first transition's witness, then the second's.
    Both(TransitionId, TransitionId),
    /// The caller, then a call with a merge function to the callee.
    Called(TransitionId, crate::RuleId, TransitionId),
    /// A single rule.
    Fired(crate::RuleId),
    /// A rule, then what justifies the source.
    Before(crate::RuleId, TransitionId),
    /// A rule, then the first source, then the second.
    BeforeBoth(crate::RuleId, TransitionId, TransitionId),
    /// A call with a merge function to the first source, then the second.
    CallThen(crate::RuleId, TransitionId, TransitionId),
}

impl<'a, S: Semiring> Growing<'a, S> {
    pub(crate) fn new(
        system: &'a Wpds<S>,
        shape: Shape,
        options: &SaturationOptions<'a>,
    ) -> Result<Self, WpdsError> {
        let direction = shape.direction();
        Ok(Self {
            system,
            worklist: Worklist::new(system, direction, &options.order),
            watch: options.target.map(|set| TargetWatch::new(system, set, &shape)).transpose()?,
            shape,
            weights: Vec::new(),
            fresh: Vec::new(),
            differential: options.differential,
            trace: options.trace.then(|| (WitnessDag::default(), Vec::new())),
            budget: options.budget.clone(),
            statistics: SaturationStatistics::default(),
        })
    }

    pub(crate) fn weight(&self, transition: TransitionId) -> &S::Weight {
        &self.weights[transition.index()]
    }

    /// Combines `weight` into a transition; `by` is the symbol that gives its place in the worklist,
    /// or nothing for a transition that is never propagated.
    pub(crate) fn update(
        &mut self,
        link: Link,
        weight: S::Weight,
        by: Option<Symbol>,
        reason: &Reason,
    ) -> Result<(), WpdsError> {
        let domain = self.system.domain();
        if domain.is_zero(&weight) {
            return Ok(());
        }
        let (id, new) = self.shape.insert(link);
        let i = id.index();
        if new {
            self.weights.push(domain.zero());
            self.fresh.push(None);
            if let Some(watch) = &mut self.watch {
                watch.add(&self.shape, id);
            }
        }
        let combined =
            if new { weight.clone() } else { domain.combine(&self.weights[i], &weight)? };
        if !new && domain.equal(&combined, &self.weights[i]) {
            return Ok(());
        }
        self.statistics.updates += 1;
        let difference =
            if self.differential { domain.diff(&weight, &self.weights[i]) } else { None };
        self.fresh[i] = Some(match (difference.transpose()?, &self.fresh[i]) {
            (Some(added), Some(waiting)) => domain.combine(waiting, &added)?,
            (Some(added), None) => added,
            (None, _) => combined.clone(),
        });
        self.weights[i] = combined;
        self.record(id, reason);
        if by.is_some() {
            self.worklist.push(id, by);
        }
        Ok(())
    }

    fn record(&mut self, id: TransitionId, reason: &Reason) {
        let Some((dag, of)) = &mut self.trace else { return };
        let at = |of: &[WitnessId], t: &TransitionId| of[t.index()];
        let node = match reason {
            Reason::Given => dag.push(WitnessNode::Given(self.weights[id.index()].clone())),
            Reason::Same(source) => at(of, source),
            Reason::Then(source, rule) => {
                let rule = dag.push(WitnessNode::Rule(*rule));
                dag.seq(at(of, source), rule)
            }
            Reason::Both(first, second) => dag.seq(at(of, first), at(of, second)),
            Reason::Called(caller, rule, callee) => {
                dag.push(WitnessNode::Merged(at(of, caller), *rule, at(of, callee)))
            }
            Reason::Fired(rule) => dag.push(WitnessNode::Rule(*rule)),
            Reason::Before(rule, source) => {
                let rule = dag.push(WitnessNode::Rule(*rule));
                dag.seq(rule, at(of, source))
            }
            Reason::BeforeBoth(rule, first, second) => {
                let rule = dag.push(WitnessNode::Rule(*rule));
                let both = dag.seq(at(of, first), at(of, second));
                dag.seq(rule, both)
            }
            Reason::CallThen(rule, callee, rest) => {
                let call = dag.push(WitnessNode::Call(*rule, at(of, callee)));
                dag.seq(call, at(of, rest))
            }
        };
        match of.get(id.index()).copied() {
            Some(old) => of[id.index()] = dag.alt(old, node),
            None => of.push(node),
        }
    }

    /// The next transition to propagate, with the weight to propagate, until nothing is left or the
    /// target is reached.
    pub(crate) fn next(&mut self) -> Result<Option<(TransitionId, S::Weight)>, WpdsError> {
        self.budget.check()?;
        if let Some(watch) = &mut self.watch
            && watch.due(self.statistics.updates)
        {
            let now = View { system: self.system, shape: &self.shape, weights: &self.weights };
            if watch.reached(&now)? {
                self.statistics.stopped_early = true;
                return Ok(None);
            }
        }
        let Some(id) = self.worklist.pop() else { return Ok(None) };
        self.statistics.propagations += 1;
        let fresh = self.fresh[id.index()].take();
        Ok(Some((id, fresh.unwrap_or_else(|| self.weights[id.index()].clone()))))
    }

    /// The automaton as it is now.
    pub(crate) fn view(&self) -> View<'_, S> {
        View { system: self.system, shape: &self.shape, weights: &self.weights }
    }

    /// How often a weight has changed so far.
    pub(crate) fn updates(&self) -> u64 {
        self.statistics.updates
    }

    pub(crate) fn finish(mut self) -> Saturated<'a, S> {
        self.statistics.transitions = self.weights.len();
        Saturated {
            system: self.system,
            shape: self.shape,
            weights: self.weights,
            witnesses: self.trace,
            statistics: self.statistics,
        }
    }
}

/// A growing automaton as it is at one moment, for asking whether something is reached.
pub(crate) struct View<'a, S: Semiring> {
    system: &'a Wpds<S>,
    shape: &'a Shape,
    weights: &'a [S::Weight],
}

impl<S: Semiring> Solution<S> for View<'_, S> {
    fn system(&self) -> &Wpds<S> {
        self.system
    }

    fn shape(&self) -> &Shape {
        self.shape
    }

    fn weight_before_call(&self, transition: TransitionId) -> Result<S::Weight, WpdsError> {
        Ok(self.weights[transition.index()].clone())
    }
}
