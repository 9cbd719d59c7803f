//! Boolean programs as text, in one canonical form that every reader of the SLAM family accepts
//! as far as its dialect goes, and that [`super::parse`] reads back as the same tree.

use std::fmt::Write as _;

use super::ast::{
    BinaryOp, Declaration, Expr, ExprKind, Function, Program, Statement, StatementKind,
};
use crate::source::Ident;

/// The whole program.
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    declarations(&program.globals, "", &mut out);
    for f in &program.functions {
        if !out.is_empty() {
            out.push('\n');
        }
        function(f, &mut out);
    }
    out
}

fn declarations(list: &[Declaration], indent: &str, out: &mut String) {
    for d in list {
        let _ = match &d.initial {
            Some(e) => writeln!(out, "{indent}decl {} := {};", d.name.text, expression(e)),
            None => writeln!(out, "{indent}decl {};", d.name.text),
        };
    }
}

fn function(f: &Function, out: &mut String) {
    let dfs = if f.dfs { "dfs " } else { "" };
    let result = match f.results {
        0 => "void".to_owned(),
        n => format!("bool<{n}>"),
    };
    let _ = writeln!(out, "{dfs}{result} {}({})\nbegin", f.name.text, names(&f.parameters));
    declarations(&f.locals, "    ", out);
    for e in &f.enforce {
        let _ = writeln!(out, "    enforce {};", expression(e));
    }
    for e in &f.abort_if {
        let _ = writeln!(out, "    abortif {};", expression(e));
    }
    statements(&f.body, 1, out);
    out.push_str("end\n");
}

fn names(list: &[Ident]) -> String {
    list.iter().map(|i| i.text.as_str()).collect::<Vec<_>>().join(", ")
}

fn list(exprs: &[Expr]) -> String {
    exprs.iter().map(expression).collect::<Vec<_>>().join(", ")
}

fn statements(body: &[Statement], depth: usize, out: &mut String) {
    for s in body {
        statement(s, depth, out);
    }
}

fn statement(s: &Statement, depth: usize, out: &mut String) {
    let indent = "    ".repeat(depth);
    out.push_str(&indent);
    for label in &s.labels {
        let _ = write!(out, "{}: ", label.text);
    }
    match &s.kind {
        StatementKind::If { branches, otherwise } => {
            for (i, (condition, body)) in branches.iter().enumerate() {
                let word = if i == 0 { "if" } else { "elsif" };
                let lead = if i == 0 { "" } else { &indent };
                let _ = writeln!(out, "{lead}{word} ({}) then", expression(condition));
                statements(body, depth + 1, out);
            }
            if let Some(body) = otherwise {
                let _ = writeln!(out, "{indent}else");
                statements(body, depth + 1, out);
            }
            let _ = writeln!(out, "{indent}fi");
        }
        StatementKind::While { condition, body } => {
            let _ = writeln!(out, "while ({}) do", expression(condition));
            statements(body, depth + 1, out);
            let _ = writeln!(out, "{indent}od");
        }
        simple => {
            let _ = writeln!(out, "{};", simple_statement(simple));
        }
    }
}

/// A statement without labels and without the final `;`. Compound statements show their head.
pub fn simple_statement(kind: &StatementKind) -> String {
    match kind {
        StatementKind::Skip => "skip".to_owned(),
        StatementKind::Print(values) => format!("print({})", list(values)),
        StatementKind::Goto(labels) => format!("goto {}", names(labels)),
        StatementKind::Return(values) if values.is_empty() => "return".to_owned(),
        StatementKind::Return(values) => format!("return {}", list(values)),
        StatementKind::Assert(e) => format!("assert({})", expression(e)),
        StatementKind::Assume(e) => format!("assume({})", expression(e)),
        StatementKind::Constrain(e) => format!("constrain({})", expression(e)),
        StatementKind::Assign { targets, values, constrain } => {
            let mut text = format!("{} := {}", names(targets), list(values));
            if let Some(e) = constrain {
                let _ = write!(text, " constrain ({})", expression(e));
            }
            text
        }
        StatementKind::Call { targets, callee, arguments } => {
            let to = if targets.is_empty() { String::new() } else { names(targets) + " := " };
            format!("{to}{}({})", callee.text, list(arguments))
        }
        StatementKind::If { branches, .. } => {
            branches.first().map_or_else(String::new, |(c, _)| format!("if ({})", expression(c)))
        }
        StatementKind::While { condition, .. } => format!("while ({})", expression(condition)),
        StatementKind::Dead(variables) => format!("dead {}", names(variables)),
        StatementKind::StartThreadAt(label) => format!("start_thread goto {}", label.text),
        StatementKind::StartThreadCall { callee, arguments } => {
            format!("start_thread {}({})", callee.text, list(arguments))
        }
        StatementKind::EndThread => "end_thread".to_owned(),
        StatementKind::Sync(label) => format!("sync {}", label.text),
        StatementKind::AtomicBegin => "atomic_begin".to_owned(),
        StatementKind::AtomicEnd => "atomic_end".to_owned(),
        StatementKind::Wait => "wait".to_owned(),
        StatementKind::Broadcast => "broadcast".to_owned(),
    }
}

/// An expression with the parentheses it needs.
pub fn expression(e: &Expr) -> String {
    let mut out = String::new();
    write_expression(e, 0, &mut out);
    out
}

const UNARY: u8 = 6;

/// `least` is the level below which parentheses are needed.
fn write_expression(e: &Expr, least: u8, out: &mut String) {
    let level = match &e.kind {
        ExprKind::Conditional(..) => 0,
        ExprKind::Binary(op, ..) => op.level(),
        _ => UNARY,
    };
    if level < least {
        out.push('(');
        write_expression(e, 0, out);
        out.push(')');
        return;
    }
    match &e.kind {
        ExprKind::Constant(value) => out.push(if *value { 'T' } else { 'F' }),
        ExprKind::Nondet => out.push('*'),
        ExprKind::Variable(name) => out.push_str(&name.text),
        ExprKind::Post(name) => {
            out.push('\'');
            out.push_str(&name.text);
        }
        ExprKind::Not(inner) => {
            out.push('!');
            write_expression(inner, UNARY, out);
        }
        ExprKind::Binary(op, left, right) => {
            // The operands of `=>` always get parentheses: tools disagree on its precedence.
            let (for_left, for_right) = match op {
                BinaryOp::Implies => (UNARY, UNARY),
                _ => (level, level + 1),
            };
            write_expression(left, for_left, out);
            let _ = write!(out, " {} ", op.text());
            write_expression(right, for_right, out);
        }
        ExprKind::Conditional(condition, yes, no) => {
            write_expression(condition, 1, out);
            out.push_str(" ? ");
            write_expression(yes, 0, out);
            out.push_str(" : ");
            write_expression(no, 0, out);
        }
        ExprKind::Schoose(positive, negative) => {
            out.push_str("schoose[");
            write_expression(positive, 0, out);
            out.push_str(", ");
            write_expression(negative, 0, out);
            out.push(']');
        }
    }
}
