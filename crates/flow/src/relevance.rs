//! What of a program can matter for whether an error is reached (Weiser: Program Slicing), and
//! what can be left out of it.
//!
//! Backwards from the errors: an operation matters if it writes what an operation that matters
//! reads, a call if something in the function matters or its result does, a branch if it decides
//! whether something that matters is done. What is left over is left out: a branch goes either way, an
//! assignment does not happen, a function is not called. That is more than the program can do,
//! since nothing that is kept reads what the rest writes; so whatever is proved of what is kept holds
//! for all.
//!
//! That holds for every choice of branches, which is free therefore. With a small [`Depth`] branches on memory
//! behind pointers are left out too, and what is read there is any value: state machines that are kept in variables, between calls that work on large records, become
//! small programs.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::cfa::{Call, Callee, Cfa, EdgeId, LocId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Program, VarId, source_name};

use crate::mod_ref::ModRef;
use crate::points_to::{CellId, ObjectKind, PointsTo};
use crate::postdominance::{DeadEnds, Postdominators};
use crate::sparse_set::SparseSet;

/// Which branches are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Those on variables that no pointer reaches: what is behind pointers can be anything.
    Plain,
    /// Those on variables: what is allocated or comes from outside can be anything.
    Named,
    /// All that decide whether something that matters is done.
    All,
}

/// What is left out of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// All of it: it does nothing, and a branch is taken whatever its condition is.
    Everything,
    /// What is stored: it is any value.
    Value,
    /// Of a call, these arguments, and the result if `result` says so.
    Parts {
        /// The positions of arguments.
        arguments: Vec<u32>,
        /// Whether the result is not stored.
        result: bool,
    },
}

/// What can be left out of a program: the edges with what is left out there, and how many are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Irrelevant {
    /// By edge.
    pub edges: BTreeMap<(FuncId, EdgeId), LeftOut>,
    /// Operations of functions that can be called, as they were.
    pub before: usize,
    /// Those that are kept.
    pub kept: usize,
}

/// What must not be reached.
pub struct Errors<'a> {
    /// Edges.
    pub edges: &'a BTreeSet<(FuncId, EdgeId)>,
    /// Functions that must not be called.
    pub functions: &'a BTreeSet<FuncId>,
}

/// What does not matter for whether runs from `entry` reach an error.
pub fn irrelevant(
    program: &Program,
    (points_to, mod_ref): (&PointsTo, &ModRef),
    entry: FuncId,
    errors: &Errors<'_>,
    depth: Depth,
    budget: &Budget,
) -> Result<Irrelevant, Exhausted> {
    let mut search = Search {
        program,
        points_to,
        mod_ref,
        errors,
        depth,
        reads: BTreeMap::new(),
        relevant: SparseSet::new(),
        results: BTreeSet::new(),
        kept: BTreeMap::new(),
        matters: BTreeSet::new(),
        follows_memory: false,
        open: BTreeSet::new(),
        grown: false,
    };
    let functions = search.reachable(entry);
    search.find_open(&functions);
    let trees: BTreeMap<FuncId, Postdominators> = functions
        .iter()
        .filter_map(|&func| {
            let body = program.funcs[func].body.as_ref()?;
            Some((func, Postdominators::new(body, DeadEnds::End, |_| false)))
        })
        .collect();
    loop {
        search.grown = false;
        for &func in functions.iter().rev() {
            budget.check()?;
            if let Some(body) = &program.funcs[func].body {
                search.function(func, body, &trees[&func]);
            }
        }
        if !search.grown {
            break;
        }
    }
    Ok(search.left_out(entry))
}

/// What is done on an edge that is not left out altogether.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// The operation.
    Whole,
    /// Any value is stored.
    AnyValue,
}

