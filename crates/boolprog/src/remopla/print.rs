//! Remopla as text that parses to the same program.

use std::fmt::Write as _;

use super::ast::{
    Assignment, BinaryOp, Branch, Declaration, Declarator, EnumType, Expr, ExprKind, Global,
    Module, Program, Quantifier, RawRule, Reference, Statement, StatementKind, StructType, Type,
};

/// The whole program.
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    for define in &program.defines {
        let _ = writeln!(out, "define {} {}", define.name.text, operand(&define.value, 10));
    }
    for global in &program.globals {
        let _ = match global {
            Global::Enum(e) => writeln!(out, "{};", enum_type(e)),
            Global::Struct(s) => writeln!(out, "{};", struct_type(s)),
            Global::Variables { shared, declaration: d } => {
                writeln!(out, "{}{}", if *shared { "shared " } else { "" }, declaration(d))
            }
        };
    }
    if !program.init.is_empty() {
        let names: Vec<_> = program.init.iter().map(|i| i.text.as_str()).collect();
        let _ = writeln!(out, "init {};", names.join(" "));
    }
    for s in &program.statements {
        statement(s, 0, &mut out);
    }
    for rule in &program.rules {
        let _ = writeln!(out, "{}", raw_rule(rule));
    }
    for m in &program.modules {
        module(m, &mut out);
    }
    out
}

fn enum_type(e: &EnumType) -> String {
    let name = e.name.as_ref().map_or(String::new(), |n| format!(" {}", n.text));
    let values: Vec<_> = e.values.iter().map(|v| v.text.as_str()).collect();
    match values.is_empty() {
        true => format!("enum{name}"),
        false => format!("enum{name} {{{}}}", values.join(", ")),
    }
}

fn struct_type(s: &StructType) -> String {
    let name = s.name.as_ref().map_or(String::new(), |n| format!(" {}", n.text));
    let fields: Vec<_> = s.fields.iter().map(declaration).collect();
    match fields.is_empty() {
        true => format!("struct{name}"),
        false => format!("struct{name} {{ {} }}", fields.join(" ")),
    }
}

fn ty(t: &Type) -> String {
    match t {
        Type::Bool => "bool".to_owned(),
        Type::Int => "int".to_owned(),
        Type::Enum(e) => enum_type(e),
        Type::Struct(s) => struct_type(s),
    }
}

fn declaration(d: &Declaration) -> String {
    let variables: Vec<_> = d.variables.iter().map(declarator).collect();
    format!("{} {};", ty(&d.ty), variables.join(", "))
}

fn declarator(d: &Declarator) -> String {
    let mut out = d.name.text.clone();
    for (low, high) in &d.dimensions {
        let low = low.as_ref().map_or(String::new(), |l| format!("{}, ", expression(l)));
        let _ = write!(out, "[{low}{}]", expression(high));
    }
    out + &width(d.bits.as_ref())
}

fn width(bits: Option<&Expr>) -> String {
    bits.map_or(String::new(), |b| format!("({})", expression(b)))
}

fn module(m: &Module, out: &mut String) {
    let result = match &m.result {
        None => "void".to_owned(),
        Some((t, bits)) => format!("{}{}", ty(t), width(bits.as_ref())),
    };
    let parameters: Vec<_> =
        m.parameters.iter().map(|(t, d)| format!("{} {}", ty(t), declarator(d))).collect();
    let _ = write!(out, "\nmodule {result} {}({})", m.name.text, parameters.join(", "));
    let Some(body) = &m.body else {
        out.push_str(";\n");
        return;
    };
    out.push_str(" {\n");
    for d in &m.locals {
        let _ = writeln!(out, "    {}", declaration(d));
    }
    for s in body {
        statement(s, 1, out);
    }
    out.push_str("}\n");
}

fn statement(s: &Statement, depth: usize, out: &mut String) {
    let indent = "    ".repeat(depth);
    out.push_str(&indent);
    for label in &s.labels {
        let _ = write!(out, "{}: ", label.text);
    }
    match &s.kind {
        StatementKind::If(branches) => {
            out.push_str("if\n");
            for b in branches {
                branch(b, depth, out);
            }
            let _ = writeln!(out, "{indent}fi;");
        }
        StatementKind::Do(branches) => {
            out.push_str("do\n");
            for b in branches {
                branch(b, depth, out);
            }
            let _ = writeln!(out, "{indent}od;");
        }
        simple => {
            let _ = writeln!(out, "{};", simple_statement(simple));
        }
    }
}

