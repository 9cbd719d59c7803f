//! Memory in formulas against the interpreter: programs written by hand, each about one thing.
//!
//! Each program asks for inputs and ends in different ways on different inputs; the formulas of
//! all those paths must be satisfiable with just the inputs that lead there, in both theories.

mod pointer_programs;
mod random_model;

use gnomon_budget::Budget;
use gnomon_ir::program::Program;
use gnomon_logic::encode::{
    Aliases, Encoder, Everything, MemoryOptions, NotEncoded, Partitioned, Ssa, Theory,
};
use gnomon_logic::{Answer, Limits, Purpose, Solver, Terms, Z3Solver};
use pointer_programs::points_to::PointsTo;
use pointer_programs::{Counts, compare, compile, encode, walk};

fn points_to(program: &Program) -> Box<dyn Aliases + '_> {
    Box::new(PointsTo::new(program))
}

fn everything(program: &Program) -> Box<dyn Aliases + '_> {
    Box::new(Everything::new(program))
}

const HEAD: &str = "
    int __VERIFIER_nondet_int(void);
    void *malloc(unsigned long n); void *calloc(unsigned long n, unsigned long m);
    void *realloc(void *p, unsigned long n); void free(void *p);
    void *memcpy(void *to, const void *from, unsigned long n);
    void *memset(void *to, int byte, unsigned long n);
    int memcmp(const void *a, const void *b, unsigned long n);
    unsigned long strlen(const char *s); int strcmp(const char *a, const char *b);
    char *strcpy(char *to, const char *from); char *strcat(char *to, const char *from);
    char *strchr(const char *s, int c);
";

/// All paths that the inputs lead along, each against all the inputs.
fn agree(body: &str, inputs: &[u32]) -> Counts {
    let text = format!("{HEAD}{body}");
    let mut counts = Counts::default();
    for theory in [Theory::Int, Theory::Bits] {
        for first in 0..inputs.len() {
            let mut order: Vec<Vec<u32>> = inputs.iter().map(|&i| vec![i]).collect();
            order.swap(0, first);
            compare(&text, &points_to, theory, &order, &mut counts);
        }
    }
    counts
}

/// Nothing was left out or approximated.
fn agree_exactly(body: &str, inputs: &[u32]) {
    let counts = agree(body, inputs);
    let apart = [
        counts.not_encoded,
        counts.undetermined,
        counts.unknown,
        counts.inexact,
        counts.heap_or_lifetime,
    ];
    assert_eq!(apart, [0; 5], "{counts:?}");
    assert!(counts.followed > 0 && counts.left > 0, "{counts:?}");
}

