//! Accesses that are more than one step of the machine.
//!
//! A structure is copied member by member, in the order of its members: another thread may come between. A store to a
//! bit-field reads the memory location that it lies in, changes it and writes all of it back (C17 3.14): stores
//! of other threads to its neighbours between that are lost. Here such operations are taken apart before
//! anything else looks at the program; where only one thread can see the memory, the steps commute with all
//! others. Edges keep their numbers: new ones come behind them.
//!
//! What is not taken apart is told ([`note_whole`]): integers that are wider than a word, `long double`, and what functions
//! of the library copy, where threads share it. A proof for one step is none there.

use std::collections::BTreeSet;

use gnomon_flow::sparse_set::SparseSet;
use gnomon_ir::cfa::{Call, Callee, Cfa, CfaBuilder, Edge, EdgeId, LocId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, Note, Program, Storage, Var, VarId, source_name};
use gnomon_ir::span::Span;
use gnomon_ir::types::{FloatKind, RecordId, RecordKind, Type, TypeId};

use crate::operands::for_each_place;
use crate::orders::is_relaxed;
use crate::sharing::Sharing;

/// So many parts of a structure are copied one by one.
const MOST_PARTS: usize = 64;
/// Copies of at most so many bytes are left alone beside `_Atomic` objects, which may be structures.
const WORD: u64 = 8;

/// Takes apart what several steps of the machine do.
pub(crate) fn tear(program: &mut Program) {
    let has_atomic = program.notes.iter().any(|note| note.kind == "atomic-access");
    let stored = stored_bits(program);
    for func in program.funcs.ids().collect::<Vec<FuncId>>() {
        let Some(body) = program.funcs[func].body.take() else { continue };
        let mut tearing =
            Tearing { program: &mut *program, func, stored: &stored, has_atomic, count: 0 };
        let body = tearing.body(body);
        program.funcs[func].body = Some(body);
    }
}

/// The bit-fields that operations store to, by record and number.
fn stored_bits(program: &Program) -> BTreeSet<(RecordId, u32)> {
    let bodies = program.funcs.iter().filter_map(|function| function.body.as_ref());
    let edges = bodies.flat_map(|body| body.edges().iter());
    let stores = edges.filter_map(|edge| edge.op.destination());
    stores
        .filter_map(|place| bit_field(program, place))
        .map(|(_, id, number)| (id, number))
        .collect()
}

/// The structure, its type and the number of the member, if the place is a bit-field.
fn bit_field(program: &Program, place: PlaceId) -> Option<(PlaceId, RecordId, u32)> {
    let PlaceKind::Field(base, number) = program.exprs.place(place).kind else { return None };
    let (id, record) = program.types.as_record(program.place_ty(base))?;
    let field = record.fields.get(number as usize)?;
    (record.kind == RecordKind::Struct && field.bits.is_some()).then_some((base, id, number))
}

struct Tearing<'a> {
    program: &'a mut Program,
    func: FuncId,
    stored: &'a BTreeSet<(RecordId, u32)>,
    has_atomic: bool,
    count: usize,
}

