//! A program with threads in the form that all analyses here share: a fixed list of threads.
//!
//! * Getafix: `init` is the *prologue*, which runs alone; the other roots are the threads, and the
//!   global `atomic` says that no switch may happen.
//! * Several pushdown systems: the threads.
//! * `start_thread`: where `main` starts threads one after the other with constant arguments, what is
//!   before these statements is the prologue, and the threads simply run. (The statements themselves
//!   touch nothing, so whether a thread is started a little earlier cannot be seen.) Otherwise
//!   `main` is the first thread and each start statement gets one *slot*, a thread that
//!   waits until its flag is set and then takes its arguments from globals of its own. A statement
//!   that may be executed more than once (it lies on a cycle, or several threads can come to it)
//!   gets as many slots as [`SystemOptions::instances`] says; once they are used up, the statement
//!   starts nothing more. Then [`ThreadSystem::bounded_starts`] is set and the absence of errors in
//!   the system says nothing about the program (except through
//!   [`closure`](super::closure), which covers any number of copies).
//! * `atomic_begin` and `atomic_end` set and clear a global. A thread that ends in between never
//!   lets the others run again.
//!
//! A root has no `return`: its end is a point at which the thread stays.
//!
//! Not supported: `sync`, `wait`, `broadcast`, `x$`, and `start_thread goto` in a procedure that is
//! called.

use std::collections::{BTreeMap, BTreeSet};

use super::copy::{Copy, Role};
use crate::model::{
    Action, Concurrency, EdgeId, ExprId, FALSE, Model, ModelBuilder, PointId, PointKind, ProcId,
    Step, TRUE, ThreadAction, VarId,
};
use crate::source::Span;

/// How threads come into being where the program leaves it open.
#[derive(Clone, Copy, Debug)]
pub struct SystemOptions {
    /// How many threads a start statement that can be executed repeatedly may start.
    pub instances: u32,
}

impl Default for SystemOptions {
    fn default() -> Self {
        Self { instances: 2 }
    }
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// What people call it.
    pub name: String,
    /// The procedure it runs; never called, never returns.
    pub root: ProcId,
    /// Whether the program may run several threads like this one.
    pub replicated: bool,
}

/// Threads that share globals.
#[derive(Clone, Debug)]
pub struct ThreadSystem {
    /// Procedures with steps, calls and returns only.
    pub model: Model,
    /// Runs to its end before the threads start.
    pub prologue: Option<ProcId>,
    /// The threads in the order of their contexts.
    pub threads: Vec<Thread>,
    /// While this global is true, no other thread runs.
    pub atomic: Option<VarId>,
    /// Whether the program can start more threads than there are here.
    pub bounded_starts: bool,
    /// Globals that belong to single threads among those that the program may run any number of
    /// times: their flags and arguments.
    pub of_single_copies: Vec<VarId>,
    switchable: Vec<bool>,
}

/// Why a program is not analysed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsupported(String);

impl ThreadSystem {
    /// The threads of a model.
    pub fn new(model: &Model, options: SystemOptions) -> Result<Self, Unsupported> {
        unsupported(model)?;
        Construction::new(model, options)?.run()
    }

    /// Whether another thread may run when this one is here (outside atomic sections).
    pub fn is_switchable(&self, point: PointId) -> bool {
        self.switchable[point.index()]
    }

    /// All globals.
    pub fn globals(&self) -> Vec<VarId> {
        self.model.global_ids().collect()
    }

    /// The system with only some of its threads, in the given order. What starts a thread that is
    /// left out starts nothing.
    pub fn with_threads(&self, order: &[usize]) -> Self {
        let threads = order.iter().filter_map(|&i| self.threads.get(i).cloned()).collect();
        Self { threads, ..self.clone() }
    }
}

fn unsupported(model: &Model) -> Result<(), Unsupported> {
    for edge in &model.edges {
        let what = match &edge.action {
            Action::Thread(ThreadAction::Sync(_)) => "`sync`",
            Action::Thread(ThreadAction::Wait) => "`wait`",
            Action::Thread(ThreadAction::Broadcast) => "`broadcast`",
            Action::Step(step) if !step.in_other_threads.is_empty() => {
                "assignments to the variables of other threads (`x$`)"
            }
            _ => continue,
        };
        return Err(Unsupported(format!("{what} is not supported by the concurrent analyses")));
    }
    Ok(())
}

