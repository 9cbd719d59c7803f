//! From the automaton of a thread to a function of the program.
//!
//! What depends on all threads is written out, variables that must survive become static, and a
//! dispatch at the entry leads to where the thread goes on.

use std::collections::BTreeSet;

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{CfaBuilder, Edge, EdgeId, LocId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, PlaceId};
use gnomon_ir::program::{FuncId, Initializer, Note, Program, Storage, VarId};
use gnomon_ir::span::Span;
use gnomon_ir::types::{Type, TypeId};

use crate::graph::{AT_START, Action, Arrow, ENDED, Graph, Mark, NOT_MADE, Source};
use crate::live::{Flow, live};
use crate::sequential::Reports;
use crate::sites::{Spawning, ThreadId, Threads};

/// A finished function, with the edges of the original program that its edges are.
pub struct Finished {
    /// For each of its edges.
    pub origins: Vec<Option<(FuncId, EdgeId)>>,
    /// What they mean for the schedule.
    pub marks: Vec<Mark>,
    /// The places where the thread can stop, with what it is about to do there.
    pub points: Vec<(u32, Span)>,
    /// Its variables.
    pub locals: Vec<VarId>,
}

/// A thread that was looked at.
pub struct Unfinished {
    /// The function that runs it.
    pub func: FuncId,
    /// Its automaton.
    pub graph: Graph,
    /// Its variables.
    pub locals: Vec<VarId>,
    /// The one that says whether it stops.
    pub stops: VarId,
}

/// Makes the function that runs a thread.
pub fn finish(
    program: &mut Program,
    threads: &Threads,
    reports: &Reports,
    id: ThreadId,
    thread: Unfinished,
) -> Finished {
    let Unfinished { func, mut graph, locals, stops } = thread;
    if id.0 != 0 && reports.begins_with_a_step {
        begin_with_a_step(program, &mut graph, &locals, stops);
    }
    let arrows = std::mem::take(&mut graph.arrows);
    let stored = stored_points(program, &arrows, threads.threads[id].ghosts.counter);
    graph.resumptions.retain(|resumption| stored.contains(&i128::from(resumption.point.0)));
    let mut writing = Writing { program, threads, reports, graph, edges: Vec::new() };
    for arrow in arrows {
        writing.arrow(id, arrow);
    }
    writing.dispatch(id);
    let Writing { graph, mut edges, .. } = writing;
    reachable(&graph, &mut edges);
    keep(program, &graph, &mut edges, func, &locals);
    let mut builder = CfaBuilder::new();
    for _ in 2..graph.loc_count() {
        builder.add_loc();
    }
    let mut origins = Vec::with_capacity(edges.len());
    let mut marks = Vec::with_capacity(edges.len());
    for (from, to, op, source) in edges {
        origins.push(source.edge);
        marks.push(source.mark);
        builder.add_edge(Edge { from, to, op, span: source.span, stmt: source.stmt });
    }
    program.funcs[func].body = Some(builder.finish());
    let points = graph.resumptions.iter().map(|r| (r.point.0, r.span)).collect();
    Finished { origins, marks, points, locals }
}

/// Where a thread has done nothing that others can see, it need not stop: it could as well not
/// have begun.
fn begin_with_a_step(program: &mut Program, graph: &mut Graph, locals: &[VarId], stops: VarId) {
    let mut at = graph.start;
    loop {
        let entered = graph.arrows.iter().filter(|arrow| arrow.to == at).count();
        let mut out = graph.arrows.iter_mut().filter(|arrow| arrow.from == at);
        let (Some(arrow), None) = (out.next(), out.next()) else { return };
        if entered > usize::from(at != graph.start) {
            return;
        }
        let Action::Op(op) = &mut arrow.action else { return };
        let root = match op {
            Op::Assign { dst, .. } | Op::Havoc(dst) => program.exprs.root_var(*dst),
            Op::Assume(_) => None,
            _ => return,
        };
        if matches!(op, Op::Havoc(_)) && root == Some(stops) {
            let (dst, ty) = (program.var_place(stops), program.vars[stops].ty);
            *op = Op::Assign { dst, src: program.zero(ty) };
            return;
        }
        if root.is_some_and(|var| !locals.contains(&var)) {
            return;
        }
        at = arrow.to;
    }
}

