//! The page of `gnomon check --html`, in a real browser.
//!
//! A script that is put into a copy of the page presses keys and clicks as a user does, and leaves
//! what it saw in the title. Without `chromium` the tests say so and do nothing, unless
//! `GNOMON_BROWSER=required`. Pictures are left in `GNOMON_PICTURES`, if that names a directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use gnomon_project::results::{Counts, Finding, Results, Severity, State, Trend, UnitResult};
use gnomon_report::html::Page;
use gnomon_report::html::error_paths::{
    ErrorPath, ErrorPathInput, ErrorPathStep, ProjectedLine, ProjectedLines,
};
use gnomon_report::model::{Location, Report, SCHEMA, Task, Tool, VERSION, VerdictName};

/// The browser, if there is one.
fn browser() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|done| done.status.success())
    });
    if found.is_none() {
        let required = std::env::var("GNOMON_BROWSER").is_ok_and(|value| value == "required");
        assert!(!required, "no browser is installed, and GNOMON_BROWSER=required");
        eprintln!("skipped: no browser is installed (scripts/setup installs chromium)");
    }
    found
}

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).expect("a directory");
    directory
}

/// Opens a page with a script in it, and gives what the script left in the title.
fn driven(browser: &str, page: &str, script: &str, directory: &Path, picture: &str) -> String {
    let file = directory.join("driven.html");
    let script = format!("<script>window.onload = () => {{ {script} }};</script></body>");
    std::fs::write(&file, page.replace("</body>", &script)).expect("a page");
    let address = format!("file://{}", file.display());
    let run = |arguments: &[&str]| {
        let mut command = Command::new(browser);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]);
        command.arg(format!("--user-data-dir={}", directory.join("profile").display()));
        command.args(["--window-size=1200,800", "--virtual-time-budget=5000"]);
        let done = command.args(arguments).arg(&address).output().expect("the browser starts");
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    if let Ok(folder) = std::env::var("GNOMON_PICTURES") {
        let file = Path::new(&folder).join(picture);
        run(&[&format!("--screenshot={}", file.display())]);
    }
    let shown = run(&["--dump-dom"]);
    let title = shown.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    title.expect("a title").to_owned()
}

#[test]
fn the_page_is_stepped_through_and_clicked() {
    let Some(browser) = browser() else { return };
    let directory = directory("page");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/project.in");
    let done = Command::new(env!("CARGO_BIN_EXE_gnomon"))
        .current_dir(source)
        .args(["check", "--quiet", "--html"])
        .arg(&directory)
        .arg("units.c")
        .output()
        .expect("gnomon starts");
    assert_eq!(String::from_utf8_lossy(&done.stdout), "VERDICT: FALSE\n");
    let page = std::fs::read_to_string(directory.join("index.html")).expect("the page");
    for outside in ["src=", "<link", "fetch(", "url(http", "@import"] {
        assert!(!page.contains(outside), "the page asks for something else: {outside}");
    }
    let script = "
        const seen = [];
        const press = key => document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        const now = () => { const l = document.querySelector('.l.now'); return l ? l.dataset.k : 'none'; };
        seen.push(document.getElementById('verdict').textContent);
        press('ArrowRight'); const first = now();
        press('j'); const second = now();
        press('k'); seen.push(first !== second && now() === first ? 'stepped' : 'stuck');
        const sliced = document.querySelectorAll('#steps li').length;
        press('s'); const all = document.querySelectorAll('#steps li').length;
        seen.push(all > sliced ? 'sliced' : 'unsliced'); press('s');
        seen.push([...document.querySelectorAll('.l.can')].length > 0 ? 'shaded' : 'plain');
        seen.push([...document.querySelectorAll('.l.cannot')].map(l => l.dataset.k).join(' '));
        document.querySelector('.l.can[data-k=\"units.c:20\"]').click();
        seen.push(document.getElementById('run-title').textContent);
        const note = document.getElementById('line-note').textContent;
        const parts = /^It fails with the inputs path = (-?[0-9]+) \\(line 15\\)\\. An error path passes this line (if .*)\\.$/.exec(note);
        seen.push(parts && +parts[1] <= 0 ? `with path at most 0, ${parts[2]}` : note);
        seen.push(document.querySelector('#steps li.now').textContent);
        seen.push(now());
        document.querySelector('[data-tab=graph]').click();
        seen.push(document.querySelector('#svg svg') ? 'drawn' : 'empty');
        press('1');
        seen.push(document.getElementById('run').classList.contains('on') ? 'run' : 'other');
        document.title = seen.join('|');
    ";
    let seen = driven(browser, &page, script, &directory, "page.png");
    assert_eq!(
        seen,
        "FALSE|stepped|sliced|shaded|units.c:17 units.c:18 units.c:24|\
         an error path over units.c:20 (feasible, executed)|\
         with path at most 0, if !(units == 2)|units.c:20  units = 0; units = 0|units.c:20|drawn|run"
    );
}

