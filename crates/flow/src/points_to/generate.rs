//! From the program to constraints.
//!
//! Expressions are hash-consed and variables are unique in the program, so every expression and
//! every place has one operand: where its value (or its address) comes from. Expressions are taken
//! in the order of their ids, in which parts come before the whole.
//!
//! Numbers hold pointers too: a pointer that went through an integer, or byte by byte, is still
//! one. What is computed from it may point anywhere into its object.

use std::collections::BTreeSet;
use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, InitItem, Program, Storage};
use gnomon_ir::types::{Type, TypeId, Types};

use super::allocators::{Allocators, site};
use super::binding::{Interface, Model, flow_parts};
use super::layout::Leaf;
use super::leaves::LeavesOfTypes;
use super::library::new_objects;
use super::objects::{ObjectId, ObjectKind, Objects};
use super::sink::{CallInfo, NodeId, Sink};
use super::spot::{Spot, Step};

/// Where a value or an address comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// It points nowhere.
    Nothing,
    /// It is this address.
    Address(ObjectId, Spot),
    /// It is what the node holds.
    Node(NodeId),
}

/// The operands of expressions and places of a program, by their ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operands {
    exprs: Vec<Operand>,
    places: Vec<Option<Operand>>,
}

impl Operands {
    /// Of the value of an expression, if it was there when the program was analysed.
    pub(crate) fn value(&self, expr: ExprId) -> Option<Operand> {
        self.exprs.get(expr.0 as usize).copied()
    }

    /// Of the address of a place, if it was asked for.
    pub(crate) fn address(&self, place: PlaceId) -> Option<Operand> {
        self.places.get(place.0 as usize).copied().flatten()
    }
}

/// The nodes of functions; further nodes are made for results.
pub(crate) fn model<'a>(
    program: &'a Program,
    objects: &'a Objects,
    allocators: &'a Allocators,
    sink: &mut impl Sink,
) -> Model<'a> {
    let leaves = LeavesOfTypes::new(program);
    let cells = |object: ObjectId| objects.cells(object).map(|cell| NodeId(cell.0)).collect();
    let interfaces = program.funcs.iter_ids().map(|(id, function)| {
        if function.body.is_none() {
            return Interface::default();
        }
        let result = program.types.signature(function.ty).map(|s| s.result);
        let parts = match result {
            None | Some(Types::VOID) => 0,
            Some(ty) => leaves.of(ty).len(),
        };
        let further = objects.find(ObjectKind::VarArgs(id));
        Interface {
            params: function.params.iter().map(|&p| cells(objects.variable(p))).collect(),
            result: (0..parts).map(|_| sink.fresh()).collect(),
            further: further.and_then(|object| objects.cells(object).next()).map(|c| NodeId(c.0)),
        }
    });
    let interfaces = interfaces.collect();
    Model { program, objects, allocators, leaves, interfaces }
}

/// What an earlier solution showed that constraints have to say besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Further {
    /// Pointers that are followed and were found to point nowhere: they are taken to come from
    /// outside.
    pub from_outside: BTreeSet<ExprId>,
    /// Differences of pointers to different objects, and pointers that are moved by numbers which
    /// are addresses: they hold the addresses.
    pub crossing: BTreeSet<ExprId>,
}

/// Gives all constraints of the program to a sink.
pub(crate) fn generate(
    model: &Model<'_>,
    sink: &mut impl Sink,
    entries: &[FuncId],
    further: &Further,
    budget: &Budget,
) -> Result<Operands, Exhausted> {
    let program = model.program;
    let places = vec![None; program.exprs.place_count()];
    let operands = Operands { exprs: Vec::with_capacity(program.exprs.expr_count()), places };
    let mut generator = Generator { model, program, sink, operands, all_escaped: false };
    generator.sink.address(Objects::OUTSIDE, Spot::Any, NodeId::OUTSIDE);
    for number in 0..program.exprs.expr_count() {
        budget.check()?;
        let expr = ExprId(number as u32);
        let mut operand = generator.expr(expr);
        if further.crossing.contains(&expr) {
            operand = generator.crossing(expr, operand);
        }
        if further.from_outside.contains(&expr) {
            let node = generator.sink.fresh();
            generator.flow(operand, node);
            generator.sink.copy(NodeId::OUTSIDE, node);
            operand = Operand::Node(node);
        }
        generator.operands.exprs.push(operand);
    }
    generator.variables(budget)?;
    for &entry in entries {
        model.bind_from_outside(generator.sink, entry);
    }
    for (func, function) in program.funcs.iter_ids() {
        for (edge, found) in function.body.iter().flat_map(|body| body.edges().iter_ids()) {
            budget.check()?;
            generator.operation(func, edge, &found.op);
        }
    }
    Ok(generator.operands)
}

