//! Leaps over iterations of counting loops change nothing but how long a run takes: random loops with
//! and without them, and loops that no test could wait for.

use std::fmt::Write;

use gnomon_budget::Budget;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::translate;
use gnomon_ir::interp::{
    Discarded, EdgeEvent, Needs, Observer, Outcome, Run, RunOptions, State, ZeroSource, interpret,
    interpret_observed,
};
use gnomon_ir::types::Target;

fn run(text: &str, leaps: bool, steps: u64) -> Run {
    let source = SourceBuffer::new("test.c", text.as_bytes().to_vec()).expect("a source");
    let translation = translate(vec![source], Target::Lp64, &ParseOptions::default());
    assert!(translation.is_complete(), "{text}");
    let options = RunOptions { leaps, ..RunOptions::default() };
    let budget = Budget::unlimited().with_steps(steps);
    interpret(&translation.program, &options, &mut ZeroSource, &mut Discarded, &budget)
}

fn exit(text: &str) -> Outcome {
    run(text, true, 10_000).outcome
}

#[test]
fn a_hundred_million_iterations_end_at_once() {
    let counted = "int main(void) { unsigned x = 0; while (x < 0x0fffffff) x += 2;
        return x == 0x10000000; }";
    assert_eq!(exit(counted), Outcome::Exit(1));
    let phases = "int main(void) { unsigned x = 0; while (x < 0x0fffffff) {
        if (x < 0xfff1) x++; else x += 2; } return x % 2; }";
    assert_eq!(exit(phases), Outcome::Exit(1));
    let wraps = "int main(void) { unsigned x = 10; while (x >= 10) x += 2; return (int)x; }";
    assert_eq!(exit(wraps), Outcome::Exit(0));
    let down = "int main(void) { long x = 3000000000, n = 0; while (x != -4) { x -= 4; n++; }
        return n == 750000001; }";
    assert_eq!(exit(down), Outcome::Exit(1));
    let nested = "int main(void) { unsigned v, z, all = 0; for (z = 0; z < 10; z++) {
        for (v = 0; v < 0x0fffffff; v++); all += v % 4; } return (int)all; }";
    assert_eq!(exit(nested), Outcome::Exit(30));
    let called = "static unsigned f(unsigned z) { return z + 2; }
        int main(void) { unsigned x = 0; while (x < 0x0fffffff) x = f(x); return x % 2; }";
    assert_eq!(exit(called), Outcome::Exit(0));
    let global = "static int i; static long sum = 5; int main(void) {
        for (i = 0; i < 400000000; i++) sum += 3; return sum == 1200000005; }";
    assert_eq!(exit(global), Outcome::Exit(1));
    let record = "struct s { int a; short b; } r; int main(void) { struct s *p = &r;
        for (p->a = 0; p->a < 300000000; p->a++) p->b = 4; return p->b; }";
    assert_eq!(exit(record), Outcome::Exit(4));
}

/// Sees edges, and nothing else.
struct Edges {
    seen: u64,
    skipped: u64,
}

impl Observer for Edges {
    fn needs(&self) -> Needs {
        Needs::Edges
    }

    fn edge(&mut self, _: EdgeEvent, _: &State<'_>) {
        self.seen += 1;
    }

    fn skipped(&mut self, edges: u64) {
        self.skipped += edges;
    }
}

