//! Error projections on C: the examples of the papers.

use std::collections::BTreeSet;
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::explore::Cut;
use gnomon_engine::facts::Facts;
use gnomon_engine::property::{ErrorSites, Property};
use gnomon_engine::pushdown::projection::{Feasibility, Projection};
use gnomon_engine::pushdown::{GraphSource, Pushdown, PushdownOptions};
use gnomon_engine::verdict::Verdict;
use gnomon_logic::encode::Theory;
use gnomon_logic::solver::for_integers;
use gnomon_testkit::program;
use gnomon_verify::decide::{Engine, Options, ProjectionReport, project};

fn report(text: &str) -> ProjectionReport {
    let options = Options { engine: Engine::Pushdown, runs: false, ..Options::default() };
    let budget = || Budget::unlimited().with_cpu_time(Duration::from_secs(60));
    let program = program(text);
    let main = program.find_function("main").expect("main");
    let facts = Facts::new(&program, main, options.memory, &budget()).expect("facts");
    project(&facts, &options, &budget(), &budget()).expect("a good request").expect("a projection")
}

/// The labels `[x]` of the lines of a projection.
fn labels(text: &str, projection: &Projection) -> BTreeSet<String> {
    let lines: Vec<&str> = text.lines().collect();
    let program = program(text);
    let in_projection = projection.lines(&program);
    in_projection
        .keys()
        .filter_map(|(_, line)| {
            let line = lines.get(*line as usize - 1)?;
            let (_, rest) = line.split_once("/*[")?;
            Some(rest.split_once("]*/")?.0.to_owned())
        })
        .collect()
}

fn set(labels: &str) -> BTreeSet<String> {
    labels.split_whitespace().map(str::to_owned).collect()
}

/// AEP Table 1: `bar` gets one positive and two negative elements.
const TABLE_1: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int complex(int i) {
    return i + 1; /*[complex]*/
}
int foo(int i) {
    if (!(i > 0)) reach_error(); /*[assert]*/
    i = complex(i); /*[call]*/
    return i; /*[return]*/
}
int bar(int a0, int a1, int a2) {
    int r = 0; /*[r]*/
    switch (__VERIFIER_nondet_int()) { /*[switch]*/
    case 3: r += foo(a2); /*[3]*/
    case 2: r += foo(a1); /*[2]*/
    case 1: r += foo(a0); /*[1]*/
    }
    return r; /*[end]*/
}
int main(void) {
    return bar(1, -1, -2); /*[main]*/
}
";

#[test]
fn table_1_of_abstract_error_projection() {
    let report = report(TABLE_1);
    assert!(matches!(report.verdict, Verdict::False(_)), "{:?}", report.verdict);
    // The first negative element ends the run: what follows it, and the positive one, is correct.
    assert_eq!(labels(TABLE_1, &report.projection), set("assert r switch 3 2 main"));
    assert!(report.projection.steps.iter().all(|s| s.feasibility == Feasibility::Feasible));
}

/// LAL Figure 5.1: `x` is 9 at `n` on every path to the error.
const FIGURE_5_1: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
unsigned x;
void foo(void) {
    __VERIFIER_nondet_int(); /*[n]*/
}
int main(void) {
    int path = __VERIFIER_nondet_int();
    if (path < 0) {
        x = 5; /*[5]*/
        foo(); /*[c1]*/
        x = x + 2; /*[7]*/
    } else if (path == 0) {
        x = 8; /*[8]*/
        foo(); /*[c2]*/
        x = x + 3; /*[11]*/
    } else {
        x = 9; /*[9]*/
        foo(); /*[c3]*/
        x = x + 1; /*[10]*/
    }
    if (x == 10)
        reach_error(); /*[error]*/
}
";

#[test]
fn figure_5_1_of_lal() {
    let report = report(FIGURE_5_1);
    assert!(matches!(report.verdict, Verdict::False(_)), "{:?}", report.verdict);
    assert_eq!(labels(FIGURE_5_1, &report.projection), set("n 9 c3 10 error"));
}