/// How often something can happen: never, once, or more often.
type Often = u8;
const MANY: Often = 2;

fn plus(a: Often, b: Often) -> Often {
    (a + b).min(MANY)
}

/// A thread to be started: where it runs and where its values come from.
struct Slot {
    edge: EdgeId,
    replicated: bool,
    flag: VarId,
    /// Locals of the procedure it runs, and the globals that bring their values.
    values: Vec<(VarId, VarId)>,
}

/// Where a copy ends: a root does not return, and a prologue ends where threads are started.
#[derive(Default)]
struct Ends {
    returns: Option<PointId>,
    fork: Option<(PointId, PointId)>,
}

/// The place of a copy in the list.
struct Copied(usize);

/// `main` starts threads one after the other, exactly once.
#[derive(Clone, Debug)]
struct Fork {
    /// The first start statement.
    at: PointId,
    /// Who is started, with constant arguments.
    threads: Vec<(ProcId, Vec<ExprId>)>,
    /// The points of the start statements.
    points: Vec<PointId>,
    /// Where `main` goes on, if it still does anything.
    after: Option<PointId>,
}

struct Construction<'m> {
    old: &'m Model,
    options: SystemOptions,
    builder: ModelBuilder,
    often: Vec<Often>,
    fork: Option<Fork>,
    slots: Vec<Slot>,
    atomic: Option<VarId>,
    bounded: bool,
}

impl<'m> Construction<'m> {
    fn new(old: &'m Model, options: SystemOptions) -> Result<Self, Unsupported> {
        let mut builder = ModelBuilder::default();
        for id in old.global_ids() {
            let variable = old.variable(id);
            builder.global(&variable.name, variable.span);
        }
        builder.initial = old.initial.clone();
        let often = executions(old);
        let mut work = Self {
            fork: fork(old, &often),
            often,
            old,
            options,
            builder,
            slots: Vec::new(),
            atomic: None,
            bounded: false,
        };
        work.declare_atomic();
        work.declare_slots()?;
        Ok(work)
    }

    fn declare_atomic(&mut self) {
        let named = |v: &VarId| self.old.variable(*v).name == "atomic";
        if matches!(self.old.concurrency, Concurrency::InitThenThreads(_)) {
            self.atomic = self.old.global_ids().find(named);
        }
        let section = Action::Thread(ThreadAction::AtomicBegin);
        if self.atomic.is_none() && self.old.edges.iter().any(|e| e.action == section) {
            let flag = self.builder.global("atomic section", Span::default());
            self.builder.initial.push((flag, false));
            self.atomic = Some(flag);
        }
    }

    fn declare_slots(&mut self) -> Result<(), Unsupported> {
        for (id, edge) in self.old.edges() {
            if self.fork.as_ref().is_some_and(|f| f.points.contains(&edge.from)) {
                continue;
            }
            let (procedure, carried) = match &edge.action {
                Action::Thread(ThreadAction::StartAt(point)) => {
                    let procedure = self.old.point(*point).procedure;
                    let calls = |e: &crate::model::Edge| matches!(&e.action, Action::Call { callee, .. } if *callee == procedure);
                    if self.old.edges.iter().any(calls) {
                        let name = &self.old.procedure(procedure).name;
                        let text = format!(
                            "`start_thread goto` in `{name}`, which is called, is not supported"
                        );
                        return Err(Unsupported(text));
                    }
                    (procedure, live_locals(self.old, *point))
                }
                Action::Thread(ThreadAction::StartCall { callee, .. }) => {
                    (*callee, self.old.procedure(*callee).parameters.clone())
                }
                _ => continue,
            };
            let often = self.often[edge.from.index()];
            let count = if often == MANY { self.options.instances } else { u32::from(often) };
            self.bounded |= often == MANY;
            for _ in 0..count {
                let number = self.slots.len() + 1;
                let name = &self.old.procedure(procedure).name;
                let flag =
                    self.builder.global(format!("{name} {number} runs"), edge_span(self.old, id));
                self.builder.initial.push((flag, false));
                let mut values = Vec::new();
                for &local in &carried {
                    let name = format!("{name} {number} {}", self.old.variable(local).name);
                    let global = self.builder.global(name, edge_span(self.old, id));
                    self.builder.initial.push((global, false));
                    values.push((local, global));
                }
                self.slots.push(Slot { edge: id, replicated: often == MANY, flag, values });
            }
        }
        Ok(())
    }

