//! Declarations, initialisers and objects.

use super::{Case, case};

/// On both machines.
pub const CASES: &[Case] = &[
    case(
        "arrays of variable length",
        "int sum(int n, int m, int a[n][m]) { int s = 0;
           for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[i][j];
           return s + (int)(sizeof *a / sizeof(int)) * 1000; }
         int make(int n) { int a[n][n + 1]; for (int i = 0; i < n; i++)
           for (int j = 0; j <= n; j++) a[i][j] = i * j; int m = n; n = 100;
           return sizeof a == m * (m + 1) * sizeof(int) ? sum(m, m + 1, a) : -1; }
         int k; int next(void) { return ++k; }
         int effects(void) { char b[next()]; return sizeof b == 1 && sizeof(char[next()]) == 2 && k == 2; }
         int pointed(int n, void *p) { return sizeof *(int (*)[n])p / sizeof(int); }
         int step(int n) { char a[4][n]; char (*p)[n] = a; p++; return (char *)p - (char *)a; }
         int type(int n) { typedef short T[n]; n++; T t; return sizeof t / sizeof(short); }
         int types(int n) { int a[n]; typeof(a) b; return sizeof b / sizeof(int); }",
        &[
            "make(3) == (0 + 0 + 0 + 0) + (0 + 1 + 2 + 3) + (0 + 2 + 4 + 6) + 4000",
            "effects()",
            "pointed(7, 0) == 7",
            "step(5) == 5 && type(6) == 6 && types(4) == 4",
        ],
    ),
    case(
        "initialisers of aggregates",
        "struct P { int x, y; }; struct L { struct P a, b; int c[3]; };
         struct L l = {1, 2, {3}, {4, 5}}; int m[2][3] = {{1}, {4, 5}}; int flat[2][2] = {1, 2, 3};
         int des[] = {[3] = 7, 8, [1] = 5}; struct P pd = {.y = 2, .x = 1};
         struct L ld = {.b.y = 9, .c = {[1] = 6}, .a = {3}}; int range[6] = {[1 ... 3] = 4, 5};
         struct { int k; struct { int u; union { int v; char w; }; }; int z; } an = {1, 2, {3}, 4};
         struct { int k; struct { int u; int v; }; int z; } am = {.v = 7, 8};
         union { int i; char c[4]; } un = {.c = {1, 1}}; struct L over = {.a = {1, 2}, .a.y = 5};
         struct P ps[] = {{1}, {2, 3}, [4] = {.y = 1}}; char s[3] = \"abc\"; char t[] = \"ab\";
         char u[] = {\"xy\"}; int empty[3] = {}; int *ptr = &m[1][1]; const char *str = \"hi\" + 1;
         struct { char n[4]; int v; } tab[] = {\"ab\", 1, {\"cd\", 2}};",
        &[
            "l.a.x == 1 && l.a.y == 2 && l.b.x == 3 && l.b.y == 0 && l.c[1] == 5 && l.c[2] == 0",
            "m[0][0] == 1 && m[0][1] == 0 && m[1][1] == 5 && flat[1][0] == 3 && flat[1][1] == 0",
            "sizeof des / sizeof *des == 5 && des[3] == 7 && des[4] == 8 && des[1] == 5 && !des[0]",
            "pd.x == 1 && pd.y == 2 && ld.b.y == 9 && ld.c[1] == 6 && ld.a.x == 3",
            "range[0] == 0 && range[1] == 4 && range[3] == 4 && range[4] == 5 && range[5] == 0",
            "an.k == 1 && an.u == 2 && an.v == 3 && an.z == 4",
            "am.k == 0 && am.v == 7 && am.z == 8",
            "un.i == 0x101 && over.a.x == 1 && over.a.y == 5",
            "sizeof ps / sizeof *ps == 5 && ps[1].y == 3 && ps[3].x == 0 && ps[4].y == 1",
            "s[2] == 'c' && sizeof t == 3 && sizeof u == 3 && u[1] == 'y' && empty[2] == 0",
            "*ptr == 5 && *str == 'i'",
            "tab[0].v == 1 && tab[1].n[0] == 'c' && tab[1].v == 2 && sizeof tab == 2 * sizeof *tab",
        ],
    ),
    case(
        "initialisers of local objects",
        "struct P { int x, y; }; struct Q { struct P p; int z; }; int n; int next(void) { return ++n; }
         struct P make(int v) { return (struct P){v, v + 1}; }
         int whole(void) { struct P p = {4, 5}; struct Q q = {p, 6}; struct Q r = {make(1)};
           return q.p.y * 100 + q.z * 10 + r.p.y; }
         int parts(int a) { int v[4] = {a, [2] = a + 1}; return v[0] + v[1] * 10 + v[2] * 100 + v[3]; }
         int once(void) { n = 0; int v[5] = {[1 ... 3] = next()}; return v[1] + v[2] + v[3] + n * 10; }
         int again(void) { int s = 0; for (int i = 0; i < 3; i++) { int a[2] = {i}; s += a[1]; a[1] = 9; }
           return s; }
         int strings(void) { char b[8] = \"ab\"; b[0]++; char c[2] = {'x'}; return b[0] + b[7] + c[1]; }",
        &[
            "whole() == 562",
            "parts(3) == 403",
            "once() == 13",
            "again() == 0",
            "strings() == 'b'",
        ],
    ),
    case(
        "compound literals",
        "struct P { int x, y; }; int sum(struct P p) { return p.x + p.y; }
         int first(int *p) { return p[0] * 10 + p[1]; } int *g = (int[]){7, 8};
         struct P s = (struct P){1, 2};
         int changed(void) { int *p = &(int){3}; *p += 4; return *p; }
         int looped(void) { int *p[2]; for (int i = 0; i < 2; i++) p[i] = (int[]){i};
           return *p[1]; }",
        &[
            "sum((struct P){3, 4}) == 7 && sum((struct P){.y = 2}) == 2",
            "first((int[]){1, 2}) == 12 && g[1] == 8 && s.y == 2",
            "changed() == 7 && looped() == 1 && (int){5} == 5",
            "sizeof((char[]){1, 2, 3}) == 3 && ((int[]){4, 5})[1] == 5",
        ],
    ),
    case(
        "flexible array members and layouts",
        "struct F { int n; char d[]; }; struct F *f; struct __attribute__((packed)) K { char c; int i; };
         struct A { char c; _Alignas(16) char d; }; void *malloc(typeof(sizeof(int)));
         struct F init = {3, {1, 2, 3}}, text = {4, \"abc\"}, none = {5}; struct F copy;
         struct G { char n; short v[]; }; int later(void) { static struct G g = {1, {[2] = 7}};
           g.v[0]++; return g.v[0] * 10 + g.v[2]; }
         int use(void) { struct F *p = malloc(sizeof *p + 3); p->n = 3; for (int i = 0; i < 3; i++)
           p->d[i] = i; return p->d[2]; }",
        &[
            "sizeof(struct F) == sizeof(int) && __builtin_offsetof(struct F, d) == sizeof(int)",
            "sizeof(struct K) == 5 && sizeof(struct A) == 32 && _Alignof(struct A) == 16",
            "use() == 2",
            "init.n == 3 && init.d[2] == 3 && text.d[2] == 'c' && text.d[3] == 0 && none.n == 5",
            "sizeof init == sizeof(int) && (copy = init).n == 3 && (&init)->d[1] == 2",
            "later() == 17 && (init = none, init.n == 5 && init.d[0] == 1)",
        ],
    ),
    case(
        "old-style functions",
        "int old(a, b, c) char a; short b; float c; { return a + b + (int)c; }
         implicit(x) { return x + 1; } int declared(); int late(n) { return declared(n, 2); }
         int declared(int a, int b) { return a * 10 + b; }
         int recursive(n) short n; { return n <= 0 ? 0 : n + recursive(n - 1); }",
        &[
            "old(300, 2, 1.5) == 44 + 2 + 1 && implicit(4) == 5 && late(3) == 32",
            "recursive(4) == 10",
        ],
    ),
    case(
        "transparent unions",
        "typedef union { int *i; char *c; } U __attribute__((transparent_union));
         int take(U u) { return u.i ? *u.i : 7; } int v = 42;",
        &["take(&v) == 42 && take((U){.i = &v}) == 42 && take(0) == 7"],
    ),
    case(
        "variable arguments",
        "typedef __builtin_va_list va_list; struct P { int x; double y; };
         int ints(int n, ...) { va_list a; __builtin_va_start(a, n); int s = 0;
           while (n--) s = s * 10 + __builtin_va_arg(a, int); __builtin_va_end(a); return s; }
         double mixed(int n, ...) { va_list a; __builtin_va_start(a, n); int i = __builtin_va_arg(a, int);
           double d = __builtin_va_arg(a, double); struct P p = __builtin_va_arg(a, struct P);
           long long q = __builtin_va_arg(a, long long); __builtin_va_end(a);
           return i + d + p.x + p.y + q; }
         int forward(va_list a) { return __builtin_va_arg(a, int); }
         int twice(int n, ...) { va_list a, b; __builtin_va_start(a, n); __builtin_va_copy(b, a);
           int r = forward(a) * 10 + __builtin_va_arg(b, int); __builtin_va_end(a);
           __builtin_va_end(b); return r; }",
        &[
            "ints(3, 1, 2, 3) == 123 && ints(2, (char)4, (short)5) == 45",
            "mixed(0, 1, 2.5f, (struct P){3, 0.5}, 1LL << 33) == 7 + 8589934592.0",
            "twice(0, 7) == 77",
        ],
    ),
    case(
        "enumerations",
        "enum E { A, B = 5, C, D = -1 }; enum Big { X = 0x100000000, Y }; enum U { V = 3000000000u };
         enum __attribute__((packed)) P { P0, P1 = 200 };
         enum E e = C;",
        &[
            "A == 0 && C == 6 && D == -1 && e == 6 && sizeof(enum E) == 4",
            "sizeof(enum Big) == 8 && Y == 0x100000001 && sizeof(enum U) == 4 && V == 3000000000u",
            "sizeof(enum P) == 1 && (enum P)456 == 200",
            "(enum E)-1 < 0 && (enum U)-1 > 0",
        ],
    ),
    case(
        "string literals",
        "typedef typeof(L'x') W;",
        &[
            "sizeof \"abc\" == 4 && sizeof L\"abc\" == 4 * sizeof(W) && sizeof u\"ab\" == 6",
            "sizeof U\"ab\" == 12 && sizeof u8\"é\" == 3 && L\"é\"[0] == 0xe9",
            "\"a\" \"b\"[1] == 'b' && \"\\x41\\102\\n\"[1] == 'B' && u\"\\U0001F600\"[0] == 0xd83d",
            "__func__[0] == 'm' && sizeof __func__ == 5",
        ],
    ),
    case(
        "static objects and linkage in one file",
        "int tentative; int tentative; int tentative = 3; extern int arr[]; int size(void) { return arr[1]; }
         int arr[3] = {1, 2, 3}; static int hidden(void); int count(void) { static int n = 5; return n++; }
         int other(void) { static int n; return n += 2; } static int hidden(void) { return 4; }
         int shadow = 1; int inner(void) { int shadow = 2; { extern int shadow; return shadow; } }
         int unknown[]; const int k = 3; static int from_const = k;",
        &[
            "tentative == 3 && size() == 2 && sizeof arr == 3 * sizeof(int) && hidden() == 4",
            "count() == 5 && count() == 6 && other() == 2 && other() == 4",
            "inner() == 1 && unknown[0] == 0 && from_const == 3",
        ],
    ),
    case(
        "assembler that does nothing",
        "int barrier(int x) { __asm__ volatile(\"\" ::: \"memory\"); return x; }
         int tied(int x) { int y; __asm__(\"\" : \"=r\"(y) : \"0\"(x)); return y; }
         int kept(int x) { __asm__(\"\" : \"+r\"(x)); return x; }",
        &["barrier(3) == 3 && tied(4) == 4 && kept(5) == 5"],
    ),
    case(
        "functions and pointers to them",
        "int add(int a, int b) { return a + b; } int (*p)(int, int) = add; int (*q)(int, int) = &add;
         int (*pick(int n))(int, int) { return n ? add : 0; } typedef int F(int, int); F *t[2] = {add, 0};
         int apply(F f, int x) { return f(x, x); }",
        &[
            "p(1, 2) == 3 && (*q)(1, 2) == 3 && (***p)(2, 2) == 4 && pick(1)(3, 4) == 7",
            "t[0](5, 6) == 11 && apply(add, 4) == 8 && !pick(0) && p == q && &add == add",
        ],
    ),
    case(
        "structs as values",
        "struct S { int a[3]; } g = {{1, 2, 3}}; struct S f(void) { return g; }
         struct S swap(struct S s) { int t = s.a[0]; s.a[0] = s.a[2]; s.a[2] = t; return s; }",
        &[
            "f().a[1] == 2 && swap(g).a[0] == 3 && g.a[0] == 1",
            "(g = swap(g)).a[0] == 3 && (1 ? g : f()).a[2] == 1",
        ],
    ),
];
