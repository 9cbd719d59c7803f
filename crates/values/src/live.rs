//! Which local variables are still read: what is dead is dropped, so that states meet.
//!
//! The usual backward analysis of one function, for variables whose address is never taken; others,
//! and static ones, count as live everywhere. A variable is dead where it is written as a whole
//! before it is read again.

use std::rc::Rc;

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Callee, Cfa, LocId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, Exprs, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The live variables of functions, found when first asked for.
pub struct Live<'p> {
    program: &'p Program,
    of_function: FxHashMap<FuncId, Rc<Vec<FxHashSet<VarId>>>>,
}

impl<'p> Live<'p> {
    /// Of a program.
    pub fn new(program: &'p Program) -> Self {
        Self { program, of_function: FxHashMap::default() }
    }

    /// Whether this analysis says anything about a variable.
    pub fn concerns(&self, var: VarId) -> bool {
        let info = &self.program.vars[var];
        info.storage.function().is_some() && !info.address_taken
    }

    /// The variables that are live in each location of a function.
    pub fn of(&mut self, func: FuncId) -> Rc<Vec<FxHashSet<VarId>>> {
        if let Some(known) = self.of_function.get(&func) {
            return known.clone();
        }
        let found = match &self.program.funcs[func].body {
            Some(body) => Rc::new(find(self.program, body)),
            None => Rc::default(),
        };
        self.of_function.insert(func, found.clone());
        found
    }
}

fn find(program: &Program, body: &Cfa) -> Vec<FxHashSet<VarId>> {
    let mut live: Vec<FxHashSet<VarId>> = vec![FxHashSet::default(); body.loc_count()];
    let mut work: Vec<LocId> = body.locs().collect();
    while let Some(to) = work.pop() {
        for &edge in body.in_edges(to) {
            let edge = body.edge(edge);
            let (read, written) = accesses(program, &edge.op);
            let mut before = live[to.index()].clone();
            if let Some(written) = written {
                before.remove(&written);
            }
            before.extend(read);
            let known = &mut live[edge.from.index()];
            let old = known.len();
            known.extend(before);
            if known.len() != old {
                work.push(edge.from);
            }
        }
    }
    live
}

/// The variables that an operation reads, and the one that it writes as a whole.
fn accesses(program: &Program, op: &Op) -> (Vec<VarId>, Option<VarId>) {
    let exprs = &program.exprs;
    let mut read = Vec::new();
    let mut written = None;
    let mut destination = |place: PlaceId, read: &mut Vec<VarId>| match exprs.place(place).kind {
        PlaceKind::Var(var) => written = Some(var),
        // A part is written: the rest stays.
        _ => reads_of_place(exprs, place, read),
    };
    match op {
        Op::Skip | Op::HavocMemory => {}
        Op::Assume(condition) => reads(exprs, *condition, &mut read),
        Op::Assign { dst, src } => {
            destination(*dst, &mut read);
            reads(exprs, *src, &mut read);
        }
        Op::Call(call) => {
            if let Some(dst) = call.dst {
                destination(dst, &mut read);
            }
            if let Callee::Indirect(pointer) = call.callee {
                reads(exprs, pointer, &mut read);
            }
            for &arg in &call.args {
                reads(exprs, arg, &mut read);
            }
        }
        Op::Return(value) => {
            if let Some(value) = value {
                reads(exprs, *value, &mut read);
            }
        }
        Op::Havoc(dst) => destination(*dst, &mut read),
        Op::Declare(var) => written = Some(*var),
        Op::Alloca { dst, size } => {
            destination(*dst, &mut read);
            reads(exprs, *size, &mut read);
        }
        Op::VaStart(list) | Op::VaEnd(list) => reads_of_place(exprs, *list, &mut read),
        Op::VaArg { dst, list } => {
            destination(*dst, &mut read);
            reads_of_place(exprs, *list, &mut read);
        }
        Op::VaCopy { dst, src } => {
            reads_of_place(exprs, *dst, &mut read);
            reads_of_place(exprs, *src, &mut read);
        }
    }
    (read, written)
}

/// Adds the variables that an expression reads.
pub fn reads(exprs: &Exprs, expr: ExprId, found: &mut Vec<VarId>) {
    match exprs.expr(expr).kind {
        ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
        ExprKind::Load(place) | ExprKind::AddrOf(place) => reads_of_place(exprs, place, found),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => reads(exprs, a, found),
        ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
            reads(exprs, a, found);
            reads(exprs, b, found);
        }
    }
}

fn reads_of_place(exprs: &Exprs, place: PlaceId, found: &mut Vec<VarId>) {
    match exprs.place(place).kind {
        PlaceKind::Var(var) => found.push(var),
        PlaceKind::Deref(pointer) => reads(exprs, pointer, found),
        PlaceKind::Field(base, _) => reads_of_place(exprs, base, found),
        PlaceKind::Index(base, index) => {
            reads_of_place(exprs, base, found);
            reads(exprs, index, found);
        }
    }
}
