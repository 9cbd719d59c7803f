//! The lowering against a second, direct reading of the syntax tree.
//!
//! The oracle of the other differential tests works on the model, so a lowering that loses
//! executions would go unnoticed there. Here random programs are executed on the syntax tree by a
//! small interpreter that knows nothing of the model; every state it sees in front of a statement
//! must be reachable there according to the oracle, and every assertion it sees fail must be a
//! reachable failure.

use std::collections::BTreeMap;

use gnomon_boolprog::bp;
use gnomon_boolprog::bp::ast::{
    BinaryOp, Expr, ExprKind, Function, Program, Statement, StatementKind,
};
use gnomon_boolprog::diagnostic::Diagnostics;
use gnomon_boolprog::explicit::{Layout, Limits, Reachable, reachable};
use gnomon_boolprog::generate::{self, Shape};
use gnomon_boolprog::model::{Model, PointId, PointKind, ProcId};
use gnomon_boolprog::random::Random;

/// One instruction of a function laid out in a line.
enum Op<'p> {
    /// A simple statement with its number in the text.
    Do(&'p StatementKind, usize),
    /// Goes on if the condition (with its number) holds, else jumps.
    Unless(&'p Expr, usize, usize),
    Jump(usize),
}

struct Code<'p> {
    ops: Vec<Op<'p>>,
    labels: BTreeMap<&'p str, usize>,
    statements: usize,
}

impl<'p> Code<'p> {
    fn new(function: &'p Function) -> Self {
        let mut code = Self { ops: Vec::new(), labels: BTreeMap::new(), statements: 0 };
        code.block(&function.body);
        code
    }

    fn number(&mut self) -> usize {
        self.statements += 1;
        self.statements - 1
    }

    fn patch(&mut self, place: usize) {
        let here = self.ops.len();
        match &mut self.ops[place] {
            Op::Unless(_, _, target) | Op::Jump(target) => *target = here,
            Op::Do(..) => unreachable!("only jumps are patched"),
        }
    }

    fn block(&mut self, body: &'p [Statement]) {
        for statement in body {
            for label in &statement.labels {
                self.labels.insert(&label.text, self.ops.len());
            }
            let number = self.number();
            match &statement.kind {
                StatementKind::If { branches, otherwise } => {
                    let mut ends = Vec::new();
                    for (i, (condition, inner)) in branches.iter().enumerate() {
                        let number = if i == 0 { number } else { self.number() };
                        let test = self.ops.len();
                        self.ops.push(Op::Unless(condition, number, 0));
                        self.block(inner);
                        ends.push(self.ops.len());
                        self.ops.push(Op::Jump(0));
                        self.patch(test);
                    }
                    self.block(otherwise.as_deref().unwrap_or(&[]));
                    ends.into_iter().for_each(|e| self.patch(e));
                }
                StatementKind::While { condition, body } => {
                    let test = self.ops.len();
                    self.ops.push(Op::Unless(condition, number, 0));
                    self.block(body);
                    self.ops.push(Op::Jump(test));
                    self.patch(test);
                }
                simple => self.ops.push(Op::Do(simple, number)),
            }
        }
    }
}

type Values = BTreeMap<String, bool>;

struct Frame<'p> {
    function: usize,
    at: usize,
    locals: Values,
    /// Where the caller wants the results.
    targets: Vec<&'p str>,
}

struct Machine<'p> {
    program: &'p Program,
    code: Vec<Code<'p>>,
    globals: Values,
    frames: Vec<Frame<'p>>,
    random: Random,
}

/// What a step led to.
enum Seen {
    Nothing,
    /// The assertion with this number failed.
    Failure(usize),
    End,
}

impl<'p> Machine<'p> {
    fn get(&self, name: &str) -> bool {
        self.frames
            .last()
            .and_then(|f| f.locals.get(name))
            .copied()
            .unwrap_or_else(|| self.globals[name])
    }

    fn set(&mut self, name: &str, value: bool) {
        if name == "_" {
            return;
        }
        let local = self.frames.last_mut().and_then(|f| f.locals.get_mut(name));
        *local.unwrap_or_else(|| self.globals.get_mut(name).expect("declared")) = value;
    }

