//! The integers that views speak of: scalars at fixed places in variables.
//!
//! Who owns a variable says what its value means in a view. Variables of one thread of a kind that can have many are
//! meant of the thread that is looked at; where that would be ambiguous, a variable is not followed and has any value.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::{Callee, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{InitItem, Program, Storage, Var, VarId};
use gnomon_ir::types::{Type, TypeId};

use crate::frozen::bytes;
use crate::graph::{AT_START, ENDED};
use crate::operands::{Access, for_each_place};
use crate::sequential::Sequential;
use crate::views::zone::NONE;

/// A number in a view: which cell, and of which thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Dim {
    /// Whose: see [`crate::views::step`].
    pub slot: u8,
    /// In [`Cells`].
    pub cell: u32,
}

/// Who a variable belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// To all threads.
    Shared,
    /// To each thread of a kind.
    Own(usize),
    /// Its value is not followed.
    Nobody,
}

/// A scalar at a fixed place.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub var: VarId,
    pub at: u64,
    pub size: u64,
    /// The least and the greatest value of its type.
    pub range: (i64, i64),
}

/// What a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A scalar that is followed.
    Cell(u32),
    /// Some bytes of a variable.
    Bytes(VarId, u64, u64),
    /// Somewhere in a variable.
    Part(VarId),
    /// Behind a pointer.
    Unknown,
}

/// Most cells of a program.
const MOST: usize = 300;

/// All of them.
pub(crate) struct Cells {
    cells: Vec<Cell>,
    of_var: BTreeMap<VarId, Vec<u32>>,
    targets: BTreeMap<PlaceId, Target>,
    owners: BTreeMap<VarId, Owner>,
    /// Variables whose addresses the program knows.
    escaped: BTreeSet<VarId>,
    /// Counters of threads, of which only little is kept.
    counters: BTreeSet<VarId>,
    /// Variables of one thread, whatever they belong to here: nothing is known of them at first.
    local: BTreeSet<VarId>,
    /// Bounds that count, in order.
    landmarks: Vec<i64>,
}

