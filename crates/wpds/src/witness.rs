//! Witnesses: why a weight is what it is (LAL 2.4, 4.2.1).
//!
//! A [`WitnessDag`] is a shared expression over rule sequences: a rule, one sequence after another,
//! either of two, any number of repetitions, or a call with a merge function around its callee's
//! part. Every sequence that a node stands for is a path of the system, and the combine of their
//! values is the weight that the node justifies. The DAG has one node for each change of a weight
//! (or for each sub-expression that FWPDS used), so it is never larger than the run that made it.

use rustc_hash::FxHashMap;

use crate::automaton::ConfigSet;
use crate::error::WpdsError;
use crate::ids::{RuleId, TransitionId};
use crate::saturation::Saturated;
use crate::semiring::{Semiring, star};
use crate::shape::{Direction, Solution};
use crate::summary::Product;
use crate::system::Wpds;

/// A node of a [`WitnessDag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WitnessId(pub(crate) u32);

/// What a node stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum WitnessNode<W> {
    /// No rule, with the weight that the input gives.
    Given(W),
    /// No rule; a place on the path that somebody wants to know.
    Mark,
    /// One rule.
    Rule(RuleId),
    /// One after the other.
    Seq(WitnessId, WitnessId),
    /// The one or the other.
    Alt(WitnessId, WitnessId),
    /// Any number of times.
    Star(WitnessId),
    /// A push rule with a merge function, and the callee's part up to its return.
    Call(RuleId, WitnessId),
    /// The caller's part, then a push rule with a merge function and the callee's part.
    Merged(WitnessId, RuleId, WitnessId),
}

/// A shared expression over rule sequences. Children come before their parents.
#[derive(Clone, Debug)]
pub struct WitnessDag<W> {
    nodes: Vec<WitnessNode<W>>,
}

impl<W> Default for WitnessDag<W> {
    fn default() -> Self {
        Self { nodes: Vec::new() }
    }
}

