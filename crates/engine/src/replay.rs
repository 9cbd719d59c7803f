//! From a path to a run: nothing is reported that the interpreter did not do.
//!
//! A path is encoded bit-precisely, step by step; a model gives the value of everything that the
//! path takes from outside; and the interpreter runs the program with those values. Only if that
//! run takes an edge that must not be taken is there a [`Counterexample`].

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use gnomon_budget::Budget;
use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, Exprs, PlaceId, PlaceKind};
use gnomon_ir::interp::{
    Arguments, Asked, CallEffect, Discarded, EdgeEvent, InputSource, Needs, Observer, Outcome, Run,
    RunOptions, State, interpret_observed,
};
use gnomon_ir::library::{Library, can_return, classify, keeps_no_pointer, plain_name, scans};
use gnomon_ir::ops::{self, Scalar};
use gnomon_ir::program::{FuncId, Function, Program, Storage, VarId, source_name};
use gnomon_ir::property::CheckKind;
use gnomon_ir::trace::{ArgumentValue, Input, InputTrace, Write};
use gnomon_ir::types::{Target, Type, TypeId, Types};
use gnomon_logic::encode::{Encoder, Execution, Move, NotEncoded};
use gnomon_logic::number::modulo_power_of_two;
use gnomon_logic::value::Value;
use gnomon_logic::{Answer, Limits, Purpose, Solver, Term, Terms, UnknownReason};
use rustc_hash::FxHashSet;

use crate::outside_object::{MOST_SCALARS, OutsideObject};
use crate::property::{ErrorSites, Site};
use crate::scanned::scans_one_number;

/// A run that reaches an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The edge that must not be taken.
    pub site: Site,
    /// What happens there, for people.
    pub message: String,
    /// The kind of error, where no edge is forbidden and the run shows it by itself.
    pub fault: Option<CheckKind>,
    /// What the run takes from outside; with it the run can be repeated.
    pub inputs: InputTrace,
    /// The edges that the run took, in order, the last one being the error; only the last ones if
    /// there were too many.
    pub edges: Vec<TakenEdge>,
    /// How many edges it took in all.
    pub length: u64,
}

impl Counterexample {
    /// The edges that the run passed, or may have passed: those of the whole program where not all are
    /// kept.
    pub fn passed(&self, program: &Program) -> Vec<(FuncId, EdgeId)> {
        if self.length <= self.edges.len() as u64 {
            return self.edges.iter().map(|taken| (taken.func, taken.edge)).collect();
        }
        let bodies = program.funcs.iter_ids().filter_map(|(id, f)| Some((id, f.body.as_ref()?)));
        bodies.flat_map(|(id, body)| body.edges().ids().map(move |edge| (id, edge))).collect()
    }
}

/// An edge that a run took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakenEdge {
    /// The function.
    pub func: FuncId,
    /// The edge.
    pub edge: EdgeId,
    /// The number of open calls, 1 in the entry function.
    pub depth: u32,
}

/// Why a path gave no counterexample.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotConfirmed {
    /// Bit-precisely, the path cannot be executed.
    #[error("the path is infeasible bit by bit")]
    Infeasible,
    /// The solver does not know.
    #[error("the solver could not decide the path bit by bit: {0}")]
    Undecided(UnknownReason),
    /// The path cannot be encoded.
    #[error(transparent)]
    NotEncoded(#[from] NotEncoded),
    /// The interpreter did something else.
    #[error("the interpreter does not follow the path: {0}")]
    Mismatch(String),
}

/// Of so many facts most are initial values that the path does not read, which solvers still look at.
const MANY_FACTS: usize = 1_000;

/// Longest list of edges that is kept of a run.
const KEPT_EDGES: usize = 200_000;

/// Of longer paths, what memory holds that nobody wrote is not asked for.
const SHORT_PATH: usize = 2_000;

/// How many looks at the budget a run may make beside those of the path that it is to follow.
const OFF_THE_PATH: u64 = 20_000;

/// What the path takes from outside, by position on the path.
#[derive(Clone, Debug, Default)]
struct Answers {
    /// The edges of the path in order.
    edges: Vec<(FuncId, EdgeId)>,
    /// What is asked for while the edge of that position is taken.
    asked: Vec<VecDeque<Term>>,
    /// What that edge reads of memory, which is asked for where nobody wrote it.
    loaded: Vec<VecDeque<Term>>,
    /// What the function without a body does that the edge of that position calls.
    calls: Vec<Option<OutsideCall>>,
    /// Arguments of the entry function.
    arguments: Vec<(String, Term)>,
    /// What those of pointer type lead to.
    objects: Vec<(String, OutsideObject)>,
}

