//! Where objects lie: fixed addresses, far enough apart that a pointer behind one object is not one
//! to the next.
//!
//! Formulas of certificates may compare pointers with numbers, so the addresses are part of what a
//! certificate means: functions, then static variables, each in the order of the model, at
//! multiples of 16 with at least 16 free bytes behind each; allocated objects are handed out in
//! growing order from the start of the heap on; local variables have one fixed address each,
//! because no function is open twice where this is used. Objects of the environment have a range
//! of their own.

use gnomon_ir::arena::Id;
use gnomon_ir::program::{FuncId, Program, Storage, VarId};
use gnomon_ir::types::{Target, Type, TypeId};

const GRAIN: u64 = 16;

/// The addresses of a program.
#[derive(Clone, Debug)]
pub struct Layout {
    functions: Vec<u64>,
    variables: Vec<u64>,
    /// The first address that is handed out.
    pub heap_start: u64,
    /// Behind the last one.
    pub heap_end: u64,
    /// Where the objects of the environment lie, and nothing else.
    pub outside: (u64, u64),
}

impl Layout {
    /// `None` if the variables do not fit.
    pub fn new(program: &Program) -> Option<Self> {
        let [code, statics, heap, stack, end]: [u64; 5] = match program.types.target() {
            Target::Ilp32 => [0x0804_8000, 0x1000_0000, 0x4000_0000, 0xc000_0000, 0xffff_0000],
            Target::Lp64 => {
                [0x40_0000, 0x1_0000_0000, 0x1000_0000_0000, 0x4000_0000_0000, 0x7fff_ffff_0000]
            }
        };
        let (outside, last_static) = match program.types.target() {
            Target::Ilp32 => ((0x1_0000, code), heap),
            Target::Lp64 => ((0x800_0000_0000, heap), 0x800_0000_0000),
        };
        let (mut next_function, mut next_static, mut next_local) = (code, statics, stack);
        let mut functions = Vec::new();
        for _ in program.funcs.ids() {
            functions.push(take(&mut next_function, 1, GRAIN, statics)?);
        }
        let mut variables = Vec::new();
        for (id, var) in program.vars.iter_ids() {
            let is_apart = program.extents == Some(id);
            let size = if is_apart { 0 } else { program.types.size(var.ty) };
            let align = align(program, var.ty);
            variables.push(match var.storage {
                Storage::Static { .. } => take(&mut next_static, size, align, last_static)?,
                Storage::Param(_) | Storage::Local(_) => take(&mut next_local, size, align, end)?,
            });
        }
        Some(Self { functions, variables, heap_start: heap, heap_end: stack, outside })
    }

    /// The address of a function.
    pub fn function(&self, func: FuncId) -> u64 {
        self.functions[func.index()]
    }

    /// The address of a variable.
    pub fn variable(&self, var: VarId) -> u64 {
        self.variables[var.index()]
    }

    /// The addresses that an object takes, with what stays free behind it.
    pub fn room(size: u64) -> u64 {
        size.max(1).saturating_add(2 * GRAIN - 1) & !(GRAIN - 1)
    }
}

fn take(next: &mut u64, size: u64, align: u64, limit: u64) -> Option<u64> {
    let base = next.checked_next_multiple_of(align)?;
    *next = base.checked_add(Layout::room(size))?;
    (*next <= limit).then_some(base)
}

fn align(program: &Program, ty: TypeId) -> u64 {
    match *program.types.get(ty) {
        Type::Record(record) => program.types.record(record).align.max(GRAIN),
        Type::Array { elem, .. } => align(program, elem),
        _ => GRAIN,
    }
}
