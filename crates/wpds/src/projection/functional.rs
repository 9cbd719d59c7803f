//! The intersection of a forward and a backward result (AEP 4; LAL 5.2, and 5.2.1 for merge
//! functions).
//!
//! A state is a pair of states, a transition a pair of transitions that read the same symbol, and its
//! functional weight maps what happened above (`z`) to `w_b ⊗ z ⊗ w_f`; where a call with a merge
//! function was entered on the forward side and returns on the backward side, to
//! `merge(w_b, z) ⊗ w_f`. Such functions distribute over combine, so weights are read out by an
//! ordinary join over paths that starts with a bottleneck weight at the top of the stack.
//!
//! Departure from LAL 5.2.1: the source set may be any regular set. A merge function is applied
//! exactly at transitions from (entered, control) pairs, as the paper's proof says.

use rustc_hash::FxHashMap;

use crate::automaton::{ConfigSet, Label};
use crate::error::WpdsError;
use crate::ids::{Control, State, Symbol, TransitionId};
use crate::semiring::Semiring;
use crate::shape::{Direction, Shape, Solution};
use crate::summary::{join_over_paths, renumber};
use crate::system::{Kind, Wpds};
use crate::witness::{Traced, Witness, WitnessDag, WitnessNode, traced_join};

/// A transition of the functional automaton: one of the forward and one of the backward result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) forward: TransitionId,
    pub(crate) backward: TransitionId,
    /// Whether an entered call returns here, so that its merge function applies.
    pub(crate) returns: bool,
}

/// A head with its transitions and where they lead.
type Top = (Control, Symbol, Vec<(Pair, u32)>);

/// The intersection of a forward and a backward result.
#[derive(Debug)]
pub struct FunctionalAutomaton<'a, S, F, B> {
    pub(crate) forward: &'a F,
    pub(crate) backward: &'a B,
    domain: S,
    /// Transitions from control locations, by control location and symbol.
    tops: Vec<Top>,
    top_index: FxHashMap<(Control, Symbol), u32>,
    /// Transitions between the other pairs of states that lie on a path to acceptance.
    pub(crate) edges: Vec<Vec<(Pair, u32)>>,
    pub(crate) accepting: Vec<bool>,
}

impl<'a, S: Semiring, F: Solution<S>, B: Solution<S>> FunctionalAutomaton<'a, S, F, B> {
    /// Intersects what a source reaches with what reaches a target, for the same system.
    pub fn new(forward: &'a F, backward: &'a B) -> Result<Self, WpdsError> {
        let analysis = "an error projection";
        if forward.shape().direction() != Direction::Forward {
            return Err(WpdsError::WrongDirection { analysis, needed: "poststar first" });
        }
        if backward.shape().direction() != Direction::Backward {
            return Err(WpdsError::WrongDirection { analysis, needed: "prestar second" });
        }
        forward.system().require_path_extension(analysis)?;
        let built = Intersection::new(forward.shape(), backward.shape(), forward.system());
        Ok(built.finish(forward, backward))
    }

