//! What `emit_c` prints is compiled by gcc and run: values must be those of `ops`.
//!
//! Without a C compiler for a target its tests have nothing to show, and say so on stderr.

mod random;

use std::path::Path;
use std::process::Command;

use gnomon_ir::cfa::{CfaBuilder, Edge, LocId, Op};
use gnomon_ir::emit_c::{EmitOptions, emit};
use gnomon_ir::expr::{BinaryOp, ExprId, ExprKind, PlaceKind};
use gnomon_ir::ops;
use gnomon_ir::program::{Function, InitItem, Initializer, Program, Storage, Var, VarId};
use gnomon_ir::span::Span;
use gnomon_ir::types::{FloatKind, Signature, Target, Type, TypeId, Types};
use gnomon_ir::{text, validate};
use random::{Generator, INTS, Rng};

fn flags(target: Target) -> Vec<&'static str> {
    let machine: &[&str] = match target {
        Target::Lp64 => &["-m64"],
        Target::Ilp32 => &["-m32", "-msse2", "-mfpmath=sse"],
    };
    [machine, &["-std=gnu17", "-fwrapv", "-fno-strict-aliasing", "-w"]].concat()
}

fn compiler_works(target: Target) -> bool {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let source = directory.path().join("empty.c");
    std::fs::write(&source, "int main(void) { return 0; }\n").expect("written");
    let works = compile(&source, &directory.path().join("empty"), target, &[]).is_ok();
    if !works {
        eprintln!("no C compiler for {target:?}: not tested");
    }
    works
}

fn compile(source: &Path, binary: &Path, target: Target, more: &[&str]) -> Result<(), String> {
    let output = Command::new("gcc")
        .args(flags(target))
        .args(more)
        .arg(source)
        .arg("-o")
        .arg(binary)
        .output()
        .map_err(|e| e.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Compiles the program and gives its exit code.
fn run(program: &Program, more: &[&str]) -> i32 {
    let defects = validate::validate(program);
    assert!(defects.is_empty(), "{}", defects[0]);
    let c = emit(program, &EmitOptions::default()).expect("has a form in C");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (source, binary) = (directory.path().join("a.c"), directory.path().join("a"));
    std::fs::write(&source, &c).expect("written");
    if let Err(message) = compile(&source, &binary, program.types.target(), more) {
        panic!("{message}\n{c}");
    }
    let status = Command::new(&binary).status().expect("runs");
    status.code().unwrap_or_else(|| panic!("{status}\n{c}"))
}

#[test]
fn random_programs_compile() {
    for target in [Target::Lp64, Target::Ilp32] {
        if !compiler_works(target) {
            continue;
        }
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut files = 0;
        for seed in 0.. {
            let program = random::program(seed);
            if program.types.target() != target {
                continue;
            }
            let line_directives = seed % 2 == 0;
            let c = match emit(&program, &EmitOptions { line_directives }) {
                Ok(c) => c,
                Err(error) => panic!("seed {seed}: {error}"),
            };
            let source = directory.path().join("a.c");
            std::fs::write(&source, &c).expect("written");
            let object = directory.path().join("a.o");
            if let Err(message) = compile(&source, &object, target, &["-c", "-O0"]) {
                panic!("seed {seed}: {message}\n{c}");
            }
            files += 1;
            if files == 40 {
                break;
            }
        }
    }
}

/// Values of expressions over variables whose values are known.
struct Evaluator<'p> {
    program: &'p Program,
    values: Vec<u128>,
}

impl Evaluator<'_> {
    /// `None` if the value is not defined: division by zero, NaN, conversions that do not fit.
    fn value(&self, e: ExprId) -> Option<u128> {
        let types = &self.program.types;
        let expr = self.program.exprs.expr(e);
        let scalar = |ty: TypeId| types.scalar(ty);
        match expr.kind {
            ExprKind::Const(_) => self.not_nan(expr.ty, self.program.exprs.const_bits(e)?),
            ExprKind::Load(place) => match self.program.exprs.place(place).kind {
                PlaceKind::Var(var) => self.not_nan(expr.ty, self.values[var.0 as usize]),
                _ => None,
            },
            ExprKind::Unary(op, a) => Some(ops::unary(op, scalar(expr.ty)?, self.value(a)?)),
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (self.program.expr_ty(a), self.program.expr_ty(b));
                let (x, y) = (self.value(a)?, self.value(b)?);
                let narrow = types.size(left) < 4;
                if narrow && matches!(op, BinaryOp::Div | BinaryOp::Rem) {
                    return None;
                }
                let bits = ops::binary(op, scalar(left)?, x, scalar(right)?, y).ok()?;
                self.not_nan(expr.ty, bits)
            }
            ExprKind::Cast(a) => {
                let from = self.program.expr_ty(a);
                let bits = self.value(a)?;
                // gcc keeps the x87 result of this conversion without rounding it.
                let small_target = types.target() == Target::Ilp32;
                if small_target && types.size(from) == 8 && types.is_float(expr.ty) {
                    return None;
                }
                let result = ops::cast(scalar(from)?, scalar(expr.ty)?, bits);
                if types.is_float(from) && !types.is_float(expr.ty) && expr.ty != Types::BOOL {
                    // Fits if it comes back within one.
                    let back = ops::cast(scalar(expr.ty)?, scalar(from)?, result);
                    let kind = scalar(from)?;
                    let difference = ops::binary(BinaryOp::Sub, kind, bits, kind, back).ok()?;
                    let one = ops::cast(scalar(Types::I32)?, kind, 1);
                    let minus_one = ops::unary(gnomon_ir::expr::UnaryOp::Neg, kind, one);
                    let below = ops::binary(BinaryOp::Lt, kind, difference, kind, one).ok()?;
                    let above =
                        ops::binary(BinaryOp::Gt, kind, difference, kind, minus_one).ok()?;
                    if below == 0 || above == 0 {
                        return None;
                    }
                }
                self.not_nan(expr.ty, result)
            }
            _ => None,
        }
    }

    fn not_nan(&self, ty: TypeId, bits: u128) -> Option<u128> {
        let scalar = self.program.types.scalar(ty)?;
        let ordered = ops::binary(BinaryOp::Eq, scalar, bits, scalar, bits).ok()?;
        (ordered == 1).then_some(bits)
    }
}

