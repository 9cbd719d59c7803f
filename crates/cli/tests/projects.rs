//! `gnomon capture`, `verify`, `diff` on a small project that the tests write, with its own Makefile.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A project in a directory of its own.
struct Project {
    root: PathBuf,
}

const LIST_H: &str = "struct list { int length; int *items; };\nint total(const struct list *l);\n";
const LIST_C: &str = "#include \"list.h\"\n\
    static int at(const struct list *l, int i) { return l->items[i]; }\n\
    int total(const struct list *l) {\n\
    \x20 int i, s = 0;\n\
    \x20 for (i = 0; i < l->length; i++) s = s ^ at(l, i);\n\
    \x20 return s;\n\
    }\n\
    unsigned share(unsigned all, unsigned parts) {\n\
    \x20 return all / parts;\n\
    }\n\
    unsigned half(unsigned all) {\n\
    \x20 return all / 2u + 7u / (all | 1u);\n\
    }\n";
const MAIN_C: &str = "#include <assert.h>\n#include \"list.h\"\n\
    unsigned half(unsigned);\n\
    int main(void) {\n\
    \x20 int numbers[2] = { 1, 2 };\n\
    \x20 struct list l = { 2, numbers };\n\
    \x20 assert(total(&l) == 3);\n\
    \x20 return (int)half(4);\n\
    }\n";
const MAKEFILE: &str = "prog: main.o liblist.a\n\t$(CC) -o prog main.o -L. -llist\n\
    liblist.a: list.o\n\t$(AR) cr liblist.a list.o\n";

impl Project {
    fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("projects").join(name);
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(&root).expect("a directory");
        let project = Self { root };
        for (file, text) in
            [("list.h", LIST_H), ("list.c", LIST_C), ("main.c", MAIN_C), ("Makefile", MAKEFILE)]
        {
            project.write(file, text);
        }
        project.write(
            "gnomon.toml",
            "properties = [\"assert\", \"division\"]\n[limits]\nrounds = [2, 8]\n",
        );
        project
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.root.join(file), text).expect("a file");
    }

    fn gnomon(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gnomon"));
        command.current_dir(&self.root).args(arguments).env_remove("CC");
        command.output().expect("gnomon starts")
    }

    fn captured(name: &str) -> Self {
        let project = Self::new(name);
        let done = project.gnomon(&["capture", "--", "make"]);
        assert!(done.status.success(), "{}", told(&done));
        project
    }

    fn results(&self) -> Value {
        let text = std::fs::read(self.root.join(".gnomon/report/results.json")).expect("results");
        serde_json::from_slice(&text).expect("JSON")
    }

    fn verdict(&self, unit: &str) -> String {
        let results = self.results();
        let units = results["units"].as_array().expect("units");
        let found = units.iter().find(|found| found["name"] == unit);
        found.map_or(format!("{unit} is not there: {units:?}"), |found| {
            found["verdict"].as_str().unwrap_or_default().to_owned()
        })
    }
}

fn told(done: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
}

