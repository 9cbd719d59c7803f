//! Operations of edges.

use crate::cfa::{Call, Callee, Op};
use crate::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use crate::interp::code::{Arg, CallSite, CallTarget, Inst, Reg, ResultUse};
use crate::interp::memory::Access;
use crate::interp::value::Shape;
use crate::program::{Storage, VarId};
use crate::types::{Type, TypeId};

use super::expr::Spot;
use super::{CompileError, Compiler, VarHome};

impl Compiler<'_> {
    /// What an edge does. An assumption was evaluated when the edge was chosen.
    pub(super) fn op(&mut self, op: &Op) -> Result<(), CompileError> {
        match *op {
            // A run in which the outside changes nothing is one of those that `HavocMemory`
            // allows, and the only one that needs no input.
            Op::Skip | Op::Assume(_) | Op::HavocMemory | Op::VaEnd(_) => Ok(()),
            Op::Assign { dst, src } => self.assign(dst, src),
            Op::Call(ref call) => self.call(call),
            Op::Return(None) => {
                self.emit(Inst::ReturnNothing);
                Ok(())
            }
            Op::Return(Some(value)) => self.return_value(value),
            Op::Havoc(place) => self.havoc(place),
            Op::Declare(var) => {
                self.declare(var);
                Ok(())
            }
            Op::Alloca { dst, size } => {
                let a = self.expr(size)?;
                self.release(a);
                let d = self.temporary()?;
                self.emit(Inst::Alloca { d, a });
                self.store_to(dst, d)
            }
            Op::VaStart(list) => {
                let d = self.temporary()?;
                self.emit(Inst::VaStart { d });
                self.set_list(list, d)?;
                self.release(d);
                Ok(())
            }
            Op::VaArg { dst, list } => self.va_arg(dst, list),
            Op::VaCopy { dst, src } => {
                let current = self.list(src)?;
                self.set_list(dst, current)?;
                self.release(current);
                Ok(())
            }
        }
    }

    fn pointer_shape(&self) -> Shape {
        Shape::pointer(self.types().target())
    }

    /// Stores a scalar into a place and releases it.
    fn store_to(&mut self, dst: PlaceId, value: Reg) -> Result<(), CompileError> {
        let shape = self.shape(self.exprs().place(dst).ty)?;
        let spot = self.place(dst)?;
        self.store(spot, shape, value)?;
        self.release(value);
        Ok(())
    }

    pub(super) fn assign(&mut self, dst: PlaceId, src: ExprId) -> Result<(), CompileError> {
        // The memory knows its objects.
        if self.extent_at(dst).is_some() {
            return Ok(());
        }
        let ty = self.exprs().place(dst).ty;
        if let Some(shape) = Shape::of(self.types(), ty) {
            let spot = self.place(dst)?;
            if let Spot::Register { reg, shadow } = spot {
                let value = self.expr_to(src, Some(reg))?;
                if value != reg {
                    self.emit(Inst::Copy { d: reg, a: value });
                }
                self.release(value);
                self.define(shadow);
                return Ok(());
            }
            let value = self.expr(src)?;
            self.store(spot, shape, value)?;
            self.release(value);
            return Ok(());
        }
        let bytes = self.types().size(ty);
        if bytes == 0 {
            return Ok(());
        }
        match self.exprs().expr(src).kind {
            ExprKind::Load(from) => {
                let (a, b) = (self.address(dst, None)?, self.address(from, None)?);
                self.observe_load(b, 0, bytes.min(u64::from(u32::MAX)) as u32);
                self.emit(Inst::CopyBytes { a, b, bytes });
                self.observe_store(a, 0, bytes.min(u64::from(u32::MAX)) as u32);
                self.release(a);
                self.release(b);
            }
            ExprKind::Zero => {
                let a = self.address(dst, None)?;
                self.emit(Inst::ZeroBytes { a, bytes });
                self.observe_store(a, 0, bytes.min(u64::from(u32::MAX)) as u32);
                self.release(a);
            }
            _ => return self.error("a record or array that is neither loaded nor zero"),
        }
        Ok(())
    }

    fn arg(&mut self, e: ExprId) -> Result<Arg, CompileError> {
        let ty = self.exprs().ty(e);
        if self.types().is_scalar(ty) {
            return Ok(Arg::Scalar { reg: self.expr(e)?, ty });
        }
        let bytes = self.types().size(ty);
        match self.exprs().expr(e).kind {
            ExprKind::Load(place) => {
                Ok(Arg::Record { address: self.address(place, None)?, ty, bytes })
            }
            ExprKind::Zero => Ok(Arg::ZeroRecord { ty, bytes }),
            _ => self.error("an argument that is neither loaded nor zero"),
        }
    }

    fn call(&mut self, call: &Call) -> Result<(), CompileError> {
        let args: Box<[Arg]> =
            call.args.iter().map(|&arg| self.arg(arg)).collect::<Result<_, _>>()?;
        let target = match call.callee {
            Callee::Direct(func) => {
                let function = &self.program.funcs[func];
                let fits = function.body.is_some()
                    && function.params.len() == args.len()
                    && !self.types().signature(function.ty).is_some_and(|s| s.variadic)
                    && args
                        .iter()
                        .zip(&function.params)
                        .all(|(arg, &param)| arg.ty() == self.program.vars[param].ty);
                if fits { CallTarget::Exact(func) } else { CallTarget::Function(func) }
            }
            Callee::Indirect(pointer) => CallTarget::Indirect(self.expr(pointer)?),
        };
        let scalar = call.dst.map(|dst| self.exprs().place(dst).ty);
        let result_reg;
        let result = match scalar {
            None => {
                result_reg = None;
                ResultUse::Unused
            }
            Some(ty) if self.types().is_scalar(ty) => {
                let d = self.temporary()?;
                result_reg = Some(d);
                ResultUse::Scalar { d, ty }
            }
            Some(ty) => {
                result_reg = None;
                ResultUse::Record { ty }
            }
        };
        let site = self.code.calls.len() as u32;
        for arg in &args {
            match *arg {
                Arg::Scalar { reg, .. } | Arg::Record { address: reg, .. } => self.release(reg),
                Arg::ZeroRecord { .. } => {}
            }
        }
        if let CallTarget::Indirect(reg) = target {
            self.release(reg);
        }
        self.code.calls.push(CallSite { target, args, result });
        self.emit(Inst::Call { site });
        match (call.dst, result_reg) {
            (Some(dst), Some(d)) => self.store_to(dst, d),
            (Some(dst), None) => {
                let bytes = self.types().size(self.exprs().place(dst).ty);
                let a = self.address(dst, None)?;
                self.emit(Inst::TakeRecord { a });
                self.observe_store(a, 0, bytes.min(u64::from(u32::MAX)) as u32);
                self.release(a);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn return_value(&mut self, value: ExprId) -> Result<(), CompileError> {
        let ty = self.exprs().ty(value);
        if self.types().is_scalar(ty) {
            let a = self.expr(value)?;
            self.emit(Inst::Return { a });
            self.release(a);
            return Ok(());
        }
        let bytes = self.types().size(ty);
        match self.exprs().expr(value).kind {
            ExprKind::Load(place) => {
                let a = self.address(place, None)?;
                self.emit(Inst::ReturnRecord { a, bytes });
                self.release(a);
            }
            ExprKind::Zero => self.emit(Inst::ReturnZero { bytes }),
            _ => return self.error("a result that is neither loaded nor zero"),
        }
        Ok(())
    }

    /// Whether a place is a whole static variable.
    fn is_static(&self, place: PlaceId) -> bool {
        match self.exprs().place(place).kind {
            PlaceKind::Var(var) => {
                matches!(self.program.vars[var].storage, Storage::Static { .. })
            }
            _ => false,
        }
    }

    fn havoc(&mut self, place: PlaceId) -> Result<(), CompileError> {
        let ty = self.exprs().place(place).ty;
        let shape = Shape::of(self.types(), ty).filter(|_| !self.is_static(place));
        match shape {
            Some(shape) => {
                let d = self.temporary()?;
                self.emit(Inst::Havoc { d, shape });
                self.store_to(place, d)
            }
            None => {
                let a = self.address(place, None)?;
                self.emit(Inst::HavocBytes { a, ty });
                self.release(a);
                Ok(())
            }
        }
    }

    fn declare(&mut self, var: VarId) {
        match self.homes.get(&var) {
            Some(&VarHome::Register { shadow: Some(shadow), .. }) => {
                self.emit(Inst::Undefine { shadow });
            }
            Some(&VarHome::Memory(a)) => self.emit(Inst::Forget { a }),
            Some(VarHome::Register { shadow: None, .. }) | None => {}
        }
    }

    /// Where the position of a `va_list` is kept: at the start of the list, or of what it points
    /// to if it is a parameter that was an array.
    fn list_spot(&mut self, list: PlaceId) -> Result<Spot, CompileError> {
        let ty = self.exprs().place(list).ty;
        let spot = self.place(list)?;
        let points_to_list = self
            .types()
            .pointee(ty)
            .is_some_and(|to| matches!(self.types().get(to), Type::Record(_) | Type::Array { .. }));
        if !points_to_list {
            return Ok(spot);
        }
        let base = self.load_list(spot)?;
        Ok(Spot::Memory { base, offset: 0, aligned: false })
    }

    fn load_list(&mut self, spot: Spot) -> Result<Reg, CompileError> {
        let shape = self.pointer_shape();
        match spot {
            Spot::Register { reg, shadow } => {
                if let Some(shadow) = shadow {
                    self.emit(Inst::Require { d: reg, shadow, shape });
                }
                let d = self.temporary()?;
                self.emit(Inst::Copy { d, a: reg });
                Ok(d)
            }
            Spot::Memory { base, offset, .. } => {
                self.release(base);
                let d = self.temporary()?;
                let (access, offset) = (Access::of(shape), offset as i32);
                self.emit(Inst::Load { access, shape, aligned: false, d, a: base, offset });
                Ok(d)
            }
            Spot::Bits { .. } => self.error("a va_list in a bit-field"),
        }
    }

    /// The position of a list, in a temporary.
    fn list(&mut self, list: PlaceId) -> Result<Reg, CompileError> {
        let spot = self.list_spot(list)?;
        self.load_list(spot)
    }

    fn set_list(&mut self, list: PlaceId, position: Reg) -> Result<(), CompileError> {
        let spot = self.list_spot(list)?;
        let shape = self.pointer_shape();
        self.store(spot, shape, position)
    }

    fn va_arg(&mut self, dst: PlaceId, list: PlaceId) -> Result<(), CompileError> {
        let ty: TypeId = self.exprs().place(dst).ty;
        let a = self.list(list)?;
        if self.types().is_scalar(ty) {
            let d = self.temporary()?;
            self.emit(Inst::VaFetch { d, a, ty });
            self.set_list(list, a)?;
            self.release(a);
            return self.store_to(dst, d);
        }
        let b = self.address(dst, None)?;
        self.emit(Inst::VaFetchRecord { a, b, ty });
        self.set_list(list, a)?;
        self.release(a);
        self.release(b);
        Ok(())
    }
}