#[test]
fn initial_values() {
    agree_exactly(
        "int x = 5, *p = &x, **pp = &p, a[3] = {1, 2}, zero[20000], untouched = 3;
        struct { char name[6]; int *q; short s; } t[2] = {{\"ab\", &a[1], -1}, {\"xyz\"}};
        const char *text = \"hello\";
        int main(void) {
          int i = __VERIFIER_nondet_int();
          int *z = zero;
          if (i < 0 || i > 5) return 0;
          if (**pp + a[i % 3] + z[i * 1000] == 7 + untouched - 3) return 1;
          if (t[i & 1].name[i % 6] == 'y') return 2;
          if (*t[0].q != 2 || t[0].s != -1 || t[1].q) return 3;
          if (text[i] == 'l') return 4;
          return 5;
        }",
        &[0, 1, 2, 3, 4, 5, 6, u32::MAX],
    );
}

#[test]
fn elements_of_elements_and_indices_beyond_rows() {
    agree_exactly(
        "int m[2][3] = {{1, 2, 3}, {4, 5, 6}};
        struct S { int k; int a[2]; int after; } s = {9, {7, 8}, 10};
        int main(void) {
          int i = __VERIFIER_nondet_int();
          if (i < 0 || i > 7) return 0;
          if (m[0][i] == 5) return 1;
          if (s.a[i] == 10) return 2;
          m[1][i - 3] = 0;
          if (m[0][i]) return 3;
          return 4;
        }",
        &[0, 1, 2, 3, 4, 5, 6, 7, 8],
    );
}

#[test]
fn unions_and_bytes() {
    agree_exactly(
        "union { int i; unsigned char b[4]; unsigned short h[2]; } u;
        union { long only; } one;
        int main(void) {
          int in = __VERIFIER_nondet_int(), i = in;
          unsigned char *p = (unsigned char *)&i;
          u.i = i;
          one.only = i;
          if (u.b[0] == 0x34 && u.h[1] == 0) return 1;
          u.b[3] = p[0];
          if (u.i < 0 && one.only > 0) return 2;
          p[1] = 0;
          if (i == 0x30078) return 3;
          return 4;
        }",
        &[0x34, 0x1234, 0x80, 0x3_4578, 0xffff_ffff, 0x8034_0000],
    );
}

#[test]
fn lists_on_the_heap() {
    agree_exactly(
        "struct L { int v; struct L *next; } *head;
        int main(void) {
          int n = __VERIFIER_nondet_int(), sum = 0;
          if (n < 0 || n > 3) return 0;
          for (int i = 0; i < n; i++) {
            struct L *l = malloc(sizeof *l);
            l->v = i + n;
            l->next = head;
            head = l;
          }
          while (head) {
            struct L *old = head;
            sum += old->v;
            head = old->next;
            free(old);
          }
          if (sum == 5) return 1;
          return 2;
        }",
        &[0, 1, 2, 3, 4],
    );
}

#[test]
fn allocated_arrays_and_zeros() {
    agree_exactly(
        "int main(void) {
          int n = __VERIFIER_nondet_int();
          if (n < 1 || n > 4) return 0;
          int *a = malloc(n * sizeof(int)), *z = calloc(4, sizeof(int));
          long *many = calloc(1000, sizeof(long));
          for (int i = 0; i < n; i++) a[i] = i * n;
          if (a[n - 1] + z[n - 1] + many[n * 200] == 6) return 1;
          z[n - 1] = 3;
          if (z[2] == 3) return 2;
          return a == z;
        }",
        &[0, 1, 2, 3, 4],
    );
}

#[test]
fn functions_in_tables_and_callbacks_with_context() {
    agree_exactly(
        "struct C { int base; int (*f)(struct C *, int); };
        static int plus(struct C *c, int x) { c->base++; return c->base + x; }
        static int minus(struct C *c, int x) { c->base--; return c->base - x; }
        static int (*table[2])(struct C *, int) = {plus, minus};
        static int apply(struct C *c, int x) { return c->f(c, x); }
        int main(void) {
          int i = __VERIFIER_nondet_int();
          struct C c = {10, table[i & 1]};
          if (apply(&c, i) == 13 && c.base == 11) return 1;
          if (table[0] == c.f) return 2;
          return 3;
        }",
        &[0, 1, 2, 3],
    );
}

#[test]
fn recursion_with_pointers_to_local_variables() {
    agree_exactly(
        "static int f(int n, int *up) {
          int mine = n;
          if (n == 0) return *up;
          mine += *up;
          int below = f(n - 1, &mine);
          return below + mine;
        }
        int main(void) {
          int i = __VERIFIER_nondet_int(), x = 2;
          if (i < 0 || i > 3) return 0;
          if (f(i, &x) == 8) return 1;
          return 2;
        }",
        &[0, 1, 2, 3, 4],
    );
}

#[test]
fn a_pointer_to_one_of_several_variables() {
    agree_exactly(
        "int a = 1, b = 2, *p, *q = &a;
        int main(void) {
          int i = __VERIFIER_nondet_int();
          p = &a;
          if (i > 1) p = &b;
          if (i > 2) { int *t = p; p = q; q = t; }
          *p = 7;
          *q = *p + i;
          if (a == 7 && b == 2) return 1;
          if (a == 8 && b == 2) return 2;
          if (a == 9 && b == 7) return 3;
          return 4;
        }",
        &[0, 1, 2, 3],
    );
}

#[test]
fn main_calls_itself() {
    agree_exactly(
        "int depth, *outer;
        int main(void) {
          int x, i = 0, *mine = &x;
          if (depth == 0) i = __VERIFIER_nondet_int();
          x = i + depth;
          if (i == 1) return 3;
          depth++;
          if (outer) *outer = 5;
          if (depth < 2) {
            outer = mine;
            main();
            if (x == 5) return 1;
            return 4;
          }
          return *mine + 7;
        }",
        &[0, 1, 2],
    );
}

