//! Several translation units as one program: who is who across files.
//!
//! Names with external linkage are one object or function; names with internal linkage are kept
//! apart by a suffix. Records that are defined at file scope by the same text under the same tag
//! are one record (C17 6.2.7p1), so that values can pass between files. Calls are fitted to the
//! definition at the end ([`fit_calls`]): a file may have called a function that it knew only by
//! an old-style declaration, or by none.

use std::collections::{BTreeMap, HashMap, HashSet};

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Edge, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId};
use gnomon_ir::ids;
use gnomon_ir::program::{FuncId, Function, Program, Storage, Var, VarId};
use gnomon_ir::span as ir_span;
use gnomon_ir::types::{Field, Record, RecordId, RecordKind, Type, TypeId, Types};

use crate::ast::{Ast, DeclKind, MemberKind, SpecsId, TypeSpec};
use crate::source::SourceBuffer;
use crate::span::Span;
use crate::symbol::{Interner, Symbol};

ids! {
    /// A translation unit.
    UnitId "unit";
}

/// Whether a name means the same in all files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Linkage {
    Internal,
    External,
}

/// Two files do not agree on a name.
#[derive(Clone, Debug, thiserror::Error)]
#[error("`{name}` is declared with another type in {elsewhere}")]
pub(crate) struct Conflict {
    name: String,
    elsewhere: String,
}

/// A variable or function in the table of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Variable(VarId, Linkage),
    Function(FuncId, Linkage),
}

/// How many functions were lowered, and how many of them not completely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionCount {
    /// With a body.
    pub defined: usize,
    /// Something in them could not be lowered.
    pub incomplete: usize,
}

/// What the units have told so far.
#[derive(Debug, Default)]
pub(crate) struct Linker {
    /// Operands in no order.
    pub(super) open_orders: Vec<super::unsequenced::OpenOrder>,
    names: HashMap<String, Owner>,
    /// What is declared weak, by the name that it is linked under.
    pub(super) weak: BTreeMap<String, ir_span::Span>,
    /// What is called before and behind `main`.
    pub(super) around_main: super::around_main::AroundMain,
    /// The last number that was put behind a name.
    numbers: HashMap<String, u32>,
    /// Functions that exist once for each type of their arguments.
    generic: HashMap<(String, TypeId), FuncId>,
    defined_variables: HashSet<VarId>,
    /// With whether another definition may take its place (`inline`).
    defined_functions: HashMap<FuncId, bool>,
    hints: HashSet<(u32, Symbol)>,
    record_names: HashMap<String, u32>,
    records: BTreeMap<RecordKey, (RecordId, TypeId)>,
    /// What a tag means in files that never define it: the first definition of another file, or a
    /// record that waits for one. Such a file cannot look into it (C17 6.2.7p1).
    opaque_records: HashMap<(String, RecordKind), OpaqueRecord>,
    unit_records: UnitRecords,
    va_list: Option<(RecordId, TypeId)>,
    functions: FunctionCount,
}

/// Tag and text of a definition; for records without a tag also the place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RecordKey {
    tag: String,
    place: String,
    text: String,
}

/// A record of which some file knows the tag only.
#[derive(Clone, Copy, Debug)]
struct OpaqueRecord {
    made: (RecordId, TypeId),
    defined: bool,
}

/// The definitions of records at file scope of the current unit.
#[derive(Debug, Default)]
struct UnitRecords {
    by_tag: HashMap<Symbol, RecordKey>,
    by_start: HashMap<u32, RecordKey>,
}

impl Linker {
    /// Reads ahead which records a unit defines. Only needed where there are several units.
    pub(crate) fn read_records(&mut self, ast: &Ast, names: &Interner, source: &SourceBuffer) {
        self.unit_records = UnitRecords::default();
        let mut work: Vec<SpecsId> = Vec::new();
        for &item in ast.items.iter().rev() {
            match ast[item].kind {
                DeclKind::Declaration { specs, .. } => work.push(specs),
                DeclKind::Function(function) => work.push(ast[function].specs),
                _ => {}
            }
        }
        while let Some(specs) = work.pop() {
            let TypeSpec::Record(id) = ast[specs].ty else { continue };
            let record = ast[id];
            let Some(members) = record.members else { continue };
            let text = words(source.snippet(record.span).as_ref());
            let place = match record.tag {
                Some(_) => String::new(),
                None => {
                    // Files name a header by different paths.
                    let at = source.resolve(record.span.lo);
                    let file = at.file.rsplit('/').next().unwrap_or_default();
                    format!("{file}:{}:{}", at.line, at.column)
                }
            };
            let tag = record.tag.map_or("", |tag| names.name(tag)).to_owned();
            let key = RecordKey { tag, place, text };
            match record.tag {
                Some(tag) => self.unit_records.by_tag.insert(tag, key),
                None => self.unit_records.by_start.insert(record.span.lo, key),
            };
            for member in &ast[members] {
                if let MemberKind::Fields { specs, .. } = member.kind {
                    work.push(specs);
                }
            }
        }
    }