    /// The system that was analysed.
    pub fn system(&self) -> &'a Wpds<S> {
        self.forward.system()
    }

    /// The domain of the weights.
    pub(crate) fn domain(&self) -> &S {
        &self.domain
    }

    /// The heads `(control, symbol)` with which both results accept some configuration, in order.
    pub fn heads(&self) -> impl Iterator<Item = (Control, Symbol)> {
        self.tops.iter().map(|(control, symbol, _)| (*control, *symbol))
    }

    pub(crate) fn tops_of(&self, control: Control, symbol: Symbol) -> &[(Pair, u32)] {
        let index = self.top_index.get(&(control, symbol));
        index.map_or(&[], |&i| self.tops[i as usize].2.as_slice())
    }

    /// The functional weight of a pair of transitions, applied to `z`.
    pub(crate) fn apply(&self, pair: Pair, z: &S::Weight) -> Result<S::Weight, WpdsError> {
        let domain = self.domain();
        let inner = match self.forward.shape().link(pair.forward).call {
            Some(call) if pair.returns => {
                let caller = self.forward.weight_before_call(pair.forward)?;
                self.forward.system().return_from(call, &caller, z)?
            }
            _ => domain.extend(&self.forward.weight(pair.forward)?, z)?,
        };
        if domain.is_zero(&inner) {
            return Ok(inner);
        }
        Ok(domain.extend(&inner, &self.backward.weight(pair.backward)?)?)
    }

    /// `WC(S, C, T)`: the weight of all paths from the source through `C` to the target.
    pub fn chop(&self, set: &ConfigSet) -> Result<S::Weight, WpdsError> {
        self.chop_with(set, &self.domain().one())
    }

    /// The same with a bottleneck: at `C` the weight `bottleneck` comes in between.
    pub fn chop_with(
        &self,
        set: &ConfigSet,
        bottleneck: &S::Weight,
    ) -> Result<S::Weight, WpdsError> {
        set.check_input(self.system().control_count())?;
        let domain = self.domain();
        let mut vertex: FxHashMap<(u32, State), u32> = FxHashMap::default();
        let mut pairs: Vec<(u32, State)> = Vec::new();
        let mut of = |key: (u32, State), pairs: &mut Vec<(u32, State)>| {
            *vertex.entry(key).or_insert_with(|| {
                pairs.push(key);
                (pairs.len() - 1) as u32
            })
        };
        let mut total = self.empty_stacks(set, bottleneck)?;
        let mut start: Vec<(u32, S::Weight)> = Vec::new();
        for (control, symbol, list) in &self.tops {
            let steps = set.outgoing(State::from(*control));
            for t in steps.filter(|t| t.label.overlaps(Label::Symbol(*symbol))) {
                for &(pair, to) in list {
                    let weight = self.apply(pair, bottleneck)?;
                    start.push((of((to, t.to), &mut pairs), weight));
                }
            }
        }
        let mut edges: Vec<Vec<(Pair, u32)>> = Vec::new();
        while edges.len() < pairs.len() {
            let (v, c) = pairs[edges.len()];
            let mut out = Vec::new();
            for &(pair, to) in &self.edges[v as usize] {
                let label = self.label(pair);
                for t in set.outgoing(c).filter(|t| t.label.overlaps(label)) {
                    out.push((pair, of((to, t.to), &mut pairs)));
                }
            }
            edges.push(out);
        }
        let values =
            join_over_paths(domain, &edges, start, |z, _, pair: Pair| self.apply(pair, z))?;
        for (value, (v, c)) in values.iter().zip(&pairs) {
            if self.accepting[*v as usize] && set.is_final(*c) {
                total = domain.combine(&total, value)?;
            }
        }
        Ok(total)
    }

    /// What configurations with an empty stack contribute to a chop.
    fn empty_stacks(
        &self,
        set: &ConfigSet,
        bottleneck: &S::Weight,
    ) -> Result<S::Weight, WpdsError> {
        let domain = self.domain();
        let (forward, backward) = (self.forward.shape(), self.backward.shape());
        let mut total = domain.zero();
        for p in (0..self.system().control_count()).map(State) {
            if !set.is_final(p) || !backward.is_final(p) {
                continue;
            }
            if forward.is_final(p) {
                total = domain.combine(&total, bottleneck)?;
            }
            for &t in forward.labelled(p, Label::Epsilon) {
                if forward.is_final(forward.link(t).to) {
                    let through = domain.extend(&self.forward.weight(t)?, bottleneck)?;
                    total = domain.combine(&total, &through)?;
                }
            }
        }
        Ok(total)
    }

    /// What a pair of transitions reads.
    fn label(&self, pair: Pair) -> Label {
        match self.forward.shape().link(pair.forward).label {
            Label::Any => self.backward.shape().link(pair.backward).label,
            label => label,
        }
    }

    /// `WC(S, γΓ*, T)`: the weight of all paths through a node.
    pub fn weight_through(&self, control: Control, symbol: Symbol) -> Result<S::Weight, WpdsError> {
        self.bottleneck(control, symbol, &self.domain().one())
    }

    /// `BW(w, γ)` of LAL 5.5: the weight of all paths through a node at which `w` comes in between.
    pub fn bottleneck(
        &self,
        control: Control,
        symbol: Symbol,
        w: &S::Weight,
    ) -> Result<S::Weight, WpdsError> {
        let domain = self.domain();
        let mut start = Vec::new();
        for &(pair, to) in self.tops_of(control, symbol) {
            start.push((to, self.apply(pair, w)?));
        }
        if start.iter().all(|(_, z)| domain.is_zero(z)) {
            return Ok(domain.zero());
        }
        let values =
            join_over_paths(domain, &self.edges, start, |z, _, pair: Pair| self.apply(pair, z))?;
        let mut total = domain.zero();
        for (value, &accepting) in values.iter().zip(&self.accepting) {
            if accepting {
                total = domain.combine(&total, value)?;
            }
        }
        Ok(total)
    }

    /// The error projection: the heads through which a path of weight other than zero leads, node by
    /// node. Relational domains have a faster way:
    /// [`projection`](FunctionalAutomaton::projection).
    pub fn projection_by_summaries(&self) -> Result<Vec<(Control, Symbol)>, WpdsError> {
        let mut nodes = Vec::new();
        for (control, symbol) in self.heads() {
            if !self.domain().is_zero(&self.weight_through(control, symbol)?) {
                nodes.push((control, symbol));
            }
        }
        Ok(nodes)
    }
}

