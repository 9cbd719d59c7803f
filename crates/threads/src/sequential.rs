//! The reduction: a program with threads as one without.
//!
//! LAL 7.1 runs every thread for all of its contexts at once and guesses, for each context, what
//! the shared memory is at its beginning; a checker at the end compares the guesses. Guessing a
//! heap defeats predicates. Here nothing is guessed: this is the limit of guessing lazily (LAL 7.6
//! and the lazy sequentialisations of Lazy-CSeq, Inverso et al., CAV 2014). Every thread is a
//! function that can stop before an access to shared data and go on from there when it is called
//! again; a driver calls them in rounds. Shared memory is the memory of the program, so pointers and
//! heap need nothing special, and an execution of the sequential program *is* an execution of the
//! threads: no assumption of a checker is left that could fail at the end. What is paid is that the
//! variables of threads that must survive a switch are static, and that the functions of threads are
//! called once for each round.
//!
//! A round is canonical: a thread that runs first in a round could not have run in the round before
//! (it has a smaller number than the last one that did), and every context makes a step. So every
//! schedule has one form, the number of rounds is bounded if the number of steps is, and "no thread
//! can begin round K + 1" is a question that can have the answer no.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gnomon_budget::Budget;
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, CfaBuilder, Edge, EdgeId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId};
use gnomon_ir::program::{
    FuncId, Function, Initializer, Note, Program, Storage, Var, VarId, source_name,
};
use gnomon_ir::span::Span;
use gnomon_ir::types::{Signature, Type, TypeId, Types};

use crate::counters::counters;
use crate::driver::{self, Driver};
use crate::finish::{Unfinished, finish};
use crate::graph::{AT_START, Mark};
use crate::instance::{Facts, Ghosts, Instance};
use crate::intrinsics::reports;
use crate::loops::Cycles;
use crate::operands::{Access, for_each_place};
use crate::races::RaceGhosts;
use crate::refused::Refused;
use crate::sharing::{Concerns, Sharing};
use crate::sites::{Thread, ThreadGhosts, ThreadId, Threads};
use crate::{frozen, local, orders, primitives, promises, reachable, stand_ins, torn, updates};

/// How long threads take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// So many rounds, in which each thread has one context at most.
    Bounded(usize),
    /// In any order, as long as they can.
    Unbounded,
}

/// What the sequential program is to be like.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function that runs first.
    pub entry: String,
    /// How long threads take turns.
    pub rounds: Rounds,
    /// Whether one more context than the rounds allow is tried, to report that it is possible.
    /// What goes wrong in it is reported too.
    pub tries_more: bool,
    /// How many threads a call makes that stands in a loop.
    pub threads_per_call: usize,
    /// How many calls of one function that shares data may be open at once.
    pub calls_deep: usize,
    /// How many threads there may be in all.
    pub max_threads: usize,
    /// Functions whose calls are errors: they are called whatever they do.
    pub errors: Vec<String>,
    /// What about threads is reported.
    pub reported: Reported,
    /// Whether threads are taken apart by kinds: a call that is executed more than once makes threads of one kind, as
    /// many as it likes, and all functions become part of the threads that call them. What comes of it is for
    /// [`crate::views`] and is no program that can be executed.
    pub kinds: bool,
}

/// What about threads is reported, beside the bounds of the reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    /// No thread can move, and not all have ended.
    pub deadlock: bool,
    /// A primitive is used in a way that its specification forbids.
    pub misuse: bool,
    /// Two accesses conflict, and nothing orders them.
    pub race: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            entry: "main".to_owned(),
            rounds: Rounds::Bounded(2),
            tries_more: false,
            threads_per_call: 2,
            calls_deep: 4,
            max_threads: 33,
            errors: gnomon_ir::library::ERROR_FUNCTIONS.map(str::to_owned).to_vec(),
            reported: Reported::default(),
            kinds: false,
        }
    }
}

