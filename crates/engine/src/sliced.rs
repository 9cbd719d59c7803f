//! A path through blocks with only the steps that matter (PS).
//!
//! The blocks of an abstract counterexample become one graph of steps; the slicer of `flow` says
//! which of them decide whether its end is reached; and the blocks are encoded again with only
//! those. What is left out constrains nothing, so if the sliced blocks cannot be passed, neither
//! can the blocks, and interpolants of the sliced ones speak about less.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_flow::slice::{
    Endings, GraphEdge, MemoryFacts, Options, Slice, SliceError, Slicer, Start, StepGraph,
    Undefined,
};
use gnomon_ir::program::Program;
use gnomon_logic::Terms;
use gnomon_logic::encode::{Execution, Move};

use crate::blocks::{Block, PathFormula};
use crate::control::ControlId;
use crate::explore::{Explorer, OriginId};
use crate::facts::Facts;
use crate::refine::Kept;

/// What slicing needs to know, found out when it is first asked for.
pub struct Relevance<'a> {
    facts: &'a Facts<'a>,
    memory: OnceCell<MemoryFacts<'a>>,
}

impl<'a> Relevance<'a> {
    /// Of the program of these facts.
    pub fn new(facts: &'a Facts<'a>) -> Self {
        Self { facts, memory: OnceCell::new() }
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.facts.program()
    }

