//! Backwards: Algorithm 1 and Take of PS, on graphs.

use std::rc::Rc;

use gnomon_budget::Budget;
use gnomon_ir::cfa::{Callee, EdgeId, LocId, Op};
use gnomon_ir::program::{FuncId, Program};
use gnomon_logic::encode::Move;
use rustc_hash::FxHashMap;

use super::effect::{Places, Target, read_by, read_places, targets};
use super::facts::MemoryFacts;
use super::graph::{Placed, Position, StepGraph};
use super::live::{Frame, Live, STATIC};
use super::unsatisfiable::Probe;
use super::{Cut, LiveValue, Options, Point, Slice, SliceError};
use crate::bypass::{Bypass, Endings, expr_may_be_undefined};
use crate::written_between::WrittenBetween;

/// Slices paths and graphs of one program; what it finds out about functions is kept.
pub struct Slicer<'p> {
    program: &'p Program,
    facts: &'p MemoryFacts<'p>,
    options: Options,
    bypass: Bypass<'p>,
    /// With all that may end a run, where `bypass` leaves some of it out.
    all_endings: Option<Bypass<'p>>,
    between: WrittenBetween<'p>,
    places: Places<'p>,
    /// Numbers of live sets, so that equal numbers mean equal sets.
    versions: u64,
    /// The last answer of WrBt at a location.
    written: FxHashMap<(FuncId, LocId), (u64, Position, bool)>,
    /// The last answer at a call.
    changed: FxHashMap<(FuncId, EdgeId), (u64, bool)>,
}

/// What is known at a node.
#[derive(Clone)]
enum State {
    /// Live set and step location.
    Sliced(Known),
    /// All steps up to the entry of a frame are cut.
    Cut {
        frame: Frame,
        /// What is known behind the entry.
        known: Known,
        /// Whether the call is kept ([`Options::skip_functions`]).
        keep_call: bool,
    },
}

#[derive(Clone)]
struct Known {
    step: Position,
    live: Rc<Live>,
}

impl<'p> Slicer<'p> {
    /// A slicer.
    pub fn new(facts: &'p MemoryFacts<'p>, options: Options) -> Self {
        let program = facts.program();
        Self {
            program,
            facts,
            options,
            bypass: Bypass::new(facts, options.endings, options.undefined),
            all_endings: (options.endings == Endings::Absent)
                .then(|| Bypass::new(facts, Endings::Kept, options.undefined)),
            between: WrittenBetween::new(program),
            places: Places::new(facts),
            versions: 0,
            written: FxHashMap::default(),
            changed: FxHashMap::default(),
        }
    }

    /// By of the program.
    pub fn bypass(&self) -> &Bypass<'p> {
        &self.bypass
    }

    /// WrBt of the program.
    pub fn written_between(&self) -> &WrittenBetween<'p> {
        &self.between
    }

    /// Slices a graph of steps, or a path.
    pub fn slice(&mut self, graph: &StepGraph, budget: &Budget) -> Result<Slice, SliceError> {
        let placed = Placed::new(self.program, graph)?;
        let mut pass = Pass::new(self, &placed);
        pass.run(budget, None)?;
        Ok(pass.slice)
    }

    /// Slices a path, and stops as soon as what was kept is unsatisfiable (PS 4.2). Graphs with
    /// branches are sliced to their start.
    pub fn slice_until_unsatisfiable(
        &mut self,
        path: &StepGraph,
        probe: &mut Probe<'_, '_>,
        budget: &Budget,
    ) -> Result<Slice, SliceError> {
        let placed = Placed::new(self.program, path)?;
        let probe = placed.is_path().then_some(probe);
        let mut pass = Pass::new(self, &placed);
        pass.run(budget, probe)?;
        Ok(pass.slice)
    }

    fn next_version(&mut self) -> u64 {
        self.versions += 1;
        self.versions
    }

    /// Whether the call on an edge may change something live, but for where its result goes.
    fn call_changes(&mut self, live: &Live, func: FuncId, edge: EdgeId) -> bool {
        if let Some(&(version, answer)) = self.changed.get(&(func, edge))
            && version == live.version()
        {
            return answer;
        }
        let answer = live.is_changed_by_call(&self.places, func, edge);
        self.changed.insert((func, edge), (live.version(), answer));
        answer
    }

    /// Whether an operation may write something live, with all that it calls.
    fn edge_changes(&mut self, live: &Live, frame: Frame, func: FuncId, edge: EdgeId) -> bool {
        let program = self.program;
        let Some(body) = &program.funcs[func].body else { return false };
        let op = &body.edge(edge).op;
        match op {
            Op::Return(Some(_)) => return live.has_result(frame),
            Op::HavocMemory => return live.has_memory(),
            Op::Call(_) if self.call_changes(live, func, edge) => return true,
            _ => {}
        }
        targets(op).any(|target| live.is_changed_by(&self.places, frame, target))
    }

    /// WrBt: whether something live may be written on a path from a location to the first visit of
    /// another one.
    fn is_written_between(&mut self, live: &Live, func: FuncId, from: LocId, to: Position) -> bool {
        let between = self.between.between(func, from, to.loc);
        between.writing().any(|edge| self.edge_changes(live, to.frame, func, edge))
    }

    /// By or WrBt: whether the condition of an edge at a location matters.
    fn decides(&mut self, known: &Known, func: FuncId, here: Position) -> bool {
        let step = known.step;
        if here.frame != step.frame || self.bypass.can_bypass(func, here.loc, step.loc) {
            return true;
        }
        let version = known.live.version();
        if let Some(&(of, to, answer)) = self.written.get(&(func, here.loc))
            && (of, to) == (version, step)
        {
            return answer;
        }
        let answer = self.is_written_between(&known.live, func, here.loc, step);
        self.written.insert((func, here.loc), (version, step, answer));
        answer
    }

    /// Whether a run may end between a location and a later one, where that was left out.
    fn may_end_between(&self, func: FuncId, from: LocId, to: LocId) -> bool {
        self.all_endings.as_ref().is_some_and(|bypass| bypass.can_bypass(func, from, to))
    }

    /// Whether code that may take for ever lies between a location and the step location.
    fn may_loop_between(&self, func: FuncId, from: LocId, to: LocId) -> bool {
        let between = self.between.between(func, from, to);
        between.has_loop || between.calls().any(|edge| self.bypass.call_may_loop(func, edge))
    }
}

