//! Postdominators of a control flow automaton: which locations every path to the end goes through.
//!
//! The end is a location of its own behind the exit. What may end or block a run is an edge to it
//! (the caller says which edges those are), so the exit itself can be missed. Where no path leads to
//! the end, PS 4.1 adds dummy edges "from all these locations"; here they are added for each
//! component of the graph that nothing leaves, from where it goes back to its first location. That
//! suffices to make the relation total, and it keeps slices small in programs that run for ever: a
//! location that every turn of an endless loop passes postdominates the rest of the loop, instead
//! of none.
//!
//! Immediate postdominators are found by iteration in reverse postorder (Cooper, Harvey, Kennedy: A
//! Simple, Fast Dominance Algorithm); a question is answered in constant time from the numbers of
//! a walk through the tree.

pub(crate) mod components;

use components::components;
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Cfa, EdgeId, LocId};

/// What a location is that is not the exit and that no edge leaves: as a rule, one behind a call of
/// a function that does not return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadEnds {
    /// An end.
    End,
    /// Nothing: paths that get there do not count. Where all paths do, a location is postdominated by
    /// itself only.
    Unreached,
}

/// The postdominator tree of one automaton.
#[derive(Clone, Debug)]
pub struct Postdominators {
    /// When a walk through the tree comes to a location, and when it leaves it for good.
    first: Vec<u32>,
    last: Vec<u32>,
    immediate: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Postdominators {
    /// Of an automaton in which the edges that `may_end` chooses need not get to where they lead.
    ///
    /// ```
    /// use gnomon_flow::postdominance::{DeadEnds, Postdominators};
    /// use gnomon_ir::cfa::{CfaBuilder, Edge, Op};
    /// use gnomon_ir::program::{Program, StmtId};
    /// use gnomon_ir::span::Span;
    ///
    /// let mut cfa = CfaBuilder::new();
    /// let (entry, exit, middle) = (cfa.entry(), cfa.exit(), cfa.add_loc());
    /// for (from, to) in [(entry, middle), (middle, exit)] {
    ///     cfa.add_edge(Edge { from, to, op: Op::Skip, span: Span::NONE, stmt: StmtId(1) });
    /// }
    /// let cfa = cfa.finish();
    /// let tree = Postdominators::new(&cfa, DeadEnds::End, |_| false);
    /// assert!(tree.postdominates(middle, entry));
    /// let tree = Postdominators::new(&cfa, DeadEnds::End, |edge| cfa.edge(edge).from == entry);
    /// assert!(!tree.postdominates(middle, entry));
    /// ```
    pub fn new(cfa: &Cfa, dead_ends: DeadEnds, may_end: impl Fn(EdgeId) -> bool) -> Self {
        let graph = ReverseGraph::new(cfa, dead_ends, may_end);
        let immediate = graph.immediate();
        let (first, last) = walk(&immediate);
        Self { first, last, immediate }
    }

    /// Whether every path from `loc` to the end goes through `later`. Every location postdominates
    /// itself.
    pub fn postdominates(&self, later: LocId, loc: LocId) -> bool {
        let (later, loc) = (later.index(), loc.index());
        if self.immediate[loc] == NONE {
            return later == loc;
        }
        self.immediate[later] != NONE
            && self.first[later] <= self.first[loc]
            && self.last[loc] <= self.last[later]
    }

    /// The first location that every path from `loc` to the end goes through, but for `loc` itself;
    /// `None` if that is the end.
    pub fn immediate(&self, loc: LocId) -> Option<LocId> {
        let next = self.immediate[loc.index()];
        (next != NONE && next as usize != self.immediate.len() - 1).then_some(LocId(next))
    }
}

/// The automaton backwards, with the end as its root: the last node.
struct ReverseGraph {
    /// The nodes from which one edge leads to the node.
    before: Vec<Vec<u32>>,
    after: Vec<Vec<u32>>,
}

impl ReverseGraph {
    fn new(cfa: &Cfa, dead_ends: DeadEnds, may_end: impl Fn(EdgeId) -> bool) -> Self {
        let end = cfa.loc_count();
        let mut graph =
            Self { before: vec![Vec::new(); end + 1], after: vec![Vec::new(); end + 1] };
        for (id, edge) in cfa.edges().iter_ids() {
            graph.add(edge.from.index(), edge.to.index());
            if may_end(id) {
                graph.add(edge.from.index(), end);
            }
        }
        graph.add(cfa.exit().index(), end);
        for first in graph.endless(end, dead_ends) {
            graph.add(first, end);
        }
        graph
    }

