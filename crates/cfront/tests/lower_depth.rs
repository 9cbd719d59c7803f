//! Nests and lists of every kind and of any size: no overflow of the stack, and time that grows
//! with the text and not faster.

mod lowering;

use gnomon_ir::types::Target;

const DEPTH: usize = 3_000;

fn nest(open: &str, inside: &str, close: &str) -> String {
    format!("{}{inside}{}", open.repeat(DEPTH), close.repeat(DEPTH))
}

/// A function that returns the expression.
fn returning(expression: &str) -> String {
    format!(
        "int h(int, ...); int a[9]; struct S {{ int x; struct S *p; }} s;\n\
         int f(int x, int y) {{ return {expression}; }}\n"
    )
}

fn lowers(text: &str) {
    lowering::lower(text, Target::Lp64);
}

#[test]
fn expressions() {
    for expression in [
        nest("(", "x", ")"),
        nest("x + (", "x", ")"),
        nest("", "x", " + y"),
        nest("", "h(1)", " + h(2)"),
        nest("h(", "x", ")"),
        nest("x + h(", "x", ")"),
        nest("", "x", " && y"),
        nest("x && (", "x", ")"),
        nest("1 + (x && ", "x", ")"),
        nest("a[", "x", "]"),
        nest("-(~", "x", ")"),
        nest("!", "x", ""),
        nest("x = y = ", "x", ""),
        nest("a[x] = a[y] = ", "x", ""),
        nest("x += ", "x", ""),
        nest("a[a[", "x++", "]++]++"),
        nest("x, ", "x", ""),
        format!("s.p{}->x", "->p".repeat(DEPTH)),
        nest("(char)(int)", "x", ""),
    ] {
        lowers(&returning(&expression));
    }
}

#[test]
fn conditional_expressions() {
    for expression in [
        nest("x ? y : ", "x", ""),
        nest("(", "x", " ? 1 : y)"),
        nest("x ? ", "x", " : y"),
        nest("(", "1", " ? 1 : 0)"),
        nest("x ?: ", "x", ""),
        nest("(", "x", " ?: y)"),
        nest("_Generic(1, int: ", "x", ")"),
        nest("_Generic(", "x", ", int: 1)"),
        nest("__builtin_choose_expr(1, ", "x", ", 2)"),
        nest("sizeof(", "x", ")"),
        nest("__builtin_constant_p(", "x", ")"),
    ] {
        lowers(&returning(&expression));
    }
    lowers(&format!("int w; int z = sizeof({});", nest("(", "w", " ? 1 : 0)")));
    lowers(&format!("int z = {};", nest("(", "1", " ? 1 : 0)")));
}

#[test]
fn statements_and_initialisers() {
    lowers(&returning(&nest("({ ", "x", "; })")));
    lowers(&returning(&nest("({ __auto_type q = ", "x", "; q; })")));
    for body in [
        nest("{", "", "}"),
        nest("if (x) {", "", "}"),
        nest("for (; x;) {", "", "}"),
        nest("switch (x) { case 1:", "", "}"),
        nest("if (x) x++; else ", ";", ""),
        nest("{ int v = 1;", "", "}"),
    ] {
        lowers(&format!("void f(int x) {{ {body} }}"));
    }
    lowers(&format!("int z = {};", nest("{", "1", "}")));
    lowers(&format!(
        "struct A {{ {} }} a; int f(void) {{ return a.x; }}",
        nest("struct {", "int x;", "};")
    ));
}

#[test]
fn what_used_to_take_exponential_time() {
    let deep = |open: &str, inside: &str, close: &str| {
        format!("{}{inside}{}", open.repeat(40), close.repeat(40))
    };
    let types = "struct S { int x; }; struct W { struct S s; }; struct S h(struct W);\n";
    for expression in
        [deep("((struct W){ ", "{x}", " }).s.x"), deep("((struct S[]){ { ", "x", " } })->x")]
    {
        lowers(&format!("{types}int f(int x) {{ return {expression}; }}"));
    }
    let nested = deep("h((struct W){ ", "{x}", " })");
    lowers(&format!("{types}void f(int x) {{ struct W w = {{ {nested} }}; }}"));
    let typed = deep("({ __auto_type q = ", "x", "; q; })");
    lowers(&format!("int f(int x) {{ return sizeof({typed}); }}"));
}

#[test]
fn types_of_great_depth_are_refused_by_name() {
    for text in [
        format!("int {}p;", "*".repeat(DEPTH)),
        format!("int p{};", "[1]".repeat(DEPTH)),
        format!("int f({});", nest("int (*)(", "int", ")")),
    ] {
        let found = lowering::messages(&[&text]);
        assert!(
            found.starts_with("unsupported: types of this depth are not supported"),
            "{found:.200}"
        );
    }
}
