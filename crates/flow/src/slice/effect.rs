//! Rd and Wt (PS Figure 3): what operations read and write.

use std::cell::OnceCell;
use std::rc::Rc;

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Callee, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{Program, Storage, VarId};
use gnomon_ir::types::{RecordKind, Type};
use rustc_hash::FxHashSet;

use super::facts::MemoryFacts;
use crate::sparse_set::SparseSet;

/// Where an operation stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Place(PlaceId),
    /// A whole variable.
    Variable(VarId),
}

/// The places that an operation stores to by name; what calls write besides is not among them.
pub(crate) fn written_places(op: &Op) -> impl Iterator<Item = PlaceId> {
    let places = match *op {
        Op::Assign { dst, .. } | Op::Alloca { dst, .. } | Op::VaCopy { dst, .. } => {
            [Some(dst), None]
        }
        Op::Havoc(place) | Op::VaStart(place) => [Some(place), None],
        Op::VaArg { dst, list } => [Some(dst), Some(list)],
        Op::Call(ref call) => [call.dst, None],
        _ => [None, None],
    };
    places.into_iter().flatten()
}

/// Where an operation stores by name.
pub(crate) fn targets(op: &Op) -> impl Iterator<Item = Target> {
    let declared = match *op {
        Op::Declare(var) => Some(Target::Variable(var)),
        _ => None,
    };
    declared.into_iter().chain(written_places(op).map(Target::Place))
}

/// The lvalues that an operation reads: in its expressions, and to find out where it stores.
pub(crate) fn read_places(program: &Program, op: &Op) -> Vec<PlaceId> {
    let mut reads = Reads::new(program);
    for place in written_places(op) {
        reads.address(place);
    }
    match op {
        Op::Assume(e) | Op::Return(Some(e)) => reads.expr(*e),
        Op::Assign { src, .. } => reads.expr(*src),
        Op::Alloca { size, .. } => reads.expr(*size),
        Op::VaArg { list, .. } => reads.place(*list),
        Op::VaCopy { src, .. } => reads.place(*src),
        Op::VaEnd(list) => reads.address(*list),
        Op::Call(call) => {
            if let Callee::Indirect(pointer) = call.callee {
                reads.expr(pointer);
            }
            for &arg in &call.args {
                reads.expr(arg);
            }
        }
        Op::Skip
        | Op::Return(None)
        | Op::Havoc(_)
        | Op::HavocMemory
        | Op::Declare(_)
        | Op::VaStart(_) => {}
    }
    reads.places
}

/// The lvalues in an expression (Lvs of PS 3.3).
pub(crate) fn read_by(program: &Program, e: ExprId) -> Vec<PlaceId> {
    let mut reads = Reads::new(program);
    reads.expr(e);
    reads.places
}

/// Collects lvalues. Expressions are graphs, so each is walked once.
struct Reads<'p> {
    program: &'p Program,
    places: Vec<PlaceId>,
    seen: FxHashSet<ExprId>,
}

impl<'p> Reads<'p> {
    fn new(program: &'p Program) -> Self {
        Self { program, places: Vec::new(), seen: FxHashSet::default() }
    }

    fn place(&mut self, place: PlaceId) {
        if !self.places.contains(&place) {
            self.places.push(place);
        }
        self.address(place);
    }

    /// What is read to find out where a place is.
    fn address(&mut self, place: PlaceId) {
        let mut at = place;
        loop {
            match self.program.exprs.place(at).kind {
                PlaceKind::Var(_) => return,
                PlaceKind::Deref(pointer) => return self.expr(pointer),
                PlaceKind::Field(base, _) => at = base,
                PlaceKind::Index(base, index) => {
                    self.expr(index);
                    at = base;
                }
            }
        }
    }

    fn expr(&mut self, e: ExprId) {
        let mut work = vec![e];
        while let Some(e) = work.pop() {
            if !self.seen.insert(e) {
                continue;
            }
            match self.program.exprs.expr(e).kind {
                ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
                ExprKind::Load(place) => self.place(place),
                ExprKind::AddrOf(place) => self.address(place),
                ExprKind::Unary(_, a) | ExprKind::Cast(a) => work.push(a),
                ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                    work.extend([a, b]);
                }
            }
        }
    }
}

