//! Path expressions from one source to every vertex (Tarjan 1981; LAL 4.1.1, the SSPE problem).
//!
//! The graph is taken apart along its dominator tree. For the children of a vertex, from the leaves
//! of the tree upwards, a derived graph says how they reach each other inside their subtrees; its
//! strongly connected components, in topological order, give the paths from the parent to each
//! child. A component of one vertex is a loop (its star); a larger one is an irreducible part and is
//! solved by elimination. Paths inside subtrees are found with path compression, so all expressions
//! together stay close to linear in the number of edges.

use crate::fwpds::components::strong_components;
use crate::fwpds::expression::{ExprId, Expressions, ONE, ZERO};
use crate::order::post_order;

/// A graph with expressions on its edges; vertex 0 is the source.
#[derive(Debug, Default)]
pub(crate) struct FlowGraph {
    pub(crate) vertices: usize,
    pub(crate) edges: Vec<(u32, u32, ExprId)>,
}

/// For every vertex, the expression of all paths from vertex 0 to it.
pub(crate) fn path_expressions(graph: &FlowGraph, expressions: &mut Expressions) -> Vec<ExprId> {
    let tree = DominatorTree::new(graph);
    let mut solver = Solver {
        expressions,
        forest: Forest::new(graph.vertices),
        steps: vec![ZERO; graph.vertices],
        incoming: group_by_target(graph),
        edges: &graph.edges,
        place: vec![u32::MAX; graph.vertices],
    };
    for &parent in tree.preorder.iter().rev() {
        solver.solve_children(parent, &tree.children[parent as usize]);
    }
    let steps = solver.steps;
    let mut paths = vec![ZERO; graph.vertices];
    paths[0] = ONE;
    for &v in &tree.preorder[1..] {
        let parent = tree.parent[v as usize];
        paths[v as usize] = expressions.concat(paths[parent as usize], steps[v as usize]);
    }
    paths
}

fn group_by_target(graph: &FlowGraph) -> Vec<Vec<u32>> {
    let mut incoming = vec![Vec::new(); graph.vertices];
    for (i, &(_, to, _)) in graph.edges.iter().enumerate() {
        incoming[to as usize].push(i as u32);
    }
    incoming
}

/// Immediate dominators, by the iteration of Cooper, Harvey and Kennedy over a reverse post-order.
struct DominatorTree {
    parent: Vec<u32>,
    children: Vec<Vec<u32>>,
    preorder: Vec<u32>,
}

impl DominatorTree {
    fn new(graph: &FlowGraph) -> Self {
        let mut successors = vec![Vec::new(); graph.vertices];
        let mut predecessors = vec![Vec::new(); graph.vertices];
        for &(from, to, _) in &graph.edges {
            successors[from as usize].push(to);
            predecessors[to as usize].push(from);
        }
        let order: Vec<u32> =
            post_order(&successors, std::iter::once(0)).into_iter().rev().collect();
        const UNKNOWN: u32 = u32::MAX;
        let mut place = vec![UNKNOWN; graph.vertices];
        for (i, &v) in order.iter().enumerate() {
            place[v as usize] = i as u32;
        }
        // Dominators by place in the order.
        let mut dominator = vec![UNKNOWN; order.len()];
        dominator[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for (i, &v) in order.iter().enumerate().skip(1) {
                let mut new = UNKNOWN;
                for &p in &predecessors[v as usize] {
                    let p = place[p as usize];
                    if p == UNKNOWN || dominator[p as usize] == UNKNOWN {
                        continue;
                    }
                    new = if new == UNKNOWN { p } else { meet(&dominator, new, p) };
                }
                if dominator[i] != new {
                    dominator[i] = new;
                    changed = true;
                }
            }
        }
        let mut parent = vec![UNKNOWN; graph.vertices];
        let mut children = vec![Vec::new(); graph.vertices];
        for (i, &v) in order.iter().enumerate().skip(1) {
            let up = order[dominator[i] as usize];
            parent[v as usize] = up;
            children[up as usize].push(v);
        }
        let mut preorder = Vec::with_capacity(order.len());
        let mut stack = vec![0];
        while let Some(v) = stack.pop() {
            preorder.push(v);
            stack.extend(children[v as usize].iter().rev());
        }
        Self { parent, children, preorder }
    }
}

/// The nearest common ancestor in the dominator tree; positions decrease towards the root.
fn meet(dominator: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = dominator[a as usize];
        }
        while b > a {
            b = dominator[b as usize];
        }
    }
    a
}

/// Subtrees of the dominator tree that are already linked, with path compression.
struct Forest {
    up: Vec<u32>,
    /// The expression from `up` to the vertex.
    along: Vec<ExprId>,
}

impl Forest {
    fn new(vertices: usize) -> Self {
        Self { up: (0..vertices as u32).collect(), along: vec![ONE; vertices] }
    }

    fn link(&mut self, child: u32, parent: u32, step: ExprId) {
        self.up[child as usize] = parent;
        self.along[child as usize] = step;
    }