/// A thread of the sequential program.
#[derive(Clone, Debug)]
pub struct ThreadInfo {
    /// The function that runs it.
    pub func: FuncId,
    /// The functions that it may start with.
    pub starts: Vec<FuncId>,
    /// Where it is made.
    pub span: Span,
    /// The places where it can stop, as values of its counter, with what it is about to do there.
    pub points: Vec<(u32, Span)>,
    /// Where it goes on.
    pub counter: VarId,
    /// Its variable that says whether it stops where it can.
    pub stops: VarId,
    /// By the value of the counter, its static variables whose values are not needed then.
    pub dead: BTreeMap<i128, Vec<VarId>>,
    /// Its own variables.
    pub own: Vec<VarId>,
    /// Whether there can be several threads of this kind, if threads are taken apart by kinds.
    pub many: bool,
    /// What it is given by who makes it.
    pub given: Vec<VarId>,
    /// Its number, if there can be several of its kind.
    pub number: Option<VarId>,
    /// Variables of the thread that others use or that are not followed by views.
    pub apart: Vec<VarId>,
    /// The values of the counter where the next step is nobody else's business.
    pub alone: BTreeSet<i128>,
    /// The edges of the original program that the edges of its function are.
    pub origins: Vec<Option<(FuncId, EdgeId)>>,
    /// What the edges of its function mean for the schedule.
    pub marks: Vec<Mark>,
}

/// The sequential program.
#[derive(Clone, Debug)]
pub struct Sequential {
    /// The program.
    pub program: Program,
    /// Where it starts.
    pub entry: String,
    /// The threads, the one that runs first before the others.
    pub threads: Vec<ThreadInfo>,
    /// The variable for the thread that is woken.
    pub(crate) chosen: VarId,
    /// Set when the program is over.
    pub(crate) over: VarId,
    /// Whether the program reads its arguments.
    pub(crate) takes_arguments: bool,
    /// A function that reports a deadlock if there is one, if such are looked for.
    pub(crate) probe: Option<FuncId>,
}

impl Sequential {
    /// Where edges of the original program are now: in the functions of threads, and in functions
    /// that stayed what they were.
    pub fn edges_of(&self, func: FuncId, edge: EdgeId) -> Vec<(FuncId, EdgeId)> {
        let mut found = Vec::new();
        for thread in &self.threads {
            let own = thread.origins.iter().enumerate();
            let own = own.filter(|(_, origin)| **origin == Some((func, edge)));
            found.extend(own.map(|(number, _)| (thread.func, EdgeId::from_index(number))));
        }
        let own = self.program.funcs[func].body.as_ref();
        if own.is_some_and(|body| edge.index() < body.edges().len()) {
            found.push((func, edge));
        }
        found
    }
}

/// The variable with the number of the thread that is about to access something.
pub const RACE_BY: &str = ".race.by";
/// The variable that says whether it writes.
pub const RACE_WRITES: &str = ".race.writes";

/// Functions that are called when something about threads is met, and shared ghosts.
pub struct Reports {
    /// See [`reports::MORE_CONTEXTS`].
    pub more_contexts: FuncId,
    /// See [`reports::TOO_MANY_THREADS`].
    pub too_many_threads: FuncId,
    /// See [`reports::DEADLOCK`].
    pub deadlock: FuncId,
    /// A number that is chosen.
    pub chosen: VarId,
    /// Set while threads only say whether they can move.
    pub probing: VarId,
    /// Set by a thread that can.
    pub moves: VarId,
    /// Whether deadlocks are looked for.
    pub probes: bool,
    /// Whether one more context is tried.
    pub tries_more: bool,
    /// Whether data races are looked for.
    pub races: bool,
    /// Whether a thread's first step does something that others can see.
    pub begins_with_a_step: bool,
}

impl Reports {
    /// A call of one of them.
    pub fn call(&self, func: FuncId) -> Op {
        Op::Call(Call { dst: None, callee: Callee::Direct(func), args: Box::new([]) })
    }
}

