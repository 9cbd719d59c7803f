//! Random well-formed programs, made by the constructors of the model.

use gnomon_ir::cfa::{Call, Callee, CfaBuilder, Edge, Label, LocId, Op};
use gnomon_ir::expr::{BinaryOp, ExprId, PlaceId, UnaryOp};
use gnomon_ir::program::{
    FuncId, Function, InitItem, Initializer, Note, Program, Stmt, StmtKind, Storage, Var, VarId,
};
use gnomon_ir::span::Span;
use gnomon_ir::types::{
    BitField, Field, FloatKind, Record, RecordKind, Signature, Target, Type, TypeId, Types,
};

/// A generator of numbers (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

pub const INTS: [TypeId; 8] =
    [Types::I8, Types::U8, Types::I16, Types::U16, Types::I32, Types::U32, Types::I64, Types::U64];

pub struct Generator {
    pub rng: Rng,
    pub program: Program,
    /// Types that variables have.
    types: Vec<TypeId>,
    globals: Vec<VarId>,
    locals: Vec<VarId>,
    funcs: Vec<FuncId>,
    function: Option<FuncId>,
}

/// A whole program.
pub fn program(seed: u64) -> Program {
    let mut rng = Rng(seed);
    let target = if rng.chance(30) { Target::Ilp32 } else { Target::Lp64 };
    let mut g = Generator::new(rng, target);
    g.program.files.intern("a file.c");
    g.program.files.intern("b\"\\.h");
    g.scalars();
    for index in 0..g.rng.below(5) {
        g.record(index);
    }
    for index in 0..1 + g.rng.below(6) {
        g.global(index);
    }
    for index in 0..1 + g.rng.below(4) {
        g.declare_function(index);
    }
    for index in 0..g.funcs.len() {
        g.define_function(g.funcs[index]);
    }
    g.initializers();
    for _ in 0..g.rng.below(3) {
        let kind = g.rng.pick(&["asm", "volatile", "weak-atomics"]);
        let (message, span) = (format!("note {}\n\t\"x\"", g.rng.below(100)), g.span());
        g.program.add_note(Note { kind, message, span });
    }
    g.program
}

impl Generator {
    pub fn new(rng: Rng, target: Target) -> Self {
        Self {
            rng,
            program: Program::new(target),
            types: Vec::new(),
            globals: Vec::new(),
            locals: Vec::new(),
            funcs: Vec::new(),
            function: None,
        }
    }

    fn span(&mut self) -> Span {
        if self.rng.chance(20) {
            return Span::NONE;
        }
        let file = gnomon_ir::span::FileId(self.rng.below(2) as u32);
        let line = 1 + self.rng.below(1000) as u32;
        let (column, end_column) = (1 + self.rng.below(80) as u16, 1 + self.rng.below(80) as u16);
        Span { file, line, column, end_column, end_line: line + self.rng.below(3) as u32 }
    }

    pub fn scalars(&mut self) {
        self.types.extend(INTS);
        self.types.push(Types::BOOL);
        if self.program.types.target() == Target::Lp64 {
            self.types.extend([Types::I128, Types::U128]);
        }
        for kind in [FloatKind::F32, FloatKind::F64, FloatKind::X87] {
            let ty = self.program.types.float(kind);
            self.types.push(ty);
        }
        for _ in 0..3 {
            let to = self.rng.pick(&self.types.clone());
            let pointer = self.program.types.pointer(to);
            self.types.push(pointer);
        }
        let elem = self.rng.pick(&self.types.clone());
        let len = 1 + self.rng.below(5) as u64;
        let array = self.program.types.array(elem, len);
        self.types.push(array);
        let pointer = self.program.types.pointer(array);
        self.types.push(pointer);
        let signature =
            Signature { result: elem, params: [elem].into(), variadic: false, prototyped: true };
        if !matches!(self.program.types.get(elem), Type::Array { .. }) {
            let function = self.program.types.intern(Type::Function(signature));
            let pointer = self.program.types.pointer(function);
            self.types.push(pointer);
        }
    }

