//! The interpreter on programs in the text form: outcomes, undefined behaviour by name, inputs and
//! replay, memory, observers.

use gnomon_budget::{Budget, Exhausted};
use gnomon_ir::interp::{
    Captured, EdgeEvent, Observer, Outcome, Run, RunOptions, SeedSource, State, StoreEvent,
    TraceSource, UbKind, ZeroSource, interpret, interpret_observed,
};
use gnomon_ir::program::Program;
use gnomon_ir::text;
use gnomon_ir::trace::Input;

fn program(target: &str, items: &str) -> Program {
    let source = format!("gnomon-ir 1 {target}\n{items}");
    let program = text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let defects = gnomon_ir::validate::validate(&program);
    assert!(defects.is_empty(), "{defects:?}");
    program
}

fn run_with(program: &Program, inputs: &mut dyn gnomon_ir::interp::InputSource) -> (Run, String) {
    let mut output = Captured::default();
    let budget = Budget::unlimited().with_steps(100_000);
    let run = interpret(program, &RunOptions::default(), inputs, &mut output, &budget);
    (run, String::from_utf8_lossy(&output.stdout).into_owned())
}

fn run(items: &str) -> Run {
    run_with(&program("lp64", items), &mut ZeroSource).0
}

/// `main` with these locals and a chain of operations.
fn main_of(globals: &str, locals: &[&str], ops: &[&str]) -> String {
    let locals: String = locals.iter().map(|local| format!("  local {local} !-\n")).collect();
    let count = ops.len();
    let edges: String = ops
        .iter()
        .enumerate()
        .map(|(i, op)| {
            let from = if i == 0 { 0 } else { i + 1 };
            let to = if i + 1 == count { 1 } else { i + 2 };
            format!("  L{from} -> L{to}: {op} !0\n")
        })
        .collect();
    let locs = count + 1;
    format!("{globals}func $main: fn() -> i32 !- = {{\n{locals}  locs {locs}\n{edges}}}\n")
}

fn exit_code(items: &str) -> i32 {
    match run(items).outcome {
        Outcome::Exit(code) => code,
        outcome => panic!("{outcome:?}\n{items}"),
    }
}

fn fatal(items: &str) -> UbKind {
    match run(items).outcome {
        Outcome::Undefined(ub) => ub.kind,
        outcome => panic!("{outcome:?}\n{items}"),
    }
}

fn noted(items: &str) -> Vec<UbKind> {
    let run = run(items);
    assert!(matches!(run.outcome, Outcome::Exit(_)), "{:?}", run.outcome);
    run.noted.iter().map(|ub| ub.kind).collect()
}

const MALLOC: &str = "func $malloc: fn(u64) -> void* !-\nfunc $free: fn(void*) -> void !-\n";

#[test]
fn pointers_keep_their_object() {
    let code = exit_code(&main_of(
        "",
        &["%x: i32 taken", "%y: i32 taken", "%p: i32*", "%n: u64", "%q: i32*"],
        &[
            "%x = 5:i32",
            "%y = 7:i32",
            "%p = &%x",
            "%n = (u64)%p ^ 255:u64",
            "%q = (i32*)(%n ^ 255:u64)",
            "*%q = *%q + 10:i32",
            "return %x * 10:i32 + %y",
        ],
    ));
    assert_eq!(code, 157);
}

#[test]
fn bytes_of_objects_are_those_of_the_machine() {
    let code = exit_code(&main_of(
        "struct s size 8 align 4 {\n  a: i8 at 0\n  b: i16 at 2\n  c: i32 at 4.3 : 7\n}\n",
        &["%s: struct s taken", "%p: u8*"],
        &[
            "%s = zero(struct s)",
            "%s::a = -1:i8",
            "%s::b = 258:i16",
            "%s::c = -3:i32",
            "%p = (u8*)&%s",
            "assume (i32)*(%p + 0:i32) == 255:i32",
            "assume (i32)*(%p + 2:i32) == 2:i32",
            "assume (i32)*(%p + 3:i32) == 1:i32",
            "assume (i32)*(%p + 4:i32) == 232:i32",
            "assume (i32)*(%p + 5:i32) == 3:i32",
            "return %s::c",
        ],
    ));
    assert_eq!(code, -3);
}

