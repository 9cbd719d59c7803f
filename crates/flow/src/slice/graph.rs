//! What is sliced: graphs of steps without loops. A path is one without branches.

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Cfa, EdgeId, LocId};
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::encode::Move;
use rustc_hash::FxHashMap;

use super::SliceError;
use super::live::Frame;

/// Where a path or graph begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The calls that are open: the function with the call, and the edge of the call, outermost
    /// first.
    pub calls: Vec<(FuncId, EdgeId)>,
    /// The function that runs.
    pub func: FuncId,
    /// Where in it.
    pub loc: LocId,
}

impl Start {
    /// At the entry of a function, without open calls.
    pub fn at_entry(program: &Program, func: FuncId) -> Self {
        let loc = program.funcs[func].body.as_ref().map_or(LocId(0), Cfa::entry);
        Self { calls: Vec::new(), func, loc }
    }
}

/// An edge of a [`StepGraph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphEdge {
    /// The node where it starts.
    pub from: u32,
    /// The node where it leads; greater than `from`.
    pub to: u32,
    /// What happens.
    pub step: Move,
}

/// A graph of steps. Node 0 is its start and the last node its end, which is what is to be
/// reached. Nodes are places of executions: a stack of open calls and a location; that of node 0
/// is given, those of the others follow from the steps. Edges lead to greater nodes, so that there
/// is no loop; they may stand in any order. A list of blocks, one behind the other, is one graph:
/// the end of a block is the start of the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepGraph {
    /// Where node 0 is.
    pub start: Start,
    /// The number of nodes, at least 1.
    pub nodes: u32,
    /// The edges.
    pub edges: Vec<GraphEdge>,
}

impl StepGraph {
    /// The graph of one path.
    pub fn path(start: Start, steps: &[Move]) -> Self {
        let edge = |(at, &step): (usize, &Move)| {
            let from = at as u32;
            GraphEdge { from, to: from + 1, step }
        };
        let edges = steps.iter().enumerate().map(edge).collect();
        Self { start, nodes: steps.len() as u32 + 1, edges }
    }
}

/// An open call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameInfo {
    pub func: FuncId,
    /// The frame below and the edge of the call in it.
    pub caller: Option<(Frame, EdgeId)>,
    /// How many edges of the graph leave it.
    pub leaves: u32,
}

/// The place of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub frame: Frame,
    pub loc: LocId,
}

/// A graph with the places of its nodes.
pub(crate) struct Placed<'g> {
    pub graph: &'g StepGraph,
    pub frames: Vec<FrameInfo>,
    /// Frames that turned out to be one: the frame that each is the same as, itself as a rule.
    united: Vec<Frame>,
    /// `None` where nothing leads.
    pub positions: Vec<Option<Position>>,
    /// The edges that leave node `n` are `out[out_start[n]..out_start[n + 1]]`.
    out: Vec<u32>,
    out_start: Vec<u32>,
    /// How many edges lead to a node.
    pub into: Vec<u32>,
}

impl<'g> Placed<'g> {
    pub fn new(program: &Program, graph: &'g StepGraph) -> Result<Self, SliceError> {
        let nodes = graph.nodes as usize;
        let malformed = |edge: usize, why: &'static str| SliceError::Malformed { edge, why };
        let mut out_start = vec![0u32; nodes + 1];
        let mut into = vec![0u32; nodes];
        for (at, edge) in graph.edges.iter().enumerate() {
            if edge.from >= edge.to || edge.to >= graph.nodes {
                return Err(malformed(at, "it does not lead to a greater node"));
            }
            out_start[edge.from as usize + 1] += 1;
            into[edge.to as usize] += 1;
        }
        for node in 0..nodes {
            out_start[node + 1] += out_start[node];
        }
        let mut next = out_start.clone();
        let mut out = vec![0u32; graph.edges.len()];
        for (at, edge) in graph.edges.iter().enumerate() {
            let slot = &mut next[edge.from as usize];
            out[*slot as usize] = at as u32;
            *slot += 1;
        }
        let positions = vec![None; nodes];
        let (frames, united) = (Vec::new(), Vec::new());
        let mut placed = Self { graph, frames, united, positions, out, out_start, into };
        placed.open_frames();
        let mut entered = FxHashMap::default();
        for node in 0..graph.nodes {
            let Some(here) = placed.positions[node as usize] else { continue };
            for position in placed.leaving(node) {
                let at = placed.number(position);
                let edge = &graph.edges[at];
                let there = placed
                    .after(program, node, here, edge.step, &mut entered)
                    .map_err(|why| malformed(at, why))?;
                let known = *placed.positions[edge.to as usize].get_or_insert(there);
                if known.loc != there.loc || !placed.unite(known.frame, there.frame) {
                    return Err(malformed(at, "its end has another place already"));
                }
            }
        }
        placed.settle();
        Ok(placed)
    }

    /// Makes two frames one, because a node is in both; whether they are of the same call.
    fn unite(&mut self, a: Frame, b: Frame) -> bool {
        let (mut a, mut b) = (self.same_as(a), self.same_as(b));
        while a != b {
            let (mine, theirs) = (self.frames[a as usize], self.frames[b as usize]);
            self.united[b as usize] = a;
            match (mine.caller, theirs.caller) {
                (Some((below, edge)), Some((other, call)))
                    if mine.func == theirs.func && edge == call =>
                {
                    (a, b) = (self.same_as(below), self.same_as(other));
                }
                _ => return false,
            }
        }
        true
    }

