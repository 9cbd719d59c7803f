//! Expressions and statements.

use super::{Case, case};

/// On both machines.
pub const CASES: &[Case] = &[
    case(
        "the value of an assignment is what the place holds that was found before",
        "int a[3]; unsigned char c; struct { int b : 3; } s; int i; int *p, q[2]; _Bool b;",
        &[
            "(a[0] = 0, a[a[0]] = 1) == 1",
            "a[0] == 1 && a[1] == 0",
            "(c = 257) == 1 && (s.b = 5) == -3 && (b = 42) == 1",
            "(i = 1, ++a[i]) == 1 && a[1] == 1",
            "(a[0] = 0, ++a[a[0]]) == 1",
            "(a[0] = 0, a[a[0]] += 2) == 2",
            "(p = q, q[0] = 0, *p++ = 4) == 4 && q[0] == 4 && p == q + 1",
        ],
    ),
    case(
        "short circuits and conditions",
        "int n; int hit(int v) { n++; return v; } void *z; int x = 3; char c = 7; long l = 1;",
        &[
            "!(hit(0) && hit(1)) && n == 1",
            "(hit(2) || hit(1)) == 1 && n == 2",
            "(n = 0, 0 && hit(1)) == 0 && n == 0",
            "(x ? 10 : hit(1)) == 10 && n == 0",
            "(0 ?: 5) == 5 && (x ?: 5) == 3",
            "(n = 0, hit(4) ?: 9) == 4 && n == 1",
            "!(!x) == 1 && !!c == 1",
            "(x > 2 && (x < 4 || hit(1))) + 1 == 2",
        ],
    ),
    case(
        "types of conditional expressions",
        "int i = -1; unsigned u = 1; char c; void *v; int *p; long long q; short s;",
        &[
            "(1 ? i : u) > 0",
            "sizeof(1 ? c : s) == sizeof(int)",
            "sizeof(1 ? c : q) == sizeof(long long)",
            "_Generic(1 ? p : (void *)0, int *: 1, default: 0)",
            "_Generic(1 ? p : v, void *: 1, default: 0)",
            "_Generic(1 ? p : 0, int *: 1, default: 0)",
            "_Generic(0 ? (const int *)p : p, const int *: 1, default: 0)",
            "_Generic(1 ? 1.0f : c, float: 1, default: 0)",
        ],
    ),
    case(
        "compound assignment",
        "unsigned char c = 250; int i = 7; short s = -1; int a[4] = {1, 2, 3, 4}, *p = a;
         struct { unsigned b : 4; } f = {15}; double d = 2.5; _Bool b;",
        &[
            "(c += 10) == 4",
            "(i *= 1.5) == 10 && (i <<= 2) == 40 && (i %= 7) == 5",
            "(s >>= 1) == -1 && (s /= 2) == 0",
            "*(p += 2) == 3 && *(p -= 1) == 2",
            "(f.b += 1) == 0 && (f.b -= 1) == 15 && f.b++ == 15 && f.b == 0",
            "(d /= 2) == 1.25",
            "(b += 2) == 1 && (b -= 1) == 0 && (b--, b) == 1",
            "(i |= 8, i ^= 1, i &= 12) == 12",
        ],
    ),
    case(
        "increments",
        "int i = 5; int a[2] = {1, 2}, *p = a; char c = 127; float f = 1.5f;",
        &[
            "i++ == 5 && i == 6 && ++i == 7 && i-- == 7 && --i == 5",
            "*p++ == 1 && *p == 2 && (*p)++ == 2 && *p-- == 3 && p == a",
            "(c++, c) == -128",
            "f++ == 1.5f && f == 2.5f",
        ],
    ),
    case(
        "bit-fields up to int",
        "struct S { int a : 3; unsigned b : 5; int : 0; _Bool c : 1; unsigned d : 32; signed e : 32;
                    unsigned char f : 7; } s;
         enum E { A, B, C } ; struct T { enum E e : 2; } t;",
        &[
            "(s.a = 7) == -1 && (s.b = 33) == 1 && (s.c = 2) == 1",
            "(s.b = 0, s.b - 1) == -1 && s.b - 1 < 0",
            "(s.d = 0, s.d - 1) > 0",
            "(s.f = 127, s.f << 20) == 127 << 20",
            "~s.b == ~0",
            "(t.e = C) == C",
            "sizeof(s.a + 1) == sizeof(int) && sizeof(0, s.a) == 1 && sizeof(s.f++) == 1",
            "sizeof(s.b = 1) == 1 && sizeof(+s.b) == sizeof(int) && sizeof(0, s.c) == 1",
        ],
    ),
    case(
        "bit-fields wider than int are computed in their own width",
        "struct S { unsigned long long c : 40; long long d : 40; long long e : 35;
                    unsigned long long f : 33; } s;",
        &[
            "(s.c = 0xffffffffffULL, s.c + 1) == 0 && s.c + 1ULL == 1099511627776ULL",
            "s.c << 4 == 1099511627760ULL && ~s.c == 0 && -s.c == 1",
            "s.c * 3 == 1099511627773ULL",
            "(s.d = 0x7fffffffffLL, s.d + 1) == -549755813888LL && s.d + 1LL == 549755813888LL",
            "s.d << 1 == -2 && s.d + 1u == -549755813888LL",
            "(s.e = -5, s.e + s.c) == 1099511627770ULL && s.e < s.c && s.e * s.d == -549755813883LL",
            "(s.f = 6, s.f - 7) == 8589934591ULL && s.f - 7 > 0 && s.e + s.f == 1 && s.e < s.f",
            "(0 ? s.f : -1) == 8589934591ULL",
            "(s.c += 5) == 4 && s.c - 100 == 1099511627680ULL && s.c-- == 4",
            "(s.c = 0, --s.c) == 1099511627775ULL && (double)(s.c + 1) == 0",
            "(s.c = 0x123456789aULL, s.c / 3 - s.c) == 0xf3dd1baf99ULL",
            "s.c % 1000 - 2000 == 0xfffffffa42ULL && (s.c ^ -1) == 0xedcba98765ULL",
            "sizeof(s.c + 1) == 8 && sizeof(0, s.f) == 8 && sizeof(1 ? s.c : 1) == 8",
        ],
    ),
    case(
        "switch",
        "int f(int x) { int r = 0; switch (x) { case 1: r += 1; case 2: r += 2; break;
           case 10 ... 20: r = 30; break; default: r = 9; case 99: r++; } return r; }
         int g(unsigned char c) { switch (c) { case 255: return 1; case -1: return 2; } return 3; }
         int h(long long v) { switch (v) { case 0x100000000LL: return 1; case 0: return 2; }
           return 3; }
         int k(int v) { switch (v) if (0) { case 3: return 4; } return 5; }
         int loop(int n) { int s = 0; while (n--) { switch (n & 3) { case 0: continue; case 1: break;
           default: s += n; } s++; } return s; }",
        &[
            "f(1) == 3 && f(2) == 2 && f(3) == 10 && f(99) == 1",
            "f(10) == 30 && f(15) == 30 && f(20) == 30 && f(21) == 10",
            "g(255) == 1 && g(0) == 3",
            "h(0x100000000LL) == 1 && h(0) == 2 && h(1) == 3",
            "k(3) == 4 && k(4) == 5",
            "loop(8) == 2 + 3 + 6 + 7 + 6",
        ],
    ),
    case(
        "jumps",
        "int duff(const char *from, int n) { int s = 0; int k = (n + 3) / 4;
           switch (n % 4) { case 0: do { s += *from++; case 3: s += *from++; case 2: s += *from++;
           case 1: s += *from++; } while (--k > 0); } return s; }
         int into(int n) { int r = 0; if (n) goto in; while (r < 10) { r += 3; in: r++; } return r; }
         int computed(int k) { static void *t[] = {&&a, &&b, &&c}; int r = 0; goto *t[k];
           a: r += 1; b: r += 10; c: r += 100; return r; }
         int local(void) { int n = 0; l: n++; { __label__ l; if (n > 100) goto l; n += 10; l: n++; }
           if (n < 30) goto l; return n; }
         int nested(void) { for (int i = 0;; i++) for (int j = 0;; j++) if (i * j == 12) goto out;
           out: return 7; }",
        &[
            "duff(\"\\1\\2\\3\\4\\5\\6\", 6) == 21 && duff(\"\\1\\2\\3\\4\", 4) == 10",
            "into(0) == 12 && into(1) == 13",
            "computed(0) == 111 && computed(1) == 110 && computed(2) == 100",
            "local() == 36",
        ],
    ),
    case(
        "statement expressions",
        "int n; int f(int a, int b) { return a * 10 + b; } struct P { int x, y; };
         int loop(void) { int s = 0; for (int i = 0; i < 3; i++)
           s += ({ if (i == 1) continue; int t = i * 2; t; }); return s; }",
        &[
            "({ int a = 3; a + 1; }) == 4",
            "(n = 5, f(({ n; }), ({ 6; }))) == 56",
            "({ struct P p = {1, 2}; p; }).y == 2",
            "loop() == 4",
            "({ __auto_type v = 2.5; sizeof v; }) == sizeof(double)",
            "({ int x = 1; ({ int x = 2; x; }) + x; }) == 3",
        ],
    ),
    case(
        "_Generic, typeof, __auto_type and the compile-time builtins",
        "int i; const char c; int a[3]; int f(void); struct S { int x; char y[3]; } s;
         typeof(a) b; typeof(f()) r; typeof(&a[0]) q; typeof(*q) z; typeof(s.y) w;
         int called; int effect(void) { called++; return 1; }",
        &[
            "_Generic(i, int: 1, default: 0) && _Generic(c, char: 1, default: 0)",
            "_Generic(a, int *: 1, default: 0) && _Generic(f, int (*)(void): 1, default: 0)",
            "_Generic(1.0f, double: 2, float: 1) == 1 && _Generic('a', char: 0, int: 1)",
            "_Generic(1u, unsigned: 1, default: effect()) && called == 0",
            "sizeof b == 3 * sizeof(int) && sizeof r == sizeof(int) && sizeof w == 3",
            "sizeof z == sizeof(int) && sizeof(typeof(int[4])) == 4 * sizeof(int)",
            "__builtin_types_compatible_p(int, signed) && !__builtin_types_compatible_p(int, long)",
            "__builtin_types_compatible_p(const int, int) && __builtin_types_compatible_p(int[], int[5])",
            "__builtin_choose_expr(1, 5, effect()) == 5 && called == 0",
            "__builtin_constant_p(3 + 4) && !__builtin_constant_p(effect()) && called == 0",
            "__builtin_offsetof(struct S, y[2]) == sizeof(int) + 2",
            "sizeof(effect()) == sizeof(int) && called == 0",
            "__builtin_expect(i == 0, 1) == 1",
        ],
    ),
    case(
        "arithmetic with overflow",
        "int r; unsigned char c; long long q; unsigned u; unsigned long long w;",
        &[
            "!__builtin_add_overflow(1, 2, &r) && r == 3",
            "__builtin_add_overflow(2147483647, 1, &r) && r == -2147483647 - 1",
            "__builtin_mul_overflow(100, 3, &c) && c == 44",
            "__builtin_sub_overflow(1u, 2u, &u) && u == 4294967295u",
            "!__builtin_sub_overflow(1u, 2u, &q) && q == -1",
            "__builtin_mul_overflow(0xffffffffffffffffULL, 2ULL, &w) && w == 0xfffffffffffffffeULL",
            "__builtin_saddll_overflow(0x7fffffffffffffffLL, 1, &q)",
            "__builtin_add_overflow_p(200, 100, c) && !__builtin_add_overflow_p(200, 50, c)",
        ],
    ),
    case(
        "counting bits",
        "unsigned u = 0x00f0; unsigned long long w = 1ULL << 40; int z;",
        &[
            "__builtin_clz(u) == 24 && __builtin_ctz(u) == 4 && __builtin_popcount(u) == 4",
            "__builtin_clzll(w) == 23 && __builtin_ctzll(w) == 40 && __builtin_popcountll(w) == 1",
            "__builtin_ffs(z) == 0 && __builtin_ffs(12) == 3 && __builtin_parity(7) == 1",
            "__builtin_bswap32(0x12345678) == 0x78563412 && __builtin_bswap16(0x1234) == 0x3412",
            "__builtin_bswap64(1) == 0x0100000000000000ULL",
        ],
    ),
    case(
        "tests of floating point",
        "double n = __builtin_nan(\"\"), i = __builtin_inf(), x = 1.5, z = -0.0; float f;
         static double huge = __builtin_huge_val(); static float inff = __builtin_inff();",
        &[
            "__builtin_isnan(n) && !__builtin_isnan(x) && n != n && !(n == n) && !(n < x)",
            "__builtin_isinf(i) && __builtin_isinf_sign(-i) == -1 && !__builtin_isinf(x)",
            "__builtin_isfinite(x) && !__builtin_isfinite(n) && !__builtin_isfinite(i)",
            "__builtin_isunordered(n, x) && !__builtin_isless(n, x) && __builtin_isgreater(x, 1.0)",
            "!(n >= x) && !!(n != x)",
            "huge == i && inff == i && z == 0 && __builtin_signbit(z) != 0",
            "(f = 0.1) != 0.1 && 0.1f != 0.1",
            "sizeof(char[1 + !!__builtin_signbit(-1.0)]) == 2 && !__builtin_signbit(2.0)",
        ],
    ),
    case(
        "integer literals",
        "",
        &[
            "_Generic(1, int: 1, default: 0) && _Generic(1u, unsigned: 1, default: 0)",
            "_Generic(1l, long: 1, default: 0) && _Generic(1ull, unsigned long long: 1, default: 0)",
            "_Generic(2147483647, int: 1, default: 0) && sizeof(2147483648) == 8",
            "_Generic(0x7fffffff, int: 1, default: 0) && _Generic(0x80000000, unsigned: 1, default: 0)",
            "_Generic(0xffffffff, unsigned: 1, default: 0) && sizeof(0x100000000) == 8",
            "-2147483648 < 0 && 0x80000000 > 0 && 4294967295 > 0",
            "0xffffffffffffffff > 0 && -0x80000000 == 0x80000000",
            "_Generic('a', int: 1, default: 0) && 'ab' == 'a' * 256 + 'b' && '\\xff' == -1",
            "_Generic(1.0, double: 1, default: 0) && _Generic(1.0L, long double: 1, default: 0)",
            "010 == 8 && 0b101 == 5 && 1\'000 == 1000",
        ],
    ),
    case(
        "conversions",
        "signed char c = -1; unsigned u = 1; unsigned short h = 65535; long long q = -1; int i = -2;
         double d = -2.7; _Bool b; unsigned char uc;",
        &[
            "c > u && c < (int)u && h * 2 > 0 && -1 > 0u",
            "(unsigned char)300 == 44 && (signed char)200 == -56 && (int)d == -2",
            "(b = 0.5) == 1 && (b = 256) == 1 && (_Bool)\"\" == 1",
            "(unsigned)q == 4294967295u && q < 0u == (sizeof q > sizeof u)",
            "i >> 1 == -1 && (unsigned)i >> 31 == 1 && -7 / 2 == -3 && -7 % 2 == -1",
            "(uc = -1) == 255 && (char)-1 < 0 && (long long)(unsigned)-1 == 4294967295LL",
        ],
    ),
];

