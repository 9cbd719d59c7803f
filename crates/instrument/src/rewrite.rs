//! Puts the branches into the automata.
//!
//! What a branch of the user evaluates is checked before the location splits, so that the pairs of
//! complementary edges stay pairs. Every other operation gets its checks on its own edge. A call
//! whose result goes to a place that can be wrong stores into a variable first, because the place
//! is evaluated after the call.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, Callee, Cfa, CfaBuilder, Edge, EdgeId, LocId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, PlaceId, PlaceKind};
use gnomon_ir::library::{AllocKind, Library, classify};
use gnomon_ir::program::{FuncId, Note, Program, Storage, Var, VarId, source_name};
use gnomon_ir::span::Span;
use gnomon_ir::types::TypeId;

use crate::conditions::{Condition, Conditions};
use crate::memory::Memory;
use crate::objects::{
    Kept, Made, allocates, asked_size, byte_pointer, bytes_type, extent, library,
};
use crate::pointers::{Object, Pointee, Pointers};
use crate::{CheckKind, Checks, Instrumented, Unproved, Violation};

/// See [`crate::instrument`] and [`crate::instrument_memory`].
pub(crate) fn instrument(
    program: &Program,
    checks: Checks,
    pointers: Option<(&dyn Pointers, FuncId)>,
) -> Instrumented {
    let mut program = program.clone();
    let mut violations = Vec::new();
    let mut inserted = BTreeSet::new();
    let mut moved = BTreeMap::new();
    let mut unproved = Vec::new();
    let mut unbounded = None;
    let counted = checks.contains(CheckKind::Leak) || checks.contains(CheckKind::Cleanup);
    let entry = pointers.map(|(_, entry)| entry);
    let memory = pointers.map(|(pointers, _)| Memory::new(&mut program, pointers, counted));
    let memory = memory.as_ref();
    let functions: Vec<FuncId> = program.funcs.iter_ids().map(|(id, _)| id).collect();
    for func in functions {
        let Some(body) = program.funcs[func].body.take() else { continue };
        let mut rewriting = Rewriting {
            conditions: Conditions::new(&mut program, checks, memory, &body),
            func,
            is_entry: entry == Some(func),
            unproved: &mut unproved,
            loc_count: body.loc_count() as u32,
            edges: Vec::new(),
            inserted: Vec::new(),
            kept: Vec::new(),
            marked: Vec::new(),
            moved: Vec::new(),
            unbounded: &mut unbounded,
        };
        for loc in body.locs() {
            rewriting.location(&body, loc);
        }
        let Rewriting { loc_count, edges, inserted: new, kept, marked, moved: there, .. } =
            rewriting;
        let body = assembled(&body, loc_count, edges, !marked.is_empty());
        violations.extend(placed(func, &body, marked));
        inserted.extend(new.into_iter().map(|index| (func, EdgeId::from_index(index))));
        let there = there.into_iter();
        moved.extend(there.map(|(edge, index)| ((func, edge), EdgeId::from_index(index))));
        program.funcs[func].locals.extend(kept);
        program.funcs[func].body = Some(body);
    }
    if memory.is_none() {
        note_unsupported(&mut program, checks, unbounded);
    }
    Instrumented { program, violations, inserted, unproved, moved }
}

/// Where violations lead, as long as the number of locations is not known.
const DEAD: LocId = LocId(u32::MAX);

/// A condition whose edge is there.
struct Marked {
    condition: Condition,
    span: Span,
}

fn assembled(old: &Cfa, loc_count: u32, edges: Vec<Edge>, violated: bool) -> Cfa {
    let mut builder = CfaBuilder::new();
    for _ in 2..loc_count {
        builder.add_loc();
    }
    let dead = if violated { builder.add_loc() } else { DEAD };
    for edge in edges {
        let to = if edge.to == DEAD { dead } else { edge.to };
        builder.add_edge(Edge { to, ..edge });
    }
    for label in old.labels() {
        builder.add_label(label.clone());
    }
    builder.finish()
}

