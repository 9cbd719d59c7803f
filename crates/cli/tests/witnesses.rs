//! Witnesses that `gnomon check` writes are confirmed by `gnomon validate`, wrong ones are refuted.

use std::path::{Path, PathBuf};
use std::process::Command;

fn gnomon(arguments: &[&str], file: &Path, program: &Path) -> String {
    let run = Command::new(env!("CARGO_BIN_EXE_gnomon"))
        .args(arguments)
        .args([file, program])
        .output()
        .expect("gnomon starts");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    text.lines().last().unwrap_or_default().to_owned()
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")
}

fn witness_of(name: &str, file: &Path) -> (PathBuf, String) {
    let program = programs().join(name);
    gnomon(&["check", "--engine", "lazy", "--no-search", "--witness"], file, &program);
    let text = std::fs::read_to_string(file).expect("a witness");
    (program, text)
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn violations_are_confirmed_and_wrong_ones_refuted() {
    let file = file("violation.yml");
    for name in ["loops/specific_sequence.c", "switch/missing_break.c"] {
        let (program, text) = witness_of(name, &file);
        let validate = ["validate", "--time", "60", "--witness"];
        assert_eq!(gnomon(&validate, &file, &program), "WITNESS: CONFIRMED", "{name}");
        // The target is one line too early.
        let at = text.rfind("line: ").expect("a target") + "line: ".len();
        let end = at + text[at..].find('\n').expect("a line end");
        let line: u32 = text[at..end].parse().expect("a number");
        let wrong = format!("{}{}{}", &text[..at], line - 1, &text[end..]);
        std::fs::write(&file, wrong).expect("a witness");
        let answer = gnomon(&validate, &file, &program);
        assert!(answer.starts_with("WITNESS: REFUTED"), "{name}: {answer}");
        // Another program.
        std::fs::write(&file, text.replace(".c: ", ".c: 0")).expect("it");
        let answer = gnomon(&validate, &file, &program);
        assert!(answer.starts_with("WITNESS: REFUTED"), "{name}: {answer}");
    }
}

#[test]
fn invariants_are_confirmed_and_wrong_ones_refuted() {
    let file = file("correctness.yml");
    let (program, text) = witness_of("drivers/module_load_unload.c", &file);
    let validate = ["validate", "--time", "60", "--witness"];
    assert_eq!(gnomon(&validate, &file, &program), "WITNESS: CONFIRMED");
    assert!(text.contains("registered == 0LL"), "{text}");
    std::fs::write(&file, text.replace("registered == 0LL", "registered == 1LL")).expect("it");
    assert_eq!(gnomon(&validate, &file, &program), "WITNESS: REFUTED (an invariant does not hold)");
}

/// A program whose error is reached by a positive number, in the second round, in case 2.
const BRANCHES: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int twice(int x) { return 2 * x; }
int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x <= 0 || x > 5)
        return 0;
    int y = twice(x);
    for (int i = 0; i < 2; i++) {
        switch (y) {
        case 2:
            if (i == 1)
                reach_error();
            break;
        default:
            break;
        }
    }
    return 0;
}
";

#[test]
fn waypoints_of_branches_and_calls_are_followed() {
    let (program, witness) = (file("branches.c"), file("branches.yml"));
    std::fs::write(&program, BRANCHES).expect("a program");
    let target = ("target", "follow", "", 14, 17);
    let answer = |waypoints: &[(&str, &str, &str, u32, u32)]| {
        let mut text = String::from(
            "- entry_type: violation_sequence\n  metadata:\n    format_version: \"2.0\"\n    uuid: \
             u\n    creation_time: t\n    producer:\n      name: other\n      version: \"1\"\n    \
             task:\n      input_files: [branches.c]\n      input_file_hashes: {}\n      \
             specification: s\n      data_model: LP64\n      language: C\n  content:\n",
        );
        for (kind, action, value, line, column) in waypoints.iter().chain([&target]) {
            text += &format!(
                "  - segment:\n    - waypoint:\n        type: {kind}\n        action: {action}\n"
            );
            if !value.is_empty() {
                text += &format!("        constraint:\n          value: {value}\n");
            }
            text += &format!(
                "        location:\n          file_name: branches.c\n          line: {line}\n          \
                 column: {column}\n"
            );
        }
        std::fs::write(&witness, text).expect("a witness");
        gnomon(&["validate", "--time", "60", "--witness"], &witness, &program)
    };
    let right = [
        ("branching", "follow", "false", 7, 5),
        ("function_enter", "follow", "", 9, 20),
        ("function_return", "follow", "\"\\\\result == 2\"", 9, 20),
        ("branching", "follow", "true", 10, 5),
        ("branching", "follow", "2", 11, 9),
        ("branching", "follow", "true", 10, 5),
        ("branching", "follow", "true", 13, 13),
    ];
    assert_eq!(answer(&right), "WITNESS: CONFIRMED");
    // Each of these is passed by no run that reaches the error.
    let wrong = [
        (0, ("branching", "follow", "true", 7, 5)),
        (2, ("function_return", "follow", "\"\\\\result == 4\"", 9, 20)),
        (3, ("branching", "follow", "false", 10, 5)),
        (4, ("branching", "follow", "3", 11, 9)),
        (1, ("function_enter", "avoid", "", 9, 20)),
    ];
    for (at, waypoint) in wrong {
        let mut changed = right;
        changed[at] = waypoint;
        let answer = answer(&changed);
        assert!(answer.starts_with("WITNESS: REFUTED"), "{waypoint:?}: {answer}");
    }
}

/// A program with loops whose head asks nothing.
const DO_LOOPS: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
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
    if (i != j)
        reach_error();
    return 0;
}
";

#[test]
fn invariants_of_loops_without_a_condition_at_their_head_are_written_and_read() {
    let (program, witness) = (file("do_loops.c"), file("do_loops.yml"));
    std::fs::write(&program, DO_LOOPS).expect("a program");
    let checked = gnomon(
        &["check", "--engine", "lazy", "--no-search", "--no-certify", "--witness"],
        &witness,
        &program,
    );
    assert_eq!(checked, "VERDICT: TRUE");
    let text = std::fs::read_to_string(&witness).expect("a witness");
    assert_eq!(text.matches("type: loop_invariant").count(), 3, "{text}");
    let validate = ["validate", "--time", "60", "--witness"];
    assert_eq!(gnomon(&validate, &witness, &program), "WITNESS: CONFIRMED");
    for at in [6, 9, 10] {
        // Every one of them is asked: at the first round nothing was counted yet, later it was.
        let mut wrong = String::new();
        let (mut here, mut changed) = (false, 0);
        for line in text.lines() {
            here = if line.trim().starts_with("line: ") {
                line.trim() == format!("line: {at}")
            } else {
                here
            };
            if here && line.trim().starts_with("value: ") {
                let indent = &line[..line.len() - line.trim_start().len()];
                wrong += &format!("{indent}value: i == 0u\n");
                changed += 1;
                continue;
            }
            wrong += &format!("{line}\n");
        }
        assert_eq!(changed, 1, "{wrong}");
        std::fs::write(&witness, wrong).expect("a witness");
        let answer = gnomon(&validate, &witness, &program);
        assert_eq!(answer, "WITNESS: REFUTED (an invariant does not hold)", "line {at}");
    }
}