/// Only where there is `__int128`.
pub const LP64_CASES: &[Case] = &[case(
    "wide integers and floating-point formats",
    "__int128 a = (__int128)1 << 100; unsigned __int128 b = -1; long double l = 1.0L / 3;
     _Float128 q = 1.0F128 / 3; struct { unsigned __int128 w : 100; } s;",
    &[
        "a >> 98 == 4 && (long long)a == 0 && b > 0 && b + 1 == 0 && sizeof a == 16",
        "(long double)(double)l != l && (_Float128)l != q && sizeof q == 16",
        "(double)a == 1267650600228229401496703205376.0 && (unsigned __int128)1e30 > a / 2",
        "(unsigned __int128)a * a == 0 && (unsigned long long)(b >> 64) == 0xffffffffffffffff",
        "(s.w = -1, s.w + 1) == 0 && s.w + (__int128)1 == a && sizeof 18446744073709551616 == 16 || 1",
    ],
)];

/// Where C leaves the order open, and what an old compiler does not know.
pub const OWN_CASES: &[Case] = &[
    case(
        "operands and arguments are evaluated from left to right",
        "int log; int note(int d) { log = log * 10 + d; return d; }
         int sum(int a, int b, int c) { return a * 100 + b * 10 + c; }
         int a[10];",
        &[
            "(log = 0, note(1) + note(2) * note(3)) == 7 && log == 123",
            "(log = 0, sum(note(1), note(2), note(3))) == 123 && log == 123",
            "(log = 0, a[note(1)] = note(2)) == 2 && log == 12 && a[1] == 2",
        ],
    ),
    case(
        "values are kept from later effects",
        "int x = 1; int set(int v) { x = v; return v; } int a[4] = {0, 7, 8, 9}; int *p = a;
         int twice(int v) { return v * 2; } int (*f)(int) = twice; int i;",
        &[
            "x + set(5) == 6",
            "(x = 1, x - (x = 3, 0)) == 1",
            "(p = a, *p + *(p = a + 1)) == 7",
            "(i = 1, a[i] + (i = 2, 100)) == 107",
            "(f(3) + f(4)) == 14",
        ],
    ),
    case(
        "enumerations with a type",
        "enum T : unsigned char { T0 = 255 }; enum T t = T0; int f(int a, int b) { return a * 10 + b; }
         int n;",
        &["sizeof(enum T) == 1 && (enum T)256 == 0 && t == 255 && sizeof T0 == 1",
          "f(({ n = 5; n; }), ({ n++; n; })) == 56"],
    ),
];
