//! Mod-ref: what a call of each function may write and read, as sets of abstract locations
//! ([`CellId`](crate::points_to::CellId)), bottom-up over the components of the call graph.
//!
//! A function's summary holds what its caller can see: its own local variables are left out, but
//! for those that it reaches through pointers while it may be called recursively (another call's
//! instance may be meant). What nothing is known of may write and read all that escaped.

mod library_effects;
mod operation;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program};

use crate::call_graph::CallGraph;
use crate::points_to::PointsTo;
use crate::sparse_set::SparseSet;

/// Abstract locations that are written and read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// May be written.
    pub writes: SparseSet,
    /// May be read.
    pub reads: SparseSet,
}

impl Effects {
    fn add(&mut self, other: &Effects) -> bool {
        let written = self.writes.union_with(&other.writes);
        self.reads.union_with(&other.reads) || written
    }
}

/// What functions may write and read.
#[derive(Clone, Debug)]
pub struct ModRef {
    summaries: Vec<Effects>,
}

impl ModRef {
    /// Of a program.
    pub fn compute(
        program: &Program,
        points_to: &PointsTo,
        calls: &CallGraph,
        budget: &Budget,
    ) -> Result<Self, Exhausted> {
        let mut result = Self { summaries: vec![Effects::default(); program.funcs.len()] };
        for component in calls.components() {
            // All functions of a component reach each other: they share what they do.
            let mut together = Effects::default();
            for &func in &component.functions {
                result.add_own(
                    program,
                    points_to,
                    func,
                    component.recursive,
                    &mut together,
                    budget,
                )?;
                for callee in calls.callees(func) {
                    together.add(&result.summaries[callee.index()]);
                }
            }
            for &func in &component.functions {
                result.summaries[func.index()] = together.clone();
            }
        }
        Ok(result)
    }

    /// Adds what the edges of a function do themselves and a caller can see.
    fn add_own(
        &self,
        program: &Program,
        points_to: &PointsTo,
        func: FuncId,
        recursive: bool,
        effects: &mut Effects,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let mut own = operation::Own::new(program, points_to, func, recursive);
        let edges = program.funcs[func].body.iter().flat_map(|body| body.edges().iter_ids());
        for (id, edge) in edges {
            budget.check()?;
            own.operation(id, &edge.op);
        }
        effects.add(&own.finish());
        Ok(())
    }

    /// What a call of the function may write and its caller can see.
    pub fn writes(&self, func: FuncId) -> &SparseSet {
        &self.summaries[func.index()].writes
    }

    /// What a call of the function may read of what its caller can see.
    pub fn reads(&self, func: FuncId) -> &SparseSet {
        &self.summaries[func.index()].reads
    }

    /// What an edge may write and read, with all that the calls on it do. Local variables of the
    /// edge's function are in it.
    pub fn edge_effects(
        &self,
        program: &Program,
        points_to: &PointsTo,
        func: FuncId,
        edge: EdgeId,
    ) -> Effects {
        let Some(body) = &program.funcs[func].body else { return Effects::default() };
        let mut own = operation::Own::of_edge(program, points_to, func);
        own.operation(edge, &body.edge(edge).op);
        let mut effects = own.finish();
        let called = points_to.callees(program, func, edge);
        for callee in called.functions.iter().chain(&called.callbacks) {
            effects.add(&self.summaries[callee.index()]);
        }
        effects
    }
}
