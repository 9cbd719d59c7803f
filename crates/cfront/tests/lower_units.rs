//! Several translation units as one program.

mod lowering;

use gnomon_budget::Budget;
use gnomon_cfront::diag::Severity;
use gnomon_ir::interp::{Captured, Outcome, RunOptions, ZeroSource, interpret};
use gnomon_ir::types::Target;

/// The exit code of a program of several files.
fn run(texts: &[&str]) -> Outcome {
    let translation = lowering::lower_units(texts, Target::Lp64);
    assert!(translation.is_complete(), "{}", translation.render(Severity::Error));
    let defects = gnomon_ir::validate::validate(&translation.program);
    assert!(defects.is_empty(), "{}", defects[0]);
    let budget = Budget::unlimited().with_steps(100_000);
    let (options, mut output) = (RunOptions::default(), Captured::default());
    interpret(&translation.program, &options, &mut ZeroSource, &mut output, &budget).outcome
}

#[test]
fn static_names_are_kept_apart() {
    let a = "static int n = 1; static int f(void) { return n; } int g(void);
             int main(void) { return f() * 10 + g(); }";
    let b = "static int n = 2; static int f(void) { return n; } int g(void) { return f(); }";
    assert_eq!(run(&[a, b]), Outcome::Exit(12));
    // An external name of another file keeps its name, whoever comes first.
    let c = "int n = 7; int f(void) { return n; }";
    let a = "static int n = 1; int f(void); int main(void) { return f() * 10 + n; }";
    assert_eq!(run(&[a, c]), Outcome::Exit(71));
    assert_eq!(run(&[c, a]), Outcome::Exit(71));
}

#[test]
fn external_names_are_one_object() {
    let a = "extern int n; extern int a[]; int next(void);
             int main(void) { n = 5; return next() + a[1]; }";
    let b = "int n; int a[3] = {1, 2, 3}; int next(void) { return ++n; }";
    assert_eq!(run(&[a, b]), Outcome::Exit(8));
    assert_eq!(run(&[b, a]), Outcome::Exit(8));
}

#[test]
fn tentative_definitions_give_way_to_one_definition() {
    let a = "int n; int m; int get(void); int main(void) { return n * 10 + get(); }";
    let b = "int n = 4; int m; int get(void) { m++; return m; }";
    assert_eq!(run(&[a, b]), Outcome::Exit(41));
    assert_eq!(run(&[b, a]), Outcome::Exit(41));
}

#[test]
fn records_of_the_same_text_are_one_type() {
    let header = "struct P { int x; struct Q { char c; } q; }; struct P make(int);\n";
    let a = format!("{header}int main(void) {{ struct P p = make(3); return p.x + p.q.c; }}");
    let b = format!("{header}struct P make(int v) {{ return (struct P){{v, {{v + 1}}}}; }}");
    assert_eq!(run(&[&a, &b]), Outcome::Exit(7));
}

#[test]
fn inline_functions_of_headers_are_one() {
    let header =
        "inline int twice(int x) { return 2 * x; } static inline int one(void) { return 1; }\n";
    let a = format!("{header}int g(void); int main(void) {{ return twice(4) + g() + one(); }}");
    let b = format!(
        "{header}extern inline int twice(int); int g(void) {{ return twice(10) + one(); }}"
    );
    assert_eq!(run(&[&a, &b]), Outcome::Exit(30));
}

#[test]
fn calls_without_a_prototype_are_fitted_to_the_definition() {
    let a = "int old(); int main(void) { return old(260, 3, 2.5) + extra(1, 2); }";
    let b = "int old(a, b, c) char a; short b; float c; { return a + b + (int)c; }
             int extra(int a) { return a * 100; }";
    assert_eq!(run(&[a, b]), Outcome::Exit(109));
    assert_eq!(run(&[b, a]), Outcome::Exit(109));
}

#[test]
fn addresses_of_functions_survive_a_better_type() {
    let a = "int late(); int (*p)() = late; int early(int (*f)()) { return f(3); }
             int main(void) { return p(4) * 10 + early(late); }
             int late(int x) { return x + 1; }";
    assert_eq!(run(&[a]), Outcome::Exit(54));
}

