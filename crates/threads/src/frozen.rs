//! Parts of static variables that nothing writes are the constants that they begin with.
//!
//! What kind of mutex one is stands in its initialiser, and models ask for it at every call. Where
//! no operation of the program that is left can change it, the question is answered once.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::Op;
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{InitItem, Program, Storage, VarId};

use crate::operands::{Access, for_each_place};

/// Bytes of a variable: offset and size.
pub(crate) type Bytes = (u64, u64);

/// Replaces loads of what nothing writes in conditions by constants.
pub fn fold(program: &mut Program) {
    let mut written: BTreeMap<VarId, Vec<Bytes>> = BTreeMap::new();
    let mut whole: BTreeSet<VarId> = BTreeSet::new();
    for body in program.funcs.iter().flat_map(|f| f.body.iter()) {
        for edge in body.edges().iter() {
            for_each_place(program, &edge.op, &mut |place, access| {
                let Some(var) = program.exprs.root_var(place) else { return };
                if access == Access::Read {
                    return;
                }
                match bytes(program, place) {
                    Some(bytes) => written.entry(var).or_default().push(bytes),
                    None => {
                        whole.insert(var);
                    }
                }
            });
        }
    }
    let folding = Folding { written, whole };
    for func in program.funcs.ids() {
        let Some(mut body) = program.funcs[func].body.take() else { continue };
        body.rewrite_ops(|edge| match edge.op {
            Op::Assume(condition) => {
                let folded = folding.condition(program, condition);
                (folded != condition).then_some(Op::Assume(folded))
            }
            _ => None,
        });
        program.funcs[func].body = Some(body);
    }
}

struct Folding {
    written: BTreeMap<VarId, Vec<Bytes>>,
    whole: BTreeSet<VarId>,
}

impl Folding {
    /// A comparison with constants in it, where they are known.
    fn condition(&self, program: &mut Program, e: ExprId) -> ExprId {
        match program.exprs.expr(e).kind {
            ExprKind::Load(place) => self.value(program, place).unwrap_or(e),
            ExprKind::Cast(a) => {
                let ty = program.expr_ty(e);
                let a = self.condition(program, a);
                program.cast(ty, a)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.condition(program, a), self.condition(program, b));
                program.binary(op, a, b)
            }
            _ => e,
        }
    }

    /// What an integer in a static variable always is.
    fn value(&self, program: &mut Program, place: PlaceId) -> Option<ExprId> {
        let var = program.exprs.root_var(place)?;
        let ty = program.place_ty(place);
        let info = &program.vars[var];
        let Storage::Static { init: Some(init), .. } = &info.storage else { return None };
        if info.address_taken || self.whole.contains(&var) || !program.types.is_integer(ty) {
            return None;
        }
        let (at, size) = bytes(program, place)?;
        let meets = |&(other, length): &Bytes| at < other + length && other < at + size;
        if self.written.get(&var).is_some_and(|all| all.iter().any(meets)) {
            return None;
        }
        let mut value = None;
        for item in &init.items {
            let (InitItem::Value { place, .. } | InitItem::Bytes { place, .. }) = item;
            let found = bytes(program, *place)?;
            if !meets(&found) {
                continue;
            }
            match item {
                InitItem::Value { value: found_value, .. } if found == (at, size) => {
                    value = Some(*found_value);
                }
                _ => return None,
            }
        }
        match value {
            Some(value) if program.expr_ty(value) == ty => {
                program.as_int(value).is_some().then_some(value)
            }
            Some(_) => None,
            None => Some(program.zero(ty)),
        }
    }
}

/// The bytes of a variable that a place without pointers and with constant indices is.
pub(crate) fn bytes(program: &Program, place: PlaceId) -> Option<Bytes> {
    let size = program.types.size(program.place_ty(place));
    Some((offset(program, place)?, size))
}

fn offset(program: &Program, place: PlaceId) -> Option<u64> {
    match program.exprs.place(place).kind {
        PlaceKind::Var(_) => Some(0),
        PlaceKind::Deref(_) => None,
        PlaceKind::Field(base, number) => {
            let (_, record) = program.types.as_record(program.place_ty(base))?;
            let field = record.fields.get(number as usize)?;
            match field.bits {
                Some(_) => None,
                None => offset(program, base)?.checked_add(field.offset),
            }
        }
        PlaceKind::Index(base, index) => {
            let index = u64::try_from(program.as_int(index)?).ok()?;
            let size = program.types.size(program.place_ty(place));
            offset(program, base)?.checked_add(index.checked_mul(size)?)
        }
    }
}
