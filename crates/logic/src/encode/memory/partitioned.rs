//! Memory as classes of spots: [`Partitioned`].
//!
//! A pointer is its address. Whatever a place may be is known from the alias analysis; each class
//! of memory ([`partition`](super::partition)) that it may be in is one case, told from the others
//! by the address (AFP 6: `*p` is `x` if `p == &x`). A read chooses among the cases; a write
//! changes scalars in the case of their address only, and arrays always: at an address that is not
//! of the class, nobody looks at it.
//!
//! A run ends at an access outside of all objects. So each access gives the fact that its address
//! is valid: for objects with fixed addresses exactly, for the others no more than that the
//! addresses were handed out. (Not known are the bounds of single allocated objects, and which of
//! them were freed.)

use super::collect::{Collected, collect, is_fixed};
use super::layout::Layout;
use super::leaves::UnionMembers;
use super::names::{class_name, scalar_name};
use super::partition::{ClassId, Form, Partition};
use super::patterns::SplitBytes;
use super::pointees::{Pointees, has_union};
use super::recursion::recursive_functions;
use crate::Integer;
use crate::encode::aliases::{Aliases, Object, Target};
use crate::encode::cells::Cell;
use crate::encode::draft::{Draft, Operand};
use crate::encode::interval::Interval;
use crate::encode::scalar::{constant, sort_of, within};
use crate::encode::{NotEncoded, Theory};
use crate::term::Scope;
use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::arena::Id;
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{Program, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Scalars of one object that are written one by one at most.
pub(super) const ELEMENT_LIMIT: u64 = 128;

/// What may happen that a program cannot know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryOptions {
    /// Any allocation may give the null pointer. Otherwise only those that no machine has room for.
    pub allocation_may_fail: bool,
    /// Formulas say of which addresses an allocated object begins, for those who look at single
    /// elements of memory and would otherwise not know that a pointer leads to a whole object.
    pub remember_allocations: bool,
}

/// The memory of a program, partitioned by its accesses.
pub struct Partitioned<'p> {
    pub(super) program: &'p Program,
    pub(super) options: MemoryOptions,
    pub(super) layout: Layout,
    pub(super) unions: UnionMembers,
    pub(super) pointees: Pointees,
    pub(super) partition: Partition,
    recursive: Vec<bool>,
    /// What functions without a body may write, if it is known.
    pub(super) escaped: Option<Vec<Object>>,
    pub(super) assumptions: BTreeSet<String>,
    cells: BTreeMap<ClassId, Cell>,
    pub(super) split: SplitBytes,
    /// Whether the arena knows the names of addresses.
    named: bool,
}

/// What a variable of formulas holds that is memory by address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldMemory {
    /// The name of the variable.
    pub name: String,
    /// Where some of it is.
    pub target: Target,
    /// The type of an element: `i32`, `u8`, `bool`, `f64`.
    pub holds: String,
}

/// Why there is no partition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartitionError {
    /// The budget was used up.
    #[error("memory was not partitioned: {0}")]
    Exhausted(#[from] Exhausted),
    /// More variables than addresses.
    #[error("the variables of the program do not fit into the address space")]
    NoRoom,
}

/// Where an access goes.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) address: Operand,
    pub(super) targets: Vec<Target>,
}

impl<'p> Partitioned<'p> {
    /// Partitions the memory of a program by what is known of its pointers.
    pub fn new(
        program: &'p Program,
        aliases: &dyn Aliases,
        options: MemoryOptions,
        budget: &Budget,
    ) -> Result<Self, PartitionError> {
        let layout = Layout::new(program).ok_or(PartitionError::NoRoom)?;
        let unions = UnionMembers::new(program);
        let recursive = recursive_functions(program, aliases, budget)?;
        let owned = owned(program);
        let Collected { pointees, partition, assumptions } =
            collect(program, aliases, &unions, owned, &recursive, budget)?;
        Ok(Self {
            program,
            options,
            layout,
            unions,
            pointees,
            partition,
            recursive,
            escaped: aliases.escaped(),
            assumptions,
            cells: BTreeMap::new(),
            split: SplitBytes::default(),
            named: false,
        })
    }

    /// What the variables of formulas hold that are memory by address.
    pub fn held(&self) -> Vec<HeldMemory> {
        let classes = self.partition.ids().map(|id| (id, self.partition.class(id)));
        let by_address = classes.filter(|(_, class)| class.form != Form::Cell);
        let held = by_address.map(|(id, class)| {
            let first = class.spots[0];
            HeldMemory {
                name: class_name(self.program, class, id),
                target: Target { object: first.object, offset: first.offset },
                holds: scalar_name(class.scalar),
            }
        });
        held.collect()
    }