    fn record(&mut self, index: usize) {
        let kind = if self.rng.chance(25) { RecordKind::Union } else { RecordKind::Struct };
        let align = 1u64 << self.rng.below(5);
        let mut fields = Vec::new();
        let mut bit = 0u64;
        let mut size = 0u64;
        for number in 0..1 + self.rng.below(5) {
            if kind == RecordKind::Union {
                bit = 0;
            }
            let mut ty = self.rng.pick(&self.types.clone());
            let name = if self.rng.chance(10) { String::new() } else { format!("m{number}") };
            let bits = if self.rng.chance(30) {
                ty = self.rng.pick(&INTS);
                let width = self.program.types.size(ty) * 8;
                if kind == RecordKind::Struct {
                    bit += self.rng.below(12) as u64;
                }
                let shift = (bit % 8) as u8;
                Some(BitField { shift, width: 1 + self.rng.below(width as usize) as u8 })
            } else {
                bit = bit.next_multiple_of(8);
                if self.rng.chance(30) && kind == RecordKind::Struct {
                    bit += 8 * self.rng.below(9) as u64;
                }
                None
            };
            let width = bits.map_or(self.program.types.size(ty) * 8, |b| u64::from(b.width));
            fields.push(Field { name, ty, offset: bit / 8, bits });
            bit += width;
            size = size.max(bit.div_ceil(8));
        }
        let size = size.next_multiple_of(align) + align * self.rng.below(2) as u64;
        let name = if self.rng.chance(30) { format!(".{index}") } else { format!("r.{index}") };
        let complete = true;
        let record = Record { name, kind, fields, size, align, complete };
        let (_, ty) = self.program.types.add_record(record);
        self.types.push(ty);
        let pointer = self.program.types.pointer(ty);
        self.types.push(pointer);
    }

    fn global(&mut self, index: usize) {
        let ty = self.rng.pick(&self.types.clone());
        let external = self.rng.chance(15);
        let init = (!external).then(Initializer::default);
        let storage = Storage::Static { init, thread_local: false, read_only: self.rng.chance(20) };
        let dot = if external { "" } else { "." };
        let name = format!("global{dot}{index}");
        let span = self.span();
        let var = Var { name, ty, storage, address_taken: false, span };
        self.globals.push(self.program.vars.push(var));
    }

    fn initializers(&mut self) {
        for var in self.globals.clone() {
            let mut items = Vec::new();
            let place = self.program.var_place(var);
            self.initial_value(place, &mut items);
            if let Storage::Static { init: init @ Some(_), .. } =
                &mut self.program.vars[var].storage
            {
                *init = Some(Initializer { items });
            }
        }
    }

    fn initial_value(&mut self, place: PlaceId, items: &mut Vec<InitItem>) {
        let ty = self.program.place_ty(place);
        match self.program.types.get(ty).clone() {
            Type::Record(id) => {
                let record = self.program.types.record(id).clone();
                for index in 0..record.fields.len() {
                    let field = self.program.field(place, index as u32);
                    self.initial_value(field, items);
                    if record.kind == RecordKind::Union {
                        break;
                    }
                }
            }
            Type::Array { elem, len } => {
                if elem == Types::I8 && self.rng.chance(50) {
                    let bytes =
                        (0..self.rng.below(len as usize + 1)).map(|_| self.rng.next() as u8);
                    let bytes = bytes.collect();
                    items.push(InitItem::Bytes { place, bytes });
                    return;
                }
                for index in 0..len {
                    if self.rng.chance(60) {
                        let index = self.program.int(Types::I32, i128::from(index));
                        let element = self.program.index(place, index);
                        self.initial_value(element, items);
                    }
                }
            }
            Type::Pointer(to) => {
                let fitting: Vec<VarId> = self
                    .globals
                    .iter()
                    .copied()
                    .filter(|&var| self.program.vars[var].ty == to)
                    .collect();
                let value = if fitting.is_empty() {
                    self.program.zero(ty)
                } else {
                    let target = self.rng.pick(&fitting);
                    let target = self.program.var_place(target);
                    self.program.address_of(target)
                };
                items.push(InitItem::Value { place, value });
            }
            _ => {
                let value = self.constant(ty);
                items.push(InitItem::Value { place, value });
            }
        }
    }

    pub fn constant(&mut self, ty: TypeId) -> ExprId {
        let wide = u128::from(self.rng.next()) << 64 | u128::from(self.rng.next());
        if let Type::Float(_) = self.program.types.get(ty) {
            let numbers = [0i128, 1, -1, 3, 1 << 40, -12345, i128::from(self.rng.next() as i64)];
            let whole = self.rng.pick(&numbers);
            let whole = self.program.int(Types::I64, whole);
            let a = self.program.cast(ty, whole);
            let eight = self.program.int(Types::I32, self.rng.pick(&[8, 10, 0]));
            let b = self.program.cast(ty, eight);
            return self.program.binary(BinaryOp::Div, a, b);
        }
        if ty == Types::BOOL {
            return self.program.constant(ty, wide & 1);
        }
        let small = i128::from(self.rng.below(20) as u64) - 10;
        let edges = [1u128 << 7, 1 << 15, 1 << 31, 1 << 63, 1 << 127, u128::MAX, wide];
        let bits = if self.rng.chance(60) { small as u128 } else { self.rng.pick(&edges) };
        self.program.constant(ty, bits)
    }

