//! The program as nodes and steps between them, without stacks.
//!
//! A node is a location of a function; a step is a *chain* of edges without branches in between, a
//! call, or a return. So all edges of a step lie on the same paths, and what is known of a step is
//! known of its lines. Where control leaves what can be followed there are nodes of their own: one for
//! each error and one for each place of something unsupported ([`Place::Stuck`]).

use std::collections::BTreeMap;
use std::rc::Rc;

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Cfa, EdgeId, LocId, Op};
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::encode::Move;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::control::{Continuation, IndirectCalls, continuations};
use crate::explore::Cut;
use crate::property::{ErrorSites, Site};
use crate::refine::CutPoints;
use crate::unsupported::{Construct, Unsupported};

gnomon_ir::ids! {
    /// A node.
    NodeId "n";
    /// A step.
    StepId "s";
}

/// Where a node is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Before the program starts.
    Start,
    /// At a location.
    At(FuncId, LocId),
    /// At an error.
    Error(Site),
    /// At something unsupported.
    Stuck(Rc<Unsupported>),
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// The program starts.
    Start,
    /// Edges of one function in a row. The last one is missing if it is not taken: a call that is an
    /// error, or an unsupported edge.
    Chain {
        /// The function.
        func: FuncId,
        /// The edges that are taken.
        edges: Rc<[EdgeId]>,
    },
    /// A call of a function with a body; the step leads to behind the call.
    Call {
        /// The function with the call.
        caller: FuncId,
        /// The edge of the call.
        edge: EdgeId,
        /// The function that is called.
        callee: FuncId,
    },
}

/// A step from node to node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it begins.
    pub from: NodeId,
    /// Where it leads.
    pub to: NodeId,
    /// What happens.
    pub action: Action,
}

impl Step {
    /// The moves of a chain.
    pub fn moves(&self) -> Vec<Move> {
        match &self.action {
            Action::Chain { func, edges } => edges.iter().map(|&e| Move::Edge(*func, e)).collect(),
            Action::Start | Action::Call { .. } => Vec::new(),
        }
    }

    /// The function and the edges whose source lines the step stands for.
    pub fn edges(&self) -> Option<(FuncId, &[EdgeId])> {
        match &self.action {
            Action::Start => None,
            Action::Chain { func, edges } => Some((*func, edges)),
            Action::Call { caller, edge, .. } => Some((*caller, std::slice::from_ref(edge))),
        }
    }
}

/// The nodes and steps of a program, as far as they can be reached from its entry function.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    places: Vec<Place>,
    by_place: FxHashMap<Place, NodeId>,
    steps: Vec<Step>,
    out: Vec<Vec<StepId>>,
    entries: BTreeMap<FuncId, (NodeId, NodeId)>,
}

/// Whose graph is made.
#[derive(Clone, Copy)]
pub struct GraphSource<'p> {
    /// The program.
    pub program: &'p Program,
    /// What must not be reached.
    pub sites: &'p ErrorSites,
    /// Where calls through pointers lead.
    pub calls: &'p dyn IndirectCalls,
    /// The function that runs first.
    pub entry: FuncId,
    /// Where steps end: everywhere, or where they must.
    pub cut: Cut,
}

/// Edges that are not encoded, with the reason.
pub type Refused = BTreeMap<(FuncId, EdgeId), String>;

impl Graph {
    /// The graph of a program.
    pub fn new(source: &GraphSource<'_>, refused: &Refused) -> Self {
        let mut graph = Self::default();
        let start = graph.node(Place::Start);
        let mut waiting = Vec::new();
        if let Some((entry, _)) = graph.function(source.program, source.entry, &mut waiting) {
            graph.add(Step { from: start, to: entry, action: Action::Start });
        }
        while let Some(func) = waiting.pop() {
            let Some(body) = &source.program.funcs[func].body else { continue };
            FunctionSteps { source, refused, func, body, continuations: FxHashMap::default() }
                .add_to(&mut graph, &mut waiting);
        }
        graph
    }