/// What a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// A variable whose address is never taken.
    Plain(VarId),
    /// Memory: a variable whose address is taken, or behind a pointer.
    Memory,
}

/// What slicing knows of a place.
#[derive(Debug)]
pub(crate) struct PlaceInfo {
    pub root: Root,
    /// Empty for plain variables.
    pub cells: Rc<SparseSet>,
    /// What is read to find out where it is.
    pub address: Vec<PlaceId>,
    /// Whether it depends on local variables where it is.
    pub is_local: bool,
}

/// Places of a program, looked at when they are first asked for.
pub(crate) struct Places<'p> {
    pub program: &'p Program,
    pub facts: &'p MemoryFacts<'p>,
    known: Vec<OnceCell<PlaceInfo>>,
}

impl<'p> Places<'p> {
    pub fn new(facts: &'p MemoryFacts<'p>) -> Self {
        let program = facts.program();
        let known = (0..program.exprs.place_count()).map(|_| OnceCell::new()).collect();
        Self { program, facts, known }
    }

    pub fn info(&self, place: PlaceId) -> &PlaceInfo {
        self.known[place.index()].get_or_init(|| {
            let mut reads = Reads::new(self.program);
            reads.address(place);
            let address = reads.places;
            let root = self.program.exprs.root_var(place);
            let plain = root.filter(|&var| !self.program.vars[var].address_taken);
            let is_local = root.is_some_and(|var| !self.is_static(var))
                || address.iter().any(|&place| self.info(place).is_local);
            let cells = match plain {
                Some(_) => Rc::default(),
                None => self.facts.cells(place),
            };
            PlaceInfo { root: plain.map_or(Root::Memory, Root::Plain), cells, address, is_local }
        })
    }

    pub fn is_static(&self, var: VarId) -> bool {
        matches!(self.program.vars[var].storage, Storage::Static { .. })
    }

    /// Whether two places in the same plain variable have a byte in common.
    pub fn overlap(&self, a: PlaceId, b: PlaceId) -> bool {
        if a == b {
            return true;
        }
        let (a, b) = (self.steps(a), self.steps(b));
        for (&a, &b) in a.iter().zip(&b) {
            match (self.program.exprs.place(a).kind, self.program.exprs.place(b).kind) {
                (PlaceKind::Field(base, i), PlaceKind::Field(_, j)) if i != j => {
                    return self.is_union(base);
                }
                (PlaceKind::Index(_, i), PlaceKind::Index(_, j)) => {
                    let known = (self.program.as_int(i), self.program.as_int(j));
                    if let (Some(i), Some(j)) = known
                        && i != j
                    {
                        return false;
                    }
                }
                _ => {}
            }
        }
        true
    }

    fn is_union(&self, place: PlaceId) -> bool {
        match *self.program.types.get(self.program.place_ty(place)) {
            Type::Record(record) => self.program.types.record(record).kind == RecordKind::Union,
            _ => false,
        }
    }

    /// The place and what it is a part of, the whole variable first.
    fn steps(&self, place: PlaceId) -> Vec<PlaceId> {
        let mut steps: Vec<PlaceId> = self.parts_of(place).collect();
        steps.reverse();
        steps
    }

    /// The place and what it is a part of, smallest first.
    pub fn parts_of(&self, place: PlaceId) -> impl Iterator<Item = PlaceId> + use<'p> {
        let program = self.program;
        std::iter::successors(Some(place), move |&place| match program.exprs.place(place).kind {
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => Some(base),
            PlaceKind::Var(_) | PlaceKind::Deref(_) => None,
        })
    }

    /// The smallest part of a variable that has the place in it whatever its indices are.
    pub fn fixed_part(&self, place: PlaceId) -> PlaceId {
        let mut fixed = place;
        for part in self.parts_of(place) {
            if let PlaceKind::Index(base, index) = self.program.exprs.place(part).kind
                && self.program.exprs.const_bits(index).is_none()
            {
                fixed = base;
            }
        }
        fixed
    }
}
