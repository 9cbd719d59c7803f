//! The printer of the text form.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::arena::Id;
use crate::cfa::{Call, Callee, Cfa, Edge, Op};
use crate::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, UnaryOp};
use crate::library::TELL_LINES;
use crate::ops::{self, Scalar};
use crate::part::{Part, lines};
use crate::precedence::{Binding, binding, with_stack};
use crate::program::{
    FuncId, Function, InitItem, Initializer, Note, OpenOrder, Program, StmtId, StmtKind, Storage,
    VarId, source_name,
};
use crate::span::Span;
use crate::text::{SIMPLE_TYPES, STMT_KINDS};
use crate::types::{Record, RecordId, RecordKind, Target, Type, TypeId};

/// The program as text.
pub fn print(program: &Program) -> String {
    let mut printer = Printer::new(program);
    let stmts = program.stmts.ids().collect();
    let records = program.types.records().map(|(id, _)| id).collect();
    let part = Part { functions: program.funcs.ids().collect(), globals: BTreeSet::new(), records };
    let part = Part { globals: program.globals().collect(), ..part };
    printer.program(&part, &program.notes.iter().collect::<Vec<_>>(), &stmts);
    printer.out
}

/// A part of a program as the text of a program: statements are numbered anew, and of notes about open
/// orders of evaluation only those are there that are about the part.
pub fn print_part(program: &Program, part: &Part) -> String {
    let mut printer = Printer::new(program);
    let stmts = stmts_of(program, part);
    let number = |(number, &stmt): (usize, &StmtId)| (stmt, number);
    printer.numbers = Some(stmts.iter().enumerate().map(number).collect());
    printer.program(part, &notes_of(program, part), &stmts);
    printer.out
}

/// What a function is, whatever stands around it: as [`print_function`] shows it, but without places in
/// the source and with its statements numbered from 0. Comments and other functions do not change it.
pub fn essence_of_function(program: &Program, function: FuncId) -> String {
    let mut printer = Printer::of_essence(program);
    let function = &program.funcs[function];
    let mut numbers = BTreeMap::from([(Program::NO_STMT, 0)]);
    for edge in function.body.iter().flat_map(|body| body.edges().iter()) {
        let next = numbers.len();
        numbers.entry(edge.stmt).or_insert(next);
    }
    printer.numbers = Some(numbers);
    printer.function(function);
    printer.out
}

/// What happens on each edge of a function, in order, without places in the source and without locations: by this,
/// edges are found again in another program.
pub fn essences_of_edges(program: &Program, function: FuncId) -> Vec<String> {
    let body = program.funcs[function].body.as_ref();
    let essence = |edge: &Edge| {
        let mut printer = Printer::of_essence(program);
        printer.op(&edge.op);
        printer.out
    };
    body.iter().flat_map(|body| body.edges().iter()).map(essence).collect()
}

/// What a static variable is, without places in the source.
pub fn essence_of_global(program: &Program, global: VarId) -> String {
    let mut printer = Printer::of_essence(program);
    printer.global(global);
    printer.out
}

/// What a record is.
pub fn essence_of_record(program: &Program, record: RecordId) -> String {
    let mut printer = Printer::of_essence(program);
    printer.record(program.types.record(record));
    printer.out
}

/// Whether a name is none of the user's but a number that depends on what else is in the program. The
/// essence of what mentions such a thing shows it.
pub fn is_nameless(name: &str) -> bool {
    name.starts_with('.')
}

/// What is noted of a part, without places in the source.
pub fn essence_of_notes(program: &Program, part: &Part) -> String {
    let notes = notes_of(program, part);
    notes.iter().map(|note| format!("{} {}\n", note.kind, quote(note.message.as_bytes()))).collect()
}

/// One function as [`print()`] shows it.
pub fn print_function(program: &Program, function: FuncId) -> String {
    let mut printer = Printer::new(program);
    printer.function(&program.funcs[function]);
    printer.out
}

