//! How tricky constructs are parsed: one construct a test, shown by the text form of the tree.

use gnomon_cfront::parser::{ParseOptions, parse};
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::token::Dialect;
use gnomon_cfront::{diag, dump};

fn check(standard: &str, text: &str, expected: &str) {
    let source = SourceBuffer::new("test.c", text.as_bytes().to_vec()).unwrap();
    let dialect = Dialect::from_name(standard).unwrap();
    let parsed = parse(&source, &ParseOptions { dialect, ..ParseOptions::default() });
    assert_eq!(diag::render_all(&parsed.diagnostics, &source), "", "{text}");
    assert_eq!(dump::dump(&parsed.ast, &parsed.interner).trim_end(), expected, "{text}");
}

macro_rules! parses {
    ($module:ident, $standard:literal: $($name:ident: $text:literal => $expected:literal;)*) => {
        mod $module {
            $(#[test]
            fn $name() {
                super::check($standard, $text, $expected);
            })*
        }
    };
}

parses! { declarations, "gnu17":
    pointer_array_function: "int *(*f[3])(void);" =>
"(declare f: array 3 of pointer to function(void) returning pointer to int)";
    function_returning_function_pointer: "int (*g(int a, char))(double b);" =>
"(declare g: function(a: int, char) returning pointer to function(b: double) returning int)";
    pointer_to_function_returning_array_pointer: "int (*(*p)(void))[3];" =>
"(declare p: pointer to function(void) returning pointer to array 3 of int)";
    qualified_pointers: "const char *const *volatile restrict p;" =>
"(declare p: volatile restrict pointer to const pointer to const char)";
    type_words_in_any_order: "unsigned long int long a; short int unsigned b; signed c; long d; signed char e;" =>
r"(declare a: unsigned long long)
(declare b: unsigned short)
(declare c: int)
(declare d: long)
(declare e: signed char)";
    implicit_int: "f() { return 0; } static x, *y; const z;" =>
r"(function f: function(?) returning implicit-int (block (return 0)))
(declare x: static implicit-int; y: pointer to static implicit-int)
(declare z: const implicit-int)";
    old_style_definition: "int f(a, b, c) int a; char *b; { return a; }" =>
"(function f: function(a, b, c) returning int (declare a: int) (declare b: pointer to char) (block (return a)))";
    old_style_with_typedef_parameter: "typedef int T; f(p) T *p; { *p = 1; }" =>
r"(typedef T: int)
(function f: function(p) returning implicit-int (declare p: pointer to T) (block (= (* p) 1)))";
    prototype_without_parameters: "int f(), g(void), h(...), k(int, ...);" =>
"(declare f: function(?) returning int; g: function(void) returning int; h: function(...) returning int; k: function(int, ...) returning int)";
    typedef_name_as_parameter_type_in_parentheses: "typedef int T; void f(T (T)), g(int (T)), h(T (x)), k(int T);" =>
r"(typedef T: int)
(declare f: function(function(T) returning T) returning void; g: function(function(T) returning int) returning void; h: function(x: T) returning void; k: function(T: int) returning void)";
    array_parameters: "void f(int n, int a[static n], int b[const *], int c[][n], int d[static const 3]);" =>
"(declare f: function(n: int, a: array static n of int, b: const array * of int, c: array [] of array n of int, d: const array static 3 of int) returning void)";
    forward_declared_parameter: "void f(int n; int a[n], int n);" =>
"(declare f: function(a: array n of int, n: int) returning void)";
    variable_length_arrays: "void f(int n) { int a[n], b[n][n + 1]; typedef int T[n]; }" =>
"(function f: function(n: int) returning void (block (declare a: array n of int; b: array n of array (+ n 1) of int) (typedef T: array n of int)))";
    flexible_and_empty: "struct F { int n; int data[]; }; struct E {}; union U {};" =>
r"(declare struct F {n: int; data: array [] of int})
(declare struct E {})
(declare union U {})";
    bit_fields: "struct S { unsigned a : 3, : 0, b : 1 + 1; int : 4; const c : 2; };" =>
"(declare struct S {a: unsigned int bits 3, unsigned int bits 0, b: unsigned int bits (+ 1 1); int bits 4; c: const implicit-int bits 2})";
    anonymous_members: "struct S { struct { int a; }; union { int b; char c; }; struct T { int d; }; };" =>
"(declare struct S {struct {a: int}; union {b: int; c: char}; struct T {d: int}})";
    stray_semicolons_in_struct: "struct S { int a;; int b; };" =>
"(declare struct S {a: int; b: int})";
    last_member_without_semicolon: "struct S { int a; int b };" =>
"(declare struct S {a: int; b: int})";
    static_assert_everywhere: r#"_Static_assert(1, "a" "b"); struct S { _Static_assert(2); int x; }; void f(void) { _Static_assert(3); }"# =>
r#"(static-assert 1 "ab")
(declare struct S {(static-assert 2); x: int})
(function f: function(void) returning void (block (static-assert 3)))"#;
    enumerators: "enum E { A, B = A + 2, C, }; enum E e; enum { D } d;" =>
r"(declare enum E {A, B = (+ A 2), C})
(declare e: enum E)
(declare d: enum {D})";
    typed_enum: "enum E : unsigned char { A }; enum F : long; struct S { enum E : 3; enum E x : 2; };" =>
r"(declare enum E : unsigned char {A})
(declare enum F : long)
(declare struct S {enum E bits 3; x: enum E bits 2})";
    storage_and_function_specifiers: "extern inline _Noreturn void f(void); static __thread int t; register int r; auto int a;" =>
r"(declare f: function(void) returning extern inline noreturn void)
(declare t: static thread_local int)
(declare r: register int)
(declare a: auto int)";
    alternative_spellings: "__inline__ __const__ __signed__ char *__restrict__ f(__volatile__ int *__restrict p);" =>
"(declare f: function(p: restrict pointer to volatile int) returning restrict pointer to inline const signed char)";
    atomic_both_ways: "_Atomic int a; _Atomic(int *) b; int *_Atomic c;" =>
r"(declare a: atomic int)
(declare b: atomic(pointer to int))
(declare c: atomic pointer to int)";
    alignas: "_Alignas(16) _Alignas(double) char a;" =>
"(declare a: alignas(16) alignas(double) char)";
    typeof_forms: "int x; typeof(x + 1) a; __typeof__(int *) b; typeof(x) *c;" =>
r"(declare x: int)
(declare a: typeof((+ x 1)))
(declare b: typeof(pointer to int))
(declare c: pointer to typeof(x))";
    auto_type: "void f(void) { __auto_type x = 1; }" =>
"(function f: function(void) returning void (block (declare x: auto-type = 1)))";
    float_types: "_Float16 a; _Float32 b; _Float64 c; _Float128 d; _Float32x e; _Float64x f; __float128 g; __float80 h; long double i; _Decimal64 j;" =>
r"(declare a: _Float16)
(declare b: _Float32)
(declare c: _Float64)
(declare d: _Float128)
(declare e: _Float32x)
(declare f: _Float64x)
(declare g: _Float128)
(declare h: __float80)
(declare i: long double)
(declare j: _Decimal64)";
    complex_types: "_Complex double a; float __complex__ b; _Complex c; _Complex int d;" =>
r"(declare a: complex double)
(declare b: complex float)
(declare c: complex double)
(declare d: complex int)";
    int128: "__int128 a; unsigned __int128 b; __int128_t c; __uint128_t d;" =>
r"(declare a: __int128)
(declare b: unsigned __int128)
(declare c: __int128)
(declare d: unsigned __int128)";
    builtin_type_names_can_be_hidden: "int __float80; __builtin_va_list a; void f(int __int128_t) { __int128_t = 1; }" =>
r"(declare __float80: int)
(declare a: va_list)
(function f: function(__int128_t: int) returning void (block (= __int128_t 1)))";
    bit_precise_integers: "_BitInt(7) a; unsigned _BitInt(8 + 1) b;" =>
r"(declare a: _BitInt(7))
(declare b: unsigned _BitInt((+ 8 1)))";
    redundant_float_typedef_of_clang_headers: "typedef float _Float32; _Float32 x;" =>
r"(typedef float)
(declare x: _Float32)";
    asm_label_and_attributes: r#"int a asm("real" "name") __attribute__((aligned(16), unused)) = 1, b;"# =>
r#"(declare a: int asm "realname" @aligned(16) @unused = 1; b: int)"#;
    attributes_on_types: "typedef int SI __attribute__((__mode__(__SI__))), V __attribute__((vector_size(4 * sizeof(int))));" =>
"(typedef SI: int @mode(__SI__); V: int @vector_size((* 4 (sizeof int))))";
    mode_argument_is_no_type: "typedef int word; typedef unsigned u __attribute__((mode(word)));" =>
r"(typedef word: int)
(typedef u: unsigned int @mode(word))";
    attributes_on_records: "struct __attribute__((packed)) S { char c; int i __attribute__((aligned(2))), j; } __attribute__((aligned(4))) s;" =>
"(declare s: struct S @packed @aligned(4) {c: char; i: int @aligned(2), j: int})";
    attributes_in_odd_places: "__attribute__((noreturn)) void f(void), __attribute__((cold)) g(void); int (__attribute__((x)) *h)(void); int *__attribute__((y)) const p; enum E { A __attribute__((deprecated)) = 1 };" =>
r"(declare f: function(void) returning void @noreturn; g: function(void) returning void @noreturn @cold)
(declare h: pointer to function(void) returning int @x)
(declare p: const pointer @y to int)
(declare enum E {A @deprecated = 1})";
    empty_and_keyword_attributes: "int f(void) __attribute__((, const, , pure,)) __attribute__(());" =>
"(declare f: function(void) returning int @const @pure)";
    transparent_union: "typedef union { int *a; float *b; } U __attribute__((transparent_union));" =>
"(typedef U: union {a: pointer to int; b: pointer to float} @transparent_union)";
    bracketed_attributes: r#"[[nodiscard]] int f(void); int x [[maybe_unused]], y [[gnu::aligned(8)]]; struct [[deprecated("no")]] S { int a [[x::y(1 + (2), z)]]; };"# =>
r"(declare f: function(void) returning int @nodiscard)
(declare x: int @maybe_unused; y: int @gnu::aligned(8))
(declare struct S @deprecated(<4 bytes>) {a: int @x::y(<10 bytes>)})";
    extension_marker: "__extension__ typedef long long L; struct S { __extension__ struct { int a; }; };" =>
r"(typedef L: long long)
(declare struct S {struct {a: int}})";
    pragma_pack: r#"#pragma pack(push, 1)
struct A { int x; };
#pragma pack(pop)
struct B { int x; };
_Pragma("pack(2)") struct C { int x; };"# =>
r"(declare struct A pack(1) {x: int})
(declare struct B {x: int})
(declare struct C pack(2) {x: int})";
    typedef_hidden_and_restored: "typedef int T; void f(void) { T T = 1; T * 2; { typedef char T; T x; } T++; } T y;" =>
r"(typedef T: int)
(function f: function(void) returning void (block (declare T: T = 1) (* T 2) (block (typedef T: char) (declare x: T)) (post++ T)))
(declare y: T)";
    typedef_hidden_by_parameter: "typedef int T; void f(T T, int x) { T = x; } T y;" =>
r"(typedef T: int)
(function f: function(T: T, x: int) returning void (block (= T x)))
(declare y: T)";
    typedef_hidden_by_enumerator: "typedef int T; void f(void) { enum { T = 3 }; int y = (T) + 1; } int z = (T) + 1;" =>
r"(typedef T: int)
(function f: function(void) returning void (block (declare enum {T = 3}) (declare y: int = (+ T 1))))
(declare z: int = (cast T, (+ 1)))";
    typedef_name_as_member_and_tag: "typedef int T; struct T { T T; }; struct T s; int f(struct T *p) { return p->T + s.T; }" =>
r"(typedef T: int)
(declare struct T {T: T})
(declare s: struct T)
(function f: function(p: pointer to struct T) returning int (block (return (+ (-> p T) (. s T)))))";
    typedef_redeclared: "typedef int T; typedef int T; typedef T U, *V; V v; unsigned T1; const T c;" =>
r"(typedef T: int)
(typedef T: int)
(typedef U: T; V: pointer to T)
(declare v: V)
(declare T1: unsigned int)
(declare c: const T)";
    function_typedef: "typedef int F(int); F f, *g;" =>
r"(typedef F: function(int) returning int)
(declare f: F; g: pointer to F)";
    designated_initialisers: "struct P { int x, y; int q[2]; } p = { .x = 1, y: 2, .q[1] = 3, }; int a[9] = { [0] = 1, [2 ... 5] = 3, 4, [8] 5 }; int e[] = {};" =>
r"(declare p: struct P {x: int, y: int; q: array 2 of int} = {.x = 1, .y = 2, .q[1] = 3})
(declare a: array 9 of int = {[0] = 1, [2 ... 5] = 3, 4, [8] = 5})
(declare e: array [] of int = {})";
    nested_initialisers: r#"int m[2][2] = { { 1, 2 }, { 3 } }; char s[] = { "abc" }; struct { int a[2]; } t = { .a = { [1] = 2 } };"# =>
r#"(declare m: array 2 of array 2 of int = {{1, 2}, {3}})
(declare s: array [] of char = {"abc"})
(declare t: struct {a: array 2 of int} = {.a = {[1] = 2}})"#;
    file_scope_asm: r#"asm("nop"); __asm__ volatile ("x");"# =>
r#"(asm basic "nop")
(asm volatile basic "x")"#;
}

