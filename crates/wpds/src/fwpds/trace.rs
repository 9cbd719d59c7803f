//! Witnesses of FWPDS, in two stages (LAL 4.2.1).
//!
//! While solving, only the history of the out-nodes is kept: each new weight with the versions of the
//! out-nodes it was computed from. When somebody asks, the path expressions are turned into rule
//! sequences, with each out-node in the version that was used. Versions refer only to earlier ones,
//! so this ends even where procedures are recursive.

use rustc_hash::FxHashMap;

use crate::error::WpdsError;
use crate::fwpds::expression::{Expr, ExprId};
use crate::fwpds::solver::{Fwpds, Place, lock};
use crate::fwpds::tdg::{EdgeLabel, Summary};
use crate::ids::TransitionId;
use crate::semiring::Semiring;
use crate::shape::{Direction, Solution};
use crate::witness::{Traced, WitnessDag, WitnessId, WitnessNode};

/// An out-node in one of its versions; version 0 is weight zero.
type Versioned = (TransitionId, u32);

/// What was turned into rule sequences so far.
#[derive(Debug, Default)]
pub struct FwpdsTracer {
    outs: FxHashMap<Versioned, Option<WitnessId>>,
    /// Expressions with the newest versions, by intragraph.
    newest: FxHashMap<(u32, ExprId), Option<WitnessId>>,
}

impl<S: Semiring> Traced<S> for Fwpds<'_, S> {
    type Tracer = FwpdsTracer;

    fn tracer(&self, _dag: &mut WitnessDag<S::Weight>) -> Result<FwpdsTracer, WpdsError> {
        if self.options.trace { Ok(FwpdsTracer::default()) } else { Err(WpdsError::NotTraced) }
    }

    fn trace(
        &self,
        tracer: &mut FwpdsTracer,
        dag: &mut WitnessDag<S::Weight>,
        transition: TransitionId,
    ) -> Result<Option<WitnessId>, WpdsError> {
        if let Some(i) = self.tdg.given[transition.index()] {
            let weight = self.input.transitions()[i as usize].weight.clone();
            return Ok(Some(dag.push(WitnessNode::Given(weight))));
        }
        self.prepare(&[transition])?;
        let place = self.places[transition.index()];
        let newest: Vec<Versioned> = self
            .out_nodes_of(transition)
            .into_iter()
            .map(|out| (out, lock(self.out(out)).versions.len() as u32))
            .collect();
        self.trace_outs(tracer, dag, &newest);
        let mut memo = std::mem::take(&mut tracer.newest);
        let versions: FxHashMap<_, _> = newest.into_iter().collect();
        let node =
            self.convert(tracer, dag, place, &versions, |expr| (place.graph, expr), &mut memo);
        tracer.newest = memo;
        Ok(node)
    }
}

impl<S: Semiring> Fwpds<'_, S> {
    /// Traces versions of out-nodes, each after the versions it was computed from.
    fn trace_outs(
        &self,
        tracer: &mut FwpdsTracer,
        dag: &mut WitnessDag<S::Weight>,
        wanted: &[Versioned],
    ) {
        let mut stack: Vec<Versioned> = wanted.to_vec();
        while let Some(&(out, version)) = stack.last() {
            if tracer.outs.contains_key(&(out, version)) {
                stack.pop();
                continue;
            }
            let Some(before) = version.checked_sub(1) else {
                tracer.outs.insert((out, version), None);
                stack.pop();
                continue;
            };
            let from = self.used_by(out, before);
            let missing: Vec<Versioned> =
                from.iter().copied().filter(|used| !tracer.outs.contains_key(used)).collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            let versions: FxHashMap<_, _> = from.into_iter().collect();
            let place = self.places[out.index()];
            let mut memo = FxHashMap::default();
            let node = self.convert(tracer, dag, place, &versions, |expr| (0, expr), &mut memo);
            tracer.outs.insert((out, version), node);
            stack.pop();
        }
    }

    /// The versions from which a version was computed. A history that was begun anew by an update may
    /// be shorter than somebody remembers; its newest version justifies all that was before.
    fn used_by(&self, out: TransitionId, version: u32) -> Vec<Versioned> {
        let from = match lock(self.out(out)).versions.get(version as usize) {
            Some(version) => version.from.clone(),
            None => Vec::new(),
        };
        let clamp =
            |(used, v): Versioned| (used, v.min(lock(self.out(used)).versions.len() as u32));
        from.into_iter().map(clamp).collect()
    }

    /// The rule sequences of a path expression; the out-nodes in the given versions are traced.
    fn convert(
        &self,
        tracer: &FwpdsTracer,
        dag: &mut WitnessDag<S::Weight>,
        place: Place,
        versions: &FxHashMap<TransitionId, u32>,
        key: impl Fn(ExprId) -> (u32, ExprId),
        memo: &mut FxHashMap<(u32, ExprId), Option<WitnessId>>,
    ) -> Option<WitnessId> {
        let forward = self.tdg.shape.direction() == Direction::Forward;
        self.with_graph(place.graph, |graph| {
            let root = graph.path(place.member);
            for id in graph.below(root, |id| !memo.contains_key(&key(id))) {
                let node = match graph.expr(id) {
                    Expr::Zero => None,
                    Expr::One => Some(dag.push(WitnessNode::Given(self.system.domain().one()))),
                    Expr::Leaf(label) => {
                        self.convert_label(tracer, dag, versions, graph.label(label))
                    }
                    Expr::Union(a, b) => match (memo[&key(a)], memo[&key(b)]) {
                        (Some(a), Some(b)) => Some(dag.alt(a, b)),
                        (a, b) => a.or(b),
                    },
                    Expr::Concat(a, b) => memo[&key(a)]
                        .zip(memo[&key(b)])
                        .map(|(a, b)| if forward { dag.seq(a, b) } else { dag.seq(b, a) }),
                    Expr::Star(a) => Some(match memo[&key(a)] {
                        Some(body) => dag.push(WitnessNode::Star(body)),
                        None => dag.push(WitnessNode::Given(self.system.domain().one())),
                    }),
                };
                memo.insert(key(id), node);
            }
            memo[&key(root)]
        })
    }

    fn convert_label(
        &self,
        tracer: &FwpdsTracer,
        dag: &mut WitnessDag<S::Weight>,
        versions: &FxHashMap<TransitionId, u32>,
        label: EdgeLabel,
    ) -> Option<WitnessId> {
        let weight_of = |i: u32| self.input.transitions()[i as usize].weight.clone();
        match label {
            EdgeLabel::One => Some(dag.push(WitnessNode::Given(self.system.domain().one()))),
            EdgeLabel::Given(i) => Some(dag.push(WitnessNode::Given(weight_of(i)))),
            EdgeLabel::Rule(rule) => Some(dag.push(WitnessNode::Rule(rule))),
            EdgeLabel::Summary { summary, out, given } => {
                let version = versions.get(&out).copied().unwrap_or(0);
                let callee = tracer.outs.get(&(out, version)).copied().flatten()?;
                let called = match summary {
                    Summary::Plain => callee,
                    Summary::After(rule) => {
                        let rule = dag.push(WitnessNode::Rule(rule));
                        dag.seq(rule, callee)
                    }
                    Summary::Merge(rule) => dag.push(WitnessNode::Call(rule, callee)),
                };
                Some(match given {
                    None => called,
                    Some(i) => {
                        let below = dag.push(WitnessNode::Given(weight_of(i)));
                        match self.tdg.shape.direction() {
                            Direction::Forward => dag.seq(below, called),
                            Direction::Backward => dag.seq(called, below),
                        }
                    }
                })
            }
        }
    }
}