/// What a function without a body does.
#[derive(Clone, Debug, Default)]
struct OutsideCall {
    result: Option<Term>,
    /// A scalar behind an argument, and its size in bytes.
    writes: Vec<(u32, Term, u64)>,
}

impl OutsideCall {
    fn terms(&self) -> impl Iterator<Item = Term> {
        self.result.into_iter().chain(self.writes.iter().map(|(_, term, _)| *term))
    }

    fn effect(&self, bits: impl Fn(&Term) -> Option<u128>) -> CallEffect {
        let result = self.result.map(|term| bits(&term).unwrap_or(0));
        let write = |&(argument, ref term, size): &(u32, Term, u64)| {
            let bytes = bits(term).unwrap_or(0).to_le_bytes();
            Write { argument, offset: 0, bytes: bytes[..size.min(16) as usize].to_vec() }
        };
        CallEffect { result, writes: self.writes.iter().map(write).collect() }
    }
}

/// Whose path is executed.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// What must not be reached.
    pub sites: &'a ErrorSites,
    /// Where it starts.
    pub entry: FuncId,
}

/// Tries to execute a path that leads to an error.
pub fn confirm(
    &Subject { program, sites, entry }: &Subject<'_>,
    path: &[Move],
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
    solver: &mut dyn Solver,
    limits: Limits,
    budget: &Budget,
) -> Result<Counterexample, NotConfirmed> {
    let (execution, answers) = encode(program, entry, path, encoder, terms)?;
    let asked_here = answers.asked.iter().chain(&answers.loaded);
    let mut asked: Vec<Term> = asked_here.flatten().copied().collect();
    asked.extend(answers.arguments.iter().map(|(_, term)| *term));
    for (_, object) in &answers.objects {
        object.terms(&mut asked);
    }
    asked.extend(answers.calls.iter().flatten().flat_map(OutsideCall::terms));
    let mut facts: Vec<Term> = execution.facts().to_vec();
    if facts.len() > MANY_FACTS {
        let wanted = asked.iter().flat_map(|&term| terms.free_symbols(term).to_vec()).collect();
        facts = terms.without_unused(&facts, &wanted);
    }
    solver.push();
    for fact in facts {
        solver.assert(terms, fact);
    }
    let answer = solver.check(terms, &[], Purpose::FEASIBILITY, limits);
    let model = answer.is_sat().then(|| solver.model(terms, &asked));
    solver.pop();
    let model = match (answer, model) {
        (Answer::Sat, Some(model)) => model,
        (Answer::Unknown(reason), _) => return Err(NotConfirmed::Undecided(reason)),
        _ => return Err(NotConfirmed::Infeasible),
    };
    let bits = |term: &Term| {
        let from_model = model.get(*term).and_then(bits_of);
        from_model.or_else(|| terms.value(*term).and_then(|v| bits_of(&Value::Int(v.clone()))))
    };
    let position = Rc::new(Cell::new(0));
    let values = |queues: &[VecDeque<Term>]| -> Vec<VecDeque<u128>> {
        queues.iter().map(|queue| queue.iter().map(|t| bits(t).unwrap_or(0)).collect()).collect()
    };
    let mut guide = Guide {
        position: position.clone(),
        edges: answers.edges.clone(),
        answers: values(&answers.asked),
        loaded: values(&answers.loaded),
        calls: answers.calls.iter().map(|c| c.as_ref().map(|c| c.effect(bits))).collect(),
        standard: standard_functions(program),
        target: program.types.target(),
        arguments: answers
            .arguments
            .iter()
            .map(|(name, term)| (name.clone(), bits(term).unwrap_or(0)))
            .collect(),
        objects: answers
            .objects
            .iter()
            .map(|(name, object)| (name.clone(), object.value(&bits)))
            .collect(),
    };
    budget.report("replay", format_args!("inputs {:?} {:?}", guide.arguments, guide.answers));
    let mut follower = Follower::new(sites, position, answers.edges);
    // A run that leaves the path may go on for ever, with inputs that nobody chose.
    let limited = budget.with_steps(OFF_THE_PATH + 4 * path.len() as u64);
    let run = observe(program, entry, &mut guide, &mut follower, &limited);
    let outcome = describe(&run.outcome);
    follower.counterexample(program, run).ok_or(NotConfirmed::Mismatch(outcome))
}

