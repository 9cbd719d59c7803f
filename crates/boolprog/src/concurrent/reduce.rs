//! The reduction of a concurrent program to a sequential one (LAL 7.1 and 7.2), as a Boolean program
//! that can be printed, read again, and checked like any other.
//!
//! Each global `x` becomes `x_1`, ..., `x_K`, one for each context; `x_i` of the later contexts
//! starts with a guess. A counter of bits says which copy the running thread uses; each statement
//! that touches globals exists once for each context (Figure 7.1, second column), and in front of
//! each statement the thread may go on to its next context. A thread gives up its last context by
//! setting the counter to `K` and returning through all its callers, which stands for the paper's
//! `goto`; `main` runs thread after thread, then checks the guesses (the paper's Checker) and only
//! then asserts that no target was reached.
//!
//! A target sets `error` and ends the thread (and its atomic section, so that the other threads can
//! still do what justifies the guesses). The prologue runs on the first copy, without switches.

use std::collections::BTreeSet;

use gnomon_budget::Budget;

use super::schedule::{GlobalState, Passing};
use super::system::ThreadSystem;
use crate::bp;
use crate::bp::ast::{
    BinaryOp, Declaration, Expr as Tree, ExprKind, Function, Program, Statement, StatementKind,
};
use crate::check::{CheckError, CheckOptions, Verdict, check};
use crate::diagnostic::Diagnostics;
use crate::interpret::{Machine, Run};
use crate::model::{Action, Expr, ExprId, Model, PointId, PointKind, ProcId, Step, TRUE, VarId};
use crate::source::{Ident, Span};
use crate::symbolic::order::VariableOrder;

