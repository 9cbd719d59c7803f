//! From remopla to the [model](crate::model): every variable becomes bits.
//!
//! Where Moped's manual leaves room: all variables start with any value of their type; an
//! assignment that does not fit, an index out of range or a division by zero cannot be executed;
//! in `skip (e)` and in raw rules, variables that `e` mentions primed take any values for which it
//! holds and the others keep theirs; `else` is taken when no other condition of its statement
//! holds; statements outside modules may be jumped to from every module.

use std::collections::BTreeMap;

use super::assign::Update;
use super::ast::{
    Assignment, Branch, Declaration, Expr, ExprKind, Global, Module, Program, Reference, Statement,
    StatementKind, Type,
};
use super::bits;
use super::evaluate::Evaluator;
use super::print;
use super::storage::{Scalar, Shape, Stored, Types};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Action, Concurrency, ExprId, FALSE, Model, ModelBuilder, PointId, PointKind, ProcId, Step,
    TRUE, ThreadAction, VarId,
};
use crate::names::NameTable;
use crate::source::{Ident, Span};

/// What callers know of a module.
#[derive(Clone)]
struct Signature {
    id: ProcId,
    parameters: Vec<Shape>,
    result: Option<Shape>,
}

pub(super) struct Lowering<'m> {
    pub(super) builder: ModelBuilder,
    pub(super) types: Types,
    pub(super) globals: BTreeMap<String, Stored>,
    modules: NameTable<Signature>,
    pub(super) messages: &'m mut Diagnostics,
    forks: bool,
}

/// Lowers a program, or reports why it has no meaning.
pub fn lower(program: &Program, entry: Option<&str>, messages: &mut Diagnostics) -> Option<Model> {
    let mut lowering = Lowering {
        builder: ModelBuilder::default(),
        types: Types::default(),
        globals: BTreeMap::new(),
        modules: NameTable::new("module"),
        messages,
        forks: false,
    };
    lowering.constants(program);
    lowering.global_variables(program);
    let states = super::raw::declare_states(&mut lowering, program);
    let defined: Vec<&Module> = program.modules.iter().filter(|m| m.body.is_some()).collect();
    let mut locals = Vec::new();
    for module in &defined {
        locals.push(lowering.declare_module(module));
    }
    for (module, variables) in defined.iter().zip(locals) {
        lowering.module(program, module, variables);
    }
    let raw = super::raw::lower(&mut lowering, program, &states);
    let main = lowering.start(program, entry, &raw);
    if lowering.messages.has_errors() {
        return None;
    }
    let concurrency = if lowering.forks { Concurrency::Started } else { Concurrency::Sequential };
    Some(lowering.builder.finish(main?, concurrency))
}

