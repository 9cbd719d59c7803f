//! The page of `gnomon check --html`, in a real browser: every tab and panel, keys, links, both colours,
//! and what keeps people from using it (axe-core).

mod browser;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use gnomon_project::results::{Counts, Finding, Results, Severity, State, Trend, UnitResult};
use gnomon_report::html::data::Scopes;
use gnomon_report::html::error_paths::{
    ErrorPath, ErrorPathInput, ErrorPathStep, ProjectedLine, ProjectedLines,
};
use gnomon_report::html::{Page, Tree};
use gnomon_report::model::{Location, Report, SCHEMA, Task, Tool, VERSION, VerdictName};

use browser::{Colours, Opened, axe, browser, directory};

/// A door that fails after three events; a loop before them is passed ten times.
const DOOR: &str = r#"extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
enum state { IDLE, OPEN, BUSY, CLOSED };
static enum state door;
static int opened;

static void record(int by) {
  opened += by;
}

static int step(int event) {
  if (door == IDLE && event == 1) {
    door = OPEN;
    record(1);
  } else if (door == OPEN && event == 2) {
    door = BUSY; /* A door that is busy
                    must not be closed. */
  } else if (door == BUSY && event == 3) {
    door = CLOSED;
  }
  return door;
}

int main(void) {
  int passes = 0;
  for (int i = 0; i < 10; i++) {
    passes += 2;
  }
  while (1) {
    int event = __VERIFIER_nondet_int();
    int now = step(event);
    if (now == CLOSED && passes == 20)
      reach_error();
  }
}
"#;

/// Four divisions, two of which can go wrong.
const DIVISIONS: &str = "extern int __VERIFIER_nondet_int(void);
static int scale(int value, int by) {
  return value / by;
}
int main(void) {
  int total = 40;
  total = total / 2;
  int first = __VERIFIER_nondet_int();
  total = 100 / first;
  int second = __VERIFIER_nondet_int();
  total = scale(total, second);
  return total;
}
";

/// Checks a text with options, and gives the page and the verdict.
fn page_of(directory: &Path, name: &str, text: &str, options: &[&str]) -> (String, String) {
    std::fs::write(directory.join(name), text).expect("a program");
    let done = Command::new(env!("CARGO_BIN_EXE_gnomon"))
        .current_dir(directory)
        .args(["check", "--quiet", "--html", "."])
        .args(options)
        .arg(name)
        .output()
        .expect("gnomon starts");
    let page = std::fs::read_to_string(directory.join("index.html")).expect("the page");
    for outside in ["src=", "<link", "fetch(", "url(http", "@import", "https://"] {
        assert!(!page.contains(outside), "the page asks for something else: {outside}");
    }
    (page, String::from_utf8_lossy(&done.stdout).into_owned())
}

fn opened<'a>(
    browser: &'a str,
    page: &'a str,
    directory: &'a Path,
    picture: &'a str,
) -> Opened<'a> {
    Opened { browser, page, link: "", colours: Colours::Light, directory, picture }
}

/// Milliseconds in which a page is ready. Alone it takes about one second (`crates/report/BENCH.md`); here other tests
/// use the processors at the same time.
const OPENS_SOON: f64 = 8_000.0;
/// Milliseconds in which the index of a project with 10,000 findings is ready.
const INDEX_OPENS: f64 = 2_000.0;