fn add_var(program: &mut Program, name: String, ty: TypeId, storage: Storage) -> VarId {
    program.vars.push(Var { name, ty, storage, address_taken: false, span: Span::NONE })
}

fn add_main(program: &mut Program, builder: CfaBuilder) {
    let signature =
        Signature { result: Types::I32, params: [].into(), variadic: false, prototyped: true };
    let ty = program.types.intern(Type::Function(signature));
    program.funcs.push(Function {
        name: "main".into(),
        ty,
        params: Vec::new(),
        locals: Vec::new(),
        body: Some(builder.finish()),
        no_return: false,
        span: Span::NONE,
    });
}

fn edge(from: LocId, to: LocId, op: Op) -> Edge {
    Edge { from, to, op, span: Span::NONE, stmt: Program::NO_STMT }
}

/// A random expression of numbers over the variables.
fn number(g: &mut Generator, vars: &[VarId], types: &[TypeId], ty: TypeId, depth: usize) -> ExprId {
    if depth == 0 {
        let fitting: Vec<VarId> =
            vars.iter().copied().filter(|&v| g.program.vars[v].ty == ty).collect();
        if g.rng.chance(25) {
            return g.constant(ty);
        }
        let var = g.rng.pick(&fitting);
        return g.program.load_var(var);
    }
    let depth = depth - 1;
    let float = g.program.types.is_float(ty);
    if ty == Types::BOOL || g.rng.chance(25) {
        let from = g.rng.pick(types);
        let operand = number(g, vars, types, from, depth);
        return g.program.cast(ty, operand);
    }
    if ty == Types::I32 && g.rng.chance(30) {
        let of = g.rng.pick(types);
        let (a, b) = (number(g, vars, types, of, depth), number(g, vars, types, of, depth));
        let op = g.rng.pick(&BinaryOp::ALL[10..]);
        return g.program.binary(op, a, b);
    }
    if g.rng.chance(15) {
        let operand = number(g, vars, types, ty, depth);
        let not = !float && g.rng.chance(50);
        let op = if not { gnomon_ir::expr::UnaryOp::BitNot } else { gnomon_ir::expr::UnaryOp::Neg };
        return g.program.unary(op, operand);
    }
    let op = g.rng.pick(&BinaryOp::ALL[..if float { 4 } else { 10 }]);
    let right = if op.is_shift() { g.rng.pick(&INTS) } else { ty };
    let (a, b) = (number(g, vars, types, ty, depth), number(g, vars, types, right, depth));
    g.program.binary(op, a, b)
}

