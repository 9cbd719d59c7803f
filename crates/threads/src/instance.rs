//! The automaton of one thread.
//!
//! All calls that touch shared data or synchronise become part of it, each with its own locations.
//! A location is looked at once for each [`Mode`]: inside or outside of an atomic section, before
//! or behind the making of the first other thread. Before an access to shared data the thread may
//! stop: it stores where it is in its program counter and returns. An operation with several
//! accesses to shared data becomes several steps, with a variable for each value that was read.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gnomon_budget::Budget;
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Cfa, Edge, EdgeId, LocId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Program, Storage, Var, VarId, source_name};
use gnomon_ir::span::Span;
use gnomon_ir::types::TypeId;

use crate::counters::{Known, Values};
use crate::frames::{Frame, FrameId, Mode};
use crate::graph::{ENDED, Graph, Mark, Point, Resumption, Source};
use crate::loops::Cycles;
use crate::operands::{Access, for_each_place};
use crate::races::RaceGhosts;
use crate::refused::Refused;
use crate::sequential::Options;
use crate::sharing::{Concerns, Sharing};
use crate::sites::{ThreadGhosts, ThreadId, Threads};
use crate::updates;

/// What is known of the program before threads are taken apart.
pub struct Facts {
    /// The automata of all functions.
    pub bodies: Vec<Option<Rc<Cfa>>>,
    /// Where `_Atomic` variables are changed by operators, in one step.
    pub updates: BTreeSet<Span>,
    /// What threads share.
    pub sharing: Sharing,
    /// Which functions touch shared data.
    pub concerns: Concerns,
    /// Variables that are written in their function.
    pub written: BTreeSet<VarId>,
    /// Which locations lie on cycles.
    pub cycles: Cycles,
    /// Variables whose values are followed.
    pub counters: BTreeSet<VarId>,
    /// Functions whose calls are errors: they stay calls.
    pub opaque: BTreeSet<FuncId>,
}

impl Facts {
    /// The automaton of a function.
    pub fn body(&self, func: FuncId) -> Option<&Rc<Cfa>> {
        self.bodies.get(func.index()).and_then(Option::as_ref)
    }
}

/// A location of a call in a mode.
type Key = (FrameId, LocId, Mode);

/// A thread whose automaton is being made.
pub struct Instance<'a> {
    pub(crate) program: &'a mut Program,
    pub(crate) facts: &'a Facts,
    pub(crate) threads: &'a mut Threads,
    pub(crate) options: &'a Options,
    pub(crate) budget: &'a Budget,
    /// Which thread.
    pub(crate) id: ThreadId,
    /// The function that runs it.
    pub(crate) func: FuncId,
    pub(crate) graph: Graph,
    pub(crate) frames: Vec<Frame>,
    /// Its own copies of thread-local variables.
    pub(crate) own: BTreeMap<VarId, VarId>,
    /// Whether to stop at a point where that is possible.
    pub(crate) stops: VarId,
    /// What all threads and the driver know.
    pub(crate) common: Ghosts,
    /// What becomes of points where threads can stop: a call of this function, where functions
    /// stay as they are.
    pub(crate) point: Option<FuncId>,
    /// Its variables.
    pub(crate) locals: Vec<VarId>,
    /// The values of variables that count.
    pub(crate) values: Values,
    /// Those of the location that is looked at.
    pub(crate) known: Known,
    /// What was met that cannot be looked at.
    pub(crate) refused: Option<Refused>,
    locs: BTreeMap<Key, LocId>,
    work: Vec<Key>,
}

/// Variables that all threads and the driver know.
#[derive(Clone, Copy)]
pub struct Ghosts {
    /// Set when the program ends with its first thread.
    pub over: VarId,
    /// Set while threads only say whether they can move.
    pub probing: VarId,
    /// Set by a thread that can.
    pub moves: VarId,
    /// What is remembered to find data races, if that is asked for.
    pub race: Option<RaceGhosts>,
}

/// How large the automaton of a thread may become.
const MAX_ARROWS: usize = 200_000;