/// The edges of violations are those into the location that was added last, in order.
fn placed(func: FuncId, body: &Cfa, marked: Vec<Marked>) -> Vec<Violation> {
    let dead = body.locs().next_back();
    let edges = body.edges().iter_ids().filter(|(_, e)| Some(e.to) == dead).map(|(id, _)| id);
    let violation = |(Marked { condition, span }, edge): (Marked, EdgeId)| {
        let Condition { kind, message, certain, .. } = condition;
        Violation { func, edge, kind, span, message, certain }
    };
    marked.into_iter().zip(edges).map(violation).collect()
}

/// One function.
struct Rewriting<'a> {
    conditions: Conditions<'a>,
    func: FuncId,
    /// Whether the program ends when this function returns.
    is_entry: bool,
    /// Accesses that are not checked.
    unproved: &'a mut Vec<Unproved>,
    loc_count: u32,
    /// Locations and edges keep these numbers: all of them can be reached.
    edges: Vec<Edge>,
    /// Which of the edges are branches for checks.
    inserted: Vec<usize>,
    /// Variables for results of calls.
    kept: Vec<VarId>,
    /// In the order of their edges.
    marked: Vec<Marked>,
    /// Which of the edges are the calls and allocations of the automaton.
    moved: Vec<(EdgeId, usize)>,
    /// The first access whose bounds are not checked.
    unbounded: &'a mut Option<Span>,
}

