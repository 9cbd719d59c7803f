//! What operations do to a state.

use gnomon_flow::points_to::{CellId, ObjectId, Offset};
use gnomon_ir::cfa::{Call, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId};
use gnomon_ir::library::{Library, NondetKind, classify};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{FuncId, InitItem, Storage, source_name};

use crate::int::{Int, Shape};
use crate::model::{Access, Cell, Model};
use crate::state::State;
use crate::value::{Value, constant};

impl Model<'_> {
    /// What holds behind an edge that is no call; `None` if no run gets there.
    pub fn transfer(&self, state: &State, func: FuncId, edge: EdgeId, op: &Op) -> Option<State> {
        let mut after = state.clone();
        match op {
            Op::Skip => {}
            Op::Assume(condition) => return self.assume(state, *condition, true),
            Op::Assign { dst, src } => self.assign(&mut after, state, *dst, *src)?,
            Op::Return(Some(value)) => {
                self.assign_cell(&mut after, state, self.result(func), *value)?;
            }
            Op::Return(None) => after.forget(self, self.result(func)),
            Op::Declare(var) => {
                for cell in self.cells_of_variable(*var) {
                    after.forget(self, cell);
                }
            }
            _ => self.forget_written(&mut after, func, edge, op.destination()),
        }
        Some(after)
    }

    fn forget_written(&self, state: &mut State, func: FuncId, edge: EdgeId, dst: Option<PlaceId>) {
        for &cell in self.written(func, edge).iter() {
            state.forget(self, cell);
        }
        if let Some(dst) = dst {
            self.forget_place(state, dst);
        }
    }

    fn forget_place(&self, state: &mut State, place: PlaceId) {
        match self.access(place) {
            Access::Whole(cell) => state.forget(self, cell),
            Access::Bits(_, some) | Access::Some(some) => {
                for &cell in some.iter() {
                    state.forget(self, cell);
                }
            }
        }
    }

    fn assign(&self, after: &mut State, before: &State, dst: PlaceId, src: ExprId) -> Option<()> {
        match self.access(dst) {
            Access::Whole(cell) => self.assign_cell(after, before, cell, src),
            _ => {
                if self.program.types.is_scalar(self.program.exprs.ty(src)) {
                    // Only for runs that end there.
                    self.eval(before, src)?;
                    self.forget_place(after, dst);
                } else {
                    self.copy_object(after, before, dst, src);
                }
                Some(())
            }
        }
    }

    /// A cell gets the value of an expression.
    pub(crate) fn assign_cell(
        &self,
        after: &mut State,
        before: &State,
        cell: Cell,
        src: ExprId,
    ) -> Option<()> {
        let value = self.eval(before, src)?;
        match self.linear(before, src) {
            Some((from, by))
                if self.shape(cell).is_some() && self.shape(cell) == self.int_shape(src) =>
            {
                after.copy(self, cell, from, by, value);
            }
            _ => after.set(self, cell, value),
        }
        if let Some(comparison) = self.as_comparison(src) {
            after.remember(self, cell, comparison);
        }
        Some(())
    }

    /// The comparison whose result an expression is, as a number.
    fn as_comparison(&self, e: ExprId) -> Option<ExprId> {
        match self.program.exprs.expr(e).kind {
            ExprKind::Binary(op, ..) if op.is_comparison() => Some(e),
            ExprKind::Cast(a) if self.int_shape(e).is_some() => self.as_comparison(a),
            _ => None,
        }
    }

    /// The object and offset of a place, if there is only one.
    fn only_target(&self, place: PlaceId) -> Option<(ObjectId, u64)> {
        match &self.points_to.targets(self.program, place)[..] {
            [target] => match target.offset {
                Offset::Exact(at) => Some((target.object, at)),
                Offset::Modulo { .. } => None,
            },
            _ => None,
        }
    }

    /// A record is copied: member by member where both are known.
    fn copy_object(&self, after: &mut State, before: &State, dst: PlaceId, src: ExprId) {
        let source = match self.program.exprs.expr(src).kind {
            ExprKind::Load(place) => self.only_target(place),
            _ => None,
        };
        let objects = self.points_to.objects();
        let mut copied = Vec::new();
        if let (Some((to, at)), Some((from, start))) = (self.only_target(dst), source) {
            let bytes = self.program.types.size(self.program.place_ty(dst));
            for cell in objects.cells_of_bytes(to, at, bytes) {
                let place = objects.cell_bytes(cell);
                let Some(offset) = place.start.checked_sub(at) else { continue };
                let length = place.end - place.start;
                if let [other] = objects.cells_of_bytes(from, start + offset, length)[..]
                    && objects.cell_bytes(other).start == start + offset
                    && !objects.cell_bytes(other).repeated
                    && self.is_one_place(cell)
                    && self.is_one_place(other)
                {
                    copied.push((cell.0, before.value(other.0)));
                }
            }
        }
        self.forget_place(after, dst);
        for (cell, value) in copied {
            after.set(self, cell, value);
        }
    }

    fn is_one_place(&self, cell: CellId) -> bool {
        self.variable(cell.0).is_some() && !self.points_to.objects().cell_bytes(cell).repeated
    }

    /// What holds behind the call of a function without a body; `None` if it does not return.
    pub fn library(
        &self,
        state: &State,
        func: FuncId,
        edge: EdgeId,
        callee: FuncId,
        call: &Call,
    ) -> Option<State> {
        let name = source_name(&self.program.funcs[callee].name);
        let kind = classify(name, self.program.types.target());
        match kind {
            Library::Abort | Library::Exit | Library::Unreachable | Library::Error => return None,
            Library::Assume => {
                return match call.args.first() {
                    Some(condition) => self.assume(state, *condition, true),
                    None => Some(state.clone()),
                };
            }
            _ => {}
        }
        let mut after = state.clone();
        self.forget_written(&mut after, func, edge, call.dst);
        if let (Library::Nondet(NondetKind::Bool), Some(dst)) = (kind, call.dst)
            && let Access::Whole(cell) = self.access(dst)
        {
            let shape = Shape { bits: 8, signed: false };
            let scalar = self.program.types.scalar(self.program.place_ty(dst));
            if let (Some(Scalar::Bool), Some(truth)) = (scalar, Int::range(shape, 0, 1)) {
                after.set(self, cell, Value::int(shape, truth));
            }
        }
        Some(after)
    }

    /// What holds where a function begins that is called.
    pub fn enter(&self, state: &State, callee: FuncId, call: &Call) -> Option<State> {
        let mut inside = state.clone();
        self.forget_own(&mut inside, callee);
        for (param, arg) in self.program.funcs[callee].params.iter().zip(&call.args) {
            let ty = self.program.vars[*param].ty;
            let fits = self.program.types.scalar(ty)
                == self.program.types.scalar(self.program.exprs.ty(*arg));
            if let (Some(cell), true) = (self.scalar_cell(*param), fits) {
                self.assign_cell(&mut inside, state, cell, *arg)?;
            }
        }
        Some(inside)
    }

    /// What holds behind a call, if this holds at the end of the function.
    pub fn leave(&self, end: &State, callee: FuncId, call: &Call) -> State {
        let mut after = end.clone();
        if let Some(dst) = call.dst {
            let result = self.result(callee);
            let ty = self.program.place_ty(dst);
            match (self.access(dst), self.program.types.scalar(ty)) {
                (Access::Whole(cell), Some(scalar)) => {
                    let value =
                        end.value(result).read_as(scalar, self.program.types.is_pointer(ty));
                    if self.shape(cell).is_some() && self.shape(cell) == self.shape(result) {
                        after.copy(self, cell, result, 0, value);
                    } else {
                        after.set(self, cell, value);
                    }
                    if let Some(comparison) = end.comparison(result) {
                        after.remember(self, cell, comparison);
                    }
                }
                _ => self.forget_place(&mut after, dst),
            }
        }
        self.forget_own(&mut after, callee);
        after
    }

    fn forget_own(&self, state: &mut State, func: FuncId) {
        for &cell in self.own_cells(func) {
            state.forget(self, cell);
        }
        state.forget(self, self.result(func));
    }

    /// What holds when the program starts: the initial values of static variables.
    pub fn start(&self) -> State {
        let mut state = State::default();
        let program = self.program;
        for var in program.globals() {
            let Storage::Static { init: Some(init), .. } = &program.vars[var].storage else {
                continue;
            };
            for cell in self.cells_of_variable(var) {
                let Some(place) = self.name(cell) else { continue };
                let ty = program.place_ty(place);
                if let Some(scalar) = program.types.scalar(ty) {
                    state.set(self, cell, constant(scalar, program.types.is_pointer(ty), 0));
                }
            }
            for item in &init.items {
                match item {
                    InitItem::Value { place, value } => match self.access(*place) {
                        Access::Whole(cell) => {
                            let known = self.eval(&State::default(), *value).unwrap_or(Value::Any);
                            state.set(self, cell, known);
                        }
                        _ => self.forget_place(&mut state, *place),
                    },
                    InitItem::Bytes { place, .. } => self.forget_place(&mut state, *place),
                }
            }
        }
        state
    }
}
