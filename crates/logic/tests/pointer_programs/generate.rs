//! Random C programs about memory: pointers to pointers, records, arrays, lists on the heap,
//! unions, conversions between pointers, swaps, records by value, functions in tables, recursion
//! with pointers to local variables. Some of their accesses leave the objects.

use crate::random_model::Random;
use std::fmt::Write;

const HEAD: &str = "
int __VERIFIER_nondet_int(void);
void *malloc(unsigned long n);
void *calloc(unsigned long n, unsigned long m);
void free(void *p);
void *memcpy(void *to, const void *from, unsigned long n);
void *memset(void *to, int byte, unsigned long n);
struct N { int v; struct N *next; short h; unsigned char c[3]; unsigned f : 5; int w : 7; };
union U { int i; unsigned char b[4]; short h[2]; int *p; };
int g0, g1 = 7, arr[4] = {3, 1, 4, 1};
struct N n0 = {1, 0, 2, {3, 4, 5}, 6, -7}, n1, na[2];
union U u;
int *gp = &g1, **gpp = &gp;
struct N *list;
long big = 5;
static void swap(int *x, int *y) { int t = *x; *x = *y; *y = t; }
static int get(int *x) { return *x + 1; }
static void set(int *x, int v) { *x = v; }
static struct N make(int v) { struct N n = n0; n.v = v; return n; }
static int sum(struct N n, int *out) { n.h += 1; *out = n.v + n.h; return n.w; }
static int take(struct N n) { struct N *p = &n; p->v += 1; return p->v + n.f; }
static int deep(int n, int *acc) {
  int local = n;
  if (n <= 0) return *acc;
  local += *acc;
  return deep(n - 1, &local) + local;
}
static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }
static int (*table[2])(int) = {inc, dec};
";

/// How many inputs a program asks for.
pub const INPUTS: usize = 3;

/// Makes the statements of one program.
pub struct Generator<'r> {
    pub random: &'r mut Random,
    text: String,
    temporaries: usize,
}

impl<'r> Generator<'r> {
    /// A program with about so many statements.
    pub fn program(random: &'r mut Random, statements: usize) -> String {
        let mut generator = Generator { random, text: HEAD.to_owned(), temporaries: 0 };
        generator.text.push_str("int main(void) {\n");
        for input in 0..INPUTS {
            let _ = writeln!(generator.text, "int in{input} = __VERIFIER_nondet_int();");
        }
        generator.text.push_str(
            "int x = 1, y = in0, z = 0, la[3] = {1, 2, 3};\n\
             int *p = &x, *q = &y, **pp = &p;\n\
             struct N *l = &n0, ln = n1;\n\
             unsigned char *cp = (unsigned char *)&y;\n\
             int (*fp)(int) = inc;\n",
        );
        for _ in 0..statements {
            generator.statement(2);
        }
        generator.text.push_str("return x;\n}\n");
        generator.text
    }

    fn constant(&mut self) -> String {
        let value = match self.random.below(6) {
            0 => 0,
            1 => 1,
            2 => -1,
            3 => 255,
            4 => self.random.below(100) as i64 - 50,
            _ => self.random.below(5) as i64,
        };
        format!("({value})")
    }

    /// An index that is in bounds below `length`, mostly.
    fn index(&mut self, length: usize) -> String {
        let e = self.int(1);
        match self.random.below(12) {
            0..=4 => self.random.below(length).to_string(),
            5..=10 if length.is_power_of_two() => format!("({e} & {})", length - 1),
            11 => format!("({e} & 7)"),
            _ => format!("((unsigned){e} % {length})"),
        }
    }