impl Rewriting<'_> {
    fn new_loc(&mut self) -> LocId {
        self.loc_count += 1;
        LocId(self.loc_count - 1)
    }

    /// The edges that leave a location, with their checks.
    fn location(&mut self, body: &Cfa, loc: LocId) {
        let edges: Vec<(EdgeId, &Edge)> =
            body.out_edges(loc).iter().map(|&id| (id, body.edge(id))).collect();
        let splits = edges.iter().all(|(_, edge)| matches!(edge.op, Op::Assume(_)));
        if let (true, Some((_, first))) = (splits, edges.first()) {
            for (_, edge) in &edges {
                self.conditions.operation(&edge.op);
            }
            let from = self.checked(first, loc);
            self.edges.extend(edges.iter().map(|&(_, edge)| Edge { from, ..edge.clone() }));
            return;
        }
        for &(id, edge) in &edges {
            self.conditions.operation(&edge.op);
            self.conditions.memory_end(&edge.op, self.is_entry);
            let has_checks = self.conditions.is_open();
            // Of several edges that are open at once, one is chosen first.
            let from = if has_checks && edges.len() > 1 {
                let chosen = self.new_loc();
                self.edges.push(Edge { op: Op::Skip, to: chosen, ..edge.clone() });
                chosen
            } else {
                loc
            };
            let from = self.checked(edge, from);
            let first = self.edges.len();
            let edge = Edge { from, ..edge.clone() };
            match self.conditions.memory {
                Some(memory) => self.remembered(memory, id, edge),
                None => self.operation(edge),
            }
            // Checks call and allocate nothing.
            let is_moved = |edge: &Edge| matches!(edge.op, Op::Call(_) | Op::Alloca { .. });
            let there = self.edges[first..].iter().position(is_moved);
            self.moved.extend(there.map(|index| (id, first + index)));
        }
    }

    /// An operation, with what it does to the objects that live.
    fn remembered(&mut self, memory: &Memory<'_>, id: EdgeId, edge: Edge) {
        let program = self.conditions.program();
        if let Some(kind) = allocates(program, &edge.op) {
            return self.allocation(memory, id, kind, edge);
        }
        let Op::Call(Call { callee: Callee::Direct(func), args, .. }) = &edge.op else {
            return self.operation(edge);
        };
        match (library(program, *func), &args[..]) {
            (Some(Library::Free), &[pointer, ..]) => {
                let from = self.forgotten(memory, &edge, edge.from, pointer, pointer);
                self.edges.push(Edge { from, ..edge });
            }
            _ => self.operation(edge),
        }
    }

    /// An allocation: what it asks for is remembered before, and what it gives after.
    fn allocation(&mut self, memory: &Memory<'_>, id: EdgeId, kind: AllocKind, mut edge: Edge) {
        let end = edge.to;
        let mut from = edge.from;
        let program = self.conditions.program();
        let asked = asked_size(program, &edge.op);
        let size = match asked {
            Some(size) if program.as_int(size).is_none() => {
                let bytes = bytes_type(program);
                let kept = self.variable(".bytes", bytes, edge.span);
                from = self.assigned(&edge, from, kept, size);
                Some(self.conditions.program().load_var(kept))
            }
            constant => constant,
        };
        let mut old = None;
        if let (AllocKind::Realloc, Op::Call(Call { args, .. })) = (kind, &edge.op)
            && let Some(&given) = args.first()
        {
            let ty = self.conditions.program().expr_ty(given);
            let kept = self.variable(".old", ty, edge.span);
            from = self.assigned(&edge, from, kept, given);
            old = Some((self.conditions.program().load_var(kept), given));
        }
        // The result goes to a variable that nothing else reaches.
        let given = match &edge.op {
            Op::Call(call) => call.dst,
            Op::Alloca { dst, .. } => Some(*dst),
            _ => None,
        };
        let program = self.conditions.program();
        let plain = given.and_then(|place| match program.exprs.place(place).kind {
            PlaceKind::Var(var) => (!program.vars[var].address_taken).then_some(var),
            _ => None,
        });
        let result = match plain {
            Some(var) => var,
            None => {
                let ty = match given {
                    Some(place) => program.place_ty(place),
                    None => byte_pointer(program),
                };
                self.variable(".new", ty, edge.span)
            }
        };
        let program = self.conditions.program();
        let (place, value) = (program.var_place(result), program.load_var(result));
        match &mut edge.op {
            Op::Call(call) => call.dst = Some(place),
            Op::Alloca { dst, .. } => *dst = place,
            _ => {}
        }
        let called = self.new_loc();
        self.edges.push(Edge { from, to: called, ..edge.clone() });
        let program = self.conditions.program();
        let null = program.zero(program.expr_ty(value));
        let is_null = program.binary(BinaryOp::Eq, value, null);
        let (failed, given_back) = (self.new_loc(), self.new_loc());
        from = self.chosen(&edge, called, is_null, failed);
        let mut failed = failed;
        if let Some((old, of)) = old {
            from = self.forgotten(memory, &edge, from, old, of);
            // To ask for nothing is to free.
            if let Some(size) = size {
                let program = self.conditions.program();
                let zero = program.zero(program.expr_ty(size));
                let is_zero = program.binary(BinaryOp::Eq, size, zero);
                let freed = self.new_loc();
                failed = self.chosen(&edge, failed, is_zero, freed);
                let freed = self.forgotten(memory, &edge, freed, old, of);
                self.insert(&edge, freed, Op::Skip, given_back);
            }
        }
        from = self.known(memory, id, &edge, from, value, size);
        self.insert(&edge, from, Op::Skip, given_back);
        self.insert(&edge, failed, Op::Skip, given_back);
        match given.filter(|_| plain.is_none()) {
            Some(dst) => {
                self.conditions.accessed(dst);
                let from = self.checked(&edge, given_back);
                let op = Op::Assign { dst, src: value };
                self.edges.push(Edge { from, to: end, op, ..edge });
            }
            None => self.insert(&edge, given_back, Op::Skip, end),
        }
    }

    /// A new object lives from here on.
    fn known(
        &mut self,
        memory: &Memory<'_>,
        id: EdgeId,
        edge: &Edge,
        mut from: LocId,
        value: ExprId,
        size: Option<ExprId>,
    ) -> LocId {
        let program = self.conditions.program();
        let bytes = byte_pointer(program);
        let value = program.cast(bytes, value);
        let allocation = memory.allocations.of(self.func, id).copied();
        match allocation.map(|allocation| allocation.kept) {
            Some(Kept::One(base, counted)) => {
                from = self.assigned(edge, from, base, value);
                if let (Some(counted), Some(size)) = (counted, size) {
                    from = self.assigned(edge, from, counted, size);
                }
            }
            Some(Kept::Many) => {
                let ty = bytes_type(program);
                let one = program.int(ty, 1);
                let size = match size {
                    Some(size) => program.binary(BinaryOp::Add, size, one),
                    None => one,
                };
                if let Some(place) = extent(program, value) {
                    from = self.stored(edge, from, place, size);
                }
            }
            None => {}
        }
        let heap = allocation.is_some_and(|allocation| allocation.made == Made::Heap);
        match memory.allocations.living {
            Some(living) if heap => self.counted(edge, from, living, BinaryOp::Add),
            _ => from,
        }
    }

    /// What a pointer points to lives no longer; `of` says where it may point.
    fn forgotten(
        &mut self,
        memory: &Memory<'_>,
        edge: &Edge,
        mut from: LocId,
        pointer: ExprId,
        of: ExprId,
    ) -> LocId {
        let program = self.conditions.program();
        let pointees = memory.pointers.pointees(program, of);
        let bytes = byte_pointer(program);
        let at = program.cast(bytes, pointer);
        let null = program.zero(bytes);
        let may_be: Vec<Kept> = match pointees {
            None => memory.allocations.iter().map(|allocation| allocation.kept).collect(),
            Some(pointees) => {
                let kept = |to: &Pointee| match to.object {
                    Object::Allocated(func, edge) => memory.allocations.of(func, edge),
                    _ => None,
                };
                pointees.iter().filter_map(kept).map(|allocation| allocation.kept).collect()
            }
        };
        if let Some(living) = memory.allocations.living {
            let is_null = self.conditions.program().binary(BinaryOp::Eq, at, null);
            let join = self.new_loc();
            let freed = self.chosen(edge, from, is_null, join);
            let freed = self.counted(edge, freed, living, BinaryOp::Sub);
            self.insert(edge, freed, Op::Skip, join);
            from = join;
        }
        let mut singles: Vec<VarId> = Vec::new();
        for kept in &may_be {
            if let Kept::One(base, _) = *kept
                && !singles.contains(&base)
            {
                singles.push(base);
            }
        }
        for base in singles {
            let program = self.conditions.program();
            let begin = program.load_var(base);
            let is_it = program.binary(BinaryOp::Eq, at, begin);
            let (found, join) = (self.new_loc(), self.new_loc());
            let other = self.chosen(edge, from, is_it, found);
            let found = self.assigned(edge, found, base, null);
            self.insert(edge, found, Op::Skip, join);
            self.insert(edge, other, Op::Skip, join);
            from = join;
        }
        if may_be.contains(&Kept::Many) {
            let program = self.conditions.program();
            let ty = bytes_type(program);
            let zero = program.zero(ty);
            if let Some(place) = extent(program, at) {
                from = self.stored(edge, from, place, zero);
            }
        }
        from
    }

    /// A branch: where it goes on if the condition does not hold.
    fn chosen(&mut self, edge: &Edge, from: LocId, condition: ExprId, then: LocId) -> LocId {
        let other = self.new_loc();
        let negated = self.conditions.program().not(condition);
        self.insert(edge, from, Op::Assume(condition), then);
        self.insert(edge, from, Op::Assume(negated), other);
        other
    }

    fn counted(&mut self, edge: &Edge, from: LocId, var: VarId, op: BinaryOp) -> LocId {
        let program = self.conditions.program();
        let value = program.load_var(var);
        let one = program.int(program.expr_ty(value), 1);
        let value = program.binary(op, value, one);
        self.assigned(edge, from, var, value)
    }

    fn assigned(&mut self, edge: &Edge, from: LocId, var: VarId, value: ExprId) -> LocId {
        let place = self.conditions.program().var_place(var);
        self.stored(edge, from, place, value)
    }

    fn stored(&mut self, edge: &Edge, from: LocId, dst: PlaceId, src: ExprId) -> LocId {
        let to = self.new_loc();
        self.insert(edge, from, Op::Assign { dst, src }, to);
        to
    }

    /// A new variable of the function.
    fn variable(&mut self, name: &str, ty: TypeId, span: Span) -> VarId {
        let name = format!("{name}{}", self.kept.len());
        let storage = Storage::Local(self.func);
        let var = Var { name, ty, storage, address_taken: false, span };
        let var = self.conditions.program().vars.push(var);
        self.kept.push(var);
        var
    }

    /// The operation itself; the place of a call's result is checked after the call.
    fn operation(&mut self, edge: Edge) {
        let Op::Call(Call { dst: Some(place), callee, args }) = &edge.op else {
            self.edges.push(edge);
            return;
        };
        self.conditions.accessed(*place);
        if !self.conditions.is_open() {
            self.checked(&edge, edge.from);
            self.edges.push(edge);
            return;
        }
        let ty = self.conditions.program().place_ty(*place);
        let var = self.variable(".checked", ty, edge.span);
        let program = self.conditions.program();
        let (dst, src) = (program.var_place(var), program.load_var(var));
        let call = Call { dst: Some(dst), callee: *callee, args: args.clone() };
        let called = self.new_loc();
        self.edges.push(Edge { op: Op::Call(call), to: called, ..edge.clone() });
        let from = self.checked(&edge, called);
        self.edges.push(Edge { from, op: Op::Assign { dst: *place, src }, ..edge });
    }

    /// Branches for what was found since the last call, from a location on; where they end.
    fn checked(&mut self, of: &Edge, mut from: LocId) -> LocId {
        if self.conditions.take_unbounded() && self.unbounded.is_none() {
            *self.unbounded = Some(of.span);
        }
        for why in self.conditions.take_unproved() {
            self.unproved.push(Unproved { span: of.span, why });
        }
        for condition in self.conditions.take() {
            let holds = self.new_loc();
            let last = condition.all.len() - 1;
            for (position, ways) in condition.all.iter().enumerate() {
                // Several ways lead to one edge of the violation.
                let next = match (position == last, ways.len()) {
                    (true, 1) => DEAD,
                    _ => self.new_loc(),
                };
                for (number, &way) in ways.iter().enumerate() {
                    let negated = self.conditions.program().not(way);
                    let other = if number + 1 == ways.len() { holds } else { self.new_loc() };
                    for (op, to) in [(Op::Assume(way), next), (Op::Assume(negated), other)] {
                        self.insert(of, from, op, to);
                    }
                    from = other;
                }
                if position == last && next != DEAD {
                    self.insert(of, next, Op::Skip, DEAD);
                }
                from = next;
            }
            self.marked.push(Marked { condition, span: of.span });
            from = holds;
        }
        from
    }

    fn insert(&mut self, of: &Edge, from: LocId, op: Op, to: LocId) {
        let (span, stmt) = (of.span, of.stmt);
        self.inserted.push(self.edges.len());
        self.edges.push(Edge { from, to, op, span, stmt });
    }
}

