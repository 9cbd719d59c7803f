//! Who works when, seen with engines that do nothing but count.

use gnomon_budget::{Budget, Exhausted};
use gnomon_engine::check::{Options, Task};
use gnomon_engine::facts::Facts;
use gnomon_engine::property::ErrorSites;
use gnomon_engine::verdict::{Proof, Reason, Statistics, Verdict};
use gnomon_logic::encode::Theory;
use gnomon_testkit::verifier_program;
use gnomon_verify::engine::{Engine, Progress, Slice};
use gnomon_verify::exchange::Exchange;
use gnomon_verify::scheduler::{Begins, Decision, Role, SECOND};
use gnomon_verify::sequential::{Subject, decide_with};
use gnomon_verify::table::{Entry, Kind};

/// What is done between two looks at the slice.
const BIT: u64 = SECOND / 100;

/// Works for so long, and ends so.
struct Counting<'a> {
    task: &'a Task<'a>,
    left: u64,
    end: fn() -> Progress,
}

impl Engine for Counting<'_> {
    fn step(&mut self, slice: Slice, _: &Exchange) -> Progress {
        while !slice.is_over(self.task.budget) {
            if let Err(limit) = self.task.budget.check_now() {
                return Progress::limit(limit);
            }
            if self.left == 0 {
                return (self.end)();
            }
            self.left -= BIT.min(self.left);
            self.task.budget.charge(BIT);
        }
        Progress::More
    }

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}

type Made<'a> = Result<Box<dyn Engine + 'a>, Reason>;

fn counting<'a>(task: &'a Task<'a>, seconds: u64, end: fn() -> Progress) -> Made<'a> {
    Ok(Box::new(Counting { task, left: seconds * SECOND, end }))
}

fn gives_up() -> Progress {
    Progress::GivenUp(Reason::not_enough("it gave up"))
}

fn proves() -> Progress {
    Progress::Proved(Proof::AllPaths { paths: 7 })
}

fn endless<'a>(task: &'a Task<'a>, _: Theory) -> Made<'a> {
    counting(task, 1 << 40, gives_up)
}

fn proves_in_five_seconds<'a>(task: &'a Task<'a>, _: Theory) -> Made<'a> {
    counting(task, 5, proves)
}

fn proves_in_a_second<'a>(task: &'a Task<'a>, _: Theory) -> Made<'a> {
    counting(task, 1, proves)
}

fn gives_up_at_once<'a>(task: &'a Task<'a>, _: Theory) -> Made<'a> {
    counting(task, 0, gives_up)
}

/// Has a limit of its own, which is smaller than that of all.
fn limits_itself<'a>(task: &'a Task<'a>, _: Theory) -> Made<'a> {
    counting(task, 1, || Progress::limit(Exhausted::Work))
}

/// Uses its processor and counts nothing.
struct Silent<'a>(&'a Task<'a>);

impl Engine for Silent<'_> {
    fn step(&mut self, slice: Slice, _: &Exchange) -> Progress {
        while !slice.is_over(self.0.budget) {
            if self.0.budget.check_now().is_err() {
                return gives_up();
            }
        }
        Progress::More
    }

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}

fn silent<'a>(task: &'a Task<'a>, _: Theory) -> Made<'a> {
    Ok(Box::new(Silent(task)))
}

/// Never returns from a step by itself: a query that takes long.
struct Absorbed<'a>(&'a Task<'a>);

impl Engine for Absorbed<'_> {
    fn step(&mut self, _: Slice, _: &Exchange) -> Progress {
        loop {
            self.0.budget.charge(BIT);
            if let Err(limit) = self.0.budget.check_now() {
                return Progress::limit(limit);
            }
        }
    }

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}

fn absorbed<'a>(task: &'a Task<'a>, _: Theory) -> Made<'a> {
    Ok(Box::new(Absorbed(task)))
}

fn panics<'a>(_: &'a Task<'a>, _: Theory) -> Made<'a> {
    panic!("a bug")
}

