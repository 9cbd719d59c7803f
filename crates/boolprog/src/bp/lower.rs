//! From the syntax tree of a Boolean program to the [model](crate::model), with all checks of names
//! and counts.
//!
//! Semantics, where the tools leave room: locals and uninitialised globals start with any value;
//! `enforce e` keeps only executions on which `e` can hold at the entry, after each assignment and
//! after each call of the function, `abortif e` is `enforce !e`; a function with results that ends
//! without `return` returns any values; `dead x` forgets the value of `x`; `constrain(e)` as a
//! statement moves to any state related by `e` (Getafix), so what `e` does not mention becomes
//! arbitrary; a variable assigned twice in one parallel assignment takes the last value.
//!
//! Where execution starts: `--entry`, else `main`, else `init` of the Getafix convention, else the
//! only function that nobody calls.

use std::collections::BTreeSet;

use super::ast::{BinaryOp, Expr, ExprKind, Function, Program, Statement, StatementKind};
use super::print;
use crate::diagnostic::Diagnostics;
use crate::model::{
    Action, Concurrency, ExprId, FALSE, Model, ModelBuilder, PointId, PointKind, ProcId, Step,
    TRUE, ThreadAction, VarId,
};
use crate::names::NameTable;
use crate::source::{Ident, Span};

/// Lowers a program, or reports why it has no meaning.
pub fn lower(program: &Program, entry: Option<&str>, messages: &mut Diagnostics) -> Option<Model> {
    let mut lowering = Lowering {
        builder: ModelBuilder::default(),
        globals: NameTable::new("variable"),
        functions: NameTable::new("function"),
        called: BTreeSet::new(),
        starts_threads: false,
        messages,
    };
    lowering.declare(program);
    for (index, function) in program.functions.iter().enumerate() {
        FunctionLowering::new(&mut lowering, ProcId(index as u32), function).run(function);
    }
    let (main, concurrency) = lowering.entry(program, entry)?;
    if lowering.messages.has_errors() {
        return None;
    }
    Some(lowering.builder.finish(main, concurrency))
}

struct Lowering<'m> {
    builder: ModelBuilder,
    globals: NameTable<VarId>,
    functions: NameTable<ProcId>,
    /// Functions that another function calls.
    called: BTreeSet<ProcId>,
    starts_threads: bool,
    messages: &'m mut Diagnostics,
}

impl Lowering<'_> {
    fn declare(&mut self, program: &Program) {
        for declaration in &program.globals {
            let name = &declaration.name;
            let variable = self.builder.global(&name.text, name.span);
            self.globals.declare(name, variable, self.messages);
            match declaration.initial.as_ref().map(|e| &e.kind) {
                None | Some(ExprKind::Nondet) => {}
                Some(ExprKind::Constant(value)) => self.builder.initial.push((variable, *value)),
                Some(_) => self.messages.error(
                    name.span,
                    format!("the first value of global `{}` must be 0, 1 or *", name.text),
                ),
            }
        }
        for function in &program.functions {
            let name = &function.name;
            let id = self.builder.procedure(&name.text, function.results, name.span);
            self.functions.declare(name, id, self.messages);
            for parameter in &function.parameters {
                self.builder.parameter(id, &parameter.text, parameter.span);
            }
            for local in &function.locals {
                self.builder.local(id, &local.name.text, local.name.span);
            }
        }
    }

    /// Whether the first function shows the convention of Getafix.
    fn is_getafix(&self, first: &Function) -> bool {
        first.name.text == "init" && self.globals.get("atomic").is_some()
    }

    fn entry(&mut self, program: &Program, entry: Option<&str>) -> Option<(ProcId, Concurrency)> {
        let all = || (0..program.functions.len() as u32).map(ProcId);
        let named = |name: &str| self.functions.get(name).copied();
        let started =
            if self.starts_threads { Concurrency::Started } else { Concurrency::Sequential };
        if let Some(name) = entry {
            let Some(id) = named(name) else {
                let text = format!("there is no function `{name}` to start from");
                self.messages.error(Span::default(), text);
                return None;
            };
            if let Some(first) = program.functions.first().filter(|f| self.is_getafix(f)) {
                self.messages.warning(
                    first.name.span,
                    "`init` and `atomic` look like a program with threads (Getafix convention)",
                    "with --entry only the given function is analysed, and no other thread",
                );
            }
            return Some((id, started));
        }
        let first = program.functions.first()?;
        if self.is_getafix(first) {
            let threads: Vec<_> = all().skip(1).filter(|f| !self.called.contains(f)).collect();
            let concurrency =
                if threads.is_empty() { started } else { Concurrency::InitThenThreads(threads) };
            return Some((ProcId(0), concurrency));
        }
        if let Some(main) = named("main") {
            return Some((main, started));
        }
        let roots: Vec<_> = all().filter(|f| !self.called.contains(f)).collect();
        if let [only] = roots[..] {
            return Some((only, started));
        }
        self.messages.error_with_help(
            first.name.span,
            "no function `main`, and more than one could be the start",
            "name the function to start from with --entry",
        );
        None
    }
}

