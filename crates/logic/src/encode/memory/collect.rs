//! All accesses of a program: what the partition is made from.
//!
//! Every load and store on every edge counts, with its parts if it is of a record, and so does what
//! functions of the library do behind their arguments. On the way it is noted where the program can
//! see at which addresses objects lie.

use super::leaves::{Leaf, UnionMembers, access_size, leaves, padding};
use super::partition::{Partition, Partitioning, raw};
use super::pointees::{Pointees, bit_field};
use crate::encode::aliases::{Aliases, Object, Offset, Target, Targets};
use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::cfa::{Call, Callee, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind};
use gnomon_ir::ops::Scalar;
use gnomon_ir::program::{InitItem, Program, Storage};
use gnomon_ir::types::TypeId;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Addresses can be seen by the program.
pub(super) const ADDRESSES: &str =
    "objects lie at addresses chosen by the tool, which the program can observe";

/// What was found.
pub(super) struct Collected {
    pub(super) pointees: Pointees,
    pub(super) partition: Partition,
    pub(super) assumptions: BTreeSet<String>,
}

/// Bytes that are copied and belong to no scalar.
struct Gap {
    to: Vec<Target>,
    from: Vec<Target>,
    bytes: Vec<u64>,
}

struct Collector<'a> {
    program: &'a Program,
    aliases: &'a dyn Aliases,
    unions: &'a UnionMembers,
    recursive: &'a [bool],
    pointees: Pointees,
    partitioning: Partitioning,
    seen: FxHashSet<ExprId>,
    gaps: Vec<Gap>,
    assumptions: BTreeSet<String>,
}

/// Collects the accesses of a program and partitions memory by them. `recursive` says of a
/// function whether several calls of it may be open.
pub(super) fn collect(
    program: &Program,
    aliases: &dyn Aliases,
    unions: &UnionMembers,
    owned: Vec<bool>,
    recursive: &[bool],
    budget: &Budget,
) -> Result<Collected, Exhausted> {
    let mut collector = Collector {
        program,
        aliases,
        unions,
        recursive,
        pointees: Pointees::new(owned),
        partitioning: Partitioning::default(),
        seen: FxHashSet::default(),
        gaps: Vec::new(),
        assumptions: BTreeSet::new(),
    };
    for function in program.funcs.iter() {
        for &param in &function.params {
            budget.check()?;
            collector.variable(param);
        }
        let Some(body) = &function.body else { continue };
        for edge in body.edges().iter() {
            budget.check()?;
            collector.operation(&edge.op);
        }
    }
    for var in program.vars.iter() {
        let Storage::Static { init: Some(init), .. } = &var.storage else { continue };
        for item in &init.items {
            budget.check()?;
            if let InitItem::Value { value, .. } = item {
                collector.expression(*value);
            }
        }
    }
    collector.padding(budget)?;
    let Collector { pointees, partitioning, assumptions, .. } = collector;
    let partition = partitioning.finish(|object| is_fixed(program, recursive, object));
    Ok(Collected { pointees, partition, assumptions })
}

/// Whether an object has a fixed address.
pub(super) fn is_fixed(program: &Program, recursive: &[bool], object: Object) -> bool {
    match object {
        Object::Variable(var) => match program.vars[var].storage.function() {
            Some(func) => !recursive[func.0 as usize],
            None => true,
        },
        Object::Function(_) => true,
        Object::Allocated { .. } | Object::Outside => false,
    }
}

/// Whether a scalar of that size can be at a target.
pub(super) fn is_possible(program: &Program, target: &Target, size: u64) -> bool {
    let bytes = match target.object {
        Object::Function(_) => return false,
        Object::Allocated { .. } | Object::Outside => return true,
        Object::Variable(var) => program.types.size(program.vars[var].ty),
    };
    match target.offset {
        Offset::Exact(at) => at.checked_add(size).is_some_and(|end| end <= bytes),
        Offset::Modulo { .. } => size <= bytes,
    }
}