#[test]
fn the_page_of_a_bug_opens_at_the_failure() {
    let Some(browser) = browser() else { return };
    let directory = directory("bug-page");
    let (page, said) = page_of(&directory, "door.c", DOOR, &[]);
    assert_eq!(said, "VERDICT: FALSE\n");
    let page = opened(browser, &page, &directory, "bug");
    // The failing line is in view, the last step is selected, and the run is what is shown.
    let opening = "
        const line = document.querySelector('.l.now');
        const last = [...document.querySelectorAll('#steps li')].at(-1);
        return [text('#verdict'), text('#message'), shown(), now(), inView(line, id('source')), line.classList.contains('fails'),
            line.nextElementSibling.className, last.getAttribute('aria-selected'), inView(last, id('steps')), location.hash !== ''].join('|');";
    let seen = page.driven(opening);
    assert_eq!(
        seen,
        "FALSE|reach_error() is called — door.c:33|run|door.c:33|true|true|callout FALSE|true|true|true"
    );
    // Colours of C, also over two lines of a comment, and a legend.
    let colours = "
        const row = line => document.querySelector(`.l[data-k='door.c:${line}']`);
        return [row(3).querySelector('.k').textContent, row(4).querySelector('.k').textContent, row(7).querySelector('.y').textContent,
            row(17).querySelector('.c').textContent.trim(), row(14).querySelector('.f').textContent, row(12).querySelector('.n').textContent,
            texts('#legend .key').slice(0, 3).join(' / ')].join('|');";
    assert_eq!(
        page.driven(colours),
        "enum|static|void|must not be closed. */|record|1|▶selected step / •on the run / ✖fails here"
    );
    // Steps by keys and by buttons; what does not matter; loops are folded and opened.
    let steps = "
        const seen = [], order = [], numbers = () => [...document.querySelectorAll('#steps li[data-i]')].length;
        press('Home'); order.push(now()); press('j'); order.push(now()); press('ArrowRight'); order.push(now());
        press('k'); order.push(now()); press('ArrowLeft'); press('Home'); seen.push(order[1] === order[3] && now() === order[0]);
        id('next').click(); seen.push(now() === order[1]); id('last').click(); seen.push(now()); id('first').click(); seen.push(now() === order[0]);
        press('End'); id('previous').click(); seen.push(now() !== 'door.c:33');
        const folded = texts('#steps li.fold'); seen.push(folded.join(' '));
        const before = numbers(); press('Home'); press('o'); seen.push(numbers() > before, document.querySelector('#steps li.fold').getAttribute('aria-expanded'));
        press('o'); seen.push(numbers() === before);
        document.querySelector('#steps li.fold').click(); seen.push(numbers() > before); document.querySelector('#steps li.fold').click();
        press('s'); seen.push(numbers() > before, id('slice').getAttribute('aria-pressed')); press('s'); seen.push(id('slice').getAttribute('aria-pressed'));
        return seen.join('|');";
    assert_eq!(
        page.driven(steps),
        "true|true|door.c:33|true|true|▸ 9 more iterations|true|true|true|true|true|false|true"
    );
    // Values at a step, changes are marked; the call stack, whose entries are links.
    let memory = "
        const values = () => texts('#variables tbody tr').join('; ');
        const to = what => { press('Home'); for (let i = 0; i < 200; i++) { const s = document.querySelector('#steps li.now'); if (s.textContent.includes(what)) return; press('j'); } };
        const seen = []; press('End'); seen.push(values());
        to('door = CLOSED'); seen.push(texts('#variables tr.changed').join(';'), texts('#stack button').join(' < '));
        document.querySelectorAll('#stack button')[1].click(); seen.push(now());
        return seen.join('|');";
    let seen = page.driven(memory);
    let parts: Vec<&str> = seen.split('|').collect();
    for known in ["event3inputline 30", "now3line 31", "passes20line 27", "global", "door3line 19"]
    {
        assert!(parts[0].contains(known), "{known} is not in {seen}");
    }
    assert_eq!(
        parts[1..],
        ["door3 was 2stored nowline 19", "step line 19 < main line 31", "door.c:31"]
    );
    // No line of the run is called impossible, neither by its colour nor by what is said when it is chosen.
    let agreement = "
        if (!data.projection) return 'no projection: ' + data['no-projection'];
        const lines = new Set(data.findings[0].run.steps.map(([file, line]) => `${data.files[file]}:${line}`)), wrong = [];
        for (const k of lines) {
            const row = document.querySelector(`.l[data-k='${k}']`);
            if (row.classList.contains('cannot') || !row.classList.contains('can')) wrong.push(k);
            row.click();
            if (/infeasible|cannot/.test(text('#run-head')) || now() !== k) wrong.push(`${k} ${now()}: ${text('#run-head')}`);
        }
        return `${lines.size > 10} ${wrong.join(', ')}`;";
    assert_eq!(page.driven(agreement), "true ");
}