/// What the reduced program says about the concurrent one.
#[derive(Clone, Debug)]
pub enum Found {
    /// A target is reachable before the threads start.
    InPrologue,
    /// The globals at the switches of an execution to a target.
    Passing(Passing),
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReduceError {
    /// A bug: our own reader refuses the program.
    #[error("the sequential program is not readable: {0}")]
    Unreadable(String),
    /// A bug of the sequential analysis.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// Not enough time or room.
    #[error("{0}")]
    Unknown(String),
    /// A bug: the counterexample does not look like one of a reduced program.
    #[error("the counterexample of the sequential program has no threads")]
    Lost,
}

/// The sequential program for a number of contexts per thread.
pub fn sequentialize(system: &ThreadSystem, contexts: usize, targets: &[PointId]) -> Program {
    Reduction::new(system, contexts, targets).program()
}

/// Reduces, checks the sequential program, and reads the switches off its counterexample.
pub fn search(
    system: &ThreadSystem,
    contexts: usize,
    targets: &[PointId],
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Option<Found>, ReduceError> {
    let program = sequentialize(system, contexts, targets);
    let mut messages = Diagnostics::default();
    let Some(model) = bp::lower(&program, None, &mut messages) else {
        let text: Vec<_> = messages.iter().map(|m| m.message.clone()).collect();
        return Err(ReduceError::Unreadable(text.join("; ")));
    };
    let goal = model.assertion_failures();
    // The copies of a global are declared side by side, which no heuristic improves upon.
    let options = CheckOptions { order: VariableOrder::Declaration, ..options.clone() };
    let outcome = check(&model, &goal, &options, budget)?;
    match outcome.verdict {
        Verdict::True => Ok(None),
        Verdict::Unknown(why) => Err(ReduceError::Unknown(why)),
        Verdict::False(counterexample) => {
            read_switches(system, contexts, &model, &counterexample.run).map(Some)
        }
    }
}

fn synthetic(kind: ExprKind) -> Tree {
    Tree { kind, span: Span::default() }
}

fn name(text: &str) -> Tree {
    synthetic(ExprKind::Variable(Ident::synthetic(text)))
}

fn not(e: Tree) -> Tree {
    synthetic(ExprKind::Not(Box::new(e)))
}

fn binary(op: BinaryOp, a: Tree, b: Tree) -> Tree {
    synthetic(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

fn constant(value: bool) -> Tree {
    synthetic(ExprKind::Constant(value))
}

fn all(parts: Vec<Tree>) -> Tree {
    parts.into_iter().reduce(|a, b| binary(BinaryOp::And, a, b)).unwrap_or_else(|| constant(true))
}

fn any(parts: Vec<Tree>) -> Tree {
    parts.into_iter().reduce(|a, b| binary(BinaryOp::Or, a, b)).unwrap_or_else(|| constant(false))
}

fn labelled(label: Option<String>, kind: StatementKind) -> Statement {
    let labels = label.iter().map(Ident::synthetic).collect();
    Statement { labels, kind, span: Span::default() }
}

fn assign(pairs: Vec<(String, Tree)>) -> StatementKind {
    let (targets, values): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    let targets = targets.iter().map(Ident::synthetic).collect();
    StatementKind::Assign { targets, values, constrain: None }
}

fn goto(labels: &[String]) -> StatementKind {
    StatementKind::Goto(labels.iter().map(Ident::synthetic).collect())
}

struct Reduction<'s> {
    system: &'s ThreadSystem,
    contexts: usize,
    targets: &'s [PointId],
    /// By variable: its name, without the number of the context.
    variables: Vec<String>,
    procedures: Vec<String>,
    counter: Vec<String>,
}

/// Words that our language keeps for itself, and names of this module.
const TAKEN: [&str; 9] =
    ["error", "prologue", "main", "dfs", "print", "dead", "sync", "call", "async"];

/// A name that the language accepts and nobody has yet.
fn fresh(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let mut stem: String =
        wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if stem.is_empty() || stem.starts_with(|c: char| c.is_ascii_digit() || c == '_') {
        stem.insert(0, 'v');
    }
    if stem.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_lowercase())
        && bp::parse::is_reserved(&stem)
    {
        stem.push('_');
    }
    let mut result = stem.clone();
    let mut number = 1;
    while !taken.insert(result.clone()) {
        number += 1;
        result = format!("{stem}_v{number}");
    }
    result
}

impl<'s> Reduction<'s> {
    fn new(system: &'s ThreadSystem, contexts: usize, targets: &'s [PointId]) -> Self {
        let model = &system.model;
        let mut taken: BTreeSet<String> = TAKEN.iter().map(|t| (*t).to_owned()).collect();
        let variables = model.variables.iter().map(|v| fresh(&v.name, &mut taken)).collect();
        let procedures = model.procedures.iter().map(|p| fresh(&p.name, &mut taken)).collect();
        let bits = usize::BITS - contexts.leading_zeros();
        let counter = (0..bits).map(|i| fresh(&format!("context_bit{i}"), &mut taken)).collect();
        Self { system, contexts, targets, variables, procedures, counter }
    }

    fn model(&self) -> &'s Model {
        &self.system.model
    }

    /// The copy of a global for a context.
    fn copy(&self, global: VarId, context: usize) -> String {
        format!("{}_{}", self.variables[global.index()], context + 1)
    }

    fn guess(&self, global: VarId, context: usize) -> String {
        format!("guess_{}", self.copy(global, context))
    }

    fn in_context(&self, context: usize) -> Tree {
        let literal = |(i, bit): (usize, &String)| match context >> i & 1 {
            1 => name(bit),
            _ => not(name(bit)),
        };
        all(self.counter.iter().enumerate().map(literal).collect())
    }

    fn set_context(&self, context: usize) -> Vec<(String, Tree)> {
        let bits = self.counter.iter().enumerate();
        bits.map(|(i, bit)| (bit.clone(), constant(context >> i & 1 == 1))).collect()
    }

    fn program(&self) -> Program {
        let mut globals = Vec::new();
        let mut declare = |text: String, initial: Option<bool>| {
            let initial = initial.map(constant);
            globals.push(Declaration { name: Ident::synthetic(&text), initial });
        };
        for global in self.model().global_ids() {
            let first = self.model().initial.iter().find(|i| i.0 == global).map(|i| i.1);
            for context in 0..self.contexts {
                if context > 0 {
                    declare(self.guess(global, context), None);
                }
                declare(self.copy(global, context), first.filter(|_| context == 0));
            }
        }
        for bit in &self.counter {
            declare(bit.clone(), Some(false));
        }
        declare("error".to_owned(), Some(false));
        if self.system.prologue.is_some() {
            declare("prologue".to_owned(), Some(true));
        }
        let mut functions = vec![self.driver()];
        functions.extend(self.model().procedure_ids().map(|id| self.function(id)));
        Program { globals, functions }
    }

    fn driver(&self) -> Function {
        let mut body = Vec::new();
        let mut guesses = Vec::new();
        for context in 1..self.contexts {
            for global in self.model().global_ids() {
                guesses.push((self.copy(global, context), name(&self.guess(global, context))));
            }
        }
        if !guesses.is_empty() {
            body.push(labelled(None, assign(guesses)));
        }
        let call = |id: ProcId| StatementKind::Call {
            targets: Vec::new(),
            callee: Ident::synthetic(&self.procedures[id.index()]),
            arguments: Vec::new(),
        };
        if let Some(root) = self.system.prologue {
            body.push(labelled(None, call(root)));
            let mut after = self.set_context(0);
            after.push(("prologue".to_owned(), constant(false)));
            body.push(labelled(None, assign(after)));
        }
        for (i, thread) in self.system.threads.iter().enumerate() {
            body.push(labelled(Some(thread_label(i)), call(thread.root)));
            body.push(labelled(None, assign(self.set_context(0))));
        }
        for context in 1..self.contexts {
            for global in self.model().global_ids() {
                let (end, guess) = (self.copy(global, context - 1), self.guess(global, context));
                let same = binary(BinaryOp::Equal, name(&end), name(&guess));
                body.push(labelled(None, StatementKind::Assume(same)));
            }
        }
        body.push(labelled(None, StatementKind::Assert(not(name("error")))));
        function("main", 0, Vec::new(), Vec::new(), body)
    }

    fn function(&self, id: ProcId) -> Function {
        let procedure = self.model().procedure(id);
        let local = |v: &VarId| self.variables[v.index()].clone();
        let is_parameter = |v: &&VarId| procedure.parameters.contains(v);
        let parameters = procedure.parameters.iter().map(local).collect();
        let mut locals: Vec<String> =
            procedure.locals.iter().filter(|v| !is_parameter(v)).map(local).collect();
        let mut body = FunctionBody { reduction: self, id, statements: Vec::new() };
        body.statements.push(labelled(None, goto(&[point_label(procedure.entry)])));
        for &point in &procedure.points {
            body.point(point);
        }
        let most = body.most_results();
        locals.extend((0..most).map(result_name));
        function(
            &self.procedures[id.index()],
            procedure.results,
            parameters,
            locals,
            body.statements,
        )
    }

    fn tree(&self, root: ExprId, context: usize) -> Tree {
        let exprs = &self.model().exprs;
        let operand = |e: ExprId| Box::new(self.tree(e, context));
        let variable = |v: VarId| match v.0 < self.model().globals {
            true => self.copy(v, context),
            false => self.variables[v.index()].clone(),
        };
        let kind = match exprs.get(root) {
            Expr::Constant(value) => ExprKind::Constant(value),
            Expr::Star(_) => ExprKind::Nondet,
            Expr::Var(v) => ExprKind::Variable(Ident::synthetic(variable(v))),
            Expr::Post(v) => ExprKind::Post(Ident::synthetic(variable(v))),
            Expr::Not(a) => ExprKind::Not(operand(a)),
            Expr::And(a, b) => ExprKind::Binary(BinaryOp::And, operand(a), operand(b)),
            Expr::Or(a, b) => ExprKind::Binary(BinaryOp::Or, operand(a), operand(b)),
            Expr::Xor(a, b) => ExprKind::Binary(BinaryOp::NotEqual, operand(a), operand(b)),
            Expr::Ite(a, b, c) => ExprKind::Conditional(operand(a), operand(b), operand(c)),
        };
        synthetic(kind)
    }

    fn reads_globals(&self, roots: &[ExprId]) -> bool {
        let (pre, post) = self.model().exprs.variables(roots);
        pre.iter().chain(&post).any(|v| v.0 < self.model().globals)
    }

    /// No switch is possible: the atomic flag of the current context is set.
    fn may_leave(&self) -> Vec<Tree> {
        let mut conditions = Vec::new();
        if let Some(flag) = self.system.atomic {
            let held = (0..self.contexts)
                .map(|c| binary(BinaryOp::And, self.in_context(c), name(&self.copy(flag, c))))
                .collect();
            conditions.push(not(any(held)));
        }
        if self.system.prologue.is_some() {
            conditions.push(not(name("prologue")));
        }
        conditions
    }
}

fn function(
    text: &str,
    results: u32,
    parameters: Vec<String>,
    locals: Vec<String>,
    body: Vec<Statement>,
) -> Function {
    let declare = |n: &String| Declaration { name: Ident::synthetic(n), initial: None };
    Function {
        dfs: false,
        results,
        name: Ident::synthetic(text),
        parameters: parameters.iter().map(Ident::synthetic).collect(),
        locals: locals.iter().map(declare).collect(),
        enforce: Vec::new(),
        abort_if: Vec::new(),
        body,
    }
}

fn thread_label(thread: usize) -> String {
    format!("thread_{}", thread + 1)
}

fn point_label(point: PointId) -> String {
    format!("L{}", point.0)
}

fn result_name(index: usize) -> String {
    format!("result_{index}")
}

struct FunctionBody<'r, 's> {
    reduction: &'r Reduction<'s>,
    id: ProcId,
    statements: Vec<Statement>,
}

impl FunctionBody<'_, '_> {
    fn push(&mut self, label: Option<String>, kind: StatementKind) {
        self.statements.push(labelled(label, kind));
    }

