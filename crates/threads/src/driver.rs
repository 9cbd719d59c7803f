//! The function that calls the threads in turn.

use gnomon_ir::cfa::{Call, Callee, CfaBuilder, Edge, LocId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId};
use gnomon_ir::program::{FuncId, Function, Initializer, Program, Storage, Var, VarId};
use gnomon_ir::span::Span;
use gnomon_ir::types::Types;

use crate::graph::{ENDED, NOT_MADE};
use crate::sequential::{Reports, Rounds, ThreadInfo, declared};

/// What the driver drives.
pub struct Driver<'a> {
    /// The threads.
    pub threads: &'a [ThreadInfo],
    /// What it reports to.
    pub reports: &'a Reports,
    /// Set when the program is over.
    pub over: VarId,
    /// The variables of the first thread that take the arguments of the program, in order.
    pub arguments: &'a [Option<VarId>],
}

/// The name of the function.
pub const NAME: &str = ".threads";

/// Adds the function that runs all threads; it takes what the program's entry function takes.
pub fn add(program: &mut Program, driver: &Driver<'_>, entry: FuncId, rounds: Rounds) -> FuncId {
    let Function { ty, params, span, .. } = program.funcs[entry].clone();
    let func = program.funcs.push(Function {
        name: NAME.to_owned(),
        ty,
        params: Vec::new(),
        locals: Vec::new(),
        body: None,
        no_return: false,
        span,
    });
    let mut own = Vec::new();
    for &param in &params {
        let Var { name, ty, span, .. } = program.vars[param].clone();
        let storage = Storage::Param(func);
        own.push(program.vars.push(Var { name, ty, storage, address_taken: false, span }));
    }
    let storage = Storage::Local(func);
    let variable = |program: &mut Program, name: &str, storage: Storage| {
        let (name, ty, span) = (name.to_owned(), Types::I32, Span::NONE);
        program.vars.push(Var { name, ty, storage, address_taken: false, span })
    };
    let runs = variable(program, ".runs", storage);
    let fixed = Storage::Static {
        init: Some(Initializer::default()),
        thread_local: false,
        read_only: false,
    };
    let last = variable(program, ".last", fixed);
    program.funcs[func].params = own.clone();
    program.funcs[func].locals = vec![runs];
    let builder = CfaBuilder::new();
    let mut driving = Driving { program, driver, builder, runs, last, finale: None };
    let mut at = driving.builder.entry();
    for (&param, target) in own.iter().zip(driver.arguments) {
        let Some(target) = *target else { continue };
        // An argument that nobody reads stayed a variable of the thread.
        if !matches!(driving.program.vars[target].storage, Storage::Static { .. }) {
            continue;
        }
        let (dst, src) = (driving.program.var_place(target), driving.program.load_var(param));
        at = driving.then(at, Op::Assign { dst, src });
    }
    match rounds {
        Rounds::Bounded(count) => driving.rounds(at, count),
        Rounds::Unbounded => driving.forever(at),
    }
    let body = driving.builder.finish();
    program.funcs[func].body = Some(body);
    func
}

/// Adds a function that reports a deadlock if no thread can move.
pub fn add_probe(program: &mut Program, driver: &Driver<'_>) -> FuncId {
    let func = declared(program, ".stuck");
    let (builder, unused) = (CfaBuilder::new(), driver.over);
    let mut driving =
        Driving { program, driver, builder, runs: unused, last: unused, finale: None };
    let entry = driving.builder.entry();
    let begin = driving.deadlock();
    let always = driving.program.int(Types::I32, 1);
    driving.edge(entry, begin, Op::Assume(always));
    let body = driving.builder.finish();
    program.funcs[func].body = Some(body);
    func
}

struct Driving<'a> {
    program: &'a mut Program,
    driver: &'a Driver<'a>,
    builder: CfaBuilder,
    /// Whether the next thread runs.
    runs: VarId,
    /// The thread that ran last.
    last: VarId,
    /// Where deadlocks are looked for.
    finale: Option<LocId>,
}