    fn add(&mut self, from: usize, to: usize) {
        let to_id = to as u32;
        if !self.after[from].contains(&to_id) {
            self.after[from].push(to_id);
            self.before[to].push(from as u32);
        }
    }

    /// Of each component that no edge leaves and that does not have the end: the locations before
    /// its first one, or that one if it is a dead end.
    fn endless(&self, end: usize, dead_ends: DeadEnds) -> Vec<usize> {
        let mut ends = vec![false; end + 1];
        mark(&self.before, end, &mut ends);
        let component = components(&self.after);
        let mut first = vec![None; end + 1];
        let mut left = vec![false; end + 1];
        for at in (0..end).rev().filter(|&at| !ends[at]) {
            let mine = component[at] as usize;
            first[mine] = Some(at);
            left[mine] |= self.after[at].iter().any(|&to| component[to as usize] as usize != mine);
        }
        let endless = first.into_iter().zip(left).filter(|&(_, left)| !left);
        let mut found = Vec::new();
        for first in endless.filter_map(|(first, _)| first) {
            let inside = |&before: &u32| component[before as usize] == component[first];
            let before: Vec<u32> = self.before[first].iter().copied().filter(inside).collect();
            match before.is_empty() {
                true if dead_ends == DeadEnds::End => found.push(first),
                true => {}
                false => found.extend(before.into_iter().map(|before| before as usize)),
            }
        }
        found
    }

    /// The parent of every node in the tree; the root is its own.
    fn immediate(&self) -> Vec<u32> {
        let root = self.before.len() - 1;
        let order = postorder(&self.before, root);
        let mut position = vec![NONE; self.before.len()];
        for (at, &node) in order.iter().enumerate() {
            position[node] = at as u32;
        }
        let mut immediate = vec![NONE; self.before.len()];
        immediate[root] = root as u32;
        loop {
            let mut changed = false;
            for &node in order.iter().rev().skip(1) {
                let mut parent = NONE;
                for &next in &self.after[node] {
                    if immediate[next as usize] == NONE {
                        continue;
                    }
                    parent = match parent {
                        NONE => next,
                        other => meet(&immediate, &position, other, next),
                    };
                }
                if parent != immediate[node] {
                    immediate[node] = parent;
                    changed = true;
                }
            }
            if !changed {
                return immediate;
            }
        }
    }
}

/// The nearest common ancestor.
fn meet(immediate: &[u32], position: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while position[a as usize] < position[b as usize] {
            a = immediate[a as usize];
        }
        while position[b as usize] < position[a as usize] {
            b = immediate[b as usize];
        }
    }
    a
}

fn mark(next: &[Vec<u32>], from: usize, marked: &mut [bool]) {
    marked[from] = true;
    let mut work = vec![from];
    while let Some(at) = work.pop() {
        for &to in &next[at] {
            if !std::mem::replace(&mut marked[to as usize], true) {
                work.push(to as usize);
            }
        }
    }
}

/// The nodes that are reached, each when a depth-first walk leaves it.
fn postorder(next: &[Vec<u32>], start: usize) -> Vec<usize> {
    let mut seen = vec![false; next.len()];
    seen[start] = true;
    let mut order = Vec::new();
    let mut stack = vec![(start, 0)];
    while let Some((at, position)) = stack.last_mut() {
        match next[*at].get(*position) {
            Some(&to) => {
                *position += 1;
                if !std::mem::replace(&mut seen[to as usize], true) {
                    stack.push((to as usize, 0));
                }
            }
            None => {
                order.push(*at);
                stack.pop();
            }
        }
    }
    order
}

