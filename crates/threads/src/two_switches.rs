//! Two threads, two context switches.
//!
//! The first thread runs; before an operation on what both can see, control may go to the second
//! one, once; that one runs, stops before any such operation or at its end, and the first goes on.
//! As a sequential program that is a call: where a switch is possible, a function is called that
//! runs the second thread, and the second thread may return from wherever it is (as in KISS, Qadeer
//! and Wu, PLDI 2004, which LAL 5.5 refines to a query about all points at once).
//!
//! Both threads may run the same functions, so nothing is copied: a ghost says whose turn it is.
//!
//! An operation of the model is one step: `x = x + 1` is not interrupted between its read and its
//! write. This is a note of the program.

use gnomon_ir::cfa::{Call, Callee, Cfa, CfaBuilder, Edge, EdgeId, LocId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Initializer, Note, Program, Storage, Var, VarId};
use gnomon_ir::span::Span;
use gnomon_ir::types::TypeId;

use crate::sequential::declare;

/// The sequential program.
#[derive(Clone, Debug)]
pub struct Switched {
    /// The program.
    pub program: Program,
    /// Where it starts: a function that runs the first thread.
    pub entry: String,
    /// The function that runs the second thread: wherever the first one calls it, a switch is
    /// possible.
    pub switch: FuncId,
}

/// A thread cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoThread {
    /// There is no such function.
    #[error("there is no function `{0}` with a body to run as a thread")]
    NoFunction(String),
    /// It takes what cannot be made up.
    #[error("`{0}` takes a number of arguments that varies and cannot run as a thread")]
    Variadic(String),
}

/// Runs `first` and `second` as threads after `before`, if that is given.
pub fn two_switches(
    program: &Program,
    before: Option<&str>,
    first: &str,
    second: &str,
) -> Result<Switched, NoThread> {
    let (first, second) = (thread(program, first)?, thread(program, second)?);
    let before = before.map(|name| thread(program, name)).transpose()?;
    let mut program = program.clone();
    let ghosts = Ghosts::new(&mut program);
    let switch = declare(&mut program, ".switch");
    let functions: Vec<FuncId> = program.funcs.iter_ids().map(|(id, _)| id).collect();
    for func in functions {
        if let Some(body) = program.funcs[func].body.take() {
            let body = Rewriting { program: &mut program, ghosts, switch }.function(&body);
            program.funcs[func].body = Some(body);
        }
    }
    let on_second = [(ghosts.switched, 1), (ghosts.turn, 2)];
    let body = thread_body(
        &mut program,
        switch,
        &on_second,
        second,
        &[(ghosts.turn, 1), (ghosts.stopped, 0)],
    );
    program.funcs[switch].body = Some(body);
    let entry = declare(&mut program, ".threads");
    let body = entry_body(&mut program, entry, ghosts, before, first, switch);
    program.funcs[entry].body = Some(body);
    program.add_note(Note {
        kind: "threads",
        message: "an operation on shared data is one step, and memory is sequentially consistent"
            .to_owned(),
        span: Span::NONE,
    });
    let entry = program.funcs[entry].name.clone();
    Ok(Switched { program, entry, switch })
}

fn thread(program: &Program, name: &str) -> Result<FuncId, NoThread> {
    let found = program.find_function(name).filter(|f| program.funcs[*f].body.is_some());
    let func = found.ok_or_else(|| NoThread::NoFunction(name.to_owned()))?;
    let variadic = program.types.signature(program.funcs[func].ty).is_some_and(|s| s.variadic);
    if variadic { Err(NoThread::Variadic(name.to_owned())) } else { Ok(func) }
}

/// What the model remembers of the schedule.
#[derive(Clone, Copy)]
struct Ghosts {
    /// 0 before the threads start, 1 and 2 for the thread that runs.
    turn: VarId,
    /// Whether the switch has happened.
    switched: VarId,
    /// Whether the second thread has stopped, and all its functions return.
    stopped: VarId,
    /// Whether something happens at a point where it may.
    choice: VarId,
}

impl Ghosts {
    fn new(program: &mut Program) -> Self {
        let ty = program.types.int(32, true);
        let mut ghost = |name: &str| {
            let init = Some(Initializer::default());
            let storage = Storage::Static { init, thread_local: false, read_only: false };
            let name = name.to_owned();
            program.vars.push(Var { name, ty, storage, address_taken: false, span: Span::NONE })
        };
        let [turn, switched, stopped, choice] =
            [".turn", ".switched", ".stopped", ".choice"].map(&mut ghost);
        Self { turn, switched, stopped, choice }
    }
}

fn edge(from: LocId, to: LocId, op: Op) -> Edge {
    Edge { from, to, op, span: Span::NONE, stmt: Program::NO_STMT }
}

fn set(program: &mut Program, var: VarId, value: i128) -> Op {
    let ty = program.vars[var].ty;
    let (dst, src) = (program.var_place(var), program.int(ty, value));
    Op::Assign { dst, src }
}

