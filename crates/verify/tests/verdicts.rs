//! Small programs that show what a verdict means, among them every program that was once decided
//! wrongly.

use std::time::{Duration, Instant};

use gnomon_budget::{Budget, Exhausted};
use gnomon_engine::assumption::Assumption;
use gnomon_engine::facts::Facts;
use gnomon_engine::lazy::LazyOptions;
use gnomon_engine::property::{ErrorSites, NoSuchSite, Property};
use gnomon_engine::replay::Counterexample;
use gnomon_engine::tree::Order;
use gnomon_engine::verdict::{Proof, Reason, Verdict};
use gnomon_flow::points_to::ObjectKind;
use gnomon_predabs::PostOptions;
use gnomon_testkit::verifier_program;
use gnomon_verify::decide::{BadRequest, Engine, Options, check, check_each, entry};

fn verdict_with(text: &str, options: &Options) -> Verdict {
    let budget = Budget::unlimited().with_time(Duration::from_secs(30));
    check(&verifier_program(text), options, &budget).expect("a good request").verdict
}

fn verdict(text: &str) -> Verdict {
    verdict_with(text, &Options::default())
}

fn counterexample(text: &str) -> Counterexample {
    match verdict(text) {
        Verdict::False(counterexample) => *counterexample,
        other => panic!("not false: {other:?}"),
    }
}

/// No plain runs: the other parts must do without.
fn no_runs() -> Options {
    Options { runs: false, ..Options::default() }
}

#[test]
fn an_access_outside_of_objects_is_no_proof() {
    // The element behind the end may be anything, so the error may be reached.
    let text = "int main(void) { int a[3] = {5, 4, 6}; int i = 3; if (a[i] == 7) reach_error(); }";
    let found = verdict(text);
    assert!(matches!(found, Verdict::Unknown(Reason::Undefined { .. })), "{found:?}");
}

#[test]
fn copies_of_what_was_never_written_agree() {
    let text = "struct s { int y; }; struct t { struct s x; };
        int main(void) { struct s a; struct t b; b = (struct t){a}; if (b.x.y != a.y) reach_error(); }";
    let found = verdict(text);
    assert!(!matches!(found, Verdict::False(_)), "{found:?}");
}

#[test]
fn values_from_outside_that_go_into_memory_are_replayed() {
    let text = "int main(void) { int a[2]; int *p = &a[1];
        a[0] = __VERIFIER_nondet_int(); a[1] = __VERIFIER_nondet_int();
        if (a[0] == 1234567 && *p == 7654321) reach_error(); }";
    assert_eq!(counterexample(text).inputs.inputs.len(), 2);
}

#[test]
fn an_error_function_that_is_called_through_a_pointer_is_not_overlooked() {
    // With a body that does nothing, only its name makes the call an error.
    let text = "void __VERIFIER_error(void) {} void (*p)(void) = __VERIFIER_error;
        int main(void) { if (__VERIFIER_nondet_int() == 5) { p(); } }";
    let found = verdict(text);
    assert!(!matches!(found, Verdict::True(_)), "{found:?}");
}

#[test]
fn assumptions_are_listed() {
    let text = "void *malloc(unsigned long); int main(void) { int *p = malloc(4);
        if (p == 0) reach_error(); *p = __VERIFIER_nondet_int(); }";
    let budget = Budget::unlimited().with_time(Duration::from_secs(30));
    let report =
        check(&verifier_program(text), &Options::default(), &budget).expect("a good request");
    assert!(matches!(report.verdict, Verdict::True(_)), "{:?}", report.verdict);
    assert!(
        report.assumptions.iter().any(|a| a.to_string().starts_with("every allocation succeeds"))
    );
}

#[test]
fn where_dangling_pointers_may_be_compared_it_is_told() {
    let text = |freed: &str| {
        format!(
            "void *malloc(unsigned long); void free(void *);
            int main(void) {{ int *p = malloc(4); {freed} int *q = malloc(4);
            if (p == q) reach_error(); }}"
        )
    };
    let assumed = |text: &str| {
        let budget = Budget::unlimited().with_time(Duration::from_secs(30));
        let report =
            check(&verifier_program(text), &Options::default(), &budget).expect("a good request");
        assert!(matches!(report.verdict, Verdict::True(_)), "{:?}", report.verdict);
        report.assumptions.contains(&Assumption::DanglingNotCompared)
    };
    assert!(assumed(&text("free(p);")));
    assert!(!assumed(&text("")));
    // A local variable of a call may lie where one of the call before lay.
    let local = |result: &str| {
        format!(
            "int *local(void) {{ int x = 1; int *p = &x; if (p != &x) reach_error(); return {result}; }}
            int main(void) {{ int *p = local(); int *q = local(); if (p == q && p) reach_error(); }}"
        )
    };
    assert!(assumed(&local("p")));
    assert!(!assumed(&local("0")));
}