impl<'a> Instance<'a> {
    /// A thread with nothing in it yet.
    #[expect(clippy::too_many_arguments, reason = "it borrows what the reduction owns")]
    pub(crate) fn new(
        program: &'a mut Program,
        facts: &'a Facts,
        threads: &'a mut Threads,
        options: &'a Options,
        budget: &'a Budget,
        id: ThreadId,
        func: FuncId,
        common: Ghosts,
    ) -> Self {
        let int = program.types.int(32, true);
        let stops = program.vars.push(Var {
            name: ".stops".to_owned(),
            ty: int,
            storage: Storage::Local(func),
            address_taken: false,
            span: Span::NONE,
        });
        Self {
            program,
            facts,
            threads,
            options,
            budget,
            id,
            func,
            graph: Graph::new(),
            frames: Vec::new(),
            own: BTreeMap::new(),
            stops,
            common,
            point: None,
            locals: vec![stops],
            values: Values::default(),
            known: Known::default(),
            refused: None,
            locs: BTreeMap::new(),
            work: Vec::new(),
        }
    }

    /// Looks at all that the thread can reach.
    pub(crate) fn run(&mut self) -> Result<(), Refused> {
        let start = self.graph.start;
        let known = Known::default();
        let mode =
            Mode { section: None, depth: 0, alone: self.id.0 == 0, fresh: false, known, owes: 0 };
        self.start_functions(start, mode)?;
        self.explore()?;
        self.repeat_spawns()
    }

    /// Looks at all locations that were met.
    pub(crate) fn explore(&mut self) -> Result<(), Refused> {
        while let Some(key) = self.work.pop() {
            if self.budget.check().is_err() {
                return Err(Refused::out_of_budget());
            }
            if self.graph.arrows.len() > MAX_ARROWS {
                return Err(Refused::too_large(&self.program.funcs[self.func].name));
            }
            self.location(key)?;
        }
        Ok(())
    }

    /// The ghosts of this thread.
    pub(crate) fn ghosts(&self) -> ThreadGhosts {
        self.threads.threads[self.id].ghosts
    }

    /// A new variable of this thread.
    pub(crate) fn local(&mut self, name: String, ty: TypeId, span: Span) -> VarId {
        let storage = Storage::Local(self.func);
        let var = self.program.vars.push(Var { name, ty, storage, address_taken: false, span });
        self.locals.push(var);
        var
    }

    /// A variable for a value that was read.
    pub(crate) fn temporary(&mut self, ty: TypeId, span: Span) -> VarId {
        let name = format!(".read{}.{}", self.locals.len(), self.id.0);
        self.local(name, ty, span)
    }

    /// Where a location of a call is.
    pub(crate) fn loc(&mut self, key: Key) -> LocId {
        let (frame, at, mode) = self.returned(key);
        let known = self.values.at(frame, at, mode.known);
        let key = (frame, at, Mode { known, ..mode });
        if let Some(&loc) = self.locs.get(&key) {
            return loc;
        }
        let loc = self.graph.add_loc();
        self.set_loc(key, loc);
        loc
    }

    /// Makes a location of a call be where the thread already is.
    pub(crate) fn set_loc(&mut self, key: Key, loc: LocId) {
        self.locs.insert(key, loc);
        self.work.push(key);
    }

    /// The end of a call without a result is where the caller goes on.
    fn returned(&mut self, mut key: Key) -> Key {
        loop {
            let (frame, loc, mode) = key;
            let Frame { func, returns, .. } = &self.frames[frame.0 as usize];
            let exit = self.facts.body(*func).map(|body| body.exit());
            match returns {
                Some(returns) if returns.dst.is_none() && Some(loc) == exit => {
                    let (to, leaves) = ((returns.frame, returns.to), returns.leaves_section);
                    key = (to.0, to.1, self.after_call(frame, mode, leaves));
                }
                _ => return key,
            }
        }
    }

    /// The mode behind a call.
    fn after_call(&mut self, frame: FrameId, mode: Mode, leaves_section: bool) -> Mode {
        let known = self.values.without(mode.known, frame);
        let mode = Mode { known, ..mode };
        if leaves_section { mode.left() } else { mode }
    }

    fn location(&mut self, key: Key) -> Result<(), Refused> {
        let (frame, loc, mode) = key;
        let from = self.locs[&key];
        self.known = mode.known;
        let func = self.frames[frame.0 as usize].func;
        let Some(body) = self.facts.body(func).cloned() else { return Ok(()) };
        if mode.owes > 0 && !self.may_owe_at(&body, frame, loc) {
            self.settle(&body, key, from);
            return Ok(());
        }
        if loc == body.exit() && self.point.is_some() {
            return Ok(());
        }
        if loc == body.exit() {
            self.leave(frame, from, mode);
            return Ok(());
        }
        let edges = body.out_edges(loc);
        if edges.iter().all(|&e| matches!(body.edge(e).op, Op::Assume(_))) {
            self.branch(&body, edges, frame, from, mode);
            return Ok(());
        }
        for &id in edges {
            let edge = body.edge(id);
            let source = source_of(edge, func, id);
            // Of several edges that are open at once, one is chosen first.
            let from = match edges.len() {
                1 => from,
                _ => self.chosen(from, source),
            };
            self.edge(edge, id, frame, from, mode, source)?;
        }
        Ok(())
    }

