//! Symmetric threads.
//!
//! Two threads are symmetric if exchanging them changes nothing: whatever one can do in a state, the
//! other can do in the state in which the two have changed places. That is proved here, once, from
//! the functions of the threads; [`crate::symmetry`] then takes states for one another that differ in
//! who of such threads is where (Clarke, Enders, Filkorn, Jha 1996; Ip and Dill 1996).
//!
//! Exchanging two threads means two things. Their variables change contents: those that are at the
//! same positions in their functions, which must be the same edge by edge otherwise, and which nobody
//! else touches or points to. And their numbers change places wherever a number of a thread is
//! kept: in locks, variables of type `pthread_t`, the model's own variables. Which parts of memory
//! these are is found out from where numbers come from (`__gnomon_self`, new threads) and where they
//! are copied to, and nothing may be done with them but copying and comparing: with each other, with
//! the number of the thread that asks, or with numbers that no thread has which is exchanged. Whoever
//! computes with numbers of threads, or keeps them behind pointers, has no symmetric threads.
//!
//! What the reduction does for all threads one after the other ([`Mark::Numbers`] and its relatives)
//! is the same for each, and a thread is made once: such edges are not looked at.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::{Callee, Edge, EdgeId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Program, VarId};

use crate::frozen::bytes;
use crate::graph::Mark;
use crate::operands::for_each_place;
use crate::sequential::Sequential;
use crate::sites::{ThreadId, Threads};

/// A part of a variable where the number of a thread may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// Of which variable.
    pub var: VarId,
    /// Where it begins.
    pub offset: u64,
    /// Its size.
    pub size: u64,
}

/// Symmetric threads.
#[derive(Clone, Debug)]
pub struct Class {
    /// The threads.
    pub members: Vec<usize>,
    /// The variables of each; those at the same position are for the same.
    pub vars: Vec<Vec<VarId>>,
}

/// All that is symmetric in a program.
#[derive(Clone, Debug, Default)]
pub struct Symmetric {
    /// With two members at least.
    pub classes: Vec<Class>,
    /// Where numbers of threads may be.
    pub cells: BTreeSet<Cell>,
}

/// The number of a thread.
pub fn number(thread: usize) -> i128 {
    Threads::number(ThreadId(thread as u32))
}

/// Which threads are symmetric.
pub fn symmetric(sequential: &Sequential) -> Symmetric {
    let mut finding = Finding::new(sequential);
    let threads = &sequential.threads;
    let mut classes: Vec<Class> = Vec::new();
    for thread in 1..threads.len() {
        let mut found = false;
        for class in &mut classes {
            let first = class.members[0];
            let Some(matching) = finding.matching(first, thread) else { continue };
            // The first pair says which variables belong to the class.
            if class.members.len() == 1 {
                class.vars = vec![matching.vars.keys().copied().collect()];
            }
            let vars: Option<Vec<VarId>> =
                class.vars[0].iter().map(|var| matching.vars.get(var).copied()).collect();
            let Some(vars) = vars.filter(|vars| vars.len() == matching.vars.len()) else {
                continue;
            };
            class.members.push(thread);
            class.vars.push(vars);
            for (member, edges) in [(first, &matching.own), (thread, &matching.own)] {
                finding.own.entry(threads[member].func).or_default().extend(edges);
            }
            found = true;
            break;
        }
        if !found {
            classes.push(Class { members: vec![thread], vars: vec![Vec::new()] });
        }
    }
    classes.retain(|class| class.members.len() > 1);
    let members = classes.iter().flat_map(|class| class.members.iter().copied());
    finding.exchanged = members.map(number).collect();
    match !classes.is_empty() && finding.cells() {
        true => Symmetric { classes, cells: finding.cells },
        false => Symmetric::default(),
    }
}

/// How the variables of two threads correspond.
#[derive(Default)]
struct Matching {
    vars: BTreeMap<VarId, VarId>,
    back: BTreeMap<VarId, VarId>,
    /// Edges with the number of the thread in them.
    own: BTreeSet<EdgeId>,
}