fn branch(b: &Branch, depth: usize, out: &mut String) {
    let condition = b.condition.as_ref().map_or("else".to_owned(), expression);
    let _ = writeln!(out, "{}:: {condition} ->", "    ".repeat(depth));
    for s in &b.body {
        statement(s, depth + 1, out);
    }
}

/// A statement without labels and without the final `;`. Compound statements show their head.
pub fn simple_statement(kind: &StatementKind) -> String {
    let arguments = |a: &[Expr]| a.iter().map(expression).collect::<Vec<_>>().join(", ");
    let further = |a: &[Assignment]| a.iter().fold(String::new(), |t, x| t + ", " + &assignment(x));
    match kind {
        StatementKind::If(_) => "if".to_owned(),
        StatementKind::Do(_) => "do".to_owned(),
        StatementKind::Assign(list) => list.iter().map(assignment).collect::<Vec<_>>().join(", "),
        StatementKind::Call { target, callee, arguments: a, assignments } => {
            let to = target.as_ref().map_or(String::new(), |t| reference(t) + " = ");
            format!("{to}{}({}){}", callee.text, arguments(a), further(assignments))
        }
        StatementKind::Goto(label, assignments) => {
            format!("goto {}{}", label.text, further(assignments))
        }
        StatementKind::Break => "break".to_owned(),
        StatementKind::Skip(None) => "skip".to_owned(),
        StatementKind::Skip(Some(e)) => format!("skip ({})", expression(e)),
        StatementKind::Return(None) => "return".to_owned(),
        StatementKind::Return(Some(e)) => format!("return {}", expression(e)),
        StatementKind::Fork { callee, arguments: a } => {
            format!("fork {}({})", callee.text, arguments(a))
        }
    }
}

fn assignment(a: &Assignment) -> String {
    match a {
        Assignment::Equal(target, value) => {
            format!("{} = {}", reference(target), expression(value))
        }
        Assignment::NotEqual(target, value) => {
            format!("{} != {}", reference(target), expression(value))
        }
        Assignment::Quantified(q, inner) => format!("{} {}", quantifier(q), assignment(inner)),
    }
}

fn quantifier(q: &Quantifier) -> String {
    let word = if q.all { "A" } else { "E" };
    format!("{word} {} ({}, {})", q.variable.text, expression(&q.low), expression(&q.high))
}

/// A raw rule.
pub fn raw_rule(rule: &RawRule) -> String {
    let push: Vec<_> = rule.push.iter().map(|s| s.text.as_str()).collect();
    let mut out =
        format!("{} <{}> -> {} <{}>", rule.from.text, rule.top.text, rule.to.text, push.join(" "));
    if let Some(label) = &rule.label {
        let _ = write!(out, " \"{label}\"");
    }
    if let Some(relation) = &rule.relation {
        let _ = write!(out, " ({})", expression(relation));
    }
    out + ";"
}

/// A reference.
pub fn reference(r: &Reference) -> String {
    let indices =
        |list: &[Expr]| list.iter().map(|i| format!("[{}]", expression(i))).collect::<String>();
    let prime = if r.primed { "'" } else { "" };
    let field =
        r.field.as_ref().map_or(String::new(), |(f, i)| format!(".{}{}", f.text, indices(i)));
    format!("{}{prime}{}{field}", r.name.text, indices(&r.indices))
}

/// An expression with the parentheses it needs.
pub fn expression(e: &Expr) -> String {
    operand(e, 0)
}

fn operand(e: &Expr, least: u8) -> String {
    const UNARY: u8 = 12;
    match &e.kind {
        ExprKind::Number(n) => n.to_string(),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Undef => "undef".to_owned(),
        ExprKind::Reference(r) => reference(r),
        // `!A i (0, 1) e` negates the whole quantified expression without parentheses.
        ExprKind::Not(inner) if matches!(inner.kind, ExprKind::Quantified(..)) => {
            format!("!{}", operand(inner, 0))
        }
        ExprKind::Not(inner) => format!("!{}", operand(inner, UNARY)),
        ExprKind::Quantified(q, inner) => {
            let level = BinaryOp::Equal.level();
            let text = format!("{} {}", quantifier(q), operand(inner, level));
            if least >= level { format!("({text})") } else { text }
        }
        ExprKind::Binary(op, left, right) => {
            let level = BinaryOp::level(*op);
            let text =
                format!("{} {} {}", operand(left, level), op.text(), operand(right, level + 1));
            if level < least { format!("({text})") } else { text }
        }
    }
}