    fn eval(&mut self, e: &Expr, after: &Values) -> bool {
        match &e.kind {
            ExprKind::Constant(value) => *value,
            ExprKind::Nondet => self.random.coin(),
            ExprKind::Variable(name) => self.get(&name.text),
            ExprKind::Post(name) => {
                after.get(&name.text).copied().unwrap_or_else(|| self.get(&name.text))
            }
            ExprKind::Not(inner) => !self.eval(inner, after),
            ExprKind::Conditional(c, yes, no) => {
                if self.eval(c, after) {
                    self.eval(yes, after)
                } else {
                    self.eval(no, after)
                }
            }
            ExprKind::Schoose(a, b) => {
                let (a, b) = (self.eval(a, after), self.eval(b, after));
                a || !b && self.random.coin()
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.eval(a, after), self.eval(b, after));
                match op {
                    BinaryOp::Implies => !a | b,
                    BinaryOp::Or => a | b,
                    BinaryOp::And => a & b,
                    BinaryOp::Xor | BinaryOp::NotEqual => a ^ b,
                    BinaryOp::Equal => a == b,
                }
            }
        }
    }

    fn now(&mut self, e: &Expr) -> bool {
        self.eval(e, &Values::new())
    }

    /// Whether `enforce` and `abortif` let the top frame go on.
    fn allowed(&mut self) -> bool {
        let Some(frame) = self.frames.last() else { return true };
        let function = &self.program.functions[frame.function];
        function.enforce.iter().all(|e| self.now(e))
            && !function.abort_if.iter().any(|e| self.now(e))
    }

    fn enter(&mut self, function: usize, arguments: &[bool], targets: Vec<&'p str>) -> bool {
        let code = &self.program.functions[function];
        let mut locals = Values::new();
        for (name, value) in code.parameters.iter().zip(arguments) {
            locals.insert(name.text.clone(), *value);
        }
        for declaration in &code.locals {
            locals.insert(declaration.name.text.clone(), self.random.coin());
        }
        self.frames.push(Frame { function, at: 0, locals, targets });
        // The invariant holds before and after the locals get their first values.
        if !self.allowed() {
            return false;
        }
        let values: Vec<_> = code
            .locals
            .iter()
            .filter_map(|d| Some((d.name.text.as_str(), self.now(d.initial.as_ref()?))))
            .collect();
        let initialised = !values.is_empty();
        for (name, value) in values {
            self.set(name, value);
        }
        !initialised || self.allowed()
    }

    fn leave(&mut self, values: &[bool]) -> bool {
        let Some(frame) = self.frames.pop() else { return false };
        if self.frames.is_empty() {
            return false;
        }
        for (target, value) in frame.targets.iter().zip(values) {
            self.set(target, *value);
        }
        self.allowed()
    }

    fn assign(&mut self, targets: &[&str], values: &[Expr], constrain: Option<&Expr>) -> bool {
        for _ in 0..20 {
            let mut after = Values::new();
            for (target, value) in targets.iter().zip(values) {
                let value = self.now(value);
                after.insert((*target).to_owned(), value);
            }
            if constrain.is_none_or(|c| self.eval(c, &after)) {
                for (name, value) in after {
                    self.set(&name, value);
                }
                return self.allowed();
            }
        }
        false
    }

    fn step(&mut self) -> Seen {
        let frame = self.frames.last_mut().expect("running");
        let (function, at) = (frame.function, frame.at);
        frame.at += 1;
        let results = self.program.functions[function].results as usize;
        let goes_on = match self.code[function].ops.get(at) {
            None => {
                let values: Vec<_> = (0..results).map(|_| self.random.coin()).collect();
                self.leave(&values)
            }
            Some(Op::Jump(target)) => {
                let target = *target;
                self.jump(target)
            }
            Some(Op::Unless(condition, _, target)) => {
                let (condition, target) = (*condition, *target);
                self.now(condition) || self.jump(target)
            }
            Some(Op::Do(kind, number)) => {
                let (kind, number) = (*kind, *number);
                match kind {
                    StatementKind::Assert(e) => {
                        if !self.now(e) {
                            return Seen::Failure(number);
                        }
                        true
                    }
                    _ => self.simple(function, kind),
                }
            }
        };
        if goes_on { Seen::Nothing } else { Seen::End }
    }

    fn jump(&mut self, target: usize) -> bool {
        self.frames.last_mut().expect("running").at = target;
        true
    }

    fn simple(&mut self, function: usize, kind: &'p StatementKind) -> bool {
        match kind {
            StatementKind::Skip => true,
            StatementKind::Assume(e) => self.now(e),
            StatementKind::Goto(labels) => {
                let label = &labels[self.random.below(labels.len())].text;
                let target = self.code[function].labels[label.as_str()];
                self.jump(target)
            }
            StatementKind::Return(values) => {
                let values: Vec<_> = values.iter().map(|e| self.now(e)).collect();
                self.leave(&values)
            }
            StatementKind::Assign { targets, values, constrain } => {
                let targets: Vec<_> = targets.iter().map(|t| t.text.as_str()).collect();
                self.assign(&targets, values, constrain.as_ref())
            }
            StatementKind::Dead(targets) => {
                for target in targets {
                    let value = self.random.coin();
                    self.set(&target.text, value);
                }
                self.allowed()
            }
            StatementKind::Constrain(e) => {
                let scope: Vec<String> = self
                    .globals
                    .keys()
                    .chain(self.frames.last().expect("running").locals.keys())
                    .cloned()
                    .collect();
                let any = Expr { kind: ExprKind::Nondet, span: e.span };
                let targets: Vec<_> = scope.iter().map(String::as_str).collect();
                self.assign(&targets, &vec![any; scope.len()], Some(e))
            }
            StatementKind::Call { targets, callee, arguments } => {
                let arguments: Vec<_> = arguments.iter().map(|e| self.now(e)).collect();
                let named = |f: &Function| f.name.text == callee.text;
                let callee = self.program.functions.iter().position(named).expect("declared");
                let targets = targets.iter().map(|t| t.text.as_str()).collect();
                self.frames.len() < 30 && self.enter(callee, &arguments, targets)
            }
            other => panic!("not generated: {other:?}"),
        }
    }
}

