//! Explicit-state enumeration of concurrent programs: an interpreter of the model with a scheduler.
//!
//! It shares nothing with the reduction but the program: it asks no analysis what is shared (every
//! static variable and everything behind a pointer is), takes no call apart, and keeps states in a
//! set. A switch is possible before each access that is not to a local variable by its name. An
//! operation whose values are read one after the other is repeated with the values that it has read
//! so far.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::{Call, Callee, Cfa, Edge, EdgeId, LocId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{Library, NondetKind, classify};
use gnomon_ir::ops;
use gnomon_ir::program::{FuncId, InitItem, Program, Storage, VarId, source_name};
use gnomon_ir::types::Type;
use gnomon_threads::intrinsics::{Intrinsic, is_atomic_function};

/// Where something lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Object {
    Static(VarId),
    /// Of a thread and one of its open calls.
    Local(usize, usize, VarId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Bits(u128),
    Pointer(Object, i64),
    Function(FuncId),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    func: FuncId,
    loc: LocId,
    /// The call that it returns to.
    call: Option<EdgeId>,
    atomic: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Thread {
    frames: Vec<Frame>,
    /// What the operation at the location has read so far.
    read: Vec<Value>,
    depth: u32,
    /// What the thread was like where its section begins.
    restart: Option<Box<Thread>>,
    result: Option<Value>,
    ended: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    memory: BTreeMap<(Object, i64), Value>,
    threads: Vec<Thread>,
}

/// How a step can go on.
enum Next {
    State(State),
    /// The thread waits; the state is the one before its section.
    Blocked(State),
    Error,
    /// The program is over.
    Over,
}

/// Something that this interpreter does not know.
#[derive(Debug)]
pub struct NotKnown(pub String);

type Res<T> = Result<T, NotKnown>;

/// The end of an attempt to evaluate.
enum Stop {
    /// A value must be read first; it is read now, from there.
    Read(Value, (Object, i64)),
    NotKnown(String),
}

impl From<NotKnown> for Stop {
    fn from(NotKnown(what): NotKnown) -> Self {
        Stop::NotKnown(what)
    }
}

/// Where something is accessed, and whether it is written.
type Accessed = ((Object, i64), bool);

fn conflict(one: Accessed, other: Accessed) -> bool {
    one.0 == other.0 && (one.1 || other.1)
}

/// The search.
pub struct Explicit<'a> {
    program: &'a Program,
    entry: &'a str,
    limit: usize,
    /// Whether an error ends a run.
    errors: bool,
}

impl<'a> Explicit<'a> {
    /// Of a program with the models of thread libraries in it, or of a sequential one.
    pub fn new(program: &'a Program, entry: &'a str, limit: usize) -> Self {
        Self { program, entry, limit, errors: true }
    }

    /// Whether an error is reached within so many rounds, or in any number of them; `None` if there
    /// are too many states.
    pub fn finds_error(&self, rounds: Option<usize>) -> Res<Option<bool>> {
        self.search(rounds, false)
    }

    /// The same for an access while the thread that ran before stands before a conflicting one,
    /// neither in a section.
    pub fn finds_race(&self, rounds: Option<usize>) -> Res<Option<bool>> {
        Self { errors: false, ..*self }.search(rounds, true)
    }

    fn search(&self, rounds: Option<usize>, races: bool) -> Res<Option<bool>> {
        let main = self.program.find_function(self.entry).ok_or(NotKnown("no entry".into()))?;
        let mut memory = BTreeMap::new();
        self.initialize(&mut memory)?;
        let first = State { memory, threads: vec![thread(self.program, main)] };
        let mut seen = BTreeSet::new();
        let mut work = vec![(first, 0, 1, true, None)];
        while let Some(node) = work.pop() {
            if !seen.insert(node.clone()) {
                continue;
            }
            if seen.len() > self.limit {
                return Ok(None);
            }
            let (state, current, round, runs, before) = node;
            let thread = &state.threads[current];
            let stops =
                !runs || thread.ended || thread.depth == 0 && self.is_visible(&state, current);
            let access = if runs && races { self.next_access(&state, current)? } else { None };
            if let (Some(one), Some(other)) = (before, access)
                && conflict(one, other)
            {
                return Ok(Some(true));
            }
            if stops {
                for other in 0..state.threads.len() {
                    if other == current || state.threads[other].ended {
                        continue;
                    }
                    let begins = usize::from(other < current && rounds.is_some());
                    let round = round + begins;
                    if rounds.is_none_or(|most| round <= most) {
                        work.push((state.clone(), other, round, true, access));
                    }
                }
            }
            if !runs || thread.ended {
                continue;
            }
            for next in self.step(&state, current)? {
                match next {
                    Next::Error => return Ok(Some(true)),
                    Next::Over => {}
                    Next::State(state) => work.push((state, current, round, true, before)),
                    Next::Blocked(state) => work.push((state, current, round, false, None)),
                }
            }
        }
        Ok(Some(false))
    }

