//! The model every dialect is lowered to: procedures over Boolean variables, with points and edges.
//!
//! It is the Boolean program of LAL 2.2 with parameters and results kept as such: an edge is a
//! [`Step`] (a relation between the values before and after), a call, a return, or an operation on
//! threads. The state of a running procedure is a valuation of the globals and of its own locals;
//! a call evaluates the arguments, starts the callee with its parameters set and its other locals
//! arbitrary, and when the callee returns puts the returned values into the caller's variables.
//! Branch conditions are guards on edges; a failed assertion is an edge to a point of kind
//! [`PointKind::AssertionFailure`], so every question about a program is the reachability of
//! points.
//!
//! Ids are dense: variables are numbered globals first, then locals by procedure; all lists are in
//! source order, so everything computed from them is deterministic.

mod builder;
mod expr;

pub use builder::ModelBuilder;
pub use expr::{Expr, ExprArena, ExprId, FALSE, TRUE, ValueSet};

use crate::source::Span;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A variable of a [`Model`].
    VarId
);
id!(
    /// A procedure of a [`Model`].
    ProcId
);
id!(
    /// A point of a [`Model`].
    PointId
);
id!(
    /// An edge of a [`Model`].
    EdgeId
);

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name; bits of wider variables are called `x.0`, `x.1`, ...
    pub name: String,
    /// The procedure it is local to, or `None` for a global.
    pub owner: Option<ProcId>,
    /// Where it is declared.
    pub span: Span,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// The locals that a call sets, in order.
    pub parameters: Vec<VarId>,
    /// All locals, parameters included.
    pub locals: Vec<VarId>,
    /// How many values it returns.
    pub results: u32,
    /// Where it starts.
    pub entry: PointId,
    /// Its points in source order.
    pub points: Vec<PointId>,
    /// Where it is defined.
    pub span: Span,
}

/// Why a point exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// In front of a statement of the source.
    Statement,
    /// Made by the lowering; people do not see it.
    Internal,
    /// Reached when an assertion is violated. Has no outgoing edges.
    AssertionFailure,
    /// Behind the last statement of a procedure.
    End,
}

/// A point of control.
#[derive(Clone, Debug)]
pub struct Point {
    /// The procedure it belongs to.
    pub procedure: ProcId,
    /// Why it exists.
    pub kind: PointKind,
    /// The statement it stands in front of.
    pub text: String,
    /// The labels of that statement.
    pub labels: Vec<String>,
    /// The place of that statement.
    pub span: Span,
}

/// A relation between the values before and after: where `guard` can hold, the variables assigned
/// take one of the values of their expressions (all evaluated before), the others keep theirs, and
/// `constraint` can hold over both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Condition on the values before.
    pub guard: ExprId,
    /// Parallel assignment; each variable at most once, sorted by variable.
    pub assignments: Vec<(VarId, ExprId)>,
    /// Condition on both.
    pub constraint: ExprId,
    /// Assignments to the copies of locals in all other threads (`x$` of the broadcast dialect).
    pub in_other_threads: Vec<(VarId, ExprId)>,
}

impl Step {
    /// Does nothing.
    pub fn skip() -> Self {
        Self::assume(TRUE)
    }

    /// Passes only where `guard` can hold.
    pub fn assume(guard: ExprId) -> Self {
        Self { guard, assignments: Vec::new(), constraint: TRUE, in_other_threads: Vec::new() }
    }

    /// A parallel assignment. If a variable occurs twice the last value counts.
    pub fn assign(assignments: Vec<(VarId, ExprId)>) -> Self {
        let mut step = Self::skip();
        for (variable, value) in assignments {
            match step.assignments.binary_search_by_key(&variable, |a| a.0) {
                Ok(i) => step.assignments[i].1 = value,
                Err(i) => step.assignments.insert(i, (variable, value)),
            }
        }
        step
    }

    /// The value assigned to a variable, if it is assigned.
    pub fn value_of(&self, variable: VarId) -> Option<ExprId> {
        let at = self.assignments.binary_search_by_key(&variable, |a| a.0).ok()?;
        Some(self.assignments[at].1)
    }

    /// All expressions in it.
    pub fn expressions(&self) -> Vec<ExprId> {
        let values = self.assignments.iter().chain(&self.in_other_threads).map(|a| a.1);
        [self.guard, self.constraint].into_iter().chain(values).collect()
    }
}

/// What an edge does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Stays in the procedure.
    Step(Step),
    /// Calls; the edge leads to the point of return.
    Call {
        /// Who is called.
        callee: ProcId,
        /// One value for each parameter.
        arguments: Vec<ExprId>,
        /// One place for each result; `None` discards it.
        results: Vec<Option<VarId>>,
    },
    /// Leaves the procedure; the edge leads nowhere (its target is its source).
    Return {
        /// One value for each result.
        values: Vec<ExprId>,
    },
    /// An operation on threads.
    Thread(ThreadAction),
}

/// Operations on threads; the sequential analyses refuse programs in which they matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThreadAction {
    /// A copy of this thread goes on at a point of the same procedure.
    StartAt(PointId),
    /// A new thread calls a procedure.
    StartCall {
        /// Who runs.
        callee: ProcId,
        /// One value for each parameter.
        arguments: Vec<ExprId>,
    },
    /// This thread ends.
    End,
    /// Meets the other threads at a point.
    Sync(PointId),
    /// No other thread runs from here on.
    AtomicBegin,
    /// Other threads may run again.
    AtomicEnd,
    /// Waits for a broadcast.
    Wait,
    /// Wakes all who wait.
    Broadcast,
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: PointId,
    /// Where it leads.
    pub to: PointId,
    /// What it does.
    pub action: Action,
}

