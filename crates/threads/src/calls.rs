//! Calls in a thread: intrinsics, calls that become part of it, and those that stay calls.

use std::collections::BTreeMap;

use gnomon_ir::cfa::{Call, Callee, Edge, EdgeId, LocId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, InitItem, Program, Storage, VarId, source_name};
use gnomon_ir::span::Span;
use gnomon_ir::types::Types;

use crate::frames::{Frame, FrameId, Mode, Return, is_constant};
use crate::graph::{Action, Arrow, Graph, Mark, Resumption, Source};
use crate::instance::Instance;
use crate::intrinsics::{Intrinsic, is_atomic_function, reports};
use crate::refused::Refused;
use crate::sequential::Rounds;
use crate::sharing::{Concern, ends_run};
use crate::sites::{SpawnSite, Spawning, Threads};

/// A call on an edge of a frame's function.
#[derive(Clone, Copy)]
pub(crate) struct Calling<'e> {
    pub(crate) call: &'e Call,
    id: EdgeId,
    pub(crate) edge: &'e Edge,
    pub(crate) frame: FrameId,
    pub(crate) mode: Mode,
    pub(crate) source: Source,
}

impl Instance<'_> {
    /// The first call of the thread.
    pub(crate) fn start_functions(&mut self, from: LocId, mode: Mode) -> Result<(), Refused> {
        let thread = self.threads.threads[self.id].clone();
        let (pointer, argument) = (thread.ghosts.start, thread.ghosts.argument);
        for &start in &thread.starts {
            let Some(body) = self.facts.body(start).cloned() else { continue };
            let span = self.program.funcs[start].span;
            let source = Source { span, stmt: Program::NO_STMT, edge: None, mark: Mark::Nothing };
            let mut at = from;
            if thread.starts.len() > 1 {
                let condition = self.points_at(pointer, start);
                at = self.graph.then(at, Op::Assume(condition), source);
            }
            let signature = self.program.types.signature(self.program.funcs[start].ty);
            let result = signature.map(|s| s.result).filter(|&ty| ty != Types::VOID);
            let mut frame = Frame {
                func: start,
                returns: None,
                result: result.map(|_| thread.ghosts.result).filter(|_| self.id.0 != 0),
                constants: BTreeMap::new(),
                copies: BTreeMap::new(),
            };
            let params = self.program.funcs[start].params.clone();
            let id = FrameId(self.frames.len() as u32);
            let mut stores = Vec::new();
            if self.id.0 != 0
                && let Some(&param) = params.first()
            {
                let ty = self.program.vars[param].ty;
                match thread.argument {
                    Some(known) if !self.is_written(param) => {
                        let known = self.program.cast(ty, known);
                        frame.constants.insert(param, known);
                    }
                    known => {
                        let value = match known {
                            Some(known) => known,
                            None => self.program.load_var(argument),
                        };
                        stores.push((param, self.program.cast(ty, value)));
                    }
                }
            }
            self.frames.push(frame);
            for (param, value) in stores {
                let copy = self.variable(id, param);
                let dst = self.program.var_place(copy);
                at = self.graph.then(at, Op::Assign { dst, src: value }, source);
            }
            if thread.starts.len() > 1 || at != from {
                self.set_loc((id, body.entry(), mode), at);
            } else {
                self.set_loc((id, body.entry(), mode), from);
            }
        }
        Ok(())
    }

    /// The variables that take the arguments of the function that the thread starts with, where
    /// they are used.
    pub(crate) fn entry_arguments(&self, entry: FuncId) -> Vec<Option<VarId>> {
        let copies = self.frames.first().map(|frame| &frame.copies);
        let params = self.program.funcs[entry].params.iter();
        params.map(|param| copies.and_then(|copies| copies.get(param).copied())).collect()
    }

    fn is_written(&self, var: VarId) -> bool {
        self.facts.written.contains(&var) || self.program.vars[var].address_taken
    }

    /// Whether a pointer to a function, in a ghost, is the function.
    fn points_at(&mut self, pointer: VarId, func: FuncId) -> ExprId {
        let value = self.program.load_var(pointer);
        let address = self.program.func_addr(func);
        let address = self.program.cast(self.program.expr_ty(value), address);
        self.program.binary(BinaryOp::Eq, value, address)
    }

    #[expect(clippy::too_many_arguments, reason = "an edge in a context")]
    pub(crate) fn call(
        &mut self,
        call: &Call,
        id: EdgeId,
        edge: &Edge,
        frame: FrameId,
        from: LocId,
        mode: Mode,
        source: Source,
    ) -> Result<(), Refused> {
        let calling = Calling { call, id, edge, frame, mode, source };
        if self.point.is_some() {
            self.kept(calling, from);
            return Ok(());
        }
        match call.callee {
            Callee::Direct(func) => self.direct(calling, func, from),
            Callee::Indirect(pointer) => self.indirect(calling, pointer, from),
        }
    }

    /// A call in a function that stays as it is: atomic functions say where they begin and end.
    fn kept(&mut self, calling: Calling<'_>, from: LocId) {
        let Calling { call, edge, frame, mode, source, .. } = calling;
        let atomic = match call.callee {
            Callee::Direct(func) => is_atomic_function(source_name(&self.program.funcs[func].name)),
            Callee::Indirect(_) => false,
        };
        if !atomic {
            return self.plain(calling, call.callee, from);
        }
        let section = |instance: &mut Self, name: &str| {
            let func = crate::sequential::declared(instance.program, name);
            Op::Call(Call { dst: None, callee: Callee::Direct(func), args: Box::new([]) })
        };
        let begin = section(self, "__gnomon_atomic_begin");
        let at = self.graph.then(from, begin, source.beside());
        let dst = call.dst.map(|dst| self.place(frame, dst));
        let args = call.args.iter().map(|&arg| self.expr(frame, arg)).collect();
        let called = Op::Call(Call { dst, callee: call.callee, args });
        let at = self.graph.then(at, called, source);
        let end = section(self, "__gnomon_atomic_end");
        let to = self.loc((frame, edge.to, mode));
        self.graph.op(at, to, end, source.beside());
    }

    fn direct(&mut self, calling: Calling<'_>, func: FuncId, from: LocId) -> Result<(), Refused> {
        if let Some(intrinsic) = Intrinsic::of(self.program, func) {
            return self.intrinsic(calling, intrinsic, from);
        }
        if self.owes_by(calling.call, calling.frame, calling.mode) {
            self.owe(calling, from);
            return Ok(());
        }
        match self.joins(func, calling.mode) {
            true => self.enter(calling, func, from),
            false => {
                self.plain(calling, Callee::Direct(func), from);
                Ok(())
            }
        }
    }

    /// Whether a call of the function becomes part of the thread.
    fn joins(&self, func: FuncId, mode: Mode) -> bool {
        if self.facts.body(func).is_none() || self.facts.opaque.contains(&func) {
            return false;
        }
        if self.options.kinds {
            return true;
        }
        match self.facts.concerns.of(func) {
            Concern::None | Concern::MayNotReturn => false,
            Concern::Shares => !mode.is_quiet(),
            Concern::Synchronises => true,
        }
    }

    fn indirect(
        &mut self,
        calling: Calling<'_>,
        pointer: ExprId,
        from: LocId,
    ) -> Result<(), Refused> {
        let Calling { call, id, frame, mode, source, .. } = calling;
        let func = self.frames[frame.0 as usize].func;
        let points_to = self.facts.sharing.points_to();
        let candidates = points_to.callees(self.program, func, id).functions;
        let joining: Vec<FuncId> =
            candidates.iter().copied().filter(|&f| self.joins(f, mode)).collect();
        if joining.is_empty() {
            self.plain(calling, call.callee, from);
            return Ok(());
        }
        let op = Op::Assume(pointer);
        let (at, value) = self.evaluated(frame, from, &op, pointer, mode, source.beside());
        if let ExprKind::FuncAddr(known) = self.program.exprs.expr(value).kind {
            return self.direct(calling, known, at);
        }
        let mut at = at;
        for callee in joining {
            let address = self.program.func_addr(callee);
            let address = self.program.cast(self.program.expr_ty(value), address);
            let same = self.program.binary(BinaryOp::Eq, value, address);
            let other = self.program.not(same);
            let chosen = self.graph.then(at, Op::Assume(same), source.beside());
            at = self.graph.then(at, Op::Assume(other), source.beside());
            self.enter(calling, callee, chosen)?;
        }
        self.plain(calling, Callee::Indirect(value), at);
        Ok(())
    }

    /// A call that stays one: one step if it touches shared data at all.
    fn plain(&mut self, calling: Calling<'_>, callee: Callee, from: LocId) {
        let Calling { call, id, edge, frame, mode, source } = calling;
        let func = self.frames[frame.0 as usize].func;
        let to = self.loc((frame, edge.to, mode));
        let quiet = mode.is_quiet();
        let has_body = |f: FuncId| self.facts.body(f).is_some();
        let outside = match callee {
            Callee::Direct(callee) => !has_body(callee),
            Callee::Indirect(_) => true,
        };
        let touches =
            !quiet && outside && self.facts.sharing.call_touches_shared(self.program, func, id);
        if touches && self.common.race.is_some() {
            self.refuse_shared_call(callee, edge.span);
        }
        let may_end = !quiet
            && match callee {
                Callee::Direct(callee) => {
                    ends_run(self.program, callee)
                        || self.facts.concerns.of(callee) == Concern::MayNotReturn
                }
                Callee::Indirect(_) => true,
            };
        let is_shared =
            |place: PlaceId| !quiet && self.facts.sharing.is_shared(self.program, place);
        let stores_shared = call.dst.is_some_and(is_shared);
        let op = Op::Call(Call { dst: None, ..call.clone() });
        let read = if quiet { Vec::new() } else { self.shared_accesses(&op) };
        let reads = read.len();
        let apart = reads + usize::from(touches) + usize::from(stores_shared) > 1;
        let (mut at, mut args) = (from, Vec::new());
        for &arg in &call.args {
            let (next, arg) = match apart {
                true => self.split_expr(frame, at, arg, mode, source.beside()),
                false => (at, self.expr(frame, arg)),
            };
            at = next;
            args.push(arg);
        }
        if let (Some(&(place, access)), false) = (read.first(), apart) {
            let place = self.place(frame, place);
            at = self.access_point(at, mode, source, (place, access));
        } else if touches || may_end {
            at = self.switch_point(at, mode, source);
        }
        let callee = match callee {
            Callee::Indirect(pointer) if call.callee == callee => {
                Callee::Indirect(self.expr(frame, pointer))
            }
            callee => callee,
        };
        let args = args.into();
        match call.dst {
            Some(dst) if stores_shared => {
                let ty = self.program.place_ty(dst);
                let var = self.temporary(ty, edge.span);
                let place = self.program.var_place(var);
                let op = Op::Call(Call { dst: Some(place), callee, args });
                let at = self.graph.then(at, op, source);
                let value = self.program.load_var(var);
                self.store(frame, at, to, dst, value, mode, source.beside());
            }
            dst => {
                let dst = dst.map(|dst| self.place(frame, dst));
                self.graph.op(at, to, Op::Call(Call { dst, callee, args }), source);
            }
        }
    }

    /// What functions of the library access is not looked at for data races, but atomic operations
    /// and what the heap does with its own data.
    fn refuse_shared_call(&mut self, callee: Callee, span: Span) {
        let name = match callee {
            Callee::Direct(func) => source_name(&self.program.funcs[func].name),
            Callee::Indirect(_) => "a function behind a pointer",
        };
        let kind = classify(name, self.program.types.target());
        let harmless = matches!(kind, Library::Alloc(_) | Library::Free)
            || name.starts_with("__atomic_")
            || name.starts_with("__sync_");
        if !harmless {
            let refused = Refused::library_access(name, span);
            self.refused.get_or_insert(refused);
        }
    }

    /// A call that becomes part of the thread.
    fn enter(&mut self, calling: Calling<'_>, func: FuncId, from: LocId) -> Result<(), Refused> {
        let Calling { call, edge, frame, mode, source, .. } = calling;
        let name = source_name(&self.program.funcs[func].name).to_owned();
        // Each open call is a part of the automaton of its own: a function that calls itself can be followed as
        // deep as there are parts, and says so where it goes deeper.
        if self.open_calls(frame, func) >= self.options.calls_deep {
            let too_deep = crate::sequential::report(self.program, reports::TOO_DEEP);
            let (callee, args) = (Callee::Direct(too_deep), Box::new([]));
            let _ = self.graph.then(from, Op::Call(Call { dst: None, callee, args }), source);
            return Ok(());
        }
        let Some(body) = self.facts.body(func).cloned() else { return Ok(()) };
        let signature = self.program.types.signature(self.program.funcs[func].ty).cloned();
        let Some(signature) = signature else { return Ok(()) };
        if signature.variadic {
            return Err(Refused::variadic(&name, edge.span));
        }
        let atomic = is_atomic_function(&name);
        let id = FrameId(self.frames.len() as u32);
        self.frames.push(Frame {
            func,
            returns: Some(Return { frame, to: edge.to, dst: call.dst, leaves_section: atomic }),
            result: None,
            constants: BTreeMap::new(),
            copies: BTreeMap::new(),
        });
        if call.dst.is_some() && signature.result != Types::VOID {
            let result =
                self.local(format!(".result.{}.{}", self.id.0, id.0), signature.result, edge.span);
            self.frames[id.0 as usize].result = Some(result);
        }
        let mut at = from;
        let params = self.program.funcs[func].params.clone();
        for (&param, &arg) in params.iter().zip(&call.args) {
            let ty = self.program.vars[param].ty;
            let op = Op::Assume(arg);
            let (next, value) = self.evaluated(frame, at, &op, arg, mode, source.beside());
            at = next;
            let value = match self.program.types.is_scalar(ty) {
                true => self.program.cast(ty, value),
                false => value,
            };
            if is_constant(self.program, value) && !self.is_written(param) {
                self.frames[id.0 as usize].constants.insert(param, value);
                continue;
            }
            let copy = self.variable(id, param);
            let dst = self.program.var_place(copy);
            at = self.graph.then(at, Op::Assign { dst, src: value }, source.beside());
        }
        let entry = (id, body.entry());
        match atomic {
            true => {
                let span = edge.span;
                self.begin_section(at, mode, source, span, |mode| (entry.0, entry.1, mode));
            }
            false => self.go(at, (entry.0, entry.1, mode), source),
        }
        Ok(())
    }

    /// Leads from a location to one of a call.
    fn go(&mut self, from: LocId, key: (FrameId, LocId, Mode), source: Source) {
        let to = self.loc(key);
        let always = self.always();
        self.graph.op(from, to, always, source.beside());
    }

    /// How many calls of the function are open.
    fn open_calls(&self, frame: FrameId, func: FuncId) -> usize {
        let (mut at, mut count) = (Some(frame), 0);
        while let Some(frame) = at {
            let Frame { func: own, returns, .. } = &self.frames[frame.0 as usize];
            count += usize::from(*own == func);
            at = returns.map(|returns| returns.frame);
        }
        count
    }

    /// Opens a section; the thread may stop before, and begins here again when it has to wait.
    fn begin_section(
        &mut self,
        from: LocId,
        mode: Mode,
        source: Source,
        span: Span,
        key: impl Fn(Mode) -> (FrameId, LocId, Mode),
    ) {
        if mode.depth > 0 {
            let mode = Mode { depth: mode.depth.saturating_add(1), ..mode };
            return self.go(from, key(mode), source);
        }
        let point = self.graph.next_point();
        let inside = Mode { section: Some(point), depth: 1, fresh: false, ..mode };
        let source = source.beside();
        // The number of the point is taken before anything else is.
        self.graph.resumptions.push(Resumption { point, at: from, section: true, span });
        let position = self.graph.resumptions.len() - 1;
        let again = self.loc(key(Mode { fresh: true, ..inside }));
        let on = self.loc(key(inside));
        self.graph.resumptions[position].at = again;
        match mode.alone {
            true => {
                let always = self.always();
                self.graph.op(from, on, always, source);
            }
            false => self.may_stop(from, on, point, source),
        }
    }

    fn intrinsic(
        &mut self,
        calling: Calling<'_>,
        intrinsic: Intrinsic,
        from: LocId,
    ) -> Result<(), Refused> {
        let Calling { call, edge, frame, mode, source, .. } = calling;
        let mut args = Vec::new();
        for &arg in &call.args {
            args.push(self.expr(frame, arg));
        }
        let dst = call.dst.map(|dst| self.place(frame, dst));
        match intrinsic {
            Intrinsic::AtomicBegin => {
                let span = self.span_of_user(frame, edge);
                self.begin_section(from, mode, source, span, |mode| (frame, edge.to, mode));
                return Ok(());
            }
            Intrinsic::AtomicEnd => {
                let from = self.says_it_moves(from, mode, source);
                self.go(from, (frame, edge.to, mode.left()), source);
                return Ok(());
            }
            Intrinsic::Await => {
                if let Some(&enabled) = args.first() {
                    self.wait(calling, enabled, from);
                }
                return Ok(());
            }
            Intrinsic::Spawn => {
                let from = self.says_it_moves(from, mode, source);
                return self.spawn(calling, &args, dst, from);
            }
            Intrinsic::Misuse | Intrinsic::NotModelled => {
                self.reported(calling, intrinsic, from);
                return Ok(());
            }
            Intrinsic::Spurious => {
                if let Some(dst) = dst {
                    self.spurious(calling, dst, from);
                }
                return Ok(());
            }
            Intrinsic::ExitThread => {
                let from = self.says_it_moves(from, mode, source);
                let result = self.ghosts().result;
                let (dst, ty) = (self.program.var_place(result), self.program.vars[result].ty);
                let mut at = from;
                if let Some(&value) = args.first() {
                    let src = self.program.cast(ty, value);
                    at = self.graph.then(at, Op::Assign { dst, src }, source.beside());
                }
                self.end_thread(at, source, false);
                return Ok(());
            }
            _ => {}
        }
        let acts =
            matches!(intrinsic, Intrinsic::SleepOn | Intrinsic::WakeOne | Intrinsic::WakeAll);
        let (from, mode) = match acts {
            true => (self.says_it_moves(from, mode, source), Mode { fresh: false, ..mode }),
            false => (from, mode),
        };
        let to = self.loc((frame, edge.to, mode));
        let assign = |instance: &mut Self, value: ExprId| {
            let dst = dst?;
            let src = instance.program.cast(instance.program.place_ty(dst), value);
            Some(Action::Op(Op::Assign { dst, src }))
        };
        let action = match (intrinsic, args.first().copied(), dst) {
            (Intrinsic::Itself, ..) => {
                let thread = &self.threads.threads[self.id];
                let number = match thread.many {
                    true => self.program.load_var(thread.ghosts.number),
                    false => self.program.int(Types::U64, Threads::number(self.id)),
                };
                assign(self, number)
            }
            (Intrinsic::Ended, Some(thread), Some(dst)) => Some(Action::Ended { thread, dst }),
            (Intrinsic::ResultOf, Some(thread), Some(dst)) => {
                Some(Action::ResultOf { thread, dst })
            }
            (Intrinsic::SleepOn, Some(object), _) => {
                let ghost = self.ghosts().sleeps_on;
                let (dst, ty) = (self.program.var_place(ghost), self.program.vars[ghost].ty);
                let src = self.program.cast(ty, object);
                Some(Action::Op(Op::Assign { dst, src }))
            }
            (Intrinsic::Asleep, ..) => {
                let ghost = self.ghosts().sleeps_on;
                let value = self.program.load_var(ghost);
                let asleep = self.program.truth(value);
                assign(self, asleep)
            }
            (Intrinsic::WakeOne, Some(object), _) => Some(Action::WakeOne(object)),
            (Intrinsic::WakeAll, Some(object), _) => Some(Action::WakeAll(object)),
            _ => None,
        };
        let action = match action {
            Some(action) => action,
            None => Action::Op(self.always()),
        };
        self.graph.arrows.push(Arrow { from, to, action, source: source.beside() });
        Ok(())
    }

    /// Waits for a condition at the beginning of a section.
    fn wait(&mut self, calling: Calling<'_>, enabled: ExprId, from: LocId) {
        let Calling { edge, frame, mode, source, .. } = calling;
        let source = source.beside();
        let holds = self.program.truth(enabled);
        let to = self.loc((frame, edge.to, Mode { fresh: false, ..mode }));
        match mode.fresh && self.options.reported.deadlock {
            true => {
                let at = self.graph.then(from, Op::Assume(holds), source);
                let at = self.says_it_moves(at, mode, source);
                let always = self.always();
                self.graph.op(at, to, always, source);
            }
            false => self.graph.op(from, to, Op::Assume(holds), source),
        }
        // In a section of the user nobody else can make the condition hold: the thread stays there.
        // A thread that has not moved since it went on need not have run at all.
        if let (Some(point), 1, false) = (mode.section, mode.depth, mode.fresh) {
            let fails = self.program.not(enabled);
            let waiting = self.graph.then(from, Op::Assume(fails), source);
            let mark = if mode.alone { Mark::Nothing } else { Mark::Retreats };
            self.stop(waiting, point, Source { mark, ..source });
        }
        if mode.fresh && mode.depth == 1 && self.options.reported.deadlock {
            let fails = self.program.not(enabled);
            let waiting = self.graph.then(from, Op::Assume(fails), source);
            let probing = self.program.load_var(self.common.probing);
            let probing = self.program.truth(probing);
            self.graph.op(waiting, Graph::EXIT, Op::Assume(probing), source);
        }
    }

    /// Something is reported, if that is asked for.
    fn reported(&mut self, calling: Calling<'_>, intrinsic: Intrinsic, from: LocId) {
        let Calling { call, edge, frame, mode, source, .. } = calling;
        let to = self.loc((frame, edge.to, mode));
        let name = match intrinsic {
            Intrinsic::NotModelled => Some(reports::NOT_MODELLED),
            _ => self.options.reported.misuse.then_some(reports::MISUSE),
        };
        let op = match name {
            Some(name) => {
                let text = call.args.first().and_then(|&arg| literal(self.program, arg));
                let name = format!("{name}.{}", text.unwrap_or_default());
                let func = crate::sequential::report(self.program, &name);
                Op::Call(Call { dst: None, callee: Callee::Direct(func), args: Box::new([]) })
            }
            None => self.always(),
        };
        let span = self.span_of_user(frame, edge);
        self.graph.op(from, to, op, Source { span, ..source.beside() });
    }

    /// A thread may wake up by itself, but a deadlock is one without such luck.
    fn spurious(&mut self, calling: Calling<'_>, dst: PlaceId, from: LocId) {
        let Calling { edge, frame, mode, source, .. } = calling;
        let to = self.loc((frame, edge.to, mode));
        let source = source.beside();
        let mut at = from;
        if self.options.reported.deadlock {
            let probing = self.program.load_var(self.common.probing);
            let running = self.program.not(probing);
            let probing = self.program.truth(probing);
            let zero = self.program.zero(self.program.place_ty(dst));
            let never = self.graph.then(at, Op::Assume(probing), source);
            self.graph.op(never, to, Op::Assign { dst, src: zero }, source);
            at = self.graph.then(at, Op::Assume(running), source);
        }
        self.graph.op(at, to, Op::Havoc(dst), Source { mark: Mark::Asks, ..source });
    }

    fn spawn(
        &mut self,
        calling: Calling<'_>,
        args: &[ExprId],
        dst: Option<PlaceId>,
        from: LocId,
    ) -> Result<(), Refused> {
        let Calling { call, edge, frame, mode, source, .. } = calling;
        let (&[start, argument], &[original, _]) = (args, &call.args[..]) else {
            return Err(Refused::unknown_start(edge.span));
        };
        let span = self.span_of_user(frame, edge);
        // A section is looked at twice, as it is met and as it is begun again.
        let call = (self.id, frame, calling.id, mode.known);
        let kind = match self.options.kinds {
            true => {
                let starts = self.starts(start, original, span)?;
                Some((self.id, self.around(frame), calling.id, mode.known, starts))
            }
            false => None,
        };
        let of_kind = kind.as_ref().and_then(|kind| self.threads.by_kind.get(kind).copied());
        let site = match self.threads.by_call.get(&call).copied().or(of_kind) {
            Some(site) => {
                let of_kind = self.threads.sites[site].threads.iter().filter(|_| kind.is_some());
                for thread in of_kind.copied().collect::<Vec<_>>() {
                    let known = &mut self.threads.threads[thread].argument;
                    *known = known.filter(|&known| known == argument);
                }
                site
            }
            None => {
                let starts = self.starts(start, original, span)?;
                let site = Spawning { threads: Vec::new(), repeated: false, span };
                let site = self.threads.sites.push(site);
                let known = is_constant(self.program, argument).then_some(argument);
                self.add_thread(site, &starts, known)?;
                self.threads.by_call.insert(call, site);
                if let Some(kind) = kind {
                    self.threads.by_kind.insert(kind, site);
                }
                site
            }
        };
        let to = self.loc((frame, edge.to, Mode { alone: false, ..mode }));
        let action = Action::Spawn { site, start, argument, dst };
        self.graph.arrows.push(Arrow { from, to, action, source: source.beside() });
        Ok(())
    }

    /// The functions whose calls are open, and where they go on.
    fn around(&self, frame: FrameId) -> Vec<(FuncId, Option<LocId>)> {
        let (mut at, mut found) = (Some(frame), Vec::new());
        while let Some(frame) = at {
            let Frame { func, returns, .. } = &self.frames[frame.0 as usize];
            found.push((*func, returns.map(|returns| returns.to)));
            at = returns.map(|returns| returns.frame);
        }
        found
    }

    /// Calls on cycles of the finished automaton make several threads, whose arguments can differ.
    pub(crate) fn repeat_spawns(&mut self) -> Result<(), Refused> {
        let sites: Vec<(SpawnSite, LocId, LocId)> = self
            .graph
            .arrows
            .iter()
            .filter_map(|arrow| match arrow.action {
                Action::Spawn { site, .. } => Some((site, arrow.from, arrow.to)),
                _ => None,
            })
            .collect();
        for &(site, _, to) in &sites {
            let again =
                sites.iter().any(|&(other, from, _)| other == site && self.graph.leads(to, from));
            if !again || self.threads.sites[site].repeated {
                continue;
            }
            self.threads.sites[site].repeated = true;
            let Some(&first) = self.threads.sites[site].threads.first() else { continue };
            self.threads.threads[first].argument = None;
            if self.options.kinds {
                self.threads.threads[first].many = true;
                continue;
            }
            let starts = self.threads.threads[first].starts.clone();
            for _ in 1..self.options.threads_per_call {
                self.add_thread(site, &starts, None)?;
            }
        }
        Ok(())
    }

    /// Where the user's own call stands that leads to an edge of a model.
    fn span_of_user(&self, frame: FrameId, edge: &Edge) -> Span {
        match self.frames[frame.0 as usize].returns {
            Some(returns) => {
                let caller = &self.frames[returns.frame.0 as usize];
                let body = self.facts.body(caller.func);
                let call = body.and_then(|body| {
                    body.in_edges(returns.to)
                        .iter()
                        .map(|&e| body.edge(e))
                        .find(|e| matches!(&e.op, Op::Call(call) if call.dst == returns.dst))
                });
                call.map_or(edge.span, |call| call.span)
            }
            None => edge.span,
        }
    }

    /// The functions that a new thread may start with.
    fn starts(&self, start: ExprId, original: ExprId, span: Span) -> Result<Vec<FuncId>, Refused> {
        let mut named = start;
        while let ExprKind::Cast(inner) = self.program.exprs.expr(named).kind {
            named = inner;
        }
        let found = match self.program.exprs.expr(named).kind {
            ExprKind::FuncAddr(func) => vec![func],
            _ => {
                let called = self.facts.sharing.points_to().called_through(self.program, original);
                if called.outside { Vec::new() } else { called.functions }
            }
        };
        let known = found.iter().all(|&func| self.facts.body(func).is_some());
        match known && !found.is_empty() {
            true => Ok(found),
            false => Err(Refused::unknown_start(span)),
        }
    }

    fn add_thread(
        &mut self,
        site: SpawnSite,
        starts: &[FuncId],
        argument: Option<ExprId>,
    ) -> Result<(), Refused> {
        let span = self.threads.sites[site].span;
        let full = self.threads.threads.len() >= self.options.max_threads;
        if full && self.options.rounds == Rounds::Unbounded && !self.options.kinds {
            // Whoever executes schedules comes to an end there, and may find errors before.
            return Ok(());
        }
        if full {
            return Err(Refused::too_many_threads(self.options.max_threads - 1, span));
        }
        let thread = crate::sequential::new_thread(
            self.program,
            self.threads,
            starts.to_vec(),
            argument,
            span,
        );
        // What several threads make is several threads.
        self.threads.threads[thread].many = self.threads.threads[self.id].many;
        self.threads.sites[site].threads.push(thread);
        Ok(())
    }
}

/// The text that a pointer to a string literal points to.
fn literal(program: &Program, pointer: ExprId) -> Option<String> {
    let place = match program.exprs.expr(pointer).kind {
        ExprKind::AddrOf(place) => place,
        ExprKind::Cast(inner) => return literal(program, inner),
        _ => return None,
    };
    let var = program.exprs.root_var(place)?;
    let Storage::Static { init: Some(init), .. } = &program.vars[var].storage else { return None };
    init.items.iter().find_map(|item| match item {
        InitItem::Bytes { bytes, .. } => {
            let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
            Some(String::from_utf8_lossy(text).into_owned())
        }
        InitItem::Value { .. } => None,
    })
}
