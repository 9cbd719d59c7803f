//! When an access to memory goes wrong: it is inside of none of the living objects that its pointer
//! may point to.
//!
//! For every such object there is a list of ways to miss it, and the access goes wrong if it misses
//! all. Where the analysis of pointers knows the offset of a pointer, to miss the object is to be
//! another pointer or to have an index out of range; else addresses are compared.
//!
//! Addresses say in which object an access is only if no pointer leaves its own object for another
//! one. So where a pointer may point into several objects at offsets that are not known, it is
//! checked to stay in its object when it is computed. That is no error that an execution could
//! confirm (C 6.5.6 has it undefined, machines do not mind): it makes a proof impossible, no more.
//! The same holds for an index that leaves its array, but not its object.

use std::collections::BTreeSet;

use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{AllocKind, Library, plain_name};
use gnomon_ir::program::{InitItem, Program, Storage, VarId, source_name};
use gnomon_ir::types::Type;

use crate::CheckKind;
use crate::conditions::{Condition, Conditions};
use crate::describe;
use crate::located::{Distance, Located, Root, array_length};
use crate::objects::{Allocation, Allocations, Kept, Made, always, byte_pointer, extent, moved};
use crate::pointers::{Object, Pointee, Pointers};

/// A pointer to more objects than these is not checked.
const MOST_OBJECTS: usize = 24;

/// What checks of memory know.
pub struct Memory<'a> {
    /// Where pointers point.
    pub pointers: &'a dyn Pointers,
    /// What is allocated.
    pub allocations: Allocations,
    /// Objects that share a pointer with others, at offsets that are not known.
    ambiguous: BTreeSet<Object>,
    /// Whether objects from the heap may be freed.
    pub frees: bool,
}

impl<'a> Memory<'a> {
    /// Looks at all pointers that a program follows.
    pub fn new(program: &mut Program, pointers: &'a dyn Pointers, counted: bool) -> Self {
        let mut ambiguous = BTreeSet::new();
        for number in 0..program.exprs.place_count() {
            let PlaceKind::Deref(pointer) = program.exprs.place(PlaceId(number as u32)).kind else {
                continue;
            };
            let pointees = pointers.pointees(program, pointer).unwrap_or_default();
            let objects: BTreeSet<Object> = pointees.iter().map(|to| to.object).collect();
            if objects.len() > 1 && pointees.iter().any(|to| to.offset.is_none()) {
                ambiguous.extend(objects);
            }
        }
        let allocations = Allocations::new(program, pointers, counted);
        // Objects of one allocation share all their pointers.
        ambiguous.extend(allocations.shared());
        let frees = program.funcs.ids().any(|func| {
            let known = crate::objects::library(program, func);
            matches!(known, Some(Library::Free | Library::Alloc(AllocKind::Realloc)))
        });
        Self { pointers, allocations, ambiguous, frees }
    }
}

/// What is accessed.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    /// Where it begins.
    pub located: Located,
    /// How many bytes at least.
    pub count: i128,
    /// How many beside.
    pub more: Option<ExprId>,
    /// Whether it writes.
    pub is_write: bool,
}

