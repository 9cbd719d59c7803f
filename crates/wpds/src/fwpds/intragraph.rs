//! One intragraph: its path expressions, and their incremental evaluation (LAL Figure 4.4).
//!
//! Every expression remembers its weight, when it was last looked at and when it last changed, in
//! ticks of a clock that counts changes of out-nodes. Only expressions above a changed out-node are
//! computed again. With differences (LAL 4.2.2), a sum or a product that saw all but the last change
//! of a child is updated by what that change added.

use rustc_hash::FxHashMap;

use crate::fwpds::expression::{Expr, ExprId, Expressions, ONE};
use crate::fwpds::path_expression::{FlowGraph, path_expressions};
use crate::fwpds::tdg::EdgeLabel;
use crate::ids::TransitionId;
use crate::semiring::{Semiring, Weighing, star};
use crate::shape::Direction;

/// What evaluation asks about the labels of edges.
pub(crate) trait Labels<S: Semiring> {
    /// The weight of a label now.
    fn weight(&self, label: EdgeLabel) -> Result<S::Weight, crate::WpdsError>;

    /// The tick at which the out-node of a label last changed.
    fn last_change(&self, out: TransitionId) -> u64;
}

/// What is remembered about one expression.
#[derive(Clone, Debug)]
struct Memo<W> {
    weight: Option<W>,
    /// What the last change added, if that is known.
    added: Option<W>,
    last_seen: u64,
    last_change: u64,
    /// The change before the last one.
    previous_change: u64,
}

impl<W> Memo<W> {
    fn new() -> Self {
        Self { weight: None, added: None, last_seen: 0, last_change: 0, previous_change: 0 }
    }
}

/// The edges of an intragraph between the root (0) and its members (from 1).
pub(crate) type LocalEdge = (u32, u32, EdgeLabel);

/// An intragraph with its expressions.
#[derive(Debug)]
pub(crate) struct Intragraph<S: Semiring> {
    labels: Vec<EdgeLabel>,
    expressions: Expressions,
    /// For each member, the expression of all paths from the root.
    paths: Vec<ExprId>,
    /// Whether an expression contains an out-node.
    open: Vec<bool>,
    memos: Vec<Memo<S::Weight>>,
}

impl<S: Semiring> Intragraph<S> {
    /// Finds the path expressions of the graph with these edges on `members` vertices and the root.
    /// Labels for which `vanishes` holds count as the empty path.
    pub(crate) fn new(
        members: usize,
        edges: &[LocalEdge],
        vanishes: impl Fn(EdgeLabel) -> bool,
    ) -> Self {
        let mut expressions = Expressions::new();
        let mut labels = Vec::new();
        let mut known: FxHashMap<EdgeLabel, ExprId> = FxHashMap::default();
        let mut graph = FlowGraph { vertices: members + 1, edges: Vec::with_capacity(edges.len()) };
        for &(from, to, label) in edges {
            let expr = match label {
                EdgeLabel::One => ONE,
                _ if vanishes(label) => ONE,
                _ => *known.entry(label).or_insert_with(|| {
                    labels.push(label);
                    expressions.leaf((labels.len() - 1) as u32)
                }),
            };
            graph.edges.push((from, to, expr));
        }
        let paths = path_expressions(&graph, &mut expressions);
        expressions.freeze();
        let mut open = vec![false; expressions.len()];
        for i in 0..expressions.len() {
            open[i] = match expressions.get(ExprId(i as u32)) {
                Expr::Zero | Expr::One => false,
                Expr::Leaf(label) => matches!(labels[label as usize], EdgeLabel::Summary { .. }),
                Expr::Union(a, b) | Expr::Concat(a, b) => open[a.0 as usize] || open[b.0 as usize],
                Expr::Star(a) => open[a.0 as usize],
            };
        }
        let memos = vec![Memo::new(); expressions.len()];
        Self { labels, expressions, paths, open, memos }
    }

    /// The expression of all paths from the root to a member (from 1).
    pub(crate) fn path(&self, member: u32) -> ExprId {
        self.paths[member as usize]
    }

    pub(crate) fn expr(&self, id: ExprId) -> Expr {
        self.expressions.get(id)
    }

    pub(crate) fn label(&self, leaf: u32) -> EdgeLabel {
        self.labels[leaf as usize]
    }

    pub(crate) fn expression_count(&self) -> usize {
        self.expressions.len()
    }

    /// The out-nodes in the expression of a member, each once, in order.
    pub(crate) fn out_nodes(&self, member: u32) -> Vec<TransitionId> {
        let mut outs = Vec::new();
        for id in self.below(self.path(member), |id| self.open[id.0 as usize]) {
            if let Expr::Leaf(label) = self.expr(id)
                && let EdgeLabel::Summary { out, .. } = self.labels[label as usize]
            {
                outs.push(out);
            }
        }
        outs.sort_unstable();
        outs.dedup();
        outs
    }