#[test]
fn tabs_keys_search_and_help_work() {
    let Some(browser) = browser() else { return };
    let directory = directory("tabs-page");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/project.in/units.c");
    let text = std::fs::read_to_string(source).expect("a program");
    let (page, said) = page_of(&directory, "units.c", &text, &[]);
    assert_eq!(said, "VERDICT: FALSE\n");
    let page = opened(browser, &page, &directory, "tabs");
    let tabs = "
        const seen = [texts('#tabs button').join(' ')];
        for (const key of ['1', '2', '3', '4', '5', '6']) { press(key); seen.push(shown()); }
        id('tab-about').click(); seen.push(shown(), id('tab-about').getAttribute('aria-selected'), id('tab-run').tabIndex);
        id('tab-about').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true })); seen.push(shown(), document.activeElement.id);
        return seen.join('|');";
    assert_eq!(
        page.driven(tabs),
        "Run Verdict Projection Graph Tree Statistics|run|about|projection|graph|tree|statistics|\
         about|true|-1|projection|tab-projection"
    );
    // Every panel has what it is for.
    let panels = "
        const seen = [];
        press('2'); seen.push(/FALSE.*reach_error[(][)] is called/.test(text('#about')), /entry ?main/.test(text('#about')));
        press('3'); seen.push(/lines with code can lie on an error path/.test(text('#projection')), document.querySelectorAll('#projection .bar').length > 3);
        press('4'); seen.push(document.querySelectorAll('#svg rect').length > 3, document.querySelectorAll('#svg g.now').length > 0, document.querySelectorAll('#svg g.run').length > 1, id('function').value);
        const wide = () => document.querySelector('#svg svg').getBoundingClientRect().width, before = wide(); id('larger').click(); const after = wide(); seen.push(after > before); id('smaller').click(); seen.push(wide() < after); id('fit').click();
        id('function').value = 'take'; id('function').onchange(); seen.push(document.querySelector('#svg svg').getAttribute('aria-label'));
        document.querySelector(`#svg g[data-k='units.c:8']`).dispatchEvent(new MouseEvent('click', { bubbles: true })); seen.push(document.querySelector('.l.linked').dataset.k);
        press('5'); seen.push(/reachability tree/.test(text('#tree')));
        press('6'); seen.push(/Seconds.*Counts/.test(text('#statistics')));
        return seen.join('|');";
    assert_eq!(
        page.driven(panels),
        "true|true|true|true|true|true|true|main|true|true|Control flow automaton of take|units.c:8|true|true"
    );
    // The projection: lines that can and cannot lie on an error path, and a path over one.
    let projection = "
        const seen = [texts('.l.cannot b').join(' '), id('source').classList.contains('heat')];
        press('h'); seen.push(id('source').classList.contains('heat')); id('heat').click(); seen.push(id('heat').getAttribute('aria-pressed'));
        document.querySelector(`.l[data-k='units.c:20']`).click(); seen.push(now(), /This line is on the run that was found/.test(text('#run-note')));
        press('n'); const next = now(); press('p'); seen.push(next !== 'units.c:20', now());
        press('3'); document.querySelector(`#projection button[data-k='units.c:20']`).click(); seen.push(shown(), now()); press('r'); seen.push(now());
        return seen.join('|');";
    assert_eq!(
        page.driven(projection),
        "17 18 24|true|false|true|units.c:20|true|true|units.c:20|run|units.c:20|units.c:23"
    );
    let search = "
        const seen = [], box = id('search'); press('/'); seen.push(document.activeElement.id);
        const type = what => { box.value = what; box.dispatchEvent(new Event('input')); };
        const key = key => box.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        type('take('); seen.push(texts('.l.hit b').join(' '), text('#hits'), document.querySelectorAll('#steps li[data-i]').length);
        key('Enter'); const first = document.querySelector('.l.linked').dataset.k; key('Enter'); seen.push(first, document.querySelector('.l.linked').dataset.k);
        type('no such text'); seen.push(text('#steps')); key('Escape'); seen.push(box.value === '', document.querySelectorAll('.l.hit').length, now());
        press('?'); seen.push(id('help').open, texts('#help kbd').length > 12, /#step=17/.test(text('#help'))); press('?'); seen.push(id('help').open);
        id('help-button').click(); seen.push(id('help').open); document.querySelector('#help button').click(); seen.push(id('help').open);
        return seen.join('|');";
    let seen = page.driven(search);
    assert_eq!(
        seen,
        "search|6 10 22|3 lines, 4 steps|4|units.c:6|units.c:10|No step matches the search.|\
         true|0|units.c:23|true|true|true|false|true|false"
    );
    // Light and dark: what the user prefers, and what is chosen.
    let theme = "
        const colour = () => getComputedStyle(document.body).backgroundColor, seen = [document.documentElement.dataset.theme, colour()];
        id('theme').click(); seen.push(document.documentElement.dataset.theme, colour()); press('d'); seen.push(colour() === seen[1]);
        localStorage.clear(); return seen.join('|');";
    assert_eq!(page.driven(theme), "light|rgb(255, 255, 255)|dark|rgb(15, 20, 25)|true");
    let dark = Opened { colours: Colours::Dark, picture: "tabs-dark", ..page };
    assert_eq!(dark.driven(theme), "dark|rgb(15, 20, 25)|light|rgb(255, 255, 255)|true");
}

