//! Where a program can be: a location with the calls that are open.
//!
//! Functions are explored by their call tree: the same location under two stacks of calls is two
//! [`ControlId`]s. A function that is open already is not entered again; such a step is
//! [`Target::Stuck`], as is everything that is unsupported. Who explores decides what a stuck
//! step means: a proof must show that it is never reached.

use gnomon_ir::cfa::{Callee, Cfa, EdgeId, LocId, Op};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Program, source_name};
use gnomon_logic::encode::Move;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

use crate::property::{ErrorSites, Site};
use crate::unsupported::{Construct, Unsupported};

gnomon_ir::ids! {
    /// A location with the calls that are open.
    ControlId "c";
    /// A stack of open calls.
    StackId "stack";
}

/// What a [`ControlId`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Control {
    /// The open calls.
    pub stack: StackId,
    /// The function that runs.
    pub func: FuncId,
    /// The location in it.
    pub loc: LocId,
}

/// An open call: below it is the rest of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Frame {
    below: Option<StackId>,
    caller: FuncId,
    edge: EdgeId,
    depth: u32,
}

/// Where a step leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// On.
    Control(ControlId),
    /// To an error.
    Error(Site),
    /// To something unsupported.
    Stuck(Rc<Unsupported>),
}

/// One continuation of control at an edge. There is none at a call that never returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// To the end of the edge.
    Next,
    /// Into a function with a body.
    Enter(FuncId),
    /// To an error.
    Error(Site),
    /// To something unsupported.
    Stuck(Rc<Unsupported>),
}

/// All continuations of control at an edge.
pub fn continuations(
    program: &Program,
    sites: &ErrorSites,
    calls: &dyn IndirectCalls,
    func: FuncId,
    edge: EdgeId,
) -> Vec<Continuation> {
    if sites.contains(func, edge) {
        return vec![Continuation::Error(Site { func, edge })];
    }
    let Some(body) = &program.funcs[func].body else { return Vec::new() };
    let Op::Call(call) = &body.edge(edge).op else { return vec![Continuation::Next] };
    let stuck = |what| Continuation::Stuck(Unsupported::at(func, edge, what).into());
    let indirect = matches!(call.callee, Callee::Indirect(_));
    let callees = match call.callee {
        Callee::Direct(callee) => vec![callee],
        Callee::Indirect(_) => match calls.callees(func, edge) {
            Some(callees) => callees,
            None => return vec![stuck(Construct::UnknownCallee)],
        },
    };
    let mut continuations = Vec::new();
    if indirect && calls.leaves(func, edge) {
        // A function of the environment, which returns.
        continuations.push(Continuation::Next);
    }
    for callee in callees {
        let function = &program.funcs[callee];
        // A direct call of it is an error site; through a pointer it may be one.
        if indirect && sites.forbids(callee) {
            continuations.push(stuck(Construct::ForbiddenCallee(function.name.to_string())));
        } else if function.body.is_some() {
            continuations.push(Continuation::Enter(callee));
        } else if indirect {
            continuations.push(stuck(Construct::CalleeWithoutBody(function.name.to_string())));
        } else if !matches!(
            classify(source_name(&function.name), program.types.target()),
            Library::Abort | Library::Exit | Library::Unreachable | Library::Error
        ) {
            continuations.push(Continuation::Next);
        }
    }
    continuations
}

/// The functions that a call through a pointer can reach.
pub trait IndirectCalls {
    /// `None` if that is not known.
    fn callees(&self, caller: FuncId, edge: EdgeId) -> Option<Vec<FuncId>>;

    /// Whether it can also reach a function of the environment, whose name nobody knows.
    fn leaves(&self, caller: FuncId, edge: EdgeId) -> bool;
}

/// All places met so far, and the steps between them.
pub struct ControlSpace<'p> {
    program: &'p Program,
    sites: &'p ErrorSites,
    calls: &'p dyn IndirectCalls,
    controls: Vec<Control>,
    control_ids: FxHashMap<Control, ControlId>,
    frames: Vec<Frame>,
    frame_ids: FxHashMap<Frame, StackId>,
    loop_heads: FxHashMap<FuncId, Rc<FxHashSet<LocId>>>,
    /// Edges whose operation cannot be encoded, with the reason.
    refused: FxHashMap<(FuncId, EdgeId), Rc<Unsupported>>,
}

