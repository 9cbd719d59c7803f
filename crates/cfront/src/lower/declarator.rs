//! From specifiers and declarators to types.

use super::ctype::{ArrayLen, CType, CTypes, FloatType, FuncType, IntKind, QType};
use super::expr::with_stack;
use super::{Entity, Lower, Res};
use crate::ast::{
    ArraySize, BasicType, DeclaratorId, DerivedKind, ExprId, Param, ParamList, Quals, SpecsId,
    TypeNameId, TypeSpec,
};
use crate::span::Span;

/// How many pointers, arrays and functions a type may be made of. What works on types after this
/// is recursive and relies on it.
const MAX_TYPE_HEIGHT: u16 = 256;

impl Lower<'_> {
    /// The type of a type name.
    pub(super) fn type_name(&mut self, id: TypeNameId) -> Res<QType> {
        let name = self.ast[id];
        let base = self.specifiers(name.specs, false)?;
        let ty = self.declared_type(base, name.declarator)?;
        let lists = [self.ast[name.specs].attributes, self.ast[name.declarator].attributes];
        let attributes = self.attributes(&lists)?;
        let ty = attributes.mode.map_or(ty, |mode| self.apply_mode(ty, mode));
        Ok(attributes.align.map_or(ty, |align| ty.aligned(align)))
    }

    /// The type of declaration specifiers. `alone` if no declarator follows.
    pub(super) fn specifiers(&mut self, id: SpecsId, alone: bool) -> Res<QType> {
        with_stack(|| self.specifiers_here(id, alone))
    }

    fn specifiers_here(&mut self, id: SpecsId, alone: bool) -> Res<QType> {
        let specs = self.ast[id];
        let ty = match specs.ty {
            TypeSpec::Implicit => CTypes::INT,
            TypeSpec::Basic(basic) => self.basic_type(basic, specs.span)?,
            TypeSpec::Complex(_) => {
                return Err(self.unsupported(specs.span, "complex types are not supported"));
            }
            TypeSpec::BitInt { .. } => {
                return Err(self.unsupported(specs.span, "`_BitInt` is not supported"));
            }
            TypeSpec::Typedef(name) => match self.entities.get(name) {
                Some(Entity::Typedef(ty)) => ty,
                _ => {
                    let message = format!("`{}` does not name a type", self.name(name));
                    return Err(self.error(specs.span, message));
                }
            },
            TypeSpec::Record(record) => {
                let record = self.record_specifier(record, alone)?;
                self.types.plain(CType::Record(record))
            }
            TypeSpec::Enum(enumeration) => {
                let enumeration = self.enum_specifier(enumeration)?;
                QType::plain(self.enum_type(enumeration))
            }
            TypeSpec::TypeofExpr { expr, unqual } => self.typeof_expr(expr, unqual)?,
            TypeSpec::TypeofType { ty, unqual } => {
                let ty = self.type_name(ty)?;
                if unqual { ty.unqualified() } else { ty }
            }
            TypeSpec::Atomic(ty) => self.type_name(ty)?.with(Quals::ATOMIC),
            TypeSpec::Auto => {
                return Err(self.error(specs.span, "`__auto_type` needs an initialiser here"));
            }
            TypeSpec::VaList => self.va_list_type(),
            TypeSpec::Error => return Err(self.already_reported()),
        };
        Ok(ty.with(specs.quals))
    }

    /// For nodes that the parser made after an error of its own.
    pub(super) fn already_reported(&mut self) -> super::Reported {
        self.func.incomplete = true;
        super::Reported
    }

    fn basic_type(&mut self, basic: BasicType, span: Span) -> Res<QType> {
        let is_128 = matches!(basic, BasicType::Int128 | BasicType::UnsignedInt128);
        if is_128 && self.types.target() == gnomon_ir::types::Target::Ilp32 {
            return Err(self.error(span, "there is no `__int128` on machines of 32 bits"));
        }
        let int = |kind| CType::Int(kind);
        let float = |ty| CType::Float(ty);
        let ty = match basic {
            BasicType::Void => CType::Void,
            BasicType::Bool => CType::Bool,
            BasicType::Char => int(IntKind::Char),
            BasicType::SignedChar => int(IntKind::SChar),
            BasicType::UnsignedChar => int(IntKind::UChar),
            BasicType::Short => int(IntKind::Short),
            BasicType::UnsignedShort => int(IntKind::UShort),
            BasicType::Int => int(IntKind::Int),
            BasicType::UnsignedInt => int(IntKind::UInt),
            BasicType::Long => int(IntKind::Long),
            BasicType::UnsignedLong => int(IntKind::ULong),
            BasicType::LongLong => int(IntKind::LongLong),
            BasicType::UnsignedLongLong => int(IntKind::ULongLong),
            BasicType::Int128 => int(IntKind::Int128),
            BasicType::UnsignedInt128 => int(IntKind::UInt128),
            BasicType::Float => float(FloatType::Float),
            BasicType::Double => float(FloatType::Double),
            BasicType::LongDouble | BasicType::Float80 => float(FloatType::LongDouble),
            BasicType::Float16 => float(FloatType::Float16),
            BasicType::Float32 => float(FloatType::Float32),
            BasicType::Float64 => float(FloatType::Float64),
            BasicType::Float128 => float(FloatType::Float128),
            BasicType::Float32x => float(FloatType::Float32x),
            BasicType::Float64x => float(FloatType::Float64x),
            BasicType::BFloat16 => {
                return Err(self.unsupported(span, "`__bf16` is not supported"));
            }
            BasicType::Decimal32 | BasicType::Decimal64 | BasicType::Decimal128 => {
                return Err(self.unsupported(span, "decimal floating point is not supported"));
            }
        };
        Ok(self.types.plain(ty))
    }

    fn typeof_expr(&mut self, expr: ExprId, unqual: bool) -> Res<QType> {
        let ty = self.evaluated_type_of(expr)?;
        let ty = self.object_type(ty);
        Ok(if unqual { ty.unqualified() } else { ty })
    }

    /// The specifiers' type wrapped by a declarator's parts.
    pub(super) fn declared_type(&mut self, base: QType, id: DeclaratorId) -> Res<QType> {
        let parts = &self.ast[self.ast[id].parts];
        let mut ty = base;
        for part in parts.iter().rev() {
            ty = match part.kind {
                DerivedKind::Pointer { quals, attributes } => {
                    let pointer = self.types.pointer(ty).with(quals);
                    let attributes = self.attributes(&[attributes])?;
                    attributes.align.map_or(pointer, |align| pointer.aligned(align))
                }
                DerivedKind::Array { size, .. } => self.array_type(ty, size, part.span)?,
                DerivedKind::Function(list) => self.function_type(ty, list, part.span)?,
            };
            if self.types.height(ty) > MAX_TYPE_HEIGHT {
                return Err(self.unsupported(part.span, "types of this depth are not supported"));
            }
        }
        Ok(ty)
    }

    fn array_type(&mut self, elem: QType, size: ArraySize, span: Span) -> Res<QType> {
        if self.types.is_function(elem) || self.types.is_void(elem) {
            let message =
                format!("an array cannot have elements of type `{}`", self.show_type(elem));
            return Err(self.error(span, message));
        }
        if !self.types.is_complete(elem) {
            let message =
                format!("the elements have the incomplete type `{}`", self.show_type(elem));
            return Err(self.error(span, message));
        }
        let len = match size {
            ArraySize::Unspecified => ArrayLen::Unknown,
            ArraySize::Star => ArrayLen::Star,
            ArraySize::Expr(e) => self.array_length(e)?,
        };
        if let ArrayLen::Fixed(len) = len
            && let Some(size) = self.types.size(elem)
            && size.checked_mul(len).is_none_or(|bytes| bytes > i64::MAX as u64)
        {
            return Err(self.error(span, "the array is too large"));
        }
        // Qualifiers and alignment of the elements are those of the array too.
        Ok(self.types.plain(CType::Array(elem, len)))
    }

    fn array_length(&mut self, e: ExprId) -> Res<ArrayLen> {
        let span = self.ast[e].span;
        let is_evaluated = self.func.prototype == 0 && self.func.inside;
        let value =
            if is_evaluated { self.rvalue(e)? } else { self.unevaluated(|lower| lower.rvalue(e))? };
        if !self.types.is_integer(value.ty) {
            return Err(self.error(span, "the length of an array must be an integer"));
        }
        if let Some(len) = self.program.as_int(value.e) {
            return match u64::try_from(len) {
                Ok(len) => Ok(ArrayLen::Fixed(len)),
                Err(_) => Err(self.error(span, "the length of an array cannot be negative")),
            };
        }
        if self.func.prototype > 0 || self.func.unevaluated > 0 && !self.func.inside {
            return Ok(ArrayLen::Star);
        }
        if !is_evaluated {
            return Err(self.error(span, "the length of an array must be constant at file scope"));
        }
        let size_t = self.types.size_t();
        let length = self.convert(value, size_t);
        let length = self.spill(length, span);
        Ok(ArrayLen::Variable(self.types.vla_lengths.push(length.e)))
    }

    fn function_type(&mut self, result: QType, list: ParamList, span: Span) -> Res<QType> {
        if self.types.is_function(result) || self.types.is_array(result) {
            let message = format!("a function cannot return `{}`", self.show_type(result));
            return Err(self.error(span, message));
        }
        let (params, variadic, prototyped) = match list {
            ParamList::Unspecified => (Vec::new(), false, false),
            ParamList::Identifiers(_) => (Vec::new(), false, false),
            ParamList::Prototype { params, variadic } => {
                self.func.prototype += 1;
                let list = self.in_block(|lower| lower.parameters(params));
                self.func.prototype -= 1;
                (list?, variadic, true)
            }
        };
        let f =
            FuncType { result: result.unqualified(), params: params.into(), variadic, prototyped };
        Ok(self.types.plain(CType::Function(f)))
    }

    /// The parameters of a prototype, with their types adjusted; names are bound, so that later
    /// ones can mention earlier ones in array lengths.
    fn parameters(&mut self, params: crate::ast::List<Param>) -> Res<Vec<QType>> {
        let mut list = Vec::with_capacity(params.len());
        let mentions_lengths = self.ast[params].iter().any(|p| self.has_array_length(p.declarator));
        for param in &self.ast[params] {
            let base = self.specifiers(param.specs, false)?;
            let declarator = self.ast[param.declarator];
            let ty = self.declared_type(base, param.declarator)?;
            let attributes =
                self.attributes(&[self.ast[param.specs].attributes, declarator.attributes])?;
            let ty = attributes.mode.map_or(ty, |mode| self.apply_mode(ty, mode));
            let ty = self.adjust_parameter(ty);
            if self.types.is_void(ty) {
                return Err(self.error(param.span, "a parameter cannot have type `void`"));
            }
            if let Some(name) = declarator.name
                && mentions_lengths
            {
                self.entities.bind(name, Entity::Parameter(ty));
            }
            list.push(ty);
        }
        Ok(list)
    }

    fn has_array_length(&self, declarator: DeclaratorId) -> bool {
        self.ast[self.ast[declarator].parts]
            .iter()
            .any(|part| matches!(part.kind, DerivedKind::Array { size: ArraySize::Expr(_), .. }))
    }

    /// Arrays and functions as parameters are pointers.
    pub(super) fn adjust_parameter(&mut self, ty: QType) -> QType {
        match *self.types.get(ty) {
            CType::Array(elem, _) => {
                let elem = elem.with(ty.quals);
                self.types.pointer(elem)
            }
            CType::Function(_) => self.types.pointer(ty),
            _ => ty,
        }
    }
}