/// Runs the program with an observer.
pub(crate) fn observe(
    program: &Program,
    entry: FuncId,
    inputs: &mut dyn InputSource,
    follower: &mut Follower<'_>,
    budget: &Budget,
) -> Run {
    let options = run_options(program, entry, follower.sites);
    interpret_observed(program, &options, inputs, &mut Discarded, budget, follower)
}

/// How programs are run here: from an entry function, until a forbidden function is called.
pub(crate) fn run_options(program: &Program, entry: FuncId, sites: &ErrorSites) -> RunOptions {
    let mut error_functions = RunOptions::default().error_functions;
    // A function of such a name that is no error here does what its body says.
    error_functions.retain(|name| {
        let mut named = program.funcs.iter_ids().filter(|(_, f)| source_name(&f.name) == name);
        named.all(|(id, f)| f.body.is_none() || sites.forbids(id))
    });
    error_functions.extend(sites.functions().map(|f| source_name(&program.funcs[f].name).into()));
    RunOptions {
        entry: program.funcs[entry].name.clone(),
        arguments: Arguments::FromInput,
        error_functions,
        ..RunOptions::default()
    }
}

fn describe(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exit(status) => format!("the program ended with status {status}"),
        Outcome::Error { function, .. } => format!("{function} was called elsewhere"),
        Outcome::Abort { .. } => "the program aborted".into(),
        Outcome::AssumptionFailed { .. } => "an assumption does not hold".into(),
        Outcome::Undefined(undefined) => {
            format!("undefined behaviour: {}", undefined.kind.message())
        }
        Outcome::OutOfBudget(reason) => format!("the run was given up: {reason}"),
        Outcome::InputsExhausted { asked, .. } => format!("it asked for {asked}"),
        Outcome::Unsupported { what, .. } => format!("it does not have {what}"),
    }
}

/// The formula of the path, and what it takes from outside.
fn encode(
    program: &Program,
    entry: FuncId,
    path: &[Move],
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
) -> Result<(Execution, Answers), NotEncoded> {
    let mut execution = encoder.advance(terms, Execution::default(), Move::Start)?;
    let mut answers = Answers::default();
    for &param in &program.funcs[entry].params {
        let value = encoder.read_variable(terms, &execution, param);
        let name = source_name(&program.vars[param].name).to_owned();
        if let (Some(address), Some(to)) = (value, program.types.pointee(program.vars[param].ty)) {
            let mut left = MOST_SCALARS;
            let mut reader = |terms: &mut Terms, address, ty| {
                encoder.read_outside(terms, &execution, address, ty).ok()
            };
            let object = OutsideObject::read(program, terms, &mut reader, address, to, &mut left);
            answers.objects.push((name.clone(), object));
        }
        answers.arguments.extend(value.map(|value| (name, value)));
    }
    let mut unwritten: FxHashSet<VarId> = FxHashSet::default();
    let mut frames = Vec::new();
    for &step in path {
        let (func, edge) = match step {
            Move::Edge(func, edge) | Move::Enter { caller: func, edge, .. } => (func, edge),
            Move::Leave { .. } => {
                let Some(frame) = frames.pop() else {
                    return Err(NotEncoded::Call("a return without a call".into()));
                };
                execution = encoder.leave(terms, execution, &frame)?;
                continue;
            }
            Move::Start => {
                execution = encoder.advance(terms, execution, step)?;
                continue;
            }
        };
        let Some(body) = &program.funcs[func].body else { continue };
        let op = &body.edge(edge).op;
        let mut asked = VecDeque::new();
        let mut loaded = VecDeque::new();
        for place in scalar_reads(&program.exprs, op) {
            match program.exprs.place(place).kind {
                PlaceKind::Var(var) => {
                    if unwritten.remove(&var) {
                        asked.extend(encoder.read_variable(terms, &execution, var));
                    }
                }
                _ if path.len() > SHORT_PATH => {}
                _ => loaded.extend(encoder.read(terms, &execution, place).ok()),
            }
        }
        note_writes(&program.exprs, op, &mut unwritten);
        execution = match step {
            Move::Enter { callee, .. } => {
                let (entered, frame) = encoder.enter(terms, execution, (func, edge), callee)?;
                frames.push(frame);
                entered
            }
            _ => encoder.advance(terms, execution, step)?,
        };
        if let Some(place) = taken_from_outside(program, op) {
            asked.extend(encoder.read(terms, &execution, place).ok());
        }
        answers.edges.push((func, edge));
        answers.asked.push(asked);
        answers.loaded.push(loaded);
        answers.calls.push(outside_call(program, op, encoder, terms, &execution));
    }
    Ok((execution, answers))
}