/// The stack of the entry function: nobody called it.
const BOTTOM: Frame =
    Frame { below: None, caller: FuncId(u32::MAX), edge: EdgeId(u32::MAX), depth: 0 };

impl<'p> ControlSpace<'p> {
    /// The places of a program.
    pub fn new(program: &'p Program, sites: &'p ErrorSites, calls: &'p dyn IndirectCalls) -> Self {
        let mut space = Self {
            program,
            sites,
            calls,
            controls: Vec::new(),
            control_ids: FxHashMap::default(),
            frames: Vec::new(),
            frame_ids: FxHashMap::default(),
            loop_heads: FxHashMap::default(),
            refused: FxHashMap::default(),
        };
        space.stack(BOTTOM);
        space
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// What must not be reached.
    pub fn sites(&self) -> &'p ErrorSites {
        self.sites
    }

    /// The start of a function that nobody called.
    pub fn start(&mut self, func: FuncId) -> Option<ControlId> {
        let loc = self.program.funcs[func].body.as_ref()?.entry();
        Some(self.control(Control { stack: StackId(0), func, loc }))
    }

    /// What an id stands for.
    pub fn get(&self, id: ControlId) -> Control {
        self.controls[id.0 as usize]
    }

    /// How many places were met.
    pub fn len(&self) -> usize {
        self.controls.len()
    }

    /// Whether none was met.
    pub fn is_empty(&self) -> bool {
        self.controls.is_empty()
    }

    /// How many calls are open.
    pub fn depth(&self, id: ControlId) -> u32 {
        self.frames[self.get(id).stack.0 as usize].depth
    }

    /// The open calls, the innermost first: the caller and the edge of the call.
    pub fn open_calls(&self, id: ControlId) -> Vec<(FuncId, EdgeId)> {
        self.frames_of(self.get(id).stack).map(|f| (f.caller, f.edge)).collect()
    }

    /// Where a place is, for people: its line, and the functions that are open there.
    pub fn describe(&self, id: ControlId) -> String {
        let control = self.get(id);
        let name = |func: FuncId| source_name(&self.program.funcs[func].name);
        let mut text = describe_location(self.program, control.func, control.loc);
        text += &format!(" ({}", name(control.func));
        for (caller, _) in self.open_calls(id) {
            text += " < ";
            text += name(caller);
        }
        text + ")"
    }

    /// Whether the function runs or waits for a call at this place.
    pub fn is_open(&self, id: ControlId, func: FuncId) -> bool {
        let control = self.get(id);
        control.func == func || self.frames_of(control.stack).any(|f| f.caller == func)
    }

    fn frames_of(&self, stack: StackId) -> impl Iterator<Item = Frame> {
        let mut at = Some(stack);
        std::iter::from_fn(move || {
            let frame = self.frames[at?.0 as usize];
            at = frame.below;
            at.is_some().then_some(frame)
        })
    }

    /// Whether a loop of its function begins here: every cycle of edges has such a place.
    pub fn is_loop_head(&mut self, id: ControlId) -> bool {
        let control = self.get(id);
        if let Some(heads) = self.loop_heads.get(&control.func) {
            return heads.contains(&control.loc);
        }
        let Some(body) = &self.program.funcs[control.func].body else { return false };
        let heads = Rc::new(loop_heads(body));
        let is_head = heads.contains(&control.loc);
        self.loop_heads.insert(control.func, heads);
        is_head
    }

    /// From now on, the edge is unsupported.
    pub fn refuse(&mut self, func: FuncId, edge: EdgeId, reason: Rc<Unsupported>) {
        self.refused.insert((func, edge), reason);
    }

    /// The steps from a place.
    pub fn steps(&mut self, id: ControlId) -> Vec<(Move, Target)> {
        let control = self.get(id);
        let Some(body) = &self.program.funcs[control.func].body else { return Vec::new() };
        if control.loc == body.exit() {
            return self.return_from(control).into_iter().collect();
        }
        let mut steps = Vec::new();
        for &edge in body.out_edges(control.loc) {
            self.steps_of_edge(id, control, body, edge, &mut steps);
        }
        steps
    }