struct Generator<'a, 'm, S> {
    model: &'a Model<'m>,
    program: &'a Program,
    sink: &'a mut S,
    operands: Operands,
    all_escaped: bool,
}

/// How many bytes an access to a place touches.
pub(crate) fn access_bytes(program: &Program, place: PlaceId) -> u64 {
    let found = program.exprs.place(place);
    if let PlaceKind::Field(base, number) = found.kind
        && let Some((_, record)) = program.types.as_record(program.place_ty(base))
        && let Some(field) = record.fields.get(number as usize)
        && let Some(bits) = field.bits
    {
        return (u64::from(bits.shift) + u64::from(bits.width)).div_ceil(8);
    }
    program.types.size(found.ty).max(1)
}

/// The step from the base of a place to the place.
pub(crate) fn place_step(program: &Program, place: PlaceId) -> Option<(PlaceId, Step)> {
    match program.exprs.place(place).kind {
        PlaceKind::Var(_) | PlaceKind::Deref(_) => None,
        PlaceKind::Field(base, number) => {
            let record = program.types.as_record(program.place_ty(base));
            let field = record.and_then(|(_, record)| record.fields.get(number as usize));
            let step = field.map_or(Step::Anywhere, |field| Step::Bytes(field.offset as i64));
            Some((base, step))
        }
        PlaceKind::Index(base, index) => {
            let size = program.types.size(program.place_ty(place));
            let index = program.as_int(index).and_then(|index| i64::try_from(index).ok());
            let step = match *program.types.get(program.place_ty(base)) {
                Type::Array { len, .. } => Step::Element { size, len, index },
                _ => Step::Anywhere,
            };
            Some((base, step))
        }
    }
}

/// How a pointer moves by an index.
pub(crate) fn index_step(program: &Program, pointer: ExprId, index: ExprId) -> Step {
    let pointee = program.types.pointee(program.expr_ty(pointer));
    let size = pointee.map_or(1, |ty| program.types.size(ty));
    let constant = program.as_int(index).and_then(|index| i64::try_from(index).ok());
    match constant.and_then(|index| index.checked_mul(i64::try_from(size).ok()?)) {
        Some(bytes) => Step::Move(bytes),
        None => Step::Multiple(size),
    }
}

/// What the parts of a computed value contribute to where it may point.
pub(crate) enum Computed {
    /// Nothing: truth values, small remainders, floating point.
    Nothing,
    /// The part's own targets.
    Same(ExprId),
    /// Anywhere in the objects that the parts point into.
    Mixed([Option<ExprId>; 2]),
}

/// Masks and moduli up to this only look at how an address is aligned, if it is a pointer just now
/// converted; single bits of a number that is shifted may be put together again.
const ALIGNMENT: u128 = 4096;

/// Whether a number is a pointer just now converted.
fn is_converted(program: &Program, e: ExprId) -> bool {
    match program.exprs.expr(e).kind {
        ExprKind::Cast(inner) => {
            program.types.is_pointer(program.expr_ty(inner)) || is_converted(program, inner)
        }
        _ => false,
    }
}

/// What an operation on numbers makes of pointers.
pub(crate) fn computed(program: &Program, expr: ExprId) -> Computed {
    let found = program.exprs.expr(expr);
    let number = |e: ExprId| {
        let ty = program.expr_ty(e);
        !program.types.is_float(ty)
    };
    if matches!(program.types.get(found.ty), Type::Bool | Type::Float(_)) {
        return Computed::Nothing;
    }
    match found.kind {
        ExprKind::Unary(_, a) => Computed::Mixed([Some(a), None]),
        ExprKind::Cast(a) if number(a) => Computed::Same(a),
        ExprKind::Binary(op, ..) if op.is_comparison() => Computed::Nothing,
        ExprKind::Binary(BinaryOp::BitAnd, a, b)
            if program.exprs.const_bits(b).is_some_and(|bits| bits < ALIGNMENT)
                && is_converted(program, a) =>
        {
            Computed::Nothing
        }
        ExprKind::Binary(BinaryOp::Rem, a, b)
            if program.exprs.const_bits(b).is_some_and(|bits| bits <= ALIGNMENT)
                && is_converted(program, a) =>
        {
            Computed::Nothing
        }
        // How far a number is shifted or what it is divided by has no part in its address.
        ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Div | BinaryOp::Rem, a, _) => {
            Computed::Mixed([Some(a), None])
        }
        ExprKind::Binary(_, a, b) => Computed::Mixed([Some(a), Some(b)]),
        _ => Computed::Nothing,
    }
}