#[test]
fn fatal_behaviour_is_named() {
    let int_pointer = ["%x: i32 taken", "%p: i32*"];
    let cases = [
        (main_of("", &int_pointer, &["%p = zero(i32*)", "*%p = 1:i32", "return 0:i32"]), UbKind::NullPointer),
        (
            main_of("", &int_pointer, &["%p = &%x + 1:i32", "*%p = 1:i32", "return 0:i32"]),
            UbKind::OutOfBounds,
        ),
        (
            main_of("", &int_pointer, &["%p = (i32*)123456:u64", "*%p = 1:i32", "return 0:i32"]),
            UbKind::InvalidPointer,
        ),
        (
            main_of(
                MALLOC,
                &["%p: i32*", "%v: void*"],
                &["%v = call $malloc(4:u64)", "%p = (i32*)%v", "call $free(%v)", "*%p = 1:i32", "return 0:i32"],
            ),
            UbKind::UseAfterFree,
        ),
        (
            main_of(
                MALLOC,
                &["%v: void*"],
                &["%v = call $malloc(4:u64)", "call $free(%v)", "call $free(%v)", "return 0:i32"],
            ),
            UbKind::DoubleFree,
        ),
        (
            main_of(MALLOC, &["%x: i32 taken"], &["call $free((void*)&%x)", "return 0:i32"]),
            UbKind::InvalidFree,
        ),
        (
            main_of(
                "global @text: i8[3] read_only taken !- = {\n  @text <- \"ab\"\n}\n",
                &["%p: i8*"],
                &["%p = &@text[0:i32]", "*%p = 1:i8", "return 0:i32"],
            ),
            UbKind::WriteToReadOnly,
        ),
        (main_of("", &["%x: i32"], &["%x = 0:i32", "return 1:i32 / %x"]), UbKind::DivisionByZero),
        (
            main_of("", &["%x: i32"], &["%x = -1:i32", "return -2147483648:i32 % %x"]),
            UbKind::DivisionOverflow,
        ),
        (
            main_of(
                "func $f: fn() -> i32* !- = {\n  local %x: i32 taken !-\n  locs 2\n  L0 -> L1: return &%x !0\n}\n",
                &["%p: i32*"],
                &["%p = call $f()", "*%p = 1:i32", "return 0:i32"],
            ),
            UbKind::UseAfterReturn,
        ),
        (
            main_of("", &["%f: (fn() -> void)*"], &["%f = zero((fn() -> void)*)", "call (%f)()", "return 0:i32"]),
            UbKind::InvalidCall,
        ),
        (
            main_of(
                "func $g: fn(f64) -> void !- = {\n  param %x: f64 !-\n  locs 2\n  L0 -> L1: return !0\n}\n",
                &["%f: (fn(i32) -> void)*"],
                &["%f = ((fn(i32) -> void)*)&$g", "call (%f)(1:i32)", "return 0:i32"],
            ),
            UbKind::WrongSignature,
        ),
        (
            "func $main: fn() -> i32 !- = {\n  local %x: i32 !-\n  locs 3\n  L0 -> L2: %x = call $main() !0\n  L2 -> L1: return %x !0\n}\n".to_owned(),
            UbKind::StackOverflow,
        ),
    ];
    for (items, expected) in cases {
        assert_eq!(fatal(&items), expected, "{items}");
    }
}

