//! The same value under another name: what a caller calls `p->file`, its callee calls `q->file`, if
//! `p` is passed for `q`.
//!
//! Names are expressions of the program, so no new ones are made: what nobody reads needs no name.

use gnomon_ir::arena::Id;
use gnomon_ir::expr::{Expr, ExprId, ExprKind, Place, PlaceId, PlaceKind};
use gnomon_ir::program::Program;
use rustc_hash::FxHashMap;

/// All expressions and places of a program, by what they are.
pub(super) struct Paths<'a> {
    program: &'a Program,
    exprs: FxHashMap<Expr, ExprId>,
    places: FxHashMap<Place, PlaceId>,
}

impl<'a> Paths<'a> {
    pub fn new(program: &'a Program) -> Self {
        let exprs = (0..program.exprs.expr_count()).map(ExprId::from_index);
        let places = (0..program.exprs.place_count()).map(PlaceId::from_index);
        Self {
            program,
            exprs: exprs.map(|e| (program.exprs.expr(e), e)).collect(),
            places: places.map(|p| (program.exprs.place(p), p)).collect(),
        }
    }

    /// The expression with one part replaced by another, if the program has it and it is another.
    pub fn renamed(&self, e: ExprId, old: ExprId, new: ExprId) -> Option<ExprId> {
        let renamed = self.expr(e, old, new)?;
        (renamed != e).then_some(renamed)
    }

    fn expr(&self, e: ExprId, old: ExprId, new: ExprId) -> Option<ExprId> {
        if e == old {
            return Some(new);
        }
        let Expr { ty, kind } = self.program.exprs.expr(e);
        let kind = match kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => return Some(e),
            ExprKind::Load(place) => ExprKind::Load(self.place(place, old, new)?),
            ExprKind::AddrOf(place) => ExprKind::AddrOf(self.place(place, old, new)?),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, self.expr(a, old, new)?),
            ExprKind::Cast(a) => ExprKind::Cast(self.expr(a, old, new)?),
            ExprKind::Binary(op, a, b) => {
                ExprKind::Binary(op, self.expr(a, old, new)?, self.expr(b, old, new)?)
            }
            ExprKind::PtrAdd(a, b) => {
                ExprKind::PtrAdd(self.expr(a, old, new)?, self.expr(b, old, new)?)
            }
            ExprKind::PtrDiff(a, b) => {
                ExprKind::PtrDiff(self.expr(a, old, new)?, self.expr(b, old, new)?)
            }
        };
        self.exprs.get(&Expr { ty, kind }).copied()
    }

    fn place(&self, place: PlaceId, old: ExprId, new: ExprId) -> Option<PlaceId> {
        let Place { ty, kind } = self.program.exprs.place(place);
        let kind = match kind {
            PlaceKind::Var(_) => return Some(place),
            PlaceKind::Deref(e) => {
                let pointer = self.expr(e, old, new)?;
                // `*&x` is `x`.
                if let ExprKind::AddrOf(inner) = self.program.exprs.expr(pointer).kind
                    && self.program.place_ty(inner) == ty
                {
                    return Some(inner);
                }
                PlaceKind::Deref(pointer)
            }
            PlaceKind::Field(base, field) => PlaceKind::Field(self.place(base, old, new)?, field),
            PlaceKind::Index(base, index) => {
                PlaceKind::Index(self.place(base, old, new)?, self.expr(index, old, new)?)
            }
        };
        self.places.get(&Place { ty, kind }).copied()
    }
}