#[test]
fn links_lead_to_steps_and_lines() {
    let Some(browser) = browser() else { return };
    let directory = directory("links-page");
    let (page, _) = page_of(&directory, "door.c", DOOR, &[]);
    let at = "return [now(), text('#position').split(' ').slice(0, 2).join(' '), shown(), document.querySelector('.l.linked')?.dataset.k].join('|');";
    let link = |link, picture| {
        Opened { link, picture, ..opened(browser, &page, &directory, "links") }.driven(at)
    };
    // A step in the middle of a folded loop, which is opened for it; a line; a tab.
    assert_eq!(link("step=12", "link-step"), "door.c:26|step 12|run|");
    let line = link("line=door.c:12", "link-line");
    assert!(line.ends_with("|run|door.c:12"), "{line}");
    assert!(link("tab=graph&step=3", "link-tab").ends_with("|step 3|graph|"));
    // Every tab; what is not there changes nothing.
    let many = "
        const follow = async link => { location.hash = link; await new Promise(done => setTimeout(done, 50)); };
        const seen = [];
        for (const [name] of TABS) { await follow(`#tab=${name}`); seen.push(shown()); }
        await follow('#tab=run&step=3');
        const before = [now(), text('#position'), shown()].join('|');
        for (const link of ['tab=nothing', 'line=nothing.c:1', 'finding=7', 'step=9999', 'finding=x&step=y', '%']) {
            await follow('#' + link);
            const after = [now(), text('#position'), shown()].join('|');
            if (after !== before) seen.push(`${link}: ${after} and not ${before}`);
        }
        return seen.join(' ');";
    assert_eq!(
        opened(browser, &page, &directory, "links-many").driven(many),
        "run about projection graph tree statistics"
    );
    // The address follows what is selected, and a changed address is followed.
    let script = "
        press('Home'); const seen = [location.hash]; location.hash = '#step=5';
        await new Promise(done => setTimeout(done, 100)); seen.push(text('#position').split(' ')[1]);
        return seen.join('|');";
    assert_eq!(opened(browser, &page, &directory, "links").driven(script), "#step=1|5");
}

