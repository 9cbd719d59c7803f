//! What functions without a body do to pointers, by their class in [`gnomon_ir::library`].

use std::rc::Rc;

use gnomon_ir::expr::{ExprId, ExprKind};
use gnomon_ir::library::{AllocKind, Library, classify, keeps_no_pointer, plain_name};
use gnomon_ir::program::{FuncId, source_name};
use gnomon_ir::types::{TypeId, Types};

use super::binding::Model;
use super::objects::ObjectId;
use super::sink::{CallInfo, NodeId, Sink};
use super::spot::{Spot, Step};
use super::standard_functions::stores_end;

/// Gives the addresses of new objects to a node.
pub(crate) fn new_objects(
    model: &Model<'_>,
    sink: &mut impl Sink,
    objects: &[ObjectId],
    to: NodeId,
) {
    for &object in objects {
        sink.address(object, Spot::start(model.objects.layout_of(object)), to);
    }
}

/// A call of a function without a body.
pub(crate) fn call(model: &Model<'_>, sink: &mut impl Sink, call: &CallInfo, func: FuncId) {
    let name = source_name(&model.program.funcs[func].name);
    let mut library = LibraryCall { model, sink, call };
    match classify(name, model.program.types.target()) {
        Library::Assume
        | Library::Error
        | Library::Abort
        | Library::Exit
        | Library::Unreachable
        | Library::Free
        | Library::Output => {}
        Library::Alloc(kind) => library.allocate(kind),
        Library::MemCopy => library.copy(plain_name(name)),
        Library::MemSet => library.result_is(0),
        Library::MemRead => library.read_bytes(),
        Library::MemWrite => library.write_text(plain_name(name)),
        Library::Pure => library.pure(),
        Library::Nondet(_) | Library::Environment => library.result_from_outside(),
        Library::Atomic => library.atomic(name),
        Library::CallsBack => library.call_back(plain_name(name)),
        Library::Unknown if keeps_no_pointer(plain_name(name)) => {
            library.standard(plain_name(name))
        }
        Library::Unknown => model.bind_outside(library.sink, call),
    }
}

struct LibraryCall<'a, 'm, S> {
    model: &'a Model<'m>,
    sink: &'a mut S,
    call: &'a CallInfo,
}

impl<S: Sink> LibraryCall<'_, '_, S> {
    fn arg(&self, index: usize) -> Option<NodeId> {
        self.call.args.get(index)?.first().copied()
    }

    fn result(&self) -> Option<NodeId> {
        self.call.result.first().copied()
    }

    fn result_is(&mut self, index: usize) {
        if let (Some(from), Some(to)) = (self.arg(index), self.result()) {
            self.sink.copy(from, to);
        }
    }

    /// A number from outside points nowhere, a pointer to whatever is known there.
    fn result_from_outside(&mut self) {
        if !self.model.program.types.is_integer(self.call.result_ty) {
            self.model.result_from_outside(self.sink, self.call);
        }
    }

    /// A function that keeps no pointer.
    fn standard(&mut self, name: &str) {
        if stores_end(name)
            && let (Some(text), Some(end)) = (self.arg(0), self.arg(1))
        {
            let found = self.sink.stepped(text, Step::Multiple(1));
            let size = self.model.program.types.target().pointer_size();
            self.sink.store(found, end, size);
        }
        if self.model.program.types.is_pointer(self.call.result_ty) {
            self.result_from_outside();
            for index in 0..self.call.args.len() {
                if let (Some(from), Some(to)) = (self.arg(index), self.result()) {
                    self.sink.copy(from, to);
                    self.sink.step(from, Step::Multiple(1), to);
                }
            }
        }
    }

    fn allocate(&mut self, kind: AllocKind) {
        let objects = self.model.allocators.made_by(self.call.site);
        let new = self.sink.fresh();
        new_objects(self.model, self.sink, objects, new);
        if let Some(to) = self.result() {
            self.sink.copy(new, to);
        }
        if let (AllocKind::Realloc | AllocKind::Duplicate, Some(old)) = (kind, self.arg(0)) {
            let ty = self.element_type(&[0]);
            self.copy_elements(old, new, ty);
        }
    }

    /// The type of what a pointer argument points to, as the program has it before it is
    /// converted to `void *`; bytes if nothing is known.
    fn element_type(&self, arguments: &[usize]) -> TypeId {
        let program = self.model.program;
        let types = &program.types;
        let known = arguments.iter().filter_map(|&i| {
            let mut expr: ExprId = *self.call.exprs.get(i)?;
            while let ExprKind::Cast(inner) = program.exprs.expr(expr).kind {
                if !types.is_pointer(program.expr_ty(inner)) {
                    break;
                }
                expr = inner;
            }
            let pointee = types.pointee(program.expr_ty(expr))?;
            (types.size(pointee) > 1 && types.signature(pointee).is_none()).then_some(pointee)
        });
        known.max_by_key(|&ty| types.size(ty)).unwrap_or(Types::U8)
    }

    fn constant(&self, argument: usize) -> Option<u64> {
        let expr = *self.call.exprs.get(argument)?;
        u64::try_from(self.model.program.as_int(expr)?).ok()
    }

    /// Copies any number of elements.
    fn copy_elements(&mut self, from: NodeId, to: NodeId, ty: TypeId) {
        let size = self.model.program.types.size(ty).max(1);
        let from = self.sink.stepped(from, Step::Multiple(size));
        let to = self.sink.stepped(to, Step::Multiple(size));
        self.copy_value(from, to, ty);
    }