    /// The first and the last node of a function, which is put on the list if it is new.
    fn function(
        &mut self,
        program: &Program,
        func: FuncId,
        waiting: &mut Vec<FuncId>,
    ) -> Option<(NodeId, NodeId)> {
        if let Some(&known) = self.entries.get(&func) {
            return Some(known);
        }
        let body = program.funcs[func].body.as_ref()?;
        let ends =
            (self.node(Place::At(func, body.entry())), self.node(Place::At(func, body.exit())));
        self.entries.insert(func, ends);
        waiting.push(func);
        Some(ends)
    }

    fn node(&mut self, place: Place) -> NodeId {
        if let Some(&known) = self.by_place.get(&place) {
            return known;
        }
        let id = NodeId(self.places.len() as u32);
        self.places.push(place.clone());
        self.by_place.insert(place, id);
        self.out.push(Vec::new());
        id
    }

    fn add(&mut self, step: Step) {
        self.out[step.from.index()].push(StepId(self.steps.len() as u32));
        self.steps.push(step);
    }

    /// Where a node is.
    pub fn place(&self, node: NodeId) -> &Place {
        &self.places[node.index()]
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Place)> {
        self.places.iter().enumerate().map(|(i, place)| (NodeId(i as u32), place))
    }

    /// The node of a location, if there is one.
    pub fn at(&self, func: FuncId, loc: LocId) -> Option<NodeId> {
        self.by_place.get(&Place::At(func, loc)).copied()
    }

    /// A step.
    pub fn step(&self, step: StepId) -> &Step {
        &self.steps[step.index()]
    }

    /// All steps.
    pub fn steps(&self) -> impl Iterator<Item = (StepId, &Step)> {
        self.steps.iter().enumerate().map(|(i, step)| (StepId(i as u32), step))
    }

    /// The steps from a node.
    pub fn out(&self, node: NodeId) -> &[StepId] {
        &self.out[node.index()]
    }

    /// The functions that can be reached, each with its first and last node.
    pub fn functions(&self) -> impl Iterator<Item = (FuncId, NodeId, NodeId)> {
        self.entries.iter().map(|(&func, &(entry, exit))| (func, entry, exit))
    }

    /// The first and the last node of a function.
    pub fn ends(&self, func: FuncId) -> Option<(NodeId, NodeId)> {
        self.entries.get(&func).copied()
    }

    /// Whether some function can be called while it is open.
    pub fn is_recursive(&self) -> bool {
        let calls: FxHashSet<(FuncId, FuncId)> = self
            .steps
            .iter()
            .filter_map(|step| match step.action {
                Action::Call { caller, callee, .. } => Some((caller, callee)),
                _ => None,
            })
            .collect();
        let reaches = |from: FuncId| {
            let mut seen: FxHashSet<FuncId> = FxHashSet::default();
            let mut work = vec![from];
            while let Some(func) = work.pop() {
                for &(_, callee) in calls.iter().filter(|(caller, _)| *caller == func) {
                    if callee == from {
                        return true;
                    }
                    if seen.insert(callee) {
                        work.push(callee);
                    }
                }
            }
            false
        };
        self.entries.keys().any(|&func| reaches(func))
    }
}

impl CutPoints for Graph {
    type Point = NodeId;

    fn location(&self, node: NodeId) -> Option<(FuncId, LocId)> {
        match *self.place(node) {
            Place::At(func, loc) => Some((func, loc)),
            Place::Start | Place::Error(_) | Place::Stuck(_) => None,
        }
    }

    fn is_in_scope(&self, node: NodeId, func: FuncId) -> bool {
        self.location(node).is_some_and(|(own, _)| own == func)
    }

    fn context(&self, _: NodeId) -> Option<u32> {
        None
    }
}