/// A call with arguments that can be anything.
fn call_with_any(program: &mut Program, caller: FuncId, callee: FuncId) -> Vec<Op> {
    let types: Vec<TypeId> =
        program.funcs[callee].params.iter().map(|&p| program.vars[p].ty).collect();
    let mut ops = Vec::new();
    let mut args = Vec::new();
    for ty in types {
        let number = program.funcs[caller].locals.len();
        let (name, storage) = (format!(".any{number}"), Storage::Local(caller));
        let var = Var { name, ty, storage, address_taken: false, span: Span::NONE };
        let var = program.vars.push(var);
        program.funcs[caller].locals.push(var);
        ops.push(Op::Havoc(program.var_place(var)));
        args.push(program.load_var(var));
    }
    ops.push(Op::Call(Call { dst: None, callee: Callee::Direct(callee), args: args.into() }));
    ops
}

fn thread_body(
    program: &mut Program,
    own: FuncId,
    before: &[(VarId, i128)],
    runs: FuncId,
    after: &[(VarId, i128)],
) -> Cfa {
    let mut ops: Vec<Op> = before.iter().map(|&(v, n)| set(program, v, n)).collect();
    ops.extend(call_with_any(program, own, runs));
    ops.extend(after.iter().map(|&(v, n)| set(program, v, n)));
    straight(&ops)
}

fn entry_body(
    program: &mut Program,
    own: FuncId,
    ghosts: Ghosts,
    before: Option<FuncId>,
    first: FuncId,
    switch: FuncId,
) -> Cfa {
    let mut ops = before.map_or_else(Vec::new, |f| call_with_any(program, own, f));
    ops.push(set(program, ghosts.turn, 1));
    ops.extend(call_with_any(program, own, first));
    let mut builder = CfaBuilder::new();
    let mut at = builder.entry();
    for op in ops {
        let next = builder.add_loc();
        builder.add_edge(edge(at, next, op));
        at = next;
    }
    // The second thread may also run when the first is at its end.
    let (switched, exit) = (program.load_var(ghosts.switched), builder.exit());
    let unswitched = program.not(switched);
    let last = builder.add_loc();
    builder.add_edge(edge(at, exit, Op::Assume(switched)));
    builder.add_edge(edge(at, last, Op::Assume(unswitched)));
    let call = Call { dst: None, callee: Callee::Direct(switch), args: Box::new([]) };
    builder.add_edge(edge(last, exit, Op::Call(call)));
    builder.finish()
}

fn straight(ops: &[Op]) -> Cfa {
    let mut builder = CfaBuilder::new();
    let mut at = builder.entry();
    for (position, op) in ops.iter().enumerate() {
        let is_last = position + 1 == ops.len();
        let next = if is_last { builder.exit() } else { builder.add_loc() };
        builder.add_edge(edge(at, next, op.clone()));
        at = next;
    }
    builder.finish()
}

/// One function.
struct Rewriting<'a> {
    program: &'a mut Program,
    ghosts: Ghosts,
    switch: FuncId,
}