#[test]
fn the_page_of_a_proof_shows_the_tree() {
    let Some(browser) = browser() else { return };
    let directory = directory("proof-page");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/check.in");
    let done = Command::new(env!("CARGO_BIN_EXE_gnomon"))
        .current_dir(source)
        .args(["check", "--engine", "lazy", "--no-search", "--quiet", "--html"])
        .arg(&directory)
        .arg("safe.c")
        .output()
        .expect("gnomon starts");
    assert_eq!(String::from_utf8_lossy(&done.stdout), "VERDICT: TRUE\n");
    let page = std::fs::read_to_string(directory.join("index.html")).expect("the page");
    let script = "
        document.dispatchEvent(new KeyboardEvent('keydown', { key: '5', bubbles: true }));
        const tree = document.getElementById('tree');
        const nodes = [...tree.querySelectorAll('li')].map(li => li.textContent);
        document.title = [
            tree.classList.contains('on') ? 'on' : 'off',
            nodes[0].startsWith('0: ') ? 'rooted' : nodes[0],
            nodes.some(n => /^[1-9][0-9]*: safe\\.c:[0-9]+ /.test(n)) ? 'placed' : nodes.join(' / '),
            nodes.some(n => n.includes('covered by')) ? 'covered' : 'open',
        ].join('|');
    ";
    let seen = driven(browser, &page, script, &directory, "tree.png");
    assert_eq!(seen, "on|rooted|placed|covered");
}

#[test]
fn a_large_program_opens_soon() {
    let Some(browser) = browser() else { return };
    let directory = directory("large-page");
    let lines = 10_000;
    let text: String = (1..=lines).map(|n| format!("    total_{n} = total_{n} + {n};\n")).collect();
    let report = Report {
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
        verdict: VerdictName::Unknown,
        findings: Vec::new(),
        assumptions: Vec::new(),
        engine: None,
        counts: BTreeMap::new(),
        seconds: BTreeMap::new(),
    };
    let path = |line: u32| ErrorPath {
        feasibility: "feasible",
        ends_in_error: true,
        steps: (1..=20)
            .map(|step| ErrorPathStep(0, line + step, 1, "x = 1".into(), true))
            .collect(),
        left_out: 0,
        inputs: vec![ErrorPathInput { place: "x".into(), value: "1".into(), line }],
        no_values: None,
    };
    let line = |number: u32| ProjectedLine {
        file: "large.c".into(),
        line: 2 * number,
        conditions: vec![vec![format!("total_{number} > 0")]],
        path: Some(number as usize - 1),
    };
    let projection = ProjectedLines {
        files: vec!["large.c".into()],
        lines: (1..=5_000).map(line).collect(),
        paths: (1..=5_000).map(|n| path(2 * n)).collect(),
        all: (1..=lines).map(|n| ("large.c".into(), n)).collect(),
    };
    let page = Page {
        report: &report,
        sources: BTreeMap::from([("large.c".into(), text)]),
        projection: Some(projection),
        no_projection: None,
        graphs: BTreeMap::new(),
        tree: Vec::new(),
        timeline: BTreeMap::new(),
    };
    let page = page.html().expect("a page");
    let script = "document.title = document.querySelectorAll('.l').length + '|' +
        document.documentElement.dataset.ready;";
    let seen = driven(browser, &page, script, &directory, "large-page.png");
    let (rows, milliseconds) = seen.split_once('|').expect("two numbers");
    // Behind the last line end is one more.
    assert_eq!(rows, (lines + 1).to_string());
    let milliseconds: f64 = milliseconds.parse().expect("a number");
    println!("ready after {milliseconds} ms");
    assert!(milliseconds < 2_000.0, "{milliseconds} ms");
}

