//! What a thread does from where it stands to its next stops, from all that a view allows.
//!
//! The numbers of a zone are those of slots: what is shared and what belongs to the first thread, up to three other
//! threads, and one that is being made.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_budget::Budget;
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Cfa, EdgeId, LocId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Program, Storage, VarId, source_name};
use gnomon_ir::span::Span;

use crate::graph::{AT_START, Mark};
use crate::intrinsics::reports::Kind;
use crate::local::counter_value;
use crate::operands::for_each_place;
use crate::sequential::Sequential;
use crate::views::cells::{Cells, Dim, Owner, Target};
use crate::views::values::{Value, Values};
use crate::views::zone::Zone;

/// The slot of what is shared.
pub(crate) const SHARED: u8 = 0;
/// The slot of a thread that is being made.
pub(crate) const MADE: u8 = 4;
/// Numbers of threads of which there can be many are not smaller than this, and larger than those of others.
const NUMBERS: i64 = 10_000;
/// How often a location is passed in one step before bounds are given up.
const TURNS: usize = 6;
/// What an operation costs.
const OPERATION: u64 = 3;
/// How many operations one step may have.
const LONGEST: usize = 40_000;

/// Why nothing is proved.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub why: String,
    pub span: Span,
}

/// Where a thread stops.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    pub zone: Zone,
    /// Where it goes on.
    pub counter: i128,
    /// Of which kind a thread is that it has made.
    pub made: Option<usize>,
    /// Whether others can have noticed.
    pub visible: bool,
}

/// A step before its end: where it is, and what it has done so far.
#[derive(Clone, Debug)]
struct PartialStep {
    at: LocId,
    zone: Zone,
    counter: Option<i128>,
    over: bool,
    made: Option<usize>,
    visible: bool,
}

/// What is told apart where a location is passed: the location, and what was done before.
type Passed = (LocId, Option<i128>, Option<usize>, bool, bool);