    /// Copies one value of a type.
    fn copy_value(&mut self, from: NodeId, to: NodeId, ty: TypeId) {
        for leaf in self.model.leaves.of(ty).iter() {
            let (mut source, mut target) = (from, to);
            for &step in &leaf.steps {
                source = self.sink.stepped(source, step);
                target = self.sink.stepped(target, step);
            }
            let value = self.sink.fresh();
            self.sink.load(source, leaf.bytes, value);
            self.sink.store(value, target, leaf.bytes);
        }
    }

    fn copy(&mut self, name: &str) {
        let (to, from) = if name == "bcopy" { (1, 0) } else { (0, 1) };
        let (Some(to_node), Some(from_node)) = (self.arg(to), self.arg(from)) else { return };
        let ty = self.element_type(&[0, 1]);
        if self.constant(2) == Some(self.model.program.types.size(ty)) {
            self.copy_value(from_node, to_node, ty);
        } else {
            self.copy_elements(from_node, to_node, ty);
        }
        match name {
            "bcopy" => {}
            "mempcpy" => self.found_in_first(),
            _ => self.result_is(0),
        }
    }

    /// A pointer somewhere into the string or bytes of the first argument.
    fn found_in_first(&mut self) {
        if let (Some(from), Some(to)) = (self.arg(0), self.result()) {
            self.sink.step(from, Step::Multiple(1), to);
        }
    }

    fn gives_number(&self) -> bool {
        !self.model.program.types.is_pointer(self.call.result_ty)
    }

    /// A function that looks at bytes: a pointer into the first of them, or a number that depends
    /// on what they are (`memcmp` of pointers), but not on where they lie.
    fn read_bytes(&mut self) {
        if !self.gives_number() {
            return self.found_in_first();
        }
        let Some(to) = self.result() else { return };
        for index in 0..self.call.args.len() {
            let Some(from) = self.arg(index) else { continue };
            let from = self.sink.stepped(from, Step::Multiple(1));
            let value = self.sink.fresh();
            self.sink.load(from, 1, value);
            self.sink.step(value, Step::Anywhere, to);
        }
    }

    fn write_text(&mut self, name: &str) {
        let Some(to) = self.arg(0) else { return };
        let to = self.sink.stepped(to, Step::Multiple(1));
        for index in 1..self.call.args.len() {
            let Some(from) = self.arg(index) else { continue };
            let from = self.sink.stepped(from, Step::Multiple(1));
            let value = self.sink.fresh();
            self.sink.load(from, 1, value);
            self.sink.store(value, to, 1);
        }
        match name {
            "strcpy" | "strncpy" | "strcat" | "strncat" => self.result_is(0),
            // How many characters were written tells no address.
            _ if self.gives_number() => {}
            _ => self.found_in_first(),
        }
    }

    /// Functions of numbers, and `__builtin_expect` and its kin, which give back an argument.
    fn pure(&mut self) {
        let Some(to) = self.result() else { return };
        self.result_is(0);
        for index in 0..self.call.args.len() {
            if let Some(from) = self.arg(index) {
                self.sink.step(from, Step::Anywhere, to);
            }
        }
    }

    /// Whatever the operation is: the operands, unless they say where values are, and what is behind them may end up
    /// behind the first argument and in the result, and what was there behind the others.
    fn atomic(&mut self, name: &str) {
        let is_place = |index| match name {
            "__atomic_load"
            | "__atomic_store"
            | "__atomic_exchange"
            | "__atomic_compare_exchange" => true,
            "__atomic_compare_exchange_n" => index == 1,
            _ => false,
        };
        let Some(target) = self.arg(0) else { return };
        let types = &self.model.program.types;
        let pointee =
            self.call.exprs.first().and_then(|&e| types.pointee(self.model.program.expr_ty(e)));
        let bytes = pointee.map_or(16, |ty| types.size(ty).max(1));
        let old = self.sink.fresh();
        self.sink.load(target, bytes, old);
        self.sink.step(old, Step::Anywhere, old);
        self.sink.store(old, target, bytes);
        if let Some(to) = self.result() {
            self.sink.copy(old, to);
        }
        for index in 1..self.call.args.len() {
            let Some(operand) = self.arg(index) else { continue };
            if !is_place(index) {
                self.sink.store(operand, target, bytes);
                if let Some(to) = self.result() {
                    self.sink.copy(operand, to);
                }
            }
            let behind = self.sink.fresh();
            self.sink.load(operand, bytes, behind);
            self.sink.store(behind, target, bytes);
            self.sink.store(old, operand, bytes);
        }
    }

    fn call_back(&mut self, name: &str) {
        // Which arguments are the array, the size of its elements, and the function.
        let (array, function) = match name {
            "qsort" => (Some((0, 2)), 3),
            "bsearch" | "lfind" => (Some((1, 3)), 4),
            "atexit" => (None, 0),
            _ => {
                self.model.bind_outside(self.sink, self.call);
                return;
            }
        };
        let Some(function) = self.arg(function) else { return };
        let mut args = Vec::new();
        if let Some((index, size)) = array {
            let Some(base) = self.arg(index) else { return };
            let declared = self.element_type(&[index]);
            let bytes = self.model.program.types.size(declared).max(1);
            let agrees = self.constant(size).is_some_and(|size| size.is_multiple_of(bytes));
            let (ty, bytes) = if agrees { (declared, bytes) } else { (Types::U8, 1) };
            let element = self.sink.stepped(base, Step::Multiple(bytes));
            if index == 0 {
                self.copy_elements(base, base, ty);
                args = vec![vec![element], vec![element]];
            } else {
                args = vec![self.call.args[0].clone(), vec![element]];
                if let Some(to) = self.result() {
                    self.sink.copy(element, to);
                }
            }
        }
        let site = self.call.site;
        let call =
            CallInfo { site, args, exprs: [].into(), result: Vec::new(), result_ty: Types::VOID };
        self.sink.call(function, Rc::new(call));
    }
}
