//! Types of expressions and places.

use crate::arena::Id;
use crate::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, UnaryOp};
use crate::ops;
use crate::program::Storage;
use crate::types::{Type, TypeId, Types};
use crate::validate::Check;

/// What is still to be looked at.
#[derive(Clone, Copy)]
enum Node {
    Expr(ExprId),
    Place(PlaceId),
}

impl Check<'_> {
    /// Checks an expression and all its parts; false if there is no such expression.
    pub(super) fn expr(&mut self, id: ExprId) -> bool {
        self.all_parts(Node::Expr(id))
    }

    /// Checks a place and all its parts; false if there is no such place.
    pub(super) fn place(&mut self, id: PlaceId) -> bool {
        self.all_parts(Node::Place(id))
    }

    fn in_range(&self, node: Node) -> bool {
        match node {
            Node::Expr(e) => e.index() < self.seen_exprs.len(),
            Node::Place(p) => p.index() < self.seen_places.len(),
        }
    }

    fn all_parts(&mut self, root: Node) -> bool {
        if !self.in_range(root) {
            self.report("an expression or place that does not exist");
            return false;
        }
        let mut work = vec![root];
        let mut sound = true;
        while let Some(node) = work.pop() {
            let seen = match node {
                Node::Expr(e) => &mut self.seen_exprs[e.index()],
                Node::Place(p) => &mut self.seen_places[p.index()],
            };
            if std::mem::replace(seen, self.round) == self.round {
                continue;
            }
            let first_part = work.len();
            match node {
                Node::Expr(e) => self.push_expr_parts(e, &mut work),
                Node::Place(p) => self.push_place_parts(p, &mut work),
            }
            if !work[first_part..].iter().all(|&part| self.in_range(part)) {
                work.truncate(first_part);
                self.report("a part of an expression does not exist");
                sound = false;
                continue;
            }
            let problem = match node {
                Node::Expr(e) => self.expr_problem(e),
                Node::Place(p) => self.place_problem(p),
            };
            if let Some(problem) = problem {
                let shown = match node {
                    Node::Expr(e) => format!("{e:?} ({:?})", self.program.exprs.expr(e)),
                    Node::Place(p) => format!("{p:?} ({:?})", self.program.exprs.place(p)),
                };
                self.report(format!("{shown}: {problem}"));
            }
        }
        sound
    }

    fn push_expr_parts(&self, e: ExprId, work: &mut Vec<Node>) {
        match self.program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
            ExprKind::Load(p) | ExprKind::AddrOf(p) => work.push(Node::Place(p)),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => work.push(Node::Expr(a)),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                work.extend([Node::Expr(a), Node::Expr(b)]);
            }
        }
    }

    fn push_place_parts(&self, p: PlaceId, work: &mut Vec<Node>) {
        match self.program.exprs.place(p).kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Deref(e) => work.push(Node::Expr(e)),
            PlaceKind::Field(base, _) => work.push(Node::Place(base)),
            PlaceKind::Index(base, e) => work.extend([Node::Place(base), Node::Expr(e)]),
        }
    }

    /// What is wrong with the expression itself; its parts exist.
    fn expr_problem(&self, id: ExprId) -> Option<&'static str> {
        let program = self.program;
        let types = &program.types;
        let expr = program.exprs.expr(id);
        let ty = expr.ty;
        if !self.type_in_range(ty) {
            return Some("a type that does not exist");
        }
        match expr.kind {
            ExprKind::Const(bits) => {
                let bits = program.exprs.bits(bits);
                let Some(scalar) = types.scalar(ty).filter(|_| !types.is_pointer(ty)) else {
                    return Some("a constant that is not a number");
                };
                let fits = match types.get(ty) {
                    Type::Bool => bits <= 1,
                    _ => ops::truncate(bits, scalar.width()) == bits,
                };
                (!fits).then_some("a constant with more bits than its type")
            }
            ExprKind::Zero => (!self.is_object(ty)).then_some("zero of something incomplete"),
            ExprKind::Load(place) => {
                if program.place_ty(place) != ty {
                    return Some("a load of another type than its place");
                }
                (!self.is_object(ty)).then_some("a load of something incomplete")
            }
            ExprKind::AddrOf(place) => self.address_problem(ty, place),
            ExprKind::FuncAddr(func) => {
                let function = program.funcs.get(func).map(|f| f.ty);
                (function.is_none() || types.pointee(ty) != function)
                    .then_some("the address of a function has another type")
            }
            ExprKind::Unary(op, operand) => {
                let fits = match op {
                    UnaryOp::Neg => self.is_int(ty) || types.is_float(ty),
                    UnaryOp::BitNot => self.is_int(ty),
                };
                (!fits || program.expr_ty(operand) != ty).then_some("an operand of the wrong type")
            }
            ExprKind::Binary(op, a, b) => {
                self.binary_problem(op, ty, program.expr_ty(a), program.expr_ty(b))
            }
            ExprKind::PtrAdd(pointer, index) => {
                let pointee = types.pointee(ty);
                if program.expr_ty(pointer) != ty || pointee.is_none() {
                    return Some("what is moved is not a pointer of the result's type");
                }
                if !types.is_integer(program.expr_ty(index)) {
                    return Some("a pointer is moved by something that is not an integer");
                }
                (!self.has_stride(pointee)).then_some("a pointer to something incomplete is moved")
            }
            ExprKind::PtrDiff(a, b) => {
                let (left, right) = (program.expr_ty(a), program.expr_ty(b));
                if left != right || !types.is_pointer(left) || ty != types.ptrdiff_type() {
                    return Some("a difference needs two pointers of one type");
                }
                (!self.has_stride(types.pointee(left)))
                    .then_some("a difference of pointers to something incomplete")
            }
            ExprKind::Cast(operand) => {
                let from = program.expr_ty(operand);
                if !self.type_in_range(from) || !types.is_scalar(from) || !types.is_scalar(ty) {
                    return Some("only numbers and pointers are converted");
                }
                let mixes = |a, b| types.is_pointer(a) && types.is_float(b);
                (mixes(from, ty) || mixes(ty, from))
                    .then_some("a conversion between a pointer and floating point")
            }
        }
    }

    /// An integer that is computed with: `_Bool` is only stored, compared and converted.
    fn is_int(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Int { .. })
    }

    fn has_stride(&self, pointee: Option<TypeId>) -> bool {
        pointee.is_some_and(|ty| {
            self.is_object(ty)
                || matches!(self.program.types.get(ty), Type::Void | Type::Function(_))
        })
    }

    fn address_problem(&self, ty: TypeId, place: PlaceId) -> Option<&'static str> {
        let exprs = &self.program.exprs;
        let at = exprs.place(place);
        if self.program.types.pointee(ty) != Some(at.ty) {
            return Some("an address is not a pointer to the type of its place");
        }
        if let PlaceKind::Field(base, field) = at.kind
            && let Some((_, record)) = self.program.types.as_record(exprs.place(base).ty)
            && record.fields.get(field as usize).is_some_and(|f| f.bits.is_some())
        {
            return Some("the address of a bit-field");
        }
        let root = exprs.root_var(place).and_then(|var| self.program.vars.get(var));
        root.is_some_and(|var| !var.address_taken)
            .then_some("the address of a variable that is not marked so")
    }

    fn binary_problem(
        &self,
        op: BinaryOp,
        ty: TypeId,
        left: TypeId,
        right: TypeId,
    ) -> Option<&'static str> {
        let types = &self.program.types;
        if op.is_shift() {
            let fits = ty == left && self.is_int(left) && types.is_integer(right);
            return (!fits).then_some("a shift of something that is not an integer");
        }
        if left != right {
            return Some("operands of different types");
        }
        let fits = match op {
            _ if op.is_comparison() => ty == Types::I32 && types.is_scalar(left),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                ty == left && (self.is_int(left) || types.is_float(left))
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                ty == left && types.is_integer(left)
            }
            _ => ty == left && self.is_int(left),
        };
        (!fits).then_some("an operation on the wrong types")
    }

    /// What is wrong with the place itself; its parts exist.
    fn place_problem(&self, id: PlaceId) -> Option<&'static str> {
        let program = self.program;
        let types = &program.types;
        let place = program.exprs.place(id);
        if !self.type_in_range(place.ty) {
            return Some("a type that does not exist");
        }
        match place.kind {
            PlaceKind::Var(var) => {
                let Some(var) = program.vars.get(var) else {
                    return Some("a variable that does not exist");
                };
                if matches!(var.storage, Storage::Param(_) | Storage::Local(_))
                    && var.storage.function() != self.function
                {
                    return Some("a variable of another function");
                }
                (var.ty != place.ty).then_some("another type than the variable's")
            }
            PlaceKind::Deref(pointer) => (types.pointee(program.expr_ty(pointer))
                != Some(place.ty))
            .then_some("another type than what the pointer points to"),
            PlaceKind::Field(base, field) => {
                let record = types.as_record(program.place_ty(base));
                let ty = record.and_then(|(_, r)| r.fields.get(field as usize)).map(|f| f.ty);
                (ty != Some(place.ty)).then_some("no such member, or of another type")
            }
            PlaceKind::Index(base, index) => {
                let elem = match *types.get(program.place_ty(base)) {
                    Type::Array { elem, .. } => Some(elem),
                    _ => None,
                };
                if !types.is_integer(program.expr_ty(index)) {
                    return Some("an index that is not an integer");
                }
                (elem != Some(place.ty)).then_some("no array, or one of other elements")
            }
        }
    }

    /// Whether all indices on the way are numbers; the place exists.
    pub(super) fn is_constant_place(&self, place: PlaceId) -> bool {
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => true,
            PlaceKind::Field(base, _) => self.is_constant_place(base),
            PlaceKind::Index(base, index) => {
                self.program.as_int(index).is_some() && self.is_constant_place(base)
            }
            PlaceKind::Deref(pointer) => self.is_constant(pointer),
        }
    }

    /// Whether the value is known before the program starts: no loads but from what is read-only,
    /// and addresses only of what lives as long as the program.
    pub(super) fn is_constant(&self, e: ExprId) -> bool {
        crate::precedence::with_stack(|| match self.program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => true,
            ExprKind::Load(place) => {
                let root = self.program.exprs.root_var(place);
                let read_only = |v| {
                    let storage = &self.program.vars[v].storage;
                    matches!(storage, Storage::Static { read_only: true, .. })
                };
                root.is_some_and(read_only) && self.is_constant_place(place)
            }
            ExprKind::AddrOf(place) => {
                let root = self.program.exprs.root_var(place);
                let lives = root.is_none_or(|v| {
                    let storage = &self.program.vars[v].storage;
                    matches!(storage, Storage::Static { thread_local: false, .. })
                });
                lives && self.is_constant_place(place)
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.is_constant(a),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrDiff(a, b) => {
                self.is_constant(a) && self.is_constant(b)
            }
        })
    }
}