impl<'a, S: Semiring, F: Traced<S>, B: Traced<S>> FunctionalAutomaton<'a, S, F, B> {
    /// The paths through a node: the mark of a path is where it passes the node.
    pub fn witness_through(
        &self,
        control: Control,
        symbol: Symbol,
    ) -> Result<Witness<'a, S>, WpdsError> {
        let domain = self.domain();
        let mut dag = WitnessDag::default();
        let mut forward = self.forward.tracer(&mut dag)?;
        let mut backward = self.backward.tracer(&mut dag)?;
        let mark = dag.push(WitnessNode::Mark);
        let mut apply = |dag: &mut WitnessDag<S::Weight>, z: (&S::Weight, _), pair: Pair| {
            let weight = self.apply(pair, z.0)?;
            if domain.is_zero(&weight) {
                return Ok(None);
            }
            let call = self.forward.shape().link(pair.forward).call.filter(|_| pair.returns);
            let inner = match call {
                Some(call) => {
                    let caller = self.forward.trace(&mut forward, dag, pair.forward)?;
                    caller.map(|caller| dag.push(WitnessNode::Merged(caller, call, z.1)))
                }
                None => {
                    let before = self.forward.trace_entered(&mut forward, dag, pair.forward)?;
                    before.map(|before| dag.seq(before, z.1))
                }
            };
            let after = self.backward.trace_entered(&mut backward, dag, pair.backward)?;
            Ok(inner.zip(after).map(|(inner, after)| (weight, dag.seq(inner, after))))
        };
        let mut start = Vec::new();
        for &(pair, to) in self.tops_of(control, symbol) {
            if let Some((weight, node)) = apply(&mut dag, (&domain.one(), mark), pair)? {
                start.push((to, weight, node));
            }
        }
        let values = traced_join(domain, &mut dag, &self.edges, start, |dag, z, _, pair| {
            apply(dag, z, pair)
        })?;
        let mut root = None;
        for (value, &accepting) in values.iter().zip(&self.accepting) {
            if let (Some((_, node)), true) = (value, accepting) {
                root = Some(root.map_or(*node, |old| dag.alt(old, *node)));
            }
        }
        Ok(Witness { system: self.system(), dag, root })
    }
}

/// The states and transitions while they are found.
struct Intersection {
    tops: Vec<Top>,
    states: Vec<(State, State)>,
    edges: Vec<Vec<(Pair, u32)>>,
}

