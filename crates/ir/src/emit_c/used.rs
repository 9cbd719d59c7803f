//! What a program uses: only that is declared, so that the thousand declarations of the system's
//! headers do not get into the way.

use crate::arena::{Arena, Id};
use crate::cfa::{Callee, Cfa, Op};
use crate::emit_c::body::{Branch, branch};
use crate::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use crate::program::{FuncId, InitItem, Program, Storage, VarId};
use crate::types::{RecordId, Type, TypeId};

/// What is used, by the contents of functions and by initialisers.
pub(super) struct Used {
    pub(super) funcs: Arena<FuncId, bool>,
    pub(super) vars: Arena<VarId, bool>,
    /// Variables that are written by name.
    pub(super) written: Arena<VarId, bool>,
    pub(super) records: Arena<RecordId, bool>,
    /// Whether runs can stop in the middle.
    pub(super) stop: bool,
    /// Whether there are nondeterministic choices.
    pub(super) choice: bool,
    /// Whether values are made up.
    pub(super) havoc: bool,
}

impl Used {
    pub(super) fn of(program: &Program) -> Self {
        let none = |count: usize| (0..count).map(|_| false);
        let mut marking = Marking {
            program,
            used: Used {
                funcs: none(program.funcs.len()).collect(),
                vars: none(program.vars.len()).collect(),
                written: none(program.vars.len()).collect(),
                records: none(program.types.records().len()).collect(),
                stop: false,
                choice: false,
                havoc: false,
            },
            types: vec![false; program.types.len()],
            exprs: vec![false; program.exprs.expr_count()],
            places: vec![false; program.exprs.place_count()],
            work: Vec::new(),
        };
        marking.roots();
        marking.finish();
        marking.used
    }
}

enum Node {
    Expr(ExprId),
    Place(PlaceId),
    Type(TypeId),
}

struct Marking<'p> {
    program: &'p Program,
    used: Used,
    types: Vec<bool>,
    exprs: Vec<bool>,
    places: Vec<bool>,
    work: Vec<Node>,
}

impl Marking<'_> {
    fn roots(&mut self) {
        let program = self.program;
        for var in program.vars.iter() {
            let Storage::Static { init: Some(init), .. } = &var.storage else { continue };
            self.work.push(Node::Type(var.ty));
            for item in &init.items {
                match item {
                    InitItem::Value { place, value } => {
                        self.work.extend([Node::Place(*place), Node::Expr(*value)]);
                    }
                    InitItem::Bytes { place, .. } => self.work.push(Node::Place(*place)),
                }
            }
        }
        for function in program.funcs.iter() {
            let Some(body) = &function.body else { continue };
            self.work.push(Node::Type(function.ty));
            for var in function.params.iter().chain(&function.locals) {
                self.work.push(Node::Type(program.vars[*var].ty));
            }
            for edge in body.edges().iter() {
                self.op(&edge.op);
            }
            self.branches(body);
        }
    }

    fn branches(&mut self, body: &Cfa) {
        for loc in body.locs().filter(|&loc| loc != body.exit()) {
            match branch(self.program, body, loc) {
                Branch::Dead | Branch::Condition(_) => self.used.stop = true,
                Branch::Choice(_) => {
                    self.used.stop = true;
                    self.used.choice = true;
                }
                Branch::Straight(_) | Branch::Two(..) => {}
            }
        }
    }

    fn write(&mut self, place: PlaceId) {
        self.work.push(Node::Place(place));
        if let Some(var) = self.program.exprs.root_var(place) {
            self.used.written[var] = true;
        }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Skip | Op::Declare(_) | Op::Return(None) => {}
            Op::HavocMemory => self.used.havoc = true,
            Op::Assume(e) | Op::Return(Some(e)) => self.work.push(Node::Expr(*e)),
            Op::Assign { dst, src } | Op::Alloca { dst, size: src } => {
                self.write(*dst);
                self.work.push(Node::Expr(*src));
            }
            Op::Call(call) => {
                if let Some(dst) = call.dst {
                    self.write(dst);
                }
                match call.callee {
                    Callee::Direct(func) => self.func(func),
                    Callee::Indirect(pointer) => self.work.push(Node::Expr(pointer)),
                }
                self.work.extend(call.args.iter().map(|&arg| Node::Expr(arg)));
            }
            Op::Havoc(place) => {
                self.used.havoc = true;
                self.write(*place);
            }
            Op::VaStart(place) | Op::VaEnd(place) => self.write(*place),
            Op::VaArg { dst, list: other } | Op::VaCopy { dst, src: other } => {
                self.write(*dst);
                self.write(*other);
            }
        }
    }

    fn func(&mut self, func: FuncId) {
        self.used.funcs[func] = true;
        self.work.push(Node::Type(self.program.funcs[func].ty));
    }

    fn finish(&mut self) {
        while let Some(node) = self.work.pop() {
            let seen = match node {
                Node::Expr(e) => &mut self.exprs[e.index()],
                Node::Place(p) => &mut self.places[p.index()],
                Node::Type(t) => &mut self.types[t.index()],
            };
            if std::mem::replace(seen, true) {
                continue;
            }
            match node {
                Node::Expr(e) => self.expr(e),
                Node::Place(p) => self.place(p),
                Node::Type(t) => self.ty(t),
            }
        }
    }

    fn expr(&mut self, e: ExprId) {
        let expr = self.program.exprs.expr(e);
        self.work.push(Node::Type(expr.ty));
        match expr.kind {
            ExprKind::Const(_) | ExprKind::Zero => {}
            ExprKind::FuncAddr(func) => self.func(func),
            ExprKind::Load(p) | ExprKind::AddrOf(p) => self.work.push(Node::Place(p)),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.work.push(Node::Expr(a)),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                self.work.extend([Node::Expr(a), Node::Expr(b)]);
            }
        }
    }

    fn place(&mut self, p: PlaceId) {
        let place = self.program.exprs.place(p);
        self.work.push(Node::Type(place.ty));
        match place.kind {
            PlaceKind::Var(var) => {
                self.used.vars[var] = true;
                self.work.push(Node::Type(self.program.vars[var].ty));
            }
            PlaceKind::Deref(e) => self.work.push(Node::Expr(e)),
            PlaceKind::Field(base, _) => self.work.push(Node::Place(base)),
            PlaceKind::Index(base, e) => self.work.extend([Node::Place(base), Node::Expr(e)]),
        }
    }

    fn ty(&mut self, ty: TypeId) {
        match self.program.types.get(ty) {
            Type::Pointer(to) => self.work.push(Node::Type(*to)),
            Type::Array { elem, .. } => self.work.push(Node::Type(*elem)),
            Type::Function(signature) => {
                self.work.extend(signature.params.iter().map(|&param| Node::Type(param)));
                self.work.push(Node::Type(signature.result));
            }
            Type::Record(id) => {
                self.used.records[*id] = true;
                let fields = &self.program.types.record(*id).fields;
                self.work.extend(fields.iter().map(|field| Node::Type(field.ty)));
            }
            _ => {}
        }
    }
}
