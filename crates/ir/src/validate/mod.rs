//! What makes a program well-formed: everything that the interpreter, the encodings and the
//! printers rely on without asking again.
//!
//! The constructors of [`build`](crate::build) do not fail on operands of the wrong type; this is
//! where such mistakes are named. Every program that a front end or a transformation made should
//! pass in its tests. The time is linear in the size of the program.

mod exprs;
mod ops;

use std::collections::BTreeSet;
use std::fmt;

use crate::arena::Id;
use crate::cfa::EdgeId;
use crate::expr::PlaceId;
use crate::program::{FuncId, InitItem, Initializer, Program, Storage, VarId};
use crate::span::Span;
use crate::types::{Field, Record, RecordId, RecordKind, Type, TypeId};

/// Something that is wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The function that it is in, by its unique name.
    pub function: Option<String>,
    /// The edge of that function.
    pub edge: Option<EdgeId>,
    /// `file:line:column`, if the user wrote what is wrong.
    pub position: Option<String>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = &self.position {
            write!(f, "{position}: ")?;
        }
        if let Some(function) = &self.function {
            write!(f, "function {function}: ")?;
        }
        if let Some(edge) = self.edge {
            write!(f, "{edge:?}: ")?;
        }
        write!(f, "{}", self.message)
    }
}

/// Everything that is wrong with the program; nothing if it is well-formed.
///
/// ```
/// use gnomon_ir::program::Program;
/// use gnomon_ir::types::Target;
///
/// assert!(gnomon_ir::validate::validate(&Program::new(Target::Lp64)).is_empty());
/// ```
pub fn validate(program: &Program) -> Vec<Defect> {
    let mut check = Check {
        program,
        defects: Vec::new(),
        function: None,
        edge: None,
        span: Span::NONE,
        round: 0,
        seen_exprs: vec![0; program.exprs.expr_count()],
        seen_places: vec![0; program.exprs.place_count()],
    };
    check.types();
    check.records();
    check.variables();
    check.functions();
    check.defects
}

/// What is checked right now, and what was found.
struct Check<'p> {
    program: &'p Program,
    defects: Vec<Defect>,
    function: Option<FuncId>,
    edge: Option<EdgeId>,
    span: Span,
    /// Counts functions and initialisers. What was seen in this round is not looked at again; in
    /// another function it is, because there other variables are in scope.
    round: u32,
    seen_exprs: Vec<u32>,
    seen_places: Vec<u32>,
}