struct Search<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    mod_ref: &'a ModRef,
    errors: &'a Errors<'a>,
    depth: Depth,
    /// What the value of an expression is read from.
    reads: BTreeMap<ExprId, SparseSet>,
    /// What is read by what is kept.
    relevant: SparseSet,
    /// Functions whose results are wanted.
    results: BTreeSet<FuncId>,
    kept: BTreeMap<(FuncId, EdgeId), Kept>,
    /// Functions with something that is kept and no branch.
    matters: BTreeSet<FuncId>,
    /// Whether something that is kept follows a pointer: then it matters what was allocated.
    follows_memory: bool,
    /// Parameters that are given, somewhere, what is not followed: they are not followed either.
    open: BTreeSet<VarId>,
    grown: bool,
}

impl Search<'_> {
    fn callees(&self, func: FuncId, edge: EdgeId) -> Vec<FuncId> {
        let called = self.points_to.callees(self.program, func, edge);
        called.functions.into_iter().chain(called.callbacks).collect()
    }

    /// The functions that runs can come to, callers before callees as they are met.
    fn reachable(&self, entry: FuncId) -> Vec<FuncId> {
        let (mut found, mut at) = (vec![entry], 0);
        let mut seen = BTreeSet::from([entry]);
        while let Some(&func) = found.get(at) {
            at += 1;
            let Some(body) = &self.program.funcs[func].body else { continue };
            for (edge, held) in body.edges().iter_ids() {
                if let Op::Call(_) = held.op {
                    found.extend(self.callees(func, edge).into_iter().filter(|f| seen.insert(*f)));
                }
            }
        }
        found
    }

    /// Finds the parameters that are not followed.
    fn find_open(&mut self, functions: &[FuncId]) {
        if self.depth == Depth::All {
            return;
        }
        loop {
            let before = self.open.len();
            for &func in functions {
                let Some(body) = &self.program.funcs[func].body else { continue };
                for (edge, held) in body.edges().iter_ids() {
                    let Op::Call(call) = &held.op else { continue };
                    for callee in self.callees(func, edge) {
                        let params = &self.program.funcs[callee].params;
                        for (&param, &arg) in params.iter().zip(&call.args) {
                            if !self.is_wanted(&[arg]) {
                                self.open.insert(param);
                            }
                        }
                    }
                }
            }
            if self.open.len() == before {
                return;
            }
        }
    }

    fn function(&mut self, func: FuncId, body: &Cfa, tree: &Postdominators) {
        for (edge, held) in body.edges().iter_ids() {
            if matches!(held.op, Op::Skip | Op::Assume(_)) && !self.is_error(func, edge) {
                continue;
            }
            self.operation(func, edge, &held.op);
        }
        for loc in body.locs() {
            let branches = body.out_edges(loc);
            let is_branch = |edge: &&EdgeId| matches!(body.edge(**edge).op, Op::Assume(_));
            let open: Vec<EdgeId> = branches
                .iter()
                .filter(is_branch)
                .copied()
                .filter(|edge| !self.kept.contains_key(&(func, *edge)))
                .collect();
            if open.is_empty() || !self.decides(func, body, tree, loc) {
                continue;
            }
            for edge in open {
                if let Op::Assume(condition) = body.edge(edge).op
                    && self.is_wanted(&[condition])
                {
                    self.keep(func, edge, Kept::Whole, &[condition], &[]);
                }
            }
        }
    }

    /// Whether something that matters is done, or not, by which way is taken.
    fn decides(&self, func: FuncId, body: &Cfa, tree: &Postdominators, loc: LocId) -> bool {
        let end = tree.immediate(loc);
        let mut seen = BTreeSet::from([loc]);
        let mut work = vec![loc];
        while let Some(at) = work.pop() {
            for &edge in body.out_edges(at) {
                let held = body.edge(edge);
                let is_branch = matches!(held.op, Op::Assume(_));
                if self.is_error(func, edge) || !is_branch && self.kept.contains_key(&(func, edge))
                {
                    return true;
                }
                if Some(held.to) != end && seen.insert(held.to) {
                    work.push(held.to);
                }
            }
        }
        false
    }

    fn is_error(&self, func: FuncId, edge: EdgeId) -> bool {
        self.errors.edges.contains(&(func, edge))
    }

    fn operation(&mut self, func: FuncId, edge: EdgeId, op: &Op) {
        if self.kept.contains_key(&(func, edge)) && !matches!(op, Op::Call(_)) {
            return;
        }
        if self.is_error(func, edge) {
            let condition = match op {
                Op::Assume(condition) => vec![*condition],
                _ => Vec::new(),
            };
            return self.keep(func, edge, Kept::Whole, &condition, &[]);
        }
        match op {
            Op::Assign { dst, src } => {
                if self.is_relevant(*dst) {
                    self.assign(func, edge, *dst, &[*src]);
                }
            }
            Op::Return(Some(value)) => {
                if self.results.contains(&func) {
                    match self.is_wanted(&[*value]) {
                        true => self.keep(func, edge, Kept::Whole, &[*value], &[]),
                        false => self.keep(func, edge, Kept::AnyValue, &[], &[]),
                    }
                }
            }
            Op::Call(call) => self.call(func, edge, call),
            Op::Alloca { dst, size } => {
                if self.follows_memory || self.is_relevant(*dst) {
                    self.keep(func, edge, Kept::Whole, &[*size], &[*dst]);
                }
            }
            Op::Skip | Op::Assume(_) | Op::Return(None) => {}
            Op::Havoc(_) | Op::HavocMemory | Op::Declare(_) => {
                if self.writes_relevant(func, edge) {
                    self.keep(func, edge, Kept::Whole, &[], op.destination().as_slice());
                }
            }
            Op::VaStart(_) | Op::VaArg { .. } | Op::VaCopy { .. } | Op::VaEnd(_) => {
                if self.writes_relevant(func, edge) {
                    let effects =
                        self.mod_ref.edge_effects(self.program, self.points_to, func, edge);
                    self.keep(func, edge, Kept::Whole, &[], op.destination().as_slice());
                    self.read(&effects.reads);
                }
            }
        }
    }

    /// Stores to something that matters.
    fn assign(&mut self, func: FuncId, edge: EdgeId, dst: PlaceId, from: &[ExprId]) {
        let is_named = matches!(self.program.exprs.place(dst).kind, PlaceKind::Var(_));
        let is_number = self.program.types.is_scalar(self.program.place_ty(dst));
        match is_named && is_number && !self.is_wanted(from) {
            true => self.keep(func, edge, Kept::AnyValue, &[], &[]),
            false => self.keep(func, edge, Kept::Whole, from, &[dst]),
        }
    }

    fn call(&mut self, func: FuncId, edge: EdgeId, call: &Call) {
        let callees = self.callees(func, edge);
        let wants_result = call.dst.is_some_and(|dst| self.is_relevant(dst));
        let (bodies, others): (Vec<FuncId>, Vec<FuncId>) =
            callees.iter().partition(|callee| self.program.funcs[**callee].body.is_some());
        let is_forbidden = |callee: &FuncId| self.errors.functions.contains(callee);
        let matters = callees.iter().any(is_forbidden)
            || bodies.iter().any(|callee| self.matters.contains(callee));
        if bodies.is_empty() {
            return self.library_call(func, edge, call, &others, matters, wants_result);
        }
        let writes = !others.is_empty() && self.writes_relevant(func, edge);
        if !(matters || wants_result || writes) {
            return;
        }
        if wants_result {
            for &callee in &bodies {
                self.grown |= self.results.insert(callee);
            }
        }
        let mut read: Vec<ExprId> = Vec::new();
        for (position, &arg) in call.args.iter().enumerate() {
            if !others.is_empty()
                || bodies.iter().any(|callee| self.takes(*callee, position as u32))
            {
                read.push(arg);
            }
        }
        if let Callee::Indirect(pointer) = call.callee {
            read.push(pointer);
        }
        let to: Vec<PlaceId> = call.dst.filter(|_| wants_result).into_iter().collect();
        self.keep(func, edge, Kept::Whole, &read, &to);
    }

    /// Whether it matters what a function is given at a position.
    fn takes(&self, callee: FuncId, position: u32) -> bool {
        let Some(&param) = self.program.funcs[callee].params.get(position as usize) else {
            // Further arguments.
            return true;
        };
        if !self.program.types.is_scalar(self.program.vars[param].ty) {
            return true;
        }
        let objects = self.points_to.objects();
        let mut cells = objects.cells(objects.variable(param));
        cells.any(|cell| self.relevant.contains(cell.0))
    }

    fn library_call(
        &mut self,
        func: FuncId,
        edge: EdgeId,
        call: &Call,
        callees: &[FuncId],
        matters: bool,
        wants_result: bool,
    ) {
        let kind = |callee: &FuncId| {
            classify(source_name(&self.program.funcs[*callee].name), self.program.types.target())
        };
        let kinds: Vec<Library> = callees.iter().map(kind).collect();
        let ends = |kind: &Library| {
            matches!(kind, Library::Abort | Library::Exit | Library::Unreachable | Library::Assume)
        };
        let allocates = kinds.iter().any(|kind| matches!(kind, Library::Alloc(_)));
        let is_needed = matters
            || kinds.iter().any(ends)
            || matches!(call.callee, Callee::Indirect(_))
            || allocates && (self.follows_memory || wants_result)
            || self.writes_beside_result(func, edge, call);
        if is_needed {
            let mut read = call.args.to_vec();
            if let Callee::Indirect(pointer) = call.callee {
                read.push(pointer);
            }
            self.keep(func, edge, Kept::Whole, &read, call.dst.as_slice());
            let effects = self.mod_ref.edge_effects(self.program, self.points_to, func, edge);
            self.read(&effects.reads);
            return;
        }
        let (true, Some(dst)) = (wants_result, call.dst) else { return };
        match kinds[..] {
            [Library::Nondet(_)] => self.keep(func, edge, Kept::Whole, &call.args, &[dst]),
            [Library::Pure] => self.assign(func, edge, dst, &call.args),
            _ if matches!(self.program.exprs.place(dst).kind, PlaceKind::Var(_)) => {
                self.keep(func, edge, Kept::AnyValue, &[], &[]);
            }
            _ => {
                let effects = self.mod_ref.edge_effects(self.program, self.points_to, func, edge);
                self.keep(func, edge, Kept::Whole, &call.args, &[dst]);
                self.read(&effects.reads);
            }
        }
    }

    fn writes_relevant(&self, func: FuncId, edge: EdgeId) -> bool {
        let effects = self.mod_ref.edge_effects(self.program, self.points_to, func, edge);
        effects.writes.intersects(&self.relevant)
    }

    fn writes_beside_result(&self, func: FuncId, edge: EdgeId, call: &Call) -> bool {
        let mut effects = self.mod_ref.edge_effects(self.program, self.points_to, func, edge);
        if let Some(dst) = call.dst {
            let own = self.points_to.cells(self.program, dst);
            effects.writes.retain(|cell| !own.contains(cell));
        }
        effects.writes.intersects(&self.relevant)
    }

    fn is_relevant(&self, place: PlaceId) -> bool {
        self.points_to.cells(self.program, place).intersects(&self.relevant)
    }

    /// Whether values are computed from what is to be followed.
    fn is_wanted(&mut self, values: &[ExprId]) -> bool {
        if self.depth == Depth::All {
            return true;
        }
        let objects = self.points_to.objects();
        values.iter().all(|&value| {
            let reads = self.reads_of(value);
            let is_plain = |cell: u32| match objects.get(objects.owner(CellId(cell))).kind {
                ObjectKind::Variable(var) => {
                    let is_plain = !self.program.vars[var].address_taken;
                    (self.depth == Depth::Named || is_plain) && !self.open.contains(&var)
                }
                ObjectKind::Function(_) => true,
                _ => false,
            };
            reads.iter().all(is_plain)
        })
    }

    fn keep(
        &mut self,
        func: FuncId,
        edge: EdgeId,
        how: Kept,
        values: &[ExprId],
        written: &[PlaceId],
    ) {
        self.grown |= self.kept.insert((func, edge), how) != Some(how);
        let body = self.program.funcs[func].body.as_ref();
        if !body.is_some_and(|body| matches!(body.edge(edge).op, Op::Assume(_)))
            || self.is_error(func, edge)
        {
            self.grown |= self.matters.insert(func);
        }
        for &value in values {
            let reads = self.reads_of(value);
            self.read(&reads);
        }
        for &place in written {
            let reads = self.address_reads(place);
            self.read(&reads);
            let own = self.program.exprs.root_var(place);
            self.follows_memory |= own.is_none_or(|var| self.program.vars[var].address_taken);
        }
    }

    fn read(&mut self, cells: &SparseSet) {
        self.grown |= self.relevant.union_with(cells);
        if !self.follows_memory {
            let objects = self.points_to.objects();
            self.follows_memory = cells.iter().any(|cell| {
                !matches!(objects.get(objects.owner(CellId(cell))).kind,
                    ObjectKind::Variable(var) if !self.program.vars[var].address_taken)
            });
            self.grown |= self.follows_memory;
        }
    }

    /// What the address of a place is computed from.
    fn address_reads(&mut self, place: PlaceId) -> SparseSet {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => SparseSet::new(),
            PlaceKind::Deref(pointer) => self.reads_of(pointer),
            PlaceKind::Field(base, _) => self.address_reads(base),
            PlaceKind::Index(base, index) => {
                let mut reads = self.address_reads(base);
                reads.union_with(&self.reads_of(index));
                reads
            }
        }
    }

    fn reads_of(&mut self, value: ExprId) -> SparseSet {
        if let Some(known) = self.reads.get(&value) {
            return known.clone();
        }
        let found = match self.program.exprs.expr(value).kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => SparseSet::new(),
            ExprKind::Load(place) => {
                let mut reads = self.address_reads(place);
                reads.union_with(&self.points_to.cells(self.program, place));
                reads
            }
            ExprKind::AddrOf(place) => self.address_reads(place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.reads_of(a),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                let mut reads = self.reads_of(a);
                reads.union_with(&self.reads_of(b));
                reads
            }
        };
        self.reads.insert(value, found.clone());
        found
    }

    /// All that is not kept in the functions that are still called.
    fn left_out(&self, entry: FuncId) -> Irrelevant {
        let mut found = Irrelevant::default();
        for func in self.reachable(entry) {
            let body = self.program.funcs[func].body.iter();
            let op = |edge: &&gnomon_ir::cfa::Edge| !matches!(edge.op, Op::Skip);
            found.before += body.flat_map(|body| body.edges().iter()).filter(op).count();
        }
        let (mut functions, mut at) = (vec![entry], 0);
        let mut seen = BTreeSet::from([entry]);
        while let Some(&func) = functions.get(at) {
            at += 1;
            let Some(body) = &self.program.funcs[func].body else { continue };
            for (edge, held) in body.edges().iter_ids() {
                if matches!(held.op, Op::Skip) {
                    continue;
                }
                let is_kept = self.kept.get(&(func, edge));
                found.kept += usize::from(is_kept.is_some());
                let left_out = match (is_kept, &held.op) {
                    (None, Op::Return(None)) => continue,
                    (None, _) => LeftOut::Everything,
                    (Some(Kept::AnyValue), _) => LeftOut::Value,
                    (Some(Kept::Whole), Op::Call(call)) if !self.is_error(func, edge) => {
                        let callees = self.callees(func, edge);
                        functions.extend(callees.iter().filter(|callee| seen.insert(**callee)));
                        match self.parts(call, &callees) {
                            Some(parts) => parts,
                            None => continue,
                        }
                    }
                    (Some(Kept::Whole), _) => continue,
                };
                found.edges.insert((func, edge), left_out);
            }
        }
        found
    }

    /// What can be left out of a call that is kept.
    fn parts(&self, call: &Call, callees: &[FuncId]) -> Option<LeftOut> {
        if callees.iter().any(|callee| self.program.funcs[*callee].body.is_none()) {
            return None;
        }
        let positions = 0..call.args.len() as u32;
        let arguments: Vec<u32> =
            positions.filter(|&at| !callees.iter().any(|callee| self.takes(*callee, at))).collect();
        let result = call.dst.is_some_and(|dst| !self.is_relevant(dst));
        (result || !arguments.is_empty()).then_some(LeftOut::Parts { arguments, result })
    }
}