/// The place that an operation fills with a value from outside.
fn taken_from_outside(program: &Program, op: &Op) -> Option<PlaceId> {
    match op {
        Op::Havoc(place) => Some(*place),
        Op::Call(Call { dst, callee: Callee::Direct(func), .. }) => {
            let name = source_name(&program.funcs[*func].name);
            match classify(name, program.types.target()) {
                Library::Nondet(_) | Library::Environment => *dst,
                _ => None,
            }
        }
        _ => None,
    }
}

/// Functions without a body that compilers or system headers declare: they do something certain,
/// so that no run may make up what they do.
fn standard_functions(program: &Program) -> BTreeSet<String> {
    let is_standard = |function: &Function| {
        let name = source_name(&function.name);
        let header =
            !function.span.is_none() && program.files.name(function.span.file).starts_with("/usr/");
        function.body.is_none() && (name.starts_with("__") || header)
    };
    let standard = program.funcs.iter().filter(|function| is_standard(function));
    standard.map(|function| source_name(&function.name).to_owned()).collect()
}

/// What a call of a function does that nothing is known of, if the operation is one: its result,
/// and what it leaves behind arguments that are addresses of scalars. What else it writes is not
/// repeated by the run.
fn outside_call(
    program: &Program,
    op: &Op,
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
    after: &Execution,
) -> Option<OutsideCall> {
    let Op::Call(Call { dst, callee: Callee::Direct(func), args }) = op else { return None };
    let function = &program.funcs[*func];
    let library = classify(source_name(&function.name), program.types.target());
    if function.body.is_some() || library != Library::Unknown {
        return None;
    }
    let name = source_name(&function.name);
    let mut found = OutsideCall {
        result: dst.and_then(|place| encoder.read(terms, after, place).ok()),
        writes: Vec::new(),
    };
    if keeps_no_pointer(plain_name(name)) && !scans_one_number(program, name, args) {
        return Some(found);
    }
    for (argument, &arg) in args.iter().enumerate() {
        let ExprKind::AddrOf(place) = program.exprs.expr(unconverted(program, arg)).kind else {
            continue;
        };
        let ty = program.place_ty(place);
        let is_constant = program.exprs.root_var(place).is_some_and(|var| {
            matches!(program.vars[var].storage, Storage::Static { read_only: true, .. })
        });
        if program.types.is_scalar(ty)
            && !is_constant
            && let Ok(value) = encoder.read(terms, after, place)
        {
            found.writes.push((argument as u32, value, program.types.size(ty)));
        }
    }
    Some(found)
}

/// A pointer before it was converted to another pointer.
fn unconverted(program: &Program, mut e: ExprId) -> ExprId {
    while let ExprKind::Cast(inner) = program.exprs.expr(e).kind
        && program.types.is_pointer(program.expr_ty(inner))
    {
        e = inner;
    }
    e
}

/// The places that an operation reads, in the order of evaluation.
fn scalar_reads(exprs: &Exprs, op: &Op) -> Vec<PlaceId> {
    let mut reads = Vec::new();
    match op {
        Op::Assume(e) | Op::Return(Some(e)) => expr_reads(exprs, *e, &mut reads),
        Op::Assign { dst, src } => {
            expr_reads(exprs, *src, &mut reads);
            place_reads(exprs, *dst, &mut reads);
        }
        Op::Call(call) => {
            for &arg in &call.args {
                expr_reads(exprs, arg, &mut reads);
            }
        }
        _ => {}
    }
    reads
}

fn expr_reads(exprs: &Exprs, e: ExprId, reads: &mut Vec<PlaceId>) {
    match exprs.expr(e).kind {
        ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
        ExprKind::Load(place) => {
            place_reads(exprs, place, reads);
            reads.push(place);
        }
        ExprKind::AddrOf(place) => place_reads(exprs, place, reads),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => expr_reads(exprs, a, reads),
        ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
            expr_reads(exprs, a, reads);
            expr_reads(exprs, b, reads);
        }
    }
}

fn place_reads(exprs: &Exprs, place: PlaceId, reads: &mut Vec<PlaceId>) {
    match exprs.place(place).kind {
        PlaceKind::Var(_) => {}
        PlaceKind::Deref(e) => expr_reads(exprs, e, reads),
        PlaceKind::Field(base, _) => place_reads(exprs, base, reads),
        PlaceKind::Index(base, e) => {
            place_reads(exprs, base, reads);
            expr_reads(exprs, e, reads);
        }
    }
}