#[test]
fn pointers_go_round_the_address_space() {
    // Once the formula of `p - 1` had no solution, and so everything behind it was proved.
    let text = "int main(void) { char *p = 0; p = p - 1; int x = __VERIFIER_nondet_int();
        if (p != 0 && x == 123456) reach_error(); }";
    counterexample(text);
}

#[test]
fn a_variable_that_was_never_written_can_have_any_value() {
    counterexample("int main(void) { int x; if (x == 123456789) reach_error(); }");
}

#[test]
fn a_bug_behind_arithmetic_needs_the_right_input() {
    counterexample(
        "int main(void) { int x = __VERIFIER_nondet_int(); if (3 * x + 4 == 40) reach_error(); }",
    );
    // 3 * x wraps around: there is an x for every right side.
    counterexample(
        "int main(void) { int x = __VERIFIER_nondet_int(); if (3 * x == 41) reach_error(); }",
    );
}

#[test]
fn what_integers_cannot_decide_bits_can() {
    let text = "int main(void) { unsigned x = __VERIFIER_nondet_int(); unsigned y = x * x;
        if ((y & 3) == 2) reach_error(); }";
    let found = verdict_with(text, &no_runs());
    assert!(matches!(found, Verdict::True(_)), "{found:?}");
}

#[test]
fn loops_without_a_bound_are_proved() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(), i = 0, j = 0;
        while (i < n) { i++; j++; } if (i != j) reach_error(); }";
    let found = verdict(text);
    assert!(matches!(found, Verdict::True(_)), "{found:?}");
}

#[test]
fn recursion_that_may_be_reached_is_named() {
    let text = "int f(int n) { return n < 1 ? 0 : 1 + f(n - 1); }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n > 100) return 0;
        if (f(n) > 100) reach_error(); }";
    let options = Options { engine: Engine::Lazy, ..Options::default() };
    let found = verdict_with(text, &options);
    let Verdict::Unknown(reason) = found else { panic!("recursion is not followed") };
    assert!(reason.to_string().contains("recursive call of f"), "{reason}");
}

#[test]
fn labels_lines_and_entries() {
    let text = "int f(int x) { if (x == 77) { BAD: return 1; } return 0; }\nint main(void) { return f(3); }";
    let label = |name: &str| Property { labels: vec![name.into()], ..Property::default() };
    let from = |entry: &str, property: Property| Options {
        entry: entry.into(),
        property,
        ..Options::default()
    };
    let (main, f) = (from("main", label("BAD")), from("f", label("BAD")));
    assert!(matches!(verdict_with(text, &main), Verdict::True(_)));
    assert!(matches!(verdict_with(text, &f), Verdict::False(_)));
    let line = Property { lines: vec![("test.c".into(), 3)], ..Property::default() };
    assert!(matches!(verdict_with(text, &from("main", line)), Verdict::False(_)));
    let budget = Budget::unlimited();
    let nowhere = check(&verifier_program(text), &from("main", label("GOOD")), &budget);
    let expected = BadRequest::NoSuchSite(NoSuchSite::Label("GOOD".into()));
    assert_eq!(nowhere.err(), Some(expected));
    let no_entry = check(&verifier_program(text), &from("g", Property::default()), &budget);
    assert_eq!(no_entry.err(), Some(BadRequest::NoEntry("g".into())));
}

#[test]
fn the_time_limit_holds() {
    let text = "int main(void) { unsigned a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
        unsigned n = __VERIFIER_nondet_int(), s = 1; for (unsigned i = 0; i < n; i++) s = s * a + b;
        if (a > 1 && b > 1 && s * s == 1000003) reach_error(); }";
    let begin = Instant::now();
    let budget = Budget::unlimited().with_time(Duration::from_secs(2));
    let found =
        check(&verifier_program(text), &no_runs(), &budget).expect("a good request").verdict;
    if let Verdict::Unknown(reason) = &found {
        let expected = Reason::Limit(Exhausted::Time).to_string();
        assert!(reason.to_string().ends_with(&expected), "{reason}");
    }
    assert!(begin.elapsed() < Duration::from_secs(15), "it took {:?}", begin.elapsed());
}