struct Finding<'a> {
    sequential: &'a Sequential,
    program: &'a Program,
    /// Which functions touch a variable.
    users: BTreeMap<VarId, BTreeSet<FuncId>>,
    /// Edges with the number of the thread in them.
    own: BTreeMap<FuncId, BTreeSet<EdgeId>>,
    /// Numbers of threads that can be exchanged.
    exchanged: BTreeSet<i128>,
    cells: BTreeSet<Cell>,
    /// Whether a cell was found since.
    grown: bool,
}

impl<'a> Finding<'a> {
    fn new(sequential: &'a Sequential) -> Self {
        let program = &sequential.program;
        let mut users: BTreeMap<VarId, BTreeSet<FuncId>> = BTreeMap::new();
        for (func, _, edge, mark) in edges(sequential) {
            for_each_place(program, &edge.op, &mut |place, _| {
                let Some(var) = program.exprs.root_var(place) else { return };
                if !is_for_all(mark) && mark != Mark::Makes {
                    users.entry(var).or_default().insert(func);
                }
            });
        }
        let (own, exchanged, cells) = Default::default();
        Self { sequential, program, users, own, exchanged, cells, grown: false }
    }

    /// How the variables of two threads correspond, if their functions do the same.
    fn matching(&self, one: usize, other: usize) -> Option<Matching> {
        let threads = &self.sequential.threads;
        let (first, second) = (&threads[one], &threads[other]);
        let body = |func: FuncId| self.program.funcs[func].body.as_ref();
        let (a, b) = (body(first.func)?, body(second.func)?);
        let same_shape = first.starts == second.starts
            && first.marks == second.marks
            && a.edges().len() == b.edges().len()
            && a.exit() == b.exit();
        if !same_shape {
            return None;
        }
        let mut comparing = Comparing {
            finding: self,
            numbers: (number(one), number(other)),
            funcs: (first.func, second.func),
            matching: Matching::default(),
            for_all: false,
            names_itself: false,
        };
        for (id, edge) in a.edges().iter_ids() {
            let twin = b.edge(id);
            comparing.for_all = is_for_all(mark_of(self.sequential, first.func, id));
            comparing.names_itself = false;
            let same = edge.from == twin.from && edge.to == twin.to;
            if !same || !comparing.op(&edge.op, &twin.op) {
                return None;
            }
            if comparing.names_itself {
                comparing.matching.own.insert(id);
            }
        }
        Some(comparing.matching)
    }

    /// Finds where numbers of threads are; whether nothing is done with them that could tell threads
    /// apart.
    fn cells(&mut self) -> bool {
        loop {
            self.grown = false;
            for (func, id, edge, mark) in edges(self.sequential) {
                let names = self.own.get(&func).is_some_and(|edges| edges.contains(&id));
                let position = self.sequential.threads.iter().position(|t| t.func == func);
                let own = position.filter(|_| names).map(number);
                if !self.allows(edge, mark, own) {
                    return false;
                }
            }
            if self.cells.iter().any(|cell| self.program.vars[cell.var].address_taken) {
                return false;
            }
            if !self.grown {
                return true;
            }
        }
    }

    fn allows(&mut self, edge: &Edge, mark: Mark, own: Option<i128>) -> bool {
        match (&edge.op, mark) {
            (Op::Assume(condition), Mark::Numbers | Mark::Owes) => self.is_chosen(*condition),
            // The results of threads are told apart by nothing but the number.
            (Op::Assign { dst, src }, Mark::Numbers | Mark::Owes) => {
                !self.meets(*dst) && self.is_clean(*src, own)
            }
            (_, Mark::Settles) => true,
            (Op::Assume(condition), Mark::Makes) => self.is_clean(*condition, None),
            (Op::Assign { dst, src }, Mark::Makes) => {
                let is_ghost = self.program.exprs.root_var(*dst).is_some_and(|var| {
                    self.sequential.threads.iter().any(|thread| thread.counter == var)
                });
                let made = self.program.as_int(*src).filter(|_| !is_ghost);
                match made.is_some_and(|made| self.exchanged.contains(&made)) {
                    true => self.add(*dst),
                    false => self.assigned(*dst, *src, None),
                }
            }
            (Op::Assign { dst, src }, _) => self.assigned(*dst, *src, own),
            (Op::Assume(condition), _) => self.is_clean(*condition, own),
            (Op::Havoc(place), _) => {
                let whole = matches!(self.program.exprs.place(*place).kind, PlaceKind::Var(_));
                self.is_clean_place(*place, own)
                    && (!self.meets(*place) || whole && mark == Mark::Declares)
            }
            (Op::Skip | Op::Declare(_), _) => true,
            (op, _) => {
                let mut clean = true;
                for_each_place(self.program, op, &mut |place, _| clean &= !self.meets(place));
                if let Op::Call(call) = op {
                    let has_own = |e: ExprId| {
                        own.is_some_and(|own| {
                            self.program.as_int(strip(self.program, e)) == Some(own)
                        })
                    };
                    clean &= !call.args.iter().any(|&arg| has_own(arg));
                }
                clean && own.is_none()
            }
        }
    }