impl Tearing<'_> {
    fn body(&mut self, body: Cfa) -> Cfa {
        let taken: Vec<Option<Vec<Op>>> =
            body.edges().iter().map(|edge| self.steps(&edge.op)).collect();
        if taken.iter().all(Option::is_none) {
            return body;
        }
        let mut builder = CfaBuilder::new();
        // Entry and exit are there already.
        for _ in 2..body.loc_count() {
            builder.add_loc();
        }
        let mut rest: Vec<Edge> = Vec::new();
        for (edge, steps) in body.edges().iter().zip(taken) {
            let Some(steps) = steps else {
                builder.add_edge(edge.clone());
                continue;
            };
            let (mut from, last) = (edge.from, steps.len() - 1);
            for (position, op) in steps.into_iter().enumerate() {
                let to = if position == last { edge.to } else { builder.add_loc() };
                let step = Edge { from, to, op, ..edge.clone() };
                match position {
                    0 => {
                        builder.add_edge(step);
                    }
                    _ => rest.push(step),
                }
                from = to;
            }
        }
        for edge in rest {
            builder.add_edge(edge);
        }
        for label in body.labels() {
            builder.add_label(label.clone());
        }
        builder.finish()
    }

    /// The steps of an operation, if it is several.
    fn steps(&mut self, op: &Op) -> Option<Vec<Op>> {
        match op {
            Op::Assign { dst, src } => match self.is_torn(*dst) || self.reads_torn(*src) {
                true => self.copied(*dst, *src),
                false => self.bit_stored(*dst, *src),
            },
            Op::Return(Some(value)) if self.reads_torn(*value) => {
                let mut steps = Vec::new();
                let value = self.read_apart(*value, &mut steps)?;
                steps.push(Op::Return(Some(value)));
                Some(steps)
            }
            Op::Call(call) => self.call(call),
            _ => None,
        }
    }

    fn call(&mut self, call: &Call) -> Option<Vec<Op>> {
        let stores = call.dst.filter(|&dst| self.is_torn(dst));
        if stores.is_none() && !call.args.iter().any(|&arg| self.reads_torn(arg)) {
            return None;
        }
        let mut steps = Vec::new();
        let mut args = Vec::new();
        for &arg in &call.args {
            args.push(match self.reads_torn(arg) {
                true => self.read_apart(arg, &mut steps)?,
                false => arg,
            });
        }
        let mut last = Vec::new();
        let mut dst = call.dst;
        if let Some(place) = stores {
            let ty = self.program.place_ty(place);
            let own = self.temporary(ty);
            dst = Some(self.program.var_place(own));
            let value = self.program.load_var(own);
            last = self.copied(place, value)?;
        }
        steps.push(Op::Call(Call { dst, callee: call.callee, args: args.into() }));
        steps.extend(last);
        Some(steps)
    }

    /// A value that was copied part by part into a variable of its own.
    fn read_apart(&mut self, value: ExprId, steps: &mut Vec<Op>) -> Option<ExprId> {
        let ty = self.program.expr_ty(value);
        let own = self.temporary(ty);
        let dst = self.program.var_place(own);
        steps.extend(self.copied(dst, value)?);
        Some(self.program.load_var(own))
    }

    /// A structure, part by part.
    fn copied(&mut self, dst: PlaceId, src: ExprId) -> Option<Vec<Op>> {
        let mut steps = Vec::new();
        let dst = self.fixed(dst, &mut steps);
        let from = match self.program.exprs.expr(src).kind {
            ExprKind::Load(place) => Some(self.fixed(place, &mut steps)),
            ExprKind::Zero => None,
            _ => return None,
        };
        let mut parts = Vec::new();
        self.parts(dst, from, &mut parts)?;
        for (dst, from) in parts {
            let src = match from {
                Some(place) => self.program.load(place),
                None => self.program.zero(self.program.place_ty(dst)),
            };
            steps.push(Op::Assign { dst, src });
        }
        (steps.len() > 1).then_some(steps)
    }

    /// The parts of a place that are copied in one step; unions are one.
    fn parts(
        &mut self,
        dst: PlaceId,
        src: Option<PlaceId>,
        parts: &mut Vec<(PlaceId, Option<PlaceId>)>,
    ) -> Option<()> {
        if parts.len() >= MOST_PARTS {
            return None;
        }
        let ty = self.program.place_ty(dst);
        match self.program.types.get(ty).clone() {
            Type::Array { len, .. } => {
                for index in 0..len {
                    let index = self.program.int(gnomon_ir::types::Types::I32, i128::from(index));
                    let to = self.program.index(dst, index);
                    let from = src.map(|src| self.program.index(src, index));
                    self.parts(to, from, parts)?;
                }
            }
            Type::Record(id) if self.program.types.record(id).kind == RecordKind::Struct => {
                for number in 0..self.program.types.record(id).fields.len() as u32 {
                    let to = self.program.field(dst, number);
                    let from = src.map(|src| self.program.field(src, number));
                    self.parts(to, from, parts)?;
                }
            }
            _ => parts.push((dst, src)),
        }
        Some(())
    }

    /// A store to a bit-field whose neighbours others store to: what they hold is read before and written back.
    fn bit_stored(&mut self, dst: PlaceId, src: ExprId) -> Option<Vec<Op>> {
        if self.is_private(dst) {
            return None;
        }
        let (_, id, number) = bit_field(self.program, dst)?;
        let neighbours: Vec<u32> = neighbours(self.program, id, number)
            .into_iter()
            .filter(|&other| self.stored.contains(&(id, other)))
            .collect();
        if neighbours.is_empty() {
            return None;
        }
        let mut steps = Vec::new();
        let ty = self.program.place_ty(dst);
        let new = self.temporary(ty);
        let place = self.program.var_place(new);
        steps.push(Op::Assign { dst: place, src });
        let (base, _, _) = bit_field(self.program, dst)?;
        let base = self.fixed(base, &mut steps);
        let mut back = Vec::new();
        for other in neighbours {
            let field = self.program.field(base, other);
            let old = self.temporary(self.program.place_ty(field));
            let (place, value) = (self.program.var_place(old), self.program.load(field));
            steps.push(Op::Assign { dst: place, src: value });
            back.push(Op::Assign { dst: field, src: self.program.load_var(old) });
        }
        steps.extend(back);
        let dst = self.program.field(base, number);
        steps.push(Op::Assign { dst, src: self.program.load_var(new) });
        Some(steps)
    }

    /// The same place, reached without reading anything again.
    fn fixed(&mut self, place: PlaceId, steps: &mut Vec<Op>) -> PlaceId {
        let mut reads = false;
        crate::sharing::for_each_load_on_the_way(self.program, place, &mut |_| reads = true);
        if !reads {
            return place;
        }
        let address = self.program.address_of(place);
        let own = self.temporary(self.program.expr_ty(address));
        let dst = self.program.var_place(own);
        steps.push(Op::Assign { dst, src: address });
        let pointer = self.program.load_var(own);
        self.program.deref(pointer)
    }

    /// Whether a place is a structure that is copied in parts, and perhaps others see it.
    fn is_torn(&self, place: PlaceId) -> bool {
        let ty = self.program.place_ty(place);
        let is_structure =
            matches!(self.program.types.get(ty), Type::Record(_) | Type::Array { .. });
        let is_left = self.has_atomic && self.program.types.size(ty) <= WORD;
        is_structure && !is_left && !self.is_private(place)
    }

    fn reads_torn(&self, value: ExprId) -> bool {
        match self.program.exprs.expr(value).kind {
            ExprKind::Load(place) => self.is_torn(place),
            _ => false,
        }
    }

    /// Whether a place is in a variable of the function that nobody else can reach.
    fn is_private(&self, place: PlaceId) -> bool {
        self.program.exprs.root_var(place).is_some_and(|var| {
            let info = &self.program.vars[var];
            !matches!(info.storage, Storage::Static { .. }) && !info.address_taken
        })
    }

    fn temporary(&mut self, ty: TypeId) -> VarId {
        let name = format!(".part{}", self.count);
        self.count += 1;
        let storage = Storage::Local(self.func);
        let var = Var { name, ty, storage, address_taken: false, span: Span::NONE };
        let var = self.program.vars.push(var);
        self.program.funcs[self.func].locals.push(var);
        var
    }
}