/// One pass over a graph.
struct Pass<'s, 'p, 'g> {
    slicer: &'s mut Slicer<'p>,
    placed: &'s Placed<'g>,
    states: Vec<Option<State>>,
    /// How many edges to a node are still to be looked at.
    waiting: Vec<u32>,
    skip_functions: bool,
    slice: Slice,
}

impl<'s, 'p, 'g> Pass<'s, 'p, 'g> {
    fn new(slicer: &'s mut Slicer<'p>, placed: &'s Placed<'g>) -> Self {
        let skip_functions = slicer.options.skip_functions && placed.is_path();
        Self {
            slicer,
            placed,
            states: vec![None; placed.graph.nodes as usize],
            waiting: placed.into.clone(),
            skip_functions,
            slice: Slice {
                kept: vec![false; placed.graph.edges.len()],
                cut: Cut::default(),
                points: Vec::new(),
            },
        }
    }

    fn run(
        &mut self,
        budget: &Budget,
        mut probe: Option<&mut Probe<'_, '_>>,
    ) -> Result<(), SliceError> {
        let end = self.placed.end().ok_or(SliceError::NoEnd)?;
        let mut live = Live::default();
        live.set_version(self.slicer.next_version());
        let last = self.placed.graph.nodes - 1;
        self.set(last, State::Sliced(Known { step: end, live: Rc::new(live) }));
        for node in (0..last).rev() {
            if node % 256 == 0 {
                budget.check()?;
            }
            let Some(here) = self.placed.positions[node as usize] else { continue };
            let mut paths: Vec<(State, bool)> = Vec::new();
            for position in self.placed.leaving(node) {
                let edge = self.placed.number(position);
                let Some(path) = self.going_back(edge, here)? else { continue };
                self.slice.kept[edge] = path.1;
                if path.1
                    && let Some(probe) = probe.as_deref_mut()
                    && probe.is_unsatisfiable_with(self.placed, edge, here)
                {
                    self.slice.cut.stopped_early = true;
                    return Ok(());
                }
                paths.push(path);
            }
            if let Some(state) = self.join(node, here, paths)? {
                self.set(node, state);
            }
        }
        Ok(())
    }

    fn set(&mut self, node: u32, state: State) {
        if self.slicer.options.record_points {
            self.record(node, &state);
        }
        self.states[node as usize] = Some(state);
    }

    fn record(&mut self, node: u32, state: &State) {
        self.slice.points.resize(self.placed.graph.nodes as usize, None);
        let State::Sliced(known) = state else { return };
        let func = |frame: Frame| (frame != STATIC).then(|| self.placed.func(frame));
        let places = known.live.places();
        let mut live: Vec<LiveValue> =
            places.map(|(frame, place)| LiveValue::Place { func: func(frame), place }).collect();
        live.extend(known.live.pinned().map(LiveValue::Cell));
        live.extend(known.live.results().map(|f| LiveValue::Result(self.placed.func(f))));
        let point =
            Point { live, step_function: self.placed.func(known.step.frame), step: known.step.loc };
        self.slice.points[node as usize] = Some(point);
    }

