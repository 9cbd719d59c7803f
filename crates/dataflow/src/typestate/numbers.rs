//! Which cells may hold a number that nobody knows.
//!
//! A watched descriptor is a number, and any number may be equal to it. But most variables for
//! descriptors get results of functions that give out new ones, and small or negative constants,
//! and nothing else, wherever they are assigned; so they hold a watched number only if it was
//! stored there. Here all other cells are found, without regard to the order of statements.

use gnomon_budget::{Budget, Exhausted};
use gnomon_flow::sparse_set::SparseSet;
use gnomon_ir::arena::Id;
use gnomon_ir::cfa::{Call, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId};
use gnomon_ir::program::{FuncId, InitItem, Storage};
use gnomon_ir::types::Type;

use super::fresh::FIRST_DESCRIPTOR;
use super::world::World;

/// The cells.
pub(super) fn any_number(world: &World<'_>, budget: &Budget) -> Result<SparseSet, Exhausted> {
    let program = world.program;
    let count = program.funcs.len();
    let mut search = Search { world, cells: SparseSet::new(), results: vec![false; count] };
    search.at_the_start();
    loop {
        let before = (search.cells.len(), search.results.iter().filter(|r| **r).count());
        for (func, function) in program.funcs.iter_ids() {
            for (id, edge) in function.body.iter().flat_map(|body| body.edges().iter_ids()) {
                budget.check()?;
                search.operation(func, id, &edge.op);
            }
        }
        if before == (search.cells.len(), search.results.iter().filter(|r| **r).count()) {
            return Ok(search.cells);
        }
    }
}

struct Search<'a, 'w> {
    world: &'a World<'w>,
    cells: SparseSet,
    /// Functions with a body whose result is such a number.
    results: Vec<bool>,
}

impl Search<'_, '_> {
    fn at_the_start(&mut self) {
        let program = self.world.program;
        for (var, found) in program.vars.iter_ids() {
            match &found.storage {
                Storage::Static { init: Some(init), .. } => {
                    for item in &init.items {
                        match item {
                            InitItem::Value { place, value } if self.is_any(*value) => {
                                self.add(*place);
                            }
                            InitItem::Value { .. } => {}
                            InitItem::Bytes { place, .. } => self.add(*place),
                        }
                    }
                }
                Storage::Static { init: None, .. } => {
                    self.cells.extend(self.world.variable_cells(var));
                }
                Storage::Param(func) if Some(*func) == self.world.automaton.entry => {
                    self.cells.extend(self.world.variable_cells(var));
                }
                _ => {}
            }
        }
        self.cells.union_with(&self.world.unstable);
        let outside = gnomon_flow::points_to::Objects::OUTSIDE;
        let objects = self.world.points_to.objects();
        self.cells.extend(objects.cells(outside).map(|cell| cell.0));
    }

    fn add(&mut self, place: PlaceId) {
        let ty = self.world.program.place_ty(place);
        if !matches!(self.world.program.types.get(ty), Type::Pointer(_) | Type::Float(_)) {
            let cells = self.world.cells(place);
            self.cells.union_with(&cells);
        }
    }

    /// Whether the value may be any number.
    fn is_any(&self, e: ExprId) -> bool {
        let world = self.world;
        let e = world.stripped(e);
        match world.program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero => {
                world.program.as_int(e).is_none_or(|number| number >= FIRST_DESCRIPTOR)
            }
            ExprKind::FuncAddr(_) | ExprKind::AddrOf(_) => false,
            ExprKind::Load(place) => world.cells(place).intersects(&self.cells),
            ExprKind::Binary(op, ..) => !op.is_comparison(),
            ExprKind::Unary(..) | ExprKind::Cast(_) => true,
            ExprKind::PtrAdd(..) | ExprKind::PtrDiff(..) => true,
        }
    }

    fn operation(&mut self, func: FuncId, edge: EdgeId, op: &Op) {
        match op {
            Op::Assign { dst, src } if self.is_any(*src) => self.add(*dst),
            Op::Havoc(dst) => self.add(*dst),
            Op::HavocMemory => {
                self.cells.union_with(self.world.points_to.escaped_cells());
            }
            Op::VaArg { dst, list } => {
                let arguments = self.world.points_to.argument_cells(self.world.program, *list);
                if arguments.intersects(&self.cells) {
                    self.add(*dst);
                }
            }
            Op::VaCopy { dst, src } if self.world.cells(*src).intersects(&self.cells) => {
                self.add(*dst);
            }
            Op::Return(Some(e)) if self.is_any(*e) => self.results[func.index()] = true,
            Op::Call(call) => self.call(func, edge, call),
            _ => {}
        }
    }

    fn call(&mut self, func: FuncId, edge: EdgeId, call: &Call) {
        let world = self.world;
        let program = world.program;
        let callees = world.points_to.callees(program, func, edge);
        let called = world.called(func, edge, call);
        let mut outside = callees.outside;
        let mut result = false;
        for &callee in &callees.functions {
            if program.funcs[callee].body.is_none() {
                outside = true;
                continue;
            }
            result |= self.results[callee.index()] && !called.fresh;
            for (number, &arg) in call.args.iter().enumerate() {
                if !self.is_any(arg) {
                    continue;
                }
                match program.funcs[callee].params.get(number) {
                    Some(&param) => self.cells.extend(world.variable_cells(param)),
                    None => self.cells.extend(world.further_arguments(callee)),
                }
            }
        }
        for &callback in &callees.callbacks {
            for &param in &program.funcs[callback].params {
                self.cells.extend(world.variable_cells(param));
            }
        }
        if outside && !called.fresh {
            self.cells.union_with(&called.effects.writes);
        } else if let (true, Some(dst)) = (result, call.dst) {
            self.add(dst);
        }
    }
}