/// How threads come into being.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concurrency {
    /// There is one thread.
    Sequential,
    /// Statements start threads.
    Started,
    /// Getafix: `init` runs first, then these procedures run at the same time.
    InitThenThreads(Vec<ProcId>),
    /// These procedures run at the same time from the start (several pushdown systems).
    Parallel(Vec<ProcId>),
}

/// A program.
#[derive(Clone, Debug)]
pub struct Model {
    /// All variables, globals first.
    pub variables: Vec<Variable>,
    /// How many of them are global.
    pub globals: u32,
    /// All procedures.
    pub procedures: Vec<Procedure>,
    /// Where execution starts.
    pub main: ProcId,
    /// All points.
    pub points: Vec<Point>,
    /// All edges, grouped by source point in source order.
    pub edges: Vec<Edge>,
    /// For each point the range of its outgoing edges.
    outgoing: Vec<(u32, u32)>,
    /// All expressions.
    pub exprs: ExprArena,
    /// Globals with a fixed first value; the others start with any.
    pub initial: Vec<(VarId, bool)>,
    /// Whether and how there are several threads.
    pub concurrency: Concurrency,
}

impl Model {
    /// The variable behind an id.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.index()]
    }

    /// The procedure behind an id.
    pub fn procedure(&self, id: ProcId) -> &Procedure {
        &self.procedures[id.index()]
    }

    /// The point behind an id.
    pub fn point(&self, id: PointId) -> &Point {
        &self.points[id.index()]
    }

    /// The edge behind an id.
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.index()]
    }

    /// All edges with their ids.
    pub fn edges(&self) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.edges.iter().enumerate().map(|(i, e)| (EdgeId(i as u32), e))
    }

    /// The edges that leave a point.
    pub fn outgoing(&self, point: PointId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        let (start, end) = self.outgoing[point.index()];
        (start..end).map(|i| (EdgeId(i), &self.edges[i as usize]))
    }

    /// The ids of all points.
    pub fn point_ids(&self) -> impl Iterator<Item = PointId> + use<> {
        (0..self.points.len() as u32).map(PointId)
    }

    /// The ids of all procedures.
    pub fn procedure_ids(&self) -> impl Iterator<Item = ProcId> + use<> {
        (0..self.procedures.len() as u32).map(ProcId)
    }

    /// The global variables.
    pub fn global_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.globals).map(VarId)
    }

    /// Globals and the locals of a procedure.
    pub fn scope(&self, procedure: ProcId) -> Vec<VarId> {
        self.global_ids().chain(self.procedure(procedure).locals.iter().copied()).collect()
    }

    /// The points that carry a label, `name` or `procedure.name`.
    pub fn labelled(&self, label: &str) -> Vec<PointId> {
        let matches = |id: &PointId| {
            let point = self.point(*id);
            let procedure = &self.procedure(point.procedure).name;
            point.labels.iter().any(|l| {
                l == label
                    || label
                        .strip_prefix(procedure.as_str())
                        .and_then(|rest| rest.strip_prefix('.'))
                        .is_some_and(|rest| rest == l)
            })
        };
        self.point_ids().filter(matches).collect()
    }

    /// The points reached by violated assertions.
    pub fn assertion_failures(&self) -> Vec<PointId> {
        self.point_ids().filter(|p| self.point(*p).kind == PointKind::AssertionFailure).collect()
    }

    /// Adds a point like another one, without edges.
    pub(crate) fn add_point_like(&mut self, point: PointId) -> PointId {
        let id = PointId(self.points.len() as u32);
        let like = self.points[point.index()].clone();
        self.procedures[like.procedure.index()].points.push(id);
        self.points.push(Point { labels: Vec::new(), ..like });
        self.outgoing.push((0, 0));
        id
    }

    /// Makes everything that leads to `point` lead to `instead`.
    pub(crate) fn redirect(&mut self, point: PointId, instead: PointId) {
        for edge in &mut self.edges {
            let leads = !matches!(edge.action, Action::Return { .. });
            if leads && edge.to == point {
                edge.to = instead;
            }
        }
        for procedure in &mut self.procedures {
            if procedure.entry == point {
                procedure.entry = instead;
            }
        }
    }

    /// Adds a point through which everything that led to `point` now goes; the edge from the new
    /// point on is left to the caller.
    pub(crate) fn add_point_in_front(&mut self, point: PointId) -> PointId {
        let id = self.add_point_like(point);
        self.points[id.index()].kind = PointKind::Internal;
        self.redirect(point, id);
        id
    }

    /// Adds edges that start at points added after all others; the numbers of old edges stay.
    pub(crate) fn append_edges(&mut self, mut edges: Vec<Edge>) {
        edges.sort_by_key(|e| e.from);
        for edge in edges {
            let at = self.edges.len() as u32;
            let range = &mut self.outgoing[edge.from.index()];
            *range = if range.0 == range.1 { (at, at + 1) } else { (range.0, at + 1) };
            self.edges.push(edge);
        }
    }
}