    /// The key of a record of the current unit, if it is defined at file scope.
    pub(crate) fn record_text(&self, tag: Option<Symbol>, span: Span) -> Option<RecordKey> {
        match tag {
            Some(tag) => self.unit_records.by_tag.get(&tag).cloned(),
            None => self.unit_records.by_start.get(&span.lo).cloned(),
        }
    }

    /// The model's record: one that was made from the same text, or a new one.
    pub(crate) fn record(
        &mut self,
        program: &mut Program,
        names: &Interner,
        tag: Option<Symbol>,
        kind: RecordKind,
        key: Option<RecordKey>,
    ) -> (RecordId, TypeId) {
        if let Some(found) = key.as_ref().and_then(|key| self.records.get(key)) {
            return *found;
        }
        let tag = tag.map_or("", |tag| names.name(tag));
        let Some(key) = key else { return self.add_record(program, tag, kind) };
        let waiting = self.opaque_records.get(&(tag.to_owned(), kind)).copied();
        let made = match waiting {
            Some(OpaqueRecord { made, defined: false }) => made,
            _ => self.add_record(program, tag, kind),
        };
        if !tag.is_empty() && waiting.is_none_or(|opaque| !opaque.defined) {
            let first = OpaqueRecord { made, defined: true };
            self.opaque_records.insert((tag.to_owned(), kind), first);
        }
        self.records.insert(key, made);
        made
    }

    /// The model's record for a tag that the file never defines.
    pub(crate) fn undefined_record(
        &mut self,
        program: &mut Program,
        names: &Interner,
        tag: Symbol,
        kind: RecordKind,
    ) -> (RecordId, TypeId) {
        let key = (names.name(tag).to_owned(), kind);
        if let Some(found) = self.opaque_records.get(&key) {
            return found.made;
        }
        let made = self.add_record(program, &key.0, kind);
        self.opaque_records.insert(key, OpaqueRecord { made, defined: false });
        made
    }

    fn add_record(
        &mut self,
        program: &mut Program,
        tag: &str,
        kind: RecordKind,
    ) -> (RecordId, TypeId) {
        let name = self.record_name(tag);
        let record = Record { name, kind, fields: Vec::new(), size: 0, align: 1, complete: false };
        program.types.add_record(record)
    }

    /// A copy of a record whose last member, an array, has a length.
    pub(crate) fn record_with_length(
        &mut self,
        program: &mut Program,
        record: RecordId,
        len: u64,
    ) -> TypeId {
        let mut copy = program.types.record(record).clone();
        copy.name = self.record_name(gnomon_ir::program::source_name(&copy.name));
        if let Some(last) = copy.fields.last_mut()
            && let Type::Array { elem, .. } = *program.types.get(last.ty)
        {
            last.ty = program.types.array(elem, len);
            let end = last.offset.saturating_add(program.types.size(last.ty));
            copy.size = copy.size.max(end).div_ceil(copy.align).saturating_mul(copy.align);
        }
        program.types.add_record(copy).1
    }

    /// A name for a record that no other has.
    fn record_name(&mut self, tag: &str) -> String {
        let count = self.record_names.entry(tag.to_owned()).or_insert(0);
        *count += 1;
        match *count {
            1 if !tag.is_empty() => tag.to_owned(),
            n => format!("{tag}.{n}"),
        }
    }

    /// The record that `va_list` is made of on LP64.
    pub(crate) fn va_list_record(&mut self, program: &mut Program) -> (RecordId, TypeId) {
        if let Some(made) = self.va_list {
            return made;
        }
        let pointer = program.types.pointer(Types::VOID);
        let field =
            |name: &str, ty, offset| Field { name: name.to_owned(), ty, offset, bits: None };
        let name = self.record_name("__va_list_tag");
        let record = Record {
            name,
            kind: RecordKind::Struct,
            fields: vec![
                field("gp_offset", Types::U32, 0),
                field("fp_offset", Types::U32, 4),
                field("overflow_arg_area", pointer, 8),
                field("reg_save_area", pointer, 16),
            ],
            size: 24,
            align: 8,
            complete: true,
        };
        let made = program.types.add_record(record);
        self.va_list = Some(made);
        made
    }

