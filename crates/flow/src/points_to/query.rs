//! Answers about expressions and places, from what a solver found.

use std::collections::BTreeSet;

use gnomon_ir::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::Program;
use gnomon_ir::types::Type;

use super::PointsTo;
use super::generate::{Computed, Operand, access_bytes, computed, index_step, place_step};
use super::objects::{ObjectId, Objects};
use super::sink::NodeId;
use super::spot::{Spot, Step};
use crate::sparse_set::SparseSet;

/// Pointers, sorted by object.
pub(super) type Pointers = BTreeSet<(ObjectId, Spot)>;

impl PointsTo {
    pub(super) fn operand_pointers(&self, operand: Operand) -> Pointers {
        match operand {
            Operand::Nothing => Pointers::new(),
            Operand::Address(object, spot) => [(object, spot)].into(),
            Operand::Node(node) => self.node_pointers(node),
        }
    }

    fn node_pointers(&self, node: NodeId) -> Pointers {
        let found = self.solution.of(node).iter();
        found.map(|pointer| self.solution.pointers[pointer as usize]).collect()
    }

    /// What the value of an expression may be; also of one that the program did not have when it
    /// was analysed.
    pub(super) fn value_pointers(&self, program: &Program, expr: ExprId) -> Pointers {
        if let Some(operand) = self.operands.value(expr) {
            return self.operand_pointers(operand);
        }
        let found = program.exprs.expr(expr);
        match found.kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::PtrDiff(..) => Pointers::new(),
            ExprKind::FuncAddr(func) => [(self.objects.function(func), Spot::Exact(0))].into(),
            ExprKind::AddrOf(place) => self.place_pointers(program, place),
            ExprKind::Load(_) if matches!(program.types.get(found.ty), Type::Bool) => {
                Pointers::new()
            }
            ExprKind::Load(place) => self.held_in(&self.cells(program, place)),
            ExprKind::PtrAdd(pointer, index) => {
                let step = index_step(program, pointer, index);
                self.stepped(&self.value_pointers(program, pointer), step)
            }
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Cast(_) => {
                match computed(program, expr) {
                    Computed::Nothing => Pointers::new(),
                    Computed::Same(part) => self.value_pointers(program, part),
                    Computed::Mixed(parts) => {
                        let all = parts.into_iter().flatten();
                        let all = all.flat_map(|part| self.value_pointers(program, part)).collect();
                        self.stepped(&all, Step::Anywhere)
                    }
                }
            }
        }
    }

    fn stepped(&self, from: &Pointers, step: Step) -> Pointers {
        let layout = |object| self.objects.layout_of(object);
        from.iter().map(|&(object, spot)| (object, spot.step(layout(object), step))).collect()
    }

    fn held_in(&self, cells: &SparseSet) -> Pointers {
        cells.iter().flat_map(|cell| self.node_pointers(NodeId(cell))).collect()
    }

    /// Where a place may be.
    pub(super) fn place_pointers(&self, program: &Program, place: PlaceId) -> Pointers {
        if let Some(operand) = self.operands.address(place) {
            return self.operand_pointers(operand);
        }
        match program.exprs.place(place).kind {
            PlaceKind::Var(var) => [(self.objects.variable(var), Spot::Exact(0))].into(),
            PlaceKind::Deref(pointer) => self.value_pointers(program, pointer),
            PlaceKind::Field(..) | PlaceKind::Index(..) => match place_step(program, place) {
                Some((base, step)) => self.stepped(&self.place_pointers(program, base), step),
                None => Pointers::new(),
            },
        }
    }

    /// The byte of a variable at which a place without pointers and with constant indices is.
    pub(super) fn exact_place(
        &self,
        program: &Program,
        mut place: PlaceId,
    ) -> Option<(ObjectId, u64)> {
        let mut offset = 0i64;
        loop {
            match program.exprs.place(place).kind {
                PlaceKind::Var(var) => {
                    let object = self.objects.variable(var);
                    return Some((object, u64::try_from(offset).ok()?));
                }
                PlaceKind::Deref(_) => return None,
                PlaceKind::Field(..) | PlaceKind::Index(..) => {
                    let (base, step) = place_step(program, place)?;
                    let bytes = match step {
                        Step::Bytes(bytes) | Step::Move(bytes) => bytes,
                        Step::Element { size, index, .. } => {
                            index?.checked_mul(i64::try_from(size).ok()?)?
                        }
                        Step::Multiple(_) | Step::Anywhere => return None,
                    };
                    offset = offset.checked_add(bytes)?;
                    place = base;
                }
            }
        }
    }

    /// Adds the cells that an access through pointers touches.
    pub(super) fn touched(&self, pointers: &Pointers, bytes: u64) -> SparseSet {
        self.touched_by(pointers.iter().copied(), bytes)
    }

    pub(super) fn touched_by(
        &self,
        pointers: impl Iterator<Item = (ObjectId, Spot)>,
        bytes: u64,
    ) -> SparseSet {
        let mut found = SparseSet::new();
        let mut cells = Vec::new();
        for (object, spot) in pointers {
            if object == Objects::OUTSIDE {
                found.union_with(&self.escaped_cells);
                continue;
            }
            cells.clear();
            match spot.cells(self.objects.layout_of(object), bytes, &mut cells) {
                Some(()) => {
                    found.extend(cells.iter().map(|&cell| self.objects.cell(object, cell).0));
                }
                None => found.extend(self.objects.cells(object).map(|cell| cell.0)),
            }
        }
        found
    }

    /// Whether two accesses may touch the same byte of the object.
    fn overlap(&self, object: ObjectId, (a, n): (Spot, u64), (b, m): (Spot, u64)) -> bool {
        if let (Spot::Exact(a), Spot::Exact(b)) = (a, b) {
            return a < b.saturating_add(m) && b < a.saturating_add(n);
        }
        let one = |spot, bytes| self.touched(&[(object, spot)].into(), bytes);
        one(a, n).intersects(&one(b, m))
    }

    /// Whether the first may point to the outside and the second to something that escaped.
    fn meet_outside(&self, a: &Pointers, b: &Pointers) -> bool {
        let outside = |&(object, _): &(ObjectId, Spot)| object == Objects::OUTSIDE;
        let known = |&(object, _): &(ObjectId, Spot)| self.solution.escaped[object.0 as usize];
        a.iter().any(outside) && b.iter().any(|pointer| outside(pointer) || known(pointer))
    }

    /// Adds the objects that a pointer to the outside stands for.
    pub(super) fn expanded(&self, mut pointers: Pointers) -> Pointers {
        if pointers.iter().any(|&(object, _)| object == Objects::OUTSIDE) {
            pointers.extend(self.escaped_objects.iter().map(|&object| (object, Spot::Any)));
        }
        pointers
    }

    /// Whether accesses to two places may touch the same bytes.
    pub fn may_alias(&self, program: &Program, a: PlaceId, b: PlaceId) -> bool {
        let (n, m) = (access_bytes(program, a), access_bytes(program, b));
        if let (Some((x, i)), Some((y, j))) =
            (self.exact_place(program, a), self.exact_place(program, b))
        {
            return x == y && i < j.saturating_add(m) && j < i.saturating_add(n);
        }
        let (a, b) = (self.place_pointers(program, a), self.place_pointers(program, b));
        if self.meet_outside(&a, &b) || self.meet_outside(&b, &a) {
            return true;
        }
        a.iter().any(|&(object, spot)| {
            let same = b.range((object, Spot::Exact(0))..).take_while(|other| other.0 == object);
            same.into_iter().any(|other| self.overlap(object, (spot, n), (other.1, m)))
        })
    }
}
