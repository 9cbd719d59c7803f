//! The forms of a report: each is made of a real check and looked at as its readers do.

use std::collections::BTreeSet;

use gnomon_budget::Budget;
use gnomon_engine::facts::Facts;
use gnomon_engine::property::ErrorSites;
use gnomon_engine::verdict::Verdict;
use gnomon_ir::program::Program;
use gnomon_ir::property::{CheckKind, Property};
use gnomon_logic::encode::MemoryOptions;
use gnomon_report::collect::Checked;
use gnomon_report::harness::{Evidence, Failing, NotReplayable, harness};
use gnomon_report::model::{Answer, Report, Run, SourceFile, Task, VerdictName};
use gnomon_report::{sarif, sha256, witness};
use gnomon_testkit::Reader;
use gnomon_verify::decide::{Engine, Options, Report as EngineReport, check};
use serde_json::Value;

const BUG: &str = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
static int unrelated(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
static int twice(int n) { return 2 * n; }
int main(void)
{
    int x = __VERIFIER_nondet_int();
    int noise = unrelated(20);
    if (twice(x) == 84)
        reach_error();
    return x == 1000 ? __VERIFIER_nondet_uint() > 3u : noise;
}
";

const SAFE: &str = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    unsigned i = 0, j = 0;
    while (__VERIFIER_nondet_int()) {
        i++;
        j++;
    }
    if (i != j)
        reach_error();
    return 0;
}
";

fn read(text: &str) -> Program {
    Reader::default().named("a.c").text(text)
}

fn checked(text: &str) -> (Program, EngineReport, Report) {
    checked_with(text, &Options::default())
}

fn checked_with(text: &str, options: &Options) -> (Program, EngineReport, Report) {
    let program = read(text);
    let engine = check(&program, options, &Budget::unlimited()).expect("a check");
    let task = Task {
        files: vec![SourceFile { name: "a.c".into(), sha256: sha256(text.as_bytes()) }],
        data_model: "LP64".into(),
        entry: "main".into(),
        property: "CHECK( init(main()), LTL(G ! call(reach_error())) )".into(),
        forbidden: Vec::new(),
    };
    let inserted = BTreeSet::new();
    let main = program.find_function("main").expect("main");
    let budget = Budget::unlimited();
    let facts = Facts::new(&program, main, MemoryOptions::default(), &budget).expect("facts");
    let checked = Checked {
        program: &program,
        facts: Some(&facts),
        entry: "main".into(),
        inserted: &inserted,
        task,
        version: "1.2.3",
    };
    let report = checked.whole(&engine, &budget);
    drop(facts);
    (program, engine, report)
}

fn run_of(report: &Report) -> &Run {
    match &report.findings[0].answer {
        Answer::Violated(run) => run,
        other => panic!("no run: {other:?}"),
    }
}

#[test]
fn json_is_read_back_as_it_was() {
    for text in [BUG, SAFE] {
        let (_, _, report) = checked(text);
        let json = report.to_json().expect("JSON");
        let back: Report = serde_json::from_str(&json).expect("the same schema");
        assert_eq!(back, report);
        assert!(json.starts_with("{\n  \"schema\": \"gnomon-report\",\n  \"version\": 1,"));
    }
}

#[test]
fn a_run_is_sliced_to_what_matters() {
    let (_, _, report) = checked(BUG);
    assert_eq!(report.verdict, VerdictName::False);
    let run = run_of(&report);
    let slice = run.slice.as_ref().expect("a slice");
    assert!(slice.kept < slice.steps / 2, "{slice:?}");
    // The loop of the function that does not matter is not read by anyone; its result is.
    let essential = |function: &str| {
        run.steps.iter().filter(|s| s.essential && s.location.function == function).count()
    };
    assert!(essential("main") > 0 && essential("twice") > 0);
    let input = run.steps.iter().flat_map(|step| &step.stored).find(|stored| stored.is_input);
    assert_eq!(input.map(|i| (i.place.as_str(), i.value.as_str())), Some(("x", "42")));
}