parses! { expressions, "gnu17":
    precedence: "int x = 1 + 2 * 3 << 4 < 5 == 6 & 7 ^ 8 | 9 && 10 || 11;" =>
"(declare x: int = (|| (&& (| (^ (& (== (< (<< (+ 1 (* 2 3)) 4) 5) 6) 7) 8) 9) 10) 11))";
    left_associative: "int x = 1 - 2 - 3, y = 8 / 4 / 2;" =>
"(declare x: int = (- (- 1 2) 3); y: int = (/ (/ 8 4) 2))";
    assignments_are_right_associative: "void f(int a, int b) { a = b = 1; a += b <<= 2; a %= b ^= 3; }" =>
"(function f: function(a: int, b: int) returning void (block (= a (= b 1)) (+= a (<<= b 2)) (%= a (^= b 3))))";
    conditionals: "int a = 1 ? 2 : 3 ? 4 : 5, b = 1 ?: 2, c = 1 ? 2, 3 : 4;" =>
"(declare a: int = (?: 1 2 (?: 3 4 5)); b: int = (?: 1 2); c: int = (?: 1 (, 2 3) 4))";
    comma: "void f(int a) { a = 1, a = 2, a++; }" =>
"(function f: function(a: int) returning void (block (, (, (= a 1) (= a 2)) (post++ a))))";
    prefix_operators: "int a; int b = -(int)~!*&a, c = - -a, d = !++a, e = +--a;" =>
r"(declare a: int)
(declare b: int = (- (cast int, (~ (! (* (& a)))))); c: int = (- (- a)); d: int = (! (++ a)); e: int = (+ (-- a)))";
    postfix_operators: "struct S { struct S *p; int q[3]; int (*f)(int); }; void g(struct S s) { s.p->p[1].q[2]++; s.f(1)--; (*s.f)(2); 1[s.q]; }" =>
r"(declare struct S {p: pointer to struct S; q: array 3 of int; f: pointer to function(int) returning int})
(function g: function(s: struct S) returning void (block (post++ ([] (. ([] (-> (. s p) p) 1) q) 2)) (post-- (call (. s f) 1)) (call (* (. s f)) 2) ([] 1 (. s q))))";
    maximal_munch: "void f(int a, int b) { a+++b; a---1; a-- - --b; }" =>
"(function f: function(a: int, b: int) returning void (block (+ (post++ a) b) (- (post-- a) 1) (- (post-- a) (-- b))))";
    cast_or_parenthesis: "typedef int T; int a = (T)+1, b = (T)-1, c = (T)(1), d = (a)+1, e = (T)(a)(b);" =>
r"(typedef T: int)
(declare a: int = (cast T, (+ 1)); b: int = (cast T, (- 1)); c: int = (cast T, 1); d: int = (+ a 1); e: int = (cast T, (call a b)))";
    cast_of_hidden_typedef: "typedef int T; int f(int T) { return (T) - 1; }" =>
r"(typedef T: int)
(function f: function(T: int) returning int (block (return (- T 1))))";
    sizeof_forms: "typedef int T; int a[3]; int b = sizeof(T), c = sizeof(T) + 1, d = sizeof a, e = sizeof(a)[0], f = sizeof(int){1}, g = sizeof(int *) * 2, h = sizeof sizeof a, i = sizeof -a[0];" =>
r"(typedef T: int)
(declare a: array 3 of int)
(declare b: int = (sizeof T); c: int = (+ (sizeof T) 1); d: int = (sizeof a); e: int = (sizeof ([] a 0)); f: int = (sizeof (literal int {1})); g: int = (* (sizeof pointer to int) 2); h: int = (sizeof (sizeof a)); i: int = (sizeof (- ([] a 0))))";
    alignof_forms: "double d; int a = _Alignof(int), b = __alignof__(double), c = __alignof__ d, e = __alignof(d);" =>
r"(declare d: double)
(declare a: int = (_Alignof int); b: int = (__alignof__ double); c: int = (__alignof__ d); e: int = (__alignof__ d))";
    compound_literals: "struct P { int x; }; int a = (int){3}, *b = (int[]){1, 2}; struct P *p = &(struct P){ .x = 1 }; int c = (struct P){2}.x;" =>
r"(declare struct P {x: int})
(declare a: int = (literal int {3}); b: pointer to int = (literal array [] of int {1, 2}))
(declare p: pointer to struct P = (& (literal struct P {.x = 1})))
(declare c: int = (. (literal struct P {2}) x))";
    statement_expression: "int a = ({ int z = 1; z + 1; }); int b = ({ });" =>
r"(declare a: int = (block (declare z: int = 1) (+ z 1)))
(declare b: int = (block))";
    label_address_is_not_and: "void f(int a) { l: ; void *p = &&l; a = a && a; void *t[] = { &&l, &&l }; }" =>
"(function f: function(a: int) returning void (block (label l) (empty) (declare p: pointer to void = &&l) (= a (&& a a)) (declare t: array [] of pointer to void = {&&l, &&l})))";
    generic: "int a = _Generic(1 + 1, int: 2, char *: 3, const struct s: 4, default: 5);" =>
"(declare a: int = (_Generic (+ 1 1) int: 2 pointer to char: 3 const struct s: 4 default: 5))";
    builtins_with_types: "struct S { struct { int v[2]; } x; }; int a = __builtin_offsetof(struct S, x.v[1]), b = __builtin_types_compatible_p(int, char *), c = __builtin_choose_expr(1, 2, 3); int f(__builtin_va_list l) { return __builtin_va_arg(l, int) + *__builtin_va_arg(l, int *); }" =>
r"(declare struct S {x: struct {v: array 2 of int}})
(declare a: int = (offsetof struct S .x.v[1]); b: int = (types_compatible int, pointer to char); c: int = (choose 1 2 3))
(function f: function(l: va_list) returning int (block (return (+ (va_arg int, l) (* (va_arg pointer to int, l))))))";
    offsetof_through_pointer_syntax: "struct S { int v[2]; }; int a = __builtin_offsetof(struct S, v->w);" =>
r"(declare struct S {v: array 2 of int})
(declare a: int = (offsetof struct S .v->.w))";
    ordinary_builtins_are_calls: "int a = __builtin_expect(1, 0) + __builtin_constant_p(2); void f(void) { __CPROVER_assume(1); __func__; }" =>
r"(declare a: int = (+ (call __builtin_expect 1 0) (call __builtin_constant_p 2)))
(function f: function(void) returning void (block (call __CPROVER_assume 1) __func__))";
    integer_constants: "int a[] = { 0, 017, 0x1F, 0b101, 1'000'000, 1u, 2l, 3ull, 4LLU, 0xffffffffffffffffffffffff };" =>
"(declare a: array [] of int = {0, 15, 31, 5, 1000000, 1u, 2l, 3ull, 4ull, 79228162514264337593543950335})";
    floating_constants: "double a[] = { 1., .5, 1e3, 1.5e-3f, 0x1.8p3, 1.0L, 2.0q, 3.0f128, 1.0i, 2.0df };" =>
"(declare a: array [] of double = {1., .5, 1e3, 1.5e-3f, 0x1.8p3, 1.0l, 2.0q, 3.0f128, 1.0i, 2.0df})";
    character_constants: r#"int a[] = { 'a', '\n', '\x41', '\101', 'ab', L'\u00e9', u8'x', u'y', U'z', '\'', '"', '\377' };"# =>
"(declare a: array [] of int = {'97', '10', '65', '65', '24930', L'233', u8'120', u'121', U'122', '39', '34', '-1'})";
    string_constants: r#"char a[] = "a" "b\n\0"; int b[] = L"x" "y"; char c[] = u8"z", d[] = "\x41" "1", e[] = R"(a\n)";"# =>
r#"(declare a: array [] of char = "ab\n\x00")
(declare b: array [] of int = L"xy")
(declare c: array [] of char = u8"z"; d: array [] of char = "A1"; e: array [] of char = "a\\n")"#;
    function_pointer_cast: "void *p = (void (*)(int, ...))0; int q = ((int (*)(void))p)();" =>
r"(declare p: pointer to void = (cast pointer to function(int, ...) returning void, 0))
(declare q: int = (call (cast pointer to function(void) returning int, p)))";
    real_and_imaginary_parts: "int a = __real__ 1.0i + __imag__ 2.0;" =>
"(declare a: int = (+ (__real__ 1.0i) (__imag__ 2.0)))";
    extension_is_transparent: "int a = __extension__ (1 + __extension__ 2);" =>
"(declare a: int = (+ 1 2))";
    parenthesised_comma_argument: "void f(int a) { f((a, 1)); f(a), f(1); }" =>
"(function f: function(a: int) returning void (block (call f (, a 1)) (, (call f a) (call f 1))))";
    convert_vector: "typedef int V __attribute__((vector_size(8))); void f(V v) { __builtin_convertvector(v, V); }" =>
r"(typedef V: int @vector_size(8))
(function f: function(v: V) returning void (block (convertvector V, v)))";
}