/// Makes the steps of one function.
struct FunctionSteps<'a, 'p> {
    source: &'a GraphSource<'p>,
    refused: &'a Refused,
    func: FuncId,
    body: &'p Cfa,
    continuations: FxHashMap<EdgeId, Rc<[Continuation]>>,
}

impl FunctionSteps<'_, '_> {
    fn continuations(&mut self, edge: EdgeId) -> Rc<[Continuation]> {
        if let Some(known) = self.continuations.get(&edge) {
            return known.clone();
        }
        let GraphSource { program, sites, calls, .. } = *self.source;
        let continuations: Rc<[Continuation]> = match self.refused.get(&(self.func, edge)) {
            Some(reason) => {
                let what = Construct::NotEncoded(reason.clone());
                [Continuation::Stuck(Unsupported::at(self.func, edge, what).into())].into()
            }
            None => continuations(program, sites, calls, self.func, edge).into(),
        };
        self.continuations.insert(edge, continuations.clone());
        continuations
    }

    fn is_plain(&mut self, edge: EdgeId) -> bool {
        *self.continuations(edge) == [Continuation::Next]
    }

    /// Whether a location needs a node.
    fn is_cut(&mut self, loc: LocId) -> bool {
        if self.source.cut == Cut::Edges || loc == self.body.entry() || loc == self.body.exit() {
            return true;
        }
        let (into, out) = (self.body.in_edges(loc), self.body.out_edges(loc));
        let (&[into], &[out]) = (into, out) else { return true };
        !self.is_plain(into) || !self.is_plain(out)
    }

    fn add_to(mut self, graph: &mut Graph, waiting: &mut Vec<FuncId>) {
        let mut seen: FxHashSet<LocId> = [self.body.entry()].into_iter().collect();
        let mut work = vec![self.body.entry()];
        while let Some(loc) = work.pop() {
            let from = graph.node(Place::At(self.func, loc));
            for &edge in self.body.out_edges(loc) {
                for continuation in self.continuations(edge).iter() {
                    if let Some(next) = self.follow(graph, waiting, from, edge, continuation)
                        && seen.insert(next)
                    {
                        work.push(next);
                    }
                }
            }
        }
    }

    /// Adds the step that begins with an edge; gives the location that it leads to.
    fn follow(
        &mut self,
        graph: &mut Graph,
        waiting: &mut Vec<FuncId>,
        from: NodeId,
        edge: EdgeId,
        continuation: &Continuation,
    ) -> Option<LocId> {
        let func = self.func;
        match continuation {
            Continuation::Next => {
                let mut edges = vec![edge];
                let mut at = self.body.edge(edge).to;
                while !self.is_cut(at) {
                    let &[next] = self.body.out_edges(at) else { break };
                    edges.push(next);
                    at = self.body.edge(next).to;
                }
                let to = graph.node(Place::At(func, at));
                let edges = edges.into();
                graph.add(Step { from, to, action: Action::Chain { func, edges } });
                Some(at)
            }
            Continuation::Error(site) => {
                // A call is an error already when it is made; anything else when it was possible.
                let is_call = matches!(self.body.edge(edge).op, Op::Call(_));
                let edges = if is_call { Vec::new() } else { vec![edge] }.into();
                let to = graph.node(Place::Error(*site));
                graph.add(Step { from, to, action: Action::Chain { func, edges } });
                None
            }
            Continuation::Stuck(reason) => {
                let to = graph.node(Place::Stuck(reason.clone()));
                let edges = Vec::new().into();
                graph.add(Step { from, to, action: Action::Chain { func, edges } });
                None
            }
            Continuation::Enter(callee) => {
                graph.function(self.source.program, *callee, waiting)?;
                let after = self.body.edge(edge).to;
                let to = graph.node(Place::At(func, after));
                let action = Action::Call { caller: func, edge, callee: *callee };
                graph.add(Step { from, to, action });
                Some(after)
            }
        }
    }
}
