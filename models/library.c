// Bodies of functions of the C library, for programs that call them and do not define them.
//
// What is written here is what a proof knows about the function: it must be what every C library
// does, in the "C" locale. A function that is not here, and that gnomon does not know otherwise,
// returns anything. Every model begins with a line `// model: NAME`.

// model: abs
int abs(int x) { return x < 0 ? -x : x; }

// model: labs
long labs(long x) { return x < 0 ? -x : x; }

// model: llabs
long long llabs(long long x) { return x < 0 ? -x : x; }

// model: fmax
double fmax(double x, double y) { return x != x ? y : y != y ? x : x < y ? y : x; }

// model: fmaxf
float fmaxf(float x, float y) { return x != x ? y : y != y ? x : x < y ? y : x; }

// model: fmin
double fmin(double x, double y) { return x != x ? y : y != y ? x : y < x ? y : x; }

// model: fminf
float fminf(float x, float y) { return x != x ? y : y != y ? x : y < x ? y : x; }

// model: fdim
double fdim(double x, double y) { return x != x ? x : y != y ? y : x > y ? x - y : 0.0; }

// model: fdimf
float fdimf(float x, float y) { return x != x ? x : y != y ? y : x > y ? x - y : 0.0f; }

// model: tolower
int tolower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

// model: toupper
int toupper(int c) { return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c; }

// model: __builtin_popcount
int __builtin_popcount(unsigned x)
{
    x = x - (x >> 1 & 0x55555555);
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = x + (x >> 4) & 0x0f0f0f0f;
    return x * 0x01010101 >> 24;
}

// model: __builtin_popcountll
int __builtin_popcountll(unsigned long long x)
{
    x = x - (x >> 1 & 0x5555555555555555);
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    x = x + (x >> 4) & 0x0f0f0f0f0f0f0f0f;
    return x * 0x0101010101010101 >> 56;
}

// model: __builtin_popcountl
int __builtin_popcountl(unsigned long y)
{
    unsigned long long x = y;
    x = x - (x >> 1 & 0x5555555555555555);
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    x = x + (x >> 4) & 0x0f0f0f0f0f0f0f0f;
    return x * 0x0101010101010101 >> 56;
}

// model: fmaxl
long double fmaxl(long double x, long double y) { return x != x ? y : y != y ? x : x < y ? y : x; }

// model: fminl
long double fminl(long double x, long double y) { return x != x ? y : y != y ? x : y < x ? y : x; }

// model: time
extern long __VERIFIER_nondet_long(void);
long time(long *result)
{
    long now = __VERIFIER_nondet_long();
    if (result)
        *result = now;
    return now;
}

// model: htonl
unsigned htonl(unsigned x)
{
    return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24;
}

// model: ntohl
unsigned ntohl(unsigned x)
{
    return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24;
}

// model: htons
unsigned short htons(unsigned short x) { return x >> 8 | x << 8; }

// model: ntohs
unsigned short ntohs(unsigned short x) { return x >> 8 | x << 8; }

// model: atexit
// Functions are called last first when `main` returns and by `exit` (C17 7.22.4.2, 7.22.4.4); there is room for
// more than the 32 that the standard promises, and behind them registering fails.
static void (*__gnomon_registered[64])(void);
static int __gnomon_registered_count;
int atexit(void (*function)(void))
{
    if (__gnomon_registered_count == 64)
        return 1;
    __gnomon_registered[__gnomon_registered_count] = function;
    __gnomon_registered_count = __gnomon_registered_count + 1;
    return 0;
}
void __gnomon_at_exit(void)
{
    while (__gnomon_registered_count > 0) {
        __gnomon_registered_count = __gnomon_registered_count - 1;
        __gnomon_registered[__gnomon_registered_count]();
    }
}

// model: __VERIFIER_assert
extern void reach_error();
void __VERIFIER_assert(condition)
_Bool condition;
{
    if (!condition)
        reach_error();
}

// model: assert
// A program that calls it without `assert.h`.
extern void __assert_fail();
int assert(condition)
_Bool condition;
{
    if (!condition)
        __assert_fail("", "", 0, "");
    return 0;
}

// model: __CPROVER_assert
extern void __assert_fail();
void __CPROVER_assert(condition)
_Bool condition;
{
    if (!condition)
        __assert_fail("", "", 0, "");
}

// model: raise
// A signal that the process sends to itself has its default action (C17 7.14.2.1, signal(7)): it ends it, but for
// SIGCHLD, SIGCONT, SIGURG, SIGWINCH, and those that stop it until somebody lets it go on. Programs that
// say otherwise are not proved.
extern void abort(void);
int raise(int signal)
{
    if (signal < 0 || signal > 64)
        return -1;
    if (signal != 0 && signal != 17 && signal != 18 && (signal < 19 || signal > 23) && signal != 28)
        abort();
    return 0;
}