    /// Something of type `int` that can be assigned to.
    fn place(&mut self) -> String {
        match self.random.below(22) {
            0..=2 => self.random.pick(&["x", "y", "z"]).to_owned(),
            3 => self.random.pick(&["g0", "g1"]).to_owned(),
            4..=6 => self.random.pick(&["*p", "*q", "*gp"]).to_owned(),
            7 => self.random.pick(&["**pp", "**gpp"]).to_owned(),
            8 | 9 => format!("arr[{}]", self.index(4)),
            10 => format!("la[{}]", self.index(3)),
            11 => self.random.pick(&["n0.v", "n1.v", "ln.v"]).to_owned(),
            12 | 13 => self.random.pick(&["l->v", "l->w", "l->next->v"]).to_owned(),
            14 => format!("na[{}].v", self.index(2)),
            15 => "u.i".to_owned(),
            16 => format!("p[{}]", self.index(2)),
            17 => self.random.pick(&["n1.w", "n0.w", "na[1].w"]).to_owned(),
            18 => "*(&arr[1] + 1)".to_owned(),
            19 => format!("(&na[{}])->v", self.index(2)),
            20 => self.random.pick(&["list->v", "*(int *)list"]).to_owned(),
            _ => format!("((struct N *)l)[{}].v", self.index(1)),
        }
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.one_in(3) {
            return match self.random.below(9) {
                0 | 1 => self.constant(),
                2 | 3 => format!("in{}", self.random.below(INPUTS)),
                4 => match self.random.below(5) {
                    0 => format!("u.b[{}]", self.random.below(4)),
                    1 => format!("u.h[{}]", self.random.below(2)),
                    2 => format!("n0.c[{}]", self.random.below(3)),
                    3 => "(int)n1.f".to_owned(),
                    _ => "*cp".to_owned(),
                },
                _ => self.place(),
            };
        }
        let a = self.int(depth - 1);
        match self.random.below(9) {
            0..=2 => format!("({a} + {})", self.int(depth - 1)),
            3 => format!("({a} - {})", self.int(depth - 1)),
            4 => format!("({a} & {})", self.random.pick(&[1, 3, 15, 255])),
            5 => format!("({a} * {})", self.random.pick(&[2, 3, -1])),
            6 => format!("(unsigned char){a}"),
            7 => format!("({} == {})", self.pointer(0), self.pointer(0)),
            _ => format!("({a} < {})", self.int(depth - 1)),
        }
    }

    /// A pointer to `int`.
    fn pointer(&mut self, depth: usize) -> String {
        match self.random.below(if depth == 0 { 8 } else { 12 }) {
            0 | 1 => self.random.pick(&["p", "q", "gp", "*pp", "*gpp"]).to_owned(),
            2 => self.random.pick(&["&x", "&y", "&z", "&g0", "&g1"]).to_owned(),
            3 => self.random.pick(&["&n0.v", "&n1.v", "&ln.v", "&l->v"]).to_owned(),
            4 => format!("&arr[{}]", self.index(4)),
            5 => "la".to_owned(),
            6 => "&u.i".to_owned(),
            7 if self.random.one_in(4) => "(int *)0".to_owned(),
            7 => "arr".to_owned(),
            8 => format!("(arr + {})", self.index(4)),
            9 => format!("({} + {})", self.pointer(0), self.random.below(2)),
            10 => "(int *)((char *)arr + 4)".to_owned(),
            _ => format!("&na[{}].v", self.index(2)),
        }
    }