    fn run(mut self) -> Result<ThreadSystem, Unsupported> {
        let old = self.old;
        let called: BTreeSet<ProcId> = old
            .edges
            .iter()
            .filter_map(|e| match &e.action {
                Action::Call { callee, .. } => Some(*callee),
                _ => None,
            })
            .collect();
        let mut copies = Vec::new();
        let mut callees = BTreeMap::new();
        for id in called {
            let copy = Copy::declare(old, &mut self.builder, id, Role::Called);
            callees.insert(id, copy.to);
            copies.push((copy, Ends::default()));
        }
        let mut threads = Vec::new();
        let mut prologue = None;
        match (&old.concurrency, self.fork.clone()) {
            (Concurrency::Started, Some(fork)) => {
                let (copy, end) = self.root(old.main);
                let early = copy.extra_point(&mut self.builder, PointKind::Internal, "end");
                prologue = Some(copy.to);
                copies.push((copy, Ends { returns: Some(early), fork: Some((fork.at, end)) }));
                self.forked(&fork, &mut copies, &mut threads);
            }
            (Concurrency::Sequential | Concurrency::Started, _) => {
                self.plain_thread(old.main, &mut copies, &mut threads);
            }
            (Concurrency::InitThenThreads(list), _) => {
                let (copy, end) = self.root(old.main);
                prologue = Some(copy.to);
                copies.push((copy, Ends { returns: Some(end), fork: None }));
                for &id in list {
                    self.plain_thread(id, &mut copies, &mut threads);
                }
            }
            (Concurrency::Parallel(list), _) => {
                for &id in list {
                    self.plain_thread(id, &mut copies, &mut threads);
                }
            }
        }
        for number in 0..self.slots.len() {
            let id = self.slot_procedure(number);
            let (copy, end) = self.root(id);
            self.slot_entry(number, &copy);
            let name = format!("{} {}", old.procedure(id).name, number + 1);
            let replicated = self.slots[number].replicated;
            threads.push(Thread { name, root: copy.to, replicated });
            copies.push((copy, Ends { returns: Some(end), fork: None }));
        }
        for (mut copy, end) in copies {
            self.edges(&mut copy, &end, &callees);
        }
        let Some(first) = prologue.or_else(|| threads.first().map(|t| t.root)) else {
            return Err(Unsupported("the program has no threads".to_owned()));
        };
        let model = self.builder.finish(first, Concurrency::Sequential);
        let roots: BTreeSet<PointId> =
            threads.iter().map(|t| model.procedure(t.root).entry).collect();
        let switchable = model
            .point_ids()
            .map(|p| {
                model.point(p).kind != PointKind::Internal
                    || roots.contains(&p)
                    || model.outgoing(p).next().is_none()
            })
            .collect();
        let of_single_copies = self
            .slots
            .iter()
            .filter(|s| s.replicated)
            .flat_map(|s| std::iter::once(s.flag).chain(s.values.iter().map(|v| v.1)))
            .collect();
        Ok(ThreadSystem {
            model,
            prologue,
            threads,
            atomic: self.atomic,
            bounded_starts: self.bounded,
            of_single_copies,
            switchable,
        })
    }

    fn root(&mut self, id: ProcId) -> (Copy<'m>, PointId) {
        let copy = Copy::declare(self.old, &mut self.builder, id, Role::Root);
        let end = copy.extra_point(&mut self.builder, PointKind::End, "thread has ended");
        (copy, end)
    }