/// The kinds of threads, and how they go on.
pub(crate) struct Steps<'a> {
    pub sequential: &'a Sequential,
    pub cells: Cells,
    budget: &'a Budget,
    /// Calls of these functions are errors.
    errors: &'a [String],
    /// By kind and counter, where it goes on.
    resume: Vec<BTreeMap<i128, LocId>>,
    /// By kind, counters where something may be done that others notice.
    noticed: Vec<BTreeSet<i128>>,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(
        sequential: &'a Sequential,
        errors: &'a [String],
        budget: &'a Budget,
    ) -> Result<Self, String> {
        let cells = Cells::of(sequential).ok_or("there are too many variables")?;
        let program = &sequential.program;
        let (mut resume, mut noticed) = (Vec::new(), Vec::new());
        for thread in &sequential.threads {
            let body = program.funcs[thread.func].body.as_ref().ok_or("a thread has no body")?;
            let begins = body.out_edges(body.entry()).iter().filter_map(|&edge| {
                let edge = body.edge(edge);
                counter_value(program, &edge.op, thread.counter).map(|value| (value, edge.to))
            });
            resume.push(begins.collect::<BTreeMap<_, _>>());
        }
        let mut steps = Self { sequential, cells, budget, errors, resume, noticed: Vec::new() };
        for (kind, thread) in sequential.threads.iter().enumerate() {
            let Some(body) = program.funcs[thread.func].body.as_ref() else { continue };
            let begins = steps.resume[kind].iter();
            let noticed_here =
                begins.filter(|&(_, &at)| steps.may_be_noticed(kind, body, at)).map(|(&c, _)| c);
            noticed.push(noticed_here.collect::<BTreeSet<_>>());
        }
        steps.noticed = noticed;
        Ok(steps)
    }

    /// Whether others may notice the step of a thread of this kind that stands there.
    pub(crate) fn is_noticed(&self, kind: usize, counter: i128) -> bool {
        self.noticed[kind].contains(&counter)
    }

    fn may_be_noticed(&self, kind: usize, body: &Cfa, from: LocId) -> bool {
        let mut seen = BTreeSet::from([from]);
        let mut work = vec![from];
        while let Some(at) = work.pop() {
            for &id in body.out_edges(at) {
                if self.goes_on(kind, body, id) {
                    continue;
                }
                let edge = body.edge(id);
                let noticed = match &edge.op {
                    Op::Skip | Op::Declare(_) | Op::Assume(_) | Op::Return(_) => false,
                    Op::Assign { dst, .. } | Op::Havoc(dst) => self.is_others(kind, *dst),
                    _ => true,
                };
                if noticed {
                    return true;
                }
                if seen.insert(edge.to) {
                    work.push(edge.to);
                }
            }
        }
        false
    }

    /// Whether a place may be anything but a variable of a thread of this kind.
    fn is_others(&self, kind: usize, place: PlaceId) -> bool {
        match self.sequential.program.exprs.root_var(place) {
            Some(var) if self.cells.is_counter(var) => {
                self.cells.owner(var) == Owner::Shared && self.is_asked_for(var)
            }
            Some(var) => self.cells.owner(var) != Owner::Own(kind),
            None => true,
        }
    }

    /// Whether a counter is a cell at all: only those that others ask for are.
    fn is_asked_for(&self, counter: VarId) -> bool {
        !self.cells.of_var(counter).is_empty()
    }

    /// Where a thread may stop, it does: this edge is the other one.
    fn goes_on(&self, kind: usize, body: &Cfa, id: EdgeId) -> bool {
        let thread = &self.sequential.threads[kind];
        if thread.marks.get(id.index()) != Some(&Mark::Passes) {
            return false;
        }
        let mut asks = false;
        for_each_place(&self.sequential.program, &body.edge(id).op, &mut |place, _| {
            asks |= self.sequential.program.exprs.root_var(place) == Some(thread.stops);
        });
        asks
    }

    /// What static variables begin with.
    pub(crate) fn beginning(&self) -> Zone {
        let mut zone = Zone::any();
        for (cell, least, most) in self.cells.beginnings(&self.sequential.program) {
            let dim = Dim { slot: SHARED, cell };
            let _ = zone.assume(Some(dim), None, most, &self.cells)
                && zone.assume(None, Some(dim), -least, &self.cells);
        }
        zone
    }

    /// All stops that a thread of a kind can come to.
    pub(crate) fn stops(
        &self,
        (kind, slot): (usize, u8),
        counter: i128,
        zone: Zone,
    ) -> Result<Vec<Stop>, Open> {
        let open = |why: &str| Open { why: why.to_owned(), span: Span::NONE };
        let thread = &self.sequential.threads[kind];
        let body = self.sequential.program.funcs[thread.func].body.as_ref();
        let (Some(body), Some(&at)) = (body, self.resume[kind].get(&counter)) else {
            return Err(open("a thread stands where it cannot go on"));
        };
        let stepping = Stepping { steps: self, kind, slot };
        let first =
            PartialStep { at, zone, counter: None, over: false, made: None, visible: false };
        let (mut work, mut stops, mut length) = (vec![first], Vec::new(), 0);
        let mut passed: BTreeMap<Passed, Vec<Zone>> = BTreeMap::new();
        while let Some(mut partial) = work.pop() {
            length += 1;
            self.budget.charge(OPERATION);
            self.budget.check().map_err(|limit| open(&limit.to_string()))?;
            if length > LONGEST {
                return Err(open("a step of a thread is too long"));
            }
            if partial.at == body.exit() {
                let Some(counter) = partial.counter else {
                    return Err(open("a thread stops nowhere"));
                };
                if !partial.over {
                    stepping.leave(&mut partial.zone, counter, partial.made);
                    let PartialStep { zone, made, visible, .. } = partial;
                    stops.push(Stop { zone, counter, made, visible });
                }
                continue;
            }
            if body.in_edges(partial.at).len() > 1 {
                let key =
                    (partial.at, partial.counter, partial.made, partial.visible, partial.over);
                let before = passed.entry(key).or_default();
                if before.iter().any(|zone| zone.includes(&partial.zone, &self.cells)) {
                    continue;
                }
                if before.len() >= TURNS
                    && let Some(last) = before.last()
                {
                    let joined = last.join(&partial.zone, &self.cells);
                    partial.zone = last.widen(&joined, &self.cells);
                }
                before.push(partial.zone.clone());
            }
            for &id in body.out_edges(partial.at) {
                if self.goes_on(kind, body, id) {
                    continue;
                }
                let edge = body.edge(id);
                stepping.operation(&partial, &edge.op, edge.to, edge.span, &mut work)?;
            }
        }
        Ok(stops)
    }
}