    /// A location behind a choice between edges.
    pub(crate) fn chosen(&mut self, from: LocId, source: Source) -> LocId {
        let always = self.always();
        self.graph.then(from, always, source.beside())
    }

    /// An operation that does nothing. Unlike [`Op::Skip`] it is never left out, so that edges
    /// keep their numbers.
    pub(crate) fn always(&mut self) -> Op {
        let int = self.program.types.int(32, true);
        Op::Assume(self.program.int(int, 1))
    }

    /// The end of a call or of the thread.
    fn leave(&mut self, frame: FrameId, from: LocId, mode: Mode) {
        let Frame { returns, result, func, .. } = self.frames[frame.0 as usize].clone();
        let span = self.program.funcs[func].span;
        let source = Source { span, stmt: Program::NO_STMT, edge: None, mark: Mark::Nothing };
        match (returns, result) {
            (None, _) => {
                // The end of the program ends the other threads too.
                let ends_program = self.id.0 == 0;
                let from = match ends_program {
                    true => self.switch_point(from, mode, source),
                    false => from,
                };
                self.end_thread(from, source, ends_program);
            }
            (Some(returns), result) => {
                let after = self.after_call(frame, mode, returns.leaves_section);
                self.known = after.known;
                let to = self.loc((returns.frame, returns.to, after));
                match (returns.dst, result) {
                    (Some(dst), Some(result)) => {
                        let value = self.program.load_var(result);
                        self.store(returns.frame, from, to, dst, value, after, source);
                    }
                    _ => {
                        let always = self.always();
                        self.graph.op(from, to, always, source);
                    }
                }
            }
        }
    }

    /// The thread ends, and the program with it if this is how `main` returns.
    pub(crate) fn end_thread(&mut self, from: LocId, source: Source, ends_program: bool) {
        let counter = self.ghosts().counter;
        let mut from = from;
        if ends_program {
            let over = self.set(self.common.over, 1);
            from = self.graph.then(from, over, source);
        }
        from = self.forget_access(from, source);
        if self.joins_later() {
            let nobody = self.set(self.ghosts().awaited, 0);
            from = self.graph.then(from, nobody, source.beside());
        }
        let end = self.set(counter, ENDED);
        self.graph.op(from, Graph::EXIT, end, source);
    }

    /// Sets an integer variable.
    pub(crate) fn set(&mut self, var: VarId, value: i128) -> Op {
        let ty = self.program.vars[var].ty;
        let (dst, src) = (self.program.var_place(var), self.program.int(ty, value));
        Op::Assign { dst, src }
    }

    /// A point where the thread may stop, unless no other can run. Gives where it goes on.
    pub(crate) fn switch_point(&mut self, from: LocId, mode: Mode, source: Source) -> LocId {
        if mode.is_quiet() {
            return from;
        }
        let source = source.beside();
        if let Some(point) = self.point {
            let (callee, args) = (Callee::Direct(point), Box::new([]));
            return self.graph.then(from, Op::Call(Call { dst: None, callee, args }), source);
        }
        let point = self.graph.next_point();
        let on = self.graph.add_loc();
        self.may_stop(from, on, point, source);
        self.graph.resumptions.push(Resumption {
            point,
            at: on,
            section: false,
            span: source.span,
        });
        on
    }

    /// Either stops at the point or goes on.
    pub(crate) fn may_stop(&mut self, from: LocId, on: LocId, point: Point, source: Source) {
        let stopping = self.may_go_on(from, on, source);
        self.stop(stopping, point, source);
    }

    /// Goes on, or to where the thread stops, which is given.
    pub(crate) fn may_go_on(&mut self, from: LocId, on: LocId, source: Source) -> LocId {
        let havoc = Op::Havoc(self.program.var_place(self.stops));
        let asked = self.graph.then(from, havoc, source);
        let stops = self.program.load_var(self.stops);
        let goes_on = self.program.not(stops);
        let stops = self.program.truth(stops);
        let passes = Source { mark: Mark::Passes, ..source };
        self.graph.op(asked, on, Op::Assume(goes_on), passes);
        self.graph.then(asked, Op::Assume(stops), source)
    }