/// The points of a statement and of the statements in it.
struct Points {
    /// In front of the statement.
    here: PointId,
    /// In front of the conditions after `elsif`.
    conditions: Vec<PointId>,
    /// The nested blocks in source order.
    blocks: Vec<Vec<Points>>,
}

struct FunctionLowering<'l, 'm> {
    outer: &'l mut Lowering<'m>,
    id: ProcId,
    results: u32,
    variables: NameTable<VarId>,
    labels: NameTable<PointId>,
    /// Labels that several statements have.
    ambiguous: BTreeSet<String>,
}

impl<'l, 'm> FunctionLowering<'l, 'm> {
    fn new(outer: &'l mut Lowering<'m>, id: ProcId, function: &Function) -> Self {
        let mut variables = outer.globals.clone();
        let mut own = NameTable::new("variable");
        let ids = outer.builder.get(id).locals.clone();
        let names = function.parameters.iter().chain(function.locals.iter().map(|d| &d.name));
        for (name, variable) in names.zip(ids) {
            own.declare(name, variable, outer.messages);
            variables.shadow(name, variable);
        }
        Self {
            outer,
            id,
            results: function.results,
            variables,
            labels: NameTable::new("label"),
            ambiguous: BTreeSet::new(),
        }
    }

    fn run(mut self, function: &Function) {
        let span = function.name.span;
        let start = self.point(PointKind::Internal, "initialise locals", span);
        let points = self.allocate(&function.body);
        let end = self.point(PointKind::End, "end", span);
        let first = points.first().map_or(end, |p| p.here);
        self.initialise_locals(function, start, first);
        self.block(&function.body, &points, end);
        let values = (0..self.results).map(|_| self.outer.builder.exprs.star()).collect();
        self.outer.builder.edge(end, end, Action::Return { values });
        for e in &function.enforce {
            let invariant = self.condition(e);
            self.outer.builder.enforce(self.id, invariant);
        }
        for e in &function.abort_if {
            let condition = self.condition(e);
            let invariant = self.outer.builder.exprs.not(condition);
            self.outer.builder.enforce(self.id, invariant);
        }
    }

    fn initialise_locals(&mut self, function: &Function, start: PointId, first: PointId) {
        let mut assignments = Vec::new();
        for declaration in &function.locals {
            if let Some(e) = &declaration.initial {
                let value = self.condition(e);
                if let Some(variable) = self.variables.get(&declaration.name.text) {
                    assignments.push((*variable, value));
                }
            }
        }
        self.outer.builder.step(start, first, Step::assign(assignments));
        self.outer.builder.set_entry(self.id, start);
    }

    fn point(&mut self, kind: PointKind, text: impl Into<String>, span: Span) -> PointId {
        self.outer.builder.point(self.id, kind, text, span)
    }

    fn allocate(&mut self, body: &[Statement]) -> Vec<Points> {
        body.iter().map(|s| self.allocate_one(s)).collect()
    }

    fn allocate_one(&mut self, statement: &Statement) -> Points {
        let text = print::simple_statement(&statement.kind);
        let here = self.point(PointKind::Statement, text, statement.span);
        for label in &statement.labels {
            // Tools write `SLIC_ERROR:` more than once; only a jump there would be ambiguous.
            if self.labels.get(&label.text).is_some() {
                self.ambiguous.insert(label.text.clone());
            } else {
                self.labels.declare(label, here, self.outer.messages);
            }
            self.outer.builder.label(here, &label.text);
        }
        let (mut conditions, mut blocks) = (Vec::new(), Vec::new());
        match &statement.kind {
            StatementKind::If { branches, otherwise } => {
                for (i, (condition, body)) in branches.iter().enumerate() {
                    if i > 0 {
                        let text = format!("elsif ({})", print::expression(condition));
                        let kind = PointKind::Statement;
                        conditions.push(self.point(kind, text, condition.span));
                    }
                    blocks.push(self.allocate(body));
                }
                blocks.extend(otherwise.as_ref().map(|body| self.allocate(body)));
            }
            StatementKind::While { body, .. } => blocks.push(self.allocate(body)),
            _ => {}
        }
        Points { here, conditions, blocks }
    }

