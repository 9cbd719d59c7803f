//! Path slicing (PS): which operations on a path matter for whether its end is reached.
//!
//! A slice keeps some steps of a path. It is *sound*: every run that executes the path executes
//! the slice, so a slice that cannot be executed proves that the path cannot. And it is *complete*:
//! every run that executes the slice reaches the end of the path, perhaps along another path, or
//! does not terminate in the code that was cut. [`Slicer::slice`] goes backwards over the path and
//! keeps at each point the *live set*, the lvalues that decide whether what was kept is executed,
//! and the *step location*, where the last kept step starts (Algorithm 1 with `Take` of Figure 3):
//!
//! - a store is kept if it may change something live;
//! - a condition is kept if from its location the step location can be bypassed
//!   ([`crate::bypass`]), or something live may be written on a path to it
//!   ([`crate::written_between`]);
//! - a call is gone into if it may change something live, or may not return; otherwise all of its
//!   steps are cut at once (PS 4). A call that is still open at the end is always kept.
//!
//! Not only paths are sliced but [graphs of steps](StepGraph) too: an infeasible block of an
//! abstract counterexample stands for all of its paths, so what is kept must do for each of them.
//! Where paths meet backwards, the live sets are united, and unless all agree in the step location,
//! it becomes the present one, as if a step that does nothing had been kept there. On each path
//! of the graph at least the steps of a slice of that path are kept, relative to more live lvalues
//! and later step locations, so the invariant of PS (Theorem 1) holds along each.
//!
//! ```
//! use gnomon_budget::Budget;
//! use gnomon_cfront::{parser::ParseOptions, source::SourceBuffer, translate::translate};
//! use gnomon_flow::call_graph::CallGraph;
//! use gnomon_flow::mod_ref::ModRef;
//! use gnomon_flow::points_to::{self, PointsTo};
//! use gnomon_flow::slice::{MemoryFacts, Options, Slicer, Start, StepGraph};
//! use gnomon_ir::cfa::EdgeId;
//! use gnomon_ir::types::Target;
//! use gnomon_logic::encode::Move;
//!
//! let text = b"int x; void f(void) { int y = x; x = 1; y = 2; }".to_vec();
//! let source = SourceBuffer::new("a.c", text)?;
//! let program = translate(vec![source], Target::Lp64, &ParseOptions::default()).program;
//! let f = program.find_function("f").unwrap();
//!
//! let budget = Budget::unlimited();
//! let points_to = PointsTo::analyze(&program, &points_to::Options::default(), &budget)?;
//! let calls = CallGraph::new(&program, &points_to, &budget)?;
//! let mod_ref = ModRef::compute(&program, &points_to, &calls, &budget)?;
//! let facts = MemoryFacts::new(&program, &points_to, &mod_ref);
//!
//! // Straight ahead through `f`: its exit is reached whatever happens.
//! let edges = program.funcs[f].body.as_ref().unwrap().edges();
//! let steps: Vec<Move> = edges.ids().map(|edge: EdgeId| Move::Edge(f, edge)).collect();
//! let path = StepGraph::path(Start::at_entry(&program, f), &steps);
//! let mut slicer = Slicer::new(&facts, Options::default());
//! let slice = slicer.slice(&path, &budget)?;
//! assert_eq!(slice.kept_count(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Departures from PS: live lvalues behind pointers are given up when the pointer changes
//! ([`live`]), functions may call themselves, what may end a run is kept ([`crate::bypass`]), paths
//! end at the first visit of the step location ([`crate::written_between`]), and a `return` is kept
//! only if its value is live.

mod backward;
mod effect;
pub mod facts;
mod graph;
mod live;
pub mod unsatisfiable;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::c_text::{CText, Fidelity, UniqueNames};
use gnomon_ir::cfa::LocId;
use gnomon_ir::expr::PlaceId;
use gnomon_ir::program::{FuncId, Program};

pub use backward::Slicer;
pub use facts::MemoryFacts;
pub use graph::{GraphEdge, Start, StepGraph};

pub use crate::bypass::{Endings, Undefined};

