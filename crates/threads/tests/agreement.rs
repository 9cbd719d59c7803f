//! The reduction against explicit-state enumeration, on random concurrent programs: the same
//! verdict for every number of contexts up to 4.
//!
//! The sequential programs are enumerated by the same interpreter, so that the reduction alone is
//! compared; a few are also given to the engine. Daily a hundred programs are taken;
//! `GNOMON_RANDOM=1000` takes a thousand, and `GNOMON_RANDOM_FROM=500` begins with another seed.

mod explicit;

use std::fmt::Write;
use std::time::Duration;

use explicit::Explicit;
use gnomon_budget::Budget;
use gnomon_engine::property::Property;
use gnomon_engine::verdict::Verdict;
use gnomon_ir::cfa::{CfaBuilder, Edge, Op};
use gnomon_ir::interp::RunOptions;
use gnomon_ir::program::Program;
use gnomon_ir::span::Span;
use gnomon_ir::validate::validate;
use gnomon_testkit::Reader;
use gnomon_testkit::limits::number;
use gnomon_threads::intrinsics::reports;
use gnomon_threads::schedules::{Schedules, explore};
use gnomon_threads::views::{Shown, look};
use gnomon_threads::{Reported, Rounds, Sequential, primitives, sequentialize};
use gnomon_verify::decide::{Options, check};

const DECLARATIONS: &str = "\
typedef unsigned long pthread_t;
typedef struct { int lock; unsigned count; int owner; unsigned users; int kind; } pthread_mutex_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern pthread_t pthread_self(void);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);
int g0, g1, g2;
int a[2];
int *p = &g1;
int owner;
pthread_mutex_t m;
void __VERIFIER_atomic_add(int n) { g0 = g0 + n; }
void set(int n) { g2 = n; g1 = g2; }
";

struct Generator {
    state: u64,
    text: String,
    locals: usize,
}

impl Generator {
    fn below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    fn shared(&mut self) -> &'static str {
        ["g0", "g1", "g2", "*p", "a[0]", "a[g0 & 1]"][self.below(6) as usize]
    }

    fn value(&mut self) -> String {
        match self.below(4) {
            0 => format!("{}", self.below(3)),
            1 => format!("{} + {}", self.shared(), self.below(3)),
            2 => format!("{} + {}", self.shared(), self.shared()),
            _ => self.shared().to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        let op = ["==", "!=", "<", ">="][self.below(4) as usize];
        format!("{} {op} {}", self.shared(), self.value())
    }

    fn statement(&mut self, depth: u32) {
        let indent = "  ".repeat(depth as usize + 1);
        match self.below(if depth < 2 { 14 } else { 6 }) {
            0..=3 => {
                let (to, value) = (self.shared(), self.value());
                let _ = writeln!(self.text, "{indent}{to} = {value};");
            }
            4 => {
                let _ = writeln!(self.text, "{indent}__VERIFIER_atomic_add(1);");
            }
            5 => {
                let value = self.value();
                let _ = writeln!(self.text, "{indent}set({value});");
            }
            6 | 7 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "{indent}if ({condition}) {{");
                self.statement(depth + 1);
                let _ = writeln!(self.text, "{indent}}}");
            }
            8 => {
                let _ = writeln!(self.text, "{indent}pthread_mutex_lock(&m);");
                self.statement(depth + 1);
                let _ = writeln!(self.text, "{indent}pthread_mutex_unlock(&m);");
            }
            9 => {
                let _ = writeln!(self.text, "{indent}if (!pthread_mutex_trylock(&m)) {{");
                self.statement(depth + 1);
                let _ = writeln!(self.text, "{indent}  pthread_mutex_unlock(&m);\n{indent}}}");
            }
            10 => {
                let _ = writeln!(self.text, "{indent}__VERIFIER_atomic_begin();");
                self.statement(2);
                let _ = writeln!(self.text, "{indent}__VERIFIER_atomic_end();");
            }
            12 => {
                // Numbers of threads: kept and compared only, or computed with.
                let _ = match self.below(3) {
                    0 => writeln!(self.text, "{indent}owner = (int)pthread_self();"),
                    1 => {
                        let to = self.shared();
                        writeln!(
                            self.text,
                            "{indent}if (owner == (int)pthread_self()) {to} = {to} + 1;"
                        )
                    }
                    _ => {
                        let to = self.shared();
                        writeln!(self.text, "{indent}{to} = (int)pthread_self() & 1;")
                    }
                };
            }
            11 => {
                self.locals += 1;
                let (name, from, to) = (self.locals, self.shared(), self.shared());
                let _ = writeln!(self.text, "{indent}int l{name} = {from};");
                if self.below(2) == 0 {
                    let _ =
                        writeln!(self.text, "{indent}if (__VERIFIER_nondet_bool()) l{name} = 2;");
                }
                let _ = writeln!(self.text, "{indent}{to} = l{name} + 1;");
            }
            _ => {
                self.locals += 1;
                let name = self.locals;
                let _ =
                    writeln!(self.text, "{indent}for (int i{name} = 0; i{name} < 2; i{name}++) {{");
                self.statement(2);
                let _ = writeln!(self.text, "{indent}}}");
            }
        }
    }

    fn body(&mut self, most: u64) {
        for _ in 0..1 + self.below(most) {
            self.statement(0);
        }
        if self.below(3) == 0 {
            let condition = self.condition();
            let _ = writeln!(self.text, "  if ({condition}) reach_error();");
        }
    }
}

