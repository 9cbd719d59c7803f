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
fn a_worker_that_fails_costs_its_unit_only() {
    let project = Project::captured("crash");
    // It crashes on one function, and is the real one for the others; of another, the cache has no room.
    let gnomon = env!("CARGO_BIN_EXE_gnomon");
    project.write(
        "worker.sh",
        &format!(
            "for word; do case $word in --key=*) key=${{word#--key=}};; --cache=*) cache=${{word#--cache=}};; esac; done\n\
             if grep -q '\"entry\":\"share\"' $cache/units/$key.json; then echo $key >> tries; kill -9 $$; fi\n\
             exec {gnomon} unit-worker \"$@\"\n"
        ),
    );
    let done = project.gnomon(&["verify", "--worker", "/bin/sh worker.sh"]);
    assert_eq!(project.verdict("liblist.a:half:division"), "TRUE", "{}", told(&done));
    let results = project.results();
    assert_eq!(results["counts"]["failed"], 1);
    let tries = std::fs::read_to_string(project.root.join("tries")).expect("tries");
    assert_eq!(tries.lines().count(), 2, "{}", told(&done));
    let junit = std::fs::read_to_string(project.root.join(".gnomon/report/junit.xml"));
    assert!(junit.expect("JUnit").contains("errors=\"1\""));
    // The next run asks for it again, and for nothing else.
    let done = project.gnomon(&["verify"]);
    assert_eq!(project.results()["counts"]["attempts"], 1, "{}", told(&done));
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
    let has_units = || std::fs::read_dir(&units).is_ok_and(|mut entries| entries.next().is_some());
    while !has_units() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    let done = child.wait_with_output().expect("it ends");
    assert_eq!(done.status.code(), Some(130), "{}", told(&done));
    assert_eq!(project.results()["stopped"], true);
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
