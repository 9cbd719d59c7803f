//! The programs under `tests/specs`: what each spec says of them.
//!
//! The first line of a program is `// gnomon: true` or `// gnomon: false LINE MESSAGE`, the
//! directory is the name of the spec; `// option: NAME=VALUE` sets an option of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_cfront::parser::ParseOptions;
use gnomon_cfront::source::SourceBuffer;
use gnomon_cfront::translate::{Models, translate_with};
use gnomon_engine::property::{Property, Site};
use gnomon_engine::verdict::Verdict;
use gnomon_ir::program::Program;
use gnomon_ir::types::Target;
use gnomon_ir::validate::validate;
use gnomon_spec::{READY, Spec, Woven, history, library, parse, weave};
use gnomon_verify::decide::{Options, check};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/specs")
}

fn program(file: &Path, text: &str) -> Program {
    let name = file.file_name().expect("a name").to_string_lossy();
    let source = SourceBuffer::new(&name, text.as_bytes().to_vec()).expect("a source");
    let translation =
        translate_with(vec![source], Target::Lp64, &ParseOptions::default(), Models::BuiltIn);
    assert!(
        translation.is_complete(),
        "{name}: {}",
        translation.render(gnomon_cfront::diag::Severity::Error)
    );
    translation.program
}

fn checked(woven: &Woven) -> Verdict {
    let edges = woven.violations.iter();
    let edges = edges.map(|v| (Site { func: v.func, edge: v.edge }, v.message.clone())).collect();
    let property = Property { functions: Vec::new(), edges, ..Property::default() };
    let options = Options { property, ..Options::default() };
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    check(&woven.program, &options, &budget).expect("a good request").verdict
}

/// What is said of a program: `true`, `false LINE MESSAGE` with the line of the violation.
fn said(woven: &Woven) -> String {
    match checked(woven) {
        Verdict::True(_) => "true".to_owned(),
        Verdict::Unknown(reason) => format!("unknown: {reason}"),
        Verdict::False(run) => {
            let violation = woven
                .violations
                .iter()
                .find(|v| (v.func, v.edge) == (run.site.func, run.site.edge))
                .expect("a violation of the spec");
            let edges = run.edges.iter().map(|e| (e.func, e.edge));
            let history = history(&woven.transitions, violation, edges);
            let last = history.last().expect("a history");
            assert!(last.text.ends_with(&violation.message));
            assert!(history.len() > 1 || !violation.span.is_none());
            format!("false {} {}", violation.span.line, violation.message)
        }
    }
}

fn spec_for(name: &str, text: &str) -> Spec {
    let ready = library::find(name).expect("a ready spec");
    let mut spec = parse(ready.text).expect("a spec");
    for option in text.lines().filter_map(|line| line.strip_prefix("// option: ")) {
        let (option, value) = option.split_once('=').expect("NAME=VALUE");
        spec.set_option(option, value).expect("an option of the spec");
    }
    spec
}

/// All programs of a spec; how many are correct and how many are faulty.
fn all_are_decided(name: &str) {
    let mut files: Vec<PathBuf> = fs::read_dir(directory().join(name))
        .expect("programs")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    let (mut correct, mut faulty, mut wrong) = (0, 0, Vec::new());
    for file in files {
        let text = fs::read_to_string(&file).expect("a text");
        let first = text.lines().next().unwrap_or_default();
        let expected = first.strip_prefix("// gnomon: ").expect("an expectation");
        match expected.split(' ').next() {
            Some("true") => correct += 1,
            _ => faulty += 1,
        }
        let woven = weave(&program(&file, &text), "main", &[spec_for(name, &text)]).expect("woven");
        assert_eq!(validate(&woven.program), [], "{}", file.display());
        let said = said(&woven);
        if said != expected {
            wrong.push(format!("{}: {said}, expected {expected}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(correct >= 5 && faulty >= 5, "{correct} correct and {faulty} faulty programs");
}

macro_rules! programs {
    ($($test:ident: $name:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            all_are_decided($name);
        })*

        #[test]
        fn every_spec_has_programs() {
            let tested = [$($name),*];
            assert_eq!(READY.map(|ready| ready.name).to_vec(), tested.to_vec());
        }
    };
}

programs! {
    file: "file",
    lock: "lock",
    memory: "memory",
    null: "null",
    irp: "irp",
    fd: "fd",
    alloc_check: "alloc-check",
    seteuid: "seteuid",
    reentrancy: "reentrancy",
    format: "format",
}