parses! { statements, "gnu17":
    dangling_else: "void f(int a) { if (a) if (a + 1) ; else a = 1; }" =>
"(function f: function(a: int) returning void (block (if a (if (+ a 1) (empty) (= a 1)))))";
    else_if_chain: "void f(int a) { if (a) a = 1; else if (a + 1) a = 2; else a = 3; }" =>
"(function f: function(a: int) returning void (block (if a (= a 1) (if (+ a 1) (= a 2) (= a 3)))))";
    loops: "void f(int a) { while (a) a--; do a++; while (a < 3); for (;;) break; for (int i = 0, j = 1; i < j; i++, j--) continue; for (a = 0; ; ) ; }" =>
"(function f: function(a: int) returning void (block (while a (post-- a)) (do-while (< a 3) (post++ a)) (for _ _ _ (break)) (for (declare i: int = 0; j: int = 1) (< i j) (, (post++ i) (post-- j)) (continue)) (for (= a 0) _ _ (empty))))";
    for_scope: "typedef int T; void f(void) { for (int T = 0; T < 1; T++) ; T x; }" =>
r"(typedef T: int)
(function f: function(void) returning void (block (for (declare T: int = 0) (< T 1) (post++ T) (empty)) (declare x: T)))";
    switch_labels: "void f(int a) { switch (a) { case 1: case 2 ... 5: break; default: a++; case (1 ? 6 : 7): ; } }" =>
"(function f: function(a: int) returning void (block (switch a (block (case 1) (case 2 ... 5) (break) (default) (post++ a) (case (?: 1 6 7)) (empty)))))";
    case_with_conditional_expression: "void f(int a) { switch (a) case 1 ? 2 : 3: a++; }" =>
"(function f: function(a: int) returning void (block (switch a (block (case (?: 1 2 3)) (post++ a)))))";
    label_under_if: "void f(int a) { if (a) l: a--; else m: n: ; }" =>
"(function f: function(a: int) returning void (block (if a (block (label l) (post-- a)) (block (label m) (label n) (empty)))))";
    typedef_name_as_label: "typedef int T; void f(void) { T: goto T; T x; }" =>
r"(typedef T: int)
(function f: function(void) returning void (block (label T) (goto T) (declare x: T)))";
    label_before_declaration_and_at_end: "void f(int a) { l: int b = a; m: }" =>
"(function f: function(a: int) returning void (block (label l) (declare b: int = a) (label m)))";
    label_attributes: "void f(void) { l: __attribute__((unused)); m: __attribute__((unused)) f(); }" =>
"(function f: function(void) returning void (block (label l @unused) (empty) (label m @unused) (call f)))";
    local_labels: "void f(void) { __label__ a, b; a: b: goto a; }" =>
"(function f: function(void) returning void (block (local-labels a b) (label a) (label b) (goto a)))";
    computed_goto: "void f(void *p) { goto *p; goto *(p + 1); }" =>
"(function f: function(p: pointer to void) returning void (block (goto p) (goto (+ p 1))))";
    return_forms: "int f(int a) { if (a) return a; return; }" =>
"(function f: function(a: int) returning int (block (if a (return a)) (return)))";
    fallthrough: "void f(int a) { switch (a) { case 1: __attribute__((fallthrough)); case 2: [[fallthrough]]; default: ; } }" =>
"(function f: function(a: int) returning void (block (switch a (block (case 1) (attributes @fallthrough) (case 2) (attributes @fallthrough) (default) (empty)))))";
    asm_statements: r#"void f(int x) { asm("nop"); asm volatile("a %1" : [o] "=r"(x) : "r"(x), "m"(*&x) : "memory", "cc"); asm goto("j %l0" :::: out); __asm__("" :: "r"(x)); __asm__ __volatile__("" ::: "memory"); asm inline("b" : ); out: ; }"# =>
r#"(function f: function(x: int) returning void (block (asm basic "nop") (asm volatile "a %1" out: [o] "=r" x in: "r" x, "m" (* (& x)) clobbers: "memory", "cc") (asm goto "j %l0" labels: out) (asm "" in: "r" x) (asm volatile "" clobbers: "memory") (asm "b") (label out) (empty)))"#;
    nested_function: "void f(void) { auto int g(int); int g(int z) { return z; } g(1); }" =>
"(function f: function(void) returning void (block (declare g: function(int) returning auto int) (nested-function g: function(z: int) returning int (block (return z))) (call g 1)))";
    extension_before_statement: "void f(int a) { __extension__ a++; __extension__ int b; }" =>
"(function f: function(a: int) returning void (block (post++ a) (declare b: int)))";
    declaration_after_statement: "typedef int T; void f(int a) { a = 1; T b = a; T * c; a * b; }" =>
r"(typedef T: int)
(function f: function(a: int) returning void (block (= a 1) (declare b: T = a) (declare c: pointer to T) (* a b)))";
    blocks_and_empty_statements: "void f(void) { ; {} { ; } }" =>
"(function f: function(void) returning void (block (empty) (block) (block (empty))))";
}

