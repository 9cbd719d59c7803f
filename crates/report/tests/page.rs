//! The data of a page: it does not contradict itself, and it stays small.

use std::collections::BTreeMap;

use gnomon_engine::outline::{Fate, OutlineNode};
use gnomon_ir::trace::InputTrace;
use gnomon_report::html::data::Scopes;
use gnomon_report::html::error_paths::{
    ErrorPath, ErrorPathInput, ErrorPathStep, ProjectedLine, ProjectedLines,
};
use gnomon_report::html::{Page, Tree};
use gnomon_report::model::{
    Action, Answer, Finding, Location, Report, SCHEMA, Step, Stored, Task, Tool, VERSION,
    VerdictName,
};
use gnomon_testkit::program;
use serde_json::{Value, json};

fn report(findings: Vec<Finding>) -> Report {
    Report {
        schema: SCHEMA.into(),
        version: VERSION,
        tool: Tool { name: "gnomon".into(), version: "0".into() },
        task: Task {
            files: Vec::new(),
            data_model: "LP64".into(),
            entry: "main".into(),
            property: "no error is reached".into(),
            forbidden: Vec::new(),
        },
        verdict: VerdictName::False,
        findings,
        assumptions: Vec::new(),
        engine: None,
        counts: BTreeMap::new(),
        seconds: BTreeMap::new(),
    }
}

fn location(line: u32, function: &str) -> Location {
    let function = function.to_owned();
    Location { file: "a.c".into(), line, column: 1, end_line: line, end_column: 9, function }
}

/// A run over lines, each of which stores the values that are told.
fn finding(steps: impl Iterator<Item = (u32, &'static str, String)>) -> Finding {
    let step = |(line, place, value): (u32, &str, String)| Step {
        location: location(line, "main"),
        statement: None,
        depth: 1,
        thread: None,
        action: Action::Statement,
        stored: vec![Stored { place: place.into(), value, is_input: false }],
        essential: true,
    };
    let steps: Vec<Step> = steps.map(step).collect();
    let end = steps.last().map(|step| step.location.clone());
    let run = json!({
        "message": "it fails",
        "location": end,
        "length": steps.len(),
        "steps": steps,
        "inputs": InputTrace::default(),
        "slice": null,
        "execution": "not-tried",
    });
    Finding {
        what: "an error".into(),
        property: None,
        location: end,
        answer: Answer::Violated(serde_json::from_value(run).expect("a run")),
    }
}

fn page<'a>(report: &'a Report, text: String, projection: Option<ProjectedLines>) -> Page<'a> {
    Page {
        report,
        sources: BTreeMap::from([("a.c".into(), text)]),
        scopes: Scopes::of(&program("int count; int main(void) { int count = 1; return count; }")),
        projection,
        no_projection: None,
        graphs: BTreeMap::new(),
        tree: Tree::Missing("none"),
        timeline: BTreeMap::new(),
    }
}

fn data(page: &Page<'_>) -> Value {
    let html = page.html().expect("a page");
    let (_, rest) = html.split_once("id=\"data\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("the end of the data");
    serde_json::from_str(data).expect("data")
}

fn path(feasibility: &'static str, no_values: Option<&str>, lines: &[u32]) -> ErrorPath {
    ErrorPath {
        feasibility,
        ends_in_error: true,
        steps: lines.iter().map(|l| ErrorPathStep(0, *l, 1, "x = 1".into(), true)).collect(),
        left_out: 0,
        inputs: vec![ErrorPathInput { place: "x".into(), value: "1".into(), line: 1 }],
        no_values: no_values.map(str::to_owned),
    }
}

/// Line 2 lies on the run, and the projection knows only a path over it that cannot be executed; line 3
/// lies on the run, and is not in the projection at all; lines 4 and 5 are as the projection says.
#[test]
fn a_line_of_the_run_is_never_called_infeasible() {
    let steps = [(2, "x", "1".to_owned()), (3, "x", "2".to_owned())];
    let report = report(vec![finding(steps.into_iter())]);
    let line = |line, path| ProjectedLine {
        file: "a.c".into(),
        line,
        conditions: Vec::new(),
        path: Some(path),
    };
    let projection = ProjectedLines {
        files: vec!["a.c".into()],
        lines: vec![line(2, 0), line(4, 0)],
        paths: vec![path("infeasible", Some("it cannot be executed"), &[2, 4])],
        all: (2..=5).map(|line| ("a.c".into(), line)).collect(),
    };
    let data = data(&page(&report, "\n\n\n\n\n".into(), Some(projection)));
    assert_eq!(
        data["projection"]["lines"],
        json!([[0, 2, [], null, 0], [0, 3, [], null, 0], [0, 4, [], 0, null]])
    );
    assert_eq!(data["projection"]["others"], json!([[0, [5]]]));
}

#[test]
fn variables_of_functions_hide_those_of_the_program() {
    let steps = [(2, "count", "1".to_owned()), (2, "total[1].x", "2".to_owned())];
    let report = report(vec![finding(steps.into_iter())]);
    let mut page = page(&report, String::new(), None);
    let flags = |page: &Page<'_>| {
        let steps = data(page)["findings"][0]["run"]["steps"].clone();
        [0, 1].map(|step: usize| steps[step][7][2].clone())
    };
    assert_eq!(flags(&page), [json!(0), json!(0)]);
    let others = "int count; struct { int x; } total[2]; int main(void) { return count; }";
    page.scopes = Scopes::of(&program(others));
    assert_eq!(flags(&page), [json!(2), json!(2)]);
}