/// The values that a thread gives its counter.
fn stored_points(program: &Program, arrows: &[Arrow], counter: VarId) -> BTreeSet<i128> {
    let stored = |arrow: &Arrow| match arrow.action {
        Action::Op(Op::Assign { dst, src }) if program.exprs.root_var(dst) == Some(counter) => {
            program.as_int(src)
        }
        _ => None,
    };
    arrows.iter().filter_map(stored).collect()
}

/// Leaves out what nothing leads to, so that edges keep their numbers.
fn reachable(graph: &Graph, edges: &mut Vec<(LocId, LocId, Op, Source)>) {
    let mut out: Vec<Vec<LocId>> = vec![Vec::new(); graph.loc_count() as usize];
    for (from, to, ..) in edges.iter() {
        out[from.index()].push(*to);
    }
    let mut seen = vec![false; graph.loc_count() as usize];
    let mut work = vec![Graph::ENTRY];
    while let Some(at) = work.pop() {
        if !std::mem::replace(&mut seen[at.index()], true) {
            work.extend(&out[at.index()]);
        }
    }
    edges.retain(|(from, ..)| seen[from.index()]);
}

/// Variables that are live where the thread goes on become static.
fn keep(
    program: &mut Program,
    graph: &Graph,
    edges: &mut [(LocId, LocId, Op, Source)],
    func: FuncId,
    locals: &[VarId],
) {
    let flows: Vec<Flow<'_>> =
        edges.iter().map(|(from, to, op, _)| Flow { from: *from, to: *to, op }).collect();
    let mut at: Vec<LocId> = graph.resumptions.iter().map(|r| r.at).collect();
    // What is live where the thread begins are the arguments of the program.
    at.push(graph.start);
    let live = live(program, &flows, graph.loc_count() as usize, locals);
    let kept = live.at(program, &at);
    for &var in &kept {
        let init = Some(Initializer::default());
        program.vars[var].storage = Storage::Static { init, thread_local: false, read_only: false };
    }
    let nothing = program.int(gnomon_ir::types::Types::I32, 1);
    for (_, to, op, source) in edges.iter_mut() {
        let Op::Declare(var) = *op else { continue };
        if !kept.contains(&var) {
            continue;
        }
        let may_be_read = live.contains(*to, var) || program.vars[var].address_taken;
        *op = if may_be_read && !holds_pointers(program, program.vars[var].ty) {
            source.mark = Mark::Declares;
            Op::Havoc(program.var_place(var))
        } else {
            if may_be_read {
                note_uninitialized(program, source.span);
            }
            Op::Assume(nothing)
        };
    }
    let own = locals.iter().copied().filter(|var| !kept.contains(var));
    program.funcs[func].locals = own.collect();
}

fn holds_pointers(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Pointer(_) => true,
        Type::Array { elem, .. } => holds_pointers(program, *elem),
        Type::Record(record) => {
            let fields = &program.types.record(*record).fields;
            fields.iter().any(|field| holds_pointers(program, field.ty))
        }
        _ => false,
    }
}

/// A pointer with any value would point anywhere: nothing could be said of such a program.
fn note_uninitialized(program: &mut Program, span: Span) {
    let message = "pointers in local variables of threads are written before they are read";
    program.add_note(Note { kind: "threads", message: message.to_owned(), span });
}

struct Writing<'a> {
    program: &'a mut Program,
    threads: &'a Threads,
    reports: &'a Reports,
    graph: Graph,
    edges: Vec<(LocId, LocId, Op, Source)>,
}