#[test]
fn what_a_function_returns_from_outside_is_an_input() {
    let text = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int get(void) { return __VERIFIER_nondet_int(); }
int main(void)
{
    int x = get();
    int y = x + 1;
    if (y == 43)
        reach_error();
    return 0;
}
";
    let (_, _, report) = checked(text);
    let stored = run_of(&report).steps.iter().flat_map(|step| &step.stored);
    let inputs: Vec<_> = stored.map(|s| (s.place.as_str(), &*s.value, s.is_input)).collect();
    assert_eq!(inputs, [("x", "42", true), ("y", "43", false)]);
}

/// The `required` and `enum` constraints of the SARIF schema that concern what is written.
fn assert_location(location: &Value) {
    let physical = &location["physicalLocation"];
    assert!(physical["artifactLocation"]["uri"].is_string());
    let region = &physical["region"];
    for key in ["startLine", "startColumn", "endLine", "endColumn"] {
        assert!(region[key].as_u64().is_some_and(|n| n >= 1), "{key} in {region}");
    }
    let order = |line: &str, column: &str| (region[line].as_u64(), region[column].as_u64());
    assert!(order("startLine", "startColumn") <= order("endLine", "endColumn"), "{region}");
}

#[test]
fn sarif_has_code_flows_and_keeps_to_the_standard() {
    let (_, _, report) = checked(BUG);
    let log: Value = serde_json::from_str(&sarif::log(&report).expect("a log")).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "gnomon");
    assert_eq!(run["artifacts"][0]["hashes"]["sha-256"].as_str().map(str::len), Some(64));
    let result = &run["results"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let index = result["ruleIndex"].as_u64().expect("an index") as usize;
    assert_eq!(rules[index]["id"], result["ruleId"]);
    assert_eq!((&result["kind"], &result["level"]), (&"fail".into(), &"error".into()));
    assert_location(&result["locations"][0]);
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("a flow");
    // One location for each line, and none where nothing happens that matters.
    let lines: Vec<(u64, &str)> = flow
        .iter()
        .map(|at| {
            let region = &at["location"]["physicalLocation"]["region"];
            let text = at["location"]["message"]["text"].as_str().expect("a text");
            (region["startLine"].as_u64().expect("a line"), text)
        })
        .collect();
    assert!(lines.windows(2).all(|pair| pair[0].0 != pair[1].0), "{lines:?}");
    assert_eq!(lines[0], (8, "x = 42 (input)"));
    assert_eq!(lines.last(), Some(&(11, "calls reach_error")));
    for (order, at) in flow.iter().enumerate() {
        assert_location(&at["location"]);
        assert_eq!(at["executionOrder"].as_u64(), Some(order as u64 + 1));
        assert!(at["nestingLevel"].is_u64());
        let importance = at["importance"].as_str().expect("an importance");
        assert!(["essential", "important", "unimportant"].contains(&importance));
    }
    assert_eq!(flow.last().expect("a last step")["importance"], "essential");

    let (_, _, report) = checked(SAFE);
    let log: Value = serde_json::from_str(&sarif::log(&report).expect("a log")).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&result["kind"], &result["level"]), (&"pass".into(), &"none".into()));
    assert!(result.get("codeFlows").is_none());
    // Viewers want a place for every result.
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a.c");
}

