//! Where numbers come from, without regard to the order of statements.
//!
//! A watched descriptor is a number, and any number may be equal to it. But most variables for
//! descriptors get results of functions that give out new ones, and small or negative constants,
//! and nothing else, wherever they are assigned; so they hold a watched number only if it was
//! stored there. Here all other cells are found: those that may hold a number that nobody knows.
//! And of a watched number, all cells that it can be copied to: what points-to sets are for pointers.

use std::cell::RefCell;
use std::rc::Rc;

use gnomon_budget::{Budget, Exhausted};
use gnomon_flow::points_to::Objects;
use gnomon_flow::sparse_set::SparseSet;
use gnomon_ir::cfa::{Call, EdgeId, Op};
use gnomon_ir::expr::{ExprId, ExprKind, PlaceId};
use gnomon_ir::program::{FuncId, InitItem, Storage};
use gnomon_ir::types::Type;
use rustc_hash::FxHashMap;

use super::fresh::FIRST_DESCRIPTOR;
use super::world::World;

/// What is in one of these may be copied to all of those.
type Copy = (Rc<SparseSet>, Rc<SparseSet>);

/// Copies of numbers. Besides cells, results of functions have numbers.
#[derive(Default)]
pub(super) struct Numbers {
    copies: Vec<Copy>,
    /// Cells that may hold a number that nobody knows.
    pub any: SparseSet,
    first_result: u32,
    /// Where the number may be that is watched from a beginning on.
    holders: RefCell<FxHashMap<u32, Watched>>,
}

/// Where a number may be that is watched.
#[derive(Clone)]
struct Watched {
    cells: Rc<SparseSet>,
    /// Without those that may hold any number.
    only: Rc<SparseSet>,
}

impl Numbers {
    /// Looks at all operations.
    pub fn find(world: &World<'_>, budget: &Budget) -> Result<Self, Exhausted> {
        let first_result = world.points_to.objects().cell_count() as u32;
        let mut search = Search {
            world,
            copies: Vec::new(),
            new: Vec::new(),
            any: SparseSet::new(),
            first_result,
        };
        search.at_the_start();
        for (func, function) in world.program.funcs.iter_ids() {
            for (id, edge) in function.body.iter().flat_map(|body| body.edges().iter_ids()) {
                budget.check()?;
                search.operation(func, id, &edge.op);
            }
        }
        let Search { mut copies, new, any, .. } = search;
        let any = closed(&copies, any);
        copies.extend(new);
        Ok(Self { copies, any, first_result, holders: RefCell::default() })
    }

    /// Whether a function may return a number that nobody knows.
    pub fn has_any_result(&self, func: FuncId) -> bool {
        !self.any.is_empty() && self.any.contains(self.first_result + func.0)
    }

    /// A watch begins when these cells have the number.
    pub fn begin(&self, origin: u32, cells: impl Iterator<Item = u32>) {
        if self.first_result == 0 {
            return;
        }
        let mut all: SparseSet = cells.collect();
        let known = self.of(origin);
        if known.as_ref().is_some_and(|known| all.is_subset(known)) {
            return;
        }
        known.iter().for_each(|known| {
            all.union_with(known);
        });
        let cells = Rc::new(closed(&self.copies, all));
        let only = Rc::new(cells.without(&self.any));
        self.holders.borrow_mut().insert(origin, Watched { cells, only });
    }

    /// Where the watched number may be; `None` if that is not known.
    pub fn of(&self, origin: u32) -> Option<Rc<SparseSet>> {
        self.holders.borrow().get(&origin).map(|watched| watched.cells.clone())
    }

    /// Where it may be, of the cells that may not hold any number; `None` if that is not known.
    pub fn only(&self, origin: u32) -> Option<Rc<SparseSet>> {
        self.holders.borrow().get(&origin).map(|watched| watched.only.clone())
    }
}

/// With all that is copied from there.
fn closed(copies: &[Copy], mut cells: SparseSet) -> SparseSet {
    loop {
        let mut changed = false;
        for (from, to) in copies {
            if from.intersects(&cells) {
                changed |= cells.union_with(to);
            }
        }
        if !changed {
            return cells;
        }
    }
}

struct Search<'a, 'w> {
    world: &'a World<'w>,
    copies: Vec<Copy>,
    /// Copies of results that are new: one of them may be watched, but none is any number.
    new: Vec<Copy>,
    any: SparseSet,
    first_result: u32,
}

