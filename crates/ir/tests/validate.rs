//! Each rule of the model is broken once, and the check names it.

use gnomon_ir::expr::{Expr, ExprId, ExprKind};
use gnomon_ir::program::{Storage, Var};
use gnomon_ir::span::Span;
use gnomon_ir::types::{Type, Types};
use gnomon_ir::{text, validate};

const VALID: &str = r#"gnomon-ir 1 lp64
file 0 "a.c"
struct s size 8 align 4 {
  a: i32 at 0
  b: u32 at 4.0 : 3
}
global @g: i32 taken !- = {
  @g = 1:i32
}
global @p: i32* !- = {
  @p = &@g
}
func $callee: fn(i32, ...) -> i8 !-
func $f: fn(i64) -> i32 !0:1:1-1:2 = {
  param %x: i64 !-
  local %y: i32 taken !-
  local %s: struct s taken !-
  local %c: i8 !-
  locs 7
  L0 -> L2: %y = (i32)%x + 1:i32 !1
  L2 -> L3: assume %y < 5:i32 !1
  L3 -> L4: %c = call $callee(%y, 5:i64) !1
  L4 -> L5: @p = &%y + 2:i8 !1
  L5 -> L6: %s::b = 3:u32 !1
  L6 -> L1: return %y !1
}
stmt 1 expression 0:2:3-2:4
"#;

fn defects(text: &str) -> Vec<String> {
    let program = text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    validate::validate(&program).iter().map(ToString::to_string).collect()
}

#[test]
fn each_broken_rule_is_named() {
    assert_eq!(defects(VALID), Vec::<String>::new());
    let cases = [
        ("%y = (i32)%x + 1:i32", "%y = %x + 1:i64", "another type than the place"),
        ("(i32)%x + 1:i32", "(i32)(%x + 1:i32)", "operands of different types"),
        ("%y < 5:i32", "%s", "neither a number nor a pointer"),
        ("(%y, 5:i64)", "()", "0 arguments for 1"),
        ("(%y, 5:i64)", "(%x)", "argument 1 has another type"),
        ("(%y, 5:i64)", "(%y, 5:i16)", "argument 2 is not promoted"),
        ("%c = call", "%y = call", "the result of a call has another type"),
        ("L6 -> L1", "L6 -> L6", "does not lead to the exit"),
        ("return %y", "return %x", "another type than the function's result"),
        ("assume %y < 5:i32", "va_start @p", "without variable arguments"),
        ("assume %y < 5:i32", "declare @g", "not a local variable here"),
        ("@p = &%y + 2:i8", "@p = alloca 5:i32", "is not of type size_t"),
        ("%s::b = 3:u32", "havoc *(void*)&%y", "no complete type"),
        ("&%y + 2:i8", "&%y + 2:u8 * 2:i8", "operands of different types"),
        ("(i32)%x + 1:i32", "(i32)(f32)&%y", "between a pointer and floating point"),
        ("%y: i32 taken", "%y: i32", "not marked so"),
        ("@p = &@g", "@p = &@g + @g", "is not constant"),
        ("@g = 1:i32", "@g = 1:i64", "another type than its place"),
        ("@g = 1:i32", "*@p = 1:i32", "elsewhere than into its variable"),
        ("param %x: i64", "param %x: i32", "not those of the function's type"),
        ("u32 at 4.0 : 3", "u32 at 4.0 : 33", "has 33 bits from bit 0 on"),
        ("a: i32 at 0", "a: i32 at 6", "ends at byte 10 of 8"),
        ("size 8 align 4", "size 8 align 3", "has alignment 3"),
        ("a: i32 at 0", "a: struct s at 0", "contains itself"),
        ("local %y: i32", "local %y: void", "no complete type"),
    ];
    for (right, wrong, message) in cases {
        let text = VALID.replacen(right, wrong, 1);
        assert_ne!(text, VALID, "{right}");
        let found = defects(&text);
        let expected = found.iter().any(|defect| defect.contains(message));
        assert!(expected, "{wrong}: {found:?}");
    }
}

#[test]
fn defects_name_function_edge_and_position() {
    let text = VALID.replace("return %y", "return %x");
    let expected = "a.c:2:3: function f: edge5: what is returned has another type than the \
                    function's result";
    assert_eq!(defects(&text), [expected]);
}

#[test]
fn what_no_text_can_say_is_found_too() {
    let mut program = text::parse(VALID).expect("reads");
    let f = program.find_function("f").expect("is there");
    let local = program.funcs[f].locals[0];
    // A variable of one function in another.
    let load = program.load_var(local);
    let mut other = program.funcs[f].clone();
    other.name = "g".into();
    program.funcs.push(other);
    let found = validate::validate(&program);
    assert!(found.iter().any(|d| d.message.contains("not a variable of this function")));
    // An expression that does not exist.
    program.exprs.intern_expr(Expr { ty: Types::I32, kind: ExprKind::Cast(ExprId(1 << 30)) });
    assert_eq!(program.expr_ty(load), Types::I32);
    // Names that are not unique, a variable that is in no function, a constant that does not fit.
    let mut program = text::parse(VALID).expect("reads");
    let global = |name: &str, storage| Var {
        name: name.into(),
        ty: Types::I32,
        storage,
        address_taken: false,
        span: Span::NONE,
    };
    let storage = Storage::Static { init: None, thread_local: false, read_only: false };
    program.vars.push(global("g", storage));
    program.vars.push(global("lost", Storage::Local(f)));
    program.types.intern(Type::Int { bits: 24, signed: true });
    let found: Vec<String> = validate::validate(&program).iter().map(ToString::to_string).collect();
    for message in ["called `g`", "`lost` is not in its function", "no integer of 24 bits"] {
        assert!(found.iter().any(|defect| defect.contains(message)), "{message}: {found:?}");
    }
}