    fn block(&mut self, body: &[Statement], points: &[Points], after: PointId) {
        for (i, statement) in body.iter().enumerate() {
            let next = points.get(i + 1).map_or(after, |p| p.here);
            self.statement(statement, &points[i], next);
        }
    }

    fn step(&mut self, from: PointId, to: PointId, step: Step) {
        self.outer.builder.step(from, to, step);
    }

    fn statement(&mut self, statement: &Statement, points: &Points, next: PointId) {
        let here = points.here;
        match &statement.kind {
            StatementKind::Skip => self.step(here, next, Step::skip()),
            StatementKind::Print(values) => {
                for e in values {
                    self.condition(e);
                }
                self.step(here, next, Step::skip());
            }
            StatementKind::Goto(labels) => {
                for label in labels {
                    if let Some(target) = self.jump_target(label) {
                        self.step(here, target, Step::skip());
                    }
                }
            }
            StatementKind::Return(values) => self.return_statement(statement, values, here),
            StatementKind::Assert(e) => {
                let holds = self.condition(e);
                let fails = self.outer.builder.exprs.not(holds);
                let text = format!("violated: {}", print::simple_statement(&statement.kind));
                let failure = self.point(PointKind::AssertionFailure, text, statement.span);
                self.step(here, next, Step::assume(holds));
                self.step(here, failure, Step::assume(fails));
            }
            StatementKind::Assume(e) => {
                let guard = self.condition(e);
                self.step(here, next, Step::assume(guard));
            }
            StatementKind::Constrain(e) => self.constrain(e, here, next),
            StatementKind::Assign { targets, values, constrain } => {
                self.assign(statement.span, targets, values, constrain.as_ref(), here, next);
            }
            StatementKind::Call { targets, callee, arguments } => {
                self.call(statement.span, targets, callee, arguments, here, next);
            }
            StatementKind::If { branches, otherwise } => {
                self.conditional(branches, otherwise.as_deref(), points, next);
            }
            StatementKind::While { condition, body } => {
                let condition = self.condition(condition);
                let first = points.blocks[0].first().map_or(here, |p| p.here);
                self.fork(here, condition, first, next);
                self.block(body, &points.blocks[0], here);
            }
            StatementKind::Dead(variables) => {
                let known: Vec<_> = variables.iter().filter_map(|v| self.resolve(v)).collect();
                let assignments =
                    known.into_iter().map(|v| (v, self.outer.builder.exprs.star())).collect();
                self.step(here, next, Step::assign(assignments));
            }
            _ => self.thread_statement(statement, here, next),
        }
    }

    fn thread_statement(&mut self, statement: &Statement, here: PointId, next: PointId) {
        let action = match &statement.kind {
            StatementKind::StartThreadAt(label) => {
                self.jump_target(label).map(ThreadAction::StartAt)
            }
            StatementKind::StartThreadCall { callee, arguments } => self
                .callee(statement.span, callee, arguments)
                .map(|(callee, arguments)| ThreadAction::StartCall { callee, arguments }),
            StatementKind::Sync(label) => self.jump_target(label).map(ThreadAction::Sync),
            StatementKind::EndThread => Some(ThreadAction::End),
            StatementKind::AtomicBegin => Some(ThreadAction::AtomicBegin),
            StatementKind::AtomicEnd => Some(ThreadAction::AtomicEnd),
            StatementKind::Wait => Some(ThreadAction::Wait),
            StatementKind::Broadcast => Some(ThreadAction::Broadcast),
            _ => None,
        };
        // In a program with one thread, atomic sections and the end of the thread have their plain
        // meaning; everything else needs others to be there.
        let alone = [ThreadAction::End, ThreadAction::AtomicBegin, ThreadAction::AtomicEnd];
        if let Some(action) = action {
            self.outer.starts_threads |= !alone.contains(&action);
            self.outer.builder.edge(here, next, Action::Thread(action));
        }
    }