#[test]
fn from_a_build_to_findings_and_nothing_twice() {
    let project = Project::captured("findings");
    let links = std::fs::read_to_string(project.root.join("link_commands.json")).expect("links");
    assert!(links.contains("liblist.a") && links.contains("-llist"), "{links}");
    let done = project.gnomon(&["verify"]);
    assert_eq!(done.status.code(), Some(1), "{}", told(&done));
    assert!(told(&done).contains("warning: list.c:9:"), "{}", told(&done));
    assert_eq!(project.verdict("prog:main:assert"), "TRUE");
    assert_eq!(project.verdict("liblist.a:share:division"), "FALSE");
    assert_eq!(project.verdict("liblist.a:half:division"), "TRUE");
    for form in ["index.html", "results.sarif", "junit.xml"] {
        assert!(project.root.join(".gnomon/report").join(form).exists(), "{form}");
    }
    let sarif = std::fs::read_to_string(project.root.join(".gnomon/report/results.sarif"));
    let sarif: Value = serde_json::from_str(&sarif.expect("SARIF")).expect("JSON");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["baselineState"], "new");
    assert!(result["codeFlows"][0]["threadFlows"][0]["locations"].is_array(), "{result}");

    // A comment and a new time move lines, and nothing is checked again.
    std::fs::copy(project.root.join(".gnomon/report/results.json"), project.root.join("old.json"))
        .expect("a copy");
    project.write("list.c", &LIST_C.replace("unsigned share", "/* shares */\n\nunsigned share"));
    let done = project.gnomon(&["verify", "--write-baseline"]);
    assert_eq!(done.status.code(), Some(0), "{}", told(&done));
    let results = project.results();
    assert_eq!(results["counts"]["attempts"], 0);
    assert_eq!(results["findings"][0]["location"]["line"], 11);
    let diff = project.gnomon(&["diff", "old.json", ".gnomon/report/results.json"]);
    assert_eq!(told(&diff), "no verdict changed\n");

    // Another baseline, which is named from where the command is called.
    std::fs::remove_file(project.root.join("gnomon-baseline.json")).expect("removed");
    let done = project.gnomon(&["verify", "--write-baseline=known.json", "."]);
    assert_eq!(done.status.code(), Some(0), "{}", told(&done));
    let done = project.gnomon(&["verify"]);
    assert_eq!(done.status.code(), Some(1), "{}", told(&done));
    let done = project.gnomon(&["verify", "--baseline", "known.json"]);
    assert_eq!(done.status.code(), Some(0), "{}", told(&done));
    let done = project.gnomon(&["verify", "--baseline", "nosuch.json"]);
    assert_eq!(done.status.code(), Some(2), "{}", told(&done));
    project.gnomon(&["verify", "--write-baseline"]);

    // A function is repaired and another one broken: only they are checked, and only what is new fails.
    let text = LIST_C.replace("return all / parts;", "return parts ? all / parts : 0;");
    project.write("list.c", &text.replace("(all | 1u)", "all"));
    let done = project.gnomon(&["verify"]);
    assert_eq!(done.status.code(), Some(1), "{}", told(&done));
    assert_eq!(project.verdict("liblist.a:share:division"), "TRUE");
    assert_eq!(project.verdict("liblist.a:half:division"), "FALSE");
    // main calls one of them, too.
    let results = project.results();
    assert!(
        results["counts"]["attempts"].as_u64().expect("a number") <= 6,
        "{}",
        results["counts"]
    );
    let diff = project.gnomon(&["diff", "old.json", ".gnomon/report/results.json"]);
    assert_eq!(diff.status.code(), Some(1));
    assert!(told(&diff).contains("liblist.a:share:division: FALSE -> TRUE"), "{}", told(&diff));
    let done = project.gnomon(&["verify", "--fail-on", "never"]);
    assert_eq!(done.status.code(), Some(0), "{}", told(&done));
}

#[test]
fn machines_share_a_cache() {
    let (one, two) = (Project::captured("one"), Project::captured("two"));
    let cache = one.root.join("shared");
    let shared = cache.display().to_string();
    one.gnomon(&["verify", "--cache", &shared]);
    assert!(one.results()["counts"]["attempts"].as_u64().expect("a number") > 0);
    two.gnomon(&["verify", "--cache", &shared]);
    let results = two.results();
    assert_eq!(results["counts"]["attempts"], 0);
    assert_eq!(results["findings"], one.results()["findings"]);
}

const SPEC: &str = "spec order \"total comes first\" {\n\
    \x20 states fresh, done;\n\
    \x20 on total(...) { fresh -> done; }\n\
    \x20 on half(...) { fresh -> error \"half before total\"; }\n\
    }\n";

