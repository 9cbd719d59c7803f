//! Struct, union and enum specifiers.

use std::collections::HashSet;

use gnomon_ir::types as ir;

use super::attr::Attributes;
use super::ctype::{
    ArrayLen, CEnum, CEnumId, CField, CRecord, CRecordId, CType, CTypeId, CTypes, IntKind, QType,
};
use super::layout::{MemberShape, lay_out};
use super::{Entity, Lower, Res, Tag};
use crate::ast::{
    DeclaratorId, EnumId, ExprId, List, Member, MemberDeclarator, MemberKind, Quals, RecordId,
    RecordKind, SpecsId, TypeSpec,
};
use crate::span::Span;
use crate::symbol::Symbol;

/// A member on the way into a record.
struct NewMember {
    name: Option<Symbol>,
    ty: QType,
    shape: MemberShape,
    /// Takes part in the layout only.
    unnamed_bits: bool,
}

/// The steps from a record to a member: numbers of fields, through anonymous records.
pub(super) type FieldPath = Vec<u32>;

impl Lower<'_> {
    /// The record of a specifier. `alone` if the declaration declares nothing else, which makes
    /// `struct s;` a new record in an inner block.
    pub(super) fn record_specifier(&mut self, id: RecordId, alone: bool) -> Res<CRecordId> {
        let ast = self.ast[id];
        let kind = match ast.kind {
            RecordKind::Struct => ir::RecordKind::Struct,
            RecordKind::Union => ir::RecordKind::Union,
        };
        let existing = ast.tag.and_then(|tag| {
            if ast.members.is_some() || alone {
                self.tags.get_here(tag)
            } else {
                self.tags.get(tag)
            }
        });
        let record = match existing {
            Some(Tag::Record(record)) if self.types.records[record].kind == kind => record,
            Some(_) => {
                let message =
                    format!("`{}` is declared as another kind of tag", self.tag_name(ast.tag));
                return Err(self.error(ast.tag_span, message));
            }
            None => {
                let record = self.new_record(ast.tag, kind, ast.tag_span);
                if let Some(tag) = ast.tag {
                    self.tags.bind(tag, Tag::Record(record));
                }
                record
            }
        };
        if let Some(members) = ast.members {
            if self.types.records[record].complete {
                let message = format!("`{}` is defined twice", self.tag_name(ast.tag));
                return Err(self.error(ast.tag_span, message));
            }
            let attributes = self.attributes(&[ast.attributes])?;
            self.complete_record(record, members, &attributes, ast.pack.map(u64::from), ast.span)?;
        }
        Ok(record)
    }

    fn tag_name(&self, tag: Option<Symbol>) -> String {
        tag.map_or_else(String::new, |tag| self.name(tag).to_owned())
    }

    fn new_record(&mut self, tag: Option<Symbol>, kind: ir::RecordKind, span: Span) -> CRecordId {
        let at_file_scope = self.tags.depth() == 0;
        let definition = if at_file_scope { self.linker.record_text(tag, span) } else { None };
        let (ir, ir_type) = match tag {
            Some(tag) if at_file_scope && definition.is_none() => {
                self.linker.undefined_record(self.program, self.names, tag, kind)
            }
            _ => self.linker.record(self.program, self.names, tag, kind, definition),
        };
        self.types.records.push(CRecord {
            tag,
            kind,
            fields: Vec::new(),
            size: 0,
            align: 1,
            complete: false,
            transparent: false,
            has_const: false,
            ir,
            ir_type,
        })
    }

    fn complete_record(
        &mut self,
        id: CRecordId,
        members: List<Member>,
        attributes: &Attributes,
        pack: Option<u64>,
        span: Span,
    ) -> Res<()> {
        let mut collected = Vec::new();
        for member in &self.ast[members] {
            match member.kind {
                MemberKind::StaticAssert { cond, message } => self.static_assert(cond, message)?,
                MemberKind::Fields { specs, declarators } => {
                    self.collect_members(specs, declarators, attributes.packed, &mut collected)?;
                }
            }
        }
        self.check_member_names(&collected, span)?;
        let kind = self.types.records[id].kind;
        let shapes: Vec<MemberShape> = collected.iter().map(|m| m.shape).collect();
        let Some(layout) = lay_out(kind, &shapes, pack, attributes.align) else {
            return Err(self.error(span, "this type is too large"));
        };
        let has_const = collected.iter().any(|m| {
            m.ty.quals.contains(Quals::CONST)
                || self.types.record(m.ty).is_some_and(|(_, r)| r.has_const)
        });
        let mut fields = Vec::with_capacity(collected.len());
        let mut ir_fields = Vec::with_capacity(collected.len());
        for (member, place) in collected.iter().zip(&layout.members) {
            if member.unnamed_bits {
                continue;
            }
            let (offset, bits) = (place.offset, place.bits);
            fields.push(CField { name: member.name, ty: member.ty, offset, bits });
            let name = self.tag_name(member.name);
            let ty = self.ir_type(member.ty);
            ir_fields.push(ir::Field { name, ty, offset, bits });
        }
        let record = &mut self.types.records[id];
        record.fields = fields;
        record.size = layout.size;
        record.align = layout.align;
        record.complete = true;
        record.transparent = attributes.transparent_union;
        record.has_const = has_const;
        let (ir_id, name) = (record.ir, self.program.types.record(record.ir).name.clone());
        let complete = ir::Record {
            name,
            kind,
            fields: ir_fields,
            size: layout.size,
            align: layout.align,
            complete: true,
        };
        let old = self.program.types.record_mut(ir_id);
        if old.complete && *old != complete {
            let message = "this type is defined differently in another file with the same text";
            return Err(self.unsupported(span, message));
        }
        *old = complete;
        Ok(())
    }

    fn collect_members(
        &mut self,
        specs: SpecsId,
        declarators: List<MemberDeclarator>,
        packed: bool,
        collected: &mut Vec<NewMember>,
    ) -> Res<()> {
        let base = self.specifiers(specs, false)?;
        let spec_attributes = self.attributes(&[self.ast[specs].attributes])?;
        let spec_align = self.alignments(self.ast[specs].alignments)?.max(spec_attributes.align);
        if declarators.is_empty() {
            let anonymous = match self.ast[specs].ty {
                TypeSpec::Record(record) => self.ast[record].tag.is_none(),
                // A typedef of a record without declarator is an anonymous member only with
                // -fms-extensions; gcc drops it otherwise.
                _ => false,
            };
            if anonymous {
                let shape = self.member_shape(base, packed || spec_attributes.packed, spec_align);
                collected.push(NewMember { name: None, ty: base, shape, unnamed_bits: false });
            }
            return Ok(());
        }
        for declarator in &self.ast[declarators] {
            let mut member = self.member(base, declarator, spec_align)?;
            member.shape.packed |= packed || spec_attributes.packed;
            collected.push(member);
        }
        Ok(())
    }

    fn member(
        &mut self,
        base: QType,
        declarator: &MemberDeclarator,
        spec_align: Option<u64>,
    ) -> Res<NewMember> {
        let id: DeclaratorId = declarator.declarator;
        let (name, attribute_list) = (self.ast[id].name, self.ast[id].attributes);
        let mut ty = self.declared_type(base, id)?;
        let attributes = self.attributes(&[attribute_list])?;
        if let Some(mode) = attributes.mode {
            ty = self.apply_mode(ty, mode);
        }
        if self.types.is_function(ty) {
            return Err(self.error(declarator.span, "a member cannot be a function"));
        }
        if self.types.is_vla(ty) {
            let message = "an array of variable length in a struct is not supported";
            return Err(self.unsupported(declarator.span, message));
        }
        let flexible = matches!(self.types.get(ty), CType::Array(_, ArrayLen::Unknown));
        if !flexible && !self.types.is_complete(ty) {
            let message = format!("the member has the incomplete type `{}`", self.show_type(ty));
            return Err(self.error(declarator.span, message));
        }
        let align = spec_align.max(attributes.align);
        let mut shape = self.member_shape(ty, attributes.packed, align);
        shape.named = name.is_some();
        if let Some(width) = declarator.bit_width {
            shape.bit_width = Some(self.bit_width(ty, width, name.is_some(), declarator.span)?);
        }
        let unnamed_bits = declarator.bit_width.is_some() && name.is_none();
        Ok(NewMember { name, ty, shape, unnamed_bits })
    }

    fn bit_width(&mut self, ty: QType, width: ExprId, named: bool, span: Span) -> Res<u64> {
        if !self.types.is_integer(ty) {
            let message = format!("a bit-field cannot have type `{}`", self.show_type(ty));
            return Err(self.error(span, message));
        }
        let value = self.constant_int(width)?;
        let bits = self.types.size(ty).unwrap_or(0) * 8;
        let bits = if self.types.get(ty) == &CType::Bool { 1 } else { bits };
        match u64::try_from(value) {
            Ok(0) if named => Err(self.error(span, "a bit-field with a name cannot have width 0")),
            Ok(width) if width <= bits => Ok(width),
            _ => {
                Err(self
                    .error(span, format!("the width {value} does not fit the bit-field's type")))
            }
        }
    }

    fn member_shape(&self, ty: QType, packed: bool, declared_align: Option<u64>) -> MemberShape {
        MemberShape {
            size: self.types.size(ty).unwrap_or(0),
            align: self.types.align(ty, true),
            declared_align,
            packed,
            bit_width: None,
            named: true,
        }
    }

    fn check_member_names(&mut self, members: &[NewMember], span: Span) -> Res<()> {
        let mut seen = HashSet::new();
        let mut work: Vec<(Option<Symbol>, QType)> =
            members.iter().rev().map(|m| (m.name, m.ty)).collect();
        while let Some((name, ty)) = work.pop() {
            match name {
                Some(name) if !seen.insert(name) => {
                    let message = format!("the member `{}` is declared twice", self.name(name));
                    return Err(self.error(span, message));
                }
                Some(_) => {}
                None => {
                    if let Some((_, record)) = self.types.record(ty) {
                        work.extend(record.fields.iter().map(|f| (f.name, f.ty)));
                    }
                }
            }
        }
        Ok(())
    }

    /// The way to the member of that name, through anonymous records.
    pub(super) fn find_field(&self, record: CRecordId, name: Symbol) -> Option<FieldPath> {
        let fields = &self.types.records[record].fields;
        if let Some(index) = fields.iter().position(|f| f.name == Some(name)) {
            return Some(vec![index as u32]);
        }
        fields.iter().enumerate().filter(|(_, f)| f.name.is_none()).find_map(|(index, field)| {
            let (inner, _) = self.types.record(field.ty)?;
            let mut path = self.find_field(inner, name)?;
            path.insert(0, index as u32);
            Some(path)
        })
    }

    /// The enumeration of a specifier.
    pub(super) fn enum_specifier(&mut self, id: EnumId) -> Res<CEnumId> {
        let ast = self.ast[id];
        let existing = ast.tag.and_then(|tag| {
            if ast.enumerators.is_some() { self.tags.get_here(tag) } else { self.tags.get(tag) }
        });
        let enumeration = match existing {
            Some(Tag::Enum(enumeration)) => enumeration,
            Some(Tag::Record(_)) => {
                let message =
                    format!("`{}` is declared as another kind of tag", self.tag_name(ast.tag));
                return Err(self.error(ast.tag_span, message));
            }
            None => {
                let new = CEnum { tag: ast.tag, underlying: CTypes::UINT.id, complete: false };
                let new = self.types.enums.push(new);
                if let Some(tag) = ast.tag {
                    self.tags.bind(tag, Tag::Enum(new));
                }
                new
            }
        };
        let underlying = match ast.underlying {
            Some(ty) => Some(self.type_name(ty)?),
            None => None,
        };
        if let Some(ty) = underlying {
            let plain = self.types.int_kind(ty).map(|kind| self.types.int(kind));
            let bool_type = self.types.get(ty) == &CType::Bool;
            self.types.enums[enumeration].underlying =
                if bool_type { CTypes::BOOL.id } else { plain.unwrap_or(CTypes::INT).id };
            self.types.enums[enumeration].complete = true;
        }
        if let Some(enumerators) = ast.enumerators {
            let attributes = self.attributes(&[ast.attributes])?;
            let mut values = Vec::with_capacity(enumerators.len());
            let mut next: i128 = 0;
            for enumerator in &self.ast[enumerators] {
                if let Some(value) = enumerator.value {
                    next = self.constant_int(value)?;
                }
                // While the enumeration is open its constants have the type of their value.
                let ty = underlying.unwrap_or_else(|| self.type_of_enumerator(next));
                self.entities.bind(enumerator.name, Entity::Enumerator { value: next, ty });
                values.push((enumerator.name, next));
                next = next.wrapping_add(1);
            }
            if underlying.is_none() {
                let range = values.iter().map(|&(_, value)| value);
                let (min, max) = (range.clone().min().unwrap_or(0), range.max().unwrap_or(0));
                let kind = self.enum_kind(min, max, attributes.packed);
                let ty = self.types.int(kind);
                self.types.enums[enumeration].underlying = ty.id;
                // Constants that do not fit `int` get the type of the enumeration (gcc).
                let fits_int = i32::try_from(min).is_ok() && i32::try_from(max).is_ok();
                if !fits_int {
                    for (name, value) in values {
                        let small = i32::try_from(value).is_ok();
                        let ty = if small { CTypes::INT } else { ty };
                        self.entities.bind(name, Entity::Enumerator { value, ty });
                    }
                }
            }
            self.types.enums[enumeration].complete = true;
        } else if ast.tag.is_none() {
            return Err(self.error(ast.span, "an enumeration needs a tag or enumerators"));
        }
        Ok(enumeration)
    }

    fn type_of_enumerator(&mut self, value: i128) -> QType {
        let kind = if i32::try_from(value).is_ok() {
            IntKind::Int
        } else if u32::try_from(value).is_ok() {
            IntKind::UInt
        } else if i64::try_from(value).is_ok() {
            if self.types.target() == ir::Target::Lp64 { IntKind::Long } else { IntKind::LongLong }
        } else if self.types.target() == ir::Target::Lp64 {
            IntKind::ULong
        } else {
            IntKind::ULongLong
        };
        self.types.int(kind)
    }

    fn enum_kind(&self, min: i128, max: i128, packed: bool) -> IntKind {
        let candidates: &[IntKind] = match (packed, self.types.target()) {
            (true, _) => &[
                IntKind::UChar,
                IntKind::SChar,
                IntKind::UShort,
                IntKind::Short,
                IntKind::UInt,
                IntKind::Int,
            ],
            (false, _) => &[IntKind::UInt, IntKind::Int],
        };
        let wide: &[IntKind] = match self.types.target() {
            ir::Target::Lp64 => &[IntKind::ULong, IntKind::Long],
            ir::Target::Ilp32 => &[IntKind::ULongLong, IntKind::LongLong],
        };
        let fits = |kind: &IntKind| {
            let bits = u32::from(kind.bits(self.types.target()));
            let (low, high) = if kind.signed() {
                (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
            } else {
                (0, (1i128 << bits) - 1)
            };
            low <= min && max <= high
        };
        candidates.iter().chain(wide).copied().find(fits).unwrap_or(IntKind::LongLong)
    }

    /// The type of `va_list`, made on first use.
    pub(super) fn va_list_type(&mut self) -> QType {
        if self.types.va_list != CTypes::VOID {
            return self.types.va_list;
        }
        let ty = match self.types.target() {
            ir::Target::Ilp32 => self.types.pointer(CTypes::CHAR),
            ir::Target::Lp64 => self.va_list_record(),
        };
        self.types.va_list = ty;
        ty
    }

    fn va_list_record(&mut self) -> QType {
        let void_pointer = self.types.pointer(CTypes::VOID);
        let (ir, ir_type) = self.linker.va_list_record(self.program);
        let field = |ty, offset| CField { name: None, ty, offset, bits: None };
        // Its members have no names: nobody may look into it.
        let fields = vec![
            field(CTypes::UINT, 0),
            field(CTypes::UINT, 4),
            field(void_pointer, 8),
            field(void_pointer, 16),
        ];
        let record = self.types.records.push(CRecord {
            tag: None,
            kind: ir::RecordKind::Struct,
            fields,
            size: 24,
            align: 8,
            complete: true,
            transparent: false,
            has_const: false,
            ir,
            ir_type,
        });
        let element = self.types.plain(CType::Record(record));
        self.types.plain(CType::Array(element, ArrayLen::Fixed(1)))
    }

    /// The type of an enumeration or its underlying one, for places that need a [`CTypeId`].
    pub(super) fn enum_type(&mut self, id: CEnumId) -> CTypeId {
        self.types.intern(CType::Enum(id))
    }
}