/// One step of one thread.
struct Stepping<'s, 'a> {
    steps: &'s Steps<'a>,
    kind: usize,
    slot: u8,
}

impl Stepping<'_, '_> {
    fn cells(&self) -> &Cells {
        &self.steps.cells
    }

    fn program(&self) -> &Program {
        &self.steps.sequential.program
    }

    /// The number that a cell is here, if it is followed.
    fn dim(&self, cell: u32) -> Option<Dim> {
        let slot = match self.cells().owner(self.cells().get(cell).var) {
            Owner::Shared => SHARED,
            Owner::Own(kind) if kind == self.kind => self.slot,
            Owner::Own(_) => MADE,
            Owner::Nobody => return None,
        };
        Some(Dim { slot, cell })
    }

    fn values<T>(&self, of: impl FnOnce(&Values<'_>) -> T) -> T {
        let dim = |cell: u32| self.dim(cell);
        of(&Values { program: self.program(), cells: self.cells(), dim: &dim })
    }

    /// What is left of a zone where the thread stops.
    fn leave(&self, zone: &mut Zone, counter: i128, made: Option<usize>) {
        let program = self.program();
        let thread = &self.steps.sequential.threads[self.kind];
        let dead = thread.dead.get(&counter);
        let chosen = self.steps.sequential.chosen;
        zone.keep(|dim| {
            let var = self.cells().get(dim.cell).var;
            let own = dim.slot == self.slot && self.cells().owner(var) == Owner::Own(self.kind);
            let kept = match dim.slot {
                MADE => made
                    .is_some_and(|kind| self.steps.sequential.threads[kind].given.contains(&var)),
                _ if var == chosen => false,
                _ if own => {
                    matches!(program.vars[var].storage, Storage::Static { .. })
                        && !dead.is_some_and(|dead| dead.contains(&var))
                }
                _ => true,
            };
            kept.then_some(dim)
        });
    }

    fn operation(
        &self,
        partial: &PartialStep,
        op: &Op,
        to: LocId,
        span: Span,
        work: &mut Vec<PartialStep>,
    ) -> Result<(), Open> {
        let on = |zone: Zone| PartialStep { at: to, zone, ..partial.clone() };
        match op {
            Op::Skip | Op::Return(None) => work.push(on(partial.zone.clone())),
            Op::Assume(condition) => {
                let zone = partial.zone.clone();
                let zones = self.values(|values| values.assume(zone, *condition, true));
                work.extend(zones.into_iter().map(on));
            }
            Op::Declare(var) => {
                let mut next = on(partial.zone.clone());
                self.forget_var(&mut next, *var);
                work.push(next);
            }
            Op::Assign { dst, src } => return self.assign(partial, *dst, *src, to, work),
            Op::Havoc(place) => {
                let mut next = on(partial.zone.clone());
                self.forget_place(&mut next, *place);
                work.push(next);
            }
            Op::HavocMemory => {
                let mut next = on(partial.zone.clone());
                next.visible = true;
                next.zone.keep(|_| None);
                work.push(next);
            }
            Op::Call(call) => return self.call(partial, call, to, span, work),
            Op::Return(Some(_))
            | Op::Alloca { .. }
            | Op::VaStart(_)
            | Op::VaArg { .. }
            | Op::VaCopy { .. }
            | Op::VaEnd(_) => {
                let why = "an operation of a thread is not followed".to_owned();
                return Err(Open { why, span });
            }
        }
        Ok(())
    }

    fn assign(
        &self,
        partial: &PartialStep,
        dst: PlaceId,
        src: ExprId,
        to: LocId,
        work: &mut Vec<PartialStep>,
    ) -> Result<(), Open> {
        let program = self.program();
        let threads = &self.steps.sequential.threads;
        let root = program.exprs.root_var(dst);
        if let Some(var) = root
            && let Some(kind) = threads.iter().position(|thread| thread.counter == var)
        {
            let span = program.vars[var].span;
            let Some(value) = program.as_int(src) else {
                return Err(Open { why: "a thread goes on anywhere".to_owned(), span });
            };
            let mut next = PartialStep { at: to, ..partial.clone() };
            if kind == self.kind {
                next.counter = Some(value);
            } else if value == AT_START {
                if next.made.is_some() {
                    let why = "several threads are made in one step".to_owned();
                    return Err(Open { why, span: threads[kind].span });
                }
                next.made = Some(kind);
                self.number(&mut next, kind);
            }
            let kept = self.cells().of_counter(var, value) as i64;
            if let Target::Cell(cell) = self.cells().target(dst)
                && let Some(dim) = self.dim(cell)
            {
                next.visible = true;
                next.zone.forget(dim);
                self.between(&mut next.zone, dim, kept, kept);
            }
            work.push(next);
            return Ok(());
        }
        let value_is_over = root == Some(self.steps.sequential.over);
        let cases = self.values(|values| values.value(partial.zone.clone(), src));
        for (zone, value) in cases {
            let mut next = PartialStep { at: to, zone, ..partial.clone() };
            next.over |= value_is_over;
            match self.cells().target(dst) {
                Target::Cell(cell) => self.store(&mut next, cell, value),
                _ => self.forget_place(&mut next, dst),
            }
            work.push(next);
        }
        Ok(())
    }

    /// A thread of a kind with many has a number that nobody knows.
    fn number(&self, partial: &mut PartialStep, kind: usize) {
        let thread = &self.steps.sequential.threads[kind];
        let Some(number) = thread.number else { return };
        for &cell in self.cells().of_var(number) {
            let dim = Dim { slot: MADE, cell };
            self.between(&mut partial.zone, dim, NUMBERS, i64::from(i32::MAX));
        }
    }

    fn between(&self, zone: &mut Zone, dim: Dim, least: i64, most: i64) {
        let _ = zone.assume(Some(dim), None, most, self.cells())
            && zone.assume(None, Some(dim), -least, self.cells());
    }

    /// Stores a value in a cell.
    fn store(&self, partial: &mut PartialStep, cell: u32, value: Value) {
        let found = self.cells().get(cell).clone();
        let value = match value {
            // What overlaps is overwritten.
            Value::Of(from, _) if from.cell != cell && self.is_in(from.cell, found.var) => {
                let (least, most) = self.values(|values| values.range(&partial.zone, value));
                Value::Between(least, most)
            }
            value => value,
        };
        self.forget_bytes(partial, found.var, found.at, found.size, Some(cell));
        let Some(dim) = self.dim(cell) else { return };
        if let Value::Of(from, more) = value
            && from == dim
        {
            partial.zone.shift(dim, more, self.cells());
            // It is a value of its type.
            let (least, most) = found.range;
            let _ = partial.zone.assume(Some(dim), None, most, self.cells())
                && partial.zone.assume(None, Some(dim), least.saturating_neg(), self.cells());
            return;
        }
        partial.zone.forget(dim);
        match value {
            Value::Of(from, more) => {
                let _ = partial.zone.assume(Some(dim), Some(from), more, self.cells())
                    && partial.zone.assume(Some(from), Some(dim), -more, self.cells());
            }
            Value::Between(least, most) => {
                let (low, high) = found.range;
                if least > low || most < high {
                    self.between(&mut partial.zone, dim, least.max(low), most.min(high));
                }
            }
        }
    }

    fn is_in(&self, cell: u32, var: VarId) -> bool {
        self.cells().get(cell).var == var
    }

    /// A place gets any value.
    fn forget_place(&self, partial: &mut PartialStep, place: PlaceId) {
        match self.cells().target(place) {
            Target::Cell(cell) => {
                let found = self.cells().get(cell).clone();
                self.forget_bytes(partial, found.var, found.at, found.size, None);
            }
            Target::Bytes(var, at, size) => self.forget_bytes(partial, var, at, size, None),
            Target::Part(var) => self.forget_var(partial, var),
            Target::Unknown => self.forget_escaped(partial),
        }
    }

    fn forget_var(&self, partial: &mut PartialStep, var: VarId) {
        self.forget_bytes(partial, var, 0, u64::MAX, None);
    }

    fn forget_bytes(
        &self,
        partial: &mut PartialStep,
        var: VarId,
        at: u64,
        size: u64,
        but: Option<u32>,
    ) {
        partial.visible |= self.cells().owner(var) != Owner::Own(self.kind);
        for &cell in self.cells().of_var(var) {
            let other = self.cells().get(cell);
            let meets = other.at < at.saturating_add(size) && at < other.at + other.size;
            if meets
                && Some(cell) != but
                && let Some(dim) = self.dim(cell)
            {
                partial.zone.forget(dim);
            }
        }
    }

    /// Something is stored behind a pointer: into anything whose address is known somewhere, whosever it is.
    fn forget_escaped(&self, partial: &mut PartialStep) {
        partial.visible = true;
        let cells = self.cells();
        partial.zone.keep(|dim| (!cells.has_escaped(dim.cell)).then_some(dim));
    }

    fn is_error(&self, func: FuncId) -> bool {
        let name = &self.program().funcs[func].name;
        let kind = Kind::of(name).is_some();
        kind || self.steps.errors.iter().any(|error| error == source_name(name))
    }

    fn call(
        &self,
        partial: &PartialStep,
        call: &Call,
        to: LocId,
        span: Span,
        work: &mut Vec<PartialStep>,
    ) -> Result<(), Open> {
        let program = self.program();
        let open = |why: String| Err(Open { why, span });
        let Callee::Direct(func) = call.callee else {
            return open("a function behind a pointer is called".to_owned());
        };
        let function = &program.funcs[func];
        let name = source_name(&function.name).to_owned();
        if self.is_error(func) {
            return open(format!("`{name}` may be called"));
        }
        if function.body.is_some() {
            return open(format!("what `{name}` does is not followed"));
        }
        let gives_function = |&&arg: &&ExprId| names_function(program, arg);
        if call.args.iter().any(|arg| gives_function(&arg)) {
            return open(format!("`{name}` is given a function"));
        }
        let mut next = PartialStep { at: to, ..partial.clone() };
        match classify(&name, program.types.target()) {
            Library::Error => return open(format!("`{name}` may be called")),
            Library::Abort | Library::Exit | Library::Unreachable => return Ok(()),
            _ if function.no_return => return Ok(()),
            Library::Assume => {
                let Some(&condition) = call.args.first() else { return Ok(()) };
                let zone = partial.zone.clone();
                let zones = self.values(|values| values.assume(zone, condition, true));
                work.extend(zones.into_iter().map(|zone| PartialStep {
                    at: to,
                    zone,
                    ..partial.clone()
                }));
                return Ok(());
            }
            Library::Nondet(_)
            | Library::Alloc(_)
            | Library::Free
            | Library::MemRead
            | Library::Pure
            | Library::Environment => {}
            Library::CallsBack => return open(format!("`{name}` calls functions")),
            Library::MemCopy
            | Library::MemSet
            | Library::MemWrite
            | Library::Output
            | Library::Atomic
            | Library::Unknown => self.forget_escaped(&mut next),
        }
        if let Some(dst) = call.dst {
            self.forget_place(&mut next, dst);
        }
        work.push(next);
        Ok(())
    }
}

/// Whether an expression names a function.
fn names_function(program: &Program, e: ExprId) -> bool {
    match program.exprs.expr(e).kind {
        ExprKind::FuncAddr(_) => true,
        ExprKind::Cast(a) => names_function(program, a),
        _ => false,
    }
}
