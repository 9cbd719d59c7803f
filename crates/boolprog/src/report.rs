//! What people and tools read: executions, sets of values, projections.
//!
//! Plain data (serialisable) first, text made from it second, so that the text and the JSON say
//! the same. Bits of one wider variable (`x.0`, `x.1`, ...) are shown as one number.

use std::fmt::Write as _;

use gnomon_bdd::{Bdd, BddError};
use serde::Serialize;

use crate::interpret::{Machine, Run, RunEnd};
use crate::model::{Action, Model, PointId, PointKind, VarId};
use crate::project::Projection;
use crate::source::{Source, Span};
use crate::symbolic::encoding::Encoding;

/// A variable and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NamedValue {
    /// The name.
    pub name: String,
    /// The value; above one only for variables of several bits.
    pub value: u64,
}

/// Values of single bits, with the bits of one variable put together.
pub fn named_values(model: &Model, values: &[(VarId, bool)]) -> Vec<NamedValue> {
    let mut list: Vec<NamedValue> = Vec::new();
    for &(variable, value) in values {
        let name = &model.variable(variable).name;
        let bit = name.rsplit_once('.').and_then(|(stem, bit)| Some((stem, bit.parse().ok()?)));
        match bit {
            Some((stem, bit @ 0..=63_u32)) => {
                let value = u64::from(value) << bit;
                match list.iter_mut().find(|n| n.name == stem) {
                    Some(known) => known.value |= value,
                    None => list.push(NamedValue { name: stem.to_owned(), value }),
                }
            }
            _ => list.push(NamedValue { name: name.clone(), value: u64::from(value) }),
        }
    }
    list
}

pub(crate) fn show_values(values: &[NamedValue]) -> String {
    let show = |v: &NamedValue| format!("{}={}", v.name, v.value);
    values.iter().map(show).collect::<Vec<_>>().join(" ")
}

/// A step of an execution.
#[derive(Clone, Debug, Serialize)]
pub struct TraceStep {
    /// Line of the statement, from 1.
    pub line: u32,
    /// Column of the statement, from 1.
    pub column: u32,
    /// The procedure it is in.
    pub procedure: String,
    /// How many calls are unfinished.
    pub depth: usize,
    /// The statement.
    pub statement: String,
    /// The variables in scope whose values it changed, with their new values. For a call: the
    /// values the callee starts with.
    pub changes: Vec<NamedValue>,
    /// All variables in scope afterwards.
    pub values: Vec<NamedValue>,
}

/// An execution for people.
#[derive(Clone, Debug, Serialize)]
pub struct Trace {
    /// The values at the start.
    pub start: Vec<NamedValue>,
    /// The steps; those that only the lowering made are left out.
    pub steps: Vec<TraceStep>,
    /// How it ended.
    pub end: String,
}

fn scope_values(model: &Model, machine: &Machine) -> Vec<(VarId, bool)> {
    let Some(point) = machine.point() else {
        return model.global_ids().map(|v| (v, machine.globals[v.index()])).collect();
    };
    let scope = model.scope(model.point(point).procedure);
    scope.into_iter().map(|v| (v, machine.value(model, v))).collect()
}

/// An execution as data.
pub fn trace(source: &Source, model: &Model, run: &Run) -> Trace {
    let mut steps = Vec::new();
    let mut before = run.start.clone();
    for executed in &run.steps {
        let edge = model.edge(executed.edge);
        let point = model.point(edge.from);
        let at = source.position(point.span.start);
        let new = scope_values(model, &executed.after);
        let same_scope = executed.after.frames.len() == before.frames.len();
        let returned = executed.after.frames.len() < before.frames.len();
        let changed: Vec<_> = new
            .iter()
            .copied()
            .filter(|&(v, value)| {
                let global = v.0 < model.globals;
                if same_scope {
                    before.value(model, v) != value
                } else if global {
                    before.globals[v.index()] != value
                } else if returned {
                    let outer = before.frames.len().checked_sub(2).map(|i| &before.frames[i]);
                    let place = crate::interpret::local_place(model, v);
                    outer.is_some_and(|f| f.locals.get(place) != Some(&value))
                } else {
                    true
                }
            })
            .collect();
        if point.kind != PointKind::Internal || !changed.is_empty() && same_scope {
            steps.push(TraceStep {
                line: at.line,
                column: at.column,
                procedure: model.procedure(point.procedure).name.clone(),
                depth: before.frames.len().saturating_sub(1),
                statement: describe(model, executed.edge),
                changes: named_values(model, &changed),
                values: named_values(model, &new),
            });
        }
        before = executed.after.clone();
    }
    Trace {
        start: named_values(model, &scope_values(model, &run.start)),
        steps,
        end: end_text(source, model, run.end),
    }
}

