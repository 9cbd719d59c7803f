//! A path as people read it: folded by calls.

use std::fmt::Write;

use gnomon_ir::cfa::EdgeId;
use gnomon_ir::program::{FuncId, Program, source_name};
use serde::Serialize;

use crate::btrace::search::Path;
use crate::supergraph::Origin;

/// A call of a function on a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Activation {
    /// The function.
    pub function: String,
    /// What happened in it.
    pub events: Vec<Event>,
    /// Whether it had not returned at the end.
    pub open: bool,
}

/// Something on a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// Lines were executed.
    Line {
        /// The file.
        file: String,
        /// The line.
        line: u32,
        /// Whether it is one of the lines that were given.
        seen: bool,
    },
    /// A function was called.
    Call(Activation),
}

/// Folds a path.
pub fn fold(
    program: &Program,
    entry: FuncId,
    path: &Path,
    is_seen: &dyn Fn(&str, u32) -> bool,
) -> Activation {
    let mut open = vec![activation(program, entry)];
    for step in &path.steps {
        match *step {
            Origin::Edge(func, edge) => line(program, &mut open, (func, edge), is_seen),
            Origin::Enter { caller, edge, callee } => {
                line(program, &mut open, (caller, edge), is_seen);
                open.push(activation(program, callee));
            }
            Origin::Exit(_) => close(&mut open, false),
            Origin::Resume(..) => {}
        }
    }
    while open.len() > 1 {
        close(&mut open, true);
    }
    let mut whole = open.remove(0);
    whole.open = true;
    whole
}

fn activation(program: &Program, func: FuncId) -> Activation {
    let function = source_name(&program.funcs[func].name).to_owned();
    Activation { function, events: Vec::new(), open: false }
}

fn close(open: &mut Vec<Activation>, unfinished: bool) {
    if open.len() < 2 {
        return;
    }
    if let Some(mut done) = open.pop() {
        done.open = unfinished;
        if let Some(caller) = open.last_mut() {
            caller.events.push(Event::Call(done));
        }
    }
}

fn line(
    program: &Program,
    open: &mut [Activation],
    (func, edge): (FuncId, EdgeId),
    is_seen: &dyn Fn(&str, u32) -> bool,
) {
    let Some(body) = &program.funcs[func].body else { return };
    let span = body.edge(edge).span;
    let Some(here) = open.last_mut().filter(|_| !span.is_none()) else { return };
    let file = program.files.name(span.file);
    let same = matches!(here.events.last(), Some(Event::Line { file: f, line, .. }) if f == file && *line == span.line);
    if !same {
        let seen = is_seen(file, span.line);
        here.events.push(Event::Line { file: file.to_owned(), line: span.line, seen });
    }
}

/// The path as indented text.
pub fn text(whole: &Activation) -> String {
    let mut out = String::new();
    write_text(whole, 0, &mut out);
    out
}

fn write_text(activation: &Activation, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let _ = writeln!(out, "{indent}{}", activation.function);
    for event in &activation.events {
        match event {
            Event::Line { file, line, seen } => {
                let mark = if *seen { " *" } else { "" };
                let _ = writeln!(out, "{indent}  {file}:{line}{mark}");
            }
            Event::Call(call) => write_text(call, depth + 1, out),
        }
    }
    if activation.open && depth > 0 {
        let _ = writeln!(out, "{indent}  (does not return)");
    }
}

/// The text of a line of a file, if it is known.
pub type SourceLines<'a> = &'a dyn Fn(&str, u32) -> Option<String>;

/// The path as a page: calls fold, those that are open are unfolded.
pub fn html(whole: &Activation, title: &str, source: SourceLines<'_>) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n\
         <style>body{{font-family:monospace}}details{{margin-left:1.5em}}.seen{{background:#fd8}}\
         .line{{margin-left:1.5em;white-space:pre}}.at{{color:#777}}</style></head>\n<body><h1>{0}</h1>\n",
        escaped(title)
    );
    write_html(whole, source, &mut out);
    out.push_str("</body></html>\n");
    out
}

fn write_html(activation: &Activation, source: SourceLines<'_>, out: &mut String) {
    let open = if activation.open { " open" } else { "" };
    let _ = writeln!(out, "<details{open}><summary>{}</summary>", escaped(&activation.function));
    for event in &activation.events {
        match event {
            Event::Line { file, line, seen } => {
                let class = if *seen { "line seen" } else { "line" };
                let place = format!("<span class=\"at\">{}:{line}</span>", escaped(file));
                let text = source(file, *line).map_or(String::new(), |text| escaped(text.trim()));
                let _ = writeln!(out, "<div class=\"{class}\">{place}  {text}</div>");
            }
            Event::Call(call) => write_html(call, source, out),
        }
    }
    out.push_str("</details>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
