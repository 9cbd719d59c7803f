//! What edges may carry.

use crate::cfa::{Call, Callee, Cfa, Edge, Op};
use crate::expr::{ExprId, PlaceId};
use crate::program::Storage;
use crate::types::{FloatKind, Signature, Type, TypeId};
use crate::validate::Check;

impl Check<'_> {
    pub(super) fn body(&mut self, signature: &Signature, body: &Cfa) {
        self.round += 1;
        for (id, edge) in body.edges().iter_ids() {
            self.edge = Some(id);
            self.span = edge.span;
            if edge.from == body.exit() {
                self.report("an edge leaves the exit");
            }
            if self.program.stmts.get(edge.stmt).is_none() {
                self.report(format!("{:?} does not exist", edge.stmt));
            }
            self.op(signature, body, edge);
        }
        self.edge = None;
    }

    fn op(&mut self, signature: &Signature, body: &Cfa, edge: &Edge) {
        match &edge.op {
            Op::Skip | Op::HavocMemory => {}
            Op::Assume(e) => {
                if let Some(ty) = self.typed(*e)
                    && !self.program.types.is_scalar(ty)
                {
                    self.report("what is assumed is neither a number nor a pointer");
                }
            }
            Op::Assign { dst, src } => {
                if let (Some(to), Some(from)) = (self.stored(*dst), self.typed(*src))
                    && to != from
                {
                    self.report("what is assigned has another type than the place");
                }
            }
            Op::Call(call) => self.call(call),
            Op::Return(value) => {
                if edge.to != body.exit() {
                    self.report("a return that does not lead to the exit");
                }
                if let Some(value) = value
                    && let Some(ty) = self.typed(*value)
                    && ty != signature.result
                {
                    self.report("what is returned has another type than the function's result");
                }
            }
            Op::Havoc(place) => {
                self.stored(*place);
            }
            Op::Declare(var) => {
                let storage = self.program.vars.get(*var).map(|var| &var.storage);
                let own = match storage {
                    Some(Storage::Local(f)) => Some(*f) == self.function,
                    _ => false,
                };
                if !own {
                    self.report(format!("{var:?} is declared, but not a local variable here"));
                }
            }
            Op::Alloca { dst, size } => {
                if let Some(ty) = self.stored(*dst)
                    && !self.program.types.is_pointer(ty)
                {
                    self.report("the address of an allocation is not stored in a pointer");
                }
                if let Some(ty) = self.typed(*size)
                    && ty != self.program.types.size_type()
                {
                    self.report("the size of an allocation is not of type size_t");
                }
            }
            Op::VaStart(list) => {
                self.stored(*list);
                if !signature.variadic {
                    self.report("va_start in a function without variable arguments");
                }
            }
            Op::VaEnd(list) => {
                self.stored(*list);
            }
            Op::VaArg { dst: a, list: b } | Op::VaCopy { dst: a, src: b } => {
                self.stored(*a);
                self.stored(*b);
            }
        }
    }

    /// The type of an expression that exists.
    fn typed(&mut self, e: ExprId) -> Option<TypeId> {
        self.expr(e).then(|| self.program.expr_ty(e)).filter(|ty| self.type_in_range(*ty))
    }

    /// The type of a place that exists and can be written.
    fn stored(&mut self, p: PlaceId) -> Option<TypeId> {
        if !self.place(p) {
            return None;
        }
        let ty = self.program.place_ty(p);
        if !self.is_object(ty) {
            self.report("what is written has no complete type");
            return None;
        }
        Some(ty)
    }

    fn call(&mut self, call: &Call) {
        let program = self.program;
        let ty = match call.callee {
            Callee::Direct(func) => program.funcs.get(func).map(|f| f.ty),
            Callee::Indirect(pointer) => {
                self.typed(pointer).and_then(|ty| program.types.pointee(ty))
            }
        };
        let ty = ty.filter(|ty| self.type_in_range(*ty));
        let args: Vec<Option<TypeId>> = call.args.iter().map(|&arg| self.typed(arg)).collect();
        let dst = call.dst.and_then(|dst| self.stored(dst));
        let Some(signature) = ty.and_then(|ty| program.types.signature(ty)) else {
            self.report("what is called is not a function");
            return;
        };
        if let Some(dst) = dst
            && dst != signature.result
        {
            self.report("the result of a call has another type than its place");
        }
        // A function without a prototype that is defined here takes its own parameters.
        let defined = match call.callee {
            Callee::Direct(func) => program.funcs.get(func).is_some_and(|f| f.body.is_some()),
            Callee::Indirect(_) => false,
        };
        let known = signature.prototyped || defined;
        let declared = if known { &signature.params[..] } else { &[] };
        let more = signature.variadic || !signature.prototyped;
        if args.len() < declared.len() || args.len() > declared.len() && !more {
            self.report(format!("{} arguments for {}", args.len(), declared.len()));
        }
        for (i, arg) in args.iter().enumerate() {
            let Some(arg) = *arg else { continue };
            match declared.get(i) {
                Some(param) if *param != arg => {
                    self.report(format!("argument {} has another type than its parameter", i + 1));
                }
                None if !self.is_promoted(arg) => {
                    self.report(format!("argument {} is not promoted", i + 1));
                }
                _ => {}
            }
        }
    }

    /// Whether the default argument promotions leave the type as it is.
    fn is_promoted(&self, ty: TypeId) -> bool {
        match *self.program.types.get(ty) {
            Type::Int { bits, .. } => bits >= 32,
            Type::Float(kind) => kind != FloatKind::F32,
            Type::Pointer(_) => true,
            Type::Record(_) => self.is_object(ty),
            Type::Void | Type::Bool | Type::Array { .. } | Type::Function(_) => false,
        }
    }
}