    fn initialize(&self, memory: &mut BTreeMap<(Object, i64), Value>) -> Res<()> {
        let state = State { memory: BTreeMap::new(), threads: Vec::new() };
        for (var, info) in self.program.vars.iter_ids() {
            let Storage::Static { init: Some(init), .. } = &info.storage else { continue };
            for item in &init.items {
                let InitItem::Value { place, value } = item else { continue };
                let eval = Eval { own: self, state: &state, thread: 0, used: 0, free: true };
                let ((object, offset), value) = {
                    let mut eval = eval;
                    (plain(eval.place(*place))?, plain(eval.expr(*value))?)
                };
                assert_eq!(object, Object::Static(var));
                memory.insert((object, offset), value);
            }
        }
        Ok(())
    }

    fn body(&self, func: FuncId) -> Option<&'a Cfa> {
        self.program.funcs[func].body.as_ref()
    }

    /// Whether the next step of a thread touches what others can see.
    fn is_visible(&self, state: &State, number: usize) -> bool {
        let thread = &state.threads[number];
        let Some(frame) = thread.frames.last() else { return false };
        let Some(body) = self.body(frame.func) else { return false };
        let is_main = number == 0 && thread.frames.len() == 1;
        if is_main && frame.loc == body.exit() {
            return true;
        }
        body.out_edges(frame.loc).iter().any(|&id| {
            let op = &body.edge(id).op;
            if is_main && matches!(op, Op::Return(_)) {
                return true;
            }
            if let Op::Call(Call { callee: Callee::Direct(callee), .. }) = op
                && (Intrinsic::of(self.program, *callee).is_some()
                    || is_atomic_function(source_name(&self.program.funcs[*callee].name)))
            {
                return true;
            }
            let mut eval = Eval { own: self, state, thread: number, used: 0, free: false };
            let stores = |place: Option<PlaceId>| place.is_some_and(|p| self.is_common(p));
            match op {
                Op::Assume(e) | Op::Return(Some(e)) => eval.expr(*e).is_err(),
                Op::Assign { dst, src } => eval.expr(*src).is_err() || stores(Some(*dst)),
                Op::Call(call) => {
                    call.args.iter().any(|&arg| eval.expr(arg).is_err()) || stores(call.dst)
                }
                Op::Havoc(place) => stores(Some(*place)),
                _ => false,
            }
        })
    }

    /// Where the next step of a thread reads or writes what others can see, outside of sections.
    fn next_access(&self, state: &State, number: usize) -> Res<Option<Accessed>> {
        let thread = &state.threads[number];
        let Some(frame) = thread.frames.last() else { return Ok(None) };
        let Some(body) = self.body(frame.func) else { return Ok(None) };
        if thread.depth > 0 || thread.ended {
            return Ok(None);
        }
        for &id in body.out_edges(frame.loc) {
            let mut eval = Eval { own: self, state, thread: number, used: 0, free: false };
            let mut reading = |exprs: &[ExprId]| {
                exprs.iter().find_map(|&e| match eval.expr(e) {
                    Err(Stop::Read(_, at)) => Some((at, false)),
                    _ => None,
                })
            };
            let found = match &body.edge(id).op {
                Op::Assume(e) | Op::Return(Some(e)) => reading(&[*e]),
                Op::Call(call) => reading(&call.args),
                Op::Assign { dst, src } => match reading(&[*src]) {
                    Some(read) => Some(read),
                    None => match eval.place(*dst) {
                        Ok(at) if self.is_common(*dst) => Some((at, true)),
                        Err(Stop::Read(_, at)) => Some((at, false)),
                        _ => None,
                    },
                },
                _ => None,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Whether a place may be seen by others: it is not a local variable by its name.
    fn is_common(&self, place: PlaceId) -> bool {
        match self.program.exprs.root_var(place) {
            Some(var) => matches!(self.program.vars[var].storage, Storage::Static { .. }),
            None => true,
        }
    }

    fn step(&self, state: &State, number: usize) -> Res<Vec<Next>> {
        let Some(frame) = state.threads[number].frames.last() else { return Ok(Vec::new()) };
        let body = self.body(frame.func).ok_or(NotKnown("no body".into()))?;
        if frame.loc == body.exit() {
            return self.leave(state, number, None);
        }
        let mut found = Vec::new();
        for &id in body.out_edges(frame.loc) {
            found.extend(self.edge(state, number, id, body.edge(id))?);
        }
        Ok(found)
    }

    fn edge(&self, state: &State, number: usize, id: EdgeId, edge: &Edge) -> Res<Vec<Next>> {
        let mut eval = Eval { own: self, state, thread: number, used: 0, free: false };
        let done = match &edge.op {
            Op::Skip | Op::Declare(_) => Ok(vec![Next::State(moved(state, number, edge.to))]),
            Op::Assume(e) => eval.expr(*e).map(|value| match is_true(value) {
                true => vec![Next::State(moved(state, number, edge.to))],
                false => Vec::new(),
            }),
            Op::Assign { dst, src } => (|| {
                let value = eval.expr(*src)?;
                let at = eval.place(*dst)?;
                let mut next = moved(state, number, edge.to);
                next.memory.insert(at, value);
                Ok(vec![Next::State(next)])
            })(),
            Op::Return(value) => match value.map(|e| eval.expr(e)).transpose() {
                Ok(value) => return self.leave(state, number, value),
                Err(stop) => Err(stop),
            },
            Op::Call(call) => return self.call(state, number, id, edge, call),
            Op::Havoc(place) => {
                // What is chosen is whether something happens; all else is written before it is
                // read.
                let root = self.program.exprs.root_var(*place);
                let name = root.map_or("", |var| self.program.vars[var].name.as_str());
                let values = if matches!(name, ".stops" | ".runs") { 0..2 } else { 0..1 };
                let stored = |bits| self.stored(state, number, edge.to, *place, Value::Bits(bits));
                return values.map(stored).collect();
            }
            other => Err(Stop::NotKnown(format!("{other:?}"))),
        };
        // A write to what others see is a step of its own behind the reads.
        settle(state, number, done)
    }

    fn leave(&self, state: &State, number: usize, value: Option<Value>) -> Res<Vec<Next>> {
        let mut next = state.clone();
        let thread = &mut next.threads[number];
        thread.read.clear();
        let Some(frame) = thread.frames.pop() else { return Ok(Vec::new()) };
        if frame.atomic {
            thread.depth -= 1;
        }
        let depth = thread.frames.len();
        let Some(caller) = thread.frames.last_mut() else {
            if number == 0 {
                return Ok(vec![Next::Over]);
            }
            thread.ended = true;
            thread.result = value;
            return Ok(vec![Next::State(next)]);
        };
        let body = self.body(caller.func).ok_or(NotKnown("no body".into()))?;
        let edge = body.edge(frame.call.ok_or(NotKnown("no call".into()))?);
        caller.loc = edge.to;
        next.memory.retain(|(object, _), _| {
            !matches!(object, Object::Local(t, d, _) if *t == number && *d == depth)
        });
        if let (Op::Call(Call { dst: Some(dst), .. }), Some(value)) = (&edge.op, value) {
            let mut eval = Eval { own: self, state: &next, thread: number, used: 0, free: true };
            let at = plain(eval.place(*dst))?;
            next.memory.insert(at, value);
        }
        Ok(vec![Next::State(next)])
    }

    fn call(
        &self,
        state: &State,
        number: usize,
        id: EdgeId,
        edge: &Edge,
        call: &Call,
    ) -> Res<Vec<Next>> {
        let Callee::Direct(func) = call.callee else { return Err(NotKnown("a pointer".into())) };
        let mut eval = Eval { own: self, state, thread: number, used: 0, free: false };
        let args: Result<Vec<Value>, Stop> = call.args.iter().map(|&arg| eval.expr(arg)).collect();
        let args = match args {
            Ok(args) => args,
            Err(stop) => return settle(state, number, Err(stop)),
        };
        let function = &self.program.funcs[func];
        let name = source_name(&function.name);
        if let Some(intrinsic) = Intrinsic::named(name) {
            return self.intrinsic(state, number, edge, call, intrinsic, &args);
        }
        if name == "reach_error" {
            return Ok(vec![match self.errors {
                true => Next::Error,
                false => Next::State(moved(state, number, edge.to)),
            }]);
        }
        let Some(body) = self.body(func) else {
            let Library::Nondet(NondetKind::Bool) = classify(name, self.program.types.target())
            else {
                return Err(NotKnown(name.to_owned()));
            };
            let dst = call.dst.ok_or(NotKnown("no result".into()))?;
            let stored =
                [0, 1].map(|bit| self.stored(state, number, edge.to, dst, Value::Bits(bit)));
            return stored.into_iter().collect();
        };
        let mut next = state.clone();
        let thread = &mut next.threads[number];
        thread.read.clear();
        let depth = thread.frames.len();
        let atomic = is_atomic_function(name);
        if atomic {
            if thread.depth == 0 {
                thread.restart = None;
            }
            thread.depth += 1;
        }
        thread.frames.push(Frame { func, loc: body.entry(), call: Some(id), atomic });
        for (&param, value) in function.params.iter().zip(args) {
            next.memory.insert((Object::Local(number, depth, param), 0), value);
        }
        Ok(vec![Next::State(next)])
    }

    fn stored(
        &self,
        state: &State,
        number: usize,
        to: LocId,
        dst: PlaceId,
        value: Value,
    ) -> Res<Next> {
        let mut next = moved(state, number, to);
        let mut eval = Eval { own: self, state: &next, thread: number, used: 0, free: true };
        let at = plain(eval.place(dst))?;
        next.memory.insert(at, value);
        Ok(Next::State(next))
    }

    fn intrinsic(
        &self,
        state: &State,
        number: usize,
        edge: &Edge,
        call: &Call,
        intrinsic: Intrinsic,
        args: &[Value],
    ) -> Res<Vec<Next>> {
        let mut next = moved(state, number, edge.to);
        let bits = |value: Option<&Value>| match value {
            Some(Value::Bits(bits)) => Ok(*bits as usize),
            _ => Err(NotKnown("a number is needed".into())),
        };
        let mut result = None;
        match intrinsic {
            Intrinsic::AtomicBegin => {
                let thread = &mut next.threads[number];
                if thread.depth == 0 {
                    let mut before = state.threads[number].clone();
                    before.restart = None;
                    thread.restart = Some(Box::new(before));
                }
                thread.depth += 1;
            }
            Intrinsic::AtomicEnd => {
                let thread = &mut next.threads[number];
                thread.depth -= 1;
                if thread.depth == 0 {
                    thread.restart = None;
                }
            }
            Intrinsic::Await => {
                if args.first().copied().is_some_and(is_true) {
                    return Ok(vec![Next::State(next)]);
                }
                let restart = next.threads[number].restart.clone();
                let in_own_section = next.threads[number].depth == 1;
                let (Some(restart), true) = (restart, in_own_section) else {
                    return Ok(Vec::new());
                };
                next.threads[number] = *restart;
                // Local variables of the section are written again.
                return Ok(vec![Next::Blocked(next)]);
            }
            Intrinsic::Itself => result = Some(Value::Bits(number as u128 + 1)),
            Intrinsic::Spawn => {
                let Some(&Value::Function(func)) = args.first() else {
                    return Err(NotKnown("a function is needed".into()));
                };
                let new = next.threads.len();
                next.threads.push(thread(self.program, func));
                let param = self.program.funcs[func].params.first();
                if let (Some(&param), Some(&argument)) = (param, args.get(1)) {
                    next.memory.insert((Object::Local(new, 0, param), 0), argument);
                }
                result = Some(Value::Bits(new as u128 + 1));
            }
            Intrinsic::ExitThread => {
                let thread = &mut next.threads[number];
                thread.ended = true;
                thread.result = args.first().copied();
                return Ok(vec![Next::State(next)]);
            }
            Intrinsic::Ended => {
                let other = bits(args.first())?.wrapping_sub(1);
                let ended = next.threads.get(other).is_none_or(|thread| thread.ended);
                result = Some(Value::Bits(u128::from(ended)));
            }
            Intrinsic::ResultOf => {
                let other = bits(args.first())?.wrapping_sub(1);
                let known = next.threads.get(other).and_then(|thread| thread.result);
                result = Some(known.unwrap_or(Value::Bits(0)));
            }
            Intrinsic::Misuse => {}
            other => return Err(NotKnown(format!("{other:?}"))),
        }
        if let (Some(dst), Some(value)) = (call.dst, result) {
            let mut eval = Eval { own: self, state: &next, thread: number, used: 0, free: true };
            let at = plain(eval.place(dst))?;
            next.memory.insert(at, value);
        }
        Ok(vec![Next::State(next)])
    }
}

fn thread(program: &Program, func: FuncId) -> Thread {
    let loc = program.funcs[func].body.as_ref().map_or(LocId(0), Cfa::entry);
    let frames = vec![Frame { func, loc, call: None, atomic: false }];
    Thread { frames, read: Vec::new(), depth: 0, restart: None, result: None, ended: false }
}

/// The thread behind an edge.
fn moved(state: &State, number: usize, to: LocId) -> State {
    let mut next = state.clone();
    let thread = &mut next.threads[number];
    thread.read.clear();
    if let Some(frame) = thread.frames.last_mut() {
        frame.loc = to;
    }
    next
}

/// A value that had to be read first is read now; the operation is tried again later.
fn settle(state: &State, number: usize, done: Result<Vec<Next>, Stop>) -> Res<Vec<Next>> {
    match done {
        Ok(next) => Ok(next),
        Err(Stop::NotKnown(what)) => Err(NotKnown(what)),
        Err(Stop::Read(value, _)) => {
            let mut next = state.clone();
            next.threads[number].read.push(value);
            Ok(vec![Next::State(next)])
        }
    }
}

fn plain<T>(result: Result<T, Stop>) -> Res<T> {
    result.map_err(|stop| match stop {
        Stop::Read(..) => NotKnown("an access in a place that has none".into()),
        Stop::NotKnown(what) => NotKnown(what),
    })
}

fn is_true(value: Value) -> bool {
    !matches!(value, Value::Bits(0))
}

/// Evaluates with what was read so far.
struct Eval<'a, 'p> {
    own: &'a Explicit<'p>,
    state: &'a State,
    thread: usize,
    used: usize,
    /// Reads are no steps of their own.
    free: bool,
}

impl Eval<'_, '_> {
    fn place(&mut self, place: PlaceId) -> Result<(Object, i64), Stop> {
        let program = self.own.program;
        match program.exprs.place(place).kind {
            PlaceKind::Var(var) => Ok((self.variable(var), 0)),
            PlaceKind::Deref(pointer) => match self.expr(pointer)? {
                Value::Pointer(object, offset) => Ok((object, offset)),
                other => Err(Stop::NotKnown(format!("{other:?} is followed"))),
            },
            PlaceKind::Field(base, number) => {
                let (_, record) = program
                    .types
                    .as_record(program.place_ty(base))
                    .ok_or(NotKnown("a record is needed".into()))?;
                let offset = record.fields[number as usize].offset as i64;
                let (object, at) = self.place(base)?;
                Ok((object, at + offset))
            }
            PlaceKind::Index(base, index) => {
                let size = program.types.size(program.exprs.place(place).ty) as i64;
                let (object, at) = self.place(base)?;
                let Value::Bits(index) = self.expr(index)? else {
                    return Err(Stop::NotKnown("an index".into()));
                };
                Ok((object, at + index as i64 * size))
            }
        }
    }

    fn variable(&self, var: VarId) -> Object {
        match self.own.program.vars[var].storage {
            Storage::Static { .. } => Object::Static(var),
            _ => {
                let depth = self.state.threads[self.thread].frames.len();
                Object::Local(self.thread, depth.saturating_sub(1), var)
            }
        }
    }

    fn expr(&mut self, e: ExprId) -> Result<Value, Stop> {
        let program = self.own.program;
        let found = program.exprs.expr(e);
        Ok(match found.kind {
            ExprKind::Const(c) => Value::Bits(program.exprs.bits(c)),
            ExprKind::Zero => Value::Bits(0),
            ExprKind::FuncAddr(func) => Value::Function(func),
            ExprKind::AddrOf(place) => {
                let (object, offset) = self.place(place)?;
                Value::Pointer(object, offset)
            }
            ExprKind::Load(place) => {
                let at = self.place(place)?;
                if self.free || !self.own.is_common(place) {
                    return Ok(self.contents(at));
                }
                // In a section nobody can write between two reads, and none is a step.
                let thread = &self.state.threads[self.thread];
                if thread.depth > 0 {
                    return Ok(self.contents(at));
                }
                let known = thread.read.get(self.used).copied();
                self.used += 1;
                match known {
                    Some(value) => value,
                    None => return Err(Stop::Read(self.contents(at), at)),
                }
            }
            ExprKind::Cast(a) => {
                let value = self.expr(a)?;
                let (from, to) =
                    (program.types.scalar(program.expr_ty(a)), program.types.scalar(found.ty));
                match (value, from, to) {
                    (Value::Bits(bits), Some(from), Some(to)) => {
                        Value::Bits(ops::cast(from, to, bits))
                    }
                    (value, ..) => value,
                }
            }
            ExprKind::Unary(op, a) => {
                let scalar = self.scalar(a)?;
                Value::Bits(ops::unary(op, scalar, self.bits(a)?))
            }
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (self.expr(a)?, self.expr(b)?);
                match (left, right) {
                    (Value::Bits(left), Value::Bits(right)) => {
                        let (x, y) = (self.scalar(a)?, self.scalar(b)?);
                        let bits = ops::binary(op, x, left, y, right);
                        Value::Bits(bits.map_err(|_| NotKnown("a trap".into()))?)
                    }
                    // Addresses as numbers: objects lie apart, in the order of their names.
                    (left, right) => match (op, left, right) {
                        (BinaryOp::Add, Value::Pointer(object, at), Value::Bits(more)) => {
                            Value::Pointer(object, at + more as i64)
                        }
                        (BinaryOp::Lt, ..) => Value::Bits(u128::from(left < right)),
                        (BinaryOp::Eq, ..) => Value::Bits(u128::from(left == right)),
                        (BinaryOp::Ne, ..) => Value::Bits(u128::from(left != right)),
                        _ => return Err(Stop::NotKnown(format!("{op:?} of addresses"))),
                    },
                }
            }
            ExprKind::PtrAdd(a, b) => {
                let size = match program.types.get(program.expr_ty(a)) {
                    Type::Pointer(to) => program.types.size(*to) as i64,
                    _ => 1,
                };
                match (self.expr(a)?, self.expr(b)?) {
                    (Value::Pointer(object, at), Value::Bits(index)) => {
                        Value::Pointer(object, at + index as i64 * size)
                    }
                    _ => return Err(Stop::NotKnown("a pointer is needed".into())),
                }
            }
            ExprKind::PtrDiff(..) => return Err(Stop::NotKnown("a difference".into())),
        })
    }

    fn contents(&self, at: (Object, i64)) -> Value {
        self.state.memory.get(&at).copied().unwrap_or(Value::Bits(0))
    }

    fn bits(&mut self, e: ExprId) -> Result<u128, Stop> {
        match self.expr(e)? {
            Value::Bits(bits) => Ok(bits),
            _ => Err(Stop::NotKnown("a number is needed".into())),
        }
    }

    fn scalar(&self, e: ExprId) -> Result<ops::Scalar, Stop> {
        let program = self.own.program;
        let scalar = program.types.scalar(program.expr_ty(e));
        scalar.ok_or(Stop::NotKnown("a scalar is needed".into()))
    }
}
