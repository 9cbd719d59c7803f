//! Which variables have their address taken by what the program really does.
//!
//! The constructors mark a variable as soon as anybody takes its address, even in an operand of
//! `sizeof`. Here the marks are made anew from the edges and initialisers that are left.
//!
//! Assembler that may change memory can name every variable of static storage by its symbol: so in
//! a program with such assembler all of them count.

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Callee, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{InitItem, Program, Storage, VarId};

pub(super) fn mark(program: &mut Program) {
    let mut marker = Marker {
        program,
        taken: vec![false; program.vars.len()],
        seen: vec![false; program.exprs.expr_count()],
    };
    for (_, function) in program.funcs.iter_ids() {
        let Some(cfa) = &function.body else { continue };
        for edge in cfa.edges().iter() {
            marker.op(&edge.op);
        }
    }
    for var in program.vars.iter() {
        if let Storage::Static { init: Some(init), .. } = &var.storage {
            for item in &init.items {
                if let InitItem::Value { value, .. } = item {
                    marker.expr(*value);
                }
            }
        }
    }
    let taken = marker.taken;
    let all_statics = changes_memory(program);
    for var in program.vars.ids().collect::<Vec<VarId>>() {
        let is_static =
            matches!(program.vars[var].storage, Storage::Static { read_only: false, .. });
        program.vars[var].address_taken = taken[var.index()] || (all_statics && is_static);
    }
}

/// Whether some edge may change all memory that is not private.
fn changes_memory(program: &Program) -> bool {
    let bodies = program.funcs.iter().filter_map(|function| function.body.as_ref());
    let mut edges = bodies.flat_map(|body| body.edges().iter());
    edges.any(|edge| matches!(edge.op, Op::HavocMemory))
}

struct Marker<'a> {
    program: &'a Program,
    taken: Vec<bool>,
    seen: Vec<bool>,
}

impl Marker<'_> {
    fn op(&mut self, op: &Op) {
        match op {
            Op::Skip | Op::HavocMemory | Op::Declare(_) | Op::Return(None) => {}
            Op::Assume(e) | Op::Return(Some(e)) => self.expr(*e),
            Op::Assign { dst, src } => {
                self.place(*dst);
                self.expr(*src);
            }
            Op::Call(call) => {
                if let Some(dst) = call.dst {
                    self.place(dst);
                }
                if let Callee::Indirect(pointer) = call.callee {
                    self.expr(pointer);
                }
                for &arg in &call.args {
                    self.expr(arg);
                }
            }
            Op::Havoc(place) | Op::VaStart(place) | Op::VaEnd(place) => self.place(*place),
            Op::Alloca { dst, size } => {
                self.place(*dst);
                self.expr(*size);
            }
            Op::VaArg { dst, list } | Op::VaCopy { dst, src: list } => {
                self.place(*dst);
                self.place(*list);
            }
        }
    }

    fn expr(&mut self, e: ExprId) {
        let mut work = vec![e];
        while let Some(e) = work.pop() {
            if std::mem::replace(&mut self.seen[e.index()], true) {
                continue;
            }
            match self.program.exprs.expr(e).kind {
                ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
                ExprKind::Load(place) => self.place_parts(place, &mut work),
                ExprKind::AddrOf(place) => {
                    if let Some(var) = self.program.exprs.root_var(place) {
                        self.taken[var.index()] = true;
                    }
                    self.place_parts(place, &mut work);
                }
                ExprKind::Unary(_, a) | ExprKind::Cast(a) => work.push(a),
                ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                    work.extend([a, b]);
                }
            }
        }
    }

    fn place(&mut self, place: PlaceId) {
        let mut work = Vec::new();
        self.place_parts(place, &mut work);
        for e in work {
            self.expr(e);
        }
    }

    fn place_parts(&self, mut place: PlaceId, work: &mut Vec<ExprId>) {
        loop {
            match self.program.exprs.place(place).kind {
                PlaceKind::Var(_) => return,
                PlaceKind::Deref(e) => {
                    work.push(e);
                    return;
                }
                PlaceKind::Field(base, _) => place = base,
                PlaceKind::Index(base, e) => {
                    work.push(e);
                    place = base;
                }
            }
        }
    }
}