    /// Stops at the point.
    pub(crate) fn stop(&mut self, from: LocId, point: Point, source: Source) {
        let counter = self.ghosts().counter;
        let stop = self.set(counter, i128::from(point.0));
        let source = Source { edge: None, ..source };
        let from = self.forget_access(from, source);
        self.graph.op(from, Graph::EXIT, stop, source);
    }

    /// While the thread only says whether it can move, it says so here and goes no further.
    pub(crate) fn says_it_moves(&mut self, from: LocId, mode: Mode, source: Source) -> LocId {
        if !self.options.reported.deadlock || !mode.fresh {
            return from;
        }
        let source = source.beside();
        let probing = self.program.load_var(self.common.probing);
        let running = self.program.not(probing);
        let probing = self.program.truth(probing);
        let moves = self.graph.then(from, Op::Assume(probing), source);
        let says = self.set(self.common.moves, 1);
        self.graph.op(moves, Graph::EXIT, says, source);
        self.graph.then(from, Op::Assume(running), source)
    }

    /// Whether an operation of a section leaves a trace that others can see.
    fn leaves_trace(&self, op: &Op) -> bool {
        let dst = match op {
            Op::Assign { dst, .. } | Op::Havoc(dst) => *dst,
            Op::HavocMemory => return true,
            _ => return false,
        };
        let root = self.program.exprs.root_var(dst);
        root.is_none_or(|var| matches!(self.program.vars[var].storage, Storage::Static { .. }))
    }

    /// The shared places that an operation of a frame's function touches, in order.
    pub(crate) fn shared_accesses(&self, op: &Op) -> Vec<(PlaceId, Access)> {
        let mut found = Vec::new();
        for_each_place(self.program, op, &mut |place, access| found.push((place, access)));
        found.retain(|&(place, _)| self.facts.sharing.is_shared(self.program, place));
        found
    }

    /// A point before an access to a place of the frame's function.
    fn point_before(
        &mut self,
        frame: FrameId,
        from: LocId,
        mode: Mode,
        source: Source,
        (place, access): (PlaceId, Access),
    ) -> LocId {
        let place = self.place(frame, place);
        self.access_point(from, mode, source, (place, access))
    }

    fn edge(
        &mut self,
        edge: &Edge,
        id: EdgeId,
        frame: FrameId,
        from: LocId,
        mode: Mode,
        source: Source,
    ) -> Result<(), Refused> {
        let func = self.frames[frame.0 as usize].func;
        match &edge.op {
            Op::Call(call) => return self.call(call, id, edge, frame, from, mode, source),
            Op::Return(Some(value)) if self.point.is_some() => {
                let op = Op::Return(Some(*value));
                let (at, value) = self.evaluated(frame, from, &op, *value, mode, source);
                self.graph.op(at, Graph::EXIT, Op::Return(Some(value)), source);
            }
            op @ (Op::Return(None)
            | Op::Alloca { .. }
            | Op::VaStart(_)
            | Op::VaArg { .. }
            | Op::VaCopy { .. }
            | Op::VaEnd(_))
                if self.point.is_some() =>
            {
                let to = self.loc((frame, edge.to, mode));
                self.graph.op(from, to, op.clone(), source);
            }
            Op::Return(value) => {
                let to = self.loc((frame, edge.to, mode));
                match (*value, self.frames[frame.0 as usize].result) {
                    (Some(value), Some(result)) => {
                        let op = Op::Return(Some(value));
                        let (at, value) = self.evaluated(frame, from, &op, value, mode, source);
                        let ty = self.program.vars[result].ty;
                        let src = self.program.cast(ty, value);
                        let dst = self.program.var_place(result);
                        self.graph.op(at, to, Op::Assign { dst, src }, source);
                    }
                    _ => {
                        let always = self.always();
                        self.graph.op(from, to, always, source);
                    }
                }
            }
            Op::Alloca { .. } => {
                let name = source_name(&self.program.funcs[func].name);
                return Err(Refused::alloca(name, edge.span));
            }
            Op::VaStart(_) | Op::VaArg { .. } | Op::VaCopy { .. } | Op::VaEnd(_) => {
                let name = source_name(&self.program.funcs[func].name);
                return Err(Refused::variadic(name, edge.span));
            }
            Op::Skip if edge.to == edge.from => {
                let to = self.loc((frame, edge.to, mode));
                let at = self.switch_point(from, mode, source);
                let always = self.always();
                self.graph.op(at, to, always, source);
            }
            op => {
                let after = self.counted(frame, op, mode);
                let (mut from, mut after) = (from, after);
                if mode.fresh && self.leaves_trace(op) {
                    from = self.says_it_moves(from, mode, source);
                    after.fresh = false;
                }
                let to = self.loc((frame, edge.to, after));
                self.operation(frame, from, to, op, mode, source);
            }
        }
        Ok(())
    }