/// The statements of the functions of a part, heads of loops included, and the one that stands for none.
fn stmts_of(program: &Program, part: &Part) -> BTreeSet<StmtId> {
    let mut stmts = BTreeSet::from([Program::NO_STMT]);
    for &function in &part.functions {
        let body = program.funcs[function].body.as_ref();
        stmts.extend(body.iter().flat_map(|body| body.edges().iter()).map(|edge| edge.stmt));
    }
    let ranges = part.functions.iter().filter_map(|&function| lines(program, function));
    let ranges: Vec<_> = ranges.collect();
    stmts.extend(program.stmts.iter_ids().filter_map(|(id, stmt)| {
        let is_inside = ranges.iter().any(|range| is_within(stmt.span, *range));
        (stmt.kind == StmtKind::LoopHead && is_inside).then_some(id)
    }));
    stmts
}

fn is_within(span: Span, (start, first, last): (Span, u32, u32)) -> bool {
    span.file == start.file && span.line >= first && span.line <= last
}

/// Notes are kept, but those about open orders of evaluation only if one of these is in the part, or
/// nobody knows where it is.
fn notes_of<'p>(program: &'p Program, part: &Part) -> Vec<&'p Note> {
    let ranges: Vec<_> =
        program.funcs.ids().filter_map(|id| Some((id, lines(program, id)?))).collect();
    let concerns = |order: &OpenOrder| {
        let mut around =
            ranges.iter().filter(|(_, range)| is_within(order.span, *range)).peekable();
        around.peek().is_none() || around.any(|(id, _)| part.functions.contains(id))
    };
    let open = program.open_orders.is_empty() || program.open_orders.iter().any(concerns);
    let is_kept = |note: &&Note| note.kind != Note::EVALUATION_ORDER || open;
    program.notes.iter().filter(is_kept).collect()
}

/// Prints into `out`. Writing to a string cannot fail, so the results of `write!` are dropped.
struct Printer<'p> {
    program: &'p Program,
    out: String,
    /// Whether places in the source are shown.
    spans: bool,
    /// Other numbers for statements than their own.
    numbers: Option<BTreeMap<StmtId, usize>>,
    /// Where only the essence is shown: variables and records without a name of the user's, by which
    /// they would be told apart. They are numbered as they come, and shown at their first mention.
    nameless_globals: Vec<VarId>,
    nameless_records: Vec<RecordId>,
}

impl<'p> Printer<'p> {
    fn new(program: &'p Program) -> Self {
        Self {
            program,
            out: String::new(),
            spans: true,
            numbers: None,
            nameless_globals: Vec::new(),
            nameless_records: Vec::new(),
        }
    }

    /// A printer of essences.
    fn of_essence(program: &'p Program) -> Self {
        Self { spans: false, ..Self::new(program) }
    }

    fn number(&self, stmt: StmtId) -> usize {
        match &self.numbers {
            Some(numbers) => numbers.get(&stmt).copied().unwrap_or_default(),
            None => stmt.index(),
        }
    }

    fn program(&mut self, part: &Part, notes: &[&Note], stmts: &BTreeSet<StmtId>) {
        let program = self.program;
        let target = match program.types.target() {
            Target::Ilp32 => "ilp32",
            Target::Lp64 => "lp64",
        };
        let _ = writeln!(self.out, "gnomon-ir 1 {target}");
        for (id, name) in program.files.iter() {
            let _ = writeln!(self.out, "file {} {}", id.index(), quote(name.as_bytes()));
        }
        for note in notes {
            let _ = write!(self.out, "note {} ", name(note.kind));
            let _ = write!(self.out, "{} !", quote(note.message.as_bytes()));
            self.span(note.span);
            self.out.push('\n');
        }
        for &record in &part.records {
            self.record(program.types.record(record));
        }
        for &var in &part.globals {
            self.global(var);
        }
        for &function in &part.functions {
            self.function(&program.funcs[function]);
        }
        for &id in stmts {
            if id == Program::NO_STMT {
                continue;
            }
            let stmt = &program.stmts[id];
            let word = STMT_KINDS.iter().find(|(kind, _)| *kind == stmt.kind);
            let number = self.number(id);
            let _ = write!(self.out, "stmt {number} {} ", word.map_or("", |(_, word)| word));
            self.span(stmt.span);
            self.out.push('\n');
        }
    }