fn text(seed: u64) -> String {
    let mut g = Generator { state: seed, text: DECLARATIONS.to_owned(), locals: 0 };
    let workers = 1 + g.below(2);
    // Threads that run the same function are symmetric.
    let threads = match (workers, g.below(8)) {
        (1, 0..=3) => 2,
        (1, 4) => 3,
        _ => workers,
    };
    for worker in 0..workers {
        let _ = writeln!(g.text, "void *w{worker}(void *argument) {{");
        g.body(match threads {
            1 => 3,
            2 => 2,
            _ => 1,
        });
        g.text.push_str("  return 0;\n}\n");
    }
    g.text.push_str("int main(void) {\n  pthread_t t0, t1, t2;\n");
    for thread in 0..threads {
        let start = if workers == 1 || g.below(4) == 0 { 0 } else { thread };
        let _ = writeln!(g.text, "  pthread_create(&t{thread}, 0, w{start}, 0);");
    }
    if g.below(2) == 0 {
        g.statement(1);
    }
    for thread in 0..threads {
        if g.below(3) != 0 {
            let _ = writeln!(g.text, "  pthread_join(t{thread}, 0);");
        }
    }
    let condition = g.condition();
    let _ = writeln!(g.text, "  if ({condition}) reach_error();\n  return 0;\n}}");
    g.text
}

/// Whether two threads of a program run the same function.
fn has_symmetric_threads(text: &str) -> bool {
    text.matches(", 0, w0, 0)").count() > 1
}

fn program(text: &str) -> Program {
    Reader::default().with_own_models(primitives::MODELS).text(text)
}

fn reduced(program: &Program, rounds: usize, text: &str) -> Sequential {
    reduced_with(program, rounds, Reported::default(), text)
}

fn reduced_with(program: &Program, rounds: usize, reported: Reported, text: &str) -> Sequential {
    let options =
        gnomon_threads::Options { rounds: Rounds::Bounded(rounds), reported, ..Default::default() };
    let sequential =
        sequentialize(program, &options, &Budget::unlimited()).expect("can be reduced");
    let defects = validate(&sequential.program);
    assert!(defects.is_empty(), "{:?}\n{text}", &defects[..defects.len().min(5)]);
    sequential
}

/// Whether the engine finds an error; `None` if it does not know.
fn decided(sequential: &Sequential) -> Option<bool> {
    let property = Property { functions: vec!["reach_error".to_owned()], ..Property::default() };
    let options = Options { entry: sequential.entry.clone(), property, ..Options::default() };
    let budget = Budget::unlimited().with_time(Duration::from_secs(10));
    match check(&sequential.program, &options, &budget).expect("a check").verdict {
        Verdict::True(_) => Some(false),
        Verdict::False(_) => Some(true),
        Verdict::Unknown(_) => None,
    }
}

