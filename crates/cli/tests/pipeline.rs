//! What `gnomon check` does is done once, and what is asked stands in everything that is written.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(name)
}

/// A fresh directory for the files of a test.
fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pipeline").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a directory");
    directory
}

fn gnomon(arguments: &[&str], program: &Path, directory: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gnomon"));
    command.args(arguments).arg(program).current_dir(directory);
    command.output().expect("gnomon starts")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn read(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join(name)).expect("a file")
}

const ALL: [&str; 14] = [
    "check",
    "--stats",
    "--json",
    "r.json",
    "--sarif",
    "r.sarif",
    "--witness",
    "r.yml",
    "--html",
    "page",
    "--projection",
    "--certificate",
    "r.cert",
    "--time=60",
];

#[test]
fn everything_is_read_and_analysed_once() {
    for (name, verdict) in [
        ("programs/switch/missing_break.c", "VERDICT: FALSE"),
        ("programs/loops/two_counters.c", "VERDICT: TRUE"),
    ] {
        let directory = directory("once");
        let output = text(&gnomon(&ALL, &program(name), &directory));
        assert!(output.contains(verdict), "{name}: {output}");
        for counted in ["preprocessor calls: 1\n", "files parsed: 1\n", "points-to analyses: 1\n"] {
            assert!(output.contains(counted), "{name}: {counted}{output}");
        }
        let json = read(&directory, "r.json");
        assert!(json.contains("\"points-to analyses\": 1.0"), "{json}");
    }
}

#[test]
fn each_site_is_asked_with_the_same_facts() {
    let directory = directory("each");
    let arguments = ["check", "--each", "--stats", "--json", "r.json", "--check", "overflow"];
    let output = text(&gnomon(&arguments, &program("programs/switch/missing_break.c"), &directory));
    assert!(output.contains("points-to analyses: 1\n"), "{output}");
}

#[test]
fn reports_name_the_property_that_was_asked() {
    let directory = directory("property");
    let races = "CHECK( init(main()), LTL(G ! data-race) )";
    std::fs::write(directory.join("race.prp"), races).expect("a file");
    let outputs = ["--json", "r.json", "--witness", "r.yml", "--sarif", "r.sarif"];
    let checked = |arguments: &[&str], name: &str| {
        let arguments = [&["check"], arguments, &outputs].concat();
        let output = gnomon(&arguments, &program(name), &directory);
        assert!(output.status.code().is_some_and(|code| code < 2), "{output:?}");
        ["r.json", "r.yml", "r.sarif"].map(|file| read(&directory, file))
    };
    let [json, witness, sarif] = checked(&["--prp", "race.prp"], "threads/race_counter.c");
    for text in [&json, &witness] {
        assert!(text.contains(races) && !text.contains("overflow"), "{text}");
    }
    assert!(json.contains("\"data-race\""), "{json}");
    assert!(sarif.contains("\"ruleId\": \"data-race\""), "{sarif}");

    let [json, witness, _] = checked(&["--spec", "file"], "specs/file/after_close.c");
    for text in [&json, &witness] {
        assert!(text.contains("no violation of file"), "{text}");
        assert!(!text.contains("overflow") && !text.contains("LTL"), "{text}");
    }
    assert!(json.contains("\"spec\": \"file\""), "{json}");
}

#[test]
fn property_files_that_are_not_supported_are_bad_input() {
    let directory = directory("prp");
    for (formula, what) in [
        (
            "LTL(G def-behavior)",
            "the absence of all undefined behaviour (`LTL(Gdef-behavior)`) is not supported yet",
        ),
        ("LTL(F end)", "termination (`LTL(Fend)`) is not supported yet"),
        ("LTL(G x)", "only properties of the forms"),
    ] {
        let line = format!("CHECK( init(main()), {formula} )\n");
        std::fs::write(directory.join("p.prp"), line).expect("a file");
        let program = program("programs/loops/two_counters.c");
        let output = gnomon(&["check", "--prp", "p.prp"], &program, &directory);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.starts_with(&format!("error: p.prp: {what}")), "{told}");
    }
}

#[test]
fn certificates_about_something_else_are_refused() {
    let directory = directory("certificate");
    let source = directory.join("two.c");
    let main = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
        int f(void) { if (__VERIFIER_nondet_int() == 7) reach_error(); return 0; }
        int main(void) { int i = 0; while (i < 10) i++; if (i != 10) f(); return 0; }\n";
    std::fs::write(&source, main).expect("a program");
    let made = gnomon(&["check", "--certificate", "c.json"], &source, &directory);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let certify = |more: &[&str]| {
        let arguments = [&["certify", "--certificate", "c.json"], more].concat();
        let output = gnomon(&arguments, &source, &directory);
        let (out, err) = (text(&output), String::from_utf8_lossy(&output.stderr).into_owned());
        (output.status.code(), out + &err)
    };
    assert_eq!(certify(&[]).0, Some(0), "{:?}", certify(&[]));
    let (code, told) = certify(&["--entry", "f"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("the certificate is about runs of `main`, not of `f`"), "{told}");
    let (code, told) = certify(&["--reach", "two.c:2"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("the certificate is about another property"), "{told}");
    std::fs::write(directory.join("c.json"), "{\"schema\": \"gnomon-report\"}").expect("a file");
    let (code, told) = certify(&[]);
    assert!(code == Some(2) && told.contains("its schema is `gnomon-report`"), "{told}");
}

#[test]
fn the_compiler_and_its_options_are_those_of_the_user() {
    let directory = directory("compiler");
    std::fs::create_dir(directory.join("system")).expect("a directory");
    std::fs::write(directory.join("system/own.h"), "#define OWN 1\n").expect("a header");
    // A name in C17, a keyword in C23.
    let text = "#include <own.h>\nint main(void) { int bool = OWN; return bool - WORDS; }\n";
    let source = directory.join("a.c");
    std::fs::write(&source, text).expect("a program");
    let run = |compiler: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gnomon"));
        command.arg("check").args(more).arg(&source).env("CC", compiler);
        let output = command.output().expect("gnomon starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let system = directory.join("system");
    let system = system.to_str().expect("a name");
    let joined = format!("-isystem{system}");
    let compiler = "env 'A=b c' cc '-DWORDS=(0 + 1)'";
    assert_eq!(run(compiler, &["-isystem", system]).0, Some(0));
    assert_eq!(run(compiler, &[&joined]).0, Some(0));
    let (code, told) = run(compiler, &["-isystem", system, "-std=c2x"]);
    assert!(code == Some(2) && told.contains("a.c:2"), "the keyword is seen: {told}");
    let (code, told) = run("cc 'x", &["-isystem", system]);
    assert!(code == Some(2) && told.contains("quotation mark"), "{told}");
}

#[test]
fn conditions_of_a_projection_have_the_names_of_the_user() {
    let directory = directory("names");
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
        static int twice(int x) { return x + x; }
        int main(void) {
            int x = __VERIFIER_nondet_int(), n = 0;
            while (twice(x + 1) > 4 && n < 3) {
                { int i = x; n += i; }
                { int i = n; n = i + 1; }
                x--;
            }
            if (twice(n) == 6) reach_error();
            return 0;
        }";
    std::fs::write(directory.join("names.c"), text).expect("a file");
    let output = self::text(&gnomon(&["project"], Path::new("names.c"), &directory));
    assert!(output.contains("twice() "), "{output}");
    let mut words = output.split(|c: char| !c.is_alphanumeric() && c != '.');
    let made = |word: &&str| word.starts_with(".t") || word.starts_with("i.");
    assert_eq!(words.find(made), None, "{output}");
}