    /// What is assumed about memory, for people. More may come while formulas are made.
    pub fn assumptions(&self) -> Vec<String> {
        self.assumptions.iter().cloned().collect()
    }

    /// The type of addresses.
    pub(super) fn pointer(&self) -> Scalar {
        Scalar::Int { bits: self.program.types.target().pointer_bits(), signed: false }
    }

    pub(super) fn is_fixed(&self, object: Object) -> bool {
        is_fixed(self.program, &self.recursive, object)
    }

    pub(super) fn is_recursive(&self, func: gnomon_ir::program::FuncId) -> bool {
        self.recursive[func.index()]
    }

    /// A fixed address as a term.
    pub(super) fn fixed_address(&self, draft: &mut Draft<'_>, address: u64) -> Operand {
        let term = constant(draft.terms, draft.theory, self.pointer(), u128::from(address));
        match draft.theory {
            Theory::Int => Operand::int(term, Interval::point(address)),
            Theory::Bits => Operand::bits(term),
        }
    }

    // --- variables of the logic ----------------------------------------------------------------

    /// The variable that holds a class.
    pub(super) fn cell(&mut self, draft: &mut Draft<'_>, id: ClassId) -> Cell {
        if let Some(cell) = self.cells.get(&id) {
            return cell.clone();
        }
        let class = self.partition.class(id);
        let element = sort_of(draft.theory, class.scalar);
        let name = super::names::class_name(self.program, class, id);
        let sort = match class.form {
            Form::Cell => element,
            Form::Elements | Form::Bytes => {
                let index = sort_of(draft.theory, self.pointer());
                draft.terms.array_sort(index, element)
            }
        };
        let variable = draft.terms.variable(&name, Scope::Global, sort);
        let cell = Cell { variable, scalar: class.scalar, bit_field: None };
        self.cells.insert(id, cell.clone());
        cell
    }

    /// The variable with the next address that is handed out.
    pub(super) fn heap_cell(&self, draft: &mut Draft<'_>) -> Cell {
        let scalar = self.pointer();
        let sort = sort_of(draft.theory, scalar);
        let variable = draft.terms.variable(super::names::HEAP, Scope::Global, sort);
        Cell { variable, scalar, bit_field: None }
    }

    /// The next address that is handed out.
    pub(super) fn heap(&self, draft: &mut Draft<'_>) -> Operand {
        let cell = self.heap_cell(draft);
        let heap = draft.read_cell(&cell, &[]);
        let (low, high) = (self.layout.heap_start, self.layout.heap_end);
        match draft.theory {
            Theory::Int => {
                let bounds = Interval::new(low, high);
                let fact = within(draft.terms, heap.term, &bounds);
                draft.add(fact);
                let better = heap.interval.and_then(|i| i.meet(&bounds)).unwrap_or(bounds);
                Operand::int(heap.term, better)
            }
            Theory::Bits => {
                let (low, high) = (self.fixed_address(draft, low), self.fixed_address(draft, high));
                let above = draft.terms.bv_ule(low.term, heap.term);
                let below = draft.terms.bv_ule(heap.term, high.term);
                draft.add(above);
                draft.add(below);
                heap
            }
        }
    }

    /// The variable that is 1 at the addresses where allocated objects begin, if that is wanted.
    pub(super) fn beginnings(&self, draft: &mut Draft<'_>) -> Option<Cell> {
        if !self.options.remember_allocations {
            return None;
        }
        let index = sort_of(draft.theory, self.pointer());
        let element = sort_of(draft.theory, Scalar::Bool);
        let sort = draft.terms.array_sort(index, element);
        let variable = draft.terms.variable(super::names::BEGINNINGS, Scope::Global, sort);
        Some(Cell { variable, scalar: Scalar::Bool, bit_field: None })
    }

    /// An object was allocated.
    pub(super) fn remember_allocation(&self, draft: &mut Draft<'_>, address: &Operand) {
        if let Some(cell) = self.beginnings(draft) {
            let one = constant(draft.terms, draft.theory, Scalar::Bool, 1);
            draft.write_cell(&cell, &[address.term], Operand::bits(one));
        }
    }

