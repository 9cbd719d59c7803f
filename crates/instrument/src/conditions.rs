//! When an operation goes wrong: everything that it evaluates, in order, with the conditions under
//! which that has no meaning in C.
//!
//! Conditions are expressions of the model. A condition may rely on those before it: the operands
//! of an operator are checked before the operator. None of them goes wrong itself where those
//! before it hold: sums are compared in a type of twice the width.
//!
//! Three uses of a place are told apart. An *access* reads or writes there. An *address* is only
//! computed: `&a[n]`, one behind the last element, is fine. What stands *inside* an address, such
//! as `a[i]` in `&a[i].x`, must be an element.

use gnomon_ir::cfa::{Callee, Cfa, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, UnaryOp};
use gnomon_ir::program::Program;
use gnomon_ir::types::{Type, TypeId, Types};
use rustc_hash::FxHashSet;

use crate::describe::Temporaries;
use crate::memory::Memory;
use crate::range::Range;
use crate::{CheckKind, Checks, describe};

/// Something that goes wrong if an expression of each list is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What goes wrong.
    pub kind: CheckKind,
    /// Of each list one must be true, evaluated in this order.
    pub all: Vec<Vec<ExprId>>,
    /// For people.
    pub message: String,
    /// Whether an execution shows that it went wrong.
    pub certain: bool,
}

/// What a place is evaluated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Use {
    Access,
    Inside,
    Address,
}

/// Finds the conditions of operations.
pub struct Conditions<'p> {
    pub(crate) program: &'p mut Program,
    pub(crate) temporaries: Temporaries,
    pub(crate) checks: Checks,
    /// For checks of memory.
    pub(crate) memory: Option<&'p Memory<'p>>,
    seen: FxHashSet<ExprId>,
    seen_places: FxHashSet<(PlaceId, Use)>,
    pub(crate) found: Vec<Condition>,
    /// Accesses for which there is no condition, and why.
    pub(crate) unproved: Vec<String>,
    /// Whether an access was met whose bounds are not known.
    unbounded: bool,
}

/// An array that a pointer was made from, and how far the pointer is behind its start.
struct Known {
    array: PlaceId,
    len: u64,
    indices: Vec<ExprId>,
}

impl<'p> Conditions<'p> {
    /// Finds conditions of the kinds in operations of a function.
    pub fn new(
        program: &'p mut Program,
        checks: Checks,
        memory: Option<&'p Memory<'p>>,
        body: &Cfa,
    ) -> Self {
        let temporaries = Temporaries::of(program, body);
        Self {
            program,
            temporaries,
            checks,
            memory,
            seen: FxHashSet::default(),
            seen_places: FxHashSet::default(),
            found: Vec::new(),
            unproved: Vec::new(),
            unbounded: false,
        }
    }

    /// What can go wrong in what was looked at; forgets it.
    pub fn take(&mut self) -> Vec<Condition> {
        self.seen.clear();
        self.seen_places.clear();
        std::mem::take(&mut self.found)
    }

    /// Whether something can go wrong in what was looked at.
    pub fn is_open(&self) -> bool {
        !self.found.is_empty()
    }

    /// The program, to make expressions in it.
    pub fn program(&mut self) -> &mut Program {
        self.program
    }

    /// Whether an access since the last call of this has bounds that are not checked.
    pub fn take_unbounded(&mut self) -> bool {
        std::mem::take(&mut self.unbounded)
    }

    /// Looks at an operation; where the result of a call goes is left out, because that is
    /// evaluated after the call.
    pub fn operation(&mut self, op: &Op) {
        match op {
            Op::Skip | Op::HavocMemory | Op::Declare(_) | Op::Return(None) => {}
            Op::Assume(e) | Op::Return(Some(e)) => self.value(*e),
            Op::Assign { dst, src } => {
                self.value(*src);
                self.accessed(*dst);
            }
            Op::Call(call) => {
                for &arg in &call.args {
                    self.value(arg);
                }
                if let Callee::Indirect(pointer) = call.callee {
                    self.value(pointer);
                    let text = describe::expr(self.program, &self.temporaries, pointer);
                    self.not_null(pointer, &text);
                    self.memory_call(pointer);
                }
                self.memory_library(call);
            }
            Op::Havoc(place) | Op::VaStart(place) | Op::VaEnd(place) => self.accessed(*place),
            Op::Alloca { dst, size } => {
                self.value(*size);
                self.accessed(*dst);
            }
            Op::VaArg { dst, list } => {
                self.accessed(*list);
                self.accessed(*dst);
            }
            Op::VaCopy { dst, src } => {
                self.accessed(*src);
                self.accessed(*dst);
            }
        }
    }

