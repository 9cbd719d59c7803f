//! Deeply nested and very long constructs neither overflow the stack nor take quadratic time.

use gnomon_cfront::parser::{MAX_NESTING, ParseOptions, ParseResult, parse};
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::{diag, dump};

const DEEP: usize = 100_000;

fn parse_text(text: String) -> (SourceBuffer, ParseResult) {
    let source = SourceBuffer::new("deep.c", text.into_bytes()).unwrap();
    let parsed = parse(&source, &ParseOptions::default());
    (source, parsed)
}

fn accepted(text: String) -> ParseResult {
    let (source, parsed) = parse_text(text);
    assert_eq!(diag::render_all(&parsed.diagnostics, &source), "");
    parsed
}

/// `prefix` and `open` many times, `middle`, `close` as often, `suffix`.
fn nested(prefix: &str, open: &str, middle: &str, close: &str, suffix: &str) -> String {
    format!("{prefix}{}{middle}{}{suffix}", open.repeat(DEEP), close.repeat(DEEP))
}

#[test]
fn parentheses() {
    let parsed = accepted(nested("int x = ", "(", "1", ")", ";"));
    assert_eq!(dump::dump(&parsed.ast, &parsed.interner), "(declare x: int = 1)\n");
}

#[test]
fn blocks() {
    accepted(nested("void f(void) ", "{", ";", "}", ""));
}

#[test]
fn prefix_operators_and_casts() {
    let parsed = accepted(nested("int x = ", "- ~!", "1", "", ";"));
    assert_eq!(parsed.ast.expr_count(), 3 * DEEP + 1);
    accepted(nested("int x = ", "(int)", "1", "", ";"));
    accepted(nested("int x; int y = ", "sizeof ", "x", "", ";"));
}

#[test]
fn the_text_form_of_a_deep_tree() {
    let parsed = accepted(nested("int x = ", "-", "1", "", ";").replace("--", "- - "));
    assert!(dump::dump(&parsed.ast, &parsed.interner).len() > 4 * DEEP);
}

#[test]
fn chains_of_operators() {
    accepted(nested("int a; int x = a", " + a", "", "", ";"));
    accepted(nested("void f(int a) { a", ", a", "", "", "; }"));
    accepted(nested("void f(int a) { a", " = a", "", "", "; }"));
    accepted(nested("int a; int x = ", "a ? a : ", "a", "", ";"));
    accepted(nested("int a; int x = ", "a ? ", "a", " : a", ";"));
}

#[test]
fn postfix_operators() {
    accepted(nested("int a; int x = a", "[0]", "", "", ";"));
    accepted(nested("int a; int x = ", "a[", "0", "]", ";"));
    accepted(nested("int f(); int x = ", "f(", "0", ")", ";"));
    accepted(nested("int f(); int x = f", "()", "", "", ";"));
}

#[test]
fn else_if_chains_and_nested_statements() {
    accepted(nested("void f(int a) { if (a) ;", " else if (a) a++;", " else a--;", "", "}"));
    accepted(nested("void f(int a) { ", "if (a) ", ";", "", "}"));
    accepted(nested("void f(int a) { ", "while (a) for (;;) ", ";", "", "}"));
    accepted(nested("void f(int a) { switch (a) {", "case 1: ", ";", "", "}}"));
    accepted(nested("void f(int a) { if (a) ", "l: ", ";", "", "}"));
    accepted(nested("int x = ", "({", "1;", "});", ""));
}

#[test]
fn declarators_types_and_initialisers() {
    accepted(nested("int ", "*", "x", "", ";"));
    accepted(nested("int ", "(*", "x", ")", ";"));
    accepted(nested("int x", "[1]", "", "", ";"));
    accepted(nested("int x = ", "{", "1", "}", ";"));
    accepted(nested("", "struct {", "int x;", "} y;", ""));
    accepted(nested("", "typeof(", "int", ")", " x;"));
    accepted(nested("int f", "(int (*g)", "(void)", ")", ";"));
    accepted(nested("int x", ", x", "", "", ";"));
}

#[test]
fn unbalanced_nesting_is_an_error_and_no_overflow() {
    for (prefix, open) in [
        ("int x = ", "("),
        ("void f(void) ", "{"),
        ("int ", "("),
        ("int x = ", "{"),
        ("", "struct {"),
    ] {
        let (_, parsed) = parse_text(nested(prefix, open, "", "", ""));
        assert!(parsed.has_errors(), "{open}");
    }
    for text in [")", "}", "]", "({[", "if(", "int(", "_Generic(", "__attribute__(("] {
        let (_, parsed) = parse_text(text.repeat(DEEP));
        assert!(parsed.has_errors(), "{text}");
    }
}

#[test]
fn nesting_has_a_limit() {
    let levels = MAX_NESTING as usize + 1;
    let text = format!("int x = {}1{};", "(".repeat(levels), ")".repeat(levels));
    let (_, parsed) = parse_text(text);
    let messages: Vec<&str> = parsed.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, [format!("nesting deeper than {MAX_NESTING} levels")]);
}