    fn assigned(&mut self, dst: PlaceId, src: ExprId, own: Option<i128>) -> bool {
        let value = strip(self.program, src);
        let constant = self.program.as_int(value);
        if !self.is_clean_place(dst, own) {
            return false;
        }
        match self.program.exprs.expr(value).kind {
            ExprKind::Load(from) if self.meets(from) || self.meets(dst) => {
                self.is_clean_place(from, own) && self.add(from) && self.add(dst)
            }
            _ if constant.is_some() && constant == own => self.add(dst),
            _ if self.meets(dst) => {
                let other = constant.is_some_and(|value| !self.exchanged.contains(&value));
                self.add(dst) && other
            }
            _ => self.is_clean(src, own),
        }
    }

    /// Whether a condition compares something with a number, as is done for each thread.
    fn is_chosen(&mut self, condition: ExprId) -> bool {
        match self.program.exprs.expr(condition).kind {
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                let (a, b) = (strip(self.program, a), strip(self.program, b));
                match (self.program.exprs.expr(a).kind, self.program.as_int(b)) {
                    (ExprKind::Load(place), Some(_)) => {
                        let root = self.program.exprs.root_var(place);
                        let is_ghost = root.is_some_and(|var| {
                            var == self.sequential.chosen
                                || self.sequential.threads.iter().any(|t| t.counter == var)
                        });
                        is_ghost || self.is_clean_place(place, None) && self.add(place)
                    }
                    // What threads sleep on is not a number.
                    _ => self.is_clean(a, None) && self.is_clean(b, None),
                }
            }
            _ => false,
        }
    }

    /// Whether an expression does nothing with numbers but compare them.
    fn is_clean(&mut self, e: ExprId, own: Option<i128>) -> bool {
        match self.program.exprs.expr(e).kind {
            ExprKind::Const(_) => own.is_none() || self.program.as_int(e) != own,
            ExprKind::Zero | ExprKind::FuncAddr(_) => true,
            ExprKind::Load(place) => !self.meets(place) && self.is_clean_place(place, own),
            ExprKind::AddrOf(place) => self.is_clean_place(place, own),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.is_clean(a, own),
            ExprKind::Binary(op, a, b) => {
                if matches!(op, BinaryOp::Eq | BinaryOp::Ne)
                    && let Some(allowed) = self.comparison(a, b, own)
                {
                    return allowed;
                }
                self.is_clean(a, own) && self.is_clean(b, own)
            }
            ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                self.is_clean(a, own) && self.is_clean(b, own)
            }
        }
    }

    /// Whether a comparison with a number is one that does not tell threads apart; `None` if there is
    /// no number in it.
    fn comparison(&mut self, a: ExprId, b: ExprId, own: Option<i128>) -> Option<bool> {
        let (a, b) = (strip(self.program, a), strip(self.program, b));
        let kinds = (self.program.exprs.expr(a).kind, self.program.exprs.expr(b).kind);
        let is_own = |e: ExprId| own.is_some() && self.program.as_int(e) == own;
        let (place, with) = match kinds {
            (ExprKind::Load(one), ExprKind::Load(other)) => {
                return (self.meets(one) || self.meets(other))
                    .then(|| self.add(one) && self.add(other));
            }
            (ExprKind::Load(place), _) if self.meets(place) || is_own(b) => (place, b),
            (_, ExprKind::Load(place)) if self.meets(place) || is_own(a) => (place, a),
            _ => return None,
        };
        let value = self.program.as_int(with);
        let allowed =
            value.is_some_and(|value| Some(value) == own || !self.exchanged.contains(&value));
        Some(allowed && self.add(place))
    }

    fn is_clean_place(&mut self, place: PlaceId, own: Option<i128>) -> bool {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => true,
            PlaceKind::Deref(pointer) => self.is_clean(pointer, own),
            PlaceKind::Field(base, _) => self.is_clean_place(base, own),
            PlaceKind::Index(base, index) => {
                self.is_clean_place(base, own) && self.is_clean(index, own)
            }
        }
    }

    /// Adds a place where numbers may be; whether it is one that can be told.
    fn add(&mut self, place: PlaceId) -> bool {
        let Some(var) = self.program.exprs.root_var(place) else { return false };
        let integer = self.program.types.is_integer(self.program.place_ty(place));
        let Some((offset, size)) = bytes(self.program, place).filter(|_| integer) else {
            return false;
        };
        let cell = Cell { var, offset, size };
        let partly = self.cells.iter().any(|other| *other != cell && overlap(other, &cell));
        self.grown |= self.cells.insert(cell);
        !partly
    }

    /// Whether a place may hold a part of what holds numbers.
    fn meets(&self, place: PlaceId) -> bool {
        let Some(var) = self.program.exprs.root_var(place) else { return false };
        let mut cells = self.cells.iter().filter(|cell| cell.var == var);
        match bytes(self.program, place) {
            Some((offset, size)) => cells.any(|cell| overlap(cell, &Cell { var, offset, size })),
            None => cells.next().is_some(),
        }
    }
}

