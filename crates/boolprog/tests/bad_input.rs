//! Bad input of every kind gets a clear message with its place, several in one run, and no panic.

use gnomon_boolprog::diagnostic::{Diagnostics, Severity};
use gnomon_boolprog::read::{Dialect, ReadOptions, read};
use gnomon_boolprog::source::Source;
use gnomon_boolprog::validate;
use gnomon_budget::Budget;

fn messages(dialect: Dialect, text: &str) -> (Diagnostics, String) {
    let source = Source::new("bad.bp", text);
    let mut result = read(&source, dialect, &ReadOptions::default());
    if let Some(model) = &result.model {
        let budget = Budget::unlimited();
        validate::constraints(model, 1 << 16, &budget, &mut result.messages).unwrap();
    }
    let text = result.messages.render(&source);
    (result.messages, text)
}

#[track_caller]
fn rejects(text: &str, place: &str, message: &str) {
    let (list, shown) = messages(Dialect::BooleanProgram, text);
    assert!(list.has_errors(), "accepted: {text}");
    let place = format!(" --> bad.bp:{place}\n");
    let is_error = shown.contains("error: ");
    assert!(is_error && shown.contains(&place) && shown.contains(message), "{shown}");
}

#[test]
fn names_and_counts() {
    let function = |body: &str| {
        format!(
            "decl x, count;\nvoid main() begin\n  {body}\nend\nbool<2> f(p) begin return p, p; end"
        )
    };
    rejects(&function("cuont := T;"), "3:3", "unknown variable `cuont`");
    rejects(&function("cuont := T;"), "3:3", "did you mean `count`?");
    rejects(&function("x := y;"), "3:8", "unknown variable `y`");
    rejects(&function("x := f(T);"), "3:3", "`f` returns 2 values but 1 variable is assigned");
    rejects(&function("x, count := f();"), "3:3", "`f` takes 1 argument but is given 0");
    rejects(&function("g();"), "3:3", "unknown function `g`");
    rejects(&function("goto L;"), "3:8", "unknown label `L`");
    rejects(&function("x, count := T;"), "3:3", "2 variables on the left but 1 value on the right");
    rejects(
        &function("return x;"),
        "3:3",
        "`return` with 1 value but this function returns no value",
    );
    rejects(&function("x := 'x;"), "3:8", "makes no sense here");
    rejects(&function("L: skip; L: skip; goto L;"), "3:26", "several statements");
    rejects("decl a, a;\nvoid main() begin skip; end", "1:9", "declared twice");
    rejects("void f() begin skip; end\nvoid f() begin skip; end", "2:6", "declared twice");
    rejects("void f() begin skip; end void g() begin skip; end", "1:6", "--entry");
}

#[test]
fn constraints_that_cannot_be_met() {
    let program = |s: &str| format!("decl x;\nvoid main() begin\n  {s}\nend");
    rejects(&program("constrain(F);"), "3:3", "cannot be met");
    rejects(&program("x := T constrain (!'x);"), "3:3", "cannot be met");
    rejects(&program("constrain('x & !'x);"), "3:3", "cannot be met");
    let (list, shown) = messages(Dialect::BooleanProgram, &program("x := * constrain ('x);"));
    assert!(!list.has_errors(), "{shown}");
}

#[test]
fn syntax() {
    rejects("", "1:1", "expected at least one function");
    rejects("decl x;", "1:8", "found the end of the file");
    rejects("void main() begin\n  x = T;\nend", "2:5", "expected `:=`");
    rejects("void main() begin if x then skip; end", "1:35", "expected `fi`, found `end`");
    rejects("void main() begin skip skip; end", "1:24", "expected `;`");
    let started = "decl x; void main() begin ASYNC_1: x := T; end";
    rejects(started, "1:36", "starts a thread, which can be a call or `goto` only");
    rejects("void main() begin x := (T; end", "1:26", "expected `)`");
    rejects("void main() begin assert(2); end", "1:26", "`0` or `1`");
    rejects("void main() begin x := f(T) & T; end", "1:29", "expected `;`");
    rejects("void main() begin /* open", "1:19", "comment without end");
    rejects("void main() {\n  skip;\n}", "1:13", "begin ... end");
    rejects("void main() begin x := \u{1}\u{2}; end", "1:24", "unexpected characters");
    rejects("void main() begin goto 99999999999; end", "1:24", "number too large");
}

#[test]
fn several_errors_in_one_run() {
    let text = "decl x;\nvoid main() begin\n  x := ;\n  y := T;\n  goto L\n  skip;\nend\nvoid main() begin\n  x := )\nend\n";
    let (list, shown) = messages(Dialect::BooleanProgram, text);
    let errors = list.iter().filter(|d| d.severity == Severity::Error).count();
    assert!(errors >= 3, "{shown}");
}

#[test]
fn precedence_of_implication_is_warned_about() {
    let warns = |e: &str| {
        let text = format!("decl a, b, c; void main() begin assume({e}); end");
        let (list, shown) = messages(Dialect::BooleanProgram, &text);
        assert!(!list.has_errors(), "{shown}");
        list.iter().count() > 0
    };
    assert!(warns("a => b | c") && warns("a & b => c") && warns("a => b => c"));
    assert!(!warns("a => b") && !warns("(a & b) => (b | c)") && !warns("!a => b"));
}

#[test]
fn noise_of_ten_megabytes() {
    let mut random = gnomon_boolprog::random::Random::new(7);
    let bytes: Vec<u8> = (0..10 << 20).map(|_| (random.next_u64() & 0xff) as u8).collect();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    for dialect in [Dialect::BooleanProgram, Dialect::Remopla, Dialect::Pushdown] {
        assert!(messages(dialect, &text).0.has_errors());
    }
    let nested = "(".repeat(1 << 20);
    let words = "if x then ".repeat(1 << 17);
    for body in [format!("x := {nested}"), words] {
        let input = format!("void main() begin {body}");
        assert!(messages(Dialect::BooleanProgram, &input).0.has_errors());
    }
}

#[test]
fn other_dialects() {
    for text in [
        "",
        "init main;",
        "bool x; module void main() { y = 1; }",
        "int x; module void main() { x = 1; }",
        "int x(2); module void main() { x = true; }",
        "module void main() { break; }",
        "module void main() { f(); }",
        "enum e v; module void main() { skip; }",
        "int a[2](2); module void main() { a[0][1] = 1; }",
        "module int(2) f() { return; } module void main() { skip; }",
        "int x(99); module void main() { skip; }",
        "bool b; init nowhere; module void main() { skip; }",
    ] {
        assert!(messages(Dialect::Remopla, text).0.has_errors(), "accepted: {text}");
    }
    for text in ["", "p a ->", "p -> ->\n", "PDA x\n", "3\n", "p a q b\n"] {
        assert!(messages(Dialect::Pushdown, text).0.has_errors(), "accepted: {text}");
    }
}