    fn leave(&mut self) {
        let results = self.reduction.model().procedure(self.id).results;
        let values = (0..results).map(|_| synthetic(ExprKind::Nondet)).collect();
        self.push(None, StatementKind::Return(values));
    }

    /// The most results that a call of this procedure receives.
    fn most_results(&self) -> usize {
        let model = self.reduction.model();
        let points = &model.procedure(self.id).points;
        let edges = points.iter().flat_map(|&p| model.outgoing(p));
        edges
            .map(|(_, e)| match &e.action {
                Action::Call { results, .. } => results.len(),
                _ => 0,
            })
            .max()
            .unwrap_or(0)
    }

    fn point(&mut self, point: PointId) {
        let reduction = self.reduction;
        let (model, system) = (reduction.model(), reduction.system);
        let here = point_label(point);
        if reduction.targets.contains(&point) {
            self.target(here);
            return;
        }
        let edges: Vec<_> = model.outgoing(point).map(|(_, e)| e).collect();
        let is_prologue = system.prologue == Some(self.id);
        let ends = edges.is_empty() && model.point(point).kind == PointKind::End;
        let mut choices: Vec<String> = (0..edges.len()).map(|i| format!("{here}_{i}")).collect();
        let switchable = system.is_switchable(point) && !is_prologue;
        if switchable {
            choices.push(format!("{here}_stop"));
            if reduction.contexts > 1 {
                choices.push(format!("{here}_switch"));
            }
        }
        if is_prologue && ends {
            self.push(Some(here), StatementKind::Return(Vec::new()));
            return;
        }
        if choices.is_empty() {
            self.push(Some(here), StatementKind::Assume(constant(false)));
            return;
        }
        self.push(Some(here.clone()), goto(&choices));
        for (i, edge) in edges.into_iter().enumerate() {
            self.action(&format!("{here}_{i}"), &edge.action, edge.to);
        }
        if switchable {
            let may_leave = reduction.may_leave();
            self.push(Some(format!("{here}_stop")), StatementKind::Assume(all(may_leave.clone())));
            self.push(None, assign(reduction.set_context(reduction.contexts)));
            self.leave();
            if reduction.contexts > 1 {
                self.switch(&here, may_leave);
            }
        }
    }