impl Lowering<'_> {
    fn constants(&mut self, program: &Program) {
        for define in &program.defines {
            let Some(value) = self.types.evaluate(&define.value, self.messages) else { continue };
            match define.name.text.as_str() {
                "DEFAULT_INT_BITS" => self.types.default_bits = u32::try_from(value).ok(),
                name => drop(self.types.constants.insert(name.to_owned(), value)),
            }
        }
    }

    fn types_in(&mut self, ty: &Type) {
        match ty {
            Type::Enum(e) => self.types.declare_enum(e, self.messages),
            Type::Struct(s) => {
                for field in &s.fields {
                    self.types_in(&field.ty);
                }
                self.types.declare_struct(s, self.messages);
            }
            Type::Bool | Type::Int => {}
        }
    }

    fn global_variables(&mut self, program: &Program) {
        for global in &program.globals {
            match global {
                Global::Enum(e) => self.types.declare_enum(e, self.messages),
                Global::Struct(s) => self.types_in(&Type::Struct(s.clone())),
                Global::Variables { declaration, .. } => {
                    self.types_in(&declaration.ty);
                    let variables = self.variables(declaration, None);
                    for (name, stored) in variables {
                        if self.globals.contains_key(&name.text) {
                            let text = format!("variable `{}` is declared twice", name.text);
                            self.messages.error(name.span, text);
                        }
                        self.globals.insert(name.text, stored);
                    }
                }
            }
        }
    }

    fn variables(
        &mut self,
        declaration: &Declaration,
        owner: Option<ProcId>,
    ) -> Vec<(Ident, Stored)> {
        let mut list = Vec::new();
        for declarator in &declaration.variables {
            if let Some(shape) = self.types.shape(&declaration.ty, declarator, self.messages) {
                let stored = self.store(&declarator.name, shape, owner, false);
                list.push((declarator.name.clone(), stored));
            }
        }
        list
    }

    /// Adds the bits of a variable.
    fn store(
        &mut self,
        name: &Ident,
        shape: Shape,
        owner: Option<ProcId>,
        parameter: bool,
    ) -> Stored {
        let mut cells = Vec::new();
        for (suffix, scalar) in shape.cells() {
            let cell = format!("{}{suffix}", name.text);
            let bits = (0..scalar.width())
                .map(|i| {
                    let bit = match scalar {
                        Scalar::Bool => cell.clone(),
                        _ => format!("{cell}.{i}"),
                    };
                    match owner {
                        None => self.builder.global(bit, name.span),
                        Some(p) if parameter => self.builder.parameter(p, bit, name.span),
                        Some(p) => self.builder.local(p, bit, name.span),
                    }
                })
                .collect();
            cells.push((scalar, bits));
        }
        Stored { shape, cells }
    }

    fn declare_module(&mut self, module: &Module) -> BTreeMap<String, Stored> {
        let span = module.name.span;
        let result = module
            .result
            .as_ref()
            .and_then(|(ty, bits)| self.types.base(ty, bits.as_ref(), span, self.messages));
        let width: usize =
            result.as_ref().map_or(0, |s| s.cells().iter().map(|c| c.1.width()).sum());
        let id = self.builder.procedure(&module.name.text, width as u32, span);
        let mut variables = BTreeMap::new();
        let mut parameters = Vec::new();
        let mut own = NameTable::new("variable");
        for (ty, declarator) in &module.parameters {
            let Some(shape) = self.types.shape(ty, declarator, self.messages) else { continue };
            parameters.push(shape.clone());
            own.declare(&declarator.name, (), self.messages);
            let stored = self.store(&declarator.name, shape, Some(id), true);
            variables.insert(declarator.name.text.clone(), stored);
        }
        for declaration in &module.locals {
            for (name, stored) in self.variables(declaration, Some(id)) {
                own.declare(&name, (), self.messages);
                variables.insert(name.text, stored);
            }
        }
        self.modules.declare(&module.name, Signature { id, parameters, result }, self.messages);
        variables
    }

    /// The condition that enumerations hold one of their values.
    fn in_range<'s>(&mut self, variables: impl IntoIterator<Item = &'s Stored>) -> ExprId {
        let mut all = TRUE;
        for stored in variables {
            for (scalar, cell) in &stored.cells {
                if let Scalar::Enum(size) = scalar {
                    let exprs = &mut self.builder.exprs;
                    let mut value: bits::Bits = cell.iter().map(|&v| exprs.var(v)).collect();
                    value.push(FALSE);
                    let limit = bits::number(exprs, u64::from(*size));
                    let below = bits::less(exprs, &value, &limit);
                    all = exprs.and(all, below);
                }
            }
        }
        all
    }

    fn module(&mut self, program: &Program, module: &Module, own: BTreeMap<String, Stored>) {
        let Some(Signature { id, result, .. }) = self.modules.get(&module.name.text).cloned()
        else {
            return;
        };
        let span = module.name.span;
        let valid = self.in_range(own.values());
        let mut variables = self.globals.clone();
        variables.extend(own);
        let types = std::mem::take(&mut self.types);
        let mut body = Body {
            evaluator: Evaluator::new(&types, variables),
            outer: self,
            id,
            result,
            labels: NameTable::new("label"),
        };
        let start = body.point(PointKind::Internal, "start", span);
        body.outer.builder.set_entry(id, start);
        let statements = module.body.as_deref().unwrap_or(&[]);
        let points = body.allocate(statements);
        let end = body.point(PointKind::End, "end", span);
        let shared = body.allocate(&program.statements);
        let first = points.first().map_or(end, |p| p.here);
        body.outer.builder.step(start, first, Step::assume(valid));
        body.block(statements, &points, end, None);
        body.block(&program.statements, &shared, end, None);
        let width = body.outer.builder.get(id).results;
        let values = (0..width).map(|_| body.outer.builder.exprs.star()).collect();
        body.outer.builder.edge(end, end, Action::Return { values });
        self.types = types;
    }

    pub(super) fn module_id(&self, name: &str) -> Option<ProcId> {
        self.modules.get(name).map(|s| s.id)
    }

    /// A procedure that calls what the program starts with.
    fn start(
        &mut self,
        program: &Program,
        entry: Option<&str>,
        raw: &BTreeMap<String, ProcId>,
    ) -> Option<ProcId> {
        let default = Ident::synthetic(entry.unwrap_or("main"));
        let names = match (entry, program.init.is_empty()) {
            (None, false) => program.init.clone(),
            _ => vec![default],
        };
        let globals: Vec<Stored> = self.globals.values().cloned().collect();
        let valid = self.in_range(&globals);
        let start = self.builder.procedure("init", 0, Span::default());
        let first = self.builder.point(start, PointKind::Internal, "init", Span::default());
        self.builder.set_entry(start, first);
        let mut next =
            self.builder.point(start, PointKind::Internal, "empty stack", Span::default());
        for name in names.iter().rev() {
            let callee = match raw.get(&name.text) {
                Some(id) => *id,
                None => self.modules.resolve(name, self.messages)?.id,
            };
            let call = self.builder.point(start, PointKind::Internal, &name.text, name.span);
            let count = self.builder.get(callee).parameters.len();
            let arguments = (0..count).map(|_| self.builder.exprs.star()).collect();
            let results = vec![None; self.builder.get(callee).results as usize];
            self.builder.edge(call, next, Action::Call { callee, arguments, results });
            next = call;
        }
        self.builder.step(first, next, Step::assume(valid));
        Some(start)
    }

    /// A relation given by an expression that may mention values afterwards.
    pub(super) fn relation(&mut self, relation: Option<&Expr>) -> Step {
        let types = std::mem::take(&mut self.types);
        let mut evaluator = Evaluator::new(&types, self.globals.clone());
        let step = relation_step(&mut evaluator, &mut self.builder, relation, self.messages);
        self.types = types;
        step
    }
}

