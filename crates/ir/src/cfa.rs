//! Control flow automata (LA 2.1): locations, and edges that carry operations.
//!
//! A branch is two edges with complementary [`Op::Assume`]; a location with several edges that are
//! open at once is a nondeterministic choice. Every function has one entry and one exit; a
//! [`Op::Return`] leads to the exit.

use crate::arena::{Arena, Id};
use crate::expr::{ExprId, PlaceId};
use crate::ids;
use crate::program::{FuncId, Program, StmtId, VarId};
use crate::span::Span;

ids! {
    /// A location of one control flow automaton.
    LocId "L";
    /// An edge of one control flow automaton.
    EdgeId "edge";
}

/// What happens on an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Nothing.
    Skip,
    /// Goes on only if the value (of scalar type) is not zero.
    Assume(ExprId),
    /// Stores a value; both have the same type, which may be a record or an array.
    Assign {
        /// Where to.
        dst: PlaceId,
        /// What.
        src: ExprId,
    },
    /// Calls a function.
    Call(Call),
    /// Ends the function with a value; the edge leads to the exit.
    Return(Option<ExprId>),
    /// Stores any value.
    Havoc(PlaceId),
    /// Stores any value into everything whose address may be known outside (an asm statement with
    /// a memory clobber).
    HavocMemory,
    /// The lifetime of a local variable begins: its contents are indeterminate from here on.
    Declare(VarId),
    /// Stores the address of a new object of `size` bytes that lives until the function returns:
    /// variable length arrays and `alloca`.
    Alloca {
        /// Where to; of pointer type.
        dst: PlaceId,
        /// In bytes, of type `size_t`.
        size: ExprId,
    },
    /// `va_start`: the list begins at the first argument behind the declared ones.
    VaStart(PlaceId),
    /// `va_arg`: stores the next argument of the list, taken as the type of `dst`.
    VaArg {
        /// Where to.
        dst: PlaceId,
        /// The `va_list`.
        list: PlaceId,
    },
    /// `va_copy`.
    VaCopy {
        /// The new list.
        dst: PlaceId,
        /// The list that is copied.
        src: PlaceId,
    },
    /// `va_end`.
    VaEnd(PlaceId),
}

impl Op {
    /// Where the operation writes by name, if it does.
    pub fn destination(&self) -> Option<PlaceId> {
        match self {
            Self::Assign { dst, .. } | Self::Alloca { dst, .. } | Self::VaArg { dst, .. } => {
                Some(*dst)
            }
            Self::Havoc(dst) | Self::VaStart(dst) | Self::VaEnd(dst) => Some(*dst),
            Self::VaCopy { dst, .. } => Some(*dst),
            Self::Call(call) => call.dst,
            Self::Skip | Self::Assume(_) | Self::Return(_) | Self::HavocMemory => None,
            Self::Declare(_) => None,
        }
    }
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Where the result goes, if it is used; of the type of the result.
    pub dst: Option<PlaceId>,
    /// Who is called.
    pub callee: Callee,
    /// The arguments, converted to the types of the parameters (by the default promotions where
    /// there are none).
    pub args: Box<[ExprId]>,
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// This function.
    Direct(FuncId),
    /// The function that the pointer points to.
    Indirect(ExprId),
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it starts.
    pub from: LocId,
    /// Where it leads.
    pub to: LocId,
    /// What happens.
    pub op: Op,
    /// The part of the source that this operation comes from.
    pub span: Span,
    /// The user's statement that it belongs to.
    pub stmt: StmtId,
}

/// A label of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// The location that it marks.
    pub loc: LocId,
    /// Where it stands.
    pub span: Span,
}

/// The control flow automaton of a function. Made by [`CfaBuilder`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cfa {
    edges: Arena<EdgeId, Edge>,
    entry: LocId,
    exit: LocId,
    labels: Vec<Label>,
    /// The edges that leave location `l` are `out[out_start[l]..out_start[l + 1]]`.
    out: Vec<EdgeId>,
    out_start: Vec<u32>,
    into: Vec<EdgeId>,
    into_start: Vec<u32>,
}

impl Cfa {
    /// Where the function begins.
    pub fn entry(&self) -> LocId {
        self.entry
    }

    /// Where it ends. No edge leaves it.
    pub fn exit(&self) -> LocId {
        self.exit
    }