impl<W> WitnessDag<W> {
    pub(crate) fn push(&mut self, node: WitnessNode<W>) -> WitnessId {
        self.nodes.push(node);
        WitnessId(u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn seq(&mut self, first: WitnessId, second: WitnessId) -> WitnessId {
        self.push(WitnessNode::Seq(first, second))
    }

    pub(crate) fn alt(&mut self, one: WitnessId, other: WitnessId) -> WitnessId {
        self.push(WitnessNode::Alt(one, other))
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// One node.
    pub fn node(&self, id: WitnessId) -> &WitnessNode<W> {
        &self.nodes[id.0 as usize]
    }
}

impl<W: Clone> WitnessDag<W> {
    /// Adds all nodes of another DAG and says by how much their numbers have moved.
    fn import(&mut self, other: &Self) -> u32 {
        let by = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let moved = |id: &WitnessId| WitnessId(id.0 + by);
        self.nodes.extend(other.nodes.iter().map(|node| match node {
            WitnessNode::Given(weight) => WitnessNode::Given(weight.clone()),
            WitnessNode::Mark => WitnessNode::Mark,
            WitnessNode::Rule(rule) => WitnessNode::Rule(*rule),
            WitnessNode::Seq(a, b) => WitnessNode::Seq(moved(a), moved(b)),
            WitnessNode::Alt(a, b) => WitnessNode::Alt(moved(a), moved(b)),
            WitnessNode::Star(a) => WitnessNode::Star(moved(a)),
            WitnessNode::Call(rule, a) => WitnessNode::Call(*rule, moved(a)),
            WitnessNode::Merged(a, rule, b) => WitnessNode::Merged(moved(a), *rule, moved(b)),
        }));
        by
    }
}

/// A solution that can say how its weights came about.
pub trait Traced<S: Semiring>: Solution<S> {
    /// What is remembered while a DAG is made.
    type Tracer;

    /// Starts a DAG.
    fn tracer(&self, dag: &mut WitnessDag<S::Weight>) -> Result<Self::Tracer, WpdsError>;

    /// The node that justifies the weight of a transition (before the call, at a return site); nothing
    /// if the weight is zero.
    fn trace(
        &self,
        tracer: &mut Self::Tracer,
        dag: &mut WitnessDag<S::Weight>,
        transition: TransitionId,
    ) -> Result<Option<WitnessId>, WpdsError>;

    /// The node that justifies the weight of a transition with calls counted as entered.
    fn trace_entered(
        &self,
        tracer: &mut Self::Tracer,
        dag: &mut WitnessDag<S::Weight>,
        transition: TransitionId,
    ) -> Result<Option<WitnessId>, WpdsError> {
        let node = self.trace(tracer, dag, transition)?;
        Ok(match (node, self.shape().link(transition).call) {
            (Some(node), Some(call)) => {
                let rule = dag.push(WitnessNode::Rule(call));
                Some(dag.seq(node, rule))
            }
            _ => node,
        })
    }
}

impl<S: Semiring> Traced<S> for Saturated<'_, S> {
    type Tracer = u32;

    fn tracer(&self, dag: &mut WitnessDag<S::Weight>) -> Result<u32, WpdsError> {
        Ok(dag.import(self.witness_parts()?.0))
    }

    fn trace(
        &self,
        by: &mut u32,
        _dag: &mut WitnessDag<S::Weight>,
        transition: TransitionId,
    ) -> Result<Option<WitnessId>, WpdsError> {
        let (_, nodes) = self.witness_parts()?;
        Ok(nodes.get(transition.index()).map(|id| WitnessId(id.0 + *by)))
    }
}

/// The rule sequences that justify a weight.
#[derive(Debug)]
pub struct Witness<'a, S: Semiring> {
    pub(crate) system: &'a Wpds<S>,
    pub(crate) dag: WitnessDag<S::Weight>,
    pub(crate) root: Option<WitnessId>,
}

impl<'a, S: Semiring> Witness<'a, S> {
    /// The witness of the weight of a set of configurations: rule sequences from (or to) the set that
    /// was given to the solver.
    pub fn of_set<T: Traced<S>>(solution: &'a T, set: &ConfigSet) -> Result<Self, WpdsError> {
        let system = solution.system();
        let domain = system.domain();
        let forward = solution.shape().direction() == Direction::Forward;
        set.check_controls(system.control_count())?;
        let product = Product::new(solution.shape(), set, system.control_count());
        solution.prepare(&product.transitions())?;
        let mut dag = WitnessDag::default();
        let mut tracer = solution.tracer(&mut dag)?;
        let start = |dag: &mut WitnessDag<S::Weight>| dag.push(WitnessNode::Given(domain.one()));
        let first = start(&mut dag);
        let initial = product.initial.iter().map(|&v| (v, domain.one(), first)).collect();
        let mut steps = |dag: &mut WitnessDag<S::Weight>, value: (&S::Weight, WitnessId), t| {
            let Some(node) = solution.trace_entered(&mut tracer, dag, t)? else {
                return Ok(None);
            };
            let weight = solution.weight(t)?;
            let (whole, order) = if forward {
                (domain.extend(&weight, value.0)?, (node, value.1))
            } else {
                (domain.extend(value.0, &weight)?, (value.1, node))
            };
            Ok(Some((whole, dag.seq(order.0, order.1))))
        };
        let values = traced_join(domain, &mut dag, &product.edges, initial, |dag, value, _, t| {
            steps(dag, value, t)
        })?;
        let mut root = None;
        let mut add = |dag: &mut WitnessDag<S::Weight>, node: WitnessId| {
            root = Some(root.map_or(node, |old| dag.alt(old, node)));
        };
        for (value, &accepting) in values.iter().zip(&product.accepting) {
            if let (Some((_, node)), true) = (value, accepting) {
                add(&mut dag, *node);
            }
        }
        let mut tracer = solution.tracer(&mut dag)?;
        for &t in &product.empty {
            if let Some(node) = solution.trace_entered(&mut tracer, &mut dag, t)? {
                add(&mut dag, node);
            }
        }
        if product.trivial {
            let empty = start(&mut dag);
            add(&mut dag, empty);
        }
        Ok(Self { system, dag, root })
    }

    /// How many nodes the expression has.
    pub fn size(&self) -> usize {
        self.dag.len()
    }