fn relation_step(
    evaluator: &mut Evaluator<'_>,
    builder: &mut ModelBuilder,
    relation: Option<&Expr>,
    messages: &mut Diagnostics,
) -> Step {
    let Some(e) = relation else { return Step::skip() };
    evaluator.primed.clear();
    let holds = evaluator.condition(&mut builder.exprs, e, messages);
    let defined = evaluator.take_defined();
    let constraint = builder.exprs.and(holds, defined);
    if evaluator.primed.is_empty() {
        return Step::assume(constraint);
    }
    let changed: Vec<_> = evaluator.primed.iter().copied().collect();
    let assignments = changed.into_iter().map(|v| (v, builder.exprs.star())).collect();
    Step { constraint, ..Step::assign(assignments) }
}

struct Points {
    here: PointId,
    blocks: Vec<Vec<Points>>,
}

pub(super) struct Body<'l, 'm, 't> {
    pub(super) outer: &'l mut Lowering<'m>,
    pub(super) evaluator: Evaluator<'t>,
    id: ProcId,
    result: Option<Shape>,
    labels: NameTable<PointId>,
}

impl Body<'_, '_, '_> {
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
            self.labels.declare(label, here, self.outer.messages);
            self.outer.builder.label(here, &label.text);
        }
        let blocks = match &statement.kind {
            StatementKind::If(branches) | StatementKind::Do(branches) => {
                branches.iter().map(|b| self.allocate(&b.body)).collect()
            }
            _ => Vec::new(),
        };
        Points { here, blocks }
    }

    /// Lowers statements; `leave` is where `break` leads.
    fn block(
        &mut self,
        body: &[Statement],
        points: &[Points],
        after: PointId,
        leave: Option<PointId>,
    ) {
        for (i, statement) in body.iter().enumerate() {
            let next = points.get(i + 1).map_or(after, |p| p.here);
            self.statement(statement, &points[i], next, leave);
        }
    }

    fn statement(
        &mut self,
        statement: &Statement,
        points: &Points,
        next: PointId,
        leave: Option<PointId>,
    ) {
        let here = points.here;
        match &statement.kind {
            StatementKind::If(branches) => self.branches(branches, points, next, next, leave),
            StatementKind::Do(branches) => {
                self.branches(branches, points, here, here, Some(next));
            }
            StatementKind::Assign(list) => self.assign(list, here, next),
            StatementKind::Goto(label, list) => {
                if let Some(target) = self.labels.resolve(label, self.outer.messages) {
                    self.assign(list, here, target);
                }
            }
            StatementKind::Break => match leave {
                Some(target) => self.outer.builder.step(here, target, Step::skip()),
                None => self.outer.messages.error(statement.span, "`break` outside `do`"),
            },
            StatementKind::Skip(relation) => {
                let step = relation_step(
                    &mut self.evaluator,
                    &mut self.outer.builder,
                    relation.as_ref(),
                    self.outer.messages,
                );
                self.outer.builder.step(here, next, step);
            }
            StatementKind::Return(value) => self.return_statement(statement, value.as_ref(), here),
            StatementKind::Call { target, callee, arguments, assignments } => {
                self.call(
                    statement.span,
                    target.as_ref(),
                    callee,
                    arguments,
                    assignments,
                    here,
                    next,
                );
            }
            StatementKind::Fork { callee, arguments } => {
                self.outer.forks = true;
                if let Some((signature, guard, arguments)) =
                    self.arguments(statement.span, callee, arguments)
                {
                    let ready = self.guarded(here, guard, statement.span);
                    let action = ThreadAction::StartCall { callee: signature.id, arguments };
                    self.outer.builder.edge(ready, next, Action::Thread(action));
                }
            }
        }
    }

    fn branches(
        &mut self,
        branches: &[Branch],
        points: &Points,
        after: PointId,
        empty: PointId,
        leave: Option<PointId>,
    ) {
        let mut none = TRUE;
        let mut guards = Vec::new();
        for branch in branches {
            guards.push(branch.condition.as_ref().map(|e| {
                let exprs = &mut self.outer.builder.exprs;
                let holds = self.evaluator.condition(exprs, e, self.outer.messages);
                let defined = self.evaluator.take_defined();
                let exprs = &mut self.outer.builder.exprs;
                let fails = exprs.not(holds);
                none = exprs.and(none, fails);
                exprs.and(holds, defined)
            }));
        }
        for ((branch, guard), inner) in branches.iter().zip(guards).zip(&points.blocks) {
            let first = inner.first().map_or(empty, |p| p.here);
            let step = Step::assume(guard.unwrap_or(none));
            self.outer.builder.step(points.here, first, step);
            self.block(&branch.body, inner, after, leave);
        }
    }

    /// A point behind a guard, or the same point if there is nothing to guard.
    fn guarded(&mut self, here: PointId, guard: ExprId, span: Span) -> PointId {
        if guard == TRUE {
            return here;
        }
        let ready = self.point(PointKind::Internal, "arguments", span);
        self.outer.builder.step(here, ready, Step::assume(guard));
        ready
    }

    fn return_statement(&mut self, statement: &Statement, value: Option<&Expr>, here: PointId) {
        let (values, guard) = match (value, self.result.clone()) {
            (None, None) => (Vec::new(), TRUE),
            (Some(e), Some(shape)) => {
                let Some((values, fits)) = self.value_for(e, &shape) else { return };
                let defined = self.evaluator.take_defined();
                (values, self.outer.builder.exprs.and(fits, defined))
            }
            (Some(_), None) => {
                self.outer.messages.error(statement.span, "this module returns nothing");
                return;
            }
            (None, Some(_)) => {
                self.outer.messages.error(statement.span, "expected a value to return");
                return;
            }
        };
        let ready = self.guarded(here, guard, statement.span);
        self.outer.builder.edge(ready, ready, Action::Return { values });
    }

    fn arguments(
        &mut self,
        span: Span,
        callee: &Ident,
        arguments: &[Expr],
    ) -> Option<(Signature, ExprId, Vec<ExprId>)> {
        let signature = self.outer.modules.resolve(callee, self.outer.messages)?;
        if signature.parameters.len() != arguments.len() {
            let text = format!(
                "`{}` takes {} arguments but is given {}",
                callee.text,
                signature.parameters.len(),
                arguments.len()
            );
            self.outer.messages.error(span, text);
            return None;
        }
        let (mut all, mut guard) = (Vec::new(), TRUE);
        for (e, shape) in arguments.iter().zip(&signature.parameters) {
            let (values, fits) = self.value_for(e, shape)?;
            let defined = self.evaluator.take_defined();
            let exprs = &mut self.outer.builder.exprs;
            let ok = exprs.and(fits, defined);
            guard = exprs.and(guard, ok);
            all.extend(values);
        }
        Some((signature, guard, all))
    }

    #[allow(clippy::too_many_arguments)]
    fn call(
        &mut self,
        span: Span,
        target: Option<&Reference>,
        callee: &Ident,
        arguments: &[Expr],
        assignments: &[Assignment],
        here: PointId,
        next: PointId,
    ) {
        let Some((signature, guard, mut values)) = self.arguments(span, callee, arguments) else {
            return;
        };
        let mut ready = here;
        if assignments.is_empty() {
            ready = self.guarded(here, guard, span);
        } else {
            // Arguments are evaluated before the assignments, so they wait in variables of their own.
            let waiting: Vec<VarId> = values
                .iter()
                .map(|_| self.outer.builder.local(self.id, "argument", span))
                .collect();
            ready =
                if ready == here { self.point(PointKind::Internal, "call", span) } else { ready };
            for mut update in self.updates(assignments) {
                update.guard = self.outer.builder.exprs.and(update.guard, guard);
                update.values.extend(waiting.iter().copied().zip(values.iter().copied()));
                self.outer.builder.step(here, ready, update.step());
            }
            values = waiting.iter().map(|&v| self.outer.builder.exprs.var(v)).collect();
        }
        let width = self.outer.builder.get(signature.id).results as usize;
        let mut results = vec![None; width];
        let mut after = next;
        if let Some(target) = target {
            let Some(shape) = signature.result.as_ref() else {
                self.outer.messages.error(span, format!("`{}` returns nothing", callee.text));
                return;
            };
            let received: Vec<VarId> =
                (0..width).map(|_| self.outer.builder.local(self.id, "result", span)).collect();
            results = received.iter().map(|&v| Some(v)).collect();
            after = self.point(PointKind::Internal, "result", span);
            self.receive(target, shape, &received, after, next);
        }
        let action = Action::Call { callee: signature.id, arguments: values, results };
        self.outer.builder.edge(ready, after, action);
    }

    /// Copies a received result into its target.
    fn receive(
        &mut self,
        target: &Reference,
        shape: &Shape,
        received: &[VarId],
        from: PointId,
        to: PointId,
    ) {
        let mut cells = Vec::new();
        let mut rest = received;
        for (_, scalar) in shape.cells() {
            let (own, others) = rest.split_at(scalar.width().min(rest.len()));
            cells.push((scalar, own.to_vec()));
            rest = others;
        }
        let name = "result of the call";
        self.evaluator.variables.insert(name.to_owned(), Stored { shape: shape.clone(), cells });
        let reference = Reference {
            name: Ident { text: name.to_owned(), span: target.name.span },
            primed: false,
            indices: Vec::new(),
            field: None,
        };
        let value = Expr { kind: ExprKind::Reference(reference), span: target.name.span };
        let mut update = Update::new();
        self.write(&mut update, target, &value);
        self.outer.builder.step(from, to, update.step());
    }
}