    /// The variable of a name.
    #[allow(clippy::too_many_arguments, reason = "they are what a declaration says")]
    pub(crate) fn variable(
        &mut self,
        program: &mut Program,
        unit: UnitId,
        name: &str,
        linkage: Linkage,
        ty: TypeId,
        thread_local: bool,
        span: ir_span::Span,
    ) -> Result<VarId, Conflict> {
        let _ = unit;
        if linkage == Linkage::Internal {
            let var = self.internal_variable(program, name, ty, span);
            program.vars[var].storage =
                Storage::Static { init: None, thread_local, read_only: false };
            return Ok(var);
        }
        match self.names.get(name) {
            Some(&Owner::Variable(var, Linkage::External)) => {
                let old = program.vars[var].ty;
                if !same_shape(&program.types, old, ty) {
                    return Err(conflict(program, name, program.vars[var].span));
                }
                self.retype_variable(program, var, ty);
                return Ok(var);
            }
            Some(&Owner::Function(func, Linkage::External)) => {
                return Err(conflict(program, name, program.funcs[func].span));
            }
            Some(&internal) => self.rename_internal(program, name, internal),
            None => {}
        }
        let storage = Storage::Static { init: None, thread_local, read_only: false };
        let var = Var { name: name.to_owned(), ty, storage, address_taken: false, span };
        let var = program.vars.push(var);
        self.names.insert(name.to_owned(), Owner::Variable(var, Linkage::External));
        Ok(var)
    }

    /// A new variable that only its own file or function knows.
    pub(crate) fn internal_variable(
        &mut self,
        program: &mut Program,
        name: &str,
        ty: TypeId,
        span: ir_span::Span,
    ) -> VarId {
        let name = self.free_name(name);
        let storage = Storage::Static { init: None, thread_local: false, read_only: false };
        let var = Var { name: name.clone(), ty, storage, address_taken: false, span };
        let var = program.vars.push(var);
        self.names.insert(name, Owner::Variable(var, Linkage::Internal));
        var
    }

    /// The function of a name.
    pub(crate) fn function(
        &mut self,
        program: &mut Program,
        unit: UnitId,
        name: &str,
        linkage: Linkage,
        ty: TypeId,
        span: ir_span::Span,
    ) -> Result<FuncId, Conflict> {
        let _ = unit;
        let new = |name: String| Function {
            name,
            ty,
            params: Vec::new(),
            locals: Vec::new(),
            body: None,
            no_return: false,
            span,
        };
        if linkage == Linkage::Internal {
            let name = self.free_name(name);
            let func = program.funcs.push(new(name.clone()));
            self.names.insert(name, Owner::Function(func, Linkage::Internal));
            return Ok(func);
        }
        match self.names.get(name) {
            Some(&Owner::Function(func, Linkage::External)) => {
                if signatures_conflict(&program.types, program.funcs[func].ty, ty) {
                    return Err(conflict(program, name, program.funcs[func].span));
                }
                return Ok(func);
            }
            Some(&Owner::Variable(var, Linkage::External)) => {
                return Err(conflict(program, name, program.vars[var].span));
            }
            Some(&internal) => self.rename_internal(program, name, internal),
            None => {}
        }
        let func = program.funcs.push(new(name.to_owned()));
        self.names.insert(name.to_owned(), Owner::Function(func, Linkage::External));
        Ok(func)
    }

    /// The function of a type-generic builtin for these types.
    pub(crate) fn generic_function(
        &mut self,
        program: &mut Program,
        name: &str,
        ty: TypeId,
        span: ir_span::Span,
    ) -> FuncId {
        if let Some(&func) = self.generic.get(&(name.to_owned(), ty)) {
            return func;
        }
        let unique = self.free_name(name);
        let func = program.funcs.push(Function {
            name: unique.clone(),
            ty,
            params: Vec::new(),
            locals: Vec::new(),
            body: None,
            no_return: false,
            span,
        });
        self.names.insert(unique, Owner::Function(func, Linkage::Internal));
        self.generic.insert((name.to_owned(), ty), func);
        func
    }