/// What a number is.
enum Source {
    /// One that cannot be watched.
    Harmless,
    /// Any.
    Any,
    /// A copy of what is in one of these cells.
    Copy(Rc<SparseSet>),
}

impl Search<'_, '_> {
    fn at_the_start(&mut self) {
        let program = self.world.program;
        for (var, found) in program.vars.iter_ids() {
            match &found.storage {
                Storage::Static { init: Some(init), .. } => {
                    for item in &init.items {
                        match item {
                            InitItem::Value { place, value } => {
                                let source = self.source(*value);
                                self.store(source, *place);
                            }
                            InitItem::Bytes { place, .. } => self.store(Source::Any, *place),
                        }
                    }
                }
                Storage::Static { init: None, .. } => {
                    self.any.extend(self.world.variable_cells(var));
                }
                Storage::Param(func) if Some(*func) == self.world.automaton.entry => {
                    self.any.extend(self.world.variable_cells(var));
                }
                _ => {}
            }
        }
        self.any.union_with(&self.world.unstable);
        let objects = self.world.points_to.objects();
        self.any.extend(objects.cells(Objects::OUTSIDE).map(|cell| cell.0));
    }

    fn source(&self, e: ExprId) -> Source {
        let world = self.world;
        let e = world.stripped(e);
        let any = match world.program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero => {
                world.program.as_int(e).is_none_or(|number| number >= FIRST_DESCRIPTOR)
            }
            ExprKind::FuncAddr(_) | ExprKind::AddrOf(_) => false,
            ExprKind::Load(place) => return Source::Copy(world.cells(place)),
            ExprKind::Binary(op, ..) => !op.is_comparison(),
            ExprKind::Unary(..) | ExprKind::Cast(_) => true,
            ExprKind::PtrAdd(..) | ExprKind::PtrDiff(..) => true,
        };
        if any { Source::Any } else { Source::Harmless }
    }

    fn store(&mut self, source: Source, place: PlaceId) {
        let ty = self.world.program.place_ty(place);
        if !matches!(self.world.program.types.get(ty), Type::Pointer(_) | Type::Float(_)) {
            let cells = self.world.cells(place);
            self.flow(source, cells);
        }
    }

    fn flow(&mut self, source: Source, to: Rc<SparseSet>) {
        match source {
            Source::Harmless => {}
            Source::Any => {
                self.any.union_with(&to);
            }
            Source::Copy(from) => self.copies.push((from, to)),
        }
    }

    fn result(&self, func: FuncId) -> Rc<SparseSet> {
        Rc::new([self.first_result + func.0].into_iter().collect())
    }

    fn operation(&mut self, func: FuncId, edge: EdgeId, op: &Op) {
        let world = self.world;
        match op {
            Op::Assign { dst, src } => {
                let source = self.source(*src);
                self.store(source, *dst);
            }
            Op::Havoc(dst) => self.store(Source::Any, *dst),
            Op::HavocMemory => {
                self.any.union_with(world.points_to.escaped_cells());
            }
            Op::VaArg { dst, list } => {
                let arguments = world.points_to.argument_cells(world.program, *list);
                self.store(Source::Copy(Rc::new(arguments)), *dst);
            }
            Op::VaCopy { dst, src } => {
                let source = Source::Copy(world.cells(*src));
                self.flow(source, world.cells(*dst));
            }
            Op::Return(Some(e)) => {
                let source = self.source(*e);
                let result = self.result(func);
                self.flow(source, result);
            }
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
        for &callee in &callees.functions {
            if program.funcs[callee].body.is_none() {
                outside = true;
                continue;
            }
            for (number, &arg) in call.args.iter().enumerate() {
                let to: SparseSet = match program.funcs[callee].params.get(number) {
                    Some(&param) => world.variable_cells(param).collect(),
                    None => world.further_arguments(callee).collect(),
                };
                let source = self.source(arg);
                self.flow(source, Rc::new(to));
            }
            match call.dst {
                Some(dst) if called.fresh => self.new.push((self.result(callee), world.cells(dst))),
                Some(dst) => {
                    let result = self.result(callee);
                    self.store(Source::Copy(result), dst);
                }
                None => {}
            }
        }
        for &callback in &callees.callbacks {
            for &param in &program.funcs[callback].params {
                self.any.extend(world.variable_cells(param));
            }
        }
        if outside && !called.fresh {
            self.any.union_with(&called.effects.writes);
        }
    }
}