    fn target(&mut self, here: String) {
        let reduction = self.reduction;
        let mut changes = vec![("error".to_owned(), constant(true))];
        if let Some(flag) = reduction.system.atomic {
            for context in 0..reduction.contexts {
                let copy = reduction.copy(flag, context);
                let elsewhere = not(reduction.in_context(context));
                changes.push((copy.clone(), binary(BinaryOp::And, elsewhere, name(&copy))));
            }
        }
        changes.extend(reduction.set_context(reduction.contexts));
        self.push(Some(here), assign(changes));
        self.leave();
    }

    /// On to the next context; the last one has none.
    fn switch(&mut self, here: &str, mut may_leave: Vec<Tree>) {
        let reduction = self.reduction;
        may_leave.push(not(reduction.in_context(reduction.contexts - 1)));
        self.push(Some(format!("{here}_switch")), StatementKind::Assume(all(may_leave)));
        // The increment of a binary number.
        let mut carried: Vec<Tree> = Vec::new();
        let mut increment = Vec::new();
        for bit in &reduction.counter {
            let carry = all(carried.clone());
            increment.push((bit.clone(), binary(BinaryOp::NotEqual, name(bit), carry)));
            carried.push(name(bit));
        }
        self.push(None, assign(increment));
        self.push(None, goto(&[here.to_owned()]));
    }