parses! { c23, "gnu23":
    keywords: "bool a = true; constexpr int b = false; void *p = nullptr; alignas(8) thread_local int c; static_assert(alignof(int) == 4);" =>
r"(declare a: _Bool = true)
(declare b: constexpr int = false)
(declare p: pointer to void = nullptr)
(declare c: thread_local alignas(8) int)
(static-assert (== (_Alignof int) 4))";
    auto_infers: "auto x = 1; void f(void) { auto y = 2.0; static auto z = 3; auto int w; }" =>
r"(declare x: auto-type = 1)
(function f: function(void) returning void (block (declare y: auto-type = 2.0) (declare z: static auto-type = 3) (declare w: auto int)))";
    typeof_unqual: "const int a; typeof_unqual(a) b; typeof_unqual(const int) c;" =>
r"(declare a: const int)
(declare b: typeof_unqual(a))
(declare c: typeof_unqual(const int))";
    storage_in_compound_literal: "int *p = (static int[]){1};" =>
"(declare p: pointer to int = (literal array [] of static int {1}))";
    unnamed_parameter_in_definition: "int f(int, char c) { return c; }" =>
"(function f: function(int, c: char) returning int (block (return c)))";
}

parses! { c17, "gnu17":
    c23_words_are_names: "int bool, true, nullptr, constexpr, alignas; int f(int thread_local) { return thread_local; }" =>
r"(declare bool: int; true: int; nullptr: int; constexpr: int; alignas: int)
(function f: function(thread_local: int) returning int (block (return thread_local)))";
}