impl Intersection {
    fn new<S: Semiring>(forward: &Shape, backward: &Shape, system: &Wpds<S>) -> Self {
        let extended = system.kind() == Kind::Extended;
        let mut index: FxHashMap<(State, State), u32> = FxHashMap::default();
        let mut found = Self { tops: Vec::new(), states: Vec::new(), edges: Vec::new() };
        let mut of = |pair: (State, State), states: &mut Vec<(State, State)>| {
            *index.entry(pair).or_insert_with(|| {
                states.push(pair);
                (states.len() - 1) as u32
            })
        };
        for control in (0..system.control_count()).map(Control) {
            let p = State::from(control);
            let mut symbols: Vec<Symbol> = forward
                .outgoing(p)
                .iter()
                .filter_map(|&t| match forward.link(t).label {
                    Label::Symbol(symbol) => Some(symbol),
                    _ => None,
                })
                .collect();
            symbols.sort_unstable();
            symbols.dedup();
            for symbol in symbols {
                let mut list = Vec::new();
                for &f in forward.labelled(p, Label::Symbol(symbol)) {
                    for &b in backward.labelled(p, Label::Symbol(symbol)) {
                        let to = (forward.link(f).to, backward.link(b).to);
                        let pair = Pair { forward: f, backward: b, returns: false };
                        list.push((pair, of(to, &mut found.states)));
                    }
                }
                if !list.is_empty() {
                    found.tops.push((control, symbol, list));
                }
            }
        }
        while found.edges.len() < found.states.len() {
            let (q, r) = found.states[found.edges.len()];
            let returns = extended && backward.is_control(r);
            let mut out = Vec::new();
            for &f in forward.outgoing(q) {
                let link = forward.link(f);
                let matching: Vec<TransitionId> = match link.label {
                    Label::Symbol(_) => {
                        let exact = backward.labelled(r, link.label).iter();
                        exact.chain(backward.labelled(r, Label::Any)).copied().collect()
                    }
                    Label::Any => backward.outgoing(r).to_vec(),
                    Label::Epsilon => Vec::new(),
                };
                for b in matching {
                    let to = of((link.to, backward.link(b).to), &mut found.states);
                    out.push((Pair { forward: f, backward: b, returns }, to));
                }
            }
            found.edges.push(out);
        }
        found
    }

    /// Keeps the states from which acceptance can be reached, in reverse post-order from the tops.
    fn finish<'a, S: Semiring, F: Solution<S>, B: Solution<S>>(
        mut self,
        forward: &'a F,
        backward: &'a B,
    ) -> FunctionalAutomaton<'a, S, F, B> {
        let count = self.states.len();
        let accepts =
            |&(q, r): &(State, State)| forward.shape().is_final(q) && backward.shape().is_final(r);
        let accepting: Vec<bool> = self.states.iter().map(accepts).collect();
        let mut useful = accepting.clone();
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (v, out) in self.edges.iter().enumerate() {
            for &(_, to) in out {
                before[to as usize].push(v as u32);
            }
        }
        let mut stack: Vec<u32> = (0..count as u32).filter(|&v| useful[v as usize]).collect();
        while let Some(v) = stack.pop() {
            for &u in &before[v as usize] {
                if !std::mem::replace(&mut useful[u as usize], true) {
                    stack.push(u);
                }
            }
        }
        for out in &mut self.edges {
            out.retain(|&(_, to)| useful[to as usize]);
        }
        for (_, _, list) in &mut self.tops {
            list.retain(|&(_, to)| useful[to as usize]);
        }
        self.tops.retain(|(_, _, list)| !list.is_empty());
        let mut roots: Vec<usize> = self
            .tops
            .iter()
            .flat_map(|(_, _, list)| list.iter().map(|&(_, v)| v as usize))
            .collect();
        roots.sort_unstable();
        roots.dedup();
        let (place, edges) = renumber(&self.edges, roots.into_iter());
        let mut moved = vec![false; edges.len()];
        for (v, &accepts) in accepting.iter().enumerate() {
            if accepts && place[v] != u32::MAX {
                moved[place[v] as usize] = true;
            }
        }
        for (_, _, list) in &mut self.tops {
            for (_, to) in list {
                *to = place[*to as usize];
            }
        }
        let heads = self.tops.iter().enumerate();
        FunctionalAutomaton {
            domain: forward.system().domain().clone(),
            top_index: heads.map(|(i, (p, s, _))| ((*p, *s), i as u32)).collect(),
            forward,
            backward,
            tops: self.tops,
            edges,
            accepting: moved,
        }
    }
}