/// A program that returns 0 if `count` random expressions have the values that `ops` gives them,
/// and the number of those that have one.
fn arithmetic(seed: u64, target: Target, count: usize) -> (Program, usize) {
    let mut g = Generator::new(Rng(seed), target);
    let mut types: Vec<TypeId> = INTS.to_vec();
    types.push(Types::BOOL);
    if target == Target::Lp64 {
        types.extend([Types::I128, Types::U128]);
    }
    for kind in [FloatKind::F32, FloatKind::F64, FloatKind::X87, FloatKind::F128] {
        types.push(g.program.types.float(kind));
    }
    let (mut vars, mut values) = (Vec::new(), Vec::new());
    for round in 0..3 {
        for &ty in &types {
            let value = g.constant(ty);
            let storage = Storage::Static { init: None, thread_local: false, read_only: false };
            let var = add_var(&mut g.program, format!("v{round}.{}", ty.0), ty, storage);
            let place = g.program.var_place(var);
            let items = vec![InitItem::Value { place, value }];
            if let Storage::Static { init, .. } = &mut g.program.vars[var].storage {
                *init = Some(Initializer { items });
            }
            vars.push(var);
            values.push(g.program.exprs.const_bits(value).expect("a constant"));
        }
    }
    let mut builder = CfaBuilder::new();
    let mut at = builder.entry();
    let failed = builder.add_loc();
    let mut tested = 0;
    for _ in 0..count {
        let ty = g.rng.pick(&types);
        let e = number(&mut g, &vars, &types, ty, 4);
        let evaluator = Evaluator { program: &g.program, values: values.clone() };
        let Some(value) = evaluator.value(e) else { continue };
        tested += 1;
        let expected = g.program.constant(ty, value);
        let wrong = g.program.binary(BinaryOp::Ne, e, expected);
        let right = g.program.not(wrong);
        let next = builder.add_loc();
        builder.add_edge(edge(at, failed, Op::Assume(wrong)));
        builder.add_edge(edge(at, next, Op::Assume(right)));
        at = next;
    }
    let (zero, one) = (g.program.int(Types::I32, 0), g.program.int(Types::I32, 1));
    builder.add_edge(edge(at, builder.exit(), Op::Return(Some(zero))));
    builder.add_edge(edge(failed, builder.exit(), Op::Return(Some(one))));
    add_main(&mut g.program, builder);
    (g.program, tested)
}

#[test]
fn arithmetic_is_that_of_ops() {
    for target in [Target::Lp64, Target::Ilp32] {
        if !compiler_works(target) {
            continue;
        }
        let mut all = 0;
        for seed in 0..4 {
            let (program, tested) = arithmetic(seed, target, 400);
            all += tested;
            let optimisation = if seed % 2 == 0 { "-O0" } else { "-O1" };
            let code = run(&program, &[optimisation]);
            assert_eq!(code, 0, "{target:?}, seed {seed}");
        }
        assert!(all > 400, "only {all} expressions had a value");
    }
}