impl Writing<'_> {
    fn op(&mut self, from: LocId, to: LocId, op: Op, source: Source) {
        self.edges.push((from, to, op, source));
    }

    fn then(&mut self, from: LocId, op: Op, source: Source) -> LocId {
        let to = self.graph.add_loc();
        self.op(from, to, op, source);
        to
    }

    fn arrow(&mut self, own: ThreadId, arrow: Arrow) {
        let Arrow { from, to, action, source } = arrow;
        match action {
            Action::Op(op) => self.op(from, to, op, source),
            Action::Spawn { site, start, argument, dst } => {
                let spawning = &self.threads.sites[site];
                self.spawn(spawning, (start, argument), dst, from, to, source);
            }
            Action::Ended { thread, dst } => self.by_number(thread, from, to, source, |w, id| {
                let value = match id {
                    Some(id) => w.counter_is(id, ENDED),
                    None if w.has_many() => return Op::Havoc(dst),
                    None => w.program.int(gnomon_ir::types::Types::I32, 1),
                };
                w.stored(dst, value)
            }),
            Action::ResultOf { thread, dst } => {
                self.by_number(thread, from, to, source, |w, id| {
                    let value = match id {
                        Some(id) => w.program.load_var(w.threads.threads[id].ghosts.result),
                        None if w.has_many() => return Op::Havoc(dst),
                        None => w.program.zero(w.program.place_ty(dst)),
                    };
                    w.stored(dst, value)
                });
            }
            Action::WakeOne(object) => self.wake_one(object, from, to, source),
            Action::WakeAll(object) => self.wake_all(object, from, to, source),
            Action::Owe { thread } => self.owe(own, thread, from, to, source),
            Action::Settle => {
                let settled = self.settled(own);
                let source = Source { mark: Mark::Settles, ..source.beside() };
                self.op(from, to, Op::Assume(settled), source);
            }
        }
    }

    /// Whether there are kinds of threads with several of them: other numbers can be theirs.
    fn has_many(&self) -> bool {
        self.threads.threads.iter().any(|thread| thread.many)
    }

    fn stored(&mut self, dst: PlaceId, value: ExprId) -> Op {
        let src = self.program.cast(self.program.place_ty(dst), value);
        Op::Assign { dst, src }
    }

    fn counter_is(&mut self, id: ThreadId, value: i128) -> ExprId {
        let counter = self.threads.threads[id].ghosts.counter;
        let (left, right) = (
            self.program.load_var(counter),
            self.program.int(self.program.vars[counter].ty, value),
        );
        self.program.binary(BinaryOp::Eq, left, right)
    }

    fn set(&mut self, var: VarId, value: i128) -> Op {
        let ty = self.program.vars[var].ty;
        let (dst, src) = (self.program.var_place(var), self.program.int(ty, value));
        Op::Assign { dst, src }
    }

    /// One case for each thread that a number can mean, and one for numbers that mean none.
    fn by_number(
        &mut self,
        number: ExprId,
        from: LocId,
        to: LocId,
        source: Source,
        op: impl Fn(&mut Self, Option<ThreadId>) -> Op,
    ) {
        let ty = self.program.expr_ty(number);
        let source = source.numbers();
        let mut at = from;
        for id in self.threads.threads.ids() {
            if self.threads.threads[id].many {
                continue;
            }
            let own = self.program.int(ty, Threads::number(id));
            let same = self.program.binary(BinaryOp::Eq, number, own);
            if self.program.as_truth(same) == Some(false) {
                continue;
            }
            let found = self.then(at, Op::Assume(same), source);
            let op = op(self, Some(id));
            self.op(found, to, op, source);
            let other = self.program.not(same);
            at = self.then(at, Op::Assume(other), source);
        }
        let op = op(self, None);
        self.op(at, to, op, source);
    }

    /// The first thread of the site that was not made yet begins.
    fn spawn(
        &mut self,
        spawning: &Spawning,
        (start, argument): (ExprId, ExprId),
        dst: Option<PlaceId>,
        from: LocId,
        to: LocId,
        source: Source,
    ) {
        let source = Source { mark: Mark::Makes, ..source };
        let mut at = from;
        for &id in &spawning.threads {
            let thread = self.threads.threads[id].clone();
            let mut ops = Vec::new();
            if spawning.repeated && !thread.many {
                let free = self.counter_is(id, NOT_MADE);
                let taken = self.program.not(free);
                let next = self.then(at, Op::Assume(taken), source);
                ops.push(Op::Assume(free));
                self.begin(&thread, (start, argument), dst, id, &mut ops);
                self.straight(at, to, ops, source);
                at = next;
            } else {
                self.begin(&thread, (start, argument), dst, id, &mut ops);
                return self.straight(at, to, ops, source);
            }
        }
        let report = self.reports.call(self.reports.too_many_threads);
        let _ = self.then(at, report, source);
    }

    fn begin(
        &mut self,
        thread: &crate::sites::Thread,
        (start, argument): (ExprId, ExprId),
        dst: Option<PlaceId>,
        id: ThreadId,
        ops: &mut Vec<Op>,
    ) {
        let ghosts = thread.ghosts;
        if thread.starts.len() > 1 {
            let place = self.program.var_place(ghosts.start);
            ops.push(self.stored(place, start));
        }
        if thread.argument.is_none() {
            let place = self.program.var_place(ghosts.argument);
            ops.push(self.stored(place, argument));
        }
        ops.push(self.set(ghosts.counter, AT_START));
        match dst {
            Some(dst) if thread.many => ops.push(Op::Havoc(dst)),
            Some(dst) => {
                let number = self.program.int(self.program.place_ty(dst), Threads::number(id));
                ops.push(Op::Assign { dst, src: number });
            }
            None => {}
        }
    }

    fn straight(&mut self, mut at: LocId, to: LocId, ops: Vec<Op>, source: Source) {
        let last = ops.len().saturating_sub(1);
        for (position, op) in ops.into_iter().enumerate() {
            if position == last {
                self.op(at, to, op, source);
            } else {
                at = self.then(at, op, source);
            }
        }
    }

    /// The thread of that number is waited for from now on, unless it has ended.
    fn owe(&mut self, own: ThreadId, number: ExprId, from: LocId, to: LocId, source: Source) {
        let source = Source { mark: Mark::Owes, ..source.beside() };
        let ty = self.program.expr_ty(number);
        let mut at = from;
        for id in self.threads.threads.ids() {
            let named = self.program.int(ty, Threads::number(id));
            let same = self.program.binary(BinaryOp::Eq, number, named);
            let other = self.program.not(same);
            // Who joins itself gets an error and waits for nobody.
            if id == own {
                self.op(at, to, Op::Assume(same), source);
                at = self.then(at, Op::Assume(other), source);
                continue;
            }
            let found = self.then(at, Op::Assume(same), source);
            at = self.then(at, Op::Assume(other), source);
            let ended = self.counter_is(id, ENDED);
            let going = self.program.not(ended);
            self.op(found, to, Op::Assume(ended), source);
            let going = self.then(found, Op::Assume(going), source);
            let awaited = self.threads.threads[id].ghosts.awaited;
            let bit = self.waits_bit(own);
            let others = self.program.load_var(awaited);
            let src = self.program.binary(BinaryOp::BitOr, others, bit);
            let dst = self.program.var_place(awaited);
            self.op(going, to, Op::Assign { dst, src }, source);
        }
        let always = Op::Assume(self.program.int(gnomon_ir::types::Types::I32, 1));
        self.op(at, to, always, source.beside());
    }

    /// Whether all have ended that the thread waits for.
    fn settled(&mut self, own: ThreadId) -> ExprId {
        let mut all = self.program.zero(gnomon_ir::types::Types::U64);
        for id in self.threads.threads.ids() {
            let awaited = self.program.load_var(self.threads.threads[id].ghosts.awaited);
            all = self.program.binary(BinaryOp::BitOr, all, awaited);
        }
        let bit = self.waits_bit(own);
        let waits = self.program.binary(BinaryOp::BitAnd, all, bit);
        self.program.not(waits)
    }

    /// The bit of a thread among those that wait.
    fn waits_bit(&mut self, own: ThreadId) -> ExprId {
        self.program.int(gnomon_ir::types::Types::U64, 1i128 << own.0)
    }

    fn sleeps_on(&mut self, id: ThreadId, object: ExprId) -> ExprId {
        let ghost = self.threads.threads[id].ghosts.sleeps_on;
        let value = self.program.load_var(ghost);
        let object = self.program.cast(self.program.expr_ty(value), object);
        self.program.binary(BinaryOp::Eq, value, object)
    }

    fn wake(&mut self, id: ThreadId) -> Op {
        let ghost = self.threads.threads[id].ghosts.sleeps_on;
        let (dst, src) =
            (self.program.var_place(ghost), self.program.zero(self.program.vars[ghost].ty));
        Op::Assign { dst, src }
    }

    /// Any one of the threads that sleep on the object, or nobody if none does. The choice is a
    /// number, so that it is an input of the run.
    fn wake_one(&mut self, object: ExprId, from: LocId, to: LocId, source: Source) {
        let chosen = self.reports.chosen;
        let havoc = Op::Havoc(self.program.var_place(chosen));
        let asks = Source { mark: Mark::Asks, ..source };
        let mut at = self.then(from, havoc, asks);
        let value = self.program.load_var(chosen);
        let ty = self.program.vars[chosen].ty;
        let source = source.numbers();
        let mut nobody = at;
        let ids: Vec<ThreadId> = self.threads.threads.ids().collect();
        let none = self.program.int(ty, -1);
        let none = self.program.binary(BinaryOp::Eq, value, none);
        let some = self.program.not(none);
        nobody = self.then(nobody, Op::Assume(none), source);
        at = self.then(at, Op::Assume(some), source);
        for id in ids {
            let number = self.program.int(ty, Threads::number(id));
            let same = self.program.binary(BinaryOp::Eq, value, number);
            let other = self.program.not(same);
            let asleep = self.sleeps_on(id, object);
            let awake = self.program.not(asleep);
            let found = self.then(at, Op::Assume(same), source);
            let found = self.then(found, Op::Assume(asleep), source);
            let wake = self.wake(id);
            self.op(found, to, wake, source);
            at = self.then(at, Op::Assume(other), source);
            nobody = self.then(nobody, Op::Assume(awake), source);
        }
        let int = self.program.int(ty, 1);
        self.op(nobody, to, Op::Assume(int), source.beside());
    }

    fn wake_all(&mut self, object: ExprId, from: LocId, to: LocId, source: Source) {
        let source = source.numbers();
        let mut at = from;
        let ids: Vec<ThreadId> = self.threads.threads.ids().collect();
        let last = ids.last().copied();
        for id in ids {
            let next = if Some(id) == last { to } else { self.graph.add_loc() };
            let asleep = self.sleeps_on(id, object);
            let awake = self.program.not(asleep);
            let found = self.then(at, Op::Assume(asleep), source);
            let wake = self.wake(id);
            self.op(found, next, wake, source);
            self.op(at, next, Op::Assume(awake), source);
            at = next;
        }
    }

    /// From the entry to where the thread goes on.
    fn dispatch(&mut self, id: ThreadId) {
        let source =
            Source { span: Span::NONE, stmt: Program::NO_STMT, edge: None, mark: Mark::Nothing };
        let begins = self.counter_is(id, AT_START);
        let start = self.graph.start;
        let mut entry = Graph::ENTRY;
        let resumptions = self.graph.resumptions.clone();
        if self.reports.probes {
            entry = self.probe(id, source);
        }
        self.op(entry, start, Op::Assume(begins), source);
        for resumption in resumptions {
            let here = self.counter_is(id, i128::from(resumption.point.0));
            let source = Source { mark: Mark::Passes, ..source };
            self.op(entry, resumption.at, Op::Assume(here), source);
        }
    }

    /// A thread that stands before a section tries it and says whether it can move; any other one
    /// can. Gives where it begins if it really runs.
    fn probe(&mut self, id: ThreadId, source: Source) -> LocId {
        let probing = self.program.load_var(self.reports.probing);
        let running = self.program.not(probing);
        let probing = self.program.truth(probing);
        let on = self.then(Graph::ENTRY, Op::Assume(running), source);
        let mut at = self.then(Graph::ENTRY, Op::Assume(probing), source);
        for resumption in self.graph.resumptions.clone() {
            if !resumption.section {
                continue;
            }
            let here = self.counter_is(id, i128::from(resumption.point.0));
            let elsewhere = self.program.not(here);
            self.op(at, resumption.at, Op::Assume(here), source);
            at = self.then(at, Op::Assume(elsewhere), source);
        }
        let says = self.set(self.reports.moves, 1);
        self.op(at, Graph::EXIT, says, source);
        on
    }
}