    /// The variable with the address of a local variable of a recursive function.
    pub(super) fn address_cell(&self, draft: &mut Draft<'_>, var: VarId) -> Cell {
        let info = &self.program.vars[var];
        let scope = match info.storage.function() {
            Some(func) => Scope::Function(func.0),
            None => Scope::Global,
        };
        let scalar = self.pointer();
        let sort = sort_of(draft.theory, scalar);
        let variable = draft.terms.variable(&format!("&{}", info.name), scope, sort);
        Cell { variable, scalar, bit_field: None }
    }

    // --- addresses -----------------------------------------------------------------------------

    /// The address of a variable.
    pub(super) fn variable_address(&self, draft: &mut Draft<'_>, var: VarId) -> Operand {
        if self.is_fixed(Object::Variable(var)) {
            return self.fixed_address(draft, self.layout.variable(var));
        }
        let cell = self.address_cell(draft, var);
        draft.read_cell(&cell, &[])
    }

    /// An address `bytes` further, which may lie outside of the address space (theory Int).
    pub(super) fn further(&self, draft: &mut Draft<'_>, address: &Operand, bytes: i64) -> Operand {
        if bytes == 0 {
            return address.clone();
        }
        match draft.theory {
            Theory::Int => {
                let moved = draft.terms.add_constant(address.term, bytes);
                let interval = address.interval(self.pointer()).add(&Interval::point(bytes));
                Operand::int(moved, interval)
            }
            Theory::Bits => {
                let bits = i128::from(bytes) as u128;
                let by = constant(draft.terms, Theory::Bits, self.pointer(), truncated(self, bits));
                Operand::bits(draft.terms.bv_add(address.term, by))
            }
        }
    }

    /// An address moved by a number of elements; it may lie outside of the address space (theory
    /// Int).
    fn moved(
        &self,
        draft: &mut Draft<'_>,
        address: &Operand,
        index: &Operand,
        index_type: Scalar,
        size: u64,
    ) -> Operand {
        match draft.theory {
            Theory::Int => {
                let bytes = draft.terms.mul_by(size, index.term);
                let moved = draft.terms.add(address.term, bytes);
                let distance = index.interval(index_type).mul(&Interval::point(size));
                Operand::int(moved, address.interval(self.pointer()).add(&distance))
            }
            Theory::Bits => {
                let width = u32::from(self.pointer().width());
                let index = draft.resize(index_type, width, index.term);
                let size = draft.terms.bv(Integer::from(size), width);
                let bytes = draft.terms.bv_mul(index, size);
                Operand::bits(draft.terms.bv_add(address.term, bytes))
            }
        }
    }

    /// An address that is a value of the program: moving a pointer goes round the end of the
    /// address space.
    fn settled(&mut self, draft: &mut Draft<'_>, address: Operand) -> Operand {
        match (draft.theory, &address.interval) {
            (Theory::Int, Some(interval)) => {
                draft.wrap_to(address.term, &interval.clone(), self.pointer())
            }
            _ => address,
        }
    }

    /// Tells the arena which numbers are addresses, as far as they look like nothing else.
    pub(super) fn name_addresses(&mut self, draft: &mut Draft<'_>) {
        if std::mem::replace(&mut self.named, true) {
            return;
        }
        for (var, info) in self.program.vars.iter_ids() {
            let first = self.layout.variable(var);
            let is_known = self.pointees.owns(var) && self.is_fixed(Object::Variable(var));
            if is_known && first > u64::from(u32::MAX) {
                let name = super::names::variable_name(self.program, var);
                draft.terms.name_addresses(first, self.program.types.size(info.ty), &name);
            }
        }
    }

    pub(super) fn place_address(
        &mut self,
        draft: &mut Draft<'_>,
        place: PlaceId,
    ) -> Result<Operand, NotEncoded> {
        self.name_addresses(draft);
        let here = self.program.exprs.place(place);
        match here.kind {
            PlaceKind::Var(var) => Ok(self.variable_address(draft, var)),
            PlaceKind::Deref(pointer) => draft.value(self, pointer),
            PlaceKind::Field(base, number) => {
                let address = self.place_address(draft, base)?;
                let record = self.program.types.as_record(self.program.place_ty(base));
                let Some(field) = record.and_then(|(_, r)| r.fields.get(number as usize)) else {
                    return Err(NotEncoded::Type("a field of no record".into()));
                };
                Ok(self.further(draft, &address, field.offset as i64))
            }
            PlaceKind::Index(base, index) => {
                let address = self.place_address(draft, base)?;
                let index_type = self.scalar_type(self.program.expr_ty(index))?;
                let index = draft.value(self, index)?;
                let size = self.program.types.size(here.ty);
                Ok(self.moved(draft, &address, &index, index_type, size))
            }
        }
    }

