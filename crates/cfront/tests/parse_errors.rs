//! The exact messages for erroneous text: what users read is pinned here.

use gnomon_cfront::diag;
use gnomon_cfront::parser::{ParseOptions, parse};
use gnomon_cfront::source::SourceBuffer;

fn messages(text: &str) -> String {
    let source = SourceBuffer::new("test.c", text.as_bytes().to_vec()).unwrap();
    let parsed = parse(&source, &ParseOptions::default());
    diag::render_all(&parsed.diagnostics, &source)
}

macro_rules! reports {
    ($($name:ident: $text:literal => $expected:literal;)*) => {
        $(#[test]
        fn $name() {
            assert_eq!(messages($text), $expected.trim_start());
        })*
    };
}

#[test]
fn the_number_of_errors_is_limited() {
    let text = "int x = ;\n".repeat(100);
    let source = SourceBuffer::new("test.c", text.into_bytes()).unwrap();
    let options = ParseOptions { max_errors: 3, ..ParseOptions::default() };
    let parsed = parse(&source, &options);
    assert_eq!(parsed.diagnostics.len(), 3);
    assert_eq!(parsed.diagnostics[2].notes[0].message, "stopped after 3 errors");
}

#[test]
fn a_tree_with_errors_keeps_what_was_understood() {
    let source = SourceBuffer::new("test.c", b"int a = ; int f(void) { 1 +; return 2; }".to_vec());
    let parsed = parse(&source.unwrap(), &ParseOptions::default());
    assert!(parsed.has_errors());
    assert_eq!(
        gnomon_cfront::dump::dump(&parsed.ast, &parsed.interner),
        "<error>\n(function f: function(void) returning int (block <error> (return 2)))\n"
    );
}