impl Driving<'_> {
    fn edge(&mut self, from: LocId, to: LocId, op: Op) {
        self.builder.add_edge(Edge { from, to, op, span: Span::NONE, stmt: Program::NO_STMT });
    }

    fn then(&mut self, from: LocId, op: Op) -> LocId {
        let to = self.builder.add_loc();
        self.edge(from, to, op);
        to
    }

    fn compare(&mut self, op: BinaryOp, var: VarId, value: i128) -> ExprId {
        let ty = self.program.vars[var].ty;
        let (left, right) = (self.program.load_var(var), self.program.int(ty, value));
        self.program.binary(op, left, right)
    }

    fn set(&mut self, var: VarId, value: i128) -> Op {
        let ty = self.program.vars[var].ty;
        let (dst, src) = (self.program.var_place(var), self.program.int(ty, value));
        Op::Assign { dst, src }
    }

    /// A thread runs for one context; where that leads if the program is not over.
    fn context(&mut self, from: LocId, thread: usize) -> LocId {
        let &ThreadInfo { func, counter, .. } = &self.driver.threads[thread];
        let made = self.compare(BinaryOp::Ne, counter, NOT_MADE);
        let going = self.compare(BinaryOp::Ne, counter, ENDED);
        let at = self.then(from, Op::Assume(made));
        let at = self.then(at, Op::Assume(going));
        let call = Call { dst: None, callee: Callee::Direct(func), args: Box::new([]) };
        let at = self.then(at, Op::Call(call));
        let ran = self.set(self.last, thread as i128);
        let at = self.then(at, ran);
        if thread != 0 {
            return at;
        }
        let over = self.program.load_var(self.driver.over);
        let going = self.program.not(over);
        let over = self.program.truth(over);
        let exit = self.builder.exit();
        self.edge(at, exit, Op::Assume(over));
        self.then(at, Op::Assume(going))
    }

    /// Chooses: the first location is taken if the thread runs, the second if it does not.
    fn choice(&mut self, from: LocId) -> (LocId, LocId) {
        let havoc = Op::Havoc(self.program.var_place(self.runs));
        let asked = self.then(from, havoc);
        let runs = self.program.load_var(self.runs);
        let rests = self.program.not(runs);
        let runs = self.program.truth(runs);
        (self.then(asked, Op::Assume(runs)), self.then(asked, Op::Assume(rests)))
    }

    fn rounds(&mut self, from: LocId, count: usize) {
        let threads = self.driver.threads.len();
        // The first thread is alone at first.
        let mut ran = Some(self.context(from, 0));
        for round in 0..count {
            let mut idle: Option<LocId> = None;
            if round > 0 {
                idle = ran.take();
            }
            for thread in usize::from(round == 0)..threads {
                (ran, idle) = self.turn(ran, idle, thread);
            }
            // A round in which nobody runs is the end.
            if let Some(idle) = idle {
                self.end(idle);
            }
        }
        if let Some(ran) = ran {
            if !self.driver.reports.tries_more {
                return self.end(ran);
            }
            let (ends, goes_on) = self.choice(ran);
            self.end(ends);
            self.more(goes_on);
        }
    }

    /// Nobody runs any more: can nobody?
    fn end(&mut self, from: LocId) {
        let exit = self.builder.exit();
        let always = self.program.int(Types::I32, 1);
        if !self.driver.reports.probes {
            return self.edge(from, exit, Op::Assume(always));
        }
        let end = match self.finale {
            Some(end) => end,
            None => self.deadlock(),
        };
        self.edge(from, end, Op::Assume(always));
    }

    /// Asks all threads whether they can move.
    fn deadlock(&mut self) -> LocId {
        let exit = self.builder.exit();
        let begin = self.builder.add_loc();
        self.finale = Some(begin);
        let probing = self.set(self.driver.reports.probing, 1);
        let mut at = self.then(begin, probing);
        let mut waiting = Vec::new();
        for thread in self.driver.threads {
            let made = self.compare(BinaryOp::Ne, thread.counter, NOT_MADE);
            let going = self.compare(BinaryOp::Ne, thread.counter, ENDED);
            let callee = Callee::Direct(thread.func);
            let call = Op::Call(Call { dst: None, callee, args: Box::new([]) });
            let asked = self.builder.add_loc();
            let there = self.unless(at, made, asked);
            let there = self.unless(there, going, asked);
            self.edge(there, asked, call);
            at = asked;
            waiting.push((made, going));
        }
        let moves = self.program.load_var(self.driver.reports.moves);
        let stuck = self.program.not(moves);
        let mut at = self.unless(at, stuck, exit);
        for (made, going) in waiting {
            let next = self.builder.add_loc();
            let there = self.unless(at, made, next);
            let there = self.unless(there, going, next);
            let report = self.driver.reports.call(self.driver.reports.deadlock);
            self.edge(there, exit, report);
            at = next;
        }
        let always = self.program.int(Types::I32, 1);
        self.edge(at, exit, Op::Assume(always));
        begin
    }

    /// Leads to `other` unless the condition holds.
    fn unless(&mut self, from: LocId, condition: ExprId, other: LocId) -> LocId {
        let fails = self.program.not(condition);
        self.edge(from, other, Op::Assume(fails));
        self.then(from, Op::Assume(condition))
    }

    /// One thread's turn in a round: `ran` if another one ran before it in this round, `idle` if
    /// none did. Then only one that could not have run in the round before can begin this one.
    fn turn(
        &mut self,
        ran: Option<LocId>,
        idle: Option<LocId>,
        thread: usize,
    ) -> (Option<LocId>, Option<LocId>) {
        let begins = self.builder.add_loc();
        let mut rests = Vec::new();
        let mut still_idle = None;
        if let Some(at) = ran {
            let (runs, rest) = self.choice(at);
            let always = self.program.int(Types::I32, 1);
            self.edge(runs, begins, Op::Assume(always));
            rests.push(rest);
        }
        if let Some(at) = idle {
            if thread + 1 < self.driver.threads.len() {
                let (runs, rest) = self.choice(at);
                let allowed = self.compare(BinaryOp::Gt, self.last, thread as i128);
                self.edge(runs, begins, Op::Assume(allowed));
                still_idle = Some(rest);
            } else {
                still_idle = Some(at);
            }
        }
        let after = self.context(begins, thread);
        for rest in rests {
            let always = self.program.int(Types::I32, 1);
            self.edge(rest, after, Op::Assume(always));
        }
        (Some(after), still_idle)
    }

    /// Whether another round could begin.
    fn more(&mut self, from: LocId) {
        let exit = self.builder.exit();
        let mut at = from;
        for thread in 0..self.driver.threads.len().saturating_sub(1) {
            let (runs, rests) = self.choice(at);
            let allowed = self.compare(BinaryOp::Gt, self.last, thread as i128);
            let begins = self.then(runs, Op::Assume(allowed));
            let ran = self.context(begins, thread);
            let report = self.driver.reports.call(self.driver.reports.more_contexts);
            self.edge(ran, exit, report);
            at = rests;
        }
        let always = self.program.int(Types::I32, 1);
        self.edge(at, exit, Op::Assume(always));
    }

    fn forever(&mut self, from: LocId) {
        let head = self.context(from, 0);
        let mut at = head;
        for thread in 0..self.driver.threads.len() {
            let (runs, rests) = self.choice(at);
            let other = self.compare(BinaryOp::Ne, self.last, thread as i128);
            let begins = self.then(runs, Op::Assume(other));
            let ran = self.context(begins, thread);
            let always = self.program.int(Types::I32, 1);
            self.edge(ran, head, Op::Assume(always));
            at = rests;
        }
        self.end(at);
    }
}