    /// The frame that stands for all that were made one with it.
    fn same_as(&self, mut frame: Frame) -> Frame {
        while self.united[frame as usize] != frame {
            frame = self.united[frame as usize];
        }
        frame
    }

    /// Writes the frames that stand for others wherever frames are named, and counts the edges that
    /// leave each.
    fn settle(&mut self) {
        let settled: Vec<Frame> =
            (0..self.frames.len() as Frame).map(|frame| self.same_as(frame)).collect();
        for info in &mut self.frames {
            info.caller = info.caller.map(|(below, edge)| (settled[below as usize], edge));
        }
        for position in self.positions.iter_mut().flatten() {
            position.frame = settled[position.frame as usize];
        }
        for edge in &self.graph.edges {
            if let (Move::Leave { .. }, Some(here)) =
                (edge.step, self.positions[edge.from as usize])
            {
                self.frames[here.frame as usize].leaves += 1;
            }
        }
    }

    fn open_frames(&mut self) {
        let start = &self.graph.start;
        let mut caller = None;
        for &(func, edge) in &start.calls {
            self.frames.push(FrameInfo { func, caller, leaves: 0 });
            caller = Some((self.frames.len() as Frame - 1, edge));
        }
        self.frames.push(FrameInfo { func: start.func, caller, leaves: 0 });
        self.united = (0..self.frames.len() as Frame).collect();
        let frame = self.frames.len() as Frame - 1;
        if let Some(first) = self.positions.first_mut() {
            *first = Some(Position { frame, loc: start.loc });
        }
    }

    /// The edges that leave a node, as positions for [`Placed::number`].
    pub fn leaving(&self, node: u32) -> std::ops::Range<usize> {
        let node = node as usize;
        self.out_start[node] as usize..self.out_start[node + 1] as usize
    }

    /// The number of the edge at a position.
    pub fn number(&self, position: usize) -> usize {
        self.out[position] as usize
    }

    /// Where a step leads.
    fn after(
        &mut self,
        program: &Program,
        node: u32,
        here: Position,
        step: Move,
        entered: &mut FxHashMap<(u32, EdgeId, FuncId), Frame>,
    ) -> Result<Position, &'static str> {
        let info = self.frames[here.frame as usize];
        let body = |func: FuncId| {
            let function = program.funcs.get(func).ok_or("no such function")?;
            function.body.as_ref().ok_or("its function has no body")
        };
        let edge_of = |func: FuncId, edge: EdgeId| {
            body(func)?.edges().get(edge).ok_or("its function has no such edge")
        };
        match step {
            Move::Start => Ok(here),
            Move::Edge(func, edge) => {
                let edge = edge_of(func, edge)?;
                if func != info.func || edge.from != here.loc {
                    return Err("it does not start where its node is");
                }
                Ok(Position { loc: edge.to, ..here })
            }
            Move::Enter { caller, edge, callee } => {
                if caller != info.func || edge_of(caller, edge)?.from != here.loc {
                    return Err("it does not start where its node is");
                }
                let entry = body(callee)?.entry();
                let (frames, united) = (&mut self.frames, &mut self.united);
                let frame = *entered.entry((node, edge, callee)).or_insert_with(|| {
                    let caller = Some((here.frame, edge));
                    frames.push(FrameInfo { func: callee, caller, leaves: 0 });
                    united.push(frames.len() as Frame - 1);
                    frames.len() as Frame - 1
                });
                Ok(Position { frame, loc: entry })
            }
            Move::Leave { caller, edge, callee } => {
                let Some((below, call)) = info.caller else { return Err("no call is open") };
                let expected = (self.frames[below as usize].func, call, info.func);
                if expected != (caller, edge, callee) || here.loc != body(callee)?.exit() {
                    return Err("it does not leave the innermost call");
                }
                Ok(Position { frame: below, loc: edge_of(caller, edge)?.to })
            }
        }
    }

    pub fn func(&self, frame: Frame) -> FuncId {
        self.frames[frame as usize].func
    }

    /// Whether a call of the function is open below a frame.
    pub fn is_open_below(&self, func: FuncId, frame: Frame) -> bool {
        let mut below = self.frames[frame as usize].caller;
        while let Some((at, _)) = below {
            let info = self.frames[at as usize];
            if info.func == func {
                return true;
            }
            below = info.caller;
        }
        false
    }

    /// Whether it is one path.
    pub fn is_path(&self) -> bool {
        self.graph.edges.len() + 1 == self.graph.nodes as usize
            && self.graph.edges.iter().all(|edge| edge.to == edge.from + 1)
    }

    /// The end.
    pub fn end(&self) -> Option<Position> {
        self.positions.last().copied().flatten()
    }

    /// The location where an edge of a function starts.
    pub fn source(program: &Program, func: FuncId, edge: EdgeId) -> LocId {
        let body = program.funcs[func].body.as_ref();
        body.map_or(LocId::from_index(0), |body| body.edge(edge).from)
    }
}