#[test]
fn conflicts_are_reported_with_both_places() {
    let found = lowering::messages(&[
        "int n;\nint f(int);\nint g(void) { return f(n); }\n",
        "\nlong n = 1;\nlong f(long x) { return x; }\n",
    ]);
    for expected in [
        "`n` is declared with another type in a.c:1:5",
        "`f` is declared with another type in a.c:2:5",
        " --> b.c:2:6",
        " --> b.c:3:6",
    ] {
        assert!(found.contains(expected), "{expected}\n{found}");
    }
    let twice = lowering::messages(&["int f(void) { return 1; }", "int f(void) { return 2; }"]);
    assert!(twice.contains("`f` is defined in another file too\n --> b.c:1:5"), "{twice}");
}

#[test]
fn records_that_no_file_defines_are_the_same_in_all() {
    // As `struct _IO_FILE` of the C library is, which points to records that stay opaque.
    let header = "struct marker; struct file { int fd; struct marker *markers; };
        extern struct file *out; int put(struct file *, int);\n";
    let a = format!("{header} int main(void) {{ return put(out, 3); }}");
    let b = format!(
        "{header} struct file standard = {{4, 0}}; struct file *out = &standard;
        int put(struct file *f, int x) {{ return f->markers ? 0 : f->fd * 10 + x; }}"
    );
    assert_eq!(run(&[&a, &b]), Outcome::Exit(43));
    assert_eq!(run(&[&b, &a]), Outcome::Exit(43));
}

#[test]
fn a_tag_that_a_file_leaves_open_is_the_record_of_another_file() {
    let header = "struct link { struct item *first; int n; };";
    let user = format!(
        "{header} struct item *next(struct link *l); int value(struct item *i);
         struct link all; extern struct item one;
         int main(void) {{ all.first = next(&all); return value(all.first) - 5; }}"
    );
    let owner = format!(
        "struct item {{ int value; struct item *next; }}; {header}
         extern struct link all; struct item one = {{ 5, 0 }};
         struct item *next(struct link *l) {{ return l->first ? l->first->next : &one; }}
         int value(struct item *i) {{ return i->value; }}"
    );
    assert_eq!(run(&[&user, &owner]), Outcome::Exit(0));
    assert_eq!(run(&[&owner, &user]), Outcome::Exit(0));
}

#[test]
fn a_tag_that_is_left_open_does_not_join_two_definitions() {
    let open = "struct s; int f(void); int g(void); struct s *p;
                int main(void) { return p != 0 || f() != 4 || g() != 8; }";
    let first = "struct s { int a; }; int f(void) { return sizeof(struct s); }";
    let second = "struct s { long a; }; int g(void) { return sizeof(struct s); }";
    for order in [[open, first, second], [first, open, second], [second, first, open]] {
        assert_eq!(run(&order), Outcome::Exit(0));
    }
}

#[test]
fn headers_have_different_paths() {
    // The record without a tag stands in the same header, which the files name differently.
    let header = |path: &str| {
        format!(
            "# 1 \"{path}\"\nstruct C {{ union {{ int i; long l; }} u; }};\nlong get(struct C *);\n"
        )
    };
    let a = format!("{}int main(void) {{ struct C c; c.u.l = 5; return get(&c); }}", header("s.h"));
    let b = format!("{}long get(struct C *c) {{ return c->u.l; }}", header("../x/s.h"));
    assert_eq!(run(&[&a, &b]), Outcome::Exit(5));
}

#[test]
fn a_transparent_union_is_passed_like_a_pointer() {
    let a = "typedef union { int *i; char *c; } any __attribute__((transparent_union));
             int take(any); int main(void) { int n = 6; return take(&n); }";
    let b = "int take(void *p) { return *(int *)p; }";
    assert_eq!(run(&[a, b]), Outcome::Exit(6));
    assert_eq!(run(&[b, a]), Outcome::Exit(6));
}

#[test]
fn a_function_is_where_it_is_defined() {
    let user = "int f(int);\nint main(void) { return f(1); }\n";
    let definition = "int f(int);\n\n\nint f(int a) { return a; }\n";
    for texts in [[user, definition], [definition, user]] {
        let program = lowering::lower_units(&texts, Target::Lp64).program;
        let f = program.find_function("f").expect("a function");
        assert_eq!(program.funcs[f].span.line, 4, "{:?}", program.funcs[f].span);
    }
}