    /// The number of locations.
    pub fn loc_count(&self) -> usize {
        self.out_start.len() - 1
    }

    /// All locations.
    pub fn locs(&self) -> impl DoubleEndedIterator<Item = LocId> + ExactSizeIterator + use<> {
        (0..self.loc_count()).map(LocId::from_index)
    }

    /// All edges.
    pub fn edges(&self) -> &Arena<EdgeId, Edge> {
        &self.edges
    }

    /// The edge.
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id]
    }

    /// The edges that leave a location, in the order in which they were made.
    pub fn out_edges(&self, loc: LocId) -> &[EdgeId] {
        slice(&self.out, &self.out_start, loc)
    }

    /// The edges that lead to a location.
    pub fn in_edges(&self, loc: LocId) -> &[EdgeId] {
        slice(&self.into, &self.into_start, loc)
    }

    /// Replaces the operations for which `rewrite` gives another one. The graph stays.
    pub fn rewrite_ops(&mut self, mut rewrite: impl FnMut(&Edge) -> Option<Op>) {
        for id in self.edges.ids() {
            if let Some(op) = rewrite(&self.edges[id]) {
                self.edges[id].op = op;
            }
        }
    }

    /// The user's labels, in the order of the source.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }
}

fn slice<'a>(edges: &'a [EdgeId], start: &[u32], loc: LocId) -> &'a [EdgeId] {
    &edges[start[loc.index()] as usize..start[loc.index() + 1] as usize]
}

/// Builds a [`Cfa`].
#[derive(Clone, Debug)]
pub struct CfaBuilder {
    edges: Arena<EdgeId, Edge>,
    loc_count: u32,
    labels: Vec<Label>,
}

impl Default for CfaBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl CfaBuilder {
    /// With entry and exit and no edge.
    pub fn new() -> Self {
        Self { edges: Arena::new(), loc_count: 2, labels: Vec::new() }
    }

    /// Where the function begins.
    pub fn entry(&self) -> LocId {
        LocId(0)
    }

    /// Where the function ends.
    pub fn exit(&self) -> LocId {
        LocId(1)
    }

    /// A new location.
    pub fn add_loc(&mut self) -> LocId {
        self.loc_count += 1;
        LocId(self.loc_count - 1)
    }

    /// Adds an edge.
    pub fn add_edge(&mut self, edge: Edge) -> EdgeId {
        self.edges.push(edge)
    }

    /// Adds a label of the user.
    pub fn add_label(&mut self, label: Label) {
        self.labels.push(label);
    }

    /// The automaton without the locations that cannot be reached from the entry by edges (the
    /// exit stays), and without edges that do nothing and that no user's statement made.
    /// Locations and edges are numbered anew, keeping their order.
    pub fn finish(mut self) -> Cfa {
        self.skip_joins();
        let reachable = self.reachable();
        let mut renumbered = vec![None; self.loc_count as usize];
        let mut count = 0u32;
        for (loc, slot) in renumbered.iter_mut().enumerate() {
            if reachable[loc] {
                *slot = Some(LocId(count));
                count += 1;
            }
        }
        let new_loc = |loc: LocId| renumbered[loc.index()];
        let edges: Arena<EdgeId, Edge> = self
            .edges
            .iter()
            .filter_map(|edge| {
                let (from, to) = (new_loc(edge.from)?, new_loc(edge.to)?);
                Some(Edge { from, to, ..edge.clone() })
            })
            .collect();
        let labels = self
            .labels
            .into_iter()
            .filter_map(|label| Some(Label { loc: renumbered[label.loc.index()]?, ..label }))
            .collect();
        let (out, out_start) = adjacency(&edges, count, |edge| edge.from);
        let (into, into_start) = adjacency(&edges, count, |edge| edge.to);
        let [entry, exit] = [LocId(0), renumbered[1].unwrap_or(LocId(0))];
        Cfa { edges, entry, exit, labels, out, out_start, into, into_start }
    }

