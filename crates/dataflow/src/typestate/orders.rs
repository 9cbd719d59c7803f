//! Operands whose order C leaves open, where it may matter.
//!
//! The model evaluates from left to right, the user's compiler may not. Where one operand writes what
//! another reads or writes, the front end leaves a note. If the automaton makes steps in at most one
//! of the operands, the others only write: so at every edge of such a statement, before and behind
//! it, nothing is taken for known that an operand writes, and what one of them may learn all of them
//! may store. That covers every order. If there are several such operands, what is known anywhere in
//! the statement may also be so everywhere else in it, outside of events. The front end says nothing
//! of calls that only the automaton relates (`fgetc(f) + fclose(f)`), but the weave does: such
//! statements are treated like that too.

use std::collections::BTreeSet;
use std::rc::Rc;

use gnomon_flow::sparse_set::SparseSet;
use gnomon_ir::cfa::{Callee, Cfa, Edge, EdgeId, LocId, Op};
use gnomon_ir::expr::PlaceKind;
use gnomon_ir::program::{FuncId, Note, OpenOrder, Program, StmtId};
use gnomon_ir::span::Span;
use rustc_hash::FxHashMap;

use super::fact::Fact;
use super::world::World;

/// What the operands of one statement do together.
#[derive(Debug, Default)]
struct Together {
    writes: SparseSet,
    reads: SparseSet,
}

/// All such statements.
#[derive(Debug, Default)]
pub(super) struct Orders {
    statements: FxHashMap<(FuncId, StmtId), Together>,
    /// The locations of statements in which the automaton makes steps in no order.
    spread: FxHashMap<(FuncId, LocId), Rc<[LocId]>>,
}

impl Orders {
    /// Finds them; `None` if the program does not say where they are.
    pub fn find(world: &World<'_>) -> Option<Self> {
        let mut found = Self::default();
        let program = world.program;
        // Without the places, nothing is known of the orders.
        let noted = program.notes.iter().any(|note| note.kind == Note::EVALUATION_ORDER);
        if noted && program.open_orders.is_empty() {
            return None;
        }
        for &(func, stmt) in &world.automaton.unordered {
            let Some(body) = &program.funcs[func].body else { continue };
            found.spread_over(&Statement::new(world, func, body, stmt));
        }
        for (func, function) in program.funcs.iter_ids() {
            let Some(body) = &function.body else { continue };
            for order in &program.open_orders {
                // The statement around it; where its head is not all of it, who shares a line.
                let near = |edge: &&Edge| {
                    contains(program.stmts[edge.stmt].span, order.span)
                        || meets(edge.span, order.span)
                };
                let own: BTreeSet<StmtId> =
                    body.edges().iter().filter(near).map(|edge| edge.stmt).collect();
                for stmt in own {
                    found.add(world, func, body, stmt, order);
                }
            }
        }
        Some(found)
    }

    fn add(
        &mut self,
        world: &World<'_>,
        func: FuncId,
        body: &Cfa,
        stmt: StmtId,
        order: &OpenOrder,
    ) {
        let statement = Statement::new(world, func, body, stmt);
        let mut makes_steps: BTreeSet<Option<FuncId>> = BTreeSet::new();
        let together = self.statements.entry((func, stmt)).or_default();
        for &id in &statement.edges {
            let edge = body.edge(id);
            match &edge.op {
                Op::Call(call) => {
                    let callee = match call.callee {
                        Callee::Direct(callee) => Some(callee),
                        Callee::Indirect(_) => None,
                    };
                    let called = world.called(func, id, call);
                    if statement.events.contains(&id) {
                        makes_steps.insert(callee);
                    }
                    if order.operands.iter().any(|operand| operand.contains(&callee)) {
                        together.writes.union_with(&called.effects.writes);
                        together.reads.union_with(&called.effects.reads);
                    }
                }
                Op::Assign { dst, src } if !is_step(world, &edge.op) => {
                    together.writes.union_with(&world.cells(*dst));
                    together.reads.union_with(&world.reads(*src));
                }
                _ => {}
            }
        }
        together.writes.retain(|cell| !world.own_cells.contains(cell));
        let steps_of = |operand: &&Vec<Option<FuncId>>| {
            operand.iter().any(|callee| makes_steps.contains(callee))
        };
        if order.operands.iter().filter(steps_of).count() <= 1 {
            return;
        }
        self.spread_over(&statement);
    }

