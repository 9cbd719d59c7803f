//! From pushdown systems to the [model](crate::model).
//!
//! The shared state becomes the bits of one global; each stack symbol that a rule can push on top
//! becomes a procedure, whose points are the symbols it can be rewritten to without going deeper.
//! A rule that pushes is a call, one that empties the top a return. Longer right sides are calls
//! in a row.

use std::collections::{BTreeMap, BTreeSet};

use super::{Rule, Systems, Thread, print_rule};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Action, Concurrency, ExprId, Model, ModelBuilder, PointId, PointKind, ProcId, Step, TRUE, VarId,
};
use crate::source::Span;

/// The symbol under all others, on which rules for the empty stack apply.
const BOTTOM: &str = "-";

/// Where the systems start.
struct Start {
    state: Option<String>,
    /// For each thread its stack, topmost first.
    stacks: Vec<Vec<String>>,
}

/// Lowers pushdown systems that start in `initial` (`p a b` or `p|a,b` with one symbol for each
/// thread); without it in the left side of the first rule of each thread.
pub fn lower(
    systems: &Systems,
    initial: Option<&str>,
    messages: &mut Diagnostics,
) -> Option<Model> {
    let start = start(systems, initial, messages)?;
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for rule in systems.threads.iter().flat_map(|t| &t.rules) {
        names.extend([rule.from.text.as_str(), rule.to.text.as_str()]);
    }
    names.extend(start.state.as_deref());
    let mut by_length: Vec<_> = names.into_iter().map(|n| (n.len(), n.to_owned())).collect();
    by_length.sort();
    let states: BTreeMap<String, usize> =
        by_length.into_iter().enumerate().map(|(i, (_, n))| (n, i)).collect();

    let mut builder = ModelBuilder::default();
    let width = usize::BITS - states.len().saturating_sub(1).leading_zeros();
    let bits: Vec<_> =
        (0..width).map(|i| builder.global(format!("state.{i}"), Span::default())).collect();
    let mut lowering = Lowering { builder, bits, states, procedures: BTreeMap::new() };
    if let Some(state) = &start.state {
        let number = lowering.states.get(state).copied().unwrap_or(0);
        for (i, &bit) in lowering.bits.iter().enumerate() {
            lowering.builder.initial.push((bit, number >> i & 1 == 1));
        }
    }
    let mut mains = Vec::new();
    for (index, (thread, stack)) in systems.threads.iter().zip(&start.stacks).enumerate() {
        mains.push(lowering.thread(index, thread, stack));
    }
    let concurrency = match mains.len() {
        1 => Concurrency::Sequential,
        _ => Concurrency::Parallel(mains.clone()),
    };
    Some(lowering.builder.finish(*mains.first()?, concurrency))
}

fn start(systems: &Systems, initial: Option<&str>, messages: &mut Diagnostics) -> Option<Start> {
    let threads = systems.threads.len();
    let Some(text) = initial else {
        let first = systems.threads.first()?.rules.first()?;
        let top = |t: &Thread| {
            t.rules.first().and_then(|r| r.top.as_ref()).map(|s| s.text.clone()).into_iter()
        };
        let stacks = systems.threads.iter().map(|t| top(t).collect()).collect();
        return Some(Start { state: Some(first.from.text.clone()), stacks });
    };
    let (state, rest) = match text.split_once('|') {
        Some((state, rest)) => (state.trim(), rest),
        None => text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), "")),
    };
    let word = |t: &str| t.split_whitespace().filter(|s| *s != BOTTOM).map(str::to_owned).collect();
    let stacks: Vec<Vec<String>> = rest.split(',').map(word).collect();
    if stacks.len() != threads {
        let text =
            format!("the first configuration names {} stacks for {threads} threads", stacks.len());
        messages.error_with_help(
            Span::default(),
            text,
            "write it as `p a` for one thread, `p|a,b` for two",
        );
        return None;
    }
    Some(Start { state: Some(state.to_owned()), stacks })
}

struct Lowering {
    builder: ModelBuilder,
    bits: Vec<VarId>,
    states: BTreeMap<String, usize>,
    procedures: BTreeMap<(usize, String), ProcId>,
}