/// The other bit-fields of the memory location of one: all that lie between the same ordinary members.
fn neighbours(program: &Program, id: RecordId, number: u32) -> Vec<u32> {
    let fields = &program.types.record(id).fields;
    let is_bits = |at: usize| fields[at].bits.is_some();
    // A member of no width ends the location: the next one begins in another unit of its type.
    let apart = |at: usize| {
        let (one, other) = (&fields[at], &fields[at + 1]);
        let end = one.offset * 8
            + one.bits.map_or(0, |bits| u64::from(bits.shift) + u64::from(bits.width));
        let start = other.offset * 8 + other.bits.map_or(0, |bits| u64::from(bits.shift));
        start != end
    };
    let (mut first, mut last) = (number as usize, number as usize);
    while first > 0 && is_bits(first - 1) && !apart(first - 1) {
        first -= 1;
    }
    while last + 1 < fields.len() && is_bits(last + 1) && !apart(last) {
        last += 1;
    }
    (first..=last).filter(|&at| at != number as usize).map(|at| at as u32).collect()
}

/// Notes where an access that is several steps of the machine is one here, and others may see between.
pub(crate) fn note_whole(program: &mut Program, entry: FuncId, sharing: &Sharing) {
    let beside = Beside::of(program, entry, sharing);
    let word = program.types.target().pointer_bits();
    let mut found = None;
    for (func, function) in program.funcs.iter_ids() {
        let Some(body) = &function.body else { continue };
        for (id, edge) in body.edges().iter_ids() {
            if !beside.contains(func, body, id) || found.is_some() {
                continue;
            }
            let copies = matches!(&edge.op, Op::Call(call) if copies(program, call));
            if copies && sharing.call_touches_shared(program, func, id) {
                found = Some((edge.span, "a function of the library accesses what threads share"));
            }
            for_each_place(program, &edge.op, &mut |place, _| {
                let is_wide = match program.types.get(program.place_ty(place)) {
                    Type::Int { bits, .. } => *bits > word,
                    Type::Float(kind) => matches!(kind, FloatKind::X87 | FloatKind::F128),
                    Type::Record(_) | Type::Array { .. } => {
                        program.types.size(program.place_ty(place)) > WORD
                    }
                    _ => false,
                };
                if is_wide && found.is_none() && sharing.is_shared(program, place) {
                    found = Some((edge.span, "what threads share is wider than a word"));
                }
            });
        }
    }
    if let Some((span, what)) = found {
        let message = format!("{what}: it is accessed in one step here");
        program.add_note(Note { kind: Note::NOT_COVERED, message, span });
    }
}

