//! Initialisers (C17 6.7.9): braces and their absence, designators, strings, unknown lengths.
//!
//! One walk serves static and local variables: it visits the subobjects in the order of the list
//! and stores each value through [`Lower::init_store`], which writes down an item of a static
//! initialiser or emits an assignment. What is not mentioned is zero.

use gnomon_ir::cfa::Op;
use gnomon_ir::expr::{ExprId as IrExpr, ExprKind as IrExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{InitItem as IrInitItem, Initializer, Storage, VarId};

use super::conv::{LVal, Val};
use super::ctype::{ArrayLen, CType, IntKind, QType};
use super::expr::with_stack;
use super::{Lower, Res};
use crate::ast::{
    DesignationId, Designator, Encoding, ExprId, ExprKind, Init, InitItem, InitListId, StringId,
};
use crate::span::Span;

/// How many elements a range may have: each becomes an item of the model.
const MAX_RANGE: u64 = 1 << 20;

/// Where values go.
enum Sink {
    /// Into a static initialiser.
    Static(Vec<IrInitItem>),
    /// Into assignments at the current location.
    Assignments,
    /// Nowhere: only the length of an array is wanted.
    Measure,
}

/// Whose braces the items stand in that fill an aggregate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListOf {
    /// Its own: designators are about its members.
    Own,
    /// An enclosing aggregate's, and the next item was found to be for this one.
    Elided,
    /// An enclosing aggregate's, and a designation led into this one before.
    Designated,
}

/// The state of one initialisation.
struct Walk {
    sink: Sink,
    /// The largest number of elements of the outermost array, if its length is unknown.
    measured: u64,
    /// The place of that array.
    measured_place: Option<PlaceId>,
    /// The values of a list, which are evaluated in no order (C17 6.7.9p23).
    operands: Vec<super::unsequenced::Operand>,
}

impl Walk {
    fn new(sink: Sink) -> Self {
        Self { sink, measured: 0, measured_place: None, operands: Vec::new() }
    }
}