impl Collector<'_> {
    fn operation(&mut self, op: &Op) {
        match op {
            Op::Skip | Op::HavocMemory | Op::Declare(_) | Op::Return(None) => {}
            Op::Assume(e) | Op::Return(Some(e)) => self.expression(*e),
            Op::Assign { dst, src } => {
                self.expression(*src);
                self.place(*dst);
                self.copied(*dst, *src);
            }
            Op::Havoc(place) => self.place(*place),
            Op::Alloca { dst, size } => {
                self.expression(*size);
                self.place(*dst);
            }
            Op::Call(call) => self.call(call),
            // Not encoded.
            Op::VaStart(_) | Op::VaArg { .. } | Op::VaCopy { .. } | Op::VaEnd(_) => {}
        }
    }

    fn call(&mut self, call: &Call) {
        if let Callee::Indirect(pointer) = call.callee {
            self.expression(pointer);
            self.pointees.ask(self.aliases, pointer);
        }
        for &arg in &call.args {
            self.expression(arg);
        }
        if let Some(dst) = call.dst {
            self.place(dst);
        }
        for pointer in super::library::pointers(self.program, call) {
            self.pointees.ask(self.aliases, pointer);
        }
        for pointer in super::strings::string_arguments(self.program, call) {
            if let Targets::Known(targets) = self.pointees.ask(self.aliases, pointer)
                && let Some(strings) = super::strings::as_strings(self.program, &targets)
            {
                let char = Scalar::Int { bits: 8, signed: true };
                self.scalar(&strings, 1, char);
            }
        }
        for (pointer, scalar) in super::atomics::atomic_accesses(self.program, call) {
            if let Targets::Known(targets) = self.pointees.ask(self.aliases, pointer) {
                self.scalar(&targets, access_size(scalar, None), scalar);
            }
        }
        let (program, unions) = (self.program, self.unions);
        super::library::accesses(program, unions, call, &mut |pointer, offset, size, scalar| {
            if let Targets::Known(mut targets) = self.pointees.ask(self.aliases, pointer) {
                for target in &mut targets {
                    target.offset = target.offset.moved(offset as i64);
                }
                self.scalar(&targets, size, scalar);
            }
        });
    }

    /// A variable is written as a whole.
    fn variable(&mut self, var: gnomon_ir::program::VarId) {
        if self.pointees.owns(var) {
            let target = Target { object: Object::Variable(var), offset: Offset::Exact(0) };
            self.whole(&[target], self.program.vars[var].ty);
        }
    }

    fn expression(&mut self, e: ExprId) {
        let mut pending = vec![e];
        while let Some(e) = pending.pop() {
            if !self.seen.insert(e) {
                continue;
            }
            let expr = self.program.exprs.expr(e);
            match expr.kind {
                ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
                ExprKind::Load(place) => self.place(place),
                ExprKind::AddrOf(place) => self.inside(place),
                ExprKind::Unary(_, a) => pending.push(a),
                ExprKind::Cast(a) => {
                    pending.push(a);
                    self.cast(expr.ty, a);
                }
                ExprKind::Binary(op, a, b) => {
                    pending.extend([a, b]);
                    if matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge) {
                        self.compared(a, b);
                    }
                }
                ExprKind::PtrAdd(a, b) => pending.extend([a, b]),
                ExprKind::PtrDiff(a, b) => {
                    pending.extend([a, b]);
                    self.compared(a, b);
                }
            }
        }
    }

    fn cast(&mut self, to: TypeId, from: ExprId) {
        let types = &self.program.types;
        let source = self.program.expr_ty(from);
        let to_pointer = types.is_pointer(to) && types.is_integer(source);
        let to_integer = types.is_integer(to) && types.is_pointer(source);
        let constant = self.program.exprs.const_bits(from).is_some();
        if (to_pointer && !constant) || (to_integer && types.size(to) > 1) {
            self.assumptions.insert(ADDRESSES.to_owned());
        }
    }

    /// Pointers of which the program learns how they lie to each other.
    fn compared(&mut self, a: ExprId, b: ExprId) {
        if !self.program.types.is_pointer(self.program.expr_ty(a)) {
            return;
        }
        let mut objects = BTreeSet::new();
        for pointer in [a, b] {
            match self.pointees.ask(self.aliases, pointer) {
                Targets::Known(targets) => objects.extend(targets.iter().map(|t| t.object)),
                Targets::Anything => drop(self.assumptions.insert(ADDRESSES.to_owned())),
            }
        }
        if objects.len() > 1 {
            self.assumptions.insert(ADDRESSES.to_owned());
        }
    }

    /// Everything on the way to a place, but not what is there.
    fn inside(&mut self, mut place: PlaceId) {
        loop {
            match self.program.exprs.place(place).kind {
                PlaceKind::Var(_) => return,
                PlaceKind::Deref(pointer) => return self.expression(pointer),
                PlaceKind::Field(base, _) => place = base,
                PlaceKind::Index(base, index) => {
                    self.expression(index);
                    place = base;
                }
            }
        }
    }

    /// A place is read or written.
    fn place(&mut self, place: PlaceId) {
        self.inside(place);
        if let Some(targets) = self.targets(place) {
            let ty = self.program.place_ty(place);
            match self.program.types.scalar(ty) {
                Some(scalar) => {
                    let bits = bit_field(self.program, place);
                    let size = access_size(scalar, bits);
                    self.scalar(&targets, size, if bits.is_some() { raw(size) } else { scalar });
                }
                None => self.whole(&targets, ty),
            }
        }
    }

    /// The targets of a place in memory, if they are known.
    fn targets(&mut self, place: PlaceId) -> Option<Vec<Target>> {
        if let (super::pointees::Root::Pointer(pointer), _) = Pointees::path(self.program, place) {
            self.pointees.ask(self.aliases, pointer);
        }
        match self.pointees.of_place(self.program, place)? {
            Targets::Known(targets) => Some(targets),
            Targets::Anything => None,
        }
    }

    fn scalar(&mut self, targets: &[Target], size: u64, scalar: Scalar) {
        let possible: Vec<Target> =
            targets.iter().filter(|t| is_possible(self.program, t, size)).copied().collect();
        let (program, recursive) = (self.program, self.recursive);
        self.partitioning
            .access(&possible, size, scalar, |object| is_fixed(program, recursive, object));
    }

    /// All scalars of a record or array. Too many of them are not encoded, so they do not count.
    fn whole(&mut self, targets: &[Target], ty: TypeId) {
        let Ok(leaves) = leaves(self.program, self.unions, ty) else { return };
        self.gap(&leaves, targets.to_vec(), Vec::new(), ty);
        for leaf in leaves {
            let moved: Vec<Target> = targets
                .iter()
                .map(|t| Target { offset: t.offset.moved(leaf.offset as i64), ..*t })
                .collect();
            let size = leaf.size();
            self.scalar(&moved, size, if leaf.bits.is_some() { raw(size) } else { leaf.scalar });
        }
    }

    /// A record is copied: its padding may matter.
    fn copied(&mut self, dst: PlaceId, src: ExprId) {
        let ty = self.program.place_ty(dst);
        let ExprKind::Load(place) = self.program.exprs.expr(src).kind else { return };
        if self.program.types.is_scalar(ty) {
            return;
        }
        let Ok(leaves) = leaves(self.program, self.unions, ty) else { return };
        let (to, from) = (self.targets(dst), self.targets(place));
        self.gap(&leaves, to.unwrap_or_default(), from.unwrap_or_default(), ty);
    }

    fn gap(&mut self, leaves: &[Leaf], to: Vec<Target>, from: Vec<Target>, ty: TypeId) {
        let bytes = padding(leaves, self.program.types.size(ty));
        if !bytes.is_empty() {
            self.gaps.push(Gap { to, from, bytes });
        }
    }

    /// Padding is copied where some access may look at it, here or where it is copied to.
    fn padding(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        loop {
            let before = self.partitioning.len();
            for gap in std::mem::take(&mut self.gaps) {
                budget.check()?;
                for &byte in &gap.bytes {
                    let at = |t: &Target| Target { offset: t.offset.moved(byte as i64), ..*t };
                    let (to, from): (Vec<Target>, Vec<Target>) =
                        (gap.to.iter().map(at).collect(), gap.from.iter().map(at).collect());
                    let touched = |t: &Target| {
                        is_possible(self.program, t, 1)
                            && self.partitioning.is_touched(t.object, t.offset, 1)
                    };
                    if to.iter().chain(&from).any(touched) {
                        self.scalar(&to, 1, raw(1));
                        self.scalar(&from, 1, raw(1));
                    }
                }
                self.gaps.push(gap);
            }
            if self.partitioning.len() == before {
                return Ok(());
            }
        }
    }
}