#[test]
fn the_same_again_gives_the_same() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(), x = 0, y = 0;
        while (x < n) { x++; if (x % 3 == 0) y++; } if (y > x && n > 0) reach_error(); }";
    let once = |options: &Options| {
        let budget = Budget::unlimited().with_time(Duration::from_secs(60));
        let report = check(&verifier_program(text), options, &budget).expect("a good request");
        let mut statistics = report.statistics;
        statistics.numbers.retain(|name, _| !name.contains("milliseconds"));
        (std::mem::discriminant(&report.verdict), statistics)
    };
    // An engine does the same whatever else the machine does. How far those come that did not have the answer
    // is the same only where counts of work decide whose turn it is, and not in builds as slow as this one.
    let alone = Options { engine: Engine::Lazy, search: false, ..no_runs() };
    let (first, second) = (once(&alone), once(&alone));
    assert_eq!((first.0, first.1.numbers), (second.0, second.1.numbers));
    let (first, second) = (once(&no_runs()), once(&no_runs()));
    assert_eq!((first.0, first.1.engine), (second.0, second.1.engine));
}

#[test]
fn what_assembler_stores_is_no_counterexample() {
    let text = "int main(void) { unsigned short w; __asm__(\"fstcw %0\" : \"=m\"(w));
        if (w & 0xc00) reach_error(); }";
    let found = verdict(text);
    assert!(matches!(found, Verdict::Unknown(Reason::NotConfirmed(_))), "{found:?}");
}

#[test]
fn one_order_of_evaluation_is_no_proof() {
    let next =
        "int next(void) { static int i; return ++i; } int pair(int x, int y) { return 3 * x + y; }
        int twice(int x) { return 2 * x; } int g = 1; int set(int x) { g = x; return x; }\n";
    let found = |text: &str| verdict(&format!("{next}{text}"));
    let open = [
        "int main(void) { if (pair(next(), next()) != 5) reach_error(); }",
        "int main(void) { if (next() - next() != -1) reach_error(); }",
        "int main(void) { if (g + set(5) != 6) reach_error(); }",
        "int main(void) { int a[2] = {0, 0}, i = 0; a[i] = i++; if (a[1]) reach_error(); }",
        "int main(void) { int x = __VERIFIER_nondet_int(); x = pair(next(), next());
            if (x != 5) reach_error(); }",
        // Where the value goes, and the old value, are found in no order with the right side.
        "int main(void) { static int a[9]; a[g] = set(5); if (a[5]) reach_error(); }",
        "int main(void) { g += set(5); if (g != 6) reach_error(); }",
        "int *where = &g; int h; int move(void) { where = &h; return 7; }
            int main(void) { *where = move(); if (g != 7) reach_error(); }",
        "int main(void) { int a[2] = {next(), next()}; if (a[0] > a[1]) reach_error(); }",
        "int one(int x) { return x; } int two(int x) { return 2 * x; } int (*f)(int) = one;
            int turn(void) { f = two; return 1; }
            int main(void) { if (f(turn()) != 1) reach_error(); }",
        "int main(void) { int x = 1, *p = &x, *q = &x;
            if (pair(*p, *q = 2) != 5) reach_error(); }",
    ];
    for text in open {
        let found = found(text);
        assert!(
            matches!(found, Verdict::Unknown(Reason::OneOrderOnly { .. })),
            "{text}: {found:?}"
        );
    }
    let closed = [
        "int main(void) { if (pair(twice(1), twice(2)) != 10) reach_error(); }",
        "int main(void) { int x = next(), y = next(); if (x - y != -1) reach_error(); }",
        "int main(void) { int l = 1; if (l + set(5) != 6) reach_error(); }",
        "int main(void) { if (next() != 1 && next() != 2) reach_error(); }",
        // Effects that nobody else sees.
        "int main(void) { int a[3] = {0, 0, 0}, i = 1; a[i] = next(); if (a[1] != 1) reach_error(); }",
        "int main(void) { int x = 1; x += next(); if (x != 2) reach_error(); }",
        "int main(void) { int a[2] = {twice(1), next()}; if (a[0] != 2) reach_error(); }",
        "int main(void) { g = set(5); if (g != 5) reach_error(); }",
    ];
    for text in closed {
        let found = found(text);
        assert!(matches!(found, Verdict::True(_)), "{text}: {found:?}");
    }
    // An error in the order that is modelled is an error.
    let wrong = "int main(void) { if (pair(next(), next()) == 5) reach_error(); }";
    assert!(matches!(found(wrong), Verdict::False(_)));
}