    /// Another name for a variable or function; false if the name means something already.
    pub(super) fn also_named(&mut self, name: &str, object: super::decl::Object) -> bool {
        let owner = match object {
            super::decl::Object::Var(var) => Owner::Variable(var, Linkage::External),
            super::decl::Object::Func(func) => Owner::Function(func, Linkage::External),
        };
        self.names.insert(name.to_owned(), owner).is_none_or(|before| before == owner)
    }

    /// A name that nobody has: the name itself, or with a number.
    fn free_name(&mut self, name: &str) -> String {
        if !self.names.contains_key(name) {
            return name.to_owned();
        }
        let count = self.numbers.entry(name.to_owned()).or_insert(1);
        loop {
            *count += 1;
            let numbered = format!("{name}.{count}");
            if !self.names.contains_key(&numbered) {
                return numbered;
            }
        }
    }

    /// Something internal makes room for an external thing of its name.
    fn rename_internal(&mut self, program: &mut Program, name: &str, owner: Owner) {
        let free = self.free_name(name);
        match owner {
            Owner::Variable(var, _) => program.vars[var].name.clone_from(&free),
            Owner::Function(func, _) => program.funcs[func].name.clone_from(&free),
        }
        self.names.insert(free, owner);
    }

    /// The type of a variable that became known better: the length of an array.
    pub(crate) fn retype_variable(&mut self, program: &mut Program, var: VarId, ty: TypeId) {
        let old = program.vars[var].ty;
        if old != ty && program.types.size(old) <= program.types.size(ty) {
            program.vars[var].ty = ty;
            program.exprs.retype_variable(var, old, ty);
        }
    }

    /// Notes that a variable has a definition; false if it had one.
    pub(crate) fn define_variable(&mut self, var: VarId) -> bool {
        self.defined_variables.insert(var)
    }

    pub(crate) fn is_defined(&self, var: VarId) -> bool {
        self.defined_variables.contains(&var)
    }

    /// Notes that a function has a definition; false if it has one that must stay.
    pub(crate) fn define_function(
        &mut self,
        program: &mut Program,
        func: FuncId,
        replaceable: bool,
    ) -> bool {
        match self.defined_functions.get(&func) {
            Some(false) => return false,
            Some(true) if replaceable => return false,
            _ => {}
        }
        self.defined_functions.insert(func, replaceable);
        program.funcs[func].body = None;
        true
    }

    /// Whether the unit's own definition of a name was only a hint (`extern inline` of GNU C89).
    pub(crate) fn replaceable(&self, unit: UnitId, name: Symbol) -> bool {
        self.hints.contains(&(unit.0, name))
    }

    pub(crate) fn set_replaceable(&mut self, unit: UnitId, name: Symbol, hint: bool) {
        if hint {
            self.hints.insert((unit.0, name));
        } else {
            self.hints.remove(&(unit.0, name));
        }
    }

    pub(crate) fn count_function(&mut self, incomplete: bool) {
        self.functions.defined += 1;
        self.functions.incomplete += usize::from(incomplete);
    }

    pub(crate) fn function_count(&self) -> FunctionCount {
        self.functions
    }
}

fn conflict(program: &Program, name: &str, elsewhere: ir_span::Span) -> Conflict {
    Conflict { name: name.to_owned(), elsewhere: program.files.show(elsewhere) }
}

