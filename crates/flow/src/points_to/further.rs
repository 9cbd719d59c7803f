//! What a solution shows that the constraints did not say.
//!
//! A pointer that the program follows and that was found to point nowhere (nobody writes it: it is
//! uninitialised, or made from a number that is no address) is taken to come from outside.
//! Differences of pointers to different objects carry the addresses of both, and so does a pointer
//! that is moved by such a number.
//!
//! All of this is read off a solution, and the program is solved again with it.

use std::collections::BTreeSet;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::cfa::{Callee, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::Program;

use super::generate::Further;
use super::objects::{ObjectId, Objects};
use super::{ObjectKind, PointsTo};

impl PointsTo {
    /// What is to be solved with next: more than before, or the same.
    pub(super) fn further(
        &self,
        program: &Program,
        before: &Further,
        budget: &Budget,
    ) -> Result<Further, Exhausted> {
        let mut next = before.clone();
        let exprs = &program.exprs;
        for number in 0..exprs.place_count() {
            budget.check()?;
            if let PlaceKind::Deref(pointer) = exprs.place(PlaceId(number as u32)).kind {
                self.add_pointer(program, pointer, &mut next);
            }
        }
        let bodies = program.funcs.iter().filter_map(|function| function.body.as_ref());
        for edge in bodies.flat_map(|body| body.edges().iter()) {
            if let Op::Call(call) = &edge.op
                && let Callee::Indirect(pointer) = call.callee
            {
                self.add_pointer(program, pointer, &mut next);
            }
        }
        for number in 0..exprs.expr_count() {
            budget.check()?;
            let expr = ExprId(number as u32);
            match exprs.expr(expr).kind {
                ExprKind::PtrDiff(a, b) => {
                    let (a, b) = (self.objects_of(program, a), self.objects_of(program, b));
                    if a.is_disjoint(&b) && !a.is_empty() && !b.is_empty() {
                        next.crossing.insert(expr);
                    }
                }
                ExprKind::PtrAdd(_, index) => {
                    let held = self.objects_of(program, index);
                    if !held.is_empty() && !held.contains(&Objects::OUTSIDE) {
                        next.crossing.insert(expr);
                    }
                }
                _ => {}
            }
        }
        Ok(next)
    }

    pub(super) fn objects_of(&self, program: &Program, expr: ExprId) -> BTreeSet<ObjectId> {
        let pointers = self.value_pointers(program, expr);
        let data = |id: &ObjectId| !matches!(self.objects.get(*id).kind, ObjectKind::Function(_));
        pointers.into_iter().map(|(object, _)| object).filter(data).collect()
    }

    /// Takes the root of a pointer that is followed and points nowhere to come from outside.
    fn add_pointer(&self, program: &Program, pointer: ExprId, next: &mut Further) {
        if self.value_pointers(program, pointer).is_empty()
            && let Some(root) = root(program, pointer)
        {
            next.from_outside.insert(root);
        }
    }
}

/// What a pointer was before it was moved or converted; `None` for a constant.
fn root(program: &Program, mut e: ExprId) -> Option<ExprId> {
    loop {
        match program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => return None,
            ExprKind::PtrAdd(pointer, _) => e = pointer,
            ExprKind::Cast(inner) if program.types.is_pointer(program.expr_ty(inner)) => e = inner,
            ExprKind::Cast(inner) if program.exprs.const_bits(inner).is_some() => return None,
            ExprKind::AddrOf(place) => {
                let mut at = place;
                loop {
                    match program.exprs.place(at).kind {
                        PlaceKind::Var(_) => return None,
                        PlaceKind::Deref(pointer) => {
                            e = pointer;
                            break;
                        }
                        PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => at = base,
                    }
                }
            }
            _ => return Some(e),
        }
    }
}