#[test]
fn programs_start_with_arguments_that_can_be_counted() {
    let promised = "int main(int argc, char **argv) { if (argc < 1 || !argv) reach_error(); }";
    assert!(matches!(verdict(promised), Verdict::True(_)));
    let open = "int main(int argc, char **argv) { if (argc == 3) reach_error(); }";
    assert!(matches!(verdict(open), Verdict::False(_)));
    let called = "int main(int n) { if (n == -1) reach_error(); return n == 2 ? main(-1) : 0; }";
    assert!(!matches!(verdict(called), Verdict::True(_)));
}

#[test]
fn every_site_has_its_verdict() {
    let text = "void check(int c) { if (!c) reach_error(); }
        int main(void) { int x = __VERIFIER_nondet_int(); if (x > 10) { if (x < 5) reach_error();
        if (x == 77) reach_error(); } return 0; }";
    let budget = Budget::unlimited().with_time(Duration::from_secs(30));
    let (program, options) = (verifier_program(text), Options::default());
    let main = entry(&program, &options).expect("main");
    let sites = ErrorSites::of(&program, &options.property).expect("sites");
    let facts = Facts::new(&program, main, options.memory, &budget);
    let reports = check_each(&facts, main, &sites, &options, &budget);
    let found: Vec<bool> =
        reports.iter().map(|r| matches!(r.report.verdict, Verdict::False(_))).collect();
    // In the order of the functions, and of the edges in them.
    assert_eq!(found, [false, false, true]);
    assert!(matches!(reports[0].report.verdict, Verdict::True(_)), "nobody calls it");
    assert!(matches!(reports[1].report.verdict, Verdict::True(_)));
}

/// Needs an invariant, and has irrelevant code.
const LOCKS: &str = "int main(void) { int lock = 0, n = __VERIFIER_nondet_int(), s = 0;
    while (__VERIFIER_nondet_int()) { if (lock) reach_error(); lock = 1; s += n; if (s > n) s = 0;
    if (!lock) reach_error(); lock = 0; } }";

#[test]
fn proofs_leave_invariants() {
    let Verdict::True(Proof::Invariants(proof)) = verdict_with(LOCKS, &no_runs()) else {
        panic!("not proved by invariants")
    };
    let lines = proof.describe(&verifier_program(LOCKS));
    assert!(lines.iter().any(|line| line.contains("lock")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains(" s ")), "{lines:?}");
}

#[test]
fn strategies_agree() {
    let wrong = LOCKS.replace("lock = 0; }", "if (n != 5) lock = 0; }");
    for order in [Order::Depth, Order::Breadth, Order::Shortest] {
        for keep_subtree in [false, true] {
            for (slicing, exact_predicates) in [(true, 14), (false, 14), (true, 0)] {
                let post = PostOptions { exact_predicates, ..PostOptions::default() };
                let lazy = LazyOptions { order, keep_subtree, post, ..LazyOptions::default() };
                let options = Options { lazy, slicing, search: false, ..no_runs() };
                let text = format!("{options:?}");
                assert!(matches!(verdict_with(LOCKS, &options), Verdict::True(_)), "{text}");
                assert!(matches!(verdict_with(&wrong, &options), Verdict::False(_)), "{text}");
            }
        }
    }
}

#[test]
fn simple_invariants_show_parity() {
    // Nothing on a path says that parity matters before the very end.
    let text = "int main(void) { unsigned x = 0, n = __VERIFIER_nondet_int();
        while (x < 0x0fffffff) { x += 2; if (x == n) break; } if (x % 2) reach_error(); }";
    let found = verdict_with(text, &no_runs());
    assert!(matches!(found, Verdict::True(_)), "{found:?}");
}