/// The points of statements of each function, in the order of the text.
fn statement_points(model: &Model, function: usize) -> Vec<PointId> {
    let points = &model.procedure(ProcId(function as u32)).points;
    points.iter().copied().filter(|p| model.point(*p).kind == PointKind::Statement).collect()
}

struct Expectation<'m> {
    model: &'m Model,
    reachable: Reachable,
    points: Vec<Vec<PointId>>,
}

impl Expectation<'_> {
    fn check_state(&self, machine: &Machine<'_>, text: &str) {
        let Some(frame) = machine.frames.last() else { return };
        let number = match machine.code[frame.function].ops.get(frame.at) {
            Some(Op::Do(_, number) | Op::Unless(_, number, _)) => *number,
            Some(Op::Jump(_)) | None => return,
        };
        let point = self.points[frame.function][number];
        let layout = Layout::new(self.model).expect("small");
        let state = self
            .model
            .scope(self.model.point(point).procedure)
            .into_iter()
            .map(|v| u64::from(machine.get(&self.model.variable(v).name)) << layout.bit(v))
            .sum();
        let known = self.reachable.at(point).contains(&state);
        assert!(known, "{:?} is not reached with {state:b}\n{text}", self.model.point(point));
    }

    fn check_failure(&self, function: usize, number: usize, text: &str) {
        let span = self.model.point(self.points[function][number]).span;
        let failures = self.model.assertion_failures();
        let same = |p: &PointId| {
            let place = self.model.point(*p).span;
            (place.start, place.end) == (span.start, span.end)
        };
        let failure = failures.into_iter().find(same).expect("every assertion can fail");
        assert!(self.reachable.contains(failure), "a failing assertion is not reached\n{text}");
    }
}

#[test]
fn what_the_syntax_tree_does_the_model_can_do() {
    let (mut states, mut failures) = (0, 0);
    for seed in 0..300 {
        // Printed and parsed, so that statements have places in the text.
        let text = bp::print::program(&generate::program(seed, Shape::default()));
        let program = bp::parse::parse(&text, &mut Diagnostics::default());
        let model = bp::lower(&program, None, &mut Diagnostics::default()).expect("valid");
        let Some(reachable) = reachable(&model, Limits { states: 200_000 }) else { continue };
        let count = program.functions.len();
        let points = (0..count).map(|f| statement_points(&model, f)).collect();
        let expectation = Expectation { model: &model, reachable, points };
        for run in 0..40 {
            let mut random = Random::new(seed * 1000 + run);
            let mut globals = Values::new();
            for declaration in &program.globals {
                let fixed = match declaration.initial.as_ref().map(|e| &e.kind) {
                    Some(ExprKind::Constant(value)) => Some(*value),
                    _ => None,
                };
                let any = random.coin();
                globals.insert(declaration.name.text.clone(), fixed.unwrap_or(any));
            }
            let code = program.functions.iter().map(Code::new).collect();
            let mut machine =
                Machine { program: &program, code, globals, frames: Vec::new(), random };
            let main = program.functions.iter().position(|f| f.name.text == "main").unwrap();
            let mut alive = machine.enter(main, &[], Vec::new());
            for _ in 0..120 {
                if !alive {
                    break;
                }
                expectation.check_state(&machine, &text);
                states += 1;
                let function = machine.frames.last().map_or(0, |f| f.function);
                alive = match machine.step() {
                    Seen::Nothing => true,
                    Seen::End => false,
                    Seen::Failure(number) => {
                        expectation.check_failure(function, number, &text);
                        failures += 1;
                        false
                    }
                };
            }
        }
    }
    assert!(states > 20_000 && failures > 500, "{states} states, {failures} failures");
}
