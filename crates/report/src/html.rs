//! One page that explains an outcome: no network, nothing beside it, opens from disk.
//!
//! The page holds the report as data, the texts of the sources, the error projection (AEP) with a
//! path to the error over every line in it, and the control flow automata as pictures; a small script
//! shows them. Everything that can be clicked is computed before: the page asks nobody.

pub mod error_paths;

use std::collections::BTreeMap;

use gnomon_engine::outline::{Fate, OutlineNode};
use gnomon_ir::c_text::{CText, Fidelity, UniqueNames};
use gnomon_ir::program::{FuncId, Program, source_name};
use layout::backends::svg::SVGWriter;
use layout::gv::{DotParser, GraphBuilder};
use serde::Serialize;

use crate::collect::{location, place_span};
use crate::model::Report;

use self::error_paths::ProjectedLines;

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// Larger functions are not drawn: nobody reads such pictures, and laying them out takes long.
const MAX_DRAWN: usize = 80;
/// So many functions are drawn.
const MAX_FUNCTIONS: usize = 60;
/// Longer labels of edges are cut.
const LABEL: usize = 40;

/// What a page shows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Page<'a> {
    /// The outcome.
    pub report: &'a Report,
    /// The texts of the sources by name, as far as they could be read.
    pub sources: BTreeMap<String, String>,
    /// The error projection.
    pub projection: Option<ProjectedLines>,
    /// Why there is none.
    pub no_projection: Option<String>,
    /// The automata as SVG, by function.
    pub graphs: BTreeMap<String, String>,
    /// The reachability tree, parents before children.
    pub tree: Vec<TreeNode>,
    /// By phase, the seconds at which progress was reported.
    pub timeline: BTreeMap<String, Vec<f64>>,
}

/// A node of a reachability tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TreeNode {
    /// The number of the node before it; none for the root.
    pub parent: Option<usize>,
    /// The file and line, where there is one.
    pub place: Option<(String, u32)>,
    /// The function.
    pub function: String,
    /// In which states the program can be there.
    pub region: String,
    /// The number of the node that has all of its states, if it is covered.
    pub covered_by: Option<usize>,
    /// Whether it was still to be expanded.
    pub waits: bool,
}

/// A reachability tree for the page.
pub fn tree(program: &Program, outline: &[OutlineNode]) -> Vec<TreeNode> {
    let node = |node: &OutlineNode| {
        let place = place_span(program, node.func, node.loc)
            .and_then(|(span, _)| location(program, node.func, span));
        TreeNode {
            parent: node.parent,
            place: place.map(|place| (place.file, place.line)),
            function: source_name(&program.funcs[node.func].name).to_owned(),
            region: node.region.clone(),
            covered_by: match node.fate {
                Fate::CoveredBy(other) => Some(other),
                Fate::Expanded | Fate::Waiting => None,
            },
            waits: node.fate == Fate::Waiting,
        }
    };
    outline.iter().map(node).collect()
}

impl Page<'_> {
    /// The page.
    pub fn html(&self) -> serde_json::Result<String> {
        // Nothing in the data may end the element that holds it.
        let data = serde_json::to_string(self)?.replace('<', "\\u003c");
        Ok(PAGE.replace("/*CSS*/", STYLE).replace("/*SCRIPT*/", SCRIPT).replace("/*DATA*/", &data))
    }
}

/// Pictures of the automata of functions, the entry's first file's before others', by name.
pub fn graphs(program: &Program) -> BTreeMap<String, String> {
    let drawn = program.funcs.iter_ids().filter(|(_, function)| {
        let in_system =
            !function.span.is_none() && program.files.name(function.span.file).starts_with("/usr/");
        // What a reduction made up is none of the user's.
        let name = source_name(&function.name);
        let is_made_up = name.is_empty() || name.starts_with("__gnomon_");
        let size = function.body.as_ref().map_or(usize::MAX, |body| body.loc_count());
        !in_system && !is_made_up && size <= MAX_DRAWN
    });
    drawn
        .take(MAX_FUNCTIONS)
        .filter_map(|(id, function)| {
            Some((source_name(&function.name).to_owned(), graph(program, id)?))
        })
        .collect()
}

/// The automaton of a function as SVG.
fn graph(program: &Program, func: FuncId) -> Option<String> {
    let body = program.funcs[func].body.as_ref()?;
    let names = UniqueNames(program);
    let text = CText::new(program, &names, Fidelity::Readable);
    let mut dot = String::from("digraph cfa {\n");
    for loc in body.locs() {
        let line = body.out_edges(loc).iter().map(|edge| body.edge(*edge).span.line).min();
        let label = match line {
            _ if loc == body.exit() => "end".to_owned(),
            Some(line) if line > 0 => format!("line {line}"),
            _ => "-".to_owned(),
        };
        dot += &format!("  n{} [label=\"{label}\"];\n", loc.0);
    }
    for edge in body.edges().iter() {
        let label: String = text.op(&edge.op).chars().take(LABEL).collect();
        let label = label.replace(['"', '\\', '\n'], "'");
        dot += &format!("  n{} -> n{} [label=\"{label}\"];\n", edge.from.0, edge.to.0);
    }
    dot += "}\n";
    let parsed = DotParser::new(&dot).process().ok()?;
    let mut builder = GraphBuilder::new();
    builder.visit_graph(&parsed);
    let mut picture = SVGWriter::new();
    builder.get().do_it(false, false, false, &mut picture);
    let svg = picture.finalize();
    // A picture inside a page has no declaration of its own.
    svg.find("<svg").map(|at| svg[at..].to_owned())
}
