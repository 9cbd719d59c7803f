//! Operands whose order C leaves open, where it may matter.
//!
//! The model evaluates from left to right, the user's compiler may not. Where one operand writes what
//! another reads or writes, the front end leaves a note. If the automaton makes steps in at most one
//! of the operands, the others only write: so at every edge of such a statement, before and behind
//! it, nothing is taken for known that an operand writes, and what one of them may learn all of them
//! may store. That covers every order. If there are several such operands, the analysis says nothing
//! of the program.

use std::collections::BTreeSet;

use gnomon_flow::sparse_set::SparseSet;
use gnomon_ir::cfa::{Callee, Cfa, EdgeId, Op};
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
}

impl Orders {
    /// Finds them; `None` if the order of steps of the automaton is open.
    pub fn find(world: &World<'_>) -> Option<Self> {
        let mut found = Self::default();
        let program = world.program;
        if program.open_orders.is_empty() {
            // Without the places, nothing is known of the orders.
            let noted = program.notes.iter().any(|note| note.kind == Note::EVALUATION_ORDER);
            return (!noted).then_some(found);
        }
        let mut missing: BTreeSet<&OpenOrder> = program.open_orders.iter().collect();
        for (func, function) in program.funcs.iter_ids() {
            let Some(body) = &function.body else { continue };
            let own: BTreeSet<StmtId> = body.edges().iter().map(|edge| edge.stmt).collect();
            for order in &program.open_orders {
                let around = |stmt: &&StmtId| contains(program.stmts[**stmt].span, order.span);
                for &stmt in own.iter().filter(around) {
                    missing.remove(order);
                    found.add(world, func, body, stmt, order)?;
                }
            }
        }
        missing.is_empty().then_some(found)
    }

    fn add(
        &mut self,
        world: &World<'_>,
        func: FuncId,
        body: &Cfa,
        stmt: StmtId,
        order: &OpenOrder,
    ) -> Option<()> {
        let here = || body.edges().iter_ids().filter(|(_, edge)| edge.stmt == stmt);
        // Calls at which the automaton makes a step itself.
        let steps: BTreeSet<Span> = here()
            .filter(|(_, edge)| is_step(world, &edge.op))
            .map(|(_, edge)| edge.span)
            .collect();
        let mut makes_steps: BTreeSet<Option<FuncId>> = BTreeSet::new();
        let together = self.statements.entry((func, stmt)).or_default();
        for (id, edge) in here() {
            match &edge.op {
                Op::Call(call) => {
                    let callee = match call.callee {
                        Callee::Direct(callee) => Some(callee),
                        Callee::Indirect(_) => None,
                    };
                    let called = world.called(func, id, call);
                    if !called.watched.is_empty()
                        || !called.callbacks.is_empty()
                        || steps.contains(&edge.span)
                    {
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
        (order.operands.iter().filter(steps_of).count() <= 1).then_some(())
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
        if fact.holders.any(|cell| together.reads.contains(cell)) {
            world.add_holders(&mut fact, &together.writes);
        }
        fact
    }
}

/// Whether the automaton makes a step.
fn is_step(world: &World<'_>, op: &Op) -> bool {
    let Op::Assign { dst, .. } = op else { return false };
    match world.program.exprs.place(*dst).kind {
        PlaceKind::Var(var) => {
            world.ghosts.contains(&var) || world.automaton.tracked == Some(var)
        }
        _ => false,
    }
}

/// Whether one part of the source lies in another.
fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file
        && !inner.is_none()
        && (outer.line, outer.column) <= (inner.line, inner.column)
        && (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
}