    fn new_local(&mut self, ty: TypeId, prefix: &str) -> VarId {
        let function = self.function.expect("in a function");
        let name = format!("{prefix}{}", self.locals.len());
        let span = self.span();
        let storage = Storage::Local(function);
        let var = Var { name, ty, storage, address_taken: false, span };
        let id = self.program.vars.push(var);
        self.program.funcs[function].locals.push(id);
        self.locals.push(id);
        id
    }

    fn declare_function(&mut self, index: usize) {
        let passable: Vec<TypeId> = self
            .types
            .iter()
            .copied()
            .filter(|&ty| !matches!(self.program.types.get(ty), Type::Array { .. }))
            .collect();
        let params: Box<[TypeId]> =
            (0..self.rng.below(4)).map(|_| self.rng.pick(&passable)).collect();
        let void = self.rng.chance(30);
        let result = if void { Types::VOID } else { self.rng.pick(&passable) };
        let variadic = !params.is_empty() && self.rng.chance(20);
        let signature = Signature { result, params, variadic, prototyped: true };
        let ty = self.program.types.intern(Type::Function(signature));
        let span = self.span();
        let no_return = self.rng.chance(5);
        let (params, locals) = (Vec::new(), Vec::new());
        let name = if self.rng.chance(20) { format!("f.{index}") } else { format!("f{index}") };
        let function = Function { name, ty, params, locals, body: None, no_return, span };
        self.funcs.push(self.program.funcs.push(function));
    }

    fn define_function(&mut self, id: FuncId) {
        self.function = Some(id);
        self.locals.clear();
        let signature = self.program.types.signature(self.program.funcs[id].ty).cloned();
        let signature = signature.expect("a function type");
        for (index, &ty) in signature.params.iter().enumerate() {
            let span = self.span();
            let (name, storage) = (format!("p{index}"), Storage::Param(id));
            let var = Var { name, ty, storage, address_taken: false, span };
            let var = self.program.vars.push(var);
            self.program.funcs[id].params.push(var);
            self.locals.push(var);
        }
        let mut builder = CfaBuilder::new();
        let mut locs = vec![builder.entry()];
        for _ in 0..self.rng.below(12) {
            locs.push(builder.add_loc());
        }
        for index in 0..locs.len() {
            let to = *locs.get(index + 1).unwrap_or(&builder.exit());
            self.edges_from(&mut builder, &signature, &locs, locs[index], to);
        }
        for index in 0..self.rng.below(3) {
            let loc = self.rng.pick(&locs);
            let span = self.span();
            builder.add_label(Label { name: format!("label{index}"), loc, span });
        }
        self.program.funcs[id].body = Some(builder.finish());
        self.function = None;
    }

    fn edge(&mut self, builder: &mut CfaBuilder, from: LocId, to: LocId, op: Op) {
        let kind = self.rng.pick(&[StmtKind::If, StmtKind::Expression, StmtKind::For]);
        let span = self.span();
        let stmt = if self.rng.chance(30) {
            Program::NO_STMT
        } else {
            self.program.stmts.push(Stmt { kind, span })
        };
        let span = if self.rng.chance(30) { self.span() } else { self.program.stmts[stmt].span };
        builder.add_edge(Edge { from, to, op, span, stmt });
    }