#[test]
fn noted_behaviour_goes_on() {
    let cases = [
        (
            main_of("", &["%x: i32"], &["%x = 2147483647:i32", "%x = %x + 1:i32", "return 0:i32"]),
            UbKind::SignedOverflow,
        ),
        (
            main_of("", &["%x: i32"], &["%x = 32:i32", "return 1:i32 << %x"]),
            UbKind::ShiftOutOfRange,
        ),
        (main_of("", &["%x: i32"], &["declare %x", "return %x"]), UbKind::UninitializedRead),
        (
            main_of("", &["%x: i32 taken"], &["declare %x", "return *&%x"]),
            UbKind::UninitializedRead,
        ),
        (
            main_of("", &["%x: f64"], &["%x = 0x1p40:f64", "return (i32)%x"]),
            UbKind::FloatConversion,
        ),
        (
            main_of(
                "",
                &["%x: i32[2] taken", "%p: i32*"],
                &["%x = zero(i32[2])", "%p = (i32*)((i8*)&%x[0:i32] + 1:i32)", "return *%p"],
            ),
            UbKind::Misaligned,
        ),
        (
            main_of("", &["%x: i32 taken", "%y: i32 taken"], &["return &%x < &%y"]),
            UbKind::PointerComparison,
        ),
        (
            main_of(
                "",
                &["%x: i32 taken", "%y: i32 taken", "%d: i64"],
                &["%d = &%y - &%x", "return 0:i32"],
            ),
            UbKind::PointerSubtraction,
        ),
        (
            main_of(
                "func $f: fn() -> i32 !- = {\n  locs 2\n  L0 -> L1: return !0\n}\n",
                &["%x: i32"],
                &["%x = call $f()", "return 0:i32"],
            ),
            UbKind::MissingReturn,
        ),
    ];
    for (items, expected) in cases {
        // The validator refuses a function that returns nothing where it promised something, so
        // the program is only read.
        let source = format!("gnomon-ir 1 lp64\n{items}");
        let program = text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        let (run, _) = run_with(&program, &mut ZeroSource);
        assert!(matches!(run.outcome, Outcome::Exit(_)), "{:?}\n{items}", run.outcome);
        let kinds: Vec<UbKind> = run.noted.iter().map(|ub| ub.kind).collect();
        assert_eq!(kinds, [expected], "{items}");
    }
}

#[test]
fn a_definite_assignment_is_no_uninitialized_read() {
    let kinds = noted(&main_of("", &["%x: i32"], &["declare %x", "%x = 1:i32", "return %x"]));
    assert_eq!(kinds, []);
}

#[test]
fn copies_of_records_copy_what_is_not_written() {
    let records = "struct s size 8 align 4 {\n  a: i32 at 0\n  b: i32 at 4\n}\n";
    let locals = ["%s: struct s taken", "%t: struct s taken"];
    let copy = ["declare %s", "%s::a = 3:i32", "%t = %s", "return %t::a"];
    assert_eq!(noted(&main_of(records, &locals, &copy)), []);
    let read = ["declare %s", "%s::a = 3:i32", "%t = %s", "return %t::b"];
    assert_eq!(noted(&main_of(records, &locals, &read)), [UbKind::UninitializedRead]);
}

#[test]
fn records_go_through_calls() {
    let items = main_of(
        "struct s size 16 align 8 {\n  a: i32 at 0\n  p: i32* at 8\n}\n\
         func $swap: fn(struct s) -> struct s !- = {\n  param %s: struct s !-\n  locs 3\n  \
         L0 -> L2: %s::a = %s::a + *%s::p !0\n  L2 -> L1: return %s !0\n}\n",
        &["%x: i32 taken", "%s: struct s", "%t: struct s"],
        &[
            "%x = 40:i32",
            "%s::a = 2:i32",
            "%s::p = &%x",
            "%t = call $swap(%s)",
            "*%t::p = 100:i32",
            "return %t::a + %x + %s::a",
        ],
    );
    assert_eq!(exit_code(&items), 42 + 100 + 2);
}