    fn fork(&mut self, here: PointId, condition: ExprId, yes: PointId, no: PointId) {
        let negated = self.outer.builder.exprs.not(condition);
        self.step(here, yes, Step::assume(condition));
        self.step(here, no, Step::assume(negated));
    }

    fn conditional(
        &mut self,
        branches: &[(Expr, Vec<Statement>)],
        otherwise: Option<&[Statement]>,
        points: &Points,
        next: PointId,
    ) {
        let first_of =
            |block: Option<&Vec<Points>>| block.and_then(|b| b.first()).map_or(next, |p| p.here);
        let heads: Vec<_> =
            std::iter::once(points.here).chain(points.conditions.iter().copied()).collect();
        for (i, (condition, body)) in branches.iter().enumerate() {
            let condition = self.condition(condition);
            let yes = first_of(points.blocks.get(i));
            let no = heads
                .get(i + 1)
                .copied()
                .unwrap_or_else(|| first_of(points.blocks.get(branches.len())));
            self.fork(heads[i], condition, yes, no);
            self.block(body, &points.blocks[i], next);
        }
        if let (Some(body), Some(inner)) = (otherwise, points.blocks.get(branches.len())) {
            self.block(body, inner, next);
        }
    }

    fn return_statement(&mut self, statement: &Statement, values: &[Expr], here: PointId) {
        if values.len() != self.results as usize {
            self.outer.messages.error(
                statement.span,
                format!(
                    "`return` with {} but this function returns {}",
                    count(values.len(), "value"),
                    count(self.results as usize, "value")
                ),
            );
            return;
        }
        let values = values.iter().map(|e| self.condition(e)).collect();
        self.outer.builder.edge(here, here, Action::Return { values });
    }

    fn constrain(&mut self, e: &Expr, here: PointId, next: PointId) {
        let constraint = self.expression(e, PostValues::Allowed);
        let locals = self.outer.builder.get(self.id).locals.clone();
        let variables: Vec<_> = self.outer.builder.global_ids().chain(locals).collect();
        let exprs = &mut self.outer.builder.exprs;
        let assignments = variables.into_iter().map(|v| (v, exprs.star())).collect();
        self.step(here, next, Step { constraint, ..Step::assign(assignments) });
    }

    fn assign(
        &mut self,
        span: Span,
        targets: &[Ident],
        values: &[Expr],
        constrain: Option<&Expr>,
        here: PointId,
        next: PointId,
    ) {
        if targets.len() != values.len() {
            self.outer.messages.error(
                span,
                format!(
                    "{} on the left but {} on the right",
                    count(targets.len(), "variable"),
                    count(values.len(), "value")
                ),
            );
        }
        let (mut assignments, mut in_other_threads) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        for (i, target) in targets.iter().enumerate() {
            let value = values.get(i).map(|e| self.condition(e));
            if target.text == "_" {
                continue;
            }
            if !seen.insert(&target.text) {
                self.outer.messages.warning(
                    target.span,
                    format!("`{}` is assigned twice in one statement", target.text),
                    "the last value counts",
                );
            }
            if let Some(variable) = self.passive(target) {
                in_other_threads.extend(value.map(|v| (variable, v)));
                self.outer.starts_threads = true;
            } else if let Some(variable) = self.resolve(target) {
                assignments.extend(value.map(|v| (variable, v)));
            }
        }
        let constraint = constrain.map_or(TRUE, |e| self.expression(e, PostValues::Allowed));
        let step = Step { constraint, in_other_threads, ..Step::assign(assignments) };
        self.step(here, next, step);
    }

    /// `x$`, if only `x` is declared: the variable `x` of all other threads.
    fn passive(&self, target: &Ident) -> Option<VarId> {
        let stem = target.text.strip_suffix('$')?;
        if self.variables.get(&target.text).is_some() {
            return None;
        }
        self.variables.get(stem).copied()
    }