    /// The mode behind an operation that may change a variable that counts.
    fn counted(&mut self, frame: FrameId, op: &Op, mode: Mode) -> Mode {
        let (var, value) = match *op {
            Op::Assign { dst, src } => match self.program.exprs.place(dst).kind {
                PlaceKind::Var(var) => (var, Some(src)),
                _ => return mode,
            },
            Op::Declare(var) => (var, None),
            _ => return mode,
        };
        let many = self.options.kinds && self.threads.threads[self.id].many;
        if many || !self.facts.counters.contains(&var) {
            return mode;
        }
        let value = value.map(|src| self.expr(frame, src));
        let value = value.filter(|&value| self.program.as_int(value).is_some());
        let known = self.values.with(mode.known, frame, var, value);
        Mode { known, ..mode }
    }

    /// An operation without calls: one step if it touches shared data at most once.
    fn operation(
        &mut self,
        frame: FrameId,
        from: LocId,
        to: LocId,
        op: &Op,
        mode: Mode,
        source: Source,
    ) {
        let accesses = if mode.is_quiet() { Vec::new() } else { self.shared_accesses(op) };
        let accesses = match self.facts.updates.contains(&source.span) {
            true => updates::point_of(&accesses),
            false => accesses,
        };
        let always = self.always();
        let op = match op {
            Op::Assign { dst, src } if accesses.len() > 1 => {
                let (at, value) = self.split_expr(frame, from, *src, mode, source);
                return self.store(frame, at, to, *dst, value, mode, source);
            }
            Op::Assign { dst, src } => {
                let (dst, src) = (self.place(frame, *dst), self.expr(frame, *src));
                Op::Assign { dst, src: self.retyped(dst, src) }
            }
            Op::Havoc(place) if accesses.len() > 1 => {
                let (at, place) = self.split_place(frame, from, *place, mode, source);
                let at = self.access_point(at, mode, source, (place, Access::Write));
                return self.graph.op(at, to, Op::Havoc(place), source);
            }
            Op::Havoc(place) => Op::Havoc(self.place(frame, *place)),
            Op::Declare(var) => Op::Declare(self.variable(frame, *var)),
            Op::HavocMemory => {
                let at = self.switch_point(from, mode, source);
                return self.graph.op(at, to, Op::HavocMemory, source);
            }
            _ => always,
        };
        let at = match accesses.first() {
            None => from,
            Some(&access) => self.point_before(frame, from, mode, source, access),
        };
        self.graph.op(at, to, op, source);
    }

    /// A value as the place has it: parts of objects that were found by their address can have a
    /// type of the same size that is written otherwise.
    fn retyped(&mut self, dst: PlaceId, src: ExprId) -> ExprId {
        let ty = self.program.place_ty(dst);
        match self.program.types.is_scalar(ty) {
            true => self.program.cast(ty, src),
            false => src,
        }
    }

    /// Stores a value that is known into a place of the frame's function.
    #[expect(clippy::too_many_arguments, reason = "an edge in a context")]
    pub(crate) fn store(
        &mut self,
        frame: FrameId,
        from: LocId,
        to: LocId,
        dst: PlaceId,
        value: ExprId,
        mode: Mode,
        source: Source,
    ) {
        let op = Op::Havoc(dst);
        let accesses = if mode.is_quiet() { Vec::new() } else { self.shared_accesses(&op) };
        let (at, dst) = match accesses.len() {
            0 => (from, self.place(frame, dst)),
            1 => {
                let at = self.point_before(frame, from, mode, source, accesses[0]);
                (at, self.place(frame, dst))
            }
            _ => {
                let (at, place) = self.split_place(frame, from, dst, mode, source);
                let shared = self.facts.sharing.is_shared(self.program, dst);
                let at = match shared {
                    true => self.access_point(at, mode, source, (place, Access::Write)),
                    false => at,
                };
                (at, place)
            }
        };
        let src = self.retyped(dst, value);
        self.graph.op(at, to, Op::Assign { dst, src }, source);
    }