    fn plain_thread(
        &mut self,
        id: ProcId,
        copies: &mut Vec<(Copy<'m>, Ends)>,
        threads: &mut Vec<Thread>,
    ) -> Copied {
        let (copy, end) = self.root(id);
        let name = self.old.procedure(id).name.clone();
        threads.push(Thread { name, root: copy.to, replicated: false });
        copies.push((copy, Ends { returns: Some(end), fork: None }));
        Copied(copies.len() - 1)
    }

    /// What `main` does after it has started its threads, and these threads.
    fn forked(
        &mut self,
        fork: &Fork,
        copies: &mut Vec<(Copy<'m>, Ends)>,
        threads: &mut Vec<Thread>,
    ) {
        if let Some(after) = fork.after {
            let Copied(place) = self.plain_thread(self.old.main, copies, threads);
            let copy = &copies[place].0;
            self.builder.set_entry(copy.to, copy.point(after));
        }
        let mut known: BTreeMap<&(ProcId, Vec<ExprId>), ProcId> = BTreeMap::new();
        for start in &fork.threads {
            let (id, arguments) = start;
            if let Some(&root) = known.get(start) {
                let name = self.old.procedure(*id).name.clone();
                threads.push(Thread { name, root, replicated: false });
                continue;
            }
            let Copied(place) = self.plain_thread(*id, copies, threads);
            let copy = &copies[place].0;
            known.insert(start, copy.to);
            if !arguments.is_empty() {
                let entry = copy.extra_point(&mut self.builder, PointKind::Internal, "arguments");
                let parameters = self.old.procedure(*id).parameters.iter();
                let values = parameters.zip(arguments).map(|(&p, &e)| (copy.variable(p), e));
                let first = copy.point(self.old.procedure(*id).entry);
                self.builder.step(entry, first, Step::assign(values.collect()));
                self.builder.set_entry(copy.to, entry);
            }
        }
    }

    fn slot_procedure(&self, number: usize) -> ProcId {
        let edge = self.old.edge(self.slots[number].edge);
        match &edge.action {
            Action::Thread(ThreadAction::StartCall { callee, .. }) => *callee,
            _ => self.old.point(edge.from).procedure,
        }
    }

    /// Waits for the flag, then takes the values.
    fn slot_entry(&mut self, number: usize, copy: &Copy<'_>) {
        let slot = &self.slots[number];
        let first = match &self.old.edge(slot.edge).action {
            Action::Thread(ThreadAction::StartAt(point)) => *point,
            _ => self.old.procedure(copy.from).entry,
        };
        let wait = copy.extra_point(&mut self.builder, PointKind::Internal, "is started");
        let guard = self.builder.exprs.var(slot.flag);
        let assignments = slot
            .values
            .iter()
            .map(|&(local, global)| (copy.variable(local), self.builder.exprs.var(global)))
            .collect();
        let step = Step { guard, ..Step::assign(assignments) };
        self.builder.step(wait, copy.point(first), step);
        self.builder.set_entry(copy.to, wait);
    }

    fn edges(&mut self, copy: &mut Copy<'m>, ends: &Ends, callees: &BTreeMap<ProcId, ProcId>) {
        if let Some((point, end)) = ends.fork {
            self.builder.step(copy.point(point), end, Step::skip());
        }
        for edge in copy.edges() {
            if ends.fork.is_some_and(|(point, _)| point == edge.from) {
                continue;
            }
            let (from, to) = (copy.point(edge.from), copy.point(edge.to));
            match &edge.action {
                Action::Step(step) => {
                    let step = copy.step(&mut self.builder, step);
                    self.builder.step(from, to, step);
                }
                Action::Call { .. } => {
                    if let Some(action) = copy.call(&mut self.builder, &edge.action, callees) {
                        self.builder.edge(from, to, action);
                    }
                }
                Action::Return { values } => match ends.returns {
                    Some(end) => self.builder.step(from, end, Step::skip()),
                    None => {
                        let values =
                            values.iter().map(|&e| copy.expr(&mut self.builder, e)).collect();
                        self.builder.edge(from, from, Action::Return { values });
                    }
                },
                Action::Thread(action) => self.thread_action(copy, edge, action),
            }
        }
    }

    fn thread_action(
        &mut self,
        copy: &mut Copy<'m>,
        edge: &crate::model::Edge,
        action: &ThreadAction,
    ) {
        let (from, to) = (copy.point(edge.from), copy.point(edge.to));
        let set = |value: ExprId, atomic: Option<VarId>| {
            Step::assign(atomic.map(|flag| (flag, value)).into_iter().collect())
        };
        match action {
            ThreadAction::AtomicBegin => self.builder.step(from, to, set(TRUE, self.atomic)),
            ThreadAction::AtomicEnd => self.builder.step(from, to, set(FALSE, self.atomic)),
            ThreadAction::StartAt(_) => self.start(copy, edge, &[]),
            ThreadAction::StartCall { arguments, .. } => {
                let arguments: Vec<_> =
                    arguments.iter().map(|&e| copy.expr(&mut self.builder, e)).collect();
                self.start(copy, edge, &arguments);
            }
            // The thread stays here. (The others were refused.)
            ThreadAction::End
            | ThreadAction::Sync(_)
            | ThreadAction::Wait
            | ThreadAction::Broadcast => {}
        }
    }

    /// The first slot of this statement that is free starts; if none is, nothing does.
    fn start(&mut self, copy: &mut Copy<'m>, edge: &crate::model::Edge, arguments: &[ExprId]) {
        let (from, to) = (copy.point(edge.from), copy.point(edge.to));
        let mut used = TRUE;
        let mine: Vec<usize> = (0..self.slots.len())
            .filter(|&i| self.old.edge(self.slots[i].edge).from == edge.from)
            .collect();
        for number in mine {
            let slot = &self.slots[number];
            let exprs = &mut self.builder.exprs;
            let runs = exprs.var(slot.flag);
            let free = exprs.not(runs);
            let guard = exprs.and(used, free);
            used = exprs.and(used, runs);
            let mut assignments = vec![(slot.flag, TRUE)];
            for (i, &(local, global)) in slot.values.iter().enumerate() {
                let value = match arguments.get(i) {
                    Some(&value) => value,
                    None => exprs.var(copy.variable(local)),
                };
                assignments.push((global, value));
            }
            self.builder.step(from, to, Step { guard, ..Step::assign(assignments) });
        }
        self.builder.step(from, to, Step::assume(used));
    }
}

/// The start statements of `main` that all its executions go through in one go, if they need no flags:
/// nothing runs before them but `main`, and what it does afterwards depends on none of its locals.
fn fork(model: &Model, often: &[Often]) -> Option<Fork> {
    let main = model.procedure(model.main);
    let is_start =
        |e: &crate::model::Edge| matches!(e.action, Action::Thread(ThreadAction::StartCall { .. }));
    let starts_at = |p: &PointId| model.outgoing(*p).any(|(_, e)| is_start(e));
    let calls_main = |e: &crate::model::Edge| match &e.action {
        Action::Call { callee, .. } => *callee == model.main,
        Action::Thread(ThreadAction::StartCall { callee, .. }) => *callee == model.main,
        _ => false,
    };
    if model.edges.iter().any(calls_main) {
        return None;
    }
    let starts: Vec<PointId> = main.points.iter().copied().filter(starts_at).collect();
    // The first start statement is the one from which all others can be reached.
    let at = starts.iter().copied().find(|&p| {
        let reach = reachable_from(model, p);
        often[p.index()] == 1 && starts.iter().all(|s| reach.contains(s))
    })?;
    let mut fork = Fork { at, threads: Vec::new(), points: Vec::new(), after: Some(at) };
    let mut point = at;
    let mut seen = BTreeSet::new();
    while seen.insert(point) {
        let edges: Vec<_> = model.outgoing(point).map(|(_, e)| (&e.action, e.to)).collect();
        match edges[..] {
            [(Action::Thread(ThreadAction::StartCall { callee, arguments }), to)] => {
                if arguments.iter().any(|a| ![TRUE, FALSE].contains(a)) {
                    break;
                }
                fork.threads.push((*callee, arguments.clone()));
                fork.points.push(point);
                fork.after = Some(to);
                point = to;
            }
            [(Action::Step(step), to)] if *step == Step::skip() => point = to,
            [] | [(Action::Return { .. } | Action::Thread(ThreadAction::End), _)] => {
                fork.after = None;
                break;
            }
            _ => break,
        }
    }
    let live = fork.after.is_some_and(|p| !live_locals(model, p).is_empty());
    if fork.threads.is_empty() || live { None } else { Some(fork) }
}

fn edge_span(model: &Model, edge: EdgeId) -> Span {
    model.point(model.edge(edge).from).span
}

/// For each point, how often it can be executed in all threads together.
fn executions(model: &Model) -> Vec<Often> {
    let reach: BTreeMap<PointId, BTreeSet<PointId>> = model
        .procedures
        .iter()
        .map(|p| p.entry)
        .chain(model.edges.iter().filter_map(|e| match e.action {
            Action::Thread(ThreadAction::StartAt(point)) => Some(point),
            _ => None,
        }))
        .map(|p| (p, reachable_from(model, p)))
        .collect();
    let cyclic: Vec<bool> = model
        .point_ids()
        .map(|p| successors(model, p).any(|s| s == p || reachable_from(model, s).contains(&p)))
        .collect();
    let mut often = vec![0; model.points.len()];
    // Saturating counts: as many rounds as it takes for the last of them to become MANY.
    loop {
        let mut activations: BTreeMap<PointId, Often> = BTreeMap::new();
        let mut add = |p: PointId, n: Often| {
            let count = activations.entry(p).or_default();
            *count = plus(*count, n);
        };
        add(model.procedure(model.main).entry, 1);
        if let Concurrency::InitThenThreads(list) | Concurrency::Parallel(list) = &model.concurrency
        {
            for &thread in list {
                add(model.procedure(thread).entry, 1);
            }
        }
        for edge in &model.edges {
            let count = often[edge.from.index()];
            match &edge.action {
                Action::Call { callee, .. }
                | Action::Thread(ThreadAction::StartCall { callee, .. }) => {
                    add(model.procedure(*callee).entry, count);
                }
                Action::Thread(ThreadAction::StartAt(point)) => add(*point, count),
                _ => {}
            }
        }
        let mut next = vec![0; model.points.len()];
        for (start, &count) in &activations {
            for point in reach.get(start).into_iter().flatten() {
                let i = point.index();
                let here = if count > 0 && cyclic[i] { MANY } else { count };
                next[i] = plus(next[i], here);
            }
        }
        if next == often {
            return often;
        }
        often = next;
    }
}

fn successors(model: &Model, point: PointId) -> impl Iterator<Item = PointId> {
    let follow = |e: &crate::model::Edge| {
        !matches!(e.action, Action::Return { .. } | Action::Thread(ThreadAction::End))
    };
    model.outgoing(point).filter(move |(_, e)| follow(e)).map(|(_, e)| e.to)
}

/// The points of a procedure that control can come to from a point, itself included.
fn reachable_from(model: &Model, start: PointId) -> BTreeSet<PointId> {
    let mut seen = BTreeSet::from([start]);
    let mut work = vec![start];
    while let Some(point) = work.pop() {
        for next in successors(model, point) {
            if seen.insert(next) {
                work.push(next);
            }
        }
    }
    seen
}

/// The locals whose values at a point can be read later in the same activation.
fn live_locals(model: &Model, start: PointId) -> Vec<VarId> {
    let procedure = model.procedure(model.point(start).procedure);
    let is_live = |variable: &&VarId| {
        // Forward from `start`, along edges that neither read nor write the variable.
        let mut seen = BTreeSet::from([start]);
        let mut work = vec![start];
        while let Some(point) = work.pop() {
            for (_, edge) in model.outgoing(point) {
                let (reads, writes) = uses(model, &edge.action, **variable);
                if reads {
                    return true;
                }
                if !writes && seen.insert(edge.to) {
                    work.push(edge.to);
                }
            }
        }
        false
    };
    procedure.locals.iter().filter(is_live).copied().collect()
}

/// Whether an action reads a variable, and whether it surely overwrites it.
fn uses(model: &Model, action: &Action, variable: VarId) -> (bool, bool) {
    let reads = |list: &[ExprId]| {
        let (pre, post) = model.exprs.variables(list);
        pre.contains(&variable) || post.contains(&variable)
    };
    match action {
        Action::Step(step) => (reads(&step.expressions()), step.value_of(variable).is_some()),
        Action::Call { arguments, results, .. } => {
            (reads(arguments), results.contains(&Some(variable)))
        }
        Action::Return { values } => (reads(values), true),
        Action::Thread(ThreadAction::StartCall { arguments, .. }) => (reads(arguments), false),
        // The copy reads what is live where it goes on; the target is looked at like a successor.
        Action::Thread(ThreadAction::StartAt(_)) => (true, false),
        Action::Thread(_) => (false, false),
    }
}