#[test]
fn figure_5_1_of_lal_annotated() {
    // With the predicates that tell the values apart, x is nine at n: neither five nor eight, although
    // both reach n, and eight also leads from n to the error.
    let projection =
        under(FIGURE_5_1, &[("x", 5), ("x", 7), ("x", 8), ("x", 9), ("x", 10), ("x", 11)]);
    let program = program(FIGURE_5_1);
    let foo = program.find_function("foo").expect("foo");
    let at_n: Vec<_> = projection.steps.iter().filter(|s| s.func == foo).collect();
    assert!(!at_n.is_empty());
    for step in at_n {
        assert_eq!(step.conditions.len(), 1, "{step:?}");
        assert!(step.conditions[0].contains(&"x == 9".to_owned()), "{step:?}");
    }
}

/// LAL Figure 5.2, with the numbers of its lines.
const FIGURE_5_2: &str = "extern void reach_error(void);
int numUnits; int level; int entered;
void NewUnit(void) { level = level; /*[new]*/ }
void gotUnit(void) { level = level; /*[got]*/ }
void getUnit(void) {
    int canEnter = 0; /*[1]*/
    if (numUnits == 0) { /*[2]*/
        if (level > 10) { /*[3]*/
            NewUnit(); /*[4]*/
            numUnits = 1; /*[5]*/
            canEnter = 1; /*[6]*/
        }
    } else
        canEnter = 1; /*[7]*/
    if (canEnter) /*[8]*/
        if (numUnits == 0) /*[9]*/
            reach_error(); /*[10]*/
        else
            gotUnit(); /*[11]*/
}
";

/// The projection of a program under predicates `variable == value`, without any refinement.
fn under(text: &str, values: &[(&str, i64)]) -> Projection {
    let program = program(text);
    let sites = ErrorSites::of(&program, &Property::default()).expect("sites");
    let entry = program.find_function("main").or_else(|| program.find_function("getUnit"));
    let entry = entry.expect("an entry");
    let budget = Budget::unlimited().with_cpu_time(Duration::from_secs(60));
    let facts = Facts::new(&program, entry, Default::default(), &budget).expect("facts");
    let encoder = facts.encoder(Theory::Int, &budget).expect("an encoder");
    let source =
        GraphSource { program: &program, sites: &sites, calls: &facts, entry, cut: Cut::Loops };
    let solver = Box::new(for_integers());
    let options = PushdownOptions::default();
    let mut engine =
        Pushdown::new(&source, encoder, solver, &options, budget.clone()).expect("an engine");
    for &(name, value) in values {
        let named = |info: &gnomon_ir::program::Var| info.name.split("::").last() == Some(name);
        let (var, _) = program.vars.iter_ids().find(|(_, info)| named(info)).expect("a variable");
        assert!(engine.track_value(var, value).expect("a predicate"), "{name}");
    }
    engine.project(Box::new(for_integers()), &budget, 0).expect("a projection")
}

#[test]
fn figure_5_2_of_lal() {
    // B1, without predicates: only line 11 is outside.
    let b1 = labels(FIGURE_5_2, &under(FIGURE_5_2, &[]));
    assert_eq!(b1, set("1 2 3 4 5 6 7 8 9 10 new"));
    // B2: of lines 3 to 7, only the empty branch of line 3 is left.
    let b2 = labels(FIGURE_5_2, &under(FIGURE_5_2, &[("numUnits", 0)]));
    assert_eq!(b2, set("1 2 3 8 9 10"));
    // B3: nothing is left.
    let b3 = labels(FIGURE_5_2, &under(FIGURE_5_2, &[("numUnits", 0), ("canEnter", 0)]));
    assert_eq!(b3, set(""));
}

#[test]
fn what_is_not_decided_has_a_projection() {
    // No time to refine: the suspect part is what lies on an abstract error path.
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int(); /*[n]*/
    if (n == 1) return 0; /*[out]*/
    if (n == 7) reach_error(); /*[error]*/
    n = 0; /*[behind]*/
    return 0; /*[end]*/
}
";
    let projection = under(text, &[]);
    assert_eq!(labels(text, &projection), set("n out error"));
    assert!(projection.control_flow_steps <= projection.all_steps);
}