    /// What is known before an edge, and whether it is kept.
    fn going_back(
        &mut self,
        edge: usize,
        here: Position,
    ) -> Result<Option<(State, bool)>, SliceError> {
        let step = self.placed.graph.edges[edge].step;
        let to = self.placed.graph.edges[edge].to as usize;
        self.waiting[to] -= 1;
        // The last one to ask takes the state along, so that a path copies nothing.
        let state = match self.waiting[to] {
            0 => self.states[to].take(),
            _ => self.states[to].clone(),
        };
        let Some(state) = state else { return Ok(None) };
        let there = self.placed.positions[to].ok_or(SliceError::NoEnd)?;
        Ok(Some(match state {
            State::Sliced(known) => self.take(step, here, there, known),
            State::Cut { frame, known, keep_call } => match step {
                Move::Enter { .. } if frame == there.frame => match keep_call {
                    true => self.take(step, here, there, known),
                    false => (State::Sliced(known), false),
                },
                _ => (State::Cut { frame, known, keep_call }, false),
            },
        }))
    }

    /// What is known before a step behind which something is known, and whether it is kept: Take.
    fn take(&mut self, step: Move, here: Position, there: Position, known: Known) -> (State, bool) {
        match step {
            Move::Start => {
                let kept = known.live.has_statics();
                (State::Sliced(known), kept)
            }
            Move::Edge(func, edge) => self.take_edge(func, edge, here, known),
            Move::Enter { caller, edge, callee } => {
                let known = self.enter((caller, edge), callee, here, there, known);
                (State::Sliced(known), true)
            }
            Move::Leave { caller, edge, .. } => self.leave(caller, edge, here, there, known),
        }
    }

    fn take_edge(
        &mut self,
        func: FuncId,
        edge: EdgeId,
        here: Position,
        known: Known,
    ) -> (State, bool) {
        let program = self.slicer.program;
        let Some(body) = &program.funcs[func].body else { return (State::Sliced(known), false) };
        let op = &body.edge(edge).op;
        let kept = match op {
            Op::Assume(_) => self.slicer.decides(&known, func, here),
            _ => {
                self.slicer.edge_changes(&known.live, here.frame, func, edge)
                    || self.slicer.bypass.may_end(func, edge)
                        && self.slicer.bypass.can_bypass(func, here.loc, known.step.loc)
            }
        };
        if !kept {
            let to = known.step.loc;
            if !self.slice.cut.may_loop && matches!(op, Op::Assume(_)) {
                self.slice.cut.may_loop = self.slicer.may_loop_between(func, here.loc, to);
            }
            self.slice.cut.may_end |= self.slicer.may_end_between(func, here.loc, to);
            return (State::Sliced(known), false);
        }
        let reads = read_places(program, op);
        let known = self.change(known, here, |slicer, live| {
            let places = &slicer.places;
            for target in targets(op) {
                live.remove(places, here.frame, target);
            }
            match op {
                Op::Return(_) => live.remove_result(here.frame),
                Op::HavocMemory => live.give_up_all_memory(places),
                Op::Call(_) => {
                    live.give_up_after_call(places, func, edge);
                    live.pin(&slicer.facts.library_reads(func, edge));
                }
                _ => {}
            }
            live.add_all(places, here.frame, &reads);
        });
        (State::Sliced(known), true)
    }