#[test]
fn sarif_has_a_flow_for_each_thread_and_a_rule_for_each_kind() {
    let (_, _, mut report) = checked(BUG);
    let mut other = report.findings[0].clone();
    other.what = "division by zero in `a / b`".into();
    other.property = Some(Property::Undefined(CheckKind::Division));
    let Answer::Violated(run) = &mut report.findings[0].answer else { panic!("no run") };
    run.threads = vec!["thread 0: main".into(), "thread 1: other".into()];
    let half = run.steps.len() / 2;
    for (at, step) in run.steps.iter_mut().enumerate() {
        step.thread = Some(u32::from(at >= half));
    }
    run.steps[half].location.file = "<models>".into();
    run.steps[half].essential = true;
    let Answer::Violated(run) = &mut other.answer else { panic!("no run") };
    run.message = other.what.clone();
    report.findings.extend([other.clone(), other]);
    let log: Value = serde_json::from_str(&sarif::log(&report).expect("a log")).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results[0]["codeFlows"][0]["threadFlows"].as_array().map(Vec::len), Some(1));
    let flows = results[0]["codeFlows"][1]["threadFlows"].as_array().expect("flows");
    assert_eq!(flows.len(), 2);
    assert_eq!(flows[1]["id"], "thread 1: other");
    assert!(flows[1]["locations"][0]["location"].get("physicalLocation").is_none());
    let rules: Vec<&Value> = results.iter().map(|result| &result["ruleId"]).collect();
    assert_eq!(rules, ["error-reached", "division-by-zero", "division-by-zero"]);
    let prints: BTreeSet<String> =
        results.iter().map(|result| result["partialFingerprints"].to_string()).collect();
    assert_eq!(prints.len(), 3);
}

#[test]
fn a_violation_witness_has_the_inputs_and_the_target() {
    let (_, _, report) = checked(BUG);
    let text = witness::of(&report, "2026-01-01T00:00:00Z").expect("a witness");
    let read = witness::read(&text).expect("a witness that can be read");
    let [entry] = &read[..] else { panic!("one entry") };
    assert_eq!(entry.entry_type, "violation_sequence");
    assert_eq!(entry.metadata.task.input_file_hashes["a.c"], sha256(BUG.as_bytes()));
    let mut waypoints = Vec::new();
    for item in &entry.content {
        let witness::Item::Segment { segment } = item else { panic!("a segment") };
        let [only] = &segment[..] else { panic!("one waypoint") };
        let at = &only.waypoint;
        let constraint = at.constraint.as_ref().map(|c| c.value.clone());
        waypoints.push((at.kind.as_str(), at.location.line, at.location.column, constraint));
    }
    let assumed = witness::ConstraintValue::Text("x == (42)".into());
    assert_eq!(
        waypoints,
        [("assumption", 9, Some(5), Some(assumed)), ("target", 11, Some(9), None)]
    );
}

#[test]
fn a_correctness_witness_has_the_invariant_of_the_loop_in_c() {
    let lazy = Options { engine: Engine::Lazy, search: false, ..Options::default() };
    let (_, _, report) = checked_with(SAFE, &lazy);
    let text = witness::of(&report, "2026-01-01T00:00:00Z").expect("a witness");
    let read = witness::read(&text).expect("a witness that can be read");
    assert_eq!(read[0].entry_type, "invariant_set");
    let [witness::Item::Invariant { invariant }] = &read[0].content[..] else {
        panic!("one invariant: {text}")
    };
    assert_eq!(invariant.kind, "loop_invariant");
    assert_eq!((invariant.location.line, invariant.location.column), (6, Some(5)));
    assert!(invariant.value.contains("(long long) i"), "{}", invariant.value);
}

/// Loops whose head asks nothing: `do`, with braces and without, `for (;;)` and `while (1)`.
const HEADS: &str = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    unsigned i = 0, j = 0;
    do {
        i++, j++;
    } while (__VERIFIER_nondet_int());
    do i++, j++; while (__VERIFIER_nondet_int());
    for (;;) {
        if (__VERIFIER_nondet_int())
            break;
        i++, j++;
    }
    while (1) {
    again:
        if (__VERIFIER_nondet_int())
            break;
        i++, j++;
        if (__VERIFIER_nondet_int())
            goto again;
    }
    while (__VERIFIER_nondet_int()) {
    inner:
        i++, j++;
        if (__VERIFIER_nondet_int())
            goto inner;
    }
    if (i != j)
        reach_error();
    return 0;
}
";

