//! Initial values of static variables as C initialisers.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::c_text::{Names, string_literal};
use crate::emit_c::{EmitError, Emitter};
use crate::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use crate::program::{InitItem, Initializer, Storage, VarId};
use crate::types::{Type, TypeId};

impl Emitter<'_> {
    /// ` = ...`, or nothing for a variable that is all zero.
    pub(super) fn initializer(&self, var: VarId, init: &Initializer) -> Result<String, EmitError> {
        let error = |reason: String| EmitError::Initializer {
            variable: self.program.vars[var].name.clone(),
            reason,
        };
        // Each part with its designator.
        let mut parts: Vec<(String, String)> = Vec::new();
        let alone = init.items.len() == 1;
        for item in &init.items {
            let (InitItem::Value { place, .. } | InitItem::Bytes { place, .. }) = item;
            let path = self.designator(*place).ok_or_else(|| error("its place".into()))?;
            match item {
                InitItem::Value { value, .. } => {
                    let ty = self.program.expr_ty(*value);
                    let zero = matches!(self.program.exprs.expr(*value).kind, ExprKind::Zero);
                    match self.program.types.get(ty) {
                        // Everything is zero to begin with.
                        Type::Array { .. } | Type::Record(_) if zero && parts.is_empty() => {}
                        Type::Array { .. } | Type::Record(_) if zero => {
                            parts.push((path, "{}".to_owned()));
                        }
                        Type::Array { .. } | Type::Record(_) => {
                            return Err(error("it copies an aggregate".into()));
                        }
                        _ if self.loads(*value) => {
                            return Err(error("it reads another variable".into()));
                        }
                        _ => parts.push((path, self.text().expr(*value))),
                    }
                }
                InitItem::Bytes { place, bytes } => {
                    let ty = self.program.place_ty(*place);
                    if (alone || !path.is_empty()) && self.is_char_array(ty) {
                        parts.push((path, self.string(ty, bytes)));
                    } else {
                        self.scattered(&mut parts, &path, ty, bytes).map_err(error)?;
                    }
                }
            }
        }
        Ok(match &parts[..] {
            [] => String::new(),
            [.., (path, value)] if path.is_empty() => format!(" = {value}"),
            _ => {
                let mut out = String::from(" = {");
                for (path, value) in &parts {
                    let _ = write!(out, "\n  {path} = {value},");
                }
                out.push_str("\n}");
                out
            }
        })
    }

    /// `.field[3]` on the way from the variable to the place; nothing for the variable itself.
    fn designator(&self, place: PlaceId) -> Option<String> {
        let exprs = &self.program.exprs;
        match exprs.place(place).kind {
            PlaceKind::Var(_) => Some(String::new()),
            PlaceKind::Deref(_) => None,
            PlaceKind::Field(base, field) => {
                let (record, _) = self.program.types.as_record(exprs.place(base).ty)?;
                Some(format!("{}.{}", self.designator(base)?, self.names.field(record, field)))
            }
            PlaceKind::Index(base, index) => {
                Some(format!("{}[{}]", self.designator(base)?, self.program.as_int(index)?))
            }
        }
    }

    fn is_char_array(&self, ty: TypeId) -> bool {
        let types = &self.program.types;
        match *types.get(ty) {
            Type::Array { elem, .. } => matches!(types.get(elem), Type::Int { bits: 8, .. }),
            _ => false,
        }
    }

    /// The zeros at the end come by themselves, but only where the array has its length: the
    /// elements of a flexible array are those that are written.
    fn string(&self, ty: TypeId, bytes: &[u8]) -> String {
        let flexible = self.program.types.size(ty) == 0;
        let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        string_literal(if flexible { bytes } else { &bytes[..end] })
    }

    /// Bytes of something else than characters, number by number.
    fn scattered(
        &self,
        parts: &mut Vec<(String, String)>,
        path: &str,
        ty: TypeId,
        bytes: &[u8],
    ) -> Result<(), String> {
        let types = &self.program.types;
        match *types.get(ty) {
            Type::Array { elem, .. } => {
                let size = usize::try_from(types.size(elem)).unwrap_or(0).max(1);
                for (index, chunk) in bytes.chunks(size).enumerate() {
                    if chunk.iter().any(|&byte| byte != 0) {
                        self.scattered(parts, &format!("{path}[{index}]"), elem, chunk)?;
                    }
                }
                Ok(())
            }
            Type::Bool | Type::Int { .. } => {
                let mut whole = [0; 16];
                let count = bytes.len().min(16);
                whole[..count].copy_from_slice(&bytes[..count]);
                let value = u128::from_le_bytes(whole);
                let suffix = if value > u128::from(i32::MAX.unsigned_abs()) { "ULL" } else { "" };
                let Ok(value) = u64::try_from(value) else {
                    return Err("bytes of a number of 128 bits".into());
                };
                parts.push((path.to_owned(), format!("{value}{suffix}")));
                Ok(())
            }
            _ => Err("bytes of something else than numbers".into()),
        }
    }

    /// Whether a value is loaded anywhere in the expression.
    fn loads(&self, e: ExprId) -> bool {
        self.any_part(e, &mut |kind| matches!(kind, ExprKind::Load(_)))
    }

    /// Variables that the initialiser of an earlier one points to.
    pub(super) fn forward_references(&self) -> Vec<VarId> {
        let mut found = BTreeSet::new();
        for var in self.program.globals() {
            let Storage::Static { init: Some(init), .. } = &self.program.vars[var].storage else {
                continue;
            };
            for item in &init.items {
                let InitItem::Value { value, .. } = item else { continue };
                self.any_part(*value, &mut |kind| {
                    if let ExprKind::AddrOf(place) = kind
                        && let Some(target) = self.program.exprs.root_var(place)
                        && target > var
                    {
                        found.insert(target);
                    }
                    false
                });
            }
        }
        found.into_iter().collect()
    }

    /// Whether a part of the expression has the property.
    fn any_part(&self, e: ExprId, holds: &mut impl FnMut(ExprKind) -> bool) -> bool {
        let exprs = &self.program.exprs;
        let mut work = vec![e];
        while let Some(e) = work.pop() {
            let kind = exprs.expr(e).kind;
            if holds(kind) {
                return true;
            }
            match kind {
                ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
                ExprKind::Load(place) | ExprKind::AddrOf(place) => {
                    let mut place = place;
                    loop {
                        match exprs.place(place).kind {
                            PlaceKind::Var(_) => break,
                            PlaceKind::Deref(pointer) => {
                                work.push(pointer);
                                break;
                            }
                            PlaceKind::Field(base, _) => place = base,
                            PlaceKind::Index(base, index) => {
                                work.push(index);
                                place = base;
                            }
                        }
                    }
                }
                ExprKind::Unary(_, a) | ExprKind::Cast(a) => work.push(a),
                ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                    work.extend([a, b]);
                }
            }
        }
        false
    }
}