impl Rewriting<'_> {
    fn function(&mut self, body: &Cfa) -> Cfa {
        let mut builder = CfaBuilder::new();
        for _ in 2..body.loc_count() {
            builder.add_loc();
        }
        for loc in body.locs() {
            let edges = body.out_edges(loc);
            let shared = edges.iter().find(|&&e| self.is_shared(&body.edge(e).op));
            let from = match shared {
                Some(&first) => self.switch_point(&mut builder, body.edge(first), loc),
                None => loc,
            };
            for &id in edges {
                self.edge(&mut builder, Edge { from, ..body.edge(id).clone() });
            }
        }
        for label in body.labels() {
            builder.add_label(label.clone());
        }
        builder.finish()
    }

    /// An edge; behind a call the second thread may have stopped.
    fn edge(&mut self, builder: &mut CfaBuilder, own: Edge) {
        if !matches!(own.op, Op::Call(_)) {
            builder.add_edge(own);
            return;
        }
        let called = builder.add_loc();
        let (span, stmt, to) = (own.span, own.stmt, own.to);
        builder.add_edge(Edge { to: called, ..own });
        let stopped = self.program.load_var(self.ghosts.stopped);
        let going = self.program.not(stopped);
        let exit = builder.exit();
        builder.add_edge(Edge { from: called, to, op: Op::Assume(going), span, stmt });
        builder.add_edge(Edge { from: called, to: exit, op: Op::Assume(stopped), span, stmt });
    }

    /// Before an operation on shared data: the first thread may switch, the second may stop. Gives
    /// where the operation goes on.
    fn switch_point(&mut self, builder: &mut CfaBuilder, of: &Edge, loc: LocId) -> LocId {
        let Ghosts { turn, switched, stopped, choice } = self.ghosts;
        let program = &mut *self.program;
        let int = program.vars[turn].ty;
        let is = |program: &mut Program, var: VarId, value: i128| {
            let (left, right) = (program.load_var(var), program.int(int, value));
            program.binary(gnomon_ir::expr::BinaryOp::Eq, left, right)
        };
        let first = is(program, turn, 1);
        let second = is(program, turn, 2);
        let fresh = is(program, switched, 0);
        let stop = set(program, stopped, 1);
        let call = Call { dst: None, callee: Callee::Direct(self.switch), args: Box::new([]) };
        let chosen = is(program, choice, 1);
        let refused = program.not(chosen);
        let (not_first, not_fresh, not_second) =
            (program.not(first), program.not(fresh), program.not(second));
        let any = Op::Havoc(program.var_place(choice));
        let mut fresh_loc = || builder.add_loc();
        let [on, asked, may, may_switch, switching, others, stopping] =
            std::array::from_fn(|_| fresh_loc());
        let exit = builder.exit();
        for (from, to, op) in [
            (loc, asked, any),
            (asked, on, Op::Assume(refused)),
            (asked, may, Op::Assume(chosen)),
            (may, may_switch, Op::Assume(first)),
            (may, others, Op::Assume(not_first)),
            (may_switch, switching, Op::Assume(fresh)),
            (may_switch, on, Op::Assume(not_fresh)),
            (switching, on, Op::Call(call)),
            (others, stopping, Op::Assume(second)),
            (others, on, Op::Assume(not_second)),
            (stopping, exit, stop),
        ] {
            builder.add_edge(Edge { from, to, op, span: of.span, stmt: of.stmt });
        }
        on
    }

    /// Whether an operation reads or writes what another thread can see.
    fn is_shared(&self, op: &Op) -> bool {
        match op {
            Op::Skip | Op::Declare(_) | Op::Return(None) => false,
            Op::Assume(e) | Op::Return(Some(e)) => self.reads_shared(*e),
            Op::Assign { dst, src } => self.is_shared_place(*dst) || self.reads_shared(*src),
            Op::Call(call) => {
                let without_body = match call.callee {
                    Callee::Direct(func) => self.program.funcs[func].body.is_none(),
                    Callee::Indirect(_) => false,
                };
                call.args.iter().any(|&arg| self.reads_shared(arg))
                    || call.dst.is_some_and(|dst| self.is_shared_place(dst))
                    || (without_body
                        && call
                            .args
                            .iter()
                            .any(|&a| self.program.types.is_pointer(self.program.expr_ty(a))))
            }
            Op::Havoc(place) | Op::VaStart(place) | Op::VaEnd(place) => {
                self.is_shared_place(*place)
            }
            Op::Alloca { dst, size } => self.is_shared_place(*dst) || self.reads_shared(*size),
            Op::VaArg { dst, list } => self.is_shared_place(*dst) || self.is_shared_place(*list),
            Op::VaCopy { dst, src } => self.is_shared_place(*dst) || self.is_shared_place(*src),
            Op::HavocMemory => true,
        }
    }

    fn reads_shared(&self, e: ExprId) -> bool {
        match self.program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => false,
            ExprKind::Load(place) => self.is_shared_place(place),
            ExprKind::AddrOf(place) => self.reads_on_the_way(place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.reads_shared(a),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                self.reads_shared(a) || self.reads_shared(b)
            }
        }
    }

    fn is_shared_place(&self, place: PlaceId) -> bool {
        let is_shared_var = |var: VarId| {
            let info = &self.program.vars[var];
            match info.storage {
                Storage::Static { thread_local, read_only, .. } => !thread_local && !read_only,
                Storage::Param(_) | Storage::Local(_) => info.address_taken,
            }
        };
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(var) => is_shared_var(var),
            PlaceKind::Deref(_) => true,
            PlaceKind::Field(base, _) => self.is_shared_place(base),
            PlaceKind::Index(base, index) => self.is_shared_place(base) || self.reads_shared(index),
        }
    }

    /// What is read to find out where a place is.
    fn reads_on_the_way(&self, place: PlaceId) -> bool {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => false,
            PlaceKind::Deref(pointer) => self.reads_shared(pointer),
            PlaceKind::Field(base, _) => self.reads_on_the_way(base),
            PlaceKind::Index(base, index) => {
                self.reads_on_the_way(base) || self.reads_shared(index)
            }
        }
    }
}

impl Switched {
    /// The edges at which the first thread can switch, with their functions.
    pub fn switch_points(&self) -> Vec<(FuncId, EdgeId)> {
        let calls_switch = |op: &Op| matches!(op, Op::Call(Call { callee: Callee::Direct(f), .. }) if *f == self.switch);
        let mut points = Vec::new();
        for (func, function) in self.program.funcs.iter_ids() {
            let edges = function.body.iter().flat_map(|body| body.edges().iter_ids());
            points.extend(edges.filter(|(_, e)| calls_switch(&e.op)).map(|(id, _)| (func, id)));
        }
        points
    }
}
