//! A spec cannot change the program: woven with automata that have no error, a program prints the
//! same, ends in the same way and has the same verdict.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::LazyLock;
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::verdict::Verdict;
use gnomon_ir::cfa::EdgeId;
use gnomon_ir::interp::{
    Asked, Captured, EdgeEvent, InputSource, Observer, Outcome, Run, RunOptions, SeedSource, State,
    UbKind, interpret_observed,
};
use gnomon_ir::program::{FuncId, Program};
use gnomon_ir::trace::ArgumentValue;
use gnomon_ir::types::{TypeId, Types};
use gnomon_ir::validate::validate;
use gnomon_spec::{Woven, parse, weave};
use gnomon_testkit::corpus::Case;
use gnomon_testkit::{corpus, program};
use gnomon_verify::decide::{Options, check};
use proptest::prelude::*;

/// A program that prints what it does, with everything that automata have events for.
const PRINTS: &str = "
    extern int printf(const char *, ...), __VERIFIER_nondet_int(void);
    extern void *malloc(unsigned long), free(void *), exit(int);
    struct node { struct node *next; int value; };
    static int mode, table[4];
    static struct node *push(struct node *list, int value) {
        struct node *n = malloc(sizeof *n);
        if (!n) goto failed;
        n->next = list; n->value = value; mode = value & 3;
        return n;
    failed:
        exit(7);
    }
    static int sum(const struct node *n) { return n ? n->value + sum(n->next) : 0; }
    static int twice(int n) { table[n & 3] += n; return 2 * n; }
    int main(void) {
        int (*f)(int) = twice;
        struct node *list = 0;
        for (int i = 0; i < 5; i++) list = push(list, f(__VERIFIER_nondet_int() % 100));
        printf(\"%d %d %d\\n\", sum(list), mode, table[1]);
        while (list) { struct node *next = list->next; free(list); list = next; }
        switch (__VERIFIER_nondet_int() & 3) { case 0: exit(3); case 1: return 4; }
        return mode;
    }";

/// Programs of the corpus that need no preprocessor.
fn corpus() -> Vec<Case> {
    let areas = ["functions", "pointers", "heap", "structs", "function_pointers", "goto", "switch"];
    let mut cases: Vec<Case> = areas.into_iter().flat_map(corpus::area).collect();
    cases.retain(|case| !case.text.contains('#'));
    cases
}

/// An automaton without errors whose events are everywhere.
fn spec_text(choices: &[u8], tracked: bool) -> String {
    let pointers =
        ["deref($x)", "access($x)", "test($x)", "variable($x, $n)", "$x = malloc(...)", "free($x)"];
    let others = [
        "*(...)",
        "$r = *(...)",
        "enter *(...)",
        "leave $r = *(...)",
        "leave *(...)",
        "assign * = _",
        "assign .* = _",
        "label *",
        "end",
        "deref($x)",
        "access($x)",
        "test($x)",
        "printf(_, ...)",
        "0 = *(...)",
        "exit(_)",
    ];
    let mut text = String::from("spec s \"\" { ghost g = 1; ghost h;");
    text += if tracked { " track $x;" } else { "" };
    text += " states a, b, c;";
    for parts in choices.chunks_exact(5) {
        let pick = |from: &[&str], index: u8| from[usize::from(index) % from.len()].to_owned();
        let of_pointer = tracked && parts[0] % 2 == 0;
        let event = if of_pointer { pick(&pointers, parts[1]) } else { pick(&others, parts[1]) };
        let from = if of_pointer && parts[2] % 3 == 0 {
            "new".to_owned()
        } else {
            pick(&["a", "b", "c", "a, c", "*"], parts[2])
        };
        let to = match from.as_str() {
            "new" => pick(&["a", "b"], parts[3]),
            _ => pick(&["a", "b", "c", "same", "ignore"], parts[3]),
        };
        let guard =
            pick(&["", "when g > h", "when !(g == 2) || h < 3", "when g + h * 2 < 9"], parts[4]);
        let action = pick(&["", "do g = g + 1", "do h = g, g = h"], parts[4] / 4);
        text += &format!("\non {event} {{ {from} -> {to} {guard} {action}; }}");
    }
    text + "\n}"
}

/// Answers the program from one seed and what was woven in from another.
struct Answers {
    program: SeedSource,
    woven: SeedSource,
    inserted: Rc<Cell<bool>>,
}

impl InputSource for Answers {
    fn nondet(&mut self, asked: &Asked<'_>) -> Option<u128> {
        let source = if self.inserted.get() { &mut self.woven } else { &mut self.program };
        source.nondet(asked)
    }

    fn choice(&mut self, open: u32) -> Option<u32> {
        self.program.choice(open)
    }

    fn argument(&mut self, name: &str, types: &Types, ty: TypeId) -> Option<ArgumentValue> {
        self.program.argument(name, types, ty)
    }
}

/// Knows whether the edge that is taken was woven in.
struct Watch<'a> {
    inserted: &'a BTreeSet<(FuncId, EdgeId)>,
    now: Rc<Cell<bool>>,
    taken: RefCell<usize>,
}