const fn entry(
    name: &'static str,
    make: gnomon_verify::table::Make,
    begins: fn(&Kind) -> Option<Begins>,
) -> Entry {
    Entry { name, role: Role::Decides, theory: Theory::Int, make, begins, first: SECOND, share: 1 }
}

static BETWEEN_ENDLESS_ONES: &[Entry] = &[
    entry("first", endless, |_| Some(Begins::Together)),
    entry("second", proves_in_five_seconds, |_| Some(Begins::Together)),
    entry("third", endless, |_| Some(Begins::Together)),
];

/// The decision of these engines, and the work of all of them.
fn decided(table: &'static [Entry], jobs: usize, limit: u64) -> (Decision, u64) {
    decided_without(table, jobs, limit, Vec::new())
}

/// The same, where some do not take part.
fn decided_without(
    table: &'static [Entry],
    jobs: usize,
    limit: u64,
    without: Vec<String>,
) -> (Decision, u64) {
    let program = verifier_program("int main(void) { reach_error(); }");
    let entry = program.find_function("main").expect("main");
    let options = Options { jobs, without, ..Options::default() };
    let sites = ErrorSites::of(&program, &options.property).expect("sites");
    let budget = Budget::unlimited().with_work(limit);
    let facts = Facts::new(&program, entry, options.memory, &budget).expect("facts");
    let subject = Subject {
        program: &program,
        entry,
        sites: &sites,
        facts: &facts,
        options: &options,
        budget: &budget,
        examine: None,
        earlier: None,
    };
    let kind = Kind::of(&subject);
    let before = budget.work();
    let decision = decide_with(&subject, kind, table);
    (decision, budget.work() - before)
}

#[test]
fn what_one_of_three_finds_in_five_seconds_is_found_in_fifteen_and_little_more() {
    let (decision, work) = decided(BETWEEN_ENDLESS_ONES, 1, 1000 * SECOND);
    assert!(matches!(decision.verdict, Verdict::True(Proof::AllPaths { paths: 7 })));
    assert_eq!(decision.statistics.engine, Some("second"));
    assert!(work <= 18 * SECOND, "{work}");
}

#[test]
fn a_smaller_limit_is_the_beginning_of_a_larger_one() {
    for limit in [18, 60, 600] {
        let (decision, work) = decided(BETWEEN_ENDLESS_ONES, 1, limit * SECOND);
        assert!(matches!(decision.verdict, Verdict::True(_)), "{limit}");
        let (_, again) = decided(BETWEEN_ENDLESS_ONES, 1, 1000 * SECOND);
        assert_eq!(work, again, "{limit}");
    }
    let (decision, _) = decided(BETWEEN_ENDLESS_ONES, 1, 10 * SECOND);
    let Verdict::Unknown(reason) = decision.verdict else { panic!("ten seconds are not enough") };
    assert_eq!(reason, Reason::Limit(Exhausted::Work));
}

/// Its slices are small, so that the test is short.
static BESIDE_A_SILENT_ONE: &[Entry] = &[
    Entry { first: SECOND / 100, ..entry("silent", silent, |_| Some(Begins::Together)) },
    Entry {
        first: SECOND / 100,
        ..entry("second", proves_in_a_second, |_| Some(Begins::Together))
    },
];

#[test]
fn an_engine_that_counts_nothing_does_not_keep_others_from_their_turn() {
    let (decision, work) = decided(BESIDE_A_SILENT_ONE, 1, 1000 * SECOND);
    assert_eq!(decision.statistics.engine, Some("second"));
    assert!(work <= 2 * SECOND, "{work}");
    let silent = decision.statistics.seconds["engine, silent"];
    // Twice the time that the other one's work stands for, and the slice that it has begun.
    assert!(silent <= 2.0 * 1.0 + 1.0, "{silent}");
}

static BESIDE_ABSORBED_ONES: &[Entry] = &[
    entry("first", absorbed, |_| Some(Begins::Together)),
    entry("prover", proves_in_five_seconds, |_| Some(Begins::Together)),
    entry("last", absorbed, |_| Some(Begins::Together)),
];