fn describe(model: &Model, edge: crate::model::EdgeId) -> String {
    let edge = model.edge(edge);
    let text = model.point(edge.from).text.clone();
    let branches = model.outgoing(edge.from).count() > 1;
    match &edge.action {
        Action::Step(_) if branches => {
            let to = model.point(edge.to);
            match to.kind {
                PointKind::AssertionFailure => format!("{text}  fails"),
                PointKind::End => format!("{text}  then end"),
                _ => format!("{text}  then {}", to.text),
            }
        }
        _ => text,
    }
}

fn place(source: &Source, span: Span) -> String {
    let at = source.position(span.start);
    format!("{}:{}:{}", source.name(), at.line, at.column)
}

fn end_text(source: &Source, model: &Model, end: RunEnd) -> String {
    let at = |p: PointId| place(source, model.point(p).span);
    let labels = |p: PointId| model.point(p).labels.join(", ");
    match end {
        RunEnd::Target(p) => format!("reached {} at {}", labels(p), at(p)),
        RunEnd::Violation(p) => format!("{} at {}", model.point(p).text, at(p)),
        RunEnd::Finished => "finished".to_owned(),
        RunEnd::Stuck(p) => format!("stuck at {}: {}", at(p), model.point(p).text),
        RunEnd::StepLimit => "stopped after the given number of steps".to_owned(),
    }
}

/// An execution as text.
pub fn trace_text(trace: &Trace) -> String {
    let mut out = String::new();
    let start = show_values(&trace.start);
    let _ = writeln!(out, "     start: {}", if start.is_empty() { "no variables" } else { &start });
    out.push_str(&steps_text(&trace.steps));
    let _ = writeln!(out, "       {}", trace.end);
    out
}

/// The steps of an execution as text, one a line.
pub fn steps_text(steps: &[TraceStep]) -> String {
    let mut out = String::new();
    for step in steps {
        let indent = "  ".repeat(step.depth.min(20));
        let head = format!("{indent}{}: {}", step.procedure, step.statement);
        let changes = show_values(&step.changes);
        let _ = writeln!(out, "{:>5}: {head:<48} {changes}", step.line);
    }
    out
}

/// A set of states for people: as a disjunction of conjunctions, if it is small enough.
#[derive(Clone, Debug, Serialize)]
pub struct StateSet {
    /// Each conjunction; variables that are not named may have any value. Empty if there are too
    /// many (see `states`), or if the set is empty.
    pub cubes: Vec<Vec<NamedValue>>,
    /// How many states there are.
    pub states: f64,
}

/// Sets whose diagrams are larger than this are only counted.
const MAX_SHOWN_NODES: usize = 60;
/// At most this many conjunctions are shown.
const MAX_CUBES: usize = 40;

/// A set of states over the variables in scope at a point.
pub fn state_set(encoding: &Encoding<'_>, point: PointId, states: &Bdd) -> StateSet {
    let scope = encoding.model.scope(encoding.model.point(point).procedure);
    let count = states.sat_count(scope.len() as u32);
    let mut cubes = Vec::new();
    if states.node_count() <= MAX_SHOWN_NODES {
        let all = states.cubes();
        if all.len() <= MAX_CUBES {
            // Single bits stay single here: a cube may leave some bits of a number open.
            let name = |v: VarId| encoding.model.variable(v).name.clone();
            let show = |cube: &gnomon_bdd::Cube| {
                let values = encoding.values(&scope, cube);
                let named = |&(v, value): &(VarId, bool)| NamedValue {
                    name: name(v),
                    value: u64::from(value),
                };
                values.iter().map(named).collect()
            };
            cubes = all.iter().map(show).collect();
        }
    }
    StateSet { cubes, states: count }
}

/// A set of states as a formula.
pub fn state_set_text(set: &StateSet) -> String {
    if set.states == 0.0 {
        return "false".to_owned();
    }
    if set.cubes.is_empty() {
        return format!("one of {} states", set.states);
    }
    let literal = |v: &NamedValue| format!("{}{}", if v.value == 0 { "!" } else { "" }, v.name);
    let cube = |c: &Vec<NamedValue>| match c.as_slice() {
        [] => "true".to_owned(),
        list => list.iter().map(literal).collect::<Vec<_>>().join(" & "),
    };
    set.cubes.iter().map(cube).collect::<Vec<_>>().join(" | ")
}

