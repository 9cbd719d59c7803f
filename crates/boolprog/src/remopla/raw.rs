//! Raw pushdown rules of remopla.
//!
//! The control states become the bits of a global of their own. Each symbol that is pushed on top,
//! or that the program starts with, and that is no module becomes a procedure whose points are the
//! symbols it is rewritten to; a rule that pushes is a call (of such a procedure or of a module), a
//! rule that empties the top a return.

use std::collections::{BTreeMap, BTreeSet};

use super::ast::{Program, RawRule};
use super::lower::Lowering;
use super::print::raw_rule;
use crate::model::{Action, PointId, PointKind, ProcId, Step, TRUE, VarId};
use crate::source::Span;

/// Numbers of the control states, and the bits that hold them.
pub(super) struct States {
    numbers: BTreeMap<String, usize>,
    bits: Vec<VarId>,
}

/// Adds the global for the control states.
pub(super) fn declare_states(lowering: &mut Lowering<'_>, program: &Program) -> States {
    let names: BTreeSet<&str> =
        program.rules.iter().flat_map(|r| [r.from.text.as_str(), r.to.text.as_str()]).collect();
    let numbers: BTreeMap<String, usize> =
        names.into_iter().enumerate().map(|(i, n)| (n.to_owned(), i)).collect();
    let width = usize::BITS - numbers.len().saturating_sub(1).leading_zeros();
    let name = |i| format!("control state.{i}");
    let bits: Vec<_> =
        (0..width).map(|i| lowering.builder.global(name(i), Span::default())).collect();
    // Execution starts in the state of the first rule.
    let first = program.rules.first().and_then(|r| numbers.get(&r.from.text)).copied();
    for (i, &bit) in bits.iter().enumerate() {
        lowering.builder.initial.push((bit, first.unwrap_or(0) >> i & 1 == 1));
    }
    States { numbers, bits }
}

/// Lowers all rules; gives the procedures by symbol.
pub(super) fn lower(
    lowering: &mut Lowering<'_>,
    program: &Program,
    states: &States,
) -> BTreeMap<String, ProcId> {
    let mut rules: BTreeMap<&str, Vec<&RawRule>> = BTreeMap::new();
    for rule in &program.rules {
        rules.entry(&rule.top.text).or_default().push(rule);
    }
    let pushed = program.rules.iter().filter(|r| r.push.len() == 2).map(|r| &r.push[0]);
    let mut procedures: BTreeMap<String, ProcId> = BTreeMap::new();
    for symbol in program.init.iter().chain(pushed) {
        let known = procedures.contains_key(&symbol.text);
        if !known && lowering.module_id(&symbol.text).is_none() && !rules.is_empty() {
            let id = lowering.builder.procedure(&symbol.text, 0, symbol.span);
            procedures.insert(symbol.text.clone(), id);
        }
    }
    for (symbol, id) in procedures.clone() {
        body(lowering, &rules, states, &procedures, &symbol, id);
    }
    procedures
}

fn body(
    lowering: &mut Lowering<'_>,
    rules: &BTreeMap<&str, Vec<&RawRule>>,
    states: &States,
    procedures: &BTreeMap<String, ProcId>,
    entry: &str,
    id: ProcId,
) {
    let mut points: BTreeMap<String, PointId> = BTreeMap::new();
    let mut pending = vec![entry.to_owned()];
    let mut done = BTreeSet::new();
    let mut at = |symbol: &str, lowering: &mut Lowering<'_>| {
        *points.entry(symbol.to_owned()).or_insert_with(|| {
            let kind = PointKind::Statement;
            let point = lowering.builder.point(id, kind, symbol, Span::default());
            lowering.builder.label(point, symbol);
            point
        })
    };
    let first = at(entry, lowering);
    lowering.builder.set_entry(id, first);
    while let Some(symbol) = pending.pop() {
        if !done.insert(symbol.clone()) {
            continue;
        }
        let here = at(&symbol, lowering);
        for rule in rules.get(symbol.as_str()).into_iter().flatten() {
            let to = match rule.push.as_slice() {
                [] => {
                    let out = internal(lowering, id, rule);
                    lowering.builder.edge(out, out, Action::Return { values: Vec::new() });
                    out
                }
                [next] => {
                    pending.push(next.text.clone());
                    at(&next.text, lowering)
                }
                [callee, below, ..] => {
                    pending.push(below.text.clone());
                    let back = at(&below.text, lowering);
                    let call = internal(lowering, id, rule);
                    let module = lowering.module_id(&callee.text);
                    if let Some(callee) = procedures.get(&callee.text).copied().or(module) {
                        let count = lowering.builder.get(callee).parameters.len();
                        let star = |_| lowering.builder.exprs.star();
                        let arguments = (0..count).map(star).collect();
                        let results = vec![None; lowering.builder.get(callee).results as usize];
                        let action = Action::Call { callee, arguments, results };
                        lowering.builder.edge(call, back, action);
                    }
                    call
                }
            };
            let step = transition(lowering, states, rule);
            lowering.builder.step(here, to, step);
        }
    }
}

fn internal(lowering: &mut Lowering<'_>, id: ProcId, rule: &RawRule) -> PointId {
    lowering.builder.point(id, PointKind::Internal, raw_rule(rule), rule.span)
}

fn transition(lowering: &mut Lowering<'_>, states: &States, rule: &RawRule) -> Step {
    let mut step = lowering.relation(rule.relation.as_ref());
    let number = |name: &str| states.numbers.get(name).copied().unwrap_or(0);
    let (from, to) = (number(&rule.from.text), number(&rule.to.text));
    let mut guard = TRUE;
    let mut assignments = step.assignments.clone();
    for (i, &bit) in states.bits.iter().enumerate() {
        let exprs = &mut lowering.builder.exprs;
        let variable = exprs.var(bit);
        let literal = if from >> i & 1 == 1 { variable } else { exprs.not(variable) };
        guard = exprs.and(guard, literal);
        if (from ^ to) >> i & 1 == 1 {
            assignments.push((bit, exprs.constant(to >> i & 1 == 1)));
        }
    }
    step.guard = lowering.builder.exprs.and(step.guard, guard);
    Step { assignments: Step::assign(assignments).assignments, ..step }
}
