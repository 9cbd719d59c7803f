//! What of a program can be known: which places are scalars that are followed, which of them
//! conditions relate, and which numbers are worth stopping at.
//!
//! Memory is divided into the cells of `flow`'s points-to analysis. A cell is followed if it is a
//! part of a variable that is no element of an array; then it stands for one place of memory, since
//! a function that is open is not entered again. An access that is sure to be the whole of such a cell
//! reads and writes it; any other access reads anything, and whatever it may write is forgotten.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gnomon_flow::mod_ref::ModRef;
use gnomon_flow::points_to::{CellId, ObjectKind, Offset, PointsTo};
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{EdgeId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{FuncId, Program, VarId};
use gnomon_ir::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::float;
use crate::int::Shape;

/// The number of a cell that is followed, or of the result of a function.
pub type Cell = u32;

/// What an access to a place touches.
#[derive(Clone, Debug)]
pub enum Access {
    /// One cell, all of it.
    Whole(Cell),
    /// A bit-field.
    Bits(u8, Rc<[Cell]>),
    /// Some of these, or parts of them.
    Some(Rc<[Cell]>),
}

/// At most so many variables are related to one.
const MAX_RELATED: usize = 10;
/// At most so many thresholds.
const MAX_THRESHOLDS: usize = 400;

/// An edge of a function.
type EdgeOf = (FuncId, EdgeId);

/// A program, as the analysis sees it.
pub struct Model<'p> {
    /// The program.
    pub program: &'p Program,
    /// Where its pointers point.
    pub points_to: &'p PointsTo,
    mod_ref: &'p ModRef,
    accesses: RefCell<FxHashMap<PlaceId, Access>>,
    written: RefCell<FxHashMap<EdgeOf, Rc<[Cell]>>>,
    reads: RefCell<FxHashMap<ExprId, Rc<[Cell]>>>,
    cells: u32,
    /// Of each cell that is an integer to all who access it: its type.
    shapes: FxHashMap<Cell, Shape>,
    related: FxHashMap<Cell, Vec<Cell>>,
    /// Numbers at which bounds stop, sorted.
    pub thresholds: Vec<i128>,
    /// The same for floating point.
    pub float_thresholds: Vec<f64>,
    /// A place of the program by which a cell can be named.
    names: BTreeMap<Cell, PlaceId>,
    own_cells: FxHashMap<FuncId, Vec<Cell>>,
}

impl<'p> Model<'p> {
    /// Of a program.
    pub fn new(program: &'p Program, points_to: &'p PointsTo, mod_ref: &'p ModRef) -> Self {
        let mut model = Self {
            program,
            points_to,
            mod_ref,
            accesses: RefCell::default(),
            written: RefCell::default(),
            reads: RefCell::default(),
            cells: points_to.objects().cell_count() as u32,
            shapes: FxHashMap::default(),
            related: FxHashMap::default(),
            thresholds: Vec::new(),
            float_thresholds: Vec::new(),
            names: BTreeMap::new(),
            own_cells: FxHashMap::default(),
        };
        model.look_at_places();
        model.look_at_expressions();
        model
    }

    fn look_at_places(&mut self) {
        let (program, mut conflicting) = (self.program, FxHashSet::default());
        for place in (0..program.exprs.place_count()).map(PlaceId::from_index) {
            let Access::Whole(cell) = self.access(place) else { continue };
            let scalar = program.types.scalar(program.place_ty(place));
            let is_pointer = program.types.is_pointer(program.place_ty(place));
            let shape = scalar.and_then(Shape::of).filter(|_| !is_pointer);
            match (shape, self.shapes.get(&cell)) {
                (Some(shape), None) => {
                    self.shapes.insert(cell, shape);
                }
                (Some(shape), Some(known)) if shape == *known => {}
                _ => {
                    conflicting.insert(cell);
                }
            }
            let is_plain = |place: PlaceId| program.exprs.root_var(place).is_some();
            if is_plain(place) || !self.names.contains_key(&cell) {
                self.names.insert(cell, place);
            }
        }
        self.shapes.retain(|cell, _| !conflicting.contains(cell));
        for func in program.funcs.ids() {
            let function = &program.funcs[func];
            let vars = function.params.iter().chain(&function.locals);
            let cells = vars.flat_map(|var| self.cells_of_variable(*var)).collect();
            self.own_cells.insert(func, cells);
        }
    }