#[test]
fn a_finished_proof_has_no_open_nodes() {
    let program = program("int main(void) { return 0; }");
    let func = program.find_function("main").expect("main");
    let loc = program.funcs[func].body.as_ref().expect("a body").entry();
    let node = |parent, fate| OutlineNode { parent, func, loc, region: "true".into(), fate };
    let open = [node(None, Fate::Expanded), node(Some(0), Fate::Waiting)];
    assert!(matches!(Tree::of(&program, &open, VerdictName::True), Tree::Missing(_)));
    let Tree::Nodes(nodes) = Tree::of(&program, &open, VerdictName::Unknown) else {
        panic!("an exploration that was stopped has a tree")
    };
    assert_eq!(nodes.iter().map(|node| node.waits).collect::<Vec<_>>(), [false, true]);
    let closed = [node(None, Fate::Expanded), node(Some(0), Fate::CoveredBy(0))];
    assert!(matches!(Tree::of(&program, &closed, VerdictName::True), Tree::Nodes(_)));
}

/// A run of a hundred thousand steps keeps its beginning and its end, and says what is left out.
#[test]
fn a_long_run_is_cut_in_its_middle() {
    let steps = (1..=100_000).map(|n| (n % 1_000 + 1, "x", n.to_string()));
    let report = report(vec![finding(steps)]);
    let data = data(&page(&report, "\n".repeat(1_000), None));
    let run = &data["findings"][0]["run"];
    let shown = run["steps"].as_array().expect("steps").len();
    assert_eq!(run["left-out"], json!(100_000 - shown));
    let value =
        |step: usize| data["strings"][run["steps"][step][7][1].as_u64().unwrap() as usize].clone();
    let cut = run["cut"].as_u64().unwrap() as usize;
    assert_eq!([value(0), value(cut - 1)], [json!("1"), json!(cut.to_string())]);
    assert_eq!(value(shown - 1), json!("100000"));
    assert_eq!(value(cut), json!((100_000 - (shown - cut) + 1).to_string()));
}

/// Ten thousand lines, a run of as many steps, and a path over every second line: less than 2 MB. What
/// is large goes, the findings and the lines of the projection stay.
#[test]
fn a_large_program_has_a_small_page() {
    let lines = 10_000;
    let text: String = (1..=lines)
        .map(|n| format!("    if (total_{n} < {n}) total_{n} = total_{n} + {n};\n"))
        .collect();
    let report = report(vec![finding((1..=lines).map(|n| (n, "total", n.to_string())))]);
    let line = |number: u32| ProjectedLine {
        file: "a.c".into(),
        line: 2 * number,
        conditions: vec![vec![format!("total_{number} > 0")]],
        path: Some(number as usize - 1),
    };
    let passed = |n: u32| (0..20).map(|step| (2 * n + step) % lines + 1).collect::<Vec<_>>();
    let projection = ProjectedLines {
        files: vec!["a.c".into()],
        lines: (1..=lines / 2).map(line).collect(),
        paths: (1..=lines / 2).map(|n| path("feasible", None, &passed(n))).collect(),
        all: (1..=lines).map(|n| ("a.c".into(), n)).collect(),
    };
    let page = page(&report, text.clone(), Some(projection));
    let html = page.html().expect("a page");
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    let data = data(&page);
    assert_eq!(data["sources"], json!([text]));
    assert_eq!(data["projection"]["lines"].as_array().map(Vec::len), Some(lines as usize));
    assert_eq!(data["left-out"], json!(["error paths over lines"]));
}