    fn span(&mut self, span: Span) {
        if span.is_none() || !self.spans {
            self.out.push('-');
            return;
        }
        let Span { file, line, column, end_column, end_line } = span;
        let _ = write!(self.out, "{}:{line}:{column}-{end_line}:{end_column}", file.index());
    }

    fn marked_span(&mut self, span: Span) {
        self.out.push_str(" !");
        self.span(span);
    }

    fn record(&mut self, record: &Record) {
        let keyword = record_keyword(record.kind);
        let shown = if !self.spans && is_nameless(&record.name) { "." } else { &record.name };
        let _ = write!(self.out, "{keyword} {} ", name(shown));
        let _ = write!(self.out, "size {} align {}", record.size, record.align);
        if !record.complete {
            self.out.push_str(" incomplete");
        }
        self.out.push_str(" {\n");
        for field in &record.fields {
            let _ = write!(self.out, "  {}: ", name(&field.name));
            self.ty(field.ty);
            let _ = write!(self.out, " at {}", field.offset);
            if let Some(bits) = field.bits {
                let _ = write!(self.out, ".{} : {}", bits.shift, bits.width);
            }
            self.out.push('\n');
        }
        self.out.push_str("}\n");
    }

    fn global(&mut self, id: VarId) {
        let var = &self.program.vars[id];
        let Storage::Static { init, thread_local, read_only } = &var.storage else { return };
        let _ = write!(self.out, "global @{}: ", name(&var.name));
        self.ty(var.ty);
        for (holds, word) in [
            (*thread_local, " thread_local"),
            (*read_only, " read_only"),
            (var.address_taken, " taken"),
        ] {
            if holds {
                self.out.push_str(word);
            }
        }
        self.marked_span(var.span);
        match init {
            Some(init) => self.initializer(init),
            None => self.out.push_str(" extern\n"),
        }
    }

    fn initializer(&mut self, init: &Initializer) {
        self.out.push_str(" = {\n");
        for item in &init.items {
            self.out.push_str("  ");
            match item {
                InitItem::Value { place, value } => {
                    self.place(*place, Binding::Any);
                    self.out.push_str(" = ");
                    self.expr(*value, Binding::Any);
                }
                InitItem::Bytes { place, bytes } => {
                    self.place(*place, Binding::Any);
                    let _ = write!(self.out, " <- {}", quote(bytes));
                }
            }
            self.out.push('\n');
        }
        self.out.push_str("}\n");
    }

    fn function(&mut self, function: &Function) {
        let _ = write!(self.out, "func ${}: ", name(&function.name));
        self.ty(function.ty);
        if function.no_return {
            self.out.push_str(" noreturn");
        }
        self.marked_span(function.span);
        if let Some(body) = &function.body {
            self.out.push_str(" = {\n");
            for &param in &function.params {
                self.local("param", param);
            }
            for &local in &function.locals {
                self.local("local", local);
            }
            self.body(body);
            self.out.push('}');
        }
        self.out.push('\n');
    }

    fn local(&mut self, word: &str, id: VarId) {
        let var = &self.program.vars[id];
        let _ = write!(self.out, "  {word} %{}: ", name(&var.name));
        self.ty(var.ty);
        if var.address_taken {
            self.out.push_str(" taken");
        }
        self.marked_span(var.span);
        self.out.push('\n');
    }

    fn body(&mut self, body: &Cfa) {
        let _ = writeln!(self.out, "  locs {}", body.loc_count());
        for label in body.labels() {
            let _ = write!(self.out, "  label {} {:?}", name(&label.name), label.loc);
            self.marked_span(label.span);
            self.out.push('\n');
        }
        for edge in body.edges().iter() {
            self.edge(edge);
        }
    }