#[test]
fn several_findings_are_in_one_page() {
    let Some(browser) = browser() else { return };
    let directory = directory("findings-page");
    let options = ["--each", "--check", "div", "--assertions-only"];
    let (page, said) = page_of(&directory, "divisions.c", DIVISIONS, &options);
    assert!(said.ends_with("VERDICT: FALSE\n"), "{said}");
    let page = opened(browser, &page, &directory, "findings");
    let script = "
        const seen = [shown(), texts('#findings .badge').filter(t => t === 'FALSE').length - 1, texts('#tabs button')[0]];
        const places = texts('#findings .rows button .mono').slice(0, 2); seen.push(places.join(' '));
        document.querySelectorAll('#findings .rows button')[1].click(); seen.push(shown(), now(), location.hash.split('&')[0]);
        press('['); seen.push(now()); press(']'); seen.push(now());
        press('1'); seen.push(document.querySelector('[aria-current=true]').textContent.includes(now()));
        const box = id('search'); box.value = 'divisions.c:9'; box.dispatchEvent(new Event('input')); seen.push(texts('#findings .rows button').length);
        return seen.join('|');";
    let seen = page.driven(script);
    let parts: Vec<&str> = seen.split('|').collect();
    assert_eq!(parts[..4], ["findings", "2", parts[2], "divisions.c:3 divisions.c:9"], "{seen}");
    assert!(parts[2].starts_with("Findings ("), "{seen}");
    assert_eq!(parts[4..6], ["run", "divisions.c:9"], "{seen}");
    assert!(parts[6].starts_with("#finding="), "{seen}");
    assert_eq!(parts[7..], ["divisions.c:3", "divisions.c:9", "true", "1"], "{seen}");
    // Links to a finding and to a step of its run; numbers for all tabs; tabs to the left.
    let at =
        "return [shown(), now(), text('#position').split(' ').slice(0, 2).join(' ')].join('|');";
    let link = |link, picture| {
        Opened { link, picture, ..opened(browser, page.page, &directory, "findings") }.driven(at)
    };
    let first = link("finding=1", "finding-first");
    assert!(first.starts_with("run|divisions.c:"), "{first}");
    let second = link("finding=2", "finding-second");
    assert_ne!(first, second);
    assert_eq!(link("finding=2&step=1", "finding-step"), "run|divisions.c:6|step 1");
    let tabs = "
        const seen = TABS.map((_, at) => { press(String(at + 1)); return shown(); }).join(' ');
        press('1'); id('tab-findings').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }));
        return [seen, shown()].join('|');";
    assert_eq!(page.driven(tabs), "findings run about projection graph tree statistics|statistics");
}

#[test]
fn the_page_of_a_proof_shows_the_tree() {
    let Some(browser) = browser() else { return };
    let directory = directory("proof-page");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/check.in/safe.c");
    let text = std::fs::read_to_string(source).expect("a program");
    let engine = ["--engine", "lazy", "--no-search"];
    let (page, said) = page_of(&directory, "safe.c", &text, &engine);
    assert_eq!(said, "VERDICT: TRUE\n");
    let page = opened(browser, &page, &directory, "proof");
    let script = "
        const seen = [shown(), /What holds whenever a place is passed/.test(text('#about')), /independent checker accepts/.test(text('#about'))];
        press('3'); seen.push(text('#projection')); press('5');
        const nodes = texts('#tree li');
        seen.push(shown(), nodes[0].startsWith('0: '), nodes.some(n => /^[1-9][0-9]*: safe\\.c:[0-9]+ /.test(n)),
            nodes.some(n => n.includes('covered by')), nodes.some(n => n.includes('not yet expanded')));
        document.querySelectorAll('#tree li button')[1].click(); seen.push(document.querySelector('.l.linked') !== null);
        press('1'); seen.push(text('#run-title'));
        return seen.join('|');";
    assert_eq!(
        page.driven(script),
        "about|true|true|No line lies on an error path: that is proved.|tree|true|true|true|false|true|\
         There is no run to step through."
    );
}

/// An integer square root, which is too much for two seconds.
const ROOT: &str = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int isqrt(int n) {
  int r = 0;
  while (r * r <= n) r++;
  return r - 1;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000000) return 0;
  int r = isqrt(n);
  if (r * r > n || (long)(r + 1) * (r + 1) <= n)
    reach_error();
  return 0;
}
";

#[test]
fn the_page_of_an_unknown_says_what_to_do() {
    let Some(browser) = browser() else { return };
    let directory = directory("unknown-page");
    let (page, said) = page_of(&directory, "root.c", ROOT, &["--time", "2"]);
    assert!(said.starts_with("VERDICT: UNKNOWN"), "{said}");
    let script = "return [shown(), text('#verdict'), /What you can try/.test(text('#about')), text('#run-title'), document.querySelector('.l.fails') === null].join('|');";
    assert_eq!(
        opened(browser, &page, &directory, "unknown").driven(script),
        "about|UNKNOWN|true|There is no run to step through.|true"
    );
}

