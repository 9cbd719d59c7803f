//! BTRACE: the path that best explains a crash (LAL 1.3.1, 4.3).
//!
//! Known are the stack at the end, and perhaps points that were passed. Asked for is a path from the
//! entry of the program to that stack which touches as many of the points as possible, and is the
//! shortest of these. Backward analysis with the weights of [`touched`] tells for every configuration
//! how well it can be completed; a best-first search from the entry that knows this goes straight to
//! the best path, and then to the next ones, in order ([`search::Paths`]).
//!
//! Calls need no merge function of their own here: what a path touches inside a callee counts.

pub mod search;
pub mod stack;
pub mod touched;
pub mod tree;

use gnomon_budget::Budget;
use gnomon_flow::points_to::PointsTo;
use gnomon_ir::cfa::{Call, LocId, Op};
use gnomon_ir::expr::ExprId;
use gnomon_ir::program::{FuncId, Program};
use gnomon_wpds::domains::plain_merge;
use gnomon_wpds::semiring::Weighing;
use gnomon_wpds::{
    ConfigSet, Fwpds, FwpdsOptions, Label, RuleId, Semiring, State, Wpds, WpdsError,
};

use crate::contexts::is_called;
use crate::kept::{Kept, Shelf};
use crate::points::{Point, line_points, same_file};
use crate::supergraph::{CONTROL, CallSite, Entering, Meaning, Origin, Supergraph};
use stack::StackFrame;
use touched::{MOST_MARKS, Marks, Touched, TouchedWeight};

/// Why a crash cannot be looked for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BtraceError {
    /// No frame of the stack is in the program.
    #[error("no frame of the stack is in a function of the program with a line that is known")]
    NoFrame,
    /// The line of the innermost frame has no statement.
    #[error("{function} has no statement in line {line} that can be reached")]
    NoLine {
        /// The function.
        function: String,
        /// The line.
        line: u32,
    },
    /// A frame does not call the one above it.
    #[error("{caller} makes no call that could enter {callee}")]
    NoCall {
        /// The caller.
        caller: String,
        /// The frame above.
        callee: String,
    },
    /// A line that was seen has no statement.
    #[error("no statement that can be reached begins in line {line} of {file}")]
    NothingSeen {
        /// The file.
        file: String,
        /// The line.
        line: u32,
    },
    /// Too many lines.
    #[error("at most {MOST_MARKS} lines can be followed, but {0} were given")]
    TooMany(usize),
    /// The pushdown system.
    #[error(transparent)]
    System(#[from] WpdsError),
}

/// A line that is known to have been executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenLine {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// A program, and what is known of a run.
#[derive(Debug)]
pub struct BtraceProblem {
    graph: Supergraph,
    system: Wpds<Touched>,
    origins: Vec<Origin>,
    goal: ConfigSet,
    seen: Vec<SeenLine>,
}

impl BtraceProblem {
    /// The question for a stack and lines that were seen.
    pub fn new(
        program: &Program,
        points_to: &PointsTo,
        entry: FuncId,
        stack: &[StackFrame],
        seen: Vec<SeenLine>,
    ) -> Result<Self, BtraceError> {
        let graph = Supergraph::new(program, points_to, entry);
        if seen.len() > MOST_MARKS {
            return Err(BtraceError::TooMany(seen.len()));
        }
        let mut marks = Marked::default();
        for (bit, line) in seen.iter().enumerate() {
            let points = line_points(program, &graph, &line.file, line.line);
            if points.is_empty() {
                let SeenLine { file, line } = line.clone();
                return Err(BtraceError::NothingSeen { file, line });
            }
            marks.points.extend(points.into_iter().map(|p| (p, 1 << bit)));
        }
        let (system, origins) = graph.system(program, &Lengths)?;
        let system = marks.put_into(&graph, system)?;
        let goal = goal(program, &graph, stack)?;
        Ok(Self { graph, system, origins, goal, seen })
    }

    /// The graph of the program.
    pub fn graph(&self) -> &Supergraph {
        &self.graph
    }

    /// The pushdown system.
    pub fn system(&self) -> &Wpds<Touched> {
        &self.system
    }

    /// The configurations in question.
    pub fn goal(&self) -> &ConfigSet {
        &self.goal
    }

    /// The lines that were seen.
    pub fn seen(&self) -> &[SeenLine] {
        &self.seen
    }

    /// Where each rule comes from.
    pub fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// Where a rule comes from.
    pub fn origin(&self, rule: RuleId) -> Origin {
        self.origins[rule.index()]
    }

    /// The weights of procedures on a shelf, for [`Fwpds::with_store`].
    pub fn kept<'s>(&self, shelf: &'s dyn Shelf) -> Kept<'s, Touched> {
        Kept::new(shelf, "btrace", Touched)
    }

    /// How well every configuration can be completed; computed where it is asked for.
    pub fn solve(&self, budget: &Budget) -> Result<Fwpds<'_, Touched>, WpdsError> {
        let options = FwpdsOptions { budget: budget.clone(), ..FwpdsOptions::default() };
        Fwpds::prestar(&self.system, &self.goal.weighted(&Touched.one()), options)
    }
}

/// Points that count when they are left.
#[derive(Default)]
struct Marked {
    points: Vec<(Point, Marks)>,
}