/// Keeps the set of variables that were declared and not written since.
fn note_writes(exprs: &Exprs, op: &Op, unwritten: &mut FxHashSet<VarId>) {
    let written = match op {
        Op::Declare(var) => {
            unwritten.insert(*var);
            return;
        }
        Op::Assign { dst, .. } | Op::Havoc(dst) | Op::Alloca { dst, .. } => Some(*dst),
        Op::Call(call) => call.dst,
        _ => None,
    };
    if let Some(place) = written
        && let PlaceKind::Var(var) = exprs.place(place).kind
    {
        unwritten.remove(&var);
    }
}

/// The bits of a scalar in memory.
fn bits_of(value: &Value) -> Option<u128> {
    let integer = match value {
        Value::Bool(value) => return Some(u128::from(*value)),
        Value::Int(value) => value,
        Value::BitVec { bits, .. } => bits,
        // The format with an explicit leading bit is not the one of the logic.
        Value::Float { sort, bits } if sort.width() <= 64 => bits,
        _ => return None,
    };
    u128::try_from(modulo_power_of_two(integer, 128)).ok()
}

/// Answers what the path says at the position that the run has reached.
struct Guide {
    position: Rc<Cell<usize>>,
    edges: Vec<(FuncId, EdgeId)>,
    answers: Vec<VecDeque<u128>>,
    loaded: Vec<VecDeque<u128>>,
    calls: Vec<Option<CallEffect>>,
    /// Functions that have a meaning which is not known here.
    standard: BTreeSet<String>,
    target: Target,
    arguments: Vec<(String, u128)>,
    objects: Vec<(String, ArgumentValue)>,
}

impl InputSource for Guide {
    fn nondet(&mut self, asked: &Asked<'_>) -> Option<u128> {
        // What a branch reads is asked before it is known which of its edges is taken.
        let next = self.position.get();
        let here = next.checked_sub(1).into_iter().chain([next]);
        for at in here {
            if let Some(answer) = self.answers.get_mut(at).and_then(VecDeque::pop_front) {
                return Some(answer);
            }
        }
        // Else it is memory that nobody wrote.
        let is_here = |at: &usize| self.edges.get(*at).copied() == asked.at;
        let at = next.checked_sub(1).filter(is_here).unwrap_or(next);
        let loaded = self.loaded.get_mut(at).and_then(VecDeque::pop_front);
        Some(loaded.unwrap_or(0))
    }

    fn choice(&mut self, _open: u32) -> Option<u32> {
        Some(0)
    }

    fn call(&mut self, function: &str, result: Option<Scalar>) -> Option<CallEffect> {
        if classify(function, self.target) != Library::Unknown {
            return None;
        }
        if self.standard.contains(function) && !keeps_no_pointer(plain_name(function)) {
            return None;
        }
        let here = self.position.get().checked_sub(1);
        let planned = here.and_then(|at| self.calls.get_mut(at)?.take());
        // Off the path it does the least that it may do.
        let mut effect = planned.unwrap_or_default();
        let planned_result = effect.result.is_some();
        let plain = plain_name(function);
        if !planned_result {
            let fails = keeps_no_pointer(plain) && !can_return(plain, 0);
            effect.result = result.map(|scalar| match fails {
                true => ops::truncate(u128::MAX, scalar.width()),
                false => u128::from(scans(plain) && !effect.writes.is_empty()),
            });
        }
        if keeps_no_pointer(plain) {
            // Of functions of the standard more is known than what paths take them for.
            let value = result
                .zip(effect.result)
                .map(|(scalar, bits)| ops::extend(scalar, ops::truncate(bits, scalar.width())));
            if value.is_some_and(|value| !can_return(plain, value)) {
                return None;
            }
            // A call that fails stores nothing.
            if !scans(plain) || value.is_some_and(|value| value != 1) && planned_result {
                effect.writes.clear();
            }
        }
        Some(effect)
    }

    fn environment(&mut self, function: &str, result: Scalar) -> Option<u128> {
        let here = self.position.get().checked_sub(1)?;
        let planned = match self.calls.get(here) {
            Some(Some(effect)) => effect.result?,
            // What the edge reads and nobody wrote comes before.
            _ => *self.answers.get(here)?.back()?,
        };
        let value = ops::extend(result, ops::truncate(planned, result.width()));
        can_return(plain_name(function), value).then_some(planned)
    }

