//! What the user reads when a program has type errors or uses what is not supported.

mod lowering;

/// The first message about a text.
fn first(text: &str) -> String {
    let all = lowering::messages(&[text]);
    all.split("\n\n").next().unwrap_or_default().trim_end().to_owned()
}

/// The first line of the first message, and its place.
fn brief(text: &str) -> String {
    first(text).lines().take(2).map(str::trim).collect::<Vec<_>>().join(" ")
}

#[test]
fn type_errors_name_types_and_place() {
    for (text, expected) in [
        ("int f(void) { return x; }", "error: `x` is not declared --> a.c:1:22"),
        (
            "struct S { int a; } s; int f(void) { return s + 1; }",
            "error: `+` cannot be applied to `struct S` and `int` --> a.c:1:45",
        ),
        (
            "struct S { int a; } s; int f(void) { return s.b; }",
            "error: `struct S` has no member `b` --> a.c:1:45",
        ),
        (
            "struct T; int f(struct T *t) { return t->a; }",
            "error: `struct T` is not complete here --> a.c:1:39",
        ),
        ("int f(int x) { return *x; }", "error: a pointer is needed here, not `int` --> a.c:1:23"),
        (
            "int f(int x) { x(); return 0; }",
            "error: a pointer is needed here, not `int` --> a.c:1:16",
        ),
        (
            "int g(int, int); int f(void) { return g(1); }",
            "error: the function takes 2 arguments, but 1 are given --> a.c:1:39",
        ),
        (
            "struct S { int a; }; int g(struct S); int f(void) { return g(1); }",
            "error: a value of type `int` cannot be converted to `struct S` --> a.c:1:62",
        ),
        (
            "void f(const int x) { x = 1; }",
            "error: this is `const` and cannot be assigned to --> a.c:1:23",
        ),
        ("void f(int x) { 3 = x; }", "error: this cannot be assigned to --> a.c:1:17"),
        ("void f(int x) { &3; }", "error: this has no address --> a.c:1:17"),
        (
            "struct { int b : 2; } s; int *p = &s.b;",
            "error: a bit-field has no address --> a.c:1:35",
        ),
        (
            "struct S { int a; } s; void f(void) { if (s) ; }",
            "error: a scalar is needed here, but this has type `struct S` --> a.c:1:43",
        ),
        (
            "void f(double d) { switch (d) { } }",
            "error: an integer is needed here, not `double` --> a.c:1:28",
        ),
        (
            "void f(int x) { switch (x) { case 1: case 1: ; } }",
            "error: this value has a `case` already --> a.c:1:38",
        ),
        (
            "void f(int x) { switch (x) { case x: ; } }",
            "error: this must be an integer constant --> a.c:1:35",
        ),
        ("void f(void) { goto l; }", "error: the label `l` is not defined --> a.c:1:16"),
        ("void f(void) { l: ; l: ; }", "error: the label `l` is defined twice --> a.c:1:21"),
        ("void f(void) { break; }", "error: `break` outside of a loop or `switch` --> a.c:1:16"),
        ("int x; int y = x;", "error: the initialiser is not a constant --> a.c:1:16"),
        ("int a[2] = {[5] = 1};", "error: this element is outside of the array --> a.c:1:13"),
        ("int x; char x;", "error: `x` is declared as `char`, but before as `int` --> a.c:1:13"),
        (
            "int f(void) { return 0; } int f(void) { return 1; }",
            "error: `f` is defined twice --> a.c:1:31",
        ),
        ("struct S { int a; int a; };", "error: the member `a` is declared twice --> a.c:1:1"),
        ("struct S s;", "error: `s` has the incomplete type `struct S` --> a.c:1:10"),
        (
            "struct S; int f(struct S s) { return 0; }",
            "error: the parameter has the incomplete type `struct S` --> a.c:1:17",
        ),
        (
            "_Static_assert(sizeof(int) == 2, \"small\");",
            "error: the static assertion fails: small --> a.c:1:16",
        ),
        ("int a[-1];", "error: the length of an array cannot be negative --> a.c:1:7"),
        (
            "int n; int a[n];",
            "error: the length of an array must be constant at file scope --> a.c:1:14",
        ),
        (
            "void f(void) { __builtin_va_list a; __builtin_va_start(a, 0); }",
            "error: `va_start` in a function without variable arguments --> a.c:1:37",
        ),
        (
            "int x = _Generic(1.0, int: 1);",
            "error: no association fits the type `double` --> a.c:1:9",
        ),
    ] {
        assert_eq!(brief(text), expected, "{text}");
    }
}

#[test]
fn what_is_not_supported_is_named() {
    for (text, expected) in [
        (
            "typedef int V __attribute__((vector_size(16)));",
            "unsupported: vector types are not supported --> a.c:1:30",
        ),
        ("_Complex double z;", "unsupported: complex types are not supported --> a.c:1:1"),
        (
            "int f(void) { int g(int x) { return x; } return g(1); }",
            "unsupported: nested functions are not supported --> a.c:1:19",
        ),
        (
            "int setjmp(int *); int f(int *b) { return setjmp(b); }",
            "unsupported: `setjmp` is not supported --> a.c:1:43",
        ),
        (
            "void c(int *); void f(void) { int x __attribute__((cleanup(c))) = 1; }",
            "unsupported: the attribute `cleanup` is not supported --> a.c:1:52",
        ),
        (
            "int g(void) __attribute__((ifunc(\"f\")));",
            "unsupported: the attribute `ifunc` is not supported --> a.c:1:28",
        ),
        (
            "void f(void); void (*p)(void) __attribute__((section(\".init_array\"))) = f;",
            "unsupported: the section `.init_array` is not supported --> a.c:1:46",
        ),
        (
            "register long sp __asm__(\"rsp\");",
            "unsupported: global variables in registers are not supported --> a.c:1:15",
        ),
        ("_BitInt(7) x;", "unsupported: `_BitInt` is not supported --> a.c:1:1"),
        ("_Decimal64 d;", "unsupported: decimal floating point is not supported --> a.c:1:1"),
        (
            "void f(int n) { struct { int a[n]; } s; }",
            "unsupported: an array of variable length in a struct is not supported --> a.c:1:30",
        ),
        (
            "int a[1 << 24] = {[0 ... (1 << 24) - 1] = 1};",
            "unsupported: an initialiser of so many elements is not supported --> a.c:1:19",
        ),
    ] {
        assert_eq!(brief(text), expected, "{text}");
    }
}

#[test]
fn several_errors_are_reported_in_one_run() {
    let text = "int f(void) {\n  int a = b;\n  c = 1;\n  return d.e;\n}\n\
                _Complex float z;\nint g(void) { return h; }\n";
    let found = lowering::messages(&[text]);
    let lines: Vec<&str> =
        found.lines().filter(|l| l.starts_with("error") || l.starts_with("unsup")).collect();
    assert_eq!(
        lines,
        [
            "error: `b` is not declared",
            "error: `c` is not declared",
            "error: `d` is not declared",
            "unsupported: complex types are not supported",
            "error: `h` is not declared",
        ]
    );
}

#[test]
fn the_source_line_is_shown_with_a_caret() {
    assert_eq!(
        first("int f(int x)\n{\n\treturn x->y + 1;\n}\n"),
        "error: a pointer is needed here, not `int`\n --> a.c:3:9\n  |\n3 |     return x->y + 1;\n  |            ^^^^"
    );
}