impl Lowering {
    /// A procedure that builds the first stack of a thread and runs it.
    fn thread(&mut self, index: usize, thread: &Thread, stack: &[String]) -> ProcId {
        let mut rules: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
        for rule in &thread.rules {
            rules.entry(rule.top.as_ref().map_or(BOTTOM, |t| &t.text)).or_default().push(rule);
        }
        let start = self.builder.procedure(format!("thread {index}"), 0, Span::default());
        let end = self.builder.point(start, PointKind::Internal, "empty stack", Span::default());
        let mut work = Vec::new();
        // The empty stack has rules of its own, so the first stack stands on BOTTOM.
        let bottom = self.procedure(index, BOTTOM, &mut work);
        let mut next = end;
        for symbol in std::iter::once(BOTTOM).chain(stack.iter().rev().map(String::as_str)) {
            let callee =
                if symbol == BOTTOM { bottom } else { self.procedure(index, symbol, &mut work) };
            let call = self.builder.point(start, PointKind::Internal, symbol, Span::default());
            let action = Action::Call { callee, arguments: Vec::new(), results: Vec::new() };
            self.builder.edge(call, next, action);
            next = call;
        }
        self.builder.set_entry(start, next);
        while let Some((symbol, procedure)) = work.pop() {
            self.body(index, &symbol, procedure, &rules, &mut work);
        }
        start
    }

    fn procedure(
        &mut self,
        thread: usize,
        symbol: &str,
        work: &mut Vec<(String, ProcId)>,
    ) -> ProcId {
        let key = (thread, symbol.to_owned());
        if let Some(&id) = self.procedures.get(&key) {
            return id;
        }
        let id = self.builder.procedure(symbol, 0, Span::default());
        self.procedures.insert(key, id);
        work.push((symbol.to_owned(), id));
        id
    }

    fn body(
        &mut self,
        thread: usize,
        symbol: &str,
        procedure: ProcId,
        rules: &BTreeMap<&str, Vec<&Rule>>,
        work: &mut Vec<(String, ProcId)>,
    ) {
        let mut points: BTreeMap<String, PointId> = BTreeMap::new();
        let mut pending = vec![symbol.to_owned()];
        let entry = self.symbol_point(procedure, symbol, &mut points);
        self.builder.set_entry(procedure, entry);
        let mut done = BTreeSet::new();
        while let Some(current) = pending.pop() {
            if !done.insert(current.clone()) {
                continue;
            }
            let here = self.symbol_point(procedure, &current, &mut points);
            for rule in rules.get(current.as_str()).into_iter().flatten() {
                let mut word: Vec<&str> = rule.push.iter().map(|i| i.text.as_str()).collect();
                if current == BOTTOM {
                    word.push(BOTTOM);
                }
                let after = match word.last() {
                    Some(last) => {
                        pending.push((*last).to_owned());
                        self.symbol_point(procedure, last, &mut points)
                    }
                    None => {
                        let out = self.internal(procedure, rule);
                        let values = Vec::new();
                        self.builder.edge(out, out, Action::Return { values });
                        out
                    }
                };
                let mut to = after;
                for symbol in word.iter().rev().skip(1) {
                    let callee = self.procedure(thread, symbol, work);
                    let call = self.internal(procedure, rule);
                    let action =
                        Action::Call { callee, arguments: Vec::new(), results: Vec::new() };
                    self.builder.edge(call, to, action);
                    to = call;
                }
                let step = self.transition(rule);
                self.builder.step(here, to, step);
            }
        }
    }

    fn internal(&mut self, procedure: ProcId, rule: &Rule) -> PointId {
        self.builder.point(procedure, PointKind::Internal, print_rule(rule), rule.span)
    }

    fn symbol_point(
        &mut self,
        procedure: ProcId,
        symbol: &str,
        points: &mut BTreeMap<String, PointId>,
    ) -> PointId {
        if let Some(&point) = points.get(symbol) {
            return point;
        }
        let point = self.builder.point(procedure, PointKind::Statement, symbol, Span::default());
        self.builder.label(point, symbol);
        points.insert(symbol.to_owned(), point);
        point
    }

    fn number(&self, state: &str) -> usize {
        self.states.get(state).copied().unwrap_or(0)
    }

    fn transition(&mut self, rule: &Rule) -> Step {
        let (from, to) = (self.number(&rule.from.text), self.number(&rule.to.text));
        let mut guard: ExprId = TRUE;
        let mut assignments = Vec::new();
        for (i, &bit) in self.bits.clone().iter().enumerate() {
            let exprs = &mut self.builder.exprs;
            let variable = exprs.var(bit);
            let literal = if from >> i & 1 == 1 { variable } else { exprs.not(variable) };
            guard = exprs.and(guard, literal);
            if (from ^ to) >> i & 1 == 1 {
                assignments.push((bit, exprs.constant(to >> i & 1 == 1)));
            }
        }
        Step { guard, ..Step::assign(assignments) }
    }
}