    /// Redirects what leads to a location whose only edge is a synthetic [`Op::Skip`] to the end of
    /// that edge. A loop of nothing but such edges keeps one of them.
    fn skip_joins(&mut self) {
        let (out, out_start) = adjacency(&self.edges, self.loc_count, |edge| edge.from);
        let is_join = |edge: &Edge| edge.op == Op::Skip && edge.stmt == Program::NO_STMT;
        let mut forward: Vec<LocId> = (0..self.loc_count).map(LocId).collect();
        for loc in 1..self.loc_count {
            let [edge] = slice(&out, &out_start, LocId(loc)) else { continue };
            let edge = &self.edges[*edge];
            // Following what is forwarded already never comes back here, or this edge would close
            // a loop of joins and must stay.
            if is_join(edge) {
                let end = follow(&mut forward, edge.to);
                if end != LocId(loc) {
                    forward[loc as usize] = end;
                }
            }
        }
        for edge in self.edges.ids().collect::<Vec<_>>() {
            self.edges[edge].to = follow(&mut forward, self.edges[edge].to);
        }
        for label in &mut self.labels {
            label.loc = follow(&mut forward, label.loc);
        }
    }

    fn reachable(&self) -> Vec<bool> {
        let (out, out_start) = adjacency(&self.edges, self.loc_count, |edge| edge.from);
        let mut reachable = vec![false; self.loc_count as usize];
        reachable[self.exit().index()] = true;
        reachable[self.entry().index()] = true;
        let mut work = vec![self.entry()];
        while let Some(loc) = work.pop() {
            for &edge in slice(&out, &out_start, loc) {
                let to = self.edges[edge].to;
                if !std::mem::replace(&mut reachable[to.index()], true) {
                    work.push(to);
                }
            }
        }
        reachable
    }
}

/// The end of a chain of forwarded locations; the chain becomes shorter on the way.
fn follow(forward: &mut [LocId], mut loc: LocId) -> LocId {
    while forward[loc.index()] != loc {
        let next = forward[loc.index()];
        forward[loc.index()] = forward[next.index()];
        loc = next;
    }
    loc
}

fn adjacency(
    edges: &Arena<EdgeId, Edge>,
    loc_count: u32,
    end: impl Fn(&Edge) -> LocId,
) -> (Vec<EdgeId>, Vec<u32>) {
    let mut start = vec![0u32; loc_count as usize + 1];
    for edge in edges.iter() {
        start[end(edge).index() + 1] += 1;
    }
    for i in 1..start.len() {
        start[i] += start[i - 1];
    }
    let mut next = start.clone();
    let mut sorted = vec![EdgeId(0); edges.len()];
    for (id, edge) in edges.iter_ids() {
        let slot = &mut next[end(edge).index()];
        sorted[*slot as usize] = id;
        *slot += 1;
    }
    (sorted, start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skip(from: LocId, to: LocId) -> Edge {
        Edge { from, to, op: Op::Skip, span: Span::NONE, stmt: StmtId(1) }
    }

    #[test]
    fn joins_vanish_but_an_empty_loop_stays() {
        let join = |from, to| Edge { stmt: Program::NO_STMT, ..skip(from, to) };
        let mut builder = CfaBuilder::new();
        let [a, b, c] = std::array::from_fn(|_| builder.add_loc());
        builder.add_edge(skip(builder.entry(), a));
        builder.add_edge(join(a, b));
        builder.add_edge(join(b, c));
        builder.add_edge(join(c, a));
        let cfa = builder.finish();
        assert_eq!(cfa.loc_count(), 3);
        let head = cfa.edge(cfa.out_edges(cfa.entry())[0]).to;
        assert_eq!(cfa.edge(cfa.out_edges(head)[0]).to, head);
    }

    #[test]
    fn unreachable_locations_are_dropped_and_order_is_kept() {
        let mut builder = CfaBuilder::new();
        let dead = builder.add_loc();
        let mid = builder.add_loc();
        builder.add_edge(skip(dead, mid));
        builder.add_edge(skip(builder.entry(), mid));
        builder.add_edge(skip(mid, builder.exit()));
        let cfa = builder.finish();
        assert_eq!(cfa.loc_count(), 3);
        assert_eq!(cfa.edges().len(), 2);
        let [first] = cfa.out_edges(cfa.entry()) else { panic!("one edge") };
        let mid = cfa.edge(*first).to;
        assert_eq!(cfa.edge(cfa.out_edges(mid)[0]).to, cfa.exit());
        assert_eq!(cfa.in_edges(cfa.exit()), cfa.out_edges(mid));
    }
}