#[test]
fn a_spec_is_the_one_of_the_project() {
    let project = Project::captured("spec");
    project.write("order.spec", &SPEC.replace("fresh -> error", "done -> error"));
    // Where the command is called, another one has that name, and nothing violates it.
    let elsewhere = project.root.join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a directory");
    std::fs::write(elsewhere.join("order.spec"), SPEC).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gnomon"));
    command.current_dir(&elsewhere).args(["verify", "..", "--properties", "spec:order.spec"]);
    let done = command.output().expect("gnomon starts");
    assert_eq!(done.status.code(), Some(1), "{}", told(&done));
    assert_eq!(project.verdict("prog:main:spec:order.spec"), "FALSE");
    // Another text is another question.
    project.write("order.spec", SPEC);
    let done = project.gnomon(&["verify", "--properties", "spec:order.spec"]);
    assert_eq!(done.status.code(), Some(0), "{}", told(&done));
    assert_eq!(project.verdict("prog:main:spec:order.spec"), "TRUE");
    // What is not there or not right is said before anything is checked.
    for (spec, what) in [
        ("spec:nosuch", "no spec `nosuch`"),
        ("spec:nosuch.spec", "nosuch.spec: No such file"),
        ("spec:order.spec:often=on", "no option of spec `order`"),
        ("spec:list.c", "no spec `list.c`"),
    ] {
        let done = project.gnomon(&["verify", "--properties", spec]);
        assert_eq!(done.status.code(), Some(2), "{}", told(&done));
        assert!(told(&done).contains(what), "{}", told(&done));
    }
    project.write("order.spec", "spec order {");
    let done = project.gnomon(&["verify", "--properties", "spec:order.spec"]);
    assert_eq!(done.status.code(), Some(2), "{}", told(&done));
    assert!(told(&done).contains("order.spec:1:"), "{}", told(&done));
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_the_others_go_on() {
    let project = Project::captured("unreadable");
    project.write("main.c", "int main(void) { return }\n");
    let done = project.gnomon(&["verify"]);
    assert!(told(&done).contains("not read: main.c: error: "), "{}", told(&done));
    assert_eq!(project.verdict("liblist.a:share:division"), "FALSE");
    assert_eq!(project.results()["unreadable"][0]["file"], "main.c");
}

#[test]
fn no_control_characters_of_sources_reach_the_terminal() {
    let project = Project::captured("control");
    // A text in an assertion, and one in what cannot be read.
    let text = MAIN_C.replace("total(&l) == 3", "total(&l) == 4 && \"\u{1b}]0;title\u{7}\"");
    project.write("main.c", &text);
    project.write("list.c", "#error \u{1b}[2J\n");
    for words in [&["verify", "--verbose"][..], &["verify", "--quiet"]] {
        let done = project.gnomon(words);
        let said = told(&done);
        assert!(said.contains("not read: list.c"), "{said:?}");
        assert!(said.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()), "{said:?}");
    }
    let empty = r#"{"schema": "gnomon-project", "version": 1, "tool": "0", "stopped": false, "counts": {},
        "targets": [], "findings": [], "units": [], "unreadable": [], "assumptions": {}}"#;
    project.write("empty.json", empty);
    let said = told(&project.gnomon(&["diff", "empty.json", ".gnomon/report/results.json"]));
    assert!(said.chars().all(|c| c == '\n' || !c.is_control()), "{said:?}");
}

#[test]
fn a_worker_that_fails_costs_its_unit_only() {
    let project = Project::captured("crash");
    // It crashes on one function, and is the real one for the others; of another, the cache has no room.
    let gnomon = env!("CARGO_BIN_EXE_gnomon");
    project.write(
        "worker.sh",
        &format!(
            "for word; do case $word in --key=*) key=${{word#--key=}};; --cache=*) cache=${{word#--cache=}};; esac; done\n\
             if grep -q '\"entry\":\"share\"' $cache/units/*/$key.json; then echo $key >> tries; kill -9 $$; fi\n\
             exec {gnomon} unit-worker \"$@\"\n"
        ),
    );
    let done = project.gnomon(&["verify", "--worker", "/bin/sh worker.sh"]);
    assert_eq!(project.verdict("liblist.a:half:division"), "TRUE", "{}", told(&done));
    let results = project.results();
    assert_eq!(results["counts"]["failed"], 1);
    // There is no finding, but not everything was checked.
    assert_eq!(done.status.code(), Some(3), "{}", told(&done));
    let tries = std::fs::read_to_string(project.root.join("tries")).expect("tries");
    assert_eq!(tries.lines().count(), 2, "{}", told(&done));
    let junit = std::fs::read_to_string(project.root.join(".gnomon/report/junit.xml"));
    assert!(junit.expect("JUnit").contains("errors=\"1\""));
    // The next run asks for it again, and for nothing else.
    let done = project.gnomon(&["verify", "--write-baseline"]);
    assert_eq!(project.results()["counts"]["attempts"], 1, "{}", told(&done));
    // What is known of a unit stays known when it fails.
    let baseline = || std::fs::read(project.root.join("gnomon-baseline.json")).expect("a baseline");
    let before = baseline();
    let words = ["verify", "--write-baseline", "--cache", "other", "--worker", "/bin/sh worker.sh"];
    let done = project.gnomon(&words);
    assert!(told(&done).contains("the baseline keeps what it has"), "{}", told(&done));
    assert!(baseline() == before, "{}", told(&done));
}