impl Conditions<'_> {
    /// An access to a place, whose parts were looked at.
    pub(crate) fn memory_access(&mut self, place: PlaceId, is_write: bool) {
        if self.memory.is_none() {
            return;
        }
        let located = Located::place(self.program, place);
        let count = accessed_bytes(self.program, place);
        let text = describe::place(self.program, &self.temporaries, place);
        self.inner_bounds(place, &text);
        let reach = Reach { located, count, more: None, is_write };
        self.reach(&reach, &text);
    }

    /// Indices that leave an array inside of a larger object.
    fn inner_bounds(&mut self, mut place: PlaceId, text: &str) {
        loop {
            match self.program.exprs.place(place).kind {
                PlaceKind::Var(_) | PlaceKind::Deref(_) => return,
                PlaceKind::Field(base, _) => place = base,
                PlaceKind::Index(base, index) => {
                    let is_inner =
                        !matches!(self.program.exprs.place(base).kind, PlaceKind::Var(_));
                    let ty = self.program.place_ty(base);
                    let len = array_length(self.program, ty).filter(|&len| len > 1);
                    if let (true, Some(len)) = (is_inner, len) {
                        let distance = Distance { bytes: 0, steps: vec![(index, 1)] };
                        let distance = match self.program.as_int(index) {
                            Some(bytes) => Distance { bytes, steps: Vec::new() },
                            None => distance,
                        };
                        let below = distance.below(self.program, 0);
                        let above = distance.above(self.program, i128::from(len) - 1);
                        let ways: Vec<ExprId> = below.into_iter().chain(above).collect();
                        self.miss(CheckKind::Access, vec![ways], text, false);
                    }
                    place = base;
                }
            }
        }
    }

    /// A pointer that is computed.
    pub(crate) fn memory_pointer(&mut self, pointer: ExprId) {
        let Some(memory) = self.memory else { return };
        let located = Located::pointer(self.program, pointer);
        if located.distance.is_constant() && matches!(located.root, Root::Variable(_)) {
            return;
        }
        let pointees = memory.pointers.pointees(self.program, pointer).unwrap_or_default();
        if !pointees.iter().any(|to| self.may_leave(memory, &located.distance, to)) {
            return;
        }
        let text = describe::expr(self.program, &self.temporaries, pointer);
        match located.root {
            Root::Variable(var) => {
                let size = i128::from(self.program.types.size(self.program.vars[var].ty));
                let below = located.distance.below(self.program, 0);
                let above = located.distance.above(self.program, size);
                let ways: Vec<ExprId> = below.into_iter().chain(above).collect();
                self.miss(CheckKind::Access, vec![ways], &text, false);
            }
            Root::Pointer(_) => {
                let reach = Reach { located, count: 0, more: None, is_write: false };
                self.reach_as(&reach, &text, false);
            }
        }
    }

    /// Whether a pointer may leave this object for another one that it can then not be told from.
    /// The offset is that of the pointer when it was moved.
    fn may_leave(&self, memory: &Memory<'_>, distance: &Distance, to: &Pointee) -> bool {
        if !memory.ambiguous.contains(&to.object) {
            return false;
        }
        let size = match to.object {
            Object::Variable(var) => Some(self.program.types.size(self.program.vars[var].ty)),
            Object::Allocated(func, edge) => memory.allocations.of(func, edge).and_then(|a| a.size),
            Object::Function(_) => return false,
        };
        let stays = |size: u64, at: u64| {
            let begin = i128::from(at) - distance.bytes;
            distance.is_constant() && begin >= 0 && i128::from(at) <= i128::from(size)
        };
        !size.zip(to.offset).is_some_and(|(size, at)| stays(size, at))
    }

    pub(crate) fn miss(
        &mut self,
        kind: CheckKind,
        all: Vec<Vec<ExprId>>,
        text: &str,
        certain: bool,
    ) {
        let is_asked = self.checks.contains(kind)
            || kind == CheckKind::Leak && self.checks.contains(CheckKind::Cleanup);
        // What is never missed is right.
        if !is_asked || all.iter().any(Vec::is_empty) {
            return;
        }
        let all = if all.is_empty() { vec![vec![always(self.program)]] } else { all };
        let message = format!("{} in `{text}`", kind.message());
        let condition = Condition { kind, all, message, certain };
        if !self.found.contains(&condition) {
            self.found.push(condition);
        }
    }

    fn reach(&mut self, reach: &Reach, text: &str) {
        self.reach_as(reach, text, true);
    }

    pub(crate) fn reach_as(&mut self, reach: &Reach, text: &str, certain: bool) {
        self.reach_if(None, reach, text, certain);
    }

    /// The same where something holds only.
    pub(crate) fn reach_if(
        &mut self,
        guard: Option<ExprId>,
        reach: &Reach,
        text: &str,
        certain: bool,
    ) {
        let Some(memory) = self.memory else { return };
        let mut all: Vec<Vec<ExprId>> = guard.map(|guard| vec![guard]).into_iter().collect();
        if let Some(more) = reach.more {
            let zero = self.program.zero(self.program.expr_ty(more));
            all.push(vec![self.program.binary(BinaryOp::Ne, more, zero)]);
        }
        match reach.located.root {
            Root::Variable(var) => {
                let size = i128::from(self.program.types.size(self.program.vars[var].ty));
                let ways = match reach.is_write && is_read_only(self.program, var) {
                    true => vec![always(self.program)],
                    false => self.beyond(reach, 0, size),
                };
                all.push(ways);
            }
            Root::Pointer(pointer) => {
                if is_number(self.program, pointer) {
                    return self.unproved("an address from a number", text);
                }
                let Some(pointees) = memory.pointers.pointees(self.program, pointer) else {
                    return self.unproved("it may lead outside of the program", text);
                };
                if pointees.len() > MOST_OBJECTS {
                    return self.unproved("it may lead to too many objects", text);
                }
                for to in pointees {
                    match self.ways(reach, pointer, to) {
                        Ok(Some(ways)) => all.push(ways),
                        Ok(None) => {}
                        Err(why) => return self.unproved(why, text),
                    }
                }
            }
        }
        self.miss(CheckKind::Access, all, text, certain);
    }

    /// The ways to miss an object of a known size from an offset on.
    fn beyond(&mut self, reach: &Reach, offset: i128, size: i128) -> Vec<ExprId> {
        let distance = &reach.located.distance;
        let below = distance.below(self.program, -offset);
        let mut end = distance.clone();
        if let Some(more) = reach.more {
            end.add_bytes(self.program, more);
        }
        let above = end.above(self.program, size - reach.count - offset);
        below.into_iter().chain(above).collect()
    }

    /// The ways to miss what a pointer may point to; `None` if nothing can be accessed there.
    fn ways(
        &mut self,
        reach: &Reach,
        pointer: ExprId,
        to: Pointee,
    ) -> Result<Option<Vec<ExprId>>, &'static str> {
        let Some(memory) = self.memory else { return Ok(None) };
        let bytes = byte_pointer(self.program);
        let at = self.program.cast(bytes, pointer);
        match to.object {
            Object::Function(_) => Ok(None),
            Object::Variable(var) => {
                if reach.is_write && is_read_only(self.program, var) {
                    return Ok(None);
                }
                let is_local = !matches!(self.program.vars[var].storage, Storage::Static { .. });
                if is_local && memory.pointers.may_outlive(to.object) {
                    return Err("it may lead to a variable of a function that has returned");
                }
                let size = i128::from(self.program.types.size(self.program.vars[var].ty));
                let place = self.program.var_place(var);
                let base = self.program.address_of(place);
                let base = self.program.cast(bytes, base);
                Ok(Some(match to.offset {
                    Some(offset) => {
                        let there = moved(self.program, base, i128::from(offset));
                        let mut ways = vec![self.program.binary(BinaryOp::Ne, at, there)];
                        ways.extend(self.beyond(reach, i128::from(offset), size));
                        ways
                    }
                    None => {
                        let end = moved(self.program, base, size);
                        self.between(reach, at, to.object, base, end)
                    }
                }))
            }
            Object::Allocated(func, edge) => {
                let Some(allocation) = memory.allocations.of(func, edge).copied() else {
                    return Err("it may lead to an object that nobody allocated here");
                };
                if !allocation.is_sized {
                    return Err("the size of what it leads to is not known");
                }
                if allocation.made == Made::Stack && memory.pointers.may_outlive(to.object) {
                    return Err("it may lead to the stack of a function that has returned");
                }
                self.allocated_ways(reach, at, to, &allocation).map(Some)
            }
        }
    }

    fn allocated_ways(
        &mut self,
        reach: &Reach,
        at: ExprId,
        to: Pointee,
        allocation: &Allocation,
    ) -> Result<Vec<ExprId>, &'static str> {
        match (allocation.kept, to.offset) {
            (Kept::One(base, size), offset) => {
                let base = self.program.load_var(base);
                let null = self.program.zero(self.program.expr_ty(base));
                let mut ways = vec![self.program.binary(BinaryOp::Eq, base, null)];
                match offset {
                    Some(offset) => {
                        let there = moved(self.program, base, i128::from(offset));
                        ways.push(self.program.binary(BinaryOp::Ne, at, there));
                        ways.extend(self.beyond_size(reach, offset, allocation.size, |program| {
                            size.map(|size| (program.load_var(size), 0))
                        }));
                    }
                    None => {
                        let end = match (allocation.size, size) {
                            (Some(size), _) => moved(self.program, base, i128::from(size)),
                            (None, Some(size)) => {
                                let size = self.program.load_var(size);
                                let distance = self.program.types.ptrdiff_type();
                                let size = self.program.cast(distance, size);
                                self.program.ptr_add(base, size)
                            }
                            (None, None) => return Err("its size is not known"),
                        };
                        ways.extend(self.between(reach, at, to.object, base, end));
                    }
                }
                Ok(ways)
            }
            (Kept::Many, Some(offset)) => {
                let begin = moved(self.program, at, -i128::from(offset));
                let Some(place) = extent(self.program, begin) else {
                    return Err("its size is not known");
                };
                let extent = self.program.load(place);
                let zero = self.program.zero(self.program.expr_ty(extent));
                let mut ways = vec![self.program.binary(BinaryOp::Eq, extent, zero)];
                let size = allocation.size;
                ways.extend(self.beyond_size(reach, offset, size, |_| Some((extent, 1))));
                Ok(ways)
            }
            (Kept::Many, None) => {
                Err("it may lead into several objects of one allocation, at any offset")
            }
        }
    }

    /// The same for a size that is no constant, and by how much more is written down of it.
    fn beyond_size(
        &mut self,
        reach: &Reach,
        offset: u64,
        constant: Option<u64>,
        size: impl FnOnce(&mut Program) -> Option<(ExprId, i128)>,
    ) -> Vec<ExprId> {
        let offset = i128::from(offset);
        if let Some(size) = constant {
            return self.beyond(reach, offset, i128::from(size));
        }
        let Some((size, surplus)) = size(self.program) else {
            return vec![always(self.program)];
        };
        let distance = &reach.located.distance;
        let below = distance.below(self.program, -offset);
        let mut end = distance.clone();
        if let Some(more) = reach.more {
            end.add_bytes(self.program, more);
        }
        let above = end.above_size(self.program, reach.count + offset + surplus, size);
        below.into_iter().chain([above]).collect()
    }

    /// The ways to miss what lies from `base` to before `end`, by address.
    fn between(
        &mut self,
        reach: &Reach,
        at: ExprId,
        object: Object,
        base: ExprId,
        end: ExprId,
    ) -> Vec<ExprId> {
        let mut ways = Vec::new();
        let distance = &reach.located.distance;
        let shares = self.memory.is_some_and(|memory| memory.ambiguous.contains(&object));
        if shares && (!distance.is_constant() || distance.bytes != 0) {
            ways.push(self.program.binary(BinaryOp::Lt, at, base));
            ways.push(self.program.binary(BinaryOp::Gt, at, end));
        }
        let begin = self.address(at, distance);
        ways.push(self.program.binary(BinaryOp::Lt, begin, base));
        let mut last = moved(self.program, end, -reach.count);
        if let Some(more) = reach.more {
            // So many bytes are in no object at all; fewer can be taken from its end.
            let most = self.program.int(self.program.expr_ty(more), 1 << 30);
            ways.push(self.program.binary(BinaryOp::Gt, more, most));
            let distance = self.program.types.ptrdiff_type();
            let (more, zero) = (self.program.cast(distance, more), self.program.zero(distance));
            let back = self.program.binary(BinaryOp::Sub, zero, more);
            last = self.program.ptr_add(last, back);
        }
        ways.push(self.program.binary(BinaryOp::Gt, begin, last));
        ways
    }

    /// A pointer to bytes, moved by a distance.
    fn address(&mut self, at: ExprId, distance: &Distance) -> ExprId {
        let offset = self.program.types.ptrdiff_type();
        let mut pointer = at;
        for &(index, size) in &distance.steps {
            let index = self.program.cast(offset, index);
            let size = self.program.int(offset, size);
            let bytes = self.program.binary(BinaryOp::Mul, index, size);
            pointer = self.program.ptr_add(pointer, bytes);
        }
        moved(self.program, pointer, distance.bytes)
    }

    /// A pointer that is freed: null, or the beginning of a living object from the heap.
    fn freed(&mut self, pointer: ExprId) {
        let Some(memory) = self.memory else { return };
        let text = describe::expr(self.program, &self.temporaries, pointer);
        let Some(pointees) = memory.pointers.pointees(self.program, pointer) else {
            return self.unproved("it may lead outside of the program", &text);
        };
        let bytes = byte_pointer(self.program);
        let at = self.program.cast(bytes, pointer);
        let null = self.program.zero(bytes);
        let mut all = vec![vec![self.program.binary(BinaryOp::Ne, at, null)]];
        let mut many = false;
        for to in pointees {
            let Object::Allocated(func, edge) = to.object else { continue };
            match memory.allocations.of(func, edge) {
                None => return self.unproved("it may lead to an object of others", &text),
                Some(Allocation { made: Made::Stack, kept: Kept::Many, .. }) => {
                    return self.unproved("it may lead to an object of the stack", &text);
                }
                Some(Allocation { made: Made::Stack, .. }) => {}
                Some(Allocation { kept: Kept::Many, .. }) => many = true,
                Some(Allocation { kept: Kept::One(base, _), .. }) => {
                    let base = self.program.load_var(*base);
                    all.push(vec![
                        self.program.binary(BinaryOp::Eq, base, null),
                        self.program.binary(BinaryOp::Ne, at, base),
                    ]);
                }
            }
        }
        if many && let Some(place) = extent(self.program, at) {
            let extent = self.program.load(place);
            let zero = self.program.zero(self.program.expr_ty(extent));
            all.push(vec![self.program.binary(BinaryOp::Eq, extent, zero)]);
        }
        self.miss(CheckKind::Free, all, &text, true);
    }

    /// A pointer that is called.
    pub(crate) fn memory_call(&mut self, pointer: ExprId) {
        let Some(memory) = self.memory else { return };
        let text = describe::expr(self.program, &self.temporaries, pointer);
        let Some(pointees) = memory.pointers.pointees(self.program, pointer) else {
            return self.unproved("it may call what is outside of the program", &text);
        };
        if matches!(self.program.exprs.expr(pointer).kind, ExprKind::FuncAddr(_)) {
            return;
        }
        let mut all = Vec::new();
        for to in pointees {
            let Object::Function(func) = to.object else { continue };
            let there = self.program.func_addr(func);
            let there = self.program.cast(self.program.expr_ty(pointer), there);
            all.push(vec![self.program.binary(BinaryOp::Ne, pointer, there)]);
        }
        self.miss(CheckKind::Access, all, &text, true);
    }

    /// What a function without a body accesses; its arguments were looked at.
    pub(crate) fn memory_library(&mut self, call: &Call) {
        let Callee::Direct(func) = call.callee else { return };
        if self.memory.is_none() {
            return;
        }
        let Some(library) = crate::objects::library(self.program, func) else {
            return self.known_uses(call);
        };
        let name = source_name(&self.program.funcs[func].name).to_owned();
        let plain = plain_name(&name);
        match (library, plain, &call.args[..]) {
            (Library::Free, _, &[pointer, ..]) => self.freed(pointer),
            (Library::Alloc(AllocKind::Realloc), _, &[old, ..]) => {
                self.freed(old);
            }
            (Library::MemCopy, "memcpy" | "memmove" | "mempcpy", &[to, from, count, ..]) => {
                self.range(from, count, false, &name);
                self.range(to, count, true, &name);
            }
            (Library::MemSet, "memset", &[to, _, count, ..]) => {
                self.range(to, count, true, &name);
            }
            (Library::MemRead, "memcmp", &[one, other, count, ..]) => {
                self.range(one, count, false, &name);
                self.range(other, count, false, &name);
            }
            (Library::Atomic, _, &[to, ..]) => {
                let pointee = self.program.types.pointee(self.program.expr_ty(to));
                let count = pointee.map_or(1, |ty| self.program.types.size(ty));
                let located = Located::pointer(self.program, to);
                let text = describe::expr(self.program, &self.temporaries, to);
                let (count, more) = (i128::from(count), None);
                self.reach(&Reach { located, count, more, is_write: true }, &text);
            }
            (
                Library::MemCopy
                | Library::MemSet
                | Library::MemRead
                | Library::MemWrite
                | Library::Output
                | Library::CallsBack
                | Library::Alloc(AllocKind::Duplicate),
                _,
                args,
            ) => {
                let writes = !matches!(library, Library::MemRead | Library::Output);
                for &arg in args {
                    if library == Library::MemRead && self.is_constant_text(arg) {
                        let text = describe::expr(self.program, &self.temporaries, arg);
                        let located = Located::pointer(self.program, arg);
                        self.reach(
                            &Reach { located, count: 1, more: None, is_write: false },
                            &text,
                        );
                        continue;
                    }
                    self.stream(arg, &name);
                    if !self.is_harmless(arg, writes) {
                        let text = format!("{name}(...)");
                        return self.unproved("what the function accesses is not followed", &text);
                    }
                }
            }
            (Library::Pure, _, args) => {
                args.iter().for_each(|&arg| self.written_number(arg, &name))
            }
            (Library::Unknown, _, args) => {
                for &arg in args {
                    self.handed_out(arg);
                }
                self.known_uses(call);
            }
            _ => {}
        }
    }

    /// Whether an argument is no pointer to bytes, or one to a string of the program.
    fn is_harmless(&mut self, arg: ExprId, writes: bool) -> bool {
        let ty = self.program.expr_ty(arg);
        let Some(pointee) = self.program.types.pointee(ty) else { return true };
        if matches!(self.program.types.get(pointee), Type::Record(_)) {
            return true;
        }
        let located = Located::pointer(self.program, arg);
        match located.root {
            Root::Variable(var) if located.distance == Distance::default() && !writes => {
                is_read_only(self.program, var)
            }
            _ => false,
        }
    }

    /// Whether a pointer leads into strings of the program, if it leads anywhere. They end with a zero,
    /// so whoever begins inside of one ends there.
    pub(crate) fn is_constant_text(&self, arg: ExprId) -> bool {
        let Some(memory) = self.memory else { return false };
        let is_text = |to: &Pointee| match to.object {
            Object::Variable(var) => is_string(self.program, var),
            _ => false,
        };
        let is_pointer = self.program.types.is_pointer(self.program.expr_ty(arg));
        let pointees = memory.pointers.pointees(self.program, arg).filter(|_| is_pointer);
        pointees.is_some_and(|all| !all.is_empty() && all.iter().all(is_text))
    }

    fn range(&mut self, pointer: ExprId, count: ExprId, is_write: bool, name: &str) {
        self.range_as(pointer, count, is_write, name, true);
    }

    /// So many bytes behind a pointer.
    pub(crate) fn range_as(
        &mut self,
        pointer: ExprId,
        count: ExprId,
        is_write: bool,
        name: &str,
        certain: bool,
    ) {
        let text = describe::expr(self.program, &self.temporaries, pointer);
        let text = format!("{name}: {text}");
        let located = Located::pointer(self.program, pointer);
        let (count, more) = match self.program.as_int(count) {
            Some(0) => return,
            Some(count) => (count, None),
            None => (0, Some(count)),
        };
        self.reach_as(&Reach { located, count, more, is_write }, &text, certain);
    }

    /// What is not checked.
    pub(crate) fn unproved(&mut self, why: &str, text: &str) {
        if !self.checks.contains(CheckKind::Access) && !self.checks.contains(CheckKind::Free) {
            return;
        }
        self.unproved.push(format!("`{text}`: {why}"));
    }

    /// Objects that must not be there when the program ends.
    pub(crate) fn memory_end(&mut self, op: &Op, is_entry: bool) {
        let Some(living) = self.memory.and_then(|memory| memory.allocations.living) else { return };
        let ends = match op {
            Op::Return(_) => is_entry,
            Op::Call(Call { callee: Callee::Direct(func), .. }) => {
                crate::objects::library(self.program, *func) == Some(Library::Exit)
            }
            _ => false,
        };
        if ends {
            let living = self.program.load_var(living);
            let zero = self.program.zero(self.program.expr_ty(living));
            let some = self.program.binary(BinaryOp::Ne, living, zero);
            self.miss(CheckKind::Leak, vec![vec![some]], "the end of the program", true);
        }
    }
}