const CHOICE: &str = "func $main: fn() -> i32 !- = {
  local %x: i32 !-
  locs 5
  L0 -> L2: havoc %x !0
  L2 -> L3: assume %x > -100:i32 !0
  L2 -> L4: assume %x < 100:i32 !0
  L3 -> L1: return 1:i32 !0
  L4 -> L1: return 2:i32 !0
}
";

#[test]
fn open_edges_are_a_choice_and_closed_ones_end_the_run() {
    let program = program("lp64", CHOICE);
    let trace = |inputs: Vec<Input>| TraceSource::new(gnomon_ir::trace::InputTrace { inputs });
    let value = |value: i32| Input::Nondet { value: u128::from(value as u32), line: None };
    let (run, _) = run_with(&program, &mut trace(vec![value(0), Input::Choice { edge: 1 }]));
    assert_eq!(run.outcome, Outcome::Exit(2));
    let (run, _) = run_with(&program, &mut trace(vec![value(200)]));
    assert_eq!(run.outcome, Outcome::Exit(1));
    let (run, _) = run_with(&program, &mut trace(vec![value(0)]));
    assert!(matches!(run.outcome, Outcome::InputsExhausted { .. }), "{:?}", run.outcome);
    let items = main_of("", &["%x: i32"], &["%x = 1:i32", "assume %x == 2:i32", "return 0:i32"]);
    assert!(matches!(
        run_with(&self::program("lp64", &items), &mut ZeroSource).0.outcome,
        Outcome::AssumptionFailed { .. }
    ));
}

const NONDET: &str = r#"func $__VERIFIER_nondet_int: fn() -> i32 !-
func $malloc: fn(u64) -> void* !-
func $printf: fn(i8*, ...) -> i32 !-
global @f: i8[4] read_only taken !- = {
  @f <- "%d "
}
func $main: fn() -> i32 !- = {
  local %i: i32 !-
  local %x: i32 !-
  local %u: i32 taken !-
  local %v: void* !-
  locs 10
  L0 -> L2: %i = 0:i32 !0
  L2 -> L3: assume %i < 20:i32 !0
  L2 -> L9: assume %i >= 20:i32 !0
  L3 -> L4: %x = call $__VERIFIER_nondet_int() !0
  L4 -> L5: declare %u !0
  L5 -> L6: call $printf(&@f[0:i32], %x ^ *&%u) !0
  L6 -> L7: %v = call $malloc((u64)%i) !0
  L7 -> L8: assume %x > 0:i32 !0
  L7 -> L8: assume %x < 3:i32 !0
  L8 -> L2: %i = %i + 1:i32 !0
  L9 -> L1: return %x & 127:i32 !0
}
"#;

#[test]
fn what_a_run_took_repeats_it() {
    let program = program("lp64", NONDET);
    for seed in 0..20 {
        let (first, printed) = run_with(&program, &mut SeedSource::new(seed));
        let mut replay = TraceSource::new(first.trace.clone());
        let (second, printed_again) = run_with(&program, &mut replay);
        assert_eq!((&first, &printed), (&second, &printed_again));
        assert_eq!(replay.remaining(), 0);
        assert!(first.trace.inputs.len() > 40);
        let (other, _) = run_with(&program, &mut SeedSource::new(seed + 1000));
        assert_ne!(first.trace, other.trace, "the seed matters");
    }
}