/// Makes a program with threads a sequential one.
pub fn sequentialize(
    program: &Program,
    options: &Options,
    budget: &Budget,
) -> Result<Sequential, Refused> {
    if let Some((name, span)) = primitives::unknown(program) {
        return Err(Refused::not_modelled(&name, span));
    }
    if let Some(note) = program.notes.iter().find(|note| note.kind == "atomic-access")
        && options.reported.race
    {
        return Err(Refused::atomic_access(note.span));
    }
    let weaker = orders::weaker(program);
    let mut program = program.clone();
    let entry = program
        .find_function(&options.entry)
        .filter(|f| program.funcs[*f].body.is_some())
        .ok_or_else(|| Refused::no_entry(&options.entry))?;
    promises::leave_out(&mut program, entry);
    stand_ins::add(&mut program);
    torn::tear(&mut program, entry, options.reported.race, budget)
        .map_err(|_| Refused::out_of_budget())?;
    let facts = facts(&program, entry, options, budget)?;
    updates::are_known(&program, &facts)?;
    torn::note_whole(&mut program, entry, &facts.sharing);
    if options.reported.race {
        torn::note_atomics(&mut program, entry, &facts.sharing);
    }
    let reports = Reports {
        more_contexts: report(&mut program, reports::MORE_CONTEXTS),
        too_many_threads: report(&mut program, reports::TOO_MANY_THREADS),
        deadlock: report(&mut program, reports::DEADLOCK),
        chosen: ghost(&mut program, ".chosen", Types::I32, 0),
        probing: ghost(&mut program, ".probing", Types::I32, 0),
        moves: ghost(&mut program, ".moves", Types::I32, 0),
        probes: options.reported.deadlock,
        tries_more: options.tries_more,
        races: options.reported.race,
        begins_with_a_step: !options.reported.race && options.rounds != Rounds::Unbounded,
    };
    let over = ghost(&mut program, ".over", Types::I32, 0);
    let race = options.reported.race.then(|| RaceGhosts {
        by: ghost(&mut program, RACE_BY, Types::I32, 0),
        address: ghost(&mut program, ".race.address", Types::U64, 0),
        size: ghost(&mut program, ".race.size", Types::U64, 0),
        writes: ghost(&mut program, RACE_WRITES, Types::I32, 0),
    });
    let common = Ghosts { over, probing: reports.probing, moves: reports.moves, race };
    let mut threads = Threads::default();
    let span = program.funcs[entry].span;
    let main = new_thread(&mut program, &mut threads, vec![entry], None, span);
    let counter = threads.threads[main].ghosts.counter;
    let begins = program.int(program.vars[counter].ty, AT_START);
    initialize(&mut program, counter, begins);
    let mut graphs = Vec::new();
    let (mut arguments, mut thread_locals) = (Vec::new(), Vec::new());
    while graphs.len() < threads.threads.len() {
        let id = ThreadId::from_index(graphs.len());
        let start = threads.threads[id].starts.first().map_or("", |&f| &program.funcs[f].name);
        let name = format!("{start}.thread{}", id.0);
        let func = declare(&mut program, &name);
        let mut instance =
            Instance::new(&mut program, &facts, &mut threads, options, budget, id, func, common);
        instance.run()?;
        if let Some(refused) = instance.refused.take() {
            return Err(refused);
        }
        if id.0 == 0 {
            arguments = instance.entry_arguments(entry);
        }
        let Instance { graph, locals, stops, own, .. } = instance;
        thread_locals.push(own);
        graphs.push(Unfinished { func, graph, locals, stops });
    }
    let (mut infos, mut own_vars) = (Vec::new(), Vec::new());
    for (number, unfinished) in graphs.into_iter().enumerate() {
        let Unfinished { func, stops, .. } = unfinished;
        let id = ThreadId::from_index(number);
        let finished = finish(&mut program, &threads, &reports, id, unfinished);
        let thread = &threads.threads[id];
        infos.push(ThreadInfo {
            func,
            starts: thread.starts.clone(),
            span: thread.span,
            points: finished.points,
            counter: thread.ghosts.counter,
            stops,
            dead: BTreeMap::new(),
            own: finished.locals.clone(),
            many: thread.many,
            given: vec![thread.ghosts.argument, thread.ghosts.start, thread.ghosts.number],
            number: thread.many.then_some(thread.ghosts.number),
            apart: apart(&thread.ghosts, &thread_locals[number]),
            alone: BTreeSet::new(),
            origins: finished.origins,
            marks: finished.marks,
        });
        own_vars.push(finished.locals);
    }
    let driver = Driver { threads: &infos, reports: &reports, over, arguments: &arguments };
    let driving = driver::add(&mut program, &driver, entry, options.rounds);
    let probe = reports.probes.then(|| driver::add_probe(&mut program, &driver));
    let takes_arguments = arguments.iter().flatten().any(|&var| is_argument(&program, var));
    let kept: Vec<FuncId> = [driving].into_iter().chain(probe).collect();
    reachable::keep(&mut program, &kept);
    frozen::fold(&mut program);
    for (number, locals) in own_vars.into_iter().enumerate() {
        let id = ThreadId::from_index(number);
        infos[number].dead = local::dead(&program, &infos[number], &locals);
        infos[number].alone = local::alone(&program, &threads, id, &infos[number], &locals);
    }
    note(&mut program, weaker);
    let entry = program.funcs[driving].name.clone();
    let chosen = reports.chosen;
    Ok(Sequential { program, entry, threads: infos, chosen, over, takes_arguments, probe })
}