/// Functions of the library that access many bytes.
fn copies(program: &Program, call: &Call) -> bool {
    let Callee::Direct(func) = call.callee else { return false };
    let function = &program.funcs[func];
    let library = classify(source_name(&function.name), program.types.target());
    let accesses = matches!(
        library,
        Library::MemCopy | Library::MemSet | Library::MemRead | Library::MemWrite
    );
    function.body.is_none() && accesses
}

/// What may run while there is more than one thread.
struct Beside {
    entry: FuncId,
    functions: BTreeSet<FuncId>,
    /// The locations of the entry that lie behind a call that makes threads.
    locations: BTreeSet<LocId>,
}

impl Beside {
    fn of(program: &Program, entry: FuncId, sharing: &Sharing) -> Self {
        let calls = sharing.calls();
        let spawn = program.funcs.ids().find(|&f| crate::sharing::is_spawn(program, f));
        let mut functions = BTreeSet::new();
        let mut work: Vec<FuncId> = spawn.iter().flat_map(|&f| calls.callees(f).to_vec()).collect();
        // Who may make threads.
        let mut makers = BTreeSet::new();
        let mut callers: Vec<FuncId> = spawn.into_iter().collect();
        while let Some(func) = callers.pop() {
            if makers.insert(func) {
                callers.extend(calls.callers(func));
            }
        }
        let mut locations = BTreeSet::new();
        if let Some(body) = &program.funcs[entry].body {
            let may_make = |op: &Op| match op {
                Op::Call(Call { callee: Callee::Direct(func), .. }) => makers.contains(func),
                Op::Call(_) => true,
                _ => false,
            };
            let mut open: Vec<LocId> =
                body.edges().iter().filter(|edge| may_make(&edge.op)).map(|edge| edge.to).collect();
            while let Some(loc) = open.pop() {
                if locations.insert(loc) {
                    open.extend(body.out_edges(loc).iter().map(|&edge| body.edge(edge).to));
                }
            }
            for edge in body.edges().iter().filter(|edge| locations.contains(&edge.from)) {
                match &edge.op {
                    Op::Call(Call { callee: Callee::Direct(func), .. }) => work.push(*func),
                    Op::Call(_) => work.extend(calls.callees(entry)),
                    _ => {}
                }
            }
        }
        work.extend(makers.into_iter().filter(|&func| func != entry));
        while let Some(func) = work.pop() {
            if functions.insert(func) {
                work.extend(calls.callees(func));
            }
        }
        Self { entry, functions, locations }
    }

    fn contains(&self, func: FuncId, body: &Cfa, edge: EdgeId) -> bool {
        self.functions.contains(&func)
            || (func == self.entry && self.locations.contains(&body.edge(edge).from))
    }
}

/// Notes where data races of atomic operations are not looked for: with plain accesses to the same memory
/// (C17 5.1.2.4p35), and where nothing but a relaxed operation orders others.
pub(crate) fn note_atomics(program: &mut Program, entry: FuncId, sharing: &Sharing) {
    let beside = Beside::of(program, entry, sharing);
    let (mut atomic, mut found) = (SparseSet::new(), None);
    let mut plain: Vec<(PlaceId, Span)> = Vec::new();
    for (func, function) in program.funcs.iter_ids() {
        let Some(body) = &function.body else { continue };
        for (id, edge) in body.edges().iter_ids() {
            if !beside.contains(func, body, id) {
                continue;
            }
            if let Op::Call(call) = &edge.op
                && is_atomic(program, call)
            {
                atomic.union_with(&sharing.shared_cells_of_call(program, func, id));
                if found.is_none() && is_relaxed(program, call) {
                    found = Some((edge.span, "a relaxed operation orders no other accesses"));
                }
                continue;
            }
            for_each_place(program, &edge.op, &mut |place, _| plain.push((place, edge.span)));
        }
    }
    for (place, span) in plain {
        if found.is_none() && sharing.points_to().cells(program, place).intersects(&atomic) {
            found = Some((span, "what atomic operations access is accessed without them"));
        }
    }
    if let Some((span, what)) = found {
        let message = format!("{what}: such data races are not looked for");
        program.add_note(Note { kind: Note::NOT_COVERED, message, span });
    }
}

fn is_atomic(program: &Program, call: &Call) -> bool {
    let Callee::Direct(func) = call.callee else { return false };
    let function = &program.funcs[func];
    let library = classify(source_name(&function.name), program.types.target());
    function.body.is_none() && library == Library::Atomic
}