/// Writes every bit-field of packed, padded and plain records and looks at the bytes.
#[test]
fn bit_fields_lie_where_they_should() {
    let source = r#"gnomon-ir 1 lp64
struct s.1 size 12 align 4 {
  a: u32 at 0.0 : 3
  b: i32 at 0.3 : 7
  c: u8 at 2
  d: u64 at 3.1 : 33
  e: u16 at 8.0 : 16
  tail: u8 at 11
}
union u size 8 align 4 {
  x: u32 at 0.0 : 5
  y: u8[6] at 0
}
global @s: struct s.1 taken !- = {
  @s::b = -3:i32
  @s::d = 5000000000:u64
}
global @u: union u taken !- = {
  @u::x = 21:u32
}
func $main: fn() -> i32 !- = {
  local %p: u8* !-
  locs 12
  L0 -> L2: @s::a = 5:u32 !0
  L2 -> L3: @s::c = 200:u8 !0
  L3 -> L4: @s::e = 43981:u16 !0
  L4 -> L5: @s::tail = 7:u8 !0
  L5 -> L6: %p = (u8*)&@s !0
  L6 -> L7: assume *(u64*)%p == CONSTANT:u64 !0
  L6 -> L11: assume *(u64*)%p != CONSTANT:u64 !0
  L7 -> L8: assume *(u32*)(%p + 8:i32) == 117484493:u32 !0
  L7 -> L11: assume *(u32*)(%p + 8:i32) != 117484493:u32 !0
  L8 -> L9: assume (i64)-@s::a < 0:i64 !0
  L8 -> L10: assume (i64)-@s::a >= 0:i64 !0
  L9 -> L1: return 3:i32 !0
  L10 -> L1: return (i32)@u::y[0:i32] !0
  L11 -> L1: return 1:i32 !0
}
"#;
    // a = 5, b = -3 in 7 bits from bit 3 on, c = 200 in byte 2, d from bit 25 on.
    let first = 5u64 | (0x7d << 3) | (200 << 16) | (5_000_000_000 << 25);
    let program = text::parse(&source.replace("CONSTANT", &first.to_string())).expect("reads");
    if compiler_works(Target::Lp64) {
        assert_eq!(run(&program, &[]), 21);
    }
}

#[test]
fn control_flow_memory_and_calls() {
    let source = r#"gnomon-ir 1 TARGET
struct node size NODE align PTR {
  next: struct node* at 0
  value: i32 at PTR
}
struct big size 40 align 4 {
  a: i32[10] at 0
}
struct __va_list_tag size 24 align 8 {
  gp_offset: u32 at 0
  fp_offset: u32 at 4
  overflow_arg_area: void* at 8
  reg_save_area: void* at 16
}
global @first: struct node taken !- = {
  @first::next = &@second
  @first::value = 1:i32
}
global @second: struct node taken !- = {
  @second::next = &@first
  @second::value = 20:i32
}
global @while: i8[6] read_only taken !- = {
  @while <- "a\"?\x00\xff"
}
global @table: (fn(i32) -> i32)*[2] taken !- = {
  @table[1:i32] = &$abs
}
global @copy: struct big !- = {
}
global @number: i32 taken !- = {
}
global @fixed: i32* read_only !- = {
  @fixed = &@number
}
func $abs: fn(i32) -> i32 !- = {
  param %int: i32 !-
  locs 2
  L0 -> L1: return %int * 3:i32 !0
}
func $sum: fn(i32, ...) -> i32 !- = {
  param %count: i32 !-
  local %list: LIST taken !-
  local %other: LIST taken !-
  local %total: i32 !-
  local %.t1: i32 !-
  locs 10
  L0 -> L2: va_start %list !0
  L2 -> L3: va_copy %other, %list !0
  L3 -> L4: %total = 0:i32 !0
  L4 -> L5: assume %count > 0:i32 !0
  L4 -> L8: assume %count <= 0:i32 !0
  L5 -> L6: %.t1 = va_arg %other !0
  L6 -> L7: %total = %total + %.t1 !0
  L7 -> L4: %count = %count - 1:i32 !0
  L8 -> L9: va_end %other !0
  L9 -> L1: return %total !0
}
func $old: fn?(i32) -> i32 !- = {
  param %c: i8 !-
  locs 2
  L0 -> L1: return (i32)%c !0
}
func $fill: fn(struct big*) -> struct big !- = {
  param %to: struct big* !-
  local %i: u8 !-
  local %room: i32* !-
  locs 9
  L0 -> L2: *%to = zero(struct big) !0
  L2 -> L3: %room = alloca SIZE !0
  L3 -> L4: %i = 250:u8 !0
  L4 -> L5: assume %i != 3:u8 !0
  L4 -> L7: assume %i == 3:u8 !0
  L5 -> L6: %to->a[%i + 6:u8] = (i32)%i !0
  L6 -> L4: %i = %i + 1:u8 !0
  L7 -> L8: *%room = 100:i32 !0
  L8 -> L1: return *%to !0
}
func $main: fn() -> i32 !- = {
  local %r: i32 !-
  local %s: i32 !-
  local %b: struct big taken !-
  local %a: i32[10] !-
  locs 12
  L0 -> L2: %r = call (@table[1:i32])(-7:i32) !0
  L2 -> L3: assume %r == -21:i32 !0
  L3 -> L4: %r = call $sum(3:i32, 5:i32, 6:i32, 7:i32) !0
  L4 -> L5: %s = call $old(300:i32) !0
  L5 -> L6: @copy = call $fill(&%b) !0
  L6 -> L7: %a = @copy::a !0
  L7 -> L8: %b::a = zero(i32[10]) !0
  L8 -> L9: %r = %r + %s + @first::next->value + %a[8:i32] + %b::a[8:i32] !0
  L9 -> L10: *@fixed = 5:i32 !0
  L10 -> L11: declare %s !0
  L11 -> L1: return %r + (i32)@while[0:i32] + @number !0
}
"#;
    for (target, word, pointer, list) in [
        (Target::Lp64, "lp64", 8u64, "struct __va_list_tag[1]"),
        (Target::Ilp32, "ilp32", 4, "i8*"),
    ] {
        let source = source
            .replace("TARGET", word)
            .replace("NODE", &(2 * pointer).to_string())
            .replace("PTR", &pointer.to_string())
            .replace("LIST", list)
            .replace("SIZE", if pointer == 8 { "40:u64" } else { "40:u32" });
        let source =
            if pointer == 8 { source } else { without_record(&source, "struct __va_list_tag") };
        let program = text::parse(&source).expect("reads");
        if compiler_works(target) {
            for optimisation in ["-O0", "-O2"] {
                // 18 + (char)300 + 20 + 2 + 0 + 'a' + 5
                assert_eq!(run(&program, &[optimisation]), 18 + 44 + 20 + 2 + 97 + 5);
            }
        }
    }
}