    /// Pairs that an expression compares or subtracts, or an assignment copies; and numbers.
    fn look_at_expressions(&mut self) {
        let (mut pairs, mut numbers) = (BTreeSet::new(), BTreeSet::from([-1, 0, 1]));
        let mut floats: Vec<f64> = vec![-1.0, 0.0, 1.0];
        let mut seen = FxHashSet::default();
        for (func, function) in self.program.funcs.iter_ids() {
            let Some(body) = &function.body else { continue };
            for counters in self.counters(body) {
                for (position, &a) in counters.iter().enumerate() {
                    for &b in &counters[position + 1..] {
                        self.relate(&mut pairs, a, b);
                    }
                }
            }
            for (_, edge) in body.edges().iter_ids() {
                match &edge.op {
                    Op::Assume(e) | Op::Return(Some(e)) => {
                        self.look_at(*e, &mut seen, &mut pairs, &mut numbers, &mut floats);
                        if let (Op::Return(_), Some(from)) = (&edge.op, self.linear_cell(*e)) {
                            self.relate(&mut pairs, self.result(func), from);
                        }
                    }
                    Op::Assign { dst, src } => {
                        self.look_at(*src, &mut seen, &mut pairs, &mut numbers, &mut floats);
                        if let (Access::Whole(to), Some(from)) =
                            (self.access(*dst), self.linear_cell(*src))
                        {
                            self.relate(&mut pairs, to, from);
                        }
                    }
                    Op::Call(call) => {
                        let callees = match call.callee {
                            gnomon_ir::cfa::Callee::Direct(callee) => vec![callee],
                            gnomon_ir::cfa::Callee::Indirect(_) => Vec::new(),
                        };
                        for arg in &call.args {
                            self.look_at(*arg, &mut seen, &mut pairs, &mut numbers, &mut floats);
                        }
                        for callee in callees {
                            let params = &self.program.funcs[callee].params;
                            for (param, arg) in params.iter().zip(&call.args) {
                                let to = self.scalar_cell(*param);
                                if let (Some(to), Some(from)) = (to, self.linear_cell(*arg)) {
                                    self.relate(&mut pairs, to, from);
                                }
                            }
                            if let Some(Access::Whole(to)) = call.dst.map(|dst| self.access(dst)) {
                                self.relate(&mut pairs, to, self.result(callee));
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        self.thresholds = numbers.into_iter().collect();
        if self.thresholds.len() > MAX_THRESHOLDS {
            self.thresholds.sort_by_key(|n| n.unsigned_abs());
            self.thresholds.truncate(MAX_THRESHOLDS);
            self.thresholds.sort_unstable();
        }
        floats.retain(|f| !f.is_nan());
        floats.sort_by(f64::total_cmp);
        floats.dedup();
        floats.truncate(MAX_THRESHOLDS);
        self.float_thresholds = floats;
        self.relate_neighbours(&pairs);
    }

    fn relate(&self, pairs: &mut BTreeSet<(Cell, Cell)>, a: Cell, b: Cell) {
        let is_integer = |cell: Cell| cell >= self.cells || self.shapes.contains_key(&cell);
        if a != b && is_integer(a) && is_integer(b) {
            pairs.insert((a.min(b), a.max(b)));
        }
    }

    /// Direct pairs first, then those with a common neighbour.
    fn relate_neighbours(&mut self, pairs: &BTreeSet<(Cell, Cell)>) {
        let mut related: BTreeMap<Cell, BTreeSet<Cell>> = BTreeMap::new();
        for &(a, b) in pairs {
            related.entry(a).or_default().insert(b);
            related.entry(b).or_default().insert(a);
        }
        let direct = related.clone();
        for neighbours in direct.values() {
            if neighbours.len() > MAX_RELATED {
                continue;
            }
            for &a in neighbours {
                for &b in neighbours {
                    let has_room = |x: Cell| related.get(&x).is_none_or(|r| r.len() < MAX_RELATED);
                    if a < b && has_room(a) && has_room(b) {
                        related.entry(a).or_default().insert(b);
                        related.entry(b).or_default().insert(a);
                    }
                }
            }
        }
        let limited = |(cell, set): (Cell, BTreeSet<Cell>)| (cell, set.into_iter().collect());
        self.related = related.into_iter().map(limited).collect();
    }

    fn look_at(
        &self,
        e: ExprId,
        seen: &mut FxHashSet<ExprId>,
        pairs: &mut BTreeSet<(Cell, Cell)>,
        numbers: &mut BTreeSet<i128>,
        floats: &mut Vec<f64>,
    ) {
        if !seen.insert(e) {
            return;
        }
        let exprs = &self.program.exprs;
        match exprs.expr(e).kind {
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => {
                self.look_at(a, seen, pairs, numbers, floats);
            }
            ExprKind::Binary(op, a, b) => {
                self.look_at(a, seen, pairs, numbers, floats);
                self.look_at(b, seen, pairs, numbers, floats);
                if let (true, Some(x), Some(y)) = (
                    op.is_comparison() || op == BinaryOp::Sub,
                    self.linear_cell(a),
                    self.linear_cell(b),
                ) {
                    self.relate(pairs, x, y);
                }
            }
            ExprKind::Const(_) | ExprKind::Zero => {
                let scalar = self.program.types.scalar(exprs.ty(e));
                let (Some(scalar), Some(bits)) = (scalar, exprs.const_bits(e)) else { return };
                match scalar {
                    Scalar::Float(kind) if float::is_followed(kind) => {
                        floats.push(float::number(kind, bits));
                    }
                    _ => {
                        if let Some(shape) = Shape::of(scalar) {
                            let number = shape.number(bits as u64);
                            numbers.extend([number - 1, number, number + 1]);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// The cell that an expression is a constant away from, by its form.
    pub(crate) fn linear_cell(&self, e: ExprId) -> Option<Cell> {
        let exprs = &self.program.exprs;
        match exprs.expr(e).kind {
            ExprKind::Load(place) => match self.access(place) {
                Access::Whole(cell) if self.shapes.contains_key(&cell) => Some(cell),
                _ => None,
            },
            ExprKind::Cast(a) if self.program.types.is_integer(exprs.ty(e)) => self.linear_cell(a),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
                match (exprs.const_bits(a), exprs.const_bits(b)) {
                    (None, Some(_)) => self.linear_cell(a),
                    (Some(_), None) => self.linear_cell(b),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What an access to a place touches.
    pub fn access(&self, place: PlaceId) -> Access {
        if let Some(known) = self.accesses.borrow().get(&place) {
            return known.clone();
        }
        let found = self.find_access(place);
        self.accesses.borrow_mut().insert(place, found.clone());
        found
    }

    fn find_access(&self, place: PlaceId) -> Access {
        let (program, objects) = (self.program, self.points_to.objects());
        let touched = self.points_to.cells(program, place);
        let cells: Vec<Cell> = touched.iter().filter(|cell| self.is_followed(*cell)).collect();
        if let PlaceKind::Field(record, number) = program.exprs.place(place).kind
            && let Type::Record(id) = *program.types.get(program.place_ty(record))
            && let Some(field) = program.types.record(id).fields.get(number as usize)
            && let Some(bits) = field.bits
        {
            return Access::Bits(bits.width, cells.into());
        }
        let ty = program.place_ty(place);
        if let (Some(cell), true) = (touched.single(), program.types.is_scalar(ty))
            && self.is_followed(cell)
            && let [target] = &self.points_to.targets(program, place)[..]
            && target.object == objects.owner(CellId(cell))
        {
            let bytes = objects.cell_bytes(CellId(cell));
            if target.offset == Offset::Exact(bytes.start)
                && bytes.start + program.types.size(ty) <= bytes.end
            {
                return Access::Whole(cell);
            }
        }
        Access::Some(cells.into())
    }

    /// Whether a cell is one place of memory.
    fn is_followed(&self, cell: Cell) -> bool {
        let (objects, id) = (self.points_to.objects(), CellId(cell));
        matches!(objects.get(objects.owner(id)).kind, ObjectKind::Variable(_))
            && !objects.cell_bytes(id).repeated
    }

    /// The cells of a variable that are followed.
    pub fn cells_of_variable(&self, var: VarId) -> Vec<Cell> {
        let objects = self.points_to.objects();
        let cells = objects.cells(objects.variable(var)).map(|cell| cell.0);
        cells.filter(|cell| self.is_followed(*cell)).collect()
    }

    /// The only cell of a scalar variable.
    pub fn scalar_cell(&self, var: VarId) -> Option<Cell> {
        let is_scalar = self.program.types.is_scalar(self.program.vars[var].ty);
        match self.cells_of_variable(var)[..] {
            [cell] if is_scalar => Some(cell),
            _ => None,
        }
    }

    /// The cells of all parameters and local variables of a function, and its result.
    pub fn own_cells(&self, func: FuncId) -> &[Cell] {
        self.own_cells.get(&func).map_or(&[], Vec::as_slice)
    }

    /// Where the result of a function is kept.
    pub fn result(&self, func: FuncId) -> Cell {
        self.cells + func.index() as u32
    }

    /// The type of an integer cell that nobody accesses as anything else.
    pub fn shape(&self, cell: Cell) -> Option<Shape> {
        if let Some(func) = cell.checked_sub(self.cells) {
            let function = &self.program.funcs[FuncId::from_index(func as usize)];
            let result = self.program.types.signature(function.ty)?.result;
            let scalar = self.program.types.scalar(result)?;
            return Shape::of(scalar).filter(|_| !self.program.types.is_pointer(result));
        }
        self.shapes.get(&cell).copied()
    }

    /// The cells whose difference to this one is followed.
    pub fn related(&self, cell: Cell) -> &[Cell] {
        self.related.get(&cell).map_or(&[], Vec::as_slice)
    }

    /// A place of the program by which a cell can be named.
    pub fn name(&self, cell: Cell) -> Option<PlaceId> {
        self.names.get(&cell).copied()
    }

    /// The variable that a cell is part of.
    pub fn variable(&self, cell: Cell) -> Option<VarId> {
        if cell >= self.cells {
            return None;
        }
        let objects = self.points_to.objects();
        match objects.get(objects.owner(CellId(cell))).kind {
            ObjectKind::Variable(var) => Some(var),
            _ => None,
        }
    }

    /// What an edge may write, whatever it is.
    pub fn written(&self, func: FuncId, edge: EdgeId) -> Rc<[Cell]> {
        if let Some(known) = self.written.borrow().get(&(func, edge)) {
            return known.clone();
        }
        let effects = self.mod_ref.edge_effects(self.program, self.points_to, func, edge);
        let cells = effects.writes.iter().filter(|cell| self.is_followed(*cell));
        let cells: Rc<[Cell]> = cells.collect::<Vec<_>>().into();
        self.written.borrow_mut().insert((func, edge), cells.clone());
        cells
    }

    /// The cells that the value of an expression depends on.
    pub fn reads(&self, e: ExprId) -> Rc<[Cell]> {
        if let Some(known) = self.reads.borrow().get(&e) {
            return known.clone();
        }
        let mut cells = BTreeSet::new();
        self.collect_reads(e, &mut cells);
        let cells: Rc<[Cell]> = cells.into_iter().collect::<Vec<_>>().into();
        self.reads.borrow_mut().insert(e, cells.clone());
        cells
    }

    fn collect_reads(&self, e: ExprId, cells: &mut BTreeSet<Cell>) {
        match self.program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
            ExprKind::Load(place) => {
                match self.access(place) {
                    Access::Whole(cell) => {
                        cells.insert(cell);
                    }
                    Access::Bits(_, some) | Access::Some(some) => cells.extend(some.iter()),
                }
                self.collect_place_reads(place, cells);
            }
            ExprKind::AddrOf(place) => self.collect_place_reads(place, cells),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.collect_reads(a, cells),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                self.collect_reads(a, cells);
                self.collect_reads(b, cells);
            }
        }
    }

    fn collect_place_reads(&self, place: PlaceId, cells: &mut BTreeSet<Cell>) {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Deref(pointer) => self.collect_reads(pointer, cells),
            PlaceKind::Field(base, _) => self.collect_place_reads(base, cells),
            PlaceKind::Index(base, index) => {
                self.collect_place_reads(base, cells);
                self.collect_reads(index, cells);
            }
        }
    }
}