    /// The weight that the witness justifies.
    pub fn weight(&self) -> Result<S::Weight, WpdsError> {
        match self.root {
            Some(root) => Ok(self.weights(root)?[&root].clone()),
            None => Ok(self.system.domain().zero()),
        }
    }

    /// The nodes below a node, children first.
    pub(crate) fn below(&self, root: WitnessId) -> Vec<WitnessId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.dag.node(id) {
                WitnessNode::Given(_) | WitnessNode::Mark | WitnessNode::Rule(_) => {}
                WitnessNode::Seq(a, b) | WitnessNode::Alt(a, b) | WitnessNode::Merged(a, _, b) => {
                    stack.extend([*a, *b]);
                }
                WitnessNode::Star(a) | WitnessNode::Call(_, a) => stack.push(*a),
            }
        }
        let mut found: Vec<_> = seen.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// The weights of all nodes below a node.
    pub(crate) fn weights(
        &self,
        root: WitnessId,
    ) -> Result<FxHashMap<WitnessId, S::Weight>, WpdsError> {
        let system = self.system;
        let domain = system.domain();
        let mut weights: FxHashMap<WitnessId, S::Weight> = FxHashMap::default();
        for id in self.below(root) {
            let weight = match self.dag.node(id) {
                WitnessNode::Given(weight) => weight.clone(),
                WitnessNode::Mark => domain.one(),
                WitnessNode::Rule(rule) => system.enter(*rule, &domain.one())?,
                WitnessNode::Seq(a, b) => domain.extend(&weights[a], &weights[b])?,
                WitnessNode::Alt(a, b) => domain.combine(&weights[a], &weights[b])?,
                WitnessNode::Star(a) => star(domain, &weights[a])?,
                WitnessNode::Call(rule, a) => {
                    system.return_from(*rule, &domain.one(), &weights[a])?
                }
                WitnessNode::Merged(a, rule, b) => {
                    system.return_from(*rule, &weights[a], &weights[b])?
                }
            };
            weights.insert(id, weight);
        }
        Ok(weights)
    }
}

/// A value with the node that justifies it.
pub(crate) type TracedValue<W> = Option<(W, WitnessId)>;

/// [`join_over_paths`](crate::summary) that also says how the values came about.
pub(crate) fn traced_join<S: Semiring, E: Copy>(
    domain: &S,
    dag: &mut WitnessDag<S::Weight>,
    edges: &[Vec<(E, u32)>],
    start: Vec<(u32, S::Weight, WitnessId)>,
    mut step: impl FnMut(
        &mut WitnessDag<S::Weight>,
        (&S::Weight, WitnessId),
        u32,
        E,
    ) -> Result<TracedValue<S::Weight>, WpdsError>,
) -> Result<Vec<TracedValue<S::Weight>>, WpdsError> {
    let mut values: Vec<TracedValue<S::Weight>> = vec![None; edges.len()];
    let mut waiting = std::collections::BTreeSet::new();
    let add = |dag: &mut WitnessDag<S::Weight>,
               slot: &mut TracedValue<S::Weight>,
               (weight, node): (S::Weight, WitnessId)|
     -> Result<bool, WpdsError> {
        let combined = match slot {
            None => (weight, node),
            Some((old, old_node)) => {
                let combined = domain.combine(old, &weight)?;
                if domain.equal(&combined, old) {
                    return Ok(false);
                }
                (combined, dag.alt(*old_node, node))
            }
        };
        *slot = Some(combined);
        Ok(true)
    };
    for (v, weight, node) in start {
        add(dag, &mut values[v as usize], (weight, node))?;
        waiting.insert(v);
    }
    while let Some(v) = waiting.pop_first() {
        for &(edge, to) in &edges[v as usize] {
            let Some((weight, node)) = values[v as usize].clone() else { continue };
            let Some(stepped) = step(dag, (&weight, node), v, edge)? else { continue };
            if !domain.is_zero(&stepped.0) && add(dag, &mut values[to as usize], stepped)? {
                waiting.insert(to);
            }
        }
    }
    Ok(values)
}