/// How to slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Cuts functions that are open at the end from their entry to the call, where nothing live is
    /// written on the way: *some* path through them is believed to be possible (PS 4.2). The slice
    /// is then not complete, and says so. For paths only; graphs are sliced without.
    pub skip_functions: bool,
    /// Whether code that is cut may end the run by a call of `exit` and the like.
    pub endings: Endings,
    /// What operations without a meaning do to a run that may meet them in code that is cut.
    pub undefined: Undefined,
    /// Whether to record live set and step location at every node ([`Slice::points`]).
    pub record_points: bool,
}

/// Why something was not sliced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SliceError {
    /// The steps do not fit together.
    #[error("edge {edge} of the graph of steps is wrong: {why}")]
    Malformed {
        /// The edge.
        edge: usize,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The end of the graph is not reached from its start.
    #[error("no path leads to the end of the graph of steps")]
    NoEnd,
    /// A limit was reached.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

/// What was cut, beyond what can be cut without a loss: what a slice that can be executed proves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// Code that may take for ever, by its form.
    pub may_loop: bool,
    /// Code that may end the run, because [`Options::endings`] says that it does not.
    pub may_end: bool,
    /// Paths through functions that are open at the end ([`Options::skip_functions`]).
    pub skipped_functions: u32,
    /// All that is before the point where the slice was seen to be unsatisfiable.
    pub stopped_early: bool,
}

impl Cut {
    /// Whether every run that executes the slice reaches the end, or does not terminate.
    pub fn is_complete(self) -> bool {
        self.skipped_functions == 0 && !self.may_end && !self.stopped_early
    }

    /// What can be said of the end if the slice can be executed, for people.
    pub fn claim(self) -> &'static str {
        match self {
            Self { stopped_early: true, .. } => "not reachable on this path",
            Self { skipped_functions: 1.., .. } => {
                "reachable if there are paths through the skipped functions"
            }
            Self { may_end: true, .. } => {
                "reachable if the skipped code terminates and does not end the program"
            }
            Self { may_loop: true, .. } => "reachable if the skipped code terminates",
            Self { .. } => "reachable",
        }
    }
}

/// A slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// By edge of the graph (step of the path): whether its operation is kept. The others may be
    /// replaced by nothing: an edge remains where it was, but does not do anything. A call is
    /// kept or dropped as a whole: where its entering step is dropped, so are all steps up to the
    /// one that leaves it, and that one.
    pub kept: Vec<bool>,
    /// What was cut.
    pub cut: Cut,
    /// By node, if asked for: live set and step location there. `None` in code that was cut as a
    /// whole.
    pub points: Vec<Option<Point>>,
}

impl Slice {
    /// How many operations were kept.
    pub fn kept_count(&self) -> usize {
        self.kept.iter().filter(|&&kept| kept).count()
    }

    /// The numbers of the edges (steps) that were kept, in order.
    pub fn kept_edges(&self) -> impl Iterator<Item = usize> {
        self.kept.iter().enumerate().filter(|(_, kept)| **kept).map(|(at, _)| at)
    }
}

/// Live set and step location at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The live lvalues.
    pub live: Vec<LiveValue>,
    /// The function of the step location.
    pub step_function: FuncId,
    /// The step location.
    pub step: LocId,
}

/// Something live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LiveValue {
    /// An lvalue, with the function whose local variables it names.
    Place {
        /// The function; `None` if the lvalue has static variables only.
        func: Option<FuncId>,
        /// The lvalue.
        place: PlaceId,
    },
    /// An abstract location: what an lvalue was that is not known by a name here.
    Cell(u32),
    /// The result of an open call of the function.
    Result(FuncId),
}

impl LiveValue {
    /// For people.
    pub fn display(self, program: &Program) -> String {
        match self {
            Self::Place { place, .. } => {
                let names = UniqueNames(program);
                CText::new(program, &names, Fidelity::Readable).place(place)
            }
            Self::Cell(cell) => format!("cell {cell}"),
            Self::Result(func) => format!("the result of `{}`", program.funcs[func].name),
        }
    }
}

impl Slicer<'_> {
    /// Slices one path.
    pub fn slice_path(
        &mut self,
        start: Start,
        steps: &[gnomon_logic::encode::Move],
        budget: &Budget,
    ) -> Result<Slice, SliceError> {
        self.slice(&StepGraph::path(start, steps), budget)
    }
}