    pub(super) fn scalar_type(&self, ty: gnomon_ir::types::TypeId) -> Result<Scalar, NotEncoded> {
        let types = &self.program.types;
        types.scalar(ty).ok_or_else(|| NotEncoded::Type(format!("{:?}", types.get(ty))))
    }

    /// The address of a place as a value.
    pub(super) fn address_value(
        &mut self,
        draft: &mut Draft<'_>,
        place: PlaceId,
    ) -> Result<Operand, NotEncoded> {
        let address = self.place_address(draft, place)?;
        Ok(self.settled(draft, address))
    }

    /// A moved pointer, a difference of pointers, or a function as a value.
    pub(super) fn pointer_value(
        &mut self,
        draft: &mut Draft<'_>,
        e: ExprId,
    ) -> Result<Operand, NotEncoded> {
        let expr = self.program.exprs.expr(e);
        match expr.kind {
            ExprKind::FuncAddr(func) => Ok(self.fixed_address(draft, self.layout.function(func))),
            ExprKind::PtrAdd(pointer, index) => {
                let size = self.pointee_size(pointer);
                let index_type = self.scalar_type(self.program.expr_ty(index))?;
                let pointer = draft.value(self, pointer)?;
                let index = draft.value(self, index)?;
                let moved = self.moved(draft, &pointer, &index, index_type, size);
                Ok(self.settled(draft, moved))
            }
            ExprKind::PtrDiff(a, b) => {
                let size = self.pointee_size(a);
                let (a, b) = (draft.value(self, a)?, draft.value(self, b)?);
                Ok(self.difference(draft, &a, &b, size))
            }
            _ => Err(NotEncoded::Type("no pointer expression".into())),
        }
    }

    fn pointee_size(&self, pointer: ExprId) -> u64 {
        let types = &self.program.types;
        types.pointee(self.program.expr_ty(pointer)).map_or(1, |to| types.size(to))
    }

    /// The number of elements between two addresses, cut towards zero.
    fn difference(
        &mut self,
        draft: &mut Draft<'_>,
        a: &Operand,
        b: &Operand,
        size: u64,
    ) -> Operand {
        let bits = self.pointer().width();
        let signed = Scalar::Int { bits, signed: true };
        if size == 0 {
            let zero = constant(draft.terms, draft.theory, signed, 0);
            return draft.operand(zero, signed);
        }
        let by = constant(draft.terms, draft.theory, signed, u128::from(size));
        match draft.theory {
            Theory::Int => {
                let pointer = self.pointer();
                let exact = draft.terms.sub(a.term, b.term);
                let interval = a.interval(pointer).sub(&b.interval(pointer));
                let bytes = draft.wrap_to(exact, &interval, signed);
                let by = Operand::int(by, Interval::point(size));
                draft.int_binary(gnomon_ir::expr::BinaryOp::Div, signed, &bytes, signed, &by)
            }
            Theory::Bits => {
                let bytes = draft.terms.bv_sub(a.term, b.term);
                Operand::bits(draft.terms.bv_sdiv(bytes, by))
            }
        }
    }
}

fn truncated(memory: &Partitioned<'_>, bits: u128) -> u128 {
    gnomon_ir::ops::truncate(bits, memory.pointer().width())
}

/// The variables that are memory: pointers reach them, or they have overlapping members, or they
/// have an array inside them that an index may leave without leaving the variable.
fn owned(program: &Program) -> Vec<bool> {
    let mut owned: Vec<bool> =
        program.vars.iter().map(|var| var.address_taken || has_union(program, var.ty)).collect();
    for number in 0..program.exprs.place_count() {
        let place = gnomon_ir::expr::PlaceId(number as u32);
        let PlaceKind::Index(base, index) = program.exprs.place(place).kind else { continue };
        let length = match *program.types.get(program.place_ty(base)) {
            gnomon_ir::types::Type::Array { len, .. } => len,
            _ => 0,
        };
        let inside =
            program.as_int(index).is_some_and(|i| u64::try_from(i).is_ok_and(|i| i < length));
        let whole = matches!(program.exprs.place(base).kind, PlaceKind::Var(_));
        if !inside
            && !whole
            && let Some(var) = program.exprs.root_var(base)
        {
            owned[var.index()] = true;
        }
    }
    owned
}