    /// The sub-expressions that `wanted` does not cut off, children before parents.
    pub(crate) fn below(&self, root: ExprId, wanted: impl Fn(ExprId) -> bool) -> Vec<ExprId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = Vec::new();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !wanted(id) || !seen.insert(id) {
                continue;
            }
            found.push(id);
            match self.expr(id) {
                Expr::Union(a, b) | Expr::Concat(a, b) => stack.extend([a, b]),
                Expr::Star(a) => stack.push(a),
                Expr::Zero | Expr::One | Expr::Leaf(_) => {}
            }
        }
        found.sort_unstable();
        found
    }

    /// Gives the out-nodes in the labels their new numbers.
    pub(crate) fn rename_out_nodes(&mut self, rename: impl Fn(TransitionId) -> TransitionId) {
        for label in &mut self.labels {
            if let EdgeLabel::Summary { out, .. } = label {
                *out = rename(*out);
            }
        }
    }

    /// Forgets the weights that depend on out-nodes: they may have become smaller.
    pub(crate) fn forget_open(&mut self) {
        for (memo, &open) in self.memos.iter_mut().zip(&self.open) {
            if open {
                *memo = Memo::new();
            }
        }
    }

    /// The weight of a member. `now` is the clock; it starts at 1.
    pub(crate) fn evaluate(
        &mut self,
        how: &Evaluation<'_, S>,
        labels: &impl Labels<S>,
        member: u32,
        now: u64,
    ) -> Result<S::Weight, crate::WpdsError> {
        let root = self.path(member);
        let stale = |id: ExprId| {
            let memo = &self.memos[id.0 as usize];
            memo.weight.is_none() || (self.open[id.0 as usize] && memo.last_seen != now)
        };
        for id in self.below(root, stale) {
            self.refresh(how, labels, id, now)?;
        }
        let weight = self.memos[root.0 as usize].weight.clone();
        Ok(weight.unwrap_or_else(|| how.domain.zero()))
    }

    /// One round of Figure 4.4; the children are up to date.
    fn refresh(
        &mut self,
        how: &Evaluation<'_, S>,
        labels: &impl Labels<S>,
        id: ExprId,
        now: u64,
    ) -> Result<(), crate::WpdsError> {
        let i = id.0 as usize;
        let seen = self.memos[i].last_seen;
        let first = self.memos[i].weight.is_none();
        let changed = |child: ExprId| self.memos[child.0 as usize].last_change;
        let computed = match self.expr(id) {
            Expr::Zero => Some((how.domain.zero(), 1)),
            Expr::One => Some((how.domain.one(), 1)),
            Expr::Leaf(label) => {
                let label = self.labels[label as usize];
                let change = match label {
                    EdgeLabel::Summary { out, .. } => labels.last_change(out).max(1),
                    _ => 1,
                };
                if first || change > seen { Some((labels.weight(label)?, change)) } else { None }
            }
            Expr::Union(a, b) | Expr::Concat(a, b) => {
                let change = changed(a).max(changed(b));
                if first || change > seen {
                    Some((self.binary(how, id, (a, b), seen)?, change))
                } else {
                    None
                }
            }
            Expr::Star(a) => {
                if first || changed(a) > seen {
                    let body = self.memos[a.0 as usize].weight.clone();
                    let body = body.unwrap_or_else(|| how.domain.zero());
                    Some((star(how.domain, &body)?, changed(a)))
                } else {
                    None
                }
            }
        };
        let memo = &mut self.memos[i];
        if let Some((weight, change)) = computed {
            let same = memo.weight.as_ref().is_some_and(|old| how.domain.equal(old, &weight));
            if !same {
                memo.added = match &memo.weight {
                    Some(old) if how.differential => how.domain.diff(&weight, old).transpose()?,
                    _ => None,
                };
                memo.previous_change = memo.last_change;
                memo.last_change = change;
                memo.weight = Some(weight);
            }
        }
        memo.last_seen = now;
        Ok(())
    }

    fn binary(
        &self,
        how: &Evaluation<'_, S>,
        id: ExprId,
        (a, b): (ExprId, ExprId),
        seen: u64,
    ) -> Weighing<S::Weight> {
        let zero = how.domain.zero();
        let of = |e: ExprId| self.memos[e.0 as usize].weight.as_ref().unwrap_or(&zero);
        let (x, y) = (of(a), of(b));
        let sum = matches!(self.expr(id), Expr::Union(..));
        if let Some(old) = &self.memos[id.0 as usize].weight
            && let Some(changes) = self.changes_since(seen, [a, b])
        {
            // What the children gained is all that can be new here.
            let mut total = old.clone();
            for (k, gained) in changes.into_iter().enumerate() {
                let Some(gained) = gained else { continue };
                let part = match (sum, k) {
                    (true, _) => gained.clone(),
                    (false, 0) => how.in_order(gained, y)?,
                    (false, _) => how.in_order(x, gained)?,
                };
                total = how.domain.combine(&total, &part)?;
            }
            return Ok(total);
        }
        if sum { how.domain.combine(x, y) } else { how.in_order(x, y) }
    }

    /// What each child gained since `seen`, if that is known for both.
    fn changes_since(&self, seen: u64, children: [ExprId; 2]) -> Option<[Option<&S::Weight>; 2]> {
        let gained = |child: ExprId| {
            let memo = &self.memos[child.0 as usize];
            if memo.last_change <= seen {
                return Some(None);
            }
            if memo.previous_change > seen || seen == 0 {
                return None;
            }
            memo.added.as_ref().map(Some)
        };
        Some([gained(children[0])?, gained(children[1])?])
    }
}

/// How expressions are turned into weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluation<'a, S> {
    pub(crate) domain: &'a S,
    pub(crate) direction: Direction,
    pub(crate) differential: bool,
}

impl<S: Semiring> Evaluation<'_, S> {
    /// The weight of a path expression `first . second`: backwards analyses read paths of the
    /// dependence graph against the direction of the program.
    pub(crate) fn in_order(&self, first: &S::Weight, second: &S::Weight) -> Weighing<S::Weight> {
        match self.direction {
            Direction::Forward => self.domain.extend(first, second),
            Direction::Backward => self.domain.extend(second, first),
        }
    }
}
