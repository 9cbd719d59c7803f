//! Putting a [`Model`] together.
//!
//! Lowerings add procedures, variables, points and edges in any order; [`ModelBuilder::finish`]
//! sorts the edges by their source and renumbers the variables so that globals come first.

use super::{
    Action, Concurrency, Edge, ExprArena, Model, Point, PointId, PointKind, ProcId, Procedure,
    Step, VarId, Variable,
};
use crate::source::Span;

/// A model under construction.
#[derive(Debug, Default)]
pub struct ModelBuilder {
    variables: Vec<Variable>,
    globals: u32,
    procedures: Vec<Procedure>,
    points: Vec<Point>,
    edges: Vec<Edge>,
    /// The expressions, to be used freely.
    pub exprs: ExprArena,
    /// See [`Model::initial`].
    pub initial: Vec<(VarId, bool)>,
}

fn narrow(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32 items")
}

impl ModelBuilder {
    /// Adds a global. All globals come before the first procedure.
    pub fn global(&mut self, name: impl Into<String>, span: Span) -> VarId {
        assert!(self.procedures.is_empty(), "globals are declared before procedures");
        self.globals += 1;
        self.variable(name.into(), None, span)
    }

    /// The globals so far.
    pub fn global_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.globals).map(VarId)
    }

    fn variable(&mut self, name: String, owner: Option<ProcId>, span: Span) -> VarId {
        let id = VarId(narrow(self.variables.len()));
        self.variables.push(Variable { name, owner, span });
        id
    }

    /// Adds a procedure; its entry is set later.
    pub fn procedure(&mut self, name: impl Into<String>, results: u32, span: Span) -> ProcId {
        let id = ProcId(narrow(self.procedures.len()));
        self.procedures.push(Procedure {
            name: name.into(),
            parameters: Vec::new(),
            locals: Vec::new(),
            results,
            entry: PointId(0),
            points: Vec::new(),
            span,
        });
        id
    }

    /// Adds a local variable.
    pub fn local(&mut self, owner: ProcId, name: impl Into<String>, span: Span) -> VarId {
        let id = self.variable(name.into(), Some(owner), span);
        self.procedures[owner.index()].locals.push(id);
        id
    }

    /// Adds a parameter.
    pub fn parameter(&mut self, owner: ProcId, name: impl Into<String>, span: Span) -> VarId {
        let id = self.local(owner, name, span);
        self.procedures[owner.index()].parameters.push(id);
        id
    }

    /// Sets where a procedure starts.
    pub fn set_entry(&mut self, procedure: ProcId, entry: PointId) {
        self.procedures[procedure.index()].entry = entry;
    }

    /// The procedure so far.
    pub fn get(&self, procedure: ProcId) -> &Procedure {
        &self.procedures[procedure.index()]
    }

    /// Adds a point.
    pub fn point(
        &mut self,
        procedure: ProcId,
        kind: PointKind,
        text: impl Into<String>,
        span: Span,
    ) -> PointId {
        let id = PointId(narrow(self.points.len()));
        let labels = Vec::new();
        self.points.push(Point { procedure, kind, text: text.into(), labels, span });
        self.procedures[procedure.index()].points.push(id);
        id
    }

    /// Adds a label to a point.
    pub fn label(&mut self, point: PointId, label: impl Into<String>) {
        self.points[point.index()].labels.push(label.into());
    }

    /// Adds an edge.
    pub fn edge(&mut self, from: PointId, to: PointId, action: Action) {
        self.edges.push(Edge { from, to, action });
    }

    /// Adds a step.
    pub fn step(&mut self, from: PointId, to: PointId, step: Step) {
        self.edge(from, to, Action::Step(step));
    }

    /// Lets executions of a procedure go on only while `invariant` can hold: it is checked at the
    /// entry, after each assignment and after each call.
    pub fn enforce(&mut self, procedure: ProcId, invariant: super::ExprId) {
        let span = self.get(procedure).span;
        let mine = |b: &Self, e: &Edge| b.points[e.from.index()].procedure == procedure;
        for i in 0..self.edges.len() {
            let changes = match &self.edges[i].action {
                Action::Step(step) => !step.assignments.is_empty(),
                Action::Call { .. } => true,
                Action::Return { .. } | Action::Thread(_) => false,
            };
            if changes && mine(self, &self.edges[i]) {
                let check = self.point(procedure, PointKind::Internal, "enforce", span);
                let after = std::mem::replace(&mut self.edges[i].to, check);
                self.step(check, after, Step::assume(invariant));
            }
        }
        let entry = self.point(procedure, PointKind::Internal, "enforce", span);
        let first = self.get(procedure).entry;
        self.step(entry, first, Step::assume(invariant));
        self.set_entry(procedure, entry);
    }

    /// The model that starts at `main`.
    pub fn finish(mut self, main: ProcId, concurrency: Concurrency) -> Model {
        self.edges.sort_by_key(|e| e.from);
        let mut outgoing = vec![(0, 0); self.points.len()];
        for (i, edge) in self.edges.iter().enumerate() {
            let range = &mut outgoing[edge.from.index()];
            if range.0 == range.1 {
                range.0 = narrow(i);
            }
            range.1 = narrow(i + 1);
        }
        Model {
            variables: self.variables,
            globals: self.globals,
            procedures: self.procedures,
            main,
            points: self.points,
            edges: self.edges,
            outgoing,
            exprs: self.exprs,
            initial: self.initial,
            concurrency,
        }
    }
}
