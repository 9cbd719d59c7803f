//! Witnesses: why a weight is what it is (LAL 2.4, 4.2.1).
//!
//! A [`WitnessDag`] is a shared expression over rule sequences: a rule, one sequence after another,
//! either of two, any number of repetitions, or a call with a merge function around its callee's
//! part. Every sequence that a node stands for is a path of the system, and the combine of their
//! values is the weight that the node justifies. The DAG has one node for each change of a weight,
//! so it is never larger than the run that made it.

use crate::ids::RuleId;

/// A node of a [`WitnessDag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WitnessId(pub(crate) u32);

/// What a node stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum WitnessNode<W> {
    /// No rule, with the weight that the input gives.
    Given(W),
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
    fn push(&mut self, node: WitnessNode<W>) -> WitnessId {
        self.nodes.push(node);
        WitnessId(u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn given(&mut self, weight: W) -> WitnessId {
        self.push(WitnessNode::Given(weight))
    }

    pub(crate) fn rule(&mut self, rule: RuleId) -> WitnessId {
        self.push(WitnessNode::Rule(rule))
    }

    pub(crate) fn seq(&mut self, first: WitnessId, second: WitnessId) -> WitnessId {
        self.push(WitnessNode::Seq(first, second))
    }

    pub(crate) fn alt(&mut self, one: WitnessId, other: WitnessId) -> WitnessId {
        self.push(WitnessNode::Alt(one, other))
    }

    pub(crate) fn star(&mut self, body: WitnessId) -> WitnessId {
        self.push(WitnessNode::Star(body))
    }

    pub(crate) fn call(&mut self, rule: RuleId, callee: WitnessId) -> WitnessId {
        self.push(WitnessNode::Call(rule, callee))
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

    pub(crate) fn nodes(&self) -> &[WitnessNode<W>] {
        &self.nodes
    }
}
