//! The part of a program that a function can reach: what a check that begins there depends on.
//!
//! [`Mentions`] says of every function and static variable what stands in it, once for a program; a
//! [`Part`] is what follows from some functions by that: functions that are called or whose address is
//! taken, static variables with what their initialisers name, and records. Nothing is left out that a
//! run from there could touch, since nothing else has a name in it; so a program with the items of a
//! part alone ([`text::print_part`](crate::text::print_part)) has the same runs from there.
//!
//! ```
//! use gnomon_ir::part::Mentions;
//! let text = "gnomon-ir 1 lp64\nfunc $f: fn() -> i32 !- = {\n  locs 2\n  L0 -> L1: return 1:i32 !0\n}\n\
//!     func $g: fn() -> i32 !- = {\n  locs 2\n  L0 -> L1: return 2:i32 !0\n}\n";
//! let program = gnomon_ir::text::parse(text)?;
//! let f = program.find_function("f").expect("a function");
//! let part = Mentions::of(&program).part([f]);
//! assert_eq!(part.functions.len(), 1);
//! # Ok::<(), gnomon_ir::text::TextError>(())
//! ```

use std::collections::BTreeSet;

use crate::arena::Id;
use crate::cfa::{Callee, Cfa, Op};
use crate::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use crate::program::{FuncId, InitItem, Program, Storage, VarId};
use crate::span::Span;
use crate::types::{RecordId, Type, TypeId};

/// Some functions, static variables and records of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The functions.
    pub functions: BTreeSet<FuncId>,
    /// The static variables.
    pub globals: BTreeSet<VarId>,
    /// The records.
    pub records: BTreeSet<RecordId>,
}

/// What stands in each function and static variable of a program.
#[derive(Clone, Debug)]
pub struct Mentions {
    functions: Vec<Part>,
    globals: Vec<Part>,
}

impl Mentions {
    /// Looks through a whole program.
    pub fn of(program: &Program) -> Self {
        let functions = program.funcs.ids().map(|id| of_function(program, id)).collect();
        let globals = program.vars.ids().map(|id| of_variable(program, id)).collect();
        Self { functions, globals }
    }

    /// What follows from some functions.
    pub fn part(&self, roots: impl IntoIterator<Item = FuncId>) -> Part {
        let mut part = Part::default();
        let mut functions: Vec<FuncId> = roots.into_iter().collect();
        let mut globals: Vec<VarId> = Vec::new();
        loop {
            let mentioned = if let Some(function) = functions.pop() {
                if !part.functions.insert(function) {
                    continue;
                }
                self.functions.get(function.index())
            } else if let Some(global) = globals.pop() {
                if !part.globals.insert(global) {
                    continue;
                }
                self.globals.get(global.index())
            } else {
                return part;
            };
            let Some(mentioned) = mentioned else { continue };
            functions.extend(mentioned.functions.difference(&part.functions));
            globals.extend(mentioned.globals.difference(&part.globals));
            part.records.extend(&mentioned.records);
        }
    }

    /// What stands in one function itself.
    pub fn in_function(&self, function: FuncId) -> Option<&Part> {
        self.functions.get(function.index())
    }
}

/// The lines of the file of a function that belong to it: the first and the last one.
pub fn lines(program: &Program, function: FuncId) -> Option<(Span, u32, u32)> {
    let function = &program.funcs[function];
    let (start, body) = (function.span, function.body.as_ref()?);
    if start.is_none() {
        return None;
    }
    let inside = body.edges().iter().map(|edge| edge.span).filter(|span| span.file == start.file);
    let (mut first, mut last) = (start.line, start.end_line);
    for span in inside {
        first = first.min(span.line);
        last = last.max(span.end_line);
    }
    Some((start, first, last))
}

fn of_function(program: &Program, id: FuncId) -> Part {
    let function = &program.funcs[id];
    let mut look = Look::new(program);
    look.types.push(function.ty);
    for &var in function.params.iter().chain(&function.locals) {
        look.types.push(program.vars[var].ty);
    }
    if let Some(body) = &function.body {
        look.body(body);
    }
    look.done()
}

fn of_variable(program: &Program, id: VarId) -> Part {
    let var = &program.vars[id];
    let Storage::Static { init, .. } = &var.storage else { return Part::default() };
    let mut look = Look::new(program);
    look.types.push(var.ty);
    for item in init.iter().flat_map(|init| &init.items) {
        match item {
            InitItem::Value { place, value } => {
                look.places.push(*place);
                look.exprs.push(*value);
            }
            InitItem::Bytes { place, .. } => look.places.push(*place),
        }
    }
    look.done()
}

