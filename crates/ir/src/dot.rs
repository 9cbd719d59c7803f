//! Control flow automata as pictures, in the language of Graphviz.
//!
//! Locations are circles (the entry with a thick border, the exit with a double one, the user's
//! labels beside their locations), edges carry what happens as a line of C.

use std::fmt::Write;

use crate::arena::Id;
use crate::c_text::{CText, Fidelity, UniqueNames};
use crate::program::{FuncId, Program};

/// The automata of all functions that have one, as clusters of one graph.
pub fn program(program: &Program) -> String {
    let with_body = program.funcs.iter_ids().filter(|(_, f)| f.body.is_some());
    graph(program, with_body.map(|(id, _)| id))
}

/// The automaton of one function.
///
/// ```
/// let text = "gnomon-ir 1 lp64\nfunc $f: fn() -> void !- = {\n  locs 2\n  L0 -> L1: return !0\n}\n";
/// let program = gnomon_ir::text::parse(text)?;
/// let dot = gnomon_ir::dot::function(&program, program.find_function("f").unwrap());
/// assert!(dot.contains(r#"f0_0 -> f0_1 [label="return;"]"#));
/// # Ok::<(), gnomon_ir::text::TextError>(())
/// ```
pub fn function(program: &Program, function: FuncId) -> String {
    graph(program, std::iter::once(function))
}

fn graph(program: &Program, functions: impl Iterator<Item = FuncId>) -> String {
    let mut out = String::from("digraph cfa {\n");
    out.push_str("  node [shape=circle, fontname=\"monospace\", fontsize=10];\n");
    out.push_str("  edge [fontname=\"monospace\", fontsize=10];\n");
    for function in functions {
        cluster(&mut out, program, function);
    }
    out.push_str("}\n");
    out
}

/// Writing to a string cannot fail, so the results of `writeln!` are dropped.
fn cluster(out: &mut String, program: &Program, id: FuncId) {
    let function = &program.funcs[id];
    let Some(cfa) = &function.body else { return };
    let names = UniqueNames(program);
    let text = CText::new(program, &names, Fidelity::Readable);
    let f = id.index();
    let _ = writeln!(out, "  subgraph cluster_{f} {{");
    let _ = writeln!(out, "    label=\"{}\";", escaped(&function.name));
    for loc in cfa.locs() {
        let l = loc.index();
        let labels: Vec<&str> =
            cfa.labels().iter().filter(|label| label.loc == loc).map(|l| l.name.as_str()).collect();
        let _ = write!(out, "    f{f}_{l} [label=\"{l}\"");
        if loc == cfa.entry() {
            out.push_str(", penwidth=3");
        }
        if loc == cfa.exit() {
            out.push_str(", shape=doublecircle");
        }
        if !labels.is_empty() {
            let _ = write!(out, ", xlabel=\"{}\"", escaped(&labels.join(", ")));
        }
        out.push_str("];\n");
    }
    for edge in cfa.edges().iter() {
        let (from, to) = (edge.from.index(), edge.to.index());
        let label = escaped(&text.op(&edge.op));
        let _ = writeln!(out, "    f{f}_{from} -> f{f}_{to} [label=\"{label}\"];");
    }
    out.push_str("  }\n");
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}