pub(crate) fn facts(
    program: &Program,
    entry: FuncId,
    options: &Options,
    budget: &Budget,
) -> Result<Facts, Refused> {
    let exhausted = |_| Refused::out_of_budget();
    let cycles = Cycles::of(program);
    let sharing = Sharing::of(program, entry, &cycles, budget).map_err(exhausted)?;
    let opaque: BTreeSet<FuncId> = program
        .funcs
        .iter_ids()
        .filter(|(_, f)| options.errors.iter().any(|name| name == source_name(&f.name)))
        .map(|(id, _)| id)
        .collect();
    let concerns = Concerns::new(program, &sharing, &opaque, &cycles, budget).map_err(exhausted)?;
    let bodies = program.funcs.iter().map(|f| f.body.clone().map(Rc::new)).collect();
    let written = written(program);
    let counters = counters(program, &cycles);
    let updates = updates::of(program);
    Ok(Facts { updates, bodies, sharing, concerns, written, cycles, counters, opaque })
}

/// The sequential program as one that starts with `main` and takes its choices from
/// `__VERIFIER_nondet_int`, as programs for other verifiers do.
pub fn stand_alone(sequential: Sequential) -> Program {
    let Sequential { mut program, entry, .. } = sequential;
    if let Some(old) = program.find_function("main") {
        program.funcs[old].name = "main.threads".to_owned();
    }
    if let Some(new) = program.find_function(&entry) {
        program.funcs[new].name = "main".to_owned();
    }
    let name = "__VERIFIER_nondet_int";
    let nondet = program.find_function(name).unwrap_or_else(|| {
        let params = Box::new([]);
        let signature = Signature { result: Types::I32, params, variadic: false, prototyped: true };
        let func = declare(&mut program, name);
        program.funcs[func].ty = program.types.intern(Type::Function(signature));
        func
    });
    for func in program.funcs.ids() {
        let Some(mut body) = program.funcs[func].body.take() else { continue };
        body.rewrite_ops(|edge| match edge.op {
            Op::Havoc(place) if program.place_ty(place) == Types::I32 => {
                let (dst, callee, args) = (Some(place), Callee::Direct(nondet), Box::new([]));
                Some(Op::Call(Call { dst, callee, args }))
            }
            _ => None,
        });
        program.funcs[func].body = Some(body);
    }
    program
}

/// Whether a variable that takes an argument of the program is read, but for whether it is
/// negative, which the number of arguments never is.
fn is_argument(program: &Program, var: VarId) -> bool {
    let is_own = |place: PlaceId| program.exprs.root_var(place) == Some(var);
    let is_count = |e: ExprId| match program.exprs.expr(e).kind {
        ExprKind::Binary(BinaryOp::Ge, a, b) => {
            matches!(program.exprs.expr(a).kind, ExprKind::Load(place) if is_own(place))
                && program.as_int(b) == Some(0)
        }
        _ => false,
    };
    let edges = program.funcs.iter().flat_map(|f| f.body.iter().flat_map(|b| b.edges().iter()));
    let mut ops = edges.map(|edge| &edge.op);
    ops.any(|op| {
        let mut reads = false;
        for_each_place(program, op, &mut |place, access| {
            reads |= access == Access::Read && is_own(place);
        });
        reads && !matches!(op, Op::Assume(condition) if is_count(*condition))
            || program.vars[var].address_taken
    })
}

/// The variables that some operation writes by name.
fn written(program: &Program) -> BTreeSet<VarId> {
    let mut written = BTreeSet::new();
    for body in program.funcs.iter().flat_map(|f| f.body.iter()) {
        for edge in body.edges().iter() {
            for_each_place(program, &edge.op, &mut |place, access| {
                if access == Access::Write {
                    written.extend(program.exprs.root_var(place));
                }
            });
        }
    }
    written
}