    fn steps_of_edge(
        &mut self,
        id: ControlId,
        control: Control,
        body: &Cfa,
        edge: EdgeId,
        steps: &mut Vec<(Move, Target)>,
    ) {
        let func = control.func;
        let plain = Move::Edge(func, edge);
        if let Some(reason) = self.refused.get(&(func, edge)) {
            steps.push((plain, Target::Stuck(reason.clone())));
            return;
        }
        let after = Control { loc: body.edge(edge).to, ..control };
        for continuation in continuations(self.program, self.sites, self.calls, func, edge) {
            let step = match continuation {
                Continuation::Next => (plain, Target::Control(self.control(after))),
                Continuation::Error(site) => (plain, Target::Error(site)),
                Continuation::Stuck(reason) => (plain, Target::Stuck(reason)),
                Continuation::Enter(callee) => {
                    let enter = Move::Enter { caller: func, edge, callee };
                    (enter, self.entry(id, control, edge, callee))
                }
            };
            steps.push(step);
        }
    }

    /// Where a call leads.
    fn entry(&mut self, id: ControlId, control: Control, edge: EdgeId, callee: FuncId) -> Target {
        let function = &self.program.funcs[callee];
        let inner = match &function.body {
            Some(body) if !self.is_open(id, callee) => body,
            _ => {
                let name = source_name(&function.name);
                let what = Construct::Recursion(name.to_owned());
                return Target::Stuck(Unsupported::at(control.func, edge, what).into());
            }
        };
        let depth = self.frames[control.stack.0 as usize].depth + 1;
        let below = Some(control.stack);
        let stack = self.stack(Frame { below, caller: control.func, edge, depth });
        Target::Control(self.control(Control { stack, func: callee, loc: inner.entry() }))
    }

    fn return_from(&mut self, control: Control) -> Option<(Move, Target)> {
        let Frame { below, caller, edge, .. } = self.frames[control.stack.0 as usize];
        let stack = below?;
        let loc = self.program.funcs[caller].body.as_ref()?.edge(edge).to;
        let behind = self.control(Control { stack, func: caller, loc });
        let leave = Move::Leave { caller, edge, callee: control.func };
        Some((leave, Target::Control(behind)))
    }

    fn control(&mut self, control: Control) -> ControlId {
        let fresh = ControlId(self.controls.len() as u32);
        *self.control_ids.entry(control).or_insert_with(|| {
            self.controls.push(control);
            fresh
        })
    }

    fn stack(&mut self, frame: Frame) -> StackId {
        let fresh = StackId(self.frames.len() as u32);
        *self.frame_ids.entry(frame).or_insert_with(|| {
            self.frames.push(frame);
            fresh
        })
    }
}

/// The line of a location, for people.
pub(crate) fn describe_location(program: &Program, func: FuncId, loc: LocId) -> String {
    let body = program.funcs[func].body.as_ref();
    let span = body.and_then(|body| {
        let edges = body.out_edges(loc).iter();
        edges.map(|edge| body.edge(*edge).span).find(|span| !span.is_none())
    });
    span.map_or_else(|| "the start".to_owned(), |span| program.files.show(span))
}

/// The ends of the edges that close a cycle in a depth-first search from the entry.
pub fn loop_heads(body: &Cfa) -> FxHashSet<LocId> {
    use gnomon_ir::arena::Id;
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut heads = FxHashSet::default();
    let mut state = vec![NEW; body.loc_count()];
    let mut work = vec![(body.entry(), 0usize)];
    state[body.entry().index()] = OPEN;
    while let Some((loc, next)) = work.last_mut() {
        let Some(&edge) = body.out_edges(*loc).get(*next) else {
            state[loc.index()] = DONE;
            work.pop();
            continue;
        };
        *next += 1;
        let to = body.edge(edge).to;
        match state[to.index()] {
            NEW => {
                state[to.index()] = OPEN;
                work.push((to, 0));
            }
            OPEN => {
                heads.insert(to);
            }
            _ => {}
        }
    }
    heads
}