/// What axe-core calls serious or critical, in every tab and in the help, in light and dark.
#[test]
fn nothing_keeps_people_from_using_the_page() {
    let (Some(browser), Some(axe)) = (browser(), axe()) else { return };
    let directory = directory("axe-page");
    let check = |name: &str, text: &str, options: &[&str]| {
        let (page, _) = page_of(&directory, name, text, options);
        // The text of axe-core must not end the element it is in.
        let axe = format!("<script>{}</script></body>", axe.replace("</script", "<\\/script"));
        let (before, after) = page.rsplit_once("</body>").expect("a page");
        let page = format!("{before}{axe}{after}");
        let script = "
            const found = [], look = async where => {
                const { violations, passes } = await axe.run(document, { resultTypes: ['violations'] });
                if (passes.length < 10) found.push(`${where}: only ${passes.length} rules`);
                for (const v of violations) if (['serious', 'critical'].includes(v.impact)) found.push(`${where}: ${v.id} ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + n.any.map(a => a.message).join(' ')).join(' & ')}`);
            };
            for (const [name] of TABS) { tab(name); await look(name); }
            press('?'); await look('help'); press('?');
            return `${TABS.length} tabs ${found.join(' / ')}`;";
        for colours in [Colours::Light, Colours::Dark] {
            let picture = format!("axe-{name}-{colours:?}");
            let page = Opened { colours, ..opened(browser, &page, &directory, &picture) };
            let tabs = if options.contains(&"--each") { 7 } else { 6 };
            assert_eq!(page.driven(script), format!("{tabs} tabs "), "{name} {colours:?}");
        }
    };
    check("door.c", DOOR, &[]);
    check("divisions.c", DIVISIONS, &["--each", "--check", "div", "--assertions-only"]);
    let proof = "extern void reach_error(void); int main(void) { for (int i = 0; i < 9; i++) if (i > 9) reach_error(); }\n";
    check("proof.c", proof, &["--engine", "lazy", "--no-search"]);
}

/// Functions `part_0`, `part_1` and so on, each of ten lines.
fn parts(number: usize) -> String {
    let part = |n| {
        format!(
            "/* Function {n} of many. */\nstatic unsigned part_{n}(unsigned value) {{\n  \
             unsigned result = value + {n}u;\n  if (result % 2u == 0u) {{\n    result = result / 2u;\n  \
             }} else {{\n    result = result ^ {n}u;\n  }}\n  return result;\n}}\n"
        )
    };
    (0..number).map(part).collect()
}