#[test]
fn a_correctness_witness_knows_the_heads_of_all_loops() {
    let lazy = Options { engine: Engine::Lazy, search: false, ..Options::default() };
    let (_, _, report) = checked_with(HEADS, &lazy);
    let text = witness::of(&report, "2026-01-01T00:00:00Z").expect("a witness");
    let read = witness::read(&text).expect("a witness that can be read");
    let places: Vec<(u32, Option<u32>)> = read[0]
        .content
        .iter()
        .map(|item| match item {
            witness::Item::Invariant { invariant } => {
                (invariant.location.line, invariant.location.column)
            }
            witness::Item::Segment { .. } => panic!("a segment"),
        })
        .collect();
    // The loop that `goto inner` makes has no head that could be named.
    let heads = [(6, Some(5)), (9, Some(5)), (10, Some(5)), (15, Some(5)), (23, Some(5))];
    assert_eq!(places, heads, "{text}");
}

fn harness_of(text: &str) -> Result<gnomon_report::harness::Harness, NotReplayable> {
    let (program, engine, _) = checked(text);
    let Verdict::False(run) = &engine.verdict else { panic!("no run: {:?}", engine.verdict) };
    let options = Options::default();
    let sites = ErrorSites::of(&program, &options.property).expect("sites");
    let inserted = BTreeSet::new();
    let (program, inputs) = (&program, &run.inputs);
    let failing = Failing { program, entry: "main", sites: &sites, inserted: &inserted, inputs };
    harness(&failing, &Budget::unlimited())
}

#[test]
fn a_harness_defines_what_the_program_only_declares() {
    let harness = harness_of(BUG).expect("a harness");
    assert!(harness.text.contains("/* 42 */"));
    assert!(harness.text.contains("\nint __VERIFIER_nondet_int(void)"));
    // Not called, but the program must link.
    assert!(harness.text.contains("\nunsigned __VERIFIER_nondet_uint(void)"));
    let evidence = Evidence::Function { name: "reach_error".into(), is_defined: false };
    assert_eq!(harness.evidence, evidence);
    assert!(!harness.has_main && harness.wrapped.is_empty());
}

#[test]
fn what_was_never_written_cannot_be_fed() {
    let text =
        "extern void reach_error(void); int main(void) { int x; if (x == 3) reach_error(); }";
    assert!(matches!(harness_of(text), Err(NotReplayable::Value(_))));
}

/// A loop of a thousand iterations with deep calls that do not matter (PS, examples 1 and 2).
#[test]
fn what_people_read_is_a_hundredth_of_the_path() {
    let text = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static int third(int n) { return 3 * n + 1; }
static int second(int n) { int s = 0; for (int i = 0; i < 3; i++) s += third(n + i); return s; }
static int first(int n) { return second(n) + second(n + 1); }
int main(void)
{
    int a = __VERIFIER_nondet_int(), noise = 0;
    for (int i = 0; i < 1000; i++)
        noise += first(i);
    if (a > 10)
        reach_error();
    return noise;
}
";
    let (_, _, report) = checked(text);
    let run = run_of(&report);
    assert!(run.length > 10_000, "{}", run.length);
    let sources = gnomon_report::terminal::Sources::new();
    let style = gnomon_report::terminal::Style::Plain;
    let length = gnomon_report::terminal::Length::Folded;
    let shown = gnomon_report::terminal::finding(&report.findings[0], &sources, style, length, "");
    let lines = shown.lines().count() as u64;
    println!("{lines} lines for {} steps:\n{shown}", run.length);
    assert!(lines * 100 < run.length, "{lines} lines for {} steps:\n{shown}", run.length);
    assert!(shown.contains("a.c:11") && !shown.contains("a.c:3"), "{shown}");
}