/// Numbers of a walk through the tree whose root is the last node.
fn walk(immediate: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let root = immediate.len() - 1;
    let mut children = vec![Vec::new(); immediate.len()];
    for (node, &parent) in immediate.iter().enumerate() {
        if node != root && parent != NONE {
            children[parent as usize].push(node as u32);
        }
    }
    let (mut first, mut last) = (vec![0; immediate.len()], vec![0; immediate.len()]);
    let mut clock = 1;
    first[root] = clock;
    let mut stack = vec![(root, 0)];
    while let Some((at, position)) = stack.last_mut() {
        clock += 1;
        match children[*at].get(*position) {
            Some(&child) => {
                *position += 1;
                first[child as usize] = clock;
                stack.push((child as usize, 0));
            }
            None => {
                last[*at] = clock;
                stack.pop();
            }
        }
    }
    (first, last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gnomon_ir::cfa::{CfaBuilder, Edge, Op};
    use gnomon_ir::program::StmtId;
    use gnomon_ir::span::Span;

    /// Location 0 is the entry, 1 the exit.
    fn automaton(locs: u32, edges: &[(u32, u32)]) -> Cfa {
        let mut cfa = CfaBuilder::new();
        for _ in 2..locs {
            cfa.add_loc();
        }
        for &(from, to) in edges {
            let (from, to) = (LocId(from), LocId(to));
            cfa.add_edge(Edge { from, to, op: Op::Skip, span: Span::NONE, stmt: StmtId(1) });
        }
        cfa.finish()
    }

    /// By the definition: `later` is missed if the end is reached without it.
    fn by_search(cfa: &Cfa, may_end: &[bool], later: LocId, loc: LocId) -> bool {
        if later == loc {
            return true;
        }
        let mut seen = vec![false; cfa.loc_count()];
        let mut work = vec![loc];
        seen[loc.index()] = true;
        while let Some(at) = work.pop() {
            if at == cfa.exit() {
                return false;
            }
            for &edge in cfa.out_edges(at) {
                if may_end[edge.index()] {
                    return false;
                }
                let to = cfa.edge(edge).to;
                if to != later && !std::mem::replace(&mut seen[to.index()], true) {
                    work.push(to);
                }
            }
        }
        true
    }

    #[test]
    fn random_automata_agree_with_the_definition() {
        let mut state = 7u64;
        let mut next = move |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) % bound) as u32
        };
        let mut compared = 0;
        for _ in 0..400 {
            let locs = 3 + next(9);
            let mut edges: Vec<(u32, u32)> = (0..locs + next(u64::from(locs)))
                .map(|_| (next(u64::from(locs)), next(u64::from(locs))))
                .filter(|&(from, _)| from != 1)
                .collect();
            // Every location gets a path to the exit, so that no dummy edge is needed.
            edges.extend((0..locs).filter(|&l| l != 1).map(|l| (l, (l + 2).min(locs) % locs)));
            edges.extend((0..locs).filter(|&l| l > 1 && l + 2 >= locs).map(|l| (l, 1)));
            let cfa = automaton(locs, &edges);
            let may_end: Vec<bool> = cfa.edges().iter().map(|_| next(8) == 0).collect();
            let tree = Postdominators::new(&cfa, DeadEnds::End, |edge| may_end[edge.index()]);
            for later in cfa.locs() {
                for loc in cfa.locs().filter(|&l| !cfa.out_edges(l).is_empty()) {
                    let expected = by_search(&cfa, &may_end, later, loc);
                    assert_eq!(
                        tree.postdominates(later, loc),
                        expected,
                        "{later:?} {loc:?} {cfa:?}"
                    );
                    compared += 1;
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    #[test]
    fn an_endless_loop_ends_where_it_goes_back() {
        // 0 -> 2 -> {3, 4} -> 5 -> 2 for ever.
        let cfa = automaton(6, &[(0, 2), (2, 3), (2, 4), (3, 5), (4, 5), (5, 2)]);
        let (head, left, join) = (cfa.edge(cfa.out_edges(cfa.entry())[0]).to, LocId(3), LocId(5));
        let tree = Postdominators::new(&cfa, DeadEnds::End, |_| false);
        assert!(tree.postdominates(join, left));
        assert!(tree.postdominates(join, head));
        assert!(!tree.postdominates(head, join), "the loop ends here");
        assert!(!tree.postdominates(left, head));
    }
}
