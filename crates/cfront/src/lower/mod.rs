//! From the syntax tree to the program model.
//!
//! One [`Lower`] walks one translation unit from top to bottom, keeping what names mean ([`scope`])
//! and the C types ([`ctype`]), and writes functions and variables into the [`Program`]. Types,
//! conversions and the order of evaluation are decided here; nothing after this knows C.
//!
//! The order of evaluation, where C leaves it open, is from left to right: operands, arguments, the
//! left side of an assignment before the right. Each part is complete, with its side effects,
//! before the next begins; values that a later part could change are kept in temporaries.
//!
//! Constant expressions are ordinary ones that fold to a constant. What is not evaluated (`sizeof`,
//! the other branch of a constant condition) is lowered at a location that nothing leads to, which
//! the automaton drops when it is finished.
//!
//! An error ends the statement or declaration it is in, is reported once, and lowering goes on with
//! the next; the program is then marked incomplete and is not used for verdicts.

pub mod ctype;
pub mod layout;
pub mod link;

mod address_taken;
mod around_main;
mod assign;
mod attr;
mod branch;
mod builtin;
mod builtin_float;
mod builtin_signature;
mod call;
mod cast;
mod command_line;
mod constant;
mod conv;
mod decl;
mod declarator;
mod error_address;
mod expr;
mod func;
mod function_address;
mod init;
mod inquire;
mod keep;
mod literal;
mod lvalue;
mod operator;
mod other_names;
mod record;
mod scope;
mod sequence;
mod stmt;
mod switch;
mod unsequenced;
mod va_list;
pub mod volatile;

use std::collections::HashMap;

use gnomon_ir::cfa::{Edge, LocId, Op};
use gnomon_ir::expr::PlaceId;
use gnomon_ir::program::{Note, Program, Storage, Var, VarId};
use gnomon_ir::span as ir_span;
use gnomon_ir::types::TypeId;

use crate::ast::{Ast, ExprId};
use crate::diag::Diagnostic;
use crate::source::SourceBuffer;
use crate::span::Span;
use crate::symbol::{Interner, Symbol};
use ctype::{CTypes, QType};
use func::FunctionState;
use link::{Linker, UnitId};
use scope::Scopes;
use volatile::Volatile;

/// The program that grows from unit to unit.
#[derive(Debug)]
pub(crate) struct Linked {
    program: Program,
    linker: Linker,
    units: u32,
    volatile: Volatile,
}

impl Linked {
    pub(crate) fn new(target: gnomon_ir::types::Target, volatile: Volatile) -> Self {
        Self { program: Program::new(target), linker: Linker::default(), units: 0, volatile }
    }

    /// Lowers a unit; `several` if others come before or behind it.
    pub(crate) fn add_unit(
        &mut self,
        ast: &Ast,
        names: &Interner,
        source: &SourceBuffer,
        several: bool,
    ) -> Vec<Diagnostic> {
        if several {
            self.linker.read_records(ast, names, source);
        }
        let unit = UnitId(self.units);
        self.units += 1;
        let mut lower = Lower::new(ast, names, source, &mut self.program, &mut self.linker, unit);
        lower.volatile = self.volatile;
        lower.run()
    }

    /// Notes which functions have a body from the models.
    pub(crate) fn note_models(&mut self) {
        let files = &self.program.files;
        let is_model = |span: gnomon_ir::span::Span| {
            !span.is_none() && files.name(span.file) == crate::models::SOURCE
        };
        // What models share among themselves has no name for users.
        let named = self.program.funcs.iter().filter(|f| !f.name.starts_with("__gnomon_"));
        let modelled = named.filter(|f| {
            let edges = f.body.iter().flat_map(|body| body.edges().iter());
            edges.map(|edge| edge.span).any(is_model)
        });
        let notes: Vec<Note> = modelled
            .map(|f| Note {
                kind: "model",
                message: format!("`{}` does what its model says", f.name),
                span: gnomon_ir::span::Span::NONE,
            })
            .collect();
        notes.into_iter().for_each(|note| self.program.add_note(note));
    }

    /// The program so far.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// The program, how many functions it has, and what could not be linked.
    pub(crate) fn finish(mut self) -> (Program, link::FunctionCount, Vec<String>) {
        let mut bad = link::fit_calls(&mut self.program);
        bad.extend(other_names::absent(&mut self.program, &self.linker));
        function_address::refresh(&mut self.program, &HashMap::new());
        error_address::give_bodies(&mut self.program);
        address_taken::mark(&mut self.program);
        command_line::assume(&mut self.program);
        bad.extend(around_main::insert(&mut self.program, &self.linker.around_main));
        let errors = bad
            .iter()
            .map(|call| format!("{}: {}", self.program.files.show(call.span), call.message))
            .collect();
        unsequenced::note_conflicts(&mut self.program, &self.linker.open_orders);
        (self.program, self.linker.function_count(), errors)
    }
}