    fn callee(
        &mut self,
        span: Span,
        callee: &Ident,
        arguments: &[Expr],
    ) -> Option<(ProcId, Vec<ExprId>)> {
        let lowered: Vec<_> = arguments.iter().map(|e| self.condition(e)).collect();
        let id = self.outer.functions.resolve(callee, self.outer.messages)?;
        if id != self.id {
            self.outer.called.insert(id);
        }
        let expected = self.outer.builder.get(id).parameters.len();
        if expected != arguments.len() {
            self.outer.messages.error(
                span,
                format!(
                    "`{}` takes {} but is given {}",
                    callee.text,
                    count(expected, "argument"),
                    arguments.len()
                ),
            );
            return None;
        }
        Some((id, lowered))
    }

    fn call(
        &mut self,
        span: Span,
        targets: &[Ident],
        callee: &Ident,
        arguments: &[Expr],
        here: PointId,
        next: PointId,
    ) {
        let mut results: Vec<Option<VarId>> = Vec::new();
        for target in targets {
            let discarded = target.text == "_";
            results.push(if discarded { None } else { self.resolve(target) });
        }
        let Some((id, arguments)) = self.callee(span, callee, arguments) else { return };
        let expected = self.outer.builder.get(id).results as usize;
        if targets.is_empty() {
            results = vec![None; expected];
        } else if expected != targets.len() {
            self.outer.messages.error(
                span,
                format!(
                    "`{}` returns {} but {} assigned",
                    callee.text,
                    count(expected, "value"),
                    if targets.len() == 1 {
                        "1 variable is".to_owned()
                    } else {
                        format!("{} variables are", targets.len())
                    }
                ),
            );
            return;
        }
        let action = Action::Call { callee: id, arguments, results };
        self.outer.builder.edge(here, next, action);
    }

    fn jump_target(&mut self, label: &Ident) -> Option<PointId> {
        if self.ambiguous.contains(&label.text) {
            let text =
                format!("several statements of this function have the label `{}`", label.text);
            self.outer.messages.error(label.span, text);
        }
        self.labels.resolve(label, self.outer.messages)
    }

    fn resolve(&mut self, name: &Ident) -> Option<VarId> {
        self.variables.resolve(name, self.outer.messages)
    }

    fn condition(&mut self, e: &Expr) -> ExprId {
        self.expression(e, PostValues::Forbidden)
    }

    fn expression(&mut self, e: &Expr, post: PostValues) -> ExprId {
        match &e.kind {
            ExprKind::Constant(value) => self.outer.builder.exprs.constant(*value),
            ExprKind::Nondet => self.outer.builder.exprs.star(),
            ExprKind::Variable(name) => {
                let variable = self.resolve(name);
                variable.map_or(FALSE, |v| self.outer.builder.exprs.var(v))
            }
            ExprKind::Post(name) => {
                if post == PostValues::Forbidden {
                    self.outer.messages.error_with_help(
                        e.span,
                        format!("`'{}` (the value afterwards) makes no sense here", name.text),
                        "it can be used in `constrain` only",
                    );
                }
                let variable = self.resolve(name);
                variable.map_or(FALSE, |v| self.outer.builder.exprs.post(v))
            }
            ExprKind::Not(inner) => {
                let inner = self.expression(inner, post);
                self.outer.builder.exprs.not(inner)
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.expression(left, post);
                let right = self.expression(right, post);
                let exprs = &mut self.outer.builder.exprs;
                match op {
                    BinaryOp::And => exprs.and(left, right),
                    BinaryOp::Or => exprs.or(left, right),
                    BinaryOp::Xor | BinaryOp::NotEqual => exprs.xor(left, right),
                    BinaryOp::Equal => exprs.equal(left, right),
                    BinaryOp::Implies => {
                        let not_left = exprs.not(left);
                        exprs.or(not_left, right)
                    }
                }
            }
            ExprKind::Conditional(condition, yes, no) => {
                let condition = self.expression(condition, post);
                let yes = self.expression(yes, post);
                let no = self.expression(no, post);
                self.outer.builder.exprs.ite(condition, yes, no)
            }
            ExprKind::Schoose(positive, negative) => {
                let positive = self.expression(positive, post);
                let negative = self.expression(negative, post);
                let exprs = &mut self.outer.builder.exprs;
                let star = exprs.star();
                let otherwise = exprs.ite(negative, FALSE, star);
                exprs.ite(positive, TRUE, otherwise)
            }
        }
    }
}

/// Whether `'x` may occur.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PostValues {
    Allowed,
    Forbidden,
}

fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        _ => format!("{n} {what}s"),
    }
}