#[test]
fn interrupted_it_goes_on() {
    let project = Project::captured("interrupted");
    project.write("worker.sh", "sleep 30\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gnomon"));
    command.current_dir(&project.root).args(["verify", "--worker", "/bin/sh worker.sh"]);
    let child = command.stderr(std::process::Stdio::null()).spawn().expect("gnomon starts");
    // When units are written, workers are about to be started.
    let units = project.root.join(".gnomon/cache/units");
    let has_units = || {
        let runs = std::fs::read_dir(&units).into_iter().flatten().flatten();
        let mut files = runs.filter_map(|run| std::fs::read_dir(run.path()).ok()).flatten();
        files.next().is_some()
    };
    while !has_units() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    let done = child.wait_with_output().expect("it ends");
    assert_eq!(done.status.code(), Some(130), "{}", told(&done));
    assert_eq!(project.results()["stopped"], true);
    // It is no run that the next one is compared with, and its units are nobody's any more.
    assert!(!project.root.join(".gnomon/last.json").exists());
    assert!(!has_units());
    project.gnomon(&["verify"]);
    assert_eq!(project.results()["stopped"], false);
    assert_eq!(project.verdict("prog:main:assert"), "TRUE");
}

#[test]
fn without_links_names_say_what_belongs_together() {
    let project = Project::captured("names");
    std::fs::remove_file(project.root.join("link_commands.json")).expect("removed");
    let done = project.gnomon(&["verify", "--properties", "assert"]);
    assert_eq!(done.status.code(), Some(0), "{}", told(&done));
    assert_eq!(project.verdict("main:main:assert"), "TRUE");
}