    /// Looks at a place that is read or written.
    pub fn accessed(&mut self, place: PlaceId) {
        self.place(place, Use::Access);
        self.memory_access(place, true);
    }

    /// Accesses since the last call of this for which there is no condition, and why.
    pub fn take_unproved(&mut self) -> Vec<String> {
        std::mem::take(&mut self.unproved)
    }

    fn value(&mut self, e: ExprId) {
        if !self.seen.insert(e) {
            return;
        }
        match self.program.exprs.expr(e).kind {
            ExprKind::Const(_) | ExprKind::Zero | ExprKind::FuncAddr(_) => {}
            ExprKind::Load(place) => {
                self.place(place, Use::Access);
                self.memory_access(place, false);
            }
            ExprKind::AddrOf(place) => {
                self.place(place, Use::Address);
                self.memory_pointer(e);
            }
            ExprKind::Cast(a) => self.value(a),
            ExprKind::Unary(op, a) => {
                self.value(a);
                if op == UnaryOp::Neg {
                    self.negation(e, a);
                }
            }
            ExprKind::Binary(op, a, b) => {
                self.value(a);
                self.value(b);
                self.arithmetic(e, op, a, b);
                if op.is_comparison() {
                    self.memory_compared(a, b);
                }
            }
            ExprKind::PtrDiff(a, b) => {
                self.value(a);
                self.value(b);
            }
            ExprKind::PtrAdd(pointer, index) => match self.known_array(e) {
                Some(known) => self.moved(e, &known, Use::Address),
                None => {
                    self.value(pointer);
                    self.value(index);
                    self.memory_pointer(e);
                }
            },
        }
    }