impl Observer for Watch<'_> {
    fn edge(&mut self, event: EdgeEvent, _state: &State<'_>) {
        let inserted = self.inserted.contains(&(event.func, event.edge));
        self.now.set(inserted);
        *self.taken.borrow_mut() += usize::from(inserted);
    }
}

/// A run, what it printed, and how many edges of it were woven in.
fn run(
    program: &Program,
    inserted: &BTreeSet<(FuncId, EdgeId)>,
    seed: u64,
) -> (Run, Captured, usize) {
    let now = Rc::new(Cell::new(false));
    let mut answers = Answers {
        program: SeedSource::new(seed),
        woven: SeedSource::new(!seed),
        inserted: Rc::clone(&now),
    };
    let mut watch = Watch { inserted, now, taken: RefCell::new(0) };
    let mut output = Captured::default();
    let budget = Budget::unlimited().with_steps(20_000);
    let options = RunOptions::default();
    let run = interpret_observed(program, &options, &mut answers, &mut output, &budget, &mut watch);
    let taken = watch.taken.into_inner();
    (run, output, taken)
}

/// How a run ended, without places.
fn ending(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exit(status) => format!("exit {status}"),
        Outcome::Error { function, .. } => format!("error {function}"),
        Outcome::Abort { .. } => "abort".into(),
        Outcome::AssumptionFailed { .. } => "assumption".into(),
        Outcome::Undefined(undefined) => format!("undefined {:?}", undefined.kind),
        Outcome::OutOfBudget(_) => "budget".into(),
        Outcome::InputsExhausted { asked, .. } => format!("asked {asked}"),
        Outcome::Unsupported { what, .. } => format!("unsupported {what}"),
    }
}

/// The woven program; `None` if the spec does not fit to its types.
fn woven(program: &Program, text: &str) -> Option<Woven> {
    let spec = parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let woven = weave(program, "main", &[spec]).ok()?;
    assert_eq!(validate(&woven.program), [], "{text}");
    assert!(woven.violations.is_empty());
    Some(woven)
}

/// How many edges were woven in that a run took.
fn runs_alike(program: &Program, text: &str, seed: u64) -> Result<usize, TestCaseError> {
    let Some(woven) = woven(program, text) else { return Ok(0) };
    let (before, printed, none) = run(program, &BTreeSet::new(), seed);
    assert_eq!(none, 0);
    let unwritten = before.noted.iter().any(|u| u.kind == UbKind::UninitializedRead);
    if unwritten || matches!(before.outcome, Outcome::OutOfBudget(_)) {
        return Ok(0);
    }
    let (after, printed_now, taken) = run(&woven.program, &woven.inserted, seed);
    if !matches!(after.outcome, Outcome::OutOfBudget(_)) {
        prop_assert_eq!(ending(&before.outcome), ending(&after.outcome), "{}", text);
        prop_assert_eq!(printed, printed_now, "{}", text);
    }
    Ok(taken)
}

static PROGRAM: LazyLock<Program> = LazyLock::new(|| program(PRINTS));
static CORPUS: LazyLock<Vec<Case>> = LazyLock::new(corpus);

fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 5..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn runs_stay_as_they_are(choices in choices(), tracked: bool, seed: u64, file: prop::sample::Index) {
        let text = spec_text(&choices, tracked);
        runs_alike(&PROGRAM, &text, seed)?;
        let case = &CORPUS[file.index(CORPUS.len())];
        runs_alike(&program(&case.text), &text, seed)?;
    }
}

/// That the automata do something is not left to chance.
#[test]
fn automata_make_steps() {
    let text = spec_text(&[0, 4, 0, 0, 0, 1, 0, 4, 1, 4, 1, 3, 4, 0, 8, 0, 0, 1, 2, 4], true);
    let taken = runs_alike(&PROGRAM, &text, 5).expect("alike");
    assert!(taken > 20, "{taken} edges of {text}");
}

/// Verdicts of programs of the corpus that are decided quickly.
#[test]
fn verdicts_stay_as_they_are() {
    let texts = [
        spec_text(&[0, 0, 0, 0, 0, 1, 0, 4, 1, 4, 1, 3, 4, 0, 8], true),
        spec_text(&[1, 0, 4, 1, 5, 1, 2, 0, 2, 8, 1, 8, 4, 3, 1], false),
    ];
    let decided = |program: &Program| {
        let budget = Budget::unlimited().with_time(Duration::from_secs(60));
        match check(program, &Options::default(), &budget).expect("a good request").verdict {
            Verdict::True(_) => "true",
            Verdict::False(_) => "false",
            Verdict::Unknown(_) => "unknown",
        }
    };
    let (mut compared, mut seen) = (0, BTreeSet::new());
    let simple = |case: &&Case| case.name.starts_with("functions/");
    for case in CORPUS.iter().filter(simple).take(6) {
        let program = program(&case.text);
        let text = &texts[compared % 2];
        let Some(woven) = woven(&program, text) else { continue };
        let before = decided(&program);
        assert_eq!(before, decided(&woven.program), "{}: {text}", case.name);
        seen.insert(before);
        compared += 1;
    }
    assert!(compared > 4 && seen.contains("true") && seen.contains("false"), "{compared}");
}