    /// A slicer.
    pub fn slicer(&'a self, budget: &Budget) -> Result<Slicer<'a>, Exhausted> {
        let mod_ref = self.facts.mod_ref(budget)?;
        let (program, points_to) = (self.facts.program(), self.facts.points_to());
        let memory = self.memory.get_or_init(|| MemoryFacts::new(program, points_to, mod_ref));
        // What ends a run before the error is reached cannot make the path to it infeasible.
        let options = Options {
            endings: Endings::Absent,
            undefined: Undefined::default(),
            ..Options::default()
        };
        Ok(Slicer::new(memory, options))
    }
}

/// Which of the moves of a path from the entry of a function matter; `None` if it cannot be sliced
/// or all of them do.
pub fn kept_moves(
    slicer: &mut Slicer<'_>,
    start: Start,
    moves: &[Move],
    budget: &Budget,
) -> Result<Option<Vec<bool>>, Exhausted> {
    match slicer.slice(&StepGraph::path(start, moves), budget) {
        Ok(slice) => Ok(slice.kept.contains(&false).then_some(slice.kept)),
        Err(SliceError::Exhausted(limit)) => Err(limit),
        Err(SliceError::Malformed { .. } | SliceError::NoEnd) => Ok(None),
    }
}

/// The steps of blocks in a row.
struct Graph {
    graph: StepGraph,
    /// By block: its nodes in order, the first one being its beginning, and the edges into each.
    blocks: Vec<BlockNodes>,
}

struct BlockNodes {
    /// From the block's first node on.
    first: u32,
    /// By node behind the first: the edges of the graph that lead to it.
    into: Vec<Vec<usize>>,
}

/// The formulas of sliced blocks, and how much was kept; `None` if they cannot be sliced, or if
/// nothing would be left out.
pub fn sliced(
    explorer: &mut Explorer<'_>,
    terms: &mut Terms,
    slicer: &mut Slicer<'_>,
    start: ControlId,
    blocks: &[Rc<Block>],
    budget: &Budget,
) -> Result<Option<(PathFormula, Kept)>, Exhausted> {
    let Some(graph) = graph_of(explorer, start, blocks) else { return Ok(None) };
    let slice = match slicer.slice(&graph.graph, budget) {
        Ok(slice) => slice,
        Err(SliceError::Exhausted(limit)) => return Err(limit),
        Err(SliceError::Malformed { .. } | SliceError::NoEnd) => return Ok(None),
    };
    let kept = Kept { steps: slice.kept.len() as u64, kept: slice.kept_count() as u64 };
    if kept.kept == kept.steps {
        return Ok(None);
    }
    let mut shorter = Vec::with_capacity(blocks.len());
    for (position, (block, nodes)) in blocks.iter().zip(&graph.blocks).enumerate() {
        let Some(execution) =
            encode(explorer, terms, &graph.graph, &slice, nodes, position == 0, budget)?
        else {
            return Ok(None);
        };
        shorter.push(Rc::new(block.with_execution(terms, &execution)));
    }
    Ok(Some((PathFormula::new(terms, shorter), kept)))
}

/// The graph of all steps of the blocks. Points that are reached without a step are one with those
/// they are reached from; where that does not tell one point, there is no graph.
fn graph_of(explorer: &Explorer<'_>, start: ControlId, blocks: &[Rc<Block>]) -> Option<Graph> {
    let control = explorer.space.get(start);
    let mut calls = explorer.space.open_calls(start);
    calls.reverse();
    let mut graph = Graph {
        graph: StepGraph {
            start: Start { calls, func: control.func, loc: control.loc },
            nodes: 1,
            edges: Vec::new(),
        },
        blocks: Vec::new(),
    };
    for block in blocks {
        let first = graph.graph.nodes - 1;
        let mut nodes: BTreeMap<OriginId, u32> = BTreeMap::new();
        let mut into = Vec::new();
        for point in explorer.origins.points_before(block.origin()) {
            let edges = explorer.origins.incoming(point);
            let mut incoming = Vec::new();
            let mut same = None;
            for edge in edges {
                let from = *nodes.get(&edge.from)?;
                match edge.step {
                    Some(step) => incoming.push((from, step)),
                    None if same.is_none_or(|node| node == from) => same = Some(from),
                    None => return None,
                }
            }
            let node = match (edges.is_empty(), same, incoming.is_empty()) {
                (true, ..) => first,
                (false, Some(node), true) => node,
                (false, None, false) => {
                    let node = graph.graph.nodes;
                    graph.graph.nodes += 1;
                    let edges = incoming.into_iter().map(|(from, step)| {
                        graph.graph.edges.push(GraphEdge { from, to: node, step });
                        graph.graph.edges.len() - 1
                    });
                    into.push(edges.collect());
                    node
                }
                _ => return None,
            };
            nodes.insert(point, node);
        }
        // The end of a block is the beginning of the next, so it must be the last node.
        if *nodes.get(&block.origin())? + 1 != graph.graph.nodes {
            return None;
        }
        graph.blocks.push(BlockNodes { first, into });
    }
    Some(graph)
}

/// What a block does when only some of its steps are taken; `None` if a step cannot be encoded.
fn encode(
    explorer: &mut Explorer<'_>,
    terms: &mut Terms,
    graph: &StepGraph,
    slice: &Slice,
    nodes: &BlockNodes,
    is_first: bool,
    budget: &Budget,
) -> Result<Option<Execution>, Exhausted> {
    let encoder = &mut explorer.encoder;
    let mut beginning = Execution::default();
    if is_first {
        match encoder.advance(terms, beginning, Move::Start) {
            Ok(execution) => beginning = execution,
            Err(_) => return Ok(None),
        }
    }
    let mut at = vec![beginning];
    for into in &nodes.into {
        budget.check()?;
        let mut arrivals: Vec<Execution> = Vec::new();
        for &edge in into {
            let GraphEdge { from, step, .. } = graph.edges[edge];
            let mut execution = at[(from - nodes.first) as usize].clone();
            if slice.kept[edge] {
                match encoder.advance(terms, execution, step) {
                    Ok(after) => execution = after,
                    Err(_) => return Ok(None),
                }
            }
            let is_known = |known: &Execution| {
                known.facts() == execution.facts() && known.ssa() == execution.ssa()
            };
            if !arrivals.iter().any(is_known) {
                arrivals.push(execution);
            }
        }
        at.push(encoder.merge(terms, arrivals));
    }
    Ok(at.pop())
}