    /// A new step location, and a changed live set.
    fn change(
        &mut self,
        mut known: Known,
        step: Position,
        change: impl FnOnce(&Slicer<'p>, &mut Live),
    ) -> Known {
        let version = self.slicer.next_version();
        let live = Rc::make_mut(&mut known.live);
        change(self.slicer, live);
        live.set_version(version);
        Known { step, ..known }
    }

    fn enter(
        &mut self,
        (caller, edge): (FuncId, EdgeId),
        callee: FuncId,
        here: Position,
        there: Position,
        known: Known,
    ) -> Known {
        let program = self.slicer.program;
        let placed = self.placed;
        let op = program.funcs[caller].body.as_ref().map(|body| &body.edge(edge).op);
        self.change(known, here, |slicer, live| {
            let open = || placed.is_open_below(callee, there.frame);
            let changed = live.leave_frame(&slicer.places, there.frame, callee, open);
            let Some(Op::Call(call)) = op else { return };
            if let Callee::Indirect(pointer) = call.callee {
                live.add_all(&slicer.places, here.frame, &read_by(program, pointer));
            }
            let params = &program.funcs[callee].params;
            for (position, &arg) in call.args.iter().enumerate() {
                // Arguments behind the declared ones are read by `va_arg`, nobody knows which. And
                // what has no meaning for some values must not be evaluated with wrong ones.
                let is_live = params.get(position).is_none_or(|param| changed.contains(param));
                if is_live || expr_may_be_undefined(program, arg) {
                    live.add_all(&slicer.places, here.frame, &read_by(program, arg));
                }
            }
        })
    }

    fn leave(
        &mut self,
        caller: FuncId,
        edge: EdgeId,
        here: Position,
        there: Position,
        known: Known,
    ) -> (State, bool) {
        let program = self.slicer.program;
        let source = Placed::source(program, caller, edge);
        let body = program.funcs[caller].body.as_ref();
        let dst = match body.map(|body| &body.edge(edge).op) {
            Some(Op::Call(call)) => call.dst.map(Target::Place),
            _ => None,
        };
        let is_result_live = dst.is_some_and(|target| {
            known.live.is_changed_by(&self.slicer.places, there.frame, target)
        });
        let step_elsewhere = known.step.frame != there.frame;
        let kept = is_result_live
            || step_elsewhere
            || self.placed.frames[here.frame as usize].leaves > 1
            || self.slicer.call_changes(&known.live, caller, edge)
            || self.slicer.bypass.may_end(caller, edge)
                && self.slicer.bypass.can_bypass(caller, source, known.step.loc);
        if !kept {
            self.slice.cut.may_loop |= self.slicer.bypass.call_may_loop(caller, edge);
            self.slice.cut.may_end |= self.slicer.may_end_between(caller, source, known.step.loc);
            return (State::Cut { frame: here.frame, known, keep_call: false }, false);
        }
        let op = body.map(|body| &body.edge(edge).op);
        let known = self.change(known, here, |slicer, live| {
            let (Some(target), Some(Op::Call(call))) = (dst, op) else { return };
            if is_result_live {
                live.remove(&slicer.places, there.frame, target);
                live.add_result(here.frame);
            }
            if let Some(place) = call.dst {
                let address = slicer.places.info(place).address.clone();
                live.add_all(&slicer.places, there.frame, &address);
            }
        });
        (State::Sliced(known), true)
    }

    /// What is known at a node from what is known before its edges.
    fn join(
        &mut self,
        node: u32,
        here: Position,
        paths: Vec<(State, bool)>,
    ) -> Result<Option<State>, SliceError> {
        let mut paths = paths.into_iter();
        let Some((first, kept)) = paths.next() else { return Ok(None) };
        let Some((second, _)) = paths.next() else {
            return Ok(Some(self.skip_function(node, here, first, kept)));
        };
        let mut joined = first;
        for other in std::iter::once(second).chain(paths.map(|(state, _)| state)) {
            joined = match (joined, other) {
                (State::Sliced(mine), State::Sliced(theirs)) => {
                    State::Sliced(self.join_known(here, mine, theirs))
                }
                (State::Cut { frame, known, keep_call }, State::Cut { frame: other, .. })
                    if frame == other =>
                {
                    State::Cut { frame, known, keep_call }
                }
                _ => {
                    let edge = self.placed.number(self.placed.leaving(node).start);
                    let why = "a call is cut on one path from its node and not on another";
                    return Err(SliceError::Malformed { edge, why });
                }
            };
        }
        Ok(Some(joined))
    }

    fn join_known(&mut self, here: Position, mine: Known, theirs: Known) -> Known {
        let step = if mine.step == theirs.step { mine.step } else { here };
        if Rc::ptr_eq(&mine.live, &theirs.live) || mine.live.version() == theirs.live.version() {
            return Known { step, ..mine };
        }
        self.change(mine, step, |_, live| live.union_with(&theirs.live))
    }

    /// Cuts all steps from the entry of an open function to its call, if that is asked for and
    /// nothing live is written on the way. PS 4.2 asks after steps that were not kept only; then
    /// the condition right before the call, which is what gets in the way, would always stay. Here
    /// the location of the call is asked for too.
    fn skip_function(&mut self, node: u32, here: Position, state: State, kept: bool) -> State {
        let State::Sliced(known) = state else { return state };
        let func = self.placed.func(here.frame);
        let Some(body) = &self.slicer.program.funcs[func].body else { return State::Sliced(known) };
        let position = self.placed.leaving(node).start;
        let step = self.placed.graph.edges[self.placed.number(position)].step;
        let is_open = self.placed.frames[here.frame as usize].leaves == 0;
        let may_skip = self.skip_functions
            && is_open
            && here.loc != body.entry()
            && (!kept || matches!(step, Move::Enter { .. }));
        if !may_skip {
            return State::Sliced(known);
        }
        let entry = body.entry();
        if self.slicer.is_written_between(&known.live, func, entry, here) {
            return State::Sliced(known);
        }
        self.slice.cut.skipped_functions += 1;
        State::Cut { frame: here.frame, known, keep_call: true }
    }
}
