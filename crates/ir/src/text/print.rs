//! The printer of the text form.

use std::fmt::Write;

use crate::arena::Id;
use crate::cfa::{Call, Callee, Cfa, Edge, Op};
use crate::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, UnaryOp};
use crate::ops::{self, Scalar};
use crate::precedence::{Binding, binding, with_stack};
use crate::program::{FuncId, Function, InitItem, Initializer, Program, Storage, VarId};
use crate::span::Span;
use crate::text::{SIMPLE_TYPES, STMT_KINDS};
use crate::types::{Record, RecordKind, Target, Type, TypeId};

/// The program as text.
pub fn print(program: &Program) -> String {
    let mut printer = Printer { program, out: String::new() };
    printer.program();
    printer.out
}

/// One function as [`print()`] shows it.
pub fn print_function(program: &Program, function: FuncId) -> String {
    let mut printer = Printer { program, out: String::new() };
    printer.function(&program.funcs[function]);
    printer.out
}

/// Prints into `out`. Writing to a string cannot fail, so the results of `write!` are dropped.
struct Printer<'p> {
    program: &'p Program,
    out: String,
}

impl Printer<'_> {
    fn program(&mut self) {
        let program = self.program;
        let target = match program.types.target() {
            Target::Ilp32 => "ilp32",
            Target::Lp64 => "lp64",
        };
        let _ = writeln!(self.out, "gnomon-ir 1 {target}");
        for (id, name) in program.files.iter() {
            let _ = writeln!(self.out, "file {} {}", id.index(), quote(name.as_bytes()));
        }
        for note in &program.notes {
            let _ = write!(self.out, "note {} ", name(note.kind));
            let _ = write!(self.out, "{} !", quote(note.message.as_bytes()));
            self.span(note.span);
            self.out.push('\n');
        }
        for (_, record) in program.types.records() {
            self.record(record);
        }
        for var in program.globals() {
            self.global(var);
        }
        for function in program.funcs.iter() {
            self.function(function);
        }
        for (id, stmt) in program.stmts.iter_ids() {
            if id == Program::NO_STMT {
                continue;
            }
            let word = STMT_KINDS.iter().find(|(kind, _)| *kind == stmt.kind);
            let _ = write!(self.out, "stmt {} {} ", id.index(), word.map_or("", |(_, word)| word));
            self.span(stmt.span);
            self.out.push('\n');
        }
    }

    fn span(&mut self, span: Span) {
        if span.is_none() {
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
        let _ = write!(self.out, "{keyword} {} ", name(&record.name));
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
        let _ = write!(self.out, " !{}", edge.stmt.index());
        if self.program.stmts.get(edge.stmt).is_none_or(|stmt| stmt.span != edge.span) {
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
        for (i, &arg) in call.args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.expr(arg, Binding::Any);
        }
        self.out.push(')');
    }

    fn var(&mut self, id: VarId) {
        let Some(var) = self.program.vars.get(id) else {
            let _ = write!(self.out, "%{id:?}");
            return;
        };
        let sign = if matches!(var.storage, Storage::Static { .. }) { '@' } else { '%' };
        let _ = write!(self.out, "{sign}{}", name(&var.name));
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