/// The text with every run of blanks as one and without line markers.
fn words(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// Whether values of the types look the same in memory, as far as two declarations must agree.
fn same_shape(types: &Types, a: TypeId, b: TypeId) -> bool {
    if a == b {
        return true;
    }
    match (types.get(a), types.get(b)) {
        (Type::Array { elem: a, len: la }, Type::Array { elem: b, len: lb }) => {
            (la == lb || *la == 0 || *lb == 0) && same_shape(types, *a, *b)
        }
        (Type::Record(a), Type::Record(b)) => {
            let (a, b) = (types.record(*a), types.record(*b));
            !a.complete || !b.complete || (a.size == b.size && a.kind == b.kind)
        }
        (Type::Pointer(_), Type::Pointer(_)) => true,
        (Type::Record(record), Type::Pointer(_)) | (Type::Pointer(_), Type::Record(record)) => {
            is_any_pointer(types, types.record(*record))
        }
        (Type::Function(_), Type::Function(_)) => !signatures_conflict(types, a, b),
        (a, b) => a == b,
    }
}

/// Whether a record stands for pointers of several types: `__transparent_union__`, which is passed
/// like a pointer.
fn is_any_pointer(types: &Types, record: &Record) -> bool {
    record.kind == RecordKind::Union
        && !record.fields.is_empty()
        && record.fields.iter().all(|field| matches!(types.get(field.ty), Type::Pointer(_)))
}

fn signatures_conflict(types: &Types, a: TypeId, b: TypeId) -> bool {
    let (Some(a), Some(b)) = (types.signature(a), types.signature(b)) else { return true };
    if !a.prototyped || !b.prototyped {
        return false;
    }
    a.params.len() != b.params.len()
        || a.variadic != b.variadic
        || !same_shape(types, a.result, b.result)
        || a.params.iter().zip(&b.params).any(|(&a, &b)| !same_shape(types, a, b))
}

/// A call that cannot be fitted to the function's definition.
#[derive(Clone, Debug)]
pub(crate) struct BadCall {
    pub message: String,
    pub span: ir_span::Span,
}

/// Makes direct calls pass what the callee takes: converts arguments, drops those too many, and
/// reads the result as the caller declared it. What cannot be is returned.
pub(crate) fn fit_calls(program: &mut Program) -> Vec<BadCall> {
    let mut bad = Vec::new();
    let functions: Vec<FuncId> = program.funcs.ids().collect();
    let defined: Vec<bool> = program.funcs.iter().map(|f| f.body.is_some()).collect();
    for func in functions {
        let Some(mut cfa) = program.funcs[func].body.take() else { continue };
        cfa.rewrite_ops(|edge| fit_call(program, &defined, edge, &mut bad));
        program.funcs[func].body = Some(cfa);
    }
    bad
}

fn fit_call(
    program: &mut Program,
    defined: &[bool],
    edge: &Edge,
    bad: &mut Vec<BadCall>,
) -> Option<Op> {
    let Op::Call(call @ Call { callee: Callee::Direct(func), .. }) = &edge.op else { return None };
    let function = &program.funcs[*func];
    let signature = program.types.signature(function.ty)?.clone();
    let defined = defined[func.index()] || signature.prototyped;
    let name = function.name.clone();
    let mut refuse = |what: &str| {
        let message = format!("the call of `{name}` does not fit its definition: {what}");
        bad.push(BadCall { message, span: edge.span });
    };
    let mut args = call.args.to_vec();
    if defined {
        if args.len() < signature.params.len() {
            refuse("there are too few arguments");
            return None;
        }
        if !signature.variadic {
            args.truncate(signature.params.len());
        }
        for (arg, &param) in args.iter_mut().zip(&signature.params) {
            let ty = program.expr_ty(*arg);
            if ty == param {
                continue;
            }
            *arg = match fitted(program, *arg, param) {
                Some(fitted) => fitted,
                None => {
                    refuse("an argument has another type");
                    return None;
                }
            };
        }
    }
    let dst = match call.dst {
        Some(dst) if program.place_ty(dst) != signature.result => {
            match view_as(program, dst, signature.result) {
                Some(dst) => Some(dst),
                None => {
                    refuse("the result has another size");
                    return None;
                }
            }
        }
        dst => dst,
    };
    let fitted = Call { dst, callee: call.callee, args: args.into() };
    (fitted != *call).then_some(Op::Call(fitted))
}

/// An argument as a parameter takes it.
fn fitted(program: &mut Program, arg: ExprId, param: TypeId) -> Option<ExprId> {
    let ty = program.expr_ty(arg);
    if program.types.is_scalar(ty) && program.types.is_scalar(param) {
        return Some(program.cast(param, arg));
    }
    let (_, record) = program.types.as_record(ty)?;
    let ExprKind::Load(place) = program.exprs.expr(arg).kind else { return None };
    if !is_any_pointer(&program.types, record) || !program.types.is_pointer(param) {
        return None;
    }
    let place = view_as(program, place, param)?;
    Some(program.load(place))
}

/// The same bytes as a place of another type of the same size.
fn view_as(program: &mut Program, place: PlaceId, ty: TypeId) -> Option<PlaceId> {
    let same_size = program.types.size(program.place_ty(place)) == program.types.size(ty);
    if !same_size || program.types.get(ty) == &Type::Void {
        return None;
    }
    let address = program.address_of(place);
    let pointer = program.types.pointer(ty);
    let address = program.cast(pointer, address);
    Some(program.deref(address))
}