impl Lower<'_> {
    /// The initial value of a static variable.
    pub(super) fn static_initializer(
        &mut self,
        var: VarId,
        ty: QType,
        init: Init,
    ) -> Res<Initializer> {
        self.make_room(var, ty, init)?;
        let place = self.program.var_place(var);
        let lv = LVal { place, ty, bits: None };
        let mut walk = Walk::new(Sink::Static(Vec::new()));
        self.unevaluated(|lower| lower.initialize(lv, init, &mut walk))?;
        let Sink::Static(items) = walk.sink else { return Ok(Initializer::default()) };
        Ok(Initializer { items })
    }

    /// Gives a static variable whose flexible array member is initialised (GNU) a record of its
    /// own, in which that array has a length.
    fn make_room(&mut self, var: VarId, ty: QType, init: Init) -> Res<()> {
        let Some((_, record)) = self.types.record(ty) else { return Ok(()) };
        let (ir, Some(last)) = (record.ir, record.fields.len().checked_sub(1)) else {
            return Ok(());
        };
        let flexible =
            matches!(self.types.get(record.fields[last].ty), CType::Array(_, ArrayLen::Unknown));
        if !flexible || matches!(init, Init::Expr(_)) {
            return Ok(());
        }
        let ir_type = self.ir_type(ty);
        let mut walk = Walk::new(Sink::Measure);
        self.unevaluated(|lower| {
            let place = lower.nowhere(ir_type);
            walk.measured_place = Some(lower.program.field(place, last as u32));
            lower.initialize(LVal { place, ty, bits: None }, init, &mut walk)
        })?;
        if walk.measured > 0 {
            let longer = self.linker.record_with_length(self.program, ir, walk.measured);
            self.linker.retype_variable(self.program, var, longer);
        }
        Ok(())
    }

    /// The assignments that initialise a local variable.
    pub(super) fn local_initializer(&mut self, var: VarId, ty: QType, init: Init) -> Res<()> {
        let place = self.program.var_place(var);
        let lv = LVal { place, ty, bits: None };
        if let Init::Expr(e) = init
            && let ExprKind::Call { callee, args } = self.ast[e].kind
            && self.types.is_complete(ty)
            && {
                self.check_sequence(e);
                true
            }
            && self.call_into(lv, callee, args, self.ast[e].span)?
        {
            return Ok(());
        }
        self.initialize_here(lv, init)
    }

    pub(super) fn initialize_here(&mut self, lv: LVal, init: Init) -> Res<()> {
        let is_aggregate = self.types.is_array(lv.ty) || self.types.is_record(lv.ty);
        if is_aggregate && let Init::List(list) = init {
            let ir = self.program.place_ty(lv.place);
            let zero = self.program.zero(ir);
            self.emit(Op::Assign { dst: lv.place, src: zero }, self.ast[list].span);
        }
        let mut walk = Walk::new(Sink::Assignments);
        self.initialize(lv, init, &mut walk)?;
        if let Init::List(list) = init {
            self.open_order(walk.operands, self.ast[list].span);
        }
        Ok(())
    }

    /// The type with the length that the initialiser gives it.
    pub(super) fn complete_by_initializer(&mut self, ty: QType, init: Init) -> Res<QType> {
        let CType::Array(elem, ArrayLen::Unknown) = *self.types.get(ty) else { return Ok(ty) };
        let len = match init {
            Init::Expr(e) => match self.string_of(init, elem) {
                Some(string) => self.ast.string_units(string).len() as u64 + 1,
                None => self.length_of_value(e)?,
            },
            Init::List(list) => self.length_of_list(elem, list)?,
        };
        let complete = self.types.plain(CType::Array(elem, ArrayLen::Fixed(len)));
        let complete = complete.with(ty.quals);
        Ok(match ty.user_align() {
            Some(align) => complete.aligned(align),
            None => complete,
        })
    }

    fn length_of_value(&mut self, e: ExprId) -> Res<u64> {
        let ty = self.type_of(e)?;
        match self.types.element(ty) {
            Some((_, ArrayLen::Fixed(len))) => Ok(len),
            _ => Err(self.error(self.ast[e].span, "an array needs a list in braces or a string")),
        }
    }

    fn length_of_list(&mut self, elem: QType, list: InitListId) -> Res<u64> {
        if let Some(string) = self.string_of(Init::List(list), elem) {
            return Ok(self.ast.string_units(string).len() as u64 + 1);
        }
        let items = &self.ast[self.ast[list].items];
        let scalar = self.types.is_scalar(elem);
        let simple = |item: &InitItem| {
            item.designation.is_none() && (scalar || matches!(item.init, Init::List(_)))
        };
        if items.iter().all(simple) {
            return Ok(items.len() as u64);
        }
        // Which items belong to one element depends on their types: walk once without effect.
        let unknown = self.types.plain(CType::Array(elem, ArrayLen::Unknown));
        let ir = self.ir_type(unknown);
        let mut walk = Walk::new(Sink::Measure);
        self.unevaluated(|lower| {
            let place = lower.nowhere(ir);
            walk.measured_place = Some(place);
            lower.initialize(LVal { place, ty: unknown, bits: None }, Init::List(list), &mut walk)
        })?;
        Ok(walk.measured)
    }

    /// The string literal that initialises an array of characters, with or without braces.
    fn string_of(&self, init: Init, elem: QType) -> Option<StringId> {
        let e = match init {
            Init::Expr(e) => e,
            Init::List(list) => match self.ast[self.ast[list].items] {
                [InitItem { designation: None, init: Init::Expr(e) }] => e,
                _ => return None,
            },
        };
        let ExprKind::Str(string) = self.ast[e].kind else { return None };
        let kind = self.types.int_kind(elem)?;
        let fits = match self.ast[string].encoding {
            Encoding::Plain | Encoding::Utf8 => kind.rank() == IntKind::Char.rank(),
            Encoding::Wide => elem.id == self.types.wchar_t().id,
            Encoding::Utf16 => kind == IntKind::UShort,
            Encoding::Utf32 => kind == IntKind::UInt,
        };
        fits.then_some(string)
    }

    fn initialize(&mut self, lv: LVal, init: Init, walk: &mut Walk) -> Res<()> {
        with_stack(|| self.initialize_object(lv, init, walk))
    }

    fn initialize_object(&mut self, lv: LVal, init: Init, walk: &mut Walk) -> Res<()> {
        if let Some((elem, _)) = self.types.element(lv.ty)
            && let Some(string) = self.string_of(init, elem)
        {
            return self.init_string(lv, string, walk);
        }
        match init {
            Init::Expr(e) => self.init_value(lv, e, walk),
            Init::List(list) => self.init_list(lv, list, walk),
        }
    }

    fn init_list(&mut self, lv: LVal, list: InitListId, walk: &mut Walk) -> Res<()> {
        let items = &self.ast[self.ast[list].items];
        if self.types.is_array(lv.ty) || self.types.is_record(lv.ty) {
            let mut next = 0;
            self.fill(lv, items, &mut next, 0, ListOf::Own, walk)?;
            if next < items.len() {
                self.warn(self.ast[list].span, "there are more initialisers than members");
            }
            return Ok(());
        }
        match items.first() {
            Some(item) => self.initialize(lv, item.init, walk),
            // `int x = {};`
            None => {
                let ir = self.program.place_ty(lv.place);
                let zero = self.program.zero(ir);
                self.init_store(lv, zero, self.ast[list].span, walk)
            }
        }
    }

    /// Initialises the members of an aggregate from `position` on, with items from `next` on.
    fn fill(
        &mut self,
        lv: LVal,
        items: &[InitItem],
        next: &mut usize,
        position: u64,
        list: ListOf,
        walk: &mut Walk,
    ) -> Res<()> {
        let mut position = position;
        // Without braces of its own the aggregate is filled from the item that led to it, whose
        // designation was followed already.
        let followed = (list == ListOf::Elided).then_some(*next);
        while let Some(item) = items.get(*next) {
            if let Some(designation) = item.designation
                && followed != Some(*next)
            {
                if list != ListOf::Own {
                    return Ok(());
                }
                position = self.designated(lv, designation, items, next, walk)?;
                continue;
            }
            let Some(member) = self.member_at(lv, position) else { return Ok(()) };
            self.note_length(lv, position, walk);
            position += 1;
            self.init_member(member, items, next, walk)?;
        }
        Ok(())
    }

    /// Initialises one member with the next item, or, if that has no braces and is not a value of
    /// the member's type, its members with the next items.
    fn init_member(
        &mut self,
        member: LVal,
        items: &[InitItem],
        next: &mut usize,
        walk: &mut Walk,
    ) -> Res<()> {
        let init = items[*next].init;
        let aggregate = self.types.is_array(member.ty) || self.types.is_record(member.ty);
        if let Init::Expr(e) = init
            && aggregate
            && !self.initializes_whole(member.ty, e)?
        {
            if self.member_at(member, 0).is_none() {
                // An empty record takes nothing.
                return Ok(());
            }
            return self.fill(member, items, next, 0, ListOf::Elided, walk);
        }
        *next += 1;
        self.initialize(member, init, walk)
    }

    fn initializes_whole(&mut self, ty: QType, e: ExprId) -> Res<bool> {
        if let Some((elem, _)) = self.types.element(ty) {
            let literal = matches!(self.ast[e].kind, ExprKind::CompoundLiteral { .. });
            return Ok(self.string_of(Init::Expr(e), elem).is_some() || literal);
        }
        // Only expressions that can have a record type are worth a look.
        let scalar = matches!(
            self.ast[e].kind,
            ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::Char(_)
                | ExprKind::Str(_)
                | ExprKind::Binary { .. }
        );
        if scalar {
            return Ok(false);
        }
        let value = self.type_of(e)?;
        Ok(self.types.is_record(value) && value.id == ty.id)
    }

    /// Follows a designation and initialises what it names; returns where to go on.
    fn designated(
        &mut self,
        lv: LVal,
        designation: DesignationId,
        items: &[InitItem],
        next: &mut usize,
        walk: &mut Walk,
    ) -> Res<u64> {
        let span = self.ast[designation].span;
        let designators = &self.ast[self.ast[designation].designators];
        self.follow(lv, designators, span, items, next, walk)
    }

    fn follow(
        &mut self,
        lv: LVal,
        designators: &[Designator],
        span: Span,
        items: &[InitItem],
        next: &mut usize,
        walk: &mut Walk,
    ) -> Res<u64> {
        let Some((first, rest)) = designators.split_first() else { return Ok(0) };
        match *first {
            Designator::Field(name) => {
                let path = self.types.record(lv.ty).and_then(|(id, _)| self.find_field(id, name));
                let Some(path) = path else {
                    let message =
                        format!("`{}` has no member `{}`", self.show_type(lv.ty), self.name(name));
                    return Err(self.error(span, message));
                };
                self.follow_path(lv, &path, rest, span, items, next, walk)
            }
            Designator::Index(index) => {
                let index = self.element_index(lv, index, span)?;
                self.note_length(lv, index, walk);
                let Some(member) = self.member_at(lv, index) else {
                    return Err(self.error(span, "this element is outside of the array"));
                };
                self.finish_designation(member, rest, span, items, next, walk)?;
                Ok(index + 1)
            }
            Designator::Range(first, last) => {
                let first = self.element_index(lv, first, span)?;
                let last = self.element_index(lv, last, span)?;
                self.note_length(lv, last, walk);
                if matches!(walk.sink, Sink::Measure) {
                    *next += 1;
                    return Ok(last.saturating_add(1));
                }
                if last.saturating_sub(first) >= MAX_RANGE {
                    let message = "an initialiser of so many elements is not supported";
                    return Err(self.unsupported(span, message));
                }
                if let Init::Expr(e) = items[*next].init
                    && self.has_effects(e)
                {
                    return self.init_range_once(lv, (first, last), e, rest, next, walk);
                }
                let start = *next;
                for index in first..=last {
                    let Some(member) = self.member_at(lv, index) else {
                        return Err(self.error(span, "this element is outside of the array"));
                    };
                    *next = start;
                    self.finish_designation(member, rest, span, items, next, walk)?;
                }
                Ok(last.saturating_add(1))
            }
        }
    }

    /// A range of elements from an expression with effects, which happen once (GNU).
    fn init_range_once(
        &mut self,
        lv: LVal,
        (first, last): (u64, u64),
        e: ExprId,
        rest: &[Designator],
        next: &mut usize,
        walk: &mut Walk,
    ) -> Res<u64> {
        let span = self.ast[e].span;
        let elem = self.types.element(lv.ty).map(|(elem, _)| elem);
        let whole = elem.is_some_and(|elem| !self.types.is_array(elem)) && rest.is_empty();
        if !whole || matches!(walk.sink, Sink::Static(_)) {
            let message = "effects in the initialiser of a range of such elements";
            return Err(self.unsupported(span, format!("{message} are not supported")));
        }
        *next += 1;
        let v = self.rvalue(e)?;
        let v = self.spill(v, span);
        for index in first..=last {
            let Some(member) = self.member_at(lv, index) else {
                return Err(self.error(span, "this element is outside of the array"));
            };
            let v = self.assign_convert(v, member.ty, span)?;
            self.init_store(member, v.e, span, walk)?;
        }
        Ok(last.saturating_add(1))
    }

    /// A member that may be in anonymous records: what follows it goes on behind it there.
    #[allow(clippy::too_many_arguments, reason = "the state of the walk")]
    fn follow_path(
        &mut self,
        lv: LVal,
        path: &[u32],
        rest: &[Designator],
        span: Span,
        items: &[InitItem],
        next: &mut usize,
        walk: &mut Walk,
    ) -> Res<u64> {
        let Some((&index, inner)) = path.split_first() else { return Ok(0) };
        let member = self.select_index(lv, index);
        if inner.is_empty() {
            self.finish_designation(member, rest, span, items, next, walk)?;
        } else {
            let position = self.follow_path(member, inner, rest, span, items, next, walk)?;
            self.fill(member, items, next, position, ListOf::Designated, walk)?;
        }
        Ok(self.position_after(lv, index))
    }

    fn finish_designation(
        &mut self,
        member: LVal,
        rest: &[Designator],
        span: Span,
        items: &[InitItem],
        next: &mut usize,
        walk: &mut Walk,
    ) -> Res<()> {
        if rest.is_empty() {
            return self.init_member(member, items, next, walk);
        }
        let position = self.follow(member, rest, span, items, next, walk)?;
        self.fill(member, items, next, position, ListOf::Designated, walk)
    }

    /// The position behind a field; a union is full after any.
    fn position_after(&self, lv: LVal, index: u32) -> u64 {
        match self.types.record(lv.ty) {
            Some((_, r)) if r.kind == gnomon_ir::types::RecordKind::Union => u64::MAX,
            _ => u64::from(index) + 1,
        }
    }

    fn element_index(&mut self, lv: LVal, index: ExprId, span: Span) -> Res<u64> {
        if !self.types.is_array(lv.ty) {
            let message = format!("`{}` is not an array", self.show_type(lv.ty));
            return Err(self.error(span, message));
        }
        let value = self.constant_int(index)?;
        match u64::try_from(value) {
            Ok(value) if value < 1 << 40 => Ok(value),
            _ => Err(self.error(span, "this element is outside of the array")),
        }
    }

    fn note_length(&mut self, lv: LVal, index: u64, walk: &mut Walk) {
        if walk.measured_place == Some(lv.place) {
            walk.measured = walk.measured.max(index + 1);
        }
    }

    /// The member or element at a position, if there is one.
    fn member_at(&mut self, lv: LVal, position: u64) -> Option<LVal> {
        match *self.types.get(lv.ty) {
            CType::Array(elem, len) => {
                if matches!(len, ArrayLen::Fixed(len) if position >= len) {
                    return None;
                }
                let size_t = self.types.size_t();
                let index = self.int_val(size_t, i128::from(position));
                let place = self.program.index(lv.place, index.e);
                Some(LVal { place, ty: elem.with(lv.ty.quals), bits: None })
            }
            CType::Record(id) => {
                let record = &self.types.records[id];
                let union = record.kind == gnomon_ir::types::RecordKind::Union;
                let exists = (position as usize) < record.fields.len() && !(union && position > 0);
                exists.then(|| self.select_index(lv, position as u32))
            }
            _ => None,
        }
    }

    fn init_value(&mut self, lv: LVal, e: ExprId, walk: &mut Walk) -> Res<()> {
        let span = self.ast[e].span;
        if matches!(walk.sink, Sink::Measure) {
            return Ok(());
        }
        if self.types.is_array(lv.ty) {
            return self.init_array_copy(lv, e, walk);
        }
        let is_static = matches!(walk.sink, Sink::Static(_));
        self.check_sequence(e);
        let before = self.func.cur;
        let effects = self.effects_before();
        let v = self.rvalue(e)?;
        let v = self.assign_convert(v, lv.ty, span)?;
        if !is_static {
            walk.operands.push(self.operand_since(effects, Some(v.e)));
            return self.init_store(lv, v.e, span, walk);
        }
        if self.types.is_record(lv.ty) {
            return self.init_static_copy(lv, v, span, walk);
        }
        let folded = self.fold_constant_loads(v.e);
        let is_constant = self.is_constant(folded) && self.func.cur == before;
        if !is_constant {
            return Err(self.error(span, "the initialiser is not a constant"));
        }
        self.init_store(lv, folded, span, walk)
    }

    /// `char a[] = (char[]){...}` and the like (GNU).
    fn init_array_copy(&mut self, lv: LVal, e: ExprId, walk: &mut Walk) -> Res<()> {
        let span = self.ast[e].span;
        match self.ast[e].kind {
            ExprKind::CompoundLiteral { init, .. } => self.init_list(lv, init, walk),
            _ => Err(self.error(span, "an array needs a list in braces or a string")),
        }
    }

    /// A static record from a constant one (GNU: compound literals; `const` objects).
    fn init_static_copy(&mut self, lv: LVal, v: Val, span: Span, walk: &mut Walk) -> Res<()> {
        let source = match self.program.exprs.expr(v.e).kind {
            IrExprKind::Load(place) => self.program.exprs.root_var(place).map(|var| (place, var)),
            _ => None,
        };
        let Some((place, var)) = source else {
            return Err(self.error(span, "the initialiser is not a constant"));
        };
        let Storage::Static { init: Some(init), .. } = self.program.vars[var].storage.clone()
        else {
            return Err(self.error(span, "the initialiser is not a constant"));
        };
        let whole = matches!(self.program.exprs.place(place).kind, PlaceKind::Var(_));
        if !whole {
            return Err(self.error(span, "the initialiser is not a constant"));
        }
        for item in init.items {
            let moved = match item {
                IrInitItem::Value { place: p, value } => {
                    IrInitItem::Value { place: self.transplant(p, lv.place), value }
                }
                IrInitItem::Bytes { place: p, bytes } => {
                    IrInitItem::Bytes { place: self.transplant(p, lv.place), bytes }
                }
            };
            if let Sink::Static(items) = &mut walk.sink {
                items.push(moved);
            }
        }
        Ok(())
    }

    fn init_string(&mut self, lv: LVal, string: StringId, walk: &mut Walk) -> Res<()> {
        let span = self.ast[string].span;
        let (ty, mut bytes) = self.string_bytes(string);
        if walk.measured_place == Some(lv.place)
            && let Some((_, ArrayLen::Fixed(len))) = self.types.element(ty)
        {
            walk.measured = walk.measured.max(len);
        }
        let flexible = matches!(self.types.element(lv.ty), Some((_, ArrayLen::Unknown)));
        let room = self.program.types.size(self.program.place_ty(lv.place)) as usize;
        if flexible && room == 0 && !matches!(walk.sink, Sink::Measure) {
            let message = "an initialiser of this flexible array member is not supported";
            return Err(self.unsupported(span, message));
        }
        bytes.truncate(room);
        match &mut walk.sink {
            Sink::Measure => {}
            Sink::Static(items) => {
                items.push(IrInitItem::Bytes { place: lv.place, bytes: bytes.into() });
            }
            Sink::Assignments => {
                let var = self.constant_object(lv.ty, &bytes, span);
                let source = self.program.var_place(var);
                let src = self.program.load(source);
                self.emit(Op::Assign { dst: lv.place, src }, span);
            }
        }
        Ok(())
    }

    fn init_store(&mut self, lv: LVal, value: IrExpr, span: Span, walk: &mut Walk) -> Res<()> {
        if self.outside_of_flexible(lv.place) && !matches!(walk.sink, Sink::Measure) {
            let message = "an initialiser of this flexible array member is not supported";
            return Err(self.unsupported(span, message));
        }
        match &mut walk.sink {
            Sink::Measure => {}
            Sink::Static(items) => items.push(IrInitItem::Value { place: lv.place, value }),
            Sink::Assignments => self.emit(Op::Assign { dst: lv.place, src: value }, span),
        }
        Ok(())
    }

    fn outside_of_flexible(&self, place: PlaceId) -> bool {
        match self.program.exprs.place(place).kind {
            PlaceKind::Index(base, _) => {
                let ty = self.program.place_ty(base);
                let empty = matches!(
                    self.program.types.get(ty),
                    gnomon_ir::types::Type::Array { len: 0, .. }
                );
                let member = matches!(self.program.exprs.place(base).kind, PlaceKind::Field(..));
                (empty && member) || self.outside_of_flexible(base)
            }
            PlaceKind::Field(base, _) => self.outside_of_flexible(base),
            _ => false,
        }
    }
}