reports! {
    missing_semicolon_at_line_end: "int f(void)\n{\n\tint x = 1\n\treturn x;\n}\n" => r#"
error: expected `;` after the declaration, found `return`
 --> test.c:3:11
  |
3 |     int x = 1
  |              ^ expected `;`
"#;
    missing_semicolon_same_line: "void f(int a) { a = 1 a = 2; a = 3; }\n" => r#"
error: expected `;` after the expression, found `a`
 --> test.c:1:22
  |
1 | void f(int a) { a = 1 a = 2; a = 3; }
  |                      ^ expected `;`
"#;
    missing_parenthesis: "void f(int a) {\n  if (a == 1 {\n    a = 2;\n  }\n  a = ;\n}\n" => r#"
error: expected `)`, found `{`
 --> test.c:2:14
  |
2 |   if (a == 1 {
  |              ^
  |
note: to match this
 --> test.c:2:6
  |
2 |   if (a == 1 {
  |      ^

error: expected an expression, found `;`
 --> test.c:5:7
  |
5 |   a = ;
  |       ^
"#;
    missing_brace_at_end: "int f(void) {\n  if (1) {\n    return 1;\n}\n" => r#"
error: expected `}`, found end of file
 --> test.c:5:1
  |
5 |
  | ^
  |
note: to match this
 --> test.c:1:13
  |
1 | int f(void) {
  |             ^
"#;
    unknown_type: "foo_t x;\nvoid f(foo_t *p, bar q) {\n  size_t n = 0;\n  foo_t *r;\n}\n" => r#"
error: unknown type name `foo_t`
 --> test.c:1:1
  |
1 | foo_t x;
  | ^^^^^

error: unknown type name `bar`
 --> test.c:2:18
  |
2 | void f(foo_t *p, bar q) {
  |                  ^^^

error: unknown type name `size_t`
 --> test.c:3:3
  |
3 |   size_t n = 0;
  |   ^^^^^^
  |
  = note: include <stddef.h>
"#;
    unknown_type_bool: "bool flag;\nint g(void) { return flag; }\n" => r#"
error: unknown type name `bool`
 --> test.c:1:1
  |
1 | bool flag;
  | ^^^^
  |
  = note: `bool` needs <stdbool.h> or -std=c23
"#;
    cprover_type: "__CPROVER_bitvector[8] x;\n" => r#"
error: unknown type name `__CPROVER_bitvector`
 --> test.c:1:1
  |
1 | __CPROVER_bitvector[8] x;
  | ^^^^^^^^^^^^^^^^^^^
  |
  = note: this is a type of the verifier CBMC, not of C

error: expected a name, found `[`
 --> test.c:1:20
  |
1 | __CPROVER_bitvector[8] x;
  |                    ^
"#;
    missing_expression: "int x = ;\nint y = 1 + ;\nint z[] = { 1, , 2 };\n" => r#"
error: expected an expression, found `;`
 --> test.c:1:9
  |
1 | int x = ;
  |         ^

error: expected an expression, found `;`
 --> test.c:2:13
  |
2 | int y = 1 + ;
  |             ^

error: expected an expression, found `,`
 --> test.c:3:16
  |
3 | int z[] = { 1, , 2 };
  |                ^
"#;
    type_as_expression: "typedef int T;\nint x = T + 1;\n" => r#"
error: expected an expression, found the type `T`
 --> test.c:2:9
  |
2 | int x = T + 1;
  |         ^
"#;
    call_arguments: "void f(int a) { f(1 2); f(1; f(); }\n" => r#"
error: expected `,` or `)`, found number `2`
 --> test.c:1:21
  |
1 | void f(int a) { f(1 2); f(1; f(); }
  |                     ^
  |
note: in the call that begins here
 --> test.c:1:18
  |
1 | void f(int a) { f(1 2); f(1; f(); }
  |                  ^

error: expected `,` or `)`, found `;`
 --> test.c:1:28
  |
1 | void f(int a) { f(1 2); f(1; f(); }
  |                            ^
  |
note: in the call that begins here
 --> test.c:1:26
  |
1 | void f(int a) { f(1 2); f(1; f(); }
  |                          ^
"#;
    else_without_if: "void f(int a) { a = 1; else a = 2; }\n" => r#"
error: `else` without an `if` in front of it
 --> test.c:1:24
  |
1 | void f(int a) { a = 1; else a = 2; }
  |                        ^^^^
"#;
    declaration_under_if: "void f(int a) { if (a) int b = 1; a++; }\n" => r#"
error: a declaration cannot stand here; it needs a block around it
 --> test.c:1:24
  |
1 | void f(int a) { if (a) int b = 1; a++; }
  |                        ^^^
"#;
    bad_declarator: "int 3x;\nint (;\nint a[3;\nint ok;\n" => r#"
error: expected a name, found number `3x`
 --> test.c:1:5
  |
1 | int 3x;
  |     ^^

error: expected a name, found `;`
 --> test.c:2:6
  |
2 | int (;
  |      ^

error: expected `]`, found `;`
 --> test.c:3:8
  |
3 | int a[3;
  |        ^
  |
note: to match this
 --> test.c:3:6
  |
3 | int a[3;
  |      ^
"#;
    bad_type_words: "long char x;\nunsigned float y;\nint char z;\nstatic extern int w;\n" => r#"
error: these words do not make a type together
 --> test.c:1:1
  |
1 | long char x;
  | ^^^^^^^^^

error: these words do not make a type together
 --> test.c:2:1
  |
2 | unsigned float y;
  | ^^^^^^^^^^^^^^

error: two types in one declaration
 --> test.c:3:5
  |
3 | int char z;
  |     ^^^^

error: more than one storage class
 --> test.c:4:8
  |
4 | static extern int w;
  |        ^^^^^^
"#;
    bad_numbers: "int x = 08 + 0b12 + 1z + 1.5e;\n" => r#"
error: invalid digit `8` in octal constant
 --> test.c:1:9
  |
1 | int x = 08 + 0b12 + 1z + 1.5e;
  |         ^^

error: invalid digit `2` in binary constant
 --> test.c:1:14
  |
1 | int x = 08 + 0b12 + 1z + 1.5e;
  |              ^^^^

error: invalid suffix `z` of an integer constant
 --> test.c:1:21
  |
1 | int x = 08 + 0b12 + 1z + 1.5e;
  |                     ^^

error: exponent without digits
 --> test.c:1:26
  |
1 | int x = 08 + 0b12 + 1z + 1.5e;
  |                          ^^^^
"#;
    unterminated_string: "char *s = \"abc;\nint y;\n" => r#"
error: string literal without closing quote
 --> test.c:1:11
  |
1 | char *s = "abc;
  |           ^
"#;
    bad_member: "struct S { int a b; int c; };\nstruct S s;\n" => r#"
error: expected `;` after the member, found `b`
 --> test.c:1:17
  |
1 | struct S { int a b; int c; };
  |                 ^ expected `;`
"#;
    member_name: "void f(struct s *p) { p->1; p.; p->x; }\n" => r#"
error: expected the name of a member, found number `1`
 --> test.c:1:26
  |
1 | void f(struct s *p) { p->1; p.; p->x; }
  |                          ^

error: expected the name of a member, found `;`
 --> test.c:1:31
  |
1 | void f(struct s *p) { p->1; p.; p->x; }
  |                               ^
"#;
    bad_enum: "enum { A, 3, B };\nenum ;\nint x;\n" => r#"
error: expected an enumerator or `}`, found number `3`
 --> test.c:1:11
  |
1 | enum { A, 3, B };
  |           ^
  |
note: in the enumeration that begins here
 --> test.c:1:6
  |
1 | enum { A, 3, B };
  |      ^

error: expected a tag or `{`, found `;`
 --> test.c:2:6
  |
2 | enum ;
  |      ^
"#;
    stray_brace_and_missing_last_semicolon: "int x;\n}\nint y\n" => r#"
error: expected a declaration, found `}`
 --> test.c:2:1
  |
2 | }
  | ^

error: expected `;` after the declaration, found end of file
 --> test.c:3:6
  |
3 | int y
  |      ^ expected `;`
"#;
    places_follow_line_markers: "# 40 \"user.c\"\nint f(void) {\n  return 1 +;\n}\n# 7 \"inc/h.h\" 1\nint g(void) { return }\n" => r#"
error: expected an expression, found `;`
  --> user.c:41:13
   |
41 |   return 1 +;
   |             ^

error: expected an expression, found `}`
 --> inc/h.h:7:22
  |
7 | int g(void) { return }
  |                      ^
"#;
    string_encodings: "int x[] = L\"a\" u\"b\";\n" => r#"
error: string literals of different encodings cannot be joined
 --> test.c:1:16
  |
1 | int x[] = L"a" u"b";
  |                ^^^^
"#;
    misspelled_keyword: "itn main(void) { retrun 0; }\n" => r#"
error: unknown type name `itn`
 --> test.c:1:1
  |
1 | itn main(void) { retrun 0; }
  | ^^^

error: expected `;` after the expression, found number `0`
 --> test.c:1:24
  |
1 | itn main(void) { retrun 0; }
  |                        ^ expected `;`
"#;
    default_argument: "int f(int x = 3);\n" => r#"
error: parameters have no default values in C
 --> test.c:1:13
  |
1 | int f(int x = 3);
  |             ^
"#;
    statement_at_file_scope: "x = 3;\nfor (;;) ;\nint y;\n" => r#"
error: expected a declaration, found `for`
 --> test.c:2:1
  |
2 | for (;;) ;
  | ^^^

error: expected a declaration, found `)`
 --> test.c:2:8
  |
2 | for (;;) ;
  |        ^
"#;
    stray_bytes: "int a @ = 1;\nint b\\ = 2;\nint c = 3;\n" => r#"
error: stray `@` in the program
 --> test.c:1:7
  |
1 | int a @ = 1;
  |       ^

error: stray `\` in the program
 --> test.c:2:6
  |
2 | int b\ = 2;
  |      ^
"#;
    unbalanced_attribute: "int x __attribute__((aligned(8));\nint y;\n" => r#"
error: expected `)`, found `;`
 --> test.c:1:33
  |
1 | int x __attribute__((aligned(8));
  |                                 ^
  |
note: to match this
 --> test.c:1:20
  |
1 | int x __attribute__((aligned(8));
  |                    ^
"#;
    arguments_of_builtins: "int x = __builtin_offsetof(struct s, 3);\nint y = __builtin_va_arg(1);\n" => r#"
error: expected the name of a member, found number `3`
 --> test.c:1:38
  |
1 | int x = __builtin_offsetof(struct s, 3);
  |                                      ^

error: expected `,`, found `)`
 --> test.c:2:27
  |
2 | int y = __builtin_va_arg(1);
  |                           ^
"#;
    goto_without_label: "void f(void) { goto ; goto 3; break }\n" => r#"
error: expected a label or `*`, found `;`
 --> test.c:1:21
  |
1 | void f(void) { goto ; goto 3; break }
  |                     ^

error: expected a label or `*`, found number `3`
 --> test.c:1:28
  |
1 | void f(void) { goto ; goto 3; break }
  |                            ^

error: expected `;` after `break`, found `}`
 --> test.c:1:36
  |
1 | void f(void) { goto ; goto 3; break }
  |                                    ^ expected `;`
"#;
    two_per_function: "void f(int a) {\n  a = (1;\n  a = 2);\n  a = 3;\n}\n" => r#"
error: expected `)`, found `;`
 --> test.c:2:9
  |
2 |   a = (1;
  |         ^
  |
note: to match this
 --> test.c:2:7
  |
2 |   a = (1;
  |       ^

error: expected `;` after the expression, found `)`
 --> test.c:3:8
  |
3 |   a = 2);
  |        ^ expected `;`
"#;
    incomplete_generic: "int x = _Generic(1);\nint y = _Generic(1, int 2);\n" => r#"
error: expected `,` and an association, found `)`
 --> test.c:1:19
  |
1 | int x = _Generic(1);
  |                   ^

error: expected `:`, found number `2`
 --> test.c:2:25
  |
2 | int y = _Generic(1, int 2);
  |                         ^
"#;
    cplusplus: "class A { public: int x; };\nint ok;\n" => r#"
error: unknown type name `class`
 --> test.c:1:1
  |
1 | class A { public: int x; };
  | ^^^^^

error: expected `,`, `;` or an initialiser after the declarator, found `{`
 --> test.c:1:9
  |
1 | class A { public: int x; };
  |         ^
"#;
}
