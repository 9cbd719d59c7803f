//! Expressions and places of a function as they are in a call that became part of a thread.

use gnomon_ir::expr::{Expr, ExprId, ExprKind, Place, PlaceId, PlaceKind};
use gnomon_ir::program::{InitItem, Initializer, Program, Storage, Var, VarId};

use crate::frames::{FrameId, known_target};
use crate::instance::Instance;

impl Instance<'_> {
    /// An expression of the frame's function.
    pub(crate) fn expr(&mut self, frame: FrameId, e: ExprId) -> ExprId {
        let Expr { ty, kind } = self.program.exprs.expr(e);
        match kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => e,
            ExprKind::Load(place) => {
                if let PlaceKind::Var(var) = self.program.exprs.place(place).kind
                    && let Some(&constant) = self.frames[frame.0 as usize].constants.get(&var)
                {
                    return constant;
                }
                if let PlaceKind::Var(var) = self.program.exprs.place(place).kind
                    && let Some(value) = self.values.get(self.known, frame, var)
                {
                    return value;
                }
                let place = self.place(frame, place);
                self.program.load(place)
            }
            ExprKind::AddrOf(place) => {
                let place = self.place(frame, place);
                self.address_of(place, e)
            }
            ExprKind::Unary(op, a) => {
                let a = self.expr(frame, a);
                self.program.unary(op, a)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.expr(frame, a), self.expr(frame, b));
                self.program.binary(op, a, b)
            }
            ExprKind::PtrAdd(a, b) => {
                let (a, b) = (self.expr(frame, a), self.expr(frame, b));
                self.program.ptr_add(a, b)
            }
            ExprKind::PtrDiff(a, b) => {
                let (a, b) = (self.expr(frame, a), self.expr(frame, b));
                self.program.ptr_diff(a, b)
            }
            ExprKind::Cast(a) => {
                let a = self.expr(frame, a);
                self.program.cast(ty, a)
            }
        }
    }

    /// The address of a place, of the type of the expression that it stands for.
    pub(crate) fn address_of(&mut self, place: PlaceId, like: ExprId) -> ExprId {
        let ty = self.program.expr_ty(like);
        let address = self.program.address_of(place);
        self.program.cast(ty, address)
    }

    /// A place of the frame's function.
    pub(crate) fn place(&mut self, frame: FrameId, place: PlaceId) -> PlaceId {
        let Place { kind, .. } = self.program.exprs.place(place);
        match kind {
            PlaceKind::Var(var) => {
                let var = self.variable(frame, var);
                self.program.var_place(var)
            }
            PlaceKind::Deref(pointer) => {
                let pointer = self.expr(frame, pointer);
                self.deref(pointer)
            }
            PlaceKind::Field(base, number) => {
                let base = self.place(frame, base);
                self.program.field(base, number)
            }
            PlaceKind::Index(base, index) => {
                let (base, index) = (self.place(frame, base), self.expr(frame, index));
                self.program.index(base, index)
            }
        }
    }

    /// What a pointer points to, by name where that is possible.
    pub(crate) fn deref(&mut self, pointer: ExprId) -> PlaceId {
        match known_target(self.program, pointer) {
            Some(place) => place,
            None => self.program.deref(pointer),
        }
    }

    /// A variable as it is in the frame.
    pub(crate) fn variable(&mut self, frame: FrameId, var: VarId) -> VarId {
        if self.point.is_some() {
            return var;
        }
        let own = self.frames[frame.0 as usize].func;
        match &self.program.vars[var].storage {
            Storage::Static { thread_local: true, .. } => self.thread_local(var),
            Storage::Static { .. } => var,
            Storage::Param(func) | Storage::Local(func) if *func == own => self.copy(frame, var),
            Storage::Param(_) | Storage::Local(_) => var,
        }
    }

    fn copy(&mut self, frame: FrameId, var: VarId) -> VarId {
        if let Some(&copy) = self.frames[frame.0 as usize].copies.get(&var) {
            return copy;
        }
        let info = &self.program.vars[var];
        let name = format!("{}.{}.{}.{}", info.name, self.id.0, frame.0, var.0);
        let (ty, span) = (info.ty, info.span);
        let copy = self.local(name, ty, span);
        self.program.vars[copy].address_taken = self.program.vars[var].address_taken;
        self.frames[frame.0 as usize].copies.insert(var, copy);
        copy
    }

    /// The thread's own instance of a variable that every thread has for itself. The first thread
    /// has the variable that the user declared.
    fn thread_local(&mut self, var: VarId) -> VarId {
        if self.id.0 == 0 {
            return var;
        }
        if let Some(&own) = self.own.get(&var) {
            return own;
        }
        let Var { name, ty, storage, address_taken, span } = self.program.vars[var].clone();
        let name = format!("{name}.{}", self.id.0);
        let own = self.program.vars.push(Var { name, ty, storage, address_taken, span });
        self.own.insert(var, own);
        if let Storage::Static { init: Some(init), thread_local, read_only } =
            self.program.vars[var].storage.clone()
        {
            let items = init.items.into_iter().map(|item| match item {
                InitItem::Value { place, value } => {
                    InitItem::Value { place: rerooted(self.program, place, own), value }
                }
                InitItem::Bytes { place, bytes } => {
                    InitItem::Bytes { place: rerooted(self.program, place, own), bytes }
                }
            });
            let init = Some(Initializer { items: items.collect() });
            self.program.vars[own].storage = Storage::Static { init, thread_local, read_only };
        }
        own
    }
}

/// The same place in another variable of the same type.
fn rerooted(program: &mut Program, place: PlaceId, var: VarId) -> PlaceId {
    match program.exprs.place(place).kind {
        PlaceKind::Var(_) | PlaceKind::Deref(_) => program.var_place(var),
        PlaceKind::Field(base, number) => {
            let base = rerooted(program, base, var);
            program.field(base, number)
        }
        PlaceKind::Index(base, index) => {
            let base = rerooted(program, base, var);
            program.index(base, index)
        }
    }
}
