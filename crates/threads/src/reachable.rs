//! What is left of a program when it starts elsewhere: functions that nothing reaches do
//! nothing, and variables whose address nothing takes any more are plain ones again.

use std::collections::BTreeSet;

use gnomon_ir::cfa::{Callee, CfaBuilder, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, InitItem, Program, Storage, VarId};

/// Keeps what can be reached from some functions.
pub fn keep(program: &mut Program, entries: &[FuncId]) {
    let mut seen = Seen::default();
    seen.functions.extend(entries);
    let mut work = entries.to_vec();
    for var in program.vars.ids() {
        let Storage::Static { init: Some(init), .. } = &program.vars[var].storage else { continue };
        for item in &init.items {
            if let InitItem::Value { value, .. } = item {
                seen.expr(program, *value);
            }
        }
    }
    work.extend(seen.functions.iter().copied().filter(|f| !entries.contains(f)));
    while let Some(func) = work.pop() {
        let before = seen.functions.clone();
        if let Some(body) = &program.funcs[func].body {
            for edge in body.edges().iter() {
                seen.op(program, &edge.op);
            }
        }
        work.extend(seen.functions.difference(&before));
    }
    for func in program.funcs.ids() {
        if !seen.functions.contains(&func) && program.funcs[func].body.is_some() {
            program.funcs[func].body = Some(CfaBuilder::new().finish());
        }
    }
    for var in program.vars.ids() {
        program.vars[var].address_taken = seen.addresses.contains(&var);
    }
}

#[derive(Default)]
struct Seen {
    functions: BTreeSet<FuncId>,
    addresses: BTreeSet<VarId>,
    exprs: BTreeSet<ExprId>,
}

impl Seen {
    fn op(&mut self, program: &Program, op: &Op) {
        match op {
            Op::Skip | Op::Declare(_) | Op::HavocMemory | Op::Return(None) => {}
            Op::Assume(e) | Op::Return(Some(e)) => self.expr(program, *e),
            Op::Assign { dst, src } | Op::Alloca { dst, size: src } => {
                self.expr(program, *src);
                self.place(program, *dst);
            }
            Op::Call(call) => {
                match call.callee {
                    Callee::Direct(func) => {
                        self.functions.insert(func);
                    }
                    Callee::Indirect(pointer) => self.expr(program, pointer),
                }
                for &arg in &call.args {
                    self.expr(program, arg);
                }
                if let Some(dst) = call.dst {
                    self.place(program, dst);
                }
            }
            Op::Havoc(place) => self.place(program, *place),
            // Lists of arguments are reached through their address.
            Op::VaStart(list) | Op::VaEnd(list) => self.address(program, *list),
            Op::VaArg { dst, list } | Op::VaCopy { dst, src: list } => {
                self.place(program, *dst);
                self.address(program, *list);
                self.address(program, *dst);
            }
        }
    }

    fn address(&mut self, program: &Program, place: PlaceId) {
        self.addresses.extend(program.exprs.root_var(place));
        self.place(program, place);
    }

    fn expr(&mut self, program: &Program, e: ExprId) {
        if !self.exprs.insert(e) {
            return;
        }
        match program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero => {}
            ExprKind::FuncAddr(func) => {
                self.functions.insert(func);
            }
            ExprKind::Load(place) => self.place(program, place),
            ExprKind::AddrOf(place) => self.address(program, place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.expr(program, a),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                self.expr(program, a);
                self.expr(program, b);
            }
        }
    }

    fn place(&mut self, program: &Program, place: PlaceId) {
        match program.exprs.place(place).kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Deref(pointer) => self.expr(program, pointer),
            PlaceKind::Field(base, _) => self.place(program, base),
            PlaceKind::Index(base, index) => {
                self.place(program, base);
                self.expr(program, index);
            }
        }
    }
}
