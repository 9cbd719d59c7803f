//! One page that explains an outcome: no network, nothing beside it, opens from disk.
//!
//! The page holds the report as data ([`data`]), the texts of the sources, the error projection (AEP) with a
//! path to the error over every line in it ([`error_paths`]), and the control flow automata ([`graphs`]); a script
//! shows them. Everything that can be clicked is computed before: the page asks nobody. It says nothing that
//! it contradicts elsewhere: a line that a run has passed can be passed, and a proof has nothing left to do.

pub mod data;
pub mod error_paths;
pub mod graphs;

use std::collections::BTreeMap;

use gnomon_engine::outline::{Fate, OutlineNode};
use gnomon_ir::program::{Program, source_name};

use crate::collect::{location, place_span};
use crate::model::{Report, VerdictName};

use self::data::{Data, Scopes};
use self::error_paths::ProjectedLines;
use self::graphs::Graph;

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/page.css");
/// The script, in the order in which its parts need each other.
const SCRIPT: [&str; 7] = [
    include_str!("html/data.js"),
    include_str!("html/tokens.js"),
    include_str!("html/runs.js"),
    include_str!("html/source.js"),
    include_str!("html/graph.js"),
    include_str!("html/panels.js"),
    include_str!("html/page.js"),
];

/// What a page shows.
#[derive(Debug)]
pub struct Page<'a> {
    /// The outcome.
    pub report: &'a Report,
    /// The texts of the sources by name, as far as they could be read.
    pub sources: BTreeMap<String, String>,
    /// Which names are those of variables of the whole program.
    pub scopes: Scopes,
    /// The error projection.
    pub projection: Option<ProjectedLines>,
    /// Why there is none.
    pub no_projection: Option<String>,
    /// The automata, by function.
    pub graphs: BTreeMap<String, Graph>,
    /// The reachability tree.
    pub tree: Tree,
    /// By phase, the seconds at which progress was reported.
    pub timeline: BTreeMap<String, Vec<f64>>,
}

/// A reachability tree, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// Its nodes, parents before children.
    Nodes(Vec<TreeNode>),
    /// None is shown, for this reason.
    Missing(&'static str),
}

/// A node of a reachability tree.
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl Tree {
    /// The tree for the page of a verdict. A proof has nothing left to do: if nodes wait, it was found
    /// in another way than by finishing the tree, which is then no part of the explanation.
    pub fn of(program: &Program, outline: &[OutlineNode], verdict: VerdictName) -> Self {
        if outline.is_empty() {
            return Self::Missing(
                "There is no reachability tree: lazy abstraction did not explore the program.",
            );
        }
        let waits = |node: &OutlineNode| node.fate == Fate::Waiting;
        if verdict == VerdictName::True && outline.iter().any(waits) {
            return Self::Missing(
                "There is no reachability tree: the proof was found before lazy abstraction had \
                 explored all of the program.",
            );
        }
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
                waits: waits(node),
            }
        };
        Self::Nodes(outline.iter().map(node).collect())
    }
}

impl Page<'_> {
    /// The page.
    pub fn html(&self) -> serde_json::Result<String> {
        let data = Data::of(self).within_limit()?;
        let script = SCRIPT.concat();
        Ok(PAGE.replace("/*CSS*/", STYLE).replace("/*SCRIPT*/", &script).replace("/*DATA*/", &data))
    }
}