#[test]
fn errors_aborts_assumptions_and_unknown_functions() {
    let call = |name: &str, arg: &str| {
        let params = if arg.is_empty() { "" } else { "i32" };
        let items = main_of(
            &format!("func ${name}: fn({params}) -> void !-\n"),
            &[],
            &[&format!("call ${name}({arg})"), "return 0:i32"],
        );
        run(&items).outcome
    };
    assert!(
        matches!(call("__VERIFIER_error", ""), Outcome::Error { function, site: Some(_) } if function == "__VERIFIER_error")
    );
    assert!(matches!(call("abort", ""), Outcome::Abort { .. }));
    assert!(matches!(call("__VERIFIER_assume", "0:i32"), Outcome::AssumptionFailed { .. }));
    assert_eq!(call("__VERIFIER_assume", "1:i32"), Outcome::Exit(0));
    assert_eq!(call("exit", "3:i32"), Outcome::Exit(3));
    assert!(
        matches!(call("__builtin_unreachable", ""), Outcome::Undefined(ub) if ub.kind == UbKind::Unreachable)
    );
    assert!(
        matches!(call("frobnicate", ""), Outcome::Unsupported { what, .. } if what == "frobnicate")
    );
}

#[test]
fn the_outside_may_answer_for_a_function() {
    let items = main_of(
        "func $read_sensor: fn(i8*) -> i32 !-\n",
        &["%b: i8 taken", "%x: i32"],
        &["%b = 0:i8", "%x = call $read_sensor(&%b)", "return %x + (i32)%b"],
    );
    let program = program("lp64", &items);
    let write = gnomon_ir::trace::Write { argument: 0, offset: 0, bytes: vec![5] };
    let inputs =
        vec![Input::Call { function: "read_sensor".into(), result: Some(30), writes: vec![write] }];
    let trace = gnomon_ir::trace::InputTrace { inputs };
    let (run, _) = run_with(&program, &mut TraceSource::new(trace.clone()));
    assert_eq!(run.outcome, Outcome::Exit(35));
    assert_eq!(run.trace, trace);
}

#[test]
fn deep_recursion_needs_no_stack_of_the_host() {
    let items = "func $down: fn(i32) -> i32 !- = {
  param %n: i32 !-
  local %r: i32 !-
  locs 5
  L0 -> L2: assume %n == 0:i32 !0
  L0 -> L3: assume %n != 0:i32 !0
  L2 -> L1: return 0:i32 !0
  L3 -> L4: %r = call $down(%n - 1:i32) !0
  L4 -> L1: return %r + 1:i32 !0
}
func $main: fn() -> i32 !- = {
  local %r: i32 !-
  locs 3
  L0 -> L2: %r = call $down(90000:i32) !0
  L2 -> L1: return %r !0
}
";
    assert_eq!(exit_code(items), 90_000);
}

#[test]
fn an_endless_loop_runs_out_of_budget() {
    let items =
        "func $main: fn() -> i32 !- = {\n  locs 3\n  L0 -> L2: skip !0\n  L2 -> L2: skip !0\n}\n";
    assert_eq!(run(items).outcome, Outcome::OutOfBudget(Exhausted::Steps));
}

const VARIADIC: &str = r#"struct __va_list_tag size 24 align 8 {
  next: void* at 0
}
func $sum: fn(i32, ...) -> i64 !- = {
  param %n: i32 !-
  local %list: struct __va_list_tag[1] taken !-
  local %copy: struct __va_list_tag[1] taken !-
  local %sum: i64 !-
  local %x: i64 !-
  locs 9
  L0 -> L2: va_start %list !0
  L2 -> L3: %sum = 0:i64 !0
  L3 -> L4: assume %n > 0:i32 !0
  L3 -> L7: assume %n <= 0:i32 !0
  L4 -> L5: %x = va_arg %list !0
  L5 -> L6: %sum = %sum * 10:i64 + %x !0
  L6 -> L3: %n = %n - 1:i32 !0
  L7 -> L8: va_copy %copy, %list !0
  L8 -> L1: return %sum !0
}
"#;

#[test]
fn variable_arguments() {
    let call = |args: &str| {
        main_of(VARIADIC, &["%r: i64"], &[&format!("%r = call $sum({args})"), "return (i32)%r"])
    };
    assert_eq!(exit_code(&call("3:i32, 1:i64, 2:i64, 3:i64")), 123);
    assert_eq!(fatal(&call("2:i32, 1:i64")), UbKind::VaArgMisuse);
    assert_eq!(fatal(&call("1:i32, 1:i32")), UbKind::VaArgMisuse);
}