/// A statement in a projection.
#[derive(Clone, Debug, Serialize)]
pub struct ProjectedStatement {
    /// Number of the point.
    pub point: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The procedure.
    pub procedure: String,
    /// The statement.
    pub statement: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// Whether some execution to a target passes it.
    pub inside: bool,
    /// The states in front of it from which a target is reached.
    pub fails_if: Option<StateSet>,
    /// A counterexample through it, if one was asked for.
    pub counterexample: Option<Trace>,
}

/// A projection as data, without counterexamples.
pub fn projection(
    source: &Source,
    encoding: &Encoding<'_>,
    projection: &Projection,
) -> Result<Vec<ProjectedStatement>, BddError> {
    let model = encoding.model;
    let visible = |p: &PointId| {
        matches!(model.point(*p).kind, PointKind::Statement | PointKind::AssertionFailure)
    };
    Ok(model
        .point_ids()
        .filter(visible)
        .map(|id| {
            let point = model.point(id);
            let at = source.position(point.span.start);
            let inside = projection.contains(id);
            ProjectedStatement {
                point: id.0,
                line: at.line,
                column: at.column,
                procedure: model.procedure(point.procedure).name.clone(),
                statement: point.text.clone(),
                labels: point.labels.clone(),
                inside,
                fails_if: inside.then(|| state_set(encoding, id, projection.condition(id))),
                counterexample: None,
            }
        })
        .collect())
}

/// The source with a margin: `+` for lines in the projection, `-` for statements outside, and
/// behind each statement inside the condition under which it fails.
pub fn projection_text(source: &Source, statements: &[ProjectedStatement]) -> String {
    let mut out = String::new();
    let lines = source.text().lines().count() as u32;
    for line in 1..=lines {
        let here: Vec<_> = statements.iter().filter(|s| s.line == line).collect();
        let margin = match here.iter().any(|s| s.inside) {
            true => '+',
            false if here.is_empty() => ' ',
            false => '-',
        };
        let _ = writeln!(out, "{margin} {line:>5} | {}", source.line(line));
        let conditions = here.iter().filter_map(|s| s.fails_if.as_ref()).map(state_set_text);
        let mut shown: Vec<String> = conditions.collect();
        shown.dedup();
        for condition in shown {
            let _ = writeln!(out, "{margin}       |    # fails if {condition}");
        }
    }
    let inside = statements.iter().filter(|s| s.inside).count();
    let _ = writeln!(out, "{inside} of {} statements in the projection", statements.len());
    out
}

/// The control flow as a graph in the DOT language, the projection filled.
pub fn projection_dot(model: &Model, projection: &Projection) -> String {
    let escape = |t: &str| t.replace('\\', "\\\\").replace('"', "\\\"");
    let mut out = String::from("digraph projection {\n  node [shape=box];\n");
    for (i, procedure) in model.procedures.iter().enumerate() {
        let _ =
            writeln!(out, "  subgraph cluster_{i} {{\n    label=\"{}\";", escape(&procedure.name));
        for &point in &procedure.points {
            let style = if projection.contains(point) {
                ", style=filled, fillcolor=\"#f4c7c3\""
            } else {
                ", fontcolor=gray, color=gray"
            };
            let labels = &model.point(point).labels;
            let label = labels.iter().map(|l| format!("{l}: ")).collect::<String>();
            let text = escape(&format!("{label}{}", model.point(point).text));
            let _ = writeln!(out, "    n{} [label=\"{text}\"{style}];", point.0);
        }
        out.push_str("  }\n");
    }
    for edge in &model.edges {
        match &edge.action {
            Action::Return { .. } => {}
            Action::Call { callee, .. } => {
                let entry = model.procedure(*callee).entry;
                let _ = writeln!(out, "  n{} -> n{} [style=dashed];", edge.from.0, entry.0);
                let _ = writeln!(out, "  n{} -> n{};", edge.from.0, edge.to.0);
            }
            Action::Step(_) | Action::Thread(_) => {
                let _ = writeln!(out, "  n{} -> n{};", edge.from.0, edge.to.0);
            }
        }
    }
    out.push_str("}\n");
    out
}
