//! A small inclusion-based points-to analysis for the tests: variables and objects hold sets of
//! targets, contents of objects are not told apart by field, offsets in targets are exact until a
//! pointer is moved. Integers carry the pointers that they were made from.

use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::library::{Library, classify};
use gnomon_ir::program::{FuncId, InitItem, Program, Storage, VarId, source_name};
use gnomon_logic::encode::aliases::{Aliases, Object, Offset, Target, Targets};
use std::collections::{BTreeMap, BTreeSet};

type Set = BTreeSet<Target>;

/// What everything holds.
pub struct PointsTo<'p> {
    program: &'p Program,
    contents: BTreeMap<Object, Set>,
    returns: BTreeMap<FuncId, Set>,
    changed: bool,
}

impl Aliases for PointsTo<'_> {
    fn targets(&self, pointer: ExprId) -> Targets {
        Targets::Known(self.value(pointer).into_iter().collect())
    }
}

impl<'p> PointsTo<'p> {
    pub fn new(program: &'p Program) -> Self {
        let mut found =
            Self { program, contents: BTreeMap::new(), returns: BTreeMap::new(), changed: true };
        while found.changed {
            found.changed = false;
            found.round();
        }
        found
    }

    fn round(&mut self) {
        let program = self.program;
        for (var, info) in program.vars.iter_ids() {
            let Storage::Static { init: Some(init), .. } = &info.storage else { continue };
            for item in &init.items {
                if let InitItem::Value { value, .. } = item {
                    let set = self.value(*value);
                    self.add(Object::Variable(var), set);
                }
            }
        }
        for (func, function) in program.funcs.iter_ids() {
            let Some(body) = &function.body else { continue };
            for (edge, info) in body.edges().iter_ids() {
                match &info.op {
                    Op::Assign { dst, src } => {
                        let set = self.value(*src);
                        self.store(*dst, set);
                    }
                    Op::Return(Some(e)) => {
                        let set = self.value(*e);
                        let returns = self.returns.entry(func).or_default();
                        let before = returns.len();
                        returns.extend(set);
                        self.changed |= returns.len() > before;
                    }
                    Op::Call(call) => self.call(func, edge, call),
                    Op::Alloca { dst, .. } => {
                        let set = allocated(func, edge);
                        self.store(*dst, set);
                    }
                    _ => {}
                }
            }
        }
    }

    fn add(&mut self, object: Object, set: Set) {
        let held = self.contents.entry(object).or_default();
        let before = held.len();
        held.extend(set);
        self.changed |= held.len() > before;
    }

    fn call(&mut self, func: FuncId, edge: EdgeId, call: &Call) {
        let program = self.program;
        let callees: Vec<FuncId> = match call.callee {
            Callee::Direct(callee) => vec![callee],
            Callee::Indirect(pointer) => self
                .value(pointer)
                .into_iter()
                .filter_map(|t| if let Object::Function(f) = t.object { Some(f) } else { None })
                .collect(),
        };
        for callee in callees {
            let function = &program.funcs[callee];
            let mut result = Set::new();
            if function.body.is_some() {
                for (&param, &arg) in function.params.iter().zip(&call.args) {
                    let set = self.value(arg);
                    self.add(Object::Variable(param), set);
                }
                result = self.returns.get(&callee).cloned().unwrap_or_default();
            } else {
                match classify(source_name(&function.name), program.types.target()) {
                    Library::Alloc(_) => result = allocated(func, edge),
                    Library::MemCopy => {
                        let (to, from) = (self.value(call.args[0]), self.value(call.args[1]));
                        let copied: Set = from.iter().flat_map(|t| self.held(t.object)).collect();
                        for target in &to {
                            self.add(target.object, copied.clone());
                        }
                        result = to;
                    }
                    Library::MemSet | Library::MemWrite => result = self.value(call.args[0]),
                    _ => {}
                }
            }
            if let Some(dst) = call.dst {
                self.store(dst, result);
            }
        }
    }

    fn held(&self, object: Object) -> Set {
        self.contents.get(&object).cloned().unwrap_or_default()
    }

    fn store(&mut self, place: PlaceId, set: Set) {
        if !set.is_empty() {
            for target in self.place(place) {
                self.add(target.object, set.clone());
            }
        }
    }

    /// Where a place is; plain variables are objects too.
    fn place(&self, place: PlaceId) -> Set {
        let info = self.program.exprs.place(place);
        match info.kind {
            PlaceKind::Var(var) => [whole(var)].into(),
            PlaceKind::Deref(pointer) => self.value(pointer),
            PlaceKind::Field(base, number) => {
                let record = self.program.types.as_record(self.program.place_ty(base));
                let offset = record.map_or(0, |(_, r)| r.fields[number as usize].offset);
                self.place(base).into_iter().map(|t| moved(t, offset as i64)).collect()
            }
            PlaceKind::Index(base, index) => {
                let size = self.program.types.size(info.ty);
                let bytes = self.program.as_int(index).map(|i| i as i64 * size as i64);
                let step = |t: Target| match bytes {
                    Some(bytes) => moved(t, bytes),
                    None => Target { offset: t.offset.repeated(size), ..t },
                };
                self.place(base).into_iter().map(step).collect()
            }
        }
    }

    fn value(&self, e: ExprId) -> Set {
        let expr = self.program.exprs.expr(e);
        match expr.kind {
            ExprKind::Const(_) | ExprKind::Zero => Set::new(),
            ExprKind::Load(place) => {
                self.place(place).into_iter().flat_map(|t| self.held(t.object)).collect()
            }
            ExprKind::AddrOf(place) => self.place(place),
            ExprKind::FuncAddr(func) => {
                [Target { object: Object::Function(func), offset: Offset::Exact(0) }].into()
            }
            ExprKind::PtrAdd(pointer, _) => {
                let to = self.program.types.pointee(self.program.expr_ty(pointer));
                let size = to.map_or(1, |to| self.program.types.size(to));
                let step = |t: Target| Target { offset: t.offset.repeated(size), ..t };
                self.value(pointer).into_iter().map(step).collect()
            }
            ExprKind::Cast(a) => self.value(a),
            ExprKind::Unary(_, a) => anywhere(self.value(a)),
            ExprKind::Binary(op, a, b) => {
                let compares = op.is_comparison() || matches!(op, BinaryOp::Div | BinaryOp::Rem);
                if compares {
                    return Set::new();
                }
                anywhere(self.value(a).into_iter().chain(self.value(b)).collect())
            }
            ExprKind::PtrDiff(..) => Set::new(),
        }
    }
}

fn whole(var: VarId) -> Target {
    Target { object: Object::Variable(var), offset: Offset::Exact(0) }
}

fn allocated(function: FuncId, edge: EdgeId) -> Set {
    let object = Object::Allocated { function, edge, context: 0 };
    [Target { object, offset: Offset::Exact(0) }].into()
}

fn moved(target: Target, bytes: i64) -> Target {
    Target { offset: target.offset.moved(bytes), ..target }
}

fn anywhere(set: Set) -> Set {
    set.into_iter().map(|t| Target { offset: Offset::ANY, ..t }).collect()
}