#[test]
fn the_index_of_a_project_opens_soon() {
    let Some(browser) = browser() else { return };
    let directory = directory("project-index");
    let place = |number: u32| Location {
        file: format!("src/file_{}.c", number / 50),
        line: number % 50 + 1,
        column: 3,
        end_line: number % 50 + 1,
        end_column: 9,
        function: format!("function_{number}"),
    };
    let finding = |number: u32| Finding {
        fingerprint: format!("{number:064x}"),
        rule: if number.is_multiple_of(3) { "division-by-zero" } else { "signed-overflow" }.into(),
        severity: if number.is_multiple_of(4) { Severity::Error } else { Severity::Warning },
        what: format!("it goes wrong for </script> {number}"),
        location: Some(place(number)),
        units: vec![format!("lib:function_{number}:overflow")],
        key: "0".into(),
        known: number.is_multiple_of(2),
        is_new: number < 5,
    };
    let unit = |number: u32| UnitResult {
        name: format!("lib:function_{number}:overflow"),
        target: "lib".into(),
        entry: format!("function_{number}"),
        file: place(number).file,
        line: number,
        group: "overflow".into(),
        key: "0".into(),
        verdict: [VerdictName::False, VerdictName::True, VerdictName::Unknown][number as usize % 3],
        reason: Some("out of time".into()),
        sites: None,
        known_before: false,
        state: State::Done,
        seconds: 0.5,
        memory: 50,
    };
    let counts = Counts { units: 30_000, proved: 10_000, violated: 10_000, ..Counts::default() };
    let results = Results {
        schema: gnomon_project::results::SCHEMA.into(),
        version: gnomon_project::results::VERSION,
        tool: "0".into(),
        stopped: false,
        counts,
        targets: Vec::new(),
        findings: (0..10_000).map(finding).collect(),
        units: (0..30_000).map(unit).collect(),
        unreadable: Vec::new(),
        assumptions: BTreeMap::new(),
        trend: Some(Trend { new_findings: 5, gone: vec![finding(10_001)], before: [1, 2, 3] }),
    };
    let page = gnomon_project::forms::page::html(&results, "large").expect("a page");
    for outside in ["<link", "fetch(", "url(http", "@import", "https://"] {
        assert!(!page.contains(outside), "the page asks for something else: {outside}");
    }
    let script = "
        const seen = [document.documentElement.dataset.ready];
        const rows = () => document.querySelectorAll('tr.row').length;
        const type = text => { const s = document.getElementById('search'); s.value = text; s.oninput(); };
        seen.push(rows(), document.getElementById('count').textContent);
        type('function_4321 overflow'); seen.push(document.getElementById('count').textContent);
        type(''); document.getElementById('state').value = 'since the last run'; document.getElementById('state').onchange();
        seen.push(rows());
        document.getElementById('tab-open').click(); seen.push(document.getElementById('count').textContent);
        document.getElementById('tab-trend').click();
        seen.push(document.getElementById('view').textContent.includes('1 findings are gone'));
        document.title = seen.join('|');
    ";
    let seen = driven(browser, &page, script, &directory, "project-index.png");
    let (milliseconds, seen) = seen.split_once('|').expect("several things");
    assert_eq!(seen, "200|10000 shown|1 shown|5|10000 shown|true");
    let milliseconds: f64 = milliseconds.parse().expect("a number");
    println!("ready after {milliseconds} ms");
    assert!(milliseconds < 2_000.0, "{milliseconds} ms");
}

/// The worked example of the guide: bc 1.07.1, whose configured sources are in the directory that
/// `GNOMON_BC` names. They are no part of this repository, so without it there is nothing to do.
#[test]
fn the_page_of_a_real_program_is_clicked() {
    let (Some(browser), Ok(sources)) = (browser(), std::env::var("GNOMON_BC")) else {
        eprintln!("skipped: GNOMON_BC names no directory with the sources of bc");
        return;
    };
    let directory = directory("worked-example");
    let files = ["bc", "execute", "global", "load", "main", "scan", "storage", "util", "warranty"];
    let files = files.iter().map(|name| format!("bc/{name}.c"));
    let library = ["getopt", "getopt1", "number", "vfprintf"];
    let files = files.chain(library.iter().map(|name| format!("lib/{name}.c")));
    let done = Command::new(env!("CARGO_BIN_EXE_gnomon"))
        .current_dir(&sources)
        .args(["check", "--unknown-functions=pure", "--reach", "main.c:138"])
        .args(["-DHAVE_CONFIG_H", "-Ibc", "-Ilib", "-Ih", "-I.", "--html"])
        .arg(&directory)
        .args(files)
        .output()
        .expect("gnomon starts");
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(text.ends_with("VERDICT: FALSE\n"), "{text}");
    let page = std::fs::read_to_string(directory.join("index.html")).expect("a page");
    // A click on the line that parses the options.
    let script = "
        const line = document.querySelector('.l.can[data-k=\"bc/main.c:93\"]');
        line.click();
        document.title = document.querySelectorAll('.l').length + '|' +
            document.documentElement.dataset.ready + '|' +
            document.getElementById('run-title').textContent;";
    let seen = driven(browser, &page, script, &directory, "worked-example.png");
    let parts: Vec<&str> = seen.split('|').collect();
    let rows: u32 = parts[0].parse().expect("a number");
    let milliseconds: f64 = parts[1].parse().expect("a number");
    println!("{rows} lines, ready after {milliseconds} ms");
    assert!(rows > 5_000, "{seen}");
    assert_eq!(parts[2], "an error path over bc/main.c:93 (feasible, executed)");
    assert!(milliseconds < 2_000.0, "{seen}");
}