    /// What is so anywhere in a statement may be so everywhere.
    fn spread_over(&mut self, statement: &Statement<'_>) {
        let mut group = statement.locations();
        for loc in group.clone() {
            if let Some(other) = self.spread.get(&(statement.func, loc)) {
                group.extend(other.iter());
            }
        }
        let group: Rc<[LocId]> = group.into_iter().collect::<Vec<_>>().into();
        for &loc in group.iter() {
            self.spread.insert((statement.func, loc), group.clone());
        }
    }

    /// Where else a fact holds that holds here.
    pub fn elsewhere(&self, func: FuncId, loc: LocId) -> Option<Rc<[LocId]>> {
        self.spread.get(&(func, loc)).cloned()
    }

    /// What holds whatever other operands have done already.
    pub fn weakened(&self, world: &World<'_>, func: FuncId, edge: EdgeId, mut fact: Fact) -> Fact {
        if self.statements.is_empty() {
            return fact;
        }
        let body = world.program.funcs[func].body.as_ref();
        let stmt = body.map_or(Program::NO_STMT, |body| body.edge(edge).stmt);
        let Some(together) = self.statements.get(&(func, stmt)) else { return fact };
        fact.retain(|e| !world.reads(e).intersects(&together.writes));
        fact.soil(|cell| together.writes.contains(cell));
        if fact.holders.any(|cell| together.reads.contains(cell)) {
            world.add_holders(&mut fact, &together.writes);
        }
        fact
    }
}

/// The edges of one statement.
struct Statement<'p> {
    func: FuncId,
    body: &'p Cfa,
    edges: Vec<EdgeId>,
    /// Calls at which, or in which, something happens to the automaton.
    events: BTreeSet<EdgeId>,
    /// Edges that the automaton put there.
    inserted: BTreeSet<EdgeId>,
}

impl<'p> Statement<'p> {
    fn new(world: &World<'p>, func: FuncId, body: &'p Cfa, stmt: StmtId) -> Self {
        let edges = body.edges().iter_ids().filter(|(_, edge)| edge.stmt == stmt);
        let edges: Vec<EdgeId> = edges.map(|(id, _)| id).collect();
        let is_at_event = |id: &&EdgeId| {
            is_step(world, &body.edge(**id).op) || world.automaton.sites.contains(&(func, **id))
        };
        let spans: BTreeSet<Span> =
            edges.iter().filter(is_at_event).map(|&id| body.edge(id).span).collect();
        let is_event = |id: &EdgeId| {
            let edge = body.edge(*id);
            let Op::Call(call) = &edge.op else { return false };
            let called = world.called(func, *id, call);
            !called.watched.is_empty() || !called.callbacks.is_empty() || spans.contains(&edge.span)
        };
        let events = edges.iter().copied().filter(is_event).collect();
        let is_inserted = |id: &EdgeId| world.automaton.inserted.contains(&(func, *id));
        let inserted = edges.iter().copied().filter(is_inserted).collect();
        Self { func, body, edges, events, inserted }
    }

    /// Where it can be outside of events.
    fn locations(&self) -> BTreeSet<LocId> {
        let ends = self.edges.iter().map(|&id| self.body.edge(id));
        let all: BTreeSet<LocId> = ends.flat_map(|edge| [edge.from, edge.to]).collect();
        let is_within = |loc: &LocId| {
            let mut around = self.body.in_edges(*loc).iter().chain(self.body.out_edges(*loc));
            let spans = around.clone().map(|&id| self.body.edge(id).span).collect::<BTreeSet<_>>();
            around.all(|id| self.inserted.contains(id)) && spans.len() == 1
        };
        all.into_iter().filter(|loc| !is_within(loc)).collect()
    }
}

/// Whether the automaton makes a step.
fn is_step(world: &World<'_>, op: &Op) -> bool {
    let Op::Assign { dst, .. } = op else { return false };
    match world.program.exprs.place(*dst).kind {
        PlaceKind::Var(var) => world.ghosts.contains(&var) || world.automaton.tracked == Some(var),
        _ => false,
    }
}

/// Whether two parts of the source have a line in common.
fn meets(a: Span, b: Span) -> bool {
    a.file == b.file && !a.is_none() && a.line <= b.end_line && b.line <= a.end_line
}

/// Whether one part of the source lies in another.
fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file
        && !inner.is_none()
        && (outer.line, outer.column) <= (inner.line, inner.column)
        && (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
}