/// How many states are looked at: `GNOMON_STATES`.
fn limit() -> usize {
    number("GNOMON_STATES", 300_000) as usize
}

#[test]
fn random_programs_have_the_same_verdicts() {
    let (from, count) = (number("GNOMON_RANDOM_FROM", 0), number("GNOMON_RANDOM", 100));
    let (mut agreed, mut errors, mut skipped) = (0, 0, 0);
    for seed in from..from + count {
        let text = text(seed);
        let program = program(&text);
        let concurrent = Explicit::new(&program, "main", limit());
        for rounds in 1..=4 {
            let sequential = reduced(&program, rounds, &text);
            let alone = Explicit::new(&sequential.program, &sequential.entry, limit());
            let known = |found: Result<Option<bool>, explicit::NotKnown>| match found {
                Ok(found) => found,
                Err(what) => panic!("seed {seed}: {what:?}\n{text}"),
            };
            let found =
                known(concurrent.finds_error(Some(rounds))).zip(known(alone.finds_error(Some(1))));
            match found {
                Some((expected, found)) => {
                    assert_eq!(found, expected, "seed {seed}, {rounds} rounds\n{text}");
                    agreed += 1;
                    errors += usize::from(found);
                }
                None => skipped += 1,
            }
        }
    }
    println!("{agreed} verdicts agree, {errors} of them errors; {skipped} have too many states");
    assert!(agreed > 10 * skipped && errors > agreed / 10);
}

/// The sequential program with the reports of data races as its only errors.
fn only_races(sequential: &Sequential) -> Program {
    let mut program = sequential.program.clone();
    for func in program.funcs.ids() {
        let name = &program.funcs[func].name;
        if name.starts_with(reports::RACE) {
            program.funcs[func].name = "reach_error".to_owned();
        } else if name == "reach_error" {
            program.funcs[func].name = "nothing".to_owned();
            let mut body = CfaBuilder::new();
            let (from, to, op) = (body.entry(), body.exit(), Op::Return(None));
            body.add_edge(Edge { from, to, op, span: Span::NONE, stmt: Program::NO_STMT });
            program.funcs[func].body = Some(body.finish());
        }
    }
    program
}

#[test]
fn random_programs_have_the_same_races() {
    let (from, count) = (number("GNOMON_RANDOM_FROM", 0), number("GNOMON_RANDOM", 100) / 2);
    let (mut agreed, mut races, mut skipped) = (0, 0, 0);
    for seed in from..from + count {
        let text = text(seed);
        let program = program(&text);
        let concurrent = Explicit::new(&program, "main", limit());
        for rounds in 1..=4 {
            let reported = Reported { race: true, ..Reported::default() };
            let sequential = reduced_with(&program, rounds, reported, &text);
            let alone = only_races(&sequential);
            let alone = Explicit::new(&alone, &sequential.entry, limit());
            let found = concurrent.finds_race(Some(rounds)).expect("known");
            match found.zip(alone.finds_error(Some(1)).expect("known")) {
                Some((expected, found)) => {
                    assert_eq!(found, expected, "seed {seed}, {rounds} rounds\n{text}");
                    agreed += 1;
                    races += usize::from(found);
                }
                None => skipped += 1,
            }
        }
    }
    println!("{agreed} verdicts about races agree, {races} of them races; {skipped} skipped");
    assert!(agreed > 10 * skipped && races > agreed / 10 && races < agreed);
}