    /// The versions of a statement for all contexts, or the only one if it touches no globals.
    fn versions(&mut self, label: &str, touches: bool, mut one: impl FnMut(&mut Self, usize)) {
        let reduction = self.reduction;
        if !touches || reduction.contexts == 1 {
            self.push(Some(label.to_owned()), StatementKind::Skip);
            one(self, 0);
            return;
        }
        let labels: Vec<_> =
            (0..reduction.contexts).map(|c| format!("{label}_c{}", c + 1)).collect();
        self.push(Some(label.to_owned()), goto(&labels));
        for (context, label) in labels.into_iter().enumerate() {
            self.push(Some(label), StatementKind::Assume(reduction.in_context(context)));
            one(self, context);
        }
    }

    fn action(&mut self, label: &str, action: &Action, to: PointId) {
        let reduction = self.reduction;
        let globals = reduction.model().globals;
        match action {
            Action::Step(step) => {
                let touches = reduction.reads_globals(&step.expressions())
                    || step.assignments.iter().any(|a| a.0.0 < globals);
                self.versions(label, touches, |body, context| {
                    body.step(step, context);
                    body.push(None, goto(&[point_label(to)]));
                });
            }
            Action::Return { values } => {
                let touches = reduction.reads_globals(values);
                self.versions(label, touches, |body, context| {
                    let values = values.iter().map(|&e| reduction.tree(e, context)).collect();
                    body.push(None, StatementKind::Return(values));
                });
            }
            Action::Call { callee, arguments, results } => {
                let touches = reduction.reads_globals(arguments);
                let after = format!("{label}_back");
                self.versions(label, touches, |body, context| {
                    let kind = StatementKind::Call {
                        targets: (0..results.len())
                            .map(|i| Ident::synthetic(result_name(i)))
                            .collect(),
                        callee: Ident::synthetic(&reduction.procedures[callee.index()]),
                        arguments: arguments.iter().map(|&e| reduction.tree(e, context)).collect(),
                    };
                    body.push(None, kind);
                    body.push(None, goto(std::slice::from_ref(&after)));
                });
                self.receive(&after, results, to);
            }
            // A system has no operations on threads.
            Action::Thread(_) => {
                self.push(Some(label.to_owned()), StatementKind::Assume(constant(false)));
            }
        }
    }

    fn step(&mut self, step: &Step, context: usize) {
        let reduction = self.reduction;
        if step.guard != TRUE {
            self.push(None, StatementKind::Assume(reduction.tree(step.guard, context)));
        }
        let place = |v: VarId| match v.0 < reduction.model().globals {
            true => reduction.copy(v, context),
            false => reduction.variables[v.index()].clone(),
        };
        if step.assignments.is_empty() && step.constraint != TRUE {
            // Nothing changes, so values afterwards are values before.
            let condition = without_post(reduction.tree(step.constraint, context));
            self.push(None, StatementKind::Assume(condition));
            return;
        }
        if step.assignments.is_empty() {
            return;
        }
        let (targets, values) = step
            .assignments
            .iter()
            .map(|&(v, e)| (Ident::synthetic(place(v)), reduction.tree(e, context)))
            .unzip();
        let constrain = (step.constraint != TRUE).then(|| reduction.tree(step.constraint, context));
        self.push(None, StatementKind::Assign { targets, values, constrain });
    }