impl<S: Sink> Generator<'_, '_, S> {
    fn value(&self, expr: ExprId) -> Operand {
        self.operands.exprs[expr.0 as usize]
    }

    fn flow(&mut self, from: Operand, to: NodeId) {
        match from {
            Operand::Nothing => {}
            Operand::Address(object, spot) => self.sink.address(object, spot, to),
            Operand::Node(from) => self.sink.copy(from, to),
        }
    }

    fn stepped(&mut self, from: Operand, step: Step) -> Operand {
        match (from, step) {
            (Operand::Nothing, _) => Operand::Nothing,
            (Operand::Node(_), Step::Bytes(0) | Step::Move(0)) => from,
            (Operand::Node(from), step) => Operand::Node(self.sink.stepped(from, step)),
            (Operand::Address(object, spot), step) => {
                let layout = self.model.objects.layout_of(object);
                Operand::Address(object, spot.step(layout, step))
            }
        }
    }

    fn expr(&mut self, expr: ExprId) -> Operand {
        let found = self.program.exprs.expr(expr);
        match found.kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::PtrDiff(..) => Operand::Nothing,
            ExprKind::FuncAddr(func) => {
                Operand::Address(self.model.objects.function(func), Spot::Exact(0))
            }
            ExprKind::AddrOf(place) => self.address(place),
            ExprKind::Load(place) => match self.program.types.get(found.ty) {
                Type::Bool | Type::Array { .. } | Type::Record(_) => Operand::Nothing,
                _ => {
                    let address = self.address(place);
                    self.read(address, access_bytes(self.program, place))
                }
            },
            ExprKind::PtrAdd(pointer, index) => {
                let step = index_step(self.program, pointer, index);
                self.stepped(self.value(pointer), step)
            }
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Cast(_) => {
                match computed(self.program, expr) {
                    Computed::Nothing => Operand::Nothing,
                    Computed::Same(part) => self.value(part),
                    Computed::Mixed(parts) => self.mixed(parts),
                }
            }
        }
    }

    /// What a difference of pointers, or a pointer moved by a number, holds besides.
    fn crossing(&mut self, expr: ExprId, known: Operand) -> Operand {
        match self.program.exprs.expr(expr).kind {
            ExprKind::PtrDiff(a, b) => self.mixed([Some(a), Some(b)]),
            ExprKind::PtrAdd(_, index) => {
                let both = self.sink.fresh();
                self.flow(known, both);
                let moved = self.mixed([Some(index), None]);
                self.flow(moved, both);
                Operand::Node(both)
            }
            _ => known,
        }
    }

    fn mixed(&mut self, parts: [Option<ExprId>; 2]) -> Operand {
        let mut values = parts.into_iter().flatten().map(|part| self.value(part));
        let (a, b) = (values.next().unwrap_or(Operand::Nothing), values.next());
        match (a, b.unwrap_or(Operand::Nothing)) {
            (one, Operand::Nothing) | (Operand::Nothing, one) => self.stepped(one, Step::Anywhere),
            (a, b) => {
                let both = self.sink.fresh();
                self.flow(a, both);
                self.flow(b, both);
                Operand::Node(self.sink.stepped(both, Step::Anywhere))
            }
        }
    }

    /// The address of a place.
    fn address(&mut self, place: PlaceId) -> Operand {
        if let Some(known) = self.operands.places[place.0 as usize] {
            return known;
        }
        let operand = match self.program.exprs.place(place).kind {
            PlaceKind::Var(var) => {
                Operand::Address(self.model.objects.variable(var), Spot::Exact(0))
            }
            PlaceKind::Deref(pointer) => self.value(pointer),
            PlaceKind::Field(..) | PlaceKind::Index(..) => match place_step(self.program, place) {
                Some((base, step)) => {
                    let base = self.address(base);
                    self.stepped(base, step)
                }
                None => Operand::Nothing,
            },
        };
        self.operands.places[place.0 as usize] = Some(operand);
        operand
    }

    /// The cells of an address that is known, or `None` if it may be any of the object.
    fn fixed_cells(&self, object: ObjectId, spot: Spot, bytes: u64) -> Vec<NodeId> {
        let objects = self.model.objects;
        let mut cells = Vec::new();
        match spot.cells(objects.layout_of(object), bytes, &mut cells) {
            Some(()) => cells.iter().map(|&cell| NodeId(objects.cell(object, cell).0)).collect(),
            None => objects.cells(object).map(|cell| NodeId(cell.0)).collect(),
        }
    }

    fn read(&mut self, address: Operand, bytes: u64) -> Operand {
        match address {
            Operand::Nothing => Operand::Nothing,
            Operand::Address(object, spot) => match self.fixed_cells(object, spot, bytes)[..] {
                [] => Operand::Nothing,
                [one] => Operand::Node(one),
                ref several => {
                    let to = self.sink.fresh();
                    for &cell in several {
                        self.sink.copy(cell, to);
                    }
                    Operand::Node(to)
                }
            },
            Operand::Node(pointer) => {
                let to = self.sink.fresh();
                self.sink.load(pointer, bytes, to);
                Operand::Node(to)
            }
        }
    }

    fn write(&mut self, value: Operand, address: Operand, bytes: u64) {
        match address {
            Operand::Nothing => {}
            Operand::Address(object, spot) => {
                for cell in self.fixed_cells(object, spot, bytes) {
                    self.flow(value, cell);
                }
            }
            Operand::Node(pointer) => {
                if let Some(from) = self.node(value) {
                    self.sink.store(from, pointer, bytes);
                }
            }
        }
    }

    /// A node that holds the operand's value.
    fn node(&mut self, operand: Operand) -> Option<NodeId> {
        match operand {
            Operand::Nothing => None,
            Operand::Node(node) => Some(node),
            Operand::Address(object, spot) => {
                let node = self.sink.fresh();
                self.sink.address(object, spot, node);
                Some(node)
            }
        }
    }

    fn is_scalar(&self, ty: TypeId) -> bool {
        !matches!(self.program.types.get(ty), Type::Array { .. } | Type::Record(_))
    }

    /// The parts of a value.
    fn parts(&mut self, expr: ExprId) -> Vec<NodeId> {
        let ty = self.program.expr_ty(expr);
        if self.is_scalar(ty) {
            let value = self.value(expr);
            return self.node(value).into_iter().collect();
        }
        let leaves = self.model.leaves.of(ty);
        match self.program.exprs.expr(expr).kind {
            ExprKind::Load(place) => {
                let address = self.address(place);
                leaves.iter().map(|leaf| self.read_leaf(address, leaf)).collect()
            }
            _ => leaves.iter().map(|_| self.sink.fresh()).collect(),
        }
    }

    fn read_leaf(&mut self, address: Operand, leaf: &Leaf) -> NodeId {
        let at = self.leaf_address(address, leaf);
        let value = self.read(at, leaf.bytes);
        self.node(value).unwrap_or_else(|| self.sink.fresh())
    }

    fn leaf_address(&mut self, address: Operand, leaf: &Leaf) -> Operand {
        leaf.steps.iter().fold(address, |at, &step| self.stepped(at, step))
    }

    /// Stores a value given by its parts.
    fn write_parts(&mut self, parts: &[NodeId], place: PlaceId) {
        let ty = self.program.place_ty(place);
        let address = self.address(place);
        if self.is_scalar(ty) {
            for &part in parts {
                self.write(Operand::Node(part), address, access_bytes(self.program, place));
            }
            return;
        }
        let leaves = self.model.leaves.of(ty);
        if leaves.len() == parts.len() {
            for (leaf, &part) in leaves.iter().zip(parts) {
                let at = self.leaf_address(address, leaf);
                self.write(Operand::Node(part), at, leaf.bytes);
            }
        } else {
            for &part in parts {
                self.write_everywhere(Operand::Node(part), place);
            }
        }
    }

    /// Stores a value into each part of a place.
    fn write_everywhere(&mut self, value: Operand, place: PlaceId) {
        let address = self.address(place);
        let leaves = self.model.leaves.of(self.program.place_ty(place));
        for leaf in leaves.iter() {
            let at = self.leaf_address(address, leaf);
            self.write(value, at, leaf.bytes);
        }
    }

    fn variables(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let program = self.program;
        for (id, var) in program.vars.iter_ids() {
            budget.check()?;
            match &var.storage {
                Storage::Static { init: Some(init), .. } => {
                    for item in &init.items {
                        if let InitItem::Value { place, value } = item {
                            self.assign(*place, *value);
                        }
                    }
                }
                Storage::Static { init: None, .. } => {
                    let object = self.model.objects.variable(id);
                    self.sink.address(object, Spot::Any, NodeId::OUTSIDE);
                }
                Storage::Param(_) | Storage::Local(_) => {}
            }
        }
        Ok(())
    }

    fn assign(&mut self, dst: PlaceId, src: ExprId) {
        if self.is_scalar(self.program.place_ty(dst)) {
            let address = self.address(dst);
            self.write(self.value(src), address, access_bytes(self.program, dst));
        } else if !matches!(self.program.exprs.expr(src).kind, ExprKind::Zero) {
            let parts = self.parts(src);
            self.write_parts(&parts, dst);
        }
    }

    fn operation(&mut self, func: FuncId, edge: gnomon_ir::cfa::EdgeId, op: &Op) {
        match op {
            Op::Skip | Op::Assume(_) | Op::Declare(_) | Op::VaEnd(_) | Op::Return(None) => {}
            Op::Assign { dst, src } => self.assign(*dst, *src),
            Op::Call(call) => self.call(func, edge, call),
            Op::Return(Some(value)) => {
                let parts = self.parts(*value);
                flow_parts(self.sink, &parts, &self.model.interface(func).result);
            }
            Op::Havoc(place) => self.havoc(*place),
            Op::HavocMemory => self.everything_escapes(),
            Op::Alloca { dst, .. } => {
                let new = self.sink.fresh();
                let objects = self.model.allocators.made_by(site(func, edge));
                new_objects(self.model, self.sink, objects, new);
                self.write_parts(&[new], *dst);
            }
            Op::VaStart(list) => {
                if let Some(object) = self.model.objects.find(ObjectKind::VarArgs(func)) {
                    self.write_everywhere(Operand::Address(object, Spot::Any), *list);
                }
            }
            Op::VaArg { dst, list } => {
                let from = self.all_parts(*list);
                let value = self.sink.fresh();
                self.sink.load(from, 1, value);
                self.write_everywhere(Operand::Node(value), *dst);
            }
            Op::VaCopy { dst, src } => {
                let from = self.all_parts(*src);
                self.write_everywhere(Operand::Node(from), *dst);
            }
        }
    }

    /// Everything that is in a place.
    fn all_parts(&mut self, place: PlaceId) -> NodeId {
        let address = self.address(place);
        let leaves = self.model.leaves.of(self.program.place_ty(place));
        let all = self.sink.fresh();
        for leaf in leaves.iter() {
            let at = self.leaf_address(address, leaf);
            let value = self.read(at, leaf.bytes);
            self.flow(value, all);
        }
        all
    }

    /// What assembler stores: any number, or any address that it may know.
    fn havoc(&mut self, place: PlaceId) {
        if !self.program.types.is_integer(self.program.place_ty(place)) {
            self.everything_escapes();
            self.write_everywhere(Operand::Node(NodeId::OUTSIDE), place);
        }
    }

    /// Assembler may know every address.
    fn everything_escapes(&mut self) {
        if std::mem::replace(&mut self.all_escaped, true) {
            return;
        }
        for (object, found) in self.model.objects.iter() {
            let known = match found.kind {
                ObjectKind::Variable(var) => self.program.vars[var].address_taken,
                _ => true,
            };
            if known {
                self.sink.address(object, Spot::Any, NodeId::OUTSIDE);
            }
        }
    }

    fn call(&mut self, func: FuncId, edge: gnomon_ir::cfa::EdgeId, call: &Call) {
        let args = call.args.iter().map(|&arg| self.parts(arg)).collect();
        let (result, result_ty) = match call.dst {
            None => (Vec::new(), Types::VOID),
            Some(dst) => {
                let ty = self.program.place_ty(dst);
                let count = if self.is_scalar(ty) { 1 } else { self.model.leaves.of(ty).len() };
                let result: Vec<NodeId> = (0..count).map(|_| self.sink.fresh()).collect();
                self.write_parts(&result, dst);
                (result, ty)
            }
        };
        let info =
            CallInfo { site: site(func, edge), args, exprs: call.args.clone(), result, result_ty };
        match call.callee {
            Callee::Direct(callee) => self.model.bind(self.sink, &info, callee),
            Callee::Indirect(pointer) => {
                let pointer = self.value(pointer);
                if let Some(pointer) = self.node(pointer) {
                    self.sink.call(pointer, Rc::new(info));
                }
            }
        }
    }
}