    fn edge(&mut self, edge: &Edge) {
        let _ = write!(self.out, "  {:?} -> {:?}: ", edge.from, edge.to);
        self.op(&edge.op);
        let _ = write!(self.out, " !{}", self.number(edge.stmt));
        if self.spans && self.program.stmts.get(edge.stmt).is_none_or(|stmt| stmt.span != edge.span)
        {
            self.out.push(' ');
            self.span(edge.span);
        }
        self.out.push('\n');
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Skip => self.out.push_str("skip"),
            Op::Assume(e) => {
                self.out.push_str("assume ");
                self.expr(*e, Binding::Any);
            }
            Op::Assign { dst, src } => {
                self.place(*dst, Binding::Any);
                self.out.push_str(" = ");
                self.expr(*src, Binding::Any);
            }
            Op::Call(call) => self.call(call),
            Op::Return(value) => {
                self.out.push_str("return");
                if let Some(value) = value {
                    self.out.push(' ');
                    self.expr(*value, Binding::Any);
                }
            }
            Op::Havoc(place) => self.on_place("havoc", *place),
            Op::HavocMemory => self.out.push_str("havoc memory"),
            Op::Declare(var) => {
                self.out.push_str("declare ");
                self.var(*var);
            }
            Op::Alloca { dst, size } => {
                self.place(*dst, Binding::Any);
                self.out.push_str(" = alloca ");
                self.expr(*size, Binding::Any);
            }
            Op::VaStart(list) => self.on_place("va_start", *list),
            Op::VaArg { dst, list } => {
                self.place(*dst, Binding::Any);
                self.on_place(" = va_arg", *list);
            }
            Op::VaCopy { dst, src } => {
                self.on_place("va_copy", *dst);
                self.out.push_str(", ");
                self.place(*src, Binding::Any);
            }
            Op::VaEnd(list) => self.on_place("va_end", *list),
        }
    }

    fn on_place(&mut self, word: &str, place: PlaceId) {
        self.out.push_str(word);
        self.out.push(' ');
        self.place(place, Binding::Any);
    }

    fn call(&mut self, call: &Call) {
        if let Some(dst) = call.dst {
            self.place(dst, Binding::Any);
            self.out.push_str(" = ");
        }
        self.out.push_str("call ");
        match call.callee {
            Callee::Direct(function) => self.func(function),
            Callee::Indirect(pointer) => {
                self.out.push('(');
                self.expr(pointer, Binding::Any);
                self.out.push(')');
            }
        }
        self.out.push('(');
        let tells_line = !self.spans && self.tells_line(call);
        for (i, &arg) in call.args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            match tells_line && self.program.as_int(arg).is_some() {
                true => self.out.push('-'),
                false => self.expr(arg, Binding::Any),
            }
        }
        self.out.push(')');
    }

    /// Whether a call is what is left of a failing `assert`: the numbers that it is given are its place in the source,
    /// and nobody computes with them, since the function has no body and does not return.
    fn tells_line(&self, call: &Call) -> bool {
        let Callee::Direct(id) = call.callee else { return false };
        self.program.funcs.get(id).is_some_and(|function| {
            function.body.is_none() && TELL_LINES.contains(&source_name(&function.name))
        })
    }

    fn var(&mut self, id: VarId) {
        let Some(var) = self.program.vars.get(id) else {
            let _ = write!(self.out, "%{id:?}");
            return;
        };
        let is_static = matches!(var.storage, Storage::Static { .. });
        if is_static && !self.spans && is_nameless(&var.name) {
            self.nameless_global(id);
            return;
        }
        let sign = if is_static { '@' } else { '%' };
        let _ = write!(self.out, "{sign}{}", name(&var.name));
    }

    fn nameless_global(&mut self, id: VarId) {
        if let Some(number) = self.nameless_globals.iter().position(|&known| known == id) {
            let _ = write!(self.out, "@.{number}");
            return;
        }
        let _ = write!(self.out, "@.{}{{", self.nameless_globals.len());
        self.nameless_globals.push(id);
        let program = self.program;
        let var = &program.vars[id];
        self.ty(var.ty);
        if let Storage::Static { init, thread_local, read_only } = &var.storage {
            let _ = write!(self.out, " {thread_local} {read_only} {}", var.address_taken);
            match init {
                Some(init) => self.initializer(init),
                None => self.out.push_str(" extern"),
            }
        }
        self.out.push('}');
    }

    fn nameless_record(&mut self, id: RecordId) {
        if let Some(number) = self.nameless_records.iter().position(|&known| known == id) {
            let _ = write!(self.out, "record .{number}");
            return;
        }
        self.nameless_records.push(id);
        let program = self.program;
        self.record(program.types.record(id));
    }

    fn func(&mut self, id: FuncId) {
        let known = self.program.funcs.get(id).map_or("?", |f| &f.name);
        let _ = write!(self.out, "${}", name(known));
    }

    fn ty(&mut self, id: TypeId) {
        let ty = self.program.types.get(id);
        if let Some((_, word)) = SIMPLE_TYPES.iter().find(|(simple, _)| simple == ty) {
            self.out.push_str(word);
            return;
        }
        match ty {
            Type::Pointer(to) => {
                self.type_before_suffix(*to);
                self.out.push('*');
            }
            Type::Array { elem, len } => {
                self.type_before_suffix(*elem);
                let _ = write!(self.out, "[{len}]");
            }
            Type::Record(id) => {
                let record = self.program.types.record(*id);
                if !self.spans && is_nameless(&record.name) {
                    self.nameless_record(*id);
                    return;
                }
                let keyword = record_keyword(record.kind);
                let _ = write!(self.out, "{keyword} {}", name(&record.name));
            }
            Type::Function(signature) => {
                self.out.push_str(if signature.prototyped { "fn(" } else { "fn?(" });
                for (i, &param) in signature.params.iter().enumerate() {
                    if i > 0 {
                        self.out.push_str(", ");
                    }
                    self.ty(param);
                }
                if signature.variadic {
                    let comma = if signature.params.is_empty() { "" } else { ", " };
                    let _ = write!(self.out, "{comma}...");
                }
                self.out.push_str(") -> ");
                self.ty(signature.result);
            }
            Type::Void | Type::Bool | Type::Float(_) => {}
            Type::Int { bits, signed } => {
                let _ = write!(self.out, "{}{bits}", if *signed { 'i' } else { 'u' });
            }
        }
    }

    /// The result of a function type would swallow the suffix.
    fn type_before_suffix(&mut self, id: TypeId) {
        if matches!(self.program.types.get(id), Type::Function(_)) {
            self.out.push('(');
            self.ty(id);
            self.out.push(')');
        } else {
            self.ty(id);
        }
    }

    fn parenthesized(&mut self, holds: Binding, needed: Binding, print: impl FnOnce(&mut Self)) {
        if holds < needed {
            self.out.push('(');
            print(self);
            self.out.push(')');
        } else {
            print(self);
        }
    }

    fn expr(&mut self, id: ExprId, needed: Binding) {
        with_stack(|| self.expr_step(id, needed));
    }

    fn expr_step(&mut self, id: ExprId, needed: Binding) {
        let expr = self.program.exprs.expr(id);
        match expr.kind {
            ExprKind::Const(bits) => self.constant(expr.ty, self.program.exprs.bits(bits)),
            ExprKind::Zero => {
                self.out.push_str("zero(");
                self.ty(expr.ty);
                self.out.push(')');
            }
            ExprKind::Load(place) => self.place(place, needed),
            ExprKind::AddrOf(place) => self.parenthesized(Binding::Prefix, needed, |p| {
                p.out.push('&');
                p.place(place, Binding::Prefix);
            }),
            ExprKind::FuncAddr(function) => self.parenthesized(Binding::Prefix, needed, |p| {
                p.out.push('&');
                p.func(function);
            }),
            ExprKind::Unary(op, operand) => self.parenthesized(Binding::Prefix, needed, |p| {
                p.out.push_str(op.symbol());
                // `-5` reads as a number, not as the negation of one.
                let number = matches!(p.program.exprs.expr(operand).kind, ExprKind::Const(_));
                if op == UnaryOp::Neg && number {
                    p.out.push('(');
                    p.expr(operand, Binding::Any);
                    p.out.push(')');
                } else {
                    p.expr(operand, Binding::Prefix);
                }
            }),
            ExprKind::Binary(op, left, right) => self.binary(op, left, right, needed),
            ExprKind::PtrAdd(left, right) => self.binary(BinaryOp::Add, left, right, needed),
            ExprKind::PtrDiff(left, right) => self.binary(BinaryOp::Sub, left, right, needed),
            ExprKind::Cast(operand) => self.parenthesized(Binding::Prefix, needed, |p| {
                p.out.push('(');
                p.ty(expr.ty);
                p.out.push(')');
                p.expr(operand, Binding::Prefix);
            }),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, needed: Binding) {
        let holds = binding(op);
        self.parenthesized(holds, needed, |p| {
            p.expr(left, holds);
            let _ = write!(p.out, " {} ", op.symbol());
            p.expr(right, holds.tighter());
        });
    }

    fn constant(&mut self, ty: TypeId, bits: u128) {
        let types = &self.program.types;
        let simple = !types.is_pointer(ty);
        let number = types.scalar(ty).filter(|_| simple).and_then(|scalar| {
            let fits = ops::truncate(bits, scalar.width()) == bits;
            match scalar {
                Scalar::Bool => Some(bits.to_string()),
                Scalar::Int { bits: width, signed: true } => {
                    Some(ops::sign_extend(bits, width).to_string())
                }
                Scalar::Int { .. } => Some(bits.to_string()),
                Scalar::Float(kind) => {
                    let shown = ops::show_float(kind, bits);
                    (ops::parse_float(kind, &shown) == Some(bits)).then_some(shown)
                }
            }
            .filter(|_| fits)
        });
        match number {
            Some(number) => {
                let _ = write!(self.out, "{number}:");
                self.ty(ty);
            }
            None => {
                let _ = write!(self.out, "bits({bits:#x}, ");
                self.ty(ty);
                self.out.push(')');
            }
        }
    }

    fn place(&mut self, id: PlaceId, needed: Binding) {
        with_stack(|| self.place_step(id, needed));
    }

    fn place_step(&mut self, id: PlaceId, needed: Binding) {
        match self.program.exprs.place(id).kind {
            PlaceKind::Var(var) => self.var(var),
            PlaceKind::Deref(pointer) => self.parenthesized(Binding::Prefix, needed, |p| {
                p.out.push('*');
                p.expr(pointer, Binding::Prefix);
            }),
            PlaceKind::Field(base, field) => {
                let in_record = self.program.exprs.place(base);
                if let PlaceKind::Deref(pointer) = in_record.kind {
                    self.expr(pointer, Binding::Postfix);
                    self.out.push_str("->");
                } else {
                    self.place(base, Binding::Postfix);
                    self.out.push_str("::");
                }
                self.field(in_record.ty, field);
            }
            PlaceKind::Index(base, index) => {
                self.place(base, Binding::Postfix);
                self.out.push('[');
                self.expr(index, Binding::Any);
                self.out.push(']');
            }
        }
    }

    /// By name if that finds it, else by number.
    fn field(&mut self, record: TypeId, field: u32) {
        let fields = self.program.types.as_record(record).map_or(&[][..], |(_, r)| &r.fields);
        let by_name = fields.get(field as usize).filter(|f| {
            !f.name.is_empty()
                && fields.iter().position(|g| g.name == f.name) == Some(field as usize)
        });
        let _ = match by_name {
            Some(field) => write!(self.out, "{}", name(&field.name)),
            None => write!(self.out, "#{field}"),
        };
    }
}

fn record_keyword(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Struct => "struct",
        RecordKind::Union => "union",
    }
}

/// Whether a byte can stand in a name without quotes.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$') || byte >= 0x80
}

/// A name, in quotes if it would not be read as one word.
fn name(text: &str) -> String {
    let bare = text.bytes().all(is_name_byte)
        && !text.starts_with("...")
        && text.bytes().next().is_some_and(|first| !first.is_ascii_digit() && first != b'$');
    if bare { text.to_owned() } else { quote(text.as_bytes()) }
}

/// Bytes as a string in quotes.
fn quote(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                c if c.is_control() => {
                    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                        let _ = write!(out, "\\x{byte:02x}");
                    }
                }
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('"');
    out
}