impl Check<'_> {
    fn report(&mut self, message: impl Into<String>) {
        let program = self.program;
        let function = self.function.and_then(|f| program.funcs.get(f)).map(|f| f.name.clone());
        let position = (!self.span.is_none()).then(|| program.files.show(self.span));
        let defect = Defect { function, edge: self.edge, position, message: message.into() };
        self.defects.push(defect);
    }

    fn type_in_range(&self, ty: TypeId) -> bool {
        ty.index() < self.program.types.len()
    }

    /// Whether there can be objects of the type.
    fn is_object(&self, ty: TypeId) -> bool {
        if !self.type_in_range(ty) {
            return false;
        }
        match *self.program.types.get(ty) {
            Type::Void | Type::Function(_) => false,
            Type::Array { elem, .. } => self.is_object(elem),
            Type::Record(id) => self.program.types.record(id).complete,
            _ => true,
        }
    }

    fn types(&mut self) {
        for index in 0..self.program.types.len() {
            let id = TypeId::from_index(index);
            let parts: Vec<TypeId> = match self.program.types.get(id) {
                Type::Pointer(to) => vec![*to],
                Type::Array { elem, .. } => vec![*elem],
                Type::Function(s) => s.params.iter().copied().chain([s.result]).collect(),
                Type::Int { bits, .. } if !matches!(bits, 8 | 16 | 32 | 64 | 128) => {
                    self.report(format!("there is no integer of {bits} bits"));
                    continue;
                }
                _ => continue,
            };
            // Parts exist before the whole, so types are no cycles.
            if parts.iter().any(|part| *part >= id) {
                self.report(format!("{id:?} has a part that is not older than itself"));
            }
            match self.program.types.get(id) {
                Type::Array { elem, .. } => {
                    let unfit =
                        matches!(self.program.types.get(*elem), Type::Void | Type::Function(_));
                    if unfit {
                        self.report(format!("{id:?} is an array of void or of functions"));
                    }
                }
                Type::Function(s) => {
                    let unfit = |ty: &TypeId| {
                        matches!(
                            self.program.types.get(*ty),
                            Type::Void | Type::Function(_) | Type::Array { .. }
                        )
                    };
                    let bad_param = s.params.iter().any(unfit);
                    let bad_result =
                        unfit(&s.result) && !matches!(self.program.types.get(s.result), Type::Void);
                    if bad_param || bad_result {
                        self.report(format!("{id:?} passes void, an array or a function"));
                    }
                }
                _ => {}
            }
        }
    }

    fn records(&mut self) {
        let program = self.program;
        let mut names = BTreeSet::new();
        for (id, record) in program.types.records() {
            if !names.insert(record.name.as_str()) {
                self.report(format!("two records are called `{}`", record.name));
            }
            if !record.align.is_power_of_two() {
                self.report(format!("`{}` has alignment {}", record.name, record.align));
            }
            for field in &record.fields {
                if let Err(problem) = self.field(record, field) {
                    let (record, field) = (&record.name, &field.name);
                    self.report(format!("member `{field}` of `{record}` {problem}"));
                }
            }
            if record.complete && self.contains_itself(id) {
                self.report(format!("`{}` contains itself", record.name));
            }
        }
    }

    fn field(&self, record: &Record, field: &Field) -> Result<(), String> {
        if !self.is_object(field.ty) {
            return Err("has no complete type".into());
        }
        let end = match field.bits {
            None => field.offset.saturating_add(self.program.types.size(field.ty)),
            Some(bits) => {
                let Some((width, _)) = self.program.types.int_shape(field.ty) else {
                    return Err("is a bit-field, but not an integer".into());
                };
                if bits.shift > 7 || bits.width == 0 || u16::from(bits.width) > width {
                    return Err(format!("has {} bits from bit {} on", bits.width, bits.shift));
                }
                let end = u64::from(bits.shift) + u64::from(bits.width);
                field.offset.saturating_add(end.div_ceil(8))
            }
        };
        if end > record.size {
            return Err(format!("ends at byte {end} of {}", record.size));
        }
        if record.kind == RecordKind::Union && field.offset != 0 && field.bits.is_none() {
            return Err("of a union does not start at its start".into());
        }
        Ok(())
    }

    fn contains_itself(&self, record: RecordId) -> bool {
        let types = &self.program.types;
        let mut seen = BTreeSet::new();
        let mut work = vec![record];
        while let Some(next) = work.pop() {
            for field in &types.record(next).fields {
                let mut ty = field.ty;
                while self.type_in_range(ty)
                    && let Type::Array { elem, .. } = *types.get(ty)
                {
                    ty = elem;
                }
                if self.type_in_range(ty)
                    && let Type::Record(inner) = *types.get(ty)
                {
                    if inner == record {
                        return true;
                    }
                    if seen.insert(inner) {
                        work.push(inner);
                    }
                }
            }
        }
        false
    }

    fn variables(&mut self) {
        let program = self.program;
        let mut names = BTreeSet::new();
        for (id, var) in program.vars.iter_ids() {
            self.function = var.storage.function();
            self.span = var.span;
            let external = matches!(var.storage, Storage::Static { init: None, .. });
            let incomplete = external && program.types.as_record(var.ty).is_some();
            if !self.is_object(var.ty) && !incomplete {
                self.report(format!("variable `{}` has no complete type", var.name));
            }
            match &var.storage {
                Storage::Static { init, .. } => {
                    if !names.insert(var.name.as_str()) {
                        self.report(format!("two global variables are called `{}`", var.name));
                    }
                    if let Some(init) = init {
                        self.initializer(id, init);
                    }
                }
                Storage::Param(f) | Storage::Local(f) => {
                    let listed = program.funcs.get(*f).map(|function| match var.storage {
                        Storage::Param(_) => &function.params,
                        _ => &function.locals,
                    });
                    // The lists are short or sorted by age; both are looked through from the end.
                    if listed.is_none_or(|list| !is_listed(list, id)) {
                        self.report(format!("variable `{}` is not in its function", var.name));
                    }
                }
            }
        }
        self.function = None;
        self.span = Span::NONE;
    }

    fn initializer(&mut self, var: VarId, init: &Initializer) {
        self.round += 1;
        for item in &init.items {
            let (InitItem::Value { place, .. } | InitItem::Bytes { place, .. }) = item;
            if !self.place(*place) {
                continue;
            }
            if self.program.exprs.root_var(*place) != Some(var) || !self.is_constant_place(*place) {
                self.report("an initialiser writes elsewhere than into its variable");
                continue;
            }
            match item {
                InitItem::Value { place, value } => {
                    if !self.expr(*value) {
                        continue;
                    }
                    if self.program.expr_ty(*value) != self.program.place_ty(*place) {
                        self.report("the value of an initialiser has another type than its place");
                    }
                    if !self.is_constant(*value) {
                        self.report("the value of an initialiser is not constant");
                    }
                }
                InitItem::Bytes { place, bytes } => self.initial_bytes(*place, bytes.len() as u64),
            }
        }
    }

    fn initial_bytes(&mut self, place: PlaceId, count: u64) {
        let size = self.program.types.size(self.program.place_ty(place));
        if count > size {
            self.report(format!("an initialiser writes {count} bytes into {size}"));
        }
    }

    fn functions(&mut self) {
        let program = self.program;
        let mut names = BTreeSet::new();
        for (id, function) in program.funcs.iter_ids() {
            self.function = Some(id);
            self.span = function.span;
            if !names.insert(function.name.as_str()) {
                self.report("two functions have this name");
            }
            let signature = Some(function.ty)
                .filter(|ty| self.type_in_range(*ty))
                .and_then(|ty| program.types.signature(ty));
            let Some(signature) = signature else {
                self.report("the type of the function is not a function type");
                continue;
            };
            self.local_variables(id);
            let Some(body) = &function.body else {
                if !function.params.is_empty() || !function.locals.is_empty() {
                    self.report("a function without a body has variables");
                }
                continue;
            };
            let params = function.params.iter().map(|&v| program.vars.get(v).map(|v| v.ty));
            if signature.prototyped && !params.eq(signature.params.iter().map(|&ty| Some(ty))) {
                self.report("the parameters are not those of the function's type");
            }
            self.body(signature, body);
        }
    }

    fn local_variables(&mut self, id: FuncId) {
        let function = &self.program.funcs[id];
        let mut names = BTreeSet::new();
        for (expected, list) in
            [(Storage::Param(id), &function.params), (Storage::Local(id), &function.locals)]
        {
            for &var in list {
                match self.program.vars.get(var) {
                    Some(var) if var.storage == expected => {
                        if !names.insert(var.name.as_str()) {
                            self.report(format!("two variables are called `{}`", var.name));
                        }
                    }
                    _ => self.report(format!("{var:?} is not a variable of this function")),
                }
            }
        }
    }
}

/// Variables are mostly listed in the order of their age.
fn is_listed(list: &[VarId], var: VarId) -> bool {
    list.binary_search(&var).is_ok() || list.contains(&var)
}
