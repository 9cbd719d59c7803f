//! Paths of C programs through memory: the formula against the interpreter.
#![allow(dead_code, reason = "each test program uses a part")]

pub mod generate;
pub mod points_to;

use gnomon_budget::Budget;
use gnomon_ir::cfa::{Callee, EdgeId, Op as EdgeOp};
use gnomon_ir::interp::{
    Asked, Discarded, EdgeEvent, InputSource, Observer, Outcome, Run, RunOptions, State, UbKind,
    interpret_observed,
};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::trace::ArgumentValue;
use gnomon_ir::types::{TypeId, Types};
use gnomon_logic::encode::scalar::{constant, integer_of, sort_of};
use gnomon_logic::encode::{
    Aliases, Encoder, MemoryOptions, NotEncoded, Partitioned, PathEncoder, PathStep, Ssa, Theory,
};
use gnomon_logic::{
    Answer, Integer, Limits, Op, Purpose, Scope, Solver, Term, Terms, Value, Z3Solver,
};
pub use gnomon_testkit::program as compile;
use std::time::Duration;

pub const INT: Scalar = Scalar::Int { bits: 32, signed: true };

/// Answers from a list.
struct Inputs {
    values: Vec<u32>,
    next: usize,
}

impl InputSource for Inputs {
    fn nondet(&mut self, _asked: &Asked<'_>) -> Option<u128> {
        let value = self.values.get(self.next).copied();
        self.next += 1;
        value.map(u128::from)
    }

    fn choice(&mut self, _open: u32) -> Option<u32> {
        Some(0)
    }

    fn argument(&mut self, _name: &str, _types: &Types, _ty: TypeId) -> Option<ArgumentValue> {
        None
    }
}

#[derive(Default)]
struct Events(Vec<EdgeEvent>);

impl Observer for Events {
    fn edge(&mut self, event: EdgeEvent, _state: &State<'_>) {
        self.0.push(event);
    }
}

/// What a run did.
pub struct Walk {
    pub events: Vec<EdgeEvent>,
    /// How many of the events were finished.
    pub finished: usize,
    pub run: Run,
}

/// Runs a program on inputs.
pub fn walk(program: &Program, inputs: &[u32]) -> Walk {
    let mut source = Inputs { values: inputs.to_vec(), next: 0 };
    let mut events = Events::default();
    let budget = Budget::unlimited().with_steps(10_000);
    let options = RunOptions::default();
    let run =
        interpret_observed(program, &options, &mut source, &mut Discarded, &budget, &mut events);
    let events = events.0;
    let last_is_open = match &run.outcome {
        Outcome::Exit(_) => false,
        Outcome::Undefined(ub) => match (ub.site, events.last()) {
            (Some(site), Some(last)) => site.func == last.func && site.edge == last.edge,
            _ => false,
        },
        _ => true,
    };
    let finished = events.len() - usize::from(last_is_open);
    Walk { events, finished, run }
}

impl Walk {
    /// Whether it did at least the first so many events of another one.
    fn follows(&self, other: &[EdgeEvent]) -> bool {
        let same = |(a, b): (&EdgeEvent, &EdgeEvent)| a == b;
        self.finished >= other.len() && self.events.iter().zip(other).all(same)
    }

    /// Whether nothing was read before it was written.
    fn is_determined(&self) -> bool {
        self.run.noted.iter().all(|ub| ub.kind != UbKind::UninitializedRead)
            && !matches!(
                self.run.outcome,
                Outcome::InputsExhausted { .. } | Outcome::OutOfBudget(_)
            )
    }

    /// Whether it ended where formulas know less: at the bounds of single objects of the heap, at
    /// objects that live no longer.
    fn ended_at_lifetime_or_heap(&self) -> bool {
        matches!(&self.run.outcome, Outcome::Undefined(ub) if matches!(
            ub.kind,
            UbKind::OutOfBounds
                | UbKind::UseAfterFree
                | UbKind::UseAfterReturn
                | UbKind::DoubleFree
                | UbKind::InvalidFree
        ))
    }
}

/// The steps of a path, and to which event each belongs.
pub fn steps(program: &Program, events: &[EdgeEvent]) -> Vec<(usize, PathStep)> {
    let mut steps = Vec::new();
    let mut depth = 1;
    for (number, event) in events.iter().enumerate() {
        while depth > event.depth {
            steps.push((number, PathStep::Leave));
            depth -= 1;
        }
        steps.push((number, step(program, event.func, event.edge, events.get(number + 1), event)));
        if matches!(steps.last(), Some((_, PathStep::Enter(_) | PathStep::EnterCallee(..)))) {
            depth += 1;
        }
    }
    steps
}