    fn place(&mut self, place: PlaceId, used: Use) {
        if !self.seen_places.insert((place, used)) {
            return;
        }
        match self.program.exprs.place(place).kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Field(base, _) => {
                let inner = if used == Use::Access { Use::Access } else { Use::Inside };
                self.place(base, inner);
            }
            PlaceKind::Index(base, index) => {
                // An array that decays to a pointer is an element 0 whose address is taken.
                let decays = self.program.exprs.const_bits(index) == Some(0);
                let inner = match used {
                    Use::Access => Use::Access,
                    Use::Address if decays => Use::Address,
                    Use::Address | Use::Inside => Use::Inside,
                };
                self.place(base, inner);
                self.value(index);
                match self.length(base) {
                    Some(len) => {
                        let text = describe::place(self.program, &self.temporaries, place);
                        self.in_bounds(&text, &[index], len, used);
                    }
                    None => self.unbounded |= used == Use::Access,
                }
            }
            PlaceKind::Deref(pointer) => match self.known_array(pointer) {
                Some(known) => self.moved(pointer, &known, used),
                None => {
                    self.value(pointer);
                    if used == Use::Access {
                        let text = describe::place(self.program, &self.temporaries, place);
                        self.not_null(pointer, &text);
                        self.unbounded = true;
                    }
                }
            },
        }
    }

    /// The length of an array in a place, if the array ends there.
    fn length(&self, array: PlaceId) -> Option<u64> {
        let Type::Array { len, .. } = *self.program.types.get(self.program.place_ty(array)) else {
            return None;
        };
        // `struct { int n; char text[1]; } *p` is how old programs say `text[]`.
        let is_open_end = || {
            let PlaceKind::Field(base, field) = self.program.exprs.place(array).kind else {
                return false;
            };
            let record = self.program.types.as_record(self.program.place_ty(base));
            let last = record.is_some_and(|(_, r)| r.fields.len() == field as usize + 1);
            last && self.program.exprs.root_var(array).is_none()
        };
        (len > 0 && !(len == 1 && is_open_end())).then_some(len)
    }

    /// `&a[i] + j` and the like. A pointer to a variable is one to an array of length 1.
    fn known_array(&self, pointer: ExprId) -> Option<Known> {
        let mut indices = Vec::new();
        let mut base = pointer;
        while let ExprKind::PtrAdd(inner, index) = self.program.exprs.expr(base).kind {
            indices.push(index);
            base = inner;
        }
        let ExprKind::AddrOf(place) = self.program.exprs.expr(base).kind else { return None };
        if indices.is_empty() {
            return None;
        }
        if let PlaceKind::Index(array, index) = self.program.exprs.place(place).kind {
            indices.push(index);
            let len = self.length(array)?;
            return Some(Known { array, len, indices });
        }
        self.program.exprs.root_var(place)?;
        Some(Known { array: place, len: 1, indices })
    }

    fn moved(&mut self, pointer: ExprId, known: &Known, used: Use) {
        self.place(known.array, if used == Use::Access { used } else { Use::Address });
        for &index in &known.indices {
            self.value(index);
        }
        let text = describe::expr(self.program, &self.temporaries, pointer);
        self.in_bounds(&text, &known.indices, known.len, used);
    }

    fn push(&mut self, kind: CheckKind, all: &[Option<ExprId>], text: &str) {
        // A part that is never true excludes the whole.
        let Some(all) = all.iter().copied().collect::<Option<Vec<ExprId>>>() else { return };
        let (always, mut open): (Vec<ExprId>, Vec<ExprId>) =
            all.into_iter().partition(|&e| self.program.as_truth(e) == Some(true));
        if open.iter().any(|&e| self.program.as_truth(e) == Some(false)) {
            return;
        }
        if open.is_empty() {
            open.extend(always.first());
        }
        let message = format!("{} in `{text}`", kind.message());
        let all = open.into_iter().map(|part| vec![part]).collect();
        self.found.push(Condition { kind, all, message, certain: true });
    }

    /// `e op value`; `None` if that is never true.
    fn test(&mut self, op: BinaryOp, e: ExprId, value: i128) -> Option<ExprId> {
        let ty = self.program.expr_ty(e);
        let range = Range::of(self.program, e);
        let (never, always) = match (op, range) {
            // An unsigned number of 128 bits.
            (BinaryOp::Lt | BinaryOp::Eq, None) => (value < 0, false),
            (_, None) => (false, value < 0),
            (BinaryOp::Lt, Some(r)) => (r.low >= value, r.high < value),
            (BinaryOp::Gt, Some(r)) => (r.high <= value, r.low > value),
            (BinaryOp::Ge, Some(r)) => (r.high < value, r.low >= value),
            (_, Some(r)) => (value < r.low || r.high < value, r.low == r.high),
        };
        if never {
            return None;
        }
        if always {
            return Some(self.program.int(Types::I32, 1));
        }
        let constant = self.program.int(ty, value);
        Some(self.program.binary(op, e, constant))
    }

    fn in_bounds(&mut self, text: &str, indices: &[ExprId], len: u64, used: Use) {
        if !self.checks.contains(CheckKind::Bounds) {
            return;
        }
        let limit = i128::from(len) + i128::from(used == Use::Address);
        let fixed: i128 = indices.iter().filter_map(|&i| self.program.as_int(i)).sum();
        let open: Vec<ExprId> =
            indices.iter().copied().filter(|&i| self.program.as_int(i).is_none()).collect();
        let (index, low, high) = match open[..] {
            [] => (self.program.int(Types::I128, fixed), 0, limit),
            // Beside other numbers an unsigned index may mean a step back.
            [index] => (self.step(index, fixed != 0), -fixed, limit - fixed),
            _ => {
                let mut sum = self.program.int(Types::I128, 0);
                for index in open {
                    let step = self.step(index, true);
                    let step = self.program.cast(Types::I128, step);
                    sum = self.program.binary(BinaryOp::Add, sum, step);
                }
                (sum, -fixed, limit - fixed)
            }
        };
        let below = self.test(BinaryOp::Lt, index, low);
        self.push(CheckKind::Bounds, &[below], text);
        let above = self.test(BinaryOp::Ge, index, high);
        self.push(CheckKind::Bounds, &[above], text);
    }

    fn step(&mut self, index: ExprId, relative: bool) -> ExprId {
        let offset = self.program.types.ptrdiff_type();
        let same_size = self.program.types.int_shape(self.program.expr_ty(index)).map(|s| s.0)
            == self.program.types.int_shape(offset).map(|s| s.0);
        if relative && same_size { self.program.cast(offset, index) } else { index }
    }

    /// The pointer, moved or converted, was not made from the null pointer.
    fn not_null(&mut self, pointer: ExprId, text: &str) {
        if !self.checks.contains(CheckKind::Null) {
            return;
        }
        let base = self.origin(pointer);
        let kind = self.program.exprs.expr(base).kind;
        match kind {
            ExprKind::FuncAddr(_) => {}
            ExprKind::AddrOf(place) => {
                if let Some(pointer) = self.pointer_to(place) {
                    self.not_null(pointer, text);
                }
            }
            _ => {
                let null = self.program.zero(self.program.expr_ty(base));
                let is_null = self.program.binary(BinaryOp::Eq, base, null);
                self.push(CheckKind::Null, &[Some(is_null)], text);
            }
        }
    }

    fn origin(&self, mut pointer: ExprId) -> ExprId {
        loop {
            match self.program.exprs.expr(pointer).kind {
                ExprKind::PtrAdd(inner, _) => pointer = inner,
                ExprKind::Cast(inner)
                    if self.program.types.is_pointer(self.program.expr_ty(inner)) =>
                {
                    pointer = inner;
                }
                _ => return pointer,
            }
        }
    }

    /// The pointer that leads to a place, if it is not in a variable.
    fn pointer_to(&self, mut place: PlaceId) -> Option<ExprId> {
        loop {
            match self.program.exprs.place(place).kind {
                PlaceKind::Var(_) => return None,
                PlaceKind::Deref(pointer) => return Some(pointer),
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => place = base,
            }
        }
    }

    fn signed_width(&self, ty: TypeId) -> Option<u16> {
        match *self.program.types.get(ty) {
            Type::Int { bits, signed: true } => Some(bits),
            _ => None,
        }
    }

    fn negation(&mut self, e: ExprId, a: ExprId) {
        let ty = self.program.expr_ty(a);
        if self.checks.contains(CheckKind::Overflow) && self.signed_width(ty).is_some() {
            let smallest = Range::of_type(self.program, ty).map_or(0, |all| all.low);
            let is_smallest = self.test(BinaryOp::Eq, a, smallest);
            let text = describe::expr(self.program, &self.temporaries, e);
            self.push(CheckKind::Overflow, &[is_smallest], &text);
        }
    }

    fn arithmetic(&mut self, e: ExprId, op: BinaryOp, a: ExprId, b: ExprId) {
        let ty = self.program.expr_ty(a);
        if !self.program.types.is_integer(ty) {
            return;
        }
        let text = describe::expr(self.program, &self.temporaries, e);
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) && self.checks.contains(CheckKind::Division)
        {
            let zero = self.program.zero(ty);
            let by_zero = self.program.binary(BinaryOp::Eq, b, zero);
            self.push(CheckKind::Division, &[Some(by_zero)], &text);
        }
        if op.is_shift() && self.checks.contains(CheckKind::Shift) {
            let width = self.program.types.int_shape(ty).map_or(0, |(bits, _)| i128::from(bits));
            let negative = self.test(BinaryOp::Lt, b, 0);
            self.push(CheckKind::Shift, &[negative], &text);
            let large = self.test(BinaryOp::Ge, b, width);
            self.push(CheckKind::Shift, &[large], &text);
        }
        if let Some(width) = self.signed_width(ty)
            && self.checks.contains(CheckKind::Overflow)
        {
            self.overflow(op, width, a, b, &text);
        }
    }

    fn overflow(&mut self, op: BinaryOp, width: u16, a: ExprId, b: ExprId, text: &str) {
        let ty = self.program.expr_ty(a);
        let Some(all) = Range::of_type(self.program, ty) else { return };
        let (x, y) = (self.program.as_int(a), self.program.as_int(b));
        match (op, x, y) {
            (BinaryOp::Div | BinaryOp::Rem, ..) => {
                let smallest = self.test(BinaryOp::Eq, a, all.low);
                let minus_one = self.test(BinaryOp::Eq, b, -1);
                self.push(CheckKind::Overflow, &[smallest, minus_one], text);
            }
            (BinaryOp::Shl, ..) => {
                let largest = self.program.int(ty, all.high);
                let fits = self.program.binary(BinaryOp::Shr, largest, b);
                let too_large = self.program.binary(BinaryOp::Gt, a, fits);
                // A count out of range is another mistake.
                let not_negative = self.test(BinaryOp::Gt, b, -1);
                let in_range = self.test(BinaryOp::Lt, b, i128::from(width));
                let parts = [not_negative, in_range, Some(too_large)];
                self.push(CheckKind::Overflow, &parts, text);
            }
            (BinaryOp::Add, _, Some(c)) | (BinaryOp::Add, Some(c), _) => {
                let open = if y.is_some() { a } else { b };
                self.outside(open, all.low - c.min(0), all.high - c.max(0), text);
            }
            (BinaryOp::Sub, _, Some(c)) => {
                self.outside(a, all.low + c.max(0), all.high + c.min(0), text);
            }
            (BinaryOp::Sub, Some(c), _) => {
                let (low, high) = (c.saturating_sub(all.high), c.saturating_sub(all.low));
                self.outside(b, low, high, text);
            }
            (BinaryOp::Mul, _, Some(c)) | (BinaryOp::Mul, Some(c), _) => {
                let open = if y.is_some() { a } else { b };
                match c {
                    0 | 1 => {}
                    -1 => {
                        let smallest = self.test(BinaryOp::Eq, open, all.low);
                        self.push(CheckKind::Overflow, &[smallest], text);
                    }
                    2.. => self.outside(open, all.low / c, all.high / c, text),
                    _ => self.outside(open, all.high / c, all.low / c, text),
                }
            }
            (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) if width < 128 => {
                let wide = self.program.types.int(2 * width, true);
                let (a, b) = (self.program.cast(wide, a), self.program.cast(wide, b));
                let exact = self.program.binary(op, a, b);
                self.outside(exact, all.low, all.high, text);
            }
            (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) => {
                self.widest(op, a, b, all, text);
            }
            _ => {}
        }
    }

    /// The value is below `low` or above `high`.
    fn outside(&mut self, e: ExprId, low: i128, high: i128, text: &str) {
        let above = self.test(BinaryOp::Gt, e, high);
        self.push(CheckKind::Overflow, &[above], text);
        let below = self.test(BinaryOp::Lt, e, low);
        self.push(CheckKind::Overflow, &[below], text);
    }

    /// Arithmetic of 128 bits: there is no type of twice the width, so the sides are moved.
    fn widest(&mut self, op: BinaryOp, a: ExprId, b: ExprId, all: Range, text: &str) {
        let ty = self.program.expr_ty(a);
        let [low, high] = [all.low, all.high].map(|value| self.program.int(ty, value));
        let positive = self.test(BinaryOp::Gt, b, 0);
        let negative = self.test(BinaryOp::Lt, b, if op == BinaryOp::Mul { -1 } else { 0 });
        let mut violated = |sign: Option<ExprId>, comparison, limit, inverse| {
            let moved = self.program.binary(inverse, limit, b);
            let beyond = self.program.binary(comparison, a, moved);
            self.push(CheckKind::Overflow, &[sign, Some(beyond)], text);
        };
        match op {
            BinaryOp::Add => {
                violated(positive, BinaryOp::Gt, high, BinaryOp::Sub);
                violated(negative, BinaryOp::Lt, low, BinaryOp::Sub);
            }
            BinaryOp::Sub => {
                violated(positive, BinaryOp::Lt, low, BinaryOp::Add);
                violated(negative, BinaryOp::Gt, high, BinaryOp::Add);
            }
            _ => {
                violated(positive, BinaryOp::Gt, high, BinaryOp::Div);
                violated(positive, BinaryOp::Lt, low, BinaryOp::Div);
                violated(negative, BinaryOp::Lt, high, BinaryOp::Div);
                violated(negative, BinaryOp::Gt, low, BinaryOp::Div);
                let minus_one = self.test(BinaryOp::Eq, b, -1);
                let smallest = self.test(BinaryOp::Eq, a, all.low);
                self.push(CheckKind::Overflow, &[minus_one, smallest], text);
            }
        }
    }
}
