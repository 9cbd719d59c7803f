//! Several specs in one go: every site has a verdict of its own, whatever runs at once.

#[path = "../../spec/tests/ready/mod.rs"]
mod ready;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gnomon_budget::Budget;
use gnomon_engine::facts::Facts;
use gnomon_engine::property::{Property, Site};
use gnomon_engine::verdict::Verdict;
use gnomon_spec::{Woven, weave};
use gnomon_testkit::Reader;
use gnomon_verify::decide::{Options, entry};
use gnomon_verify::groups::{GroupOptions, GroupReport, check_groups};

const PROGRAM: &str = "typedef struct file FILE;
    extern FILE *fopen(const char *, const char *);
    extern int fclose(FILE *), fgetc(FILE *), __VERIFIER_nondet_int(void);
    typedef struct { int n; } pthread_mutex_t;
    extern int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);
    static pthread_mutex_t guard;
    static int first(FILE *f) { int c = fgetc(f); if (c < 0) fclose(f); return c; }
    static void late(FILE *f) { fclose(f); fclose(f); }
    int main(void) {
        FILE *f = fopen(\"a\", \"r\");
        if (!f) return 1;
        pthread_mutex_lock(&guard);
        int c = first(f);
        if (__VERIFIER_nondet_int() == 5) pthread_mutex_lock(&guard);
        pthread_mutex_unlock(&guard);
        if (c >= 0) late(f);
        return c;
    }";

fn woven() -> Woven {
    let program = Reader::default().with_models().text(PROGRAM);
    weave(&program, "main", &["file", "lock"].map(ready::spec)).expect("woven")
}

fn checked(woven: &Woven, jobs: usize) -> Vec<GroupReport> {
    let site = |func, edge| Site { func, edge };
    let violations = woven.violations.iter();
    let edges = violations.map(|v| (site(v.func, v.edge), v.message.clone())).collect();
    let property = Property { functions: Vec::new(), edges, ..Property::default() };
    let options = Options { property, ..Options::default() };
    let how = GroupOptions { time: Duration::from_secs(30), jobs, stack: 64 << 20 };
    let told = AtomicUsize::new(0);
    let done = |count: usize, all: usize| {
        assert!(count <= all);
        told.fetch_add(1, Ordering::Relaxed);
    };
    let budget = Budget::unlimited();
    let believed = |_: &_, _: &_, _: &_, _: &_| Ok(None);
    let main = entry(&woven.program, &options).expect("main");
    let facts = Facts::new(&woven.program, main, options.memory, &budget);
    let program = &woven.program;
    let groups = check_groups(program, &facts, &options, &[], how, &budget, &done, &believed)
        .expect("checked");
    assert_eq!(told.into_inner(), groups.len());
    groups
}

/// The line, the message and the verdict of every site.
fn lines(woven: &Woven, groups: &[GroupReport]) -> Vec<String> {
    let mut lines = Vec::new();
    for report in groups.iter().flat_map(|group| &group.sites) {
        let site = report.site.expect("a site");
        let body = woven.program.funcs[site.func].body.as_ref().expect("a body");
        let verdict = match &report.report.verdict {
            Verdict::True(_) => "true".to_owned(),
            Verdict::False(_) => "false".to_owned(),
            Verdict::Unknown(reason) => reason.to_string(),
        };
        lines.push(format!("{} {}: {verdict}", body.edge(site.edge).span.line, report.what));
    }
    lines.sort();
    lines
}

#[test]
fn every_site_has_its_own_verdict() {
    let woven = woven();
    let groups = checked(&woven, 1);
    assert_eq!(groups.len(), 3);
    let expected = [
        "11 the lock is still held at the end: true",
        "12 the lock is taken while it is held: true",
        "14 the lock is taken while it is held: false",
        "15 the lock is released while it is not held: true",
        "17 the lock is still held at the end: true",
        "7 the stream is closed twice: true",
        "7 the stream is used after it was closed: true",
        "8 the stream is closed twice: false",
        "8 the stream is closed twice: true",
    ];
    assert_eq!(lines(&woven, &groups), expected);
    assert_eq!(lines(&woven, &checked(&woven, 3)), expected);
}