/// Looks at expressions, places and types, each once; depth of nesting costs no stack.
struct Look<'p> {
    program: &'p Program,
    found: Part,
    exprs: Vec<ExprId>,
    places: Vec<PlaceId>,
    types: Vec<TypeId>,
    seen_exprs: BTreeSet<ExprId>,
    seen_places: BTreeSet<PlaceId>,
    seen_types: BTreeSet<TypeId>,
}

impl<'p> Look<'p> {
    fn new(program: &'p Program) -> Self {
        Self {
            program,
            found: Part::default(),
            exprs: Vec::new(),
            places: Vec::new(),
            types: Vec::new(),
            seen_exprs: BTreeSet::new(),
            seen_places: BTreeSet::new(),
            seen_types: BTreeSet::new(),
        }
    }

    fn body(&mut self, body: &Cfa) {
        for edge in body.edges().iter() {
            match &edge.op {
                Op::Skip | Op::HavocMemory => {}
                Op::Assume(value) => self.exprs.push(*value),
                Op::Assign { dst, src } => {
                    self.places.push(*dst);
                    self.exprs.push(*src);
                }
                Op::Call(call) => {
                    self.places.extend(call.dst);
                    self.exprs.extend(&call.args);
                    match call.callee {
                        Callee::Direct(function) => _ = self.found.functions.insert(function),
                        Callee::Indirect(pointer) => self.exprs.push(pointer),
                    }
                }
                Op::Return(value) => self.exprs.extend(*value),
                Op::Havoc(place) | Op::VaStart(place) | Op::VaEnd(place) => {
                    self.places.push(*place);
                }
                Op::Declare(var) => self.types.push(self.program.vars[*var].ty),
                Op::Alloca { dst, size } => {
                    self.places.push(*dst);
                    self.exprs.push(*size);
                }
                Op::VaArg { dst, list: other } | Op::VaCopy { dst, src: other } => {
                    self.places.extend([*dst, *other]);
                }
            }
        }
    }

    fn done(mut self) -> Part {
        loop {
            if let Some(expr) = self.exprs.pop() {
                if self.seen_exprs.insert(expr) {
                    self.expr(expr);
                }
            } else if let Some(place) = self.places.pop() {
                if self.seen_places.insert(place) {
                    self.place(place);
                }
            } else if let Some(ty) = self.types.pop() {
                if self.seen_types.insert(ty) {
                    self.ty(ty);
                }
            } else {
                return self.found;
            }
        }
    }

    fn expr(&mut self, id: ExprId) {
        let expr = self.program.exprs.expr(id);
        self.types.push(expr.ty);
        match expr.kind {
            ExprKind::Const(_) | ExprKind::Zero => {}
            ExprKind::Load(place) | ExprKind::AddrOf(place) => self.places.push(place),
            ExprKind::FuncAddr(function) => _ = self.found.functions.insert(function),
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => self.exprs.push(operand),
            ExprKind::Binary(_, left, right)
            | ExprKind::PtrAdd(left, right)
            | ExprKind::PtrDiff(left, right) => self.exprs.extend([left, right]),
        }
    }

    fn place(&mut self, id: PlaceId) {
        let place = self.program.exprs.place(id);
        self.types.push(place.ty);
        match place.kind {
            PlaceKind::Var(var) => {
                let var_data = &self.program.vars[var];
                self.types.push(var_data.ty);
                if matches!(var_data.storage, Storage::Static { .. }) {
                    self.found.globals.insert(var);
                }
            }
            PlaceKind::Deref(pointer) => self.exprs.push(pointer),
            PlaceKind::Field(base, _) => self.places.push(base),
            PlaceKind::Index(base, index) => {
                self.places.push(base);
                self.exprs.push(index);
            }
        }
    }

    fn ty(&mut self, id: TypeId) {
        match self.program.types.get(id) {
            Type::Void | Type::Bool | Type::Int { .. } | Type::Float(_) => {}
            Type::Pointer(to) => self.types.push(*to),
            Type::Array { elem, .. } => self.types.push(*elem),
            Type::Record(record) => {
                self.found.records.insert(*record);
                let fields = &self.program.types.record(*record).fields;
                self.types.extend(fields.iter().map(|field| field.ty));
            }
            Type::Function(signature) => {
                self.types.push(signature.result);
                self.types.extend(&signature.params);
            }
        }
    }
}