/// Whether a variable is a constant string, with the zero at its end.
fn is_string(program: &Program, var: VarId) -> bool {
    let Storage::Static { init: Some(init), read_only: true, .. } = &program.vars[var].storage
    else {
        return false;
    };
    let size = program.types.size(program.vars[var].ty);
    init.items.iter().all(|item| match item {
        InitItem::Value { .. } => false,
        InitItem::Bytes { place, bytes } => {
            matches!(program.exprs.place(*place).kind, PlaceKind::Var(_))
                && (bytes.len() as u64) < size
        }
    })
}

fn is_read_only(program: &Program, var: VarId) -> bool {
    matches!(program.vars[var].storage, Storage::Static { read_only: true, .. })
}

/// Whether a pointer is a number that the program names: a device, not an object.
pub(crate) fn is_number(program: &Program, pointer: ExprId) -> bool {
    let mut e = pointer;
    while let ExprKind::Cast(inner) = program.exprs.expr(e).kind {
        e = inner;
    }
    program.as_int(e).is_some_and(|number| number != 0)
        || matches!(program.exprs.expr(e).kind, ExprKind::Const(c) if program.exprs.bits(c) != 0)
}

/// How many bytes an access to a place reads or writes.
fn accessed_bytes(program: &Program, place: PlaceId) -> i128 {
    let size = i128::from(program.types.size(program.place_ty(place)));
    let PlaceKind::Field(base, number) = program.exprs.place(place).kind else { return size };
    let record = program.types.as_record(program.place_ty(base));
    let field = record.and_then(|(_, record)| record.fields.get(number as usize));
    match field.and_then(|field| field.bits) {
        Some(bits) => (i128::from(bits.shift) + i128::from(bits.width) + 7) / 8,
        None => size,
    }
}
