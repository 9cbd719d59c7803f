//! Points of a program as users name them: `FILE:LINE`.

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Cfa, LocId, Op};
use gnomon_ir::program::{FuncId, Program};

use crate::supergraph::Supergraph;

/// A location of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// The function.
    pub func: FuncId,
    /// The location in it.
    pub loc: LocId,
}

/// Why no point was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPoint {
    /// The text is not of the form.
    #[error("`{0}` is no point: write FILE:LINE")]
    Form(String),
    /// Nothing is there.
    #[error("no statement that can be reached begins in line {line} of {file}")]
    Nothing {
        /// The file as it was given.
        file: String,
        /// The line.
        line: u32,
    },
}

/// Whether a name of a file, as the program knows it, is meant by a name that a user or another tool
/// gives: the shorter of the two must be the end of the longer one, in whole components.
pub fn same_file(known: &str, given: &str) -> bool {
    let parts = |name: &str| -> Vec<String> {
        name.split('/').filter(|p| !p.is_empty() && *p != ".").map(str::to_owned).collect()
    };
    let (known, given) = (parts(known), parts(given));
    let length = known.len().min(given.len());
    length > 0 && known[known.len() - length..] == given[given.len() - length..]
}

/// The points where a line begins: `FILE:LINE`.
pub fn at_line(program: &Program, graph: &Supergraph, text: &str) -> Result<Vec<Point>, NoPoint> {
    let form = || NoPoint::Form(text.to_owned());
    let (file, line) = text.rsplit_once(':').ok_or_else(form)?;
    let line: u32 = line.parse().map_err(|_| form())?;
    let points = line_points(program, graph, file, line);
    if points.is_empty() {
        return Err(NoPoint::Nothing { file: file.to_owned(), line });
    }
    Ok(points)
}

/// The points where a line begins: from which an edge of the line leaves, and to which no edge of
/// the same line leads.
pub fn line_points(program: &Program, graph: &Supergraph, file: &str, line: u32) -> Vec<Point> {
    let mut points = Vec::new();
    for &func in graph.functions() {
        let Some(body) = &program.funcs[func].body else { continue };
        let on_line = |span: gnomon_ir::span::Span| {
            !span.is_none() && span.line == line && same_file(program.files.name(span.file), file)
        };
        let mut begins: Vec<LocId> = Vec::new();
        for edge in body.edges().iter().filter(|e| on_line(e.span)) {
            let inside = body.in_edges(edge.from).iter().any(|&e| on_line(body.edge(e).span));
            if !inside && !begins.contains(&edge.from) {
                begins.push(edge.from);
            }
        }
        if begins.is_empty() {
            // A loop within one line: its first location.
            let first = body.edges().iter().filter(|e| on_line(e.span)).map(|e| e.from).min();
            begins.extend(first);
        }
        begins.sort_unstable();
        points.extend(begins.into_iter().map(|loc| Point { func, loc }));
    }
    points
}

/// The locations at which a function branches.
pub fn branch_points(body: &Cfa) -> Vec<LocId> {
    let branches = |loc: &LocId| {
        let assumes =
            body.out_edges(*loc).iter().filter(|&&e| matches!(body.edge(e).op, Op::Assume(_)));
        assumes.count() > 1
    };
    body.locs().filter(branches).collect()
}

/// `FILE:LINE` of a point, from the edges that leave it or lead to it.
pub fn show(program: &Program, point: Point) -> String {
    let function = &program.funcs[point.func];
    let Some(body) = &function.body else { return function.name.clone() };
    let out = body.out_edges(point.loc).iter().chain(body.in_edges(point.loc));
    let spans = out.map(|&e| body.edge(e).span);
    match spans.into_iter().find(|s| !s.is_none()) {
        Some(span) => format!("{}:{}", program.files.name(span.file), span.line),
        None => format!("{} location {}", function.name, point.loc.index()),
    }
}