#[test]
fn proofs_name_the_alias_facts_they_rely_on() {
    let text = "int main(void) { int a = 0, b = 7, *p = &a;
        while (__VERIFIER_nondet_int()) { *p = 1 - *p; } if (b != 7) reach_error(); }";
    let program = verifier_program(text);
    let report = check(&program, &no_runs(), &Budget::unlimited()).expect("there is a main");
    assert!(matches!(report.verdict, Verdict::True(Proof::Invariants(_))), "{:?}", report.verdict);
    let names = |kind: &ObjectKind| match kind {
        ObjectKind::Variable(var) => program.vars[*var].name.clone(),
        other => format!("{other:?}"),
    };
    let pointees: Vec<Vec<String>> =
        report.memory.aliases.iter().map(|fact| fact.objects.iter().map(names).collect()).collect();
    assert_eq!(pointees.len(), 1, "{pointees:?}");
    assert!(pointees[0].iter().all(|name| name.starts_with('a')), "{pointees:?}");
}

#[test]
fn one_run_of_a_program_that_asks_its_environment_is_no_proof() {
    let outside = "struct file; struct file *fopen(const char *, const char *);
        char *fgets(char *, int, struct file *); extern struct file *stdin; int rand(void);
        void srand(unsigned); int getchar(void); int printf(const char *, ...);
        char *getenv(const char *);";
    for text in [
        "if (fopen(\"x\", \"r\")) reach_error();",
        "char b[10]; b[0] = 0; fgets(b, 10, stdin); if (b[0] == 'x') reach_error();",
        "srand(1); if (rand() == 77) reach_error();",
        "if (getenv(\"X\")) reach_error();",
        "if (getchar() == 'x') reach_error();",
        "if (printf(\"x\") < 0) reach_error();",
        "int (*f)(void) = getchar; if (f() == 'x') reach_error();",
    ] {
        let found = verdict(&format!("{outside} int main(void) {{ {text} }}"));
        assert!(!matches!(found, Verdict::True(_)), "{text}: {found:?}");
    }
}

#[test]
fn what_the_environment_answers_is_replayed() {
    let outside = "struct file; struct file *fopen(const char *, const char *);
        int getchar(void); int rand(void);";
    for (text, inputs) in [
        ("if (fopen(\"x\", \"r\")) reach_error();", 1),
        ("if (getchar() == 'x' && getchar() == 'y') reach_error();", 2),
        ("if (rand() % 1000 == 77) reach_error();", 1),
        ("int n; n = n + getchar(); if (getchar() == 'x' && n > 70) reach_error();", 3),
    ] {
        let found = counterexample(&format!("{outside} int main(void) {{ {text} }}"));
        assert_eq!(found.inputs.inputs.len(), inputs, "{text}");
    }
    for text in ["if (getchar() == 256) reach_error();", "if (rand() < 0) reach_error();"] {
        let found = verdict(&format!("{outside} int main(void) {{ {text} }}"));
        assert!(!matches!(found, Verdict::False(_)), "{text}: {found:?}");
    }
}

#[test]
fn a_function_without_a_body_returns_and_writes_anything() {
    let outside = "int get(void); void fill(int *); void keep(int *); void go(void);
        extern int shared; int scanf(const char *, ...);";
    for text in [
        "if (get() == 1234567) reach_error();",
        "int x = 0; fill(&x); if (x == 7654321) reach_error();",
        "int x = 0; if (scanf(\"%d\", &x) == 1 && x == 99) reach_error();",
        "int x = get(); if (x > 10 && get() < x) reach_error();",
    ] {
        let text = format!("{outside} int main(void) {{ {text} }}");
        assert!(matches!(verdict(&text), Verdict::False(_)), "{text}: {:?}", verdict(&text));
        let strict = Options { strict: true, ..Options::default() };
        let found = verdict_with(&text, &strict);
        assert!(matches!(found, Verdict::Unknown(Reason::Unsupported(_))), "{found:?}");
    }
    // No run shows these, but no proof may say otherwise.
    for text in [
        "int x = 0; keep(&x); x = 1; go(); if (x == 2) reach_error();",
        "int x = 0, *p = &x, **q = &p; fill((int *)q); go(); if (x == 2) reach_error();",
        "shared = 1; go(); if (shared != 1) reach_error();",
        "struct { int a, b[3]; } s; s.b[1] = 0; fill(s.b); if (s.b[1] == 5) reach_error();",
    ] {
        let found = verdict(&format!("{outside} int main(void) {{ {text} }}"));
        assert!(!matches!(found, Verdict::True(_)), "{text}: {found:?}");
    }
    for text in [
        "int x = 0, y = 5; fill(&x); if (y != 5) reach_error();",
        "int x = 0; go(); fill(&x); x = 3; if (x != 3) reach_error();",
        "static int own = 1; go(); if (own != 1) reach_error();",
        "int a = 1, b = 2; scanf(\"%d\", &a); scanf(\"%d\", &b); a = 4; scanf(\"%d\", &b);
            if (a != 4) reach_error();",
    ] {
        let found = verdict(&format!("{outside} int main(void) {{ {text} }}"));
        assert!(matches!(found, Verdict::True(_)), "{text}: {found:?}");
    }
}