    fn edges_from(
        &mut self,
        builder: &mut CfaBuilder,
        signature: &Signature,
        locs: &[LocId],
        from: LocId,
        to: LocId,
    ) {
        if to == builder.exit() {
            let value = (signature.result != Types::VOID).then(|| self.expr(signature.result, 3));
            self.edge(builder, from, to, Op::Return(value));
            return;
        }
        match self.rng.below(10) {
            0..3 => {
                let ty = self.rng.pick(&INTS);
                let condition = self.expr(ty, 3);
                let (yes, no) = (self.program.truth(condition), self.program.not(condition));
                let other = self.rng.pick(locs);
                self.edge(builder, from, to, Op::Assume(yes));
                self.edge(builder, from, other, Op::Assume(no));
            }
            3 => {
                for _ in 0..3 {
                    let condition = self.expr(Types::I32, 2);
                    let other = self.rng.pick(locs);
                    self.edge(builder, from, other, Op::Assume(condition));
                }
                let op = self.op(signature);
                self.edge(builder, from, to, op);
            }
            4 => {
                let condition = self.expr(Types::I32, 2);
                self.edge(builder, from, to, Op::Assume(condition));
            }
            _ => {
                let op = self.op(signature);
                self.edge(builder, from, to, op);
            }
        }
    }

    fn op(&mut self, signature: &Signature) -> Op {
        match self.rng.below(12) {
            0 => Op::Skip,
            1 => {
                let ty = self.rng.pick(&self.types.clone());
                Op::Declare(self.new_local(ty, "d."))
            }
            2 => {
                let ty = self.rng.pick(&self.types.clone());
                Op::Havoc(self.place(ty, 2))
            }
            3 => Op::HavocMemory,
            4 => {
                let to = self.program.types.pointer(Types::VOID);
                let dst = self.place(to, 1);
                let size = self.expr(self.program.types.size_type(), 2);
                Op::Alloca { dst, size }
            }
            5 | 6 => self.call(),
            7 if signature.variadic => {
                let list = self.va_list();
                match self.rng.below(4) {
                    0 => Op::VaStart(list),
                    1 => Op::VaArg { dst: self.place(Types::I32, 2), list },
                    2 => Op::VaCopy { dst: list, src: self.va_list() },
                    _ => Op::VaEnd(list),
                }
            }
            _ => {
                let ty = self.rng.pick(&self.types.clone());
                let dst = self.place(ty, 3);
                let src = self.expr(ty, 4);
                Op::Assign { dst, src }
            }
        }
    }

    fn va_list(&mut self) -> PlaceId {
        let pointer = self.program.types.pointer(Types::I8);
        // As large as the real one, which is all that matters here.
        let ty = match self.program.types.target() {
            Target::Ilp32 => pointer,
            Target::Lp64 => self.program.types.array(pointer, 3),
        };
        let var = self.new_local(ty, ".va");
        self.program.var_place(var)
    }

    fn call(&mut self) -> Op {
        let func = self.rng.pick(&self.funcs.clone());
        let ty = self.program.funcs[func].ty;
        let signature = self.program.types.signature(ty).cloned().expect("a function type");
        let mut args: Vec<ExprId> = signature.params.iter().map(|&ty| self.expr(ty, 3)).collect();
        if signature.variadic {
            args.push(self.expr(Types::I64, 2));
        }
        let wanted = signature.result != Types::VOID && self.rng.chance(70);
        let dst = wanted.then(|| self.place(signature.result, 2));
        let callee = if self.rng.chance(30) {
            Callee::Indirect(self.program.func_addr(func))
        } else {
            Callee::Direct(func)
        };
        Op::Call(Call { dst, callee, args: args.into() })
    }

    /// A place of the type: a variable, a part of one, or behind a pointer.
    pub fn place(&mut self, ty: TypeId, depth: usize) -> PlaceId {
        if depth > 0 {
            let vars: Vec<VarId> = self.globals.iter().chain(&self.locals).copied().collect();
            for _ in 0..4.min(vars.len()) {
                let var = self.rng.pick(&vars);
                let place = self.program.var_place(var);
                if let Some(part) = self.part(place, ty, depth) {
                    return part;
                }
            }
            if self.rng.chance(30) {
                let pointer = self.program.types.pointer(ty);
                let pointer = self.expr(pointer, depth - 1);
                return self.program.deref(pointer);
            }
        }
        let var = self.new_local(ty, "v.");
        self.program.var_place(var)
    }

    fn part(&mut self, place: PlaceId, ty: TypeId, depth: usize) -> Option<PlaceId> {
        let found = self.program.place_ty(place);
        if found == ty {
            return Some(place);
        }
        match self.program.types.get(found).clone() {
            Type::Record(id) => {
                let count = self.program.types.record(id).fields.len();
                let field = self.rng.below(count);
                let field = self.program.field(place, field as u32);
                self.part(field, ty, depth)
            }
            Type::Array { .. } => {
                let index_type = self.rng.pick(&INTS);
                let index = self.expr(index_type, depth - 1);
                let element = self.program.index(place, index);
                self.part(element, ty, depth)
            }
            Type::Pointer(_) => {
                let pointer = self.program.load(place);
                let target = self.program.deref(pointer);
                (self.program.place_ty(target) == ty).then_some(target)
            }
            _ => None,
        }
    }