/// The least and the greatest value of a type, as far as they can be computed with.
pub(crate) fn range_of(program: &Program, ty: TypeId) -> (i64, i64) {
    match *program.types.get(ty) {
        Type::Bool => (0, 1),
        Type::Int { bits, signed: false } if bits <= 32 => (0, (1 << bits) - 1),
        Type::Int { bits, signed: true } if bits <= 32 => {
            (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        }
        Type::Int { signed: false, .. } | Type::Pointer(_) => (0, NONE),
        _ => (-NONE, NONE),
    }
}

/// Whether values of a type are integers here.
pub(crate) fn is_number(program: &Program, ty: TypeId) -> bool {
    match *program.types.get(ty) {
        Type::Int { bits, .. } => bits <= 64,
        Type::Bool | Type::Pointer(_) => true,
        _ => false,
    }
}

impl Cells {
    /// Of a program whose threads were taken apart by kinds; `None` if there are too many.
    pub(crate) fn of(sequential: &Sequential) -> Option<Self> {
        let mut cells = Self {
            cells: Vec::new(),
            of_var: BTreeMap::new(),
            targets: BTreeMap::new(),
            owners: owners(sequential),
            escaped: escaped(&sequential.program),
            counters: sequential.threads.iter().map(|thread| thread.counter).collect(),
            local: sequential
                .threads
                .iter()
                .flat_map(|thread| thread.own.iter().copied())
                .collect(),
            landmarks: landmarks(sequential),
        };
        let program = &sequential.program;
        for thread in &sequential.threads {
            for edge in program.funcs[thread.func].body.iter().flat_map(|body| body.edges().iter())
            {
                let mut places = Vec::new();
                // Of a counter it matters only what others ask for.
                let asks = |place: PlaceId, access: Access| match program.exprs.root_var(place) {
                    Some(var) if cells.is_counter(var) => {
                        access == Access::Read && var != thread.counter
                    }
                    _ => true,
                };
                for_each_place(program, &edge.op, &mut |place, access| {
                    if asks(place, access) {
                        places.push(place);
                    }
                });
                for place in places {
                    cells.add(program, place);
                }
            }
        }
        (cells.cells.len() <= MOST).then_some(cells)
    }

    fn add(&mut self, program: &Program, place: PlaceId) {
        if self.targets.contains_key(&place) {
            return;
        }
        let target = match (program.exprs.root_var(place), bytes(program, place)) {
            (None, _) => Target::Unknown,
            (Some(var), None) => Target::Part(var),
            (Some(var), Some((at, size))) => {
                let ty = program.place_ty(place);
                let range = range_of(program, ty);
                match is_number(program, ty) {
                    true => Target::Cell(self.cell(Cell { var, at, size, range })),
                    false => Target::Bytes(var, at, size),
                }
            }
        };
        self.targets.insert(place, target);
    }

    fn cell(&mut self, cell: Cell) -> u32 {
        let of_var = self.of_var.entry(cell.var).or_default();
        let known = of_var.iter().copied().find(|&known| {
            let other = &self.cells[known as usize];
            (other.at, other.size, other.range) == (cell.at, cell.size, cell.range)
        });
        known.unwrap_or_else(|| {
            let number = self.cells.len() as u32;
            of_var.push(number);
            self.cells.push(cell);
            number
        })
    }

    pub(crate) fn get(&self, cell: u32) -> &Cell {
        &self.cells[cell as usize]
    }

    pub(crate) fn range(&self, dim: Dim) -> (i64, i64) {
        self.cells[dim.cell as usize].range
    }

    /// What a place is; a place that was not met is not known.
    pub(crate) fn target(&self, place: PlaceId) -> Target {
        self.targets.get(&place).copied().unwrap_or(Target::Unknown)
    }

    pub(crate) fn owner(&self, var: VarId) -> Owner {
        self.owners.get(&var).copied().unwrap_or(Owner::Shared)
    }

    pub(crate) fn of_var(&self, var: VarId) -> &[u32] {
        self.of_var.get(&var).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn has_escaped(&self, cell: u32) -> bool {
        self.escaped.contains(&self.get(cell).var)
    }

    /// What is kept of the value of a counter: whether the thread was made, and whether it has ended.
    pub(crate) fn of_counter(&self, var: VarId, value: i128) -> i128 {
        match self.counters.contains(&var) && value > ENDED {
            true => AT_START,
            false => value,
        }
    }

    pub(crate) fn is_counter(&self, var: VarId) -> bool {
        self.counters.contains(&var)
    }

    /// The next bound that counts.
    pub(crate) fn next_bound(&self, a: Option<Dim>, b: Option<Dim>, bound: i64) -> i64 {
        let marks = match (a, b) {
            (Some(_), Some(_)) => &[-1, 0, 1][..],
            _ => &self.landmarks[..],
        };
        let next = marks.get(marks.partition_point(|&mark| mark < bound)).copied().unwrap_or(NONE);
        let most = match (a, b) {
            (Some(dim), None) => self.range(dim).1,
            (None, Some(dim)) => -self.range(dim).0,
            _ => NONE,
        };
        next.min(most)
    }

    /// The least and the greatest value that shared cells begin with.
    pub(crate) fn beginnings(&self, program: &Program) -> Vec<(u32, i64, i64)> {
        let shared = |cell: &Cell| {
            self.owner(cell.var) == Owner::Shared
                && !self.local.contains(&cell.var)
                && matches!(program.vars[cell.var].storage, Storage::Static { .. })
        };
        let cells = self.cells.iter().enumerate().filter(|(_, cell)| shared(cell));
        cells
            .filter_map(|(number, cell)| {
                let (least, most) = beginning(program, cell)?;
                Some((number as u32, least, most))
            })
            .collect()
    }
}

/// What a static scalar begins with, if that is known.
fn beginning(program: &Program, cell: &Cell) -> Option<(i64, i64)> {
    let Storage::Static { init: Some(init), .. } = &program.vars[cell.var].storage else {
        return None;
    };
    let mut value = (0, 0);
    for item in &init.items {
        let (InitItem::Value { place, .. } | InitItem::Bytes { place, .. }) = item;
        let (at, size) = bytes(program, *place)?;
        if at >= cell.at + cell.size || cell.at >= at + size {
            continue;
        }
        let InitItem::Value { value: found, .. } = item else { return None };
        if (at, size) != (cell.at, cell.size) {
            return None;
        }
        value = match program.as_int(*found) {
            Some(number) => {
                let number = i64::try_from(number).ok().filter(|n| n.abs() < NONE / 4)?;
                (number, number)
            }
            None if program.as_truth(*found) == Some(false) => (0, 0),
            None => return None,
        };
        if value.0 < cell.range.0 || value.1 > cell.range.1 {
            return None;
        }
    }
    Some(value)
}

/// Who owns which variable; those that are not there belong to all.
fn owners(sequential: &Sequential) -> BTreeMap<VarId, Owner> {
    let program = &sequential.program;
    let mut owners = BTreeMap::new();
    for (kind, thread) in sequential.threads.iter().enumerate() {
        let own = thread.own.iter().chain(&thread.given);
        owners.extend(own.map(|&var| (var, Owner::Own(kind))));
        if thread.many {
            owners.extend(thread.apart.iter().map(|&var| (var, Owner::Nobody)));
        }
    }
    for (kind, thread) in sequential.threads.iter().enumerate() {
        for edge in program.funcs[thread.func].body.iter().flat_map(|body| body.edges().iter()) {
            for_each_place(program, &edge.op, &mut |place, access| {
                let Some(var) = program.exprs.root_var(place) else { return };
                let Some(Owner::Own(of)) = owners.get(&var).copied() else { return };
                let gives = access == Access::Write && sequential.threads[of].given.contains(&var);
                if of == kind || gives {
                    return;
                }
                match sequential.threads[of].many {
                    true => owners.insert(var, Owner::Nobody),
                    false => owners.remove(&var),
                };
            });
        }
    }
    owners
}

/// The variables whose addresses are taken somewhere, here or in other files, where those lie that are only declared.
fn escaped(program: &Program) -> BTreeSet<VarId> {
    let is_elsewhere = |var: &Var| matches!(var.storage, Storage::Static { init: None, .. });
    let all = program.vars.iter_ids();
    let mut found: BTreeSet<VarId> =
        all.filter(|(_, var)| is_elsewhere(var)).map(|(id, _)| id).collect();
    for edge in program.funcs.iter().flat_map(|f| f.body.iter().flat_map(|b| b.edges().iter())) {
        match &edge.op {
            Op::Assume(e) | Op::Return(Some(e)) => addresses(program, *e, &mut found),
            Op::Assign { dst, src } => {
                addresses(program, *src, &mut found);
                on_the_way(program, *dst, &mut found);
            }
            Op::Call(call) => {
                if let Callee::Indirect(pointer) = call.callee {
                    addresses(program, pointer, &mut found);
                }
                for &arg in &call.args {
                    addresses(program, arg, &mut found);
                }
                if let Some(dst) = call.dst {
                    on_the_way(program, dst, &mut found);
                }
            }
            Op::Havoc(place) => on_the_way(program, *place, &mut found),
            Op::Alloca { dst: place, size: e } => {
                on_the_way(program, *place, &mut found);
                addresses(program, *e, &mut found);
            }
            Op::VaStart(place) | Op::VaEnd(place) => {
                found.extend(program.exprs.root_var(*place));
                on_the_way(program, *place, &mut found);
            }
            Op::VaArg { dst, list: other } | Op::VaCopy { dst, src: other } => {
                found.extend(program.exprs.root_var(*dst));
                found.extend(program.exprs.root_var(*other));
                on_the_way(program, *dst, &mut found);
                on_the_way(program, *other, &mut found);
            }
            Op::Skip | Op::Declare(_) | Op::HavocMemory | Op::Return(None) => {}
        }
    }
    for (_, var) in program.vars.iter_ids() {
        let Storage::Static { init: Some(init), .. } = &var.storage else { continue };
        for item in &init.items {
            if let InitItem::Value { value, .. } = item {
                addresses(program, *value, &mut found);
            }
        }
    }
    found
}

fn addresses(program: &Program, e: ExprId, found: &mut BTreeSet<VarId>) {
    match program.exprs.expr(e).kind {
        ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
        ExprKind::Load(place) => on_the_way(program, place, found),
        ExprKind::AddrOf(place) => {
            found.extend(program.exprs.root_var(place));
            on_the_way(program, place, found);
        }
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => addresses(program, a, found),
        ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
            addresses(program, a, found);
            addresses(program, b, found);
        }
    }
}

fn on_the_way(program: &Program, place: PlaceId, found: &mut BTreeSet<VarId>) {
    match program.exprs.place(place).kind {
        PlaceKind::Var(_) => {}
        PlaceKind::Deref(pointer) => addresses(program, pointer, found),
        PlaceKind::Field(base, _) => on_the_way(program, base, found),
        PlaceKind::Index(base, index) => {
            on_the_way(program, base, found);
            addresses(program, index, found);
        }
    }
}

/// The numbers in conditions and assignments, and their neighbours, as bounds from above and from below.
fn landmarks(sequential: &Sequential) -> Vec<i64> {
    let program = &sequential.program;
    let mut found = BTreeSet::from([-1, 0, 1]);
    for thread in &sequential.threads {
        for edge in program.funcs[thread.func].body.iter().flat_map(|body| body.edges().iter()) {
            match &edge.op {
                Op::Assume(e) | Op::Assign { src: e, .. } => numbers(program, *e, &mut found),
                _ => {}
            }
        }
    }
    found.into_iter().collect()
}

fn numbers(program: &Program, e: ExprId, found: &mut BTreeSet<i64>) {
    match program.exprs.expr(e).kind {
        ExprKind::Const(_) => {
            let value = program.as_int(e).and_then(|value| i64::try_from(value).ok());
            if let Some(value) = value.filter(|value| value.abs() < NONE / 4) {
                for near in [value - 1, value, value + 1] {
                    found.extend([near, -near]);
                }
            }
        }
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => numbers(program, a, found),
        ExprKind::Binary(_, a, b) => {
            numbers(program, a, found);
            numbers(program, b, found);
        }
        _ => {}
    }
}