#[test]
fn who_sees_edges_alone_does_not_wait_either() {
    let text = "static unsigned f(unsigned z) { return z + 2; }
        int main(void) { unsigned x = 0; while (x < 0x0fffffff) x = f(x); return x % 2; }";
    let source = SourceBuffer::new("test.c", text.as_bytes().to_vec()).expect("a source");
    let program = translate(vec![source], Target::Lp64, &ParseOptions::default()).program;
    let budget = Budget::unlimited().with_steps(10_000);
    let (options, mut edges) = (RunOptions::default(), Edges { seen: 0, skipped: 0 });
    let run = interpret_observed(
        &program,
        &options,
        &mut ZeroSource,
        &mut Discarded,
        &budget,
        &mut edges,
    );
    assert_eq!(run.outcome, Outcome::Exit(0));
    assert!(edges.seen < 10_000, "{} edges", edges.seen);
    let unseen = interpret_observed(
        &program,
        &RunOptions { leaps: false, ..options },
        &mut ZeroSource,
        &mut Discarded,
        &Budget::unlimited().with_steps(100),
        &mut Edges { seen: 0, skipped: 0 },
    );
    assert!(matches!(unseen.outcome, Outcome::OutOfBudget(_)));
    // Three edges at least in each of the iterations, and none is counted twice.
    let iterations = 0x0fff_ffff / 2;
    assert!((edges.seen + edges.skipped) / iterations >= 3);
    assert!((edges.seen + edges.skipped) / iterations <= 6);
}

#[test]
fn what_a_loop_leaves_behind_is_what_its_last_iteration_left() {
    let text = "int main(void) { unsigned i, t = 7, last = 0; for (i = 0; i < 100000000; i++) {
        t = i * 3; last = t % 2; } return t == 299999997 && last == 1; }";
    // The remainder alternates, so nothing is leapt over; without it, everything is.
    assert_eq!(run(text, false, 3_000_000).outcome, Outcome::Exit(1));
    let text = "int main(void) { unsigned i, t = 7; for (i = 0; i < 100000000; i++) t = i * 3;
        return t == 299999997; }";
    assert_eq!(exit(text), Outcome::Exit(1));
}

#[test]
fn what_an_iteration_before_has_left_is_not_taken_for_something_else() {
    let both = |text: &str| {
        let (with, without) = (run(text, true, 3_000_000), run(text, false, 3_000_000));
        assert_eq!(with.outcome, without.outcome, "{text}");
        without.outcome
    };
    let copied = "int main(void) { unsigned before = 0, now = 0, i;
        for (i = 0; i < 100000; i++) { before = now; now = i / 3; } return before == 99998 / 3; }";
    assert_eq!(both(copied), Outcome::Exit(1));
    let handed_on = "static unsigned same(unsigned x) { return x; } static unsigned before, now;
        int main(void) { unsigned i; for (i = 0; i < 100000; i++) { before = same(now); now = i / 3; }
        return before == 99998 / 3; }";
    assert_eq!(both(handed_on), Outcome::Exit(1));
    let swapped =
        "static int a, b, *p = &a, *q = &b; int main(void) { for (int i = 0; i < 100000; i++) {
        *p += 1; int *t = p; p = q; q = t; } return a == 50000 && b == 50000; }";
    assert_eq!(both(swapped), Outcome::Exit(1));
    let divided = "int main(void) { long x = 0; for (long i = -100000; i < 100000; i++) x = 10 / i;
        return 0; }";
    assert!(matches!(both(divided), Outcome::Undefined(_)));
    let shifted = "int main(void) { int x = 0, n = 0; for (int i = 1; i < 100000; i++) { x = i << 20; n += 2; }
        return x < 0; }";
    assert!(both(shifted) == run(shifted, true, 3_000_000).outcome);
    assert_eq!(run(shifted, true, 3_000_000).noted.len(), 1);
    let called = "static int next(int x) { return x + 1; }
        static unsigned long where(void) { int y = 0; int *p = &y; return (unsigned long)p + *p; }
        int main(void) { unsigned long first = where(), last; int s = 0;
        for (int i = 0; i < 100000; i++) s = next(s); last = where(); return (int)(last - first); }";
    both(called);
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

const TYPES: &[&str] =
    &["int", "unsigned", "long", "unsigned long", "short", "unsigned char", "signed char"];

