//! Expressions that name a place.

use gnomon_ir::expr::{ExprKind as IrExprKind, PlaceId, PlaceKind};

use super::conv::{LVal, Val};
use super::ctype::{CRecordId, CType, CTypes, QType};
use super::decl::Object;
use super::expr::with_stack;
use super::{Entity, Lower, Res};
use crate::ast::{Encoding, ExprId, ExprKind, Quals, StringId, StringUnits, UnaryOp};
use crate::span::Span;
use crate::symbol::Symbol;

/// What an expression gives before it is used as a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    /// Something in memory; arrays are here.
    Place(LVal),
    /// A value.
    Value(Val),
    /// A function, by its number in [`Lower::globals`].
    Function(usize, QType),
    /// What a pointer to a function points to.
    CodeAt(Val, QType),
}

impl Lower<'_> {
    /// An expression as it stands: a place where it is one.
    pub(super) fn operand(&mut self, e: ExprId) -> Res<Operand> {
        with_stack(|| self.operand_here(e))
    }

    fn operand_here(&mut self, e: ExprId) -> Res<Operand> {
        let span = self.ast[e].span;
        self.last_span = span;
        match self.ast[e].kind {
            ExprKind::Ident(name) => self.identifier(name, span),
            ExprKind::Str(string) => Ok(Operand::Place(self.string_literal(string))),
            ExprKind::CompoundLiteral { ty, init } => self.compound_literal(ty, init, span),
            ExprKind::Unary { op: UnaryOp::Deref, operand } => {
                let pointer = self.rvalue(operand)?;
                self.points_to(pointer, span)
            }
            ExprKind::Index { base, index } => self.indexed(base, index, span),
            ExprKind::Member { base, field } => self.member_of(base, field, span),
            ExprKind::Arrow { base, field } => {
                let pointer = self.rvalue(base)?;
                let Operand::Place(record) = self.points_to(pointer, span)? else {
                    return Err(self.error(span, "a function has no members"));
                };
                Ok(Operand::Place(self.select(record, field, span)?))
            }
            ExprKind::Generic { control, associations } => {
                let chosen = self.generic_selection(control, associations, span)?;
                self.operand(chosen)
            }
            ExprKind::ChooseExpr { cond, then, els } => {
                let chosen = if self.constant_truth(cond)? { then } else { els };
                self.operand(chosen)
            }
            _ => Ok(Operand::Value(self.rvalue_here(e)?)),
        }
    }

    /// An expression that must name a place.
    pub(super) fn lvalue(&mut self, e: ExprId) -> Res<LVal> {
        match self.operand(e)? {
            Operand::Place(place) => Ok(place),
            // A record that is not in memory yet, such as the result of a call.
            Operand::Value(v) if self.types.is_record(v.ty) => Ok(self.place_of_record(v)),
            _ => Err(self.error(self.ast[e].span, "this is not something that has an address")),
        }
    }

    /// An expression that must name a place that can be changed.
    pub(super) fn modifiable(&mut self, e: ExprId) -> Res<LVal> {
        let span = self.ast[e].span;
        let Operand::Place(place) = self.operand(e)? else {
            return Err(self.error(span, "this cannot be assigned to"));
        };
        if self.types.is_array(place.ty) || self.types.is_function(place.ty) {
            return Err(self.error(span, "an array cannot be assigned to"));
        }
        let has_const = self.types.record(place.ty).is_some_and(|(_, r)| r.has_const);
        if place.ty.quals.contains(Quals::CONST) || has_const {
            return Err(self.error(span, "this is `const` and cannot be assigned to"));
        }
        Ok(place)
    }

    /// The place of a record value: every such value is read from somewhere.
    pub(super) fn place_of_record(&mut self, v: Val) -> LVal {
        if let IrExprKind::Load(place) = self.program.exprs.expr(v.e).kind {
            return LVal { place, ty: v.ty, bits: None };
        }
        let span = Span::default();
        let v = self.spill(v, span);
        match self.program.exprs.expr(v.e).kind {
            IrExprKind::Load(place) => LVal { place, ty: v.ty, bits: None },
            // Not reached: a spilled value is read from its temporary.
            _ => LVal { place: self.program.deref(v.e), ty: v.ty, bits: None },
        }
    }

    fn identifier(&mut self, name: Symbol, span: Span) -> Res<Operand> {
        match self.entities.get(name) {
            Some(Entity::Local { var, ty }) => {
                let place = self.program.var_place(var);
                Ok(Operand::Place(LVal { place, ty, bits: None }))
            }
            Some(Entity::Parameter(ty)) => {
                let ir = self.ir_type(ty);
                let place = self.nowhere(ir);
                Ok(Operand::Place(LVal { place, ty, bits: None }))
            }
            Some(Entity::Vla { pointer, ty }) => {
                let address = self.program.load_var(pointer);
                let place = self.program.deref(address);
                Ok(Operand::Place(LVal { place, ty, bits: None }))
            }
            Some(Entity::Global(index)) => self.global_operand(index),
            Some(Entity::Enumerator { value, ty }) => Ok(Operand::Value(self.int_val(ty, value))),
            Some(Entity::Typedef(_)) => {
                let message = format!("`{}` names a type, a value is needed here", self.name(name));
                Err(self.error(span, message))
            }
            None if self.known.func_name.contains(&Some(name)) => self.function_name_object(span),
            None => match self.builtin_function(name, span) {
                Some(index) => self.global_operand(index),
                None => {
                    let message = format!("`{}` is not declared", self.name(name));
                    Err(self.error(span, message))
                }
            },
        }
    }

    fn global_operand(&mut self, index: usize) -> Res<Operand> {
        let ty = self.globals[index].ty;
        if self.types.is_function(ty) {
            return Ok(Operand::Function(index, ty));
        }
        let var = match self.globals[index].object {
            Some(Object::Var(var)) => var,
            _ => self.global_variable(index)?,
        };
        let place = self.program.var_place(var);
        Ok(Operand::Place(LVal { place, ty, bits: None }))
    }

    /// `__func__`.
    fn function_name_object(&mut self, span: Span) -> Res<Operand> {
        let text = self.func.name.split('.').next().unwrap_or_default().to_owned();
        let elem = CTypes::CHAR.with(Quals::CONST);
        let len = super::ctype::ArrayLen::Fixed(text.len() as u64 + 1);
        let ty = self.types.plain(CType::Array(elem, len));
        let var = match self.func.name_object {
            Some(var) => var,
            None => {
                let var = self.constant_object(ty, text.as_bytes(), span);
                self.func.name_object = Some(var);
                var
            }
        };
        let place = self.program.var_place(var);
        Ok(Operand::Place(LVal { place, ty, bits: None }))
    }

    /// The object of a string literal.
    pub(super) fn string_literal(&mut self, string: StringId) -> LVal {
        let span = self.ast[string].span;
        let (ty, bytes) = self.string_bytes(string);
        // Equal literals of a file are one object, as compilers have it.
        let key = (self.ir_type(ty), bytes);
        let var = match self.literals.get(&key) {
            Some(&var) => var,
            None => {
                let var = self.constant_object(ty, &key.1, span);
                self.literals.insert(key, var);
                var
            }
        };
        let place = self.program.var_place(var);
        LVal { place, ty, bits: None }
    }

    /// The array type of a string literal and its bytes, without the final zeros.
    pub(super) fn string_bytes(&mut self, string: StringId) -> (QType, Vec<u8>) {
        let elem = match self.ast[string].encoding {
            Encoding::Plain | Encoding::Utf8 => CTypes::CHAR,
            Encoding::Wide => self.types.wchar_t(),
            Encoding::Utf16 => CTypes::USHORT,
            Encoding::Utf32 => CTypes::UINT,
        };
        let size = self.types.size(elem).unwrap_or(1) as usize;
        let units = self.ast.string_units(string);
        let len = super::ctype::ArrayLen::Fixed(units.len() as u64 + 1);
        let bytes = match units {
            StringUnits::Narrow(bytes) => bytes.to_vec(),
            StringUnits::Wide(units) => {
                units.iter().flat_map(|u| u.to_le_bytes()[..size].to_vec()).collect()
            }
        };
        (self.types.plain(CType::Array(elem, len)), bytes)
    }

    /// What a pointer value points to.
    pub(super) fn points_to(&mut self, pointer: Val, span: Span) -> Res<Operand> {
        let Some(to) = self.types.pointee(pointer.ty) else {
            let message = format!("a pointer is needed here, not `{}`", self.show_type(pointer.ty));
            return Err(self.error(span, message));
        };
        if self.types.is_function(to) {
            return Ok(Operand::CodeAt(pointer, to));
        }
        let place = self.program.deref(pointer.e);
        Ok(Operand::Place(LVal { place, ty: to, bits: None }))
    }

    fn indexed(&mut self, base: ExprId, index: ExprId, span: Span) -> Res<Operand> {
        let before = self.effects_before();
        let operand = self.operand(base)?;
        // An array that is in a place is indexed there, so that the bounds stay known.
        if let Operand::Place(array) = operand
            && let Some((elem, _)) = self.types.element(array.ty)
            && !self.types.is_vla(elem)
        {
            let place =
                if self.has_effects(index) { self.stabilize(array.place) } else { array.place };
            let mut first = self.operand_since(before, None);
            first.place = Some(array.place);
            let before = self.effects_before();
            let index = self.rvalue(index)?;
            let second = self.operand_since(before, Some(index.e));
            self.open_order(vec![first, second], span);
            let index = self.require_integer(index, span)?;
            let place = self.program.index(place, index.e);
            return Ok(Operand::Place(LVal { place, ty: elem, bits: None }));
        }
        let mut pointer = self.value_of(operand)?;
        let first = self.operand_since(before, Some(pointer.e));
        if self.has_effects(index) {
            pointer.e = self.keep(pointer.e);
        }
        let before = self.effects_before();
        let index = self.rvalue(index)?;
        let second = self.operand_since(before, Some(index.e));
        self.open_order(vec![first, second], span);
        let sum = self.add(pointer, index, span)?;
        self.points_to(sum, span)
    }

    fn member_of(&mut self, base: ExprId, field: Symbol, span: Span) -> Res<Operand> {
        let record = self.lvalue(base)?;
        Ok(Operand::Place(self.select(record, field, span)?))
    }

    /// A member of a record in a place, through anonymous records.
    pub(super) fn select(&mut self, record: LVal, field: Symbol, span: Span) -> Res<LVal> {
        let Some((id, complete)) = self.types.record(record.ty).map(|(id, r)| (id, r.complete))
        else {
            let message = format!("`{}` has no members", self.show_type(record.ty));
            return Err(self.error(span, message));
        };
        if !complete {
            let message = format!("`{}` is not complete here", self.show_type(record.ty));
            return Err(self.error(span, message));
        }
        let Some(path) = self.find_field(id, field) else {
            let message =
                format!("`{}` has no member `{}`", self.show_type(record.ty), self.name(field));
            return Err(self.error(span, message));
        };
        Ok(path.iter().fold(record, |lv, &index| self.select_index(lv, index)))
    }

    /// A member by its number.
    pub(super) fn select_index(&mut self, record: LVal, index: u32) -> LVal {
        let CType::Record(id) = *self.types.get(record.ty) else { return record };
        let id: CRecordId = id;
        let field = &self.types.records[id].fields[index as usize];
        let (ty, bits) = (field.ty.with(record.ty.quals), field.bits.map(|b| b.width));
        let place = self.program.field(record.place, index);
        LVal { place, ty, bits }
    }

    /// The address of a place, as a value.
    pub(super) fn address(&mut self, lv: LVal) -> Val {
        let ty = self.types.pointer(lv.ty);
        let ir = self.ir_type(ty);
        let e = self.program.address_of(lv.place);
        // The variable may be known better than this declaration of it: `extern int a[];`.
        Val { e: self.program.cast(ir, e), ty }
    }

    /// The same place, but with what leads there kept in temporaries, so that later effects do
    /// not move it.
    pub(super) fn stabilize(&mut self, place: PlaceId) -> PlaceId {
        // The depth is that of a type, and what the user nests is in temporaries already.
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => place,
            PlaceKind::Deref(pointer) => {
                let kept = self.keep(pointer);
                self.program.deref(kept)
            }
            PlaceKind::Field(base, field) => {
                let base = self.stabilize(base);
                self.program.field(base, field)
            }
            PlaceKind::Index(base, index) => {
                let base = self.stabilize(base);
                let index = self.keep(index);
                self.program.index(base, index)
            }
        }
    }
}