impl Marked {
    /// The system in which the rules that leave a marked point carry its mark.
    fn put_into(
        &self,
        graph: &Supergraph,
        mut system: Wpds<Touched>,
    ) -> Result<Wpds<Touched>, WpdsError> {
        if self.points.is_empty() {
            return Ok(system);
        }
        let mut marks = vec![0; graph.symbol_count()];
        for (point, mark) in &self.points {
            if let Some(symbol) = graph.symbol(point.func, point.loc) {
                marks[symbol.index()] |= mark;
            }
        }
        let old = std::mem::replace(&mut system, Wpds::new(Touched, gnomon_wpds::Kind::Extended));
        system.add_control("p");
        system.add_symbols(old.symbol_count());
        for (_, rule) in old.rules() {
            let weight = TouchedWeight::path(marks[rule.top.index()], 1);
            let merge = rule.merge.as_ref().map(|_| plain_merge::<Touched>(weight.clone()));
            let rhs: Vec<_> = match rule.rhs {
                gnomon_wpds::Rhs::Pop => Vec::new(),
                gnomon_wpds::Rhs::Step(to) => vec![to],
                gnomon_wpds::Rhs::Push(to, below) => vec![to, below],
            };
            system.add_rule((rule.from, rule.top), (rule.to, &rhs), weight, merge)?;
        }
        Ok(system)
    }
}

/// Every rule is one step long.
struct Lengths;

impl Meaning for Lengths {
    type Domain = Touched;

    fn domain(&self) -> &Touched {
        &Touched
    }

    fn step(&self, _func: FuncId, _op: &Op) -> Weighing<TouchedWeight> {
        Ok(TouchedWeight::path(0, 1))
    }

    fn enter(&self, _callee: FuncId, _arguments: Option<&[ExprId]>) -> Weighing<Entering<Touched>> {
        let weight = TouchedWeight::path(0, 1);
        Ok((weight.clone(), plain_merge::<Touched>(weight)))
    }

    fn resume(&self, _call: &Call, _known: bool) -> Weighing<TouchedWeight> {
        Ok(TouchedWeight::path(0, 1))
    }
}

/// A frame that is in the program.
struct Found {
    func: FuncId,
    line: u32,
}

/// The frames that are in the program, the innermost first. Others can only be at the ends: functions
/// of libraries above, the start of the process below.
fn frames_in_program(program: &Program, graph: &Supergraph, stack: &[StackFrame]) -> Vec<Found> {
    let mut found = Vec::new();
    for frame in stack {
        let in_file = |func: &FuncId| match &frame.place {
            Some((file, _)) => {
                let span = program.funcs[*func].span;
                same_file(program.files.name(span.file), file)
            }
            None => true,
        };
        let named: Vec<FuncId> = (graph.functions().iter().copied())
            .filter(|f| is_called(program, *f, &frame.function))
            .collect();
        let func = named.iter().copied().find(in_file).or(named.first().copied());
        match (func, &frame.place) {
            (Some(func), Some((_, line))) => found.push(Found { func, line: *line }),
            _ if found.is_empty() => {}
            _ => break,
        }
    }
    found
}

/// The configurations that a stack describes.
fn goal(
    program: &Program,
    graph: &Supergraph,
    stack: &[StackFrame],
) -> Result<ConfigSet, BtraceError> {
    let frames = frames_in_program(program, graph, stack);
    let Some((top, below)) = frames.split_first() else { return Err(BtraceError::NoFrame) };
    let mut set = ConfigSet::new(1);
    let mut state = set.add_state();
    let locations = on_line(program, top);
    if locations.is_empty() {
        let function = program.funcs[top.func].name.clone();
        return Err(BtraceError::NoLine { function, line: top.line });
    }
    for symbol in locations.into_iter().filter_map(|loc| graph.symbol(top.func, loc)) {
        set.add(State::from(CONTROL), Label::Symbol(symbol), state, ())?;
    }
    let mut callee = top;
    for caller in below {
        let enters = |c: &&CallSite| {
            c.caller == caller.func
                && (c.enters.contains(&callee.func) || c.callbacks.contains(&callee.func))
        };
        let calls: Vec<&CallSite> = graph.calls().iter().filter(enters).collect();
        let on_line = |c: &&&CallSite| {
            let span = program.funcs[c.caller].body.as_ref().map(|b| b.edge(c.edge).span);
            span.is_some_and(|s| (s.line..=s.end_line.max(s.line)).contains(&caller.line))
        };
        // Compilers count lines of long calls differently: without a match, every call will do.
        let mut chosen: Vec<&CallSite> = calls.iter().filter(on_line).copied().collect();
        if chosen.is_empty() {
            chosen = calls;
        }
        if chosen.is_empty() {
            let name = |f: FuncId| program.funcs[f].name.clone();
            return Err(BtraceError::NoCall {
                caller: name(caller.func),
                callee: name(callee.func),
            });
        }
        let next = set.add_state();
        for call in chosen {
            set.add(state, Label::Symbol(call.returns), next, ())?;
        }
        (state, callee) = (next, caller);
    }
    if callee.func != graph.entry() {
        set.add(state, Label::Any, state, ())?;
    }
    set.set_final(state);
    Ok(set)
}

/// The locations of a function from which an edge of a line leaves.
fn on_line(program: &Program, frame: &Found) -> Vec<LocId> {
    let Some(body) = &program.funcs[frame.func].body else { return Vec::new() };
    let edges = body.edges().iter().filter(|e| {
        !e.span.is_none() && (e.span.line..=e.span.end_line.max(e.span.line)).contains(&frame.line)
    });
    // A statement in several lines counts only if none begins in the line.
    let begins: Vec<LocId> =
        edges.clone().filter(|e| e.span.line == frame.line).map(|e| e.from).collect();
    let mut all = if begins.is_empty() { edges.map(|e| e.from).collect() } else { begins };
    all.sort_unstable();
    all.dedup();
    all
}