#[test]
fn a_function_without_a_body_that_knows_a_function_is_not_covered() {
    let text = "void go(void (*)(void)); void bad(void) { reach_error(); }
        int main(void) { go(bad); }";
    let found = verdict(text);
    assert!(
        matches!(&found, Verdict::Unknown(Reason::Unsupported(what)) if what.to_string().contains("bad")),
        "{found:?}"
    );
}

#[test]
fn functions_that_may_do_anything_write_what_is_not_private_and_call_back() {
    let decided = |text: &str| {
        let mut program = verifier_program(text);
        assert_eq!(gnomon_instrument::silent::unleash(&mut program, "main"), ["tick"]);
        let budget = Budget::unlimited().with_time(Duration::from_secs(30));
        check(&program, &Options::default(), &budget).expect("a good request").verdict
    };
    let private =
        "void tick(void); int main(void) { int x = 1; tick(); if (x != 1) reach_error(); }";
    assert!(matches!(decided(private), Verdict::True(_)));
    let global =
        "void tick(void); int x; int main(void) { x = 1; tick(); if (x != 1) reach_error(); }";
    assert!(!matches!(decided(global), Verdict::True(_)));
    let back = "void tick(void); void own(void) { reach_error(); } int main(void) { tick(); }";
    assert!(!matches!(decided(back), Verdict::True(_)));
}

#[test]
fn functions_of_the_standard_do_not_do_what_they_cannot_do() {
    let outside =
        "long write(int, const void *, unsigned long); unsigned short htons(unsigned short);
         int fcntl(int, int, ...);";
    for text in [
        "int fd = __VERIFIER_nondet_int(); if (fcntl(fd, 3) != -1 && fd < 0) reach_error();",
        "int x = 1; write(1, &x, 4); if (x != 1) reach_error();",
        "if (htons(0) == 1) reach_error();",
        "if (write(1, 0, 0) == 77) reach_error();",
    ] {
        let found = verdict(&format!("{outside} int main(void) {{ {text} }}"));
        assert!(matches!(found, Verdict::Unknown(_)), "{text}: {found:?}");
    }
}

#[test]
fn small_blocks_give_the_same_verdicts() {
    let wrong = LOCKS.replace("lock = 0; }", "if (n != 5) lock = 0; }");
    for block_places in [1, 3, 10] {
        let options = Options { block_places, ..no_runs() };
        assert!(matches!(verdict_with(LOCKS, &options), Verdict::True(_)), "{block_places}");
        assert!(matches!(verdict_with(&wrong, &options), Verdict::False(_)), "{block_places}");
    }
}

#[test]
fn without_a_verdict_what_is_known_is_told() {
    let text = "int main(void) { unsigned a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
        unsigned n = __VERIFIER_nondet_int(), s = 1; for (unsigned i = 0; i < n; i++) s = s * a + b;
        if (a > 1 && b > 1 && s * s == 1000003) reach_error(); }";
    let short = Budget::unlimited().with_time(Duration::from_secs(2));
    let report = check(&verifier_program(text), &no_runs(), &short).expect("a good request");
    // A fast machine may prove it in the time that it has.
    let is_unknown = matches!(report.verdict, Verdict::Unknown(_));
    let told = |line: &String| line.starts_with("no error is reached within");
    assert_eq!(report.partial.iter().any(told), is_unknown, "{:?}", report.partial);
}

#[test]
fn another_rounding_is_not_covered() {
    let text = "int fesetround(int); int main(void) { double x = 1.0; fesetround(0x800);
        if (x / 3.0 * 3.0 != x) reach_error(); }";
    let found = verdict(text);
    assert!(!matches!(found, Verdict::True(_) | Verdict::False(_)), "{found:?}");
}
