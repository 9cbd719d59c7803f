//! What slicing asks about memory and calls, answered by points-to and mod-ref.
//!
//! Plain variables (whose address is never taken) need no analysis: two places in them overlap or
//! not by how they are written. Everything else lies in cells, the abstract locations of
//! [`PointsTo`]; two places may overlap if their sets of cells do (MayAlias of PS 3.4).

use std::cell::RefCell;
use std::rc::Rc;

use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::PlaceId;
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Program, VarId, source_name};
use rustc_hash::FxHashMap;

use crate::mod_ref::ModRef;
use crate::points_to::{CellId, ObjectKind, PointsTo};
use crate::sparse_set::SparseSet;

/// An abstract location, by its number.
pub(crate) type Cell = u32;

/// Facts about the memory and the calls of one program.
pub struct MemoryFacts<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    mod_ref: &'p ModRef,
    calls: RefCell<FxHashMap<(FuncId, EdgeId), Rc<CallFacts>>>,
}

/// What happens on the edge of a call.
struct CallFacts {
    /// Functions with a body that may be called.
    functions: Vec<FuncId>,
    /// What functions without a body may write there, and what they may read in memory.
    library_writes: SparseSet,
    library_reads: Rc<SparseSet>,
}

/// Who may be called on an edge.
pub(crate) struct Called {
    /// Sorted.
    pub functions: Vec<FuncId>,
    /// Whether it may be a function that nothing is known of.
    pub unknown: bool,
}

impl<'p> MemoryFacts<'p> {
    /// For a program, from what was found out about all of it.
    pub fn new(program: &'p Program, points_to: &'p PointsTo, mod_ref: &'p ModRef) -> Self {
        Self { program, points_to, mod_ref, calls: RefCell::default() }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The cells in which a place, all of it, may lie.
    pub(crate) fn cells(&self, place: PlaceId) -> Rc<SparseSet> {
        Rc::new(self.points_to.cells(self.program, place))
    }

    /// The cells of a whole variable.
    pub(crate) fn variable_cells(&self, var: VarId) -> SparseSet {
        let objects = self.points_to.objects();
        objects.cells(objects.variable(var)).map(|cell| cell.0).collect()
    }

    /// The variable that a cell is a part of, if it is of one.
    pub(crate) fn cell_variable(&self, cell: Cell) -> Option<VarId> {
        let objects = self.points_to.objects();
        match objects.get(objects.owner(CellId(cell))).kind {
            ObjectKind::Variable(var) => Some(var),
            _ => None,
        }
    }

    /// The functions that the call on an edge may open: directly, through a pointer, or from inside
    /// a function without a body.
    pub(crate) fn called(&self, func: FuncId, edge: EdgeId) -> Called {
        let found = self.points_to.callees(self.program, func, edge);
        let mut functions = found.functions;
        let known = |f: &FuncId| library(self.program, *f).is_none_or(|l| !calls_back(l));
        if found.outside || !functions.iter().all(known) {
            functions.extend(found.callbacks);
            functions.sort_unstable();
            functions.dedup();
        }
        Called { functions, unknown: found.outside }
    }

    fn call(&self, func: FuncId, edge: EdgeId) -> Rc<CallFacts> {
        if let Some(known) = self.calls.borrow().get(&(func, edge)) {
            return known.clone();
        }
        let called = self.called(func, edge);
        let has_body = |f: &FuncId| self.program.funcs[*f].body.is_some();
        let (functions, libraries): (Vec<FuncId>, Vec<FuncId>) =
            called.functions.into_iter().partition(has_body);
        let reads = libraries.iter().any(|f| library(self.program, *f).is_some_and(reads_memory));
        let (mut library_writes, mut library_reads) = (SparseSet::new(), SparseSet::new());
        if called.unknown || !libraries.is_empty() {
            let effects = self.mod_ref.edge_effects(self.program, self.points_to, func, edge);
            library_writes = effects.writes;
            if reads {
                library_reads = effects.reads;
                library_reads.retain(|cell| {
                    let var = self.cell_variable(cell);
                    var.is_none_or(|var| self.program.vars[var].address_taken)
                });
            }
        }
        let library_reads = Rc::new(library_reads);
        let facts = Rc::new(CallFacts { functions, library_writes, library_reads });
        self.calls.borrow_mut().insert((func, edge), facts.clone());
        facts
    }

    /// Whether a call may write one of some cells, itself or by what it calls. Where the result
    /// goes need not count.
    pub(crate) fn call_may_write(&self, func: FuncId, edge: EdgeId, cells: &SparseSet) -> bool {
        let call = self.call(func, edge);
        call.library_writes.intersects(cells)
            || call.functions.iter().any(|&callee| self.mod_ref.writes(callee).intersects(cells))
    }

    /// The cells that functions without a body that are called on an edge may read.
    pub(crate) fn library_reads(&self, func: FuncId, edge: EdgeId) -> Rc<SparseSet> {
        self.call(func, edge).library_reads.clone()
    }
}

/// What a function is, if it has no body.
pub(crate) fn library(program: &Program, func: FuncId) -> Option<Library> {
    let function = &program.funcs[func];
    let name = source_name(&function.name);
    function.body.is_none().then(|| classify(name, program.types.target()))
}

/// What is called directly and has no body.
pub(crate) fn called_library(program: &Program, call: &Call) -> Option<Library> {
    match call.callee {
        Callee::Direct(func) => library(program, func),
        Callee::Indirect(_) => None,
    }
}

/// Whether a function without a body may call functions of the program.
pub(crate) fn calls_back(library: Library) -> bool {
    matches!(library, Library::CallsBack | Library::Unknown)
}

/// Whether what a function without a body does depends on memory behind its arguments. What a
/// function does that nothing is known of is an input of the run, and depends on nothing.
fn reads_memory(library: Library) -> bool {
    !matches!(
        library,
        Library::Nondet(_)
            | Library::Assume
            | Library::Error
            | Library::Abort
            | Library::Exit
            | Library::Unreachable
            | Library::Pure
            | Library::Environment
            | Library::MemSet
            | Library::Free
            | Library::Unknown
    )
}

/// Whether the operation is a call.
pub(crate) fn is_call(op: &Op) -> bool {
    matches!(op, Op::Call(_))
}
