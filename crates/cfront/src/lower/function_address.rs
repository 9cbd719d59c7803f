//! Addresses of functions whose type became known better after the address was taken.
//!
//! The address of a function has the type of the function. A declaration without prototype, or in
//! another file, may come before the definition: then the address that was taken there is viewed
//! as what it was, by a cast from what it is now.

use std::collections::HashMap;

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Edge, Op};
use gnomon_ir::expr::{Expr, ExprId, ExprKind, Place, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, InitItem, Program, Storage, VarId};

use super::expr::with_stack;

/// Makes every address of a function one of the function's type, and of another function's where the
/// table says so.
pub(super) fn refresh(program: &mut Program, instead: &HashMap<FuncId, FuncId>) {
    let count = program.exprs.expr_count();
    let stale = (0..count).map(ExprId::from_index).any(|e| is_stale(program, e));
    if !stale && instead.is_empty() {
        return;
    }
    let mut refresh = Refresh { program, instead, exprs: HashMap::new(), places: HashMap::new() };
    for func in refresh.program.funcs.ids().collect::<Vec<FuncId>>() {
        let Some(mut cfa) = refresh.program.funcs[func].body.take() else { continue };
        cfa.rewrite_ops(|edge| refresh.op(edge));
        refresh.program.funcs[func].body = Some(cfa);
    }
    for var in refresh.program.vars.ids().collect::<Vec<VarId>>() {
        refresh.initializer(var);
    }
}

fn is_stale(program: &Program, e: ExprId) -> bool {
    let Expr { ty, kind } = program.exprs.expr(e);
    match kind {
        ExprKind::FuncAddr(func) => {
            program.types.pointee(ty) != program.funcs.get(func).map(|f| f.ty)
        }
        _ => false,
    }
}

struct Refresh<'a> {
    program: &'a mut Program,
    instead: &'a HashMap<FuncId, FuncId>,
    exprs: HashMap<ExprId, ExprId>,
    places: HashMap<PlaceId, PlaceId>,
}

impl Refresh<'_> {
    fn initializer(&mut self, var: VarId) {
        let Storage::Static { init: Some(init), .. } = &self.program.vars[var].storage else {
            return;
        };
        let mut items = init.items.clone();
        for item in &mut items {
            if let InitItem::Value { value, .. } = item {
                *value = self.expr(*value);
            }
        }
        if let Storage::Static { init: Some(init), .. } = &mut self.program.vars[var].storage {
            init.items = items;
        }
    }

    fn op(&mut self, edge: &Edge) -> Option<Op> {
        let new = match &edge.op {
            Op::Skip | Op::HavocMemory | Op::Declare(_) | Op::Return(None) => return None,
            Op::Assume(e) => Op::Assume(self.expr(*e)),
            Op::Return(Some(e)) => Op::Return(Some(self.expr(*e))),
            Op::Assign { dst, src } => Op::Assign { dst: self.place(*dst), src: self.expr(*src) },
            Op::Call(call) => Op::Call(Call {
                dst: call.dst.map(|dst| self.place(dst)),
                callee: match call.callee {
                    Callee::Direct(func) => Callee::Direct(func),
                    Callee::Indirect(e) => Callee::Indirect(self.expr(e)),
                },
                args: call.args.iter().map(|&arg| self.expr(arg)).collect(),
            }),
            Op::Havoc(place) => Op::Havoc(self.place(*place)),
            Op::Alloca { dst, size } => {
                Op::Alloca { dst: self.place(*dst), size: self.expr(*size) }
            }
            Op::VaStart(list) => Op::VaStart(self.place(*list)),
            Op::VaEnd(list) => Op::VaEnd(self.place(*list)),
            Op::VaArg { dst, list } => Op::VaArg { dst: self.place(*dst), list: self.place(*list) },
            Op::VaCopy { dst, src } => Op::VaCopy { dst: self.place(*dst), src: self.place(*src) },
        };
        (new != edge.op).then_some(new)
    }

    fn expr(&mut self, e: ExprId) -> ExprId {
        if let Some(&known) = self.exprs.get(&e) {
            return known;
        }
        let new = with_stack(|| self.rebuilt(e));
        self.exprs.insert(e, new);
        new
    }

    fn rebuilt(&mut self, e: ExprId) -> ExprId {
        let Expr { ty, kind } = self.program.exprs.expr(e);
        let kind = match kind {
            ExprKind::Const(_) | ExprKind::Zero => kind,
            ExprKind::FuncAddr(func) => {
                let func = self.instead.get(&func).copied().unwrap_or(func);
                let address = self.program.func_addr(func);
                return self.program.cast(ty, address);
            }
            ExprKind::Load(place) => ExprKind::Load(self.place(place)),
            ExprKind::AddrOf(place) => ExprKind::AddrOf(self.place(place)),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, self.expr(a)),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(op, self.expr(a), self.expr(b)),
            ExprKind::PtrAdd(a, b) => ExprKind::PtrAdd(self.expr(a), self.expr(b)),
            ExprKind::PtrDiff(a, b) => ExprKind::PtrDiff(self.expr(a), self.expr(b)),
            ExprKind::Cast(a) => {
                let a = self.expr(a);
                return self.program.cast(ty, a);
            }
        };
        self.program.exprs.intern_expr(Expr { ty, kind })
    }

    fn place(&mut self, place: PlaceId) -> PlaceId {
        if let Some(&known) = self.places.get(&place) {
            return known;
        }
        let Place { ty, kind } = self.program.exprs.place(place);
        let kind = match kind {
            PlaceKind::Var(_) => kind,
            PlaceKind::Deref(e) => PlaceKind::Deref(self.expr(e)),
            PlaceKind::Field(base, field) => PlaceKind::Field(self.place(base), field),
            PlaceKind::Index(base, e) => PlaceKind::Index(self.place(base), self.expr(e)),
        };
        let new = self.program.exprs.intern_place(Place { ty, kind });
        self.places.insert(place, new);
        new
    }
}