/// Writes down what is not checked.
fn note_unsupported(program: &mut Program, checks: Checks, unbounded: Option<Span>) {
    if let (Some(span), true) = (unbounded, checks.contains(CheckKind::Bounds)) {
        let message = "accesses through pointers, to variable length arrays and to flexible array \
                       members stay inside their objects: only indices of arrays of known length \
                       are checked";
        program.add_note(Note { kind: "bounds", message: message.to_owned(), span });
    }
    if !checks.contains(CheckKind::Bounds) && !checks.contains(CheckKind::Null) {
        return;
    }
    let accesses = |name: &str| {
        matches!(
            classify(name, program.types.target()),
            Library::MemCopy | Library::MemSet | Library::MemRead | Library::MemWrite
        )
    };
    let called = program.funcs.iter_ids().find_map(|(_, function)| {
        let body = function.body.as_ref()?;
        body.edges().iter().find_map(|edge| match &edge.op {
            Op::Call(Call { callee: Callee::Direct(func), .. }) => {
                let callee = &program.funcs[*func];
                let name = source_name(&callee.name);
                (callee.body.is_none() && accesses(name)).then(|| (name.to_owned(), edge.span))
            }
            _ => None,
        })
    });
    if let Some((name, span)) = called {
        let message =
            format!("functions of the library, such as `{name}`, are called with valid pointers");
        program.add_note(Note { kind: "library", message, span });
    }
}