fn overlap(one: &Cell, other: &Cell) -> bool {
    one.var == other.var
        && one.offset < other.offset + other.size
        && other.offset < one.offset + one.size
}

/// Without conversions between integers.
fn strip(program: &Program, mut e: ExprId) -> ExprId {
    while let ExprKind::Cast(inner) = program.exprs.expr(e).kind {
        let is_number = |e: ExprId| {
            let ty = program.expr_ty(e);
            program.types.is_integer(ty) && ty != gnomon_ir::types::Types::BOOL
        };
        if !is_number(e) || !is_number(inner) {
            break;
        }
        e = inner;
    }
    e
}

fn is_for_all(mark: Mark) -> bool {
    matches!(mark, Mark::Numbers | Mark::Owes | Mark::Settles)
}

fn mark_of(sequential: &Sequential, func: FuncId, edge: EdgeId) -> Mark {
    let thread = sequential.threads.iter().find(|thread| thread.func == func);
    thread.and_then(|thread| thread.marks.get(edge.0 as usize).copied()).unwrap_or_default()
}

/// All edges of the program but those of the functions that call the threads.
fn edges(sequential: &Sequential) -> Vec<(FuncId, EdgeId, &Edge, Mark)> {
    let mut found = Vec::new();
    for (func, function) in sequential.program.funcs.iter_ids() {
        let drives = function.name == sequential.entry || Some(func) == sequential.probe;
        let Some(body) = function.body.as_ref().filter(|_| !drives) else { continue };
        for (id, edge) in body.edges().iter_ids() {
            found.push((func, id, edge, mark_of(sequential, func, id)));
        }
    }
    found
}

/// Compares the functions of two threads.
struct Comparing<'a, 'f> {
    finding: &'f Finding<'a>,
    numbers: (i128, i128),
    funcs: (FuncId, FuncId),
    matching: Matching,
    /// Whether the edge is for all threads.
    for_all: bool,
    /// Whether the edge has the number of the thread in it.
    names_itself: bool,
}