/// The names of temporaries begin with this.
const TEMPORARY: &str = ".t";
/// The names of compound literals, which the user can change, begin with this.
const LITERAL: &str = ".literal";

/// The error was reported; the statement or declaration cannot be lowered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

pub(crate) type Res<T> = Result<T, Reported>;

/// What an ordinary name means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entity {
    /// A local variable, a parameter, or a static variable of a function.
    Local { var: VarId, ty: QType },
    /// A parameter of a prototype: nothing is known of it but its type.
    Parameter(QType),
    /// A local variable whose storage, of variable size, a pointer variable points to.
    Vla { pointer: VarId, ty: QType },
    /// A variable or function of file scope: an index into [`Lower::globals`].
    Global(usize),
    /// A type.
    Typedef(QType),
    /// An enumeration constant.
    Enumerator { value: i128, ty: QType },
}

/// What a tag means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tag {
    Record(ctype::CRecordId),
    Enum(ctype::CEnumId),
}

/// The state of lowering one translation unit.
pub(crate) struct Lower<'a> {
    ast: &'a Ast,
    names: &'a Interner,
    source: &'a SourceBuffer,
    program: &'a mut Program,
    linker: &'a mut Linker,
    unit: UnitId,
    diagnostics: Vec<Diagnostic>,
    types: CTypes,
    entities: Scopes<Entity>,
    tags: Scopes<Tag>,
    globals: Vec<decl::Global>,
    func: FunctionState,
    /// For each expression whether evaluating it changes anything, once it was asked.
    effects: Vec<Option<bool>>,
    /// For each of the model's expressions whether it reads memory, once it was asked.
    reads: Vec<Option<bool>>,
    /// How deep each of the model's expressions is, once it was asked; 0 before.
    heights: Vec<u16>,
    /// The types of expressions that were lowered only for that.
    types_of: HashMap<ExprId, QType>,
    known: KnownNames,
    /// The objects of string literals, by type and contents.
    literals: HashMap<(TypeId, Vec<u8>), VarId>,
    /// The names under which pragmas want names of this unit to be linked.
    renamed: HashMap<String, String>,
    /// Names of this unit that are linked as other ones, which must not be internal.
    linked_as: Vec<(usize, String)>,
    /// The model's ids of the source buffer's files.
    file_cache: Option<(String, ir_span::FileId)>,
    volatile: Volatile,
    /// The expression that was looked at last.
    last_span: Span,
}

/// Symbols of attribute and builtin names that are compared often.
struct KnownNames {
    func_name: [Option<Symbol>; 3],
}

impl KnownNames {
    fn new(names: &Interner) -> Self {
        Self {
            func_name: ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"].map(|n| names.get(n)),
        }
    }
}

impl<'a> Lower<'a> {
    pub(crate) fn new(
        ast: &'a Ast,
        names: &'a Interner,
        source: &'a SourceBuffer,
        program: &'a mut Program,
        linker: &'a mut Linker,
        unit: UnitId,
    ) -> Self {
        let target = program.types.target();
        Self {
            ast,
            names,
            source,
            linker,
            unit,
            diagnostics: Vec::new(),
            types: CTypes::new(target),
            entities: Scopes::new(names.len()),
            tags: Scopes::new(names.len()),
            globals: Vec::new(),
            func: FunctionState::outside(),
            effects: vec![None; ast.expr_count()],
            reads: Vec::new(),
            heights: Vec::new(),
            types_of: HashMap::new(),
            known: KnownNames::new(names),
            literals: HashMap::new(),
            renamed: HashMap::new(),
            linked_as: Vec::new(),
            file_cache: None,
            volatile: Volatile::default(),
            last_span: Span::default(),
            program,
        }
    }

    /// Lowers all of it.
    pub(crate) fn run(mut self) -> Vec<Diagnostic> {
        self.read_pragmas();
        for &item in &self.ast.items {
            // The error is in the diagnostics.
            let _ = self.external_declaration(item);
        }
        self.check_other_names();
        self.finish_tentative_definitions();
        self.diagnostics
    }