    fn argument(&mut self, name: &str, types: &Types, ty: TypeId) -> Option<ArgumentValue> {
        let known = self.arguments.iter().find(|(n, _)| n == name).map(|(_, bits)| *bits);
        Some(match types.get(ty) {
            Type::Pointer(_) => {
                let object = self.objects.iter().find(|(n, _)| n == name);
                object.map_or(ArgumentValue::Null, |(_, object)| object.clone())
            }
            _ => ArgumentValue::Bits(known.unwrap_or(0)),
        })
    }
}

/// Whether a run depends on pointers that nobody gave it: what a function without a body does and
/// what the entry is called with are chosen without regard to what they lead to.
fn is_made_up(program: &Program, trace: &InputTrace) -> bool {
    // A function that is not declared returns `int`, whatever it is taken for.
    let from_number = converts_numbers(program);
    let gives_pointers = |name: &str| {
        let mut named = program.funcs.iter().filter(|f| source_name(&f.name) == name);
        named.any(|function| {
            let signature = program.types.signature(function.ty);
            signature.is_none_or(|signature| {
                let result = signature.result;
                program.types.is_pointer(result) || from_number && program.types.is_integer(result)
            })
        })
    };
    trace.inputs.iter().any(|input| match input {
        Input::Call { function, writes, .. } => !writes.is_empty() || gives_pointers(function),
        Input::Argument { value, .. } => !matches!(value, ArgumentValue::Bits(_)),
        _ => false,
    })
}

/// Whether a number that is not known before becomes a pointer.
fn converts_numbers(program: &Program) -> bool {
    let mut exprs = (0..program.exprs.expr_count()).map(|number| ExprId(number as u32));
    exprs.any(|e| match program.exprs.expr(e).kind {
        ExprKind::Cast(inner) => {
            program.types.is_pointer(program.expr_ty(e))
                && program.types.is_integer(program.expr_ty(inner))
                && program.as_int(inner).is_none()
        }
        _ => false,
    })
}

/// Watches a run: how far it follows a path, and whether it takes a forbidden edge.
pub(crate) struct Follower<'a> {
    sites: &'a ErrorSites,
    position: Rc<Cell<usize>>,
    path: Vec<(FuncId, EdgeId)>,
    /// The forbidden edge that was taken.
    error: Option<Site>,
    taken: VecDeque<TakenEdge>,
    length: u64,
}

impl<'a> Follower<'a> {
    pub(crate) fn new(
        sites: &'a ErrorSites,
        position: Rc<Cell<usize>>,
        path: Vec<(FuncId, EdgeId)>,
    ) -> Self {
        Self { sites, position, path, error: None, taken: VecDeque::new(), length: 0 }
    }

    /// The run as a counterexample, if it took a forbidden edge or ended with a fault.
    pub(crate) fn counterexample(self, program: &Program, run: Run) -> Option<Counterexample> {
        let last = self.taken.back().map(|taken| Site { func: taken.func, edge: taken.edge });
        let (edges, length) = (self.taken.into(), self.length);
        let (site, message, fault) = match self.error {
            Some(site) => (site, self.sites.describe(site).to_owned(), None),
            None => {
                let fault = self.sites.faults().of(&run)?;
                if is_made_up(program, &run.trace) {
                    return None;
                }
                (fault.site.or(last)?, fault.message.to_owned(), Some(fault.kind))
            }
        };
        Some(Counterexample { site, message, fault, inputs: run.trace, edges, length })
    }
}

impl Observer for Follower<'_> {
    fn needs(&self) -> Needs {
        Needs::Edges
    }

    /// Who follows a path wants to see all of it.
    fn may_skip(&self) -> bool {
        self.path.is_empty()
    }

    fn skipped(&mut self, edges: u64) {
        self.length = self.length.saturating_add(edges);
    }

    fn edge(&mut self, event: EdgeEvent, _state: &State<'_>) {
        if self.error.is_some() {
            return;
        }
        let EdgeEvent { func, edge, depth } = event;
        let at = self.position.get();
        if self.path.get(at) == Some(&(func, edge)) {
            self.position.set(at + 1);
        }
        self.length += 1;
        if self.taken.len() == KEPT_EDGES {
            self.taken.pop_front();
        }
        self.taken.push_back(TakenEdge { func, edge, depth: depth as u32 });
        if self.sites.contains(func, edge) {
            self.error = Some(Site { func, edge });
        }
    }
}