/// The text without the item that starts so.
fn without_record(text: &str, start: &str) -> String {
    let from = text.find(&format!("\n{start} size")).expect("is there");
    let end = from + text[from..].find("}\n").expect("ends") + 1;
    format!("{}{}", &text[..from], &text[end..])
}

#[test]
fn a_choice_asks_and_a_dead_end_stops() {
    let source = r#"gnomon-ir 1 lp64
func $__VERIFIER_nondet_int: fn() -> i32 !-
func $main: fn() -> i32 !- = {
  local %x: i32 !-
  locs 6
  L0 -> L2: %x = 1:i32 !0
  L2 -> L3: assume %x == 1:i32 !0
  L2 -> L4: assume %x == 2:i32 !0
  L2 -> L5: assume %x > 2:i32 !0
  L3 -> L1: return 40:i32 !0
  L3 -> L1: return 41:i32 !0
  L4 -> L1: return 2:i32 !0
  L5 -> L1: return 3:i32 !0
}
"#;
    if !compiler_works(Target::Lp64) {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let answer = directory.path().join("answer.c");
    std::fs::write(&answer, "int __VERIFIER_nondet_int(void) { return 5; }\n").expect("written");
    let program = text::parse(source).expect("reads");
    let answer = answer.to_str().expect("a path in UTF-8");
    assert_eq!(run(&program, &[answer]), 41);
    let stuck = text::parse(&source.replace("%x = 1", "%x = 0")).expect("reads");
    let c = emit(&stuck, &EmitOptions::default()).expect("has a form");
    let (file, binary) = (directory.path().join("stuck.c"), directory.path().join("stuck"));
    std::fs::write(&file, c).expect("written");
    compile(&file, &binary, Target::Lp64, &[answer]).expect("compiles");
    let status = Command::new(&binary).status().expect("runs");
    assert_eq!(status.code(), None, "stopped by a signal");
}