impl Comparing<'_, '_> {
    fn op(&mut self, one: &Op, other: &Op) -> bool {
        match (one, other) {
            (Op::Skip, Op::Skip)
            | (Op::HavocMemory, Op::HavocMemory)
            | (Op::Return(None), Op::Return(None)) => true,
            (Op::Declare(a), Op::Declare(b)) => self.var(*a, *b),
            (Op::Assume(a), Op::Assume(b)) | (Op::Return(Some(a)), Op::Return(Some(b))) => {
                self.expr(*a, *b)
            }
            (Op::Havoc(a), Op::Havoc(b)) => self.place(*a, *b),
            (Op::Assign { dst, src }, Op::Assign { dst: twin, src: value }) => {
                self.place(*dst, *twin) && self.expr(*src, *value)
            }
            (Op::Call(a), Op::Call(b)) => {
                let callee = match (a.callee, b.callee) {
                    (Callee::Direct(a), Callee::Direct(b)) => a == b,
                    (Callee::Indirect(a), Callee::Indirect(b)) => self.expr(a, b),
                    _ => false,
                };
                let dst = match (a.dst, b.dst) {
                    (Some(a), Some(b)) => self.place(a, b),
                    (None, None) => true,
                    _ => false,
                };
                callee
                    && dst
                    && a.args.len() == b.args.len()
                    && a.args.iter().zip(&b.args).all(|(&a, &b)| self.expr(a, b))
            }
            _ => false,
        }
    }

    fn var(&mut self, one: VarId, other: VarId) -> bool {
        let finding = self.finding;
        if self.for_all && one == other {
            return true;
        }
        let only = |var: VarId, func: FuncId| {
            let users = finding.users.get(&var);
            users.is_some_and(|users| users.len() == 1 && users.contains(&func))
        };
        if one == other {
            return !self.matching.vars.contains_key(&one)
                && !self.matching.back.contains_key(&one);
        }
        let (a, b) = (&finding.program.vars[one], &finding.program.vars[other]);
        let own = only(one, self.funcs.0) && only(other, self.funcs.1);
        if a.ty != b.ty || a.address_taken || b.address_taken || !own {
            return false;
        }
        let known = *self.matching.vars.entry(one).or_insert(other);
        let back = *self.matching.back.entry(other).or_insert(one);
        known == other && back == one
    }

    fn expr(&mut self, one: ExprId, other: ExprId) -> bool {
        let program = self.finding.program;
        let kinds = (program.exprs.expr(one).kind, program.exprs.expr(other).kind);
        if program.expr_ty(one) != program.expr_ty(other) {
            return false;
        }
        match kinds {
            (ExprKind::Const(_), ExprKind::Const(_)) => {
                let values = (program.as_int(one), program.as_int(other));
                if values == (Some(self.numbers.0), Some(self.numbers.1)) {
                    self.names_itself = true;
                    return !self.for_all;
                }
                one == other
            }
            (ExprKind::Zero, ExprKind::Zero) => true,
            (ExprKind::FuncAddr(a), ExprKind::FuncAddr(b)) => a == b,
            (ExprKind::Load(a), ExprKind::Load(b)) | (ExprKind::AddrOf(a), ExprKind::AddrOf(b)) => {
                self.place(a, b)
            }
            (ExprKind::Unary(f, a), ExprKind::Unary(g, b)) => f == g && self.expr(a, b),
            (ExprKind::Cast(a), ExprKind::Cast(b)) => self.expr(a, b),
            (ExprKind::Binary(f, a, c), ExprKind::Binary(g, b, d)) => {
                f == g && self.expr(a, b) && self.expr(c, d)
            }
            (ExprKind::PtrAdd(a, c), ExprKind::PtrAdd(b, d))
            | (ExprKind::PtrDiff(a, c), ExprKind::PtrDiff(b, d)) => {
                self.expr(a, b) && self.expr(c, d)
            }
            _ => false,
        }
    }

    fn place(&mut self, one: PlaceId, other: PlaceId) -> bool {
        let program = self.finding.program;
        match (program.exprs.place(one).kind, program.exprs.place(other).kind) {
            (PlaceKind::Var(a), PlaceKind::Var(b)) => self.var(a, b),
            (PlaceKind::Deref(a), PlaceKind::Deref(b)) => self.expr(a, b),
            (PlaceKind::Field(a, m), PlaceKind::Field(b, n)) => m == n && self.place(a, b),
            (PlaceKind::Index(a, i), PlaceKind::Index(b, j)) => self.place(a, b) && self.expr(i, j),
            _ => false,
        }
    }
}
