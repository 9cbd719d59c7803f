//! Variables of the program as variables of the logic.
//!
//! A variable whose address is never taken is reached only by its name, so each scalar in it can be
//! a logical variable of its own: a record is split into its fields, and an array of records into
//! one array for each field. A *cell* is such a scalar, or array of scalars, named by the way from
//! the program's variable to it. Unions, whose members overlap, are not split.

use super::scalar::sort_of;
use super::{NotEncoded, Theory};
use crate::term::{Scope, Sort, Terms, Variable};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{FuncId, Program, Storage, VarId};
use gnomon_ir::types::{BitField, RecordKind, Type, TypeId};
use rustc_hash::FxHashMap;

/// Where a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Root {
    /// In a variable.
    Var(VarId),
    /// In the value that a function returns.
    Return(FuncId),
}

/// One step from the root to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Into the field of that number.
    Field(u32),
    /// Into the elements.
    Element,
}

/// A scalar, or an array of scalars, in a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The variable of the logic.
    pub variable: Variable,
    /// The type of the scalars.
    pub scalar: Scalar,
    /// The bits it has, if it is a bit-field.
    pub bit_field: Option<BitField>,
}

/// The cells seen so far.
#[derive(Debug, Default)]
pub struct Cells {
    by_way: FxHashMap<(Root, Vec<Step>), Cell>,
}

/// Something in a variable: the way to it, and what it is.
#[derive(Clone, Debug)]
pub struct Part {
    /// Where the way begins.
    pub root: Root,
    /// The way.
    pub way: Vec<Step>,
    /// The type of what is there.
    pub ty: TypeId,
    /// The bits it has, if it is a bit-field.
    pub bit_field: Option<BitField>,
}

impl Part {
    /// All of a root.
    pub fn whole(root: Root, ty: TypeId) -> Self {
        Self { root, way: Vec::new(), ty, bit_field: None }
    }

    fn inner(&self, step: Step, ty: TypeId, bit_field: Option<BitField>) -> Self {
        let mut way = self.way.clone();
        way.push(step);
        Self { root: self.root, way, ty, bit_field }
    }
}

impl Cells {
    /// The cells of all scalars in a part, each with its whole way, in the order of declaration.
    pub fn of(
        &mut self,
        terms: &mut Terms,
        program: &Program,
        theory: Theory,
        part: &Part,
    ) -> Result<Vec<(Vec<Step>, Cell)>, NotEncoded> {
        let mut found = Vec::new();
        let mut pending = vec![part.clone()];
        while let Some(part) = pending.pop() {
            match *program.types.get(part.ty) {
                Type::Array { elem, .. } => pending.push(part.inner(Step::Element, elem, None)),
                Type::Record(record) => {
                    let record = program.types.record(record);
                    if record.kind == RecordKind::Union {
                        return Err(NotEncoded::Union(record.name.clone()));
                    }
                    // The last field first, so that they are popped in order.
                    for (number, field) in record.fields.iter().enumerate().rev() {
                        let step = Step::Field(number as u32);
                        pending.push(part.inner(step, field.ty, field.bits));
                    }
                }
                _ => {
                    let Some(scalar) = program.types.scalar(part.ty) else {
                        return Err(NotEncoded::Type(format!("{:?}", program.types.get(part.ty))));
                    };
                    let cell = self.cell(terms, program, theory, &part, scalar);
                    found.push((part.way, cell));
                }
            }
        }
        Ok(found)
    }

    fn cell(
        &mut self,
        terms: &mut Terms,
        program: &Program,
        theory: Theory,
        part: &Part,
        scalar: Scalar,
    ) -> Cell {
        let key = (part.root, part.way.clone());
        if let Some(cell) = self.by_way.get(&key) {
            return cell.clone();
        }
        let (name, scope) = name_of(program, part.root, &part.way);
        let index = index_sort(theory);
        let mut sort = sort_of(theory, scalar);
        for _ in part.way.iter().filter(|s| **s == Step::Element) {
            sort = terms.array_sort(index, sort);
        }
        let variable = terms.variable(&name, scope, sort);
        let cell = Cell { variable, scalar, bit_field: part.bit_field };
        self.by_way.insert(key, cell.clone());
        cell
    }
}

/// The sort of array indices.
pub fn index_sort(theory: Theory) -> Sort {
    match theory {
        Theory::Int => Sort::Int,
        Theory::Bits => Sort::BitVec(INDEX_BITS),
    }
}

/// Width of array indices in the theory Bits: every index of the model fits.
pub const INDEX_BITS: u32 = 64;

fn name_of(program: &Program, root: Root, way: &[Step]) -> (String, Scope) {
    let (mut name, scope, mut ty) = match root {
        Root::Var(var) => {
            let info = &program.vars[var];
            let scope = match info.storage {
                Storage::Static { .. } => Scope::Global,
                Storage::Param(f) | Storage::Local(f) => Scope::Function(f.0),
            };
            (info.name.clone(), scope, Some(info.ty))
        }
        Root::Return(func) => {
            let function = &program.funcs[func];
            let result = program.types.signature(function.ty).map(|s| s.result);
            // The value crosses the border of the function: its callers see it too.
            (format!("{}()", function.name), Scope::Global, result)
        }
    };
    for step in way {
        match (step, ty.map(|t| program.types.get(t))) {
            (Step::Field(number), Some(Type::Record(record))) => {
                let field = program.types.record(*record).fields.get(*number as usize);
                match field {
                    Some(f) if !f.name.is_empty() => {
                        name.push('.');
                        name.push_str(&f.name);
                    }
                    // Anonymous: the number keeps names apart.
                    _ => name.push_str(&format!(".{number}")),
                }
                ty = field.map(|f| f.ty);
            }
            (Step::Element, Some(Type::Array { elem, .. })) => {
                name.push_str("[]");
                ty = Some(*elem);
            }
            _ => ty = None,
        }
    }
    (name, scope)
}
