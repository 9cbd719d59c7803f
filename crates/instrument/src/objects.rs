//! Which allocated objects live, as variables of the program that checks keep and ask.
//!
//! An edge that is taken at most once makes at most one object: two variables say where it begins
//! and how large it is. All others share one array by address ([`Program::extents`]). So a proof
//! about such a program needs no notion of objects, and neither do its checker and its readers.
//!
//! CBMC chooses one object that was freed and one that was allocated, at any time, and compares with
//! them (`__CPROVER_dead_object`); that is one variable for all, but says nothing of a pointer that
//! was never written. The variables here say where an access is right, not where it is wrong.

use std::collections::BTreeMap;

use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId};
use gnomon_ir::library::{AllocKind, Library, classify};
use gnomon_ir::program::{FuncId, Initializer, Program, Storage, Var, VarId, source_name};
use gnomon_ir::span::Span;
use gnomon_ir::types::{Target, TypeId, Types};

use crate::pointers::{Object, Pointers};

/// How objects are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// They live until they are freed.
    Heap,
    /// They live as long as the function.
    Stack,
}

/// Where the objects of an edge are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// There is one at most: where it begins, null if it does not live; and its size, unless that is
    /// a constant.
    One(VarId, Option<VarId>),
    /// In the array of all.
    Many,
}

/// An edge that allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// How.
    pub made: Made,
    /// The size of all its objects, if it is a constant.
    pub size: Option<u64>,
    /// Whether the size is known when it is allocated.
    pub is_sized: bool,
    /// Where they are remembered.
    pub kept: Kept,
}

/// All edges that allocate.
#[derive(Clone, Debug, Default)]
pub struct Allocations {
    by_edge: BTreeMap<(FuncId, EdgeId), Allocation>,
    /// The number of objects that live, if somebody asks.
    pub living: Option<VarId>,
}

/// What an operation allocates.
pub fn allocates(program: &Program, op: &Op) -> Option<AllocKind> {
    match op {
        Op::Alloca { .. } => Some(AllocKind::Alloca),
        Op::Call(Call { callee: Callee::Direct(func), .. }) => match library(program, *func) {
            Some(Library::Alloc(kind)) => Some(kind),
            _ => None,
        },
        _ => None,
    }
}

/// What a function without a body is.
pub fn library(program: &Program, func: FuncId) -> Option<Library> {
    let function = &program.funcs[func];
    let name = source_name(&function.name);
    function.body.is_none().then(|| classify(name, program.types.target()))
}

/// The size that an operation asks for, if it says one.
pub fn asked_size(program: &mut Program, op: &Op) -> Option<ExprId> {
    let kind = allocates(program, op)?;
    let bytes = bytes_type(program);
    match (op, kind) {
        (Op::Alloca { size, .. }, _) => Some(program.cast(bytes, *size)),
        (Op::Call(call), AllocKind::Calloc) => {
            let &[count, each] = &call.args[..] else { return None };
            let (count, each) = (program.cast(bytes, count), program.cast(bytes, each));
            Some(program.binary(BinaryOp::Mul, count, each))
        }
        (Op::Call(call), AllocKind::Malloc | AllocKind::Alloca) => {
            call.args.first().map(|&size| program.cast(bytes, size))
        }
        (Op::Call(call), AllocKind::Realloc | AllocKind::Aligned) => {
            call.args.get(1).map(|&size| program.cast(bytes, size))
        }
        _ => None,
    }
}

/// The type of sizes here.
pub fn bytes_type(program: &mut Program) -> TypeId {
    program.types.int(64, false)
}

/// The type of pointers to bytes.
pub fn byte_pointer(program: &mut Program) -> TypeId {
    let byte = program.types.int(8, true);
    program.types.pointer(byte)
}

/// A new variable of the whole program that is zero at first.
fn static_variable(program: &mut Program, name: String, ty: TypeId) -> VarId {
    let storage = Storage::Static {
        init: Some(Initializer::default()),
        thread_local: false,
        read_only: false,
    };
    program.vars.push(Var { name, ty, storage, address_taken: false, span: Span::NONE })
}

impl Allocations {
    /// Finds the edges, and makes the variables.
    pub fn new(program: &mut Program, pointers: &dyn Pointers, counted: bool) -> Self {
        let mut found = Vec::new();
        for (func, function) in program.funcs.iter_ids() {
            for (edge, what) in function.body.iter().flat_map(|body| body.edges().iter_ids()) {
                if let Some(kind) = allocates(program, &what.op) {
                    found.push((func, edge, kind, what.op.clone()));
                }
            }
        }
        let (pointer, bytes) = (byte_pointer(program), bytes_type(program));
        let mut all = Self::default();
        for (func, edge, kind, op) in found {
            let asked = asked_size(program, &op);
            let size = asked.and_then(|e| program.as_int(e)).and_then(|n| u64::try_from(n).ok());
            let made = if kind == AllocKind::Alloca { Made::Stack } else { Made::Heap };
            let kept = match pointers.at_most_once(func, edge) {
                true => {
                    let number = all.by_edge.len();
                    let base = static_variable(program, format!(".base{number}"), pointer);
                    let counted = asked.is_some() && size.is_none();
                    let size =
                        counted.then(|| static_variable(program, format!(".size{number}"), bytes));
                    Kept::One(base, size)
                }
                false => {
                    all.many(program);
                    Kept::Many
                }
            };
            let allocation = Allocation { made, size, is_sized: asked.is_some(), kept };
            all.by_edge.insert((func, edge), allocation);
        }
        if counted && !all.by_edge.is_empty() {
            let number = program.types.int(64, true);
            all.living = Some(static_variable(program, ".living".to_owned(), number));
        }
        all
    }

    /// Makes the array of all objects, unless it is there.
    fn many(&self, program: &mut Program) {
        if program.extents.is_none() {
            let addresses = match program.types.target() {
                Target::Ilp32 => 1 << 32,
                Target::Lp64 => 1 << 47,
            };
            let bytes = bytes_type(program);
            let array = program.types.array(bytes, addresses);
            program.extents = Some(static_variable(program, ".extents".to_owned(), array));
        }
    }

    /// The allocation of an edge.
    pub fn of(&self, func: FuncId, edge: EdgeId) -> Option<&Allocation> {
        self.by_edge.get(&(func, edge))
    }

    /// The objects of edges that make several.
    pub fn shared(&self) -> impl Iterator<Item = Object> {
        let many = self.by_edge.iter().filter(|(_, allocation)| allocation.kept == Kept::Many);
        many.map(|(&(func, edge), _)| Object::Allocated(func, edge))
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Allocation> {
        self.by_edge.values()
    }
}

/// The element of the array of all objects for a pointer.
pub fn extent(program: &mut Program, pointer: ExprId) -> Option<gnomon_ir::expr::PlaceId> {
    let extents = program.extents?;
    let address = program.types.size_type();
    let address = program.cast(address, pointer);
    let bytes = bytes_type(program);
    let address = program.cast(bytes, address);
    let array = program.var_place(extents);
    Some(program.index(array, address))
}

/// A pointer moved by a constant number of bytes.
pub fn moved(program: &mut Program, pointer: ExprId, bytes: i128) -> ExprId {
    if bytes == 0 {
        return pointer;
    }
    let distance = program.types.ptrdiff_type();
    let bytes = program.int(distance, bytes);
    program.ptr_add(pointer, bytes)
}

/// The truth value of what always holds.
pub fn always(program: &mut Program) -> ExprId {
    program.int(Types::I32, 1)
}