    fn name(&self, symbol: Symbol) -> &'a str {
        self.names.name(symbol)
    }

    fn error(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.func.incomplete = true;
        self.diagnostics.push(Diagnostic::error(message, span));
        Reported
    }

    fn unsupported(&mut self, span: Span, message: impl Into<String>) -> Reported {
        self.func.incomplete = true;
        self.diagnostics.push(Diagnostic::unsupported(message, span));
        Reported
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(message, span));
    }

    /// Something that the model assumes and that a verdict must list.
    fn note(&mut self, kind: &'static str, message: impl Into<String>, span: Span) {
        let span = self.ir_span(span);
        self.program.add_note(Note { kind, message: message.into(), span });
    }

    /// The place in the user's file.
    fn ir_span(&mut self, span: Span) -> ir_span::Span {
        let start = self.source.resolve(span.lo);
        let end = self.source.resolve(span.hi);
        let file = match &self.file_cache {
            Some((name, id)) if name == start.file => *id,
            _ => {
                let id = self.program.files.intern(start.file);
                self.file_cache = Some((start.file.to_owned(), id));
                id
            }
        };
        let column = |c: u32| u16::try_from(c).unwrap_or(u16::MAX);
        let same_file = end.file == start.file && end.line >= start.line;
        let end = if same_file { end } else { start };
        ir_span::Span {
            file,
            line: start.line,
            column: column(start.column),
            end_line: end.line,
            end_column: column(end.column),
        }
    }

    /// Runs `f` in a block of its own.
    fn in_block<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.entities.enter();
        self.tags.enter();
        let result = f(self);
        self.entities.leave();
        self.tags.leave();
        result
    }

    /// Whether what is lowered here happens when the program runs.
    fn is_evaluated(&self) -> bool {
        self.func.inside && self.func.unevaluated == 0
    }

    /// Runs `f` where nothing leads to, so that only its result counts.
    fn unevaluated<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let here = self.func.cur;
        self.func.cur = self.func.builder.add_loc();
        self.func.unevaluated += 1;
        let result = f(self);
        self.func.unevaluated -= 1;
        self.func.cur = here;
        result
    }

    /// Adds an edge from the current location to a new one, which becomes the current one.
    fn emit(&mut self, op: Op, span: Span) {
        let to = self.func.builder.add_loc();
        self.emit_to(op, span, to);
        self.func.cur = to;
    }

    /// Adds an edge from the current location.
    fn emit_to(&mut self, op: Op, span: Span, to: LocId) {
        self.func.stores.extend(match &op {
            Op::Assign { dst, .. } | Op::Havoc(dst) => Some(*dst),
            Op::VaArg { list, .. } => Some(*list),
            _ => None,
        });
        match &op {
            Op::Assume(e) | Op::Assign { src: e, .. } => self.func.reads.push(*e),
            Op::Call(call) => self.func.reads.extend(&call.args),
            _ => {}
        }
        let span = self.ir_span(span);
        let (from, stmt) = (self.func.cur, self.func.stmt);
        self.func.builder.add_edge(Edge { from, to, op, span, stmt });
    }

    /// Joins the current location into another one.
    fn jump(&mut self, to: LocId) {
        let edge = Edge {
            from: self.func.cur,
            to,
            op: Op::Skip,
            span: ir_span::Span::NONE,
            stmt: Program::NO_STMT,
        };
        self.func.builder.add_edge(edge);
    }

    /// Goes on at a location that others join.
    fn continue_at(&mut self, loc: LocId) {
        self.jump(loc);
        self.func.cur = loc;
    }

    fn new_loc(&mut self) -> LocId {
        self.func.builder.add_loc()
    }

    /// A new place that the user does not know: whoever asks for it writes it, and it is read only
    /// behind that. At file scope, where nothing is executed, it is no variable.
    fn temp(&mut self, ty: TypeId) -> PlaceId {
        if !self.func.inside {
            return self.nowhere(ty);
        }
        let var = self.temp_variable(ty);
        self.program.var_place(var)
    }

    /// The same as a variable; only in functions.
    fn temp_variable(&mut self, ty: TypeId) -> VarId {
        self.unnamed(TEMPORARY, ty)
    }

    /// A place that stands for its type only, where nothing is executed.
    fn nowhere(&mut self, ty: TypeId) -> PlaceId {
        let pointer = self.program.types.pointer(ty);
        let null = self.program.zero(pointer);
        self.program.deref(null)
    }

    /// A new local variable whose name is made from a prefix.
    fn unnamed(&mut self, prefix: &str, ty: TypeId) -> VarId {
        let name = format!("{prefix}{}", self.func.temp_count);
        self.func.temp_count += 1;
        let var = self.program.vars.push(Var {
            name,
            ty,
            storage: Storage::Local(self.func.id),
            address_taken: false,
            span: ir_span::Span::NONE,
        });
        self.func.locals.push(var);
        var
    }
}
