//! Conversions: decay, promotions, the usual arithmetic conversions, assignment, compatibility.

use gnomon_ir::expr::{BinaryOp, ExprId, PlaceId};
use gnomon_ir::types as ir;

use super::ctype::{ArrayLen, CType, CTypes, FloatType, FuncType, IntKind, QType};
use super::{Lower, Res};
use crate::ast::Quals;
use crate::span::Span;

/// A value: an expression of the model with its C type (never an array or function).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Val {
    pub e: ExprId,
    pub ty: QType,
}

/// Something that has an address, or a bit-field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LVal {
    pub place: PlaceId,
    pub ty: QType,
    /// Width and signedness of a bit-field.
    pub bits: Option<u8>,
}

impl Lower<'_> {
    /// The model's type.
    pub(super) fn ir_type(&mut self, ty: QType) -> ir::TypeId {
        if let Some(id) = self.types.ir_types[ty.id.0 as usize] {
            return id;
        }
        let types = &mut self.program.types;
        let id = match self.types.get(ty).clone() {
            CType::Void => ir::Types::VOID,
            CType::Bool => ir::Types::BOOL,
            CType::Int(kind) | CType::Bits(kind, _) => {
                types.int(kind.bits(types.target()), kind.signed())
            }
            CType::Float(float) => types.float(float.kind()),
            // Not kept: the underlying type may become known later.
            CType::Enum(id) => return self.ir_type(QType::plain(self.types.enums[id].underlying)),
            CType::Record(id) => self.types.records[id].ir_type,
            CType::Pointer(to) => {
                let to = self.ir_type(to);
                self.program.types.pointer(to)
            }
            CType::Array(elem, len) => {
                let elem = self.ir_type(elem);
                let len = if let ArrayLen::Fixed(len) = len { len } else { 0 };
                self.program.types.array(elem, len)
            }
            CType::Function(f) => self.ir_function_type(&f),
        };
        self.types.ir_types[ty.id.0 as usize] = Some(id);
        id
    }

    fn ir_function_type(&mut self, f: &FuncType) -> ir::TypeId {
        let result = self.ir_type(f.result);
        let params = f.params.iter().map(|&p| self.ir_type(p)).collect();
        let (variadic, prototyped) = (f.variadic, f.prototyped);
        let signature = ir::Signature { result, params, variadic, prototyped };
        self.program.types.intern(ir::Type::Function(signature))
    }

    /// The value of an integer constant of a C type.
    pub(super) fn int_val(&mut self, ty: QType, value: i128) -> Val {
        let ir = self.ir_type(ty);
        let v = Val { e: self.program.int(ir, value), ty };
        self.wrap(v)
    }

    /// The value of a bit-field's type cut to its width; others as they are.
    pub(super) fn wrap(&mut self, v: Val) -> Val {
        let CType::Bits(kind, width) = *self.types.get(v.ty) else { return v };
        let unused = kind.bits(self.types.target()) - u16::from(width);
        let count = self.program.int(ir::Types::I32, i128::from(unused));
        // Shifting to the top and back extends by the sign where there is one. What is shifted out
        // is no overflow of the user's, so the way up is unsigned.
        let ty = self.program.expr_ty(v.e);
        let unsigned = self.program.types.int(kind.bits(self.types.target()), false);
        let cut = self.program.cast(unsigned, v.e);
        let up = self.program.binary(BinaryOp::Shl, cut, count);
        let up = self.program.cast(ty, up);
        Val { e: self.program.binary(BinaryOp::Shr, up, count), ty: v.ty }
    }

    /// The integer promotions (C17 6.3.1.1).
    pub(super) fn promote(&mut self, v: Val) -> Val {
        if let CType::Bits(kind, width) = *self.types.get(v.ty) {
            return match promoted_bits(kind, width) {
                Some(kind) => {
                    let ty = self.types.int(kind);
                    self.convert(v, ty)
                }
                None => v,
            };
        }
        match self.types.int_kind(v.ty) {
            Some(kind) if kind.rank() < IntKind::Int.rank() => self.convert(v, CTypes::INT),
            Some(kind) if !matches!(self.types.get(v.ty), CType::Int(_)) => {
                let ty = self.types.int(kind);
                self.convert(v, ty)
            }
            _ => v,
        }
    }

    /// The promotions of an argument without a parameter.
    pub(super) fn promote_argument(&mut self, v: Val) -> Val {
        match self.types.get(v.ty) {
            CType::Float(FloatType::Float) => self.convert(v, CTypes::DOUBLE),
            _ => self.promote(v),
        }
    }

    /// The common type of the usual arithmetic conversions (C17 6.3.1.8).
    pub(super) fn common_type(&mut self, a: QType, b: QType) -> QType {
        let float = |types: &CTypes, ty| match *types.get(ty) {
            CType::Float(f) => Some(f),
            _ => None,
        };
        let (fa, fb) = (float(&self.types, a), float(&self.types, b));
        if let Some(largest) = fa.max(fb) {
            return self.types.plain(CType::Float(largest));
        }
        let (ka, kb) = match (self.promoted_kind(a), self.promoted_kind(b)) {
            (Ok(a), Ok(b)) => (a, b),
            (a, b) => return self.common_with_bits(a, b),
        };
        let kind = common_int_kind(ka, kb, self.types.target());
        self.types.int(kind)
    }

    /// The promoted type of an integer; as an error a bit-field wider than `int`, which stays.
    fn promoted_kind(&self, ty: QType) -> Result<IntKind, (IntKind, u8)> {
        if let CType::Bits(kind, width) = *self.types.get(ty) {
            return promoted_bits(kind, width).ok_or((kind, width));
        }
        Ok(match self.types.int_kind(ty) {
            Some(kind) if kind.rank() >= IntKind::Int.rank() => kind,
            _ => IntKind::Int,
        })
    }

    /// Of two integer types one of which is that of a bit-field the wider one; of two of the same
    /// width the unsigned one.
    fn common_with_bits(
        &mut self,
        a: Result<IntKind, (IntKind, u8)>,
        b: Result<IntKind, (IntKind, u8)>,
    ) -> QType {
        let target = self.types.target();
        let order = |side: Result<IntKind, (IntKind, u8)>| match side {
            Ok(kind) => (kind.bits(target), !kind.signed()),
            Err((kind, width)) => (u16::from(width), !kind.signed()),
        };
        match if order(a) >= order(b) { a } else { b } {
            Ok(kind) => self.types.int(kind),
            Err((kind, width)) => self.types.plain(CType::Bits(kind, width)),
        }
    }

    /// Both values in their common type.
    pub(super) fn balance(&mut self, a: Val, b: Val) -> (Val, Val) {
        let ty = self.common_type(a.ty, b.ty);
        (self.convert(a, ty), self.convert(b, ty))
    }

    /// The value in another scalar type, as a cast does it.
    pub(super) fn convert(&mut self, v: Val, to: QType) -> Val {
        let ty = to.unqualified();
        let target = self.ir_type(ty);
        if target == ir::Types::BOOL
            && let Some(truth) = self.program.as_truth(v.e)
        {
            return Val { e: self.program.int(target, i128::from(truth)), ty };
        }
        let converted = Val { e: self.program.cast(target, v.e), ty };
        if v.ty.id == ty.id { converted } else { self.wrap(converted) }
    }

    /// The value as assignment, initialisation, arguments and `return` convert it. What gcc only
    /// warns of (pointers of other types, integers for pointers) is accepted.
    pub(super) fn assign_convert(&mut self, v: Val, to: QType, span: Span) -> Res<Val> {
        let types = &self.types;
        let fits = match (types.get(v.ty), types.get(to)) {
            (CType::Record(a), CType::Record(b)) => a == b,
            (CType::Pointer(_), CType::Float(_)) | (CType::Float(_), CType::Pointer(_)) => false,
            _ => types.is_scalar(v.ty) && types.is_scalar(to),
        };
        if fits {
            return Ok(if self.types.is_record(to) { v } else { self.convert(v, to) });
        }
        let message = format!(
            "a value of type `{}` cannot be converted to `{}`",
            self.show_type(v.ty),
            self.show_type(to)
        );
        Err(self.error(span, message))
    }

    /// Whether two types are compatible (C17 6.2.7); qualifiers count only below the top.
    pub(super) fn compatible(&self, a: QType, b: QType) -> bool {
        if a.id == b.id {
            return true;
        }
        let types = &self.types;
        let same = |a: QType, b: QType| {
            without_restrict(a.quals) == without_restrict(b.quals) && self.compatible(a, b)
        };
        match (types.get(a), types.get(b)) {
            (&CType::Pointer(a), &CType::Pointer(b)) => same(a, b),
            (&CType::Array(a, la), &CType::Array(b, lb)) => {
                let lengths = match (la, lb) {
                    (ArrayLen::Fixed(a), ArrayLen::Fixed(b)) => a == b,
                    _ => true,
                };
                lengths && same(a, b)
            }
            (CType::Enum(e), CType::Int(_)) => types.enums[*e].underlying == b.id,
            (CType::Int(_), CType::Enum(e)) => types.enums[*e].underlying == a.id,
            (CType::Function(f), CType::Function(g)) => {
                let params = !f.prototyped
                    || !g.prototyped
                    || (f.variadic == g.variadic
                        && f.params.len() == g.params.len()
                        && f.params.iter().zip(&g.params).all(|(&a, &b)| self.compatible(a, b)));
                params && self.compatible(f.result, g.result)
            }
            _ => false,
        }
    }

    /// The type that knows what both know (C17 6.2.7p3): of two declarations of one thing.
    pub(super) fn composite(&mut self, a: QType, b: QType) -> QType {
        if a.id == b.id {
            return a.with(b.quals);
        }
        match (self.types.get(a).clone(), self.types.get(b).clone()) {
            (CType::Array(ea, la), CType::Array(eb, lb)) => {
                let elem = self.composite(ea, eb);
                let len = if la == ArrayLen::Unknown { lb } else { la };
                self.types.plain(CType::Array(elem, len)).with(a.quals)
            }
            (CType::Pointer(to_a), CType::Pointer(to_b)) => {
                let to = self.composite(to_a, to_b);
                self.types.pointer(to).with(a.quals)
            }
            (CType::Function(f), CType::Function(g)) => {
                let result = self.composite(f.result, g.result);
                let merged = match (f.prototyped, g.prototyped) {
                    (true, true) if f.params.len() == g.params.len() => {
                        let pairs = f.params.iter().zip(&g.params);
                        let params = pairs.map(|(&a, &b)| self.composite(a, b)).collect();
                        FuncType { result, params, ..f }
                    }
                    (true, _) => FuncType { result, ..f },
                    (false, _) => FuncType { result, ..g },
                };
                self.types.plain(CType::Function(merged))
            }
            (_, CType::Enum(_)) => b,
            _ => a,
        }
    }

    /// A place's value: bit-fields, arrays and functions become what an expression makes of them.
    pub(super) fn read(&mut self, lv: LVal) -> Val {
        if let Some((elem, _)) = self.types.element(lv.ty) {
            let ty = self.types.pointer(elem);
            return Val { e: self.program.decay(lv.place), ty };
        }
        let v = match self.read_volatile(lv) {
            Some(v) => v,
            None => {
                let place = self.as_declared(lv);
                Val { e: self.program.load(place), ty: lv.ty.unqualified() }
            }
        };
        match lv.bits {
            Some(width) => Val { e: v.e, ty: self.bit_field_type(v.ty, width) },
            None => v,
        }
    }

    /// The place in its declared type: a static record whose flexible array member is initialised
    /// is longer than its type says, and is read and written as if it were not.
    pub(super) fn as_declared(&mut self, lv: LVal) -> PlaceId {
        if !self.types.is_record(lv.ty) || self.program.place_ty(lv.place) == self.ir_type(lv.ty) {
            return lv.place;
        }
        let address = self.address(lv);
        self.program.deref(address.e)
    }

    /// The type of a bit-field as an expression.
    fn bit_field_type(&mut self, declared: QType, width: u8) -> QType {
        match self.types.int_kind(declared) {
            Some(kind) if self.types.get(declared) != &CType::Bool => {
                if u16::from(width) == kind.bits(self.types.target()) {
                    self.types.int(kind)
                } else {
                    self.types.plain(CType::Bits(kind, width))
                }
            }
            _ => declared,
        }
    }

    /// The type that an object can have whose type is taken from an expression.
    pub(super) fn object_type(&mut self, ty: QType) -> QType {
        match *self.types.get(ty) {
            CType::Bits(kind, _) => self.types.int(kind).with(ty.quals),
            _ => ty,
        }
    }

    /// A value as a condition takes it.
    pub(super) fn require_scalar(&mut self, v: Val, span: Span) -> Res<Val> {
        if self.types.is_scalar(v.ty) {
            return Ok(v);
        }
        let message =
            format!("a scalar is needed here, but this has type `{}`", self.show_type(v.ty));
        Err(self.error(span, message))
    }

    /// A type as the user would write it.
    pub(super) fn show_type(&self, ty: QType) -> String {
        let quals = [
            (Quals::CONST, "const "),
            (Quals::VOLATILE, "volatile "),
            (Quals::RESTRICT, "restrict "),
            (Quals::ATOMIC, "_Atomic "),
        ];
        let prefix: String =
            quals.iter().filter(|(q, _)| ty.quals.contains(*q)).map(|(_, text)| *text).collect();
        let name = |tag: Option<_>| tag.map_or("<anonymous>", |t| self.names.name(t));
        let body = match self.types.get(ty) {
            CType::Void => "void".to_owned(),
            CType::Bool => "_Bool".to_owned(),
            CType::Int(kind) => kind.name().to_owned(),
            CType::Bits(kind, width) => format!("{} : {width}", kind.name()),
            CType::Float(float) => float.name().to_owned(),
            CType::Enum(id) => format!("enum {}", name(self.types.enums[*id].tag)),
            CType::Record(id) => {
                let record = &self.types.records[*id];
                let keyword = match record.kind {
                    ir::RecordKind::Struct => "struct",
                    ir::RecordKind::Union => "union",
                };
                format!("{keyword} {}", name(record.tag))
            }
            CType::Pointer(to) => match self.types.get(*to) {
                CType::Function(f) => return self.show_function(f, &format!("(*{prefix})")),
                _ => return format!("{} *{prefix}", self.show_type(*to)).trim_end().to_owned(),
            },
            CType::Array(elem, len) => {
                let len = if let ArrayLen::Fixed(n) = len { n.to_string() } else { String::new() };
                format!("{}[{len}]", self.show_type(*elem))
            }
            CType::Function(f) => self.show_function(f, ""),
        };
        prefix + &body
    }

    fn show_function(&self, f: &FuncType, inner: &str) -> String {
        let params: Vec<String> = f.params.iter().map(|&p| self.show_type(p)).collect();
        let dots = if f.variadic { ", ..." } else { "" };
        format!("{} {inner}({}{dots})", self.show_type(f.result), params.join(", "))
    }
}

