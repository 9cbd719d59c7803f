//! The typestate analysis on the programs under `tests/specs`: it never excludes an error that a
//! program has, and it excludes most of the errors that programs do not have.

use std::fs;
use std::path::{Path, PathBuf};

use gnomon_budget::Budget;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::{Models, translate_with};
use gnomon_dataflow::typestate::{Automaton, Outcome, analyze};
use gnomon_flow::call_graph::CallGraph;
use gnomon_flow::mod_ref::ModRef;
use gnomon_flow::points_to::{self, PointsTo};
use gnomon_ir::types::Target;
use gnomon_spec::{IGNORED, READY, Spec, Woven, library, parse, weave};

fn woven(name: &str, text: &str, spec: &Spec) -> Woven {
    let source = SourceBuffer::new(name, text.as_bytes().to_vec()).expect("a source");
    let options = ParseOptions::default();
    let translation = translate_with(vec![source], Target::Lp64, &options, Models::BuiltIn);
    assert!(translation.is_complete(), "{name}");
    weave(&translation.program, "main", std::slice::from_ref(spec)).expect("woven")
}

fn analyzed(woven: &Woven) -> Outcome {
    let (program, budget) = (&woven.program, Budget::unlimited());
    let points_to = PointsTo::analyze(program, &points_to::Options::default(), &budget);
    let points_to = points_to.expect("no limit");
    let calls = CallGraph::new(program, &points_to, &budget).expect("no limit");
    let mod_ref = ModRef::compute(program, &points_to, &calls, &budget).expect("no limit");
    let variables = woven.variables[0].clone();
    let automaton = Automaton {
        entry: program.find_function("main"),
        state: variables.state,
        over: IGNORED,
        tracked: variables.tracked,
        choice: variables.choice,
        counters: variables.ghosts,
        inserted: woven.inserted.clone(),
        sites: woven.violations.iter().map(|v| (v.func, v.edge)).collect(),
    };
    analyze(program, &points_to, &mod_ref, &automaton, &budget).expect("no limit")
}

fn spec_for(name: &str, text: &str) -> Spec {
    let mut spec = parse(library::find(name).expect("a ready spec").text).expect("a spec");
    for option in text.lines().filter_map(|line| line.strip_prefix("// option: ")) {
        let (option, value) = option.split_once('=').expect("NAME=VALUE");
        spec.set_option(option, value).expect("an option of the spec");
    }
    spec
}

fn programs(spec: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/specs").join(spec);
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .expect("programs")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    files
}

/// Sites in correct programs, and how many of them are excluded.
fn counted(spec: &str) -> (usize, usize) {
    let (mut sites, mut excluded) = (0, 0);
    for file in programs(spec) {
        let text = fs::read_to_string(&file).expect("a text");
        let name = file.file_name().expect("a name").to_string_lossy();
        let woven = woven(&name, &text, &spec_for(spec, &text));
        let outcome = analyzed(&woven);
        let first = text.lines().next().unwrap_or_default();
        let expected = first.strip_prefix("// gnomon: ").expect("an expectation");
        if expected == "true" {
            sites += woven.violations.len();
            excluded += outcome.excluded.len();
            for v in &woven.violations {
                if !outcome.excluded.contains(&(v.func, v.edge)) {
                    println!("{spec}/{name}:{}: {}: not excluded", v.span.line, v.message);
                }
            }
            continue;
        }
        let mut has_it = false;
        for v in &woven.violations {
            let here = format!("false {} {}", v.span.line, v.message) == expected;
            has_it |= here && !outcome.excluded.contains(&(v.func, v.edge));
        }
        assert!(has_it, "{spec}/{name}: the error is excluded: {expected}");
    }
    (sites, excluded)
}

#[test]
fn no_error_is_excluded_and_most_others_are() {
    let (mut sites, mut excluded) = (0, 0);
    for ready in READY {
        let (all, found) = counted(ready.name);
        println!("{}: {found} of {all}", ready.name);
        sites += all;
        excluded += found;
    }
    assert!(excluded * 2 > sites, "only {excluded} of {sites}");
}
