//! Random C programs about pointers that never leave their objects.
//!
//! Every pointer variable starts with the address of something of its type and is only ever given
//! other addresses of that type, so programs may load and store through any of them. They have
//! records with pointers, arrays and unions in them, lists, arrays of pointers, tables of functions,
//! allocators with and without a function around them, copies of all kinds, pointers in integers
//! and bytes, and walks over arrays and over the bytes of records.

/// Small, fast and the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % bound
    }

    fn pick<'a>(&mut self, options: &[&'a str]) -> &'a str {
        options[self.below(options.len())]
    }
}

const PRELUDE: &str = r#"
typedef unsigned long size_t;
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t);
void free(void *); void *memcpy(void *, const void *, size_t); void abort(void);
void *memmove(void *, const void *, size_t);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
struct node { int v; int *ip; struct node *next; int arr[3]; int (*fn)(int *); };
union mix { int *ip; struct node *np; long bits; char bytes[8]; };
struct pair { char tag[5]; union mix m; struct node inner; int *tab[4]; };
struct tail { int n; int *slots[]; };
static int f0(int *p) { *p += 1; return *p; }
static int f1(int *p) { *p ^= 5; return *p & 3; }
static int f2(int *p) { return p != 0; }
static void *allocate(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
static void *allocate_zero(size_t n, size_t m) {
    char *p = allocate(n * m); for (size_t i = 0; i < n * m; i++) p[i] = 0; return p; }
static int order(const void *a, const void *b) { return **(int *const *)a - **(int *const *)b; }
static void swap(int **a, int **b) { int *t = *a; *a = *b; *b = t; }
static int *choose(int *a, int *b, int c) { return c ? a : b; }
static struct node by_value(struct node n, int *p) { n.ip = p; n.next = &(&n)->arr[0] ? n.next : 0; return n; }
static int *later(int count, ...) {
    __builtin_va_list l; int *p = 0; __builtin_va_start(l, count);
    while (count-- > 0) p = __builtin_va_arg(l, int *);
    __builtin_va_end(l); return p; }
static void bytes(void *d, const void *s, size_t n) {
    char *a = d; const char *b = s; for (size_t i = 0; i < n; i++) a[i] = b[i]; }
int g0, g1, g2; int ga[4]; int *gp0 = &g0, *gp1 = &ga[1]; int *gt[4] = { &g0, &g1, ga, &ga[3] };
struct node gn0 = { 1, &g1, &gn0, { 1, 2, 3 }, f0 }, gn1 = { 2, &gn0.arr[1], &gn0, { 0 }, f1 };
struct pair gpair = { "abcd", { &g2 }, { 3, &g0, &gn1, { 0 }, f2 }, { &g0, &g1, &g2, &ga[2] } };
int (*gf[3])(int *) = { f0, f1, f2 };
union mix gm = { &g0 };
"#;

const INT_POINTERS: &[&str] = &[
    "&g0",
    "&g1",
    "&x",
    "&y",
    "&ga[i & 3]",
    "ga",
    "p",
    "q",
    "gp0",
    "gp1",
    "gt[i & 3]",
    "n->ip",
    "&n->v",
    "&n->arr[i % 3]",
    "n->next->ip",
    "gn0.ip",
    "&gpair.inner.arr[1]",
    "gpair.tab[i & 3]",
    "choose(p, q, i & 1)",
    "later(2, p, q)",
    "later(1 + (i & 1), gp0, &y)",
    "t->slots[i & 1]",
    "(int *)u",
    "gpair.inner.ip",
    "*pp",
    "s.ip",
    "h",
    "&h[i & 3]",
    "s.inner_ip[0]",
    "&la[i & 3]",
    "(la + 2)",
    "(int *)((char *)n + ((char *)&n->arr[1] - (char *)n))",
];
const NODE_POINTERS: &[&str] = &[
    "&gn0",
    "&gn1",
    "n",
    "n->next",
    "m",
    "&gpair.inner",
    "gn0.next",
    "&ln",
    "hn",
    "&hn[i & 1]",
    "n->next->next",
    "(struct node *)((char *)&n->ip - __builtin_offsetof(struct node, ip))",
];
const STATEMENTS: usize = 26;

/// A program with about `count` statements in each of its functions.
pub fn program(seed: u64, count: usize) -> String {
    let mut r = Random::new(seed);
    let mut text = PRELUDE.to_owned();
    let functions = 1 + r.below(3);
    for f in 0..functions {
        text += &format!("static int work{f}(int *p, int *q, struct node *n, int **pp, int i);\n");
    }
    for f in 0..functions {
        text +=
            &format!("static int work{f}(int *p, int *q, struct node *n, int **pp, int i) {{\n");
        text += "  int x = 1, y = 2; int la[4] = { 0, 1, 2, 3 }; int *own = &x;\n";
        text += "  struct node ln = gn0, *m = &gn1; long u = (long)&x; union mix um = gm;\n";
        text += "  struct { int k; int *ip; int *inner_ip[2]; } s = { 1, &y, { &x, q } };\n";
        text += "  int *h = calloc(4, sizeof(int)); if (!h) abort();\n";
        text += "  struct node *hn = allocate(2 * sizeof *hn); hn[0] = gn0; hn[1] = gn1;\n";
        text += "  struct tail *t = malloc(sizeof *t + 2 * sizeof(int *)); if (!t) abort();\n";
        text += "  t->n = 2; t->slots[0] = p; t->slots[1] = &y; if (!pp) pp = &own;\n";
        text += "  int *keep[3] = { p, &x, q };\n";
        for _ in 0..count {
            statement(&mut r, f, functions, &mut text);
        }
        text += "  *gp0 = 0; gp0 = &g0; gp1 = &g1; gt[0] = &g0; gt[1] = &g1; gt[2] = ga;\n";
        text += "  gt[3] = &g2; gn0.ip = &g1; gn0.next = &gn1; gn1.ip = &g2; gn1.next = &gn0;\n";
        text +=
            "  gpair.tab[0] = &g0; gpair.tab[1] = &g1; gpair.tab[2] = &g2; gpair.tab[3] = ga;\n";
        text += "  gpair.inner.ip = &g0; gpair.inner.next = &gn0; gpair.m.ip = &g0; gm.ip = &g1;\n";
        text += "  *pp = &g0; return x + *um.ip;\n}\n";
    }
    text += "int main(void) { int a = 3, b = 4; int *r = &a;\n";
    for i in 0..3 {
        let f = r.below(functions);
        text += &format!("  work{f}(&a, &b, &gn{}, &r, {i}); r = &b;\n", r.below(2));
    }
    text + "  return 0; }\n"
}

fn statement(r: &mut Random, f: usize, functions: usize, text: &mut String) {
    let (a, b) = (r.pick(INT_POINTERS), r.pick(INT_POINTERS));
    let (m, n) = (r.pick(NODE_POINTERS), r.pick(NODE_POINTERS));
    let place = r.pick(&[
        "p",
        "q",
        "gp0",
        "gp1",
        "gt[i & 3]",
        "n->ip",
        "gn0.ip",
        "s.ip",
        "gpair.tab[i & 3]",
        "*pp",
        "t->slots[i & 1]",
        "keep[i % 3]",
        "n->next->ip",
        "hn[i & 1].ip",
        "ln.ip",
    ]);
    let line = match r.below(STATEMENTS) {
        0..=4 => format!("{place} = {a};"),
        5 => format!("*{a} = *{b} + i;"),
        6 => format!("n = {n};"),
        7 => format!("m = {n}; m->next = {m};"),
        8 => format!("swap(&{place}, &p);"),
        9 => format!("*({n}) = *({m});"),
        10 => format!("ln = by_value(*({n}), {a});"),
        11 => format!("memcpy({n}, {m}, sizeof(struct node));"),
        12 => format!("bytes({n}, {m}, sizeof(struct node));"),
        13 => format!("u = (long){a}; q = (int *)u;"),
        14 => format!("u = (long){a} ^ i; q = (int *)(u ^ i);"),
        15 => format!("um.ip = {a}; u = um.bits; p = (int *)u;"),
        16 => format!(
            "um.ip = {a}; {{ union mix k; for (int j = 0; j < 8; j++) k.bytes[j] = um.bytes[j]; p = k.ip; }}"
        ),
        17 => format!("n->fn = gf[i % 3]; i += n->fn({a});"),
        18 => "for (int j = 0; j < 4; j++) gt[j] = gt[(j + 1) & 3];".to_owned(),
        19 => "qsort(gt, 4, sizeof *gt, order);".to_owned(),
        20 => format!("for (int *w = ga; w < ga + 4; w++) *w += *{a};"),
        21 => format!(
            "t = realloc(t, sizeof *t + 2 * sizeof(int *)); if (!t) abort(); t->slots[0] = {a};"
        ),
        22 => format!(
            "{{ int **c = allocate(2 * sizeof *c); c[0] = {a}; c[1] = {b}; {place} = c[i & 1]; }}"
        ),
        23 => format!(
            "{{ struct node *c = allocate_zero(2, sizeof *c); c[1].ip = {a}; c[1].next = {m}; c[0] = c[1]; q = c[0].ip; n = c[1].next; }}"
        ),
        24 => format!(
            "gpair.inner = *({n}); {{ struct pair k = gpair; memmove(&gpair, &k, sizeof k); p = k.tab[i & 3]; }}"
        ),
        _ => {
            let g = r.below(functions);
            let deeper =
                if g > f { format!("work{g}({a}, {b}, {n}, &own, i + 1);") } else { String::new() };
            format!("if (i < 3) {{ i++; {deeper} }}")
        }
    };
    *text += "  ";
    *text += &line;
    *text += "\n";
}