/// A program of so many lines, which fails.
fn large_program(lines: usize) -> String {
    let functions = lines / 10 - 1;
    let mut text = format!(
        "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
         static unsigned total;\n{}int main(void) {{\n  total = (unsigned)__VERIFIER_nondet_int() % 4u;\n",
        parts(functions)
    );
    for n in (0..functions).step_by(functions / 5) {
        text += &format!("  total += part_{n}(total);\n");
    }
    text + "  if (total > 0u)\n    reach_error();\n  return 0;\n}\n"
}

#[test]
fn a_large_program_has_a_small_page_that_opens_soon() {
    let Some(browser) = browser() else { return };
    let directory = directory("large-page");
    let text = large_program(10_000);
    let lines = text.lines().count();
    assert!(lines >= 10_000, "{lines} lines");
    let (page, said) = page_of(&directory, "large.c", &text, &["--time", "20"]);
    assert_eq!(said, "VERDICT: FALSE\n");
    println!("{lines} lines, {} bytes", page.len());
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let script = "await new Promise(done => setTimeout(done, 200));
        return [document.querySelectorAll('.l').length, now() !== 'none', inView(document.querySelector('.l.now'), id('source')),
        document.querySelector('.l.now .f') !== null,
        document.documentElement.dataset.ready].join('|');";
    let seen = opened(browser, &page, &directory, "large").driven(script);
    let (shown, milliseconds) = seen.rsplit_once('|').expect("several things");
    assert_eq!(shown, format!("{lines}|true|true|true"));
    let milliseconds: f64 = milliseconds.parse().expect("a number");
    println!("ready after {milliseconds} ms");
    assert!(milliseconds < OPENS_SOON, "{milliseconds} ms");
}

/// The page of a program of some hundred lines takes little longer than its verdict. Processor time is
/// measured, so that a loaded machine changes nothing.
#[test]
fn a_page_respects_the_time_limit() {
    let directory = directory("time-page");
    let text = parts(40) + &DOOR.replace("opened += by;", "opened += (int)part_7((unsigned)by);");
    std::fs::write(directory.join("program.c"), &text).expect("a program");
    let took = |options: &str| {
        let command = format!(
            "TIMEFORMAT='%U %S'; time {} check --quiet --time 10 {options} program.c",
            env!("CARGO_BIN_EXE_gnomon")
        );
        let done = Command::new("bash").args(["-c", &command]).current_dir(&directory).output();
        let done = done.expect("bash starts");
        assert!(String::from_utf8_lossy(&done.stdout).starts_with("VERDICT: "), "{done:?}");
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        let seconds = told.lines().last().unwrap_or_default().split(' ').map(str::parse::<f64>);
        seconds.sum::<Result<f64, _>>().unwrap_or_else(|error| panic!("{error}: {told}"))
    };
    let (without, with) = (took(""), took("--html ."));
    println!("{without:.1} s without a page, {with:.1} s with one");
    // A fifth of ten seconds for the projection, one for graphs, and as much again.
    assert!(with < without + 6.0, "{without} {with}");
}

/// Error paths over every second of ten thousand lines.
#[test]
fn a_page_with_many_paths_opens_soon() {
    let Some(browser) = browser() else { return };
    let directory = directory("paths-page");
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
        steps: (1..=4).map(|step| ErrorPathStep(0, line + step, 1, "x = 1".into(), true)).collect(),
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
        lines: (1..=lines / 2).map(line).collect(),
        paths: (1..=lines / 2).map(|n| path(2 * n - 2)).collect(),
        all: (1..=lines).map(|n| ("large.c".into(), n)).collect(),
    };
    let page = Page {
        report: &report,
        sources: BTreeMap::from([("large.c".into(), text)]),
        scopes: Scopes::default(),
        projection: Some(projection),
        no_projection: None,
        graphs: BTreeMap::new(),
        tree: Tree::Missing("none"),
        timeline: BTreeMap::new(),
    };
    let page = page.html().expect("a page");
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let script = "
        document.querySelector(`.l[data-k='large.c:5000']`).click();
        return [document.querySelectorAll('.l').length, now(), text('#run-title'), text('#run-note'), document.documentElement.dataset.ready].join('|');";
    let seen = opened(browser, &page, &directory, "paths").driven(script);
    let (shown, milliseconds) = seen.rsplit_once('|').expect("several things");
    assert_eq!(
        shown,
        "10000|large.c:5000|an error path over large.c:5000 (feasible, executed)|\
         It fails with the inputs x = 1 (line 4998). An error path passes this line if total_2500 > 0."
    );
    let milliseconds: f64 = milliseconds.parse().expect("a number");
    println!("ready after {milliseconds} ms");
    assert!(milliseconds < OPENS_SOON, "{milliseconds} ms");
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
        what: format!("it goes wrong for <!-- <script> </script> {number}"),
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
        return seen.join('|');
    ";
    // Other tests use the processors at the same time: one of three openings is not disturbed.
    let mut times = Vec::new();
    while times.len() < 3 && !times.iter().any(|&time| time < INDEX_OPENS) {
        let seen = opened(browser, &page, &directory, "project-index").driven(script);
        let (milliseconds, seen) = seen.split_once('|').expect("several things");
        assert_eq!(seen, "200|10000 shown|1 shown|5|10000 shown|true");
        times.push(milliseconds.parse::<f64>().expect("a number"));
    }
    println!("ready after {times:?} ms");
    assert!(times.iter().any(|&time| time < INDEX_OPENS), "{times:?} ms");
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
        return document.querySelectorAll('.l').length + '|' +
            document.documentElement.dataset.ready + '|' +
            document.getElementById('run-title').textContent;";
    let seen = opened(browser, &page, &directory, "worked-example").driven(script);
    let parts: Vec<&str> = seen.split('|').collect();
    let rows: u32 = parts[0].parse().expect("a number");
    let milliseconds: f64 = parts[1].parse().expect("a number");
    println!("{rows} lines, ready after {milliseconds} ms");
    assert!(rows > 5_000, "{seen}");
    assert_eq!(parts[2], "an error path over bc/main.c:93 (feasible, executed)");
    assert!(milliseconds < OPENS_SOON, "{seen}");
}