fn step(
    program: &Program,
    func: FuncId,
    edge: EdgeId,
    next: Option<&EdgeEvent>,
    event: &EdgeEvent,
) -> PathStep {
    let body = program.funcs[func].body.as_ref().expect("a body");
    match &body.edge(edge).op {
        EdgeOp::Call(call) => match call.callee {
            Callee::Direct(callee) if program.funcs[callee].body.is_some() => PathStep::Enter(edge),
            Callee::Indirect(_) => match next {
                Some(next) if next.depth > event.depth => PathStep::EnterCallee(edge, next.func),
                _ => PathStep::Edge(edge),
            },
            Callee::Direct(_) => PathStep::Edge(edge),
        },
        _ => PathStep::Edge(edge),
    }
}

/// The formula of a path, step by step.
pub struct PathFormula {
    pub terms: Terms,
    pub formulas: Vec<(usize, Term)>,
    pub inputs: Vec<Term>,
    /// Nothing was approximated or is uninterpreted.
    pub exact: bool,
}

pub fn encode(
    program: &Program,
    aliases: &dyn Aliases,
    theory: Theory,
    events: &[EdgeEvent],
) -> Result<PathFormula, NotEncoded> {
    let main = program.find_function("main").expect("main");
    let mut terms = Terms::new();
    let memory = Partitioned::new(program, aliases, MemoryOptions::default(), &Budget::unlimited())
        .expect("a partition");
    let mut encoder = Encoder::with_memory(program, theory, Box::new(memory));
    let initial = encoder.initial(&mut terms, &Ssa::new())?;
    let mut approximated = !initial.approximated.is_empty();
    let mut formulas = vec![(0, initial.formula)];
    let mut path = PathEncoder::new(&mut encoder, main, initial.after);
    let mut inputs = Vec::new();
    for (event, step) in steps(program, events) {
        let func = path.function();
        let block = path.step(&mut terms, step)?;
        approximated |= !block.approximated.is_empty();
        formulas.push((event, block.formula));
        if let PathStep::Edge(edge) = step {
            let body = program.funcs[func].body.as_ref().expect("a body");
            if let Some(name) = input_name(program, &body.edge(edge).op) {
                let sort = sort_of(theory, INT);
                let variable = terms.variable(&name, Scope::Function(func.0), sort);
                inputs.push(terms.symbol(block.after.symbol(variable)));
            }
        }
    }
    let all: Vec<Term> = formulas.iter().map(|f| f.1).collect();
    let uninterpreted = terms.subterms(&all).iter().any(|&t| matches!(terms.op(t), Op::Apply(_)));
    Ok(PathFormula { terms, formulas, inputs, exact: !approximated && !uninterpreted })
}

/// The variable that an operation gives an input.
fn input_name(program: &Program, op: &EdgeOp) -> Option<String> {
    let EdgeOp::Call(call) = op else { return None };
    let Callee::Direct(callee) = call.callee else { return None };
    if program.funcs[callee].name != "__VERIFIER_nondet_int" {
        return None;
    }
    let var = program.exprs.root_var(call.dst?)?;
    Some(program.vars[var].name.clone())
}

/// What came of the comparisons.
#[derive(Debug, Default)]
pub struct Counts {
    pub programs: usize,
    pub followed: usize,
    pub left: usize,
    pub stopped: usize,
    pub models: usize,
    pub heap_or_lifetime: usize,
    pub inexact: usize,
    pub undetermined: usize,
    pub not_encoded: usize,
    pub unknown: usize,
    pub steps: usize,
    pub reasons: std::collections::BTreeMap<String, usize>,
}