#[test]
fn records_by_value_with_bit_fields_and_padding() {
    agree_exactly(
        "struct R { char c; int v; unsigned f : 3; int g : 5; short t[2]; };
        static struct R twice(struct R r) { r.v *= 2; r.f++; r.g--; r.t[1] = r.t[0]; return r; }
        struct R glob = {1, 2, 7, -16, {3, 4}};
        int main(void) {
          int i = __VERIFIER_nondet_int();
          struct R a = glob, *p = &a, b;
          p->v = i;
          b = twice(*p);
          glob = b;
          memset(&a, 0, sizeof a);
          ((unsigned char *)&a)[1] = i;
          b = a;
          if (((unsigned char *)&b)[1] == 3) return 1;
          if (glob.f == 0 && glob.g == 15 && glob.t[1] == 3 && glob.v == 10) return 2;
          return 3;
        }",
        &[0, 3, 5, 259],
    );
}

#[test]
fn strings() {
    agree_exactly(
        "char buffer[8], other[8] = \"ab\";
        int main(void) {
          int i = __VERIFIER_nondet_int();
          buffer[0] = 'a'; buffer[1] = i; buffer[2] = 'c';
          if (strlen(buffer) == 1) return 1;
          if (strcmp(buffer, \"abc\") > 0) return 2;
          strcpy(other, buffer);
          strcat(other, \"d\");
          if (memcmp(other, \"abcd\", 5) == 0) return 3;
          char *found = strchr(other, 'c');
          if (found == other + 1) return 4;
          strcat(other, buffer);
          return 5;
        }",
        &[0, 'a' as u32, 'b' as u32, 'c' as u32, 'z' as u32, 256],
    );
}

#[test]
fn a_string_that_does_not_fit_ends_the_run() {
    let text = "char small[3]; const char *s[2] = {\"ab\", \"abc\"};
        int main(void) {
          int i = __VERIFIER_nondet_int();
          strcpy(small, s[i & 1]);
          return 1;
        }";
    let counts = agree(text, &[0, 1]);
    assert_eq!((counts.not_encoded, counts.stopped), (0, 2), "{counts:?}");
}

#[test]
fn atomics() {
    agree_exactly(
        "int x = 3; unsigned char b = 250;
        int main(void) {
          int i = __VERIFIER_nondet_int(), expected = 4;
          if (__sync_fetch_and_add(&x, i) != 3) return 0;
          if (__sync_bool_compare_and_swap(&x, 7, 1)) return 1;
          if (__atomic_compare_exchange_n(&x, &expected, 9, 0, 5, 5)) return 2;
          if (expected == 5) return 3;
          if (__sync_add_and_fetch(&b, i) == 0) return 4;
          return __atomic_load_n(&x, 5);
        }",
        &[0, 1, 2, 4, 6],
    );
}

#[test]
fn casts_between_pointers_and_numbers() {
    agree_exactly(
        "int a[4] = {1, 2, 3, 4};
        int main(void) {
          int i = __VERIFIER_nondet_int();
          unsigned long n = (unsigned long)a;
          int *p = (int *)(n + 4 * (i & 3));
          long far = p - a;
          if (far == 2 && *p == 3) return 1;
          if (p > &a[2]) return 2;
          if ((char *)p - (char *)a == 4) return 3;
          return 4;
        }",
        &[0, 1, 2, 3],
    );
}

#[test]
fn approximations_allow_every_run() {
    let counts = agree(
        "int main(void) {
          int n = __VERIFIER_nondet_int();
          if (n < 1 || n > 4) return 0;
          int *a = malloc(4);
          *a = n;
          a = realloc(a, 4 * n);
          int b[4] = {1, 2, 3, 4}, c[4] = {0};
          memcpy(c, b, n * 4);
          if (*a == 3) return 1;
          if (c[1] == 2) return 2;
          return 3;
        }",
        &[0, 1, 2, 3, 4],
    );
    assert!(counts.inexact > 0 && counts.not_encoded == 0, "{counts:?}");
}

#[test]
fn without_an_alias_analysis_it_is_the_same() {
    let text = format!(
        "{HEAD} int a, b, *p = &a; struct {{ char c; long l; }} s, *q = &s;
        int main(void) {{
          int i = __VERIFIER_nondet_int();
          if (i) p = &b;
          *p = i;
          q->l = i;
          int *h = malloc(4);
          *h = a;
          if (a == 5 || (*h == 0 && q->l == 7)) return 1;
          return 0;
        }}"
    );
    let mut counts = Counts::default();
    for theory in [Theory::Int, Theory::Bits] {
        for first in [0, 5, 7] {
            let vectors = [vec![first], vec![5], vec![7], vec![0]];
            compare(&text, &everything, theory, &vectors, &mut counts);
        }
    }
    assert_eq!((counts.not_encoded, counts.undetermined, counts.unknown), (0, 0, 0));
}

#[test]
fn an_allocation_may_fail_if_asked_for() {
    let text =
        format!("{HEAD} int main(void) {{ int *p = malloc(4); if (p) return 1; return 0; }}");
    let program = compile(&text);
    let main = program.find_function("main").expect("main");
    let aliases = PointsTo::new(&program);
    let body = program.funcs[main].body.as_ref().expect("a body");
    let edges = body.edges();
    for (may_fail, expected) in [(true, Answer::Sat), (false, Answer::Unsat)] {
        let options = MemoryOptions { allocation_may_fail: may_fail, ..MemoryOptions::default() };
        let memory =
            Partitioned::new(&program, &aliases, options, &Budget::unlimited()).expect("memory");
        let mut encoder = Encoder::with_memory(&program, Theory::Int, Box::new(memory));
        let mut terms = Terms::new();
        // The path along which the allocation failed: the branch that returns 0.
        let mut path = vec![];
        let mut at = body.entry();
        while at != body.exit() {
            let out = body.out_edges(at);
            // The second edge of a branch is the one where the condition is false.
            let edge = *out.last().expect("an edge");
            path.push(edge);
            at = edges[edge].to;
        }
        let block = encoder.sequence(&mut terms, &Ssa::new(), main, &path).expect("a block");
        let mut solver = Z3Solver::all();
        solver.assert(&terms, block.formula);
        let answer = solver.check(&terms, &[], Purpose::CHECK, Limits::default());
        assert_eq!(answer, expected);
    }
}

#[test]
fn what_the_program_sees_of_addresses_is_an_assumption() {
    let assumptions = |text: &str| {
        let program = compile(text);
        let aliases = PointsTo::new(&program);
        let options = MemoryOptions::default();
        let memory = Partitioned::new(&program, &aliases, options, &Budget::unlimited());
        memory.expect("memory").assumptions()
    };
    assert!(assumptions("int a[3]; int main(void) { return &a[2] > &a[1]; }").is_empty());
    let seen = assumptions("int a, b; int main(void) { return &a > &b; }");
    assert!(seen[0].contains("addresses"), "{seen:?}");
    let seen = assumptions("int a; int main(void) { return (int)(long)&a; }");
    assert!(seen[0].contains("addresses"), "{seen:?}");
}

#[test]
fn names_are_those_of_the_program() {
    let text = format!(
        "{HEAD} struct {{ int k; int *p; }} s; int g;
        int main(void) {{
          int x = __VERIFIER_nondet_int();
          int *p = &x;
          s.p = &g;
          *s.p = *p;
          s.k = 2;
          struct S *unused = (void *)&s;
          return g;
        }}"
    );
    let program = compile(&text);
    let aliases = PointsTo::new(&program);
    let run = walk(&program, &[1]);
    let path = encode(&program, &aliases, Theory::Int, &run.events).expect("a path");
    let names: Vec<String> =
        path.terms.variables().map(|v| path.terms.variable_info(v).name.to_string()).collect();
    for name in ["g", "s.p", "main::x"] {
        assert!(names.iter().any(|n| n == name), "{name}: {names:?}");
    }
    let shown: Vec<String> =
        path.formulas.iter().map(|f| path.terms.display(f.1).to_string()).collect();
    assert!(shown.iter().any(|text| text.contains("s.p@2 == &g")), "{shown:#?}");
}

#[test]
fn running_out_of_budget_is_an_error() {
    let program = compile("int a, *p = &a; int main(void) { *p = 1; return a; }");
    let aliases = PointsTo::new(&program);
    let options = MemoryOptions::default();
    let spent = Budget::unlimited().with_steps(1);
    assert!(Partitioned::new(&program, &aliases, options, &spent).is_err());
    let memory = Partitioned::new(&program, &aliases, options, &Budget::unlimited());
    let memory = memory.expect("memory");
    let mut encoder = Encoder::with_memory(&program, Theory::Int, Box::new(memory));
    encoder.set_budget(Budget::unlimited().with_steps(1));
    let started = encoder.initial(&mut Terms::new(), &Ssa::new());
    assert!(matches!(started, Err(NotEncoded::Exhausted(_))));
}