    fn is_bit_field(&self, place: PlaceId) -> bool {
        use gnomon_ir::expr::PlaceKind;
        match self.program.exprs.place(place).kind {
            PlaceKind::Field(base, field) => {
                let record = self.program.types.as_record(self.program.place_ty(base));
                record.is_some_and(|(_, r)| r.fields[field as usize].bits.is_some())
            }
            _ => false,
        }
    }

    /// An expression of the type.
    pub fn expr(&mut self, ty: TypeId, depth: usize) -> ExprId {
        let kind = self.program.types.get(ty).clone();
        if depth == 0 || self.rng.chance(25) {
            return match kind {
                Type::Bool | Type::Int { .. } | Type::Float(_) if self.rng.chance(40) => {
                    self.constant(ty)
                }
                _ if self.rng.chance(20) => self.program.zero(ty),
                _ => {
                    let place = self.place(ty, depth);
                    self.program.load(place)
                }
            };
        }
        let depth = depth - 1;
        match kind {
            Type::Int { .. } => self.int_expr(ty, depth),
            Type::Float(_) => match self.rng.below(3) {
                0 => {
                    let operand = self.expr(ty, depth);
                    self.program.unary(UnaryOp::Neg, operand)
                }
                1 => self.converted(ty, depth, false),
                _ => {
                    let ops = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div];
                    let op = self.rng.pick(&ops);
                    let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                    self.program.binary(op, a, b)
                }
            },
            Type::Bool => self.converted(ty, depth, true),
            Type::Pointer(to) => self.pointer_expr(ty, to, depth),
            _ => {
                let place = self.place(ty, depth);
                self.program.load(place)
            }
        }
    }

    fn pointer_expr(&mut self, ty: TypeId, to: TypeId, depth: usize) -> ExprId {
        match self.rng.below(3) {
            0 if !matches!(self.program.types.get(to), Type::Function(_) | Type::Void) => {
                let place = self.place(to, depth);
                if !self.is_bit_field(place) {
                    return self.program.address_of(place);
                }
            }
            1 => {
                let pointer = self.expr(ty, depth);
                let index_type = self.rng.pick(&INTS);
                let index = self.expr(index_type, depth);
                return self.program.ptr_add(pointer, index);
            }
            _ => {}
        }
        self.converted(ty, depth, true)
    }

    fn converted(&mut self, ty: TypeId, depth: usize, from_pointers: bool) -> ExprId {
        let mut from = self.rng.pick(&INTS);
        if from_pointers && self.rng.chance(30) {
            let to = self.rng.pick(&INTS);
            from = self.program.types.pointer(to);
        }
        let operand = self.expr(from, depth);
        self.program.cast(ty, operand)
    }

    fn int_expr(&mut self, ty: TypeId, depth: usize) -> ExprId {
        match self.rng.below(6) {
            0 => {
                let op = self.rng.pick(&[UnaryOp::Neg, UnaryOp::BitNot]);
                let operand = self.expr(ty, depth);
                self.program.unary(op, operand)
            }
            1 => self.converted(ty, depth, true),
            2 => {
                let scalars: Vec<TypeId> = self
                    .types
                    .iter()
                    .copied()
                    .filter(|&ty| self.program.types.is_scalar(ty))
                    .collect();
                let operand = self.rng.pick(&scalars);
                let (a, b) = (self.expr(operand, depth), self.expr(operand, depth));
                let op = self.rng.pick(&BinaryOp::ALL[10..]);
                let compared = self.program.binary(op, a, b);
                self.program.cast(ty, compared)
            }
            3 if self.rng.chance(30) => {
                let to = self.rng.pick(&INTS);
                let pointer = self.program.types.pointer(to);
                let (a, b) = (self.expr(pointer, depth), self.expr(pointer, depth));
                let difference = self.program.ptr_diff(a, b);
                self.program.cast(ty, difference)
            }
            _ => {
                let op = self.rng.pick(&BinaryOp::ALL[..10]);
                let right = if op.is_shift() { self.rng.pick(&INTS) } else { ty };
                let (a, b) = (self.expr(ty, depth), self.expr(right, depth));
                self.program.binary(op, a, b)
            }
        }
    }
}