/// Adds a thread.
pub(crate) fn new_thread(
    program: &mut Program,
    threads: &mut Threads,
    starts: Vec<FuncId>,
    argument: Option<ExprId>,
    span: Span,
) -> ThreadId {
    let id = threads.threads.next_id();
    let number = id.0;
    let pointer = program.types.pointer(Types::VOID);
    let start = match starts.first() {
        Some(&func) => program.types.pointer(program.funcs[func].ty),
        None => pointer,
    };
    let ghosts = ThreadGhosts {
        counter: ghost(program, &format!(".counter{number}"), Types::I32, 0),
        result: ghost(program, &format!(".result{number}"), pointer, 0),
        argument: ghost(program, &format!(".argument{number}"), pointer, 0),
        start: ghost(program, &format!(".start{number}"), start, 0),
        sleeps_on: ghost(program, &format!(".sleeps{number}"), pointer, 0),
        awaited: ghost(program, &format!(".awaited{number}"), Types::U64, 0),
        number: ghost(program, &format!(".number{number}"), Types::U64, 0),
    };
    threads.threads.push(Thread { starts, argument, span, many: false, ghosts })
}

/// Variables of a thread that are no use where there are several of its kind.
fn apart(ghosts: &ThreadGhosts, thread_locals: &BTreeMap<VarId, VarId>) -> Vec<VarId> {
    let ThreadGhosts { counter, result, sleeps_on, awaited, .. } = *ghosts;
    let own = thread_locals.values().copied();
    [counter, result, sleeps_on, awaited].into_iter().chain(own).collect()
}

/// A static variable that the model remembers something in.
fn ghost(program: &mut Program, name: &str, ty: TypeId, value: i128) -> VarId {
    let storage = Storage::Static {
        init: Some(Initializer::default()),
        thread_local: false,
        read_only: false,
    };
    let name = name.to_owned();
    let var = program.vars.push(Var { name, ty, storage, address_taken: false, span: Span::NONE });
    if value != 0 {
        let value = program.int(ty, value);
        initialize(program, var, value);
    }
    var
}

fn initialize(program: &mut Program, var: VarId, value: ExprId) {
    let place = program.var_place(var);
    let item = gnomon_ir::program::InitItem::Value { place, value };
    if let Storage::Static { init, .. } = &mut program.vars[var].storage {
        *init = Some(Initializer { items: vec![item] });
    }
}

/// The function of that name, which takes and returns nothing.
pub(crate) fn declared(program: &mut Program, name: &str) -> FuncId {
    match program.find_function(name) {
        Some(known) => known,
        None => declare(program, name),
    }
}

/// The function of that name, which takes so many numbers and returns nothing.
pub(crate) fn declared_with(program: &mut Program, name: &str, count: usize) -> FuncId {
    if let Some(known) = program.find_function(name) {
        return known;
    }
    let func = declare(program, name);
    let (result, params) = (Types::VOID, vec![Types::U64; count].into());
    let signature = Signature { result, params, variadic: false, prototyped: true };
    program.funcs[func].ty = program.types.intern(Type::Function(signature));
    func
}

/// A function without parameters, result or body.
pub(crate) fn declare(program: &mut Program, name: &str) -> FuncId {
    let result = program.types.intern(Type::Void);
    let signature = Signature { result, params: Box::new([]), variadic: false, prototyped: true };
    let ty = program.types.intern(Type::Function(signature));
    program.funcs.push(Function {
        name: name.to_owned(),
        ty,
        params: Vec::new(),
        locals: Vec::new(),
        body: None,
        no_return: false,
        span: Span::NONE,
    })
}

/// A function that does nothing: that it is called says all.
pub(crate) fn report(program: &mut Program, name: &str) -> FuncId {
    if let Some(known) = program.find_function(name) {
        return known;
    }
    let func = declare(program, name);
    let mut builder = CfaBuilder::new();
    let (from, to) = (builder.entry(), builder.exit());
    let (span, stmt) = (Span::NONE, Program::NO_STMT);
    builder.add_edge(Edge { from, to, op: Op::Return(None), span, stmt });
    program.funcs[func].body = Some(builder.finish());
    func
}

fn note(program: &mut Program, weaker: Option<Span>) {
    if let Some(span) = weaker {
        let message = "atomic operations with weaker memory orders are sequentially consistent";
        program.add_note(Note { kind: "threads", message: message.to_owned(), span });
    }
    let mut add = |message: &str| {
        let (kind, message) = ("threads", message.to_owned());
        program.add_note(Note { kind, message, span: Span::NONE });
    };
    add("memory is sequentially consistent: all threads see writes in one order");
    add("making threads and working with locks succeeds; attributes of threads are ignored");
}