/// A loop of a few thousand iterations over variables of all types.
fn random_loop(r: &mut Random) -> String {
    let mut text = String::from(
        "static int next(int x) { return x + 3; }
static long same(long x) { return x; }
static int one = 1, two = 2;
",
    );
    let count = 2 + r.below(3);
    // Half of the loops have nothing but what moves by constants, or nearly.
    let kinds = if r.below(2) == 0 { 9 } else { 19 };
    let (mut globals, mut locals) = (String::new(), String::new());
    for v in 0..count {
        let ty = TYPES[r.below(TYPES.len() as u64) as usize];
        let start = r.below(300) as i64 - 100;
        let place = if r.below(2) == 0 { &mut globals } else { &mut locals };
        let _ = writeln!(place, "  {ty} v{v} = ({ty}){start};");
    }
    let pointers = "int *p = &one, *q = &two;\n";
    if r.below(2) == 0 { &mut globals } else { &mut locals }.push_str(pointers);
    let _ = writeln!(text, "{globals}int main(void) {{\n{locals}");
    let turns = 500 + r.below(4000);
    let _ = writeln!(text, "  for (unsigned n = 0; n < {turns}u; n++) {{");
    for _ in 0..1 + r.below(4) {
        let assignment = |r: &mut Random| {
            let (to, from) = (r.below(count), r.below(count));
            let constant = r.below(9) as i64 - 4;
            let other = r.below(count);
            match r.below(kinds) {
                0..=3 => format!("v{to} = v{to} + {constant};"),
                4 => format!("v{to} = v{from} - {constant};"),
                5 => format!("v{to} = v{from} % {};", r.below(7) + 1),
                6 => format!("v{to} = (v{from} & {}) + v{to};", (1 << r.below(4)) - 1),
                7 => format!("v{to} = next(v{from});"),
                8 => format!("v{to} = v{from} * {};", r.below(3)),
                9 => format!("v{to} = v{from} / {};", [1, 2, 3, -1, -2][r.below(5) as usize]),
                10 if r.below(4) == 0 => format!("v{to} = v{from} / v{other};"),
                11 => format!("v{to} = v{from} << {};", r.below(5)),
                12 => format!("v{to} = v{from} >> {};", r.below(5)),
                13 => format!("*p = *p + {constant};"),
                14 => "{ int *t = p; p = q; q = t; }".to_owned(),
                15 => format!("v{to} = (int)same(v{from});"),
                16 => format!("v{to} = v{from} * v{other};"),
                17 => format!("v{to} = *q;"),
                _ => format!("v{to} = v{from};"),
            }
        };
        let then = assignment(r);
        match r.below(3) {
            0 => {
                let (a, b) = (r.below(count), r.below(count));
                let op = ["<", "<=", "==", "!=", ">", ">="][r.below(6) as usize];
                let limit = r.below(3000) as i64 - 500;
                let other = if r.below(2) == 0 { format!("v{b}") } else { limit.to_string() };
                let otherwise = assignment(r);
                let _ = writeln!(text, "    if (v{a} {op} {other}) {then} else {otherwise}");
            }
            _ => {
                let _ = writeln!(text, "    {then}");
            }
        }
    }
    if r.below(3) == 0 {
        let _ = writeln!(text, "    if (v0 > {}) break;", r.below(2000));
    }
    text.push_str("  }\n  unsigned long all = (unsigned long)one * 7 + (unsigned long)two;\n");
    for v in 0..count {
        let _ = writeln!(text, "  all = all * 31 + (unsigned long)v{v};");
    }
    text.push_str("  return (int)(all % 1000003);\n}\n");
    text
}

#[test]
fn random_loops_do_the_same_with_and_without_leaps() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..3000 {
        let text = random_loop(&mut random);
        let (with, without) = (run(&text, true, 100_000), run(&text, false, 100_000));
        assert_eq!(with.outcome, without.outcome, "{text}");
        let kinds = |run: &Run| run.noted.iter().map(|noted| noted.kind).collect::<Vec<_>>();
        assert_eq!(kinds(&with), kinds(&without), "{text}");
    }
}