#[test]
fn init_writes_what_verify_reads() {
    let project = Project::captured("init");
    assert_eq!(project.gnomon(&["init"]).status.code(), Some(2));
    std::fs::remove_file(project.root.join("gnomon.toml")).expect("removed");
    assert!(project.gnomon(&["init"]).status.success());
    project.write("gnomon.toml", "propertys = []\n");
    let done = project.gnomon(&["verify"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(
        told(&done).contains("gnomon.toml") && told(&done).contains("line 1"),
        "{}",
        told(&done)
    );
}

#[test]
fn interrupted_while_files_are_read_nothing_is_written() {
    let project = Project::captured("planning");
    project.gnomon(&["verify", "--write-baseline"]);
    let files = ["gnomon-baseline.json", ".gnomon/last.json", ".gnomon/report/results.json"];
    let read = || files.map(|file| std::fs::read(project.root.join(file)).expect("a file"));
    let before = read();
    // A compiler that takes its time.
    let commands = std::fs::read_to_string(project.root.join("compile_commands.json"));
    project.write("slow.sh", "#!/bin/sh\n: > reading\nsleep 3\nexec cc \"$@\"\n");
    let slow = project.root.join("slow.sh");
    let made = Command::new("chmod").arg("+x").arg(&slow).status();
    assert!(made.expect("chmod starts").success());
    let mut entries: Value = serde_json::from_str(&commands.expect("commands")).expect("JSON");
    for entry in entries.as_array_mut().expect("entries") {
        entry["arguments"][0] = slow.display().to_string().into();
    }
    project.write("compile_commands.json", &entries.to_string());
    let mut command = Command::new(env!("CARGO_BIN_EXE_gnomon"));
    command.current_dir(&project.root).args(["verify", "--write-baseline"]);
    let child = command.stderr(std::process::Stdio::piped()).spawn().expect("gnomon starts");
    while !project.root.join("reading").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    let done = child.wait_with_output().expect("it ends");
    assert_eq!(done.status.code(), Some(130), "{}", told(&done));
    assert!(told(&done).contains("before anything was checked"), "{}", told(&done));
    assert!(read() == before, "something was written");
}

#[test]
fn a_stopped_run_leaves_the_baseline_as_it_is() {
    let project = Project::captured("stopped-baseline");
    project.gnomon(&["verify", "--write-baseline"]);
    let baseline = || std::fs::read(project.root.join("gnomon-baseline.json")).expect("a baseline");
    let (before, last) = (baseline(), std::fs::read(project.root.join(".gnomon/last.json")));
    // Workers that never end, for units that are all new.
    project.write("list.c", &LIST_C.replace("all / parts", "1u + all / parts"));
    project.write("worker.sh", ": > working\nsleep 30\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gnomon"));
    command.current_dir(&project.root);
    command.args(["verify", "--write-baseline", "--worker", "/bin/sh worker.sh"]);
    let child = command.stderr(std::process::Stdio::piped()).spawn().expect("gnomon starts");
    while !project.root.join("working").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    let done = child.wait_with_output().expect("it ends");
    assert_eq!(done.status.code(), Some(130), "{}", told(&done));
    assert!(baseline() == before, "{}", told(&done));
    assert_eq!(std::fs::read(project.root.join(".gnomon/last.json")).ok(), last.ok());
}

#[test]
fn configurations_of_one_source_have_units_of_their_own() {
    let project = Project::new("configurations");
    project.write("share.c", "unsigned share(unsigned a, unsigned b) {\n#ifdef SAFE\n  if (!b) return 0;\n#endif\n  return a / b;\n}\n");
    project.write(
        "Makefile",
        "all:\n\t$(CC) -DSAFE -c share.c -o safe.o\n\t$(AR) cr libsafe.a safe.o\n\
         \t$(CC) -c share.c -o fast.o\n\t$(AR) cr libfast.a fast.o\n",
    );
    let done = project.gnomon(&["capture", "--", "make"]);
    assert!(done.status.success(), "{}", told(&done));
    let done = project.gnomon(&["verify"]);
    assert_eq!(project.verdict("libsafe.a:share:division"), "TRUE", "{}", told(&done));
    assert_eq!(project.verdict("libfast.a:share:division"), "FALSE", "{}", told(&done));
    // The same without links, and without outputs, as some tools write it.
    std::fs::remove_file(project.root.join("link_commands.json")).expect("removed");
    let entry = |flags: &str| {
        let root = project.root.display();
        format!(
            "{{\"directory\": \"{root}\", \"file\": \"share.c\", \"command\": \"cc {flags} -c share.c\"}}"
        )
    };
    project.write("compile_commands.json", &format!("[{}, {}]", entry("-DSAFE"), entry("")));
    let done = project.gnomon(&["verify"]);
    assert_eq!(project.verdict("library:share:division"), "TRUE", "{}", told(&done));
    assert_eq!(project.verdict("library 2:share:division"), "FALSE", "{}", told(&done));
}

#[test]
fn equal_functions_of_two_files_have_findings_of_their_own() {
    let project = Project::new("equal");
    for directory in ["a", "b"] {
        std::fs::create_dir(project.root.join(directory)).expect("a directory");
        let text = "unsigned part(unsigned a, unsigned b) { return a / b; }\n";
        project.write(&format!("{directory}/m.c"), text);
    }
    project.write(
        "Makefile",
        "all: a b\na b:\n\t$(CC) -c $@/m.c -o $@/m.o\n\t$(AR) cr lib$@.a $@/m.o\n.PHONY: a b\n",
    );
    let done = project.gnomon(&["capture", "--", "make"]);
    assert!(done.status.success(), "{}", told(&done));
    let done = project.gnomon(&["verify"]);
    let places = |text: &str| text.contains("a/m.c:1:") && text.contains("b/m.c:1:");
    assert!(places(&told(&done)) && told(&done).contains("2 findings"), "{}", told(&done));
}

#[test]
fn where_nothing_was_checked_that_is_no_success() {
    let project = Project::captured("nothing");
    let said = |done: &Output, what: &str| {
        assert_eq!(done.status.code(), Some(2), "{}", told(done));
        assert!(
            told(done).contains("nothing was checked") && told(done).contains(what),
            "{}",
            told(done)
        );
    };
    project.write("gnomon.toml", "exclude = [\"*.c\"]\n");
    said(&project.gnomon(&["verify", "--fail-on", "never"]), "no function to begin at");
    project.write("gnomon.toml", "");
    project.write("list.h", "int;;;(\n");
    said(&project.gnomon(&["verify"]), "none of 2 files could be read");
    project.write("compile_commands.json", "[]");
    said(&project.gnomon(&["verify"]), "compiles no C file");
    // Where nothing can go wrong there is nothing to check, and that is one.
    let project = Project::captured("harmless");
    project.write("list.h", LIST_H);
    project.write("list.c", "int one(void) { return 1; }\n");
    project.write("main.c", "int main(void) { return 0; }\n");
    let done = project.gnomon(&["verify"]);
    assert_eq!(done.status.code(), Some(0), "{}", told(&done));
}

#[test]
fn names_of_nothing_are_errors() {
    let project = Project::captured("names-of-nothing");
    for (config, what) in [
        ("entries = [\"half\", \"nobody\"]", "no function `nobody`"),
        ("[[target]]\nname = \"nosuch\"", "no `nosuch`; it makes"),
        ("[[target]]\nname = \"prog\"\nentries = [\"share\", \"nobody\"]", "entries of prog: "),
    ] {
        project.write("gnomon.toml", config);
        let done = project.gnomon(&["verify", "--rounds", "1"]);
        assert_eq!(done.status.code(), Some(2), "{}", told(&done));
        assert!(told(&done).contains(what), "{}", told(&done));
    }
    let done = project.gnomon(&["verify", "--jobs", "0"]);
    assert_eq!(done.status.code(), Some(2), "{}", told(&done));
    // What was not read may have it.
    project.write("gnomon.toml", "entries = [\"half\", \"main\"]");
    project.write("main.c", "int main(void) { return }\n");
    let done = project.gnomon(&["verify", "--rounds", "1"]);
    assert!(told(&done).contains("no function `main`"), "{}", told(&done));
    assert_eq!(project.verdict("liblist.a:half:division"), "TRUE", "{}", told(&done));
}

#[test]
fn a_comment_above_an_assert_checks_nothing_again() {
    let project = Project::captured("assert");
    project.write("main.c", &MAIN_C.replace("== 3", "== 4"));
    let done = project.gnomon(&["verify", "--properties", "assert"]);
    assert!(told(&done).contains("main.c:7:"), "{}", told(&done));
    project.write(
        "main.c",
        &MAIN_C.replace("== 3", "== 4").replace("int main", "/* A\n\n comment. */\nint main"),
    );
    let done = project.gnomon(&["verify", "--properties", "assert"]);
    assert_eq!(project.results()["counts"]["attempts"], 0, "{}", told(&done));
    assert!(told(&done).contains("main.c:10:"), "{}", told(&done));
    let sarif = std::fs::read_to_string(project.root.join(".gnomon/report/results.sarif"));
    let sarif: Value = serde_json::from_str(&sarif.expect("SARIF")).expect("JSON");
    let flow = &sarif["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    let last = flow.as_array().expect("steps").last().expect("a step");
    let line = &last["location"]["physicalLocation"]["region"]["startLine"];
    assert_eq!(line, 10, "{last}");
}

#[test]
fn a_run_that_was_found_now_is_where_it_was_found() {
    let project = Project::captured("open");
    project.gnomon(&["verify"]);
    // As if a run before had left it open.
    let results = project.results();
    let units = results["units"].as_array().expect("units");
    let share = units.iter().find(|unit| unit["name"] == "liblist.a:share:division");
    let (two, rest) = share.expect("a unit")["key"].as_str().expect("a key").split_at(2);
    let file = |ending: &str| project.root.join(format!(".gnomon/cache/{two}/{rest}.{ending}"));
    let text = std::fs::read(file("json")).expect("a record");
    let mut record: Value = serde_json::from_slice(&text).expect("JSON");
    (record["verdict"], record["limited"]) = ("UNKNOWN".into(), true.into());
    (record["tried"], record["findings"]) = (0.into(), Value::Array(Vec::new()));
    std::fs::write(file("open.json"), record.to_string()).expect("written");
    std::fs::remove_file(file("json")).expect("removed");
    std::fs::remove_file(file("report.json")).expect("removed");
    project.write("list.c", &LIST_C.replace("unsigned share", "\n\nunsigned share"));
    let done = project.gnomon(&["verify"]);
    assert!(told(&done).contains("list.c:11:"), "{}", told(&done));
    let sarif = std::fs::read_to_string(project.root.join(".gnomon/report/results.sarif"));
    let sarif: Value = serde_json::from_str(&sarif.expect("SARIF")).expect("JSON");
    let flow = &sarif["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    let last = flow.as_array().expect("steps").last().expect("a step");
    let line = &last["location"]["physicalLocation"]["region"]["startLine"];
    assert_eq!(line, 11, "{last}");
}

#[test]
fn an_incremental_build_is_added_to_what_is_known() {
    let project = Project::captured("incremental");
    project.write(
        "list.c",
        &LIST_C.replace(
            "unsigned half",
            "unsigned third(unsigned a) { return 7u / (a | 1u); }\nunsigned half",
        ),
    );
    // Files of the same moment are no news for make.
    let mut touch = Command::new("touch");
    touch.args(["-d", "+2 seconds"]).arg(project.root.join("list.c"));
    assert!(touch.status().expect("touch starts").success());
    let done = project.gnomon(&["capture", "--", "make"]);
    assert!(
        done.status.success() && told(&done).contains("2 compilations and 2 links"),
        "{}",
        told(&done)
    );
    assert!(
        told(&done).contains("1 of the compilations are from earlier builds"),
        "{}",
        told(&done)
    );
    // A build that has nothing to do says so, and keeps what is known.
    let done = project.gnomon(&["capture", "--", "true"]);
    assert!(done.status.success() && told(&done).contains("2 compilations"), "{}", told(&done));
    let done = project.gnomon(&["verify"]);
    assert_eq!(project.verdict("prog:main:assert"), "TRUE", "{}", told(&done));
    assert_eq!(project.verdict("liblist.a:third:division"), "TRUE", "{}", told(&done));
}

#[test]
fn a_broken_result_is_found_out_and_written_again() {
    let project = Project::captured("broken");
    project.gnomon(&["verify"]);
    let results = project.results();
    let units = results["units"].as_array().expect("units");
    let share = units.iter().find(|unit| unit["name"] == "liblist.a:share:division");
    let key = share.expect("a unit")["key"].as_str().expect("a key");
    let (two, rest) = key.split_at(2);
    project.write(&format!(".gnomon/cache/{two}/{rest}.json"), "{\"key\": \"");
    for attempts in [1, 0] {
        let done = project.gnomon(&["verify"]);
        assert_eq!(project.results()["counts"]["attempts"], attempts, "{}", told(&done));
        assert_eq!(project.verdict("liblist.a:share:division"), "FALSE");
    }
}

#[test]
fn a_full_disk_costs_its_unit_only() {
    let project = Project::captured("full");
    // Of one unit, the worker may write no file; the answer still comes.
    let gnomon = env!("CARGO_BIN_EXE_gnomon");
    project.write(
        "worker.sh",
        &format!(
            "for word; do case $word in --key=*) key=${{word#--key=}};; --cache=*) cache=${{word#--cache=}};; esac; done\n\
             if grep -q '\"entry\":\"share\"' $cache/units/*/$key.json; then trap '' XFSZ; ulimit -f 0; fi\n\
             exec {gnomon} unit-worker \"$@\"\n"
        ),
    );
    let done = project.gnomon(&["verify", "--fail-on", "never", "--worker", "/bin/sh worker.sh"]);
    assert_eq!(project.verdict("liblist.a:share:division"), "FALSE", "{}", told(&done));
    assert_eq!(project.verdict("liblist.a:half:division"), "TRUE", "{}", told(&done));
    // The report cannot be written: that is said before anything is checked, or what was found is told all the same.
    let done = project.gnomon(&["verify", "--output", "/proc/gnomon"]);
    assert_eq!(done.status.code(), Some(2), "{}", told(&done));
    assert!(!told(&done).contains("units"), "{}", told(&done));
    std::fs::remove_file(project.root.join(".gnomon/report/results.sarif")).expect("removed");
    std::fs::create_dir(project.root.join(".gnomon/report/results.sarif")).expect("a directory");
    let done = project.gnomon(&["verify"]);
    assert_eq!(done.status.code(), Some(2), "{}", told(&done));
    assert!(told(&done).contains("list.c:9:"), "{}", told(&done));
    // Nothing at all can be written into the cache: units fail, and that is no success.
    let project = Project::captured("full-cache");
    project.write(
        "gnomon.sh",
        &format!("trap '' XFSZ\nulimit -f 0\nexec {gnomon} verify --output /dev/shm/gnomon-none\n"),
    );
    let mut command = Command::new("/bin/sh");
    let done = command.current_dir(&project.root).arg("gnomon.sh").output().expect("it starts");
    assert!(!done.status.success() && done.status.code().is_some(), "{}", told(&done));
    assert!(told(&done).contains("File too large"), "{}", told(&done));
}

#[test]
fn a_unit_that_needs_too_much_memory_is_ended() {
    let project = Project::captured("memory");
    // Even the smallest worker needs more.
    project
        .write("gnomon.toml", "properties = [\"division\"]\n[limits]\nrounds = [2]\nmemory = 1\n");
    let done = project.gnomon(&["verify", "--fail-on", "never"]);
    assert_eq!(project.verdict("liblist.a:half:division"), "UNKNOWN", "{}", told(&done));
    let results = project.results();
    assert_eq!(results["counts"]["failed"], 0);
    assert_eq!(results["units"][0]["reason"], "more than 1 MB of memory were used");
}

#[test]
fn entries_and_harness_say_where_checks_begin() {
    let project = Project::captured("entries");
    let names = |config: &str| {
        project.write("gnomon.toml", config);
        let done = project.gnomon(&[
            "verify",
            "--properties",
            "division",
            "--rounds",
            "1",
            "--fail-on",
            "never",
        ]);
        assert_eq!(done.status.code(), Some(0), "{}", told(&done));
        let results = project.results();
        let units = results["units"].as_array().expect("units").iter();
        let mut names: Vec<String> = units
            .map(|unit| unit["name"].as_str().unwrap_or_default().replace(":division", ""))
            .collect();
        names.sort();
        names.join(" ")
    };
    // main of programs and exported functions of libraries; what cannot go wrong has no unit.
    assert_eq!(names(""), "liblist.a:half liblist.a:share prog:main");
    assert_eq!(names("entries = \"main\""), "prog:main");
    // Every exported function, of programs too.
    assert_eq!(
        names("entries = \"exported\""),
        "liblist.a:half liblist.a:share prog:half prog:main prog:share"
    );
    assert_eq!(names("entries = [\"half\"]"), "liblist.a:half prog:half");
    // Several files of harness belong to every program and library, and their functions are entries like others.
    project.write("one.c", "void __VERIFIER_assume(int); unsigned nondet(void); unsigned share(unsigned, unsigned);\n\
        unsigned with_parts(unsigned parts) { __VERIFIER_assume(parts != 0); return share(7, parts); }\n");
    project.write(
        "two.c",
        "unsigned share(unsigned, unsigned);\nunsigned without(void) { return share(7, 0); }\n",
    );
    let both = "harness = [\"one.c\", \"two.c\"]\nentries = [\"with_parts\", \"without\"]";
    assert_eq!(names(both), "liblist.a:with_parts liblist.a:without prog:with_parts prog:without");
    assert_eq!(project.verdict("liblist.a:with_parts:division"), "TRUE");
    assert_eq!(project.verdict("liblist.a:without:division"), "FALSE");
    let auto = names("harness = [\"one.c\", \"two.c\"]");
    assert_eq!(
        auto,
        "liblist.a:half liblist.a:share liblist.a:with_parts liblist.a:without prog:main"
    );
}
