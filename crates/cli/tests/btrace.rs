//! A real crash: compiled with a sanitizer, run until it stops, explained from what the sanitizer
//! prints, and compared with what the run really did.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FILES: [&str; 3] = ["main.c", "run.c", "account.c"];

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../dataflow/programs/crash")
}

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// Compiles the program in a directory of its own.
fn compile(directory: &Path, options: &[&str]) -> PathBuf {
    let binary = directory.join("ledger");
    let status = Command::new("gcc")
        .current_dir(directory)
        .args(["-g", "-O0"])
        .args(options)
        .args(FILES.map(|f| sources().join(f)))
        .arg("-o")
        .arg(&binary)
        .status()
        .unwrap();
    assert!(status.success());
    binary
}

/// Runs a program with this input; gives what it prints as errors.
fn run(binary: &Path, input: &str) -> String {
    let mut child = Command::new(binary)
        .current_dir(binary.parent().unwrap())
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn btrace(stack: &Path, options: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_gnomon"))
        .arg("btrace")
        .arg("--stack")
        .arg(stack)
        .args(options)
        .args(FILES.map(|f| sources().join(f)))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// How often each line occurs, and the calls in order.
fn collect(
    activation: &serde_json::Value,
    lines: &mut BTreeMap<(String, u64), u64>,
    calls: &mut Vec<String>,
) {
    calls.push(activation["function"].as_str().unwrap().to_owned());
    for event in activation["events"].as_array().unwrap() {
        if let Some(line) = event.get("line") {
            let file = Path::new(line["file"].as_str().unwrap()).file_name().unwrap();
            let key = (file.to_string_lossy().into_owned(), line["line"].as_u64().unwrap());
            *lines.entry(key).or_default() += 1;
        } else {
            collect(&event["call"], lines, calls);
        }
    }
}

/// How often each line was executed, from gcov.
fn executed(directory: &Path) -> BTreeMap<(String, u64), u64> {
    let mut counts = BTreeMap::new();
    for file in FILES {
        let output = Command::new("gcov")
            .current_dir(directory)
            .args(["--stdout", "--object-file"])
            .arg(format!("ledger-{}.gcda", file.trim_end_matches(".c")))
            .arg(file)
            .output()
            .unwrap();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let mut parts = line.splitn(3, ':').map(str::trim);
            let (Some(count), Some(number)) = (parts.next(), parts.next()) else { continue };
            let count = count.trim_end_matches('*').parse();
            if let (Ok(count), Ok(number)) = (count, number.parse()) {
                counts.insert((file.to_owned(), number), count);
            }
        }
    }
    counts
}

#[test]
fn the_path_to_a_crash_is_what_the_program_did() {
    let directory = scratch("btrace-asan");
    let binary = compile(&directory, &["-fsanitize=address", "-fno-omit-frame-pointer"]);
    let input = "abA?\n";
    let report = run(&binary, input);
    assert!(report.contains("heap-use-after-free"), "{report}");
    let stack = directory.join("crash.txt");
    std::fs::write(&stack, &report).unwrap();

    let planted = std::fs::read_to_string(sources().join("account.c")).unwrap();
    let line = 1 + planted.lines().position(|l| l.contains("planted bug")).unwrap();
    let seen = format!("account.c:{line}");
    let json = btrace(&stack, &["--seen", &seen, "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["feasible"], true, "{json}");
    let (mut lines, mut calls) = (BTreeMap::new(), Vec::new());
    collect(&value["path"], &mut lines, &mut calls);
    assert_eq!(calls, ["main", "run", "add", "add", "drop", "find", "report", "total"]);

    // If nothing is freed, the run goes on behind the error, and coverage is written.
    let directory = scratch("btrace-gcov");
    std::fs::write(directory.join("keep.c"), "void keep(void *object) { (void)object; }\n")
        .unwrap();
    run(&compile(&directory, &["--coverage", "-Dfree=keep", "keep.c"]), input);
    let counts = executed(&directory);
    assert!(counts.len() > 20, "gcov gave {counts:?}");
    for (line, times) in &lines {
        let really = counts.get(line).copied();
        assert!(really.is_none_or(|n| n >= *times), "{line:?}: {times} on the path, {really:?}");
    }
}

#[test]
fn without_hints_the_path_is_feasible_and_shorter() {
    let directory = scratch("btrace-plain");
    let stack = directory.join("stack.txt");
    let trace = "#0  total (list=0x1) at account.c:40\n#1  report (list=0x1) at run.c:8\n\
                 #2  run () at run.c:21\n#3  main () at main.c:5\n";
    std::fs::write(&stack, trace).unwrap();
    let text = btrace(&stack, &[]);
    assert!(text.contains("feasible"), "{text}");
    assert!(!text.contains("drop"), "{text}");
    let page = btrace(&stack, &["--format", "html"]);
    assert!(page.contains("<details open><summary>total</summary>"), "{page}");
    // With the text of the lines.
    assert!(page.contains("account.c:38</span>  int sum = 0;"), "{page}");
}