    /// Behind a call: if the thread has ended, on to the caller; else the results.
    fn receive(&mut self, after: &str, results: &[Option<VarId>], to: PointId) {
        let reduction = self.reduction;
        let (over, back) = (format!("{after}_over"), format!("{after}_here"));
        let ended = reduction.in_context(reduction.contexts);
        self.push(Some(after.to_owned()), goto(&[over.clone(), back.clone()]));
        self.push(Some(over), StatementKind::Assume(ended.clone()));
        self.leave();
        self.push(Some(back), StatementKind::Assume(not(ended)));
        let mut changes: Vec<(String, Tree)> = Vec::new();
        for (i, target) in results.iter().enumerate() {
            // If a variable receives two results, the last one counts.
            let Some(variable) = target.filter(|v| !results[i + 1..].contains(&Some(*v))) else {
                continue;
            };
            let value = name(&result_name(i));
            if variable.0 >= reduction.model().globals {
                changes.push((reduction.variables[variable.index()].clone(), value));
                continue;
            }
            for context in 0..reduction.contexts {
                let copy = reduction.copy(variable, context);
                let condition = Box::new(reduction.in_context(context));
                let (yes, no) = (Box::new(value.clone()), Box::new(name(&copy)));
                changes.push((copy, synthetic(ExprKind::Conditional(condition, yes, no))));
            }
        }
        if !changes.is_empty() {
            self.push(None, assign(changes));
        }
        self.push(None, goto(&[point_label(to)]));
    }
}

/// A condition in which `'x` means `x`.
fn without_post(e: Tree) -> Tree {
    let inner = |e: Box<Tree>| Box::new(without_post(*e));
    let kind = match e.kind {
        ExprKind::Post(v) => ExprKind::Variable(v),
        ExprKind::Not(a) => ExprKind::Not(inner(a)),
        ExprKind::Binary(op, a, b) => ExprKind::Binary(op, inner(a), inner(b)),
        ExprKind::Conditional(a, b, c) => ExprKind::Conditional(inner(a), inner(b), inner(c)),
        ExprKind::Schoose(a, b) => ExprKind::Schoose(inner(a), inner(b)),
        leaf => leaf,
    };
    Tree { kind, span: e.span }
}

/// The globals at the starts of all threads in all contexts, from an execution of the reduced
/// program to its assertion.
fn read_switches(
    system: &ThreadSystem,
    contexts: usize,
    model: &Model,
    run: &Run,
) -> Result<Found, ReduceError> {
    let globals = system.model.globals as usize;
    let copies = |machine: &Machine| -> Vec<GlobalState> {
        // Of each global: its first copy, then for each further context the guess and the copy.
        let each = 2 * contexts - 1;
        let copy = |c: usize| (0..globals).map(|g| machine.globals[g * each + 2 * c]).collect();
        (0..contexts).map(copy).collect()
    };
    let bits = usize::BITS - contexts.leading_zeros();
    let counter = globals * (2 * contexts - 1);
    let error = counter + bits as usize;
    let number = |machine: &Machine| -> usize {
        (0..bits as usize).map(|i| usize::from(machine.globals[counter + i]) << i).sum()
    };
    let mut starts = Vec::new();
    let mut failed: Option<(Option<usize>, usize)> = None;
    let mut before = &run.start;
    for executed in &run.steps {
        let from = model.edge(executed.edge).from;
        let calls = matches!(model.edge(executed.edge).action, Action::Call { .. });
        if model.point(from).procedure == model.main && calls {
            let labels = &model.point(from).labels;
            if labels.iter().any(|l| l.starts_with("thread_")) {
                starts.push(copies(before));
            }
        }
        if failed.is_none() && executed.after.globals[error] {
            failed = Some((starts.len().checked_sub(1), number(before)));
        }
        before = &executed.after;
    }
    starts.push(copies(before));
    match failed {
        Some((None, _)) => Ok(Found::InPrologue),
        Some((Some(thread), context)) if starts.len() == system.threads.len() + 1 => {
            Ok(Found::Passing(Passing { thread, context, starts }))
        }
        _ => Err(ReduceError::Lost),
    }
}
