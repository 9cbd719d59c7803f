//! Calls.

use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::expr::ExprId as IrExpr;

use super::conv::{LVal, Val};
use super::ctype::{FuncType, QType};
use super::lvalue::Operand;
use super::{Lower, Res};
use crate::ast::{ExprId, ExprKind, List};
use crate::span::Span;

/// Functions that the model cannot have: they jump between calls.
const REFUSED: &[&str] = &[
    "setjmp",
    "_setjmp",
    "__setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "__builtin_setjmp",
    "__builtin_longjmp",
    "getcontext",
    "setcontext",
    "makecontext",
    "swapcontext",
    "vfork",
];

/// A call whose parts are evaluated.
struct Prepared {
    callee: Callee,
    args: Vec<IrExpr>,
    result: QType,
    no_return: bool,
}

impl Lower<'_> {
    /// A call as a value.
    pub(super) fn call(&mut self, callee: ExprId, args: List<ExprId>, span: Span) -> Res<Val> {
        if let Some(v) = self.builtin_call(callee, args, span)? {
            return Ok(v);
        }
        let prepared = self.prepare_call(callee, args, span)?;
        if self.types.is_void(prepared.result) {
            self.emit_call(prepared, None, span);
            return Ok(self.void_value());
        }
        let ty = prepared.result;
        let ir = self.ir_type(ty);
        let place = self.temp(ir);
        self.emit_call(prepared, Some(place), span);
        Ok(Val { e: self.program.load(place), ty })
    }

    /// A call whose result nobody wants.
    pub(super) fn call_for_effect(
        &mut self,
        callee: ExprId,
        args: List<ExprId>,
        span: Span,
    ) -> Res<()> {
        if self.builtin_call(callee, args, span)?.is_some() {
            return Ok(());
        }
        let prepared = self.prepare_call(callee, args, span)?;
        self.emit_call(prepared, None, span);
        Ok(())
    }

    /// A call whose result goes straight into a place, if the types are the same; false if not,
    /// and then nothing was done.
    pub(super) fn call_into(
        &mut self,
        lv: LVal,
        callee: ExprId,
        args: List<ExprId>,
        span: Span,
    ) -> Res<bool> {
        if self.is_builtin_name(callee) {
            return Ok(false);
        }
        let Some(result) = self.result_of_named(callee) else { return Ok(false) };
        if self.ir_type(result) != self.program.place_ty(lv.place) || self.types.is_void(result) {
            return Ok(false);
        }
        let prepared = self.prepare_call(callee, args, span)?;
        self.emit_call(prepared, Some(lv.place), span);
        Ok(true)
    }

    /// The type of the result of a function that is called by its name.
    fn result_of_named(&mut self, callee: ExprId) -> Option<QType> {
        let ExprKind::Ident(name) = self.ast[callee].kind else { return None };
        let super::Entity::Global(index) = self.entities.get(name)? else { return None };
        self.types.function(self.globals[index].ty).map(|f| f.result)
    }

    fn emit_call(&mut self, call: Prepared, dst: Option<gnomon_ir::expr::PlaceId>, span: Span) {
        let Prepared { callee, args, no_return, .. } = call;
        self.func.calls.push(match callee {
            Callee::Direct(func) => Some(func),
            Callee::Indirect(_) => None,
        });
        self.emit(Op::Call(Call { dst, callee, args: args.into() }), span);
        if no_return {
            // What follows is not reached by this way.
            self.func.cur = self.new_loc();
        }
    }

    fn prepare_call(&mut self, callee: ExprId, args: List<ExprId>, span: Span) -> Res<Prepared> {
        let list = &self.ast[args];
        let last_effect = list.iter().rposition(|&arg| self.has_effects(arg));
        let before = self.effects_before();
        let mut operands = Vec::new();
        let target = self.callee(callee, span)?;
        let (callee, ty, no_return) = match target {
            Operand::Function(index, ty) => {
                let func = self.global_function(index)?;
                (Callee::Direct(func), ty, self.globals[index].no_return)
            }
            Operand::CodeAt(mut pointer, ty) => {
                if last_effect.is_some() {
                    operands.push(self.operand_since(before, Some(pointer.e)));
                    pointer.e = self.keep(pointer.e);
                }
                (Callee::Indirect(pointer.e), ty, false)
            }
            Operand::Place(_) | Operand::Value(_) => {
                return Err(self.error(span, "this is not a function and cannot be called"));
            }
        };
        let Some(signature) = self.types.function(ty).cloned() else {
            return Err(self.error(span, "this is not a function and cannot be called"));
        };
        let wrong_count = signature.prototyped
            && (list.len() < signature.params.len()
                || (list.len() > signature.params.len() && !signature.variadic));
        if wrong_count {
            let message = format!(
                "the function takes {} arguments, but {} are given",
                signature.params.len(),
                list.len()
            );
            return Err(self.error(span, message));
        }
        let result = signature.result;
        if !self.types.is_void(result) && !self.types.is_complete(result) {
            return Err(self.error(span, "the function returns an incomplete type"));
        }
        let mut values = Vec::with_capacity(list.len());
        for (position, &arg) in list.iter().enumerate() {
            let before = self.effects_before();
            let v = self.rvalue(arg)?;
            if last_effect.is_some() {
                operands.push(self.operand_since(before, Some(v.e)));
            }
            let v = self.argument(v, &signature, position, self.ast[arg].span)?;
            let stays = last_effect.is_none_or(|last| position >= last);
            values.push(if stays { v.e } else { self.keep(v.e) });
        }
        self.open_order(operands, span);
        Ok(Prepared { callee, args: values, result, no_return })
    }

    /// The function that is called: a name that nobody declared is declared by the call.
    fn callee(&mut self, callee: ExprId, span: Span) -> Res<Operand> {
        if let ExprKind::Ident(name) = self.ast[callee].kind {
            let text = self.name(name);
            if REFUSED.contains(&text) {
                return Err(self.unsupported(span, format!("`{text}` is not supported")));
            }
            if self.entities.get(name).is_none() {
                let index = match self.builtin_function(name, span) {
                    Some(index) => index,
                    None => {
                        if text.starts_with("__builtin_")
                            || text.starts_with("__sync_")
                            || text.starts_with("__atomic_")
                        {
                            let message = format!("the builtin `{text}` is not supported");
                            return Err(self.unsupported(span, message));
                        }
                        self.warn(
                            span,
                            format!("`{text}` is not declared; `int {text}()` is assumed"),
                        );
                        self.implicit_function(name, span)?
                    }
                };
                let ty = self.globals[index].ty;
                return Ok(Operand::Function(index, ty));
            }
        }
        match self.operand(callee)? {
            Operand::Place(lv) => {
                let pointer = self.read(lv);
                self.points_to(pointer, span)
            }
            Operand::Value(v) => self.points_to(v, span),
            function => Ok(function),
        }
    }

    /// An argument as the parameter takes it.
    fn argument(&mut self, v: Val, signature: &FuncType, position: usize, span: Span) -> Res<Val> {
        let Some(&param) = signature.params.get(position).filter(|_| signature.prototyped) else {
            if self.types.is_void(v.ty) {
                return Err(self.error(span, "an argument cannot have type `void`"));
            }
            return Ok(self.promote_argument(v));
        };
        if let Some((id, record)) = self.types.record(param)
            && record.transparent
            && self.types.record(v.ty).is_none_or(|(other, _)| other != id)
            && let Some(value) = self.union_of_member(param.unqualified(), id, v, span)
        {
            return Ok(value);
        }
        self.assign_convert(v, param, span)
    }
}
