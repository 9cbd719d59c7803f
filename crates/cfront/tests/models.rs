//! Models of library functions do what the interpreter's own functions do, and the builtins with a
//! type in their name convert to it.

use gnomon_budget::Budget;
use gnomon_cfront::diag::Severity;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::{Models, translate_with};
use gnomon_ir::interp::{Captured, Outcome, RunOptions, ZeroSource, interpret};
use gnomon_ir::types::Target;

const DECLARATIONS: &str = "int abs(int); long labs(long); long long llabs(long long);
double fmax(double, double); float fmaxf(float, float); double fmin(double, double);
float fminf(float, float); double fdim(double, double);
int tolower(int); int toupper(int); int printf(const char *, ...);\n";

/// What a program prints.
fn printed(body: &str, target: Target, with: Models) -> String {
    let text = format!("{DECLARATIONS}int main(void) {{ {body} return 0; }}");
    let source = SourceBuffer::new("test.c", text.into_bytes()).expect("a source");
    let translation = translate_with(vec![source], target, &ParseOptions::default(), with);
    assert!(translation.is_complete(), "{}", translation.render(Severity::Error));
    let mut output = Captured::default();
    let budget = Budget::unlimited().with_steps(100_000);
    let options = RunOptions::default();
    let run = interpret(&translation.program, &options, &mut ZeroSource, &mut output, &budget);
    assert_eq!(run.outcome, Outcome::Exit(0), "{body}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn models_and_interpreter_agree() {
    let numbers = "double v[] = {0.0, -0.0, 1.5, -2.25, 1e300, -1e300, 1.0 / 0.0, 0.0 / 0.0};
        for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) { double x = v[i], y = v[j];";
    let show =
        |call: &str| format!("{numbers} double r = {call}; printf(\"%g %d;\", r, r == r); }}");
    let mut bodies: Vec<String> =
        ["fmin(x, y)", "fmax(x, y)", "fdim(x, y)", "fminf(x, y)", "fmaxf(x, y)"]
            .iter()
            // Which zero is the greater one is open.
            .map(|call| show(call).replace("%g %d;\", r", "%g %d;\", r == 0 ? 0 : r"))
            .collect();
    bodies.push(
        "for (int c = -1; c < 256; c++) printf(\"%d %d;\", tolower(c), toupper(c));".to_owned(),
    );
    bodies.push(
        "int v[] = {0, 1, -1, 77, -2147483647}; for (int i = 0; i < 5; i++)
            printf(\"%d %ld %lld %d %d %d;\", abs(v[i]), labs(v[i]), llabs(v[i]),
            __builtin_popcount(v[i]), __builtin_popcountl(v[i]), __builtin_popcountll(v[i]));"
            .to_owned(),
    );
    for body in &bodies {
        for target in [Target::Lp64, Target::Ilp32] {
            let (own, model) =
                (printed(body, target, Models::None), printed(body, target, Models::BuiltIn));
            assert!(own.len() > 20, "{body}");
            assert_eq!(own, model, "{body}");
        }
    }
}

#[test]
fn overflow_builtins_with_a_type_convert_to_it() {
    let body = "unsigned a = 4294967295u; int b = -1; unsigned long r; unsigned s; int t;
        int o = __builtin_uaddl_overflow(a, b, &r); printf(\"%d %lu;\", o, r);
        o = __builtin_uadd_overflow(a, b, &s); printf(\"%d %u;\", o, s);
        o = __builtin_sadd_overflow(a, b, &t); printf(\"%d %d;\", o, t);
        o = __builtin_add_overflow(a, b, &s); printf(\"%d %u;\", o, s);";
    let expected = "1 4294967294;1 4294967294;0 -2;0 4294967294;";
    assert_eq!(printed(body, Target::Lp64, Models::None), expected);
    assert_eq!(printed(body, Target::Ilp32, Models::None), expected);
}

#[test]
fn there_is_no_int128_on_small_machines() {
    let source = || SourceBuffer::new("a.c", b"__int128 x;".to_vec()).expect("a source");
    let complete = |target| {
        translate_with(vec![source()], target, &ParseOptions::default(), Models::None).is_complete()
    };
    assert!(complete(Target::Lp64) && !complete(Target::Ilp32));
}
