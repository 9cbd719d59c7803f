//! Which values from outside stand for all of them.
//!
//! A number that comes from outside can have more values than can be tried. Often few are enough: what nobody reads
//! may as well be 0, and what is copied between variables and compared with constants only does the same for all
//! numbers between two constants. Where each input flows is found out here, without regard to the order of steps;
//! where it is computed with, stored behind a pointer, handed to a function or compared with anything that is no
//! constant, nothing is known. Values with the same answers to all comparisons leave states that differ in nothing a
//! program can see, so trying one of each is trying all.

use std::collections::{BTreeMap, BTreeSet};

use gnomon_ir::cfa::{Call, Callee, EdgeId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::program::{FuncId, Program, VarId, source_name};
use gnomon_ir::types::{Type, TypeId};

use crate::sharing::{for_each_load, for_each_load_on_the_way};

/// Most values that are tried for an input.
const MOST: usize = 12;

/// The values of inputs that stand for all, by the edge that asks.
pub(crate) struct Inputs {
    enough: BTreeMap<(FuncId, EdgeId), Vec<u128>>,
    constants: Vec<u128>,
}

impl Inputs {
    /// Of a program; some variables belong to the model and are asked about otherwise.
    pub(crate) fn of(program: &Program, own: &BTreeSet<VarId>) -> Self {
        let uses = Uses::of(program);
        let mut enough = BTreeMap::new();
        for (func, function) in program.funcs.iter_ids() {
            let Some(body) = &function.body else { continue };
            for (edge, found) in body.edges().iter_ids() {
                let Some(place) = asked(program, &found.op) else { continue };
                let PlaceKind::Var(var) = program.exprs.place(place).kind else { continue };
                if own.contains(&var) {
                    continue;
                }
                if let Some(values) = uses.enough(program, var) {
                    enough.insert((func, edge), values);
                }
            }
        }
        Self { enough, constants: Vec::new() }
    }

    /// Values that are as good as others, where not all can be tried.
    pub(crate) fn constants(&self) -> &[u128] {
        &self.constants
    }

    /// With values that are as good as others, where not all can be tried.
    pub(crate) fn with_constants(self, constants: Vec<u128>) -> Self {
        Self { constants, ..self }
    }

    /// The values that stand for all, if so few do.
    pub(crate) fn at(&self, at: Option<(FuncId, EdgeId)>) -> Option<&[u128]> {
        self.enough.get(&at?).map(Vec::as_slice)
    }
}

/// Where an operation stores a value that it asks for.
fn asked(program: &Program, op: &Op) -> Option<PlaceId> {
    match op {
        Op::Havoc(place) => Some(*place),
        Op::Call(Call { dst, callee: Callee::Direct(func), .. }) => {
            let function = &program.funcs[*func];
            let asks = source_name(&function.name).starts_with("__VERIFIER_nondet_");
            dst.filter(|_| asks && function.body.is_none())
        }
        _ => None,
    }
}

/// What is done with the value of each variable.
#[derive(Default)]
struct Uses {
    /// Where it is copied to.
    copies: BTreeMap<VarId, BTreeSet<VarId>>,
    /// What it is compared with.
    compared: BTreeMap<VarId, BTreeSet<i128>>,
    /// Variables with which more is done.
    other: BTreeSet<VarId>,
}

impl Uses {
    fn of(program: &Program) -> Self {
        let mut uses = Self::default();
        for function in program.funcs.iter() {
            let Some(body) = &function.body else { continue };
            for edge in body.edges().iter() {
                uses.op(program, &edge.op);
            }
        }
        uses
    }

    fn op(&mut self, program: &Program, op: &Op) {
        match op {
            Op::Skip | Op::Declare(_) | Op::HavocMemory | Op::Return(None) => {}
            Op::Assume(condition) => self.condition(program, *condition),
            Op::Assign { dst, src } => {
                match (program.exprs.place(*dst).kind, copied(program, *src)) {
                    (PlaceKind::Var(to), Some(from)) if is_plain(program, to) => {
                        self.copies.entry(from).or_default().insert(to);
                    }
                    _ => self.value(program, *src),
                }
                self.way(program, *dst);
            }
            Op::Havoc(place) => self.way(program, *place),
            Op::Return(Some(e)) => self.anything(program, *e),
            Op::Call(call) => {
                if let Callee::Indirect(pointer) = call.callee {
                    self.anything(program, pointer);
                }
                let callee = match call.callee {
                    Callee::Direct(func) => Some(&program.funcs[func]),
                    Callee::Indirect(_) => None,
                };
                let params = callee.filter(|f| f.body.is_some()).map_or(&[][..], |f| &f.params);
                for (position, &arg) in call.args.iter().enumerate() {
                    match (params.get(position), copied(program, arg)) {
                        (Some(&to), Some(from)) if is_plain(program, to) => {
                            self.copies.entry(from).or_default().insert(to);
                        }
                        (Some(_), _) => self.value(program, arg),
                        (None, _) => self.anything(program, arg),
                    }
                }
                if let Some(dst) = call.dst {
                    self.way(program, dst);
                }
            }
            Op::Alloca { dst, size } => {
                self.anything(program, *size);
                self.way(program, *dst);
            }
            Op::VaStart(place) | Op::VaEnd(place) => self.place(program, *place),
            Op::VaArg { dst, list: other } | Op::VaCopy { dst, src: other } => {
                self.place(program, *dst);
                self.place(program, *other);
            }
        }
    }

    /// A value that is stored: a truth value of a comparison is one, what else it is made of is not.
    fn value(&mut self, program: &Program, e: ExprId) {
        match is_truth(program, e) {
            true => self.condition(program, e),
            false => self.anything(program, e),
        }
    }

    /// What is only asked for being true.
    fn condition(&mut self, program: &Program, e: ExprId) {
        if let Some(var) = copied(program, e) {
            self.compared.entry(var).or_default().insert(0);
            return;
        }
        match program.exprs.expr(e).kind {
            ExprKind::Binary(op, a, b) if is_comparison(op) => {
                let (left, right) = (copied(program, a), copied(program, b));
                match (left, constant(program, b), right, constant(program, a)) {
                    (Some(var), Some(value), ..) | (_, _, Some(var), Some(value)) => {
                        self.compared.entry(var).or_default().insert(value);
                    }
                    _ if is_truth(program, a) && constant(program, b).is_some() => {
                        self.condition(program, a);
                    }
                    _ if is_truth(program, a) && is_truth(program, b) => {
                        self.condition(program, a);
                        self.condition(program, b);
                    }
                    _ => self.anything(program, e),
                }
            }
            ExprKind::Binary(BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, a, b)
                if is_truth(program, a) && is_truth(program, b) =>
            {
                self.condition(program, a);
                self.condition(program, b);
            }
            ExprKind::Cast(a) if is_truth(program, a) => self.condition(program, a),
            ExprKind::Cast(a) if is_bool(program, program.expr_ty(e)) => self.condition(program, a),
            _ => self.anything(program, e),
        }
    }

    fn anything(&mut self, program: &Program, e: ExprId) {
        for_each_load(program, e, &mut |place| self.root(program, place));
    }

    fn way(&mut self, program: &Program, place: PlaceId) {
        for_each_load_on_the_way(program, place, &mut |place| self.root(program, place));
    }

    fn place(&mut self, program: &Program, place: PlaceId) {
        self.way(program, place);
        self.root(program, place);
    }

    fn root(&mut self, program: &Program, place: PlaceId) {
        self.other.extend(program.exprs.root_var(place));
    }

    /// The values of a variable that stand for all.
    fn enough(&self, program: &Program, var: VarId) -> Option<Vec<u128>> {
        let ty = program.vars[var].ty;
        let (mut seen, mut work) = (BTreeSet::from([var]), vec![var]);
        let mut constants = BTreeSet::new();
        while let Some(at) = work.pop() {
            if !is_plain(program, at) || self.other.contains(&at) {
                return None;
            }
            constants.extend(self.compared.get(&at).into_iter().flatten().copied());
            for &to in self.copies.get(&at).into_iter().flatten() {
                if seen.insert(to) {
                    work.push(to);
                }
            }
        }
        // A copy of another type could change the value, and a null pointer differs from all others only.
        let alike = seen.iter().all(|&other| program.vars[other].ty == ty);
        match *program.types.get(ty) {
            _ if constants.is_empty() => Some(vec![0]),
            Type::Int { bits, signed } if alike => representatives(&constants, bits, signed),
            _ => None,
        }
    }
}

/// One value for each answer that comparisons with the constants can give.
fn representatives(constants: &BTreeSet<i128>, bits: u16, signed: bool) -> Option<Vec<u128>> {
    if bits > 64 {
        return None;
    }
    let (least, most) = match signed {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    let mut values = BTreeSet::new();
    for &constant in constants {
        for value in [constant - 1, constant, constant + 1] {
            if (least..=most).contains(&value) {
                values.insert(value);
            }
        }
    }
    if values.is_empty() {
        values.insert(0);
    }
    if values.len() > MOST {
        return None;
    }
    let mask = (1u128 << bits) - 1;
    Some(values.into_iter().map(|value| value as u128 & mask).collect())
}

/// Whether a variable is touched by name only, as a whole.
fn is_plain(program: &Program, var: VarId) -> bool {
    let info = &program.vars[var];
    let is_atom =
        matches!(program.types.get(info.ty), Type::Int { .. } | Type::Bool | Type::Pointer(_));
    is_atom && !info.address_taken
}

/// The variable whose value an expression is, unchanged.
fn copied(program: &Program, e: ExprId) -> Option<VarId> {
    match program.exprs.expr(e).kind {
        ExprKind::Load(place) => match program.exprs.place(place).kind {
            PlaceKind::Var(var) => Some(var),
            _ => None,
        },
        // Between pointers, nothing changes.
        ExprKind::Cast(a) => {
            let both = program.types.is_pointer(program.expr_ty(e))
                && program.types.is_pointer(program.expr_ty(a));
            if both { copied(program, a) } else { None }
        }
        _ => None,
    }
}

fn constant(program: &Program, e: ExprId) -> Option<i128> {
    program.as_int(e).or_else(|| (program.as_truth(e) == Some(false)).then_some(0))
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

fn is_bool(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(ty), Type::Bool)
}

/// Whether an expression is 0 or 1 by a comparison.
fn is_truth(program: &Program, e: ExprId) -> bool {
    match program.exprs.expr(e).kind {
        ExprKind::Binary(op, ..) if is_comparison(op) => true,
        ExprKind::Binary(BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor, a, b) => {
            is_truth(program, a) && is_truth(program, b)
        }
        ExprKind::Cast(a) => is_bool(program, program.expr_ty(e)) || is_truth(program, a),
        _ => false,
    }
}
