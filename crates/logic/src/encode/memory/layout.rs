//! Where objects lie.
//!
//! Functions and static variables have the addresses that the interpreter gives them, and
//! allocation hands out addresses as the interpreter does ([`Layout::room`]): what a program learns
//! from addresses is the same in formulas and in runs, as far as it can be. Local variables of
//! functions that do not call themselves have fixed addresses too (in the interpreter those depend
//! on the calls that are open). All objects lie at least 16 bytes apart, so that a pointer just
//! behind one is not one to the next; address 0 and those near it stay free. The objects of the
//! environment have a range of their own, in which nothing else lies.

use gnomon_ir::arena::Id;
use gnomon_ir::program::{FuncId, Program, Storage, VarId};
use gnomon_ir::types::{Target, Type, TypeId};

/// Distance between objects, and the alignment that every object has.
const GRAIN: u64 = 16;

/// The addresses of what has a fixed one, and the part of the address space for the rest.
#[derive(Clone, Debug)]
pub struct Layout {
    functions: Vec<u64>,
    variables: Vec<u64>,
    /// The first address that is handed out.
    pub(super) heap_start: u64,
    /// Behind the last one.
    pub(super) heap_end: u64,
    /// Where the objects of the environment lie.
    pub(super) outside: (u64, u64),
}

impl Layout {
    /// `None` if the variables do not fit into the address space.
    pub fn new(program: &Program) -> Option<Self> {
        // Functions, static variables, heap, stack: as the interpreter has them.
        let [code, statics, heap, stack, end] = match program.types.target() {
            Target::Ilp32 => [0x0804_8000, 0x1000_0000, 0x4000_0000, 0xc000_0000, 0xffff_0000],
            Target::Lp64 => {
                [0x40_0000, 0x1_0000_0000, 0x1000_0000_0000, 0x4000_0000_0000, 0x7fff_ffff_0000_u64]
            }
        };
        // What nobody else uses.
        let outside = match program.types.target() {
            Target::Ilp32 => (0x1_0000, code),
            Target::Lp64 => (0x800_0000_0000, heap),
        };
        let last_static = if outside.1 == heap { outside.0 } else { heap };
        let mut next = code;
        let functions = program
            .funcs
            .ids()
            .map(|_| place(&mut next, 1, GRAIN, statics))
            .collect::<Option<Vec<u64>>>()?;
        let (mut next_static, mut next_local) = (statics, stack);
        let variables = program
            .vars
            .iter_ids()
            .map(|(id, var)| {
                let is_apart = program.extents == Some(id);
                let size = if is_apart { 0 } else { program.types.size(var.ty) };
                let align = alignment(program, var.ty);
                match var.storage {
                    Storage::Static { .. } => place(&mut next_static, size, align, last_static),
                    Storage::Param(_) | Storage::Local(_) => {
                        place(&mut next_local, size, align, end)
                    }
                }
            })
            .collect::<Option<Vec<u64>>>()?;
        Some(Self { functions, variables, heap_start: heap, heap_end: stack, outside })
    }

    /// The address of a function.
    pub fn function(&self, func: FuncId) -> u64 {
        self.functions[func.index()]
    }

    /// The address of a variable, if it has a fixed one.
    pub fn variable(&self, var: VarId) -> u64 {
        self.variables[var.index()]
    }

    /// The first address that allocation hands out.
    pub fn first_allocated(&self) -> u64 {
        self.heap_start
    }

    /// The addresses that an object of a size takes, with the distance to the next.
    pub fn room(size: u64) -> u64 {
        size.max(1).saturating_add(2 * GRAIN - 1) & !(GRAIN - 1)
    }
}

fn place(next: &mut u64, size: u64, align: u64, limit: u64) -> Option<u64> {
    let base = next.checked_next_multiple_of(align)?;
    *next = base.checked_add(Layout::room(size))?;
    (*next <= limit).then_some(base)
}

fn alignment(program: &Program, mut ty: TypeId) -> u64 {
    while let Type::Array { elem, .. } = *program.types.get(ty) {
        ty = elem;
    }
    program.types.as_record(ty).map_or(GRAIN, |(_, record)| record.align.max(GRAIN))
}