    /// The value of an expression that is part of an operation: with a step for each shared read
    /// if the operation has several, and a switch point before the only one.
    pub(crate) fn evaluated(
        &mut self,
        frame: FrameId,
        from: LocId,
        op: &Op,
        e: ExprId,
        mode: Mode,
        source: Source,
    ) -> (LocId, ExprId) {
        let accesses = if mode.is_quiet() { Vec::new() } else { self.shared_accesses(op) };
        match accesses.len() {
            0 => (from, self.expr(frame, e)),
            1 => {
                let at = self.point_before(frame, from, mode, source, accesses[0]);
                (at, self.expr(frame, e))
            }
            _ => self.split_expr(frame, from, e, mode, source),
        }
    }

    /// Whether it is known which of the edges is taken.
    pub(crate) fn is_decided(&mut self, body: &Cfa, edges: &[EdgeId], frame: FrameId) -> bool {
        edges.iter().all(|&id| match body.edge(id).op {
            Op::Assume(e) => {
                let e = self.expr(frame, e);
                known_truth(self.program, e).is_some()
            }
            _ => false,
        })
    }

    /// The edges of a branch: what they read is read once, before one of them is taken.
    fn branch(&mut self, body: &Cfa, edges: &[EdgeId], frame: FrameId, from: LocId, mode: Mode) {
        let func = self.frames[frame.0 as usize].func;
        let source_of = |id: EdgeId| source_of(body.edge(id), func, id);
        let Some(&first) = edges.first() else { return };
        let source = source_of(first);
        let accesses: Vec<Vec<(PlaceId, Access)>> = match mode.is_quiet() {
            true => vec![Vec::new(); edges.len()],
            false => edges.iter().map(|&e| self.shared_accesses(&body.edge(e).op)).collect(),
        };
        let alike = accesses.windows(2).all(|pair| pair[0] == pair[1]);
        let most = accesses.iter().map(Vec::len).max().unwrap_or(0);
        let mut at = from;
        let mut conditions = Vec::new();
        if most == 0 || most == 1 && alike {
            // A loop that nobody else can notice may never end: others run meanwhile.
            let turns = edges.len() > 1 && self.facts.cycles.contains(func, body.edge(first).from);
            if let Some(&access) = accesses.iter().flatten().next() {
                at = self.point_before(frame, at, mode, source, access);
            } else if turns && !self.is_decided(body, edges, frame) {
                at = self.switch_point(at, mode, source);
            }
            for &id in edges {
                let Op::Assume(e) = body.edge(id).op else { continue };
                conditions.push(self.expr(frame, e));
            }
        } else {
            let mut reads = crate::steps::Reads::new(alike);
            for &id in edges {
                let Op::Assume(e) = body.edge(id).op else { continue };
                reads.restart();
                let (next, e) = self.split_with(&mut reads, frame, at, e, mode, source);
                at = next;
                conditions.push(e);
            }
        }
        for (&id, condition) in edges.iter().zip(conditions) {
            let op = match known_truth(self.program, condition) {
                Some(false) => continue,
                Some(true) => self.always(),
                None => Op::Assume(condition),
            };
            let to = self.loc((frame, body.edge(id).to, mode));
            self.graph.op(at, to, op, source_of(id));
        }
    }
}

/// Whether a condition holds, if that is known: a variable's address is not null.
fn known_truth(program: &Program, condition: ExprId) -> Option<bool> {
    let mut plain = condition;
    while let ExprKind::Cast(inner) = program.exprs.expr(plain).kind {
        plain = inner;
    }
    match program.exprs.expr(plain).kind {
        ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => {
            let address = matches!(program.exprs.expr(a).kind, ExprKind::AddrOf(_));
            let null = program.as_truth(b) == Some(false);
            match address && null && program.as_truth(a) == Some(true) {
                true => Some(op == BinaryOp::Ne),
                false => program.as_truth(condition),
            }
        }
        _ => program.as_truth(condition),
    }
}

/// Where an edge of a function comes from.
pub(crate) fn source_of(edge: &Edge, func: FuncId, id: EdgeId) -> Source {
    Source { span: edge.span, stmt: edge.stmt, edge: Some((func, id)), mark: Mark::Nothing }
}