    fn node(&mut self) -> String {
        match self.random.below(9) {
            0 | 1 => "&n0".to_owned(),
            2 => "&n1".to_owned(),
            3 => "&ln".to_owned(),
            4 => format!("&na[{}]", self.index(2)),
            5 => "list".to_owned(),
            6 => "l->next".to_owned(),
            7 => "na".to_owned(),
            _ => "l".to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        match self.random.below(6) {
            0 => format!("{} == {}", self.pointer(1), self.pointer(1)),
            1 => format!("l == {}", self.node()),
            2 => format!("in{} > {}", self.random.below(INPUTS), self.constant()),
            3 => self.random.pick(&["list", "p", "l->next", "fp == inc"]).to_owned(),
            _ => format!("{} < {}", self.int(2), self.int(1)),
        }
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn statement(&mut self, depth: usize) {
        let line = match self.random.below(34) {
            0..=6 => format!("{} = {};", self.place(), self.int(2)),
            7..=9 => {
                let to = self.random.pick(&["p", "q", "gp", "*pp", "*gpp"]);
                format!("{to} = {};", self.pointer(2))
            }
            10 => {
                let to = self.random.pick(&["pp", "gpp"]);
                format!("{to} = {};", self.random.pick(&["&p", "&q", "&gp"]))
            }
            11..=13 if depth > 0 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                for _ in 0..1 + self.random.below(2) {
                    self.statement(depth - 1);
                }
                if self.random.one_in(2) {
                    self.line("} else {");
                    self.statement(depth - 1);
                }
                "}".to_owned()
            }
            14 => format!("swap({}, {});", self.pointer(1), self.pointer(1)),
            15 => format!("{} = get({});", self.place(), self.pointer(1)),
            16 => format!("set({}, {});", self.pointer(1), self.int(1)),
            17 | 18 => format!("l = {};", self.node()),
            19 | 20 => {
                let name = format!("t{}", self.temporaries);
                self.temporaries += 1;
                let value = self.int(1);
                format!(
                    "{{ struct N *{name} = malloc(sizeof(struct N)); *{name} = n0; {name}->v = \
                     {value}; {name}->next = list; list = {name}; }}"
                )
            }
            21 => {
                let copies =
                    ["n0 = n1;", "*l = n0;", "ln = *l;", "na[0] = *l;", "n1 = na[1];", "*l = ln;"];
                self.random.pick(&copies).to_owned()
            }
            22 => format!("n1 = make({});", self.int(1)),
            23 => format!("z = sum(*l, {});", self.pointer(0)),
            24 => format!("z = take({});", self.random.pick(&["n0", "ln", "*l"])),
            25 => format!("z = deep({} & 3, {});", self.int(1), self.pointer(0)),
            26 => {
                let index = self.index(2);
                self.line(&format!("fp = table[{index}];"));
                format!("y = fp({});", self.int(1))
            }
            27 => match self.random.below(5) {
                0 => format!("u.b[{}] = {};", self.index(4), self.int(1)),
                1 => format!("u.h[{}] = {};", self.random.below(2), self.int(1)),
                2 => format!("u.p = {}; p = u.p;", self.pointer(0)),
                3 => format!("l->c[{}] = {};", self.random.below(3), self.int(1)),
                _ => format!("l->f = {};", self.int(1)),
            },
            28 => match self.random.below(4) {
                0 => format!("cp = (unsigned char *){};", self.pointer(0)),
                1 => format!("cp = cp + {};", self.random.below(2)),
                2 => format!("*cp = {};", self.int(1)),
                _ => "n1.h = n1.h + 1;".to_owned(),
            },
            29 => format!("for (z = 0; z < {}; z++) arr[z] += in1;", 2 + self.random.below(3)),
            30 => {
                let copies = [
                    "memcpy(&n1, l, sizeof n1);",
                    "memcpy(la, arr, 8);",
                    "memset(arr, 0, sizeof arr);",
                    "memset(&n1, 1, sizeof n1);",
                    "memcpy(&u, &x, 4);",
                    "memset(la, y, 4);",
                ];
                self.random.pick(&copies).to_owned()
            }
            31 => format!(
                "q = {}; *q = {};",
                self.random.pick(&["malloc(4)", "calloc(2, 4)", "calloc(1, 4)"]),
                self.constant()
            ),
            32 => "if (list) { struct N *old = list; list = list->next; free(old); }".to_owned(),
            _ => match self.random.below(4) {
                0 => "big = (long)p; p = (int *)big;".to_owned(),
                1 => "x = (int)(&arr[3] - &arr[in0 & 3]);".to_owned(),
                2 => "if (&arr[in1 & 3] < &arr[2]) y = 1;".to_owned(),
                _ => format!("l->next = {};", self.node()),
            },
        };
        self.line(&line);
    }
}