/// Compares the path of a program on the first inputs with what runs on all of them do.
pub fn compare(
    text: &str,
    aliases: &dyn Fn(&Program) -> Box<dyn Aliases + '_>,
    theory: Theory,
    inputs: &[Vec<u32>],
    counts: &mut Counts,
) {
    let program = compile(text);
    let aliases = aliases(&program);
    let first = walk(&program, &inputs[0]);
    counts.programs += 1;
    if !first.is_determined() {
        counts.undetermined += 1;
        return;
    }
    let finished = &first.events[..first.finished];
    let mut path = match encode(&program, &*aliases, theory, finished) {
        Ok(path) => path,
        Err(reason) => {
            counts.not_encoded += 1;
            *counts.reasons.entry(reason.to_string()).or_default() += 1;
            return;
        }
    };
    counts.steps += path.formulas.len();
    let mut solver = Z3Solver::all();
    for (_, formula) in path.formulas.clone() {
        solver.assert(&path.terms, formula);
    }
    for values in inputs {
        let run = walk(&program, values);
        if !run.is_determined() {
            continue;
        }
        let given = given(&mut path, theory, values);
        let answer = solver.check(&path.terms, &given, Purpose::CHECK, limits());
        let follows = run.follows(finished);
        if follows {
            counts.followed += 1;
        } else {
            counts.left += 1;
        }
        judge(&answer, follows, &run, &path, counts, &|| {
            format!("{theory:?} {values:?} {:?}\n{text}", run.run.outcome)
        });
    }
    // Inputs that the formula itself proposes.
    if solver.check(&path.terms, &[], Purpose::CHECK, limits()) == Answer::Sat {
        let model = solver.model(&path.terms, &path.inputs);
        let values: Vec<u32> = path.inputs.iter().map(|&t| number(model.get(t))).collect();
        let run = walk(&program, &padded(values.clone()));
        if run.is_determined() {
            counts.models += 1;
            judge(&Answer::Sat, run.follows(finished), &run, &path, counts, &|| {
                format!("{theory:?} model {values:?} {:?}\n{text}", run.run.outcome)
            });
        }
    }
    // Where the run stopped, no formula may go on.
    if first.finished < first.events.len() && matches!(first.run.outcome, Outcome::Undefined(_)) {
        stopped(&program, &*aliases, theory, &first, &inputs[0], counts, text);
    }
}

fn stopped(
    program: &Program,
    aliases: &dyn Aliases,
    theory: Theory,
    first: &Walk,
    values: &[u32],
    counts: &mut Counts,
    text: &str,
) {
    let last = first.events.last().expect("an event");
    let body = program.funcs[last.func].body.as_ref().expect("a body");
    // A call through a pointer to no function has no step.
    if let EdgeOp::Call(call) = &body.edge(last.edge).op
        && matches!(call.callee, Callee::Indirect(_))
    {
        return;
    }
    let Ok(mut path) = encode(program, aliases, theory, &first.events) else { return };
    counts.stopped += 1;
    let mut solver = Z3Solver::all();
    for (_, formula) in path.formulas.clone() {
        solver.assert(&path.terms, formula);
    }
    let given = given(&mut path, theory, values);
    let answer = solver.check(&path.terms, &given, Purpose::CHECK, limits());
    judge(&answer, false, first, &path, counts, &|| {
        format!("{theory:?} beyond the end {values:?} {:?}\n{text}", first.run.outcome)
    });
}

fn judge(
    answer: &Answer,
    follows: bool,
    run: &Walk,
    path: &PathFormula,
    counts: &mut Counts,
    context: &dyn Fn() -> String,
) {
    match (answer, follows) {
        (Answer::Unknown(_), _) => counts.unknown += 1,
        (Answer::Sat, true) | (Answer::Unsat, false) => {}
        (Answer::Unsat, true) => panic!("a run is excluded: {}", context()),
        (Answer::Sat, false) if !path.exact => counts.inexact += 1,
        (Answer::Sat, false) if run.ended_at_lifetime_or_heap() => counts.heap_or_lifetime += 1,
        (Answer::Sat, false) => panic!("there is no such run: {}", context()),
    }
}

fn given(path: &mut PathFormula, theory: Theory, values: &[u32]) -> Vec<Term> {
    let inputs = path.inputs.clone();
    inputs
        .into_iter()
        .zip(values)
        .map(|(input, &value)| {
            let value = constant(&mut path.terms, theory, INT, u128::from(value));
            path.terms.eq(input, value)
        })
        .collect()
}

fn padded(mut values: Vec<u32>) -> Vec<u32> {
    values.resize(values.len().max(generate::INPUTS), 0);
    values
}

fn number(value: Option<&Value>) -> u32 {
    let wrapped = |n: &Integer| {
        let modulus = Integer::from(1u64 << 32);
        let rest = ((n % &modulus) + &modulus) % &modulus;
        u32::try_from(&rest).unwrap_or(0)
    };
    match value {
        Some(Value::Int(n)) => wrapped(n),
        Some(Value::BitVec { bits, .. }) => wrapped(bits),
        _ => 0,
    }
}

fn limits() -> Limits {
    Limits { resources: Some(3_000_000), time: Some(Duration::from_secs(10)) }
}

/// The integer of a value.
pub fn as_integer(value: u32) -> Integer {
    integer_of(INT, u128::from(value))
}