#[test]
fn executed_schedules_agree_too() {
    let (from, count) = (number("GNOMON_RANDOM_FROM", 0), number("GNOMON_RANDOM", 100));
    let (mut agreed, mut errors, mut symmetric) = (0, 0, 0);
    let running =
        RunOptions { error_functions: vec!["reach_error".to_owned()], ..RunOptions::default() };
    for seed in from..from + count {
        let text = text(seed);
        let program = program(&text);
        let Ok(Some(expected)) = Explicit::new(&program, "main", limit()).finds_error(None) else {
            continue;
        };
        let options = gnomon_threads::Options { rounds: Rounds::Unbounded, ..Default::default() };
        let unlimited = Budget::unlimited();
        let sequential = sequentialize(&program, &options, &unlimited).expect("can be reduced");
        let found = match explore(&sequential, &running, &unlimited) {
            Schedules::Error(_) => true,
            Schedules::All { .. } => false,
            Schedules::Open { why, .. } => panic!("seed {seed}: {why}\n{text}"),
        };
        assert_eq!(found, expected, "seed {seed}\n{text}");
        agreed += 1;
        errors += u64::from(found);
        symmetric += u64::from(has_symmetric_threads(&text));
    }
    println!(
        "{agreed} verdicts of all schedules agree, {errors} of them errors; {symmetric} with symmetric threads"
    );
    assert!(agreed > count / 2 && errors > agreed / 10 && symmetric > agreed / 10);
}

/// What views prove of a program, whatever numbers of threads there are.
fn is_proved_by_views(program: &Program) -> bool {
    let (rounds, threads_per_call, kinds) = (Rounds::Unbounded, 1, true);
    let options = gnomon_threads::Options { rounds, threads_per_call, kinds, ..Default::default() };
    let budget = Budget::unlimited().with_work(20_000_000);
    let kinds = sequentialize(program, &options, &budget).expect("can be taken apart");
    matches!(look(&kinds, &["reach_error".to_owned()], &budget), Shown::Proved { .. })
}

#[test]
fn what_views_prove_is_so() {
    let (from, count) = (number("GNOMON_RANDOM_FROM", 0), number("GNOMON_RANDOM", 100));
    let (mut proved, mut errors) = (0, 0);
    for seed in from..from + count {
        let text = text(seed);
        let program = program(&text);
        let Ok(Some(error)) = Explicit::new(&program, "main", limit()).finds_error(None) else {
            continue;
        };
        let found = is_proved_by_views(&program);
        assert!(!(found && error), "seed {seed}\n{text}");
        proved += u64::from(found);
        errors += u64::from(error);
    }
    println!("{proved} programs proved by views, {errors} with errors");
    assert!(proved > count / 20 && errors > count / 5);
}

#[test]
fn what_views_prove_of_threads_without_end_holds_for_three() {
    let (from, count) = (number("GNOMON_RANDOM_FROM", 0), number("GNOMON_RANDOM", 100) / 8);
    let running =
        RunOptions { error_functions: vec!["reach_error".to_owned()], ..RunOptions::default() };
    let (mut proved, mut errors) = (0, 0);
    for seed in from..from + count {
        let create = "  pthread_create(&t0, 0, w0, 0);";
        let again = format!("  while (__VERIFIER_nondet_bool())\n  {create}");
        let text = text(seed).replacen(create, &again, 1);
        let program = program(&text);
        let options = gnomon_threads::Options {
            rounds: Rounds::Unbounded,
            threads_per_call: 3,
            ..Default::default()
        };
        let budget = Budget::unlimited().with_work(20_000_000);
        let sequential = sequentialize(&program, &options, &budget).expect("can be reduced");
        let error = matches!(explore(&sequential, &running, &budget), Schedules::Error(_));
        let found = is_proved_by_views(&program);
        assert!(!(found && error), "seed {seed}\n{text}");
        proved += u64::from(found);
        errors += u64::from(error);
    }
    println!("{proved} programs proved by views, {errors} with errors");
    assert!(errors > count / 5);
}

#[test]
fn the_engine_agrees_too() {
    let count = number("GNOMON_RANDOM_ENGINE", 3);
    let (mut agreed, mut unknown) = (0, 0);
    for seed in 0..count {
        let text = text(seed);
        let program = program(&text);
        let concurrent = Explicit::new(&program, "main", limit());
        for rounds in 1..=2 {
            let Ok(Some(expected)) = concurrent.finds_error(Some(rounds)) else { continue };
            match decided(&reduced(&program, rounds, &text)) {
                Some(found) => {
                    assert_eq!(found, expected, "seed {seed}, {rounds} rounds\n{text}");
                    agreed += 1;
                }
                None => unknown += 1,
            }
        }
    }
    println!("{agreed} verdicts of the engine agree, {unknown} unknown");
    assert!(agreed > 0);
}