#[test]
fn an_engine_is_interrupted_inside_a_step() {
    // With two jobs, others go on while the system lets the prover wait.
    for (jobs, most) in [(1, 18), (2, 40)] {
        let (decision, work) = decided(BESIDE_ABSORBED_ONES, jobs, 60 * SECOND);
        assert!(matches!(decision.verdict, Verdict::True(_)), "{:?}", decision.verdict);
        assert!(work < most * SECOND, "{} seconds", work / SECOND);
    }
}

#[test]
fn several_jobs_give_the_same_verdict() {
    for jobs in [2, 3, 8] {
        let (decision, _) = decided(BETWEEN_ENDLESS_ONES, jobs, 1000 * SECOND);
        assert_eq!(decision.statistics.engine, Some("second"), "{jobs}");
    }
}

#[test]
fn one_begins_when_another_gave_up_and_is_not_ahead_of_the_others() {
    static TABLE: &[Entry] = &[
        entry("first", gives_up_at_once, |_| Some(Begins::Together)),
        entry("second", endless, |_| Some(Begins::Together)),
        entry("third", proves_in_five_seconds, |_| Some(Begins::After(&["first"]))),
        entry("fourth", proves_in_five_seconds, |_| Some(Begins::After(&["second"]))),
    ];
    let (decision, work) = decided(TABLE, 1, 1000 * SECOND);
    assert_eq!(decision.statistics.engine, Some("third"));
    assert!(work <= 12 * SECOND, "{work}");
}

#[test]
fn the_reason_is_that_of_a_proof_engine() {
    static TABLE: &[Entry] = &[entry("only", gives_up_at_once, |_| Some(Begins::Together))];
    let (decision, _) = decided(TABLE, 2, 1000 * SECOND);
    let Verdict::Unknown(reason) = decision.verdict else { panic!("nothing is proved") };
    assert_eq!(reason, Reason::not_enough("it gave up"));
    assert_eq!(decision.partial, ["only gave up: it gave up"]);
}

#[test]
fn a_limit_of_one_engine_ends_nobody_else() {
    static TABLE: &[Entry] = &[
        entry("first", limits_itself, |_| Some(Begins::Together)),
        entry("second", proves_in_five_seconds, |_| Some(Begins::Together)),
    ];
    let (decision, _) = decided(TABLE, 1, 1000 * SECOND);
    assert_eq!(decision.statistics.engine, Some("second"));
}

#[test]
fn at_the_limit_of_all_the_reason_is_the_limit_and_not_what_helpers_say() {
    static TABLE: &[Entry] = &[
        Entry {
            role: Role::Helps,
            ..entry("helper", gives_up_at_once, |_| Some(Begins::Together))
        },
        entry("prover", gives_up_at_once, |_| Some(Begins::Together)),
        entry("other", endless, |_| Some(Begins::Together)),
    ];
    let (decision, _) = decided(TABLE, 1, 10 * SECOND);
    let Verdict::Unknown(reason) = decision.verdict else { panic!("nothing is proved") };
    assert_eq!(reason, Reason::Limit(Exhausted::Work));
}

#[test]
fn engines_that_are_left_out_do_not_take_part() {
    let without = vec!["first".to_owned(), "third".to_owned()];
    let (decision, work) = decided_without(BETWEEN_ENDLESS_ONES, 1, 1000 * SECOND, without);
    assert_eq!(decision.statistics.engine, Some("second"));
    assert!(work <= 6 * SECOND, "{work}");
}

#[test]
#[should_panic(expected = "a bug")]
fn a_panic_of_an_engine_is_one_of_the_check() {
    static TABLE: &[Entry] = &[
        entry("first", endless, |_| Some(Begins::Together)),
        entry("second", panics, |_| Some(Begins::Together)),
    ];
    decided(TABLE, 2, 1000 * SECOND);
}
