//! Values that are known before the program runs, and objects without a name.

use gnomon_ir::cfa::Op;
use gnomon_ir::expr::{ExprId as IrExpr, ExprKind as IrExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{InitItem as IrInitItem, Initializer, Storage, VarId};

use super::conv::LVal;
use super::ctype::QType;
use super::lvalue::Operand;
use super::{LITERAL, Lower, Res};
use crate::ast::{Init, InitListId, Quals, TypeNameId};
use crate::span::Span;

impl Lower<'_> {
    /// The same member of another place.
    pub(super) fn transplant(&mut self, place: PlaceId, root: PlaceId) -> PlaceId {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) | PlaceKind::Deref(_) => root,
            PlaceKind::Field(base, field) => {
                let base = self.transplant(base, root);
                self.program.field(base, field)
            }
            PlaceKind::Index(base, index) => {
                let base = self.transplant(base, root);
                self.program.index(base, index)
            }
        }
    }

    /// Reads of `const` static variables replaced by their initial values, which gcc accepts in
    /// constants.
    pub(super) fn fold_constant_loads(&mut self, e: IrExpr) -> IrExpr {
        let IrExprKind::Load(place) = self.program.exprs.expr(e).kind else { return e };
        let Some(var) = self.program.exprs.root_var(place) else { return e };
        let Storage::Static { init: Some(init), read_only: true, .. } =
            &self.program.vars[var].storage
        else {
            return e;
        };
        let value = init.items.iter().rev().find_map(|item| match item {
            IrInitItem::Value { place: p, value } if *p == place => Some(*value),
            _ => None,
        });
        value.unwrap_or(e)
    }

    /// Whether the value is known before the program runs: numbers and addresses.
    pub(super) fn is_constant(&self, e: IrExpr) -> bool {
        match self.program.exprs.expr(e).kind {
            IrExprKind::Const(_) | IrExprKind::Zero | IrExprKind::FuncAddr(_) => true,
            IrExprKind::Load(_) => false,
            IrExprKind::AddrOf(place) => self.is_constant_place(place),
            IrExprKind::Unary(_, a) | IrExprKind::Cast(a) => self.is_constant(a),
            IrExprKind::Binary(_, a, b) | IrExprKind::PtrAdd(a, b) | IrExprKind::PtrDiff(a, b) => {
                self.is_constant(a) && self.is_constant(b)
            }
        }
    }

    fn is_constant_place(&self, place: PlaceId) -> bool {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(var) => matches!(self.program.vars[var].storage, Storage::Static { .. }),
            PlaceKind::Deref(e) => self.is_constant(e),
            PlaceKind::Field(base, _) => self.is_constant_place(base),
            PlaceKind::Index(base, e) => self.is_constant_place(base) && self.is_constant(e),
        }
    }

    /// `(type){ ... }`: an object without a name.
    pub(super) fn compound_literal(
        &mut self,
        ty: TypeNameId,
        init: InitListId,
        span: Span,
    ) -> Res<Operand> {
        let ty = self.type_name(ty)?;
        let init = Init::List(init);
        let ty = self.complete_by_initializer(ty, init)?;
        if !self.types.is_complete(ty) {
            let message = format!("the type `{}` is incomplete", self.show_type(ty));
            return Err(self.error(span, message));
        }
        let ir = self.ir_type(ty);
        if self.func.inside {
            let var = self.unnamed(LITERAL, ir);
            let place = self.program.var_place(var);
            let lv = LVal { place, ty, bits: None };
            self.emit(Op::Declare(var), span);
            self.initialize_here(lv, init)?;
            return Ok(Operand::Place(lv));
        }
        let ir_span = self.ir_span(span);
        let var = self.linker.internal_variable(self.program, LITERAL, ir, ir_span);
        let init = Some(self.static_initializer(var, ty, init)?);
        let read_only = ty.quals.contains(Quals::CONST);
        self.program.vars[var].storage = Storage::Static { init, thread_local: false, read_only };
        let place = self.program.var_place(var);
        Ok(Operand::Place(LVal { place, ty, bits: None }))
    }

    /// A static object without a name that holds bytes and must not be written.
    pub(super) fn constant_object(&mut self, ty: QType, bytes: &[u8], span: Span) -> VarId {
        let ir = self.ir_type(ty);
        let ir_span = self.ir_span(span);
        let var = self.linker.internal_variable(self.program, ".str", ir, ir_span);
        let place = self.program.var_place(var);
        let items = vec![IrInitItem::Bytes { place, bytes: bytes.into() }];
        self.program.vars[var].storage = Storage::Static {
            init: Some(Initializer { items }),
            thread_local: false,
            read_only: true,
        };
        var
    }
}