    /// The root of the tree that `v` is in, and the expression from the root to `v`.
    fn find(&mut self, v: u32, expressions: &mut Expressions) -> (u32, ExprId) {
        let mut path = Vec::new();
        let mut at = v;
        while self.up[at as usize] != at {
            path.push(at);
            at = self.up[at as usize];
        }
        let root = at;
        // From the root downwards: every vertex on the way hangs directly below the root then.
        let mut whole = ONE;
        for &w in path.iter().rev() {
            whole = expressions.concat(whole, self.along[w as usize]);
            self.along[w as usize] = whole;
            self.up[w as usize] = root;
        }
        (root, whole)
    }
}

struct Solver<'a> {
    expressions: &'a mut Expressions,
    forest: Forest,
    /// For each vertex, the paths from its immediate dominator to it.
    steps: Vec<ExprId>,
    incoming: Vec<Vec<u32>>,
    edges: &'a [(u32, u32, ExprId)],
    /// The position of a vertex among the children that are being solved.
    place: Vec<u32>,
}

impl Solver<'_> {
    fn solve_children(&mut self, parent: u32, children: &[u32]) {
        for (i, &child) in children.iter().enumerate() {
            self.place[child as usize] = i as u32;
        }
        let mut direct = vec![ZERO; children.len()];
        // Edges of the derived graph, by target: `(source, expression)`.
        let mut derived: Vec<Vec<(u32, ExprId)>> = vec![Vec::new(); children.len()];
        for (i, &child) in children.iter().enumerate() {
            for k in 0..self.incoming[child as usize].len() {
                let (from, _, label) = self.edges[self.incoming[child as usize][k] as usize];
                if from == parent {
                    direct[i] = self.expressions.union(direct[i], label);
                    continue;
                }
                let (root, inside) = self.forest.find(from, self.expressions);
                // An unreachable source is in no subtree.
                let Some(&source) = self.place.get(root as usize).filter(|&&p| p != u32::MAX)
                else {
                    continue;
                };
                let step = self.expressions.concat(inside, label);
                match derived[i].iter_mut().find(|(s, _)| *s == source) {
                    Some((_, known)) => *known = self.expressions.union(*known, step),
                    None => derived[i].push((source, step)),
                }
            }
        }
        let mut successors = vec![Vec::new(); children.len()];
        for (target, sources) in derived.iter().enumerate() {
            for &(source, _) in sources {
                successors[source as usize].push(target as u32);
            }
        }
        let mut solution = vec![ZERO; children.len()];
        // Components come with their predecessors before them.
        for component in strong_components(&successors).into_iter().rev() {
            self.solve_component(&component, &direct, &derived, &mut solution);
        }
        for (i, &child) in children.iter().enumerate() {
            self.place[child as usize] = u32::MAX;
            self.steps[child as usize] = solution[i];
            self.forest.link(child, parent, solution[i]);
        }
    }

    /// Solves `x_v = b_v ∪ ⋃ x_u · a_uv` for the vertices of one component, where `b_v` is what comes
    /// from the parent and from components before.
    fn solve_component(
        &mut self,
        component: &[u32],
        direct: &[ExprId],
        derived: &[Vec<(u32, ExprId)>],
        solution: &mut [ExprId],
    ) {
        let size = component.len();
        let inside = |v: u32| component.iter().position(|&c| c == v);
        let mut start = vec![ZERO; size];
        let mut matrix = vec![vec![ZERO; size]; size];
        for (j, &v) in component.iter().enumerate() {
            start[j] = direct[v as usize];
            for &(source, step) in &derived[v as usize] {
                match inside(source) {
                    Some(i) => matrix[i][j] = self.expressions.union(matrix[i][j], step),
                    None => {
                        let through = self.expressions.concat(solution[source as usize], step);
                        start[j] = self.expressions.union(start[j], through);
                    }
                }
            }
        }
        // Forwards: eliminate one vertex after another from the equations of the later ones.
        for k in 0..size {
            let around = self.expressions.star(matrix[k][k]);
            start[k] = self.expressions.concat(start[k], around);
            let (done, later) = matrix.split_at_mut(k + 1);
            for row in later.iter_mut() {
                row[k] = self.expressions.concat(row[k], around);
            }
            for j in k + 1..size {
                let step = done[k][j];
                let from_start = self.expressions.concat(start[k], step);
                start[j] = self.expressions.union(start[j], from_start);
                for row in later.iter_mut() {
                    let through = self.expressions.concat(row[k], step);
                    row[j] = self.expressions.union(row[j], through);
                }
            }
        }
        // Backwards: put the solutions of the later ones into the earlier.
        for k in (0..size).rev() {
            for i in k + 1..size {
                let more = self.expressions.concat(start[i], matrix[i][k]);
                start[k] = self.expressions.union(start[k], more);
            }
        }
        for (j, &v) in component.iter().enumerate() {
            solution[v as usize] = start[j];
        }
    }
}