/// What the integer promotions make of a bit-field; `None` if it is wider than `int` (C17
/// 6.3.1.1p2, and gcc's reading of it).
fn promoted_bits(kind: IntKind, width: u8) -> Option<IntKind> {
    match width {
        ..32 => Some(IntKind::Int),
        32 if kind.signed() => Some(IntKind::Int),
        32 => Some(IntKind::UInt),
        _ => None,
    }
}

fn without_restrict(quals: Quals) -> (bool, bool, bool) {
    (quals.contains(Quals::CONST), quals.contains(Quals::VOLATILE), quals.contains(Quals::ATOMIC))
}

/// C17 6.3.1.8 for two promoted integer types.
pub(super) fn common_int_kind(a: IntKind, b: IntKind, target: ir::Target) -> IntKind {
    if a.signed() == b.signed() {
        return if a.rank() >= b.rank() { a } else { b };
    }
    let (signed, unsigned) = if a.signed() { (a, b) } else { (b, a) };
    if unsigned.rank() >= signed.rank() {
        unsigned
    } else if signed.bits(target) > unsigned.bits(target) {
        signed
    } else {
        signed.to_unsigned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Target::{Ilp32, Lp64};

    #[test]
    fn long_and_unsigned_depend_on_the_machine() {
        assert_eq!(common_int_kind(IntKind::Long, IntKind::UInt, Lp64), IntKind::Long);
        assert_eq!(common_int_kind(IntKind::Long, IntKind::UInt, Ilp32), IntKind::ULong);
        assert_eq!(common_int_kind(IntKind::LongLong, IntKind::ULong, Lp64), IntKind::ULongLong);
        assert_eq!(common_int_kind(IntKind::Int, IntKind::UInt, Lp64), IntKind::UInt);
    }
}