#[derive(Default)]
struct Watcher {
    edges: Vec<(u32, usize)>,
    stores: Vec<u64>,
    last: Option<Vec<u8>>,
}

impl Observer for Watcher {
    fn edge(&mut self, event: EdgeEvent, state: &State<'_>) {
        self.edges.push((event.edge.0, event.depth));
        if event.depth == 1 {
            self.last = state.variable(gnomon_ir::program::VarId(0)).map(<[u8]>::to_vec);
        }
    }

    fn store(&mut self, event: &StoreEvent) {
        self.stores.push(event.bytes);
    }
}

#[test]
fn observers_see_edges_and_stores_and_change_nothing() {
    let items = main_of("", &["%x: i32", "%y: i64"], &["%x = 7:i32", "%y = (i64)%x", "return %x"]);
    let program = program("lp64", &items);
    let mut watcher = Watcher::default();
    let run = interpret_observed(
        &program,
        &RunOptions::default(),
        &mut ZeroSource,
        &mut Captured::default(),
        &Budget::unlimited(),
        &mut watcher,
    );
    assert_eq!(run.outcome, Outcome::Exit(7));
    assert_eq!(watcher.edges, [(0, 1), (1, 1), (2, 1)]);
    assert_eq!(watcher.stores, [4, 8]);
    assert_eq!(watcher.last, Some(vec![7, 0, 0, 0]));

    let nondet = self::program("lp64", NONDET);
    let (plain, _) = run_with(&nondet, &mut SeedSource::new(3));
    let observed = interpret_observed(
        &nondet,
        &RunOptions::default(),
        &mut SeedSource::new(3),
        &mut Captured::default(),
        &Budget::unlimited(),
        &mut Watcher::default(),
    );
    assert_eq!(plain.outcome, observed.outcome);
    assert_eq!(plain.trace, observed.trace);
}

#[test]
fn addresses_fit_the_machine() {
    let items = main_of(
        "func $malloc: fn(u32) -> void* !-\nglobal @g: i32 taken !- = {\n}\n",
        &["%x: i32 taken", "%v: void*", "%n: u64"],
        &[
            "%v = call $malloc(4:u32)",
            "%n = (u64)(u32)&%x | (u64)(u32)%v | (u64)(u32)&@g | (u64)(u32)&$main",
            "assume (u64)&%x <= 4294967295:u64",
            "return (i32)(%n >> 32:i32)",
        ],
    );
    let (run, _) = run_with(&program("ilp32", &items), &mut ZeroSource);
    assert_eq!(run.outcome, Outcome::Exit(0));
}

#[test]
fn arguments_of_other_entry_functions_come_from_the_source() {
    let items = "func $f: fn(i32*, i32) -> i32 !- = {
  param %p: i32* !-
  param %n: i32 !-
  locs 2
  L0 -> L1: return *(%p + 1:i32) + %n !0
}
";
    let program = program("lp64", items);
    let options = RunOptions { entry: "f".into(), ..RunOptions::default() };
    use gnomon_ir::trace::ArgumentValue;
    let argument = |name: &str, value| Input::Argument { name: name.into(), value };
    let object = ArgumentValue::Object { bytes: vec![1, 0, 0, 0, 2, 0, 0, 0], pointers: vec![] };
    let inputs = vec![argument("p", object), argument("n", ArgumentValue::Bits(40))];
    let trace = gnomon_ir::trace::InputTrace { inputs };
    let run = interpret(
        &program,
        &options,
        &mut TraceSource::new(trace.clone()),
        &mut Captured::default(),
        &Budget::unlimited(),
    );
    assert_eq!(run.outcome, Outcome::Exit(42));
    assert_eq!(run.trace, trace);
}
